package main

import (
	"github.com/spf13/cobra"

	"github.com/codekg/kg/analyzer/artifact/sqlite"
	"github.com/codekg/kg/analyzer/query/cypher"
)

func (a *app) cypherCommand() *cobra.Command {
	var g graphFlags
	var limit cypher.Limits
	var out *outputs
	cmd := &cobra.Command{
		Use:   "cypher QUESTION",
		Short: "Ask the graph for patterns, in a subset of openCypher",
		Long: `Ask the graph for patterns, in a subset of openCypher that can only read: MATCH with
labels, properties and relations of variable length, WHERE, RETURN with DISTINCT,
count, min, max, sum, avg and collect, ORDER BY, SKIP and LIMIT.

Labels are kinds of declarations, also type and callable; relations are kinds of
edges, contains included. Nodes have id, kind, name, qname, file, line, end_line,
lang, package, signature, type, doc, visibility, exported, test, tokens and flags;
relations kind, certainty, file, line and sites.

` + graphHelp,
		Example: `  kg cypher "MATCH (a)-[:calls]->(b {name: 'Add'}) RETURN a.qname, a.file, a.line"
  kg cypher "MATCH (a:function)-[:calls*1..3]->(b {name: 'Save'}) WHERE a.test = false RETURN a.qname"
  kg cypher "MATCH (t:struct)-[:implements]->(i:interface) RETURN i.qname, count(t) AS n ORDER BY n DESC LIMIT 10"`,
		Args: arguments(1, 1, "QUESTION"),
		RunE: runs(func(cmd *cobra.Command, args []string) error {
			list, err := out.all()
			if err != nil {
				return err
			}
			if limit.Rows < 0 {
				return usage("--max must not be negative")
			}
			s, err := a.openSession(cmd.Context(), &g)
			if err != nil {
				return err
			}
			defer s.close()
			age := a.tellAge(s)
			t, err := cypher.Ask(cmd.Context(), s.index, args[0], limit)
			if err != nil {
				if cmd.Context().Err() != nil {
					return err
				}
				return &failure{text: "cannot answer the question: " + err.Error(), usage: true}
			}
			return a.writeTable(cmd.Context(), list, (*sqlite.Table)(t), age)
		}),
	}
	g.add(cmd)
	cmd.Flags().IntVar(&limit.Rows, "max", 0, "show at most `N` rows (default 1,000)")
	out = outputFlag(cmd, "text", "json", "csv")
	return cmd
}
