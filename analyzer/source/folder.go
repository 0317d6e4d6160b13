package source

import (
	"io/fs"
	"os"
)

// folderTree is a plain folder.
type folderTree struct {
	root    *os.Root
	entries []Entry
	gaps    []Gap
}

// OpenDir opens a folder that is not under git, or is to be taken as it is.
// Its .git folder, should it have one, is left out. All of its files are
// untracked, so .gitignore files hide files of it, and .kgignore files do.
// Line endings stay as they are on disk, and entries have no ID.
//
// The walk costs one system call for each file and a few for each folder.
func OpenDir(dir string) (Tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	t := &folderTree{root: root}
	w := &walker{
		root: root,
		file: func(path string, info fs.FileInfo) {
			t.entries = append(t.entries, Entry{Path: path, Mode: diskMode(info)})
		},
		module: func(path string) { t.entries = append(t.entries, Entry{Path: path, Mode: Submodule}) },
	}
	err = w.walk()
	if err == nil {
		var odd []Gap
		t.entries, odd = unique(t.entries)
		t.gaps = append(w.gaps, odd...)
		hideIgnored(t, &t.entries, &t.gaps, nil)
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return t, nil
}

func (t *folderTree) Entries() []Entry { return t.entries }
func (t *folderTree) Gaps() []Gap      { return t.gaps }
func (t *folderTree) Close() error     { return t.root.Close() }

func (t *folderTree) Read(i int, max int64) ([]byte, error) {
	return readDisk(t.root, t.entries[i], limit(max))
}

// readDisk reads a file as it is, or the text of a symbolic link.
func readDisk(root *os.Root, e Entry, max int64) ([]byte, error) {
	switch e.Mode {
	case Submodule:
		return nil, ErrNoContent
	case Symlink:
		target, err := root.Readlink(e.Path)
		if err != nil {
			return nil, err
		}
		if int64(len(target)) > max {
			return nil, &TooLargeError{Size: int64(len(target)), Max: max}
		}
		return []byte(target), nil
	}
	return readRegular(root, e.Path, max)
}

// diskMode is the mode of a file on disk.
func diskMode(info fs.FileInfo) Mode {
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return Symlink
	case mode&0o100 != 0:
		return Executable
	}
	return Regular
}
