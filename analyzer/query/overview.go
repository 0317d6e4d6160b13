package query

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// OverviewSchema names the form of an [Overview] as JSON.
const OverviewSchema = "kg.overview/v1"

// The lengths of lists in an overview; metrics count everything.
const (
	overviewHubs        = 15
	overviewEntries     = 50
	overviewRoutes      = 200
	overviewCommunities = 20
	overviewMembers     = 8
	leastCommunity      = 3 // members
)

// Overview is the architecture of a tree: what it is made of and what depends
// on what. Tests are left out but for counts.
type Overview struct {
	Schema       string        `json:"schema"`
	Tree         string        `json:"tree"`
	Metrics      Metrics       `json:"metrics"`
	Modules      []Module      `json:"modules"`
	Prefix       string        `json:"prefix"`       // what nearly all names of packages begin with, up to a separator
	Packages     []Package     `json:"packages"`     // by key
	Dependencies []PackageUse  `json:"dependencies"` // between packages of the tree, by keys
	External     []ExternalUse `json:"external"`     // what is imported from outside, most used first
	Layers       [][]string    `json:"layers"`       // names of packages; the first depend on none of the tree
	Cycles       [][]string    `json:"cycles"`       // names of packages that depend on each other
	Communities  []Community   `json:"communities"`  // declarations that use each other more than others, largest first
	Hubs         []Hub         `json:"hubs"`         // what most declarations use
	EntryPoints  []Symbol      `json:"entry_points"`
	Routes       []Route       `json:"routes"`
}

// Metrics are numbers of the whole tree.
type Metrics struct {
	Files        int     `json:"files"`
	Packages     int     `json:"packages"`
	Declarations int     `json:"declarations"` // callables and types, tests left out
	Tests        int     `json:"tests"`        // what a runner starts
	Uses         int     `json:"uses"`         // relations between declarations, tests left out
	Dependencies int     `json:"dependencies"`
	Cycles       int     `json:"cycles"`
	Layers       int     `json:"layers"`
	Communities  int     `json:"communities"`
	Modularity   float64 `json:"modularity"` // of the communities, from -0.5 to 1
	EntryPoints  int     `json:"entry_points"`
	Routes       int     `json:"routes"`
	Unknowns     int     `json:"unknowns"` // places that could not be told
}

// Module is a unit of release.
type Module struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Packages int    `json:"packages"`
}

// Package is a package of the tree.
type Package struct {
	ID           string  `json:"id"`
	Name         string  `json:"name"`
	Files        int     `json:"files"`
	Declarations int     `json:"declarations"`
	Layer        int     `json:"layer"`
	Uses         int     `json:"uses"`        // packages of the tree that it depends on
	UsedBy       int     `json:"used_by"`     // packages of the tree that depend on it
	Instability  float64 `json:"instability"` // uses / (uses + used by): 1 depends and nothing depends on it
}

// PackageUse is a dependency between packages of the tree.
type PackageUse struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Imports int    `json:"imports"`
}

// ExternalUse is something that the tree imports.
type ExternalUse struct {
	Name     string `json:"name"`
	Packages int    `json:"packages"` // that import it
}

// Community is a group of declarations.
type Community struct {
	Name     string   `json:"name"`
	Size     int      `json:"size"`
	Packages []string `json:"packages"` // that its members are in, most members first
	Members  []string `json:"members"`  // those with the most relations inside
}

// Hub is something that many use.
type Hub struct {
	Symbol Symbol `json:"symbol"`
	FanIn  int    `json:"fan_in"`
	FanOut int    `json:"fan_out"`
}

// Route is a route with who handles it and who requests it.
type Route struct {
	Symbol   Symbol   `json:"symbol"`
	Handlers []Symbol `json:"handlers"`
	Callers  []Symbol `json:"callers"`
}

