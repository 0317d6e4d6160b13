package impact

import "github.com/codekg/kg/analyzer/graph"

// unset judges the fields that nothing gives a value any more because their type's
// only constructor t of the base graph is gone: those that are set once and have to
// be.
func (e *engine) unset(t graph.ID) {
	owner := e.base.Nodes[t].Parent
	if e.base.Nodes[t].Kind != graph.KindConstructor || owner == graph.None || !e.overloaded(t) {
		return
	}
	is := e.d.ToHead(owner)
	if is == graph.None {
		return
	}
	for _, m := range e.headKids.of(is) {
		if e.head.Nodes[m].Kind == graph.KindConstructor && (m != t || e.base != e.head) {
			return // it sets them, or calls one that did
		}
	}
	for _, edge := range e.base.OutKind(t, graph.EdgeWrites) {
		f := &e.base.Nodes[edge.To]
		h := e.d.ToHead(edge.To)
		if f.Kind != graph.KindField || f.Parent != owner || !f.Flags.Has(graph.FlagFinal) || f.Flags.Has(graph.FlagStatic) || h == graph.None ||
			!e.head.Nodes[h].Flags.Has(graph.FlagFinal) || e.setElsewhere(edge.To, t) || e.base != e.head && len(e.head.InKind(h, graph.EdgeWrites)) > 0 {
			continue
		}
		n := &e.head.Nodes[h]
		at := Site{File: n.File, Line: n.Line, Col: n.Col, State: Broken}
		hop := e.hop(e.base, &edge)
		e.add(Impacted{ID: h, Relation: Initialised, Severity: MustUpdate, Depth: 1, Certainty: edge.Certainty, Sites: []Site{at}, Path: []Hop{hop}})
	}
}

// setElsewhere reports whether something besides the constructor t gives a field of
// the base graph a value.
func (e *engine) setElsewhere(f, t graph.ID) bool {
	for _, i := range e.base.InKind(f, graph.EdgeWrites) {
		if e.base.Edges[i].From != t {
			return true
		}
	}
	return false
}
