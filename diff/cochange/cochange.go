// Package cochange tells which files usually change together with those of a
// change, by a repository's history. That is a habit and not a dependency:
// nothing in the code need connect the files, and a change may rightly leave
// one of them out.
//
// The package is pure: a [history.Log] and the names of changed files in, a
// ranking out. Give it only what was known before the change.
//
// # What counts
//
// Merges do not count, because the commits of what they merged do. Commits of
// more than MaxFiles files do not count: they reformat or rename, and connect
// everything with everything. Changes of the mode alone do not count. A file
// that was renamed keeps its history, if its content was the same in the commit
// that renamed it.
//
// Lock files and checksum files are left out on both sides, because a tool
// writes them. Tests and documents are files like any others; that a test has
// its subject's name makes it likelier, and that a changelog changes with
// everything makes it less likely.
//
// # The ranking
//
// Each past commit that has some of the changed files speaks for the others
// that it has. It speaks the louder the more of the changed files it has, and
// the smaller and the more recent it is. Age is counted in commits of the
// changed file, not in days, so that a file that is seldom touched does not
// forget its habits. What a changed file says is divided by how often it
// changed, as confidence is, but its first commits prove less; files that change
// all the time say less in all. Files beside a changed one, and files
// of nearly the same name, are preferred among those with a history; they are
// never proposed without one.
//
// bench/cochange measures how much better that is than ranking by confidence.
package cochange

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/history"
)

// MaxFiles is the most files of a commit that counts. Between 20 and 100 it
// makes little difference.
const MaxFiles = 50

// The weights of the ranking. They were chosen on two repositories, and doubling
// or halving one of them changes little.
const (
	halfLife    = 20  // after so many commits of the changed file, one counts half
	fewCommits  = 1   // a file with so many commits is believed half
	quietPower  = 0.3 // a changed file counts by 1/(1+commits) to this power
	commonPower = 0.1 // a candidate counts by 1/(1+commits) to this power
	besideBonus = 2   // for a candidate in the folder of a changed file
	namedBonus  = 2   // and of its name, affixes of tests left out
)

// Habit is a file that usually changes with the changed ones.
type Habit struct {
	File string

	// With are the changed files that it usually changes with, the one with
	// the strongest habit first; at most MaxWith.
	With []string

	// Support is the number of commits that changed both File and With[0].
	Support int

	// Confidence is the share of the commits of With[0] that changed File too.
	Confidence float64

	// Score orders habits and has no other meaning.
	Score float64
}

// MaxWith is the most files that a Habit names in With.
const MaxWith = 5

// Index is a log made ready for questions. It is not changed by them.
type Index struct {
	paths   []string // by number, as the newest commit that has the file names it
	numbers map[string]int32
	commits [][]int32 // the files of each commit that counts, newest first
	of      [][]int32 // the commits of each file, newest first
}

// New makes an index. The log must not have the change that will be asked about.
func New(log *history.Log) *Index {
	x := &Index{numbers: map[string]int32{}}
	renamed := map[string]int32{} // names that only older commits use for a file
	number := func(path string) int32 {
		if n, ok := renamed[path]; ok {
			return n
		}
		return x.number(path)
	}
	for i := range log.Commits {
		e := &log.Commits[i]
		if e.Parents > 1 {
			continue
		}
		counts := len(e.Changes) <= MaxFiles && !e.Partial
		var files []int32
		for k := range e.Changes {
			c := &e.Changes[k]
			if counts && c.Kind != history.ModeOnly && !written(c.Path) {
				files = append(files, number(c.Path))
			}
		}
		for k := range e.Changes {
			if c := &e.Changes[k]; c.Kind == history.Renamed {
				if _, again := renamed[c.OldPath]; !again {
					renamed[c.OldPath] = number(c.Path)
				}
			}
		}
		if len(files) == 0 {
			continue
		}
		slices.Sort(files)
		files = slices.Compact(files)
		for _, f := range files {
			x.of[f] = append(x.of[f], int32(len(x.commits)))
		}
		x.commits = append(x.commits, files)
	}
	return x
}

