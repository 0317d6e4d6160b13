package artifact

import (
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// packageOf returns, for each node, the package that it is in, or the node
// itself if it is in none.
func packageOf(g *graph.Graph) []graph.ID {
	owner := make([]graph.ID, len(g.Nodes))
	for i := range owner {
		owner[i] = graph.ID(i)
		for p := graph.ID(i); p != graph.None; p = g.Nodes[p].Parent {
			if g.Nodes[p].Kind == graph.KindPackage {
				owner[i] = p
				break
			}
		}
	}
	return owner
}

// imported is one dependency between packages and the number of imports that it
// comes from.
type imported struct {
	from, to graph.ID
	count    int
}

// imports returns the dependencies between packages, by key.
func imports(g *graph.Graph) []imported {
	owner := packageOf(g)
	var list []imported
	for i := range g.Edges {
		e := &g.Edges[i]
		if from, to := owner[e.From], owner[e.To]; e.Kind == graph.EdgeImports && from != to && g.Nodes[e.From].Kind != graph.KindModule {
			list = append(list, imported{from, to, max(1, len(g.Sites(e)))})
		}
	}
	slices.SortStableFunc(list, func(a, b imported) int {
		if a.from != b.from {
			return int(a.from) - int(b.from)
		}
		return int(a.to) - int(b.to)
	})
	kept := list[:0]
	for _, d := range list {
		if n := len(kept); n > 0 && kept[n-1].from == d.from && kept[n-1].to == d.to {
			kept[n-1].count += d.count
			continue
		}
		kept = append(kept, d)
	}
	return kept
}

// firstSite returns the place of an edge's first site; line is 0 without one.
func firstSite(g *graph.Graph, e *graph.Edge) (file string, line, col int32) {
	s := g.Sites(e)
	if len(s) == 0 {
		return "", 0, 0
	}
	return g.Files[s[0].File].Path, s[0].Line, s[0].Col
}
