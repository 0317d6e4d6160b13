package impact

import (
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// demands finds who has to follow a new declaration although nothing of theirs
// names it: who uses an annotation without its new element, who tells the
// members of an enumeration, or the types below a sealed one, apart and covers all
// but the new one, and who makes values of a type without a constructor that has
// one now.
func (e *engine) demands(h graph.ID) {
	n := &e.head.Nodes[h]
	if n.Kind.IsType() {
		e.unhandled(h)
		return
	}
	owner := e.d.ToBase(n.Parent)
	if n.Parent == graph.None || owner == graph.None {
		return
	}
	switch {
	case n.Kind == graph.KindEnumMember:
		e.uncovered(owner)
	case n.Kind == graph.KindConstructor:
		e.constructed(owner, n.Parent)
	case n.Kind == graph.KindMethod && e.head.Nodes[n.Parent].Kind == graph.KindAnnotation && n.Flags.Has(graph.FlagAbstract):
		es := e.base.OutKind(owner, graph.EdgeAnnotates)
		for i := range es {
			e.demand(&es[i], es[i].To, func(*graph.Site) bool { return true })
		}
	}
}

// demand adds the user of an edge of the base graph with those of its sites that
// do not fit any more.
func (e *engine) demand(edge *graph.Edge, user graph.ID, misfit func(*graph.Site) bool) {
	p, ok := e.pair(user)
	if !ok {
		return
	}
	var sites []Site
	base := e.base.Sites(edge)
	for i := range base {
		if !misfit(&base[i]) {
			continue
		}
		at, edited, ok := e.place(p, &base[i])
		switch {
		case !ok:
			at.State = Unknown
		case edited:
			at.State = Edited
		default:
			at.State = Broken
		}
		sites = append(sites, at)
	}
	e.addJudged(edge, p.head, relationOf[edge.Kind], MustUpdate, sites)
}

// addJudged adds the user of an edge of the base graph with the sites that were
// judged, if there are any.
func (e *engine) addJudged(edge *graph.Edge, user graph.ID, r Relation, severity Severity, sites []Site) {
	if len(sites) == 0 {
		return
	}
	if edge.Certainty == graph.Ambiguous {
		severity = MayBeAffected
	}
	e.add(Impacted{ID: user, Relation: r, Severity: severity, Depth: 1,
		Certainty: edge.Certainty, Sites: sites, Path: []Hop{e.baseHop(edge, sites)}})
}

// uncovered judges who has to tell all members of an enumeration apart.
func (e *engine) uncovered(enum graph.ID) {
	seen := map[graph.ID]bool{}
	for _, m := range e.baseKids.of(enum) {
		for _, x := range e.base.InKind(m, graph.EdgeReads) {
			edge := &e.base.Edges[x]
			first := true // one case stands for all of its switch
			if !seen[edge.From] {
				e.demand(edge, edge.From, func(s *graph.Site) bool {
					is := first && s.Flags&graph.SiteCase != 0
					first = first && !is
					seen[edge.From] = seen[edge.From] || is
					return is
				})
			}
		}
	}
}

// unhandled judges who has a case for each type below one that the new type h
// extends or implements. A case for a type that h is below is one for h, too.
func (e *engine) unhandled(h graph.ID) {
	above := []graph.ID{h} // of the head graph
	var direct, covering []graph.ID
	for i := 0; i < len(above) && len(above) < maxAbove; i++ {
		for _, k := range hierarchyKinds {
			for _, x := range e.head.OutKind(above[i], k) {
				if slices.Contains(above, x.To) {
					continue
				}
				above = append(above, x.To)
				if b := e.d.ToBase(x.To); b != graph.None {
					covering = append(covering, b)
					if i == 0 {
						direct = append(direct, b)
					}
				}
			}
		}
	}
	isCase := func(s *graph.Site) bool { return s.Flags&graph.SiteCase != 0 }
	seen := map[graph.ID]bool{}
	for _, super := range direct {
		for _, k := range hierarchyKinds {
			for _, s := range e.base.InKind(super, k) {
				for _, x := range e.base.InKind(e.base.Edges[s].From, graph.EdgeUsesType) {
					edge := &e.base.Edges[x]
					covers := func(t graph.ID) bool {
						es := e.base.OutKind(edge.From, graph.EdgeUsesType)
						return slices.ContainsFunc(es, func(c graph.Edge) bool {
							return c.To == t && slices.ContainsFunc(e.base.Sites(&c), func(s graph.Site) bool { return isCase(&s) })
						})
					}
					sites := e.base.Sites(edge)
					first := slices.IndexFunc(sites, func(s graph.Site) bool { return isCase(&s) })
					if first < 0 || seen[edge.From] || slices.ContainsFunc(covering, covers) {
						continue
					}
					seen[edge.From] = true
					e.demand(edge, edge.From, func(s *graph.Site) bool { return *s == sites[first] })
				}
			}
		}
	}
}

// maxAbove bounds the types above one that are looked at.
const maxAbove = 256

var hierarchyKinds = []graph.EdgeKind{graph.EdgeExtends, graph.EdgeImplements}

// constructed judges who makes values of a type that had no constructor, or of
// one that extends it.
func (e *engine) constructed(was, is graph.ID) {
	declares := func(kids *children, g *graph.Graph, t graph.ID) []graph.ID {
		return slices.DeleteFunc(slices.Clone(kids.of(t)), func(m graph.ID) bool { return g.Nodes[m].Kind != graph.KindConstructor })
	}
	rules := e.d.RulesFor(&e.head.Nodes[is])
	if rules.Dynamic || len(declares(e.baseKids, e.base, was)) > 0 {
		return
	}
	now := declares(e.headKids, e.head, is)
	misfit := func(c call) bool {
		return !slices.ContainsFunc(now, func(m graph.ID) bool { return arity(c, e.head.Nodes[m].Signature.Params, &rules) != fitsArity })
	}
	for _, x := range e.base.InKind(was, graph.EdgeCalls) {
		edge := &e.base.Edges[x]
		e.demand(edge, edge.From, func(s *graph.Site) bool {
			c, ok := newCall(e.base, s)
			return ok && misfit(c)
		})
	}
	if !misfit(call{}) {
		return
	}
	for _, x := range e.base.InKind(was, graph.EdgeExtends) {
		edge := &e.base.Edges[x]
		p, ok := e.pair(edge.From)
		if !ok || len(declares(e.headKids, e.head, p.head)) > 0 {
			continue // it says itself what it passes
		}
		n := &e.head.Nodes[p.head]
		at := Site{File: n.File, Line: n.Line, Col: n.Col, State: Unknown} // who makes one may pass what is missing
		e.add(Impacted{ID: p.head, Relation: Subtype, Severity: MustUpdate, Depth: 1, Certainty: edge.Certainty,
			Sites: []Site{at}, Path: []Hop{e.hopAt(edge, at)}})
	}
}
