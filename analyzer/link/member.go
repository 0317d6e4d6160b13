package link

import (
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// member is what a selector finds.
type member struct {
	ent     Ent
	typ     Type // the member's type, seen from the type it was selected on
	through bool // it was reached through an embedded pointer
}

// maxPromotion bounds the depth of embedding that is searched, and
// maxEmbedded the types at one depth.
const (
	maxPromotion = 10
	maxEmbedded  = 256
)

// member returns the field or method that name selects on a value of type x:
// the one at the least depth of embedding, if there is only one.
func (ev *evaluator) member(x Type, name Sym) member {
	x, _ = ev.types.deref(x)
	switch ev.types.kind(x) {
	case kNamed, kAnon, kParam:
	default:
		return member{ent: noEnt}
	}
	if m, ok := ev.memo.get(int32(x), int32(name)); ok {
		return m
	}
	m := ev.findMember(x, name)
	ev.memo.set(int32(x), int32(name), m)
	return m
}

func (ev *evaluator) findMember(x Type, name Sym) member {
	t := ev.types
	none := member{ent: noEnt}
	if r := t.rec(x); r.kind == kParam {
		c := ev.l.constraint(r.ent, int(r.n))
		if m := ev.constraintMember(c, name, 0); m.ent != noEnt {
			return m
		}
		core := ev.under(x)
		if core == x || t.kind(core) == kParam {
			return none
		}
		return ev.member(core, name)
	}
	var buf [8]embed
	level := append(buf[:0], embed{t: x})
	var seen []embed
	hidden := false // by what an embedded type may have that is not known
	for depth := 0; len(level) > 0 && len(level) <= maxEmbedded && depth < maxPromotion; depth++ {
		found, count := none, 0
		for _, c := range level {
			if m := ev.ownMember(c.t, name); m.ent != noEnt {
				found = m
				found.through = c.through
				if count++; c.twice {
					count++
				}
			}
		}
		if count == 1 {
			return found
		}
		if count > 1 || hidden || !ev.lang.Promote {
			return none
		}
		seen = append(seen, level...)
		var next []embed
		for _, c := range level {
			if ev.interfaceLike(c.t) { // its methods are all its own
				continue
			}
			var foreign bool
			next, foreign = ev.embedded(next, seen, c)
			hidden = hidden || foreign
		}
		level = next
	}
	return none
}

// embed is an embedded type.
type embed struct {
	t       Type
	through bool // a pointer to it is embedded, or what embeds it is such a one
	twice   bool // several types of one depth embed it
}

// ownMember returns the member that the type itself declares; of an interface
// also one of those that it embeds, whose methods are its own.
func (ev *evaluator) ownMember(x Type, name Sym) member {
	m := ev.declaredMember(x, name)
	if m.ent == noEnt && ev.lang.Promote && ev.interfaceLike(x) {
		return ev.interfaceMember(x, name)
	}
	return m
}

// declaredMember returns the member that stands in the type's declaration, or
// in that of its structure.
func (ev *evaluator) declaredMember(x Type, name Sym) member {
	t := ev.types
	none := member{ent: noEnt}
	r := t.rec(x)
	switch r.kind {
	case kAnon:
		if r.ent == noEnt {
			return none
		}
		if m := ev.declared(r.ent, name); m != noEnt {
			return member{ent: m, typ: ev.l.typ[m]}
		}
	case kNamed:
		if m := ev.declared(r.ent, name); m != noEnt {
			return member{ent: m, typ: t.subst(ev.l.typ[m], r.ent, t.argsOf(x))}
		}
		u := ev.under(x)
		if u == x {
			return none
		}
		ur := t.rec(u)
		if (ur.kind != kNamed && ur.kind != kAnon) || ur.ent == noEnt {
			return none
		}
		if m := ev.declared(ur.ent, name); m != noEnt {
			// A type declared from another has its fields, not its methods;
			// an interface's methods are its structure.
			if ev.l.decl(m).Kind == graph.KindField || ev.l.isInterface(ur.ent) {
				return member{ent: m, typ: t.subst(ev.l.typ[m], ur.ent, t.argsOf(u))}
			}
		}
	}
	return none
}

// declared returns the member that stands in the declaration of a type, or noEnt.
func (ev *evaluator) declared(owner Ent, name Sym) Ent {
	if m := ev.l.members.get(int32(owner), name); m >= 0 {
		return ev.variant(Ent(m))
	}
	return noEnt
}

// interfaceMember returns the method that one of the interfaces embedded in x
// declares, the nearest first.
func (ev *evaluator) interfaceMember(x Type, name Sym) member {
	queue := []embed{{t: x}}
	for i := 0; i < len(queue) && i < maxEmbedded; i++ {
		if m := ev.declaredMember(queue[i].t, name); m.ent != noEnt {
			return m
		}
		queue, _ = ev.embedded(queue, nil, queue[i])
	}
	return member{ent: noEnt}
}

// embedded appends the types that x embeds to next, those not seen yet. It
// reports whether x embeds others, whose members are not known.
func (ev *evaluator) embedded(next, seen []embed, x embed) (_ []embed, foreign bool) {
	t := ev.types
	u := ev.under(x.t)
	r := t.rec(u)
	if (r.kind != kNamed && r.kind != kAnon) || r.ent == noEnt {
		return next, false
	}
	args := t.argsOf(u)
	for _, b := range ev.l.basesOf(ev.variant(r.ent)) {
		b, ptr := t.deref(t.subst(b, r.ent, args))
		switch t.kind(b) {
		case kNamed, kAnon, kParam:
		case kUnknown, kExtern:
			foreign = true
			continue
		default:
			continue
		}
		if index(seen, b) >= 0 {
			continue
		}
		if i := index(next, b); i >= 0 {
			next[i].twice = true
			continue
		}
		next = append(next, embed{b, x.through || ptr, x.twice})
	}
	return next, foreign
}

func index(es []embed, t Type) int {
	return slices.IndexFunc(es, func(e embed) bool { return e.t == t })
}

// constraintMember returns the method that name selects on a type parameter
// with the given constraint.
func (ev *evaluator) constraintMember(c Type, name Sym, depth int) member {
	t := ev.types
	if depth > 4 {
		return member{ent: noEnt}
	}
	switch t.kind(c) {
	case kNamed, kAnon:
		if r := t.rec(ev.under(c)); (r.kind == kNamed || r.kind == kAnon) && ev.l.isInterface(r.ent) {
			return ev.member(c, name)
		}
	}
	return member{ent: noEnt}
}

// constraint returns the constraint of a type parameter, or the unknown type.
func (l *linker) constraint(owner Ent, n int) Type {
	d := l.decl(owner)
	if int32(n) >= d.TypeParams.Hi-d.TypeParams.Lo {
		return unknownType
	}
	c, _ := l.constraints.get(int32(owner), int32(n))
	return c
}

// coreOf returns the one structure that all types of a constraint share, or
// the unknown type.
func (ev *evaluator) coreOf(c Type) Type {
	t := ev.types
	for range 8 {
		r := t.rec(c)
		switch r.kind {
		case kApprox:
			return ev.under(t.arg(c, 0))
		case kUnion:
			core := unknownType
			for i, a := range t.argsOf(c) {
				u := ev.coreOf(a)
				if i > 0 && u != core {
					if u = ev.commonChannel(core, u); u == unknownType {
						return unknownType
					}
				}
				core = u
			}
			return core
		case kNamed, kAnon:
			if !ev.l.isInterface(r.ent) {
				return ev.under(c)
			}
			bases := ev.l.basesOf(r.ent)
			if len(bases) != 1 {
				return unknownType
			}
			c = t.subst(bases[0], r.ent, t.argsOf(c))
		case kParam:
			return unknownType
		default:
			return c
		}
	}
	return unknownType
}

// commonChannel returns the type that stands for two channel types with one
// element type: the one with a direction. It is the unknown type for others.
func (ev *evaluator) commonChannel(a, b Type) Type {
	t := ev.types
	x, y := t.rec(a), t.rec(b)
	switch {
	case x.kind != kChan || y.kind != kChan || t.arg(a, 0) != t.arg(b, 0):
		return unknownType
	case x.n == 0:
		return b
	case y.n == 0:
		return a
	}
	return unknownType
}

// basesOf returns the types that a struct or interface embeds.
func (l *linker) basesOf(e Ent) []Type {
	s := l.bases[e]
	return l.baseTypes[s.Lo:s.Hi]
}

// interfaceType reports whether a type is an interface, named or not.
func (ev *evaluator) interfaceType(x Type) bool {
	u := ev.under(x)
	r := ev.types.rec(u)
	return r.kind == kAnon && (r.ent == noEnt && r.n == 0 || ev.l.isInterface(r.ent)) || r.kind == kNamed && ev.l.isInterface(r.ent)
}

// interfaceLike reports whether a named type is an interface, or declared to
// be like one.
func (ev *evaluator) interfaceLike(x Type) bool {
	if ev.l.isInterface(ev.types.rec(x).ent) {
		return true
	}
	u := ev.under(x)
	r := ev.types.rec(u)
	return u != x && (r.kind == kAnon && (r.ent == noEnt && r.n == 0 || ev.l.isInterface(r.ent)) || r.kind == kNamed && ev.l.isInterface(r.ent))
}

// accessor returns the function of a shape, none for the one that gives the value,
// that stands for the same property as e; e itself if there is none.
func (l *linker) accessor(e Ent, shape string) Ent {
	of, in := l.decl(e), l.container(e)
	if in == noEnt {
		return e
	}
	o := Ent(l.members.get(int32(l.canon[in]), l.symOf(e, of.Name)))
	for n := 0; o != noEnt && n < maxCandidates; o, n = l.nextMember[o], n+1 {
		d := l.decl(o)
		if d.Kind.IsCallable() && l.str(o, d.Shape) == shape && d.Flags.Has(graph.FlagStatic) == of.Flags.Has(graph.FlagStatic) {
			return o
		}
	}
	return e
}
