package java

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

func (e *extractor) instanceOf(i syntax.ID) facts.ExprID {
	x := e.expr(e.child(i, fieldLeft))
	y := facts.ExprID(none)
	if p := e.child(i, fieldPattern); p != syntax.None {
		y = e.recordPattern(p)
	} else {
		y = e.typeExpr(e.child(i, fieldRight))
		if n := e.child(i, fieldName); n != syntax.None {
			e.bind(n, y, none)
		}
	}
	return e.operation(facts.Expr{Op: facts.OpBinary, Name: e.b.InternString("instanceof"), X: x, Y: y}, x)
}

// recordPattern adds the types of a pattern, brings its names into scope, and
// returns its own type.
func (e *extractor) recordPattern(i syntax.ID) facts.ExprID {
	return e.deeper(i, func(i syntax.ID) facts.ExprID {
		t := facts.ExprID(none)
		for c := range e.t.NamedChildren(i) {
			switch e.class(c) {
			case classIdentifier, classGeneric:
				t = e.typeExpr(c)
			case classRecordPatternBody:
				n := int16(0)
				for p := range e.t.NamedChildren(c) {
					switch e.class(p) {
					case classRecordPattern:
						e.recordPattern(p)
					case classRecordComponent:
						e.typePattern(p, t, n)
					}
					n++
				}
			}
		}
		if t == none {
			return e.nothing(i)
		}
		return t
	})
}

// typePattern brings the name of a pattern with a type into scope, and returns
// the type.
func (e *extractor) typePattern(i syntax.ID, record facts.ExprID, n int16) facts.ExprID {
	t, name := facts.ExprID(none), syntax.ID(syntax.None)
	for c := range e.t.NamedChildren(i) {
		switch {
		case e.class(c) == classIdentifier && t != none:
			name = c
		case e.class(c) == classUnderscore, t != none:
		case e.isVar(c):
			t = e.nothing(c)
		default:
			t = e.typeExpr(c)
		}
	}
	if t == none {
		return e.nothing(i)
	}
	if name != syntax.None {
		e.bind(name, t, none)
	}
	return t
}
