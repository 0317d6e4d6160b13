package search

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/graph"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"parseHTTPHead":                   "parse http head",
		"XMLHttpRequest":                  "xml http request",
		"snake_case-and.dot":              "snake case and dot",
		"openDB2":                         "open db",
		"a b":                             "",
		"ÉtatDuRéseau":                    "état du réseau",
		"":                                "",
		"\xff\xfeok":                      "ok",
		strings.Repeat("x", 100) + " end": "end",
	} {
		var got []string
		words(text, func(w string) bool { got = append(got, lower(w)); return true })
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: got %q, want %q", text, s, want)
		}
	}
}

// shop has a cart behind an interface that a controller uses.
func shop() *graph.Graph {
	b := &graph.Builder{}
	f := b.AddFile(graph.File{Path: "shop.go"})
	add := func(name, doc string, k graph.Kind, flags graph.Flags, parent graph.ID) graph.ID {
		last := name[strings.LastIndexByte(name, '.')+1:]
		return b.AddNode(graph.Node{Key: "go:shop#" + name, Name: last, QName: "shop." + name, Kind: k, Parent: parent, Doc: doc, File: "shop.go",
			Line: 1, DefLine: 1, EndLine: 3, Flags: flags, Signature: graph.Signature{Text: "sig " + name}})
	}
	pkg := b.AddNode(graph.Node{Key: "go:shop", Name: "shop", QName: "shop", Kind: graph.KindPackage, Parent: graph.None})
	service := add("CartService", "", graph.KindInterface, 0, pkg)
	addItem := add("CartService.AddItem", "", graph.KindMethod, 0, service)
	impl := add("cartService", "cartService keeps what customers chose.", graph.KindStruct, 0, pkg)
	implAdd := add("cartService.AddItem", "AddItem puts an article into the shopping cart.", graph.KindMethod, 0, impl)
	controller := add("OrderController.Post", "", graph.KindMethod, 0, pkg)
	tax := add("taxRate", "taxRate is the rate of a country.", graph.KindFunction, 0, pkg)
	test := add("TestAddItem", "", graph.KindFunction, graph.FlagTest, pkg)
	edge := func(from, to graph.ID, k graph.EdgeKind) {
		b.AddEdge(graph.RawEdge{From: from, To: to, Type: graph.None, Kind: k, HasSite: true, Site: graph.Site{File: f, Line: 7, Args: -1, Keywords: -1, Recv: graph.None}})
	}
	edge(impl, service, graph.EdgeImplements)
	edge(implAdd, addItem, graph.EdgeImplements)
	edge(controller, addItem, graph.EdgeCalls)
	edge(implAdd, tax, graph.EdgeCalls)
	edge(test, implAdd, graph.EdgeCalls)
	return b.Build()
}

func found(t *testing.T, x *Index, r Request) []string {
	t.Helper()
	a, err := x.Search(r)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range a.Found {
		s := x.g.Nodes[f.Node].QName
		if f.Hop > 0 {
			s = fmt.Sprintf("%d %s from %s", f.Hop, s, x.g.Nodes[f.Seed].QName)
		}
		list = append(list, s)
	}
	return list
}

