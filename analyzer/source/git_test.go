package source_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/codekg/kg/analyzer/history"
	"github.com/codekg/kg/analyzer/source"
)

// A repo is a real repository in a temporary folder, made by the git program.
type repo struct {
	t   testing.TB
	dir string
}

// newRepo makes an empty repository on the branch main. Tests of it are
// skipped where there is no git.
func newRepo(t testing.TB, options ...string) repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git program")
	}
	r := repo{t, t.TempDir()}
	r.git(append([]string{"init", "--quiet", "--initial-branch=main"}, options...)...)
	return r
}

// git runs git in the repository and returns what it printed.
func (r repo) git(args ...string) string {
	r.t.Helper()
	return r.gitAt(0, args...)
}

// gitAt is git at a fixed time, in seconds.
func (r repo) gitAt(date int, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	date += 1_700_000_000
	cmd.Env = append(os.Environ(),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.com",
		fmt.Sprintf("GIT_AUTHOR_DATE=%d +0000", date), fmt.Sprintf("GIT_COMMITTER_DATE=%d +0000", date),
		"GIT_ALLOW_PROTOCOL=file",
	)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return strings.TrimRight(string(out), "\n")
}

// write writes files: name, content, name, content, ...
func (r repo) write(files ...string) {
	r.t.Helper()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(r.dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o666); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r repo) remove(name string) {
	r.t.Helper()
	if err := os.RemoveAll(filepath.Join(r.dir, name)); err != nil {
		r.t.Fatal(err)
	}
}

// commit commits everything and returns the hash.
func (r repo) commit(message string) string {
	r.t.Helper()
	r.git("add", "--all")
	r.git("commit", "--quiet", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

// age makes all files a minute old, so that the index can be trusted.
func (r repo) age() {
	r.t.Helper()
	past := time.Now().Add(-time.Minute)
	err := filepath.WalkDir(r.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && d.Type().IsRegular() {
			return os.Chtimes(path, past, past)
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.git("update-index", "-q", "--really-refresh")
}

func (r repo) open() *source.Repo {
	r.t.Helper()
	opened, err := source.OpenRepo(r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { opened.Close() })
	return opened
}

func (r repo) workTree() source.Tree { return r.tree(r.open().WorkTree()) }
func (r repo) staged() source.Tree   { return r.tree(r.open().Staged()) }

func (r repo) revision(rev string) source.Tree {
	r.t.Helper()
	opened := r.open()
	return r.tree(opened.Revision(resolve(r.t, opened, rev)))
}

func (r repo) tree(t source.Tree, err error) source.Tree {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { t.Close() })
	return t
}

func resolve(t testing.TB, r *source.Repo, rev string) history.Commit {
	t.Helper()
	c, err := r.Resolve(rev)
	if err != nil {
		t.Fatalf("Resolve(%q): %v", rev, err)
	}
	return c
}

// dump writes a tree as text, one line for each entry and gap.
func dump(t source.Tree) string {
	var b strings.Builder
	for i, e := range t.Entries() {
		data, err := t.Read(i, -1)
		fmt.Fprintf(&b, "%s %q", e.Mode, e.Path)
		if err != nil {
			fmt.Fprintf(&b, " error: %v\n", err)
		} else {
			fmt.Fprintf(&b, " %q\n", data)
		}
	}
	for _, g := range t.Gaps() {
		fmt.Fprintf(&b, "gap %q %s\n", g.Path, g.Reason)
	}
	return b.String()
}

// paths lists the paths of a tree.
func paths(t source.Tree) string {
	var all []string
	for _, e := range t.Entries() {
		all = append(all, e.Path)
	}
	return strings.Join(all, " ")
}

// content reads the entry with the given path.
func content(t testing.TB, tree source.Tree, path string) string {
	t.Helper()
	i, found := source.Find(tree.Entries(), path)
	if !found {
		t.Fatalf("no entry %q in %s", path, paths(tree))
	}
	data, err := tree.Read(i, -1)
	if err != nil {
		t.Fatalf("reading %q: %v", path, err)
	}
	return string(data)
}

// equal checks that two trees have the same entries, with IDs, and bytes.
func equal(t testing.TB, got, want source.Tree) {
	t.Helper()
	if !slices.Equal(got.Entries(), want.Entries()) {
		t.Errorf("entries:\n%v\nwant:\n%v", got.Entries(), want.Entries())
	}
	if g, w := dump(got), dump(want); g != w {
		t.Errorf("tree:\n%s\nwant:\n%s", g, w)
	}
}
