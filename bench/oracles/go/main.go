// Command go asks the Go compiler's type checker what a Go repository's code
// refers to, and writes the answer as JSON Lines (see bench/README.md):
//
//	go run ./bench/oracles/go [-prepare] [-tags LIST] [-o FILE] DIR
//
// Every module of the repository is read: each go.mod outside of testdata and
// vendor, joined by a go.work at the top. Files that a build for this machine
// without cgo leaves out are listed and judge nobody. It runs without network;
// -prepare downloads the dependencies first.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/codekg/kg/bench/gooracle"
	"github.com/codekg/kg/bench/record"
)

func main() {
	prepare := flag.Bool("prepare", false, "download dependencies first (go mod download, with your environment)")
	tags := flag.String("tags", "", "build tags, separated by commas")
	out := flag.String("o", "-", "file to write, - for standard output")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go [-prepare] [-tags LIST] [-o FILE] DIR")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	debug.SetGCPercent(200) // most of what is allocated stays
	if err := run(flag.Arg(0), *tags, *out, *prepare, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(2)
	}
}

func run(dir, tags, out string, prepare bool, log io.Writer) error {
	start := time.Now()
	o, err := gooracle.Ask(context.Background(), dir, gooracle.Options{Tags: tags, Prepare: prepare, Log: log})
	if errors.Is(err, gooracle.ErrNothing) {
		err = fmt.Errorf("%w; -prepare downloads what is missing", err)
	}
	if err != nil {
		return err
	}
	w := os.Stdout
	if out != "-" {
		if w, err = os.Create(out); err != nil {
			return err
		}
		defer w.Close()
	}
	if err := o.Write(w); err != nil {
		return err
	}
	calls, open := 0, 0
	for _, s := range o.Sites {
		if s.Kind == record.Calls {
			calls++
			if s.Open {
				open++
			}
		}
	}
	fmt.Fprintf(log, "%d definitions, %d sites (%d open), %d calls (%d open), %d errors, %.1f s\n",
		len(o.Defs), len(o.Sites), o.End.Open, calls, open, o.Meta.Errors, time.Since(start).Seconds())
	return nil
}
