package java

import (
	"bytes"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

func (e *extractor) instanceOf(i syntax.ID) facts.ExprID {
	x := e.expr(e.child(i, fieldLeft))
	y := facts.ExprID(none)
	if p := e.child(i, fieldPattern); p != syntax.None {
		y = e.recordPattern(p, x)
	} else {
		y = e.typeExpr(e.child(i, fieldRight))
		if n := e.child(i, fieldName); n != syntax.None {
			e.bind(n, y, none)
		}
	}
	return e.operation(facts.Expr{Op: facts.OpBinary, Name: e.b.InternString("instanceof"), X: x, Y: y}, x)
}

// recordPattern adds the types of a pattern that value is matched with, brings
// its names into scope, and returns its own type.
func (e *extractor) recordPattern(i syntax.ID, value facts.ExprID) facts.ExprID {
	return e.deeper(i, func(i syntax.ID) facts.ExprID {
		t, record := facts.ExprID(none), facts.ExprID(none)
		for c := range e.t.NamedChildren(i) {
			switch e.class(c) {
			case classIdentifier, classGeneric:
				t = e.qualifiedName(c)
				record = e.operation(facts.Expr{Op: facts.OpAssert, X: value, Y: t}, t)
			case classRecordPatternBody:
				if t == none {
					continue
				}
				n := int16(0)
				for p := range e.t.NamedChildren(c) {
					component := facts.Expr{Op: facts.OpTuple, X: record, Y: none, N: n}
					switch e.class(p) {
					case classRecordPattern:
						e.recordPattern(p, e.operation(component, t))
					case classRecordComponent:
						e.typePattern(p, &component)
					case classComment:
						continue
					}
					n++
				}
				named := t
				for e.b.Exprs[named].Op == facts.OpIndex && e.b.Exprs[named].X >= 0 { // without its type arguments
					named = e.b.Exprs[named].X
				}
				if x := &e.b.Exprs[named]; x.Op == facts.OpName || x.Op == facts.OpSelect {
					x.N = facts.Components(int(n), 0)
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
// the type. With the word var that is the type of the component of a record.
func (e *extractor) typePattern(i syntax.ID, component *facts.Expr) facts.ExprID {
	t, value, name := facts.ExprID(none), facts.ExprID(none), syntax.ID(syntax.None)
	for c := range e.t.NamedChildren(i) {
		switch {
		case e.class(c) == classIdentifier && (t != none || value != none):
			name = c
		case e.class(c) == classUnderscore, t != none:
		case component != nil && e.isVar(c):
			value = e.add(*component, c)
		default:
			t = e.typeExpr(c)
		}
	}
	if name != syntax.None {
		e.bind(name, t, value)
	}
	if t == none {
		return e.nothing(i)
	}
	return t
}

// qualifiedName adds the type of a record in a pattern, with the qualifiers that
// the grammar is not shown; see eachQualifier.
func (e *extractor) qualifiedName(i syntax.ID) facts.ExprID {
	start := int(e.nodes[i].Start)
	from := start
	for from > 0 && start-from < lookaround && (e.src[from-1] == '.' || isLetter(e.src[from-1]) || e.src[from-1] >= 0x80 || e.src[from-1] >= '0' && e.src[from-1] <= '9') {
		from--
	}
	if from == start || e.src[start-1] != '.' || e.class(i) != classIdentifier {
		return e.typeExpr(i)
	}
	line, col := e.place(i)
	x := facts.ExprID(none)
	for at := from; at < start; {
		n := bytes.IndexByte(e.src[at:start], '.')
		part := facts.Expr{Op: facts.OpSelect, Flags: facts.FlagTyped, Name: e.b.Intern(e.src[at : at+n]), X: x, Y: none, Line: line, Col: col - int32(start-at)}
		if x == none {
			part.Op = facts.OpName
		}
		x = e.b.AddExpr(part)
		at += n + 1
	}
	return e.add(facts.Expr{Op: facts.OpSelect, Flags: facts.FlagTyped, Name: e.str(i), X: x, Y: none}, i)
}
