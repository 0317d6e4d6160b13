package artifact

import (
	"encoding/binary"

	"github.com/codekg/kg/analyzer/graph"
)

// encodeHashes makes the section of the hashes that are not zero, in the order
// of nodes. They do not compress.
func (e *encoder) encodeHashes() []byte {
	count := len(e.c.Nodes)
	doc, body, minHash := roomFor(count*len(graph.DocHash{})), roomFor(count*len(graph.Hash{})), roomFor(count*4*len(graph.MinHash{}))
	for i := range e.c.Nodes {
		n := &e.c.Nodes[i]
		h := e.has(i)
		if h&hasDocHash != 0 {
			doc.bytes(n.DocHash[:])
		}
		if h&hasBody != 0 {
			body.bytes(n.Body[:])
		}
		if h&hasMinHash != 0 {
			for _, v := range n.MinHash {
				minHash.b = binary.LittleEndian.AppendUint32(minHash.b, v)
			}
		}
	}
	return joinColumns(&doc, &body, &minHash)
}

// contentHash is the hash of a file's node: that of the file, cut as all are. It is
// with the files.
func contentHash(f *graph.File) graph.Hash { return graph.Hash(f.Hash[:len(graph.Hash{})]) }

// hashReader restores what encodeHashes wrote.
type hashReader struct {
	version            uint32
	doc, body, minHash cursor
}

func (r *hashReader) open(content []byte) error {
	return splitColumns(content, &r.doc, &r.body, &r.minHash)
}

func (r *hashReader) next(h byte, n *graph.Node) {
	if h&hasDocHash != 0 {
		b := r.doc.bytes(len(n.DocHash))
		copy(n.DocHash[:], b)
		if r.version < 4 {
			r.doc.bytes(len(graph.Hash{}) - len(n.DocHash)) // was longer
		}
	}
	if h&hasBody != 0 {
		copy(n.Body[:], r.body.bytes(len(n.Body)))
	}
	if h&hasMinHash == 0 {
		return
	}
	if r.version < 4 {
		n.MinHash = shortSketch(r.minHash.bytes(8 * len(n.MinHash)))
		return
	}
	b := r.minHash.bytes(4 * len(n.MinHash))
	for j := 0; j < len(n.MinHash) && !r.minHash.bad; j++ {
		n.MinHash[j] = binary.LittleEndian.Uint32(b[4*j:])
	}
}

// shortSketch makes a sketch of one whose values have 4 bits: a shorter value is the
// end of a longer one.
func shortSketch(b []byte) (m graph.MinHash) {
	for i, v := range b {
		m[i/8] |= uint32(v&3|v>>4&3<<2) << (4 * (i % 8))
	}
	return m
}

func (r *hashReader) finish() error { return finish(&r.doc, &r.body, &r.minHash) }

// encodeVariants makes the section of the bodies that build constraints choose
// among.
func (e *encoder) encodeVariants() []byte {
	var size, constraint, file, defLine, line, endLine, sig, body column
	for i := range e.c.Nodes {
		vs := e.c.Nodes[i].Variants
		if len(vs) == 0 {
			continue
		}
		size.uint(uint64(len(vs)))
		e.counts.variants += uint64(len(vs))
		for j := range vs {
			v := &vs[j]
			constraint.uint(e.strings.id(v.Constraint))
			file.uint(uint64(e.fileRef(v.File)))
			line.int(int64(v.Line))
			defLine.int(int64(v.Line) - int64(v.DefLine))
			endLine.int(int64(v.EndLine) - int64(v.Line))
			sig.uint(e.strings.id(v.Signature))
			body.bytes(v.Body[:])
		}
	}
	return joinColumns(&size, &constraint, &file, &line, &defLine, &endLine, &sig, &body)
}

func (d *decoder) decodeVariants(content []byte) error {
	var size, constraint, file, defLine, line, endLine, sig, body cursor
	err := splitColumns(content, &size, &constraint, &file, &line, &defLine, &endLine, &sig, &body)
	if err != nil {
		return err
	}
	if d.counts.variants > uint64(len(constraint.b)) {
		return errCount
	}
	vs := make([]graph.Variant, d.counts.variants)
	for i := range vs {
		v := &vs[i]
		var ok [3]bool
		v.Constraint, ok[0] = d.str(constraint.id())
		v.File, ok[1] = d.path(file.natural())
		v.Line = int32(line.int())
		v.DefLine = int32(int64(v.Line) - defLine.int())
		v.EndLine = int32(int64(v.Line) + endLine.int())
		v.Signature, ok[2] = d.str(sig.id())
		copy(v.Body[:], body.bytes(len(v.Body)))
		if ok != [3]bool{true, true, true} {
			return errRange
		}
	}
	for i, h := range d.fixed.has {
		if h&hasVariants == 0 {
			continue
		}
		n := size.uint()
		if n == 0 || n > uint64(len(vs)) {
			return errRange
		}
		d.nodes[i].Variants, vs = vs[:n:n], vs[n:]
	}
	if len(vs) > 0 {
		return errTrailing
	}
	return finish(&size, &constraint, &file, &line, &defLine, &endLine, &sig, &body)
}
