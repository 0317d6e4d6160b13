package source

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/sourcegraph/conc/pool"
)

// workTree is the files on disk as a commit of them would hold them.
type workTree struct {
	repo    *Repo
	root    *os.Root
	attrs   *attributes
	entries []Entry
	origins []origin // of the entry with the same index
	gaps    []Gap
}

// origin says where the content of an entry comes from.
type origin struct {
	staged string // ID in the index, empty if untracked
	// clean: the disk holds the staged content, by the index or because the
	// content was compared.
	clean bool
	// absent: the disk does not have the file, and a commit would keep it
	// (sparse checkout).
	absent bool
}

// WorkTree opens the files on disk as a commit of all of them would hold
// them: tracked files that are there, and untracked files that are not
// ignored. A file that is unmodified by git's rules has the content and the
// ID of its blob; others have the bytes on disk with line endings as
// core.autocrlf and .gitattributes say. Filters are not run: see
// [FilterNotRun].
//
// It costs a walk of the folders that are not ignored, and reading each file
// that looks modified. Like git, kg trusts the index only for files that are
// older than it.
func (r *Repo) WorkTree() (Tree, error) { return r.WorkTreeHiddenBy(nil) }

// WorkTreeHiddenBy is [Repo.WorkTree] by the rules of a commit.
func (r *Repo) WorkTreeHiddenBy(by *Ignores) (Tree, error) {
	if r.root == "" {
		return nil, &Error{Kind: ErrNoWorkTree, Text: "the repository is bare: it has no work tree", Hint: "name a revision with --head"}
	}
	x, err := r.readIndex()
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(r.root)
	if err != nil {
		return nil, err
	}
	t := &workTree{repo: r, root: root}
	if err := t.fill(x, by); err != nil {
		root.Close()
		return nil, err
	}
	return t, nil
}

func (t *workTree) Entries() []Entry { return t.entries }
func (t *workTree) Gaps() []Gap      { return t.gaps }
func (t *workTree) Close() error     { return t.root.Close() }

// fill lists the tree: first what is there, then what kg hides of it, then
// which of the rest is unmodified.
func (t *workTree) fill(x *index, by *Ignores) error {
	if err := t.list(x); err != nil {
		return err
	}
	t.readAttributes(x)

	all := t.entries
	hideIgnored(t, &t.entries, &t.gaps, by)
	if kept := t.entries; len(kept) < len(all) {
		origins := make([]origin, 0, len(kept))
		for i, e := range all {
			if n := len(origins); n < len(kept) && kept[n].Path == e.Path {
				origins = append(origins, t.origins[i])
			}
		}
		t.origins = origins
	}

	t.compare()
	sortGaps(t.gaps)
	return nil
}

// list walks the disk and matches it with the index.
func (t *workTree) list(x *index) error {
	config := t.repo.config
	trustModes := config.flag("core.filemode", true)
	links := config.flag("core.symlinks", true)
	fold := config.flag("core.ignorecase", false)

	// Of a conflict's up to three entries any one stands for the path.
	tracked := slices.CompactFunc(slices.Clone(x.entries), func(a, b indexEntry) bool { return a.path == b.path })
	find := func(path string) (int, bool) {
		return slices.BinarySearchFunc(tracked, path, func(e indexEntry, path string) int { return strings.Compare(e.path, path) })
	}
	onDisk := make([]bool, len(tracked))
	add := func(e Entry, o origin) {
		t.entries = append(t.entries, e)
		t.origins = append(t.origins, o)
	}

	w := &walker{
		root:  t.root,
		fold:  fold,
		scope: t.outsideIgnores(fold),
		tracked: func(path string) bool {
			_, found := find(path)
			return found
		},
		trackedBelow: func(folder string) bool {
			i, _ := find(folder)
			return i < len(tracked) && strings.HasPrefix(tracked[i].path, folder)
		},
		submodule: func(path string) bool {
			i, found := find(path)
			return found && tracked[i].mode == Submodule
		},
		module: func(path string) {
			e := Entry{Path: path, Mode: Submodule}
			if i, found := find(path); found {
				onDisk[i] = true
				e.ID = tracked[i].id
			}
			add(e, origin{clean: true})
		},
		file: func(path string, info fs.FileInfo) {
			e := Entry{Path: path, Mode: diskMode(info)}
			i, found := find(path)
			if !found {
				add(e, origin{})
				return
			}
			known := &tracked[i]
			onDisk[i] = true
			if e.Mode != Symlink {
				if known.mode == Symlink && !links {
					e.Mode = Symlink // checked out as a file with the target in it
				} else if !trustModes && known.mode.IsFile() {
					e.Mode = known.mode
				} else if !trustModes {
					e.Mode = Regular
				}
			}
			o := origin{staged: known.id}
			switch {
			case known.stage != 0:
				t.gaps = append(t.gaps, Gap{Path: path, Reason: Unmerged})
				o.staged = ""
			case known.intentToAdd:
				o.staged = ""
			case known.assumeClean:
				e.Mode, o.clean = known.mode, true
			case (e.Mode == Symlink) == (known.mode == Symlink):
				o.clean = known.stat.matches(info, x.written, config.flag("core.trustctime", true))
			}
			if o.clean {
				e.ID = known.id
			}
			add(e, o)
		},
	}
	if err := w.walk(); err != nil {
		return err
	}
	t.gaps = append(t.gaps, w.gaps...)
	for i, e := range tracked {
		if !onDisk[i] && e.stage == 0 && (e.skipWorkTree || e.assumeClean) {
			add(Entry{Path: e.path, Mode: e.mode, ID: e.id}, origin{staged: e.id, clean: true, absent: true})
		}
	}
	t.sort()
	return nil
}

