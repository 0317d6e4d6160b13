package python

import (
	"path"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/link"
)

// layout makes every file a module. Its name begins below the folder that
// Python would search: the one around its outermost package, or for a file that
// is in no package the top of the tree, src, or the folder of a build file.
func layout(files []link.File) *link.Layout {
	la := &layouter{Layout: &link.Layout{Files: make([]link.Place, len(files))}, packages: map[string]bool{}, byName: map[string]int{},
		bySuffix: map[string][]int{}, byPath: map[string]int{}, folders: map[string]bool{},
		roots: map[string]bool{}, named: map[string]string{}}
	la.declared(files)
	for i := range files {
		p := files[i].Path
		if b := path.Base(p); b == "__init__.py" || b == "__init__.pyi" {
			la.packages[dirOf(p)] = true
		}
		for d := dirOf(p); d != "" && !la.folders[d]; d = dirOf(d) {
			la.folders[d] = true
		}
	}
	la.place(files)
	la.linkFixtures(files)
	la.Suite = suites(files)
	la.Kits = func(file int) bool { return !collected(files[file].Path) }
	la.Resolve = la.resolve
	return la.Layout
}

type layouter struct {
	*link.Layout
	packages map[string]bool   // folders with an __init__
	folders  map[string]bool   // folders with Python files below
	roots    map[string]bool   // folders that build files say Python would search
	named    map[string]string // folders that are packages of another name, by build files
	paths    []string          // by unit: its path in the tree, without the ending
	inits    []bool            // by unit: it is the __init__ of its package
	byName   map[string]int    // module → unit
	byPath   map[string]int    // path without ending, that of the folder for an __init__ → unit
	bySuffix map[string][]int  // ends of paths, dotted → units
}

func dirOf(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// stem returns the path that a module's name is made of.
func stem(p string) (s string, init bool) {
	s = strings.TrimSuffix(strings.TrimSuffix(p, ".pyi"), ".py")
	if path.Base(s) == "__init__" {
		return dirOf(s), true
	}
	return s, false
}

// declared reads what build files say about folders.
func (la *layouter) declared(files []link.File) {
	for i := range files {
		p := files[i].Path
		switch path.Base(p) {
		case "setup.py", "setup.cfg", "pyproject.toml":
		default:
			continue
		}
		if files[i].Facts == nil {
			continue
		}
		for _, s := range files[i].Facts.Settings {
			value := files[i].Facts.Str(s.Value)
			switch files[i].Facts.Str(s.Name) {
			case settingRoot:
				la.roots[path.Join(dirOf(p), value)] = true
			case settingPackage:
				if name, in, ok := strings.Cut(value, "="); ok {
					la.named[path.Join(dirOf(p), in)] = name
				}
			}
		}
	}
}

// renamed returns the module of a path below a folder that is a package of another
// name.
func (la *layouter) renamed(s string) (string, bool) {
	if len(la.named) == 0 {
		return "", false
	}
	for d := s; d != ""; d = dirOf(d) {
		if name, ok := la.named[d]; ok {
			return name + dotted(strings.TrimPrefix(s, d)), true
		}
	}
	return "", false
}

// root returns the folder below which the module of a file is searched.
func (la *layouter) root(p string) string {
	dir := dirOf(p)
	if len(la.roots) > 0 {
		for d := dir; d != ""; d = dirOf(d) {
			if la.roots[d] {
				return d
			}
		}
	}
	if !la.packages[dir] {
		for d := dir; ; d = dirOf(d) {
			if path.Base(d) == "src" {
				return d
			}
			if d == "" {
				return ""
			}
		}
	}
	for la.packages[dir] && dir != "" {
		dir = dirOf(dir)
	}
	return dir
}

func (la *layouter) place(files []link.File) {
	var order []int
	for i := range files {
		la.Files[i].Unit = -1
		if path.Ext(files[i].Path) == ".py" || path.Ext(files[i].Path) == ".pyi" {
			order = append(order, i)
		}
	}
	// What is nearer to the top has the plain name where several would have it;
	// sources come before stubs.
	slices.SortStableFunc(order, func(a, b int) int {
		pa, pb := files[a].Path, files[b].Path
		if sa, sb := strings.HasSuffix(pa, ".pyi"), strings.HasSuffix(pb, ".pyi"); sa != sb {
			if sa {
				return 1
			}
			return -1
		}
		if da, db := strings.Count(pa, "/"), strings.Count(pb, "/"); da != db {
			return da - db
		}
		return strings.Compare(pa, pb)
	})
	unit := make([]int, len(files))
	named := make([]link.Unit, 0, len(files))
	for _, i := range order {
		p := files[i].Path
		s, init := stem(p)
		root := la.root(p)
		if init && s == root { // of the top of the tree
			root = dirOf(root)
		}
		name := dotted(strings.TrimPrefix(strings.TrimPrefix(s, root), "/"))
		if n, ok := la.renamed(s); ok {
			name = n
		}
		if name == "" {
			name = "__init__"
		}
		source, stub := la.byPath[s]
		if stub = stub && strings.HasSuffix(p, ".pyi"); stub {
			name = named[source].Path
		} else if _, taken := la.byName[name]; taken {
			name = dotted(s)
			if name == "" {
				name = "__init__"
			}
		}
		u := link.Unit{Path: name, Name: name[strings.LastIndexByte(name, '.')+1:], Module: -1, Dir: dirOf(p), Peer: -1, Hidden: hidden(name), Offers: init}
		if _, taken := la.byName[name]; taken { // a stub beside its source
			u.Scope = p
			if stub {
				la.Stubs = append(la.Stubs, link.Stub{Unit: len(named), Source: source})
			}
		} else {
			la.byName[name] = len(named)
		}
		unit[i] = len(named)
		named = append(named, u)
		la.paths, la.inits = append(la.paths, s), append(la.inits, init)
		if _, taken := la.byPath[s]; !taken {
			la.byPath[s] = unit[i]
		}
	}
	la.Units = named
	for _, i := range order {
		la.Files[i] = link.Place{Unit: unit[i], Default: true, Test: isTest(files[i].Path)}
	}
	for u, s := range la.paths {
		if named[u].Scope == "" {
			la.index(u, s)
		}
	}
}

// hidden reports whether the name of a module, or of a package around it, says
// that it is for its own project only.
func hidden(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if strings.HasPrefix(part, "_") && !strings.HasPrefix(part, "__") {
			return true
		}
	}
	return false
}

