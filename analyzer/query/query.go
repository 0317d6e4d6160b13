// Package query answers questions about the structure of a graph: who calls
// this, what implements it, what does it depend on, how does one thing reach
// another, what is unused, what is central.
//
// [New] makes an [Index] of a graph, which is cheap; [Index.Ask] answers one
// [Request] with an [Answer]. [Ops] lists the questions. Nothing here reads a
// file: what an answer cites are keys, files and lines.
//
// Rules that hold for every answer:
//
//   - Total is exact and counts before any cap; a cut list says so, says at
//     which depth it was cut, and has a cursor to go on with.
//   - An empty answer has a reason. A target that several declarations could be
//     gives candidates, one that none is gives near names; neither is guessed.
//   - The order is fixed: nearer before farther, code before tests, surer
//     before less sure, then by key.
//   - Edges that are only [graph.Ambiguous] are left out unless they are asked
//     for, and are counted.
//   - Dispatch is followed and is no step: who calls an interface's method is a
//     caller of the methods that implement it, as inferred, or as ambiguous
//     where more than [MaxDispatch] methods implement it.
//
// A question costs what it looks at: the edges of the target at depth 1, those
// that are reached for walks, and O(n + m) for questions about the whole graph.
package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// Schema names the form of an [Answer] as JSON.
const Schema = "kg.query/v1"

// The caps of requests, whatever they ask for.
const (
	MaxDispatch  = 5      // implementations up to which dispatch is inferred
	MaxDepth     = 1000   // steps of a walk
	MaxResults   = 10_000 // results of one answer
	maxTarget    = 4096   // bytes of a target
	maxSites     = 20     // places shown of one result
	maxNear      = 8      // names shown for a target that is not there
	maxCandidate = 20     // candidates shown for a target that is not clear
	defaultMax   = 100    // results, if the request does not say
)

// Request is one question.
type Request struct {
	Op     string `json:"op"`
	Target string `json:"target,omitempty"` // key, qualified or short name, path, or path:line
	To     string `json:"to,omitempty"`     // of a path: its other end

	Depth     int      `json:"depth,omitempty"`     // steps; 0: what suits the question
	Scope     []string `json:"scope,omitempty"`     // globs of paths; only what is there is shown
	Exclude   []string `json:"exclude,omitempty"`   // globs of paths; what is there is neither shown nor walked through
	Kinds     []string `json:"kinds,omitempty"`     // kinds of nodes; only these are shown
	Edges     []string `json:"edges,omitempty"`     // kinds of edges to follow; default: what suits the question
	Certainty string   `json:"certainty,omitempty"` // the least sure that counts: exact, inferred, ambiguous; default inferred
	Direct    bool     `json:"direct,omitempty"`    // do not follow dispatch
	By        string   `json:"by,omitempty"`        // of hubs: in, out, pagerank, betweenness; of complexity: cyclomatic, flow
	Change    string   `json:"change,omitempty"`    // of impact: signature, remove, body

	Max         int    `json:"max,omitempty"`           // results in this answer; 0: 100
	MaxPerLevel int    `json:"max_per_level,omitempty"` // results of one depth; 0: no cap
	Cursor      string `json:"cursor,omitempty"`        // where the answer before ended
}

// Answer is what is known.
type Answer struct {
	Schema string  `json:"schema"`
	Op     string  `json:"op"`
	Target *Symbol `json:"target,omitempty"`
	To     *Symbol `json:"to,omitempty"`

	Total            int    `json:"total"`    // results before any cap
	Returned         int    `json:"returned"` // results in this answer
	Truncated        bool   `json:"truncated"`
	TruncatedAtDepth int    `json:"truncated_at_depth,omitempty"` // the first depth of which something is missing
	PerDepth         []int  `json:"per_depth,omitempty"`          // results at depth 1, 2, … before any cap
	Cursor           string `json:"cursor,omitempty"`             // ask again with it for what follows
	Ambiguous        int    `json:"ambiguous,omitempty"`          // results left out because only a name matches
	Reason           string `json:"reason,omitempty"`             // why there are no results, or what limits them
	Suggestion       string `json:"suggestion,omitempty"`         // what to ask instead, or next

	Candidates []Symbol `json:"candidates,omitempty"` // what the target could be
	Near       []Symbol `json:"near,omitempty"`       // what has a similar name
	Results    []Result `json:"results"`
}

