package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestInjected makes some changes in the sample repository: all must be told.
func TestInjected(t *testing.T) {
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
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Skipf("no git: %v %s", err, out)
	}
	by := map[string]*tally{}
	var lines []string
	if err := repository(dir, 1, 1, by, &lines); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"rename a function", "rename a type", "rename a field", "rename a file"} {
		if x := by[name]; x == nil || x.changes != 1 || x.found != x.truth || x.wrong > 0 {
			t.Errorf("%s: %+v", name, x)
		}
	}
	if len(lines) > 0 {
		t.Errorf("mistakes: %q", lines)
	}
}
