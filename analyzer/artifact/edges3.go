package artifact

import (
	"cmp"

	"github.com/codekg/kg/analyzer/graph"
)

// The sections of edges and sites as files before version 4 have them: in the order
// of the graph. For each node its number of edges; for each edge its target, relative
// to the one before if source and kind are the same, else to the source.

func (d *decoder) decodeEdges3(content []byte) error {
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

func (d *decoder) decodeSites3(content []byte) error {
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
