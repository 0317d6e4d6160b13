package typescript

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// jsx adds an element: a call of the component that it names, with its
// attributes as the argument.
func (e *extractor) jsx(i syntax.ID) facts.ExprID {
	open := i
	if e.class(i) == classJSXElement {
		if open = e.childOf(i, classJSXOpening); open == syntax.None {
			open = i
		}
	}
	name := e.child(open, e.f.name)
	x := facts.ExprID(none)
	if name != syntax.None {
		switch e.class(name) {
		case classIdentifier:
			if c := e.src[e.nodes[name].Start]; c < 'a' || c > 'z' {
				x = e.name(name, e.str(name), facts.FlagCallee)
			}
		case classMember, classNestedName:
			x = e.jsxMember(name)
		}
	}
	if x != none {
		if a := e.child(open, e.f.typeArgs); a != syntax.None {
			x = e.instantiation(x, a)
		}
	}
	for c := range e.t.NamedChildren(open) {
		switch e.class(c) {
		case classJSXAttribute:
			for v := range e.t.NamedChildren(c) {
				if k := e.class(v); k == classJSXExpression || k == classJSXElement || k == classJSXSelfClosing {
					e.jsxValue(v)
				}
			}
		case classJSXExpression:
			e.jsxValue(c)
		}
	}
	if open != i {
		for c := range e.t.NamedChildren(i) {
			switch e.class(c) {
			case classJSXElement, classJSXSelfClosing, classJSXExpression:
				e.jsxValue(c)
			}
		}
	}
	if x == none {
		return e.nothing(i)
	}
	return e.operation(facts.Expr{Op: facts.OpCall, Flags: facts.FlagSpread, N: 1, X: x, Y: none}, x)
}

func (e *extractor) jsxValue(i syntax.ID) {
	if e.class(i) != classJSXExpression {
		e.expr(i)
		return
	}
	for c := range e.t.NamedChildren(i) {
		e.expr(c)
	}
}

// jsxMember adds the name a.b of a component.
func (e *extractor) jsxMember(i syntax.ID) facts.ExprID {
	object, name := e.child(i, e.f.object), e.child(i, e.f.property)
	if object == syntax.None || name == syntax.None {
		return none
	}
	x := e.expr(object)
	if e.class(object) == classNestedName {
		x = e.deeper(object, e.jsxMember)
	}
	if x == none {
		return none
	}
	return e.add(facts.Expr{Op: facts.OpSelect, Flags: facts.FlagCallee, Name: e.str(name), X: x, Y: none}, name)
}
