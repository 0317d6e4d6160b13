package search

import (
	"cmp"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

const defaultEdges = 1<<graph.EdgeCalls | 1<<graph.EdgeReferences | 1<<graph.EdgeImplements | 1<<graph.EdgeOverrides |
	1<<graph.EdgeExtends | 1<<graph.EdgeEmbeds | 1<<graph.EdgeInjects | 1<<graph.EdgeInstantiates | 1<<graph.EdgeHandles | 1<<graph.EdgeHTTPCalls | 1<<graph.EdgePublishes

// The worth of a step.
const (
	hopWorth  = 0.5
	ownWorth  = 0.4 // of the words that a reached declaration has itself
	maxFanOut = 400 // edges followed from one declaration at one hop
)

// expand adds what structure reaches from the seeds: breadth first, what is
// worth most first, each once.
func (x *Index) expand(r Request, a *Answer, own func(graph.ID) float64) {
	g := x.g
	edges := r.Edges
	if edges == 0 {
		edges = defaultEdges
	}
	seen := map[graph.ID]bool{}
	for _, f := range a.Found {
		seen[f.Node] = true
	}
	level := slices.Clone(a.Found)
	for hop := 1; hop <= r.Hops && len(level) > 0; hop++ {
		best := map[graph.ID]Found{}
		var order []graph.ID
		for _, f := range level {
			steps := 0
			visit := func(via, to graph.ID, e *graph.Edge, back bool) {
				if steps++; steps > maxFanOut || seen[to] || e.Certainty == graph.Ambiguous || prior(&g.Nodes[to]) == 0 ||
					r.Shown != nil && !r.Shown(to) {
					return
				}
				worth := f.Score * hopWorth
				if e.Kind != graph.EdgeCalls {
					worth *= 0.8
				}
				if g.Nodes[to].Flags.Has(graph.FlagTest) {
					worth *= 0.4
				}
				worth = round(worth + ownWorth*hopWorth*own(to))
				found := Found{Node: to, Score: worth, Hop: hop, Seed: f.Seed, Via: via, Edge: e.Kind, Back: back}
				old, ok := best[to]
				if !ok {
					order = append(order, to)
				}
				if !ok || worth > old.Score {
					best[to] = found
				}
			}
			for _, n := range x.dispatched(f.Node) {
				for _, i := range g.In(n) {
					if e := &g.Edges[i]; edges&(1<<e.Kind) != 0 {
						visit(n, e.From, e, true)
					}
				}
				out := g.Out(n)
				for i := range out {
					if edges&(1<<out[i].Kind) != 0 {
						visit(n, out[i].To, &out[i], false)
					}
				}
			}
			// What a type does is what its methods do.
			if g.Nodes[f.Node].Kind.IsType() {
				for _, m := range x.methods(f.Node) {
					for _, n := range x.dispatched(m) {
						for _, i := range g.InKind(n, graph.EdgeCalls) {
							visit(n, g.Edges[i].From, &g.Edges[i], true)
						}
					}
				}
			}
		}
		level = level[:0]
		for _, id := range order {
			level = append(level, best[id])
			seen[id] = true
		}
		slices.SortFunc(level, func(p, q Found) int {
			return cmp.Or(cmp.Compare(q.Score, p.Score), cmp.Compare(p.Node, q.Node))
		})
		a.Found = append(a.Found, level...)
		a.Total += len(level)
	}
	slices.SortStableFunc(a.Found[:], func(p, q Found) int {
		if (p.Hop == 0) != (q.Hop == 0) {
			return p.Hop - q.Hop
		}
		return cmp.Compare(q.Score, p.Score)
	})
}

// dispatched returns a method with those that calls may run it through, or that
// they may run through it, if there are few.
func (x *Index) dispatched(n graph.ID) []graph.ID {
	const most = 5
	list := []graph.ID{n}
	if !x.g.Nodes[n].Kind.IsCallable() && !x.g.Nodes[n].Kind.IsType() {
		return list
	}
	for _, k := range [...]graph.EdgeKind{graph.EdgeImplements, graph.EdgeOverrides} {
		for _, e := range x.g.OutKind(n, k) {
			if len(x.g.InKind(e.To, k)) <= most && len(list) < 20 {
				list = append(list, e.To)
			}
		}
		if in := x.g.InKind(n, k); len(in) <= most {
			for _, i := range in {
				list = append(list, x.g.Edges[i].From)
			}
		}
	}
	return list
}

// methods returns the callables that a type contains: they follow it, for their
// keys begin with its key.
func (x *Index) methods(t graph.ID) []graph.ID {
	var list []graph.ID
	prefix := x.g.Nodes[t].Key + "."
	for i := int(t) + 1; i < len(x.g.Nodes) && len(list) < 100; i++ {
		n := &x.g.Nodes[i]
		if len(n.Key) < len(prefix) || n.Key[:len(prefix)] != prefix {
			if n.Key > prefix {
				break
			}
			continue
		}
		if n.Parent == t && n.Kind.IsCallable() {
			list = append(list, graph.ID(i))
		}
	}
	return list
}
