package impact

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// signature finds who does not fit the new shape of a declaration.
func (e *engine) signature(c *diff.Change) {
	if c.Has(diff.VisibilityNarrowed) {
		e.narrowed(c)
	}
	hypothetical := len(c.Details) == 0
	shape := hypothetical || slices.ContainsFunc(c.Details, func(d diff.Detail) bool { return shapeCodes[d.Code] && d.Verdict != diff.Silent })
	if !shape {
		return
	}
	e.headUses(c)
	e.takenApart(c)
	if !hypothetical {
		e.vanishedUses(c)
		e.aliasUses(c)
	}
	if e.head.Nodes[c.Head].Kind == graph.KindMethod {
		e.contractChanged(c)
	}
	e.memberChanged(c.Base, c.Head)
	e.lostContracts(c.Base)
	if c.Has(diff.BaseRemoved) {
		e.lostMembers(c.Base, c.Head)
	}
	if c.Breaking && e.head.Nodes[c.Head].Kind.IsCallable() {
		e.callersCallers()
	}
}

// shapeCodes are the details that users have to fit.
var shapeCodes = map[diff.Code]bool{
	diff.KindChanged: true, diff.ParamAdded: true, diff.ParamRemoved: true, diff.ParamType: true, diff.ParamRenamed: true,
	diff.ParamReordered: true, diff.ParamRequired: true, diff.ParamOptional: true, diff.ParamPassing: true,
	diff.ResultAdded: true, diff.ResultRemoved: true, diff.ResultType: true,
	diff.TypeParamAdded: true, diff.TypeParamRemoved: true, diff.TypeParamBound: true, diff.TypeChanged: true,
	diff.ThrowsAdded: true, diff.ThrowsRemoved: true, diff.BaseRemoved: true, diff.StaticChanged: true, diff.AbstractAdded: true, diff.FinalAdded: true,
	diff.AsyncChanged: true, diff.ReceiverPointer: true, diff.TextChanged: true,
}

// effects say what a detail does to the users of one kind, where calls are not
// concerned: fitsNo is broken unless edited, fitsUnknown cannot be told.
var effects = map[diff.Code]map[graph.EdgeKind]fit{
	diff.KindChanged: {graph.EdgeReferences: fitsUnknown, graph.EdgeInstantiates: fitsUnknown, graph.EdgeExtends: fitsUnknown,
		graph.EdgeEmbeds: fitsUnknown, graph.EdgeImplements: fitsUnknown, graph.EdgeReads: fitsUnknown, graph.EdgeWrites: fitsUnknown,
		graph.EdgeUsesType: fitsUnknown},
	diff.ParamAdded:     {graph.EdgeReferences: fitsNo},
	diff.ParamRemoved:   {graph.EdgeReferences: fitsNo},
	diff.ParamType:      {graph.EdgeReferences: fitsNo},
	diff.ParamReordered: {graph.EdgeReferences: fitsNo},
	diff.ParamRequired:  {graph.EdgeReferences: fitsUnknown},
	diff.ParamPassing:   {graph.EdgeReferences: fitsNo},
	diff.ResultAdded:    {graph.EdgeReferences: fitsNo},
	diff.ResultRemoved:  {graph.EdgeReferences: fitsNo},
	diff.ResultType:     {graph.EdgeReferences: fitsNo},
	diff.TypeParamAdded: {graph.EdgeUsesType: fitsNo, graph.EdgeInstantiates: fitsNo, graph.EdgeExtends: fitsNo,
		graph.EdgeEmbeds: fitsNo, graph.EdgeImplements: fitsNo, graph.EdgeReferences: fitsUnknown},
	diff.TypeParamRemoved: {graph.EdgeUsesType: fitsNo, graph.EdgeInstantiates: fitsNo, graph.EdgeExtends: fitsNo,
		graph.EdgeEmbeds: fitsNo, graph.EdgeImplements: fitsNo, graph.EdgeReferences: fitsUnknown},
	diff.TypeParamBound: {graph.EdgeUsesType: fitsUnknown, graph.EdgeInstantiates: fitsUnknown, graph.EdgeExtends: fitsUnknown,
		graph.EdgeReferences: fitsUnknown},
	diff.TypeChanged: {graph.EdgeReads: fitsUnknown, graph.EdgeWrites: fitsUnknown, graph.EdgeReferences: fitsUnknown,
		graph.EdgeUsesType: fitsUnknown, graph.EdgeInstantiates: fitsUnknown, graph.EdgeCalls: fitsUnknown,
		graph.EdgeExtends: fitsUnknown, graph.EdgeEmbeds: fitsUnknown},
	diff.BaseRemoved:   {graph.EdgeExtends: fitsUnknown, graph.EdgeInstantiates: fitsUnknown, graph.EdgeThrows: fitsUnknown},
	diff.StaticChanged: {graph.EdgeReads: fitsUnknown, graph.EdgeWrites: fitsUnknown, graph.EdgeReferences: fitsUnknown},
	diff.AbstractAdded: {graph.EdgeInstantiates: fitsNo, graph.EdgeCalls: fitsUnknown},
	diff.FinalAdded:    {graph.EdgeExtends: fitsNo, graph.EdgeWrites: fitsUnknown},
	diff.AsyncChanged:  {graph.EdgeReferences: fitsUnknown},
	diff.TextChanged:   {graph.EdgeReferences: fitsUnknown},
}

