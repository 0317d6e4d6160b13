package syntax

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func goRules() *HashRules {
	return &HashRules{
		Ignore: golang.Tokens(",", ";"),
		Pragma: func(text []byte) bool { return strings.HasPrefix(string(text), "//go:") },
	}
}

// digest hashes the first function or type of src, its name left out.
func digest(t testing.TB, src string, more ...func(*Tree, ID) Edits) Digest {
	t.Helper()
	tree := parse(t, "package p\n"+src)
	for c := range tree.NamedChildren(0) {
		switch golang.KindName(tree.Kind(c)) {
		case "function_declaration", "method_declaration":
			e := Edits{Names: []ID{tree.ChildByField(c, golang.Field("name"))}}
			for _, f := range more {
				e = f(tree, c)
			}
			var h Hasher
			return h.Hash(tree, c, goRules(), e)
		}
	}
	t.Fatal("no function in", src)
	return Digest{}
}

func TestHashEqual(t *testing.T) {
	for _, c := range []struct{ name, a, b string }{
		{"space", "func f() { x := 1; g(x) }", "func f() {\n\tx := 1\n\tg(x)\n}"},
		{"trailing comma", "func f() { g(a, b) }", "func f() {\n\tg(\n\t\ta,\n\t\tb,\n\t)\n}"},
		{"comment", "func f() { g() }", "func f() {\n\t// calls g\n\tg() /* really */\n}"},
		{"name", "func f() { g() }", "func h() { g() }"},
		{"crlf", "func f() {\n\tg()\n}\n", "func f() {\r\n\tg()\r\n}\r\n"},
	} {
		if a, b := digest(t, c.a), digest(t, c.b); a != b {
			t.Errorf("%s: %x %d, %x %d", c.name, a.Hash, a.Tokens, b.Hash, b.Tokens)
		}
	}
}

func TestHashDiffers(t *testing.T) {
	seen := map[[16]byte]string{}
	for _, src := range []string{
		"func f() { g() }",
		"func f() { h() }",
		"func f() { g(); g() }",
		"func f() { if x { g(); h() } }",
		"func f() { if x { g() }; h() }",
		"func f() { g(a, b) }",
		"func f() { g(ab) }",
		"func f() { g(a.b) }",
		"func f() { g(\"a\") }",
		"func f() { g(\"a \") }",
		"func f() { g(\" \") }",
		"func f() { g(\"  \") }",
		"func f() { g(`a`) }",
		"func f() { g('a') }",
		"func f() { g(a)(b) }",
		"func f() { g((a)) }",
		"func f() { g(a...) }",
		"func f() { x := a + b*c }",
		"func f() { x := (a + b)*c }",
		"func f() { x = a + b*c }",
		"func f() { x := a - b*c }",
		"func f() {}",
		"func f() {\n\t//go:pragma\n\tg()\n}",
		"func f() int { g() }",
		"func (r T) f() { g() }",
		"func f() { var x []int }",
		"func f() { $ }",
		"func f() { ? }",
	} {
		d := digest(t, src)
		if other, ok := seen[d.Hash]; ok {
			t.Errorf("one hash for %s and %s", src, other)
		}
		seen[d.Hash] = src
	}
}

func TestHashEdits(t *testing.T) {
	skipLiterals := func(tree *Tree, fn ID) (e Edits) {
		for i := fn; i < tree.Nodes[fn].Next; i++ {
			if tree.Kind(i) == golang.Kind("func_literal") {
				e.Skip = append(e.Skip, i)
			}
		}
		return e
	}
	a := digest(t, "func f() { x(func() { a() }, 1, func() { b(func() {}) }) }", skipLiterals)
	b := digest(t, "func f() { x(func() { c() }, 1, func() {}) }", skipLiterals)
	c := digest(t, "func f() { x(func() { c() }, 2, func() {}) }", skipLiterals)
	if a != b || a == c {
		t.Error("Skip")
	}
	recursive := func(tree *Tree, fn ID) (e Edits) {
		name := tree.String(tree.ChildByField(fn, golang.Field("name")))
		for i := fn; i < tree.Nodes[fn].Next; i++ {
			if tree.IsLeaf(i) && tree.String(i) == name {
				e.Names = append(e.Names, i)
			}
		}
		return e
	}
	if digest(t, "func f() { f() }", recursive) != digest(t, "func g() { g() }", recursive) {
		t.Error("Names")
	}
	if digest(t, "func f() { f() }") == digest(t, "func g() { g() }") {
		t.Error("recursion without Names")
	}
}

