package gooracle

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"github.com/codekg/kg/bench/gosrc"
	"github.com/codekg/kg/bench/record"
)

// output collects the records of all packages.
type output struct {
	root  string
	fset  *token.FileSet
	defs  map[string]*record.Def // by id
	order []*record.Def
	sites []*record.Site
	seen  map[siteKey]bool
	// relSites are the relations that were recorded.
	relSites map[siteKey]*record.Site
	rel      map[string]string // absolute file name → path in the repository, "" outside
	// funcVars are the variables that are initialised with a function literal.
	funcVars map[string]bool
}

type siteKey struct {
	kind, from, to, typ, file string
	line, col                 int
}

func newOutput(root string, fset *token.FileSet) *output {
	return &output{
		root: root, fset: fset, defs: map[string]*record.Def{}, seen: map[siteKey]bool{}, relSites: map[siteKey]*record.Site{},
		rel: map[string]string{}, funcVars: map[string]bool{},
	}
}

// relPath returns the slash-separated path inside the repository, or "".
func (o *output) relPath(name string) string {
	if r, ok := o.rel[name]; ok {
		return r
	}
	r, err := filepath.Rel(o.root, name)
	r = filepath.ToSlash(r)
	if err != nil || strings.HasPrefix(r, "../") || !filepath.IsAbs(name) {
		r = ""
	}
	for _, part := range strings.Split(r, "/") {
		if part == "vendor" {
			r = ""
		}
	}
	o.rel[name] = r
	return r
}

// position ignores line directives: generated files are judged where they are.
func (o *output) position(p token.Pos) token.Position {
	return o.fset.PositionFor(p, false)
}

// id names the definition whose name stands at p: FILE:LINE:COL. It is the same
// in every package that holds the file. It is "" outside of the repository.
func (o *output) id(p token.Pos) string {
	pos := o.position(p)
	rel := o.relPath(pos.Filename)
	if rel == "" || !p.IsValid() {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", rel, pos.Line, pos.Column)
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

func (o *output) add(d *record.Def) *record.Def {
	if old := o.defs[d.ID]; old != nil {
		return old
	}
	d.Test = isTest(d.File)
	o.defs[d.ID] = d
	o.order = append(o.order, d)
	return d
}

// fileID is the definition that file-level statements count to.
func fileID(rel string) string { return "file:" + rel }

func packageID(path string) string { return "package:" + path }

// declare records the definitions of the files that are judged in c.
func (o *output) declare(c *gosrc.Package) {
	if len(c.Judge) == 0 {
		return
	}
	pkgDir := o.relPath(filepath.Join(c.Dir, "x"))
	o.add(&record.Def{
		ID: packageID(c.Path()), Kind: "package", Name: c.Name, QName: c.Path(),
		File: strings.TrimSuffix(strings.TrimSuffix(pkgDir, "x"), "/"), Group: c.Group,
	})
	for _, f := range c.Judge {
		d := &declarer{o: o, c: c, file: f, rel: o.relPath(o.position(f.FileStart).Filename)}
		o.add(&record.Def{
			ID: fileID(d.rel), Kind: "file", Name: d.rel[strings.LastIndex(d.rel, "/")+1:], QName: d.rel,
			File: d.rel, DefLine: 1, Line: 1, Col: 1, EndLine: o.position(f.FileEnd).Line, Group: c.Group,
		})
		for _, decl := range f.Decls {
			d.decl(decl, false)
		}
	}
}

// declarer records the definitions of one file.
type declarer struct {
	o    *output
	c    *gosrc.Package
	file *ast.File
	rel  string
}

// def records one definition. first is the node at whose first line it starts.
func (d *declarer) def(kind string, name *ast.Ident, first, last token.Pos, parent *record.Def) *record.Def {
	id := d.o.id(name.Pos())
	if name.Name == "_" || id == "" {
		return nil
	}
	at := d.o.position(name.Pos())
	def := &record.Def{
		ID: id, Kind: kind, Name: name.Name, QName: d.c.Name + "." + name.Name, File: d.rel,
		DefLine: d.o.position(first).Line, Line: at.Line, Col: at.Column,
		EndLine: d.o.position(last).Line, Group: d.c.Group,
	}
	if isTest(d.rel) {
		def.Program = d.c.ForTest
	}
	if parent != nil {
		def.Parent, def.QName = parent.ID, parent.QName+"."+name.Name
		def.Minor, def.Generic = parent.Minor, parent.Generic
	}
	return d.o.add(def)
}

// decl records a declaration; local ones stand inside a function, and only their
// types are recorded.
func (d *declarer) decl(decl ast.Decl, local bool) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		d.function(decl)
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			// `var x = 1` starts at the keyword, a line of a group at itself.
			first := spec.Pos()
			if !decl.Lparen.IsValid() {
				first = decl.Pos()
			}
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				d.typeSpec(spec, first, local)
			case *ast.ValueSpec:
				if !local {
					d.valueSpec(decl.Tok, spec, first)
				}
				d.locals(spec)
			}
		}
	}
}

