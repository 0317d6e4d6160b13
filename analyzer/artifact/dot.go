package artifact

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// DOT writes g in the language of Graphviz: declarations in a box for each
// package, and their relations. Fields, constants and variables, files and what
// is external are left out, for a picture shows less the more is in it.
func DOT(w io.Writer, g *graph.Graph) error {
	b := bufio.NewWriterSize(w, flushAt)
	b.WriteString("digraph code {\n rankdir=LR;\n node [shape=box, fontsize=10];\n")
	owner := packageOf(g)
	drawn := func(id graph.ID) bool {
		k := g.Nodes[id].Kind
		return k.IsCallable() || k.IsType() || k == graph.KindRoute
	}
	// Nodes are sorted by key, and so those of a package are together but for
	// files in between.
	boxes := map[graph.ID][]graph.ID{}
	var order []graph.ID
	for i := range g.Nodes {
		id := graph.ID(i)
		if !drawn(id) {
			continue
		}
		p := owner[i]
		if boxes[p] == nil {
			order = append(order, p)
		}
		boxes[p] = append(boxes[p], id)
	}
	for i, p := range order {
		fmt.Fprintf(b, " subgraph cluster_%d {\n  label=%s;\n", i, dotQuote(g.Nodes[p].QName))
		for _, id := range boxes[p] {
			n := &g.Nodes[id]
			shape := ""
			if n.Kind.IsType() {
				shape = ", style=rounded"
			}
			fmt.Fprintf(b, "  n%d [label=%s, tooltip=%s%s];\n", id, dotQuote(n.QName), dotQuote(n.Key), shape)
		}
		b.WriteString(" }\n")
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		if !drawn(e.From) || !drawn(e.To) {
			continue
		}
		style := ""
		if e.Certainty == graph.Ambiguous {
			style = ", style=dashed"
		}
		fmt.Fprintf(b, " n%d -> n%d [label=%s%s];\n", e.From, e.To, dotQuote(e.Kind.String()), style)
	}
	b.WriteString("}\n")
	return b.Flush()
}

// dotQuote quotes a string for DOT, where a backslash begins an escape.
func dotQuote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			b.WriteByte(' ')
		default:
			b.WriteRune(r) // bytes that are not UTF-8 become U+FFFD
		}
	}
	b.WriteByte('"')
	return b.String()
}
