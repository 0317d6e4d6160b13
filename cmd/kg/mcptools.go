package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codekg/kg/analyzer/artifact/sqlite"
	"github.com/codekg/kg/analyzer/query"
	"github.com/codekg/kg/analyzer/query/cypher"
	"github.com/codekg/kg/analyzer/search"
)

// The inputs of tools.

type budgetIn struct {
	MaxTokens int `json:"max_tokens,omitempty" jsonschema:"size of the answer, estimated as bytes/4; default 8000"`
}

type filterIn struct {
	Scope   []string `json:"scope,omitempty" jsonschema:"show only what is in paths that match these globs, as internal/**"`
	Exclude []string `json:"exclude,omitempty" jsonschema:"leave out what is in paths that match these globs, as **/*_test.*"`
	Kinds   []string `json:"kinds,omitempty" jsonschema:"show only these kinds: type, callable, function, method, struct, interface, class, field, package, ..."`
	Edges   []string `json:"edges,omitempty" jsonschema:"follow only these relations: calls, references, implements, uses_type, instantiates, reads, writes, ..."`
}

type pageIn struct {
	Max    int    `json:"max,omitempty" jsonschema:"results in this answer; default 50"`
	Cursor string `json:"cursor,omitempty" jsonschema:"the cursor of the answer before, to go on"`
}

type queryIn struct {
	Op          string `json:"op" jsonschema:"the question: members, callers, callees, references, implementations, overrides, hierarchy, dependencies, dependents, tests, entry_points, cycles, hubs, dead_code, orphans, unused_exports, complexity, largest, find, co_changes, owners, decisions"`
	Target      string `json:"target,omitempty" jsonschema:"what it is about: a name as Cart.Add, an id, or path:line; for find a glob as *Client* or a regular expression as /^New/"`
	Depth       int    `json:"depth,omitempty" jsonschema:"steps to follow; default 1 for relations"`
	Certainty   string `json:"certainty,omitempty" jsonschema:"least sure relation that counts: exact, inferred (default) or ambiguous"`
	Direct      bool   `json:"direct,omitempty" jsonschema:"do not follow calls through interfaces"`
	By          string `json:"by,omitempty" jsonschema:"for hubs: in, out, pagerank or betweenness; for complexity: cyclomatic or flow"`
	MaxPerLevel int    `json:"max_per_level,omitempty" jsonschema:"results of one depth"`
	Context     *int   `json:"context,omitempty" jsonschema:"show source, with this many lines around each place"`
	filterIn
	pageIn
	budgetIn
}

type targetIn struct {
	Target  string `json:"target" jsonschema:"a name as Cart.Add, an id, or path:line"`
	Context int    `json:"context,omitempty" jsonschema:"lines of source around each place"`
	filterIn
	pageIn
	budgetIn
}

type impactIn struct {
	Target string `json:"target" jsonschema:"a name as Cart.Add, an id, or path:line"`
	Change string `json:"change,omitempty" jsonschema:"what is changed: signature (default), remove or body"`
	Depth  int    `json:"depth,omitempty" jsonschema:"how many calls a changed behaviour is followed; default 3"`
	filterIn
	pageIn
	budgetIn
}

type pathIn struct {
	From  string   `json:"from" jsonschema:"where the way begins: a name, an id, or path:line"`
	To    string   `json:"to" jsonschema:"where it ends"`
	Edges []string `json:"edges,omitempty" jsonschema:"follow only these relations"`
	budgetIn
}

type searchIn struct {
	Text string `json:"text" jsonschema:"what is looked for, in words"`
	Hops int    `json:"hops,omitempty" jsonschema:"go on from what is found over this many relations"`
	Max  int    `json:"max,omitempty" jsonschema:"declarations found by words; default 10"`
	filterIn
	budgetIn
}

type sqlIn struct {
	Statement string `json:"statement" jsonschema:"one statement that reads; see the resource kg://schema"`
	Max       int    `json:"max,omitempty" jsonschema:"rows; default 100"`
	budgetIn
}

type cypherIn struct {
	Query string `json:"query" jsonschema:"MATCH patterns WHERE conditions RETURN columns ORDER BY columns LIMIT n"`
	Max   int    `json:"max,omitempty" jsonschema:"rows; default 100"`
	budgetIn
}

type overviewIn struct {
	Diff string `json:"diff,omitempty" jsonschema:"tell only what differs from this revision"`
	budgetIn
}

type changesIn struct {
	Base string `json:"base,omitempty" jsonschema:"compare with this revision; default: where the branch began"`
	budgetIn
}

