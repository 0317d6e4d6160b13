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
// program runs in, to which programs add members of their own.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/lang/typescript"
)

func main() {
	dir := flag.String("typescript", "node_modules/typescript", "the folder of the package")
	out := flag.String("o", "lib.kgs", "file to write")
	flag.Parse()
	if err := run(*dir, *out); err != nil {
		fmt.Fprintln(os.Stderr, "surfacegen:", err)
		os.Exit(1)
	}
}

// host declares what a program runs in.
const host = `
interface Window { readonly window: Window; readonly self: Window; readonly parent: Window; readonly top: Window | null }
declare var window: Window;
declare var self: Window;
`

func run(dir, out string) error {
	names, err := filepath.Glob(filepath.Join(dir, "lib", "lib.es*.d.ts"))
	if err != nil {
		return err
	}
	sort.Strings(names)
	var fs []*facts.File
	for _, name := range names {
		if strings.Contains(name, ".full.") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := typescript.Surface(src)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if len(f.Decls) == 0 {
			continue // it only names others
		}
		fs = append(fs, f)
	}
	if len(fs) == 0 {
		return fmt.Errorf("%s has no declaration files", dir)
	}
	f, err := typescript.Surface([]byte(host))
	if err != nil {
		return err
	}
	fs = append(fs, f)
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
	a.Add("lib", fs)
	b := a.Bytes(v)
	fmt.Printf("%s: %d files, %d bytes\n", v, len(fs), len(b))
	return os.WriteFile(out, b, 0o644)
}
