package artifact

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// GraphML writes g as GraphML (http://graphml.graphdrawing.org). Node ids are
// keys; edges carry their kind, certainty and first place.
func GraphML(w io.Writer, g *graph.Graph) error {
	b := bufio.NewWriterSize(w, flushAt)
	b.WriteString(xml.Header + `<graphml xmlns="http://graphml.graphdrawing.org/xmlns">` + "\n")
	for _, k := range [][3]string{
		{"node", "kind", "string"}, {"node", "name", "string"}, {"node", "file", "string"}, {"node", "line", "int"},
		{"node", "end_line", "int"}, {"node", "signature", "string"}, {"node", "parent", "string"}, {"node", "flags", "string"},
		{"edge", "relation", "string"}, {"edge", "certainty", "string"}, {"edge", "at_file", "string"}, {"edge", "at_line", "int"},
		{"edge", "sites", "int"},
	} {
		fmt.Fprintf(b, ` <key id="%s" for="%s" attr.name="%s" attr.type="%s"/>`+"\n", k[1], k[0], k[1], k[2])
	}
	b.WriteString(` <graph id="code" edgedefault="directed">` + "\n")
	data := func(key, v string) {
		if v != "" {
			b.WriteString(`<data key="` + key + `">`)
			xml.EscapeText(b, []byte(v)) // replaces what XML cannot hold
			b.WriteString("</data>")
		}
	}
	num := func(key string, n int) {
		if n != 0 {
			data(key, strconv.Itoa(n))
		}
	}
	attr := func(name, v string) {
		b.WriteString(" " + name + `="`)
		xml.EscapeText(b, []byte(v))
		b.WriteByte('"')
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		b.WriteString("  <node")
		attr("id", n.Key)
		b.WriteByte('>')
		data("kind", n.Kind.String())
		data("name", n.QName)
		data("file", n.File)
		num("line", int(n.Line))
		num("end_line", int(n.EndLine))
		data("signature", n.Signature.Text)
		if n.Parent != graph.None {
			data("parent", g.Nodes[n.Parent].Key)
		}
		data("flags", strings.Join(n.Flags.Names(), " "))
		b.WriteString("</node>\n")
	}
	edge := func(from, to, kind string) {
		b.WriteString("  <edge")
		attr("source", from)
		attr("target", to)
		b.WriteByte('>')
		data("relation", kind)
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		edge(g.Nodes[e.From].Key, g.Nodes[e.To].Key, e.Kind.String())
		data("certainty", e.Certainty.String())
		file, line, _ := firstSite(g, e)
		data("at_file", file)
		num("at_line", int(line))
		num("sites", len(g.Sites(e)))
		b.WriteString("</edge>\n")
	}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Parent != graph.None {
			edge(g.Nodes[n.Parent].Key, n.Key, graph.EdgeContains.String())
			b.WriteString("</edge>\n")
		}
	}
	b.WriteString(" </graph>\n</graphml>\n")
	return b.Flush()
}
