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

	// Methods that only get or set something say little of how things are done.
	plainTokens = 7
	plainWorth  = 0.3
)

// plain reports whether a declaration is a method that only gets or sets something:
// it is that short and calls nothing.
func (x *Index) plain(id graph.ID) bool {
	n := &x.g.Nodes[id]
	return n.Kind == graph.KindMethod && n.Tokens > 0 && n.Tokens <= plainTokens && n.Branches == 0 &&
		len(x.g.OutKind(id, graph.EdgeCalls)) == 0
}

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
	level := x.handlersToo(a.Found)
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
				if x.plain(to) {
					worth *= plainWorth
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
			// A call of what is only declared is a call of what implements it.
			with := func(via, to graph.ID, e *graph.Edge, back bool) {
				visit(via, to, e, back)
				if !g.Nodes[to].Flags.Has(graph.FlagAbstract) || !g.Nodes[to].Kind.IsCallable() {
					return
				}
				for _, k := range [...]graph.EdgeKind{graph.EdgeImplements, graph.EdgeOverrides} {
					if in := g.InKind(to, k); edges&(1<<k) != 0 && len(in) <= mostDispatched {
						for _, i := range in {
							visit(to, g.Edges[i].From, &g.Edges[i], true)
						}
					}
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
						with(n, out[i].To, &out[i], false)
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

// handlersToo adds what handles the routes among the seeds: it says what a route does.
func (x *Index) handlersToo(seeds []Found) []Found {
	level := slices.Clone(seeds)
	for _, f := range seeds {
		if x.g.Nodes[f.Node].Kind != graph.KindRoute {
			continue
		}
		for _, e := range x.g.OutKind(f.Node, graph.EdgeHandles) {
			if !slices.ContainsFunc(level, func(o Found) bool { return o.Node == e.To }) {
				level = append(level, Found{Node: e.To, Score: f.Score, Seed: f.Seed, Via: f.Node, Edge: e.Kind})
			}
		}
	}
	return level
}

// mostDispatched is how many implementations a method may have so that each of them
// is taken for what a call runs.
const mostDispatched = 5

// dispatched returns a method with those that calls may run it through, or that
// they may run through it, if there are few.
func (x *Index) dispatched(n graph.ID) []graph.ID {
	const most = mostDispatched
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
