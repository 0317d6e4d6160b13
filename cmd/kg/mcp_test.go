package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpClient starts kg mcp as a process, in a repository, and connects to it as
// clients do.
func mcpClient(t *testing.T, dir string, args ...string) *mcp.ClientSession {
	t.Helper()
	cmd := exec.Command("kg", append([]string{"mcp"}, args...)...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	s, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func callTool(t *testing.T, s *mcp.ClientSession, name string, args any) (*mcp.CallToolResult, map[string]any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	data, _ := res.StructuredContent.(map[string]any)
	return res, data
}

func textOf(res *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		if x, ok := c.(*mcp.TextContent); ok {
			b.WriteString(x.Text)
		}
	}
	return b.String()
}

// TestMCP drives every tool, as a client with a process of its own.
func TestMCP(t *testing.T) {
	shop := readmeRepository(t)
	s := mcpClient(t, shop)
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(tools.Tools); n == 0 || n > 12 {
		t.Errorf("there are %d tools", n)
	}
	calls := map[string][]struct {
		args map[string]any
		want string
	}{
		"overview":  {{nil, "# Architecture"}, {map[string]any{"diff": "HEAD"}, "What differs from HEAD"}},
		"search":    {{map[string]any{"text": "total of the cart", "hops": 1}, "cart.Cart.Total"}},
		"pack":      {{map[string]any{"text": "total of the cart", "max_tokens": 500}, "### cart.Cart.Total (cart/cart.go:"}},
		"query":     {{map[string]any{"op": "callers", "target": "Cart.Add", "context": 1}, "web.gift"}, {map[string]any{"op": "hubs", "max": 1}, "1 shown"}},
		"symbol":    {{map[string]any{"target": "Cart.Add"}, "func (c *Cart) Add("}},
		"callsites": {{map[string]any{"target": "Cart.Add"}, "web/web.go:"}},
		"impact":    {{map[string]any{"target": "Cart.Add", "change": "remove"}, "must_update"}},
		"path":      {{map[string]any{"from": "web.gift", "to": "Cart.Add"}, "cart.Cart.Add"}},
		"changes":   {{map[string]any{"base": "main"}, "web.gift"}},
		"sql":       {{map[string]any{"statement": "SELECT count(*) AS n FROM nodes WHERE name = 'Cart'"}, "(1 row)"}},
		"cypher":    {{map[string]any{"query": "MATCH (a)-[:calls]->(b {name: 'Add'}) RETURN a.qname ORDER BY a.qname"}, "web.gift"}},
		"status":    {{nil, "graph of"}},
	}
	for _, tool := range tools.Tools {
		if tool.Description == "" || tool.InputSchema == nil || tool.OutputSchema == nil || !tool.Annotations.ReadOnlyHint {
			t.Errorf("the tool %s does not say what it is", tool.Name)
		}
		if len(calls[tool.Name]) == 0 {
			t.Errorf("the tool %s is not tested", tool.Name)
		}
		for _, c := range calls[tool.Name] {
			res, data := callTool(t, s, tool.Name, c.args)
			if res.IsError || data == nil || !strings.Contains(textOf(res), c.want) {
				t.Errorf("%s %v: error %t, data %v, text %s", tool.Name, c.args, res.IsError, data != nil, textOf(res))
			}
		}
	}
	for name := range calls {
		if !slices.ContainsFunc(tools.Tools, func(tool *mcp.Tool) bool { return tool.Name == name }) {
			t.Errorf("the tool %s is not served", name)
		}
	}
	// Candidates, near names and reasons are answers.
	_, data := callTool(t, s, "query", map[string]any{"op": "callers", "target": "Cart.Ad"})
	if data["near"] == nil || data["reason"] == nil {
		t.Errorf("got %v", data)
	}
	// Pages.
	_, one := callTool(t, s, "query", map[string]any{"op": "callers", "target": "Cart.Add", "max": 1})
	_, two := callTool(t, s, "query", map[string]any{"op": "callers", "target": "Cart.Add", "max": 1, "cursor": one["cursor"]})
	if fmt.Sprint(one["results"]) == fmt.Sprint(two["results"]) || two["total"] != one["total"] {
		t.Errorf("pages %v and %v", one, two)
	}
	// A small budget makes a shorter answer that says so.
	_, all := callTool(t, s, "query", map[string]any{"op": "find", "target": "*"})
	_, few := callTool(t, s, "query", map[string]any{"op": "find", "target": "*", "max_tokens": 300})
	if few["truncated"] != true || few["total"] != all["total"] || few["cursor"] == nil || tokens(few) > 600 {
		t.Errorf("of %v tokens: %v", tokens(few), few["returned"])
	}

	for _, uri := range []string{"kg://overview", "kg://schema", "kg://questions"} {
		r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || len(r.Contents) != 1 || r.Contents[0].Text == "" {
			t.Errorf("%s: %v", uri, err)
		}
	}
	p, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "before_change", Arguments: map[string]string{"target": "Cart.Add"}})
	if err != nil || len(p.Messages) != 1 {
		t.Errorf("prompt: %v", err)
	}

	// The graph follows the tree.
	path := filepath.Join(shop, "web", "web.go")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(src, "\nfunc brandNew() { gift(nil) }\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(20 * time.Second)
	for {
		res, _ := callTool(t, s, "query", map[string]any{"op": "callers", "target": "web.gift"})
		if strings.Contains(textOf(res), "brandNew") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the new caller is not there: %s", textOf(res))
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// TestMCPHostile: bad calls are errors of the call, and the server goes on.
func TestMCPHostile(t *testing.T) {
	shop := readmeRepository(t)
	s := mcpClient(t, shop)
	long := strings.Repeat("A", 1<<20)
	for _, c := range []struct {
		tool string
		args any
		fine bool // it is answered
	}{
		{"query", map[string]any{"op": "nothing"}, false},
		{"query", map[string]any{"op": "callers", "target": long}, false},
		{"query", map[string]any{"op": "callers", "target": "../../../etc/passwd:1"}, true},
		{"query", map[string]any{"op": "callers", "target": "\x00\x1b[31m::error::x"}, true},
		{"query", map[string]any{"op": "callers", "target": "Cart.Add", "depth": 1 << 60}, true},
		{"query", map[string]any{"op": "callers", "target": "Cart.Add", "depth": -1}, false},
		{"query", map[string]any{"op": "callers", "target": "Cart.Add", "max": 1 << 60, "max_tokens": 1 << 60, "context": 1 << 60}, true},
		{"query", map[string]any{"op": "callers", "target": 7}, false},
		{"query", map[string]any{"op": "callers", "target": "Cart.Add", "surprise": true}, false},
		{"query", map[string]any{"op": "find", "target": "/(a*)*(a*)*b/"}, true},
		{"query", map[string]any{"op": "find", "target": "/(/"}, false},
		{"query", map[string]any{"op": "callers", "target": "Cart.Add", "scope": []string{strings.Repeat("{a,", 100)}}, false},
		{"query", map[string]any{"op": "callers", "target": "Cart.Add", "cursor": long}, false},
		{"search", map[string]any{"text": long}, false},
		{"search", map[string]any{"text": strings.Repeat("cart ", 1000), "hops": 1 << 40, "max": 1 << 40}, true},
		{"search", map[string]any{"text": ""}, true},
		{"pack", map[string]any{"text": "cart", "max_tokens": -5, "max_lines": -1}, true},
		{"sql", map[string]any{"statement": "DROP TABLE nodes"}, false},
		{"sql", map[string]any{"statement": "ATTACH '/tmp/x' AS x"}, false},
		{"sql", map[string]any{"statement": "SELECT 1; SELECT 2"}, false},
		{"cypher", map[string]any{"query": "CREATE (n)"}, false},
		{"cypher", map[string]any{"query": long}, false},
		{"overview", map[string]any{"diff": "--output=/tmp/x"}, false},
		{"overview", map[string]any{"diff": "nope"}, false},
		{"changes", map[string]any{"base": "nope"}, false},
		{"path", map[string]any{"from": "web.gift"}, false},
		{"impact", map[string]any{"target": "Cart.Add", "change": "explode"}, false},
		{"symbol", map[string]any{}, false},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: c.tool, Arguments: c.args})
		cancel()
		if ctx.Err() == context.DeadlineExceeded {
			t.Fatalf("%s %.80v hangs", c.tool, c.args)
		}
		if fine := err == nil && !res.IsError; fine != c.fine {
			text := ""
			if res != nil {
				text = textOf(res)
			}
			t.Errorf("%s %.80v: %v, %.200s", c.tool, c.args, err, text)
		}
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "rm", Arguments: map[string]any{}}); err == nil {
		t.Error("there is a tool rm")
	}
	// Many at once, and one that is taken back.
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			op := []string{"hubs", "dead_code", "cycles", "orphans"}[i%4]
			if res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "query", Arguments: map[string]any{"op": op}}); err != nil || res.IsError {
				t.Errorf("%s: %v", op, err)
			}
		})
	}
	wg.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "sql", Arguments: map[string]any{
		"statement": "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT count(*) FROM r"}})
	if err == nil || time.Since(begin) > 5*time.Second {
		t.Errorf("after %v: %v", time.Since(begin), err)
	}
	if _, data := callTool(t, s, "status", map[string]any{}); data == nil {
		t.Error("the server is gone")
	}
}

