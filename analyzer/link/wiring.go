package link

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Wiring is how a language's containers make objects and hand them to those that
// ask for their types: of what is asked for, the source names the type alone.
type Wiring struct {
	// Managed are the names of the annotations of classes that a container makes,
	// Points those of members that it sets or calls, and of constructors. An
	// annotation of the tree that has one of the former is like it.
	Managed, Points []string

	// Makes are the full names of the annotations of methods whose results are
	// handed out; a container gives them their arguments.
	Makes []string

	// Conditions are the names of the annotations by which a class, or a method that
	// makes something, or what such a method's class has, is there in some builds or
	// surroundings and not in others. A star stands for any end of a name. An
	// annotation of the tree that has one is like it. Two that have one text, which
	// is the name of their [facts.OpMark], hold together or not at all.
	Conditions []string

	// Names are the names of annotations that say which of several is made or
	// asked for, and First is that of the one that is taken otherwise.
	Names []string
	First string

	// Holders are the full names of generic types that hold one of what is handed
	// out, All those that hold each of its type. It is their last type argument.
	Holders, All []string
}

// provider is a class that a container makes, or a method whose result it hands out.
type provider struct {
	ent   Ent
	name  string
	first bool
	test  bool // in test code

	conditions []string // their texts, or what tells them from all others
}

// maxProviders bounds those that are taken to be handed out together.
const maxProviders = 64

// maxHolders bounds the types around what is asked for.
const maxHolders = 4

// wired are the providers by the type that they give: declared ones, and those that
// are not in the tree by their full names.
type wired struct {
	of       map[Ent][]provider
	external map[string][]provider

	managed, conditions []string // with the annotations of the tree that are made of them
}

// findProviders finds who provides what.
func (l *linker) findProviders() {
	l.wired = wired{of: map[Ent][]provider{}, external: map[string][]provider{}}
	l.findComposed()
	var ev *evaluator
	for fn, f := range l.ownFiles() {
		if f.Rules.Classes == nil || f.Rules.Classes.Wiring == nil {
			continue
		}
		rules := f.Rules.Classes.Wiring
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			e := f.base + Ent(i)
			if d.Marks.Len() == 0 || l.nodeOf[e] == graph.None || d.Kind != graph.KindClass && d.Kind != graph.KindMethod || d.Flags.Has(graph.FlagAbstract) {
				continue
			}
			p := provider{ent: e, test: f.place.Test, name: f.Facts.Str(d.Name)}
			mark := none
			if d.Kind == graph.KindClass {
				r, n := utf8.DecodeRuneInString(p.name)
				p.name = string(unicode.ToLower(r)) + p.name[n:]
				mark = markOf(f.Facts, d.Marks, l.wired.managed)
			}
			if mark == none && d.Kind == graph.KindClass {
				continue
			}
			if ev == nil {
				ev = l.newEvaluator(l.types)
				ev.classes.reset()
			}
			if ev.f != f {
				ev.open(fn)
			}
			typ := unknownType
			if d.Kind == graph.KindClass {
				typ = ev.instance(e)
			} else if mark = ev.makes(d, rules); mark != none && l.types.kind(l.typ[e]) == kFunc {
				typ = ev.resultOf(l.typ[e])
			}
			if mark == none {
				continue
			}
			if name := nameOf(f.Facts, mark); name != "" {
				p.name = name
			}
			p.first = markOf(f.Facts, d.Marks, []string{rules.First}) != none
			p.conditions = l.wired.conditionsOf(f, facts.DeclID(i))
			l.wired.add(ev, typ, p)
		}
	}
}

const none = facts.ExprID(facts.None)

// add adds a provider for its type and all above it.
func (w *wired) add(ev *evaluator, typ Type, p provider) {
	ev.eachSuper(typ, func(y Type) bool {
		w.put(ev, y, p)
		return true
	})
	if ev.types.kind(typ) == kExtern {
		w.put(ev, typ, p)
	}
}

func (w *wired) put(ev *evaluator, y Type, p provider) {
	switch r := ev.types.rec(y); {
	case r.kind == kNamed && r.ent != ev.lang.cls.rootEnt:
		e := ev.l.canon[r.ent]
		w.of[e] = append(w.of[e], p)
	case r.kind == kExtern:
		name := ev.externName(y)
		w.external[name] = append(w.external[name], p)
	}
}

// externName returns the full name of a type that is not in the tree.
func (ev *evaluator) externName(x Type) string {
	r := ev.types.rec(x)
	return ev.l.symString(Sym(r.ent)) + ev.lang.Classes.Separator + ev.l.symString(Sym(r.n))
}

