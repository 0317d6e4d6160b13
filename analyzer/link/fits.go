package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Whether a value of one type is accepted where another is expected, by the
// phases of a call: as it is, with boxing, with a variable number of arguments.

// tri is an answer that may be unknown.
type tri uint8

const (
	no tri = iota
	maybe
	yes
)

func (ev *evaluator) argFits(a facts.ExprID, to Type, phase int) tri {
	x := &ev.f.Facts.Exprs[a]
	t := ev.types
	switch x.Op {
	case facts.OpFunc:
		return ev.literalFits(x, to)
	case facts.OpMethodRef:
		if to == unknownType || t.kind(to) == kExtern || t.kind(to) == kParam {
			return maybe
		}
		if sam := ev.sam(to); t.kind(sam) != kFunc {
			return ev.noSam(to)
		}
		return ev.refFits(a, x, to)
	case facts.OpConditional:
		if !ev.functional(a) && ev.lang.cls.primitive.has(ev.typeOf(a)) {
			return ev.fits(ev.typeOf(a), to, phase)
		}
		out := yes
		for _, b := range ev.f.Facts.List(x.Args) {
			out = min(out, ev.argFits(facts.ExprID(b), to, max(phase, 1)))
		}
		return out
	}
	return ev.fits(ev.argument(a), to, phase)
}

// literalFits reports whether a function literal can be what is asked for.
func (ev *evaluator) literalFits(x *facts.Expr, to Type) tri {
	t := ev.types
	if k := t.kind(to); k == kUnknown || k == kExtern || k == kParam {
		return maybe
	}
	sam := ev.sam(to)
	if t.kind(sam) != kFunc {
		return ev.noSam(to)
	}
	d := &ev.f.Facts.Decls[x.X]
	if t.rec(sam).funcParams() != d.Params.Len() {
		return no
	}
	void := len(t.argsOf(sam)) == t.rec(sam).funcParams()
	returns, body := false, facts.ExprID(facts.None)
	for i := d.Flows.Lo; i < d.Flows.Hi; i++ {
		if f := &ev.f.Facts.Flows[i]; f.Kind == facts.FlowReturn && facts.DeclID(f.To) == facts.DeclID(x.X) {
			returns, body = true, f.From
		}
	}
	switch {
	case d.Traits&facts.TraitExpression != 0:
		if void && body >= 0 && !ev.statement(body) {
			return no
		}
		if !void && body >= 0 && ev.state[body] == evalDone && ev.typ[body] == ev.lang.cls.void && ev.typ[body] != unknownType {
			return no
		}
	case void && returns:
		return no
	case !void && !returns && d.Traits&facts.TraitEndless == 0:
		return no
	}
	out, explicit := yes, true
	for i := range d.Params.Len() { // explicit types are the same
		if p := ev.f.Facts.Params[int(d.Params.Lo)+i]; p.Type == facts.None {
			explicit = false
		} else {
			if pt, ft := ev.typeExpr(p.Type), t.arg(sam, i); pt != unknownType && ft != unknownType && !t.rec(ft).params && ev.erased(pt, 0) != ev.erased(ft, 0) {
				if ft != ev.lang.cls.root || ev.lang.cls.primitive.has(pt) {
					return no
				}
				out = maybe // where any type may stand, what is written does
			}
		}
	}
	if explicit && !void && ev.returnsElse(facts.DeclID(x.X), ev.resultOf(sam)) {
		return no
	}
	return out
}

