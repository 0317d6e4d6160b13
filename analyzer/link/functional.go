package link

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Functional interfaces: the method that a function literal or a method
// reference stands for, and what is known of it.

// functional reports whether an expression is a function literal or a reference
// to a method, which has no type without a context.
func (ev *evaluator) functional(a facts.ExprID) bool {
	x := &ev.f.Facts.Exprs[a]
	switch x.Op {
	case facts.OpFunc, facts.OpMethodRef:
		return true
	case facts.OpConditional:
		for _, b := range ev.f.Facts.List(x.Args) {
			if op := ev.f.Facts.Exprs[b].Op; op == facts.OpFunc || op == facts.OpMethodRef {
				return true
			}
		}
	}
	return false
}

// noSam says whether a function may be given where type to is asked for, which
// has no single abstract method that is known.
func (ev *evaluator) noSam(to Type) tri {
	if ev.types.kind(to) == kNamed && ev.isInterfaceType(to) && ev.eachSuper(to, func(Type) bool { return true }) {
		return maybe
	}
	return no
}

// sam returns the one abstract method of an interface, as a function; unknown
// if there is not exactly one.
func (ev *evaluator) sam(x Type) Type {
	if s, ok := ev.classes.sams[x]; ok {
		return s
	}
	ev.classes.sams[x] = unknownType
	s := ev.findSam(x)
	ev.classes.sams[x] = s
	return s
}

func (ev *evaluator) findSam(x Type) Type {
	t := ev.types
	if t.kind(x) != kNamed || !ev.l.isInterface(t.rec(x).ent) {
		return unknownType
	}
	var found, concrete []member
	foreign := ev.eachSuper(x, func(y Type) bool {
		r := *t.rec(y)
		if r.kind != kNamed || !ev.l.isInterface(r.ent) {
			return true
		}
		f := &ev.l.files[ev.l.entFile[r.ent]]
		at := facts.DeclID(r.ent - f.base)
		for i := int(at) + 1; i < len(f.Facts.Decls) && f.Facts.Decls[i].Parent >= at; i++ {
			d := &f.Facts.Decls[i]
			if d.Parent != at || d.Kind != graph.KindMethod || d.Flags.Has(graph.FlagStatic) {
				continue
			}
			m := member{ent: f.base + Ent(i), typ: t.subst(ev.l.typ[f.base+Ent(i)], r.ent, t.argsOf(y))}
			same := func(o member) bool {
				return ev.l.symOf(o.ent, ev.l.decl(o.ent).Name) == f.syms[d.Name] && ev.sameParams(o, m)
			}
			if slices.ContainsFunc(found, same) || slices.ContainsFunc(concrete, same) || ev.rootMethod(m, f.syms[d.Name]) {
				continue
			}
			if d.Flags.Has(graph.FlagAbstract) {
				found = append(found, m)
			} else {
				concrete = append(concrete, m)
			}
			if len(found) > 64 {
				return false
			}
		}
		return true
	})
	if foreign || len(found) != 1 {
		return unknownType
	}
	return found[0].typ
}

// rootMethod reports whether a method is one that all objects have.
func (ev *evaluator) rootMethod(m member, name Sym) bool {
	is := false
	if root := ev.lang.cls.rootEnt; root != noEnt {
		ev.eachMember(root, name, func(e Ent) {
			is = is || ev.l.decl(e).Vis == graph.Public && ev.sameParams(member{ent: e, typ: ev.l.typ[e]}, m)
		})
	}
	return is
}

// returnsBetter reports whether a function with result of sp is preferred to
// one with that of sq for an argument.
func (ev *evaluator) returnsBetter(a facts.ExprID, sp, sq Type) bool {
	c := ev.lang.cls
	rp, rq := ev.resultOf(sp), ev.resultOf(sq)
	switch {
	case rq == c.void || rp == rq:
		return true
	case rp == c.void:
		return false
	case c.primitive.has(rp) != c.primitive.has(rq):
		body := unknownType
		if x := &ev.f.Facts.Exprs[a]; x.Op == facts.OpFunc {
			d := &ev.f.Facts.Decls[x.X]
			for i := d.Flows.Lo; i < d.Flows.Hi; i++ {
				if f := &ev.f.Facts.Flows[i]; f.Kind == facts.FlowReturn && facts.DeclID(f.To) == facts.DeclID(x.X) && f.From >= 0 && ev.state[f.From] == evalDone {
					body = ev.typ[f.From]
				}
			}
		}
		if body == unknownType {
			return c.primitive.has(rp)
		}
		return c.primitive.has(rp) == c.primitive.has(body)
	}
	return ev.fits(ev.forCompare(rp), ev.forCompare(rq), 0) == yes
}

