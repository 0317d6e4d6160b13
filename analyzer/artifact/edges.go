package artifact

import (
	"cmp"
	"math"

	"github.com/codekg/kg/analyzer/graph"
)

// The column "how" of edges.
const (
	howCertainty = 3 // mask
	howPtr       = 1 << 2
	howTyped     = 1 << 3
)

// encodeEdges makes the section of edges. For each node its number of edges;
// for each edge its target, relative to the one before if source and kind are
// the same, else to the source.
func (e *encoder) encodeEdges() []byte {
	var degree, kind, how, to, typ, sites column
	edges := e.c.Edges
	next, lastEnd := 0, uint32(0)
	for n := range e.c.Nodes {
		first := next
		for next < len(edges) && edges[next].From == graph.ID(n) {
			x := &edges[next]
			kind.byte(byte(x.Kind))
			h := byte(x.Certainty)
			if x.Ptr {
				h |= howPtr
			}
			if x.Type != graph.None {
				h |= howTyped
				typ.int(int64(x.Type) - int64(x.From))
			}
			how.byte(h)
			if next > first && edges[next-1].Kind == x.Kind {
				to.uint(uint64(x.To - edges[next-1].To))
			} else {
				to.int(int64(x.To) - int64(x.From))
			}
			sites.uint(uint64(e.c.SiteEnds[next] - lastEnd))
			lastEnd = e.c.SiteEnds[next]
			next++
		}
		degree.uint(uint64(next - first))
	}
	return joinColumns(&degree, &kind, &how, &to, &typ, &sites)
}

func (d *decoder) decodeEdges(content []byte) error {
	var degree, kind, how, to, typ, sites cursor
	if err := splitColumns(content, &degree, &kind, &how, &to, &typ, &sites); err != nil {
		return err
	}
	count := len(kind.b)
	if uint64(count) != d.counts.edges || len(how.b) != count {
		return errCount
	}
	d.edges = make([]graph.Edge, count)
	d.siteEnds = make([]uint32, count)
	next, end := 0, uint64(0)
	for n := range d.nodes {
		k := degree.uint()
		if k > uint64(count-next) {
			return errRange
		}
		first, last := next, next+int(k)
		for ; next < last; next++ {
			x := &d.edges[next]
			h := how.b[next]
			x.From, x.Type = graph.ID(n), graph.None
			x.Kind = graph.EdgeKind(kind.b[next])
			x.Certainty = graph.Certainty(h & howCertainty)
			x.Ptr = h&howPtr != 0
			if h&howTyped != 0 {
				x.Type = graph.ID(typ.delta(int32(n)))
			}
			if next > first && kind.b[next-1] == kind.b[next] {
				x.To = graph.ID(uint64(d.edges[next-1].To) + to.upto(math.MaxInt32))
			} else {
				x.To = graph.ID(to.delta(int32(n)))
			}
			end += sites.upto(math.MaxUint32)
			if end > d.counts.sites {
				return errRange
			}
			d.siteEnds[next] = uint32(end)
		}
	}
	if next != count || end != d.counts.sites {
		return errTrailing
	}
	kind.i, how.i = count, count
	return finish(&degree, &kind, &how, &to, &typ, &sites)
}

// shape is what a site says about a call. A graph has few different ones.
type shape struct {
	keywords int32
	args     int16
	want     int8
	flags    graph.SiteFlags
}

func compareShapes(a, b shape) int {
	return cmp.Or(cmp.Compare(a.args, b.args), cmp.Compare(a.want, b.want),
		cmp.Compare(a.flags, b.flags), cmp.Compare(a.keywords, b.keywords))
}

// siteBase returns where the sites of an edge from node n are expected: the
// node's file, and the line its definition begins at.
func siteBase(n *graph.Node, ref int32, files int) (file, line int32) {
	if ref >= 1 && int(ref) <= files {
		return ref - 1, n.DefLine
	}
	return -1, 0
}

// encodeSites makes the section of sites, in the order of edges. A file is 0
// when it is the one before (for the first site of an edge: the source's
// file), else its index plus one; lines are relative to the one before in the
// same file, at first to the source's definition.
func (e *encoder) encodeSites() []byte {
	var shapes, file, line, col, shapeID column
	count := map[shape]int{}
	of := func(s *graph.Site) shape { return shape{s.Keywords, s.Args, s.Want, s.Flags} }
	for i := range e.c.Sites {
		count[of(&e.c.Sites[i])]++
	}
	id := make(map[shape]uint64, len(count))
	for i, s := range byCount(count, compareShapes) {
		id[s] = uint64(i)
		shapes.int(int64(s.args))
		shapes.int(int64(s.want))
		shapes.byte(byte(s.flags))
		shapes.uint(uint64(s.keywords + 1))
	}
	e.counts.shapes = uint64(len(count))
	next := uint32(0)
	for i := range e.c.Edges {
		from := e.c.Edges[i].From
		f, l := siteBase(&e.c.Nodes[from], e.nodeFiles[from], len(e.c.Files))
		for ; next < e.c.SiteEnds[i]; next++ {
			s := &e.c.Sites[next]
			if s.File == f {
				file.uint(0)
			} else {
				file.uint(uint64(s.File) + 1)
				f, l = s.File, 0
			}
			line.int(int64(s.Line) - int64(l))
			l = s.Line
			col.uint(uint64(s.Col))
			shapeID.uint(id[of(s)])
		}
	}
	return joinColumns(&shapes, &file, &line, &col, &shapeID)
}

func (d *decoder) decodeSites(content []byte) error {
	var shapeCol, file, line, col, shapeID cursor
	if err := splitColumns(content, &shapeCol, &file, &line, &col, &shapeID); err != nil {
		return err
	}
	if d.counts.sites > uint64(len(col.b)) || d.counts.shapes > uint64(len(shapeCol.b)) {
		return errCount
	}
	shapes := make([]shape, d.counts.shapes)
	for i := range shapes {
		s := &shapes[i]
		s.args = int16(shapeCol.int())
		s.want = int8(shapeCol.int())
		s.flags = graph.SiteFlags(shapeCol.byte())
		s.keywords = int32(shapeCol.upto(d.counts.keywords)) - 1
	}
	sites := make([]graph.Site, d.counts.sites)
	d.sites = sites
	files := d.counts.files
	next := uint32(0)
	for i := range d.edges {
		from := d.edges[i].From
		f, l := siteBase(&d.nodes[from], d.nodeFiles[from], int(files))
		for ; next < d.siteEnds[i]; next++ {
			s := &sites[next]
			if ref := file.upto(files); ref != 0 {
				f, l = int32(ref)-1, 0
			}
			l = line.delta(l)
			s.File, s.Line, s.Col = f, l, col.natural()
			id := shapeID.uint()
			if id >= uint64(len(shapes)) {
				return errRange
			}
			h := &shapes[id]
			s.Args, s.Want, s.Flags, s.Keywords = h.args, h.want, h.flags, h.keywords
		}
	}
	return finish(&shapeCol, &file, &line, &col, &shapeID)
}
