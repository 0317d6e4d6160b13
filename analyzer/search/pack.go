package search

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// PackSchema names the form of a [Pack] as JSON.
const PackSchema = "kg.pack/v1"

// PackOptions bound a pack. Zero values stand for the defaults.
type PackOptions struct {
	Tokens     int // of the whole pack, estimated as bytes / 4; 6,000
	MaxLines   int // of one snippet; 80
	Context    int // lines around a definition; 0
	PerFile    int // snippets of one file; 6
	Neighbours int // signatures; 300
	Sites      int // places of use for each seed; 3
	// Lines returns lines of a file, from first to last, as far as there are;
	// changed says that the file is not what the graph was made of.
	Lines func(file string, first, last int) (lines []string, changed bool)
}

// Pack is what a program needs to read to answer a question: the source of what
// was found, where that is used, and the signatures around it.
type Pack struct {
	Schema     string      `json:"schema"`
	Question   string      `json:"question"`
	Tokens     int         `json:"tokens"` // estimated: bytes / 4 of the Markdown form
	Budget     int         `json:"budget"`
	Total      int         `json:"total"` // declarations found, before any cap
	Definition []Snippet   `json:"definitions"`
	Uses       []Snippet   `json:"uses"`
	Around     []Neighbour `json:"neighbours"`
	Left       int         `json:"left_out"` // found, and not in the pack
	Reason     string      `json:"reason,omitempty"`
	Unknown    []string    `json:"unknown_words,omitempty"`
}

// Snippet is source text with its place and why it is there.
type Snippet struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	File    string   `json:"file"`
	Line    int      `json:"line"` // of the first line
	Lines   []string `json:"lines"`
	Cut     bool     `json:"cut,omitempty"`
	Changed bool     `json:"changed,omitempty"`
	Hop     int      `json:"hop"`
	Seed    string   `json:"seed,omitempty"` // where it is not the declaration itself
	Score   float64  `json:"score,omitempty"`
	Uses    string   `json:"uses,omitempty"` // key of what is used here
}

// Neighbour is a declaration by its signature.
type Neighbour struct {
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	Signature string  `json:"signature,omitempty"`
	File      string  `json:"file"`
	Line      int     `json:"line"`
	Hop       int     `json:"hop"`
	Relation  string  `json:"relation"` // as in "calls shop.Price"
	Seed      string  `json:"seed,omitempty"`
	Score     float64 `json:"score"`

	short string // Relation with the names of members alone
}

// Fill makes a pack of what a search found, best first, as far as the budget
// goes: half of it for definitions, then places of use, then signatures, then
// definitions again.
func (x *Index) Fill(question string, a *Answer, o PackOptions) *Pack {
	o.Tokens = cmp.Or(o.Tokens, 6000)
	o.MaxLines = cmp.Or(o.MaxLines, 80)
	o.PerFile = cmp.Or(o.PerFile, 6)
	o.Neighbours = cmp.Or(o.Neighbours, 300)
	o.Sites = cmp.Or(o.Sites, 3)
	f := &filler{x: x, o: o, p: &Pack{Schema: PackSchema, Question: question, Budget: o.Tokens, Total: a.Total, Unknown: a.Unknown,
		Definition: []Snippet{}, Uses: []Snippet{}, Around: []Neighbour{}}, spans: map[string][]span{}, heads: map[string]bool{}, done: map[graph.ID]bool{}}
	f.left = o.Tokens - size(f.head(question))
	half := f.left / 2
	var seeds []Found
	for _, d := range a.Found {
		if d.Hop == 0 {
			seeds = append(seeds, d)
		}
	}
	for _, d := range seeds {
		if f.left > half {
			for _, h := range f.handlers(d) {
				f.define(h, f.left-half/2)
			}
			f.define(d, f.left-half/2)
		}
	}
	for _, d := range seeds {
		f.uses(d)
	}
	// A few members of a type tell of it; what else there is comes before the others.
	of := map[graph.ID]int{}
	for _, most := range [...]int{ofOneType, len(a.Found)} {
		for _, d := range a.Found {
			if f.done[d.Node] || d.Hop == 0 {
				continue
			}
			p := x.g.Nodes[d.Node].Parent
			if p == graph.None || !x.g.Nodes[p].Kind.IsType() {
				f.neighbour(d)
			} else if of[p] < most && f.neighbour(d) {
				of[p]++
			}
		}
	}
	for _, d := range a.Found {
		if !f.done[d.Node] {
			f.define(d, f.left)
		}
	}
	for _, d := range a.Found {
		if !f.done[d.Node] {
			f.p.Left++
		}
	}
	f.p.Tokens = o.Tokens - f.left
	if len(a.Found) == 0 {
		f.p.Reason = "no declaration has one of the words"
	} else if f.p.Left > 0 {
		if f.p.Reason = "the budget is used up"; !f.short {
			f.p.Reason = "of the files of what is left out there is enough"
		}
	}
	return f.p
}

