package source

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// packFolder is one folder of objects: loose ones, and packs of many.
type packFolder struct {
	dir string

	once  sync.Once
	packs []*pack
	err   error
}

// pack is one pack file. Its index is opened when it is first needed, and shared
// by all readers.
type pack struct {
	path string // without .pack or .idx

	once  sync.Once
	index *packIndex
	err   error
}

// list returns the packs, newest first: that is where most reads end.
func (f *packFolder) list() ([]*pack, error) {
	f.once.Do(func() {
		names, err := os.ReadDir(filepath.Join(f.dir, "pack"))
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				f.err = err
			}
			return
		}
		type dated struct {
			*pack
			time int64
		}
		var found []dated
		for _, name := range names {
			base, isIndex := strings.CutSuffix(name.Name(), ".idx")
			if !isIndex || !strings.HasPrefix(base, "pack-") {
				continue
			}
			info, err := name.Info()
			if err != nil {
				continue // repacked just now
			}
			found = append(found, dated{&pack{path: filepath.Join(f.dir, "pack", base)}, info.ModTime().UnixNano()})
		}
		slices.SortStableFunc(found, func(a, b dated) int {
			switch {
			case a.time > b.time:
				return -1
			case a.time < b.time:
				return 1
			}
			return strings.Compare(a.path, b.path)
		})
		for _, d := range found {
			f.packs = append(f.packs, d.pack)
		}
	})
	return f.packs, f.err
}

func (p *pack) load() (*packIndex, error) {
	p.once.Do(func() { p.index, p.err = openPackIndex(p.path + ".idx") })
	return p.index, p.err
}

// whole reads all of the index, as go-git needs it.
func (p *pack) whole() (*idxfile.MemoryIndex, error) {
	f, err := os.Open(p.path + ".idx")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	index := idxfile.NewMemoryIndex()
	return index, idxfile.NewDecoder(bufio.NewReader(f)).Decode(index)
}

// packReader is what one read at a time uses.
type packReader struct {
	local *local
	open  map[*pack]*packfile.Packfile
	fast  map[*pack]*unpacker
}

func (r *packReader) object(id string, max int64) (kind objectType, data []byte, err error) {
	defer func() {
		if p := recover(); p != nil { // go-git on a damaged pack
			kind, data, err = "", nil, damaged(id, fmt.Errorf("%v", p))
		}
	}()
	hash := plumbing.NewHash(id)
	var failure error
	for _, folder := range r.local.folders {
		packs, err := folder.list()
		if err != nil {
			failure = err
		}
		for _, p := range packs {
			index, err := p.load()
			if err != nil {
				failure = err
				continue
			}
			offset, err := index.find(hash)
			if err != nil {
				if !errors.Is(err, plumbing.ErrObjectNotFound) {
					failure = err
				}
				continue
			}
			return r.packed(p, index, id, offset, max)
		}
		kind, data, err := readLoose(folder.dir, id, max)
		if !errors.Is(err, fs.ErrNotExist) {
			return kind, data, err
		}
	}
	return "", nil, missing(id, failure)
}

func damaged(id string, cause error) error {
	return &Error{Kind: ErrCorrupt, Text: "object " + id + " cannot be read", Hint: "check the repository with `git fsck`", Err: cause}
}

// packed reads an object of a pack. Its size is known before its bytes are
// unpacked, so that a small pack cannot fill the memory.
func (r *packReader) packed(p *pack, index *packIndex, id string, offset, max int64) (objectType, []byte, error) {
	if kind, data, err := r.unpack(p, index, offset, max); !errors.Is(err, errUnpack) {
		return kind, data, err
	}
	file, ok := r.open[p]
	if !ok {
		f, err := osfs.New(filepath.Dir(p.path)).Open(filepath.Base(p.path) + ".pack")
		if err != nil {
			return "", nil, damaged(id, err)
		}
		whole, err := p.whole()
		if err != nil {
			f.Close()
			return "", nil, damaged(id, err)
		}
		file = packfile.NewPackfileWithCache(whole, nil, f, r.local.cache, 0)
		r.open[p] = file
	}
	size, err := file.GetSizeByOffset(offset)
	if err != nil {
		return "", nil, damaged(id, err)
	}
	if size > max {
		return "", nil, &TooLargeError{Size: size, Max: max}
	}
	o, err := file.Get(plumbing.NewHash(id))
	if err != nil {
		return "", nil, damaged(id, err)
	}
	content, err := o.Reader()
	if err != nil {
		return "", nil, damaged(id, err)
	}
	defer content.Close()
	data := make([]byte, o.Size())
	if _, err := io.ReadFull(content, data); err != nil {
		return "", nil, damaged(id, err)
	}
	return objectType(o.Type().String()), data, nil
}

// unpack is packed without go-git. The error is errUnpack for what needs it.
func (r *packReader) unpack(p *pack, index *packIndex, offset, max int64) (objectType, []byte, error) {
	u, ok := r.fast[p]
	if !ok {
		var err error
		if u, err = newUnpacker(p, index, &r.local.bases); err != nil {
			return "", nil, errUnpack
		}
		r.fast[p] = u
	}
	return u.object(offset, max)
}

// readLoose reads objects/ab/cdef... It returns the error of os.Open as it
// is.
func readLoose(dir, id string, max int64) (objectType, []byte, error) {
	f, err := os.Open(filepath.Join(dir, id[:2], id[2:]))
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	r, err := objfile.NewReader(bufio.NewReader(f))
	if err != nil {
		return "", nil, damaged(id, err)
	}
	defer r.Close()
	kind, size, err := r.Header()
	if err != nil || size < 0 {
		return "", nil, damaged(id, err)
	}
	if size > max {
		return "", nil, &TooLargeError{Size: size, Max: max}
	}
	var data bytes.Buffer
	if _, err := data.ReadFrom(io.LimitReader(r, size)); err != nil || int64(data.Len()) != size {
		return "", nil, damaged(id, err)
	}
	return objectType(kind.String()), data.Bytes(), nil
}

// withPrefix lists the objects whose hash begins with the given hexadecimal
// digits, two or more, sorted.
func (l *local) withPrefix(prefix string) ([]string, error) {
	seen := map[string]bool{}
	for _, folder := range l.folders {
		names, err := os.ReadDir(filepath.Join(folder.dir, prefix[:2]))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, name := range names {
			if id := prefix[:2] + name.Name(); isHash(id) && strings.HasPrefix(id, prefix) {
				seen[id] = true
			}
		}
		packs, err := folder.list()
		if err != nil {
			return nil, err
		}
		for _, p := range packs {
			index, err := p.load()
			if err != nil {
				return nil, err
			}
			names, err := index.withPrefix(prefix)
			if err != nil {
				return nil, err
			}
			for _, id := range names {
				seen[id] = true
			}
		}
	}
	ids := make([]string, 0, len(seen))
	for id := range seen {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, nil
}
