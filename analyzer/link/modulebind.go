package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// What the type parameters of a call stand for in languages with modules: first by
// plain arguments, then, one after the other, by those whose types come from where
// they go.

// fromContext reports whether an argument is a function, whose type depends on
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
	t := ev.types
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
			if s.given || ev.isEmpty(a) && s.bound != unknownType {
				return
			}
			if depth > 0 || s.bound == unknownType || ev.isEmpty(s.bound) {
				if s.bound == unknownType || ev.isEmpty(s.bound) {
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
	case kGuard:
		if ar.kind == kGuard {
			ev.bindTo(res, t.arg(p, 0), t.arg(a, 0), depth+1)
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
		ev.modules.read.entity(owner)
		var buf [32]Type
		n := 0
		for ; i < len(res.params) && res.params[i].owner == owner && n < len(buf); i++ {
			b := res.params[i].bound
			if b == unknownType {
				if b, _ = l.mods.defaults.get(int32(owner), int32(n)); b == unknownType {
					b, _ = l.constraints.get(int32(owner), int32(n))
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
