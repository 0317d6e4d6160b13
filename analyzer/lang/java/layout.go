package java

import (
	"path"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/link"
)

// layout assigns Java files to packages. The module of a file is the nearest
// folder above it with a build file; its source root is the folder that is left
// when the package's folders are taken away. A package of one module is one
// unit, tests included, as a class path has it; packages of several modules
// that share a name share their nodes.
func layout(files []link.File) *link.Layout {
	la := &layouter{Layout: &link.Layout{Files: make([]link.Place, len(files))}, byDir: map[string]int{},
		units: map[unitKey]int{}, byName: map[string][]int{}}
	la.modules(files)
	la.place(files)
	la.dependencies(files)
	la.Suite = func(t link.Member, _ []link.Member) bool { return isSuite(&files[t.File], t.Decl) }
	la.Resolve = la.resolve
	la.Others = la.others
	return la.Layout
}

type layouter struct {
	*link.Layout
	byDir  map[string]int   // folder of a build file → module
	names  map[string][]int // artifact and folder names → modules
	poms   map[int]bool     // modules that Maven builds
	needs  [][]string       // by module: what its build file names as a dependency
	order  [][]int          // by module: the modules that it sees, itself first; nil: not asked yet
	units  map[unitKey]int
	byName map[string][]int // package → units, in the order of modules
}

type unitKey struct {
	module int
	name   string
}

func (la *layouter) modules(files []link.File) {
	la.names, la.poms = map[string][]int{}, map[int]bool{}
	for i := range files {
		f := &files[i]
		la.Files[i].Unit = -1
		base := path.Base(f.Path)
		if base != "pom.xml" && !strings.HasPrefix(base, "build.gradle") || inResources(f.Path) {
			continue
		}
		dir := dirOf(f.Path)
		m := link.Module{Dir: dir, File: f.Path}
		artifact, group := "", ""
		var needs []string
		for _, s := range f.Facts.Settings {
			value := f.Facts.Str(s.Value)
			switch f.Facts.Str(s.Name) {
			case "artifact":
				artifact = value
			case "group":
				group = value
			case "needs":
				needs = append(needs, value)
			}
		}
		if artifact == "" {
			artifact = path.Base(dir)
			if dir == "" {
				artifact = "root"
			}
		}
		m.Path = artifact
		if group != "" {
			m.Path = group + ":" + artifact
		}
		if n, ok := la.byDir[dir]; ok { // both build systems
			la.poms[n] = la.poms[n] || base == "pom.xml"
			la.needs[n] = append(la.needs[n], needs...)
			continue
		}
		m.Path = la.unique(m.Path, dir)
		n := len(la.Modules)
		la.byDir[dir] = n
		la.poms[n] = base == "pom.xml"
		la.Modules = append(la.Modules, m)
		la.needs = append(la.needs, needs)
		for _, name := range []string{artifact, path.Base(dir)} {
			if !slices.Contains(la.names[name], n) {
				la.names[name] = append(la.names[name], n)
			}
		}
	}
	la.projects(files)
	la.reactors(files)
	la.order = make([][]int, len(la.Modules))
}

// unique returns the name of a module: the path of its project, as Gradle has
// it, where another one has the name.
func (la *layouter) unique(name, dir string) string {
	if slices.ContainsFunc(la.Modules, func(m link.Module) bool { return m.Path == name }) {
		return ":" + strings.ReplaceAll(dir, "/", ":")
	}
	return name
}

// project adds a module that settings name, if it has no build file by a usual
// name. The file is what says something of it.
func (la *layouter) project(dir string, file *link.File, build string) {
	if n, ok := la.byDir[dir]; ok {
		if m := &la.Modules[n]; m.Build == "" && !la.poms[n] {
			m.Build = build
		}
		return
	}
	n := len(la.Modules)
	name := path.Base(dir)
	la.byDir[dir] = n
	la.Modules = append(la.Modules, link.Module{Path: la.unique(name, dir), Dir: dir, File: file.Path, Build: build})
	var needs []string
	for _, s := range file.Facts.Settings {
		if file.Facts.Str(s.Name) == "needs" && dirOf(file.Path) == dir {
			needs = append(needs, file.Facts.Str(s.Value))
		}
	}
	la.needs = append(la.needs, needs)
	if !slices.Contains(la.names[name], n) {
		la.names[name] = append(la.names[name], n)
	}
}

