package cypher

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/query"
)

// shop: main calls serve, serve calls add; a test calls add; Cart has Add and
// Total and implements Adder.
func shop() *query.Index {
	b := &graph.Builder{}
	f := b.AddFile(graph.File{Path: "a.go"})
	pkg := b.AddNode(graph.Node{Key: "go:a", Name: "a", QName: "a", Kind: graph.KindPackage, Parent: graph.None})
	add := func(name string, k graph.Kind, parent graph.ID, line int32, flags graph.Flags) graph.ID {
		return b.AddNode(graph.Node{Key: "go:a#" + name, Name: name[strings.LastIndexByte(name, '.')+1:], QName: "a." + name, Kind: k, Parent: parent,
			File: "a.go", Line: line, EndLine: line, Flags: flags, Visibility: graph.Package, Tokens: line})
	}
	cart := add("Cart", graph.KindStruct, pkg, 1, 0)
	addM := add("Cart.Add", graph.KindMethod, cart, 2, 0)
	add("Cart.Total", graph.KindMethod, cart, 3, 0)
	adder := add("Adder", graph.KindInterface, pkg, 4, 0)
	main := add("main", graph.KindFunction, pkg, 5, graph.FlagEntryPoint)
	serve := add("serve", graph.KindFunction, pkg, 6, 0)
	test := add("TestAdd", graph.KindFunction, pkg, 7, graph.FlagTest)
	edge := func(from, to graph.ID, k graph.EdgeKind, line int32) {
		b.AddEdge(graph.RawEdge{From: from, To: to, Type: graph.None, Kind: k, HasSite: true, Site: graph.Site{File: f, Line: line, Args: -1, Keywords: -1, Recv: graph.None}})
	}
	edge(main, serve, graph.EdgeCalls, 50)
	edge(serve, addM, graph.EdgeCalls, 60)
	edge(serve, main, graph.EdgeReferences, 61)
	edge(test, addM, graph.EdgeCalls, 70)
	edge(cart, adder, graph.EdgeImplements, 1)
	return query.New(b.Build())
}

