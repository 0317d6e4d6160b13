package gooracle

import (
	"go/types"
	"slices"
	"sort"
	"strings"

	"github.com/codekg/kg/bench/gosrc"
	"github.com/codekg/kg/bench/record"
)

// A world is a set of packages whose types can be compared: every package of
// the repository, where those that were compiled anew for the tests of one
// package replace their namesakes. Types of two worlds are different types.
type world struct {
	name string // the package under test, "" for no tests
	pkgs []*gosrc.Package
	// closed says what a program can hold beside a package that nobody can
	// import: by the path of a command, or "" for the tests of this world.
	closed map[string]map[string]bool
}

// worlds returns the world without tests and one for each package with tests.
func worlds(pkgs []*gosrc.Package) []world {
	plain := world{}
	tests := map[string]map[string]*gosrc.Package{}
	for _, c := range pkgs {
		switch {
		case c.Types == nil:
		case c.ForTest == "":
			plain.pkgs = append(plain.pkgs, c)
		default:
			if tests[c.ForTest] == nil {
				tests[c.ForTest] = map[string]*gosrc.Package{}
			}
			tests[c.ForTest][c.Path()] = c
		}
	}
	list := []world{plain}
	names := make([]string, 0, len(tests))
	for n := range tests {
		names = append(names, n)
	}
	sort.Strings(names)
	list[0].closed = map[string]map[string]bool{}
	for _, n := range names {
		w := world{name: n, closed: map[string]map[string]bool{}}
		for _, c := range plain.pkgs {
			if other := tests[n][c.Path()]; other != nil {
				c = other
			}
			w.pkgs = append(w.pkgs, c)
		}
		for path, c := range tests[n] {
			if !slices.ContainsFunc(plain.pkgs, func(p *gosrc.Package) bool { return p.Path() == path }) {
				w.pkgs = append(w.pkgs, c)
			}
		}
		sort.Slice(w.pkgs, func(i, j int) bool { return w.pkgs[i].ImportPath < w.pkgs[j].ImportPath })
		w.closed[""] = reach(tests[n][n], tests[n][n+"_test"])
		list = append(list, w)
	}
	for _, c := range plain.pkgs {
		if c.Name == "main" {
			path := c.Path()
			list[0].closed[path] = reach(c, tests[path][path], tests[path][path+"_test"])
		}
	}
	return list
}

// reach returns the paths of packages and of all that they import.
func reach(pkgs ...*gosrc.Package) map[string]bool {
	seen := map[string]bool{}
	for len(pkgs) > 0 {
		c := pkgs[len(pkgs)-1]
		pkgs = pkgs[:len(pkgs)-1]
		if c == nil || !c.InRepo || seen[c.Path()] {
			continue
		}
		seen[c.Path()] = true
		for _, d := range c.Deps {
			pkgs = append(pkgs, d)
		}
	}
	return seen
}

// together reports whether a program can hold both types. What stands in test
// files is in the tests of its package alone, and a command in its own program:
// nobody can import them, so their programs hold what they import today. Any
// two other packages can meet in a program that imports both.
func (w *world) together(a, b *typeInfo) bool {
	if w.name != "" { // one of them is fresh
		return w.closed[""][a.path] && w.closed[""][b.path]
	}
	for _, t := range [][2]string{{a.path, b.path}, {b.path, a.path}} {
		if in, ok := w.closed[t[0]]; ok && !in[t[1]] {
			return false
		}
	}
	return true
}

// typeInfo is a named type of one world.
type typeInfo struct {
	def     *record.Def
	named   *types.Named
	iface   *types.Interface // nil if it is concrete
	methods *types.MethodSet // of the pointer to it
	fresh   bool             // declared, or given methods, in the test files of this world
	path    string           // of its package
}

// relations records which types implement which interfaces, and which methods
// implement which methods of interfaces.
func (o *output) relations(pkgs []*gosrc.Package) {
	for _, w := range worlds(pkgs) {
		o.implementations(w)
	}
}

func (o *output) implementations(w world) {
	var concrete, ifaces []*typeInfo
	byMethod := map[string][]*typeInfo{}
	for _, c := range w.pkgs {
		for _, t := range o.typesOf(c) {
			t.fresh = t.fresh || w.name == ""
			if t.iface != nil {
				ifaces = append(ifaces, t)
			} else {
				concrete = append(concrete, t)
			}
		}
	}
	all := slices.Concat(concrete, ifaces)
	for _, t := range all {
		for i := range t.methods.Len() {
			id := t.methods.At(i).Obj().Id()
			byMethod[id] = append(byMethod[id], t)
		}
	}
	for _, i := range ifaces {
		// Only types with the interface's rarest method can implement it.
		rarest := i.iface.Method(0).Id()
		for m := range i.iface.Methods() {
			if len(byMethod[m.Id()]) < len(byMethod[rarest]) {
				rarest = m.Id()
			}
		}
		for _, t := range byMethod[rarest] {
			if t.def != i.def && (t.fresh || i.fresh) {
				o.implements(t, i, !w.together(t, i))
			}
		}
	}
}

