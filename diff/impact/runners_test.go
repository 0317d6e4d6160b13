package impact

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/source/sourcetest"
	"github.com/codekg/kg/diff"
)

// inheriting is a tree of tests that are inherited along several ways, of which some
// ask for what their class does in its own way, and of tests that a function makes.
const inheriting = `
-- test_kits.py --
class Kit:
    def make(self):
        return 1

    def test_kit(self):
        assert self.make()


class Asking(Kit):
    def part(self):
        return self.make()

    def test_part(self):
        assert self.part()


class Mixed(Asking):
    def alone(self):
        return 1


class TestLeft(Asking):
    def part(self):
        return 2


class TestRight(Kit):
    def make(self):
        return 3


class TestBoth(TestLeft, TestRight):
    def make(self):
        return 4


class TestMixed(Mixed):
    def alone(self):
        return 2


class TestBelow(TestMixed):
    def test_part(self):
        pass


class TestLast(TestBelow):
    def part(self):
        return 5
-- suite.ts --
export function suite(n: string) {
  it('does', () => {})
}
export function more(n: string) {
  suite(n)
}
-- a.test.ts --
import { suite } from './suite'
suite('a')
-- b.test.ts --
import { more } from './suite'
more('b')
-- c.test.ts --
import { more } from './suite'
more('c')
`

