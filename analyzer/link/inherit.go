package link

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Inheritance in languages with classes: the types above a type, as it sees
// them, and the members it has from them.

// superList is what stands directly above a type.
type superList struct {
	types   []Type
	foreign bool // a base could not be told, or is of a package that is not known
}

// supers returns the types directly above x: its bases, with its type arguments
// put in, and what it extends without saying so.
func (ev *evaluator) supers(x Type) *superList {
	if int(x) < len(ev.classes.supers) {
		if s := ev.classes.supers[x]; s != nil {
			return s
		}
	}
	t, c := ev.types, ev.lang.cls
	s := &superList{}
	r := *t.rec(x)
	switch r.kind {
	case kNamed, kAnon:
		if r.ent == noEnt || c == nil {
			break
		}
		d := ev.l.decl(r.ent)
		class := false
		for _, b := range ev.l.basesOf(r.ent) {
			b = t.subst(b, r.ent, t.argsOf(x))
			switch t.kind(b) {
			case kNamed:
				if e := t.rec(b).ent; ev.l.decl(e).Kind != graph.KindInterface && ev.l.decl(e).Kind != graph.KindAnnotation {
					class = true
				}
			case kAnon, kParam:
			default:
				s.foreign = true
				class = class || d.Kind == graph.KindClass && len(s.types) == 0
				continue
			}
			s.types = append(s.types, b)
		}
		if root, ok := c.roots[d.Kind]; !class && ok && root != noEnt && root != r.ent {
			rt := t.mk(kNamed, root, 0)
			if ev.l.decl(root).TypeParams.Len() == 1 {
				rt = t.mk(kNamed, root, 0, x)
			}
			if d.Kind == graph.KindInterface {
				s.types = append(s.types, rt)
			} else {
				s.types = append([]Type{rt}, s.types...)
			}
		}
	case kParam:
		if b := ev.l.constraint(r.ent, int(r.n)); b != unknownType {
			bounds := []Type{b}
			if t.kind(b) == kUnion {
				bounds = t.argsOf(b)
			}
			for _, b := range bounds {
				if k := t.kind(b); k == kExtern || k == kUnknown {
					s.foreign = true
				} else if b != x {
					s.types = append(s.types, b)
				}
			}
		} else if d := ev.l.decl(r.ent); int(r.n) < d.TypeParams.Len() {
			f := &ev.l.files[ev.l.entFile[r.ent]]
			if f.Facts.Params[int(d.TypeParams.Lo)+int(r.n)].Type == facts.None {
				if c != nil && c.root != unknownType {
					s.types = append(s.types, c.root)
				}
			} else {
				s.foreign = true
			}
		}
	case kSlice:
		if c != nil {
			if c.array != noEnt {
				s.types = append(s.types, t.mk(kNamed, c.array, 0))
			}
			for _, e := range c.arrays {
				s.types = append(s.types, t.mk(kNamed, e, 0))
			}
		}
	}
	if n := len(ev.classes.supers); int(x) >= n {
		ev.classes.supers = append(ev.classes.supers, make([]*superList, max(int(x)+1, int(t.off)+len(t.recs))-n)...)
	}
	ev.classes.supers[x] = s
	return s
}

// eachSuper calls f for x and the types above it, bases before their bases'
// siblings, each once, until f returns false. It reports whether one of them
// is not known.
func (ev *evaluator) eachSuper(x Type, f func(Type) bool) (foreign bool) {
	t := ev.types
	switch t.kind(x) {
	case kNamed, kAnon, kParam, kSlice:
	case kUnion:
		return ev.eachCommon(x, f)
	default:
		return true
	}
	var buf [16]Type
	stack := append(buf[:0], x)
	var seenBuf [16]Ent
	seen := seenBuf[:0]
	for n := 0; len(stack) > 0 && n < maxSupers; n++ {
		y := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if r := t.rec(y); r.kind == kNamed || r.kind == kAnon {
			if slices.Contains(seen, r.ent) {
				continue
			}
			seen = append(seen, r.ent)
		}
		if !f(y) {
			return foreign
		}
		s := ev.supers(y)
		foreign = foreign || s.foreign
		for i := len(s.types) - 1; i >= 0; i-- {
			stack = append(stack, s.types[i])
		}
	}
	return foreign
}

// eachCommon calls f for the types above all those that a clause catches, until it
// returns false, and reports whether bases of some are not known.
func (ev *evaluator) eachCommon(x Type, f func(Type) bool) (foreign bool) {
	args := ev.types.argsOf(x)
	if len(args) == 0 {
		return true
	}
	for _, a := range args[1:] {
		foreign = ev.eachSuper(a, func(Type) bool { return true }) || foreign
	}
	return ev.eachSuper(args[0], func(y Type) bool {
		r := ev.types.rec(y)
		if r.kind != kNamed {
			return true
		}
		library := ev.l.units[ev.l.unitOf(r.ent)].surface
		for _, a := range args[1:] {
			if as, foreign := ev.asSuper(a, r.ent); as == unknownType && !(foreign && library) {
				return true
			}
		}
		return f(y)
	}) || foreign
}

