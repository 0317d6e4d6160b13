package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/codekg/kg"

// rooms says which packages of this module a package may import, tests left
// out. Languages stand for all of analyzer/lang/*.
//
// It is a statement of policy: do not change it to make a build pass. A package
// that needs what its row does not have is in the wrong place, or wants too
// much.
const rooms = `
	analyzer/graph        :
	analyzer/history      :
	analyzer/facts        : analyzer/graph
	analyzer/syntax       : analyzer/facts analyzer/graph
	analyzer/link         : analyzer/facts analyzer/graph
	analyzer/lang         : analyzer/syntax analyzer/link analyzer/facts
	analyzer/lang/*       : analyzer/lang analyzer/syntax analyzer/link analyzer/facts analyzer/graph
	analyzer/lang/all     : analyzer/lang analyzer/lang/*
	analyzer/source       : analyzer/history
	analyzer/source/sourcetest : analyzer/source
	analyzer/artifact     : analyzer/graph analyzer/facts
	analyzer/cache        : analyzer/artifact analyzer/facts
	analyzer/artifact/sqlite : analyzer/graph
	analyzer/query        : analyzer/graph
	analyzer/query/cypher : analyzer/graph analyzer/query
	analyzer/query/page   : analyzer/graph analyzer/query
	analyzer/search       : analyzer/graph
	analyzer              : analyzer/graph analyzer/facts analyzer/syntax analyzer/link analyzer/lang analyzer/lang/all analyzer/source
	diff                  : analyzer/graph
	diff/difftest         : analyzer/graph
	diff/impact           : analyzer/graph diff
	diff/cochange         : analyzer/history
	diff/rules            : analyzer/graph diff diff/impact diff/cochange
	report                : analyzer/graph analyzer/history diff diff/impact diff/rules
	report/github         : report
	report/github/githubtest :
	cmd/kg                : *
	bench/*               : *
	bench/cochange        : analyzer/source analyzer/history diff/cochange
	bench/phases          : bench/usage analyzer analyzer/*
`

// guests says which packages may import a module of others, tests left out.
const guests = `
	github.com/bmatcuk/doublestar/v4      : analyzer/query diff/rules
	github.com/cespare/xxhash/v2          : analyzer/artifact
	github.com/getkin/kin-openapi         : report/github/githubtest
	github.com/goccy/go-json              : report
	github.com/goccy/go-yaml              : bench/runner cmd/kg
	github.com/fsnotify/fsnotify          : cmd/kg
	github.com/go-git/go-billy/v5         : analyzer/source
	github.com/go-git/go-git/v5           : analyzer/source
	github.com/google/go-github/v60       : report/github
	github.com/hmarr/codeowners           : cmd/kg
	github.com/kljensen/snowball          : analyzer/search
	github.com/klauspost/compress         : analyzer/artifact analyzer/facts
	github.com/sourcegraph/conc           : analyzer analyzer/link analyzer/source
	github.com/modelcontextprotocol/go-sdk : cmd/kg bench/asking
	github.com/spf13/cobra                : cmd/kg
	github.com/spf13/pflag                : cmd/kg
	github.com/tree-sitter/go-tree-sitter : analyzer/syntax
	github.com/tree-sitter/*              : analyzer/lang/*
	golang.org/x/mod                      : analyzer/lang/*
	golang.org/x/sys/unix                 : cmd/kg
	golang.org/x/tools/txtar              : analyzer/source/sourcetest analyzer/lang/langtest
	modernc.org/sqlite                    : analyzer/artifact/sqlite
`

// listed is a package as go list tells it.
type listed struct {
	ImportPath string
	Name       string
	Dir        string
	Imports    []string
	Deps       []string
	GoFiles    []string
	CgoFiles   []string
}

func listPackages(t *testing.T) []listed {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is needed")
	}
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Dir,Imports,Deps,GoFiles,CgoFiles", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("go list found only %d packages", len(all))
	}
	return all
}

