package typescript

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/link"
)

// layout makes every source file a unit of its own. The module of a file is the
// nearest folder above it with a package.json, whose name begins the keys of the
// files below; without one, keys begin with the path.
func layout(files []link.File) *link.Layout {
	la := &layouter{Layout: &link.Layout{Files: make([]link.Place, len(files))}, byDir: map[string]int{}, named: map[string]int{},
		unitOf: map[string]int{}, configs: map[string]*config{}, memo: map[request]int{}}
	la.packages(files)
	la.place(files)
	la.configurations(files)
	la.placedRoutes()
	la.declarations()
	la.Resolve = la.resolve
	return la.Layout
}

type layouter struct {
	*link.Layout
	packs   []pack
	byDir   map[string]int // folder of a package.json → pack
	named   map[string]int // name → pack
	unitOf  map[string]int // path of a source file → unit
	paths   []string       // by unit
	configs map[string]*config
	mu      sync.Mutex
	memo    map[request]int
}

// pack is one package.json.
type pack struct {
	dir, name string
	module    int
	main      []string            // entry points, the best first
	exports   map[string][]string // nil: none
	imports   map[string][]string
	next      bool     // it needs Next
	patterns  []string // the keys of exports and imports that hold a *
}

func (la *layouter) packages(files []link.File) {
	for i := range files {
		f := &files[i]
		la.Files[i].Unit = -1
		if path.Base(f.Path) != "package.json" || inDependencies(f.Path) {
			continue
		}
		p := pack{dir: dirOf(f.Path)}
		var main, module, types, source string
		for _, s := range f.Facts.Settings {
			name, v := f.Facts.Str(s.Name), f.Facts.Str(s.Value)
			switch name {
			case "name":
				p.name = v
			case "main":
				main = v
			case "module":
				module = v
			case "types":
				types = v
			case "source":
				source = v
			case "needs":
				p.next = p.next || v == "next"
			default:
				if k, ok := strings.CutPrefix(name, "exports:"); ok {
					if p.exports == nil {
						p.exports = map[string][]string{}
					}
					if len(p.exports[k]) == 0 && strings.Contains(k, "*") {
						p.patterns = append(p.patterns, k)
					}
					p.exports[k] = append(p.exports[k], v)
				} else if k, ok := strings.CutPrefix(name, "imports:"); ok {
					if p.imports == nil {
						p.imports = map[string][]string{}
					}
					if len(p.imports[k]) == 0 && strings.Contains(k, "*") {
						p.patterns = append(p.patterns, k)
					}
					p.imports[k] = append(p.imports[k], v)
				}
			}
		}
		for _, m := range [...]string{source, types, module, main} {
			if m != "" {
				p.main = append(p.main, m)
			}
		}
		key := p.name
		if key == "" {
			key = p.dir
		}
		if key == "" {
			key = "."
		}
		if n, ok := la.named[p.name]; ok && p.name != "" { // names of packages are not unique
			key += "@" + p.dir
			if !inFixtures(p.dir) && inFixtures(la.packs[n].dir) {
				la.named[p.name] = len(la.packs)
			}
		} else if p.name != "" {
			la.named[p.name] = len(la.packs)
		}
		p.module = len(la.Modules)
		la.Modules = append(la.Modules, link.Module{Path: key, Dir: p.dir, File: f.Path})
		la.byDir[p.dir] = len(la.packs)
		la.packs = append(la.packs, p)
	}
}

// inDependencies reports whether a path is one of installed dependencies.
func inDependencies(p string) bool {
	return strings.HasPrefix(p, "node_modules/") || strings.Contains(p, "/node_modules/")
}

// inFixtures reports whether a folder holds examples rather than the program.
func inFixtures(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		switch part {
		case "test", "tests", "__tests__", "fixtures", "__fixtures__", "examples", "example", "templates", "playground", "e2e":
			return true
		}
	}
	return false
}

