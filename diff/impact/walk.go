package impact

import (
	"slices"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// walk finds who a changed behaviour reaches: breadth first, against the
// direction of the edges, so that the first path found is a shortest one. It
// is reused; each start begins a new epoch, so that a walk costs what it
// visits.
//
// A walk has two parts. The first follows exact and inferred edges only; the
// second adds what only ambiguous edges reach. So an ambiguous short cut never
// hides a sure path.
type walk struct {
	g       *graph.Graph
	epoch   uint32
	mark    []uint32 // epoch in which each node was visited
	nodes   []visit  // by node
	order   []graph.ID
	super   map[graph.ID][]super // see supers
	known   []bool               // by node: super holds what it overrides, nothing if absent
	deep    int                  // methods that were asked for and override more than super holds
	vague   bool                 // some edge is ambiguous
	store   map[graph.ID][]int32 // see conversions; nil until asked
	types   *graph.Hierarchy
	keeper  map[graph.ID]bool   // see onLoad
	started map[graph.ID]bool   // see whenStarted
	ran     map[graph.ID]bool   // of the last onLoad: see runs
	handed  map[graph.ID]bool   // see handedOut; nil until asked
	shaped  func(graph.ID) bool // the language of a node has types that fit by their shape; nil: none has
	tests   bool                // tests are looked for: who may run a method from outside is followed, too
	mods    *modules            // nil: not told
	asked   bool                // mods is known
	near    *near               // of this walk; nil without mods
}

// visit is how the walk reached a node.
type visit struct {
	depth     int32
	certainty graph.Certainty
	edge      int32    // into g.Edges, from the node to next; -1 if the walk began at the node, or no edge leads there
	via       int32    // position in supers(from) if dispatch led there, else -1
	from      graph.ID // the node the walk came from; None if it began here
	loose     bool     // no program of which all is known has all of the path; see near
}

// super is a method that another one overrides or implements, directly or not.
type super struct {
	id        graph.ID
	certainty graph.Certainty
	edge      int32 // into g.Edges
	prev      int32 // position of the super that the edge leaves, or -1
}

func newWalk(g *graph.Graph) *walk {
	return &walk{g: g, types: graph.NewHierarchy(g), mark: make([]uint32, len(g.Nodes)), nodes: make([]visit, len(g.Nodes)), super: map[graph.ID][]super{},
		known: make([]bool, len(g.Nodes)), vague: g.HasAmbiguous()}
}

// start begins a walk at the given nodes, which count as visited.
func (w *walk) start(seeds ...graph.ID) {
	w.epoch++
	w.order = w.order[:0]
	w.keeper = nil
	if !w.asked {
		w.asked, w.mods = true, modulesOf(w.g)
	}
	if w.mods != nil {
		w.near = w.mods.near()
	}
	for _, n := range seeds {
		w.visit(n, visit{edge: -1, via: -1, from: graph.None})
	}
}

func (w *walk) visited(n graph.ID) bool { return w.mark[n] == w.epoch }

// began reports whether the walk began at the visited node n.
func (w *walk) began(n graph.ID) bool { return w.nodes[n].from == graph.None }

func (w *walk) visit(n graph.ID, v visit) {
	if w.near != nil && v.from == graph.None {
		w.near.add(&w.g.Nodes[n])
	}
	w.mark[n] = w.epoch
	w.nodes[n] = v
	w.order = append(w.order, n)
}

// follows says which edges carry a changed behaviour from their target back to
// their source.
func follows(k graph.EdgeKind, to graph.Kind) bool {
	switch k {
	case graph.EdgeCalls, graph.EdgeReferences, graph.EdgeInstantiates, graph.EdgeHandles, graph.EdgeHTTPCalls, graph.EdgePublishes, graph.EdgeTests:
		return true
	case graph.EdgeReads:
		return true
	case graph.EdgeExtends:
		return to.IsType()
	case graph.EdgeInjects:
		return to.IsCallable() // a fixture
	case graph.EdgeWrites:
		return to.IsCallable() // a setter
	}
	return false
}

// run walks up to depth hops; a negative depth walks to the end. stop says at
// which nodes not to go on; it may be nil.
//
// For tests, both parts go over what programs surely may have first, then again
// over what only those of open modules may: a loose path never hides another one.
func (w *walk) run(depth int, stop func(graph.ID) bool) {
	if w.near == nil {
		w.parts(depth, stop)
		return
	}
	w.near.begun, w.near.surely, w.near.refused = true, w.tests, false
	w.parts(depth, stop)
	if w.near.surely = false; w.near.refused {
		w.parts(depth, stop)
	}
}

func (w *walk) parts(depth int, stop func(graph.ID) bool) {
	seeds := slices.Clone(w.order)
	w.pass(seeds, depth, graph.Inferred, stop)
	if w.vague {
		// What only an ambiguous hop reaches, from any node of the first part.
		w.pass(slices.Clone(w.order), depth, graph.Ambiguous, stop)
	}
}

// pass walks on from the given nodes over edges that are at least as sure as
// worst. The nodes may have any depths.
func (w *walk) pass(from []graph.ID, depth int, worst graph.Certainty, stop func(graph.ID) bool) {
	var levels [][]graph.ID
	var order []uint64
	push := func(n graph.ID) {
		d := int(w.nodes[n].depth)
		for len(levels) <= d {
			levels = append(levels, nil)
		}
		levels[d] = append(levels[d], n)
	}
	for _, n := range from {
		push(n)
	}
	for d := 0; d < len(levels); d++ {
		if depth >= 0 && d >= depth {
			break
		}
		// Surer nodes first: of two shortest paths the surer one is kept.
		order = order[:0]
		for _, n := range levels[d] {
			order = append(order, uint64(w.nodes[n].certainty)<<32|uint64(n))
		}
		slices.Sort(order)
		for _, x := range order {
			n := graph.ID(x & (1<<32 - 1))
			if stop != nil && stop(n) {
				continue
			}
			first := len(w.order)
			w.expand(n, n, -1, graph.Exact, worst)
			double := w.g.Nodes[n].Flags.Has(graph.FlagTest)
			for i, s := range w.supers(n) {
				if double {
					break
				}
				if s.certainty <= worst && w.g.Nodes[s.id].Kind != graph.KindExternal {
					w.expand(n, s.id, int32(i), max(s.certainty, graph.Inferred), worst)
				}
			}
			for _, i := range w.stored(n) {
				w.reach(n, i, -1, graph.Inferred, worst)
			}
			if w.tests && w.foreign(n) {
				for _, i := range w.made(w.g.Nodes[n].Parent) {
					w.reach(n, i, -1, graph.Inferred, worst)
				}
			}
			if o := w.holder(n); w.tests && o != graph.None {
				for _, i := range w.g.In(o) {
					if follows(w.g.Edges[i].Kind, w.g.Nodes[o].Kind) {
						w.reach(n, int32(i), -1, graph.Inferred, worst)
					}
				}
			}
			if w.tests {
				w.keptInside(n)
				w.classGiven(n, worst)
			}
			if double {
				w.doubled(n, worst)
			}
			for _, u := range w.order[first:] {
				push(u)
			}
		}
	}
}

// expand visits the users of target, which is n or a method that n overrides.
func (w *walk) expand(n, target graph.ID, via int32, c, worst graph.Certainty) {
	kind := w.g.Nodes[target].Kind
	for _, i := range w.g.In(target) {
		k := w.g.Edges[i].Kind
		// Of a super method, only who calls or tests it: its own overriders
		// and the interfaces above it are other supers.
		if via < 0 && follows(k, kind) || via >= 0 && (k == graph.EdgeCalls && w.types.Runs(&w.g.Edges[i], n) || k == graph.EdgeReferences || k == graph.EdgeTests) {
			w.reach(n, int32(i), via, c, worst)
		}
	}
}

// reach visits the source of an edge on the way from n.
func (w *walk) reach(n graph.ID, i, via int32, c, worst graph.Certainty) {
	at, edge := &w.nodes[n], &w.g.Edges[i]
	if edge.Certainty > worst || w.keeper[n] && w.keeper[edge.From] {
		return
	}
	if worst == graph.Ambiguous && at.certainty != worst && edge.Certainty != worst && c != worst {
		return // followed in the first part
	}
	loose := at.loose
	if w.near != nil {
		switch user := &w.g.Nodes[edge.From]; {
		case edge.Kind == graph.EdgeHTTPCalls || edge.Kind == graph.EdgePublishes: // from another program, maybe
			w.near.add(user)
			w.near.mixed = w.near.mixed || loose
		case !w.near.together(user):
			return
		default:
			loose = loose || !w.near.known(user)
		}
	}
	v := visit{depth: at.depth + 1, certainty: max(at.certainty, edge.Certainty, c), edge: i, via: via, from: n, loose: loose}
	if u := edge.From; !w.visited(u) {
		w.visit(u, v)
	} else if x := &w.nodes[u]; x.edge >= 0 && x.depth == v.depth && v.certainty < x.certainty && (x.loose || !loose) {
		*x = v
	}
}

// stored returns the edges by which values of the type that has the method n
// become external interfaces, if an external interface asks for n. Who calls
// it there is not in the graph; who hands the value over is.
func (w *walk) stored(n graph.ID) []int32 {
	node := &w.g.Nodes[n]
	if node.Kind != graph.KindMethod || node.Parent == graph.None {
		return nil
	}
	outside := node.Flags.Has(graph.FlagCalledOutside)
	for _, s := range w.supers(n) {
		outside = outside || w.g.Nodes[s.id].Kind == graph.KindExternal
	}
	if !outside {
		return nil
	}
	var es []int32
	for _, i := range w.conversions()[node.Parent] {
		if w.g.Nodes[w.g.Edges[i].To].Kind == graph.KindExternal {
			es = append(es, i)
		}
	}
	return es
}

// foreign reports whether the method n may be called by code that is not in the
// graph, or that is but does not name it. It implements something outside; or
// nobody uses it, and either nobody could but through an interface, which has no
// name or is not known, or its type is made for code of which nothing is known.
func (w *walk) foreign(n graph.ID) bool {
	node := &w.g.Nodes[n]
	if node.Kind != graph.KindMethod || node.Parent == graph.None || w.g.Nodes[node.Parent].Kind == graph.KindInterface {
		return false
	}
	used := w.used(n)
	for _, s := range w.supers(n) {
		if w.g.Nodes[s.id].Kind == graph.KindExternal {
			return true
		}
		used = used || w.used(s.id)
	}
	if outside := node.Flags.Has(graph.FlagCalledOutside); used || outside {
		return outside
	}
	if w.shaped != nil && w.shaped(n) {
		return true // somebody calls it on a value of a type that is not known
	}
	// A method that nobody outside can name is there for an interface.
	hidden := node.Visibility > graph.Protected || w.g.Nodes[node.Parent].Visibility > graph.Protected
	return hidden || w.handedOut()[n] || w.handedOut()[node.Parent]
}

// classGiven visits who has the class of the constructor n as a value: whoever gets it
// may make objects of it.
func (w *walk) classGiven(n graph.ID, worst graph.Certainty) {
	c := w.g.Nodes[n].Parent
	if w.g.Nodes[n].Kind != graph.KindConstructor || c == graph.None {
		return
	}
	for _, i := range w.g.InKind(c, graph.EdgeReferences) {
		w.reach(n, int32(i), -1, graph.Inferred, worst)
	}
}

// keptInside visits the function around n, a function that no code names: what keeps
// it, such as a decorator, got it from there.
func (w *walk) keptInside(n graph.ID) {
	x := &w.g.Nodes[n]
	if p := x.Parent; p != graph.None && x.Kind.IsCallable() && w.g.Nodes[p].Kind.IsCallable() && !w.visited(p) && !w.used(n) {
		at := w.nodes[n]
		w.visit(p, visit{depth: at.depth + 1, certainty: max(at.certainty, graph.Inferred), edge: -1, via: -1, from: n, loose: at.loose})
	}
}

// holder returns the variable whose object has the function n, where objects
// have no declared type: who has the variable may hand the object to code that
// calls the function by a name that it was given.
func (w *walk) holder(n graph.ID) graph.ID {
	x := &w.g.Nodes[n]
	if !x.Kind.IsCallable() || x.Parent == graph.None || w.shaped == nil || !w.shaped(n) {
		return graph.None
	}
	p := x.Parent
	for k := w.g.Nodes[p].Kind; k == graph.KindField && w.g.Nodes[p].Parent != graph.None; k = w.g.Nodes[p].Kind {
		p = w.g.Nodes[p].Parent // an object in an object
	}
	if k := w.g.Nodes[p].Kind; k != graph.KindVariable && k != graph.KindConstant {
		return graph.None
	}
	return p
}

// handedOut returns the types that are made for unknown code: they embed a type
// of it or become an interface of it; and the methods that nobody uses whose
// signature names a type of it. Such a method of a generated type speaks for
// all methods of the type.
func (w *walk) handedOut() map[graph.ID]bool {
	if w.handed == nil {
		w.handed = map[graph.ID]bool{}
		for i := range w.g.Edges {
			e := &w.g.Edges[i]
			if !w.g.Nodes[e.To].Flags.Has(graph.FlagOpaque) {
				continue
			}
			switch e.Kind {
			case graph.EdgeEmbeds, graph.EdgeExtends, graph.EdgeImplements:
				w.handed[e.From] = true
			case graph.EdgeConverts:
				if e.Type != graph.None {
					w.handed[e.Type] = true
				}
			case graph.EdgeUsesType:
				if n := &w.g.Nodes[e.From]; n.Kind == graph.KindMethod && !w.used(e.From) {
					w.handed[e.From] = true
					if n.Flags.Has(graph.FlagGenerated) {
						w.handed[n.Parent] = true
					}
				}
			}
		}
	}
	return w.handed
}

// used reports whether code of the graph uses n. A type that is derived from that
// of n runs nothing.
func (w *walk) used(n graph.ID) bool {
	if len(w.g.InKind(n, graph.EdgeCalls)) > 0 {
		return true
	}
	for _, i := range w.g.InKind(n, graph.EdgeReferences) {
		from := &w.g.Nodes[w.g.Edges[i].From]
		if from.Kind == graph.KindField && from.Parent != graph.None && w.g.Nodes[from.Parent].Kind != graph.KindClass {
			from = &w.g.Nodes[from.Parent]
		}
		if !from.Kind.IsType() || from.Kind == graph.KindClass {
			return true
		}
	}
	return false
}

// made returns the edges from who makes, holds or passes on values of type t,
// also as a part of another type. A method of t cannot run unless one of them
// does.
func (w *walk) made(t graph.ID) []int32 {
	types := []graph.ID{t}
	seen := map[graph.ID]bool{t: true}
	var es []int32
	if w.shaped != nil && w.shaped(t) && w.g.Nodes[t].Kind == graph.KindClass {
		return w.constructed(t)
	}
	for k := 0; k < len(types); k++ {
		es = append(es, w.conversions()[types[k]]...)
		for _, i := range w.g.In(types[k]) {
			e := &w.g.Edges[i]
			switch e.Kind {
			case graph.EdgeInstantiates:
				es = append(es, int32(i))
			case graph.EdgeUsesType, graph.EdgeEmbeds, graph.EdgeExtends:
				holder := e.From
				if n := &w.g.Nodes[holder]; n.Kind == graph.KindField {
					holder = n.Parent
				}
				if holder == graph.None || !w.g.Nodes[holder].Kind.IsType() {
					es = append(es, int32(i))
				} else if !seen[holder] {
					seen[holder] = true
					types = append(types, holder)
				}
			}
		}
	}
	return es
}

// constructed returns the edges from who makes objects of a class, or of one that
// extends it, or has the class as a value and may make them. Where types go by
// their shape, much has a type that mentions the class and never an object of it.
func (w *walk) constructed(class graph.ID) []int32 {
	types := []graph.ID{class}
	seen := map[graph.ID]bool{class: true}
	var es []int32
	for k := 0; k < len(types); k++ {
		for _, i := range w.g.In(types[k]) {
			e := &w.g.Edges[i]
			switch e.Kind {
			case graph.EdgeInstantiates, graph.EdgeCalls, graph.EdgeReferences, graph.EdgeReads:
				es = append(es, int32(i))
			case graph.EdgeExtends:
				if !seen[e.From] {
					seen[e.From] = true
					types = append(types, e.From)
				}
			}
		}
	}
	return es
}

// conversions returns the edges by which values of each type become interfaces.
func (w *walk) conversions() map[graph.ID][]int32 {
	if w.store == nil {
		w.store = map[graph.ID][]int32{}
		for i := range w.g.Edges {
			if x := &w.g.Edges[i]; x.Kind == graph.EdgeConverts && x.Type != graph.None {
				w.store[x.Type] = append(w.store[x.Type], int32(i))
			}
		}
	}
	return w.store
}

// doubled visits who makes values of the type that has the method n, a test
// double: only tests that have the double can run it. Who calls the interface
// that it implements runs it nowhere else.
func (w *walk) doubled(n graph.ID, worst graph.Certainty) {
	t := w.g.Nodes[n].Parent
	if w.g.Nodes[n].Kind != graph.KindMethod || t == graph.None {
		return
	}
	for _, i := range w.g.InKind(t, graph.EdgeInstantiates) {
		w.reach(n, int32(i), -1, graph.Inferred, worst)
	}
	for _, i := range w.conversions()[t] {
		if w.g.Nodes[w.g.Edges[i].From].Flags.Has(graph.FlagTest) {
			w.reach(n, i, -1, graph.Inferred, worst)
		}
	}
}

// maxSupers bounds the methods that one overrides or implements which are looked at.
// That there are more is an unknown, and then any test may reach a change.
const maxSupers = 256

// supers returns the methods that n overrides or implements, at any distance,
// nearest first.
func (w *walk) supers(n graph.ID) []super {
	if k := w.g.Nodes[n].Kind; k != graph.KindMethod && k != graph.KindFunction {
		return nil
	}
	if w.known[n] {
		if len(w.super) == 0 {
			return nil
		}
		return w.super[n]
	}
	w.known[n] = true
	var out []super
	var seen map[graph.ID]bool // of many
	at, c := n, graph.Exact
	for i := -1; i < len(out); i++ {
		if i >= 0 {
			at, c = out[i].id, out[i].certainty
		}
		for _, k := range []graph.EdgeKind{graph.EdgeImplements, graph.EdgeOverrides} {
			es := w.g.OutKind(at, k)
			for j := range es {
				to := es[j].To
				if to == n || seen[to] || seen == nil && slices.ContainsFunc(out, func(s super) bool { return s.id == to }) {
					continue
				}
				switch {
				case len(out) == maxSupers:
					w.deep++
					w.super[n] = out
					return out
				case len(out) == maxSupers/16:
					seen = map[graph.ID]bool{}
					for _, s := range out {
						seen[s.id] = true
					}
				}
				if seen != nil {
					seen[to] = true
				}
				out = append(out, super{id: to, certainty: max(c, es[j].Certainty), edge: w.edgeIndex(&es[j]), prev: int32(i)})
			}
		}
	}
	if len(out) > 0 {
		w.super[n] = out
	}
	return out
}

// maxDispatch is how many implementations a method may have for its callers to
// count as users of each of them. A call that may run any of a dozen relies on
// none in particular.
const maxDispatch = 5

// crowded reports whether a method has more implementations than that.
func (w *walk) crowded(super graph.ID) bool {
	return len(w.g.InKind(super, graph.EdgeImplements))+len(w.g.InKind(super, graph.EdgeOverrides)) > maxDispatch
}

// edgeIndex returns the position of an edge of Out in Edges.
func (w *walk) edgeIndex(e *graph.Edge) int32 {
	i, _ := slices.BinarySearchFunc(w.g.Edges, e, func(x graph.Edge, y *graph.Edge) int {
		if x.From != y.From {
			return int(x.From) - int(y.From)
		}
		if x.Kind != y.Kind {
			return int(x.Kind) - int(y.Kind)
		}
		if x.To != y.To {
			return int(x.To) - int(y.To)
		}
		return int(x.Type) - int(y.Type)
	})
	return int32(i)
}

// superPath returns the hops from the super method s down to n.
func (w *walk) superPath(n graph.ID, s super) []Hop {
	var hops []Hop
	all := w.supers(n)
	for {
		hops = append(hops, w.hop(s.edge))
		if s.prev < 0 {
			return hops
		}
		s = all[s.prev]
	}
}

// path returns the hops from a visited node to the seed.
func (w *walk) path(n graph.ID) []Hop {
	var hops []Hop
	for v := w.nodes[n]; v.edge >= 0; v = w.nodes[v.from] {
		hops = append(hops, w.hop(v.edge))
		if v.via >= 0 {
			hops = append(hops, w.superPath(v.from, w.supers(v.from)[v.via])...)
		}
	}
	return hops
}

func (w *walk) hop(i int32) Hop {
	edge := &w.g.Edges[i]
	h := Hop{From: &w.g.Nodes[edge.From], To: &w.g.Nodes[edge.To], Kind: edge.Kind, Certainty: edge.Certainty}
	h.File, h.Line = h.From.File, h.From.Line
	if ss := w.g.Sites(edge); len(ss) > 0 {
		h.File, h.Line = w.g.Files[ss[0].File].Path, ss[0].Line
	}
	return h
}

// behaviour finds who a changed body, value or variant reaches.
func (e *engine) behaviour(c *diff.Change, depth int) {
	w := e.walk
	table := e.table(c)
	if table {
		depth = 1
	}
	w.start(c.Head)
	w.run(depth, w.guessed)
	for _, id := range w.order[1:] {
		if e.own(id) || e.d.ToBase(id) == graph.None {
			continue // what is new never saw the old behaviour
		}
		v := w.nodes[id]
		n := &e.head.Nodes[id]
		edge := &e.head.Edges[v.edge]
		x := Impacted{ID: id, Relation: relationOf[edge.Kind], Severity: ShouldReview, Depth: int(v.depth), Certainty: v.certainty}
		if v.via >= 0 {
			x.Relation = Dispatched
		}
		switch {
		case n.Flags.Has(graph.FlagTestCase):
			x.Relation = Test
		case n.Flags.Has(graph.FlagEntryPoint):
			x.Relation = EntryPoint
		}
		if x.Depth > 1 || x.Certainty == graph.Ambiguous || w.guessed(id) || table {
			x.Severity = MayBeAffected
		}
		if h := e.hits[id]; h != nil && h.Severity <= x.Severity {
			continue
		}
		if h := e.add(x); h != nil {
			h.walked = true
		}
	}
}

// maxReaders is how many users a variable may have for all of them to rely on
// its first value. One that half of a package reads is a table, such as that of
// all error codes, and each of them relies on its own entry.
const maxReaders = 20

// table reports whether all that changed is the value of such a variable.
func (e *engine) table(c *diff.Change) bool {
	return e.head.Nodes[c.Head].Kind == graph.KindVariable && c.Has(diff.ValueChanged) && c.Aspects&^aspect(diff.Body, diff.Doc) == 0 &&
		len(e.head.InKind(c.Head, graph.EdgeReads)) > maxReaders
}

// guessed reports whether the walk reached a node through a method with many
// implementations: it may run the one that changed. Who calls it in turn is
// nearly everybody, and would say nothing.
func (w *walk) guessed(n graph.ID) bool {
	v := w.nodes[n]
	return v.via >= 0 && w.crowded(w.supers(v.from)[v.via].id)
}

// walkSites returns the sites of the first hop of a visited node.
func (e *engine) walkSites(n graph.ID) []Site {
	v := e.walk.nodes[n]
	edge := &e.head.Edges[v.edge]
	sites := e.sitesOf(edge)
	for i, s := range e.head.Sites(edge) {
		sites[i].State = e.judge(n, &s, fitsYes)
	}
	return sortSites(sites, 0)
}
