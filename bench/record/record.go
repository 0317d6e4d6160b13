// Package record holds the two line formats that the bench programs exchange:
// what an oracle (a compiler) says about a repository, and what kg exports. Both
// are JSON Lines; bench/README.md explains every field with examples. Nothing in
// this package knows a programming language.
package record

import "strings"

// Schema is the version of the oracle format. It stands in the meta record.
const Schema = "kg.oracle/v1"

// Meta is the first record of an oracle's output.
type Meta struct {
	T      string `json:"t"` // "meta"
	Schema string `json:"schema"`
	Lang   string `json:"lang"`
	Tool   string `json:"tool"`
	// Closed lists the site kinds for which the oracle lists every site of a
	// judged file. An edge of such a kind where the oracle has no site is wrong;
	// for other kinds it judges nobody.
	Closed []string `json:"closed"`
	// Relations lists the kinds that are compared by their two definitions alone,
	// wherever their site is. They are closed over the judged definitions.
	Relations []string `json:"relations,omitempty"`
	// Errors is the number of errors that the compiler reported.
	Errors int `json:"errors,omitempty"`
	// Notes are things that a reader of the figures must know.
	Notes []string `json:"notes,omitempty"`
}

// File is a source file of the oracle's language.
type File struct {
	T      string `json:"t"` // "file"
	File   string `json:"file"`
	Judged bool   `json:"judged"`
	Reason string `json:"reason,omitempty"` // why it is not judged
	Test   bool   `json:"test,omitempty"`
}

// Def is a definition. Files and packages are definitions too, because
// statements outside of any declaration count to them.
type Def struct {
	T       string `json:"t"` // "def"
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	QName   string `json:"qname,omitempty"`
	Parent  string `json:"parent,omitempty"` // id of the enclosing type
	File    string `json:"file,omitempty"`
	DefLine int    `json:"def_line,omitempty"` // first line, documentation excluded
	Line    int    `json:"line,omitempty"`     // of the name
	Col     int    `json:"col,omitempty"`      // of the name, 1-based UTF-8 bytes
	EndLine int    `json:"end_line,omitempty"`
	// Minor definitions need not be known to a graph (types declared inside
	// functions, fields of unnamed structs): sites that lead to them are optional.
	Minor   bool `json:"minor,omitempty"`
	Generic bool `json:"generic,omitempty"`
	Test    bool `json:"test,omitempty"`
	// Group says which definitions were compiled together; relations between two
	// groups are not judged.
	Group string `json:"group,omitempty"`
	// Program is set for what is compiled into one program only, such as the tests
	// of one package; relations between two programs are not judged.
	Program string `json:"program,omitempty"`
	// Unjudged lists the relation kinds in which this definition is not judged.
	Unjudged []string `json:"unjudged,omitempty"`
}

// Site is one place in the source where one definition uses another.
type Site struct {
	T      string   `json:"t"` // "site"
	Kind   string   `json:"kind"`
	From   string   `json:"from"`
	FromOr []string `json:"from_or,omitempty"` // equally right origins
	Pkg    string   `json:"package,omitempty"` // of a site in a package-level initialiser
	// To is the definition in the repository, Ext one outside (PATH#NAME). A site
	// with neither is open or dynamic.
	To   string   `json:"to,omitempty"`
	ToOr []string `json:"to_or,omitempty"` // equally right targets
	Ext  string   `json:"ext,omitempty"`
	// Open: the compiler did not resolve it. Dynamic: a function value is called.
	// Both judge nobody.
	Open    bool `json:"open,omitempty"`
	Dynamic bool `json:"dynamic,omitempty"`
	// Optional: the edge is right, and its absence is no miss.
	Optional bool   `json:"optional,omitempty"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Col      int    `json:"col"`
	Name     string `json:"name,omitempty"`
	// Type is what is converted (a definition, or PATH#NAME in TypeExt), Context
	// the syntax that does it.
	Type    string   `json:"type,omitempty"`
	TypeExt string   `json:"type_ext,omitempty"`
	Context string   `json:"context,omitempty"`
	Ptr     bool     `json:"ptr,omitempty"` // only the pointer type implements
	Tags    []string `json:"tags,omitempty"`
	// Shape is a coarse description of the expression, to group misses by.
	Shape string `json:"shape,omitempty"`
}

// End is the last record; without it the file was cut off.
type End struct {
	T     string `json:"t"` // "end"
	Defs  int    `json:"defs"`
	Sites int    `json:"sites"`
	Open  int    `json:"open"`
}

// Tags of sites. An oracle may add others; the scorer shows these by name.
const (
	TagTest      = "test"      // in test code
	TagInit      = "init"      // in a package-level initialiser
	TagInterface = "interface" // through an interface or an abstract method
	TagGeneric   = "generic"   // the callee or the enclosing definition is generic
	TagPromoted  = "promoted"  // through an embedded or base member
	TagClosure   = "closure"   // inside a function literal
)

// Kinds of sites and relations.
const (
	Calls        = "calls"
	References   = "references"
	Reads        = "reads"
	Writes       = "writes"
	UsesType     = "uses-type"
	Instantiates = "instantiates"
	Converts     = "converts"
	Embeds       = "embeds"
	Extends      = "extends"
	Implements   = "implements"
	Overrides    = "overrides"
	// Unresolved is the kind of an open site whose kind cannot be known.
	Unresolved = "unresolved"
)

// Node is a definition in the export of kg.
type Node struct {
	T         string `json:"t"` // "node"
	ID        string `json:"id"`
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	QName     string `json:"qname,omitempty"`
	Parent    string `json:"parent,omitempty"`
	Lang      string `json:"lang,omitempty"`
	File      string `json:"file,omitempty"`
	DefLine   int    `json:"def_line,omitempty"`
	Line      int    `json:"line,omitempty"`
	Col       int    `json:"col,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
	Exported  bool   `json:"exported,omitempty"`
	Test      bool   `json:"test,omitempty"`
	Signature string `json:"signature,omitempty"`
}

// Edge is one site of an edge in the export of kg.
type Edge struct {
	T         string `json:"t"` // "edge"
	Kind      string `json:"kind"`
	From      string `json:"from"`
	To        string `json:"to"`
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Col       int    `json:"col,omitempty"`
	Certainty string `json:"certainty,omitempty"`
	Type      string `json:"type,omitempty"`
	Ptr       bool   `json:"ptr,omitempty"`
}

// Kind returns the canonical spelling of a kind: words joined by hyphens.
func Kind(s string) string { return strings.ReplaceAll(s, "_", "-") }

// External reports whether a node id names something outside of the repository.
func External(id string) bool { return strings.HasPrefix(id, "ext:") }