// number returns the number of the file that the newest commit knows by a path.
func (x *Index) number(path string) int32 {
	n, ok := x.numbers[path]
	if !ok {
		n = int32(len(x.paths))
		x.numbers[path] = n
		x.paths = append(x.paths, path)
		x.of = append(x.of, nil)
	}
	return n
}

// Commits returns the number of commits that count.
func (x *Index) Commits() int { return len(x.commits) }

// Rank returns the files that changed together with the given ones at least
// once, likeliest first. Paths are those of the newest commit of the log. Only
// files for which exists is true are in it, and none of the given ones.
func (x *Index) Rank(changed []string, exists func(path string) bool) []Habit {
	r := ranking{index: x, changed: map[int32]bool{}, tallies: map[int32]*tally{}}
	var asked []int32
	for _, path := range changed {
		if n, ok := x.numbers[path]; ok && !written(path) && !r.changed[n] {
			r.changed[n] = true
			asked = append(asked, n)
		}
	}
	slices.SortFunc(asked, func(a, b int32) int { return strings.Compare(x.paths[a], x.paths[b]) })
	for _, f := range asked {
		r.ask(f)
	}
	near := neighbourhood(changed)
	habits := make([]Habit, 0, len(r.tallies))
	for n, t := range r.tallies {
		if path := x.paths[n]; exists(path) {
			h := t.habit(x, path)
			h.Score *= near.bonus(path) / math.Pow(1+float64(len(x.of[n])), commonPower)
			h.Score = math.Round(h.Score*1e9) / 1e9 // the same on all processors
			habits = append(habits, h)
		}
	}
	slices.SortFunc(habits, func(a, b Habit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Support, a.Support), strings.Compare(a.File, b.File))
	})
	return habits
}

// ranking is one question.
type ranking struct {
	index   *Index
	changed map[int32]bool
	tallies map[int32]*tally
	touched []int32 // by the changed file that is asked
}

// tally is what the changed files say of one other file.
type tally struct {
	score  float64
	weight float64 // from the changed file that is asked
	count  int
	with   []witness
}

// witness is a changed file that was changed with another one.
type witness struct {
	file          int32
	count, common int // commits of the file, and those with the other
}

// strength is confidence, but two commits of two prove less than ten of ten.
func (w *witness) strength() float64 { return float64(w.common) / float64(w.count+fewCommits) }

// ask hears what the commits of one changed file say.
func (r *ranking) ask(f int32) {
	x := r.index
	commits := x.of[f]
	total := 0.0
	r.touched = r.touched[:0]
	for age, c := range commits {
		files := x.commits[c]
		same := 0
		for _, g := range files {
			if r.changed[g] {
				same++
			}
		}
		fresh := math.Exp2(-float64(age) / halfLife)
		total += fresh
		weight := fresh * float64(same*same) / float64(max(1, len(files)-1))
		for _, g := range files {
			if r.changed[g] {
				continue
			}
			t := r.tallies[g]
			if t == nil {
				t = &tally{}
				r.tallies[g] = t
			}
			if t.count == 0 {
				r.touched = append(r.touched, g)
			}
			t.weight += weight
			t.count++
		}
	}
	voice := math.Pow(1+total, -quietPower) / (total + fewCommits)
	for _, g := range r.touched {
		t := r.tallies[g]
		t.score += t.weight * voice
		t.with = append(t.with, witness{f, len(commits), t.count})
		t.weight, t.count = 0, 0
	}
}

// habit says what was heard of a file.
func (t *tally) habit(x *Index, path string) Habit {
	slices.SortFunc(t.with, func(a, b witness) int {
		return cmp.Or(cmp.Compare(b.strength(), a.strength()), cmp.Compare(b.common, a.common),
			strings.Compare(x.paths[a.file], x.paths[b.file]))
	})
	best := t.with[0]
	h := Habit{File: path, Score: t.score, Support: best.common, Confidence: float64(best.common) / float64(best.count)}
	for _, w := range t.with {
		if len(h.With) < MaxWith && w.strength() >= best.strength()/2 {
			h.With = append(h.With, x.paths[w.file])
		}
	}
	return h
}
