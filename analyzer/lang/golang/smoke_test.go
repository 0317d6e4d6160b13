package golang

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// TestTrees extracts every file of the folders named in KG_GO_TREES, a list as
// in PATH, and checks the facts' invariants.
func TestTrees(t *testing.T) {
	p := syntax.NewParser()
	var b facts.Builder
	for _, root := range filepath.SplitList(os.Getenv("KG_GO_TREES")) {
		var files, size, exprs, decls int
		var parsing, extracting time.Duration
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			t0 := time.Now()
			tree, err := p.Parse(grammar(), src)
			if err != nil {
				t.Logf("%s: %v", path, err)
				return nil
			}
			t1 := time.Now()
			f := Extract(tree, &b)
			t2 := time.Now()
			parsing, extracting = parsing+t1.Sub(t0), extracting+t2.Sub(t1)
			files, size = files+1, size+len(src)
			exprs, decls = exprs+len(f.Exprs), decls+len(f.Decls)
			if err := f.Check(); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			if len(f.Unparsed) > 0 && !strings.Contains(path, "testdata") {
				t.Logf("%s: unparsed %v", path, f.Unparsed)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d files, %.1f MB, %d declarations, %d expressions, parse %v, extract %v (%.2f)", root,
			files, float64(size)/1e6, decls, exprs, parsing, extracting, extracting.Seconds()/parsing.Seconds())
	}
}
