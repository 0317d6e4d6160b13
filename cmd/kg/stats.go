package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/report"
)

const statsSchema = "kg.stats/v1"

// stats counts what is in a graph.
type stats struct {
	Schema string `json:"schema"`
	Tree   string `json:"tree"` // digest of what was analysed
	// Files counts analysed files by language, with those of no language that
	// code embeds; Skipped those of languages that kg does not read.
	Files   map[string]int       `json:"files"`
	Skipped map[string]int       `json:"skipped"`
	Nodes   map[string]int       `json:"nodes"`
	Edges   map[string]edgeStats `json:"edges"`
	Sites   int                  `json:"sites"`
	// Certainty counts edges by certainty.
	Certainty map[string]int `json:"certainty"`
	// Unknowns counts what could not be told, by reason.
	Unknowns map[string]int `json:"unknowns"`
	Tests    int            `json:"tests"` // what a test runner starts
}

type edgeStats struct {
	Edges     int            `json:"edges"`
	Sites     int            `json:"sites"`
	Certainty map[string]int `json:"certainty"`
}

func countStats(g *graph.Graph) *stats {
	s := &stats{
		Schema: statsSchema, Tree: fmt.Sprintf("%x", g.Tree[:]),
		Files: map[string]int{}, Skipped: map[string]int{}, Nodes: map[string]int{}, Edges: map[string]edgeStats{},
		Certainty: map[string]int{}, Unknowns: map[string]int{}, Sites: g.SiteCount(),
	}
	for i := range g.Files {
		s.Files[cmp.Or(g.Files[i].Lang, "embedded")]++
	}
	for _, k := range g.Skipped {
		s.Skipped[k.Lang] += int(k.Files)
	}
	contained := 0
	for i := range g.Nodes {
		n := &g.Nodes[i]
		s.Nodes[n.Kind.String()]++
		if n.Parent != graph.None {
			contained++
		}
		if n.Flags.Has(graph.FlagTestCase) {
			s.Tests++
		}
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		kind, certainty := e.Kind.String(), e.Certainty.String()
		es := s.Edges[kind]
		if es.Certainty == nil {
			es.Certainty = map[string]int{}
		}
		es.Edges++
		es.Sites += len(g.Sites(e))
		es.Certainty[certainty]++
		s.Edges[kind] = es
		s.Certainty[certainty]++
	}
	if contained > 0 {
		kind, certainty := graph.EdgeContains.String(), graph.Exact.String()
		s.Edges[kind] = edgeStats{Edges: contained, Certainty: map[string]int{certainty: contained}}
	}
	for _, u := range g.Unknowns {
		s.Unknowns[u.Reason.String()]++
	}
	return s
}

func (a *app) statsCommand() *cobra.Command {
	var ref string
	var out *outputs
	cmd := &cobra.Command{
		Use:   "stats [FILE|DIR]",
		Short: "Count what is in a graph, and what could not be told",
		Long: `Count what is in a graph: files, declarations and relations by kind, how sure
the relations are, and what could not be told.

The graph is that of a graph file, of a folder, of a revision (--ref), or of the
repository around the current folder.`,
		Example: `  kg stats
  kg stats graph.kg -o json
  kg stats --ref v1.2.0`,
		Args: arguments(0, 1, "FILE"),
		RunE: runs(func(cmd *cobra.Command, args []string) error {
			list, err := out.all()
			if err != nil {
				return err
			}
			s, err := a.fileOrTree(args, ref)
			if err != nil {
				return err
			}
			defer s.close()
			if err := a.buildOne(cmd.Context(), s); err != nil {
				return err
			}
			counts := countStats(s.graph)
			for _, o := range list {
				say := func(w io.Writer) error { return counts.text(w, s.name) }
				if o.format == "json" {
					say = func(w io.Writer) error { return writeJSON(w, counts) }
				}
				if err := a.write(cmd.Context(), o.path, say); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	cmd.Flags().StringVar(&ref, "ref", "", "read the revision `REV`")
	out = outputFlag(cmd, "text", "json")
	return cmd
}

// fileOrTree is only, where the argument may be a graph file as well.
func (a *app) fileOrTree(args []string, ref string) (*side, error) {
	if ref == "" && len(args) > 0 {
		if info, err := os.Stat(args[0]); err != nil || !info.IsDir() {
			return graphFile(args[0], artifact.Limits{})
		}
	}
	return a.only(args, ref)
}

func (s *stats) text(w io.Writer, name string) error {
	t := &table{w: w}
	t.row("graph of", report.Escape(name))
	t.row("files", counted(s.Files))
	if len(s.Skipped) > 0 {
		t.row("not read", counted(s.Skipped))
	}
	t.row("tests", thousands(s.Tests))
	t.row("nodes", counted(s.Nodes))
	total := 0
	for _, e := range s.Edges {
		total += e.Edges
	}
	t.row("edges", fmt.Sprintf("%s from %s", thousands(total), plural(s.Sites, "place")))
	for _, kind := range byCount(s.Edges, func(e edgeStats) int { return e.Edges }) {
		e := s.Edges[kind]
		said := fmt.Sprintf("%10s", thousands(e.Edges))
		if e.Certainty[graph.Exact.String()] != e.Edges {
			said += "  " + shares(e.Certainty, e.Edges)
		}
		t.row("  "+kind, said)
	}
	t.row("certainty", shares(s.Certainty, 0))
	if len(s.Unknowns) == 0 {
		t.row("unknowns", "none")
	} else {
		t.row("unknowns", counted(s.Unknowns))
	}
	return t.err
}

// table writes rows of a name and a text. The first error stays.
type table struct {
	w   io.Writer
	err error
}

func (t *table) row(name, text string) { t.line("%-16s %s\n", name, text) }

func (t *table) line(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

// counted lists counts, the largest first, after their sum.
func counted(m map[string]int) string {
	sum := 0
	var parts []string
	for _, k := range byCount(m, func(n int) int { return n }) {
		sum += m[k]
		parts = append(parts, fmt.Sprintf("%s %s", thousands(m[k]), k))
	}
	if len(parts) == 0 {
		return "0"
	}
	return thousands(sum) + ": " + strings.Join(parts, ", ")
}

// shares lists counts by certainty, the surest first, as parts of a whole.
func shares(m map[string]int, whole int) string {
	if whole == 0 {
		for _, n := range m {
			whole += n
		}
	}
	var parts []string
	for c := range graph.CertaintyCount {
		name := graph.Certainty(c).String()
		if n := m[name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%.1f %% %s", 100*float64(n)/float64(whole), name))
		}
	}
	return strings.Join(parts, ", ")
}

// byCount returns the keys of a map, those of the largest counts first.
func byCount[T any](m map[string]T, count func(T) int) []string {
	return slices.SortedFunc(maps.Keys(m), func(x, y string) int {
		return cmp.Or(cmp.Compare(count(m[y]), count(m[x])), cmp.Compare(x, y))
	})
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// plural counts things: "1 file", "1,234 files".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return thousands(n) + " " + thing + "s"
}

// thousands writes a number with separators, as people read it.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
