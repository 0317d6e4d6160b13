package diff

import (
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// compareAnnotations compares what annotates a declaration. An annotation that
// is written as before, and has another name now or is gone itself, is no
// change of what it annotates, which is a user of it.
func (m *matcher) compareAnnotations(ds *details, b, h graph.ID) {
	x, y := m.base.g.InKind(b, graph.EdgeAnnotates), m.head.g.InKind(h, graph.EdgeAnnotates)
	if len(x) == 0 && len(y) == 0 {
		return
	}
	var went, came []string
	lost, found := 0, 0 // of these, what the other graph has not, or calls otherwise
	for _, e := range x {
		from := m.base.g.Edges[e].From
		to := m.toHead[from]
		if to == graph.None || !slices.ContainsFunc(y, func(e uint32) bool { return m.head.g.Edges[e].From == to }) {
			went = append(went, m.base.g.Nodes[from].QName)
			if renamedOrGone(m.base.g, from, m.head.g, to) {
				lost++
			}
		}
	}
	for _, e := range y {
		from := m.head.g.Edges[e].From
		was := m.toBase[from]
		if was == graph.None || !slices.ContainsFunc(x, func(e uint32) bool { return m.base.g.Edges[e].From == was }) {
			came = append(came, m.head.g.Nodes[from].QName)
			if renamedOrGone(m.head.g, from, m.base.g, was) {
				found++
			}
		}
	}
	// As many lines are above the name. Where types follow from values, what an
	// annotation means may also be lost with a value that is not known any more.
	v, w := &m.base.g.Nodes[b], &m.head.g.Nodes[h]
	if v.Line-v.DefLine == w.Line-w.DefLine && (len(went) == 0 || len(came) == 0) &&
		(ds.rules.Dynamic || lost == len(went) && found == len(came)) {
		return
	}
	for _, name := range went {
		ds.at(AnnotationRemoved, -1, name, name, "")
	}
	for _, name := range came {
		ds.at(AnnotationAdded, -1, name, "", name)
	}
}

// renamedOrGone reports whether n, which is declared in g, is not in the other
// graph, or has another name there as to.
func renamedOrGone(g *graph.Graph, n graph.ID, other *graph.Graph, to graph.ID) bool {
	if g.Nodes[n].Kind == graph.KindExternal {
		return false
	}
	return to == graph.None || other.Nodes[to].Name != g.Nodes[n].Name
}
