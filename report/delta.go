package report

import (
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// DeltaSchema names the contract of a delta report. The JSON Schema is in
// schema/diff-v1.json.
const DeltaSchema = "kg.diff/v1"

// DeltaReport is one run of kg diff: what changed, without what it reaches.
type DeltaReport struct {
	Schema       string         `json:"schema"`
	Tool         Tool           `json:"tool"`
	Base         Revision       `json:"base"`
	Head         Revision       `json:"head"`
	Changes      []DeltaChange  `json:"changes"`
	Libraries    []Library      `json:"libraries,omitempty"` // external packages that others took the place of
	Shifted      []Shift        `json:"shifted,omitempty"`   // declarations that moved together between files of a package
	Relations    []Relation     `json:"relations"`
	Dependencies []Dependency   `json:"dependencies"`
	Cycles       []Cycle        `json:"cycles"`
	Edges        map[string]Two `json:"edges"` // counts by kind
	Moved        []Move         `json:"moved_files"`
	Formatting   []string       `json:"formatting_only"`
	Unknowns     []Unknown      `json:"unknowns"`
	Stats        Stats          `json:"stats"`
}

// DeltaChange is one changed declaration.
type DeltaChange struct {
	Symbol    Symbol   `json:"symbol"`
	Was       *Symbol  `json:"was,omitempty"`
	Change    string   `json:"change"`
	Breaking  bool     `json:"breaking"`           // who fitted the old shape may not fit any more
	Exported  bool     `json:"exported,omitempty"` // code outside of its module could use it
	Detail    []Detail `json:"detail"`
	Members   int      `json:"members,omitempty"`
	Uncertain bool     `json:"uncertain,omitempty"`
}

// Relation is a hierarchy edge that came or went.
type Relation struct {
	Added bool   `json:"added"`
	Kind  string `json:"kind"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// Dependency is an import between packages that came or went.
type Dependency struct {
	Added bool   `json:"added"`
	From  string `json:"from"`
	To    string `json:"to"`
	File  string `json:"file"`
	Line  int32  `json:"line"`
	Test  bool   `json:"test,omitempty"` // only test code has it
}

// Cycle is a circle of imports that came or went.
type Cycle struct {
	Added    bool         `json:"added"`
	Packages []string     `json:"packages"`
	Path     []Dependency `json:"path"`
}

// Two counts what came and what went.
type Two struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

// Move is a file with another path.
type Move struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// NewDelta makes the report of a delta.
func NewDelta(d *diff.Delta, tool Tool, base, head Revision) *DeltaReport {
	base.Tree, head.Tree = tree(base.Tree, d.Base), tree(head.Tree, d.Head)
	out := &DeltaReport{Schema: DeltaSchema, Tool: tool, Base: base, Head: head, Changes: []DeltaChange{}, Relations: []Relation{},
		Dependencies: []Dependency{}, Cycles: []Cycle{}, Edges: map[string]Two{}, Moved: []Move{},
		Formatting: append([]string{}, d.Files.Formatting...), Unknowns: newUnknowns(d.Head.Unknowns, d.Head.Skipped, &d.Files), Stats: newStats(d)}
	for i := range d.Changes {
		c := newChange(d, &d.Changes[i])
		out.Changes = append(out.Changes, DeltaChange{c.Symbol, c.Was, c.Change, c.Breaking, c.Exported, c.Detail, c.Members, c.Uncertain})
	}
	side := func(added bool) *graph.Graph {
		if added {
			return d.Head
		}
		return d.Base
	}
	dependency := func(x *diff.Dependency) Dependency {
		g := side(x.Added)
		return Dependency{x.Added, g.Nodes[x.From].Key, g.Nodes[x.To].Key, x.File, x.Line, x.Test}
	}
	out.Libraries, out.Shifted = newLibraries(d), newShifts(d)
	for _, r := range d.Relations {
		g := side(r.Added)
		out.Relations = append(out.Relations, Relation{r.Added, r.Kind.String(), g.Nodes[r.From].Key, g.Nodes[r.To].Key})
	}
	for i := range d.Dependencies {
		out.Dependencies = append(out.Dependencies, dependency(&d.Dependencies[i]))
	}
	for _, c := range d.Cycles {
		x := Cycle{Added: c.Added, Packages: []string{}, Path: []Dependency{}}
		for _, p := range c.Packages {
			x.Packages = append(x.Packages, side(c.Added).Nodes[p].Key)
		}
		for i := range c.Path {
			x.Path = append(x.Path, dependency(&c.Path[i]))
		}
		out.Cycles = append(out.Cycles, x)
	}
	for k := range graph.EdgeKindCount {
		if a, r := d.EdgesAdded[k], d.EdgesRemoved[k]; a+r > 0 {
			out.Edges[graph.EdgeKind(k).String()] = Two{a, r}
		}
	}
	for _, m := range d.Files.Moved {
		out.Moved = append(out.Moved, Move{m.From, m.To})
	}
	return out
}
