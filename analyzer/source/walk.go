package source

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// A walker lists the files below a folder that a commit of it would hold.
type walker struct {
	root  *os.Root
	scope *ignoreScope // ignore rules from outside the tree, may be nil
	fold  bool         // compare ignore patterns without regard to case

	// What the index knows; all false for a plain folder.
	tracked      func(path string) bool
	trackedBelow func(folder string) bool // folder ends in a slash
	submodule    func(path string) bool

	// file is called for each regular file and symbolic link, and module for
	// each folder that is a repository of its own.
	file   func(path string, info fs.FileInfo)
	module func(path string)

	gaps []Gap
	seen int // entries looked at, against maxEntries
}

type walkFolder struct {
	path    string // with a slash at its end, or empty
	scope   *ignoreScope
	ignored bool // only tracked files count
	depth   int
}

// walk visits folders depth first with a stack of its own.
func (w *walker) walk() error {
	stack := []walkFolder{{scope: w.scope}}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		below, err := w.list(at)
		switch {
		case err != nil && at.path == "":
			return err
		case errors.Is(err, fs.ErrNotExist): // gone since its parent was listed
		case err != nil:
			w.gaps = append(w.gaps, Gap{Path: at.path, Reason: UnreadableFolder, Err: err})
		}
		if w.seen > maxEntries {
			w.gaps = append(w.gaps, Gap{Path: at.path, Reason: TooManyEntries})
			return nil
		}
		slices.Reverse(below)
		stack = append(stack, below...)
	}
	return nil
}

// list reports the files of one folder and returns the folders to visit.
func (w *walker) list(at walkFolder) ([]walkFolder, error) {
	// Names are looked up relative to the open folder: one system call each,
	// however deep it is.
	folder, err := w.root.OpenRoot(cmp.Or(strings.TrimSuffix(at.path, "/"), "."))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	names, err := w.names(folder)
	if err != nil {
		return nil, err
	}
	if !at.ignored {
		if i, found := slices.BinarySearchFunc(names, ".gitignore", byName); found && names[i].Type().IsRegular() {
			text, err := readRegular(folder, ".gitignore", maxIgnore)
			if err != nil {
				w.gaps = append(w.gaps, Gap{Path: at.path + ".gitignore", Reason: UnreadableIgnore, Err: err})
			} else if list := parseIgnore(text, w.fold); len(list) > 0 {
				at.scope = &ignoreScope{above: at.scope, folder: at.path, list: list}
			}
		}
	}

	var below []walkFolder
	for _, name := range names {
		if isDotGit(name.Name()) {
			continue
		}
		path := at.path + name.Name()
		if name.IsDir() {
			if next, visit := w.enter(folder, name.Name(), path, at); visit {
				below = append(below, next)
			}
			continue
		}
		tracked := w.tracked != nil && w.tracked(path)
		if !tracked && (at.ignored || at.scope.ignores(path, false, w.fold)) {
			continue
		}
		if !name.Type().IsRegular() && name.Type()&fs.ModeSymlink == 0 {
			if tracked {
				w.gaps = append(w.gaps, Gap{Path: path, Reason: NotAFile})
			}
			continue
		}
		info, err := folder.Lstat(name.Name())
		if err != nil {
			continue // gone since the folder was listed
		}
		if mode := info.Mode(); mode.IsRegular() || mode&fs.ModeSymlink != 0 {
			w.file(path, info)
		}
	}
	return below, nil
}

// enter decides whether to visit a folder.
func (w *walker) enter(parent *os.Root, name, path string, at walkFolder) (walkFolder, bool) {
	if w.submodule != nil && w.submodule(path) {
		w.module(path)
		return walkFolder{}, false
	}
	ignored := at.ignored || at.scope.ignores(path, true, w.fold)
	tracked := w.trackedBelow != nil && w.trackedBelow(path+"/")
	if ignored && !tracked {
		return walkFolder{}, false
	}
	if !tracked && isNested(parent, name) {
		w.module(path)
		return walkFolder{}, false
	}
	if at.depth == maxDepth {
		w.gaps = append(w.gaps, Gap{Path: path + "/", Reason: TooDeep})
		return walkFolder{}, false
	}
	return walkFolder{path: path + "/", scope: at.scope, ignored: ignored, depth: at.depth + 1}, true
}

// isNested reports whether a folder is a repository, which git would add as
// one submodule and not as files.
func isNested(parent *os.Root, name string) bool {
	info, err := parent.Lstat(name + "/.git")
	if err != nil {
		return false
	}
	if info.Mode().IsRegular() {
		text, err := readRegular(parent, name+"/.git", 64<<10)
		return err == nil && strings.HasPrefix(string(text), "gitdir: ")
	}
	if !info.IsDir() {
		return false
	}
	_, err = parent.Lstat(name + "/.git/HEAD")
	return err == nil
}

// names lists an open folder, sorted bytewise.
func (w *walker) names(folder *os.Root) ([]fs.DirEntry, error) {
	f, err := folder.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var names []fs.DirEntry
	for {
		some, err := f.ReadDir(4096)
		names = append(names, some...)
		w.seen += len(some)
		if err == io.EOF || w.seen > maxEntries {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(names, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return names, nil
}

func byName(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) }

// readRegular reads a regular file of at most max bytes. Should a FIFO have
// taken the file's place, the open does not wait for a writer.
func readRegular(root *os.Root, path string, max int64) ([]byte, error) {
	f, err := root.OpenFile(path, os.O_RDONLY|openNonBlocking, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if info.Size() > max {
		return nil, &TooLargeError{Size: info.Size(), Max: max}
	}
	// The file may grow while it is read.
	data := make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if int64(len(data)) > max {
			return nil, &TooLargeError{Size: -1, Max: max}
		}
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = slices.Grow(data, 4096)
		}
	}
}