func (d *declarer) function(fd *ast.FuncDecl) {
	kind := "function"
	if fd.Recv != nil {
		kind = "method"
	}
	if def := d.def(kind, fd.Name, fd.Pos(), fd.End(), nil); def != nil {
		def.Generic = fd.Type.TypeParams != nil
		if fd.Recv != nil {
			if recv := gosrc.ReceiverName(fd.Recv); recv != nil {
				def.QName = d.c.Name + "." + recv.Name + "." + fd.Name.Name
			}
		}
		if fn, ok := d.c.Info.Defs[fd.Name].(*types.Func); ok {
			if named := receiver(fn); named != nil {
				def.Parent = d.o.id(named.Obj().Pos())
				def.Generic = def.Generic || named.TypeParams().Len() > 0
			}
		}
	}
	d.locals(fd)
}

// locals records the types that are declared inside of functions in n, and the
// fields of unnamed structs.
func (d *declarer) locals(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeclStmt:
			d.decl(n.Decl, true)
			return false
		case *ast.StructType:
			d.fields(n.Fields, &record.Def{QName: d.c.Name + ".(struct)", Minor: true})
		case *ast.InterfaceType:
			d.methods(n.Methods, &record.Def{QName: d.c.Name + ".(interface)", Minor: true})
		}
		return true
	})
}

func (d *declarer) typeSpec(spec *ast.TypeSpec, first token.Pos, local bool) {
	kind := "type_alias"
	switch spec.Type.(type) {
	case *ast.StructType:
		kind = "struct"
	case *ast.InterfaceType:
		kind = "interface"
	}
	if spec.Assign.IsValid() {
		kind = "type_alias"
	}
	def := d.def(kind, spec.Name, first, spec.End(), nil)
	if def == nil {
		d.locals(spec.Type)
		return
	}
	def.Minor, def.Generic = local, spec.TypeParams != nil
	switch t := spec.Type.(type) {
	case *ast.StructType:
		d.fields(t.Fields, def)
		for _, f := range t.Fields.List {
			d.locals(f.Type)
		}
	case *ast.InterfaceType:
		d.methods(t.Methods, def)
	default:
		d.locals(spec.Type)
	}
}

// fields records the fields of a struct. An embedded field is named like its
// type.
func (d *declarer) fields(list *ast.FieldList, parent *record.Def) {
	for _, f := range list.List {
		names := f.Names
		if len(names) == 0 {
			if id := gosrc.EmbeddedName(f.Type); id != nil {
				names = []*ast.Ident{id}
			}
		}
		for _, name := range names {
			if def := d.def("field", name, f.Pos(), f.End(), parent); def != nil {
				def.Minor = parent.Minor
			}
		}
	}
}

func (d *declarer) methods(list *ast.FieldList, parent *record.Def) {
	for _, m := range list.List {
		for _, name := range m.Names {
			d.def("method", name, m.Pos(), m.End(), parent)
		}
	}
}

func (d *declarer) valueSpec(tok token.Token, spec *ast.ValueSpec, first token.Pos) {
	for i, name := range spec.Names {
		kind := "variable"
		if tok == token.CONST {
			kind = "constant"
		}
		isFunc := false
		if tok == token.VAR && i < len(spec.Values) && len(spec.Values) == len(spec.Names) {
			_, isFunc = ast.Unparen(spec.Values[i]).(*ast.FuncLit)
		}
		if isFunc {
			kind = "function"
		}
		if def := d.def(kind, name, first, spec.End(), nil); def != nil && isFunc {
			d.o.funcVars[def.ID] = true
		}
	}
}

// receiver is the named type that declares a method, at its origin.
func receiver(fn *types.Func) *types.Named {
	recv := fn.Signature().Recv()
	if recv == nil {
		return nil
	}
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, _ := t.(*types.Named)
	if named != nil {
		named = named.Origin()
	}
	return named
}
