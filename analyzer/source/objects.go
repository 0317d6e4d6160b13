package source

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// objectType is git's name of what an object is.
type objectType string

const (
	commitObject objectType = "commit"
	treeObject   objectType = "tree"
	blobObject   objectType = "blob"
	tagObject    objectType = "tag"
)

// objectReader reads objects by hash. Its methods may be called from many
// goroutines.
type objectReader interface {
	// object returns the type and the bytes of an object. The error wraps
	// ErrMissingObject if the repository lacks it, and is a *TooLargeError if
	// the object is larger than max bytes.
	object(id string, max int64) (objectType, []byte, error)
	close() error
}

func missing(id string, cause error) error {
	return &Error{
		Kind: ErrMissingObject,
		Text: "object " + id + " is not in this repository",
		Hint: "a partial clone leaves objects out: fetch them with `git fetch --refetch --no-filter`, or in CI check out without `filter`",
		Err:  cause,
	}
}

// layered asks one reader after the other for what the ones before lack or
// cannot read.
type layered []objectReader

func (l layered) object(id string, max int64) (kind objectType, data []byte, err error) {
	for _, r := range l {
		kind, data, err = r.object(id, max)
		var tooLarge *TooLargeError
		if err == nil || errors.As(err, &tooLarge) {
			break
		}
	}
	return kind, data, err
}

func (l layered) close() error {
	var errs []error
	for _, r := range l {
		errs = append(errs, r.close())
	}
	return errors.Join(errs...)
}

// Objects are kept in memory up to this size together, as bases of deltas.
const deltaCache = 96 * cache.MiByte

// local reads objects of object folders with go-git's pack reader. A pack
// reader serves one read at a time, so there are as many as reads were ever
// under way at once, at most limit. They share the pack indexes and the cache
// of delta bases, which are safe for that; go-git's own storage shares
// neither, and reads the indexes of alternates anew for each object.
type local struct {
	folders []*packFolder    // the repository's own, then its alternates
	cache   *cache.ObjectLRU // of go-git
	bases   baseCache        // of the unpackers
	tickets chan struct{}

	mu   sync.Mutex
	idle []*packReader
}

func newLocal(objectDirs []string, limit int) *local {
	l := &local{cache: cache.NewObjectLRU(deltaCache), tickets: make(chan struct{}, limit)}
	for _, dir := range objectDirs {
		l.folders = append(l.folders, &packFolder{dir: dir})
	}
	return l
}

func (l *local) object(id string, max int64) (kind objectType, data []byte, err error) {
	l.tickets <- struct{}{}
	defer func() { <-l.tickets }()

	l.mu.Lock()
	var mine *packReader
	if n := len(l.idle); n > 0 {
		mine, l.idle = l.idle[n-1], l.idle[:n-1]
	}
	l.mu.Unlock()
	if mine == nil {
		mine = &packReader{local: l, open: map[*pack]*packfile.Packfile{}, fast: map[*pack]*unpacker{}}
	}
	kind, data, err = mine.object(id, max)
	l.mu.Lock()
	l.idle = append(l.idle, mine)
	l.mu.Unlock()
	return kind, data, err
}

func (l *local) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for _, r := range l.idle {
		for _, p := range r.open {
			errs = append(errs, p.Close())
		}
		for _, u := range r.fast {
			errs = append(errs, u.close())
		}
	}
	l.idle = nil
	return errors.Join(errs...)
}

// objectDirs lists the object folder of a repository and all that it borrows
// from, nearest first. Paths in objects/info/alternates are absolute or
// relative to the object folder that names them.
func objectDirs(objects string) ([]string, error) {
	const most = 64
	dirs := []string{objects}
	seen := map[string]bool{objects: true}
	for i := 0; i < len(dirs); i++ {
		f, err := os.Open(filepath.Join(dirs[i], "info", "alternates"))
		if errors.Is(err, os.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			dir := lines.Text()
			if dir == "" || strings.HasPrefix(dir, "#") {
				continue
			}
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(dirs[i], dir)
			}
			if dir = filepath.Clean(dir); !seen[dir] && len(dirs) < most {
				seen[dir] = true
				dirs = append(dirs, dir)
			}
		}
		f.Close()
		if err := lines.Err(); err != nil {
			return nil, err
		}
	}
	return dirs, nil
}
