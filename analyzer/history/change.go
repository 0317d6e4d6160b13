package history

import "fmt"

// Kind says what happened to a file between two trees.
type Kind uint8

// The kinds of change, in the order in which they sort for one path.
const (
	// Added means that only the new tree has the path.
	Added Kind = iota + 1
	// Removed means that only the old tree has the path.
	Removed
	// Modified means that both trees have the path, with different content,
	// or as different sorts of things (a file became a symbolic link).
	Modified
	// Renamed means that the path is only in the new tree and its exact
	// content was at OldPath, which is only in the old one.
	Renamed
	// ModeOnly means that the content is equal and only the executable bit
	// differs.
	ModeOnly
)

// String is the kind in lower-case letters, for output and for tests.
func (k Kind) String() string {
	switch k {
	case Added:
		return "added"
	case Removed:
		return "removed"
	case Modified:
		return "modified"
	case Renamed:
		return "renamed"
	case ModeOnly:
		return "mode"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// FileChange is one file that differs between an old and a new tree.
type FileChange struct {
	// Path is where the file is in the new tree; for a removed file, where
	// it was in the old one. Slashes separate folders, and the bytes are
	// those the tree holds, valid UTF-8 or not.
	Path string

	// OldPath is where a renamed file was; otherwise it is empty.
	OldPath string

	Kind Kind

	// ModeChanged says that the file's sort or its executable bit differs,
	// beside whatever else Kind reports.
	ModeChanged bool
}
