package link

import (
	"slices"
)

// The order in which a class's members are searched: the C3 linearisation of
// its bases.

// above returns the classes behind the class itself.
func (m *mroOf) above() []Type { return m.types[min(1, len(m.types)):] }

// maxLinear bounds the classes above one class.
const maxLinear = 1 << 9

// linearise computes the order of all classes.
func (l *linker) linearise(ev *evaluator, files []int32) {
	s := l.slots
	clear(s.mro)
	for _, fn := range files {
		f := &l.files[fn]
		for i := range f.Facts.Decls {
			if f.Facts.Decls[i].Kind.IsType() {
				l.linear(ev, f.base+Ent(i), 0)
			}
		}
	}
	ev.dyn.hits.clear()
}

// linear returns the order of class e. Bases are done first; a class that is
// above itself counts as not known there.
func (l *linker) linear(ev *evaluator, e Ent, depth int) *mroOf {
	s := l.slots
	if m := s.mro[e]; m != nil {
		return m
	}
	m := &mroOf{}
	s.mro[e] = m
	m.open = true // while it is being done
	t := l.types
	lang := l.langOf(e)
	var bases []Type
	var generic []Type
	addParams := func(x Type) {
		for _, p := range t.paramsIn(x, nil) {
			if !slices.Contains(m.params, p) {
				m.params = append(m.params, p)
			}
		}
	}
	for i := range l.decl(e).TypeParams.Len() {
		m.params = append(m.params, t.mk(kParam, e, int32(i)))
	}
	for _, b := range l.basesOf(e) {
		if t.kind(b) == kTuple {
			generic = append(generic, t.argsOf(b)...)
			continue
		}
		bases = append(bases, b)
	}
	for _, g := range generic {
		addParams(g)
	}
	for _, b := range bases {
		addParams(b)
	}
	var self Type
	if len(m.params) > 0 {
		self = t.intern(kNamed, e, 0, m.params)
	} else {
		self = t.mk(kNamed, e, 0)
	}
	if len(bases) == 0 && lang.dyn != nil && lang.dyn.object != noEnt && lang.dyn.object != e {
		bases = append(bases, t.mk(kNamed, lang.dyn.object, 0))
	}
	// The lists to merge hold types; unknownType stands for what is not known.
	var lists [][]Type
	open := false
	for _, b := range bases {
		if k := t.kind(b); k == kTuple || k != kNamed || depth > 200 {
			lists = append(lists, []Type{unknownType})
			open = true
			continue
		}
		be := t.rec(b).ent
		bm := l.linear(ev, be, depth+1)
		if len(bm.types) == 0 { // it is above itself
			lists = append(lists, []Type{unknownType})
			open = true
			continue
		}
		list := make([]Type, 0, len(bm.types)+1)
		for i, x := range bm.types {
			if bm.foreign[i] && (i == 0 || !bm.foreign[i-1]) {
				list = append(list, unknownType)
			}
			list = append(list, l.seenFrom(x, be, bm, b))
		}
		open = open || bm.open
		lists = append(lists, list)
	}
	var heads []Type
	for _, b := range bases {
		if t.kind(b) == kNamed {
			heads = append(heads, b)
		} else {
			heads = append(heads, unknownType)
		}
	}
	lists = append(lists, heads)
	order := l.mergeC3(lists)
	foreign := self == unknownType
	m.types, m.foreign, m.open = make([]Type, 0, len(order)+1), make([]bool, 0, len(order)+1), open
	if !foreign {
		m.types, m.foreign = append(m.types, self), append(m.foreign, false)
	}
	for _, x := range order {
		if x == unknownType {
			foreign = true
			continue
		}
		m.types, m.foreign = append(m.types, x), append(m.foreign, foreign)
	}
	return m
}

// seenFrom puts the arguments of base b, an instance of class e, into one of
// the classes above e.
func (l *linker) seenFrom(x Type, e Ent, m *mroOf, b Type) Type {
	if len(m.params) == 0 || !l.types.rec(x).params {
		return x
	}
	return l.types.replace(x, m.params, l.types.argsOf(b), unknownType)
}

// distinct reports whether types are of distinct classes that are known.
func (l *linker) distinct(list []Type) bool {
	for i, x := range list {
		if x == unknownType || slices.ContainsFunc(list[:i], func(y Type) bool { return l.types.rec(x).ent == l.types.rec(y).ent }) {
			return false
		}
	}
	return true
}

