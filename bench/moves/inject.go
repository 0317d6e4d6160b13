package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/codekg/kg/bench/gosrc"
)

// code is a repository that was type-checked.
type code struct {
	l     *gosrc.Loader
	pkgs  []*gosrc.Package
	src   map[string][]byte         // by path in the repository
	uses  map[string][]ident        // by the place of the declared name
	decls []decl                    // at the top of files
	files map[string]*ast.File      // by path
	of    map[string]*gosrc.Package // by path
	names map[string]bool
}

// ident is a name in a file.
type ident struct {
	file       string
	start, end int
}

// decl is a declaration with its documentation, as bytes of its file.
type decl struct {
	kind       string // function, method, type, field, constant, variable
	name       *ast.Ident
	id         string // FILE:LINE:COL of the name
	file       string
	start, end int
	body       int    // where the body of a function begins, behind the brace
	recv       string // of a method
	alone      bool   // no other declaration shares its keyword
}

func (c *code) path(pos token.Pos) string {
	rel, err := filepath.Rel(c.l.Root, c.l.Fset.PositionFor(pos, false).Filename)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

func (c *code) offset(pos token.Pos) int { return c.l.Fset.PositionFor(pos, false).Offset }

func (c *code) place(pos token.Pos) string {
	p := c.l.Fset.PositionFor(pos, false)
	return fmt.Sprintf("%s:%d:%d", c.path(pos), p.Line, p.Column)
}

func (c *code) text(file string) []byte {
	if c.src[file] == nil {
		c.src[file], _ = os.ReadFile(filepath.Join(c.l.Root, filepath.FromSlash(file)))
	}
	return c.src[file]
}

// index collects declarations and the uses of each.
func (c *code) index() {
	c.uses, c.files, c.of, c.names = map[string][]ident{}, map[string]*ast.File{}, map[string]*gosrc.Package{}, map[string]bool{}
	for _, p := range c.pkgs {
		for _, f := range p.Judge {
			file := c.path(f.FileStart)
			c.files[file], c.of[file] = f, p
			ast.Inspect(f, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				c.names[id.Name] = true
				obj := p.Info.Uses[id]
				if obj == nil {
					obj = p.Info.Defs[id]
				}
				if obj != nil && obj.Pos().IsValid() && obj.Name() == id.Name {
					at := c.place(obj.Pos())
					c.uses[at] = append(c.uses[at], ident{file, c.offset(id.Pos()), c.offset(id.End())})
				}
				return true
			})
			for _, d := range f.Decls {
				c.declared(file, d)
			}
		}
	}
}

func (c *code) declared(file string, d ast.Decl) {
	add := func(kind string, name *ast.Ident, n ast.Node, doc *ast.CommentGroup, alone bool) *decl {
		x := decl{kind: kind, name: name, id: c.place(name.Pos()), file: file, start: c.offset(n.Pos()), end: c.offset(n.End()), alone: alone}
		if doc != nil {
			x.start = c.offset(doc.Pos())
		}
		c.decls = append(c.decls, x)
		return &c.decls[len(c.decls)-1]
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body == nil || d.Name.Name == "_" || d.Name.Name == "main" || d.Name.Name == "init" {
			return
		}
		x := add("function", d.Name, d, d.Doc, true)
		x.body = c.offset(d.Body.Lbrace) + 1
		if recv := gosrc.ReceiverName(d.Recv); recv != nil {
			x.kind, x.recv = "method", recv.Name
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			alone := !d.Lparen.IsValid()
			switch s := s.(type) {
			case *ast.TypeSpec:
				add("type", s.Name, d, d.Doc, alone)
				if st, ok := s.Type.(*ast.StructType); ok {
					for _, f := range st.Fields.List {
						for _, n := range f.Names {
							add("field", n, f, f.Doc, false)
						}
					}
				}
			case *ast.ValueSpec:
				kind := map[token.Token]string{token.CONST: "constant", token.VAR: "variable"}[d.Tok]
				for _, n := range s.Names {
					if n.Name != "_" {
						add(kind, n, d, d.Doc, alone && len(s.Names) == 1)
					}
				}
			}
		}
	}
}

