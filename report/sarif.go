package report

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/codekg/kg/diff/rules"
)

// SARIF as code scanning reads it:
//
//   - Only the first location of a result counts, and a result is shown on a
//     change only if its lines are lines that the change added or edited. So
//     there is one result for each changed declaration, on such a line, and its
//     users are related locations, which the message links.
//   - Suppressed results become alerts. What is waived is left out.
//   - A level of error fails a check. Levels are those of the rules, and rules
//     have no severity of security problems.
//   - Of a run the first 5,000 results are kept, of a result 100 locations.
//
// The fingerprint of GitHub, a hash of source lines, is left to the action that
// uploads the file; another value makes it warn about every result.

const (
	maxResults   = 5000
	maxFlows     = 3
	maxFlowSteps = 10
	linkedPlaces = 5
	homePage     = "https://github.com/codekg/kg"
	sarifSchema  = "https://json.schemastore.org/sarif-2.1.0.json"
	// sarifCategory is the same for every run, so that runs of a change and of
	// its base are compared.
	sarifCategory = "kg/impact/"
)

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool      `json:"tool"`
		Automation sarifID        `json:"automationDetails"`
		ColumnKind string         `json:"columnKind"`
		Results    []sarifResult  `json:"results"`
		Properties map[string]int `json:"properties,omitempty"`
	}
	sarifID struct {
		ID string `json:"id"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		URI     string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifRule struct {
		ID         string         `json:"id"`
		Name       string         `json:"name"`
		Short      sarifText      `json:"shortDescription"`
		Full       sarifText      `json:"fullDescription"`
		Help       sarifText      `json:"help"`
		Default    sarifDefault   `json:"defaultConfiguration"`
		Properties sarifRuleProps `json:"properties"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifRuleProps struct {
		Tags     []string `json:"tags"`
		Severity string   `json:"problem.severity"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		Flows        []sarifFlow       `json:"codeFlows,omitempty"`
		Fingerprints map[string]string `json:"fingerprints"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId"`
	}
	sarifRegion struct {
		StartLine   int32 `json:"startLine"`
		StartColumn int32 `json:"startColumn"`
		EndLine     int32 `json:"endLine"`
	}
	sarifFlow struct {
		Threads []sarifThread `json:"threadFlows"`
	}
	sarifThread struct {
		Steps []sarifThreadStep `json:"locations"`
	}
	sarifThreadStep struct {
		Location sarifLocation `json:"location"`
	}
)

func writeSARIF(w io.Writer, r *Report, _ Options) error {
	run := sarifRun{Automation: sarifID{sarifCategory}, ColumnKind: "utf16CodeUnits", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: r.Tool.Name, Version: r.Tool.Version, URI: homePage, Rules: sarifRules()}
	changes := map[string]*Change{}
	for i := range r.Changes {
		changes[r.Changes[i].Symbol.ID] = &r.Changes[i]
	}
	open := r.Open()
	for i := range open {
		if len(run.Results) == maxResults {
			run.Properties = map[string]int{"resultsLeftOut": len(open) - maxResults}
			break
		}
		if x, ok := newSARIFResult(&open[i], run.Tool.Driver.Rules, changes[open[i].Symbol]); ok {
			run.Results = append(run.Results, x)
		}
	}
	return encode(w, sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

func sarifRules() (out []sarifRule) {
	for _, r := range rules.All() {
		severity := r.Level.String()
		if r.Level == rules.Note {
			severity = "recommendation"
		}
		out = append(out, sarifRule{ID: r.ID, Name: camel(r.ID), Short: sarifText{Text: r.Title + "."}, Full: sarifText{Text: r.Doc},
			Help: sarifText{r.Doc, r.Doc}, Default: sarifDefault{r.Level.String()},
			Properties: sarifRuleProps{[]string{"change-impact"}, severity}})
	}
	return out
}

// camel writes an id as the names of rules are written: BrokenUse.
func camel(id string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(id, "-") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

func newSARIFResult(f *Finding, all []sarifRule, c *Change) (sarifResult, bool) {
	file, line, ok := f.ShownAt()
	if !ok {
		return sarifResult{}, false
	}
	x := sarifResult{RuleID: f.Rule, Level: f.Level, Fingerprints: map[string]string{"kg/v1": f.Fingerprint},
		RuleIndex: slices.IndexFunc(all, func(r sarifRule) bool { return r.ID == f.Rule }),
		Locations: []sarifLocation{newSARIFLocation(0, file, line, "")}}
	text := sarifEscape(f.Message) + "."
	for i, p := range f.Related {
		x.Related = append(x.Related, newSARIFLocation(i+1, p.File, p.Line, p.Symbol.Name))
		if i < linkedPlaces {
			text += fmt.Sprintf("%s[%s](%d)", []string{" See ", ", "}[min(i, 1)], sarifEscape(p.Symbol.Name), i+1)
		}
	}
	if n := f.Total - linkedPlaces; n > 0 {
		text += more(n)
	}
	if len(f.Related) > 0 {
		text += "."
	}
	x.Message.Text = text
	if c != nil {
		x.Flows = sarifFlows(c)
	}
	return x, true
}

func newSARIFLocation(id int, file string, line int32, name string) sarifLocation {
	// A path is a reference: what has a meaning in those is percent-encoded.
	u := url.URL{Path: file}
	l := sarifLocation{ID: id, Physical: sarifPhysical{sarifArtifact{u.String(), "%SRCROOT%"}, sarifRegion{max(line, 1), 1, max(line, 1)}}}
	if name != "" {
		l.Message = &sarifText{Text: sarifEscape(name)}
	}
	return l
}

// sarifFlows show how far a change reaches: from the declaration over those who
// use it to where the walk ended, a path of several hops each.
func sarifFlows(c *Change) (out []sarifFlow) {
	for _, relation := range []string{"entry_point", "test", ""} {
		for i := range c.Impacted {
			x := &c.Impacted[i]
			if len(out) == maxFlows {
				return out
			}
			if len(x.Path) < 2 || x.Certainty == "ambiguous" || relation != "" && x.Relation != relation || relation == "" && (x.Relation == "entry_point" || x.Relation == "test") {
				continue
			}
			var t sarifThread
			if c.Change != "removed" && c.Symbol.File != "" {
				t.Steps = append(t.Steps, sarifThreadStep{newSARIFLocation(0, c.Symbol.File, c.Symbol.Line, c.Symbol.Name)})
			}
			for k := len(x.Path) - 1; k >= 0 && len(t.Steps) < maxFlowSteps; k-- {
				h := &x.Path[k]
				if h.File == "" {
					continue
				}
				t.Steps = append(t.Steps, sarifThreadStep{newSARIFLocation(0, h.File, h.Line, lastOfKey(h.From)+" "+strings.ReplaceAll(h.Kind, "_", " ")+" "+lastOfKey(h.To))})
			}
			out = append(out, sarifFlow{[]sarifThread{t}})
		}
	}
	return out
}

// lastOfKey returns the part of a key that people know.
func lastOfKey(key string) string {
	if i := strings.LastIndexAny(key, "#/"); i >= 0 {
		return key[i+1:]
	}
	return key
}

// sarifEscape makes a name plain text in a message, where brackets are links.
func sarifEscape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(abridge(Escape(s), longProse))
}
