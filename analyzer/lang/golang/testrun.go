package golang

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/lang"
)

// testCommands returns go test commands, one for each package: tests, examples
// and fuzz targets by -run, benchmarks apart by -bench. A package whose
// TestMain is chosen is run as a whole. -C makes a package's own folder the
// place to start from, so that the command is right in any module.
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
	type choice struct{ tests, benchmarks []string }
	var dirs []string
	chosen := map[string]*choice{}
	for _, t := range r.Tests {
		dir := dirOf(t.File)
		c := chosen[dir]
		if c == nil {
			c = &choice{}
			chosen[dir], dirs = c, append(dirs, dir)
		}
		if strings.HasPrefix(t.Name, "Benchmark") {
			c.benchmarks = append(c.benchmarks, t.Name)
		} else {
			c.tests = append(c.tests, t.Name)
		}
	}
	slices.Sort(dirs)
	var cmds []string
	for _, dir := range dirs {
		c := chosen[dir]
		if slices.Contains(c.tests, "TestMain") {
			cmds = append(cmds, goTest(dir))
		} else if len(c.tests) > 0 {
			cmds = append(cmds, goTest(dir)+" -run "+anyOf(c.tests))
		}
		if len(c.benchmarks) > 0 {
			cmds = append(cmds, goTest(dir)+" -run '^$' -bench "+anyOf(c.benchmarks))
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

// anyOf returns a pattern that matches the given identifiers and nothing else.
// Identifiers hold no character that a pattern or a quoted word gives a
// meaning to.
func anyOf(names []string) string {
	names = slices.Clone(names)
	slices.Sort(names)
	return "'^(" + strings.Join(slices.Compact(names), "|") + ")$'"
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
