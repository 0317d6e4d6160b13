package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/codekg/kg/bench/gooracle"
	"github.com/codekg/kg/bench/record"
	"github.com/codekg/kg/bench/scoring"
)

// TestDifferences shows what a reader sees where kg and the compiler disagree.
func TestDifferences(t *testing.T) {
	o := &record.Oracle{
		Meta:  record.Meta{Tool: "a compiler", Closed: []string{record.Calls}},
		Files: []*record.File{{File: "a.go", Judged: true}},
	}
	g := &record.Graph{}
	for i, name := range []string{"A", "B", "C"} {
		o.Defs = append(o.Defs, &record.Def{ID: name, Kind: "function", Name: name, File: "a.go", DefLine: i + 1, Line: i + 1})
		g.Nodes = append(g.Nodes, &record.Node{ID: name, Kind: "function", Name: name, File: "a.go", Line: i + 1})
	}
	for line, name := range map[int]string{11: "B", 12: "C"} {
		o.Sites = append(o.Sites, &record.Site{Kind: record.Calls, From: "A", To: name, File: "a.go", Line: line, Col: 2, Name: name})
	}
	for line, from := range map[int]string{11: "A", 13: "C"} {
		g.Edges = append(g.Edges, &record.Edge{Kind: record.Calls, From: from, To: "B", File: "a.go", Line: line, Col: 2})
	}
	s := scoring.Compare(o, g, scoring.Options{Examples: -1})
	c := compared(&gooracle.Answer{Oracle: o}, s)
	c.name = "x\x1b[31m"
	var out bytes.Buffer
	if err := c.text(&out); err != nil {
		t.Fatal(err)
	}
	want := `graph of         x\x1b[31m
compiler         a compiler
judged           1 of 1 file, 2 places, 0 of them open

relations            agreed    only kg  only compiler  precision     recall
calls                     1          1              1     0.5000     0.5000

calls
  a.go:13:2: only kg: C -> B (no site there)
  a.go:12:2: only compiler: A -> C (nothing at the site)
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestManyDifferences: a terminal gets some, and is told of the rest.
func TestManyDifferences(t *testing.T) {
	c := &secondOpinion{}
	for i := range differencesShown + 3 {
		c.Differences = append(c.Differences, difference{Kind: "calls", Who: onlyKG, File: "a.go", Line: i + 1})
	}
	var out strings.Builder
	if err := c.text(&out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "only kg:"); n != differencesShown || !strings.Contains(out.String(), "\n3 more differences not shown; -o json=PATH has all\n") {
		t.Errorf("%d shown:\n%s", n, out.String())
	}
}

func TestExactly(t *testing.T) {
	for x, want := range map[float64]string{1: "1.0000", 0.99999: "0.9999", 0.98765: "0.9877", 0: "0.0000"} {
		if got := exactly(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}

func TestDeepNeedsGo(t *testing.T) {
	t.Setenv("PATH", "")
	var out, err bytes.Buffer
	if code := run(t.Context(), []string{"validate", "--deep", t.TempDir()}, &out, &err, noEnv); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(err.String(), "there is no go command\nkg: hint: install Go") || out.Len() > 0 {
		t.Errorf("said %q, %q", out.String(), err.String())
	}
}

// TestRejected: a check that fails is an error that says which.
func TestRejected(t *testing.T) {
	c := &checks{name: "x"}
	c.add("keys", true, "good", "bad")
	c.add("deterministic", false, "good", "different bytes")
	var out strings.Builder
	if err := c.text(&out); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "graph of         x\nkeys             ok: good\ndeterministic    FAILED: different bytes\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
