package diff

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// Library is an external package that another one took the place of: nothing
// uses the one any more, nothing used the other before, and what used names of
// the one uses the same names of the other. What changes its type for that has
// no change of its own.
type Library struct {
	From, To string // paths
	Lang     string
	Files    int // of the head tree that use it
}

// libraries pairs the external packages that were replaced, and their names.
// The evidence are uses that both graphs have: one vote for each.
func (m *matcher) libraries() []Library {
	gone, came := onlyIn(m.base.g, m.head.g), onlyIn(m.head.g, m.base.g)
	if len(gone) == 0 || len(came) == 0 {
		return nil
	}
	votes := map[[2]string]int{}
	all := map[string]int{} // by package of either graph
	for i := range m.base.g.Edges {
		e := &m.base.g.Edges[i]
		pkg, name := graph.SplitKey(m.base.g.Nodes[e.To].Key)
		if name == "" || !gone[pkg] {
			continue
		}
		user := m.toHead[e.From]
		if user == graph.None {
			continue
		}
		for _, x := range m.head.g.OutKind(user, e.Kind) {
			other, same := graph.SplitKey(m.head.g.Nodes[x.To].Key)
			if same == name && came[other] {
				votes[[2]string{pkg, other}]++
				all[pkg]++
				all[other]++
			}
		}
	}
	var found []Library
	for p, n := range votes {
		if 2*n > all[p[0]] && 2*n > all[p[1]] { // each other's only candidate
			found = append(found, m.replaced(p[0], p[1]))
		}
	}
	slices.SortFunc(found, func(x, y Library) int { return strings.Compare(x.From+"\x00"+x.To, y.From+"\x00"+y.To) })
	return found
}

// onlyIn returns the keys of the external packages that g uses and other does
// not, neither as a whole nor by a name.
func onlyIn(g, other *graph.Graph) map[string]bool {
	pkgs := map[string]bool{}
	for i := range g.Nodes {
		if key := g.Nodes[i].Key; graph.IsExternal(key) {
			if pkg, name := graph.SplitKey(key); name == "" && other.Lookup(pkg) == graph.None {
				pkgs[pkg] = true
			}
		}
	}
	for i := range other.Nodes {
		if key := other.Nodes[i].Key; graph.IsExternal(key) {
			pkg, _ := graph.SplitKey(key)
			delete(pkgs, pkg)
		}
	}
	return pkgs
}

// replaced matches an external package and its names with another one.
func (m *matcher) replaced(from, to string) Library {
	l := Library{Files: len(m.head.g.InKind(m.head.g.Lookup(to), graph.EdgeImports))}
	_, rest, _ := strings.Cut(from, ":")
	l.Lang, l.From, _ = strings.Cut(rest, ":")
	_, rest, _ = strings.Cut(to, ":")
	_, l.To, _ = strings.Cut(rest, ":")
	m.spelled.path(l.From, l.To)
	at := map[string]graph.ID{}
	for i := range m.head.g.Nodes {
		if pkg, name := graph.SplitKey(m.head.g.Nodes[i].Key); pkg == to {
			at[name] = graph.ID(i)
		}
	}
	for i := range m.base.g.Nodes {
		if pkg, name := graph.SplitKey(m.base.g.Nodes[i].Key); pkg == from {
			if h, ok := at[name]; ok {
				m.toHead[i], m.toBase[h] = h, graph.ID(i)
			}
		}
	}
	return l
}