// lambdaType returns the type of a function literal: of its parameters as it
// declares them or gets them, and of what it returns.
func (ev *evaluator) lambdaType(d facts.DeclID) Type {
	fs := ev.f.Facts
	decl := &fs.Decls[d]
	var buf [8]Type
	ts := buf[:0]
	for _, p := range fs.Params[decl.Params.Lo:decl.Params.Hi] {
		pt := unknownType
		if p.Type != facts.None {
			pt = ev.typeExpr(p.Type)
		} else if p.Local != facts.None {
			pt, _ = ev.localType(p.Local)
		}
		ts = append(ts, pt)
	}
	n := len(ts)
	for i := decl.Flows.Lo; i < decl.Flows.Hi; i++ {
		f := &fs.Flows[i]
		if f.Kind != facts.FlowReturn || facts.DeclID(f.To) != d {
			continue
		}
		rt := ev.typeOf(f.From)
		if rt == ev.lang.cls.void && rt != unknownType {
			continue
		}
		switch {
		case len(ts) == n:
			ts = append(ts, rt)
		case ts[n] == unknownType || ts[n] == ev.lang.tNull:
			ts[n] = rt
		case rt != unknownType && rt != ts[n] && ev.fits(ts[n], rt, 1) == yes:
			ts[n] = rt
		}
	}
	return ev.types.intern(kFunc, noEnt, funcShape(n, false), ts)
}

// methodRef returns the type of a reference to a method as a function with the
// parameters that its context gives it, and the method.
func (ev *evaluator) methodRef(e facts.ExprID, x *facts.Expr) (Type, Ent) {
	sam := ev.sam(ev.expected(e))
	return ev.refTo(x, sam)
}

// refFits reports whether a reference to a method can be what is asked for.
func (ev *evaluator) refFits(e facts.ExprID, x *facts.Expr, to Type) tri {
	t := ev.types
	sam := ev.sam(to)
	n := t.rec(sam).funcParams()
	list, on, static, foreign := ev.refCandidates(x)
	if len(list) == 0 {
		if on == unknownType || foreign || t.kind(on) != kNamed {
			return maybe
		}
		return yes // a constructor that is not declared
	}
	void := len(t.argsOf(sam)) == n
	for _, m := range list {
		is := ev.l.decl(m.ent).Flags.Has(graph.FlagStatic) || ev.l.decl(m.ent).Kind == graph.KindConstructor
		fits := ev.arity(m.typ, n) && (is || !static) || static && !is && n > 0 && ev.arity(m.typ, n-1)
		if fits && (void || ev.l.decl(m.ent).Kind == graph.KindConstructor || ev.resultOf(m.typ) != ev.lang.cls.void) {
			return yes
		}
	}
	return no
}

// refCandidates returns the callables that a reference may mean, the type that
// it names or whose value it does, and whether it names a type.
func (ev *evaluator) refCandidates(x *facts.Expr) (list []member, on Type, static, foreign bool) {
	t := ev.types
	on = ev.typeOf(x.X)
	if t.kind(on) == kMeta {
		on, static = t.arg(on, 0), true
	}
	if ev.f.Facts.Str(x.Name) == "new" {
		if r := *t.rec(on); r.kind == kNamed {
			owner := on
			if ev.l.decl(r.ent).TypeParams.Len() > 0 && len(t.argsOf(on)) == 0 {
				owner = ev.instance(r.ent)
			}
			ev.eachMember(r.ent, ev.l.symOf(r.ent, ev.l.decl(r.ent).Name), func(c Ent) {
				if ev.l.decl(c).Kind == graph.KindConstructor {
					list = append(list, member{ent: c, typ: t.subst(ev.l.typ[c], r.ent, t.argsOf(owner))})
				}
			})
		}
		return list, on, static, false
	}
	if r := t.rec(on); static && r.kind == kNamed && len(t.argsOf(on)) == 0 && ev.l.decl(r.ent).TypeParams.Len() > 0 {
		on = ev.instance(r.ent)
	}
	ms := ev.methods(on, ev.f.syms[x.Name])
	for _, m := range ms.list {
		if ev.sees(m.ent) {
			list = append(list, m)
		}
	}
	return list, on, static, ms.foreign
}

