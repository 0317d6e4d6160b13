// Package change compares two trees of a repository as kg impact does, in one
// process, for the programs that measure many changes.
package change

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/history"
	"github.com/codekg/kg/analyzer/lang/all"
	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/impact"
)

// Side is a tree and its graph.
type Side struct {
	Tree  source.Tree
	Graph *graph.Graph
}

// Builder builds graphs that share the facts of equal files.
type Builder struct{ memo analyzer.Memo }

// Build returns a side of a comparison.
func (b *Builder) Build(ctx context.Context, t source.Tree) (Side, error) {
	g, err := analyzer.Build(ctx, t, analyzer.Options{Memo: &b.memo})
	return Side{t, g}, err
}

// Rules are what kg knows of each language.
func Rules() diff.Options {
	o := diff.Options{Rules: map[string]diff.Rules{}}
	for _, l := range all.Languages {
		f := l.Fit
		o.Rules[l.Name] = diff.Rules{Keywords: f.Keywords, Dynamic: f.Dynamic, Coerces: f.Coerces, FileModules: f.FileModules, TestsAlone: f.TestsAlone, Scanned: f.Scanned, Reexports: f.Reexports, LooseArity: f.LooseArity, Loose: f.Loose, Union: f.Union, Structural: f.Structural, Statics: f.Statics, TopTypes: f.TopTypes, Constants: f.Constants, Nil: f.Nil,
			Supertypes: f.Supertypes, Unchecked: f.Unchecked, Overriding: f.Overriding, Unread: f.Unread, Fallback: f.Fallback, Compiled: f.Compiled, Predeclared: l.Predeclared()}
	}
	return o
}

// Compare returns what differs between two sides.
func Compare(base, head Side) *diff.Delta { return Rules().Compare(base.Graph, head.Graph) }

// Impact returns what the changes of d, of two sides, reach.
func Impact(ctx context.Context, base, head Side, d *diff.Delta) (*impact.Result, error) {
	files, err := source.Changed(base.Tree, head.Tree)
	if err != nil {
		return nil, err
	}
	moved := map[string]string{}
	for _, m := range d.Files.Moved {
		moved[m.To] = m.From
	}
	known := func(path string) bool { return d.Base.FileIndex(path) >= 0 || d.Head.FileIndex(path) >= 0 }
	lines, err := source.ChangedLines(ctx, base.Tree, head.Tree, files, moved, known)
	if err != nil {
		return nil, err
	}
	o := impact.Options{Limit: -1, Edited: map[string][]impact.Range{}}
	for path, rs := range lines {
		for _, r := range rs {
			o.Edited[path] = append(o.Edited[path], impact.Range(r))
		}
	}
	return impact.Compute(d, o), nil
}

// Content returns the content of a file of a tree; ok is false if there is none
// that can be read.
func Content(t source.Tree, path string) (data []byte, ok bool) {
	i, ok := source.Find(t.Entries(), path)
	if !ok {
		return nil, false
	}
	data, err := t.Read(i, -1)
	return data, err == nil
}

// overlay is a tree with some files replaced.
type overlay struct {
	source.Tree
	entries []source.Entry
	at      []int // in the tree below; -1 where data is the content
	data    [][]byte
}

// Overlay returns a tree with the given files in place of those of t; nil stands
// for a file that is not there.
func Overlay(t source.Tree, files map[string][]byte) source.Tree {
	o := &overlay{Tree: t}
	add := func(e source.Entry, at int, data []byte) {
		o.entries, o.at, o.data = append(o.entries, e), append(o.at, at), append(o.data, data)
	}
	var paths []string
	for p := range files {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for i, e := range t.Entries() {
		for len(paths) > 0 && paths[0] < e.Path {
			if data := files[paths[0]]; data != nil {
				add(source.Entry{Path: paths[0], ID: blob(data)}, -1, data)
			}
			paths = paths[1:]
		}
		if len(paths) > 0 && paths[0] == e.Path {
			if data := files[e.Path]; data != nil {
				e.ID = blob(data)
				add(e, -1, data)
			}
			paths = paths[1:]
			continue
		}
		add(e, i, nil)
	}
	for _, p := range paths {
		if data := files[p]; data != nil {
			add(source.Entry{Path: p, ID: blob(data)}, -1, data)
		}
	}
	return o
}

// blob names a content as git does.
func blob(data []byte) string {
	h := sha1.New()
	h.Write(append(strconv.AppendInt([]byte("blob "), int64(len(data)), 10), 0))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

func (o *overlay) Entries() []source.Entry { return o.entries }

func (o *overlay) Read(i int, max int64) ([]byte, error) {
	if o.at[i] >= 0 {
		return o.Tree.Read(o.at[i], max)
	}
	if max >= 0 && int64(len(o.data[i])) > max {
		return nil, &source.TooLargeError{Size: int64(len(o.data[i])), Max: max}
	}
	return o.data[i], nil
}

// Changed returns the files that differ between two sides and end in a suffix.
func Changed(base, head Side, suffix string) ([]history.FileChange, error) {
	files, err := source.Changed(base.Tree, head.Tree)
	return slices.DeleteFunc(files, func(f history.FileChange) bool { return !strings.HasSuffix(f.Path, suffix) }), err
}
