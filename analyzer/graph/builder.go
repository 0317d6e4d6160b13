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
	nodeMap := b.buildNodes(g)
	for i := range g.Files {
		if n := g.Files[i].Node; n != None {
			g.Files[i].Node = nodeMap[n]
		}
	}
	kwMap := b.buildKeywords(g)
	b.buildEdges(g, nodeMap, fileMap, kwMap)
	b.buildUnknowns(g)
	g.canonical()
	g.index()
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

func (b *Builder) buildNodes(g *Graph) []ID {
	order := b.byKey()
	if b.numberDuplicates(order) {
		order = b.byKey()
	}
	nodeMap := make([]ID, len(b.nodes))
	for to, from := range order {
		nodeMap[from] = ID(to)
	}
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
	return nodeMap
}

// byKey returns the nodes in the order of their keys. The keys are sorted beside each
// other: nodes are large.
func (b *Builder) byKey() []int32 {
	type keyed struct {
		key string
		at  int32
	}
	keys := make([]keyed, len(b.nodes))
	for i := range keys {
		keys[i] = keyed{b.nodes[i].Key, int32(i)}
	}
	slices.SortFunc(keys, func(x, y keyed) int {
		if c := strings.Compare(x.key, y.key); c != 0 {
			return c
		}
		return cmp.Compare(x.at, y.at)
	})
	order := make([]int32, len(keys))
	for i := range keys {
		order[i] = keys[i].at
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

func (b *Builder) buildEdges(g *Graph, nodeMap []ID, fileMap, kwMap []int32) {
	n := 0
	for e := range b.Edges() {
		if e.Kind == EdgeContains {
			continue
		}
		n++
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
	}
	es := sortRaw(b.Edges(), n, len(g.Nodes))
	b.edges = nil
	// Merge equal edges; drop sites that repeat.
	distinct := 0
	for i := range es {
		if i == 0 || compareEnds(&es[i-1], &es[i]) != 0 {
			distinct++
		}
	}
	g.Edges = make([]Edge, 0, distinct)
	g.sites = make([]Site, 0, len(es))
	for i := range es {
		r := &es[i]
		if i == 0 || compareEnds(&es[i-1], r) != 0 {
			n := uint32(len(g.sites))
			g.Edges = append(g.Edges, Edge{From: r.From, To: r.To, Kind: r.Kind, Type: r.Type,
				Certainty: r.Certainty, Ptr: r.Ptr, siteLo: n, siteHi: n})
		}
		e := &g.Edges[len(g.Edges)-1]
		e.Certainty = min(e.Certainty, r.Certainty)
		e.Ptr = e.Ptr && r.Ptr
		if r.HasSite {
			if n := len(g.sites); e.siteHi > e.siteLo && compareSites(&g.sites[n-1], &r.Site) == 0 {
				continue
			}
			g.sites = append(g.sites, r.Site)
			e.siteHi++
		}
	}
}

// sortRaw returns the n edges that are kept as edges, sorted by source with one
// counting pass, then each source's edges by comparison: sources have few edges
// each.
func sortRaw(es iter.Seq[*RawEdge], n, nodes int) []RawEdge {
	start := make([]uint32, nodes+1)
	for e := range es {
		if e.Kind != EdgeContains {
			start[e.From+1]++
		}
	}
	for i := 1; i < len(start); i++ {
		start[i] += start[i-1]
	}
	sorted := make([]RawEdge, n)
	next := slices.Clone(start)
	for e := range es {
		if e.Kind != EdgeContains {
			sorted[next[e.From]] = *e
			next[e.From]++
		}
	}
	// Sources are independent of each other: each goroutine takes those of about
	// as many edges.
	var wg sync.WaitGroup
	lo, parts := 0, runtime.GOMAXPROCS(0)
	for p := range parts {
		hi := nodes
		if p < parts-1 {
			hi = max(lo, sort.Search(nodes, func(n int) bool { return uint64(start[n]) >= uint64(len(sorted))*uint64(p+1)/uint64(parts) }))
		}
		bounds := start[lo : hi+1]
		wg.Go(func() { sortSources(sorted, bounds) })
		lo = hi
	}
	wg.Wait()
	return sorted
}

// sortSources sorts the edges of each of some sources; bounds are where they
// begin and where the last ends. Most edges of a source differ in kind or target, and
// others are in the order of their sites: what is sorted are numbers.
func sortSources(es []RawEdge, bounds []uint32) {
	const bits = 28 // of a target, and of a position
	var keys []uint64
	var from []RawEdge
	for n := range len(bounds) - 1 {
		s := es[bounds[n]:bounds[n+1]]
		if len(s) < 2 {
			continue
		}
		keys = slices.Grow(keys[:0], len(s))
		top := ID(0)
		for i := range s {
			keys = append(keys, uint64(s[i].Kind)<<(2*bits)|uint64(s[i].To)<<bits|uint64(i))
			top = max(top, s[i].To)
		}
		if top >= 1<<bits || len(s) >= 1<<bits {
			sortEdges(s)
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
			sortEdges(s[lo:hi])
		}
	}
}

// sortEdges sorts edges that are often sorted already.
func sortEdges(es []RawEdge) {
	for i := 1; i < len(es); i++ {
		if compareRaw(&es[i-1], &es[i]) > 0 {
			slices.SortFunc(es, func(x, y RawEdge) int { return compareRaw(&x, &y) })
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

// index makes the adjacency arrays from the sorted edges.
func (g *Graph) index() {
	x := indexEdges(len(g.Nodes), g.Edges, nil)
	g.out, g.in, g.inIdx, g.ambiguous = x.out, x.in, x.inIdx, x.ambiguous
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
