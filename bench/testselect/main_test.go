package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const covered = `
{"t":"meta","tool":"go"}
{"t":"decl","id":0,"name":"F","dir":"a","file":"a/a.go","line":3,"col":6}
{"t":"decl","id":1,"name":"G","dir":"a","file":"a/a.go","line":5,"col":6}
{"t":"decl","id":2,"name":"Gone","dir":"a","file":"a/a.go","line":9,"col":6}
{"t":"closure","dir":"a","deps":["a"]}
{"t":"closure","dir":"b","deps":["b"]}
{"t":"test","dir":"a","name":"TestF","ok":true,"runs":[0]}
{"t":"test","dir":"a","name":"TestG","ok":true,"runs":[1,0,2]}
{"t":"test","dir":"b","name":"TestB","ok":true,"runs":[]}
`

func TestCompare(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module m\n",
		"a/a.go":      "package a\n\nfunc F() {}\n\nfunc G() {}\n",
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { F() }\nfunc TestG(t *testing.T) { G() }\n",
		"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {}\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g, err := build(dir)
	if err != nil {
		t.Fatal(err)
	}
	truth, err := readTruth(strings.NewReader(strings.TrimSpace(covered)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := compare(g, truth, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	r.print(&b, 9, 0)
	want := `3 tests, 2 declarations, 1 of them complete, 1 not in the graph
recall   0.6667 of 3 pairs of declaration and test, mean 0.7500
share    0.5000 of 4 tests that depend on the package, mean 0.5000
executed 0.7500 of those, the least that could be selected
missed 1 of 2: a/a.go:3 F by a/TestG
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
}
