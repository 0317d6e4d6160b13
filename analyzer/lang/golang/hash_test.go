package golang

import (
	"bytes"
	"fmt"
	"go/build"
	"go/format"
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// shape is what of a declaration may not depend on formatting.
type shape struct {
	body      graph.Hash
	min       graph.MinHash
	tokens    int32
	signature string
}

// shapes returns the shapes of the declarations of a file by name, position
// among equal names and kind.
func shapes(f *facts.File) map[string]shape {
	out := map[string]shape{}
	for i := range f.Decls {
		d := &f.Decls[i]
		parent := ""
		for p := d.Parent; p != facts.None; p = f.Decls[p].Parent {
			parent = f.Str(f.Decls[p].Name) + "." + parent
		}
		key := fmt.Sprintf("%v %s%s.%s", d.Kind, parent, f.Str(d.Owner), f.Str(d.Name))
		n := 0
		for k := key; ; n++ {
			if _, ok := out[key]; !ok {
				break
			}
			key = fmt.Sprintf("%s %d", k, n)
		}
		out[key] = shape{d.Body, d.MinHash, d.Tokens, f.Str(d.Signature)}
	}
	return out
}

// TestFormattingChangesNothing writes real files anew, token by token, with
// other white space and other comments, and expects the same hashes and
// signatures.
func TestFormattingChangesNothing(t *testing.T) {
	src := filepath.Join(build.Default.GOROOT, "src")
	var files []string
	for _, pattern := range []string{"go/types/*.go", "runtime/m*.go", "sync/atomic/*.go", "slices/*.go"} {
		found, _ := filepath.Glob(filepath.Join(src, pattern))
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Skip("no Go sources here")
	}
	files = files[:min(len(files), 80)]
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want := shapes(extractFile(t, name, src))
		variant := respace(src, r)
		compareShapes(t, name+" respaced", want, shapes(extractFile(t, name, variant)))
		pretty, err := format.Source(variant)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		compareShapes(t, name+" reformatted", want, shapes(extractFile(t, name, pretty)))
		if t.Failed() {
			os.WriteFile(filepath.Join(os.TempDir(), "variant.go"), variant, 0o644)
			return
		}
	}
	t.Logf("%d files", len(files))
}

func compareShapes(t *testing.T, what string, want, got map[string]shape) {
	t.Helper()
	for k, w := range want {
		if g, ok := got[k]; !ok {
			t.Errorf("%s: %s is gone", what, k)
		} else if g != w {
			t.Errorf("%s: %s\n got %+v\nwant %+v", what, k, g, w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d declarations, want %d", what, len(got), len(want))
	}
}

// respace writes a file's tokens with other white space, without its comments
// and with new ones; directives stay where they are.
func respace(src []byte, r *rand.Rand) []byte {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", -1, len(src)), src, nil, scanner.ScanComments)
	var out bytes.Buffer
	atLine := true
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return out.Bytes()
		}
		text := lit
		if !tok.IsLiteral() && tok != token.COMMENT && lit == "" || tok.IsOperator() {
			text = tok.String()
		}
		switch {
		case tok == token.COMMENT:
			if isDirective([]byte(strings.TrimPrefix(lit, "//"))) && strings.HasPrefix(lit, "//") {
				if !atLine {
					out.WriteByte('\n')
				}
				out.WriteString(lit + "\n")
				atLine = true
			}
			continue
		case tok == token.SEMICOLON && lit == "\n":
			if r.IntN(4) == 0 {
				out.WriteString(" // more")
			}
			out.WriteString("\n")
			atLine = true
			continue
		}
		out.WriteString(text)
		atLine = false
		switch tok {
		case token.IDENT, token.INT, token.FLOAT, token.IMAG, token.CHAR, token.STRING, token.BREAK, token.CONTINUE,
			token.FALLTHROUGH, token.RETURN, token.INC, token.DEC, token.RPAREN, token.RBRACK, token.RBRACE:
			out.WriteString([]string{" ", "  ", "\t", " /* no end */ "}[r.IntN(4)])
		case token.COMMA, token.LBRACE, token.LPAREN, token.SEMICOLON:
			out.WriteString([]string{" ", "\n", "\n\n", " /* a */ ", "// b\n"}[r.IntN(5)])
		default:
			out.WriteString([]string{" ", "  "}[r.IntN(2)])
		}
	}
}

