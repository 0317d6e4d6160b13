package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// evalCall returns the type of a call's results.
func (ev *evaluator) evalCall(x *facts.Expr) Type {
	t := ev.types
	ct := ev.typeOf(x.X)
	switch t.kind(ct) {
	case kUnknown:
		return unknownType
	case kExtern:
		return ev.outside(append(ev.argTypes(x), ct)...)
	case kOutside: // methods have no type parameters of their own
		return ct
	case kMeta:
		return t.arg(ct, 0) // a conversion
	}
	ft := ev.under(ct)
	if t.kind(ft) != kFunc {
		return unknownType
	}
	ft = ev.calleeType(x, ft)
	return t.tuple(t.argsOf(ft)[t.rec(ft).funcParams():])
}

// calleeType returns the type of the function that a call calls, with the type
// arguments that the call gives or implies.
func (ev *evaluator) calleeType(x *facts.Expr, ft Type) Type {
	t := ev.types
	ref := ev.refOf(x.X)
	if ref == noEnt || ev.l.decl(ref).TypeParams.Len() == 0 {
		return ft
	}
	var explicit []Type
	if c := &ev.f.Facts.Exprs[x.X]; c.Op == facts.OpIndex {
		explicit = ev.typeList(c.Args)
		ft = ev.under(ev.typeOf(c.X))
	}
	if t.kind(ft) != kFunc || !t.rec(ft).params {
		return ft
	}
	return ev.infer(ref, ft, explicit, x)
}

// infer returns the type of a generic function for explicit type arguments and
// for the arguments of a call, which may be nil: by unification of parameter and argument types, then of constraints with
// one structure, as in the Go specification's type inference.
func (ev *evaluator) infer(fn Ent, ft Type, explicit []Type, call *facts.Expr) Type {
	t := ev.types
	owner := ev.l.canon[fn]
	d := ev.l.decl(fn)
	n := d.TypeParams.Len()
	if n == 0 || n > 32 {
		return ft
	}
	var bound [32]Type
	copy(bound[:n], explicit)
	u := unifier{ev: ev, owner: owner, bound: bound[:n]}
	var args []Type
	if call != nil {
		args = ev.argTypes(call)
	}
	np := t.rec(ft).funcParams()
	variadic := t.rec(ft).isVariadic()
	params := append([]Type(nil), t.argsOf(ft)[:np]...)
	var constant [32]Type // the largest of the constants given for a type parameter
	for pass := range 2 { // constants only bind what nothing else does
		for i, a := range args {
			p := min(i, np-1)
			if p < 0 || i >= np && !variadic || a == unknownType || t.isOutside(a) || ev.untyped(a) != (pass == 1) {
				continue
			}
			pt := params[p]
			if pass == 1 {
				if r := t.rec(pt); r.kind == kParam && r.ent == owner && u.bound[r.n] == unknownType {
					constant[r.n] = ev.larger(constant[r.n], a)
				}
				continue
			}
			if variadic && i == np-1 && call.Flags&facts.FlagSpread != 0 {
				pt = t.mk(kSlice, noEnt, 0, pt)
			}
			if t.kind(a) == kMeta {
				a = t.arg(a, 0)
			}
			u.unify(pt, a, 0)
			u.constraints()
		}
	}
	for i, c := range constant[:n] {
		if c != unknownType && u.bound[i] == unknownType {
			u.bound[i] = ev.defaulted(c)
		}
	}
	u.constraints()
	return t.subst(ft, owner, u.bound)
}

// argTypes returns the types of a call's arguments; one argument with several
// values stands for several.
func (ev *evaluator) argTypes(call *facts.Expr) []Type {
	ids := ev.f.Facts.List(call.Args)
	if len(ids) == 1 {
		if t := ev.typeOf(facts.ExprID(ids[0])); ev.types.kind(t) == kTuple {
			return ev.types.argsOf(t)
		}
	}
	ts := make([]Type, len(ids))
	for i, a := range ids {
		ts[i] = ev.typeOf(facts.ExprID(a))
	}
	return ts
}

