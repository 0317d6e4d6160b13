package artifact

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/codekg/kg/analyzer/graph"
)

// WriteFile writes g as a graph file at path, as [CreateFile] does.
func WriteFile(ctx context.Context, path string, g *graph.Graph) error {
	return CreateFile(ctx, path, func(w io.Writer) error { return Write(w, g) })
}

// ReadFile reads the graph file at path; see [Read].
func ReadFile(path string, lim Limits) (*graph.Graph, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() {
		return ReadFrom(f, info.Size(), lim)
	}
	// A pipe has no size.
	data, err := io.ReadAll(io.LimitReader(f, lim.memory()))
	if err != nil {
		return nil, err
	}
	return Read(data, lim)
}

// CreateFile makes or replaces the file at path with what write writes. The
// file appears whole or not at all: it is written beside path, synced and
// renamed. On any error, and when ctx is done before the rename, what was at
// path stays and nothing else is left behind. A path that is there and is no
// regular file, such as a pipe or /dev/stdout, is written to directly.
func CreateFile(ctx context.Context, path string, write func(io.Writer) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	target, direct, err := resolve(path)
	if err != nil {
		return err
	}
	var f *os.File
	if direct {
		f, err = os.OpenFile(target, os.O_WRONLY, 0)
	} else {
		f, err = createBeside(target)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	done := false // stays false when write panics, too
	defer func() {
		f.Close() // again, when all went well: harmless
		if !done && !direct {
			os.Remove(f.Name())
		}
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	w := bufio.NewWriterSize(&contextWriter{ctx, f}, 1<<16)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if direct {
		return f.Close()
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), target); err != nil {
		return err
	}
	done = true
	syncFolder(filepath.Dir(target))
	dropLeftovers(target)
	return nil
}

// The names of the files that are written beside others, and the age at which one
// of them is nobody's any more: whoever wrote it was killed.
const (
	tempLetters = 10
	tempSuffix  = ".tmp"
	tempStale   = time.Hour
)

// dropLeftovers removes what killed processes have left beside target.
func dropLeftovers(target string) {
	dir, base := filepath.Split(target)
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return
	}
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Name(), "."+base+".")
		if name, found := strings.CutSuffix(name, tempSuffix); !ok || !found || len(name) != tempLetters || strings.Contains(name, ".") || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > tempStale {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// resolve follows links, so that the file they lead to is replaced and not the
// link, and reports whether it is something that must not be replaced.
func resolve(path string) (target string, direct bool, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, false, nil
	}
	if err != nil {
		return "", false, err
	}
	if info.IsDir() {
		return "", false, &fs.PathError{Op: "write", Path: path, Err: errors.New("is a folder")}
	}
	if !info.Mode().IsRegular() {
		return path, true, nil
	}
	target, err = filepath.EvalSymlinks(path)
	return target, false, err
}

// createBeside creates a new file in the folder of target. Unlike
// os.CreateTemp it leaves the permissions to the umask.
func createBeside(target string) (*os.File, error) {
	dir, base := filepath.Split(target)
	for range 100 {
		name := filepath.Join(dir, "."+base+"."+rand.Text()[:tempLetters]+tempSuffix)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, fs.ErrExist
}

// syncFolder makes a rename last. It is a hint: some systems cannot.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}

// contextWriter fails when its context is done.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c *contextWriter) Write(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(b)
}
