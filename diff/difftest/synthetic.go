package difftest

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"

	"github.com/codekg/kg/analyzer/graph"
)

// Synthetic returns a graph with about nodes nodes and edges edges in the
// proportions of real code: packages of 50 declarations, types with methods
// and fields, most calls to near packages and a few hubs. change says how the
// n-th declaration differs from the graph without changes: 0 for not at all;
// see the cases below.
func Synthetic(nodes, edges int, change func(n int) int) *graph.Graph {
	r := rand.New(rand.NewPCG(1, 2))
	var b graph.Builder
	var calls, types []graph.ID // callables and types
	var files []int32           // file of each callable
	var id, pkg, typ graph.ID
	var key, typeKey string
	var file int32
	path := ""
	for n := range nodes {
		if n%50 == 0 {
			path = fmt.Sprintf("m/p%d", n/50)
			key = graph.PackageKey("go", path)
			pkg = b.AddNode(graph.Node{Key: key, Kind: graph.KindPackage, Name: path[2:], QName: path, Parent: graph.None, Lang: "go"})
			file = b.AddFile(graph.File{Path: path + "/f.go", Lang: "go", Hash: sha256.Sum256([]byte(path)), Node: graph.None})
			typ = graph.None
			continue
		}
		node := graph.Node{Kind: graph.KindFunction, Parent: pkg, Lang: "go", File: path + "/f.go", DefLine: int32(n % 50 * 20),
			Line: int32(n % 50 * 20), EndLine: int32(n%50*20 + 19), Tokens: 40, Visibility: graph.Visibility(n % 2 * 3)}
		node.Name = fmt.Sprintf("F%d", n)
		prefix := key + "#"
		switch {
		case n%10 == 1:
			node.Kind, node.Name = graph.KindStruct, fmt.Sprintf("T%d", n)
		case n%10 < 5 && typ != graph.None:
			node.Kind, node.Parent, prefix = graph.KindMethod, typ, typeKey+"."
		case n%10 < 7 && typ != graph.None:
			node.Kind, node.Parent, prefix = graph.KindField, typ, typeKey+"."
			node.Signature.Type = "int"
		case n%97 == 0:
			node.Flags |= graph.FlagTest | graph.FlagTestCase
		}
		body := fmt.Sprintf("body %d", n)
		if node.Kind.IsCallable() {
			node.Signature.Params = []graph.Param{{Name: "a", Type: "int"}, {Name: "b", Type: "string"}}
		}
		switch change(n) {
		case 1: // another body
			body += " changed"
		case 2: // another name
			node.Name += "Renamed"
		case 3: // another shape
			if node.Kind.IsCallable() {
				node.Signature.Params = node.Signature.Params[:1]
			}
		case 4: // gone
			node.Name += "New"
			body += " new"
		}
		if node.Kind != graph.KindField && node.Kind != graph.KindStruct {
			sum := sha256.Sum256([]byte(body))
			copy(node.Body[:], sum[:])
			for i := range node.MinHash {
				node.MinHash[i] = uint32(sum[4*i]) * 0x01010101
			}
		}
		node.QName = node.Name
		node.Key = prefix + node.Name
		id = b.AddNode(node)
		if node.Kind == graph.KindStruct {
			typ, typeKey = id, node.Key
			types = append(types, id)
		}
		if node.Kind.IsCallable() {
			calls = append(calls, id)
			files = append(files, file)
		}
	}
	for range edges {
		i := r.IntN(len(calls))
		e := graph.RawEdge{From: calls[i], Type: graph.None, Kind: graph.EdgeCalls, HasSite: true,
			Site: graph.Site{File: files[i], Line: int32(r.IntN(900) + 1), Args: 2, Keywords: -1, Recv: graph.None}}
		switch k := r.IntN(20); {
		case k == 0: // a hub
			e.To = calls[r.IntN(50)]
		case k < 4:
			e.To, e.Kind, e.Site.Args = types[r.IntN(len(types))], graph.EdgeUsesType, -1
		case k == 4:
			e.To = calls[r.IntN(len(calls))]
			if r.IntN(3) == 0 {
				e.Certainty = graph.Ambiguous
			}
		default:
			e.To = calls[max(0, i-r.IntN(200))]
		}
		b.AddEdge(e)
	}
	return b.Build()
}
