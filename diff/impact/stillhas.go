package impact

import (
	"slices"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// What objects have although their own class does not give it to them any more,
// in languages without checked types.

// stillHas reports whether a use of t, a member that is gone, finds another one of
// its name on the object that it has: a method that overrode what its class has
// from outside of the tree; or, where the class is gone as well, what the classes
// above have, which the objects that are there now are of, if that takes what a
// call gives. Who names the class
// beside the use means the class itself.
func (e *engine) stillHas(t graph.ID, use *graph.Edge, s *graph.Site) bool {
	n := &e.base.Nodes[t]
	owner := n.Parent
	if owner == graph.None || !e.base.Nodes[owner].Kind.IsType() || !e.d.RulesFor(n).Dynamic {
		return false
	}
	if t == e.c.Base {
		return n.Kind == graph.KindMethod && e.d.ToHead(owner) != graph.None && e.givenOutside(t) && e.keepsBases(owner)
	}
	if owner != e.c.Base || e.namesBeside(use, owner) {
		return false
	}
	for _, b := range diff.Supertypes(e.base, owner)[1:] {
		x := &e.base.Nodes[b]
		if x.Kind == graph.KindExternal {
			if e.givenOutside(t) {
				return true
			}
			continue
		}
		for _, m := range e.baseKids.of(b) {
			if x := &e.base.Nodes[m]; x.Name == n.Name && (e.base == e.head || e.d.ToHead(m) != graph.None) {
				return use.Kind != graph.EdgeCalls || !e.tooFew(t, x, s)
			}
		}
	}
	// Most constructors, as those of exceptions, take some values.
	return (e.givenOutside(t) || n.Kind == graph.KindConstructor && s.Keywords < 0 && s.Flags&graph.SiteSpreadKw == 0) &&
		slices.ContainsFunc(diff.Supertypes(e.base, owner), func(b graph.ID) bool {
			return len(e.base.Nodes[b].Signature.Bases) > len(e.base.OutKind(b, graph.EdgeExtends)) || e.base.Nodes[b].Kind == graph.KindExternal
		})
}

// alternatives returns what the site of a use of t, a member of a type that is
// still there, means besides t because the value may be of several types: the
// other types have it as before, which does not help the one that lost it.
func (e *engine) alternatives(use *graph.Edge, t graph.ID, s *graph.Site) (out []graph.ID) {
	owner := e.base.Nodes[t].Parent
	if owner == graph.None || !e.base.Nodes[owner].Kind.IsType() || e.base == e.head || e.d.ToHead(owner) == graph.None || !e.d.RulesFor(&e.base.Nodes[t]).Dynamic {
		return nil
	}
	es := e.base.OutKind(use.From, use.Kind)
	for i := range es {
		n := &e.base.Nodes[es[i].To]
		if es[i].To == t || n.Name != e.base.Nodes[t].Name || n.Parent == graph.None || slices.Contains(diff.Supertypes(e.base, owner), n.Parent) {
			continue
		}
		if slices.ContainsFunc(e.base.Sites(&es[i]), func(x graph.Site) bool { return x.File == s.File && x.Line == s.Line && x.Col == s.Col }) {
			if h := e.d.ToHead(es[i].To); h != graph.None {
				out = append(out, h)
			}
		}
	}
	return out
}

// byValue reports whether a use reaches t, which is no member, as the value of
// something else: that does not break with the name of t, who names it does.
func (e *engine) byValue(t graph.ID, use *graph.Edge) bool {
	n := &e.base.Nodes[t]
	if use.Kind != graph.EdgeCalls && use.Kind != graph.EdgeInstantiates || use.Certainty == graph.Exact || t != e.c.Base {
		return false
	}
	return e.d.RulesFor(n).Dynamic && (n.Parent == graph.None || !e.base.Nodes[n.Parent].Kind.IsType())
}

// answered reports whether an object of the type that t is a member of answers for
// members that it does not have.
func (e *engine) answered(t graph.ID) bool {
	n := &e.base.Nodes[t]
	name := e.d.RulesFor(n).Fallback
	owner := n.Parent
	if name == "" || n.Name == name || owner == graph.None || !e.base.Nodes[owner].Kind.IsType() {
		return false
	}
	for _, s := range diff.Supertypes(e.base, owner) {
		for _, m := range e.baseKids.of(s) {
			if e.base.Nodes[m].Name == name && (e.base == e.head || e.d.ToHead(m) != graph.None) {
				return true
			}
		}
	}
	return false
}

// givenOutside reports whether a method overrides one from outside of the tree.
func (e *engine) givenOutside(t graph.ID) bool {
	known := false
	for _, edge := range e.base.OutKind(t, graph.EdgeOverrides) {
		if e.base.Nodes[edge.To].Kind == graph.KindExternal {
			return true
		}
		known = true
	}
	return !known && e.base.Nodes[t].Flags.Has(graph.FlagCalledOutside)
}

// keepsBases reports whether a class still extends what it did outside of the tree.
func (e *engine) keepsBases(owner graph.ID) bool {
	var keys []string
	for _, s := range diff.Supertypes(e.head, e.d.ToHead(owner)) {
		keys = append(keys, e.head.Nodes[s].Key)
	}
	for _, s := range diff.Supertypes(e.base, owner) {
		if x := &e.base.Nodes[s]; x.Kind == graph.KindExternal && !slices.Contains(keys, x.Key) {
			return false
		}
	}
	return true
}
