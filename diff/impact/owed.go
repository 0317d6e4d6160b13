package impact

import (
	"slices"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// owed judges the types that named a contract, an interface or abstract type,
// and do not keep it any more: the method t of the base graph, by which they
// implemented the abstract method of edge, is gone or has another shape. Where
// types implement without saying so, they owe nothing; see conversions.
func (e *engine) owed(t graph.ID, edge *graph.Edge) {
	asked := &e.base.Nodes[edge.To]
	if !diff.Abstract(e.base, edge.To) && !(asked.Kind == graph.KindExternal && asked.Flags.Has(graph.FlagAbstract)) {
		return
	}
	for _, typ := range append([]graph.ID{e.base.Nodes[t].Parent}, e.baseSubtypes(e.base.Nodes[t].Parent)...) {
		e.owes(typ, edge.To, e.d.ToHead(edge.To), t)
	}
}

// inheritors judges the types that inherit their implementation of the abstract
// method b of the base graph, which is h in the head graph with another shape.
// Those that have a method of their own are judged by that; see implementers.
func (e *engine) inheritors(b, h graph.ID) {
	seen := map[graph.ID]bool{}
	for _, kind := range []graph.EdgeKind{graph.EdgeImplements, graph.EdgeOverrides} {
		for _, x := range e.base.InKind(b, kind) {
			m := e.base.Edges[x].From
			owner := e.base.Nodes[m].Parent
			if owner == graph.None || len(e.base.Sites(&e.base.Edges[x])) > 0 || seen[owner] {
				continue
			}
			seen[owner] = true
			for _, typ := range e.baseSubtypes(owner) {
				own := slices.ContainsFunc(e.baseKids.of(typ), func(k graph.ID) bool { return provided(e.base, k, b) || provided(e.base, k, m) })
				if !own && !seen[typ] {
					seen[typ] = true
					e.owes(typ, b, h, graph.None)
				}
			}
		}
	}
}

// owes judges whether a type of the base graph keeps a contract of which the
// abstract method b is h now, although the method gone is.
func (e *engine) owes(typ, b, h, gone graph.ID) {
	p, ok := e.pair(typ)
	if !ok || !concrete(&e.base.Nodes[typ]) || !concrete(&e.head.Nodes[p.head]) {
		return
	}
	promise := e.promise(typ, e.base.Nodes[b].Parent)
	if e.d.Base != e.d.Head && !e.promises(p.head, e.base.Nodes[b].Parent) {
		return // it does not say so any more, or nobody asks
	}
	hypothetical := e.d.Base == e.d.Head && gone == graph.None
	if promise == nil || !hypothetical && e.keeps(p.head, h, gone) {
		return
	}
	n := &e.head.Nodes[p.head]
	at := Site{File: n.File, Line: n.Line, Col: n.Col, State: Broken}
	if e.c.Uncertain || hypothetical {
		at.State = Unknown
	}
	e.add(Impacted{ID: p.head, Relation: Implementer, Severity: MustUpdate, Depth: 1, Certainty: promise.Certainty,
		Sites: []Site{at}, Path: []Hop{e.hopAt(promise, at)}})
}

// concrete reports whether values of a type are made as they are, so that it has
// to have all methods.
func concrete(n *graph.Node) bool {
	return n.Kind.IsType() && n.Kind != graph.KindInterface && n.Kind != graph.KindAnnotation && !n.Flags.Has(graph.FlagAbstract)
}

// promise returns the edge by which a type of the base graph, at any distance,
// says in its text that it is a contract, the first on the way; nil if it does
// not.
func (e *engine) promise(typ, contract graph.ID) *graph.Edge {
	type step struct {
		at    graph.ID
		first *graph.Edge
	}
	steps := []step{{typ, nil}}
	seen := map[graph.ID]bool{typ: true}
	for i := 0; i < len(steps); i++ {
		for _, k := range []graph.EdgeKind{graph.EdgeImplements, graph.EdgeExtends} {
			es := e.base.OutKind(steps[i].at, k)
			for j := range es {
				if len(e.base.Sites(&es[j])) == 0 || seen[es[j].To] {
					continue
				}
				seen[es[j].To] = true
				first := steps[i].first
				if first == nil {
					first = &es[j]
				}
				if es[j].To == contract {
					return first
				}
				steps = append(steps, step{es[j].To, first})
			}
		}
	}
	return nil
}

// promises reports whether a type of the head graph is still below a contract of
// the base graph, or what it is called now. Of types outside of the tree only the
// names are known.
func (e *engine) promises(typ, contract graph.ID) bool {
	now := e.d.ToHead(contract)
	if now == graph.None {
		now = e.head.Lookup(e.base.Nodes[contract].Key)
	}
	return now != graph.None && slices.Contains(supertypes(e.head, typ), now)
}

// keeps reports whether a type of the head graph has another method than gone
// that implements or overrides m.
func (e *engine) keeps(typ, m, gone graph.ID) bool {
	if m == graph.None {
		return false
	}
	supers := supertypes(e.head, typ)
	if e.d.Base != e.d.Head {
		gone = graph.None // what the head graph says counts
	} else if gone != graph.None && m != gone && e.keeps(typ, gone, gone) {
		return true // what overrides the method overrides then what that did
	}
	for _, k := range []graph.EdgeKind{graph.EdgeImplements, graph.EdgeOverrides} {
		if slices.ContainsFunc(e.head.InKind(m, k), func(x uint32) bool {
			from := e.head.Edges[x].From
			return from != gone && slices.Contains(supers, e.head.Nodes[from].Parent)
		}) {
			return true
		}
	}
	return false
}
