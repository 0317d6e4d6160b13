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
		case h != graph.None && provided(e.head, p.head, h):
			at.State = Edited
		case edited:
			at.State = Edited
		case p.same && !e.convertsAt(p.head, e.d.ToHead(edge.To), &at) && e.callsOther(p, &s, &at):
			continue // it is given to another overload now, which asks for something else
		default:
			at.State = Broken
		}
		sites = append(sites, at)
	}
	if len(sites) > 0 {
		e.addJudged(edge, p.head, Converter, MustUpdate, sites)
	}
}

// convertsAt reports whether a user of the head graph gives something as the given
// interface at a place.
func (e *engine) convertsAt(user, iface graph.ID, at *Site) bool {
	return slices.ContainsFunc(e.headSites(graph.EdgeConverts, user, iface), func(s Site) bool {
		return s.File == at.File && s.Line == at.Line && s.Col == at.Col
	})
}

// callsOther reports whether an unchanged user calls another overload today, on the
// line of a site that was in the base graph and is at a place in the head tree.
func (e *engine) callsOther(p pairing, was *graph.Site, at *Site) bool {
	for _, b := range e.base.OutKind(p.base, graph.EdgeCalls) {
		for _, s := range e.base.Sites(&b) {
			if s.Line != was.Line || s.File != was.File {
				continue
			}
			for _, h := range e.head.OutKind(p.head, graph.EdgeCalls) {
				if e.head.Nodes[h.To].Name != e.base.Nodes[b.To].Name || h.To == e.d.ToHead(b.To) {
					continue
				}
				if slices.ContainsFunc(e.head.Sites(&h), func(x graph.Site) bool {
					return x.Line == at.Line && x.Col == s.Col && e.head.Files[x.File].Path == at.File
				}) {
					return true
				}
			}
		}
	}
	return false
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
