// Surfacegen writes the API of Go's standard library as facts: the file
// std.kgs that package golang embeds. It reads the sources of the Go
// installation that runs it.
//
//	go run ./analyzer/lang/golang/surfacegen -o analyzer/lang/golang/std.kgs
package main

import (
	"flag"
	"fmt"
	"go/build"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/lang/golang"
)

func main() {
	log.SetFlags(0)
	out := flag.String("o", "std.kgs", "the file to write")
	flag.Parse()
	w := facts.NewArchive()
	packages, files := 0, 0
	root := filepath.Join(build.Default.GOROOT, "src")
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(root, dir)
		path := filepath.ToSlash(rel)
		if path == "cmd" || path == "builtin" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), "_") {
			return filepath.SkipDir
		}
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return err
		}
		var sources []golang.Source
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			sources = append(sources, golang.Source{Name: filepath.Base(name), Text: text})
		}
		fs, err := golang.Surface(sources)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if len(fs) > 0 {
			w.Add(strings.TrimPrefix(path, "vendor/"), "", fs)
			packages, files = packages+1, files+len(fs)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	b := w.Bytes(runtime.Version())
	if err := os.WriteFile(*out, b, 0o644); err != nil {
		log.Fatal(err)
	}
	log.Printf("%s: %d packages, %d files, %d bytes", runtime.Version(), packages, files, len(b))
}
