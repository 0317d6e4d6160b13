package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Whether a value of one type may be given where another is wanted, by the
// members that both have.

// maxCompared bounds the members of a type that are compared.
const maxCompared = 64

// argumentFits reports whether an argument may be given where a type is wanted.
func (ev *evaluator) argumentFits(a facts.ExprID, to Type) tri {
	t := ev.types
	x := &ev.f.Facts.Exprs[a]
	switch k := t.kind(to); {
	case k == kUnknown || k == kExtern || t.isWide(to):
		return maybe
	case k == kParam:
		r := t.rec(to)
		if to = ev.constraint(r.ent, int(r.n)); to == unknownType {
			return yes
		}
	}
	switch x.Op {
	case facts.OpSpread:
		return maybe
	case facts.OpFunc:
		f, _ := ev.callable(to)
		if f == unknownType {
			switch {
			case ev.opaque(to):
				return maybe
			case ev.takesAll(to):
				return yes
			}
			return no
		}
		if r := t.rec(f); !r.isVariadic() {
			least, _ := ev.l.arity(ev.f.base + Ent(x.X))
			if least > r.funcParams() {
				return no
			}
		}
		if t.kind(ev.resultOf(f)) == kGuard && !ev.tells(facts.DeclID(x.X)) {
			return no
		}
		return yes
	case facts.OpLiteral:
		from := ev.typeOf(a)
		out := no
		for _, m := range t.members(to) {
			switch {
			case t.kind(m) == kLit && t.arg(m, 0) == from:
				out = max(out, maybe) // the value is not known here
			default:
				out = max(out, ev.assignable(from, m, 0))
			}
		}
		return out
	}
	return ev.assignable(ev.widened(ev.typeOf(a)), to, 0)
}

// tells reports whether a function literal is declared to tell the type of a
// parameter.
func (ev *evaluator) tells(d facts.DeclID) bool {
	fs := ev.f.Facts
	r := fs.Decls[d].Results
	if r.Len() == 0 || fs.Params[r.Lo].Type == facts.None {
		return false
	}
	return fs.Exprs[fs.Params[r.Lo].Type].Op == facts.OpGuard
}

// takesAll reports whether a type asks for no members: every object is of it.
func (ev *evaluator) takesAll(x Type) bool {
	r := *ev.types.rec(x)
	if r.kind != kAnon || r.ent == noEnt {
		return false
	}
	asks := ev.findProperty(x, ev.lang.mod.call, 0).found || ev.findProperty(x, ev.lang.mod.construct, 0).found
	complete := ev.eachMemberOf(x, r.ent, 0, func(_ Ent, d *facts.Decl, _ Sym) bool {
		asks = asks || d.Traits&facts.TraitOptional == 0
		return !asks
	})
	return complete && !asks
}

// opaque reports whether a type may be more than what is known of it.
func (ev *evaluator) opaque(x Type) bool {
	t := ev.types
	switch t.kind(x) {
	case kUnknown, kExtern, kParam, kMap:
		return true
	case kUnion, kBoth:
		if t.isWide(x) {
			return true
		}
		for _, a := range t.argsOf(x) {
			if ev.opaque(a) {
				return true
			}
		}
	case kNamed:
		m := ev.lang.mod
		return m.function != noEnt && ev.l.canon[t.rec(x).ent] == ev.l.canon[m.function]
	}
	return false
}

// assignable reports whether a value of type from may be given where to is
// wanted.
func (ev *evaluator) assignable(from, to Type, depth int) tri {
	switch {
	case from == unknownType || to == unknownType:
		return maybe
	case from == to:
		return yes
	case depth > 3:
		return maybe
	}
	m := &ev.modules
	k := uint64(from)<<33 | uint64(to)<<2 | uint64(depth) // it looks at members of members less deep
	if w := recall(m, &m.known.fits, &m.own.fits, k); w != nil {
		return *w
	}
	g := m.read.begin()
	w := ev.compare(from, to, depth)
	m.own.fits.put(k, w, m.read.end(g))
	return w
}

