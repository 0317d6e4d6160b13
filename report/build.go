package report

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/impact"
)

// New makes the report of an impact. Co-change, owners and findings are the
// caller's to add.
func New(r *impact.Result, tool Tool, base, head Revision) *Report {
	d := r.Delta
	base.Tree, head.Tree = tree(base.Tree, d.Base), tree(head.Tree, d.Head)
	out := &Report{Schema: Schema, Tool: tool, Base: base, Head: head, Changes: []Change{}, EntryPoints: []EntryPoint{},
		Cochange: []Cochange{}, Owners: []Owner{}, Findings: []Finding{}, Unknowns: newUnknowns(r.Unknowns, r.Skipped, &d.Files)}
	out.Supposed = d.Base == d.Head && len(r.Changes) > 0
	for i := range r.Changes {
		c := newChange(d, r.Changes[i].Change)
		for j := range r.Changes[i].Impacted {
			c.Impacted = append(c.Impacted, newImpacted(&r.Changes[i].Impacted[j]))
		}
		c.Adapted = r.Changes[i].Adapted
		c.Totals = newTotals(r.Changes[i].Totals)
		out.Changes = append(out.Changes, c)
	}
	for i := range r.EntryPoints {
		x := &r.EntryPoints[i]
		out.EntryPoints = append(out.EntryPoints, EntryPoint{newSymbol(x.Symbol), x.Distance, keys(x.Via)})
	}
	out.Libraries, out.Shifted = newLibraries(d), newShifts(d)
	out.Tests = newTests(d.Head, &r.Tests)
	out.Stats = newStats(d)
	out.Stats.Formatting = 0
	for _, path := range d.Files.Formatting {
		if !slices.ContainsFunc(out.Tests.Reasons, func(w TestReason) bool { return slices.Contains(w.Paths, path) }) {
			out.Stats.Formatting++ // of the others more may have changed than graphs tell
		}
	}
	out.Stats.Totals = newTotals(r.Totals)
	return out
}

func tree(given string, g *graph.Graph) string {
	if given == "" && !g.Tree.IsZero() {
		return hex.EncodeToString(g.Tree[:])
	}
	return given
}

func newLibraries(d *diff.Delta) (out []Library) {
	for _, l := range d.Libraries {
		out = append(out, Library{l.From, l.To, l.Files})
	}
	return out
}

func newShifts(d *diff.Delta) (out []Shift) {
	for _, s := range d.Files.Shifted {
		out = append(out, Shift{s.From, s.To, s.Declarations})
	}
	return out
}

func newSymbol(n *graph.Node) Symbol {
	name := n.QName
	if name == "" {
		name = n.Name
	}
	return Symbol{ID: n.Key, Kind: n.Kind.String(), Name: name, File: n.File, Line: n.Line, Test: n.Flags.Has(graph.FlagTest)}
}

func newChange(d *diff.Delta, c *diff.Change) Change {
	n := d.Symbol(c)
	out := Change{Symbol: newSymbol(n), Change: c.Kind.String(), Breaking: c.Breaking, Exported: d.Exported(c), Detail: []Detail{},
		Members: c.Members, Uncertain: c.Uncertain, Impacted: []Impacted{}}
	if was := d.Was(c); was != nil && (was.Key != n.Key || was.File != n.File) {
		s := newSymbol(was)
		out.Was = &s
	}
	named := typeParams(d, c)
	for _, x := range c.Details {
		y := Detail{Code: x.Code.String(), Verdict: x.Verdict.String(), Name: x.Name, From: named.Replace(x.From), To: named.Replace(x.To)}
		if x.Index >= 0 {
			y.Index = &x.Index
		}
		out.Detail = append(out.Detail, y)
	}
	return out
}

// typeParams replaces type parameters, which graphs number, by their names: of
// the declaration, or of the type that it belongs to.
func typeParams(d *diff.Delta, c *diff.Change) *strings.Replacer {
	g, n := d.Head, c.Head
	if n == graph.None {
		g, n = d.Base, c.Base
	}
	var pairs []string
	for ; n != graph.None && len(pairs) == 0; n = g.Nodes[n].Parent {
		for i, p := range g.Nodes[n].Signature.TypeParams {
			pairs = append([]string{fmt.Sprintf("$%d", i), p.Name}, pairs...) // $10 before $1
		}
	}
	return strings.NewReplacer(pairs...)
}

