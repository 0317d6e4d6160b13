package diff

import (
	"cmp"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// Dependency is an import between two packages, or from a package to an
// external one, that came or went.
type Dependency struct {
	Added    bool
	From, To graph.ID // packages, in the head graph if Added, else in the base graph
	File     string   // one place that has it: the first by file and line
	Line     int32
	Test     bool // only test code has it
}

// Cycle is a set of packages that import each other in a circle which the
// other graph does not have.
type Cycle struct {
	Added    bool       // it came; else it went
	Packages []graph.ID // the whole strongly connected set, by key
	// Path is a shortest circle through the set: each package imports the next
	// and the last imports the first.
	Path []Dependency
}

// packageGraph is the import graph between packages.
type packageGraph struct {
	g    *graph.Graph
	deps map[[2]graph.ID]Dependency
	out  map[graph.ID][]graph.ID // targets inside the tree, sorted; test imports left out
}

// PackageOf returns the package that holds n, or None. A file that has no
// package above it belongs to the package of what it declares.
func PackageOf(g *graph.Graph, n graph.ID) graph.ID {
	for p := n; p != graph.None; p = g.Nodes[p].Parent {
		if g.Nodes[p].Kind == graph.KindPackage {
			return p
		}
	}
	pkg, name := graph.SplitKey(g.Nodes[n].Key)
	if name == "" {
		return graph.None
	}
	return g.Lookup(pkg)
}

func packages(g *graph.Graph) *packageGraph {
	pg := &packageGraph{g: g, deps: map[[2]graph.ID]Dependency{}, out: map[graph.ID][]graph.ID{}}
	byFile := map[string]graph.ID{} // for files without a package above them
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.File != "" && n.Kind != graph.KindFile && n.Kind != graph.KindExternal {
			if _, ok := byFile[n.File]; !ok {
				if p := PackageOf(g, graph.ID(i)); p != graph.None {
					byFile[n.File] = p
				}
			}
		}
	}
	of := func(n graph.ID) graph.ID {
		if g.Nodes[n].Kind == graph.KindExternal {
			if pkg, name := graph.SplitKey(g.Nodes[n].Key); name != "" {
				if p := g.Lookup(pkg); p != graph.None {
					return p
				}
			}
			return n
		}
		if p := PackageOf(g, n); p != graph.None {
			return p
		}
		if p, ok := byFile[g.Nodes[n].File]; ok {
			return p
		}
		return graph.None
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.Kind != graph.EdgeImports {
			continue
		}
		from, to := of(e.From), of(e.To)
		if from == graph.None || to == graph.None || from == to {
			continue
		}
		d := Dependency{From: from, To: to, File: g.Nodes[e.From].File, Test: g.Nodes[e.From].Flags.Has(graph.FlagTest)}
		if ss := g.Sites(e); len(ss) > 0 {
			d.File, d.Line = g.Files[ss[0].File].Path, ss[0].Line
			d.Test = d.Test || !slices.ContainsFunc(ss, func(s graph.Site) bool { return s.Flags&graph.SiteTest == 0 })
		}
		p := [2]graph.ID{from, to}
		if old, ok := pg.deps[p]; !ok || cmp.Or(boolCompare(d.Test, old.Test), cmp.Compare(d.File, old.File), cmp.Compare(d.Line, old.Line)) < 0 {
			pg.deps[p] = d
		}
	}
	for p, d := range pg.deps {
		if !d.Test && g.Nodes[p[1]].Kind != graph.KindExternal {
			pg.out[p[0]] = append(pg.out[p[0]], p[1])
		}
	}
	for _, ts := range pg.out {
		slices.Sort(ts)
	}
	return pg
}

// compareDependencies compares the import graphs of the packages.
func compareDependencies(d *Delta) ([]Dependency, []Cycle) {
	base, head := packages(d.Base), packages(d.Head)
	var deps []Dependency
	for p, dep := range base.deps {
		f, t := d.toHead[p[0]], d.toHead[p[1]]
		if _, ok := head.deps[[2]graph.ID{f, t}]; !ok {
			deps = append(deps, dep)
		}
	}
	for p, dep := range head.deps {
		f, t := d.toBase[p[0]], d.toBase[p[1]]
		if _, ok := base.deps[[2]graph.ID{f, t}]; !ok {
			dep.Added = true
			deps = append(deps, dep)
		}
	}
	key := func(x *Dependency) (string, string) {
		g := d.Base
		if x.Added {
			g = d.Head
		}
		return g.Nodes[x.From].Key, g.Nodes[x.To].Key
	}
	slices.SortFunc(deps, func(x, y Dependency) int {
		xf, xt := key(&x)
		yf, yt := key(&y)
		return cmp.Or(cmp.Compare(xf, yf), cmp.Compare(xt, yt), boolCompare(x.Added, y.Added))
	})
	cycles := append(base.newCycles(head, d.toHead, false), head.newCycles(base, d.toBase, true)...)
	slices.SortStableFunc(cycles, func(x, y Cycle) int { return boolCompare(x.Added, y.Added) })
	return deps, cycles
}