// makes returns the annotation by which the result of a method is handed out, or
// None.
func (ev *evaluator) makes(d *facts.Decl, rules *Wiring) facts.ExprID {
	fs := ev.f.Facts
	for _, m := range fs.Lists[d.Marks.Lo:d.Marks.Hi] {
		if x := &fs.Exprs[m]; x.X >= 0 && x.N == 0 && ev.namesOne(x.X, rules.Makes) {
			return facts.ExprID(m)
		}
	}
	return none
}

// namesOne reports whether an expression names one of the types with the given full
// names: as far as the imports of the file tell, if the type is not in the tree.
func (ev *evaluator) namesOne(x facts.ExprID, names []string) bool {
	t := ev.typeExpr(x)
	switch r := ev.types.rec(t); r.kind {
	case kExtern:
		return slices.Contains(names, ev.externName(t))
	case kNamed:
		return slices.Contains(names, ev.l.units[ev.l.unitOf(r.ent)].Path+ev.lang.Classes.Separator+ev.l.qualified(r.ent))
	}
	e := &ev.f.Facts.Exprs[x]
	if t != unknownType {
		return false
	}
	if e.Op != facts.OpName {
		return slices.ContainsFunc(names, func(n string) bool { return ev.spells(x, n) })
	}
	for _, n := range names {
		pkg := ev.lang.around(n)
		if n[len(pkg)+len(ev.lang.Classes.Separator):] != ev.f.Facts.Str(e.Name) {
			continue
		}
		for _, im := range ev.l.dotImports[ev.fn] {
			if ev.f.Facts.Str(ev.f.Facts.Imports[im].Path) == pkg {
				return true
			}
		}
	}
	return false
}

// spells reports whether an expression is a qualified name as it stands.
func (ev *evaluator) spells(x facts.ExprID, name string) bool {
	for {
		e := &ev.f.Facts.Exprs[x]
		rest, ok := strings.CutSuffix(name, ev.f.Facts.Str(e.Name))
		switch {
		case !ok || e.Op != facts.OpSelect && e.Op != facts.OpName:
			return false
		case e.Op == facts.OpName || e.X < 0:
			return rest == ""
		}
		if name, ok = strings.CutSuffix(rest, ev.lang.Classes.Separator); !ok {
			return false
		}
		x = e.X
	}
}

// markOf returns the first of the annotations that has one of the names, or None.
func markOf(fs *facts.File, marks facts.Span, names []string) facts.ExprID {
	for _, m := range fs.Lists[marks.Lo:marks.Hi] {
		if x := &fs.Exprs[m]; x.X >= 0 && x.N == 0 && slices.Contains(names, fs.Str(fs.Exprs[x.X].Name)) {
			return facts.ExprID(m)
		}
	}
	return none
}

// nameOf returns the name that an annotation gives: its first text.
func nameOf(fs *facts.File, mark facts.ExprID) string {
	for _, a := range fs.List(fs.Exprs[mark].Args) {
		x := &fs.Exprs[a]
		if x.Op == facts.OpKeyword && x.X >= 0 && (fs.Str(x.Name) == "name" || fs.Str(x.Name) == "value") {
			x = &fs.Exprs[x.X]
		}
		if x.Op == facts.OpLiteral && x.X >= 0 {
			return fs.Str(fs.Exprs[x.X].Name)
		}
	}
	return ""
}

// point is what a container gives to a class: by a field, or by a parameter.
type point struct {
	owner facts.DeclID
	by    facts.DeclID // the field or callable
	typ   facts.ExprID
	name  facts.Str
	as    string // the name that it is asked for by, if any
}

// callPoints records what a container gives to the parameters of a callable.
func (r *bodyReader) callPoints(i facts.DeclID) {
	fs := r.f.Facts
	d := &fs.Decls[i]
	rules := r.f.Rules.Classes.Wiring
	for k, p := range fs.Params[d.Params.Lo:d.Params.Hi] {
		at := point{owner: d.Parent, by: i, typ: p.Type, name: p.Name}
		for _, m := range fs.Lists[d.Marks.Lo:d.Marks.Hi] {
			if x := &fs.Exprs[m]; x.X >= 0 && int(x.N) == k+1 && slices.Contains(rules.Names, fs.Str(fs.Exprs[x.X].Name)) {
				at.as = nameOf(fs, facts.ExprID(m))
			}
		}
		r.wire(at)
	}
}

// fieldPoint records what a container gives to a field.
func (r *bodyReader) fieldPoint(i facts.DeclID) {
	d := &r.f.Facts.Decls[i]
	at := point{owner: d.Parent, by: i, typ: d.Type, name: d.Name}
	if m := markOf(r.f.Facts, d.Marks, r.f.Rules.Classes.Wiring.Names); m != none {
		at.as = nameOf(r.f.Facts, m)
	}
	r.wire(at)
}

