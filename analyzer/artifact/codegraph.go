package artifact

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// JSON writes g as one document in the shape of a code graph: "_metadata",
// "nodes" with their methods and signatures as data, "edges" with their first
// place, and "indexes", which tell for each key its implementations, callers,
// callees, dependencies and dependents. It has no clock: equal graphs give
// equal bytes, and "tree" says which it is of.
func JSON(w io.Writer, g *graph.Graph) error {
	b := bufio.NewWriterSize(w, flushAt)
	x := &codeGraph{g: g, enc: json.NewEncoder(b), w: b}
	x.enc.SetEscapeHTML(false)
	x.children = make([][]graph.ID, len(g.Nodes))
	for i := range g.Nodes {
		if p := g.Nodes[i].Parent; p != graph.None {
			x.children[p] = append(x.children[p], graph.ID(i))
		}
	}
	contains := 0
	for i := range g.Nodes {
		if g.Nodes[i].Parent != graph.None {
			contains++
		}
	}
	b.WriteString(`{"_metadata":`)
	x.value(codeMeta{Version: "1.0", Tree: hex.EncodeToString(g.Tree[:]), Model: "n/a",
		NodeCount: len(g.Nodes), EdgeCount: len(g.Edges) + contains})
	b.WriteString(`,"nodes":[`)
	for i := range g.Nodes {
		x.comma(i)
		x.value(x.node(graph.ID(i)))
	}
	b.WriteString(`],"edges":[`)
	for i := range g.Edges {
		x.comma(i)
		x.value(x.edge(&g.Edges[i]))
	}
	n := len(g.Edges)
	for i := range g.Nodes {
		if p := g.Nodes[i].Parent; p != graph.None {
			x.comma(n)
			n++
			x.value(codeEdge{From: g.Nodes[p].Key, To: g.Nodes[i].Key, Type: graph.EdgeContains.String(), Certainty: graph.Exact.String()})
		}
	}
	b.WriteString(`],"indexes":{`)
	x.indexes()
	b.WriteString("}}\n")
	if x.err != nil {
		return x.err
	}
	return b.Flush()
}

type codeMeta struct {
	Version    string `json:"version"`
	Tree       string `json:"tree"`
	Model      string `json:"model"`
	Dimensions int    `json:"dimensions"`
	NodeCount  int    `json:"node_count"`
	EdgeCount  int    `json:"edge_count"`
}

type codeNode struct {
	ID              string       `json:"id"`
	Kind            string       `json:"kind"`
	Name            string       `json:"name"`
	File            string       `json:"file,omitempty"`
	StartLine       int32        `json:"start_line,omitempty"`
	EndLine         int32        `json:"end_line,omitempty"`
	Signature       string       `json:"signature,omitempty"`
	Parameters      []codeParam  `json:"parameters,omitempty"`
	Returns         []codeParam  `json:"returns,omitempty"`
	Methods         []codeMethod `json:"methods,omitempty"`
	EmbeddedTypes   []string     `json:"embedded_types,omitempty"`
	ResolvedMethods []codeMethod `json:"resolved_methods,omitempty"`
}

type codeMethod struct {
	Name       string      `json:"name"`
	Parameters []codeParam `json:"parameters"`
	Returns    []codeParam `json:"returns"`
}

type codeParam struct {
	Name string   `json:"name,omitempty"`
	Type codeType `json:"type"`
}

type codeType struct {
	Name      string `json:"name"`
	Package   string `json:"package"`
	IsPointer bool   `json:"is_pointer,omitempty"`
	IsSlice   bool   `json:"is_slice,omitempty"`
	IsSlice2D bool   `json:"is_slice_2d,omitempty"`
	IsMap     bool   `json:"is_map,omitempty"`
}

type codeEdge struct {
	From      string     `json:"from"`
	To        string     `json:"to"`
	Type      string     `json:"type"`
	Certainty string     `json:"certainty"`
	Location  *codePlace `json:"location,omitempty"`
}

type codePlace struct {
	File   string `json:"file"`
	Line   int32  `json:"line"`
	Column int32  `json:"column,omitempty"`
}

type codeGraph struct {
	g        *graph.Graph
	enc      *json.Encoder
	w        *bufio.Writer
	err      error
	children [][]graph.ID
}

func (x *codeGraph) value(v any) {
	if err := x.enc.Encode(v); err != nil && x.err == nil {
		x.err = err
	}
}

func (x *codeGraph) comma(i int) {
	if i > 0 {
		x.w.WriteByte(',')
	}
}

