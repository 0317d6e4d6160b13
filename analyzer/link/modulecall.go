package link

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Calls in languages with modules: which signature is meant, what its type
// parameters stand for, and what types arguments get from it.

// moduleCall is what is known of a call.
type moduleCall struct {
	ent    Ent  // what it calls; noEnt
	class  Ent  // of new: the class
	sig    Type // the function's type; the unknown type
	result Type // of new: what is made
	params []slot
	done   int // arguments that type parameters were inferred from
	open   bool
	asked  bool // the context was asked
}

// call finds out what a call calls.
func (ev *evaluator) call(e facts.ExprID) *moduleCall {
	c := &ev.modules
	if n := c.calls[e]; n != 0 {
		return c.found[n-1]
	}
	res := c.newCall()
	c.calls[e] = int32(len(c.found))
	ev.findCall(e, &ev.f.Facts.Exprs[e], res)
	res.open = false
	return res
}

// newCall returns the place for a call that is met now, with the memory of one in
// the file before.
func (m *moduleEval) newCall() *moduleCall {
	n := len(m.found)
	if n == cap(m.found) {
		m.found = slices.Grow(m.found, 64)
		places := make([]moduleCall, cap(m.found)-n)
		for i := range places {
			m.found = append(m.found, &places[i])
		}
	}
	m.found = m.found[:n+1]
	res := m.found[n]
	*res = moduleCall{ent: noEnt, class: noEnt, open: true, params: res.params[:0]}
	return res
}

func (ev *evaluator) findCall(e facts.ExprID, x *facts.Expr, res *moduleCall) {
	t, l := ev.types, ev.l
	if x.X < 0 {
		return
	}
	ct := ev.typeOf(x.X)
	ref := ev.refOf(x.X)
	callee := &ev.f.Facts.Exprs[x.X]
	var explicit []Type
	if callee.Op == facts.OpIndex && callee.Flags&facts.FlagTyped != 0 {
		explicit = ev.typeList(callee.Args)
	}
	super := callee.Op == facts.OpSuper
	if t.kind(ct) == kMeta && (x.Op == facts.OpNew || super || x.Op == facts.OpCall) {
		ev.construct(e, x, ct, explicit, res)
		return
	}
	if x.Op == facts.OpNew {
		if f := *t.rec(ct); f.kind == kFunc && f.ent != noEnt {
			res.ent, res.sig = l.canon[f.ent], ct
			if ev.makesObjects(l.canon[f.ent]) {
				res.result = t.mk(kNamed, l.canon[f.ent], 0)
			}
			return
		}
		res.result = ev.instanceOf(ct)
		if r := *t.rec(ct); (r.kind == kNamed || r.kind == kAnon) && r.ent != noEnt {
			if p := ev.findProperty(ct, ev.lang.mod.construct, 0); p.found && t.kind(p.typ) == kFunc {
				ev.chooseSignature(x, p.typ, explicit, res)
				res.result = unknownType
			}
		}
		return
	}
	sig, _ := ev.callable(ct)
	if sig == unknownType {
		return
	}
	ev.chooseSignature(x, sig, explicit, res)
	if ref != noEnt && l.decl(ref).Kind.IsCallable() {
		res.ent = ref
	}
}

