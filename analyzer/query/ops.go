package query

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/codekg/kg/analyzer/graph"
)

// Ops are all questions, in the order of help texts.
func Ops() []Op {
	return []Op{
		{"symbol", "what a declaration is: its signature, size, members and how often it is used", OneTarget, 1, (*asking).symbol, Details},
		{"find", "declarations by name: a glob as in *Client*, or a regular expression as in /^New/", OneTarget, 1, (*asking).find, Relations},
		{"members", "what a package, file or type declares", OneTarget, 1, (*asking).members, Relations},
		{"callers", "who calls it, through interfaces too", OneTarget, 1, (*asking).callers, Relations},
		{"callees", "what it calls", OneTarget, 1, (*asking).callees, Relations},
		{"callsites", "the places where it is used", OneTarget, 1, (*asking).callsites, Relations},
		{"references", "who uses it, in any way", OneTarget, 1, (*asking).references, Relations},
		{"implementations", "what implements an interface or a method of one, or extends a class", OneTarget, 1, (*asking).implementations, Relations},
		{"overrides", "the methods that it implements or overrides, and those that do so with it", OneTarget, 1, (*asking).overrides, Relations},
		{"hierarchy", "the types above and below it", OneTarget, 10, (*asking).hierarchy, Relations},
		{"dependencies", "what a package, file or module imports, or a declaration uses", OneTarget, 1, (*asking).dependencies, Relations},
		{"dependents", "who imports it, or uses it", OneTarget, 1, (*asking).dependents, Relations},
		{"path", "the shortest way from one declaration to another", TwoTargets, 50, (*asking).path, Relations},
		{"tests", "the tests that reach it", OneTarget, 5, (*asking).tests, Relations},
		{"entry_points", "what is started from outside, or of that what reaches the target", MayTarget, 20, (*asking).entryPoints, Relations},
		{"cycles", "dependency cycles of packages; of callables with kinds; only those of the target", MayTarget, 1, (*asking).cycles, Relations},
		{"hubs", "what most depends on, by: in, out, pagerank, betweenness", NoTarget, 1, (*asking).hubs, Details},
		{"dead_code", "callables and types that nothing that can be started reaches", NoTarget, 1, (*asking).deadCode, Details},
		{"orphans", "declarations without any relation", NoTarget, 1, (*asking).orphans, Details},
		{"unused_exports", "what is exported and used nowhere outside its package", NoTarget, 1, (*asking).unusedExports, Relations},
		{"complexity", "callables by the ways through their body (cyclomatic), or by flow: lines × (fan-in × fan-out)²", NoTarget, 1, (*asking).complexity, Details},
		{"largest", "callables by the number of tokens in their body", NoTarget, 1, (*asking).largest, Details},
	}
}

func (q *asking) symbol() error {
	h := found(q.target)
	h.meter = true
	n := &q.g.Nodes[q.target]
	h.text = n.Doc
	q.hits = append(q.hits, h)
	if q.note != "" {
		q.note += "\n"
	}
	// One line for each sort of relation.
	count := func(rel string, edges int, to func(i int) graph.ID) {
		if edges == 0 {
			return
		}
		some := make([]string, 0, 3)
		for i := range min(edges, 3) {
			some = append(some, q.g.Nodes[to(i)].QName)
		}
		more := ""
		if edges > len(some) {
			more = ", …"
		}
		q.note += fmt.Sprintf("%s %d: %s%s\n", rel, edges, strings.Join(some, ", "), more)
	}
	if c := q.x.Children(q.target); len(c) > 0 {
		count("members", len(c), func(i int) graph.ID { return c[i] })
	}
	for k := graph.EdgeKind(1); int(k) < graph.EdgeKindCount; k++ {
		in, out := q.g.InKind(q.target, k), q.g.OutKind(q.target, k)
		count("← "+k.String(), len(in), func(i int) graph.ID { return q.g.Edges[in[i]].From })
		count("→ "+k.String(), len(out), func(i int) graph.ID { return out[i].To })
	}
	q.note = strings.TrimSuffix(q.note, "\n")
	return nil
}

func (q *asking) find() error {
	match, err := namePattern(q.r.Target)
	if err != nil {
		return err
	}
	for i := range q.g.Nodes {
		n := &q.g.Nodes[i]
		if n.Kind == graph.KindRepository || q.kinds == 0 && (n.Kind == graph.KindExternal || n.Kind == graph.KindFile) {
			continue
		}
		if match(n) {
			q.add(found(graph.ID(i)))
		}
	}
	q.order()
	return nil
}