// TestHash says what changes a declaration's hash and what does not: each case
// is a file in two versions and the declarations whose hashes differ.
func TestHash(t *testing.T) {
	for _, c := range []struct{ name, a, b, differ string }{
		{"literal", `func f() { g(1) }`, `func f() { g(2) }`, "f"},
		{"rename function", `func f() { g() }`, `func f2() { g() }`, ""},
		{"rename recursive function", `func f() { f() }`, `func f2() { f2() }`, ""},
		{"recursion is no other call", `func f() { f() }`, `func f() { g() }`, "f"},
		{"rename recursive method", `func (t T) m() { t.m() }`, `func (t T) m2() { t.m2() }`, ""},
		{"method of another value", `func (t T) m() { u.m() }`, `func (t T) m2() { u.m2() }`, "m"},
		{"parameter type", `func f(a int) { g() }`, `func f(a string) { g() }`, ""},
		{"block", `func f() { a(); b() }`, `func f() { a(); { b() } }`, "f"},
		{"order", `func f() { a(); b() }`, `func f() { b(); a() }`, "f"},
		{"field type", `type T struct { A int }`, `type T struct { A string }`, ""},
		{"field tag", "type T struct { A int `a` }", "type T struct { A int `b` }", "A"},
		{"field added", `type T struct { A int }`, `type T struct { A, B int }`, ""},
		{"method added", `type T interface { A() }`, `type T interface { A(); B() }`, ""},
		{"union", `type T interface { int | string }`, `type T interface { int | bool }`, "T"},
		{"type", `type T []int`, `type T []string`, "T"},
		{"rename recursive type", `type T []T`, `type U []U`, ""},
		{"variable", `var v = 1`, `var v = 2`, "v"},
		{"variable type", `var v int = 1`, `var v string = 1`, ""},
		{"shared value", `var v, w = f()`, `var v, w = g()`, "v w"},
		{"swapped", `var v, w = f()`, `var w, v = f()`, "v w"},
		{"function in a variable", `var v = func() { a() }`, `var v = func() { b() }`, "v"},
		{"iota", "const (\nv = iota\nw\n)", "const (\nx = iota\nv\nw\n)", "v w"},
		{"iota expression", "const (\nv = iota\nw\n)", "const (\nv = iota*2\nw\n)", "v w"},
		{"no iota", "const (\nv = 1\nw\n)", "const (\nx = 1\nv\nw\n)", ""},
		{"implied", "const (\nv = 1\nw\n)", "const (\nv = 1\nw = 1\n)", ""},
		{"embed", "//go:embed a\nvar v string", "//go:embed b\nvar v string", "v"},
		{"noinline", "func f() {}", "//go:noinline\nfunc f() {}", "f"},
		{"noinline after a blank line", "//go:noinline\n\nfunc f() {}", "//go:noinline\nfunc f() {}", ""},
		{"export", "//export f\nfunc f() {}", "func f() {}", "f"},
		{"linkname", "//go:linkname f a.f\nfunc f()", "//go:linkname f b.f\nfunc f()", "f"},
		{"linkname elsewhere", "func f()\nfunc g() {}\n//go:linkname f b.f", "func f()\nfunc g() {}\n//go:linkname f a.f", "f"},
		{"generate", "//go:generate a\nfunc f() {}", "//go:generate b\nfunc f() {}", ""},
		{"lint", "//nolint:a\nfunc f() {}", "func f() {}", ""},
		{"line", "//line a.go:1\nfunc f() {}", "func f() {}", ""},
		{"directive in a body", "func f() {\n//go:nosplit\n}", "func f() {\n}", "f"},
		{"preamble", "// #include <a.h>\nimport \"C\"\nfunc f() { C.a() }\nfunc g() {}\n",
			"// #include <b.h>\nimport \"C\"\nfunc f() { C.a() }\nfunc g() {}\n", "f"},
		{"import order", "import \"a\"\nimport \"b\"\nfunc f() { a.b() }", "import \"b\"\nimport \"a\"\nfunc f() { a.b() }", ""},
		{"new of a value", `func f() { new(a(1)) }`, `func f() { new(a(2)) }`, "f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			hashes := func(src string) map[string]graph.Hash {
				f := extractFile(t, "a.go", []byte("package p\n"+src))
				out := map[string]graph.Hash{}
				for i := range f.Decls {
					if d := &f.Decls[i]; d.Traits&(facts.TraitLiteral|facts.TraitAnonymous) == 0 {
						out[f.Str(d.Name)] = d.Body
					}
				}
				return out
			}
			a, b := hashes(c.a), hashes(c.b)
			renamed := map[string]string{"f": "f2", "m": "m2", "T": "U"}
			var differ []string
			for _, name := range []string{"f", "g", "m", "T", "A", "v", "w"} {
				x, ok := a[name]
				y, ok2 := b[name]
				if !ok2 {
					y, ok2 = b[renamed[name]]
				}
				if ok && ok2 && x != y {
					differ = append(differ, name)
				}
			}
			if got := strings.Join(differ, " "); got != c.differ {
				t.Errorf("differ: %q, want %q", got, c.differ)
			}
		})
	}
}

// TestDocHash says what changes the hash of a documentation.
func TestDocHash(t *testing.T) {
	hash := func(doc string) graph.DocHash {
		return extractFile(t, "a.go", []byte("package p\n\n"+doc+"func f() {}\n")).Decls[0].DocHash
	}
	a := hash("// F does\n// this.\n")
	for doc, same := range map[string]bool{
		"// F does this.\n":                    true,
		"//F  does this.\n":                    true,
		"/* F does\n   this. */\n":             true,
		"// F does\n// this.\n//go:noinline\n": true,
		"// F does\n// that.\n":                false,
		"// F does\n// this.\n\n":              false,
		"":                                     false,
	} {
		if got := hash(doc) == a; got != same {
			t.Errorf("%q: same %v", doc, got)
		}
	}
	if !hash("").IsZero() {
		t.Error("no documentation, but a hash")
	}
}