func (ev *evaluator) refTo(x *facts.Expr, sam Type) (Type, Ent) {
	t := ev.types
	list, on, static, _ := ev.refCandidates(x)
	isNew := ev.f.Facts.Str(x.Name) == "new"
	var params []Type
	known := t.kind(sam) == kFunc
	if known {
		params = t.argsOf(sam)[:t.rec(sam).funcParams()]
	}
	function := func(result Type) Type {
		ts := append(append([]Type(nil), params...), result)
		return t.intern(kFunc, noEnt, funcShape(len(params), false), ts)
	}
	if isNew && t.kind(on) == kSlice {
		return function(on), noEnt
	}
	if len(list) == 0 {
		if isNew && t.kind(on) == kNamed {
			return function(on), t.rec(on).ent
		}
		return unknownType, noEnt
	}
	if !known {
		if len(list) == 1 {
			return unknownType, list[0].ent
		}
		return unknownType, noEnt
	}
	// The parameters stand for the arguments; the first may be the receiver.
	type candidate struct {
		member
		from int
	}
	var best []candidate
	for phase := range 3 {
		for _, m := range list {
			is := ev.l.decl(m.ent).Flags.Has(graph.FlagStatic) || isNew
			for from := range 2 {
				if from == 1 && (!static || is || len(params) == 0) || from == 0 && static && !is {
					continue
				}
				if from == 1 && ev.fits(params[0], ev.erased(on, 0), 1) == no {
					continue
				}
				if w := ev.typesFit(m.typ, params[from:], phase); w != no {
					best = append(best, candidate{m, from})
				}
			}
		}
		if len(best) > 0 {
			break
		}
	}
	if len(best) == 0 {
		return unknownType, noEnt
	}
	// The one whose parameters all fit those of every other one is meant, or the one
	// that takes the very types, whatever else takes them, too.
	under := func(a, b candidate) bool {
		n := t.rec(b.typ).funcParams()
		if a.from != b.from || n != t.rec(a.typ).funcParams() {
			return false
		}
		for i := range n {
			if ev.fits(ev.forCompare(ev.paramType(a.typ, i)), ev.forCompare(ev.paramType(b.typ, i)), 0) != yes {
				return false
			}
		}
		return true
	}
	exact := func(a, b candidate) bool {
		own := t.argsOf(a.typ)[:t.rec(a.typ).funcParams()]
		return a.from == b.from && !t.rec(a.typ).isVariadic() && !slices.Contains(own, unknownType) && slices.Equal(own, params[a.from:])
	}
	at := slices.IndexFunc(best, func(a candidate) bool {
		return !slices.ContainsFunc(best, func(b candidate) bool { return a.ent != b.ent && !under(a, b) && !exact(a, b) })
	})
	if at < 0 {
		return unknownType, noEnt // more than one may be meant
	}
	pick := best[at]
	result := ev.resultOf(pick.typ)
	if isNew {
		result = on
	}
	res := &resolution{ent: pick.ent, typ: pick.typ}
	d := ev.l.decl(pick.ent)
	for i := range min(d.TypeParams.Len(), 32) {
		res.params = append(res.params, slot{owner: ev.l.canon[pick.ent], n: int32(i)})
	}
	if r := t.rec(on); static && r.kind == kNamed {
		for i := range min(ev.l.decl(r.ent).TypeParams.Len(), 32) {
			res.params = append(res.params, slot{owner: ev.l.canon[r.ent], n: int32(i)})
		}
		if pick.from == 1 && len(params) > 0 {
			ev.bind(res, ev.instance(r.ent), params[0], 0)
		}
	}
	for i, p := range params[pick.from:] {
		ev.bind(res, ev.formal(pick.typ, i, len(params)-pick.from, 0), p, 0)
	}
	return function(ev.bound(res, result)), pick.ent
}
