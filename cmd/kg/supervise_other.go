//go:build !unix

package main

import "context"

// Where a process cannot hand its child files beside the usual three, commands
// run without supervision.

func supervisor(*ui, []string) func(context.Context) (int, bool) { return nil }

func parent(*ui) func(context.Context, []string) error { return nil }

type child struct{}

func thisChild() *child { return nil }

func (*child) run(context.Context, []string) int { return exitFailed }
