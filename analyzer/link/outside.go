package link

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Values whose types external packages decide. Of what such a package computes
// nothing is known but this: a package that the unit imports, directly or not,
// cannot import the unit. So the type is none of the unit's, unless it was made
// of one that the unit handed over, as a type argument or as the type of an
// argument. Two things follow. Such a value that becomes an interface of the
// unit is converted to it, if no type was handed over. And a member that only
// the unit can name belongs to a type that was handed over.
//
// Of what an instance of a generic type holds or gives, one thing more is likely:
// it is one of the type arguments. If a local has such a value, several names are
// selected on it, and one of the arguments has them all, it is taken to be of
// that type, and what follows from it is inferred and not certain. One name alone
// says nothing: what is around an argument has a Value or a Key, too.
//
// A kOutside type lists the types of the tree that were handed over.

// maxHanded bounds the types that are listed.
const maxHanded = 8

// isOutside reports whether a package outside of the tree decides what type x
// is, or what a pointer of type x points to.
func (t *typeTable) isOutside(x Type) bool {
	x, _ = t.deref(x)
	return t.kind(x) == kOutside
}

// outside returns the type of what an external package makes of values and
// types; the unknown type if it is not known what that package is given.
func (ev *evaluator) outside(given ...Type) Type {
	if !ev.lang.ImplicitInterfaces {
		return unknownType
	}
	var handed []Type
	how := fromGeneric
	for _, x := range given {
		if !ev.handed(&handed, x) {
			return unknownType
		}
		if x, _ = ev.types.deref(x); ev.types.kind(x) != kExtern || len(ev.types.argsOf(x)) == 0 {
			how = fromAnything
		}
	}
	return ev.types.intern(kOutside, noEnt, how, handed)
}

// The n of a kOutside type: what the package makes it from.
const (
	fromAnything int32 = iota
	fromGeneric        // an instance of a generic type, of which it is a member or a member's result
)

// handed appends the types of the tree that x is made of to list, with a
// pointer to them where there is one. It reports whether it knows all of x.
func (ev *evaluator) handed(list *[]Type, x Type) bool {
	t := ev.types
	add := func(x Type) bool {
		if !slices.Contains(*list, x) {
			*list = append(*list, x)
		}
		return len(*list) <= maxHanded
	}
	switch r := *t.rec(x); r.kind {
	case kUnknown:
		return false
	case kOutside:
		for _, a := range t.argsOf(x) {
			if !add(a) {
				return false
			}
		}
		return true
	case kPtr:
		if p := t.rec(t.arg(x, 0)); p.kind == kNamed && !ev.l.units[ev.l.unitOf(p.ent)].surface {
			return add(x) && ev.allHanded(list, t.arg(x, 0))
		}
	case kNamed:
		if !ev.l.units[ev.l.unitOf(r.ent)].surface && !add(x) {
			return false
		}
	}
	return ev.allHanded(list, x)
}

func (ev *evaluator) allHanded(list *[]Type, x Type) bool {
	for _, a := range ev.types.argsOf(x) {
		if !ev.handed(list, a) {
			return false
		}
	}
	return true
}

// foreign returns the external types that x embeds, at any depth, with the
// unknown type for what could not be told.
func (ev *evaluator) foreign(x Type) []Type {
	list, ok := ev.foreigns[x]
	if ok {
		return list
	}
	t := ev.types
	queue := []embed{{t: x}}
	for i := 0; i < len(queue); i++ {
		if len(queue) > maxEmbedded {
			list = []Type{unknownType}
			break
		}
		u := ev.under(queue[i].t)
		if r := t.rec(u); (r.kind == kNamed || r.kind == kAnon) && r.ent != noEnt {
			for _, b := range ev.l.basesOf(ev.variant(r.ent)) {
				if b, _ = t.deref(t.subst(b, r.ent, t.argsOf(u))); t.kind(b) == kExtern || b == unknownType {
					list = append(list, b)
				}
			}
		}
		queue, _ = ev.embedded(queue, queue, queue[i])
	}
	ev.foreigns[x] = list
	return list
}

