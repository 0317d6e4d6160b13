// Testselect holds the tests that kg selects for a changed function body
// against the tests that really execute the function:
//
//	go run ./bench/testselect [-n 200] [-seed 1] [-misses N] REPOSITORY COVERED.jsonl
//
// COVERED.jsonl is what bench/covered wrote for the same files. Of the
// declarations that some test executes it takes n at random, asks kg which
// tests prove a change of their body (kg impact --symbol KEY --change body), and
// counts
//
//   - recall: of the tests that execute the declaration, how many are selected;
//   - share: how many tests are selected, against all tests of the packages that
//     depend on the changed package, which is what a build system would run.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/bench/change"
	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/impact"
)

func main() {
	n := flag.Int("n", 200, "declarations, 0 for all")
	seed := flag.Uint64("seed", 1, "of the choice")
	misses := flag.Int("misses", 0, "show up to this many declarations of which tests are missed")
	wide := flag.Int("wide", 0, "show up to this many declarations for which the most is selected in vain")
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	err := func() error {
		g, err := build(flag.Arg(0))
		if err != nil {
			return err
		}
		f, err := os.Open(flag.Arg(1))
		if err != nil {
			return err
		}
		defer f.Close()
		t, err := readTruth(f)
		if err != nil {
			return err
		}
		r, err := compare(g, t, *n, *seed)
		if err != nil {
			return err
		}
		r.print(os.Stdout, *misses, *wide)
		return nil
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "testselect:", err)
		os.Exit(2)
	}
}

func build(dir string) (*graph.Graph, error) {
	tree, err := source.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	return analyzer.Build(context.Background(), tree, analyzer.Options{})
}

// truth is what bench/covered wrote.
type truth struct {
	decls    []decl
	tests    []testID
	executed map[int][]int       // declaration → tests, as positions
	closure  map[string][]string // folder → folders whose tests depend on it
}

type decl struct {
	ID        int
	Key       string // instead of the id, where each file of tests was run by itself
	Name      string
	Dir, File string
	Line, Col int32
}

// testID is a test as the go command names it; where files are modules, Dir is
// the file.
type testID struct{ Dir, Name string }

func readTruth(in io.Reader) (*truth, error) {
	t := &truth{executed: map[int][]int{}, closure: map[string][]string{}}
	keys := map[string]int{}
	s := bufio.NewScanner(in)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		var record struct {
			T string
			decl
			Deps []string
			Runs []int
			Keys []string
		}
		if err := json.Unmarshal(s.Bytes(), &record); err != nil {
			return nil, err
		}
		switch record.T {
		case "decl":
			if k := record.Key; k != "" {
				if keys[k] > 0 {
					continue
				}
				record.ID = len(keys) + 1
				keys[k] = record.ID
			}
			t.decls = append(t.decls, record.decl)
		case "closure":
			for _, d := range record.Deps {
				t.closure[d] = append(t.closure[d], record.Dir)
			}
		case "test":
			for _, k := range record.Keys {
				record.Runs = append(record.Runs, keys[k])
			}
			for _, id := range record.Runs {
				t.executed[id] = append(t.executed[id], len(t.tests))
			}
			t.tests = append(t.tests, testID{record.Dir, record.Name})
		}
	}
	return t, s.Err()
}

// outcome is one declaration.
type outcome struct {
	decl
	unknown  bool // not in the graph
	executed int  // tests that execute it
	found    int  // of them, selected
	selected int  // of the tests that were run
	closure  int  // tests of all packages that depend on its package
	missed   []testID
}

type result struct {
	tests    int
	nameless int // of them, those that the graph has no test of the name of in their file
	outcomes []outcome
}

