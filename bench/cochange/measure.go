package main

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/history"
	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/diff/cochange"
)

type options struct {
	commits, limit, resamples int
	sourceOnly                bool
	cache                     string
}

// outcome is what came of one commit.
type outcome struct {
	plain, ranked []float64 // reciprocal ranks, one for each file left out
	found         int       // files left out that kg impact would name
	noise         int       // files that it would name for the whole commit
}

// measure asks about the last commits of a repository.
func measure(ctx context.Context, dir string, o options) ([]outcome, error) {
	repo, err := source.OpenRepo(dir)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	head, err := repo.Resolve("HEAD")
	if err != nil {
		return nil, err
	}
	past := source.HistoryOptions{Limit: o.limit, Cache: o.cache}
	all, err := repo.History(ctx, head, past)
	if err != nil {
		return nil, err
	}
	var outcomes []outcome
	for _, e := range all.Commits {
		if len(outcomes) == o.commits {
			break
		}
		if n := sourceFiles(e.Changes); e.Parents != 1 || n < 2 || n > 10 {
			continue
		}
		c, err := repo.Commit(e.ID)
		if err != nil {
			return nil, err
		}
		parent, err := repo.Commit(c.Parents[0])
		if err != nil {
			return nil, err
		}
		before, err := repo.History(ctx, parent, past)
		if err != nil {
			return nil, err
		}
		tree, err := repo.Revision(parent)
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, ask(before, tree.Entries(), e.Changes, o.sourceOnly))
		tree.Close()
	}
	return outcomes, nil
}

func sourceFiles(changes []history.FileChange) int {
	n := 0
	for _, c := range changes {
		if isSource(c.Path) {
			n++
		}
	}
	return n
}

// isSource reports whether people write programs into files of that name.
func isSource(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".go", ".py", ".js", ".jsx", ".ts", ".tsx", ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".rs", ".rb",
		".php", ".swift", ".scala", ".sh", ".lua", ".vim", ".proto", ".y":
		return true
	}
	return false
}

// ask leaves out the files of one commit, one after the other.
func ask(before *history.Log, entries []source.Entry, changes []history.FileChange, sourceOnly bool) outcome {
	exists := func(p string) bool {
		_, ok := source.Find(entries, p)
		return ok && (!sourceOnly || isSource(p))
	}
	var files, all []string // by their name before the commit
	for _, c := range changes {
		p := cmp.Or(c.OldPath, c.Path)
		if _, ok := source.Find(entries, p); ok {
			all = append(all, p)
			if isSource(p) {
				files = append(files, p)
			}
		}
	}
	index, plain := cochange.New(before), newConfidence(before)
	var o outcome
	for i, answer := range files {
		question := slices.Delete(slices.Clone(files), i, i+1)
		if len(question) == 0 {
			continue
		}
		habits := index.Rank(question, exists)
		o.ranked = append(o.ranked, reciprocal(slices.IndexFunc(habits, func(h cochange.Habit) bool { return h.File == answer })))
		o.plain = append(o.plain, reciprocal(slices.Index(plain.rank(question, exists), answer)))
		missing := index.Missing(slices.DeleteFunc(slices.Clone(all), func(p string) bool { return p == answer }), exists)
		if slices.ContainsFunc(missing, func(h cochange.Habit) bool { return h.File == answer }) {
			o.found++
		}
	}
	o.noise = len(index.Missing(all, exists))
	return o
}

func reciprocal(position int) float64 {
	if position < 0 {
		return 0
	}
	return 1 / float64(position+1)
}