// headUses judges the uses that the head graph has.
func (e *engine) headUses(c *diff.Change) {
	skip := 0
	if len(c.Details) > 0 {
		skip = e.receivers(c)
	}
	for _, i := range e.head.In(c.Head) {
		edge := &e.head.Edges[i]
		switch edge.Kind {
		case graph.EdgeTests, graph.EdgeAnnotates, graph.EdgeOverrides, graph.EdgeHandles, graph.EdgeHTTPCalls, graph.EdgePublishes, graph.EdgeConfigures:
			continue
		case graph.EdgeInjects:
			if e.unwritten(e.head, edge) {
				continue
			}
		}
		added := !e.usedBefore(edge, c)
		var sites []Site
		hit, carries := false, 0 // asked once: 1 yes, 2 no
		for _, s := range e.head.Sites(edge) {
			f, affected := e.useFit(edge, &s, c, skip)
			if len(c.Details) == 0 && e.overloaded(c.Base) && e.supposed(edge.Kind, edge.From, c.Base, &s) == Fits {
				f = fitsYes // whatever the new shape is, it means this one or another
			}
			if edge.Kind == graph.EdgeCalls || edge.Kind == graph.EdgeReferences {
				if x, thrown := e.throwsFit(edge.From, edge.Kind, &s, c); thrown {
					f, affected = min(f, x), true
				}
			}
			if !affected {
				continue
			}
			if f == fitsNo && edge.Kind == graph.EdgeReferences && e.storedAsAny(edge.From, &s) {
				f = fitsYes
			}
			if f == fitsNo && e.migrates(edge.From, c) {
				f = fitsUnknown
			}
			if f == fitsUnknown {
				if carries == 0 {
					carries = 2
					if e.carriesOver(edge.From, c) {
						carries = 1
					}
				}
				if carries == 1 {
					f = fitsYes
				}
			}
			at := Site{File: e.head.Files[s.File].Path, Line: s.Line, Col: s.Col, State: e.judge(edge.From, &s, f)}
			// New uses were written for the new shape; they count when they do not fit.
			hit = hit || !added || at.State == Broken
			sites = append(sites, at)
		}
		if len(sites) == 0 || !hit {
			continue
		}
		severity := MustUpdate
		if all(sites, Fits) {
			if !c.Breaking {
				continue
			}
			severity = ShouldReview
		} else if !c.Breaking && edge.Kind == graph.EdgeCalls && !slices.ContainsFunc(sites, func(s Site) bool { return s.State == Broken }) {
			continue
		}
		if edge.Certainty == graph.Ambiguous {
			severity = MayBeAffected
		}
		hop := e.hop(e.head, edge)
		worst := slices.MinFunc(sites, func(x, y Site) int { return int(x.State) - int(y.State) })
		hop.File, hop.Line = worst.File, worst.Line
		e.add(Impacted{ID: edge.From, Relation: relationOf[edge.Kind], Severity: severity, Depth: 1,
			Certainty: edge.Certainty, Sites: sites, Path: []Hop{hop}})
	}
}

