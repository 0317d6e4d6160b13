// Package artifact stores a [graph.Graph] as a file, restores it, and exports
// it in other forms.
//
// The graph file (graph.kg) is canonical: equal graphs give equal bytes. It
// holds no clock, no absolute path and no revision. Its form:
//
//	magic     8 bytes
//	version   uint32, little endian
//	toc size  uint32, little endian
//	toc       uvarint count, then for each section: tag, stored size, content
//	          size, xxhash64 of the stored bytes, SHA-256 of the content
//	checksum  xxhash64 of everything before it
//	sections  in the order of the table of contents, without gaps
//
// A section is one or more zstd frames. Its content is a list of columns: the number
// of columns, their sizes, their bytes. Long columns have frames of their own, as
// what is in one is unlike what is in another. Readers skip sections whose tag they do
// not know, and columns after the ones they know, so that both can be added
// without a new version.
//
// Numbers in columns are varints, signed ones zigzag. Most are differences to
// a value that the reader has already: ids to the id before, lines to the line
// of the declaration around them.
//
// A graph file may come from anybody. [Read] trusts nothing in it: sizes are
// charged to [Limits] before anything is allocated, every index is checked.
// The checksums find damage, not malice. Compressors change; the digest of the
// content does not, and names the graph.
package artifact

import (
	"errors"
	"fmt"
)

// Version is the version of the graph file that [Write] makes. It is bumped
// when a reader of the version before would misread the file; one line each:
//
//	1: first version
//	2: the flags on_load and opaque
//	3: the receivers of calls, the flag accessor, branches in bodies
//	4: edges by chunks of sources, kind and target; names left out of texts; shorter sketches
//	   and hashes of documentation; files' hashes once
//	5: the flag suite
const Version = 5

// minVersion is the oldest version that Read understands.
const minVersion = 1

// magic begins every graph file. Like PNG's, it is neither text nor survives
// a transfer that changes line ends.
const magic = "\x89KGG\r\n\x1a\n"

// Magic begins every graph file.
const Magic = magic

// form is a kind of file that is made of sections.
type form struct {
	name            string // in errors
	magic           string
	oldest, current uint32            // the versions that this program reads; it writes current
	tags            []string          // the sections that a file must have
	since           map[string]uint32 // the versions before which some of them are not there
	redo            string            // what helps against another version
}

var graphForm = &form{name: "graph file", magic: magic, oldest: minVersion, current: Version, tags: tags, since: map[string]uint32{tagReceivers: 3, tagBranches: 3}, redo: "rebuild the graph"}

// The tags of the sections.
const (
	tagMeta       = "meta"       // counts, names of enum values, digest of the tree
	tagStrings    = "strings"    // sorted, front-coded
	tagKeys       = "keys"       // keys of nodes, sorted, front-coded
	tagNodes      = "nodes"      // fixed-size fields of nodes
	tagNames      = "names"      // names of nodes, relative to their keys
	tagSignatures = "signatures" // parameters, results, bases
	tagText       = "text"       // signatures and documentation, in the order of nodes
	tagHashes     = "hashes"     // hashes of nodes
	tagVariants   = "variants"
	tagEdges      = "edges"
	tagSites      = "sites"
	tagReceivers  = "receivers" // of calls; not in files before version 3
	tagBranches   = "branches"  // of bodies; not in files before version 3
	tagFiles      = "files"
	tagKeywords   = "keywords"
	tagUnknowns   = "unknowns" // and skipped languages
)

// tags lists the sections that a file must have.
var tags = []string{
	tagMeta, tagStrings, tagKeys, tagNodes, tagNames, tagSignatures, tagText, tagHashes, tagVariants, tagBranches,
	tagEdges, tagSites, tagReceivers, tagFiles, tagKeywords, tagUnknowns,
}

// The errors of [Read] and [OpenFacts], to be tested with errors.Is. The errors
// themselves are a *[VersionError], a *[CorruptError] and a *[LimitError].
var (
	ErrVersion = errors.New("file of another version")
	ErrCorrupt = errors.New("corrupt file")
	ErrLimit   = errors.New("file over the limit")
)

// VersionError says that a file has a version that this program cannot read.
// What it holds has to be made again from its tree.
type VersionError struct {
	Version uint32
	Detail  string // what else is not understood, when the version is
	form    *form
}

// Error implements error.
func (e *VersionError) Error() string {
	if e.Detail != "" {
		return fmt.Sprintf("%s has %s, which this program does not know: %s", e.form.name, e.Detail, e.form.redo)
	}
	return fmt.Sprintf("%s has version %d, this program reads %d to %d: %s",
		e.form.name, e.Version, e.form.oldest, e.form.current, e.form.redo)
}

// Is reports whether target is ErrVersion.
func (e *VersionError) Is(target error) bool { return target == ErrVersion }

// CorruptError says which section of a file is damaged or hostile.
type CorruptError struct {
	Section string // "header" for what precedes the sections
	Err     error
	form    *form
}

// Error implements error.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("corrupt %s: section %s: %v", e.form.name, e.Section, e.Err)
}

// Is reports whether target is ErrCorrupt.
func (e *CorruptError) Is(target error) bool { return target == ErrCorrupt }

// Unwrap returns the cause.
func (e *CorruptError) Unwrap() error { return e.Err }

// LimitError says that reading a file would take more memory than [Limits]
// allow.
type LimitError struct {
	Need, Limit int64 // bytes
	form        *form
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s needs %d MB of memory, the limit is %d MB", e.form.name, e.Need>>20, e.Limit>>20)
}

// Is reports whether target is ErrLimit.
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// Limits bound what [Read] allocates.
type Limits struct {
	// Memory is the number of bytes that the file, its content and the graph
	// may take together; 0 means DefaultMemory.
	Memory int64

	// Bare leaves out of the nodes what says nothing of their relations:
	// signatures but for the type, documentation, hashes, variants and branches.
	// Such a graph can be asked who uses what and where, in two thirds of the
	// time; it must be neither written nor compared.
	Bare bool
}

// DefaultMemory is enough for about five million nodes.
const DefaultMemory = 4 << 30

func (l Limits) memory() int64 {
	if l.Memory <= 0 {
		return DefaultMemory
	}
	return l.Memory
}
