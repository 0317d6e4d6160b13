package scoring

import (
	"cmp"
	"slices"
	"strings"

	"github.com/codekg/kg/bench/record"
)

// place is a position of a name in the source.
type place struct {
	file      string
	line, col int
}

// lineOf is a line of the source.
type lineOf struct {
	file string
	line int
}

// index holds both sides, ready to be compared.
type index struct {
	oracle *record.Oracle
	graph  *record.Graph

	files    map[string]*record.File
	defs     map[string]*record.Def
	byName   map[[2]string][]*record.Def // by file and last part of the name
	ctors    map[string][]*record.Def    // constructors by class
	packages map[string]*record.Def      // by qualified name and by folder
	sites    map[place][]*record.Site
	lines    map[lineOf][]*record.Site
	super    map[string][]string // definition → what it overrides or implements

	nodes   map[string]*record.Node
	matched map[string]*record.Def // node id → definition
	edges   map[place][]*record.Edge
	byLine  map[lineOf][]*record.Edge
	closed  map[string]bool
	related map[string]bool
	reached map[string]bool // definitions that have a node
}

func newIndex(o *record.Oracle, g *record.Graph) *index {
	ix := &index{
		oracle: o, graph: g,
		files: map[string]*record.File{}, defs: map[string]*record.Def{}, byName: map[[2]string][]*record.Def{},
		ctors: map[string][]*record.Def{}, packages: map[string]*record.Def{},
		sites: map[place][]*record.Site{}, lines: map[lineOf][]*record.Site{}, super: map[string][]string{},
		nodes: map[string]*record.Node{}, matched: map[string]*record.Def{},
		edges: map[place][]*record.Edge{}, byLine: map[lineOf][]*record.Edge{},
		closed: map[string]bool{}, related: map[string]bool{},
	}
	for _, f := range o.Files {
		ix.files[f.File] = f
	}
	for _, d := range o.Defs {
		ix.defs[d.ID] = d
		switch d.Kind {
		case "package":
			ix.packages[d.QName] = d
			ix.packages[d.File] = d
			continue
		case "constructor":
			ix.ctors[d.Parent] = append(ix.ctors[d.Parent], d)
		}
		key := [2]string{d.File, lastPart(d.Name)}
		ix.byName[key] = append(ix.byName[key], d)
	}
	for _, s := range o.Sites {
		at := place{s.File, s.Line, s.Col}
		ix.sites[at] = append(ix.sites[at], s)
		ln := lineOf{s.File, s.Line}
		ix.lines[ln] = append(ix.lines[ln], s)
		if s.To != "" && (s.Kind == record.Overrides || s.Kind == record.Implements) {
			ix.super[s.From] = append(ix.super[s.From], s.To)
		}
	}
	for _, k := range o.Meta.Closed {
		ix.closed[k] = true
	}
	for _, k := range o.Meta.Relations {
		ix.related[k] = true
	}
	inside := map[string][]*record.Def{} // files by the node of their package
	for _, n := range g.Nodes {
		ix.nodes[n.ID] = n
		if d := ix.match(n); d != nil {
			ix.matched[n.ID] = d
			if d.Kind == "file" {
				inside[n.Parent] = append(inside[n.Parent], d)
			}
		}
	}
	for _, n := range g.Nodes { // a module is its file
		if fs := inside[n.ID]; n.Kind == "package" && ix.matched[n.ID] == nil && len(fs) == 1 {
			ix.matched[n.ID] = fs[0]
		}
	}
	for _, e := range g.Edges {
		e.Kind = ix.edgeKind(e)
		at := place{e.File, e.Line, e.Col}
		ix.edges[at] = append(ix.edges[at], e)
		ln := lineOf{e.File, e.Line}
		ix.byLine[ln] = append(ix.byLine[ln], e)
	}
	return ix
}

// lastPart is the last part of a qualified name.
func lastPart(name string) string {
	if i := strings.LastIndexAny(name, ".#:/$"); i >= 0 && i+1 < len(name) {
		return name[i+1:]
	}
	return name
}

// class says which kinds can be each other: oracles and graphs name them
// differently.
func class(kind string) string {
	switch record.Kind(kind) {
	case "class", "struct", "interface", "enum", "record", "annotation", "type-alias", "type":
		return "type"
	case "function", "method":
		return "function"
	case "field", "constant", "variable", "enum-member":
		return "value"
	}
	return kind
}

func callable(kind string) bool {
	return class(kind) == "function" || kind == "constructor"
}