func (t *workTree) sort() {
	order := make([]int, len(t.entries))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(t.entries[a].Path, t.entries[b].Path) })
	entries, origins := make([]Entry, len(order)), make([]origin, len(order))
	for to, from := range order {
		entries[to], origins[to] = t.entries[from], t.origins[from]
	}
	t.entries, t.origins = entries, origins
}

// outsideIgnores are the ignore rules that no file of the tree holds.
func (t *workTree) outsideIgnores(fold bool) *ignoreScope {
	var scope *ignoreScope
	for _, path := range []string{
		t.repo.config.file("core.excludesfile", "ignore"),
		filepath.Join(t.repo.commonDir, "info", "exclude"),
	} {
		if text, ok := t.readOutside(path); ok {
			scope = &ignoreScope{above: scope, list: parseIgnore(text, fold)}
		}
	}
	return scope
}

// readOutside reads a file that git's configuration names.
func (t *workTree) readOutside(path string) ([]byte, bool) {
	if path == "" {
		return nil, false
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIgnore {
		return nil, false
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.gaps = append(t.gaps, Gap{Path: path, Reason: UnreadableIgnore, Err: err})
	}
	return text, err == nil
}

// readAttributes collects the attribute files: those on disk, and from the
// index those that the disk does not have.
func (t *workTree) readAttributes(x *index) {
	t.attrs = newAttributes(t.repo.config.flag("core.ignorecase", false))
	for _, path := range []string{t.repo.config.file("core.attributesfile", "attributes"), "/etc/gitattributes"} {
		if text, ok := t.readOutside(path); ok {
			t.attrs.addOutside(text)
		}
	}
	add := func(path string, text []byte, err error) {
		if err != nil {
			t.gaps = append(t.gaps, Gap{Path: path, Reason: UnreadableIgnore, Err: err})
			return
		}
		t.attrs.addFolder(path[:len(path)-len(attributesName)], text)
	}
	isAttributes := func(path string) bool {
		return path == attributesName || strings.HasSuffix(path, "/"+attributesName)
	}
	for i, e := range t.entries {
		if isAttributes(e.Path) && e.Mode.IsFile() && !t.origins[i].absent {
			text, err := readRegular(t.root, e.Path, maxIgnore)
			add(e.Path, text, err)
		}
	}
	for _, e := range x.entries {
		if isAttributes(e.path) && e.mode.IsFile() && e.stage == 0 {
			if i, found := Find(t.entries, e.path); !found || t.origins[i].absent {
				text, err := t.repo.readBlob(Entry{Path: e.path, Mode: e.mode, ID: e.id}, maxIgnore)
				add(e.path, text, err)
			}
		}
	}
	if text, ok := t.readOutside(filepath.Join(t.repo.commonDir, "info", "attributes")); ok {
		t.attrs.setInfo(text)
	}
}

func (t *workTree) conversion(path string) conversion {
	return conversionOf(t.attrs.of(path), strings.ToLower(t.repo.config.get("core.autocrlf")))
}

// compare reads the tracked files that look modified, and finds those that
// are not.
func (t *workTree) compare() {
	p := pool.New().WithMaxGoroutines(runtime.GOMAXPROCS(0))
	filtered := make([]bool, len(t.entries))
	for i := range t.entries {
		if o := t.origins[i]; o.clean || o.staged == "" {
			continue
		}
		p.Go(func() {
			e, o := &t.entries[i], &t.origins[i]
			data, err := t.convert(*e, *o, maxContent)
			if err != nil {
				return // Read will say it
			}
			e.ID = t.repo.blobID(data)
			o.clean = e.ID == o.staged
			filtered[i] = !o.clean && e.Mode.IsFile() && t.conversion(e.Path).filter
		})
	}
	p.Wait()
	for i, f := range filtered {
		if f {
			t.gaps = append(t.gaps, Gap{Path: t.entries[i].Path, Reason: FilterNotRun})
		}
	}
}

func (t *workTree) Read(i int, max int64) ([]byte, error) {
	e, o := t.entries[i], t.origins[i]
	max = limit(max)
	if e.Mode == Submodule {
		return nil, ErrNoContent
	}
	if !o.clean {
		return t.convert(e, o, max)
	}
	// The disk is faster than the object store. The hash tells whether it
	// still holds the blob; a filter, a race or an odd mix of line endings
	// only costs the second read.
	if !o.absent {
		if data, err := t.convert(e, origin{}, max); err == nil && t.repo.blobID(data) == e.ID {
			return data, nil
		}
	}
	return t.repo.readBlob(e, max)
}

// convert reads a file from disk as git would store it, apart from filters.
func (t *workTree) convert(e Entry, o origin, max int64) ([]byte, error) {
	if e.Mode == Symlink {
		if !t.repo.config.flag("core.symlinks", true) {
			if data, err := readRegular(t.root, e.Path, max); err == nil {
				return data, nil
			}
		}
		return readDisk(t.root, e, max)
	}
	c := t.conversion(e.Path)
	onDisk := max
	if c.eol != keepBytes {
		onDisk = 2 * max // each byte of the content may be CR LF on disk
	}
	data, err := readRegular(t.root, e.Path, onDisk)
	if err != nil {
		var tooLarge *TooLargeError
		if errors.As(err, &tooLarge) {
			err = &TooLargeError{Size: tooLarge.Size, Max: max}
		}
		return nil, err
	}
	data = c.toBlob(data, func() bool {
		if o.staged == "" {
			return false
		}
		blob, err := t.repo.readBlob(Entry{Path: e.Path, ID: o.staged}, maxContent)
		return err == nil && hasCRLF(blob)
	})
	if int64(len(data)) > max {
		return nil, &TooLargeError{Size: int64(len(data)), Max: max}
	}
	return data, nil
}

// matches reports whether a file is unmodified by what the index remembers
// of it. A file that is not older than the index may have been written again
// in the same tick of the clock. Where the file system tells parts of seconds, what
// was written after the index has another time than the index remembers, unless it was in
// the tick in which the index was written; else a tick is a second.
func (s fileStat) matches(info fs.FileInfo, written fileStat, trustCTime bool) bool {
	mtime := info.ModTime()
	if uint32(mtime.Unix()) != s.mtime || uint32(info.Size()) != s.size || s.mtime > written.mtime {
		return false
	}
	nano := uint32(mtime.Nanosecond())
	if s.mtimeNano != 0 && nano != 0 && nano != s.mtimeNano {
		return false
	}
	if s.mtime == written.mtime && (s.mtimeNano == 0 || nano == 0 || s.mtimeNano >= written.mtimeNano) {
		return false
	}
	inode, ctime, known := identityOf(info)
	return !known || !trustCTime ||
		(s.inode == 0 || inode == s.inode) && (s.ctime == 0 || ctime == s.ctime)
}

// blobID is the hash that git would give the content.
func (r *Repo) blobID(data []byte) string { return blobID(data, r.hashSize) }

func blobID(data []byte, hashSize int) string {
	var h hash.Hash
	if hashSize == sha256.Size {
		h = sha256.New()
	} else {
		h = sha1.New()
	}
	header := strconv.AppendInt([]byte("blob "), int64(len(data)), 10)
	h.Write(append(header, 0))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}
