package graph

import (
	"cmp"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
)

// Builder collects nodes and edges in any order and makes the canonical
// [Graph] of them. It is not safe for concurrent use; callers that work in
// parallel collect [RawEdge] values of their own and add them at the end.
//
// The graph depends only on what was added, not on the order, except that
// nodes with one key are numbered in the order they were added: callers add
// them in the order of file and line. Numbers are natural, parents have no
// cycle, edges and sites refer to what was added: the builder does not check.
type Builder struct {
	nodes    []Node
	edges    [][]RawEdge // in blocks, which are not copied to make room for more
	files    []File
	unknowns []Unknown
	skipped  []Skipped
	keywords [][]string
	keyword  map[string]int32
	tree     Hash
}

// RawEdge is one edge with one site, before edges are merged. From, To and
// Type are the ids that [Builder.AddNode] returned.
type RawEdge struct {
	From, To, Type ID
	Kind           EdgeKind
	Certainty      Certainty
	Ptr            bool
	HasSite        bool
	Site           Site // File is the index that AddFile returned
}

// AddNode adds a node and returns its id for use with this builder. Node.Parent
// is such an id, too.
func (b *Builder) AddNode(n Node) ID {
	b.nodes = append(b.nodes, n)
	return ID(len(b.nodes) - 1)
}

// AddNodes adds n nodes, which the caller fills in before it adds others, and
// returns the first of their ids.
func (b *Builder) AddNodes(n int) (ID, []Node) {
	lo := len(b.nodes)
	b.nodes = slices.Grow(b.nodes, n)[:lo+n]
	return ID(lo), b.nodes[lo:]
}

// AddEdge adds one edge with at most one site. Edges of kind [EdgeContains] are
// left out of the graph: they are kept as Node.Parent.
func (b *Builder) AddEdge(e RawEdge) {
	n := len(b.edges)
	if n == 0 || len(b.edges[n-1]) == cap(b.edges[n-1]) {
		b.edges = append(b.edges, make([]RawEdge, 0, edgeBlock))
		n++
	}
	b.edges[n-1] = append(b.edges[n-1], e)
}

// edgeBlock is the number of edges that there is room for at once.
const edgeBlock = 1 << 10

// AddEdges adds edges as AddEdge does. The builder keeps the slice and changes it;
// the caller must not use it, or what it has room for, again.
func (b *Builder) AddEdges(es []RawEdge) {
	if len(es) > 0 {
		b.edges = append(b.edges, slices.Clip(es))
	}
}

// Edges yields the edges that were added so far. They must not be changed.
func (b *Builder) Edges() iter.Seq[*RawEdge] {
	return func(yield func(*RawEdge) bool) {
		for _, block := range b.edges {
			for i := range block {
				if !yield(&block[i]) {
					return
				}
			}
		}
	}
}

// Grow makes room for more nodes.
func (b *Builder) Grow(nodes int) { b.nodes = slices.Grow(b.nodes, nodes) }

// AddFile adds a file and returns its index for [Site.File]. Of several files
// with one path the first is kept.
func (b *Builder) AddFile(f File) int32 {
	b.files = append(b.files, f)
	return int32(len(b.files) - 1)
}

// AddUnknown adds something that could not be told.
func (b *Builder) AddUnknown(u Unknown) {
	u.Count = max(u.Count, 1)
	b.unknowns = append(b.unknowns, u)
}

// AddSkipped adds files that were not analysed. The counts of one language are
// added up.
func (b *Builder) AddSkipped(s Skipped) { b.skipped = append(b.skipped, s) }

// SetTree sets the digest of the tree.
func (b *Builder) SetTree(h Hash) { b.tree = h }

// AddKeywords interns the keyword names of a call and returns their index for
// [Site.Keywords], -1 for none.
func (b *Builder) AddKeywords(names []string) int32 {
	if len(names) == 0 {
		return -1
	}
	key := fmt.Sprintf("%q", names)
	if i, ok := b.keyword[key]; ok {
		return i
	}
	if b.keyword == nil {
		b.keyword = map[string]int32{}
	}
	i := int32(len(b.keywords))
	b.keywords = append(b.keywords, slices.Clone(names))
	b.keyword[key] = i
	return i
}

