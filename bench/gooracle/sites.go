package gooracle

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/codekg/kg/bench/gosrc"
	"github.com/codekg/kg/bench/record"
)

// walker records the sites of one file.
type walker struct {
	o    *output
	c    *gosrc.Package
	rel  string
	test bool
	// owner of the sites that are being visited.
	from    string
	fromOr  []string
	init    bool // in a package-level initialiser
	generic bool // the owner is generic
	sig     *types.Signature
	decl    ast.Node
	skip    map[*ast.Ident]bool // handled already
}

// walk records the sites of the files that are judged in c.
func (o *output) walk(c *gosrc.Package) {
	for _, f := range c.Judge {
		rel := o.relPath(o.position(f.FileStart).Filename)
		w := &walker{o: o, c: c, rel: rel, test: isTest(rel), skip: map[*ast.Ident]bool{}}
		for _, decl := range f.Decls {
			w.top(decl)
		}
		w.directives()
	}
}

// owned sets the owner: the definition named name, or the file for `_`.
func (w *walker) owned(names ...*ast.Ident) {
	w.from, w.fromOr, w.init, w.generic, w.sig = "", nil, false, false, nil
	for _, n := range names {
		if n.Name == "_" {
			continue
		}
		id := w.o.id(n.Pos())
		if w.from == "" {
			w.from = id
		} else {
			w.fromOr = append(w.fromOr, id)
		}
	}
	if w.from == "" {
		w.from = fileID(w.rel)
	}
}

func (w *walker) top(decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		w.owned(decl.Name)
		if fn, ok := w.c.Info.Defs[decl.Name].(*types.Func); ok {
			w.sig = fn.Signature()
			named := receiver(fn)
			w.generic = w.sig.TypeParams().Len() > 0 || named != nil && named.TypeParams().Len() > 0
		}
		w.visit(decl, decl.Recv, decl.Type)
		if decl.Body != nil {
			w.visit(decl, decl.Body)
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				w.typeSpec(spec)
			case *ast.ValueSpec:
				w.valueSpec(spec)
			}
		}
	}
}

// typeSpec visits a type declaration. What the signature of an interface's
// method uses counts to the method or to the interface, what a field's type uses
// to the struct or to the field.
func (w *walker) typeSpec(spec *ast.TypeSpec) {
	w.owned(spec.Name)
	w.generic = spec.TypeParams != nil
	if spec.TypeParams != nil {
		w.visit(spec, spec.TypeParams)
	}
	var members *ast.FieldList
	switch t := spec.Type.(type) {
	case *ast.StructType:
		members = t.Fields
	case *ast.InterfaceType:
		members = t.Methods
	default:
		w.visit(spec, spec.Type)
		return
	}
	owner, method := w.from, false
	if _, ok := spec.Type.(*ast.InterfaceType); ok {
		method = true
	}
	for _, m := range members.List {
		w.from, w.fromOr = owner, nil
		for i, n := range m.Names {
			id := w.o.id(n.Pos())
			switch {
			case n.Name == "_":
			case method && i == 0:
				w.from, w.fromOr = id, []string{owner}
			default:
				w.fromOr = append(w.fromOr, id)
			}
		}
		if len(m.Names) == 0 {
			w.embedded(m.Type)
		}
		w.visit(m, m.Type)
	}
}

// embedded records that the owner embeds the type e.
func (w *walker) embedded(e ast.Expr) {
	id := gosrc.EmbeddedName(e)
	if id == nil {
		return
	}
	w.skip[id] = true
	s := w.site(record.Embeds, id)
	if tn, ok := w.c.Info.Uses[id].(*types.TypeName); ok {
		w.target(s, tn)
	} else {
		s.Open = true
	}
	w.put(s)
	if s.To != "" {
		also := *s
		also.Kind, also.Optional = record.UsesType, true
		w.put(&also)
	}
}

func (w *walker) valueSpec(spec *ast.ValueSpec) {
	w.owned(spec.Names...)
	w.init = true
	if spec.Type != nil {
		w.visit(spec, spec.Type)
	}
	w.convertSpec(spec)
	for i, v := range spec.Values {
		if len(spec.Values) == len(spec.Names) {
			w.owned(spec.Names[i])
			w.init = true
		}
		w.visit(spec, v)
	}
}

