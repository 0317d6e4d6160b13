package impact

import (
	"cmp"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// NewUse is a use on the tip of the base branch of what a change removes or
// reshapes, that appeared since the change began and does not fit.
type NewUse struct {
	Change *Change
	User   *graph.Node // of the tip's graph
	Kind   graph.EdgeKind
	File   string // in the tip
	Line   int32
}

// NewUses asks the graph of the base branch's tip for uses that the base of the
// change does not have and that do not fit what the change makes of it. Uses of
// which that cannot be told are left out, and so are those that only a name
// suggests. They are in the order of r's changes, by place. Time is O(uses of
// what changed).
func NewUses(r *Result, tip *graph.Graph) []NewUse {
	d := r.Delta
	if tip == nil || tip == d.Base || !tip.Tree.IsZero() && tip.Tree == d.Base.Tree {
		return nil
	}
	e := newEngine(d, Options{})
	var out []NewUse
	for i := range r.Changes {
		c := &r.Changes[i]
		if !c.Breaking || c.Uncertain || c.Base == graph.None {
			continue
		}
		gone := c.Kind == diff.Removed || c.Kind == diff.Renamed || c.Has(diff.OwnerMoved)
		targets := []graph.ID{c.Base}
		if c.Kind == diff.Removed {
			targets = e.baseKids.below(c.Base)
		}
		var uses []NewUse
		for _, b := range targets {
			t := tip.Lookup(d.Base.Nodes[b].Key)
			if t == graph.None || tip.Nodes[t].Signature.Text != d.Base.Nodes[b].Signature.Text {
				continue // the tip has its own idea of it: a conflict that git tells
			}
			if gone && b != c.Base && d.ToHead(b) != graph.None {
				continue
			}
			skip := 0
			if !gone {
				skip = e.receivers(c.Change)
			}
			for _, k := range tip.In(t) {
				edge := &tip.Edges[k]
				if edge.Certainty == graph.Ambiguous || edge.Kind == graph.EdgeTests || edge.Kind == graph.EdgeAnnotates || edge.Kind == graph.EdgeConverts {
					continue
				}
				user := &tip.Nodes[edge.From]
				if known(d.Base, user.Key, edge.Kind, b) {
					continue
				}
				// What lies in what goes, goes with it.
				if id := d.Base.Lookup(user.Key); id != graph.None && (d.ToHead(id) == graph.None || slices.Contains(targets, id)) {
					continue
				}
				for _, s := range tip.Sites(edge) {
					if !gone {
						call, ok := newCall(tip, &s)
						if !ok || edge.Kind != graph.EdgeCalls {
							continue
						}
						rules := d.RulesFor(&d.Base.Nodes[b])
						if fitsCall(call, skip, &c.Was.Signature, &c.Symbol.Signature, c.Change, &rules, nil) > fitsArity {
							continue
						}
					}
					uses = append(uses, NewUse{Change: c, User: user, Kind: edge.Kind, File: tip.Files[s.File].Path, Line: s.Line})
				}
			}
		}
		slices.SortFunc(uses, func(x, y NewUse) int {
			return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.User.Key, y.User.Key), cmp.Compare(x.Kind, y.Kind))
		})
		out = append(out, slices.CompactFunc(uses, func(x, y NewUse) bool { return x.File == y.File && x.Line == y.Line && x.User == y.User })...)
	}
	return out
}

// known reports whether a graph has an edge from the declaration with a key.
func known(g *graph.Graph, from string, k graph.EdgeKind, to graph.ID) bool {
	id := g.Lookup(from)
	if id == graph.None {
		return false
	}
	return slices.ContainsFunc(g.OutKind(id, k), func(e graph.Edge) bool { return e.To == to })
}
