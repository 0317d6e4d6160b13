// Command run measures kg on repositories: how much of the graph a compiler
// agrees with, and what a build costs. It prints the tables of bench/README.md.
//
//	go run ./bench/run [-kg kg] [-oracle PROGRAM] [-score PROGRAM] [-phases PROGRAM] [-keep DIR] [-prepare] [-times N] REPOSITORY...
//
// For each repository it runs
//
//	kg build REPOSITORY -o graph.kg
//	kg export graph.kg -o jsonl=graph.jsonl
//	oracle -o oracle.jsonl REPOSITORY
//	score -kg graph.jsonl -oracle oracle.jsonl -json
//	phases REPOSITORY
//
// With -keep the files stay in that folder, named after the repository, and an
// oracle's output that is there already is used again (-fresh asks the compiler
// anew). Programs that are not named are built from this module. What a build
// costs is measured several times (-times), and the least is shown.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/codekg/kg/bench/usage"
)

type config struct {
	kg, oracle, score, phases, keep, kinds string
	fresh, prepare                         bool
	times                                  int
}

func main() {
	var c config
	flag.StringVar(&c.kg, "kg", "kg", "the program to measure")
	flag.StringVar(&c.oracle, "oracle", "", "the oracle (default: bench/oracles/go of this module)")
	flag.StringVar(&c.score, "score", "", "the scorer (default: bench/score of this module)")
	flag.StringVar(&c.phases, "phases", "", "the program that measures the parts of a build (default: bench/phases of this module)")
	flag.StringVar(&c.keep, "keep", "", "keep graphs, oracle outputs and scores in this folder")
	flag.BoolVar(&c.fresh, "fresh", false, "run the oracle even if its output was kept")
	flag.BoolVar(&c.prepare, "prepare", false, "let the oracle download dependencies first")
	flag.IntVar(&c.times, "times", 3, "measure what a build costs this many times")
	flag.StringVar(&c.kinds, "kinds", "references,reads,writes,uses-type,instantiates,converts,embeds,implements,overrides",
		"kinds of edges to show beside calls")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(c, flag.Args(), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(2)
	}
}

func run(c config, repos []string, out, log io.Writer) error {
	tmp, err := os.MkdirTemp("", "kg-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	for _, p := range []struct {
		exe  *string
		path string
	}{{&c.oracle, "oracles/go"}, {&c.score, "score"}, {&c.phases, "phases"}} {
		if *p.exe, err = usage.Program(*p.exe, p.path, tmp, log); err != nil {
			return err
		}
	}
	dir := c.keep
	if dir == "" {
		dir = tmp
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var rows []*row
	var errs []error
	for _, r := range repos {
		row, err := c.measure(r, dir, log)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r, err))
			continue
		}
		rows = append(rows, row)
	}
	return errors.Join(append(errs, writeTables(out, rows, strings.Split(c.kinds, ",")))...)
}

// row is the result for one repository.
type row struct {
	name, commit string
	build        usage.Usage
	parse        phases // parsing alone
	phases       phases
	score        score
}

// phases is what bench/phases writes.
type phases struct {
	Files                          int
	Bytes, Graph                   int64
	Tree, Parse, Read, Link, Write float64
}

// count and score are the parts of the scorer's JSON that are shown.
type count struct {
	Right, Wrong, Found, Truth int
	Precision, Recall          float64
}

type group struct {
	Reason string
	N      int
}

type example struct {
	File, From, To, Reason, Source string
	Line                           int
}

type kindScore struct {
	Kind     string
	Pairs    count
	Tags     map[string]count
	WrongBy  []group   `json:"wrong_by"`
	MissedBy []group   `json:"missed_by"`
	Wrong    []example `json:"wrong_examples"`
	Missed   []example `json:"missed_examples"`
}

type score struct {
	Files, Judged int
	Kinds         []kindScore
}

func (c config) measure(repo, dir string, log io.Writer) (*row, error) {
	abs, err := filepath.Abs(repo)
	if err != nil {
		return nil, err
	}
	r := &row{name: filepath.Base(abs), commit: usage.Commit(abs)}
	base := filepath.Join(dir, r.name)
	graph, export, oracle := base+".kg", base+".kg.jsonl", base+".jsonl"
	if _, r.build, err = usage.Repeat(c.times, log, c.kg, "build", abs, "-o", graph, "--no-cache"); err != nil {
		return nil, err
	}
	if _, _, err = usage.Command(log, c.kg, "export", graph, "-o", "jsonl="+export); err != nil {
		return nil, err
	}
	if r.parse, err = c.parts(log, "-parse", abs); err != nil {
		return nil, err
	}
	if r.phases, err = c.parts(log, abs); err != nil {
		return nil, err
	}
	if _, err := os.Stat(oracle); err != nil || c.fresh {
		// Under another name until it is complete.
		args := []string{"-o", oracle + ".part", abs}
		if c.prepare {
			args = append([]string{"-prepare"}, args...)
		}
		if _, _, err := usage.Command(log, c.oracle, args...); err != nil {
			return nil, err
		}
		if err := os.Rename(oracle+".part", oracle); err != nil {
			return nil, err
		}
	}
	out, _, err := usage.Command(log, c.score, "-kg", export, "-oracle", oracle, "-src", abs, "-misses", "50", "-json")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(base+".score.json", out, 0o644); err != nil {
		return nil, err
	}
	return r, json.Unmarshal(out, &r.score)
}

// parts measures the parts of a build several times, and takes the least of
// each.
func (c config) parts(log io.Writer, args ...string) (phases, error) {
	var least phases
	for i := range max(c.times, 1) {
		out, _, err := usage.Command(log, c.phases, args...)
		if err != nil {
			return least, err
		}
		var p phases
		if err := json.Unmarshal(out, &p); err != nil {
			return least, err
		}
		if i == 0 {
			least = p
		}
		for _, t := range []struct{ to, from *float64 }{
			{&least.Tree, &p.Tree}, {&least.Parse, &p.Parse}, {&least.Read, &p.Read}, {&least.Link, &p.Link}, {&least.Write, &p.Write},
		} {
			*t.to = min(*t.to, *t.from)
		}
	}
	return least, nil
}
