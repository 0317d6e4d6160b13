package search

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
)

// The size of vectors, how many of the numbers of a declaration's own index
// vector are not zero, and how many words a declaration's vector is made of.
const (
	dimensions = 96
	nonZero    = 8
	tellingMax = 16
)

// vectors place declarations and words so that those with the same company are
// near each other, by random indexing: every declaration has a sparse random
// vector, seeded by its key; a word is the sum of those of the declarations it
// is in; a declaration is the weighted sum of the words that tell most about it.
// All sums are of integers, so that they are the same on every machine.
type vectors struct {
	rows    []int32  // of a term, in terms, or -1
	count   int      // rows
	terms   []int8   // dimensions for each row, the largest is 127
	ends    []uint32 // of a document's telling words
	telling []uint32 // term << 8 | weight
}

// makeVectors makes them of the entries of documents.
func (x *Index) makeVectors(docs [][]entry) *vectors {
	// The index vectors: positions and signs.
	at := make([]uint8, len(x.docs)*nonZero)
	for i, id := range x.docs {
		h := fnv.New64a()
		h.Write([]byte(x.g.Nodes[id].Key))
		r := rand.New(rand.NewPCG(h.Sum64(), 0))
		for j := range nonZero {
			at[i*nonZero+j] = uint8(r.IntN(dimensions)<<1 | r.IntN(2))
		}
	}
	logs := make([]int32, 1024) // 256 × log(1 + tf)
	for tf := range logs {
		logs[tf] = logOf(tf)
	}
	log := func(tf uint16) int32 {
		if int(tf) < len(logs) {
			return logs[tf]
		}
		return logOf(int(tf))
	}
	v := &vectors{ends: make([]uint32, len(x.docs))}
	v.number(x.post.df)
	v.terms = make([]int8, v.count*dimensions)
	idf := make([]float64, x.terms.count())
	for t := range idf {
		if v.rows[t] < 0 {
			continue
		}
		idf[t] = x.idf(int32(t))
		var row [dimensions]int64
		x.post.each(int32(t), len(x.docs), func(doc int32, tf uint16) {
			w := int64(log(tf))
			for _, c := range at[int(doc)*nonZero:][:nonZero] {
				if c&1 == 0 {
					row[c>>1] += w
				} else {
					row[c>>1] -= w
				}
			}
		})
		shrink(&row, v.of(int32(t)))
	}
	// What tells most about a document; of equals, what comes first in it.
	type worth struct {
		term  int32
		value float64
	}
	for doc := range docs {
		var best [tellingMax + 1]worth
		n := 0
		for _, e := range docs[doc] {
			w := worth{e.term, idf[e.term] * float64(log(e.tf))}
			if w.value == 0 || n == tellingMax && w.value <= best[n-1].value {
				continue
			}
			i := n
			for ; i > 0 && best[i-1].value < w.value; i-- {
				best[i] = best[i-1]
			}
			best[i] = w
			n = min(n+1, tellingMax)
		}
		for _, w := range best[:n] {
			v.telling = append(v.telling, uint32(w.term)<<8|uint32(min(w.value/64, 255)))
		}
		v.ends[doc] = uint32(len(v.telling))
	}
	v.telling = slices.Clip(v.telling)
	return v
}

// number gives a row to each word that several declarations have. The others
// have no company.
func (v *vectors) number(df []uint32) {
	v.rows, v.count = make([]int32, len(df)), 0
	for t, n := range df {
		v.rows[t] = -1
		if n > 1 {
			v.rows[t] = int32(v.count)
			v.count++
		}
	}
}

// of returns the vector of a term, if it has one.
func (v *vectors) of(term int32) []int8 {
	row := int(v.rows[term])
	if row < 0 {
		return nil
	}
	return v.terms[row*dimensions:][:dimensions]
}

func logOf(tf int) int32 { return int32(math.Round(256 * math.Log1p(float64(tf)/10))) }

// shrink scales a row so that its largest number is 127.
func shrink(row *[dimensions]int64, into []int8) {
	most := int64(0)
	for _, c := range row {
		most = max(most, c, -c)
	}
	if most == 0 {
		return
	}
	for d, c := range row {
		into[d] = int8(c * 127 / most)
	}
}

// vector is a direction.
type vector struct {
	row    [dimensions]int64
	length float64
}

func (v *vectors) sum(q *vector, term int32, weight int64) {
	for d, c := range v.of(term) {
		q.row[d] += weight * int64(c)
	}
}

func (q *vector) measure() {
	sum := int64(0)
	for _, c := range q.row {
		sum += c * c
	}
	q.length = math.Sqrt(float64(sum))
}

// question is the vector of some terms.
func (v *vectors) question(asked []int32, idf func(int32) float64) (q vector) {
	for _, t := range asked {
		v.sum(&q, t, int64(math.Round(16*idf(t))))
	}
	q.measure()
	return q
}

// near returns the cosine of a document to a question.
func (v *vectors) near(q *vector, doc int32) float64 {
	lo := uint32(0)
	if doc > 0 {
		lo = v.ends[doc-1]
	}
	var d vector
	for _, w := range v.telling[lo:v.ends[doc]] {
		v.sum(&d, int32(w>>8), int64(w&0xff))
	}
	d.measure()
	dot := int64(0)
	for i, c := range q.row {
		dot += c * d.row[i]
	}
	if length := q.length * d.length; length > 0 {
		return float64(dot) / length
	}
	return 0
}

// Similarity returns how near two vectors of a model are by their cosine, from 0 to
// 1. What only one of them has does not count.
func Similarity(a, b []float64) float64 {
	var ab, aa, bb float64
	for i := range min(len(a), len(b)) {
		ab += a[i] * b[i]
		aa += a[i] * a[i]
		bb += b[i] * b[i]
	}
	if aa == 0 || bb == 0 {
		return 0.5
	}
	return (ab/math.Sqrt(aa*bb) + 1) / 2
}
