package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// How declarations are matched.
//
// Every rule is symmetric: it pairs the same declarations when the graphs are
// swapped. Rules run from the strictest to the loosest, and top-down, so that
// the members of a renamed type are compared under its new name:
//
//  1. The same key.
//  2. Modules and packages whose members are largely the same.
//  3. The same place under the matched owner, which has another key.
//  4. The same name under the matched owner: overloads, by least parameter
//     edit distance.
//  5. Under the matched owner, the same kind and body (the body's hash does
//     not hold the name) where both are alone with it, or the same name but for
//     capitals and underscores, or but for the name of a renamed type: a rename.
//  6. Types under the matched owner with largely the same members: a rename.
//  7. Under the matched owner, the only member of its kind and shape that went
//     and the only one that came, if they have no body or are names of types that
//     are written out: a rename.
//  8. Types with the same name and largely the same members under another
//     owner: a move.
//  9. The same kind, name and body under another owner: a move.
//  10. Bodies that are nearly the same by MinHash (rename.go).
//  11. The same kind and shape, where whoever used the one uses the other now:
//     under the matched owner a rename, of the same name and of another type a
//     move.
//
// 3 to 8 repeat until they find nothing new, because each matched type opens
// its members. Where two candidates are equally good there is no match: what
// went and what came are then reported as such.

// matcher finds the matches of two graphs.
type matcher struct {
	base, head     side
	toHead, toBase []graph.ID
	spelled        spelling
	swapped        []Library
	assign         *assignable // made when asked
}

// side is one graph with what the matching asks of it.
type side struct {
	g     *graph.Graph
	owner []graph.ID // the node that owns each node, never a file
	depth []int32    // owners above each node
	free  []graph.ID // unmatched declarations, by depth and id
	start []uint32   // start[n]..start[n+1] are n's members in list
	list  []graph.ID
	gone  map[string]bool // see unmatched
}

func newSide(g *graph.Graph) side {
	s := side{g: g, owner: make([]graph.ID, len(g.Nodes)), depth: make([]int32, len(g.Nodes))}
	for i := range g.Nodes {
		p := g.Nodes[i].Parent
		for p != graph.None && g.Nodes[p].Kind == graph.KindFile {
			p = g.Nodes[p].Parent
		}
		if p == graph.None || g.Nodes[p].Kind < graph.KindPackage {
			// A declaration whose file has no package above it: the key names it.
			if pkg, name := graph.SplitKey(g.Nodes[i].Key); name != "" && !graph.IsExternal(pkg) {
				if id := g.Lookup(pkg); id != graph.None {
					p = id
				}
			}
		}
		s.owner[i] = p
	}
	s.measure()
	s.start = make([]uint32, len(g.Nodes)+1)
	for _, p := range s.owner {
		if p != graph.None {
			s.start[p+1]++
		}
	}
	for i := 1; i < len(s.start); i++ {
		s.start[i] += s.start[i-1]
	}
	s.list = make([]graph.ID, s.start[len(g.Nodes)])
	next := slices.Clone(s.start)
	for i, p := range s.owner {
		if p != graph.None {
			s.list[next[p]] = graph.ID(i)
			next[p]++
		}
	}
	return s
}

// measure fills depth. A chain of owners that comes back to itself, which only
// a damaged graph could have, is cut.
func (s *side) measure() {
	const unseen, open = -1, -2
	for i := range s.depth {
		s.depth[i] = unseen
	}
	var chain []graph.ID
	for i := range s.depth {
		n := graph.ID(i)
		for n != graph.None && s.depth[n] == unseen {
			s.depth[n] = open
			chain = append(chain, n)
			n = s.owner[n]
		}
		d := int32(-1)
		if n != graph.None {
			if s.depth[n] == open {
				s.owner[chain[len(chain)-1]] = graph.None
			} else {
				d = s.depth[n]
			}
		}
		for len(chain) > 0 {
			d++
			s.depth[chain[len(chain)-1]] = d
			chain = chain[:len(chain)-1]
		}
	}
}

func (s *side) members(n graph.ID) []graph.ID { return s.list[s.start[n]:s.start[n+1]] }

// place returns how n is named under its owner: what its key adds to the
// owner's key.
func (s *side) place(n graph.ID) string {
	node := &s.g.Nodes[n]
	if p := s.owner[n]; p != graph.None {
		o := &s.g.Nodes[p]
		if rest, ok := strings.CutPrefix(node.Key, o.Key); ok {
			return rest
		}
		if o.Kind == graph.KindModule {
			if rest, ok := strings.CutPrefix(node.Key, strings.TrimPrefix(o.Key, "mod:")); ok {
				return rest
			}
		}
	}
	return node.Name
}