func TestHashParts(t *testing.T) {
	tree := parse(t, "package p\nfunc f() { g(1) }\nfunc h() { g(2) }\n")
	var fns []ID
	for c := range tree.NamedChildren(0) {
		fns = append(fns, c)
	}
	var h Hasher
	sum := func(steps ...any) [16]byte {
		h.Reset(tree, goRules())
		for _, s := range steps {
			switch s := s.(type) {
			case ID:
				h.Node(s, Edits{})
			case string:
				h.Bytes([]byte(s))
			}
		}
		return h.Sum().Hash
	}
	seen := map[[16]byte]int{}
	for i, d := range [][16]byte{
		sum(), sum(""), sum("", ""), sum("a", "b"), sum("ab"), sum(fns[1]), sum(fns[2]), sum(fns[1], fns[2]),
		sum(fns[2], fns[1]), sum(fns[1], "1"), sum("1", fns[1]), sum(strings.Repeat("x", 3*flushAt)), sum(strings.Repeat("x", 3*flushAt-1)),
	} {
		if j, ok := seen[d]; ok {
			t.Errorf("sums %d and %d are equal", i, j)
		}
		seen[d] = i
	}
	if first, second := sum(fns[1]), sum(fns[1]); first != second {
		t.Error("a Hasher keeps state")
	}
}

// TestHashPinned notices a change of the stream, which is a change of every hash
// stored in a graph.
func TestHashPinned(t *testing.T) {
	d := digest(t, "func (s *Set[T]) Add(x T) bool {\n\tif s.m[x] {\n\t\treturn false\n\t}\n\ts.m[x] = true\n\treturn true\n}")
	got := fmt.Sprintf("%x %d %x", d.Hash, d.Tokens, d.Sketch)
	const want = "24c4073e42a640caf90fc6516aa04998 38 276e336bc5b8f7413064f2f07337637d"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestHashAllocates(t *testing.T) {
	tree := parse(t, "package p\nfunc f() { g(1); g(2); g(\""+strings.Repeat("x", 3*flushAt)+"\") }\n")
	var h Hasher
	e, rules := Edits{}, goRules()
	h.Hash(tree, 0, rules, e)
	if n := testing.AllocsPerRun(10, func() { h.Hash(tree, 0, rules, e) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// The estimate has to follow the true similarity of the 4-grams.
func TestSimilarity(t *testing.T) {
	words := func(from, to int) string {
		var b strings.Builder
		b.WriteString("func f() {\n")
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "\tx%d = y%d\n", i, i*7)
		}
		return b.String() + "}\n"
	}
	grams := func(src string) map[string]bool {
		tree := parse(t, "package p\n"+src)
		fn := tree.ChildOfKind(0, golang.Kind("function_declaration"))
		name := tree.ChildByField(fn, golang.Field("name"))
		var tokens []string
		for i := fn; i < tree.Nodes[fn].Next; i++ {
			if tree.IsLeaf(i) {
				s := tree.String(i)
				if i == name {
					s = "\x00"
				}
				tokens = append(tokens, s)
			}
		}
		out := map[string]bool{}
		for i := 0; i+gram <= len(tokens); i++ {
			out[strings.Join(tokens[i:i+gram], " ")] = true
		}
		return out
	}
	var worst, total float64
	n := 0
	for _, size := range []int{5, 20, 100, 400} {
		for _, shift := range []int{0, 1, 2, 4, 8, 50, 150, 1000} {
			a, b := words(0, size), words(min(shift, size), size+min(shift, size))
			ga, gb := grams(a), grams(b)
			both := 0
			for g := range ga {
				if gb[g] {
					both++
				}
			}
			want := float64(both) / float64(len(ga)+len(gb)-both)
			got := Similarity(digest(t, a).Sketch, digest(t, b).Sketch)
			if want == 1 && got != 1 {
				t.Errorf("size %d shift %d: %.2f for equal sets", size, shift, got)
			}
			worst, total, n = max(worst, math.Abs(got-want)), total+math.Abs(got-want), n+1
			t.Logf("size %d shift %d: %.2f, truth %.2f", size, shift, got, want)
		}
	}
	if worst > 0.3 || total/float64(n) > 0.08 {
		t.Errorf("worst error %.2f, mean %.2f", worst, total/float64(n))
	}
	small, large := digest(t, "func f() { g() }"), digest(t, words(0, 20))
	if !small.Sketch.IsZero() || large.Sketch.IsZero() || Similarity(small.Sketch, small.Sketch) != 0 {
		t.Error("sketches of small bodies")
	}
}

func TestSketchCounts(t *testing.T) {
	var a, b Sketch
	for i := range a {
		a[i] = 0x55
		b[i] = 0x55
	}
	if Similarity(a, b) != 1 {
		t.Error("equal sketches")
	}
	b[0] = 0x56
	b[15] = 0xd5
	if got, want := Similarity(a, b), (62.0/64-1.0/4)*4/3; math.Abs(got-want) > 1e-12 {
		t.Errorf("got %v, want %v", got, want)
	}
}