// storedAsAny reports whether a value is assigned, on the line of the site, to
// something that takes any value.
func (e *engine) storedAsAny(user graph.ID, s *graph.Site) bool {
	rules := e.d.RulesFor(&e.head.Nodes[user])
	es := e.head.OutKind(user, graph.EdgeWrites)
	for i := range es {
		if slices.Contains(rules.TopTypes, e.head.Nodes[es[i].To].Signature.Type) &&
			slices.ContainsFunc(e.head.Sites(&es[i]), func(w graph.Site) bool { return w.File == s.File && w.Line == s.Line }) {
			return true
		}
	}
	return false
}

// usedBefore reports whether the user of an edge of the head graph used the
// changed declaration in the same way in the base graph, or something of its
// name that the change moved or that stood for it, such as a method it
// implements.
func (e *engine) usedBefore(edge *graph.Edge, c *diff.Change) bool {
	user := e.d.ToBase(edge.From)
	if user == graph.None || e.d.Base == e.d.Head {
		return user != graph.None
	}
	name := e.base.Nodes[c.Base].Name
	return slices.ContainsFunc(e.base.OutKind(user, edge.Kind), func(x graph.Edge) bool {
		return x.To == c.Base || e.base.Nodes[x.To].Name == name
	})
}

// useFit decides whether one use of the head graph fits; affected is false for
// kinds of uses that the change does not concern.
func (e *engine) useFit(edge *graph.Edge, s *graph.Site, c *diff.Change, skip int) (f fit, affected bool) {
	k := edge.Kind
	if len(c.Details) == 0 {
		return fitsUnknown, true // of a use that a change of the signature may break
	}
	h, b := &e.head.Nodes[c.Head], &e.base.Nodes[c.Base]
	rules := e.d.RulesFor(h).In(e.head.Files[s.File].Path)
	if k == graph.EdgeCalls && h.Kind.IsCallable() && b.Kind.IsCallable() {
		call, ok := newCall(e.head, s)
		if !ok {
			return fitsUnknown, true
		}
		return fitsCall(call, skip, &b.Signature, &h.Signature, c, &rules, func(from, to string) bool {
			return e.literals(from, to, &rules) || e.outside(h.Lang, from, to, &rules)
		}), true
	}
	f = fitsYes
	for _, d := range c.Details {
		if x, ok := effects[d.Code][k]; ok && d.Verdict != diff.Silent && (d.Code != diff.TextChanged || d.Verdict == diff.Breaking) {
			affected = true
			switch {
			case d.Code == diff.KindChanged && h.Kind == graph.KindConstant && k == graph.EdgeWrites:
				x = fitsNo
			case d.Code == diff.KindChanged && k == graph.EdgeUsesType && named(b.Kind) && named(h.Kind):
				x = fitsYes // it is still the name of a type of objects
			case d.Code == diff.KindChanged && k == graph.EdgeInstantiates && b.Kind == graph.KindInterface && h.Kind == graph.KindClass && !e.hasConstructor(c.Head):
				x = fitsYes // a class inside of a body, which extends it now
			case d.Verdict == diff.Compatible && (d.Code == diff.KindChanged || d.Code == diff.TypeChanged || d.Code == diff.StaticChanged || d.Code == diff.TypeParamBound):
				x = fitsYes
			case d.Code == diff.AbstractAdded && edge.Certainty != graph.Exact:
				x = fitsYes // a class is a value there, which may be one below
			case d.Code == diff.BaseRemoved && k == graph.EdgeInstantiates && s.Args <= 0 && len(e.base.OutKind(c.Base, graph.EdgeEmbeds)) > 0:
				x = fitsYes // a field like others, which the literal does not name
			case d.Code == diff.BaseRemoved && k == graph.EdgeInstantiates && rules.Dynamic && e.constructs(c):
				x = fitsYes // it is made as before, and what asks for the base asks for no type
			case rules.Dynamic && d.Verdict == diff.Compatible && (d.Code == diff.ParamType || d.Code == diff.ResultType || d.Code == diff.ParamAdded):
				x = fitsYes // a hint, or what need not be passed
			}
			if rules.Structural && k == graph.EdgeWrites && d.Code == diff.TypeChanged && rules.Within(d.From, d.To) {
				x = fitsYes // it takes what it took
			}
			if rules.Structural && k == graph.EdgeReferences {
				switch d.Code {
				case diff.ParamRemoved:
					x = fitsYes // what is asked for may have more parameters
				case diff.ParamAdded, diff.ParamType, diff.ParamReordered, diff.ParamPassing, diff.ResultAdded, diff.ResultRemoved, diff.ResultType:
					x = fitsUnknown // what is asked for is not known
				}
				if d.Verdict == diff.Compatible {
					x = fitsYes
				}
			}
			if rules.Coerces && d.Code == diff.ResultAdded && k == graph.EdgeReferences {
				x = fitsYes // a function without a result is asked for, and one with a result is one
			}
			if x == fitsNo && (rules.Dynamic || (d.Code == diff.ParamType || d.Code == diff.ResultType || d.Code == diff.TypeChanged) && lastName(d.From) == lastName(d.To)) {
				x = fitsUnknown
			}
			if d.Code == diff.TypeChanged && diff.Narrower(e.head, d.To, d.From, &rules) {
				switch k {
				case graph.EdgeReads:
					x = fitsYes // what it gives is all that it was
				case graph.EdgeWrites:
					x = fitsUnknown
				}
			}
			f = min(f, x)
		}
	}
	return f, affected
}

