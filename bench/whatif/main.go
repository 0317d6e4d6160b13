// Whatif holds kg's prediction of what a change breaks against what the
// compiler reports when the change is really made:
//
//	go run ./bench/whatif [-misses N] [-tree DIR] GRAPH.kg MUTATIONS.jsonl
//
// MUTATIONS.jsonl is what bench/mutate wrote for the tree that GRAPH.kg is the
// graph of. For every changed signature and every removal kg is asked what has to
// be updated if the declaration changes so (kg impact --symbol KEY --change …);
// the answer is compared with the declarations in which the type checker found
// errors. Errors of the kind "no longer satisfies" are counted apart, too: their
// cause is a conversion, not a call.
//
// With -tree, the folder of the repository, removals and renames, and what a file
// does not pass on any more, are also made:
// kg gets the edited files and compares the two trees (kg impact --base …). Then
// it also counts how often the delta names exactly the declaration.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/bench/change"
	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/impact"
)

// mutation is a record of bench/mutate.
type mutation struct {
	T        string
	Change   string
	Kind     string
	Exported bool
	Symbol   symbol
	Edits    []edit
	Files    []string // of the record "meta"
	Open     []string // of the record "meta": where the compiler did not know everything
	Broken   []broken
}

// broken is a declaration with errors. Or are others that they may count to as
// well; an optional one need not be named.
type broken struct {
	Symbol   symbol
	Or       []string
	Optional bool
	Sites    []struct{ Cause string }
}

type edit struct {
	File       string
	Start, End int
	Text       string
}

type symbol struct {
	ID    string
	QName string
	File  string
	Line  int32
	Outer []string // the ids of what it is declared in, from within
}

