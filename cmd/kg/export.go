package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer/artifact"
	"github.com/codekg/kg/analyzer/artifact/sqlite"
)

func (a *app) exportCommand() *cobra.Command {
	var out *outputs
	cmd := &cobra.Command{
		Use:                   "export FILE -o FORMAT=PATH",
		DisableFlagsInUseLine: true,
		Short:                 "Write a graph file in another form",
		Long:                  "Write a graph file in another form:\n" + exporterList(),
		Example: `  kg export graph.kg -o jsonl=graph.jsonl
  kg export graph.kg -o jsonl=- | jq 'select(.kind == "calls")'
  kg export graph.kg -o sqlite=graph.db -o mermaid=graph.mmd`,
		Args: arguments(1, 1, "FILE"),
		RunE: runs(func(cmd *cobra.Command, args []string) error {
			if len(out.list) == 0 {
				return usage("what to write is missing: -o FORMAT=PATH")
			}
			list, err := out.all()
			if err != nil {
				return err
			}
			s, err := graphFile(args[0], artifact.Limits{})
			if err != nil {
				return err
			}
			for _, o := range list {
				if o.format == sqliteExporter.Name && o.path == stdoutPath && a.outTerm {
					return &failure{text: "a database is not for terminals", hint: "name a file with -o sqlite=FILE"}
				}
				if err := a.write(cmd.Context(), o.path, func(w io.Writer) error { return exporter(o.format).Export(w, s.graph) }); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	out = outputFlag(cmd, exporterNames()...)
	return cmd
}

// sqliteExporter stands apart from the others because its driver is large.
var sqliteExporter = artifact.Exporter{Name: "sqlite", Description: "an SQLite database with full-text search and views; see `kg sql`", Export: sqlite.Export}

func exporters() []artifact.Exporter { return append(slices.Clone(artifact.Exporters), sqliteExporter) }

// exporter returns the one with a name that the flag has checked.
func exporter(name string) artifact.Exporter {
	all := exporters()
	return all[slices.IndexFunc(all, func(e artifact.Exporter) bool { return e.Name == name })]
}

func exporterNames() []string {
	var names []string
	for _, e := range exporters() {
		names = append(names, e.Name)
	}
	return names
}

func exporterList() string {
	list := ""
	for _, e := range exporters() {
		list += fmt.Sprintf("\n  %-9s  %s", e.Name, e.Description)
	}
	return list
}
