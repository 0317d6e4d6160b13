package artifact

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// The column "how" of edges.
const (
	howCertainty = 3 // mask
	howPtr       = 1 << 2
	howTyped     = 1 << 3
)

// edgeChunk is how many sources are written together: so many that few targets are
// named anew, and so few that their edges and sites stay in the processor's cache
// while a reader puts them in the order of a graph.
const edgeChunk = 1 << 12

// edgeOrder is the order in which edges and their sites are written: by chunks of
// sources, then by kind, target and source. So what many places use stands together,
// and places that use the same thing are alike: in the sources, which are close to
// each other, in the columns of their sites, and in their shapes.
//
// The edges of a graph are sorted by source. Those of a chunk are sorted by target and
// then by kind, digit by digit (LSD radix sort), in what the processor's cache holds.
func edgeOrder(g *graph.Graph) []uint32 {
	const (
		digit = 11           // bits
		mask  = 1<<digit - 1 // of a digit
		kind  = 3 * digit    // the bits of a key before it: the target
	)
	type keyed struct {
		key  uint64
		edge uint32
	}
	shifts := []int{}
	for shift := 0; shift < bits.Len(uint(len(g.Nodes))); shift += digit {
		shifts = append(shifts, shift)
	}
	shifts = append(shifts, kind)
	order := make([]uint32, 0, len(g.Edges))
	var a, b []keyed
	for lo := 0; lo < len(g.Edges); {
		end := g.Edges[lo].From/edgeChunk*edgeChunk + edgeChunk
		a = a[:0]
		for i := lo; i < len(g.Edges) && g.Edges[i].From < end; i++ {
			e := &g.Edges[i]
			a = append(a, keyed{uint64(e.Kind)<<kind | uint64(e.To), uint32(i)})
		}
		lo += len(a)
		b = slices.Grow(b[:0], len(a))[:len(a)]
		for _, shift := range shifts {
			var next [mask + 1]uint32
			for _, k := range a {
				next[k.key>>shift&mask]++
			}
			at := uint32(0)
			for i, n := range next {
				next[i], at = at, at+n
			}
			for _, k := range a {
				d := k.key >> shift & mask
				b[next[d]] = k
				next[d]++
			}
			a, b = b, a
		}
		for _, k := range a {
			order = append(order, k.edge)
		}
	}
	return order
}

