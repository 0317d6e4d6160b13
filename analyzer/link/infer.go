package link

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
)

// What the type parameters of a chosen callable stand for, from its arguments
// and from where its result goes.

// slot is one type parameter that is inferred.
type slot struct {
	owner Ent
	n     int32
	bound Type
	given bool // the call says so, whatever its arguments are
}

// bind makes the type parameters in p stand for the parts of a.
func (ev *evaluator) bind(res *resolution, p, a Type, depth int) {
	t := ev.types
	if depth > 12 || p == unknownType || a == unknownType || !t.rec(p).params || a == ev.lang.tNull {
		return
	}
	switch r := *t.rec(p); r.kind {
	case kParam:
		for i := range res.params {
			s := &res.params[i]
			if s.owner != r.ent || s.n != r.n {
				continue
			}
			a = ev.boxed(a)
			if k := t.kind(a); k == kMeta || k == kTuple || k == kPkg || a == ev.lang.cls.void || a == p {
				return
			}
			switch {
			case s.bound == unknownType || t.mentionsUnknown(s.bound) && !t.mentionsUnknown(a):
				s.bound = a
			case s.bound != a && depth == 0 && ev.fits(s.bound, a, 0) == yes && ev.fits(a, s.bound, 0) != yes:
				s.bound = a // the wider one
			case s.bound != a && depth == 0 && ev.fits(a, s.bound, 0) == no:
				if as := ev.shared(s.bound, a); as != unknownType {
					s.bound = as
				}
			}
			return
		}
	case kNamed:
		as, _ := ev.asSuper(a, r.ent)
		if as == unknownType {
			return
		}
		ps, xs := t.argsOf(p), t.argsOf(as)
		for i := range min(len(ps), len(xs)) {
			ev.bind(res, ps[i], xs[i], depth+1)
		}
	case kSlice:
		if t.kind(a) == kSlice && !ev.lang.cls.primitive.has(t.arg(a, 0)) {
			ev.bind(res, t.arg(p, 0), t.arg(a, 0), depth)
		}
	}
}

// bound puts what the type parameters stand for into x. Those that are not
// bound are unknown.
func (ev *evaluator) bound(res *resolution, x Type) Type {
	t := ev.types
	for i := 0; i < len(res.params); {
		owner := res.params[i].owner
		var buf [32]Type
		n := 0
		for ; i < len(res.params) && res.params[i].owner == owner && n < len(buf); i++ {
			buf[n] = res.params[i].bound
			n++
		}
		x = t.subst(x, owner, buf[:n])
	}
	return x
}

// inferPlain infers type parameters from the arguments whose types do not
// depend on them.
func (ev *evaluator) inferPlain(e facts.ExprID, res *resolution, args []int32) {
	if len(res.params) == 0 {
		return
	}
	phase := ev.phaseOf(res.typ, args)
	for i, a := range args {
		if !ev.functional(facts.ExprID(a)) {
			ev.bind(res, ev.formal(res.typ, i, len(args), phase), ev.argument(facts.ExprID(a)), 0)
		}
	}
}

// advance infers type parameters from what the literals among the first
// arguments return, and from calls that needed their contexts.
func (ev *evaluator) advance(e facts.ExprID, res *resolution, upto int) {
	if len(res.params) == 0 || res.ent == noEnt {
		return
	}
	args := ev.f.Facts.List(ev.f.Facts.Exprs[e].Args)
	phase := ev.phaseOf(res.typ, args)
	for res.done < min(upto, len(args)) {
		i := res.done
		res.done++
		a := facts.ExprID(args[i])
		p := ev.formal(res.typ, i, len(args), phase)
		if !ev.types.rec(p).params {
			continue
		}
		op := ev.f.Facts.Exprs[a].Op
		switch {
		case ev.functional(a):
			ev.bindFunction(res, p, ev.typeOf(a))
		case op == facts.OpCall || op == facts.OpNew || op == facts.OpConditional:
			ev.bind(res, p, ev.typeOf(a), 0)
		}
	}
}

