package golang

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

var update = flag.Bool("update", false, "write the expected results anew")

// TestExtract compares the facts of the files in testdata/extract with the
// dumps that follow them.
func TestExtract(t *testing.T) {
	archives, err := filepath.Glob("testdata/extract/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(archives) == 0 {
		t.Fatal("no cases")
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			golden(t, path)
		})
	}
}

// golden runs the cases of one archive: each NAME.go or NAME.mod is followed by
// NAME.facts.
func golden(t *testing.T, path string) {
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := &txtar.Archive{Comment: a.Comment}
	want := map[string][]byte{}
	cases := 0
	for _, f := range a.Files {
		if filepath.Ext(f.Name) == ".facts" {
			want[f.Name] = f.Data
		}
	}
	for _, f := range a.Files {
		if filepath.Ext(f.Name) == ".facts" {
			continue
		}
		cases++
		var got bytes.Buffer
		facts.Dump(&got, extractFile(t, f.Name, f.Data))
		name := f.Name + ".facts"
		out.Files = append(out.Files, f, txtar.File{Name: name, Data: got.Bytes()})
		if !*update && !bytes.Equal(got.Bytes(), want[name]) {
			t.Errorf("%s:\n%s\nwant\n%s", f.Name, got.Bytes(), want[name])
		}
	}
	if cases == 0 {
		t.Fatal("no cases")
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var parsers = sync.Pool{New: func() any { return syntax.NewParser() }}

func extractFile(t testing.TB, name string, src []byte) *facts.File {
	t.Helper()
	var b facts.Builder
	if !strings.HasSuffix(name, ".go") {
		f, err := ExtractManifest(filepath.Base(name), src, &b)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	p := parsers.Get().(*syntax.Parser)
	defer parsers.Put(p)
	tree, err := p.Parse(grammar(), src)
	if err != nil {
		t.Fatal(err)
	}
	f := Extract(tree, &b)
	if err := checkFacts(f); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return f
}

// checkFacts reports the first invariant that the facts of a file break.
func checkFacts(f *facts.File) error {
	return f.Check()
}