// asSuper returns x seen as the type that e declares, if that is x or above it.
func (ev *evaluator) asSuper(x Type, e Ent) (as Type, foreign bool) {
	foreign = ev.eachSuper(x, func(y Type) bool {
		if r := ev.types.rec(y); (r.kind == kNamed || r.kind == kAnon) && r.ent == e {
			as = y
			return false
		}
		return true
	})
	return as, foreign
}

// eachMember calls f for the members of one name that a type itself declares.
func (ev *evaluator) eachMember(owner Ent, name Sym, f func(Ent)) {
	for e := Ent(ev.l.members.get(int32(owner), name)); e != noEnt; e = ev.l.nextMember[e] {
		f(e)
	}
}

func isValue(k graph.Kind) bool {
	return k == graph.KindField || k == graph.KindEnumMember || k == graph.KindConstant || k == graph.KindVariable
}

// field returns the field that a name selects on a value or type x: the nearest
// above it.
func (ev *evaluator) field(x Type, name Sym) member {
	if !ev.l.hasMember(name, namedValue) {
		return member{ent: noEnt}
	}
	if m, ok := ev.classes.fields.get(int32(x), int32(name)); ok {
		return m
	}
	m := member{ent: noEnt}
	t := ev.types
	ev.eachSuper(x, func(y Type) bool {
		r := *t.rec(y)
		if r.kind != kNamed && r.kind != kAnon {
			return true
		}
		ev.eachMember(r.ent, name, func(e Ent) {
			if m.ent == noEnt && isValue(ev.l.decl(e).Kind) {
				m = member{ent: e, typ: t.subst(ev.l.typ[e], r.ent, t.argsOf(y))}
			}
		})
		return m.ent == noEnt
	})
	ev.classes.fields.set(int32(x), int32(name), m)
	return m
}

// memberType returns the type that is a member of x under a name, or noEnt.
func (ev *evaluator) memberType(x Type, name Sym) Ent {
	found := noEnt
	if !ev.l.hasMember(name, namedType) {
		return found
	}
	ev.eachSuper(x, func(y Type) bool {
		if r := ev.types.rec(y); r.kind == kNamed || r.kind == kAnon {
			ev.eachMember(r.ent, name, func(e Ent) {
				if found == noEnt && ev.l.decl(e).Kind.IsType() {
					found = e
				}
			})
		}
		return found == noEnt
	})
	return found
}

// sees reports whether code of the file may use a member, as far as private
// members and those of other packages go.
func (ev *evaluator) sees(e Ent) bool {
	switch ev.l.decl(e).Vis {
	case graph.Private:
		return ev.l.entFile[e] == ev.fn
	case graph.Package:
		u, v := &ev.l.units[ev.l.unitOf(e)], &ev.l.units[ev.f.unit]
		return u.Path == v.Path || u.universe
	}
	return true
}

// superOf returns the type that x extends.
func (ev *evaluator) superOf(x Type) Type {
	s := ev.supers(x)
	if len(s.types) == 0 || s.foreign && ev.isInterfaceType(s.types[0]) {
		return unknownType
	}
	if s.foreign { // the base class is the one that is not known
		if r := ev.types.rec(x); r.ent != noEnt {
			if bs := ev.l.basesOf(r.ent); len(bs) > 0 && bs[0] != s.types[0] {
				if k := ev.types.kind(bs[0]); k != kNamed && ev.l.decl(r.ent).Kind == graph.KindClass {
					return bs[0]
				}
			}
		}
	}
	return s.types[0]
}

func (ev *evaluator) isInterfaceType(x Type) bool {
	r := ev.types.rec(x)
	return r.kind == kNamed && (ev.l.isInterface(r.ent) || ev.l.decl(r.ent).Kind == graph.KindAnnotation)
}

// elementType returns the type of the elements that a loop over x goes through.
func (ev *evaluator) elementType(x Type) Type {
	if ev.types.kind(x) == kSlice {
		return ev.types.arg(x, 0)
	}
	if c := ev.lang.cls; c.iterable != noEnt {
		as, _ := ev.asSuper(x, c.iterable)
		return ev.types.arg(as, 0)
	}
	return unknownType
}

// shared returns the class above two types that is nearest to the first.
func (ev *evaluator) shared(a, b Type) Type {
	found := unknownType
	ev.eachSuper(a, func(y Type) bool {
		r := ev.types.rec(y)
		if r.kind == kNamed && r.ent != ev.lang.cls.rootEnt && !ev.isInterfaceType(y) {
			if as, _ := ev.asSuper(b, r.ent); as != unknownType {
				found = y
			}
		}
		return found == unknownType
	})
	return found
}