// visit walks syntax that belongs to the current owner.
func (w *walker) visit(decl ast.Node, nodes ...ast.Node) {
	w.decl = decl
	for i, n := range nodes {
		if fl, ok := n.(*ast.FieldList); ok && fl == nil {
			continue
		}
		_, isFunc := decl.(*ast.FuncDecl)
		recv := isFunc && len(nodes) == 2 && i == 0
		ast.PreorderStack(n, []ast.Node{decl}, func(n ast.Node, stack []ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				w.ident(n, stack, recv)
			case *ast.CallExpr:
				w.anonymousCall(n, stack)
			case *ast.CompositeLit:
				w.elided(n, stack)
			}
			w.convertNode(n, stack)
			return true
		})
	}
}

// site returns a site of the current owner at the name token id.
func (w *walker) site(kind string, at *ast.Ident) *record.Site {
	s := w.siteAt(kind, at.Pos())
	s.Name = at.Name
	return s
}

func (w *walker) siteAt(kind string, at token.Pos) *record.Site {
	pos := w.o.position(at)
	s := &record.Site{Kind: kind, From: w.from, FromOr: w.fromOr, File: w.rel, Line: pos.Line, Col: pos.Column}
	if w.test {
		s.Tags = append(s.Tags, record.TagTest)
	}
	if w.init {
		s.Tags = append(s.Tags, record.TagInit)
		s.Pkg = packageID(w.c.Path())
	}
	if w.generic {
		s.Tags = append(s.Tags, record.TagGeneric)
	}
	return s
}

func tag(s *record.Site, t string) {
	for _, old := range s.Tags {
		if old == t {
			return
		}
	}
	s.Tags = append(s.Tags, t)
}

// target sets the definition that a site leads to.
func (w *walker) target(s *record.Site, obj types.Object) {
	s.To = w.o.id(obj.Pos())
	if s.To != "" {
		d := w.o.defs[s.To]
		if d == nil {
			s.To, s.Open = "", true // in a file that is not judged
			return
		}
		s.Optional = s.Optional || d.Minor
		if d.Generic {
			tag(s, record.TagGeneric)
		}
		return
	}
	s.Ext = external(obj)
}

// external names an object outside of the repository: PATH#NAME.
func external(obj types.Object) string {
	path := "builtin"
	if obj.Pkg() != nil {
		path = obj.Pkg().Path()
	}
	name := obj.Name()
	if fn, ok := obj.(*types.Func); ok {
		if named := receiver(fn); named != nil {
			name = named.Obj().Name() + "." + name
		}
	}
	return path + "#" + name
}

// put records a site once.
func (w *walker) put(s *record.Site) {
	to := s.To
	if to == "" {
		to = s.Ext
	}
	k := siteKey{s.Kind, s.From, to, s.Type + s.TypeExt, s.File, s.Line, s.Col}
	if !w.o.seen[k] {
		w.o.seen[k] = true
		w.o.sites = append(w.o.sites, s)
	}
}

// anonymousCall counts calls of values that have no name: f()(), fs[i]().
func (w *walker) anonymousCall(call *ast.CallExpr, stack []ast.Node) {
	fun := ast.Unparen(call.Fun)
	switch f := fun.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.FuncLit:
		return
	case *ast.IndexExpr:
		if w.isInstance(f.X) {
			return
		}
	case *ast.IndexListExpr:
		return
	}
	tv, ok := w.c.Info.Types[fun]
	if ok && tv.IsType() {
		return
	}
	s := w.siteAt(record.Calls, call.Lparen)
	s.Dynamic, s.Open = ok, !ok
	s.Shape = "value of " + exprShape(w, fun)
	w.context(s, stack)
	w.put(s)
}

// isInstance reports whether x names a generic function or type.
func (w *walker) isInstance(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		_, ok := w.c.Info.Instances[x]
		return ok
	case *ast.SelectorExpr:
		_, ok := w.c.Info.Instances[x.Sel]
		return ok
	}
	return false
}

// elided records the composite literals that do not name their type.
func (w *walker) elided(lit *ast.CompositeLit, stack []ast.Node) {
	if lit.Type != nil {
		return
	}
	t := w.c.Info.TypeOf(lit)
	if t == nil {
		return
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, ok := t.(*types.Named)
	if !ok {
		return
	}
	s := w.siteAt(record.Instantiates, lit.Lbrace)
	s.Name, s.Optional, s.Shape = named.Obj().Name(), true, "elided"
	w.target(s, named.Origin().Obj())
	w.context(s, stack)
	w.put(s)
}

// context adds what the surrounding syntax says about a site.
func (w *walker) context(s *record.Site, stack []ast.Node) {
	for _, n := range stack {
		if _, ok := n.(*ast.FuncLit); ok {
			tag(s, record.TagClosure)
			return
		}
	}
}
