package search

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// Options say what is in an index.
type Options struct {
	// Source returns the text of a file, or nothing; nil: bodies are not searched.
	// It is asked once for each file.
	Source func(path string) string
	// NoDocs leaves documentation out, for measurements.
	NoDocs bool
	// NoVectors leaves vectors out.
	NoVectors bool
}

// The weights of fields: what one word in it counts, in tenths.
const (
	weightName      = 40
	weightWhole     = 30 // the whole name as one word
	weightContainer = 15
	weightDoc       = 20
	weightSignature = 10
	weightPath      = 6
	weightUses      = 4
	weightBody      = 6
)

const (
	maxUses  = 60   // names of used declarations that are words of a declaration
	maxWords = 1500 // words of one field
	maxLine  = 400  // bytes of a line that are looked at
)

// Build makes an index. O(text).
func Build(g *graph.Graph, o Options) *Index {
	b := &builder{g: g, o: o, words: newVocabulary(), types: map[string][]int32{}}
	x := &Index{g: g}
	for i := range g.Nodes {
		if p := prior(&g.Nodes[i]); p > 0 {
			x.docs, x.prior = append(x.docs, graph.ID(i)), append(x.prior, p)
		}
	}
	b.nameAll()
	b.docs = make([][]entry, len(x.docs))
	// File by file, so that the words of one are at hand at a time.
	for _, doc := range byFile(g, x.docs) {
		b.docs[doc] = b.entries(x.docs[doc])
	}
	x.finish(b)
	return x
}

// byFile returns the positions of docs by file, then in their order.
func byFile(g *graph.Graph, docs []graph.ID) []int32 {
	order := make([]int32, len(docs))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return strings.Compare(g.Nodes[docs[a]].File, g.Nodes[docs[b]].File) })
	return order
}

// entry is a word of a document: how much it counts there, in tenths.
type entry struct {
	term int32
	tf   uint16
}

type builder struct {
	g     *graph.Graph
	o     Options
	words *vocabulary
	types map[string][]int32 // the words of canonical types

	names    []int32 // the words of the names of all nodes
	nameEnds []uint32

	file  string // whose words are at hand
	path  []int32
	body  []int32
	lines []uint32 // of body: where each line ends

	counts []uint32 // by term, of the document under way
	order  []int32  // its terms

	docs  [][]entry
	arena []entry // where the next entries go
}

const arenaSize = 1 << 15

// terms appends the words of a text.
func (b *builder) terms(list []int32, text string, most int) []int32 {
	words(text, func(w string) bool {
		if most--; most < 0 {
			return false
		}
		list = append(list, b.words.stemmed(w))
		return true
	})
	return list
}

func (b *builder) nameAll() {
	b.nameEnds = make([]uint32, len(b.g.Nodes)+1)
	for i := range b.g.Nodes {
		b.names = b.terms(b.names, b.g.Nodes[i].Name, maxWords)
		b.nameEnds[i+1] = uint32(len(b.names))
	}
}

func (b *builder) name(id graph.ID) []int32 { return b.names[b.nameEnds[id]:b.nameEnds[id+1]] }

func (b *builder) typed(t string) []int32 {
	if t == "" {
		return nil
	}
	list, ok := b.types[t]
	if !ok {
		list = b.terms(nil, typeName(t), maxWords)
		b.types[t] = list
	}
	return list
}

func (b *builder) count(list []int32, weight uint32) {
	for _, t := range list {
		for int(t) >= len(b.counts) {
			b.counts = append(b.counts, 0)
		}
		if b.counts[t] == 0 {
			b.order = append(b.order, t)
		}
		b.counts[t] += weight
	}
}

func (b *builder) text(text string, weight uint32) {
	if text != "" {
		b.count(b.terms(nil, text, maxWords), weight)
	}
}

// open has the words of a file at hand.
func (b *builder) open(path string) {
	if b.file == path {
		return
	}
	b.file = path
	b.path = b.terms(b.path[:0], path, maxWords)
	b.body, b.lines = b.body[:0], b.lines[:0]
	if b.o.Source == nil || path == "" {
		return
	}
	for line := range strings.Lines(b.o.Source(path)) {
		b.body = b.terms(b.body, line[:min(len(line), maxLine)], maxLine)
		b.lines = append(b.lines, uint32(len(b.body)))
	}
}

// between returns the words of the lines from first to last, which count from 1.
func (b *builder) between(first, last int32) []int32 {
	last = min(last, int32(len(b.lines)))
	if first < 1 || first > last {
		return nil
	}
	lo := uint32(0)
	if first > 1 {
		lo = b.lines[first-2]
	}
	hi := min(b.lines[last-1], lo+maxWords)
	return b.body[lo:hi]
}

// entries returns the words of a declaration.
func (b *builder) entries(id graph.ID) []entry {
	n := &b.g.Nodes[id]
	b.open(n.File)
	b.count(b.name(id), weightName)
	b.count([]int32{b.words.whole(n.Name)}, weightWhole)
	if n.Parent != graph.None {
		b.count(b.name(n.Parent), weightContainer)
	}
	if !b.o.NoDocs {
		b.text(n.Doc, weightDoc)
	}
	for _, ps := range [][]graph.Param{n.Signature.Params, n.Signature.Results} {
		for _, p := range ps {
			b.text(p.Name, weightSignature)
			b.count(b.typed(p.Type), weightSignature)
		}
	}
	b.count(b.typed(n.Signature.Type), weightSignature)
	b.count(b.path, weightPath)
	last := graph.None
	for j, e := range b.g.Out(id) {
		if j == maxUses {
			break
		}
		if e.To != last && e.Kind != graph.EdgeImports {
			b.count(b.name(e.To), weightUses)
		}
		last = e.To
	}
	if n.Kind.IsCallable() || n.Kind.IsType() {
		b.count(b.between(n.DefLine, n.EndLine), weightBody)
	}
	if len(b.order) > cap(b.arena)-len(b.arena) {
		b.arena = make([]entry, 0, max(arenaSize, len(b.order)))
	}
	begin := len(b.arena)
	for _, t := range b.order {
		b.arena = append(b.arena, entry{t, uint16(min(b.counts[t], 1<<16-1))})
		b.counts[t] = 0
	}
	b.order = b.order[:0]
	return b.arena[begin:len(b.arena):len(b.arena)]
}

// finish makes the index of what was gathered. Terms are numbered by spelling.
func (x *Index) finish(b *builder) {
	var renumber []int32
	x.terms, renumber = b.words.sorted()
	x.sizes = make([]uint32, len(x.docs))
	for doc, list := range b.docs {
		for i := range list {
			list[i].term = renumber[list[i].term]
			x.sizes[doc] += uint32(list[i].tf)
		}
	}
	x.lengths()
	x.post = pack(x.terms.count(), b.docs)
	if !b.o.NoVectors {
		x.vec = x.makeVectors(b.docs)
	}
}
