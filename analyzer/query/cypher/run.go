package cypher

import (
	"context"
	"fmt"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/query"
)

// run is one question under way.
type run struct {
	ctx   context.Context
	x     *query.Index
	g     *graph.Graph
	q     *question
	lim   Limits
	steps int
	looks int // at the bounds
	err   error

	slots []any // values of variables; nil: not bound yet
	plan  []step
	// Results.
	rows   [][]any
	seen   map[string]bool
	groups map[string]*group
	order  []*group
	agg    bool
	done   bool
}

// step binds a node: from the one before by a relation, or by itself.
type step struct {
	node  nodePattern
	rel   *relPattern
	from  int  // slot that the relation begins at
	back  bool // the relation is written from node to from
	where []*expr
}

func (r *run) step() bool {
	if r.steps++; r.steps > r.lim.Steps {
		r.err = ErrSteps
	} else if r.looks++; r.looks%stepsADone == 0 && r.ctx.Err() != nil {
		r.err = r.ctx.Err()
	}
	return r.err == nil
}

func (r *run) table() (*Table, error) {
	q := r.q
	r.slots = make([]any, len(q.vars))
	for _, i := range q.items {
		r.agg = r.agg || i.e.aggregated()
	}
	if r.agg {
		r.groups = map[string]*group{}
	}
	if q.distinct {
		r.seen = map[string]bool{}
	}
	r.makePlan()
	r.match(0)
	if r.err != nil {
		return nil, r.err
	}
	if r.agg {
		r.finishGroups()
	}
	t := &Table{Rows: [][]any{}}
	for _, i := range q.items[:q.visible] {
		t.Columns = append(t.Columns, i.name)
	}
	if len(q.order) > 0 {
		slices.SortStableFunc(r.rows, func(a, b []any) int {
			for _, o := range q.order {
				c := compare(a[o.item], b[o.item])
				if o.desc {
					c = -c
				}
				if c != 0 {
					return c
				}
			}
			return 0
		})
	}
	rows := r.rows[min(q.skip, len(r.rows)):]
	if q.limit >= 0 && q.limit < len(rows) {
		rows = rows[:q.limit]
	}
	if len(rows) > r.lim.Rows {
		rows, t.Truncated = rows[:r.lim.Rows], true
	}
	for _, row := range rows {
		out := make([]any, q.visible)
		for i, v := range row[:q.visible] {
			out[i] = r.shown(v)
		}
		t.Rows = append(t.Rows, out)
	}
	return t, nil
}

// shown makes a value one of a table: a node is its key, a relation its kind.
func (r *run) shown(v any) any {
	switch v := v.(type) {
	case graph.ID:
		return r.g.Nodes[v].Key
	case edgeRef:
		return edgeProperty(r.g, v, "kind")
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = r.shown(v[i])
		}
		return out
	}
	return v
}

// makePlan orders the nodes: of each chain the one that fewest nodes can be is
// first, and what hangs on it follows.
func (r *run) makePlan() {
	bound := map[int]bool{}
	left := slices.Clone(r.q.where)
	add := func(s step) {
		bound[s.node.slot] = true
		if s.rel != nil && s.rel.slot >= 0 {
			bound[s.rel.slot] = true
		}
		kept := left[:0]
		for _, w := range left {
			set := map[int]bool{}
			w.vars(set)
			all := true
			for v := range set {
				all = all && bound[v]
			}
			if all {
				s.where = append(s.where, w)
			} else {
				kept = append(kept, w)
			}
		}
		left = kept
		r.plan = append(r.plan, s)
	}
	for ci := range r.q.chains {
		c := &r.q.chains[ci]
		best, cost := 0, -1
		for i := range c.nodes {
			n := r.cost(&c.nodes[i], bound)
			if cost < 0 || n < cost {
				best, cost = i, n
			}
		}
		add(step{node: c.nodes[best], from: -1})
		for i := best; i < len(c.rels); i++ {
			add(step{node: c.nodes[i+1], rel: &c.rels[i], from: c.nodes[i].slot})
		}
		for i := best - 1; i >= 0; i-- {
			add(step{node: c.nodes[i], rel: &c.rels[i], from: c.nodes[i+1].slot, back: true})
		}
	}
}

// cost estimates how many nodes a pattern can be.
func (r *run) cost(n *nodePattern, bound map[int]bool) int {
	if bound[n.slot] {
		return 0
	}
	if _, ok := r.equal(n); ok {
		return 1
	}
	if n.kinds != 0 {
		return 1000
	}
	return 1_000_000
}

// equal finds a condition by which the nodes of a pattern can be looked up.
func (r *run) equal(n *nodePattern) (propEqual, bool) {
	var found []propEqual
	for _, p := range n.props {
		if _, ok := p.value.(string); ok {
			found = append(found, p)
		}
	}
	for _, w := range r.q.where {
		if w.op == "=" {
			for i := range 2 {
				if a, b := w.args[i], w.args[1-i]; a.op == "prop" && a.slot == n.slot && b.op == "const" {
					if _, ok := b.value.(string); ok {
						found = append(found, propEqual{a.name, b.value})
					}
				}
			}
		}
	}
	for _, name := range []string{"id", "key", "qname", "name"} {
		for _, p := range found {
			if p.name == name {
				return p, true
			}
		}
	}
	return propEqual{}, false
}

