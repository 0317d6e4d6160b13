// Command incremental measures builds after small changes, and checks that they
// make the same bytes as full ones.
//
//	go run ./bench/incremental [-kg kg] [-changed 10] [-times 5] REPO...
//	go run ./bench/incremental -commits 200 REPO...
//
// The first form changes some files of a copy of each repository, every time
// others bytes, and measures kg with the cache of this machine, and kg impact
// with the graph and the facts of the base at hand.
//
// The second form goes through the last commits of each repository, oldest
// first, with 1, 2 and 8 workers. Each graph is made of the facts file of the
// commit before, files read in an order of chance, and compared with the
// graph that is made of nothing.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

type config struct {
	kg, ext        string
	changed, times int
	commits        int
	seed           uint64
}

func main() {
	var c config
	flag.StringVar(&c.kg, "kg", "kg", "the program to measure")
	flag.StringVar(&c.ext, "ext", ".go", "change files whose names end like this")
	flag.IntVar(&c.changed, "changed", 10, "how many files are changed")
	flag.IntVar(&c.times, "times", 5, "measure this many times and show the least")
	flag.IntVar(&c.commits, "commits", 0, "compare the graphs of this many commits instead")
	flag.Uint64Var(&c.seed, "seed", 1, "of the order in which files are read")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := c.run(flag.Args(), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "incremental:", err)
		os.Exit(2)
	}
}

func (c config) run(repos []string, out, log io.Writer) error {
	if c.commits > 0 {
		return c.compare(repos, out)
	}
	tmp, err := os.MkdirTemp("", "kg-incremental-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	fmt.Fprint(out, header)
	for _, repo := range repos {
		row, err := c.measure(repo, tmp, log)
		if err != nil {
			return fmt.Errorf("%s: %w", repo, err)
		}
		fmt.Fprint(out, row)
	}
	return nil
}
