package impact

import (
	"slices"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// implementers judges the methods that implement or override the method b of
// the base graph, which is h in the head graph with another shape, or gone.
func (e *engine) implementers(b, h graph.ID, severity Severity) {
	for _, kind := range []graph.EdgeKind{graph.EdgeImplements, graph.EdgeOverrides} {
		for _, i := range e.base.InKind(b, kind) {
			edge := &e.base.Edges[i]
			p, ok := e.pair(edge.From)
			if !ok {
				continue
			}
			n := &e.head.Nodes[p.head]
			at := Site{File: n.File, Line: n.Line, Col: n.Col}
			still := h != graph.None && e.hasEdge(p.head, kind, h)
			was := &e.base.Nodes[p.base]
			reshaped := was.Signature.Text != n.Signature.Text || !slices.Equal(was.Signature.Params, n.Signature.Params) ||
				!slices.Equal(was.Signature.Results, n.Signature.Results) || was.Name != n.Name
			s := severity
			in, edited, inside := e.implementedIn(edge, p)
			if inside {
				at, reshaped = in, edited
			}
			switch {
			case len(e.c.Details) == 0 && h != graph.None:
				at.State = Unknown
			case h == graph.None && e.orphaned(p.head, b):
				at.State, s = Broken, MustUpdate
			case h == graph.None && !diff.Abstract(e.base, b):
				continue // it overrides what that did, or nothing
			case h == graph.None:
				at.State = Fits
			case e.c.Has(diff.FinalAdded) && (still || !reshaped) || !inside && (e.throwsMore(p.head, e.c) || e.givesLess(p.head, e.c)):
				at.State = Broken
			case reshaped:
				at.State = Edited
			case still && e.structural(e.head, p.head):
				switch overrides(&n.Signature, &e.head.Nodes[h].Signature) {
				case fitsNo:
					at.State = Broken
				case fitsUnknown:
					at.State = Unknown
				default:
					at.State = Fits
					s = max(s, ShouldReview)
				}
			case still:
				at.State = Fits
				s = max(s, ShouldReview)
			default:
				at.State = Broken
			}
			if h == graph.None && reshaped {
				at.State = Edited
			}
			if at.State == Broken && !still && !inside && (h == graph.None || !diff.Abstract(e.head, h)) && e.opaqueAbove(n.Parent) {
				at.State = Unknown // it may override what a type outside of the tree has
			}
			if at.State == Broken && e.onlyFits(edge) {
				at.State, s = Unknown, ShouldReview
			}
			if edge.Certainty == graph.Ambiguous {
				s = MayBeAffected
			}
			e.add(Impacted{ID: p.head, Relation: relationOf[kind], Severity: s, Depth: 1,
				Certainty: edge.Certainty, Sites: []Site{at}, Path: []Hop{e.hopAt(edge, at)}})
		}
	}
}

// onlyFits reports whether the type of an edge, or that of its method, does not name
// what it fits, nor is known to be given as that, where types are not enforced: that it
// fits may be a coincidence.
func (e *engine) onlyFits(edge *graph.Edge) bool {
	from, to := edge.From, edge.To
	if !e.d.RulesFor(&e.base.Nodes[from]).Dynamic || edge.Kind != graph.EdgeImplements || !diff.Implicit(e.base, edge) {
		return false
	}
	if !e.base.Nodes[from].Kind.IsType() {
		from, to = e.base.Nodes[from].Parent, e.base.Nodes[to].Parent
	}
	return from == graph.None || to == graph.None || !diff.IsGiven(e.base, from, to)
}

// opaqueAbove reports whether a type of the head graph has a supertype of which only the
// name is known.
func (e *engine) opaqueAbove(t graph.ID) bool {
	return t != graph.None && slices.ContainsFunc(diff.Supertypes(e.head, t), func(s graph.ID) bool {
		n := &e.head.Nodes[s]
		return n.Kind == graph.KindExternal && n.Flags.Has(graph.FlagOpaque)
	})
}

// orphaned reports whether a method of the head graph says that it overrides
// another, and does not, b being gone.
func (e *engine) orphaned(m, b graph.ID) bool {
	rules := e.d.RulesFor(&e.head.Nodes[m])
	mark := graph.None
	if rules.Overriding != "" {
		mark = e.head.Lookup(rules.Overriding)
	}
	if b := e.d.ToBase(m); b != graph.None && e.newOutside(b) {
		return false // it may override what is not known
	}
	if mark == graph.None || !slices.ContainsFunc(e.head.OutKind(mark, graph.EdgeAnnotates), func(x graph.Edge) bool { return x.To == m }) {
		return false
	}
	for _, k := range []graph.EdgeKind{graph.EdgeImplements, graph.EdgeOverrides} {
		if slices.ContainsFunc(e.head.OutKind(m, k), func(x graph.Edge) bool { return e.d.Base != e.d.Head || x.To != b }) {
			return false
		}
	}
	return e.d.Base != e.d.Head || len(e.inherited(b)) == 0
}

// contractChanged judges who implemented or overrode a method that has another
// shape or name now, and who relied on types that did.
func (e *engine) contractChanged(c *diff.Change) {
	e.implementers(c.Base, c.Head, MustUpdate)
	if e.structural(e.base, c.Base) {
		return // see memberChanged
	}
	if diff.Abstract(e.base, c.Base) || e.dynamicContract(c.Base) {
		e.conversions(e.base.Nodes[c.Base].Parent, graph.None, nil)
		e.unnamed(c.Base, c.Head)
		e.inheritors(c.Base, c.Head)
	}
}

// dynamicContract reports whether a method of the base graph is one of a type that
// others fit by their members, in a language in which it need not be abstract for that.
func (e *engine) dynamicContract(m graph.ID) bool {
	return e.d.RulesFor(&e.base.Nodes[m]).Dynamic && diff.IsFitted(e.base, e.base.Nodes[m].Parent)
}

func (e *engine) hasEdgeBase(from graph.ID, k graph.EdgeKind, to graph.ID) bool {
	return slices.ContainsFunc(e.base.OutKind(from, k), func(x graph.Edge) bool { return x.To == to })
}

func (e *engine) hasEdge(from graph.ID, k graph.EdgeKind, to graph.ID) bool {
	return slices.ContainsFunc(e.head.OutKind(from, k), func(x graph.Edge) bool { return x.To == to })
}

// lostContracts judges what relied on a type implementing an interface that it
// implements no more because t, one of its methods or the type itself, is
// gone or has another shape.
func (e *engine) lostContracts(t graph.ID) {
	node := &e.base.Nodes[t]
	if node.Kind.IsType() {
		for _, edge := range e.base.OutKind(t, graph.EdgeImplements) {
			if !e.satisfies(e.d.ToHead(t), edge.To) {
				e.conversions(edge.To, t, nil)
			}
		}
		return
	}
	if node.Kind != graph.KindMethod || node.Parent == graph.None {
		return
	}
	typ := node.Parent
	if e.d.ToHead(typ) == graph.None {
		return // gone with its type; its users are the type's
	}
	if e.base.Nodes[typ].Kind == graph.KindInterface {
		e.narrowerInterface(typ, node.Name)
		if !diff.Abstract(e.base, t) { // types that have it from there lose it
			for _, edge := range e.base.OutKind(t, graph.EdgeOverrides) {
				if !e.unaffected(t, edge.To, graph.EdgeOverrides) {
					e.owed(t, &edge)
				}
			}
		}
		return
	}
	e.owedOutside(t)
	for _, kind := range []graph.EdgeKind{graph.EdgeImplements, graph.EdgeOverrides} {
		for _, edge := range e.base.OutKind(t, kind) {
			iface := e.base.Nodes[edge.To].Parent
			if iface == graph.None || e.unaffected(t, edge.To, kind) {
				continue
			}
			e.owed(t, &edge)
			// Types that get the method by embedding or inheriting lose it, too.
			for _, sub := range append([]graph.ID{typ}, e.baseSubtypes(typ)...) {
				if e.implementedBase(sub, iface) && !e.satisfies(e.d.ToHead(sub), iface) {
					hop := e.hop(e.base, &edge)
					e.conversions(iface, sub, &hop)
				}
			}
		}
	}
}

// narrowerInterface judges the places that give what is stored as an interface as
// another one that asks for the method of this name, too, which the first lost or
// has with another shape.
func (e *engine) narrowerInterface(iface graph.ID, method string) {
	for _, from := range append([]graph.ID{iface}, e.baseSubtypes(iface)...) {
		if e.base.Nodes[from].Kind != graph.KindInterface {
			continue
		}
		for _, i := range e.givenAs(from) {
			to := e.base.Edges[i].To
			asks := slices.ContainsFunc(diff.Supertypes(e.base, to), func(s graph.ID) bool {
				return s != iface && slices.ContainsFunc(e.baseKids.of(s), func(m graph.ID) bool {
					return e.base.Nodes[m].Kind == graph.KindMethod && e.base.Nodes[m].Name == method
				})
			})
			if asks && !e.alike(from, to) {
				e.conversions(to, from, nil)
			}
		}
	}
}

// unaffected reports whether the method t still implements or overrides m.
func (e *engine) unaffected(t, m graph.ID, k graph.EdgeKind) bool {
	if e.d.Base == e.d.Head && len(e.c.Details) == 0 {
		return false
	}
	h, hm := e.d.ToHead(t), e.d.ToHead(m)
	return h != graph.None && hm != graph.None && e.hasEdge(h, k, hm)
}

func (e *engine) implementedBase(t, iface graph.ID) bool {
	if e.d.RulesFor(&e.base.Nodes[t]).Dynamic { // what a type fits those below it fit, too
		return slices.Contains(diff.Supertypes(e.base, t), iface)
	}
	return slices.ContainsFunc(e.base.OutKind(t, graph.EdgeImplements), func(x graph.Edge) bool { return x.To == iface })
}

// satisfies reports whether a type of the head graph implements what iface of
// the base graph is today.
func (e *engine) satisfies(t, iface graph.ID) bool {
	now := e.d.ToHead(iface)
	if t == graph.None || now == graph.None {
		return false
	}
	if e.d.Base == e.d.Head {
		return false // a change is assumed to break what it can
	}
	if diff.AsksNothing(e.head, now) {
		b := e.d.ToBase(t)
		return b == graph.None || !slices.ContainsFunc(e.base.OutKind(b, graph.EdgeImplements), func(x graph.Edge) bool { return x.To == iface && !diff.Implicit(e.base, &x) })
	}
	return slices.Contains(diff.Supertypes(e.head, t), now)
}

// hopAt makes the hop of an edge of the base graph at its place in the head
// tree.
func (e *engine) hopAt(edge *graph.Edge, at Site) Hop {
	h := e.hop(e.base, edge)
	h.File, h.Line = at.File, at.Line
	return h
}

// alike reports whether an interface of the base graph, which needs no edge to
// fit another one, asks today for each method that the other asks for, with the
// same shape.
func (e *engine) alike(t, iface graph.ID) bool {
	sub, now := e.d.ToHead(t), e.d.ToHead(iface)
	if e.d.Base == e.d.Head || sub == graph.None || now == graph.None || e.head.Nodes[sub].Kind != graph.KindInterface {
		return false
	}
	subs := diff.Supertypes(e.head, sub)
	for _, super := range diff.Supertypes(e.head, now) {
		if e.head.Nodes[super].Kind == graph.KindExternal {
			return false // what it asks for is not known
		}
		for _, m := range e.headKids.of(super) {
			n := &e.head.Nodes[m]
			if n.Kind == graph.KindMethod && !slices.ContainsFunc(subs, func(s graph.ID) bool { return e.asksFor(s, n) }) {
				return false
			}
		}
	}
	return true
}

// asksFor reports whether a type of the head graph itself declares a method of
// the name and shape of n.
func (e *engine) asksFor(t graph.ID, n *graph.Node) bool {
	return slices.ContainsFunc(e.headKids.of(t), func(m graph.ID) bool {
		x := &e.head.Nodes[m]
		return x.Kind == graph.KindMethod && x.Name == n.Name && sameShape(&x.Signature, &n.Signature)
	})
}

// baseSubtypes returns the types of the base graph that extend, embed or
// implement t, at any distance.
func (e *engine) baseSubtypes(t graph.ID) []graph.ID {
	seen := []graph.ID{t}
	for i := 0; i < len(seen); i++ {
		for _, kind := range []graph.EdgeKind{graph.EdgeExtends, graph.EdgeEmbeds} {
			for _, x := range e.base.InKind(seen[i], kind) {
				from := e.base.Edges[x].From
				if e.base.Nodes[from].Kind == graph.KindField {
					from = e.base.Nodes[from].Parent
				}
				if from != graph.None && !slices.Contains(seen, from) {
					seen = append(seen, from)
				}
			}
		}
	}
	return seen[1:]
}

// conversions judges the places that store a value of type t as iface, or as
// an interface that includes it, although t does not implement it any more.
// t None stands for any type that does not. via is the hop that explains it.
func (e *engine) conversions(iface, t graph.ID, via *Hop) {
	for _, i := range append([]graph.ID{iface}, e.baseSubtypes(iface)...) {
		if k := e.base.Nodes[i].Kind; k != graph.KindInterface && k != graph.KindExternal && i != iface {
			continue
		}
		for _, x := range e.base.InKind(i, graph.EdgeConverts) {
			edge := &e.base.Edges[x]
			if edge.Type == graph.None || t != graph.None && edge.Type != t {
				continue
			}
			if t == graph.None && (e.satisfies(e.d.ToHead(edge.Type), i) || e.alike(edge.Type, i)) {
				continue
			}
			p, ok := e.pair(edge.From)
			if !ok {
				continue
			}
			if e.base != e.head && e.base.Nodes[i].Kind != graph.KindExternal && e.d.ToHead(i) == graph.None {
				continue // nobody asks for what is gone; who names it is judged by that
			}
			if _, alive := e.pair(edge.Type); !alive {
				continue // a change of its own
			}
			sites := e.conversionSites(edge, p, i)
			if t == graph.None && e.base.Nodes[edge.Type].Kind != graph.KindInterface && !slices.Contains(diff.Supertypes(e.base, edge.Type), i) {
				for j := range sites {
					if sites[j].State == Broken {
						sites[j].State = Unknown // it was not known to fit before, either
					}
				}
			}
			severity := MustUpdate
			if edge.Certainty == graph.Ambiguous {
				severity = MayBeAffected
			}
			path := []Hop{e.baseHop(edge, sites)}
			if via != nil {
				path = append(path, *via)
			}
			e.add(Impacted{ID: p.head, Relation: Converter, Severity: severity, Depth: 1,
				Certainty: edge.Certainty, Sites: sites, Path: path})
		}
	}
}

// conversionSites judges the sites of a conversion that the types do not allow
// any more.
func (e *engine) conversionSites(edge *graph.Edge, p pairing, iface graph.ID) []Site {
	var sites []Site
	base := e.base.Sites(edge)
	for i := range base {
		s, edited, ok := e.place(p, &base[i])
		switch {
		case !ok:
			s.State = Unknown
			if e.stillConverts(p.head, edge.Type, iface) {
				s.State = Broken
			}
		case edited:
			s.State = Edited
			if e.stillConverts(p.head, edge.Type, iface) {
				s.State = Broken
			}
		case e.c.Uncertain || len(e.c.Details) == 0 && e.c.Head != graph.None:
			s.State = Unknown
		default:
			s.State = Broken
		}
		sites = append(sites, s)
	}
	if len(base) == 0 {
		sites = append(sites, e.declared(p, false))
	}
	return sites
}

// stillConverts reports whether a user of the head graph stores the same type
// as the same interface.
func (e *engine) stillConverts(user, typ, iface graph.ID) bool {
	t, i := e.d.ToHead(typ), e.d.ToHead(iface)
	return slices.ContainsFunc(e.head.OutKind(user, graph.EdgeConverts), func(x graph.Edge) bool {
		return x.To == i && x.Type == t
	})
}

// contractGrew judges who has to provide the method h that an interface or
// abstract type of both graphs asks for since this change.
func (e *engine) contractGrew(h graph.ID) {
	iface := e.head.Nodes[h].Parent
	was := e.d.ToBase(iface)
	if was == graph.None {
		return
	}
	if e.structural(e.head, h) {
		e.refit(was)
	} else {
		e.conversions(was, graph.None, nil)
		e.unnamed(graph.None, h)
	}
	seen := map[graph.ID]bool{}
	ifaces := append([]graph.ID{was}, e.baseSubtypes(was)...)
	stored := e.storedAs(ifaces)
	dynamic := e.d.RulesFor(&e.head.Nodes[h]).Dynamic
	for _, i := range ifaces {
		for _, kind := range []graph.EdgeKind{graph.EdgeImplements, graph.EdgeExtends} {
			for _, x := range e.base.InKind(i, kind) {
				edge := &e.base.Edges[x]
				if dynamic && kind == graph.EdgeExtends && !diff.Abstract(e.head, h) {
					continue // it inherits the method
				}
				if !seen[edge.From] && e.base.Nodes[edge.From].Kind.IsType() {
					seen[edge.From] = true
					e.implementer(edge, i, h, stored[edge.From] || dynamic && !e.onlyFits(edge))
				}
			}
		}
	}
	for _, kind := range []graph.EdgeKind{graph.EdgeUsesType, graph.EdgeInjects} {
		for _, x := range e.head.InKind(iface, kind) {
			edge := &e.head.Edges[x]
			if e.d.ToBase(edge.From) == graph.None || e.hits[edge.From] != nil || edge.Certainty == graph.Ambiguous {
				continue
			}
			sites := e.sitesOf(edge)
			for i, s := range e.head.Sites(edge) {
				sites[i].State = e.judge(edge.From, &s, fitsYes)
			}
			// Who only names the interface has one more method to call.
			e.add(Impacted{ID: edge.From, Relation: relationOf[kind], Severity: MayBeAffected, Depth: 1,
				Certainty: edge.Certainty, Sites: sites, Path: []Hop{e.hop(e.head, edge)}})
		}
	}
}

// implementer judges a type that implements an interface which asks for the
// method h now.
func (e *engine) implementer(edge *graph.Edge, iface, h graph.ID, stored bool) {
	p, ok := e.pair(edge.From)
	if !ok || e.base.Nodes[edge.From].Kind == graph.KindInterface {
		return // an interface passes the demand on to its own implementers
	}
	n := &e.head.Nodes[p.head]
	at := Site{File: n.File, Line: n.Line, Col: n.Col, State: Broken}
	sites := e.base.Sites(edge)
	explicit := len(sites) > 0 // written down, where implicit interfaces have no place
	if explicit {
		at, _, _ = e.place(p, &sites[0])
		at.State = Broken
	}
	severity := MustUpdate
	method := e.provides(p.head, h)
	switch {
	case n.Flags.Has(graph.FlagAbstract):
		at.State, severity = Fits, ShouldReview
	case method != graph.None && e.d.ToBase(method) == graph.None:
		at.State = Edited
	case e.structural(e.head, h) && e.declaresMember(p.head, h):
		at.State, severity = Fits, ShouldReview
	case method != graph.None || !explicit && e.satisfies(p.head, iface):
		at.State, severity = Fits, ShouldReview
	case !explicit && !stored:
		at.State, severity = Unknown, ShouldReview
	}
	if edge.Certainty == graph.Ambiguous {
		severity = MayBeAffected
	}
	e.add(Impacted{ID: p.head, Relation: relationOf[edge.Kind], Severity: severity, Depth: 1,
		Certainty: edge.Certainty, Sites: []Site{at}, Path: []Hop{e.hopAt(edge, at)}})
}

// provides returns the method by which a type of the head graph, or one that
// it inherits from, implements m.
func (e *engine) provides(t, m graph.ID) graph.ID {
	supers := diff.Supertypes(e.head, t)
	for _, kind := range []graph.EdgeKind{graph.EdgeImplements, graph.EdgeOverrides} {
		for _, x := range e.head.InKind(m, kind) {
			from := e.head.Edges[x].From
			if slices.Contains(supers, e.head.Nodes[from].Parent) {
				return from
			}
		}
	}
	return graph.None
}

// storedAs returns the types of the base graph that some conversion stores as
// one of the interfaces.
func (e *engine) storedAs(ifaces []graph.ID) map[graph.ID]bool {
	types := map[graph.ID]bool{}
	for _, i := range ifaces {
		for _, x := range e.base.InKind(i, graph.EdgeConverts) {
			types[e.base.Edges[x].Type] = true
		}
	}
	return types
}
