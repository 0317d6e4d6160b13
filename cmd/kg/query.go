package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/query"
	"github.com/codekg/kg/report"
)

func (a *app) queryCommand() *cobra.Command {
	var (
		g       graphFlags
		r       query.Request
		context int
		out     *outputs
	)
	cmd := &cobra.Command{
		Use:   "query QUESTION [TARGET] [TO]",
		Short: "Ask the graph: callers, implementations, paths, dead code and more",
		Long: `Ask the graph a question about the structure of the code.

A TARGET is a key, a qualified or short name, a path, or path:line. If several
declarations could be meant they are listed, and if none could, what has a similar
name.

` + graphHelp + `

Questions:
` + questionList(),
		Example: `  kg query callers Cart.Add --depth 2 --context 2
  kg query path main.main Store.Save
  kg query callsites shop.Price --exclude '**/*_test.go'
  kg query impact Cart.Add --change signature
  kg query hubs --by pagerank --max 10 -o json
  kg query dead-code --graph shop.kg`,
		Args: arguments(1, 3, "QUESTION"),
		RunE: runs(func(cmd *cobra.Command, args []string) error {
			list, err := out.all()
			if err != nil {
				return err
			}
			r.Op = args[0]
			if len(args) > 1 {
				r.Target = args[1]
			}
			if len(args) > 2 {
				r.To = args[2]
			}
			if context < -1 {
				return usage("--context must not be negative")
			}
			return a.query(cmd.Context(), &g, r, context, list)
		}),
	}
	g.add(cmd)
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&r.Depth, "depth", 0, "follow up to `N` steps (default: what suits the question)")
	f.StringArrayVar(&r.Scope, "scope", nil, "show only what is in paths that match `GLOB`; may be repeated")
	f.StringArrayVar(&r.Exclude, "exclude", nil, "leave out what is in paths that match `GLOB`; may be repeated")
	f.StringSliceVar(&r.Kinds, "kind", nil, "show only `KIND`s of declarations: type, callable, "+strings.Join(query.KindNames(), ", "))
	f.StringSliceVar(&r.Edges, "edges", nil, "follow only these `KIND`s of relations")
	f.StringVar(&r.Certainty, "certainty", "", "the `LEAST` sure relation that counts: exact, inferred (default), ambiguous")
	f.BoolVar(&r.Direct, "direct", false, "do not follow calls through interfaces and overridden methods")
	f.StringVar(&r.By, "by", "", "rank hubs by `MEASURE`: in, out, pagerank, betweenness; complexity by cyclomatic or flow")
	f.StringVar(&r.Change, "change", "", "the `CHANGE` that impact supposes: "+strings.Join(supposedNames(), ", "))
	f.IntVar(&r.Max, "max", 0, "show at most `N` results (default 100)")
	f.IntVar(&r.MaxPerLevel, "max-per-level", 0, "show at most `N` results of one depth")
	f.StringVar(&r.Cursor, "cursor", "", "go on where the answer with this `CURSOR` ended")
	f.IntVar(&context, "context", -1, "show source lines, with `N` lines around each place")
	out = outputFlag(cmd, "text", "json")
	complete(cmd, "certainty", "exact", "inferred", "ambiguous")
	complete(cmd, "change", supposedNames()...)
	complete(cmd, "by", "in", "out", "pagerank", "betweenness", "cyclomatic", "flow")
	cmd.ValidArgs = questionNames()
	return cmd
}

