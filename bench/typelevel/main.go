// Typelevel prints the graph of types of a Java repository: its nodes and
// edges, how many files are in it, and how it differs from the graph that
// queries over single files and simple names make.
//
//	go run ./bench/typelevel [-list N] DIR…
//
// Such a graph ([byName]) has one node for each simple name of a type, and its
// edges are extends, implements, and injects from fields and constructor
// parameters. For each edge that only one of the two has, a reason is counted;
// -list shows some of each.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/bench/usage"
)

func main() {
	list := flag.Int("list", 0, "show up to this many edges of each reason")
	flag.Parse()
	for _, dir := range flag.Args() {
		if err := run(context.Background(), os.Stdout, dir, *list); err != nil {
			fmt.Fprintf(os.Stderr, "typelevel: %s: %v\n", dir, err)
			os.Exit(2)
		}
	}
}

func run(ctx context.Context, out io.Writer, dir string, list int) error {
	tree, err := source.OpenDir(dir)
	if err != nil {
		return err
	}
	defer tree.Close()
	began, spent := time.Now(), usage.Self().Seconds()
	g, err := analyzer.Build(ctx, tree, analyzer.Options{})
	if err != nil {
		return err
	}
	took, processor := time.Since(began).Seconds(), usage.Self().Seconds()-spent

	in, listed, out1 := coverage(g, tree)
	files := in + listed + len(out1)
	fmt.Fprintf(out, "%s: %d Java files, %d in the graph, %d listed as left out, %d missing: coverage %.3f\n", filepath.Base(dir), files, in, listed, len(out1),
		float64(in+listed)/float64(max(1, files)))
	for _, f := range out1[:min(len(out1), list)] {
		fmt.Fprintf(out, "  missing: %s\n", f)
	}
	k := newTypes(g)
	fmt.Fprintf(out, "whole graph built in %.2f s, %.2f s of processor time\n", took, processor)
	fmt.Fprintf(out, "%d types: %s\n", len(k.nodes), k.kinds())
	fmt.Fprintf(out, "%d edges: %d extends, %d implements, %d injects\n", len(k.edges), k.count(graph.EdgeExtends), k.count(graph.EdgeImplements), k.count(graph.EdgeInjects))
	n, err := readNames(tree)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "by simple names: %d nodes, %d edges, %d pairs\n", len(n.file), len(n.edges), n.pairs())
	compare(out, k, n, list)
	return nil
}

// coverage counts the Java files of the tree that the graph has, that it says
// it left out, and lists the others.
func coverage(g *graph.Graph, tree source.Tree) (in, listed int, missing []string) {
	has := map[string]bool{}
	for i := range g.Files {
		has[g.Files[i].Path] = true
	}
	out := map[string]bool{}
	for _, u := range g.Unknowns {
		out[u.File] = true
	}
	for _, e := range tree.Entries() {
		switch {
		case !e.Mode.IsFile() || !strings.HasSuffix(e.Path, ".java"):
		case has[e.Path]:
			in++
		case out[e.Path]:
			listed++
		default:
			missing = append(missing, e.Path)
		}
	}
	return in, listed, missing
}

// edge is a relation of two types.
type edge struct {
	from, to graph.ID
	kind     graph.EdgeKind
}

// types is the graph of types that kg has: declared types but those inside of
// bodies.
type types struct {
	g     *graph.Graph
	nodes []graph.ID
	edges []edge // sorted
}

func newTypes(g *graph.Graph) *types {
	t := &types{g: g}
	seen := map[edge]bool{}
	add := func(e edge) {
		if t.isType(e.from) && t.isType(e.to) && e.from != e.to && !seen[e] {
			seen[e] = true
			t.edges = append(t.edges, e)
		}
	}
	for i := range g.Nodes {
		id := graph.ID(i)
		if t.isType(id) {
			t.nodes = append(t.nodes, id)
			for _, k := range []graph.EdgeKind{graph.EdgeExtends, graph.EdgeImplements, graph.EdgeInjects} {
				for _, e := range g.OutKind(id, k) {
					add(edge{id, e.To, k})
				}
			}
		}
		// The type of a field, and what it is made of: List<Order> injects Order.
		if n := &g.Nodes[i]; n.Kind == graph.KindField && t.isType(n.Parent) {
			for _, e := range g.OutKind(id, graph.EdgeUsesType) {
				if slices.ContainsFunc(words(n.Signature.Type), func(w string) bool { return w == g.Nodes[e.To].Name }) {
					add(edge{n.Parent, e.To, graph.EdgeInjects})
				}
			}
		}
	}
	slices.SortFunc(t.edges, func(x, y edge) int {
		if x.from != y.from {
			return int(x.from - y.from)
		}
		if x.to != y.to {
			return int(x.to - y.to)
		}
		return int(x.kind) - int(y.kind)
	})
	return t
}

func (t *types) isType(id graph.ID) bool {
	if id == graph.None {
		return false
	}
	n := &t.g.Nodes[id]
	return n.Kind.IsType() && n.Lang == "java" && n.File != ""
}

func (t *types) count(k graph.EdgeKind) (n int) {
	for _, e := range t.edges {
		if e.kind == k {
			n++
		}
	}
	return n
}

func (t *types) kinds() string {
	by := map[graph.Kind]int{}
	for _, id := range t.nodes {
		by[t.g.Nodes[id].Kind]++
	}
	var parts []string
	for k := range graph.KindCount {
		if n := by[graph.Kind(k)]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, graph.Kind(k)))
		}
	}
	return strings.Join(parts, ", ")
}

// words are the names in the text of a type.
func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool {
		return !(r == '_' || r == '$' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127)
	})
}
