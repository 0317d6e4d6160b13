// Package adversary makes source trees that are meant to hurt those who read
// them: files that make parsers slow, declarations in numbers that make
// anything quadratic unbearable, and changes to such trees. They are the same
// on every run.
package adversary

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Tree is the content of files by slash-separated path.
type Tree map[string]string

// Case is one attack. Its size is about n of what it has many of; twice the
// size must not cost much more than twice as much.
type Case struct {
	Name string
	// Large is the size that a measurement begins with; bytes for files that
	// attack the parser, else a number of declarations, files or folders.
	Large int
	// Base makes the tree.
	Base func(n int) Tree
	// Head makes what a change leaves of it; nil for cases without a change.
	Head func(n int) Tree
}

// file is a tree with one file of a package.
func file(src string) Tree {
	return Tree{"go.mod": "module example.com/m\n\ngo 1.26\n", "a.go": src}
}

// fill repeats s to n bytes.
func fill(n int, s string) string { return strings.Repeat(s, max(n/len(s), 1)) }

// many is a file with a declaration for each number below n.
func many(n int, f func(i int) string) string {
	var b strings.Builder
	b.WriteString("package m\n\n")
	for i := range n {
		b.WriteString(f(i))
		b.WriteByte('\n')
	}
	return b.String()
}

// spread is a package with a declaration for each number below n, at most 5000
// in a file.
func spread(n int, f func(i int) string) Tree {
	t := file("package m\n")
	for at := 0; at < n; at += 5000 {
		t[fmt.Sprintf("f%d.go", at/5000)] = many(min(n-at, 5000), func(i int) string { return f(at + i) })
	}
	return t
}

// one is a case of a file that holds a pattern n bytes long.
func one(name string, src func(n int) string) Case {
	return Case{Name: name, Large: 500_000, Base: func(n int) Tree { return file(src(n)) }}
}

const head = "package m\n\n"

