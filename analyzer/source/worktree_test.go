package source_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/source"
)

// TestCleanWorkTreeIsHead holds the promise on which everything stands: the
// work tree of a clean checkout is its commit, with the same entries, IDs
// and bytes, whatever git did to the bytes on disk.
func TestCleanWorkTreeIsHead(t *testing.T) {
	tests := []struct {
		name  string
		setup func(r repo)
	}{
		{"plain", func(r repo) {}},
		{"autocrlf=true", func(r repo) { r.git("config", "core.autocrlf", "true") }},
		{"autocrlf=input", func(r repo) { r.git("config", "core.autocrlf", "input") }},
		{"eol=crlf", func(r repo) { r.write(".gitattributes", "* text=auto eol=crlf\n*.bin -text\n") }},
		{"text", func(r repo) { r.write(".gitattributes", "*.txt text\n", "sub/.gitattributes", "*.txt eol=crlf\n") }},
		{"macro", func(r repo) {
			r.write(".gitattributes", "[attr]prose text eol=crlf\n*.txt prose\n*.bin binary\n")
		}},
		{"no modes", func(r repo) { r.git("config", "core.fileMode", "false") }},
		{"index version 4", func(r repo) { r.git("config", "index.version", "4") }},
		{"split index", func(r repo) { r.git("config", "core.splitIndex", "true") }},
		{"untracked cache", func(r repo) { r.git("config", "core.untrackedCache", "true") }},
	}
	for _, test := range tests {
		for _, fresh := range []bool{true, false} {
			name := test.name + "/old"
			if fresh {
				name = test.name + "/fresh"
			}
			t.Run(name, func(t *testing.T) {
				r := newRepo(t)
				test.setup(r)
				r.write(
					"a.txt", "one\ntwo\n",
					"crlf.txt", "one\r\ntwo\r\n",
					"mixed.txt", "one\r\ntwo\n",
					"lone.txt", "one\rtwo\r\n",
					"a.bin", "\x00\x01\r\n\x02",
					"empty", "",
					"sub/b.txt", "b\n",
					"sub/deep/c.txt", "c\n",
					"sub.txt", "sorts between sub/ and sub\n",
				)
				r.write("run.sh", "#!/bin/sh\n")
				if err := os.Chmod(filepath.Join(r.dir, "run.sh"), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink("a.txt", filepath.Join(r.dir, "link")); err != nil {
					t.Fatal(err)
				}
				r.commit("first")
				// A checkout writes what git thinks right.
				r.git("rm", "-r", "-q", "--cached", ".")
				r.git("reset", "--hard", "--quiet")
				if !fresh {
					r.age()
				}
				if s := r.git("status", "--porcelain"); s != "" {
					t.Fatalf("git says the tree is dirty:\n%s", s)
				}
				equal(t, r.workTree(), r.revision("HEAD"))
				equal(t, r.staged(), r.revision("HEAD"))
				if dirty, err := r.open().IsDirty(nil); dirty || err != nil {
					t.Errorf("IsDirty = %v, %v", dirty, err)
				}
			})
		}
	}
}

// TestDirtyWorkTree changes a tree in many ways, opens it, and then lets git
// commit it.
func TestDirtyWorkTree(t *testing.T) {
	for _, autocrlf := range []string{"false", "true", "input"} {
		t.Run("autocrlf="+autocrlf, func(t *testing.T) {
			r := newRepo(t)
			r.git("config", "core.autocrlf", autocrlf)
			r.write(
				".gitignore", "*.log\n/build/\n!keep.log\n",
				"a.txt", "a\n", "b.txt", "b\n", "tracked.log", "tracked and ignored\n",
				"dir/x.txt", "x\n", "dir/y.txt", "y\n", "gone/z.txt", "z\n", "type", "a file\n", "mode.sh", "exit\n",
				"build/tracked.txt", "below an ignored folder\n", "crlf.txt", "1\r\n", "touched.txt", "t\n",
			)
			r.git("-c", "core.autocrlf=false", "add", "--all", "--force")
			r.git("commit", "-q", "-m", "first")
			r.git("reset", "--hard", "--quiet")
			r.age()

			r.remove("gone")
			r.remove("dir/y.txt")
			r.remove("type")
			if err := os.Chmod(filepath.Join(r.dir, "mode.sh"), 0o755); err != nil {
				t.Fatal(err)
			}
			r.write(
				"a.txt", "changed\r\n", "new.txt", "untracked\r\n", "noise.log", "ignored\n", "keep.log", "kept\n",
				"build/out.txt", "ignored\n", "dir/.gitignore", "z*\n", "dir/z.txt", "ignored\n", "dir/new/w.txt", "w\n",
				"tracked.log", "changed\n", "type/now", "a folder\n", "crlf.txt", "1\r\n2\r\n", "touched.txt", "t\n",
				"new.bin", "\x00\r\n",
			)
			if err := os.Symlink("a.txt", filepath.Join(r.dir, "link")); err != nil {
				t.Fatal(err)
			}
			work := r.workTree()
			before := dump(work)
			if dirty, err := r.open().IsDirty(work); !dirty || err != nil {
				t.Errorf("IsDirty = %v, %v", dirty, err)
			}
			r.commit("second")
			if want := dump(r.revision("HEAD")); before != want {
				t.Errorf("work tree:\n%s\nits commit:\n%s", before, want)
			}
		})
	}
}

func TestRacilyCleanFile(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "one\n")
	r.commit("first")
	r.write("a.txt", "two\n") // the same size, in the same second
	if got := content(t, r.workTree(), "a.txt"); got != "two\n" {
		t.Errorf("content = %q", got)
	}
}

