package golang

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/codekg/kg/analyzer/link"
)

// layout assigns Go files to packages by their folders, package clauses and
// the nearest go.mod, as the go command does.
func layout(files []link.File) *link.Layout {
	la := &layouter{Layout: &link.Layout{Files: make([]link.Place, len(files))}, byDir: map[string]int{}}
	la.modules(files)
	la.groups(files)
	la.units(files)
	la.Resolve = la.resolve
	la.references(files)
	return la.Layout
}

type layouter struct {
	*link.Layout
	byDir    map[string]int    // folder of a go.mod → module
	replaces [][]replace       // by module
	requires []map[string]bool // by module: the paths of the modules that it names with a version
	joined   []int             // by module: its workspace, or -1
	works    []work
	pending  []*group
	byPath   map[string]int   // import path → unit
	replaced []map[string]int // by module: import path → unit, as replacements have it
	folders  map[string]int   // folder → unit that imports of it mean
}

// replace is a replace directive whose target is a folder of the tree.
type replace struct{ path, dir string }

// work is a go.work file: the folders of the modules that it joins.
type work struct {
	uses     []string
	replaces []replace
}

// group is the files of one folder with one package clause.
type group struct {
	dir, name string
	test      bool // an external test package
	files     []int
	ignored   bool // no build without special tags has its files
}

func (la *layouter) modules(files []link.File) {
	for i := range files {
		f := &files[i]
		la.Files[i].Unit = -1
		base := path.Base(f.Path)
		if base != "go.mod" && base != "go.work" || skipped(f.Path) != "" {
			continue
		}
		dir := dirOf(f.Path)
		m := link.Module{Dir: dir, File: f.Path}
		var w work
		requires := map[string]bool{}
		for _, s := range f.Facts.Settings {
			value := f.Facts.Str(s.Value)
			switch f.Facts.Str(s.Name) {
			case "module":
				m.Path = value
			case "require":
				required, _, _ := strings.Cut(value, " ")
				requires[required] = true
			case "use":
				if d, ok := inTree(dir, value); ok {
					w.uses = append(w.uses, d)
				}
			case "replace":
				from, to, _ := strings.Cut(value, " => ")
				from, _, _ = strings.Cut(from, " ")
				if modfile.IsDirectoryPath(to) {
					if d, ok := inTree(dir, to); ok {
						w.replaces = append(w.replaces, replace{from, d})
					}
				}
			}
		}
		if base == "go.work" {
			la.works = append(la.works, w)
			continue
		}
		la.byDir[dir] = len(la.Modules)
		la.Modules = append(la.Modules, m)
		la.replaces = append(la.replaces, w.replaces)
		la.requires = append(la.requires, requires)
		la.joined = append(la.joined, -1)
	}
}

// inTree returns the folder that a manifest in dir names, if it is in the tree.
func inTree(dir, p string) (string, bool) {
	d := path.Join(dir, p)
	if d == "." {
		d = ""
	}
	return d, d != ".." && !strings.HasPrefix(d, "../") && !strings.HasPrefix(p, "/")
}

