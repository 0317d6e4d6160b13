package graph

import (
	"cmp"
	"fmt"
	"slices"
)

// Builder collects nodes and edges in any order and makes the canonical
// [Graph] of them. It is not safe for concurrent use; callers that work in
// parallel collect [RawEdge] values of their own and add them at the end.
//
// The graph depends only on what was added, not on the order, except that two
// nodes with one key are numbered in the order they were added: callers add
// them in the order of file and line.
type Builder struct {
	nodes    []Node
	edges    []RawEdge
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

// AddEdge adds one edge with at most one site.
func (b *Builder) AddEdge(e RawEdge) { b.edges = append(b.edges, e) }

// AddEdges adds edges; the slice may be reused afterwards.
func (b *Builder) AddEdges(es []RawEdge) { b.edges = append(b.edges, es...) }

// Grow makes room for n more edges.
func (b *Builder) Grow(n int) { b.edges = slices.Grow(b.edges, n) }

// AddFile adds a file and returns its index for [Site.File].
func (b *Builder) AddFile(f File) int32 {
	b.files = append(b.files, f)
	return int32(len(b.files) - 1)
}

// AddUnknown adds something that could not be told.
func (b *Builder) AddUnknown(u Unknown) {
	u.Count = max(u.Count, 1)
	b.unknowns = append(b.unknowns, u)
}

// AddSkipped adds files that were not analysed.
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
	slices.SortFunc(order, func(x, y int32) int { return cmp.Compare(b.files[x].Path, b.files[y].Path) })
	fileMap := make([]int32, len(b.files))
	g.Files = make([]File, len(b.files))
	for to, from := range order {
		g.Files[to] = b.files[from]
		fileMap[from] = int32(to)
	}
	return fileMap
}

func (b *Builder) buildNodes(g *Graph) []ID {
	order := make([]int32, len(b.nodes))
	for i := range order {
		order[i] = int32(i)
	}
	byKey := func(x, y int32) int {
		if c := cmp.Compare(b.nodes[x].Key, b.nodes[y].Key); c != 0 {
			return c
		}
		return cmp.Compare(x, y)
	}
	slices.SortFunc(order, byKey)
	// Number the nodes that share a key, then restore the order: "k~2" may
	// sort after keys that begin with "k".
	renamed := false
	for i := 1; i < len(order); {
		j := i
		for j < len(order) && b.nodes[order[j]].Key == b.nodes[order[i-1]].Key {
			j++
		}
		for k := i; k < j; k++ {
			n := &b.nodes[order[k]]
			b.AddUnknown(Unknown{Reason: ReasonDuplicate, File: n.File, Line: n.Line, EndLine: n.EndLine, Detail: n.Key})
			n.Key = NthKey(n.Key, k-i+2)
			renamed = true
		}
		i = j + 1
	}
	if renamed {
		slices.SortFunc(order, byKey)
	}
	nodeMap := make([]ID, len(b.nodes))
	g.Nodes = make([]Node, len(b.nodes))
	for to, from := range order {
		g.Nodes[to] = b.nodes[from]
		nodeMap[from] = ID(to)
	}
	for i := range g.Nodes {
		if p := g.Nodes[i].Parent; p != None {
			g.Nodes[i].Parent = nodeMap[p]
		}
	}
	return nodeMap
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
	es := b.edges
	for i := range es {
		e := &es[i]
		e.From, e.To = nodeMap[e.From], nodeMap[e.To]
		if e.Type != None {
			e.Type = nodeMap[e.Type]
		}
		if e.HasSite {
			e.Site.File = fileMap[e.Site.File]
			if e.Site.Keywords >= 0 {
				e.Site.Keywords = kwMap[e.Site.Keywords]
			}
		}
	}
	es = sortRaw(es, len(g.Nodes))
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

// sortRaw sorts edges by source with one counting pass, then each source's
// edges by comparison: sources have few edges each.
func sortRaw(es []RawEdge, nodes int) []RawEdge {
	start := make([]uint32, nodes+1)
	for i := range es {
		start[es[i].From+1]++
	}
	for i := 1; i < len(start); i++ {
		start[i] += start[i-1]
	}
	sorted := make([]RawEdge, len(es))
	next := slices.Clone(start)
	for i := range es {
		f := es[i].From
		sorted[next[f]] = es[i]
		next[f]++
	}
	for n := range nodes {
		s := sorted[start[n]:start[n+1]]
		if len(s) < 2 {
			continue
		}
		slices.SortFunc(s, func(x, y RawEdge) int {
			if c := compareEnds(&x, &y); c != 0 {
				return c
			}
			return compareSites(&x.Site, &y.Site)
		})
	}
	return sorted
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
	return cmp.Compare(x.Keywords, y.Keywords)
}

func (b *Builder) buildUnknowns(g *Graph) {
	slices.SortFunc(b.unknowns, func(x, y Unknown) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Reason, y.Reason),
			cmp.Compare(x.EndLine, y.EndLine), cmp.Compare(x.Detail, y.Detail), cmp.Compare(x.Count, y.Count))
	})
	g.Unknowns = b.unknowns
	slices.SortFunc(b.skipped, func(x, y Skipped) int { return cmp.Compare(x.Lang, y.Lang) })
	g.Skipped = b.skipped
}

