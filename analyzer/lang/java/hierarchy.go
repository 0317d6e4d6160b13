package java

import (
	"strings"

	"github.com/codekg/kg/analyzer/facts"
)

// standardSupertypes returns the direct supertypes of a type of the JDK that no
// other type encloses, by their qualified names without type arguments; those
// of which the package is not known are left out.
func standardSupertypes(name string) []string {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return nil
	}
	pkg, simple := name[:dot], name[dot+1:]
	for _, f := range stdSurface(pkg).Named(simple) {
		for i := range f.Decls {
			d := &f.Decls[i]
			if d.Parent != facts.None || !d.Kind.IsType() || f.Str(d.Name) != simple {
				continue
			}
			var out []string
			for _, list := range []facts.Span{d.Bases, d.Implements} {
				for _, x := range f.Lists[list.Lo:list.Hi] {
					if q := standardType(f, pkg, facts.ExprID(x)); q != "" {
						out = append(out, q)
					}
				}
			}
			return out
		}
	}
	return nil
}

// standardType returns the qualified name of a type expression in a file of a
// package of the JDK.
func standardType(f *facts.File, pkg string, x facts.ExprID) string {
	e := &f.Exprs[x]
	if e.Op == facts.OpIndex {
		e = &f.Exprs[e.X]
	}
	if e.Op != facts.OpName {
		return ""
	}
	name := f.Str(e.Name)
	for i := range f.Imports {
		if im := &f.Imports[i]; f.Str(im.Name) == name && im.Flags&facts.ImportStatic == 0 {
			return f.Str(im.Path) + "." + name
		}
	}
	for _, p := range []string{pkg, "java.lang"} {
		if stdSurface(p).Has(name) {
			return p + "." + name
		}
	}
	return ""
}
