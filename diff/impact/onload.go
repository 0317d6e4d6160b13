package impact

import (
	"path"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// programs says what is in the same program as a test. Tests of one folder are
// one program: it has their packages, all packages that those import, and so
// on. A test file is in the program of its own folder only. Where files are
// modules, a file takes the place of the folder.
type programs struct {
	d         *diff.Delta
	g         *graph.Graph
	importers map[graph.ID][]graph.ID // package → packages of which a file that is no test imports it
	folders   map[graph.ID][]string   // package → folders with files of it, or that import it
	tests     map[string][]placedRun  // folder → tests that are run there
	files     map[string][]string     // folder → files in it that are modules and have tests

	bounds  bounds
	byClass map[graph.ID][]placedRun // class → tests that it runs
	inFile  map[string][]placedRun   // file → tests that are run there
	makers  map[string][]graph.ID    // file → functions of test code that may make tests; nil until asked for
}

func programsOf(d *diff.Delta, g *graph.Graph) *programs {
	p := &programs{d: d, g: g, importers: map[graph.ID][]graph.ID{}, folders: map[graph.ID][]string{}, tests: map[string][]placedRun{}, files: map[string][]string{},
		bounds: bounds{below: maxBelow, using: maxUsing}, byClass: map[graph.ID][]placedRun{}, inFile: map[string][]placedRun{}}
	last := ""
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.File != "" && n.Parent != graph.None && g.Nodes[n.Parent].Kind == graph.KindPackage {
			if dir := p.of(n); dir != last || len(p.folders[n.Parent]) == 0 {
				p.folders[n.Parent] = append(p.folders[n.Parent], dir)
				last = dir
			}
		}
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.Kind != graph.EdgeImports {
			continue
		}
		from, to := diff.PackageOf(g, e.From), diff.PackageOf(g, e.To)
		if from == graph.None || to == graph.None || from == to {
			continue
		}
		file := &g.Nodes[e.From]
		p.folders[to] = append(p.folders[to], p.of(file))
		if !file.Flags.Has(graph.FlagTest) {
			p.importers[to] = append(p.importers[to], from)
		}
	}
	var tests, wide []graph.ID
	for i := range g.Nodes {
		if isTest(&g.Nodes[i]) {
			tests = append(tests, graph.ID(i))
		}
	}
	for i, x := range p.allRuns(tests) {
		for _, r := range x.runs {
			p.place(placedRun{test: tests[i], Run: r})
		}
		wide = append(wide, x.wide...)
	}
	for _, id := range p.runningWide(unique(wide)) {
		p.place(placedRun{id, Run{id, graph.None}, true})
	}
	return p
}

// place notes where a test is run.
func (p *programs) place(r placedRun) {
	n := &p.g.Nodes[r.By]
	at, class := p.of(n), r.By
	if !r.inherited() && !n.Kind.IsType() {
		class = n.Parent
	}
	if at == n.File && len(p.tests[at]) == 0 {
		p.files[path.Dir(at)] = append(p.files[path.Dir(at)], at)
	}
	p.tests[at] = append(p.tests[at], r)
	if n.File != "" {
		p.inFile[n.File] = append(p.inFile[n.File], r)
	}
	if class != graph.None && p.g.Nodes[class].Kind.IsType() {
		p.byClass[class] = append(p.byClass[class], r)
	}
}

// of returns the folder of the program that n is in if it is test code, or the
// file where files are modules.
func (p *programs) of(n *graph.Node) string {
	if p.d.RulesFor(n).FileModules {
		return n.File
	}
	return path.Dir(n.File)
}

// containing returns the folders whose tests have at least one of the given
// nodes in their program; nil if that cannot be told of one of them.
func (p *programs) containing(ids []graph.ID) map[string]bool {
	folders := map[string]bool{}
	seen := map[graph.ID]bool{}
	var queue []graph.ID
	for _, n := range ids {
		x := &p.g.Nodes[n]
		pkg := diff.PackageOf(p.g, n)
		switch {
		case pkg == graph.None:
			return nil
		case x.Flags.Has(graph.FlagTest) && x.File != "":
			folders[p.of(x)] = true
		case !seen[pkg]:
			seen[pkg] = true
			queue = append(queue, pkg)
		}
	}
	for i := 0; i < len(queue); i++ {
		for _, dir := range p.folders[queue[i]] {
			folders[dir] = true
		}
		for _, q := range p.importers[queue[i]] {
			if !seen[q] {
				seen[q] = true
				queue = append(queue, q)
			}
		}
	}
	return folders
}

// isTest reports whether a runner starts n by its name.
func isTest(n *graph.Node) bool {
	return n.Flags.Has(graph.FlagTestCase) && !n.Flags.Has(graph.FlagOnLoad)
}

