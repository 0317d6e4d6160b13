package main

import (
	"bytes"
	goparser "go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

const sample = `// Package p is a sample.
package p

import (
	"fmt"
	"os"
)

// T is a type.
type T struct {
	a, b int
	*os.File
}

const (
	A = iota
	B
	C = "x"
)

// M prints.
func (t *T) M(x, y int) (err error) {
	fmt.Println(x, "a\tb {\n", y) // words
	return nil
}

func init() {}

var f = func(s string) {}
`

func TestParse(t *testing.T) {
	x := parse([]byte(sample))
	names := slices.Sorted(maps.Keys(x.symbols))
	if got, want := strings.Join(names, " "), "A B C T T.File T.M T.a T.b f init"; got != want {
		t.Errorf("declares %s, want %s", got, want)
	}
	if !x.own["init"] || x.own["f"] {
		t.Error("init, and nothing else, is the file's own")
	}
	for name, want := range map[string]string{"T.M": "*(int,int)(error)", "f": "var (string)()", "T": "struct *os.File"} {
		if got := x.symbols[name][0].shape; got != want {
			t.Errorf("shape of %s is %q, want %q", name, got, want)
		}
	}
	if a, b := x.symbols["A"][0], x.symbols["B"][0]; a == b {
		t.Error("constants that count are all the same")
	}
}

// TestEdits checks that the edits that shall change nothing do change the text,
// and leave what is declared as it was.
func TestEdits(t *testing.T) {
	was := parse([]byte(sample))
	for _, x := range edits {
		now := x.edit([]byte(sample))
		if bytes.Equal(now, []byte(sample)) {
			t.Errorf("%s: nothing was edited", x.name)
		}
		if _, err := goparser.ParseFile(token.NewFileSet(), "", now, 0); err != nil {
			t.Errorf("%s: %v\n%s", x.name, err, now)
		}
		if is := parse(now); !maps.EqualFunc(was.symbols, is.symbols, slices.Equal[[]text]) {
			t.Errorf("%s: other declarations:\n%s", x.name, now)
		}
	}
}
