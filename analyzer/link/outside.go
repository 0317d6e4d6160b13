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
// it is one of the type arguments. If several names are selected on such values
// of one source, in the locals of a file or at once, and one of the arguments has
// them all, they are taken to be of that type, and what follows from it is inferred
// and not certain. One name alone says nothing: what is around an argument has a
// Value or a Key, too.
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
// those handed over that has all members which are selected on such values, if
// one of them is such that only the unit can name it, or if there are several
// and x is of a generic type; then it is a guess.
func (ev *evaluator) outsideLocal(id facts.LocalID, x Type) Type {
	ev.readSelected()
	found, guess := ev.handedWith(ev.selected[id], x)
	if guess || found == unknownType { // all that is selected on such values tells more
		if s := ev.sourceKnown(ev.f.Facts.Locals[id].Value, x); s != nil {
			found, guess = s.typ, s.guess
		}
	}
	if found == unknownType {
		return x
	}
	if guess {
		if ev.guessed == nil {
			ev.guessed = map[facts.LocalID]bool{}
		}
		ev.guessed[id] = true
	}
	return found
}

// outsideValue is outsideLocal for the value of an expression that no local holds.
func (ev *evaluator) outsideValue(e facts.ExprID, x Type) Type {
	ev.readSelected()
	s := ev.sourceKnown(e, x)
	if s == nil {
		return unknownType
	}
	if s.guess {
		if ev.guessedAt == nil {
			ev.guessedAt = map[facts.ExprID]bool{}
		}
		ev.guessedAt[e] = true
	}
	return s.typ
}

// handedWith returns the type of those handed over to make x that has all
// members with these names, and whether it is a guess; the unknown type if the
// names do not tell.
func (ev *evaluator) handedWith(names []Sym, x Type) (typ Type, guess bool) {
	found, likely := unknownType, unknownType
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
		if likely == unknownType {
			likely = c
		} else if p, _ := ev.types.deref(likely); p != c { // a pointer comes before its type
			several = false
		}
		if own {
			only = found == unknownType
			found = c
		}
	}
	switch {
	case found != unknownType && only:
		return found, false
	case found == unknownType && likely != unknownType && several && ev.types.rec(x).n == fromGeneric &&
		slices.ContainsFunc(names, func(s Sym) bool { return s != names[0] }):
		return likely, true
	}
	return unknownType, false
}

// source is where values come from: a member of a type, called or not, and which
// of several values it gives. All that have one source are of one type.
type source struct {
	of     Type
	name   Sym
	called bool
	n      int16
}

// sourced is what is known of the values of one source.
type sourced struct {
	x     Type  // what the external package makes
	names []Sym // what is selected on them in the file
	more  bool  // names that typ was not found by
	typ   Type  // see handedWith
	guess bool
}

// sourceKnown returns what is known of the source of an expression of type x.
func (ev *evaluator) sourceKnown(e facts.ExprID, x Type) *sourced {
	if len(ev.sourced) == 0 {
		return nil
	}
	s, ok := ev.sourceOf(e, x)
	if !ok {
		return nil
	}
	return ev.sourced[s]
}

// sourceOf returns the source of an expression of type x, if that is what an
// instance of a generic type holds or gives.
func (ev *evaluator) sourceOf(e facts.ExprID, x Type) (source, bool) {
	var s source
	if r := ev.types.rec(x); r.kind != kOutside || r.n != fromGeneric {
		return s, false
	}
	m, at := ev.giver(e)
	if m == nil {
		return s, false
	}
	of, _ := ev.types.deref(ev.typeOf(m.X))
	switch ev.types.kind(of) {
	case kUnknown, kOutside, kPkg, kMeta: // of a function of a package not even the arguments are the same
		return s, false
	}
	at.of = of
	return at, true
}

// giver returns the selection of the member that gives the value of an
// expression, nil if it is had otherwise, and how it does.
func (ev *evaluator) giver(e facts.ExprID) (*facts.Expr, source) {
	var s source
	exprs := ev.f.Facts.Exprs
	if e >= 0 && exprs[e].Op == facts.OpTuple {
		s.n, e = exprs[e].N, facts.ExprID(exprs[e].X)
	}
	if e >= 0 && exprs[e].Op == facts.OpCall {
		s.called, e = true, facts.ExprID(exprs[e].X)
	}
	if e < 0 || exprs[e].Op != facts.OpSelect || exprs[e].X < 0 {
		return nil, s
	}
	s.name = ev.f.syms[exprs[e].Name]
	return &exprs[e], s
}

