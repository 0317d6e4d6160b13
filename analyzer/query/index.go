package query

import (
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/codekg/kg/analyzer/graph"
)

// Index answers questions about one graph. What it needs beyond the graph is
// made when it is first needed. It may be used by many goroutines.
type Index struct {
	g *graph.Graph

	names    func() *nameTable
	asked    atomic.Bool // for a name
	children func() *lists
	packages func() *lifted
	marks    sync.Pool // of *marker
	uses     func() *fans
}

// New returns an index of g. O(1).
func New(g *graph.Graph) *Index {
	x := &Index{g: g}
	x.names = sync.OnceValue(x.makeNames)
	x.children = sync.OnceValue(x.makeChildren)
	x.packages = sync.OnceValue(x.makePackages)
	x.uses = sync.OnceValue(x.makeFans)
	x.marks.New = func() any { return &marker{at: make([]uint32, len(g.Nodes)), value: make([]int32, len(g.Nodes))} }
	return x
}

// Graph returns the graph that the index is of.
func (x *Index) Graph() *graph.Graph { return x.g }

// lists holds a list of nodes for each node.
type lists struct {
	ends []uint32
	list []graph.ID
}

func (l *lists) of(n graph.ID) []graph.ID {
	lo := uint32(0)
	if n > 0 {
		lo = l.ends[n-1]
	}
	return l.list[lo:l.ends[n]]
}

// bucket makes lists of n buckets: each of count items goes where at says, in
// the order of items; a negative bucket leaves it out.
func bucket(n, count int, at func(i int) int) *lists {
	l := &lists{ends: make([]uint32, n)}
	for i := range count {
		if b := at(i); b >= 0 {
			l.ends[b]++
		}
	}
	sum := uint32(0)
	for i, c := range l.ends {
		l.ends[i] = sum
		sum += c
	}
	l.list = make([]graph.ID, sum)
	for i := range count {
		if b := at(i); b >= 0 {
			l.list[l.ends[b]] = graph.ID(i)
			l.ends[b]++
		}
	}
	return l
}

func (x *Index) makeChildren() *lists {
	nodes := x.g.Nodes
	return bucket(len(nodes), len(nodes), func(i int) int { return int(nodes[i].Parent) })
}

// Children returns the nodes that n contains, by key.
func (x *Index) Children(n graph.ID) []graph.ID { return x.children().of(n) }

// nameTable finds nodes by name, whatever the case of its letters.
type nameTable struct {
	seed    maphash.Seed
	mask    uint64
	buckets *lists
}

func (x *Index) makeNames() *nameTable {
	nodes := x.g.Nodes
	size := 1
	for size < len(nodes) {
		size *= 2
	}
	t := &nameTable{seed: maphash.MakeSeed(), mask: uint64(size - 1)}
	at := make([]int32, len(nodes))
	for i := range nodes {
		at[i] = t.bucket(nodes[i].Name)
	}
	t.buckets = bucket(size, len(nodes), func(i int) int { return int(at[i]) })
	return t
}

func (t *nameTable) bucket(name string) int32 {
	var buf [64]byte
	b := buf[:0]
	for i := range len(name) {
		b = append(b, small(name[i]))
	}
	return int32(maphash.Bytes(t.seed, b) & t.mask)
}

// small returns an ASCII letter as a small one.
func small(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// sameName reports whether two names differ in nothing but the case of ASCII
// letters.
func sameName(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if small(a[i]) != small(b[i]) {
			return false
		}
	}
	return true
}

// named returns the nodes with a name, if the case of ASCII letters is put
// aside, by key.
func (x *Index) named(name string) []graph.ID {
	var out []graph.ID
	if !x.asked.Swap(true) {
		// To look at all once takes less than to make the table.
		for i := range x.g.Nodes {
			if n := x.g.Nodes[i].Name; sameName(n, name) {
				out = append(out, graph.ID(i))
			}
		}
		return out
	}
	t := x.names()
	for _, id := range t.buckets.of(graph.ID(t.bucket(name))) {
		if sameName(x.g.Nodes[id].Name, name) {
			out = append(out, id)
		}
	}
	return out
}

// Named returns the nodes with exactly this name, by key.
func (x *Index) Named(name string) []graph.ID {
	return slices.DeleteFunc(x.named(name), func(id graph.ID) bool { return x.g.Nodes[id].Name != name })
}

// marker is a set of nodes that is emptied in O(1). It goes back to Index.marks.
type marker struct {
	at    []uint32
	value []int32 // for the use of whoever has it; valid for what is in the set
	epoch uint32
}

func (x *Index) marker() *marker {
	m := x.marks.Get().(*marker)
	m.empty()
	return m
}

func (m *marker) empty() {
	if m.epoch++; m.epoch == 0 {
		clear(m.at)
		m.epoch = 1
	}
}

func (m *marker) has(n graph.ID) bool { return m.at[n] == m.epoch }

// add reports whether n is new.
func (m *marker) add(n graph.ID) bool {
	if m.at[n] == m.epoch {
		return false
	}
	m.at[n] = m.epoch
	return true
}

// fans counts, for each node, the nodes that use it and those it uses.
type fans struct{ in, out []uint32 }

func (x *Index) makeFans() *fans {
	f := &fans{make([]uint32, len(x.g.Nodes)), make([]uint32, len(x.g.Nodes))}
	edges := x.g.Edges
	last := x.marker() // targets of the node under way
	defer x.marks.Put(last)
	for i := range edges {
		e := &edges[i]
		if i > 0 && edges[i-1].From != e.From {
			last.empty()
		}
		if e.Kind == graph.EdgeAnnotates { // what is annotated uses the annotation
			if e.From != e.To && !x.usedBy(e.From, e.To) {
				f.out[e.To]++
				if !x.g.Nodes[e.To].Flags.Has(graph.FlagTest) {
					f.in[e.From]++
				}
			}
			continue
		}
		if e.From == e.To || useEdges&(1<<e.Kind) == 0 || e.Certainty == graph.Ambiguous || !last.add(e.To) {
			continue
		}
		f.out[e.From]++
		if !x.g.Nodes[e.From].Flags.Has(graph.FlagTest) {
			f.in[e.To]++
		}
	}
	return f
}

// usedBy reports whether a declaration uses another but for annotations: those
// that run are called, too.
func (x *Index) usedBy(what, by graph.ID) bool {
	for _, e := range x.g.Out(by) {
		if e.To == what && e.Kind != graph.EdgeAnnotates && useEdges&(1<<e.Kind) != 0 && e.Certainty != graph.Ambiguous {
			return true
		}
	}
	return false
}

func (x *Index) metric(id graph.ID) *Metric {
	n, f := &x.g.Nodes[id], x.uses()
	m := &Metric{Tokens: int(n.Tokens), Params: len(n.Signature.Params), FanIn: int(f.in[id]), FanOut: int(f.out[id])}
	if n.Kind.IsCallable() && !n.Body.IsZero() {
		m.Cyclomatic = int(n.Branches) + 1
	}
	if n.EndLine > 0 && n.DefLine > 0 {
		m.Lines = int(n.EndLine-n.DefLine) + 1
	}
	return m
}
