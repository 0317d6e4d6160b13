package facts_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// module is a file of a library: from a import b; x: b = f(b); class C(b): T; def m(self: T): b; and f.
func module() *facts.File {
	var b facts.Builder
	b.Reset()
	s := b.InternString
	name := func(n string) facts.ExprID { return b.AddName(s(n), 0, 0, 0) }
	b.Package = s("p.q")
	b.InternString("said by nobody")
	b.Imports = []facts.Import{{Path: s("a"), Name: s("b"), Owner: facts.None}, {Path: s("c.d"), Owner: facts.None}, {Path: s("e"), Name: s("*"), Owner: facts.None}}

	x := b.AddDecl(graph.KindVariable, s("x"), facts.None)
	b.Decls[x].Type = name("b")
	b.Decls[x].Value = b.AddExpr(facts.Expr{Op: facts.OpCall, X: name("f"), Y: facts.None, Args: b.AddList([]int32{int32(b.Decls[x].Type)})})
	b.EndDecl(x)

	c := b.AddDecl(graph.KindClass, s("C"), facts.None)
	b.Push()
	t := b.AddLocal(facts.Local{Name: s("T"), Kind: facts.LocalTypeParam, Decl: c, Type: facts.None, Value: facts.None, Next: facts.None})
	b.Bind(t)
	b.Decls[c].Bases = b.AddSpan([]int32{int32(name("b"))})
	b.Decls[c].TypeParams = b.AddParams([]facts.Param{{Name: s("T"), Type: facts.None, Local: t}})
	m := b.AddDecl(graph.KindMethod, s("m"), c)
	self := b.AddLocal(facts.Local{Name: s("self"), Decl: facts.None, Type: name("T"), Value: facts.None, Next: facts.None})
	b.Decls[m].Params = b.AddParams([]facts.Param{{Name: s("self"), Type: b.Locals[self].Type, Local: self}})
	b.Decls[m].Results = b.AddParams([]facts.Param{{Type: name("b"), Local: facts.None}})
	b.Decls[m].Vis, b.Decls[m].Shape = graph.Public, s("(T)")
	b.EndDecl(m)
	b.Decls[c].Marks = b.AddSpan([]int32{int32(b.AddExpr(facts.Expr{Op: facts.OpMark, X: name("T"), Y: facts.None}))})
	b.Pop()
	b.EndDecl(c)

	b.EndDecl(b.AddDecl(graph.KindFunction, s("f"), facts.None))
	b.Directives = append(b.Directives, facts.Directive{Name: s("exports"), Value: s("x"), Owner: x})
	return b.Finish()
}

func dump(f *facts.File) string {
	var b strings.Builder
	if err := facts.Dump(&b, f); err != nil {
		return err.Error()
	}
	return b.String()
}

