package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/codekg/kg/analyzer/graph"
)

// shop is a small graph: a handler calls a service through an interface.
//
//	web.main → web.Serve → web.handle → shop.Service.Order (interface)
//	shop.impl.Order implements it → shop.price → shop.round ⇄ shop.price
//	shop.TestOrder → shop.impl.Order; shop.unused is called by nobody
func shop() *graph.Graph {
	b := &graph.Builder{}
	f := b.AddFile(graph.File{Path: "shop/shop.go", Lang: "go"})
	wf := b.AddFile(graph.File{Path: "web/web.go", Lang: "go"})
	tf := b.AddFile(graph.File{Path: "shop/shop_test.go", Lang: "go"})
	add := func(key, name, q string, k graph.Kind, parent graph.ID, file string, line int32, flags graph.Flags) graph.ID {
		return b.AddNode(graph.Node{Key: key, Name: name, QName: q, Kind: k, Parent: parent, File: file, DefLine: line, Line: line,
			EndLine: line + 4, Flags: flags, Visibility: graph.Package, Tokens: 10})
	}
	pkg := add("go:ex/shop", "shop", "ex/shop", graph.KindPackage, graph.None, "", 0, 0)
	web := add("go:ex/web", "web", "ex/web", graph.KindPackage, graph.None, "", 0, 0)
	sfile := add("file:shop/shop.go", "shop.go", "shop/shop.go", graph.KindFile, pkg, "shop/shop.go", 1, 0)
	wfile := add("file:web/web.go", "web.go", "web/web.go", graph.KindFile, web, "web/web.go", 1, 0)
	tfile := add("file:shop/shop_test.go", "shop_test.go", "shop/shop_test.go", graph.KindFile, pkg, "shop/shop_test.go", 1, graph.FlagTest)
	ext := add("ext:go:fmt", "fmt", "fmt", graph.KindExternal, graph.None, "", 0, 0)
	service := add("go:ex/shop#Service", "Service", "shop.Service", graph.KindInterface, pkg, "shop/shop.go", 5, 0)
	order := add("go:ex/shop#Service.Order", "Order", "shop.Service.Order", graph.KindMethod, service, "shop/shop.go", 6, 0)
	impl := add("go:ex/shop#impl", "impl", "shop.impl", graph.KindStruct, pkg, "shop/shop.go", 20, 0)
	implOrder := add("go:ex/shop#impl.Order", "Order", "shop.impl.Order", graph.KindMethod, impl, "shop/shop.go", 30, 0)
	price := add("go:ex/shop#price", "price", "shop.price", graph.KindFunction, pkg, "shop/shop.go", 40, 0)
	round := add("go:ex/shop#round", "round", "shop.round", graph.KindFunction, pkg, "shop/shop.go", 50, 0)
	add("go:ex/shop#unused", "unused", "shop.unused", graph.KindFunction, pkg, "shop/shop.go", 60, 0)
	guess := add("go:ex/shop#guess", "guess", "shop.guess", graph.KindFunction, pkg, "shop/shop.go", 70, 0)
	test := add("go:ex/shop#TestOrder", "TestOrder", "shop.TestOrder", graph.KindFunction, pkg, "shop/shop_test.go", 5, graph.FlagTest|graph.FlagTestCase)
	main := add("go:ex/web#main", "main", "web.main", graph.KindFunction, web, "web/web.go", 5, graph.FlagEntryPoint)
	serve := add("go:ex/web#Serve", "Serve", "web.Serve", graph.KindFunction, web, "web/web.go", 15, 0)
	handle := add("go:ex/web#handle", "handle", "web.handle", graph.KindFunction, web, "web/web.go", 25, 0)
	edge := func(from, to graph.ID, k graph.EdgeKind, c graph.Certainty, file, line int32) {
		b.AddEdge(graph.RawEdge{From: from, To: to, Type: graph.None, Kind: k, Certainty: c, HasSite: true,
			Site: graph.Site{File: file, Line: line, Col: 3, Args: -1, Keywords: -1, Recv: graph.None}})
	}
	edge(main, serve, graph.EdgeCalls, graph.Exact, wf, 6)
	edge(serve, handle, graph.EdgeReferences, graph.Exact, wf, 16)
	edge(serve, handle, graph.EdgeCalls, graph.Exact, wf, 17)
	edge(handle, order, graph.EdgeCalls, graph.Exact, wf, 26)
	edge(handle, order, graph.EdgeCalls, graph.Exact, wf, 27)
	edge(impl, service, graph.EdgeImplements, graph.Exact, f, 20)
	edge(implOrder, order, graph.EdgeImplements, graph.Exact, f, 30)
	edge(implOrder, price, graph.EdgeCalls, graph.Exact, f, 31)
	edge(price, round, graph.EdgeCalls, graph.Exact, f, 41)
	edge(round, price, graph.EdgeCalls, graph.Exact, f, 51)
	edge(round, round, graph.EdgeCalls, graph.Exact, f, 52)
	edge(guess, round, graph.EdgeCalls, graph.Ambiguous, f, 71)
	edge(test, implOrder, graph.EdgeCalls, graph.Exact, tf, 6)
	edge(wfile, pkg, graph.EdgeImports, graph.Exact, wf, 3)
	edge(sfile, ext, graph.EdgeImports, graph.Exact, f, 3)
	edge(tfile, ext, graph.EdgeImports, graph.Exact, tf, 3)
	return b.Build()
}

