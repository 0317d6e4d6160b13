package impact_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/difftest"
	"github.com/codekg/kg/diff/impact"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected sections of testdata")

// rules are those of the languages in testdata.
var rules = diff.Options{Rules: map[string]diff.Rules{"go": {Predeclared: []string{"any", "min"}, Constants: []string{"int float64", "string"}, Nil: []string{"*"}, TopTypes: []string{"any"}}, "py": {Keywords: true, Dynamic: true}, "python": {Keywords: true, Dynamic: true, TestsAlone: true, Fallback: "__getattr__"}, "typescript": {Coerces: true, FileModules: true, Loose: []string{".js"}, Union: " | ", Structural: true}, "js": {Dynamic: true, LooseArity: true}, "java": {Coerces: true, Scanned: true, Statics: true, Overriding: "ext:java:java.lang#Override", Unchecked: []string{"l.Quiet"}, TopTypes: []string{"l.Any"},
	Supertypes: func(name string) []string {
		return map[string][]string{"l.EOF": {"l.IO"}, "l.List": {"l.Many"}, "l.Null": {"l.Quiet"}}[name]
	}}}}

// inputs reads lines of a path and what is known of it: all, tests=FOLDER,
// packages=FOLDER, reads=FILE, lang=LANG, module=PATH.
func inputs(text string) []impact.Input {
	var ins []impact.Input
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		in := impact.Input{Path: words[0]}
		for _, w := range words[1:] {
			name, value, _ := strings.Cut(w, "=")
			switch name {
			case "all":
				in.All = true
			case "tests":
				in.Tests = append(in.Tests, value)
			case "packages":
				in.Packages = append(in.Packages, value)
			case "reads":
				in.Readers = append(in.Readers, value)
			case "lang":
				in.Lang = value
			case "module":
				in.Modules = append(in.Modules, value)
			}
		}
		ins = append(ins, in)
	}
	return ins
}

// TestGolden computes the impact of "base" to "head" of each file in testdata;
// lines of "edited" are path, old start, old length, new start, new length. A
// file with a section "graph" instead supposes the changes of its "whatif"
// lines: kind and key.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if text := section(a, "graph"); text != "" {
				g := parse(t, text)
				for _, line := range strings.Split(strings.TrimSpace(section(a, "whatif")), "\n") {
					kind, key, _ := strings.Cut(line, " ")
					r, err := impact.WhatIf(g, key, kindNamed(kind), rules, impact.Options{})
					if err != nil {
						got += fmt.Sprintf("error %v\n", err)
						continue
					}
					got += fmt.Sprintf("# %s\n%s", line, describe(r))
				}
			} else {
				base, head := parse(t, section(a, "base")), parse(t, section(a, "head"))
				o := impact.Options{Edited: edited(t, section(a, "edited")), Inputs: inputs(section(a, "inputs"))}
				r := impact.Compute(rules.Compare(base, head), o)
				got = describe(r)
				check(t, r)
			}
			for i := range a.Files {
				f := &a.Files[i]
				if f.Name != "impact" {
					continue
				}
				if *update {
					f.Data = []byte(got)
					if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
						t.Fatal(err)
					}
				} else if string(f.Data) != got {
					t.Errorf("got:\n%s\nwant:\n%s", got, f.Data)
				}
				return
			}
			t.Fatal("no section impact")
		})
	}
}

