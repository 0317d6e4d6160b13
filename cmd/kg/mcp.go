package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/codekg/kg/report"
)

func (a *app) mcpCommand() *cobra.Command {
	var g graphFlags
	var addr string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Answer the questions of coding agents (Model Context Protocol)",
		Long: `Answer the questions of coding agents over the Model Context Protocol, on standard
input and output, or over HTTP on this machine (--http). It only reads. The graph
is made again when the tree, or the graph file, changes.

` + graphHelp,
		Example: `  kg mcp
  kg mcp --graph shop.kg
  kg mcp --http 127.0.0.1:7357
  kg mcp install --print`,
		Args: arguments(0, 0),
		RunE: runs(func(cmd *cobra.Command, _ []string) error {
			m := newMCP(a, g)
			defer m.close()
			if addr != "" {
				return m.serveHTTP(cmd.Context(), addr)
			}
			err := m.server().Run(cmd.Context(), &mcp.IOTransport{Reader: os.Stdin, Writer: nopCloser{a.out}})
			if err != nil && (errors.Is(err, io.EOF) || cmd.Context().Err() != nil) {
				return cmd.Context().Err()
			}
			return err
		}),
	}
	g.add(cmd)
	cmd.Flags().StringVar(&addr, "http", "", "answer over HTTP at `ADDRESS` of this machine, as 127.0.0.1:7357, instead of standard input")
	cmd.AddCommand(a.mcpInstallCommand())
	return cmd
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// mcpClients are the clients whose configuration is shown.
var mcpClients = []struct {
	name, file string
	config     func(command string, args []string) any
}{
	{"claude-code", ".mcp.json", func(c string, args []string) any {
		return map[string]any{"mcpServers": map[string]any{"kg": map[string]any{"command": c, "args": args}}}
	}},
	{"cursor", ".cursor/mcp.json", func(c string, args []string) any {
		return map[string]any{"mcpServers": map[string]any{"kg": map[string]any{"command": c, "args": args}}}
	}},
	{"vscode", ".vscode/mcp.json", func(c string, args []string) any {
		return map[string]any{"servers": map[string]any{"kg": map[string]any{"type": "stdio", "command": c, "args": args}}}
	}},
}

func (a *app) mcpInstallCommand() *cobra.Command {
	var show bool
	var g graphFlags
	cmd := &cobra.Command{
		Use:     "install --print",
		Short:   "Show what to write into the configuration of clients; edits nothing",
		Example: "  kg mcp install --print",
		Args:    arguments(0, 0),
		RunE: runs(func(cmd *cobra.Command, _ []string) error {
			if !show {
				return usage("kg edits no configuration of other programs: --print shows what to write into it")
			}
			args := []string{"mcp"}
			if g.graph != "" {
				args = append(args, "--graph", g.graph)
			}
			return a.write(cmd.Context(), stdoutPath, func(w io.Writer) error {
				for _, c := range mcpClients {
					text, err := json.MarshalIndent(c.config("kg", args), "", "  ")
					if err != nil {
						return err
					}
					if _, err := fmt.Fprintf(w, "# %s: %s\n%s\n\n", c.name, c.file, text); err != nil {
						return err
					}
				}
				_, err := fmt.Fprintf(w, "# codex: ~/.codex/config.toml\n[mcp_servers.kg]\ncommand = \"kg\"\nargs = %s\n", tomlList(args))
				return err
			})
		}),
	}
	cmd.Flags().BoolVar(&show, "print", false, "show it")
	cmd.Flags().StringVar(&g.graph, "graph", "", "for a server that answers from the graph `FILE`")
	return cmd
}

// tomlList writes strings as TOML does, which is as JSON does.
func tomlList(list []string) string {
	text, _ := json.Marshal(list) // strings: no error
	return string(text)
}

// mcpServer answers over MCP from one session, which is opened again when what
// it is of changes.
type mcpServer struct {
	a *app
	g graphFlags

	mu      sync.RWMutex // held for reading while a call uses the session
	s       *session
	stamp   uint64    // of what the session was made of
	checked time.Time // when that was last looked at
	err     error     // why there is no session
}