func (r *run) match(i int) {
	if r.err != nil || r.done {
		return
	}
	if i == len(r.plan) {
		r.emit()
		return
	}
	s := &r.plan[i]
	try := func(id graph.ID, e any) {
		if !r.step() || r.done || !r.fits(&s.node, id) {
			return
		}
		was := r.slots[s.node.slot]
		if was != nil && was != any(id) {
			return
		}
		r.slots[s.node.slot] = id
		if s.rel != nil && s.rel.slot >= 0 {
			r.slots[s.rel.slot] = e
		}
		ok := true
		for _, w := range s.where {
			if v, _ := r.eval(w).(bool); !v {
				ok = false
				break
			}
		}
		if ok {
			r.match(i + 1)
		}
		r.slots[s.node.slot] = was
		if s.rel != nil && s.rel.slot >= 0 {
			r.slots[s.rel.slot] = nil
		}
	}
	if s.rel == nil {
		r.candidates(&s.node, try)
		return
	}
	from := r.slots[s.from].(graph.ID)
	if !s.rel.many {
		r.neighbours(from, s.rel, s.back, func(to graph.ID, e edgeRef) { try(to, e) })
		return
	}
	// Each node once, by the shortest way.
	seen := map[graph.ID]bool{from: true}
	level := []graph.ID{from}
	if s.rel.min == 0 {
		try(from, nil)
	}
	for hop := 1; hop <= s.rel.max && len(level) > 0 && r.err == nil && !r.done; hop++ {
		var next []graph.ID
		for _, n := range level {
			r.neighbours(n, s.rel, s.back, func(to graph.ID, _ edgeRef) {
				if !seen[to] && r.step() {
					seen[to] = true
					next = append(next, to)
				}
			})
		}
		if hop >= s.rel.min {
			for _, n := range next {
				try(n, nil)
			}
		}
		level = next
	}
}

// candidates calls f for each node that a pattern can be.
func (r *run) candidates(n *nodePattern, f func(graph.ID, any)) {
	if id, ok := r.slots[n.slot].(graph.ID); ok {
		f(id, nil)
		return
	}
	if p, ok := r.equal(n); ok {
		want := p.value.(string)
		switch p.name {
		case "id", "key":
			if id := r.g.Lookup(want); id != graph.None {
				f(id, nil)
			}
			return
		case "name":
			for _, id := range r.x.Named(want) {
				f(id, nil)
			}
			return
		case "qname":
			for i := range r.g.Nodes {
				if r.g.Nodes[i].QName == want {
					f(graph.ID(i), nil)
				}
			}
			return
		}
	}
	for i := range r.g.Nodes {
		if r.err != nil || r.done {
			return
		}
		f(graph.ID(i), nil)
	}
}

// neighbours calls f for each relation of a pattern that begins at a node.
func (r *run) neighbours(n graph.ID, p *relPattern, back bool, f func(graph.ID, edgeRef)) {
	out, in := p.right, p.left
	if !out && !in || out && in {
		out, in = true, true
	}
	if back {
		out, in = in, out
	}
	all := p.kinds == 0
	if out {
		edges := r.g.Out(n)
		if len(edges) > 0 {
			first := r.x.FirstOut(n)
			for i := range edges {
				if !r.step() || r.done {
					return
				}
				if all || p.kinds&(1<<edges[i].Kind) != 0 {
					f(edges[i].To, edgeRef(first+int32(i)))
				}
			}
		}
		if all || p.kinds&(1<<graph.EdgeContains) != 0 {
			for _, c := range r.x.Children(n) {
				f(c, -1)
			}
		}
	}
	if in {
		for _, i := range r.g.In(n) {
			if !r.step() || r.done {
				return
			}
			if e := &r.g.Edges[i]; all || p.kinds&(1<<e.Kind) != 0 {
				f(e.From, edgeRef(i))
			}
		}
		if parent := r.g.Nodes[n].Parent; parent != graph.None && (all || p.kinds&(1<<graph.EdgeContains) != 0) {
			f(parent, -1)
		}
	}
}

func (r *run) fits(p *nodePattern, id graph.ID) bool {
	if p.kinds != 0 && p.kinds&(1<<r.g.Nodes[id].Kind) == 0 {
		return false
	}
	for _, e := range p.props {
		if !same(property(r.x, id, e.name), e.value) {
			return false
		}
	}
	return true
}

func (r *run) emit() {
	// What is done with a row costs as much as to find a few nodes.
	if r.steps += rowSteps; !r.step() {
		return
	}
	if r.agg {
		r.addToGroup()
		return
	}
	row := make([]any, len(r.q.items))
	for i := range r.q.items {
		row[i] = r.eval(r.q.items[i].e)
	}
	if r.seen != nil {
		k := text(row)
		if r.seen[k] {
			return
		}
		r.seen[k] = true
	}
	r.rows = append(r.rows, row)
	// Without an order the first rows are the answer.
	want := r.lim.Rows + 1
	if r.q.limit >= 0 {
		want = min(want, r.q.limit)
	}
	if len(r.q.order) == 0 && len(r.rows) >= r.q.skip+want {
		r.done = true
	}
	if len(r.rows) > maxGroups {
		r.err = &Error{fmt.Sprintf("there are more than %d rows; bound them with LIMIT", maxGroups), -1}
	}
}