// returnsElse reports whether a function literal, whose parameters have types of
// their own, returns something that surely is not what is asked for.
func (ev *evaluator) returnsElse(d facts.DeclID, want Type) bool {
	fs := ev.f.Facts
	if want == unknownType {
		return false
	}
	want = ev.erased(want, 0)
	decl := &fs.Decls[d]
	for i := decl.Flows.Lo; i < decl.Flows.Hi; i++ {
		f := &fs.Flows[i]
		if f.Kind != facts.FlowReturn || facts.DeclID(f.To) != d || f.From < 0 {
			continue
		}
		var got Type
		switch x := &fs.Exprs[f.From]; x.Op {
		case facts.OpCall, facts.OpNew:
			got = ev.argument(f.From)
		case facts.OpAssert:
			got = ev.typeExpr(x.Y)
		case facts.OpName:
			if got = ev.typeOf(f.From); ev.lang.cls.primitive.has(got) {
				got = unknownType // a constant may be narrower than its type
			}
		}
		if got != unknownType && ev.fits(ev.erased(got, 0), want, 1) == no {
			return true
		}
	}
	return false
}

// statement reports whether an expression may stand as a statement.
func (ev *evaluator) statement(e facts.ExprID) bool {
	x := &ev.f.Facts.Exprs[e]
	switch x.Op {
	case facts.OpCall, facts.OpNew:
		return true
	}
	return x.Flags&facts.FlagWrite != 0
}

// fits reports whether a value of type from can be given where type to is asked
// for: by subtyping and widening (phase 0), or also by boxing (1, 2).
func (ev *evaluator) fits(from, to Type, phase int) tri {
	t, c := ev.types, ev.lang.cls
	if from == to && from != unknownType {
		return yes
	}
	fk, tk := t.kind(from), t.kind(to)
	if from == ev.lang.tNull && from != unknownType {
		if c.primitive.has(to) {
			return no
		}
		return yes
	}
	if tk == kUnknown {
		return maybe
	}
	if fk == kUnion { // what a clause catches is any of several
		out := yes
		for _, a := range t.argsOf(from) {
			out = min(out, ev.fits(a, to, phase))
		}
		return out
	}
	if from == c.void && from != unknownType {
		return no
	}
	pf, pt := c.primitive.has(from), c.primitive.has(to)
	switch {
	case pf && pt:
		if c.widens[[2]Type{from, to}] {
			return yes
		}
		return no
	case pf:
		if phase == 0 {
			return no
		}
		b := c.box[from]
		if tk == kParam {
			return ev.boundFits(b, to)
		}
		return ev.fits(b, to, 0)
	case fk == kUnknown:
		return maybe
	case pt:
		if phase == 0 {
			if fk == kExtern {
				return no
			}
			if _, ok := ev.unboxing(from); ok {
				return no
			}
			return no
		}
		if p, ok := ev.unboxing(from); ok {
			if p == to || c.widens[[2]Type{p, to}] {
				return yes
			}
			return no
		}
		return no
	}
	if to == c.root {
		return yes
	}
	switch tk {
	case kParam:
		if from == to {
			return yes
		}
		return ev.boundFits(from, to)
	case kSlice:
		switch fk {
		case kSlice:
			a, b := t.arg(from, 0), t.arg(to, 0)
			if c.primitive.has(a) || c.primitive.has(b) {
				if a == b {
					return yes
				}
				if a == unknownType || b == unknownType {
					return maybe
				}
				if k := t.kind(b); k == kParam && !c.primitive.has(a) || t.kind(a) == kParam && !c.primitive.has(b) {
					return maybe
				}
				return no
			}
			return ev.fits(a, b, 0)
		case kParam:
			return no
		}
		return no
	case kExtern:
		if fk == kExtern {
			if t.rec(from).ent == t.rec(to).ent && t.rec(from).n == t.rec(to).n {
				return yes
			}
			return maybe
		}
		if fk == kSlice {
			return no
		}
		same := false
		foreign := ev.eachForeign(from, func(b Type) {
			same = same || t.kind(b) == kExtern && t.rec(b).ent == t.rec(to).ent && t.rec(b).n == t.rec(to).n
		})
		if same {
			return yes
		}
		if foreign {
			return maybe
		}
		return no
	case kNamed, kAnon:
		if fk == kExtern {
			// Nothing outside of the tree extends what is inside.
			r := t.rec(to)
			if !ev.l.units[ev.l.unitOf(r.ent)].surface {
				return no
			}
			if d := ev.l.decl(r.ent); d.Flags.Has(graph.FlagFinal) {
				return no
			}
			return maybe
		}
		as, foreign := ev.asSuper(from, t.rec(to).ent)
		if as != unknownType {
			if !ev.raw(from) && ev.apart(as, to) {
				return no
			}
			return yes
		}
		if foreign {
			if r := t.rec(to); ev.l.decl(r.ent).Flags.Has(graph.FlagFinal) || !ev.l.units[ev.l.unitOf(r.ent)].surface ||
				ev.isInterfaceType(from) && !ev.l.isInterface(r.ent) {
				return no // an interface has no class above it, whatever it extends
			}
			return maybe
		}
		return no
	case kUnion:
		return maybe
	}
	return maybe
}

