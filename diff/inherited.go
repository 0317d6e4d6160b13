package diff

import (
	"slices"
	"sort"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// maxInherited bounds the types above one that are looked through.
const maxInherited = 64

// Inherited returns the member that objects have in the place of one that left their
// type: of the same name, kind and shape, from a type above it in the head graph; None
// if there is none. It takes time linear in the members of these types.
func (d *Delta) Inherited(c *Change) graph.ID {
	if c.Kind != Removed || c.Base == graph.None {
		return graph.None
	}
	was := &d.Base.Nodes[c.Base]
	if was.Parent == graph.None || !d.Base.Nodes[was.Parent].Kind.IsType() || was.Kind == graph.KindConstructor {
		return graph.None
	}
	owner := d.ToHead(was.Parent)
	if owner == graph.None {
		return graph.None
	}
	dynamic := d.RulesFor(was).Dynamic
	types := []graph.ID{owner}
	for i := 0; i < len(types) && i < maxInherited; i++ {
		if i > 0 {
			if m := memberLike(d.Head, types[i], was, dynamic); m != graph.None {
				return m
			}
		}
		for _, k := range []graph.EdgeKind{graph.EdgeExtends, graph.EdgeEmbeds} {
			for _, e := range d.Head.OutKind(types[i], k) {
				if !slices.Contains(types, e.To) {
					types = append(types, e.To)
				}
			}
		}
	}
	return graph.None
}

// memberLike returns the member of a type that stands for was: where nothing enforces
// types, those of parameters may differ.
func memberLike(g *graph.Graph, typ graph.ID, was *graph.Node, dynamic bool) graph.ID {
	prefix := g.Nodes[typ].Key
	lo := sort.Search(len(g.Nodes), func(i int) bool { return g.Nodes[i].Key >= prefix })
	for i := lo; i < len(g.Nodes) && strings.HasPrefix(g.Nodes[i].Key, prefix); i++ {
		m := &g.Nodes[i]
		if m.Parent == typ && m.Name == was.Name && m.Kind == was.Kind && m.Visibility == was.Visibility && m.Flags&graph.FlagStatic == was.Flags&graph.FlagStatic &&
			slices.EqualFunc(was.Signature.Params, m.Signature.Params, func(a, b graph.Param) bool {
				return a.Name == b.Name && a.Flags == b.Flags && (dynamic || a.Type == b.Type)
			}) && (dynamic || slices.EqualFunc(was.Signature.Results, m.Signature.Results, func(a, b graph.Param) bool { return a.Type == b.Type })) {
			return graph.ID(i)
		}
	}
	return graph.None
}
