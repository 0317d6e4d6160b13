package query

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

const (
	callEdges = 1<<graph.EdgeCalls | 1<<graph.EdgeHTTPCalls | 1<<graph.EdgePublishes | 1<<graph.EdgeHandles
	// flowEdges lead from one piece of running code to another.
	flowEdges = callEdges | 1<<graph.EdgeReferences
	// useEdges say that one declaration needs another.
	useEdges = flowEdges | 1<<graph.EdgeUsesType | 1<<graph.EdgeInstantiates | 1<<graph.EdgeReads | 1<<graph.EdgeWrites |
		1<<graph.EdgeConverts | 1<<graph.EdgeExtends | 1<<graph.EdgeImplements | 1<<graph.EdgeEmbeds | 1<<graph.EdgeOverrides |
		1<<graph.EdgeInjects | 1<<graph.EdgeThrows | 1<<graph.EdgeAnnotates | 1<<graph.EdgeConfigures | 1<<graph.EdgeTests
	// dispatchEdges lead from a method to those that a call of them may run it
	// through.
	dispatchEdges = 1<<graph.EdgeImplements | 1<<graph.EdgeOverrides
	superEdges    = 1<<graph.EdgeImplements | 1<<graph.EdgeExtends | 1<<graph.EdgeEmbeds | 1<<graph.EdgeOverrides
	allEdges      = 1<<graph.EdgeKindCount - 1
)

// walk is a breadth-first walk over edges.
type walk struct {
	q        *asking
	kinds    uint32 // bits of graph.EdgeKind
	back     bool   // against the direction of edges
	dispatch bool
	plain    bool // do not look for cycles
	types    *graph.Hierarchy
	seen     *marker   // the value of a node is its index in at, or -1
	at       []reached // found, in order
	hidden   []graph.ID
	depth    int32      // of what was found last
	level    []frontier // what the next step goes on from
	met      int32      // of a way: the index in at of where it meets another walk, or -1 for where it began
	itself   bool       // where the walk began is among what was found
}

// walkFrom walks from nodes to at most q.depth steps. The hits are in order of
// depth; a node is found once, by the surest of its shortest ways.
func (q *asking) walkFrom(start []graph.ID, kinds uint32, back bool) *walk {
	w := q.newWalk(start, kinds, back)
	defer w.end()
	for int(w.depth) < q.depth && len(w.level) > 0 {
		w.step()
	}
	return w
}

// newWalk is a walk that has not begun; it ends with end.
func (q *asking) newWalk(start []graph.ID, kinds uint32, back bool) *walk {
	if q.edges != 0 {
		kinds = q.edges
	}
	w := &walk{q: q, kinds: kinds, back: back, dispatch: !q.r.Direct && kinds&flowEdges != 0, seen: q.x.marker(), types: graph.NewHierarchy(q.g)}
	for _, n := range start {
		if w.seen.add(n) {
			w.seen.value[n] = -1
			w.level = append(w.level, frontier{n, -1, graph.Exact})
		}
	}
	return w
}

func (w *walk) end() {
	w.q.x.marks.Put(w.seen)
	w.seen = nil
}

// reached is a node that a walk found. There can be as many as nodes: it is
// small, and only those that are shown become hits.
type reached struct {
	node, via graph.ID
	edge      int32 // or -1: by dispatch
	depth     int32
	parent    int32 // what it was found from, in walk.at; -1: where the walk began
	cert      graph.Certainty
	cycle     bool
}

func (r *reached) hit() hit {
	h := hit{node: r.node, via: r.via, edge: r.edge, site: -1, depth: r.depth, cert: r.cert, cycle: r.cycle}
	if r.edge < 0 {
		h.rel = dispatchRelation
	}
	return h
}

// dispatchRelation is what a method that a call may run is to the one called.
const dispatchRelation = "dispatch"

// frontier is where the walk goes on from.
type frontier struct {
	node graph.ID
	hit  int32 // in walk.at; -1 for where it began
	cert graph.Certainty
}

