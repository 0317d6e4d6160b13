package typescript

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// What conditions say of the types of variables: where a condition holds, the
// variables that it tells something about are bound again, as what they are
// there.

// condition is a comparison or call that was met in a condition.
type condition struct {
	node syntax.ID
	expr facts.ExprID
}

type caseValue struct {
	node syntax.ID
	expr facts.ExprID
}

// condition adds the expression of a condition and returns where what it tests
// begins in tested, which the caller cuts off again.
func (e *extractor) condition(i syntax.ID) int {
	mark := len(e.tested)
	e.testing++
	e.expr(i)
	e.testing--
	return mark
}

// tests notes a comparison or call of an open condition.
func (e *extractor) tests(i syntax.ID, x facts.ExprID) {
	if e.testing > 0 {
		e.tested = append(e.tested, condition{i, x})
	}
}

// narrow binds the variables that a condition tells something about, where it
// holds, or does not.
func (e *extractor) narrow(i syntax.ID, holds bool, mark int) {
	if mark >= len(e.tested) {
		return
	}
	for depth := 0; i != syntax.None && depth < 256; depth++ {
		switch e.class(i) {
		case classParen:
			i = e.t.FirstNamed(i)
			continue
		case classUnary:
			if !e.reads(e.child(i, e.f.operator), "!") {
				return
			}
			holds = !holds
			i = e.child(i, e.f.operand)
			continue
		case classBinary:
			op := e.child(i, e.f.operator)
			if e.reads(op, "&&") && holds || e.reads(op, "||") && !holds {
				e.narrow(e.child(i, e.f.right), holds, mark)
				i = e.child(i, e.f.left)
				continue
			}
			e.compared(i, holds, mark)
		case classCall:
			e.guarded(i, holds, mark)
		}
		return
	}
}

// exprOf returns the expression of a node of the open conditions.
func (e *extractor) exprOf(i syntax.ID, mark int) facts.ExprID {
	for k := len(e.tested) - 1; k >= mark; k-- {
		if e.tested[k].node == i {
			return e.tested[k].expr
		}
	}
	return none
}

// compared narrows the variable of x instanceof C, x.kind === "a", "a" in x or
// typeof x === "function".
func (e *extractor) compared(i syntax.ID, holds bool, mark int) {
	op := e.t.String(e.child(i, e.f.operator))
	left, right := e.child(i, e.f.left), e.child(i, e.f.right)
	switch op {
	case "instanceof":
		e.narrowed(left, e.exprOf(i, mark), holds)
	case "in":
		if e.is(left, classString) {
			x := e.exprOf(i, mark)
			if x == none {
				return
			}
			y := e.constant(left)
			e.b.Exprs[y].Line, e.b.Exprs[y].Col = 0, 0
			c := e.b.AddExpr(facts.Expr{Op: facts.OpBinary, Name: e.b.InternString("in"), X: y, Y: e.b.Exprs[x].Y})
			e.narrowed(right, c, holds)
		}
	case "===", "==", "!==", "!=":
		if op[0] == '!' {
			holds = !holds
		}
		x := e.exprOf(i, mark)
		if x == none {
			return
		}
		e.equal(left, right, e.b.Exprs[x].X, e.b.Exprs[x].Y, holds)
	}
}

// equal narrows what is equal to a constant: a variable itself, one whose
// member it is, or one whose typeof it is.
func (e *extractor) equal(left, right syntax.ID, x, y facts.ExprID, holds bool) {
	for _, p := range [...]struct {
		of, to syntax.ID
		x, y   facts.ExprID
	}{{left, right, x, y}, {right, left, y, x}} {
		if p.of == syntax.None || p.to == syntax.None {
			continue
		}
		value := p.y
		switch e.class(p.to) {
		case classString, classNumber, classBool, classNull, classUndefined:
			value = e.constant(p.to)
			e.b.Exprs[value].Line, e.b.Exprs[value].Col = 0, 0
		case classMember: // a member of an enum
		default:
			continue
		}
		c := e.b.AddExpr(facts.Expr{Op: facts.OpBinary, Name: e.b.InternString("==="), X: p.x, Y: value})
		switch e.class(p.of) {
		case classMember:
			e.narrowed(e.child(p.of, e.f.object), c, holds)
			return
		case classUnary:
			e.narrowed(e.child(p.of, e.f.operand), c, holds)
			return
		}
	}
}

