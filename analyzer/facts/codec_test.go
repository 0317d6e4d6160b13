package facts_test

import (
	"bytes"
	"errors"
	"reflect"
	"sync"
	"testing"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// sample is a file with something in every table.
func sample() *facts.File {
	var b facts.Builder
	b.Reset()
	b.Package, b.Generated = b.InternString("p"), true
	b.Imports = append(b.Imports, facts.Import{Path: b.InternString("fmt"), Owner: facts.None, Line: 3, Col: 8})
	for i, name := range []string{"F", "G", ""} {
		d := b.AddDecl(graph.KindFunction, b.InternString(name), facts.None)
		b.Decls[d].Line, b.Decls[d].EndLine = int32(10*i+1), int32(10*i+5)
		if i == 1 {
			b.Decls[d].Body, b.Decls[d].MinHash = graph.Hash{1, 2, 3}, graph.MinHash{3: 9}
		}
		l := b.AddLocal(facts.Local{Name: b.InternString("x"), Decl: facts.None, Type: facts.None, Value: facts.None, Next: facts.None})
		b.Push()
		b.Bind(l)
		x := b.AddName(b.InternString("x"), 0, int32(10*i+2), 4)
		call := b.AddExpr(facts.Expr{Op: facts.OpCall, X: x, Y: facts.None, Args: b.AddList([]int32{int32(x)})})
		b.Pop()
		b.Flows = append(b.Flows, facts.Flow{Kind: facts.FlowBind, N: int32(l), To: facts.None, From: call})
		b.Params = append(b.Params, facts.Param{Name: b.InternString("x"), Type: x, Local: l})
		b.EndDecl(d)
	}
	b.Directives = append(b.Directives, facts.Directive{Name: b.InternString("embed"), Value: b.InternString("*.txt"), Owner: 1, Line: 9, Col: 3})
	b.Settings = append(b.Settings, facts.Setting{Name: b.InternString("module"), Value: b.InternString("m")})
	b.Unparsed = append(b.Unparsed, facts.Lines{From: 4, To: 5})
	f := b.Finish()
	f.Settings = []facts.Setting{{Name: 1, Value: 2}}
	return f
}

// noLimit is more memory than any sample takes.
const noLimit = 1 << 20

func contentOf(f *facts.File) *facts.Content {
	return &facts.Content{Facts: f, Unknowns: []graph.Unknown{{Reason: graph.ReasonSyntaxError, Line: 4, EndLine: 5, Detail: "x", Count: 1}}}
}

func TestCodec(t *testing.T) {
	empty := &facts.File{Strings: []string{""}, Lists: []int32{0}}
	zeros := &facts.File{Strings: []string{"", "\x00", "\x00\x00"}, Lists: []int32{0}}
	for _, fs := range [][]*facts.File{{sample()}, {empty}, {zeros}, {sample(), nil, empty, sample(), zeros}} {
		var cs []*facts.Content
		memory := int64(0)
		for _, f := range fs {
			cs = append(cs, contentOf(f))
			memory += contentOf(f).Memory()
		}
		b := facts.AppendBlock(nil, cs)
		got, err := facts.DecodeBlock(b, len(cs), memory)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if !reflect.DeepEqual(&got[i], cs[i]) {
				t.Errorf("read %+v\nof   %+v", got[i], cs[i])
			}
		}
		for i := range b {
			if _, err := facts.DecodeBlock(b[:i], len(cs), memory); !errors.Is(err, facts.ErrCorrupt) {
				t.Errorf("%d of %d bytes: %v", i, len(b), err)
			}
		}
		if _, err := facts.DecodeBlock(append(b, 0), len(cs), memory); !errors.Is(err, facts.ErrCorrupt) {
			t.Errorf("a byte more: %v", err)
		}
		if _, err := facts.DecodeBlock(b, len(cs)+1, memory); len(cs) > 1 && !errors.Is(err, facts.ErrCorrupt) {
			t.Errorf("a content more: %v", err)
		}
		if _, err := facts.DecodeBlock(b, len(cs), 10); !errors.Is(err, facts.ErrCorrupt) {
			t.Errorf("little memory: %v", err)
		}
	}
}

func TestArchive(t *testing.T) {
	a := facts.NewArchive()
	a.Add("b", "Y", []*facts.File{sample(), sample()})
	a.Add("b", "X", []*facts.File{sample()})
	a.Add("a", "", nil)
	b := a.Bytes("v1")
	a, err := facts.OpenArchive(b)
	if err != nil {
		t.Fatal(err)
	}
	g := a.Group("b")
	if a.Version() != "v1" || !reflect.DeepEqual(a.Names(), []string{"a", "b"}) || g.Len() != 2 {
		t.Fatalf("read %q %q %d", a.Version(), a.Names(), g.Len())
	}
	if g.Name(0) != "X" || g.Name(1) != "Y" || len(g.Part(0)) != 1 || len(g.Part(1)) != 2 || !reflect.DeepEqual(g.Part(1)[1], sample()) {
		t.Errorf("parts %q of %d, %q of %d", g.Name(0), len(g.Part(0)), g.Name(1), len(g.Part(1)))
	}
	if fs := g.Files(); len(fs) != 3 || fs[0] != g.Part(0)[0] {
		t.Errorf("%d files", len(fs))
	}
	if a.Group("a").Files() != nil || a.Group("c") != nil || a.Group("c").Files() != nil {
		t.Error("files of nothing")
	}
}

// FuzzDecode: whatever the bytes, what is read satisfies the invariants and is
// written again as the same contents.
func FuzzDecode(f *testing.F) {
	f.Add(facts.AppendBlock(nil, []*facts.Content{contentOf(sample())}), 1)
	f.Add(facts.AppendBlock(nil, []*facts.Content{contentOf(sample()), contentOf(nil), contentOf(sample())}), 3)
	f.Fuzz(func(t *testing.T, b []byte, n int) {
		got, err := facts.DecodeBlock(b, n, noLimit)
		if err != nil {
			return
		}
		var cs []*facts.Content
		for i := range got {
			cs = append(cs, &got[i])
		}
		again, err := facts.DecodeBlock(facts.AppendBlock(nil, cs), n, noLimit)
		if err != nil || !reflect.DeepEqual(got, again) {
			t.Errorf("%v: read %+v\nafter %+v", err, again, got)
		}
	})
}

// TestAppendBlockReadsOnly: facts are linked while they are stored. The race
// detector sees it if they are written.
func TestAppendBlockReadsOnly(t *testing.T) {
	cs := []*facts.Content{contentOf(sample())}
	var wg sync.WaitGroup
	blocks := make([][]byte, 2)
	for i := range blocks {
		wg.Go(func() { blocks[i] = facts.AppendBlock(nil, cs) })
	}
	wg.Wait()
	if !bytes.Equal(blocks[0], blocks[1]) {
		t.Error("two blocks of the same contents differ")
	}
}
