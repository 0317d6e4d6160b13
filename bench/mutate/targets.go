package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"

	"github.com/codekg/kg/bench/gosrc"
)

// The changes.
const (
	addParameter = "add-parameter" // of a function, a method, or a method of an interface
	addMethod    = "add-method"    // to an interface
)

var changes = []string{addParameter, addMethod}

// repo is one group of packages that is checked again and again.
type repo struct {
	l    *gosrc.Loader
	pkgs []*gosrc.Package // dependencies first
	// users are the packages that import a package, directly.
	users map[*gosrc.Package][]*gosrc.Package
	// before are the errors that the repository has without any change.
	before map[string]bool
}

func newRepo(l *gosrc.Loader, pkgs []*gosrc.Package) *repo {
	r := &repo{l: l, users: map[*gosrc.Package][]*gosrc.Package{}, before: map[string]bool{}}
	inGroup := map[*gosrc.Package]bool{}
	for _, p := range pkgs {
		inGroup[p] = true
	}
	done := map[*gosrc.Package]bool{}
	var visit func(p *gosrc.Package)
	visit = func(p *gosrc.Package) {
		if done[p] {
			return
		}
		done[p] = true
		direct := map[*gosrc.Package]bool{}
		for _, d := range p.Deps {
			if d != nil && inGroup[d] && !direct[d] {
				direct[d] = true
				visit(d)
				r.users[d] = append(r.users[d], p)
			}
		}
		r.pkgs = append(r.pkgs, p)
	}
	for _, p := range pkgs {
		visit(p)
		for _, e := range p.Errors {
			r.before[r.errorKey(e.Pos, e.Msg)] = true
		}
	}
	return r
}

// errorKey names an error by its place and text.
func (r *repo) errorKey(pos token.Pos, msg string) string {
	return r.id(pos) + " " + msg
}

// id is FILE:LINE:COL, the same in every package that holds the file.
func (r *repo) id(pos token.Pos) string {
	p := r.l.Fset.PositionFor(pos, false)
	return fmt.Sprintf("%s:%d:%d", r.rel(p.Filename), p.Line, p.Column)
}

func (r *repo) rel(name string) string {
	rel, err := filepath.Rel(r.l.Root, name)
	if err != nil {
		return filepath.ToSlash(name)
	}
	return filepath.ToSlash(rel)
}

func (r *repo) symbol(name *ast.Ident, qname string) Symbol {
	p := r.l.Fset.PositionFor(name.Pos(), false)
	return Symbol{ID: r.id(name.Pos()), QName: qname, File: r.rel(p.Filename), Line: p.Line}
}

// target is a declaration that can be changed.
type target struct {
	repo   *repo
	change string
	symbol Symbol
	// inside is the declaration itself, where errors do not count.
	first, last token.Pos

	// Of what is removed or renamed, which is done in the text.
	kind     string
	exported bool
	edits    []gosrc.Edit
	members  []gosrc.Edit // of a removed type: takes away what it has, and leaves the type
}

// targets lists what can be changed in the files that are judged. A function
// that the language calls, such as main and init, is left alone.
func (r *repo) targets(kinds []string) []*target {
	want := map[string]bool{}
	for _, k := range kinds {
		want[k] = true
	}
	var list []*target
	add := func(change string, name *ast.Ident, qname string, n ast.Node) {
		if want[change] && name.Name != "_" {
			list = append(list, &target{repo: r, change: change, symbol: r.symbol(name, qname), first: n.Pos(), last: n.End()})
		}
	}
	for _, p := range r.pkgs {
		for _, f := range p.Judge {
			for _, d := range f.Decls {
				if fd, ok := d.(*ast.FuncDecl); ok && !(fd.Recv == nil && (fd.Name.Name == "main" || fd.Name.Name == "init")) {
					add(addParameter, fd.Name, p.Name+"."+funcName(fd), fd)
				}
				gd, ok := d.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, s := range gd.Specs {
					ts, ok := s.(*ast.TypeSpec)
					if !ok {
						continue
					}
					it, ok := ts.Type.(*ast.InterfaceType)
					if !ok {
						continue
					}
					add(addMethod, ts.Name, p.Name+"."+ts.Name.Name, ts.Name)
					for _, m := range it.Methods.List {
						if len(m.Names) == 1 {
							add(addParameter, m.Names[0], p.Name+"."+ts.Name.Name+"."+m.Names[0].Name, m)
						}
					}
				}
			}
		}
	}
	if want[remove] || want[rename] {
		list = append(list, newEditor(r).targets(want)...)
	}
	return list
}

