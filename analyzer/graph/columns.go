package graph

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

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

	// ByTarget is the edges, as positions in Edges, sorted by target, kind and
	// source. Without it FromColumns sorts; with it nobody checks.
	ByTarget []uint32

	index *incidence // nil: FromColumns makes it
}

// incidence says which edges leave and which reach each node.
type incidence struct {
	nodes, files, keywords int // of the graph
	out, in, inIdx         []uint32
	ambiguous              bool // some edge is
}

// IndexEdges checks the edges and their sites and indexes them: the part of
// [FromColumns] that needs of everything else only how many nodes, files and
// lists of keywords there will be. A reader can call it while it still reads
// the nodes. Edges, SiteEnds and Sites must not change any more.
func (c *Columns) IndexEdges(nodes, files, keywords int) error {
	if len(c.SiteEnds) != len(c.Edges) {
		return fmt.Errorf("graph: %d site ends for %d edges", len(c.SiteEnds), len(c.Edges))
	}
	sites := make(chan error, 1)
	go func() { sites <- checkSites(c, ID(nodes), int32(files), int32(min(keywords, math.MaxInt32))) }()
	if err := cmp.Or(checkEdges(c, ID(nodes)), <-sites); err != nil {
		return err
	}
	lo := uint32(0)
	for i, hi := range c.SiteEnds {
		c.Edges[i].siteLo, c.Edges[i].siteHi = lo, hi
		lo = hi
	}
	c.index = indexEdges(nodes, c.Edges, c.ByTarget)
	c.index.files, c.index.keywords = files, keywords
	return nil
}

// Columns returns the graph's content. It shares memory with g. ByTarget is not set:
// who changes the edges would have to change it, too.
func (g *Graph) Columns() Columns {
	ends := make([]uint32, len(g.Edges))
	for i := range g.Edges {
		ends[i] = g.Edges[i].siteHi
	}
	return Columns{Nodes: g.Nodes, Edges: g.Edges, SiteEnds: ends, Sites: g.sites, Files: g.Files, Unknowns: g.Unknowns,
		Skipped: g.Skipped, Keywords: g.Keywords, Tree: g.Tree}
}

// EdgesByTarget returns what [Columns.ByTarget] is. It must not be changed.
func (g *Graph) EdgesByTarget() []uint32 { return g.inIdx }

// FromColumns restores a graph. It checks every invariant that readers rely
// on, because the columns may come from a hostile file, and takes ownership of
// the slices. O(n + m).
func FromColumns(c Columns) (*Graph, error) {
	// Edges and their index are half of the work.
	edges := make(chan error, 1)
	if x := c.index; x != nil && x.nodes == len(c.Nodes) && x.files == len(c.Files) && x.keywords == len(c.Keywords) {
		edges <- nil
	} else {
		go func() { edges <- c.IndexEdges(len(c.Nodes), len(c.Files), len(c.Keywords)) }()
	}
	err := cmp.Or(checkNodes(c.Nodes), checkFiles(&c), checkOthers(&c))
	if err := cmp.Or(<-edges, err); err != nil {
		return nil, err
	}
	g := &Graph{Nodes: c.Nodes, Edges: c.Edges, Files: c.Files, Unknowns: c.Unknowns,
		Skipped: c.Skipped, Keywords: c.Keywords, Tree: c.Tree, sites: c.Sites,
		out: c.index.out, in: c.index.in, inIdx: c.index.inIdx, ambiguous: c.index.ambiguous}
	g.canonical()
	return g, nil
}

func invalid(what string, i int) error { return fmt.Errorf("graph: invalid %s %d", what, i) }

