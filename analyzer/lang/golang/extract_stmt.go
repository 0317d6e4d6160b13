package golang

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// block adds the statements of a block, in the scope that is open.
func (e *extractor) block(i syntax.ID) {
	if i == syntax.None {
		return
	}
	for c := range e.t.NamedChildren(i) {
		if classOf(e.nodes[c].Kind) == classStatementList {
			e.statements(c)
		} else {
			e.stmt(c)
		}
	}
}

func (e *extractor) statements(list syntax.ID) {
	for c := range e.t.NamedChildren(list) {
		e.stmt(c)
	}
}

// scoped adds the statements of a block in a scope of its own.
func (e *extractor) scoped(i syntax.ID) {
	e.b.Push()
	e.block(i)
	e.b.Pop()
}

// stmt adds the expressions, locals and flows of a statement. It recurses over
// the tree, not deeper than maxDepth.
func (e *extractor) stmt(i syntax.ID) {
	if i == syntax.None {
		return
	}
	if e.depth >= maxDepth {
		e.unparsed(i)
		return
	}
	e.depth++
	e.stmtAt(i)
	e.depth--
}

func (e *extractor) stmtAt(i syntax.ID) {
	switch classOf(e.nodes[i].Kind) {
	case classExpressionStatement:
		e.want(e.expr(e.t.FirstNamed(i), 0), 0)
	case classGo, classDefer:
		x := e.expr(e.t.FirstNamed(i), 0)
		if c := &e.b.Exprs[x]; c.Op == facts.OpCall {
			c.N, c.Flags = 0, c.Flags|facts.FlagLater
		}
	case classSend:
		e.send(i)
	case classReceive:
		e.receive(i)
	case classIncDec:
		e.target(e.t.FirstNamed(i), facts.FlagRead|facts.FlagWrite)
	case classAssignment:
		e.assignment(i)
	case classShortVar:
		e.shortVar(i)
	case classVar:
		e.localVars(i)
	case classConst:
		e.localConsts(i)
	case classType:
		e.types(i, comments{}, true)
	case classReturn:
		e.returns(i)
	case classIf:
		e.b.Push()
		e.stmt(e.child(i, fieldInitializer))
		e.expr(e.child(i, fieldCondition), 0)
		if c := e.child(i, fieldConsequence); c != syntax.None {
			e.scoped(c)
		}
		e.stmt(e.child(i, fieldAlternative))
		e.b.Pop()
	case classFor:
		e.loop(i)
	case classSwitch:
		e.b.Push()
		e.stmt(e.child(i, fieldInitializer))
		if v := e.child(i, fieldValue); v != syntax.None {
			e.expr(v, 0)
		}
		e.clauses(i)
		e.b.Pop()
	case classTypeSwitch:
		e.typeSwitch(i)
	case classSelect:
		e.clauses(i)
	case classBlock:
		e.scoped(i)
	case classLabeled, classStatementList:
		e.statements(i)
	case classError, classOther:
		// What could not be parsed may hold what could.
		for c := range e.t.Children(i) {
			if e.nodes[c].Named() {
				e.stmt(c)
			}
		}
	default:
		if isExpression(classOf(e.nodes[i].Kind)) {
			e.expr(i, 0)
		}
	}
}

// isExpression reports whether nodes of class c may be given to expr.
func isExpression(c class) bool {
	return c >= classIdentifier && c <= classChannelType && c != classBlank && c != classDot &&
		c != classLiteralElement && c != classKeyedElement && c != classLiteralValue
}

// target adds an expression that is assigned to, and returns it; None for the
// blank identifier. Only names and selections are written themselves: what an
// index or a pointer leads to is not the operand.
func (e *extractor) target(i syntax.ID, flags facts.ExprFlags) facts.ExprID {
	i = e.unwrap(i)
	if i == syntax.None {
		return none
	}
	switch classOf(e.nodes[i].Kind) {
	case classIdentifier:
		if e.str(i) == e.words.blank {
			return none
		}
		return e.expr(i, flags)
	case classSelector:
		return e.expr(i, flags)
	}
	return e.expr(i, 0)
}

// isName reports whether nodes of class c are names. The grammar takes the names
// of predeclared constants for literals, also where they mean something else.
func isName(c class) bool {
	return c == classIdentifier || c == classIota || c == classNil || c == classBool
}

// unwrap returns what is inside of parentheses.
func (e *extractor) unwrap(i syntax.ID) syntax.ID {
	for i != syntax.None && classOf(e.nodes[i].Kind) == classParen {
		i = e.t.FirstNamed(i)
	}
	return i
}

// list adds the expressions of a list and puts them on ids.
func (e *extractor) list(i syntax.ID) {
	if i == syntax.None {
		return
	}
	if classOf(e.nodes[i].Kind) != classExpressionList {
		e.ids = append(e.ids, int32(e.expr(i, 0)))
		return
	}
	for c := range e.t.NamedChildren(i) {
		e.ids = append(e.ids, int32(e.expr(c, 0)))
	}
}

