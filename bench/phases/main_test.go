package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n", "a.go": "package m\n\nfunc A() { B() }\n", "b.go": "package m\n\nfunc B() {}\n", "c.txt": "no code",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := measure(dir, true, 2)
	if err != nil {
		t.Fatal(err)
	}
	if parsed.Files != 2 || parsed.Bytes != 51 || parsed.Nodes == 0 || parsed.Link != 0 {
		t.Errorf("parsed %+v", parsed)
	}
	built, err := measure(dir, false, 1)
	if err != nil {
		t.Fatal(err)
	}
	// A build reads go.mod as well.
	if built.Files != 3 || built.Graph == 0 || built.Bytes <= parsed.Bytes || built.Nodes != 0 {
		t.Errorf("built %+v", built)
	}
	if _, err := measure(t.TempDir(), true, 1); err == nil {
		t.Error("an empty folder has nothing to measure")
	}
}
