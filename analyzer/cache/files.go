package cache

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Files keeps what can be made again, each under the name of what it is made of,
// in a folder with a cap. The rules are those of [Cache]: any number of processes
// may use it, each may die at any moment, and nothing here makes a command fail.
// It does not look into its files: whoever reads one has to notice damage. A nil
// Files keeps nothing.
type Files struct {
	dir  string
	size int64
}

const fileSuffix = ".bin"

// OpenFiles opens the folder dir, which need not be there and has nothing else in
// it, with a cap of size bytes.
func OpenFiles(dir string, size int64) *Files { return &Files{dir, size} }

func (f *Files) path(name string) string { return filepath.Join(f.dir, name+fileSuffix) }

// Get returns what is kept under a name, which is one of letters and digits.
func (f *Files) Get(name string) ([]byte, bool) {
	if f == nil {
		return nil, false
	}
	path := f.path(name)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > f.size {
		return nil, false
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	if now := time.Now(); now.Sub(info.ModTime()) >= touchAfter {
		os.Chtimes(path, now, now)
	}
	return data, true
}

// Put keeps data under a name and makes room: what was not used for longest goes.
// The error says why nothing was kept; it is no reason to stop.
func (f *Files) Put(name string, data []byte) error {
	if f == nil || int64(len(data)) > f.size {
		return nil
	}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	temp := filepath.Join(f.dir, rand.Text()[:16]+tempSuffix)
	// Without a sync: what a power failure damages is noticed by who reads it.
	err := os.WriteFile(temp, data, 0o600)
	if err == nil {
		err = os.Rename(temp, f.path(name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	f.makeRoom(f.path(name))
	return nil
}

func (f *Files) makeRoom(written string) {
	dropTemps(f.dir)
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return
	}
	type kept struct {
		path string
		size int64
		used time.Time
	}
	var all []kept
	total := int64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), fileSuffix) {
			all = append(all, kept{filepath.Join(f.dir, e.Name()), info.Size(), info.ModTime()})
			total += info.Size()
		}
	}
	slices.SortStableFunc(all, func(a, b kept) int { return a.used.Compare(b.used) })
	for _, k := range all {
		if total <= f.size {
			return
		}
		if k.path != written && os.Remove(k.path) == nil {
			total -= k.size
		}
	}
}
