package java

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

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

func (e *extractor) stmts(i syntax.ID) {
	for c := range e.t.NamedChildren(i) {
		e.stmt(c)
	}
}

func (e *extractor) scoped(i syntax.ID) {
	e.b.Push()
	e.stmts(i)
	e.b.Pop()
}

func (e *extractor) stmtAt(i syntax.ID) {
	switch e.class(i) {
	case classBlock, classConstructorBody, classFinally:
		e.scoped(i)
	case classExpressionStatement:
		v := e.t.FirstNamed(i)
		if e.constructorCall(v) {
			return
		}
		if x := e.expr(v); e.b.Exprs[x].Op == facts.OpCall {
			e.b.Exprs[x].N = 0
		}
	case classLocal:
		e.localVars(i)
	case classClass, classRecord, classInterface, classEnum, classAnnotationType:
		e.typeDecl(i)
	case classReturn:
		if v := e.t.FirstNamed(i); v != syntax.None {
			x := e.expr(v)
			if e.function != none {
				e.context(x, e.result)
				e.flow(facts.FlowReturn, 0, int32(e.function), x)
			}
		}
	case classYield:
		if v := e.t.FirstNamed(i); v != syntax.None {
			x := e.expr(v)
			e.yields = append(e.yields, int32(x))
		}
	case classThrow:
		e.flow(facts.FlowThrow, 0, 0, e.expr(e.t.FirstNamed(i)))
	case classIf:
		// A pattern's name is in scope in the branch, and behind a statement that
		// does not go on.
		e.expr(e.child(i, fieldCondition))
		e.stmt(e.child(i, fieldConsequence))
		e.stmt(e.child(i, fieldAlternative))
	case classWhile:
		e.expr(e.child(i, fieldCondition))
		e.stmt(e.child(i, fieldBody))
	case classDo:
		e.stmt(e.child(i, fieldBody))
		e.expr(e.child(i, fieldCondition))
	case classFor:
		e.b.Push()
		for c := range e.t.ChildrenByField(i, fieldInit) {
			if e.nodes[c].Named() {
				e.stmt(c)
			}
		}
		for _, f := range [...]syntax.Field{fieldCondition, fieldUpdate} {
			for c := range e.t.ChildrenByField(i, f) {
				if e.nodes[c].Named() {
					e.stmt(c)
				}
			}
		}
		e.stmt(e.child(i, fieldBody))
		e.b.Pop()
	case classForEach:
		e.forEach(i)
	case classSwitch:
		e.switchExpr(i, false)
	case classTry, classTryResources:
		e.try(i)
	case classJump:
	case classLabeled, classAssert, classSynchronized, classCatchParam, classError, classOther, classStaticInit:
		first := true
		for c := range e.t.NamedChildren(i) {
			if first && e.class(i) == classLabeled && e.class(c) == classIdentifier {
				first = false
				continue
			}
			e.stmt(c)
		}
	case classMethod, classConstructor, classFieldDecl, classImport, classPackage, classModifiers:
		// A member of a type whose braces did not parse.
	case classExplicitConstructor:
		e.explicitConstructor(i)
	default:
		e.expr(i)
	}
}

func (e *extractor) localVars(i syntax.ID) {
	e.modifiers(e.childOf(i, classModifiers))
	typ := e.child(i, fieldType)
	declared := facts.ExprID(none)
	if !e.isVar(typ) {
		declared = e.typeExpr(typ)
	}
	for c := range e.t.NamedChildren(i) {
		if e.class(c) != classDeclarator {
			continue
		}
		name := e.child(c, fieldName)
		if name == syntax.None {
			continue
		}
		t := declared
		if t != none {
			t = e.arrayOf(t, e.dimensions(c))
		}
		v := e.child(c, fieldValue)
		if v == syntax.None {
			e.bind(name, t, none)
			continue
		}
		if t == none { // the name is in scope in its own value, but has no type there
			x := e.expr(v)
			e.bind(name, none, x)
			continue
		}
		l := e.bind(name, t, none)
		x := e.value(v, t)
		e.flow(facts.FlowBind, int32(l), 0, x)
	}
}

