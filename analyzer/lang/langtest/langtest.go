// Package langtest holds the extractors of languages against what they promise
// for any bytes: facts that satisfy their invariants, the same ones every time,
// also after they were stored.
package langtest

import (
	"path"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/lang"
	"github.com/codekg/kg/analyzer/syntax"
)

// source is a file of an example.
type source struct {
	name string // the last part of its path
	data []byte
}

// sources returns a language's files of the examples, which are in the folder of
// its name.
func sources(tb testing.TB, l *lang.Language) []source {
	names, err := filepath.Glob("../../../testdata/" + l.Name + "/*.txtar")
	if err != nil || len(names) == 0 {
		tb.Fatalf("no examples: %v", err)
	}
	var list []source
	for _, n := range names {
		a, err := txtar.ParseFile(n)
		if err != nil {
			tb.Fatal(err)
		}
		for _, f := range a.Files {
			if slices.Contains(l.Extensions, path.Ext(f.Name)) {
				list = append(list, source{path.Base(f.Name), f.Data})
			}
		}
	}
	if len(list) == 0 {
		tb.Fatal("no examples")
	}
	return list
}

// check extracts src twice and reports broken promises.
func check(tb testing.TB, l *lang.Language, p *syntax.Parser, b *facts.Builder, name string, src []byte) {
	_, grammar := l.GrammarOf(name)
	t, err := p.Parse(grammar, src)
	if err != nil {
		return
	}
	f := l.Extract(t, b)
	if err := f.Check(); err != nil {
		tb.Fatalf("%v\n%s", err, src)
	}
	one := facts.AppendBlock(nil, []*facts.Content{{Facts: f}})
	if two := facts.AppendBlock(nil, []*facts.Content{{Facts: l.Extract(t, b)}}); !slices.Equal(one, two) {
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

// Anything cuts the examples of a language off and takes parts out of them: what
// does not parse must not break the facts.
func Anything(t *testing.T, l *lang.Language) {
	p := syntax.NewParser()
	defer p.Close()
	var b facts.Builder
	for _, s := range sources(t, l) {
		check(t, l, p, &b, s.name, s.data)
		step := max(len(s.data)/40, 1)
		for at := 0; at < len(s.data); at += step {
			check(t, l, p, &b, s.name, s.data[:at])
			check(t, l, p, &b, s.name, slices.Concat(s.data[:at], s.data[min(at+step, len(s.data)):]))
		}
	}
}

// Fuzz checks whatever the fuzzer makes of the examples.
func Fuzz(f *testing.F, l *lang.Language) {
	for _, s := range sources(f, l) {
		f.Add(s.name, s.data)
	}
	p := syntax.NewParser()
	var b facts.Builder
	f.Fuzz(func(t *testing.T, name string, src []byte) {
		if slices.Contains(l.Extensions, path.Ext(name)) {
			check(t, l, p, &b, name, src)
		}
	})
}