// raw reports whether a type is a generic one without its arguments, which says
// nothing of those of the types above it.
func (ev *evaluator) raw(x Type) bool {
	r := ev.types.rec(x)
	return r.kind == kNamed && len(ev.types.argsOf(x)) == 0 && ev.l.decl(r.ent).TypeParams.Len() > 0
}

// apart reports whether two types of one generic type have arguments of which
// neither is above the other: whatever wildcards they stand for, no value is of
// both.
func (ev *evaluator) apart(a, b Type) bool {
	t := ev.types
	as, bs := t.argsOf(a), t.argsOf(b)
	for i := range min(len(as), len(bs)) {
		x, y := as[i], bs[i]
		if x == y || t.kind(y) != kNamed || ev.lang.cls.primitive.has(x) || ev.lang.cls.primitive.has(y) {
			continue
		}
		switch t.kind(x) {
		case kParam: // of the code around, which has no other type below it
			if ev.fits(x, ev.erased(y, 0), 0) == no {
				return true
			}
			continue
		case kNamed:
		default:
			continue
		}
		if x, y = ev.erased(x, 0), ev.erased(y, 0); x != y && ev.fits(x, y, 0) == no && ev.fits(y, x, 0) == no {
			return true
		}
	}
	return false
}

// unboxing returns the primitive type that values of a type can become.
func (ev *evaluator) unboxing(x Type) (p Type, ok bool) {
	ev.eachSuper(x, func(y Type) bool {
		if q := ev.unboxed(y); q != y {
			p, ok = q, true
		}
		return !ok && ev.types.kind(x) == kParam
	})
	return p, ok
}

// eachForeign calls f for the bases above x that are not known, and reports
// whether there are any.
func (ev *evaluator) eachForeign(x Type, f func(Type)) bool {
	return ev.eachSuper(x, func(y Type) bool {
		if r := ev.types.rec(y); (r.kind == kNamed || r.kind == kAnon) && r.ent != noEnt {
			for _, b := range ev.l.basesOf(r.ent) {
				if k := ev.types.kind(b); k == kExtern || k == kUnknown {
					f(b)
				}
			}
		}
		return true
	})
}

// boundFits reports whether a type may stand for a type parameter.
func (ev *evaluator) boundFits(from, param Type) tri {
	t := ev.types
	out := yes
	for _, b := range ev.supers(param).types {
		if t.kind(b) == kParam {
			continue
		}
		if w := ev.fits(from, ev.erased(b, 0), 0); w < out {
			out = w
		}
	}
	return out
}

// typesFit is applicable for types instead of arguments.
func (ev *evaluator) typesFit(f Type, args []Type, phase int) tri {
	r := ev.types.rec(f)
	if !ev.arity(f, len(args)) || phase < 2 && len(args) != r.funcParams() || phase == 2 && !r.isVariadic() {
		return no
	}
	out := yes
	for i, a := range args {
		out = min(out, ev.fits(a, ev.formal(f, i, len(args), phase), phase))
	}
	return out
}