func namePattern(p string) (func(*graph.Node) bool, error) {
	const most = 1000
	if inner, ok := strings.CutPrefix(p, "/"); ok && len(inner) > 1 && strings.HasSuffix(inner, "/") {
		if len(inner) > most {
			return nil, badRequest("the regular expression is longer than %d bytes", most)
		}
		re, err := regexp.Compile(strings.TrimSuffix(inner, "/"))
		if err != nil {
			return nil, badRequest("%q is no regular expression: %v", clip(p), err)
		}
		return func(n *graph.Node) bool { return re.MatchString(n.Name) || re.MatchString(n.QName) }, nil
	}
	if len(p) > maxGlob || strings.Count(p, "{") > maxGlobChoice || !doublestar.ValidatePattern(p) {
		return nil, badRequest("%q is no glob of names, as in *Client*", clip(p))
	}
	if !strings.ContainsAny(p, "*?[{") {
		p = "*" + p + "*"
	}
	low := strings.ToLower(p)
	if low == p { // all small: any capitals
		return func(n *graph.Node) bool {
			ok, _ := doublestar.Match(p, strings.ToLower(n.Name))
			return ok
		}, nil
	}
	return func(n *graph.Node) bool {
		ok, _ := doublestar.Match(p, n.Name)
		return ok
	}, nil
}

func (q *asking) members() error {
	level := []graph.ID{q.target}
	for depth := int32(1); int(depth) <= q.depth && len(level) > 0; depth++ {
		var next []graph.ID
		for _, n := range level {
			for _, c := range q.membersOf(n) {
				h := found(c)
				h.depth, h.rel = depth, graph.EdgeContains.String()
				if n != q.target {
					h.via = n
				}
				q.add(h)
				next = append(next, c)
			}
		}
		level = next
	}
	// In the order of the source, as people read it.
	slices.SortStableFunc(q.hits, func(a, b hit) int {
		x, y := &q.g.Nodes[a.node], &q.g.Nodes[b.node]
		return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(a.node, b.node))
	})
	return nil
}

// membersOf returns what a node contains. What a file declares belongs to its
// package: of that it has what is in the file and in nothing else of it.
func (q *asking) membersOf(n graph.ID) []graph.ID {
	if q.g.Nodes[n].Kind != graph.KindFile {
		return q.x.Children(n)
	}
	var list []graph.ID
	for i := range q.g.Nodes {
		c := &q.g.Nodes[i]
		if c.File != q.g.Nodes[n].File || c.Kind <= graph.KindFile {
			continue
		}
		if p := c.Parent; p == graph.None || q.g.Nodes[p].Kind <= graph.KindFile || q.g.Nodes[p].File != c.File {
			list = append(list, graph.ID(i))
		}
	}
	return list
}

func (q *asking) callers() error {
	q.walkFrom(q.callable(), callEdges, true).keep()
	return nil
}

func (q *asking) callees() error {
	q.walkFrom(q.callable(), callEdges, false).keep()
	return nil
}

// callable returns the target, or its methods if it is a type that is not
// called itself.
func (q *asking) callable() []graph.ID {
	start := []graph.ID{q.target}
	n := &q.g.Nodes[q.target]
	if n.Kind.IsType() {
		for _, c := range q.x.Children(q.target) {
			if q.g.Nodes[c].Kind.IsCallable() {
				start = append(start, c)
			}
		}
		if len(start) > 1 {
			q.note = "of the " + n.Kind.String() + " and its methods"
		}
	}
	return start
}

func (q *asking) callsites() error {
	w := q.walkFrom([]graph.ID{q.target}, useEdges&^(dispatchEdges|1<<graph.EdgeExtends|1<<graph.EdgeEmbeds), true)
	// All edges count here, not one for each user.
	start := []frontier{{q.target, -1, graph.Exact}}
	w.dispatch = !q.r.Direct
	seen := map[graph.Site]bool{}
	for _, t := range w.dispatched(start) {
		w.edges(t.node, func(i int32, from graph.ID) {
			e := &q.g.Edges[i]
			cert := max(t.cert, e.Certainty)
			if !q.filter.walks(&q.g.Nodes[from]) || !q.shown(from) {
				return
			}
			for s, site := range q.g.Sites(e) {
				place := graph.Site{File: site.File, Line: site.Line, Col: site.Col}
				if seen[place] {
					continue
				}
				seen[place] = true
				if cert > q.certainty {
					q.a.Ambiguous++
					continue
				}
				h := hit{node: from, via: graph.None, edge: i, site: int32(s), depth: 1, cert: cert}
				if t.node != q.target {
					h.via = t.node
				}
				q.hits = append(q.hits, h)
			}
		})
	}
	q.order()
	q.firstOfEach()
	return nil
}

