package impact

import (
	"slices"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// variantLost finds the users of a declaration that fewer builds have. They do
// not compile there, unless the rest was widened, which a graph does not tell:
// a file that did not change was not. Of the builds that are lost only the
// default one is known to have the users.
func (e *engine) variantLost(c *diff.Change) {
	b, h := &e.base.Nodes[c.Base], &e.head.Nodes[c.Head]
	f := fitsUnknown
	left := func(v graph.Variant) bool { return v.File == h.File }
	if i, j := e.base.FileIndex(h.File), e.head.FileIndex(h.File); len(h.Variants) == 0 && b.File != h.File && i >= 0 && j >= 0 &&
		e.base.Files[i].Hash == e.head.Files[j].Hash && slices.ContainsFunc(b.Variants, left) {
		f = fitsNo
	}
	for _, i := range e.head.In(c.Head) {
		edge := &e.head.Edges[i]
		switch edge.Kind {
		case graph.EdgeCalls, graph.EdgeReferences, graph.EdgeInstantiates, graph.EdgeReads, graph.EdgeWrites,
			graph.EdgeUsesType, graph.EdgeEmbeds, graph.EdgeExtends:
		default:
			continue
		}
		if user := &e.head.Nodes[edge.From]; e.d.ToBase(edge.From) == graph.None || user.File == h.File {
			continue // written for what is left, or built with it
		}
		severity := MustUpdate
		if edge.Certainty == graph.Ambiguous {
			severity = MayBeAffected
		}
		var sites []Site
		for _, s := range e.head.Sites(edge) {
			sites = append(sites, Site{File: e.head.Files[s.File].Path, Line: s.Line, Col: s.Col, State: e.judge(edge.From, &s, f)})
		}
		e.add(Impacted{ID: edge.From, Relation: relationOf[edge.Kind], Severity: severity, Depth: 1,
			Certainty: edge.Certainty, Sites: sites, Path: []Hop{e.hop(e.head, edge)}})
	}
}
