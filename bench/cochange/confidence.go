package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/history"
)

// confidence is the ranking to beat: of all changed files, the one whose commits
// most often changed the candidate too counts; ties go to more such commits,
// then to the alphabet. It shares with kg which commits count, that renamed
// files keep their history, and which files can be proposed. Shares no code with
// it, so that a mistake in one is not in both.
type confidence struct {
	commits map[string][]int // of each file
	files   [][]string       // of each commit
}

// Of several limits this gave confidence its best figures.
const plainMaxFiles = 20

func newConfidence(log *history.Log) *confidence {
	c := &confidence{commits: map[string][]int{}}
	now := map[string]string{} // names by former names
	name := func(p string) string { return cmp.Or(now[p], p) }
	for _, e := range log.Commits {
		var files []string
		for _, f := range e.Changes {
			if f.Kind != history.ModeOnly {
				files = append(files, name(f.Path))
			}
		}
		for _, f := range e.Changes {
			if f.Kind == history.Renamed && now[f.OldPath] == "" {
				now[f.OldPath] = name(f.Path)
			}
		}
		if e.Parents > 1 || len(files) > plainMaxFiles {
			continue
		}
		slices.Sort(files)
		files = slices.Compact(files)
		for _, f := range files {
			c.commits[f] = append(c.commits[f], len(c.files))
		}
		c.files = append(c.files, files)
	}
	return c
}

func (c *confidence) rank(question []string, exists func(string) bool) []string {
	type candidate struct {
		file       string
		confidence float64
		support    int
	}
	best := map[string]candidate{}
	for _, q := range question {
		together := map[string]int{}
		for _, n := range c.commits[q] {
			for _, f := range c.files[n] {
				together[f]++
			}
		}
		for f, n := range together {
			if slices.Contains(question, f) || !exists(f) {
				continue
			}
			old := best[f]
			best[f] = candidate{f, max(old.confidence, float64(n)/float64(len(c.commits[q]))), old.support + n}
		}
	}
	var all []candidate
	for _, b := range best {
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.confidence, a.confidence), cmp.Compare(b.support, a.support), strings.Compare(a.file, b.file))
	})
	ranked := make([]string, len(all))
	for i, b := range all {
		ranked[i] = b.file
	}
	return ranked
}