func TestAsk(t *testing.T) {
	x := shop()
	for q, want := range map[string]string{
		"MATCH (a)-[:calls]->(b {name: 'Add'}) RETURN a.qname ORDER BY a.qname":                                                                     "[[a.TestAdd] [a.serve]]",
		"match (b {name: 'Add'})<-[:CALLS]-(a) return a.name order by a.name desc":                                                                  "[[serve] [TestAdd]]",
		"MATCH (a:function)-[:calls*1..2]->(b) WHERE b.name = 'Add' AND a.test = false RETURN a.name ORDER BY a.name":                               "[[main] [serve]]",
		"MATCH (a)-[:calls*2]->(b) RETURN a.name, b.name":                                                                                           "[[main Add]]",
		"MATCH (a {name:'main'})-[:calls*0..1]->(b) RETURN b.name ORDER BY b.name":                                                                  "[[main] [serve]]",
		"MATCH (a {name:'main'})-[:calls*..3]->(b) RETURN b.name ORDER BY b.name":                                                                   "[[Add] [serve]]",
		"MATCH (a {name: 'serve'})-[r]-(b) RETURN type(r), b.name, r.line ORDER BY r.line, b.name":                                                  "[[calls main 50] [calls Add 60] [references main 61] [contains a <nil>]]",
		"MATCH (t:type)-[:contains]->(m:callable) RETURN t.name, count(m), collect(m.name), min(m.line), max(m.line), sum(m.tokens), avg(m.tokens)": "[[Cart 2 [Add Total] 2 3 5 2.5]]",
		"MATCH (n) RETURN count(*)":                                                                        "[[8]]",
		"MATCH (n:enum) RETURN count(n)":                                                                   "[[0]]",
		"MATCH (n:enum) RETURN n.kind, count(n)":                                                           "[]",
		"MATCH (n:function|method) RETURN DISTINCT n.kind ORDER BY n.kind":                                 "[[function] [method]]",
		"MATCH (n:function) RETURN n.kind AS k, count(DISTINCT n.file) AS c":                               "[[function 1]]",
		"MATCH (n) WHERE n.name =~ 'T.*' RETURN n.name ORDER BY n.name":                                    "[[TestAdd] [Total]]",
		"MATCH (n) WHERE n.name STARTS WITH 's' OR n.name ENDS WITH 'tal' RETURN n.name ORDER BY n.name":   "[[Total] [serve]]",
		"MATCH (n) WHERE n.qname CONTAINS 'art.' AND NOT (n.line > 2) RETURN n.name":                       "[[Add]]",
		"MATCH (n) WHERE n.name IN ['main', \"serve\"] RETURN n.line ORDER BY n.line":                      "[[5] [6]]",
		"MATCH (n) WHERE n.file IS NULL RETURN n.name":                                                     "[[a]]",
		"MATCH (n:function) WHERE n.file IS NOT NULL RETURN n.name ORDER BY n.line SKIP 1 LIMIT 1":         "[[serve]]",
		"MATCH (a:package)-[:contains]->(b), (b)-[:calls]->(c) RETURN b.name, c.name ORDER BY b.name":      "[[TestAdd Add] [main serve] [serve Add]]",
		"MATCH (a {name:'main'}) MATCH (a)-[:calls]->(b) RETURN b":                                         "[[go:a#serve]]",
		"MATCH (a)-[:calls]->(b)-[:references]->(a) RETURN a.name, b.name":                                 "[[main serve]]",
		"MATCH (n {id: 'go:a#Cart'}) RETURN upper(n.name), size(n.name), kind(n), id(n), n.package // all": "[[CART 4 struct go:a#Cart a]]",
		"MATCH (n {name: 'main'}) RETURN n.flags, n.test, n.doc;":                                          "[[[entry_point] false <nil>]]",
		"MATCH (n) WHERE n.line < 'x' RETURN n":                                                            "[]",
		"MATCH (`n`:function) WHERE n.line >= 6 AND n.line <> 7 RETURN n.name":                             "[[serve]]",
		"MATCH (n) WHERE n.name = 'no\\'thing' RETURN n":                                                   "[]",
	} {
		got, err := Ask(context.Background(), x, q, Limits{})
		if err != nil || fmt.Sprint(got.Rows) != want {
			t.Errorf("%s:\n got %v, %v\nwant %s", q, got, err, want)
		}
	}
	got, err := Ask(context.Background(), x, "MATCH (n) RETURN n.name AS x, count(*)", Limits{Rows: 2})
	if err != nil || len(got.Rows) != 2 || !got.Truncated || fmt.Sprint(got.Columns) != "[x count(*)]" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestBad(t *testing.T) {
	x := shop()
	for _, q := range []string{
		"", "  ", "CREATE (n)", "MATCH (n) DELETE n", "MATCH (n) SET n.name = 'x' RETURN n", "MATCH (n)", "MATCH (n) RETURN", "MATCH n RETURN n",
		"MATCH (n:noun) RETURN n", "MATCH (n {colour: 'red'}) RETURN n", "MATCH (n {name: x}) RETURN n", "MATCH (n)-[:likes]->(m) RETURN n",
		"MATCH (n) RETURN m", "MATCH (n) RETURN n.colour", "MATCH (n) WHERE n.name =~ '(' RETURN n", "MATCH (n) WHERE n.name =~ n.kind RETURN n",
		"MATCH (n)-[:calls*1..99]->(m) RETURN m", "MATCH (n)-[:calls*3..1]->(m) RETURN m", "MATCH (n)-[r*2]->(m) RETURN r",
		"MATCH (n)-[n]->(m) RETURN n", "MATCH (n)-[r]->(m)-[r]->(o) RETURN n", "MATCH (n) RETURN exec(n)", "MATCH (n) RETURN count(max(n.line))",
		"MATCH (n) WHERE count(n) > 1 RETURN n", "MATCH (n) RETURN DISTINCT n.kind ORDER BY n.name", "MATCH (n) RETURN count(n) ORDER BY n.name", "MATCH (n) RETURN n LIMIT x", "MATCH (n) RETURN n LIMIT 1 extra",
		"MATCH (n) RETURN 'open", "MATCH (n) RETURN n ! n", "MATCH (n) RETURN (n", "MATCH (n) RETURN size(count(n))",
		"MATCH (n) WHERE " + strings.Repeat("NOT ", 1000) + "true RETURN n", "MATCH (n) WHERE " + strings.Repeat("(", 1000) + "1" + " RETURN n",
		"MATCH " + strings.Repeat("(a)-->", 100) + "(b) RETURN b", "MATCH (n) RETURN n " + strings.Repeat(" ", maxText),
		"MATCH (n) RETURN " + strings.Repeat("n,", 60) + "n", "MATCH (n) WHERE " + strings.Repeat("n.line = 1 OR ", 500) + "true RETURN n",
		"\xff\xfe", "MATCH (n) RETURN n\x00",
	} {
		var wrong *Error
		if got, err := Ask(context.Background(), x, q, Limits{}); !errors.As(err, &wrong) {
			t.Errorf("%.60q: got %v, %v", q, got, err)
		}
	}
}

func TestBounds(t *testing.T) {
	b := &graph.Builder{}
	for i := range 300 {
		b.AddNode(graph.Node{Key: fmt.Sprintf("go:a#%03d", i), Name: "n", QName: "n", Kind: graph.KindFunction, Parent: graph.None})
	}
	for i := range 300 {
		for j := range 300 {
			b.AddEdge(graph.RawEdge{From: graph.ID(i), To: graph.ID(j), Type: graph.None, Kind: graph.EdgeCalls})
		}
	}
	x := query.New(b.Build())
	begin := time.Now()
	for _, q := range []string{
		"MATCH (a)--(b)--(c)--(d) RETURN count(*)", "MATCH (a), (b), (c) RETURN count(*)", "MATCH (a)-[*1..10]-(b)-[*1..10]-(c) RETURN count(*)",
	} {
		if _, err := Ask(context.Background(), x, q, Limits{Steps: 100_000}); !errors.Is(err, ErrSteps) {
			t.Errorf("%s: %v", q, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Ask(ctx, x, "MATCH (a)--(b)--(c)--(d) RETURN count(*)", Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// Rows that are not wanted are not made.
	if got, err := Ask(context.Background(), x, "MATCH (a)--(b)--(c) RETURN a LIMIT 3", Limits{}); err != nil || len(got.Rows) != 3 {
		t.Errorf("got %v, %v", got, err)
	}
	if time.Since(begin) > 10*time.Second {
		t.Errorf("it took %v", time.Since(begin))
	}
}

func FuzzAsk(f *testing.F) {
	f.Add("MATCH (a:function)-[r:calls*1..2]->(b {name: 'x'})<--(c) WHERE a.line > 1 AND NOT b.name =~ 'y' RETURN DISTINCT a, count(*) AS n ORDER BY n DESC SKIP 1 LIMIT 2")
	f.Add("MATCH (a) WHERE a.name IN ['x', 1, -2.5, null] OR a.doc IS NOT NULL RETURN collect(a.name), avg(a.line)")
	x := shop()
	f.Fuzz(func(t *testing.T, q string) {
		var wrong *Error
		if _, err := Ask(context.Background(), x, q, Limits{Steps: 50_000}); err != nil && !errors.As(err, &wrong) && !errors.Is(err, ErrSteps) {
			t.Errorf("%q: %v", q, err)
		}
	})
}
