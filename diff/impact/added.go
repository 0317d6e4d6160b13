package impact

import (
	"slices"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// added finds whom a new declaration, or anything inside it, concerns: who has
// to provide a method that an interface asks for now, who is dispatched to a
// new override, and who uses it without having been edited.
func (e *engine) added(c *diff.Change) {
	if c.Has(diff.ContractAdded) {
		e.contractGrew(c.Head)
	}
	for _, n := range e.headKids.below(c.Head) {
		if e.d.ToBase(n) != graph.None {
			continue
		}
		e.captured(n)
		e.demands(n)
		if x := &e.head.Nodes[n]; x.Kind == graph.KindMethod && !x.Flags.Has(graph.FlagTest) {
			e.newlyDispatched(n)
		}
	}
	if x := &e.head.Nodes[c.Head]; x.Kind == graph.KindField && x.Parent != graph.None {
		e.byPosition(e.d.ToBase(x.Parent), x.Parent)
	}
}

// byPosition judges who makes values of a type with all fields in their order,
// without names: a field that came or went breaks that.
func (e *engine) byPosition(base, head graph.ID) {
	if base == graph.None || head == graph.None {
		return
	}
	if makes(e.base, e.baseKids, base) || makes(e.head, e.headKids, head) {
		return
	}
	had, has := fields(e.base, e.baseKids, base), fields(e.head, e.headKids, head)
	if e.d.Base == e.d.Head {
		has-- // the supposition is that one is gone
	}
	for _, i := range e.head.InKind(head, graph.EdgeInstantiates) {
		edge := &e.head.Edges[i]
		var sites []Site
		for _, s := range e.head.Sites(edge) {
			at := Site{File: e.head.Files[s.File].Path, Line: s.Line, Col: s.Col}
			switch edited, _ := e.editedAt(edge.From, &s); {
			case int(s.Args) == had && had != has && had > 0:
				at.State = Broken
			case int(s.Args) == has && edited && e.d.ToBase(edge.From) != graph.None:
				at.State = Edited
			default:
				continue
			}
			sites = append(sites, at)
		}
		if len(sites) > 0 {
			e.add(Impacted{ID: edge.From, Relation: Instantiator, Severity: MustUpdate, Depth: 1,
				Certainty: edge.Certainty, Sites: sites, Path: []Hop{e.hop(e.head, edge)}})
		}
	}
}

// makes reports whether values of a type are made by a constructor that it
// declares, which takes what it says and not the fields.
func makes(g *graph.Graph, kids *children, t graph.ID) bool {
	return slices.ContainsFunc(kids.of(t), func(m graph.ID) bool { return g.Nodes[m].Kind == graph.KindConstructor })
}

// fields counts the fields that each value of a type has, of those that the type
// itself declares.
func fields(g *graph.Graph, kids *children, t graph.ID) (n int) {
	for _, m := range kids.of(t) {
		if g.Nodes[m].Kind == graph.KindField && !g.Nodes[m].Flags.Has(graph.FlagStatic) {
			n++
		}
	}
	return n
}

// captured adds the users that are written as before and mean the new
// declaration h now.
func (e *engine) captured(h graph.ID) {
	for _, i := range e.head.In(h) {
		edge := &e.head.Edges[i]
		switch edge.Kind {
		case graph.EdgeCalls, graph.EdgeReferences, graph.EdgeInstantiates, graph.EdgeReads, graph.EdgeWrites:
		default:
			continue
		}
		base := e.d.ToBase(edge.From)
		if base == graph.None || e.head.Nodes[edge.From].Kind == graph.KindFile || !e.d.SameText(base, edge.From) || !e.meantAnother(base, edge, h) {
			continue
		}
		sites := e.sitesOf(edge)
		severity := ShouldReview
		n := &e.head.Nodes[h]
		rules := e.d.RulesFor(n)
		for i, s := range e.head.Sites(edge) {
			sites[i].State = Fits
			if call, ok := newCall(e.head, &s); ok && edge.Kind == graph.EdgeCalls && n.Kind.IsCallable() &&
				arity(call, n.Signature.Params, &rules) == fitsArity {
				sites[i].State = Unknown
			}
		}
		if edge.Certainty == graph.Ambiguous {
			severity = MayBeAffected
		}
		e.add(Impacted{ID: edge.From, Relation: relationOf[edge.Kind], Severity: severity, Depth: 1,
			Certainty: edge.Certainty, Sites: sites, Path: []Hop{e.hop(e.head, edge)}})
	}
}

// meantAnother reports whether a user had a use of the same kind and name in
// the base graph, of a declaration of the tree that it does not use any more.
// A use that the base could not follow is no news.
func (e *engine) meantAnother(user graph.ID, edge *graph.Edge, h graph.ID) bool {
	name := e.head.Nodes[h].Name
	es := e.base.OutKind(user, edge.Kind)
	for i := range es {
		to := &e.base.Nodes[es[i].To]
		if to.Name == name && to.Kind != graph.KindExternal {
			if now := e.d.ToHead(es[i].To); now == graph.None || !e.hasEdge(edge.From, edge.Kind, now) {
				return true
			}
		}
	}
	return false
}

// newlyDispatched adds the callers of the methods that the new method h
// overrides or implements: they may run it now.
func (e *engine) newlyDispatched(h graph.ID) {
	for _, s := range e.walk.supers(h) {
		super := e.d.ToBase(s.id)
		if super == graph.None || e.own(s.id) {
			continue
		}
		if e.head.Nodes[s.id].Kind == graph.KindExternal && e.walk.crowded(s.id) {
			continue // everybody who reads from a reader, for one more reader
		}
		for _, i := range e.head.InKind(s.id, graph.EdgeCalls) {
			edge := &e.head.Edges[i]
			if e.d.ToBase(edge.From) == graph.None || !e.walk.types.Runs(edge, h) {
				continue
			}
			sites := e.sitesOf(edge)
			for i, site := range e.head.Sites(edge) {
				sites[i].State = e.judge(edge.From, &site, fitsYes)
			}
			severity := ShouldReview
			certainty := max(edge.Certainty, s.certainty, graph.Inferred)
			if certainty == graph.Ambiguous || e.walk.crowded(s.id) {
				severity = MayBeAffected
			}
			path := append([]Hop{e.hop(e.head, edge)}, e.walk.superPath(h, s)...)
			e.add(Impacted{ID: edge.From, Relation: Dispatched, Severity: severity, Depth: 1,
				Certainty: certainty, Sites: sites, Path: path})
		}
	}
}

// dispatchedNoMore adds the callers of the methods that the removed method b
// overrode, if its type is still there: what they run for it is inherited now.
func (e *engine) dispatchedNoMore(b graph.ID) {
	x := &e.base.Nodes[b]
	if x.Kind != graph.KindMethod || x.Parent == graph.None || e.d.ToHead(x.Parent) == graph.None || x.Flags.Has(graph.FlagTest) || diff.Abstract(e.base, b) {
		return
	}
	w := e.was()
	for _, s := range w.supers(b) {
		now := e.d.ToHead(s.id)
		if now == graph.None || e.base.Nodes[s.id].Kind == graph.KindExternal || diff.Abstract(e.head, now) {
			continue // what a type lacks then, the compiler tells
		}
		for _, i := range e.base.InKind(s.id, graph.EdgeCalls) {
			edge := &e.base.Edges[i]
			p, ok := e.pair(edge.From)
			if !ok || !w.types.Runs(edge, b) {
				continue
			}
			sites := e.headSites(graph.EdgeCalls, p.head, now)
			if len(sites) == 0 {
				continue
			}
			for i := range sites {
				sites[i].State = Fits
			}
			severity := ShouldReview
			certainty := max(edge.Certainty, s.certainty, graph.Inferred)
			if certainty == graph.Ambiguous || w.crowded(s.id) {
				severity = MayBeAffected
			}
			e.add(Impacted{ID: p.head, Relation: Dispatched, Severity: severity, Depth: 1, Certainty: certainty, Sites: sites,
				Path: append([]Hop{e.baseHop(edge, sites)}, w.superPath(b, s)...)})
		}
	}
}