// encodeEdges makes the section of edges. For each chunk the number of kinds; for each
// kind the number of its targets; for each target the distance to the one before and
// the number of its edges; for each edge its source, relative to the one before, the
// first to the target.
func (e *encoder) encodeEdges() []byte {
	edges := e.c.Edges
	var kind, typ column
	targets := len(e.c.Nodes) + len(e.c.Nodes)/2
	target, count, from, how, sites := roomFor(2*targets), roomFor(targets), roomFor(2*len(edges)), roomFor(len(edges)), roomFor(len(edges)+len(edges)/8)
	lastType := graph.ID(0)
	at := 0
	for chunk := graph.ID(0); int(chunk) < len(e.c.Nodes); chunk += edgeChunk {
		var kinds column
		n := 0
		for at < len(e.order) && edges[e.order[at]].From < chunk+edgeChunk {
			k, groups, lastTo := edges[e.order[at]].Kind, 0, graph.ID(0)
			for at < len(e.order) && edges[e.order[at]].Kind == k && edges[e.order[at]].From < chunk+edgeChunk {
				to, first := edges[e.order[at]].To, at
				target.uint(uint64(to - lastTo))
				lastTo = to
				groups++
				last := graph.None
				for ; at < len(e.order); at++ {
					i := e.order[at]
					x := &edges[i]
					if x.To != to || x.Kind != k || x.From >= chunk+edgeChunk {
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
			kinds.byte(byte(k))
			kinds.uint(uint64(groups))
			n++
		}
		kind.uint(uint64(n))
		kind.bytes(kinds.b)
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

// edgeRun is the edges of one kind from the sources of one chunk.
type edgeRun struct {
	kind   graph.EdgeKind
	chunk  graph.ID // the first source
	groups []uint32 // by target: the target, then where its edges end, in the order of the file
	sizes  []uint32
	start  uint32
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
	var runs []edgeRun
	var ends []int // by run: where its groups end
	groups := 0
	for chunk := 0; chunk < nodes; chunk += edgeChunk {
		last := -1
		for range kind.upto(uint64(graph.EdgeKindCount)) {
			k := int(kind.byte())
			groups += int(kind.upto(uint64(min(n, target.left()) - groups)))
			if kind.bad || k <= last {
				return errRange
			}
			last = k
			runs, ends = append(runs, edgeRun{kind: graph.EdgeKind(k), chunk: graph.ID(chunk)}), append(ends, groups)
		}
	}
	if err := finish(&kind); err != nil {
		return err
	}
	var targets, counts, froms, types, siteCounts []uint32
	if err := readNumbers(numberColumn{&target, groups, &targets}, numberColumn{&count, groups, &counts},
		numberColumn{&from, n, &froms}, numberColumn{&typ, typed, &types}, numberColumn{&sites, n, &siteCounts}); err != nil {
		return err
	}
	next := make([]uint32, nodes+1) // by source: where its next edge goes
	in := make([]uint32, nodes+1)   // by target: where its next edge is listed
	group, at := 0, 0
	for i := range runs {
		r := &runs[i]
		r.groups, r.sizes, r.start = targets[group:ends[i]], counts[group:ends[i]], uint32(at)
		group = ends[i]
		lo, hi := int64(r.chunk), min(int64(r.chunk)+edgeChunk, int64(nodes))
		to := int64(0)
		for j, delta := range r.groups {
			to += int64(delta)
			size := int(r.sizes[j])
			if to >= int64(nodes) || size > n-at || j > 0 && delta == 0 {
				return errRange
			}
			r.groups[j] = uint32(to)
			in[to+1] += uint32(size)
			last := to
			for k, v := range froms[at : at+size] {
				if k == 0 {
					last += unzigzag(v)
				} else {
					last += int64(v)
				}
				if last < lo || last >= hi {
					return errRange
				}
				froms[at+k] = uint32(last)
				next[last+1]++
			}
			at += size
		}
	}
	if at != n {
		return errTrailing
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
		in[i] += in[i-1]
	}
	d.edges, d.siteEnds = makeLarge[graph.Edge](n), makeLarge[uint32](n)
	places := makeLarge[uint32](n) // by the order of the file: where the edge is in the graph
	at, lastType, ok := 0, int32(0), true
	for i := range runs {
		r := &runs[i]
		for j, to := range r.groups {
			for range r.sizes[j] {
				place := next[froms[at]]
				next[froms[at]]++
				x, h := &d.edges[place], how.b[at]
				x.From, x.To, x.Type, x.Kind = graph.ID(froms[at]), graph.ID(to), graph.None, r.kind
				x.Certainty, x.Ptr = graph.Certainty(h&howCertainty), h&howPtr != 0
				if h&howTyped != 0 {
					lastType = natural(int64(lastType)+unzigzag(types[0]), &ok)
					x.Type, types = graph.ID(lastType), types[1:]
				}
				d.siteEnds[place], places[at] = siteCounts[at], place
				at++
			}
		}
	}
	end := uint64(0)
	for i, k := range d.siteEnds {
		end += uint64(k)
		d.siteEnds[i] = uint32(end)
	}
	if !ok || end > d.counts.sites {
		return errRange
	}
	if end != d.counts.sites {
		return errTrailing
	}
	// Of one kind the sources of a target ascend with the chunks.
	d.byTarget = makeLarge[uint32](n)
	for k := graph.EdgeKind(0); int(k) < graph.EdgeKindCount; k++ {
		for i := range runs {
			r := &runs[i]
			if r.kind != k {
				continue
			}
			from := places[r.start:]
			for j, to := range r.groups {
				size := r.sizes[j]
				copy(d.byTarget[in[to]:in[to]+size], from)
				in[to], from = in[to]+size, from[size:]
			}
		}
	}
	for i, place := range places {
		places[i] = d.siteEnds[place] - siteCounts[i]
	}
	d.siteStarts, d.siteCounts, d.siteSources = places, siteCounts, froms
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