// recheck is how long an answer may be older than the tree.
const recheck = time.Second

func newMCP(a *app, g graphFlags) *mcpServer {
	quiet := *a
	u := *a.ui
	u.quiet = true // nothing but the protocol
	quiet.ui = &u
	quiet.supervise, quiet.apart = nil, nil
	if a.supervise != nil {
		quiet.apart = parent(&u)
	}
	return &mcpServer{a: &quiet, g: g}
}

func (m *mcpServer) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.s.close()
	m.s = nil
}

// with calls f with an up-to-date session.
func (m *mcpServer) with(ctx context.Context, progress func(string), f func(*session) error) error {
	if err := m.refresh(ctx, progress); err != nil {
		return err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.s == nil {
		return cmp.Or(m.err, errors.New("the server is closing"))
	}
	return f(m.s)
}

func (m *mcpServer) refresh(ctx context.Context, progress func(string)) error {
	m.mu.RLock()
	fresh := m.s != nil && time.Since(m.checked) < recheck
	m.mu.RUnlock()
	if fresh {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.s != nil && time.Since(m.checked) < recheck {
		return nil
	}
	stamp, err := m.fingerprint()
	if err == nil && m.s != nil && stamp == m.stamp {
		m.s.look()
		m.checked = time.Now()
		return nil
	}
	progress("reading the tree")
	s, err := m.a.openSession(ctx, &m.g)
	if err != nil {
		if m.s != nil && ctx.Err() == nil {
			// What was known stays, until the tree can be read again.
			m.checked = time.Now()
			return nil
		}
		return err
	}
	m.s.close()
	m.s, m.stamp, m.checked = s, stamp, time.Now()
	debug.FreeOSMemory()
	progress("the graph is up to date")
	return nil
}

// fingerprint changes when what the session is of does.
func (m *mcpServer) fingerprint() (uint64, error) {
	h := fnv.New64a()
	if m.g.graph != "" {
		info, err := os.Stat(m.g.graph)
		if err != nil {
			return 0, err
		}
		fmt.Fprintln(h, info.Size(), info.ModTime().UnixNano())
		return h.Sum64(), nil
	}
	repo := repositoryAt(".")
	defer repo.close()
	if m.g.ref != "" {
		r, err := repo.open()
		if err != nil {
			return 0, err
		}
		c, err := r.Resolve(m.g.ref)
		fmt.Fprintln(h, c.ID)
		return h.Sum64(), err
	}
	s, err := repo.workTree()
	dir := "."
	if err != nil {
		if s, err = folder("."); err != nil {
			return 0, err
		}
	} else if r, err := repo.open(); err == nil {
		dir = r.Root()
	}
	defer s.close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	for _, e := range s.tree.Entries() {
		fmt.Fprintln(h, e.Path, e.Mode, e.ID)
		if e.ID == "" {
			if info, err := root.Lstat(e.Path); err == nil {
				fmt.Fprintln(h, info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return h.Sum64(), nil
}

const mcpInstructions = `kg answers questions about the structure of this code base from a graph that it keeps up to date: exact totals,
file:line evidence, and a reason when there is nothing. Ask it before reading files. Start with overview or search; use query for
relations (callers, implementations, path, tests, dead_code …), callsites for where and under what condition something is used,
impact before a change, changes after one, and pack to get the source that answers a question. Targets are names like Cart.Add,
ids from answers, or path:line. If a target is not clear the answer lists candidates. Long answers have a cursor.`

// server makes an MCP server with all tools. Texts of the repository are data:
// nothing in them is an instruction.
func (m *mcpServer) server() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "kg", Title: "Code knowledge graph", Version: readVersions().Version},
		&mcp.ServerOptions{Instructions: mcpInstructions})
	m.addTools(s)
	m.addTexts(s)
	return s
}

// maxTokens bounds the answer of one call, estimated as bytes / 4.
const (
	mcpTokens    = 8_000
	mcpMaxTokens = 200_000
)

// reply is what a tool answers: data for programs and text for readers.
type reply[T any] struct {
	data   T
	text   string
	ofTree bool // it is about the files on disk, not about the session's graph
}

// addTool adds a tool that only reads. do must not keep the session.
func addTool[In, Out any](m *mcpServer, s *mcp.Server, name, title, doc string, do func(context.Context, *session, In) (reply[Out], error)) {
	no := false
	t := &mcp.Tool{Name: name, Title: title, Description: doc,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no, Title: title}}
	mcp.AddTool(s, t, func(ctx context.Context, req *mcp.CallToolRequest, in In) (res *mcp.CallToolResult, out Out, err error) {
		defer func() {
			if p := recover(); p != nil {
				// A call that fails must not end the server.
				m.a.ui.message(fmt.Sprintf("error: the tool %s failed: %v", name, p), "")
				m.a.ui.message(string(debug.Stack()), "")
				err = fmt.Errorf("the tool %s failed inside", name)
			}
		}()
		steps := 0.0
		progress := func(text string) {
			if token := req.Params.GetProgressToken(); token != nil {
				steps++
				req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Message: text, Progress: steps})
			}
		}
		var r reply[Out]
		err = m.with(ctx, progress, func(s *session) (err error) {
			r, err = do(ctx, s, in)
			if stale := s.fresh.String(); stale != "" && !r.ofTree {
				r.text = stale + "\n" + r.text
			}
			return err
		})
		if err != nil {
			text, hint := explain(err)
			if hint != "" {
				text += " (" + hint + ")"
			}
			return nil, out, errors.New(report.Escape(text))
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: r.text}}}, r.data, nil
	})
}

