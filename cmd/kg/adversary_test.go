package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/lang"
	"github.com/codekg/kg/bench/adversary"
	"github.com/codekg/kg/report"
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

// TestManyRuns asks for tests that more classes and files run than are named. They
// are told as a whole, by every format, and none is lost.
func TestManyRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	const n = 1200
	for name, c := range map[string]struct {
		runs    func(i int) string // what runs the tests
		command string
	}{
		"a chain of classes with tests, Python":     {func(i int) string { return fmt.Sprintf("python:test_chain#TestC%d", i) }, "pytest test_chain.py"},
		"a chain of classes with hooks, Python":     {func(i int) string { return fmt.Sprintf("python:test_chain#TestC%d", i) }, "pytest test_chain.py"},
		"a chain of classes with tests, Java":       {func(i int) string { return fmt.Sprintf("java:m#C%dTest", i) }, "gradle :test"},
		"tests × classes that inherit them, Python": {func(i int) string { return fmt.Sprintf("python:test_kit#TestKit%d", i) }, "pytest test_kit.py"},
		"a suite that many files call, TypeScript":  {func(i int) string { return fmt.Sprintf("file:test/f%d.test.ts", i) }, "npm test --"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			kg := func(args ...string) {
				t.Helper()
				var out, err bytes.Buffer
				if code := run(t.Context(), args, &out, &err, noEnv); code != exitFine {
					t.Fatalf("kg %s: exit code %d\n%s", strings.Join(args, " "), code, err.Bytes())
				}
			}
			at := slices.IndexFunc(adversary.Changing, func(a adversary.Case) bool { return a.Name == name })
			if at < 0 {
				t.Fatal("no such case")
			}
			for which, make := range map[string]func(int) adversary.Tree{"base": adversary.Changing[at].Base, "head": adversary.Changing[at].Head} {
				for p, data := range make(n) {
					full := filepath.Join(dir, which, filepath.FromSlash(p))
					if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(full, []byte(data), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				kg("build", filepath.Join(dir, which), "-o", filepath.Join(dir, which+".kg"), "--no-cache")
			}
			said := map[string]string{}
			args := []string{"impact", "--base", filepath.Join(dir, "base.kg"), "--head", filepath.Join(dir, "head.kg")}
			for _, format := range []string{"json", "text", "md", "tests"} {
				args = append(args, "-o", format+"="+filepath.Join(dir, format))
			}
			kg(args...)
			for _, format := range []string{"json", "text", "md", "tests"} {
				text, err := os.ReadFile(filepath.Join(dir, format))
				if err != nil {
					t.Fatal(err)
				}
				if said[format] = string(text); len(text) > n*8_000 {
					t.Errorf("%s has %d bytes", format, len(text))
				}
			}
			for format, want := range map[string]string{"text": "because more classes or files run the same tests", "md": "because more classes or files run the same tests", "tests": "# selected: many runs"} {
				if !strings.Contains(said[format], want) {
					t.Errorf("%s does not tell it", format)
				}
			}
			for line := range strings.Lines(said["tests"]) {
				if len(line) > lang.MaxCommand+1 {
					t.Errorf("a command of %d bytes", len(line))
				}
			}
			if !strings.Contains(said["tests"], "\n"+c.command) {
				t.Errorf("no %s in %s", c.command, said["tests"][:min(len(said["tests"]), 500)])
			}
			var r report.Report
			if err := json.Unmarshal([]byte(said["json"]), &r); err != nil {
				t.Fatal(err)
			}
			by := map[string]bool{}
			for _, x := range r.Tests.Whole {
				by[x.ID] = true
			}
			for _, x := range r.Tests.Tests {
				by[x.ID] = true
			}
			for i := 1; i < n; i++ {
				if !by[c.runs(i)] {
					t.Fatalf("%s runs nothing", c.runs(i))
				}
			}
			if r.Tests.Mode != "selected" || len(r.Tests.Reasons) == 0 || r.Tests.Reasons[0].Reason != "many_runs" {
				t.Errorf("%s, %v", r.Tests.Mode, r.Tests.Reasons)
			}
		})
	}
}
