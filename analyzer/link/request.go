package link

import (
	"path"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Requests over HTTP and the routes that answer them. A request is joined to the
// routes whose method and pattern fit, whatever language each is written in.
//
// Routes that the function or class itself declares that sends the request come
// first: tests do so. Of several that fit the more special pattern answers, as in
// every router. Patterns that are equally special belong to different programs, or to tests:
// then the route that is declared closest to the request is meant: in the
// same function, else in the same file, else in the same folder. That is a guess
// and marked as such. A path that says nothing, such as /, is joined to a route
// beside it only.

// maxRouteCandidates is how many routes a request may be joined to; more are an
// unknown. maxRouteChecks bounds the work for one request.
const (
	maxRouteCandidates = 5
	maxRouteChecks     = 1 << 12
)

// sameFile is the nearness of what is in one file; see [routeTable.nearness].
const sameFile = 1 << 20

// routeDecl is one route of the tree.
type routeDecl struct {
	methods []string // nil: any
	segs    []segment
	node    graph.ID // None: declared inside of a body
	fn      int32
	line    int32
	mounted bool // by another file, see [mountTable]
}

// routeTable finds routes by the literal segment that the fewest share.
type routeTable struct {
	routes []routeDecl
	by     map[string][]int32 // without a literal: under ""
	nodes  map[string][]int32 // those of by that are not declared inside of a body

	folders []string                 // by file: the folder it is in, see folder
	filesOf map[graph.ID][]int32     // by the node of a package or file
	imports map[graph.ID][]graph.ID  // what a file imports of them, by its node
	reached map[int32]map[int32]bool // see reach
	calls   map[graph.ID][]graph.ID  // what a declaration calls, refers to or is given
	makers  map[routePlace]graph.ID  // see around
}

// requests adds the edges from those who send requests to the routes that
// answer them.
func (l *linker) requests() {
	var t *routeTable
	for fn, f := range l.ownFiles() {
		for i := range f.Facts.Directives {
			d := &f.Facts.Directives[i]
			if f.Facts.Str(d.Name) != facts.DirectiveRequest {
				continue
			}
			if t == nil {
				t = l.routeTable()
			}
			if len(t.routes) == 0 {
				return
			}
			if r, ok := parseRequest(f.Facts.Str(d.Value)); ok {
				l.request(t, &r, fn, d)
			}
		}
	}
}

// routeTable collects the routes of the tree.
func (l *linker) routeTable() *routeTable {
	t := &routeTable{by: map[string][]int32{}, nodes: map[string][]int32{}}
	mounts := l.mounts()
	for fn, f := range l.ownFiles() {
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			if d.Kind != graph.KindRoute {
				continue
			}
			verbs, pattern, ok := strings.Cut(l.routeName(f.base+Ent(i)), " ")
			if !ok || verbs == facts.VerbMount || verbs == facts.VerbMountAs || verbs == facts.VerbPublish || slices.Contains(facts.Brokers, verbs) {
				continue
			}
			r := routeDecl{node: l.nodeOf[f.base+Ent(i)], fn: fn, line: d.Line}
			if verbs != "ANY" && verbs != "*" {
				r.methods = strings.Split(verbs, ",")
			}
			prefixes := mounts.prefixes(fn, d.Line, 0)
			if prefixes == nil {
				prefixes = []mountedAt{{}}
			}
			for _, prefix := range prefixes {
				r.mounted = prefix.path != ""
				at := pattern
				if prefix.as {
					at = strings.TrimPrefix(at, ownPrefix(f, d))
				}
				segs, optional, parsed := parsePattern(prefix.path + "/" + strings.TrimPrefix(at, "/"))
				if !parsed {
					continue
				}
				r.segs = segs
				t.routes = append(t.routes, r)
				if optional {
					r.segs = segs[:len(segs)-1]
					t.routes = append(t.routes, r)
				}
			}
		}
	}
	shared := map[string]int{}
	for i := range t.routes {
		for _, s := range t.routes[i].segs {
			shared[s.text]++
		}
	}
	for i := range t.routes {
		rarest := ""
		for _, s := range t.routes[i].segs {
			if s.kind == segLiteral && (rarest == "" || shared[s.text] < shared[rarest]) {
				rarest = s.text
			}
		}
		t.by[rarest] = append(t.by[rarest], int32(i))
		if t.routes[i].node != graph.None {
			t.nodes[rarest] = append(t.nodes[rarest], int32(i))
		}
	}
	return t
}

