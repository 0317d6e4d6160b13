package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/codekg/kg/analyzer/graph"
)

func small() *graph.Graph {
	b := &graph.Builder{}
	f := b.AddFile(graph.File{Path: "a.go", Lang: "go", Size: 7})
	pkg := b.AddNode(graph.Node{Key: "go:a", Name: "a", QName: "a", Kind: graph.KindPackage, Parent: graph.None})
	var ids []graph.ID
	for i := range 120 {
		ids = append(ids, b.AddNode(graph.Node{Key: fmt.Sprintf("go:a#openFile%03d", i), Name: fmt.Sprintf("openFile%03d", i),
			QName: fmt.Sprintf("a.openFile%03d", i), Kind: graph.KindFunction, Parent: pkg, File: "a.go", Line: int32(i + 1),
			Doc: "It opens \xff files.", Signature: graph.Signature{Text: "func"}}))
	}
	for i := 1; i < len(ids); i++ {
		b.AddEdge(graph.RawEdge{From: ids[i-1], To: ids[i], Type: graph.None, Kind: graph.EdgeCalls, HasSite: true,
			Site: graph.Site{File: f, Line: int32(i), Col: 2, Args: 1, Keywords: -1}})
	}
	b.AddUnknown(graph.Unknown{Reason: graph.ReasonDynamic, Detail: "x"})
	b.AddSkipped(graph.Skipped{Lang: "cobol", Files: 2, Bytes: 3})
	return b.Build()
}

