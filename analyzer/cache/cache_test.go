package cache

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/codekg/kg/analyzer/facts"
)

// contents returns the contents numbered lo to hi, each of some KB stored.
func contents(lo, hi int) []*facts.Content {
	var cs []*facts.Content
	for n := lo; n < hi; n++ {
		c := &facts.Content{Lang: "go", Hash: sha256.Sum256(fmt.Append(nil, n)), Size: int64(n), Facts: &facts.File{Strings: []string{""}, Lists: []int32{0}}}
		copy(c.Blob[:], c.Hash[12:])
		for i := range 40 {
			h := sha256.Sum256(fmt.Append(nil, n, i))
			c.Facts.Strings = append(c.Facts.Strings, string(h[:]))
		}
		cs = append(cs, c)
	}
	return cs
}

func has(c *Cache, cs []*facts.Content) (n int) {
	for _, want := range cs {
		if got, ok := c.Find(want.ByHash()); ok && got.Size == want.Size && got.Facts.Strings[40] == want.Facts.Strings[40] {
			n++
		}
	}
	return n
}

// expect opens the cache anew and checks how many of some contents it has.
func expect(t *testing.T, dir string, cs []*facts.Content, want int) {
	t.Helper()
	c := Open(dir, "x", 0)
	defer c.Close()
	if n := has(c, cs); n != want {
		t.Errorf("the cache has %d of %d contents, want %d", n, len(cs), want)
	}
}

func add(t *testing.T, dir string, cs []*facts.Content, size int64) {
	t.Helper()
	c := Open(dir, "x", size)
	defer c.Close()
	if err := c.Add(cs); err != nil {
		t.Fatal(err)
	}
}

func packs(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestAddAndFind(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there")
	expect(t, dir, contents(0, 3), 0)
	add(t, dir, contents(0, 3), 0)
	add(t, dir, contents(3, 5), 0)
	expect(t, dir, contents(0, 6), 5)
	other := Open(dir, "y", 0)
	defer other.Close()
	if has(other, contents(0, 5)) != 0 {
		t.Error("another extractor's facts are found")
	}
}

// TestFewPacks: many small builds leave few packs.
func TestFewPacks(t *testing.T) {
	dir := t.TempDir()
	for i := range 100 {
		add(t, dir, contents(i, i+1), 0)
	}
	if n := len(packs(t, dir)); n > 8 {
		t.Errorf("%d packs", n)
	}
	expect(t, dir, contents(0, 100), 100)
}

// TestRoom: the packs that were not used for longest go first, whoever made
// them.
func TestRoom(t *testing.T) {
	dir := t.TempDir()
	age := func(d time.Duration) {
		for _, p := range packs(t, dir) {
			info, err := os.Stat(p)
			if err != nil {
				t.Fatal(err)
			}
			at := info.ModTime().Add(-d)
			if err := os.Chtimes(p, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	old := Open(dir, "old", 0)
	if err := old.Add(contents(0, 700)); err != nil {
		t.Fatal(err)
	}
	old.Close()
	age(3 * time.Hour)
	add(t, dir, contents(1000, 1700), 0)
	age(3 * time.Hour)
	add(t, dir, contents(2000, 2700), 0)
	age(3 * time.Hour)
	size := int64(0)
	for _, p := range packs(t, dir) {
		info, _ := os.Stat(p)
		size += info.Size()
	}
	if len(packs(t, dir)) != 3 {
		t.Fatalf("packs %v", packs(t, dir))
	}
	// 1000 is used again, 2000 and old are not.
	c := Open(dir, "x", size*7/6)
	if has(c, contents(1000, 1001)) != 1 {
		t.Error("not found")
	}
	c.Touch()
	if err := c.Add(contents(3000, 3700)); err != nil {
		t.Fatal(err)
	}
	c.Close()
	expect(t, dir, contents(1000, 1700), 700)
	expect(t, dir, contents(2000, 2700), 700)
	expect(t, dir, contents(3000, 3700), 700)
	add(t, dir, contents(4000, 4700), size*7/6)
	expect(t, dir, contents(1000, 1700), 700)
	expect(t, dir, contents(2000, 2700), 0)
	if _, err := os.Stat(Open(dir, "old", 0).folder()); err == nil && len(list(Open(dir, "old", 0).folder())) != 0 {
		t.Error("the pack that was not used for longest is still there")
	}
	// What is larger than the cap is not kept.
	add(t, dir, contents(5000, 5700), 1000)
	expect(t, dir, contents(5000, 5700), 0)
}

// TestForeignFiles: files that are no packs, and damaged ones, are not found
// and go with the next that is added; what is not the cache's stays.
func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	add(t, dir, contents(0, 10), 0)
	path := packs(t, dir)[0]
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range data {
		if i%97 == 0 {
			data[i] ^= 1
			write(filepath.Base(path), data)
			data[i] ^= 1
			c := Open(dir, "x", 0)
			if n := has(c, contents(0, 10)); n != 0 {
				t.Fatalf("byte %d: %d contents of a damaged pack", i, n)
			}
			c.Close()
		}
	}
	write(filepath.Base(path), data[:len(data)/2])
	write("empty.kgf", nil)
	write("text.kgf", []byte("hello"))
	write("old.tmp", data)
	write("new.tmp", data)
	write("README", nil)
	long := time.Now().Add(-100 * time.Hour)
	if err := os.Chtimes(filepath.Join(filepath.Dir(path), "old.tmp"), long, long); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(filepath.Dir(path), "folder.kgf"), 0o700); err != nil {
		t.Fatal(err)
	}
	expect(t, dir, contents(0, 10), 0)
	add(t, dir, contents(0, 10), 0)
	expect(t, dir, contents(0, 10), 10)
	var names []string
	for _, p := range packs(t, dir) {
		names = append(names, filepath.Base(p))
	}
	want := []string{"README", filepath.Base(path), "folder.kgf", "new.tmp"}
	for _, w := range want {
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), w)); err != nil {
			t.Error(err)
		}
	}
	if len(names) != len(want) {
		t.Errorf("the folder holds %v, want %v", names, want)
	}
}

// TestTogether: processes that use a cache at the same time find what they find, and
// what they find is right.
func TestTogether(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 20 {
				c := Open(dir, "x", 0)
				cs := contents((w%4)*20+i, (w%4)*20+i+3)
				for _, want := range cs {
					if got, ok := c.Find(want.ByBlob()); ok && got.Hash != want.Hash {
						t.Error("found another content")
					}
				}
				if err := c.Add(cs); err != nil {
					t.Error(err)
				}
				c.Close()
			}
		})
	}
	wg.Wait()
	for _, p := range packs(t, dir) {
		if filepath.Ext(p) != packSuffix {
			t.Errorf("%s is left", p)
		}
	}
	c := Open(dir, "x", 0)
	defer c.Close()
	for _, p := range c.packs {
		if p.facts == nil || p.facts.All() == nil || p.facts.Err() != nil {
			t.Errorf("%s cannot be read", p.path)
		}
	}
}

func TestNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := Open(file, "x", 0)
	defer c.Close()
	if err := c.Add(contents(0, 1)); err == nil {
		t.Error("no error")
	}
}
