package query

import (
	"cmp"
	"fmt"
	"math"
	"slices"

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
	for _, k := range [...]graph.EdgeKind{graph.EdgeHTTPCalls, graph.EdgePublishes} {
		for _, e := range x.g.InKind(id, k) {
			r.Callers = append(r.Callers, x.Symbol(x.g.Edges[e].From))
		}
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
