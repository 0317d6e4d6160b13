package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// repository has tests whose executions are easily taken for those of another
// test.
const repository = `
-- go.mod --
module m

go 1.21
-- a/a.go --
package a

func init() { loaded() }

func loaded() {}

func Main() {}

func Sub() {}

func Parallel() {}

func Child() {}

func Shown() {}

func Late() {}

func Never() {}

var Value = func() int { return 1 }
-- a/a_test.go --
package a

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if os.Getenv("CHILD") != "" {
		Child()
		os.Exit(0)
	}
	Main()
	os.Exit(m.Run())
}

func TestSub(t *testing.T) { t.Run("sub", func(t *testing.T) { Sub() }) }

func TestParallel(t *testing.T) { t.Parallel(); Parallel(); Value() }

func TestChild(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CHILD=1")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
}

func TestGoroutine(t *testing.T) {
	go func() {
		time.Sleep(time.Hour)
		Late()
	}()
}

func TestFails(t *testing.T) { t.Fail() }

func Example() {
	Shown()
	// Output:
}

func BenchmarkNever(b *testing.B) { Never() }
-- b/b.go --
package b

import _ "m/a"
-- b/b_test.go --
package b_test

import (
	"testing"

	_ "m/b"
)

func TestB(t *testing.T) {}
`

func TestCovered(t *testing.T) {
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(repository)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	c := config{timeout: time.Minute, workers: 2, packages: regexp.MustCompile("")}
	if err := run(context.Background(), c, dir, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	names := map[int]string{}
	got := map[string]string{}
	closures := map[string]string{}
	for line := range strings.Lines(out.String()) {
		var r struct {
			T, Dir, Name string
			ID           int
			OK           bool
			Runs         []int
			Deps         []string
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		switch r.T {
		case "decl":
			names[r.ID] = r.Name
		case "closure":
			closures[r.Dir] = strings.Join(r.Deps, " ")
		case "test":
			var runs []string
			for _, id := range r.Runs {
				runs = append(runs, names[id])
			}
			slices.Sort(runs)
			got[r.Dir+" "+r.Name] = strings.Join(runs, " ")
			if r.OK != (r.Name != "TestFails") {
				t.Errorf("%s: ok is %v", r.Name, r.OK)
			}
		}
	}
	want := map[string]string{
		"a TestSub":       "Main Sub init loaded",
		"a TestParallel":  "Main Parallel Value init loaded",
		"a TestChild":     "Child Main init loaded",
		"a TestGoroutine": "Main init loaded",
		"a TestFails":     "Main init loaded",
		"a Example":       "Main Shown init loaded",
		"b TestB":         "init loaded",
	}
	for test, runs := range want {
		if got[test] != runs {
			t.Errorf("%s runs %q, want %q", test, got[test], runs)
		}
	}
	if len(got) != len(want) {
		t.Errorf("tests: %v", got)
	}
	if closures["a"] != "a" || closures["b"] != "a b" {
		t.Errorf("closures: %v", closures)
	}
}
