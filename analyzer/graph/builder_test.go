package graph_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/codekg/kg/analyzer/graph"
)

func node(key string) graph.Node { return graph.Node{Key: key, Parent: graph.None} }

func edge(from, to graph.ID, k graph.EdgeKind) graph.RawEdge {
	return graph.RawEdge{From: from, To: to, Kind: k, Type: graph.None}
}

func at(e graph.RawEdge, file, line, col int32) graph.RawEdge {
	e.HasSite = true
	e.Site = graph.Site{File: file, Line: line, Col: col, Args: -1, Keywords: -1, Recv: graph.None}
	return e
}

func keys(g *graph.Graph) []string {
	var ks []string
	for i := range g.Nodes {
		ks = append(ks, g.Nodes[i].Key)
	}
	return ks
}

func TestBuildEmpty(t *testing.T) {
	var b graph.Builder
	g := b.Build()
	if !reflect.DeepEqual(g.Columns(), graph.Columns{SiteEnds: []uint32{}}) {
		t.Errorf("an empty builder gives %+v", g.Columns())
	}
	if g.Lookup("x") != graph.None || g.FileIndex("x") != -1 || g.SiteCount() != 0 {
		t.Error("an empty graph holds something")
	}
}

func TestBuildDuplicateKeys(t *testing.T) {
	var b graph.Builder
	for i, key := range []string{"k", "k.a", "k", "k~2", "k", "k~2", "z"} {
		n := node(key)
		n.File, n.Line, n.EndLine = "f", int32(i+1), int32(i+2)
		b.AddNode(n)
	}
	g := b.Build()
	want := map[string]int32{"k": 1, "k.a": 2, "k~3": 3, "k~2": 4, "k~4": 5, "k~2~2": 6, "z": 7}
	for key, line := range want {
		n := g.Lookup(key)
		if n == graph.None {
			t.Errorf("no node %s", key)
		} else if g.Nodes[n].Line != line {
			t.Errorf("node %s is that of line %d, want %d", key, g.Nodes[n].Line, line)
		}
	}
	if !slices.IsSorted(keys(g)) || len(g.Nodes) != len(want) {
		t.Errorf("keys are %q", keys(g))
	}
	unknown := func(line int32, key string) graph.Unknown {
		return graph.Unknown{Reason: graph.ReasonDuplicate, File: "f", Line: line, EndLine: line + 1, Detail: key, Count: 1}
	}
	if want := []graph.Unknown{unknown(3, "k"), unknown(5, "k"), unknown(6, "k~2")}; !reflect.DeepEqual(g.Unknowns, want) {
		t.Errorf("unknowns are %+v", g.Unknowns)
	}
}

func TestBuildParentsAndFiles(t *testing.T) {
	var b graph.Builder
	child := b.AddNode(graph.Node{Key: "a#c", Parent: 1})
	parent := b.AddNode(node("z"))
	f2 := b.AddFile(graph.File{Path: "two", Node: child, Size: 2})
	f1 := b.AddFile(graph.File{Path: "one", Node: graph.None, Size: 1})
	again := b.AddFile(graph.File{Path: "two", Node: parent, Size: 3})
	for _, f := range []int32{f2, f1, again} {
		b.AddEdge(at(edge(child, parent, graph.EdgeCalls), f, 1, 1))
	}
	g := b.Build()
	if got := g.Nodes[g.Lookup("a#c")].Parent; got != g.Lookup("z") {
		t.Errorf("parent is %d", got)
	}
	want := []graph.File{{Path: "one", Node: graph.None, Size: 1}, {Path: "two", Node: g.Lookup("a#c"), Size: 2}}
	if !reflect.DeepEqual(g.Files, want) {
		t.Errorf("files are %+v", g.Files)
	}
	if g.FileIndex("two") != 1 || g.FileIndex("tw") != -1 {
		t.Error("FileIndex does not find files")
	}
	var files []int32
	for _, s := range g.Sites(&g.Edges[0]) {
		files = append(files, s.File)
	}
	if !slices.Equal(files, []int32{0, 1}) {
		t.Errorf("sites are in files %v; the one that two files of one path share is one", files)
	}
}