// firstOfEach puts the first place of each user before all second ones, so that
// a cut list shows as many users as it can.
func (q *asking) firstOfEach() {
	var first, rest, tests []hit
	last := graph.None
	for _, h := range q.hits {
		switch {
		case q.g.Nodes[h.node].Flags.Has(graph.FlagTest):
			tests = append(tests, h)
		case h.node != last:
			first = append(first, h)
		default:
			rest = append(rest, h)
		}
		last = h.node
	}
	q.hits = append(append(first, rest...), tests...)
}

func (q *asking) references() error {
	if q.depth > 1 {
		q.walkFrom([]graph.ID{q.target}, useEdges|1<<graph.EdgeImports, true).keep()
		return nil
	}
	kinds := uint32(useEdges | 1<<graph.EdgeImports)
	if q.edges != 0 {
		kinds = q.edges
	}
	for _, i := range q.g.In(q.target) {
		e := &q.g.Edges[i]
		switch {
		case kinds&(1<<e.Kind) == 0 || !q.filter.walks(&q.g.Nodes[e.From]):
		case e.Certainty > q.certainty:
			if q.shown(e.From) {
				q.a.Ambiguous++
			}
		default:
			q.add(hit{node: e.From, via: graph.None, edge: int32(i), site: -1, depth: 1, cert: e.Certainty})
		}
	}
	q.order()
	return nil
}

func (q *asking) implementations() error {
	q.r.Direct = true // these edges are the dispatch
	q.walkFrom([]graph.ID{q.target}, superEdges, true).keep()
	if len(q.hits) == 0 {
		if n := &q.g.Nodes[q.target]; n.Kind != graph.KindInterface && n.Kind != graph.KindClass && n.Kind != graph.KindMethod {
			q.note = fmt.Sprintf("it is a %s, which nothing implements", n.Kind)
		}
		for i := range q.g.Unknowns {
			if q.g.Unknowns[i].Reason == graph.ReasonUndecidable {
				q.note = "the graph has no implementation of it, and some pairs could not be decided, because a method set is external and unknown"
				break
			}
		}
	}
	return nil
}

func (q *asking) overrides() error {
	q.r.Direct = true
	up := q.walkFrom([]graph.ID{q.target}, dispatchEdges, false)
	down := q.walkFrom([]graph.ID{q.target}, dispatchEdges, true)
	q.bothWays(up, down, "overrides", "overridden by")
	return nil
}

func (q *asking) hierarchy() error {
	q.r.Direct = true
	up := q.walkFrom([]graph.ID{q.target}, superEdges, false)
	down := q.walkFrom([]graph.ID{q.target}, superEdges, true)
	q.bothWays(up, down, "above", "below")
	return nil
}

func (q *asking) bothWays(up, down *walk, above, below string) {
	for _, w := range []*walk{up, down} {
		for i := range w.at {
			h := w.at[i].hit()
			if h.via == q.target {
				h.via = graph.None
			}
			h.text = above
			if w == down {
				h.text = below
			}
			q.add(h)
		}
		w.countHidden()
	}
	q.order()
}

func (q *asking) path() error {
	kinds := uint32(flowEdges)
	for _, id := range []graph.ID{q.target, q.to} {
		if !q.g.Nodes[id].Kind.IsCallable() {
			kinds = useEdges | 1<<graph.EdgeImports
		}
	}
	if q.target == q.to {
		q.a.Reason = "both ends are the same"
		return nil
	}
	there, back, met := q.meet(kinds)
	if met == graph.None {
		q.noPath(kinds, len(there.hidden)+len(back.hidden) > 0)
		return nil
	}
	// From the middle to the beginning, and then to the end.
	for i := there.met; i >= 0; i = there.at[i].parent {
		h := there.at[i].hit()
		q.hits = append(q.hits, h)
		from := q.target
		if p := there.at[i].parent; p >= 0 {
			from = there.at[p].node
		}
		if h.via != from {
			q.hits = append(q.hits, hit{node: h.via, via: from, edge: -1, site: -1, cert: h.cert, rel: dispatchRelation})
		}
	}
	slices.Reverse(q.hits)
	for i := back.met; i >= 0; i = back.at[i].parent {
		r := &back.at[i]
		to := q.to
		if r.parent >= 0 {
			to = back.at[r.parent].node
		}
		q.hits = append(q.hits, hit{node: r.via, via: r.node, edge: r.edge, site: -1, cert: r.cert})
		if r.via != to {
			q.hits = append(q.hits, hit{node: to, via: r.via, edge: -1, site: -1, cert: r.cert, rel: dispatchRelation})
		}
	}
	// How sure the way is up to each step.
	cert := graph.Exact
	for i := range q.hits {
		h := &q.hits[i]
		own := graph.Inferred
		if h.edge >= 0 {
			own = q.g.Edges[h.edge].Certainty
		}
		cert = max(cert, own)
		h.cert, h.depth = cert, int32(i+1)
	}
	return nil
}