// declares reports whether changes of a node are changes of the code: not of
// externals, files and the repository itself.
func declares(k graph.Kind) bool {
	return k != graph.KindExternal && k != graph.KindFile && k != graph.KindRepository && k != graph.KindUnknown
}

// class groups the kinds that one declaration may turn into.
func class(k graph.Kind) graph.Kind {
	switch {
	case k.IsType():
		return graph.KindClass
	case k.IsCallable():
		return graph.KindFunction
	case k == graph.KindField || k == graph.KindConstant || k == graph.KindVariable:
		return graph.KindVariable
	}
	return k
}

func match(base, head *graph.Graph) *matcher {
	m := &matcher{base: newSide(base), head: newSide(head)}
	m.toHead, m.toBase = noIDs(len(base.Nodes)), noIDs(len(head.Nodes))
	m.sameKeys()
	m.numbered()
	m.swapped = m.libraries()
	m.base.collectFree(m.toHead)
	m.head.collectFree(m.toBase)
	if len(m.base.free) == 0 || len(m.head.free) == 0 {
		return m
	}
	m.containers(isPackaging)
	for {
		before := m.spelled.pairs
		m.levels()
		m.movedTypes()
		if m.spelled.pairs == before {
			break
		}
	}
	m.movedMembers()
	m.similarBodies()
	for round := 0; round < maxFollowRounds && m.followed(); round++ {
		// Who follows may be followed.
	}
	return m
}

func noIDs(n int) []graph.ID {
	ids := make([]graph.ID, n)
	for i := range ids {
		ids[i] = graph.None
	}
	return ids
}

// sameKeys is rule 1: one merge of the two sorted node lists.
func (m *matcher) sameKeys() {
	bs, hs := m.base.g.Nodes, m.head.g.Nodes
	for i, j := 0, 0; i < len(bs) && j < len(hs); {
		switch c := cmp.Compare(bs[i].Key, hs[j].Key); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			m.toHead[i], m.toBase[j] = graph.ID(j), graph.ID(i)
			i++
			j++
		}
	}
}

// numbered pairs declarations that have one key but for a number, such as the
// initialisers of a file, by their bodies first: the numbers only tell in what
// order they stand.
func (m *matcher) numbered() {
	var stems []string
	for _, g := range []*graph.Graph{m.base.g, m.head.g} {
		for i := range g.Nodes {
			if stem, ok := strings.CutSuffix(g.Nodes[i].Key, "~2"); ok {
				stems = append(stems, stem)
			}
		}
	}
	slices.Sort(stems)
	for _, stem := range slices.Compact(stems) {
		bs, hs := numberedAs(m.base.g, stem), numberedAs(m.head.g, stem)
		if len(bs)*len(hs) > maxProduct {
			continue
		}
		for _, b := range bs {
			m.toHead[b] = graph.None
		}
		for _, h := range hs {
			m.toBase[h] = graph.None
		}
		for _, any := range []bool{false, true} {
			for _, b := range bs {
				for _, h := range hs {
					if m.freeBase(b) && m.freeHead(h) && (any || m.base.g.Nodes[b].Body == m.head.g.Nodes[h].Body) {
						m.pair(b, h)
					}
				}
			}
		}
	}
}

// numberedAs returns the declarations with a key, in the order of their numbers.
func numberedAs(g *graph.Graph, stem string) (ids []graph.ID) {
	for n := 1; ; n++ {
		id := g.Lookup(graph.NthKey(stem, n))
		if id == graph.None {
			return ids
		}
		ids = append(ids, id)
	}
}

func (s *side) collectFree(to []graph.ID) {
	for i, h := range to {
		if h == graph.None && declares(s.g.Nodes[i].Kind) {
			s.free = append(s.free, graph.ID(i))
		}
	}
	slices.SortStableFunc(s.free, func(x, y graph.ID) int { return cmp.Compare(s.depth[x], s.depth[y]) })
}

// pair records a match.
func (m *matcher) pair(b, h graph.ID) {
	m.toHead[b], m.toBase[h] = h, b
	if x, y := &m.base.g.Nodes[b], &m.head.g.Nodes[h]; x.Kind.IsType() || x.Kind.IsContainer() {
		m.spelled.add(x.Key, y.Key)
	}
}

