package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/codekg/kg/bench/gosrc"
)

// The changes that are made in the text: the same bytes are given to the
// compiler and, by whatif, to kg. A text that is removed is replaced by blanks,
// so that nothing else moves.
const (
	remove = "remove" // of a declaration, its methods included
	rename = "rename" // of a declaration and, of a type, the receivers of its methods
)

// The kinds of declarations that are removed and renamed.
const (
	kindFunction        = "function"
	kindMethod          = "method"
	kindType            = "type"
	kindField           = "field"
	kindConstant        = "constant"
	kindVariable        = "variable"
	kindInterfaceMethod = "interface method"
)

// editor finds the edits of declarations of a group of packages.
type editor struct {
	r     *repo
	src   map[string][]byte // by absolute name
	taken map[string]bool   // every identifier of the group
	types map[string]*methods
}

// methods are what belongs to a type: by package folder and name of the type.
type methods struct {
	decls     []*ast.FuncDecl
	receivers []*ast.Ident
}

func newEditor(r *repo) *editor {
	e := &editor{r: r, src: map[string][]byte{}, taken: map[string]bool{}, types: map[string]*methods{}}
	for _, p := range r.pkgs {
		for _, f := range p.Judge {
			ast.Inspect(f, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					e.taken[id.Name] = true
				}
				return true
			})
			for _, d := range f.Decls {
				if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv != nil {
					if id := gosrc.ReceiverName(fd.Recv); id != nil {
						key := p.Dir + "\x00" + f.Name.Name + "\x00" + id.Name
						if e.types[key] == nil {
							e.types[key] = &methods{}
						}
						e.types[key].decls = append(e.types[key].decls, fd)
						e.types[key].receivers = append(e.types[key].receivers, id)
					}
				}
			}
		}
	}
	return e
}

func (e *editor) source(name string) []byte {
	if _, ok := e.src[name]; !ok {
		data, err := os.ReadFile(name)
		if err != nil {
			data = nil
		}
		e.src[name] = data
	}
	return e.src[name]
}

// edit replaces what is between two positions; blank keeps the lines.
func (e *editor) edit(from, to token.Pos, text string) gosrc.Edit {
	p := e.r.l.Fset.PositionFor(from, false)
	end := p.Offset + int(to-from)
	return gosrc.Edit{File: e.r.rel(p.Filename), Start: p.Offset, End: end, Text: text}
}

func (e *editor) blank(from, to token.Pos) gosrc.Edit {
	p := e.r.l.Fset.PositionFor(from, false)
	src := e.source(p.Filename)
	end := p.Offset + int(to-from)
	if end > len(src) {
		return e.edit(from, to, "")
	}
	text := bytes.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return ' '
	}, src[p.Offset:end])
	return gosrc.Edit{File: e.r.rel(p.Filename), Start: p.Offset, End: end, Text: string(text)}
}

func (e *editor) renamed(id *ast.Ident, to string) gosrc.Edit { return e.edit(id.Pos(), id.End(), to) }

// unused returns a name that nothing has, as long as the old one where it can be,
// and as visible.
func (e *editor) unused(name string) string {
	const letters = "qzxjkwvyupbmfg"
	if len(name) >= 3 {
		for i := range len(letters) {
			for j := range len(letters) {
				if n := name[:len(name)-2] + letters[i:i+1] + letters[j:j+1]; !e.taken[n] && token.IsIdentifier(n) {
					return n
				}
			}
		}
	}
	return name + "Renamed"
}

// targets lists what can be removed and renamed. What the language or a test
// runner calls is left alone.
func (e *editor) targets(want map[string]bool) []*target {
	var list []*target
	for _, p := range e.r.pkgs {
		for _, f := range p.Judge {
			test := strings.HasSuffix(e.r.l.Fset.PositionFor(f.FileStart, false).Filename, "_test.go")
			add := func(kind string, name *ast.Ident, qname string, decl ast.Node, removal []gosrc.Edit, members []gosrc.Edit, renaming []gosrc.Edit) {
				if name.Name == "_" {
					return
				}
				t := target{repo: e.r, symbol: e.r.symbol(name, p.Name+"."+qname), first: decl.Pos(), last: decl.End(), kind: kind, exported: name.IsExported()}
				if want[remove] && removal != nil {
					x := t
					x.change, x.edits, x.members = remove, removal, members
					list = append(list, &x)
				}
				if want[rename] && renaming != nil {
					x := t
					x.change, x.edits = rename, renaming
					list = append(list, &x)
				}
			}
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Recv == nil && (called(d.Name.Name) || test && runByTest(d.Name.Name)) {
						continue
					}
					kind := kindFunction
					if d.Recv != nil {
						kind = kindMethod
					}
					add(kind, d.Name, funcName(d), d, []gosrc.Edit{e.blank(withDoc(d.Doc, d.Pos()), d.End())}, nil,
						[]gosrc.Edit{e.renamed(d.Name, e.unused(d.Name.Name))})
				case *ast.GenDecl:
					for i, s := range d.Specs {
						switch s := s.(type) {
						case *ast.TypeSpec:
							m := e.types[p.Dir+"\x00"+f.Name.Name+"\x00"+s.Name.Name]
							e.typeTargets(d, s, m, add)
						case *ast.ValueSpec:
							e.valueTargets(d, i, s, add)
						}
					}
				}
			}
		}
	}
	return list
}

