package analyzer_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/lang/golang"
	"github.com/codekg/kg/analyzer/link"
	"github.com/codekg/kg/analyzer/source/sourcetest"
	"github.com/codekg/kg/analyzer/syntax"

	"golang.org/x/tools/txtar"
)

// fuzzSources are files that name, embed, instantiate and shadow.
var fuzzSources = []string{
	"package p\n\ntype I interface{ M(); I }\ntype T[A any] struct{ *T[T[A]]; f A }\nfunc (t *T[A]) M() { t.M(); _ = t.f; var i I = t; i.M() }\n",
	"package p\n\nimport . \"fmt\"\nimport q \"example.com/m/q\"\n\nvar a, b = f()\nvar f = func() (int, string) { return g[int](1), Sprint(q.X) }\nfunc g[P ~int | string](p P) P { type L = P; x := L(p); return x }\n",
	"package p\n\nconst (\n\tA = iota\n\tB\n)\n\ntype E int\nfunc (E) String() string { switch x := any(E(1)).(type) { case E: return x.String() }; for i := range 3 { go func() { _ = i }() }; return \"\" }\n",
}

// FuzzLink links whatever is accepted as the facts of a file: facts may come
// from an artifact that somebody else has made.
func FuzzLink(f *testing.F) {
	p := syntax.NewParser()
	defer p.Close()
	var b facts.Builder
	for _, src := range fuzzSources {
		t, err := p.Parse(golang.Language.Grammar(), []byte(src))
		if err != nil {
			f.Fatal(err)
		}
		b.Reset()
		f.Add(facts.AppendBlock(nil, []*facts.Content{{Lang: golang.Language.Name, Facts: golang.Language.Extract(t, &b)}}))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		block, err := facts.DecodeBlock(data, 1, 64<<20)
		if err != nil || block[0].Facts == nil {
			return
		}
		file := block[0].Facts
		b, err := link.Link(context.Background(), link.Input{Workers: 1, Files: []link.File{{Path: "a.go", Facts: file, Rules: golang.Language.Rules}}})
		if err != nil {
			t.Fatal(err)
		}
		g := b.Build()
		roundTrip(t, func(b *bytes.Buffer) error { return artifact.Write(b, g) })
	})
}

// FuzzBuild builds the graph of any two files of one package.
func FuzzBuild(f *testing.F) {
	for i, src := range fuzzSources {
		f.Add([]byte(src), []byte(fuzzSources[(i+1)%len(fuzzSources)]))
	}
	f.Fuzz(func(t *testing.T, one, two []byte) {
		tree := sourcetest.Tree([]txtar.File{{Name: "go.mod", Data: []byte("module example.com/m\n")}, {Name: "p/a.go", Data: one}, {Name: "p/b_test.go", Data: two}, {Name: "q/q.go", Data: one}})
		g, err := analyzer.Build(context.Background(), tree, analyzer.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, func(b *bytes.Buffer) error { return artifact.Write(b, g) })
	})
}

// roundTrip checks that a graph file that was written is read as the same.
func roundTrip(t *testing.T, write func(*bytes.Buffer) error) {
	var b, again bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	g, err := artifact.Read(b.Bytes(), artifact.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := artifact.Write(&again, g); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Fatalf("not the same when read: %v", err)
	}
}