func questionList() string {
	var b strings.Builder
	for _, o := range query.Ops() {
		fmt.Fprintf(&b, "  %-16s %s\n", o.Name, o.Doc)
	}
	for _, q := range questions {
		fmt.Fprintf(&b, "  %-16s %s\n", q.name, q.doc)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (a *app) query(ctx context.Context, g *graphFlags, r query.Request, context int, list []output) error {
	if err := knownQuestion(r.Op); err != nil {
		return usage(err.Error()) // before a graph is made
	}
	op, ok := query.FindOp(r.Op)
	g.bare = ok && op.From == query.Relations && !slices.ContainsFunc(list, func(o output) bool { return o.format == "json" }) // which shows signatures
	s, err := a.openSession(ctx, g)
	if err != nil {
		return err
	}
	defer s.close()
	if context < 0 && r.Op == "callsites" {
		context = 0 // a place without its line says little
	}
	answer, err := a.ask(ctx, s, r, context)
	if err != nil {
		return err
	}
	age := a.tellAge(s)
	for _, o := range list {
		say := func(w io.Writer) error { return answerText(w, answer) }
		if o.format == "json" {
			say = func(w io.Writer) error { return writeJSON(w, toldAnswer{answer, age}) }
		}
		if err := a.write(ctx, o.path, say); err != nil {
			return err
		}
	}
	return nil
}

// toldAnswer is an answer with what is known of the age of a graph file.
type toldAnswer struct {
	*query.Answer
	Freshness *freshness `json:"freshness,omitempty"`
}

// answerText writes an answer for people. No line begins with what comes from
// the repository.
func answerText(w io.Writer, a *query.Answer) error {
	var b strings.Builder
	esc := report.Escape
	title := strings.ReplaceAll(a.Op, "_", " ")
	if a.Target != nil {
		title += " of " + esc(a.Target.Name) + at(a.Target)
	}
	if a.To != nil {
		title += " to " + esc(a.To.Name) + at(a.To)
	}
	switch {
	case len(a.Candidates) > 0 || len(a.Near) > 0 || a.Total == 0 && a.Target == nil && a.Reason != "":
		fmt.Fprintf(&b, "%s: %s\n", title, esc(a.Reason))
	case a.Total == 0:
		fmt.Fprintf(&b, "%s: none: %s\n", title, esc(a.Reason))
	case a.Returned < a.Total:
		fmt.Fprintf(&b, "%s: %s, %s shown\n", title, thousands(a.Total), thousands(a.Returned))
	default:
		fmt.Fprintf(&b, "%s: %s\n", title, thousands(a.Total))
	}
	for _, list := range []struct {
		title string
		of    []query.Symbol
	}{{"It may be", a.Candidates}, {"Near names", a.Near}} {
		if len(list.of) > 0 {
			fmt.Fprintf(&b, "%s:\n", list.title)
			for i := range list.of {
				fmt.Fprintf(&b, "  %s%s  %s\n", esc(list.of[i].ID), at(&list.of[i]), list.of[i].Kind)
			}
		}
	}
	for i := range a.Results {
		resultText(&b, a, &a.Results[i])
	}
	if a.Total > 0 && a.Reason != "" {
		for line := range strings.SplitSeq(a.Reason, "\n") {
			fmt.Fprintf(&b, "  %s\n", esc(line))
		}
	}
	if a.Ambiguous > 0 && a.Total > 0 {
		fmt.Fprintf(&b, "%s more, of which only the name matches: --certainty ambiguous\n", thousands(a.Ambiguous))
	}
	if a.Suggestion != "" {
		fmt.Fprintf(&b, "Next: %s\n", esc(a.Suggestion))
	}
	if a.Cursor != "" {
		fmt.Fprintf(&b, "Cursor: %s\n", a.Cursor)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func at(s *query.Symbol) string {
	if s.File == "" {
		return ""
	}
	if s.Line == 0 {
		return "  " + report.Escape(s.File)
	}
	if s.Name == s.File {
		return "" // a file, which is named already
	}
	return fmt.Sprintf("  %s:%d", report.Escape(s.File), s.Line)
}

func resultText(b *strings.Builder, a *query.Answer, r *query.Result) {
	esc := report.Escape
	b.WriteString("  ")
	if len(a.PerDepth) > 1 || a.Op == "path" {
		fmt.Fprintf(b, "%2d  ", r.Depth)
	}
	b.WriteString(esc(r.Symbol.Name) + at(&r.Symbol))
	var said []string
	if r.Relation != "" {
		text := relationText(r.Relation)
		for i, p := range r.Sites {
			if i == 3 {
				text += fmt.Sprintf(" and %d more", r.SiteTotal-i)
				break
			}
			switch {
			case i == 0 && p.File == r.Symbol.File:
				text += fmt.Sprintf(" in line %d", p.Line)
			case i == 0:
				text += fmt.Sprintf(" at %s:%d", esc(p.File), p.Line)
			default:
				text += fmt.Sprintf(", %d", p.Line)
			}
		}
		said = append(said, text)
	} else if r.Symbol.Kind != "" {
		said = append(said, r.Symbol.Kind)
	}
	if r.Via != "" && a.Op != "path" {
		said = append(said, "via "+esc(r.Via))
	}
	if r.Certainty != "" && r.Certainty != "exact" {
		said = append(said, r.Certainty)
	}
	if r.Cycle {
		said = append(said, "cycle")
	}
	if r.Symbol.Test {
		said = append(said, "test")
	}
	if r.Value != 0 {
		said = append(said, fmt.Sprintf("%.4g", r.Value))
	}
	if r.Note != "" {
		said = append(said, esc(r.Note))
	}
	if m := r.Metrics; m != nil {
		if m.Cyclomatic > 0 {
			said = append(said, fmt.Sprintf("complexity %d", m.Cyclomatic))
		}
		said = append(said, fmt.Sprintf("%d lines, %d tokens, fan-in %d, fan-out %d", m.Lines, m.Tokens, m.FanIn, m.FanOut))
	}
	fmt.Fprintf(b, "  %s\n", strings.Join(said, "; "))
	if a.Op == "symbol" && r.Symbol.Signature != "" {
		fmt.Fprintf(b, "      %s\n      %s\n", esc(r.Symbol.Signature), esc(r.Symbol.ID))
	}
	for i := range r.Sites {
		p := &r.Sites[i]
		if len(p.Condition) > 0 {
			fmt.Fprintf(b, "      under: %s\n", esc(strings.Join(p.Condition, " · ")))
		}
		snippetText(b, p.Snippet, p.Line)
	}
	snippetText(b, r.Snippet, 0)
}

// relationText says a relation in words.
func relationText(relation string) string {
	switch relation {
	case graph.EdgeHTTPCalls.String():
		return "requests it"
	case graph.EdgePublishes.String():
		return "sends messages to it"
	}
	return strings.ReplaceAll(relation, "_", " ")
}

// snippetText marks the line that it is about.
func snippetText(b *strings.Builder, s *query.Snippet, about int) {
	if s == nil {
		return
	}
	if s.Missing != "" {
		fmt.Fprintf(b, "      (%s)\n", s.Missing)
		return
	}
	if s.Changed {
		b.WriteString("      (the file changed since the graph was made: lines may have moved)\n")
	}
	for i, line := range s.Lines {
		mark := ' '
		if s.Line+i == about && len(s.Lines) > 1 {
			mark = '>'
		}
		fmt.Fprintf(b, "    %c%5d  %s\n", mark, s.Line+i, report.Escape(strings.ReplaceAll(line, "\t", "    ")))
	}
	if s.Cut {
		b.WriteString("             …\n")
	}
}