func library(t *testing.T, fs map[string]*facts.File) *facts.Archive {
	a := facts.NewArchive()
	for name, f := range fs {
		a.Add(name, "", []*facts.File{f})
	}
	b, err := a.Rows("v1")
	if err != nil {
		t.Fatal(err)
	}
	if a, err = facts.OpenLibrary(string(b)); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestRows(t *testing.T) {
	empty := &facts.File{Strings: []string{""}, Lists: []int32{0}}
	a := library(t, map[string]*facts.File{"p.q": module(), "p": empty})
	if a.Version() != "v1" || !reflect.DeepEqual(a.Names(), []string{"p", "p.q"}) || a.Group("q") != nil || a.Group("") != nil || a.Group("x") != nil {
		t.Fatalf("read %q %q", a.Version(), a.Names())
	}
	if a.Find("said by nobody") != 0 || a.Name(a.Find("self")) != "self" {
		t.Error("strings that are used, and no others, are stored")
	}
	g := a.Group("p.q")
	if g.Len() != 1 || g.Name(0) != "" || g != a.Group("p.q") || !slices.Equal(g.Part(0), g.Files()) || len(a.Group("p").Files()[0].Decls) != 0 {
		t.Fatal("a group in rows is one part with one file")
	}
	if got, want := dump(g.Files()[0]), dump(module()); got != want {
		t.Errorf("read\n%s\nof\n%s", got, want)
	}
	o := g.Outline(0)
	var names []string
	for i := range o.Decls {
		text := a.Name(o.Decls[i].Name) + ":"
		for id := range o.Mentions(facts.DeclID(i)) {
			text += " " + a.Name(id)
		}
		if o.Decls[i].Runs {
			text += " runs"
		}
		names = append(names, text)
	}
	if want := []string{"x: b f runs", "C: T b runs", "m: T b", "f:"}; !slices.Equal(names, want) {
		t.Errorf("outline %q, not %q", names, want)
	}
	for i, want := range [][]string{{"b"}, {"c", "d"}, nil} {
		var asks []string
		for _, id := range o.Imports[i].Asks {
			asks = append(asks, a.Name(id))
		}
		if !slices.Equal(asks, want) {
			t.Errorf("import %d asks for %q, not %q", i, asks, want)
		}
	}
}

// TestRowsParts: a group in rows has parts, in the order in which they were added, found by their names.
func TestRowsParts(t *testing.T) {
	a := facts.NewArchive()
	for _, name := range []string{"said", "C", "a"} {
		f := module()
		f.Package = f.Imports[0].Path
		a.Add("p", name, []*facts.File{f})
	}
	a.Add("p.q", "", []*facts.File{module()})
	b, err := a.Rows("")
	if err != nil {
		t.Fatal(err)
	}
	if a, err = facts.OpenLibrary(string(b)); err != nil {
		t.Fatal(err)
	}
	g := a.Group("p")
	if want := []string{"p", "p.q"}; !slices.Equal(a.Names(), want) || g.Len() != 3 || g.Library() != a || a.Group("p.q").Len() != 1 {
		t.Fatalf("groups %q, not %q; %d parts", a.Names(), want, g.Len())
	}
	for i, want := range []string{"said", "C", "a"} {
		if g.Name(i) != want || a.Name(g.NameID(i)) != want || !g.Has(want) || !slices.Equal(g.Named(want), g.Part(i)) {
			t.Errorf("part %d is %q, not %q", i, g.Name(i), want)
		}
	}
	if g.Has("b") || g.Named("x") != nil || (*facts.Group)(nil).Library() != nil || (*facts.Group)(nil).Has("") {
		t.Error("there is no such part")
	}
}

// TestRowsRead reads some of the declarations of a file.
func TestRowsRead(t *testing.T) {
	o := library(t, map[string]*facts.File{"p.q": module()}).Group("p.q").Outline(0)
	r := o.Archive().NewReader()
	class := r.Read(o, []bool{false, true, false, true})
	method := r.Read(o, []bool{false, true, true, false})
	r.Finish()
	for _, f := range []*facts.File{class, method} {
		if err := f.Check(); err != nil {
			t.Error(err)
		}
	}
	if f := class; len(f.Decls) != 2 || f.Str(f.Decls[1].Name) != "f" || len(f.Locals) != 1 || len(f.Exprs) != 3 || f.Directives[0].Owner != facts.None {
		t.Errorf("read\n%s", dump(f))
	}
	f := method
	m := &f.Decls[1]
	p := f.Params[m.Params.Lo]
	if len(f.Decls) != 2 || f.Str(m.Name) != "m" || m.Parent != 0 || f.Decls[0].Exprs.Hi != int32(len(f.Exprs)) || f.Locals[p.Local].Type != p.Type || f.Exprs[p.Type].X != 0 {
		t.Errorf("read\n%s", dump(f))
	}
}

// TestRowsLiterals: a literal names what it declares, which comes after it, and a type
// names itself from inside.
func TestRowsLiterals(t *testing.T) {
	var b facts.Builder
	b.Reset()
	s := b.InternString
	typ := func(d facts.DeclID) facts.ExprID {
		return b.AddExpr(facts.Expr{Op: facts.OpType, X: facts.ExprID(d), Y: facts.None})
	}
	b.EndDecl(b.AddDecl(graph.KindVariable, s("before"), facts.None))
	c := b.AddDecl(graph.KindInterface, s("C"), facts.None)
	m := b.AddDecl(graph.KindMethod, s("m"), c)
	b.Decls[m].Params = b.AddParams([]facts.Param{{Name: s("f"), Type: b.AddExpr(facts.Expr{Op: facts.OpFunc, X: facts.ExprID(m + 1), Y: facts.None}), Local: facts.None}})
	b.Decls[m].Results = b.AddParams([]facts.Param{{Type: typ(c), Local: facts.None}})
	f := b.AddDecl(graph.KindFunction, 0, m)
	b.Decls[f].Results = b.AddParams([]facts.Param{{Type: typ(f + 1), Local: facts.None}})
	b.EndDecl(b.AddDecl(graph.KindInterface, 0, f))
	b.EndDecl(f)
	b.EndDecl(m)
	b.EndDecl(c)
	file := b.Finish()
	if err := file.Check(); err != nil {
		t.Fatal(err)
	}
	o := library(t, map[string]*facts.File{"p": file}).Group("p").Outline(0)
	r := o.Archive().NewReader()
	all := r.Read(o, nil)
	some := r.Read(o, []bool{false, true, true, true, true})
	none := r.Read(o, []bool{false, true, true, false, false})
	r.Finish()
	if got, want := dump(all), dump(file); got != want {
		t.Errorf("read\n%s\nof\n%s", got, want)
	}
	for _, literal := range []string{"func#2", "type#0", "type#3"} {
		if got := dump(some); !strings.Contains(got, literal) {
			t.Errorf("no %s in\n%s", literal, got)
		}
	}
	for _, f := range []*facts.File{all, some, none} {
		if err := f.Check(); err != nil {
			t.Errorf("%v\n%s", err, dump(f))
		}
	}

	file.Exprs[0].X = 0
	a := facts.NewArchive()
	a.Add("p", "", []*facts.File{file})
	if _, err := a.Rows(""); err == nil {
		t.Error("a literal of another declaration is stored")
	}
}

// TestRowsRefused: what rows cannot hold is no library.
func TestRowsRefused(t *testing.T) {
	for name, change := range map[string]func(*facts.File){
		"a flow":                  func(f *facts.File) { f.Flows = []facts.Flow{{}} },
		"a place":                 func(f *facts.File) { f.Decls[0].Line = 1 },
		"the type of another":     func(f *facts.File) { f.Decls[3].Type = 0 },
		"ranges that overlap":     func(f *facts.File) { f.Decls[0].Exprs.Hi++ },
		"an operand that is late": func(f *facts.File) { f.Exprs[0].X = 1 },
	} {
		f := module()
		change(f)
		a := facts.NewArchive()
		a.Add("p.q", "", []*facts.File{f})
		if _, err := a.Rows(""); err == nil {
			t.Errorf("%s is stored", name)
		}
	}
}

func TestAppendWords(t *testing.T) {
	for _, text := range []string{"", " \n", "a", " a b\t\nc ", "é\u00a0x\u2003\xffy", "\v\f\r.", strings.Repeat("ab  ", 99)} {
		if got, want := string(facts.AppendWords([]byte("x"), []byte(text))), "x"+strings.Join(strings.Fields(text), " "); got != want {
			t.Errorf("words of %q: %q, not %q", text, got, want)
		}
	}
}
