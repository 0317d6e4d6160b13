package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	driver "modernc.org/sqlite"

	"github.com/codekg/kg/analyzer/graph"
)

// Limits bound one question. Zero values stand for the defaults.
type Limits struct {
	Rows int           // 1,000
	Cell int           // bytes shown of one value: 10,000
	Time time.Duration // 10 s
}

const (
	maxRows     = 100_000
	maxText     = 1 << 16 // bytes of a statement
	maxAnswer   = 8 << 20 // bytes of all values
	defaultRows = 1_000
	defaultCell = 10_000
	defaultTime = 10 * time.Second
)

// Table is the answer to one question.
type Table struct {
	Columns   []string `json:"columns"`
	Rows      [][]any  `json:"rows"`      // nil, int64, float64 or string
	Truncated bool     `json:"truncated"` // there are more rows
}

// Database is a database that can only be read.
type Database struct {
	c    *sql.Conn
	done func()
}

// FromGraph makes a database of g in memory.
func FromGraph(ctx context.Context, g *graph.Graph) (*Database, error) {
	c, done, err := memory(ctx, g)
	if err != nil {
		return nil, err
	}
	return guarded(ctx, c, done)
}

// Open opens a database file, which is neither locked nor changed. It may come
// from anybody.
func Open(ctx context.Context, path string) (*Database, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: "mode=ro&immutable=1"}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, err
	}
	c, err := db.Conn(ctx)
	if err != nil {
		db.Close()
		return nil, err
	}
	return guarded(ctx, c, func() {
		c.Close()
		db.Close()
	})
}

// The numbers of SQLite's limits.
const (
	limitLength    = 0
	limitSQL       = 1
	limitExprDepth = 3
	limitCompound  = 4
	limitAttached  = 7
	limitPattern   = 8
)

// guarded takes every right away but that to read.
func guarded(ctx context.Context, c *sql.Conn, done func()) (*Database, error) {
	_, err := c.ExecContext(ctx, `PRAGMA query_only = 1; PRAGMA trusted_schema = 0; PRAGMA cell_size_check = 1; PRAGMA temp_store = MEMORY;
		PRAGMA mmap_size = 0; PRAGMA hard_heap_limit = 1073741824`)
	for id, n := range map[int]int{limitLength: 1 << 22, limitSQL: maxText, limitExprDepth: 200, limitCompound: 50, limitAttached: 0, limitPattern: 1000} {
		if err == nil {
			_, err = driver.Limit(c, id, n)
		}
	}
	if err == nil {
		err = c.Raw(func(dc any) error {
			r, ok := dc.(driver.AuthorizerRegisterer)
			if !ok {
				return errors.New("sqlite: the driver has no authorizer")
			}
			return r.RegisterAuthorizer(authorize)
		})
	}
	if err != nil {
		done()
		return nil, err
	}
	return &Database{c, done}, nil
}

// The actions that a question may take.
const (
	actionPragma    = 19
	actionRead      = 20
	actionSelect    = 21
	actionFunction  = 31
	actionRecursive = 33
)

func authorize(action driver.AuthorizerActionCode, first, name, _, _ string) driver.AuthorizerReturnCode {
	switch int(action) {
	case actionPragma:
		if first == "data_version" && name == "" { // full-text search asks it
			return driver.AuthorizerOK
		}
		return driver.AuthorizerDeny
	case actionRead, actionSelect, actionRecursive:
		return driver.AuthorizerOK
	case actionFunction:
		switch strings.ToLower(name) {
		case "load_extension", "fts3_tokenizer", "zeroblob", "randomblob", "random", "sqlite_log", "edit", "readfile", "writefile":
			return driver.AuthorizerDeny
		}
		return driver.AuthorizerOK
	}
	return driver.AuthorizerDeny
}

// Close releases the database.
func (d *Database) Close() { d.done() }

// Ask runs one statement that reads. The error is about the statement, or ctx's.
func (d *Database) Ask(ctx context.Context, text string, lim Limits) (*Table, error) {
	if lim.Rows <= 0 {
		lim.Rows = defaultRows
	}
	if lim.Cell <= 0 {
		lim.Cell = defaultCell
	}
	if lim.Time <= 0 {
		lim.Time = defaultTime
	}
	lim.Rows = min(lim.Rows, maxRows)
	if err := oneStatement(text); err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, lim.Time)
	defer cancel()
	t, err := d.rows(limited, text, lim)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("the question took longer than %v; ask for less, or allow more time", lim.Time)
	}
	return t, err
}

func (d *Database) rows(ctx context.Context, text string, lim Limits) (*Table, error) {
	rows, err := d.c.QueryContext(ctx, text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	t := &Table{Rows: [][]any{}}
	if t.Columns, err = rows.Columns(); err != nil {
		return nil, err
	}
	size := 0
	for rows.Next() {
		if len(t.Rows) == lim.Rows || size > maxAnswer {
			t.Truncated = true
			return t, nil
		}
		row := make([]any, len(t.Columns))
		at := make([]any, len(row))
		for i := range row {
			at[i] = &row[i]
		}
		if err := rows.Scan(at...); err != nil {
			return nil, err
		}
		for i, v := range row {
			if b, ok := v.([]byte); ok {
				v = string(b)
			}
			if tm, ok := v.(time.Time); ok {
				v = tm.Format(time.RFC3339)
			}
			if s, ok := v.(string); ok {
				if len(s) > lim.Cell {
					s = s[:lim.Cell] + "…"
				}
				v = strings.ToValidUTF8(s, "\uFFFD")
				size += len(s)
			}
			row[i] = v
			size += 8
		}
		t.Rows = append(t.Rows, row)
	}
	return t, rows.Err()
}

// oneStatement refuses what is more than one statement, or none: the driver
// would run them all.
func oneStatement(text string) error {
	if len(text) > maxText {
		return fmt.Errorf("the statement is longer than %d bytes", maxText)
	}
	rest := text
	words := false
	for i := 0; i < len(rest); {
		switch c := rest[i]; {
		case c == '\'' || c == '"' || c == '`':
			end := strings.IndexByte(rest[i+1:], c)
			if end < 0 {
				return errors.New("a quoted text does not end")
			}
			i += end + 2
			words = true
		case c == '[':
			end := strings.IndexByte(rest[i:], ']')
			if end < 0 {
				return errors.New("a quoted name does not end")
			}
			i += end + 1
		case strings.HasPrefix(rest[i:], "--"):
			end := strings.IndexByte(rest[i:], '\n')
			if end < 0 {
				i = len(rest)
			} else {
				i += end + 1
			}
		case strings.HasPrefix(rest[i:], "/*"):
			end := strings.Index(rest[i+2:], "*/")
			if end < 0 {
				i = len(rest)
			} else {
				i += end + 4
			}
		case c == ';':
			if tail := strings.TrimSpace(rest[i+1:]); tail != "" && strings.Trim(tail, "; \t\r\n") != "" && !strings.HasPrefix(tail, "--") {
				return errors.New("only one statement can be asked at a time")
			}
			i++
		case c == 0:
			return errors.New("the statement holds a zero byte")
		default:
			words = words || c > ' '
			i++
		}
	}
	if !words {
		return errors.New("the statement is empty")
	}
	return nil
}