// TestIgnores: every sort of tree, by the rules of another commit, which a file
// that hides itself cannot change.
func TestIgnores(t *testing.T) {
	r := newRepo(t)
	r.write(".kgignore", "b.go\n", "a.go", "a", "b.go", "b", "c.go", "c")
	r.commit("first")
	r.write(".kgignore", "*\n")
	r.commit("second")
	r.write("d.go", "d")
	r.git("add", "d.go")
	repo := r.open()
	by, err := repo.Ignores(resolve(t, repo, "HEAD^1"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		own, by func() (source.Tree, error)
		want    string
	}{
		"revision": {func() (source.Tree, error) { return repo.Revision(resolve(t, repo, "HEAD")) },
			func() (source.Tree, error) { return repo.RevisionHiddenBy(resolve(t, repo, "HEAD"), by) }, ".kgignore a.go c.go"},
		"index":     {repo.Staged, func() (source.Tree, error) { return repo.StagedHiddenBy(by) }, ".kgignore a.go c.go d.go"},
		"work tree": {repo.WorkTree, func() (source.Tree, error) { return repo.WorkTreeHiddenBy(by) }, ".kgignore a.go c.go d.go"},
	} {
		if got := paths(r.tree(c.own())); got != "" {
			t.Errorf("%s, by its own: %s", name, got)
		}
		if got := paths(r.tree(c.by())); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestKGIgnore(t *testing.T) {
	r := newRepo(t)
	r.write(
		".kgignore", "*.pb.go\nvendor/\n/top.txt\ndeep/**/x.txt\n",
		"a.go", "a", "a.pb.go", "g", "vendor/v.go", "v", "vendor/.kgignore", "!v.go\n",
		"top.txt", "t", "sub/top.txt", "t", "sub/.kgignore", "!keep.pb.go\nown.txt\n",
		"sub/keep.pb.go", "k", "sub/other.pb.go", "o", "sub/own.txt", "o", "own.txt", "o",
		"deep/a/b/x.txt", "x", "deep/y.txt", "y",
	)
	r.commit("first")
	r.write("untracked.pb.go", "u", "untracked.go", "u")
	const tracked = ".kgignore a.go deep/y.txt own.txt sub/.kgignore sub/keep.pb.go sub/top.txt"
	if got := paths(r.revision("HEAD")); got != tracked {
		t.Errorf("revision: %s", got)
	}
	if got := paths(r.staged()); got != tracked {
		t.Errorf("staged: %s", got)
	}
	if got, want := paths(r.workTree()), tracked+" untracked.go"; got != want {
		t.Errorf("work tree: %s", got)
	}
	for _, e := range r.workTree().Entries() {
		if (e.ID == "") != (e.Path == "untracked.go") {
			t.Errorf("%s has ID %q", e.Path, e.ID)
		}
	}
	folder := r.tree(source.OpenDir(r.dir))
	if got, want := paths(folder), tracked+" untracked.go"; got != want {
		t.Errorf("folder: %s", got)
	}
}

func TestStaged(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "a\n", "b.txt", "b\n", "c.txt", "c\n")
	r.commit("first")
	r.write("a.txt", "staged\n", "new.txt", "staged\n", "later.txt", "not staged\n")
	r.git("add", "a.txt", "new.txt")
	r.git("add", "--intent-to-add", "later.txt")
	r.git("rm", "--quiet", "c.txt")
	r.write("a.txt", "not staged\n", "b.txt", "not staged\n")
	staged := dump(r.staged())
	if got := content(t, r.workTree(), "later.txt"); got != "not staged\n" {
		t.Errorf("intent to add: %q", got)
	}
	r.git("commit", "--quiet", "-m", "second")
	if want := dump(r.revision("HEAD")); staged != want {
		t.Errorf("staged:\n%s\nits commit:\n%s", staged, want)
	}
}

func TestMergeConflict(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "a\n")
	r.commit("first")
	r.git("checkout", "-q", "-b", "side")
	r.write("a.txt", "side\n")
	r.commit("side")
	r.git("checkout", "-q", "main")
	r.write("a.txt", "main\n")
	r.commit("main")
	cmd := []string{"-c", "merge.conflictStyle=merge", "merge", "-q", "side"}
	func() { // the merge fails, as it should
		failing := repo{ignoreFatal{t}, r.dir}
		failing.git(cmd...)
	}()
	work := r.workTree()
	if got := content(t, work, "a.txt"); !strings.Contains(got, "<<<<<<<") {
		t.Errorf("content = %q", got)
	}
	if gaps := work.Gaps(); len(gaps) != 1 || gaps[0].Reason != source.Unmerged {
		t.Errorf("gaps = %v", gaps)
	}
	if _, err := r.open().Staged(); !errors.Is(err, source.ErrUnmerged) {
		t.Errorf("Staged: %v", err)
	}
}

// ignoreFatal lets a git command fail.
type ignoreFatal struct{ testing.TB }

func (ignoreFatal) Fatalf(string, ...any) {}

func TestFilteredFile(t *testing.T) {
	r := newRepo(t)
	r.write(".gitattributes", "*.dat filter=never\n", "a.dat", "a\n", "b.dat", "b\n")
	r.commit("first")
	// Were the filter to run, the file would be there afterwards.
	proof := filepath.Join(t.TempDir(), "proof")
	r.git("config", "filter.never.clean", "touch "+proof+"; cat")
	r.git("config", "filter.never.required", "true")
	r.git("config", "core.fsmonitor", "touch "+proof)
	r.write("a.dat", "changed\n")
	work := r.workTree()
	if got := content(t, work, "a.dat"); got != "changed\n" {
		t.Errorf("content = %q", got)
	}
	if gaps := work.Gaps(); len(gaps) != 1 || gaps[0].Reason != source.FilterNotRun || gaps[0].Path != "a.dat" {
		t.Errorf("gaps = %v", gaps)
	}
	if _, err := os.Stat(proof); err == nil {
		t.Error("a program of the repository's configuration ran")
	}
}