// kinds are the changes that are made.
var kinds = []struct {
	name string
	make func(*code, *rand.Rand) (*injected, bool)
}{
	{"rename a function", renames("function", false)},
	{"rename a method", renames("method", false)},
	{"rename a type", renames("type", false)},
	{"rename a field", renames("field", false)},
	{"rename a constant", renames("constant", false)},
	{"rename a function and edit it", renames("function", true)},
	{"rename a method and edit it", renames("method", true)},
	{"move to another file", toFile(false)},
	{"move to another file and edit it", toFile(true)},
	{"move to another package", toPackage},
	{"rename a file", renameFile},
	{"rename a file and edit it", renameAndEditFile},
	{"rename a package", renamePackage},
	{"split a file", splitFile},
	{"merge two files", mergeFiles},
}

func (c *code) pick(rng *rand.Rand, ok func(*decl) bool) *decl {
	for range 2000 {
		if d := &c.decls[rng.IntN(len(c.decls))]; ok(d) {
			return d
		}
	}
	return nil
}

// renames renames a declaration with all its uses. Embedded fields and methods
// that interfaces ask for would need more, so types that are embedded and such
// methods may leave code that does not compile; that is no concern here.
func renames(kind string, withEdit bool) func(*code, *rand.Rand) (*injected, bool) {
	return func(c *code, rng *rand.Rand) (*injected, bool) {
		d := c.pick(rng, func(d *decl) bool {
			return d.kind == kind && !strings.HasPrefix(d.name.Name, "Test") && len(d.name.Name) > 2 && (!withEdit || d.end-d.body > 200)
		})
		if d == nil {
			return nil, false
		}
		to := d.name.Name + "Anew"
		if c.names[to] {
			return nil, false
		}
		edits := map[string][]gosrc.Edit{}
		for _, u := range c.uses[d.id] {
			edits[u.file] = append(edits[u.file], gosrc.Edit{Start: u.start, End: u.end, Text: to})
		}
		if withEdit {
			edits[d.file] = append(edits[d.file], gosrc.Edit{Start: d.body, End: d.body, Text: "\n\tprintln(\"kg\")\n"})
		}
		x := &injected{what: d.name.Name, files: map[string][]byte{}, pairs: []pair{{base: d.id, name: to}}, atMost: 1}
		for file, es := range edits {
			x.files[file] = gosrc.Apply(c.text(file), es)
		}
		return x, true
	}
}

// siblings returns the other files of the package of a file.
func (c *code) siblings(file string) (list []string) {
	for f := range c.files {
		if f != file && c.of[f] == c.of[file] && path.Dir(f) == path.Dir(file) && strings.HasSuffix(f, "_test.go") == strings.HasSuffix(file, "_test.go") &&
			!bytes.Contains(c.text(f), []byte("//go:build")) && strings.Count(path.Base(f), "_") <= strings.Count(path.Base(file), "_") {
			list = append(list, f)
		}
	}
	slices.Sort(list)
	return list
}

func movable(d *decl) bool {
	return (d.kind == "function" || d.kind == "type" || d.kind == "variable") && d.alone && d.end-d.start > 120 && !strings.HasPrefix(d.name.Name, "Test")
}

func toFile(withEdit bool) func(*code, *rand.Rand) (*injected, bool) {
	return func(c *code, rng *rand.Rand) (*injected, bool) {
		d := c.pick(rng, func(d *decl) bool { return movable(d) && (!withEdit || d.kind == "function") })
		if d == nil {
			return nil, false
		}
		others := c.siblings(d.file)
		if len(others) == 0 {
			return nil, false
		}
		to := others[rng.IntN(len(others))]
		src := c.text(d.file)
		text := string(src[d.start:d.end])
		if withEdit {
			text = text[:d.body-d.start] + "\n\tprintln(\"kg\")\n" + text[d.body-d.start:]
		}
		return &injected{what: d.name.Name + " to " + to, files: map[string][]byte{
			d.file: gosrc.Apply(src, []gosrc.Edit{{Start: d.start, End: d.end, Text: ""}}),
			to:     append(slices.Clone(c.text(to)), "\n\n"+text+"\n"...),
		}, pairs: []pair{{base: d.id, name: d.name.Name, file: to}}, atMost: 1}, true
	}
}

