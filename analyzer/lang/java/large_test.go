package java_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/source/sourcetest"
)

// TestGeneratedClasses builds classes as generators write them, of 10,000 lines
// and more: many methods, overloads, constants, nested types, one long method. All
// of it is in the graph, and all calls have their targets.
func TestGeneratedClasses(t *testing.T) {
	const n = 2500
	var methods, overloads, constants, nested, long strings.Builder
	for i := range n {
		next := (i + 1) % n
		fmt.Fprintf(&methods, "    int value%d;\n    public int get%d() {\n        return value%d + get%d();\n    }\n", i, i, i, next)
		fmt.Fprintf(&constants, "    C%d(%d) {\n        int code() {\n            return %d;\n        }\n    },\n", i, i, i)
		fmt.Fprintf(&nested, "    static class N%d {\n        void run() {\n            new N%d().run();\n        }\n    }\n", i, next)
		fmt.Fprintf(&long, "        if (a == %d) {\n            step(%d);\n            a++;\n        }\n", i, i)
	}
	for i := range 300 {
		fmt.Fprintf(&overloads, "    void of(T%d t) {\n        of(new T%d());\n    }\n    static class T%d {}\n", i, (i+1)%300, i)
	}
	files := []txtar.File{
		{Name: "g/Methods.java", Data: []byte("package g;\n// Generated, DO NOT EDIT\npublic class Methods {\n" + methods.String() + "}\n")},
		{Name: "g/Constants.java", Data: []byte("package g;\npublic enum Constants {\n" + constants.String() + "    LAST(0);\n    Constants(int n) {}\n    int code() { return 0; }\n}\n")},
		{Name: "g/Nested.java", Data: []byte("package g;\npublic class Nested {\n" + nested.String() + "}\n")},
		{Name: "g/Long.java", Data: []byte("package g;\npublic class Long {\n    void step(int n) {}\n    void run(int a) {\n" + long.String() + "    }\n}\n")},
		{Name: "g/Overloads.java", Data: []byte("package g;\npublic class Overloads {\n" + overloads.String() + "}\n")},
	}
	g, err := analyzer.Build(context.Background(), sourcetest.Tree(files), analyzer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Unknowns) > 0 {
		t.Errorf("unknown: %v", g.Unknowns[:min(len(g.Unknowns), 5)])
	}
	count := map[string]int{}
	sites := 0
	for i := range g.Edges {
		e := &g.Edges[i]
		if to := &g.Nodes[e.To]; e.Kind == graph.EdgeCalls && e.Certainty == graph.Exact && to.Kind != graph.KindExternal {
			count[strings.TrimSuffix(strings.TrimPrefix(g.Nodes[e.From].File, "g/"), ".java")]++
			sites += len(g.Sites(e))
		}
	}
	want := map[string]int{"Methods": n, "Constants": n + 1, "Nested": 2 * n, "Long": 1, "Overloads": 600}
	for name, edges := range want {
		if count[name] != edges {
			t.Errorf("%s: %d calls, want %d", name, count[name], edges)
		}
	}
	if want := n + n + 1 + 2*n + n + 600; sites != want {
		t.Errorf("%d places of calls, want %d", sites, want)
	}
}
