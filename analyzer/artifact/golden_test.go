package artifact

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files; files of older versions stay")

// TestOldFiles reads a file of each version that Read understands. The one of
// the current version pins the format: a change of its content needs a new
// version. To make the file of a new version, run with -update.
func TestOldFiles(t *testing.T) {
	current := filepath.Join("testdata", "v2.kg")
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
		if !reflect.DeepEqual(g, small()) {
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
