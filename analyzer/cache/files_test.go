package cache

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "when needed")
	f := OpenFiles(dir, 1000)
	if _, ok := f.Get("a"); ok {
		t.Fatal("something is there")
	}
	for i, name := range []string{"a", "b", "c"} {
		if err := f.Put(name, bytes.Repeat([]byte{byte(i)}, 300)); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(time.Duration(i-100) * time.Hour)
		os.Chtimes(f.path(name), old, old)
	}
	// Who reads a file keeps it; the one that was not used for longest goes.
	if data, ok := f.Get("a"); !ok || len(data) != 300 {
		t.Fatalf("a is %d bytes, %t", len(data), ok)
	}
	if err := f.Put("d", make([]byte, 300)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"a": true, "b": false, "c": true, "d": true} {
		if _, ok := f.Get(name); ok != want {
			t.Errorf("%s: %t", name, ok)
		}
	}
	if f.Put("large", make([]byte, 1001)) != nil {
		t.Error("what is larger than the cap is an error")
	}
	if _, ok := f.Get("large"); ok {
		t.Error("what is larger than the cap is kept")
	}
	left := filepath.Join(dir, "LEFT.tmp")
	os.WriteFile(left, nil, 0o600)
	old := time.Now().Add(-2 * staleAfter)
	os.Chtimes(left, old, old)
	f.Put("d", make([]byte, 10))
	if _, err := os.Stat(left); err == nil {
		t.Error("what a dead process has left stays")
	}
	if OpenFiles("/dev/null/x", 10).Put("a", nil) == nil {
		t.Error("a folder that cannot be made is no error")
	}
	var none *Files
	if _, ok := none.Get("a"); ok || none.Put("a", nil) != nil {
		t.Error("no cache has something")
	}
}

func TestFilesTogether(t *testing.T) {
	f := OpenFiles(t.TempDir(), 5000)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 50 {
				n := (w + i) % 20
				f.Put(fmt.Sprint(n), bytes.Repeat([]byte{byte(n)}, 500))
				if data, ok := f.Get(fmt.Sprint(n)); ok && (len(data) != 500 || data[0] != byte(n) || data[499] != byte(n)) {
					t.Errorf("half of %d", n)
				}
			}
		})
	}
	wg.Wait()
}
