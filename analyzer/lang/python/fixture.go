package python

import (
	"path"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/link"
	"github.com/codekg/kg/analyzer/syntax"
)

// Fixtures of pytest: a parameter of a test, or of a fixture, names a fixture of
// its class, its module, or a conftest.py above it.

// The names of the directives by which a file says what it has and needs.
const (
	fixtureDef  = "pytest fixture"
	fixtureAuto = "pytest autouse"
	fixtureUse  = "pytest use"
	fixtureTest = "pytest test"
)

// fixtures notes what function d is to pytest.
func (e *extractor) fixtures(d facts.DeclID, marks []mark, name string) {
	note := func(what, value string, at syntax.ID) {
		line, col := e.b.Decls[d].Line, e.b.Decls[d].Col
		if at != syntax.None {
			line, col = e.place(at)
		}
		e.b.Directives = append(e.b.Directives, facts.Directive{Name: e.b.InternString(what), Value: e.b.InternString(value), Owner: d, Line: line, Col: col})
	}
	test := e.b.Decls[d].Flags.Has(graph.FlagTestCase)
	fixture := false
	for _, m := range marks {
		switch m.last {
		case "fixture", "yield_fixture":
			fixture = true
			auto := false
			if e.class(m.node) == classCall {
				if args := e.child(m.node, fieldArguments); args != syntax.None {
					for c := range e.t.NamedChildren(args) {
						if e.class(c) != classKeywordArgument {
							continue
						}
						v := e.child(c, fieldValue)
						switch string(e.t.Text(e.child(c, fieldName))) {
						case "name":
							if s, ok := e.constant(v); ok {
								name = s
							}
						case "autouse":
							auto = v != syntax.None && e.class(v) == classTrue
						}
					}
				}
			}
			note(fixtureDef, name, syntax.None)
			if auto {
				note(fixtureAuto, name, syntax.None)
			}
		case "usefixtures":
			if args := e.child(m.node, fieldArguments); e.class(m.node) == classCall && args != syntax.None {
				for c := range e.t.NamedChildren(args) {
					if s, ok := e.constant(c); ok {
						note(fixtureUse, s, c)
					}
				}
			}
		}
	}
	if !test && !fixture {
		return
	}
	if test {
		note(fixtureTest, "", syntax.None)
	}
	ps := e.b.Params[e.b.Decls[d].Params.Lo:e.b.Decls[d].Params.Hi]
	for i := range ps {
		if ps[i].Flags == 0 || ps[i].Flags == graph.ParamKeywordOnly {
			if s := e.b.Strings[ps[i].Name]; s != "self" && s != "cls" {
				note(fixtureUse, s, syntax.None)
			}
		}
	}
}

// fixtureOf is a fixture of a file.
type fixtureOf struct {
	name, to string
	class    facts.DeclID
}

// linkFixtures says what tests and fixtures need of fixtures.
func (la *layouter) linkFixtures(files []link.File) {
	defs, autos := make([][]fixtureOf, len(files)), make([][]fixtureOf, len(files))
	conftests := map[string]int{}
	any, uses := false, 0
	for i := range files {
		f := files[i].Facts
		for k := range f.Directives {
			d := &f.Directives[k]
			if d.Owner == none {
				continue
			}
			what := f.Str(d.Name)
			if what == fixtureUse {
				uses++
			}
			if what != fixtureDef && what != fixtureAuto {
				continue
			}
			x := fixtureOf{name: f.Str(d.Value), to: nameIn(f, d.Owner), class: f.Decls[d.Owner].Parent}
			any = true
			if what == fixtureDef {
				defs[i] = append(defs[i], x)
			} else {
				autos[i] = append(autos[i], x)
			}
		}
		if path.Base(files[i].Path) == "conftest.py" {
			conftests[dirOf(files[i].Path)] = i
		}
	}
	if !any {
		return
	}
	la.Given = func(running func(int, facts.DeclID) [][]link.Member) []link.Reference {
		g := given{la: la, files: files, defs: defs, autos: autos, conftests: conftests, out: make([]link.Reference, 0, uses), seen: map[link.Reference]bool{}}
		for i := range files {
			g.file(i, running)
		}
		return g.out
	}
}

