// Command compiles counts what kg calls broken in changes that were merged. Whoever
// merged them had compiled and tested them, so that what is called broken is either
// a mistake of kg's or a build that nobody had tried; each is written out, to be
// looked at.
//
//	go build -o /tmp/kg ./cmd/kg
//	go run ./bench/compiles -kg /tmp/kg -n 200 ~/src/cobra            # commit by commit
//	go run ./bench/compiles -kg /tmp/kg -base HEAD~500 ~/src/jsoup    # as one change
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/codekg/kg/report"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "compiles:", err)
		os.Exit(1)
	}
}

// counts are of all changes that were looked at.
type counts struct {
	changes, declarations, update, unclear, broken int
}

func run() error {
	kg := flag.String("kg", "", "the `PROGRAM`")
	n := flag.Int("n", 100, "`NUMBER` of commits of the main branch")
	base := flag.String("base", "", "look at one change only, from `REV` to the head")
	flag.Parse()
	if flag.NArg() != 1 || *kg == "" {
		return fmt.Errorf("usage: compiles -kg PROGRAM [flags] REPOSITORY")
	}
	dir := flag.Arg(0)
	pairs := [][2]string{{*base, "HEAD"}}
	if *base == "" {
		out, err := exec.Command("git", "-C", dir, "log", "--first-parent", "--format=%H %P", fmt.Sprint("-n", *n), "HEAD").Output()
		if err != nil {
			return err
		}
		pairs = nil
		for line := range strings.Lines(string(out)) {
			if f := strings.Fields(line); len(f) > 1 {
				pairs = append(pairs, [2]string{f[1], f[0]})
			}
		}
	}
	var c counts
	for _, p := range pairs {
		if err := c.add(*kg, dir, p[0], p[1]); err != nil {
			return err
		}
	}
	fmt.Printf("%d changes of %d declarations: %d users had to be updated, for %d of them it cannot be told, %d are called broken\n",
		c.changes, c.declarations, c.update, c.unclear, c.broken)
	return nil
}

func (c *counts) add(kg, dir, base, head string) error {
	cmd := exec.Command(kg, "impact", "--exact-base", "--base", base, "--head", head, "--no-history", "-o", "json=-")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s..%s: %w", base, head, err)
	}
	var r report.Report
	if err := json.Unmarshal(out, &r); err != nil {
		return err
	}
	if len(r.Changes) == 0 {
		return nil
	}
	t := &r.Stats.Totals
	c.changes++
	c.declarations += len(r.Changes)
	c.update += t.MustUpdate
	c.broken += t.Broken
	unclear := map[string]bool{}
	for i := range r.Changes {
		x := &r.Changes[i]
		for k := range x.Impacted {
			u := &x.Impacted[k]
			broken, unknown := false, false
			for _, s := range u.Sites {
				unknown = unknown || s.State == "unknown"
				if s.State == "broken" {
					broken = true
					fmt.Printf("%.12s %s:%d %s %s %s (%s)\n", head, s.File, s.Line, u.Symbol.Name, u.Relation, x.Symbol.Name, x.Change)
				}
			}
			if u.Severity == "must_update" && unknown && !broken {
				unclear[u.Symbol.ID] = true
			}
		}
	}
	c.unclear += len(unclear)
	return nil
}
