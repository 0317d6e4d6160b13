package golang

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// std.kgs is the API of the standard library, made by surfacegen.
//
//go:generate go run ./surfacegen -o std.kgs
//go:embed std.kgs
var stdArchive []byte

var std = sync.OnceValue(func() *facts.Archive {
	if len(stdArchive) == 0 {
		return facts.NewArchive()
	}
	a, err := facts.OpenArchive(stdArchive)
	if err != nil {
		panic("golang: " + err.Error())
	}
	return a
})

// stdSurface returns the facts of a package of the standard library.
func stdSurface(path string) []*facts.File { return std().Files(path) }

// Surface returns the API of one file of a library: exported names, all types
// with their exported fields and methods, and whatever those mention. It
// returns nil for a file that the default platform does not build.
func Surface(base string, src []byte) (*facts.File, error) {
	p := syntax.NewParser()
	p.Limits.Bytes = max(p.Limits.Bytes, 8<<20)
	defer p.Close()
	t, err := p.Parse(grammar(), src)
	if err != nil {
		return nil, err
	}
	var b facts.Builder
	b.Reset()
	f := Extract(t, &b)
	if _, def, _ := fileConstraint(base, f.Str(f.Constraint)); !def {
		return nil, nil
	}
	s := f.Surface(func(id facts.DeclID) bool {
		d := &f.Decls[id]
		if d.Traits&(facts.TraitLiteral|facts.TraitLocal|facts.TraitFileScoped|facts.TraitAnonymous) != 0 {
			return false
		}
		exported := d.Vis == graph.Public && !strings.HasPrefix(f.Str(d.Name), "_")
		switch {
		case d.Kind.IsType():
			return true
		case d.Parent != facts.None: // fields and methods of interfaces
			return exported || d.Traits&facts.TraitEmbedded != 0 || d.Kind == graph.KindMethod
		case d.Owner != 0: // others only as marks that an interface asks for
			return exported || d.Params.Len() == 0 && d.Results.Len() == 0
		}
		return exported
	})
	s.Constraint = 0
	s.Imports = usedImports(s)
	return s, s.Check()
}

// usedImports returns the imports that the kept declarations name. Every
// package of the standard library is called by the last part of its path that
// is no version.
func usedImports(f *facts.File) []facts.Import {
	used := map[string]bool{}
	for i := range f.Exprs {
		if x := &f.Exprs[i]; x.Op == facts.OpSelect && x.X >= 0 && f.Exprs[x.X].Op == facts.OpName {
			used[f.Str(f.Exprs[x.X].Name)] = true
		}
	}
	return slices.DeleteFunc(f.Imports, func(im facts.Import) bool {
		name := f.Str(im.Alias)
		if name == "" {
			parts := strings.Split(f.Str(im.Path), "/")
			name = parts[len(parts)-1]
			if len(parts) > 1 && len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
				name = parts[len(parts)-2]
			}
		}
		return name != "." && !used[name]
	})
}
