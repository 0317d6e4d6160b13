package impact

import "github.com/codekg/kg/analyzer/graph"

// What a container hands out is named by who provides it, and asked for by type:
// who gets it does not name who provides it.

// unwritten reports whether an edge says that a class is given what another
// declaration of g provides, which the source of the class does not name.
func (e *engine) unwritten(g *graph.Graph, edge *graph.Edge) bool {
	return edge.Kind == graph.EdgeInjects && edge.Certainty != graph.Exact && !e.d.RulesFor(&g.Nodes[edge.From]).Dynamic
}

// notProvided adds who is given what a declaration provided that is gone: whether
// something else provides it cannot be told.
func (e *engine) notProvided(edge *graph.Edge) {
	p, ok := e.pair(edge.From)
	if !ok {
		return
	}
	var sites []Site
	for _, s := range e.base.Sites(edge) {
		at, _, _ := e.place(p, &s)
		at.State = Unknown
		sites = append(sites, at)
	}
	e.addJudged(edge, p.head, Injector, ShouldReview, sites)
}
