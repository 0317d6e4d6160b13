package query

import (
	"fmt"
	"math"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// MaxPivots is the number of nodes from which betweenness is measured; with
// fewer nodes it is exact.
const MaxPivots = 256

// The measures that hubs are ranked by.
var hubMeasures = []string{"in", "out", "pagerank", "betweenness"}

// rankable reports whether a node is something that people look for among hubs.
func rankable(n *graph.Node) bool {
	return (n.Kind.IsCallable() || n.Kind.IsType()) && !n.Flags.Has(graph.FlagTest)
}

func (q *asking) hubs() error {
	by := q.r.By
	if by == "" {
		by = "in"
	}
	var values []float64
	switch by {
	case "in", "out":
		f := q.x.uses()
		list := f.in
		if by == "out" {
			list = f.out
		}
		values = make([]float64, len(list))
		for i, v := range list {
			values[i] = float64(v)
		}
	case "pagerank":
		values = q.x.PageRank()
	case "betweenness":
		var sampled int
		if values, sampled = q.x.Betweenness(); sampled > 0 {
			q.note = fmt.Sprintf("estimated from %d nodes, spread evenly", sampled)
		}
	default:
		return badRequest("hubs are ranked by %s, not by %q", strings.Join(hubMeasures, ", "), clip(by))
	}
	for i, v := range values {
		if n := &q.g.Nodes[i]; v > 0 && (q.kinds != 0 || rankable(n)) {
			h := found(graph.ID(i))
			h.value, h.meter = v, true
			q.add(h)
		}
	}
	q.orderByValue()
	return nil
}

// ranked returns whether an edge counts for ranks: a use, by code.
func (x *Index) ranked(e *graph.Edge) bool {
	return useEdges&^(1<<graph.EdgeAnnotates)&(1<<e.Kind) != 0 && e.From != e.To && e.Certainty != graph.Ambiguous &&
		!x.g.Nodes[e.From].Flags.Has(graph.FlagTest)
}

// PageRank ranks nodes by who uses them: damping 0.85, 40 rounds, tests left
// out. The values sum up to 1. O(n + m) for each round.
func (x *Index) PageRank() []float64 {
	const damping, rounds = 0.85, 40
	g := x.g
	n := len(g.Nodes)
	if n == 0 {
		return nil
	}
	out := make([]float64, n)
	for i := range g.Edges {
		if e := &g.Edges[i]; x.ranked(e) {
			out[e.From]++
		}
	}
	rank, next := make([]float64, n), make([]float64, n)
	for i := range rank {
		rank[i] = 1 / float64(n)
	}
	for range rounds {
		lost := 0.0
		for i, d := range out {
			if d == 0 {
				lost += rank[i]
			}
		}
		base := (1-damping)/float64(n) + damping*lost/float64(n)
		for i := range next {
			next[i] = base
		}
		for i := range g.Edges {
			if e := &g.Edges[i]; x.ranked(e) {
				next[e.To] += damping * rank[e.From] / out[e.From]
			}
		}
		rank, next = next, rank
	}
	return rank
}

// Betweenness tells of each node on how many of the shortest ways between two
// others it is, over calls and references, by Brandes' algorithm. Of a graph
// with more than [MaxPivots] callers it is an estimate from that many, evenly
// spread, and sampled is their number. O(pivots × m).
func (x *Index) Betweenness() (values []float64, sampled int) {
	g := x.g
	n := len(g.Nodes)
	// Own adjacency: only edges that count.
	ends := make([]uint32, n)
	var to []graph.ID
	var from []graph.ID
	at := 0
	for i := range n {
		for ; at < len(g.Edges) && int(g.Edges[at].From) == i; at++ {
			if e := &g.Edges[at]; flowEdges&(1<<e.Kind) != 0 && x.ranked(e) {
				to = append(to, e.To)
			}
		}
		ends[i] = uint32(len(to))
		if i == 0 && ends[i] > 0 || i > 0 && ends[i] > ends[i-1] {
			from = append(from, graph.ID(i))
		}
	}
	scale := 1.0
	if len(from) > MaxPivots {
		scale = float64(len(from)) / MaxPivots
		some := make([]graph.ID, MaxPivots)
		for i := range some {
			some[i] = from[i*len(from)/MaxPivots]
		}
		from, sampled = some, MaxPivots
	}
	values = make([]float64, n)
	sigma, delta := make([]float64, n), make([]float64, n)
	dist := make([]int32, n)
	for i := range dist {
		dist[i] = -1
	}
	var order []graph.ID
	for _, s := range from {
		order = append(order[:0], s)
		dist[s], sigma[s] = 0, 1
		for i := 0; i < len(order); i++ {
			v := order[i]
			lo := uint32(0)
			if v > 0 {
				lo = ends[v-1]
			}
			for _, w := range to[lo:ends[v]] {
				if dist[w] < 0 {
					dist[w] = dist[v] + 1
					order = append(order, w)
				}
				if dist[w] == dist[v]+1 {
					sigma[w] += sigma[v]
				}
			}
		}
		for i := len(order) - 1; i >= 0; i-- {
			v := order[i]
			lo := uint32(0)
			if v > 0 {
				lo = ends[v-1]
			}
			for _, w := range to[lo:ends[v]] {
				if dist[w] == dist[v]+1 {
					delta[v] += sigma[v] / sigma[w] * (1 + delta[w])
				}
			}
			if v != s {
				values[v] += delta[v] * scale
			}
		}
		for _, v := range order {
			dist[v], sigma[v], delta[v] = -1, 0, 0
		}
	}
	for i := range values {
		values[i] = math.Round(values[i]*100) / 100
	}
	return values, sampled
}

func (q *asking) complexity() error {
	measure := map[string]func(*Metric) float64{
		"":           func(m *Metric) float64 { return float64(m.Cyclomatic) },
		"cyclomatic": func(m *Metric) float64 { return float64(m.Cyclomatic) },
		"flow": func(m *Metric) float64 {
			flow := float64(m.FanIn) * float64(m.FanOut)
			return float64(m.Lines) * flow * flow
		},
	}[q.r.By]
	if measure == nil {
		return badRequest("complexity is measured by cyclomatic or flow, not by %q", q.r.By)
	}
	for i := range q.g.Nodes {
		n := &q.g.Nodes[i]
		if !n.Kind.IsCallable() || n.Flags.Has(graph.FlagTest) {
			continue
		}
		if v := measure(q.x.metric(graph.ID(i))); v > 0 {
			h := found(graph.ID(i))
			h.value, h.meter = v, true
			q.add(h)
		}
	}
	q.orderByValue()
	return nil
}

func (q *asking) largest() error {
	for i := range q.g.Nodes {
		n := &q.g.Nodes[i]
		if q.kinds == 0 && (!n.Kind.IsCallable() || n.Flags.Has(graph.FlagTest)) {
			continue
		}
		v := n.Tokens
		if n.Kind.IsContainer() || n.Kind.IsType() {
			v = n.EndLine - n.DefLine + 1 // the body of a type leaves its members out
		}
		if v > 1 {
			h := found(graph.ID(i))
			h.value, h.meter = float64(v), true
			q.add(h)
		}
	}
	q.orderByValue()
	return nil
}
