package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build/constraint"
	goparser "go/parser"
	"go/printer"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/history"
	"github.com/codekg/kg/bench/change"
	"github.com/codekg/kg/diff"
)

// sort is what happened to a symbol.
type sort int

const (
	added sort = iota
	removed
	signature
	body
)

var sorts = []sort{added, removed, signature, body}

func (s sort) String() string { return [...]string{"added", "removed", "signature", "body"}[s] }

// symbol is a declaration by the folder of its package, or its file where the
// name is the file's own, and its qualified name.
type symbol struct{ place, name string }

func (s symbol) String() string { return s.place + "#" + s.name }

// text is what a declaration says: its shape and what it does, without comments.
type text struct{ shape, body string }

// parsed is what a file declares.
type parsed struct {
	ok      bool
	pkg     string
	alone   bool // nobody builds it with the rest of its folder
	symbols map[string][]text
	own     map[string]bool // names that are the file's own
}

// parser reads files, each content once.
type parser map[string]*parsed

// comparison is what differs between two sets of files.
type comparison struct {
	changes map[sort]map[symbol]bool
	folders map[string]bool // with a file that does not parse
}

func (c *comparison) has(s sort, k symbol) bool { return c.changes[s][k] }

// skipped reports whether nothing is known of a symbol.
func (c *comparison) skipped(k symbol) bool {
	return c.folders[k.place] || c.folders[path.Dir(k.place)] || c.folders[strings.TrimSuffix(k.place, "_test")]
}

// compare compares the declarations of all folders with a changed file.
func (p parser) compare(base, head change.Side, files []history.FileChange) *comparison {
	c := &comparison{changes: map[sort]map[symbol]bool{}, folders: map[string]bool{}}
	for _, s := range sorts {
		c.changes[s] = map[symbol]bool{}
	}
	folders := map[string]bool{}
	for _, f := range files {
		folders[path.Dir(f.Path)] = true
		if f.OldPath != "" {
			folders[path.Dir(f.OldPath)] = true
		}
	}
	was, is := p.declarations(base, folders, c), p.declarations(head, folders, c)
	for k, x := range was {
		y, ok := is[k]
		switch {
		case !ok:
			c.changes[removed][k] = true
		case slices.Equal(x, y):
		default:
			if !slices.Equal(shapes(x), shapes(y)) {
				c.changes[signature][k] = true
			}
			if !slices.Equal(bodies(x), bodies(y)) {
				c.changes[body][k] = true
			}
		}
	}
	for k := range is {
		if _, ok := was[k]; !ok {
			c.changes[added][k] = true
		}
	}
	return c
}

func shapes(ts []text) (out []string) {
	for _, t := range ts {
		out = append(out, t.shape)
	}
	slices.Sort(out)
	return out
}

func bodies(ts []text) (out []string) {
	for _, t := range ts {
		out = append(out, t.body)
	}
	slices.Sort(out)
	return out
}

// declarations returns what the files of the folders declare; build constraints
// give one symbol several texts.
func (p parser) declarations(s change.Side, folders map[string]bool, c *comparison) map[symbol][]text {
	all := map[symbol][]text{}
	for i, e := range s.Tree.Entries() {
		if !e.Mode.IsFile() || !strings.HasSuffix(e.Path, ".go") || !folders[path.Dir(e.Path)] {
			continue
		}
		x := p[e.ID]
		if x == nil {
			data, err := s.Tree.Read(i, -1)
			if err != nil {
				c.folders[path.Dir(e.Path)] = true
				continue
			}
			x = parse(data)
			p[e.ID] = x
		}
		if !x.ok {
			c.folders[path.Dir(e.Path)] = true
			continue
		}
		place := path.Dir(e.Path)
		if strings.HasSuffix(x.pkg, "_test") && strings.HasSuffix(e.Path, "_test.go") {
			place += "_test"
		}
		for name, ts := range x.symbols {
			k := symbol{place, name}
			if x.alone || x.own[name] {
				k.place = e.Path
			}
			all[k] = append(all[k], ts...)
		}
	}
	for _, ts := range all {
		slices.SortFunc(ts, func(x, y text) int { return strings.Compare(x.shape+x.body, y.shape+y.body) })
	}
	return all
}

