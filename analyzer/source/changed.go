package source

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/pool"

	"github.com/codekg/kg/analyzer/history"
)

// Changed returns the files that differ between two trees, sorted by path.
// Submodules count by the commit that they name. A removed and an added file
// of the same content are one renamed file; where several have the same
// content, those of the same name pair first, then in the order of their
// paths. Empty files are never paired.
//
// Content is compared by ID. Files whose ID is not known, which are those
// that were modified on disk or lie in a plain folder, are read. A file that
// cannot be read fails the comparison only if the other tree has the path:
// then nobody can say whether it changed, and it is reported as modified.
func Changed(base, head Tree) ([]history.FileChange, error) {
	old, new := base.Entries(), head.Entries()
	hashSize, err := commonHash(old, new)
	if err != nil {
		return nil, err
	}

	type pair struct{ old, new int } // -1 where there is none
	var pairs []pair
	for i, j := 0, 0; i < len(old) || j < len(new); {
		switch {
		case j == len(new) || i < len(old) && old[i].Path < new[j].Path:
			pairs = append(pairs, pair{i, -1})
			i++
		case i == len(old) || new[j].Path < old[i].Path:
			pairs = append(pairs, pair{-1, j})
			j++
		default:
			if old[i].ID == "" || old[i] != new[j] {
				pairs = append(pairs, pair{i, j})
			}
			i, j = i+1, j+1
		}
	}

	oldIDs, newIDs := make([]string, len(pairs)), make([]string, len(pairs))
	p := pool.New().WithMaxGoroutines(runtime.GOMAXPROCS(0))
	for k, at := range pairs {
		identify := func(t Tree, i int, into *string) {
			e := t.Entries()[i]
			if *into = e.ID; e.ID != "" || e.Mode == Submodule {
				return
			}
			p.Go(func() {
				if data, err := t.Read(i, -1); err == nil {
					*into = blobID(data, hashSize)
				}
			})
		}
		if at.old >= 0 {
			identify(base, at.old, &oldIDs[k])
		}
		if at.new >= 0 {
			identify(head, at.new, &newIDs[k])
		}
	}
	p.Wait()

	var changes []history.FileChange
	var removed, added []moved
	for k, at := range pairs {
		switch {
		case at.new < 0:
			removed = append(removed, moved{old[at.old], oldIDs[k]})
		case at.old < 0:
			added = append(added, moved{new[at.new], newIDs[k]})
		default:
			before, after := old[at.old], new[at.new]
			c := history.FileChange{Path: after.Path, Kind: history.Modified, ModeChanged: before.Mode != after.Mode}
			if oldIDs[k] == newIDs[k] && (oldIDs[k] != "" || before.Mode == Submodule) && before.Mode.IsFile() == after.Mode.IsFile() {
				if !c.ModeChanged {
					continue
				}
				c.Kind = history.ModeOnly
			}
			changes = append(changes, c)
		}
	}
	changes = append(changes, pairMoved(removed, added, blobID(nil, hashSize))...)
	slices.SortFunc(changes, func(a, b history.FileChange) int { return strings.Compare(a.Path, b.Path) })
	return changes, nil
}

// moved is an entry that only one tree has.
type moved struct {
	Entry
	id string
}

// pairMoved finds renames, and reports the rest as removed or added.
func pairMoved(removed, added []moved, empty string) []history.FileChange {
	byID := map[string][]int{} // indexes into removed, ascending
	for i, m := range removed {
		if m.Mode.IsFile() && m.id != "" && m.id != empty {
			byID[m.id] = append(byID[m.id], i)
		}
	}
	gone := make([]bool, len(removed)) // paired
	partner := make([]int, len(added))
	take := func(j int, fits func(i int) bool) {
		for _, i := range byID[added[j].id] {
			if !gone[i] && fits(i) {
				gone[i], partner[j] = true, i
				return
			}
		}
	}
	for j := range added {
		partner[j] = -1
		take(j, func(i int) bool { return path.Base(removed[i].Path) == path.Base(added[j].Path) })
	}
	var changes []history.FileChange
	for j, m := range added {
		if partner[j] < 0 && m.Mode.IsFile() {
			take(j, func(int) bool { return true })
		}
		c := history.FileChange{Path: m.Path, Kind: history.Added}
		if i := partner[j]; i >= 0 {
			c.Kind, c.OldPath = history.Renamed, removed[i].Path
			c.ModeChanged = removed[i].Mode != m.Mode
		}
		changes = append(changes, c)
	}
	for i, m := range removed {
		if !gone[i] {
			changes = append(changes, history.FileChange{Path: m.Path, Kind: history.Removed})
		}
	}
	return changes
}

// ChangedLines returns the lines that differ in the given files, by their path
// in head, or in base if they were removed. want says which files are read;
// moved holds, by their paths in head, the paths in base of files that were
// renamed with an edit. What cannot be read has no lines that could differ.
func ChangedLines(ctx context.Context, base, head Tree, files []history.FileChange, moved map[string]string, want func(path string) bool) (map[string][]history.Range, error) {
	ranges := map[string][]history.Range{}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if f.Kind == history.Renamed || f.Kind == history.ModeOnly || !want(f.Path) {
			continue
		}
		from := f.Path
		if m, ok := moved[f.Path]; ok && f.Kind == history.Added {
			from = m
		}
		old, okOld := content(base, from)
		now, okNow := content(head, f.Path)
		if !okOld && !okNow {
			continue
		}
		ranges[f.Path] = history.LineRanges(old, now)
	}
	return ranges, nil
}

func content(t Tree, path string) ([]byte, bool) {
	i, ok := Find(t.Entries(), path)
	if !ok {
		return nil, false
	}
	data, err := t.Read(i, -1)
	return data, err == nil
}

// commonHash is the number of bytes of the IDs of both trees.
func commonHash(trees ...[]Entry) (int, error) {
	size := 0
	for _, entries := range trees {
		for _, e := range entries {
			if e.ID == "" {
				continue
			}
			if size == 0 {
				size = len(e.ID) / 2
			}
			if len(e.ID)/2 != size {
				return 0, fmt.Errorf("cannot compare a SHA-1 repository with a SHA-256 one")
			}
			break
		}
	}
	if size == 0 {
		size = 20
	}
	return size, nil
}
