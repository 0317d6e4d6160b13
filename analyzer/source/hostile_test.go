//go:build unix

package source_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/codekg/kg/analyzer/source"
)

// TestHostileFolder opens a folder with everything that is not a plain file,
// as a folder and as a work tree.
func TestHostileFolder(t *testing.T) {
	r := newRepo(t)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret.go"), []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	r.write("a.go", "a", "dir/b.go", "b", "was/tracked.go", "t", "fifo.go", "f", "swapped/c.go", "c")
	r.commit("first")
	r.remove("was")
	r.remove("fifo.go")
	r.remove("swapped")
	for link, target := range map[string]string{
		"loop": ".", "dir/up": "..", "self": "self", "dangling": "nowhere", "escape": outside, "absolute": "/etc/passwd",
		"was": outside, "swapped": "dir", ".gitignore": filepath.Join(outside, "ignore"), ".gitattributes": "/dev/zero",
	} {
		if err := os.Symlink(target, filepath.Join(r.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"fifo.go", "dir/untracked-fifo.go", "dir/.kgignore"} {
		if err := syscall.Mkfifo(filepath.Join(r.dir, name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const want = `120000 ".gitattributes" "/dev/zero"
120000 ".gitignore" "OUTSIDE/ignore"
100644 "a.go" "a"
120000 "absolute" "/etc/passwd"
120000 "dangling" "nowhere"
100644 "dir/b.go" "b"
120000 "dir/up" ".."
120000 "escape" "OUTSIDE"
120000 "loop" "."
120000 "self" "self"
120000 "swapped" "dir"
120000 "was" "OUTSIDE"
`
	if got := strings.ReplaceAll(dump(r.tree(source.OpenDir(r.dir))), outside, "OUTSIDE"); got != want {
		t.Errorf("folder:\n%s", got)
	}
	if got := strings.ReplaceAll(dump(r.workTree()), outside, "OUTSIDE"); got != want+"gap \"fifo.go\" not-a-file\n" {
		t.Errorf("work tree:\n%s", got)
	}
}

// TestSwappedWhileOpen replaces a file by a FIFO and by links after the tree
// was listed.
func TestSwappedWhileOpen(t *testing.T) {
	r := newRepo(t)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "a.go"), []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	r.write("a.go", "a", "dir/a.go", "a", "fifo.go", "f")
	tree := r.tree(source.OpenDir(r.dir))
	r.remove("a.go")
	r.remove("dir")
	r.remove("fifo.go")
	for link, target := range map[string]string{"a.go": filepath.Join(outside, "a.go"), "dir": outside} {
		if err := os.Symlink(target, filepath.Join(r.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(r.dir, "fifo.go"), 0o666); err != nil {
		t.Fatal(err)
	}
	for i, e := range tree.Entries() {
		if data, err := tree.Read(i, -1); err == nil {
			t.Errorf("%s holds %q", e.Path, data)
		}
	}
}

func TestUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	r := newRepo(t)
	r.write("a.go", "a", "secret.go", "s", "closed/c.go", "c")
	for name, mode := range map[string]os.FileMode{"secret.go": 0, "closed": 0} {
		path := filepath.Join(r.dir, name)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(path, 0o777) })
	}
	for _, tree := range []source.Tree{r.workTree(), r.tree(source.OpenDir(r.dir))} {
		if got := paths(tree); got != "a.go secret.go" {
			t.Errorf("entries: %s", got)
		}
		if _, err := tree.Read(1, -1); err == nil {
			t.Error("an unreadable file was read")
		}
		if gaps := tree.Gaps(); len(gaps) != 1 || gaps[0].Path != "closed/" || gaps[0].Reason != source.UnreadableFolder {
			t.Errorf("gaps: %v", gaps)
		}
	}
}

// TestDeepFolder makes a folder far deeper than a path may be long.
func TestDeepFolder(t *testing.T) {
	dir := t.TempDir()
	const depth, name = 700, "a-folder-of-some-length"
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range depth {
		if err := root.Mkdir(name, 0o777); err != nil {
			t.Fatal(err)
		}
		below, err := root.OpenRoot(name)
		if err != nil {
			t.Fatal(err)
		}
		root.Close()
		root = below
		if err := root.WriteFile("f", nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	root.Close()
	tree, err := source.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if got := len(tree.Entries()); got != 512 {
		t.Errorf("%d entries", got)
	}
	if _, err := tree.Read(0, -1); err != nil {
		t.Errorf("the deepest file: %v", err)
	}
	if gaps := tree.Gaps(); len(gaps) != 1 || gaps[0].Reason != source.TooDeep {
		t.Errorf("%d gaps", len(gaps))
	}
}

// TestMalformedTrees commits trees that git would not write.
func TestMalformedTrees(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "a\n")
	r.commit("first")
	blob := r.git("rev-parse", "HEAD:a.txt")
	raw := func(lines ...string) string {
		var b bytes.Buffer
		for _, line := range lines {
			b.WriteString(line)
			b.WriteByte(0)
			for i := 0; i < len(blob); i += 2 {
				b.WriteByte(unhex(blob[i])<<4 | unhex(blob[i+1]))
			}
		}
		return r.hashObject("tree", b.Bytes())
	}
	tree := raw("100644 ..", "100644 .", "100644 .GIT", "100644 a/b", "100644 ", "100644 b.txt", "100644 a.txt", "100644 a.txt", "160000 sub", "170000 odd", "xyz bad", "100664 group.txt", "40000 dir")
	commit := r.git("commit-tree", "-m", "odd", tree)
	got := r.revision(commit)
	if paths(got) != "a.txt b.txt group.txt sub" {
		t.Errorf("entries: %s", paths(got))
	}
	if len(got.Gaps()) != 9 {
		t.Errorf("gaps: %v", got.Gaps())
	}

	// Trees of which each names the one below it twice: 2^30 folders, and
	// not one file.
	bomb := r.git("mktree", "--missing")
	for range 30 {
		cmd := exec.Command("git", "mktree")
		cmd.Dir = r.dir
		cmd.Stdin = strings.NewReader("040000 tree " + bomb + "\ta\n040000 tree " + bomb + "\tb\n")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		bomb = strings.TrimSpace(string(out))
	}
	if !testing.Short() {
		got = r.revision(r.git("commit-tree", "-m", "bomb", bomb))
		if gaps := got.Gaps(); len(got.Entries()) != 0 || len(gaps) != 1 || gaps[0].Reason != source.TooManyEntries {
			t.Errorf("bomb: %d entries, gaps %v", len(got.Entries()), gaps)
		}
	}
}

func unhex(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}

// hashObject stores an object without git's checks.
func (r repo) hashObject(kind string, data []byte) string {
	r.t.Helper()
	cmd := exec.Command("git", "hash-object", "-w", "--literally", "-t", kind, "--stdin")
	cmd.Dir = r.dir
	cmd.Stdin = bytes.NewReader(data)
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