// construct finds the constructor that new or super calls.
func (ev *evaluator) construct(e facts.ExprID, x *facts.Expr, ct Type, explicit []Type, res *moduleCall) {
	t, l := ev.types, ev.l
	in := t.arg(ct, 0)
	r := *t.rec(in)
	if r.kind != kNamed || r.ent == noEnt {
		res.result = in
		return
	}
	class := l.canon[r.ent]
	res.class = r.ent
	made := in
	n := l.decl(class).TypeParams.Len()
	if n > 0 && len(t.argsOf(in)) < n {
		made = ev.instance(class)
	}
	if l.decl(class).Kind != graph.KindClass && l.decl(r.ent).Kind != graph.KindClass {
		res.result = in
	}
	res.result = made
	ctor := ev.constructorOf(made, class, 0)
	if ctor.ent == noEnt {
		res.ent = r.ent
		if l.decl(r.ent).Kind != graph.KindClass {
			res.ent = noEnt
		}
	} else {
		res.ent = ctor.ent
		ev.chooseSignature(x, ctor.typ, nil, res)
		res.ent = ctor.ent
	}
	if n > 0 && len(t.argsOf(in)) < n {
		for i := range min(n, 32) {
			s := slot{owner: class, n: int32(i)}
			if i < len(explicit) {
				s.bound, s.given = explicit[i], explicit[i] != unknownType
			}
			res.params = append(res.params, s)
		}
		if ctor.ent != noEnt {
			ev.bindPlain(x, res)
		}
	}
}

// constructorOf returns the constructor that making an object of type x runs:
// the nearest that is declared.
func (ev *evaluator) constructorOf(x Type, class Ent, depth int) property {
	l, t := ev.l, ev.types
	name := l.lookupSym("constructor")
	if name < 0 || depth > maxMemberDepth {
		return noProperty
	}
	for e := Ent(l.members.get(int32(l.canon[class]), name)); e != noEnt; e = l.nextMember[e] {
		if l.decl(e).Kind == graph.KindConstructor {
			typ := ev.surface(e)
			if args := t.argsOf(x); len(args) > 0 {
				typ = ev.substAll(typ, class, args)
			}
			return property{ent: e, typ: typ, found: true}
		}
	}
	for _, b := range ev.extended(l.canon[class]) {
		if args := t.argsOf(x); len(args) > 0 {
			b = ev.substAll(b, class, args)
		}
		switch r := *t.rec(b); r.kind {
		case kNamed:
			return ev.constructorOf(b, l.canon[r.ent], depth+1)
		case kBoth:
			for _, a := range t.argsOf(b) {
				if r := *t.rec(a); r.kind == kNamed {
					if p := ev.constructorOf(a, l.canon[r.ent], depth+1); p.found {
						return p
					}
				}
			}
		}
	}
	return noProperty
}

// chooseSignature picks the signature of a function that a call means: the first that
// takes its arguments.
func (ev *evaluator) chooseSignature(x *facts.Expr, sig Type, explicit []Type, res *moduleCall) {
	t, l := ev.types, ev.l
	r := *t.rec(sig)
	res.sig = sig
	if r.ent == noEnt {
		return
	}
	body := l.canon[r.ent]
	list := l.mods.overloadsOf(body)
	chosen := r.ent
	if len(list) > 0 {
		var buf [32]Ent
		all := buf[:0]
		for _, o := range list {
			all = ev.fitting(x, all, o)
		}
		if l.decl(body).Flags.Has(graph.FlagNoBody) {
			all = ev.fitting(x, all, body)
			slices.Sort(all)
		}
		best := tri(no)
		if len(all) == 1 {
			chosen = all[0] // its arguments decide nothing
			res.sig = ev.asMember(ev.surface(chosen), sig, body)
			all = nil
		}
		for _, o := range all {
			ot := ev.asMember(ev.surface(o), sig, body)
			if w := ev.accepts(x, o, ot, explicit, best); w > best {
				best, chosen, res.sig = w, o, ot
				if w == yes {
					break
				}
			}
		}
	}
	d := l.decl(chosen)
	owner := chosen // type parameters are those of the signature itself
	for i := range min(d.TypeParams.Len(), 32) {
		s := slot{owner: l.paramOwner(owner), n: int32(i)}
		if i < len(explicit) {
			s.bound, s.given = explicit[i], explicit[i] != unknownType
		}
		res.params = append(res.params, s)
	}
	ev.bindPlain(x, res)
}