// targets adds the expressions of a list as targets and puts them on ids.
func (e *extractor) targets(i syntax.ID, flags facts.ExprFlags) {
	if i == syntax.None {
		return
	}
	for c := range e.t.NamedChildren(i) {
		e.ids = append(e.ids, int32(e.target(c, flags)))
	}
}

// tuple returns value n of the several values of x.
func (e *extractor) tuple(x facts.ExprID, n int) facts.ExprID {
	return e.operation(facts.Expr{Op: facts.OpTuple, N: int16(min(n, 1<<15-1)), X: x, Y: none}, x)
}

func (e *extractor) flow(kind facts.FlowKind, n, to int32, from facts.ExprID) {
	e.b.AddFlow(kind, n, to, from)
}

func (e *extractor) assignment(i syntax.ID) {
	base := len(e.ids)
	defer func() { e.ids = e.ids[:base] }()
	op := e.child(i, fieldOperator)
	if !e.t.Is(op, tokenAssign) {
		e.targets(e.child(i, fieldLeft), facts.FlagRead|facts.FlagWrite)
		mid := len(e.ids)
		e.list(e.child(i, fieldRight))
		// The count of a shift is not stored.
		if mid > base && len(e.ids) > mid && e.ids[base] != none && !e.t.Is(op, tokenShl) && !e.t.Is(op, tokenShr) {
			e.flow(facts.FlowAssign, 0, e.ids[base], facts.ExprID(e.ids[mid]))
		}
		return
	}
	e.targets(e.child(i, fieldLeft), facts.FlagWrite)
	mid := len(e.ids)
	e.list(e.child(i, fieldRight))
	left, right := e.ids[base:mid], e.ids[mid:]
	e.spread(len(left), right)
	for k, to := range left {
		if to == none {
			continue
		}
		if from := e.valueOf(k, len(left), right); from != none {
			e.flow(facts.FlowAssign, 0, to, from)
		}
	}
}

// spread says that n values are wanted of a single right-hand side.
func (e *extractor) spread(n int, right []int32) {
	if n > 1 && len(right) == 1 {
		e.want(facts.ExprID(right[0]), n)
	}
}

// valueOf returns the value that position k of n gets from the right-hand
// side: the expression there, or a part of the only one.
func (e *extractor) valueOf(k, n int, right []int32) facts.ExprID {
	switch {
	case n > 1 && len(right) == 1:
		return e.tuple(facts.ExprID(right[0]), k)
	case k < len(right):
		return facts.ExprID(right[k])
	}
	return none
}

func (e *extractor) shortVar(i syntax.ID) {
	base := len(e.ids)
	e.list(e.child(i, fieldRight))
	e.define(e.child(i, fieldLeft), e.ids[base:])
	e.ids = e.ids[:base]
}

// define binds the names of a := to the values in right. Names that the scope
// has already are assigned.
func (e *extractor) define(left syntax.ID, right []int32) {
	if left == syntax.None {
		return
	}
	n := 0
	for range e.t.NamedChildren(left) {
		n++
	}
	e.spread(n, right)
	k := -1
	for c := range e.t.NamedChildren(left) {
		k++
		e.bindOrAssign(c, func() facts.ExprID { return e.valueOf(k, n, right) })
	}
}

// bindOrAssign gives the value to the name at node i, as := does.
func (e *extractor) bindOrAssign(i syntax.ID, value func() facts.ExprID) {
	if !isName(classOf(e.nodes[i].Kind)) {
		if to := e.target(i, facts.FlagWrite); to != none {
			e.assignTo(to, value())
		}
		return
	}
	s := e.str(i)
	if s == 0 || s == e.words.blank {
		return
	}
	if e.b.BoundHere(s) != none {
		to := e.name(i, facts.FlagWrite)
		e.assignTo(to, value())
		return
	}
	e.b.Bind(e.b.AddLocal(facts.Local{Name: s, Decl: none, Type: none, Value: value(), Next: none}))
}

func (e *extractor) assignTo(to, from facts.ExprID) {
	if from != none {
		e.flow(facts.FlowAssign, 0, int32(to), from)
	}
}

func (e *extractor) send(i syntax.ID) {
	to := e.expr(e.child(i, fieldChannel), 0)
	from := e.expr(e.child(i, fieldValue), 0)
	e.flow(facts.FlowSend, 0, int32(to), from)
}

// receive adds a receive statement of a select, whose names belong to the
// clause.
func (e *extractor) receive(i syntax.ID) {
	left := e.child(i, fieldLeft)
	base := len(e.ids)
	switch {
	case left == syntax.None:
		e.expr(e.child(i, fieldRight), 0)
	case e.defines(i):
		e.list(e.child(i, fieldRight))
		e.define(left, e.ids[base:])
	default:
		e.targets(left, facts.FlagWrite)
		mid := len(e.ids)
		e.list(e.child(i, fieldRight))
		for k, to := range e.ids[base:mid] {
			if to != none {
				e.assignTo(facts.ExprID(to), e.valueOf(k, mid-base, e.ids[mid:]))
			}
		}
	}
	e.ids = e.ids[:base]
}

