package impact

import (
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// unnamed judges who gives a function, or a value of a type without a node, as
// an interface or abstract type that asks for something else now: its method b
// of the base graph is the method h of the head graph, or h is new and b is
// None. Of types inside of bodies, the graph has which methods they provide;
// of functions, that they are given.
func (e *engine) unnamed(b, h graph.ID) {
	if h == graph.None {
		return
	}
	iface := e.d.ToBase(e.head.Nodes[h].Parent)
	if iface == graph.None {
		return
	}
	fit := fitsNo
	if b != graph.None {
		was, is := &e.base.Nodes[b].Signature, &e.head.Nodes[h].Signature
		switch {
		case len(e.c.Details) == 0:
			fit = fitsUnknown
		case len(was.Params) != len(is.Params):
		case sameShape(was, is):
			return // another name: functions have none
		default:
			fit = fitsUnknown // the types of a function's parameters follow
		}
	}
	for _, i := range append([]graph.ID{iface}, e.baseSubtypes(iface)...) {
		for _, x := range e.base.InKind(i, graph.EdgeConverts) {
			edge := &e.base.Edges[x]
			p, ok := e.pair(edge.From)
			if edge.Type != graph.None || !ok || b != graph.None && provided(e.base, edge.From, b) {
				continue // those that provide the method are its implementers
			}
			e.judgeUnnamed(edge, p, h, fit)
		}
	}
}

func (e *engine) judgeUnnamed(edge *graph.Edge, p pairing, h graph.ID, fit fit) {
	var sites []Site
	for _, s := range e.base.Sites(edge) {
		at, edited, ok := e.place(p, &s)
		switch {
		case !ok || fit == fitsUnknown && !edited:
			at.State = Unknown
		case provided(e.head, p.head, h):
			at.State = Edited
		case edited:
			at.State = Edited
		default:
			at.State = Broken
		}
		sites = append(sites, at)
	}
	e.addJudged(edge, p.head, Converter, MustUpdate, sites)
}

// provided reports whether a declaration, or what stands in it, implements or
// overrides the method m.
func provided(g *graph.Graph, from, m graph.ID) bool {
	return slices.ContainsFunc(g.OutKind(from, graph.EdgeImplements), func(x graph.Edge) bool { return x.To == m }) ||
		slices.ContainsFunc(g.OutKind(from, graph.EdgeOverrides), func(x graph.Edge) bool { return x.To == m })
}

// implementedIn returns the place of the edge by which a method that stands
// inside of a body implements another one, and whether the change touched it;
// ok is false for methods that are nodes themselves.
func (e *engine) implementedIn(edge *graph.Edge, p pairing) (at Site, edited, ok bool) {
	sites := e.base.Sites(edge)
	if len(sites) == 0 {
		return at, false, false
	}
	at, edited, known := e.place(p, &sites[0])
	return at, edited || !known, true
}