// edgeKind is the kind under which an edge is compared. What implements or
// overrides a method is `overrides`, also where it is the declaration around the
// method that does; between types it is `implements`.
func (ix *index) edgeKind(e *record.Edge) string {
	k := record.Kind(e.Kind)
	if k != record.Implements && k != record.Overrides {
		return k
	}
	for _, key := range []string{e.From, e.To} {
		if n := ix.nodes[key]; n != nil && callable(n.Kind) {
			return record.Overrides
		}
	}
	return record.Implements
}

// match finds the definition that a node is: same file, same last part of the
// name, and a line between the definition's first line and that of its name.
func (ix *index) match(n *record.Node) *record.Def {
	switch n.Kind {
	case "file":
		for _, d := range ix.byName[[2]string{n.File, lastPart(n.File)}] {
			if d.Kind == "file" {
				return d
			}
		}
		return nil
	case "package", "module", "repository":
		if n.Kind != "package" {
			return nil
		}
		for _, name := range []string{n.QName, n.File, n.Name} {
			if d := ix.packages[name]; d != nil && name != "" {
				return d
			}
		}
		return nil
	}
	if n.File == "" {
		return nil
	}
	near := func(d *record.Def) bool { return d.DefLine <= n.Line && n.Line <= d.Line }
	overlap := func(d *record.Def) bool {
		first := n.DefLine
		if first == 0 {
			first = n.Line
		}
		return first <= d.Line && d.DefLine <= n.Line
	}
	candidates := ix.byName[[2]string{n.File, lastPart(n.Name)}]
	if n.Kind == "constructor" {
		// Its name is the class's in one place and a keyword in another.
		candidates = slices.Clone(candidates)
		if class := ix.matched[n.Parent]; class != nil {
			candidates = append(candidates, ix.ctors[class.ID]...)
		}
	}
	for _, fits := range []func(*record.Def) bool{near, overlap} {
		var best *record.Def
		for _, d := range candidates {
			if d.Kind != "file" && fits(d) && (best == nil || distance(n, d) < distance(n, best)) {
				best = d
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

// distance orders the candidates for a node: same position, same kind, then the
// nearest line.
func distance(n *record.Node, d *record.Def) int {
	far := n.Line - d.Line
	if far < 0 {
		far = -far
	}
	far *= 100
	if n.Col != d.Col {
		far += 10
	}
	if record.Kind(n.Kind) != record.Kind(d.Kind) {
		far++
		if class(n.Kind) != class(d.Kind) {
			far += 50
		}
	}
	return far
}

// overrides reports whether definition sub overrides or implements super, over
// any number of steps.
func (ix *index) overrides(sub, super string) bool {
	seen := map[string]bool{sub: true}
	for queue := []string{sub}; len(queue) > 0; queue = queue[1:] {
		for _, next := range ix.super[queue[0]] {
			if next == super {
				return true
			}
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return false
}

// targets are the definitions that are right for a site: its target, the other
// names of it, and for a constructed class its constructors and the reverse.
func (ix *index) targets(s *record.Site) []string {
	list := append([]string{s.To}, s.ToOr...)
	if s.Kind == record.Calls || s.Kind == record.Instantiates {
		for _, id := range slices.Clone(list) {
			d := ix.defs[id]
			switch {
			case d == nil:
			case d.Kind == "constructor" && d.Parent != "":
				list = append(list, d.Parent)
			case class(d.Kind) == "type":
				for _, c := range ix.ctors[id] {
					list = append(list, c.ID)
				}
			}
		}
	}
	return list
}

// origins are the definitions that a site may count to.
func (ix *index) origins(s *record.Site, initialisers string) []string {
	if s.Pkg != "" && initialisers == "package" {
		return []string{s.Pkg}
	}
	list := append([]string{s.From}, s.FromOr...)
	if s.Pkg != "" && initialisers == "either" {
		list = append(list, s.Pkg)
	}
	return list
}

// at returns the oracle's sites of one kind for an edge: those at its position,
// or, if there are none, those on its line with the name of its target. all are
// the sites of any kind at the position.
func (ix *index) at(e *record.Edge, target string) (same, all []*record.Site) {
	all = ix.sites[place{e.File, e.Line, e.Col}]
	for _, s := range all {
		if s.Kind == e.Kind {
			same = append(same, s)
		}
	}
	if len(same) > 0 {
		return same, all
	}
	for _, s := range ix.lines[lineOf{e.File, e.Line}] {
		if s.Kind == e.Kind && (s.Name == target || e.Kind == record.Converts) {
			same = append(same, s)
		}
	}
	return same, all
}

// compareCertainty orders certainties, the surest first.
func compareCertainty(a, b string) int {
	rank := map[string]int{"exact": 0, "": 0, "inferred": 1, "ambiguous": 2}
	return cmp.Compare(rank[a], rank[b])
}
