package link

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// methodSet is what is known of the methods of a type.
type methodSet struct {
	names   []Sym  // sorted: own and promoted methods
	foreign []Type // external types that it embeds, whose methods are not known
	unknown bool   // it embeds a type that could not be told
	through bool   // it embeds an external type through a pointer
}

// hasForeign reports whether a type with methods t has the unknown methods of
// an interface: it embeds the same external types.
func (s *methodSet) hasForeign(t *methodSet) bool {
	for _, f := range s.foreign {
		if !slices.Contains(t.foreign, f) {
			return false
		}
	}
	return true
}

// has reports whether a method of that name is known.
func (s *methodSet) has(name Sym) bool {
	_, ok := slices.BinarySearch(s.names, name)
	return ok
}

// methodSets returns the methods of every named type of the tree and of the
// surfaces of languages with implicit interfaces, by entity; nil for others.
func (l *linker) methodSets() []*methodSet {
	own := newOwnMethods(len(l.entFile))
	var types []Ent
	for e := range l.entFile {
		e := Ent(e)
		if f := &l.files[l.entFile[e]]; f.unit < 0 || !f.Rules.ImplicitInterfaces {
			continue
		}
		d := l.decl(e)
		switch {
		case d.Kind == graph.KindMethod && d.Name != 0:
			if c := l.container(e); c != noEnt {
				own.add(l.canon[c], l.symOf(e, d.Name))
			}
		case d.Kind.IsType() && d.Traits&facts.TraitAlias == 0 && l.canon[e] == e:
			types = append(types, e)
		}
	}
	sets := make([]*methodSet, len(l.entFile))
	l.inParts(len(types), methodPart, func() func(lo, hi int) {
		ev := l.newEvaluator(newTypeTable(l.types))
		return func(lo, hi int) {
			for _, e := range types[lo:hi] {
				ev.lang = l.langOf(e)
				sets[e] = l.methodSet(ev, e, own)
			}
		}
	})
	return sets
}

// methodPart is of how many types the methods are found, and how many pairs of a type
// and an interface are compared, at once.
const methodPart = 1 << 9

// ownMethods are the methods that types declare themselves: a list for each.
type ownMethods struct {
	first []int32 // by Ent of a type: 1 + the position of the last that came
	list  []ownMethod
}

type ownMethod struct {
	name Sym
	next int32
}

func newOwnMethods(ents int) *ownMethods { return &ownMethods{first: make([]int32, ents)} }

func (o *ownMethods) add(of Ent, name Sym) {
	o.list = append(o.list, ownMethod{name, o.first[of]})
	o.first[of] = int32(len(o.list))
}

func (o *ownMethods) appendTo(names []Sym, of Ent) []Sym {
	if of == noEnt {
		return names
	}
	for i := o.first[of]; i != 0; i = o.list[i-1].next {
		names = append(names, o.list[i-1].name)
	}
	return names
}

func (l *linker) methodSet(ev *evaluator, e Ent, own *ownMethods) *methodSet {
	t := ev.types
	s := &methodSet{}
	start := t.denoted(l.typ[e])
	queue := []embed{{t: start}}
	for i := 0; i < len(queue) && i < 256; i++ {
		x := queue[i].t
		r := t.rec(x)
		if r.kind == kNamed || r.kind == kAnon {
			ent := r.ent
			s.names = own.appendTo(s.names, ent)
			if u := ev.under(x); u != x {
				if ur := t.rec(u); (ur.kind == kNamed || ur.kind == kAnon) && l.isInterface(ur.ent) {
					s.names = own.appendTo(s.names, ur.ent)
				}
			}
		}
		if ev.lang.Promote {
			l.foreignBases(ev, s, queue[i])
			queue, _ = ev.embedded(queue, nil, queue[i])
		}
	}
	slices.Sort(s.names)
	s.names = slices.Compact(s.names)
	slices.Sort(s.foreign)
	s.foreign = slices.Compact(s.foreign)
	return s
}

// foreignBases adds the embedded types of x that are not known to s.
func (l *linker) foreignBases(ev *evaluator, s *methodSet, x embed) {
	u := ev.under(x.t)
	r := ev.types.rec(u)
	if (r.kind != kNamed && r.kind != kAnon) || r.ent == noEnt {
		return
	}
	for _, b := range l.basesOf(r.ent) {
		b, ptr := l.types.deref(b)
		switch l.types.kind(b) {
		case kUnknown:
			s.unknown = true
		case kExtern:
			s.foreign = append(s.foreign, b)
			s.through = s.through || x.through || ptr
		}
	}
}