type statusIn struct{}

// statusOut says what the server answers from.
type statusOut struct {
	Tool      string         `json:"tool"`
	Graph     string         `json:"graph"` // what it is of
	Stats     *stats         `json:"stats"`
	Freshness *freshness     `json:"freshness,omitempty"`
	Unknowns  []unknownGroup `json:"unknowns"`
}

// unknownGroup is what could not be told for one reason.
type unknownGroup struct {
	Reason   string   `json:"reason"`
	Count    int      `json:"count"`
	Examples []string `json:"examples"`
}

// changesOut is a report of kg impact.
type changesOut struct {
	Report   map[string]any `json:"report"`
	LeftOut  bool           `json:"left_out"` // the report was over the budget: see the text
	Markdown string         `json:"markdown"`
}

// overviewOut is an overview, or what differs.
type overviewOut struct {
	Overview  *query.Overview     `json:"overview,omitempty"`
	Diff      *query.OverviewDiff `json:"diff,omitempty"`
	Freshness *freshness          `json:"freshness,omitempty"`
	Cut       bool                `json:"cut,omitempty"` // lists are shorter than they are, for the budget; metrics are whole
}

// packOut is a pack and how old the graph is that it was made with.
type packOut struct {
	*search.Pack
	Freshness *freshness `json:"freshness,omitempty"`
}

// tableOut is what SQL or Cypher answers.
type tableOut struct {
	*sqlite.Table
	Freshness *freshness `json:"freshness,omitempty"`
}

