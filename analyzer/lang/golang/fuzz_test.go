package golang

import (
	"bytes"
	"go/build"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// FuzzExtract expects no panic and sound facts for any bytes.
func FuzzExtract(f *testing.F) {
	archives, _ := filepath.Glob("testdata/extract/*.txtar")
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			if filepath.Ext(file.Name) == ".go" {
				f.Add(file.Data)
			}
		}
	}
	p := syntax.NewParser()
	var b facts.Builder
	f.Fuzz(func(t *testing.T, src []byte) {
		tree, err := p.Parse(grammar(), src)
		if err != nil {
			return
		}
		x := Extract(tree, &b)
		if err := checkFacts(x); err != nil {
			t.Fatal(err)
		}
		// A second extraction with the same builder is the same.
		var one, two bytes.Buffer
		facts.Dump(&one, x)
		facts.Dump(&two, Extract(tree, &b))
		if !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Fatal("a second extraction differs")
		}
	})
}

// TestCutFiles extracts files that end anywhere and files with bytes missing.
func TestCutFiles(t *testing.T) {
	archives, _ := filepath.Glob("testdata/extract/*.txtar")
	if len(archives) == 0 {
		t.Fatal("no cases")
	}
	p := syntax.NewParser()
	var b facts.Builder
	check := func(src []byte) {
		tree, err := p.Parse(grammar(), src)
		if err != nil {
			return
		}
		if err := checkFacts(Extract(tree, &b)); err != nil {
			t.Fatalf("%v in\n%s", err, src)
		}
	}
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range a.Files {
			if filepath.Ext(file.Name) != ".go" {
				continue
			}
			for i := 0; i < len(file.Data); i += 7 {
				check(file.Data[:i])
				check(append(bytes.Clone(file.Data[:i]), file.Data[min(i+5, len(file.Data)):]...))
			}
		}
	}
}

// TestHostileFiles extracts what is made to be slow or deep; a quadratic step
// would not end.
func TestHostileFiles(t *testing.T) {
	repeat := func(before, s, after string, n int) []byte {
		return append(append([]byte(before), bytes.Repeat([]byte(s), n)...), after...)
	}
	p := syntax.NewParser()
	p.Limits.Depth = 1 << 20 // the extractor has a limit of its own
	var b facts.Builder
	for name, src := range map[string][]byte{
		"parentheses": repeat("package p\nvar x = ", "(", "", 50_000),
		"unary":       repeat("package p\nvar x = ", "!", "x", 50_000),
		"binary":      repeat("package p\nvar x = 1", "+1", "", 50_000),
		"pointers":    repeat("package p\nvar x ", "*", "T", 50_000),
		"structs":     repeat("package p\ntype T ", "struct{A ", "int", 20_000),
		"closed":      append(repeat("package p\ntype T ", "struct{A ", "int", 4_000), bytes.Repeat([]byte("}"), 4_000)...),
		"functions":   append(repeat("package p\nvar x = ", "func() {", "", 4_000), bytes.Repeat([]byte("}"), 4_000)...),
		"composites":  append(repeat("package p\nvar x = T", "{", "", 20_000), bytes.Repeat([]byte("}"), 20_000)...),
		"if else":     repeat("package p\nfunc f() { ", "if a {} else ", "{} }", 20_000),
		"locals":      repeat("package p\nfunc f() { ", "a, b := c, d; ", "}", 20_000),
		"names":       repeat("package p\nvar a", ", a", " map[string]struct{ A, B, C int }\n", 100_000),
		"fields":      repeat("package p\ntype T struct { a", ", a", " map[string]map[string]map[string]int }\n", 100_000),
		"consts":      repeat("package p\nconst (a = iota + f("+string(bytes.Repeat([]byte("1+"), 500))+"1)\n", "b\n", ")", 50_000),
		"parameters":  repeat("package p\nfunc f(a", ", a", " map[string]int) {}", 100_000),
		"linknames":   repeat("package p\n", "//go:linkname f g\nfunc f()\n", "", 10_000),
		"comments":    repeat("package p\n", "// a. b\n", "func f() {}\n", 100_000),
		"news":        repeat("package p\n", "new/* */", "", 50_000),
		"deprecated":  repeat("package p\n// ", "Deprecated:", "\nfunc f() {}\n", 50_000),
		"tests":       repeat("package p\nimport \"testing\"\n", "func TestA(t *testing.T) {}\n", "", 20_000),
		"cases":       repeat("package p\nfunc f() { switch x := y.(type) { ", "case T: x()\n", "} }", 20_000),
		"errors":      repeat("package p\n", "func ) {\n", "", 20_000),
	} {
		tree, err := p.Parse(grammar(), src)
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		start := time.Now()
		f := Extract(tree, &b)
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s: %v", name, d)
		} else {
			t.Logf("%s: %d bytes, %v", name, len(src), d)
		}
		if err := checkFacts(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkExtract measures extraction with hashing; BenchmarkParse the parsing
// it comes on top of.
func BenchmarkExtract(b *testing.B) {
	p, files, size := benchmarkFiles(b)
	var trees []*syntax.Tree
	for _, src := range files {
		tree, err := p.Parse(grammar(), src)
		if err != nil {
			b.Fatal(err)
		}
		trees = append(trees, tree.Clone())
	}
	var fb facts.Builder
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, t := range trees {
			Extract(t, &fb)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	p, files, size := benchmarkFiles(b)
	b.SetBytes(size)
	for b.Loop() {
		for _, src := range files {
			if _, err := p.Parse(grammar(), src); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func benchmarkFiles(b *testing.B) (*syntax.Parser, [][]byte, int64) {
	names, _ := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", "net", "http", "*.go"))
	var files [][]byte
	var size int64
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		files, size = append(files, src), size+int64(len(src))
	}
	if len(files) == 0 {
		b.Skip("no Go sources here")
	}
	return syntax.NewParser(), files, size
}
