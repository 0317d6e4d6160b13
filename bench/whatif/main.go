// Whatif holds kg's prediction of what a changed signature breaks against what
// the compiler reports when the signature is really changed:
//
//	go run ./bench/whatif [-misses N] GRAPH.kg MUTATIONS.jsonl
//
// MUTATIONS.jsonl is what bench/mutate wrote for the tree that GRAPH.kg is the
// graph of. For every mutation kg is asked what has to be updated if the
// declaration gets another signature (kg impact --symbol KEY --change
// signature); the answer is compared with the declarations in which the type
// checker found errors. Errors of the kind "no longer satisfies" are counted
// apart, too: their cause is a conversion, not a call.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/impact"
)

// mutation is a record of bench/mutate.
type mutation struct {
	T      string
	Change string
	Symbol symbol
	Broken []struct {
		Symbol symbol
		Sites  []struct{ Cause string }
	}
}

type symbol struct {
	ID    string
	QName string
	File  string
	Line  int32
}

// tally counts declarations.
type tally struct{ right, wrong, found, truth int }

func (t *tally) String() string {
	ratio := func(a, b int) string {
		if b == 0 {
			return "-"
		}
		return fmt.Sprintf("%.4f", float64(a)/float64(b))
	}
	return fmt.Sprintf("precision %s (%d of %d)  recall %s (%d of %d)", ratio(t.right, t.right+t.wrong), t.right, t.right+t.wrong,
		ratio(t.found, t.truth), t.found, t.truth)
}

func main() {
	log.SetFlags(0)
	misses := flag.Int("misses", 0, "show up to this many wrong and missed declarations")
	flag.Parse()
	if flag.NArg() != 2 {
		log.Fatal("usage: whatif [-misses N] GRAPH.kg MUTATIONS.jsonl")
	}
	g, err := artifact.ReadFile(flag.Arg(0), artifact.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	f, err := os.Open(flag.Arg(1))
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	e := &evaluation{g: g, at: places(g), misses: *misses, by: map[string]*tally{}}
	s := bufio.NewScanner(f)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		var m mutation
		if err := json.Unmarshal(s.Bytes(), &m); err != nil {
			log.Fatal(err)
		}
		if m.T == "mutation" {
			e.judge(&m)
		}
	}
	if err := s.Err(); err != nil {
		log.Fatal(err)
	}
	e.print()
}

// places maps the file and line of names to nodes.
func places(g *graph.Graph) map[string]graph.ID {
	at := map[string]graph.ID{}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.File != "" && n.Kind != graph.KindFile {
			at[place(n.File, n.Line, n.Col)] = graph.ID(i)
		}
		for _, v := range g.Nodes[i].Variants {
			at[fmt.Sprintf("%s:%d", v.File, v.Line)] = graph.ID(i)
		}
	}
	return at
}

func place(file string, line, col int32) string { return fmt.Sprintf("%s:%d:%d", file, line, col) }

type evaluation struct {
	g         *graph.Graph
	at        map[string]graph.ID
	misses    int
	mutations int
	unknown   int
	followers int
	by        map[string]*tally
	lines     []string
}

func (e *evaluation) tally(name string) *tally {
	if e.by[name] == nil {
		e.by[name] = &tally{}
	}
	return e.by[name]
}

func (e *evaluation) judge(m *mutation) {
	id, ok := e.at[m.Symbol.ID]
	if !ok {
		e.unknown++
		return
	}
	r, err := impact.WhatIf(e.g, e.g.Nodes[id].Key, diff.Signature, diff.Options{}, impact.Options{Limit: -1})
	if err != nil {
		log.Fatal(err)
	}
	e.mutations++
	// Methods that implement a changed method of an interface have to follow it,
	// but the compiler says so where a value of their type is stored.
	follow := map[graph.ID]bool{}
	for _, c := range r.Changes {
		for _, x := range c.Impacted {
			follow[x.ID] = x.Relation == impact.Implementer || x.Relation == impact.Overrider
		}
	}
	predicted := map[string]bool{}
	for _, a := range r.Symbols {
		switch n := &e.g.Nodes[a.ID]; {
		case a.Severity != impact.MustUpdate:
		case follow[a.ID]:
			e.followers++
		default:
			predicted[e.name(n)] = true
		}
	}
	truth := map[string]string{} // declaration → cause
	for _, b := range m.Broken {
		cause := "satisfies"
		for _, s := range b.Sites {
			if s.Cause == "call" || s.Cause == "value" {
				cause = "calls and values"
			}
		}
		truth[b.Symbol.ID] = cause
	}
	all := e.tally(m.Change + ", all")
	for p := range predicted {
		if truth[p] != "" {
			all.right++
		} else {
			all.wrong++
			e.lines = append(e.lines, fmt.Sprintf("wrong   %-40s %s", m.Symbol.QName, p))
		}
	}
	for b, cause := range truth {
		t := e.tally(m.Change + ", " + cause)
		all.truth++
		t.truth++
		if predicted[b] {
			all.found++
			t.found++
		} else {
			e.lines = append(e.lines, fmt.Sprintf("missed  %-40s %s (%s)", m.Symbol.QName, b, cause))
		}
	}
}

// name is a node as bench/mutate names it.
func (e *evaluation) name(n *graph.Node) string {
	if n.Kind == graph.KindFile {
		return "file:" + n.File
	}
	return place(n.File, n.Line, n.Col)
}

func (e *evaluation) print() {
	fmt.Printf("%d mutations, %d of declarations that the graph does not have\n", e.mutations, e.unknown)
	fmt.Printf("%d methods that implement a changed one, listed apart\n", e.followers)
	var names []string
	for n := range e.by {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		s := e.by[n].String()
		if !strings.HasSuffix(n, ", all") {
			s = s[strings.Index(s, "recall"):]
		}
		fmt.Printf("%-32s %s\n", n, s)
	}
	slices.Sort(e.lines)
	for i, l := range e.lines {
		if i == e.misses {
			fmt.Printf("… and %d more\n", len(e.lines)-i)
			return
		}
		fmt.Println(l)
	}
}