func said(a *Answer) string {
	var list []string
	for _, r := range a.Results {
		s := r.Symbol.Name
		if len(a.PerDepth) > 1 {
			s = fmt.Sprintf("%d %s", r.Depth, s)
		}
		for _, mark := range []struct {
			on   bool
			text string
		}{{r.Certainty == "inferred", " inferred"}, {r.Certainty == "ambiguous", " ambiguous"}, {r.Cycle, " cycle"}, {r.Note != "", ": " + r.Note}} {
			if mark.on {
				s += mark.text
			}
		}
		list = append(list, s)
	}
	for _, c := range a.Candidates {
		list = append(list, "candidate "+c.ID)
	}
	for _, c := range a.Near {
		list = append(list, "near "+c.Name)
	}
	if a.Ambiguous > 0 {
		list = append(list, fmt.Sprintf("+%d ambiguous", a.Ambiguous))
	}
	if a.Truncated {
		list = append(list, fmt.Sprintf("of %d, cut at depth %d", a.Total, a.TruncatedAtDepth))
	}
	return strings.Join(list, "\n")
}

// TestAsk: each rule of the package comment has a case that fails without it.
func TestAsk(t *testing.T) {
	x := New(shop())
	for _, c := range []struct {
		name string
		r    Request
		want string
	}{
		{"through an interface", Request{Op: "callers", Target: "impl.Order"}, "web.handle inferred\nshop.TestOrder"},
		{"direct", Request{Op: "callers", Target: "impl.Order", Direct: true}, "shop.TestOrder"},
		{"by depth", Request{Op: "callers", Target: "impl.Order", Depth: 3}, "1 web.handle inferred\n1 shop.TestOrder\n2 web.Serve inferred\n3 web.main inferred"},
		{"of an interface's method", Request{Op: "callers", Target: "Service.Order"}, "web.handle"},
		{"recursion and cycles", Request{Op: "callers", Target: "round", Depth: 2}, "1 shop.price cycle\n1 shop.round cycle\n2 shop.impl.Order\n+1 ambiguous"},
		{"guesses on demand", Request{Op: "callers", Target: "round", Certainty: "ambiguous"}, "shop.price\nshop.round cycle\nshop.guess ambiguous"},
		{"what a call may run", Request{Op: "callees", Target: "handle", Depth: 2}, "1 shop.Service.Order\n1 shop.impl.Order inferred\n2 shop.price inferred"},
		{"cut", Request{Op: "callers", Target: "impl.Order", Depth: 3, Max: 2}, "1 web.handle inferred\n1 shop.TestOrder\nof 4, cut at depth 2"},
		{"cut by level", Request{Op: "callers", Target: "impl.Order", Depth: 3, MaxPerLevel: 1}, "1 web.handle inferred\n2 web.Serve inferred\n3 web.main inferred\nof 4, cut at depth 1"},
		{"excluded is not walked", Request{Op: "callers", Target: "impl.Order", Depth: 3, Exclude: []string{"web/**"}}, "shop.TestOrder"},
		{"scope is walked", Request{Op: "callers", Target: "impl.Order", Depth: 3, Scope: []string{"**/*_test.go"}}, "shop.TestOrder"},
		{"kinds", Request{Op: "members", Target: "ex/shop", Kinds: []string{"type"}}, "shop.Service\nshop.impl"},
		{"implementations", Request{Op: "implementations", Target: "Service"}, "shop.impl"},
		{"of a method", Request{Op: "implementations", Target: "shop.Service.Order"}, "shop.impl.Order"},
		{"overrides", Request{Op: "overrides", Target: "impl.Order"}, "shop.Service.Order: overrides"},
		{"hierarchy", Request{Op: "hierarchy", Target: "Service"}, "shop.impl: below"},
		{"packages", Request{Op: "dependencies", Target: "web"}, "ex/shop"},
		{"what tests import", Request{Op: "dependents", Target: "fmt"}, "ex/shop"},
		{"path", Request{Op: "path", Target: "main", To: "price"}, "1 web.Serve\n2 web.handle\n3 shop.Service.Order\n4 shop.impl.Order inferred\n5 shop.price inferred"},
		{"no path", Request{Op: "path", Target: "price", To: "main"}, ""},
		{"tests", Request{Op: "tests", Target: "price"}, "2 shop.TestOrder"},
		{"entry points", Request{Op: "entry_points"}, "web.main"},
		{"entry points of", Request{Op: "entry-points", Target: "round"}, "5 web.main inferred"},
		{"cycles", Request{Op: "cycles", Kinds: []string{"function"}}, "shop.price cycle: with each other: shop.price, shop.round"},
		{"dead code", Request{Op: "dead_code"}, "shop.guess: nothing reaches it\nshop.impl: only tests reach it\nshop.price: only tests reach it\nshop.round: only tests reach it\nshop.unused: nothing reaches it"},
		{"orphans", Request{Op: "orphans"}, "shop.unused"},
		{"find", Request{Op: "find", Target: "*order*"}, "shop.Service.Order\nshop.impl.Order\nshop.TestOrder"},
		{"find by expression", Request{Op: "find", Target: "/^web\\.[a-z]/"}, "web.handle\nweb.main"},
		{"by line", Request{Op: "callers", Target: "shop/shop.go:42"}, "shop.impl.Order\nshop.round"},
		{"by the end of a path", Request{Op: "callers", Target: "web.go:26:4"}, "web.Serve"},
		{"several", Request{Op: "callers", Target: "Order"}, "candidate go:ex/shop#Service.Order\ncandidate go:ex/shop#impl.Order"},
		{"near", Request{Op: "callers", Target: "shop.Pric"}, "near shop.price"},
		{"other capitals", Request{Op: "callers", Target: "PRICE"}, "near shop.price"},
		{"references", Request{Op: "references", Target: "handle"}, "web.Serve\nweb.Serve"},
		{"hubs", Request{Op: "hubs", Max: 2}, "shop.Service.Order\nshop.price\nof 6, cut at depth 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := x.Ask(c.r)
			if err != nil {
				t.Fatal(err)
			}
			if got := said(a); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if a.Total == 0 && a.Reason == "" {
				t.Error("an empty answer has no reason")
			}
		})
	}
}

