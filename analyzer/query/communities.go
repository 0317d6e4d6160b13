package query

import (
	"cmp"
	"math"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// overviewCommunities groups declarations, each type with its members.
func (x *Index) overviewCommunities(o *Overview) {
	g := x.g
	// The units: top-level declarations that are no tests.
	unit := make([]int32, len(g.Nodes))
	var units []graph.ID
	for i := range g.Nodes {
		unit[i] = -1
	}
	top := func(n graph.ID) graph.ID {
		for p := g.Nodes[n].Parent; p != graph.None && !g.Nodes[p].Kind.IsContainer(); p = g.Nodes[n].Parent {
			n = p
		}
		return n
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if (n.Kind.IsCallable() || n.Kind.IsType()) && !n.Flags.Has(graph.FlagTest) && n.File != "" && top(graph.ID(i)) == graph.ID(i) {
			unit[i] = int32(len(units))
			units = append(units, graph.ID(i))
		}
	}
	for i := range g.Nodes {
		if t := top(graph.ID(i)); unit[t] >= 0 {
			unit[i] = unit[t]
		}
	}
	var links []link
	for i := range g.Edges {
		e := &g.Edges[i]
		if !x.ranked(e) {
			continue
		}
		if a, b := unit[e.From], unit[e.To]; a >= 0 && b >= 0 && a != b {
			links = append(links, link{min(a, b), max(a, b), 1})
		}
	}
	of, modularity := louvain(len(units), links)
	o.Metrics.Modularity = math.Round(modularity*1e3) / 1e3
	inside := make([]float64, len(units))
	for _, l := range links {
		if of[l.a] == of[l.b] {
			inside[l.a] += l.w
			inside[l.b] += l.w
		}
	}
	members := map[int32][]int32{}
	var order []int32
	for u, c := range of {
		if members[c] == nil {
			order = append(order, c)
		}
		members[c] = append(members[c], int32(u))
	}
	slices.SortStableFunc(order, func(a, b int32) int { return len(members[b]) - len(members[a]) })
	for _, c := range order {
		list := members[c]
		if len(list) < leastCommunity {
			continue
		}
		o.Metrics.Communities++
		if len(o.Communities) == overviewCommunities {
			continue
		}
		slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(inside[b], inside[a]) })
		community := Community{Size: len(list), Packages: []string{}, Members: []string{}}
		count := map[graph.ID]int{}
		var pkgs []graph.ID
		for _, u := range list {
			p := x.Package(units[u])
			if count[p]++; count[p] == 1 {
				pkgs = append(pkgs, p)
			}
			if len(community.Members) < overviewMembers {
				community.Members = append(community.Members, g.Nodes[units[u]].QName)
			}
		}
		slices.SortStableFunc(pkgs, func(a, b graph.ID) int { return cmp.Or(count[b]-count[a], int(a-b)) })
		for _, p := range pkgs[:min(overviewMembers, len(pkgs))] {
			community.Packages = append(community.Packages, g.Nodes[p].QName)
		}
		community.Name = g.Nodes[pkgs[0]].Name + ": " + g.Nodes[units[list[0]]].Name
		o.Communities = append(o.Communities, community)
	}
}

// link is a weight between two units.
type link struct {
	a, b int32
	w    float64
}

// louvain groups n units by the method of Louvain: each goes where modularity
// grows most, until none does, and then groups become units. Units come in the
// order of their numbers and ties go to the least group, so that the result
// depends on the numbers and links alone. It returns the group of each unit.
func louvain(n int, links []link) (of []int32, modularity float64) {
	const maxRounds, maxLevels = 30, 20
	of = make([]int32, n)
	for i := range of {
		of[i] = int32(i)
	}
	self := make([]float64, n) // weight inside of a unit, twice
	var total float64          // twice
	for _, l := range links {
		total += 2 * l.w
	}
	if total == 0 {
		return of, 0
	}
	for range maxLevels {
		// Adjacency, links of the same ends as one.
		slices.SortFunc(links, func(p, q link) int { return cmp.Or(cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b)) })
		merged := links[:0]
		for _, l := range links {
			if k := len(merged); k > 0 && merged[k-1].a == l.a && merged[k-1].b == l.b {
				merged[k-1].w += l.w
				continue
			}
			merged = append(merged, l)
		}
		links = merged
		ends := make([]uint32, n+1)
		for _, l := range links {
			ends[l.a]++
			ends[l.b]++
		}
		sum := uint32(0)
		for i, c := range ends {
			ends[i] = sum
			sum += c
		}
		to, w := make([]int32, sum), make([]float64, sum)
		fill := slices.Clone(ends)
		for _, l := range links {
			to[fill[l.a]], w[fill[l.a]] = l.b, l.w
			fill[l.a]++
			to[fill[l.b]], w[fill[l.b]] = l.a, l.w
			fill[l.b]++
		}
		degree := make([]float64, n)
		for i := range n {
			degree[i] = self[i]
			for j := ends[i]; j < ends[i+1]; j++ {
				degree[i] += w[j]
			}
		}
		group := make([]int32, n)
		weight := slices.Clone(degree) // of groups
		for i := range group {
			group[i] = int32(i)
		}
		toGroup := make([]float64, n)
		moved := false
		for range maxRounds {
			again := false
			for i := range n {
				var near []int32
				for j := ends[i]; j < ends[i+1]; j++ {
					c := group[to[j]]
					if toGroup[c] == 0 {
						near = append(near, c)
					}
					toGroup[c] += w[j]
				}
				own := group[i]
				weight[own] -= degree[i]
				best, gain := own, toGroup[own]-weight[own]*degree[i]/total
				for _, c := range near {
					v := toGroup[c] - weight[c]*degree[i]/total
					if v > gain+1e-12 || v > gain-1e-12 && c < best {
						best, gain = c, v
					}
				}
				weight[best] += degree[i]
				if best != own {
					group[i], again, moved = best, true, true
				}
				for _, c := range near {
					toGroup[c] = 0
				}
			}
			if !again {
				break
			}
		}
		if !moved {
			break
		}
		// Groups become units, numbered in the order of their first.
		number := make([]int32, n)
		for i := range number {
			number[i] = -1
		}
		next := int32(0)
		for i := range n {
			if c := group[i]; number[c] < 0 {
				number[c] = next
				next++
			}
		}
		newSelf := make([]float64, next)
		for i := range n {
			newSelf[number[group[i]]] += self[i]
		}
		kept := links[:0]
		for _, l := range links {
			a, b := number[group[l.a]], number[group[l.b]]
			if a == b {
				newSelf[a] += 2 * l.w
				continue
			}
			kept = append(kept, link{min(a, b), max(a, b), l.w})
		}
		for u := range of {
			of[u] = number[group[of[u]]]
		}
		links, self, n = kept, newSelf, int(next)
	}
	// Of the last units: what is inside, less what chance would give.
	degree := slices.Clone(self)
	for _, l := range links {
		degree[l.a] += l.w
		degree[l.b] += l.w
	}
	for i := range n {
		modularity += self[i]/total - (degree[i]/total)*(degree[i]/total)
	}
	return of, modularity
}
