package artifact

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/codekg/kg/analyzer/graph"
)

var update = flag.Bool("update", false, "write the golden files; files of older versions stay")

// TestOldFiles reads a file of each version that Read understands. The one of
// the current version pins the format: a change of its content needs a new
// version. To make the file of a new version, run with -update.
func TestOldFiles(t *testing.T) {
	current := filepath.Join("testdata", fmt.Sprintf("v%d.kg", Version))
	if *update {
		if _, err := os.Stat(current); err != nil {
			if err := os.WriteFile(current, seal(parts(t, small())), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	files, err := filepath.Glob("testdata/v*.kg")
	if err != nil || len(files) != Version-minVersion+1 {
		t.Fatalf("%d files for the versions %d to %d, %v", len(files), minVersion, Version, err)
	}
	for _, file := range files {
		g, err := ReadFile(file, Limits{})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		want := small()
		if file < filepath.Join("testdata", "v3.kg") {
			want = withoutReceivers(want)
		}
		if !reflect.DeepEqual(g, want) {
			t.Errorf("%s is read as another graph", file)
		}
	}
	data, err := os.ReadFile(current)
	if err != nil {
		t.Fatal(err)
	}
	info, err := Stat(data)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := Digest(small()); err != nil || info.Digest != want {
		t.Error("the content of the current version has changed")
	}
	var tagged []string
	for _, s := range info.Sections {
		tagged = append(tagged, s.Tag)
	}
	if info.Version != Version || !reflect.DeepEqual(tagged, tags) {
		t.Errorf("version %d with sections %q", info.Version, tagged)
	}
}

// withoutReceivers is the graph as files before version 3 hold it: without
// branches, too.
func withoutReceivers(g *graph.Graph) *graph.Graph {
	c := g.Columns()
	for i := range c.Nodes {
		c.Nodes[i].Branches = 0
	}
	for i := range c.Sites {
		c.Sites[i].Recv = graph.None
		c.Sites[i].Flags &^= graph.SiteSuper
	}
	g, err := graph.FromColumns(c)
	if err != nil {
		panic(err)
	}
	return g
}

func TestJSONLGolden(t *testing.T) {
	var b bytes.Buffer
	if err := JSONL(&b, small()); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "small.jsonl")
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("got\n%swant\n%s", b.Bytes(), want)
	}
}