// meet walks from both targets towards each other, always from where less is
// open, and returns the node of a shortest way where both walks are; None if
// there is no way. The walks are not to be walked on with.
func (q *asking) meet(kinds uint32) (there, back *walk, met graph.ID) {
	there, back = q.newWalk([]graph.ID{q.target}, kinds, false), q.newWalk([]graph.ID{q.to}, kinds, true)
	there.plain, back.plain = true, true
	met = graph.None
	best := int32(math.MaxInt32)
	for met == graph.None && int(there.depth+back.depth) < q.depth && len(there.level) > 0 && len(back.level) > 0 {
		w, other := there, back
		if len(back.level) < len(there.level) {
			w, other = back, there
		}
		before := len(w.at)
		w.step()
		for _, r := range w.at[before:] {
			if !other.seen.has(r.node) {
				continue
			}
			length := r.depth
			if i := other.seen.value[r.node]; i >= 0 {
				length += other.at[i].depth
			}
			if length < best || length == best && r.node < met {
				best, met = length, r.node
			}
		}
	}
	for _, w := range []*walk{there, back} {
		w.met = -1
		if met != graph.None {
			w.met = w.seen.value[met]
		}
		w.end()
	}
	return there, back, met
}

func (q *asking) noPath(kinds uint32, hidden bool) {
	q.note = fmt.Sprintf("no way of at most %d steps leads from the one to the other", q.depth)
	q.target, q.to = q.to, q.target
	_, _, met := q.meet(kinds)
	q.target, q.to = q.to, q.target
	if met != graph.None {
		q.a.Suggestion = "there is a way in the other direction: exchange the targets"
	} else if hidden && q.certainty < graph.Ambiguous {
		q.a.Suggestion = "ask again with certainty ambiguous, which follows edges of which only a name matches"
	}
}

func (q *asking) tests() error {
	kinds := uint32(flowEdges | 1<<graph.EdgeTests | 1<<graph.EdgeInstantiates | 1<<graph.EdgeReads)
	start := q.callable()
	w := q.walkFrom(start, kinds, true)
	cases := q.kinds == 0
	for i := range w.at {
		h := w.at[i].hit()
		if cases && !q.g.Nodes[h.node].Flags.Has(graph.FlagTestCase) || !q.g.Nodes[h.node].Flags.Has(graph.FlagTest) {
			continue
		}
		if h.via == q.target {
			h.via = graph.None
		}
		q.add(h)
	}
	q.order()
	if len(q.hits) == 0 {
		q.note = fmt.Sprintf("no test reaches it in %d steps over calls, references and dispatch", q.depth)
	}
	return nil
}

func (q *asking) entryPoints() error {
	if q.target == graph.None {
		for i := range q.g.Nodes {
			n := &q.g.Nodes[i]
			if n.Flags.Has(graph.FlagEntryPoint) && !n.Flags.Has(graph.FlagTest) || n.Kind == graph.KindRoute {
				q.add(found(graph.ID(i)))
			}
		}
		q.order()
		return nil
	}
	w := q.walkFrom(q.callable(), flowEdges|1<<graph.EdgeInstantiates|1<<graph.EdgeReads, true)
	for i := range w.at {
		h := w.at[i].hit()
		n := &q.g.Nodes[h.node]
		if n.Flags.Has(graph.FlagEntryPoint) && !n.Flags.Has(graph.FlagTestCase) || n.Kind == graph.KindRoute {
			if h.via == q.target {
				h.via = graph.None
			}
			q.add(h)
		}
	}
	q.order()
	return nil
}
