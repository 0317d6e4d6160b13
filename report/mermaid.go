package report

import (
	"fmt"
	"slices"
	"strings"
)

// A graph of the impact as Mermaid, which GitHub and GitLab draw. It is small:
// what is drawn is said in words, too.
const (
	graphChanges = 8
	graphNodes   = 30
)

// graph adds a block with a drawing of who uses what changed, one hop far, the
// most urgent first. Less than three users are no graph.
func (m *markdown) graph() {
	if !m.o.Graph {
		return
	}
	ids := map[string]string{}
	var nodes, edges []string
	node := func(s *Symbol, class string) (string, bool) {
		if id, ok := ids[s.ID]; ok {
			return id, true
		}
		if len(ids) == graphNodes {
			return "", false
		}
		id := fmt.Sprintf("n%d", len(ids)+1)
		ids[s.ID] = id
		nodes = append(nodes, fmt.Sprintf("  %s[\"%s\"]%s", id, mermaidText(s.Name), class))
		return id, true
	}
	var cs []*Change
	for i := range m.r.Changes {
		if c := &m.r.Changes[i]; c.Totals.Impacted > 0 && !c.Symbol.Test {
			cs = append(cs, c)
		}
	}
	total := len(cs)
	cs = cs[:min(len(cs), graphChanges)]
	for _, c := range cs {
		node(&c.Symbol, ":::changed")
	}
	for _, severity := range []string{"must_update", "should_review"} {
		for _, c := range cs {
			to := ids[c.Symbol.ID]
			for i := range c.Impacted {
				x := &c.Impacted[i]
				if x.Severity != severity || x.Depth != 1 || x.Symbol.Test || x.Symbol.ID == c.Symbol.ID {
					continue
				}
				class := ""
				state := worst(x.Sites)
				if state == "broken" && severity == "must_update" {
					class = ":::broken"
				}
				id, ok := node(&x.Symbol, class)
				if !ok {
					continue
				}
				label := map[string]string{"caller": "calls", "reader": "reads", "writer": "writes", "type_user": "uses", "implementer": "implements", "converter": "converts"}[x.Relation]
				arrow := "-->"
				if class != "" {
					label, arrow = "broken", "==>"
				}
				if label != "" {
					arrow += "|" + label + "|"
				}
				if e := "  " + id + " " + arrow + " " + to; !slices.Contains(edges, e) {
					edges = append(edges, e)
				}
			}
		}
	}
	if len(edges) < 3 {
		return
	}
	lines := append([]string{"```mermaid", "flowchart LR"}, nodes...)
	lines = append(lines, edges...)
	lines = append(lines, "  classDef changed stroke-width:3px", "  classDef broken stroke:#d1242f,stroke-width:2px,stroke-dasharray:4", "```")
	title := "Graph of direct users"
	of := ""
	if total > len(cs) {
		of = fmt.Sprintf(" of %d", total)
	}
	m.list(title, len(cs), of, 25, true, lines, "")
}

// mermaidText makes a name plain text in a quoted label: what is neither letter
// nor digit nor harmless becomes an entity of Mermaid's.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range abridge(Escape(s), 60) {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(" ._/-", r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