// readmeGraph returns README's repository and the file of its graph.
func readmeGraph(t *testing.T) (dir, file string) {
	dir, file = readmeRepository(t), filepath.Join(t.TempDir(), "g.kg")
	cmd := exec.Command("kg", "build", "-o", file)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir, file
}

// TestMCPGraphFile: a graph file is said to be older than the tree, source is
// read from below the root only, and two servers may share it.
func TestMCPGraphFile(t *testing.T) {
	shop, file := readmeGraph(t)
	a, b := mcpClient(t, shop, "--graph", file), mcpClient(t, shop, "--graph", file)
	if err := os.Remove(filepath.Join(shop, "web", "web.go")); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("package web // secret\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(shop, "web", "web.go")); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*mcp.ClientSession{a, b} {
		res, data := callTool(t, s, "callsites", map[string]any{"target": "Cart.Add"})
		if text, _ := json.Marshal(data); res.IsError || strings.Contains(string(text)+textOf(res), "secret") || data["total"] == nil {
			t.Errorf("got %s", text)
		}
	}
}

// TestMCPTreeMovesOn: a server that answers from a graph file sees that the tree
// changes after it began, and shows the lines that are there now.
func TestMCPTreeMovesOn(t *testing.T) {
	shop, file := readmeGraph(t)
	s := mcpClient(t, shop, "--graph", file)
	ask := func() (string, string) {
		res, data := callTool(t, s, "callsites", map[string]any{"target": "Cart.Add"})
		text, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		return textOf(res), string(text)
	}
	if text, data := ask(); strings.Contains(text, "older than the tree") || !strings.Contains(data, `"changed":0`) {
		t.Errorf("a new graph is said to be old: %s", text)
	}
	path := filepath.Join(shop, "web", "web.go")
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append([]byte("// A line that was not there before.\n"), source...), 0o666); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * recheck); ; time.Sleep(recheck / 4) {
		text, data := ask()
		if strings.Contains(text, "older than the tree: 1 file changed") && strings.Contains(data, `"changed":1`) && strings.Contains(text, "lines may have moved") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the change is not seen: %s\n%s", text, data)
		}
	}
}

