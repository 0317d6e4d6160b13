package diff

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// Exported reports whether a changed declaration was part of what code outside of
// its module may use, as far as visibility says: it and the types that hold it are
// visible there, none of them is a test, and it is not what a program or a
// framework starts by itself. Where a package is not visible, others may still offer
// what it declares; a package counts if something in it does, and it is visible
// itself or gone.
func (d *Delta) Exported(c *Change) bool {
	g, n := d.Base, c.Base
	if n == graph.None {
		g, n = d.Head, c.Head
	}
	if k := g.Nodes[n].Kind; isPackaging(k) {
		return (g.Nodes[n].Visibility == graph.Public || c.Kind == Removed) && exportsAny(g, n)
	} else if !declares(k) {
		return false
	}
	return exported(g, n)
}

// exported reports the same of a node that is no package.
func exported(g *graph.Graph, n graph.ID) bool {
	for ; n != graph.None && !isPackaging(g.Nodes[n].Kind); n = g.Nodes[n].Parent {
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

// Offered reports whether others use a changed declaration, before and after, by a
// name that another package than its own gives it: where it is declared does not
// matter to them.
func (d *Delta) Offered(c *Change) bool {
	if c.Base == graph.None || c.Head == graph.None || !exported(d.Base, c.Base) || !exported(d.Head, c.Head) {
		return false
	}
	p, q := PackageOf(d.Base, c.Base), PackageOf(d.Head, c.Head)
	return p != graph.None && q != graph.None && d.Base.Nodes[p].Visibility != graph.Public && d.Base.Nodes[c.Base].Name == d.Head.Nodes[c.Head].Name
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
