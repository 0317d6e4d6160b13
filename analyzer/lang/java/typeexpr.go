package java

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// typeAt adds a type; also a qualified name that may begin with a package.
func (e *extractor) typeAt(i syntax.ID) facts.ExprID {
	switch e.class(i) {
	case classTypeName, classIdentifier, classPrimitive, classVoid:
		return e.name(i, facts.FlagTyped)
	case classScopedType, classScopedIdentifier:
		x, last := facts.ExprID(none), syntax.ID(syntax.None)
		for c := range e.t.NamedChildren(i) {
			switch e.class(c) {
			case classAnnotation:
				e.annotation(c)
			case classTypeName, classIdentifier, classScopedType, classScopedIdentifier, classGeneric:
				if x == none {
					x = e.typeExpr(c)
				} else {
					last = c
				}
			}
		}
		if x == none || last == syntax.None {
			return e.nothing(i)
		}
		return e.add(facts.Expr{Op: facts.OpSelect, Flags: facts.FlagTyped, Name: e.str(last), X: x, Y: none}, last)
	case classField: // a qualified name that was read as an expression
		x := e.typeExpr(e.child(i, fieldObject))
		f := e.child(i, fieldField)
		return e.add(facts.Expr{Op: facts.OpSelect, Flags: facts.FlagTyped, Name: e.str(f), X: x, Y: none}, f)
	case classGeneric:
		x, base := facts.ExprID(none), len(e.ids)
		for c := range e.t.NamedChildren(i) {
			if e.class(c) != classTypeArguments {
				x = e.typeExpr(c)
				continue
			}
			for a := range e.t.NamedChildren(c) {
				e.ids = append(e.ids, int32(e.typeExpr(a)))
			}
		}
		if x == none {
			e.ids = e.ids[:base]
			return e.nothing(i)
		}
		return e.list(facts.Expr{Op: facts.OpIndex, Flags: facts.FlagTyped, X: x, Y: none}, x, base)
	case classArrayType:
		x := e.typeExpr(e.child(i, fieldElement))
		return e.arrayOf(x, e.dimensions(i))
	case classAnnotatedType:
		x := facts.ExprID(none)
		for c := range e.t.NamedChildren(i) {
			if e.class(c) == classAnnotation {
				e.annotation(c)
			} else {
				x = e.typeExpr(c)
			}
		}
		if x != none {
			return x
		}
	case classWildcard: // what it is bounded by stands for it
		bare := facts.Expr{Op: facts.OpNone, Flags: facts.FlagTyped, X: none, Y: none}
		x := facts.ExprID(none)
		for c := range e.t.NamedChildren(i) {
			switch e.class(c) {
			case classAnnotation:
				e.annotation(c)
			case classSuper:
			default:
				x = e.typeExpr(c)
			}
		}
		if x == none {
			x = e.add(bare, i)
		}
		return x
	case classError:
		for c := range e.t.NamedChildren(i) {
			e.expr(c)
		}
	}
	return e.nothing(i)
}

// arrayOf adds the type of arrays of x with n dimensions.
func (e *extractor) arrayOf(x facts.ExprID, n int) facts.ExprID {
	for range n {
		x = e.operation(facts.Expr{Op: facts.OpSliceType, Flags: facts.FlagTyped, X: x, Y: none}, x)
	}
	return x
}

// dimensions counts the brackets of a declarator, parameter or type, and adds
// the lengths that stand in them.
func (e *extractor) dimensions(i syntax.ID) int {
	n := 0
	for c := range e.t.ChildrenByField(i, fieldDimensions) {
		switch e.class(c) {
		case classDimension:
			n++
			for x := range e.t.NamedChildren(c) {
				if e.class(x) == classAnnotation {
					e.annotation(x)
				} else {
					e.expr(x)
				}
			}
		case classDimensions:
			for b := c + 1; b < e.nodes[c].Next; b = e.nodes[b].Next {
				if e.src[e.nodes[b].Start] == '[' {
					n++
				}
			}
		}
	}
	return min(n, 255)
}