// routeFit is a route that fits a request.
type routeFit struct {
	route *routeDecl
	key   string // see fitSegments
	near  int    // see nearness
	bare  bool   // no literal says that it is this one
}

// request adds the edges of one request.
func (l *linker) request(t *routeTable, r *requested, fn int32, d *facts.Directive) {
	fits, tail := t.candidates(l, r, fn, d)
	if len(fits) == 0 {
		return
	}
	if tail {
		// The prefix that one of the two lacks is not known.
		if len(fits) == 1 && !r.inside && fits[0].route.node != graph.None {
			l.requestEdge(fits[0].route, graph.Ambiguous, fn, d)
		}
		return
	}
	if r.inside {
		files := t.reach(l, fn)
		fits = slices.DeleteFunc(fits, func(x routeFit) bool { return !files[x.route.fn] })
		if len(fits) == 0 {
			return
		}
	}
	certainty := graph.Exact
	if r.host || r.open || r.method == "" || fits[0].route.mounted || slices.ContainsFunc(r.segs, func(s segment) bool { return s.kind != segLiteral }) {
		certainty = graph.Inferred
	}
	if len(fits) > 1 || fits[0].bare {
		fits = closest(fits)
		certainty = graph.Inferred
	}
	if len(fits) == 1 && !t.served(l, fits[0].route, fn, d) {
		if l.files[fits[0].route.fn].unit == l.files[fn].unit {
			return
		}
		certainty = graph.Ambiguous // the import may be inside of a function
	}
	if len(fits) > 1 {
		if fits[0].bare {
			return
		}
		certainty = graph.Ambiguous
	}
	if fits = slices.DeleteFunc(fits, func(x routeFit) bool { return x.route.node == graph.None }); len(fits) > maxRouteCandidates {
		l.b.AddUnknown(graph.Unknown{Reason: graph.ReasonTooMany, File: l.files[fn].Path, Line: d.Line, EndLine: d.Line,
			Detail: "request " + strings.Replace(l.files[fn].Facts.Str(d.Value), facts.RequestInside, "", 1)})
		return
	}
	for i := range fits {
		l.requestEdge(fits[i].route, certainty, fn, d)
	}
}

func (l *linker) requestEdge(r *routeDecl, c graph.Certainty, fn int32, d *facts.Directive) {
	s := graph.Site{File: l.fileIDs[fn], Line: d.Line, Col: d.Col, Args: -1, Keywords: -1, Recv: graph.None}
	if l.files[fn].place.Test {
		s.Flags |= graph.SiteTest
	}
	l.b.AddEdge(graph.RawEdge{From: l.ownerNode(fn, d.Owner), To: r.node, Type: graph.None, Kind: graph.EdgeHTTPCalls, Certainty: c, HasSite: true, Site: s})
}

// ownerNode returns the node that what stands in a declaration counts to: its
// own or the nearest around it.
func (l *linker) ownerNode(fn int32, d facts.DeclID) graph.ID {
	f := &l.files[fn]
	for ; d != facts.None; d = f.Facts.Decls[d].Parent {
		if n := l.nodeOf[f.base+Ent(d)]; n != graph.None {
			return n
		}
	}
	return l.fileNodes[fn]
}

