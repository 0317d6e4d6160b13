// Command kg tells what a change reaches before it is merged: what it breaks,
// what behaves differently, what its author forgot, and which tests prove it.
//
// This package is the only one of the module that exits, prints or reads the
// environment. Each verb has a file of its name; kg.go puts them together,
// and ui.go says how kg talks to people.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(mainCode()) }

func mainCode() int {
	beginLate(os.Getenv, firstCollection)

	// The first signal ends the work in order; with the handler gone, a second
	// one kills.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	// A reader that left, as in "kg export … | head", is an error like any
	// other, so that the exit code is ours.
	signal.Ignore(syscall.SIGPIPE)

	if c := thisChild(); c != nil {
		return c.run(ctx, os.Args[1:])
	}
	a := newApp(os.Stdout, os.Stderr, os.Getenv)
	a.supervise = supervisor(a.ui, os.Args)
	return a.run(ctx, os.Args[1:])
}
