package source

import (
	"cmp"
	"container/heap"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/sourcegraph/conc/pool"

	"github.com/codekg/kg/analyzer/history"
)

// HistoryOptions adapt [Repo.History]. The zero value reads all of it.
type HistoryOptions struct {
	// Limit is the most commits that the log has, if it is positive.
	Limit int

	// Cache is a folder for what was read, or empty. A commit never
	// changes, so what the cache knows holds for ever; a file of it that
	// is damaged, or cannot be read or written, is as good as none.
	Cache string
}

// History returns the commits that the given one stands on, itself first, with
// the files that each of them changed. Merges are in the log, but their changes
// are not: the commits that they merged have them.
//
// The first call for a repository reads a commit and about three trees for each
// entry. What it read is kept for the next calls, in memory and in the cache.
// The error is that of the context, or of reading the commit itself; whatever
// else is missing only cuts the log.
//
// The caller must not change the entries.
func (r *Repo) History(ctx context.Context, from history.Commit, o HistoryOptions) (*history.Log, error) {
	r.past.mu.Lock()
	defer r.past.mu.Unlock()
	if o.Cache != "" {
		r.past.load(o.Cache, r.commonDir, r.hashSize)
	}
	shallow, err := r.shallowCommits()
	if err != nil {
		return nil, err
	}
	w := walk{repo: r, past: &r.past, options: o, shallow: shallow}
	log, err := w.run(ctx, from)
	if err != nil {
		return nil, err
	}
	if o.Cache != "" {
		r.past.save(o.Cache, r.commonDir, r.hashSize)
	}
	return log, nil
}

// past is what is known of a repository's commits.
type past struct {
	mu      sync.Mutex
	numbers map[string]int32 // by raw hash
	commits []pastCommit
	added   bool            // more is known than the cache has
	loaded  map[string]bool // cache folders
}

type pastCommit struct {
	id       string // raw
	tree     string // raw, or empty if it is not known
	time     int64
	parents  []int32
	read     bool // time and parents are known
	compared comparedState
	changes  []history.FileChange
}

// comparedState says what is known of a commit's changes.
type comparedState uint8

const (
	notCompared comparedState = iota
	isCompared
	isTooMuch // more changes than are listed
	isMissing // an object is not in the repository; never in the cache
)

// number returns the number of a commit, which it may be given now.
func (p *past) number(id string) int32 {
	if n, ok := p.numbers[id]; ok {
		return n
	}
	if p.numbers == nil {
		p.numbers = map[string]int32{}
	}
	n := int32(len(p.commits))
	p.numbers[id] = n
	p.commits = append(p.commits, pastCommit{id: id})
	return n
}

// learn takes over a commit that was read.
func (p *past) learn(c history.Commit) (int32, error) {
	id, err := rawHash(c.ID)
	if err != nil {
		return 0, err
	}
	n := p.number(id)
	tree, err := rawHash(c.Tree)
	if err != nil {
		return 0, err
	}
	if p.commits[n].read {
		p.commits[n].tree = tree
		return n, nil
	}
	parents := make([]int32, 0, len(c.Parents))
	for _, parent := range c.Parents {
		id, err := rawHash(parent)
		if err != nil {
			return 0, err
		}
		parents = append(parents, p.number(id))
	}
	x := &p.commits[n]
	x.tree, x.time, x.parents, x.read = tree, c.Time, parents, true
	return n, nil
}

func rawHash(id string) (string, error) {
	raw, err := hex.DecodeString(id)
	return string(raw), err
}

// walk is one run of [Repo.History].
type walk struct {
	repo    *Repo
	past    *past
	options HistoryOptions
	shallow map[string]bool
	cut     history.Cut
}

// job is a commit that is to be compared with its first parent.
type job struct {
	number           int32
	oldTree, newTree string
	state            comparedState
	changes          []history.FileChange
}

// Neighbours in the log share trees, so they are compared by the same worker.
const jobsAtOnce = 64

func (w *walk) run(ctx context.Context, from history.Commit) (*history.Log, error) {
	if from.Tree == "" {
		var err error
		if from, err = w.repo.Commit(from.ID); err != nil {
			return nil, err
		}
	}
	start, err := w.past.learn(from)
	if err != nil {
		return nil, fmt.Errorf("commit %s: %w", from.ID, err)
	}

	batches := make(chan []*job)
	workers := pool.New()
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			var d *differ
			for batch := range batches {
				if d == nil {
					d = newDiffer(w.repo)
				}
				for _, j := range batch {
					if ctx.Err() == nil {
						d.do(j)
					}
				}
			}
		})
	}
	order, jobs, err := w.list(ctx, start, batches)
	close(batches)
	workers.Wait()
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return nil, err
	}
	for _, j := range jobs {
		c := &w.past.commits[j.number]
		c.compared, c.changes = j.state, j.changes
		w.past.added = true
	}
	return w.log(order), nil
}

