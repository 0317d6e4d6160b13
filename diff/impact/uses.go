package impact

import (
	"cmp"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// removed finds the remaining uses of a declaration that is gone, or of
// anything inside it.
func (e *engine) removed(c *diff.Change) {
	for _, t := range e.baseKids.below(c.Base) {
		if e.d.ToHead(t) != graph.None {
			continue // moved out before its owner was removed
		}
		if t != c.Base && e.structural(e.base, t) && e.base.Nodes[c.Base].Kind == graph.KindInterface {
			continue // who names the interface breaks; values have the member or not, as before
		}
		keep := anyUse
		if t != c.Base && e.structural(e.base, t) && e.base.Nodes[c.Base].Kind == graph.KindClass && len(e.baseSubtypes(c.Base)) == 0 {
			keep = func(edge *graph.Edge) bool { return e.namesBeside(edge, c.Base) } // values of a type that is gone are of any type
		}
		e.usesOfGone(t, graph.None, keep)
		e.dispatchedNoMore(t)
		if x := &e.base.Nodes[t]; t == c.Base && x.Kind == graph.KindField && x.Parent != graph.None {
			e.byPosition(x.Parent, e.d.ToHead(x.Parent))
		}
		if diff.Abstract(e.base, t) || e.d.RulesFor(&e.base.Nodes[t]).Overriding != "" {
			e.implementers(t, graph.None, ShouldReview)
		}
		e.lostContracts(t)
		e.unset(t)
		e.memberChanged(t, graph.None)
		if n := &e.base.Nodes[t]; n.Kind.IsType() && e.base != e.head && !e.d.RulesFor(n).Dynamic {
			// Where types are not checked, who names the class breaks, and who has an
			// object of one below it never gets there.
			e.lostMembers(t, graph.None)
		}
	}
}

// renamed finds the uses of a declaration that has another name or place, and
// of what is written with its name in front.
func (e *engine) renamed(c *diff.Change) {
	for _, t := range e.writtenWith(c.Base) {
		keep := anyUse
		if owner := e.base.Nodes[t].Parent; t != c.Base && e.base.Nodes[owner].Kind.IsType() && e.d.RulesFor(&e.base.Nodes[t]).Dynamic {
			keep = func(edge *graph.Edge) bool { return e.namesBeside(edge, owner) }
		}
		e.usesOfGone(t, e.d.ToHead(t), keep)
		if t == c.Base {
			e.lostContracts(t)
		}
	}
	if e.base.Nodes[c.Base].Kind == graph.KindMethod {
		e.contractChanged(c)
	}
	e.memberChanged(c.Base, c.Head)
}

// writtenWith returns the declarations whose uses name n: n itself, and of a
// package or type what is reached through its name. Members of values are not.
func (e *engine) writtenWith(n graph.ID) []graph.ID {
	out := []graph.ID{n}
	for i := 0; i < len(out); i++ {
		k := e.base.Nodes[out[i]].Kind
		if !k.IsContainer() && !k.IsType() {
			continue
		}
		for _, m := range e.baseKids.of(out[i]) {
			mn := &e.base.Nodes[m]
			if k.IsContainer() || mn.Flags.Has(graph.FlagStatic) || mn.Kind == graph.KindConstructor || mn.Kind == graph.KindEnumMember || mn.Kind.IsType() {
				if h := e.d.ToHead(m); h != graph.None && mn.Kind != graph.KindFile {
					out = append(out, m)
				}
			}
		}
	}
	return out
}

// namesBeside reports whether a user of the base graph names a type where it uses a
// member of it. In languages without checked types it may as well reach what the
// class has through an object of it, or of one below, which does not break; and a
// class that is called as the value of something else is not named.
func (e *engine) namesBeside(use *graph.Edge, owner graph.ID) bool {
	sites := e.base.Sites(use)
	for _, x := range e.base.Out(use.From) {
		if x.To == owner && (x.Certainty == graph.Exact || x.Kind != graph.EdgeInstantiates && x.Kind != graph.EdgeCalls) && slices.ContainsFunc(e.base.Sites(&x), func(s graph.Site) bool {
			return slices.ContainsFunc(sites, func(u graph.Site) bool { return u.File == s.File && u.Line == s.Line })
		}) {
			return true
		}
	}
	return len(sites) == 0
}

func anyUse(*graph.Edge) bool { return true }

// usesOfGone judges those uses of t that keep holds for. t is a node of the base
// graph whose name means nothing any more; now is what it is called today, if anything.
func (e *engine) usesOfGone(t, now graph.ID, keep func(*graph.Edge) bool) {
	for _, i := range e.base.In(t) {
		edge := &e.base.Edges[i]
		if !keep(edge) {
			continue
		}
		switch edge.Kind {
		case graph.EdgeAnnotates, graph.EdgeTests:
			continue // what annotates or tests it does not break with it
		case graph.EdgeConverts:
			continue // the name is written where the interface is asked for
		case graph.EdgeConfigures:
			if x := &e.base.Nodes[edge.From]; e.d.RulesFor(x).Dynamic && x.File != e.base.Nodes[t].File {
				continue // the import that brought the name breaks first
			}
		case graph.EdgeInjects:
			if e.unwritten(e.base, edge) {
				if now == graph.None {
					e.notProvided(edge)
				}
				continue
			}
		case graph.EdgeOverrides, graph.EdgeImplements:
			if e.base.Nodes[t].Kind.IsCallable() || len(e.base.Sites(edge)) == 0 {
				continue // see implementers; and an implicit one names nothing
			}
		}
		e.useOfGone(edge, edge.From, t, now)
	}
	if k := e.base.Nodes[t].Kind; k == graph.KindAnnotation || k.IsCallable() || k == graph.KindClass {
		for _, edge := range e.base.OutKind(t, graph.EdgeAnnotates) {
			e.useOfGone(&edge, edge.To, t, now)
		}
	}
}

// useOfGone judges one edge between a user and t.
func (e *engine) useOfGone(edge *graph.Edge, user, t, now graph.ID) {
	p, ok := e.pair(user)
	if !ok {
		return // the user is gone, too
	}
	if now != graph.None && p.head == now {
		return
	}
	sites := e.goneSites(edge, p, t, now)
	if e.c.Uncertain {
		for i := range sites {
			if sites[i].State == Broken {
				sites[i].State = Unknown
			}
		}
	}
	severity := MustUpdate
	switch {
	case all(sites, Fits):
		if now != graph.None {
			return // still reached under its new name, without an edit
		}
		severity = ShouldReview // it means another declaration now
	case !slices.ContainsFunc(sites, func(s Site) bool { return s.Note != Optional }):
		severity = ShouldReview
	}
	e.addJudged(edge, p.head, relationOf[edge.Kind], severity, sites)
}

// goneSites judges the sites of a use whose target is gone or called now.
// An unchanged use that means something else today fits.
func (e *engine) goneSites(edge *graph.Edge, p pairing, t, now graph.ID) (sites []Site) {
	name := e.base.Nodes[t].Name
	at := e.headSites(edge.Kind, p.head, now) // sites of what it is called now
	if edge.Kind == graph.EdgeAnnotates && now != graph.None {
		at = e.headSites(edge.Kind, now, p.head)
	}
	base := e.base.Sites(edge)
	if len(base) == 0 {
		return []Site{e.declared(p, len(at) > 0)}
	}
	if p.same && len(at) >= len(base) {
		for i := range at {
			at[i].State = Fits // written as before, and found under its new name
		}
		return at
	}
	vague := 0
	for i := range base {
		s, edited, ok := e.place(p, &base[i])
		switch {
		case !ok:
			vague++
			s.State = Unknown
			if !p.same && (e.usesNamed(p.head, edge.Kind, name) || e.around(p.base, t)) {
				s.State = Edited // written elsewhere in another way: the name means another declaration, or what is gone stood in it
			}
		case slices.ContainsFunc(at, func(h Site) bool { return h.File == s.File && h.Line == s.Line }):
			s.State = Fits
			if edited {
				s.State = Edited
			}
		case edited, edge.Kind == graph.EdgeImports && e.importEdited(p, &base[i]):
			s.State = Edited
		default:
			s.State = e.withoutConstructor(t, &base[i])
			if e.base == e.head && s.State == Broken && e.sibling(edge.Kind, p, &s, name) != graph.None {
				s.State = Fits
				break
			}
			if e.base == e.head && s.State == Broken && (e.stillHas(t, edge, &base[i]) || e.byValue(t, edge)) {
				s.State = Fits
				break
			}
			if e.base == e.head && s.State == Broken && e.answered(t) {
				s.State = Unknown
				break
			}
			if e.base == e.head {
				if s.State == Broken {
					s.State = e.supposed(edge.Kind, p.head, t, &base[i])
				}
				break // what else the name could mean is not known
			}
			to, known := e.rebound(edge.Kind, p, &s, name, now, e.alternatives(edge, t, &base[i]))
			switch {
			case to != graph.None && known:
				s.State = e.reboundTo(t, to, &base[i])
				if s.State == Broken && e.stillHas(t, edge, &base[i]) {
					s.State = Fits
				}
				if base[i].Want != 0 && base[i].Flags&graph.SiteOther == 0 && !e.sameResults(t, to) {
					s.State = Unknown // what is done with the result may not fit
				}
			case e.predeclared(p, t), e.stillHas(t, edge, &base[i]), e.byValue(t, edge), e.importedNow(t, &s):
				s.State = Fits
			case e.answered(t):
				s.State = Unknown
			case edge.Kind == graph.EdgeReads && now != graph.None && e.hasEdge(p.head, graph.EdgeCalls, now) && e.usesOtherwise(p.head, now, &s):
				s.State = Fits // a function that is called as the value of the variable was, and judged by that
			case edge.Kind == graph.EdgeInjects && e.head.Nodes[p.head].Kind.IsCallable() && !hasParam(&e.head.Nodes[p.head], name):
				s.State = Edited // on another line of its parameters
			case e.newOutside(t) && (to != graph.None || !p.same || e.d.ToHead(e.base.Nodes[t].Parent) != graph.None),
				e.perhapsLocal(p, t, &s), edge.Kind == graph.EdgeCalls && now != graph.None && !e.head.Nodes[now].Kind.IsCallable() && e.usesOtherwise(p.head, now, &s):
				s.State = Unknown
			}
		}
		if s.State == Broken || s.State == Unknown {
			if s.Note = e.note(edge, t, &base[i]); s.Note == Optional {
				s.State = Unknown
			}
		}
		sites = append(sites, s)
	}
	if vague > 0 && len(at) > 0 {
		// The user changed, and uses the new name now.
		sites = sites[:0]
		for _, s := range at {
			s.State = Edited
			sites = append(sites, s)
		}
	}
	return sites
}

// note returns what the code at a site of an edge of the base graph says of itself where
// t, which the edge leads to, is gone: of an import that site, of another use the
// imports that the user, what is around it, or its file has t by. An import that is said to be of
// a module that may be missing is one of what is in it, if the module is gone.
func (e *engine) note(edge *graph.Edge, t graph.ID, at *graph.Site) Note {
	if edge.Kind == graph.EdgeImports {
		switch {
		case e.optional(edge.From, t, at):
			return Optional
		case at.Flags&graph.SiteLiteral != 0:
			return TypesOnly
		}
		return NoNote
	}
	var users []graph.ID
	for u := edge.From; u != graph.None && !e.base.Nodes[u].Kind.IsContainer(); u = e.base.Nodes[u].Parent {
		users = append(users, u)
	}
	if i := e.base.FileIndex(e.base.Nodes[edge.From].File); i >= 0 && e.base.Files[i].Node != graph.None {
		users = append(users, e.base.Files[i].Node)
	}
	for x := t; x != graph.None; x = e.base.Nodes[x].Parent {
		for _, user := range users {
			if sites := e.importsOf(user, x); len(sites) > 0 {
				if (x == t || e.gone(x)) && !slices.ContainsFunc(sites, func(s graph.Site) bool { return !e.optional(user, x, &s) }) {
					return Optional
				}
				return NoNote
			}
		}
		if x != t && !e.gone(x) {
			break
		}
	}
	return NoNote
}

// optional reports whether a user goes on without t, which is gone and which it imports
// at a site, as that says, or, where its module is gone, what is said there of the module.
func (e *engine) optional(user, t graph.ID, at *graph.Site) bool {
	if at.Flags&graph.SiteOther != 0 {
		return true
	}
	for m := e.base.Nodes[t].Parent; m != graph.None && e.gone(m); m = e.base.Nodes[m].Parent {
		if slices.ContainsFunc(e.importsOf(user, m), func(s graph.Site) bool {
			return s.Flags&graph.SiteOther != 0 && s.File == at.File && s.Line == at.Line
		}) {
			return true
		}
	}
	return false
}

// gone reports whether the head graph lacks a node of the base graph, or what is supposed
// takes it away.
func (e *engine) gone(n graph.ID) bool {
	if e.base != e.head {
		return e.d.ToHead(n) == graph.None
	}
	for n != graph.None && n != e.c.Base {
		n = e.base.Nodes[n].Parent
	}
	return n != graph.None
}

// importsOf returns where a node of the base graph imports another one.
func (e *engine) importsOf(user, target graph.ID) (sites []graph.Site) {
	es := e.base.OutKind(user, graph.EdgeImports)
	i, _ := slices.BinarySearchFunc(es, target, func(x graph.Edge, t graph.ID) int { return cmp.Compare(x.To, t) })
	for ; i < len(es) && es[i].To == target; i++ {
		sites = append(sites, e.base.Sites(&es[i])...)
	}
	return sites
}

// withoutConstructor judges a call of t, which is gone: it is broken, unless t is
// the only constructor of a type, which is made without arguments now, or, where
// constructors are inherited, as what it extends is.
func (e *engine) withoutConstructor(t graph.ID, s *graph.Site) State {
	owner := e.base.Nodes[t].Parent
	if e.base.Nodes[t].Kind != graph.KindConstructor || owner == graph.None || e.d.ToHead(owner) == graph.None {
		return Broken
	}
	is := e.d.ToHead(owner)
	if slices.ContainsFunc(e.headKids.of(is), func(m graph.ID) bool {
		return e.head.Nodes[m].Kind == graph.KindConstructor && (m != t || e.base != e.head)
	}) {
		return Broken
	}
	c, ok := newCall(e.base, s)
	bare := c.args == 0 && len(c.keywords) == 0 && !c.spread && !c.spreadKw
	switch {
	case e.overloaded(t) && ok && bare: // whatever the type extends
		return Fits
	case e.overloaded(t) && (ok && c.args > 0 || !ok && len(e.base.Nodes[t].Signature.Params) > 0):
		return Broken // constructors are not inherited
	case !ok || len(e.head.Nodes[is].Signature.Bases) > len(e.head.OutKind(is, graph.EdgeImplements)) || len(e.head.OutKind(is, graph.EdgeExtends)) > 0:
		return Unknown
	case bare:
		return Fits
	case e.d.RulesFor(&e.head.Nodes[is]).LooseArity || c.spread || c.spreadKw:
		return Unknown
	}
	return Broken
}

// declared judges a use that has no site, by the declaration of the user.
func (e *engine) declared(p pairing, still bool) Site {
	n := &e.head.Nodes[p.head]
	s := Site{File: n.File, Line: n.Line, Col: n.Col, State: Unknown}
	switch {
	case still && p.same:
		s.State = Fits
	case still:
		s.State = Edited
	case p.same:
		s.State = Broken
	}
	return s
}

// headSites returns the sites of the edges of one kind from a user to a node
// of the head graph.
func (e *engine) headSites(k graph.EdgeKind, user, to graph.ID) []Site {
	if to == graph.None {
		return nil
	}
	var out []Site
	es := e.head.OutKind(user, k)
	for i := range es {
		if es[i].To == to {
			out = append(out, e.sitesOf(&es[i])...)
		}
	}
	return out
}

func (e *engine) sitesOf(edge *graph.Edge) []Site {
	var out []Site
	for _, s := range e.head.Sites(edge) {
		out = append(out, Site{File: e.head.Files[s.File].Path, Line: s.Line, Col: s.Col})
	}
	return out
}

// perhapsLocal reports whether the name of the variable, constant or field t, which
// is gone, may mean a variable of its user's body now: it was in reach by its bare
// name, and the change touched the body before the site, where such a variable is
// declared.
func (e *engine) perhapsLocal(p pairing, t graph.ID, s *Site) bool {
	n, h := &e.base.Nodes[t], &e.head.Nodes[p.head]
	switch n.Kind {
	case graph.KindVariable, graph.KindConstant, graph.KindField:
	default:
		return false
	}
	if p.same || !h.Kind.IsCallable() || h.File != s.File || !e.around(n.Parent, p.base) && e.base.Nodes[n.Parent].Kind != graph.KindPackage {
		return false
	}
	rs, known := e.lines.of(e.base.Nodes[p.base].File, s.File)
	if !known {
		return true
	}
	for line := h.DefLine; line < s.Line; line++ {
		if e.lines.touched(rs, line) {
			return true
		}
	}
	return false
}

// around reports whether a declaration of the base graph stands in another one.
func (e *engine) around(outer, inner graph.ID) bool {
	for at := inner; at != graph.None; at = e.base.Nodes[at].Parent {
		if at == outer {
			return true
		}
	}
	return false
}

// usesNamed reports whether a declaration of the head graph uses one of this name.
func (e *engine) usesNamed(user graph.ID, k graph.EdgeKind, name string) bool {
	return slices.ContainsFunc(e.head.OutKind(user, k), func(x graph.Edge) bool { return withoutShape(e.head.Nodes[x.To].Name) == name })
}

func hasParam(n *graph.Node, name string) bool {
	return slices.ContainsFunc(n.Signature.Params, func(p graph.Param) bool { return p.Name == name })
}

// usesOtherwise reports whether a user of the head graph uses a declaration on the
// line of a site, in whatever way, as when the value of a variable is called.
func (e *engine) usesOtherwise(user, to graph.ID, s *Site) bool {
	return slices.ContainsFunc(e.head.Out(user), func(x graph.Edge) bool {
		return x.To == to && slices.ContainsFunc(e.head.Sites(&x), func(h graph.Site) bool {
			return h.Line == s.Line && e.head.Files[h.File].Path == s.File
		})
	})
}

// predeclared reports whether the bare name of t, which is gone, means something of
// the language itself.
func (e *engine) predeclared(p pairing, t graph.ID) bool {
	n := &e.base.Nodes[t]
	return n.Parent != graph.None && e.base.Nodes[n.Parent].Kind == graph.KindPackage && e.around(n.Parent, p.base) &&
		slices.Contains(e.d.RulesFor(n).Predeclared, n.Name)
}

// importedNow reports whether the file of a site, which declared t itself, imports
// something of its name.
func (e *engine) importedNow(t graph.ID, s *Site) bool {
	n, i := &e.base.Nodes[t], e.head.FileIndex(s.File)
	if i < 0 || n.File != s.File || e.head.Files[i].Node == graph.None {
		return false
	}
	return slices.ContainsFunc(e.head.OutKind(e.head.Files[i].Node, graph.EdgeImports), func(x graph.Edge) bool { return e.head.Nodes[x.To].Name == n.Name })
}

// newOutside reports whether a member that is gone may come from outside of the tree
// now: its type is gone as well, or got a supertype there.
func (e *engine) newOutside(t graph.ID) bool {
	owner := e.base.Nodes[t].Parent
	if owner == graph.None || !e.base.Nodes[owner].Kind.IsType() {
		return false
	}
	now := e.d.ToHead(owner)
	if now == graph.None {
		return true
	}
	var had []string
	for _, s := range diff.Supertypes(e.base, owner) {
		had = append(had, e.base.Nodes[s].Key)
	}
	return slices.ContainsFunc(diff.Supertypes(e.head, now), func(s graph.ID) bool {
		n := &e.head.Nodes[s]
		return n.Kind == graph.KindExternal && !slices.Contains(had, n.Key)
	})
}

// rebound returns what an unchanged use means in the head graph if that is
// another declaration of the same name: an inherited one, or another overload.
// Of packages of which nothing is known, only what a method of the tree overrode
// is known to be meant. What is in had does not count.
func (e *engine) rebound(k graph.EdgeKind, p pairing, s *Site, name string, not graph.ID, had []graph.ID) (to graph.ID, known bool) {
	to = graph.None
	// What moved to another file or was laid out anew begins elsewhere.
	moved := e.base.Nodes[p.base].File != s.File
	es := e.head.OutKind(p.head, k)
	for i := range es {
		n := &e.head.Nodes[es[i].To]
		if es[i].To == not || withoutShape(n.Name) != name || slices.Contains(had, es[i].To) {
			continue
		}
		vague := n.Kind == graph.KindExternal && n.Flags.Has(graph.FlagOpaque) && !e.overrodeNamed(n.Key)
		for _, h := range e.head.Sites(&es[i]) {
			if e.head.Files[h.File].Path == s.File && (h.Line == s.Line && (h.Col == s.Col || h.Col == 0 || s.Col == 0) || moved && p.same) {
				if !vague {
					return es[i].To, true
				}
				to = es[i].To
			}
		}
	}
	return to, false
}

// sibling returns another declaration that a use of a member of a type that is gone
// may mean by the same name: what another type has of which the value may be.
func (e *engine) sibling(k graph.EdgeKind, p pairing, s *Site, name string) graph.ID {
	if !e.base.Nodes[e.c.Base].Kind.IsType() {
		return graph.None
	}
	es := e.base.OutKind(p.base, k)
	for i := range es {
		if n := &e.base.Nodes[es[i].To]; n.Name != name || n.Parent == graph.None || !e.base.Nodes[n.Parent].Kind.IsType() || e.around(e.c.Base, es[i].To) {
			continue
		}
		for _, b := range e.base.Sites(&es[i]) {
			if e.base.Files[b.File].Path == s.File && b.Line == s.Line && b.Col == s.Col {
				return es[i].To
			}
		}
	}
	return graph.None
}

// withoutShape returns the name of what is outside of the tree without the types
// that tell it from others of the name.
func withoutShape(name string) string {
	name, _, _ = strings.Cut(name, "(")
	return name
}

// overrodeNamed reports whether the changed declaration overrode or implemented
// what has the given key.
func (e *engine) overrodeNamed(key string) bool {
	m := e.base.Lookup(key)
	return m != graph.None && e.c.Base != graph.None && provided(e.base, e.c.Base, m)
}

// sameResults reports whether a declaration of the head graph gives what t of
// the base graph gave.
func (e *engine) sameResults(t, h graph.ID) bool {
	was, is := &e.base.Nodes[t].Signature, &e.head.Nodes[h].Signature
	return e.head.Nodes[h].Kind == graph.KindExternal ||
		slices.EqualFunc(was.Results, is.Results, func(x, y graph.Param) bool { return x.Type == y.Type })
}

// hop makes the hop of an edge.
func (e *engine) hop(g *graph.Graph, edge *graph.Edge) Hop {
	h := Hop{From: &g.Nodes[edge.From], To: &g.Nodes[edge.To], Kind: edge.Kind, Certainty: edge.Certainty}
	h.File, h.Line = h.From.File, h.From.Line
	if ss := g.Sites(edge); len(ss) > 0 {
		h.File, h.Line = g.Files[ss[0].File].Path, ss[0].Line
	}
	return h
}

// baseHop makes the hop of an edge of the base graph, at the place in the head
// tree of the worst of its sites.
func (e *engine) baseHop(edge *graph.Edge, sites []Site) Hop {
	h := e.hop(e.base, edge)
	for i, s := range sites {
		if i == 0 || s.State < sites[0].State {
			h.File, h.Line = s.File, s.Line
			sites[0], sites[i] = sites[i], sites[0]
		}
	}
	return h
}

func all(sites []Site, s State) bool {
	return !slices.ContainsFunc(sites, func(x Site) bool { return x.State != s })
}

// narrowed finds the users that cannot see a declaration any more.
func (e *engine) narrowed(c *diff.Change) {
	h := &e.head.Nodes[c.Head]
	for _, i := range e.base.In(c.Base) {
		edge := &e.base.Edges[i]
		if edge.Kind == graph.EdgeTests || edge.Kind == graph.EdgeAnnotates || e.unwritten(e.base, edge) || edge.Kind == graph.EdgeConverts && e.structural(e.base, c.Base) {
			continue // a conversion by shape names nothing
		}
		p, ok := e.pair(edge.From)
		if !ok || e.sees(p.head, c.Head, h.Visibility) {
			continue
		}
		sites := e.headSites(edge.Kind, p.head, c.Head)
		if len(sites) == 0 {
			sites = e.goneSites(edge, p, c.Base, graph.None)
		} else {
			for i := range sites {
				sites[i].State = Broken
			}
		}
		e.addJudged(edge, p.head, relationOf[edge.Kind], MustUpdate, sites)
	}
}

// sees reports whether a user may use n if n had the given visibility.
func (e *engine) sees(user, n graph.ID, v graph.Visibility) bool {
	up := func(n graph.ID, is func(*graph.Node) bool) graph.ID {
		for n != graph.None && !is(&e.head.Nodes[n]) {
			n = e.head.Nodes[n].Parent
		}
		return n
	}
	isType := func(n *graph.Node) bool { return n.Kind.IsType() }
	samePackage := diff.PackageOf(e.head, user) == diff.PackageOf(e.head, n)
	switch v {
	case graph.Public:
		return true
	case graph.Internal:
		isModule := func(n *graph.Node) bool { return n.Kind == graph.KindModule }
		return up(user, isModule) == up(n, isModule)
	case graph.Package:
		return samePackage
	case graph.Protected:
		if samePackage {
			return true
		}
		owner := up(n, isType)
		for t := up(user, isType); t != graph.None; t = up(e.head.Nodes[t].Parent, isType) {
			if slices.Contains(diff.Supertypes(e.head, t), owner) {
				return true
			}
		}
		return false
	}
	if e.head.Nodes[user].File == e.head.Nodes[n].File {
		return true // private to a type or to a file: the linker tells them apart
	}
	outer := up(n, isType)
	return outer != graph.None && outer == up(user, isType)
}
