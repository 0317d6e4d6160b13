package impact_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/source/sourcetest"
	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/impact"
)

// TestSelect builds the graph of each tree in testdata/select and asks which
// tests a changed body selects. The section "want" has a line for each
// declaration that is asked about, "# " and its key without the language, and
// below it the answer.
func TestSelect(t *testing.T) {
	files, err := filepath.Glob("testdata/select/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == "want" })
			if at < 0 {
				t.Fatal("no section want")
			}
			g, err := analyzer.Build(context.Background(), sourcetest.Tree(slices.Delete(slices.Clone(a.Files), at, at+1)), analyzer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for line := range strings.Lines(string(a.Files[at].Data)) {
				if key, ok := strings.CutPrefix(strings.TrimSpace(line), "# "); ok {
					got += "# " + key + "\n" + selected(t, g, full(key))
				}
			}
			if got == "" {
				t.Fatal("nothing is asked")
			}
			if *update {
				a.Files[at].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if got != string(a.Files[at].Data) {
				t.Errorf("got:\n%s\nwant:\n%s", got, a.Files[at].Data)
			}
		})
	}
}

// full adds the language to a key that has none: Go.
func full(key string) string {
	if pkg, _ := graph.SplitKey(key); strings.Contains(pkg, ":") {
		return key
	}
	return "go:" + key
}

func selected(t *testing.T, g *graph.Graph, key string) string {
	t.Helper()
	r, err := impact.WhatIf(g, key, diff.Body, rules, impact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := fmt.Sprintf("%v of %d", r.Tests.Mode, r.Tests.Total)
	for _, w := range r.Tests.Reasons {
		out += fmt.Sprintf(" %v %v", w.Why, w.Paths)
	}
	lines := []string{}
	for _, x := range r.Tests.Tests {
		_, line, _ := strings.Cut(x.Symbol.Key, ":")
		for _, v := range x.Via {
			line += " <- " + short(v.Key)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return strings.Join(append([]string{out}, lines...), "\n") + "\n"
}
