package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/query"
	"github.com/codekg/kg/analyzer/search"
	"github.com/codekg/kg/report"
)

const searchSchema = "kg.search/v1"

// searchFlags are those of searches, on the command line and over MCP.
type searchFlags struct {
	Max     int      `json:"max,omitempty"`
	Hops    int      `json:"hops,omitempty"`
	Edges   []string `json:"edges,omitempty"`
	Kinds   []string `json:"kinds,omitempty"`
	Scope   []string `json:"scope,omitempty"`
	Exclude []string `json:"exclude,omitempty"`

	reach int // how many are found at least, if there are so many
}

func (f *searchFlags) add(cmd *cobra.Command, hops int) {
	fs := cmd.Flags()
	fs.IntVar(&f.Max, "max", 10, "find at most `N` declarations by words")
	fs.IntVar(&f.Hops, "hops", hops, "and what is up to `N` relations away from them")
	fs.StringSliceVar(&f.Edges, "edges", nil, "over these `KIND`s of relations (default: calls, references, implementations and what makes values)")
	fs.StringSliceVar(&f.Kinds, "kind", nil, "find only `KIND`s of declarations: type, callable, "+strings.Join(query.KindNames(), ", "))
	fs.StringArrayVar(&f.Scope, "scope", nil, "find only what is in paths that match `GLOB`; may be repeated")
	fs.StringArrayVar(&f.Exclude, "exclude", nil, "leave out what is in paths that match `GLOB`; may be repeated")
}

// embedFlags name the endpoint that makes vectors. They come from the command
// line or the environment, never from a repository.
type embedFlags struct{ url, model string }

func (f *embedFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.url, "embedder", "", "rank the best again by vectors of the OpenAI-compatible endpoint `URL`, as http://localhost:11434/v1\n(default: KG_EMBEDDER; its key is in KG_EMBEDDER_KEY)")
	cmd.Flags().StringVar(&f.model, "embedding-model", "", "the `MODEL` that it is asked for (default: KG_EMBEDDING_MODEL)")
}

// searchAnswer is what a search found, as JSON.
type searchAnswer struct {
	Schema  string      `json:"schema"`
	Text    string      `json:"text"`
	Total   int         `json:"total"`
	Words   []string    `json:"words"`
	Unknown []string    `json:"unknown_words,omitempty"`
	Reason  string      `json:"reason,omitempty"`
	Results []searchHit `json:"results"`
	Ranking string      `json:"ranking"` // by what: words and vectors of the repository, or which model
	Age     *freshness  `json:"freshness,omitempty"`
}

type searchHit struct {
	Symbol query.Symbol `json:"symbol"`
	Score  float64      `json:"score"`
	Hop    int          `json:"hop"`
	Seed   string       `json:"seed,omitempty"`
	Via    string       `json:"via,omitempty"`
	Edge   string       `json:"relation,omitempty"` // from Via to the symbol, or back
	Back   bool         `json:"back,omitempty"`     // the symbol has the relation to Via
	Doc    string       `json:"doc,omitempty"`
}

