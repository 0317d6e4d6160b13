package link

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// The surfaces of languages with modules: what is declared, and what follows
// from values and bodies, in rounds that read the results of the round before.

// moduleSurfaces gives the declarations of modules their types.
func (l *linker) moduleSurfaces(ev *evaluator) {
	if !slices.ContainsFunc(l.langs, func(s *langState) bool { return s.Modules != nil }) {
		return
	}
	var open []Ent
	each := func(do func(fn int32, e Ent, d *facts.Decl)) {
		l.eachFile(func(fn int32) {
			f := &l.files[fn]
			if f.Rules.Modules == nil {
				return
			}
			ev.open(fn)
			for i := range f.Facts.Decls {
				do(fn, f.base+Ent(i), &f.Facts.Decls[i])
			}
		})
	}
	// Aliases and bases may name each other.
	for range 4 {
		changed := false
		ev.modules.reset()
		each(func(fn int32, e Ent, d *facts.Decl) {
			switch {
			case d.Kind == graph.KindTypeAlias && d.Traits&facts.TraitAlias != 0 && d.Type != facts.None:
				if t := ev.alias(d); t != l.typ[e] && t != unknownType {
					l.typ[e], changed = t, true
				}
			case d.Kind.IsType() && d.Bases.Len()+d.Implements.Len() > 0:
				changed = l.moduleBases(ev, e, d) || changed
			}
			f := &l.files[fn]
			for j := d.TypeParams.Lo; j < d.TypeParams.Hi; j++ {
				k := constraintKey{l.paramOwner(e), j - d.TypeParams.Lo}
				p := &f.Facts.Params[j]
				if p.Type != facts.None {
					if t := ev.typeExpr(p.Type); t != l.constraints[k] {
						l.constraints[k], changed = t, true
					}
				}
				if p.Local != facts.None {
					if v := f.Facts.Locals[p.Local].Value; v != facts.None {
						if t := ev.typeExpr(v); t != l.mods.defaults[k] {
							l.mods.defaults[k], changed = t, true
						}
					}
				}
			}
		})
		if !changed {
			break
		}
	}
	ev.modules.reset()
	each(func(fn int32, e Ent, d *facts.Decl) {
		switch {
		case d.Traits&facts.TraitLiteral != 0 && d.Traits&facts.TraitLocal != 0 && d.Results.Len() == 0:
			return // evaluated where it stands
		case d.Kind.IsType():
			return
		case d.Kind.IsCallable():
			l.typ[e] = ev.declaredFunction(facts.DeclID(e - l.files[fn].base))
			if d.Results.Len() > 0 && l.isThis(fn, d) {
				l.mods.fluent[l.canon[e]] = true
			}
		case d.Type != facts.None:
			l.typ[e] = ev.fieldType(d)
		}
	})
	l.eachFile(func(fn int32) {
		f := &l.files[fn]
		if f.Rules.Modules == nil {
			return
		}
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			e := f.base + Ent(i)
			switch {
			case d.Traits&facts.TraitLiteral != 0 || d.Kind == graph.KindNamespace:
			case d.Kind == graph.KindTypeAlias:
				if d.Type != facts.None && l.types.mentionsUnknown(l.typ[e]) {
					open = append(open, e)
				}
			case d.Kind.IsType():
				if d.Bases.Len() > 0 {
					open = append(open, e)
				}
			case d.Type != facts.None || d.Value != facts.None || d.Kind.IsCallable():
				if l.types.mentionsUnknown(l.typ[e]) {
					open = append(open, e)
				}
			}
		}
	})
	l.moduleRounds(ev, open)
}

// isThis reports whether a function's declared result is this.
func (l *linker) isThis(fn int32, d *facts.Decl) bool {
	f := &l.files[fn]
	x := f.Facts.Params[d.Results.Lo].Type
	return x >= 0 && f.Facts.Exprs[x].Op == facts.OpSelf
}

// alias returns what an alias stands for: a type, or the namespace or value that
// it names.
func (ev *evaluator) alias(d *facts.Decl) Type {
	t := ev.typeOf(d.Type)
	switch ev.types.kind(t) {
	case kMeta, kPkg, kExtern:
		return t
	}
	return unknownType
}

// fieldType returns the declared type of a field or variable.
func (ev *evaluator) fieldType(d *facts.Decl) Type { return ev.typeExpr(d.Type) }

// moduleBases finds the types that a class or interface extends and implements.
func (l *linker) moduleBases(ev *evaluator, e Ent, d *facts.Decl) bool {
	var buf [16]Type
	fresh := buf[:0]
	f := ev.f
	for _, x := range f.Facts.Lists[d.Bases.Lo:d.Bases.Hi] {
		if d.Kind == graph.KindClass {
			fresh = append(fresh, ev.instanceOf(ev.typeOf(facts.ExprID(x))))
		} else {
			fresh = append(fresh, ev.typeExpr(facts.ExprID(x)))
		}
	}
	for _, x := range f.Facts.Lists[d.Implements.Lo:d.Implements.Hi] {
		fresh = append(fresh, ev.typeExpr(facts.ExprID(x)))
	}
	if slices.Equal(fresh, l.basesOf(e)) {
		return false
	}
	lo := int32(len(l.baseTypes))
	l.baseTypes = append(l.baseTypes, fresh...)
	l.bases[e] = facts.Span{Lo: lo, Hi: int32(len(l.baseTypes))}
	return true
}