func (m *matcher) freeBase(b graph.ID) bool { return m.toHead[b] == graph.None }
func (m *matcher) freeHead(h graph.ID) bool { return m.toBase[h] == graph.None }

// under returns the identity of the owner of a node in both graphs: the
// owner's id in the head graph. It fails if the owner is unmatched.
func (m *matcher) underBase(b graph.ID) (graph.ID, bool) {
	p := m.base.owner[b]
	if p == graph.None {
		return graph.None, true
	}
	return m.toHead[p], m.toHead[p] != graph.None
}

func (m *matcher) underHead(h graph.ID) (graph.ID, bool) {
	p := m.head.owner[h]
	return p, p == graph.None || m.toBase[p] != graph.None
}

// group is the nodes of both sides that agree in something.
type group struct{ base, head []graph.ID }

// groups collects the free nodes among bs and hs by a key; nodes for which the
// key function says no are left out. The order is that of first appearance in
// bs; groups without a node on one side are left out.
func groups[K comparable](m *matcher, bs, hs []graph.ID, baseKey, headKey func(graph.ID) (K, bool)) []group {
	index := map[K]int{}
	var gs []group
	for _, b := range bs {
		if !m.freeBase(b) {
			continue
		}
		if k, ok := baseKey(b); ok {
			i, seen := index[k]
			if !seen {
				i = len(gs)
				index[k] = i
				gs = append(gs, group{})
			}
			gs[i].base = append(gs[i].base, b)
		}
	}
	if len(gs) == 0 {
		return nil
	}
	for _, h := range hs {
		if !m.freeHead(h) {
			continue
		}
		if k, ok := headKey(h); ok {
			if i, seen := index[k]; seen {
				gs[i].head = append(gs[i].head, h)
			}
		}
	}
	return slices.DeleteFunc(gs, func(g group) bool { return len(g.head) == 0 })
}

// pairAlone pairs the nodes that are alone in their group on both sides.
func (m *matcher) pairAlone(gs []group) {
	for _, g := range gs {
		if len(g.base) == 1 && len(g.head) == 1 {
			m.pair(g.base[0], g.head[0])
		}
	}
}

// candidate is a pair that may match.
type candidate struct {
	base, head graph.ID
	score      int // higher is better
}

// maxProduct bounds the pairs that one group gives: larger groups, such as
// hundreds of generated overloads, stay unmatched.
const maxProduct = 1 << 14

// pairBest pairs candidates from the best score down. Where one node has
// several candidates of its best score, none is taken, unless anyway is set:
// then the pair with the least keys is.
func (m *matcher) pairBest(cs []candidate, anyway bool) {
	lo := func(c *candidate) string { return min(m.base.g.Nodes[c.base].Key, m.head.g.Nodes[c.head].Key) }
	hi := func(c *candidate) string { return max(m.base.g.Nodes[c.base].Key, m.head.g.Nodes[c.head].Key) }
	slices.SortFunc(cs, func(x, y candidate) int {
		// No key is free on both sides, so that the unordered pair of keys
		// names the candidate, whichever graph is the base.
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(lo(&x), lo(&y)), cmp.Compare(hi(&x), hi(&y)))
	})
	if anyway {
		for _, c := range cs {
			if m.freeBase(c.base) && m.freeHead(c.head) {
				m.pair(c.base, c.head)
			}
		}
		return
	}
	spoilt := map[[2]graph.ID]bool{} // nodes whose best is not unique: {side, id}
	for i := 0; i < len(cs); {
		j := i
		seen := map[[2]graph.ID]int{}
		for ; j < len(cs) && cs[j].score == cs[i].score; j++ {
			if m.usable(&cs[j], spoilt) {
				seen[[2]graph.ID{0, cs[j].base}]++
				seen[[2]graph.ID{1, cs[j].head}]++
			}
		}
		var take []candidate
		for _, c := range cs[i:j] {
			b, h := [2]graph.ID{0, c.base}, [2]graph.ID{1, c.head}
			if !m.usable(&c, spoilt) {
				continue
			}
			if seen[b] == 1 && seen[h] == 1 {
				take = append(take, c)
			}
		}
		for k, n := range seen {
			if n > 1 {
				spoilt[k] = true
			}
		}
		for _, c := range take {
			m.pair(c.base, c.head)
		}
		i = j
	}
}

func (m *matcher) usable(c *candidate, spoilt map[[2]graph.ID]bool) bool {
	return m.freeBase(c.base) && m.freeHead(c.head) &&
		!spoilt[[2]graph.ID{0, c.base}] && !spoilt[[2]graph.ID{1, c.head}]
}
