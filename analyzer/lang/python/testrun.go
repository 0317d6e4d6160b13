package python

import (
	"cmp"
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
	ids = within(slices.Compact(ids))
	var cmds []string
	if shorter := byFile(ids); !slices.Equal(shorter, ids) {
		cmds, ids = append(cmds, lang.Coarser("whole files in place of the longest lists")), shorter
	}
	var runs []string
	for len(ids) > 0 {
		run, n := "pytest", 0
		for n < len(ids) && (n == 0 || len(run)+1+len(shellQuote(ids[n])) <= lang.MaxCommand) {
			run += " " + shellQuote(ids[n])
			n++
		}
		runs = append(runs, run)
		ids = ids[n:]
	}
	if len(runs) > maxRuns {
		return []string{lang.Coarser("all tests"), "pytest"}
	}
	return append(cmds, runs...)
}

// maxRuns bounds the commands that files are spread over, each of which starts
// pytest anew.
const maxRuns = 8

// within leaves out of sorted node ids what is in a file or a class that is among them.
func within(ids []string) []string {
	whole := map[string]bool{}
	for _, id := range ids {
		whole[id] = true
	}
	return slices.DeleteFunc(ids, func(id string) bool {
		for at := strings.LastIndex(id, "::"); at > 0; at = strings.LastIndex(id[:at], "::") {
			if whole[id[:at]] {
				return true
			}
		}
		return false
	})
}

// byFile puts files in the place of their node ids, the longest lists first, until the
// command is not too long.
func byFile(ids []string) []string {
	total := len("pytest")
	size := map[string]int{}
	var files []string
	for _, id := range ids {
		file, _, _ := strings.Cut(id, "::")
		if size[file] == 0 {
			files = append(files, file)
		}
		n := 1 + len(shellQuote(id))
		size[file] += n
		total += n
	}
	if total <= lang.MaxCommand {
		return ids
	}
	slices.SortFunc(files, func(x, y string) int {
		return cmp.Or(cmp.Compare(size[y]-len(shellQuote(y)), size[x]-len(shellQuote(x))), cmp.Compare(x, y))
	})
	whole := map[string]bool{}
	for _, file := range files {
		if total <= lang.MaxCommand {
			break
		}
		whole[file] = true
		total += 1 + len(shellQuote(file)) - size[file]
	}
	var out []string
	for _, id := range ids {
		file, _, _ := strings.Cut(id, "::")
		if whole[file] {
			id = file
		}
		if len(out) == 0 || out[len(out)-1] != id {
			out = append(out, id)
		}
	}
	return out
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