// given collects which fixtures tests and fixtures get.
type given struct {
	la          *layouter
	files       []link.File
	defs, autos [][]fixtureOf // by file
	conftests   map[string]int
	out         []link.Reference
	seen        map[link.Reference]bool
}

// file collects what the functions of a file get. One of a class is run by those who
// inherit it, which have fixtures of their own.
func (g *given) file(i int, running func(int, facts.DeclID) [][]link.Member) {
	f := g.files[i].Facts
	owner := facts.DeclID(none)
	var scopes []fixtureScope
	for k := range f.Directives {
		d := &f.Directives[k]
		what := f.Str(d.Name)
		if d.Owner == none || what != fixtureUse && what != fixtureTest {
			continue
		}
		if d.Owner != owner {
			owner, scopes = d.Owner, scopes[:0]
			if p := f.Decls[owner].Parent; p == none {
				scopes = append(scopes, fixtureScope{files: g.around(i)})
			} else if f.Decls[p].Kind.IsType() {
				for _, classes := range running(i, owner) {
					scopes = append(scopes, fixtureScope{classes, g.around(classes[0].File)})
				}
			}
		}
		for _, s := range scopes {
			if what == fixtureTest {
				g.each(s, g.autos, func(in int, x fixtureOf) bool { g.add(i, k, in, x); return false })
				continue
			}
			name := f.Str(d.Value)
			g.each(s, g.defs, func(in int, x fixtureOf) bool { return x.name == name && g.add(i, k, in, x) })
		}
	}
}

// fixtureScope is where fixtures are searched: the classes first, then the files.
type fixtureScope struct {
	classes []link.Member
	files   []int
}

// around returns the files whose fixtures a file sees, the nearest first.
func (g *given) around(i int) []int {
	scope := []int{i}
	for dir := dirOf(g.files[i].Path); ; dir = dirOf(dir) {
		if c, ok := g.conftests[dir]; ok && c != i {
			scope = append(scope, c)
		}
		if dir == "" {
			return scope
		}
	}
}

// each calls f for the fixtures of a scope, the nearest first, until it returns true.
func (g *given) each(s fixtureScope, of [][]fixtureOf, f func(in int, x fixtureOf) bool) {
	for _, c := range s.classes {
		for _, x := range of[c.File] {
			if x.class == c.Decl && f(c.File, x) {
				return
			}
		}
	}
	for _, in := range s.files {
		for _, x := range of[in] {
			if x.class == none && f(in, x) {
				return
			}
		}
	}
}

// add notes that what a directive of file i is about gets a fixture, other than itself.
func (g *given) add(i, directive, in int, x fixtureOf) bool {
	from := nameIn(g.files[i].Facts, g.files[i].Facts.Directives[directive].Owner)
	if x.to == "" || from == "" || in == i && x.to == from {
		return false
	}
	r := link.Reference{File: i, Directive: directive, Kind: graph.EdgeInjects, From: from, Unit: g.la.Files[in].Unit, To: x.to}
	if !g.seen[r] {
		g.seen[r] = true
		g.out = append(g.out, r)
	}
	return true
}

// nameIn returns the name by which a module has a function or a method of one
// of its classes; empty for others.
func nameIn(f *facts.File, d facts.DeclID) string {
	p := &f.Decls[d]
	name := f.Str(p.Name)
	if p.Parent == none {
		return name
	}
	q := &f.Decls[p.Parent]
	if q.Parent != none || !q.Kind.IsType() || strings.Contains(name, ".") {
		return ""
	}
	return f.Str(q.Name) + "." + name
}
