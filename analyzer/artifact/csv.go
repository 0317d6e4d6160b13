package artifact

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// CSV writes the edges of g as a table with a line of names, one line for each
// site; contains edges are made from the parents of nodes.
func CSV(w io.Writer, g *graph.Graph) error {
	c := csv.NewWriter(w)
	row := []string{"kind", "from", "to", "certainty", "file", "line", "col"}
	c.Write(row) // the error stays, and Flush tells it
	num := func(n int32) string { return strconv.Itoa(int(n)) }
	for i := range g.Nodes {
		n := &g.Nodes[i]
		row[1] = n.Key
		for _, e := range g.Out(graph.ID(i)) {
			row[0], row[2], row[3] = e.Kind.String(), g.Nodes[e.To].Key, e.Certainty.String()
			for _, s := range g.Sites(&e) {
				row[4], row[5], row[6] = g.Files[s.File].Path, num(s.Line), num(s.Col)
				c.Write(row)
			}
			if len(g.Sites(&e)) == 0 {
				row[4], row[5], row[6] = "", "", ""
				c.Write(row)
			}
		}
	}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Parent != graph.None {
			c.Write([]string{graph.EdgeContains.String(), g.Nodes[n.Parent].Key, n.Key, graph.Exact.String(), "", "", ""})
		}
	}
	c.Flush()
	return c.Error()
}

// CSVNodes writes the nodes of g as a table with a line of names.
func CSVNodes(w io.Writer, g *graph.Graph) error {
	c := csv.NewWriter(w)
	c.Write([]string{"id", "kind", "name", "qname", "parent", "lang", "file", "def_line", "line", "col", "end_line",
		"visibility", "flags", "signature", "doc", "tokens", "branches"})
	num := func(n int32) string { return strconv.Itoa(int(n)) }
	for i := range g.Nodes {
		n := &g.Nodes[i]
		parent := ""
		if n.Parent != graph.None {
			parent = g.Nodes[n.Parent].Key
		}
		c.Write([]string{n.Key, n.Kind.String(), n.Name, n.QName, parent, n.Lang, n.File, num(n.DefLine), num(n.Line), num(n.Col),
			num(n.EndLine), n.Visibility.String(), strings.Join(n.Flags.Names(), " "), n.Signature.Text, n.Doc, num(n.Tokens), num(n.Branches)})
	}
	c.Flush()
	return c.Error()
}