// declaredFunction returns the type of a function as far as it is declared.
func (ev *evaluator) declaredFunction(d facts.DeclID) Type {
	fs := ev.f.Facts
	decl := &fs.Decls[d]
	var small [8]Type
	ts := small[:0]
	variadic := false
	for _, p := range fs.Params[decl.Params.Lo:decl.Params.Hi] {
		pt := unknownType
		if p.Type != facts.None {
			pt = ev.typeExpr(p.Type)
		}
		ts = append(ts, pt)
		variadic = p.Flags&graph.ParamVariadic != 0
	}
	n := len(ts)
	rt := unknownType
	if decl.Results.Len() > 0 {
		rt = ev.typeExpr(fs.Params[decl.Results.Lo].Type)
	}
	ts = append(ts, rt)
	return ev.types.intern(kFunc, ev.f.base+Ent(d), funcShape(n, variadic), ts)
}

// maxModuleRounds bounds the rounds in which types follow from values and
// bodies.
const maxModuleRounds = 8

// maxUnrolled is how often an alias that names itself, alone or through others, is
// replaced by what it stands for within itself. Inside of that it is unknown.
const maxUnrolled = 3

// moduleRounds infers the surfaces of declarations, each round from the results
// of the round before.
func (l *linker) moduleRounds(ev *evaluator, open []Ent) {
	next := make([]Type, len(open))
	unrolled := map[Ent]int{} // of aliases: how often they became deeper
	var again []bool          // by file: whether to look at it; nil: at all
	var fresh []Ent           // what has another type than the round before
	for range maxModuleRounds {
		ev.modules.reset()
		bases := false
		fn := int32(-1)
		for i, e := range open {
			f := l.entFile[e]
			if again != nil && !again[f] {
				next[i] = l.typ[e]
				continue
			}
			if f != fn {
				fn = f
				ev.open(fn)
			}
			d := l.decl(e)
			switch {
			case d.Kind == graph.KindTypeAlias:
				next[i] = ev.alias(d)
			case d.Kind.IsType():
				next[i] = l.typ[e]
				bases = l.moduleBases(ev, e, d) || bases
			case d.Kind.IsCallable():
				next[i] = ev.functionType(facts.DeclID(e - ev.f.base))
			case d.Type != facts.None:
				next[i] = ev.fieldType(d)
			case d.Kind == graph.KindConstant:
				next[i] = ev.typeOf(d.Value)
			default:
				next[i] = ev.widened(ev.typeOf(d.Value))
				if l.mods.makers[e] { // it is given members
					next[i] = ev.both([]Type{l.types.mk(kAnon, e, 0), next[i]})
				}
			}
		}
		kept := open[:0]
		fresh = fresh[:0]
		for i, e := range open {
			if next[i] != l.typ[e] && next[i] != unknownType {
				if l.decl(e).Kind == graph.KindTypeAlias && l.typ[e] != unknownType && l.types.rec(next[i]).depth > l.types.rec(l.typ[e]).depth {
					if unrolled[e]++; unrolled[e] >= maxUnrolled {
						continue
					}
				}
				l.typ[e] = next[i]
				fresh = append(fresh, e)
			}
			if l.decl(e).Kind.IsType() || l.types.mentionsUnknown(next[i]) {
				kept = append(kept, e)
			}
		}
		open = kept
		next = next[:len(open)]
		if len(fresh) == 0 && !bases {
			break
		}
		again = nil
		if !bases && len(fresh) < len(open)/8 {
			again = l.mentioning(fresh)
		}
	}
	ev.modules.reset()
}

// mentioning returns, by file, whether something in it may have another type now
// that the given declarations have: they are in it, or it mentions one of their
// names, or a name that one gets where it is imported or exported.
func (l *linker) mentioning(fresh []Ent) []bool {
	files, names := make([]bool, len(l.files)), make([]bool, len(l.symNames))
	for _, e := range fresh {
		f := &l.files[l.entFile[e]]
		files[l.entFile[e]] = true
		names[f.syms[l.decl(e).Name]] = true
	}
	for more := true; more; {
		more = false
		l.eachFile(func(fn int32) {
			f := &l.files[fn]
			for i := range f.Facts.Imports {
				if im := &f.Facts.Imports[i]; im.Alias != 0 && (im.Name == 0 || names[f.syms[im.Name]]) && !names[f.syms[im.Alias]] {
					names[f.syms[im.Alias]], more = true, true
				}
			}
		})
	}
	l.eachFile(func(fn int32) {
		f := &l.files[fn]
		for i := 0; i < len(f.Facts.Exprs) && !files[fn]; i++ {
			x := &f.Facts.Exprs[i]
			files[fn] = x.Name != 0 && names[f.syms[x.Name]]
		}
	})
	return files
}