func checkNodes(nodes []Node) error {
	count := ID(len(nodes))
	ordered := true // what contains a node is before it
	for i := range nodes {
		n := &nodes[i]
		ordered = ordered && n.Parent < ID(i)
		if i > 0 && n.Key <= nodes[i-1].Key || n.Parent < None || n.Parent >= count ||
			n.Kind >= kindEnd || n.Visibility >= visibilityEnd || n.Flags&^FlagMask != 0 ||
			n.DefLine|n.Line|n.EndLine|n.Col|n.Tokens|n.Branches < 0 {
			return invalid("node", i)
		}
		for j := range n.Variants {
			if v := &n.Variants[j]; v.DefLine|v.Line|v.EndLine < 0 {
				return invalid("variant of node", i)
			}
		}
	}
	if ordered {
		return nil
	}
	if i := parentCycle(nodes); i >= 0 {
		return invalid("parent of node", i)
	}
	return nil
}

func checkFiles(c *Columns) error {
	for i := range c.Files {
		f := &c.Files[i]
		if i > 0 && f.Path <= c.Files[i-1].Path || f.Node < None || f.Node >= ID(len(c.Nodes)) || f.Size < 0 {
			return invalid("file", i)
		}
	}
	return nil
}

func checkEdges(c *Columns, nodes ID) error {
	for i := range c.Edges {
		e := &c.Edges[i]
		if e.From < 0 || e.From >= nodes || e.To < 0 || e.To >= nodes || e.Type < None || e.Type >= nodes ||
			e.Kind == EdgeContains || e.Kind >= edgeKindEnd || e.Certainty >= certaintyEnd {
			return invalid("edge", i)
		}
		if i == 0 {
			continue
		}
		p := &c.Edges[i-1]
		if p.From == e.From && p.Kind == e.Kind && p.To == e.To && p.Type < e.Type {
			continue
		}
		if p.From > e.From || p.From == e.From && (p.Kind > e.Kind || p.Kind == e.Kind && p.To >= e.To) {
			return invalid("order of edge", i)
		}
	}
	return nil
}

func checkSites(c *Columns, nodes ID, files, keywords int32) error {
	for i := range c.Sites {
		s := &c.Sites[i]
		if s.File < 0 || s.File >= files || s.Line|s.Col < 0 || s.Args < -1 || s.Want < WantAll ||
			s.Keywords < -1 || s.Keywords >= keywords ||
			s.Recv < None || s.Recv >= nodes {
			return invalid("site", i)
		}
	}
	lo := uint32(0)
	for i, hi := range c.SiteEnds {
		if hi < lo || uint64(hi) > uint64(len(c.Sites)) {
			return invalid("sites of edge", i)
		}
		for k := lo + 1; k < hi; k++ {
			if compareSites(&c.Sites[k-1], &c.Sites[k]) >= 0 {
				return invalid("order of site", int(k))
			}
		}
		lo = hi
	}
	if int(lo) != len(c.Sites) {
		return invalid("sites after edge", len(c.Edges))
	}
	return nil
}

func checkOthers(c *Columns) error {
	for i := range c.Keywords {
		if i > 0 && slices.Compare(c.Keywords[i-1], c.Keywords[i]) >= 0 {
			return invalid("keywords", i)
		}
	}
	for i := range c.Unknowns {
		u := &c.Unknowns[i]
		if u.Reason >= reasonEnd || u.Line|u.EndLine < 0 || u.Count < 1 ||
			i > 0 && compareUnknowns(c.Unknowns[i-1], *u) > 0 {
			return invalid("unknown", i)
		}
	}
	for i := range c.Skipped {
		s := &c.Skipped[i]
		if i > 0 && s.Lang <= c.Skipped[i-1].Lang || s.Files < 0 || s.Bytes < 0 {
			return invalid("skipped language", i)
		}
	}
	return nil
}

// parentCycle returns the index of a node that is its own ancestor, or -1.
func parentCycle(nodes []Node) int {
	const done = -1
	mark := make([]int32, len(nodes)) // 0: not seen; done; else the walk that saw it
	for i := range nodes {
		if nodes[i].Parent < ID(i) {
			continue // not all nodes of a circle are before the one that contains them
		}
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
