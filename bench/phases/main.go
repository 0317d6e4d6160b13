// Command phases measures the parts of a build: how much processor time goes
// into parsing alone, into reading files (parsing them and extracting facts),
// into linking, and into encoding the graph. It writes one line of JSON.
//
//	go run ./bench/phases [-parse] [-workers N] DIR
//
// With -parse it only parses and flattens the files that a build would parse,
// with as many workers: what no graph builder that uses the parser can avoid.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/lang"
	"github.com/codekg/kg/analyzer/lang/all"
	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/analyzer/syntax"
	"github.com/codekg/kg/bench/usage"
)

// phases is the result. Times are seconds of processor time, all threads.
type phases struct {
	Files  int     `json:"files"`
	Bytes  int64   `json:"bytes"`           // of source
	Nodes  int64   `json:"nodes,omitempty"` // of syntax trees
	Tree   float64 `json:"tree"`            // to list the files
	Parse  float64 `json:"parse,omitempty"`
	Read   float64 `json:"read,omitempty"`
	Link   float64 `json:"link,omitempty"`
	Write  float64 `json:"write,omitempty"`
	Graph  int64   `json:"graph,omitempty"` // bytes of the graph file
	latest float64
}

// beginLate puts off the first garbage collection as kg does: see collector.go of
// its command.
func beginLate() {
	const usual, heap, least = 100, 64 << 20, 4 << 20
	debug.SetGCPercent(usual * heap / least)
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}

func main() {
	beginLate()
	parse := flag.Bool("parse", false, "parse and flatten only")
	workers := flag.Int("workers", runtime.GOMAXPROCS(0), "files read at the same time")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	p, err := measure(flag.Arg(0), *parse, *workers)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "phases:", err)
		os.Exit(2)
	}
}

// lap returns the processor time since the last call.
func (p *phases) lap() float64 {
	before := p.latest
	p.latest = usage.Self().Seconds()
	return p.latest - before
}

func measure(dir string, parse bool, workers int) (*phases, error) {
	p := &phases{}
	p.lap()
	tree, err := open(dir)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	p.Tree = p.lap()
	if parse {
		err := p.parse(tree, workers)
		p.Parse = p.lap()
		return p, err
	}
	g, err := analyzer.Build(context.Background(), tree, analyzer.Options{Workers: workers, Progress: func(done, total int) {
		if done == total {
			p.Read = p.lap()
		}
	}})
	if err != nil {
		return nil, err
	}
	p.Link = p.lap()
	for _, f := range g.Files {
		p.Files++
		p.Bytes += f.Size
	}
	var n counter
	if err := artifact.Write(&n, g); err != nil {
		return nil, err
	}
	p.Graph, p.Write = int64(n), p.lap()
	return p, nil
}

// open opens a folder as `kg build` does: as a work tree if it is the top of
// one.
func open(dir string) (source.Tree, error) {
	r, err := source.OpenRepo(dir)
	if err != nil {
		return source.OpenDir(dir)
	}
	a, errA := os.Stat(dir)
	b, errB := os.Stat(r.Root())
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		r.Close()
		return source.OpenDir(dir)
	}
	return r.WorkTree()
}

type counter int64

var _ io.Writer = (*counter)(nil)

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// parse parses the source files of the tree.
func (p *phases) parse(tree source.Tree, workers int) error {
	var next, files, size, nodes atomic.Int64
	var wg sync.WaitGroup
	entries := tree.Entries()
	for range workers {
		wg.Go(func() {
			parser := syntax.NewParser()
			defer parser.Close()
			for i := next.Add(1) - 1; int(i) < len(entries); i = next.Add(1) - 1 {
				l := languageOf(entries[i])
				if l == nil {
					continue
				}
				src, err := tree.Read(int(i), int64(parser.Limits.Bytes))
				if err != nil {
					continue
				}
				files.Add(1)
				size.Add(int64(len(src)))
				_, grammar := l.GrammarOf(entries[i].Path)
				if t, err := parser.Parse(grammar, src); err == nil {
					nodes.Add(int64(len(t.Nodes)))
				}
			}
		})
	}
	wg.Wait()
	p.Files, p.Bytes, p.Nodes = int(files.Load()), size.Load(), nodes.Load()
	if p.Files == 0 {
		return fmt.Errorf("no source file")
	}
	return nil
}

func languageOf(e source.Entry) *lang.Language {
	if !e.Mode.IsFile() {
		return nil
	}
	for _, l := range all.Languages {
		if l.Role(e.Path) == lang.Source {
			return l
		}
	}
	return nil
}