// fitting adds a signature to those that take as many arguments as a call has, if
// it does.
func (ev *evaluator) fitting(x *facts.Expr, all []Ent, o Ent) []Ent {
	n := len(ev.f.Facts.List(x.Args))
	if least, most := ev.l.arity(o); n <= most && (n >= least || x.Flags&facts.FlagSpread != 0) {
		return append(all, o)
	}
	return all
}

// paramOwner returns the entity that types name the type parameters of a
// declaration by.
func (l *linker) paramOwner(e Ent) Ent {
	if l.mods.overloads != nil && l.decl(e).Traits&facts.TraitOverload != 0 {
		return e
	}
	return l.canon[e]
}

// asMember gives a signature the type arguments that were put into another one
// of the same function. They are told by comparing what the other was declared
// as with what it is.
func (ev *evaluator) asMember(typ, like Type, body Ent) Type {
	t, l := ev.types, ev.l
	declared := ev.surface(body)
	if declared == like || !t.rec(typ).params {
		return typ
	}
	owner := l.container(body)
	if owner == noEnt {
		return typ
	}
	n := l.decl(l.canon[owner]).TypeParams.Len()
	if n == 0 {
		return typ
	}
	m := &ev.modules
	k := uint64(typ)<<32 | uint64(like)
	if as := recall(m, &m.known.applied, &m.own.applied, k); as != nil {
		return *as
	}
	g := m.read.begin()
	m.read.entity(body)
	var buf [8]Type
	bound := append(buf[:0], make([]Type, n)...)
	ev.match(declared, like, l.canon[owner], bound, 0)
	for _, o := range l.mods.mergedWith(l.canon[owner]) {
		ev.match(declared, like, o, bound, 0)
	}
	typ = t.subst(typ, l.canon[owner], bound)
	for _, o := range l.mods.mergedWith(l.canon[owner]) {
		typ = t.subst(typ, o, bound)
	}
	m.own.applied.put(k, typ, m.read.end(g))
	return typ
}

// match binds the type parameters of owner so that p becomes a.
func (ev *evaluator) match(p, a Type, owner Ent, bound []Type, depth int) {
	t := ev.types
	if depth > 12 || !t.rec(p).params || p == a {
		return
	}
	pr, ar := *t.rec(p), *t.rec(a)
	if pr.kind == kParam && pr.ent == owner {
		if int(pr.n) < len(bound) && bound[pr.n] == unknownType {
			bound[pr.n] = a
		}
		return
	}
	ps, as := t.argsOf(p), t.argsOf(a)
	if pr.kind != ar.kind || len(ps) != len(as) || pr.kind == kUnion {
		return
	}
	for i := range ps {
		ev.match(ps[i], as[i], owner, bound, depth+1)
	}
}

// accepts reports whether a call fits a signature, as far as it may fit it better than
// best.
func (ev *evaluator) accepts(x *facts.Expr, e Ent, sig Type, explicit []Type, best tri) tri {
	t := ev.types
	args := ev.f.Facts.List(x.Args)
	if t.kind(sig) != kFunc {
		return no
	}
	least, most := ev.l.arity(e)
	spread := x.Flags&facts.FlagSpread != 0
	if len(args) > most || len(args) < least && !spread {
		return no
	}
	if n := ev.l.decl(e).TypeParams.Len(); len(explicit) > 0 && n < len(explicit) {
		return no
	}
	out := yes
	for i, a := range args {
		if out = min(out, ev.argumentFits(facts.ExprID(a), ev.parameter(sig, i))); out <= best {
			break
		}
	}
	return out
}

// arity returns how many arguments a function takes.
func (l *linker) arity(e Ent) (least, most int) {
	f := &l.files[l.entFile[e]]
	d := l.decl(e)
	for _, p := range f.Facts.Params[d.Params.Lo:d.Params.Hi] {
		most++
		switch {
		case p.Flags&graph.ParamVariadic != 0:
			most = 1 << 15
		case p.Flags&graph.ParamOptional == 0:
			least = most
		}
	}
	return least, most
}

