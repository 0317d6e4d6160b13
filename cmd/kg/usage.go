package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/codekg/kg/report"
)

// usage is a failure of the command line; the hint names the command's help.
func usage(text string) error { return &failure{text: text, usage: true} }

func usagef(format string, args ...any) error { return usage(fmt.Sprintf(format, args...)) }

// arguments checks the number of arguments and names those that are missing.
func arguments(least, most int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return withCommand(cmd, usagef("%s is missing", strings.Join(names[len(args):least], " and ")))
		case len(args) > most:
			return withCommand(cmd, usagef("there is an argument too many: %s", quote(args[most])))
		}
		return nil
	}
}

// flagError makes pflag's errors ours, with the flag that was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return withCommand(cmd, usage(err.Error()))
	}
	name := unknown.GetSpecifiedName()
	if unknown.GetSpecifiedShortnames() != "" {
		return withCommand(cmd, usagef("there is no flag -%s", report.Escape(name)))
	}
	f := &failure{text: "there is no flag --" + report.Escape(name), usage: true}
	best := 3
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if d := distance(name, flag.Name); d < best && d < len(name) {
			best, f.hint = d, "did you mean --"+flag.Name+"?"
		}
	})
	return withCommand(cmd, f)
}

// withCommand names the command whose help tells more.
func withCommand(cmd *cobra.Command, err error) error {
	var f *failure
	if errors.As(err, &f) && f.usage && f.hint == "" {
		f.hint = "see `" + cmd.CommandPath() + " --help`"
	}
	return err
}

// runs wraps what a command does so that its usage errors name the command.
func runs(do func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error { return withCommand(cmd, do(cmd, args)) }
}

// complete offers fixed values for a flag in shells.
func complete(cmd *cobra.Command, flag string, values ...string) {
	// The only error is a flag that does not exist, which every test would show.
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
}

// distance is the Levenshtein distance of two short names.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := last
			if a[i] != b[j] {
				cost++
			}
			last = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
