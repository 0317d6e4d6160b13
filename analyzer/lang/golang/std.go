package golang

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

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
func stdSurface(path string) *facts.Group { return std().Group(path) }

// Source is one file of a library.
type Source struct {
	Name string // without folder
	Text []byte
}

// Surface returns the API of a package of a library: its exported declarations,
// with the exported fields and methods of types, and whatever those mention.
// Files that the default platform does not build are left out. It takes
// O(n·k) for k files that mention each other's declarations in a chain.
func Surface(files []Source) ([]*facts.File, error) {
	var fs []*facts.File
	declared := map[string]bool{}
	p := syntax.NewParser()
	p.Limits.Bytes = max(p.Limits.Bytes, 8<<20)
	defer p.Close()
	var b facts.Builder
	for _, src := range files {
		t, err := p.Parse(grammar(), src.Text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", src.Name, err)
		}
		b.Reset()
		f := Extract(t, &b)
		if _, def, _ := fileConstraint(src.Name, f); !def {
			continue
		}
		fs = append(fs, f)
		for i := range f.Decls {
			if d := &f.Decls[i]; d.Parent == facts.None && d.Owner == 0 {
				declared[f.Str(d.Name)] = true
			}
		}
	}
	surfaces := make([]*facts.File, len(fs))
	mentioned := map[string]bool{} // names that are not exported
	for {
		before := len(mentioned)
		for i, f := range fs {
			s := f.Surface(func(id facts.DeclID) bool { return visible(f, id, mentioned) })
			for j := range s.Exprs {
				if x := &s.Exprs[j]; x.Op == facts.OpName && x.Flags&facts.FlagLocal == 0 && declared[s.Str(x.Name)] {
					mentioned[s.Str(x.Name)] = true
				}
			}
			s.Constraint, s.Imports = 0, usedImports(s)
			surfaces[i] = s
		}
		if len(mentioned) == before {
			break
		}
	}
	surfaces = slices.DeleteFunc(surfaces, func(s *facts.File) bool { return len(s.Decls) == 0 })
	for i, s := range surfaces {
		if err := s.Check(); err != nil {
			return nil, fmt.Errorf("file %d: %w", i, err)
		}
	}
	return surfaces, nil
}

// visible reports whether users of a package can see a declaration of it.
func visible(f *facts.File, id facts.DeclID, mentioned map[string]bool) bool {
	d := &f.Decls[id]
	if d.Traits&(facts.TraitLiteral|facts.TraitLocal|facts.TraitFileScoped|facts.TraitAnonymous) != 0 {
		return false
	}
	exported := func(d *facts.Decl) bool { return d.Vis == graph.Public && !strings.HasPrefix(f.Str(d.Name), "_") }
	top := d
	for top.Parent != facts.None {
		top = &f.Decls[top.Parent]
	}
	switch {
	case top.Owner != 0: // a method
		if r, _ := utf8.DecodeRuneInString(f.Str(top.Owner)); !unicode.IsUpper(r) && !mentioned[f.Str(top.Owner)] {
			return false
		}
	case !exported(top) && !mentioned[f.Str(top.Name)]:
		return false
	}
	switch {
	case d == top && d.Owner == 0:
		return true
	case d.Parent != facts.None: // fields and methods of interfaces
		return exported(d) || d.Traits&facts.TraitEmbedded != 0 || d.Kind == graph.KindMethod
	}
	return exported(d) || d.Params.Len() == 0 && d.Results.Len() == 0 // others only as marks that an interface asks for
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
