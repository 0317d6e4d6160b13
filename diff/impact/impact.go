// Package impact tells what the changes of a delta reach: who has to be
// updated, who behaves differently, and which tests prove it.
//
// [Compute] looks at each change by its kind, because kinds differ in what
// they do to users:
//
//	change                          must update                                should review
//	removed, renamed, less visible  every remaining use                        tests that covered it
//	signature, breaking             calls that no longer fit, references,      callers' callers
//	                                overriders, implementers, conversions to
//	                                an interface no longer satisfied
//	interface gains or changes      conversions to it, explicit implementers,  implementers never converted
//	a method                        methods that implemented the old one
//	build variant removed           every use that other builds share          as a body
//	body                            nothing                                    callers, tests, entry points
//	field, constant, enum member,   its users when it goes or changes type     its readers, if they are not
//	variable                                                                  many
//	new override, implementation    nothing                                    callers now dispatched to it
//	override removed                nothing                                    callers that were dispatched to it
//	doc, formatting, test code      nothing                                    nothing
//
// What was used is read from the base graph, whether the use remains from the
// head graph, and whether the change touched it from the changed lines, if
// they are given. "Broken" is said only of a use that is still written as it
// was.
//
// Words used here:
//
//   - A user of a declaration is a declaration with an edge to it.
//   - A site is one place where a user uses it; its [State] says what became
//     of it.
//   - Severity says what a change asks of a user; [MayBeAffected] is everything
//     that is two or more hops away or hangs on an ambiguous hop.
//   - Dispatch: a call through an interface or base method points at that
//     method. From a concrete method the walk goes to the methods it
//     implements or overrides, and on to their callers, as inferred; where
//     more than five methods implement one, its callers may be affected only,
//     and theirs are not followed.
//
// The changed declaration is never impacted by itself. Totals are exact and
// count each symbol once; lists are ranked and may be cut.
package impact

