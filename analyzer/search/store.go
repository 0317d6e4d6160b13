package search

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"

	"github.com/codekg/kg/analyzer/graph"
)

// An index as bytes, for a cache of this machine:
//
//	magic, checksum of what follows
//	the digest of the tree, the number of nodes
//	lists of uint32, each with its length: docs, lengths of documents, ends of
//	terms, documents with a term, ends of postings, ends of telling words,
//	telling words
//	texts of bytes, each with its length: terms, postings, vectors of terms that
//	several declarations have
//
// All numbers are little endian. Another version of kg has another magic, or
// keeps its indexes elsewhere.

const storeMagic = "kg search 1\n"

var (
	errStored     = errors.New("search: not a stored index, or a damaged one")
	errOtherGraph = errors.New("search: the index of another graph")
	castagnoli    = crc32.MakeTable(crc32.Castagnoli)
)

// Encode returns the index as bytes, for [Decode].
func (x *Index) Encode() []byte {
	v := x.vec
	if v == nil {
		v = &vectors{}
	}
	docs := make([]uint32, len(x.docs))
	for i, id := range x.docs {
		docs[i] = uint32(id)
	}
	lists := [...][]uint32{docs, x.sizes, x.terms.ends, x.post.df, x.post.ends, v.ends, v.telling}
	size := len(x.terms.text) + len(x.post.data) + len(v.terms) + 100
	for _, l := range lists {
		size += 4 + 4*len(l)
	}
	b := append(make([]byte, 0, size), storeMagic...)
	b = append(b, 0, 0, 0, 0)
	b = append(b, x.g.Tree[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(x.g.Nodes)))
	for _, l := range lists {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(l)))
		for _, n := range l {
			b = binary.LittleEndian.AppendUint32(b, n)
		}
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(x.terms.text)))
	b = append(b, x.terms.text...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(x.post.data)))
	b = append(b, x.post.data...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(v.terms)))
	for _, c := range v.terms {
		b = append(b, byte(c))
	}
	binary.LittleEndian.PutUint32(b[len(storeMagic):], crc32.Checksum(b[len(storeMagic)+4:], castagnoli))
	return b
}

// Decode restores an index of g. What is damaged, or of another
// graph, is an error; then [Build] makes the index again.
func Decode(g *graph.Graph, data []byte) (*Index, error) {
	const head = len(storeMagic) + 4
	if len(data) < head || string(data[:len(storeMagic)]) != storeMagic ||
		crc32.Checksum(data[head:], castagnoli) != binary.LittleEndian.Uint32(data[len(storeMagic):]) {
		return nil, errStored
	}
	r := stored{rest: data[head:]}
	tree, nodes := r.take(len(g.Tree)), r.number()
	if r.bad || string(tree) != string(g.Tree[:]) || int(nodes) != len(g.Nodes) {
		return nil, errOtherGraph
	}
	x := &Index{g: g, vec: &vectors{}}
	docs := r.list()
	x.sizes = r.list()
	x.terms.ends, x.post.df, x.post.ends = r.list(), r.list(), r.list()
	x.vec.ends, x.vec.telling = r.list(), r.list()
	x.terms.text = string(r.take(int(r.number())))
	x.post.data = bytes.Clone(r.take(int(r.number())))
	vecs := r.take(int(r.number()))
	x.vec.terms = make([]int8, len(vecs))
	for i, c := range vecs {
		x.vec.terms[i] = int8(c)
	}
	if r.bad || len(r.rest) > 0 || !x.restore(docs) {
		return nil, errStored
	}
	return x, nil
}

// restore makes what follows from the stored lists, and checks what a search
// relies on.
func (x *Index) restore(docs []uint32) bool {
	n := x.terms.count()
	if len(x.sizes) != len(docs) || len(x.post.df) != n || len(x.post.ends) != n ||
		!ends(x.terms.ends, len(x.terms.text)) || !ends(x.post.ends, len(x.post.data)) {
		return false
	}
	x.docs, x.prior = make([]graph.ID, len(docs)), make([]float32, len(docs))
	for i, id := range docs {
		if int64(id) >= int64(len(x.g.Nodes)) || i > 0 && id <= docs[i-1] {
			return false
		}
		x.docs[i], x.prior[i] = graph.ID(id), prior(&x.g.Nodes[id])
	}
	x.lengths()
	if len(x.vec.ends) == 0 && len(docs) > 0 {
		x.vec = nil
		return true
	}
	x.vec.number(x.post.df)
	if len(x.vec.ends) != len(docs) || !ends(x.vec.ends, len(x.vec.telling)) || len(x.vec.terms) != x.vec.count*dimensions {
		return false
	}
	for _, w := range x.vec.telling {
		if int(w>>8) >= n {
			return false
		}
	}
	return true
}

// ends reports whether a list has the ends of the parts of something of a size.
func ends(list []uint32, size int) bool {
	last := uint32(0)
	for _, e := range list {
		if e < last {
			return false
		}
		last = e
	}
	return int64(last) == int64(size)
}

// stored reads what Encode has written. After the end everything is empty.
type stored struct {
	rest []byte
	bad  bool
}

func (r *stored) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.bad, r.rest = true, nil
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *stored) number() uint32 {
	b := r.take(4)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

func (r *stored) list() []uint32 {
	n := r.number()
	if n > math.MaxInt32 || 4*int64(n) > int64(len(r.rest)) {
		r.take(-1)
		return nil
	}
	b := r.take(4 * int(n))
	list := make([]uint32, n)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return list
}