func dirOf(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// extensions are the endings of source files, those that an import without an
// ending means first.
var extensions = []string{".ts", ".tsx", ".d.ts", ".mts", ".d.mts", ".cts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs", ".vue"}

// stem returns a path without the ending of a source file.
func stem(p string) string {
	for _, d := range [...]string{".d.ts", ".d.mts", ".d.cts"} {
		if s, ok := strings.CutSuffix(p, d); ok {
			return s
		}
	}
	for _, x := range extensions {
		if s, ok := strings.CutSuffix(p, x); ok && x != ".vue" {
			return s
		}
	}
	return p
}

func (la *layouter) place(files []link.File) {
	// The first of several files with one stem, in the order of extensions, has
	// the plain key.
	owners := map[string]string{}
	for i := range files {
		p := files[i].Path
		if isSource(p) {
			s := stem(p)
			if o, ok := owners[s]; !ok || rank(p) < rank(o) {
				owners[s] = p
			}
		}
	}
	for i := range files {
		f := &files[i]
		if !isSource(f.Path) {
			continue
		}
		pl := &la.Files[i]
		switch {
		case inDependencies(f.Path):
			pl.Reason = "dependency"
			continue
		case strings.HasSuffix(f.Path, ".min.js"):
			pl.Reason = "minified"
			continue
		}
		pl.Default, pl.Test = true, isTest(f.Path) || namedTest(f.Path) && hasTest(f.Facts)
		dir := dirOf(f.Path)
		rest := f.Path
		if owners[stem(f.Path)] == f.Path {
			rest = stem(f.Path)
		}
		u := link.Unit{Path: rest, Module: -1, Dir: dir, Peer: -1}
		if n := la.packOf(dir); n >= 0 {
			p := &la.packs[n]
			u.Module = p.module
			u.Path = la.Modules[p.module].Path + "/" + strings.TrimPrefix(strings.TrimPrefix(rest, p.dir), "/")
		}
		u.Name = path.Base(stem(f.Path))
		if u.Name == "index" && dir != "" {
			u.Name = path.Base(dir)
		}
		pl.Unit = len(la.Units)
		la.unitOf[f.Path] = pl.Unit
		la.paths = append(la.paths, f.Path)
		la.Units = append(la.Units, u)
	}
}

// declarations finds the declaration files beside sources of JavaScript. Imports
// mean the source, which runs; its types are those of the declaration file.
func (la *layouter) declarations() {
	la.Declared = map[int]int{}
	for u, p := range la.paths {
		for _, x := range [...][2]string{{".js", ".d.ts"}, {".mjs", ".d.mts"}, {".cjs", ".d.cts"}} {
			if s, ok := strings.CutSuffix(p, x[0]); ok {
				if d, ok := la.unitOf[s+x[1]]; ok {
					la.Declared[u] = d
				}
			}
		}
	}
}

func isSource(p string) bool {
	for _, x := range extensions {
		if strings.HasSuffix(p, x) {
			return true
		}
	}
	return false
}

func rank(p string) int {
	for i, x := range extensions {
		if strings.HasSuffix(p, x) && !(x == ".ts" && strings.HasSuffix(p, ".d.ts")) {
			return i
		}
	}
	return len(extensions)
}

// packOf returns the package that a folder belongs to, or -1.
func (la *layouter) packOf(dir string) int {
	for {
		if n, ok := la.byDir[dir]; ok {
			return n
		}
		if dir == "" {
			return -1
		}
		dir = dirOf(dir)
	}
}

// isTest reports whether a file is test code by its name or folder.
func isTest(p string) bool {
	for part := range strings.SplitSeq(dirOf(p), "/") {
		switch part {
		case "__tests__", "test", "tests", "spec", "e2e", "__mocks__", "cypress":
			return true
		}
	}
	base := stem(path.Base(p))
	for _, s := range [...]string{".test", ".spec", ".test-d", ".spec-d", ".e2e-spec", ".cy", ".e2e"} {
		if strings.HasSuffix(base, s) {
			return true
		}
	}
	return false
}

// namedTest reports whether a word of a file's name says that it may be a test, as
// in test.ts, parse-test.js and test_parse.mjs. Code can be called so, too.
func namedTest(p string) bool {
	for word := range strings.FieldsFuncSeq(path.Base(p), func(c rune) bool { return c == '.' || c == '-' || c == '_' }) {
		switch word {
		case "test", "tests", "spec", "specs":
			return true
		}
	}
	return false
}

// hasTest reports whether a file makes tests.
func hasTest(f *facts.File) bool {
	return f != nil && slices.ContainsFunc(f.Decls, func(d facts.Decl) bool {
		return d.Flags.Has(graph.FlagTestCase) && !d.Flags.Has(graph.FlagOnLoad)
	})
}
