package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Members of structural types.

// property is what a name selects on a value.
type property struct {
	ent    Ent
	typ    Type
	others []Ent // what it selects on other members of a union, in the order of declarations
	found  bool
}

func (p property) ok() bool { return p.found }

var noProperty = property{ent: noEnt}

// maxMemberDepth bounds the steps from a type to those that it is made of.
const maxMemberDepth = 24

// property returns what a name selects on a value of type x.
func (ev *evaluator) property(x Type, name Sym) property {
	if ev.lacks(x, name) {
		return noProperty
	}
	m := &ev.modules
	k := uint64(x)<<32 | uint64(name) | 1<<63
	if p := recall(m, &m.known.members, &m.own.members, k); p != nil {
		return *p
	}
	g := m.read.begin()
	p := ev.findProperty(x, name, 0)
	m.own.members.put(k, p, m.read.end(g))
	return p
}

// lacks reports whether x is a literal that plainly has no member of a name: most
// that are asked for are members of an interface that need not be there.
func (ev *evaluator) lacks(x Type, name Sym) bool {
	r := ev.types.rec(x)
	if r.kind != kAnon || r.ent == noEnt {
		return false
	}
	l := ev.l
	c := l.canon[r.ent]
	if d := l.decl(c); d.Kind != graph.KindStruct || d.Bases.Len()+d.Implements.Len() > 0 {
		return false
	}
	return Ent(l.members.get(int32(c), name)) == noEnt && len(l.mods.mergedWith(c)) == 0
}

func (ev *evaluator) findProperty(x Type, name Sym, depth int) property {
	t, l, m := ev.types, ev.l, ev.lang.mod
	if depth > maxMemberDepth {
		return noProperty
	}
	r := *t.rec(x)
	switch r.kind {
	case kNamed:
		if ev.isEmpty(x) {
			return noProperty
		}
		if b, ok := ev.box(x); ok {
			return ev.findProperty(t.mk(kNamed, b, 0), name, depth+1)
		}
		if l.decl(r.ent).Kind == graph.KindEnum {
			return ev.enumProperty(x, name, depth)
		}
		return ev.declaredProperty(x, r.ent, name, false, depth)
	case kAnon:
		if r.ent == noEnt {
			return noProperty
		}
		return ev.declaredProperty(x, r.ent, name, false, depth)
	case kMeta:
		return ev.staticProperty(x, name, depth)
	case kFunc:
		if r.ent != noEnt {
			if p := ev.ownProperty(x, r.ent, name, true); p.found {
				return p
			}
			if ns := l.mods.companionOf(l.canon[r.ent]); ns != noEnt {
				if n := ev.inNamespace(t.mk(kPkg, ns, -2), name, spaceValue, 0); n.ok {
					return property{ent: n.ent, typ: n.typ, found: true}
				}
			}
		}
		if m.function != noEnt {
			return ev.findProperty(t.mk(kNamed, m.function, 0), name, depth+1)
		}
	case kUnion:
		return ev.unionProperty(x, name, depth)
	case kBoth:
		for _, a := range t.argsOf(x) {
			if p := ev.findProperty(a, name, depth+1); p.found {
				return p
			}
		}
	case kParam:
		if c := ev.constraint(r.ent, int(r.n)); c != unknownType && c != x {
			return ev.findProperty(c, name, depth+1)
		}
	case kTuple:
		if m.array != noEnt {
			return ev.findProperty(t.mk(kNamed, m.array, 0, t.union(t.argsOf(x))), name, depth+1)
		}
	case kMap:
		if v := t.arg(x, 1); v != unknownType {
			return property{ent: noEnt, typ: v, found: true}
		}
	case kLit, kGuard:
		if r.kind == kGuard {
			return ev.findProperty(ev.lang.tBool, name, depth+1)
		}
		return ev.findProperty(t.arg(x, 0), name, depth+1)
	case kPkg:
		if n := ev.inNamespace(x, name, spaceValue, 0); n.ok {
			return property{ent: n.ent, typ: n.typ, found: true}
		}
	}
	return noProperty
}

func (ev *evaluator) enumProperty(x Type, name Sym, depth int) property {
	for _, b := range [...]Type{ev.lang.tInt, ev.lang.tString} { // of numbers or of strings
		if p := ev.findProperty(b, name, depth+1); p.found {
			return p
		}
	}
	return noProperty
}