func TestSearch(t *testing.T) {
	x := Build(shop(), Options{Source: func(path string) string {
		return map[string]string{"shop.go": "func body() {\n exotic()\n}\n// afterwards\n"}[path]
	}})
	for _, c := range []struct {
		r    Request
		want []string
	}{
		// Stems, documentation, and names before what mentions them.
		{Request{Text: "put articles in the carts", Max: 1}, []string{"shop.cartService.AddItem"}},
		{Request{Text: "countries", Max: 3}, []string{"shop.taxRate"}},
		{Request{Text: "taxRate", Max: 1}, []string{"shop.taxRate"}},
		// Code before tests.
		{Request{Text: "add item", Max: 2}, []string{"shop.CartService.AddItem", "shop.cartService.AddItem"}},
		// Through the interface to whoever uses it, in one hop.
		{Request{Text: "shopping article", Max: 1, Hops: 1}, []string{"shop.cartService.AddItem",
			"1 shop.taxRate from shop.cartService.AddItem", "1 shop.OrderController.Post from shop.cartService.AddItem",
			"1 shop.CartService.AddItem from shop.cartService.AddItem", "1 shop.TestAddItem from shop.cartService.AddItem"}},
		{Request{Text: "shopping article", Max: 1, Hops: 1, Edges: 1 << graph.EdgeImplements}, []string{"shop.cartService.AddItem",
			"1 shop.CartService.AddItem from shop.cartService.AddItem"}},
		{Request{Text: "add", Shown: func(id graph.ID) bool { return x.g.Nodes[id].Flags.Has(graph.FlagTest) }}, []string{"shop.TestAddItem"}},
		{Request{Text: "quux"}, nil},
		{Request{Text: "the of and"}, nil},
		{Request{Text: strings.Repeat("word ", 10_000)}, nil},
	} {
		for range 2 { // the same each time
			if got := found(t, x, c.r); !slices.Equal(got, c.want) {
				t.Errorf("%.40q: got %q, want %q", c.r.Text, got, c.want)
			}
		}
	}
	if got := found(t, x, Request{Text: "exotic"}); len(got) == 0 {
		t.Error("bodies are not searched")
	}
	if got := found(t, x, Request{Text: "afterwards"}); len(got) != 0 {
		t.Error("lines after a body are searched as if they were of it")
	}
	a, err := x.Search(Request{Text: "quux cart"})
	if err != nil || !slices.Equal(a.Unknown, []string{"quux"}) {
		t.Errorf("unknown words %v, %v", a.Unknown, err)
	}
	// Others may rank the best.
	last := found(t, x, Request{Text: "cart", Rank: func(ids []graph.ID) ([]float64, error) {
		s := make([]float64, len(ids))
		s[len(s)-1] = 1
		return s, nil
	}})
	if plain := found(t, x, Request{Text: "cart"}); slices.Equal(last, plain) {
		t.Error("the order of others is not used")
	}
}

func TestEmpty(t *testing.T) {
	x := Build((&graph.Builder{}).Build(), Options{})
	if got := found(t, x, Request{Text: "anything", Hops: 2}); got != nil {
		t.Errorf("got %q", got)
	}
}

func TestPack(t *testing.T) {
	x := Build(shop(), Options{})
	a, err := x.Search(Request{Text: "shopping article", Max: 1, Hops: 1})
	if err != nil {
		t.Fatal(err)
	}
	lines := func(file string, first, last int) ([]string, bool) {
		var list []string
		for i := first; i <= min(last, 100); i++ {
			list = append(list, fmt.Sprintf("line %d ``` of %s", i, file))
		}
		return list, false
	}
	p := x.Fill("shopping <article>", a, PackOptions{Lines: lines})
	md := p.Markdown()
	for _, want := range []string{"# shopping ‹article›\n", "### shop.cartService.AddItem (shop.go:1)\n\n````\n1\tline 1 ``` of shop.go\n",
		"\nshop.go:\n\n- 1: shop.taxRate ", "- 1: shop.OrderController.Post `sig OrderController.Post` calls AddItem\n"} {
		if !strings.Contains(md, want) {
			t.Errorf("the pack lacks %q:\n%s", want, md)
		}
	}
	if strings.Count(md, "line 1 ") != 1 {
		t.Error("a line is there twice")
	}
	if len(p.Uses) == 0 || p.Uses[0].Line != 6 || p.Uses[0].Uses != "go:shop#cartService.AddItem" {
		t.Errorf("uses %+v", p.Uses)
	}
	for _, budget := range []int{1, 30, 60, 100, 200, 400} {
		p := x.Fill("shopping article", a, PackOptions{Lines: lines, Tokens: budget})
		if got := size(p.Markdown()); p.Tokens > max(budget, 8) || got > budget+40 {
			t.Errorf("with a budget of %d the pack has %d tokens, and %d by its own count", budget, got, p.Tokens)
		}
		if p.Left == 0 && budget < 60 {
			t.Errorf("with a budget of %d nothing is left out", budget)
		}
	}
}