// candidates returns the routes that fit a request and are the most special;
// tail is true for those that fit only if a prefix is left out of the request's
// path or the pattern: routers are mounted elsewhere, and addresses begin with
// what configuration says.
func (t *routeTable) candidates(l *linker, r *requested, fn int32, d *facts.Directive) (fits []routeFit, tail bool) {
	var tails []routeFit
	buf, n, last := make([]byte, 0, maxSegments), 0, ""
	var given map[int32]bool
	if r.inside {
		given = t.reach(l, fn)
	}
	look := func(routes []int32) {
		for _, i := range routes {
			if n++; n > maxRouteChecks {
				return
			}
			c := &t.routes[i]
			if l.files[c.fn].place.Test && !l.files[fn].place.Test {
				continue // a stand-in for something else
			}
			if c.methods != nil && r.method != "" && !slices.Contains(c.methods, r.method) {
				continue
			}
			key, literals, ok := fitSegments(r.segs, c.segs, buf)
			if !ok && len(r.segs) == len(c.segs) {
				continue
			}
			near := 0
			if ok || c.node == graph.None && c.fn == fn {
				near = t.nearness(l, c, fn, d)
			}
			if c.node == graph.None && near <= sameFile {
				continue // another function's own
			}
			if ok {
				if literals > 0 || given[c.fn] || near > sameFile || !r.host && !r.inside && near > 0 && near < sameFile && len(r.segs) == 0 {
					fits = append(fits, routeFit{c, string(key), near, literals == 0})
				}
				continue
			}
			a, b := r.segs, c.segs
			switch {
			case r.open && len(b) > len(a):
				b = b[len(b)-len(a):]
			case !r.open && len(a) > len(b):
				a = a[len(a)-len(b):]
			default:
				continue
			}
			if key, literals, ok := fitSegments(a, b, buf); ok && literals > 0 && !slices.ContainsFunc(b, func(s segment) bool { return s.kind == segRest }) {
				tails = append(tails, routeFit{c, string(key), 0, false})
			}
		}
	}
	texts, all := append(make([]string, 0, 8), ""), len(t.by[""])
	for i, s := range r.segs {
		if s.kind == segLiteral && s.text != last && !slices.ContainsFunc(r.segs[:i], func(o segment) bool { return o.text == s.text }) {
			texts, all = append(texts, s.text), all+len(t.by[s.text])
		}
		last = s.text
	}
	if all > maxRouteChecks {
		for _, s := range texts {
			look(t.by[s])
		}
	} else {
		for _, s := range texts { // most tests make their own
			look(t.declaredIn(t.by[s], fn))
		}
		if len(fits) == 0 || closest(slices.Clone(fits))[0].near <= sameFile {
			// Of those inside of bodies there is none, but perhaps with a prefix.
			n, fits, tails = 0, fits[:0], slices.DeleteFunc(tails, func(x routeFit) bool { return x.route.node != graph.None })
			for _, s := range texts {
				look(t.nodes[s])
			}
		}
	}
	if len(fits) == 0 {
		return tails, true
	}
	if near := closest(slices.Clone(fits)); near[0].near > sameFile {
		fits = near // it makes its own
	}
	best := slices.MinFunc(fits, func(a, b routeFit) int { return strings.Compare(a.key, b.key) }).key
	return slices.DeleteFunc(fits, func(x routeFit) bool { return x.key != best }), false
}

// declaredIn returns those of some routes, in their order, that a file declares.
func (t *routeTable) declaredIn(routes []int32, fn int32) []int32 {
	from := func(fn int32) int {
		i, _ := slices.BinarySearchFunc(routes, fn, func(r, fn int32) int { return int(t.routes[r].fn - fn) })
		return i
	}
	return routes[from(fn):from(fn+1)]
}

// nearness tells how close a route is declared to a request: in no folder that
// both are in (0), in such a folder, deeper ones being closer, in the same file,
// in the same declaration.
func (t *routeTable) nearness(l *linker, c *routeDecl, fn int32, d *facts.Directive) int {
	if c.fn != fn {
		return sharedFolders(t.folder(l, c.fn), t.folder(l, fn))
	}
	decls := l.files[fn].Facts.Decls
	for k, o := 0, d.Owner; o != facts.None; k, o = k+1, decls[o].Parent {
		if x := &decls[o]; x.DefLine <= c.line && c.line <= x.EndLine {
			return 2*sameFile - k
		}
	}
	return sameFile
}

// folder returns the folder that a file is in.
func (t *routeTable) folder(l *linker, fn int32) string {
	if t.folders == nil {
		t.folders = make([]string, len(l.files))
	}
	if t.folders[fn] == "" {
		t.folders[fn] = path.Dir(l.files[fn].Path)
	}
	return t.folders[fn]
}

// sharedFolders returns how many folders two folders are both in.
func sharedFolders(a, b string) int {
	if a == "." || b == "." {
		return 0
	}
	n := 0
	for a != "" && b != "" {
		x, arest, _ := strings.Cut(a, "/")
		y, brest, _ := strings.Cut(b, "/")
		if x != y {
			break
		}
		n++
		a, b = arest, brest
	}
	return n
}

// maxReached bounds the files that are looked at for one file.
const maxReached = 1 << 14

