// Package diff compares the graphs of two trees and tells what changed: which
// declarations came, went, were renamed or moved, and which changed their
// shape, body or documentation.
//
// [Compare] works on graphs only, never on the lines of a textual diff, so
// that moved code, reformatted code and renamed files are seen as what they
// are. The result is a function of the two graphs: comparing a graph with
// itself gives an empty [Delta], and swapping the arguments swaps added with
// removed and base with head everywhere.
//
// Words used here:
//
//   - A match is a pair of declarations, one of each graph, that are taken to
//     be the same one. See match.go for how it is found.
//   - The owner of a declaration is what holds it: its type, else its package.
//     A file never owns anything, because moving a declaration between the
//     files of one package changes nothing for its users.
//   - A [Change] is one declaration that differs. It has one primary kind and
//     all details, so that a function with a new parameter and a new body is
//     one change.
//   - A breaking change is one that a user who fitted the old shape may not
//     fit any more. Languages differ; see [Rules].
//
// The package does no I/O and imports only the graph.
package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// Kind is the primary kind of a change: the one that says most to users of
// the declaration.
type Kind uint8

// The kinds of changes, from the one that says most to the one that says
// least.
const (
	Removed   Kind = iota
	Added          // the head graph has it, the base graph does not
	Renamed        // another name, perhaps in another place
	Moved          // another owner, or another file of the same package
	Signature      // another shape: parameters, results, type, visibility, bases
	Variant        // a build variant came or went
	Body           // the same shape does something else, or a value differs
	Doc            // only the documentation differs
	kindEnd
)

var kindNames = [kindEnd]string{
	"removed", "added", "renamed", "moved", "signature", "variant", "body", "doc",
}

// String returns the kind's name in reports.
func (k Kind) String() string { return kindNames[k] }

// KindNames returns the names of all kinds, for schemas.
func KindNames() []string { return slices.Clone(kindNames[:]) }

// Aspects say everything that differs in one declaration.
type Aspects uint8

// Has reports whether a holds the given kind.
func (a Aspects) Has(k Kind) bool { return a&(1<<k) != 0 }

func (a *Aspects) add(k Kind) { *a |= 1 << k }

// primary returns the kind that says most.
func (a Aspects) primary() Kind {
	for k := range kindEnd {
		if a.Has(k) {
			return k
		}
	}
	return kindEnd
}

// Change is one declaration that differs between the graphs.
type Change struct {
	Kind    Kind
	Aspects Aspects
	Base    graph.ID // None when added
	Head    graph.ID // None when removed

	// Breaking says that users who fitted the base may not fit the head.
	Breaking bool
	// Details say what differs, in a fixed order. Details of declarations that
	// came or went are few: they have nothing to be compared with.
	Details []Detail
	// Members counts the declarations inside an added or removed one, which
	// have no change of their own.
	Members int
	// Uncertain says that the file did not parse completely on the side that
	// lacks the declaration, which may therefore still be there.
	Uncertain bool
}

// Delta is everything that differs between two graphs.
type Delta struct {
	Base, Head *graph.Graph

	// Changes are sorted by the key in the head graph, or in the base graph
	// where there is none. A declaration has at most one. A file has one when
	// its statements outside of declarations differ.
	Changes []Change

	// EdgesAdded and EdgesRemoved count edges by kind, those of added and
	// removed declarations included.
	EdgesAdded, EdgesRemoved [graph.EdgeKindCount]int
	// Relations are the hierarchy edges that came or went between types and
	// between methods that both graphs have.
	Relations []Relation
	// Dependencies are the imports between packages that came or went.
	Dependencies []Dependency
	// Cycles are the import cycles between packages that came or went.
	Cycles []Cycle

	// Libraries are the external packages that others took the place of.
	Libraries []Library

	// Files is what happened to whole files.
	Files Files
	// Withdrawals are the names that files do not pass on any more, by file. The
	// changes of the files have them as details.
	Withdrawals []Withdrawal

	rules   Options
	toHead  []graph.ID
	toBase  []graph.ID
	spelled *spelling
}

// Options adapt the comparison to languages. The zero value is useful.
type Options struct {
	// Rules by language name. A language without rules has the zero Rules.
	Rules map[string]Rules
}

// Compare returns what differs between base and head, with the default rules
// for every language.
//
// Time is O(n log n + m log d) for n nodes and m edges of degree d, plus a
// near-linear search for renames over the declarations that only one graph
// has.
func Compare(base, head *graph.Graph) *Delta { return Options{}.Compare(base, head) }

// Compare is [Compare] with rules.
func (o Options) Compare(base, head *graph.Graph) *Delta {
	m := match(base, head)
	d := &Delta{Base: base, Head: head, rules: o, toHead: m.toHead, toBase: m.toBase, spelled: &m.spelled, Libraries: m.swapped}
	d.Files = compareFiles(m)
	m.compareNodes(d)
	compareEdges(d)
	d.Dependencies, d.Cycles = compareDependencies(d)
	d.Files.Formatting = compareStatements(d)
	d.withdraw()
	slices.SortFunc(d.Changes, func(x, y Change) int {
		return cmp.Or(cmp.Compare(d.Symbol(&x).Key, d.Symbol(&y).Key), cmp.Compare(x.Kind, y.Kind))
	})
	return d
}