// managed reports whether a container calls a callable: it says so, or it is the
// constructor of a class that a container makes.
func (r *bodyReader) managed(d *facts.Decl) bool {
	rules := r.f.Rules.Classes.Wiring
	if rules == nil || d.Parent == facts.None {
		return false
	}
	fs := r.f.Facts
	return d.Marks.Len() > 0 && (markOf(fs, d.Marks, rules.Points) != none || d.Kind == graph.KindMethod && r.ev.makes(d, rules) != none) ||
		d.Kind == graph.KindConstructor && markOf(fs, fs.Decls[d.Parent].Marks, r.l.wired.managed) != none
}

// wire records what is given where something of a type is asked for: the type, in
// whatever holds it, and who provides it. One provider, or the one that the names
// tell, is inferred; of several it is open which, and so it is of those that have
// a condition.
func (r *bodyReader) wire(at point) {
	if at.typ < 0 {
		return
	}
	typ, many := r.held(at.typ)
	if typ != at.typ {
		r.inject(at.owner, typ)
	}
	x := r.ev.typeExpr(typ)
	for r.ev.types.kind(x) == kSlice {
		x, many = r.ev.types.arg(x, 0), true
	}
	from := r.l.nodeOf[r.f.base+Ent(at.owner)]
	if from == graph.None {
		return
	}
	var list []provider
	outside := false
	switch rec := r.ev.types.rec(x); rec.kind {
	case kNamed:
		list = r.l.wired.of[r.l.canon[rec.ent]]
		outside = r.l.units[r.l.unitOf(rec.ent)].surface
	case kExtern:
		list = r.l.wired.external[r.ev.externName(x)]
		outside = true
	}
	var to []graph.ID // one declaration may be there for several modules
	var open []bool
	chosen, here := r.chosen(list, at, many)
	for _, p := range chosen {
		if n := r.target(p.ent); n != graph.None && n != from && !slices.Contains(to, n) && len(to) < maxProviders {
			to = append(to, n)
			// Without it nobody of the tree provides what only it does; of what is
			// not of the tree, a library may.
			open = append(open, (many || outside && at.as == "") && !given(p.conditions, here))
		}
	}
	several := len(to) > 1 && !many
	if several && len(to) > maxAmbiguous {
		return
	}
	place := &r.f.Facts.Exprs[typ]
	for i, to := range to {
		certainty := graph.Inferred
		if several || open[i] {
			certainty = graph.Ambiguous
		}
		if to != r.typeNode(x) {
			r.edges = append(r.edges, graph.RawEdge{From: from, To: to, Type: graph.None, Kind: graph.EdgeInjects, Certainty: certainty,
				HasSite: true, Site: r.site(place.Line, place.Col)})
		}
	}
}

// chosen returns the providers among which the container takes the one that is
// asked for, and the conditions of who asks, if that matters. One that has a
// condition leaves the others possible.
func (r *bodyReader) chosen(list []provider, at point, many bool) (_ []provider, here []string) {
	by := r.f.base + Ent(at.by)
	test := r.f.place.Test
	list = filter(list, func(p *provider) bool { return p.ent != by && (test || !p.test) && (at.as == "" || p.name == at.as) })
	if !slices.ContainsFunc(list, func(p provider) bool { return len(p.conditions) > 0 || p.first }) && (many || len(list) < 2) {
		return list, nil
	}
	here = r.l.wired.conditionsOf(r.f, at.by)
	if many || at.as != "" {
		return list, here
	}
	name := r.f.Facts.Str(at.name)
	for _, ok := range []func(p *provider) bool{
		func(p *provider) bool { return p.first },
		func(p *provider) bool { return p.name == name },
	} {
		taken := filter(list, ok)
		// One of them is taken where one is there wherever any other is.
		if slices.ContainsFunc(taken, func(p provider) bool {
			return !slices.ContainsFunc(list, func(o provider) bool { return !given(p.conditions, here, o.conditions) })
		}) {
			return taken, here
		}
	}
	return list, here
}

func filter(list []provider, ok func(p *provider) bool) []provider {
	var out []provider
	for i := range list {
		if ok(&list[i]) {
			out = append(out, list[i])
		}
	}
	return out
}

// held returns the type that is asked for inside of what holds it, and whether all
// of the type are asked for.
func (r *bodyReader) held(typ facts.ExprID) (in facts.ExprID, many bool) {
	rules := r.f.Rules.Classes.Wiring
	for range maxHolders {
		x := &r.f.Facts.Exprs[typ]
		if x.Op != facts.OpIndex || x.X < 0 {
			break
		}
		args := r.f.Facts.List(x.Args)
		if len(args) == 0 {
			break
		}
		all := r.ev.namesOne(x.X, rules.All)
		if !all && !r.ev.namesOne(x.X, rules.Holders) {
			break
		}
		typ, many = facts.ExprID(args[len(args)-1]), many || all
	}
	return typ, many
}
