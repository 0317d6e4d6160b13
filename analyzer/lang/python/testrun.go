package python

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/lang"
)

// testCommands returns the command that runs tests with pytest, by node ids:
// the file, and the class and function, separated by two colons.
func testCommands(r lang.TestRun) []string {
	if r.All {
		return []string{"pytest"}
	}
	var ids []string
	for _, t := range r.Tests {
		id := t.File
		if t.Name != "" {
			name, _, _ := strings.Cut(t.Name, "~") // of several tests of one name the last one runs
			id += "::" + strings.ReplaceAll(name, ".", "::")
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for i, id := range ids {
		ids[i] = shellQuote(id)
	}
	return []string{"pytest " + strings.Join(ids, " ")}
}

// shellQuote quotes a word that may hold anything.
func shellQuote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./,+-:", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 && s[0] != '-' {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
