package source_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/source"
)

func TestChanged(t *testing.T) {
	r := newRepo(t)
	r.write(
		"same.txt", "same\n", "edit.txt", "edit\n", "gone.txt", "gone\n", "old/name.txt", "moved\n", "x/one.txt", "twin\n", "x/two.txt", "twin\n",
		"empty-a", "", "mode.sh", "m\n", "both.sh", "b\n", "link", "a file\n", "run.sh", "run\n",
	)
	r.commit("first")
	r.write("edit.txt", "edited\n", "new/name.txt", "moved\n", "y/two.txt", "twin\n", "y/zero.txt", "twin\n", "empty-b", "", "both.sh", "bb\n", "new.txt", "new\n", "bin/run.sh", "run\n")
	for _, name := range []string{"gone.txt", "old", "x", "empty-a", "link", "run.sh"} {
		r.remove(name)
	}
	for _, name := range []string{"mode.sh", "both.sh", "bin/run.sh"} {
		if err := os.Chmod(filepath.Join(r.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("edit.txt", filepath.Join(r.dir, "link")); err != nil {
		t.Fatal(err)
	}
	const want = `bin/run.sh renamed run.sh mode
both.sh modified mode
edit.txt modified
empty-a removed
empty-b added
gone.txt removed
link modified mode
mode.sh mode mode
new.txt added
new/name.txt renamed old/name.txt
y/two.txt renamed x/two.txt
y/zero.txt renamed x/one.txt
`
	folder := r.tree(source.OpenDir(r.dir))
	for name, tree := range map[string]source.Tree{"work tree": r.workTree(), "folder": folder} {
		if got := changes(t, r.revision("HEAD"), tree); got != want {
			t.Errorf("%s:\n%swant:\n%s", name, got, want)
		}
	}
	r.commit("second")
	if got := changes(t, r.revision("HEAD^"), r.revision("HEAD")); got != want {
		t.Errorf("revisions:\n%swant:\n%s", got, want)
	}
	for _, tree := range []source.Tree{r.workTree(), r.staged(), folder} {
		if got := changes(t, r.revision("HEAD"), tree); got != "" {
			t.Errorf("without a change:\n%s", got)
		}
	}
}

func changes(t *testing.T, base, head source.Tree) string {
	t.Helper()
	all, err := source.Changed(base, head)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, c := range all {
		fmt.Fprintf(&b, "%s %s", c.Path, c.Kind)
		if c.OldPath != "" {
			fmt.Fprintf(&b, " %s", c.OldPath)
		}
		if c.ModeChanged {
			b.WriteString(" mode")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func BenchmarkChanged(b *testing.B) {
	dir := benchRepo(b)
	r, tree := openRevision(b, dir)
	defer r.Close()
	work, err := r.WorkTree()
	if err != nil {
		b.Fatal(err)
	}
	defer work.Close()
	for b.Loop() {
		if _, err := source.Changed(tree, work); err != nil {
			b.Fatal(err)
		}
	}
}