// narrowCase narrows the variable that a switch is about, in the cases with the
// given values.
func (e *extractor) narrowCase(of syntax.ID, x facts.ExprID, values []caseValue) {
	if k := e.class(of); k != classMember && k != classUnary {
		return
	}
	target := e.child(of, e.f.object)
	if e.class(of) == classUnary {
		target = e.child(of, e.f.operand)
	}
	if !e.is(target, classIdentifier) {
		return
	}
	base := len(e.ids)
	for _, v := range values {
		y := v.expr
		switch e.class(v.node) {
		case classString, classNumber, classBool:
			y = e.constant(v.node)
			e.b.Exprs[y].Line, e.b.Exprs[y].Col = 0, 0
		case classMember:
		default:
			e.ids = e.ids[:base]
			return
		}
		e.ids = append(e.ids, int32(y))
		if len(e.ids) > base+16 {
			break
		}
	}
	c := e.b.AddExpr(facts.Expr{Op: facts.OpBinary, Name: e.b.InternString("==="), X: x, Y: facts.ExprID(e.ids[base]), Args: e.b.AddList(e.ids[base:])})
	e.ids = e.ids[:base]
	e.narrowed(target, c, true)
}

// guarded narrows the variables that a call is about whose function tells the
// type of a parameter.
func (e *extractor) guarded(i syntax.ID, holds bool, mark int) {
	x := e.exprOf(i, mark)
	if x == none {
		return
	}
	e.arguedAbout(i, x, holds)
}

func (e *extractor) arguedAbout(i syntax.ID, x facts.ExprID, holds bool) {
	if args := e.child(i, e.f.arguments); e.is(args, classArguments) {
		n := int16(0)
		for c := range e.t.NamedChildren(args) {
			if e.class(c) == classIdentifier && n < 4 {
				e.narrowed(c, x, holds)
			}
			n++
		}
	}
	if fn := e.child(i, e.f.function); e.is(fn, classMember) {
		e.narrowed(e.child(fn, e.f.object), x, holds)
	}
}

// asserted narrows the variables that a call is about whose function fails
// otherwise.
func (e *extractor) asserted(i syntax.ID, x facts.ExprID) {
	if !e.is(i, classCall) || e.bodies == 0 {
		return
	}
	name := e.child(i, e.f.function)
	if e.is(name, classMember) {
		name = e.child(name, e.f.property)
	}
	// Only functions that are named so are asked: most calls assert nothing.
	if t := e.t.String(name); len(t) < 6 || t[:6] != "assert" && t != "invariant" {
		return
	}
	e.arguedAbout(i, x, true)
}

// narrowed binds the variable at node i as what it is where the condition holds
// or does not.
func (e *extractor) narrowed(i syntax.ID, cond facts.ExprID, holds bool) {
	for e.is(i, classParen) || e.is(i, classNonNull) {
		i = e.t.FirstNamed(i)
	}
	if !e.is(i, classIdentifier) || cond == none {
		return
	}
	s := e.str(i)
	l := e.b.Lookup(s)
	if l == none || e.b.Locals[l].Kind != facts.LocalVar {
		return
	}
	x := e.b.AddExpr(facts.Expr{Op: facts.OpName, Flags: facts.FlagLocal, Name: s, X: facts.ExprID(l), Y: none})
	n := int16(0)
	if holds {
		n = 1
	}
	v := e.b.AddExpr(facts.Expr{Op: facts.OpNarrow, N: n, X: x, Y: cond})
	e.b.Bind(e.b.AddLocal(facts.Local{Name: s, Decl: none, Type: none, Value: v, Next: none}))
}
