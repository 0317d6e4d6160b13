// Command asking measures how long questions to a large graph take. It makes a
// synthetic graph of the given size, in which few declarations are used by many,
// and asks about declarations that are spread over it: in process, by a command
// for each question, and over MCP for the memory of a server.
//
//	go run ./bench/asking [-kg kg] [-nodes 100000] [-edges 500000] [-times 2000]
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/query"
	"github.com/codekg/kg/analyzer/search"
	"github.com/codekg/kg/bench/usage"
	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/impact"
)

type config struct {
	kg                  string
	nodes, edges, times int
	keep                string
}

func main() {
	var c config
	flag.StringVar(&c.kg, "kg", "kg", "the program to measure")
	flag.IntVar(&c.nodes, "nodes", 100_000, "nodes of the graph")
	flag.IntVar(&c.edges, "edges", 500_000, "edges of the graph")
	flag.IntVar(&c.times, "times", 2000, "questions of each sort")
	flag.StringVar(&c.keep, "keep", "", "only write the graph to this file")
	flag.Parse()
	if err := run(context.Background(), c, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "asking:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, c config, out, log io.Writer) error {
	tmp, err := os.MkdirTemp("", "kg-asking-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if c.keep != "" {
		g := synthetic(c.nodes, c.edges)
		if err := artifact.WriteFile(ctx, c.keep, g); err != nil {
			return err
		}
		_, err := fmt.Fprintln(out, keyOf(g, methods(g), 5))
		return err
	}
	// What a process needs at most is never less than what the one that started it
	// had: commands come first, and a process of its own makes the graph.
	file := filepath.Join(tmp, "g.kg")
	self, err := os.Executable()
	if err != nil {
		return err
	}
	target, _, err := usage.Command(log, self, "-nodes", strconv.Itoa(c.nodes), "-edges", strconv.Itoa(c.edges), "-keep", file)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if err := commands(ctx, &c, tmp, file, strings.TrimSpace(string(target)), out, log); err != nil {
		return err
	}
	g := synthetic(c.nodes, c.edges)
	fmt.Fprintf(out, "\n%d nodes, %d edges, %d places; the graph file has %.1f MB\n\n", len(g.Nodes), len(g.Edges), g.SiteCount(), float64(info.Size())/1e6)
	fmt.Fprintf(out, "| question | median | 95 %% | mean processor time |\n|---|---:|---:|---:|\n")
	x := query.New(g)
	targets := methods(g)
	key := func(i int) string { return keyOf(g, targets, i) }
	ask := func(r query.Request) error {
		a, err := x.Ask(r)
		if err == nil && a.Schema == "" {
			err = fmt.Errorf("no answer")
		}
		return err
	}
	kind := map[graph.Kind][]graph.ID{}
	for i := range g.Nodes {
		kind[g.Nodes[i].Kind] = append(kind[g.Nodes[i].Kind], graph.ID(i))
	}
	interfaces := kind[graph.KindInterface]
	for _, m := range []struct {
		name  string
		times int
		do    func(i int) error
	}{
		{"callers, depth 1", c.times, func(i int) error { return ask(query.Request{Op: "callers", Target: key(i)}) }},
		{"callees, depth 1", c.times, func(i int) error { return ask(query.Request{Op: "callees", Target: key(i)}) }},
		{"implementations", c.times, func(i int) error {
			return ask(query.Request{Op: "implementations", Target: g.Nodes[interfaces[i%len(interfaces)]].Key})
		}},
		{"callers by qualified name", c.times, func(i int) error {
			return ask(query.Request{Op: "callers", Target: g.Nodes[targets[(i*7919)%len(targets)]].QName})
		}},
		{"callers, depth 5", c.times / 10, func(i int) error { return ask(query.Request{Op: "callers", Target: key(i), Depth: 5}) }},
		{"callees, depth 5", c.times / 10, func(i int) error { return ask(query.Request{Op: "callees", Target: key(i), Depth: 5}) }},
		{"path", c.times / 10, func(i int) error { return ask(query.Request{Op: "path", Target: key(i), To: key(i + 13)}) }},
		{"impact, signature", c.times / 10, func(i int) error {
			_, err := impact.WhatIf(g, key(i), diff.Signature, diff.Options{}, impact.Options{SkipTests: true})
			return err
		}},
	} {
		if err := measure(out, m.name, m.times, m.do); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	begin := time.Now()
	words := search.Build(g, search.Options{})
	built := time.Since(begin)
	r := rand.New(rand.NewPCG(7, 7))
	if err := measure(out, "search", max(1, c.times/20), func(int) error {
		_, err := words.Search(search.Request{Text: vocabulary[r.IntN(len(vocabulary))] + " " + vocabulary[r.IntN(len(vocabulary))] + " the " + vocabulary[r.IntN(len(vocabulary))]})
		return err
	}); err != nil {
		return err
	}
	stored := words.Encode()
	begin = time.Now()
	if _, err := search.Decode(g, stored); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nThe search index is made in %.2f s; its %.1f MB are read back in %.0f ms.\n", built.Seconds(), float64(len(stored))/1e6, 1e3*time.Since(begin).Seconds())
	return nil
}

// keyOf returns the key of one of the methods of a graph, spread over it.
func keyOf(g *graph.Graph, methods []graph.ID, i int) string {
	return g.Nodes[methods[(i*7919)%len(methods)]].Key
}

// commands shows what a command for one question needs, and a server.
func commands(ctx context.Context, c *config, tmp, file, target string, out, log io.Writer) error {
	// The cache is this program's own.
	os.Setenv("XDG_CACHE_HOME", tmp)
	for _, p := range []struct {
		name string
		args []string
	}{
		{"one question", []string{"query", "callers", target, "--graph", file, "-q"}},
		{"one search that makes the index", []string{"search", "open the store", "--graph", file, "-q", "--no-cache"}},
		{"one search, with an index that is there", []string{"search", "open the store", "--graph", file, "-q"}},
	} {
		_, u, err := usage.Repeat(7, log, c.kg, p.args...)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "A process for %s: %.0f ms, %.0f ms of processor time, %d MB.\n", p.name, 1e3*u.Wall.Seconds(), 1e3*u.CPU.Seconds(), u.Peak>>20)
	}
	for _, how := range []string{"that makes the search index", "that finds the search index"} {
		if how == "that makes the search index" {
			os.RemoveAll(filepath.Join(tmp, "kg"))
		}
		rss, err := server(ctx, c.kg, file, target)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "A server %s: %s.\n", how, rss)
	}
	return nil
}