func (m *mcpServer) addTools(s *mcp.Server) {
	a := m.a
	answer := func(ctx context.Context, s *session, r query.Request, lines, tokens int) (reply[toldAnswer], error) {
		if r.Max == 0 {
			r.Max = 50
		}
		got, err := fit(min(r.Max, query.MaxResults), budget(tokens), func(n int) (*query.Answer, error) {
			r.Max = n
			return a.ask(ctx, s, r, lines)
		})
		if err != nil {
			return reply[toldAnswer]{}, err
		}
		var b strings.Builder
		err = answerText(&b, got)
		return reply[toldAnswer]{data: toldAnswer{got, s.age()}, text: b.String()}, err
	}

	addTool(m, s, "overview", "Architecture", "What this code base is made of: modules, packages, layers, cycles, communities, hubs, entry points, routes. With diff: what a change did to them. A good first call.",
		func(ctx context.Context, s *session, in overviewIn) (reply[overviewOut], error) {
			return a.overviewReply(ctx, s, in)
		})
	addTool(m, s, "search", "Search", "Find declarations by words about what they do; names are taken apart and stemmed. With hops it also shows what is related, and how. Use it when you do not know the name.",
		func(ctx context.Context, s *session, in searchIn) (reply[*searchAnswer], error) {
			f := searchFlags{Max: in.Max, Hops: in.Hops, Edges: in.Edges, Kinds: in.Kinds, Scope: in.Scope, Exclude: in.Exclude}
			found, rank, err := a.search(ctx, s, in.Text, f, embedFlags{})
			if err != nil {
				return reply[*searchAnswer]{}, err
			}
			all := s.searched(in.Text, found, rank)
			hits := all.Results
			got, _ := fit(len(hits), budget(in.MaxTokens), func(n int) (*searchAnswer, error) {
				all.Results = hits[:min(n, len(hits))]
				return all, nil
			})
			var b strings.Builder
			err = searchText(&b, got)
			return reply[*searchAnswer]{data: got, text: b.String()}, err
		})
	addTool(m, s, "pack", "Pack", "The source that answers a question, within a budget of tokens: definitions with line numbers, places of use, signatures around. One call instead of many file reads.",
		func(ctx context.Context, s *session, in struct {
			searchIn
			MaxLines int `json:"max_lines,omitempty" jsonschema:"lines of one declaration; default 80"`
		}) (reply[packOut], error) {
			f := searchFlags{Max: in.Max, Hops: in.Hops, Edges: in.Edges, Kinds: in.Kinds, Scope: in.Scope, Exclude: in.Exclude}
			if f.Hops == 0 {
				f.Hops = 2
			}
			p, err := a.pack(ctx, s, in.Text, f, embedFlags{}, search.PackOptions{Tokens: budget(in.MaxTokens), MaxLines: max(0, in.MaxLines)})
			if err != nil {
				return reply[packOut]{}, err
			}
			var b strings.Builder
			err = packText(&b, p)
			return reply[packOut]{data: packOut{p, s.age()}, text: b.String()}, err
		})
	addTool(m, s, "query", "Query", "Relations of a declaration, and questions about the whole graph: who calls it, what implements it, what depends on it, which tests reach it, hubs, cycles, dead code. Exact totals, file:line evidence; calls through interfaces are followed.",
		func(ctx context.Context, s *session, in queryIn) (reply[toldAnswer], error) {
			lines := -1
			if in.Context != nil {
				lines = *in.Context
			}
			return answer(ctx, s, query.Request{Op: in.Op, Target: in.Target, Depth: in.Depth, Certainty: in.Certainty, Direct: in.Direct, By: in.By,
				MaxPerLevel: in.MaxPerLevel, Scope: in.Scope, Exclude: in.Exclude, Kinds: in.Kinds, Edges: in.Edges, Max: in.Max, Cursor: in.Cursor}, lines, in.MaxTokens)
		})
	addTool(m, s, "symbol", "Symbol", "One declaration: signature, documentation, size, how often it is used and by what, and its source.",
		func(ctx context.Context, s *session, in targetIn) (reply[toldAnswer], error) {
			return answer(ctx, s, query.Request{Op: "symbol", Target: in.Target}, max(in.Context, 30), in.MaxTokens)
		})
	addTool(m, s, "callsites", "Call sites", "Every place where a declaration is used, with its source line, lines around, and the conditions that it is under. Places in code come before places in tests.",
		func(ctx context.Context, s *session, in targetIn) (reply[toldAnswer], error) {
			return answer(ctx, s, query.Request{Op: "callsites", Target: in.Target, Scope: in.Scope, Exclude: in.Exclude, Kinds: in.Kinds,
				Edges: in.Edges, Max: in.Max, Cursor: in.Cursor}, in.Context, in.MaxTokens)
		})
	addTool(m, s, "impact", "Impact", "What a change of one declaration would reach before it is made: who must be updated, and who should be reviewed. For the tests that reach it, ask query with op tests.",
		func(ctx context.Context, s *session, in impactIn) (reply[toldAnswer], error) {
			return answer(ctx, s, query.Request{Op: "impact", Target: in.Target, Change: in.Change, Depth: in.Depth, Scope: in.Scope, Exclude: in.Exclude,
				Kinds: in.Kinds, Max: in.Max, Cursor: in.Cursor}, -1, in.MaxTokens)
		})
	addTool(m, s, "path", "Path", "The shortest way from one declaration to another over calls, references and interfaces, with the place of each step.",
		func(ctx context.Context, s *session, in pathIn) (reply[toldAnswer], error) {
			return answer(ctx, s, query.Request{Op: "path", Target: in.From, To: in.To, Edges: in.Edges}, 0, in.MaxTokens)
		})
	addTool(m, s, "changes", "Changes", "What the changes on this branch and in the work tree reach: broken uses, what behaves differently, tests to run, files that usually change along.",
		func(ctx context.Context, s *session, in changesIn) (reply[changesOut], error) {
			return a.changesReply(ctx, in)
		})
	addTool(m, s, "sql", "SQL", "One read-only SQL statement over the graph as an SQLite database, for what other tools do not answer. Tables nodes, edges, sites, files; views calls, relations, implementations, members, dependencies, fan. The resource kg://schema has the columns.",
		func(ctx context.Context, s *session, in sqlIn) (reply[tableOut], error) {
			db, err := s.database(ctx)
			if err != nil {
				return reply[tableOut]{}, err
			}
			if in.Max <= 0 {
				in.Max = 100
			}
			t, err := db.ask(ctx, in.Statement, sqlite.Limits{Rows: in.Max, Cell: 2000})
			if err != nil {
				return reply[tableOut]{}, &failure{text: err.Error(), hint: "the resource kg://schema lists tables and views"}
			}
			rows := t.Rows
			t, _ = fit(len(rows), budget(in.MaxTokens), func(n int) (*sqlite.Table, error) {
				return &sqlite.Table{Columns: t.Columns, Rows: rows[:min(n, len(rows))], Truncated: t.Truncated || n < len(rows)}, nil
			})
			var b strings.Builder
			err = tableText(&b, t)
			return reply[tableOut]{data: tableOut{t, s.age()}, text: b.String()}, err
		})
	addTool(m, s, "cypher", "Cypher", "A question in a subset of openCypher, for patterns that other tools do not answer: MATCH (a:function)-[:calls*1..3]->(b {name: 'Save'}) WHERE a.test = false RETURN a.qname, a.file LIMIT 20. Labels are kinds, also type and callable; relations are calls, references, implements, contains, ...",
		func(ctx context.Context, s *session, in cypherIn) (reply[tableOut], error) {
			if in.Max <= 0 {
				in.Max = 100
			}
			t, err := cypher.Ask(ctx, s.index, in.Query, cypher.Limits{Rows: min(in.Max, 10_000)})
			if err != nil {
				return reply[tableOut]{}, err
			}
			rows := t.Rows
			t, _ = fit(len(rows), budget(in.MaxTokens), func(n int) (*cypher.Table, error) {
				return &cypher.Table{Columns: t.Columns, Rows: rows[:min(n, len(rows))], Truncated: t.Truncated || n < len(rows)}, nil
			})
			var b strings.Builder
			err = tableText(&b, (*sqlite.Table)(t))
			return reply[tableOut]{data: tableOut{(*sqlite.Table)(t), s.age()}, text: b.String()}, err
		})
	addTool(m, s, "status", "Status", "What the answers come from: size of the graph, languages, whether it is older than the tree, and what could not be told and why.",
		func(_ context.Context, s *session, _ statusIn) (reply[statusOut], error) {
			out := statusOut{Tool: "kg " + readVersions().Version, Graph: s.name, Stats: countStats(s.graph), Freshness: s.age(), Unknowns: s.unknownGroups()}
			var b strings.Builder
			err := out.Stats.text(&b, s.name)
			return reply[statusOut]{data: out, text: b.String()}, err
		})
}

