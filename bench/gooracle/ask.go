// Package gooracle asks the Go compiler's type checker what a Go repository's
// code refers to. The answer has the form of package record; bench/README.md
// says what it holds and what it leaves out.
//
// Every module of the repository is read: each go.mod outside of testdata and
// vendor, joined by a go.work at the top. Nothing of the repository runs, and
// without Prepare nothing is downloaded.
package gooracle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"sort"
	"strings"

	"github.com/codekg/kg/bench/gosrc"
	"github.com/codekg/kg/bench/record"
)

// Options are how the compiler is asked.
type Options struct {
	Tags     string                // build tags, separated by commas
	Prepare  bool                  // download dependencies first, with the user's environment
	Log      io.Writer             // one line for each module; nil: none
	Progress func(done, total int) // packages that were read; called from many goroutines; nil: never
}

// Module is what became of one module, or of a workspace.
type Module struct {
	Dir      string   // relative to the repository, with slashes
	Packages int      // of the repository
	Missing  []string // packages that are not on this machine, as the go command says it
	Err      error    // why nothing of it was loaded
}

// Answer is what the compiler says, and what it could not say.
type Answer struct {
	*record.Oracle
	Modules []Module
}

// ErrNothing says that no module could be loaded. The answer has the reasons.
var ErrNothing = errors.New("no module could be loaded")

// Ask asks the type checker about the repository at dir.
func Ask(ctx context.Context, dir string, opt Options) (*Answer, error) {
	log := opt.Log
	if log == nil {
		log = io.Discard
	}
	l, err := gosrc.NewLoader(dir)
	if err != nil {
		return nil, err
	}
	groups, err := gosrc.FindGroups(l.Root)
	if err != nil {
		return nil, err
	}
	out := newOutput(l.Root, l.Fset)
	before := 0 // packages of earlier modules
	if opt.Progress != nil {
		l.Progress = func(done, total int) {
			opt.Progress(before+done, before+total)
			if done == total {
				before += total
			}
		}
	}
	answer := &Answer{Oracle: &record.Oracle{Meta: record.Meta{
		Lang: "go", Tool: runtime.Version() + " go/types " + runtime.GOOS + "/" + runtime.GOARCH,
		Closed: []string{
			record.Calls, record.References, record.Reads, record.Writes, record.UsesType,
			record.Instantiates, record.Converts, record.Embeds,
		},
		Relations: []string{record.Implements, record.Overrides},
	}}}
	oracle := answer.Oracle
	reasons := map[string]string{} // why a file is not judged, by path
	for _, g := range groups {
		name, err := filepath.Rel(l.Root, g.Dir)
		if err != nil {
			return nil, err
		}
		name = filepath.ToSlash(name)
		if opt.Prepare {
			if err := g.Prepare(ctx, log); err != nil {
				fmt.Fprintf(log, "module %s: go mod download: %v\n", name, err)
			}
		}
		pkgs, missing, err := l.Load(ctx, g, name, opt.Tags)
		answer.Modules = append(answer.Modules, Module{Dir: name, Packages: len(pkgs), Missing: missing, Err: err})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			oracle.Meta.Notes = append(oracle.Meta.Notes, "module "+name+" was not loaded")
			fmt.Fprintf(log, "module %s: %v\n", name, err)
			continue
		}
		for _, c := range pkgs {
			out.declare(c)
		}
		for _, c := range pkgs {
			out.walk(c)
			for f, why := range c.Broken {
				reasons[out.relPath(f)] = why
			}
			for _, f := range c.IgnoredGoFiles {
				reasons[out.relPath(filepath.Join(c.Dir, f))] = "build constraint"
			}
		}
		out.relations(pkgs)
		fmt.Fprintf(log, "module %s: %d packages\n", name, len(pkgs))
	}
	if len(oracle.Meta.Notes) == len(groups) {
		return answer, ErrNothing
	}
	if oracle.Files, err = out.files(reasons); err != nil {
		return nil, err
	}
	oracle.Meta.Errors = l.Errors
	oracle.Defs, oracle.Sites = out.order, out.sites
	out.sort(oracle)
	for _, s := range oracle.Sites {
		if s.Open {
			oracle.End.Open++
		}
	}
	return answer, nil
}

// files lists every Go file of the repository, judged or not.
func (o *output) files(reasons map[string]string) ([]*record.File, error) {
	var list []*record.File
	err := filepath.WalkDir(o.root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") {
			return nil
		}
		rel, err := filepath.Rel(o.root, p)
		if err != nil {
			return err
		}
		f := &record.File{File: filepath.ToSlash(rel), Test: isTest(p)}
		f.Reason = reasons[f.File]
		f.Judged = o.defs[fileID(f.File)] != nil && f.Reason == ""
		if !f.Judged && f.Reason == "" {
			f.Reason = "not in a package that was loaded"
		}
		list = append(list, f)
		return nil
	})
	return list, err
}

// sort brings the records into an order that depends on the source alone.
func (o *output) sort(r *record.Oracle) {
	sort.Slice(r.Files, func(i, j int) bool { return r.Files[i].File < r.Files[j].File })
	sort.Slice(r.Defs, func(i, j int) bool {
		a, b := r.Defs[i], r.Defs[j]
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		if a.Col != b.Col {
			return a.Col < b.Col
		}
		return a.ID < b.ID
	})
	sort.SliceStable(r.Sites, func(i, j int) bool {
		a, b := r.Sites[i], r.Sites[j]
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		if a.Col != b.Col {
			return a.Col < b.Col
		}
		if a.Kind != b.Kind {
			return a.Kind < b.Kind
		}
		return a.To+a.Ext+a.Type+a.TypeExt < b.To+b.Ext+b.Type+b.TypeExt
	})
}