// measure shows what a question took.
func measure(out io.Writer, name string, times int, do func(i int) error) error {
	if err := do(0); err != nil { // what is made when first needed
		return err
	}
	took := make([]time.Duration, max(times, 1))
	before := usage.Self()
	for i := range took {
		begin := time.Now()
		if err := do(i); err != nil {
			return err
		}
		took[i] = time.Since(begin)
	}
	cpu := (usage.Self() - before) / time.Duration(len(took))
	slices.Sort(took)
	show := func(d time.Duration) string {
		if d < time.Millisecond {
			return fmt.Sprintf("%.1f µs", float64(d.Nanoseconds())/1e3)
		}
		return fmt.Sprintf("%.2f ms", float64(d.Nanoseconds())/1e6)
	}
	_, err := fmt.Fprintf(out, "| %s | %s | %s | %s |\n", name, show(took[len(took)/2]), show(took[len(took)*95/100]), show(cpu))
	return err
}

// server returns the memory of kg mcp after a query and after a search.
func server(ctx context.Context, kg, file, target string) (string, error) {
	cmd := exec.Command(kg, "mcp", "--graph", file)
	client := mcp.NewClient(&mcp.Implementation{Name: "asking", Version: "1"}, nil)
	s, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return "", err
	}
	defer s.Close()
	var said []string
	for _, call := range []struct {
		tool string
		args map[string]any
	}{{"query", map[string]any{"op": "callers", "target": target}}, {"search", map[string]any{"text": "open the store"}}} {
		if res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: call.tool, Arguments: call.args}); err != nil || res.IsError {
			return "", fmt.Errorf("%s: %v", call.tool, err)
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		if err != nil {
			return "unknown on this system", nil
		}
		now, most := 0, 0
		for line := range strings.Lines(string(status)) {
			fmt.Sscanf(line, "VmRSS: %d kB", &now)
			fmt.Sscanf(line, "VmHWM: %d kB", &most)
		}
		said = append(said, fmt.Sprintf("%d MB after a %s, %d MB at most so far", now>>10, call.tool, most>>10))
	}
	return strings.Join(said, "; "), nil
}

