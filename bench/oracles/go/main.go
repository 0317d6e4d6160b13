// Command go asks the Go compiler's type checker what a Go repository's code
// refers to, and writes the answer as JSON Lines (see bench/README.md):
//
//	go run ./bench/oracles/go [-prepare] [-tags LIST] [-o FILE] DIR
//
// Every module of the repository is read: each go.mod outside of testdata and
// vendor, joined by a go.work at the top. Files that a build for this machine
// without cgo leaves out are listed and judge nobody. It runs without network;
// -prepare downloads the dependencies first.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sort"
	"strings"
	"time"

	"github.com/codekg/kg/bench/gosrc"
	"github.com/codekg/kg/bench/record"
)

func main() {
	prepare := flag.Bool("prepare", false, "download dependencies first (go mod download, with your environment)")
	tags := flag.String("tags", "", "build tags, separated by commas")
	out := flag.String("o", "-", "file to write, - for standard output")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go [-prepare] [-tags LIST] [-o FILE] DIR")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	debug.SetGCPercent(200) // most of what is allocated stays
	if err := run(flag.Arg(0), *tags, *out, *prepare, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(2)
	}
}

func run(dir, tags, out string, prepare bool, log io.Writer) error {
	start := time.Now()
	o, err := judge(dir, tags, prepare, log)
	if err != nil {
		return err
	}
	w := os.Stdout
	if out != "-" {
		if w, err = os.Create(out); err != nil {
			return err
		}
		defer w.Close()
	}
	if err := o.Write(w); err != nil {
		return err
	}
	calls, open := 0, 0
	for _, s := range o.Sites {
		if s.Kind == record.Calls {
			calls++
			if s.Open {
				open++
			}
		}
	}
	fmt.Fprintf(log, "%d definitions, %d sites (%d open), %d calls (%d open), %d errors, %.1f s\n",
		len(o.Defs), len(o.Sites), o.End.Open, calls, open, o.Meta.Errors, time.Since(start).Seconds())
	return nil
}

// judge makes the records of the repository at dir.
func judge(dir, tags string, prepare bool, log io.Writer) (*record.Oracle, error) {
	l, err := gosrc.NewLoader(dir)
	if err != nil {
		return nil, err
	}
	groups, err := gosrc.FindGroups(l.Root)
	if err != nil {
		return nil, err
	}
	out := newOutput(l.Root, l.Fset)
	oracle := &record.Oracle{Meta: record.Meta{
		Lang: "go", Tool: runtime.Version() + " go/types " + runtime.GOOS + "/" + runtime.GOARCH,
		Closed: []string{
			record.Calls, record.References, record.Reads, record.Writes, record.UsesType,
			record.Instantiates, record.Converts, record.Embeds,
		},
		Relations: []string{record.Implements, record.Overrides},
	}}
	reasons := map[string]string{} // why a file is not judged, by path
	for _, g := range groups {
		name, err := filepath.Rel(l.Root, g.Dir)
		if err != nil {
			return nil, err
		}
		name = filepath.ToSlash(name)
		if prepare {
			if err := g.Prepare(log); err != nil {
				fmt.Fprintf(log, "module %s: go mod download: %v\n", name, err)
			}
		}
		pkgs, err := l.Load(g, name, tags)
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
		return nil, errors.New("no module could be loaded; -prepare downloads what is missing")
	}
	if oracle.Files, err = out.files(reasons); err != nil {
		return nil, err
	}
	oracle.Meta.Errors = l.Errors
	oracle.Defs, oracle.Sites = out.order, out.sites
	out.sort(oracle)
	return oracle, nil
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
