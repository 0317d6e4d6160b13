package analyzer_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/source/sourcetest"
)

// TestGeneratedClient builds a client of 20,000 lines as generators write them,
// and a bundle of half a megabyte in one line: all of both is known.
func TestGeneratedClient(t *testing.T) {
	const methods = 3330
	var client, bundle bytes.Buffer
	client.WriteString("/* Auto-generated. Do not edit. */\nexport interface Item { id: string }\nclass Client {\n")
	for i := range methods {
		fmt.Fprintf(&client, "  /** Operation %d. */\n  async operation%d(item: Item, limit?: number): Promise<Item> {\n    const path = `/v1/${item.id}`;\n    return this.send<Item>('GET', path, { limit });\n  }\n\n", i, i)
	}
	client.WriteString("  private async send<T>(method: string, path: string, query: object): Promise<T> { return undefined as any; }\n}\nexport const client = new Client();\n")
	if n := bytes.Count(client.Bytes(), []byte("\n")); n < 19_980 {
		t.Fatalf("%d lines", n)
	}
	const functions = 12_000
	for i := range functions {
		fmt.Fprintf(&bundle, "function f%d(a,b){return a?f%d(b):[a,b]}", i, (i+1)%functions)
	}
	fmt.Fprintf(&bundle, "export{f%d as last};", functions-1)
	bundle.WriteString("//# sourceMappingURL=data:application/json;base64," + strings.Repeat("QUFB", 50_000))
	g, err := analyzer.Build(context.Background(), sourcetest.Tree([]txtar.File{
		{Name: "package.json", Data: []byte(`{"name":"big"}`)},
		{Name: "client.ts", Data: client.Bytes()},
		{Name: "bundle.js", Data: bundle.Bytes()},
		{Name: "use.ts", Data: []byte("import { client } from './client';\nimport { last } from './bundle';\nexport async function use() { (await client.operation3329({ id: 'x' })).id; last(1, 2); }\n")},
	}), analyzer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(g.Unknowns); n > 0 {
		t.Errorf("%d unknowns, the first %v", n, g.Unknowns[0])
	}
	calls := func(from, to string) bool {
		a, b := g.Lookup("typescript:big/"+from), g.Lookup("typescript:big/"+to)
		for _, e := range g.OutKind(a, graph.EdgeCalls) {
			if e.To == b {
				return b != graph.None
			}
		}
		return false
	}
	for _, c := range [][2]string{{"use#use", "client#Client.operation3329"}, {"use#use", "bundle#f11999"}, {"client#Client.operation0", "client#Client.send"}, {"bundle#f11999", "bundle#f0"}} {
		if !calls(c[0], c[1]) {
			t.Errorf("%s does not call %s", c[0], c[1])
		}
	}
	if n := g.Lookup("typescript:big/client#Client.operation7"); n == graph.None || !g.Nodes[n].Flags.Has(graph.FlagGenerated) {
		t.Error("the client is not known to be generated")
	}
}