// Build returns the graph. The builder must not be used afterwards.
// O(n log n + m log m) for n nodes and m raw edges.
func (b *Builder) Build() *Graph {
	g := &Graph{Tree: b.tree}
	fileMap := b.buildFiles(g)
	order := b.orderNodes()
	nodeMap := make([]ID, len(b.nodes))
	for to, from := range order {
		nodeMap[from] = ID(to)
	}
	for i := range g.Files {
		if n := g.Files[i].Node; n != None {
			g.Files[i].Node = nodeMap[n]
		}
	}
	kwMap := b.buildKeywords(g)
	var wg sync.WaitGroup
	wg.Go(func() { b.buildNodes(g, order, nodeMap) })
	b.buildEdges(g, nodeMap, fileMap, kwMap)
	x := indexEdges(len(nodeMap), g.Edges, nil)
	g.out, g.in, g.inIdx, g.ambiguous = x.out, x.in, x.inIdx, x.ambiguous
	wg.Wait()
	b.buildUnknowns(g)
	g.canonical()
	return g
}

// canonical makes empty lists nil, so that equal graphs are deeply equal.
func (g *Graph) canonical() {
	g.Nodes, g.Edges, g.sites = orNil(g.Nodes), orNil(g.Edges), orNil(g.sites)
	g.Files, g.Unknowns, g.Skipped = orNil(g.Files), orNil(g.Unknowns), orNil(g.Skipped)
	g.Keywords = orNil(g.Keywords)
}

func orNil[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s
}

func (b *Builder) buildFiles(g *Graph) []int32 {
	order := make([]int32, len(b.files))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int {
		return cmp.Or(cmp.Compare(b.files[x].Path, b.files[y].Path), cmp.Compare(x, y))
	})
	fileMap := make([]int32, len(b.files))
	g.Files = make([]File, 0, len(b.files))
	for _, from := range order {
		f := &b.files[from]
		if n := len(g.Files); n == 0 || g.Files[n-1].Path != f.Path {
			g.Files = append(g.Files, *f)
		}
		fileMap[from] = int32(len(g.Files) - 1)
	}
	return fileMap
}

// orderNodes returns the nodes in the order of their keys, each of which is the key of
// one node then.
func (b *Builder) orderNodes() []int32 {
	order := b.byKey()
	if b.numberDuplicates(order) {
		order = b.byKey()
	}
	return order
}

func (b *Builder) buildNodes(g *Graph, order []int32, nodeMap []ID) {
	permute(b.nodes, order)
	g.Nodes = b.nodes
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Parent != None {
			n.Parent = nodeMap[n.Parent]
		}
		s := &n.Signature
		s.TypeParams, s.Params, s.Results = orNil(s.TypeParams), orNil(s.Params), orNil(s.Results)
		s.Bases, n.Variants = orNil(s.Bases), orNil(n.Variants)
	}
}

// keyed is the key of a node.
type keyed struct {
	key string
	at  int32
}

func (x *keyed) compare(y *keyed) int {
	if c := strings.Compare(x.key, y.key); c != 0 {
		return c
	}
	return cmp.Compare(x.at, y.at)
}

// byKey returns the nodes in the order of their keys. The keys are sorted beside each
// other, as nodes are large: half of them by each of two goroutines.
func (b *Builder) byKey() []int32 {
	keys := make([]keyed, len(b.nodes))
	for i := range keys {
		keys[i] = keyed{b.nodes[i].Key, int32(i)}
	}
	x, y := keys[:len(keys)/2], keys[len(keys)/2:]
	var wg sync.WaitGroup
	wg.Go(func() { slices.SortFunc(x, func(x, y keyed) int { return x.compare(&y) }) })
	slices.SortFunc(y, func(x, y keyed) int { return x.compare(&y) })
	wg.Wait()
	order := make([]int32, len(keys))
	for i := range order {
		if len(y) == 0 || len(x) > 0 && x[0].compare(&y[0]) < 0 {
			order[i], x = x[0].at, x[1:]
		} else {
			order[i], y = y[0].at, y[1:]
		}
	}
	return order
}

// permute puts what is at order[i] at i, in place: one cycle of the permutation
// after the other. It destroys order.
func permute[T any](s []T, order []int32) {
	for i := range order {
		first, to := s[i], int32(i)
		for order[to] != int32(i) {
			from := order[to]
			s[to], order[to] = s[from], to
			to = from
		}
		s[to], order[to] = first, to
	}
}