// Parsing are attacks on parser and extractor: one file each.
var Parsing = []Case{
	one("parens nested", func(n int) string { return head + "var x = " + fill(n/2, "(") + "1" + fill(n/2, ")") }),
	one("parens not closed", func(n int) string { return head + "var x = " + fill(n, "(") }),
	one("parens not opened", func(n int) string { return head + "var x = " + fill(n, ")") }),
	one("braces not closed", func(n int) string { return head + "func f() " + fill(n, "{") }),
	one("brackets mixed", func(n int) string { return head + "var x = " + fill(n, "([{") }),
	one("functions nested", func(n int) string { return head + "var x = " + fill(n, "func(){") }),
	one("blocks nested", func(n int) string { return head + "func f() {" + fill(n/2, "{") + fill(n/2, "}") + "}\n" }),
	one("literals nested", func(n int) string { return head + "var x = " + fill(n/2, "T{") + fill(n/4, "}") + "\n" }),
	one("closures nested", func(n int) string {
		return head + "var x = " + fill(n*12/13, "func() any { return ") + "1" + fill(n/13, "}") + "\n"
	}),
	one("unary chain", func(n int) string { return head + "var x = " + fill(n, "!") + "y\n" }),
	one("binary chain", func(n int) string { return head + "var x = 1" + fill(n, "+1") + "\n" }),
	one("selector chain", func(n int) string { return head + "var x = a" + fill(n, ".b") + "\n" }),
	one("call chain", func(n int) string { return head + "var x = a" + fill(n, "()") + "\n" }),
	one("index chain", func(n int) string { return head + "var x = a" + fill(n, "[0]") + "\n" }),
	one("pointer type", func(n int) string { return head + "var x " + fill(n, "*") + "int\n" }),
	one("slice type", func(n int) string { return head + "var x " + fill(n, "[]") + "int\n" }),
	one("generic type", func(n int) string { return head + "var x " + fill(n/2, "T[") + "int" + fill(n/4, "]") + "\n" }),
	one("function type", func(n int) string { return head + "var x " + fill(n, "func() ") + "\n" }),
	one("else if", func(n int) string { return head + "func f() {" + fill(n, "if x {} else ") + "{} }\n" }),
	one("backticks", func(n int) string { return fill(n, "`") }),
	one("backticks spaced", func(n int) string { return fill(n, "`a ") }),
	one("backticks, lines", func(n int) string { return fill(n, "`a\n") }),
	one("quotes", func(n int) string { return fill(n, "\"") }),
	one("quotes spaced", func(n int) string { return fill(n, "\" a") }),
	one("quotes, lines", func(n int) string { return head + fill(n, "var x = \"a\n") }),
	one("single quotes", func(n int) string { return fill(n, "' ") }),
	one("comments not closed", func(n int) string { return fill(n, "/*") }),
	one("comments", func(n int) string { return head + fill(n, "//\n") }),
	one("one string", func(n int) string { return head + "var x = \"" + fill(n, "a") + "\"\n" }),
	one("one raw string", func(n int) string { return head + "var x = `" + fill(n, "a\n") + "`\n" }),
	one("one identifier", func(n int) string { return head + "var " + fill(n, "x") + " int\n" }),
	one("one number", func(n int) string { return head + "var x = " + fill(n, "1") + "\n" }),
	one("one comment", func(n int) string { return head + "/* " + fill(n, "a\n") + " */\nfunc f() {}\n" }),
	one("one doc comment", func(n int) string { return head + fill(n, "// Word word. word\n") + "func f() {}\n" }),
	one("one list", func(n int) string { return head + "var x = []int{" + fill(n, "1, ") + "}\n" }),
	one("one line", func(n int) string { return head + fill(n, "func f() { g(1) }; ") + "\n" }),
	one("keywords", func(n int) string { return fill(n, "func type if ") }),
	one("semicolons", func(n int) string { return fill(n, ";") }),
	one("newlines", func(n int) string { return fill(n, "\n") }),
	one("NUL", func(n int) string { return fill(n, "\x00") }),
	one("bytes", func(n int) string {
		r, b := rand.New(rand.NewPCG(1, 2)), make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32()) | 1
		}
		return string(b)
	}),
	one("tokens", func(n int) string {
		r := rand.New(rand.NewPCG(1, 2))
		words := []string{"func", "(", ")", "{", "}", "[", "]", "x", "T", ".", ",", ":=", "=", "*", "&", "if", "for", "range", "type", "struct", "interface", "return", "\n", ";", "\"s\"", "1", "chan", "<-", "go", "map", "switch", "case", ":", "..."}
		var b strings.Builder
		b.WriteString(head)
		for b.Len() < n {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteByte(' ')
		}
		return b.String()
	}),
	{Name: "50 MB in one line", Large: 50 << 20, Base: func(n int) Tree { return file(head + fill(n, "func f() { g(1) }; ")) }},
}

