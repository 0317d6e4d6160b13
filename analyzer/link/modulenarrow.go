package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// What conditions say of types.

// narrow returns the type of X where a condition holds, or does not.
func (ev *evaluator) narrow(x *facts.Expr) Type {
	was := ev.typeOf(x.X)
	fs := ev.f.Facts
	c := &fs.Exprs[x.Y]
	holds := x.N == 1
	switch c.Op {
	case facts.OpBinary:
		switch fs.Str(c.Name) {
		case "instanceof":
			return ev.only(was, ev.instanceOf(ev.typeOf(c.Y)), holds)
		case "in":
			k := &fs.Exprs[c.X]
			return ev.keep(was, func(m Type) tri {
				if ev.property(m, ev.f.syms[k.Name]).found {
					return yes
				}
				return no
			}, holds)
		case "===":
			return ev.equalTo(was, x, c, holds)
		}
	case facts.OpCall:
		return ev.guardedBy(was, x, c, holds)
	}
	return was
}

// only returns what is left of a type where a value is, or is not, of another.
func (ev *evaluator) only(was, is Type, holds bool) Type {
	t := ev.types
	if is == unknownType {
		if holds {
			return unknownType
		}
		return was
	}
	if !holds {
		return ev.keep(was, func(m Type) tri { return ev.assignable(m, is, 0) }, false)
	}
	out := unknownType
	for _, m := range t.members(was) {
		switch {
		case ev.assignable(m, is, 0) == yes:
			out = t.join(out, m)
		case ev.assignable(is, m, 0) == yes:
			out = t.join(out, is)
		}
	}
	if out == unknownType {
		return is
	}
	return out
}

// keep returns the members of a type for which a test is right, or is wrong.
// Those for which it is not known are kept.
func (ev *evaluator) keep(was Type, test func(Type) tri, holds bool) Type {
	t := ev.types
	out, left := unknownType, false
	for _, m := range t.members(was) {
		w := test(m)
		if w == maybe || (w == yes) == holds {
			out = t.join(out, m)
		} else {
			left = true
		}
	}
	if !left || out == unknownType {
		return was
	}
	return out
}

// equalTo narrows by typeof x === "…" and by x.kind === constant.
func (ev *evaluator) equalTo(was Type, x, c *facts.Expr, holds bool) Type {
	t, fs := ev.types, ev.f.Facts
	left := &fs.Exprs[c.X]
	var values []Type
	for _, v := range fs.List(c.Args) {
		values = append(values, ev.constantType(facts.ExprID(v)))
	}
	if len(values) == 0 {
		values = append(values, ev.constantType(c.Y))
	}
	switch {
	case left.Op == facts.OpUnary && fs.Str(left.Name) == "typeof":
		if v := *t.rec(values[0]); v.kind == kLit && len(values) == 1 {
			return ev.keep(was, func(m Type) tri { return ev.typeofIs(m, ev.l.symString(Sym(v.n))) }, holds)
		}
	case left.Op == facts.OpSelect:
		return ev.keep(was, func(m Type) tri {
			p := ev.property(m, ev.f.syms[left.Name])
			if !p.found {
				return maybe
			}
			out := no
			for _, v := range values {
				out = max(out, ev.mayBe(p.typ, v, holds))
			}
			return out
		}, holds)
	}
	return was
}

// constantType returns the type of a constant as one that tells its value.
func (ev *evaluator) constantType(e facts.ExprID) Type {
	if x := &ev.f.Facts.Exprs[e]; x.Flags&facts.FlagTyped != 0 {
		return ev.typeExpr(e)
	}
	if ref := ev.refOf(e); ref != noEnt && ev.l.decl(ref).Kind == graph.KindEnumMember {
		return ev.types.mk(kLit, ref, -1, ev.typeOf(e))
	}
	return ev.typeOf(e)
}

// mayBe reports whether a member of type x has the value v: no where all values
// that it may have are others, yes where it has no other.
func (ev *evaluator) mayBe(x, v Type, holds bool) tri {
	t := ev.types
	if t.kind(v) != kLit && !ev.isEmpty(v) {
		return maybe
	}
	same, other, open := 0, 0, 0
	for _, m := range t.members(x) {
		switch {
		case m == v:
			same++
		case t.kind(m) == kLit || ev.isEmpty(m):
			other++
		default:
			open++
		}
	}
	switch {
	case open > 0 || same+other == 0:
		return maybe
	case same == 0:
		return no
	case other == 0:
		return yes
	case holds:
		return yes
	}
	return maybe
}

// typeofIs reports whether typeof of a value of type x is a word.
func (ev *evaluator) typeofIs(x Type, word string) tri {
	t := ev.types
	r := *t.rec(x)
	is := ""
	switch r.kind {
	case kFunc, kMeta:
		is = "function"
	case kLit:
		return ev.typeofIs(t.arg(x, 0), word)
	case kTuple, kMap:
		is = "object"
	case kNamed, kAnon:
		switch {
		case x == ev.lang.tString:
			is = "string"
		case x == ev.lang.tInt:
			is = "number"
		case x == ev.lang.tBool:
			is = "boolean"
		case x == ev.lang.mod.undefined || x == ev.lang.mod.void:
			is = "undefined"
		case x == ev.lang.tNull:
			is = "object"
		case r.ent == noEnt:
			return maybe
		default:
			if f, _ := ev.callable(x); f != unknownType || ev.lang.mod.function != noEnt && ev.l.canon[r.ent] == ev.l.canon[ev.lang.mod.function] {
				is = "function"
			} else if ev.l.decl(r.ent).Kind == graph.KindEnum {
				return maybe
			} else if _, ok := ev.box(x); ok {
				return maybe
			} else {
				is = "object"
			}
		}
	default:
		return maybe
	}
	if is == word {
		return yes
	}
	return no
}

// guardedBy narrows by a call of a function that tells the type of a parameter.
func (ev *evaluator) guardedBy(was Type, x, c *facts.Expr, holds bool) Type {
	t, fs := ev.types, ev.f.Facts
	res := ev.call(x.Y)
	if res.open || t.kind(res.sig) != kFunc {
		return was
	}
	g := ev.resultOf(res.sig)
	if t.kind(g) != kGuard {
		return was
	}
	ev.advanceTo(c, res, 1<<15)
	g = ev.filled(res, g)
	n := t.rec(g).n
	if n >= assertsGuard-1 {
		n -= assertsGuard
	}
	about := facts.ExprID(facts.None)
	if n < 0 {
		if s := &fs.Exprs[c.X]; s.Op == facts.OpSelect {
			about = s.X
		}
	} else if args := fs.List(c.Args); int(n) < len(args) {
		about = facts.ExprID(args[n])
	}
	// The condition is about the variable itself, perhaps as it was narrowed
	// before.
	if about < 0 || fs.Exprs[about].Op != facts.OpName || fs.Exprs[about].Name != fs.Exprs[x.X].Name {
		return was
	}
	return ev.only(was, t.arg(g, 0), holds)
}
