package report_test

import (
	"bytes"
	stdjson "encoding/json"
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
	"github.com/codekg/kg/report"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "rewrite the expected sections of testdata")

// TestGolden reports on "base" and "head" of each file in testdata, in the
// formats that the file has a section for: impact.text, impact.md, impact.json
// (with line breaks added), diff.text and diff.json.
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
			r, d := reports(t, parse(t, a, "base"), parse(t, a, "head"))
			forms, changed := 0, false
			for i := range a.Files {
				f := &a.Files[i]
				kind, name, ok := strings.Cut(f.Name, ".")
				if !ok {
					continue
				}
				forms++
				got := write(t, kind, name, r, d, report.Options{})
				if name == "json" {
					validate(t, kind, got)
					var b bytes.Buffer
					if err := stdjson.Indent(&b, got, "", " "); err != nil {
						t.Fatal(err)
					}
					got = b.Bytes()
				}
				if *update {
					changed = changed || !bytes.Equal(f.Data, got)
					f.Data = got
				} else if !bytes.Equal(f.Data, got) {
					t.Errorf("%s: got:\n%s\nwant:\n%s", f.Name, got, f.Data)
				}
			}
			if forms == 0 {
				t.Fatal("no expected section")
			}
			if changed {
				if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			// Every report obeys its schema, whatever the file expects, and
			// says the same twice.
			for _, kind := range []string{"impact", "diff"} {
				one := write(t, kind, "json", r, d, report.Options{})
				validate(t, kind, one)
				if !bytes.Equal(one, write(t, kind, "json", r, d, report.Options{})) {
					t.Errorf("%s: two reports differ", kind)
				}
				same(t, kind, one, r, d)
				for _, o := range []report.Options{{}, {Color: true}, {Limit: -1}, {Limit: 1}} {
					harmless(t, write(t, kind, "text", r, d, o), o.Color)
				}
			}
		})
	}
}

func parse(t testing.TB, a *txtar.Archive, name string) *graph.Graph {
	t.Helper()
	for _, f := range a.Files {
		if f.Name == name {
			g, err := difftest.Parse(string(f.Data))
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
	}
	t.Fatalf("no section %s", name)
	return nil
}

func reports(t testing.TB, base, head *graph.Graph) (*report.Report, *report.DeltaReport) {
	t.Helper()
	d := diff.Compare(base, head)
	tool := report.Tool{Name: "kg", Version: "0.1.0"}
	b := report.Revision{Rev: "main", Commit: "0123456789abcdef0123456789abcdef01234567", Source: "revision"}
	h := report.Revision{Rev: "work tree", Source: "worktree"}
	return report.New(impact.Compute(d, impact.Options{}), tool, b, h), report.NewDelta(d, tool, b, h)
}

func write(t testing.TB, kind, name string, r *report.Report, d *report.DeltaReport, o report.Options) []byte {
	t.Helper()
	f, err := report.FormatNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if kind == "diff" {
		err = f.Delta(&b, d, o)
	} else {
		err = f.Impact(&b, r, o)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func schemaOf(kind string) string {
	if kind == "diff" {
		return report.DiffSchema()
	}
	return report.ImpactSchema()
}

func validate(t testing.TB, kind string, text []byte) {
	t.Helper()
	s, err := jsonschema.UnmarshalJSON(strings.NewReader(schemaOf(kind)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("kg.json", s); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("kg.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(v); err != nil {
		t.Errorf("%s: %v", kind, err)
	}
}

// same checks that the JSON text holds what the standard library reads and
// writes.
func same(t *testing.T, kind string, text []byte, r *report.Report, d *report.DeltaReport) {
	t.Helper()
	var v any = r
	if kind == "diff" {
		v = d
	}
	want, err := stdjson.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var x, y any
	if err := stdjson.Unmarshal(text, &x); err != nil {
		t.Fatal(err)
	}
	if err := stdjson.Unmarshal(want, &y); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(x) != fmt.Sprint(y) {
		t.Errorf("%s: the standard library writes another report", kind)
	}
}

// TestSupposed reports on changes that were not made.
func TestSupposed(t *testing.T) {
	a, err := txtar.ParseFile("testdata/behaviour.txtar")
	if err != nil {
		t.Fatal(err)
	}
	g := parse(t, a, "base")
	for _, c := range []struct {
		kind      diff.Kind
		key, want string
	}{
		{diff.Removed, "Discount", "If Discount is removed, 1 user breaks; 1 test reaches it."},
		{diff.Signature, "Discount", "If Discount gets another signature, 1 user may have to follow, 2 users should be reviewed; 1 test reaches it."},
		{diff.Body, "Max", "If Max behaves differently, 1 user should be reviewed; 0 tests reach it."},
		{diff.Removed, "Store", "If Store is removed, 1 user breaks; 1 test reaches it."},
		{diff.Body, "Store", "If Store behaves differently, nobody is concerned."},
	} {
		r, err := impact.WhatIf(g, "go:example.com/shop/cart#"+c.key, c.kind, diff.Options{}, impact.Options{})
		if err != nil {
			t.Fatal(err)
		}
		out := report.New(r, report.Tool{}, report.Revision{Source: "graph"}, report.Revision{Source: "graph"})
		validate(t, "impact", write(t, "impact", "json", out, nil, report.Options{}))
		harmless(t, write(t, "impact", "text", out, nil, report.Options{}), false)
		if got := out.Verdict(); got != c.want {
			t.Errorf("%v %s: %s", c.kind, c.key, got)
		}
	}
}

// TestSchemaEnums checks that the schemas name exactly the words that the
// program can write.
func TestSchemaEnums(t *testing.T) {
	names := func(n int, name func(int) string) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = name(i)
		}
		return out
	}
	words := map[string][]string{
		"change":      diff.KindNames(),
		"code":        diff.CodeNames(),
		"relation":    impact.RelationNames(),
		"severity":    impact.SeverityNames(),
		"state":       impact.StateNames(),
		"test_mode":   impact.ModeNames(),
		"test_reason": impact.WhyNames(),
		"kind":        names(graph.KindCount, func(i int) string { return graph.Kind(i).String() }),
		"edge_kind":   names(graph.EdgeKindCount, func(i int) string { return graph.EdgeKind(i).String() }),
		"certainty":   names(graph.CertaintyCount, func(i int) string { return graph.Certainty(i).String() }),
		"unknown_reason": append(names(graph.ReasonCount, func(i int) string { return graph.Reason(i).String() }),
			report.SkippedLanguage),
	}
	for _, kind := range []string{"impact", "diff"} {
		var s struct {
			Defs map[string]struct {
				Enum []string `json:"enum"`
			} `json:"$defs"`
		}
		if err := stdjson.Unmarshal([]byte(schemaOf(kind)), &s); err != nil {
			t.Fatal(err)
		}
		for name, want := range words {
			def, ok := s.Defs[name]
			if !ok && kind == "diff" {
				continue
			}
			if fmt.Sprint(def.Enum) != fmt.Sprint(want) {
				t.Errorf("%s: %s is %v, the program says %v", kind, name, def.Enum, want)
			}
		}
	}
}
