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
	if e.head.Nodes[c.Head].Kind == graph.KindFile {
		e.fileLost(c)
		return
	}
	b, h := &e.base.Nodes[c.Base], &e.head.Nodes[c.Head]
	f := fitsUnknown
	left := func(v graph.Variant) bool { return v.File == h.File }
	if i, j := e.base.FileIndex(h.File), e.head.FileIndex(h.File); len(h.Variants) == 0 && b.File != h.File && i >= 0 && j >= 0 &&
		e.base.Files[i].Hash == e.head.Files[j].Hash && slices.ContainsFunc(b.Variants, left) {
		f = fitsNo
	}
	e.lostIn(c.Head, f)
}

// fileLost finds the users of what a file declares that fewer builds have, or
// others. Of what other files declare for the other builds, it is them that lost
// a variant.
func (e *engine) fileLost(c *diff.Change) {
	for _, n := range e.declaredIn(e.head.Nodes[c.Head].File) {
		if len(e.head.Nodes[n].Variants) == 0 && e.d.ToBase(n) != graph.None {
			e.lostIn(n, fitsUnknown)
		}
	}
}

// declaredIn returns the declarations of a file of the head graph.
func (e *engine) declaredIn(file string) []graph.ID {
	if e.byFile == nil {
		e.byFile = map[string][]graph.ID{}
		for i := range e.head.Nodes {
			if n := &e.head.Nodes[i]; n.File != "" && n.Kind != graph.KindFile {
				e.byFile[n.File] = append(e.byFile[n.File], graph.ID(i))
			}
		}
	}
	return e.byFile[file]
}

// constraint returns which builds have a file of the head graph; empty: all.
func (e *engine) constraint(file string) string {
	if i := e.head.FileIndex(file); i >= 0 && e.head.Files[i].Node != graph.None {
		for _, v := range e.head.Nodes[e.head.Files[i].Node].Variants {
			return v.Constraint
		}
	}
	return ""
}

// lostIn judges the users of a declaration in other files.
func (e *engine) lostIn(n graph.ID, f fit) {
	h := &e.head.Nodes[n]
	for _, i := range e.head.In(n) {
		edge := &e.head.Edges[i]
		switch edge.Kind {
		case graph.EdgeCalls, graph.EdgeReferences, graph.EdgeInstantiates, graph.EdgeReads, graph.EdgeWrites,
			graph.EdgeUsesType, graph.EdgeEmbeds, graph.EdgeExtends:
		default:
			continue
		}
		if user := &e.head.Nodes[edge.From]; e.d.ToBase(edge.From) == graph.None || user.File == h.File {
			continue // written for what is left, or built with it
		} else if c := e.constraint(user.File); c != "" && c == e.constraint(h.File) {
			continue // in the same builds
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