// A node that runs on load and is reached by a call runs the change in every
// program that has it. One that is reached in another way has only made a value
// of it: registered a handler, filled a table. Who may run it later are those
// who read what the node, or what it calls, has written.

// runsOnLoad reports whether n runs before any test of its program does: a
// function that the language starts by itself, what surrounds the tests of a
// package, the initial value of a variable, statements outside of declarations.
//
// What only other platforms load counts if it changed itself.
func (w *walk) runsOnLoad(n graph.ID) bool {
	x := &w.g.Nodes[n]
	here := !x.Flags.Has(graph.FlagElsewhere) || w.visited(n) && w.began(n)
	switch x.Kind {
	case graph.KindFile:
		return true
	case graph.KindVariable:
		return x.Parent != graph.None && w.g.Nodes[x.Parent].Kind.IsContainer() && here
	}
	return x.Flags.Has(graph.FlagOnLoad) && here
}

// onLoad walks on from the nodes that run on load and hold a value of the
// change, and returns those that run it, in the order of their visits.
func (w *walk) onLoad(stop func(graph.ID) bool) []graph.ID {
	// What only keeps values of the change: variables, and who puts values in
	// there. The latter do not run the change because they look at the former.
	w.keeper = map[graph.ID]bool{}
	w.started = nil
	elsewhere := map[graph.ID]bool{} // nodes that gave the value to unknown code
	asked := map[graph.ID]bool{}
	for {
		runs := w.runs()
		before := len(w.order)
		for _, n := range w.order[:before] {
			if !w.runsOnLoad(n) || runs[n] || asked[n] {
				continue
			}
			asked[n] = true
			// What surrounds the tests of a folder concerns those alone.
			around := w.g.Nodes[n].Flags.Has(graph.FlagTestCase)
			if !w.began(n) && !w.whenStarted(n, 0) && (around || !w.hold(n)) && w.g.Nodes[n].Kind != graph.KindVariable && len(w.g.OutKind(n, graph.EdgeCalls)) > 0 {
				elsewhere[n] = true
			}
		}
		if len(w.order) > before {
			w.run(-1, stop)
			continue
		}
		var out []graph.ID
		w.ran = runs
		for _, n := range w.order {
			if w.runsOnLoad(n) && (runs[n] || elsewhere[n]) && (w.began(n) || !w.whenStarted(n, 0)) {
				out = append(out, n)
			}
		}
		return out
	}
}

// runs returns the visited nodes that run a changed node when they are run
// themselves: over calls that do not wait for another function to be called, and
// over changed values that they read. A changed initial value counts if it has
// code of its own.
func (w *walk) runs() map[graph.ID]bool {
	runs := map[graph.ID]bool{}
	var queue []graph.ID
	add := func(n graph.ID) {
		if w.visited(n) && !runs[n] {
			runs[n] = true
			queue = append(queue, n)
		}
	}
	users := func(n graph.ID) {
		for _, i := range w.g.In(n) {
			e := &w.g.Edges[i]
			if w.keeper[n] && w.keeper[e.From] || w.g.Nodes[n].Kind == graph.KindVariable && w.runsOnLoad(e.From) {
				continue // it puts values in there itself
			}
			if e.Kind == graph.EdgeCalls && w.now(e) || e.Kind == graph.EdgeReads && w.g.Nodes[e.From].Kind != graph.KindVariable ||
				e.Kind == graph.EdgeReferences && w.passed(e) {
				add(e.From)
			}
		}
	}
	for _, n := range w.order {
		if w.began(n) && (w.g.Nodes[n].Kind != graph.KindFile && w.g.Nodes[n].Kind != graph.KindVariable || w.g.Nodes[n].Flags.Has(graph.FlagOnLoad)) {
			add(n)
		} else if w.g.Nodes[n].Kind == graph.KindVariable && !w.began(n) {
			users(n)
		}
	}
	for i := 0; i < len(queue); i++ {
		n := queue[i]
		users(n)
		if !w.g.Nodes[n].Flags.Has(graph.FlagTest) {
			for _, s := range w.supers(n) {
				users(s.id)
			}
		}
	}
	return runs
}

// maxRegistry bounds the functions that are looked at to find what a node
// writes.
const maxRegistry = 256

