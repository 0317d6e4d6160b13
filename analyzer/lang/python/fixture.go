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

// linkFixtures adds what tests and fixtures need of fixtures.
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
	la.References = append(make([]link.Reference, 0, len(la.References)+uses), la.References...)
	for i := range files {
		f := files[i].Facts
		var scope []int // the files whose fixtures it sees, the nearest first
		for k := range f.Directives {
			d := &f.Directives[k]
			what := f.Str(d.Name)
			if d.Owner == none || what != fixtureUse && what != fixtureTest {
				continue
			}
			if scope == nil {
				scope = append(scope, i)
				for dir := dirOf(files[i].Path); ; dir = dirOf(dir) {
					if c, ok := conftests[dir]; ok && c != i {
						scope = append(scope, c)
					}
					if dir == "" {
						break
					}
				}
			}
			from := nameIn(f, d.Owner)
			add := func(in int, x fixtureOf) bool {
				if x.to == "" || from == "" || in == i && (x.to == from || x.class != none && x.class != f.Decls[d.Owner].Parent) {
					return false
				}
				la.References = append(la.References, link.Reference{File: i, Directive: k, Kind: graph.EdgeInjects, From: from,
					Unit: la.Files[in].Unit, To: x.to})
				return true
			}
			if what == fixtureTest {
				for _, in := range scope {
					for _, x := range autos[in] {
						add(in, x)
					}
				}
				continue
			}
			name := f.Str(d.Value)
		search:
			for _, in := range scope {
				for _, x := range defs[in] {
					if x.name == name && add(in, x) {
						break search
					}
				}
			}
		}
	}
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
