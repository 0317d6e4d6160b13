package python

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// sources returns the Python files of the examples.
func sources(tb testing.TB) [][]byte {
	names, err := filepath.Glob("../../../testdata/python/*.txtar")
	if err != nil || len(names) == 0 {
		tb.Fatalf("no examples: %v", err)
	}
	var list [][]byte
	for _, n := range names {
		a, err := txtar.ParseFile(n)
		if err != nil {
			tb.Fatal(err)
		}
		for _, f := range a.Files {
			if strings.HasSuffix(f.Name, ".py") {
				list = append(list, f.Data)
			}
		}
	}
	return list
}

// check extracts src twice and reports broken invariants.
func check(tb testing.TB, p *syntax.Parser, b *facts.Builder, src []byte) {
	t, err := p.Parse(grammar(), src)
	if err != nil {
		return
	}
	f := Extract(t, b)
	if err := f.Check(); err != nil {
		tb.Fatalf("%v\n%s", err, src)
	}
	one := facts.AppendBlock(nil, []*facts.Content{{Facts: f}})
	if two := facts.AppendBlock(nil, []*facts.Content{{Facts: Extract(t, b)}}); !slices.Equal(one, two) {
		tb.Fatalf("two answers for\n%s", src)
	}
	gs, err := facts.DecodeBlock(one, 1, 1<<30)
	if err != nil {
		tb.Fatal(err)
	}
	if !slices.Equal(facts.AppendBlock(nil, []*facts.Content{&gs[0]}), one) {
		tb.Fatalf("facts change when they are stored\n%s", src)
	}
}

// TestExtractAnything cuts the examples off and takes parts out of them: what
// does not parse must not break the facts.
func TestExtractAnything(t *testing.T) {
	p := syntax.NewParser()
	defer p.Close()
	var b facts.Builder
	for _, src := range sources(t) {
		check(t, p, &b, src)
		step := max(len(src)/40, 1)
		for at := 0; at < len(src); at += step {
			check(t, p, &b, src[:at])
			check(t, p, &b, slices.Concat(src[:at], src[min(at+step, len(src)):]))
		}
	}
}

func FuzzExtract(f *testing.F) {
	for _, src := range sources(f) {
		f.Add(src)
	}
	p := syntax.NewParser()
	var b facts.Builder
	f.Fuzz(func(t *testing.T, src []byte) { check(t, p, &b, src) })
}