// Linking are attacks by numbers on what knows all files.
var Linking = []Case{
	{Name: "routers that mount each other", Large: 20_000, Base: func(n int) Tree {
		router := func(other string) string {
			var b strings.Builder
			b.WriteString("const router = require('express').Router();\n" + strings.Repeat("router.use('/', require('"+other+"'));\n", 8))
			for i := range n / 2 {
				fmt.Fprintf(&b, "router.get('/r%d', (q, r) => r.end());\n", i)
			}
			return b.String() + "module.exports = router;\n"
		}
		return Tree{"a.js": router("./b"), "b.js": router("./a"),
			"a.test.js": "const request = require('supertest');\nit('x', () => request(require('./a')).get('/r5'));\n"}
	}},
	{Name: "functions", Large: 50_000, Base: func(n int) Tree {
		return spread(n, func(i int) string { return fmt.Sprintf("func F%d() { F%d() }", i, (i*7+1)%n) })
	}},
	{Name: "functions of one name", Large: 50_000, Base: func(n int) Tree {
		return spread(n, func(int) string { return "func F() {}" })
	}},
	{Name: "init functions", Large: 50_000, Base: func(n int) Tree {
		return spread(n, func(int) string { return "func init() {}" })
	}},
	{Name: "calls of one function", Large: 50_000, Base: func(n int) Tree {
		return spread(n, func(i int) string { return fmt.Sprintf("func F%d() { F0() }", i) })
	}},
	{Name: "functions in a chain", Large: 50_000, Base: func(n int) Tree {
		return spread(n, func(i int) string { return fmt.Sprintf("func F%d() { F%d() }", i, i+1) })
	}},
	{Name: "types", Large: 50_000, Base: func(n int) Tree {
		return spread(n, func(i int) string { return fmt.Sprintf("type T%d struct { a, b int }", i) })
	}},
	{Name: "fields of one type", Large: 50_000, Base: func(n int) Tree {
		return file(head + "type T struct {\n" + strings.TrimPrefix(many(n, func(i int) string { return fmt.Sprintf("\tf%d int", i) }), head) + "}\n")
	}},
	{Name: "methods of one type", Large: 50_000, Base: func(n int) Tree {
		t := spread(n, func(i int) string { return fmt.Sprintf("func (T) M%d() {}", i) })
		t["t.go"] = head + "type T int\n"
		return t
	}},
	{Name: "methods of one interface", Large: 30_000, Base: func(n int) Tree {
		return file(head + "type I interface {\n" + strings.TrimPrefix(many(n, func(i int) string { return fmt.Sprintf("\tM%d()", i) }), head) + "}\ntype T struct{ I }\nvar _ I = T{}\n")
	}},
	{Name: "interfaces × types, one method", Large: 1_000, Base: func(n int) Tree {
		t := spread(n, func(i int) string { return fmt.Sprintf("type I%d interface { M() }", i) })
		t["t.go"] = many(n, func(i int) string { return fmt.Sprintf("type T%d int\nfunc (T%d) M() {}", i, i) })
		return t
	}},
	{Name: "interfaces × types, none fits", Large: 5_000, Base: func(n int) Tree {
		t := spread(n, func(i int) string { return fmt.Sprintf("type I%d interface { M(); N%d() }", i, i) })
		t["t.go"] = many(n, func(i int) string { return fmt.Sprintf("type T%d int\nfunc (T%d) M() {}", i, i) })
		return t
	}},
	{Name: "embedding chain", Large: 20_000, Base: func(n int) Tree {
		t := spread(n, func(i int) string { return fmt.Sprintf("type T%d struct { T%d }", i, i+1) })
		t["t.go"] = fmt.Sprintf("%stype T%d struct{ f int }\nfunc (T%d) M() {}\nfunc f(x T0) { x.M(); _ = x.f }\n", head, n, n)
		return t
	}},
	{Name: "embedding chain of interfaces", Large: 20_000, Base: func(n int) Tree {
		t := spread(n, func(i int) string { return fmt.Sprintf("type I%d interface { I%d; M%d() }", i, i+1, i) })
		t["t.go"] = fmt.Sprintf("%stype I%d interface{ M() }\nfunc f(x I0) { x.M() }\n", head, n)
		return t
	}},
	{Name: "embedding diamonds", Large: 10_000, Base: func(n int) Tree {
		return spread(n, func(i int) string {
			return fmt.Sprintf("type A%d struct { *A%d; *B%d }\ntype B%d struct { *A%d; *B%d }", i, i+1, i+1, i, i+1, i+1)
		})
	}},
	{Name: "embeddings in one type", Large: 20_000, Base: func(n int) Tree {
		t := spread(n, func(i int) string { return fmt.Sprintf("type T%d struct{}\nfunc (T%d) M%d() {}", i, i, i) })
		t["t.go"] = head + "type T struct {\n" + strings.TrimPrefix(many(n, func(i int) string { return fmt.Sprintf("\tT%d", i) }), head) + "}\nfunc f(x T) { x.M1() }\n"
		return t
	}},
	{Name: "aliases", Large: 50_000, Base: func(n int) Tree {
		return spread(n, func(i int) string { return fmt.Sprintf("type A%d = A%d", i, i+1) })
	}},
	{Name: "constants with iota", Large: 50_000, Base: func(n int) Tree {
		return file(head + "const (\n\tC = iota\n" + strings.TrimPrefix(many(n, func(i int) string { return fmt.Sprintf("\tC%d", i) }), head) + ")\n")
	}},
	{Name: "variables, inferred in a chain", Large: 50_000, Base: func(n int) Tree {
		return spread(n, func(i int) string { return fmt.Sprintf("var v%d = v%d", i, i+1) })
	}},
	{Name: "variables, inferred in a cycle", Large: 20_000, Base: func(n int) Tree {
		return spread(n, func(i int) string { return fmt.Sprintf("var v%d = f(v%d, v%d).g", i, (i+1)%n, (i*31)%n) })
	}},
	{Name: "locals", Large: 50_000, Base: func(n int) Tree {
		return file(head + "func f() {\n\tv0 := 1\n" + strings.TrimPrefix(many(n, func(i int) string { return fmt.Sprintf("\tv%d := v%d", i+1, i) }), head) + "}\n")
	}},
	{Name: "locals of one name", Large: 50_000, Base: func(n int) Tree {
		return file(head + "func f() {\n" + strings.TrimPrefix(many(n, func(int) string { return "\tif v := v; v {}" }), head) + "}\n")
	}},
	{Name: "parameters", Large: 50_000, Base: func(n int) Tree {
		return file(head + "func f(" + strings.TrimPrefix(many(n, func(i int) string { return fmt.Sprintf("p%d int,", i) }), head) + ") {}\nfunc g() { f(" + fill(3*n, "1, ") + ") }\n")
	}},
	{Name: "type parameters", Large: 20_000, Base: func(n int) Tree {
		return file(head + "func f[" + strings.TrimPrefix(many(n, func(i int) string { return fmt.Sprintf("P%d any,", i) }), head) + "](p P0) P1 {}\nfunc g() { f(1) }\n")
	}},
	{Name: "generic types that grow", Large: 5_000, Base: func(n int) Tree {
		t := spread(n, func(i int) string { return fmt.Sprintf("type G%d[A any] struct { x *G%d[G%d[A]] }", i, i+1, i+1) })
		t["t.go"] = head + "func f(x G0[int]) { _ = x.x" + fill(2*min(n, 2000), ".x") + " }\n"
		return t
	}},
	{Name: "union", Large: 50_000, Base: func(n int) Tree {
		return file(head + "type I interface { int" + fill(6*n, " | ~int") + " }\nfunc f[T I](x T) T { return x }\nfunc g() { f(1) }\n")
	}},
	{Name: "files", Large: 20_000, Base: func(n int) Tree {
		t := file(head)
		for i := range n {
			t[fmt.Sprintf("f%d.go", i)] = head
		}
		return t
	}},
	{Name: "packages", Large: 10_000, Base: func(n int) Tree {
		t := file(head)
		for i := range n {
			t[fmt.Sprintf("p%d/f.go", i)] = fmt.Sprintf("package p%d\n\nimport \"example.com/m/p%d\"\n\nfunc F() { p%d.F() }\n", i, i+1, i+1)
		}
		return t
	}},
	{Name: "packages that implement each other", Large: 2_000, Base: func(n int) Tree {
		t := file(head)
		for i := range n {
			t[fmt.Sprintf("p%d/f.go", i)] = fmt.Sprintf("package p%d\n\nimport _ \"example.com/m/p%d\"\n\ntype I interface{ M() }\ntype T int\nfunc (T) M() {}\n", i, i+1)
		}
		return t
	}},
	{Name: "tests that implement", Large: 2_000, Base: func(n int) Tree {
		t := file(head + "type I interface{ M() }\n")
		for i := range n {
			t[fmt.Sprintf("p%d/f.go", i)] = fmt.Sprintf("package p%d\n\nimport _ \"example.com/m/p%d\"\n", i, i+1)
			t[fmt.Sprintf("p%d/f_test.go", i)] = fmt.Sprintf("package p%d\n\ntype T int\nfunc (T) M() {}\n", i)
		}
		return t
	}},
	{Name: "modules", Large: 3_000, Base: func(n int) Tree {
		t := file(head)
		for i := range n {
			t[fmt.Sprintf("m%d/go.mod", i)] = fmt.Sprintf("module example.com/m%d\n\nrequire example.com/m%d v1.0.0\n\nreplace example.com/m%d => ../m%d\n", i, i+1, i+1, i+1)
			t[fmt.Sprintf("m%d/f.go", i)] = fmt.Sprintf("package m%d\n\nimport \"example.com/m%d\"\n\nfunc F() { m%d.F() }\n", i, i+1, i+1)
		}
		return t
	}},
	{Name: "imports of a file", Large: 20_000, Base: func(n int) Tree {
		return file(head + "import (\n" + strings.TrimPrefix(many(n, func(i int) string { return fmt.Sprintf("\t\"example.com/x/p%d\"", i) }), head) + ")\n\nvar _ = p1.X\n")
	}},
	{Name: "dot imports", Large: 2_000, Base: func(n int) Tree {
		t := Tree{"go.mod": "module example.com/m\n"}
		var imports strings.Builder
		for i := range n {
			t[fmt.Sprintf("p%d/f.go", i)] = fmt.Sprintf("package p%d\n\nfunc F%d() {}\n", i, i)
			fmt.Fprintf(&imports, "import . \"example.com/m/p%d\"\n", i)
		}
		t["a.go"] = head + imports.String() + strings.TrimPrefix(many(n, func(i int) string { return fmt.Sprintf("func G%d() { F%d(); H%d() }", i, i, i) }), head)
		return t
	}},
	{Name: "build constraints", Large: 5_000, Base: func(n int) Tree {
		t := file(head)
		for i := range n {
			t[fmt.Sprintf("f%d.go", i)] = fmt.Sprintf("//go:build tag%d\n\npackage m\n\nfunc F() { F() }\n", i)
		}
		return t
	}},
	{Name: "one build constraint", Large: 50_000, Base: func(n int) Tree {
		return file("//go:build a" + fill(5*n, " || a") + "\n\npackage m\n\nfunc F() { F() }\n")
	}},
	{Name: "package names", Large: 5_000, Base: func(n int) Tree {
		t := file(head)
		for i := range n {
			t[fmt.Sprintf("f%d.go", i)] = fmt.Sprintf("package p%d\n\nfunc F() { F() }\n", i)
		}
		return t
	}},
	{Name: "go.mod", Large: 20_000, Base: func(n int) Tree {
		t := file(head)
		t["go.mod"] = "module example.com/m\n\nrequire (\n" + strings.TrimPrefix(many(n, func(i int) string { return fmt.Sprintf("\texample.com/r%d v1.0.%d", i, i) }), head) + ")\n"
		return t
	}},
}

