package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/impact"
	"github.com/codekg/kg/diff/rules"
)

// Bounds of a report that is read. A change of two thousand symbols makes a
// report of some megabytes.
const (
	maxReport  = 64 << 20
	maxEntries = 200_000 // of any list
	maxNumber  = 1 << 30
)

// Read reads a report that [Format] json wrote. It may come from anybody: it is
// refused unless it obeys the schema, so that whatever a format does with it is
// what it does with a report that kg made. What the strings in it say is not
// checked; formats take all of them for hostile.
func Read(in io.Reader) (*Report, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxReport+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxReport {
		return nil, fmt.Errorf("a report has at most %d MB", maxReport>>20)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var r Report
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("no report of kg impact: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("no report of kg impact: something follows it")
	}
	c := checker{}
	c.report(&r)
	if c.err != nil {
		return nil, fmt.Errorf("no report of kg impact: %w", c.err)
	}
	return &r, nil
}

// checker holds a report against the schema, and keeps the first error.
type checker struct{ err error }

func (c *checker) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

func (c *checker) word(what, s string, words []string) {
	if !slices.Contains(words, s) {
		c.fail("%s is %s", what, Escape(abridge(fmt.Sprintf("%q", s), longName)))
	}
}

func (c *checker) numbers(what string, ns ...int) {
	for _, n := range ns {
		if n < 0 || n > maxNumber {
			c.fail("%s is %d", what, n)
		}
	}
}

func (c *checker) entries(what string, n int) {
	if n > maxEntries {
		c.fail("%s has %d entries", what, n)
	}
}

var (
	readLevels      = []string{"note", "warning", "error"}
	readVerdicts    = []string{"silent", "compatible", "breaking"}
	readCertainties = func() (all []string) {
		for i := range graph.CertaintyCount {
			all = append(all, graph.Certainty(i).String())
		}
		return all
	}()
)

func (c *checker) report(r *Report) {
	if r.Schema != Schema {
		c.fail("its schema is %s, not %s", Escape(abridge(fmt.Sprintf("%q", r.Schema), longName)), Schema)
		return
	}
	for what, n := range map[string]int{"changes": len(r.Changes), "entry_points": len(r.EntryPoints), "tests": len(r.Tests.Tests), "whole": len(r.Tests.Whole),
		"cochange": len(r.Cochange), "owners": len(r.Owners), "findings": len(r.Findings), "unknowns": len(r.Unknowns)} {
		c.entries(what, n)
	}
	if len(r.Changes) == 0 && (r.Supposed || r.Stats.Totals.Broken > 0 || r.Stats.Totals.Impacted > 0) {
		c.fail("it has no changes, and says that they reach something")
	}
	for i := range r.Changes {
		c.change(&r.Changes[i])
	}
	for i := range r.EntryPoints {
		c.symbol(&r.EntryPoints[i].Symbol)
		c.numbers("a distance", r.EntryPoints[i].Distance)
	}
	c.word("tests.mode", r.Tests.Mode, impact.ModeNames())
	c.numbers("tests.total", r.Tests.Total)
	for _, w := range r.Tests.Reasons {
		c.word("a reason of tests", w.Reason, impact.WhyNames())
	}
	for _, t := range r.Tests.Tests {
		c.numbers("a distance", t.Distance)
		c.numbers("via_more", t.ViaMore)
		c.entries("run_by", len(t.RunBy))
	}
	for _, x := range r.Cochange {
		if !(x.Confidence >= 0 && x.Confidence <= 1) {
			c.fail("a confidence is %v", x.Confidence)
		}
		c.numbers("a support", x.Support)
	}
	for _, o := range r.Owners {
		c.numbers("owners", o.Symbols)
	}
	for i := range r.Findings {
		c.finding(&r.Findings[i])
	}
	if g := r.Gate; g != nil {
		c.numbers("gate.hits", g.Hits)
		for _, name := range g.FailOn {
			if rules.CheckGate(name) != nil {
				c.fail("the gate names %s", Escape(abridge(fmt.Sprintf("%q", name), longName)))
			}
		}
	}
	for _, u := range r.Unknowns {
		c.numbers("an unknown", u.Count, int(u.Line), int(u.EndLine))
	}
	s := &r.Stats
	c.totals(&s.Totals)
	c.numbers("stats", s.Breaking, s.Exported, s.Formatting, s.Files.Changed, s.Files.Added, s.Files.Removed, s.Files.Moved, s.Files.Lost,
		s.Base.Files, s.Base.Nodes, s.Base.Edges, s.Head.Files, s.Head.Nodes, s.Head.Edges)
	for k, n := range s.Changes {
		c.word("a change", k, diff.KindNames())
		c.numbers("stats.changes", n)
	}
}

func (c *checker) symbol(s *Symbol) { c.numbers("a line", int(s.Line)) }

func (c *checker) totals(t *Totals) {
	c.numbers("totals", t.Impacted, t.MustUpdate, t.ShouldReview, t.MayBeAffected, t.Ambiguous, t.Broken, t.BrokenSites)
	if t.Broken > t.MustUpdate {
		c.fail("more users are broken than must be updated")
	}
}

func (c *checker) change(x *Change) {
	c.symbol(&x.Symbol)
	if x.Was != nil {
		c.symbol(x.Was)
	}
	c.word("a change", x.Change, diff.KindNames())
	c.numbers("members", x.Members)
	c.totals(&x.Totals)
	c.entries("detail", len(x.Detail))
	c.entries("impacted", len(x.Impacted))
	for _, d := range x.Detail {
		c.word("a detail", d.Code, diff.CodeNames())
		c.word("a verdict", d.Verdict, readVerdicts)
		if d.Index != nil {
			c.numbers("an index", *d.Index)
		}
	}
	for i := range x.Impacted {
		u := &x.Impacted[i]
		c.symbol(&u.Symbol)
		c.word("a relation", u.Relation, impact.RelationNames())
		c.word("a severity", u.Severity, impact.SeverityNames())
		c.word("a certainty", u.Certainty, readCertainties)
		c.numbers("a depth", u.Depth)
		for _, s := range u.Sites {
			c.word("a state", s.State, impact.StateNames())
			if s.Note != "" {
				c.word("a note", s.Note, impact.NoteNames())
			}
			c.numbers("a line", int(s.Line))
		}
		for _, h := range u.Path {
			c.word("a certainty", h.Certainty, readCertainties)
			c.numbers("a line", int(h.Line))
		}
	}
}

func (c *checker) finding(f *Finding) {
	if rules.Named(f.Rule) == nil {
		c.fail("there is no rule %s", Escape(abridge(fmt.Sprintf("%q", f.Rule), longName)))
	}
	c.word("a level", f.Level, readLevels)
	c.numbers("a finding", int(f.Line), int(f.DiffLine), f.Total)
	c.entries("related", len(f.Related))
	if len(f.Fingerprint) != 32 || strings.Trim(f.Fingerprint, "0123456789abcdef") != "" {
		c.fail("a fingerprint is malformed")
	}
	for _, p := range f.Related {
		c.numbers("a line", int(p.Line))
	}
}
