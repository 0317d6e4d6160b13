// Package report says what a run found, in bytes: for programs as JSON, for
// people as text. A [Report] is plain data, made once by [New]; a [Format]
// writes it. All formats show the same totals, because they print the same
// numbers.
//
// Names in a report come from the code under review and may be hostile.
// Formats escape control characters, characters that change the direction of
// text, and what a CI system would take for a command; see escape.go.
//
// The package touches nothing but the writer that it is given.
package report

// Schema names the contract of a report. The JSON Schema is in
// schema/impact-v1.json.
const Schema = "kg.impact/v1"

// Report is one run of kg impact. The fields and their order are the contract
// of the JSON format.
type Report struct {
	Schema      string       `json:"schema"`
	Tool        Tool         `json:"tool"`
	Base        Revision     `json:"base"`
	Head        Revision     `json:"head"`
	Supposed    bool         `json:"supposed,omitempty"` // the change was not made: what if
	Changes     []Change     `json:"changes"`
	Libraries   []Library    `json:"libraries,omitempty"` // external packages that others took the place of
	Shifted     []Shift      `json:"shifted,omitempty"`   // declarations that moved together between files of a package
	EntryPoints []EntryPoint `json:"entry_points"`
	Tests       Tests        `json:"tests"`
	Cochange    []Cochange   `json:"cochange"`
	Owners      []Owner      `json:"owners"`
	Findings    []Finding    `json:"findings"`
	Gate        *Gate        `json:"gate,omitempty"` // nil if no rules ran
	Unknowns    []Unknown    `json:"unknowns"`
	Stats       Stats        `json:"stats"`
}

// Tool is the program that made the report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Revision is one of the two trees that were compared.
type Revision struct {
	Rev    string `json:"rev"`    // as the user or the CI named it
	Commit string `json:"commit"` // empty for a work tree
	Tree   string `json:"tree"`   // digest of the analysed tree
	Source string `json:"source"` // where the graph came from: revision, worktree, index, folder, graph

	How   string   `json:"how,omitempty"`   // how a base was found: "merge base with main, the default branch"
	Notes []string `json:"notes,omitempty"` // what may surprise about the choice
}

// Symbol is a declaration.
type Symbol struct {
	ID   string `json:"id"` // its key
	Kind string `json:"kind"`
	Name string `json:"name"` // qualified, for people
	File string `json:"file"` // empty for packages
	Line int32  `json:"line"`
	Test bool   `json:"test,omitempty"` // it is test code
}

// Shift is several declarations that moved from one file to another.
type Shift struct {
	From         string `json:"from"`
	To           string `json:"to"`
	Declarations int    `json:"declarations"`
}

// Library is an external package that nothing uses any more, because another
// one took its place.
type Library struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Files int    `json:"files"` // that use it
}

// Change is one changed declaration and what it reaches.
type Change struct {
	Symbol    Symbol     `json:"symbol"`
	Was       *Symbol    `json:"was,omitempty"` // in the base, where its id or place differs
	Change    string     `json:"change"`
	Breaking  bool       `json:"breaking"`           // who fitted the old shape may not fit any more
	Exported  bool       `json:"exported,omitempty"` // code outside of its module could use it
	Detail    []Detail   `json:"detail"`
	Members   int        `json:"members,omitempty"`   // declarations inside that came or went with it
	Uncertain bool       `json:"uncertain,omitempty"` // its file did not parse completely on the other side
	Adapted   bool       `json:"adapted,omitempty"`   // its body only follows a rename or move
	Impacted  []Impacted `json:"impacted"`
	Totals    Totals     `json:"totals"`
}

// Detail is one thing that differs in a changed declaration.
type Detail struct {
	Code    string `json:"code"`
	Verdict string `json:"verdict"`
	Index   *int   `json:"index,omitempty"` // 0-based position of a parameter or result
	Name    string `json:"name,omitempty"`
	From    string `json:"from,omitempty"`
	To      string `json:"to,omitempty"`
}

// Impacted is a symbol that a change reaches.
type Impacted struct {
	Symbol    Symbol `json:"symbol"`
	Relation  string `json:"relation"`
	Severity  string `json:"severity"`
	Depth     int    `json:"depth"`
	Certainty string `json:"certainty"`
	Sites     []Site `json:"sites"`
	Path      []Hop  `json:"path"`
}

// Site is one place where the symbol uses what changed.
type Site struct {
	File  string `json:"file"`
	Line  int32  `json:"line"`
	State string `json:"state"`
	// Relation is that of this place, if it is another than the symbol's.
	Relation string `json:"relation,omitempty"`
	// Note is what the code there says of itself: that it goes on without what is gone,
	// or that only type checkers read it.
	Note string `json:"note,omitempty"`
}

// Hop is one edge of the path from an impacted symbol to the change.
type Hop struct {
	From      string `json:"from"`
	To        string `json:"to"`
	Kind      string `json:"kind"`
	File      string `json:"file"`
	Line      int32  `json:"line"`
	Certainty string `json:"certainty"`
}

// Totals count distinct symbols, before any list is cut.
type Totals struct {
	Impacted      int `json:"impacted"`
	MustUpdate    int `json:"must_update"`
	ShouldReview  int `json:"should_review"`
	MayBeAffected int `json:"may_be_affected"`
	Ambiguous     int `json:"ambiguous"`
	Broken        int `json:"broken"`
	BrokenSites   int `json:"broken_sites"`
}

// EntryPoint is something started from outside that reaches a change.
type EntryPoint struct {
	Symbol   Symbol   `json:"symbol"`
	Distance int      `json:"distance"`
	Via      []string `json:"via"`
}