// bindFunction infers from a function that is given where type p, with one
// abstract method, is asked for.
func (ev *evaluator) bindFunction(res *resolution, p, f Type) {
	t := ev.types
	sam := ev.sam(p)
	if t.kind(sam) != kFunc || t.kind(f) != kFunc || t.rec(sam).funcParams() != t.rec(f).funcParams() {
		return
	}
	n := t.rec(sam).funcParams()
	for i := range n {
		ev.bind(res, t.arg(sam, i), t.arg(f, i), 0)
	}
	if len(t.argsOf(sam)) > n && len(t.argsOf(f)) > n {
		ev.bind(res, t.arg(sam, n), t.arg(f, n), 0)
	}
}

// expectations infers type parameters from the type that the context of a call
// expects.
func (ev *evaluator) expectations(e facts.ExprID, res *resolution) {
	if res.expected || len(res.params) == 0 {
		return
	}
	res.expected = true
	missing := false
	for i := range res.params {
		missing = missing || ev.types.mentionsUnknown(res.params[i].bound)
	}
	if !missing {
		return
	}
	want := ev.expected(e)
	if want == unknownType {
		return
	}
	result := res.result
	if result == unknownType {
		result = ev.resultOf(res.typ)
	}
	t := ev.types
	switch r := *t.rec(result); r.kind {
	case kParam:
		if !t.mentionsUnknown(want) {
			ev.bind(res, result, want, 1)
		}
	case kNamed:
		w := *t.rec(want)
		if w.kind != kNamed {
			return
		}
		as := result
		if w.ent != r.ent {
			as, _ = ev.asSuper(result, w.ent)
		}
		if as == unknownType {
			return
		}
		ps, xs := t.argsOf(as), t.argsOf(want)
		for i := range min(len(ps), len(xs)) {
			ev.bind(res, ps[i], xs[i], 1)
		}
	}
}

// resultSoFar returns the type of a call's result as far as plain arguments say
// it.
func (ev *evaluator) resultSoFar(res *resolution) Type {
	if res.closed {
		return res.resultTyp
	}
	if res.result != unknownType {
		return ev.bound(res, res.result)
	}
	if res.ent == noEnt {
		return unknownType
	}
	return ev.bound(res, ev.resultOf(res.typ))
}

// callType returns the type of the result of a call.
func (ev *evaluator) callType(e facts.ExprID) Type {
	res := ev.resolve(e)
	if res.closed {
		return res.resultTyp
	}
	if res.ent != noEnt && ev.types.kind(res.typ) == kFunc {
		ev.advance(e, res, 1<<15)
		r := res.result
		if r == unknownType {
			r = ev.resultOf(res.typ)
		}
		if ev.types.rec(r).params {
			ev.expectations(e, res)
		}
	} else if len(res.params) > 0 {
		ev.expectations(e, res)
	}
	out := ev.resultSoFar(res)
	if out == unknownType && res.ent != noEnt {
		return ev.atLeast(res.ent)
	}
	return out
}

// maxStandalone bounds the calls in arguments of calls that standalone looks at.
const maxStandalone = 8

