package facts_test

import (
	"errors"
	"reflect"
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
			b.Decls[d].Body, b.Decls[d].MinHash = graph.Hash{1, 2, 3}, graph.MinHash{7: 9}
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

func TestCodec(t *testing.T) {
	empty := &facts.File{Strings: []string{""}, Lists: []int32{0}}
	for _, f := range []*facts.File{sample(), empty} {
		b := facts.Append(nil, f)
		g, err := facts.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(f, g) {
			t.Errorf("read %+v\nof   %+v", g, f)
		}
		for i := range b {
			if _, err := facts.Decode(b[:i]); !errors.Is(err, facts.ErrCorrupt) {
				t.Errorf("%d of %d bytes: %v", i, len(b), err)
			}
		}
		if _, err := facts.Decode(append(b, 0)); !errors.Is(err, facts.ErrCorrupt) {
			t.Errorf("a byte more: %v", err)
		}
	}
}

func TestArchive(t *testing.T) {
	a := facts.NewArchive()
	a.Add("b", []*facts.File{sample(), sample()})
	a.Add("a", nil)
	b := a.Bytes("v1")
	a, err := facts.OpenArchive(b)
	if err != nil {
		t.Fatal(err)
	}
	if fs := a.Files("b"); a.Version() != "v1" || !reflect.DeepEqual(a.Names(), []string{"a", "b"}) || len(fs) != 2 || !reflect.DeepEqual(fs[1], sample()) {
		t.Errorf("read %q %q %d", a.Version(), a.Names(), len(fs))
	}
	if a.Files("a") != nil || a.Files("c") != nil {
		t.Error("files of nothing")
	}
}

// FuzzDecode: whatever the bytes, what is read satisfies the invariants and is
// written again as the same file.
func FuzzDecode(f *testing.F) {
	f.Add(facts.Append(nil, sample()))
	f.Fuzz(func(t *testing.T, b []byte) {
		g, err := facts.Decode(b)
		if err != nil {
			return
		}
		again, err := facts.Decode(facts.Append(nil, g))
		if err != nil || !reflect.DeepEqual(g, again) {
			t.Errorf("%v: read %+v\nafter %+v", err, again, g)
		}
	})
}
