package java

import (
	"path"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/link"
)

// What may be on the class paths of a module's programs and tests: its own
// classes, and those of the modules that its build files name, that these name, and
// so on. More is found than a build has there, as scopes are not told apart. Where
// something is not understood, nothing is said of the module, so that it may depend
// on any other.

// buildFile is what a build file says of class paths, see gradle.go and pom.
type buildFile struct {
	dir, base   string
	own, below  paths
	tests       string // the folder of tests, if it is told
	parent      string
	scans       bool // the tests of what is needed are run here, too
	mayBeOthers bool // of settings: projects that are not known, or other builds
}

// paths is what a build file says of one project, or of all below.
type paths struct {
	may, applies, holds, uses []string
	open                      bool
}

func (p *paths) add(name, value string) {
	switch name {
	case "may":
		p.may = append(p.may, value)
	case "applies":
		p.applies = append(p.applies, value)
	case "holds":
		p.holds = append(p.holds, value)
	case "uses":
		p.uses = append(p.uses, value)
	case "open":
		p.open = true
	}
}

// dependencies finds out of each module which others it may need.
func (la *layouter) dependencies(files []link.File) {
	if len(la.Modules) < 2 {
		return
	}
	x := &depends{la: la, byDir: map[string][]*buildFile{}, scripts: map[string][]*buildFile{}, paths: map[string]string{}, called: map[string][]string{}, groups: map[string]bool{}, made: map[string]bool{}}
	for i := range files {
		f := &files[i]
		if at := strings.Index("/"+f.Path, "/buildSrc/"); at >= 0 {
			x.made[strings.TrimSuffix(f.Path[:at], "/")] = true
		}
		if base := path.Base(f.Path); (base == "pom.xml" || gradleScript(base)) && !inResources(f.Path) {
			x.read(f, base)
		}
	}
	x.outside = x.testsOutside(files)
	needs := make([][]int, len(la.Modules))
	known := make([]answer, len(la.Modules))
	for n := range la.Modules {
		needs[n], known[n] = x.needs(n)
	}
	for n := range la.Modules {
		for _, b := range x.byDir[la.Modules[n].Dir] {
			if b.scans {
				for _, k := range needs[n] {
					needs[k] = append(needs[k], n)
				}
			}
		}
	}
	users := make([][]int, len(la.Modules))
	for n, list := range needs {
		for _, k := range list {
			users[k] = append(users[k], n)
		}
	}
	for n := range la.Modules {
		if known[n] == inOrder && !la.builtTogether(n, users) {
			known[n] = unknown
		}
		if known[n] != unknown {
			needs[n] = append(needs[n], n)
			slices.Sort(needs[n])
			la.Modules[n].Needs, la.Modules[n].NeedsMore = slices.Compact(needs[n]), known[n] == inOrder
		}
	}
}

// builtTogether reports whether all modules that need module n, by what they need,
// too, are built by one build with it.
func (la *layouter) builtTogether(n int, users [][]int) bool {
	root := func(n int) string {
		parts := strings.SplitN(la.Modules[n].Build, buildParts, 3)
		return strings.Join(parts[:min(len(parts), 2)], buildParts)
	}
	own := root(n)
	seen := map[int]bool{n: true}
	queue := []int{n}
	for i := 0; i < len(queue); i++ {
		for _, k := range users[queue[i]] {
			if seen[k] {
				continue
			}
			if own == "" || root(k) != own {
				return false
			}
			seen[k] = true
			queue = append(queue, k)
		}
	}
	return true
}

// answer says what is known of the modules that one needs.
type answer uint8

const (
	unknown answer = iota
	inOrder        // more may be needed, but nothing that is built after the module: Maven builds no cycles
	all
)

func (a answer) and(ok bool) answer {
	if ok {
		return a
	}
	return unknown
}