// ownProperty returns the member that a type's own declarations list.
func (ev *evaluator) ownProperty(x Type, owner Ent, name Sym, static bool) property {
	l := ev.l
	c := l.canon[owner]
	p := ev.memberIn(c, x, owner, name, static)
	if !p.found && l.mods.joined {
		for _, o := range l.mods.mergedWith(c) {
			if l.canon[o] != c {
				if p := ev.memberIn(o, x, owner, name, static); p.found {
					return p
				}
			}
		}
	}
	return p
}

// memberIn returns the member that one declaration of a type lists.
func (ev *evaluator) memberIn(in Ent, x Type, owner Ent, name Sym, static bool) property {
	l := ev.l
	for e := Ent(l.members.get(int32(in), name)); e != noEnt; e = l.nextMember[e] {
		d := l.decl(e)
		if d.Flags.Has(graph.FlagStatic) != static || d.Kind == graph.KindConstructor || d.Kind.IsType() {
			continue
		}
		typ := ev.surface(e)
		if args := ev.types.argsOf(x); len(args) > 0 {
			typ = ev.substAll(typ, owner, args)
		}
		if d.Traits&facts.TraitAccessor != 0 {
			typ = ev.accessorType(e, typ)
		}
		return property{ent: e, typ: typ, found: true}
	}
	return noProperty
}

// accessorType returns the type of what an accessor gives or takes.
func (ev *evaluator) accessorType(e Ent, typ Type) Type {
	t := ev.types
	if t.kind(typ) != kFunc {
		return typ
	}
	if n := t.rec(typ).funcParams(); n > 0 {
		return t.arg(typ, 0)
	}
	return ev.resultOf(typ)
}

// substAll puts type arguments into a member's type. The declarations that are
// joined to a type have type parameters of their own.
func (ev *evaluator) substAll(typ Type, owner Ent, args []Type) Type {
	l, t := ev.l, ev.types
	if !t.rec(typ).params {
		return typ
	}
	c := l.canon[owner]
	typ = t.subst(typ, c, args)
	for _, o := range l.mods.mergedWith(c) {
		typ = t.subst(typ, o, args)
	}
	return typ
}

// declaredProperty returns the member of a class, interface or literal, its
// own or that of a base.
func (ev *evaluator) declaredProperty(x Type, owner Ent, name Sym, static bool, depth int) property {
	if p := ev.ownProperty(x, owner, name, static); p.found {
		return p
	}
	t := ev.types
	if depth > maxMemberDepth {
		return noProperty
	}
	for _, b := range ev.basesOfType(x, owner) {
		if static {
			if r := t.rec(b); r.kind == kNamed {
				if p := ev.declaredProperty(b, r.ent, name, true, depth+1); p.found {
					return p
				}
			}
			continue
		}
		if p := ev.findProperty(b, name, depth+1); p.found {
			return p
		}
	}
	if !static && ev.l.decl(owner).Kind != graph.KindStruct {
		if p := ev.ownProperty(x, owner, ev.lang.mod.index, false); p.found && ev.l.symString(name) != "()" && ev.l.symString(name) != "new()" && name != ev.lang.mod.iterate {
			return property{ent: noEnt, typ: p.typ, found: true}
		}
	}
	return noProperty
}

// basesOfType returns the types that x extends and implements, those that it
// gets members from.
func (ev *evaluator) basesOfType(x Type, owner Ent) []Type {
	l, t := ev.l, ev.types
	c := l.canon[owner]
	var out []Type
	add := func(e Ent) {
		ev.modules.read.entity(e)
		for _, b := range l.basesOf(e) {
			if args := t.argsOf(x); len(args) > 0 {
				b = ev.substAll(b, owner, args)
			}
			if b != unknownType && b != x {
				out = append(out, b)
			}
		}
	}
	add(c)
	for _, o := range l.mods.mergedWith(c) {
		add(o)
	}
	return out
}

