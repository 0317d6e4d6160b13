package graph_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/codekg/kg/analyzer/graph"
)

// columns returns a small graph with something in every column.
func columns() graph.Columns {
	var b graph.Builder
	x := b.AddNode(node("x"))
	y := b.AddNode(graph.Node{Key: "y", Parent: x, Variants: []graph.Variant{{Constraint: "linux"}}})
	z := b.AddNode(graph.Node{Key: "z", Parent: y})
	f := b.AddFile(graph.File{Path: "f", Node: x})
	b.AddFile(graph.File{Path: "g", Node: graph.None})
	b.AddKeywords([]string{"a"})
	b.AddKeywords([]string{"b"})
	e := at(edge(x, y, graph.EdgeCalls), f, 1, 1)
	b.AddEdge(e)
	e.Site.Line = 2
	b.AddEdge(e)
	b.AddEdge(edge(x, z, graph.EdgeCalls))
	b.AddEdge(at(edge(x, y, graph.EdgeReads), f, 1, 1))
	c := edge(y, z, graph.EdgeConverts)
	b.AddEdge(c)
	c.Type = x
	b.AddEdge(c)
	b.AddUnknown(graph.Unknown{File: "f"})
	b.AddUnknown(graph.Unknown{File: "g"})
	b.AddSkipped(graph.Skipped{Lang: "c"})
	b.AddSkipped(graph.Skipped{Lang: "d"})
	return b.Build().Columns()
}

func TestFromColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 100 {
		g, _ := rawGraph(r)
		c := g.Columns()
		c.Edges = slices.Clone(c.Edges)
		got, err := graph.FromColumns(c)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, g) {
			t.Fatal("the restored graph is another")
		}
	}
}