// unifier binds the type parameters of owner so that parameter types become
// argument types.
type unifier struct {
	ev    *evaluator
	owner Ent
	bound []Type
	asked bool         // what the constraints are was asked
	says  []constraint // those from which something follows
}

// constraint is what a type parameter must fulfil.
type constraint struct {
	param   int
	typ     Type
	methods bool // it asks for methods
	core    Type // its structure, if it mentions type parameters; else unknownType
}

// constraints binds what follows from the constraints: from the methods that
// they ask for, and from those with one structure the element type of a slice
// type that is bound, and the types that such a structure spells out.
func (u *unifier) constraints() {
	ev, t := u.ev, u.ev.types
	if len(u.bound) < 2 {
		return
	}
	if !u.asked {
		u.asked = true
		for i := range u.bound {
			c := constraint{param: i, typ: ev.l.constraint(u.owner, i)}
			r := t.rec(c.typ)
			c.methods = (r.params || r.kind == kAnon) && ev.l.isInterface(r.ent)
			if core := ev.coreOf(c.typ); t.rec(core).params {
				c.core = core
			}
			if c.methods || c.core != unknownType {
				u.says = append(u.says, c)
			}
		}
	}
	for _, c := range u.says {
		b := &u.bound[c.param]
		if c.methods && *b != unknownType {
			u.methods(c.typ, *b, t.rec(c.typ).ent, 0)
		}
		switch {
		case c.core == unknownType:
		case *b != unknownType:
			u.unify(c.core, ev.under(*b), 0)
		default:
			*b = t.subst(c.core, u.owner, u.bound)
			if t.mentionsUnknown(*b) {
				*b = unknownType
			}
		}
	}
}

// methods unifies the methods of an interface type p with those of the type of
// an argument that is to implement it.
func (u *unifier) methods(p, a Type, iface Ent, depth int) {
	ev, t := u.ev, u.ev.types
	f := &ev.l.files[ev.l.entFile[iface]]
	at := facts.DeclID(iface - f.base)
	for i := int(at) + 1; i < len(f.Facts.Decls) && f.Facts.Decls[i].Parent >= at; i++ {
		if d := &f.Facts.Decls[i]; d.Parent == at && d.Kind == graph.KindMethod {
			name := f.syms[d.Name]
			if m, im := ev.member(a, name), ev.member(p, name); m.ent != noEnt && im.ent != noEnt {
				u.unify(im.typ, m.typ, 1)
			}
		}
	}
	for _, b := range ev.l.basesOf(iface) {
		if b = t.subst(b, iface, t.argsOf(p)); t.kind(b) == kNamed && depth < 8 && t.rec(b).params && ev.l.isInterface(t.rec(b).ent) {
			u.methods(b, a, t.rec(b).ent, depth+1)
		}
	}
}

func (u *unifier) unify(p, a Type, depth int) {
	t := u.ev.types
	if depth > 16 || p == unknownType || a == unknownType || !t.rec(p).params {
		return
	}
	pr := *t.rec(p)
	if pr.kind == kParam {
		if pr.ent == u.owner && int(pr.n) < len(u.bound) && u.bound[pr.n] == unknownType {
			u.bound[pr.n] = a
		}
		return
	}
	ar := *t.rec(a)
	if pr.kind == kNamed {
		if ar.kind != kNamed || ar.ent != pr.ent {
			if depth == 0 && u.ev.l.isInterface(pr.ent) {
				u.methods(p, a, pr.ent, 0)
			}
			return
		}
	} else if ar.kind != pr.kind {
		if a = u.ev.under(a); t.kind(a) != pr.kind {
			return
		}
		ar = *t.rec(a)
	}
	ps, as := t.argsOf(p), t.argsOf(a)
	if len(ps) != len(as) || pr.kind == kFunc && pr.n != ar.n {
		return
	}
	for i := range ps {
		u.unify(ps[i], as[i], depth+1)
	}
}
