package impact

import (
	"slices"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// takenApart judges the patterns that take values of a record apart into its
// components, where the constructor that takes the components changed.
func (e *engine) takenApart(c *diff.Change) {
	n := &e.head.Nodes[c.Head]
	if n.Kind != graph.KindConstructor || n.Parent == graph.None || e.head.Nodes[n.Parent].Kind != graph.KindRecord || !e.canonical(c.Head) {
		return
	}
	f := fitsYes
	if len(c.Details) == 0 || c.Has(diff.ParamType, diff.ParamReordered) {
		f = fitsUnknown
	}
	for _, i := range e.head.InKind(n.Parent, graph.EdgeUsesType) {
		edge := &e.head.Edges[i]
		var sites []Site
		worst := fitsYes
		for _, s := range e.head.Sites(edge) {
			if s.Args < 0 {
				continue
			}
			fits := f
			if int(s.Args) != len(n.Signature.Params) {
				fits = fitsArity
			}
			worst = min(worst, fits)
			sites = append(sites, Site{File: e.head.Files[s.File].Path, Line: s.Line, Col: s.Col, State: e.judge(edge.From, &s, fits)})
		}
		if worst == fitsYes && !slices.ContainsFunc(sites, func(s Site) bool { return s.State == Edited }) {
			continue
		}
		e.add(Impacted{ID: edge.From, Relation: relationOf[edge.Kind], Severity: MustUpdate, Depth: 1, Certainty: edge.Certainty,
			Sites: sites, Path: []Hop{e.hop(e.head, edge)}})
	}
}

// canonical reports whether a constructor of the head graph takes the components
// of its record: a parameter for each field of values, of the same name.
func (e *engine) canonical(constructor graph.ID) bool {
	n := &e.head.Nodes[constructor]
	k := 0
	for _, m := range e.headKids.of(n.Parent) {
		x := &e.head.Nodes[m]
		if x.Kind != graph.KindField || x.Flags.Has(graph.FlagStatic) {
			continue
		}
		if !slices.ContainsFunc(n.Signature.Params, func(p graph.Param) bool { return p.Name == x.Name }) {
			return false
		}
		k++
	}
	return k == len(n.Signature.Params)
}
