package impact

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// lostMembers finds who uses a member that a type of the base graph, or one below
// it, had from a type that it does not embed or extend any more, as head, if it
// is there at all. The member itself is as it was, and so may be others who use
// it.
func (e *engine) lostMembers(base, head graph.ID) {
	var now []graph.ID
	if head != graph.None {
		now = diff.Supertypes(e.head, head)
	}
	var heirs map[string]bool
	for _, s := range diff.Supertypes(e.base, base)[1:] {
		h := e.d.ToHead(s)
		if h == graph.None || slices.Contains(now, h) || e.base.Nodes[s].Kind == graph.KindExternal {
			continue // gone itself, or still there
		}
		for _, m := range e.baseKids.of(s) {
			is := e.d.ToHead(m)
			if is == graph.None {
				continue
			}
			for _, i := range e.vanished(m, is) {
				if heirs == nil {
					heirs = e.heirs(base)
				}
				if edge := &e.base.Edges[i]; e.concerns(edge.From, heirs) {
					e.useOfGone(edge, edge.From, m, is)
				}
			}
		}
	}
}

// vanished returns the edges by which a member of the base graph, which is called
// now in the head graph, is used from more places than there.
func (e *engine) vanished(m, now graph.ID) []uint32 {
	if out, ok := e.fewer[m]; ok {
		return out
	}
	var out []uint32
	for _, i := range e.base.In(m) {
		edge := &e.base.Edges[i]
		switch edge.Kind {
		case graph.EdgeCalls, graph.EdgeReferences, graph.EdgeReads, graph.EdgeWrites:
			if p, ok := e.pair(edge.From); ok && len(e.headSites(edge.Kind, p.head, now)) < len(e.base.Sites(edge)) {
				out = append(out, uint32(i))
			}
		}
	}
	if e.fewer == nil {
		e.fewer = map[graph.ID][]uint32{}
	}
	e.fewer[m] = out
	return out
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
