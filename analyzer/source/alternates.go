package source

import (
	"os"
	"path/filepath"

	"github.com/go-git/go-billy/v5"
)

// noAlternates is a repository folder that names no alternates, so that a
// go-git storage over it answers "not found" at once and the next folder of
// [objectDirs] is asked.
type noAlternates struct{ billy.Filesystem }

func (fs noAlternates) Open(name string) (billy.File, error) {
	if filepath.Base(name) == "alternates" {
		return nil, &os.PathError{Op: "open", Path: name, Err: os.ErrNotExist}
	}
	return fs.Filesystem.Open(name)
}