func (x *codeGraph) node(id graph.ID) codeNode {
	n := &x.g.Nodes[id]
	c := codeNode{ID: n.Key, Kind: n.Kind.String(), Name: n.QName, File: n.File, StartLine: n.DefLine, EndLine: n.EndLine,
		Signature: n.Signature.Text}
	if n.Kind.IsCallable() {
		c.Parameters, c.Returns = codeParams(n.Signature.Params), codeParams(n.Signature.Results)
	}
	if n.Kind.IsType() {
		c.Methods = x.methods(id)
		for _, e := range x.g.OutKind(id, graph.EdgeEmbeds) {
			c.EmbeddedTypes = append(c.EmbeddedTypes, x.g.Nodes[e.To].Key)
		}
		if len(c.EmbeddedTypes) > 0 {
			c.ResolvedMethods = x.resolved(id)
		}
	}
	return c
}

func (x *codeGraph) methods(id graph.ID) []codeMethod {
	var list []codeMethod
	for _, c := range x.children[id] {
		if n := &x.g.Nodes[c]; n.Kind == graph.KindMethod || n.Kind == graph.KindConstructor {
			list = append(list, codeMethod{n.Name, codeParams(n.Signature.Params), codeParams(n.Signature.Results)})
		}
	}
	return list
}

// resolved returns the methods of a type and of those it embeds, the nearest of
// each name.
func (x *codeGraph) resolved(id graph.ID) []codeMethod {
	var list []codeMethod
	seen, names := map[graph.ID]bool{id: true}, map[string]bool{}
	for level := []graph.ID{id}; len(level) > 0; {
		var next []graph.ID
		for _, t := range level {
			for _, m := range x.methods(t) {
				if !names[m.Name] {
					names[m.Name] = true
					list = append(list, m)
				}
			}
			for _, e := range x.g.OutKind(t, graph.EdgeEmbeds) {
				if !seen[e.To] {
					seen[e.To] = true
					next = append(next, e.To)
				}
			}
		}
		level = next
	}
	slices.SortFunc(list, func(a, b codeMethod) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func codeParams(ps []graph.Param) []codeParam {
	list := make([]codeParam, 0, len(ps))
	for _, p := range ps {
		t := codeTypeOf(p.Type)
		t.IsSlice = t.IsSlice || p.Flags&graph.ParamVariadic != 0
		list = append(list, codeParam{p.Name, t})
	}
	return list
}

// codeTypeOf takes a canonical type apart as far as the form has room for it.
func codeTypeOf(s string) codeType {
	var t codeType
	for {
		if rest, ok := strings.CutPrefix(s, "[]"); ok {
			t.IsSlice2D = t.IsSlice
			t.IsSlice = true
			s = rest
			continue
		}
		if rest, ok := strings.CutPrefix(s, "*"); ok {
			t.IsPointer = true
			s = rest
			continue
		}
		break
	}
	t.IsMap = strings.HasPrefix(s, "map[")
	t.Name = s
	if !strings.ContainsAny(s, " ()[]{}<>|&,*") {
		if i := strings.LastIndexByte(s, '.'); i > 0 {
			t.Package, t.Name = s[:i], s[i+1:]
		}
	}
	return t
}

func (x *codeGraph) edge(e *graph.Edge) codeEdge {
	c := codeEdge{From: x.g.Nodes[e.From].Key, To: x.g.Nodes[e.To].Key, Type: e.Kind.String(), Certainty: e.Certainty.String()}
	if file, line, col := firstSite(x.g, e); line > 0 {
		c.Location = &codePlace{file, line, col}
	}
	return c
}

// indexes writes an object for each index: a list of keys for each key.
func (x *codeGraph) indexes() {
	g := x.g
	deps := imports(g)
	on, by := map[graph.ID][]graph.ID{}, map[graph.ID][]graph.ID{}
	for _, d := range deps {
		on[d.from] = append(on[d.from], d.to)
		by[d.to] = append(by[d.to], d.from)
	}
	in := func(k graph.EdgeKind) func(graph.ID) []graph.ID {
		return func(n graph.ID) []graph.ID {
			var list []graph.ID
			for _, e := range g.InKind(n, k) {
				list = append(list, g.Edges[e].From)
			}
			return list
		}
	}
	for i, index := range []struct {
		name string
		of   func(graph.ID) []graph.ID
	}{
		{"implementations", in(graph.EdgeImplements)},
		{"callers", in(graph.EdgeCalls)},
		{"callees", func(n graph.ID) []graph.ID {
			var list []graph.ID
			for _, e := range g.OutKind(n, graph.EdgeCalls) {
				list = append(list, e.To)
			}
			return list
		}},
		{"dependencies", func(n graph.ID) []graph.ID { return on[n] }},
		{"dependents", func(n graph.ID) []graph.ID { return by[n] }},
	} {
		x.comma(i)
		x.w.WriteString(`"` + index.name + `":{`)
		some := 0
		for n := range g.Nodes {
			list := index.of(graph.ID(n))
			if len(list) == 0 {
				continue
			}
			keys := make([]string, 0, len(list))
			for _, id := range list {
				keys = append(keys, g.Nodes[id].Key)
			}
			x.comma(some)
			some++
			x.value(g.Nodes[n].Key)
			x.w.WriteByte(':')
			x.value(keys)
		}
		x.w.WriteByte('}')
	}
}