func TestMCPOverHTTP(t *testing.T) {
	shop := readmeRepository(t)
	t.Chdir(shop)
	a := &app{ui: newUI(io.Discard, io.Discard, func(string) string { return "" }), getenv: func(string) string { return "" }}
	if err := a.enter(); err != nil {
		t.Fatal(err)
	}
	m := newMCP(a, graphFlags{})
	defer m.close()
	server := m.server()
	h := localOnly(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	srv := httptest.NewServer(h)
	defer srv.Close()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: srv.URL}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, data := callTool(t, s, "query", map[string]any{"op": "callers", "target": "Cart.Add"}); data["total"] == nil {
		t.Errorf("got %v", data)
	}
	s.Close()
	for _, c := range []struct {
		host, origin string
		want         int
	}{
		{"", "https://evil.example", http.StatusForbidden},
		{"evil.example", "", http.StatusForbidden},
		{"evil.example:80", "http://localhost", http.StatusForbidden},
		{"127.0.0.1.evil.example", "", http.StatusForbidden},
		{"", "null", http.StatusForbidden},
		{"", "://", http.StatusForbidden},
		{"localhost", "http://localhost:3000", 0},
		{"[::1]:80", "", 0},
	} {
		req := httptest.NewRequest(http.MethodPost, srv.URL, strings.NewReader("{}"))
		if c.host != "" {
			req.Host = c.host
		}
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		if got := w.Code == http.StatusForbidden; got != (c.want == http.StatusForbidden) {
			t.Errorf("host %q, origin %q: %d %s", c.host, c.origin, w.Code, w.Body)
		}
	}
	for _, addr := range []string{"0.0.0.0:0", "example.com:80", ":0", "127.0.0.1", "192.0.2.1:1"} {
		if err := m.serveHTTP(t.Context(), addr); err == nil {
			t.Errorf("it listens at %s", addr)
		}
	}
}

// TestMCPCrash has files in the tree that bring down whoever parses them.
func TestMCPCrash(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no children that may die")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/m\n")
	write("a.go", "package m\n\nfunc First() {}\n")
	write("bad.segv", "package p\n")
	write("kill.dies", "kill\n")
	t.Setenv(mortalEnv, "1")
	s := mcpClient(t, dir)
	find := func(name string) string {
		res, _ := callTool(t, s, "symbol", map[string]any{"target": name})
		return textOf(res)
	}
	if got := find("First"); !strings.Contains(got, "func First()") {
		t.Errorf("got %s", got)
	}
	write("b.go", "package m\n\nfunc Second() { First() }\n")
	write("exit.dies", "exit\n")
	time.Sleep(recheck + 100*time.Millisecond)
	if got := find("Second"); !strings.Contains(got, "func Second()") {
		t.Errorf("after a change: got %s", got)
	}
	res, _ := callTool(t, s, "status", nil)
	if got := textOf(res); !strings.Contains(got, "parser crash") && !strings.Contains(got, "parser_crash") {
		t.Errorf("nothing is said of the files that were left out: %s", got)
	}
}
