package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// checked is one type-checked package: a package, a package with its test files,
// an external test package, or a package compiled anew for a test.
type checked struct {
	*listed
	group string
	types *types.Package
	info  *types.Info
	// mine are the names of the files that are judged here, judge their syntax;
	// every file of the repository is judged in one package only.
	mine   map[string]bool
	judge  []*ast.File
	files  []*ast.File
	names  []string // of files, absolute
	broken map[string]string
	deps   map[string]*checked // by the path in the import statement
	errors int
	inRepo bool
	done   chan struct{}
}

// path is the import path without the mark of the test it was compiled for.
func (c *checked) path() string {
	p, _, _ := strings.Cut(c.ImportPath, " ")
	return p
}

// isTestMain reports whether the go command generates this package.
func (c *checked) isTestMain() bool {
	return c.Name == "main" && strings.HasSuffix(c.path(), ".test") && c.ForTest == ""
}

// loader type-checks packages from source. Functions outside of the repository,
// and those that are judged elsewhere, are checked without their bodies.
type loader struct {
	root   string
	fset   *token.FileSet
	judged map[string]bool // absolute file names that have found their package
	errors atomic.Int64
}

// load lists and type-checks one group of modules. The result has the packages
// of the repository only, in the order of `go list`.
func (l *loader) load(g group, name, tags string) ([]*checked, error) {
	pkgs, err := g.list(tags)
	if err != nil {
		return nil, err
	}
	byID := map[string]*checked{}
	var all []*checked
	for _, p := range pkgs {
		c := &checked{listed: p, group: name, done: make(chan struct{}), mine: map[string]bool{}, broken: map[string]string{}}
		if c.isTestMain() || p.ImportPath == "unsafe" {
			continue
		}
		byID[p.ImportPath] = c
		all = append(all, c)
	}
	var repo []*checked
	for _, c := range all {
		c.deps = map[string]*checked{}
		for _, id := range c.Imports {
			c.deps[id] = byID[id]
		}
		for from, id := range c.ImportMap {
			c.deps[from] = byID[id]
		}
		c.inRepo = !c.Standard && l.within(c.Dir)
		if c.inRepo {
			repo = append(repo, c)
		}
		for _, f := range c.GoFiles {
			if !filepath.IsAbs(f) {
				f = filepath.Join(c.Dir, f)
			}
			c.names = append(c.names, f)
		}
	}
	l.assign(repo)
	breakCycles(all)
	l.checkAll(all)
	return repo, nil
}

// within reports whether dir holds source of the repository itself.
func (l *loader) within(dir string) bool {
	rel, err := filepath.Rel(l.root, dir)
	if err != nil || dir == "" || strings.HasPrefix(rel, "..") {
		return false
	}
	for _, part := range strings.Split(filepath.ToSlash(rel), "/") {
		if part != "." && skippedDir(part) {
			return false
		}
	}
	return true
}

// assign gives every file to the first package that holds it, packages without
// test files first, so that each file is judged once.
func (l *loader) assign(repo []*checked) {
	for _, variants := range []bool{false, true} {
		for _, c := range repo {
			if (c.ForTest != "") != variants {
				continue
			}
			for _, name := range c.names {
				if !l.judged[name] {
					l.judged[name] = true
					c.mine[name] = true
				}
			}
		}
	}
}

// breakCycles forgets the imports that close a cycle. The compiler refuses them,
// and waiting for them would never end.
func breakCycles(all []*checked) {
	const open, closed = 1, 2
	state := map[*checked]int{}
	var visit func(c *checked)
	visit = func(c *checked) {
		state[c] = open
		for path, d := range c.deps {
			switch {
			case d == nil:
			case state[d] == open:
				c.deps[path] = nil
			case state[d] != closed:
				visit(d)
			}
		}
		state[c] = closed
	}
	for _, c := range all {
		if state[c] != closed {
			visit(c)
		}
	}
}

// checkAll checks the packages, each after its dependencies, as many at a time
// as there are processors.
func (l *loader) checkAll(all []*checked) {
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for _, c := range all {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer close(c.done)
			for _, d := range c.deps {
				if d != nil {
					<-d.done
				}
			}
			slots <- struct{}{}
			defer func() { <-slots }()
			l.check(c)
		}()
	}
	wg.Wait()
}

// check parses and type-checks one package, going on after errors.
func (l *loader) check(c *checked) {
	if c.Error != nil {
		c.errors++
	}
	for _, name := range c.names {
		f, err := parser.ParseFile(l.fset, name, nil, parser.SkipObjectResolution)
		if err != nil && c.inRepo {
			c.broken[name] = "syntax error"
			c.errors++
		}
		if f == nil {
			continue
		}
		c.files = append(c.files, f)
		if c.mine[name] {
			if err == nil {
				c.judge = append(c.judge, f)
			}
			continue
		}
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok {
				fd.Body = nil
			}
		}
	}
	if len(c.judge) > 0 {
		c.info = &types.Info{
			Types:      map[ast.Expr]types.TypeAndValue{},
			Defs:       map[*ast.Ident]types.Object{},
			Uses:       map[*ast.Ident]types.Object{},
			Instances:  map[*ast.Ident]types.Instance{},
			Selections: map[*ast.SelectorExpr]*types.Selection{},
		}
	}
	conf := types.Config{
		Importer:         importer{c},
		Sizes:            types.SizesFor("gc", runtime.GOARCH),
		IgnoreFuncBodies: len(c.judge) == 0,
		Error: func(err error) {
			// Imports that only bodies use are unused without the bodies.
			if te, ok := err.(types.Error); ok && !te.Soft && len(c.judge) > 0 {
				c.errors++
			}
		},
	}
	if c.Module != nil && c.Module.GoVersion != "" {
		conf.GoVersion = "go" + c.Module.GoVersion
	}
	c.types, _ = conf.Check(c.path(), l.fset, c.files, c.info)
	if c.inRepo {
		l.errors.Add(int64(c.errors))
	} else {
		c.files = nil
	}
}

// importer finds the packages that the go command found for c.
type importer struct{ c *checked }

func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	d := i.c.deps[path]
	if d == nil || d.types == nil {
		return nil, fmt.Errorf("package %s was not found", path)
	}
	return d.types, nil
}