// step goes one step further.
func (w *walk) step() {
	w.depth++
	depth := w.depth
	var next, through []frontier
	for _, f := range w.level {
		if f.hit >= 0 {
			f.cert = w.at[f.hit].cert // the surest by now
		}
		through = w.dispatched(append(through[:0], f))
		for _, t := range through {
			if !w.back && t.node != f.node {
				// A method that a call may run is reached with the one called.
				next = w.reach(t.node, f, t, -1, max(depth-1, 1), next)
			}
			w.edges(t.node, func(e int32, to graph.ID) {
				if w.back && t.node != f.node && !w.types.Runs(&w.q.g.Edges[e], f.node) {
					return
				}
				next = w.reach(to, f, t, e, depth, next)
			})
		}
	}
	w.level = next
}

// reach is called for each edge that leads from the frontier f, by way of the
// method t, to a node; the edge is -1 if t itself is the node.
func (w *walk) reach(to graph.ID, f, t frontier, edge, depth int32, next []frontier) []frontier {
	q := w.q
	cert := t.cert
	if edge >= 0 {
		cert = max(cert, q.g.Edges[edge].Certainty)
	}
	if cert > q.certainty {
		if !w.seen.has(to) {
			w.hidden = append(w.hidden, to)
		}
		return next
	}
	if !q.filter.walks(&q.g.Nodes[to]) {
		return next
	}
	if !w.seen.add(to) {
		if f.hit < 0 && to == f.node && edge >= 0 && !w.itself {
			// Recursion: it is found, but not walked from again.
			w.itself = true
			w.at = append(w.at, reached{node: to, via: t.node, edge: edge, depth: depth, parent: -1, cert: cert, cycle: true})
			return next
		}
		if i := w.seen.value[to]; i >= 0 && w.at[i].depth == depth && cert < w.at[i].cert && edge >= 0 {
			h := &w.at[i]
			h.cert, h.edge, h.via, h.parent = cert, edge, t.node, f.hit
		}
		if f.hit >= 0 && !w.plain && !w.at[f.hit].cycle && w.above(to, f.hit) {
			w.at[f.hit].cycle = true
		}
		return next
	}
	h := reached{node: to, via: t.node, edge: edge, depth: depth, parent: f.hit, cert: cert}
	if edge < 0 {
		h.via = f.node
	}
	i := int32(len(w.at))
	w.at = append(w.at, h)
	w.seen.value[to] = i
	return append(next, frontier{to, i, cert})
}

// above reports whether a node is on the way by which a hit was found, where
// the walk began included.
func (w *walk) above(n graph.ID, at int32) bool {
	const most = 64 // steps up
	i := w.seen.value[n]
	for range most {
		if at == i {
			return true
		}
		if at < 0 {
			return false
		}
		at = w.at[at].parent
	}
	return false
}

// edges calls f for each edge that may be followed from n.
func (w *walk) edges(n graph.ID, f func(edge int32, to graph.ID)) {
	g := w.q.g
	if w.back {
		for _, e := range g.In(n) {
			if x := &g.Edges[e]; w.kinds&(1<<x.Kind) != 0 {
				f(int32(e), x.From)
			}
		}
		return
	}
	out := g.Out(n)
	if len(out) == 0 {
		return
	}
	first := w.q.x.FirstOut(n)
	for i := range out {
		if w.kinds&(1<<out[i].Kind) != 0 {
			f(first+int32(i), out[i].To)
		}
	}
}

// maxDispatched bounds the methods that one method stands for, directly or not.
const maxDispatched = 10_000

// dispatched adds to the node of list[0] the methods that calls of it may run
// (forwards), or through which calls may run it (backwards).
func (w *walk) dispatched(list []frontier) []frontier {
	g := w.q.g
	if !w.dispatch || !g.Nodes[list[0].node].Kind.IsCallable() {
		return list
	}
	for i := 0; i < len(list); i++ {
		n := list[i]
		if len(list) >= maxDispatched {
			w.q.cut = fmt.Sprintf("of methods that more than %d others override, or that override as many, not all are followed", maxDispatched)
			break
		}
		if w.back {
			for _, k := range [...]graph.EdgeKind{graph.EdgeImplements, graph.EdgeOverrides} {
				for _, e := range g.OutKind(n.node, k) {
					list = addFrontier(list, e.To, max(n.cert, e.Certainty, w.q.x.dispatchCertainty(e.To)))
				}
			}
			continue
		}
		cert := w.q.x.dispatchCertainty(n.node)
		for _, k := range [...]graph.EdgeKind{graph.EdgeImplements, graph.EdgeOverrides} {
			for _, e := range g.InKind(n.node, k) {
				list = addFrontier(list, g.Edges[e].From, max(n.cert, g.Edges[e].Certainty, cert))
			}
		}
	}
	return list
}

