package main

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/codekg/kg/bench/gosrc"
	"golang.org/x/tools/txtar"
)

const oracleOutput = "../testdata/shop.oracle.jsonl"

// shop writes the repository of bench/testdata/shop.txtar to a folder.
func shop(t *testing.T) string {
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
	return dir
}

func TestMutations(t *testing.T) {
	u, err := readUses(oracleOutput)
	if err != nil {
		t.Fatal(err)
	}
	var cover coverage
	got := map[string]*Mutation{}
	err = mutations(config{kinds: strings.Join(changes, ",")}, shop(t), io.Discard, func([]string) error { return nil }, func(m *Mutation) error {
		got[m.Change+" "+m.Symbol.QName] = m
		cover.add(u, m)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for change, want := range map[string][]string{
		// Calls, also from test files and in initialisers.
		"add-parameter store.New":      {"call generic.use", "call main.init", "call store.TestPut"},
		"add-parameter store.counters": {"call store.hits"},
		// Values that no longer fit.
		"add-parameter main.visit": {"call main.init", "other main.init", "value main.init"},
		// A method that an interface asks for: where the type becomes the interface.
		"add-parameter main.VisitorFunc.Visit": {"satisfies main.init", "assertion main.back"},
		"add-parameter store.Memory.Flush":     {"satisfies store_test.TestMemory"},
		"add-method store_test.flusher":        {"satisfies store_test.TestMemory"},
		"add-method store.Store": {
			"satisfies generic.use", "satisfies store.New", "satisfies store/store.go", "assertion main.back",
		},
		// A constraint: the type arguments.
		"add-method generic.Number": {"satisfies generic.use"},
		// Nobody uses it.
		"add-parameter generic.use": nil,
		// What was broken before is not counted.
		"add-parameter tools.broken": nil,
	} {
		m := got[change]
		if m == nil {
			t.Errorf("no mutation %q", change)
			continue
		}
		seen := map[string]bool{}
		var list []string
		for _, b := range m.Broken {
			for _, s := range b.Sites {
				if key := s.Cause + " " + b.Symbol.QName; !seen[key] {
					seen[key] = true
					list = append(list, key)
				}
			}
		}
		sort.Strings(list)
		sort.Strings(want)
		if !reflect.DeepEqual(list, want) {
			t.Errorf("%s breaks %q, want %q", change, list, want)
		}
	}
	if got["add-parameter main.main"] != nil || got["add-parameter main.init"] != nil {
		t.Error("the language calls main and init: their signatures cannot change")
	}
	// The oracle's sites say everything that breaks.
	if len(cover.unexplained) > 0 || cover.broken < 40 {
		t.Errorf("%d broken declarations, not found: %q", cover.broken, cover.unexplained)
	}
}

// TestRemoveAndRename checks what breaks when a declaration goes or gets another
// name, and that the text of the change is what was checked.
func TestRemoveAndRename(t *testing.T) {
	got := map[string]string{}
	edits := map[string][]gosrc.Edit{}
	err := mutations(config{kinds: "remove,rename"}, shop(t), io.Discard, func([]string) error { return nil }, func(m *Mutation) error {
		var names []string
		for _, b := range m.Broken {
			names = append(names, b.Symbol.QName)
		}
		sort.Strings(names)
		got[m.Change+" "+m.Symbol.QName] = strings.Join(names, " ")
		edits[m.Change+" "+m.Symbol.QName] = m.Edits
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for change, want := range map[string]string{
		"remove store.Limit":     "store.Memory.Put store.now",
		"rename store.Limit":     "store.Memory.Put store.now",
		"remove store.First":     "main.init", // not store.Second, its place stays
		"remove store.Item.Name": "store.Memory.Put store.New store.TestPut",
		"rename store.Money":     "store.Item store.Memory.String",
		"remove store.base":      "generic.use main.back store.Memory store.New store/store.go store_test.TestMemory", // Close was promoted
	} {
		if have, ok := got[change]; !ok || have != want {
			t.Errorf("%s breaks %q, want %q", change, have, want)
		}
	}
	if es := edits["rename store.base"]; len(es) != 2 || es[0].Text != es[1].Text || len(es[0].Text) != len("base") {
		t.Errorf("a type is renamed with the receivers of its methods: %+v", es)
	}
	if _, ok := got["remove store.TestPut"]; ok {
		t.Error("the test runner calls tests: nobody else can miss them")
	}
}

// TestUndo makes every change twice: the second time it finds the tree as it was.
func TestUndo(t *testing.T) {
	l, err := gosrc.NewLoader(shop(t))
	if err != nil {
		t.Fatal(err)
	}
	groups, err := gosrc.FindGroups(l.Root)
	if err != nil {
		t.Fatal(err)
	}
	pkgs, _, err := l.Load(t.Context(), groups[0], "", "")
	if err != nil {
		t.Fatal(err)
	}
	r := newRepo(l, pkgs)
	targets := r.targets(changes)
	var first []*Mutation
	for _, x := range targets {
		m, _ := x.mutate()
		first = append(first, m)
	}
	for i, x := range targets {
		m, _ := x.mutate()
		m.Seconds, first[i].Seconds = 0, 0
		if !reflect.DeepEqual(m, first[i]) {
			t.Errorf("%s %s: first %+v, then %+v", x.change, x.symbol.QName, first[i], m)
		}
	}
	if errs := r.check(r.pkgs); len(errs) > 0 {
		t.Errorf("errors remain: %v", errs)
	}
}

func TestUnknownChange(t *testing.T) {
	if err := run(config{kinds: "add-wings"}, t.TempDir(), "-", io.Discard); err == nil {
		t.Error("no error")
	}
}