// value adds the initial value of a variable of type t.
func (e *extractor) value(v syntax.ID, t facts.ExprID) facts.ExprID {
	var x facts.ExprID
	if e.class(v) == classArrayInit {
		x = e.deeper(v, func(v syntax.ID) facts.ExprID { return e.arrayInit(v, none) })
	} else {
		x = e.expr(v)
	}
	e.context(x, t)
	return x
}

func (e *extractor) forEach(i syntax.ID) {
	e.b.Push()
	e.modifiers(e.childOf(i, classModifiers))
	typ, name := e.child(i, fieldType), e.child(i, fieldName)
	t := facts.ExprID(none)
	if !e.isVar(typ) {
		t = e.arrayOf(e.typeExpr(typ), e.dimensions(i))
	}
	x := e.expr(e.child(i, fieldValue))
	if name != syntax.None {
		if t != none {
			e.bind(name, t, none)
		} else {
			e.bind(name, none, e.operation(facts.Expr{Op: facts.OpRangeVal, X: x, Y: none}, x))
		}
	}
	e.stmt(e.child(i, fieldBody))
	e.b.Pop()
}

func (e *extractor) try(i syntax.ID) {
	e.b.Push()
	if rs := e.child(i, fieldResources); rs != syntax.None {
		for r := range e.t.NamedChildren(rs) {
			if e.class(r) == classResource {
				e.resource(r)
			}
		}
	}
	e.stmt(e.child(i, fieldBody))
	e.b.Pop()
	for c := range e.t.NamedChildren(i) {
		switch e.class(c) {
		case classCatch:
			e.b.Push()
			if p := e.childOf(c, classCatchParam); p != syntax.None {
				e.catchParam(p)
			}
			e.stmt(e.child(c, fieldBody))
			e.b.Pop()
		case classFinally:
			e.stmt(c)
		}
	}
}

func (e *extractor) resource(r syntax.ID) {
	name := e.child(r, fieldName)
	if name == syntax.None { // a variable that is there already
		if c := e.t.FirstNamed(r); c != syntax.None {
			e.expr(c)
		}
		return
	}
	e.modifiers(e.childOf(r, classModifiers))
	t := facts.ExprID(none)
	if typ := e.child(r, fieldType); !e.isVar(typ) {
		t = e.typeExpr(typ)
	}
	x := e.expr(e.child(r, fieldValue))
	e.context(x, t)
	if t != none {
		e.flow(facts.FlowBind, int32(e.bind(name, t, none)), 0, x)
	} else {
		e.bind(name, none, x)
	}
}

func (e *extractor) catchParam(p syntax.ID) {
	e.modifiers(e.childOf(p, classModifiers))
	types, name := e.childOf(p, classCatchType), e.child(p, fieldName)
	if types == syntax.None || name == syntax.None {
		return
	}
	base := len(e.ids)
	for c := range e.t.NamedChildren(types) {
		t := e.typeExpr(c)
		e.ids = append(e.ids, int32(t))
	}
	if len(e.ids) == base {
		return
	}
	t := facts.ExprID(e.ids[base])
	if len(e.ids) > base+1 {
		t = e.list(facts.Expr{Op: facts.OpUnionType, Flags: facts.FlagTyped, X: none, Y: none}, t, base)
	}
	e.ids = e.ids[:base]
	e.bind(name, t, none)
}