// implementations adds the implements edges of types that implement an
// interface by having its methods: type to interface, and method to method.
// Every interface is compared only with the types that have the rarest of its
// methods.
func (l *linker) implementations() {
	ev := l.newEvaluator(l.types)
	having := map[Sym][]Ent{}
	var types []Ent
	for e, s := range l.sets {
		if s != nil {
			types = append(types, Ent(e))
		}
	}
	for _, e := range types {
		if l.nodeOf[e] == graph.None || ev.interfaceLike(l.types.denoted(l.typ[e])) {
			continue
		}
		for _, m := range l.sets[e].names {
			having[m] = append(having[m], e)
		}
	}
	near := l.neighbours()
	undecidable, over := int32(0), int32(0)
	budget := pairBudget(len(types))
	outside := l.outside()
	var pairs []implemented
	for _, i := range types {
		if !ev.interfaceLike(l.types.denoted(l.typ[i])) || l.nodeOf[i] == graph.None && !outside[i] || !l.langOf(i).ImplicitInterfaces {
			continue
		}
		s := l.sets[i]
		if len(s.names) == 0 {
			continue
		}
		rarest := having[s.names[0]]
		for _, m := range s.names[1:] {
			if c := having[m]; len(c) < len(rarest) {
				rarest = c
			}
		}
		if len(rarest) > budget {
			over++
			continue
		}
		budget -= len(rarest)
		lang := l.langOf(i)
		for _, t := range rarest {
			if l.langOf(t) != lang || !near.meet(t, i) {
				continue
			}
			if s.unknown || !s.hasForeign(l.sets[t]) {
				undecidable++
				continue
			}
			pairs = append(pairs, implemented{t, i})
		}
	}
	found := make([][]implementation, (len(pairs)+methodPart-1)/methodPart)
	l.inParts(len(pairs), methodPart, func() func(lo, hi int) {
		ev := l.newEvaluator(newTypeTable(l.types))
		return func(lo, hi int) {
			for _, p := range pairs[lo:hi] {
				ev.lang = l.langOf(p.iface)
				if im, ok := ev.implementation(p); ok {
					found[lo/methodPart] = append(found[lo/methodPart], im)
				}
			}
		}
	})
	for _, part := range found {
		for i := range part {
			l.implement(&part[i])
		}
	}
	if undecidable > 0 {
		l.b.AddUnknown(graph.Unknown{Reason: graph.ReasonUndecidable, Count: undecidable,
			Detail: "interfaces that embed an interface of an external package"})
	}
	l.overPairs(over + near.over)
}

// pairBudget is how many pairs of an interface and a type are compared, for a
// number of types: far more than programs need, and far less than the product of
// both, which is the author's of a change to choose.
func pairBudget(types int) int { return 1<<20 + 100*types }

// overPairs reports the interfaces for which the budget had nothing left.
func (l *linker) overPairs(n int32) {
	if n > 0 {
		l.b.AddUnknown(graph.Unknown{Reason: graph.ReasonInferBudget, Count: n, Detail: "interfaces with too many types to compare"})
	}
}

// outside returns the interfaces of surfaces and universes whose methods are
// called from outside the tree.
func (l *linker) outside() map[Ent]bool {
	m := map[Ent]bool{}
	for _, s := range l.langs {
		for _, f := range l.units[s.universe].files {
			for i := range l.files[f].Facts.Decls {
				if e := l.files[f].base + Ent(i); l.isInterface(e) {
					m[e] = true
				}
			}
		}
		for _, name := range s.Outside {
			path, name, _ := strings.Cut(name, "#")
			u, ok := s.byPath[path]
			sym := l.lookupSym(name)
			if !ok || u < 0 || sym < 0 {
				continue
			}
			if e := l.pkgScope.get(u, sym); e >= 0 && l.isInterface(Ent(e)) {
				m[Ent(e)] = true
			}
		}
	}
	return m
}

// implemented is a type and an interface that it implements.
type implemented struct{ typ, iface Ent }

// fulfils reports whether a type's member is the method that an interface asks
// for.
func (ev *evaluator) fulfils(m, im member) bool {
	l := ev.l
	return l.decl(m.ent).Kind == graph.KindMethod && im.typ == m.typ && !ev.types.mentionsUnknown(im.typ) &&
		(l.decl(im.ent).Vis <= graph.Internal || l.unitOf(im.ent) == l.unitOf(m.ent))
}