// Overview tells the architecture of the graph. O((n + m) log n).
func (x *Index) Overview() *Overview {
	g := x.g
	o := &Overview{Schema: OverviewSchema, Tree: fmt.Sprintf("%x", g.Tree[:]), Modules: []Module{}, Packages: []Package{}, Dependencies: []PackageUse{},
		External: []ExternalUse{}, Layers: [][]string{}, Cycles: [][]string{}, Communities: []Community{}, Hubs: []Hub{},
		EntryPoints: []Symbol{}, Routes: []Route{}}
	m := &o.Metrics
	m.Files = len(g.Files)
	for _, u := range g.Unknowns {
		m.Unknowns += int(u.Count)
	}
	at := map[graph.ID]int{} // in o.Packages
	var ids []graph.ID
	modules := map[graph.ID]int{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		id := graph.ID(i)
		switch {
		case n.Kind == graph.KindModule:
			modules[id] = len(o.Modules)
			o.Modules = append(o.Modules, Module{ID: n.Key, Name: n.QName})
		case n.Kind == graph.KindPackage && !n.Flags.Has(graph.FlagTest):
			at[id] = len(o.Packages)
			ids = append(ids, id)
			o.Packages = append(o.Packages, Package{ID: n.Key, Name: n.QName})
		}
		if n.Flags.Has(graph.FlagTestCase) {
			m.Tests++
		}
	}
	o.Prefix = commonHead(o.Packages)
	var entries []graph.ID
	for i := range g.Nodes {
		n := &g.Nodes[i]
		id := graph.ID(i)
		p, inPackage := at[x.Package(id)]
		switch {
		case n.Kind == graph.KindPackage && inPackage:
			if mod, ok := modules[x.above(id, graph.KindModule)]; ok {
				o.Modules[mod].Packages++
			}
		case n.Flags.Has(graph.FlagTest):
		case n.Kind == graph.KindFile && inPackage:
			o.Packages[p].Files++
		case n.Kind.IsCallable() || n.Kind.IsType():
			m.Declarations++
			if inPackage {
				o.Packages[p].Declarations++
			}
		}
		if n.Flags.Has(graph.FlagEntryPoint) && !n.Flags.Has(graph.FlagTest) && n.Kind != graph.KindRoute {
			entries = append(entries, id)
		}
		if n.Kind == graph.KindRoute && !n.Flags.Has(graph.FlagTest) {
			m.Routes++
			if len(o.Routes) < overviewRoutes {
				o.Routes = append(o.Routes, x.route(id))
			}
		}
	}
	m.EntryPoints = len(entries)
	// Programs come first, and what only prepares a package last.
	slices.SortStableFunc(entries, func(a, b graph.ID) int {
		rank := func(id graph.ID) int {
			switch g.Nodes[id].Name {
			case "main":
				return 0
			case "init":
				return 2
			}
			return 1
		}
		return cmp.Compare(rank(a), rank(b))
	})
	for _, id := range entries[:min(overviewEntries, len(entries))] {
		o.EntryPoints = append(o.EntryPoints, x.Symbol(id))
	}
	for i := range g.Edges {
		if x.ranked(&g.Edges[i]) {
			m.Uses++
		}
	}
	x.overviewPackages(o, ids, at)
	f := x.uses()
	q := &asking{x: x, g: g}
	for i := range g.Nodes {
		if rankable(&g.Nodes[i]) && f.in[i] > 0 {
			h := found(graph.ID(i))
			h.value = float64(f.in[i])
			q.hits = append(q.hits, h)
		}
	}
	q.orderByValue()
	for _, h := range q.hits[:min(overviewHubs, len(q.hits))] {
		o.Hubs = append(o.Hubs, Hub{x.Symbol(h.node), int(f.in[h.node]), int(f.out[h.node])})
	}
	x.overviewCommunities(o)
	m.Packages, m.Dependencies, m.Cycles, m.Layers = len(o.Packages), len(o.Dependencies), len(o.Cycles), len(o.Layers)
	return o
}

// commonHead returns the longest part, up to a separator, that more than four of
// five names of packages begin with; none if there are few.
func commonHead(packages []Package) string {
	const few = 4
	if len(packages) < few {
		return ""
	}
	heads := map[string]int{}
	best := ""
	for i := range packages {
		name := packages[i].Name
		for j := 1; j < len(name); j++ {
			if name[j] != '/' && name[j] != '.' {
				continue
			}
			head := name[:j+1]
			if heads[head]++; 5*heads[head] > 4*len(packages) && len(head) > len(best) {
				best = head
			}
		}
	}
	return best
}

