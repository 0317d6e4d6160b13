package impact

import (
	"slices"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// withdrawn finds the uses of what a file does not pass on any more, in the files
// that had it from there. What they use is as it was, and out of their reach.
func (e *engine) withdrawn(c *diff.Change) {
	ws := e.d.Withdrawals
	i, _ := slices.BinarySearchFunc(ws, c.Base, func(w diff.Withdrawal, f graph.ID) int { return int(w.File) - int(f) })
	defer func() { e.c = c }()
	for ; i < len(ws) && ws[i].File == c.Base; i++ {
		w := &ws[i]
		judged := *c
		judged.Uncertain = judged.Uncertain || w.Unsure
		e.c = &judged
		e.usesOfGone(w.Target, e.d.ToHead(w.Target), func(edge *graph.Edge) bool {
			f := e.base.FileIndex(e.base.Nodes[edge.From].File)
			return edge.Certainty == graph.Exact && f >= 0 && slices.Contains(w.Users, e.base.Files[f].Node)
		})
	}
}
