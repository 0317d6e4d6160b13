package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/history"
	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/diff/cochange"
	"github.com/codekg/kg/report"
)

// How many commits are looked at for habits. A report waits for those of
// impactHistory; four times as many make the ranking of repositories that have
// them better by two hundredths.
const (
	impactHistory   = 5_000
	cochangeHistory = 20_000
)

func (a *app) historyOptions(limit int, cache bool) source.HistoryOptions {
	o := source.HistoryOptions{Limit: limit}
	if cache {
		o.Cache = a.cacheDir()
	}
	return o
}

// cacheDir is where kg keeps what it can find out again, or empty if the
// environment names no such place.
func (a *app) cacheDir() string {
	if dir := a.getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "kg")
	}
	if home := a.getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".cache", "kg")
	}
	return ""
}

// pastReader reads the history before a change while its graphs are made.
type pastReader struct {
	cancel context.CancelFunc
	done   chan struct{}
	log    *history.Log
	err    error
}

// readPast begins to read. A base that is no revision has no history.
func (a *app) readPast(ctx context.Context, r *repository, b *base) (*pastReader, error) {
	if b.origin != fromRevision {
		return nil, nil
	}
	repo, err := r.open()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	p := &pastReader{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.log, p.err = repo.History(ctx, b.commit, a.historyOptions(impactHistory, true))
	}()
	return p, nil
}

// stop ends the reading; the repository may be closed then.
func (p *pastReader) stop() {
	if p != nil {
		p.cancel()
		<-p.done
	}
}

// leftOut adds to a report the files that usually change together with those of
// the change, and that it leaves out.
func (c *comparison) leftOut(rep *report.Report) {
	p := c.past
	if p == nil || c.files == nil || c.base.tree == nil || c.head.tree == nil {
		return
	}
	<-p.done
	if p.err != nil {
		rep.Unknowns = append(rep.Unknowns, report.Unknown{Reason: graph.ReasonUnreadable.String(), Count: 1,
			Detail: "the history before the change: " + p.err.Error()})
		return
	}
	seen := fmt.Sprintf("%s of history seen: ", plural(len(p.log.Commits), "commit"))
	switch p.log.Cut {
	case history.AtShallow:
		rep.Unknowns = append(rep.Unknowns, report.Unknown{Reason: graph.ReasonShallow.String(), Count: 1,
			Detail: seen + "this clone has no more, so habits may be missing"})
	case history.AtMissing:
		rep.Unknowns = append(rep.Unknowns, report.Unknown{Reason: graph.ReasonMissingObject.String(), Count: 1,
			Detail: seen + "this clone lacks parts of the rest, so habits may be missing"})
	}
	var changed []string
	for _, f := range c.files {
		changed = append(changed, cmp.Or(f.OldPath, f.Path))
	}
	before, after := among(c.base.tree.Entries()), among(c.head.tree.Entries())
	for _, h := range cochange.New(p.log).Missing(changed, func(path string) bool { return before(path) && after(path) }) {
		rep.Cochange = append(rep.Cochange, newCochange(h))
	}
}

func newCochange(h cochange.Habit) report.Cochange {
	return report.Cochange{File: h.File, Confidence: math.Round(h.Confidence*1e4) / 1e4, Support: h.Support, With: h.With}
}