// staticProperty returns what a name selects on a class, enum or other type as
// a value.
func (ev *evaluator) staticProperty(x Type, name Sym, depth int) property {
	t, l, m := ev.types, ev.l, ev.lang.mod
	in := t.arg(x, 0)
	r := *t.rec(in)
	switch r.kind {
	case kNamed, kAnon:
		if r.ent == noEnt {
			return noProperty
		}
		if name == m.prototype {
			return property{ent: noEnt, typ: in, found: true}
		}
		if p := ev.declaredProperty(in, r.ent, name, true, depth); p.found {
			return p
		}
		c := l.canon[r.ent]
		for _, e := range append([]Ent{c, r.ent}, l.mods.mergedWith(c)...) {
			if ns := l.mods.companionOf(e); ns != noEnt {
				if n := ev.inNamespace(t.mk(kPkg, ns, -2), name, spaceValue, 0); n.ok {
					return property{ent: n.ent, typ: n.typ, found: true}
				}
			}
		}
		if m.function != noEnt && l.decl(r.ent).Kind == graph.KindClass {
			return ev.findProperty(t.mk(kNamed, m.function, 0), name, depth+1)
		}
	}
	return noProperty
}

// unionProperty returns what a name selects on one of several types. Null and
// undefined have no members, and what has the member not is left out: what the
// program knows of its value is not known here.
func (ev *evaluator) unionProperty(x Type, name Sym, depth int) property {
	t := ev.types
	out := noProperty
	var ents []Ent
	for _, a := range t.members(x) {
		p := ev.findProperty(a, name, depth+1)
		if !p.found {
			continue
		}
		out.found = true
		out.typ = t.join(out.typ, p.typ)
		if p.ent != noEnt {
			ents = appendEnt(ents, p.ent)
		}
		for _, o := range p.others {
			ents = appendEnt(ents, o)
		}
	}
	if len(ents) > 0 {
		out.ent, out.others = ents[0], ents[1:]
	}
	return out
}

// appendEnt adds e to a sorted list of distinct entities.
func appendEnt(list []Ent, e Ent) []Ent {
	i := 0
	for i < len(list) && list[i] < e {
		i++
	}
	if i < len(list) && list[i] == e {
		return list
	}
	list = append(list, 0)
	copy(list[i+1:], list[i:])
	list[i] = e
	return list
}

// asBase returns x seen as the type that e declares, if that is x or above it.
func (ev *evaluator) asBase(x Type, e Ent, depth int) Type {
	t := ev.types
	if e == noEnt || depth > maxMemberDepth {
		return unknownType
	}
	r := *t.rec(x)
	switch r.kind {
	case kNamed, kAnon:
		if r.ent == noEnt {
			return unknownType
		}
		if ev.l.canon[r.ent] == ev.l.canon[e] {
			return x
		}
		if b, ok := ev.box(x); ok {
			return ev.asBase(t.mk(kNamed, b, 0), e, depth+1)
		}
		for _, b := range ev.basesOfType(x, r.ent) {
			if as := ev.asBase(b, e, depth+1); as != unknownType {
				return as
			}
		}
	case kTuple:
		if m := ev.lang.mod; m.array != noEnt {
			return ev.asBase(t.mk(kNamed, m.array, 0, t.union(t.argsOf(x))), e, depth+1)
		}
	case kBoth, kUnion:
		for _, a := range t.argsOf(x) {
			if as := ev.asBase(a, e, depth+1); as != unknownType {
				return as
			}
		}
	case kParam:
		if c := ev.constraint(r.ent, int(r.n)); c != unknownType && c != x {
			return ev.asBase(c, e, depth+1)
		}
	case kLit:
		return ev.asBase(t.arg(x, 0), e, depth+1)
	}
	return unknownType
}

// awaited returns what awaiting a value of type x gives.
func (ev *evaluator) awaited(x Type) Type {
	m, t := ev.lang.mod, ev.types
	return t.mapUnion(x, func(x Type) Type {
		for range 4 {
			as := ev.asBase(x, m.promise, 0)
			if as == unknownType {
				as = ev.asBase(x, m.awaitable, 0)
			}
			if as == unknownType {
				return x
			}
			x = t.arg(as, 0)
		}
		return x
	})
}

