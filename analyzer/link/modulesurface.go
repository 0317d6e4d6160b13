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
	l.moduleHeads(ev)
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
				l.mods.marks[l.canon[e]] |= isFluent
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

// moduleHeads finds what aliases stand for, what types extend and implement, and
// what type parameters may be. They may name each other.
func (l *linker) moduleHeads(ev *evaluator) {
	var heads, open []Ent
	l.eachFile(func(fn int32) {
		f := &l.files[fn]
		if f.Rules.Modules == nil {
			return
		}
		for i := range f.Facts.Decls {
			d, e := &f.Facts.Decls[i], f.base+Ent(i)
			if d.Kind == graph.KindTypeAlias && d.Traits&facts.TraitAlias != 0 && d.Type != facts.None || d.Kind.IsType() && d.Bases.Len()+d.Implements.Len() > 0 || d.TypeParams.Len() > 0 {
				heads, open = append(heads, e), append(open, e, l.paramOwner(e))
			}
		}
	})
	read := newReadings(len(l.entFile), open)
	ev.modules.reset()
	ev.modules.read = read
	groups := make([]int32, len(l.files)) // by file: what that has read
	var changed []Ent
	for round := range 4 {
		changed = changed[:0]
		for lo, hi := 0, 0; lo < len(heads); lo = hi {
			fn := l.entFile[heads[lo]]
			for hi < len(heads) && l.entFile[heads[hi]] == fn {
				hi++
			}
			if round > 0 && read.fresh(groups[fn]) {
				continue
			}
			ev.open(fn)
			g := read.begin()
			for _, e := range heads[lo:hi] {
				if l.moduleHead(ev, e) {
					changed = append(changed, e, l.paramOwner(e))
				}
			}
			groups[fn] = read.end(g)
		}
		if len(changed) == 0 {
			break
		}
		read.settle(changed, nil)
	}
	ev.modules.read = nil
}

// moduleHead finds what the head of a declaration says, and reports whether that is
// another than before.
func (l *linker) moduleHead(ev *evaluator, e Ent) bool {
	f, d, changed := ev.f, l.decl(e), false
	switch {
	case d.Kind == graph.KindTypeAlias && d.Traits&facts.TraitAlias != 0 && d.Type != facts.None:
		if t := ev.alias(d); t != l.typ[e] && t != unknownType {
			l.typ[e], changed = t, true
		}
	case d.Kind.IsType() && d.Bases.Len()+d.Implements.Len() > 0:
		changed = l.moduleBases(ev, e, d)
	}
	for j := d.TypeParams.Lo; j < d.TypeParams.Hi; j++ {
		owner, n := int32(l.paramOwner(e)), j-d.TypeParams.Lo
		p := &f.Facts.Params[j]
		if p.Type != facts.None {
			changed = change(&l.constraints, owner, n, ev.typeExpr(p.Type)) || changed
		}
		if p.Local != facts.None {
			if v := f.Facts.Locals[p.Local].Value; v != facts.None {
				changed = change(&l.mods.defaults, owner, n, ev.typeExpr(v)) || changed
			}
		}
	}
	return changed
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
// of the round before. It looks again at the files that have read what has changed.
func (l *linker) moduleRounds(ev *evaluator, open []Ent) {
	read := newReadings(len(l.entFile), open)
	ev.modules.reset()
	ev.modules.read = read
	next := make([]Type, len(open))       // what the last look at it has found
	groups := make([]int32, len(l.files)) // by file: what that has read
	unrolled := map[Ent]int{}             // of aliases: how often they became deeper
	var changed, settled []Ent
	for round := range maxModuleRounds {
		changed, settled = changed[:0], settled[:0]
		for lo, hi := 0, 0; lo < len(open); lo = hi {
			fn := l.entFile[open[lo]]
			for hi < len(open) && l.entFile[open[hi]] == fn {
				hi++
			}
			if round > 0 && read.fresh(groups[fn]) {
				continue
			}
			ev.open(fn)
			g := read.begin()
			for i, e := range open[lo:hi] {
				var bases bool
				if next[lo+i], bases = l.inferred(ev, e); bases {
					changed = append(changed, e)
				}
			}
			groups[fn] = read.end(g)
		}
		kept := open[:0]
		for i, e := range open {
			if next[i] != l.typ[e] && next[i] != unknownType {
				if l.decl(e).Kind == graph.KindTypeAlias && l.typ[e] != unknownType && l.types.rec(next[i]).depth > l.types.rec(l.typ[e]).depth {
					if unrolled[e]++; unrolled[e] >= maxUnrolled {
						settled = append(settled, e)
						continue
					}
				}
				l.typ[e] = next[i]
				changed = append(changed, e)
			}
			if l.decl(e).Kind.IsType() || l.types.mentionsUnknown(next[i]) {
				next[len(kept)] = next[i]
				kept = append(kept, e)
			} else {
				settled = append(settled, e)
			}
		}
		open = kept
		if len(changed) == 0 {
			break
		}
		read.settle(changed, settled)
	}
	memos := ev.modules.own
	memos.stale = read.stale
	l.mods.memos = &memos
	ev.modules.read = nil
	ev.modules.reset()
}

// inferred returns the type of a declaration as it follows from the surfaces that
// are known so far, and reports whether it has other bases now.
func (l *linker) inferred(ev *evaluator, e Ent) (Type, bool) {
	d := l.decl(e)
	switch {
	case d.Kind == graph.KindTypeAlias:
		return ev.alias(d), false
	case d.Kind.IsType():
		return l.typ[e], l.moduleBases(ev, e, d)
	case d.Kind.IsCallable():
		return ev.functionType(facts.DeclID(e - ev.f.base)), false
	case d.Type != facts.None:
		return ev.fieldType(d), false
	case d.Kind == graph.KindConstant:
		return ev.typeOf(d.Value), false
	}
	t := ev.widened(ev.typeOf(d.Value))
	if l.mods.is(e, isMaker) { // it is given members
		t = ev.both([]Type{l.types.mk(kAnon, e, 0), t})
	}
	return t, false
}