// reach returns the files that a file imports in any number of steps, with
// itself and those of its unit. They declare the routes of an application that
// is at hand.
func (t *routeTable) reach(l *linker, fn int32) map[int32]bool {
	if files := t.reached[fn]; files != nil {
		return files
	}
	if t.filesOf == nil {
		t.filesOf, t.imports, t.reached = map[graph.ID][]int32{}, map[graph.ID][]graph.ID{}, map[int32]map[int32]bool{}
		for u, n := range l.unitIDs {
			if n != graph.None && !l.units[u].surface {
				t.filesOf[n] = l.units[u].files
			}
		}
		for f, n := range l.fileNodes {
			if n != graph.None {
				t.filesOf[n] = []int32{int32(f)}
			}
		}
		for e := range l.b.Edges() {
			if e.Kind == graph.EdgeImports && t.filesOf[e.To] != nil {
				t.imports[e.From] = append(t.imports[e.From], e.To)
			}
		}
	}
	files := map[int32]bool{fn: true}
	queue := []int32{fn}
	for _, f := range l.units[l.files[fn].unit].files {
		if !files[f] {
			files[f] = true
			queue = append(queue, f)
		}
	}
	for len(queue) > 0 && len(files) < maxReached {
		imported := t.imports[l.fileNodes[queue[0]]]
		queue = queue[1:]
		for _, to := range imported {
			for _, f := range t.filesOf[to] {
				if !files[f] && !l.files[f].place.Test {
					files[f] = true
					queue = append(queue, f)
				}
			}
		}
	}
	t.reached[fn] = files
	return files
}

// Bounds of what is looked at for one request to a route of a test: the steps, and
// the declarations.
const (
	maxServedSteps = 4
	maxServed      = 256
)

// served reports whether a route of a test is there for a request: what sends it is
// in the same file, or in one that imports the route's, or uses, in a few steps, what
// makes the route. Other tests make a route of that path for themselves. A route of
// the program is there for all.
func (t *routeTable) served(l *linker, r *routeDecl, fn int32, d *facts.Directive) bool {
	if r.fn == fn || !l.files[r.fn].place.Test {
		return true
	}
	if l.files[r.fn].unit != l.files[fn].unit {
		return t.reach(l, fn)[r.fn]
	}
	maker := t.around(l, r)
	if maker == graph.None {
		return true // it is made on load
	}
	if t.calls == nil {
		t.calls = map[graph.ID][]graph.ID{}
		for e := range l.b.Edges() {
			switch e.Kind {
			case graph.EdgeCalls, graph.EdgeReferences, graph.EdgeInjects:
				t.calls[e.From] = append(t.calls[e.From], e.To)
			}
		}
	}
	seen := []graph.ID{l.ownerNode(fn, d.Owner)}
	for from, step := 0, 0; step < maxServedSteps && from < len(seen); step++ {
		for to := len(seen); from < to; from++ {
			for _, n := range t.calls[seen[from]] {
				if n == maker {
					return true
				}
				if len(seen) < maxServed && !slices.Contains(seen, n) {
					seen = append(seen, n)
				}
			}
		}
	}
	return false
}

// around returns the innermost function that a route is declared in. It is looked for
// once for each route.
func (t *routeTable) around(l *linker, r *routeDecl) graph.ID {
	at := routePlace{r.fn, r.line}
	maker, ok := t.makers[at]
	if ok {
		return maker
	}
	f, size := &l.files[r.fn], int32(0)
	maker = graph.None
	for i := range f.Facts.Decls {
		x := &f.Facts.Decls[i]
		if n := l.nodeOf[f.base+Ent(i)]; x.Kind.IsCallable() && n != graph.None && x.DefLine <= r.line && r.line <= x.EndLine &&
			(maker == graph.None || x.EndLine-x.DefLine < size) {
			maker, size = n, x.EndLine-x.DefLine
		}
	}
	if t.makers == nil {
		t.makers = map[routePlace]graph.ID{}
	}
	t.makers[at] = maker
	return maker
}

// routePlace is where a route is declared.
type routePlace struct{ file, line int32 }

// closest returns the fits that no other is closer than.
func closest(fits []routeFit) []routeFit {
	best := slices.MaxFunc(fits, func(a, b routeFit) int { return a.near - b.near }).near
	return slices.DeleteFunc(fits, func(x routeFit) bool { return x.near < best })
}
