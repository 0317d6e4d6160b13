package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"go/build"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	sitter "github.com/tree-sitter/go-tree-sitter"
	tree_sitter_go "github.com/tree-sitter/tree-sitter-go/bindings/go"
)

var golang = MustLanguage("go", tree_sitter_go.Language())

// goFiles returns files of the standard library.
func goFiles(t testing.TB, dirs ...string) (out [][]byte) {
	t.Helper()
	for _, d := range dirs {
		files, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", d, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, b)
		}
	}
	if len(out) == 0 {
		t.Skip("no standard library sources here")
	}
	return out
}

func parse(t testing.TB, src string) *Tree {
	t.Helper()
	p := NewParser()
	tree, err := p.Parse(golang, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	tree = tree.Clone()
	p.Close()
	return tree
}

// checkBinding compares the flat tree with a walk over the runtime's own tree,
// made and read through the Go binding.
func checkBinding(t *testing.T, bp *sitter.Parser, tree *Tree) {
	t.Helper()
	theirs := bp.Parse(tree.Src, nil)
	defer theirs.Close()
	c := theirs.Walk()
	defer c.Close()
	parent := None
	i := ID(0)
	for {
		if int(i) >= len(tree.Nodes) {
			t.Fatalf("more than %d nodes in the runtime's tree", len(tree.Nodes))
		}
		n, w := &tree.Nodes[i], c.Node()
		var flags Flags
		for _, f := range []struct {
			on  bool
			bit Flags
		}{{w.IsNamed(), Named}, {w.IsMissing(), Missing}, {w.IsExtra(), Extra}, {w.IsError(), Error}, {w.HasError(), HasError}} {
			if f.on {
				flags |= f.bit
			}
		}
		want := Node{Kind(w.KindId()), Field(c.FieldId()), flags, uint32(w.StartByte()), uint32(w.EndByte()), uint32(w.StartPosition().Row), n.Next, parent}
		if *n != want {
			t.Fatalf("node %d is %+v, want %+v", i, *n, want)
		}
		if name := tree.Lang.KindName(n.Kind); name != w.Kind() {
			t.Fatalf("node %d is named %q, want %q", i, name, w.Kind())
		}
		if name := tree.Lang.FieldName(n.Field); name != c.FieldName() {
			t.Fatalf("node %d has field %q, want %q", i, name, c.FieldName())
		}
		if col := tree.Col(i); col != int(w.StartPosition().Column)+1 {
			t.Fatalf("node %d has column %d, want %d", i, col, w.StartPosition().Column+1)
		}
		if k := w.KindId(); w.IsNamed() && !w.IsError() && tree.Lang.Kind(w.Kind()) != Kind(k) {
			t.Fatalf("Kind(%q) is %d, want %d", w.Kind(), tree.Lang.Kind(w.Kind()), k)
		} else if !w.IsNamed() && tree.Lang.Token(w.Kind()) != Kind(k) {
			t.Fatalf("Token(%q) is %d, want %d", w.Kind(), tree.Lang.Token(w.Kind()), k)
		}
		i++
		if c.GotoFirstChild() {
			parent = i - 1
			continue
		}
		if n.Next != i {
			t.Fatalf("leaf %d has next %d", i-1, n.Next)
		}
		for !c.GotoNextSibling() {
			if !c.GotoParent() {
				if int(i) != len(tree.Nodes) {
					t.Fatalf("%d nodes, want %d", len(tree.Nodes), i)
				}
				return
			}
			if tree.Nodes[parent].Next != i {
				t.Fatalf("node %d has next %d, want %d", parent, tree.Nodes[parent].Next, i)
			}
			parent = tree.Nodes[parent].Parent
		}
	}
}

func bindingParser(t testing.TB) *sitter.Parser {
	t.Helper()
	bp := sitter.NewParser()
	if err := bp.SetLanguage(sitter.NewLanguage(unsafe.Pointer(golang.grammar))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bp.Close)
	return bp
}

// checkShape verifies what every tree promises.
func checkShape(t testing.TB, tree *Tree) {
	t.Helper()
	nodes := tree.Nodes
	if len(nodes) == 0 || nodes[0].Parent != None || int(nodes[0].Next) != len(nodes) {
		t.Fatalf("bad root in %d nodes", len(nodes))
	}
	for i := range nodes {
		n := &nodes[i]
		if n.Next <= ID(i) || int(n.Next) > len(nodes) || n.Start > n.End || int(n.End) > len(tree.Src) {
			t.Fatalf("node %d: %+v", i, *n)
		}
		if lines := tree.lineStarts(); int(n.Row) >= len(lines) || lines[n.Row] > n.Start ||
			int(n.Row)+1 < len(lines) && lines[n.Row+1] <= n.Start {
			t.Fatalf("node %d: row %d does not hold offset %d", i, n.Row, n.Start)
		}
		if n.Kind != KindError && int(n.Kind) >= len(tree.Lang.kinds) {
			t.Fatalf("node %d: kind %d", i, n.Kind)
		}
		if i == 0 {
			continue
		}
		if n.Parent < 0 || n.Parent >= ID(i) {
			t.Fatalf("node %d: parent %d", i, n.Parent)
		}
		p := &nodes[n.Parent]
		if n.Next > p.Next || n.Start < p.Start || n.End > p.End {
			t.Fatalf("node %d %+v is not inside its parent %+v", i, *n, *p)
		}
		if s := tree.NextSibling(ID(i)); s != None && (nodes[s].Parent != n.Parent || nodes[s].Start < n.End) {
			t.Fatalf("node %d %+v: next sibling %+v", i, *n, nodes[s])
		}
	}
}

func TestAgainstBinding(t *testing.T) {
	bp := bindingParser(t)
	p := NewParser()
	defer p.Close()
	files := goFiles(t, "go/ast", "net/netip", "reflect", "errors")
	if !testing.Short() {
		files = append(files, goFiles(t, "go/types", "cmd/compile/internal/ssagen")...)
	}
	files = append(files, []byte(""), []byte("\n"), []byte("package p\nfunc f( { x := [1] }\n}}"), []byte("x y z"),
		[]byte("\ufeffpackage p // bom\n"), []byte("package p\r\n\r\nvar x = `a\r\nb`\r\n"))
	for _, src := range files {
		tree, err := p.Parse(golang, src)
		if err != nil {
			t.Fatal(err)
		}
		checkShape(t, tree)
		checkBinding(t, bp, tree)
	}
}

func TestLimits(t *testing.T) {
	limits := DefaultLimits()
	limits.Line, limits.Nodes, limits.Depth = 5000, 100_000, 100
	p := NewParser()
	defer p.Close()
	p.Limits = limits
	seen := map[string]bool{}
	for _, c := range []struct {
		name string
		src  string
		want Reason
	}{
		{"bytes", strings.Repeat("x", 1<<20+1), TooLarge},
		{"line", "package p\n//" + strings.Repeat("x", 4999) + "\n", LineTooLong},
		{"last line", "package p\n//" + strings.Repeat("x", 4999), LineTooLong},
		{"no line", "package p\n//" + strings.Repeat("x", 4998), 0},
		{"depth", "package p\nvar x = " + strings.Repeat("(", 200) + "1" + strings.Repeat(")", 200), DepthLimit},
		{"no depth", "package p\nvar x = " + strings.Repeat("(", 90) + "1" + strings.Repeat(")", 90), 0},
		{"nodes", "package p\n" + strings.Repeat("var x = 1\n", 20_000), NodeLimit},
	} {
		_, err := p.Parse(golang, []byte(c.src))
		var le *LimitError
		if c.want == 0 {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		} else if !errors.As(err, &le) || le.Reason != c.want || le.Got <= le.Limit {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	for _, r := range Reasons() {
		if s := r.String(); seen[s] || strings.HasPrefix(s, "Reason(") {
			t.Errorf("reason %d is named %s", r, s)
		} else {
			seen[s] = true
		}
	}
}

func TestDump(t *testing.T) {
	tree := parse(t, "package p\n\nfunc f() { g(1, }\n")
	for _, c := range []struct {
		root ID
		want string
	}{
		{0, `(source_file 1:1-4:1
  (package_clause 1:1-1:10
    "package" 1:1-1:8
    (package_identifier 1:9-1:10 "p"))
  (function_declaration 3:1-3:18
    "func" 3:1-3:5
    name: (identifier 3:6-3:7 "f")
    parameters: (parameter_list 3:7-3:9
      "(" 3:7-3:8
      ")" 3:8-3:9)
    body: (block 3:10-3:18
      "{" 3:10-3:11
      (statement_list 3:12-3:16
        (expression_statement 3:12-3:16
          (call_expression 3:12-3:16
            function: (identifier 3:12-3:13 "g")
            arguments: (argument_list 3:13-3:16
              "(" 3:13-3:14
              (int_literal 3:14-3:15 "1")
              "," 3:15-3:16
              ")" MISSING 3:16-3:16))))
      "}" 3:17-3:18)))
`},
		{2, "\"package\" 1:1-1:8\n"},
		{1, `(package_clause 1:1-1:10
  "package" 1:1-1:8
  (package_identifier 1:9-1:10 "p"))
`},
	} {
		var b bytes.Buffer
		if err := Dump(&b, tree, c.root); err != nil {
			t.Fatal(err)
		}
		if b.String() != c.want {
			t.Errorf("got\n%swant\n%s", &b, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		src  string
		want []string
	}{
		{"func f() { g(1, }\n\nfunc ok() {}\n", []string{`2-2 true ""`}},
		{"func ok() {}\n\n%%%\n$\n\nfunc ok() {}\n", []string{`4-5 false "%%%\n$"`}},
		{"func f() { x := a $$ b }\nfunc ok() {}\nvar x = )", []string{`2-2 false "$$ b"`, `4-4 false "var x = )"`}},
	} {
		tree := parse(t, "package p\n"+c.src)
		var got []string
		for _, r := range tree.Errors() {
			got = append(got, fmt.Sprintf("%d-%d %v %q", r.Line, r.EndLine, r.Missing, tree.Src[r.Start:r.End]))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.src, got, c.want)
		}
	}
	if e := parse(t, "package p\n").Errors(); e != nil {
		t.Errorf("errors %v in a good file", e)
	}
}

func TestNavigation(t *testing.T) {
	tree := parse(t, "package p\n\n// F adds.\nfunc F(a, b int) int {\n\treturn a + b // é\n}\n")
	fn := tree.ChildOfKind(0, golang.Kind("function_declaration"))
	if fn == None || tree.Line(fn) != 4 || tree.Col(fn) != 1 || tree.EndLine(fn) != 6 {
		t.Fatal(fn)
	}
	name := tree.ChildByField(fn, golang.Field("name"))
	if tree.String(name) != "F" || tree.Col(name) != 6 || tree.Parent(name) != fn || !tree.IsLeaf(name) {
		t.Error("name")
	}
	if tree.ChildByField(fn, golang.Field("receiver")) != None || tree.Is(None, 1) || tree.String(None) != "" {
		t.Error("None")
	}
	var kinds []string
	for c := range tree.NamedChildren(fn) {
		kinds = append(kinds, golang.KindName(tree.Kind(c)))
	}
	if want := []string{"identifier", "parameter_list", "type_identifier", "block"}; !slices.Equal(kinds, want) {
		t.Errorf("got %q, want %q", kinds, want)
	}
	for i := range tree.Nodes {
		i := ID(i)
		var want, got, siblings []ID
		for c := range tree.Nodes {
			if tree.Nodes[c].Parent == i {
				want = append(want, ID(c))
			}
		}
		for c := range tree.Children(i) {
			got = append(got, c)
		}
		for c := tree.FirstChild(i); c != None; c = tree.NextSibling(c) {
			siblings = append(siblings, c)
		}
		if !slices.Equal(got, want) || !slices.Equal(siblings, want) {
			t.Errorf("children of %d: %v, %v, want %v", i, got, siblings, want)
		}
		if line, col := tree.Position(tree.Nodes[i].Start); line != tree.Line(i) || col != tree.Col(i) {
			t.Errorf("node %d: %d:%d and %d:%d", i, line, col, tree.Line(i), tree.Col(i))
		}
	}
	if tree.Lines() != 7 {
		t.Errorf("%d lines", tree.Lines())
	}
	decl := tree.ChildOfKind(fn, golang.Kind("parameter_list"))
	params := 0
	for range tree.ChildrenByField(decl+2, golang.Field("name")) {
		params++
	}
	if params != 2 {
		t.Errorf("%d names", params)
	}
}

// A tree is a function of the file, whatever was parsed before and next to it.
func TestDeterminism(t *testing.T) {
	files := goFiles(t, "go/ast", "strings", "sort")
	type outcome struct {
		nodes []Node
		stats Stats
	}
	want := make([]outcome, len(files))
	for i, src := range files {
		p := NewParser()
		tree, err := p.Parse(golang, src)
		if err != nil {
			t.Fatal(err)
		}
		want[i] = outcome{tree.Clone().Nodes, p.Stats}
	}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 1))
			p := NewParser()
			for range 100 {
				i := r.IntN(len(files))
				tree, err := p.Parse(golang, files[i])
				if err != nil || !slices.Equal(tree.Nodes, want[i].nodes) || p.Stats != want[i].stats {
					t.Errorf("file %d differs: %v", i, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestLanguage(t *testing.T) {
	for _, f := range []func(){
		func() { golang.Kind("no_such_node") },
		func() { golang.Token("no such token") },
		func() { golang.Field("no_such_field") },
		func() { MustLanguage("nil", nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		}()
	}
	call := golang.Kind("call_expression")
	set := golang.Kinds("call_expression", "identifier").Union(golang.Tokens("+"))
	if !set.Has(call) || !set.Has(golang.Token("+")) || set.Has(golang.Token("-")) || set.Has(KindError) {
		t.Error("KindSet")
	}
	if golang.KindName(KindError) != "ERROR" || golang.KindName(call) != "call_expression" || golang.FieldName(0) != "" {
		t.Error("names")
	}
}

func TestParserAllocates(t *testing.T) {
	files := goFiles(t, "strings")
	p := NewParser()
	defer p.Close()
	all := func() {
		for _, src := range files {
			tree, err := p.Parse(golang, src)
			if err != nil {
				t.Fatal(err)
			}
			tree.Lines()
		}
	}
	all()
	if n := testing.AllocsPerRun(5, all); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestReading(t *testing.T) {
	l := MustLanguage("go", golang.grammar)
	p := NewParser()
	defer p.Close()
	const src = "package p\n\nvar x = new(f(1))\n"
	for _, c := range []struct {
		f      func([]byte) []byte
		errors int
	}{
		{func(src []byte) []byte { return src }, 1},
		{func(src []byte) []byte { return bytes.Replace(src, []byte("new("), []byte("New("), 1) }, 0},
		{func(src []byte) []byte { return nil }, 1},
		{func(src []byte) []byte { return bytes.ReplaceAll(src, []byte("\n"), []byte(";")) }, 1},
	} {
		l.SetReading(c.f)
		tree, err := p.Parse(l, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(tree.Errors()); n != c.errors || string(tree.Src) != src {
			t.Errorf("%d errors, want %d", n, c.errors)
		}
		checkShape(t, tree)
	}
	if tree, err := p.Parse(l, nil); err != nil || len(tree.Nodes) != 1 {
		t.Error(err)
	}
}
