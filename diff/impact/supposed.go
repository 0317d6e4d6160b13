package impact

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// What a use would mean if a declaration were gone, where no head graph says it.

// supposed judges a use of t, which is supposed to be gone: it fits where the name
// means what t overrides then, or another overload that takes what it is given, or
// whatever t takes.
func (e *engine) supposed(k graph.EdgeKind, user, t graph.ID, s *graph.Site) State {
	n := &e.base.Nodes[t]
	if k != graph.EdgeCalls && k != graph.EdgeReferences || !n.Kind.IsCallable() || n.Parent == graph.None {
		return Broken
	}
	if k == graph.EdgeCalls && s.Flags&graph.SiteOther != 0 {
		return Fits
	}
	instead := e.inherited(t)
	overridden := len(instead)
	unseen := e.behindInterfaces(t, s)
	if n.Flags.Has(graph.FlagStatic) || len(instead) == 0 {
		instead = append(instead, e.overloads(t)...)
	}
	state := Broken
	for i, m := range instead {
		x := &e.base.Nodes[m]
		external := x.Kind == graph.KindExternal
		switch {
		case unseen && i < overridden && e.hasEdgeBase(t, graph.EdgeImplements, m) && !e.hasDefaults(m):
		case s.Flags&graph.SiteSuper != 0 && !e.d.RulesFor(n).Dynamic && (diff.Abstract(e.base, m) || external && x.Flags.Has(graph.FlagAbstract)),
			!external && !e.sees(user, m, x.Visibility):
		case k == graph.EdgeCalls && !external && !e.overloaded(t) && e.tooFew(t, x, s):
		case (k == graph.EdgeReferences || s.Want != 0) && !e.sameResults(t, m), k == graph.EdgeReferences && i >= overridden:
			state = max(state, Unknown)
		default:
			return Fits
		}
	}
	return state
}

// behindInterfaces reports whether a call of t would not be looked up in the
// interfaces of its receiver: a class that is not abstract has to have the method
// itself. Only interfaces with methods that have a body are looked into.
func (e *engine) behindInterfaces(t graph.ID, s *graph.Site) bool {
	at := s.Recv
	if at == graph.None {
		at = e.base.Nodes[t].Parent
	}
	n := &e.base.Nodes[at]
	return e.overloaded(t) && (n.Kind == graph.KindClass || n.Kind == graph.KindRecord) && !n.Flags.Has(graph.FlagAbstract)
}

// reboundTo judges a call of t, which is gone, that would mean the declaration to of
// the head graph now.
func (e *engine) reboundTo(t, to graph.ID, s *graph.Site) State {
	if e.base.Nodes[t].Kind == graph.KindConstructor && e.head.Nodes[to].Kind.IsType() {
		return e.withoutConstructor(t, s)
	}
	if !e.overloaded(t) && e.tooFew(t, &e.head.Nodes[to], s) {
		return Broken
	}
	m := e.d.ToBase(to)
	if m == graph.None || !e.hasEdgeBase(t, graph.EdgeImplements, m) || !e.behindInterfaces(t, s) || e.hasDefaults(m) || s.Flags&graph.SiteOther != 0 {
		return Fits
	}
	return Broken
}

// tooFew reports whether a call of t, which t takes, cannot be one of is, which stands
// for t now, by the number and names of its arguments.
func (e *engine) tooFew(t graph.ID, is *graph.Node, s *graph.Site) bool {
	was := &e.base.Nodes[t]
	call, ok := newCall(e.base, s)
	if !ok || !was.Kind.IsCallable() || !is.Kind.IsCallable() || was.Kind != is.Kind {
		return false
	}
	rules := e.d.RulesFor(was).In(e.base.Files[s.File].Path)
	skip := e.receivers(&diff.Change{Base: t})
	old, now := was.Signature.Params, is.Signature.Params
	return arity(call, old[min(skip, len(old)):], &rules) != fitsArity && arity(call, now[min(skip, len(now)):], &rules) == fitsArity
}

// hasDefaults reports whether the interface of a method of the tree has methods
// with a body.
func (e *engine) hasDefaults(m graph.ID) bool {
	owner := e.base.Nodes[m].Parent
	return owner != graph.None && slices.ContainsFunc(e.baseKids.of(owner), func(x graph.ID) bool {
		n := &e.base.Nodes[x]
		return n.Kind == graph.KindMethod && !n.Flags.Has(graph.FlagStatic) && !diff.Abstract(e.base, x)
	})
}

// overloaded reports whether callables of one name that take other parameters
// stand beside each other, so that one of another shape does not hide what the
// name means besides.
func (e *engine) overloaded(t graph.ID) bool {
	rules := e.d.RulesFor(&e.base.Nodes[t])
	return rules.Supertypes != nil && !rules.Dynamic
}

// inherited returns what the type of method t would have in its place: the
// methods that t overrides, and where types say what they implement, those that
// it implements.
func (e *engine) inherited(t graph.ID) (out []graph.ID) {
	owner := e.base.Nodes[t].Parent
	for _, edge := range e.base.OutKind(t, graph.EdgeOverrides) {
		out = append(out, edge.To)
	}
	if e.structural(e.base, t) {
		return out // objects have what their class has, and fit an interface or do not
	}
	for _, edge := range e.base.OutKind(t, graph.EdgeImplements) {
		if contract := e.base.Nodes[edge.To].Parent; contract != graph.None && e.promise(owner, contract) != nil {
			out = append(out, edge.To)
		}
	}
	return out
}

// overloads returns the other callables of the name and number of parameters of
// t, in the same type, that take what t takes.
func (e *engine) overloads(t graph.ID) (out []graph.ID) {
	n := &e.base.Nodes[t]
	if !e.overloaded(t) {
		return nil
	}
	rules := e.d.RulesFor(n)
	for _, m := range e.baseKids.of(n.Parent) {
		x := &e.base.Nodes[m]
		if m == t || x.Kind != n.Kind || x.Name != n.Name || x.Flags&graph.FlagStatic != n.Flags&graph.FlagStatic {
			continue
		}
		if slices.EqualFunc(n.Signature.Params, x.Signature.Params, func(p, q graph.Param) bool {
			return p.Flags == q.Flags && (p.Type == q.Type || takes(e.base, p.Type, q.Type, &rules))
		}) {
			out = append(out, m)
		}
	}
	return out
}

// takes reports whether a parameter of type to takes what one of type from does:
// to is a supertype with no type arguments to fit.
func takes(g *graph.Graph, from, to string, rules *diff.Rules) bool {
	if slices.Contains(rules.TopTypes, to) {
		return strings.ContainsAny(from, ".[") // no number, no truth value
	}
	name, _, _ := strings.Cut(from, "<")
	return !strings.Contains(to, "<") && diff.Below(g, name, to, rules)
}
