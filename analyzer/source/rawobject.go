package source

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"github.com/codekg/kg/analyzer/history"
)

// The parsers of this file read git's own bytes and take only what kg needs.
// They accept any input without a panic and never allocate more than a small
// multiple of it.

var (
	errNotCommit = errors.New("not a commit")
	errNotTag    = errors.New("not a tag")
	errNotTree   = errors.New("not a tree")
)

// parseCommit reads a raw commit:
//
//	tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904
//	parent 9daeafb9864cf43055ae93beb0afd6c7d144bfa4
//	author A U Thor <author@example.com> 1700000000 +0100
//	committer C O Mitter <committer@example.com> 1700000000 +0100
//
//	Subject
func parseCommit(id string, data []byte) (history.Commit, error) {
	c := history.Commit{ID: id}
	for {
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		key, value, _ := bytes.Cut(line, []byte{' '})
		switch string(key) {
		case "":
			if c.Tree == "" {
				return history.Commit{}, errNotCommit
			}
			return c, nil
		case "tree":
			if c.Tree != "" || !isHash(string(value)) {
				return history.Commit{}, errNotCommit
			}
			c.Tree = string(value)
		case "parent":
			if !isHash(string(value)) {
				return history.Commit{}, errNotCommit
			}
			c.Parents = append(c.Parents, string(value))
		case "committer":
			c.Time = signatureTime(value)
		}
		data = rest
	}
}

// signatureTime is the time at the end of "Name <mail> 1700000000 +0100", or
// zero.
func signatureTime(signature []byte) int64 {
	_, after, found := strings.Cut(string(signature[bytes.LastIndexByte(signature, '>')+1:]), " ")
	if !found {
		return 0
	}
	seconds, _, _ := strings.Cut(after, " ")
	t, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return 0
	}
	return t
}

// parseTag returns what a raw annotated tag points at.
func parseTag(data []byte) (target string, err error) {
	line, _, _ := bytes.Cut(data, []byte{'\n'})
	target, found := strings.CutPrefix(string(line), "object ")
	if !found || !isHash(target) {
		return "", errNotTag
	}
	return target, nil
}

// treeEntry is one line of a raw tree.
type treeEntry struct {
	name   string
	mode   Mode
	folder bool // mode says nothing then
	id     string
}

// parseTree reads a raw tree, a sequence of
//
//	100644 SP name NUL hash
//
// with hashes of hashSize bytes, and calls visit for each entry. Entries
// whose name cannot be a file's name, and entries of unknown mode, are given
// to odd instead.
func parseTree(data []byte, hashSize int, visit func(treeEntry), odd func(name string)) error {
	for len(data) > 0 {
		space := bytes.IndexByte(data, ' ')
		if space < 0 {
			return errNotTree
		}
		nul := bytes.IndexByte(data[space:], 0)
		if nul < 0 || len(data) < space+nul+1+hashSize {
			return errNotTree
		}
		mode, name := data[:space], string(data[space+1:space+nul])
		hash := data[space+nul+1:][:hashSize]
		data = data[space+nul+1+hashSize:]

		e := treeEntry{name: name, id: hex.EncodeToString(hash)}
		switch bits, err := strconv.ParseUint(string(mode), 8, 32); {
		case err != nil || !validName(name):
			odd(name)
			continue
		case bits&0o170000 == 0o040000:
			e.folder = true
		case bits&0o170000 == 0o100000:
			e.mode = permissions(uint32(bits))
		case bits == 0o120000:
			e.mode = Symlink
		case bits == 0o160000:
			e.mode = Submodule
		default:
			odd(name)
			continue
		}
		visit(e)
	}
	return nil
}

// permissions is the mode of a regular file with the given permission bits.
// Old versions of git wrote others than 644 and 755; git reads them so.
func permissions(bits uint32) Mode {
	if bits&0o100 != 0 {
		return Executable
	}
	return Regular
}

// validName reports whether a tree may hold the name. A checkout of others
// would leave the tree or write into .git.
func validName(name string) bool {
	return name != "" && name != "." && name != ".." && !isDotGit(name) && !strings.Contains(name, "/")
}

// isDotGit reports whether a file system could take the name as .git.
func isDotGit(name string) bool { return strings.EqualFold(name, ".git") }

// isHash reports whether s is a full hash in lower-case hexadecimal digits.
func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && isHex(s)
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
