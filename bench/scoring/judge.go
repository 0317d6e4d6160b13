package scoring

import (
	"slices"
	"sort"

	"github.com/codekg/kg/bench/record"
)

// verdict is the judgement on an edge or a pair, the best first.
type verdict int

const (
	right    verdict = iota
	optional         // right, and not counted
	dispatch         // leads to an override of the right target
	wrong
	unjudged
)

// pair is an edge without its sites.
type pair struct{ from, to string }

// truth is a pair that the oracle found, with its sites.
type truth struct {
	pair  pair
	sites []*record.Site
	tags  map[string]bool
	need  bool // one of the sites is not optional
	found bool // by exact and inferred edges
	weak  bool // by ambiguous edges
}

// claim is a pair of ours, with the verdict on it.
type claim struct {
	pair      pair
	verdict   verdict
	reason    string
	certainty string
	shape     string
	edges     []*record.Edge
	tags      map[string]bool
}

// judgement is everything about one kind.
type judgement struct {
	kind      string
	truths    []*truth
	claims    []*claim // exact and inferred
	weak      []*claim // ambiguous
	unjudged  map[string]int
	sites     Count
	types     Split // of right conversions, whose concrete type is right or wrong
	certainty map[string]*Split
}

// judge compares the edges of one kind.
func (ix *index) judge(kind string, opt Options) *judgement {
	j := &judgement{kind: kind, unjudged: map[string]int{}, certainty: map[string]*Split{}}
	known := map[pair][]*truth{}
	byPair := map[pair]*truth{}
	for _, s := range ix.oracle.Sites {
		if s.Kind != kind || s.To == "" || s.Open || s.Dynamic {
			continue
		}
		from, to := ix.origins(s, opt.Initialisers), ix.targets(s)
		p := pair{from[0], to[0]}
		t := byPair[p]
		if t == nil {
			t = &truth{pair: p, tags: map[string]bool{}}
			byPair[p] = t
			j.truths = append(j.truths, t)
		}
		t.sites = append(t.sites, s)
		if !s.Optional {
			t.need = true
			for _, name := range tagsOf(s) {
				t.tags[name] = true
			}
		}
		for _, f := range from {
			for _, to := range to {
				if q := (pair{f, to}); !slices.Contains(known[q], t) {
					known[q] = append(known[q], t)
				}
			}
		}
	}
	claims, weak := map[pair]*claim{}, map[pair]*claim{}
	for _, e := range ix.graph.Edges {
		if e.Kind != kind || record.External(e.To) {
			continue
		}
		if n := ix.nodes[e.To]; kind == "imports" && n != nil && (callable(n.Kind) || class(n.Kind) == "type" || n.Kind == "variable" || n.Kind == "constant" || n.Kind == "namespace") {
			j.unjudged["which declaration an import names"]++
			continue // oracles say which file it names
		}
		c := ix.verdict(e, known, opt)
		if c.verdict == unjudged {
			j.unjudged[c.reason]++
			continue
		}
		into := claims
		if e.Certainty == "ambiguous" {
			into = weak
		} else if !ix.related[kind] {
			j.countSite(ix.siteVerdict(e, c, opt))
		}
		for _, t := range known[c.pair] {
			if e.Certainty == "ambiguous" {
				t.weak = true
			} else {
				t.found = true
			}
		}
		if old := into[c.pair]; old == nil {
			into[c.pair] = c
		} else {
			old.merge(c)
		}
	}
	ix.siteRecall(j, opt)
	j.claims, j.weak = sorted(claims), sorted(weak)
	for _, c := range j.claims {
		name := c.certainty
		if name == "" {
			name = "exact"
		}
		if j.certainty[name] == nil {
			j.certainty[name] = &Split{}
		}
		j.certainty[name].add(c.verdict)
	}
	if kind == record.Converts {
		ix.concreteTypes(j)
	}
	return j
}

func sorted(m map[pair]*claim) []*claim {
	list := make([]*claim, 0, len(m))
	for _, c := range m {
		list = append(list, c)
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].pair.from != list[j].pair.from {
			return list[i].pair.from < list[j].pair.from
		}
		return list[i].pair.to < list[j].pair.to
	})
	return list
}

