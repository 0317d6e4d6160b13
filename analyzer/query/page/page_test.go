package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/query"
)

// many has two packages of which one uses the other, and n functions, each of
// which calls the one before.
func many(n int) *query.Index {
	b := &graph.Builder{}
	f := b.AddFile(graph.File{Path: "a/a.go"})
	node := func(key, name string, k graph.Kind, parent graph.ID, file string) graph.ID {
		return b.AddNode(graph.Node{Key: key, Name: name, QName: name, Kind: k, Parent: parent, File: file, Line: 3, DefLine: 3, EndLine: 4})
	}
	edge := func(from, to graph.ID, k graph.EdgeKind) {
		b.AddEdge(graph.RawEdge{From: from, To: to, Type: graph.None, Kind: k, HasSite: true,
			Site: graph.Site{File: f, Line: 7, Col: 1, Args: -1, Keywords: -1, Recv: graph.None}})
	}
	a, c := node("go:ex/a", "ex/a", graph.KindPackage, graph.None, ""), node("go:ex/b", "ex/b", graph.KindPackage, graph.None, "")
	file := node("file:a/a.go", "a.go", graph.KindFile, a, "a/a.go")
	edge(file, c, graph.EdgeImports)
	node("go:ex/a#evil", "</script><script>alert(1)</script>", graph.KindFunction, a, "a/a.go")
	last := graph.None
	for i := range n {
		id := node(fmt.Sprintf("go:ex/a#f%05d", i), fmt.Sprintf("a.f%d", i), graph.KindFunction, a, "a/a.go")
		if last != graph.None {
			edge(id, last, graph.EdgeCalls)
		}
		last = id
	}
	return query.New(b.Build())
}

func TestWrite(t *testing.T) {
	x := many(5)
	var one, two bytes.Buffer
	o := Options{Title: "<b>ex", Note: "old", Escape: func(s string) string { return strings.ReplaceAll(s, "alert", "ALERT") }}
	if err := Write(&one, x, o); err != nil {
		t.Fatal(err)
	}
	if err := Write(&two, x, o); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Errorf("not the same twice: %v", err)
	}
	text := one.String()
	if n := strings.Count(text, "<script"); n != 2 || strings.Contains(text, "<b>") || strings.Contains(text, "alert") {
		t.Errorf("the page has %d scripts, or what the graph says is not escaped", n)
	}
	// What runs is what the policy allows, and nothing is loaded.
	body := regexp.MustCompile(`(?s)<script>(.*)</script>`).FindStringSubmatch(text)
	sum := sha256.Sum256([]byte(body[1]))
	if !strings.Contains(text, "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
		t.Error("the policy does not allow the page's script")
	}
	if m := regexp.MustCompile(`(?i)(src|href)="?(https?:)?//|url\(|innerHTML|eval\(`).FindString(text); m != "" {
		t.Errorf("the page has %q", m)
	}
	var d data
	raw := regexp.MustCompile(`(?s)id="data">(.*?)</script>`).FindStringSubmatch(text)
	if err := json.Unmarshal([]byte(raw[1]), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Nodes) != 6 || len(d.Edges) != 4 || len(d.Packages) != 2 || len(d.Uses) != 1 || d.Note != "old" {
		t.Errorf("got %d nodes, %d edges, %d packages, %d uses", len(d.Nodes), len(d.Edges), len(d.Packages), len(d.Uses))
	}
}

// TestBounds: what is used least is left out, and counted.
func TestBounds(t *testing.T) {
	d := collect(many(maxDeclarations+10), &Options{Escape: func(s string) string { return s }})
	if len(d.Nodes) != maxDeclarations || d.Declarations != maxDeclarations+11 || len(d.Edges) > maxRelations {
		t.Errorf("%d of %d declarations, %d relations", len(d.Nodes), d.Declarations, len(d.Edges))
	}
	for _, n := range d.Nodes {
		if strings.HasPrefix(n[0].(string), "</script>") {
			t.Error("what nothing uses is kept")
		}
	}
	if d := collect(query.New((&graph.Builder{}).Build()), &Options{Escape: func(s string) string { return s }}); len(d.Nodes) != 0 {
		t.Error("an empty graph")
	}
}
