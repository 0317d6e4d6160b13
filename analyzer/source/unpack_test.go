package source

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

// packedRepo makes a repository with all kinds of objects and long chains of
// deltas in one pack, and lists its objects.
func packedRepo(t testing.TB) (dir string, ids []string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git program")
	}
	dir = t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q")
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "line %d %x\n", i, i*7919)
		for name, content := range map[string]string{"grows": text.String(), fmt.Sprintf("d/f%d", i): "", "big": strings.Repeat(text.String(), 40), "same": "x"} {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "--all")
		git("commit", "-q", "-m", "x")
	}
	git("tag", "-a", "-m", "tag", "v1")
	git("repack", "-q", "-a", "-d", "-f", "--depth=60")
	git("prune-packed")
	return dir, strings.Fields(git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)"))
}

func TestUnpackIsGits(t *testing.T) {
	for _, name := range []string{"offsets", "hashes"} {
		t.Run(name, func(t *testing.T) {
			if name == "hashes" {
				t.Setenv("GIT_CONFIG_COUNT", "1")
				t.Setenv("GIT_CONFIG_KEY_0", "repack.useDeltaBaseOffset")
				t.Setenv("GIT_CONFIG_VALUE_0", "false")
			}
			dir, ids := packedRepo(t)
			r, err := OpenRepo(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			truth := newBatch(r.program, 1)
			defer truth.close()
			p := r.local.folders[0]
			packs, err := p.list()
			if err != nil || len(packs) != 1 {
				t.Fatalf("%d packs, %v", len(packs), err)
			}
			index, err := packs[0].load()
			if err != nil {
				t.Fatal(err)
			}
			reader := &packReader{local: r.local, fast: map[*pack]*unpacker{}}
			defer func() { reader.fast[packs[0]].close() }()
			for pass := range 2 { // the second has bases in memory
				for _, id := range ids {
					wantKind, want, err := truth.object(id, maxContent)
					if err != nil {
						t.Fatal(err)
					}
					offset, err := index.find(plumbing.NewHash(id))
					if err != nil {
						t.Fatal(err)
					}
					kind, got, err := reader.unpack(packs[0], index, offset, maxContent)
					if err != nil || kind != wantKind || !bytes.Equal(got, want) {
						t.Fatalf("pass %d, %s: %s of %d bytes, %v; git has %s of %d", pass, id, kind, len(got), err, wantKind, len(want))
					}
					var large *TooLargeError
					if _, _, err := reader.unpack(packs[0], index, offset, int64(len(want))-1); !errors.As(err, &large) || large.Size != int64(len(want)) {
						t.Fatalf("%s: %v for an object of %d bytes", id, err, len(want))
					}
					if kind == blobObject && len(got) > 0 {
						got[0] ^= 0xff // a blob is the caller's
					}
				}
			}
		})
	}
}

// TestUnpackDamaged bends each part of a pack: what is read is right, or
// an error.
func TestUnpackDamaged(t *testing.T) {
	dir, ids := packedRepo(t)
	r, err := OpenRepo(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	packs, _ := r.local.folders[0].list()
	index, err := packs[0].load()
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(packs[0].path + ".pack")
	if err != nil {
		t.Fatal(err)
	}
	for i := 12; i < len(good); i += 1 + len(good)/300 {
		bad := bytes.Clone(good)
		bad[i] ^= 0x55
		path := filepath.Join(t.TempDir(), "pack-bad")
		if err := os.WriteFile(path+".pack", bad, 0o600); err != nil {
			t.Fatal(err)
		}
		p := &pack{path: path}
		u, err := newUnpacker(p, index, &baseCache{})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids[:40] {
			offset, _ := index.find(plumbing.NewHash(id))
			if _, _, err := u.object(offset, 1<<20); err != nil && !errors.Is(err, errUnpack) {
				var large *TooLargeError
				if !errors.As(err, &large) {
					t.Fatal(err)
				}
			}
		}
		u.close()
	}
}

func FuzzApplyDelta(f *testing.F) {
	f.Add([]byte("hello"), []byte("\x05\x05\x90\x05"))
	f.Add([]byte("hello"), []byte("\x05\x06\x03abc\x91\x01\x03"))
	f.Add([]byte(""), []byte("\x00\xff\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		if _, target, _, ok := deltaSizes(delta); ok && target > 1<<20 {
			return
		}
		out, err := applyDelta(base, delta)
		if _, target, _, _ := deltaSizes(delta); err == nil && int64(len(out)) != target {
			t.Fatalf("%d bytes, not %d", len(out), target)
		}
	})
}