// implementMethods adds the edges from methods to those of the interface that
// they implement; each pair is the interface's and the type's.
func (l *linker) implementMethods(pairs [][2]Ent, c graph.Certainty) {
	for _, p := range pairs {
		f, t := l.nodeOf[l.canon[p[1]]], l.nodeOf[l.canon[p[0]]]
		if f == graph.None {
			continue
		}
		if t == graph.None {
			t = l.externalEnt(p[0])
		}
		if t != graph.None && f != t {
			l.b.AddEdge(graph.RawEdge{From: f, To: t, Type: graph.None, Kind: graph.EdgeImplements, Certainty: c})
		}
	}
}

// externalBases returns the interfaces that an external one embeds, at any
// depth, and adds the embeds edges between them, so that methods can be
// followed to the interfaces that declare them. from is the node of e.
func (l *linker) externalBases(e Ent, from graph.ID) []graph.ID {
	var bases []graph.ID
	for _, b := range l.basesOf(e) {
		r := l.types.rec(b)
		if r.kind != kNamed || !l.isInterface(r.ent) {
			continue
		}
		if to := l.externalEnt(r.ent); to != graph.None {
			l.b.AddEdge(graph.RawEdge{From: from, To: to, Type: graph.None, Kind: graph.EdgeEmbeds})
			bases = append(append(bases, to), l.externalBases(r.ent, to)...)
		}
	}
	return bases
}

// externalEnt returns the external node of a declaration of a surface; None
// for what only the universe knows.
func (l *linker) externalEnt(e Ent) graph.ID {
	u := &l.units[l.unitOf(e)]
	top := e
	for c := l.container(e); c != noEnt; c = l.container(c) {
		top = c
	}
	if !u.surface || u.universe && l.decl(top).Vis != graph.Public && l.qualified(top) != u.rules.Basics.Error {
		return graph.None
	}
	return l.externalNode(u.rules.Name, u.Path, l.qualified(e))
}

// implementation is an implementation that was proven.
type implementation struct {
	implemented
	ptr       bool // only a pointer to the type implements the interface
	certainty graph.Certainty
	methods   [][2]Ent // the interface's, and the type's
}

// implementation proves that a type has all methods of an interface.
func (ev *evaluator) implementation(p implemented) (implementation, bool) {
	l := ev.l
	tt, it := ev.instance(p.typ), ev.instance(p.iface)
	names := l.sets[p.iface].names
	generic := l.decl(p.iface).TypeParams.Len()
	u := unifier{ev: ev, owner: p.iface, bound: make([]Type, generic)}
	out := implementation{implemented: p, certainty: graph.Exact}
	for i, name := range names {
		im, m := ev.member(it, name), ev.member(tt, name)
		if im.ent == noEnt || m.ent == noEnt {
			return out, false
		}
		if generic > 0 {
			u.unify(im.typ, m.typ, 0)
			im.typ = ev.types.subst(im.typ, p.iface, u.bound)
		}
		if !ev.fulfils(m, im) {
			return out, false
		}
		out.ptr = out.ptr || l.decl(m.ent).Flags.Has(graph.FlagPtrReceiver) && !m.through
		if i == 0 {
			out.methods = make([][2]Ent, 0, len(names))
		}
		out.methods = append(out.methods, [2]Ent{im.ent, m.ent})
	}
	if generic > 0 || l.decl(p.typ).TypeParams.Len() > 0 {
		out.certainty = graph.Inferred
	}
	return out, true
}

// implement adds the edges of an implementation.
func (l *linker) implement(im *implementation) {
	l.implements[im.implemented] = true
	from, to := l.nodeOf[im.typ], l.nodeOf[im.iface]
	if to == graph.None { // called from outside
		for _, p := range im.methods {
			if n := l.nodeOf[l.canon[p[1]]]; n != graph.None {
				l.b.AddFlags(n, graph.FlagCalledOutside)
			}
		}
		if to = l.externalEnt(im.iface); to == graph.None {
			return
		}
	}
	l.b.AddEdge(graph.RawEdge{From: from, To: to, Type: graph.None, Kind: graph.EdgeImplements, Certainty: im.certainty, Ptr: im.ptr})
	l.implementMethods(im.methods, im.certainty)
}
