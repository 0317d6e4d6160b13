package source_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/source"
)

func TestOpenRepo(t *testing.T) {
	r := newRepo(t)
	r.write("a/b/c.txt", "c\n")
	r.commit("first")
	real, err := filepath.EvalSymlinks(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{".", "a", "a/b"} {
		opened, err := source.OpenRepo(filepath.Join(r.dir, dir))
		if err != nil {
			t.Fatalf("OpenRepo(%q): %v", dir, err)
		}
		if opened.Root() != real {
			t.Errorf("Root() from %q = %q, want %q", dir, opened.Root(), real)
		}
		opened.Close()
	}
	for _, dir := range []string{t.TempDir(), filepath.Join(r.dir, "nowhere")} {
		if _, err := source.OpenRepo(dir); !errors.Is(err, source.ErrNotRepository) {
			t.Errorf("OpenRepo(%q): %v", dir, err)
		}
	}
}

// TestForms opens the same history in all the forms that a repository takes,
// and expects the same tree of each.
func TestForms(t *testing.T) {
	origin := newRepo(t)
	origin.write("a.txt", "a\n", "dir/b.txt", "b\n", "dir/sub/c.txt", strings.Repeat("long line\n", 5000))
	origin.commit("first")
	origin.write("a.txt", "changed\n")
	origin.commit("second")
	origin.git("tag", "-a", "-m", "annotated", "v1")
	want := dump(origin.revision("HEAD"))
	url := "file://" + origin.dir

	clone := func(t *testing.T, args ...string) repo {
		dir := filepath.Join(t.TempDir(), "clone")
		origin := origin
		origin.t = t
		origin.git(append(append([]string{"clone", "--quiet"}, args...), dir)...)
		return repo{t, dir}
	}
	tests := []struct {
		name string
		make func(t *testing.T) repo
	}{
		{"packed", func(t *testing.T) repo {
			r := clone(t, url)
			r.git("gc", "--quiet", "--aggressive")
			return r
		}},
		{"packed references", func(t *testing.T) repo {
			r := clone(t, url)
			r.git("pack-refs", "--all", "--prune")
			return r
		}},
		{"alternates", func(t *testing.T) repo { return clone(t, "--shared", origin.dir) }},
		{"alternates of alternates", func(t *testing.T) repo {
			middle := clone(t, "--shared", origin.dir)
			dir := filepath.Join(t.TempDir(), "clone")
			middle.git("clone", "--quiet", "--shared", ".", dir)
			return repo{t, dir}
		}},
		{"linked work tree", func(t *testing.T) repo {
			r := clone(t, url)
			dir := filepath.Join(t.TempDir(), "linked")
			r.git("worktree", "add", "--quiet", "-b", "other", dir)
			return repo{t, dir}
		}},
		{"detached", func(t *testing.T) repo {
			r := clone(t, url)
			r.git("checkout", "--quiet", "--detach")
			return r
		}},
		{"shallow", func(t *testing.T) repo { return clone(t, "--depth=1", url) }},
		{"partial", func(t *testing.T) repo {
			origin.git("config", "uploadpack.allowFilter", "true")
			return clone(t, "--filter=blob:none", url)
		}},
		{"sparse", func(t *testing.T) repo {
			r := clone(t, url)
			r.git("sparse-checkout", "set", "--no-sparse-index", "dir/sub")
			return r
		}},
		{"sparse index", func(t *testing.T) repo {
			r := clone(t, url)
			r.git("sparse-checkout", "set", "--cone", "--sparse-index", "other")
			return r
		}},
		{"worktree configuration", func(t *testing.T) repo {
			r := clone(t, url)
			r.git("config", "extensions.worktreeConfig", "true")
			return r
		}},
		{"separate git folder", func(t *testing.T) repo {
			return clone(t, "--separate-git-dir="+filepath.Join(t.TempDir(), "elsewhere"), url)
		}},
		{"multi-pack index and commit graph", func(t *testing.T) repo {
			r := clone(t, url)
			r.git("repack", "-q", "-a", "-d", "--write-midx", "--write-bitmap-index")
			r.git("commit-graph", "write", "--reachable")
			return r
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := test.make(t)
			equal(t, r.workTree(), r.revision("HEAD"))
			equal(t, r.staged(), r.revision("HEAD"))
			if got := dump(r.revision("HEAD")); got != want {
				t.Errorf("tree:\n%.1000s\nwant:\n%.1000s", got, want)
			}
			head := r.git("rev-parse", "HEAD")
			if got := resolve(t, r.open(), "HEAD").ID; got != head {
				t.Errorf("HEAD = %s, want %s", got, head)
			}
		})
	}

	t.Run("bare", func(t *testing.T) {
		r := clone(t, "--bare", url)
		if got := dump(r.revision("main")); got != want {
			t.Errorf("tree:\n%.1000s\nwant:\n%.1000s", got, want)
		}
		if _, err := r.open().WorkTree(); !errors.Is(err, source.ErrNoWorkTree) {
			t.Errorf("WorkTree: %v", err)
		}
	})
	t.Run("missing blob", func(t *testing.T) {
		origin.git("config", "uploadpack.allowFilter", "true")
		r := clone(t, "--filter=blob:none", url)
		tree := r.revision("HEAD^")
		i, _ := source.Find(tree.Entries(), "a.txt")
		if _, err := tree.Read(i, -1); !errors.Is(err, source.ErrMissingObject) {
			t.Errorf("Read of a blob that was not fetched: %v", err)
		}
		if got := content(t, tree, "dir/b.txt"); got != "b\n" {
			t.Errorf("dir/b.txt = %q", got)
		}
	})
}

func TestSHA256(t *testing.T) {
	r := newRepo(t, "--object-format=sha256")
	r.write("a.txt", "a\n", "dir/b.txt", "b\n", "dir/c.txt", "c\n")
	first := r.commit("first")
	r.write("a.txt", "changed\n")
	second := r.commit("second")
	equal(t, r.workTree(), r.revision("HEAD"))
	equal(t, r.staged(), r.revision("HEAD"))
	opened := r.open()
	for rev, want := range map[string]string{"HEAD^": first, "main": second, second[:9]: second, "@~1": first} {
		if got := resolve(t, opened, rev).ID; got != want {
			t.Errorf("Resolve(%q) = %s, want %s", rev, got, want)
		}
	}
	r.write("new.txt", "new\n")
	changes, err := source.Changed(r.revision("HEAD^"), r.workTree())
	if err != nil || fmt.Sprint(changes) != "[{a.txt  modified false} {new.txt  added false}]" {
		t.Errorf("Changed = %v, %v", changes, err)
	}
}

// TestOddNames commits names that are not text.
func TestOddNames(t *testing.T) {
	r := newRepo(t)
	names := []string{"line\nfeed.txt", "tab\there", "invalid\xff\xfe.go", "quote\"d", "back\\slash", "sp ace", "ünï", "-dash", "a.b", "a/c", "a0"}
	for _, name := range names {
		r.write(name, name)
	}
	r.commit("first")
	equal(t, r.workTree(), r.revision("HEAD"))
	equal(t, r.staged(), r.revision("HEAD"))
	for _, name := range names {
		if got := content(t, r.revision("HEAD"), name); got != name {
			t.Errorf("%q holds %q", name, got)
		}
	}
	if got := len(r.tree(source.OpenDir(r.dir)).Entries()); got != len(names) {
		t.Errorf("%d entries in the folder", got)
	}
}

func TestSubmodule(t *testing.T) {
	inner := newRepo(t)
	inner.write("inner.txt", "i\n")
	commit := inner.commit("inner")
	r := newRepo(t)
	r.write("a.txt", "a\n")
	r.git("submodule", "--quiet", "add", "file://"+inner.dir, "mod")
	r.commit("first")
	// A repository within the tree that is not a submodule yet.
	nested := repo{t, filepath.Join(r.dir, "nested")}
	r.write("nested/n.txt", "n\n")
	nested.git("init", "--quiet")
	nested.commit("nested")

	head := r.revision("HEAD")
	i, found := source.Find(head.Entries(), "mod")
	if !found || head.Entries()[i].Mode != source.Submodule || head.Entries()[i].ID != commit {
		t.Fatalf("entries: %v", head.Entries())
	}
	if _, err := head.Read(i, -1); !errors.Is(err, source.ErrNoContent) {
		t.Errorf("Read of a submodule: %v", err)
	}
	if got := paths(r.workTree()); got != ".gitmodules a.txt mod nested" {
		t.Errorf("work tree: %s", got)
	}
	r.remove("nested")
	equal(t, r.workTree(), r.revision("HEAD"))
	sub := repo{t, filepath.Join(r.dir, "mod")}
	equal(t, sub.workTree(), sub.revision("HEAD"))
}

func TestMissingBlobIsOneEntry(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "a\n", "b.txt", "b\n", "dir/c.txt", "c\n")
	r.commit("first")
	id := r.git("rev-parse", "HEAD:b.txt")
	r.remove(filepath.Join(".git", "objects", id[:2], id[2:]))
	tree := r.revision("HEAD")
	if paths(tree) != "a.txt b.txt dir/c.txt" || len(tree.Gaps()) != 0 {
		t.Errorf("entries %v, gaps %v", paths(tree), tree.Gaps())
	}
	i, _ := source.Find(tree.Entries(), "b.txt")
	if _, err := tree.Read(i, -1); !errors.Is(err, source.ErrMissingObject) {
		t.Errorf("Read: %v", err)
	}
	if got := content(t, tree, "dir/c.txt"); got != "c\n" {
		t.Errorf("dir/c.txt = %q", got)
	}

	id = r.git("rev-parse", "HEAD:dir")
	r.remove(filepath.Join(".git", "objects", id[:2], id[2:]))
	tree = r.revision("HEAD")
	if gaps := tree.Gaps(); paths(tree) != "a.txt b.txt" || len(gaps) != 1 || gaps[0].Reason != source.MissingTree || gaps[0].Path != "dir/" {
		t.Errorf("entries %v, gaps %v", paths(tree), gaps)
	}
}

