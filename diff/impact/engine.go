package impact

import (
	"cmp"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// engine computes the impact of one change after the other. It is reused so
// that a change costs what it reaches, not the size of the graph.
type engine struct {
	d          *diff.Delta
	opt        Options
	base, head *graph.Graph
	baseKids   *children
	headKids   *children
	lines      editedLines
	walk       *walk
	run        tally
	retyped    map[graph.ID][][2]string // see migrates
	given      map[graph.ID][]uint32    // conversions of the base graph by the type that is given
	baseTypes  typeNames
	headTypes  typeNames
	byFile     map[string][]graph.ID // see declaredIn; nil until asked
	started    map[graph.ID]Reached  // see enter
	fewer      map[graph.ID][]uint32 // see vanished

	baseWalk *walk // see was; nil until asked

	// Of the change at hand.
	c    *diff.Change
	hits map[graph.ID]*hit
}

// hit is an impacted symbol in the making.
type hit struct {
	Impacted
	walked bool // found by the walk, which gives the path on demand
}

func newEngine(d *diff.Delta, o Options) *engine {
	e := &engine{d: d, opt: o, base: d.Base, head: d.Head}
	e.baseKids = &children{g: d.Base}
	e.headKids = e.baseKids
	if d.Head != d.Base {
		e.headKids = &children{g: d.Head}
	}
	e.lines = editedLines{d: d, ranges: o.Edited}
	e.walk = newWalk(d.Head)
	e.walk.shaped = func(n graph.ID) bool { return d.RulesFor(&d.Head.Nodes[n]).Structural }
	e.run.severity = make([]Severity, len(d.Head.Nodes))
	for i := range e.run.severity {
		e.run.severity[i] = severityEnd
	}
	return e
}

// was returns the walk over the base graph.
func (e *engine) was() *walk {
	if e.baseWalk == nil {
		e.baseWalk = newWalk(e.base)
		e.baseWalk.shaped = func(n graph.ID) bool { return e.structural(e.base, n) }
	}
	return e.baseWalk
}

// children lists the nodes below each node. The lists are made when they are
// first asked for: what is supposed of one function needs none.
type children struct {
	g     *graph.Graph
	start []uint32
	list  []graph.ID
}

func (c *children) fill() {
	nodes := c.g.Nodes
	c.start = make([]uint32, len(nodes)+1)
	for i := range nodes {
		if p := nodes[i].Parent; p != graph.None {
			c.start[p+1]++
		}
	}
	for i := 1; i < len(c.start); i++ {
		c.start[i] += c.start[i-1]
	}
	c.list = make([]graph.ID, c.start[len(nodes)])
	next := slices.Clone(c.start)
	for i := range nodes {
		if p := nodes[i].Parent; p != graph.None {
			c.list[next[p]] = graph.ID(i)
			next[p]++
		}
	}
}

func (c *children) of(n graph.ID) []graph.ID {
	if c.start == nil {
		c.fill()
	}
	return c.list[c.start[n]:c.start[n+1]]
}

// below returns n and everything inside it.
func (c *children) below(n graph.ID) []graph.ID {
	out := []graph.ID{n}
	for i := 0; i < len(out); i++ {
		out = append(out, c.of(out[i])...)
	}
	return out
}

func (e *engine) begin(c *diff.Change) {
	e.c = c
	e.hits = map[graph.ID]*hit{}
}

// own reports whether a node of the head graph is the changed declaration or
// lies in it.
func (e *engine) own(n graph.ID) bool {
	for e.c.Head != graph.None && n != graph.None {
		if n == e.c.Head {
			return true
		}
		n = e.head.Nodes[n].Parent
	}
	return false
}

// leftBehind reports whether a method of the changed type still uses it as it
// was: the rest of a rename that does not compile.
func (e *engine) leftBehind(x *Impacted) bool {
	return x.ID != e.c.Head && e.head.Nodes[x.ID].Kind.IsCallable() && x.Severity == MustUpdate && x.State() == Broken
}

// add records that the change reaches a symbol. A symbol that is reached in
// several ways keeps its most urgent one, and all sites of that urgency.
func (e *engine) add(x Impacted) *hit {
	if x.ID == graph.None || e.own(x.ID) && !e.leftBehind(&x) {
		return nil
	}
	n := &e.head.Nodes[x.ID]
	if n.Kind == graph.KindExternal {
		return nil
	}
	x.Symbol = n
	for i := range x.Sites {
		x.Sites[i].Relation = x.Relation
	}
	h := e.hits[x.ID]
	if h == nil {
		h = &hit{Impacted: x}
		e.hits[x.ID] = h
		return h
	}
	if cmp.Or(cmp.Compare(x.Severity, h.Severity), cmp.Compare(x.Depth, h.Depth), cmp.Compare(x.Certainty, h.Certainty)) < 0 {
		sites := h.Sites
		if x.Depth < h.Depth {
			sites = nil // of another use
		}
		h.Impacted, h.walked = x, false
		h.Sites = append(h.Sites, sites...)
	} else if x.Depth == h.Depth && x.Severity <= ShouldReview {
		h.Sites = append(h.Sites, x.Sites...)
	}
	return h
}

// finish makes the change's part of the result.
func (e *engine) finish(c *diff.Change) Change {
	out := Change{Change: c, Symbol: e.d.Symbol(c), Was: e.d.Was(c)}
	ids := make([]graph.ID, 0, len(e.hits))
	for id, h := range e.hits {
		h.Sites = sortSites(h.Sites, h.Relation)
		ids = append(ids, id)
		out.Totals.count(&h.Impacted)
		e.run.add(&h.Impacted)
		e.enter(h)
	}
	slices.SortFunc(ids, func(x, y graph.ID) int { return rank(&e.hits[x].Impacted, &e.hits[y].Impacted) })
	if e.opt.Limit >= 0 && len(ids) > e.opt.Limit {
		ids = ids[:e.opt.Limit]
	}
	for _, id := range ids {
		h := e.hits[id]
		if h.walked {
			h.Path = e.walk.path(id)
			h.Sites = e.walkSites(id)
			for i := range h.Sites {
				h.Sites[i].Relation = h.Relation
			}
		}
		out.Impacted = append(out.Impacted, h.Impacted)
	}
	return out
}

// rank orders impacted symbols: the most urgent first, broken before others.
func rank(x, y *Impacted) int {
	return cmp.Or(
		cmp.Compare(x.Severity, y.Severity), cmp.Compare(x.State(), y.State()), cmp.Compare(x.Certainty, y.Certainty),
		cmp.Compare(x.Depth, y.Depth), cmp.Compare(x.Symbol.Key, y.Symbol.Key))
}

// rankChanges puts broken uses first, then what asks for an update, then what
// people wrote before what was generated, by how much it reaches.
func rankChanges(cs []Change) {
	slices.SortStableFunc(cs, func(x, y Change) int {
		return cmp.Or(
			cmp.Compare(y.Totals.Broken, x.Totals.Broken), cmp.Compare(y.Totals.MustUpdate, x.Totals.MustUpdate),
			cmp.Compare(generated(&x), generated(&y)), cmp.Compare(y.Totals.ShouldReview, x.Totals.ShouldReview), cmp.Compare(x.Kind, y.Kind),
			cmp.Compare(x.Symbol.Key, y.Symbol.Key))
	})
}

// generated is 1 for a change that nobody wrote: it follows from another one.
func generated(c *Change) int {
	if c.Symbol.Flags.Has(graph.FlagGenerated) {
		return 1
	}
	return 0
}

func sortSites(ss []Site, own Relation) []Site {
	other := func(s *Site) int {
		if s.Relation == own {
			return -1
		}
		return int(s.Relation)
	}
	slices.SortFunc(ss, func(x, y Site) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.State, y.State), cmp.Compare(other(&x), other(&y)), cmp.Compare(x.Col, y.Col))
	})
	// A line counts once, with its worst state, and the symbol's own relation if it has that.
	return slices.CompactFunc(ss, func(x, y Site) bool { return x.File == y.File && x.Line == y.Line })
}