// body is a function of some size, so that it is compared by its content.
func body(name string, i, constant int) string {
	return fmt.Sprintf("func %s%d(a, b int) int {\n\tx := a*%d + b\n\tfor i := range x { x += i * b; if x > %d { x -= F%d(a, i) } }\n\treturn x + %d\n}", name, i, i, constant, i/2, i)
}

// Changing are attacks on those who compare.
var Changing = []Case{
	change("every function renamed", 10_000, func(i int) string { return body("F", i, 1) }, func(i int) string { return body("G", i, 1) }),
	change("every function renamed and edited", 5_000, func(i int) string { return body("F", i, 1) }, func(i int) string { return body("G", i, 2) }),
	change("every body edited", 10_000, func(i int) string { return body("F", i, 1) }, func(i int) string { return body("F", i, 2) }),
	change("every body the same, all renamed", 5_000,
		func(i int) string { return strings.ReplaceAll(body("F", 7, 1), "F7", fmt.Sprintf("F%d", i)) },
		func(i int) string { return strings.ReplaceAll(body("F", 7, 1), "F7", fmt.Sprintf("G%d", i)) }),
	change("every signature changed", 10_000,
		func(i int) string { return fmt.Sprintf("func F%d(a int) { F%d(a) }", i, i/2) },
		func(i int) string { return fmt.Sprintf("func F%d(a int, b string) { F%d(a) }", i, i/2) }),
	change("everything removed", 10_000, func(i int) string { return body("F", i, 1) }, func(i int) string { return "" }),
	change("end of a call chain", 10_000,
		func(i int) string { return fmt.Sprintf("func F%d() int { return F%d() }", i, i+1) },
		func(i int) string {
			if i == 9_999 {
				return fmt.Sprintf("func F%d() int { return 1 }", i)
			}
			return fmt.Sprintf("func F%d() int { return F%d() }", i, i+1)
		}),
	{Name: "one function with many callers", Large: 20_000,
		Base: func(n int) Tree {
			return spread(n, func(i int) string { return fmt.Sprintf("func F%d(a int) { F0(a) }", i) })
		},
		Head: func(n int) Tree {
			t := spread(n, func(i int) string { return fmt.Sprintf("func F%d(a int) { F0(a) }", i) })
			t["f0.go"] = strings.Replace(t["f0.go"], "func F0(a int)", "func F0(a, b int)", 1)
			return t
		}},
	{Name: "an interface grows", Large: 5_000,
		Base: func(n int) Tree {
			t := spread(n, func(i int) string {
				return fmt.Sprintf("type T%d int\nfunc (T%d) M() {}\nfunc F%d() I { return T%d(1) }", i, i, i, i)
			})
			t["i.go"] = head + "type I interface { M() }\n"
			return t
		},
		Head: func(n int) Tree {
			t := spread(n, func(i int) string {
				return fmt.Sprintf("type T%d int\nfunc (T%d) M() {}\nfunc F%d() I { return T%d(1) }", i, i, i, i)
			})
			t["i.go"] = head + "type I interface { M(); N() }\n"
			return t
		}},
	{Name: "every package moved", Large: 3_000,
		Base: func(n int) Tree { return packages(n, "a") },
		Head: func(n int) Tree { return packages(n, "b") }},
	{Name: "new cycles", Large: 3_000,
		Base: func(n int) Tree { return packages(n, "a") },
		Head: func(n int) Tree {
			t := packages(n, "a")
			last := fmt.Sprintf("a/p%d/f.go", n)
			t[last] = fmt.Sprintf("package p%d\n\nimport \"example.com/m/a/p0\"\n\nfunc F(x int) int { return p0.F(x) }\n", n)
			return t
		}},
	replaced("a chain of classes with tests, Python", 3_000, "return 1", "return 2", func(n int) Tree {
		return Tree{"test_chain.py": pythonChain(n, func(i int) string {
			return fmt.Sprintf("    def test_%d(self):\n        assert self.make()\n", i)
		})}
	}),
	replaced("a chain of classes with tests, each of a file, Python", 1_500, "return 1", "return 2", func(n int) Tree {
		t := Tree{"tests/__init__.py": "", "tests/test_c0.py": "class TestC0:\n    def make(self):\n        return 1\n\n    def test_0(self):\n        assert self.make()\n"}
		for i := 1; i < n; i++ {
			t[fmt.Sprintf("tests/test_c%d.py", i)] = fmt.Sprintf("from tests.test_c%d import TestC%d\n\n\nclass TestC%d(TestC%d):\n    def test_%d(self):\n        assert self.make()\n", i-1, i-1, i, i-1, i)
		}
		return t
	}),
	replaced("a chain of classes that override, Python", 3_000, "return 1", "return 2", func(n int) Tree {
		return Tree{"test_chain.py": pythonChain(n, func(i int) string {
			if i == 0 {
				return "    def test_0(self):\n        assert self.part()\n\n    def part(self):\n        return 0\n"
			}
			return fmt.Sprintf("    def part(self):\n        return self.make() + %d\n", i)
		})}
	}),
	replaced("a chain of classes with hooks, Python", 3_000, "return 1", "return 2", func(n int) Tree {
		return Tree{"test_chain.py": pythonChain(n, func(i int) string {
			return fmt.Sprintf("    def setup_method(self):\n        self.x = self.make()\n\n    def test_%d(self):\n        assert self.x\n", i)
		})}
	}),
	replaced("a chain of classes with tests, Java", 3_000, "return 1", "return 2", func(n int) Tree {
		return javaChain(n, 1, func(i int) string { return fmt.Sprintf("@Test void t%d() { make(); }", i) })
	}),
	replaced("a chain of classes that override, Java", 3_000, "return 0", "return 9", func(n int) Tree {
		return javaChain(n, 0, func(i int) string { return fmt.Sprintf("@Override int make() { return super.make() + %d; }", i) })
	}),
	replaced("tests × classes that inherit them, Python", 3_000, "return 1", "return 2", func(n int) Tree {
		var b strings.Builder
		b.WriteString("class Kit:\n    def make(self):\n        return 1\n")
		for i := range n {
			fmt.Fprintf(&b, "\n    def test_%d(self):\n        assert self.make()\n", i)
		}
		for i := range n {
			fmt.Fprintf(&b, "\n\nclass TestKit%d(Kit):\n    pass\n", i)
		}
		return Tree{"test_kit.py": b.String()}
	}),
	replaced("a suite that many files call, TypeScript", 3_000, "return 1", "return 2", func(n int) Tree {
		t := Tree{"package.json": "{\"name\": \"m\"}\n", "src/make.ts": "export function make() { return 1 }\n"}
		var b strings.Builder
		b.WriteString("import { make } from '../src/make'\n\nexport function suite(name: string) {\n")
		for i := range n {
			fmt.Fprintf(&b, "  it('does %d', () => { expect(make()).toBe(%d) })\n", i, i)
		}
		t["test/suite.ts"] = b.String() + "}\n"
		for i := range n {
			t[fmt.Sprintf("test/f%d.test.ts", i)] = fmt.Sprintf("import { suite } from './suite'\n\nsuite('f%d')\n", i)
		}
		return t
	}),
	replaced("a fixture with many users, Python", 20_000, "return 1", "return 2", func(n int) Tree {
		t := Tree{"conftest.py": "import pytest\n\n\n@pytest.fixture\ndef made():\n    return 1\n"}
		for at := 0; at < n; at += 100 {
			var b strings.Builder
			for i := at; i < min(at+100, n); i++ {
				fmt.Fprintf(&b, "def test_%d(made):\n    assert made\n\n\n", i)
			}
			t[fmt.Sprintf("test_f%d.py", at/100)] = b.String()
		}
		return t
	}),
	replaced("a chain of calls, a test of each", 10_000, "return 1", "return 2", func(n int) Tree {
		t := spread(n, func(i int) string { return fmt.Sprintf("func F%d() int { return F%d() }", i, i+1) })
		t["last.go"] = fmt.Sprintf("%sfunc F%d() int { return 1 }\n", head, n)
		t["a_test.go"] = strings.Replace(many(n, func(i int) string { return fmt.Sprintf("func TestF%d(t *testing.T) { F%d() }", i, i) }), head, head+"import \"testing\"\n\n", 1)
		return t
	}),
}

