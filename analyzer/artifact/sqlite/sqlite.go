// Package sqlite is a graph as an SQLite database: [Export] writes one, and
// [Open] asks one, whoever made it, with SQL that can only read.
//
// The tables are those of [Schema]. Views give the questions that are asked
// most a name; nodes_fts finds nodes by the words of their name, signature and
// documentation.
package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	_ "modernc.org/sqlite" // the driver

	"github.com/codekg/kg/analyzer/graph"
)

// Schema is what the database has.
const Schema = `
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE nodes(
  id INTEGER PRIMARY KEY, key TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, qname TEXT NOT NULL, parent INTEGER,
  lang TEXT, file TEXT, def_line INTEGER, line INTEGER, col INTEGER, end_line INTEGER,
  visibility TEXT NOT NULL, exported INTEGER NOT NULL, test INTEGER NOT NULL, flags TEXT NOT NULL,
  signature TEXT NOT NULL, type TEXT NOT NULL, doc TEXT NOT NULL, tokens INTEGER NOT NULL, package INTEGER, branches INTEGER NOT NULL);
CREATE TABLE edges(
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, src INTEGER NOT NULL, dst INTEGER NOT NULL, certainty TEXT NOT NULL,
  type INTEGER, sites INTEGER NOT NULL, file TEXT, line INTEGER);
CREATE TABLE sites(edge INTEGER NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL, col INTEGER NOT NULL, args INTEGER, test INTEGER NOT NULL);
CREATE TABLE files(path TEXT PRIMARY KEY, lang TEXT NOT NULL, size INTEGER NOT NULL, sha256 TEXT NOT NULL);
CREATE TABLE unknowns(reason TEXT NOT NULL, file TEXT, line INTEGER, end_line INTEGER, detail TEXT, count INTEGER NOT NULL);
CREATE TABLE skipped(lang TEXT NOT NULL, files INTEGER NOT NULL, bytes INTEGER NOT NULL);
`

// indexes and views are made when the tables are full.
const indexes = `
CREATE UNIQUE INDEX nodes_key ON nodes(key);
CREATE INDEX nodes_name ON nodes(name);
CREATE INDEX nodes_parent ON nodes(parent);
CREATE INDEX nodes_file ON nodes(file, line);
CREATE INDEX edges_src ON edges(src, kind);
CREATE INDEX edges_dst ON edges(dst, kind);
CREATE INDEX sites_edge ON sites(edge);
`

const views = `
CREATE VIEW relations AS
  SELECT e.kind, s.key AS source, s.qname AS source_name, t.key AS target, t.qname AS target_name, e.certainty, e.sites, e.file, e.line, s.test
  FROM edges e JOIN nodes s ON s.id = e.src JOIN nodes t ON t.id = e.dst;
CREATE VIEW calls AS
  SELECT s.key AS caller, s.qname AS caller_name, t.key AS callee, t.qname AS callee_name, e.certainty, p.file, p.line, p.col, p.args, s.test
  FROM edges e JOIN nodes s ON s.id = e.src JOIN nodes t ON t.id = e.dst JOIN sites p ON p.edge = e.id WHERE e.kind = 'calls';
CREATE VIEW implementations AS
  SELECT s.key AS implementation, s.qname AS implementation_name, t.key AS interface, t.qname AS interface_name, s.kind, e.certainty
  FROM edges e JOIN nodes s ON s.id = e.src JOIN nodes t ON t.id = e.dst WHERE e.kind IN ('implements', 'extends', 'overrides');
CREATE VIEW members AS
  SELECT p.key AS container, p.qname AS container_name, n.key AS member, n.qname AS member_name, n.kind, n.signature, n.file, n.line
  FROM nodes n JOIN nodes p ON p.id = n.parent;
CREATE VIEW dependencies AS
  SELECT a.key AS source, a.qname AS source_name, b.key AS target, b.qname AS target_name, sum(e.sites) AS imports, min(s.test) AS only_tests
  FROM edges e JOIN nodes s ON s.id = e.src JOIN nodes t ON t.id = e.dst JOIN nodes a ON a.id = s.package JOIN nodes b ON b.id = t.package
  WHERE e.kind = 'imports' AND s.package <> t.package GROUP BY s.package, t.package;
CREATE VIEW fan AS
  SELECT n.key, n.qname, n.kind, n.file, n.line,
    (SELECT count(DISTINCT src) FROM edges WHERE dst = n.id AND kind NOT IN ('imports', 'annotates')) AS fan_in,
    (SELECT count(DISTINCT dst) FROM edges WHERE src = n.id AND kind NOT IN ('imports', 'annotates')) AS fan_out
  FROM nodes n WHERE n.kind IN ('function', 'method', 'constructor', 'class', 'struct', 'interface', 'enum', 'record', 'type_alias');
CREATE VIEW untested AS
  SELECT n.key, n.qname, n.file, n.line FROM nodes n
  WHERE n.kind IN ('function', 'method', 'constructor') AND n.test = 0
    AND NOT EXISTS (SELECT 1 FROM edges e JOIN nodes s ON s.id = e.src WHERE e.dst = n.id AND s.test = 1);
`

