package impact

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// lostMembers finds who uses a member that the changed type, or one below it, had
// from a type that it does not embed or extend any more. The member itself is
// as it was, and so may be others who use it.
func (e *engine) lostMembers(c *diff.Change) {
	now := supertypes(e.head, c.Head)
	var heirs map[string]bool
	for _, s := range supertypes(e.base, c.Base)[1:] {
		h := e.d.ToHead(s)
		if h == graph.None || slices.Contains(now, h) || e.base.Nodes[s].Kind == graph.KindExternal {
			continue // gone itself, or still there
		}
		for _, m := range e.baseKids.of(s) {
			is := e.d.ToHead(m)
			if is == graph.None {
				continue
			}
			for _, i := range e.base.In(m) {
				edge := &e.base.Edges[i]
				switch edge.Kind {
				case graph.EdgeCalls, graph.EdgeReferences, graph.EdgeReads, graph.EdgeWrites:
				default:
					continue
				}
				p, ok := e.pair(edge.From)
				if !ok || len(e.headSites(edge.Kind, p.head, is)) >= len(e.base.Sites(edge)) {
					continue // gone, too, or still finds it
				}
				if heirs == nil {
					heirs = e.heirs(c.Base)
				}
				if e.concerns(edge.From, heirs) {
					e.useOfGone(edge, edge.From, m, is)
				}
			}
		}
	}
}

// heirs returns a type of the base graph and the types that have its members,
// by their keys and as types spell them.
func (e *engine) heirs(t graph.ID) map[string]bool {
	names := map[string]bool{}
	for _, x := range append([]graph.ID{t}, e.baseSubtypes(t)...) {
		key := e.base.Nodes[x].Key
		pkg, name := graph.SplitKey(key)
		_, path, _ := strings.Cut(pkg, ":")
		names[key], names[path+"."+name] = true, true
	}
	return names
}

// concerns reports whether a user of the base graph has to do with one of some
// types: it is one, belongs to one, takes, returns or names one, or uses what
// is or returns one.
func (e *engine) concerns(user graph.ID, types map[string]bool) bool {
	is := func(t string) bool {
		return types[t] || slices.ContainsFunc(strings.FieldsFunc(t, func(r rune) bool { return r < 0x80 && !isTypeName(byte(r)) }),
			func(name string) bool { return types[name] })
	}
	typed := func(n *graph.Node) bool {
		is := func(p graph.Param) bool { return is(p.Type) }
		return types[n.Key] || slices.ContainsFunc(n.Signature.Params, is) || slices.ContainsFunc(n.Signature.Results, is) || n.Signature.Type != "" && is(graph.Param{Type: n.Signature.Type})
	}
	for n := user; n != graph.None; n = e.base.Nodes[n].Parent {
		if typed(&e.base.Nodes[n]) {
			return true
		}
	}
	return slices.ContainsFunc(e.base.Out(user), func(x graph.Edge) bool { return typed(&e.base.Nodes[x.To]) })
}

// isTypeName reports whether c may be part of the qualified name of a type.
func isTypeName(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 || strings.IndexByte("_$./@-~", c) >= 0
}