// Symbol is a node as answers cite it.
type Symbol struct {
	ID        string `json:"id"`
	Kind      string `json:"kind"`
	Name      string `json:"name"` // qualified
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	DefLine   int    `json:"def_line,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
	Signature string `json:"signature,omitempty"`
	Test      bool   `json:"test,omitempty"`
}

// Result is one thing found.
type Result struct {
	Symbol    Symbol  `json:"symbol"`
	Depth     int     `json:"depth,omitempty"`
	Relation  string  `json:"relation,omitempty"`
	Via       string  `json:"via,omitempty"` // key of what it is found through, where that is not the target
	Certainty string  `json:"certainty,omitempty"`
	Cycle     bool    `json:"cycle,omitempty"` // leads back to where the walk came from
	Sites     []Place `json:"sites,omitempty"` // where the relation comes from
	SiteTotal int     `json:"site_total,omitempty"`
	Value     float64 `json:"value,omitempty"` // what the result is ranked by
	Note      string  `json:"note,omitempty"`
	Metrics   *Metric `json:"metrics,omitempty"`

	// Added by whoever can read the source.
	Snippet *Snippet `json:"snippet,omitempty"`
}

// Place is one place in the source.
type Place struct {
	File      string   `json:"file"`
	Line      int      `json:"line"`
	Col       int      `json:"col,omitempty"`
	Condition []string `json:"condition,omitempty"` // what the place is under, outermost first
	Snippet   *Snippet `json:"snippet,omitempty"`
}

// Snippet is source text. Line is that of its first line.
type Snippet struct {
	Line    int      `json:"line"`
	Lines   []string `json:"lines"`
	Changed bool     `json:"changed,omitempty"` // the file differs from what the graph was made of
	Cut     bool     `json:"cut,omitempty"`     // there is more than is shown
	Missing string   `json:"missing,omitempty"` // why there is none
}

// Metric is the size of a declaration and its place among others.
type Metric struct {
	Tokens     int `json:"tokens"`
	Cyclomatic int `json:"cyclomatic,omitempty"` // of callables: ways through the body, one more than it has branches
	Lines      int `json:"lines"`
	Params     int `json:"params"`
	FanIn      int `json:"fan_in"`  // declarations that use it, tests left out
	FanOut     int `json:"fan_out"` // declarations that it uses
}

// Op is one sort of question.
type Op struct {
	Name   string
	Doc    string // one line
	Target Need
	depth  int // default
	do     func(*asking) error
	From   Ground
}

// Ground says what of a graph the results of a question depend on.
type Ground uint8

// What answers come from.
const (
	Relations Ground = iota // names, places, kinds and relations
	Details                 // also signatures, documentation, bodies and branches
	Outside                 // nothing: what the graph cannot tell has no part in it
)

// Need says whether a question has a target.
type Need uint8

// What a question needs.
const (
	NoTarget Need = iota
	MayTarget
	OneTarget
	TwoTargets
)

// FindOp returns the question with a name. "-" is as good as "_".
func FindOp(name string) (Op, bool) {
	name = strings.ReplaceAll(name, "-", "_")
	for _, o := range Ops() {
		if o.Name == name {
			return o, true
		}
	}
	return Op{}, false
}

// OpNames are the names of all questions.
func OpNames() []string {
	var names []string
	for _, o := range Ops() {
		names = append(names, o.Name)
	}
	return names
}

func badRequest(format string, args ...any) error {
	return &RequestError{fmt.Sprintf(format, args...)}
}

// RequestError says what is wrong with a request, for people.
type RequestError struct{ Text string }

func (e *RequestError) Error() string { return e.Text }

// Ask answers one request. The error is a [*RequestError]; that a target is
// unknown or not clear is an answer and no error.
func (x *Index) Ask(r Request) (*Answer, error) {
	op, ok := FindOp(r.Op)
	if !ok {
		return nil, badRequest("there is no question %q; there are %s", clip(r.Op), strings.Join(OpNames(), ", "))
	}
	q := &asking{x: x, g: x.g, r: r, op: op, a: &Answer{Schema: Schema, Op: op.Name, Results: []Result{}}}
	if err := q.check(); err != nil {
		return nil, err
	}
	ok, err := q.resolve()
	if err != nil || !ok {
		return q.a, err
	}
	if err := op.do(q); err != nil {
		return nil, err
	}
	return q.a, q.page()
}

// asking is one request under way.
type asking struct {
	x  *Index
	g  *graph.Graph
	r  Request
	op Op
	a  *Answer

	target, to graph.ID
	depth      int
	certainty  graph.Certainty
	kinds      uint32 // bits of graph.Kind; 0: all
	edges      uint32 // bits of graph.EdgeKind; 0: what suits
	filter     filter

	hits    []hit
	counted []int  // results by depth, where not all of them are hits
	behind  int    // results that are no hits, because they are behind what is shown
	note    string // a reason that stands even if there are results
	cut     string // what was not looked at, which is told with any reason
}

// hit is a result before it is written out.
type hit struct {
	node  graph.ID
	via   graph.ID
	edge  int32 // index of the edge that it was found by, or -1
	site  int32 // index among the edge's sites if the hit is one place, or -1
	depth int32
	cert  graph.Certainty
	cycle bool
	rel   string // instead of the edge's kind
	value float64
	text  string
	told  *Told      // of Tell
	more  []graph.ID // cycles: the other members
	meter bool       // with metrics
}

func found(n graph.ID) hit { return hit{node: n, via: graph.None, edge: -1, site: -1} }

func (q *asking) check() error {
	r := &q.r
	if len(r.Target) > maxTarget || len(r.To) > maxTarget {
		return badRequest("the target is longer than %d bytes", maxTarget)
	}
	switch {
	case q.op.Target >= OneTarget && r.Target == "":
		return badRequest("%s needs a target: a key, a name, or path:line", q.op.Name)
	case q.op.Target == TwoTargets && r.To == "":
		return badRequest("%s needs two targets", q.op.Name)
	case q.op.Target == NoTarget && r.Target != "":
		return badRequest("%s is about the whole graph and has no target", q.op.Name)
	case q.op.Target != TwoTargets && r.To != "":
		return badRequest("%s has only one target", q.op.Name)
	case r.Depth < 0 || r.Max < 0 || r.MaxPerLevel < 0:
		return badRequest("depth, max and max_per_level must not be negative")
	}
	q.depth = min(r.Depth, MaxDepth)
	if q.depth == 0 {
		q.depth = q.op.depth
	}
	q.certainty = graph.Inferred
	if r.Certainty != "" {
		c, ok := parseCertainty(r.Certainty)
		if !ok {
			return badRequest("%q is no certainty; there are exact, inferred and ambiguous", clip(r.Certainty))
		}
		q.certainty = c
	}
	for _, s := range r.Kinds {
		bits, ok := kindBits(s)
		if !ok {
			return badRequest("%q is no kind of node; there are type, callable, %s", clip(s), strings.Join(KindNames(), ", "))
		}
		q.kinds |= bits
	}
	for _, s := range r.Edges {
		k, ok := graph.ParseEdgeKind(strings.ReplaceAll(s, "-", "_"))
		if !ok || k == graph.EdgeContains {
			return badRequest("%q is no kind of edge that can be followed", clip(s))
		}
		q.edges |= 1 << k
	}
	var err error
	q.filter, err = newFilter(r.Scope, r.Exclude)
	return err
}

// KindNames are the kinds of nodes that a graph can have.
func KindNames() []string {
	var names []string
	for k := graph.KindRepository; int(k) < graph.KindCount; k++ {
		names = append(names, k.String())
	}
	return names
}

func parseCertainty(s string) (graph.Certainty, bool) {
	for c := graph.Exact; int(c) < graph.CertaintyCount; c++ {
		if c.String() == s {
			return c, true
		}
	}
	return 0, false
}

// kindBits understands kinds and two words for several of them.
func kindBits(s string) (bits uint32, ok bool) {
	s = strings.ReplaceAll(strings.ToLower(s), "-", "_")
	for k := graph.KindRepository; int(k) < graph.KindCount; k++ {
		if k.String() == s || s == "type" && k.IsType() || s == "callable" && k.IsCallable() {
			bits |= 1 << k
		}
	}
	return bits, bits != 0
}

// shown reports whether a node may be a result.
func (q *asking) shown(n graph.ID) bool {
	x := &q.g.Nodes[n]
	return (q.kinds == 0 || q.kinds&(1<<x.Kind) != 0) && q.filter.shows(x)
}

// add keeps a hit that may be shown.
func (q *asking) add(h hit) {
	if q.shown(h.node) {
		q.hits = append(q.hits, h)
	}
}

// order sorts hits as the package comment says.
func (q *asking) order() {
	nodes := q.g.Nodes
	test := func(h *hit) int {
		if nodes[h.node].Flags.Has(graph.FlagTest) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(q.hits, func(a, b hit) int {
		switch {
		case a.depth != b.depth:
			return int(a.depth) - int(b.depth)
		case test(&a) != test(&b):
			return test(&a) - test(&b)
		case a.cert != b.cert:
			return int(a.cert) - int(b.cert)
		case a.node != b.node:
			return int(a.node) - int(b.node)
		}
		return int(a.edge) - int(b.edge)
	})
}

// orderByValue sorts hits by value, greatest first, then by key.
func (q *asking) orderByValue() {
	slices.SortStableFunc(q.hits, func(a, b hit) int {
		switch {
		case a.value > b.value:
			return -1
		case a.value < b.value:
			return 1
		}
		return int(a.node) - int(b.node)
	})
}

// page cuts the hits and writes them out.
func (q *asking) page() error {
	a := q.a
	a.Total = len(q.hits) + q.behind
	if a.PerDepth = q.counted; a.PerDepth == nil {
		for i := range q.hits {
			if d := int(q.hits[i].depth); d > 0 {
				for len(a.PerDepth) < d {
					a.PerDepth = append(a.PerDepth, 0)
				}
				a.PerDepth[d-1]++
			}
		}
	}
	if len(a.PerDepth) == 1 {
		a.PerDepth = nil // the total says it
	}
	list := q.hits
	if per := q.r.MaxPerLevel; per > 0 {
		var kept []hit
		depth, n := int32(-1), 0
		for _, h := range list {
			if h.depth != depth {
				depth, n = h.depth, 0
			}
			if n++; n <= per {
				kept = append(kept, h)
			} else if !a.Truncated {
				a.Truncated, a.TruncatedAtDepth = true, int(depth)
			}
		}
		list = kept
	}
	from, err := q.cursor(len(list))
	if err != nil {
		return err
	}
	most := q.r.Max
	if most == 0 {
		most = defaultMax
	}
	rest := list[from:]
	list = rest[:min(most, MaxResults, len(rest))]
	if len(list) < len(rest) {
		if d := int(rest[len(list)].depth); !a.Truncated || d < a.TruncatedAtDepth {
			a.TruncatedAtDepth = d
		}
		a.Truncated = true
		a.Cursor = q.cursorAt(from + len(list))
	}
	a.Results = make([]Result, len(list))
	for i := range list {
		a.Results[i] = q.result(&list[i])
	}
	a.Returned = len(list)
	q.explain()
	return nil
}

func (q *asking) result(h *hit) Result {
	if h.told != nil {
		return q.toldResult(h)
	}
	r := Result{Symbol: q.x.Symbol(h.node), Depth: int(h.depth), Relation: h.rel, Cycle: h.cycle, Value: h.value, Note: h.text}
	if h.via != graph.None {
		r.Via = q.g.Nodes[h.via].Key
	}
	if h.edge >= 0 {
		e := &q.g.Edges[h.edge]
		if r.Relation == "" {
			r.Relation = e.Kind.String()
		}
		r.Certainty = h.cert.String()
		sites := q.g.Sites(e)
		if h.site >= 0 {
			sites = sites[h.site : h.site+1]
		}
		r.SiteTotal = len(sites)
		for _, s := range sites[:min(maxSites, len(sites))] {
			r.Sites = append(r.Sites, Place{File: q.g.Files[s.File].Path, Line: int(s.Line), Col: int(s.Col)})
		}
	}
	if h.rel == dispatchRelation {
		r.Certainty = h.cert.String()
	}
	if len(h.more) > 0 {
		names := make([]string, 0, len(h.more))
		for _, n := range h.more[:min(len(h.more), maxSites)] {
			names = append(names, q.g.Nodes[n].QName)
		}
		r.Note = "with each other: " + strings.Join(names, ", ")
		if len(h.more) > maxSites {
			r.Note += fmt.Sprintf(" and %d more", len(h.more)-maxSites)
		}
	}
	if h.meter {
		r.Metrics = q.x.metric(h.node)
	}
	return r
}

// Symbol returns a node as answers cite it.
func (x *Index) Symbol(id graph.ID) Symbol {
	n := &x.g.Nodes[id]
	s := Symbol{ID: n.Key, Kind: n.Kind.String(), Name: n.QName, File: n.File, Line: int(n.Line),
		EndLine: int(n.EndLine), Signature: n.Signature.Text, Test: n.Flags.Has(graph.FlagTest)}
	if n.DefLine != n.Line {
		s.DefLine = int(n.DefLine)
	}
	if n.Kind == graph.KindExternal {
		// The short name of a package does not say which.
		s.Name = n.Key[strings.IndexByte(n.Key[4:], ':')+5:]
	}
	return s
}

// explain says why there is nothing, or what to do next.
func (q *asking) explain() {
	a := q.a
	switch {
	case a.Total > 0:
		if a.Reason == "" {
			a.Reason = q.note
		}
	case a.Reason != "":
	case a.Ambiguous > 0:
		a.Reason = fmt.Sprintf("only a name matches in %d cases", a.Ambiguous)
		a.Suggestion = "ask again with certainty ambiguous to see them"
	default:
		a.Reason = q.whyEmpty()
	}
	if q.cut != "" {
		if a.Reason != "" {
			a.Reason += "; "
		}
		a.Reason += q.cut
	}
	if a.Cursor != "" && a.Suggestion == "" {
		a.Suggestion = "go on with the cursor, or narrow the answer with scope, exclude, kinds or depth"
	}
}

func (q *asking) whyEmpty() string {
	filtered := len(q.r.Scope)+len(q.r.Exclude)+len(q.r.Kinds)+len(q.r.Edges) > 0
	var why string
	switch {
	case q.target == graph.None && q.note != "":
		why = "there is none: " + q.note
	case q.target == graph.None:
		why = "there is none in the graph"
	default:
		n := &q.g.Nodes[q.target]
		why = fmt.Sprintf("the graph has no such relation of this %s", n.Kind)
		switch {
		case q.note != "":
			why = q.note
		case n.Flags.Has(graph.FlagEntryPoint):
			why += "; it is started from outside"
		case n.Flags.Has(graph.FlagTestCase):
			why += "; a test runner starts it"
		case n.Flags.Has(graph.FlagCalledOutside):
			why += "; it implements an interface that is known to be called from outside the tree"
		}
	}
	if filtered {
		why += ", or what there is was filtered out"
	}
	if u := q.unknowns(); u > 0 && q.op.From != Outside {
		why += fmt.Sprintf("; %d places of the tree could not be told, so this is no proof", u)
	}
	return why
}

// unknowns counts what could not be told.
func (q *asking) unknowns() int {
	n := 0
	for i := range q.g.Unknowns {
		n += int(q.g.Unknowns[i].Count)
	}
	return n
}

func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}
