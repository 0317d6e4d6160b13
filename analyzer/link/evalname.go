package link

import "github.com/codekg/kg/analyzer/facts"

func (ev *evaluator) evalName(x *facts.Expr) (Type, Ent) {
	if x.Flags&facts.FlagLocal != 0 {
		return ev.localType(facts.LocalID(x.X))
	}
	if x.Flags&facts.FlagKey != 0 {
		return unknownType, noEnt // the composite decides
	}
	return ev.free(ev.f.syms[x.Name])
}

// variant returns the entity that stands for a canonical one in files with the
// constraint of the file: there a name means what the same platform declares,
// under the same constraint or else under one that holds wherever the file's does.
func (ev *evaluator) variant(e Ent) Ent {
	if ev.where == "" {
		return e
	}
	vs := ev.l.others[e]
	for _, v := range vs {
		if v.constraint == ev.where {
			return v.ent
		}
	}
	for _, v := range vs {
		if ev.implies(ev.where, v.constraint) {
			return v.ent
		}
	}
	return e
}

// implies reports whether a file with constraint b is part of every build that
// one with constraint a is part of.
func (ev *evaluator) implies(a, b string) bool {
	if ev.lang.Implies == nil {
		return false
	}
	k := [2]string{a, b}
	yes, known := ev.implied[k]
	if !known {
		yes = ev.lang.Implies(a, b)
		ev.implied[k] = yes
	}
	return yes
}

// free returns what a free name means in the file: a declaration of its unit,
// an import, a name of a unit imported as a whole, or a name of the universe.
func (ev *evaluator) free(name Sym) (Type, Ent) {
	l := ev.l
	if e := l.pkgScope.get(ev.f.unit, name); e >= 0 {
		return ev.entity(Ent(e))
	}
	if im := l.fileScope.get(ev.fn, name); im >= 0 {
		return ev.pkgType(im), noEnt
	}
	for _, im := range l.dotImports[ev.fn] {
		path := ev.f.Facts.Str(ev.f.Facts.Imports[im].Path)
		if u := l.resolveImport(ev.f.unit, path); u >= 0 {
			if e := l.pkgScope.get(u, name); e >= 0 {
				return ev.entity(Ent(e))
			}
		}
	}
	if e := l.pkgScope.get(ev.lang.universe, name); e >= 0 {
		return ev.entity(Ent(e))
	}
	return unknownType, noEnt
}

// pkgType returns the type of the package that an import of the file names.
func (ev *evaluator) pkgType(at int32) Type {
	if len(ev.pkgs) == 0 {
		ev.pkgs = zeroed(ev.pkgs, len(ev.f.Facts.Imports))
	}
	if ev.pkgs[at] == unknownType {
		im := &ev.f.Facts.Imports[at]
		u := ev.l.resolveImport(ev.f.unit, ev.f.Facts.Str(im.Path))
		ev.pkgs[at] = ev.types.mk(kPkg, Ent(ev.f.syms[im.Path]), u)
	}
	return ev.pkgs[at]
}

// entity returns the type of a declaration named from anywhere.
func (ev *evaluator) entity(e Ent) (Type, Ent) {
	e = ev.variant(e)
	return ev.l.typ[e], e
}

func (ev *evaluator) localType(id facts.LocalID) (Type, Ent) {
	lo := &ev.f.Facts.Locals[id]
	switch lo.Kind {
	case facts.LocalTypeParam:
		return ev.types.meta(ev.typeParam(lo)), noEnt
	case facts.LocalType:
		e := ev.f.base + Ent(lo.Decl)
		return ev.surface(e), e
	case facts.LocalFunc:
		e := ev.f.base + Ent(lo.Decl)
		return ev.surface(e), e
	}
	switch ev.lstat[id] {
	case evalDone:
		return ev.local[id], noEnt
	case evalOpen:
		return unknownType, noEnt
	}
	ev.lstat[id] = evalOpen
	t := unknownType
	if lo.Type != facts.None {
		t = ev.typeExpr(lo.Type)
	} else if ev.lang.mod != nil {
		t = ev.localValue(id, lo)
	} else if lo.Value != facts.None {
		t = ev.value(lo.Value)
		if r := ev.types.rec(t); r.kind == kOutside && r.hi > r.lo {
			t = ev.outsideLocal(id, t)
		}
	}
	ev.local[id], ev.lstat[id] = t, evalDone
	return t, noEnt
}

// typeParam returns the type of a type parameter. The ones of a member that is
// declared outside its type are the type's own.
func (ev *evaluator) typeParam(lo *facts.Local) Type {
	e := ev.f.base + Ent(lo.Decl)
	if o := ev.l.owner[e]; o != noEnt {
		e = o
	}
	return ev.types.mk(kParam, ev.l.paramOwner(e), int32(lo.Index))
}
