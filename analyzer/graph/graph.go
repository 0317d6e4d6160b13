// Package graph holds the knowledge graph of one source tree: its declarations
// as nodes, the relations between them as edges, and what could not be told as
// unknowns.
//
// A [Graph] is immutable and canonical: nodes are sorted by key, edges by
// source, kind and target, sites by place, so that equal trees give equal
// values and equal bytes. It is made by a [Builder] and read through its
// exported slices and [Graph.Out], [Graph.In] and [Graph.Lookup].
//
// Words used here:
//
//   - A key names the same declaration in every graph: it survives moved lines
//     and, inside a package, a renamed file. See [key.go].
//   - An id is the position of a node in one Graph. It is never written out.
//   - A site is one place in the source that gives rise to an edge. An edge
//     holds all its sites; two edges never agree in kind, ends and type.
//   - A certainty says how an edge was found; see [Certainty].
//
// The package is a leaf: it imports only the standard library, and does no I/O.
package graph

import (
	"math/bits"
	"sort"
)

// ID is the position of a node in [Graph.Nodes]. It has a meaning only inside
// the Graph that gave it.
type ID int32

// None is the ID of no node.
const None ID = -1

// Hash is a SHA-256 digest cut to 128 bits. The zero Hash means that there is
// nothing to hash, for example a function without a body.
type Hash [16]byte

// IsZero reports whether h is the zero Hash.
func (h Hash) IsZero() bool { return h == Hash{} }

// bodyBytes is how much of the Hash of a body with annotations is the body's.
const bodyBytes = 12

// Annotated returns the Hash of a body with annotations that have a Hash of their
// own, so that what changed in them is told from what changed in the body.
func (h Hash) Annotated(annotations Hash) Hash {
	copy(h[bodyBytes:], annotations[:])
	return h
}

// OnlyAnnotations reports whether of two different hashes of bodies only the
// annotations differ; see [Hash.Annotated].
func OnlyAnnotations(x, y Hash) bool {
	return x != y && string(x[:bodyBytes]) == string(y[:bodyBytes])
}

// DocHash is the SHA-256 of a documentation, cut to 64 bits. It only has to tell
// two texts of one declaration apart, and nothing relies on documentation, so that
// nobody gains from two texts with one hash; a body that changes unseen is another
// matter (see [Hash]).
type DocHash [8]byte

// IsZero reports whether there is no hash.
func (h DocHash) IsZero() bool { return h == DocHash{} }

// MinHash is a one-permutation MinHash of the token 4-grams of a body: 64 values
// of 2 bits, 16 in each element. The zero MinHash means that the body was too
// short to have one.
type MinHash [4]uint32

// Similarity estimates the Jaccard similarity behind two MinHashes. Values of sets
// that have nothing in common agree by chance in 1 of 4.
func (x MinHash) Similarity(y MinHash) float64 {
	equal := 16 * len(x)
	values := float64(equal)
	for i := range x {
		d := x[i] ^ y[i]
		equal -= bits.OnesCount32((d | d>>1) & 0x55555555)
	}
	return max(0, (float64(equal)/values-1.0/4)*4/3)
}

// Node is one declaration, or one thing that holds declarations (package,
// file, module), or one external name.
type Node struct {
	Key    string // unique in the graph; see key.go
	Kind   Kind
	Name   string // the last part of QName, as written in the source
	QName  string // qualified with the package's short name, for people
	Parent ID     // the node that contains this one; None for roots
	Lang   string // the language's name; empty for files' containers of any language

	File    string // slash-separated path; empty for externals and packages
	DefLine int32  // first line of the definition, decorators and annotations included; 1-based
	Line    int32  // line of the name; 1-based
	Col     int32  // column of the name; 1-based, in UTF-8 bytes
	EndLine int32  // last line of the definition

	Visibility Visibility
	Flags      Flags
	Signature  Signature
	Doc        string // first sentence of the documentation

	DocHash  DocHash // the whole documentation
	Body     Hash    // the body without its name, comments and member declarations
	Tokens   int32   // leaf tokens in the body
	Branches int32   // conditions, loops, cases and short-circuit operators in the body
	MinHash  MinHash // of bodies of 16 tokens or more
	Variants []Variant
}

// Signature is the shape of a declaration: what its users must fit.
type Signature struct {
	Text       string  // normalised source text, for people
	TypeParams []Param // generic parameters; Type is the constraint
	Params     []Param // of functions, methods, constructors
	Results    []Param // of functions and methods
	Type       string  // of fields, variables, constants, aliases and named types
	Bases      []string
}

// Param is one parameter or result.
type Param struct {
	Name  string
	Type  string // canonical: names are qualified by package path
	Flags ParamFlags
}

// ParamFlags say how an argument reaches a parameter.
type ParamFlags uint8

// The parameter flags.
const (
	ParamVariadic    ParamFlags = 1 << iota // takes any number of arguments
	ParamOptional                           // has a default
	ParamKeywordOnly                        // only by name
	ParamPositional                         // only by position
	ParamKeywords                           // takes any keywords (**kwargs)
)

// Variant is one of several bodies of a symbol, chosen by a build constraint. The
// only variant of a file says which builds have it; one that all have has none.
type Variant struct {
	Constraint string // the language's own text, normalised
	File       string
	DefLine    int32
	Line       int32
	EndLine    int32
	Signature  string
	Body       Hash
}