func TestCallSites(t *testing.T) {
	a, err := New(shop()).Ask(Request{Op: "callsites", Target: "impl.Order"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range a.Results {
		if len(r.Sites) != 1 {
			t.Fatalf("%d places in one result", len(r.Sites))
		}
		got = append(got, fmt.Sprintf("%s:%d %s", r.Sites[0].File, r.Sites[0].Line, r.Certainty))
	}
	want := []string{"web/web.go:26 inferred", "web/web.go:27 inferred", "shop/shop_test.go:6 exact"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCursor(t *testing.T) {
	x := New(shop())
	r := Request{Op: "callers", Target: "impl.Order", Depth: 3, Max: 1}
	var got []string
	for {
		a, err := x.Ask(r)
		if err != nil {
			t.Fatal(err)
		}
		if a.Total != 4 || a.Returned != 1 {
			t.Fatalf("total %d, returned %d", a.Total, a.Returned)
		}
		got = append(got, a.Results[0].Symbol.Name)
		if r.Cursor = a.Cursor; r.Cursor == "" {
			break
		}
	}
	if want := []string{"web.handle", "shop.TestOrder", "web.Serve", "web.main"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	a, _ := x.Ask(Request{Op: "callers", Target: "impl.Order", Depth: 3, Max: 1})
	for _, bad := range []Request{
		{Op: "callers", Target: "price", Max: 1, Cursor: a.Cursor}, // of another question
		{Op: "callers", Target: "impl.Order", Depth: 3, Max: 1, Cursor: "AAAA"},
		{Op: "callers", Target: "impl.Order", Depth: 3, Max: 1, Cursor: "%%%"},
	} {
		var wrong *RequestError
		if _, err := x.Ask(bad); !errors.As(err, &wrong) {
			t.Errorf("%+v: error %v", bad, err)
		}
	}
}

func TestBadRequests(t *testing.T) {
	x := New(shop())
	long := strings.Repeat("a", 10_000)
	for _, r := range []Request{
		{Op: "nothing"}, {Op: ""}, {Op: "callers"}, {Op: "path", Target: "price"}, {Op: "hubs", Target: "price"},
		{Op: "callers", Target: "price", To: "round"}, {Op: "callers", Target: "price", Depth: -1},
		{Op: "callers", Target: long}, {Op: "callers", Target: "price", Certainty: "maybe"},
		{Op: "callers", Target: "price", Kinds: []string{"noun"}}, {Op: "callers", Target: "price", Edges: []string{"contains"}},
		{Op: "callers", Target: "price", Scope: []string{"[a"}}, {Op: "callers", Target: "price", Scope: []string{long}},
		{Op: "callers", Target: "price", Exclude: []string{"{a,{b,{c,{d,{e,f}}}}}"}},
		{Op: "find", Target: "/(/"}, {Op: "find", Target: "/" + long + "/"}, {Op: "find", Target: "[z"},
		{Op: "hubs", By: "weight"},
	} {
		var wrong *RequestError
		if a, err := x.Ask(r); !errors.As(err, &wrong) {
			t.Errorf("%.80v: answer %v, error %v", r, a, err)
		}
	}
	// Hostile, but answered.
	for _, r := range []Request{
		{Op: "callers", Target: "price", Depth: 1 << 40}, {Op: "callers", Target: "::::"}, {Op: "callers", Target: "a:99999999999999999999"},
		{Op: "callers", Target: "\x00\xff"}, {Op: "find", Target: "/(a*)*(a*)*b/"}, {Op: "find", Target: strings.Repeat("*a", 200)},
		{Op: "callers", Target: "price", Max: 1 << 40, MaxPerLevel: 1 << 40},
	} {
		if _, err := x.Ask(r); err != nil {
			t.Errorf("%.80v: %v", r, err)
		}
	}
}

// randomGraph has calls, and methods that implement others.
func randomGraph(r *rand.Rand, nodes, edges int) *graph.Graph {
	b := &graph.Builder{}
	f := b.AddFile(graph.File{Path: "a.go"})
	for i := range nodes {
		b.AddNode(graph.Node{Key: fmt.Sprintf("go:a#f%04d", i), Name: fmt.Sprintf("f%d", i), QName: fmt.Sprintf("a.f%d", i),
			Kind: graph.KindMethod, Parent: graph.None, File: "a.go", Line: int32(i + 1), DefLine: int32(i + 1), EndLine: int32(i + 1)})
	}
	for range edges {
		k := graph.EdgeCalls
		if r.IntN(12) == 0 {
			k = graph.EdgeImplements
		}
		b.AddEdge(graph.RawEdge{From: graph.ID(r.IntN(nodes)), To: graph.ID(r.IntN(nodes)), Type: graph.None, Kind: k,
			Certainty: graph.Certainty(r.IntN(3)), HasSite: true,
			Site: graph.Site{File: f, Line: int32(r.IntN(1000)), Args: -1, Keywords: -1, Recv: graph.None}})
	}
	return b.Build()
}

// slowCallers finds callers by the definition: a node is at depth d if an edge
// that is sure enough leads from it to one at depth d-1, or to what one of those
// may be run through.
func slowCallers(x *Index, start graph.ID, depth int) map[graph.ID]int {
	g := x.g
	through := func(n graph.ID) map[graph.ID]bool {
		all := map[graph.ID]bool{n: true}
		for grown := true; grown; {
			grown = false
			for i := range g.Edges {
				e := &g.Edges[i]
				if e.Kind == graph.EdgeImplements && all[e.From] && !all[e.To] && e.Certainty != graph.Ambiguous &&
					x.dispatchCertainty(e.To) != graph.Ambiguous {
					all[e.To], grown = true, true
				}
			}
		}
		return all
	}
	found := map[graph.ID]int{start: 0}
	for d := 1; d <= depth; d++ {
		for n, at := range found {
			if at != d-1 {
				continue
			}
			all := through(n)
			for i := range g.Edges {
				e := &g.Edges[i]
				if _, ok := found[e.From]; !ok && e.Kind == graph.EdgeCalls && all[e.To] && e.Certainty != graph.Ambiguous {
					found[e.From] = d
				}
			}
		}
	}
	delete(found, start)
	return found
}

func TestCallersAgreeWithDefinition(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := randomGraph(r, 5+r.IntN(40), r.IntN(160))
		x := New(g)
		start := graph.ID(r.IntN(len(g.Nodes)))
		depth := 1 + r.IntN(4)
		a, err := x.Ask(Request{Op: "callers", Target: g.Nodes[start].Key, Depth: depth, Max: 1000})
		if err != nil {
			t.Fatal(err)
		}
		got := map[graph.ID]int{}
		for _, h := range a.Results {
			if id := g.Lookup(h.Symbol.ID); id != start {
				got[id] = h.Depth
			}
		}
		if want := slowCallers(x, start, depth); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("seed %d, depth %d: got %v, want %v", seed, depth, got, want)
		}
	}
}

// TestPathsAgree: a path is as short as the target is deep among callees, and
// each of its steps is an edge or a dispatch.
func TestPathsAgree(t *testing.T) {
	found := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		g := randomGraph(r, 5+r.IntN(40), r.IntN(120))
		x := New(g)
		from, to := graph.ID(r.IntN(len(g.Nodes))), graph.ID(r.IntN(len(g.Nodes)))
		if from == to {
			continue
		}
		// Without dispatch, depth is the number of steps.
		all, err := x.Ask(Request{Op: "callees", Target: g.Nodes[from].Key, Depth: 100, Max: 1000, Direct: true})
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, h := range all.Results {
			if h.Symbol.ID == g.Nodes[to].Key {
				want = h.Depth
			}
		}
		p, err := x.Ask(Request{Op: "path", Target: g.Nodes[from].Key, To: g.Nodes[to].Key, Direct: true})
		if err != nil {
			t.Fatal(err)
		}
		if p.Total != want {
			t.Fatalf("seed %d: a path of %d steps, want %d", seed, p.Total, want)
		}
		// With it, there is a path if and only if the target is among callees.
		all, _ = x.Ask(Request{Op: "callees", Target: g.Nodes[from].Key, Depth: 100, Max: 1000})
		p, _ = x.Ask(Request{Op: "path", Target: g.Nodes[from].Key, To: g.Nodes[to].Key})
		reached := slices.ContainsFunc(all.Results, func(h Result) bool { return h.Symbol.ID == g.Nodes[to].Key })
		if reached != (p.Total > 0) {
			t.Fatalf("seed %d: among callees %t, but the path is %v", seed, reached, said(p))
		}
		at := from
		for _, h := range p.Results {
			found++
			next := g.Lookup(h.Symbol.ID)
			if h.Via != g.Nodes[at].Key && h.Via != "" {
				t.Fatalf("seed %d: a step begins at %s and not at %s:\n%s", seed, h.Via, g.Nodes[at].Key, said(p))
			}
			ok := slices.ContainsFunc(g.OutKind(at, graph.EdgeCalls), func(e graph.Edge) bool { return e.To == next })
			if h.Relation == dispatchRelation {
				// It may implement what implements it, and so on.
				above := []graph.ID{next}
				for i := 0; i < len(above) && len(above) < 1000; i++ {
					for _, e := range g.OutKind(above[i], graph.EdgeImplements) {
						if !slices.Contains(above, e.To) {
							above = append(above, e.To)
						}
					}
				}
				ok = slices.Contains(above[1:], at)
			}
			if !ok {
				t.Fatalf("seed %d: no %s from %s to %s", seed, h.Relation, g.Nodes[at].Key, h.Symbol.ID)
			}
			at = next
		}
		if p.Total > 0 && at != to {
			t.Fatalf("seed %d: the path ends at %s", seed, g.Nodes[at].Key)
		}
	}
	if found < 100 {
		t.Errorf("only %d steps were seen", found)
	}
}

// TestPagesAgree: the pages of an answer are the answer, in order of depth.
func TestPagesAgree(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 4))
		g := randomGraph(r, 5+r.IntN(60), r.IntN(240))
		x := New(g)
		req := Request{Op: []string{"callers", "callees"}[seed%2], Target: g.Nodes[r.IntN(len(g.Nodes))].Key, Depth: 1 + r.IntN(5), Max: 1000}
		all, err := x.Ask(req)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(all.Results, func(a, b Result) int { return a.Depth - b.Depth }) {
			t.Fatalf("seed %d: not in order of depth", seed)
		}
		req.Max = 1 + r.IntN(7)
		var pages []Result
		for {
			a, err := x.Ask(req)
			if err != nil {
				t.Fatal(err)
			}
			if a.Total != all.Total || fmt.Sprint(a.PerDepth) != fmt.Sprint(all.PerDepth) || a.Truncated != (len(pages)+a.Returned < all.Total) {
				t.Fatalf("seed %d: total %d of %d, per depth %v of %v, truncated %t", seed, a.Total, all.Total, a.PerDepth, all.PerDepth, a.Truncated)
			}
			pages = append(pages, a.Results...)
			if req.Cursor = a.Cursor; req.Cursor == "" {
				break
			}
		}
		if fmt.Sprintf("%+v", pages) != fmt.Sprintf("%+v", all.Results) {
			t.Fatalf("seed %d: the pages are not the answer", seed)
		}
	}
}