// parameter returns the type that a function wants of its ith argument.
func (ev *evaluator) parameter(sig Type, i int) Type {
	t := ev.types
	r := t.rec(sig)
	n := r.funcParams()
	if r.isVariadic() && i >= n-1 {
		last := t.arg(sig, n-1)
		if t.kind(last) == kTuple {
			return t.arg(last, i-(n-1))
		}
		return ev.elementAt(last, 0)
	}
	if i < n {
		return t.arg(sig, i)
	}
	return unknownType
}

// moduleCallType returns the type of a call's result.
func (ev *evaluator) moduleCallType(e facts.ExprID, x *facts.Expr) Type {
	t := ev.types
	res := ev.call(e)
	if res.open {
		return unknownType
	}
	out := res.result
	if out == unknownType {
		if t.kind(res.sig) != kFunc {
			return unknownType // one of several functions, or none
		}
		out = ev.resultOf(res.sig)
	}
	if t.kind(out) == kMeta {
		if m := ev.mixed(x, res.sig, t.arg(out, 0)); m != unknownType {
			return t.meta(m)
		}
	}
	if !t.rec(out).params && len(res.params) == 0 {
		return ev.thisResult(x, out)
	}
	ev.advanceTo(x, res, 1<<15)
	missing := false
	for i := range res.params {
		missing = missing || res.params[i].bound == unknownType
	}
	if missing && !res.asked {
		res.asked = true
		if want := ev.wanted(e); want != unknownType && !t.rec(want).params {
			ev.bindTo(res, out, want, 1)
		}
	}
	return ev.thisResult(x, ev.filled(res, out))
}

// thisResult returns the result of a method: one that is declared as this is
// what the method was called on.
func (ev *evaluator) thisResult(x *facts.Expr, out Type) Type {
	if ev.types.kind(out) != kNamed || x.X < 0 || ev.f.Facts.Exprs[x.X].Op != facts.OpSelect {
		return out
	}
	ref := ev.ref[x.X]
	if ref == noEnt || ev.state[x.X] != evalDone || !ev.l.mods.is(ev.l.canon[ref], isFluent) {
		return out
	}
	on := ev.widened(ev.typeOf(ev.f.Facts.Exprs[x.X].X))
	if on == unknownType || ev.types.isWide(on) || ev.types.kind(on) == kPkg {
		return out
	}
	return on
}

// mixed returns what the objects of a mixin are: a class that a function makes by
// extending the class that it is given. They have the members of both. It is the
// unknown type where the call x of the function makes no such class.
func (ev *evaluator) mixed(x *facts.Expr, sig, made Type) Type {
	t, l := ev.types, ev.l
	class, fn := *t.rec(made), *t.rec(sig)
	if class.kind != kNamed || fn.kind != kFunc || class.ent == noEnt || fn.ent == noEnt || l.entFile[class.ent] != l.entFile[fn.ent] {
		return unknownType
	}
	d, f := l.decl(class.ent), &l.files[l.entFile[fn.ent]]
	if d.Kind != graph.KindClass || d.Bases.Len() == 0 || x.Flags&facts.FlagSpread != 0 {
		return unknownType
	}
	base := &f.Facts.Exprs[f.Facts.Lists[d.Bases.Lo]]
	if base.Op != facts.OpName || base.Flags&facts.FlagLocal == 0 {
		return unknownType
	}
	args := ev.f.Facts.List(x.Args)
	params := l.decl(fn.ent).Params
	for i, p := range f.Facts.Params[params.Lo:params.Hi] {
		if p.Local != facts.None && p.Local == facts.LocalID(base.X) && i < len(args) {
			if of := ev.instanceOf(ev.typeOf(facts.ExprID(args[i]))); of != unknownType {
				return ev.both([]Type{made, of})
			}
		}
	}
	return unknownType
}