func (d *differ) do(j *job) {
	var err error
	switch j.changes, err = d.compare(j.oldTree, j.newTree); {
	case err == nil:
		j.state = isCompared
	case errors.Is(err, errTooManyChanges):
		j.state = isTooMuch
	default:
		j.state = isMissing
	}
}

// list walks down from a commit, newest first, and hands out what is not
// compared yet.
func (w *walk) list(ctx context.Context, start int32, batches chan<- []*job) (order []int32, jobs []*job, err error) {
	p := w.past
	queue := dateQueue{past: p, numbers: []int32{start}}
	seen := map[int32]bool{start: true}
	var batch []*job
	for len(queue.numbers) > 0 {
		if w.options.Limit > 0 && len(order) == w.options.Limit {
			w.end(history.AtLimit)
			break
		}
		if len(order)%1024 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		n := heap.Pop(&queue).(int32)
		parents := p.commits[n].parents
		if len(parents) > 0 && len(w.shallow) > 0 && w.shallow[hex.EncodeToString([]byte(p.commits[n].id))] {
			w.end(history.AtShallow)
			continue
		}
		complete := true
		for i, parent := range parents {
			if !w.read(parent) {
				w.end(history.AtMissing)
				complete = complete && i > 0
				continue
			}
			if !seen[parent] {
				seen[parent] = true
				heap.Push(&queue, parent)
			}
		}
		if !complete {
			continue
		}
		order = append(order, n)
		if j := w.job(n); j != nil {
			jobs, batch = append(jobs, j), append(batch, j)
		}
		if len(batch) == jobsAtOnce {
			batches <- batch
			batch = nil
		}
	}
	if len(batch) > 0 {
		batches <- batch
	}
	return order, jobs, nil
}

func (w *walk) end(cut history.Cut) { w.cut = max(w.cut, cut) }

// read makes sure that time and parents of a commit are known.
func (w *walk) read(n int32) bool {
	if w.past.commits[n].read {
		return true
	}
	return w.readAgain(n)
}

func (w *walk) readAgain(n int32) bool {
	c, err := w.repo.Commit(hex.EncodeToString([]byte(w.past.commits[n].id)))
	if err != nil {
		return false
	}
	_, err = w.past.learn(c)
	return err == nil
}

// job is what is to be done about the changes of a commit, or nil.
func (w *walk) job(n int32) *job {
	c := &w.past.commits[n]
	if c.compared == isCompared || c.compared == isTooMuch || len(c.parents) > 1 {
		return nil
	}
	j := &job{number: n, state: isMissing}
	if c.tree == "" && !w.readAgain(n) {
		return j
	}
	j.newTree = w.past.commits[n].tree
	if parents := w.past.commits[n].parents; len(parents) > 0 {
		if w.past.commits[parents[0]].tree == "" && !w.readAgain(parents[0]) {
			return j
		}
		j.oldTree = w.past.commits[parents[0]].tree
	}
	return j
}

// log makes entries of commits.
func (w *walk) log(order []int32) *history.Log {
	log := &history.Log{Commits: make([]history.Entry, 0, len(order))}
	for _, n := range order {
		c := &w.past.commits[n]
		e := history.Entry{ID: hex.EncodeToString([]byte(c.id)), Time: c.time, Parents: len(c.parents)}
		switch {
		case len(c.parents) > 1:
		case c.compared == isMissing:
			w.end(history.AtMissing)
			continue
		case c.compared == isTooMuch:
			e.Partial = true
		default:
			e.Changes = c.changes
		}
		log.Commits = append(log.Commits, e)
	}
	log.Cut = w.cut
	return log
}

// dateQueue is a heap of commits, newest first.
type dateQueue struct {
	past    *past
	numbers []int32
}

func (q *dateQueue) Len() int { return len(q.numbers) }
func (q *dateQueue) Less(i, j int) bool {
	a, b := &q.past.commits[q.numbers[i]], &q.past.commits[q.numbers[j]]
	if a.time != b.time {
		return a.time > b.time
	}
	return strings.Compare(a.id, b.id) < 0
}
func (q *dateQueue) Swap(i, j int) { q.numbers[i], q.numbers[j] = q.numbers[j], q.numbers[i] }
func (q *dateQueue) Push(n any)    { q.numbers = append(q.numbers, n.(int32)) }
func (q *dateQueue) Pop() any {
	last := len(q.numbers) - 1
	n := q.numbers[last]
	q.numbers = q.numbers[:last]
	return n
}
