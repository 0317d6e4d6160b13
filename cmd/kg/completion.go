package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// shells are the shells that kg completes for.
var shells = []struct {
	name   string
	script func(root *cobra.Command, w io.Writer) error
}{
	{"bash", func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) }},
	{"zsh", func(root *cobra.Command, w io.Writer) error { return root.GenZshCompletion(w) }},
	{"fish", func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) }},
	{"powershell", func(root *cobra.Command, w io.Writer) error { return root.GenPowerShellCompletionWithDesc(w) }},
}

func (a *app) completionCommand() *cobra.Command {
	var names []string
	for _, s := range shells {
		names = append(names, s.name)
	}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Write the script that completes kg's commands in a shell",
		Long:  "Write the script that completes kg's commands in a shell: " + strings.Join(names, ", ") + ".",
		Example: `  source <(kg completion bash)                              # this session
  kg completion bash > /etc/bash_completion.d/kg            # every session
  kg completion zsh > "${fpath[1]}/_kg"
  kg completion fish > ~/.config/fish/completions/kg.fish
  kg completion powershell | Out-String | Invoke-Expression`,
		Args:                  arguments(1, 1, "SHELL"),
		ValidArgs:             names,
		DisableFlagsInUseLine: true,
		RunE: runs(func(cmd *cobra.Command, args []string) error {
			at := slices.Index(names, args[0])
			if at < 0 {
				return usagef("there is no completion for %s, only for %s", quote(args[0]), strings.Join(names, ", "))
			}
			return a.write(cmd.Context(), stdoutPath, func(w io.Writer) error { return shells[at].script(cmd.Root(), w) })
		}),
	}
}
