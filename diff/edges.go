package diff

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// Relation is a hierarchy edge that came or went: extends, implements, embeds
// or overrides. Both its ends are in both graphs, so that it is news by
// itself.
type Relation struct {
	Kind     graph.EdgeKind
	Added    bool
	From, To graph.ID // in the head graph if added, else in the base graph
}

// findEdge returns the position in g.Out(from) of an edge, or -1. O(log d).
func findEdge(g *graph.Graph, from graph.ID, k graph.EdgeKind, to, typ graph.ID) int {
	es := g.Out(from)
	i := sort.Search(len(es), func(i int) bool {
		e := &es[i]
		return cmp.Or(cmp.Compare(e.Kind, k), cmp.Compare(e.To, to), cmp.Compare(e.Type, typ)) >= 0
	})
	if i < len(es) && es[i].Kind == k && es[i].To == to && es[i].Type == typ {
		return i
	}
	return -1
}

// typeIn returns the head graph's node for the concrete type of an edge of the
// base graph.
func typeIn(d *Delta, t graph.ID) graph.ID {
	if t == graph.None {
		return t
	}
	return d.toHead[t]
}

// compareEdges counts the edges that came and went, and lists those of the
// hierarchy.
func compareEdges(d *Delta) {
	kept := make([]bool, len(d.Head.Edges))
	// Positions in Out are relative to a node's first edge.
	first := make([]int, len(d.Head.Nodes)+1)
	for i := range d.Head.Nodes {
		first[i+1] = first[i] + len(d.Head.Out(graph.ID(i)))
	}
	for i := range d.Base.Edges {
		e := &d.Base.Edges[i]
		from, to := d.toHead[e.From], d.toHead[e.To]
		if from != graph.None && to != graph.None && (e.Type == graph.None || d.toHead[e.Type] != graph.None) {
			if k := findEdge(d.Head, from, e.Kind, to, typeIn(d, e.Type)); k >= 0 {
				kept[first[from]+k] = true
				continue
			}
		}
		d.EdgesRemoved[e.Kind]++
		if hierarchy(e.Kind) && from != graph.None && to != graph.None && !(e.Kind == graph.EdgeImplements && Implicit(d.Base, e) && AsksNothing(d.Head, to)) {
			d.Relations = append(d.Relations, Relation{Kind: e.Kind, From: e.From, To: e.To})
		}
	}
	for i := range d.Head.Edges {
		if kept[i] {
			continue
		}
		e := &d.Head.Edges[i]
		d.EdgesAdded[e.Kind]++
		if to := d.toBase[e.To]; hierarchy(e.Kind) && d.toBase[e.From] != graph.None && to != graph.None && !(e.Kind == graph.EdgeImplements && Implicit(d.Head, e) && AsksNothing(d.Base, to)) {
			d.Relations = append(d.Relations, Relation{Kind: e.Kind, Added: true, From: e.From, To: e.To})
		}
	}
	slices.SortFunc(d.Relations, func(x, y Relation) int {
		xf, xt := d.relationKeys(&x)
		yf, yt := d.relationKeys(&y)
		return cmp.Or(cmp.Compare(xf, yf), cmp.Compare(x.Kind, y.Kind), cmp.Compare(xt, yt), boolCompare(x.Added, y.Added))
	})
}

// Implicit reports whether an edge has no place: a type implements an interface
// without saying so.
func Implicit(g *graph.Graph, e *graph.Edge) bool { return len(g.Sites(e)) == 0 }

// AsksNothing reports whether an interface has no method, so that all types
// implement it that need not say so. Graphs have no edges for that.
func AsksNothing(g *graph.Graph, iface graph.ID) bool {
	n := &g.Nodes[iface]
	if n.Kind != graph.KindInterface {
		return false
	}
	for _, k := range []graph.EdgeKind{graph.EdgeEmbeds, graph.EdgeExtends} {
		if len(g.OutKind(iface, k)) > 0 {
			return false
		}
	}
	// What belongs to a declaration has a key that begins with its key.
	for _, sep := range []string{".", "#"} {
		prefix := n.Key + sep
		i := sort.Search(len(g.Nodes), func(i int) bool { return g.Nodes[i].Key >= prefix })
		for ; i < len(g.Nodes) && strings.HasPrefix(g.Nodes[i].Key, prefix); i++ {
			if g.Nodes[i].Parent == iface && g.Nodes[i].Kind == graph.KindMethod {
				return false
			}
		}
	}
	return true
}

func (d *Delta) relationKeys(r *Relation) (from, to string) {
	g := d.Base
	if r.Added {
		g = d.Head
	}
	return g.Nodes[r.From].Key, g.Nodes[r.To].Key
}

func boolCompare(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}

func hierarchy(k graph.EdgeKind) bool {
	return k == graph.EdgeExtends || k == graph.EdgeImplements || k == graph.EdgeEmbeds || k == graph.EdgeOverrides
}

// Supertypes returns the types that t extends, embeds or implements, at any
// distance, t included.
func Supertypes(g *graph.Graph, t graph.ID) []graph.ID {
	out := []graph.ID{t}
	for i := 0; i < len(out); i++ {
		for _, edge := range g.Out(out[i]) {
			switch edge.Kind {
			case graph.EdgeExtends, graph.EdgeEmbeds, graph.EdgeImplements:
				if !slices.Contains(out, edge.To) {
					out = append(out, edge.To)
				}
			}
		}
	}
	return out
}

// IsFitted reports whether types are known to fit n, which they do not name, so that
// values of them are given where n is asked for.
func IsFitted(g *graph.Graph, n graph.ID) bool {
	return n != graph.None && slices.ContainsFunc(g.InKind(n, graph.EdgeImplements), func(i uint32) bool { return Implicit(g, &g.Edges[i]) })
}

// IsGiven reports whether some code gives a value of type t, or of one that extends it,
// as the interface iface or as one that extends that.
func IsGiven(g *graph.Graph, t, iface graph.ID) bool {
	types := extending(g, t)
	return slices.ContainsFunc(extending(g, iface), func(i graph.ID) bool {
		return slices.ContainsFunc(g.InKind(i, graph.EdgeConverts), func(x uint32) bool {
			_, ok := slices.BinarySearch(types, g.Edges[x].Type)
			return ok
		})
	})
}

// extending returns a type and those that extend it, at any distance, sorted.
func extending(g *graph.Graph, t graph.ID) []graph.ID {
	list, seen := []graph.ID{t}, map[graph.ID]bool{t: true}
	for i := 0; i < len(list); i++ {
		for _, x := range g.InKind(list[i], graph.EdgeExtends) {
			if from := g.Edges[x].From; !seen[from] {
				seen[from] = true
				list = append(list, from)
			}
		}
	}
	slices.Sort(list)
	return list
}