func funcName(fd *ast.FuncDecl) string {
	if fd.Recv != nil && len(fd.Recv.List) > 0 {
		if id := gosrc.ReceiverName(fd.Recv); id != nil {
			return id.Name + "." + fd.Name.Name
		}
	}
	return fd.Name.Name
}

// apply makes the change in every syntax tree that holds the declaration, and
// returns the packages of these trees and a function that takes it back.
func (t *target) apply() (changed []*gosrc.Package, undo func()) {
	var undos []func()
	for _, p := range t.repo.pkgs {
		found := false
		for _, f := range p.Files {
			if t.repo.rel(t.repo.l.Fset.PositionFor(f.FileStart, false).Filename) != t.symbol.File {
				continue
			}
			if u := t.applyTo(f); u != nil {
				undos = append(undos, u)
				found = true
			}
		}
		if found {
			changed = append(changed, p)
		}
	}
	return changed, func() {
		for _, u := range undos {
			u()
		}
	}
}

func (t *target) applyTo(f *ast.File) (undo func()) {
	ast.Inspect(f, func(n ast.Node) bool {
		if undo != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			if t.repo.id(n.Name.Pos()) == t.symbol.ID {
				undo = addParam(n.Type)
			}
			return undo == nil && n.Body == nil
		case *ast.TypeSpec:
			it, ok := n.Type.(*ast.InterfaceType)
			if !ok {
				return false
			}
			if t.change == addMethod && t.repo.id(n.Name.Pos()) == t.symbol.ID {
				undo = addInterfaceMethod(it)
				return false
			}
			for _, m := range it.Methods.List {
				if len(m.Names) == 1 && t.repo.id(m.Names[0].Pos()) == t.symbol.ID {
					if ft, ok := m.Type.(*ast.FuncType); ok {
						undo = addParam(ft)
					}
				}
			}
			return false
		}
		return true
	})
	return undo
}

// addParam adds a parameter, before one that takes any number of values. Its type
// is one that no value has: an argument cannot fit by chance.
func addParam(ft *ast.FuncType) (undo func()) {
	old := ft.Params.List
	at := ft.Params.Opening
	field := &ast.Field{Type: &ast.StructType{
		Struct: at,
		Fields: &ast.FieldList{Opening: at, Closing: at, List: []*ast.Field{{
			Names: []*ast.Ident{{Name: "kgMutation", NamePos: at}},
			Type:  &ast.StarExpr{Star: at, X: &ast.Ident{Name: "string", NamePos: at}},
		}}},
	}}
	if len(old) > 0 && len(old[0].Names) > 0 {
		field.Names = []*ast.Ident{{Name: "_", NamePos: at}}
	}
	list := append([]*ast.Field(nil), old...)
	end := len(list)
	if end > 0 {
		if _, ok := list[end-1].Type.(*ast.Ellipsis); ok {
			end--
		}
	}
	ft.Params.List = append(list[:end:end], append([]*ast.Field{field}, list[end:]...)...)
	return func() { ft.Params.List = old }
}

// addInterfaceMethod adds a method that no type has.
func addInterfaceMethod(it *ast.InterfaceType) (undo func()) {
	old := it.Methods.List
	at := it.Methods.Opening
	it.Methods.List = append(append([]*ast.Field(nil), old...), &ast.Field{
		Names: []*ast.Ident{{Name: "KgMutation", NamePos: at}},
		Type:  &ast.FuncType{Func: at, Params: &ast.FieldList{Opening: at, Closing: at}},
	})
	return func() { it.Methods.List = old }
}