func (x *Index) route(id graph.ID) Route {
	r := Route{Symbol: x.Symbol(id), Handlers: []Symbol{}, Callers: []Symbol{}}
	for _, e := range x.g.OutKind(id, graph.EdgeHandles) {
		r.Handlers = append(r.Handlers, x.Symbol(e.To))
	}
	for _, e := range x.g.InKind(id, graph.EdgeHTTPCalls) {
		r.Callers = append(r.Callers, x.Symbol(x.g.Edges[e].From))
	}
	return r
}

// overviewPackages fills dependencies, layers and cycles.
func (x *Index) overviewPackages(o *Overview, ids []graph.ID, at map[graph.ID]int) {
	g := x.g
	users := map[string]int{}
	uses := make([][]int, len(ids))
	for _, d := range x.packages().deps {
		from, ok := at[d.from]
		if !ok || !d.code {
			continue
		}
		to, ok := at[d.to]
		if !ok {
			if g.Nodes[d.to].Kind == graph.KindExternal {
				users[x.Symbol(d.to).Name]++
			}
			continue
		}
		o.Dependencies = append(o.Dependencies, PackageUse{g.Nodes[d.from].Key, g.Nodes[d.to].Key, int(d.count)})
		uses[from] = append(uses[from], to)
		o.Packages[from].Uses++
		o.Packages[to].UsedBy++
	}
	for name, n := range users {
		o.External = append(o.External, ExternalUse{name, n})
	}
	slices.SortFunc(o.External, func(a, b ExternalUse) int {
		return cmp.Or(cmp.Compare(b.Packages, a.Packages), cmp.Compare(a.Name, b.Name))
	})
	// Packages of a cycle are in one layer.
	group := make([]int, len(ids))
	for i := range group {
		group[i] = i
	}
	for _, c := range x.PackageCycles() {
		var names []string
		first := -1
		for _, id := range c {
			if i, ok := at[id]; ok {
				if first < 0 {
					first = i
				}
				group[i] = first
				names = append(names, o.Packages[i].Name)
			}
		}
		o.Cycles = append(o.Cycles, names)
	}
	// What depends on nothing is first; a group follows when all that it depends
	// on have their layers.
	layer, left := make([]int, len(ids)), make([]int, len(ids))
	above := make([][]int, len(ids))
	for from := range uses {
		for _, to := range uses[from] {
			if a, b := group[from], group[to]; a != b {
				left[a]++
				above[b] = append(above[b], a)
			}
		}
	}
	var ready []int
	for i := range ids {
		if group[i] == i && left[i] == 0 {
			ready = append(ready, i)
		}
	}
	for ; len(ready) > 0; ready = ready[1:] {
		for _, a := range above[ready[0]] {
			layer[a] = max(layer[a], layer[ready[0]]+1)
			if left[a]--; left[a] == 0 {
				ready = append(ready, a)
			}
		}
	}
	for i := range o.Packages {
		p := &o.Packages[i]
		p.Layer = layer[group[i]]
		if p.Uses+p.UsedBy > 0 {
			p.Instability = math.Round(float64(p.Uses)/float64(p.Uses+p.UsedBy)*100) / 100
		}
		for len(o.Layers) <= p.Layer {
			o.Layers = append(o.Layers, nil)
		}
		o.Layers[p.Layer] = append(o.Layers[p.Layer], p.Name)
	}
}

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

// OverviewDiff is what differs between two overviews.
type OverviewDiff struct {
	Schema       string         `json:"schema"`
	Metrics      []MetricChange `json:"metrics"` // only those that changed
	Packages     Lists          `json:"packages"`
	Dependencies Lists          `json:"dependencies"` // as in "a → b"
	External     Lists          `json:"external"`
	Cycles       Lists          `json:"cycles"`
	EntryPoints  Lists          `json:"entry_points"`
	Routes       Lists          `json:"routes"`
	Layers       []LayerChange  `json:"layers"` // packages that are in another layer
	Hubs         []HubChange    `json:"hubs"`   // declarations that are hubs in one of both, and are used more or less
}

