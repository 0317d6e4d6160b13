package impact

import (
	"cmp"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// A test that is a member of a type is run by the types that have it and that a
// runner starts, its own and those that inherit it: several times, or never where
// it stands. One that a function makes is run with the files that call the function.

// Run is a test as one type or file runs it.
type Run struct {
	By graph.ID // the type that inherits the test, or the file that has it made; the test itself where it stands
	Of graph.ID // the type around the test that By inherits, or the function around it; None where it stands
}

// inherited reports whether a test is run elsewhere than where it stands.
func (r Run) inherited() bool { return r.Of != graph.None }

// compare orders the runs of one test.
func (r Run) compare(x Run) int {
	if r.inherited() != x.inherited() {
		return cmp.Compare(r.Of, x.Of) // None is the least
	}
	return cmp.Compare(r.By, x.By)
}

// maxRunners bounds the types that are looked at to find who runs a test.
const maxRunners = 1 << 10

// runsOf returns how a test is run: where it stands first, then by the types that
// inherit it, or the files that have it made, in the order of their keys.
func (p *programs) runsOf(test graph.ID) []Run {
	g := p.g
	itself := []Run{{test, graph.None}}
	n := &g.Nodes[test]
	if n.Parent == graph.None || !g.Nodes[n.Parent].Kind.IsType() {
		if f := p.makerOf(test); f != graph.None {
			return p.madeBy(test, f)
		}
		return itself
	}
	has := func(t graph.ID, of graph.ID) bool { // one of its own
		own, ok := strings.CutPrefix(n.Key, g.Nodes[of].Key)
		return ok && g.Lookup(g.Nodes[t].Key+own) != graph.None
	}
	var queue, below []Run
	seen := map[graph.ID]bool{}
	here, abstract := true, false
	for t := n.Parent; t != graph.None && g.Nodes[t].Kind.IsType() && !seen[t]; t = g.Nodes[t].Parent {
		x := &g.Nodes[t]
		seen[t] = true
		queue = append(queue, Run{t, t})
		here = here && x.Flags.Has(graph.FlagSuite)
		abstract = abstract || x.Kind == graph.KindInterface || x.Flags.Has(graph.FlagAbstract)
		if x.Flags.Has(graph.FlagStatic) {
			break
		}
	}
	for _, i := range g.InKind(test, graph.EdgeOverrides) {
		seen[g.Nodes[g.Edges[i].From].Parent] = true // it and what is below it have a test of their own
	}
	for i := 0; i < len(queue) && i < maxRunners; i++ {
		for _, kind := range [...]graph.EdgeKind{graph.EdgeExtends, graph.EdgeImplements} {
			for _, at := range g.InKind(queue[i].By, kind) {
				t := g.Edges[at].From
				if seen[t] || has(t, queue[i].Of) {
					continue
				}
				seen[t] = true
				queue = append(queue, Run{t, queue[i].Of})
				if g.Nodes[t].Flags.Has(graph.FlagSuite) {
					below = append(below, Run{t, queue[i].Of})
				}
			}
		}
	}
	slices.SortFunc(below, Run.compare)
	if here || len(below) == 0 && !abstract { // older graphs do not tell
		return append(itself, below...)
	}
	return below
}

// makerOf returns the function around a test that a call makes, where files are
// modules; None if none is.
func (p *programs) makerOf(test graph.ID) graph.ID {
	n := &p.g.Nodes[test]
	if !p.d.RulesFor(n).Structural {
		return graph.None
	}
	if p.makers == nil {
		p.makers = map[string][]graph.ID{}
		for i := range p.g.Nodes {
			if x := &p.g.Nodes[i]; x.Kind == graph.KindFunction && x.Flags.Has(graph.FlagTest) && !x.Flags.Has(graph.FlagTestCase) && x.DefLine < x.EndLine {
				p.makers[x.File] = append(p.makers[x.File], graph.ID(i))
			}
		}
		for file, list := range p.makers {
			p.makers[file] = outermost(p.g, list)
		}
	}
	list := p.makers[n.File]
	i, found := slices.BinarySearchFunc(list, n.DefLine, func(f graph.ID, line int32) int { return cmp.Compare(p.g.Nodes[f].DefLine, line) })
	if !found {
		i--
	}
	if i < 0 || n.EndLine > p.g.Nodes[list[i]].EndLine {
		return graph.None
	}
	return list[i]
}

// outermost returns those of the functions of a file that are in no other one, in
// the order of their places.
func outermost(g *graph.Graph, list []graph.ID) []graph.ID {
	slices.SortFunc(list, func(x, y graph.ID) int {
		a, b := &g.Nodes[x], &g.Nodes[y]
		return cmp.Or(cmp.Compare(a.DefLine, b.DefLine), cmp.Compare(b.EndLine, a.EndLine), cmp.Compare(x, y))
	})
	end := int32(0)
	return slices.DeleteFunc(list, func(f graph.ID) bool {
		if g.Nodes[f].DefLine <= end {
			return true
		}
		end = g.Nodes[f].EndLine
		return false
	})
}

// madeBy returns the files that call the function which makes a test, or one that calls
// that; the test itself if one of them is its own, or there is none.
func (p *programs) madeBy(test, maker graph.ID) []Run {
	var out []Run
	here := false
	seen := map[graph.ID]bool{maker: true}
	queue := []graph.ID{maker}
	for i := 0; i < len(queue) && i < maxRunners; i++ {
		for _, at := range p.g.InKind(queue[i], graph.EdgeCalls) {
			from := p.g.Edges[at].From
			x := &p.g.Nodes[from]
			if seen[from] || !x.Flags.Has(graph.FlagTest) {
				continue
			}
			seen[from] = true
			if x.Kind != graph.KindFile {
				queue = append(queue, from)
				continue
			}
			if here = here || x.File == p.g.Nodes[test].File; x.File != p.g.Nodes[test].File {
				out = append(out, Run{from, maker})
			}
		}
	}
	slices.SortFunc(out, Run.compare)
	if here || len(out) == 0 {
		out = append([]Run{{test, graph.None}}, out...)
	}
	return out
}

// placedRun is a run of a test in a graph.
type placedRun struct {
	test graph.ID
	Run
}

// maxBelow bounds the runs that are looked at for all visited members, and maxUsing the
// users of one that is overridden.
const (
	maxBelow = 1 << 22
	maxUsing = 1 << 12
)

// reachedBelow returns the tests that classes inherit and that run a visited member
// of such a class, as they ask for it what each of them does in its own way. Members
// that override nothing and that nobody uses are for such tests, too: languages
// without declared types do not tell a class what is below it.
func (p *programs) reachedBelow(w *walk) []loaded {
	var out []loaded
	asking := map[graph.ID]map[graph.ID]bool{} // by overridden member
	done := map[graph.ID]bool{}                // classes of which a member was looked at that overrides nothing
	steps := 0
	for _, n := range w.order {
		x := &p.g.Nodes[n]
		t := x.Parent
		if t == graph.None || !p.g.Nodes[t].Kind.IsType() || x.Kind.IsType() || !x.Flags.Has(graph.FlagTest) || x.Flags.Has(graph.FlagTestCase) {
			continue
		}
		var above []graph.ID
		for _, s := range w.supers(n) {
			if p.g.Nodes[s.id].Kind != graph.KindExternal {
				above = append(above, s.id)
			}
		}
		if len(above) == 0 && slices.ContainsFunc(p.g.In(n), func(i uint32) bool { return follows(p.g.Edges[i].Kind, x.Kind) }) {
			continue
		}
		if len(above) == 0 {
			if done[t] {
				continue
			}
			done[t] = true
		}
		below := p.below(t)
		inside := map[graph.ID]bool{}
		for _, c := range below {
			inside[c] = true
		}
		for _, c := range below {
			for _, r := range p.byClass[c] {
				if steps += 1 + len(above); steps > maxBelow {
					return out
				}
				if !r.inherited() || inside[r.Of] {
					continue
				}
				asks := len(above) == 0
				for _, s := range above {
					if asking[s] == nil {
						asking[s] = p.testsUsing(s)
					}
					asks = asks || asking[s][r.test]
				}
				if asks {
					out = append(out, loaded{r, n, int(w.nodes[n].depth) + 1, true})
				}
			}
		}
	}
	return out
}

// testsUsing returns the tests that reach a member by calls and reads, and what is
// between them.
func (p *programs) testsUsing(member graph.ID) map[graph.ID]bool {
	seen := map[graph.ID]bool{member: true}
	queue := []graph.ID{member}
	for i := 0; i < len(queue) && i < maxUsing; i++ {
		for _, at := range p.g.In(queue[i]) {
			e := &p.g.Edges[at]
			if !seen[e.From] && follows(e.Kind, p.g.Nodes[e.To].Kind) && e.Kind != graph.EdgeExtends {
				seen[e.From] = true
				if !isTest(&p.g.Nodes[e.From]) {
					queue = append(queue, e.From)
				}
			}
		}
	}
	return seen
}

// runs returns how the test id of the head graph is run by those of whom may holds in
// the graph of a walk; who is not there is new.
func (s *selection) runs(id graph.ID, w *walk, may func(graph.ID) bool) []Run {
	return slices.DeleteFunc(s.programs.runsOf(id), func(r Run) bool {
		by := r.By
		if w.g != s.e.head {
			by = s.e.d.ToBase(by)
		}
		return by != graph.None && !may(by)
	})
}

// run notes that a selected test is run so.
func (s *selection) run(id graph.ID, runs ...Run) {
	for _, r := range runs {
		if !slices.Contains(s.ran[id], r) {
			s.ran[id] = append(s.ran[id], r)
		}
	}
}

// may reports whether a test may run with changed code as n, itself or a type that
// inherits it: in a program of its own module, or of one that names its class for other
// reasons than to inherit it. With loose, see sees.
func (r *near) may(n graph.ID, loose bool) bool {
	sees := func(n graph.ID) bool { return r.sees(r.of(&r.g.Nodes[n]), loose) }
	if r.any || sees(n) {
		return true
	}
	queue := []graph.ID{n}
	seen := map[graph.ID]bool{n: true}
	add := func(n graph.ID) {
		if !seen[n] {
			seen[n] = true
			queue = append(queue, n)
		}
	}
	for p := r.g.Nodes[n].Parent; p != graph.None && r.g.Nodes[p].Kind.IsType(); p = r.g.Nodes[p].Parent {
		add(p)
	}
	for i := 0; i < len(queue); i++ {
		if i > maxRunners {
			return true
		}
		for _, x := range r.g.In(queue[i]) {
			e := &r.g.Edges[x]
			switch e.Kind {
			case graph.EdgeAnnotates, graph.EdgeExtends, graph.EdgeImplements, graph.EdgeOverrides:
				continue
			}
			if sees(e.From) {
				return true
			}
			if r.g.Nodes[e.From].Kind.IsType() {
				add(e.From)
			}
		}
	}
	return false
}
