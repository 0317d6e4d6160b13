package diff

import (
	"github.com/codekg/kg/analyzer/graph"
)

// Similarity of containers: two packages or types are taken for one another
// when most of their members have the same names. Measured in per cent of the
// members that either has.
const (
	similarMoved   = 50 // the same name elsewhere
	similarRenamed = 60 // another name in the same place
	similarBoth    = 80 // another name elsewhere
)

// overlap is what two containers share.
type overlap struct {
	names  int // members of the same kind and place
	bodies int // members with the same body
}

func isPackaging(k graph.Kind) bool { return k == graph.KindModule || k == graph.KindPackage }
func isHolder(k graph.Kind) bool    { return k.IsType() || k == graph.KindNamespace }

// containers is rule 2, and 6 and 8 for types: it pairs free nodes of the
// kinds that hold others, by what they hold.
func (m *matcher) containers(holds func(graph.Kind) bool) {
	shared := m.overlaps(holds)
	var cs []candidate
	for p, o := range shared {
		b, h := p[0], p[1]
		if score, ok := m.similar(b, h, o); ok {
			cs = append(cs, candidate{b, h, score})
		}
	}
	m.pairBest(cs, false)
}

// similar scores two containers that share something.
func (m *matcher) similar(b, h graph.ID, o *overlap) (int, bool) {
	nb, nh := len(m.base.members(b)), len(m.head.members(h))
	percent := 100 * o.names / max(nb+nh-o.names, 1)
	sameName := m.base.g.Nodes[b].Name == m.head.g.Nodes[h].Name
	ub, okB := m.underBase(b)
	uh, okH := m.underHead(h)
	samePlace := okB && okH && ub == uh
	need := similarBoth
	switch {
	case samePlace && !isPackaging(m.base.g.Nodes[b].Kind):
		need = similarRenamed
	case sameName:
		need = similarMoved
	case isPackaging(m.base.g.Nodes[b].Kind):
		need = similarRenamed
	}
	// One shared name, such as main or String, says nothing by itself, unless
	// it is all there is.
	everything := o.names == nb && o.names == nh && (sameName || samePlace && !isPackaging(m.base.g.Nodes[b].Kind))
	if percent < need || o.names < 3 && o.bodies == 0 && !everything {
		return 0, false
	}
	score := percent*8 + min(o.bodies, 1)*2
	if sameName {
		score += 4
	}
	if samePlace {
		score++
	}
	return score<<16 + min(o.bodies, 1<<16-1), true
}

// overlaps counts what free containers share, through an index of their
// members. Members that too many containers have are left out: they say
// nothing and would make the count quadratic.
func (m *matcher) overlaps(holds func(graph.Kind) bool) map[[2]graph.ID]*overlap {
	type feature struct {
		kind  graph.Kind
		place string
		body  graph.Hash
	}
	index := map[feature]*group{}
	collect := func(s *side, free func(graph.ID) bool, add func(*group, graph.ID)) {
		for _, c := range s.free {
			if !holds(s.g.Nodes[c].Kind) || !free(c) {
				continue
			}
			for _, k := range s.members(c) {
				n := &s.g.Nodes[k]
				put := func(f feature) {
					g := index[f]
					if g == nil {
						g = &group{}
						index[f] = g
					}
					add(g, c)
				}
				put(feature{class(n.Kind), m.placeOrRole(s, k), graph.Hash{}})
				if !n.Body.IsZero() {
					put(feature{graph.KindUnknown, "", n.Body})
				}
			}
		}
	}
	collect(&m.base, m.freeBase, func(g *group, c graph.ID) { g.base = append(g.base, c) })
	collect(&m.head, m.freeHead, func(g *group, c graph.ID) { g.head = append(g.head, c) })
	shared := map[[2]graph.ID]*overlap{}
	for f, g := range index {
		if len(g.base)*len(g.head) > 1<<12 {
			continue
		}
		for _, b := range g.base {
			for _, h := range g.head {
				if class(m.base.g.Nodes[b].Kind) != class(m.head.g.Nodes[h].Kind) {
					continue
				}
				p := [2]graph.ID{b, h}
				o := shared[p]
				if o == nil {
					o = &overlap{}
					shared[p] = o
				}
				if f.kind == graph.KindUnknown {
					o.bodies++
				} else {
					o.names++
				}
			}
		}
	}
	return shared
}

// placeOrRole is a member's place under its owner. Constructors that are named
// after their type are named by their role.
func (m *matcher) placeOrRole(s *side, n graph.ID) string {
	if s.g.Nodes[n].Kind == graph.KindConstructor {
		return ".constructor"
	}
	return s.place(n)
}

// movedTypes is rule 8. Types without members are moved when name, kind, body
// and shape agree and nothing else does.
func (m *matcher) movedTypes() {
	m.containers(isHolder)
	type key struct {
		kind  graph.Kind
		name  string
		body  graph.Hash
		shape string
	}
	m.pairAlone(groups(m, m.base.free, m.head.free,
		func(b graph.ID) (key, bool) {
			n := &m.base.g.Nodes[b]
			return key{n.Kind, n.Name, n.Body, m.shape(n, true)}, isHolder(n.Kind) && len(m.base.members(b)) == 0
		},
		func(h graph.ID) (key, bool) {
			n := &m.head.g.Nodes[h]
			return key{n.Kind, n.Name, n.Body, m.shape(n, false)}, isHolder(n.Kind) && len(m.head.members(h)) == 0
		}))
}
