package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer/artifact/sqlite"
	"github.com/codekg/kg/report"
)

const tableSchema = "kg.table/v1"

// tableAnswer is a table as JSON.
type tableAnswer struct {
	Schema string `json:"schema"`
	*sqlite.Table
	Freshness *freshness `json:"freshness,omitempty"`
}

func (a *app) sqlCommand() *cobra.Command {
	var (
		g     graphFlags
		limit sqlite.Limits
		out   *outputs
	)
	cmd := &cobra.Command{
		Use:   "sql STATEMENT",
		Short: "Ask the graph with SQL that can only read",
		Long: `Ask the graph with one SQL statement, which can only read: of an SQLite database
made of the graph in memory, or of a database file made by kg export -o sqlite=FILE
(--graph FILE), which is opened as it is and not changed.

Tables: nodes, edges, sites, files, unknowns, skipped, meta, and nodes_fts for
words. Views: relations, calls, implementations, members, dependencies, fan,
untested. kg sql "SELECT name, sql FROM sqlite_schema" shows their columns.

` + graphHelp,
		Example: `  kg sql "SELECT caller_name, file, line FROM calls WHERE callee_name = 'cart.Cart.Add'"
  kg sql "SELECT qname, fan_in FROM fan ORDER BY fan_in DESC LIMIT 10" -o csv
  kg sql "SELECT n.qname FROM nodes_fts f JOIN nodes n ON n.id = f.rowid WHERE nodes_fts MATCH 'open file' ORDER BY rank"
  kg sql "SELECT * FROM untested" --graph graph.db`,
		Args: arguments(1, 1, "STATEMENT"),
		RunE: runs(func(cmd *cobra.Command, args []string) error {
			list, err := out.all()
			if err != nil {
				return err
			}
			if limit.Rows < 0 || limit.Time < 0 {
				return usage("--max and --time must not be negative")
			}
			t, age, err := a.sql(cmd.Context(), &g, args[0], limit)
			if err != nil {
				return err
			}
			return a.writeTable(cmd.Context(), list, t, age)
		}),
	}
	g.add(cmd)
	cmd.Flags().IntVar(&limit.Rows, "max", 0, "show at most `N` rows (default 1,000)")
	cmd.Flags().DurationVar(&limit.Time, "time", 10*time.Second, "give up after this `TIME`")
	out = outputFlag(cmd, "text", "json", "csv")
	return cmd
}

func (a *app) sql(ctx context.Context, g *graphFlags, text string, limit sqlite.Limits) (*sqlite.Table, *freshness, error) {
	var db *sqlite.Database
	var age *freshness
	var err error
	if g.graph != "" && isSQLite(g.graph) {
		db, err = sqlite.Open(ctx, g.graph)
	} else {
		var s *session
		if s, err = a.openSession(ctx, g); err != nil {
			return nil, nil, err
		}
		defer s.close()
		age = a.tellAge(s)
		db, err = sqlite.FromGraph(ctx, s.graph)
	}
	if err != nil {
		return nil, nil, &failure{text: "cannot open the database", err: err}
	}
	defer db.Close()
	t, err := db.Ask(ctx, text, limit)
	if err != nil && ctx.Err() == nil {
		return nil, nil, &failure{text: "cannot answer the statement: " + strings.TrimPrefix(err.Error(), "SQL logic error: "),
			hint: "`kg sql --help` lists tables and views; only what reads is allowed"}
	}
	return t, age, err
}

// isSQLite looks at the first bytes of a file.
func isSQLite(path string) bool {
	const magic = "SQLite format 3\x00"
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, len(magic))
	_, err = io.ReadFull(f, b)
	return err == nil && string(b) == magic
}

func (a *app) writeTable(ctx context.Context, list []output, t *sqlite.Table, age *freshness) error {
	for _, o := range list {
		say := func(w io.Writer) error { return tableText(w, t) }
		switch o.format {
		case "json":
			say = func(w io.Writer) error { return writeJSON(w, tableAnswer{tableSchema, t, age}) }
		case "csv":
			say = func(w io.Writer) error { return tableCSV(w, t) }
		}
		if err := a.write(ctx, o.path, say); err != nil {
			return err
		}
	}
	return nil
}

func tableCSV(w io.Writer, t *sqlite.Table) error {
	c := csv.NewWriter(w)
	c.Write(t.Columns)
	for _, r := range t.Rows {
		row := make([]string, len(r))
		for i, v := range r {
			row[i] = cell(v)
		}
		c.Write(row)
	}
	c.Flush()
	return c.Error()
}

func cell(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// tableText aligns columns. Lines begin with a space, so that none is a command.
func tableText(w io.Writer, t *sqlite.Table) error {
	const widest = 60
	width := make([]int, len(t.Columns))
	rows := [][]string{make([]string, len(t.Columns))}
	for i, c := range t.Columns {
		rows[0][i] = report.Escape(c)
	}
	for _, r := range t.Rows {
		row := make([]string, len(r))
		for i, v := range r {
			row[i] = report.Escape(cell(v))
		}
		rows = append(rows, row)
	}
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], min(widest, len([]rune(c))))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		line := ""
		for i, c := range r {
			line += fmt.Sprintf("  %-*s", width[i], c)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	more := ""
	if t.Truncated {
		more = "; there are more: --max"
	}
	fmt.Fprintf(&b, "  (%s%s)\n", plural(len(t.Rows), "row"), more)
	_, err := io.WriteString(w, b.String())
	return err
}
