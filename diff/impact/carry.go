package impact

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// carriesOver reports whether a user does with a result or a value of another
// type what it did with the old one: it uses members of the same names and
// shapes, in as many places, and hands the value on nowhere as what it was.
func (e *engine) carriesOver(user graph.ID, c *diff.Change) bool {
	base := e.d.ToBase(user)
	if base == graph.None || e.d.Base == e.d.Head {
		return false
	}
	some := false
	for _, d := range c.Details {
		if d.Verdict != diff.Breaking {
			continue
		}
		from, to := e.baseTypes.named(e.base, d.From), e.headTypes.named(e.head, d.To)
		if d.Code != diff.ResultType && d.Code != diff.TypeChanged || from == graph.None || to == graph.None || !e.sameMembers(base, user, from, to) ||
			e.handsOn(user, d.From) {
			return false
		}
		some = true
	}
	return some
}

// sameMembers reports whether a user has for each use of a member of the type
// from in the base graph one of a member of to in the head graph, and any.
func (e *engine) sameMembers(base, user, from, to graph.ID) bool {
	some := false
	was, is := diff.Supertypes(e.base, from), diff.Supertypes(e.head, to)
	for _, x := range e.base.Out(base) {
		member := e.base.Nodes[x.To].Parent != graph.None && slices.Contains(was, e.base.Nodes[x.To].Parent)
		if !member && !(x.Kind == graph.EdgeConverts && x.Type == from) {
			continue
		}
		if !slices.ContainsFunc(e.head.OutKind(user, x.Kind), func(y graph.Edge) bool {
			if len(e.base.Sites(&x)) != len(e.head.Sites(&y)) {
				return false
			}
			if !member {
				return y.Type == to && y.To == e.d.ToHead(x.To)
			}
			n, m := &e.head.Nodes[y.To], &e.base.Nodes[x.To]
			return n.Name == m.Name && slices.Contains(is, n.Parent) && sameShape(&m.Signature, &n.Signature)
		}) {
			return false
		}
		some = some || member
	}
	return some
}

// sameShape reports whether two members take, give and are of the same types.
func sameShape(x, y *graph.Signature) bool {
	same := func(x, y graph.Param) bool { return x.Type == y.Type && x.Flags == y.Flags }
	return x.Type == y.Type && slices.EqualFunc(x.Params, y.Params, same) && slices.EqualFunc(x.Results, y.Results, same)
}

// handsOn reports whether a user of the head graph returns a type, or calls
// something that takes it.
func (e *engine) handsOn(user graph.ID, typ string) bool {
	typ = strings.TrimLeft(typ, "*")
	has := func(p graph.Param) bool { return strings.Contains(p.Type, typ) }
	if slices.ContainsFunc(e.head.Nodes[user].Signature.Results, has) {
		return true
	}
	return slices.ContainsFunc(e.head.OutKind(user, graph.EdgeCalls), func(x graph.Edge) bool {
		return slices.ContainsFunc(e.head.Nodes[x.To].Signature.Params, has)
	})
}

// typeNames finds types by the names that signatures call them.
type typeNames map[string]graph.ID

// named returns the type of that name, or the one it points to, or None.
func (t *typeNames) named(g *graph.Graph, name string) graph.ID {
	if *t == nil {
		*t = typeNames{}
		for i := range g.Nodes {
			if n := &g.Nodes[i]; n.Kind.IsType() {
				pkg, q := graph.SplitKey(n.Key)
				(*t)[pkg[strings.IndexByte(pkg, ':')+1:]+"."+q] = graph.ID(i)
			}
		}
	}
	if id, ok := (*t)[strings.TrimLeft(name, "*")]; ok {
		return id
	}
	return graph.None
}
