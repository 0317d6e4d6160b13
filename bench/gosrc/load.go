// Package gosrc lists and type-checks the Go source of a repository, for the
// programs that let the compiler judge.
package gosrc

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Package is one type-checked package: a package, a package with its test files,
// an external test package, or a package compiled anew for a test.
type Package struct {
	*Listed
	Group string // a name of the group of modules it was loaded with
	Types *types.Package
	Info  *types.Info // only if something is judged here
	// Judge is the syntax of the files that are judged here, mine are their names;
	// every file of the repository is judged in one package only.
	Judge  []*ast.File
	mine   map[string]bool
	Files  []*ast.File         // of the repository only
	names  []string            // of files, absolute
	Broken map[string]string   // why a file is not judged, by absolute name
	Deps   map[string]*Package // by the path in the import statement
	Errors []types.Error       // of the type checker
	failed int                 // to list or to parse
	InRepo bool
	done   chan struct{}
}

// Path is the import path without the mark of the test it was compiled for.
func (c *Package) Path() string {
	p, _, _ := strings.Cut(c.ImportPath, " ")
	return p
}

// isTestMain reports whether the go command generates this package.
func (c *Package) isTestMain() bool {
	return c.Name == "main" && strings.HasSuffix(c.Path(), ".test") && c.ForTest == ""
}

// Loader type-checks packages from source. Functions outside of the repository,
// and those that are judged elsewhere, are checked without their bodies.
type Loader struct {
	Root   string // absolute, without symbolic links
	Fset   *token.FileSet
	Errors int // of the repository's packages
	// Progress counts the packages of a Load; nil: never. It is called from many
	// goroutines.
	Progress func(done, total int)
	judged   map[string]bool // absolute file names that have found their package
}

// NewLoader returns a loader for the repository at dir.
func NewLoader(dir string) (*Loader, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	return &Loader{Root: root, Fset: token.NewFileSet(), judged: map[string]bool{}}, nil
}

// Load lists and type-checks one group of modules. The result has the packages
// of the repository only, in the order of `go list`; missing says which of the
// others are not on this machine.
func (l *Loader) Load(ctx context.Context, g Group, name, tags string) (repo []*Package, missing []string, err error) {
	pkgs, err := g.List(ctx, tags)
	if err != nil {
		return nil, nil, err
	}
	byID := map[string]*Package{}
	var all []*Package
	for _, p := range pkgs {
		c := &Package{Listed: p, Group: name, done: make(chan struct{}), mine: map[string]bool{}, Broken: map[string]string{}}
		if c.isTestMain() || p.ImportPath == "unsafe" {
			continue
		}
		byID[p.ImportPath] = c
		all = append(all, c)
	}
	for _, c := range all {
		c.Deps = map[string]*Package{}
		for _, id := range c.Imports {
			c.Deps[id] = byID[id]
		}
		for from, id := range c.ImportMap {
			c.Deps[from] = byID[id]
		}
		c.InRepo = !c.Standard && l.within(c.Dir)
		if c.InRepo {
			repo = append(repo, c)
		} else if c.Error != nil && len(c.GoFiles) == 0 && !slices.Contains(missing, c.Error.Err) {
			missing = append(missing, c.Error.Err)
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
	if err := l.checkAll(ctx, all); err != nil {
		return nil, nil, err
	}
	for _, c := range repo {
		l.Errors += len(c.Errors) + c.failed
	}
	return repo, missing, nil
}

// within reports whether dir holds source of the repository itself.
func (l *Loader) within(dir string) bool {
	rel, err := filepath.Rel(l.Root, dir)
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
func (l *Loader) assign(repo []*Package) {
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
func breakCycles(all []*Package) {
	const open, closed = 1, 2
	state := map[*Package]int{}
	var visit func(c *Package)
	visit = func(c *Package) {
		state[c] = open
		for path, d := range c.Deps {
			switch {
			case d == nil:
			case state[d] == open:
				c.Deps[path] = nil
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
func (l *Loader) checkAll(ctx context.Context, all []*Package) error {
	var done atomic.Int64
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for _, c := range all {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer close(c.done)
			for _, d := range c.Deps {
				if d != nil {
					<-d.done
				}
			}
			slots <- struct{}{}
			defer func() { <-slots }()
			if ctx.Err() == nil {
				l.check(c)
			}
			if l.Progress != nil {
				l.Progress(int(done.Add(1)), len(all))
			}
		}()
	}
	wg.Wait()
	return ctx.Err()
}

// check parses and type-checks one package, going on after errors.
func (l *Loader) check(c *Package) {
	if c.Error != nil {
		c.failed++
	}
	for _, name := range c.names {
		f, err := parser.ParseFile(l.Fset, name, nil, parser.SkipObjectResolution)
		if err != nil && c.InRepo {
			c.Broken[name] = "syntax error"
			c.failed++
		}
		if f == nil {
			continue
		}
		c.Files = append(c.Files, f)
		if c.mine[name] {
			if err == nil {
				c.Judge = append(c.Judge, f)
			}
			continue
		}
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok {
				fd.Body = nil
			}
		}
	}
	if len(c.Judge) > 0 {
		c.Info = &types.Info{
			Types:      map[ast.Expr]types.TypeAndValue{},
			Defs:       map[*ast.Ident]types.Object{},
			Uses:       map[*ast.Ident]types.Object{},
			Instances:  map[*ast.Ident]types.Instance{},
			Selections: map[*ast.SelectorExpr]*types.Selection{},
		}
	}
	c.Types = l.Check(c, importer{c}, c.Info, func(err types.Error) { c.Errors = append(c.Errors, err) })
	if !c.InRepo {
		c.Files = nil
	}
}

// Check type-checks the syntax of a package, against the packages that imp
// finds. Errors that a removed body alone may cause are left out.
func (l *Loader) Check(c *Package, imp types.Importer, info *types.Info, report func(types.Error)) *types.Package {
	conf := types.Config{
		Importer:         imp,
		Sizes:            types.SizesFor("gc", runtime.GOARCH),
		IgnoreFuncBodies: len(c.Judge) == 0,
		Error: func(err error) {
			if te, ok := err.(types.Error); ok && len(c.Judge) > 0 && !(te.Soft && aboutBodies(te.Msg)) {
				report(te)
			}
		},
	}
	if c.Module != nil && c.Module.GoVersion != "" {
		conf.GoVersion = "go" + c.Module.GoVersion
	}
	pkg, _ := conf.Check(c.Path(), l.Fset, c.Files, info)
	return pkg
}

// aboutBodies reports whether an error may come from a body that was removed:
// what only the body uses is unused.
func aboutBodies(msg string) bool {
	return strings.Contains(msg, "not used") || strings.Contains(msg, "must have a body") ||
		strings.Contains(msg, "missing function body")
}

// importer finds the packages that the go command found for c.
type importer struct{ c *Package }

func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	d := i.c.Deps[path]
	if d == nil || d.Types == nil {
		return nil, fmt.Errorf("package %s was not found", path)
	}
	return d.Types, nil
}