// Tests says which tests prove the change.
type Tests struct {
	Mode    string       `json:"mode"`
	Reasons []TestReason `json:"reasons"`
	Tests   []Test       `json:"tests"`
	// Whole are types and files to be run as a whole: they run tests of the list
	// that they inherit or have made, more of them than are named.
	Whole []Whole `json:"whole,omitempty"`
	Total int     `json:"total"` // test cases in the head tree
}

// TestReason says why the selection is what it is.
type TestReason struct {
	Reason string   `json:"reason"`
	Paths  []string `json:"paths"`
}

// Test is one test that reaches a change.
type Test struct {
	ID       string   `json:"id"`
	Runner   string   `json:"runner"`
	File     string   `json:"file"`
	Symbol   string   `json:"symbol"`
	Package  string   `json:"package"`
	Distance int      `json:"distance"`
	Via      []string `json:"via"`
	ViaMore  int      `json:"via_more,omitempty"` // that via leaves out, before the change

	// RunBy says how the test is run; empty: where it stands, and nowhere else.
	RunBy []TestRun `json:"run_by,omitempty"`
	// RunByWhole says that what is run as a whole runs it, too, or, without RunBy, does alone.
	RunByWhole bool `json:"run_by_whole,omitempty"`
}

// Whole is a type or a file of which all tests are run.
type Whole struct {
	ID      string `json:"id"`
	Runner  string `json:"runner"`
	File    string `json:"file"`
	Symbol  string `json:"symbol"` // empty for a file
	Package string `json:"package"`
}

// TestRun is a test as a type runs it that inherits it, as a file does that has it made,
// or as it stands.
type TestRun struct {
	ID     string `json:"id"` // of the type, of the file, or of the test
	File   string `json:"file"`
	Symbol string `json:"symbol"` // what the test is called there
}

// Cochange is a file that history says changes together with this change, and
// that it leaves out: a habit, not a dependency.
type Cochange struct {
	File       string   `json:"file"`
	Confidence float64  `json:"confidence"`
	Support    int      `json:"support"`
	With       []string `json:"with"`
}

// Owner is who owns impacted code.
type Owner struct {
	Owner   string   `json:"owner"`
	Files   []string `json:"files"`
	Symbols int      `json:"symbols"`
}

// Finding is what a rule has to say. The fingerprint is the same in every run
// that finds it, wherever lines move to.
type Finding struct {
	Rule        string    `json:"rule"`
	Level       string    `json:"level"` // error, warning, note
	Message     string    `json:"message"`
	Symbol      string    `json:"symbol,omitempty"`
	File        string    `json:"file"`
	Line        int32     `json:"line"`
	InBase      bool      `json:"in_base,omitempty"`   // the place is in the base
	DiffLine    int32     `json:"diff_line,omitempty"` // a line of the file in the head that the change edited, and that stands for the place
	Related     []Related `json:"related,omitempty"`   // ranked, at most 100
	Total       int       `json:"total,omitempty"`     // of related places, before the list was cut
	Fingerprint string    `json:"fingerprint"`
	Waived      string    `json:"waived,omitempty"` // the reason, if it is waived
	Stops       bool      `json:"stops,omitempty"`  // the gate stops the change for it
}

// Related is a place that a finding is about, too.
type Related struct {
	Symbol Symbol `json:"symbol"`
	File   string `json:"file"`
	Line   int32  `json:"line"`
}

// Gate says what the rules ran with, and whether the change may pass.
type Gate struct {
	FailOn        []string      `json:"fail_on"` // levels and rules; empty: there is no gate
	Hits          int           `json:"hits"`    // findings that it stops
	Lost          bool          `json:"lost"`    // files were lost to the analysis: it cannot be told
	Configuration Configuration `json:"configuration"`
	Notes         []string      `json:"notes"`
}

// Configuration is where the rules' settings came from.
type Configuration struct {
	File   string `json:"file"`   // empty: the defaults
	Commit string `json:"commit"` // that it was read from; empty: from disk
	Edited bool   `json:"edited"` // the change edits it, which does not count yet
}

// Unknown is something that could not be told.
type Unknown struct {
	Reason  string `json:"reason"`
	File    string `json:"file"`
	Line    int32  `json:"line"`
	EndLine int32  `json:"end_line"`
	Detail  string `json:"detail"`
	Count   int    `json:"count"`
	Lost    bool   `json:"lost,omitempty"` // the base graph has the file
}

// SkippedLanguage is the reason of unknowns that stand for the files of a
// language that is not analysed.
const SkippedLanguage = "skipped_language"

// Stats are the numbers of a run.
type Stats struct {
	Totals     Totals         `json:"totals"`  // each symbol once, however many changes reach it
	Changes    map[string]int `json:"changes"` // by kind
	Breaking   int            `json:"breaking"`
	Exported   int            `json:"breaking_exported"` // of these, what other modules could use
	Formatting int            `json:"formatting_only"`   // files
	Files      FileStats      `json:"files"`
	Base       GraphStats     `json:"base"`
	Head       GraphStats     `json:"head"`
}

// FileStats count analysed files.
type FileStats struct {
	Changed int `json:"changed"`
	Added   int `json:"added"`
	Removed int `json:"removed"`
	Moved   int `json:"moved"`
	Lost    int `json:"lost"`
}

// GraphStats are the sizes of a graph.
type GraphStats struct {
	Files int `json:"files"`
	Nodes int `json:"nodes"`
	Edges int `json:"edges"`
}
