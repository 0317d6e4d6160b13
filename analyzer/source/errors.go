package source

import (
	"errors"
	"strings"
)

// What can be wrong with a repository or a revision. Functions of this
// package return an [*Error] that wraps one of these.
var (
	ErrNotRepository    = errors.New("not a git repository")
	ErrUnknownRevision  = errors.New("unknown revision")
	ErrNoCommonAncestor = errors.New("no common ancestor")
	ErrShallow          = errors.New("history is cut off")
	ErrEmptyRepository  = errors.New("no commits yet")
	ErrNoDefaultBase    = errors.New("nothing to compare with")
	ErrNoWorkTree       = errors.New("no work tree")
	ErrUnmerged         = errors.New("unresolved merge conflict")
	ErrMissingObject    = errors.New("object is not in this repository")
	ErrCorrupt          = errors.New("corrupt repository")
	ErrNoGit            = errors.New("git program needed")
)

// Error is a failure that a person can do something about.
type Error struct {
	Kind error  // one of the Err values of this package
	Text string // what is wrong, one sentence without a period
	Hint string // what to do next, or empty
	Err  error  // the cause, or nil
}

// Error is the text, the cause and the hint in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Text)
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// Unwrap lets errors.Is find the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

const unshallow = "fetch the rest with `git fetch --unshallow`, or in CI check out with fetch-depth: 0"