func TestTooLarge(t *testing.T) {
	r := newRepo(t)
	r.git("config", "core.autocrlf", "true")
	r.write("big.txt", strings.Repeat("line\r\n", 100_000)) // 500,000 bytes in git
	r.commit("first")
	r.write("edited.txt", strings.Repeat("line\r\n", 100_000))
	for name, tree := range map[string]source.Tree{"work tree": r.workTree(), "revision": r.revision("HEAD")} {
		for i, e := range tree.Entries() {
			if data, err := tree.Read(i, 500_000); err != nil || len(data) != 500_000 {
				t.Errorf("%s: %s: %d bytes, %v", name, e.Path, len(data), err)
			}
			var tooLarge *source.TooLargeError
			if _, err := tree.Read(i, 499_999); !errors.As(err, &tooLarge) {
				t.Errorf("%s: %s: %v", name, e.Path, err)
			}
		}
	}
}

func TestHead(t *testing.T) {
	r := newRepo(t)
	if head, err := r.open().Head(); head != (source.Head{Branch: "main"}) || err != nil {
		t.Errorf("unborn: %v, %v", head, err)
	}
	if _, err := r.open().Resolve("HEAD"); !errors.Is(err, source.ErrEmptyRepository) {
		t.Errorf("Resolve in an empty repository: %v", err)
	}
	r.write("a.txt", "a\n")
	if got := paths(r.workTree()); got != "a.txt" {
		t.Errorf("work tree without a commit: %s", got)
	}
	id := r.commit("first")
	if head, err := r.open().Head(); head != (source.Head{Branch: "main", ID: id}) || err != nil {
		t.Errorf("branch: %v, %v", head, err)
	}
	r.git("checkout", "-q", "--detach")
	if head, err := r.open().Head(); head != (source.Head{ID: id}) || err != nil {
		t.Errorf("detached: %v, %v", head, err)
	}
}