// numberDuplicates gives each node but the first of those that share a key a
// key of its own, and records it. order holds all nodes, sorted by key; "k~2"
// may have to go elsewhere then, because it can sort after other keys that
// begin with "k". It reports whether there was a duplicate.
func (b *Builder) numberDuplicates(order []int32) bool {
	var taken map[string]bool // the keys that were there, and the new ones
	for i := 1; i < len(order); i++ {
		key := b.nodes[order[i-1]].Key
		nth := 2
		for ; i < len(order) && b.nodes[order[i]].Key == key; i++ {
			if taken == nil {
				taken = make(map[string]bool, len(b.nodes))
				for k := range b.nodes {
					taken[b.nodes[k].Key] = true
				}
			}
			n := &b.nodes[order[i]]
			b.AddUnknown(Unknown{Reason: ReasonDuplicate, File: n.File, Line: n.Line, EndLine: n.EndLine, Detail: key})
			for taken[NthKey(key, nth)] {
				nth++
			}
			n.Key = NthKey(key, nth)
			taken[n.Key] = true
		}
	}
	return taken != nil
}

func (b *Builder) buildKeywords(g *Graph) []int32 {
	order := make([]int32, len(b.keywords))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int { return slices.Compare(b.keywords[x], b.keywords[y]) })
	kwMap := make([]int32, len(b.keywords))
	g.Keywords = make([][]string, len(b.keywords))
	for to, from := range order {
		g.Keywords[to] = b.keywords[from]
		kwMap[from] = int32(to)
	}
	return kwMap
}

// edgeRef is where an edge that was added stands: its block, and its position there.
// Edges are large: what is sorted is where they stand.
type edgeRef uint64

func (b *Builder) edge(r edgeRef) *RawEdge { return &b.edges[r>>32][uint32(r)] }

// buildEdges sorts the edges by source with one counting pass, then each source's
// edges by comparison, as sources have few each, merges those that are equal and
// drops sites that repeat. Blocks and sources are independent of each other: each
// goroutine takes some of them.
func (b *Builder) buildEdges(g *Graph, nodeMap []ID, fileMap, kwMap []int32) {
	nodes := len(nodeMap)
	runs := divide(b.edges, runtime.GOMAXPROCS(0))
	next := make([][]uint32, len(runs)) // by goroutine and source: how many edges, then where the next goes
	each(len(runs), func(p int) {
		next[p] = make([]uint32, nodes)
		for _, block := range b.edges[runs[p].lo:runs[p].hi] {
			for i := range block {
				e := &block[i]
				if e.Kind == EdgeContains {
					continue
				}
				e.From, e.To = nodeMap[e.From], nodeMap[e.To]
				if e.Type != None {
					e.Type = nodeMap[e.Type]
				}
				if e.HasSite {
					e.Site.File = fileMap[e.Site.File]
					if e.Site.Keywords >= 0 {
						e.Site.Keywords = kwMap[e.Site.Keywords]
					}
					if e.Site.Recv != None {
						e.Site.Recv = nodeMap[e.Site.Recv]
					}
				}
				next[p][e.From]++
			}
		}
	})
	start := make([]uint32, nodes+1)
	at := uint32(0)
	for n := range nodes {
		start[n] = at
		for p := range next {
			next[p][n], at = at, at+next[p][n]
		}
	}
	start[nodes] = at
	sorted := make([]edgeRef, at)
	each(len(runs), func(p int) {
		for n := runs[p].lo; n < runs[p].hi; n++ {
			block := b.edges[n]
			for i := range block {
				if e := &block[i]; e.Kind != EdgeContains {
					sorted[next[p][e.From]] = edgeRef(n)<<32 | edgeRef(i)
					next[p][e.From]++
				}
			}
		}
	})
	type part struct {
		bounds       []uint32 // of sources
		edges, sites int      // that are kept
	}
	parts := make([]part, runtime.GOMAXPROCS(0))
	lo := 0
	for p := range parts {
		hi := nodes
		if p < len(parts)-1 {
			hi = max(lo, sort.Search(nodes, func(n int) bool { return uint64(start[n]) >= uint64(at)*uint64(p+1)/uint64(len(parts)) }))
		}
		parts[p].bounds = start[lo : hi+1]
		lo = hi
	}
	each(len(parts), func(p int) {
		bounds := parts[p].bounds
		b.sortSources(sorted, bounds)
		parts[p].edges, parts[p].sites = b.distinct(sorted[bounds[0]:bounds[len(bounds)-1]])
	})
	edges, sites := 0, 0
	for _, p := range parts {
		edges, sites = edges+p.edges, sites+p.sites
	}
	g.Edges, g.sites = make([]Edge, edges), make([]Site, sites)
	each(len(parts), func(p int) {
		edge, site := 0, 0
		for _, before := range parts[:p] {
			edge, site = edge+before.edges, site+before.sites
		}
		bounds := parts[p].bounds
		b.merge(sorted[bounds[0]:bounds[len(bounds)-1]], g.Edges[edge:edge+parts[p].edges], g.sites, site)
	})
	b.edges = nil
}

