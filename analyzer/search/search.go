// Package search finds declarations by words: what people or programs say
// about code they want to see.
//
// [Build] makes an [Index] of a graph, and of the source of its declarations if
// that is at hand. It is derived from them and can be thrown away. A search has
// three parts, each deterministic:
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

// The weights of fields: what one word in it counts.
const (
	weightName      = 4.0
	weightWhole     = 3.0 // the whole name as one word
	weightContainer = 1.5
	weightDoc       = 2.0
	weightSignature = 1.0
	weightPath      = 0.6
	weightUses      = 0.4
	weightBody      = 0.6
)

// The parameters of BM25, as usual.
const (
	k1 = 1.2
	b  = 0.6
)

const (
	maxUses    = 60   // names of used declarations that are words of a declaration
	maxWords   = 1500 // words of one field
	maxQuery   = 64   // words of a question
	vectorPart = 0.05 // of the score that vectors give
)

// Options say what is in an index.
type Options struct {
	// Body returns the source of a declaration; nil: bodies are not searched.
	Body func(graph.ID) string
	// NoDocs leaves documentation out, for measurements.
	NoDocs bool
	// NoVectors leaves vectors out.
	NoVectors bool
}

// Index finds declarations of one graph. It may be used by many goroutines.
type Index struct {
	g     *graph.Graph
	docs  []graph.ID // what can be found
	prior []float32
	terms map[string]int32
	ends  []uint32 // of a term's postings
	post  []posting
	idf   []float32
	norm  []float32 // of a document: k1 × (1 - b + b × length / average)
	vec   *vectors
}

type posting struct {
	doc int32
	tf  float32
}

// Build makes an index. O(text).
func Build(g *graph.Graph, o Options) *Index {
	x := &Index{g: g, terms: map[string]int32{}}
	stems := newStemmer()
	type raw struct {
		term, doc int32
		tf        float32
	}
	var all []raw
	var lengths []float32
	var sum float64
	counts := map[int32]float32{}
	var order []int32
	word := func(w string, weight float32) {
		t, ok := x.terms[w]
		if !ok {
			t = int32(len(x.terms))
			x.terms[w] = t
		}
		if _, ok := counts[t]; !ok {
			order = append(order, t)
		}
		counts[t] += weight
	}
	field := func(text string, weight float32) {
		n := 0
		words(text, func(w string) bool {
			if n++; n > maxWords {
				return false
			}
			word(stems.stem(w), weight)
			return true
		})
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		p := prior(n)
		if p == 0 {
			continue
		}
		id := graph.ID(i)
		clear(counts)
		order = order[:0]
		field(n.Name, weightName)
		word(lower(n.Name), weightWhole)
		if n.Parent != graph.None {
			field(g.Nodes[n.Parent].Name, weightContainer)
		}
		if !o.NoDocs {
			field(n.Doc, weightDoc)
		}
		for _, ps := range [][]graph.Param{n.Signature.Params, n.Signature.Results} {
			for _, p := range ps {
				field(p.Name, weightSignature)
				field(typeName(p.Type), weightSignature)
			}
		}
		field(typeName(n.Signature.Type), weightSignature)
		field(n.File, weightPath)
		last := graph.None
		for j, e := range g.Out(id) {
			if j == maxUses {
				break
			}
			if e.To != last && e.Kind != graph.EdgeImports {
				field(g.Nodes[e.To].Name, weightUses)
			}
			last = e.To
		}
		if o.Body != nil && (n.Kind.IsCallable() || n.Kind.IsType()) {
			field(o.Body(id), weightBody)
		}
		doc := int32(len(x.docs))
		length := float32(0)
		for _, t := range order {
			all = append(all, raw{t, doc, counts[t]})
			length += counts[t]
		}
		x.docs, x.prior = append(x.docs, id), append(x.prior, p)
		lengths = append(lengths, length)
		sum += float64(length)
	}
	// Postings by term, then by document: documents came in order.
	x.ends = make([]uint32, len(x.terms))
	for i := range all {
		x.ends[all[i].term]++
	}
	at := uint32(0)
	x.idf = make([]float32, len(x.terms))
	for t, n := range x.ends {
		x.idf[t] = float32(math.Log(1 + (float64(len(x.docs))-float64(n)+0.5)/(float64(n)+0.5)))
		x.ends[t] = at
		at += n
	}
	x.post = make([]posting, len(all))
	for i := range all {
		r := &all[i]
		x.post[x.ends[r.term]] = posting{r.doc, r.tf}
		x.ends[r.term]++
	}
	average := float32(1)
	if len(x.docs) > 0 {
		average = float32(sum / float64(len(x.docs)))
	}
	x.norm = make([]float32, len(lengths))
	for i, l := range lengths {
		x.norm[i] = k1 * (1 - b + b*l/max(average, 1e-6))
	}
	if !o.NoVectors {
		x.vec = x.makeVectors()
	}
	return x
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
	list := x.rank(r, a)
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
	if r.Hops > 0 {
		own := map[graph.ID]float64{}
		for _, s := range list {
			own[x.docs[s.doc]] = s.score
		}
		x.expand(r, a, own)
	}
	if len(a.Found) > r.MaxFound {
		a.Found = a.Found[:r.MaxFound]
	}
	return a, nil
}

