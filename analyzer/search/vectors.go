package search

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// The size of vectors, and how many of the numbers of a declaration's own index
// vector are not zero.
const (
	dimensions = 96
	nonZero    = 8
)

// vectors place declarations and words so that those with the same company are
// near each other, by random indexing: every declaration has a sparse random
// vector, seeded by its key; a word is the sum of those of the declarations it
// is in; a declaration is the weighted sum of its words.
type vectors struct {
	terms []float32 // dimensions for each term, of length 1
	docs  []int8    // dimensions for each document, scaled to 127
}

func (x *Index) makeVectors() *vectors {
	v := &vectors{terms: make([]float32, len(x.terms)*dimensions), docs: make([]int8, len(x.docs)*dimensions)}
	// The index vectors: positions and signs.
	at := make([]uint16, len(x.docs)*nonZero)
	for i, id := range x.docs {
		h := fnv.New64a()
		h.Write([]byte(x.g.Nodes[id].Key))
		r := rand.New(rand.NewPCG(h.Sum64(), 0))
		for j := range nonZero {
			at[i*nonZero+j] = uint16(r.IntN(dimensions)<<1 | r.IntN(2))
		}
	}
	lo := uint32(0)
	for t, hi := range x.ends {
		row := v.terms[t*dimensions : (t+1)*dimensions]
		for _, p := range x.post[lo:hi] {
			w := float32(math.Log1p(float64(p.tf)))
			for _, c := range at[int(p.doc)*nonZero : int(p.doc+1)*nonZero] {
				if c&1 == 0 {
					row[c>>1] += w
				} else {
					row[c>>1] -= w
				}
			}
		}
		normalize(row)
		lo = hi
	}
	// Documents: their postings are by term, so all sums are kept at once.
	sums := make([]float32, len(x.docs)*dimensions)
	lo = 0
	for t, hi := range x.ends {
		row := v.terms[t*dimensions : (t+1)*dimensions]
		for _, p := range x.post[lo:hi] {
			w := x.idf[t] * float32(math.Log1p(float64(p.tf)))
			sum := sums[int(p.doc)*dimensions : int(p.doc+1)*dimensions]
			for d, c := range row {
				sum[d] += w * c
			}
		}
		lo = hi
	}
	for i := range x.docs {
		row := sums[i*dimensions : (i+1)*dimensions]
		normalize(row)
		for d, c := range row {
			v.docs[i*dimensions+d] = int8(math.Round(float64(c) * 127))
		}
	}
	return v
}

func normalize(row []float32) {
	sum := 0.0
	for _, c := range row {
		sum += float64(c) * float64(c)
	}
	if sum == 0 {
		return
	}
	scale := float32(1 / math.Sqrt(sum))
	for d := range row {
		row[d] *= scale
	}
}

// near returns a function that tells the cosine of a document to a question.
func (v *vectors) near(terms []int32, idf []float32) func(doc int) float32 {
	var q [dimensions]float32
	for _, t := range terms {
		for d, c := range v.terms[int(t)*dimensions : int(t+1)*dimensions] {
			q[d] += idf[t] * c
		}
	}
	normalize(q[:])
	var small [dimensions]int32
	for d, c := range q {
		small[d] = int32(math.Round(float64(c) * 127))
	}
	return func(doc int) float32 {
		row := v.docs[doc*dimensions:][:dimensions]
		var sum int32
		for d := range small {
			sum += small[d] * int32(row[d])
		}
		return float32(sum) / (127 * 127)
	}
}
