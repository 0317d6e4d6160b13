package query

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/codekg/kg/analyzer/graph"
)

func TestOverview(t *testing.T) {
	o := New(shop()).Overview()
	if got, want := fmt.Sprint(o.Layers), "[[ex/shop] [ex/web]]"; got != want {
		t.Errorf("layers %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(o.Dependencies), "[{go:ex/web go:ex/shop 1}]"; got != want {
		t.Errorf("dependencies %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(o.External), "[{fmt 1}]"; got != want {
		t.Errorf("external %s, want %s", got, want)
	}
	m := o.Metrics
	m.Modularity = 0
	if want := (Metrics{Files: 3, Packages: 2, Declarations: 11, Tests: 1, Uses: 9, Dependencies: 1, Layers: 2, Communities: 1, EntryPoints: 1}); m != want {
		t.Errorf("metrics %+v, want %+v", m, want)
	}
	if len(o.EntryPoints) != 1 || o.EntryPoints[0].Name != "web.main" {
		t.Errorf("entry points %v", o.EntryPoints)
	}
	if len(o.Hubs) == 0 || o.Hubs[0].Symbol.Name != "shop.Service.Order" {
		t.Errorf("hubs %v", o.Hubs)
	}
	none := o.Since(o)
	if len(none.Metrics)+len(none.Packages.Added)+len(none.Dependencies.Added)+len(none.Layers)+len(none.Hubs) != 0 {
		t.Errorf("it differs from itself: %+v", none)
	}
	d := o.Since(New((&graph.Builder{}).Build()).Overview())
	if !slices.Equal(d.Dependencies.Added, []string{"ex/web → ex/shop"}) || len(d.Packages.Added) != 2 || len(d.Metrics) < 8 {
		t.Errorf("it differs from nothing by %+v", d)
	}
}

// TestPackagesInCycles: a cycle is one layer, and does not end the counting.
func TestPackagesInCycles(t *testing.T) {
	b := &graph.Builder{}
	f := b.AddFile(graph.File{Path: "x"})
	var pkgs []graph.ID
	for _, n := range []string{"a", "b", "c", "d"} {
		pkgs = append(pkgs, b.AddNode(graph.Node{Key: "go:" + n, Name: n, QName: n, Kind: graph.KindPackage, Parent: graph.None}))
	}
	for _, e := range [][2]int{{0, 1}, {1, 2}, {2, 1}, {2, 3}} {
		b.AddEdge(graph.RawEdge{From: pkgs[e[0]], To: pkgs[e[1]], Type: graph.None, Kind: graph.EdgeImports, HasSite: true,
			Site: graph.Site{File: f, Line: 1, Args: -1, Keywords: -1, Recv: graph.None}})
	}
	o := New(b.Build()).Overview()
	if got, want := fmt.Sprint(o.Layers, o.Cycles), "[[d] [b c] [a]] [[b c]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLouvain(t *testing.T) {
	// Two cliques with one link between them.
	var links []link
	for c := range int32(2) {
		for i := range int32(5) {
			for j := i + 1; j < 5; j++ {
				links = append(links, link{5*c + i, 5*c + j, 1})
			}
		}
	}
	links = append(links, link{4, 5, 1})
	of, q := louvain(10, slices.Clone(links))
	if of[0] == of[5] || slices.Max(of) != 1 || q < 0.4 {
		t.Errorf("groups %v, modularity %v", of, q)
	}
	// In whatever order the links come.
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		r.Shuffle(len(links), func(i, j int) { links[i], links[j] = links[j], links[i] })
		if again, q2 := louvain(10, slices.Clone(links)); !slices.Equal(again, of) || q2 != q {
			t.Fatalf("groups %v, then %v", of, again)
		}
	}
	if of, q := louvain(3, nil); fmt.Sprint(of, q) != "[0 1 2] 0" {
		t.Errorf("without links: %v, %v", of, q)
	}
	// Random graphs: it ends, and is no worse than one group for all.
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := 2 + r.IntN(60)
		var links []link
		for range r.IntN(200) {
			if a, b := int32(r.IntN(n)), int32(r.IntN(n)); a != b {
				links = append(links, link{min(a, b), max(a, b), 1})
			}
		}
		if _, q := louvain(n, links); q < -1e-9 {
			t.Errorf("seed %d: modularity %v", seed, q)
		}
	}
}
