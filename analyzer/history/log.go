package history

// Log is the history of one commit, as far as it was read.
type Log struct {
	// Commits holds the commit itself and its ancestors, newest first by
	// committer time, a commit always before its parents.
	Commits []Entry

	// Cut says why the log ends where it does. It is Complete if the log
	// goes back to the beginning.
	Cut Cut
}

// Entry is one commit of a log: what it did to files.
type Entry struct {
	ID   string // see Commit
	Time int64  // see Commit

	// Parents is their number. More than one is a merge.
	Parents int

	// Changes are the files that differ from the parent, sorted by path;
	// for a commit without parents, all its files. A merge has none: what it
	// merged are commits of the log.
	Changes []FileChange

	// Partial says that there were more changes than a log lists. None are
	// listed then.
	Partial bool
}

// Cut says why a log ends.
type Cut uint8

// The ends of a log, from what says most about the history to what says
// least. If several hold, the log has the last of them.
const (
	// Complete means that the log has all of the history.
	Complete Cut = iota
	// AtLimit means that the log has as many commits as were asked for.
	AtLimit
	// AtShallow means that the history was fetched to a depth only (git
	// clone --depth). The commits at the edge are not in the log, because
	// nobody knows what they changed.
	AtShallow
	// AtMissing means that commits or trees are not in the repository
	// (git clone --filter). Commits that could not be compared are not in
	// the log.
	AtMissing
)

// String is the cut in lower-case words.
func (c Cut) String() string {
	switch c {
	case Complete:
		return "complete"
	case AtLimit:
		return "limit"
	case AtShallow:
		return "shallow"
	case AtMissing:
		return "missing"
	}
	return "unknown"
}
