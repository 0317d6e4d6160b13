package rules_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/difftest"
	"github.com/codekg/kg/diff/impact"
	"github.com/codekg/kg/diff/rules"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected sections of testdata")

// TestGolden runs the rules on "base" and "head" of each file in testdata, with
// the lines of "policy":
//
//	level RULE LEVEL
//	include RULE PATTERN
//	exclude RULE PATTERN
//	waive RULE symbol=… path=… until=… because REASON
//	fail-on NAME
//	path PATH
//
// "tip" is the graph of the base branch's tip. Sections "base/FILE" and
// "head/FILE" hold files that are read for comments.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	hit := map[string]bool{}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			r := run(t, a)
			for _, f := range r.Findings {
				hit[f.Rule.ID] = true
			}
			got := describe(r)
			at := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == "findings" })
			if at < 0 {
				t.Fatal("no section findings")
			}
			if *update {
				a.Files[at].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if want := string(a.Files[at].Data); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
	for _, r := range rules.All() {
		if !hit[r.ID] {
			t.Errorf("no case has a finding of %s", r.ID)
		}
		if l := r.Level; r.Title == "" || len(r.Doc) < 40 || l == rules.Off || strings.Trim(r.ID, "abcdefghijklmnopqrstuvwxyz-") != "" {
			t.Errorf("rule %+v is not complete", r.ID)
		}
	}
}

func section(a *txtar.Archive, name string) (string, bool) {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data), true
		}
	}
	return "", false
}

// languages are the rules of those in testdata.
var languages = diff.Options{Rules: map[string]diff.Rules{"python": {Keywords: true, Dynamic: true}}}

func parse(t *testing.T, a *txtar.Archive, name string) *graph.Graph {
	t.Helper()
	text, ok := section(a, name)
	if !ok {
		return nil
	}
	g, err := difftest.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return g
}

func run(t *testing.T, a *txtar.Archive) *rules.Result {
	t.Helper()
	text, _ := section(a, "policy")
	p := rules.Policy{Rules: map[string]rules.Setting{}, Today: "2025-06-15"}
	in := &rules.Input{Configuration: func(p string) bool { return p == ".kg.yaml" }}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		switch f[0] {
		case "level":
			s := p.Rules[f[1]]
			s.Level, s.Set = rules.ParseLevel(f[2])
			p.Rules[f[1]] = s
		case "include", "exclude":
			s := p.Rules[f[1]]
			if f[0] == "include" {
				s.Include = append(s.Include, f[2])
			} else {
				s.Exclude = append(s.Exclude, f[2])
			}
			p.Rules[f[1]] = s
		case "waive":
			w := rules.Waiver{Rule: f[1]}
			args, reason, _ := strings.Cut(line, " because ")
			w.Reason = strings.TrimSpace(reason)
			for _, x := range strings.Fields(args)[2:] {
				k, v, _ := strings.Cut(x, "=")
				switch k {
				case "symbol":
					w.Symbol = v
				case "path":
					w.Path = v
				case "until":
					w.Until = v
				case "fingerprint":
					w.Fingerprint = v
				}
			}
			p.Waivers = append(p.Waivers, w)
		case "fail-on":
			p.FailOn = append(p.FailOn, f[1])
		case "path":
			in.Paths = append(in.Paths, f[1])
		default:
			t.Fatalf("bad line %q", line)
		}
	}
	if errs := p.Check(); len(errs) > 0 {
		t.Fatal(errs)
	}
	in.Lines = func(head bool, file string, first, last int32) []string {
		text, ok := section(a, map[bool]string{true: "head/", false: "base/"}[head]+file)
		lines := strings.Split(text, "\n")
		if !ok || int(first) > len(lines) {
			return nil
		}
		return lines[first-1 : min(int(last), len(lines))]
	}
	in.Impact = impact.Compute(languages.Compare(parse(t, a, "base"), parse(t, a, "head")), impact.Options{})
	in.New = impact.NewUses(in.Impact, parse(t, a, "tip"))
	return rules.Run(in, &p)
}

func describe(r *rules.Result) string {
	var b strings.Builder
	for _, f := range r.Findings {
		where := ""
		if f.InBase {
			where = " (base)"
		}
		fmt.Fprintf(&b, "%s %v %s:%d%s: %s\n", f.Rule.ID, f.Level, f.File, f.Line, where, f.Message)
		for _, p := range f.Related {
			fmt.Fprintf(&b, "  %s:%d %s\n", p.File, p.Line, p.Symbol.Key)
		}
		if f.Waiver != nil {
			fmt.Fprintf(&b, "  waived: %s\n", f.Waiver.Reason)
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	if g := r.Gate; len(g.FailOn) > 0 {
		fmt.Fprintf(&b, "gate %v: %d hits, lost %t\n", g.FailOn, g.Hits, g.Lost)
	}
	return b.String()
}

// TestFingerprints: lines move, files move inside of a package, and other
// findings come and go; a finding keeps its fingerprint.
func TestFingerprints(t *testing.T) {
	prints := func(shift string) map[string]string {
		a := txtar.Parse([]byte(strings.ReplaceAll(`
-- base --
package go:m/p
  function #F p.goSHIFT1-SHIFT2 params=a:int body=f
package go:m/q
  function #G q.goSHIFT5-SHIFT6 body=g
    -> calls go:m/p#F :SHIFT6 args=1
-- head --
package go:m/p
  function #F p.goSHIFT1-SHIFT2 params=a:int,b:int body=f
package go:m/q
  function #G q.goSHIFT5-SHIFT6 body=g
    -> calls go:m/p#F :SHIFT6 args=1
`, "goSHIFT", "go:"+shift)))
		for i := range a.Files {
			a.Files[i].Data = []byte(strings.ReplaceAll(string(a.Files[i].Data), "SHIFT", shift))
		}
		out := map[string]string{}
		for _, f := range run(t, a).Findings {
			out[f.Rule.ID] = f.Fingerprint
		}
		return out
	}
	one, two := prints("1"), prints("3")
	if len(one) < 2 || fmt.Sprint(one) != fmt.Sprint(two) {
		t.Errorf("%v, moved %v", one, two)
	}
}

func TestPolicyCheck(t *testing.T) {
	p := rules.Policy{
		Rules: map[string]rules.Setting{"nonsense": {}, "public-api": {Include: []string{"[a"}}},
		Waivers: []rules.Waiver{
			{Rule: "nonsense", Symbol: "x", Reason: "y"},
			{Rule: "public-api", Symbol: "x", Reason: " "},
			{Rule: "public-api", Reason: "y"},
			{Rule: "public-api", Path: "[a", Reason: "y"},
		},
		FailOn: []string{"off", "everything"},
	}
	if errs := p.Check(); len(errs) != 8 {
		t.Errorf("%d errors: %v", len(errs), errs)
	}
}