func newImpacted(x *impact.Impacted) Impacted {
	out := Impacted{Symbol: newSymbol(x.Symbol), Relation: x.Relation.String(), Severity: x.Severity.String(), Depth: x.Depth,
		Certainty: x.Certainty.String(), Sites: []Site{}, Path: []Hop{}}
	for _, s := range x.Sites {
		at := Site{File: s.File, Line: s.Line, State: s.State.String(), Note: s.Note.String()}
		if s.Relation != x.Relation {
			at.Relation = s.Relation.String()
		}
		out.Sites = append(out.Sites, at)
	}
	for _, h := range x.Path {
		out.Path = append(out.Path, Hop{h.From.Key, h.To.Key, h.Kind.String(), h.File, h.Line, h.Certainty.String()})
	}
	return out
}

func newTotals(t impact.Totals) Totals {
	return Totals{t.Impacted, t.MustUpdate, t.ShouldReview, t.MayBeAffected, t.Ambiguous, t.Broken, t.BrokenSites}
}

func newTests(head *graph.Graph, t *impact.Tests) Tests {
	out := Tests{Mode: t.Mode.String(), Reasons: []TestReason{}, Tests: []Test{}, Total: t.Total}
	for _, w := range t.Reasons {
		out.Reasons = append(out.Reasons, TestReason{w.Why.String(), append([]string{}, w.Paths...)})
	}
	for i := range t.Tests {
		x := &t.Tests[i]
		_, name := graph.SplitKey(x.Symbol.Key)
		out.Tests = append(out.Tests, Test{ID: x.Symbol.Key, Runner: x.Runner, File: x.Symbol.File, Symbol: name,
			Package: x.Package, Distance: x.Distance, Via: keys(x.Via), ViaMore: x.ViaMore, RunBy: newTestRuns(head, x), RunByWhole: x.Wide})
	}
	for i := range t.Whole {
		x := &t.Whole[i]
		w := Whole{ID: x.Symbol.Key, Runner: x.Runner, File: x.Symbol.File, Package: x.Package}
		if x.Symbol.Kind != graph.KindFile {
			_, w.Symbol = graph.SplitKey(x.Symbol.Key)
		}
		out.Whole = append(out.Whole, w)
	}
	return out
}

// newTestRuns returns how a test is run, if not only where it stands.
func newTestRuns(head *graph.Graph, x *impact.Reached) []TestRun {
	var out []TestRun
	for _, r := range x.Runs {
		by := &head.Nodes[r.By]
		_, name := graph.SplitKey(by.Key)
		switch {
		case r.Of == graph.None && len(x.Runs) == 1 && !x.Wide:
			return nil
		case by.Kind == graph.KindFile:
			_, name = graph.SplitKey(x.Symbol.Key)
		case r.Of != graph.None:
			name += strings.TrimPrefix(x.Symbol.Key, head.Nodes[r.Of].Key)
		}
		out = append(out, TestRun{ID: by.Key, File: by.File, Symbol: name})
	}
	return out
}

func keys(ns []*graph.Node) []string {
	out := make([]string, len(ns))
	for i, n := range ns {
		out[i] = n.Key
	}
	return out
}

// newUnknowns puts first what weighs most: lost files, then skipped languages,
// then the rest in the order of files.
func newUnknowns(us []graph.Unknown, skipped []graph.Skipped, files *diff.Files) []Unknown {
	out := []Unknown{}
	lost := map[string]bool{}
	for _, f := range files.Lost {
		lost[f.Path] = true
	}
	for pass := range 3 {
		if pass == 1 {
			for _, s := range skipped {
				out = append(out, Unknown{Reason: SkippedLanguage, Detail: s.Lang, Count: int(s.Files)})
			}
			continue
		}
		for i := range us {
			if u := &us[i]; lost[u.File] == (pass == 0) {
				out = append(out, Unknown{Reason: u.Reason.String(), File: u.File, Line: u.Line, EndLine: u.EndLine,
					Detail: u.Detail, Count: int(max(u.Count, 1)), Lost: lost[u.File]})
			}
		}
	}
	return out
}

func newStats(d *diff.Delta) Stats {
	s := Stats{Changes: map[string]int{}, Formatting: len(d.Files.Formatting),
		Files: FileStats{d.Files.Changed, d.Files.Added, d.Files.Removed, len(d.Files.Moved), len(d.Files.Lost)},
		Base:  GraphStats{len(d.Base.Files), len(d.Base.Nodes), len(d.Base.Edges)},
		Head:  GraphStats{len(d.Head.Files), len(d.Head.Nodes), len(d.Head.Edges)}}
	for i := range d.Changes {
		s.Changes[d.Changes[i].Kind.String()]++
		if d.Changes[i].Breaking {
			s.Breaking++
			if d.Exported(&d.Changes[i]) {
				s.Exported++
			}
		}
	}
	return s
}