func (s *session) unknownGroups() []unknownGroup {
	groups := []unknownGroup{}
	at := map[string]int{}
	for _, u := range s.graph.Unknowns {
		name := u.Reason.String()
		i, ok := at[name]
		if !ok {
			i = len(groups)
			at[name] = i
			groups = append(groups, unknownGroup{Reason: name, Examples: []string{}})
		}
		g := &groups[i]
		g.Count += int(u.Count)
		if len(g.Examples) < 3 {
			g.Examples = append(g.Examples, fmt.Sprintf("%s:%d %s", u.File, u.Line, u.Detail))
		}
	}
	return groups
}

// sessionDatabase is the graph as a database, made when it is first asked. One
// question is asked at a time.
type sessionDatabase struct {
	lock chan struct{}
	db   *sqlite.Database
}

func (d *sessionDatabase) ask(ctx context.Context, text string, limit sqlite.Limits) (*sqlite.Table, error) {
	select {
	case d.lock <- struct{}{}:
		defer func() { <-d.lock }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return d.db.Ask(ctx, text, limit)
}

func (s *session) database(ctx context.Context) (*sessionDatabase, error) {
	s.databaseLock.Lock()
	defer s.databaseLock.Unlock()
	if s.databaseOf == nil {
		db, err := sqlite.FromGraph(ctx, s.graph)
		if err != nil {
			return nil, err
		}
		s.databaseOf = &sessionDatabase{make(chan struct{}, 1), db}
	}
	return s.databaseOf, nil
}

func (a *app) overviewReply(ctx context.Context, s *session, in overviewIn) (reply[overviewOut], error) {
	o := s.index.Overview()
	if in.Diff != "" {
		base, err := s.repo.revision(in.Diff)
		if err != nil {
			return reply[overviewOut]{}, withText("cannot find the base", err)
		}
		defer base.close()
		if err := a.buildOne(ctx, base); err != nil {
			return reply[overviewOut]{}, err
		}
		d := o.Since(query.New(base.graph).Overview())
		var b strings.Builder
		err = overviewDiffText(&b, d, in.Diff)
		return reply[overviewOut]{data: overviewOut{Diff: d, Freshness: s.age()}, text: b.String()}, err
	}
	cut := false
	got, _ := fit(100_000, budget(in.MaxTokens), func(n int) (*query.Overview, error) {
		small := *o
		small.Modules = firstOf(small.Modules, n, &cut)
		small.Packages = firstOf(small.Packages, n, &cut)
		small.Dependencies = firstOf(small.Dependencies, n, &cut)
		small.External = firstOf(small.External, n, &cut)
		small.Cycles = firstOf(small.Cycles, n, &cut)
		small.Communities = firstOf(small.Communities, n, &cut)
		small.Hubs = firstOf(small.Hubs, n, &cut)
		small.EntryPoints = firstOf(small.EntryPoints, n, &cut)
		small.Routes = firstOf(small.Routes, n, &cut)
		small.Layers = nil
		for _, l := range o.Layers {
			small.Layers = append(small.Layers, firstOf(l, n, &cut))
		}
		return &small, nil
	})
	var b strings.Builder
	err := overviewText(&b, got)
	return reply[overviewOut]{data: overviewOut{Overview: got, Cut: cut, Freshness: s.age()}, text: b.String()}, err
}

func firstOf[T any](list []T, n int, cut *bool) []T {
	if len(list) > n {
		*cut = true
		return list[:n]
	}
	return list
}

// changes is what kg impact says, as Markdown and as JSON.
func (a *app) changes(ctx context.Context, base string) (md, text string, err error) {
	files := [2]string{"md", "json"}
	dir, remove, err := a.runApart(ctx, func(dir string) []string {
		args := []string{"impact", "--base=" + base}
		for _, format := range files {
			args = append(args, "--output="+format+"="+filepath.Join(dir, format))
		}
		return args
	})
	var said [2]string
	if err == nil {
		defer remove()
		for i, name := range files {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return "", "", err
			}
			said[i] = string(data)
		}
		return said[0], said[1], nil
	}
	if !errors.Is(err, errNoChild) {
		return "", "", err
	}
	for i, format := range files {
		if said[i], err = a.captured(func(b *app) error {
			return b.impact(ctx, &impactFlags{base: base, out: &outputs{list: []output{{format, stdoutPath}}}})
		}); err != nil && !errors.Is(err, errGate) {
			return "", "", err
		}
	}
	return said[0], said[1], nil
}

