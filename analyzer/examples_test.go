package analyzer_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/source/sourcetest"
)

// external is where examples have what is not in their tree.
const external = "external/"

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// TestExamples builds the tree of every example and compares its edges with
// the example's section "want". The comment of an example may have settings:
//
//	kinds: calls reads    the kinds of edges that it is about
//	flags: test           the nodes with these flags are listed
//	show: variants method the variants of nodes are listed, and nodes of these kinds;
//	                      receivers of calls, types of variables and constants
//	builds: linux windows the platforms for which it compiles; see TestExamplesCompile
//
// Sections under external/ are modules outside of the tree.
func TestExamples(t *testing.T) {
	names, err := filepath.Glob("../testdata/*/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.ToSlash(name[len("../testdata/"):]), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var want []byte
			files, at := []txtar.File{}, -1
			for i, f := range a.Files {
				switch {
				case f.Name == "want":
					want, at = f.Data, i
				case !strings.HasPrefix(f.Name, external):
					files = append(files, f)
				}
			}
			if at < 0 {
				t.Fatal("the example has no section want")
			}
			g, err := analyzer.Build(context.Background(), sourcetest.Tree(files), analyzer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := describe(g, settings(string(a.Comment)))
			if bytes.Equal(got, want) {
				return
			}
			if *update {
				a.Files[at].Data = got
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("edges differ (-update rewrites them)\ngot:\n%s\nwant:\n%s", got, want)
		})
	}
}

// settings returns the settings in the comment of an example by name: its lines
// that are a word, a colon and a list of words.
func settings(comment string) map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(comment) {
		if name, list, ok := strings.Cut(line, ":"); ok && slices.Contains([]string{"kinds", "flags", "show", "builds"}, name) {
			m[name] = strings.Fields(list)
		}
	}
	return m
}

// describe lists the edges, the unknowns and what the settings ask for, one a line.
func describe(g *graph.Graph, set map[string][]string) []byte {
	key := func(n graph.ID) string { return strings.TrimPrefix(g.Nodes[n].Key, "go:") }
	want := func(k graph.EdgeKind) bool {
		if kinds, ok := set["kinds"]; ok {
			return slices.Contains(kinds, k.String())
		}
		return k != graph.EdgeImports
	}
	var lines []string
	for i := range g.Edges {
		e := &g.Edges[i]
		if !want(e.Kind) {
			continue
		}
		s := fmt.Sprintf("%s %s %s", key(e.From), e.Kind, key(e.To))
		if e.Type != graph.None {
			s += " from " + key(e.Type)
		}
		if e.Ptr {
			s += " (pointer)"
		}
		if e.Certainty != graph.Exact {
			s += " (" + e.Certainty.String() + ")"
		}
		lines = append(lines, s+"\n")
		if !slices.Contains(set["show"], "receivers") {
			continue
		}
		for _, c := range g.Sites(e) {
			if c.Flags&graph.SiteSuper != 0 {
				lines = append(lines, fmt.Sprintf("%s:%d super\n", g.Files[c.File].Path, c.Line))
			} else if c.Recv != graph.None {
				lines = append(lines, fmt.Sprintf("%s:%d on %s\n", g.Files[c.File].Path, c.Line, key(c.Recv)))
			}
		}
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		for _, f := range n.Flags.Names() {
			if slices.Contains(set["flags"], f) {
				lines = append(lines, key(graph.ID(i))+" is "+f+"\n")
			}
		}
		if slices.Contains(set["show"], "variants") {
			for _, v := range n.Variants {
				lines = append(lines, fmt.Sprintf("%s varies %s:%d [%s]\n", key(graph.ID(i)), v.File, v.Line, v.Constraint))
			}
		}
		if s := n.Signature.Type; slices.Contains(set["show"], "types") && (n.Kind == graph.KindVariable || n.Kind == graph.KindConstant) {
			lines = append(lines, fmt.Sprintf("%s is of type %s\n", key(graph.ID(i)), s))
		}
		if slices.Contains(set["show"], n.Kind.String()) {
			lines = append(lines, fmt.Sprintf("%s: %s %s\n", key(graph.ID(i)), n.Kind, n.Visibility))
		}
	}
	for _, u := range g.Unknowns {
		lines = append(lines, fmt.Sprintf("unknown %s %s:%d %s\n", u.Reason, u.File, u.Line, u.Detail))
	}
	slices.Sort(lines)
	return []byte(strings.Join(lines, ""))
}
