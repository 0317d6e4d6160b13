package source

import (
	"container/heap"
	"fmt"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/history"
)

// Marks of a commit while merge bases are searched.
const (
	fromA uint8 = 1 << iota
	fromB
	stale  // an ancestor of a common ancestor
	result // a common ancestor
)

// MergeBase returns the best common ancestors of two commits: those that are
// not ancestors of another. Nearly always there is one. Several, which
// criss-cross merges leave, are sorted by committer date, newest first, then
// by hash; the first is the one to compare with, and the caller should say
// that there were others.
//
// The error wraps [ErrNoCommonAncestor], or [ErrShallow] if the history that
// was fetched does not reach one. It reads the commits of both sides down to
// the ancestors, and few beyond.
func (r *Repo) MergeBase(a, b history.Commit) ([]history.Commit, error) {
	if a.ID == b.ID {
		return []history.Commit{a}, nil
	}
	candidates, err := r.commonAncestors(a, b)
	if err != nil {
		return nil, err
	}
	if len(candidates) == 0 {
		if r.IsShallow() {
			return nil, &Error{
				Kind: ErrShallow,
				Text: fmt.Sprintf("the history that was fetched does not reach a common ancestor of %.12s and %.12s", a.ID, b.ID),
				Hint: unshallow,
			}
		}
		return nil, &Error{
			Kind: ErrNoCommonAncestor,
			Text: fmt.Sprintf("%.12s and %.12s have no common ancestor", a.ID, b.ID),
			Hint: "compare the two trees as they are with --exact-base",
		}
	}
	best, err := r.independent(candidates)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(best, func(a, b history.Commit) int {
		if a.Time != b.Time {
			if a.Time > b.Time {
				return -1
			}
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
	return best, nil
}

// commonAncestors walks down from both commits, newest first, until all that
// is left to visit lies below a common ancestor. Commits with wrong dates
// may leave ancestors of each other in the answer.
func (r *Repo) commonAncestors(a, b history.Commit) ([]history.Commit, error) {
	marks := map[string]uint8{a.ID: fromA, b.ID: fromB}
	waiting := map[string]bool{a.ID: true, b.ID: true} // in the queue
	commits := map[string]history.Commit{a.ID: a, b.ID: b}
	queue := commitQueue{a, b}
	heap.Init(&queue)
	fresh := 2 // commits in the queue that are not stale
	var found []history.Commit

	for fresh > 0 {
		c := heap.Pop(&queue).(history.Commit)
		waiting[c.ID] = false
		mark := marks[c.ID] & (fromA | fromB | stale)
		if mark&stale == 0 {
			fresh--
		}
		if mark == fromA|fromB {
			if marks[c.ID]&result == 0 {
				marks[c.ID] |= result
				found = append(found, c)
			}
			mark |= stale
		}
		parents, err := r.parents(c)
		if err != nil {
			return nil, err
		}
		for _, id := range parents {
			before := marks[id]
			if before&mark == mark {
				continue
			}
			marks[id] |= mark
			if waiting[id] {
				if before&stale == 0 && mark&stale != 0 {
					fresh--
				}
				continue
			}
			p, known := commits[id]
			if !known {
				if p, err = r.Commit(id); err != nil {
					return nil, err
				}
				commits[id] = p
			}
			heap.Push(&queue, p)
			waiting[id] = true
			if marks[id]&stale == 0 {
				fresh++
			}
		}
	}
	kept := found[:0]
	for _, c := range found {
		if marks[c.ID]&stale == 0 {
			kept = append(kept, c)
		}
	}
	return kept, nil
}

// independent drops the candidates that are ancestors of others.
func (r *Repo) independent(candidates []history.Commit) ([]history.Commit, error) {
	if len(candidates) == 1 {
		return candidates, nil
	}
	wanted := map[string]bool{}
	for _, c := range candidates {
		wanted[c.ID] = true
	}
	seen := map[string]bool{}
	stack := slices.Clone(candidates)
	for len(stack) > 0 {
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		parents, err := r.parents(c)
		if err != nil {
			return nil, err
		}
		for _, id := range parents {
			delete(wanted, id)
			if seen[id] {
				continue
			}
			seen[id] = true
			p, err := r.Commit(id)
			if err != nil {
				return nil, err
			}
			stack = append(stack, p)
		}
	}
	return slices.DeleteFunc(candidates, func(c history.Commit) bool { return !wanted[c.ID] }), nil
}

// commitQueue is a heap of commits, newest first.
type commitQueue []history.Commit

func (q commitQueue) Len() int { return len(q) }
func (q commitQueue) Less(i, j int) bool {
	if q[i].Time != q[j].Time {
		return q[i].Time > q[j].Time
	}
	return q[i].ID < q[j].ID
}
func (q commitQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *commitQueue) Push(c any)   { *q = append(*q, c.(history.Commit)) }
func (q *commitQueue) Pop() any {
	last := len(*q) - 1
	c := (*q)[last]
	*q = (*q)[:last]
	return c
}