// outsideMember returns the member that name selects on a value of type x, if
// it is one that only the unit can name.
func (ev *evaluator) outsideMember(x Type, name Sym) member {
	found := member{ent: noEnt}
	for _, c := range ev.types.argsOf(x) {
		switch m := ev.member(c, name); {
		case m.ent == noEnt || !ev.unitOnly(m.ent):
		case found.ent != noEnt && found.ent != m.ent:
			return member{ent: noEnt}
		default:
			found = m
		}
	}
	return found
}

// unitOnly reports whether only the unit of the file can name e.
func (ev *evaluator) unitOnly(e Ent) bool {
	return ev.l.decl(e).Vis > graph.Internal && ev.l.unitOf(e) == ev.f.unit
}

// outsideLocal returns the type of a local whose value has type x: the one of
// those handed over that has all members which are selected on the local, if
// one of them is such that only the unit can name it, or if there are several
// and x is of a generic type; then it is a guess.
func (ev *evaluator) outsideLocal(id facts.LocalID, x Type) Type {
	names := ev.namesOn(id)
	found, guess := unknownType, unknownType
	only, several := true, true
	for _, c := range ev.types.argsOf(x) {
		own, all := false, true
		for _, name := range names {
			m := ev.member(c, name)
			all = all && m.ent != noEnt
			own = own || m.ent != noEnt && ev.unitOnly(m.ent)
		}
		if !all {
			continue
		}
		if guess == unknownType {
			guess = c
		} else if p, _ := ev.types.deref(guess); p != c { // a pointer comes before its type
			several = false
		}
		if own {
			only = found == unknownType
			found = c
		}
	}
	switch {
	case found != unknownType && only:
		return found
	case found == unknownType && guess != unknownType && several && ev.types.rec(x).n == fromGeneric &&
		slices.ContainsFunc(names, func(s Sym) bool { return s != names[0] }):
		if ev.guessed == nil {
			ev.guessed = map[facts.LocalID]bool{}
		}
		ev.guessed[id] = true
		return guess
	}
	return x
}

// namesOn returns the names that are selected on a local.
func (ev *evaluator) namesOn(id facts.LocalID) []Sym {
	if ev.selected == nil {
		ev.selected = map[facts.LocalID][]Sym{}
		exprs := ev.f.Facts.Exprs
		for i := range exprs {
			if s := &exprs[i]; s.Op == facts.OpSelect && s.X >= 0 {
				if o := &exprs[s.X]; o.Op == facts.OpName && o.Flags&facts.FlagLocal != 0 {
					l := facts.LocalID(o.X)
					ev.selected[l] = append(ev.selected[l], ev.f.syms[s.Name])
				}
			}
		}
	}
	return ev.selected[id]
}

// maxGuessed bounds the operands that are followed to a guess.
const maxGuessed = 64

// isGuess reports whether the type of an expression, or of what it is selected
// on, follows from a guess about a local.
func (ev *evaluator) isGuess(x *facts.Expr) bool {
	if len(ev.guessed) == 0 {
		return false
	}
	for range maxGuessed {
		e := facts.ExprID(x.X)
		switch {
		case x.Op == facts.OpFunc || x.Op == facts.OpType || x.Op == facts.OpName && x.Flags&facts.FlagLocal == 0:
			return false
		case x.Op == facts.OpName && ev.guessed[facts.LocalID(x.X)]:
			return true
		case x.Op == facts.OpName:
			e = ev.f.Facts.Locals[x.X].Value
		}
		if e < 0 {
			return false
		}
		x = &ev.f.Facts.Exprs[e]
	}
	return true
}

// becomesOwn reports whether a value of type x that is stored as interface to
// becomes another type by that.
func (ev *evaluator) becomesOwn(x, to Type) bool {
	x, _ = ev.types.deref(x)
	return len(ev.types.argsOf(x)) == 0 && ev.l.unitOf(ev.types.rec(to).ent) == ev.f.unit
}
