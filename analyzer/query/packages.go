package query

import (
	"fmt"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// lifted is the graph of imports between packages: what a file imports, its
// package depends on.
type lifted struct {
	owner []graph.ID // of each node its package, or the node itself
	deps  []dep      // by from and to
	first []int32    // deps[first[n]:first[n+1]] are those of n
	back  [][]int32  // of the nodes that have some: numbers of deps that lead there
}

// dep is one dependency between packages; edge is the first import of it.
type dep struct {
	from, to graph.ID
	edge     int32
	count    int32 // imports
	code     bool  // not only tests import it
}

func (x *Index) makePackages() *lifted {
	g := x.g
	l := &lifted{owner: make([]graph.ID, len(g.Nodes))}
	for i := range g.Nodes {
		l.owner[i] = x.above(graph.ID(i), graph.KindPackage)
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.Kind != graph.EdgeImports || g.Nodes[e.From].Kind == graph.KindModule {
			continue
		}
		from, to := l.owner[e.From], l.owner[e.To]
		if from == to {
			continue
		}
		l.deps = append(l.deps, dep{from, to, int32(i), 1, !g.Nodes[e.From].Flags.Has(graph.FlagTest)})
	}
	slices.SortStableFunc(l.deps, func(a, b dep) int {
		if a.from != b.from {
			return int(a.from) - int(b.from)
		}
		return int(a.to) - int(b.to)
	})
	kept := l.deps[:0]
	for _, d := range l.deps {
		if n := len(kept); n > 0 && kept[n-1].from == d.from && kept[n-1].to == d.to {
			k := &kept[n-1]
			k.count++
			if d.code && !k.code {
				k.code, k.edge = true, d.edge
			}
			continue
		}
		kept = append(kept, d)
	}
	l.deps = kept
	l.first = make([]int32, len(g.Nodes)+1)
	l.back = make([][]int32, len(g.Nodes))
	next := 0
	for n := range g.Nodes {
		l.first[n] = int32(next)
		for next < len(l.deps) && int(l.deps[next].from) == n {
			to := l.deps[next].to
			l.back[to] = append(l.back[to], int32(next))
			next++
		}
	}
	l.first[len(g.Nodes)] = int32(next)
	return l
}

// above returns the nearest ancestor of a kind, n itself included, or n if
// there is none.
func (x *Index) above(n graph.ID, k graph.Kind) graph.ID {
	for p := n; p != graph.None; p = x.g.Nodes[p].Parent {
		if x.g.Nodes[p].Kind == k {
			return p
		}
	}
	return n
}

// Package returns the package that a node is in, or the node itself if it is in
// none.
func (x *Index) Package(n graph.ID) graph.ID { return x.packages().owner[n] }

// Dependency is one dependency between packages.
type Dependency struct {
	From, To graph.ID
	Imports  int  // places
	Code     bool // code has it, not only tests
}

// Dependencies returns all dependencies between packages, by key; To may be
// external.
func (x *Index) Dependencies() []Dependency {
	l := x.packages()
	out := make([]Dependency, len(l.deps))
	for i, d := range l.deps {
		out[i] = Dependency{d.from, d.to, int(d.count), d.code}
	}
	return out
}

func (q *asking) dependencies() error { return q.depend(false) }
func (q *asking) dependents() error   { return q.depend(true) }

func (q *asking) depend(back bool) error {
	switch n := &q.g.Nodes[q.target]; {
	case n.Kind == graph.KindPackage, n.Kind == graph.KindExternal && len(q.x.packages().back[q.target]) > 0:
		q.liftedWalk([]graph.ID{q.target}, back)
	case n.Kind == graph.KindModule || n.Kind == graph.KindRepository:
		var all []graph.ID
		for i := range q.g.Nodes {
			if q.g.Nodes[i].Kind == graph.KindPackage && (n.Kind == graph.KindRepository || q.x.above(graph.ID(i), graph.KindModule) == q.target) {
				all = append(all, graph.ID(i))
			}
		}
		q.liftedWalk(all, back)
	case n.Kind == graph.KindFile && !back:
		q.r.Direct = true
		q.walkFrom([]graph.ID{q.target}, 1<<graph.EdgeImports, false).keep()
	case n.Kind == graph.KindFile:
		return q.dependOnFile()
	default:
		q.r.Direct = true
		q.walkFrom([]graph.ID{q.target}, useEdges, back).keep()
	}
	return nil
}

// dependOnFile finds the files that use what a file declares.
func (q *asking) dependOnFile() error {
	file := q.g.Nodes[q.target].File
	first := map[graph.ID]int32{}
	var order []graph.ID
	use := func(to graph.ID) {
		for _, i := range q.g.In(to) {
			e := &q.g.Edges[i]
			f := q.g.Lookup(graph.FileKey(q.g.Nodes[e.From].File))
			if f == graph.None || f == q.target || e.Certainty > q.certainty || !q.filter.walks(&q.g.Nodes[f]) {
				continue
			}
			if _, ok := first[f]; !ok {
				first[f] = int32(i)
				order = append(order, f)
			}
		}
	}
	for i := range q.g.Nodes {
		if q.g.Nodes[i].File == file {
			use(graph.ID(i))
		}
	}
	for _, f := range order {
		e := &q.g.Edges[first[f]]
		q.add(hit{node: f, via: graph.None, edge: first[f], site: -1, depth: 1, cert: e.Certainty,
			text: fmt.Sprintf("%s uses %s", q.g.Nodes[e.From].QName, q.g.Nodes[e.To].QName)})
	}
	q.order()
	return nil
}

// liftedWalk walks over dependencies between packages.
func (q *asking) liftedWalk(start []graph.ID, back bool) {
	l := q.x.packages()
	seen := q.x.marker()
	defer q.x.marks.Put(seen)
	level := start
	for _, n := range start {
		seen.add(n)
	}
	for depth := int32(1); int(depth) <= q.depth && len(level) > 0; depth++ {
		var next []graph.ID
		for _, n := range level {
			visit := func(d *dep, to graph.ID) {
				if !q.filter.walks(&q.g.Nodes[to]) || !seen.add(to) {
					return
				}
				h := hit{node: to, via: graph.None, edge: d.edge, site: -1, depth: depth, cert: q.g.Edges[d.edge].Certainty}
				if depth > 1 || len(start) > 1 {
					h.via = n
				}
				if !d.code {
					h.text = "only tests"
				}
				q.add(h)
				next = append(next, to)
			}
			if back {
				for _, i := range l.back[n] {
					visit(&l.deps[i], l.deps[i].from)
				}
			} else {
				for i := l.first[n]; i < l.first[n+1]; i++ {
					visit(&l.deps[i], l.deps[i].to)
				}
			}
		}
		level = next
	}
	q.order()
}

// cycles finds strongly connected components.
func (q *asking) cycles() error {
	var comps [][]graph.ID
	ofCode := q.kinds&(1<<graph.KindFunction|1<<graph.KindMethod) != 0
	q.kinds = 0
	if q.target != graph.None && q.g.Nodes[q.target].Kind.IsCallable() {
		ofCode = true
	}
	if ofCode {
		comps = q.x.components(func(n graph.ID, visit func(graph.ID)) {
			for _, e := range q.g.OutKind(n, graph.EdgeCalls) {
				if e.Certainty <= q.certainty {
					visit(e.To)
				}
			}
		})
	} else {
		comps = q.x.PackageCycles()
	}
	for _, c := range comps {
		if q.target != graph.None && !slices.Contains(c, q.target) {
			continue
		}
		h := found(c[0])
		h.more, h.value, h.cycle = c, float64(len(c)), true
		q.add(h)
	}
	q.orderByValue()
	if len(q.hits) == 0 {
		q.note = "nothing depends on itself by way of others"
		if q.target != graph.None {
			q.note = "it is in no cycle"
		}
	}
	return nil
}

// PackageCycles returns the groups of packages that depend on each other
// through code, each by key.
func (x *Index) PackageCycles() [][]graph.ID {
	l := x.packages()
	return x.components(func(n graph.ID, visit func(graph.ID)) {
		for i := l.first[n]; i < l.first[n+1]; i++ {
			if l.deps[i].code {
				visit(l.deps[i].to)
			}
		}
	})
}

// components returns the strongly connected components of two or more nodes, by
// Tarjan's algorithm without recursion; each sorted by key, all by their first.
func (x *Index) components(out func(n graph.ID, visit func(graph.ID))) [][]graph.ID {
	count := len(x.g.Nodes)
	num, low := make([]int32, count), make([]int32, count)
	on := make([]bool, count)
	type frame struct {
		n    graph.ID
		next []graph.ID
	}
	var (
		comps [][]graph.ID
		stack []graph.ID
		calls []frame
		tick  int32
		buf   []graph.ID // unvisited targets of all frames
	)
	enter := func(n graph.ID) {
		tick++
		num[n], low[n], on[n] = tick, tick, true
		stack = append(stack, n)
		lo := len(buf)
		out(n, func(to graph.ID) { buf = append(buf, to) })
		calls = append(calls, frame{n, buf[lo:len(buf):len(buf)]})
	}
	for root := range count {
		if num[root] != 0 {
			continue
		}
		buf = buf[:0]
		enter(graph.ID(root))
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			if len(f.next) > 0 {
				to := f.next[0]
				f.next = f.next[1:]
				if num[to] == 0 {
					enter(to)
				} else if on[to] {
					low[f.n] = min(low[f.n], num[to])
				}
				continue
			}
			n := f.n
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				p := calls[len(calls)-1].n
				low[p] = min(low[p], low[n])
			}
			if low[n] != num[n] {
				continue
			}
			at := len(stack) - 1
			for stack[at] != n {
				at--
			}
			for _, m := range stack[at:] {
				on[m] = false
			}
			if len(stack)-at > 1 {
				comp := slices.Clone(stack[at:])
				slices.Sort(comp)
				comps = append(comps, comp)
			}
			stack = stack[:at]
		}
	}
	slices.SortFunc(comps, func(a, b []graph.ID) int { return int(a[0]) - int(b[0]) })
	return comps
}