func (a *app) changesReply(ctx context.Context, in changesIn) (reply[changesOut], error) {
	md, text, err := a.changes(ctx, in.Base)
	if err != nil {
		return reply[changesOut]{}, err
	}
	out := changesOut{Report: map[string]any{}, Markdown: md}
	if len(text)/4 <= budget(in.MaxTokens) {
		if err := json.Unmarshal([]byte(text), &out.Report); err != nil {
			return reply[changesOut]{}, err
		}
	} else {
		out.LeftOut = true
	}
	if most := 4 * budget(in.MaxTokens); len(md) > most {
		out.Markdown = strings.ToValidUTF8(md[:most], "") + "\n… cut for the budget"
	}
	return reply[changesOut]{data: out, text: out.Markdown, ofTree: true}, nil
}

// addTexts adds resources and prompts.
func (m *mcpServer) addTexts(s *mcp.Server) {
	text := func(uri, name, doc, mime string, make func(context.Context) (string, error)) {
		s.AddResource(&mcp.Resource{URI: uri, Name: name, Description: doc, MIMEType: mime},
			func(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				body, err := make(ctx)
				if err != nil {
					return nil, err
				}
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mime, Text: body}}}, nil
			})
	}
	text("kg://overview", "overview", "The architecture of the code base, as Markdown", "text/markdown", func(ctx context.Context) (body string, err error) {
		err = m.with(ctx, func(string) {}, func(s *session) error {
			var b strings.Builder
			err := overviewText(&b, s.index.Overview())
			body = b.String()
			return err
		})
		return body, err
	})
	text("kg://schema", "schema", "Tables and views for the tool sql", "text/plain", func(context.Context) (string, error) { return sqlite.Describe(), nil })
	text("kg://questions", "questions", "All questions of the tool query", "text/plain", func(context.Context) (string, error) { return questionList(), nil })

	prompt := func(name, doc string, args []*mcp.PromptArgument, say func(map[string]string) string) {
		s.AddPrompt(&mcp.Prompt{Name: name, Description: doc, Arguments: args},
			func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				return &mcp.GetPromptResult{Description: doc, Messages: []*mcp.PromptMessage{{Role: "user",
					Content: &mcp.TextContent{Text: say(r.Params.Arguments)}}}}, nil
			})
	}
	prompt("review_change", "Review the changes of this branch", []*mcp.PromptArgument{{Name: "base", Description: "compare with this revision"}},
		func(args map[string]string) string {
			return fmt.Sprintf("Call the tool changes with base %q. For each broken use and each must_update say whether the change handles it, with callsites as evidence. "+
				"Then say which of the selected tests to run, and which files that usually change along were left out. Claim nothing without file:line.", args["base"])
		})
	prompt("before_change", "Find out what a change would reach", []*mcp.PromptArgument{{Name: "target", Description: "the declaration", Required: true}},
		func(args map[string]string) string {
			return fmt.Sprintf("Before %q is changed: call symbol and impact for it, then callsites for what must be updated. List the edits needed, each with file:line, and the tests to run.", args["target"])
		})
}