func (t *Totals) count(x *Impacted) {
	t.Impacted++
	switch x.Severity {
	case MustUpdate:
		t.MustUpdate++
	case ShouldReview:
		t.ShouldReview++
	case MayBeAffected:
		t.MayBeAffected++
	}
	if x.Certainty == graph.Ambiguous {
		t.Ambiguous++
	}
	broken := 0
	for _, s := range x.Sites {
		if s.State == Broken {
			broken++
		}
	}
	if broken > 0 && x.Severity == MustUpdate {
		t.Broken++
		t.BrokenSites += broken
	}
}

// tally counts the distinct symbols of a run.
type tally struct {
	severity []Severity // by id in the head graph; severityEnd: not impacted
	sure     map[graph.ID]bool
	ids      []graph.ID
	broken   map[graph.ID]bool
	sites    map[Site]bool // broken ones, without columns
}

func (t *tally) add(x *Impacted) {
	if t.severity[x.ID] == severityEnd {
		t.ids = append(t.ids, x.ID)
	}
	t.severity[x.ID] = min(t.severity[x.ID], x.Severity)
	if t.sure == nil {
		t.sure, t.broken, t.sites = map[graph.ID]bool{}, map[graph.ID]bool{}, map[Site]bool{}
	}
	if x.Certainty != graph.Ambiguous {
		t.sure[x.ID] = true
	}
	if x.Severity != MustUpdate {
		return
	}
	for _, s := range x.Sites {
		if s.State == Broken {
			s.Col, s.Note = 0, NoNote
			t.broken[x.ID] = true
			t.sites[s] = true
		}
	}
}

func (t *tally) symbols() ([]Affected, Totals) {
	slices.Sort(t.ids)
	var out []Affected
	totals := Totals{Impacted: len(t.ids), Broken: len(t.broken), BrokenSites: len(t.sites)}
	for _, id := range t.ids {
		out = append(out, Affected{ID: id, Severity: t.severity[id], Broken: t.broken[id]})
		switch t.severity[id] {
		case MustUpdate:
			totals.MustUpdate++
		case ShouldReview:
			totals.ShouldReview++
		case MayBeAffected:
			totals.MayBeAffected++
		}
		if !t.sure[id] {
			totals.Ambiguous++
		}
	}
	return out, totals
}