// Describe returns the statements that make tables and views.
func Describe() string {
	return Schema + "CREATE VIRTUAL TABLE nodes_fts USING fts5(name, words, signature, doc); -- rowid is nodes.id\n" + views
}

// Export writes g as an SQLite database. Equal graphs give equal bytes with the
// same version of SQLite. It takes memory for the whole database.
func Export(w io.Writer, g *graph.Graph) error {
	ctx := context.Background()
	c, done, err := memory(ctx, g)
	if err != nil {
		return err
	}
	defer done()
	return c.Raw(func(driver any) error {
		s, ok := driver.(interface{ Serialize() ([]byte, error) })
		if !ok {
			return errors.New("sqlite: the driver cannot serialize")
		}
		data, err := s.Serialize()
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
}

// memory makes a database in memory that lives until done is called.
func memory(ctx context.Context, g *graph.Graph) (c *sql.Conn, done func(), err error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, nil, err
	}
	c, err = db.Conn(ctx)
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	done = func() {
		c.Close()
		db.Close()
	}
	if err := fill(ctx, c, g); err != nil {
		done()
		return nil, nil, fmt.Errorf("sqlite: %w", err)
	}
	return c, done, nil
}

func fill(ctx context.Context, c *sql.Conn, g *graph.Graph) error {
	run := func(text string) error {
		_, err := c.ExecContext(ctx, text)
		return err
	}
	if err := run("PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;" + Schema); err != nil {
		return err
	}
	text := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
	id := func(n graph.ID) any {
		if n == graph.None {
			return nil
		}
		return int64(n) + 1
	}
	line := func(n int32) any {
		if n == 0 {
			return nil
		}
		return int64(n)
	}
	name := func(s string) any {
		if s == "" {
			return nil
		}
		return text(s)
	}
	flag := func(b bool) int64 {
		if b {
			return 1
		}
		return 0
	}

	nodes := newInserter(ctx, c, "nodes", 22)
	words := newInserter(ctx, c, "nodes_fts(rowid, name, words, signature, doc)", 5)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		pkg := graph.ID(i)
		for p := pkg; p != graph.None; p = g.Nodes[p].Parent {
			if g.Nodes[p].Kind == graph.KindPackage {
				pkg = p
				break
			}
		}
		nodes.add(int64(i)+1, text(n.Key), n.Kind.String(), text(n.Name), text(n.QName), id(n.Parent), name(n.Lang), name(n.File),
			line(n.DefLine), line(n.Line), line(n.Col), line(n.EndLine), n.Visibility.String(), flag(n.Visibility <= graph.Internal),
			flag(n.Flags.Has(graph.FlagTest)), strings.Join(n.Flags.Names(), " "), text(n.Signature.Text), text(n.Signature.Type),
			text(n.Doc), int64(n.Tokens), id(pkg), int64(n.Branches))
	}
	if err := nodes.end(); err != nil {
		return err
	}
	edges, sites := newInserter(ctx, c, "edges", 9), newInserter(ctx, c, "sites", 6)
	for i := range g.Edges {
		e := &g.Edges[i]
		list := g.Sites(e)
		var file, at any
		if len(list) > 0 {
			file, at = text(g.Files[list[0].File].Path), int64(list[0].Line)
		}
		edges.add(int64(i)+1, e.Kind.String(), int64(e.From)+1, int64(e.To)+1, e.Certainty.String(), id(e.Type), int64(len(list)), file, at)
		for _, s := range list {
			var args any
			if s.Args >= 0 {
				args = int64(s.Args)
			}
			sites.add(int64(i)+1, text(g.Files[s.File].Path), int64(s.Line), int64(s.Col), args, flag(s.Flags&graph.SiteTest != 0))
		}
	}
	if err := errors.Join(edges.end(), sites.end()); err != nil {
		return err
	}
	files := newInserter(ctx, c, "files", 4)
	for i := range g.Files {
		f := &g.Files[i]
		files.add(text(f.Path), f.Lang, f.Size, hex.EncodeToString(f.Hash[:]))
	}
	unknowns := newInserter(ctx, c, "unknowns", 6)
	for _, u := range g.Unknowns {
		unknowns.add(u.Reason.String(), name(u.File), line(u.Line), line(u.EndLine), text(u.Detail), int64(u.Count))
	}
	skipped := newInserter(ctx, c, "skipped", 3)
	for _, s := range g.Skipped {
		skipped.add(text(s.Lang), int64(s.Files), s.Bytes)
	}
	meta := newInserter(ctx, c, "meta", 2)
	meta.add("schema", "kg.sqlite/v1")
	meta.add("tree", hex.EncodeToString(g.Tree[:]))
	if err := errors.Join(files.end(), unknowns.end(), skipped.end(), meta.end()); err != nil {
		return err
	}
	if err := run("CREATE VIRTUAL TABLE nodes_fts USING fts5(name, words, signature, doc, tokenize = 'porter unicode61');"); err != nil {
		return err
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Kind != graph.KindFile && n.Kind != graph.KindRepository {
			words.add(int64(i)+1, text(n.Name), text(split(n.QName)), text(n.Signature.Text), text(n.Doc))
		}
	}
	if err := words.end(); err != nil {
		return err
	}
	return run(indexes + views + "COMMIT;")
}

