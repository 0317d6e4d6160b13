package diff

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// Exported reports whether a changed declaration was part of what code outside of
// its module may use, as far as visibility says: it and all that hold it are
// visible there, none of them is a test, and it is not what a program or a
// framework starts by itself. A package counts if something in it does.
func (d *Delta) Exported(c *Change) bool {
	g, n := d.Base, c.Base
	if n == graph.None {
		g, n = d.Head, c.Head
	}
	if k := g.Nodes[n].Kind; isPackaging(k) {
		return exportsAny(g, n)
	} else if !declares(k) {
		return false
	}
	return exported(g, n)
}

// exported reports the same of a node that is no package.
func exported(g *graph.Graph, n graph.ID) bool {
	for ; n != graph.None; n = g.Nodes[n].Parent {
		x := &g.Nodes[n]
		if x.Flags&(graph.FlagTest|graph.FlagEntryPoint) != 0 {
			return false
		}
		switch x.Visibility {
		case graph.Public:
		case graph.Protected: // who extends the type may be anywhere
			if x.Parent != graph.None && g.Nodes[x.Parent].Flags.Has(graph.FlagFinal) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// exportsAny reports whether a package declares anything for others.
func exportsAny(g *graph.Graph, pkg graph.ID) bool {
	prefix := g.Nodes[pkg].Key + "#"
	i, _ := slices.BinarySearchFunc(g.Nodes, prefix, func(n graph.Node, key string) int { return strings.Compare(n.Key, key) })
	for ; i < len(g.Nodes) && strings.HasPrefix(g.Nodes[i].Key, prefix); i++ {
		if declares(g.Nodes[i].Kind) && exported(g, graph.ID(i)) {
			return true
		}
	}
	return false
}