// in returns the declaration, or the nearest one around it, that the graph has.
func (s *symbol) in(at map[string]graph.ID) string {
	if _, ok := at[s.ID]; !ok {
		for _, id := range s.Outer {
			if _, ok := at[id]; ok || strings.HasPrefix(id, "file:") {
				return id
			}
		}
	}
	return s.ID
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
	dir := flag.String("tree", "", "the repository, to make removals and renames in")
	flag.Parse()
	if flag.NArg() != 2 {
		log.Fatal("usage: whatif [-misses N] [-tree DIR] GRAPH.kg MUTATIONS.jsonl")
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
	if *dir != "" {
		if e.base, err = open(*dir, &e.builder); err != nil {
			log.Fatal(err)
		}
		if e.base.Graph.Tree != g.Tree {
			log.Fatalf("%s is not the graph of %s", flag.Arg(0), *dir)
		}
	}
	s := bufio.NewScanner(f)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		var m mutation
		if err := json.Unmarshal(s.Bytes(), &m); err != nil {
			log.Fatal(err)
		}
		switch m.T {
		case "meta":
			e.judged, e.open = map[string]bool{}, map[string]bool{}
			for _, id := range m.Open {
				e.open[id] = true
			}
			for _, f := range m.Files {
				e.judged[f] = true
			}
		case "mutation":
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
	unjudged  int
	by        map[string]*tally
	lines     []string
	judged    map[string]bool // files that the compiler saw; nil: all
	open      map[string]bool // declarations where it did not know everything

	builder change.Builder
	base    change.Side // with -tree
	deltas  tally       // changes that kg names
}

// open builds the graph of the files of a repository.
func open(dir string, b *change.Builder) (change.Side, error) {
	r, err := source.OpenRepo(dir)
	if err != nil {
		return change.Side{}, err
	}
	t, err := r.WorkTree()
	if err != nil {
		return change.Side{}, err
	}
	return b.Build(context.Background(), t)
}

func (e *evaluation) tally(name string) *tally {
	if e.by[name] == nil {
		e.by[name] = &tally{}
	}
	return e.by[name]
}

func (e *evaluation) judge(m *mutation) {
	id, ok := e.at[m.Symbol.ID]
	if m.Change == "withdraw" {
		id = e.g.Lookup(m.Symbol.ID)
		ok = id != graph.None
	}
	if !ok {
		e.unknown++
		if e.misses > 0 {
			fmt.Println("not in the graph:", m.Change, m.Kind, m.Symbol.QName, m.Symbol.ID)
		}
		return
	}
	e.mutations++
	kind := diff.Signature
	if m.Change == "remove" {
		kind = diff.Removed
	}
	if m.Change != "rename" && m.Change != "withdraw" {
		r, err := impact.WhatIf(e.g, e.g.Nodes[id].Key, kind, change.Rules(), impact.Options{Limit: -1})
		if err != nil {
			log.Fatal(err)
		}
		e.score(m, m.Change, r, e.g)
	}
	if len(m.Edits) > 0 && e.base.Tree != nil {
		r, err := e.make(m)
		if err != nil {
			log.Fatal(err)
		}
		e.delta(m, id, r)
		e.score(m, m.Change+" made", r, r.Delta.Head)
	}
}

// make makes the change and compares the trees.
func (e *evaluation) make(m *mutation) (*impact.Result, error) {
	files := map[string][]byte{}
	edits := slices.Clone(m.Edits)
	slices.SortFunc(edits, func(x, y edit) int { return y.Start - x.Start }) // from the back of each file
	for _, x := range edits {
		text, ok := files[x.File]
		if !ok {
			text, _ = change.Content(e.base.Tree, x.File)
		}
		files[x.File] = slices.Concat(text[:x.Start], []byte(x.Text), text[x.End:])
	}
	ctx := context.Background()
	head, err := e.builder.Build(ctx, change.Overlay(e.base.Tree, files))
	if err != nil {
		return nil, err
	}
	return change.Impact(ctx, e.base, head, change.Compare(e.base, head))
}

// delta looks whether kg names the change, and nothing else.
func (e *evaluation) delta(m *mutation, id graph.ID, r *impact.Result) {
	e.deltas.truth++
	want := diff.Signature
	switch m.Change {
	case "remove":
		want = diff.Removed
	case "rename":
		want = diff.Renamed
	case "withdraw": // of what a file passes on
		want = diff.Body
	}
	found := false
	for _, c := range r.Changes {
		switch {
		case c.Base == id && c.Kind == want:
			e.deltas.right++
			e.deltas.found++
			found = true
		case c.Adapted || c.Kind == diff.Doc:
		default:
			e.deltas.wrong++
			e.lines = append(e.lines, fmt.Sprintf("delta   %-8s %-40s wrong: %v %s", m.Change, m.Symbol.QName, c.Kind, c.Symbol.Key))
		}
	}
	if !found {
		e.lines = append(e.lines, fmt.Sprintf("delta   %-8s %-40s missed", m.Change, m.Symbol.QName))
	}
}

// score compares what kg says of a change with what the compiler says.
func (e *evaluation) score(m *mutation, title string, r *impact.Result, g *graph.Graph) {
	// Methods that implement a changed method of an interface have to follow it,
	// but the compiler says so where a value of their type is stored.
	follow, open := map[graph.ID]bool{}, map[graph.ID]bool{}
	sends := map[graph.ID]bool{} // requests to a route
	seen := map[graph.ID]bool{}  // with a place that the compiler saw; one of several variants may be all it saw
	for _, c := range r.Changes {
		for _, x := range c.Impacted {
			if len(x.Sites) == 0 || slices.ContainsFunc(x.Sites, func(s impact.Site) bool { return e.judged[s.File] }) {
				seen[x.ID] = true
			}
			// Who also calls what it implements is said to be a caller.
			follow[x.ID] = x.Relation == impact.Implementer || x.Relation == impact.Overrider || e.implements(g.Nodes[x.ID].Key, m.Symbol.ID)
			if x.Relation == impact.Client {
				sends[x.ID] = true
			}
			if x.Severity == impact.MustUpdate && x.State() == impact.Unknown {
				open[x.ID] = true
			}
		}
	}
	truth := map[string]string{}   // declaration → cause
	count := map[string][]string{} // what counts as a declaration → the declarations
	for _, b := range m.Broken {
		for _, id := range append(b.Or, b.Symbol.ID) {
			count[id] = append(count[id], b.Symbol.ID)
		}
		if b.Optional {
			continue
		}
		cause := "satisfies"
		for _, s := range b.Sites {
			if s.Cause != "satisfies" && s.Cause != "assertion" {
				cause = "uses"
			}
		}
		truth[b.Symbol.in(e.at)] = cause
	}
	predicted := map[string]bool{}
	unknown := map[string]bool{} // said to be unknown
	for _, a := range r.Symbols {
		switch n := &g.Nodes[a.ID]; {
		case a.Severity != impact.MustUpdate || n.Kind == graph.KindRoute: // no compiler knows of routes
		case sends[a.ID] && count[e.name(n)] == nil:
			e.unjudged++ // nor of requests to them
		case follow[a.ID]:
			// Where types name what they implement, the compiler complains of the
			// method, of its type, or of both.
			named := false
			for ; a.ID != graph.None; a.ID = g.Nodes[a.ID].Parent {
				if name := e.name(&g.Nodes[a.ID]); count[name] != nil {
					predicted[name], named = true, true
				}
				if g.Nodes[a.ID].Kind.IsType() {
					break
				}
			}
			if !named {
				e.followers++
			}
		case e.judged != nil && (!e.judged[n.File] || !seen[a.ID]):
			e.unjudged++
		default:
			// The compiler's errors are counted to the type that a member is written in.
			for count[e.name(n)] == nil && n.Parent != graph.None && g.Nodes[n.Parent].Kind.IsType() && (n.Kind == graph.KindField || diff.Abstract(g, a.ID)) {
				n = &g.Nodes[n.Parent]
			}
			if name := e.name(n); e.open[name] && count[name] == nil {
				e.unjudged++
			} else if name != m.Symbol.ID {
				predicted[name] = true
				unknown[name] = open[a.ID] && !a.Broken
			}
		}
	}
	all := e.tally(title + ", all")
	sub := &tally{}
	if m.Kind != "" {
		sub = e.tally(title + ", " + m.Kind + ", all")
	}
	found := map[string]bool{}
	for p := range predicted {
		for _, id := range count[p] {
			found[id] = true
		}
		if count[p] != nil {
			all.right++
			sub.right++
		} else {
			all.wrong++
			sub.wrong++
			how := ""
			if unknown[p] {
				how = " (said to be unknown)"
			}
			e.lines = append(e.lines, fmt.Sprintf("wrong   %-14s %-40s %s%s", title, m.Symbol.QName, p, how))
		}
	}
	for b, cause := range truth {
		t := e.tally(title + ", " + cause)
		for _, t := range []*tally{all, t, sub} {
			t.truth++
			if found[b] {
				t.found++
			}
		}
		if !found[b] {
			e.lines = append(e.lines, fmt.Sprintf("missed  %-14s %-40s %s (%s)", title, m.Symbol.QName, b, cause))
		}
	}
}

// implements reports whether a declaration implements or overrides the one at a
// place.
func (e *evaluation) implements(key, place string) bool {
	to := e.at[place]
	n := e.g.Lookup(key)
	return n != graph.None && slices.ContainsFunc(e.g.Out(n), func(x graph.Edge) bool {
		return x.To == to && (x.Kind == graph.EdgeImplements || x.Kind == graph.EdgeOverrides)
	})
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
	if e.deltas.truth > 0 {
		fmt.Printf("%-32s %v\n", "the change itself", &e.deltas)
	}
	fmt.Printf("%d methods that implement a changed one, listed apart\n", e.followers)
	fmt.Printf("%d declarations that the compiler did not see or not know, not judged\n", e.unjudged)
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