type adder func(kind string, name *ast.Ident, qname string, decl ast.Node, removal, members, renaming []gosrc.Edit)

func called(name string) bool { return name == "main" || name == "init" }

func runByTest(name string) bool {
	for _, p := range []string{"Test", "Benchmark", "Example", "Fuzz"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

func withDoc(doc *ast.CommentGroup, pos token.Pos) token.Pos {
	if doc != nil {
		return doc.Pos()
	}
	return pos
}

// spec removes one spec of a declaration, or all of it if it has no other.
func (e *editor) spec(d *ast.GenDecl, s ast.Spec, doc *ast.CommentGroup) gosrc.Edit {
	if !d.Lparen.IsValid() {
		return e.blank(withDoc(d.Doc, d.Pos()), d.End())
	}
	return e.blank(withDoc(doc, s.Pos()), s.End())
}

func (e *editor) typeTargets(d *ast.GenDecl, s *ast.TypeSpec, m *methods, add adder) {
	removal := []gosrc.Edit{e.spec(d, s, s.Doc)}
	to := e.unused(s.Name.Name)
	renaming := []gosrc.Edit{e.renamed(s.Name, to)}
	var members []gosrc.Edit
	if m != nil {
		for i, fd := range m.decls {
			removal = append(removal, e.blank(withDoc(fd.Doc, fd.Pos()), fd.End()))
			members = append(members, e.blank(withDoc(fd.Doc, fd.Pos()), fd.End()))
			renaming = append(renaming, e.renamed(m.receivers[i], to))
		}
	}
	var fields *ast.FieldList
	kind := kindField
	switch t := s.Type.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields, kind = t.Methods, kindInterfaceMethod
	}
	if fields != nil {
		if fields.Opening+1 < fields.Closing {
			members = append(members, e.blank(fields.Opening+1, fields.Closing))
		}
		for _, f := range fields.List {
			whole := e.blank(withDoc(f.Doc, f.Pos()), f.End())
			for i, n := range f.Names {
				removal := whole
				switch {
				case i+1 < len(f.Names):
					removal = e.blank(n.Pos(), f.Names[i+1].Pos())
				case i > 0:
					removal = e.blank(f.Names[i-1].End(), n.End())
				}
				add(kind, n, s.Name.Name+"."+n.Name, f, []gosrc.Edit{removal}, nil, []gosrc.Edit{e.renamed(n, e.unused(n.Name))})
			}
			if len(f.Names) == 0 && kind == kindField {
				if id := gosrc.EmbeddedName(f.Type); id != nil {
					add(kind, id, s.Name.Name+"."+id.Name, f, []gosrc.Edit{whole}, nil, nil)
				}
			}
		}
	}
	add(kindType, s.Name, s.Name.Name, s, removal, members, renaming)
}

func (e *editor) valueTargets(d *ast.GenDecl, at int, s *ast.ValueSpec, add adder) {
	kind := kindVariable
	if d.Tok == token.CONST {
		kind = kindConstant
	}
	// A constant whose place or expression others repeat leaves its place.
	repeats := kind == kindConstant && (len(s.Values) == 0 || usesIota(s) || at+1 < len(d.Specs) && len(d.Specs[at+1].(*ast.ValueSpec).Values) == 0)
	for _, n := range s.Names {
		removal := e.spec(d, s, s.Doc)
		if repeats || len(s.Names) > 1 {
			removal = e.renamed(n, "_"+strings.Repeat(" ", max(int(n.End()-n.Pos())-1, 0)))
		}
		add(kind, n, n.Name, s, []gosrc.Edit{removal}, nil, []gosrc.Edit{e.renamed(n, e.unused(n.Name))})
	}
}

func usesIota(s *ast.ValueSpec) (found bool) {
	for _, v := range s.Values {
		ast.Inspect(v, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == "iota" {
				found = true
			}
			return true
		})
	}
	return found
}

// rewrite puts the edited text of files in place of their syntax, in every
// package that holds them. It fails if the text is no Go any more.
func (r *repo) rewrite(edits []gosrc.Edit) (changed []*gosrc.Package, undo func(), ok bool) {
	texts := map[string][]byte{}
	byFile := map[string][]gosrc.Edit{}
	for _, x := range edits {
		byFile[x.File] = append(byFile[x.File], x)
	}
	for file, xs := range byFile {
		src, err := os.ReadFile(filepath.Join(r.l.Root, filepath.FromSlash(file)))
		if err != nil {
			return nil, func() {}, false
		}
		texts[file] = gosrc.Apply(src, xs)
	}
	var undos []func()
	undo = func() {
		for _, u := range undos {
			u()
		}
	}
	for _, p := range r.pkgs {
		found := false
		for i, f := range p.Files {
			name := r.l.Fset.PositionFor(f.FileStart, false).Filename
			text, hit := texts[r.rel(name)]
			if !hit {
				continue
			}
			now, err := parser.ParseFile(r.l.Fset, name, text, parser.SkipObjectResolution)
			if err != nil {
				undo()
				return nil, func() {}, false
			}
			if !slices.Contains(p.Judge, f) {
				for _, d := range now.Decls {
					if fd, ok := d.(*ast.FuncDecl); ok {
						fd.Body = nil
					}
				}
			}
			p.Files[i], found = now, true
			undos = append(undos, func() { p.Files[i] = f })
		}
		if found {
			changed = append(changed, p)
		}
	}
	return changed, undo, len(changed) > 0
}
