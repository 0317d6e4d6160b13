package impact

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// aliasUses finds who uses a changed function through a value that has its type,
// such as a field that is declared as typeof f or a variable that holds it: a
// call there is a use of the value. Time is linear in the uses of the values.
func (e *engine) aliasUses(c *diff.Change) {
	if !c.Breaking || !e.structural(e.head, c.Head) || !e.head.Nodes[c.Head].Kind.IsCallable() || !e.structural(e.base, c.Base) {
		return
	}
	was, is := functionType(&e.base.Nodes[c.Base].Signature), functionType(&e.head.Nodes[c.Head].Signature)
	if was == is {
		return
	}
	for _, i := range e.head.InKind(c.Head, graph.EdgeReferences) {
		alias := &e.head.Edges[i]
		v, b := &e.head.Nodes[alias.From], e.d.ToBase(alias.From)
		if b == graph.None || v.Kind != graph.KindField && v.Kind != graph.KindVariable && v.Kind != graph.KindConstant ||
			v.Signature.Type != is || e.base.Nodes[b].Signature.Type != was {
			continue
		}
		for _, k := range e.head.In(alias.From) {
			use := &e.head.Edges[k]
			if use.Kind != graph.EdgeReads && use.Kind != graph.EdgeReferences && use.Kind != graph.EdgeCalls || use.From == c.Head || !e.reads(e.d.ToBase(use.From), b) {
				continue
			}
			var sites []Site
			for _, s := range e.head.Sites(use) {
				sites = append(sites, Site{File: e.head.Files[s.File].Path, Line: s.Line, Col: s.Col, State: e.judge(use.From, &s, fitsUnknown)})
			}
			severity := MustUpdate
			if certainty := max(use.Certainty, alias.Certainty); certainty == graph.Ambiguous {
				severity = MayBeAffected
			}
			e.add(Impacted{ID: use.From, Relation: relationOf[use.Kind], Severity: severity, Depth: 2, Certainty: max(use.Certainty, alias.Certainty),
				Sites: sites, Path: []Hop{e.hop(e.head, use), e.hop(e.head, alias)}})
		}
	}
}

// reads reports whether a user of the base graph uses a value there.
func (e *engine) reads(user, value graph.ID) bool {
	return user != graph.None && slices.ContainsFunc(e.base.Out(user), func(x graph.Edge) bool { return x.To == value })
}

// functionType spells the type of a function as that of a value which holds it
// is spelled.
func functionType(s *graph.Signature) string {
	var b strings.Builder
	list := func(ps []graph.Param, flags bool) {
		for i, p := range ps {
			if i > 0 {
				b.WriteString(", ")
			}
			if flags && p.Flags&graph.ParamVariadic != 0 {
				b.WriteString("...")
			}
			if strings.HasPrefix(p.Type, "?") { // one that is not known, by the name that the source has for it
				b.WriteByte('?')
				continue
			}
			b.WriteString(p.Type)
		}
	}
	b.WriteString("func(")
	list(s.Params, true)
	b.WriteByte(')')
	if len(s.Results) > 0 {
		b.WriteString(" (")
		list(s.Results, false)
		b.WriteByte(')')
	}
	return b.String()
}