func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// rank returns what matches, best first.
func (x *Index) rank(r Request, a *Answer) []scored {
	scores := make([]float64, len(x.docs))
	weights := map[int32]float64{}
	var order []int32
	stems := newStemmer()
	seen := map[string]bool{}
	add := func(w string) {
		if seen[w] || len(seen) == maxQuery {
			return
		}
		seen[w] = true
		a.Words = append(a.Words, w)
		t, ok := x.terms[w]
		if !ok {
			a.Unknown = append(a.Unknown, w)
			return
		}
		weights[t] = 1
		order = append(order, t)
	}
	words(r.Text, func(w string) bool {
		if !stopWords[w] {
			add(stems.stem(w))
		}
		return len(seen) < maxQuery
	})
	// Names that were written as one word.
	identifiers(r.Text, func(w string) {
		if _, ok := x.terms[w]; ok && !stopWords[w] {
			add(w)
		}
	})
	best := 0.0
	for _, t := range order {
		lo := uint32(0)
		if t > 0 {
			lo = x.ends[t-1]
		}
		idf := float64(x.idf[t])
		for _, p := range x.post[lo:x.ends[t]] {
			scores[p.doc] += idf * float64(p.tf) * (k1 + 1) / float64(p.tf+x.norm[p.doc])
		}
	}
	for i := range scores {
		scores[i] *= float64(x.prior[i])
		best = max(best, scores[i])
	}
	near := func(int) float32 { return 0 }
	vectors := x.vec != nil && len(order) > 0
	if vectors {
		near = x.vec.near(order, x.idf)
	}
	var list []scored
	for i, s := range scores {
		if s == 0 || r.Shown != nil && !r.Shown(x.docs[i]) {
			continue
		}
		v := s / best
		if vectors {
			v = (1-vectorPart)*v + vectorPart*float64(max(near(i), 0)*x.prior[i])
		}
		list = append(list, scored{int32(i), v})
	}
	a.Total = len(list)
	list = highest(list, max(maxKept, r.Max))
	slices.SortFunc(list, x.compare)
	if len(list) > 0 && list[0].score > 0 {
		top := list[0].score
		for i := range list {
			list[i].score /= top
		}
	}
	return list
}

// maxKept is how many matches are kept in order; the others are only counted.
const maxKept = 2000

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

const defaultEdges = 1<<graph.EdgeCalls | 1<<graph.EdgeReferences | 1<<graph.EdgeImplements | 1<<graph.EdgeOverrides |
	1<<graph.EdgeExtends | 1<<graph.EdgeEmbeds | 1<<graph.EdgeInjects | 1<<graph.EdgeInstantiates | 1<<graph.EdgeHandles | 1<<graph.EdgeHTTPCalls

// The worth of a step.
const (
	hopWorth  = 0.5
	ownWorth  = 0.4 // of the words that a reached declaration has itself
	maxFanOut = 400 // edges followed from one declaration at one hop
)

