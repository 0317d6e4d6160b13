package search

import (
	"encoding/binary"
	"math"
	"math/bits"
	"sort"
)

// terms are the words of an index, sorted; a term is known by its position.
type terms struct {
	ends []uint32
	text string // one after the other
}

func (t *terms) count() int { return len(t.ends) }

func (t *terms) at(i int) string {
	lo := uint32(0)
	if i > 0 {
		lo = t.ends[i-1]
	}
	return t.text[lo:t.ends[i]]
}

// find returns the position of a word. O(log n).
func (t *terms) find(w string) (int32, bool) {
	i := sort.Search(t.count(), func(i int) bool { return t.at(i) >= w })
	return int32(i), i < t.count() && t.at(i) == w
}

// postings say for each term in which documents it is, and how much it counts
// there. They stay packed: a search unpacks those of its few words.
type postings struct {
	ends []uint32 // of each term, in data
	df   []uint32 // documents with the term
	data []byte   // each: distance to the document before, tf, as varints
}

// pack makes postings of the entries of documents: first it sees how many bytes
// those of each term take, then it writes them there.
func pack(terms int, docs [][]entry) postings {
	p := postings{ends: make([]uint32, terms), df: make([]uint32, terms)}
	next := make([]uint32, terms) // the document after the last with a term
	for doc, list := range docs {
		for _, e := range list {
			p.df[e.term]++
			p.ends[e.term] += uint32(varintSize(uint32(doc)-next[e.term]) + varintSize(uint32(e.tf)))
			next[e.term] = uint32(doc) + 1
		}
	}
	at := make([]uint32, terms)
	sum := uint32(0)
	for t, size := range p.ends {
		at[t] = sum
		sum += size
		p.ends[t] = sum
	}
	clear(next)
	p.data = make([]byte, sum)
	for doc, list := range docs {
		for _, e := range list {
			n := binary.PutUvarint(p.data[at[e.term]:], uint64(uint32(doc)-next[e.term]))
			n += binary.PutUvarint(p.data[at[e.term]+uint32(n):], uint64(e.tf))
			at[e.term] += uint32(n)
			next[e.term] = uint32(doc) + 1
		}
	}
	return p
}

// varintSize is how many bytes a number takes: 7 bits in each.
func varintSize(n uint32) int { return (bits.Len32(n|1) + 6) / 7 }

// each calls f for the documents of a term, in order. What is damaged ends it.
func (p *postings) each(t int32, docs int, f func(doc int32, tf uint16)) {
	lo := uint32(0)
	if t > 0 {
		lo = p.ends[t-1]
	}
	data := p.data[lo:p.ends[t]]
	next := uint64(0)
	for len(data) > 0 {
		gap, tf := uint64(data[0]), uint64(0)
		n := 1
		if gap >= 0x80 {
			if gap, n = binary.Uvarint(data); n <= 0 {
				return
			}
		}
		data = data[n:]
		if tf, n = binary.Uvarint(data); n <= 0 || gap > math.MaxUint32 || tf > math.MaxUint16 {
			return
		}
		data = data[n:]
		if next += gap; next >= uint64(docs) {
			return
		}
		f(int32(next), uint16(tf))
		next++
	}
}

// idf is what a term is worth: the fewer documents have it the more.
func (x *Index) idf(t int32) float64 {
	n := float64(x.post.df[t])
	return math.Log(1 + (float64(len(x.docs))-n+0.5)/(n+0.5))
}

// lengths makes norm of the sizes of documents.
func (x *Index) lengths() {
	sum := 0.0
	for _, n := range x.sizes {
		sum += float64(n)
	}
	average := max(sum/float64(max(len(x.sizes), 1)), 1)
	x.norm = make([]float32, len(x.sizes))
	for i, n := range x.sizes {
		x.norm[i] = float32(k1 * (1 - b + b*(float64(n)/average)))
	}
}
