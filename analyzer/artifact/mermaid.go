package artifact

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// maxMermaid is the number of edges that Mermaid draws unless it is configured.
const maxMermaid = 500

// Mermaid writes the packages of g and their dependencies as a flowchart, each
// with its number of imports. Of more than 500 dependencies it shows those with
// the most imports, and says so.
func Mermaid(w io.Writer, g *graph.Graph) error {
	var deps []imported
	for _, d := range imports(g) {
		if g.Nodes[d.to].Kind != graph.KindExternal {
			deps = append(deps, d)
		}
	}
	b := bufio.NewWriterSize(w, flushAt)
	b.WriteString("flowchart LR\n")
	if len(deps) > maxMermaid {
		fmt.Fprintf(b, "  %%%% %d of %d dependencies, those with the most imports\n", maxMermaid, len(deps))
		slices.SortStableFunc(deps, func(a, b imported) int { return b.count - a.count })
		deps = deps[:maxMermaid]
		slices.SortFunc(deps, func(a, b imported) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	}
	shown := map[graph.ID]bool{}
	for _, d := range deps {
		shown[d.from], shown[d.to] = true, true
	}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; shown[graph.ID(i)] || n.Kind == graph.KindPackage && len(deps) < maxMermaid {
			fmt.Fprintf(b, "  n%d[\"%s\"]\n", i, mermaidText(n.QName))
		}
	}
	for _, d := range deps {
		if d.count > 1 {
			fmt.Fprintf(b, "  n%d -->|%d| n%d\n", d.from, d.count, d.to)
		} else {
			fmt.Fprintf(b, "  n%d --> n%d\n", d.from, d.to)
		}
	}
	return b.Flush()
}

// mermaidText writes text that Mermaid shows as it is: its own entities begin
// with a number sign, and labels are HTML.
func mermaidText(s string) string {
	s = strings.ToValidUTF8(s, "�")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	// The sign first, for escapes have one.
	return strings.NewReplacer("#", "#35;", "&", "#38;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "`", "#96;").Replace(s)
}
