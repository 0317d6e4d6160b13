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
	if slices.ContainsFunc(e.base.OutKind(t, graph.EdgeOverrides), func(x graph.Edge) bool {
		n := &e.base.Nodes[x.To]
		return x.To != edge.To && n.Kind == graph.KindExternal && !n.Flags.Has(graph.FlagAbstract)
	}) {
		return // a class outside of the tree has the method
	}
	for _, typ := range e.having(e.base.Nodes[t].Parent) {
		e.owes(typ, edge.To, e.d.ToHead(edge.To), t)
		e.owesInside(typ, t)
	}
}

// having returns a type of the base graph and those that have its methods: types that
// extend it, and of an interface also those that implement it.
func (e *engine) having(t graph.ID) []graph.ID {
	out := append([]graph.ID{t}, e.baseSubtypes(t)...)
	seen := map[graph.ID]bool{}
	for _, x := range out {
		seen[x] = true
	}
	for i := 0; i < len(out); i++ {
		if e.base.Nodes[out[i]].Kind != graph.KindInterface {
			continue
		}
		for _, x := range e.base.InKind(out[i], graph.EdgeImplements) {
			from := e.base.Edges[x].From
			if seen[from] || !e.base.Nodes[from].Kind.IsType() {
				continue
			}
			for _, y := range append([]graph.ID{from}, e.baseSubtypes(from)...) {
				if !seen[y] {
					seen[y] = true
					out = append(out, y)
				}
			}
		}
	}
	return out
}

// owedOutside judges the type of a method t of the base graph that says that it
// overrides another one, which is gone or has another shape, where only an interface
// outside of the tree can have that one. Whether the interface asks for it is not
// known: most do.
func (e *engine) owedOutside(t graph.ID) {
	rules := e.d.RulesFor(&e.base.Nodes[t])
	mark := graph.None
	if rules.Overriding != "" {
		mark = e.base.Lookup(rules.Overriding)
	}
	typ := e.base.Nodes[t].Parent
	if mark == graph.None || !concrete(&e.base.Nodes[typ]) || !slices.ContainsFunc(e.base.OutKind(mark, graph.EdgeAnnotates), func(x graph.Edge) bool { return x.To == t }) {
		return
	}
	if len(e.base.OutKind(t, graph.EdgeImplements)) > 0 || len(e.base.OutKind(t, graph.EdgeOverrides)) > 0 {
		return
	}
	p, ok := e.pair(typ)
	if !ok {
		return
	}
	var promise *graph.Edge
	for _, s := range diff.Supertypes(e.base, typ) {
		for _, x := range e.base.OutKind(s, graph.EdgeExtends) {
			if n := &e.base.Nodes[x.To]; n.Kind == graph.KindExternal && e.base.Nodes[s].Kind != graph.KindInterface {
				return // a class outside of the tree may have it
			}
		}
		for _, k := range []graph.EdgeKind{graph.EdgeImplements, graph.EdgeExtends} {
			es := e.base.OutKind(s, k)
			for i := range es {
				if e.base.Nodes[es[i].To].Kind == graph.KindExternal && promise == nil {
					promise = &es[i]
				}
			}
		}
	}
	if promise == nil || e.head.Nodes[p.head].Flags.Has(graph.FlagAbstract) {
		return
	}
	n := &e.head.Nodes[p.head]
	at := Site{File: n.File, Line: n.Line, Col: n.Col, State: Unknown}
	e.add(Impacted{ID: p.head, Relation: Implementer, Severity: MustUpdate, Depth: 1, Certainty: promise.Certainty,
		Sites: []Site{at}, Path: []Hop{e.hopAt(promise, at)}})
}

// owesInside judges the types without a node, inside of bodies, that extend an
// abstract class of the base graph and inherit the method gone from it.
func (e *engine) owesInside(typ, gone graph.ID) {
	n := &e.base.Nodes[typ]
	if n.Kind != graph.KindClass || !n.Flags.Has(graph.FlagAbstract) {
		return
	}
	for _, x := range e.base.InKind(typ, graph.EdgeConverts) {
		edge := &e.base.Edges[x]
		if p, ok := e.pair(edge.From); ok && edge.Type == graph.None && !provided(e.base, edge.From, gone) {
			fit := fitsNo
			if e.d.Base == e.d.Head && e.c.Kind != diff.Removed {
				fit = fitsUnknown
			}
			e.judgeUnnamed(edge, p, graph.None, fit)
		}
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
	if e.d.Base != e.d.Head && e.base.Nodes[b].Kind != graph.KindExternal && (h == graph.None || !diff.Abstract(e.head, h)) {
		return // it is not asked for any more
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
				if es[j].To == contract || e.outsideBelow(e.base, es[j].To, contract) {
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
	return now != graph.None && slices.ContainsFunc(diff.Supertypes(e.head, typ), func(s graph.ID) bool {
		return s == now || e.outsideBelow(e.head, s, now)
	})
}

// outsideBelow reports whether a type outside of the tree extends another one there,
// as far as the language's own library tells.
func (e *engine) outsideBelow(g *graph.Graph, sub, super graph.ID) bool {
	x, y := &g.Nodes[sub], &g.Nodes[super]
	rules := e.d.RulesFor(x)
	return x.Kind == graph.KindExternal && y.Kind == graph.KindExternal && x.Lang == y.Lang && rules.Supertypes != nil &&
		diff.Below(g, diff.TypeName(g, sub), diff.TypeName(g, super), &rules)
}

// keeps reports whether a type of the head graph has another method than gone
// that implements or overrides m.
func (e *engine) keeps(typ, m, gone graph.ID) bool {
	if m == graph.None {
		return false
	}
	supers := diff.Supertypes(e.head, typ)
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
