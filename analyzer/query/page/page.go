// Package page writes a graph as one HTML file to walk through with a browser:
// the packages in their layers, what each declares, and for every declaration
// who uses it and what it uses, with the places. The file needs nothing else and
// may load nothing: a policy in it forbids all but its own script and style.
package page

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/query"
)

var (
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// The bounds of a page, which a browser holds in memory. What is used least is
// left out, and the page says how much that is.
const (
	maxDeclarations = 6000
	maxRelations    = 60_000
)

// Options of a page.
type Options struct {
	Title  string
	Note   string              // shown at the top, such as the age of the graph
	Escape func(string) string // of what is shown: what must not reach a screen
}

// data is what the script gets. Numbers stand for the places in lists.
type data struct {
	Title        string        `json:"title"`
	Note         string        `json:"note"`
	Metrics      query.Metrics `json:"metrics"`
	Prefix       string        `json:"prefix"`       // of nearly all names of packages
	Declarations int           `json:"declarations"` // of all there are, tests included
	Relations    int           `json:"relations"`
	Kinds        []string      `json:"kinds"`
	EdgeKinds    []string      `json:"edge_kinds"`
	Certainties  []string      `json:"certainties"`
	Files        []string      `json:"files"`
	Packages     [][]any       `json:"packages"` // name, layer, files, declarations, uses, used by, in a cycle
	Uses         [][3]int      `json:"uses"`     // from, to, imports
	Nodes        [][]any       `json:"nodes"`    // name, kind, package or -1, file or -1, line, used by, uses, test, signature
	Edges        [][6]int      `json:"edges"`    // from, to, kind, certainty, file, line
	Hubs         []int         `json:"hubs"`     // nodes
	Entries      []int         `json:"entries"`  // nodes
	Routes       [][3]any      `json:"routes"`   // name, handlers, callers: nodes
	Communities  [][2]any      `json:"communities"`
	External     [][2]any      `json:"external"`
}

// Write writes the page of a graph. Equal graphs and options give equal bytes.
func Write(w io.Writer, x *query.Index, o Options) error {
	if o.Escape == nil {
		o.Escape = func(s string) string { return s }
	}
	text, err := json.Marshal(collect(x, &o)) // no < is left in it
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(script))
	_, err = fmt.Fprintf(w, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%s'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>%s</title>
<style>%s</style>
</head>
<body>
<noscript>This page needs JavaScript. Nothing is loaded from elsewhere.</noscript>
<script type="application/json" id="data">%s</script>
<script>%s</script>
</body>
</html>
`, base64.StdEncoding.EncodeToString(sum[:]), html.EscapeString(o.Escape(o.Title)), style, text, script)
	return err
}

func collect(x *query.Index, o *Options) *data {
	g, esc := x.Graph(), o.Escape
	view := x.Overview()
	d := &data{Title: esc(o.Title), Note: esc(o.Note), Prefix: esc(view.Prefix), Metrics: view.Metrics, Files: []string{}, Packages: [][]any{}, Uses: [][3]int{},
		Nodes: [][]any{}, Edges: [][6]int{}, Hubs: []int{}, Entries: []int{}, Routes: [][3]any{}, Communities: [][2]any{}, External: [][2]any{}}
	for k := range graph.KindCount {
		d.Kinds = append(d.Kinds, graph.Kind(k).String())
	}
	for k := range graph.EdgeKindCount {
		d.EdgeKinds = append(d.EdgeKinds, strings.ReplaceAll(graph.EdgeKind(k).String(), "_", " "))
	}
	for c := range graph.CertaintyCount {
		d.Certainties = append(d.Certainties, graph.Certainty(c).String())
	}
	packages := map[string]int{} // by key
	cyclic := map[string]bool{}
	for _, names := range view.Cycles {
		for _, n := range names {
			cyclic[n] = true
		}
	}
	for i, p := range view.Packages {
		packages[p.ID] = i
		d.Packages = append(d.Packages, []any{esc(p.Name), p.Layer, p.Files, p.Declarations, p.Uses, p.UsedBy, cyclic[p.Name]})
	}
	for _, u := range view.Dependencies {
		d.Uses = append(d.Uses, [3]int{packages[u.From], packages[u.To], u.Imports})
	}

	kept, in, out := choose(x)
	d.Declarations = kept.all
	files := map[string]int{}
	file := func(path string) int {
		if path == "" {
			return -1
		}
		i, ok := files[path]
		if !ok {
			i = len(d.Files)
			files[path] = i
			d.Files = append(d.Files, esc(path))
		}
		return i
	}
	for _, id := range kept.ids {
		n := &g.Nodes[id]
		p := -1
		if i, ok := packages[g.Nodes[x.Package(id)].Key]; ok {
			p = i
		}
		test := 0
		if n.Flags.Has(graph.FlagTest) {
			test = 1
		}
		s := x.Symbol(id)
		d.Nodes = append(d.Nodes, []any{esc(s.Name), int(n.Kind), p, file(n.File), s.Line, in[id], out[id], test, esc(clip(s.Signature))})
	}
	for _, id := range kept.ids {
		from := kept.at[id]
		for i := range g.Out(id) {
			e := &g.Out(id)[i]
			to, ok := kept.at[e.To]
			if !ok {
				continue
			}
			if d.Relations++; len(d.Edges) == maxRelations {
				continue
			}
			f, line := -1, 0
			if s := g.Sites(e); len(s) > 0 {
				f, line = file(g.Files[s[0].File].Path), int(s[0].Line)
			}
			d.Edges = append(d.Edges, [6]int{from, to, int(e.Kind), int(e.Certainty), f, line})
		}
	}

	known := func(list []query.Symbol) []int {
		ids := []int{}
		for i := range list {
			if at, ok := kept.at[g.Lookup(list[i].ID)]; ok {
				ids = append(ids, at)
			}
		}
		return ids
	}
	for i := range view.Hubs {
		d.Hubs = append(d.Hubs, known([]query.Symbol{view.Hubs[i].Symbol})...)
	}
	d.Entries = known(view.EntryPoints)
	for i := range view.Routes {
		r := &view.Routes[i]
		d.Routes = append(d.Routes, [3]any{esc(r.Symbol.Name), known(r.Handlers), known(r.Callers)})
	}
	for i := range view.Communities {
		c := &view.Communities[i]
		d.Communities = append(d.Communities, [2]any{esc(fmt.Sprintf("%s (%d)", c.Name, c.Size)), esc(strings.Join(c.Members, ", "))})
	}
	for _, e := range view.External {
		d.External = append(d.External, [2]any{esc(e.Name), e.Packages})
	}
	return d
}

// chosen are the declarations of a page.
type chosen struct {
	ids []graph.ID       // by key
	at  map[graph.ID]int // in ids
	all int              // how many there are
}

// choose takes types, callables, constants, variables and routes, those of code
// and those with the most relations first, and counts who uses each.
func choose(x *query.Index) (kept chosen, in, out map[graph.ID]int) {
	g := x.Graph()
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Kind.IsCallable() || n.Kind.IsType() || n.Kind == graph.KindConstant || n.Kind == graph.KindVariable || n.Kind == graph.KindRoute {
			kept.ids = append(kept.ids, graph.ID(i))
		}
	}
	in, out = make(map[graph.ID]int, len(kept.ids)), make(map[graph.ID]int, len(kept.ids))
	for _, id := range kept.ids {
		last := graph.None
		for _, e := range g.In(id) {
			if from := g.Edges[e].From; from != last && from != id {
				in[id]++
				last = from
			}
		}
		last = graph.None
		for _, e := range g.Out(id) {
			if e.To != last && e.To != id {
				out[id]++
				last = e.To
			}
		}
	}
	kept.all = len(kept.ids)
	if len(kept.ids) > maxDeclarations {
		slices.SortStableFunc(kept.ids, func(a, b graph.ID) int {
			return cmp.Or(cmp.Compare(g.Nodes[a].Flags&graph.FlagTest, g.Nodes[b].Flags&graph.FlagTest), cmp.Compare(in[b]+out[b], in[a]+out[a]), cmp.Compare(a, b))
		})
		kept.ids = kept.ids[:maxDeclarations]
		slices.Sort(kept.ids)
	}
	kept.at = make(map[graph.ID]int, len(kept.ids))
	for i, id := range kept.ids {
		kept.at[id] = i
	}
	return kept, in, out
}

func clip(s string) string {
	const most = 300
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
