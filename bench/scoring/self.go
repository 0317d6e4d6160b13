package scoring

import (
	"math"
	"math/rand/v2"
	"sort"

	"github.com/codekg/kg/bench/record"
)

// Perfect writes what an oracle says in the form that kg exports: a perfect
// graph. Optional sites are left out, for a graph may leave them out.
func Perfect(o *record.Oracle) *record.Graph {
	g := &record.Graph{}
	key := func(id string) string { return "self:" + id }
	externals := map[string]bool{}
	for _, d := range o.Defs {
		n := &record.Node{
			ID: key(d.ID), Kind: d.Kind, Name: d.Name, QName: d.QName, Lang: o.Meta.Lang, File: d.File,
			DefLine: d.DefLine, Line: d.Line, Col: d.Col, EndLine: d.EndLine, Test: d.Test,
		}
		if d.Parent != "" {
			n.Parent = key(d.Parent)
		}
		g.Nodes = append(g.Nodes, n)
	}
	for _, s := range o.Sites {
		if s.Optional || s.Dynamic || s.Open || s.To == "" && s.Ext == "" {
			continue
		}
		e := &record.Edge{
			Kind: s.Kind, From: key(s.From), To: key(s.To), File: s.File, Line: s.Line, Col: s.Col,
			Certainty: "exact", Ptr: s.Ptr,
		}
		if s.Type != "" {
			e.Type = key(s.Type)
		}
		if s.To == "" {
			e.To = "ext:" + o.Meta.Lang + ":" + s.Ext
			if !externals[e.To] {
				externals[e.To] = true
				g.Nodes = append(g.Nodes, &record.Node{ID: e.To, Kind: "external", Name: lastPart(s.Ext)})
			}
		}
		g.Edges = append(g.Edges, e)
	}
	return g
}

// Damage spoils a perfect graph: of the pairs of each kind, the share drop is
// lost. Of these the share bend (of all pairs) leads to a wrong definition of
// the same kind instead of nowhere. So recall becomes 1-drop and precision
// (1-drop)/(1-drop+bend).
func Damage(g *record.Graph, drop, bend float64, seed uint64) {
	type pairOf struct{ kind, from, to string }
	kinds := map[string][]pairOf{}
	truth := map[pairOf]bool{}
	targets := map[string][]string{} // by edge kind
	seenTarget := map[pairOf]bool{}
	for _, e := range g.Edges {
		if record.External(e.To) {
			continue
		}
		p := pairOf{e.Kind, e.From, e.To}
		if !truth[p] {
			truth[p] = true
			kinds[e.Kind] = append(kinds[e.Kind], p)
		}
		if t := (pairOf{kind: e.Kind, to: e.To}); !seenTarget[t] {
			seenTarget[t] = true
			targets[e.Kind] = append(targets[e.Kind], e.To)
		}
	}
	names := make([]string, 0, len(kinds))
	for k := range kinds {
		names = append(names, k)
	}
	sort.Strings(names)
	rng := rand.New(rand.NewPCG(seed, 0x6b67))
	becomes := map[pairOf]string{} // the new target, "" if the pair is dropped
	for _, k := range names {
		pairs := kinds[k]
		rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		lost := int(math.Round(drop * float64(len(pairs))))
		bent := min(lost, int(math.Round(bend*float64(len(pairs)))))
		for i, p := range pairs[:lost] {
			becomes[p] = ""
			for try := 0; i < bent && try < 100; try++ {
				t := targets[k][rng.IntN(len(targets[k]))]
				if q := (pairOf{k, p.from, t}); !truth[q] {
					truth[q] = true // each wrong pair once
					becomes[p] = t
					break
				}
			}
		}
	}
	kept := g.Edges[:0]
	for _, e := range g.Edges {
		to, spoilt := becomes[pairOf{e.Kind, e.From, e.To}]
		if spoilt && to == "" {
			continue
		}
		if spoilt {
			e.To = to
		}
		kept = append(kept, e)
	}
	g.Edges = kept
}
