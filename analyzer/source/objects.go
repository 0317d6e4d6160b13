package source

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
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

// Sizes of a go-git storage. Its cache holds delta bases; above the large
// threshold a blob is streamed and not kept.
const (
	storageCache     = 96 * cache.MiByte
	storageThreshold = 32 << 20
)

// storages reads objects with go-git. Whether one go-git storage may be used
// from two goroutines is nowhere promised, so each read has one to itself:
// there are as many as reads were ever under way at once, at most limit.
type storages struct {
	dirs    []string // object folders: the repository's own, then alternates
	tickets chan struct{}

	mu   sync.Mutex
	idle []*storage
}

// A storage is one go-git storage per object folder. go-git could follow
// alternates by itself, but reads their pack indexes anew for each object.
type storage []*filesystem.ObjectStorage

func newStorages(objectDirs []string, limit int) *storages {
	return &storages{dirs: objectDirs, tickets: make(chan struct{}, limit)}
}

func openStorage(objectDirs []string) *storage {
	var s storage
	for _, dir := range objectDirs {
		s = append(s, filesystem.NewObjectStorageWithOptions(
			dotgit.New(noAlternates{osfs.New(filepath.Dir(dir))}),
			cache.NewObjectLRU(storageCache/cache.FileSize(len(objectDirs))),
			filesystem.Options{KeepDescriptors: true, LargeObjectThreshold: storageThreshold},
		))
	}
	return &s
}

func (s *storages) object(id string, max int64) (kind objectType, data []byte, err error) {
	s.tickets <- struct{}{}
	defer func() { <-s.tickets }()

	s.mu.Lock()
	var mine *storage
	if n := len(s.idle); n > 0 {
		mine, s.idle = s.idle[n-1], s.idle[:n-1]
	}
	s.mu.Unlock()
	if mine == nil {
		mine = openStorage(s.dirs)
	}
	kind, data, err = mine.object(id, max)
	s.mu.Lock()
	s.idle = append(s.idle, mine)
	s.mu.Unlock()
	return kind, data, err
}

func (s *storages) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, one := range s.idle {
		for _, o := range *one {
			errs = append(errs, o.Close())
		}
	}
	s.idle = nil
	return errors.Join(errs...)
}

func (s *storage) object(id string, max int64) (kind objectType, data []byte, err error) {
	defer func() {
		if p := recover(); p != nil { // a damaged pack
			err = &Error{Kind: ErrCorrupt, Text: "object " + id + " cannot be read", Hint: "check the repository with `git fsck`", Err: fmt.Errorf("%v", p)}
		}
	}()
	hash := plumbing.NewHash(id)
	for _, dir := range *s {
		var o plumbing.EncodedObject
		o, err = dir.EncodedObject(plumbing.AnyObject, hash)
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		kind = objectType(o.Type().String())
		if o.Size() > max {
			return kind, nil, &TooLargeError{Size: o.Size(), Max: max}
		}
		data, err = objectBytes(o)
		return kind, data, err
	}
	return "", nil, missing(id, nil)
}

func objectBytes(o plumbing.EncodedObject) ([]byte, error) {
	r, err := o.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data := make([]byte, o.Size())
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, err
	}
	return data, nil
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
