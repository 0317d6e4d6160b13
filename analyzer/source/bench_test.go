package source_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/codekg/kg/analyzer/source"
)

// Benchmarks run over a repository of their own; KG_BENCH_REPO names a real
// one to measure instead.
func benchRepo(b *testing.B) string {
	if dir := os.Getenv("KG_BENCH_REPO"); dir != "" {
		return dir
	}
	r := newRepo(b)
	for i := range 2000 {
		r.write(fmt.Sprintf("dir%02d/sub%d/file%d.go", i%40, i%7, i), strings.Repeat(fmt.Sprintf("line %d of the file\n", i), 400))
	}
	r.commit("first")
	r.git("gc", "--quiet")
	r.age()
	return r.dir
}

func BenchmarkRevision(b *testing.B) {
	dir := benchRepo(b)
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			r, tree := openRevision(b, dir)
			tree.Close()
			r.Close()
		}
	})
	for _, workers := range []int{1, runtime.GOMAXPROCS(0)} {
		b.Run(fmt.Sprintf("read/workers=%d", workers), func(b *testing.B) {
			for b.Loop() {
				r, tree := openRevision(b, dir)
				b.SetBytes(readGo(b, tree, workers))
				tree.Close()
				r.Close()
			}
		})
	}
}

func BenchmarkWorkTree(b *testing.B) {
	dir := benchRepo(b)
	r, err := source.OpenRepo(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for b.Loop() {
		tree, err := r.WorkTree()
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(readGo(b, tree, runtime.GOMAXPROCS(0)))
		tree.Close()
	}
}

func openRevision(b *testing.B, dir string) (*source.Repo, source.Tree) {
	r, err := source.OpenRepo(dir)
	if err != nil {
		b.Fatal(err)
	}
	tree, err := r.Revision(resolve(b, r, "HEAD"))
	if err != nil {
		b.Fatal(err)
	}
	return r, tree
}

// readGo reads the Go files of a tree and returns how many bytes they are.
func readGo(b *testing.B, tree source.Tree, workers int) int64 {
	var wg sync.WaitGroup
	var next, total atomic.Int64
	for range workers {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(tree.Entries()) {
					return
				}
				if !strings.HasSuffix(tree.Entries()[i].Path, ".go") {
					continue
				}
				data, err := tree.Read(i, -1)
				if err != nil {
					b.Error(err)
				}
				total.Add(int64(len(data)))
			}
		})
	}
	wg.Wait()
	return total.Load()
}

// BenchmarkHistory reads the history of HEAD, cold and from a cache.
func BenchmarkHistory(b *testing.B) {
	dir := benchRepo(b)
	read := func(b *testing.B, cache string) {
		r, err := source.OpenRepo(dir)
		if err != nil {
			b.Fatal(err)
		}
		defer r.Close()
		log := logOf(b, r, "HEAD", source.HistoryOptions{Limit: 5000, Cache: cache})
		b.ReportMetric(float64(len(log.Commits)), "commits")
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			read(b, "")
		}
	})
	b.Run("warm", func(b *testing.B) {
		cache := b.TempDir()
		for b.Loop() {
			read(b, cache)
		}
	})
}
