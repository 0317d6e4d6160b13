// Package search finds declarations by words: what people or programs say
// about code they want to see.
//
// [Build] makes an [Index] of a graph, and of the source of its declarations if
// that is at hand. It is derived from them and can be thrown away; as bytes
// ([Index.Encode], [Decode]) it can be kept. A search has three parts, each
// deterministic:
//
//   - Words: names taken apart where their letters change case, stemmed, ranked
//     by BM25 over weighted fields: name, container, documentation, signature,
//     path, the names of what a declaration uses, and its body.
//   - Vectors: each declaration has a vector made from the repository's own text
//     by random indexing, so that words which occur together are near each
//     other. No model and no network is needed.
//   - Structure: from the best declarations on, over chosen kinds of edges, for
//     some hops. Dispatch is no hop: from a method the walk sees who calls the
//     interface's method that it implements. Each result says at how many hops
//     and from which seed it was found.
package search

import (
	"cmp"
	"math"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// The parameters of BM25, as usual.
const (
	k1 = 1.2
	b  = 0.6
)

const (
	maxQuery   = 64   // words of a question
	vectorPart = 0.05 // of the score that vectors give
	maxKept    = 256  // matches that are brought into order, if no more are asked for; the others are only counted
)

// Index finds declarations of one graph. It may be used by many goroutines.
type Index struct {
	g     *graph.Graph
	docs  []graph.ID // what can be found, by id
	prior []float32  // of a document, see prior
	sizes []uint32   // of a document: the sum of what its words count, in tenths
	norm  []float32  // of a document: k1 × (1 - b + b × size / average)
	terms terms
	post  postings
	vec   *vectors // nil: without
}

// prior is what a kind of declaration is worth: what people look for, and code
// before tests. 0: it is not found.
func prior(n *graph.Node) float32 {
	p := float32(0)
	switch {
	case n.Kind.IsCallable(), n.Kind.IsType():
		p = 1
	case n.Kind == graph.KindPackage, n.Kind == graph.KindRoute:
		p = 0.9
	case n.Kind == graph.KindConstant, n.Kind == graph.KindVariable:
		p = 0.7
	case n.Kind == graph.KindField, n.Kind == graph.KindEnumMember:
		p = 0.5
	}
	if n.Flags.Has(graph.FlagTest) {
		p *= 0.5
	}
	if n.Flags.Has(graph.FlagGenerated) {
		p *= 0.7
	}
	if n.Name == "_" || n.Flags.Has(graph.FlagAnonymous) {
		p = 0
	}
	return p
}

// Request is one search.
type Request struct {
	Text string
	Max  int // seeds; 0: 10
	Hops int // how far structure is followed; 0: not
	// Edges are the kinds that are followed, bits by kind; 0: calls, references,
	// implementations and what makes values.
	Edges uint32
	// Shown says what may be a result; nil: all.
	Shown func(graph.ID) bool
	// MaxFound bounds all results; 0: 100.
	MaxFound int
	// Rank, if it is not nil, may rank the best by other means: it gets them in
	// order and returns a score from 0 to 1 for each.
	Rank func([]graph.ID) ([]float64, error)
}

// Found is one result.
type Found struct {
	Node  graph.ID
	Score float64 // of the best seed 1, falling with hops
	Hop   int     // 0: a seed
	Seed  graph.ID
	Via   graph.ID       // the node before on the way from the seed, or None
	Edge  graph.EdgeKind // between them
	Back  bool           // against the direction of the edge: this one uses Via
}

// Answer is what a search found.
type Answer struct {
	Found []Found
	Total int      // declarations that have one of the words, or were reached
	Words []string // that were looked for, stemmed
	// Unknown are those of them that are nowhere in the repository.
	Unknown []string
}

type scored struct {
	doc   int32
	score float64
}

// Search finds declarations. The order depends on the graph and the request
// alone.
func (x *Index) Search(r Request) (*Answer, error) {
	if r.Max <= 0 {
		r.Max = 10
	}
	if r.MaxFound <= 0 {
		r.MaxFound = 100
	}
	a := &Answer{}
	asked := x.question(r.Text, a)
	scores, best := x.byWords(asked)
	list := x.rank(r, a, asked, scores, best)
	if r.Rank != nil && len(list) > 0 {
		if err := x.rerank(r, list); err != nil {
			return nil, err
		}
	}
	seeds := list[:min(r.Max, len(list))]
	for _, s := range seeds {
		id := x.docs[s.doc]
		a.Found = append(a.Found, Found{Node: id, Score: round(s.score), Seed: id, Via: graph.None})
	}
	if r.Hops > 0 && len(list) > 0 {
		ranked := make(map[int32]float64, len(list))
		for _, s := range list {
			ranked[s.doc] = s.score
		}
		x.expand(r, a, func(id graph.ID) float64 {
			doc, ok := slices.BinarySearch(x.docs, id)
			if !ok {
				return 0
			}
			if s, ok := ranked[int32(doc)]; ok {
				return s
			}
			return scores[doc] / best
		})
	}
	if len(a.Found) > r.MaxFound {
		a.Found = a.Found[:r.MaxFound]
	}
	return a, nil
}

func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// question returns the terms that a text asks for.
func (x *Index) question(text string, a *Answer) []int32 {
	var asked []int32
	seen := map[string]bool{}
	add := func(w string) {
		if seen[w] || len(seen) == maxQuery {
			return
		}
		seen[w] = true
		a.Words = append(a.Words, w)
		if t, ok := x.terms.find(w); ok {
			asked = append(asked, t)
		} else {
			a.Unknown = append(a.Unknown, w)
		}
	}
	words(text, func(w string) bool {
		if w = lower(w); !stopWords[w] {
			add(stem(w))
		}
		return len(seen) < maxQuery
	})
	// Names that were written as one word.
	identifiers(text, func(w string) {
		if _, ok := x.terms.find(w); ok && !stopWords[w] {
			add(w)
		}
	})
	return asked
}

// byWords returns the scores of all documents by BM25, and the best of them.
func (x *Index) byWords(asked []int32) (scores []float64, best float64) {
	scores = make([]float64, len(x.docs))
	for _, t := range asked {
		idf := x.idf(t) * (k1 + 1)
		x.post.each(t, len(x.docs), func(doc int32, tf uint16) {
			f := float64(tf) / 10
			scores[doc] += float64(idf * f / (f + float64(x.norm[doc])))
		})
	}
	for i, s := range scores {
		if s > 0 {
			s *= float64(x.prior[i])
			scores[i], best = s, max(best, s)
		}
	}
	return scores, best
}

// rank returns the best matches in order, the first with a score of 1. Words
// choose them; vectors help with their order.
func (x *Index) rank(r Request, a *Answer, asked []int32, scores []float64, best float64) []scored {
	var list []scored
	for i, s := range scores {
		if s > 0 && (r.Shown == nil || r.Shown(x.docs[i])) {
			list = append(list, scored{int32(i), s / best})
		}
	}
	a.Total = len(list)
	list = highest(list, max(maxKept, r.Max))
	if x.vec != nil && len(asked) > 0 {
		q := x.vec.question(asked, x.idf)
		for i := range list {
			s := &list[i]
			s.score = float64((1-vectorPart)*s.score) + float64(vectorPart*max(x.vec.near(&q, s.doc), 0)*float64(x.prior[s.doc]))
		}
	}
	slices.SortFunc(list, x.compare)
	if len(list) > 0 && list[0].score > 0 {
		top := list[0].score
		for i := range list {
			list[i].score /= top
		}
	}
	return list
}

// highest returns those with the best scores: n, and others with the same score
// as the last of them.
func highest(list []scored, n int) []scored {
	if len(list) <= n {
		return list
	}
	// Twice as many as are wanted are sorted at a time, and only those that are
	// above the least so far.
	least := math.Inf(-1)
	best := make([]float64, 0, 2*n)
	for i := range list {
		if list[i].score < least {
			continue
		}
		if best = append(best, list[i].score); len(best) == 2*n {
			slices.Sort(best)
			best = append(best[:0], best[n:]...)
			least = best[0]
		}
	}
	slices.Sort(best)
	least = best[len(best)-n]
	return slices.DeleteFunc(list, func(s scored) bool { return s.score < least })
}

// compare orders by score, then by kind, then by key.
func (x *Index) compare(p, q scored) int {
	kind := func(s scored) int {
		switch k := x.g.Nodes[x.docs[s.doc]].Kind; {
		case k.IsCallable():
			return 0
		case k.IsType():
			return 1
		case k == graph.KindPackage:
			return 2
		}
		return 3
	}
	return cmp.Or(cmp.Compare(q.score, p.score), cmp.Compare(kind(p), kind(q)), cmp.Compare(p.doc, q.doc))
}

// maxRank is how many results other means rank.
const maxRank = 200

func (x *Index) rerank(r Request, list []scored) error {
	list = list[:min(maxRank, len(list))]
	ids := make([]graph.ID, len(list))
	for i, s := range list {
		ids[i] = x.docs[s.doc]
	}
	scores, err := r.Rank(ids)
	if err != nil {
		return err
	}
	// Reciprocal ranks of both, so that scales do not matter.
	const c = 20
	byOther := make([]int, len(list))
	for i := range byOther {
		byOther[i] = i
	}
	slices.SortStableFunc(byOther, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	for i := range list {
		list[i].score = 1 / float64(c+i)
	}
	for place, i := range byOther {
		list[i].score += 1 / float64(c+place)
	}
	slices.SortFunc(list, x.compare)
	top := list[0].score
	for i := range list {
		list[i].score /= top
	}
	return nil
}