// readSelected finds the names that are selected on the locals of the file, and on
// what has one source. Locals come first, and then what is selected at once, from
// the inside out: what has the type of one source may be what another is a member of.
func (ev *evaluator) readSelected() {
	if ev.selected != nil {
		return
	}
	ev.selected = map[facts.LocalID][]Sym{}
	exprs := ev.f.Facts.Exprs
	var held []selection
	var atOnce [][]selection // by how many members follow one another in the value
	depth := map[facts.ExprID]int{}
	for i := range exprs {
		s := &exprs[i]
		if s.Op != facts.OpSelect || s.X < 0 {
			continue
		}
		value, name := facts.ExprID(s.X), ev.f.syms[s.Name]
		o := &exprs[value]
		if o.Op != facts.OpName || o.Flags&facts.FlagLocal == 0 {
			if m, _ := ev.giver(value); m != nil {
				n := depth[facts.ExprID(m.X)]
				depth[value] = n + 1
				if n == len(atOnce) {
					atOnce = append(atOnce, nil)
				}
				atOnce[n] = append(atOnce[n], selection{value, name})
			}
			continue
		}
		l := facts.LocalID(o.X)
		ev.selected[l] = append(ev.selected[l], name)
		if lo := &ev.f.Facts.Locals[l]; lo.Type == facts.None {
			if m, _ := ev.giver(lo.Value); m != nil {
				held = append(held, selection{lo.Value, name})
			}
		}
	}
	sources := map[source]*sourced{}
	ev.readSources(sources, held)
	ev.sourced = sources
	for _, on := range atOnce {
		ev.readSources(sources, on)
	}
}

// selection is a name that is selected on the value of an expression.
type selection struct {
	value facts.ExprID
	name  Sym
}

// readSources adds selections to what is known of the sources of their values.
func (ev *evaluator) readSources(sources map[source]*sourced, on []selection) {
	var more []*sourced
	for _, s := range on {
		left := maxSettled
		if ev.depth+maxSettled >= maxEvalDepth || !ev.settled(s.value, &left) {
			continue
		}
		x := ev.typeOf(s.value)
		from, ok := ev.sourceOf(s.value, x)
		if !ok {
			continue
		}
		g := sources[from]
		if g == nil {
			g = &sourced{x: x}
			sources[from] = g
		}
		if g.names = append(g.names, s.name); !g.more {
			g.more = true
			more = append(more, g)
		}
	}
	for _, g := range more {
		g.typ, g.guess = ev.handedWith(g.names, g.x)
		g.more = false
	}
}

// maxSettled bounds the operands that settled looks at.
const maxSettled = 64

// settled reports whether the type of an expression is known or can be found
// without those that are being asked for.
func (ev *evaluator) settled(e facts.ExprID, left *int) bool {
	if e < 0 {
		return true
	}
	if ev.state[e] != evalNew {
		return ev.state[e] == evalDone
	}
	if *left--; *left < 0 {
		return false
	}
	x := &ev.f.Facts.Exprs[e]
	switch x.Op {
	case facts.OpFunc, facts.OpType:
		return true
	case facts.OpName:
		if x.Flags&facts.FlagLocal == 0 {
			return true
		}
		lo := &ev.f.Facts.Locals[x.X]
		switch {
		case ev.lstat[x.X] != evalNew:
			return ev.lstat[x.X] == evalDone
		case lo.Type != facts.None:
			return true
		}
		return ev.settled(lo.Value, left)
	}
	for _, a := range ev.f.Facts.List(x.Args) {
		if !ev.settled(facts.ExprID(a), left) {
			return false
		}
	}
	return ev.settled(facts.ExprID(x.X), left) && (x.Op.HasContext() || ev.settled(facts.ExprID(x.Y), left))
}

// maxGuessed bounds the operands that are followed to a guess.
const maxGuessed = 64

// isGuess reports whether the type of an expression, or of what it is selected
// on, follows from a guess about a local.
func (ev *evaluator) isGuess(x *facts.Expr) bool {
	if len(ev.guessed)+len(ev.guessedAt) == 0 {
		return false
	}
	for range maxGuessed {
		e := facts.ExprID(x.X)
		switch {
		case x.Op == facts.OpSelect && ev.guessedAt[e]:
			return true
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
