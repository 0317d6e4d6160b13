// Command retrieval measures how well search finds a function by what its
// documentation says. For each folder it takes the functions with documentation
// of five words or more, asks for the first sentence without the function's own
// name, and notes at which place the function comes among all declarations. No
// index has any documentation. It compares with BM25 over the plain text of
// functions: words as they are written, no fields.
//
//	go run ./bench/retrieval [-most 500] [-embedder URL -embedding-model MODEL] DIR…
//
// A row gives the mean reciprocal rank (MRR), and how often the function was the
// first and among the first ten.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/search"
	"github.com/codekg/kg/analyzer/source"
)

func main() {
	most := flag.Int("most", 500, "ask at most this many questions for each folder, spread evenly")
	e := &embedder{known: map[string][]float64{}}
	flag.StringVar(&e.url, "embedder", "", "also rank by vectors of this OpenAI-compatible endpoint, as http://localhost:11434/v1")
	flag.StringVar(&e.model, "embedding-model", "", "the model that it is asked for")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *most, e, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "retrieval:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, out io.Writer, most int, e *embedder, dirs []string) error {
	head, line := "| repository | questions | functions | BM25, plain text: MRR, first, in ten | kg, words | kg, words and vectors |", "|---|---:|---:|---:|---:|---:|"
	if e.url != "" {
		head, line = head+" and "+e.model+" |", line+"---:|"
	}
	fmt.Fprintf(out, "%s\n%s\n", head, line)
	for _, dir := range dirs {
		c, err := load(ctx, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		qs := c.questions(most)
		base := plain(c)
		words := search.Build(c.g, search.Options{Source: c.source, NoDocs: true, NoVectors: true})
		both := search.Build(c.g, search.Options{Source: c.source, NoDocs: true})
		ask := func(x *search.Index, model bool) func(string) []graph.ID {
			return func(text string) []graph.ID {
				r := search.Request{Text: text, Max: 100}
				if model {
					r.Rank = e.rank(c, text)
				}
				a, err := x.Search(r)
				if err != nil {
					return nil
				}
				var ids []graph.ID
				for _, f := range a.Found {
					ids = append(ids, f.Node)
				}
				return ids
			}
		}
		fmt.Fprintf(out, "| %s | %d | %d | %s | %s | %s |", filepath.Base(dir), len(qs), len(c.functions),
			measure(qs, base.ask), measure(qs, ask(words, false)), measure(qs, ask(both, false)))
		if e.url != "" {
			fmt.Fprintf(out, " %s |", measure(qs, ask(both, true)))
		}
		fmt.Fprintln(out)
		if e.err != nil {
			return e.err
		}
	}
	return nil
}

type question struct {
	text string
	want graph.ID
}

// measure returns what a row shows of one way to search.
func measure(qs []question, ask func(string) []graph.ID) string {
	var sum, first, ten float64
	for _, q := range qs {
		if at := slices.Index(ask(q.text), q.want); at >= 0 {
			sum += 1 / float64(at+1)
			if at == 0 {
				first++
			}
			if at < 10 {
				ten++
			}
		}
	}
	n := max(1, float64(len(qs)))
	return fmt.Sprintf("%.3f, %.0f %%, %.0f %%", sum/n, 100*first/n, 100*ten/n)
}

// corpus is a graph with its source, without the documentation that is inside of
// functions.
type corpus struct {
	g         *graph.Graph
	files     map[string][]string // by line
	functions []graph.ID
}

func load(ctx context.Context, dir string) (*corpus, error) {
	tree, err := source.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	c := &corpus{files: map[string][]string{}}
	if c.g, err = analyzer.Build(ctx, tree, analyzer.Options{}); err != nil {
		return nil, err
	}
	for i := range c.g.Files {
		path := c.g.Files[i].Path
		at, ok := source.Find(tree.Entries(), path)
		if !ok {
			continue
		}
		data, err := tree.Read(at, -1)
		if err != nil {
			return nil, err
		}
		c.files[path] = strings.Split(string(data), "\n")
	}
	for i := range c.g.Nodes {
		n := &c.g.Nodes[i]
		if n.Kind.IsCallable() && n.Flags&(graph.FlagTest|graph.FlagGenerated) == 0 && n.Line > 0 {
			c.functions = append(c.functions, graph.ID(i))
			if n.Doc != "" {
				c.dropDocstring(n)
			}
		}
	}
	return c, nil
}

func (c *corpus) source(path string) string { return strings.Join(c.files[path], "\n") }

// dropDocstring empties the lines of the string that documents a function from
// inside, if there is one.
func (c *corpus) dropDocstring(n *graph.Node) {
	lines := c.files[n.File]
	for i := int(n.Line) - 1; i >= 0 && i < min(int(n.EndLine), len(lines)); i++ {
		text := strings.TrimLeft(strings.TrimSpace(lines[i]), "rRuUbBfF")
		if i < int(n.Line) || !strings.HasPrefix(text, "\"\"\"") && !strings.HasPrefix(text, "'''") {
			if i >= int(n.Line) && strings.HasSuffix(strings.TrimSpace(lines[i-1]), ":") {
				return // the first line of the body
			}
			continue
		}
		quotes := text[:3]
		text = text[3:]
		for ; i < min(int(n.EndLine), len(lines)); i++ {
			ends := strings.Contains(text, quotes)
			lines[i] = ""
			if ends || i+1 == len(lines) {
				return
			}
			text = lines[i+1]
		}
		return
	}
}

func (c *corpus) body(id graph.ID) string {
	n := &c.g.Nodes[id]
	lines := c.files[n.File]
	lo, hi := int(n.DefLine)-1, min(int(n.EndLine), len(lines))
	if lo < 0 || lo >= hi {
		return ""
	}
	return strings.Join(lines[lo:hi], "\n")
}

func (c *corpus) questions(most int) []question {
	var all []question
	for _, id := range c.functions {
		n := &c.g.Nodes[id]
		words := strings.FieldsFunc(n.Doc, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
		words = slices.DeleteFunc(words, func(w string) bool { return strings.EqualFold(w, n.Name) })
		if len(words) >= 5 && !strings.HasPrefix(n.Doc, "Deprecated") {
			all = append(all, question{strings.Join(words, " "), id})
		}
	}
	if len(all) <= most {
		return all
	}
	some := make([]question, most)
	for i := range some {
		some[i] = all[i*len(all)/most]
	}
	return some
}

// plainIndex is BM25 with its usual parameters over the text of functions.
type plainIndex struct {
	c    *corpus
	tf   []map[string]float64
	size []float64
	df   map[string]float64
	mean float64
}

func plainWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
}

func plain(c *corpus) *plainIndex {
	x := &plainIndex{c: c, df: map[string]float64{}}
	for _, id := range c.functions {
		tf := map[string]float64{}
		ws := plainWords(c.body(id))
		for _, w := range ws {
			tf[w]++
		}
		for w := range tf {
			x.df[w]++
		}
		x.tf, x.size = append(x.tf, tf), append(x.size, float64(len(ws)))
		x.mean += float64(len(ws))
	}
	x.mean /= max(1, float64(len(c.functions)))
	return x
}

func (x *plainIndex) ask(text string) []graph.ID {
	const k1, b = 1.2, 0.75
	type scored struct {
		id    graph.ID
		score float64
	}
	var list []scored
	ws := plainWords(text)
	for i, id := range x.c.functions {
		s := 0.0
		for _, w := range ws {
			if tf := x.tf[i][w]; tf > 0 {
				idf := math.Log(1 + (float64(len(x.tf))-x.df[w]+0.5)/(x.df[w]+0.5))
				s += idf * tf * (k1 + 1) / (tf + k1*(1-b+b*x.size[i]/x.mean))
			}
		}
		if s > 0 {
			list = append(list, scored{id, s})
		}
	}
	slices.SortStableFunc(list, func(p, q scored) int {
		switch {
		case p.score > q.score:
			return -1
		case p.score < q.score:
			return 1
		}
		return int(p.id) - int(q.id)
	})
	var ids []graph.ID
	for _, s := range list[:min(100, len(list))] {
		ids = append(ids, s.id)
	}
	return ids
}
