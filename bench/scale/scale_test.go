package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codekg/kg/bench/gooracle"
)

// TestModule: what is measured is code that compiles.
func TestModule(t *testing.T) {
	dir := t.TempDir()
	if err := writeModule(filepath.Join(dir, "m"), 35); err != nil {
		t.Fatal(err)
	}
	o, err := gooracle.Ask(t.Context(), filepath.Join(dir, "m"), gooracle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if o.Meta.Errors > 0 || len(o.Files) != 35 || len(o.Modules) != 1 || o.Modules[0].Packages != 4 {
		t.Errorf("%d errors, %d files, modules %v", o.Meta.Errors, len(o.Files), o.Modules)
	}
	// Every run measures the same.
	if err := writeModule(filepath.Join(dir, "again"), 35); err != nil {
		t.Fatal(err)
	}
	for _, f := range o.Files {
		a, err := os.ReadFile(filepath.Join(dir, "m", filepath.FromSlash(f.File)))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, "again", filepath.FromSlash(f.File)))
		if err != nil {
			t.Fatal(err)
		}
		if string(a) != string(b) {
			t.Errorf("%s is not the same twice", f.File)
		}
	}
}

func TestBadSizes(t *testing.T) {
	for _, files := range []string{"", "x", "0", "-1", "1,"} {
		err := run(config{kg: "none", phases: "none", files: files}, io.Discard, io.Discard)
		if err == nil || files != "1," && !strings.Contains(err.Error(), "want numbers") {
			t.Errorf("-files %q: %v", files, err)
		}
	}
}
