// Package history holds what a repository says about change as plain data:
// commits, the files that differ between two trees, and the lines that
// differ between two versions of one file.
//
// The package reads nothing. Package source fills these values from a
// repository; everything that judges change works on the values alone.
// [LineRanges] is the one computation here, and it is a pure function of two
// byte slices.
package history

// Commit is one commit, as far as kg looks at it.
type Commit struct {
	// ID is the commit's hash in lower-case hexadecimal digits: 40 of them
	// for SHA-1 repositories, 64 for SHA-256 ones.
	ID string

	// Tree is the hash of the commit's tree, in the same form.
	Tree string

	// Parents are the hashes of the parents in their order. In a shallow
	// clone a commit at the edge keeps the parents it names, although they
	// are not there.
	Parents []string

	// Time is the committer's time in seconds since 1970, zero if the commit
	// does not say one that can be read. It orders commits; it is a claim of
	// whoever made the commit and may be wrong.
	Time int64
}
