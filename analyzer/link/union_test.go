package link

import (
	"slices"
	"testing"
)

func TestUnion(t *testing.T) {
	tt := newTypeTable(nil)
	var n [maxUnion + 1]Type
	for i := range n {
		n[i] = tt.mk(kNamed, Ent(i), 0)
	}
	a, b, c := n[0], n[1], n[2]
	ab := tt.join(a, b)
	for _, x := range []struct {
		name      string
		got, want Type
	}{
		{"order", tt.join(b, a), ab},
		{"twice", tt.join(ab, a), ab},
		{"flat", tt.join(tt.join(a, c), b), tt.union([]Type{c, b, a})},
		{"nothing", tt.join(unknownType, ab), ab},
		{"one", tt.union([]Type{a, a, unknownType}), a},
		{"none", tt.union(nil), unknownType},
		{"without", tt.without(ab, a), b},
		{"without itself", tt.without(a, a), unknownType},
		{"too many", tt.union(n[:]), tt.wide()},
		{"more than too many", tt.join(tt.wide(), a), tt.wide()},
		{"mapped", tt.mapUnion(ab, func(Type) Type { return c }), c},
	} {
		if x.got != x.want {
			t.Errorf("%s: %d, want %d", x.name, x.got, x.want)
		}
	}
	if m := tt.members(ab); len(m) != 2 || len(tt.members(tt.wide())) != 0 || len(tt.members(unknownType)) != 0 || len(tt.members(a)) != 1 {
		t.Error("members")
	}
	// The most members that there may be stay.
	if u := tt.union(n[:maxUnion]); len(tt.members(u)) != maxUnion {
		t.Error("a union of the greatest size is not kept")
	}
}

// TestUnionOrder has two workers meet the same types in opposite orders: the
// members of their unions must have one order.
func TestUnionOrder(t *testing.T) {
	base := newTypeTable(nil)
	known := base.mk(kNamed, 7, 0)
	met := func(tt *typeTable, i int) Type {
		elem := tt.mk(kNamed, Ent(20+i%3), 0, known)
		if i < 3 {
			return elem
		}
		return tt.mk(kSlice, noEnt, 0, elem)
	}
	said := func(order []int) (parts []typeRec) {
		tt := newTypeTable(base)
		u := known
		for _, i := range order {
			u = tt.join(met(tt, i), u)
		}
		var walk func(Type)
		walk = func(x Type) {
			r := *tt.rec(x)
			r.lo, r.hi = 0, 0
			parts = append(parts, r)
			for _, a := range tt.argsOf(x) {
				walk(a)
			}
		}
		walk(u)
		return parts
	}
	want := said([]int{0, 1, 2, 3, 4, 5})
	for _, order := range [][]int{{5, 4, 3, 2, 1, 0}, {3, 0, 5, 2, 4, 1}} {
		if got := said(order); !slices.Equal(got, want) {
			t.Errorf("met in the order %v: %v, want %v", order, got, want)
		}
	}
}
