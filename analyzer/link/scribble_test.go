package link_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/link"
	"github.com/codekg/kg/analyzer/source/sourcetest"
)

// TestScribble holds that nothing which an evaluator keeps from one file to the next
// is read: which file that was depends on what other workers took.
func TestScribble(t *testing.T) {
	names, err := filepath.Glob("../../testdata/*/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	build := func(files []txtar.File) []byte {
		g, err := analyzer.Build(t.Context(), sourcetest.Tree(files), analyzer.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := artifact.Write(&b, g); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		clean := build(a.Files)
		link.Scribble(true)
		scribbled := build(a.Files)
		link.Scribble(false)
		if !bytes.Equal(clean, scribbled) {
			t.Errorf("%s: other bytes", name)
		}
	}
}