// mergeC3 is the merge of C3. Where the bases contradict each other, the first
// head goes on.
func (l *linker) mergeC3(lists [][]Type) []Type {
	t := l.types
	ent := func(x Type) Ent {
		if x == unknownType {
			return noEnt
		}
		return t.rec(x).ent
	}
	if len(lists) == 2 && len(lists[0]) <= 16 && len(lists[1]) == 1 && ent(lists[0][0]) == ent(lists[1][0]) && l.distinct(lists[0]) {
		return lists[0] // most have one base
	}
	// How often a class stands behind a head.
	tails := map[Ent]int{}
	at := make([]int, len(lists))
	for _, list := range lists {
		for _, x := range list[min(1, len(list)):] {
			tails[ent(x)]++
		}
	}
	var out []Type
	for len(out) < maxLinear {
		pick, rest := Type(-1), false
		var fallback Type = -1
		for i, list := range lists {
			if at[i] >= len(list) {
				continue
			}
			rest = true
			x := list[at[i]]
			if fallback < 0 {
				fallback = x
			}
			if x == unknownType || tails[ent(x)] == 0 {
				pick = x
				break
			}
		}
		if !rest {
			break
		}
		if pick < 0 {
			pick = fallback
		}
		out = append(out, pick)
		for i, list := range lists {
			if at[i] < len(list) && ent(list[at[i]]) == ent(pick) {
				at[i]++
				if at[i] < len(list) {
					tails[ent(list[at[i]])]--
				}
				if pick == unknownType {
					break
				}
			}
		}
	}
	// What the fallback took stands further behind, too.
	seen := map[Ent]bool{}
	uniq := out[:0]
	for _, x := range out {
		if x != unknownType {
			if seen[ent(x)] {
				continue
			}
			seen[ent(x)] = true
		}
		uniq = append(uniq, x)
	}
	return uniq
}

// paramsIn appends the type parameters that x mentions.
func (t *typeTable) paramsIn(x Type, to []Type) []Type {
	if !t.rec(x).params {
		return to
	}
	if t.kind(x) == kParam {
		if !slices.Contains(to, x) {
			to = append(to, x)
		}
		return to
	}
	for _, a := range t.argsOf(x) {
		to = t.paramsIn(a, to)
	}
	return to
}

// replace puts args for params into x, unknown for those without an argument,
// and self for the object that a method is called on, unless that is unknown.
func (t *typeTable) replace(x Type, params, args []Type, self Type) Type {
	r := *t.rec(x)
	if !r.params {
		return x
	}
	switch r.kind {
	case kParam:
		for i, p := range params {
			if p == x {
				if i < len(args) {
					return args[i]
				}
				return unknownType
			}
		}
		return x
	case kSelf:
		if self != unknownType {
			return self
		}
		return x
	}
	var small [8]Type
	fresh := append(small[:0], t.argsOf(x)...)
	changed := false
	for i, a := range fresh {
		if b := t.replace(a, params, args, self); b != a {
			fresh[i], changed = b, true
		}
	}
	if !changed {
		return x
	}
	if r.kind == kUnion && r.n == unionOfValues {
		return t.union(fresh)
	}
	if r.kind == kMeta && fresh[0] == unknownType {
		return unknownType
	}
	return t.intern(r.kind, r.ent, r.n, fresh)
}

// mro returns the order of the class of x, with x's own arguments for its
// parameters to be put in by the caller.
func (ev *evaluator) mroFor(e Ent) *mroOf {
	if m := ev.l.slots.mro[e]; m != nil {
		return m
	}
	return &mroOf{open: true}
}

// classOf returns the class of an object of type x and the type arguments that
// it has.
func (ev *evaluator) classOf(x Type) (Ent, []Type) {
	t := ev.types
	r := t.rec(x)
	switch r.kind {
	case kNamed:
		return r.ent, t.argsOf(x)
	case kSelf:
		if m := ev.mroFor(r.ent); len(m.params) > 0 {
			return r.ent, m.params
		}
		return r.ent, nil
	}
	return noEnt, nil
}

// asClass returns x seen as the class e above it, unknown if e is not above it.
func (ev *evaluator) asClass(x Type, e Ent) Type {
	if e == noEnt {
		return unknownType
	}
	t := ev.types
	x = ev.objectType(x)
	c, args := ev.classOf(x)
	if c == noEnt {
		return unknownType
	}
	m := ev.mroFor(c)
	for _, y := range m.types {
		if t.rec(y).ent == e {
			return t.replace(y, m.params, args, x)
		}
	}
	return unknownType
}

// objectType returns the class type that values of other kinds are of.
func (ev *evaluator) objectType(x Type) Type {
	t := ev.types
	switch t.kind(x) {
	case kTuple:
		if ev.lang.dyn.tuple != noEnt {
			return t.mk(kNamed, ev.lang.dyn.tuple, 0, t.union(t.argsOf(x)))
		}
	case kParam:
		r := t.rec(x)
		d := ev.l.decl(r.ent)
		if d.Kind.IsType() || d.Kind.IsCallable() {
			return ev.l.constraint(r.ent, int(r.n))
		}
		c, _ := ev.l.constraints.get(int32(r.ent), 0)
		return c
	}
	return x
}