// newCycles returns the strongly connected sets of pg that are not within one
// such set of other.
func (pg *packageGraph) newCycles(other *packageGraph, to []graph.ID, added bool) []Cycle {
	theirs := map[graph.ID]int{} // package of other to the number of its set
	for i, s := range other.components() {
		for _, n := range s {
			theirs[n] = i + 1
		}
	}
	var out []Cycle
	for _, s := range pg.components() {
		set := func(n graph.ID) int {
			if to[n] == graph.None {
				return 0
			}
			return theirs[to[n]]
		}
		first := set(s[0])
		if first != 0 && !slices.ContainsFunc(s, func(n graph.ID) bool { return set(n) != first }) {
			continue
		}
		c := Cycle{Added: added, Packages: s}
		in := map[graph.ID]bool{}
		for _, n := range s {
			in[n] = true
		}
		// The circle through an import that the other graph lacks, if there is
		// one, is the one to show.
		start := [2]graph.ID{graph.None, graph.None}
		for _, n := range s {
			for _, t := range pg.out[n] {
				if !in[t] {
					continue
				}
				_, known := other.deps[[2]graph.ID{to[n], to[t]}]
				if start[0] == graph.None || !known {
					start = [2]graph.ID{n, t}
					if !known {
						break
					}
				}
			}
		}
		c.Path = pg.circle(start, in, added)
		out = append(out, c)
	}
	return out
}

// circle returns a shortest circle that begins with the given import.
func (pg *packageGraph) circle(start [2]graph.ID, in map[graph.ID]bool, added bool) []Dependency {
	from, to := start[0], start[1]
	prev := map[graph.ID]graph.ID{to: to}
	for queue := []graph.ID{to}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		if n == from {
			break
		}
		for _, t := range pg.out[n] {
			if _, seen := prev[t]; !seen && in[t] {
				prev[t] = n
				queue = append(queue, t)
			}
		}
	}
	var back []graph.ID
	for n := from; n != to; n = prev[n] {
		back = append(back, n)
	}
	back = append(back, to, from)
	slices.Reverse(back)
	var path []Dependency
	for i := 0; i+1 < len(back); i++ {
		dep := pg.deps[[2]graph.ID{back[i], back[i+1]}]
		dep.Added = added
		path = append(path, dep)
	}
	return path
}

// components returns the strongly connected sets of two or more packages, each
// sorted, ordered by their first members. Tarjan's algorithm with a stack of
// its own: the depth of imports is not bounded.
func (pg *packageGraph) components() [][]graph.ID {
	nodes := make([]graph.ID, 0, len(pg.out))
	for n := range pg.out {
		nodes = append(nodes, n)
	}
	slices.Sort(nodes)
	type frame struct {
		n    graph.ID
		next int
	}
	index, low := map[graph.ID]int{}, map[graph.ID]int{}
	onStack := map[graph.ID]bool{}
	var stack []graph.ID
	var sets [][]graph.ID
	for _, root := range nodes {
		if index[root] != 0 {
			continue
		}
		frames := []frame{{n: root}}
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			if f.next == 0 {
				index[f.n] = len(index) + 1
				low[f.n] = index[f.n]
				stack = append(stack, f.n)
				onStack[f.n] = true
			}
			if f.next < len(pg.out[f.n]) {
				t := pg.out[f.n][f.next]
				f.next++
				if index[t] == 0 {
					frames = append(frames, frame{n: t})
				} else if onStack[t] {
					low[f.n] = min(low[f.n], index[t])
				}
				continue
			}
			n := f.n
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				p := frames[len(frames)-1].n
				low[p] = min(low[p], low[n])
			}
			if low[n] != index[n] {
				continue
			}
			var set []graph.ID
			for {
				top := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				onStack[top] = false
				set = append(set, top)
				if top == n {
					break
				}
			}
			if len(set) > 1 {
				slices.Sort(set)
				sets = append(sets, set)
			}
		}
	}
	slices.SortFunc(sets, func(x, y []graph.ID) int { return cmp.Compare(x[0], y[0]) })
	return sets
}