// index makes a module known under the names that it has for some folder of
// the tree that is no package.
func (la *layouter) index(u int, s string) {
	parts := strings.Split(s, "/")
	for k := range parts {
		if k > 8 {
			break
		}
		if k > 0 && (la.packages[strings.Join(parts[:k], "/")] || std().Group(parts[k]) != nil) {
			continue
		}
		name := strings.Join(parts[k:], ".")
		la.bySuffix[name] = append(la.bySuffix[name], u)
	}
}

func dotted(p string) string { return strings.ReplaceAll(p, "/", ".") }

// resolve returns the module that a path means in the module from.
func (la *layouter) resolve(from int, p string) int {
	if strings.HasPrefix(p, ".") {
		return la.relative(from, p)
	}
	if n, ok := la.byName[p]; ok && len(la.bySuffix[p]) <= 1 {
		return n
	}
	best := -1
	var score [4]int
	for _, u := range la.bySuffix[p] {
		s := [4]int{}
		here, there := la.paths[from], la.paths[u]
		stripped := strings.Count(there, "/") - strings.Count(p, ".")
		if stripped > 1 {
			s[0] = 1
		}
		if first(here) != first(there) {
			s[1] = 1
		}
		s[2], s[3] = stripped, -common(here, there)
		if best < 0 || less(s, score) {
			best, score = u, s
		}
	}
	if best >= 0 {
		return best
	}
	if n, ok := la.byName[p]; ok {
		return n
	}
	return -1
}

func less(a, b [4]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func first(p string) string {
	if i := strings.IndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return p
}

func common(a, b string) int {
	n := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			n++
		}
	}
	return n
}

// relative resolves a path that begins with dots.
func (la *layouter) relative(from int, p string) int {
	rest := strings.TrimLeft(p, ".")
	dir := la.paths[from]
	if !la.inits[from] {
		dir = dirOf(dir)
	}
	for range len(p) - len(rest) - 1 {
		if dir == "" {
			return -1
		}
		dir = dirOf(dir)
	}
	full := dir
	if rest != "" {
		full = strings.TrimPrefix(dir+"/"+strings.ReplaceAll(rest, ".", "/"), "/")
	}
	if u, ok := la.byPath[full]; ok {
		return u
	}
	return -1
}

// isTest reports whether a file is code that only tests use.
func isTest(p string) bool {
	base := path.Base(p)
	if base == "conftest.py" || strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py") || base == "tests.py" || base == "test.py" {
		return true
	}
	for part := range strings.SplitSeq(dirOf(p), "/") {
		if part == "tests" || part == "test" {
			return true
		}
	}
	return false
}
