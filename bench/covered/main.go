// Command covered finds out which declarations each test of a repository
// executes, by running the tests one by one: the truth for test selection.
//
//	go run ./bench/covered [-packages REGEXP] [-p 1] [-timeout 60s] [-prepare] [-o FILE] REPOSITORY
//
// It RUNS THE CODE of the repository, with your rights: use it on repositories
// that you trust. The tests run in a copy of the files, which has no history.
//
// Each package's tests are built once with coverage of all packages of the
// module. Each test then runs in a process of its own, so that nothing that an
// earlier test left behind, a goroutine or a cache, counts for it. What init
// functions and TestMain execute counts for every test of the package, what a
// subtest or a parallel test executes for its parent, and what a test executes by
// starting its own binary again counts for it. Benchmarks are left out.
//
// The record format is described in bench/README.md.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

// Meta is the first record.
type Meta struct {
	T    string `json:"t"` // "meta"
	Tool string `json:"tool"`
}

// Decl is a function or method, or a package-level variable whose initialiser
// has code, that at least one test executes.
type Decl struct {
	T    string `json:"t"` // "decl"
	ID   int    `json:"id"`
	Name string `json:"name"`
	Dir  string `json:"dir"` // of its package
	File string `json:"file"`
	Line int    `json:"line"` // of its name
	Col  int    `json:"col"`
}

// Test is one test, example or fuzz target with what it executes.
type Test struct {
	T       string  `json:"t"` // "test"
	Dir     string  `json:"dir"`
	Name    string  `json:"name"`
	OK      bool    `json:"ok"` // it passed; what a failed one executed before counts as well
	Runs    []int   `json:"runs"`
	Seconds float64 `json:"seconds"`
}

// Closure says on which packages the tests of a folder depend, itself included.
type Closure struct {
	T    string   `json:"t"` // "closure"
	Dir  string   `json:"dir"`
	Deps []string `json:"deps"` // folders
}

type config struct {
	packages *regexp.Regexp
	timeout  time.Duration
	workers  int
	prepare  bool
	tags     string
}

func main() {
	c := config{}
	var out, packages string
	flag.StringVar(&packages, "packages", "", "only tests of packages whose folder, such as a/b, matches the `REGEXP`")
	flag.DurationVar(&c.timeout, "timeout", time.Minute, "of one test")
	flag.IntVar(&c.workers, "p", 1, "tests that run at the same time")
	flag.StringVar(&c.tags, "tags", "", "build tags, separated by commas")
	flag.BoolVar(&c.prepare, "prepare", false, "download dependencies first (go mod download, with your environment)")
	flag.StringVar(&out, "o", "-", "file to write, - for standard output")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	err := func() (err error) {
		if c.packages, err = regexp.Compile(packages); err != nil {
			return err
		}
		w := os.Stdout
		if out != "-" {
			if w, err = os.Create(out); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, w.Close()) }()
		}
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		return run(ctx, c, flag.Arg(0), w, os.Stderr)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "covered:", err)
		os.Exit(2)
	}
}

// run copies the repository, runs its tests and writes the records.
func run(ctx context.Context, c config, dir string, out, log io.Writer) (err error) {
	tmp, err := os.MkdirTemp("", "kg-covered-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	r, err := prepare(ctx, c, dir, tmp, log)
	if err != nil {
		return err
	}
	stopped := r.runAll(ctx) // what was run is written
	bw := bufio.NewWriter(out)
	enc := json.NewEncoder(bw)
	if err := r.write(func(record any) error { return enc.Encode(record) }); err != nil {
		return err
	}
	return errors.Join(bw.Flush(), stopped)
}