// named reports whether types of a kind are named where values of them are asked for,
// in one way for all of these kinds.
func named(k graph.Kind) bool {
	switch k {
	case graph.KindClass, graph.KindInterface, graph.KindEnum, graph.KindRecord:
		return true
	}
	return false
}

// outside reports whether the type to is one of those outside of the tree, and from
// is a type that it may accept: that implements it, or that it is another name of.
// What the language itself has, such as a string, is neither.
func (e *engine) outside(lang, from, to string, rules *diff.Rules) bool {
	dot := strings.LastIndexByte(to, '.')
	return dot > 0 && e.head.Lookup(graph.ExternalKey(lang, to[:dot], to[dot+1:])) != graph.None &&
		!slices.ContainsFunc(rules.Constants, func(c string) bool { return slices.Contains(strings.Fields(c), from) })
}

// literals reports whether one literal may be of type from in the base graph and
// of type to in the head graph: both are of one sort, by themselves or as what
// they are defined as.
func (e *engine) literals(from, to string, rules *diff.Rules) bool {
	sort := func(names *typeNames, g *graph.Graph, t string) int {
		for range 4 { // a type that is defined as one that is defined as …
			if i := slices.IndexFunc(rules.Constants, func(c string) bool { return slices.Contains(strings.Fields(c), t) }); i >= 0 {
				return i
			}
			id := graph.None
			if !strings.HasPrefix(t, "*") {
				id = names.named(g, t)
			}
			if id == graph.None {
				return -1
			}
			t = strings.TrimPrefix(g.Nodes[id].Signature.Type, "= ")
		}
		return -1
	}
	null := func(t string) bool {
		return slices.ContainsFunc(rules.Nil, func(p string) bool { return strings.HasPrefix(t, p) })
	}
	if null(from) && null(to) {
		return true
	}
	was := sort(&e.baseTypes, e.base, from)
	return was >= 0 && was == sort(&e.headTypes, e.head, to)
}

// value leaves out how often a type points to another: what is passed is often
// the address of what changed its type.
func value(t string) string { return strings.TrimLeft(t, "*") }

// migrates reports whether a user also uses another declaration in which a type
// changed in the same way: what it passes on may have changed with what it
// passes it to, without an edit.
func (e *engine) migrates(user graph.ID, c *diff.Change) bool {
	if e.retyped == nil {
		e.retyped = map[graph.ID][][2]string{}
		for i := range e.d.Changes {
			x := &e.d.Changes[i]
			for _, d := range x.Details {
				if x.Head != graph.None && (d.Code == diff.ResultType || d.Code == diff.TypeChanged || d.Code == diff.ParamType) {
					e.retyped[x.Head] = append(e.retyped[x.Head], [2]string{d.From, d.To})
				}
			}
		}
	}
	if len(e.retyped) == 0 {
		return false
	}
	for _, edge := range e.head.Out(user) {
		if edge.To == c.Head {
			continue
		}
		for _, t := range e.retyped[edge.To] {
			if slices.ContainsFunc(c.Details, func(d diff.Detail) bool {
				return d.Code == diff.ParamType && value(d.From) == value(t[0]) && value(d.To) == value(t[1])
			}) {
				return true
			}
		}
	}
	return false
}

