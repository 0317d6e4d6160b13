package analyzer_test

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/source/sourcetest"
)

// What files are called decides nothing in languages whose names do not come from them:
// with names that sort the other way round, the declarations and edges of every example
// are the same. Variants are left out, as the first file has the one that stands for all,
// and what embeds files by their names.
func TestOrderOfNames(t *testing.T) {
	prefix := regexp.MustCompile(`r[0-9]{3}_`)
	checked := 0
	for _, lang := range []string{"java", "go"} {
		names, err := filepath.Glob("../testdata/" + lang + "/*.txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var files, reversed []txtar.File
			variants, named := false, false
			for i, f := range a.Files {
				if f.Name == "want" || strings.HasPrefix(f.Name, external) {
					continue
				}
				variants = variants || bytes.Contains(f.Data, []byte("//go:build")) || platform.MatchString(f.Name)
				named = named || bytes.Contains(f.Data, []byte("//go:embed"))
				files = append(files, f)
				if base := path.Base(f.Name); path.Ext(base) == "."+lang && base[0] != '_' && base[0] != '.' {
					f.Name = path.Join(path.Dir(f.Name), fmt.Sprintf("r%03d_%s", 999-i, base))
				}
				reversed = append(reversed, f)
			}
			if variants || named {
				continue
			}
			checked++
			want, got := lines(t, files), lines(t, reversed)
			for i, l := range got {
				got[i] = prefix.ReplaceAllString(l, "")
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Errorf("%s: with other names of files\n%s\ninstead of\n%s", name, got[i], want[i])
						break
					}
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d examples", checked)
	}
}

// platform matches names of Go files that only some builds have.
var platform = regexp.MustCompile(`_(linux|windows|darwin|unix|amd64|arm64|js|wasm)(_test)?\.go$`)

// lines returns the nodes, edges and unknowns of a tree as lines of JSON.
func lines(t *testing.T, files []txtar.File) []string {
	t.Helper()
	g, err := analyzer.Build(context.Background(), sourcetest.Tree(files), analyzer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := artifact.JSONL(&b, g); err != nil {
		t.Fatal(err)
	}
	return strings.Split(b.String(), "\n")
}
