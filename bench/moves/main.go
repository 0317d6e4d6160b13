// Moves renames and moves declarations of a repository, one after the other,
// and looks whether kg says so:
//
//	go run ./bench/moves [-n 5] [-seed 1] [-misses N] REPO...
//
// Every kind of change is made n times in each repository, in the text of the
// files and in memory only. Uses of what gets another name follow it. kg is right
// if it pairs each declaration with itself and reports the change once; every
// other declaration that it says came, went, was renamed or moved is wrong.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/bench/change"
	"github.com/codekg/kg/bench/gosrc"
	"github.com/codekg/kg/diff"
)

// injected is one change and what is true of it.
type injected struct {
	kind  string
	what  string            // for people
	files map[string][]byte // as bench/change.Overlay has them
	// pairs are the declarations that got another key, by the place of their
	// names, FILE:LINE:COL in the base; the head is found by the new name.
	pairs []pair
	// moved are the files with another path.
	moved map[string]string
	// atMost is how many changes of the kinds added, removed, renamed and moved
	// say all of it.
	atMost int
}

// pair is a declaration before and after.
type pair struct {
	base string // FILE:LINE:COL
	name string // the last part of its key in the head
	file string // in the head, unless the name is enough
}

type tally struct{ right, wrong, found, truth, changes int }

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 5, "how many changes of each kind in each repository")
	seed := flag.Uint64("seed", 1, "which declarations")
	misses := flag.Int("misses", 20, "show up to this many mistakes")
	flag.Parse()
	by := map[string]*tally{}
	var lines []string
	for _, dir := range flag.Args() {
		if err := repository(dir, *n, *seed, by, &lines); err != nil {
			log.Fatalf("%s: %v", dir, err)
		}
	}
	fmt.Println("| change | injected | precision | recall |\n|---|---:|---:|---:|")
	var all tally
	for _, k := range kinds {
		if t := by[k.name]; t != nil {
			fmt.Println(t.row(k.name))
			all = tally{all.right + t.right, all.wrong + t.wrong, all.found + t.found, all.truth + t.truth, all.changes + t.changes}
		}
	}
	fmt.Println(all.row("all"))
	for i, l := range lines {
		if i == *misses {
			fmt.Printf("… and %d more\n", len(lines)-i)
			break
		}
		fmt.Println(l)
	}
}

func (t *tally) row(name string) string {
	ratio := func(a, b int) string { return fmt.Sprintf("%.4f (%d of %d)", float64(a)/float64(max(b, 1)), a, b) }
	return fmt.Sprintf("| %s | %d | %s | %s |", name, t.changes, ratio(t.right, t.right+t.wrong), ratio(t.found, t.truth))
}

func repository(dir string, n int, seed uint64, by map[string]*tally, lines *[]string) error {
	ctx := context.Background()
	code, err := load(ctx, dir)
	if err != nil {
		return err
	}
	repo, err := source.OpenRepo(dir)
	if err != nil {
		return err
	}
	defer repo.Close()
	tree, err := repo.WorkTree()
	if err != nil {
		return err
	}
	defer tree.Close()
	var b change.Builder
	base, err := b.Build(ctx, tree)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 7))
	for _, k := range kinds {
		t := by[k.name]
		if t == nil {
			t = &tally{}
			by[k.name] = t
		}
		for done, tries := 0, 0; done < n && tries < 40*n; tries++ {
			x, ok := k.make(code, rng)
			if !ok {
				continue
			}
			head, err := b.Build(ctx, change.Overlay(tree, x.files))
			if err != nil {
				return err
			}
			x.kind = k.name
			done++
			x.judge(change.Compare(base, head), t, lines)
		}
	}
	return nil
}

// judge compares what kg says with what was done.
func (x *injected) judge(d *diff.Delta, t *tally, lines *[]string) {
	t.changes++
	at := map[string]graph.ID{}
	for i := range d.Base.Nodes {
		if n := &d.Base.Nodes[i]; n.Kind != graph.KindFile && n.File != "" {
			at[fmt.Sprintf("%s:%d:%d", n.File, n.Line, n.Col)] = graph.ID(i)
		}
	}
	say := func(format string, args ...any) {
		*lines = append(*lines, fmt.Sprintf("%-28s %-50s ", x.kind, x.what)+fmt.Sprintf(format, args...))
	}
	// Members of what moved, and files, follow.
	mine := map[graph.ID]bool{}
	for _, p := range x.pairs {
		t.truth++
		id, ok := at[p.base]
		if !ok {
			say("not in the graph: %s", p.base)
			continue
		}
		mine[id] = true
		h := d.ToHead(id)
		switch {
		case h == graph.None:
			say("missed %s", d.Base.Nodes[id].Key)
		case last(d.Head.Nodes[h].Key) != p.name || p.file != "" && d.Head.Nodes[h].File != p.file:
			say("missed %s, which is taken for %s in %s", d.Base.Nodes[id].Key, d.Head.Nodes[h].Key, d.Head.Nodes[h].File)
		default:
			t.found++
		}
	}
	for from, to := range x.moved {
		t.truth++
		if slices.Contains(d.Files.Moved, diff.FileMove{From: from, To: to}) {
			t.found++
		} else {
			say("missed the file %s, now %s", from, to)
		}
	}
	said := 0
	for i := range d.Changes {
		c := &d.Changes[i]
		if c.Kind > diff.Moved {
			continue
		}
		n := d.Symbol(c)
		if n.Kind == graph.KindFile {
			continue
		}
		if c.Kind == diff.Renamed && n.Kind == graph.KindField && len(x.pairs) == 1 && n.Name == x.pairs[0].name && !mine[c.Base] {
			t.right++ // an embedded field is called as its type
			continue
		}
		said++
		switch {
		case c.Kind >= diff.Renamed && (mine[c.Base] || n.Kind.IsContainer()) && said <= x.atMost:
			t.right++
		default:
			t.wrong++
			say("wrong: %v %s", c.Kind, n.Key)
		}
	}
}

func last(key string) string { return key[strings.LastIndexAny(key, ".#/")+1:] }

// load type-checks a repository.
func load(ctx context.Context, dir string) (*code, error) {
	l, err := gosrc.NewLoader(dir)
	if err != nil {
		return nil, err
	}
	groups, err := gosrc.FindGroups(l.Root)
	if err != nil {
		return nil, err
	}
	c := &code{l: l, src: map[string][]byte{}}
	for _, g := range groups {
		pkgs, _, err := l.Load(ctx, g, g.Dir, "")
		if err != nil {
			fmt.Fprintln(os.Stderr, g.Dir, err)
			continue
		}
		c.pkgs = append(c.pkgs, pkgs...)
	}
	c.index()
	return c, nil
}