// hold visits the package-level variables in which n, or what it calls on load,
// may have put a value; they and those functions are keepers. Where a function
// that n calls has such a variable, what that calls in turn is not looked at. hold reports
// whether there are any, and no more functions than can be looked at.
func (w *walk) hold(n graph.ID) bool {
	found := false
	queue := []graph.ID{n}
	seen := map[graph.ID]bool{n: true}
	for i := 0; i < len(queue); i++ {
		if i == maxRegistry {
			return false
		}
		at := queue[i]
		w.keeper[at] = true
		es := w.g.Out(at)
		own := false
		for k := range es {
			e := &es[k]
			if e.Certainty == graph.Ambiguous || e.Kind != graph.EdgeReads && e.Kind != graph.EdgeWrites || !w.keeps(e.To, e.Kind) {
				continue
			}
			own, w.keeper[e.To] = true, true
			if !w.visited(e.To) {
				w.visit(e.To, visit{depth: w.nodes[n].depth + 1, certainty: graph.Inferred, edge: w.edgeIndex(e), via: -1, from: n})
			}
		}
		found = found || own
		for k := range es {
			e := &es[k]
			if (!own || i == 0) && e.Kind == graph.EdgeCalls && e.Certainty != graph.Ambiguous && w.g.Nodes[e.To].Kind != graph.KindExternal && !seen[e.To] && w.now(e) {
				seen[e.To] = true
				queue = append(queue, e.To)
			}
		}
	}
	return found
}

// keeps reports whether n is a variable outside of functions that values can be
// put into by a use of kind k: among its elements, or into a declared type that
// it has or points to.
func (w *walk) keeps(n graph.ID, k graph.EdgeKind) bool {
	x := &w.g.Nodes[n]
	if x.Kind != graph.KindVariable || x.Parent == graph.None || !w.g.Nodes[x.Parent].Kind.IsContainer() {
		return false
	}
	t := x.Signature.Type
	if strings.HasPrefix(t, "func(") {
		return k == graph.EdgeWrites // one value, which is assigned as a whole
	}
	if strings.ContainsAny(t, "[<") {
		return true
	}
	t = strings.TrimLeft(t, "*&")
	i := strings.LastIndexByte(t, '.')
	return i > 0 && w.g.Lookup(x.Lang+":"+t[:i]+"#"+t[i+1:]) != graph.None
}

// passed reports whether a function is used as an argument of a known external
// function, as far as the places tell: sorting or mapping, which call it at once.
func (w *walk) passed(ref *graph.Edge) bool {
	calls := w.g.OutKind(ref.From, graph.EdgeCalls)
	for _, s := range w.g.Sites(ref) {
		var last graph.Site
		outside := false
		for i := range calls {
			for _, c := range w.g.Sites(&calls[i]) {
				if c.File == s.File && (c.Line < s.Line || c.Line == s.Line && c.Col < s.Col) && (c.Line > last.Line || c.Line == last.Line && c.Col > last.Col) {
					last = c
					to := &w.g.Nodes[calls[i].To]
					outside = to.Kind == graph.KindExternal && !to.Flags.Has(graph.FlagOpaque)
				}
			}
		}
		if outside {
			return true
		}
	}
	return false
}

// now reports whether some call of e does not wait for another function to be
// called, or for the file to be started.
func (w *walk) now(e *graph.Edge) bool {
	wait := graph.SiteLiteral
	if k := w.g.Nodes[e.From].Kind; k == graph.KindFile || k == graph.KindVariable {
		wait |= graph.SiteGo
	}
	for _, s := range w.g.Sites(e) {
		if s.Flags&wait == 0 {
			return true
		}
	}
	return false
}

// maxStarted bounds the variables that are made of each other.
const maxStarted = 16

// whenStarted reports whether a file, or a variable by its initial value, has to do with
// what was visited by nothing but calls that the file makes only when it is what is
// started, and by variables of which the same holds.
func (w *walk) whenStarted(n graph.ID, depth int) bool {
	if depth > maxStarted {
		return false
	}
	if known, ok := w.started[n]; ok {
		return known
	}
	if k := w.g.Nodes[n].Kind; k != graph.KindFile && k != graph.KindVariable {
		return false
	}
	if w.started == nil {
		w.started = map[graph.ID]bool{}
	}
	w.started[n] = true // variables that are made of each other
	calls, no := false, false
	if at := w.nodes[n].edge; at >= 0 { // by which it was visited
		for _, s := range w.g.Sites(&w.g.Edges[at]) {
			calls = calls || s.Flags&graph.SiteGo != 0
		}
	}
	for _, k := range []graph.EdgeKind{graph.EdgeCalls, graph.EdgeInstantiates, graph.EdgeReferences, graph.EdgeReads} {
		for _, e := range w.g.OutKind(n, k) {
			switch {
			case no || !w.visited(e.To):
			case k == graph.EdgeReads && w.g.Nodes[e.To].Kind == graph.KindVariable:
				no = !w.whenStarted(e.To, depth+1)
				calls = calls || !no
			case k == graph.EdgeReferences || k == graph.EdgeReads:
				no = true
			default:
				for _, s := range w.g.Sites(&e) {
					no = no || s.Flags&graph.SiteGo == 0
				}
				calls = true
			}
		}
	}
	w.started[n] = calls && !no
	return calls && !no
}