import (
	"fmt"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// Severity says what a change asks of a user.
type Severity uint8

// The severities, from the most to the least urgent.
const (
	MustUpdate Severity = iota
	ShouldReview
	MayBeAffected
	severityEnd
)

var severityNames = [severityEnd]string{"must_update", "should_review", "may_be_affected"}

// String returns the severity's name in reports.
func (s Severity) String() string { return severityNames[s] }

// SeverityNames returns the names of all severities, for schemas.
func SeverityNames() []string { return slices.Clone(severityNames[:]) }

// State says what became of one use.
type State uint8

// The states, from the one that asks most to the one that asks least.
const (
	Broken  State = iota // still written as before, and does not fit any more
	Unknown              // cannot be told
	Edited               // this change touched it
	Fits                 // still valid, untouched
	stateEnd
)

var stateNames = [stateEnd]string{"broken", "unknown", "edited", "fits"}

// String returns the state's name in reports.
func (s State) String() string { return stateNames[s] }

// StateNames returns the names of all states, for schemas.
func StateNames() []string { return slices.Clone(stateNames[:]) }

// Relation says what an impacted symbol is to the changed one.
type Relation uint8

// The relations.
const (
	Caller        Relation = iota // calls it
	Reference                     // uses it as a value
	Reader                        //
	Writer                        //
	TypeUser                      // names the type
	Instantiator                  // makes a value of the type
	Converter                     // stores a value of the type as the interface
	Subtype                       // extends or embeds it
	Implementer                   // implements it: a type, or a method
	Overrider                     //
	Injector                      // gets it injected
	Thrower                       //
	Annotated                     // carries it as an annotation or decorator
	Route                         // is handled by it
	Client                        // requests the route
	Importer                      //
	Configuration                 // names it in a configuration
	Dispatched                    // calls a method that may now, or still, run it
	Test                          // a test that reaches it
	EntryPoint                    // started from outside, and reaches it
	Initialised                   // a field that it alone gave a value
	relationEnd
)

var relationNames = [relationEnd]string{
	"caller", "reference", "reader", "writer", "type_user", "instantiator", "converter", "subtype",
	"implementer", "overrider", "injector", "thrower", "annotated", "route", "client", "importer",
	"configuration", "dispatched", "test", "entry_point", "initialised",
}

// String returns the relation's name in reports.
func (r Relation) String() string { return relationNames[r] }

// RelationNames returns the names of all relations, for schemas.
func RelationNames() []string { return slices.Clone(relationNames[:]) }

// relationOf holds what the source of an edge is to its target.
var relationOf = [graph.EdgeKindCount]Relation{
	graph.EdgeImports:      Importer,
	graph.EdgeCalls:        Caller,
	graph.EdgeReferences:   Reference,
	graph.EdgeUsesType:     TypeUser,
	graph.EdgeInstantiates: Instantiator,
	graph.EdgeReads:        Reader,
	graph.EdgeWrites:       Writer,
	graph.EdgeConverts:     Converter,
	graph.EdgeExtends:      Subtype,
	graph.EdgeImplements:   Implementer,
	graph.EdgeEmbeds:       Subtype,
	graph.EdgeOverrides:    Overrider,
	graph.EdgeInjects:      Injector,
	graph.EdgeThrows:       Thrower,
	graph.EdgeAnnotates:    Annotated,
	graph.EdgeHandles:      Route,
	graph.EdgeHTTPCalls:    Client,
	graph.EdgePublishes:    Client,
	graph.EdgeConfigures:   Configuration,
	graph.EdgeTests:        Test,
}

// Site is one place where the impacted symbol uses what changed.
type Site struct {
	File     string
	Line     int32
	Col      int32
	State    State
	Relation Relation // of this place: one symbol may use another in several ways
	Note     Note
}

// Note is what the code at a site says of itself.
type Note uint8

// The notes.
const (
	NoNote    Note = iota
	Optional       // it goes on without what it imports, or uses what was imported so
	TypesOnly      // type checkers read it, and nothing runs it
	noteEnd
)

var noteNames = [noteEnd]string{"", "optional", "types_only"}

// String returns the note's name in reports, which is empty for none.
func (n Note) String() string { return noteNames[n] }

// NoteNames returns the names of all notes, for schemas.
func NoteNames() []string { return slices.Clone(noteNames[1:]) }

// Hop is one edge of a path. From and To belong to the base graph where only
// that has the edge.
type Hop struct {
	From, To  *graph.Node
	Kind      graph.EdgeKind
	File      string // where the edge comes from; the declaration of From if it has no site
	Line      int32
	Certainty graph.Certainty
}

// Impacted is one symbol that a change reaches.
type Impacted struct {
	Symbol    *graph.Node // of the head graph
	ID        graph.ID    // its id there
	Relation  Relation
	Severity  Severity
	Depth     int // hops; dispatch is no hop
	Certainty graph.Certainty
	// Sites are where the symbol uses the next one of the path.
	Sites []Site
	// Path leads from the symbol to the change, the shortest one, and among
	// those one of the surest.
	Path []Hop
}

// State returns the state of the worst site.
func (i *Impacted) State() State {
	s := Fits
	for _, site := range i.Sites {
		s = min(s, site.State)
	}
	return s
}

// Totals count distinct symbols, before any list is cut.
type Totals struct {
	Impacted      int // all of them
	MustUpdate    int
	ShouldReview  int
	MayBeAffected int
	Ambiguous     int // those among MayBeAffected that only an ambiguous hop reaches
	Broken        int // symbols with a broken site
	BrokenSites   int
}

// Change is one change with what it reaches.
type Change struct {
	*diff.Change
	Symbol   *graph.Node // of the head graph, or of the base graph if removed
	Was      *graph.Node // of the base graph; nil if added
	Impacted []Impacted  // ranked
	Totals   Totals

	// Adapted says that the body changed only to follow what it uses to another
	// name or place: it behaves as before, and reaches nobody.
	Adapted bool
}

// Result is the impact of a delta.
type Result struct {
	Delta   *diff.Delta
	Changes []Change // ranked: broken uses first, then by how much they reach
	Totals  Totals   // a symbol that two changes reach counts once, with its highest severity

	// Symbols are all impacted symbols, by id in the head graph, with their
	// highest severity, whatever the lists leave out.
	Symbols []Affected
	// EntryPoints are what is started from outside and is impacted, nearest
	// first: within Options.Depth. What the language starts when code is loaded
	// is a user like others.
	EntryPoints []Reached
	Tests       Tests
	// Unknowns are those of the head graph, then those that only the base graph
	// has, then one of the methods that override more than was followed.
	Unknowns []graph.Unknown
	// Skipped are the languages of the head tree that are not analysed.
	Skipped []graph.Skipped
}

// Affected is an impacted symbol of a run.
type Affected struct {
	ID       graph.ID // in the head graph
	Severity Severity
	Broken   bool
}

// Range is one stretch of lines that differs between the trees: OldLen lines
// from OldStart became NewLen lines from NewStart. Lines count from 1; where a
// length is zero, the start is the line before which the other lines belong.
type Range struct{ OldStart, OldLen, NewStart, NewLen int }

// Options adapt a computation. The zero value is useful.
type Options struct {
	// Depth is how many hops a changed behaviour is followed; 0 means 3.
	Depth int
	// Limit cuts the list of each change; 0 means 500, a negative number never.
	Limit int
	// Edited holds the changed lines of files by their path in the head tree,
	// in ascending order, files that were removed by their path in the base
	// tree. Without them, states are told from bodies alone, and more of them
	// are unknown.
	Edited map[string][]Range
	// Inputs are the changed files that are not code of the graphs, and what
	// may depend on them.
	Inputs []Input
	// SkipTests leaves the selection of tests out, which looks at the whole graph.
	SkipTests bool
	// Runner names what runs the tests of a language; without an entry it is
	// the language's name.
	Runner map[string]string
}

const (
	defaultDepth = 3
	defaultLimit = 500
)

// Compute returns what the changes of d reach. Time is O(sum of the reached
// edges within Depth over all changes), plus O(n + m) for tests.
func Compute(d *diff.Delta, o Options) *Result {
	if o.Depth == 0 {
		o.Depth = defaultDepth
	}
	if o.Limit == 0 {
		o.Limit = defaultLimit
	}
	e := newEngine(d, o)
	r := &Result{Delta: d, Unknowns: unknowns(d), Skipped: d.Head.Skipped}
	for i := range d.Changes {
		c := &d.Changes[i]
		r.Changes = append(r.Changes, e.change(c))
	}
	rankChanges(r.Changes)
	r.Symbols, r.Totals = e.run.symbols()
	r.EntryPoints = e.entryPoints()
	if !o.SkipTests {
		e.selectTests(r)
	}
	if n := e.deep(); n > 0 {
		r.Unknowns = append(slices.Clip(r.Unknowns), graph.Unknown{Reason: graph.ReasonInferBudget, Count: int32(n),
			Detail: fmt.Sprintf("what overrides more than %d methods", maxSupers)})
	}
	return r
}

// deep returns how many methods override more than was followed.
func (e *engine) deep() int {
	n := e.walk.deep
	if e.baseWalk != nil {
		n = max(n, e.baseWalk.deep)
	}
	return n
}

// unknowns returns the unknowns of both graphs, those they share once.
func unknowns(d *diff.Delta) []graph.Unknown {
	if d.Base == d.Head {
		return d.Head.Unknowns
	}
	out := slices.Clone(d.Head.Unknowns)
	for _, u := range d.Base.Unknowns {
		if !slices.Contains(d.Head.Unknowns, u) {
			out = append(out, u)
		}
	}
	return out
}

// change computes the impact of one change.
func (e *engine) change(c *diff.Change) Change {
	e.begin(c)
	switch {
	case e.silent(c):
	case e.adapted(c):
		out := e.finish(c)
		out.Adapted = true
		return out
	case c.Kind == diff.Removed:
		e.removed(c)
	case c.Kind == diff.Added:
		e.added(c)
	default:
		if c.Base != graph.None && e.base.Nodes[c.Base].Kind == graph.KindFile {
			e.withdrawn(c)
		}
		if c.Aspects.Has(diff.Renamed) || c.Has(diff.OwnerMoved) {
			e.renamed(c)
		}
		if c.Aspects.Has(diff.Signature) {
			e.signature(c)
		}
		if c.Has(diff.VariantRemoved) && (!c.Has(diff.VariantAdded) || e.head.Nodes[c.Head].Kind == graph.KindFile) {
			e.variantLost(c)
		}
		if c.Aspects.Has(diff.Body) || c.Aspects.Has(diff.Variant) {
			e.behaviour(c, e.opt.Depth)
		} else if c.Has(diff.TextChanged) {
			e.behaviour(c, 1)
		}
	}
	return e.finish(c)
}

// silent reports whether a change reaches nobody: documentation, and test
// code, which is there to be changed.
func (e *engine) silent(c *diff.Change) bool {
	if e.d.Symbol(c).Flags.Has(graph.FlagTest) && c.Kind != diff.Removed && !c.Aspects.Has(diff.Renamed) && !c.Breaking {
		return true
	}
	return c.Kind == diff.Doc
}
