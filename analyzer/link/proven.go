package link

import (
	"cmp"
	"maps"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

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