// run is some adjacent blocks.
type run struct{ lo, hi int }

// divide divides blocks into at most n runs of about as many edges.
func divide(blocks [][]RawEdge, n int) []run {
	total := 0
	for _, b := range blocks {
		total += len(b)
	}
	var runs []run
	lo, sum := 0, 0
	for i, b := range blocks {
		if sum += len(b); sum*n >= total*(len(runs)+1) {
			runs, lo = append(runs, run{lo, i + 1}), i+1
		}
	}
	return runs
}

// each calls f for 0 to n-1, side by side.
func each(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// distinct returns how many edges and sites there are once sorted edges are merged.
func (b *Builder) distinct(refs []edgeRef) (edges, sites int) {
	var before *RawEdge
	var last *Site // of the same edge
	for _, ref := range refs {
		r := b.edge(ref)
		if before == nil || compareEnds(before, r) != 0 {
			edges++
			last = nil
		}
		if r.HasSite && (last == nil || compareSites(last, &r.Site) != 0) {
			sites++
			last = &r.Site
		}
		before = r
	}
	return edges, sites
}

// merge merges sorted edges into those of a graph, whose sites begin at site.
func (b *Builder) merge(refs []edgeRef, edges []Edge, sites []Site, site int) {
	var before *RawEdge
	var e *Edge
	for _, ref := range refs {
		r := b.edge(ref)
		if before == nil || compareEnds(before, r) != 0 {
			e, edges = &edges[0], edges[1:]
			*e = Edge{From: r.From, To: r.To, Kind: r.Kind, Type: r.Type,
				Certainty: r.Certainty, Ptr: r.Ptr, siteLo: uint32(site), siteHi: uint32(site)}
		}
		before = r
		e.Certainty = min(e.Certainty, r.Certainty)
		e.Ptr = e.Ptr && r.Ptr
		if !r.HasSite || e.siteHi > e.siteLo && compareSites(&sites[site-1], &r.Site) == 0 {
			continue
		}
		sites[site] = r.Site
		site++
		e.siteHi++
	}
}

// sortSources sorts the edges of each of some sources; bounds are where they
// begin and where the last ends. Most edges of a source differ in kind or target, and
// others are in the order of their sites: what is sorted are numbers.
func (b *Builder) sortSources(refs []edgeRef, bounds []uint32) {
	const bits = 28 // of a target, and of a position
	var keys []uint64
	var from []edgeRef
	for n := range len(bounds) - 1 {
		s := refs[bounds[n]:bounds[n+1]]
		if len(s) < 2 {
			continue
		}
		keys = slices.Grow(keys[:0], len(s))
		top := ID(0)
		for i, ref := range s {
			e := b.edge(ref)
			keys = append(keys, uint64(e.Kind)<<(2*bits)|uint64(e.To)<<bits|uint64(i))
			top = max(top, e.To)
		}
		if top >= 1<<bits || len(s) >= 1<<bits {
			b.sortEdges(s)
			continue
		}
		slices.Sort(keys)
		from = append(from[:0], s...)
		for i, k := range keys {
			s[i] = from[k&(1<<bits-1)]
		}
		for lo, hi := 0, 1; lo < len(s); lo, hi = hi, hi+1 {
			for hi < len(s) && keys[hi]>>bits == keys[lo]>>bits {
				hi++
			}
			b.sortEdges(s[lo:hi])
		}
	}
}

// sortEdges sorts edges that are often sorted already.
func (b *Builder) sortEdges(refs []edgeRef) {
	for i := 1; i < len(refs); i++ {
		if compareRaw(b.edge(refs[i-1]), b.edge(refs[i])) > 0 {
			slices.SortFunc(refs, func(x, y edgeRef) int { return compareRaw(b.edge(x), b.edge(y)) })
			return
		}
	}
}

func compareRaw(x, y *RawEdge) int {
	if c := compareEnds(x, y); c != 0 {
		return c
	}
	return compareSites(&x.Site, &y.Site)
}

func compareEnds(x, y *RawEdge) int {
	if x.From != y.From {
		return cmp.Compare(x.From, y.From)
	}
	if x.Kind != y.Kind {
		return cmp.Compare(x.Kind, y.Kind)
	}
	if x.To != y.To {
		return cmp.Compare(x.To, y.To)
	}
	return cmp.Compare(x.Type, y.Type)
}

func compareSites(x, y *Site) int {
	if x.File != y.File {
		return cmp.Compare(x.File, y.File)
	}
	if x.Line != y.Line {
		return cmp.Compare(x.Line, y.Line)
	}
	if x.Col != y.Col {
		return cmp.Compare(x.Col, y.Col)
	}
	if x.Args != y.Args {
		return cmp.Compare(x.Args, y.Args)
	}
	if x.Want != y.Want {
		return cmp.Compare(x.Want, y.Want)
	}
	if x.Flags != y.Flags {
		return cmp.Compare(x.Flags, y.Flags)
	}
	if x.Keywords != y.Keywords {
		return cmp.Compare(x.Keywords, y.Keywords)
	}
	return cmp.Compare(x.Recv, y.Recv)
}

func (b *Builder) buildUnknowns(g *Graph) {
	slices.SortFunc(b.unknowns, compareUnknowns)
	g.Unknowns = b.unknowns
	slices.SortFunc(b.skipped, func(x, y Skipped) int { return cmp.Compare(x.Lang, y.Lang) })
	for _, s := range b.skipped {
		if n := len(g.Skipped); n > 0 && g.Skipped[n-1].Lang == s.Lang {
			g.Skipped[n-1].Files += s.Files
			g.Skipped[n-1].Bytes += s.Bytes
			continue
		}
		g.Skipped = append(g.Skipped, s)
	}
}

func compareUnknowns(x, y Unknown) int {
	return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Reason, y.Reason),
		cmp.Compare(x.EndLine, y.EndLine), cmp.Compare(x.Detail, y.Detail), cmp.Compare(x.Count, y.Count))
}

