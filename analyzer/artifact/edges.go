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

// edgeOrder is the order in which edges and their sites are written: by kind,
// target and source. So what many places use stands together, and places that use
// the same thing are alike: in the sources, which are close to each other, in the
// columns of their sites, and in their shapes.
func edgeOrder(g *graph.Graph) []uint32 {
	var next [graph.EdgeKindCount + 1]uint32
	for i := range g.Edges {
		next[g.Edges[i].Kind+1]++
	}
	for k := 1; k < len(next); k++ {
		next[k] += next[k-1]
	}
	order := make([]uint32, len(g.Edges))
	for _, i := range g.EdgesByTarget() {
		k := g.Edges[i].Kind
		order[next[k]] = i
		next[k]++
	}
	return order
}

// encodeEdges makes the section of edges. For each kind the number of its targets;
// for each target the distance to the one before and the number of its edges; for
// each edge its source, relative to the one before, the first to the target.
func (e *encoder) encodeEdges() []byte {
	edges := e.c.Edges
	var kind, typ column
	targets := len(e.c.Nodes) + len(e.c.Nodes)/2
	target, count, from, how, sites := roomFor(2*targets), roomFor(targets), roomFor(2*len(edges)), roomFor(len(edges)), roomFor(len(edges)+len(edges)/8)
	lastType := graph.ID(0)
	for at := 0; at < len(e.order); {
		k, groups, lastTo := edges[e.order[at]].Kind, 0, graph.ID(0)
		for at < len(e.order) && edges[e.order[at]].Kind == k {
			to, first := edges[e.order[at]].To, at
			target.uint(uint64(to - lastTo))
			lastTo = to
			groups++
			last := graph.None
			for ; at < len(e.order); at++ {
				i := e.order[at]
				x := &edges[i]
				if x.To != to || x.Kind != k {
					break
				}
				if at == first {
					from.int(int64(x.From) - int64(to))
				} else {
					from.uint(uint64(x.From - last))
				}
				last = x.From
				h := byte(x.Certainty)
				if x.Ptr {
					h |= howPtr
				}
				if x.Type != graph.None {
					h |= howTyped
					typ.int(int64(x.Type) - int64(lastType))
					lastType = x.Type
				}
				how.byte(h)
				sites.uint(uint64(e.c.SiteEnds[i] - e.firstSite(i)))
			}
			count.uint(uint64(at - first))
		}
		kind.byte(byte(k))
		kind.uint(uint64(groups))
	}
	return joinColumns(&kind, &target, &count, &from, &how, &typ, &sites)
}

// firstSite returns where the sites of an edge begin.
func (e *encoder) firstSite(edge uint32) uint32 {
	if edge == 0 {
		return 0
	}
	return e.c.SiteEnds[edge-1]
}

// edgeGroup is the edges of one kind to one target.
type edgeGroup struct {
	to   graph.ID
	end  uint32 // where they end, in the order of the file
	kind graph.EdgeKind
}

