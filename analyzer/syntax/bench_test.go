package syntax

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// corpus returns the Go files below $KG_BENCH_DIR, or those of part of the
// standard library.
func corpus(b testing.TB) (files [][]byte, size int64) {
	b.Helper()
	dir := os.Getenv("KG_BENCH_DIR")
	if dir == "" {
		dir = filepath.Join(build.Default.GOROOT, "src", "go")
	}
	limit := DefaultLimits().Bytes
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		if src, err := os.ReadFile(path); err == nil && len(src) <= limit {
			files = append(files, src)
			size += int64(len(src))
		}
		return nil
	})
	if len(files) == 0 {
		b.Skip("no Go sources")
	}
	return files, size
}

// BenchmarkParse parses and flattens.
func BenchmarkParse(b *testing.B) {
	files, size := corpus(b)
	p := NewParser()
	defer p.Close()
	b.SetBytes(size)
	b.ReportAllocs()
	var nodes, asked int64
	for b.Loop() {
		nodes, asked = 0, 0
		for _, src := range files {
			t, err := p.Parse(golang, src)
			if err != nil {
				b.Fatal(err)
			}
			nodes += int64(len(t.Nodes))
			asked += p.Stats.Requested
		}
	}
	per := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(per/float64(nodes), "ns/node")
	b.ReportMetric(float64(asked)/float64(size), "requested/byte")
}

// BenchmarkFlatten reports what flattening adds to the runtime's parse, as the
// ratio of both together to the parse alone. It takes the best of several turns
// per file, so that it can be read on a busy machine.
func BenchmarkFlatten(b *testing.B) {
	files, size := corpus(b)
	p, alone := NewParser(), NewParser()
	defer p.Close()
	defer alone.Close()
	alone.Limits.Nodes = 0 // gives up after the parse
	best := func(p *Parser, src []byte) time.Duration {
		least := time.Hour
		for range 5 {
			start := time.Now()
			p.Parse(golang, src)
			least = min(least, time.Since(start))
		}
		return least
	}
	var both, parse time.Duration
	for b.Loop() {
		both, parse = 0, 0
		for _, src := range files {
			parse += best(alone, src)
			both += best(p, src)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(both)/float64(parse), "ratio")
	b.ReportMetric(float64(size)/1e6/both.Seconds(), "MB/s-best")
}

// BenchmarkBinding parses through the Go binding, for comparison: the runtime
func BenchmarkBinding(b *testing.B) {
	files, size := corpus(b)
	bp := bindingParser(b)
	b.SetBytes(size)
	for b.Loop() {
		for _, src := range files {
			bp.Parse(src, nil).Close()
		}
	}
}

// BenchmarkHash hashes all functions of files that have been parsed; to be
// compared with BenchmarkParse.
func BenchmarkHash(b *testing.B) {
	files, size := corpus(b)
	p := NewParser()
	defer p.Close()
	fn, method := golang.Kind("function_declaration"), golang.Kind("method_declaration")
	name := golang.Field("name")
	var trees []*Tree
	for _, src := range files {
		t, err := p.Parse(golang, src)
		if err != nil {
			b.Fatal(err)
		}
		trees = append(trees, t.Clone())
	}
	rules := &HashRules{Ignore: golang.Tokens(",", ";")}
	var h Hasher
	b.SetBytes(size)
	b.ReportAllocs()
	var n int
	names := make([]ID, 1)
	for b.Loop() {
		n = 0
		for _, t := range trees {
			for c, end := ID(1), t.Nodes[0].Next; c < end; c = t.Nodes[c].Next {
				if k := t.Kind(c); k == fn || k == method {
					names[0] = t.ChildByField(c, name)
					h.Hash(t, c, rules, Edits{Names: names})
					n++
				}
			}
		}
	}
	b.ReportMetric(float64(n), "functions")
}

// BenchmarkWalk visits all nodes and their fields.
func BenchmarkWalk(b *testing.B) {
	files, size := corpus(b)
	p := NewParser()
	defer p.Close()
	var trees []*Tree
	for _, src := range files {
		t, _ := p.Parse(golang, src)
		trees = append(trees, t.Clone())
	}
	call, function := golang.Kind("call_expression"), golang.Field("function")
	b.SetBytes(size)
	var calls, nodes int
	for b.Loop() {
		calls, nodes = 0, 0
		for _, t := range trees {
			nodes += len(t.Nodes)
			for i := range t.Nodes {
				if t.Nodes[i].Kind == call && t.ChildByField(ID(i), function) != None {
					calls += t.Line(ID(i)) & 1
				}
			}
		}
	}
	b.ReportMetric(float64(calls), "odd-calls")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node")
}
