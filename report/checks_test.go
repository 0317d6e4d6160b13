package report_test

import (
	"bytes"
	stdjson "encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/impact"
	"github.com/codekg/kg/diff/rules"
	"github.com/codekg/kg/report"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// checkFormats are the formats of findings.
var checkFormats = []string{"sarif", "rdjson", "gitlab", "checkstyle", "junit", "github"}

// judged reports on two graphs with the findings of the rules.
func judged(t testing.TB, a *txtar.Archive, p *rules.Policy, diffLine func(string, bool, int32, int32, int32) int32) *report.Report {
	t.Helper()
	res := impact.Compute(diff.Compare(parse(t, a, "base"), parse(t, a, "head")), impact.Options{})
	r := report.New(res, report.Tool{Name: "kg", Version: "0.1.0"}, report.Revision{Rev: "main", Source: "revision"}, report.Revision{Rev: "work tree", Source: "worktree"})
	r.Judge(rules.Run(&rules.Input{Impact: res}, p), report.Configuration{}, diffLine)
	return r
}

// TestChecks writes the findings of each file in testdata/checks in all formats
// of findings, JSON with line breaks added. A line "fail-on NAME" of the section
// "policy" sets the gate.
func TestChecks(t *testing.T) {
	files, err := filepath.Glob("testdata/checks/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := &rules.Policy{}
		for _, f := range a.Files {
			if f.Name == "policy" {
				for line := range strings.Lines(string(f.Data)) {
					p.FailOn = append(p.FailOn, strings.TrimSpace(strings.TrimPrefix(line, "fail-on ")))
				}
			}
		}
		r := judged(t, a, p, func(file string, inBase bool, line, first, last int32) int32 {
			if inBase {
				return 0
			}
			return first
		})
		validate(t, "impact", write(t, "impact", "json", r, nil, report.Options{}))
		forms := 0
		for i := range a.Files {
			f := &a.Files[i]
			name, ok := strings.CutPrefix(f.Name, "checks.")
			if !ok {
				continue
			}
			forms++
			got := write(t, "impact", name, r, nil, report.Options{})
			checkFormat(t, name, got)
			if name == "sarif" || name == "rdjson" || name == "gitlab" {
				var b bytes.Buffer
				if err := stdjson.Indent(&b, got, "", " "); err != nil {
					t.Fatal(err)
				}
				got = b.Bytes()
			}
			if name == "sarif" {
				// The rules are the same in every file.
				begin, end := bytes.Index(got, []byte(`"rules": [`)), bytes.Index(got, []byte(`"automationDetails"`))
				got = append(append(bytes.Clone(got[:begin]), "…\n "...), got[end:]...)
			}
			if *update {
				f.Data = got
			} else if !bytes.Equal(f.Data, got) {
				t.Errorf("%s: %s: got:\n%s\nwant:\n%s", file, f.Name, got, f.Data)
			}
		}
		if forms == 0 {
			t.Errorf("%s: no expected section", file)
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestChecksHostile: whatever names hold, files stay well-formed, paths stay what
// they are, and no line becomes a command.
func TestChecksHostile(t *testing.T) {
	for _, name := range hostileNames {
		r, _ := hostile(name, "d/"+name)
		for i := range r.Findings {
			r.Findings[i].Waived, r.Findings[i].Rule, r.Findings[i].Level = "", "broken-use", "error"
			r.Findings[i].Related = []report.Related{{Symbol: r.Changes[0].Symbol, File: "d/" + name, Line: 3}}
		}
		if len(r.Findings) == 0 {
			t.Fatal("no finding")
		}
		for _, format := range checkFormats {
			checkFormat(t, format, write(t, "impact", format, r, nil, report.Options{}))
		}
	}
	t.Logf("%d names", len(hostileNames))
}

// TestSARIFCap: of too many results the first are kept.
func TestSARIFCap(t *testing.T) {
	r := &report.Report{}
	for i := range 6000 {
		r.Findings = append(r.Findings, report.Finding{Rule: "broken-use", Level: "error", Message: "m", File: fmt.Sprint(i), Line: 1, Fingerprint: fmt.Sprint(i)})
	}
	text := write(t, "impact", "sarif", r, nil, report.Options{})
	checkFormat(t, "sarif", text)
	if n := bytes.Count(text, []byte(`"ruleId"`)); n != 5000 || !bytes.Contains(text, []byte(`"resultsLeftOut":1000`)) {
		t.Errorf("%d results", n)
	}
	text = write(t, "impact", "github", r, nil, report.Options{})
	if n := bytes.Count(text, []byte("::error ")); n != 10 || bytes.Count(text, []byte("\n")) != 11 || !bytes.Contains(text, []byte("\n::notice title=kg%3A findings::5990 more findings,")) {
		t.Errorf("%d annotations\n%s", n, text)
	}
	for i := range r.Findings {
		r.Findings[i].Level = "note"
	}
	text = write(t, "impact", "github", r, nil, report.Options{})
	if n := bytes.Count(text, []byte("::notice ")); n != 10 || !bytes.Contains(text, []byte("::5991 more findings,")) {
		t.Errorf("%d notices\n%s", n, text)
	}
}

var sarif = func() *jsonschema.Schema {
	text, err := os.ReadFile("testdata/sarif-2.1.0.schema.json")
	if err != nil {
		panic(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		panic(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sarif.json", doc); err != nil {
		panic(err)
	}
	return c.MustCompile("sarif.json")
}()

// checkFormat checks what every file of a format has to be.
func checkFormat(t testing.TB, format string, text []byte) {
	t.Helper()
	switch format {
	case "sarif":
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := sarif.Validate(v); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		var log struct {
			Runs []struct {
				Results []struct {
					Message   struct{ Text string }
					RuleIndex int
					Locations []struct {
						PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
					}
				}
			}
		}
		if err := stdjson.Unmarshal(text, &log); err != nil {
			t.Fatal(err)
		}
		for _, x := range log.Runs[0].Results {
			if u, err := url.Parse(x.Locations[0].PhysicalLocation.ArtifactLocation.URI); err != nil || u.IsAbs() || u.Host != "" {
				t.Errorf("the path %q is no relative reference: %v", x.Locations[0].PhysicalLocation.ArtifactLocation.URI, err)
			}
			if x.RuleIndex < 0 || x.Message.Text == "" {
				t.Errorf("rule %d, message %q", x.RuleIndex, x.Message.Text)
			}
		}
		harmless(t, text, false)
	case "rdjson", "gitlab":
		if !stdjson.Valid(text) {
			t.Errorf("no JSON: %s", text)
		}
		harmless(t, text, false)
	case "checkstyle", "junit":
		for d := xml.NewDecoder(bytes.NewReader(text)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
		}
	case "github":
		for line := range strings.Lines(string(text)) {
			head, _, ok := strings.Cut(strings.TrimPrefix(line, "::"), "::")
			if !ok || !strings.HasPrefix(line, "::") || strings.Count(head, ",") != 2 || strings.Contains(strings.TrimSuffix(line, "\n"), "\r") {
				t.Errorf("%q is no command", line)
			}
		}
	default:
		t.Fatalf("unknown format %s", format)
	}
}
