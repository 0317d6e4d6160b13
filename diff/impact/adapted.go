package impact

import (
	"slices"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// adapted reports whether a body changed only to follow what it uses to
// another name or place. That is said when nothing else differs in the
// declaration, it has as many tokens as before and the same edges with as many
// sites, and each of its changed lines uses something renamed or moved. Without
// changed lines it is never said.
func (e *engine) adapted(c *diff.Change) bool {
	if c.Aspects&^aspect(diff.Body, diff.Doc) != 0 || e.base == e.head || !c.Has(diff.BodyChanged, diff.AnnotationChanged) {
		return false
	}
	b, h := &e.base.Nodes[c.Base], &e.head.Nodes[c.Head]
	if b.Tokens != h.Tokens || b.Tokens == 0 || len(b.Variants) > 0 || len(h.Variants) > 0 {
		return false
	}
	ranges, ok := e.lines.of(b.File, h.File)
	if !ok {
		return false
	}
	was, is := e.base.Out(c.Base), e.head.Out(c.Head)
	if len(was) != len(is) {
		return false
	}
	var follows []int32 // lines that use what has another name or place
	for i := range was {
		to := e.d.ToHead(was[i].To)
		if to == graph.None {
			return false
		}
		at := slices.IndexFunc(is, func(x graph.Edge) bool {
			return x.Kind == was[i].Kind && x.To == to && (x.Type == graph.None) == (was[i].Type == graph.None)
		})
		if at < 0 {
			return false
		}
		xs, ys := e.base.Sites(&was[i]), e.head.Sites(&is[at])
		if !slices.EqualFunc(xs, ys, func(x, y graph.Site) bool { return x.Args == y.Args && x.Want == y.Want && x.Flags == y.Flags }) {
			return false
		}
		if e.base.Nodes[was[i].To].Key != e.head.Nodes[to].Key {
			for _, y := range ys {
				follows = append(follows, y.Line)
			}
		}
	}
	if len(follows) == 0 {
		return false
	}
	for _, r := range ranges {
		if r.NewStart+r.NewLen <= int(h.DefLine) || r.NewStart > int(h.EndLine) {
			continue
		}
		if r.OldLen != r.NewLen {
			return false
		}
		for line := r.NewStart; line < r.NewStart+r.NewLen; line++ {
			if line >= int(h.DefLine) && line <= int(h.EndLine) && !slices.Contains(follows, int32(line)) {
				return false
			}
		}
	}
	return true
}