func (a *app) searchCommand() *cobra.Command {
	var g graphFlags
	var f searchFlags
	var e embedFlags
	var out *outputs
	cmd := &cobra.Command{
		Use:   "search TEXT",
		Short: "Find declarations by words",
		Long: `Find declarations by words: of their names, taken apart and stemmed, of their
documentation, signature and source. Vectors made from the repository's own text
help with the order; with --embedder the best are ranked again by a model. With
--hops it goes on from what was found, over the relations of the graph, and says
how it came to each.

` + graphHelp,
		Example: `  kg search "open a connection to the database"
  kg search "retry with backoff" --hops 1 --edges calls
  kg search "parse config" --kind type --scope 'internal/**' -o json`,
		Args: arguments(1, 1, "TEXT"),
		RunE: runs(func(cmd *cobra.Command, args []string) error {
			list, err := out.all()
			if err != nil {
				return err
			}
			s, err := a.openSession(cmd.Context(), &g)
			if err != nil {
				return err
			}
			defer s.close()
			found, rank, err := a.search(cmd.Context(), s, args[0], f, e)
			if err != nil {
				return err
			}
			answer := s.searched(args[0], found, rank)
			a.tellAge(s)
			for _, o := range list {
				say := func(w io.Writer) error { return searchText(w, answer) }
				if o.format == "json" {
					say = func(w io.Writer) error { return writeJSON(w, answer) }
				}
				if err := a.write(cmd.Context(), o.path, say); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	g.add(cmd)
	f.add(cmd, 0)
	e.add(cmd)
	out = outputFlag(cmd, "text", "json")
	return cmd
}

const maxSearchText = 10_000 // bytes

// search finds declarations; rank says what they were ranked by.
func (a *app) search(ctx context.Context, s *session, text string, f searchFlags, e embedFlags) (found *search.Answer, rank string, err error) {
	if len(text) > maxSearchText {
		return nil, "", usagef("the text is longer than %d bytes", maxSearchText)
	}
	if f.Max < 0 || f.Hops < 0 {
		return nil, "", usage("--max and --hops must not be negative")
	}
	shown, edges, err := s.index.Shown(query.Request{Scope: f.Scope, Exclude: f.Exclude, Kinds: f.Kinds, Edges: f.Edges})
	if err != nil {
		return nil, "", asUsage(err)
	}
	r := search.Request{Text: text, Max: min(f.Max, 1000), Hops: min(f.Hops, 10), Edges: edges, Shown: shown, MaxFound: max(100, f.reach, min(f.Max, 1000))}
	rank = "words and vectors of the repository"
	if e.url = cmp.Or(e.url, a.getenv("KG_EMBEDDER")); e.url != "" {
		m, err := newEmbedder(e.url, cmp.Or(e.model, a.getenv("KG_EMBEDDING_MODEL")), a.getenv("KG_EMBEDDER_KEY"))
		if err != nil {
			return nil, "", err
		}
		rank = "words, and vectors of " + m.model
		r.Rank = func(ids []graph.ID) ([]float64, error) { return m.similarities(ctx, text, s.describe(ids)) }
	}
	found, err = a.words(s).Search(r)
	return found, rank, err
}

// body is the source of a declaration.
func (s *session) body(id graph.ID) string {
	n := &s.graph.Nodes[id]
	if n.Line == 0 || n.File == "" {
		return ""
	}
	x := s.lines.snippet(n.File, int(n.DefLine), int(n.EndLine))
	return strings.Join(x.Lines, "\n")
}

// describe is what a model is told of declarations.
func (s *session) describe(ids []graph.ID) []string {
	const most = 2000 // bytes
	var texts []string
	for _, id := range ids {
		n := &s.graph.Nodes[id]
		t := n.Kind.String() + " " + n.QName + "\n" + n.Signature.Text + "\n" + n.Doc + "\n" + s.body(id)
		texts = append(texts, strings.ToValidUTF8(t[:min(most, len(t))], ""))
	}
	return texts
}

func (s *session) searched(text string, found *search.Answer, rank string) *searchAnswer {
	a := &searchAnswer{Schema: searchSchema, Text: text, Total: found.Total, Words: found.Words, Unknown: found.Unknown,
		Ranking: rank, Results: []searchHit{}, Age: s.age()}
	for _, f := range found.Found {
		h := searchHit{Symbol: s.index.Symbol(f.Node), Score: f.Score, Hop: f.Hop, Doc: s.graph.Nodes[f.Node].Doc}
		if f.Hop > 0 {
			h.Seed, h.Via, h.Edge, h.Back = s.graph.Nodes[f.Seed].Key, s.graph.Nodes[f.Via].Key, f.Edge.String(), f.Back
		}
		a.Results = append(a.Results, h)
	}
	switch {
	case len(found.Found) > 0:
	case len(found.Words) == 0:
		a.Reason = "the text has no word that could be looked for"
	case len(found.Unknown) == len(found.Words):
		a.Reason = "none of the words is in the repository"
	default:
		a.Reason = "nothing that has one of the words was left by the filters"
	}
	return a
}

func searchText(w io.Writer, a *searchAnswer) error {
	var b strings.Builder
	esc := report.Escape
	if a.Reason != "" {
		fmt.Fprintf(&b, "Found nothing: %s.\n", esc(a.Reason))
	} else {
		fmt.Fprintf(&b, "Found %s, %s shown; by %s\n", thousands(a.Total), thousands(len(a.Results)), esc(a.Ranking))
	}
	for i := range a.Results {
		h := &a.Results[i]
		fmt.Fprintf(&b, "  %.2f  %s%s  %s", h.Score, esc(h.Symbol.Name), at(&h.Symbol), h.Symbol.Kind)
		if h.Hop > 0 {
			how := "is what " + esc(h.Via) + " " + h.Edge
			if h.Back {
				how = h.Edge + " " + esc(h.Via)
			}
			fmt.Fprintf(&b, "; hop %d: %s", h.Hop, how)
		}
		if h.Symbol.Test {
			b.WriteString("; test")
		}
		b.WriteString("\n")
		if h.Doc != "" && h.Hop == 0 {
			fmt.Fprintf(&b, "        %s\n", esc(h.Doc))
		}
	}
	if len(a.Unknown) > 0 && len(a.Results) > 0 {
		fmt.Fprintf(&b, "Not in the repository: %s\n", esc(strings.Join(a.Unknown, ", ")))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (a *app) packCommand() *cobra.Command {
	var g graphFlags
	var f searchFlags
	var e embedFlags
	var o search.PackOptions
	var out *outputs
	cmd := &cobra.Command{
		Use:   "pack TEXT",
		Short: "Collect the source that answers a question, within a budget",
		Long: `Collect what somebody needs to read to answer a question: the source of what a
search finds, the places where that is used, and the signatures around it, each
with its file and line, within a budget of tokens (estimated as bytes / 4).

` + graphHelp,
		Example: `  kg pack "how are connections retried"
  kg pack "cart total" --tokens 2000 --hops 2 -o json=pack.json`,
		Args: arguments(1, 1, "TEXT"),
		RunE: runs(func(cmd *cobra.Command, args []string) error {
			list, err := out.all()
			if err != nil {
				return err
			}
			if o.Tokens < 0 || o.MaxLines < 0 || o.Context < 0 || o.PerFile < 0 {
				return usage("--tokens, --max-lines, --context and --per-file must not be negative")
			}
			s, err := a.openSession(cmd.Context(), &g)
			if err != nil {
				return err
			}
			defer s.close()
			p, err := a.pack(cmd.Context(), s, args[0], f, e, o)
			if err != nil {
				return err
			}
			age := a.tellAge(s)
			for _, o := range list {
				say := func(w io.Writer) error {
					return aged(w, age, func(w io.Writer) error { return packText(w, p) })
				}
				if o.format == "json" {
					say = func(w io.Writer) error { return writeJSON(w, packOut{p, age}) }
				}
				if err := a.write(cmd.Context(), o.path, say); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	g.add(cmd)
	f.add(cmd, 2)
	e.add(cmd)
	fs := cmd.Flags()
	fs.IntVar(&o.Tokens, "tokens", 6000, "the budget, in `TOKENS`")
	fs.IntVar(&o.MaxLines, "max-lines", 80, "show at most `N` lines of one declaration")
	fs.IntVar(&o.Context, "context", 0, "show `N` lines around declarations")
	fs.IntVar(&o.PerFile, "per-file", 6, "show at most `N` pieces of one file")
	out = outputFlag(cmd, "text", "md", "json")
	return cmd
}

// A pack is filled from as many declarations as may have room, the least of which
// take packEach tokens.
const (
	packEach  = 15
	maxPacked = 5000
)

func (a *app) pack(ctx context.Context, s *session, text string, f searchFlags, e embedFlags, o search.PackOptions) (*search.Pack, error) {
	f.reach = min(o.Tokens/packEach, maxPacked)
	found, _, err := a.search(ctx, s, text, f, e)
	if err != nil {
		return nil, err
	}
	o.Tokens, o.MaxLines, o.Context = min(o.Tokens, 1_000_000), min(o.MaxLines, maxSnippetLines), min(o.Context, maxContextLines)
	o.Lines = func(file string, first, last int) ([]string, bool) {
		x := s.lines.snippet(file, first, last)
		return x.Lines, x.Changed
	}
	return a.words(s).Fill(text, found, o), nil
}

// packText is the Markdown of a pack, with what must not reach a terminal or a
// log escaped.
func packText(w io.Writer, p *search.Pack) error {
	var b strings.Builder
	for line := range strings.Lines(p.Markdown()) {
		text, ended := strings.CutSuffix(line, "\n")
		parts := strings.Split(text, "\t")
		for i := range parts {
			parts[i] = report.Escape(parts[i])
		}
		if text = strings.Join(parts, "\t"); strings.HasPrefix(text, "::") {
			text = " " + text
		}
		b.WriteString(text)
		if ended {
			b.WriteByte('\n')
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