func TestStore(t *testing.T) {
	g := shop()
	source := func(string) string { return "one two\nthree\n" }
	for _, o := range []Options{{}, {NoVectors: true}, {Source: source}} {
		x := Build(g, o)
		data := x.Encode()
		y, err := Decode(g, data)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(y.Encode(), data) || !slices.Equal(Build(g, o).Encode(), data) {
			t.Error("the same index has other bytes")
		}
		for _, text := range []string{"cart", "add item", "two three", "quux", ""} {
			r := Request{Text: text, Hops: 1}
			if got, want := found(t, y, r), found(t, x, r); !slices.Equal(got, want) {
				t.Errorf("%s: got %q, want %q", text, got, want)
			}
		}
		for i := range data {
			bad := slices.Clone(data)
			bad[i] ^= 0x41
			if _, err := Decode(g, bad); err == nil {
				t.Fatalf("byte %d of %d can change", i, len(data))
			}
			if _, err := Decode(g, data[:i]); err == nil {
				t.Fatalf("%d bytes of %d are enough", i, len(data))
			}
		}
	}
	b := &graph.Builder{}
	b.AddNode(graph.Node{Key: "go:a", Name: "a", Kind: graph.KindPackage, Parent: graph.None})
	if _, err := Decode(b.Build(), Build(g, Options{}).Encode()); err != errOtherGraph {
		t.Errorf("an index of another graph: %v", err)
	}
	empty := (&graph.Builder{}).Build()
	if _, err := Decode(empty, Build(empty, Options{}).Encode()); err != nil {
		t.Errorf("an empty index: %v", err)
	}
}

// FuzzDecode looks whether damage that has a right checksum hurts a search.
func FuzzDecode(f *testing.F) {
	g := shop()
	data := Build(g, Options{}).Encode()
	for _, i := range []int{20, 40, 80, 200, len(data) / 2, len(data) - 300, len(data) - 1} {
		f.Add(i, byte(0xff))
	}
	f.Fuzz(func(t *testing.T, at int, value byte) {
		bad := slices.Clone(data)
		const head = len(storeMagic) + 4
		bad[head+int(uint(at)%uint(len(bad)-head))] = value
		binary.LittleEndian.PutUint32(bad[len(storeMagic):], crc32.Checksum(bad[head:], castagnoli))
		x, err := Decode(g, bad)
		if err != nil {
			return
		}
		for _, text := range []string{"cart", "shop add item", "order tax rate country"} {
			x.Search(Request{Text: text, Hops: 1})
		}
	})
}

// TestExpandThrough goes through what only declares or routes without a hop of its
// own: a route is its handler, a call of an interface's method one of its few
// implementations. What only gets something comes last.
func TestExpandThrough(t *testing.T) {
	b := &graph.Builder{}
	f := b.AddFile(graph.File{Path: "a.go"})
	add := func(name string, k graph.Kind, flags graph.Flags, tokens int32) graph.ID {
		last := name[strings.LastIndexByte(name, '.')+1:]
		return b.AddNode(graph.Node{Key: "go:a#" + name, Name: last, QName: "a." + name, Kind: k, Parent: graph.None, File: "a.go", Line: 1, DefLine: 1,
			EndLine: 3, Flags: flags, Tokens: tokens})
	}
	edge := func(from, to graph.ID, k graph.EdgeKind) {
		b.AddEdge(graph.RawEdge{From: from, To: to, Type: graph.None, Kind: k, HasSite: true, Site: graph.Site{File: f, Line: 7, Args: -1, Keywords: -1, Recv: graph.None}})
	}
	route := add("DELETE /articles", graph.KindRoute, 0, 0)
	handler := add("Api.remove", graph.KindMethod, 0, 40)
	declared := add("Store.drop", graph.KindMethod, graph.FlagAbstract, 0)
	store := add("dbStore.drop", graph.KindMethod, 0, 40)
	get := add("dbStore.size", graph.KindMethod, 0, 4)
	log := add("trace", graph.KindFunction, 0, 40)
	edge(route, handler, graph.EdgeHandles)
	edge(handler, declared, graph.EdgeCalls)
	edge(store, declared, graph.EdgeImplements)
	edge(store, get, graph.EdgeCalls)
	edge(store, log, graph.EdgeCalls)
	x := Build(b.Build(), Options{})
	got := found(t, x, Request{Text: "articles", Max: 1, Hops: 2})
	want := []string{"a.DELETE /articles", "1 a.Api.remove from a.DELETE /articles", "1 a.Store.drop from a.DELETE /articles",
		"1 a.dbStore.drop from a.DELETE /articles", "2 a.trace from a.DELETE /articles", "2 a.dbStore.size from a.DELETE /articles"}
	slices.Sort(got[1:4])
	slices.Sort(want[1:4])
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