// switchExpr adds a switch, which may be an expression: one of the values of
// its cases.
func (e *extractor) switchExpr(i syntax.ID, value bool) facts.ExprID {
	x := e.expr(e.child(i, fieldCondition))
	base := len(e.yields)
	all := int16(0)
	if byDefault, byPattern := e.cases(i); !byDefault && (value || byPattern) {
		all = facts.CaseOfAll
	}
	e.b.Push()
	if body := e.child(i, fieldBody); body != syntax.None {
		for c := range e.t.NamedChildren(body) {
			switch e.class(c) {
			case classSwitchGroup:
				for s := range e.t.NamedChildren(c) {
					if e.class(s) == classSwitchLabel {
						e.label(s, x, all)
					} else {
						e.stmt(s)
					}
				}
			case classSwitchRule:
				e.b.Push()
				for s := range e.t.NamedChildren(c) {
					switch e.class(s) {
					case classSwitchLabel:
						e.label(s, x, all)
					case classExpressionStatement:
						v := e.expr(e.t.FirstNamed(s))
						e.yields = append(e.yields, int32(v))
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
	e.b.Pop()
	at := len(e.ids)
	e.ids = append(e.ids, e.yields[base:]...)
	e.yields = e.yields[:base]
	return e.list(facts.Expr{Op: facts.OpConditional, X: none, Y: none}, x, at)
}

// cases reports whether a switch has a case for all that no other case is for,
// and whether it has patterns. One that gives a value or has patterns needs such
// a case, or one for each value.
func (e *extractor) cases(i syntax.ID) (byDefault, byPattern bool) {
	body := e.child(i, fieldBody)
	if body == syntax.None {
		return false, false
	}
	for c := range e.t.NamedChildren(body) {
		for s := range e.t.NamedChildren(c) {
			if e.class(s) != classSwitchLabel {
				continue
			}
			for t := range e.t.Children(s) {
				byDefault = byDefault || string(e.t.Text(t)) == "default"
				byPattern = byPattern || e.class(t) == classPattern
			}
		}
	}
	return byDefault, byPattern
}

// label adds what stands between case and the colon or arrow: constants of an
// enum by their simple names, or values, or a pattern.
func (e *extractor) label(i syntax.ID, x facts.ExprID, all int16) {
	for c := range e.t.NamedChildren(i) {
		switch e.class(c) {
		case classPattern:
			for p := range e.t.NamedChildren(c) {
				t := facts.ExprID(none)
				if e.class(p) == classRecordPattern {
					t = e.recordPattern(p, x)
				} else {
					t = e.typePattern(p, nil)
				}
				for e.b.Exprs[t].Op == facts.OpIndex && e.b.Exprs[t].X >= 0 { // without its type arguments
					t = e.b.Exprs[t].X
				}
				if x := &e.b.Exprs[t]; x.Op == facts.OpName || x.Op == facts.OpSelect {
					x.N |= all
				}
			}
		case classGuard:
			e.expr(e.t.FirstNamed(c))
		case classIdentifier:
			if s := e.str(c); e.b.Lookup(s) == none {
				e.add(facts.Expr{Op: facts.OpLabel, N: all, Name: s, X: x, Y: none}, c)
				continue
			}
			e.expr(c)
		default:
			e.expr(c)
		}
	}
}

// explicitConstructor adds this(…) or super(…).
func (e *extractor) explicitConstructor(i syntax.ID) {
	if o := e.child(i, fieldObject); o != syntax.None {
		e.expr(o)
	}
	c := e.child(i, fieldConstructor)
	if c == syntax.None {
		return
	}
	e.callConstructor(e.expr(c), e.child(i, fieldArguments))
}

// constructorCall adds the call of another constructor that stands behind a
// statement, and reports whether i is one; see readable.
func (e *extractor) constructorCall(i syntax.ID) bool {
	if i == syntax.None || e.class(i) != classCall {
		return false
	}
	name := e.child(i, fieldName)
	if name == syntax.None {
		return false
	}
	op := facts.OpSuper
	switch string(e.t.Text(name)) {
	case "this":
		op = facts.OpSelf
	case "super":
	default:
		return false
	}
	if o := e.child(i, fieldObject); o != syntax.None {
		e.expr(o)
	}
	e.callConstructor(e.add(facts.Expr{Op: op, X: none, Y: none}, name), e.child(i, fieldArguments))
	return true
}

func (e *extractor) callConstructor(x facts.ExprID, args syntax.ID) {
	e.b.Exprs[x].Flags |= facts.FlagCallee
	base := len(e.ids)
	e.arguments(args)
	e.list(facts.Expr{Op: facts.OpCall, N: 0, X: x, Y: none}, x, base)
}