// replaced is a case of a tree in which one text becomes another one, where it is.
func replaced(name string, large int, from, to string, base func(n int) Tree) Case {
	return Case{Name: name, Large: large, Base: base, Head: func(n int) Tree {
		t := base(n)
		for p, text := range t {
			t[p] = strings.ReplaceAll(text, from, to)
		}
		return t
	}}
}

// javaChain is a file of n test classes, each of which extends the one before and has
// a member of its own. The first makes what its test asks for.
func javaChain(n, made int, member func(i int) string) Tree {
	var b strings.Builder
	fmt.Fprintf(&b, "package m;\n\nimport org.junit.jupiter.api.Test;\n\nclass C0Test { int make() { return %d; } @Test void t0() { make(); } }\n", made)
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "class C%dTest extends C%dTest { %s }\n", i, i-1, member(i))
	}
	return Tree{"build.gradle": "plugins { id 'java' }\n", "src/test/java/m/C0Test.java": b.String()}
}

// pythonChain is a file with a chain of n classes, of which the first has a method
// that all inherit.
func pythonChain(n int, body func(i int) string) string {
	var b strings.Builder
	for i := range n {
		base := ""
		if i > 0 {
			base = fmt.Sprintf("(TestC%d)", i-1)
		}
		fmt.Fprintf(&b, "class TestC%d%s:\n", i, base)
		if i == 0 {
			b.WriteString("    def make(self):\n        return 1\n\n")
		}
		b.WriteString(body(i) + "\n\n")
	}
	return b.String()
}

// change is a case of n declarations that all change.
func change(name string, large int, base, head func(i int) string) Case {
	return Case{Name: name, Large: large,
		Base: func(n int) Tree { return spread(n, base) },
		Head: func(n int) Tree { return spread(n, head) }}
}

func packages(n int, below string) Tree {
	t := file(head)
	for i := range n {
		t[fmt.Sprintf("%s/p%d/f.go", below, i)] = fmt.Sprintf("package p%d\n\nimport \"example.com/m/%s/p%d\"\n\nfunc F(x int) int { return p%d.F(x) + %d }\n", i, below, i+1, i+1, i)
	}
	return t
}