type span struct{ first, last int }

type filler struct {
	x     *Index
	o     PackOptions
	p     *Pack
	left  int
	spans map[string][]span // by file
	heads map[string]bool   // files under which neighbours stand
	done  map[graph.ID]bool
	short bool // something had no room
}

func size(s string) int { return (len(s) + 3) / 4 }

func (f *filler) head(q string) string { return "# " + q + "\n" }

// handlers returns what handles a route, which says what the route does.
func (f *filler) handlers(d Found) []Found {
	var list []Found
	if g := f.x.g; g.Nodes[d.Node].Kind == graph.KindRoute {
		for _, e := range g.OutKind(d.Node, graph.EdgeHandles) {
			if g.Nodes[e.To].Kind.IsCallable() && !f.done[e.To] {
				list = append(list, Found{Node: e.To, Score: d.Score, Hop: 1, Seed: d.Seed, Via: d.Node, Edge: e.Kind})
			}
		}
	}
	return list
}

// define adds the source of a declaration if it costs no more than most.
func (f *filler) define(d Found, most int) {
	n := &f.x.g.Nodes[d.Node]
	if n.Line == 0 || n.File == "" || f.o.Lines == nil || len(f.spans[n.File]) >= f.o.PerFile {
		return
	}
	first, last := max(1, int(n.DefLine)-f.o.Context), int(n.EndLine)+f.o.Context
	if f.covered(n.File, first, int(n.EndLine)) {
		f.done[d.Node] = true
		return
	}
	cut := last-first >= f.o.MaxLines
	if cut {
		last = first + f.o.MaxLines - 1
	}
	// What another snippet shows is not shown again.
	for _, s := range f.spans[n.File] {
		if s.first <= last && s.last >= first {
			if s.first > first {
				last = s.first - 1
			} else {
				first = s.last + 1
			}
		}
	}
	if first > last {
		return
	}
	s := f.snippet(d.Node, n.File, first, last)
	if s == nil {
		return
	}
	s.Cut, s.Hop, s.Score = s.Cut || cut, d.Hop, d.Score
	if d.Seed != d.Node {
		s.Seed = f.x.g.Nodes[d.Seed].Key
	}
	for cost := size(s.markdown()); cost > most; cost = size(s.markdown()) {
		if len(s.Lines) < 8 {
			f.short = true
			return
		}
		s.Lines, s.Cut = s.Lines[:len(s.Lines)*3/4], true
	}
	f.left -= size(s.markdown())
	f.spans[n.File] = append(f.spans[n.File], span{first, first + len(s.Lines) - 1})
	f.done[d.Node] = true
	f.p.Definition = append(f.p.Definition, *s)
}

func (f *filler) covered(file string, first, last int) bool {
	for _, s := range f.spans[file] {
		if s.first <= first && s.last >= last {
			return true
		}
	}
	return false
}

func (f *filler) snippet(id graph.ID, file string, first, last int) *Snippet {
	lines, changed := f.o.Lines(file, first, last)
	if len(lines) == 0 {
		return nil
	}
	n := &f.x.g.Nodes[id]
	return &Snippet{ID: n.Key, Name: n.QName, Kind: n.Kind.String(), File: file, Line: first, Lines: lines, Changed: changed,
		Cut: len(lines) < last-first+1}
}

