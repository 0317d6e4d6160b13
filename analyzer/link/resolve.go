package link

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// What a call or a construction in a language with classes means: its candidates,
// of which overload.go chooses.

// resolve finds out what the call or construction e means.
func (ev *evaluator) resolve(e facts.ExprID) *resolution {
	c := &ev.classes
	if n := c.calls[e]; n > 0 {
		return c.found[n-1]
	}
	var res *resolution
	if n := len(c.found); n < cap(c.found) && c.found[:n+1][n] != nil {
		c.found = c.found[:n+1] // of a file before
		res = c.found[n]
	} else {
		res = &resolution{}
		c.found = append(c.found, res)
	}
	*res = resolution{ent: noEnt, open: true}
	c.calls[e] = int32(len(c.found))
	if ev.depth > maxEvalDepth {
		res.open = false
		return res
	}
	ev.depth++
	ev.resolveCall(e, &ev.f.Facts.Exprs[e], res)
	ev.depth--
	res.open = false
	return res
}

func (ev *evaluator) resolveCall(e facts.ExprID, x *facts.Expr, res *resolution) {
	t := ev.types
	args := ev.f.Facts.List(x.Args)
	if x.Op == facts.OpNew {
		ev.resolveNew(e, ev.typeExpr(x.X), x.X, args, res)
		return
	}
	callee := x.X
	var explicit []Type
	if callee >= 0 && ev.f.Facts.Exprs[callee].Op == facts.OpIndex {
		explicit = ev.typeList(ev.f.Facts.Exprs[callee].Args)
		callee = ev.f.Facts.Exprs[callee].X
	}
	if callee < 0 {
		return
	}
	cx := &ev.f.Facts.Exprs[callee]
	name := ev.f.syms[cx.Name]
	switch cx.Op {
	case facts.OpSelf: // this(…)
		if d := ev.classes.within[e]; d != facts.None {
			ev.resolveNew(e, ev.typeOfDecl(d), facts.None, args, res)
			res.params = nil
		}
	case facts.OpSuper: // super(…)
		if d := ev.classes.within[e]; d != facts.None {
			if s := ev.superOf(ev.typeOfDecl(d)); s != unknownType {
				ev.resolveNew(e, s, facts.None, args, res)
				res.params = nil
			}
		}
	case facts.OpName:
		n := 0
		inferred := false
		for d := ev.classes.within[e]; d != facts.None && n < maxScopes; d = ev.outerType(d) {
			n++
			ms := ev.methods(ev.typeOfDecl(d), name)
			if len(ms.list) > 0 && (!ms.foreign || ev.takes(ms, args)) {
				ev.choose(e, ms, args, explicit, res)
				res.recv = ev.typeOfDecl(d)
				res.inferred = res.inferred || inferred
				return
			}
			if fixed := ev.unchangeable(ms, name, args); fixed != nil {
				ev.choose(e, fixed, args, explicit, res)
				res.recv = ev.typeOfDecl(d)
				ev.typeOfReceiver(cx, args, res)
				return
			}
			inferred = inferred || ms.foreign
		}
		ev.resolveImported(e, name, args, explicit, res)
		res.inferred = res.inferred || inferred
	case facts.OpSelect:
		xt := ev.typeOf(cx.X)
		switch t.kind(xt) {
		case kMeta:
			xt = t.arg(xt, 0)
		case kExtern:
			res.foreign = xt
			return
		default:
			xt = ev.standalone(cx.X, xt, 0)
		}
		if t.kind(xt) == kSlice && ev.f.Facts.Str(cx.Name) == "clone" && len(args) == 0 {
			res.closed, res.resultTyp = true, xt
			return
		}
		ms := ev.methods(xt, name)
		if len(ms.list) == 0 && !ms.foreign && ev.isInterfaceType(xt) && ev.lang.cls.root != unknownType {
			ms = ev.methods(ev.lang.cls.root, name)
		} else if fixed := ev.unchangeable(ms, name, args); fixed != nil {
			ms = fixed
		}
		ev.choose(e, ms, args, explicit, res)
		res.recv, res.super = xt, cx.X >= 0 && ev.f.Facts.Exprs[cx.X].Op == facts.OpSuper
		if res.super && res.ent != noEnt && ev.l.decl(res.ent).Flags.Has(graph.FlagAbstract) {
			res.ent, res.others = noEnt, nil // there is nothing to run: what it meant is not there any more
			return
		}
		if res.ent != noEnt && ev.givesReceiver(res.ent) {
			res.closed, res.resultTyp = true, xt
		}
		ev.typeOfReceiver(cx, args, res)
	}
}

// unchangeable returns the method of the root type that a call without arguments
// means, whatever bases of a type that are not known declare: a final one has no
// other beside it. Nil: the bases are known, or there is none.
func (ev *evaluator) unchangeable(ms *methodList, name Sym, args []int32) *methodList {
	if !ms.foreign || len(args) > 0 || ev.lang.cls.root == unknownType || ev.takes(ms, args) {
		return nil
	}
	root := ev.methods(ev.lang.cls.root, name)
	if !ev.takes(root, args) || !ev.l.decl(root.list[0].ent).Flags.Has(graph.FlagFinal) {
		return nil
	}
	return root
}

