package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Stubs beside sources: a file that only says of which types the declarations of
// another one are. What the source does not say itself counts as its stub says it.

// stub is a unit with the types of another one's declarations.
type stub struct{ unit, source int32 }

// stubs returns the stubs of all languages.
func (l *linker) stubs() []stub {
	var list []stub
	for _, s := range l.langs {
		if s.dyn == nil {
			continue
		}
		for _, p := range s.layout.Stubs {
			list = append(list, stub{s.firstUnit + int32(p.Unit), s.firstUnit + int32(p.Source)})
		}
	}
	return list
}

// stubNames lets the names of classes in stubs mean those of the sources.
func (l *linker) stubNames(list []stub) {
	for _, p := range list {
		l.eachStubDecl(p, func(e, of Ent) {
			if d := l.decl(e); d.Parent == facts.None && d.Kind.IsType() && l.decl(of).Kind.IsType() {
				l.pkgScope.set(p.unit, l.symOf(e, d.Name), int32(of))
			}
		})
	}
}

// stubTypes gives the declarations of sources the types that their stubs state.
// One of several signatures says nothing.
func (l *linker) stubTypes(list []stub) {
	s := l.slots
	for _, p := range list {
		l.eachStubDecl(p, func(e, of Ent) {
			d, od := l.decl(e), l.decl(of)
			switch {
			case d.Kind.IsType() || d.Traits&facts.TraitOverload != 0:
			case d.Kind.IsCallable() && od.Kind.IsCallable():
				f, o := &l.files[l.entFile[e]], &l.files[l.entFile[of]]
				for j := od.Params.Lo; j < od.Params.Hi; j++ {
					if o.Facts.Params[j].Type != facts.None {
						continue
					}
					for k := d.Params.Lo; k < d.Params.Hi; k++ {
						if f.syms[f.Facts.Params[k].Name] == o.syms[o.Facts.Params[j].Name] {
							s.param[s.base[l.entFile[of]]+j] = s.param[s.base[l.entFile[e]]+k]
						}
					}
				}
				if od.Results.Len() == 0 && d.Results.Len() > 0 {
					s.result[of] = s.result[e]
				}
			case !d.Kind.IsCallable() && !od.Kind.IsCallable() && !od.Kind.IsType() && d.Type != facts.None && od.Type == facts.None:
				l.typ[of] = l.typ[e]
			}
		})
	}
}

// eachStubDecl calls f for the declarations at the top of a stub and those of its
// classes that the source has, too.
func (l *linker) eachStubDecl(p stub, f func(e, of Ent)) {
	for _, fn := range l.units[p.unit].files {
		file := &l.files[fn]
		for i := range file.Facts.Decls {
			d := &file.Facts.Decls[i]
			if d.Name == 0 || d.Kind == graph.KindRoute {
				continue
			}
			of := noEnt
			if d.Parent == facts.None {
				of = Ent(l.pkgScope.get(p.source, file.syms[d.Name]))
			} else if q := &file.Facts.Decls[d.Parent]; q.Parent == facts.None && q.Kind.IsType() {
				if c := Ent(l.pkgScope.get(p.source, file.syms[q.Name])); c != noEnt && l.decl(c).Kind.IsType() {
					of = Ent(l.members.get(int32(c), file.syms[d.Name]))
				}
			}
			if of != noEnt && l.unitOf(of) == p.source {
				f(file.base+Ent(i), of)
			}
		}
	}
}