func parse(src []byte) *parsed {
	fset := token.NewFileSet()
	f, err := goparser.ParseFile(fset, "", src, goparser.SkipObjectResolution)
	if err != nil {
		return &parsed{}
	}
	top, err := goparser.ParseFile(fset, "", src, goparser.PackageClauseOnly|goparser.ParseComments)
	if err != nil {
		return &parsed{}
	}
	x := &parsed{ok: true, pkg: f.Name.Name, symbols: map[string][]text{}, own: map[string]bool{}}
	for _, g := range top.Comments {
		for _, l := range g.List {
			if constraint.IsGoBuild(l.Text) && strings.Contains(l.Text, "ignore") {
				x.alone = true
			}
		}
	}
	r := reader{x}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			r.function(d)
		case *ast.GenDecl:
			r.general(d)
		}
	}
	return x
}

type reader struct{ x *parsed }

func (r reader) add(name, shape, body string) {
	if name != "_" && !strings.HasSuffix(name, "._") {
		r.x.symbols[name] = append(r.x.symbols[name], text{shape, body})
	}
}

// write prints syntax without comments, laid out in one way only.
func write(n any) string {
	switch x := n.(type) {
	case ast.Expr:
		if x == nil {
			return ""
		}
	case nil:
		return ""
	}
	var b bytes.Buffer
	// Positions of another file set: the printer keeps no line breaks of the source.
	if err := printer.Fprint(&b, token.NewFileSet(), n); err != nil {
		return err.Error()
	}
	return b.String()
}

// types writes parameters or results without their names.
func types(l *ast.FieldList) string {
	if l == nil {
		return "()"
	}
	var parts []string
	for _, f := range l.List {
		for range max(len(f.Names), 1) {
			parts = append(parts, write(f.Type))
		}
	}
	return "(" + strings.Join(parts, ",") + ")"
}

func (r reader) function(d *ast.FuncDecl) {
	name := d.Name.Name
	shape := types(d.Type.Params) + types(d.Type.Results)
	if d.Type.TypeParams != nil {
		shape = fields(d.Type.TypeParams) + shape
	}
	if d.Recv != nil && len(d.Recv.List) > 0 {
		e := d.Recv.List[0].Type
		if s, ok := e.(*ast.StarExpr); ok {
			e = s.X
			shape = "*" + shape
		}
		switch x := e.(type) {
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		}
		name = write(e) + "." + name
	}
	if d.Recv == nil && name == "init" {
		r.x.own[name] = true
	}
	text := ""
	if d.Body != nil {
		text = write(d.Body)
	}
	r.add(name, shape, text)
}

func fields(l *ast.FieldList) string {
	var parts []string
	for _, f := range l.List {
		for _, n := range f.Names {
			parts = append(parts, n.Name+" "+write(f.Type))
		}
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (r reader) general(d *ast.GenDecl) {
	var last *ast.ValueSpec
	for i, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			r.typ(s)
		case *ast.ValueSpec:
			if d.Tok == token.CONST && len(s.Values) == 0 && s.Type == nil && last != nil {
				s = &ast.ValueSpec{Names: s.Names, Type: last.Type, Values: last.Values}
			} else {
				last = s
			}
			r.value(d.Tok, i, s)
		}
	}
}

func (r reader) value(tok token.Token, at int, s *ast.ValueSpec) {
	for i, n := range s.Names {
		shape, body := tok.String(), ""
		if s.Type != nil {
			shape += " " + write(s.Type)
		}
		switch {
		case len(s.Values) == len(s.Names):
			v := s.Values[i]
			body = write(v)
			if usesIota(v) {
				body += fmt.Sprint(" #", at)
			}
			if f, ok := v.(*ast.FuncLit); ok && tok == token.VAR && s.Type == nil {
				// A variable that holds a function from the start looks like one.
				shape, body = "var "+types(f.Type.Params)+types(f.Type.Results), write(f.Body)
			}
		case len(s.Values) > 0:
			body = fmt.Sprint(write(s.Values[0]), " #", i)
		}
		r.add(n.Name, shape, body)
	}
}

func usesIota(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "iota" {
			found = true
		}
		return true
	})
	return found
}

// typ adds a type and its members. What a type is made of is its shape, its
// members left out.
func (r reader) typ(s *ast.TypeSpec) {
	name := s.Name.Name
	shape := ""
	if s.TypeParams != nil {
		shape = fields(s.TypeParams)
	}
	if s.Assign.IsValid() {
		shape += "="
	}
	switch t := s.Type.(type) {
	case *ast.StructType:
		shape += "struct"
		for _, f := range t.Fields.List {
			tag := ""
			if f.Tag != nil {
				tag = f.Tag.Value
			}
			for _, n := range f.Names {
				r.add(name+"."+n.Name, write(f.Type), tag)
			}
			if len(f.Names) == 0 {
				shape += " " + write(f.Type)
				r.add(name+"."+embedded(f.Type), write(f.Type), tag)
			}
		}
	case *ast.InterfaceType:
		shape += "interface"
		for _, m := range t.Methods.List {
			if ft, ok := m.Type.(*ast.FuncType); ok && len(m.Names) > 0 {
				for _, n := range m.Names {
					r.add(name+"."+n.Name, types(ft.Params)+types(ft.Results), "")
				}
			} else {
				shape += " " + write(m.Type)
			}
		}
	default:
		shape += write(t)
	}
	r.add(name, shape, "")
}

