// Package cypher answers questions to a graph that are written in a subset of
// openCypher:
//
//	MATCH (f:function)-[:calls*1..3]->(t {name: 'Save'}), (f)<-[:contains]-(p:package)
//	WHERE f.test = false AND NOT p.name STARTS WITH 'x'
//	RETURN DISTINCT p.qname AS package, count(f) AS callers ORDER BY callers DESC SKIP 5 LIMIT 10
//
// Labels are kinds of nodes, also type and callable; types of relations are
// kinds of edges, contains included. Nodes have the properties id (the key),
// kind, name, qname, file, line, end_line, lang, package, signature, type, doc,
// visibility, exported, test, tokens and flags; relations kind, certainty, file,
// line and sites. Operators: = <> < <= > >= =~ IN CONTAINS, STARTS WITH, ENDS
// WITH, IS NULL, IS NOT NULL, AND OR NOT. Functions: id, kind, type, lower,
// upper, size; count, min, max, sum, avg, collect.
//
// Two things differ from openCypher. A relation of variable length finds each
// node at its end once, by the shortest way, and without an upper bound it goes
// [MaxHops] far. Nothing can be changed.
//
// A question is bounded in steps and rows; see [Limits].
package cypher

import (
	"context"
	"errors"
	"fmt"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/query"
)

// The caps of a question.
const (
	MaxHops    = 10      // of a relation of variable length
	maxText    = 1 << 14 // bytes of a question
	maxParts   = 24      // nodes in all patterns
	maxDepth   = 50      // of an expression
	maxGroups  = 200_000
	stepsADone = 1 << 12 // steps between looks at the context
	rowSteps   = 5       // what a row costs, in steps
)

// Limits bound one question. Zero values stand for the defaults.
type Limits struct {
	Rows  int // in the answer: 1,000
	Steps int // edges and nodes looked at: 20,000,000
}

// Table is the answer to one question.
type Table struct {
	Columns   []string `json:"columns"`
	Rows      [][]any  `json:"rows"` // nil, bool, int64, float64, string or []any
	Truncated bool     `json:"truncated"`
}

// Error says what is wrong with a question, and where.
type Error struct {
	Text string
	At   int // byte of the question; -1: nowhere in particular
}

func (e *Error) Error() string {
	if e.At < 0 {
		return e.Text
	}
	return fmt.Sprintf("%s, at character %d", e.Text, e.At+1)
}

// ErrSteps says that a question looked at too much.
var ErrSteps = errors.New("the question looks at too much of the graph; name a node or a kind, or bound the length of relations")

// Ask answers a question. The error is an [*Error], [ErrSteps] or ctx's.
func Ask(ctx context.Context, x *query.Index, text string, lim Limits) (*Table, error) {
	if lim.Rows <= 0 {
		lim.Rows = 1000
	}
	if lim.Steps <= 0 {
		lim.Steps = 20_000_000
	}
	q, err := parse(text)
	if err != nil {
		return nil, err
	}
	r := &run{ctx: ctx, x: x, g: x.Graph(), q: q, lim: lim}
	return r.table()
}

// A value is nil, bool, int64, float64, string, graph.ID (a node), edgeRef, or
// []any of these.
type edgeRef int32

// property returns a property of a node; nil if it has none of the name.
func property(x *query.Index, id graph.ID, name string) any {
	n := &x.Graph().Nodes[id]
	str := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	num := func(v int32) any {
		if v == 0 {
			return nil
		}
		return int64(v)
	}
	switch name {
	case "id", "key":
		return n.Key
	case "kind":
		return n.Kind.String()
	case "name":
		return n.Name
	case "qname":
		return n.QName
	case "file":
		return str(n.File)
	case "line":
		return num(n.Line)
	case "end_line":
		return num(n.EndLine)
	case "lang":
		return str(n.Lang)
	case "package":
		return x.Graph().Nodes[x.Package(id)].QName
	case "signature":
		return str(n.Signature.Text)
	case "type":
		return str(n.Signature.Type)
	case "doc":
		return str(n.Doc)
	case "visibility":
		return n.Visibility.String()
	case "exported":
		return n.Visibility <= graph.Internal
	case "test":
		return n.Flags.Has(graph.FlagTest)
	case "tokens":
		return int64(n.Tokens)
	case "branches":
		return int64(n.Branches)
	case "flags":
		var list []any
		for _, f := range n.Flags.Names() {
			list = append(list, f)
		}
		return list
	}
	return nil
}

var nodeProperties = map[string]bool{"id": true, "key": true, "kind": true, "name": true, "qname": true, "file": true, "line": true, "end_line": true,
	"lang": true, "package": true, "signature": true, "type": true, "doc": true, "visibility": true, "exported": true, "test": true, "tokens": true, "branches": true, "flags": true}

var edgeProperties = map[string]bool{"kind": true, "certainty": true, "file": true, "line": true, "sites": true}

func edgeProperty(g *graph.Graph, e edgeRef, name string) any {
	if e < 0 { // contains: a parent, without a place
		switch name {
		case "kind":
			return graph.EdgeContains.String()
		case "certainty":
			return graph.Exact.String()
		case "sites":
			return int64(0)
		}
		return nil
	}
	x := &g.Edges[e]
	sites := g.Sites(x)
	switch name {
	case "kind":
		return x.Kind.String()
	case "certainty":
		return x.Certainty.String()
	case "sites":
		return int64(len(sites))
	case "file":
		if len(sites) > 0 {
			return g.Files[sites[0].File].Path
		}
	case "line":
		if len(sites) > 0 {
			return int64(sites[0].Line)
		}
	}
	return nil
}
