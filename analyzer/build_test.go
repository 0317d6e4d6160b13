package analyzer_test

import (
	"bytes"
	"context"
	"fmt"
	"go/build"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/analyzer/source/sourcetest"
)

func graphBytes(t testing.TB, tree source.Tree, o analyzer.Options) []byte {
	t.Helper()
	g, err := analyzer.Build(context.Background(), tree, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := artifact.Write(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// goroot returns real Go code that every machine with a Go compiler has.
func goroot(t testing.TB, dir string) source.Tree {
	t.Helper()
	tree, err := source.OpenDir(filepath.Join(build.Default.GOROOT, "src", dir))
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

// TestDeterministic holds that a graph is a function of its tree: the number of
// workers and what a memo holds leave no trace.
func TestDeterministic(t *testing.T) {
	tree := goroot(t, "go")
	want := graphBytes(t, tree, analyzer.Options{Workers: 1})
	memo := &analyzer.Memo{}
	for _, o := range []analyzer.Options{{Workers: 2}, {Workers: 8}, {Workers: 3, Memo: memo}, {Workers: 2, Memo: memo}} {
		if !bytes.Equal(want, graphBytes(t, tree, o)) {
			t.Errorf("%d workers, memo %v: other bytes", o.Workers, o.Memo != nil)
		}
	}
}

// synthetic returns a module of n files, ten to a package, whose functions call
// each other through values, interfaces and generics.
func synthetic(n int) []txtar.File {
	r := rand.New(rand.NewPCG(1, 2))
	files := []txtar.File{{Name: "go.mod", Data: []byte("module example.com/m\n")}}
	for i := range n {
		p := i / 10
		var b bytes.Buffer
		fmt.Fprintf(&b, "package p%d\n\nimport \"fmt\"\n", p)
		q := -1
		if p > 0 {
			q = r.IntN(p)
			fmt.Fprintf(&b, "import \"example.com/m/p%d\"\n", q)
		}
		fmt.Fprintf(&b, "\ntype I%d interface{ Do%d(int) (string, error); Common() }\n", i, i/10)
		fmt.Fprintf(&b, "type T%d struct { next *T%d; m map[string]I%d }\n", i, p*10+r.IntN(min(10, n-p*10)), i)
		fmt.Fprintf(&b, "func (t *T%d) Do%d(n int) (string, error) { t.Common(); return fmt.Sprint(n), nil }\n", i, i/10)
		fmt.Fprintf(&b, "func (t *T%d) Common() {\n\tfor k, v := range t.m {\n\t\tif s, err := v.Do%d(len(k)); err == nil { fmt.Println(s) }\n\t}\n}\n", i, i/10)
		fmt.Fprintf(&b, "func Map%d[A, B any](as []A, f func(A) B) (bs []B) { for _, a := range as { bs = append(bs, f(a)) }; return bs }\n", i)
		for k := range 8 {
			fmt.Fprintf(&b, "func F%d_%d(x I%d) *T%d {\n\tt := &T%d{m: map[string]I%d{\"a\": x}}\n", i, k, i, i, i, i)
			if k > 0 {
				fmt.Fprintf(&b, "\tF%d_%d(x).Common()\n", i, k-1)
			}
			if q >= 0 {
				fmt.Fprintf(&b, "\tp%d.F%d_%d(nil).Common()\n", q, q*10, k)
			}
			fmt.Fprintf(&b, "\tMap%d([]string{\"x\"}, func(s string) *T%d { return t })[0].Common()\n\treturn t\n}\n", i, i)
		}
		files = append(files, txtar.File{Name: fmt.Sprintf("p%d/f%d.go", p, i), Data: b.Bytes()})
	}
	return files
}

// BenchmarkBuild builds synthetic modules of growing size: the time and memory
// per file must not grow.
func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			files := synthetic(n)
			size := 0
			for _, f := range files {
				size += len(f.Data)
			}
			t := sourcetest.Tree(files)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				if _, err := analyzer.Build(context.Background(), t, analyzer.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/file")
		})
	}
}
