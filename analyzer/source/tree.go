package source

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Mode says what sort of thing an entry is.
type Mode uint8

// The modes, which are all that git can store.
const (
	Regular Mode = iota
	Executable
	Symlink   // its content is the text of its target
	Submodule // its ID is the commit that it names; it has no content
)

// String is the mode as git writes it: six octal digits.
func (m Mode) String() string {
	switch m {
	case Regular:
		return "100644"
	case Executable:
		return "100755"
	case Symlink:
		return "120000"
	case Submodule:
		return "160000"
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

// IsFile reports whether an entry of this mode is a file that has source in
// it: regular or executable.
func (m Mode) IsFile() bool { return m == Regular || m == Executable }

// Entry is one file of a tree.
type Entry struct {
	// Path is relative to the top of the tree. Slashes separate folders on
	// every system; the bytes are those the tree holds, and need not be
	// valid UTF-8 or free of line feeds.
	Path string

	Mode Mode

	// ID is the git hash of the content in hexadecimal digits, where it is
	// known without reading the file: always in revisions and in the index,
	// in work trees for the files that git would report as unmodified.
	// Elsewhere it is empty. Equal IDs mean equal content.
	ID string
}

// Tree is a list of files and their bytes at one moment.
type Tree interface {
	// Entries returns all files, sorted bytewise by path. The caller must
	// not change the slice.
	Entries() []Entry

	// Read returns the content of the entry with the given index in
	// Entries. If the content is larger than max bytes, it returns a
	// [*TooLargeError] and does not hold the content in memory; a negative
	// max stands for the largest file that kg reads at all, 256 MiB. It is
	// the size of the content, not of the file on disk, that counts, so
	// that the same content is refused however the tree was opened.
	//
	// Read may be called from many goroutines at once.
	Read(i int, max int64) ([]byte, error)

	// Gaps returns what the tree should hold but could not be listed,
	// sorted by path. It is complete when the tree is open.
	Gaps() []Gap

	// Close releases files and processes. No Read may be under way.
	Close() error
}

// Reason says why something is missing from a tree. The list is closed.
type Reason string

// The reasons of gaps.
const (
	// UnreadableFolder is a folder that could not be listed.
	UnreadableFolder Reason = "unreadable-folder"
	// NotAFile is a tracked path where the disk has a FIFO, a socket or a
	// device.
	NotAFile Reason = "not-a-file"
	// TooDeep is a folder deeper than the tree is walked.
	TooDeep Reason = "too-deep"
	// TooManyEntries is a tree with more entries than are listed; the path
	// is the first one left out.
	TooManyEntries Reason = "too-many-entries"
	// MalformedTree is a git tree, or an entry of one, that git would not
	// have written.
	MalformedTree Reason = "malformed-tree"
	// MissingTree is a folder of a revision whose git tree is not in the
	// repository (partial clone).
	MissingTree Reason = "missing-tree"
	// UnreadableIgnore is an ignore or attributes file that could not be
	// read; it was taken as empty.
	UnreadableIgnore Reason = "unreadable-ignore"
	// FilterNotRun is a modified file with a filter or an encoding that git
	// would apply at commit. The bytes on disk stand for it.
	FilterNotRun Reason = "filter-not-run"
	// Unmerged is a path with a merge conflict that is not resolved. The
	// work tree has the file on disk with its conflict markers.
	Unmerged Reason = "unmerged"
)

// Gap is one thing that a tree should hold and that could not be listed, or
// not as a commit would hold it.
type Gap struct {
	Path   string // empty for the tree as a whole
	Reason Reason
	Err    error // what happened, nil if the reason says it all
}

// Caps of a tree. They are far above every repository in use and keep a
// hostile one from using up memory.
const (
	maxEntries = 4_000_000
	maxDepth   = 512
	maxContent = 256 << 20 // bytes of one file, for Read with a negative max
	maxIgnore  = 4 << 20   // bytes of one ignore or attributes file
)

// TooLargeError says that a file is larger than its reader wants.
type TooLargeError struct {
	Size int64 // bytes; -1 if reading stopped before the end was seen
	Max  int64 // bytes
}

func (e *TooLargeError) Error() string {
	if e.Size < 0 {
		return fmt.Sprintf("file has more than %d bytes", e.Max)
	}
	return fmt.Sprintf("file has %d bytes, more than %d", e.Size, e.Max)
}

// ErrNoContent is returned by Read for a submodule.
var ErrNoContent = errors.New("a submodule has no content of its own")

// Find returns the index of the entry with the given path, by binary search.
func Find(entries []Entry, path string) (int, bool) {
	return slices.BinarySearchFunc(entries, path, func(e Entry, path string) int {
		return strings.Compare(e.Path, path)
	})
}

func compareEntries(a, b Entry) int { return strings.Compare(a.Path, b.Path) }

func sortGaps(gaps []Gap) {
	slices.SortStableFunc(gaps, func(a, b Gap) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return strings.Compare(string(a.Reason), string(b.Reason))
	})
}

// limit replaces a negative max by the largest content there is.
func limit(max int64) int64 {
	if max < 0 || max > maxContent {
		return maxContent
	}
	return max
}
