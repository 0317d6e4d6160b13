package query

import (
	"slices"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/graph"
)

// TestInheritedTargets: a member may be named by a type that has it from another
// one, the nearest counts, and code comes before tests of the same name.
func TestInheritedTargets(t *testing.T) {
	b := &graph.Builder{}
	add := func(name, q string, k graph.Kind, parent graph.ID, flags graph.Flags) graph.ID {
		return b.AddNode(graph.Node{Key: "go:x#" + q, Name: name, QName: "x." + q, Kind: k, Parent: parent, Flags: flags})
	}
	extends := func(from, to graph.ID) {
		b.AddEdge(graph.RawEdge{From: from, To: to, Type: graph.None, Kind: graph.EdgeExtends})
	}
	top := add("Top", "Top", graph.KindClass, graph.None, 0)
	mid := add("Mid", "Mid", graph.KindClass, graph.None, 0)
	low := add("Low", "Low", graph.KindClass, graph.None, 0)
	test := add("Low", "inside.Low", graph.KindClass, graph.None, graph.FlagTest)
	add("run", "Top.run", graph.KindMethod, top, 0)
	add("stop", "Top.stop", graph.KindMethod, top, 0)
	add("run", "Mid.run", graph.KindMethod, mid, 0)
	add("sum", "Mid.sum(int,int)", graph.KindMethod, mid, 0)
	add("sum", "Mid.sum(List)", graph.KindMethod, mid, 0)
	add("one", "Mid.one(Map)", graph.KindMethod, mid, 0)
	extends(mid, top)
	extends(low, mid)
	extends(low, low)
	extends(top, low) // a cycle ends
	extends(test, top)
	g := b.Build()
	x := New(g)
	for target, want := range map[string][]string{
		"Low": {"go:x#Low"}, "Low.run": {"go:x#Mid.run"}, "x.Low.stop": {"go:x#Top.stop"}, "Mid.run": {"go:x#Mid.run"},
		"Mid.sum": {"go:x#Mid.sum(List)", "go:x#Mid.sum(int,int)"}, "x.Mid.sum(List)": {"go:x#Mid.sum(List)"}, "x.Mid.one": {"go:x#Mid.one(Map)"},
		"go:x#Mid.one": {"go:x#Mid.one(Map)"}, "Low.one": {"go:x#Mid.one(Map)"}, "Mid.sum(Set)": nil,
		"Low.none": nil, "none.run": nil, "...": nil,
	} {
		var got []string
		for _, id := range x.Resolve(target, nil) {
			got = append(got, g.Nodes[id].Key)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", target, got, want)
		}
	}
}

// TestFansOfAnnotations: what is annotated uses the annotation, once, not the
// other way round.
func TestFansOfAnnotations(t *testing.T) {
	b := &graph.Builder{}
	add := func(name string) graph.ID {
		return b.AddNode(graph.Node{Key: "go:x#" + name, Name: name, QName: "x." + name, Kind: graph.KindFunction, Parent: graph.None})
	}
	decorator, mark, used := add("decorator"), add("mark"), add("used")
	edge := func(from, to graph.ID, k graph.EdgeKind) {
		b.AddEdge(graph.RawEdge{From: from, To: to, Type: graph.None, Kind: k})
	}
	edge(decorator, used, graph.EdgeAnnotates)
	edge(used, decorator, graph.EdgeCalls) // it runs
	edge(mark, used, graph.EdgeAnnotates)
	g := b.Build()
	f := New(g).uses()
	for name, want := range map[string][2]uint32{"decorator": {1, 0}, "mark": {1, 0}, "used": {0, 2}} {
		id := g.Lookup("go:x#" + name)
		if got := [2]uint32{f.in[id], f.out[id]}; got != want {
			t.Errorf("%s: in and out %v, want %v", name, got, want)
		}
	}
}

// TestTargetsByPlace: path:line, path:name and files, and what is said if they
// are not there.
func TestTargetsByPlace(t *testing.T) {
	x := New(shop())
	for _, c := range []struct{ op, target, want string }{
		{"symbol", "web.go:26", "web.handle"},
		{"symbol", "./web/web.go:17:3", "web.Serve"},
		{"symbol", "web/web.go:handle", "web.handle"},
		{"symbol", "shop/shop_test.go::TestOrder", "shop.TestOrder"},
		{"symbol", "shop.go::impl.Order", "shop.impl.Order"},
		{"symbol", "shop.go::handle", ""},
		{"symbol", "web.go:900", "web/web.go"},
		{"symbol", "wev.go:3", ""},
	} {
		a, err := x.Ask(Request{Op: c.op, Target: c.target})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if a.Target != nil {
			got = a.Target.Name
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.target, got, c.want)
		}
		switch c.target {
		case "web.go:900":
			if !strings.HasPrefix(a.Reason, "no declaration is at line 900") {
				t.Errorf("the file is taken without a word: %q", a.Reason)
			}
		case "wev.go:3":
			if len(a.Near) == 0 || a.Near[0].Name != "web/web.go" {
				t.Errorf("near a path: %v", a.Near)
			}
		}
	}
	a, err := x.Ask(Request{Op: "members", Target: "web/web.go"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range a.Results {
		names = append(names, r.Symbol.Name)
	}
	if got := strings.Join(names, " "); got != "web.main web.Serve web.handle" {
		t.Errorf("members of a file: %s", got)
	}
}