// standalone returns the type that the result of a call, which is x, has where
// nothing is expected of it, as where a member of it is selected: a type parameter
// about which no argument says anything stands for what bounds it.
func (ev *evaluator) standalone(e facts.ExprID, x Type, depth int) Type {
	t := ev.types
	if op := ev.f.Facts.Exprs[e].Op; op != facts.OpCall && op != facts.OpNew || depth > maxStandalone ||
		x != unknownType && (t.kind(x) != kNamed || !t.mentionsUnknown(x)) {
		return x
	}
	res := ev.resolve(e)
	result := res.result
	if res.ent != noEnt && result == unknownType {
		result = ev.resultOf(res.typ)
	}
	if res.closed || len(res.params) == 0 || result == unknownType {
		return x
	}
	args := ev.f.Facts.List(ev.f.Facts.Exprs[e].Args)
	own := resolution{params: slices.Clone(res.params)}
	var phase int
	if callable := t.kind(res.typ) == kFunc; callable {
		phase = ev.phaseOf(res.typ, args)
	} else if len(args) > 0 {
		return x
	}
	for i := range own.params {
		s := &own.params[i]
		if s.bound != unknownType {
			continue
		}
		said := false
		for n, a := range args {
			p := ev.formal(res.typ, n, len(args), phase)
			if !ev.mentions(p, s, 0) {
				continue
			}
			said = true
			if !ev.functional(facts.ExprID(a)) {
				ev.bind(&own, p, ev.standalone(facts.ExprID(a), ev.argument(facts.ExprID(a)), depth+1), 0)
			}
		}
		if !said {
			s.bound = ev.lang.cls.root
			if b := ev.l.constraint(s.owner, int(s.n)); b != unknownType {
				s.bound = ev.erased(b, 0)
			}
		}
	}
	return ev.bound(&own, result)
}

// mentions reports whether the type parameter of a slot is part of a type.
func (ev *evaluator) mentions(x Type, s *slot, depth int) bool {
	t := ev.types
	r := t.rec(x)
	if !r.params || depth > 12 {
		return false
	}
	if r.kind == kParam {
		return r.ent == s.owner && r.n == s.n
	}
	return slices.ContainsFunc(t.argsOf(x), func(a Type) bool { return ev.mentions(a, s, depth+1) })
}

// atLeast returns what the result of a method is where it is a type parameter of
// the method's type, of which nothing is known, as on a raw type or one with a
// wildcard: what bounds the parameter, without arguments.
func (ev *evaluator) atLeast(m Ent) Type {
	t := ev.types
	if t.kind(ev.l.typ[m]) != kFunc {
		return unknownType
	}
	r := ev.resultOf(ev.l.typ[m])
	if rec := t.rec(r); rec.kind != kParam || !ev.l.decl(rec.ent).Kind.IsType() {
		return unknownType
	}
	b := t.rec(ev.erased(r, 0))
	if b.kind != kNamed || b.ent == ev.lang.cls.rootEnt {
		return unknownType
	}
	return t.mk(kNamed, b.ent, 0)
}

// expected returns the type that the context of an expression expects of it.
func (ev *evaluator) expected(e facts.ExprID) Type {
	if e < 0 || ev.depth > maxEvalDepth {
		return unknownType
	}
	ev.depth++
	defer func() { ev.depth-- }()
	x := &ev.f.Facts.Exprs[e]
	if !x.Op.HasContext() || x.Y < 0 {
		return unknownType
	}
	t := ev.types
	y := &ev.f.Facts.Exprs[x.Y]
	switch y.Op {
	case facts.OpCall, facts.OpNew:
		args := ev.f.Facts.List(y.Args)
		i := slices.Index(args, int32(e))
		if i < 0 {
			return unknownType
		}
		res := ev.resolve(x.Y)
		if res.open || res.ent == noEnt || t.kind(res.typ) != kFunc {
			return unknownType
		}
		p := ev.formal(res.typ, i, len(args), ev.phaseOf(res.typ, args))
		if !t.rec(p).params {
			return p
		}
		ev.advance(x.Y, res, i)
		if out := ev.bound(res, p); !t.mentionsUnknown(out) {
			return out
		}
		ev.expectations(x.Y, res)
		return ev.bound(res, p)
	case facts.OpConditional:
		return ev.expected(x.Y)
	case facts.OpFunc:
		sam := ev.sam(ev.expected(x.Y))
		if t.kind(sam) == kFunc && len(t.argsOf(sam)) > t.rec(sam).funcParams() {
			return t.arg(sam, t.rec(sam).funcParams())
		}
		return unknownType
	}
	yt := ev.typeOf(x.Y)
	if t.kind(yt) == kMeta {
		return t.arg(yt, 0)
	}
	return yt
}