// typesOf returns the types at the top level of a package that can be judged,
// and marks the others.
func (o *output) typesOf(c *gosrc.Package) []*typeInfo {
	var list []*typeInfo
	scope := c.Types.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() {
			continue
		}
		named, ok := tn.Type().(*types.Named)
		def := o.defs[o.id(tn.Pos())]
		if !ok || def == nil {
			continue
		}
		t := &typeInfo{def: def, named: named, path: c.Path()}
		if iface, ok := named.Underlying().(*types.Interface); ok {
			t.iface = iface
			t.methods = types.NewMethodSet(named)
		} else {
			t.methods = types.NewMethodSet(types.NewPointer(named))
		}
		if named.TypeParams().Len() > 0 || t.unjudgeable() {
			for _, k := range []string{record.Implements, record.Overrides} {
				if !slices.Contains(def.Unjudged, k) {
					def.Unjudged = append(def.Unjudged, k)
				}
			}
			continue
		}
		t.fresh = c.ForTest != "" && isTest(def.File)
		for m := range named.Methods() {
			if c.ForTest != "" && isTest(o.position(m.Pos()).Filename) {
				t.fresh = true
			}
		}
		list = append(list, t)
	}
	return list
}

// unjudgeable reports whether the compiler cannot say, or it means nothing, that
// the type implements or is implemented: interfaces without methods,
// constraints, and types of which a part is unknown.
func (t *typeInfo) unjudgeable() bool {
	if t.iface != nil && (t.iface.NumMethods() == 0 || !t.iface.IsMethodSet()) {
		return true
	}
	for m := range t.methods.Methods() {
		if strings.Contains(types.TypeString(m.Type(), nil), "invalid type") {
			return true
		}
	}
	return embedsInvalid(t.named.Underlying(), 0)
}

func embedsInvalid(t types.Type, depth int) bool {
	if depth > 20 {
		return false
	}
	switch t := t.(type) {
	case *types.Struct:
		for f := range t.Fields() {
			if f.Embedded() {
				ft := types.Unalias(f.Type())
				if p, ok := ft.(*types.Pointer); ok {
					ft = p.Elem()
				}
				if embedsInvalid(ft.Underlying(), depth+1) {
					return true
				}
			}
		}
	case *types.Interface:
		for e := range t.EmbeddedTypes() {
			if embedsInvalid(e.Underlying(), depth+1) {
				return true
			}
		}
	case *types.Basic:
		return t.Kind() == types.Invalid
	}
	return false
}

func (o *output) implements(t, i *typeInfo, apart bool) {
	var recv types.Type = t.named
	ptr := false
	if !types.Implements(recv, i.iface) {
		recv, ptr = types.NewPointer(recv), true
		if t.iface != nil || !types.Implements(recv, i.iface) {
			return
		}
	}
	o.relation(record.Implements, t.def, i.def, ptr, apart || t.iface != nil)
	for m := range i.iface.Methods() {
		to := o.defs[o.id(m.Pos())]
		if to == nil {
			continue
		}
		sel := t.methods.Lookup(m.Pkg(), m.Name())
		if sel == nil {
			continue
		}
		fn, ok := sel.Obj().(*types.Func)
		if !ok {
			continue
		}
		if from := o.defs[o.id(fn.Origin().Pos())]; from != nil && from != to {
			// A promoted method implements only as a part of another type.
			o.relation(record.Overrides, from, to, ptr, apart || t.iface != nil || len(sel.Index()) > 1)
		}
	}
}

// relation records a relation, at the name of the first definition. One that is
// optional in one world may be required in another.
func (o *output) relation(kind string, from, to *record.Def, ptr, optional bool) {
	k := siteKey{kind: kind, from: from.ID, to: to.ID}
	if old := o.relSites[k]; old != nil {
		old.Optional = old.Optional && optional
		old.Ptr = old.Ptr && ptr
		return
	}
	s := &record.Site{
		Kind: kind, From: from.ID, To: to.ID, File: from.File, Line: from.Line, Col: from.Col,
		Name: to.Name, Ptr: ptr, Optional: optional,
	}
	if from.Test {
		s.Tags = append(s.Tags, record.TagTest)
	}
	o.relSites[k] = s
	o.sites = append(o.sites, s)
}
