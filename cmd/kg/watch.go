package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/codekg/kg/analyzer/facts"
)

// The times of kg build --watch.
const (
	// settle is how long nothing must happen before files are read: programs
	// write several files, and each in several steps.
	settle = 50 * time.Millisecond
	// settleMost bounds the wait for a tree that never rests.
	settleMost = time.Second
	// pollNotified is the time between looks at the tree if the system tells of
	// changes: it may lose some, and does not know folders that were empty.
	pollNotified = 10 * time.Second
	// pollAlone is the time between looks if the system tells nothing.
	pollAlone = time.Second
)

// watch builds a tree again whenever it differs from what was built last, until
// ctx ends. What the last build has read is kept in memory.
func (a *app) watch(ctx context.Context, args []string, f *buildFlags) error {
	w := newWatcher()
	defer w.close()
	var last [sha256.Size]byte
	var known []*facts.Content
	for first := true; ; first = false {
		s, err := a.only(args, "")
		if err == nil {
			news := w.add(s)
			if now := signature(s, f); now != last {
				begin := time.Now()
				if known, err = a.buildOnce(ctx, s, f, known); err == nil {
					last = now
					a.note("%s: %s, %.2f s", s.name, summary(s.graph), time.Since(begin).Seconds())
				}
			}
			s.close()
			if err == nil && news && !first {
				continue // what came into a new folder before it was watched
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if first {
				return err
			}
			// A tree that somebody is working on may be half there.
			text, _ := explain(err)
			a.note("not built: %s", text)
		}
		if first {
			a.note("watching for changes; Ctrl-C ends it")
		}
		if err := w.wait(ctx); err != nil {
			return err
		}
	}
}

// signature changes when a file of a tree does. Of files that the tree knows no
// ID of, it looks at size and time. What the build writes itself does not count.
func signature(s *side, f *buildFlags) [sha256.Size]byte {
	h := sha256.New()
	top := s.top()
	own := func(info fs.FileInfo) bool {
		for _, p := range []string{f.path, f.facts} {
			if i, err := os.Stat(p); p != "" && err == nil && os.SameFile(i, info) {
				return true
			}
		}
		return false
	}
	for _, e := range s.tree.Entries() {
		fmt.Fprintf(h, "%s\x00%v %s", e.Path, e.Mode, e.ID)
		if e.ID == "" {
			if info, err := os.Lstat(filepath.Join(top, filepath.FromSlash(e.Path))); err == nil && !own(info) {
				fmt.Fprintf(h, " %d %d", info.Size(), info.ModTime().UnixNano())
			}
		}
		h.Write([]byte{0})
	}
	for _, g := range s.tree.Gaps() {
		fmt.Fprintf(h, "%s\x00%s\x00", g.Path, g.Reason)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// watcher tells that something below the folders of a tree has happened.
type watcher struct {
	notify  *fsnotify.Watcher // nil: the system cannot, or not so many
	folders map[string]bool
}

func newWatcher() *watcher {
	n, err := fsnotify.NewWatcher()
	if err != nil {
		n = nil
	}
	return &watcher{notify: n, folders: map[string]bool{}}
}

func (w *watcher) close() {
	if w.notify != nil {
		w.notify.Close()
		w.notify = nil
	}
}

// add watches the folders of a tree, those above its files. It reports whether
// one of them is new. Where the system refuses, the tree is looked at instead.
func (w *watcher) add(s *side) bool {
	if w.notify == nil {
		return false
	}
	top, seen, news := s.top(), map[string]bool{}, false
	for _, e := range s.tree.Entries() {
		for dir := path.Dir(e.Path); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			if added, ok := w.folder(filepath.Join(top, filepath.FromSlash(dir))); !ok {
				return false
			} else if added {
				news = true
			}
		}
	}
	if len(seen) == 0 {
		w.folder(top)
	}
	return news
}

// folder watches one folder. It reports whether it is new; ok is false if
// nothing can be watched any more.
func (w *watcher) folder(dir string) (added, ok bool) {
	if w.folders[dir] {
		return false, true
	}
	err := w.notify.Add(dir)
	switch {
	case err == nil:
		w.folders[dir] = true
		return true, true
	case errors.Is(err, fs.ErrNotExist):
		return false, true // it went in the meantime
	}
	w.close()
	return false, false
}

// wait returns when something has happened and rests again, or when it is time
// to look at the tree anyway. The error is ctx's.
func (w *watcher) wait(ctx context.Context) error {
	if w.notify == nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollAlone):
			return nil
		}
	}
	limit, quiet := time.After(pollNotified), (<-chan time.Time)(nil)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, ok := <-w.notify.Events:
			if !ok {
				w.close()
				return nil
			}
			w.note(e)
			if e.Op == fsnotify.Chmod {
				continue // also of programs that only index files
			}
			if quiet == nil {
				limit = time.After(settleMost)
			}
			quiet = time.After(settle)
		case <-w.notify.Errors: // events were lost
			return nil
		case <-quiet:
			return nil
		case <-limit:
			return nil
		}
	}
}

// note keeps track of folders. One that has just come is watched at once, as
// the tree does not show it before there is a file in it.
func (w *watcher) note(e fsnotify.Event) {
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		delete(w.folders, e.Name)
	}
	if e.Has(fsnotify.Create) && filepath.Base(e.Name) != ".git" {
		if info, err := os.Lstat(e.Name); err == nil && info.IsDir() {
			w.folder(e.Name)
		}
	}
}