func (d *decoder) decodeEdges(content []byte) error {
	var kind, target, count, from, how, typ, sites cursor
	if err := splitColumns(content, &kind, &target, &count, &from, &how, &typ, &sites); err != nil {
		return err
	}
	n, nodes := len(how.b), len(d.fixed.kind)
	if uint64(n) != d.counts.edges {
		return errCount
	}
	typed := 0
	for _, h := range how.b {
		if h&howTyped != 0 {
			typed++
		}
	}
	var groups []edgeGroup
	for kind.left() > 0 && !kind.bad {
		k, size := graph.EdgeKind(kind.byte()), kind.upto(uint64(min(n, target.left())-len(groups)))
		lo := len(groups)
		if lo > 0 && k <= groups[lo-1].kind {
			return errRange
		}
		groups = append(groups, make([]edgeGroup, size)...)
		for i := range groups[lo:] {
			groups[lo+i].kind = k
		}
	}
	if kind.bad {
		return errRange
	}
	var targets, counts, froms, types, siteCounts []uint32
	if err := readNumbers(numberColumn{&target, len(groups), &targets}, numberColumn{&count, len(groups), &counts},
		numberColumn{&from, n, &froms}, numberColumn{&typ, typed, &types}, numberColumn{&sites, n, &siteCounts}); err != nil {
		return err
	}
	next := make([]uint32, nodes+1) // by source: where its next edge goes
	in := make([]uint32, nodes+1)   // by target: where its next edge is listed
	at, ok := 0, true
	for i := range groups {
		g := &groups[i]
		to := int64(targets[i])
		if i > 0 && groups[i-1].kind == g.kind {
			if to == 0 {
				return errRange
			}
			to += int64(groups[i-1].to)
		}
		size := int(counts[i])
		if to >= int64(nodes) || size > n-at {
			return errRange
		}
		in[to+1] += uint32(size)
		g.to = graph.ID(to)
		last := to
		for j, v := range froms[at : at+size] {
			if j == 0 {
				last += unzigzag(v)
			} else {
				last += int64(v)
			}
			if last < 0 || last >= int64(nodes) {
				return errRange
			}
			froms[at+j] = uint32(last)
			next[last+1]++
		}
		at += size
		g.end = uint32(at)
	}
	if at != n {
		return errTrailing
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
		in[i] += in[i-1]
	}
	// What is written in the order of sources goes through small tables first: edges
	// and sites are large, and so is what it takes to touch them in any order.
	kinds, tos := make([]uint16, n), makeLarge[uint32](n) // kinds with what "how" says
	d.edges, d.siteEnds, d.siteStarts = makeLarge[graph.Edge](n), makeLarge[uint32](n), makeLarge[uint32](n)
	type typedEdge struct {
		place uint32
		typ   graph.ID
	}
	typedEdges := make([]typedEdge, 0, typed)
	at, lastType := 0, int32(0)
	d.byTarget = makeLarge[uint32](n)
	for i := range groups {
		g := &groups[i]
		listed := d.byTarget[in[g.to]:]
		in[g.to] += g.end - uint32(at)
		for j := 0; at < int(g.end); j, at = j+1, at+1 {
			place := next[froms[at]]
			next[froms[at]]++
			listed[j] = place
			kinds[place], tos[place] = uint16(g.kind)<<8|uint16(how.b[at]), uint32(g.to)
			d.siteEnds[place], d.siteStarts[at] = siteCounts[at], place
			if how.b[at]&howTyped != 0 {
				lastType = natural(int64(lastType)+unzigzag(types[0]), &ok)
				typedEdges, types = append(typedEdges, typedEdge{place, graph.ID(lastType)}), types[1:]
			}
		}
	}
	source, end := 0, uint64(0)
	for i := range d.edges {
		for next[source] <= uint32(i) { // where the edges of the source end
			source++
		}
		x, h := &d.edges[i], kinds[i]
		x.From, x.To, x.Type, x.Kind = graph.ID(source), graph.ID(tos[i]), graph.None, graph.EdgeKind(h>>8)
		x.Certainty, x.Ptr = graph.Certainty(h&howCertainty), h&howPtr != 0
		end += uint64(d.siteEnds[i])
		d.siteEnds[i] = uint32(end)
	}
	for _, t := range typedEdges {
		d.edges[t.place].Type = t.typ
	}
	if !ok || end > d.counts.sites {
		return errRange
	}
	if end != d.counts.sites {
		return errTrailing
	}
	for i, place := range d.siteStarts {
		d.siteStarts[i] = d.siteEnds[place] - siteCounts[i]
	}
	d.siteSources, d.siteCounts = froms, siteCounts
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

// encodeSites makes the section of sites, in the order of [edgeOrder]. A file is 0
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
	for _, i := range e.order {
		from := e.c.Edges[i].From
		f, l := siteBase(e.siteFiles[from], e.c.Nodes[from].DefLine, len(e.c.Files))
		for next := e.firstSite(i); next < e.c.SiteEnds[i]; next++ {
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
	shapes, err := d.decodeShapes(&shapeCol)
	if err != nil {
		return err
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
	edge, place, left, ok := 0, uint32(0), uint32(0), true // left: sites of the edge
	for lo := 0; lo < count; lo += block {
		n := min(block, count-lo)
		if err := cmp.Or(file.numbers(files[:n]), line.numbers(lines[:n]),
			col.numbers(cols[:n]), shapeID.numbers(shapeIDs[:n])); err != nil {
			return err
		}
		for i := range n {
			for left == 0 {
				place, left = d.siteStarts[edge], d.siteCounts[edge]
				from := d.siteSources[edge]
				edge++
				f, l = siteBase(d.fixed.file[from], d.fixed.defLine[from], int(d.counts.files))
			}
			s := &d.sites[place]
			place++
			left--
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
	d.siteStarts, d.siteCounts, d.siteSources = nil, nil, nil
	if !ok {
		return errRange
	}
	return finish(&shapeCol, &file, &line, &col, &shapeID)
}

// decodeShapes reads the shapes that sites have.
func (d *decoder) decodeShapes(c *cursor) ([]shape, error) {
	if d.counts.shapes > uint64(c.left()) {
		return nil, errCount
	}
	shapes := make([]shape, d.counts.shapes)
	for i := range shapes {
		s := &shapes[i]
		s.args = int16(c.int())
		s.want = int8(c.int())
		s.flags = graph.SiteFlags(c.byte())
		s.keywords = int32(c.upto(d.counts.keywords)) - 1
	}
	return shapes, nil
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
