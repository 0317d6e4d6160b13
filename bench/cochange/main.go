// Command cochange measures how well history tells which files change together:
// it takes the last commits of repositories, leaves one file out of each, and
// looks where the ranking of package cochange has the file that was left out,
// compared with ranking by confidence.
//
//	go run ./bench/cochange [-n 300] [-limit 0] REPO...
//
// A commit is asked about if it is no merge and changed 2 to 10 source files.
// Each of these that was there before it is left out once; the others that were
// there are the question. History is that of the parent, so is the list of
// files that may be proposed, and the files of the question are not among them.
// The figure is the mean reciprocal rank, 0 for a file that is not proposed.
// Its intervals are those of a paired bootstrap over commits, 95 %.
//
// The last columns are of what kg impact would say: of the files that were left
// out, how many it names (found), and how many names a complete commit gets,
// which has nothing to add (noise).
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o := options{}
	flag.IntVar(&o.commits, "n", 300, "commits of each repository")
	flag.IntVar(&o.limit, "limit", 0, "read so many commits of history; 0 is all")
	flag.BoolVar(&o.sourceOnly, "source-only", false, "propose source files only")
	flag.IntVar(&o.resamples, "bootstrap", 10000, "resamples of the bootstrap")
	flag.StringVar(&o.cache, "cache", "", "keep history in this folder")
	asJSON := flag.Bool("json", false, "write one line of JSON for each repository and for all")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: cochange [flags] REPO...")
		os.Exit(2)
	}
	var all []outcome
	show(*asJSON, nil)
	for _, dir := range flag.Args() {
		start := time.Now()
		cases, err := measure(ctx, dir, o)
		if err != nil {
			fmt.Fprintf(os.Stderr, "cochange: %s: %v\n", dir, err)
			os.Exit(1)
		}
		all = append(all, cases...)
		row := summarize(filepath.Base(strings.TrimRight(dir, "/")), cases, o.resamples)
		row.Seconds = time.Since(start).Seconds()
		show(*asJSON, &row)
	}
	if flag.NArg() > 1 {
		row := summarize("all", all, o.resamples)
		show(*asJSON, &row)
	}
}

// show writes a row, or the heading.
func show(asJSON bool, r *row) {
	switch {
	case asJSON && r != nil:
		json.NewEncoder(os.Stdout).Encode(r)
	case asJSON:
	case r == nil:
		fmt.Println("| repository | commits | files left out | confidence | kg | difference | found | noise |")
		fmt.Println("|---|---|---|---|---|---|---|---|")
	default:
		fmt.Printf("| %s | %d | %d | %.3f | %.3f | %+.3f (%+.3f … %+.3f) | %.0f %% | %.2f |\n", r.Name, r.Commits, r.Files,
			r.Confidence, r.Kg, r.Difference, r.Low, r.High, 100*r.Found, r.Noise)
	}
}
