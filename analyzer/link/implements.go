package link

import (
	"cmp"
	"maps"
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

// provenImplementations adds the implementations that could not be decided
// from method sets, because one side embeds an external type, but that code
// relies on: it stores a value of the type as the interface, and compiles. The
// type has the methods of that interface then, and so implements the others that
// ask for no more. What it has of an external type, others that embed the same
// have, too.
func (l *linker) provenImplementations(readers []*bodyReader) {
	var pairs []implemented
	asPointer := map[implemented]bool{}
	for _, r := range readers {
		for p, ptr := range r.stored {
			was, seen := asPointer[p]
			if !seen {
				pairs = append(pairs, p)
			}
			asPointer[p] = ptr && (was || !seen)
		}
	}
	slices.SortFunc(pairs, func(x, y implemented) int { return cmp.Or(cmp.Compare(x.typ, y.typ), cmp.Compare(x.iface, y.iface)) })
	ev := l.newEvaluator(l.types)
	known, foreign := provenMethods[Ent]{}, provenMethods[Type]{}
	outside := externalKnowledge{l: l, ev: ev, of: map[Type]*providers{}}
	for _, r := range readers {
		for _, s := range slices.SortedFunc(maps.Keys(r.storedExterns), func(x, y storedExtern) int { return cmp.Or(cmp.Compare(x.typ, y.typ), cmp.Compare(x.ext, y.ext)) }) {
			outside.add(s.typ, s.ext, r.storedExterns[s])
		}
	}
	for _, p := range pairs {
		from := l.nodeOf[p.typ]
		ev.lang = l.langOf(p.typ)
		if !l.refuted(ev, p) && l.sets[p.iface] != nil && l.decl(p.iface).TypeParams.Len() == 0 {
			for _, f := range l.sets[p.iface].foreign {
				outside.add(p.typ, f, asPointer[p])
			}
		}
		if l.implements[p] || from == graph.None || !ev.lang.ImplicitInterfaces || l.refuted(ev, p) {
			continue
		}
		ev.lang = l.langOf(p.typ)
		l.learn(ev, p, asPointer[p], known, foreign)
		to, certainty := l.nodeOf[p.iface], graph.Inferred
		if to == graph.None {
			if to, certainty = l.externalEnt(p.iface), graph.Exact; to == graph.None {
				continue
			}
			for _, b := range l.externalBases(p.iface, to) { // what it embeds is implemented, too
				l.b.AddEdge(graph.RawEdge{From: from, To: b, Type: graph.None, Kind: graph.EdgeImplements, Certainty: certainty, Ptr: asPointer[p]})
			}
		}
		l.implements[p] = true
		l.b.AddEdge(graph.RawEdge{From: from, To: to, Type: graph.None, Kind: graph.EdgeImplements, Certainty: certainty, Ptr: asPointer[p]})
		var pairs [][2]Ent
		for _, name := range l.sets[p.iface].names {
			im, m := ev.member(ev.instance(p.iface), name), ev.member(ev.instance(p.typ), name)
			if im.ent != noEnt && m.ent != noEnt && l.decl(m.ent).Kind == graph.KindMethod {
				pairs = append(pairs, [2]Ent{im.ent, m.ent})
			}
		}
		l.implementMethods(pairs, certainty)
	}
	l.inherit(ev, known, foreign)
	l.impliedImplementations(ev, known)
	outside.implement()
}

// provenMethods are the methods that types must have from what they embed,
// because values are stored as interfaces that ask for them, by type and name.
type provenMethods[T comparable] map[T]map[Sym]provenMethod

func (k provenMethods[T]) add(t T, name Sym, typ Type, ptr bool) {
	if k[t] == nil {
		k[t] = map[Sym]provenMethod{}
	}
	was, seen := k[t][name]
	k[t][name] = provenMethod{typ, ptr && (was.ptr || !seen)}
}

type provenMethod struct {
	typ Type
	ptr bool // proven of the pointer type only
}

// learn adds what is known of a type because it is stored as an interface, and
// of the external type that it embeds if there is only one.
func (l *linker) learn(ev *evaluator, p implemented, ptr bool, known provenMethods[Ent], foreign provenMethods[Type]) {
	s := l.sets[p.typ]
	if s == nil || len(s.foreign) == 0 && !s.unknown || l.decl(p.typ).TypeParams.Len() > 0 || l.decl(p.iface).TypeParams.Len() > 0 {
		return
	}
	for _, name := range l.sets[p.iface].names {
		im := ev.member(ev.instance(p.iface), name)
		if im.ent == noEnt || l.decl(im.ent).Vis != graph.Public || l.types.mentionsUnknown(im.typ) ||
			ev.member(ev.instance(p.typ), name).ent != noEnt {
			continue
		}
		known.add(p.typ, name, im.typ, ptr)
		if len(s.foreign) == 1 && !s.unknown && !s.has(name) {
			foreign.add(s.foreign[0], name, im.typ, ptr || s.through)
		}
	}
}

// inherit adds what types have of the one external type that they embed.
func (l *linker) inherit(ev *evaluator, known provenMethods[Ent], foreign provenMethods[Type]) {
	if len(foreign) == 0 {
		return
	}
	for e := range l.entFile {
		e := Ent(e)
		s := l.sets[e]
		if s == nil || len(s.foreign) != 1 || s.unknown || l.nodeOf[e] == graph.None || l.decl(e).TypeParams.Len() > 0 ||
			ev.interfaceLike(l.types.denoted(l.typ[e])) {
			continue
		}
		ev.lang = l.langOf(e)
		for name, m := range foreign[s.foreign[0]] {
			if _, proven := known[e][name]; !proven && !s.has(name) && ev.member(ev.instance(e), name).ent == noEnt {
				known.add(e, name, m.typ, m.ptr && !s.through)
			}
		}
	}
}

// impliedImplementations adds the implementations that follow from the methods
// that types must have. A type is compared with the interfaces that ask for one
// of these methods.
func (l *linker) impliedImplementations(ev *evaluator, known provenMethods[Ent]) {
	if len(known) == 0 {
		return
	}
	asking := map[Sym][]Ent{}
	for _, ms := range known {
		for name := range ms {
			asking[name] = nil
		}
	}
	for e := range l.entFile {
		e := Ent(e)
		s := l.sets[e]
		if s == nil || s.unknown || l.nodeOf[e] == graph.None || l.decl(e).TypeParams.Len() > 0 || !ev.interfaceLike(l.types.denoted(l.typ[e])) {
			continue
		}
		for _, name := range s.names {
			if _, ok := asking[name]; ok {
				asking[name] = append(asking[name], e)
			}
		}
	}
	near := l.neighbours()
	budget, over := pairBudget(len(known)), int32(0)
	defer func() { l.overPairs(over + near.over) }()
	for _, t := range slices.Sorted(maps.Keys(known)) {
		ev.lang = l.langOf(t)
		for _, name := range slices.Sorted(maps.Keys(known[t])) {
			if len(asking[name]) > budget {
				over++
				continue
			}
			budget -= len(asking[name])
			for _, i := range asking[name] {
				if p := (implemented{t, i}); !l.implements[p] && l.langOf(i) == ev.lang && l.sets[i].hasForeign(l.sets[t]) && near.meet(t, i) {
					l.impliedImplementation(ev, p, known[t])
				}
			}
		}
	}
}

// impliedImplementation adds the edges of one implementation if all methods of
// the interface are the type's own or known of it.
func (l *linker) impliedImplementation(ev *evaluator, p implemented, known map[Sym]provenMethod) {
	it, tt := ev.instance(p.iface), ev.instance(p.typ)
	var pairs [][2]Ent
	ptr := false
	for _, name := range l.sets[p.iface].names {
		im, m := ev.member(it, name), ev.member(tt, name)
		k, proven := known[name]
		switch {
		case im.ent == noEnt || l.types.mentionsUnknown(im.typ):
			return
		case m.ent == noEnt && proven && k.typ == im.typ && l.decl(im.ent).Vis == graph.Public:
			ptr = ptr || k.ptr
		case m.ent != noEnt && ev.fulfils(m, im):
			ptr = ptr || l.decl(m.ent).Flags.Has(graph.FlagPtrReceiver) && !m.through
			pairs = append(pairs, [2]Ent{im.ent, m.ent})
		default:
			return
		}
	}
	l.implements[p] = true
	l.b.AddEdge(graph.RawEdge{From: l.nodeOf[p.typ], To: l.nodeOf[p.iface], Type: graph.None, Kind: graph.EdgeImplements, Certainty: graph.Inferred, Ptr: ptr})
	l.implementMethods(pairs, graph.Inferred)
}

// fulfils reports whether a type's member is the method that an interface asks
// for.
func (ev *evaluator) fulfils(m, im member) bool {
	l := ev.l
	return l.decl(m.ent).Kind == graph.KindMethod && im.typ == m.typ && !ev.types.mentionsUnknown(im.typ) &&
		(l.decl(im.ent).Vis <= graph.Internal || l.unitOf(im.ent) == l.unitOf(m.ent))
}

// refuted reports whether a type cannot implement an interface, whatever is not
// known of both: it lacks one of the known methods and has all of its own from
// the tree, or has it with another signature. Such code does not compile. The
// signatures of generic types depend on what they are used for.
func (l *linker) refuted(ev *evaluator, p implemented) bool {
	asked, has := l.sets[p.iface], l.sets[p.typ]
	if asked == nil || has == nil {
		return false
	}
	generic := l.decl(p.iface).TypeParams.Len()+l.decl(p.typ).TypeParams.Len() > 0
	open := has.unknown || len(has.foreign) > 0
	for _, name := range asked.names {
		im, m := ev.member(ev.instance(p.iface), name), ev.member(ev.instance(p.typ), name)
		switch {
		case im.ent == noEnt:
		case m.ent == noEnt:
			if !open {
				return true
			}
		case generic:
		case im.typ != m.typ && !l.types.mentionsUnknown(im.typ) && !l.types.mentionsUnknown(m.typ) &&
			l.decl(m.ent).Kind == graph.KindMethod && !open:
			return true
		}
	}
	return false
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

// neighbours tells which declarations some code can see together. Whatever is
// public can be; what a test file declares is seen by the tests of its own
// package only, and these see what they import.
type neighbours struct {
	l       *linker
	imports [][]int32          // by unit: the units of the tree that its files without tests import
	tests   map[int32][]int32  // by unit: the units that are about it
	reach   map[int32][]uint64 // by unit: the set of units that it and its tests import, directly or not
	steps   int                // imports that may still be followed
	kept    int                // words that may still be kept in reach
	over    int32              // questions without an answer, because there are no steps left
}

// Bounds of what is followed and kept. A repository in which each of 5000
// packages imports ten others, and each has tests that ask, needs half of them.
const (
	maxReachSteps = 500_000_000
	maxReachWords = 8 << 20
)

func (l *linker) neighbours() *neighbours {
	return &neighbours{l: l, reach: map[int32][]uint64{}, steps: maxReachSteps, kept: maxReachWords}
}

func (n *neighbours) meet(a, b Ent) bool {
	l := n.l
	ua, ub := l.home(l.unitOf(a)), l.home(l.unitOf(b))
	if ua == ub {
		return true
	}
	ta, tb := l.files[l.entFile[a]].place.Test, l.files[l.entFile[b]].place.Test
	switch {
	case ta && tb:
		return false
	case ta:
		return n.reached(ua, ub)
	case tb:
		return n.reached(ub, ua)
	}
	return true
}

// home returns the unit that a unit of tests is about, or the unit itself.
func (l *linker) home(u int32) int32 {
	if p := l.units[u].Peer; p >= 0 {
		return l.units[u].rules.firstUnit + int32(p)
	}
	return u
}

// reached reports whether u or its tests import to.
func (n *neighbours) reached(u, to int32) bool {
	r := n.reach[u]
	if r == nil {
		if r = n.follow(u); r == nil {
			n.over++
			return false
		}
	}
	return r[to>>6]>>(to&63)&1 != 0
}

// follow returns nil if it would take too many steps.
func (n *neighbours) follow(u int32) []uint64 {
	l := n.l
	if n.imports == nil {
		n.imports, n.tests = make([][]int32, len(l.units)), map[int32][]int32{}
		for i := range l.units {
			if h := l.home(int32(i)); h != int32(i) {
				n.tests[h] = append(n.tests[h], int32(i))
			}
			if !l.units[i].surface {
				n.imports[i] = n.importsOf(int32(i), false)
			}
		}
	}
	r := make([]uint64, (len(l.units)+63)>>6)
	var queue []int32
	add := func(list []int32) {
		n.steps -= len(list)
		for _, to := range list {
			if r[to>>6]>>(to&63)&1 == 0 {
				r[to>>6] |= 1 << (to & 63)
				queue = append(queue, to)
			}
		}
	}
	add([]int32{u})
	add(n.importsOf(u, true))
	for _, t := range n.tests[u] {
		add(n.importsOf(t, true))
	}
	for len(queue) > 0 && n.steps > 0 {
		from := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		add(n.imports[from])
	}
	if n.steps <= 0 {
		return nil
	}
	if n.kept -= len(r); n.kept > 0 {
		n.reach[u] = r
	}
	return r
}

// importsOf returns the units of the tree that a unit imports, with what only
// its tests import if that is wanted.
func (n *neighbours) importsOf(u int32, tests bool) []int32 {
	l := n.l
	var list []int32
	for _, f := range l.units[u].files {
		if l.files[f].place.Test && !tests {
			continue
		}
		for i := range l.files[f].Facts.Imports {
			if to := l.resolveImport(u, l.files[f].Facts.Str(l.files[f].Facts.Imports[i].Path)); to >= 0 && !l.units[to].surface {
				list = append(list, to)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
