package impact

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// Where types fit by their shape, the graph has each place at which a value is
// given as an interface that its type need not name. Whether it still fits is
// whether the head graph has the place, too.

// structural reports whether values fit the types of a declaration by shape.
func (e *engine) structural(g *graph.Graph, n graph.ID) bool {
	return n != graph.None && e.d.RulesFor(&g.Nodes[n]).Structural
}

// refit judges the places that gave a value as the interface, or as one that
// extends it, of which a member changed, came or went.
func (e *engine) refit(iface graph.ID) {
	for _, i := range append([]graph.ID{iface}, e.baseSubtypes(iface)...) {
		if e.base.Nodes[i].Kind != graph.KindInterface {
			continue
		}
		for _, x := range e.base.InKind(i, graph.EdgeConverts) {
			e.refitEdge(&e.base.Edges[x])
		}
	}
}

// refitValues judges the places that gave values of the type t, of which a
// member changed or went, as an interface.
func (e *engine) refitValues(t graph.ID) {
	for _, s := range append([]graph.ID{t}, e.baseSubtypes(t)...) {
		for _, i := range e.givenAs(s) {
			e.refitEdge(&e.base.Edges[i])
		}
	}
}

// givenAs returns the edges of the base graph that give values of type t as
// interfaces.
func (e *engine) givenAs(t graph.ID) []uint32 {
	if e.given == nil {
		e.given = map[graph.ID][]uint32{}
		for i := range e.base.Edges {
			if x := &e.base.Edges[i]; x.Kind == graph.EdgeConverts && x.Type != graph.None {
				e.given[x.Type] = append(e.given[x.Type], uint32(i))
			}
		}
	}
	return e.given[t]
}

// refitEdge judges the sites of one edge of the base graph.
func (e *engine) refitEdge(edge *graph.Edge) {
	p, ok := e.pair(edge.From)
	if !ok || e.d.ToHead(edge.To) == graph.None || edge.Type != graph.None && e.d.ToHead(edge.Type) == graph.None {
		return // a change of its own
	}
	var sites []Site
	base := e.base.Sites(edge)
	for i := range base {
		at, edited, ok := e.place(p, &base[i])
		switch f := e.refits(p, edge, at); {
		case f == fitsYes:
			continue
		case !ok || f == fitsUnknown:
			at.State = Unknown
		case edited:
			at.State = Edited
		default:
			at.State = Broken
		}
		sites = append(sites, at)
	}
	severity := MustUpdate
	if all(sites, Unknown) {
		severity = ShouldReview
	}
	e.addJudged(edge, p.head, Converter, severity, sites)
}

// refits reports whether the head graph has a conversion at a place.
func (e *engine) refits(p pairing, edge *graph.Edge, at Site) fit {
	if e.d.Base == e.d.Head {
		return fitsUnknown
	}
	to, typ := e.d.ToHead(edge.To), graph.None
	if edge.Type != graph.None {
		typ = e.d.ToHead(edge.Type)
	}
	es := e.head.OutKind(p.head, graph.EdgeConverts)
	for i := range es {
		if es[i].To != to || es[i].Type != typ {
			continue
		}
		if slices.ContainsFunc(e.head.Sites(&es[i]), func(s graph.Site) bool {
			return s.Line == at.Line && s.Col == at.Col && e.head.Files[s.File].Path == at.File
		}) {
			if es[i].Certainty == graph.Exact {
				return fitsYes
			}
			return fitsUnknown
		}
	}
	if e.vague(typ) || e.vague(to) {
		return fitsUnknown
	}
	return fitsNo
}

// vague reports whether a type of the head graph, or one above it, extends
// something that is not known.
func (e *engine) vague(t graph.ID) bool {
	return t != graph.None && slices.ContainsFunc(diff.Supertypes(e.head, t), func(s graph.ID) bool {
		return slices.ContainsFunc(e.head.Nodes[s].Signature.Bases, func(b string) bool { return b == "" || strings.Contains(b, "?") })
	})
}

// overrides decides whether a method of the head graph may stand for another,
// the changed one, where types fit by their shape: it may ask for fewer
// arguments, and for none that the other is not given.
func overrides(sub, super *graph.Signature) fit {
	least, most := 0, 0
	for _, p := range sub.Params {
		if p.Flags&(graph.ParamOptional|graph.ParamVariadic) == 0 {
			least++
		}
	}
	for _, p := range super.Params {
		if p.Flags&graph.ParamVariadic != 0 {
			most = len(sub.Params)
			break
		}
		most++
	}
	if least > most {
		return fitsNo
	}
	f := fitsYes
	for i := range min(len(sub.Params), len(super.Params)) {
		if sub.Params[i].Type != super.Params[i].Type {
			f = fitsUnknown
		}
	}
	if !slices.EqualFunc(sub.Results, super.Results, func(x, y graph.Param) bool { return x.Type == y.Type }) {
		f = fitsUnknown
	}
	return f
}

// declaresMember reports whether a type of the head graph that is no interface,
// or one that it extends, declares a member of the name of m.
func (e *engine) declaresMember(t, m graph.ID) bool {
	name := e.head.Nodes[m].Name
	return slices.ContainsFunc(diff.Supertypes(e.head, t), func(s graph.ID) bool {
		return e.head.Nodes[s].Kind != graph.KindInterface && (e.head.Nodes[s].Kind == graph.KindExternal ||
			slices.ContainsFunc(e.headKids.of(s), func(x graph.ID) bool { return e.head.Nodes[x].Name == name }))
	})
}

// memberChanged judges the values that were given as, or had, a type whose
// member b of the base graph is h now, or gone.
func (e *engine) memberChanged(b, h graph.ID) {
	n := &e.base.Nodes[b]
	owner := n.Parent
	if owner == graph.None || !e.base.Nodes[owner].Kind.IsType() || e.d.ToHead(owner) == graph.None || !e.structural(e.base, b) {
		return
	}
	if n.Kind != graph.KindField && n.Kind != graph.KindMethod {
		return
	}
	wider, narrower := false, false // all that fitted fits; it fits all that it did
	if h != graph.None && e.d.Base != e.d.Head && n.Kind == graph.KindMethod && e.head.Nodes[h].Name == n.Name {
		was, is := &n.Signature, &e.head.Nodes[h].Signature
		wider, narrower = overrides(was, is) == fitsYes, overrides(is, was) == fitsYes
	}
	if !wider {
		e.refit(owner)
	}
	if !narrower {
		e.refitValues(owner)
	}
}