func TestRooms(t *testing.T) {
	rooms, guests := policy(t, rooms), policy(t, guests)
	for _, p := range listPackages(t) {
		name := room(p.ImportPath)
		row, ok := find(rooms, name)
		if !ok {
			t.Errorf("%s has no row in the table of rooms", name)
			continue
		}
		for _, imp := range p.Imports {
			switch {
			case strings.HasPrefix(imp, module+"/"):
				// A program beside a package may import that package.
				if r := room(imp); !matches(row, r) && !(p.Name == "main" && strings.HasPrefix(name, r+"/")) {
					t.Errorf("%s imports %s, which the table of rooms does not allow", name, r)
				}
			case strings.Contains(strings.Split(imp, "/")[0], "."):
				if hosts, ok := findModule(guests, imp); !ok || !matches(hosts, name) {
					t.Errorf("%s imports %s, which the table of guests does not allow", name, imp)
				}
			}
		}
		// What compares and reports works without a parser.
		if name == "diff" || strings.HasPrefix(name, "diff/") || name == "report" || strings.HasPrefix(name, "report/") {
			for _, d := range p.Deps {
				if strings.Contains(d, "tree-sitter") || strings.HasPrefix(d, module+"/analyzer/syntax") {
					t.Errorf("%s links %s", name, d)
				}
			}
		}
	}
}

// TestFolders: every room has its place; there is no other folder at the top.
func TestFolders(t *testing.T) {
	entries, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); e.IsDir() && name[0] != '.' && !slices.Contains([]string{"analyzer", "bench", "cmd", "diff", "docs", "report", "testdata"}, name) {
			t.Errorf("the folder %s is no part of the layout", name)
		}
	}
}

// TestWorldIsLeftAlone: only cmd/kg exits, prints and reads the environment.
// Other programs of the module, which are no part of kg, do as they like.
func TestWorldIsLeftAlone(t *testing.T) {
	forbidden := map[string][]string{
		"os":  {"Exit", "Getenv", "LookupEnv", "Environ", "ExpandEnv", "Stdin", "Stdout", "Stderr", "Args", "Chdir"},
		"fmt": {"Print", "Printf", "Println"},
	}
	checked := 0
	for _, p := range listPackages(t) {
		if p.Name == "main" || strings.HasPrefix(room(p.ImportPath), "bench/") {
			continue
		}
		for _, file := range slices.Concat(p.GoFiles, p.CgoFiles) {
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			checked++
			for _, imp := range f.Imports {
				if imp.Path.Value == `"log"` || imp.Path.Value == `"log/slog"` || imp.Path.Value == `"flag"` {
					t.Errorf("%s imports %s", fset.Position(imp.Pos()), imp.Path.Value)
				}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && slices.Contains(forbidden[x.Name], s.Sel.Name) {
						t.Errorf("%s: %s.%s belongs into cmd/kg", fset.Position(s.Pos()), x.Name, s.Sel.Name)
					}
				}
				return true
			})
		}
	}
	if checked == 0 {
		t.Fatal("no file was checked")
	}
}

// policy reads a table: a name, a colon, names that are allowed.
func policy(t *testing.T, table string) map[string][]string {
	t.Helper()
	rows := map[string][]string{}
	for line := range strings.Lines(table) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, allowed, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !ok || rows[name] != nil {
			t.Fatalf("bad row %q", line)
		}
		rows[name] = append([]string{}, strings.Fields(allowed)...)
	}
	return rows
}

func room(path string) string { return strings.TrimPrefix(path, module+"/") }

// find returns the row of a name, or the row with a star that matches it.
func find(rows map[string][]string, name string) ([]string, bool) {
	if row, ok := rows[name]; ok {
		return row, true
	}
	for pattern, row := range rows {
		if matches([]string{pattern}, name) {
			return row, true
		}
	}
	return nil, false
}

// findModule returns the row of the module that has an import path.
func findModule(rows map[string][]string, path string) ([]string, bool) {
	for at := path; at != "." && at != "/"; at = filepath.ToSlash(filepath.Dir(at)) {
		if row, ok := find(rows, at); ok {
			return row, true
		}
	}
	return nil, false
}

// matches reports whether a name is in a list, where "x/*" stands for all below x
// and "*" for everything.
func matches(list []string, name string) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		above, star := strings.CutSuffix(pattern, "/*")
		return pattern == name || pattern == "*" || star && strings.HasPrefix(name, above+"/")
	})
}
