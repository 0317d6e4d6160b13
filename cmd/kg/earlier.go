package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/cache"
)

// earlier is what earlier builds have read: the facts file of --from, and the
// cache of this machine. Neither changes what a build makes.
type earlier struct {
	*app
	ctx   context.Context
	memo  *analyzer.Memo
	cache *cache.Cache    // nil with --no-cache
	file  *artifact.Facts // nil without --from
	from  string

	keep, released sync.WaitGroup
}

// earlier opens what there is. A facts file that cannot be used is said to be so,
// and the files are read again.
func (a *app) earlier(ctx context.Context, from string) *earlier {
	return a.earlierThat(ctx, from, func() bool { return true })
}

// earlierVouched is earlier where a gate may decide: facts of unknown origin are
// not taken.
func (a *app) earlierVouched(ctx context.Context, from string) *earlier {
	return a.earlierThat(ctx, from, func() bool {
		if _, err := os.Stat(from); err != nil || a.vouches(from) {
			return true
		}
		a.note("%s is not used: a gate takes facts only of this machine, or of kg stored; all files are read", quote(from))
		return false
	})
}

func (a *app) earlierThat(ctx context.Context, from string, may func() bool) *earlier {
	e := &earlier{app: a, ctx: ctx, from: from}
	if from != "" && may() {
		f, err := artifact.OpenFactsFile(from, extractor(), artifact.Limits{})
		if err == nil {
			e.file = f
		} else {
			e.unusable(err)
		}
	}
	if dir := a.cacheFolder(); dir != "" && !a.noCache {
		e.cache = cache.Open(dir, extractor(), 0)
	}
	e.memo = analyzer.NewMemo()
	if e.file != nil {
		e.memo.Use(e.file)
	}
	if e.cache != nil {
		e.memo.Use(e.cache)
	}
	return e
}

func (e *earlier) unusable(err error) {
	why := plain(err).Error()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		why = "there is no such file"
	case isGraphFile(e.from):
		why = "it is a graph file, which holds no facts; name the file that `kg build --facts` wrote"
	}
	e.note("cannot build from %s: %s; all files are read", quote(e.from), why)
}

// isGraphFile reports whether a file begins as a graph file does.
func isGraphFile(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(artifact.Magic))
	_, err = io.ReadFull(f, head)
	return err == nil && bytes.Equal(head, []byte(artifact.Magic))
}

// store begins to keep what was read anew, while the caller does other things.
func (e *earlier) store() {
	if e.cache == nil || e.ctx.Err() != nil {
		return
	}
	e.keep.Wait()
	if fresh := e.memo.TakeFresh(); len(fresh) > 0 {
		e.keep.Go(func() { e.cache.Add(fresh) }) // a cache that cannot be written is only slower
	}
}

// release begins to end, while the caller does other things: nothing more will be read,
// and what was read need not stay in memory for that.
func (e *earlier) release() {
	e.released.Wait()
	e.released.Go(e.finish)
}

// end keeps what was read anew, releases the files, and says what they were good for.
// It may be called again.
func (e *earlier) end() {
	e.released.Wait()
	e.finish()
	if e.file != nil {
		if err := e.file.Err(); err != nil {
			e.unusable(err)
		} else if known, _ := e.file.Used(); e.from != "" {
			e.note("%s: %s not read again", e.from, plural(known, "file"))
		}
		e.file = nil
	}
}

func (e *earlier) finish() {
	e.store()
	e.keep.Wait()
	e.memo.Forget()
	if e.file != nil {
		e.file.Close()
	}
	if e.cache != nil {
		e.cache.Touch()
		e.cache.Close()
		e.cache = nil
	}
}

// cacheFolder is where this user's programs keep what they can make again; empty
// if the system does not say.
func (a *app) cacheFolder() string {
	dir := a.getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(dir) {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return ""
		}
	}
	return filepath.Join(dir, "kg")
}

// extractor names the program that reads files. Facts of any other are not
// taken: it may have read them differently.
var extractor = sync.OnceValue(func() string {
	version := readVersions().Version
	if version == "unknown" || strings.HasPrefix(version, "(") || strings.HasSuffix(version, "+dirty") {
		// A program of somebody who works on kg: every one is another.
		if path, err := os.Executable(); err == nil {
			if info, err := os.Stat(path); err == nil {
				version += fmt.Sprintf(" of %d, %d bytes", info.ModTime().UnixNano(), info.Size())
			}
		}
	}
	return "kg " + version + ", " + analyzer.Extractors()
})
