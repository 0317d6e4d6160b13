package gooracle

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/codekg/kg/bench/gosrc"
	"github.com/codekg/kg/bench/record"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite bench/testdata/shop.oracle.jsonl")

const golden = "../testdata/shop.oracle.jsonl"

// shop is the judgement on the repository of bench/testdata/shop.txtar.
func shop(t *testing.T) *record.Oracle {
	t.Helper()
	if shopOnce == nil {
		shopOnce = judgeShop(t)
	}
	return shopOnce
}

var shopOnce *record.Oracle

func judgeShop(t *testing.T) *record.Oracle {
	t.Helper()
	a, err := Ask(t.Context(), extractShop(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a.Oracle
}

func extractShop(t *testing.T) string {
	t.Helper()
	ar, err := txtar.ParseFile("../testdata/shop.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range ar.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// sentence writes a site so that it can be compared with an expectation.
func sentence(o *record.Oracle, s *record.Site) string {
	names := map[string]string{}
	for _, d := range o.Defs {
		names[d.ID] = d.QName
	}
	to := names[s.To]
	switch {
	case s.Open:
		to = "open"
	case s.Dynamic:
		to = "dynamic"
	case s.Ext != "":
		to = s.Ext
	}
	text := fmt.Sprintf("%s:%d:%d %s %s -> %s", s.File, s.Line, s.Col, s.Kind, names[s.From], to)
	for _, id := range s.FromOr {
		text += " or from " + names[id]
	}
	for _, id := range s.ToOr {
		text += " or to " + names[id]
	}
	if s.Kind == record.Converts {
		text += " of " + names[s.Type] + s.TypeExt + " by " + s.Context
	}
	for _, f := range []struct {
		on   bool
		name string
	}{{s.Ptr, "ptr"}, {s.Optional, "optional"}} {
		if f.on {
			text += " " + f.name
		}
	}
	if len(s.Tags) > 0 {
		text += " [" + strings.Join(s.Tags, " ") + "]"
	}
	return text
}

func TestSites(t *testing.T) {
	o := shop(t)
	var got []string
	for _, s := range o.Sites {
		got = append(got, sentence(o, s))
	}
	for _, want := range []string{
		// Calls end at the interface's method, the declaring method, the origin.
		"store/store_test.go:14:4 calls store.TestPut -> store.Getter.Get [test interface]",
		"store/x_test.go:15:4 calls store_test.TestMemory -> store.base.Close [test promoted]",
		"generic/generic.go:42:26 calls generic.use -> generic.List.Push [generic]",
		"generic/generic.go:43:18 calls generic.use -> generic.Sum [generic]",
		"main.go:41:9 calls main.init -> main.walk",
		"main.go:52:13 calls main.visit -> fmt#Errorf",
		// Function values judge nobody.
		"main.go:51:7 calls main.visit -> dynamic",
		"store/store.go:83:4 calls store.Memory.Put -> dynamic",
		"store/store.go:83:4 reads store.Memory.Put -> store.Memory.hook",
		"store/store.go:85:17 calls store.Memory.Put -> dynamic",
		// Initialisers count to the variable, `_` to the file, closures to the
		// enclosing declaration.
		"store/store.go:21:17 calls store.hits -> store.counters or from store.misses [init]",
		"store/store.go:22:17 references store/store.go -> store.counters [init]",
		"store/store.go:84:13 reads store.Memory.Put -> store.Memory.items [closure]",
		"store/store.go:23:37 reads store.now -> store.Limit [init closure]",
		// Values.
		"main.go:36:20 references main.init -> main.visit",
		"store/x_test.go:16:27 references store_test.TestMemory -> store.Memory.String [test]",
		"generic/generic.go:47:9 references generic.use -> generic.List.Push [generic]",
		// Reads and writes.
		"store/store.go:71:3 reads store.Memory.Get -> store.misses",
		"store/store.go:71:3 writes store.Memory.Get -> store.misses",
		"store/store.go:63:4 writes store.base.Close -> store.base.closed",
		"store/store.go:85:4 reads store.Memory.Put -> store.Memory.inner",
		"store/store.go:85:10 writes store.Memory.Put -> store.(struct).deep optional",
		"store/store.go:94:44 writes store.New -> store.Item.Name",
		"main.go:44:36 reads main.init -> store.First",
		// Types.
		"store/store.go:33:8 uses-type store.Item -> store.Money or from store.Item.Price",
		"store/store.go:43:11 uses-type store.Store.Put -> store.Item or from store.Store",
		"store/store.go:90:53 uses-type store.Memory.String -> store.Money",
		"store/store.go:41:2 embeds store.Store -> store.Getter",
		"store/store.go:53:2 embeds store.Memory -> store.base",
		"generic/generic.go:45:9 instantiates generic.use -> generic.All or to generic.List",
		"store/store.go:94:43 instantiates store.New -> store.Item optional",
		// Conversions to interfaces.
		"store/store.go:26:15 converts store/store.go -> store.Store of store.Memory by assignment ptr [init]",
		"main.go:34:9 converts main.init -> main.Visitor of main.VisitorFunc by assignment",
		"main.go:36:8 converts main.init -> main.Visitor of main.VisitorFunc by send",
		"main.go:37:18 converts main.init -> main.Visitor of main.VisitorFunc by explicit optional",
		"main.go:40:19 converts main.init -> main.Visitor of main.VisitorFunc by range",
		"main.go:41:17 converts main.init -> store.Getter of store.Store by argument [interface]",
		"main.go:41:24 converts main.init -> store.Getter of store.Memory by argument ptr",
		"main.go:45:12 converts main.init -> main.Visitor of main.VisitorFunc by index",
		"store/store.go:95:9 converts store.New -> store.Store of store.Memory by return ptr",
		"generic/generic.go:42:9 converts generic.use -> store.Store of store.Memory by argument ptr",
		"generic/generic.go:43:6 converts generic.use -> generic.Number of int by type argument optional",
		"main.go:57:7 converts main.back -> main.Visitor of main.VisitorFunc by case optional",
		"main.go:60:23 converts main.back -> store.Store of store.Memory by assertion ptr optional",
		// Relations, also between test files and others.
		"store/store.go:52:6 implements store.Memory -> store.Store ptr",
		"store/store.go:52:6 implements store.Memory -> store_test.flusher ptr",
		"store/store.go:40:6 implements store.Store -> store.Getter optional",
		"store/store_test.go:5:6 implements store.fake -> store.Getter [test]",
		"main.go:14:6 implements main.VisitorFunc -> main.Visitor",
		"main.go:17:22 overrides main.VisitorFunc.Visit -> main.Visitor.Visit",
		"store/store_test.go:17:18 overrides store.Memory.Flush -> store_test.flusher.Flush ptr [test]",
		// What the compiler could not resolve.
		"tools/broken.go:5:29 embeds tools.closer -> open",
		"tools/broken.go:12:10 calls tools.broken -> open",
		"tools/broken.go:13:2 calls tools.broken -> open",
		"tools/broken.go:14:16 unresolved tools.broken -> open",
		"tools/broken.go:14:2 calls tools.broken -> tools.fine",
	} {
		if !slices.Contains(got, want) {
			place, _, _ := strings.Cut(want, " ")
			t.Errorf("no site\n\t%s", want)
			for _, g := range got {
				if strings.HasPrefix(g, place+" ") {
					t.Logf("but\t%s", g)
				}
			}
		}
	}
	for _, s := range o.Sites {
		if s.To != "" && (strings.Contains(s.To, "testdata") || strings.Contains(s.File, "windows")) {
			t.Errorf("a site in a file that is not judged: %s", sentence(o, s))
		}
		if s.Kind == record.Calls && slices.Contains([]string{"len", "make", "append", "Visitor", "Money"}, s.Name) {
			t.Errorf("builtins and conversions are no calls: %s", sentence(o, s))
		}
	}
}

func TestFiles(t *testing.T) {
	o := shop(t)
	got := map[string]string{}
	for _, f := range o.Files {
		got[f.File] = f.Reason
		if f.Judged != (f.Reason == "") {
			t.Errorf("%s: judged %v, reason %q", f.File, f.Judged, f.Reason)
		}
	}
	for file, reason := range map[string]string{
		"main.go":                   "",
		"store/x_test.go":           "",
		"tools/broken.go":           "",
		"tools/syntax.go":           "syntax error",
		"store/store_windows.go":    "build constraint",
		"tools/testdata/skipped.go": "not in a package that was loaded",
	} {
		if r, ok := got[file]; !ok || r != reason {
			t.Errorf("%s: reason %q (listed: %v), want %q", file, r, ok, reason)
		}
	}
}

func TestDefinitions(t *testing.T) {
	o := shop(t)
	got := map[string]*record.Def{}
	for _, d := range o.Defs {
		got[d.QName] = d
	}
	for _, want := range []record.Def{
		{QName: "store.Memory.Put", Kind: "method", DefLine: 79, Line: 79, Col: 18, EndLine: 87},
		{QName: "store.now", Kind: "function", DefLine: 23, Line: 23, Col: 2, EndLine: 23},
		{QName: "store.ErrFull", Kind: "variable", DefLine: 20, Line: 20, Col: 2, EndLine: 20},
		{QName: "store.Limit", Kind: "constant", DefLine: 11, Line: 11, Col: 7, EndLine: 11},
		{QName: "store.Store", Kind: "interface", DefLine: 40, Line: 40, Col: 6, EndLine: 44},
		{QName: "store.Item.Price", Kind: "field", DefLine: 33, Line: 33, Col: 2, EndLine: 33},
		{QName: "store.Money", Kind: "type_alias", DefLine: 37, Line: 37, Col: 6, EndLine: 37},
	} {
		d := got[want.QName]
		if d == nil {
			t.Errorf("no definition %s", want.QName)
			continue
		}
		if d.Kind != want.Kind || d.DefLine != want.DefLine || d.Line != want.Line || d.Col != want.Col || d.EndLine != want.EndLine {
			t.Errorf("definition %+v, want %+v", *d, want)
		}
	}
	if d := got["main.local"]; d == nil || !d.Minor {
		t.Errorf("a type inside a function must be minor: %+v", d)
	}
	for _, name := range []string{"generic.List", "generic.Number", "tools.closer"} {
		if d := got[name]; d == nil || !slices.Contains(d.Unjudged, record.Implements) {
			t.Errorf("%s must not be judged as an implementation: %+v", name, d)
		}
	}
}

// TestGolden keeps the file that the scorer's tests read up to date, and shows
// that the output does not depend on the run.
func TestGolden(t *testing.T) {
	o := judgeShop(t)
	o.Meta.Tool = "go/types"
	var buf bytes.Buffer
	if err := o.Write(&buf); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, buf.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(buf.Bytes(), want) {
		t.Errorf("the output is not that of %s; run go test -update and read the difference", golden)
	}
}

// TestNothingIsLost counts, in the syntax and without the walker, the calls and
// the names of definitions: each must have a site.
func TestNothingIsLost(t *testing.T) {
	l, err := gosrc.NewLoader(extractShop(t))
	if err != nil {
		t.Fatal(err)
	}
	groups, err := gosrc.FindGroups(l.Root)
	if err != nil {
		t.Fatal(err)
	}
	out := newOutput(l.Root, l.Fset)
	var pkgs []*gosrc.Package
	for _, g := range groups {
		list, _, err := l.Load(t.Context(), g, g.Dir, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			out.declare(c)
		}
		for _, c := range list {
			out.walk(c)
		}
		pkgs = append(pkgs, list...)
	}
	sites, calls := map[string]bool{}, map[string]bool{}
	for _, s := range out.sites {
		at := fmt.Sprintf("%s:%d:%d", s.File, s.Line, s.Col)
		sites[at] = true
		if s.Kind == record.Calls {
			calls[at] = true
		}
	}
	want := 0
	for _, c := range pkgs {
		for _, f := range c.Judge {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					tv := c.Info.Types[n.Fun]
					if _, lit := ast.Unparen(n.Fun).(*ast.FuncLit); !tv.IsType() && !tv.IsBuiltin() && !lit {
						want++
					}
				case *ast.Ident:
					obj := c.Info.Uses[n]
					if obj == nil || out.defs[out.id(obj.Pos())] == nil {
						return true
					}
					if _, isPkg := obj.(*types.PkgName); !isPkg && !sites[out.id(n.Pos())] {
						t.Errorf("%s: no site for %s", out.id(n.Pos()), obj)
					}
				}
				return true
			})
		}
	}
	if len(calls) != want || want == 0 {
		t.Errorf("%d sites for %d calls", len(calls), want)
	}
}

// TestNothingLoaded: an oracle that saw nothing must not look like one that found
// nothing.
func TestNothingLoaded(t *testing.T) {
	for name, mod := range map[string]string{
		"no module":             "",
		"missing dependency":    "module example.com/m\n\ngo 1.24\n\nrequire example.com/nowhere v1.0.0\n",
		"go.mod has no meaning": "modul example.com/m\n",
	} {
		dir := t.TempDir()
		if mod != "" {
			if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		src := "package m\n\nimport _ \"example.com/nowhere\"\n"
		if err := os.WriteFile(filepath.Join(dir, "m.go"), []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		o, err := Ask(t.Context(), dir, Options{})
		if err == nil && o.Meta.Errors == 0 {
			t.Errorf("%s: no error, %d definitions", name, len(o.Defs))
		}
	}
}
