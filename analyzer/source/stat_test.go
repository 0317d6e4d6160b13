package source

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestStatMatches: what is as the index remembers it and older than the index is
// unmodified, also in the same second, where parts of seconds are known.
func TestStatMatches(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		nano, known, index int64
		second             int64 // of the index, after that of the file
		want               bool
	}{
		{500, 500, 600, 0, true}, {500, 500, 500, 0, false}, {500, 500, 400, 0, false}, {500, 500, 400, 1, true}, {500, 500, 600, -1, false},
		{500, 400, 600, 0, false}, {500, 400, 600, 1, false}, {0, 0, 600, 0, false}, {0, 0, 600, 1, true}, {500, 0, 600, 0, false}, {0, 500, 600, 0, false}, {500, 500, 0, 0, false},
	} {
		at := time.Unix(1_700_000_000, c.nano)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		s := fileStat{mtime: uint32(at.Unix()), mtimeNano: uint32(c.known), size: 4}
		if got := s.matches(info, fileStat{mtime: uint32(at.Unix() + c.second), mtimeNano: uint32(c.index)}, true); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}
