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

// TestClassBodies checks that members, texts that document them and pass are no
// part of a class's own body, and other statements are.
func TestClassBodies(t *testing.T) {
	p := syntax.NewParser()
	defer p.Close()
	var b facts.Builder
	body := func(src string) [16]byte {
		tree, err := p.Parse(grammar(), []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		return Extract(tree, &b).Decls[0].Body
	}
	plain := body("class A(B):\n    def f(self): pass\n")
	for _, same := range []string{
		"class A(B):\n    \"\"\"Doc.\"\"\"\n    x = 1\n    \"\"\"What x is.\"\"\"\n    y: int\n    def f(self): pass\n",
		"class A(B):\n    pass\n",
	} {
		if body(same) != plain {
			t.Errorf("another body:\n%s", same)
		}
	}
	if body("class A(B):\n    register(A)\n    def f(self): pass\n") == plain {
		t.Error("a call is left out")
	}
}
