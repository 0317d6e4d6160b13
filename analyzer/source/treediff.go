package source

import (
	"bytes"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/history"
)

// A differ compares git trees by their raw bytes. Subtrees of equal hash are
// never looked into, and trees are kept, because the next commit has most of
// them too. A differ serves one goroutine.
type differ struct {
	repo  *Repo
	trees [2]map[string][]byte // the recently used, and those used before
	kept  int                  // bytes in trees[0]
	paths map[string]string    // one copy of each path
}

const (
	// Of trees a differ keeps about twice this many bytes.
	maxKeptTrees = 24 << 20
	// A commit that changes more entries than this is listed without them.
	maxCommitChanges = 50_000
)

var errTooManyChanges = errors.New("too many changes")

func newDiffer(r *Repo) *differ {
	return &differ{repo: r, trees: [2]map[string][]byte{{}, {}}, paths: map[string]string{}}
}

// tree reads a tree. The empty hash is the empty tree.
func (d *differ) tree(hash string) ([]byte, error) {
	if hash == "" {
		return nil, nil
	}
	if data, ok := d.trees[0][hash]; ok {
		return data, nil
	}
	data, ok := d.trees[1][hash]
	if !ok {
		var err error
		if data, err = d.repo.readTree(hex.EncodeToString([]byte(hash))); err != nil {
			return nil, err
		}
	}
	if d.kept > maxKeptTrees {
		d.trees[1], d.trees[0], d.kept = d.trees[0], map[string][]byte{}, 0
	}
	d.trees[0][hash] = data
	d.kept += len(data)
	return data, nil
}

// rawEntry is a treeEntry that has not been copied.
type rawEntry struct {
	mode, name, hash []byte
}

func (e *rawEntry) folder() bool {
	mode := e.mode
	for len(mode) > 5 && mode[0] == '0' { // as some programs once wrote it
		mode = mode[1:]
	}
	return string(mode) == "40000"
}

// nextEntry takes the first entry off a raw tree. What does not look like one
// is an error.
func nextEntry(data []byte, hashSize int) (e rawEntry, rest []byte, err error) {
	space := bytes.IndexByte(data, ' ')
	if space < 0 {
		return e, nil, errNotTree
	}
	nul := bytes.IndexByte(data[space:], 0)
	if nul < 0 || len(data) < space+nul+1+hashSize {
		return e, nil, errNotTree
	}
	nul += space
	return rawEntry{data[:space], data[space+1 : nul], data[nul+1:][:hashSize]}, data[nul+1+hashSize:], nil
}

// compareRaw is the order of git: folders sort as if a slash ended their name.
func compareRaw(a, b *rawEntry) int {
	n := min(len(a.name), len(b.name))
	if c := bytes.Compare(a.name[:n], b.name[:n]); c != 0 {
		return c
	}
	after := func(e *rawEntry) int {
		switch {
		case len(e.name) > n:
			return int(e.name[n])
		case e.folder():
			return '/'
		}
		return 0
	}
	if c := after(a) - after(b); c != 0 {
		return c
	}
	return len(a.name) - len(b.name)
}

// leaf makes an entry of a file, or none of what cannot be a file.
func leaf(prefix string, e *rawEntry) (moved, bool) {
	var bits uint32
	for _, c := range e.mode {
		if c < '0' || c > '7' || bits > 0o777777 {
			return moved{}, false
		}
		bits = bits<<3 | uint32(c-'0')
	}
	m := moved{Entry: Entry{Path: prefix + string(e.name)}, id: string(e.hash)}
	switch {
	case bits&0o170000 == 0o100000:
		m.Mode = permissions(bits)
	case bits == 0o120000:
		m.Mode = Symlink
	case bits == 0o160000:
		m.Mode = Submodule
	default:
		return moved{}, false
	}
	return m, validName(string(e.name))
}

// compare lists what differs between two trees, named by their raw hashes,
// sorted by path. Exact renames are one change, as [Changed] has them.
func (d *differ) compare(old, new string) ([]history.FileChange, error) {
	type pair struct {
		old, new string
		prefix   string
		depth    int
	}
	var (
		changes        []history.FileChange
		removed, added []moved
		steps          int
	)
	stack := []pair{{old: old, new: new}}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if at.old == at.new || at.depth > maxDepth {
			continue
		}
		a, err := d.tree(at.old)
		if err != nil {
			return nil, err
		}
		b, err := d.tree(at.new)
		if err != nil {
			return nil, err
		}
		one := func(e *rawEntry, into *[]moved) {
			if e.folder() {
				p := pair{prefix: at.prefix + string(e.name) + "/", depth: at.depth + 1}
				if into == &removed {
					p.old = string(e.hash)
				} else {
					p.new = string(e.hash)
				}
				stack = append(stack, p)
			} else if m, ok := leaf(at.prefix, e); ok {
				*into = append(*into, m)
			}
		}
		for len(a) > 0 || len(b) > 0 {
			var x, y rawEntry
			var restA, restB []byte
			order := 0
			if len(a) > 0 {
				if x, restA, err = nextEntry(a, d.repo.hashSize); err != nil {
					return nil, err
				}
				if n := len(a) - len(restA); len(b) >= n && bytes.Equal(a[:n], b[:n]) {
					a, b = restA, b[n:] // most entries are equal
					continue
				}
			} else {
				order = 1
			}
			if len(b) > 0 {
				if y, restB, err = nextEntry(b, d.repo.hashSize); err != nil {
					return nil, err
				}
			} else {
				order = -1
			}
			if order == 0 {
				order = compareRaw(&x, &y)
			}
			if order <= 0 {
				a = restA
			}
			if order >= 0 {
				b = restB
			}
			if steps++; steps > maxCommitChanges {
				return nil, errTooManyChanges
			}
			switch {
			case order < 0:
				one(&x, &removed)
			case order > 0:
				one(&y, &added)
			case x.folder() && y.folder():
				stack = append(stack, pair{string(x.hash), string(y.hash), at.prefix + string(x.name) + "/", at.depth + 1})
			default:
				before, ok1 := leaf(at.prefix, &x)
				after, ok2 := leaf(at.prefix, &y)
				if !ok1 || !ok2 {
					continue
				}
				c := history.FileChange{Path: d.path(after.Path), Kind: history.Modified, ModeChanged: before.Mode != after.Mode}
				if before.id == after.id && before.Mode.IsFile() == after.Mode.IsFile() {
					if !c.ModeChanged {
						continue // two spellings of one mode
					}
					c.Kind = history.ModeOnly
				}
				changes = append(changes, c)
			}
		}
	}
	empty, _ := hex.DecodeString(blobID(nil, d.repo.hashSize))
	for _, c := range pairMoved(removed, added, string(empty)) {
		c.Path = d.path(c.Path)
		if c.OldPath != "" {
			c.OldPath = d.path(c.OldPath)
		}
		changes = append(changes, c)
	}
	slices.SortFunc(changes, func(x, y history.FileChange) int { return strings.Compare(x.Path, y.Path) })
	return changes, nil
}

func (d *differ) path(p string) string {
	if kept, ok := d.paths[p]; ok {
		return kept
	}
	d.paths[p] = p
	return p
}