// inResources reports whether a path is below a folder of resources, where
// files are data.
func inResources(p string) bool {
	return strings.Contains(p, "/src/main/resources/") || strings.Contains(p, "/src/test/resources/") ||
		strings.HasPrefix(p, "src/main/resources/") || strings.HasPrefix(p, "src/test/resources/") || strings.Contains(p, "/archetype-resources/")
}

func dirOf(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

func (la *layouter) place(files []link.File) {
	for i := range files {
		f := &files[i]
		if !strings.HasSuffix(f.Path, ".java") {
			continue
		}
		p := &la.Files[i]
		if inResources(f.Path) {
			p.Reason = "resource"
			continue
		}
		p.Default, p.Test = true, isTest(f.Path) || hasTests(f.Facts)
		key := unitKey{la.moduleOf(dirOf(f.Path)), f.Facts.Str(f.Facts.Package)}
		u, ok := la.units[key]
		if !ok {
			u = len(la.Units)
			la.units[key] = u
			name := key.name
			if name == "" {
				name = "."
			}
			unit := link.Unit{Path: name, Name: name[strings.LastIndexByte(name, '.')+1:], Module: key.module, Dir: dirOf(f.Path), Peer: -1}
			if name == "." {
				unit.Name = "default"
			}
			la.Units = append(la.Units, unit)
			la.byName[name] = append(la.byName[name], u)
		}
		p.Unit = u
	}
}

// hasTests reports whether a file declares tests, wherever it is: those that others
// are to inherit are delivered with the code.
func hasTests(f *facts.File) bool {
	return slices.ContainsFunc(f.Decls, func(d facts.Decl) bool { return d.Flags.Has(graph.FlagTestCase) })
}

// isSuite reports whether runners make objects of a type, to run its tests: those that
// are delivered with the code are for others to inherit.
func isSuite(f *link.File, t facts.DeclID) bool {
	d := &f.Facts.Decls[t]
	return d.Kind != graph.KindInterface && !d.Flags.Has(graph.FlagAbstract) && !strings.Contains("/"+f.Path, "/src/main/")
}

// isTest reports whether a file is in a source root of tests.
func isTest(p string) bool {
	parts := strings.Split(dirOf(p), "/")
	for k, part := range parts {
		switch {
		case part == "src" && k+1 < len(parts):
			next := parts[k+1]
			return next == "test" || strings.HasSuffix(next, "Test") || strings.HasSuffix(next, "Tests") || strings.HasSuffix(next, "-test") || next == "it" || next == "jmh" || next == "jcstress"
		case part == "test" || part == "tests":
			return true
		}
	}
	return false
}

func (la *layouter) moduleOf(dir string) int {
	for {
		if m, ok := la.byDir[dir]; ok {
			return m
		}
		if dir == "" {
			return -1
		}
		dir = dirOf(dir)
	}
}

// visible returns the modules that module m sees: itself, what its build file
// names, what that names, and so on; then all others, in their order.
func (la *layouter) visible(m int) []int {
	if m < 0 {
		return nil
	}
	if la.order[m] != nil {
		return la.order[m]
	}
	seen := make([]bool, len(la.Modules))
	list := []int{m}
	seen[m] = true
	for k := 0; k < len(list); k++ {
		for _, need := range la.needs[list[k]] {
			for _, n := range la.names[need] {
				if !seen[n] {
					seen[n] = true
					list = append(list, n)
				}
			}
		}
	}
	la.order[m] = list
	return list
}

// resolve returns the unit that a package's name means for a unit.
func (la *layouter) resolve(from int, name string) int {
	us := la.byName[name]
	if len(us) == 0 {
		return -1
	}
	if len(us) == 1 {
		return us[0]
	}
	for _, m := range la.visible(la.Units[from].Module) {
		if u, ok := la.units[unitKey{m, name}]; ok {
			return u
		}
	}
	return us[0]
}

// others returns further units that have a package's name, for a unit: those
// of the modules that it sees first.
func (la *layouter) others(from int, name string) []int {
	us := la.byName[name]
	if len(us) < 2 {
		return nil
	}
	first := la.resolve(from, name)
	var list []int
	for _, m := range la.visible(la.Units[from].Module) {
		if u, ok := la.units[unitKey{m, name}]; ok && u != first {
			list = append(list, u)
		}
	}
	for _, u := range us {
		if u != first && !slices.Contains(list, u) {
			list = append(list, u)
		}
	}
	return list
}
