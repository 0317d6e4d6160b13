package main

import (
	"github.com/spf13/cobra"
)

func (a *app) diffCommand() *cobra.Command {
	var out *outputs
	cmd := &cobra.Command{
		Use:   "diff BASE HEAD",
		Short: "Tell what differs between two graphs",
		Long: `Tell what differs between two graphs: declarations that came, went, were renamed
or changed, and dependencies that came or went.

BASE and HEAD are compared as they are, without looking for a merge base. Each is
a graph file (*.kg), a revision, or a folder.`,
		Example: `  kg diff v1.1.0 v1.2.0
  kg diff main.kg .
  kg diff before.kg after.kg -o json=-`,
		Args: arguments(2, 2, "BASE", "HEAD"),
		RunE: runs(func(cmd *cobra.Command, args []string) error {
			list, err := out.all()
			if err != nil {
				return err
			}
			p := a.progress()
			defer p.end()
			repo := repositoryAt(".")
			defer repo.close()
			b, err := repo.operand(args[0])
			if err != nil {
				return withText("cannot find BASE", err)
			}
			defer b.close()
			head, err := repo.operand(args[1])
			if err != nil {
				return withText("cannot find HEAD", err)
			}
			defer head.close()
			e := a.earlier(cmd.Context(), "")
			defer e.end()
			c, err := a.compare(cmd.Context(), &base{side: b}, head, e, p)
			if err != nil {
				return err
			}
			p.end()
			return a.reportDelta(cmd.Context(), c, list)
		}),
	}
	out = outputFlag(cmd, reportFormats(writesDelta)...)
	return cmd
}
