package main

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer"
)

// The exit codes. There are no others.
const (
	exitFine        = 0
	exitGate        = 1 // a gate that the user set was hit
	exitFailed      = 2 // kg could not do what was asked
	exitInterrupted = 130
)

// errGate says that everything was done and a gate was hit.
var errGate = errors.New("a gate was hit")

// app is one run of kg: the world that main hands in, and the global flags.
type app struct {
	*ui
	getenv func(string) string

	dirs    []string // -C
	workers int
	noCache bool

	guard     analyzer.Guard                    // of the process that does the work, or nil
	supervise func(context.Context) (int, bool) // runs the command line in a child, if it can; or nil

	apart func(ctx context.Context, args []string) error // of a server: runs other command lines in children; or nil
}

// run is kg without a process around it: it runs one command line and returns
// the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, getenv func(string) string) int {
	return newApp(stdout, stderr, getenv).run(ctx, args)
}

func newApp(stdout, stderr io.Writer, getenv func(string) string) *app {
	return &app{ui: newUI(stdout, stderr, getenv), getenv: getenv}
}

func (a *app) run(ctx context.Context, args []string) int {
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	err := root.ExecuteContext(ctx)
	var child *childExit
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &child):
		return child.code
	case ctx.Err() != nil:
		a.message("interrupted", "")
		return exitInterrupted
	case errors.Is(err, errGate):
		return exitGate
	}
	a.fail(err)
	return exitFailed
}

func (a *app) rootCommand() *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:   "kg COMMAND",
		Short: "Tell what a change reaches before it is merged",
		Long: `kg reads a code base, compares it with the code base before a change, and tells
what the change reaches: what it breaks, what behaves differently, and which
tests prove it.

Exit codes: 0 fine, 1 a gate was hit, 2 kg could not do it, 130 interrupted.`,
		Example: `  kg impact                        # what is not committed, or this branch
  kg impact --base v1.2.0          # since a release
  kg impact --symbol 'go:example.com/shop#Cart.Add' --change signature
  kg build . -o shop.kg && kg stats shop.kg`,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			if version {
				_, err := io.WriteString(a.out, readVersions().line())
				return err
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if parses(cmd) && a.supervise != nil {
				if code, ok := a.supervise(cmd.Context()); ok {
					return &childExit{code}
				}
			}
			return a.enter()
		},
	}
	root.CompletionOptions.DisableDefaultCmd = true // it has one of its own
	root.Flags().BoolVar(&version, "version", false, "tell which kg this is")
	f := root.PersistentFlags()
	f.SortFlags = false
	f.StringArrayVarP(&a.dirs, "directory", "C", nil, "run as if kg was started in `DIR`")
	f.Var(&a.color, "color", "colour the text on standard output: auto, always or never")
	f.IntVar(&a.workers, "workers", 0, "read `N` files at the same time (default: one for each processor)")
	f.BoolVar(&a.noCache, "no-cache", false, "read every file, and keep nothing for the next time")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "no notes and no progress on standard error")
	root.SetFlagErrorFunc(flagError)
	complete(root, "color", colorModes...)
	root.AddCommand(
		supervised(a.impactCommand()),
		supervised(a.diffCommand()),
		a.cochangeCommand(),
		supervised(a.buildCommand()),
		supervised(a.exportCommand()),
		supervised(a.queryCommand()),
		supervised(a.overviewCommand()),
		supervised(a.searchCommand()),
		supervised(a.packCommand()),
		supervised(a.sqlCommand()),
		supervised(a.cypherCommand()),
		a.mcpCommand(),
		supervised(a.statsCommand()),
		supervised(a.tracesCommand()),
		supervised(a.validateCommand()),
		a.commentCommand(),
		a.storedCommand(),
		a.eventCommand(),
		a.configCommand(),
		a.versionCommand(),
		a.completionCommand(),
	)
	return root
}

// enter applies the global flags.
func (a *app) enter() error {
	for _, dir := range a.dirs {
		if dir == "" {
			continue // as git does
		}
		if err := os.Chdir(dir); err != nil {
			return usage("cannot run in " + quote(dir) + ": " + cause(err))
		}
	}
	if a.workers < 0 {
		return usage("--workers must not be negative")
	}
	if a.workers == 0 {
		a.workers = runtime.GOMAXPROCS(0)
	}
	if a.guard != nil {
		spareProcessor(a.getenv, a.workers)
	}
	return nil
}

// unknownCommand tells the command that was probably meant.
func unknownCommand(root *cobra.Command, name string) error {
	root.SuggestionsMinimumDistance = 2
	e := &failure{text: "there is no command " + quote(name), hint: "`kg --help` lists the commands"}
	if near := root.SuggestionsFor(name); len(near) > 0 {
		e.hint = "did you mean `kg " + near[0] + "`?"
	}
	return e
}