func compare(g *graph.Graph, t *truth, n int, seed uint64) (*result, error) {
	at := map[string]graph.ID{}
	for i := range g.Nodes {
		if x := &g.Nodes[i]; x.File != "" && x.Kind != graph.KindFile {
			at[place(x.File, x.Line)+x.Name] = graph.ID(i)
		}
		for _, v := range g.Nodes[i].Variants {
			at[place(v.File, v.Line)+g.Nodes[i].Name] = graph.ID(i)
		}
	}
	decls := slices.Clone(t.decls)
	rng := rand.New(rand.NewPCG(seed, 0x6b67))
	rng.Shuffle(len(decls), func(i, j int) { decls[i], decls[j] = decls[j], decls[i] })
	if n > 0 {
		decls = decls[:min(n, len(decls))]
	}
	known := map[testID]bool{}
	for i := range g.Nodes {
		if x := &g.Nodes[i]; x.Flags.Has(graph.FlagTestCase) {
			known[testID{x.File, x.Name}] = true
		}
	}
	byDir := map[string]int{}
	r := &result{tests: len(t.tests)}
	rules := change.Rules()
	for _, x := range t.tests {
		byDir[x.Dir]++
		if strings.Contains(path.Base(x.Dir), ".") && !known[x] {
			r.nameless++
		}
	}
	for _, d := range decls {
		o := outcome{decl: d, executed: len(t.executed[d.ID])}
		id, ok := at[place(d.File, d.Line)+d.Name]
		if !ok {
			o.unknown = true
			r.outcomes = append(r.outcomes, o)
			continue
		}
		answer, err := impact.WhatIf(g, g.Nodes[id].Key, diff.Body, rules, impact.Options{Limit: -1})
		if err != nil {
			return nil, err
		}
		all := answer.Tests.Mode == impact.All
		selected := map[testID]bool{}
		for _, x := range answer.Tests.Tests {
			dir := path.Dir(x.Symbol.File)
			if dir == "." {
				dir = ""
			}
			selected[testID{dir, x.Symbol.Name}] = true
			selected[testID{x.Symbol.File, x.Symbol.Name}] = true
		}
		var computed []computedName
		for x := range selected {
			if strings.Contains(x.Name, "${") {
				computed = append(computed, computedName{x.Dir, pattern(x.Name)})
			}
		}
		picked := func(x testID) bool {
			return all || selected[x] || !known[x] && slices.ContainsFunc(computed, func(c computedName) bool { return c.dir == x.Dir && c.name.MatchString(x.Name) })
		}
		for _, x := range t.tests {
			if picked(x) {
				o.selected++
			}
		}
		for _, i := range t.executed[d.ID] {
			if x := t.tests[i]; picked(x) {
				o.found++
			} else {
				o.missed = append(o.missed, x)
			}
		}
		for _, dir := range t.closure[d.Dir] {
			o.closure += byDir[dir]
		}
		r.outcomes = append(r.outcomes, o)
	}
	return r, nil
}

// computedName is a name of tests of a file that is computed where it runs.
type computedName struct {
	dir  string
	name *regexp.Regexp
}

var hole = regexp.MustCompile(`\$\{.*?\}+`)

// pattern returns what the names look like that a title with holes becomes.
func pattern(title string) *regexp.Regexp {
	at := 0
	s := "^"
	for _, h := range hole.FindAllStringIndex(title, -1) {
		s += regexp.QuoteMeta(title[at:h[0]]) + ".*"
		at = h[1]
	}
	return regexp.MustCompile(s + regexp.QuoteMeta(title[at:]) + "$")
}

func place(file string, line int32) string { return fmt.Sprintf("%s:%d ", file, line) }

// print writes the counts, then the mistakes that cost most.
func (r *result) print(w io.Writer, misses, wide int) {
	var sum outcome
	n, unknown, complete := 0, 0, 0
	recall, share := 0.0, 0.0
	for _, o := range r.outcomes {
		if o.unknown {
			unknown++
			continue
		}
		n++
		sum.executed += o.executed
		sum.found += o.found
		sum.selected += o.selected
		sum.closure += o.closure
		recall += float64(o.found) / float64(o.executed)
		share += float64(o.selected) / float64(max(o.closure, 1))
		if o.found == o.executed {
			complete++
		}
	}
	fmt.Fprintf(w, "%d tests, %d declarations, %d of them complete, %d not in the graph\n", r.tests, n, complete, unknown)
	if r.nameless > 0 {
		fmt.Fprintf(w, "%d tests have names that are computed where they run: any test of their file with such a title counts\n", r.nameless)
	}
	fmt.Fprintf(w, "recall   %.4f of %d pairs of declaration and test, mean %.4f\n", ratio(sum.found, sum.executed), sum.executed, recall/float64(max(n, 1)))
	fmt.Fprintf(w, "share    %.4f of %d tests that depend on the package, mean %.4f\n", ratio(sum.selected, sum.closure), sum.closure, share/float64(max(n, 1)))
	fmt.Fprintf(w, "executed %.4f of those, the least that could be selected\n", ratio(sum.executed, sum.closure))
	list := slices.Clone(r.outcomes)
	slices.SortStableFunc(list, func(a, b outcome) int { return cmp.Compare(len(b.missed), len(a.missed)) })
	for i, o := range list {
		if i == misses || len(o.missed) == 0 {
			break
		}
		var names []string
		for _, x := range o.missed[:min(4, len(o.missed))] {
			names = append(names, path.Join(x.Dir, x.Name))
		}
		fmt.Fprintf(w, "missed %d of %d: %s:%d %s by %s\n", len(o.missed), o.executed, o.File, o.Line, o.Name, strings.Join(names, ", "))
	}
	slices.SortStableFunc(list, func(a, b outcome) int { return cmp.Compare(b.selected-b.executed, a.selected-a.executed) })
	for i, o := range list {
		if i == wide {
			break
		}
		fmt.Fprintf(w, "wide: %d selected of %d, %d execute: %s:%d %s\n", o.selected, o.closure, o.executed, o.File, o.Line, o.Name)
	}
}

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