func TestBuildMergesEdges(t *testing.T) {
	var b graph.Builder
	x, y := b.AddNode(node("x")), b.AddNode(node("y"))
	f := b.AddFile(graph.File{Path: "f", Node: graph.None})
	add := func(e graph.RawEdge, c graph.Certainty, ptr bool) {
		e.Certainty, e.Ptr = c, ptr
		b.AddEdge(e)
	}
	add(at(edge(x, y, graph.EdgeCalls), f, 3, 1), graph.Ambiguous, true)
	add(at(edge(x, y, graph.EdgeCalls), f, 2, 9), graph.Inferred, false)
	add(at(edge(x, y, graph.EdgeCalls), f, 3, 1), graph.Inferred, true)
	add(edge(x, y, graph.EdgeCalls), graph.Inferred, true)
	b.AddEdges([]graph.RawEdge{edge(x, y, graph.EdgeContains), edge(y, x, graph.EdgeReads)})
	withType := edge(x, y, graph.EdgeConverts)
	withType.Type = y
	b.AddEdge(withType)
	b.AddEdge(edge(x, y, graph.EdgeConverts))
	withType.Ptr = true
	b.AddEdge(withType)
	g := b.Build()
	type e struct {
		From, To, Type graph.ID
		Kind           graph.EdgeKind
		Certainty      graph.Certainty
		Ptr            bool
		Sites          int
	}
	var got []e
	for i := range g.Edges {
		r := &g.Edges[i]
		got = append(got, e{r.From, r.To, r.Type, r.Kind, r.Certainty, r.Ptr, len(g.Sites(r))})
	}
	want := []e{
		{0, 1, graph.None, graph.EdgeCalls, graph.Inferred, false, 2},
		{0, 1, graph.None, graph.EdgeConverts, graph.Exact, false, 0},
		{0, 1, 1, graph.EdgeConverts, graph.Exact, false, 0},
		{1, 0, graph.None, graph.EdgeReads, graph.Exact, false, 0},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("edges are\n%+v, want\n%+v", got, want)
	}
	if s := g.Sites(&g.Edges[0]); s[0].Line != 2 || s[1].Line != 3 || g.SiteCount() != 2 {
		t.Errorf("sites are %+v", s)
	}
}

func TestBuildKeywords(t *testing.T) {
	var b graph.Builder
	if b.AddKeywords(nil) != -1 {
		t.Error("no keywords have an index")
	}
	lists := [][]string{{"z"}, {"a", "b"}, {"a b"}, {"a"}, {"\xff"}, {`\xff`}}
	n := b.AddNode(node("n"))
	f := b.AddFile(graph.File{Path: "f", Node: graph.None})
	for i, list := range lists {
		k := b.AddKeywords(list)
		if k != b.AddKeywords(slices.Clone(list)) {
			t.Errorf("%q has two indexes", list)
		}
		e := at(edge(n, n, graph.EdgeCalls), f, int32(i+1), 1)
		e.Site.Keywords = k
		b.AddEdge(e)
	}
	g := b.Build()
	if !slices.IsSortedFunc(g.Keywords, slices.Compare[[]string]) || len(g.Keywords) != len(lists) {
		t.Errorf("keywords are %q", g.Keywords)
	}
	for _, s := range g.Sites(&g.Edges[0]) {
		if got, want := g.Keywords[s.Keywords], lists[s.Line-1]; !slices.Equal(got, want) {
			t.Errorf("line %d has keywords %q, want %q", s.Line, got, want)
		}
	}
}

func TestBuildSkippedAndUnknowns(t *testing.T) {
	var b graph.Builder
	b.AddSkipped(graph.Skipped{Lang: "rust", Files: 1, Bytes: 10})
	b.AddSkipped(graph.Skipped{Lang: "c", Files: 2, Bytes: 20})
	b.AddSkipped(graph.Skipped{Lang: "rust", Files: 3, Bytes: 30})
	b.AddUnknown(graph.Unknown{File: "b", Line: 2})
	b.AddUnknown(graph.Unknown{File: "b", Line: 1, Reason: graph.ReasonDynamic, Count: 4})
	b.AddUnknown(graph.Unknown{Reason: graph.ReasonShallow})
	g := b.Build()
	if want := []graph.Skipped{{"c", 2, 20}, {"rust", 4, 40}}; !reflect.DeepEqual(g.Skipped, want) {
		t.Errorf("skipped is %+v", g.Skipped)
	}
	want := []graph.Unknown{
		{Reason: graph.ReasonShallow, Count: 1},
		{File: "b", Line: 1, Reason: graph.ReasonDynamic, Count: 4},
		{File: "b", Line: 2, Count: 1},
	}
	if !reflect.DeepEqual(g.Unknowns, want) {
		t.Errorf("unknowns are %+v", g.Unknowns)
	}
}

// rawGraph is a random graph, and what it was made of. The edges' ids are
// those of the graph, as the keys are added in order.
func rawGraph(r *rand.Rand) (*graph.Graph, []graph.RawEdge) {
	var b graph.Builder
	nodes := 1 + r.IntN(30)
	for i := range nodes {
		b.AddNode(node(fmt.Sprintf("n%02d", i)))
	}
	f := b.AddFile(graph.File{Path: "f", Node: graph.None})
	var raw []graph.RawEdge
	for range r.IntN(300) {
		k := graph.EdgeKind(1 + r.IntN(graph.EdgeKindCount-1))
		e := edge(graph.ID(r.IntN(nodes)), graph.ID(r.IntN(nodes)), k)
		if r.IntN(3) == 0 {
			e.Type = graph.ID(r.IntN(nodes))
		}
		if r.IntN(5) > 0 {
			e = at(e, f, int32(1+r.IntN(3)), 1)
		}
		raw = append(raw, e)
	}
	b.AddEdges(slices.Clone(raw))
	return b.Build(), raw
}