// TestOrphans: what a compiler or generator writes, and constructors that are
// there so that nobody makes a value, are no orphans.
func TestOrphans(t *testing.T) {
	b := &graph.Builder{}
	b.AddFile(graph.File{Path: "a/A.java"})
	add := func(name string, k graph.Kind, flags graph.Flags, v graph.Visibility) {
		b.AddNode(graph.Node{Key: "java:a#" + name, Name: name, QName: "a." + name, Kind: k, Parent: graph.None, File: "a/A.java", Line: 3, DefLine: 3, EndLine: 3, Flags: flags, Visibility: v})
	}
	add("alone", graph.KindMethod, 0, graph.Public)
	add("values", graph.KindMethod, graph.FlagGenerated, graph.Public)
	add("Utils", graph.KindConstructor, 0, graph.Private)
	a, err := New(b.Build()).Ask(Request{Op: "orphans"})
	if err != nil {
		t.Fatal(err)
	}
	if a.Total != 1 || a.Results[0].Symbol.Name != "a.alone" {
		t.Errorf("got %+v", a.Results)
	}
}

// TestDetails: questions without details have the same answer on a graph that
// has none.
func TestDetails(t *testing.T) {
	full, bare := shop(), shop()
	for i := range full.Nodes {
		n := &full.Nodes[i]
		n.Signature.Text, n.Signature.Params, n.Signature.Results = "func f(a int) error", []graph.Param{{Name: "a", Type: "int"}}, []graph.Param{{Type: "error"}}
		n.Doc, n.Body, n.Branches = "It does.", graph.Hash{1}, 3
	}
	asked := 0
	for _, op := range Ops() {
		for i := range full.Nodes {
			r := Request{Op: op.Name, Target: full.Nodes[i].Key, Depth: 3}
			if op.Target == NoTarget {
				r.Target = ""
			}
			if op.Target == TwoTargets {
				r.To = full.Nodes[len(full.Nodes)-1-i].Key
			}
			a, err := New(full).Ask(r)
			if err != nil {
				continue // a key is no glob
			}
			b, err := New(bare).Ask(r)
			if err != nil {
				t.Fatal(err)
			}
			unsigned := func(a *Answer) string {
				if a.Target != nil {
					a.Target.Signature = ""
				}
				if a.To != nil {
					a.To.Signature = ""
				}
				for i := range a.Results {
					a.Results[i].Symbol.Signature = ""
				}
				data, err := json.Marshal(a)
				if err != nil {
					t.Fatal(err)
				}
				return string(data)
			}
			if a, b := unsigned(a), unsigned(b); op.From == Relations && a != b {
				t.Errorf("%s of %s\n%s\nwithout details\n%s", op.Name, r.Target, a, b)
			}
			asked++
		}
	}
	if asked < 100 {
		t.Errorf("only %d questions", asked)
	}
}