// testsOutside returns the modules of which graphs do not tell where the tests are
// run: they are neither below src nor in a folder for tests that the module's project
// or its parents name, or they are those of a project without a file of its own, whose
// folder is not told.
func (x *depends) testsOutside(files []link.File) map[int]bool {
	la := x.la
	out := map[int]bool{}
	taken := map[string]int{} // folders of tests, and their modules; -1 for several
	dirs := make([]string, len(la.Modules))
	for n := range la.Modules {
		if dir := x.testDir(n); dir != "" {
			dirs[n] = path.Join(la.Modules[n].Dir, dir)
			if _, ok := taken[dirs[n]]; ok {
				taken[dirs[n]] = -1
			} else {
				taken[dirs[n]] = n
			}
		}
	}
	own := func(n int, file string) bool {
		found := false
		for d := dirOf(file); len(taken) > 0; d = dirOf(d) {
			if k, ok := taken[d]; ok && k != n {
				return false
			} else if ok {
				found = true
			}
			if d == "" {
				break
			}
		}
		return found
	}
	for i := range files {
		if la.Files[i].Unit < 0 {
			continue
		}
		n := la.Units[la.Files[i].Unit].Module
		if n < 0 {
			continue
		}
		dir := la.Modules[n].Dir
		nameless := dirOf(la.Modules[n].File) != dir
		out[n] = out[n] || nameless
		switch {
		case !la.Files[i].Test:
		case nameless:
			for d := dir; ; d = dirOf(d) {
				if m, ok := la.byDir[d]; ok {
					out[m] = true
				}
				if d == "" {
					break
				}
			}
		case !strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(files[i].Path, dir), "/"), "src/") && !own(n, files[i].Path):
			out[n] = true
		}
	}
	return out
}

// maxParents bounds the projects above a project of Maven that are looked at.
const maxParents = 16

// testDir returns the folder of the tests of a module, as its project or the nearest
// parent names it; nothing if none does.
func (x *depends) testDir(n int) string {
	for range maxParents {
		var project *buildFile
		for _, b := range x.byDir[x.la.Modules[n].Dir] {
			if b.base == "pom.xml" {
				project = b
			}
		}
		if project == nil || project.tests != "" || project.parent == "" {
			if project == nil {
				return ""
			}
			return project.tests
		}
		up := x.la.names[project.parent]
		if len(up) != 1 {
			return ""
		}
		n = up[0]
	}
	return ""
}

type depends struct {
	la      *layouter
	byDir   map[string][]*buildFile
	scripts map[string][]*buildFile // by base name
	paths   map[string]string       // of projects of Gradle, behind the folder of the settings and a blank: their folders
	called  map[string][]string     // the other way round
	made    map[string]bool         // folders of builds of Gradle of which code of the tree is a part, as plugins
	groups  map[string]bool         // of the modules of Maven
	outside map[int]bool
}

func (x *depends) read(f *link.File, base string) {
	b := &buildFile{dir: dirOf(f.Path), base: base}
	for _, s := range f.Facts.Settings {
		name, value := f.Facts.Str(s.Name), f.Facts.Str(s.Value)
		switch below, ok := strings.CutPrefix(name, "below "); {
		case ok:
			b.below.add(below, value)
		case name == "group":
			x.groups[value] = true
		case name == "scans":
			b.scans = true
		case name == "tests":
			b.tests = value
		case name == "parent":
			b.parent = value
		case name == "others":
			b.mayBeOthers = true
		case name == "project":
			if called, dir, ok := strings.Cut(value, "\t"); ok {
				called, dir = b.dir+" "+called, path.Join(b.dir, dir)
				x.paths[called] = dir
				x.called[dir] = append(x.called[dir], called)
			}
		default:
			b.own.add(name, value)
		}
	}
	x.byDir[b.dir] = append(x.byDir[b.dir], b)
	x.scripts[base] = append(x.scripts[base], b)
}

// needs returns the modules that module n may need by itself, and whether these are
// all.
func (x *depends) needs(n int) (list []int, known answer) {
	m := &x.la.Modules[n]
	known = all.and(!x.outside[n])
	gradle := !x.la.poms[n]
	for _, b := range x.byDir[m.Dir] {
		if b.base != "pom.xml" {
			gradle = true
			continue
		}
		known = known.and(!b.own.open)
		for _, may := range b.own.may {
			found, ok := x.artifact(may)
			if list = append(list, found...); !ok {
				known = min(known, inOrder)
			}
		}
	}
	if gradle {
		found, ok := x.gradle(m.Dir)
		list, known = append(list, found...), known.and(ok)
	}
	return list, known
}

