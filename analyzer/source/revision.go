package source

import (
	"fmt"
	"slices"

	"github.com/codekg/kg/analyzer/history"
)

// blobTree is a tree whose contents are all objects of a repository: a
// revision or the index.
type blobTree struct {
	repo    *Repo
	entries []Entry
	gaps    []Gap
}

func (t *blobTree) Entries() []Entry { return t.entries }
func (t *blobTree) Gaps() []Gap      { return t.gaps }
func (t *blobTree) Close() error     { return nil }

func (t *blobTree) Read(i int, max int64) ([]byte, error) {
	return t.repo.readBlob(t.entries[i], limit(max))
}

func (r *Repo) readBlob(e Entry, max int64) ([]byte, error) {
	if e.Mode == Submodule {
		return nil, ErrNoContent
	}
	kind, data, err := r.objects.object(e.ID, max)
	if err != nil {
		return nil, err
	}
	if kind != blobObject {
		return nil, &Error{Kind: ErrCorrupt, Text: fmt.Sprintf("%q is stored as a %s", e.Path, kind), Hint: "check the repository with `git fsck`"}
	}
	return data, nil
}

// Revision opens the files of a commit. The work tree is neither read nor
// changed. Listing reads the commit's git trees; contents are read when they
// are asked for, and an object that is missing fails only its own entry.
func (r *Repo) Revision(c history.Commit) (Tree, error) { return r.RevisionHiddenBy(c, nil) }

// RevisionHiddenBy is [Repo.Revision] by the rules of another commit.
func (r *Repo) RevisionHiddenBy(c history.Commit, by *Ignores) (Tree, error) {
	t := &blobTree{repo: r}
	var err error
	if t.entries, t.gaps, err = r.listTree(c.Tree); err != nil {
		return nil, err
	}
	hideIgnored(t, &t.entries, &t.gaps, by)
	return t, nil
}

// listTree lists all files below a git tree. Folders and files wait on a
// stack, last first, so that entries come in the order of their paths.
func (r *Repo) listTree(root string) ([]Entry, []Gap, error) {
	type item struct {
		Entry  // of a folder, Path has a slash at its end or is empty
		folder bool
		depth  int
	}
	var (
		entries []Entry
		gaps    []Gap
		inside  []item
		seen    int
	)
	// Hostile trees name each other over and over. Reading each only once
	// keeps the time to reach the cap short.
	const maxKept = 16 << 20
	trees, kept := map[string][]byte{}, 0

	stack := []item{{Entry: Entry{ID: root}, folder: true}}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		// Folders count as well: a few small trees that name each other many
		// times make more folders than any machine can visit.
		if seen++; seen > maxEntries {
			gaps = append(gaps, Gap{Path: at.Path, Reason: TooManyEntries})
			break
		}
		if !at.folder {
			entries = append(entries, at.Entry)
			continue
		}
		if at.depth > maxDepth {
			gaps = append(gaps, Gap{Path: at.Path, Reason: TooDeep})
			continue
		}
		data, again := trees[at.ID]
		var err error
		if !again {
			data, err = r.readTree(at.ID)
			if err == nil && kept+len(data) < maxKept {
				trees[at.ID] = data
				kept += len(data)
			}
		}
		if err != nil {
			if at.Path == "" {
				return nil, nil, err
			}
			gaps = append(gaps, Gap{Path: at.Path, Reason: MissingTree, Err: err})
			continue
		}
		inside = inside[:0]
		err = parseTree(data, r.hashSize, func(e treeEntry) {
			entry := Entry{Path: at.Path + e.name, Mode: e.mode, ID: e.id}
			if e.folder {
				entry.Path += "/"
			}
			inside = append(inside, item{entry, e.folder, at.depth + 1})
		}, func(name string) {
			gaps = append(gaps, Gap{Path: at.Path + name, Reason: MalformedTree})
		})
		if err != nil {
			gaps = append(gaps, Gap{Path: at.Path, Reason: MalformedTree, Err: err})
		}
		slices.Reverse(inside)
		stack = append(stack, inside...)
	}
	entries, odd := unique(entries)
	gaps = append(gaps, odd...)
	sortGaps(gaps)
	return entries, gaps, nil
}

func (r *Repo) readTree(id string) ([]byte, error) {
	kind, data, err := r.objects.object(id, maxContent)
	if err == nil && kind != treeObject {
		err = errNotTree
	}
	return data, err
}

// unique sorts entries if they are not, and drops all but the first of equal
// paths, which only a tree that git did not write has.
func unique(entries []Entry) ([]Entry, []Gap) {
	ordered := true
	for i := 1; i < len(entries) && ordered; i++ {
		ordered = entries[i-1].Path < entries[i].Path
	}
	if ordered {
		return entries, nil
	}
	slices.SortStableFunc(entries, compareEntries)
	var gaps []Gap
	kept := entries[:0]
	for _, e := range entries {
		if n := len(kept); n > 0 && kept[n-1].Path == e.Path {
			gaps = append(gaps, Gap{Path: e.Path, Reason: MalformedTree})
			continue
		}
		kept = append(kept, e)
	}
	return kept, gaps
}
