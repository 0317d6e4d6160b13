package artifact

import (
	"io"

	"github.com/codekg/kg/analyzer/graph"
)

// Exporter writes a graph in another form.
type Exporter struct {
	Name        string // as given by users
	Description string // one line
	Export      func(w io.Writer, g *graph.Graph) error
}

// Exporters lists the forms that a graph can be exported in. Each gives equal
// bytes for equal graphs.
var Exporters = []Exporter{
	{"jsonl", "one JSON object per line: nodes, edges with one line per site, unknowns, files, skipped languages", JSONL},
	{"json", "one JSON document: nodes with signatures as data, edges, and indexes of callers, callees, implementations and dependencies", JSON},
	{"graphml", "GraphML, for programs that draw or analyse graphs", GraphML},
	{"dot", "the language of Graphviz: callables and types in a box for each package", DOT},
	{"mermaid", "a Mermaid flowchart of packages and their dependencies", Mermaid},
	{"csv", "a table of edges, one line for each place", CSV},
	{"csv-nodes", "a table of nodes", CSVNodes},
	{"scip", "an index of the Source Code Intelligence Protocol", SCIP},
}