func methods(g *graph.Graph) []graph.ID {
	var list []graph.ID
	for i := range g.Nodes {
		if g.Nodes[i].Kind.IsCallable() {
			list = append(list, graph.ID(i))
		}
	}
	return list
}

var vocabulary = strings.Fields(`open close read write store load cache index query parse build link graph node edge file path tree diff merge split
	join sort find search match token word line column buffer queue stack list map set key value entry record table row field type kind name label
	user order cart price total invoice customer account payment session request response handler server client route header body cookie cert
	config option flag default limit timeout retry backoff lock unlock signal event listener worker pool task job schedule timer clock metric log
	trace error check validate encode decode compress encrypt hash sign verify upload download stream copy move rename delete create update insert`)

// synthetic makes a graph in packages of types with methods. Calls go to what
// is near, and to some that many call.
func synthetic(nodes, edges int) *graph.Graph {
	r := rand.New(rand.NewPCG(1, uint64(nodes)))
	word := func() string { w := vocabulary[r.IntN(len(vocabulary))]; return strings.ToUpper(w[:1]) + w[1:] }
	b := &graph.Builder{}
	var files []int32
	var callables, concrete, interfaces []graph.ID
	line := int32(0)
	var file int32
	var path string
	var pkg, parent graph.ID
	for i := 0; i < nodes; i++ {
		switch {
		case i%400 == 0:
			pkg = b.AddNode(graph.Node{Key: fmt.Sprintf("go:example.com/p%04d", i/400), Name: fmt.Sprintf("p%04d", i/400), QName: fmt.Sprintf("example.com/p%04d", i/400),
				Kind: graph.KindPackage, Parent: graph.None, Lang: "go"})
		case i%40 == 1:
			path = fmt.Sprintf("p%04d/f%02d.go", i/400, i%400/40)
			file = b.AddFile(graph.File{Path: path, Lang: "go", Size: 5000})
			files = append(files, file)
			b.AddNode(graph.Node{Key: graph.FileKey(path), Name: filepath.Base(path), QName: path, Kind: graph.KindFile, Parent: pkg, Lang: "go", File: path, Line: 1})
			line = 1
		default:
			line += 12
			name := word() + word() + fmt.Sprint(i%4001)
			n := graph.Node{Key: fmt.Sprintf("go:example.com/p%04d#%s", i/400, name), Name: name, QName: fmt.Sprintf("p%04d.%s", i/400, name), Parent: pkg, Lang: "go",
				File: path, DefLine: line, Line: line, Col: 6, EndLine: line + 10, Tokens: 60, Doc: name + " will " + strings.ToLower(word()) + " the " + strings.ToLower(word()) + ".",
				Signature: graph.Signature{Text: "func " + name + "(ctx context.Context, name string) error"}}
			switch {
			case i%40 == 2 && i%400 < 40:
				n.Kind = graph.KindInterface
				parent = b.AddNode(n)
				interfaces = append(interfaces, parent)
			case i%10 == 3:
				n.Kind = graph.KindStruct
				parent = b.AddNode(n)
				concrete = append(concrete, parent)
			default:
				n.Kind = graph.KindMethod
				n.Parent = parent
				callables = append(callables, b.AddNode(n))
			}
		}
	}
	site := func() graph.Site {
		return graph.Site{File: files[r.IntN(len(files))], Line: int32(1 + r.IntN(500)), Col: 3, Args: int16(r.IntN(4)), Keywords: -1}
	}
	for i, t := range concrete {
		b.AddEdge(graph.RawEdge{From: t, To: interfaces[i/4%len(interfaces)], Type: graph.None, Kind: graph.EdgeImplements})
	}
	for i := range edges - len(concrete) {
		from := r.IntN(len(callables))
		to := from + r.IntN(401) - 200
		if r.IntN(4) == 0 {
			to = int(float64(len(callables)) * r.Float64() * r.Float64() * r.Float64() * r.Float64()) // few are called by many
		}
		e := graph.RawEdge{From: callables[from], To: callables[min(max(to, 0), len(callables)-1)], Type: graph.None, Kind: graph.EdgeCalls, HasSite: true, Site: site()}
		if i%5 == 4 {
			e.Kind, e.To = graph.EdgeUsesType, concrete[r.IntN(len(concrete))]
		}
		b.AddEdge(e)
	}
	return b.Build()
}
