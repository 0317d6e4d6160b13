package golang

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/lang"
)

// maxPattern bounds the length of a pattern, in bytes. Some systems refuse
// command lines of more than 32 KB.
const maxPattern = 24 << 10

// testCommands returns go test commands, one for each package: tests, examples
// and fuzz targets by -run, benchmarks apart by -bench. A package of which
// everything is chosen is run as a whole; a pattern that would be too long is
// split. -C makes a package's own folder the place to start from, so that the
// command is right in any module.
func testCommands(r lang.TestRun) []string {
	if r.All {
		var cmds []string
		for _, m := range r.Modules {
			cmds = append(cmds, goTest(m)+" ./...")
		}
		if len(cmds) == 0 {
			cmds = append(cmds, "go test ./...")
		}
		return cmds
	}
	// The tests and the benchmarks of a folder that are chosen, and whether
	// others are left out.
	type choice struct {
		names [2][]string
		left  [2]bool
	}
	chosen := map[string]*choice{}
	kind := func(name string) int {
		if strings.HasPrefix(name, "Benchmark") {
			return 1
		}
		return 0
	}
	var dirs []string
	for _, t := range r.Tests {
		dir := dirOf(t.File)
		if chosen[dir] == nil {
			chosen[dir], dirs = &choice{}, append(dirs, dir)
		}
		names := &chosen[dir].names[kind(t.Name)]
		*names = append(*names, t.Name)
	}
	for _, t := range r.Others {
		if c := chosen[dirOf(t.File)]; c != nil {
			c.left[kind(t.Name)] = true
		}
	}
	slices.Sort(dirs)
	var cmds []string
	for _, dir := range dirs {
		c := chosen[dir]
		switch {
		case len(c.names[0]) == 0:
		case !c.left[0]:
			cmds = append(cmds, goTest(dir))
		default:
			for _, p := range patterns(c.names[0]) {
				cmds = append(cmds, goTest(dir)+" -run "+p)
			}
		}
		switch {
		case len(c.names[1]) == 0:
		case !c.left[1]:
			cmds = append(cmds, goTest(dir)+" -run '^$' -bench .")
		default:
			for _, p := range patterns(c.names[1]) {
				cmds = append(cmds, goTest(dir)+" -run '^$' -bench "+p)
			}
		}
	}
	return cmds
}

func goTest(dir string) string {
	if dir == "" {
		return "go test"
	}
	return "go test -C " + shellQuote(dir)
}

// patterns returns quoted patterns that together match the given identifiers
// and nothing else. Identifiers hold no character that a pattern or a quoted
// word gives a meaning to.
func patterns(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	names = slices.Compact(names)
	var out []string
	for len(names) > 0 {
		n, size := 1, len(names[0])
		for n < len(names) && size+1+len(names[n]) <= maxPattern {
			size += 1 + len(names[n])
			n++
		}
		out = append(out, "'^("+strings.Join(names[:n], "|")+")$'")
		names = names[n:]
	}
	return out
}

// shellQuote quotes a path that may hold anything.
func shellQuote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./@+,~", r)
	}
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) && r != '-' }) < 0 && s[0] != '-' && s[0] != '~' {
		return s
	}
	if s[0] == '-' {
		s = "./" + s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
