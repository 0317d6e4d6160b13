package impact

import (
	"cmp"
	"maps"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// Mode says how far a test selection can be relied on.
type Mode uint8

// The modes.
const (
	Selected Mode = iota // the listed tests reach the change; others do not, as far as the graph tells
	All                  // something changed that any test may depend on: run everything
	NoTests              // nothing that a test could see changed, or no test reaches it
	modeEnd
)

var modeNames = [modeEnd]string{"selected", "all", "none"}

// String returns the mode's name in reports.
func (m Mode) String() string { return modeNames[m] }

// ModeNames returns the names of all modes, for schemas.
func ModeNames() []string { return slices.Clone(modeNames[:]) }

// Why says why a selection is what it is.
type Why uint8

// The reasons.
const (
	LostFiles        Why = iota // files that the base graph has could not be analysed in the head: all tests of programs with their packages
	Unparsed                    // a changed file did not parse completely: all tests of programs with its package
	Unanalysed                  // paths changed that neither graph analyses, and that no code names
	NoChange                    // nothing changed that runs
	Unreached                   // no test reaches the change
	OnlyUnclear                 // some tests are reached over ambiguous edges only
	OnLoad                      // files run code of the change when they are loaded: all tests that load them
	DataChange                  // data changed: all tests of the packages that own or name it
	DependencyChange            // other versions of external modules are used: all tests of programs with packages that import them
	BuildChange                 // how everything is built changed: run everything
	Untyped                     // nothing is seen to reach the change, but calls of values of unknown types may: all tests of programs with its packages
	DeepInheritance             // methods override more than is followed: any test may run them
	ManyRuns                    // tests are run by too many types or files to name each run: those are run as a whole
	whyEnd
)

var whyNames = [whyEnd]string{"lost_files", "unparsed_change", "unanalysed_change", "no_change", "unreached", "ambiguous", "on_load", "data_change", "dependency_change", "build_change", "calls_of_unknown_values", "deep_inheritance", "many_runs"}

// String returns the reason's name in reports.
func (w Why) String() string { return whyNames[w] }

// WhyNames returns the names of all reasons, for schemas.
func WhyNames() []string { return slices.Clone(whyNames[:]) }

// TestReason is a reason with what it is about.
type TestReason struct {
	Why   Why
	Paths []string // files, for the reasons that have them; sorted
}

// Tests is which tests prove a change.
type Tests struct {
	Mode    Mode
	Reasons []TestReason
	// Tests are those that reach a change, the nearest first. They are listed
	// whatever the mode is, for people who cannot run everything.
	Tests []Reached
	// Whole are the types and files that are to be run as a whole, by key: they run
	// selected tests that they inherit or have made, more of them than are named.
	Whole []Whole
	// Total counts the test cases of the head graph.
	Total int
}

// Whole is a type or a file of which all tests are run.
type Whole struct {
	Symbol  *graph.Node
	ID      graph.ID // in the head graph
	Runner  string
	Package string // the path of its package
}

// Reached is a test or entry point that reaches a change.
type Reached struct {
	Symbol    *graph.Node
	ID        graph.ID // in the head graph
	Runner    string   // tests: what runs it
	Package   string   // tests: the path of its package
	Distance  int      // hops to the nearest change; 0 if it changed itself
	Certainty graph.Certainty
	Via       []*graph.Node // the symbols between it and the change, the change last; at most maxVia
	ViaMore   int           // those that Via leaves out, before the change
	Runs      []Run         // tests: where it stands first, then by key
	Wide      bool          // tests: what is among Tests.Whole runs it, too, or everything does
}

// selectTests walks backwards from everything that changed, in both graphs:
// tests of what is gone are known to the base graph only.
func (e *engine) selectTests(r *Result) {
	var headSeeds, baseSeeds []graph.ID
	files := map[string]bool{} // with other statements outside of declarations
	for i := range e.d.Changes {
		c := &e.d.Changes[i]
		if c.Kind == diff.Doc || c.Kind == diff.Moved && !c.Breaking && c.Aspects&^aspect(diff.Moved, diff.Doc) == 0 {
			continue
		}
		if c.Head != graph.None {
			if n := &e.head.Nodes[c.Head]; n.Kind == graph.KindFile {
				files[n.File] = true
			}
			seed := []graph.ID{c.Head}
			if c.Kind == diff.Added || c.Has(diff.OwnerMoved, diff.NameChanged) {
				seed = e.headKids.below(c.Head)
			}
			headSeeds = append(headSeeds, seed...)
		}
		if c.Base != graph.None && (c.Head == graph.None || c.Breaking) {
			baseSeeds = append(baseSeeds, e.baseKids.below(c.Base)...)
		}
	}
	// They run before everything the file declares.
	for i := range e.head.Nodes {
		if len(files) > 0 && files[e.head.Nodes[i].File] {
			headSeeds = append(headSeeds, graph.ID(i))
		}
	}
	sel := selection{e: e, reached: map[graph.ID]Reached{}, ran: map[graph.ID][]Run{}, known: map[placedRun]bool{}, loaders: map[string]bool{},
		wide: map[graph.ID]bool{}, roots: map[graph.ID]bool{}, units: map[graph.ID]bool{}, programs: programsOf(e.d, e.head)}
	e.walk.tests = true
	defer func() { e.walk.tests = false }()
	e.walk.start(unique(headSeeds)...)
	e.walk.run(-1, e.walk.testCase)
	// Who has to be updated for a reason that no behaviour travels along, such
	// as a conversion, is changed code, or will be.
	more := false
	for _, a := range r.Symbols {
		if a.Severity == MustUpdate && !e.walk.visited(a.ID) {
			e.walk.visit(a.ID, visit{depth: 1, edge: -1, via: -1, from: graph.None})
			more = true
		}
	}
	if more {
		e.walk.run(-1, e.walk.testCase)
	}
	sel.add(e.walk, func(n graph.ID) graph.ID { return n })
	if len(baseSeeds) > 0 && e.base != e.head {
		w := e.was()
		w.tests = true
		w.start(unique(baseSeeds)...)
		w.run(-1, w.testCase)
		sel.add(w, e.d.ToHead)
	} else if len(baseSeeds) > 0 { // a hypothetical change
		e.walk.start(unique(baseSeeds)...)
		e.walk.run(-1, e.walk.testCase)
		sel.add(e.walk, e.d.ToHead)
	}
	all := sel.whole(&r.Tests)
	if len(sel.reached)+len(sel.units)+len(sel.roots) == 0 && !all {
		all = sel.untyped(&r.Tests, headSeeds)
	}
	if e.deep() > 0 {
		all = true
		r.Tests.reason(DeepInheritance, nil)
	}
	all = sel.coarser(&r.Tests) || all
	for _, x := range sel.reached {
		x.Runs, x.Wide = sel.ran[x.ID], sel.wide[x.ID]
		if !x.Wide && len(sel.units) > 0 {
			of, _ := sel.programs.runsOf(x.ID)
			x.Wide = len(of.wide) > 0
		}
		slices.SortFunc(x.Runs, Run.compare)
		x.Runner = e.runner(x.ID)
		x.Package = e.packagePath(x.ID)
		r.Tests.Tests = append(r.Tests.Tests, x)
	}
	slices.SortFunc(r.Tests.Tests, nearest)
	for i := range e.head.Nodes {
		if isTest(&e.head.Nodes[i]) {
			r.Tests.Total++
		}
	}
	if len(sel.loaders) > 0 {
		r.Tests.reason(OnLoad, slices.Sorted(maps.Keys(sel.loaders)))
	}
	t := &r.Tests
	switch {
	case all:
		t.Mode = All
	case len(t.Tests)+len(t.Whole) > 0:
		t.Mode = Selected
		if len(t.Reasons) == 0 && slices.ContainsFunc(t.Tests, func(x Reached) bool { return x.Certainty == graph.Ambiguous }) {
			t.reason(OnlyUnclear, nil)
		}
	case len(headSeeds)+len(baseSeeds) > 0:
		t.Mode = NoTests
		t.reason(Unreached, nil)
	default:
		t.Mode = NoTests
		if len(t.Reasons) == 0 {
			t.reason(NoChange, nil)
		}
	}
}

// runner returns what runs the tests of a node's language.
func (e *engine) runner(id graph.ID) string {
	lang := e.head.Nodes[id].Lang
	if name, ok := e.opt.Runner[lang]; ok {
		return name
	}
	return lang
}

// packagePath returns the path of the package of a node of the head graph.
func (e *engine) packagePath(id graph.ID) string {
	if p := diff.PackageOf(e.head, id); p != graph.None {
		return e.head.Nodes[p].QName
	}
	return ""
}

// nearest orders what reaches a change.
func nearest(x, y Reached) int {
	return cmp.Or(cmp.Compare(x.Distance, y.Distance), cmp.Compare(x.Certainty, y.Certainty), cmp.Compare(x.Symbol.Key, y.Symbol.Key))
}

func (t *Tests) reason(w Why, paths []string) {
	t.Reasons = append(t.Reasons, TestReason{w, paths})
}

// whole selects all tests of programs in which more may have changed than the
// graphs tell, and says why. It reports whether that is everything.
func (s *selection) whole(t *Tests) (all bool) {
	e := s.e
	if lost := e.d.Files.Lost; len(lost) > 0 {
		var paths []string
		var nodes []graph.ID
		for _, f := range lost {
			paths = append(paths, f.Path)
			if i := e.base.FileIndex(f.Path); i >= 0 {
				nodes = append(nodes, e.base.Files[i].Node)
			}
		}
		t.reason(LostFiles, sorted(paths))
		all = !s.folders(programsOf(e.d, e.base).containing(nodes)) || all
	}
	if paths := e.unparsedChanges(); len(paths) > 0 {
		t.reason(Unparsed, paths)
		all = !s.folders(s.programs.containing(e.fileNodes(paths))) || all
	}
	why := map[Why][]string{}
	for i := range e.opt.Inputs {
		in := &e.opt.Inputs[i]
		switch {
		case in.All:
			why[BuildChange] = append(why[BuildChange], in.Path)
			all = true
		case len(in.Modules) > 0:
			why[DependencyChange] = append(why[DependencyChange], in.Path)
			all = !s.folders(s.programs.importing(in)) || all
		default:
			readers := s.programs.containing(append(e.fileNodes(in.Readers), s.programs.packagesIn(in.Packages)...))
			for _, dir := range in.Tests {
				readers[pathOf(dir)] = true
				for _, f := range s.programs.files[pathOf(dir)] {
					readers[f] = true
				}
			}
			w := DataChange
			if len(readers) == 0 {
				w = Unanalysed
			}
			why[w] = append(why[w], in.Path)
			s.folders(readers)
		}
	}
	for _, w := range []Why{Unanalysed, DataChange, DependencyChange, BuildChange} {
		if len(why[w]) > 0 {
			t.reason(w, sorted(why[w]))
		}
	}
	return all
}

// untyped selects the tests of programs with the packages of those changed nodes
// whose language does not tell what all calls run. It reports whether that is
// everything.
func (s *selection) untyped(t *Tests, seeds []graph.ID) (all bool) {
	var open []graph.ID
	for _, n := range seeds {
		if rules := s.e.d.RulesFor(&s.e.head.Nodes[n]); rules.Dynamic || rules.Structural {
			open = append(open, n)
		}
	}
	if len(open) == 0 {
		return false
	}
	if !s.folders(s.programs.containing(open)) {
		all = true
	}
	for id, x := range s.reached {
		x.Certainty = graph.Ambiguous
		s.reached[id] = x
	}
	if all || len(s.reached)+len(s.units) > 0 {
		t.reason(Untyped, nil)
	}
	return all
}

// fileNodes returns the nodes of those files that the head graph has a package
// for.
func (e *engine) fileNodes(paths []string) []graph.ID {
	var nodes []graph.ID
	for _, p := range paths {
		if i := e.head.FileIndex(p); i >= 0 && diff.PackageOf(e.head, e.head.Files[i].Node) != graph.None {
			nodes = append(nodes, e.head.Files[i].Node)
		}
	}
	return nodes
}

// folders selects the tests of folders, those that nothing reached with a
// distance of 1. It reports whether the folders are known.
func (s *selection) folders(dirs map[string]bool) bool {
	for dir := range dirs {
		for _, t := range s.programs.tests[dir] {
			if t.whole {
				s.units[t.test] = true
				continue
			}
			if _, ok := s.reached[t.test]; !ok {
				s.reached[t.test] = Reached{Symbol: &s.e.head.Nodes[t.test], ID: t.test, Distance: 1, Certainty: graph.Inferred}
			}
			s.run(t.test, t.Run)
		}
	}
	return dirs != nil
}

// selection collects the tests that reach a change.
type selection struct {
	e       *engine
	reached map[graph.ID]Reached // by id in the head graph
	ran     map[graph.ID][]Run   // how those are run, in the head graph
	known   map[placedRun]bool   // what is in ran
	wide    map[graph.ID]bool    // those that are run by others, which are among units or below roots
	trails  map[graph.ID]trail   // of nodes of the walk at hand; see toSeed
	roots   map[graph.ID]bool    // wide types and functions of the head graph
	units   map[graph.ID]bool    // types and files of the head graph that are run as a whole
	loaders map[string]bool      // files that run code of the change when they are loaded

	programs *programs // of the head graph
}

// add collects what a walk from changed nodes has reached. toHead maps the ids
// of its graph to those of the head graph.
func (s *selection) add(w *walk, toHead func(graph.ID) graph.ID) {
	programs := s.programs
	if w.g != s.e.head {
		programs = programsOf(s.e.d, w.g)
	}
	within := s.within(w, programs)
	onLoad := programs.reachedOnLoad(w) // walks on
	s.trails = map[graph.ID]trail{}
	for _, n := range w.order {
		id := toHead(n)
		if id == graph.None || !isTest(&s.e.head.Nodes[id]) {
			continue
		}
		r := s.runs(id, w, func(by graph.ID) bool { return within(by, n) })
		if len(r.runs)+len(r.wide) > 0 {
			s.reach(id, n, int(w.nodes[n].depth), w, toHead)
			s.run(id, r.runs...)
		}
		for _, x := range r.wide {
			s.roots[x], s.wide[id] = true, true
		}
	}
	below, wide := programs.reachedBelow(w)
	for _, x := range wide {
		if t := toHead(x.typ); t != graph.None {
			s.roots[t] = true
			s.units[t] = s.units[t] || s.e.head.Nodes[t].Flags.Has(graph.FlagSuite)
		}
	}
	for _, l := range append(onLoad, below...) {
		id, run := toHead(l.test), Run{toHead(l.By), graph.None}
		if l.whole && id != graph.None {
			if within(l.By, l.node) {
				s.units[id] = true
				if !l.around {
					s.loaders[s.symbol(l.node, w, toHead).File] = true
				}
			}
			continue
		}
		if id == graph.None || !isTest(&s.e.head.Nodes[id]) || run.By == graph.None || !within(l.By, l.node) {
			continue
		}
		if l.inherited() {
			if run.Of = toHead(l.Of); run.Of == graph.None {
				continue
			}
		}
		if !l.around {
			s.loaders[s.symbol(l.node, w, toHead).File] = true
		}
		s.reach(id, l.node, l.distance, w, toHead)
		s.run(id, run)
	}
}

// within returns which tests, and types that inherit some, have a changed node in
// their program: others cannot run it, whatever the edges say of all programs together. Where a program
// has what it finds on a path, that is what its module needs. The path to the change
// begins at a visited node.
func (s *selection) within(w *walk, p *programs) func(by, visited graph.ID) bool {
	var seeds []graph.ID
	for _, n := range w.order {
		if !w.began(n) {
			continue
		}
		switch rules := s.e.d.RulesFor(&w.g.Nodes[n]); {
		case rules.Scanned && !rules.Dynamic && w.near != nil && !w.near.any:
			may := [2]map[graph.ID]bool{{}, {}}
			return func(by, visited graph.ID) bool {
				loose := w.nodes[visited].loose
				known := may[0]
				if loose {
					known = may[1]
				}
				is, ok := known[by]
				if !ok {
					is = w.near.may(by, loose)
					known[by] = is
				}
				return is
			}
		case rules.Dynamic || rules.Scanned:
			return func(_, _ graph.ID) bool { return true }
		}
		seeds = append(seeds, n)
	}
	folders := p.containing(seeds)
	return func(by, _ graph.ID) bool { return folders == nil || folders[p.of(&w.g.Nodes[by])] }
}

// symbol returns the node of the head graph for one of a walk's graph, or the
// latter if there is none.
func (s *selection) symbol(n graph.ID, w *walk, toHead func(graph.ID) graph.ID) *graph.Node {
	if h := toHead(n); h != graph.None {
		return &s.e.head.Nodes[h]
	}
	return &w.g.Nodes[n]
}

// reach notes that id, a test of the head graph, reaches a change over the
// visited node n, which may be itself.
func (s *selection) reach(id, n graph.ID, distance int, w *walk, toHead func(graph.ID) graph.ID) {
	x := Reached{Symbol: &s.e.head.Nodes[id], ID: id, Distance: distance, Certainty: w.nodes[n].certainty}
	if old, ok := s.reached[id]; ok && cmp.Or(cmp.Compare(old.Certainty/graph.Ambiguous, x.Certainty/graph.Ambiguous), cmp.Compare(old.Distance, x.Distance)) <= 0 {
		return
	}
	at := n
	if toHead(n) == id {
		at = w.nodes[n].from
	}
	for ; at != graph.None; at = w.nodes[at].from {
		if len(x.Via) == maxVia-1 && !w.began(at) {
			t := s.toSeed(w, at)
			x.ViaMore, at = t.hops, t.seed
		}
		x.Via = append(x.Via, s.symbol(at, w, toHead))
	}
	s.reached[id] = x
}

// trail is the way from a visited node back to where the walk began.
type trail struct {
	seed graph.ID
	hops int
}

// toSeed returns the trail of a visited node. What many share is gone once.
func (s *selection) toSeed(w *walk, n graph.ID) trail {
	var above []graph.ID
	t, ok := s.trails[n]
	for ; !ok && !w.began(n); t, ok = s.trails[n] {
		above = append(above, n)
		n = w.nodes[n].from
	}
	if !ok {
		t = trail{seed: n}
	}
	for _, x := range slices.Backward(above) {
		t.hops++
		s.trails[x] = t
	}
	return t
}

// maxVia bounds the symbols that are named between a test and a change.
const maxVia = 64

// testCase reports whether nothing but a runner starts n, a test. One that overrides
// another may call that.
func (w *walk) testCase(n graph.ID) bool {
	return w.g.Nodes[n].Flags.Has(graph.FlagTestCase) && len(w.g.InKind(n, graph.EdgeCalls)) == 0
}

// unparsedChanges lists the files that this change touched and of which the
// head graph lacks a part.
func (e *engine) unparsedChanges() []string {
	var paths []string
	for i := range e.head.Unknowns {
		u := &e.head.Unknowns[i]
		if u.Reason != graph.ReasonSyntaxError || u.File == "" {
			continue
		}
		h, b := e.head.FileIndex(u.File), e.base.FileIndex(u.File)
		if h >= 0 && (b < 0 || e.base.Files[b].Hash != e.head.Files[h].Hash) {
			paths = append(paths, u.File)
		}
	}
	return sorted(paths)
}

func sorted(paths []string) []string {
	slices.Sort(paths)
	return slices.Compact(paths)
}

func unique(ids []graph.ID) []graph.ID {
	slices.Sort(ids)
	return slices.Compact(ids)
}

func aspect(ks ...diff.Kind) (a diff.Aspects) {
	for _, k := range ks {
		a |= 1 << k
	}
	return a
}
