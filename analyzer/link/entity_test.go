package link

import (
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/codekg/kg/analyzer/facts"
)

// The symbols of many files, which two goroutines look for, are those that one finds.
func TestSymbolsOf(t *testing.T) {
	var files []File
	for i := range manyFiles + 1 {
		own, shared := "own"+strconv.Itoa(i), "shared"+strconv.Itoa(i%7)
		files = append(files, File{Facts: &facts.File{Strings: []string{"", shared, own, "same", own}}})
	}
	one, two := linker{syms: facts.NewInterner(0)}, linker{syms: facts.NewInterner(0)}
	one.sym("before")
	two.sym("before")
	var want [][]Sym
	for i := range files {
		want = append(want, one.symbols(files[i].Facts))
	}
	if got := two.symbolsOf(files); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !slices.Equal(two.syms.Strings, one.syms.Strings) {
		t.Errorf("got %q, want %q", two.syms.Strings, one.syms.Strings)
	}
}
