package link

import "slices"

// neighbours tells which declarations some code can see together. Whatever is
// public can be; what a test file declares is seen by the tests of its own
// package only, and these see what they import.
type neighbours struct {
	l       *linker
	imports [][]int32          // by unit: the units of the tree that its files without tests import
	tests   map[int32][]int32  // by unit: the units that are about it
	reach   map[int32][]uint64 // by unit: the set of units that it and its tests import, directly or not
	steps   int                // imports that may still be followed
	kept    int                // words that may still be kept in reach
	over    int32              // questions without an answer, because there are no steps left
}

// Bounds of what is followed and kept. A repository in which each of 5000
// packages imports ten others, and each has tests that ask, needs half of them.
const (
	maxReachSteps = 500_000_000
	maxReachWords = 8 << 20
)

func (l *linker) neighbours() *neighbours {
	return &neighbours{l: l, reach: map[int32][]uint64{}, steps: maxReachSteps, kept: maxReachWords}
}

func (n *neighbours) meet(a, b Ent) bool {
	l := n.l
	ua, ub := l.home(l.unitOf(a)), l.home(l.unitOf(b))
	if ua == ub {
		return true
	}
	ta, tb := l.files[l.entFile[a]].place.Test, l.files[l.entFile[b]].place.Test
	switch {
	case ta && tb:
		return false
	case ta:
		return n.reached(ua, ub)
	case tb:
		return n.reached(ub, ua)
	}
	return true
}

// home returns the unit that a unit of tests is about, or the unit itself.
func (l *linker) home(u int32) int32 {
	if p := l.units[u].Peer; p >= 0 {
		return l.units[u].rules.firstUnit + int32(p)
	}
	return u
}

// reached reports whether u or its tests import to.
func (n *neighbours) reached(u, to int32) bool {
	r := n.reach[u]
	if r == nil {
		if r = n.follow(u); r == nil {
			n.over++
			return false
		}
	}
	return r[to>>6]>>(to&63)&1 != 0
}

// follow returns nil if it would take too many steps.
func (n *neighbours) follow(u int32) []uint64 {
	l := n.l
	if n.imports == nil {
		n.imports, n.tests = make([][]int32, len(l.units)), map[int32][]int32{}
		for i := range l.units {
			if h := l.home(int32(i)); h != int32(i) {
				n.tests[h] = append(n.tests[h], int32(i))
			}
			if !l.units[i].surface {
				n.imports[i] = n.importsOf(int32(i), false)
			}
		}
	}
	r := make([]uint64, (len(l.units)+63)>>6)
	var queue []int32
	add := func(list []int32) {
		n.steps -= len(list)
		for _, to := range list {
			if r[to>>6]>>(to&63)&1 == 0 {
				r[to>>6] |= 1 << (to & 63)
				queue = append(queue, to)
			}
		}
	}
	add([]int32{u})
	add(n.importsOf(u, true))
	for _, t := range n.tests[u] {
		add(n.importsOf(t, true))
	}
	for len(queue) > 0 && n.steps > 0 {
		from := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		add(n.imports[from])
	}
	if n.steps <= 0 {
		return nil
	}
	if n.kept -= len(r); n.kept > 0 {
		n.reach[u] = r
	}
	return r
}

// importsOf returns the units of the tree that a unit imports, with what only
// its tests import if that is wanted.
func (n *neighbours) importsOf(u int32, tests bool) []int32 {
	l := n.l
	var list []int32
	for _, f := range l.units[u].files {
		if l.files[f].place.Test && !tests {
			continue
		}
		for i := range l.files[f].Facts.Imports {
			if to := l.resolveImport(u, l.files[f].Facts.Str(l.files[f].Facts.Imports[i].Path)); to >= 0 && !l.units[to].surface {
				list = append(list, to)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
