package source

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

// TestPackIndex finds every object where go-git does, near and far, and no other.
func TestPackIndex(t *testing.T) {
	dir, ids := packedRepo(t)
	packs, err := filepath.Glob(filepath.Join(dir, ".git", "objects", "pack", "*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatalf("packs %q, %v", packs, err)
	}
	for _, version := range []string{"2", "2,0x100"} { // with places of 64 bits from there on
		path := filepath.Join(t.TempDir(), "pack-x")
		if out, err := exec.Command("git", "index-pack", "--index-version="+version, "-o", path+".idx", packs[0]).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		p := &pack{path: path}
		index, err := p.load()
		if err != nil {
			t.Fatal(err)
		}
		whole, err := p.whole()
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			hash := plumbing.NewHash(id)
			want, err := whole.FindOffset(hash)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := index.find(hash); err != nil || got != want {
				t.Errorf("%s: %s at %d, %v; want %d", version, id, got, err, want)
			}
			if names, err := index.withPrefix(id[:7]); err != nil || !slices.Contains(names, id) {
				t.Errorf("%s: %q begin with %s, %v", version, names, id[:7], err)
			}
			hash[19]++
			if _, err := index.find(hash); !errors.Is(err, plumbing.ErrObjectNotFound) && !slices.Contains(ids, hash.String()) {
				t.Errorf("%s: %s is there: %v", version, hash, err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "pack-y")
	if err := os.WriteFile(path+".idx", []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (&pack{path: path}).load(); !errors.Is(err, errPackIndex) {
		t.Errorf("a short file: %v", err)
	}
}

// FuzzPackIndex checks that any bytes are refused or say something, and that they
// take no more memory than they are long.
func FuzzPackIndex(f *testing.F) {
	head := func(n uint32) []byte {
		b := []byte("\xfftOc\x00\x00\x00\x02")
		for range 256 {
			b = binary.BigEndian.AppendUint32(b, n)
		}
		return b
	}
	f.Add(append(head(1), make([]byte, 28+40)...))
	f.Add(append(head(1), append(make([]byte, 24), append([]byte{0x80, 0, 0, 0}, make([]byte, 8+40)...)...)...))
	f.Add(head(1 << 31))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := readPackIndex(bytes.NewReader(b), int64(len(b)), func() (readAtCloser, error) {
			return struct {
				io.ReaderAt
				io.Closer
			}{bytes.NewReader(b), io.NopCloser(nil)}, nil
		})
		if err != nil {
			return
		}
		size := 0
		for _, i := range []int{0, 1, 254, 255} {
			var id plumbing.Hash
			id[0] = byte(i)
			if place, err := x.find(id); err == nil && place < 0 {
				t.Errorf("at %d", place)
			}
			if p, err := x.part(byte(i)); err == nil {
				size += len(p.names) + len(p.places)
			}
			if _, err := x.withPrefix("00"); err != nil && !errors.Is(err, errPackIndex) {
				t.Error(err)
			}
		}
		if size > len(b) {
			t.Errorf("%d bytes of %d", size, len(b))
		}
	})
}
