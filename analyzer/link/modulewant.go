package link

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// What type the context of an expression gives it in languages with modules.

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
		ev.bindWanted(x.Y, y, res)
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

// bindWanted makes the type parameters of a call that its arguments do not tell
// stand for what is wanted of its result, where that is declared: functions that
// are given to it take their types from there.
func (ev *evaluator) bindWanted(e facts.ExprID, x *facts.Expr, res *moduleCall) {
	if res.asked || res.result != unknownType || x.Y < 0 {
		return
	}
	if op := ev.f.Facts.Exprs[x.Y].Op; op == facts.OpCall || op == facts.OpNew {
		return // its signature may depend on this call
	}
	missing := false
	for i := range res.params {
		missing = missing || res.params[i].bound == unknownType
	}
	out := ev.resultOf(res.sig)
	if !missing || !ev.types.rec(out).params {
		return
	}
	res.asked = true
	if want := ev.wanted(e); want != unknownType && !ev.types.rec(want).params {
		ev.bindTo(res, out, want, 1)
	}
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