// toPackage moves a function, or a type with its methods, to a file of another
// package.
func toPackage(c *code, rng *rand.Rand) (*injected, bool) {
	d := c.pick(rng, func(d *decl) bool {
		return movable(d) && d.kind != "variable" && !strings.HasSuffix(d.file, "_test.go")
	})
	if d == nil {
		return nil, false
	}
	var dirs []string
	for f, p := range c.of {
		if p != c.of[d.file] && path.Dir(f) != path.Dir(d.file) && !strings.HasSuffix(f, "_test.go") && p.Name != "main" {
			dirs = append(dirs, path.Dir(f)+"\x00"+p.Name)
		}
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	if len(dirs) == 0 {
		return nil, false
	}
	dir, pkg, _ := strings.Cut(dirs[rng.IntN(len(dirs))], "\x00")
	to := path.Join(dir, "moved_here.go")
	parts := []decl{*d}
	if d.kind == "type" {
		for _, m := range c.decls {
			if m.kind == "method" && m.recv == d.name.Name && c.of[m.file] == c.of[d.file] {
				parts = append(parts, m)
			}
		}
	}
	text := "package " + pkg + "\n\n"
	cut := map[string][]gosrc.Edit{}
	x := &injected{what: d.name.Name + " to " + dir, files: map[string][]byte{}, atMost: 1}
	for _, p := range parts {
		text += string(c.text(p.file)[p.start:p.end]) + "\n\n"
		cut[p.file] = append(cut[p.file], gosrc.Edit{Start: p.start, End: p.end, Text: ""})
		x.pairs = append(x.pairs, pair{base: p.id, name: p.name.Name, file: to})
	}
	for file, es := range cut {
		x.files[file] = gosrc.Apply(c.text(file), es)
	}
	// The file keeps the imports of where it came from; unused ones do no harm.
	x.files[to] = []byte(text)
	return x, true
}

func (c *code) file(rng *rand.Rand, ok func(string) bool) string {
	var all []string
	for f := range c.files {
		if ok(f) {
			all = append(all, f)
		}
	}
	slices.Sort(all)
	if len(all) == 0 {
		return ""
	}
	return all[rng.IntN(len(all))]
}

func plainFile(c *code) func(string) bool {
	return func(f string) bool {
		return !strings.HasSuffix(f, "_test.go") && !strings.Contains(path.Base(f), "_") && !bytes.Contains(c.text(f), []byte("//go:build")) && len(c.declsOf(f)) > 1
	}
}

// declsOf returns the declarations of a file.
func (c *code) declsOf(file string) (ds []*decl) {
	for i := range c.decls {
		if c.decls[i].file == file {
			ds = append(ds, &c.decls[i])
		}
	}
	return ds
}

func renameFile(c *code, rng *rand.Rand) (*injected, bool) {
	f := c.file(rng, plainFile(c))
	if f == "" {
		return nil, false
	}
	to := path.Join(path.Dir(f), "renamed"+path.Base(f))
	return &injected{what: f, files: map[string][]byte{f: nil, to: c.text(f)}, moved: map[string]string{f: to}}, true
}

func renameAndEditFile(c *code, rng *rand.Rand) (*injected, bool) {
	x, ok := renameFile(c, rng)
	if !ok {
		return nil, false
	}
	var edits []gosrc.Edit
	for _, d := range c.declsOf(x.what) {
		if d.body > 0 && len(edits) < 3 {
			edits = append(edits, gosrc.Edit{Start: d.body, End: d.body, Text: "\n\tprintln(\"kg\")\n"})
		}
	}
	for _, to := range x.moved {
		x.files[to] = gosrc.Apply(c.text(x.what), edits)
	}
	return x, true
}

// renamePackage moves all files of a folder to another one and gives the package
// another name, also where it is imported.
func renamePackage(c *code, rng *rand.Rand) (*injected, bool) {
	f := c.file(rng, func(f string) bool {
		return !strings.HasSuffix(f, "_test.go") && c.of[f].Name != "main" && path.Dir(f) != "." && path.Base(path.Dir(f)) == c.of[f].Name
	})
	if f == "" {
		return nil, false
	}
	p := c.of[f]
	dir, name := path.Dir(f), p.Name+"anew"
	to := dir + "anew"
	x := &injected{what: dir, files: map[string][]byte{}, moved: map[string]string{}, atMost: 1}
	for g, q := range c.of {
		if path.Dir(g) != dir {
			continue
		}
		if q.Name != p.Name && q.Name != p.Name+"_test" {
			return nil, false
		}
		clause := c.files[g].Name
		now := name
		if strings.HasSuffix(q.Name, "_test") {
			now += "_test"
			x.atMost = 2
		}
		moved := path.Join(to, path.Base(g))
		x.files[g] = nil
		x.files[moved] = gosrc.Apply(c.text(g), []gosrc.Edit{{Start: c.offset(clause.Pos()), End: c.offset(clause.End()), Text: now}})
	}
	// What the compiler did not see would stay behind.
	entries, err := os.ReadDir(filepath.Join(c.l.Root, filepath.FromSlash(dir)))
	if err != nil {
		return nil, false
	}
	for _, e := range entries {
		if g := path.Join(dir, e.Name()); strings.HasSuffix(g, ".go") && c.of[g] == nil {
			return nil, false
		}
	}
	importPath := p.Path()
	for g, f := range c.files {
		for _, i := range f.Imports {
			if strings.Trim(i.Path.Value, `"`) != importPath {
				continue
			}
			text, at := x.files[path.Join(to, path.Base(g))], g
			if path.Dir(g) == dir {
				at = path.Join(to, path.Base(g))
			} else {
				text = c.text(g)
				if t := x.files[g]; t != nil {
					text = t
				}
			}
			text = bytes.ReplaceAll(text, []byte(`"`+importPath+`"`), []byte(`"`+importPath+`anew"`))
			if i.Name == nil {
				text = bytes.ReplaceAll(text, []byte(p.Name+"."), []byte(name+"."))
			}
			x.files[at] = text
		}
	}
	return x, true
}

func splitFile(c *code, rng *rand.Rand) (*injected, bool) {
	f := c.file(rng, func(f string) bool { return plainFile(c)(f) && len(c.declsOf(f)) >= 6 })
	if f == "" {
		return nil, false
	}
	src := c.text(f)
	to := path.Join(path.Dir(f), "second"+path.Base(f))
	text := "package " + c.of[f].Name + "\n\n"
	x := &injected{what: f, files: map[string][]byte{}}
	var cut []gosrc.Edit
	half := len(src) / 2
	for _, d := range c.declsOf(f) {
		if d.kind == "field" || !d.alone || d.start < half {
			continue
		}
		text += string(src[d.start:d.end]) + "\n\n"
		cut = append(cut, gosrc.Edit{Start: d.start, End: d.end, Text: ""})
		x.pairs = append(x.pairs, pair{base: d.id, name: d.name.Name, file: to})
	}
	if len(cut) == 0 {
		return nil, false
	}
	x.atMost = min(len(cut), 2)
	x.files[f], x.files[to] = gosrc.Apply(src, cut), []byte(text)
	return x, true
}

func mergeFiles(c *code, rng *rand.Rand) (*injected, bool) {
	f := c.file(rng, plainFile(c))
	if f == "" {
		return nil, false
	}
	others := slices.DeleteFunc(c.siblings(f), func(g string) bool { return !plainFile(c)(g) })
	if len(others) == 0 {
		return nil, false
	}
	to := others[rng.IntN(len(others))]
	x := &injected{what: f + " into " + to, files: map[string][]byte{f: nil}}
	text := string(c.text(to))
	for _, d := range c.declsOf(f) {
		if d.kind != "field" && d.alone {
			text += "\n\n" + string(c.text(f)[d.start:d.end]) + "\n"
			x.pairs = append(x.pairs, pair{base: d.id, name: d.name.Name, file: to})
		}
	}
	// Groups of declarations go as a whole.
	for _, d := range c.files[f].Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Lparen.IsValid() && g.Tok != token.IMPORT {
			text += "\n\n" + string(c.text(f)[c.offset(g.Pos()):c.offset(g.End())]) + "\n"
			for _, s := range g.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.Name != "_" {
							x.pairs = append(x.pairs, pair{base: c.place(n.Pos()), name: n.Name, file: to})
						}
					}
				case *ast.TypeSpec:
					x.pairs = append(x.pairs, pair{base: c.place(s.Name.Pos()), name: s.Name.Name, file: to})
				}
			}
		}
		if fd, ok := d.(*ast.FuncDecl); ok && (fd.Name.Name == "init" || fd.Name.Name == "main" || fd.Body == nil) {
			return nil, false
		}
	}
	x.atMost = min(len(x.pairs), 2) // two are told one by one, more as one
	x.files[to] = []byte(text)
	return x, true
}