// uses adds the first places where a seed is used, by code before tests.
func (f *filler) uses(d Found) {
	g := f.x.g
	type place struct {
		from graph.ID
		site graph.Site
		test bool
	}
	var all []place
	for _, n := range f.x.dispatched(d.Node) {
		for _, i := range g.In(n) {
			e := &g.Edges[i]
			switch e.Kind {
			case graph.EdgeCalls, graph.EdgeReferences, graph.EdgeInstantiates, graph.EdgeHTTPCalls, graph.EdgePublishes, graph.EdgeHandles:
			default:
				continue
			}
			if s := g.Sites(e); len(s) > 0 && e.Certainty != graph.Ambiguous && e.From != d.Node {
				all = append(all, place{e.From, s[0], g.Nodes[e.From].Flags.Has(graph.FlagTest)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b place) int {
		switch {
		case a.test != b.test && b.test:
			return -1
		case a.test != b.test:
			return 1
		}
		return cmp.Compare(a.from, b.from)
	})
	count := 0
	for _, p := range all {
		if count == f.o.Sites || f.left < 60 || f.o.Lines == nil {
			return
		}
		file, line := g.Files[p.site.File].Path, int(p.site.Line)
		if f.covered(file, line, line) {
			continue
		}
		s := f.snippet(p.from, file, max(1, line-1), line+1)
		if s == nil {
			continue
		}
		s.Uses, s.Cut = g.Nodes[d.Node].Key, false
		cost := size(s.markdown())
		if cost > f.left/4 {
			continue
		}
		f.left -= cost
		f.spans[file] = append(f.spans[file], span{s.Line, s.Line + len(s.Lines) - 1})
		f.p.Uses = append(f.p.Uses, *s)
		count++
	}
}

// ofOneType is how many members of a type come before what else there is.
const ofOneType = 8

// maxSignature bounds the bytes of a neighbour's signature.
const maxSignature = 140

func (f *filler) neighbour(d Found) bool {
	if len(f.p.Around) >= f.o.Neighbours {
		return false
	}
	g := f.x.g
	n := &g.Nodes[d.Node]
	v := Neighbour{ID: n.Key, Name: n.QName, Signature: n.Signature.Text, File: n.File, Line: int(n.Line), Hop: d.Hop,
		Seed: g.Nodes[d.Seed].Key, Score: d.Score}
	relation := func(via string) string {
		if d.Back {
			return d.Edge.String() + " " + via
		}
		return "is what " + via + " " + d.Edge.String()
	}
	v.Relation, v.short = relation(g.Nodes[d.Via].QName), relation(g.Nodes[d.Via].Name)
	if len(v.Signature) > maxSignature {
		v.Signature = strings.ToValidUTF8(v.Signature[:maxSignature], "") + "…"
	}
	cost := size(v.markdown())
	if !f.heads[v.File] {
		cost += size(fileHead(v.File))
	}
	if cost > f.left {
		f.short = true
		return false
	}
	f.left -= cost
	f.done[d.Node], f.heads[v.File] = true, true
	f.p.Around = append(f.p.Around, v)
	return true
}

// Markdown writes a pack as Markdown, with line numbers.
func (p *Pack) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", plainText(p.Question))
	if p.Reason != "" {
		fmt.Fprintf(&b, "\n%s.\n", plainText(p.Reason))
	}
	for i, part := range []struct {
		title string
		list  []Snippet
	}{{"Definitions", p.Definition}, {"Uses", p.Uses}} {
		if len(part.list) > 0 {
			fmt.Fprintf(&b, "\n## %s\n", part.title)
		}
		_ = i
		for j := range part.list {
			b.WriteString(part.list[j].markdown())
		}
	}
	if len(p.Around) > 0 {
		b.WriteString("\n## Around\n")
		var files []string // in the order of the best in each
		of := map[string][]int{}
		for i := range p.Around {
			if f := p.Around[i].File; of[f] == nil {
				files = append(files, f)
			}
			of[p.Around[i].File] = append(of[p.Around[i].File], i)
		}
		for _, f := range files {
			b.WriteString(fileHead(f))
			for _, i := range of[f] {
				b.WriteString(p.Around[i].markdown())
			}
		}
	}
	return b.String()
}

func (s *Snippet) markdown() string {
	var b strings.Builder
	name := plainText(s.Name)
	if s.Uses != "" {
		name += " uses " + plainText(s.Uses)
	}
	fmt.Fprintf(&b, "\n### %s (%s:%d)\n\n", name, plainText(s.File), s.Line)
	if s.Changed {
		b.WriteString("The file changed since the graph was made: lines may have moved.\n\n")
	}
	fence := "```"
	for _, l := range s.Lines {
		for strings.Contains(l, fence) {
			fence += "`"
		}
	}
	b.WriteString(fence + "\n")
	for i, l := range s.Lines {
		fmt.Fprintf(&b, "%d\t%s\n", s.Line+i, l)
	}
	if s.Cut {
		b.WriteString("\t…\n")
	}
	b.WriteString(fence + "\n")
	return b.String()
}

// fileHead is the line above the neighbours that a file declares.
func fileHead(file string) string { return "\n" + plainText(file) + ":\n\n" }

func (v *Neighbour) markdown() string {
	text := v.Signature
	if text == "" {
		text = v.Name
	}
	name, _, _ := strings.Cut(v.Name, "(") // the signature has the parameters
	return fmt.Sprintf("- %d: %s `%s` %s\n", v.Line, plainText(name), strings.ReplaceAll(plainText(text), "`", "'"), plainText(v.short))
}

// plainText leaves out what would begin other Markdown, or another line.
func plainText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r == 0x7f:
			return ' '
		case r == '<':
			return '‹'
		case r == '>':
			return '›'
		}
		return r
	}, s)
}
