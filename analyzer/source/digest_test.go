package source_test

import (
	"crypto/sha256"
	"testing"

	"github.com/codekg/kg/analyzer/source"
)

func TestDigest(t *testing.T) {
	digest := func(tree source.Tree) [sha256.Size]byte {
		return source.Digest(tree.Entries(), func(i int) (sum [sha256.Size]byte, ok bool) {
			data, err := tree.Read(i, -1)
			return sha256.Sum256(data), err == nil
		})
	}
	seen := map[[sha256.Size]byte]string{}
	for _, format := range []string{"sha1", "sha256"} {
		r := newRepo(t, "--object-format="+format)
		r.write("a.txt", "a\n", "dir/b.txt", "b\n")
		r.commit("first")
		want := digest(r.revision("HEAD"))
		for name, tree := range map[string]source.Tree{"work tree": r.workTree(), "index": r.staged(), "folder": r.tree(source.OpenDir(r.dir))} {
			if digest(tree) != want {
				t.Errorf("%s: the %s has another digest than the revision", format, name)
			}
		}
		seen[want] = format
		r.git("mv", "a.txt", "c.txt")
		if digest(r.workTree()) == want {
			t.Errorf("%s: a renamed file does not change the digest", format)
		}
	}
	if len(seen) != 1 {
		t.Errorf("the digest depends on the hash of the repository: %v", seen)
	}
}
