package python

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// std.kgs is the API of the standard library, made by surfacegen from the stubs
// of typeshed (Apache License 2.0).
//
//go:generate go run ./surfacegen -stubs DIR -o std.kgs
//go:embed std.kgs
var stdArchive string

// builtins is the module whose names need no import.
const builtins = "builtins"

var std = sync.OnceValue(func() *facts.Archive {
	a, err := facts.OpenLibrary(stdArchive)
	if err != nil {
		panic("python: " + err.Error())
	}
	return a
})

// stdSurface returns the facts of a module of the standard library.
func stdSurface(path string) *facts.Group {
	if path == builtins {
		return nil // the universe
	}
	return std().Group(path)
}

// universe declares the names that need no import: those of builtins, and the
// class of None.
func universe() *facts.Group { return std().Group(builtins) }

// Surface returns the API that a stub declares. Relative imports become those
// of the modules that they mean for the module with the given name.
func Surface(src []byte, module string, pkg bool) (*facts.File, error) {
	p := syntax.NewParser()
	p.Limits.Bytes = max(p.Limits.Bytes, 16<<20)
	defer p.Close()
	t, err := p.Parse(grammar(), src)
	if err != nil {
		return nil, err
	}
	var b facts.Builder
	f := Extract(t, &b)
	absolute(f, module, pkg)
	f.Package = addString(f, module)
	if module == builtins {
		exprs, locals := int32(len(f.Exprs)), int32(len(f.Locals))
		f.Decls = append(f.Decls, facts.Decl{Kind: graph.KindClass, Name: addString(f, null), Parent: none, Type: none, Value: none,
			Exprs: facts.Span{Lo: exprs, Hi: exprs}, Locals: facts.Span{Lo: locals, Hi: locals}})
	}
	f.Flows = nil // no body is of interest
	for i := range f.Decls {
		d := &f.Decls[i]
		d.Signature, d.Doc, d.Body, d.DocHash, d.Tokens, d.Branches = 0, 0, [16]byte{}, [8]byte{}, 0, 0
		clear(d.MinHash[:])
		d.DefLine, d.Line, d.Col, d.EndLine = 0, 0, 0, 0
		d.Flows = facts.Span{}
	}
	for i := range f.Exprs {
		f.Exprs[i].Line, f.Exprs[i].Col = 0, 0
	}
	for i := range f.Imports {
		f.Imports[i].Line, f.Imports[i].Col = 0, 0
	}
	for i := range f.Directives {
		f.Directives[i].Line, f.Directives[i].Col = 0, 0
	}
	return f, f.Check()
}

// absolute rewrites relative imports.
func absolute(f *facts.File, module string, pkg bool) {
	for i := range f.Imports {
		im := &f.Imports[i]
		p := f.Str(im.Path)
		rest := strings.TrimLeft(p, ".")
		if rest == p {
			continue
		}
		base := module
		up := len(p) - len(rest)
		if pkg {
			up--
		}
		for range up {
			if k := strings.LastIndexByte(base, '.'); k >= 0 {
				base = base[:k]
			} else {
				base = ""
			}
		}
		if rest != "" && base != "" {
			base += "."
		}
		im.Path = addString(f, base+rest)
	}
}

func addString(f *facts.File, s string) facts.Str {
	for i, t := range f.Strings {
		if t == s {
			return facts.Str(i)
		}
	}
	f.Strings = append(slices.Clip(f.Strings), s)
	return facts.Str(len(f.Strings) - 1)
}
