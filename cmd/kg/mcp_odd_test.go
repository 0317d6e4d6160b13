package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestMCPOlderThanTree: what is answered from a graph file says that files have
// changed or gone since, whichever tool is asked; what is no text is not shown
// as such.
func TestMCPOlderThanTree(t *testing.T) {
	shop, file := readmeGraph(t)
	calls := map[string]map[string]any{
		"overview": {}, "status": {}, "search": {"text": "cart total"}, "pack": {"text": "gift cart"},
		"query": {"op": "callers", "target": "Cart.Add", "context": 2}, "symbol": {"target": "web.gift", "context": 2},
		"callsites": {"target": "Cart.Add"}, "impact": {"target": "Cart.Add", "change": "remove"},
		"path": {"from": "web.gift", "to": "Cart.Add"}, "sql": {"statement": "SELECT 1"},
		"cypher": {"query": "MATCH (a {name: 'Cart'}) RETURN a.qname"},
	}
	said := func(what string) {
		t.Helper()
		s := mcpClient(t, shop, "--graph", file)
		tools, err := s.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools.Tools {
			args, ok := calls[tool.Name]
			if !ok {
				if tool.Name != "changes" { // it compares trees
					t.Errorf("the tool %s is not asked", tool.Name)
				}
				continue
			}
			res, data := callTool(t, s, tool.Name, args)
			if text := textOf(res); res.IsError || !strings.Contains(text, what) || !utf8.ValidString(text) || strings.Contains(text, "\x00") {
				t.Errorf("%s does not say %q: %q", tool.Name, what, text)
			}
			if f, _ := data["freshness"].(map[string]any); f == nil || f["changed"] == 0. && f["missing"] == 0. {
				t.Errorf("%s: its data do not say %q: %v", tool.Name, what, data["freshness"])
			}
		}
		s.Close()
	}
	path := filepath.Join(shop, "web", "web.go")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, bytes := range [][]byte{append([]byte("// \xff\xfe\n"), src...), []byte("\x7fELF\x00\x00\x00\n\x00\n\x00\n\x00\n\x00\n\x00\n\x00\n\x00\n\x00\n")} {
		if err := os.WriteFile(path, bytes, 0o666); err != nil {
			t.Fatal(err)
		}
		said("1 file changed since")
	}
	if err := os.Rename(path, filepath.Join(shop, "web", "moved.go")); err != nil {
		t.Fatal(err)
	}
	said("1 file gone since")
}

// TestMCPClientGone: a client that hangs up in the middle of an answer leaves no
// server behind.
func TestMCPClientGone(t *testing.T) {
	cmd := exec.Command("kg", "mcp")
	cmd.Dir = readmeRepository(t)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"sql","arguments":{"statement":"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT count(*) FROM r"}}}`,
	} {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond) // it is at work
	out.Close()
	in.Close()
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	select {
	case <-gone:
	case <-time.After(20 * time.Second):
		cmd.Process.Kill()
		t.Fatal("the server goes on")
	}
}
