package report_test

import (
	"bytes"
	stdjson "encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/codekg/kg/report"
)

var colors = regexp.MustCompile("\x1b\\[[0-9]+m")

// harmless checks what every text has to obey.
func harmless(t testing.TB, text []byte, color bool) {
	t.Helper()
	s := string(text)
	if color {
		s = colors.ReplaceAllString(s, "")
	}
	if !utf8.ValidString(s) {
		t.Errorf("invalid UTF-8 in %q", s)
	}
	for _, line := range strings.Split(s, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
			t.Errorf("a command for CI: %q", line)
		}
		for _, r := range line {
			if r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff {
				t.Errorf("%U in %q", r, line)
			}
		}
	}
}

func TestEscape(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain naïve 名前", "plain naïve 名前"},
		{"a\x1b[31mb", `a\x1b[31mb`},
		{"a\nb\r", `a\x0ab\x0d`},
		{"user\u202e)", `user\u{202e})`},
		{"bad\xff", `bad\xff`},
		{"##[error]x", `##\x5berror]x`},
		{"\u009b31m", `\u{9b}31m`},
		{"tag\U000e0041", `tag\u{e0041}`},
	} {
		if got := report.Escape(c.in); got != c.want {
			t.Errorf("Escape(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// FuzzFormats puts hostile names wherever a report has one.
func FuzzFormats(f *testing.F) {
	f.Add("::error::", "##[group]")
	f.Add("\x1b[2J", "a\u202eb")
	f.Add("#", "#[")
	f.Add(":", ":set-output name=a::b")
	f.Add("\xff\xfe", "\U000e0001\u2066")
	f.Add("<script>&", "\"\\u0041")
	f.Fuzz(func(t *testing.T, a, b string) {
		r, d := hostile(a, b)
		for _, kind := range []string{"impact", "diff"} {
			harmless(t, write(t, kind, "text", r, d, report.Options{}), false)
			harmless(t, write(t, kind, "text", r, d, report.Options{Color: true}), true)
			text := write(t, kind, "json", r, d, report.Options{})
			harmless(t, text, false)
			if bytes.Count(text, []byte("\n")) != 1 {
				t.Errorf("%s: more than one line", kind)
			}
			var back struct {
				Changes []struct {
					Symbol struct{ Name string }
				}
			}
			if err := stdjson.Unmarshal(text, &back); err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			if got, want := back.Changes[0].Symbol.Name, strings.ToValidUTF8(a, "\ufffd"); utf8.ValidString(a) && got != want {
				t.Errorf("%s: the name %q became %q", kind, want, got)
			}
		}
	})
}

func hostile(a, b string) (*report.Report, *report.DeltaReport) {
	s := report.Symbol{ID: a, Kind: "function", Name: a, File: b, Line: 1}
	detail := []report.Detail{{Code: "param_added", Verdict: "breaking", Name: a, From: b, To: a}, {Code: a, Verdict: b}}
	r := &report.Report{Schema: report.Schema, Base: report.Revision{Rev: a, Commit: b}, Head: report.Revision{Rev: b, Source: a},
		Changes: []report.Change{{Symbol: s, Change: a, Breaking: true, Detail: detail, Totals: report.Totals{Impacted: 2, MustUpdate: 2, Broken: 1, BrokenSites: 1},
			Impacted: []report.Impacted{
				{Symbol: s, Relation: a, Severity: "must_update", Depth: 1, Certainty: b, Sites: []report.Site{{File: a, Line: 1, State: "broken"}}},
				{Symbol: report.Symbol{ID: b, Name: b, File: a}, Relation: "caller", Severity: "must_update", Depth: 1, Certainty: a},
			}}},
		EntryPoints: []report.EntryPoint{{Symbol: s}},
		Tests: report.Tests{Mode: "all", Reasons: []report.TestReason{{Reason: a, Paths: []string{a, b}}},
			Tests: []report.Test{{ID: a, File: b, Symbol: a, Package: b}, {Package: ":", Symbol: b}}},
		Cochange: []report.Cochange{{File: a, With: []string{b}}},
		Owners:   []report.Owner{{Owner: a, Files: []string{b}}},
		Findings: []report.Finding{{Rule: a, Level: b, Message: a, File: b, Waived: a}},
		Unknowns: []report.Unknown{{Reason: a, File: b, Detail: a}, {Reason: report.SkippedLanguage, Detail: b, Count: 2}, {Reason: b, File: a, Lost: true}},
		Stats:    report.Stats{Totals: report.Totals{Impacted: 2, MustUpdate: 2, Broken: 1, BrokenSites: 1}, Changes: map[string]int{a: 1}}}
	d := &report.DeltaReport{Schema: report.DeltaSchema,
		Changes:      []report.DeltaChange{{Symbol: s, Change: "removed", Detail: detail}},
		Relations:    []report.Relation{{Kind: a, From: b, To: a}},
		Dependencies: []report.Dependency{{From: a, To: b, File: a}},
		Cycles:       []report.Cycle{{Path: []report.Dependency{{From: a, To: b, File: b}, {From: b, To: a}}}},
		Edges:        map[string]report.Two{a: {Added: 1}},
		Moved:        []report.Move{{From: a, To: b}},
		Formatting:   []string{a}, Unknowns: r.Unknowns}
	return r, d
}