func addFrontier(list []frontier, n graph.ID, cert graph.Certainty) []frontier {
	for i := range list {
		if list[i].node == n {
			list[i].cert = min(list[i].cert, cert)
			return list
		}
	}
	return append(list, frontier{n, -1, cert})
}

// dispatchCertainty is how sure it is that a call of a method runs one certain
// of the methods that implement or override it.
func (x *Index) dispatchCertainty(n graph.ID) graph.Certainty {
	if len(x.g.InKind(n, graph.EdgeImplements))+len(x.g.InKind(n, graph.EdgeOverrides)) > MaxDispatch {
		return graph.Ambiguous
	}
	return graph.Inferred
}

// FirstOut returns the index of the first edge that leaves n, which has some.
func (x *Index) FirstOut(n graph.ID) int32 {
	out := x.g.Out(n)
	lo, hi := 0, len(x.g.Edges)
	for lo < hi {
		mid := (lo + hi) / 2
		if x.g.Edges[mid].From < out[0].From {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return int32(lo)
}

// keep makes the results of a walk those of the answer. Only what is near
// enough to be shown is put in order, and the rest is counted.
func (w *walk) keep() {
	q := w.q
	shown := w.at[:0]
	for i := range w.at {
		if q.shown(w.at[i].node) {
			shown = append(shown, w.at[i])
		}
	}
	w.countHidden()
	if w.dispatch && !w.back {
		// What is run by dispatch is as deep as what was called.
		slices.SortStableFunc(shown, func(a, b reached) int { return cmp.Compare(a.depth, b.depth) })
	}
	nodes := q.g.Nodes
	for lo := 0; lo < len(shown); {
		depth := shown[lo].depth
		hi := lo
		for hi < len(shown) && shown[hi].depth == depth {
			hi++
		}
		level := shown[lo:hi]
		lo = hi
		if q.count(depth, len(level)) {
			continue // behind what is shown
		}
		slices.SortFunc(level, func(a, b reached) int {
			at, bt := nodes[a.node].Flags&graph.FlagTest, nodes[b.node].Flags&graph.FlagTest
			return cmp.Or(cmp.Compare(at, bt), cmp.Compare(a.cert, b.cert), cmp.Compare(a.node, b.node), cmp.Compare(a.edge, b.edge))
		})
		for i := range level {
			h := level[i].hit()
			if h.via == q.target {
				h.via = graph.None
			}
			q.hits = append(q.hits, h)
		}
	}
}

// count notes the results of one depth, and reports whether all of them are
// behind those that this answer can show; only their number matters then.
func (q *asking) count(depth int32, n int) bool {
	for len(q.counted) < int(depth) {
		q.counted = append(q.counted, 0)
	}
	q.counted[depth-1] += n
	if len(q.hits) <= q.last() {
		return false
	}
	q.behind += n
	return true
}

// last is the place in the answer of the last result that can be shown.
func (q *asking) last() int {
	from, _ := q.cursor(math.MaxInt32)
	most := q.r.Max
	if most == 0 {
		most = defaultMax
	}
	if q.r.MaxPerLevel > 0 {
		return math.MaxInt32 // what is shown is not what comes first
	}
	return from + min(most, MaxResults)
}

// countHidden counts what only ambiguous edges reach.
func (w *walk) countHidden() {
	q := w.q
	known := q.x.marker()
	defer q.x.marks.Put(known)
	for i := range w.at {
		known.add(w.at[i].node)
	}
	for _, n := range w.hidden {
		if n != q.target && known.add(n) && q.shown(n) {
			q.a.Ambiguous++
		}
	}
}
