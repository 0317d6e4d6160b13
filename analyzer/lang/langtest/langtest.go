// Package langtest holds the extractors of languages against what they promise
// for any bytes: facts that satisfy their invariants, the same ones every time,
// also after they were stored.
package langtest

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// Extractor is what is tested: a grammar, and what makes facts of its trees.
type Extractor struct {
	Grammar  *syntax.Language
	Extract  func(*syntax.Tree, *facts.Builder) *facts.File
	Examples string // the folder of examples
	Suffix   string // of the names of the language's files
}

// sources returns the language's files of the examples.
func (x *Extractor) sources(tb testing.TB) [][]byte {
	names, err := filepath.Glob(filepath.Join(x.Examples, "*.txtar"))
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
			if strings.HasSuffix(f.Name, x.Suffix) {
				list = append(list, f.Data)
			}
		}
	}
	return list
}

// check extracts src twice and reports broken promises.
func (x *Extractor) check(tb testing.TB, p *syntax.Parser, b *facts.Builder, src []byte) {
	t, err := p.Parse(x.Grammar, src)
	if err != nil {
		return
	}
	f := x.Extract(t, b)
	if err := f.Check(); err != nil {
		tb.Fatalf("%v\n%s", err, src)
	}
	one := facts.AppendBlock(nil, []*facts.Content{{Facts: f}})
	if two := facts.AppendBlock(nil, []*facts.Content{{Facts: x.Extract(t, b)}}); !slices.Equal(one, two) {
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

// Anything cuts the examples off and takes parts out of them: what does not parse
// must not break the facts.
func (x *Extractor) Anything(t *testing.T) {
	p := syntax.NewParser()
	defer p.Close()
	var b facts.Builder
	for _, src := range x.sources(t) {
		x.check(t, p, &b, src)
		step := max(len(src)/40, 1)
		for at := 0; at < len(src); at += step {
			x.check(t, p, &b, src[:at])
			x.check(t, p, &b, slices.Concat(src[:at], src[min(at+step, len(src)):]))
		}
	}
}

// Fuzz checks whatever the fuzzer makes of the examples.
func (x *Extractor) Fuzz(f *testing.F) {
	for _, src := range x.sources(f) {
		f.Add(src)
	}
	p := syntax.NewParser()
	var b facts.Builder
	f.Fuzz(func(t *testing.T, src []byte) { x.check(t, p, &b, src) })
}
