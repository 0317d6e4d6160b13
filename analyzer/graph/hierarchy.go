package graph

import "slices"

// Hierarchy answers which methods a call may run, given the static type of its
// receiver: class hierarchy analysis (Dean, Grove and Chambers, ECOOP 1995) with
// the receiver's cone. It keeps what it was asked and is not safe for concurrent
// use.
type Hierarchy struct {
	g     *Graph
	below map[ID][]ID // sorted; nil if there are too many
}

// NewHierarchy returns the hierarchy of the types of g.
func NewHierarchy(g *Graph) *Hierarchy { return &Hierarchy{g: g, below: map[ID][]ID{}} }

// maxBelow bounds the types below one type that are looked at. Above that, any
// two types are taken to have a common one.
const maxBelow = 1 << 14

// Runs reports whether one of the calls of an edge may run the method m, which
// overrides or implements, directly or not, the one that the edge leads to. It
// may not if each of the calls is a super call, or is made on a type that has no
// subtype in common with the one that declares m.
func (h *Hierarchy) Runs(e *Edge, m ID) bool {
	owner := h.g.Nodes[m].Parent
	if e.Kind != EdgeCalls || owner == None || !h.g.Nodes[owner].Kind.IsType() {
		return true
	}
	sites := h.g.Sites(e)
	for i := range sites {
		if s := &sites[i]; s.Flags&SiteSuper == 0 && (s.Recv == None || h.meet(s.Recv, owner)) {
			return true
		}
	}
	return len(sites) == 0
}

// meet reports whether a value can be of both types.
func (h *Hierarchy) meet(a, b ID) bool {
	if a == b {
		return true
	}
	x, y := h.under(a), h.under(b)
	if x == nil || y == nil {
		return true
	}
	if len(x) > len(y) {
		x, y = y, x
	}
	for _, t := range x {
		if _, ok := slices.BinarySearch(y, t); ok {
			return true
		}
	}
	return false
}

// under returns the type itself and those that extend, implement or embed it,
// directly or not: values of them are values of it, or have its methods.
func (h *Hierarchy) under(t ID) []ID {
	list, ok := h.below[t]
	if ok {
		return list
	}
	seen := map[ID]bool{t: true}
	list = []ID{t}
	for i := 0; i < len(list) && list != nil; i++ {
		for _, k := range [...]EdgeKind{EdgeExtends, EdgeImplements, EdgeEmbeds} {
			for _, e := range h.g.InKind(list[i], k) {
				if u := h.g.Edges[e].From; !seen[u] {
					seen[u] = true
					list = append(list, u)
				}
			}
		}
		if len(list) > maxBelow {
			list = nil
		}
	}
	slices.Sort(list)
	h.below[t] = list
	return list
}
