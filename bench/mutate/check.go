package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/codekg/kg/bench/gosrc"
)

// mutate makes the change, checks everything that depends on it, takes the
// change back and says what broke. It fails if the change cannot be made.
func (t *target) mutate() (*Mutation, bool) {
	start := time.Now()
	m := &Mutation{T: "mutation", Change: t.change, Kind: t.kind, Exported: t.exported, Symbol: t.symbol, Broken: []Break{}, Edits: t.edits}
	byID := map[string]*Break{}
	if !t.once(t.edits, m, byID) {
		return nil, false
	}
	// Of a type that is gone the compiler names the places that name it, and of
	// a type that has lost its members those that use them.
	if len(t.members) > 0 {
		t.once(t.members, m, byID)
	}
	for _, b := range byID {
		sort.Slice(b.Sites, func(i, j int) bool { return b.Sites[i].before(b.Sites[j]) })
		m.Broken = append(m.Broken, *b)
	}
	sort.Slice(m.Broken, func(i, j int) bool {
		a, b := m.Broken[i].Sites[0], m.Broken[j].Sites[0]
		return a.before(b)
	})
	m.Seconds = float64(time.Since(start).Milliseconds()) / 1000
	return m, true
}

// once makes one change and adds what it breaks.
func (t *target) once(edits []gosrc.Edit, m *Mutation, byID map[string]*Break) bool {
	var changed []*gosrc.Package
	var undo func()
	ok := true
	if edits != nil {
		changed, undo, ok = t.repo.rewrite(edits)
	} else {
		changed, undo = t.apply()
	}
	defer undo()
	if !ok {
		return false
	}
	affected := t.repo.dependents(changed)
	m.Packages = max(m.Packages, len(affected))
	for _, e := range t.repo.check(affected) {
		if t.repo.before[t.repo.errorKey(e.Pos, e.Msg)] || t.inside(e.Pos) || edits != nil && strings.Contains(e.Msg, "imported and not used") {
			continue
		}
		sym, ok := t.repo.enclosing(e.Pos)
		if !ok {
			continue
		}
		b := byID[sym.ID]
		if b == nil {
			b = &Break{Symbol: sym}
			byID[sym.ID] = b
		}
		b.add(t.repo, e)
	}
	return true
}

func (s Site) before(o Site) bool {
	if s.File != o.File {
		return s.File < o.File
	}
	if s.Line != o.Line {
		return s.Line < o.Line
	}
	if s.Col != o.Col {
		return s.Col < o.Col
	}
	return s.Error < o.Error
}

// add records an error once; test variants report it again.
func (b *Break) add(r *repo, e types.Error) {
	p := r.l.Fset.PositionFor(e.Pos, false)
	s := Site{File: r.rel(p.Filename), Line: p.Line, Col: p.Column, Cause: cause(e.Msg), Error: e.Msg}
	for _, old := range b.Sites {
		if old == s {
			return
		}
	}
	b.Sites = append(b.Sites, s)
}

// cause is a coarse reading of the compiler's message.
func cause(msg string) string {
	switch {
	case strings.Contains(msg, "arguments in call"):
		return "call"
	case strings.Contains(msg, "impossible type"):
		return "assertion"
	case strings.Contains(msg, "does not implement"), strings.Contains(msg, "missing method"),
		strings.Contains(msg, "wrong type for method"), strings.Contains(msg, "does not satisfy"):
		return "satisfies"
	case strings.Contains(msg, "cannot use"), strings.Contains(msg, "mismatched types"):
		return "value"
	}
	return "other"
}

// inside reports whether a position is in the changed declaration itself.
func (t *target) inside(pos token.Pos) bool {
	fset := t.repo.l.Fset
	p, first, last := fset.PositionFor(pos, false), fset.PositionFor(t.first, false), fset.PositionFor(t.last, false)
	return p.Filename == first.Filename && first.Offset <= p.Offset && p.Offset <= last.Offset
}

// dependents returns the packages and all that import them, over any number of
// steps, dependencies first.
func (r *repo) dependents(changed []*gosrc.Package) []*gosrc.Package {
	in := map[*gosrc.Package]bool{}
	queue := append([]*gosrc.Package(nil), changed...)
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		if !in[p] {
			in[p] = true
			queue = append(queue, r.users[p]...)
		}
	}
	var list []*gosrc.Package
	for _, p := range r.pkgs {
		if in[p] {
			list = append(list, p)
		}
	}
	return list
}

// result is a package that is being checked again.
type result struct {
	types *types.Package
	errs  []types.Error
	done  chan struct{}
}

// again finds the packages that were checked again, and the old ones where
// nothing changed.
type again struct {
	p       *gosrc.Package
	results map[*gosrc.Package]*result
}

func (a again) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	d := a.p.Deps[path]
	if d == nil {
		return nil, fmt.Errorf("package %s was not found", path)
	}
	found := d.Types
	if r := a.results[d]; r != nil {
		found = r.types
	}
	if found == nil {
		return nil, fmt.Errorf("package %s was not found", path)
	}
	return found, nil
}

// check type-checks the packages again, each after its dependencies, and returns
// the errors of all.
func (r *repo) check(pkgs []*gosrc.Package) []types.Error {
	results := map[*gosrc.Package]*result{}
	for _, p := range pkgs {
		results[p] = &result{done: make(chan struct{})}
	}
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for _, p := range pkgs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			res := results[p]
			defer close(res.done)
			for _, d := range p.Deps {
				if dep := results[d]; dep != nil {
					<-dep.done
				}
			}
			slots <- struct{}{}
			defer func() { <-slots }()
			res.types = r.l.Check(p, again{p, results}, nil, func(e types.Error) { res.errs = append(res.errs, e) })
		}()
	}
	wg.Wait()
	var errs []types.Error
	for _, p := range pkgs {
		errs = append(errs, results[p].errs...)
	}
	return errs
}

// enclosing finds the declaration that holds a position: the function, the type,
// or the variable or constant whose initialiser it is in; the file for `_`.
func (r *repo) enclosing(pos token.Pos) (Symbol, bool) {
	at := r.l.Fset.PositionFor(pos, false)
	for _, p := range r.pkgs {
		for _, f := range p.Files {
			if f.FileStart <= pos && pos <= f.FileEnd {
				name, qname := declName(f, pos)
				if name == nil {
					rel := r.rel(at.Filename)
					return Symbol{ID: "file:" + rel, QName: rel, File: rel, Line: 1}, true
				}
				return r.symbol(name, p.Name+"."+qname), true
			}
		}
	}
	return Symbol{}, false
}

func declName(f *ast.File, pos token.Pos) (*ast.Ident, string) {
	for _, d := range f.Decls {
		if pos < d.Pos() || d.End() < pos {
			continue
		}
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.Name == "_" {
				return nil, ""
			}
			return d.Name, funcName(d)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if pos < s.Pos() || s.End() < pos {
					continue
				}
				switch s := s.(type) {
				case *ast.TypeSpec:
					return s.Name, s.Name.Name
				case *ast.ValueSpec:
					return valueName(s, pos)
				}
			}
		}
	}
	return nil, ""
}

// valueName is the name whose initialiser holds the position.
func valueName(s *ast.ValueSpec, pos token.Pos) (*ast.Ident, string) {
	i := 0
	if len(s.Values) == len(s.Names) {
		for j, v := range s.Values {
			if v.Pos() <= pos && pos <= v.End() {
				i = j
			}
		}
	}
	if s.Names[i].Name == "_" {
		return nil, ""
	}
	return s.Names[i], s.Names[i].Name
}
