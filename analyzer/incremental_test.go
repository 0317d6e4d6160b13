package analyzer_test

import (
	"bytes"
	"context"
	"crypto/sha1"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/codekg/kg/analyzer"
	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/source"
	"github.com/codekg/kg/analyzer/source/sourcetest"
)

// factsOf returns the graph file and the facts file of a tree that is built
// from an earlier facts file, if there is one, and how many files were read.
func factsOf(t *testing.T, tree source.Tree, from []byte, o analyzer.Options) (graph, facts []byte, read int) {
	t.Helper()
	o.Memo = analyzer.NewMemo()
	if from != nil {
		f, err := artifact.OpenFacts(bytes.NewReader(from), int64(len(from)), "test", artifact.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		o.Memo.Use(f)
	}
	r, err := analyzer.Read(context.Background(), tree, o)
	if err != nil {
		t.Fatal(err)
	}
	contents := r.Contents()
	built, err := r.Link(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	g := built.Build()
	var a, b bytes.Buffer
	if err := artifact.Write(&a, g); err != nil {
		t.Fatal(err)
	}
	if err := artifact.WriteFacts(&b, "test", g.Tree, contents); err != nil {
		t.Fatal(err)
	}
	return a.Bytes(), b.Bytes(), len(o.Memo.TakeFresh())
}

// TestIncremental goes through trees that grow out of each other by chance: made
// of the files of all examples, which come, go, move and change. Each graph is made
// of the facts of the tree before, with other workers and in another order, and
// must have the bytes of the one that is made of nothing.
func TestIncremental(t *testing.T) {
	names, err := filepath.Glob("../testdata/*/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	var pool []txtar.File
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if filepath.Ext(f.Name) != "" {
				pool = append(pool, f)
			}
		}
	}
	steps := 60
	if testing.Short() {
		steps = 10
	}
	r := rand.New(rand.NewPCG(7, 0))
	now := map[string][]byte{}
	folders := []string{"", "a/", "a/b/", "c/"}
	var before []byte
	reused := 0
	for step := range steps {
		for range 1 + r.IntN(8) {
			f := pool[r.IntN(len(pool))]
			name := folders[r.IntN(len(folders))] + f.Name
			switch r.IntN(5) {
			case 0:
				delete(now, name)
			case 1:
				now[name] = append(bytes.Clone(f.Data), "\n// changed\n"...)
			case 2: // a file that is cut off in the middle
				now[name] = f.Data[:len(f.Data)*2/3]
			default:
				now[name] = f.Data
			}
		}
		var files []txtar.File
		for name, data := range now {
			files = append(files, txtar.File{Name: name, Data: data})
		}
		tree := sourcetest.Tree(files)
		want, facts, all := factsOf(t, tree, nil, analyzer.Options{Workers: 1})
		if before != nil {
			got, again, read := factsOf(t, tree, before, analyzer.Options{Workers: 1 + r.IntN(8), Shuffle: r.Uint64()})
			if !bytes.Equal(got, want) || !bytes.Equal(again, facts) {
				t.Fatalf("step %d: other bytes", step)
			}
			reused += all - read
		}
		before = facts
	}
	if reused == 0 {
		t.Error("nothing was taken from earlier facts")
	}
}

// TestWholeLibraries links every example with all of the libraries that it imports,
// and with what it can reach of them: the graphs have the same bytes.
func TestWholeLibraries(t *testing.T) {
	names, err := filepath.Glob("../testdata/*/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		whole, _, _ := factsOf(t, sourcetest.Tree(a.Files), nil, analyzer.Options{WholeLibraries: true})
		if reached, _, _ := factsOf(t, sourcetest.Tree(a.Files), nil, analyzer.Options{}); !bytes.Equal(whole, reached) {
			t.Errorf("%s: other bytes", name)
		}
	}
}

// countingTree names its contents as git does and counts how often it is read.
type countingTree struct {
	source.Tree
	entries []source.Entry
	reads   atomic.Int32
}

func (t *countingTree) Entries() []source.Entry { return t.entries }

func (t *countingTree) Read(i int, max int64) ([]byte, error) {
	t.reads.Add(1)
	return t.Tree.Read(i, max)
}

// TestNothingIsReadAgain builds a tree of known contents from a memo: neither
// its source files are read, nor those that they embed.
func TestNothingIsReadAgain(t *testing.T) {
	files := []txtar.File{
		{Name: "go.mod", Data: []byte("module example.com/m\n")},
		{Name: "m.go", Data: []byte("package m\n\nimport _ \"embed\"\n\n//go:embed hello.txt\nvar Hello string\n")},
		{Name: "hello.txt", Data: []byte("hello\n")},
	}
	tree := &countingTree{Tree: sourcetest.Tree(files)}
	tree.entries = slices.Clone(tree.Tree.Entries())
	for i := range tree.entries {
		data, err := tree.Tree.Read(i, -1)
		if err != nil {
			t.Fatal(err)
		}
		tree.entries[i].ID = fmt.Sprintf("%x", sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(data)), data...)))
	}
	memo := analyzer.NewMemo()
	var graphs [2][]byte
	for i := range graphs {
		g, err := analyzer.Build(t.Context(), tree, analyzer.Options{Memo: memo})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := artifact.Write(&b, g); err != nil {
			t.Fatal(err)
		}
		graphs[i] = b.Bytes()
		if n, want := tree.reads.Swap(0), int32(3*(1-i)); n != want {
			t.Errorf("build %d reads %d files, want %d", i, n, want)
		}
	}
	if !bytes.Equal(graphs[0], graphs[1]) {
		t.Error("other bytes")
	}
	if n := len(memo.TakeFresh()); n != 3 {
		t.Errorf("%d contents are fresh, want 3", n)
	}
}