func (ev *evaluator) compare(from, to Type, depth int) tri {
	t, m := ev.types, ev.lang.mod
	fr, tr := *t.rec(from), *t.rec(to)
	if ev.isEmpty(from) {
		return maybe // whether null is told apart is a setting
	}
	switch {
	case fr.kind == kExtern || tr.kind == kExtern || t.isWide(from) || t.isWide(to):
		return maybe
	case tr.kind == kUnion:
		if fr.kind == kUnion {
			break
		}
		out := no
		for _, a := range t.argsOf(to) {
			out = max(out, ev.assignable(from, a, depth+1))
		}
		return out
	case tr.kind == kBoth:
		out := yes
		for _, a := range t.argsOf(to) {
			out = min(out, ev.assignable(from, a, depth+1))
		}
		return out
	case tr.kind == kParam:
		return maybe
	case tr.kind == kMap:
		return maybe
	case tr.kind == kLit:
		if fr.kind == kLit {
			return no
		}
		if from == t.arg(to, 0) {
			return maybe
		}
		return ev.assignable(from, t.arg(to, 0), depth+1) & maybe
	}
	switch fr.kind {
	case kUnion:
		out := yes
		for _, a := range t.argsOf(from) {
			if !ev.isEmpty(a) {
				out = min(out, ev.assignable(a, to, depth+1))
			}
		}
		return out
	case kLit, kGuard:
		return ev.assignable(ev.widened(from), to, depth)
	case kParam:
		if c := ev.constraint(fr.ent, int(fr.n)); c != unknownType {
			return ev.assignable(c, to, depth+1)
		}
		return maybe
	case kBoth:
		out := no
		for _, a := range t.argsOf(from) {
			out = max(out, ev.assignable(a, to, depth+1))
		}
		if out == no {
			return ev.structural(from, to, depth)
		}
		return out
	case kPkg:
		return maybe
	}
	if ev.isEmpty(to) {
		return no
	}
	switch tr.kind {
	case kFunc:
		f, _ := ev.callable(from)
		if f == unknownType {
			return no
		}
		if fr := t.rec(f); fr.ent != noEnt && !tr.isVariadic() {
			if least, _ := ev.l.arity(fr.ent); least > tr.funcParams() {
				return no
			}
		}
		if got := ev.resultOf(f); t.kind(ev.resultOf(to)) == kGuard && t.kind(got) != kGuard && got != unknownType {
			return no // it does not tell what its parameter is
		}
		return maybe
	case kMeta:
		if fr.kind != kMeta {
			return maybe
		}
		return ev.assignable(t.arg(from, 0), t.arg(to, 0), depth+1)
	case kTuple:
		if fr.kind != kTuple {
			return maybe & ev.assignable(from, t.mk(kNamed, m.list, 0, unknownType), depth+1)
		}
		return maybe
	case kNamed, kAnon:
		_, pf := ev.box(from)
		_, pt := ev.box(to)
		if tr.ent != noEnt && ev.l.decl(tr.ent).Kind == graph.KindEnum {
			if pf {
				return maybe
			}
			return no
		}
		if fr.kind == kNamed && ev.l.decl(fr.ent).Kind == graph.KindEnum && pt {
			return maybe
		}
		if pt || pf && pt {
			return no
		}
		return ev.structural(from, to, depth)
	}
	return maybe
}

// structural compares by members; a type that is declared to be another is it.
func (ev *evaluator) structural(from, to Type, depth int) tri {
	t := ev.types
	tr := *t.rec(to)
	if tr.ent == noEnt {
		return yes // {}
	}
	if as := ev.asBase(from, tr.ent, 0); as != unknownType {
		return ev.sameArgs(as, to, depth)
	}
	if f, _ := ev.callable(to); f != unknownType && t.kind(from) == kFunc {
		return maybe
	}
	if t.kind(from) == kMap {
		return maybe
	}
	out, any := yes, false
	n := 0
	complete := ev.eachMemberOf(to, tr.ent, 0, func(e Ent, d *facts.Decl, name Sym) bool {
		n++
		if n > maxCompared {
			out = min(out, maybe)
			return false
		}
		any = true
		if d.Vis != graph.Public { // what is private is one class's alone
			out = no
			return false
		}
		p := ev.property(from, name)
		if !p.found {
			if d.Traits&facts.TraitOptional != 0 {
				return true
			}
			if ev.opaque(from) {
				out = min(out, maybe)
				return true
			}
			out = no
			return false
		}
		if depth < 2 && p.typ != unknownType {
			if q := ev.property(to, name); q.found && ev.assignable(p.typ, q.typ, depth+1) == no {
				out = no
				return false
			}
		}
		return true
	})
	if !complete && out != no {
		return maybe
	}
	if !any && t.kind(from) != kAnon && out == yes {
		return maybe
	}
	return out
}

// sameArgs compares two instances of one type.
func (ev *evaluator) sameArgs(a, b Type, depth int) tri {
	out := yes
	xs, ys := ev.types.argsOf(a), ev.types.argsOf(b)
	for i := range min(len(xs), len(ys)) {
		if ev.assignable(xs[i], ys[i], depth+1) != yes {
			out = maybe
			if ev.assignable(xs[i], ys[i], depth+1) == no && ev.types.kind(ys[i]) == kNamed {
				return no
			}
		}
	}
	return out
}

// eachMemberOf calls f for the members that values of a type have by its
// declarations and its bases, until it returns false. It reports whether all of
// them are known.
func (ev *evaluator) eachMemberOf(x Type, owner Ent, depth int, f func(Ent, *facts.Decl, Sym) bool) bool {
	l := ev.l
	if depth > maxMemberDepth {
		return false
	}
	c := l.canon[owner]
	for _, e := range append([]Ent{c}, l.mods.mergedWith(c)...) {
		file := &l.files[l.entFile[e]]
		at := facts.DeclID(e - file.base)
		for i := int(at) + 1; i < len(file.Facts.Decls); i++ {
			d := &file.Facts.Decls[i]
			if d.Parent < at {
				break
			}
			if d.Parent != at || d.Name == 0 || d.Flags.Has(graph.FlagStatic) || d.Traits&(facts.TraitOverload|facts.TraitLiteral) != 0 ||
				d.Kind != graph.KindField && d.Kind != graph.KindMethod {
				continue
			}
			name := file.syms[d.Name]
			if m := ev.lang.mod; name == m.call || name == m.construct || name == m.index {
				continue
			}
			if !f(file.base+Ent(i), d, name) {
				return true
			}
		}
	}
	complete := true
	for _, b := range ev.basesOfType(x, owner) {
		switch r := *ev.types.rec(b); r.kind {
		case kNamed, kAnon:
			if r.ent != noEnt {
				complete = ev.eachMemberOf(b, r.ent, depth+1, f) && complete
			}
		default:
			complete = false
		}
	}
	return complete
}
