package link

import (
	"reflect"
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
	one, two := linker{symIndex: map[string]Sym{}}, linker{symIndex: map[string]Sym{}}
	one.sym("before")
	two.sym("before")
	var want [][]Sym
	for i := range files {
		want = append(want, one.symbols(files[i].Facts))
	}
	if got := two.symbolsOf(files); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !reflect.DeepEqual(two.symNames, one.symNames) || !reflect.DeepEqual(two.symIndex, one.symIndex) {
		t.Errorf("got %q, want %q", two.symNames, one.symNames)
	}
}