// Edge is a relation between two nodes with all the places it comes from.
type Edge struct {
	From, To  ID
	Kind      EdgeKind
	Certainty Certainty
	Ptr       bool // implements: only the pointer type does
	Type      ID   // converts: the concrete or narrower type; None otherwise

	siteLo, siteHi uint32 // into Graph.sites
}

// Site is one place in the source that gives rise to an edge. For calls it
// also holds the shape of the call, which decides whether a new signature
// still fits, and for literals with positional fields their number.
type Site struct {
	File     int32 // index into Graph.Files
	Line     int32 // 1-based; for calls the line of the callee's last name
	Col      int32 // 1-based, in UTF-8 bytes; 0 when it does not fit
	Args     int16 // calls: positional arguments; instantiates: fields given by position; else -1
	Want     int8  // calls: results used: 0 none, n of an n-value context, WantAll
	Flags    SiteFlags
	Keywords int32 // calls: index into Graph.Keywords, -1 for none
	Recv     ID    // calls: the receiver's type if it inherits the callee, see [Hierarchy.Runs]; None otherwise
}

// WantAll marks a call whose results are passed on as a whole, as in f(g()).
const WantAll int8 = -1

// SiteFlags qualify a site.
type SiteFlags uint8

// The site flags.
const (
	SiteSpread   SiteFlags = 1 << iota // the last argument is spread (f(xs...), f(*xs)); of an import: what is imported is passed on, of a module all that it exports
	SiteSpreadKw                       // keywords are spread (f(**kw))
	SiteGo                             // the call runs concurrently or later (go, defer); of a file: only when the file is what is started
	SiteTest                           // the site is in test code
	SiteLiteral                        // it is in a function literal that is not called where it stands; of an import: only type checkers read it
	SiteSuper                          // the call runs the callee itself, nothing that overrides it (super.f()), or what stands behind Recv in the order of classes
	SiteCase                           // what is read, or the type, is a case among which there must be one for each value
	SiteOther                          // another callable of the name takes the arguments as well, and gives what is alike or not used; of an import: the code around it goes on without what is imported
)

// File is one source file of the tree.
type File struct {
	Path string
	Lang string   // empty: the language is not supported
	Hash [32]byte // SHA-256 of the content
	Node ID
	Size int64
}

// Graph is the immutable graph of one tree. Its slices must not be changed.
type Graph struct {
	Nodes    []Node // sorted by Key
	Edges    []Edge // sorted by From, Kind, To, Type
	Files    []File // analysed files, sorted by Path
	Unknowns []Unknown
	Skipped  []Skipped  // files of languages that are not analysed
	Keywords [][]string // keyword lists of call sites
	Tree     Hash       // digest of the tree's analysed paths and contents

	sites []Site
	out   []uint32 // out[n]..out[n+1] are n's outgoing edges in Edges
	in    []uint32 // in[n]..in[n+1] are n's incoming edges in inIdx
	inIdx []uint32 // edge numbers, sorted by To, Kind, From, Type

	ambiguous bool // some edge is
}

// HasAmbiguous reports whether some edge is only [Ambiguous]. O(1).
func (g *Graph) HasAmbiguous() bool { return g.ambiguous }

// Out returns the edges that leave n, sorted by kind and target. O(1).
func (g *Graph) Out(n ID) []Edge {
	return g.Edges[g.out[n]:g.out[n+1]]
}

// OutKind returns the edges of one kind that leave n. O(log d).
func (g *Graph) OutKind(n ID, k EdgeKind) []Edge {
	es := g.Out(n)
	lo := sort.Search(len(es), func(i int) bool { return es[i].Kind >= k })
	hi := lo
	for hi < len(es) && es[hi].Kind == k {
		hi++
	}
	return es[lo:hi]
}

// In returns the numbers of the edges that reach n, sorted by kind and source.
// O(1).
func (g *Graph) In(n ID) []uint32 {
	return g.inIdx[g.in[n]:g.in[n+1]]
}

// InKind returns the numbers of the edges of one kind that reach n. O(log d).
func (g *Graph) InKind(n ID, k EdgeKind) []uint32 {
	es := g.In(n)
	lo := sort.Search(len(es), func(i int) bool { return g.Edges[es[i]].Kind >= k })
	hi := lo
	for hi < len(es) && g.Edges[es[hi]].Kind == k {
		hi++
	}
	return es[lo:hi]
}

// Sites returns the places that give rise to e, sorted by file, line and
// column.
func (g *Graph) Sites(e *Edge) []Site { return g.sites[e.siteLo:e.siteHi] }

// SiteCount returns the number of sites of the whole graph.
func (g *Graph) SiteCount() int { return len(g.sites) }

// Lookup returns the node with the given key, or None. O(log n).
func (g *Graph) Lookup(key string) ID {
	i := sort.Search(len(g.Nodes), func(i int) bool { return g.Nodes[i].Key >= key })
	if i < len(g.Nodes) && g.Nodes[i].Key == key {
		return ID(i)
	}
	return None
}

// FileIndex returns the index of path in Files, or -1. O(log n).
func (g *Graph) FileIndex(path string) int {
	i := sort.Search(len(g.Files), func(i int) bool { return g.Files[i].Path >= path })
	if i < len(g.Files) && g.Files[i].Path == path {
		return i
	}
	return -1
}
