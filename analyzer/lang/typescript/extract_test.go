package typescript

import (
	"testing"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/lang/langtest"
	"github.com/codekg/kg/analyzer/syntax"
)

func extract(t testing.TB, base, src string) *facts.File {
	_, grammar := dialectFor(base)
	p := syntax.NewParser()
	defer p.Close()
	tree, err := p.Parse(grammar, []byte(src))
	if err != nil {
		t.Skip(err)
	}
	var b facts.Builder
	f := Extract(tree, &b)
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFormatting holds hashes and signatures against what a formatter changes.
func TestFormatting(t *testing.T) {
	pairs := [][2]string{
		{"function f(a: string, b = 1): void { g(a, 'x'); }", "/** doc */\nfunction f(\n  a: string,\n  b = 1,\n): void {\n  g(a, \"x\") // why\n}"},
		{"class A { m() { return [1, 2]; } x = 1; }", "class A {\n  m() {\n    return [\n      1,\n      2,\n    ]\n  }\n  x = 1\n}"},
		{"export const o = { a: 1, run() { return 2; } };", "export const o = {\n  a: 1,\n  run() {\n    return 2\n  },\n}"},
	}
	for _, p := range pairs {
		a, b := extract(t, "a.ts", p[0]), extract(t, "a.ts", p[1])
		if len(a.Decls) != len(b.Decls) {
			t.Fatalf("%q: %d declarations, then %d", p[0], len(a.Decls), len(b.Decls))
		}
		for i := range a.Decls {
			x, y := &a.Decls[i], &b.Decls[i]
			if x.Body != y.Body || a.Str(x.Signature) != b.Str(y.Signature) {
				t.Errorf("%s: %q, then %q; the same body: %v", a.Str(x.Name), a.Str(x.Signature), b.Str(y.Signature), x.Body == y.Body)
			}
		}
	}
	a, b := extract(t, "a.ts", "function f() { return 1; }"), extract(t, "a.ts", "function f() { return 2; }")
	if a.Decls[0].Body == b.Decls[0].Body || a.Decls[0].Body == (graph.Hash{}) {
		t.Error("another body has the same hash")
	}
}

func TestExtractAnything(t *testing.T) { langtest.Anything(t, Language) }

func FuzzExtract(f *testing.F) { langtest.Fuzz(f, Language) }

// TestSurfaceRows: what a declaration file says can be stored in rows, though a type
// parameter is named first inside of a literal.
func TestSurfaceRows(t *testing.T) {
	f, err := Surface([]byte("type Rest<T> = T extends (this: any, ...args: infer A) => infer R ? (...args: A) => R : T;\ninterface Call<T> { map<U>(f: (value: T) => U): Call<U>; self(): this }\n"))
	if err != nil {
		t.Fatal(err)
	}
	a := facts.NewArchive()
	a.Add("lib", "", []*facts.File{f})
	if _, err := a.Rows(""); err != nil {
		t.Error(err)
	}
}
