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
	res := &moduleCall{ent: noEnt, class: noEnt, open: true}
	c.found = append(c.found, res)
	c.calls[e] = int32(len(c.found))
	ev.findCall(e, &ev.f.Facts.Exprs[e], res)
	res.open = false
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
				s.bound = explicit[i]
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
			typ := l.typ[e]
			if args := t.argsOf(x); len(args) > 0 {
				typ = ev.substAll(typ, class, args)
			}
			return property{ent: e, typ: typ, found: true}
		}
	}
	for _, b := range l.extended(l.canon[class]) {
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
	list := l.mods.overloads[body]
	chosen := r.ent
	if len(list) > 0 {
		all := slices.Clone(list)
		if l.decl(body).Flags.Has(graph.FlagNoBody) {
			all = append(all, body)
			slices.Sort(all)
		}
		best := tri(no)
		if fitting := ev.byArity(x, all); len(fitting) == 1 {
			all, chosen = nil, fitting[0] // its arguments decide nothing
			res.sig = ev.asMember(l.typ[chosen], sig, body)
		} else {
			all = fitting
		}
		for _, o := range all {
			ot := ev.asMember(l.typ[o], sig, body)
			if w := ev.accepts(x, o, ot, explicit); w > best {
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
			s.bound = explicit[i]
		}
		res.params = append(res.params, s)
	}
	ev.bindPlain(x, res)
}

// byArity returns the signatures that take as many arguments as a call has.
func (ev *evaluator) byArity(x *facts.Expr, all []Ent) []Ent {
	n := len(ev.f.Facts.List(x.Args))
	var out []Ent
	for _, o := range all {
		if least, most := ev.l.arity(o); n <= most && (n >= least || x.Flags&facts.FlagSpread != 0) {
			out = append(out, o)
		}
	}
	return out
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
	declared := l.typ[body]
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
	bound := make([]Type, n)
	ev.match(declared, like, l.canon[owner], bound, 0)
	for _, o := range l.mods.merged[l.canon[owner]] {
		ev.match(declared, like, o, bound, 0)
	}
	typ = t.subst(typ, l.canon[owner], bound)
	for _, o := range l.mods.merged[l.canon[owner]] {
		typ = t.subst(typ, o, bound)
	}
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

// accepts reports whether a call fits a signature.
func (ev *evaluator) accepts(x *facts.Expr, e Ent, sig Type, explicit []Type) tri {
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
		out = min(out, ev.argumentFits(facts.ExprID(a), ev.parameter(sig, i)))
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

// literalKind reports whether an argument is a function, whose type depends on
// where it goes.
func (ev *evaluator) fromContext(a facts.ExprID) bool {
	x := &ev.f.Facts.Exprs[a]
	if x.Op != facts.OpFunc {
		return false
	}
	d := &ev.f.Facts.Decls[x.X]
	for _, p := range ev.f.Facts.Params[d.Params.Lo:d.Params.Hi] {
		if p.Type == facts.None {
			return true
		}
	}
	return false
}

// bindPlain infers type parameters from the arguments whose types do not depend
// on them.
func (ev *evaluator) bindPlain(x *facts.Expr, res *moduleCall) {
	if len(res.params) == 0 || ev.types.kind(res.sig) != kFunc {
		return
	}
	for i, a := range ev.f.Facts.List(x.Args) {
		p := ev.parameter(res.sig, i)
		if !ev.types.rec(p).params || ev.f.Facts.Exprs[a].Op == facts.OpFunc || ev.f.Facts.Exprs[a].Op == facts.OpSpread {
			continue
		}
		if op := ev.f.Facts.Exprs[a].Op; op == facts.OpComposite && ev.holdsFunctions(facts.ExprID(a)) {
			continue
		}
		ev.bindTo(res, p, ev.widened(ev.typeOf(facts.ExprID(a))), 0)
	}
}

// holdsFunctions reports whether an object literal has functions that take their
// types from where it goes.
func (ev *evaluator) holdsFunctions(a facts.ExprID) bool {
	for _, k := range ev.f.Facts.List(ev.f.Facts.Exprs[a].Args) {
		if x := &ev.f.Facts.Exprs[k]; x.Op == facts.OpKeyword && x.X >= 0 && ev.fromContext(x.X) {
			return true
		}
	}
	return false
}

// advanceTo infers type parameters from the functions among the first arguments.
func (ev *evaluator) advanceTo(x *facts.Expr, res *moduleCall, upto int) {
	if len(res.params) == 0 || ev.types.kind(res.sig) != kFunc {
		return
	}
	args := ev.f.Facts.List(x.Args)
	for res.done < min(upto, len(args)) {
		i := res.done
		res.done++
		a := facts.ExprID(args[i])
		op := ev.f.Facts.Exprs[a].Op
		if op != facts.OpFunc && op != facts.OpComposite {
			continue
		}
		p := ev.parameter(res.sig, i)
		if ev.types.rec(p).params {
			ev.bindTo(res, p, ev.widened(ev.typeOf(a)), 0)
		}
	}
}

// bindTo makes the type parameters in p stand for the parts of a.
func (ev *evaluator) bindTo(res *moduleCall, p, a Type, depth int) {
	t, m := ev.types, ev.lang.mod
	if depth > 12 || p == unknownType || a == unknownType || p == a || !t.rec(p).params {
		return
	}
	pr, ar := *t.rec(p), *t.rec(a)
	switch pr.kind {
	case kParam:
		for i := range res.params {
			s := &res.params[i]
			if s.owner != pr.ent || s.n != pr.n {
				continue
			}
			if m.empty[a] && s.bound != unknownType {
				return
			}
			if depth > 0 || s.bound == unknownType || m.empty[s.bound] {
				if s.bound == unknownType || m.empty[s.bound] {
					s.bound = a
				}
				return
			}
			s.bound = t.join(s.bound, a)
			return
		}
	case kNamed, kAnon:
		if as := ev.asBase(a, pr.ent, 0); as != unknownType {
			ps, xs := t.argsOf(p), t.argsOf(as)
			for i := range min(len(ps), len(xs)) {
				ev.bindTo(res, ps[i], xs[i], depth+1)
			}
			return
		}
		if pr.ent == noEnt {
			return
		}
		if f, _ := ev.callable(p); f != unknownType && ar.kind == kFunc {
			ev.bindTo(res, f, a, depth+1)
			return
		}
		ev.bindMembers(res, p, a, depth)
		if v := ev.iteratedParam(p); v != unknownType {
			ev.bindTo(res, v, ev.iterated(a, false), depth+1)
		}
	case kFunc:
		f, _ := ev.callable(a)
		if f == unknownType {
			return
		}
		n := min(pr.funcParams(), t.rec(f).funcParams())
		for i := range n {
			ev.bindTo(res, t.arg(p, i), t.arg(f, i), depth+1)
		}
		ev.bindTo(res, ev.resultOf(p), ev.resultOf(f), depth)
	case kUnion:
		var open []Type
		rest := a
		for _, q := range t.argsOf(p) {
			if t.rec(q).params {
				open = append(open, q)
			} else {
				rest = t.without(rest, q)
			}
		}
		for _, q := range ev.ordered(open) {
			if t.kind(q) == kParam {
				continue
			}
			before := ev.boundCount(res)
			ev.bindTo(res, q, rest, depth+1)
			if ev.boundCount(res) > before {
				return
			}
		}
		for _, q := range open {
			if t.kind(q) == kParam {
				ev.bindTo(res, q, rest, depth)
			}
		}
	case kBoth:
		for _, q := range t.argsOf(p) {
			ev.bindTo(res, q, a, depth+1)
		}
	case kTuple:
		for i, q := range t.argsOf(p) {
			if ar.kind == kTuple {
				ev.bindTo(res, q, t.arg(a, i), depth+1)
			} else {
				ev.bindTo(res, q, ev.elementAt(a, 0), depth+1)
			}
		}
	case kMap:
		if ar.kind == kMap {
			ev.bindTo(res, t.arg(p, 1), t.arg(a, 1), depth+1)
		} else if v := ev.elementAt(a, 0); v != unknownType {
			ev.bindTo(res, t.arg(p, 1), v, depth+1)
		}
	case kMeta:
		if ar.kind == kMeta {
			ev.bindTo(res, t.arg(p, 0), t.arg(a, 0), depth+1)
		} else if in := ev.instanceOf(a); in != unknownType {
			ev.bindTo(res, t.arg(p, 0), in, depth+1)
		}
	}
}

func (ev *evaluator) boundCount(res *moduleCall) int {
	n := 0
	for i := range res.params {
		if res.params[i].bound != unknownType {
			n++
		}
	}
	return n
}

// iteratedParam returns what a loop over values of a library's type goes
// through, where that is a type parameter.
func (ev *evaluator) iteratedParam(p Type) Type {
	if r := ev.types.rec(p); !ev.l.units[ev.l.unitOf(r.ent)].surface {
		return unknownType
	}
	if v := ev.iterated(p, false); ev.types.kind(v) == kParam {
		return v
	}
	return unknownType
}

// bindMembers infers from the members of an object what the type parameters in
// a structural type stand for.
func (ev *evaluator) bindMembers(res *moduleCall, p, a Type, depth int) {
	l, t := ev.l, ev.types
	r := *t.rec(p)
	if l.units[l.unitOf(r.ent)].surface || depth > 4 {
		return
	}
	f := &l.files[l.entFile[r.ent]]
	at := facts.DeclID(r.ent - f.base)
	n := 0
	for i := int(at) + 1; i < len(f.Facts.Decls) && n < 64; i++ {
		d := &f.Facts.Decls[i]
		if d.Parent < at {
			break
		}
		if d.Parent != at || d.Name == 0 || d.Kind != graph.KindField && d.Kind != graph.KindMethod {
			continue
		}
		n++
		name := f.syms[d.Name]
		q := ev.ownProperty(p, r.ent, name, false)
		if !q.found || !t.rec(q.typ).params {
			continue
		}
		if o := ev.property(a, name); o.found {
			ev.bindTo(res, q.typ, ev.widened(o.typ), depth+1)
		}
	}
}

// filled puts what the type parameters of a call stand for into x.
func (ev *evaluator) filled(res *moduleCall, x Type) Type {
	t, l := ev.types, ev.l
	if !t.rec(x).params {
		return x
	}
	for i := 0; i < len(res.params); {
		owner := res.params[i].owner
		var buf [32]Type
		n := 0
		for ; i < len(res.params) && res.params[i].owner == owner && n < len(buf); i++ {
			b := res.params[i].bound
			if b == unknownType {
				if b = l.mods.defaults[constraintKey{owner, int32(n)}]; b == unknownType {
					b = l.constraints[constraintKey{owner, int32(n)}]
				}
				b = t.subst(b, owner, buf[:n])
			}
			buf[n] = b
			n++
		}
		x = t.subst(x, owner, buf[:n])
	}
	return x
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
			return ev.unionResult(x)
		}
		out = ev.resultOf(res.sig)
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
	if ref == noEnt || ev.state[x.X] != evalDone || !ev.l.mods.fluent[ev.l.canon[ref]] {
		return out
	}
	on := ev.widened(ev.typeOf(ev.f.Facts.Exprs[x.X].X))
	if on == unknownType || ev.types.isWide(on) || ev.types.kind(on) == kPkg {
		return out
	}
	return on
}

// unionResult returns the result of a call of one of several functions.
func (ev *evaluator) unionResult(x *facts.Expr) Type { return unknownType }

// wanted returns the type that the context of an expression wants it to have.
func (ev *evaluator) wanted(e facts.ExprID) Type {
	if e < 0 || ev.depth > maxEvalDepth {
		return unknownType
	}
	x := &ev.f.Facts.Exprs[e]
	if !x.Op.HasContext() || x.Y < 0 {
		return unknownType
	}
	ev.depth++
	defer func() { ev.depth-- }()
	t := ev.types
	y := &ev.f.Facts.Exprs[x.Y]
	switch y.Op {
	case facts.OpCall, facts.OpNew:
		args := ev.f.Facts.List(y.Args)
		i := slices.Index(args, int32(e))
		if i < 0 {
			return unknownType
		}
		res := ev.call(x.Y)
		if t.kind(res.sig) != kFunc {
			return unknownType
		}
		p := ev.parameter(res.sig, i)
		if !t.rec(p).params || res.open {
			return p
		}
		ev.advanceTo(y, res, i)
		return ev.filled(res, p)
	case facts.OpConditional:
		return ev.wanted(x.Y)
	case facts.OpFunc:
		if f, _ := ev.callable(ev.wanted(x.Y)); f != unknownType {
			r := ev.resultOf(f)
			if ev.f.Facts.Decls[y.X].Flags.Has(graph.FlagAsync) {
				r = ev.awaited(r)
			}
			return r
		}
		return unknownType
	case facts.OpKeyword:
		of := ev.wanted(x.Y)
		if of == unknownType {
			return unknownType
		}
		if p := ev.property(of, ev.f.syms[y.Name]); p.found {
			return p.typ
		}
		return ev.elementAt(of, 0)
	case facts.OpComposite:
		w := ev.wanted(x.Y)
		if y.X >= 0 {
			return w // of an element: see OpKeyword
		}
		return ev.elementAt(w, 0)
	}
	yt := ev.typeOf(x.Y)
	if t.kind(yt) == kMeta {
		return t.arg(yt, 0)
	}
	return yt
}

// wantedParam returns the type that the context of a function literal gives to
// its nth parameter.
func (ev *evaluator) wantedParam(fn facts.ExprID, n int) Type {
	t := ev.types
	f, _ := ev.callable(ev.wanted(fn))
	if f == unknownType {
		return unknownType
	}
	d := &ev.f.Facts.Decls[ev.f.Facts.Exprs[fn].X]
	if n < d.Params.Len() && ev.f.Facts.Params[int(d.Params.Lo)+n].Flags&graph.ParamVariadic != 0 {
		if r := t.rec(f); r.isVariadic() && n == r.funcParams()-1 {
			return t.arg(f, n)
		}
		return unknownType
	}
	return ev.parameter(f, n)
}
