package artifact_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/graph"
)

// hostileGraph has names that break a form which does not escape them.
func hostileGraph() *graph.Graph {
	b := &graph.Builder{}
	f := b.AddFile(graph.File{Path: "a\"b<&>.x", Lang: "x"})
	pkg := b.AddNode(graph.Node{Key: "x:p", Name: "p", QName: "p", Kind: graph.KindPackage, Parent: graph.None})
	other := b.AddNode(graph.Node{Key: "x:q\"];#\n", Name: "q", QName: "q\"];#\n%%{init}", Kind: graph.KindPackage, Parent: graph.None})
	file := b.AddNode(graph.Node{Key: "file:a\"b<&>.x", Name: "a", QName: "a", Kind: graph.KindFile, Parent: pkg, File: "a\"b<&>.x", Line: 1})
	var last graph.ID
	for i, name := range []string{"]]>", "<a href=\"javascript:x\">", "a\x00b\x1b[31m", "\xff\xfe", "b`c``d", "a\\\" ];", "::error::", "=1+1,\"x\"\r\n", "naïve\u202e", " "} {
		n := b.AddNode(graph.Node{Key: "x:p#" + name, Name: name, QName: "p." + name, Kind: graph.KindFunction, Parent: pkg,
			File: "a\"b<&>.x", Line: int32(i + 1), DefLine: int32(i + 1), Col: 1, EndLine: int32(i + 2), Doc: name,
			Signature: graph.Signature{Text: "func " + name, Params: []graph.Param{{Name: name, Type: "*[]" + name}}}})
		if i > 0 {
			b.AddEdge(graph.RawEdge{From: last, To: n, Type: graph.None, Kind: graph.EdgeCalls, HasSite: true,
				Site: graph.Site{File: f, Line: int32(i), Col: 2, Keywords: -1, Recv: graph.None}})
		}
		last = n
	}
	// Tests are named in words.
	title := ".it() says \"a.b\"; c~2 (d)"
	test := b.AddNode(graph.Node{Key: "x:p#a.x::" + title, Name: title, QName: title, Kind: graph.KindFunction, Parent: pkg, File: "a\"b<&>.x", Line: 40, Col: 1})
	b.AddNode(graph.Node{Key: "x:p#a.x::" + title + ".Local~2", Name: "Local", QName: "Local", Kind: graph.KindClass, Parent: test, File: "a\"b<&>.x", Line: 41, Col: 1})
	b.AddEdge(graph.RawEdge{From: file, To: other, Type: graph.None, Kind: graph.EdgeImports, HasSite: true, Site: graph.Site{File: f, Line: 1, Keywords: -1, Recv: graph.None}})
	return b.Build()
}

// TestForms reads each form of a hostile graph back with the standard library,
// where that can, and counts what is in it.
func TestForms(t *testing.T) {
	g := hostileGraph()
	edges := len(g.Edges)
	for i := range g.Nodes {
		if g.Nodes[i].Parent != graph.None {
			edges++
		}
	}
	write := func(export func(io.Writer, *graph.Graph) error) []byte {
		t.Helper()
		var b bytes.Buffer
		if err := export(&b, g); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}

	var doc struct {
		Metadata struct {
			NodeCount int `json:"node_count"`
			EdgeCount int `json:"edge_count"`
		} `json:"_metadata"`
		Nodes   []map[string]any
		Edges   []map[string]any
		Indexes map[string]map[string][]string
	}
	if err := json.Unmarshal(write(artifact.JSON), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Nodes) != len(g.Nodes) || len(doc.Edges) != edges || doc.Metadata.NodeCount != len(g.Nodes) || doc.Metadata.EdgeCount != edges {
		t.Errorf("JSON has %d nodes and %d edges, want %d and %d", len(doc.Nodes), len(doc.Edges), len(g.Nodes), edges)
	}
	if len(doc.Indexes["callers"]) != 9 || len(doc.Indexes["dependencies"]["x:p"]) != 1 {
		t.Errorf("JSON has the indexes %v", doc.Indexes)
	}

	var ml struct {
		Graph struct {
			Nodes []struct {
				ID string `xml:"id,attr"`
			} `xml:"node"`
			Edges []struct{} `xml:"edge"`
		} `xml:"graph"`
	}
	if err := xml.Unmarshal(write(artifact.GraphML), &ml); err != nil {
		t.Fatal(err)
	}
	if len(ml.Graph.Nodes) != len(g.Nodes) || len(ml.Graph.Edges) != edges {
		t.Errorf("GraphML has %d nodes and %d edges", len(ml.Graph.Nodes), len(ml.Graph.Edges))
	}

	for _, c := range []struct {
		export func(io.Writer, *graph.Graph) error
		rows   int
	}{{artifact.CSV, edges + 1}, {artifact.CSVNodes, len(g.Nodes) + 1}} {
		rows, err := csv.NewReader(bytes.NewReader(write(c.export))).ReadAll()
		if err != nil || len(rows) != c.rows {
			t.Errorf("CSV has %d rows, %v; want %d", len(rows), err, c.rows)
		}
	}

	// Each line of these is one statement, whatever names hold.
	for _, line := range strings.Split(string(write(artifact.DOT)), "\n") {
		if s := strings.TrimSpace(line); s != "" && !strings.HasSuffix(s, ";") && !strings.HasSuffix(s, "{") && s != "}" {
			t.Errorf("DOT has the line %q", line)
		}
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(write(artifact.Mermaid)), "\n"), "\n") {
		if i > 0 && !strings.HasPrefix(line, "  n") || strings.Count(line, `"`) > 2 {
			t.Errorf("Mermaid has the line %q", line)
		}
	}
	if s := string(write(artifact.Mermaid)); !strings.Contains(s, `["q#quot;];#35; %%{init}"]`) {
		t.Errorf("Mermaid is\n%s", s)
	}
	scip := write(artifact.SCIP)
	for _, want := range []string{"kg x p . `b``c````d`().", "kg x p . `a.x`/`.it() says \"a.b\"; c~2 (d)`().", "kg x p . `a.x`/`.it() says \"a.b\"; c~2 (d)`().Local+2#"} {
		if !bytes.Contains(scip, []byte(want)) {
			t.Errorf("SCIP lacks the symbol %s: %q", want, scip)
		}
	}
}
