package graph

import "slices"

// Hierarchy answers which methods a call may run, given the static type of its
// receiver: class hierarchy analysis (Dean, Grove and Chambers, ECOOP 1995) with
// the receiver's cone. It keeps what it was asked and is not safe for concurrent
// use.
type Hierarchy struct {
	g     *Graph
	below map[ID][]ID // sorted; nil if there are too many
	parts map[ID][]ID // see partsOf
}

// NewHierarchy returns the hierarchy of the types of g.
func NewHierarchy(g *Graph) *Hierarchy {
	return &Hierarchy{g: g, below: map[ID][]ID{}, parts: map[ID][]ID{}}
}

// maxBelow bounds the types below one type that are looked at. Above that, any
// two types are taken to have a common one.
const maxBelow = 1 << 14

// Runs reports whether one of the calls of an edge may run the method m, which
// overrides or implements, directly or not, the one that the edge leads to. It
// may not if each of the calls is made on a type that has no subtype in common with
// the one that declares m, nor one that has the method by embedding an interface that
// the declaring type may stand behind. A super call runs what stands above its class,
// which, where classes have several bases, may be one beside it.
func (h *Hierarchy) Runs(e *Edge, m ID) bool {
	owner := h.g.Nodes[m].Parent
	if e.Kind != EdgeCalls || owner == None || !h.g.Nodes[owner].Kind.IsType() {
		return true
	}
	sites := h.g.Sites(e)
	asked := h.g.Nodes[e.To].Parent
	for i := range sites {
		switch s := &sites[i]; {
		case s.Flags&SiteSuper != 0:
			if s.Recv != None && h.meet(s.Recv, owner) && !h.isUnder(owner, s.Recv) {
				return true
			}
		case s.Recv == None || h.meet(s.Recv, owner) || h.delegates(s.Recv, asked, owner):
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

// isUnder reports whether values of type a are known to be values of type b.
func (h *Hierarchy) isUnder(a, b ID) bool {
	_, ok := slices.BinarySearch(h.under(b), a)
	return ok
}

// under returns the type itself and those that extend, implement or embed it, or
// extend a variable that has it, directly or not: values of them are values of it, or
// have its methods.
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
		// What has the class as its value may be extended itself.
		for _, e := range h.g.InKind(list[i], EdgeReferences) {
			u := h.g.Edges[e].From
			if k := h.g.Nodes[u].Kind; !seen[u] && (k == KindVariable || k == KindConstant || k == KindField) && len(h.g.InKind(u, EdgeExtends)) > 0 {
				seen[u] = true
				list = append(list, u)
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

// delegates reports whether a value of type recv may pass on the calls of what the
// interface asked declares to a value of type owner: a type of it embeds the
// interface, or one that includes it, and owner implements that.
func (h *Hierarchy) delegates(recv, asked, owner ID) bool {
	if asked == None {
		return false
	}
	return slices.ContainsFunc(h.partsOf(recv), func(part ID) bool { return h.isBelow(part, asked) && h.isBelow(owner, part) })
}

// isBelow reports whether t is one of the types under a type, or may be.
func (h *Hierarchy) isBelow(t, top ID) bool {
	types := h.under(top)
	if types == nil {
		return true
	}
	_, ok := slices.BinarySearch(types, t)
	return ok
}

// partsOf returns the interfaces that a type, or one below it, embeds as parts of
// its values, at any depth: what a value of the type has from there runs whatever
// stands behind the interface.
func (h *Hierarchy) partsOf(t ID) []ID {
	list, ok := h.parts[t]
	if ok {
		return list
	}
	types := slices.Clone(h.under(t))
	seen := map[ID]bool{}
	for i := 0; i < len(types); i++ {
		if h.g.Nodes[types[i]].Kind == KindInterface {
			continue
		}
		for _, e := range h.g.OutKind(types[i], EdgeEmbeds) {
			switch {
			case seen[e.To]:
			case h.g.Nodes[e.To].Kind == KindInterface:
				list = append(list, e.To)
			default:
				types = append(types, e.To)
			}
			seen[e.To] = true
		}
	}
	slices.Sort(list)
	h.parts[t] = list
	return list
}
