package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/history"
	"github.com/codekg/kg/analyzer/source"
)

func entry(files ...string) history.Entry {
	e := history.Entry{Parents: 1}
	for _, f := range files {
		e.Changes = append(e.Changes, history.FileChange{Path: f, Kind: history.Modified})
	}
	return e
}

func TestConfidence(t *testing.T) {
	log := &history.Log{Commits: []history.Entry{
		entry("a.go", "b.go"), entry("a.go", "b.go"), entry("a.go", "c.go"),
		{Parents: 1, Changes: []history.FileChange{{Path: "a.go", OldPath: "old.go", Kind: history.Renamed}}},
		entry("old.go", "c.go"), entry("old.go", "c.go"), {Parents: 2, Changes: entry("a.go", "m.go").Changes},
	}}
	got := newConfidence(log).rank([]string{"a.go"}, func(p string) bool { return p != "gone.go" })
	if want := []string{"c.go", "b.go"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestAsk: a file that only the commit itself connects is not found.
func TestAsk(t *testing.T) {
	var entries []source.Entry
	for name := range strings.FieldsSeq("a.go b.go c.go x.md") {
		entries = append(entries, source.Entry{Path: name})
	}
	log := &history.Log{Commits: []history.Entry{entry("a.go", "b.go"), entry("a.go", "c.go"), entry("a.go", "b.go")}}
	o := ask(log, entries, append(entry("a.go", "c.go", "x.md").Changes, history.FileChange{Path: "new.go", Kind: history.Added}), false)
	if want := []float64{1, 0.5}; !slices.Equal(o.ranked, want) || !slices.Equal(o.plain, want) {
		t.Errorf("%+v", o)
	}
	alone := ask(log, entries, entry("x.md", "c.go").Changes, false)
	if len(alone.ranked) != 0 {
		t.Errorf("a question without files: %+v", alone)
	}
}

func TestSummarize(t *testing.T) {
	same := summarize("same", []outcome{{plain: []float64{1, 0.5}, ranked: []float64{1, 0.5}}, {plain: []float64{0.25}, ranked: []float64{0.25}}}, 100)
	if same.Difference != 0 || same.Low != 0 || same.High != 0 || same.Files != 3 || same.Commits != 2 {
		t.Errorf("%+v", same)
	}
	better := summarize("better", []outcome{{plain: []float64{0}, ranked: []float64{1}}, {plain: []float64{0.5}, ranked: []float64{1}}}, 1000)
	if better.Difference != 0.75 || better.Low != 0.5 || better.High != 1 {
		t.Errorf("%+v", better)
	}
	if none := summarize("none", nil, 10); none.Kg != 0 {
		t.Errorf("%+v", none)
	}
}
