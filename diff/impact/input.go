package impact

import (
	"path"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// Input is a changed file that is not code of the graphs, and what may depend
// on it. An input on which nothing may depend selects no test.
type Input struct {
	Path     string
	Tests    []string // folders whose own tests may read it
	Packages []string // folders whose packages are built from it
	Readers  []string // source files that name it
	All      bool     // any test may depend on it

	// Of a manifest: the external modules of which another version is used, in
	// the language Lang, by the packages below the folder Module.
	Lang    string
	Module  string
	Modules []string
}

// pathOf is a folder as path.Dir gives it.
func pathOf(dir string) string { return path.Clean("./" + dir) }

// packagesIn returns the packages with files in the given folders, tests left
// out.
func (p *programs) packagesIn(dirs []string) []graph.ID {
	var out []graph.ID
	for _, dir := range dirs {
		for i := range p.g.Files {
			f := &p.g.Files[i]
			if path.Dir(f.Path) != pathOf(dir) || p.g.Nodes[f.Node].Flags.Has(graph.FlagTest) {
				continue
			}
			if pkg := diff.PackageOf(p.g, f.Node); pkg != graph.None {
				out = append(out, pkg)
			}
		}
	}
	return out
}

// importing returns the folders whose tests have a package in their program
// that imports something of one of the modules. A module that nothing imports
// may be used by any other one.
func (p *programs) importing(in *Input) map[string]bool {
	var files, others []graph.ID
	found := make([]bool, len(in.Modules))
	for i := range p.g.Edges {
		e := &p.g.Edges[i]
		if e.Kind != graph.EdgeImports || p.g.Nodes[e.To].Kind != graph.KindExternal {
			continue
		}
		pkg, _ := graph.SplitKey(p.g.Nodes[e.To].Key)
		lang, imported, _ := strings.Cut(strings.TrimPrefix(pkg, "ext:"), ":")
		if f := p.g.Nodes[e.From].File; lang != in.Lang || in.Module != "" && !strings.HasPrefix(f, in.Module+"/") || diff.PackageOf(p.g, e.From) == graph.None {
			continue
		}
		if p.g.Nodes[e.To].Flags.Has(graph.FlagOpaque) {
			others = append(others, e.From)
		}
		for k, m := range in.Modules {
			if imported == m || strings.HasPrefix(imported, m+"/") {
				found[k] = true
				files = append(files, e.From)
			}
		}
	}
	if slices.Contains(found, false) {
		files = append(files, others...)
	}
	return p.containing(files)
}