// Empty reports whether nothing differs that a reader could see in the graphs.
func (d *Delta) Empty() bool {
	return len(d.Changes) == 0 && len(d.Relations) == 0 && len(d.Dependencies) == 0 && len(d.Cycles) == 0 && len(d.Libraries) == 0 &&
		d.Files.empty() && d.EdgesAdded == [graph.EdgeKindCount]int{} && d.EdgesRemoved == [graph.EdgeKindCount]int{}
}

// Related reports whether the graphs have any declaration in common. Graphs of
// two repositories have none.
func (d *Delta) Related() bool {
	declared := func(g *graph.Graph) bool {
		return slices.ContainsFunc(g.Nodes, func(n graph.Node) bool { return declares(n.Kind) })
	}
	for i, h := range d.toHead {
		if h != graph.None && declares(d.Base.Nodes[i].Kind) {
			return true
		}
	}
	return !declared(d.Base) || !declared(d.Head)
}

// ToHead returns the node of the head graph that a node of the base graph is
// matched with, or None. O(1).
func (d *Delta) ToHead(base graph.ID) graph.ID {
	if base == graph.None {
		return graph.None
	}
	return d.toHead[base]
}

// ToBase returns the node of the base graph that a node of the head graph is
// matched with, or None. O(1).
func (d *Delta) ToBase(head graph.ID) graph.ID {
	if head == graph.None {
		return graph.None
	}
	return d.toBase[head]
}

// Symbol returns the changed node: of the head graph, or of the base graph if
// the declaration was removed.
func (d *Delta) Symbol(c *Change) *graph.Node {
	if c.Head != graph.None {
		return &d.Head.Nodes[c.Head]
	}
	return &d.Base.Nodes[c.Base]
}

// Was returns the node of the base graph, or nil if the declaration was added.
func (d *Delta) Was(c *Change) *graph.Node {
	if c.Base == graph.None {
		return nil
	}
	return &d.Base.Nodes[c.Base]
}

// RulesFor returns the rules of the language and file of a declaration.
func (d *Delta) RulesFor(n *graph.Node) Rules {
	r := d.rules.Rules[n.Lang]
	r.Lang = n.Lang
	return r.In(n.File)
}

// In returns the rules for uses in a file.
func (r Rules) In(file string) Rules {
	if slices.ContainsFunc(r.Loose, func(suffix string) bool { return strings.HasSuffix(file, suffix) }) {
		r.Dynamic, r.LooseArity = true, true
	}
	return r
}

// SameText reports whether a declaration that both graphs have is written the
// same in both: body, shape and all variants. Whatever it used in the base it
// still uses in the head, whether or not the name is still declared.
func (d *Delta) SameText(base, head graph.ID) bool {
	x, y := &d.Base.Nodes[base], &d.Head.Nodes[head]
	if x.Kind == graph.KindFile && y.Kind == graph.KindFile {
		i, j := d.Base.FileIndex(x.File), d.Head.FileIndex(y.File)
		return i >= 0 && j >= 0 && d.Base.Files[i].Hash == d.Head.Files[j].Hash
	}
	return x.Body == y.Body && x.Kind == y.Kind && sameSignature(&x.Signature, &y.Signature) &&
		slices.Equal(variantBodies(x), variantBodies(y))
}

func variantBodies(n *graph.Node) []graph.Hash {
	if len(n.Variants) == 0 {
		return nil
	}
	hs := make([]graph.Hash, len(n.Variants))
	for i := range n.Variants {
		hs[i] = n.Variants[i].Body
	}
	return hs
}

func sameSignature(x, y *graph.Signature) bool {
	return x.Text == y.Text && x.Type == y.Type && slices.Equal(x.Params, y.Params) &&
		slices.Equal(x.Results, y.Results) && slices.Equal(x.TypeParams, y.TypeParams) && slices.Equal(x.Bases, y.Bases)
}

// Hypothetical returns the delta of a graph with itself in which the node id
// is said to have changed. For Removed the node has no match any more; for
// other kinds what exactly differs is left open.
func Hypothetical(g *graph.Graph, id graph.ID, k Kind, o Options) *Delta {
	d := &Delta{Base: g, Head: g, rules: o, toHead: make([]graph.ID, len(g.Nodes)), spelled: &spelling{}}
	for i := range d.toHead {
		d.toHead[i] = graph.ID(i)
	}
	d.toBase = d.toHead
	c := Change{Kind: k, Base: id, Head: id, Breaking: k == Removed || k == Signature}
	c.Aspects.add(k)
	if k == Removed {
		c.Head = graph.None
		d.toBase = slices.Clone(d.toHead)
		for n := range g.Nodes {
			if inside(g, graph.ID(n), id) {
				d.toHead[n], d.toBase[n] = graph.None, graph.None
			}
		}
	}
	d.Changes = []Change{c}
	return d
}

// inside reports whether n is outer or lies in it.
func inside(g *graph.Graph, n, outer graph.ID) bool {
	for n != graph.None && n != outer {
		n = g.Nodes[n].Parent
	}
	return n == outer
}
