// Command surfacegen writes the API of Python's standard library as facts, for
// the Python language:
//
//	go run ./surfacegen -stubs DIR [-o std.kgs]
//
// DIR is the folder stdlib of typeshed, as mypy and pyright carry it; its stubs
// are under the Apache License 2.0. What the extractor makes of them is stored,
// without documentation and places.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	pythonlang "github.com/codekg/kg/analyzer/lang/python"
)

func main() {
	stubs := flag.String("stubs", "", "the folder stdlib of typeshed")
	label := flag.String("label", "typeshed", "where the stubs come from")
	out := flag.String("o", "std.kgs", "file to write")
	flag.Parse()
	if err := run(*stubs, *label, *out); err != nil {
		fmt.Fprintln(os.Stderr, "surfacegen:", err)
		os.Exit(1)
	}
}

// skipped are the first parts of modules that programs do not use.
var skipped = []string{"lib2to3", "distutils", "idlelib", "turtle", "tkinter", "msilib", "test"}

func run(dir, label, out string) error {
	a := facts.NewArchive()
	n := 0
	err := filepath.WalkDir(dir, func(p string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(p, ".pyi") {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		name := strings.ReplaceAll(strings.TrimSuffix(filepath.ToSlash(rel), ".pyi"), "/", ".")
		pkg := strings.HasSuffix(name, "__init__")
		name = strings.TrimSuffix(strings.TrimSuffix(name, "__init__"), ".")
		if first, _, _ := strings.Cut(name, "."); slices.Contains(skipped, first) {
			return nil
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		f, err := pythonlang.Surface(src, name, pkg)
		if err != nil {
			return fmt.Errorf("%s: %w", rel, err)
		}
		if len(f.Unparsed) > 0 {
			return fmt.Errorf("%s: line %d does not parse", rel, f.Unparsed[0].From)
		}
		a.Add(name, "", []*facts.File{f})
		n++
		return nil
	})
	if err != nil {
		return err
	}
	b, err := a.Rows(label)
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, b, 0o644); err != nil {
		return err
	}
	fmt.Printf("%d modules, %d bytes\n", n, len(b))
	return nil
}
