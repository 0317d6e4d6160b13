package diff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/difftest"
)

// decl is one line of the notation of package difftest, in the making.
type decl struct {
	pkg, typ, name, kind string
	body, params         int
	file                 int
}

// tree is a random program.
type tree []decl

func randomTree(r *rand.Rand, n int) tree {
	var t tree
	for range n {
		d := decl{pkg: fmt.Sprintf("go:m/p%d", r.IntN(3)), name: fmt.Sprintf("F%d", r.IntN(n)), kind: "function",
			body: r.IntN(n), params: r.IntN(3), file: r.IntN(3)}
		if r.IntN(2) == 0 {
			d.typ, d.kind = fmt.Sprintf("T%d", r.IntN(4)), []string{"method", "field"}[r.IntN(2)]
		}
		t = append(t, d)
	}
	return t
}

// mutate changes a few things at random: the ways in which people change code,
// and some that they do not.
func (t tree) mutate(r *rand.Rand) tree {
	t = slices.Clone(t)
	for range 1 + r.IntN(6) {
		if len(t) == 0 {
			return randomTree(r, 3)
		}
		i := r.IntN(len(t))
		switch r.IntN(8) {
		case 0:
			t = slices.Delete(t, i, i+1)
		case 1:
			t[i].name = fmt.Sprintf("F%d", r.IntN(100))
		case 2:
			t[i].body = r.IntN(100)
		case 3:
			t[i].params = r.IntN(3)
		case 4:
			t[i].pkg = fmt.Sprintf("go:m/p%d", r.IntN(4))
		case 5: // a type gets another name
			from, to := t[i].typ, fmt.Sprintf("T%d", r.IntN(9))
			for j := range t {
				if t[j].typ == from && from != "" {
					t[j].typ = to
				}
			}
		case 6: // a package gets another name
			from, to := t[i].pkg, fmt.Sprintf("go:m/p%d", r.IntN(9))
			for j := range t {
				if t[j].pkg == from {
					t[j].pkg = to
				}
			}
		case 7:
			t = append(t, randomTree(r, 2)...)
		}
	}
	return t
}

func (t tree) graph(tb testing.TB, r *rand.Rand) *graph.Graph {
	tb.Helper()
	byPlace := map[[2]string][]decl{}
	seen := map[string]bool{}
	for _, d := range t {
		if k := d.pkg + d.typ + "." + d.name; !seen[k] {
			seen[k] = true
			byPlace[[2]string{d.pkg, d.typ}] = append(byPlace[[2]string{d.pkg, d.typ}], d)
		}
	}
	var places [][2]string
	for p := range byPlace {
		places = append(places, p)
	}
	slices.SortFunc(places, func(x, y [2]string) int { return slices.Compare(x[:], y[:]) })
	var b strings.Builder
	pkg := ""
	var keys []string
	for _, p := range places {
		if p[0] != pkg {
			pkg = p[0]
			fmt.Fprintf(&b, "package %s\n", pkg)
		}
		indent, dot := "  ", "#"
		if p[1] != "" {
			fmt.Fprintf(&b, "  struct #%s %s.go:1-9\n", p[1], pkg[3:])
			indent, dot = "    ", "."
		}
		for i, d := range byPlace[p] {
			fmt.Fprintf(&b, "%s%s %s%s %s%d.go:%d-%d tokens=%d", indent, d.kind, dot, d.name, pkg[3:], d.file, i*10, i*10+5, 4+d.body%40)
			if d.kind != "field" {
				fmt.Fprintf(&b, " body=%d min=%x", d.body, 0xabcdef0123456789+uint64(d.body%5))
			}
			if d.params > 0 {
				fmt.Fprintf(&b, " params=%s", strings.Join([]string{"a:int", "b:" + pkg[3:] + ".T1"}[:d.params], ","))
			}
			b.WriteByte('\n')
			key := pkg + "#" + d.name
			if p[1] != "" {
				key = pkg + "#" + p[1] + "." + d.name
			}
			keys = append(keys, key)
			for range r.IntN(3) {
				kind := []string{"calls", "reads", "implements", "overrides", "references"}[r.IntN(5)]
				fmt.Fprintf(&b, "%s  -> %s %s :%d args=%d\n", indent, kind, keys[r.IntN(len(keys))], i*10+1, r.IntN(3))
			}
		}
	}
	g, err := difftest.Parse(b.String())
	if err != nil {
		tb.Fatalf("%v\n%s", err, b.String())
	}
	return g
}

// TestProperties checks on random programs that a graph does not differ from
// itself, that swapping the graphs mirrors the delta, that matches are one to
// one, that every declaration is accounted for once, and that the answer is
// the same twice.
func TestProperties(t *testing.T) {
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 1))
		x := randomTree(r, 2+r.IntN(30))
		base := x.graph(t, rand.New(rand.NewPCG(seed, 2)))
		head := x.mutate(r).graph(t, rand.New(rand.NewPCG(seed, 2)))
		if d := diff.Compare(base, base); !d.Empty() {
			t.Fatalf("seed %d: a graph differs from itself:\n%s", seed, describe(d))
		}
		d := diff.Compare(base, head)
		checkMirror(t, d, diff.Compare(head, base))
		if again := diff.Compare(base, head); describe(again) != describe(d) {
			t.Errorf("seed %d: two answers", seed)
		}
		for i := range base.Nodes {
			if h := d.ToHead(graph.ID(i)); h != graph.None && d.ToBase(h) != graph.ID(i) {
				t.Errorf("seed %d: %s is matched twice", seed, base.Nodes[i].Key)
			}
		}
		seen := map[string]bool{}
		for i := range d.Changes {
			c := &d.Changes[i]
			id := fmt.Sprint(c.Base, c.Head)
			if seen[id] {
				t.Errorf("seed %d: two changes of %s", seed, d.Symbol(c).Key)
			}
			seen[id] = true
			if c.Aspects == 0 || !c.Aspects.Has(c.Kind) {
				t.Errorf("seed %d: %s: kind %v is none of its aspects", seed, d.Symbol(c).Key, c.Kind)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, describe(d))
		}
	}
}