// expand adds what structure reaches from the seeds: breadth first, what is
// worth most first, each once.
func (x *Index) expand(r Request, a *Answer, own map[graph.ID]float64) {
	g := x.g
	edges := r.Edges
	if edges == 0 {
		edges = defaultEdges
	}
	seen := map[graph.ID]bool{}
	for _, f := range a.Found {
		seen[f.Node] = true
	}
	level := slices.Clone(a.Found)
	for hop := 1; hop <= r.Hops && len(level) > 0; hop++ {
		best := map[graph.ID]Found{}
		var order []graph.ID
		for _, f := range level {
			steps := 0
			visit := func(via, to graph.ID, e *graph.Edge, back bool) {
				if steps++; steps > maxFanOut || seen[to] || e.Certainty == graph.Ambiguous || prior(&g.Nodes[to]) == 0 ||
					r.Shown != nil && !r.Shown(to) {
					return
				}
				worth := f.Score * hopWorth
				if e.Kind != graph.EdgeCalls {
					worth *= 0.8
				}
				if g.Nodes[to].Flags.Has(graph.FlagTest) {
					worth *= 0.4
				}
				worth = round(worth + ownWorth*hopWorth*own[to])
				found := Found{Node: to, Score: worth, Hop: hop, Seed: f.Seed, Via: via, Edge: e.Kind, Back: back}
				old, ok := best[to]
				if !ok {
					order = append(order, to)
				}
				if !ok || worth > old.Score {
					best[to] = found
				}
			}
			for _, n := range x.dispatched(f.Node) {
				for _, i := range g.In(n) {
					if e := &g.Edges[i]; edges&(1<<e.Kind) != 0 {
						visit(n, e.From, e, true)
					}
				}
				out := g.Out(n)
				for i := range out {
					if edges&(1<<out[i].Kind) != 0 {
						visit(n, out[i].To, &out[i], false)
					}
				}
			}
			// What a type does is what its methods do.
			if g.Nodes[f.Node].Kind.IsType() {
				for _, m := range x.methods(f.Node) {
					for _, n := range x.dispatched(m) {
						for _, i := range g.InKind(n, graph.EdgeCalls) {
							visit(n, g.Edges[i].From, &g.Edges[i], true)
						}
					}
				}
			}
		}
		level = level[:0]
		for _, id := range order {
			level = append(level, best[id])
			seen[id] = true
		}
		slices.SortFunc(level, func(p, q Found) int {
			return cmp.Or(cmp.Compare(q.Score, p.Score), cmp.Compare(p.Node, q.Node))
		})
		a.Found = append(a.Found, level...)
		a.Total += len(level)
	}
	slices.SortStableFunc(a.Found[:], func(p, q Found) int {
		if (p.Hop == 0) != (q.Hop == 0) {
			return p.Hop - q.Hop
		}
		return cmp.Compare(q.Score, p.Score)
	})
}

// dispatched returns a method with those that calls may run it through, or that
// they may run through it, if there are few.
func (x *Index) dispatched(n graph.ID) []graph.ID {
	const most = 5
	list := []graph.ID{n}
	if !x.g.Nodes[n].Kind.IsCallable() && !x.g.Nodes[n].Kind.IsType() {
		return list
	}
	for _, k := range [...]graph.EdgeKind{graph.EdgeImplements, graph.EdgeOverrides} {
		for _, e := range x.g.OutKind(n, k) {
			if len(x.g.InKind(e.To, k)) <= most && len(list) < 20 {
				list = append(list, e.To)
			}
		}
		if in := x.g.InKind(n, k); len(in) <= most {
			for _, i := range in {
				list = append(list, x.g.Edges[i].From)
			}
		}
	}
	return list
}

// methods returns the callables that a type contains: they follow it, for their
// keys begin with its key.
func (x *Index) methods(t graph.ID) []graph.ID {
	var list []graph.ID
	prefix := x.g.Nodes[t].Key + "."
	for i := int(t) + 1; i < len(x.g.Nodes) && len(list) < 100; i++ {
		n := &x.g.Nodes[i]
		if len(n.Key) < len(prefix) || n.Key[:len(prefix)] != prefix {
			if n.Key > prefix {
				break
			}
			continue
		}
		if n.Parent == t && n.Kind.IsCallable() {
			list = append(list, graph.ID(i))
		}
	}
	return list
}