// split takes a name apart where its letters change case, and at signs.
func split(name string) string {
	var b strings.Builder
	var last rune
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(last):
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		last = r
	}
	return b.String()
}

// inserter adds many rows with one statement.
type inserter struct {
	ctx   context.Context
	c     *sql.Conn
	into  string
	width int
	args  []any
	full  *sql.Stmt
	err   error
}

const insertRows = 50

func newInserter(ctx context.Context, c *sql.Conn, into string, width int) *inserter {
	return &inserter{ctx: ctx, c: c, into: into, width: width}
}

func (x *inserter) statement(rows int) string {
	row := "(" + strings.Repeat("?,", x.width-1) + "?)"
	return "INSERT INTO " + x.into + " VALUES " + strings.Repeat(row+",", rows-1) + row
}

func (x *inserter) add(row ...any) {
	if x.err != nil {
		return
	}
	if x.args = append(x.args, row...); len(x.args) < insertRows*x.width {
		return
	}
	if x.full == nil {
		if x.full, x.err = x.c.PrepareContext(x.ctx, x.statement(insertRows)); x.err != nil {
			return
		}
	}
	_, x.err = x.full.ExecContext(x.ctx, x.args...)
	x.args = x.args[:0]
}

func (x *inserter) end() error {
	if x.err == nil && len(x.args) > 0 {
		_, x.err = x.c.ExecContext(x.ctx, x.statement(len(x.args)/x.width), x.args...)
	}
	if x.full != nil {
		x.full.Close()
	}
	return x.err
}
