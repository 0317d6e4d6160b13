// Command surfacegen writes the API of JavaScript's own library as facts, for
// the TypeScript language:
//
//	npm install typescript@5
//	go run ./surfacegen [-typescript node_modules/typescript] [-o lib.kgs]
//
// It reads the declaration files of ECMAScript that TypeScript comes with
// (lib.es*.d.ts, Apache License 2.0, Copyright (c) Microsoft Corporation) and
// stores what the extractor makes of them: names, signatures and types, no
// documentation. Those of browsers are left out, but for the names of what a
// program runs in, to which programs add members of their own. The files in the
// folder known say what functions of libraries keep of what they are given, each
// for the module that its path says.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/lang/typescript"
)

func main() {
	dir := flag.String("typescript", "node_modules/typescript", "the folder of the package")
	known := flag.String("known", "known", "the folder of what is known of libraries")
	out := flag.String("o", "lib.kgs", "file to write")
	flag.Parse()
	if err := run(*dir, *known, *out); err != nil {
		fmt.Fprintln(os.Stderr, "surfacegen:", err)
		os.Exit(1)
	}
}

// host declares what a program runs in, and what Svelte's compiler declares.
const host = `
interface Window { readonly window: Window; readonly self: Window; readonly parent: Window; readonly top: Window | null }
declare var window: Window;
declare var self: Window;
declare function $state<T>(): T;
declare function $state<T>(value: T): T;
declare namespace $state { function raw<T>(value: T): T; }
declare function $derived<T>(value: T): T;
declare namespace $derived { function by<T>(make: () => T): T; }
`

// declared returns what a declaration file declares.
func declared(name string) (*facts.File, error) {
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, err := typescript.Surface(src)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

func run(dir, known, out string) error {
	names, err := filepath.Glob(filepath.Join(dir, "lib", "lib.es*.d.ts"))
	if err != nil {
		return err
	}
	sort.Strings(names)
	var files []*facts.File
	for _, name := range names {
		if strings.Contains(name, ".full.") {
			continue
		}
		f, err := declared(name)
		if err != nil {
			return err
		}
		if len(f.Decls) == 0 {
			continue // it only names others
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return fmt.Errorf("%s has no declaration files", dir)
	}
	f, err := typescript.Surface([]byte(host))
	if err != nil {
		return err
	}
	files = append(files, f)
	version, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return err
	}
	v := "typescript"
	for _, line := range strings.Split(string(version), "\n") {
		if s, ok := strings.CutPrefix(strings.TrimSpace(line), `"version": "`); ok {
			v += " " + strings.TrimRight(s, `",`)
		}
	}
	a := facts.NewArchive()
	for _, f := range files {
		a.Add("lib", "", []*facts.File{f})
	}
	err = filepath.WalkDir(known, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		f, err := declared(name)
		if err != nil {
			return err
		}
		module, err := filepath.Rel(known, strings.TrimSuffix(name, ".d.ts"))
		if err != nil {
			return err
		}
		a.Add(filepath.ToSlash(module), "", []*facts.File{f})
		return nil
	})
	if err != nil {
		return err
	}
	b, err := a.Rows(v)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d files, %d bytes\n", v, len(files), len(b))
	return os.WriteFile(out, b, 0o644)
}
