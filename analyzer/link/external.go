package link

import (
	"maps"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// Implementations of interfaces that embed external ones, of which no
// declaration is known. A type of the tree that is stored as such an interface
// implements it, or the program would not compile. So it implements the external
// interfaces as well, and these ask for no more than the methods that all such
// types share: whoever has them, too, implements them.

// providers are what is known of an external interface.
type providers struct {
	types  map[Ent]bool // those that implement it; whether only as pointers
	shared map[Sym]Type // the methods that they share; nil as long as no type has methods that are all known
}

// externalKnowledge collects what the program relies on of external interfaces.
type externalKnowledge struct {
	l  *linker
	ev *evaluator
	of map[Type]*providers
}

// storedExtern is a type that is stored as an external one, which is an
// interface therefore.
type storedExtern struct {
	typ Ent
	ext Type
}

func (k *externalKnowledge) add(typ Ent, ext Type, ptr bool) {
	l := k.l
	s := l.sets[typ]
	if s == nil || l.decl(typ).TypeParams.Len() > 0 || l.types.mentionsUnknown(ext) {
		return
	}
	p := k.of[ext]
	if p == nil {
		p = &providers{types: map[Ent]bool{}}
		k.of[ext] = p
	}
	was, seen := p.types[typ]
	p.types[typ] = ptr && (was || !seen)
	if seen || s.unknown || len(s.foreign) > 0 {
		return
	}
	k.ev.lang = l.langOf(typ)
	own := map[Sym]Type{}
	for _, name := range s.names {
		if m := k.ev.member(k.ev.instance(typ), name); m.ent != noEnt && l.decl(m.ent).Vis == graph.Public {
			if t, ok := p.shared[name]; p.shared == nil || ok && t == m.typ {
				own[name] = m.typ
			}
		}
	}
	p.shared = own
}

// provides reports whether a type has what an external interface asks for, and
// whether perhaps only a pointer to it has.
func (k *externalKnowledge) provides(typ Ent, ext Type) (yes, ptr bool) {
	if slices.Contains(k.l.sets[typ].foreign, ext) {
		return true, false
	}
	p := k.of[ext]
	if p == nil {
		return false, false
	}
	if ptr, ok := p.types[typ]; ok {
		return true, ptr
	}
	for name, t := range p.shared {
		m := k.ev.member(k.ev.instance(typ), name)
		if m.ent == noEnt || m.typ != t || k.l.types.mentionsUnknown(t) || k.l.decl(m.ent).Kind != graph.KindMethod {
			return false, false
		}
		ptr = ptr || k.l.decl(m.ent).Flags.Has(graph.FlagPtrReceiver) && !m.through
	}
	return len(p.shared) > 0, ptr
}

// implement adds the implementations that follow.
func (k *externalKnowledge) implement() {
	if len(k.of) == 0 {
		return
	}
	l := k.l
	var asked []Ent
	having := map[Sym][]Ent{}
	for e := range l.entFile {
		e := Ent(e)
		s := l.sets[e]
		if s == nil || s.unknown || len(s.foreign) == 0 || l.nodeOf[e] == graph.None || l.decl(e).TypeParams.Len() > 0 || !k.ev.interfaceLike(l.types.denoted(l.typ[e])) ||
			slices.ContainsFunc(s.foreign, func(t Type) bool { return k.of[t] == nil }) {
			continue
		}
		asked = append(asked, e)
		for _, name := range k.wanted(s) {
			having[name] = nil
		}
	}
	for e := range l.entFile {
		e := Ent(e)
		s := l.sets[e]
		if s == nil || l.nodeOf[e] == graph.None || l.decl(e).TypeParams.Len() > 0 || k.ev.interfaceLike(l.types.denoted(l.typ[e])) {
			continue
		}
		for _, name := range s.names {
			if _, ok := having[name]; ok {
				having[name] = append(having[name], e)
			}
		}
	}
	near := l.neighbours()
	budget, over := pairBudget(len(asked)), int32(0)
	for _, i := range asked {
		var rarest []Ent
		for n, name := range k.wanted(l.sets[i]) {
			if c := having[name]; n == 0 || len(c) < len(rarest) {
				rarest = c
			}
		}
		if len(rarest) > budget {
			over++
			continue
		}
		budget -= len(rarest)
		for _, t := range rarest {
			if p := (implemented{t, i}); !l.implements[p] && l.langOf(t) == l.langOf(i) && near.meet(t, i) {
				k.implementation(p)
			}
		}
	}
	l.overPairs(over + near.over)
}

// wanted returns names of methods that whoever is found to implement an
// interface has.
func (k *externalKnowledge) wanted(s *methodSet) []Sym {
	if len(s.names) > 0 {
		return s.names
	}
	return slices.Sorted(maps.Keys(k.of[s.foreign[0]].shared))
}

func (k *externalKnowledge) implementation(p implemented) {
	l := k.l
	k.ev.lang = l.langOf(p.typ)
	ptr := false
	for _, f := range l.sets[p.iface].foreign {
		ok, asPointer := k.provides(p.typ, f)
		if !ok {
			return
		}
		ptr = ptr || asPointer
	}
	var pairs [][2]Ent
	for _, name := range l.sets[p.iface].names {
		im, m := k.ev.member(k.ev.instance(p.iface), name), k.ev.member(k.ev.instance(p.typ), name)
		if im.ent == noEnt || m.ent == noEnt || !k.ev.fulfils(m, im) {
			return
		}
		ptr = ptr || l.decl(m.ent).Flags.Has(graph.FlagPtrReceiver) && !m.through
		pairs = append(pairs, [2]Ent{im.ent, m.ent})
	}
	l.implements[p] = true
	l.b.AddEdge(graph.RawEdge{From: l.nodeOf[p.typ], To: l.nodeOf[p.iface], Type: graph.None, Kind: graph.EdgeImplements, Certainty: graph.Inferred, Ptr: ptr})
	l.implementMethods(pairs, graph.Inferred)
}