// typeOfReceiver gives a call that asks for the type of its receiver its result.
func (ev *evaluator) typeOfReceiver(cx *facts.Expr, args []int32, res *resolution) {
	if res.ent != noEnt && len(args) == 0 && ev.f.Facts.Str(cx.Name) == "getClass" && ev.lang.cls.typeOf != noEnt {
		res.closed, res.resultTyp = true, ev.types.mk(kNamed, ev.lang.cls.typeOf, 0, res.recv)
	}
}

// givesReceiver reports whether a method gives back what it is called on, whatever
// its type is.
func (ev *evaluator) givesReceiver(m Ent) bool {
	d := ev.l.decl(m)
	if d.Traits&facts.TraitSynthetic == 0 || d.Results.Len() != 1 {
		return false
	}
	f := &ev.l.files[ev.l.entFile[m]]
	x := f.Facts.Params[d.Results.Lo].Type
	return x >= 0 && f.Facts.Exprs[x].Op == facts.OpSelf && f.Facts.Exprs[x].N == facts.SelfReceiver
}

// takes reports whether one of several callables can take so many arguments.
func (ev *evaluator) takes(ms *methodList, args []int32) bool {
	for _, m := range ms.list {
		if ev.arity(m.typ, len(args)) {
			return true
		}
	}
	return false
}

func (ev *evaluator) arity(f Type, n int) bool {
	r := ev.types.rec(f)
	if r.kind != kFunc {
		return false
	}
	p := r.funcParams()
	return n == p || r.isVariadic() && n >= p-1
}

// resolveImported resolves a call of a name that an import of members brings
// into scope: one by name hides those of a whole type.
func (ev *evaluator) resolveImported(e facts.ExprID, name Sym, args []int32, explicit []Type, res *resolution) {
	fs := ev.f.Facts
	for _, all := range []bool{false, true} {
		var ms methodList
		for _, im := range ev.l.statics[ev.fn] {
			i := &fs.Imports[im]
			if (fs.Str(i.Name) == "*") != all || !all && ev.f.syms[i.Name] != name {
				continue
			}
			t := ev.importedType(i)
			if t == unknownType {
				if !all && len(ms.list) == 0 {
					res.foreign = ev.externOf(fs.Str(i.Path))
				}
				ms.foreign = true
				continue
			}
			found := ev.methods(t, name)
			ms.foreign = ms.foreign || found.foreign
			for _, m := range found.list {
				if !slices.ContainsFunc(ms.list, func(o member) bool { return o.ent == m.ent }) {
					ms.list = append(ms.list, m)
				}
			}
		}
		if len(ms.list) > 0 {
			res.foreign = unknownType
			ev.choose(e, &ms, args, explicit, res)
			return
		}
		if ms.foreign && !all {
			return
		}
	}
}

// externOf returns the external type with a full name.
func (ev *evaluator) externOf(path string) Type {
	around := ev.lang.around(path)
	if around == "" {
		return unknownType
	}
	p, n := ev.l.lookupSym(around), ev.l.lookupSym(path[len(around)+len(ev.lang.Classes.Separator):])
	if p < 0 || n < 0 {
		return unknownType
	}
	return ev.types.mk(kExtern, Ent(p), int32(n))
}

// resolveNew finds the constructor that makes a value of type typ.
func (ev *evaluator) resolveNew(e facts.ExprID, typ Type, at facts.ExprID, args []int32, res *resolution) {
	t := ev.types
	r := *t.rec(typ)
	if r.kind != kNamed {
		return
	}
	d := ev.l.decl(r.ent)
	res.result = typ
	if d.Kind == graph.KindInterface || d.Kind == graph.KindAnnotation {
		return // its methods are those of an anonymous class
	}
	generic := d.TypeParams.Len()
	owner := typ
	if generic > 0 && len(t.argsOf(typ)) == 0 { // the diamond, or raw: inferred
		owner = ev.instance(r.ent)
		res.result = owner
		for i := range min(generic, 32) {
			res.params = append(res.params, slot{owner: ev.l.canon[r.ent], n: int32(i)})
		}
	}
	raw := owner != typ && at >= 0 && ev.f.Facts.Exprs[at].Op != facts.OpIndex
	var ms methodList
	ev.eachMember(r.ent, ev.l.symOf(r.ent, d.Name), func(c Ent) {
		if ev.l.decl(c).Kind == graph.KindConstructor && len(ms.list) < maxCandidates {
			m := member{ent: c, typ: t.subst(ev.l.typ[c], r.ent, t.argsOf(owner))}
			if raw {
				m.typ = ev.erasedFunc(m.typ)
			}
			ms.list = append(ms.list, m)
		}
	})
	if len(ms.list) == 0 {
		if len(args) == 0 || ev.l.units[ev.l.unitOf(r.ent)].surface {
			res.ent = r.ent
		}
		return
	}
	ev.choose(e, &ms, args, nil, res)
}
