// Command mutate finds out what a change of a signature breaks, by making it.
//
//	go run ./bench/mutate [-n 40] [-seed 1] [-kinds LIST] [-oracle FILE] [-prepare] [-o FILE] REPOSITORY
//
// It changes one declaration, type-checks its package and all
// packages that depend on it, their tests included, and writes which enclosing
// declarations have errors that were not there before: what an impact analysis
// must find. Nothing is written to the repository. The record format is described
// in bench/README.md.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/codekg/kg/bench/gosrc"
)

// Meta says which files the compiler saw: kg's answers in others are not judged.
type Meta struct {
	T     string   `json:"t"` // "meta"
	Files []string `json:"files"`
}

// Mutation is one change and what it broke.
type Mutation struct {
	T      string `json:"t"` // "mutation"
	Change string `json:"change"`
	// Kind and Exported are those of a declaration that is removed or renamed.
	Kind     string  `json:"kind,omitempty"`
	Exported bool    `json:"exported,omitempty"`
	Symbol   Symbol  `json:"symbol"`
	Broken   []Break `json:"broken"` // sorted by position
	// Packages is the number of packages that were checked again.
	Packages int     `json:"packages"`
	Seconds  float64 `json:"seconds"`
	// Edits are the change as text, where it was made in the text.
	Edits []gosrc.Edit `json:"edits,omitempty"`
}

// Symbol is a declaration. ID is FILE:LINE:COL of its name, as in the output of
// the oracle.
type Symbol struct {
	ID    string `json:"id"`
	QName string `json:"qname"`
	File  string `json:"file"`
	Line  int    `json:"line"`
}

// Break is one declaration that no longer compiles.
type Break struct {
	Symbol Symbol `json:"symbol"`
	Sites  []Site `json:"sites"`
}

// Site is one error.
type Site struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Col   int    `json:"col"`
	Cause string `json:"cause"` // call, satisfies, assertion, value, other
	Error string `json:"error"`
}

type config struct {
	n       int
	seed    uint64
	kinds   string
	tags    string
	oracle  string
	prepare bool
}

func main() {
	var c config
	var out string
	flag.IntVar(&c.n, "n", 40, "how many declarations to change, 0 for all")
	flag.Uint64Var(&c.seed, "seed", 1, "which declarations")
	flag.StringVar(&c.kinds, "kinds", strings.Join(changes, ","), "changes to make; also remove,rename")
	flag.StringVar(&c.tags, "tags", "", "build tags, separated by commas")
	flag.StringVar(&c.oracle, "oracle", "", "say how much of what breaks the sites in this output of oracles/go explain")
	flag.BoolVar(&c.prepare, "prepare", false, "download dependencies first (go mod download, with your environment)")
	flag.StringVar(&out, "o", "-", "file to write, - for standard output")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(c, flag.Arg(0), out, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
}

func run(c config, dir, out string, log io.Writer) (err error) {
	for _, k := range strings.Split(c.kinds, ",") {
		if !slices.Contains(changes, k) && k != remove && k != rename {
			return fmt.Errorf("unknown change %q, want some of %s,%s,%s", k, strings.Join(changes, ","), remove, rename)
		}
	}
	var u *uses
	var cover coverage
	if c.oracle != "" {
		if u, err = readUses(c.oracle); err != nil {
			return err
		}
	}
	w := os.Stdout
	if out != "-" {
		if w, err = os.Create(out); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, w.Close()) }()
	}
	bw := bufio.NewWriter(w)
	enc := json.NewEncoder(bw)
	enc.SetEscapeHTML(false)
	start := time.Now()
	n, broken := 0, 0
	judged := func(files []string) error { return enc.Encode(Meta{"meta", files}) }
	err = mutations(c, dir, log, judged, func(m *Mutation) error {
		n++
		broken += len(m.Broken)
		if u != nil {
			cover.add(u, m)
		}
		return errors.Join(enc.Encode(m), bw.Flush())
	})
	fmt.Fprintf(log, "%d changes broke %d declarations, %.1f s\n", n, broken, time.Since(start).Seconds())
	if u != nil && n > 0 {
		cover.write(log)
	}
	return err
}

// mutations makes the changes, a sample of c.n for all modules together, and
// yields what each broke, after the files that the compiler saw.
func mutations(c config, dir string, log io.Writer, judged func([]string) error, yield func(*Mutation) error) error {
	l, err := gosrc.NewLoader(dir)
	if err != nil {
		return err
	}
	groups, err := gosrc.FindGroups(l.Root)
	if err != nil {
		return err
	}
	var all []*target
	var files []string
	for _, g := range groups {
		if c.prepare {
			if err := g.Prepare(context.Background(), log); err != nil {
				fmt.Fprintf(log, "%s: go mod download: %v\n", g.Dir, err)
			}
		}
		pkgs, _, err := l.Load(context.Background(), g, g.Dir, c.tags)
		if err != nil {
			fmt.Fprintf(log, "%s: %v\n", g.Dir, err)
			continue
		}
		r := newRepo(l, pkgs)
		for _, p := range r.pkgs {
			for _, f := range p.Judge {
				files = append(files, r.rel(l.Fset.PositionFor(f.FileStart, false).Filename))
			}
		}
		all = append(all, r.targets(strings.Split(c.kinds, ","))...)
	}
	slices.Sort(files)
	if err := judged(files); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(c.seed, 0x6b67))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	inTurn(all)
	n := 0
	for _, t := range all {
		if c.n > 0 && n == c.n {
			break
		}
		m, ok := t.mutate()
		if !ok {
			continue
		}
		n++
		if err := yield(m); err != nil {
			return err
		}
	}
	return nil
}

// inTurn orders targets so that all kinds of declarations take turns, exported
// and not: a sample has as many of the rare ones as of the others.
func inTurn(all []*target) {
	type class struct {
		change, kind string
		exported     bool
	}
	seen := map[class]int{}
	round := map[*target]int{}
	for _, t := range all {
		c := class{t.change, t.kind, t.exported}
		if t.kind != "" {
			round[t] = seen[c]
			seen[c]++
		}
	}
	slices.SortStableFunc(all, func(x, y *target) int { return round[x] - round[y] })
}
