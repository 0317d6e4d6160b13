package diff_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/difftest"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected sections of testdata")

// TestGolden compares the graphs "base" and "head" of each file in testdata.
// What differs must be the section "delta"; the reverse comparison must mirror
// it.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			base, head := section(t, a, "base"), section(t, a, "head")
			o := diff.Options{Rules: map[string]diff.Rules{"py": {Keywords: true, Dynamic: true}, "typescript": {Structural: true, Union: "|"},
				"java": {Statics: true, Supertypes: func(string) []string { return nil }, TopTypes: []string{"l.Any"}, Compiled: erased}}}
			d := o.Compare(base, head)
			got := describe(d)
			checkMirror(t, d, o.Compare(head, base))
			for _, g := range []*graph.Graph{base, head} {
				if self := o.Compare(g, g); !self.Empty() {
					t.Errorf("a graph differs from itself:\n%s", describe(self))
				}
			}
			for i := range a.Files {
				f := &a.Files[i]
				if f.Name != "delta" {
					continue
				}
				if *update {
					f.Data = []byte(got)
					if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
						t.Fatal(err)
					}
				} else if string(f.Data) != got {
					t.Errorf("got:\n%s\nwant:\n%s", got, f.Data)
				}
				return
			}
			t.Fatal("no section delta")
		})
	}
}

func section(t *testing.T, a *txtar.Archive, name string) *graph.Graph {
	t.Helper()
	for _, f := range a.Files {
		if f.Name == name {
			g, err := difftest.Parse(string(f.Data))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return g
		}
	}
	t.Fatalf("no section %s", name)
	return nil
}

// describe writes a delta for people who read test data.
func describe(d *diff.Delta) string {
	var b strings.Builder
	for i := range d.Changes {
		c := &d.Changes[i]
		fmt.Fprintf(&b, "%v %s", c.Kind, d.Symbol(c).Key)
		if w := d.Was(c); w != nil && w.Key != d.Symbol(c).Key {
			fmt.Fprintf(&b, " was %s", w.Key)
		}
		if c.Breaking {
			b.WriteString(" breaking")
		}
		if c.Members > 0 {
			fmt.Fprintf(&b, " members=%d", c.Members)
		}
		if c.Uncertain {
			b.WriteString(" uncertain")
		}
		b.WriteByte('\n')
		for _, x := range c.Details {
			fmt.Fprintf(&b, "  %v %v", x.Code, x.Verdict)
			if x.Index >= 0 {
				fmt.Fprintf(&b, " at %d", x.Index)
			}
			if x.Name != "" {
				fmt.Fprintf(&b, " %s", x.Name)
			}
			if x.From != "" || x.To != "" {
				fmt.Fprintf(&b, ": %s => %s", x.From, x.To)
			}
			b.WriteByte('\n')
		}
	}
	sign := func(added bool) (string, *graph.Graph) {
		if added {
			return "+", d.Head
		}
		return "-", d.Base
	}
	for _, r := range d.Relations {
		s, g := sign(r.Added)
		fmt.Fprintf(&b, "relation %s %s %v %s\n", s, g.Nodes[r.From].Key, r.Kind, g.Nodes[r.To].Key)
	}
	for _, x := range d.Dependencies {
		s, g := sign(x.Added)
		fmt.Fprintf(&b, "dependency %s %s %s %s:%d\n", s, g.Nodes[x.From].Key, g.Nodes[x.To].Key, x.File, x.Line)
	}
	for _, c := range d.Cycles {
		s, g := sign(c.Added)
		fmt.Fprintf(&b, "cycle %s", s)
		for _, x := range c.Path {
			fmt.Fprintf(&b, " %s (%s:%d) ->", g.Nodes[x.From].Key, x.File, x.Line)
		}
		fmt.Fprintf(&b, " %s\n", g.Nodes[c.Path[0].From].Key)
	}
	for _, l := range d.Libraries {
		fmt.Fprintf(&b, "library %s => %s in %d files\n", l.From, l.To, l.Files)
	}
	for _, x := range d.Files.Shifted {
		fmt.Fprintf(&b, "shifted %d %s => %s\n", x.Declarations, x.From, x.To)
	}
	for _, m := range d.Files.Moved {
		fmt.Fprintf(&b, "file %s => %s\n", m.From, m.To)
	}
	for _, f := range d.Files.Lost {
		fmt.Fprintf(&b, "lost %s %v\n", f.Path, f.Reason)
	}
	for _, f := range d.Files.Gained {
		fmt.Fprintf(&b, "gained %s %v\n", f.Path, f.Reason)
	}
	for _, f := range d.Files.Formatting {
		fmt.Fprintf(&b, "formatting %s\n", f)
	}
	return b.String()
}

// checkMirror checks that d and back, the same comparison with the graphs
// swapped, say the same.
func checkMirror(t *testing.T, d, back *diff.Delta) {
	t.Helper()
	mirrored := map[diff.Kind]diff.Kind{diff.Added: diff.Removed, diff.Removed: diff.Added}
	all := func(d *diff.Delta, swap bool) map[string]bool {
		set := map[string]bool{}
		for i := range d.Changes {
			c := &d.Changes[i]
			k, b, h := c.Kind, c.Base, c.Head
			bg, hg := d.Base, d.Head
			if swap {
				if m, ok := mirrored[k]; ok {
					k = m
				}
				b, h, bg, hg = h, b, hg, bg
			}
			name := func(g *graph.Graph, n graph.ID) string {
				if n == graph.None {
					return "-"
				}
				return g.Nodes[n].Key
			}
			set[fmt.Sprintf("%v %s %s %d %v", k, name(bg, b), name(hg, h), c.Members, c.Uncertain)] = true
		}
		for _, r := range d.Relations {
			g := d.Base
			if r.Added {
				g = d.Head
			}
			set[fmt.Sprintf("relation %v %s %v %s", r.Added != swap, g.Nodes[r.From].Key, r.Kind, g.Nodes[r.To].Key)] = true
		}
		for _, x := range d.Dependencies {
			g := d.Base
			if x.Added {
				g = d.Head
			}
			set[fmt.Sprintf("dependency %v %s %s", x.Added != swap, g.Nodes[x.From].Key, g.Nodes[x.To].Key)] = true
		}
		for _, c := range d.Cycles {
			set[fmt.Sprintf("cycle %v %d", c.Added != swap, len(c.Packages))] = true
		}
		for _, l := range d.Libraries {
			if swap {
				l.From, l.To = l.To, l.From
			}
			set["library "+l.From+" "+l.To] = true
		}
		for _, x := range d.Files.Shifted {
			if swap {
				x.From, x.To = x.To, x.From
			}
			set[fmt.Sprint("shifted ", x)] = true
		}
		added, removed := d.EdgesAdded, d.EdgesRemoved
		if swap {
			added, removed = removed, added
		}
		set[fmt.Sprintf("edges %v %v", added, removed)] = true
		return set
	}
	x, y := all(d, false), all(back, true)
	for s := range x {
		if !y[s] {
			t.Errorf("not in the reverse comparison: %s", s)
		}
	}
	for s := range y {
		if !x[s] {
			t.Errorf("only in the reverse comparison: %s", s)
		}
	}
}

// erased leaves type arguments out, and does not know what has no package.
func erased(typ string) string {
	name, _, _ := strings.Cut(typ, "<")
	if !strings.Contains(name, ".") {
		return ""
	}
	return name
}
