package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Attributes that nothing declares, in languages that let a method of the class or a
// function of the module give them.

// findFallbacks finds out whether the tree declares what gives attributes that are
// not declared, and if so, which attributes code assigns to: an object has these,
// whoever made them, and is not asked for them.
func (l *linker) findFallbacks() {
	for _, f := range l.ownFiles() {
		if f.Rules.Dynamic == nil {
			continue
		}
		by := l.units[f.unit].rules.dyn.fallback
		for i := range f.Facts.Decls {
			if d := &f.Facts.Decls[i]; d.Name != 0 && f.syms[d.Name] == by && l.givesAttributes(f.base+Ent(i)) {
				l.fallbacks = true
			}
		}
	}
	if !l.fallbacks {
		return
	}
	for _, f := range l.ownFiles() {
		if f.Rules.Dynamic == nil {
			continue
		}
		for i := range f.Facts.Exprs {
			if x := &f.Facts.Exprs[i]; x.Op == facts.OpSelect && x.Flags&facts.FlagWrite != 0 {
				l.setNamed(f.syms[x.Name], namedAssigned)
			}
		}
	}
}

// pretended reports whether no program has a declaration, which only checkers of
// types see.
func (l *linker) pretended(e Ent) bool { return l.decl(e).Traits&facts.TraitPretended != 0 }

// givesAttributes reports whether a declaration of the right name is there when the
// program runs.
func (l *linker) givesAttributes(e Ent) bool {
	d := l.decl(e)
	return d.Kind.IsCallable() && !l.pretended(e) && l.nodeOf[l.canon[e]] != graph.None
}

// fallback records what gives an attribute that is not declared: a method of the
// value's class, or a function of the module.
func (r *bodyReader) fallback(e facts.ExprID, x *facts.Expr) {
	ev := r.ev
	name, by := r.f.syms[x.Name], ev.lang.dyn.fallback
	if name == by || r.l.hasMember(name, namedAssigned) {
		return
	}
	for _, m := range ev.types.members(ev.typ[x.X]) {
		to := noEnt
		switch rec := ev.types.rec(m); {
		case rec.kind == kNamed || rec.kind == kSelf:
			if h := ev.find(m, name); h.ent != noEnt && !r.l.pretended(h.ent) || h.foreign {
				continue
			}
			to = ev.find(m, by).ent
		case rec.kind == kPkg && rec.n >= 0:
			if ev.nameIn(rec.n, name).kind != bindNone {
				continue
			}
			if b := ev.nameIn(rec.n, by); b.kind == bindEnt {
				to = b.ent
			}
		}
		if to == noEnt || !r.l.givesAttributes(to) {
			continue
		}
		s := r.site(x.Line, x.Col)
		s.Args = 1
		r.callTo(e, to, s, graph.Inferred)
	}
}