// Lists are what is only in the head, and only in the base.
type Lists struct {
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
}

// MetricChange is a metric that differs.
type MetricChange struct {
	Name string  `json:"name"`
	Base float64 `json:"base"`
	Head float64 `json:"head"`
}

// LayerChange is a package that went to another layer.
type LayerChange struct {
	Package string `json:"package"`
	Base    int    `json:"base"`
	Head    int    `json:"head"`
}

// HubChange is a declaration of which more or fewer others use it.
type HubChange struct {
	Name string `json:"name"`
	Base int    `json:"base"`
	Head int    `json:"head"`
}

// Since tells what differs from the overview of a base.
func (o *Overview) Since(base *Overview) *OverviewDiff {
	d := &OverviewDiff{Schema: "kg.overview.diff/v1", Metrics: []MetricChange{}, Layers: []LayerChange{}, Hubs: []HubChange{}}
	bm, hm := base.Metrics.list(), o.Metrics.list()
	for i := range hm {
		if bm[i].Head != hm[i].Head {
			d.Metrics = append(d.Metrics, MetricChange{hm[i].Name, bm[i].Head, hm[i].Head})
		}
	}
	each := func(of func(*Overview) []string) Lists {
		b, h := of(base), of(o)
		return Lists{without(h, b), without(b, h)}
	}
	d.Packages = each(func(o *Overview) (l []string) {
		for _, p := range o.Packages {
			l = append(l, p.Name)
		}
		return l
	})
	d.Dependencies = each(func(o *Overview) (l []string) {
		name := map[string]string{}
		for _, p := range o.Packages {
			name[p.ID] = p.Name
		}
		for _, u := range o.Dependencies {
			l = append(l, name[u.From]+" → "+name[u.To])
		}
		return l
	})
	d.External = each(func(o *Overview) (l []string) {
		for _, e := range o.External {
			l = append(l, e.Name)
		}
		return l
	})
	d.Cycles = each(func(o *Overview) (l []string) {
		for _, c := range o.Cycles {
			l = append(l, strings.Join(c, ", "))
		}
		return l
	})
	d.EntryPoints = each(func(o *Overview) (l []string) {
		for _, s := range o.EntryPoints {
			l = append(l, s.ID)
		}
		return l
	})
	d.Routes = each(func(o *Overview) (l []string) {
		for _, r := range o.Routes {
			l = append(l, r.Symbol.Name)
		}
		return l
	})
	was := map[string]int{}
	for _, p := range base.Packages {
		was[p.ID] = p.Layer
	}
	for _, p := range o.Packages {
		if old, ok := was[p.ID]; ok && old != p.Layer {
			d.Layers = append(d.Layers, LayerChange{p.Name, old, p.Layer})
		}
	}
	fan := map[string]int{}
	for _, h := range base.Hubs {
		fan[h.Symbol.ID] = h.FanIn
	}
	for _, h := range o.Hubs {
		if old, ok := fan[h.Symbol.ID]; ok && old != h.FanIn {
			d.Hubs = append(d.Hubs, HubChange{h.Symbol.Name, old, h.FanIn})
		}
	}
	return d
}

// without returns what is in a and not in b.
func without(a, b []string) []string {
	in := map[string]bool{}
	for _, s := range b {
		in[s] = true
	}
	list := []string{}
	for _, s := range a {
		if !in[s] {
			list = append(list, s)
		}
	}
	return list
}

// list returns the metrics with their names.
func (m *Metrics) list() []MetricChange {
	return []MetricChange{
		{"files", 0, float64(m.Files)}, {"packages", 0, float64(m.Packages)}, {"declarations", 0, float64(m.Declarations)},
		{"tests", 0, float64(m.Tests)}, {"uses", 0, float64(m.Uses)}, {"dependencies", 0, float64(m.Dependencies)},
		{"cycles", 0, float64(m.Cycles)}, {"layers", 0, float64(m.Layers)}, {"communities", 0, float64(m.Communities)},
		{"modularity", 0, m.Modularity}, {"entry_points", 0, float64(m.EntryPoints)}, {"routes", 0, float64(m.Routes)},
		{"unknowns", 0, float64(m.Unknowns)},
	}
}
