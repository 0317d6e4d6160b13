package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codekg/kg/bench/adversary"
)

// TestAdversary reads small versions of the trees and changes of bench/hostile,
// which measures the large ones. They end in a graph, the same for every number
// of workers, and in reports.
func TestAdversary(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	size := func(c adversary.Case) int {
		switch {
		case c.Large > 1<<20:
			return 3 << 20 // too large to be parsed
		case c.Large > 100_000:
			return 6_000 // bytes
		}
		return 120
	}
	for _, group := range [][]adversary.Case{adversary.Parsing, adversary.Linking, adversary.Changing} {
		for _, c := range group {
			t.Run(strings.ReplaceAll(c.Name, " ", "-"), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				kg := func(args ...string) string {
					t.Helper()
					var out, err bytes.Buffer
					if code := run(t.Context(), args, &out, &err, noEnv); code != exitFine {
						t.Fatalf("kg %s: exit code %d\n%s", strings.Join(args, " "), code, err.Bytes())
					}
					return out.String()
				}
				build := func(name string, tree adversary.Tree) string {
					t.Helper()
					at := filepath.Join(dir, name)
					for p, data := range tree {
						full := filepath.Join(at, filepath.FromSlash(p))
						if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
							t.Fatal(err)
						}
						if err := os.WriteFile(full, []byte(data), 0o666); err != nil {
							t.Fatal(err)
						}
					}
					var graphs [2][]byte
					for i, workers := range []int{1, 4} {
						kg("build", at, "-o", at+".kg", "--no-cache", "--workers", fmt.Sprint(workers))
						var err error
						if graphs[i], err = os.ReadFile(at + ".kg"); err != nil {
							t.Fatal(err)
						}
					}
					if !bytes.Equal(graphs[0], graphs[1]) {
						t.Error("the number of workers changes the graph")
					}
					return at + ".kg"
				}
				n := size(c)
				base := build("base", c.Base(n))
				kg("export", base, "-o", "jsonl=-")
				if c.Head == nil {
					return
				}
				head := build("head", c.Head(n))
				for _, format := range []string{"json", "text", "md"} {
					if kg("impact", "--base", base, "--head", head, "-o", format) == "" {
						t.Errorf("no %s", format)
					}
				}
			})
		}
	}
}
