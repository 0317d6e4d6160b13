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
	// The names of what only one graph has there, and how many of them the other
	// graph has nowhere, or calls otherwise.
	only := func(s, other *side, to []graph.ID, xs, ys []uint32) (names []string, lost int) {
		there := func(from graph.ID) bool {
			is := to[from]
			return is != graph.None && slices.ContainsFunc(ys, func(e uint32) bool { return other.g.Edges[e].From == is })
		}
		for _, e := range xs {
			from := s.g.Edges[e].From
			is := to[from]
			if there(from) || slices.Contains(ds.rules.Unread, s.g.Nodes[from].Key) {
				continue
			}
			if p := s.g.Nodes[from].Parent; p != graph.None && s.g.Nodes[p].Kind == graph.KindAnnotation && !there(p) {
				continue // an element of an annotation that is not there at all
			}
			names = append(names, s.g.Nodes[from].QName)
			if renamedOrGone(s.g, from, other.g, is) {
				lost++
			}
		}
		return names, lost
	}
	went, lost := only(&m.base, &m.head, m.toHead, x, y)
	came, found := only(&m.head, &m.base, m.toBase, y, x)
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