func TestFromColumnsRejects(t *testing.T) {
	if _, err := graph.FromColumns(columns()); err != nil {
		t.Fatal(err)
	}
	const far = 1 << 20
	swap := func(i, j int, s any) { reflect.Swapper(s)(i, j) }
	tests := map[string]func(c *graph.Columns){
		"equal keys":               func(c *graph.Columns) { c.Nodes[1].Key = c.Nodes[0].Key },
		"keys out of order":        func(c *graph.Columns) { c.Nodes[0].Key = "zz" },
		"parent out of range":      func(c *graph.Columns) { c.Nodes[0].Parent = 3 },
		"parent below none":        func(c *graph.Columns) { c.Nodes[0].Parent = -2 },
		"own parent":               func(c *graph.Columns) { c.Nodes[0].Parent = 0 },
		"cycle of parents":         func(c *graph.Columns) { c.Nodes[0].Parent = 2 },
		"node kind":                func(c *graph.Columns) { c.Nodes[0].Kind = graph.Kind(graph.KindCount) },
		"visibility":               func(c *graph.Columns) { c.Nodes[0].Visibility = graph.Visibility(graph.VisibilityCount) },
		"flags":                    func(c *graph.Columns) { c.Nodes[0].Flags = graph.FlagMask + 1 },
		"line":                     func(c *graph.Columns) { c.Nodes[0].Line = -1 },
		"definition line":          func(c *graph.Columns) { c.Nodes[0].DefLine = -1 },
		"end line":                 func(c *graph.Columns) { c.Nodes[0].EndLine = -1 },
		"column":                   func(c *graph.Columns) { c.Nodes[0].Col = -1 },
		"tokens":                   func(c *graph.Columns) { c.Nodes[0].Tokens = -1 },
		"branches":                 func(c *graph.Columns) { c.Nodes[0].Branches = -1 },
		"variant's line":           func(c *graph.Columns) { c.Nodes[1].Variants[0].Line = -1 },
		"file order":               func(c *graph.Columns) { swap(0, 1, c.Files) },
		"file twice":               func(c *graph.Columns) { c.Files[1].Path = c.Files[0].Path },
		"file's node":              func(c *graph.Columns) { c.Files[0].Node = 3 },
		"file's node below none":   func(c *graph.Columns) { c.Files[0].Node = -2 },
		"file size":                func(c *graph.Columns) { c.Files[0].Size = -1 },
		"source below zero":        func(c *graph.Columns) { c.Edges[0].From = -1 },
		"source out of range":      func(c *graph.Columns) { c.Edges[len(c.Edges)-1].From = far },
		"target below zero":        func(c *graph.Columns) { c.Edges[0].To = -1 },
		"target out of range":      func(c *graph.Columns) { c.Edges[0].To = 3 },
		"type below none":          func(c *graph.Columns) { c.Edges[0].Type = -2 },
		"type out of range":        func(c *graph.Columns) { c.Edges[0].Type = 3 },
		"edge kind":                func(c *graph.Columns) { c.Edges[0].Kind = graph.EdgeKind(graph.EdgeKindCount) },
		"contains edge":            func(c *graph.Columns) { c.Edges[0].Kind = graph.EdgeContains },
		"certainty":                func(c *graph.Columns) { c.Edges[0].Certainty = graph.Certainty(graph.CertaintyCount) },
		"order of sources":         func(c *graph.Columns) { c.Edges[0].From = 2 },
		"order of kinds":           func(c *graph.Columns) { c.Edges[0].Kind = graph.EdgeTests },
		"order of targets":         func(c *graph.Columns) { swap(0, 1, c.Edges) },
		"order of types":           func(c *graph.Columns) { swap(3, 4, c.Edges) },
		"edge twice":               func(c *graph.Columns) { c.Edges[4].Type = c.Edges[3].Type },
		"fewer site ends":          func(c *graph.Columns) { c.SiteEnds = c.SiteEnds[1:] },
		"site ends that fall":      func(c *graph.Columns) { c.SiteEnds[0] = 3 },
		"site end out of range":    func(c *graph.Columns) { c.SiteEnds[4] = far },
		"sites of no edge":         func(c *graph.Columns) { c.Sites = append(c.Sites, c.Sites[2]) },
		"site's file":              func(c *graph.Columns) { c.Sites[0].File = 2 },
		"site's file below zero":   func(c *graph.Columns) { c.Sites[0].File = -1 },
		"site's line":              func(c *graph.Columns) { c.Sites[0].Line = -1 },
		"site's column":            func(c *graph.Columns) { c.Sites[0].Col = -1 },
		"arguments":                func(c *graph.Columns) { c.Sites[0].Args = -2 },
		"wanted results":           func(c *graph.Columns) { c.Sites[0].Want = -2 },
		"receiver out of range":    func(c *graph.Columns) { c.Sites[0].Recv = graph.ID(len(c.Nodes)) },
		"receiver below none":      func(c *graph.Columns) { c.Sites[0].Recv = -2 },
		"keywords out of range":    func(c *graph.Columns) { c.Sites[0].Keywords = 2 },
		"keywords below none":      func(c *graph.Columns) { c.Sites[0].Keywords = -2 },
		"order of sites":           func(c *graph.Columns) { swap(0, 1, c.Sites) },
		"site twice":               func(c *graph.Columns) { c.Sites[1] = c.Sites[0] },
		"order of keywords":        func(c *graph.Columns) { swap(0, 1, c.Keywords) },
		"keywords twice":           func(c *graph.Columns) { c.Keywords[1] = c.Keywords[0] },
		"reason":                   func(c *graph.Columns) { c.Unknowns[0].Reason = graph.Reason(graph.ReasonCount) },
		"unknown's line":           func(c *graph.Columns) { c.Unknowns[0].Line = -1 },
		"unknown that counts none": func(c *graph.Columns) { c.Unknowns[0].Count = 0 },
		"order of unknowns":        func(c *graph.Columns) { swap(0, 1, c.Unknowns) },
		"order of skipped":         func(c *graph.Columns) { swap(0, 1, c.Skipped) },
		"skipped twice":            func(c *graph.Columns) { c.Skipped[1] = c.Skipped[0] },
		"skipped files":            func(c *graph.Columns) { c.Skipped[0].Files = -1 },
		"skipped bytes":            func(c *graph.Columns) { c.Skipped[0].Bytes = -1 },
	}
	for name, damage := range tests {
		t.Run(name, func(t *testing.T) {
			c := columns()
			damage(&c)
			if _, err := graph.FromColumns(c); err == nil {
				t.Error("accepted")
			}
		})
	}
}