func TestAsk(t *testing.T) {
	ctx := context.Background()
	db, err := FromGraph(ctx, small())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for q, want := range map[string]string{
		"SELECT count(*) FROM nodes":                                                                     "[[121]]",
		"SELECT count(*), min(line), max(args) FROM sites":                                               "[[119 1 1]]",
		"SELECT caller_name, line FROM calls WHERE callee = 'go:a#openFile002'":                          "[[a.openFile001 2]]",
		"SELECT member_name FROM members WHERE container = 'go:a' ORDER BY member LIMIT 1":               "[[a.openFile000]]",
		"SELECT fan_in, fan_out FROM fan WHERE qname = 'a.openFile005'":                                  "[[1 1]]",
		"SELECT count(*) FROM nodes_fts WHERE nodes_fts MATCH 'opening file'":                            "[[120]]",
		"SELECT count(*) FROM nodes_fts WHERE nodes_fts MATCH 'doc : opened'":                            "[[120]]",
		"SELECT value FROM meta WHERE name = 'schema'":                                                   "[[kg.sqlite/v1]]",
		"SELECT reason, detail FROM unknowns":                                                            "[[dynamic x]]",
		"SELECT lang, files FROM skipped; -- two":                                                        "[[cobol 2]]",
		"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r WHERE n < 5) SELECT max(n) FROM r": "[[5]]",
		"SELECT count(*) FROM relations WHERE kind = 'calls'":                                            "[[119]]",
		"SELECT ';', \"name\" FROM meta /* ; */ LIMIT 1":                                                 "[[; schema]]",
		"SELECT count(*) FROM untested":                                                                  "[[120]]",
		"SELECT count(*) FROM dependencies":                                                              "[[0]]",
		"SELECT count(*) FROM implementations":                                                           "[[0]]",
		"SELECT NULL, 1.5, x'ff'":                                                                        "[[<nil> 1.5 \uFFFD]]",
		"SELECT path, size FROM files":                                                                   "[[a.go 7]]",
		"SELECT length(doc) FROM nodes WHERE name = 'openFile000'":                                       "[[17]]",
	} {
		got, err := db.Ask(ctx, q, Limits{})
		if err != nil || fmt.Sprint(got.Rows) != want {
			t.Errorf("%s: got %v, %v; want %s", q, got, err, want)
		}
	}
	got, err := db.Ask(ctx, "SELECT key FROM nodes", Limits{Rows: 3, Cell: 5})
	if err != nil || len(got.Rows) != 3 || !got.Truncated || got.Rows[1][0] != "go:a#…" {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestRefused: everything but reading is refused, in memory and in a file, and
// leaves nothing behind.
func TestRefused(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	path := filepath.Join(dir, "g?#.db")
	var data bytes.Buffer
	if err := Export(&data, small()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	inMemory, err := FromGraph(ctx, small())
	if err != nil {
		t.Fatal(err)
	}
	defer inMemory.Close()
	inFile, err := Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer inFile.Close()
	evil := filepath.Join(dir, "evil")
	for _, db := range []*Database{inMemory, inFile} {
		for _, q := range []string{
			"DELETE FROM nodes", "UPDATE nodes SET name = ''", "INSERT INTO meta VALUES('a','b')", "DROP TABLE nodes",
			"CREATE TABLE x(a)", "CREATE TEMP TABLE x(a)", "CREATE TEMP VIEW x AS SELECT 1", "CREATE VIRTUAL TABLE x USING fts5(a)",
			"ATTACH '" + evil + "' AS e", "VACUUM INTO '" + evil + "'", "VACUUM", "PRAGMA query_only = 0", "PRAGMA journal_mode = WAL",
			"PRAGMA writable_schema = 1", "SELECT load_extension('x')", "BEGIN", "COMMIT", "REINDEX", "ANALYZE", "SAVEPOINT a",
			"SELECT 1; DELETE FROM nodes", "SELECT 1; SELECT 2", "SELECT zeroblob(1000000000)", "SELECT randomblob(10)",
			"SELECT '", "SELECT [a", "", ";", "-- only a comment", "SELECT\x00 1", "SELECT * FROM nothing", "nonsense",
			"WITH x AS (SELECT 1) DELETE FROM nodes", "EXPLAIN DELETE FROM nodes", "REPLACE INTO meta VALUES('a','b')",
			"INSERT INTO nodes_fts(nodes_fts) VALUES('rebuild')", "SELECT printf('%.*c', 100000000, 'x')",
			"SELECT " + strings.Repeat("1+(", 300) + "1" + strings.Repeat(")", 300), strings.Repeat("SELECT 1 UNION ", 60) + "SELECT 1",
			"SELECT '" + strings.Repeat("x", maxText) + "'",
		} {
			if got, err := db.Ask(ctx, q, Limits{}); err == nil {
				t.Errorf("%.60q is answered: %v", q, got)
			}
		}
		// It still answers.
		if got, err := db.Ask(ctx, "SELECT count(*) FROM nodes", Limits{}); err != nil || fmt.Sprint(got.Rows) != "[[121]]" {
			t.Errorf("got %v, %v", got, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, data.Bytes()) {
		t.Error("the file changed")
	}
}

// TestEndless: a question ends with its time, or with who asked it.
func TestEndless(t *testing.T) {
	ctx := context.Background()
	db, err := FromGraph(ctx, small())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT count(*) FROM r"
	if _, err := db.Ask(ctx, endless, Limits{Time: 50 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), "longer than 50ms") {
		t.Errorf("error %v", err)
	}
	gone, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := db.Ask(gone, endless, Limits{}); err == nil {
		t.Error("it ended")
	}
	if got, err := db.Ask(ctx, "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT n FROM r", Limits{Rows: 5}); err != nil || len(got.Rows) != 5 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestBadFiles(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	var data bytes.Buffer
	if err := Export(&data, small()); err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := Export(&again, small()); err != nil || !bytes.Equal(data.Bytes(), again.Bytes()) {
		t.Errorf("equal graphs give other bytes, %v", err)
	}
	for name, content := range map[string][]byte{
		"empty": nil, "text": []byte("hello"), "cut": data.Bytes()[:data.Len()/2],
		"noise": append(append([]byte{}, data.Bytes()[:100]...), bytes.Repeat([]byte{0xa5}, 50_000)...),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		db, err := Open(ctx, path)
		if err != nil {
			continue
		}
		if _, err := db.Ask(ctx, "SELECT sum(length(key)) FROM nodes", Limits{}); err == nil {
			t.Errorf("%s is answered", name)
		}
		db.Close()
	}
	if db, err := Open(ctx, filepath.Join(dir, "nothing")); err == nil {
		if _, err := db.Ask(ctx, "SELECT 1 FROM nodes", Limits{}); err == nil {
			t.Error("a file that is not there is answered")
		}
		db.Close()
	}
}
