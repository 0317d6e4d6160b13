package impact

import (
	"cmp"
	"maps"
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

// The runs of a test are named one by one as long as it takes no more steps than
// one of stepsNamed to find them: for all tests of a graph the first one with which
// that takes no more than maxSteps of them together. Tests that are run by more are
// wide: the types and files that run them are selected as a whole, with all
// tests that they run. So time and memory stay linear in the graph, where pairs of a
// test and who runs it may be as many as the square, and no run is left out.
var stepsNamed = [...]int{1 << 10, 1 << 8, 1 << 6, 1 << 4, 1 << 2, 0}

const maxSteps = 1 << 20

// bounds are those of a graph's programs.
type bounds struct {
	named int // steps to find who runs one test, by name
	below int // runs that are looked at for all visited members; see reachedBelow
	using int // users of a member that is overridden that are looked at
}

// runners is how a test is run.
type runners struct {
	runs []Run
	// wide are the types and functions whose tests are inherited or made by more than
	// are named: runs then has at most the one where the test stands.
	wide []graph.ID
}

// allRuns finds how each test of the graph is run.
func (p *programs) allRuns(tests []graph.ID) []runners {
	out := make([]runners, len(tests))
	for _, most := range stepsNamed {
		p.bounds.named = most
		steps := 0
		for i := 0; i < len(tests) && steps <= maxSteps; i++ {
			var took int
			out[i], took = p.runsOf(tests[i])
			steps += took
		}
		if steps <= maxSteps {
			break
		}
	}
	return out
}

// runsOf returns how a test is run: where it stands first, then by the types that
// inherit it, or the files that have it made, in the order of their keys; and the
// steps that it took to find them.
func (p *programs) runsOf(test graph.ID) (r runners, steps int) {
	g := p.g
	itself := []Run{{test, graph.None}}
	n := &g.Nodes[test]
	if n.Parent == graph.None || !g.Nodes[n.Parent].Kind.IsType() {
		if f := p.makerOf(test); f != graph.None {
			return p.madeBy(test, f)
		}
		return runners{runs: itself}, 0
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
	around := len(queue)
	for i := 0; i < len(queue); i++ {
		for _, kind := range [...]graph.EdgeKind{graph.EdgeExtends, graph.EdgeImplements} {
			for _, at := range g.InKind(queue[i].By, kind) {
				if steps++; steps > p.bounds.named {
					for _, x := range queue[:around] {
						r.wide = append(r.wide, x.By)
					}
					if here || !abstract && len(below) == 0 {
						r.runs = itself
					}
					return r, steps
				}
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
		below = append(itself, below...)
	}
	return runners{runs: below}, steps
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
func (p *programs) madeBy(test, maker graph.ID) (r runners, steps int) {
	var out []Run
	itself := Run{test, graph.None}
	here := false
	seen := map[graph.ID]bool{maker: true}
	queue := []graph.ID{maker}
	for i := 0; i < len(queue); i++ {
		for _, at := range p.g.InKind(queue[i], graph.EdgeCalls) {
			if steps++; steps > p.bounds.named {
				return runners{wide: []graph.ID{maker}}, steps
			}
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
		out = append([]Run{itself}, out...)
	}
	return runners{runs: out}, steps
}

// runningWide returns the types and files that run tests which stand in wide types, or
// are made by wide functions, or in those that inherit and call these, in the order of their keys.
func (p *programs) runningWide(wide []graph.ID) []graph.ID {
	var out []graph.ID
	queue := slices.Clone(wide)
	seen, runs := map[graph.ID]bool{}, map[graph.ID]bool{}
	for _, x := range wide {
		seen[x] = true
	}
	for i := 0; i < len(queue); i++ {
		kinds := []graph.EdgeKind{graph.EdgeCalls}
		if p.g.Nodes[queue[i]].Kind.IsType() {
			kinds = []graph.EdgeKind{graph.EdgeExtends, graph.EdgeImplements}
		}
		for _, kind := range kinds {
			for _, at := range p.g.InKind(queue[i], kind) {
				from := p.g.Edges[at].From
				x := &p.g.Nodes[from]
				switch {
				case x.Kind.IsType() && x.Flags.Has(graph.FlagSuite), x.Kind == graph.KindFile && x.Flags.Has(graph.FlagTest):
					if !runs[from] {
						runs[from] = true
						out = append(out, from)
					}
				}
				if !seen[from] && (x.Kind.IsType() || kind == graph.EdgeCalls && x.Kind != graph.KindFile && x.Flags.Has(graph.FlagTest)) {
					seen[from] = true
					queue = append(queue, from)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// placedRun is a run of a test in a graph.
type placedRun struct {
	test graph.ID // the type or file itself if that is run as a whole
	Run
	whole bool // for the wide tests that it runs; see runners
}

// maxBelow bounds the runs that are looked at for all visited members, and maxUsing the
// users of one that is overridden. Beyond, types are selected as a whole.
const (
	maxBelow = 1 << 22
	maxUsing = 1 << 12
)

// reachedBelow returns the tests that classes inherit and that run a visited member
// of such a class, as they ask for it what each of them does in its own way. Members
// that override nothing and that nobody uses are for such tests, too: languages
// without declared types do not tell a class what is below it. Of types with more than
// can be looked at, wide are those whose inheriting types are to be run as a whole.
func (p *programs) reachedBelow(w *walk) (out []loaded, wide []wideAt) {
	asking := map[graph.ID]*asked{} // by overridden member
	done := map[graph.ID]bool{}     // classes of which a member was looked at that overrides nothing
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
		if steps > p.bounds.below {
			wide = append(wide, wideAt{t, n})
			continue
		}
		below := p.below(t, p.bounds.below-steps)
		steps += len(below)
		inside := map[graph.ID]bool{}
		for _, c := range below {
			inside[c] = true
		}
		for i := 0; i < len(below) && steps <= p.bounds.below; i++ {
			for _, r := range p.byClass[below[i]] {
				if steps += 1 + len(above); steps > p.bounds.below {
					break
				}
				if !r.whole && (!r.inherited() || inside[r.Of]) {
					continue
				}
				asks := len(above) == 0 || r.whole
				for _, s := range above {
					if asking[s] == nil {
						asking[s] = p.testsUsing(s)
						steps += asking[s].steps
					}
					asks = asks || asking[s].any || asking[s].tests[r.test]
				}
				if asks {
					out = append(out, loaded{r, n, int(w.nodes[n].depth) + 1, true})
				}
			}
		}
		if steps > p.bounds.below {
			wide = append(wide, wideAt{t, n})
		}
	}
	return out, wide
}

// wideAt is a type whose inheriting types are run as a whole, for a visited node.
type wideAt struct{ typ, node graph.ID }

// asked is which tests reach a member.
type asked struct {
	tests map[graph.ID]bool // and what is between them
	any   bool              // more than can be looked at: any may
	steps int
}

// testsUsing returns the tests that reach a member by calls and reads.
func (p *programs) testsUsing(member graph.ID) *asked {
	a := &asked{tests: map[graph.ID]bool{member: true}}
	queue := []graph.ID{member}
	for i := 0; i < len(queue); i++ {
		if i == p.bounds.using {
			a.any = true
			break
		}
		for _, at := range p.g.In(queue[i]) {
			a.steps++
			e := &p.g.Edges[at]
			if !a.tests[e.From] && follows(e.Kind, p.g.Nodes[e.To].Kind) && e.Kind != graph.EdgeExtends {
				a.tests[e.From] = true
				if !isTest(&p.g.Nodes[e.From]) {
					queue = append(queue, e.From)
				}
			}
		}
	}
	return a
}

// runs returns how the test id of the head graph is run by those of whom may holds in
// the graph of a walk; who is not there is new. Of who runs wide tests that is not asked.
func (s *selection) runs(id graph.ID, w *walk, may func(graph.ID) bool) runners {
	r, _ := s.programs.runsOf(id)
	r.runs = slices.DeleteFunc(r.runs, func(r Run) bool {
		by := r.By
		if w.g != s.e.head {
			by = s.e.d.ToBase(by)
		}
		return by != graph.None && !may(by)
	})
	return r
}

// run notes that a selected test is run so.
func (s *selection) run(id graph.ID, runs ...Run) {
	for _, r := range runs {
		if x := (placedRun{test: id, Run: r}); !s.known[x] {
			s.known[x] = true
			s.ran[id] = append(s.ran[id], r)
		}
	}
}

// maxNamed bounds the runs that are named of all selected tests together, but for
// those where tests stand, and maxWhole the types and files that are named to be run
// as a whole.
const (
	maxNamed = 1 << 15
	maxWhole = 1 << 14
)

// coarser has types and files run as a whole where the runs of selected tests are too
// many to be named, and names them. It reports whether even those are too many.
func (s *selection) coarser(t *Tests) (all bool) {
	total := 0
	var tests []graph.ID
	for id, runs := range s.ran {
		if n := len(runs); n > 1 || n == 1 && runs[0].inherited() {
			total += n
			tests = append(tests, id)
		}
	}
	slices.SortFunc(tests, func(x, y graph.ID) int {
		return cmp.Or(cmp.Compare(len(s.ran[y]), len(s.ran[x])), cmp.Compare(x, y))
	})
	for i := 0; i < len(tests) && total > maxNamed; i++ {
		total -= len(s.ran[tests[i]])
		s.ran[tests[i]] = slices.DeleteFunc(s.ran[tests[i]], func(r Run) bool {
			if r.inherited() {
				s.units[r.By] = true
			}
			return r.inherited()
		})
		s.wide[tests[i]] = true
	}
	for _, id := range s.programs.runningWide(slices.Sorted(maps.Keys(s.roots))) {
		s.units[id] = true
	}
	if len(s.units) == 0 {
		return false
	}
	t.reason(ManyRuns, nil)
	if len(s.units) > maxWhole {
		return true
	}
	for _, id := range slices.Sorted(maps.Keys(s.units)) {
		t.Whole = append(t.Whole, Whole{Symbol: &s.e.head.Nodes[id], ID: id, Runner: s.e.runner(id), Package: s.e.packagePath(id)})
	}
	return false
}

// maxProgram bounds the types that are looked at to find whose program has one; with
// more, any may.
const maxProgram = 1 << 10

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
		if i > maxProgram {
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