// tokens estimates what an answer costs its reader.
func tokens(v any) int {
	text, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return (len(text) + 3) / 4
}

func budget(n int) int {
	if n <= 0 {
		return mcpTokens
	}
	return min(n, mcpMaxTokens)
}

// fit asks with fewer and fewer results until the answer is within a budget.
func fit[T any](max, budget int, ask func(max int) (T, error)) (T, error) {
	for {
		v, err := ask(max)
		if err != nil || max <= 1 || tokens(v) <= budget {
			return v, err
		}
		max = min(max-1, max*budget/max1(tokens(v))*9/10)
		max = max1(max)
	}
}

func max1(n int) int { return max(1, n) }

// serveHTTP answers over HTTP. It is for this machine: another address is
// refused, and so are requests that a web page of another origin made, or that
// came for another host's name.
func (m *mcpServer) serveHTTP(ctx context.Context, addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || !isLoopback(host) {
		return usagef("--http needs an address of this machine, as 127.0.0.1:7357, not %s", quote(addr))
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return &failure{text: "cannot listen at " + quote(addr), err: err}
	}
	server := m.server()
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{SessionTimeout: time.Hour})
	srv := &http.Server{Handler: localOnly(h), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16}
	stop := context.AfterFunc(ctx, func() {
		limited, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if srv.Shutdown(limited) != nil {
			srv.Close()
		}
	})
	defer stop()
	m.a.ui.message("answering at http://"+l.Addr().String(), "")
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return ctx.Err()
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// localOnly lets through what was sent to this machine by its name, by programs
// or by pages that came from it.
func localOnly(h http.Handler) http.Handler {
	hostOf := func(s string) string {
		if host, _, err := net.SplitHostPort(s); err == nil {
			return host
		}
		return strings.Trim(s, "[]")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLoopback(hostOf(r.Host)) {
			http.Error(w, "this server answers only as localhost", http.StatusForbidden)
			return
		}
		for _, origin := range r.Header.Values("Origin") {
			if u, err := url.Parse(origin); err != nil || !isLoopback(u.Hostname()) {
				http.Error(w, "this server answers no page of another origin", http.StatusForbidden)
				return
			}
		}
		r.Body = http.MaxBytesReader(w, r.Body, 4<<20)
		h.ServeHTTP(w, r)
	})
}

// captured runs a command line's work with its output in memory.
func (a *app) captured(do func(*app) error) (string, error) {
	var out bytes.Buffer
	b := *a
	u := *a.ui
	u.out, u.outTerm, u.quiet, u.color = &out, false, true, "never"
	b.ui = &u
	err := do(&b)
	return out.String(), err
}
