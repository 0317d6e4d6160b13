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

// importEdited reports whether the change took a line of the statement that imports
// something at a site: its names may stand on lines of their own, behind the import
// before it.
func (e *engine) importEdited(p pairing, s *graph.Site) bool {
	file := e.base.Files[s.File].Path
	rs, known := e.lines.of(file, e.head.Nodes[p.head].File)
	if !known || p.same {
		return false
	}
	before := int32(0)
	for _, edge := range e.base.OutKind(p.base, graph.EdgeImports) {
		for _, o := range e.base.Sites(&edge) {
			if o.File == s.File && o.Line < s.Line {
				before = max(before, o.Line)
			}
		}
	}
	return slices.ContainsFunc(rs, func(r Range) bool {
		return r.OldLen > 0 && r.OldStart <= int(s.Line) && r.OldStart+r.OldLen > int(before)+1
	})
}