// judge turns a fit into a state, by whether the change touched the site.
func (e *engine) judge(user graph.ID, s *graph.Site, f fit) State {
	edited, sure := e.editedAt(user, s)
	if e.d.Base == e.d.Head {
		edited = false
	}
	switch {
	case f == fitsArity:
		return Broken // edited or not
	case edited:
		if sure || f == fitsYes {
			return Edited
		}
		return Unknown
	case f == fitsNo:
		if base := e.d.ToBase(user); base != graph.None && !e.d.SameText(base, user) {
			return Unknown // an argument on another line of the call may be edited
		}
		return Broken
	case f == fitsUnknown:
		return Unknown
	}
	return Fits
}

// vanishedUses judges the uses that only the base graph has: the user was
// edited, or the linker finds no declaration that fits.
func (e *engine) vanishedUses(c *diff.Change) {
	for _, i := range e.base.In(c.Base) {
		edge := &e.base.Edges[i]
		switch edge.Kind {
		case graph.EdgeCalls, graph.EdgeReferences, graph.EdgeInstantiates, graph.EdgeReads, graph.EdgeWrites, graph.EdgeExtends:
		default:
			continue
		}
		p, ok := e.pair(edge.From)
		if !ok || len(e.headSites(edge.Kind, p.head, c.Head)) > 0 || p.head == c.Head {
			continue
		}
		sites := e.goneSites(edge, p, c.Base, c.Head)
		if rules := e.d.RulesFor(&e.head.Nodes[c.Head]); !c.Has(diff.KindChanged) && (edge.Kind != graph.EdgeCalls || rules.Structural || rules.Dynamic) {
			// It is there, and what it is used on has a type that is not known now.
			for i := range sites {
				if sites[i].State == Broken {
					sites[i].State = Unknown
				}
			}
		}
		if len(sites) == 0 || all(sites, Fits) || !c.Breaking && !slices.ContainsFunc(sites, func(s Site) bool { return s.State == Broken }) {
			continue
		}
		e.addJudged(edge, p.head, relationOf[edge.Kind], MustUpdate, sites)
	}
}

// callersCallers adds who calls the callers that have to be updated.
func (e *engine) callersCallers() {
	var direct []*hit
	for _, h := range e.hits {
		if h.Relation == Caller && h.Severity == MustUpdate && h.Depth == 1 {
			direct = append(direct, h)
		}
	}
	slices.SortFunc(direct, func(x, y *hit) int { return int(x.ID) - int(y.ID) })
	for _, h := range direct {
		for _, i := range e.head.InKind(h.ID, graph.EdgeCalls) {
			edge := &e.head.Edges[i]
			if e.d.ToBase(edge.From) == graph.None {
				continue // new: written for the new shape
			}
			severity := ShouldReview
			if edge.Certainty == graph.Ambiguous {
				severity = MayBeAffected
			}
			var sites []Site
			for _, s := range e.head.Sites(edge) {
				at := Site{File: e.head.Files[s.File].Path, Line: s.Line, Col: s.Col, State: e.judge(edge.From, &s, fitsYes)}
				sites = append(sites, at)
			}
			relation := Caller
			if n := &e.head.Nodes[edge.From]; n.Flags.Has(graph.FlagTestCase) {
				relation = Test
			} else if n.Flags.Has(graph.FlagEntryPoint) {
				relation = EntryPoint
			}
			e.add(Impacted{ID: edge.From, Relation: relation, Severity: severity, Depth: 2,
				Certainty: max(edge.Certainty, h.Certainty), Sites: sites, Path: append([]Hop{e.hop(e.head, edge)}, h.Path...)})
		}
	}
}

// constructs reports whether a type has a constructor of its own, before and after.
func (e *engine) constructs(c *diff.Change) bool {
	return slices.ContainsFunc(e.baseKids.of(c.Base), func(m graph.ID) bool { return e.base.Nodes[m].Kind == graph.KindConstructor }) && e.hasConstructor(c.Head)
}

// hasConstructor reports whether a type of the head graph has a constructor of its own.
func (e *engine) hasConstructor(t graph.ID) bool {
	return slices.ContainsFunc(e.headKids.of(t), func(m graph.ID) bool { return e.head.Nodes[m].Kind == graph.KindConstructor })
}