// index makes the adjacency arrays from the sorted edges.
func (g *Graph) index() {
	n := len(g.Nodes)
	g.out = make([]uint32, n+1)
	g.in = make([]uint32, n+1)
	for i := range g.Edges {
		g.out[g.Edges[i].From+1]++
		g.in[g.Edges[i].To+1]++
	}
	for i := 1; i <= n; i++ {
		g.out[i] += g.out[i-1]
		g.in[i] += g.in[i-1]
	}
	// Two stable counting passes, by kind and then by target; sources ascend
	// within a kind because Edges is sorted by them.
	var byKind [EdgeKindCount + 1]uint32
	for i := range g.Edges {
		byKind[g.Edges[i].Kind+1]++
	}
	for k := 1; k < len(byKind); k++ {
		byKind[k] += byKind[k-1]
	}
	order := make([]uint32, len(g.Edges))
	for i := range g.Edges {
		k := g.Edges[i].Kind
		order[byKind[k]] = uint32(i)
		byKind[k]++
	}
	g.inIdx = make([]uint32, len(g.Edges))
	next := slices.Clone(g.in)
	for _, i := range order {
		to := g.Edges[i].To
		g.inIdx[next[to]] = i
		next[to]++
	}
}

// Columns is the whole content of a graph as plain slices, for the code that
// stores and restores it. SiteEnds[i] is the end of edge i's sites in Sites;
// they start where the ones of the edge before end.
type Columns struct {
	Nodes    []Node
	Edges    []Edge
	SiteEnds []uint32
	Sites    []Site
	Files    []File
	Unknowns []Unknown
	Skipped  []Skipped
	Keywords [][]string
	Tree     Hash
}

// Columns returns the graph's content. It shares memory with g.
func (g *Graph) Columns() Columns {
	ends := make([]uint32, len(g.Edges))
	for i := range g.Edges {
		ends[i] = g.Edges[i].siteHi
	}
	return Columns{g.Nodes, g.Edges, ends, g.sites, g.Files, g.Unknowns, g.Skipped, g.Keywords, g.Tree}
}

// FromColumns restores a graph. It checks every invariant that readers rely
// on, because the columns may come from a hostile file, and takes ownership of
// the slices. O(n + m).
func FromColumns(c Columns) (*Graph, error) {
	if len(c.SiteEnds) != len(c.Edges) {
		return nil, fmt.Errorf("graph: %d site ends for %d edges", len(c.SiteEnds), len(c.Edges))
	}
	g := &Graph{Nodes: c.Nodes, Edges: c.Edges, Files: c.Files, Unknowns: c.Unknowns,
		Skipped: c.Skipped, Keywords: c.Keywords, Tree: c.Tree, sites: c.Sites}
	nodes, files := ID(len(c.Nodes)), int32(len(c.Files))
	bad := func(what string, i int) error { return fmt.Errorf("graph: invalid %s %d", what, i) }
	for i := range c.Nodes {
		n := &c.Nodes[i]
		if i > 0 && n.Key <= c.Nodes[i-1].Key || n.Parent < None || n.Parent >= nodes ||
			n.Kind >= kindEnd || n.Visibility >= visibilityEnd || n.Flags&^FlagMask != 0 {
			return nil, bad("node", i)
		}
	}
	if i := parentCycle(c.Nodes); i >= 0 {
		return nil, bad("parent of node", i)
	}
	for i := range c.Files {
		f := &c.Files[i]
		if i > 0 && f.Path <= c.Files[i-1].Path || f.Node < None || f.Node >= nodes {
			return nil, bad("file", i)
		}
	}
	lo := uint32(0)
	for i := range c.Edges {
		e := &c.Edges[i]
		hi := c.SiteEnds[i]
		if e.From < 0 || e.From >= nodes || e.To < 0 || e.To >= nodes || e.Type < None || e.Type >= nodes ||
			e.Kind >= edgeKindEnd || e.Certainty >= certaintyEnd || hi < lo || int(hi) > len(c.Sites) {
			return nil, bad("edge", i)
		}
		if i > 0 {
			p := &c.Edges[i-1]
			if compareEnds(&RawEdge{From: p.From, Kind: p.Kind, To: p.To, Type: p.Type},
				&RawEdge{From: e.From, Kind: e.Kind, To: e.To, Type: e.Type}) >= 0 {
				return nil, bad("order of edge", i)
			}
		}
		e.siteLo, e.siteHi = lo, hi
		lo = hi
	}
	if int(lo) != len(c.Sites) {
		return nil, bad("sites after edge", len(c.Edges))
	}
	for i := range c.Sites {
		s := &c.Sites[i]
		if s.File < 0 || s.File >= files || s.Line < 0 || s.Col < 0 || s.Keywords < -1 || int(s.Keywords) >= len(c.Keywords) {
			return nil, bad("site", i)
		}
	}
	for i := range c.Unknowns {
		if c.Unknowns[i].Reason >= reasonEnd {
			return nil, bad("unknown", i)
		}
	}
	g.canonical()
	g.index()
	return g, nil
}

// parentCycle returns the index of a node that is its own ancestor, or -1.
func parentCycle(nodes []Node) int {
	const done = -1
	mark := make([]int32, len(nodes)) // 0: not seen; done; else the walk that saw it
	for i := range nodes {
		walk := int32(i + 1)
		n := ID(i)
		for n != None && mark[n] == 0 {
			mark[n] = walk
			n = nodes[n].Parent
		}
		if n != None && mark[n] == walk {
			return i
		}
		for n = ID(i); n != None && mark[n] == walk; n = nodes[n].Parent {
			mark[n] = done
		}
	}
	return -1
}

// SetParent sets the parent of a node that was added before.
func (b *Builder) SetParent(n, parent ID) { b.nodes[n].Parent = parent }
