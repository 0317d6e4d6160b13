package java

import (
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// lambda adds a lambda: a declaration of its own and the expression that stands
// for it. Parameters without types get theirs from the expression's context.
func (e *extractor) lambda(i syntax.ID) facts.ExprID {
	d := e.declare(graph.KindFunction, syntax.None, i)
	e.b.Decls[d].Traits = facts.TraitLiteral
	owner, function, result := e.owner, e.function, e.result
	e.owner, e.function, e.result = d, d, none
	e.bodies++
	e.b.Push()
	var inferred []facts.ExprID
	base := len(e.params)
	implicit := func(n syntax.ID) {
		v := e.add(facts.Expr{Op: facts.OpParamOf, N: int16(min(len(e.params)-base, 1<<15-1)), X: none, Y: none}, n)
		inferred = append(inferred, v)
		l := e.bind(n, none, v)
		e.params = append(e.params, facts.Param{Name: e.str(n), Type: none, Local: l})
	}
	switch ps := e.child(i, fieldParameters); {
	case ps == syntax.None:
	case e.class(ps) == classIdentifier:
		implicit(ps)
	case e.class(ps) == classInferredParams:
		for c := range e.t.NamedChildren(ps) {
			implicit(c)
		}
	default:
		for c := range e.t.NamedChildren(ps) {
			if t := e.child(c, fieldType); t != syntax.None && e.isVar(t) {
				implicit(e.child(c, fieldName))
			} else {
				e.param(c)
			}
		}
	}
	e.b.Decls[d].Params = e.endParams(base)
	body := e.child(i, fieldBody)
	if body != syntax.None && e.class(body) == classBlock {
		if e.endless(body) {
			e.b.Decls[d].Traits |= facts.TraitEndless
		}
		e.stmt(body)
	} else {
		x := e.expr(body)
		e.b.Decls[d].Traits |= facts.TraitExpression
		e.flow(facts.FlowReturn, 0, int32(d), x)
	}
	e.b.Pop()
	e.bodies--
	e.owner, e.function, e.result = owner, function, result
	e.b.EndDecl(d)
	x := e.add(facts.Expr{Op: facts.OpFunc, X: facts.ExprID(d), Y: none}, i)
	for _, v := range inferred {
		e.b.Exprs[v].X = x
	}
	fl := e.b.Decls[d].Flows
	for k := fl.Lo; k < fl.Hi; k++ {
		if f := &e.b.Flows[k]; f.Kind == facts.FlowReturn && f.To == int32(d) {
			e.context(f.From, x)
		}
	}
	return x
}

// endless reports whether a block ends with a statement behind which nothing
// runs: a throw or an endless loop.
func (e *extractor) endless(body syntax.ID) bool {
	last := syntax.ID(syntax.None)
	for c := range e.t.NamedChildren(body) {
		last = c
	}
	if last == syntax.None {
		return false
	}
	switch e.class(last) {
	case classThrow:
		return true
	case classWhile:
		c := e.child(last, fieldCondition)
		return c != syntax.None && strings.Trim(e.t.String(c), "() ") == "true"
	case classFor:
		return e.child(last, fieldCondition) == syntax.None
	case classTry, classTryResources, classSynchronized:
		b := e.child(last, fieldBody)
		if b == syntax.None || !e.endless(b) {
			return false
		}
		for c := range e.t.NamedChildren(last) {
			if e.class(c) == classCatch {
				if b := e.child(c, fieldBody); b == syntax.None || !e.endless(b) {
					return false
				}
			}
		}
		return true
	}
	return false
}

func (e *extractor) methodRef(i syntax.ID) facts.ExprID {
	first, last := syntax.ID(syntax.None), syntax.ID(syntax.None)
	for c := range e.t.Children(i) {
		if e.nodes[c].Flags&syntax.Extra != 0 {
			continue
		}
		if first == syntax.None {
			first = c
		}
		last = c
	}
	if first == last {
		return e.nothing(i)
	}
	x := e.expr(first)
	return e.add(facts.Expr{Op: facts.OpMethodRef, Name: e.str(last), X: x, Y: none}, last)
}
