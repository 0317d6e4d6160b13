package source

import "strings"

const kgIgnoreName = ".kgignore"

// hideIgnored removes the entries that .kgignore files of the tree hide. The
// files hide themselves only if they say so. A file below a hidden folder is
// hidden whatever a deeper .kgignore says.
func hideIgnored(t Tree, entries *[]Entry, gaps *[]Gap) error {
	*entries = hidden(*entries, ignoreLists(t, *entries, gaps))
	return nil
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