func TestComponentsAgreeWithReachability(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		g := randomGraph(r, 3+r.IntN(20), r.IntN(60))
		x := New(g)
		n := len(g.Nodes)
		reach := make([][]bool, n)
		for i := range reach {
			reach[i] = make([]bool, n)
			stack := []graph.ID{graph.ID(i)}
			for len(stack) > 0 {
				v := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				for _, e := range g.OutKind(v, graph.EdgeCalls) {
					if !reach[i][e.To] {
						reach[i][e.To] = true
						stack = append(stack, e.To)
					}
				}
			}
		}
		var want [][]graph.ID
		seen := make([]bool, n)
		for i := range n {
			comp := []graph.ID{graph.ID(i)}
			for j := i + 1; j < n; j++ {
				if reach[i][j] && reach[j][i] {
					comp = append(comp, graph.ID(j))
				}
			}
			if !seen[i] && len(comp) > 1 {
				want = append(want, comp)
			}
			for _, c := range comp {
				seen[c] = true
			}
		}
		got := x.components(func(v graph.ID, visit func(graph.ID)) {
			for _, e := range g.OutKind(v, graph.EdgeCalls) {
				visit(e.To)
			}
		})
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("seed %d: got %v, want %v", seed, got, want)
		}
	}
}

// TestConcurrent is for the race detector: an index is shared by many.
func TestConcurrent(t *testing.T) {
	x := New(shop())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, op := range Ops() {
				r := Request{Op: op.Name}
				if op.Target != NoTarget {
					r.Target = "price"
				}
				if op.Target == TwoTargets {
					r.To = "round"
				}
				if _, err := x.Ask(r); err != nil {
					t.Errorf("%s: %v", op.Name, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestEmptyGraph(t *testing.T) {
	x := New((&graph.Builder{}).Build())
	for _, op := range Ops() {
		r := Request{Op: op.Name}
		if op.Target >= OneTarget {
			r.Target = "x"
		}
		if op.Target == TwoTargets {
			r.To = "y"
		}
		a, err := x.Ask(r)
		if err != nil || a.Reason == "" {
			t.Errorf("%s: %+v, %v", op.Name, a, err)
		}
	}
}

// TestManyDispatched asks about a method that more others override than are followed.
func TestManyDispatched(t *testing.T) {
	b := &graph.Builder{}
	f := b.AddFile(graph.File{Path: "a.go", Lang: "go"})
	add := func(name string, k graph.Kind, parent graph.ID) graph.ID {
		return b.AddNode(graph.Node{Key: "go:m#" + name, Name: name, QName: "m." + name, Kind: k, Parent: parent, File: "a.go", DefLine: 1, Line: 1, EndLine: 2})
	}
	edge := func(from, to graph.ID, k graph.EdgeKind) {
		b.AddEdge(graph.RawEdge{From: from, To: to, Type: graph.None, Kind: k, HasSite: true, Site: graph.Site{File: f, Line: 1, Col: 1, Args: -1, Keywords: -1, Recv: graph.None}})
	}
	pkg := b.AddNode(graph.Node{Key: "go:m", Name: "m", QName: "m", Kind: graph.KindPackage, Parent: graph.None})
	method := add("f", graph.KindMethod, add("T", graph.KindInterface, pkg))
	caller := add("call", graph.KindFunction, pkg)
	edge(caller, method, graph.EdgeCalls)
	for i := range maxDispatched {
		edge(add(fmt.Sprintf("f%d", i), graph.KindMethod, add(fmt.Sprintf("T%d", i), graph.KindClass, pkg)), method, graph.EdgeImplements)
	}
	x := New(b.Build())
	a, err := x.Ask(Request{Op: "callees", Target: "m.call", Depth: 2})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(a.Reason, "not all are followed") {
		t.Errorf("%d results, %q", a.Total, a.Reason)
	}
	if a, err = New(shop()).Ask(Request{Op: "callees", Target: "web.handle", Depth: 2}); err != nil || a.Reason != "" {
		t.Errorf("%v, %q", err, a.Reason)
	}
}
