package query

import (
	"github.com/codekg/kg/analyzer/graph"
)

// Told is one result of a question that somebody else answers.
type Told struct {
	Node      graph.ID // or None, and File is set, or Name and Kind
	File      string
	Name      string
	Kind      string
	Depth     int
	Relation  string
	Via       string
	Certainty graph.Certainty
	Sites     []Place
	Value     float64
	Note      string
}

// Tell answers a question that needs more than the graph in the same form as
// all others, of the given name: it resolves the target, and filters, counts and cuts what f
// finds. The order of f is kept. f's text is the reason if it finds nothing,
// and a remark otherwise.
func (x *Index) Tell(r Request, op Op, f func(target graph.ID) ([]Told, string, error)) (*Answer, error) {
	r.Op = op.Name
	op.Target, op.depth = OneTarget, 1
	q := &asking{x: x, g: x.g, r: r, op: op, a: &Answer{Schema: Schema, Op: op.Name, Results: []Result{}}}
	if err := q.check(); err != nil {
		return nil, err
	}
	if ok, err := q.resolve(); err != nil || !ok {
		return q.a, err
	}
	list, why, err := f(q.target)
	if err != nil {
		return nil, err
	}
	q.note = why
	for i := range list {
		t := &list[i]
		h := hit{node: t.Node, via: graph.None, edge: -1, site: -1, depth: int32(t.Depth), cert: t.Certainty, told: t}
		if t.Node == graph.None {
			n := graph.Node{File: t.File, Kind: graph.KindFile}
			if t.Name != "" || (q.kinds == 0 || q.kinds&(1<<n.Kind) != 0) && q.filter.shows(&n) {
				q.hits = append(q.hits, h)
			}
			continue
		}
		if t.Certainty > q.certainty {
			if q.shown(t.Node) {
				q.a.Ambiguous++
			}
			continue
		}
		q.add(h)
	}
	return q.a, q.page()
}

func (q *asking) toldResult(h *hit) Result {
	t := h.told
	r := Result{Depth: t.Depth, Relation: t.Relation, Via: t.Via, Value: t.Value, Note: t.Note,
		Sites: t.Sites[:min(maxSites, len(t.Sites))], SiteTotal: len(t.Sites)}
	if t.Name != "" {
		r.Symbol = Symbol{ID: t.Name, Kind: t.Kind, Name: t.Name}
		return r
	}
	if t.Node == graph.None {
		r.Symbol = Symbol{ID: graph.FileKey(t.File), Kind: graph.KindFile.String(), Name: t.File, File: t.File}
		return r
	}
	r.Symbol = q.x.Symbol(t.Node)
	if t.Depth > 0 {
		r.Certainty = t.Certainty.String()
	}
	return r
}

// Shown tells what the filters of a request leave, and the kinds of edges that
// it names as bits. The function is for one goroutine.
func (x *Index) Shown(r Request) (shown func(graph.ID) bool, edges uint32, err error) {
	r.Op = "find"
	q := &asking{x: x, g: x.g, r: r, op: Op{Name: "find"}}
	if err := q.check(); err != nil {
		return nil, 0, err
	}
	return q.shown, q.edges, nil
}