// loaded is a test whose program runs a node of a walk as it is loaded, or whose
// class does around each of its tests.
type loaded struct {
	placedRun
	node     graph.ID
	distance int
	around   bool
}

// reachedOnLoad returns the tests that run visited nodes because their program
// does before it starts any test. Each comes once, with a nearest such node.
func (p *programs) reachedOnLoad(w *walk) []loaded {
	nodes := w.onLoad(w.testCase)
	slices.SortStableFunc(nodes, func(x, y graph.ID) int { return int(w.nodes[x].depth - w.nodes[y].depth) })
	type origin struct {
		node graph.ID
		hops int
	}
	byFolder := map[string]origin{}
	var folders []string
	folder := func(dir string, o origin) {
		old, ok := byFolder[dir]
		if !ok {
			folders = append(folders, dir)
		}
		if !ok || int(w.nodes[o.node].depth)+o.hops < int(w.nodes[old.node].depth)+old.hops {
			byFolder[dir] = o
		}
	}
	byPackage := map[graph.ID]bool{}
	// What runs around the tests of a class does so for those below it. What a nearer
	// node does, another one of which the same is known need not do again.
	type covered struct {
		class            graph.ID
		ambiguous, loose bool
	}
	around := map[covered]bool{}
	var out []loaded
	for _, n := range nodes {
		x := &w.g.Nodes[n]
		if x.Flags.Has(graph.FlagTestCase) && x.Parent != graph.None && w.g.Nodes[x.Parent].Kind.IsType() {
			at := w.nodes[n]
			for _, c := range p.belowBut(x.Parent, func(c graph.ID) bool {
				k := covered{c, at.certainty == graph.Ambiguous, at.loose}
				was := around[k]
				around[k] = true
				return was
			}) {
				for _, t := range p.byClass[c] {
					out = append(out, loaded{t, n, int(at.depth) + 1, true})
				}
			}
			continue
		}
		if x.Flags.Has(graph.FlagTest) {
			if tests := p.alone(n); tests != nil {
				for _, t := range tests {
					out = append(out, loaded{t, n, int(w.nodes[n].depth) + 1, false})
				}
				continue
			}
			folder(p.of(x), origin{n, 0})
			continue
		}
		// Packages that a nearer node has reached are not passed again.
		type step struct {
			pkg  graph.ID
			hops int
		}
		queue := []step{{diff.PackageOf(w.g, n), 0}}
		for i := 0; i < len(queue); i++ {
			at := queue[i]
			if at.pkg == graph.None || byPackage[at.pkg] {
				continue
			}
			byPackage[at.pkg] = true
			for _, dir := range p.folders[at.pkg] {
				folder(dir, origin{n, at.hops})
			}
			for _, q := range p.importers[at.pkg] {
				queue = append(queue, step{q, at.hops + 1})
			}
		}
	}
	for _, dir := range folders {
		o := byFolder[dir]
		for _, t := range p.tests[dir] {
			out = append(out, loaded{t, o.node, int(w.nodes[o.node].depth) + 1 + o.hops, false})
		}
	}
	return out
}

// alone returns the tests of the file of n if the file is loaded for these alone:
// nothing imports it. A file without tests may be loaded for any of its folder.
func (p *programs) alone(n graph.ID) []placedRun {
	x := &p.g.Nodes[n]
	if !p.d.RulesFor(x).TestsAlone {
		return nil
	}
	pkg := diff.PackageOf(p.g, n)
	if pkg == graph.None || len(p.g.InKind(pkg, graph.EdgeImports)) > 0 {
		return nil
	}
	return p.inFile[x.File]
}

// below returns a class and the classes that inherit it, no more than one above most.
func (p *programs) below(class graph.ID, most int) []graph.ID {
	n := 0
	seen := map[graph.ID]bool{}
	return p.belowBut(class, func(c graph.ID) bool {
		if seen[c] || n > most {
			return true
		}
		seen[c] = true
		n++
		return false
	})
}

// belowBut returns a class and the classes that inherit it, but for those of which but
// holds, and what only these have below them. It is asked whenever a class is come to.
func (p *programs) belowBut(class graph.ID, but func(graph.ID) bool) []graph.ID {
	var queue []graph.ID
	if !but(class) {
		queue = append(queue, class)
	}
	for i := 0; i < len(queue); i++ {
		for _, kind := range [...]graph.EdgeKind{graph.EdgeExtends, graph.EdgeImplements} {
			for _, e := range p.g.InKind(queue[i], kind) {
				if t := p.g.Edges[e].From; !but(t) {
					queue = append(queue, t)
				}
			}
		}
	}
	return queue
}
