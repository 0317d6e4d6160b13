package artifact

import (
	"cmp"

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
	edges := e.c.Edges
	var typ column
	degree, kind, how, to, sites := roomFor(len(e.c.Nodes)+len(e.c.Nodes)/8), roomFor(len(edges)), roomFor(len(edges)), roomFor(2*len(edges)), roomFor(len(edges)+len(edges)/8)
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
	typed := 0
	for _, h := range how.b {
		if h&howTyped != 0 {
			typed++
		}
	}
	var degrees, tos, types, siteCounts []uint32
	if err := readNumbers(numberColumn{&degree, len(d.fixed.kind), &degrees}, numberColumn{&to, count, &tos},
		numberColumn{&typ, typed, &types}, numberColumn{&sites, count, &siteCounts}); err != nil {
		return err
	}
	d.edges = makeLarge[graph.Edge](count)
	d.siteEnds = siteCounts // each is read before it is overwritten
	next, end, ok := 0, uint64(0), true
	for n, k := range degrees {
		if uint64(k) > uint64(count-next) {
			return errRange
		}
		last := graph.None // target of the edge before, of the same kind
		for stop := next + int(k); next < stop; next++ {
			x := &d.edges[next]
			h := how.b[next]
			x.From, x.Type = graph.ID(n), graph.None
			x.Kind = graph.EdgeKind(kind.b[next])
			x.Certainty = graph.Certainty(h & howCertainty)
			x.Ptr = h&howPtr != 0
			if h&howTyped != 0 {
				x.Type = graph.ID(natural(int64(n)+unzigzag(types[0]), &ok))
				types = types[1:]
			}
			if last != graph.None && kind.b[next-1] == kind.b[next] {
				last = graph.ID(natural(int64(last)+int64(tos[next]), &ok))
			} else {
				last = graph.ID(natural(int64(n)+unzigzag(tos[next]), &ok))
			}
			x.To = last
			end += uint64(siteCounts[next])
			d.siteEnds[next] = uint32(end)
		}
	}
	if !ok {
		return errRange
	}
	if next != count || end != d.counts.sites {
		return errTrailing
	}
	return nil
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
func siteBase(ref, defLine int32, files int) (file, line int32) {
	if ref >= 1 && int(ref) <= files {
		return ref - 1, defLine
	}
	return -1, 0
}

// encodeSites makes the section of sites, in the order of edges. A file is 0
// when it is the one before (for the first site of an edge: the source's
// file), else its index plus one; lines are relative to the one before in the
// same file, at first to the source's definition.
func (e *encoder) encodeSites() []byte {
	sites := len(e.c.Sites)
	file, line, col, shapeID := roomFor(sites+sites/8), roomFor(2*sites), roomFor(sites+sites/8), roomFor(sites+sites/8)
	var shapes column
	seen, places := map[shape]int32{}, make([]int32, sites) // by shape and by site: when it was first seen
	var count []int
	last, at := shape{}, int32(-1)
	for i := range e.c.Sites {
		s := &e.c.Sites[i]
		if of := (shape{s.Keywords, s.Args, s.Want, s.Flags}); of != last || at < 0 {
			n, ok := seen[of]
			if !ok {
				n = int32(len(count))
				seen[of], count = n, append(count, 0)
			}
			last, at = of, n
		}
		places[i] = at
		count[at]++
	}
	counts := make(map[shape]int, len(count))
	for s, n := range seen {
		counts[s] = count[n]
	}
	ids := make([]uint64, len(count)) // by when it was first seen
	for i, s := range byCount(counts, compareShapes) {
		ids[seen[s]] = uint64(i)
		shapes.int(int64(s.args))
		shapes.int(int64(s.want))
		shapes.byte(byte(s.flags))
		shapes.uint(uint64(s.keywords + 1))
	}
	e.counts.shapes = uint64(len(count))
	next := uint32(0)
	for i := range e.c.Edges {
		from := e.c.Edges[i].From
		f, l := siteBase(e.siteFiles[from], e.c.Nodes[from].DefLine, len(e.c.Files))
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
			shapeID.uint(ids[places[next]])
		}
	}
	return joinColumns(&shapes, &file, &line, &col, &shapeID)
}

func (d *decoder) decodeSites(content []byte) error {
	var shapeCol, file, line, col, shapeID cursor
	if err := splitColumns(content, &shapeCol, &file, &line, &col, &shapeID); err != nil {
		return err
	}
	if d.counts.shapes > uint64(shapeCol.left()) {
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
	count := int(d.counts.sites)
	if count > shapeID.left() {
		return errCount
	}
	d.sites = makeLarge[graph.Site](count)
	// In blocks, so that the numbers stay in the processor's cache.
	const block = 1024
	var files, lines, cols, shapeIDs [block]uint32
	var f, l int32
	edge, left, ok := -1, uint32(0), true // left: sites of the edge
	for lo := 0; lo < count; lo += block {
		sites := d.sites[lo:min(lo+block, count)]
		n := len(sites)
		if err := cmp.Or(file.numbers(files[:n]), line.numbers(lines[:n]),
			col.numbers(cols[:n]), shapeID.numbers(shapeIDs[:n])); err != nil {
			return err
		}
		for i := range sites {
			for left == 0 {
				edge++
				left = d.siteEnds[edge]
				if edge > 0 {
					left -= d.siteEnds[edge-1]
				}
				from := d.edges[edge].From
				f, l = siteBase(d.fixed.file[from], d.fixed.defLine[from], int(d.counts.files))
			}
			left--
			s := &sites[i]
			if ref := files[i]; ref != 0 {
				f, l = natural(int64(ref)-1, &ok), 0
			}
			l = natural(int64(l)+unzigzag(lines[i]), &ok)
			s.File, s.Line, s.Col = f, l, natural(int64(cols[i]), &ok)
			if uint64(shapeIDs[i]) >= uint64(len(shapes)) {
				return errRange
			}
			h := &shapes[shapeIDs[i]]
			s.Args, s.Want, s.Flags, s.Keywords, s.Recv = h.args, h.want, h.flags, h.keywords, graph.None
		}
	}
	if !ok {
		return errRange
	}
	return finish(&shapeCol, &file, &line, &col, &shapeID)
}

// encodeReceivers makes the section of receivers: for each site that has one,
// how far it is behind the one before, and the node.
func (e *encoder) encodeReceivers() []byte {
	var site, recv column
	last := -1
	for i := range e.c.Sites {
		if r := e.c.Sites[i].Recv; r != graph.None {
			site.uint(uint64(i - last))
			recv.uint(uint64(r))
			last = i
		}
	}
	return joinColumns(&site, &recv)
}

func (d *decoder) decodeReceivers(content []byte) error {
	var site, recv cursor
	if err := splitColumns(content, &site, &recv); err != nil {
		return err
	}
	for at := uint64(0); site.left() > 0; {
		n := site.upto(d.counts.sites)
		at += n
		if n == 0 || at > d.counts.sites {
			return errRange
		}
		d.sites[at-1].Recv = graph.ID(recv.natural())
	}
	return finish(&site, &recv)
}