// merge adds another site of the same pair. The best verdict stands.
func (c *claim) merge(d *claim) {
	c.edges = append(c.edges, d.edges...)
	if d.verdict < c.verdict {
		c.verdict, c.reason, c.shape = d.verdict, d.reason, d.shape
	}
	if compareCertainty(d.certainty, c.certainty) < 0 {
		c.certainty = d.certainty
	}
	for name := range d.tags {
		c.tags[name] = true
	}
}

// tagsOf are the tags under which a site is counted.
func tagsOf(s *record.Site) []string {
	tags := slices.Clone(s.Tags)
	if !slices.Contains(tags, record.TagTest) {
		tags = append(tags, "not test")
	}
	if s.Context != "" {
		tags = append(tags, "by "+s.Context)
	}
	return tags
}

// verdict judges one edge. The pair of the result names definitions of the
// oracle, or nodes where there are none.
func (ix *index) verdict(e *record.Edge, known map[pair][]*truth, opt Options) *claim {
	c := &claim{certainty: e.Certainty, edges: []*record.Edge{e}, tags: map[string]bool{}}
	from, to := ix.matched[e.From], ix.matched[e.To]
	c.pair = pair{"?" + e.From, "?" + e.To}
	if from != nil {
		c.pair.from = from.ID
	}
	if to != nil {
		c.pair.to = to.ID
	}
	if ix.related[e.Kind] {
		ix.relationVerdict(c, e, from, to, known)
		return c
	}
	set := func(v verdict, reason string) *claim {
		c.verdict, c.reason = v, reason
		return c
	}
	if f := ix.files[e.File]; f == nil || !f.Judged {
		return set(unjudged, "file not judged")
	} else if f.Test {
		c.tags[record.TagTest] = true
	} else {
		c.tags["not test"] = true
	}
	name := ""
	if n := ix.nodes[e.To]; n != nil {
		name = lastPart(n.Name)
	}
	same, all := ix.at(e, name)
	for _, s := range same {
		for _, t := range tagsOf(s) {
			c.tags[t] = true
		}
		c.shape = s.Shape
	}
	if why := ix.leftOpen(e, all); why != "" {
		return set(unjudged, why)
	}
	if ts := known[c.pair]; len(ts) > 0 {
		if slices.ContainsFunc(ts, func(t *truth) bool { return t.need }) {
			return set(right, "")
		}
		return set(optional, "")
	}
	if to == nil {
		n := ix.nodes[e.To]
		if n == nil {
			return set(wrong, "unknown node")
		}
		if f := ix.files[n.File]; f == nil || !f.Judged {
			return set(unjudged, "target not judged")
		}
		return set(wrong, "no such definition")
	}
	if len(same) == 0 {
		switch {
		case len(all) > 0:
			return set(wrong, "the site is "+all[0].Kind)
		case ix.closed[e.Kind]:
			return set(wrong, "no site there")
		}
		return set(unjudged, "no site of the oracle")
	}
	return ix.otherTarget(c, same, to, opt)
}

// otherTarget says how an edge differs from the oracle's sites at its place.
func (ix *index) otherTarget(c *claim, same []*record.Site, to *record.Def, opt Options) *claim {
	c.verdict = wrong
	external := true
	for _, s := range same {
		if s.Dynamic || s.To == "" {
			continue
		}
		external = false
		if slices.Contains(ix.targets(s), to.ID) {
			c.reason = "other origin"
			return c
		}
		if callable(to.Kind) && slices.Contains(ix.origins(s, opt.Initialisers), c.pair.from) &&
			slices.ContainsFunc(ix.targets(s), func(id string) bool { return ix.overrides(to.ID, id) }) {
			c.verdict = dispatch
			return c
		}
	}
	switch {
	case external:
		c.reason = "the target is external"
	case slices.ContainsFunc(same, func(s *record.Site) bool { return ix.overrides(s.To, to.ID) }):
		c.reason = "the overridden definition"
	default:
		c.reason = "other target"
	}
	return c
}

// leftOpen says why the oracle does not judge the place of an edge. What it says of
// another kind there does not matter where it has a site of the edge's kind: of
// new C(x) it may know the class, and not which constructor is called.
func (ix *index) leftOpen(e *record.Edge, all []*record.Site) string {
	if e.Kind == record.Converts {
		all = ix.lines[lineOf{e.File, e.Line}]
	}
	own := slices.ContainsFunc(all, func(s *record.Site) bool { return s.Kind == e.Kind })
	for _, s := range all {
		if own && s.Kind != e.Kind && e.Kind != record.Converts {
			continue
		}
		if s.Open {
			return "open"
		}
		if s.Dynamic && e.Kind == record.Calls {
			return "dynamic"
		}
	}
	return ""
}

