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
}

// FindExporter returns the exporter with the given name.
func FindExporter(name string) (Exporter, bool) {
	for _, e := range Exporters {
		if e.Name == name {
			return e, true
		}
	}
	return Exporter{}, false
}