func section(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func parse(t testing.TB, text string) *graph.Graph {
	t.Helper()
	g, err := difftest.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func kindNamed(name string) diff.Kind {
	for i, n := range diff.KindNames() {
		if n == name {
			return diff.Kind(i)
		}
	}
	return diff.Doc
}

func edited(t *testing.T, text string) map[string][]impact.Range {
	t.Helper()
	if text == "" {
		return nil
	}
	m := map[string][]impact.Range{}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		var path string
		var r impact.Range
		if _, err := fmt.Sscan(line, &path, &r.OldStart, &r.OldLen, &r.NewStart, &r.NewLen); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		m[path] = append(m[path], r)
	}
	return m
}

// describe writes a result for people who read test data.
func describe(r *impact.Result) string {
	var b strings.Builder
	for i := range r.Changes {
		c := &r.Changes[i]
		fmt.Fprintf(&b, "%v %s: %d must, %d should, %d may, %d broken\n", c.Kind, short(c.Symbol.Key),
			c.Totals.MustUpdate, c.Totals.ShouldReview, c.Totals.MayBeAffected, c.Totals.Broken)
		for _, x := range c.Impacted {
			fmt.Fprintf(&b, "  %v %v %s depth=%d %v", x.Severity, x.Relation, short(x.Symbol.Key), x.Depth, x.Certainty)
			for _, s := range x.Sites {
				fmt.Fprintf(&b, " %s:%d=%v", s.File, s.Line, s.State)
				if s.Note != impact.NoNote {
					fmt.Fprintf(&b, "(%v)", s.Note)
				}
			}
			b.WriteString("\n   ")
			for _, h := range x.Path {
				fmt.Fprintf(&b, " %s %v %s (%s:%d)", short(h.From.Key), h.Kind, short(h.To.Key), h.File, h.Line)
			}
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(&b, "total %d: %d must, %d should, %d may, %d ambiguous, %d broken at %d sites\n", r.Totals.Impacted, r.Totals.MustUpdate,
		r.Totals.ShouldReview, r.Totals.MayBeAffected, r.Totals.Ambiguous, r.Totals.Broken, r.Totals.BrokenSites)
	fmt.Fprintf(&b, "tests %v", r.Tests.Mode)
	for _, w := range r.Tests.Reasons {
		fmt.Fprintf(&b, " %v%v", w.Why, w.Paths)
	}
	b.WriteByte('\n')
	list := func(what string, xs []impact.Reached) {
		for _, x := range xs {
			fmt.Fprintf(&b, "  %s %s distance=%d", what, short(x.Symbol.Key), x.Distance)
			for _, v := range x.Via {
				fmt.Fprintf(&b, " <- %s", short(v.Key))
			}
			b.WriteByte('\n')
		}
	}
	list("test", r.Tests.Tests)
	list("entry", r.EntryPoints)
	for _, u := range r.Unknowns {
		fmt.Fprintf(&b, "unknown %v %s:%d\n", u.Reason, u.File, u.Line)
	}
	return b.String()
}

func short(key string) string {
	if i := strings.IndexByte(key, '#'); i >= 0 {
		return key[strings.LastIndexByte(key[:i], '/')+1:]
	}
	return key
}

// check holds a result against the rules that every result obeys.
func check(t *testing.T, r *impact.Result) {
	t.Helper()
	distinct := map[graph.ID]bool{}
	for i := range r.Changes {
		c := &r.Changes[i]
		for _, x := range c.Impacted {
			distinct[x.ID] = true
			if x.ID == c.Head {
				t.Errorf("%s is impacted by itself", x.Symbol.Key)
			}
			if len(x.Path) == 0 || x.Path[0].From.Key != x.Symbol.Key && r.Delta.Base.Lookup(x.Path[0].From.Key) == graph.None {
				t.Errorf("%s: no path from it", x.Symbol.Key)
			}
			if x.Certainty == graph.Ambiguous && x.Severity != impact.MayBeAffected {
				t.Errorf("%s: %v over an ambiguous hop", x.Symbol.Key, x.Severity)
			}
			for _, s := range x.Sites {
				if s.Line <= 0 || s.File == "" {
					t.Errorf("%s: site without a place", x.Symbol.Key)
				}
			}
		}
		if n := c.Totals.MustUpdate + c.Totals.ShouldReview + c.Totals.MayBeAffected; n != c.Totals.Impacted {
			t.Errorf("%s: severities add up to %d of %d", c.Symbol.Key, n, c.Totals.Impacted)
		}
	}
	if len(distinct) != r.Totals.Impacted {
		t.Errorf("total %d, %d distinct symbols listed", r.Totals.Impacted, len(distinct))
	}
}