// iterated returns what a loop over a value of type x goes through.
func (ev *evaluator) iterated(x Type, async bool) Type {
	m, t := ev.lang.mod, ev.types
	return t.mapUnion(x, func(x Type) Type {
		switch t.kind(x) {
		case kTuple:
			return t.union(t.argsOf(x))
		case kMap:
			return unknownType
		}
		if as := ev.asBase(x, m.array, 0); as != unknownType {
			return t.arg(as, 0)
		}
		if async {
			if p := ev.property(x, m.asyncOf); p.found {
				return t.arg(ev.resultOf(p.typ), 0)
			}
		}
		if p := ev.property(x, m.iterate); p.found && t.kind(p.typ) == kFunc {
			v := t.arg(ev.resultOf(p.typ), 0)
			if async {
				v = ev.awaited(v)
			}
			return v
		}
		return unknownType
	})
}

// elementAt returns the type of x[i]; n is 1 + a constant index, or 0.
func (ev *evaluator) elementAt(x Type, n int) Type {
	m, t := ev.lang.mod, ev.types
	return t.mapUnion(x, func(x Type) Type {
		switch t.kind(x) {
		case kTuple:
			if n > 0 {
				return t.arg(x, n-1)
			}
			return t.union(t.argsOf(x))
		case kMap:
			return t.arg(x, 1)
		case kParam:
			r := t.rec(x)
			if c := ev.constraint(r.ent, int(r.n)); c != unknownType && c != x {
				return ev.elementAt(c, n)
			}
			return unknownType
		case kNamed, kAnon:
			r := *t.rec(x)
			if r.ent == noEnt {
				return unknownType
			}
			for _, l := range [...]Ent{m.array, m.list} {
				if as := ev.asBase(x, l, 0); as != unknownType {
					return t.arg(as, 0)
				}
			}
			if p := ev.declaredIndex(x, r.ent, 0); p != unknownType {
				return p
			}
		case kBoth:
			for _, a := range t.argsOf(x) {
				if v := ev.elementAt(a, n); v != unknownType {
					return v
				}
			}
		}
		return unknownType
	})
}

// declaredIndex returns the type of what a type holds under keys that have no
// names.
func (ev *evaluator) declaredIndex(x Type, owner Ent, depth int) Type {
	if depth > maxMemberDepth {
		return unknownType
	}
	if p := ev.ownProperty(x, owner, ev.lang.mod.index, false); p.found {
		return p.typ
	}
	for _, b := range ev.basesOfType(x, owner) {
		if r := *ev.types.rec(b); (r.kind == kNamed || r.kind == kAnon) && r.ent != noEnt {
			if v := ev.declaredIndex(b, r.ent, depth+1); v != unknownType {
				return v
			}
		}
	}
	return unknownType
}

// widened returns the type of variables that get values of type x.
func (ev *evaluator) widened(x Type) Type {
	switch ev.types.kind(x) {
	case kLit:
		return ev.types.arg(x, 0)
	case kGuard:
		return ev.lang.tBool
	}
	return x
}

// hasSignature reports whether values of a type can be called as far as its
// declaration says.
func (ev *evaluator) callable(x Type) (Type, Ent) {
	t, m := ev.types, ev.lang.mod
	switch r := *t.rec(x); r.kind {
	case kFunc:
		return x, r.ent
	case kNamed, kAnon:
		if r.ent == noEnt || ev.isEmpty(x) {
			break
		}
		if p := ev.findProperty(x, m.call, 0); p.found && t.kind(p.typ) == kFunc {
			return p.typ, p.ent
		}
	case kUnion, kBoth:
		for _, a := range ev.ordered(t.argsOf(x)) {
			if f, e := ev.callable(a); f != unknownType {
				return f, e
			}
		}
	case kParam:
		if c := ev.constraint(r.ent, int(r.n)); c != unknownType && c != x {
			return ev.callable(c)
		}
	}
	return unknownType, noEnt
}

// ordered returns types in an order that does not depend on when they were met:
// that of their declarations, those without one behind.
func (ev *evaluator) ordered(list []Type) []Type {
	out := append([]Type(nil), list...)
	key := func(x Type) (Ent, int) {
		r := ev.types.rec(x)
		if r.ent == noEnt || r.kind == kPkg || r.kind == kExtern {
			return 1 << 30, int(r.kind)
		}
		return r.ent, int(r.kind)
	}
	for i := 1; i < len(out); i++ { // few
		for j := i; j > 0; j-- {
			a, ak := key(out[j-1])
			b, bk := key(out[j])
			if a < b || a == b && ak <= bk {
				break
			}
			out[j-1], out[j] = out[j], out[j-1]
		}
	}
	return out
}