// indexEdges indexes edges that are in the order of a graph's; byTarget is as in
// [Columns]. O(n + m).
func indexEdges(nodes int, edges []Edge, byTarget []uint32) *incidence {
	x := &incidence{nodes: nodes, out: make([]uint32, nodes+1), in: make([]uint32, nodes+1), inIdx: byTarget}
	// Two stable counting passes, by kind and then by target; sources ascend
	// within a kind because edges are sorted by them.
	var byKind [EdgeKindCount + 1]uint32
	for i := range edges {
		e := &edges[i]
		x.out[e.From+1]++
		x.in[e.To+1]++
		byKind[e.Kind+1]++
		x.ambiguous = x.ambiguous || e.Certainty == Ambiguous
	}
	for i := 1; i <= nodes; i++ {
		x.out[i] += x.out[i-1]
		x.in[i] += x.in[i-1]
	}
	if len(edges) > 0 && len(byTarget) == len(edges) {
		return x
	}
	for k := 1; k < len(byKind); k++ {
		byKind[k] += byKind[k-1]
	}
	type target struct {
		to   ID
		edge uint32
	}
	order := make([]target, len(edges))
	for i := range edges {
		e := &edges[i]
		order[byKind[e.Kind]] = target{e.To, uint32(i)}
		byKind[e.Kind]++
	}
	next := slices.Clone(x.in)
	x.inIdx = make([]uint32, len(edges))
	for _, t := range order {
		x.inIdx[next[t.to]] = t.edge
		next[t.to]++
	}
	return x
}

// AddFlags adds flags to a node that was added before.
func (b *Builder) AddFlags(n ID, f Flags) { b.nodes[n].Flags |= f }
