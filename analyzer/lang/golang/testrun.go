package golang

import (
	"cmp"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/lang"
)

// testCommands returns go test commands, one for each package: tests, examples
// and fuzz targets by -run, benchmarks apart by -bench, and those in files that
// are built with tags only apart with -tags. A package of which everything is
// chosen is run as a whole; a pattern that would be too long is split. Everything
// is what is built without tags, and each test that is not. -C makes a package's own folder the place to start from, so that the
// command is right in any module.
func testCommands(r lang.TestRun) []string {
	if r.All {
		var cmds []string
		for _, m := range r.Modules {
			cmds = append(cmds, goTest(m.Dir)+" ./...")
		}
		if len(cmds) == 0 {
			cmds = append(cmds, "go test ./...")
		}
		tagged := lang.TestRun{}
		for _, t := range append(slices.Clone(r.Tests), r.Others...) {
			if flags, _ := buildFlags(t.Constraint); flags != "" {
				tagged.Tests = append(tagged.Tests, t)
			} else {
				tagged.Others = append(tagged.Others, t)
			}
		}
		return append(cmds, testCommands(tagged)...)
	}
	// The tests and the benchmarks of a folder that are chosen, and whether
	// others are left out.
	type choice struct {
		names [2][]string
		left  [2]bool
	}
	type place struct{ dir, flags string }
	chosen := map[place]*choice{}
	kind := func(name string) int {
		if strings.HasPrefix(name, "Benchmark") {
			return 1
		}
		return 0
	}
	var places []place
	for _, t := range r.Tests {
		flags, ok := buildFlags(t.Constraint)
		if !ok {
			continue
		}
		at := place{dirOf(t.File), flags}
		if chosen[at] == nil {
			chosen[at], places = &choice{}, append(places, at)
		}
		names := &chosen[at].names[kind(t.Name)]
		*names = append(*names, t.Name)
	}
	slices.SortFunc(places, func(x, y place) int { return cmp.Or(cmp.Compare(x.dir, y.dir), cmp.Compare(x.flags, y.flags)) })
	// A build with tags has the tests without, too: they are not to be run twice.
	leave := func(t lang.TestCase, but string) {
		for i, _ := slices.BinarySearchFunc(places, t, func(p place, t lang.TestCase) int { return cmp.Compare(p.dir, dirOf(t.File)) }); i < len(places) && places[i].dir == dirOf(t.File); i++ {
			if flags, ok := buildFlags(t.Constraint); ok && places[i].flags != but && (flags == "" || flags == places[i].flags) {
				chosen[places[i]].left[kind(t.Name)] = true
			}
		}
	}
	for _, t := range r.Others {
		leave(t, "\x00")
	}
	for _, t := range r.Tests {
		if flags, ok := buildFlags(t.Constraint); ok {
			leave(t, flags)
		}
	}
	var cmds []string
	for _, at := range places {
		c := chosen[at]
		run := goTest(at.dir) + at.flags
		switch {
		case len(c.names[0]) == 0:
		case !c.left[0]:
			cmds = append(cmds, run)
		default:
			for _, p := range patterns(c.names[0]) {
				cmds = append(cmds, run+" -run "+p)
			}
		}
		switch {
		case len(c.names[1]) == 0:
		case !c.left[1]:
			cmds = append(cmds, run+" -run '^$' -bench .")
		default:
			for _, p := range patterns(c.names[1]) {
				cmds = append(cmds, run+" -run '^$' -bench "+p)
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
		for n < len(names) && size+1+len(names[n]) <= lang.MaxCommand {
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
