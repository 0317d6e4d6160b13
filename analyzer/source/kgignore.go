package source

import (
	"strings"

	"github.com/codekg/kg/analyzer/history"
)

const kgIgnoreName = ".kgignore"

// Ignores is what the .kgignore files of one commit hide. A tree that is opened
// with it is looked at by these rules, and its own .kgignore files hide nothing: a
// change must not choose what is looked at.
type Ignores struct {
	lists map[string]ignoreList
	gaps  []Gap
}

// Ignores reads the .kgignore files of a commit.
func (r *Repo) Ignores(c history.Commit) (*Ignores, error) {
	t := &blobTree{repo: r}
	var err error
	if t.entries, _, err = r.listTree(c.Tree); err != nil {
		return nil, err
	}
	x := &Ignores{}
	x.lists = ignoreLists(t, t.entries, &x.gaps)
	return x, nil
}

// hideIgnored removes the entries that .kgignore files hide, those of the tree if
// by is nil. The files hide themselves only if they say so. A file below a hidden
// folder is hidden whatever a deeper .kgignore says.
func hideIgnored(t Tree, entries *[]Entry, gaps *[]Gap, by *Ignores) {
	if by == nil {
		*entries = hidden(*entries, ignoreLists(t, *entries, gaps))
		return
	}
	*entries = hidden(*entries, by.lists)
	*gaps = append(*gaps, by.gaps...)
	sortGaps(*gaps)
}

// ignoreLists reads the .kgignore files among the entries of a tree, by folder
// with a slash at its end.
func ignoreLists(t Tree, entries []Entry, gaps *[]Gap) map[string]ignoreList {
	lists := map[string]ignoreList{}
	for i, e := range entries {
		folder, found := strings.CutSuffix(e.Path, kgIgnoreName)
		if !found || !e.Mode.IsFile() || (folder != "" && !strings.HasSuffix(folder, "/")) {
			continue
		}
		text, err := t.Read(i, maxIgnore)
		if err != nil {
			*gaps = append(*gaps, Gap{Path: e.Path, Reason: UnreadableIgnore, Err: err})
			continue
		}
		lists[folder] = parseIgnore(text, false)
	}
	sortGaps(*gaps)
	return lists
}

// hidden returns the entries that lists leave.
func hidden(entries []Entry, lists map[string]ignoreList) []Entry {
	if len(lists) == 0 {
		return entries
	}

	// Entries are sorted, but the files of one folder need not stand
	// together (a.b, a/c, a0): scopes are kept by folder.
	type state struct {
		scope  *ignoreScope
		hidden bool
	}
	scopes := map[string]state{"": {scope: &ignoreScope{list: lists[""]}}}
	scopeOf := func(folder string) state {
		known := len(folder)
		s, ok := scopes[folder]
		for !ok {
			known = strings.LastIndexByte(folder[:known-1], '/') + 1
			s, ok = scopes[folder[:known]]
		}
		for known < len(folder) {
			end := known + strings.IndexByte(folder[known:], '/') + 1
			path := folder[:end]
			s.hidden = s.hidden || s.scope.ignores(path[:end-1], true, false)
			if list, ok := lists[path]; ok && !s.hidden {
				s.scope = &ignoreScope{above: s.scope, folder: path, list: list}
			}
			scopes[path] = s
			known = end
		}
		return s
	}
	kept := make([]Entry, 0, len(entries))
	for _, e := range entries {
		s := scopeOf(e.Path[:strings.LastIndexByte(e.Path, '/')+1])
		if s.hidden || s.scope.ignores(e.Path, e.Mode == Submodule, false) {
			continue
		}
		kept = append(kept, e)
	}
	return kept
}