// TestBoundsLoseNothing asks who runs tests with fewer and fewer of them named: what
// is not named any more is run as a whole.
func TestBoundsLoseNothing(t *testing.T) {
	g, err := analyzer.Build(t.Context(), sourcetest.Tree(txtar.Parse([]byte(inheriting)).Files), analyzer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := diff.Options{Rules: map[string]diff.Rules{"python": {Keywords: true, Dynamic: true, TestsAlone: true}, "typescript": {FileModules: true, Structural: true}}}.Compare(g, g)
	type pair struct{ test, by graph.ID }
	all := programsOf(d, g)
	runs, seen := 0, 0
	for _, named := range []int{1 << 10, 6, 4, 2, 1, 0} {
		p := programsOf(d, g)
		p.bounds.named = named
		for i := range g.Nodes {
			if !isTest(&g.Nodes[i]) {
				continue
			}
			fine, _ := all.runsOf(graph.ID(i))
			got, _ := p.runsOf(graph.ID(i))
			whole := p.runningWide(got.wide)
			for _, r := range fine.runs {
				runs++
				if r.inherited() && !slices.Contains(got.runs, r) && !slices.Contains(whole, r.By) {
					t.Errorf("%d named: %s by %s is lost", named, g.Nodes[i].Key, g.Nodes[r.By].Key)
				}
				if !r.inherited() && !slices.Contains(got.runs, r) && !(len(got.wide) > 0 && len(got.runs) == 0) {
					t.Errorf("%d named: %s where it stands is lost", named, g.Nodes[i].Key)
				}
			}
		}
	}
	if runs < 60 {
		t.Errorf("%d runs are looked at", runs)
	}
	w := newWalk(g)
	w.shaped = func(graph.ID) bool { return false }
	for _, b := range []bounds{{1 << 10, 20, 100}, {1 << 10, 5, 100}, {1 << 10, 0, 100}, {1 << 10, 1 << 20, 1}, {1 << 10, 1 << 20, 0}} {
		p := programsOf(d, g)
		p.bounds = b
		for i := range g.Nodes {
			if n := &g.Nodes[i]; n.Kind != graph.KindMethod || isTest(n) {
				continue
			}
			w.tests = true
			w.start(graph.ID(i))
			w.run(-1, w.testCase)
			fine, _ := all.reachedBelow(w)
			coarse, wide := p.reachedBelow(w)
			covered := map[pair]bool{}
			for _, l := range coarse {
				covered[pair{l.test, l.By}] = true
			}
			var roots []graph.ID
			for _, x := range wide {
				roots = append(roots, x.typ)
			}
			whole := append(p.runningWide(roots), roots...)
			for _, l := range fine {
				seen++
				if !covered[pair{l.test, l.By}] && !slices.Contains(whole, l.By) {
					t.Errorf("%+v: of a change of %s, %s by %s is lost", b, g.Nodes[i].Key, g.Nodes[l.test].Key, g.Nodes[l.By].Key)
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d runs below are looked at", seen)
	}
}

// TestToSeed takes what is between a test and a change from a long way.
func TestToSeed(t *testing.T) {
	files := []txtar.File{{Name: "go.mod", Data: []byte("module m\n")}}
	src, test := "package m\n", "package m\n\nimport \"testing\"\n\n"
	for i := range 200 {
		src += fmt.Sprintf("func F%d() { F%d() }\n", i, i+1)
	}
	files = append(files, txtar.File{Name: "a.go", Data: []byte(src + "func F200() {}\n")},
		txtar.File{Name: "a_test.go", Data: []byte(test + "func Test(t *testing.T) { F0() }\n\nfunc TestNear(t *testing.T) { F150() }\n")})
	g, err := analyzer.Build(t.Context(), sourcetest.Tree(files), analyzer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := WhatIf(g, "go:m#F200", diff.Body, diff.Options{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{0, 201 - 64} {
		x := r.Tests.Tests[i]
		if x.ViaMore != want || len(x.Via)+x.ViaMore != x.Distance || x.Via[len(x.Via)-1].Name != "F200" || x.Distance != []int{51, 201}[i] {
			t.Errorf("%s: %d hops, %d named, %d not", x.Symbol.Key, x.Distance, len(x.Via), x.ViaMore)
		}
	}
}

// TestDeepInheritance changes what is overridden again and again: what is not followed
// any more is told, and all tests are to be run.
func TestDeepInheritance(t *testing.T) {
	src := "package m;\n\nclass C0 { int f() { return 0; } }\n"
	for i := range 300 {
		src += fmt.Sprintf("class C%d extends C%d { @Override int f() { return %d; } }\n", i+1, i, i)
	}
	files := []txtar.File{{Name: "src/main/java/m/C0.java", Data: []byte(src)},
		{Name: "src/test/java/m/OneTest.java", Data: []byte("package m;\n\nimport org.junit.jupiter.api.Test;\n\nclass OneTest { @Test void t(C0 c) { c.f(); } }\n")}}
	g, err := analyzer.Build(t.Context(), sourcetest.Tree(files), analyzer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]Mode{200: Selected, 300: All} {
		r, err := WhatIf(g, fmt.Sprintf("java:m#C%d.f()", i), diff.Body, diff.Options{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(r.Tests.Reasons, func(w TestReason) bool { return w.Why == DeepInheritance })
		unknown := slices.ContainsFunc(r.Unknowns, func(u graph.Unknown) bool { return u.Reason == graph.ReasonInferBudget })
		if all := want == All; r.Tests.Mode != want || told != all || unknown != all {
			t.Errorf("C%d: %v, %v, %v", i, r.Tests.Mode, r.Tests.Reasons, r.Unknowns)
		}
	}
}

// TestManyOnLoad has a function that is started with the package hand the change to
// more functions than are looked at: all tests of the package may have it.
func TestManyOnLoad(t *testing.T) {
	src := "package m\n\nvar near, far = map[string]func() int{}, map[string]func() int{}\n\nfunc Changed() int { return 1 }\n\n" +
		"func init() { near[\"x\"] = Changed; F0(Changed) }\n\nfunc Far() int { return far[\"x\"]() }\n\n"
	for i := range 300 {
		src += fmt.Sprintf("func F%d(f func() int) { F%d(f) }\n", i, i+1)
	}
	files := []txtar.File{{Name: "go.mod", Data: []byte("module m\n")}, {Name: "a.go", Data: []byte(src + "func F300(f func() int) { far[\"x\"] = f }\n")},
		{Name: "a_test.go", Data: []byte("package m\n\nimport \"testing\"\n\nfunc TestFar(t *testing.T) { Far() }\n")}}
	g, err := analyzer.Build(t.Context(), sourcetest.Tree(files), analyzer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := WhatIf(g, "go:m#Changed", diff.Body, diff.Options{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Tests.Mode != Selected || len(r.Tests.Tests) != 1 {
		t.Errorf("%v, %d tests", r.Tests.Mode, len(r.Tests.Tests))
	}
}

// TestManyPassedOn takes a name away from a module that passes on all of more modules
// than are looked through: it may be there yet.
func TestManyPassedOn(t *testing.T) {
	build := func(index string, modules int) *graph.Graph {
		files := []txtar.File{{Name: "a.ts", Data: []byte("export const x = 1\n")}, {Name: "index.ts", Data: []byte(index)},
			{Name: "user.ts", Data: []byte("import { x } from './index'\n\nexport function use() { return x }\n")}}
		for i := range modules {
			files = append(files, txtar.File{Name: fmt.Sprintf("m%d.ts", i), Data: fmt.Appendf(nil, "export * from './m%d'\n", i+1)})
		}
		files = append(files, txtar.File{Name: fmt.Sprintf("m%d.ts", modules), Data: []byte("export const y = 1\n")})
		slices.SortFunc(files, func(x, y txtar.File) int { return strings.Compare(x.Name, y.Name) })
		g, err := analyzer.Build(t.Context(), sourcetest.Tree(files), analyzer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	rules := diff.Options{Rules: map[string]diff.Rules{"typescript": {FileModules: true, Structural: true, Reexports: true}}}
	for modules, want := range map[int]bool{3: true, 100: false} {
		base, head := build("export { x } from './a'\nexport * from './m0'\n", modules), build("export * from './m0'\n", modules)
		r := Compute(rules.Compare(base, head), Options{SkipTests: true})
		if broken := r.Totals.Broken > 0; broken != want || r.Totals.MustUpdate == 0 {
			t.Errorf("%d modules: %d of %d broken", modules, r.Totals.Broken, r.Totals.MustUpdate)
		}
	}
}

// TestPassedOnFarAway takes a name away from the last of many modules whose names another
// one passes on, more than are looked through: that who uses it may be cut off is told.
func TestPassedOnFarAway(t *testing.T) {
	build := func(last string, modules int) *graph.Graph {
		all := ""
		files := []txtar.File{{Name: "a.ts", Data: []byte("export const x = 1\n")},
			{Name: "user.ts", Data: []byte("import { x } from './all'\n\nexport function use() { return x }\n")}}
		for i := range modules {
			name := fmt.Sprintf("m%03d", i)
			all += fmt.Sprintf("export * from './%s'\n", name)
			files = append(files, txtar.File{Name: name + ".ts", Data: fmt.Appendf(nil, "export const y%d = 1\n", i)})
		}
		files = append(files, txtar.File{Name: "all.ts", Data: []byte(all + "export * from './z'\n")}, txtar.File{Name: "z.ts", Data: []byte(last)})
		slices.SortFunc(files, func(x, y txtar.File) int { return strings.Compare(x.Name, y.Name) })
		g, err := analyzer.Build(t.Context(), sourcetest.Tree(files), analyzer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	rules := diff.Options{Rules: map[string]diff.Rules{"typescript": {FileModules: true, Structural: true, Reexports: true}}}
	for modules, sure := range map[int]bool{3: true, 62: true, 63: false, 200: false} {
		base, head := build("export { x } from './a'\n", modules), build("export const y = 1\n", modules)
		r := Compute(rules.Compare(base, head), Options{SkipTests: true})
		if sure != (r.Totals.Broken == 2) || r.Totals.MustUpdate != 2 {
			t.Errorf("%d modules: %d of %d broken", modules, r.Totals.Broken, r.Totals.MustUpdate)
		}
	}
}
