package link

import (
	"cmp"
	"slices"
	"strings"
)

// Union types of values: what languages without declared types have where
// several values meet. (The kUnion types with n = unionOfTypes are those that a
// program spells out as constraints, in its own order.)
//
// A union is interned, so its members are sorted, distinct, no unions
// themselves and never unknown: what is not known adds nothing. Joining is
// therefore commutative, associative and monotone, with the unknown type as the
// least and the wide type as the greatest element, and the order in which values
// are found does not matter.

const (
	unionOfTypes  int32 = iota // a constraint: the members as written
	unionOfValues              // one of the members
	unionWide                  // anything: there are too many to tell; no members
)

// maxUnion bounds the members of a union. A value that may be of more types
// says nothing about what is done with it.
const maxUnion = 12

// wide returns the type of values of which there are too many kinds.
func (t *typeTable) wide() Type { return t.mk(kUnion, noEnt, unionWide) }

// members returns the types that a value of type x may have: those of a union,
// x itself, none if that is unknown or wide.
func (t *typeTable) members(x Type) []Type {
	if x == unknownType {
		return nil
	}
	if r := t.rec(x); r.kind == kUnion && r.n != unionOfTypes {
		return t.argsOf(x)
	}
	return []Type{x}
}

// isWide reports whether x is the wide type.
func (t *typeTable) isWide(x Type) bool {
	r := t.rec(x)
	return r.kind == kUnion && r.n == unionWide
}

// isUnion reports whether x is a union of values.
func (t *typeTable) isUnion(x Type) bool {
	r := t.rec(x)
	return r.kind == kUnion && r.n == unionOfValues
}

// join returns the type of what is of type a or of type b.
func (t *typeTable) join(a, b Type) Type {
	switch {
	case a == b || b == unknownType:
		return a
	case a == unknownType:
		return b
	}
	return t.union([]Type{a, b})
}

// union returns the type of what is of one of the given types, in any order. It
// keeps no part of list. O(n log n).
func (t *typeTable) union(list []Type) Type {
	var buf [2 * maxUnion]Type
	all := buf[:0]
	for _, x := range list {
		if t.isWide(x) {
			return x
		}
		if t.isUnion(x) {
			all = append(all, t.argsOf(x)...)
		} else if x != unknownType {
			all = append(all, x)
		}
	}
	t.sort(all)
	all = slices.Compact(all)
	if t.withoutKeys(all) {
		t.sort(all)
		all = slices.Compact(all)
	}
	switch {
	case len(all) == 0:
		return unknownType
	case len(all) == 1:
		return all[0]
	case len(all) > maxUnion:
		return t.wide()
	}
	return t.intern(kUnion, noEnt, unionOfValues, all)
}

// sort puts types in an order that does not depend on the order in which a
// worker met them, as their numbers do: who takes the first member of a union that
// will do must take the same one in every run. Types of phase one, which one goroutine
// meets, come first, by number, then others by what they are made of.
func (t *typeTable) sort(list []Type) {
	slices.SortFunc(list, t.compare)
}

// compare orders types. Equal parts are equal numbers, so it looks at no more than
// differs; nesting is bounded.
func (t *typeTable) compare(a, b Type) int {
	if a == b || t.base == nil || a < t.off || b < t.off {
		return cmp.Compare(a, b)
	}
	x, y := t.rec(a), t.rec(b)
	if c := cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(x.ent, y.ent), cmp.Compare(x.n, y.n)); c != 0 {
		return c
	}
	return slices.CompareFunc(t.argsOf(a), t.argsOf(b), t.compare)
}

// without returns x without the member m, for example the type of null.
func (t *typeTable) without(x, m Type) Type {
	if x == m {
		return unknownType
	}
	if !t.isUnion(x) || m == unknownType {
		return x
	}
	var buf [maxUnion]Type
	rest := buf[:0]
	for _, a := range t.argsOf(x) {
		if a != m {
			rest = append(rest, a)
		}
	}
	return t.union(rest)
}

// mapUnion returns the union of what f gives for each member of x.
func (t *typeTable) mapUnion(x Type, f func(Type) Type) Type {
	if !t.isUnion(x) {
		if x == unknownType || t.isWide(x) {
			return x
		}
		return f(x)
	}
	out := unknownType
	for _, a := range slices.Clone(t.argsOf(x)) {
		out = t.join(out, f(a))
	}
	return out
}

// writeUnion writes a union of values. The members are numbered in the order in
// which a run met them, so they are sorted as texts.
func (l *namer) writeUnion(b *strings.Builder, args []Type) {
	if len(args) == 0 {
		b.WriteByte('?')
		return
	}
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = l.typeString(a)
	}
	slices.Sort(names)
	b.WriteString(strings.Join(names, " | "))
}
