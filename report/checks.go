package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/codekg/kg/diff/rules"
)

// Findings for other programs. All formats list what nothing waives, ranked, at
// the place where the head shows it; see [Finding.ShownAt].

// writeRDJSON writes the input of reviewdog, which posts to GitHub, GitLab,
// Bitbucket, Gitea and Gerrit.
func writeRDJSON(w io.Writer, r *Report, _ Options) error {
	type position struct {
		Line   int32 `json:"line"`
		Column int32 `json:"column,omitempty"`
	}
	type ranged struct {
		Start position `json:"start"`
	}
	type location struct {
		Path  string `json:"path"`
		Range ranged `json:"range"`
	}
	type related struct {
		Message  string   `json:"message"`
		Location location `json:"location"`
	}
	type code struct {
		Value string `json:"value"`
	}
	type source struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	}
	type diagnostic struct {
		Message  string    `json:"message"`
		Location location  `json:"location"`
		Severity string    `json:"severity"`
		Source   source    `json:"source"`
		Code     code      `json:"code"`
		Related  []related `json:"related_locations,omitempty"`
	}
	at := func(file string, line int32) location {
		return location{file, ranged{position{Line: max(line, 1)}}}
	}
	from := source{r.Tool.Name, homePage}
	out := struct {
		Source      source       `json:"source"`
		Severity    string       `json:"severity"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}{from, "INFO", []diagnostic{}}
	severities := map[string]string{"error": "ERROR", "warning": "WARNING", "note": "INFO"}
	for _, f := range r.Open() {
		file, line, ok := f.ShownAt()
		if !ok {
			continue
		}
		d := diagnostic{f.Said(), at(file, line), severities[f.Level], from, code{f.Rule}, nil}
		for _, p := range f.Related {
			d.Related = append(d.Related, related{p.Symbol.Name, at(p.File, p.Line)})
		}
		out.Diagnostics = append(out.Diagnostics, d)
	}
	return encode(w, out)
}

// Said is the message with the places that are related, for formats that have
// none of their own.
func (f *Finding) Said() string {
	s := f.Message
	for i, p := range f.Related[:min(len(f.Related), linkedPlaces)] {
		s += []string{" (", ", "}[min(i, 1)] + place(p.File, p.Line)
	}
	if len(f.Related) > 0 {
		s += more(max(f.Total, len(f.Related))-linkedPlaces) + ")"
	}
	return s
}

// writeGitLab writes a Code Quality report, which merge requests show.
func writeGitLab(w io.Writer, r *Report, _ Options) error {
	type lines struct {
		Begin int32 `json:"begin"`
	}
	type location struct {
		Path  string `json:"path"`
		Lines lines  `json:"lines"`
	}
	type issue struct {
		Description string   `json:"description"`
		CheckName   string   `json:"check_name"`
		Fingerprint string   `json:"fingerprint"`
		Severity    string   `json:"severity"`
		Location    location `json:"location"`
	}
	severities := map[string]string{"error": "major", "warning": "minor", "note": "info"}
	out := []issue{}
	for _, f := range r.Open() {
		if file, line, ok := f.ShownAt(); ok {
			out = append(out, issue{f.Said(), "kg/" + f.Rule, f.Fingerprint, severities[f.Level], location{file, lines{line}}})
		}
	}
	return encode(w, out)
}

// writeCheckstyle writes what Jenkins and many others read.
func writeCheckstyle(w io.Writer, r *Report, _ Options) error {
	type issue struct {
		Line     int32  `xml:"line,attr"`
		Severity string `xml:"severity,attr"`
		Message  string `xml:"message,attr"`
		Source   string `xml:"source,attr"`
	}
	type file struct {
		Name   string  `xml:"name,attr"`
		Issues []issue `xml:"error"`
	}
	out := struct {
		XMLName xml.Name `xml:"checkstyle"`
		Version string   `xml:"version,attr"`
		Files   []*file  `xml:"file"`
	}{Version: "8.0"}
	files := map[string]*file{}
	severities := map[string]string{"error": "error", "warning": "warning", "note": "info"}
	for _, f := range r.Open() {
		name, line, ok := f.ShownAt()
		if !ok {
			continue
		}
		if files[name] == nil {
			files[name] = &file{Name: Escape(name)}
			out.Files = append(out.Files, files[name])
		}
		files[name].Issues = append(files[name].Issues, issue{line, severities[f.Level], Escape(f.Said()), "kg." + f.Rule})
	}
	return encodeXML(w, out)
}

// writeJUnit writes the gate as a suite of tests: a rule fails with what stops
// the change, and what else it found is its output.
func writeJUnit(w io.Writer, r *Report, _ Options) error {
	type failure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
	type testcase struct {
		Name   string   `xml:"name,attr"`
		Class  string   `xml:"classname,attr"`
		Fail   *failure `xml:"failure"`
		Error  *failure `xml:"error"`
		Output string   `xml:"system-out,omitempty"`
	}
	type suite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Cases    []testcase `xml:"testcase"`
	}
	s := suite{Name: "kg"}
	for _, rule := range rules.All() {
		c := testcase{Name: rule.Title, Class: "kg." + rule.ID}
		var stops, others []string
		for _, f := range r.Findings {
			if f.Rule != rule.ID {
				continue
			}
			line := Escape(place(f.File, f.Line) + ": " + f.Said())
			if f.Waived != "" {
				line += Escape(" (waived: " + f.Waived + ")")
			}
			if f.Stops {
				stops = append(stops, line)
			} else {
				others = append(others, line)
			}
		}
		if len(stops) > 0 {
			c.Fail = &failure{count(len(stops), "finding"), rule.ID, strings.Join(stops, "\n")}
			s.Failures++
		} else if rule.ID == "analysis-lost" && r.Gate != nil && r.Gate.Lost {
			c.Error = &failure{r.Stopped(), rule.ID, strings.Join(others, "\n")}
			others = nil
			s.Errors++
		}
		c.Output = strings.Join(others, "\n")
		s.Tests++
		s.Cases = append(s.Cases, c)
	}
	out := struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []suite  `xml:"testsuite"`
	}{Suites: []suite{s}}
	return encodeXML(w, out)
}

func encodeXML(w io.Writer, v any) error {
	text, err := xml.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

// GitHub keeps so many annotations of one level from a step, and drops the rest
// without a word. The last notice says how many findings have none.
const maxAnnotations = 10

// writeAnnotations writes workflow commands. They are the one thing that kg
// writes in lines that begin with "::".
func writeAnnotations(w io.Writer, r *Report, _ Options) error {
	commands := map[string]string{"error": "error", "warning": "warning", "note": "notice"}
	type shown struct {
		Finding
		file string
		line int32
	}
	var list []shown
	left, counts := 0, map[string]int{}
	for _, f := range r.Open() {
		counts[f.Level]++
		if file, line, ok := f.ShownAt(); counts[f.Level] > maxAnnotations {
			left++
		} else if ok {
			list = append(list, shown{f, file, line})
		}
	}
	if left > 0 && counts["note"] >= maxAnnotations { // room for the last notice
		last := len(list) - 1
		for last >= 0 && list[last].Level != "note" {
			last--
		}
		if last >= 0 {
			list = slices.Delete(list, last, last+1)
			left++
		}
	}
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "::%s file=%s,line=%d,title=%s::%s\n", commands[f.Level], property(f.file), f.line, property("kg: "+f.Rule), data(f.Said()))
	}
	if left > 0 {
		fmt.Fprintf(&b, "::notice title=%s::%s\n", property("kg: findings"), data(count(left, "more finding")+", which the summary and other formats list"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// data and property escape the two parts of a workflow command.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(abridge(Escape(s), longProse))
}

// A path must stay what it is, hidden characters in it are escaped by the
// percent sign.
func property(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '%' || c == ':' || c == ',' || c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