func dirOf(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// skipped returns why the go command never builds a file, or "".
func skipped(p string) string {
	for {
		part, rest, more := strings.Cut(p, "/")
		switch {
		case more && part == "testdata":
			return "testdata"
		case more && part == "vendor":
			return "vendor"
		case strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") && part != ".":
			return "hidden"
		}
		if !more {
			return ""
		}
		p = rest
	}
}

// groups collects the files of each folder by package clause.
func (la *layouter) groups(files []link.File) {
	type groupKey struct {
		dir, name string
		test      bool
		ignored   string
	}
	byKey := map[groupKey]*group{}
	for i := range files {
		f := &files[i]
		if !strings.HasSuffix(f.Path, ".go") {
			continue
		}
		p := &la.Files[i]
		if p.Reason = skipped(f.Path); p.Reason != "" {
			continue
		}
		base := path.Base(f.Path)
		never := false
		p.Constraint, p.Default, never = fileConstraint(base, f.Facts)
		p.Elsewhere = !p.Default && elsewhere(p.Constraint)
		p.Test = strings.HasSuffix(base, "_test.go")
		k := groupKey{dir: dirOf(f.Path), name: f.Facts.Str(f.Facts.Package)}
		k.test = p.Test && strings.HasSuffix(k.name, "_test")
		if never {
			k.ignored = base
		}
		g := byKey[k]
		if g == nil {
			g = &group{dir: k.dir, name: k.name, test: k.test, ignored: never}
			byKey[k] = g
			la.pending = append(la.pending, g)
		}
		g.files = append(g.files, i)
	}
}

func (la *layouter) units(files []link.File) {
	la.byPath, la.folders = map[string]int{}, map[string]int{}
	// The package of a folder is the one with the most files outside tests,
	// constraints apart; other clauses are programs of their own.
	main := map[string]*group{}
	for _, g := range la.pending {
		if g.test || g.ignored {
			continue
		}
		if m := main[g.dir]; m == nil || la.weight(g) > la.weight(m) {
			main[g.dir] = g
		}
	}
	for _, g := range la.pending {
		mod := la.moduleOf(g.dir)
		p := importPath(la.Modules, mod, g.dir)
		u := link.Unit{Path: p, Name: g.name, Module: mod, Dir: g.dir, Peer: -1, Hidden: hidden(p)}
		switch {
		case g.test:
			u.Path += "_test"
		case main[g.dir] != g:
			u.Scope = g.name
		}
		n := len(la.Units)
		la.Units = append(la.Units, u)
		for _, f := range g.files {
			la.Files[f].Unit = n
			if g.ignored {
				la.Files[f].Default = true
			}
		}
		if main[g.dir] == g {
			la.byPath[p] = n
			la.folders[g.dir] = n
		}
	}
	la.replacements()
	for i := range la.Units {
		u := &la.Units[i]
		if strings.HasSuffix(u.Name, "_test") && strings.HasSuffix(u.Path, "_test") {
			if peer, ok := la.folders[u.Dir]; ok {
				u.Peer = peer
			}
		}
	}
}

// weight counts the files of a group that are no tests and that the default
// platform builds; others count less.
func (la *layouter) weight(g *group) int {
	w := 0
	for _, f := range g.files {
		switch p := &la.Files[f]; {
		case p.Test:
			w += 1
		case p.Default:
			w += 1 << 20
		default:
			w += 1 << 10
		}
	}
	return w
}

func hidden(p string) bool {
	return slices.Contains(strings.Split(p, "/"), "internal")
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

// importPath returns the path by which a folder is imported: its module's path
// with the folder inside the module. Without a module it is the folder itself.
func importPath(modules []link.Module, mod int, dir string) string {
	if mod < 0 {
		if dir == "" {
			return "."
		}
		return dir
	}
	rel := strings.TrimPrefix(strings.TrimPrefix(dir, modules[mod].Dir), "/")
	return path.Join(modules[mod].Path, rel)
}

// replacements finds the packages that replace directives lead to. Those of a
// module hold for itself, or for all modules of its workspace, where those of
// the go.work file come first. The longest path decides.
func (la *layouter) replacements() {
	la.replaced = make([]map[string]int, len(la.Modules))
	for m, rs := range la.replaces {
		la.replace([]int{m}, rs)
	}
	for i, w := range la.works {
		var joined []int
		var rs []replace
		for _, dir := range w.uses {
			if m, ok := la.byDir[dir]; ok {
				joined = append(joined, m)
				la.joined[m] = i
				rs = append(rs, la.replaces[m]...)
			}
		}
		la.replace(joined, append(rs, w.replaces...))
	}
}

// replace lets the replacements hold for the given modules; of several for one
// path the last decides.
func (la *layouter) replace(modules []int, rs []replace) {
	if len(rs) == 0 {
		return
	}
	rs = slices.Clone(rs)
	slices.SortStableFunc(rs, func(a, b replace) int { return len(a.path) - len(b.path) })
	byPath := map[string]int{}
	for _, r := range rs {
		target, ok := la.byDir[r.dir]
		if !ok || slices.ContainsFunc(modules, func(m int) bool { return la.Modules[m].Path == r.path }) {
			continue
		}
		for dir, u := range la.folders {
			if la.Units[u].Module == target {
				byPath[path.Join(r.path, strings.TrimPrefix(dir, r.dir))] = u
			}
		}
	}
	for _, m := range modules {
		la.replaced[m] = byPath
	}
}

// resolve returns the package that a path means to a package. A module that
// requires a version of another module of the tree, and neither replaces it nor
// shares a workspace with it, is built with the released one, not with the
// one in the tree.
func (la *layouter) resolve(from int, p string) int {
	m := la.Units[from].Module
	if m >= 0 {
		if u, ok := la.replaced[m][p]; ok {
			return u
		}
	}
	u, ok := la.byPath[p]
	if !ok {
		return -1
	}
	if to := la.Units[u].Module; m >= 0 && to >= 0 && to != m && la.requires[m][la.Modules[to].Path] &&
		(la.joined[m] < 0 || la.joined[m] != la.joined[to]) {
		return -1
	}
	return u
}