// artifact returns the modules that GROUP:NAME may be, and whether it is certainly
// nothing else of the tree: what others have made of the tree, and is on the class
// path as a library, may need any module.
func (x *depends) artifact(may string) ([]int, bool) {
	group, name, _ := strings.Cut(may, ":")
	if name != "" {
		var list []int
		for _, n := range x.la.names[name] {
			if x.la.Modules[n].Path == name || strings.HasSuffix(x.la.Modules[n].Path, ":"+name) || !x.la.poms[n] {
				list = append(list, n)
			}
		}
		if len(list) > 0 {
			return list, true
		}
	}
	if strings.Contains(group, "${") {
		return nil, false
	}
	for i := range len(group) + 1 {
		if (i == len(group) || group[i] == '.') && x.groups[group[:i]] {
			return nil, false
		}
	}
	return nil, true
}

// gradle returns the modules that the project of a folder may need.
func (x *depends) gradle(dir string) (list []int, known bool) {
	root := dir
	for d := dir; ; d = dirOf(d) {
		if slices.ContainsFunc(x.byDir[d], func(b *buildFile) bool { return strings.HasPrefix(b.base, "settings.") }) {
			root = d
			break
		}
		if d == "" || path.Base(d) == "buildSrc" {
			break
		}
	}
	known = !x.made[root]
	var all []*paths
	done := map[*paths]bool{}
	take := func(p *paths) {
		if !done[p] {
			done[p] = true
			all = append(all, p)
		}
	}
	at := func(d string, own bool) {
		for _, b := range x.byDir[d] {
			known = known && !b.mayBeOthers
			if b.base != "pom.xml" && !strings.HasPrefix(b.base, "settings.") {
				if own {
					take(&b.own)
				}
				take(&b.below)
			}
		}
	}
	at(dir, true)
	for d := dir; d != root && d != ""; {
		d = dirOf(d)
		at(d, false)
	}
	for _, called := range x.called[dir] {
		if rest, ok := strings.CutPrefix(called, root+" "); ok {
			for i := len(rest) - 1; i > 0; i-- { // the projects above it, wherever they are
				if up, ok := x.paths[root+" "+rest[:i]]; ok && rest[i] == ':' {
					at(up, false)
				}
			}
		}
	}
	for i := 0; i < len(all); i++ {
		for _, script := range all[i].applies {
			known = known && len(x.scripts[script]) > 0
			for _, b := range x.scripts[script] {
				take(&b.own)
				take(&b.below)
			}
		}
	}
	holds := map[string]bool{}
	for _, p := range all {
		known = known && !p.open
		for _, name := range p.holds {
			holds[name] = true
		}
	}
	for _, p := range all {
		known = known && !slices.ContainsFunc(p.uses, func(name string) bool { return holds[name] })
		for _, may := range p.may {
			found, ok := x.project(root, may)
			list, known = append(list, found...), known && ok
		}
	}
	return list, known
}

// project returns the modules that a name in a build file of Gradle may mean.
func (x *depends) project(root, may string) (list []int, known bool) {
	la := x.la
	last := func(s string) string { return s[strings.LastIndexAny(s, ":.")+1:] }
	switch {
	case may == ":":
		if n, ok := la.byDir[root]; ok {
			return []int{n}, true
		}
		return nil, false
	case may[0] == ':':
		if dir, ok := x.paths[root+" "+may]; ok {
			if n, ok := la.byDir[dir]; ok {
				return []int{n}, true
			}
		}
		list = la.names[last(may)]
	case may[0] == '@': // what follows the project's name is a property of it
		for name := may[1:]; name != "" && len(list) == 0; name = name[:max(strings.LastIndexByte(name, '.'), 0)] {
			list = la.names[kebab(last(name))]
		}
	default:
		list, _ = x.artifact(may)
		return list, true
	}
	return list, len(list) > 0
}
