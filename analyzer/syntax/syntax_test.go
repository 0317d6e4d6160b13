package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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
		files, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", d, "*.go"))
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
	files := goFiles(t, "go/types", "net/http", "reflect", "unicode", "cmd/compile/internal/ssagen")
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
	limits.Bytes, limits.Line, limits.Nodes, limits.Depth = 1<<20, 5000, 100_000, 100
	for _, c := range []struct {
		name string
		src  string
		want Reason
	}{
		{"bytes", strings.Repeat("x", 1<<20+1), TooLarge},
		{"line", "package p\n//" + strings.Repeat("x", 5000) + "\n", LineTooLong},
		{"quadratic", strings.ReplaceAll(strings.Repeat("`a ", 20_000), "  ", "\n"), LineTooLong},
		{"depth", "package p\nvar x = " + strings.Repeat("(", 200) + "1" + strings.Repeat(")", 200), DepthLimit},
		{"nodes", "package p\n" + strings.Repeat("var x = 1\n", 20_000), NodeLimit},
	} {
		p := NewParser()
		p.Limits = limits
		_, err := p.Parse(golang, []byte(c.src))
		var le *LimitError
		if !errors.As(err, &le) || le.Reason != c.want || le.Got <= le.Limit {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		p.Close()
	}
}

func TestDump(t *testing.T) {
	tree := parse(t, "package p\n\nfunc f() { g(1) }\n")
	var b bytes.Buffer
	if err := Dump(&b, tree, 0); err != nil {
		t.Fatal(err)
	}
	fmt.Println(b.String())
}
