package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer/artifact"
)

func (a *app) exportCommand() *cobra.Command {
	var out *outputs
	cmd := &cobra.Command{
		Use:                   "export FILE -o FORMAT=PATH",
		DisableFlagsInUseLine: true,
		Short:                 "Write a graph file in another form",
		Long:                  "Write a graph file in another form:\n" + exporterList(),
		Example: `  kg export graph.kg -o jsonl=graph.jsonl
  kg export graph.kg -o jsonl=- | jq 'select(.kind == "calls")'`,
		Args: arguments(1, 1, "FILE"),
		RunE: runs(func(cmd *cobra.Command, args []string) error {
			if len(out.list) == 0 {
				return usage("what to write is missing: -o FORMAT=PATH")
			}
			list, err := out.all()
			if err != nil {
				return err
			}
			s, err := graphFile(args[0])
			if err != nil {
				return err
			}
			for _, o := range list {
				e, _ := artifact.FindExporter(o.format)
				if err := a.write(cmd.Context(), o.path, func(w io.Writer) error { return e.Export(w, s.graph) }); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	out = outputFlag(cmd, exporterNames()...)
	return cmd
}

func exporterNames() []string {
	var names []string
	for _, e := range artifact.Exporters {
		names = append(names, e.Name)
	}
	return names
}

func exporterList() string {
	list := ""
	for _, e := range artifact.Exporters {
		list += "\n  " + e.Name + "  " + e.Description
	}
	return list
}
