package graph_test

import (
	"testing"

	"github.com/codekg/kg/analyzer/graph"
)

func TestKeys(t *testing.T) {
	pkg := graph.PackageKey("go", "example.com/m/pkg")
	tests := []struct{ key, want, pkg, name string }{
		{graph.RepositoryKey, "repo:", "repo:", ""},
		{graph.ModuleKey("go", "example.com/m"), "mod:go:example.com/m", "mod:go:example.com/m", ""},
		{graph.FileKey("cmd/main.go"), "file:cmd/main.go", "file:cmd/main.go", ""},
		{pkg, "go:example.com/m/pkg", pkg, ""},
		{graph.DeclKey(pkg, "T.M"), "go:example.com/m/pkg#T.M", pkg, "T.M"},
		{graph.FileScopedKey(pkg, "f.go", "init"), "go:example.com/m/pkg#f.go::init", pkg, "f.go::init"},
		{graph.ExternalKey("go", "fmt", "Println"), "ext:go:fmt#Println", "ext:go:fmt", "Println"},
		{graph.ExternalKey("go", "fmt", ""), "ext:go:fmt", "ext:go:fmt", ""},
		{graph.NthKey("k", 1), "k", "k", ""},
		{graph.NthKey("k#n", 3), "k#n~3", "k", "n~3"},
	}
	for _, test := range tests {
		if test.key != test.want {
			t.Errorf("key %q, want %q", test.key, test.want)
		}
		if p, n := graph.SplitKey(test.key); p != test.pkg || n != test.name {
			t.Errorf("SplitKey(%q) = %q, %q", test.key, p, n)
		}
	}
	if !graph.IsExternal("ext:go:fmt") || graph.IsExternal(pkg) {
		t.Error("IsExternal is wrong")
	}
}

// TestNames checks that every enum value has a name of its own that parses.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	check := func(what, name string) {
		if name == "" || seen[what+name] || name[0] == 'i' && len(name) > 8 && name[:8] == "invalid(" {
			t.Errorf("%s has the name %q", what, name)
		}
		seen[what+name] = true
	}
	for i := range graph.KindCount {
		k := graph.Kind(i)
		check("kind", k.String())
		if got, ok := graph.ParseKind(k.String()); !ok || got != k {
			t.Errorf("%v does not parse", k)
		}
	}
	for i := range graph.EdgeKindCount {
		k := graph.EdgeKind(i)
		check("edge kind", k.String())
		if got, ok := graph.ParseEdgeKind(k.String()); !ok || got != k {
			t.Errorf("%v does not parse", k)
		}
	}
	for i := range graph.CertaintyCount {
		check("certainty", graph.Certainty(i).String())
	}
	for i := range graph.VisibilityCount {
		check("visibility", graph.Visibility(i).String())
	}
	for i := range graph.ReasonCount {
		check("reason", graph.Reason(i).String())
	}
	bits := 0
	for f := graph.Flags(1); f <= graph.FlagMask; f <<= 1 {
		bits++
	}
	names := graph.Flags(graph.FlagMask).Names()
	for _, n := range names {
		check("flag", n)
	}
	if len(names) != bits {
		t.Errorf("%d flags have %d names", bits, len(names))
	}
	if _, ok := graph.ParseKind("nothing"); ok {
		t.Error("nothing parses as a kind")
	}
	if got := graph.Kind(200).String(); got != "invalid(200)" {
		t.Errorf("a kind out of range is %q", got)
	}
}