// defines reports whether node i has a :=.
func (e *extractor) defines(i syntax.ID) bool {
	for c := range e.t.Children(i) {
		if classOf(e.nodes[c].Kind) == classDefine {
			return true
		}
	}
	return false
}

func (e *extractor) loop(i syntax.ID) {
	e.b.Push()
	for c := range e.t.NamedChildren(i) {
		switch {
		case e.nodes[c].Field == fieldBody:
			e.scoped(c)
		case classOf(e.nodes[c].Kind) == classForClause:
			e.stmt(e.child(c, fieldInitializer))
			if x := e.child(c, fieldCondition); x != syntax.None {
				e.expr(x, 0)
			}
			e.stmt(e.child(c, fieldUpdate))
		case classOf(e.nodes[c].Kind) == classRangeClause:
			e.ranges(c)
		default:
			e.expr(c, 0)
		}
	}
	e.b.Pop()
}

// ranges adds the expression and the variables of a loop over it.
func (e *extractor) ranges(i syntax.ID) {
	x := e.expr(e.child(i, fieldRight), 0)
	left := e.child(i, fieldLeft)
	if left == syntax.None {
		return
	}
	defines := e.defines(i)
	op := facts.OpRangeKey
	for c := range e.t.NamedChildren(left) {
		value := func() facts.ExprID { return e.operation(facts.Expr{Op: op, X: x, Y: none}, x) }
		if defines {
			e.bindOrAssign(c, value)
		} else if to := e.target(c, facts.FlagWrite); to != none {
			e.assignTo(to, value())
		}
		op = facts.OpRangeVal
	}
}

// clauses adds the clauses of a switch or select, each in a scope of its own.
func (e *extractor) clauses(i syntax.ID) {
	for c := range e.t.NamedChildren(i) {
		switch k := classOf(e.nodes[c].Kind); k {
		case classCase, classDefaultCase, classCommunicationCase:
			e.b.Push()
			for s := range e.t.NamedChildren(c) {
				switch {
				case classOf(e.nodes[s].Kind) == classExpressionList:
					base := len(e.ids)
					e.list(s)
					e.ids = e.ids[:base]
				default:
					e.stmt(s)
				}
			}
			e.b.Pop()
		case classError:
			e.stmt(c)
		}
	}
}

// typeSwitch adds a type switch. Its variable is another one in each clause:
// seen as the type where the clause has exactly one.
func (e *extractor) typeSwitch(i syntax.ID) {
	e.b.Push()
	e.stmt(e.child(i, fieldInitializer))
	value := e.expr(e.child(i, fieldValue), 0)
	name := facts.Str(0)
	if a := e.child(i, fieldAlias); a != syntax.None {
		if n := e.t.FirstNamed(a); n != syntax.None && isName(classOf(e.nodes[n].Kind)) {
			if s := e.str(n); s != e.words.blank {
				name = s
			}
		}
	}
	for c := range e.t.NamedChildren(i) {
		switch classOf(e.nodes[c].Kind) {
		case classTypeCase, classDefaultCase:
			e.typeCase(c, name, value)
		case classError:
			e.stmt(c)
		}
	}
	e.b.Pop()
}

func (e *extractor) typeCase(i syntax.ID, name facts.Str, value facts.ExprID) {
	e.b.Push()
	types, seen, isNil := 0, facts.ExprID(none), false
	for c := range e.t.ChildrenByField(i, fieldType) {
		if !e.nodes[c].Named() {
			continue
		}
		types++
		if isNil = e.isNil(c); isNil {
			e.name(c, 0)
		} else {
			t := e.typ(c)
			seen = e.operation(facts.Expr{Op: facts.OpAssert, X: value, Y: t}, t)
		}
	}
	if name != 0 {
		if types == 1 && !isNil {
			value = seen
		}
		e.b.Bind(e.b.AddLocal(facts.Local{Name: name, Decl: none, Type: none, Value: value, Next: none}))
	}
	for c := range e.t.NamedChildren(i) {
		if e.nodes[c].Field != fieldType {
			e.stmt(c)
		}
	}
	e.b.Pop()
}

// isNil reports whether node i, which stands where a type may stand, is nil.
func (e *extractor) isNil(i syntax.ID) bool {
	switch classOf(e.nodes[i].Kind) {
	case classNil:
		return true
	case classIdentifier:
		return string(e.t.Text(i)) == "nil" && e.b.Lookup(e.str(i)) == none
	}
	return false
}

func (e *extractor) returns(i syntax.ID) {
	list := e.t.FirstNamed(i)
	if list == syntax.None {
		return
	}
	base := len(e.ids)
	e.list(list)
	values := e.ids[base:]
	if len(values) == 1 {
		x := facts.ExprID(values[0])
		n := int32(0)
		if e.b.Exprs[x].Op == facts.OpCall && e.results != 1 {
			n = -1
			e.want(x, int(graph.WantAll))
		}
		e.flow(facts.FlowReturn, n, int32(e.function), x)
	} else {
		for n, x := range values {
			e.flow(facts.FlowReturn, int32(n), int32(e.function), facts.ExprID(x))
		}
	}
	e.ids = e.ids[:base]
}