// relationVerdict judges an edge of a kind that is compared by definitions.
func (ix *index) relationVerdict(c *claim, e *record.Edge, from, to *record.Def, known map[pair][]*truth) {
	c.verdict = unjudged
	switch {
	case from == nil || to == nil:
		c.reason = "definition not judged"
		return
	case len(known[c.pair]) > 0:
		// The oracle says so, whatever else it says of either: a method of a generic
		// interface is implemented where another interface embeds an instance of it.
	case ix.undecided(from, e.Kind) || ix.undecided(to, e.Kind):
		c.reason = "definition not judged"
		return
	case from.Group != to.Group:
		c.reason = "not compiled together"
		return
	case from.Program != "" && to.Program != "" && from.Program != to.Program:
		c.reason = "not in one program"
		return
	}
	c.tags["not test"] = !from.Test
	c.tags[record.TagTest] = from.Test
	c.shape = to.Kind
	ts := known[c.pair]
	switch {
	case len(ts) == 0 && e.Kind == "injects" && e.Certainty == "inferred":
		c.verdict, c.reason = dispatch, "who provides what is asked for by its type" // no compiler knows
	case len(ts) == 0:
		c.verdict, c.reason = wrong, "not a relation"
	case slices.ContainsFunc(ts, func(t *truth) bool { return t.need }):
		c.verdict = right
	default:
		c.verdict = optional
	}
}

// undecided reports whether the oracle does not judge a definition, or the type
// it belongs to, in a relation.
func (ix *index) undecided(d *record.Def, kind string) bool {
	for ; d != nil; d = ix.defs[d.Parent] {
		if d.Minor || slices.Contains(d.Unjudged, kind) {
			return true
		}
	}
	return false
}

// siteVerdict judges one edge by the sites at its place alone.
func (ix *index) siteVerdict(e *record.Edge, c *claim, opt Options) verdict {
	name := ""
	if n := ix.nodes[e.To]; n != nil {
		name = lastPart(n.Name)
	}
	same, _ := ix.at(e, name)
	v := wrong
	for _, s := range same {
		if !slices.Contains(ix.origins(s, opt.Initialisers), c.pair.from) || !slices.Contains(ix.targets(s), c.pair.to) {
			continue
		}
		if !s.Optional {
			return right
		}
		v = optional
	}
	if v == wrong && c.verdict == dispatch {
		return dispatch
	}
	return v
}

func (j *judgement) countSite(v verdict) {
	switch v {
	case right:
		j.sites.Right++
	case wrong:
		j.sites.Wrong++
	}
}

// siteRecall counts the oracle's sites at which an edge has the right target.
func (ix *index) siteRecall(j *judgement, opt Options) {
	if ix.related[j.kind] {
		return
	}
	for _, t := range j.truths {
		for _, s := range t.sites {
			if s.Optional {
				continue
			}
			j.sites.Truth++
			edges := ix.edges[place{s.File, s.Line, s.Col}]
			if !slices.ContainsFunc(edges, func(e *record.Edge) bool { return e.Kind == j.kind }) {
				edges = ix.byLine[lineOf{s.File, s.Line}]
			}
			from, to := ix.origins(s, opt.Initialisers), ix.targets(s)
			if slices.ContainsFunc(edges, func(e *record.Edge) bool {
				f, t := ix.matched[e.From], ix.matched[e.To]
				return e.Kind == j.kind && e.Certainty != "ambiguous" && f != nil && t != nil &&
					slices.Contains(from, f.ID) && slices.Contains(to, t.ID)
			}) {
				j.sites.Found++
			}
		}
	}
}

// concreteTypes compares the concrete types of conversions that are right.
func (ix *index) concreteTypes(j *judgement) {
	for _, c := range j.claims {
		if c.verdict != right {
			continue
		}
		for _, e := range c.edges {
			typ := ix.matched[e.Type]
			same, _ := ix.at(e, "")
			var known []string
			for _, s := range same {
				if s.To == c.pair.to && s.Type != "" {
					known = append(known, s.Type)
				}
			}
			switch {
			case typ == nil || len(known) == 0:
			case slices.Contains(known, typ.ID):
				j.types.Right++
			default:
				j.types.Wrong++
			}
		}
	}
}