func TestAdjacency(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		g, raw := rawGraph(r)
		distinct := map[graph.RawEdge]map[graph.Site]bool{}
		for _, e := range raw {
			id := edge(e.From, e.To, e.Kind)
			id.Type = e.Type
			if distinct[id] == nil {
				distinct[id] = map[graph.Site]bool{}
			}
			if e.HasSite {
				distinct[id][e.Site] = true
			}
		}
		if len(distinct) != len(g.Edges) {
			t.Fatalf("%d edges, want %d", len(g.Edges), len(distinct))
		}
		compare := func(x, y *graph.Edge) int {
			return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.To, y.To), cmp.Compare(x.Type, y.Type))
		}
		for i := range g.Edges {
			e := &g.Edges[i]
			sites, ok := distinct[graph.RawEdge{From: e.From, To: e.To, Kind: e.Kind, Type: e.Type}]
			if !ok || len(sites) != len(g.Sites(e)) {
				t.Fatalf("edge %+v has sites %v, want %v", e, g.Sites(e), sites)
			}
			if i > 0 && compare(&g.Edges[i-1], e) >= 0 {
				t.Fatalf("edges %d and %d are not in order", i-1, i)
			}
		}
		for n := range graph.ID(len(g.Nodes)) {
			checkAdjacency(t, g, n)
		}
	}
}

// checkAdjacency compares the edges of one node with a look at all edges.
func checkAdjacency(t *testing.T, g *graph.Graph, n graph.ID) {
	t.Helper()
	var in []uint32
	var out []graph.Edge
	for i := range g.Edges {
		if g.Edges[i].From == n {
			out = append(out, g.Edges[i])
		}
		if g.Edges[i].To == n {
			in = append(in, uint32(i))
		}
	}
	slices.SortStableFunc(in, func(x, y uint32) int { return cmp.Compare(g.Edges[x].Kind, g.Edges[y].Kind) })
	if !slices.Equal(g.Out(n), out) {
		t.Fatalf("Out(%d) = %v, want %v", n, g.Out(n), out)
	}
	if !slices.Equal(g.In(n), in) {
		t.Fatalf("In(%d) = %v, want %v", n, g.In(n), in)
	}
	for k := range graph.EdgeKind(graph.EdgeKindCount) {
		wantOut := slices.DeleteFunc(slices.Clone(out), func(e graph.Edge) bool { return e.Kind != k })
		wantIn := slices.DeleteFunc(slices.Clone(in), func(i uint32) bool { return g.Edges[i].Kind != k })
		if got := g.OutKind(n, k); !slices.Equal(got, wantOut) {
			t.Fatalf("OutKind(%d, %v) = %v, want %v", n, k, got, wantOut)
		}
		if got := g.InKind(n, k); !slices.Equal(got, wantIn) {
			t.Fatalf("InKind(%d, %v) = %v, want %v", n, k, got, wantIn)
		}
	}
}

func TestLookup(t *testing.T) {
	var b graph.Builder
	for i := range 50 {
		b.AddNode(node(fmt.Sprint("k", i*7%50)))
	}
	g := b.Build()
	for i := range g.Nodes {
		if g.Lookup(g.Nodes[i].Key) != graph.ID(i) {
			t.Errorf("Lookup(%q) misses", g.Nodes[i].Key)
		}
	}
	for _, key := range []string{"", "k", "k00", "z"} {
		if g.Lookup(key) != graph.None {
			t.Errorf("Lookup(%q) finds something", key)
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	const nodes, sites = 100_000, 700_000
	r := rand.New(rand.NewPCG(1, 1))
	ns := make([]graph.Node, nodes)
	for i := range ns {
		ns[i] = node(fmt.Sprintf("go:example.com/module/pkg%d#Type%d.Method%d", r.IntN(900), r.IntN(9000), i))
	}
	raw := make([]graph.RawEdge, sites)
	for i := range raw {
		from := r.IntN(nodes)
		e := edge(graph.ID(from), graph.ID((from+r.IntN(5))%nodes), graph.EdgeKind(1+r.IntN(4)))
		raw[i] = at(e, 0, int32(r.IntN(5000)), int32(r.IntN(60)))
	}
	b.ReportAllocs()
	var g *graph.Graph
	for b.Loop() {
		var bl graph.Builder
		bl.AddFile(graph.File{Path: "f", Node: graph.None})
		for i := range ns {
			bl.AddNode(ns[i])
		}
		bl.AddEdges(slices.Clone(raw))
		g = bl.Build()
	}
	b.ReportMetric(float64(len(g.Edges)), "edges")
	b.ReportMetric(float64(g.SiteCount()), "sites")
}