func embedded(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.SelectorExpr:
			return x.Sel.Name
		case *ast.Ident:
			return x.Name
		default:
			return "?"
		}
	}
}

// reported is what kg reports, by the same names.
func reported(d *diff.Delta) map[sort]map[symbol]bool {
	got := map[sort]map[symbol]bool{}
	for _, s := range sorts {
		got[s] = map[symbol]bool{}
	}
	base, head := membersOf(d.Base), membersOf(d.Head)
	for i := range d.Changes {
		c := &d.Changes[i]
		if n := d.Symbol(c); n.Lang != "go" || n.Kind == graph.KindFile {
			continue
		}
		if c.Kind == diff.Added || c.Kind == diff.Removed || d.Was(c).Key != d.Symbol(c).Key {
			if c.Base != graph.None {
				each(d.Base, base, c.Base, func(k symbol) { got[removed][k] = true })
			}
			if c.Head != graph.None {
				each(d.Head, head, c.Head, func(k symbol) { got[added][k] = true })
			}
			continue
		}
		k, inner, ok := nameOf(d.Head, c.Head)
		if !ok {
			continue
		}
		if c.Aspects.Has(diff.Signature) && !inner && !onlyDeprecated(c) {
			got[signature][k] = true
		}
		if c.Aspects.Has(diff.Body) || c.Aspects.Has(diff.Variant) || inner && c.Aspects.Has(diff.Signature) {
			got[body][k] = true
		}
	}
	// What is in both is not gone: it moved between files that each had one.
	for k := range got[added] {
		if got[removed][k] {
			delete(got[added], k)
			delete(got[removed], k)
		}
	}
	return got
}

// onlyDeprecated reports whether a declaration got or lost the mark that it
// should not be used any more, which Go has in comments.
func onlyDeprecated(c *diff.Change) bool {
	return !slices.ContainsFunc(c.Details, func(d diff.Detail) bool {
		switch d.Code {
		case diff.Deprecated, diff.Undeprecated, diff.DocChanged, diff.BodyChanged:
			return false
		}
		return d.Verdict != diff.Silent
	})
}

func membersOf(g *graph.Graph) map[graph.ID][]graph.ID {
	m := map[graph.ID][]graph.ID{}
	for i := range g.Nodes {
		if p := g.Nodes[i].Parent; p != graph.None {
			m[p] = append(m[p], graph.ID(i))
		}
	}
	return m
}

// each calls f for a node and everything in it.
func each(g *graph.Graph, members map[graph.ID][]graph.ID, n graph.ID, f func(symbol)) {
	for queue := []graph.ID{n}; len(queue) > 0; {
		n, queue = queue[0], append(queue[1:], members[queue[0]]...)
		if k, inner, ok := nameOf(g, n); ok && !inner {
			f(k)
		}
	}
}

// nameOf names a node as the syntax trees do. inner says that it lies in the
// declaration of that name.
func nameOf(g *graph.Graph, n graph.ID) (k symbol, inner, ok bool) {
	x := &g.Nodes[n]
	for x.Parent != graph.None {
		p := &g.Nodes[x.Parent]
		if p.Kind.IsType() && (p.Parent == graph.None || g.Nodes[p.Parent].Kind.IsContainer() || g.Nodes[p.Parent].Kind == graph.KindFile) ||
			p.Kind.IsContainer() || p.Kind == graph.KindFile {
			break
		}
		x, inner = p, true
	}
	if x.Kind.IsContainer() || x.Kind == graph.KindFile || x.Kind == graph.KindExternal || x.Kind == graph.KindUnknown {
		return k, false, false
	}
	pkg, name := graph.SplitKey(x.Key)
	k.place = path.Dir(x.File)
	if file, own, scoped := strings.Cut(name, "::"); scoped {
		k.place, name = path.Join(k.place, path.Base(file)), own
	} else if strings.HasSuffix(pkg, "_test") && strings.HasSuffix(x.File, "_test.go") {
		k.place += "_test"
	}
	k.name = name
	return k, inner, name != ""
}
