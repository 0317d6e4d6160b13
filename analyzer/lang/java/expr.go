package java

import (
	"bytes"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// expr adds the expression at node i and returns it. It recurses over the tree,
// not deeper than maxDepth.
func (e *extractor) expr(i syntax.ID) facts.ExprID { return e.deeper(i, e.exprAt) }

// typeExpr adds the type at node i.
func (e *extractor) typeExpr(i syntax.ID) facts.ExprID { return e.deeper(i, e.typeAt) }

func (e *extractor) deeper(i syntax.ID, read func(syntax.ID) facts.ExprID) facts.ExprID {
	if i == syntax.None {
		return e.b.AddExpr(facts.Expr{X: none, Y: none})
	}
	if e.depth >= maxDepth {
		e.unparsed(i)
		return e.nothing(i)
	}
	e.depth++
	x := read(i)
	e.depth--
	return x
}

// nothing adds an expression of which nothing is known.
func (e *extractor) nothing(i syntax.ID) facts.ExprID {
	return e.add(facts.Expr{Op: facts.OpNone, X: none, Y: none}, i)
}

// add adds x with the place of node i.
func (e *extractor) add(x facts.Expr, i syntax.ID) facts.ExprID {
	x.Line, x.Col = e.place(i)
	return e.b.AddExpr(x)
}

// operation adds x with the place of one of its operands.
func (e *extractor) operation(x facts.Expr, like facts.ExprID) facts.ExprID {
	return e.b.AddOperation(x, like)
}

// list adds op with the arguments that were put on ids from base on, and makes
// the new expression their context.
func (e *extractor) list(x facts.Expr, like facts.ExprID, base int) facts.ExprID {
	x.Args = e.b.AddList(e.ids[base:])
	id := e.operation(x, like)
	for _, a := range e.ids[base:] {
		e.context(facts.ExprID(a), id)
	}
	e.ids = e.ids[:base]
	return id
}

// context says what gives x a type from outside.
func (e *extractor) context(x, from facts.ExprID) {
	if x != none && from != none && e.b.Exprs[x].Op.HasContext() && e.b.Exprs[x].Y == none {
		e.b.Exprs[x].Y = from
	}
}

// name adds a name in the place of an expression: a variable hides types.
func (e *extractor) name(i syntax.ID, flags facts.ExprFlags) facts.ExprID {
	s := e.str(i)
	x := facts.Expr{Op: facts.OpName, Flags: flags, Name: s, X: none, Y: none}
	if s == 0 {
		return e.nothing(i)
	}
	if l := e.b.Lookup(s); l != none && flags&facts.FlagCallee == 0 {
		if k := e.b.Locals[l].Kind; flags&facts.FlagTyped == 0 || k == facts.LocalType || k == facts.LocalTypeParam {
			x.X, x.Flags = facts.ExprID(l), flags|facts.FlagLocal
		}
	}
	return e.add(x, i)
}

var literalKinds = [...]string{classInt: "int", classFloat: "float", classChar: "char", classString: "string", classBool: "bool", classNull: "null"}

func (e *extractor) literalAt(i syntax.ID) facts.ExprID {
	c := e.class(i)
	kind := literalKinds[c]
	last := e.src[e.nodes[i].End-1] | 0x20
	switch {
	case c == classInt && last == 'l':
		kind = "long"
	case c == classFloat && last == 'f':
		kind = "float"
	case c == classFloat:
		kind = "double"
	}
	return e.add(facts.Expr{Op: facts.OpLiteral, Name: e.b.InternString(kind), X: none, Y: none}, i)
}

func (e *extractor) exprAt(i syntax.ID) facts.ExprID {
	switch e.class(i) {
	case classIdentifier:
		return e.name(i, 0)
	case classInt, classFloat, classChar, classBool, classNull:
		return e.literalAt(i)
	case classString:
		for c := range e.t.NamedChildren(i) {
			if e.class(c) == classInterpolation {
				e.expr(e.t.FirstNamed(c))
			}
		}
		return e.literalAt(i)
	case classParen:
		return e.expr(e.t.FirstNamed(i))
	case classThis:
		return e.add(facts.Expr{Op: facts.OpSelf, X: none, Y: none}, i)
	case classSuper:
		return e.add(facts.Expr{Op: facts.OpSuper, X: none, Y: none}, i)
	case classField:
		return e.fieldAccess(i, 0)
	case classArrayAccess:
		x := e.expr(e.child(i, fieldArray))
		y := e.expr(e.child(i, fieldIndex))
		return e.operation(facts.Expr{Op: facts.OpIndex, X: x, Y: none, Args: e.b.AddList([]int32{int32(y)})}, x)
	case classCall:
		return e.call(i)
	case classNew:
		return e.creation(i)
	case classNewArray:
		for c := range e.t.NamedChildren(i) {
			if e.class(c) == classAnnotation {
				e.annotation(c)
			}
		}
		x := e.typeExpr(e.child(i, fieldType))
		x = e.arrayOf(x, e.dimensions(i))
		if v := e.child(i, fieldValue); v != syntax.None {
			return e.arrayInit(v, x)
		}
		return e.operation(facts.Expr{Op: facts.OpComposite, X: x, Y: none}, x)
	case classArrayInit, classElementArray:
		return e.arrayInit(i, none)
	case classClassLiteral:
		x := e.typeExpr(e.t.FirstNamed(i))
		return e.operation(facts.Expr{Op: facts.OpClassOf, X: x, Y: none}, x)
	case classAssign:
		return e.assignment(i)
	case classBinary:
		return e.binary(i)
	case classInstanceof:
		return e.instanceOf(i)
	case classTernary:
		e.expr(e.child(i, fieldCondition))
		base := len(e.ids)
		for _, f := range [...]syntax.Field{fieldConsequence, fieldAlternative} {
			x := e.expr(e.child(i, f))
			e.ids = append(e.ids, int32(x))
		}
		return e.list(facts.Expr{Op: facts.OpConditional, X: none, Y: none}, facts.ExprID(e.ids[base]), base)
	case classUnary:
		x := e.expr(e.child(i, fieldOperand))
		return e.operation(facts.Expr{Op: facts.OpUnary, Name: e.str(e.child(i, fieldOperator)), X: x, Y: none}, x)
	case classUpdate:
		return e.target(e.t.FirstNamed(i), facts.FlagRead|facts.FlagWrite)
	case classCast:
		t := facts.ExprID(none)
		for c := range e.t.ChildrenByField(i, fieldType) {
			if !e.nodes[c].Named() {
				continue
			}
			if x := e.typeExpr(c); t == none {
				t = x
			}
		}
		x := e.expr(e.child(i, fieldValue))
		if t == none {
			return x
		}
		e.context(x, t)
		return e.operation(facts.Expr{Op: facts.OpAssert, X: x, Y: t}, t)
	case classSwitch:
		return e.switchExpr(i, true)
	case classLambda:
		return e.lambda(i)
	case classMethodRef:
		return e.methodRef(i)
	case classTemplate:
		e.expr(e.t.FirstNamed(i))
		return e.nothing(i)
	case classAnnotation:
		return e.annotation(i)
	case classPrimitive, classVoid, classTypeName, classScopedType, classGeneric, classArrayType, classScopedIdentifier, classAnnotatedType:
		return e.typeAt(i)
	case classError:
		for c := range e.t.NamedChildren(i) {
			e.stmt(c)
		}
	}
	return e.nothing(i)
}

func (e *extractor) fieldAccess(i syntax.ID, flags facts.ExprFlags) facts.ExprID {
	f, object := e.child(i, fieldField), e.child(i, fieldObject)
	if f == syntax.None || object == syntax.None {
		return e.nothing(i)
	}
	if e.class(f) == classThis { // Outer.this
		t := e.typeExpr(object)
		return e.add(facts.Expr{Op: facts.OpSelf, X: t, Y: none}, f)
	}
	x := e.qualifiedObject(i, object)
	return e.add(facts.Expr{Op: facts.OpSelect, Flags: flags, Name: e.str(f), X: x, Y: none}, f)
}

// qualifiedObject adds what stands before the last dot of a field access or
// call: an expression, or super with the type that qualifies it.
func (e *extractor) qualifiedObject(i, object syntax.ID) facts.ExprID {
	for c := e.nodes[object].Next; c < e.nodes[i].Next; c = e.nodes[c].Next {
		if e.class(c) == classSuper { // Interface.super
			t := e.typeExpr(object)
			return e.add(facts.Expr{Op: facts.OpSuper, X: t, Y: none}, c)
		}
	}
	return e.expr(object)
}

// arguments adds the arguments of a call and puts them on ids.
func (e *extractor) arguments(i syntax.ID) {
	if i == syntax.None {
		return
	}
	for c := range e.t.NamedChildren(i) {
		x := e.expr(c)
		e.ids = append(e.ids, int32(x))
	}
}

func (e *extractor) call(i syntax.ID) facts.ExprID {
	name, object := e.child(i, fieldName), e.child(i, fieldObject)
	x := facts.ExprID(none)
	if object == syntax.None {
		x = e.name(name, facts.FlagCallee)
	} else {
		x = e.qualifiedObject(i, object)
		x = e.add(facts.Expr{Op: facts.OpSelect, Flags: facts.FlagCallee, Name: e.str(name), X: x, Y: none}, name)
	}
	x = e.explicit(x, e.childOf(i, classTypeArguments))
	e.request(i, name, object)
	e.message(name, e.child(i, fieldArguments))
	base := len(e.ids)
	e.arguments(e.child(i, fieldArguments))
	return e.list(facts.Expr{Op: facts.OpCall, N: 1, X: x, Y: none}, x, base)
}

// explicit adds x with explicit type arguments.
func (e *extractor) explicit(x facts.ExprID, args syntax.ID) facts.ExprID {
	if args == syntax.None {
		return x
	}
	base := len(e.ids)
	for c := range e.t.NamedChildren(args) {
		t := e.typeExpr(c)
		e.ids = append(e.ids, int32(t))
	}
	return e.list(facts.Expr{Op: facts.OpIndex, Flags: facts.FlagCallee, X: x, Y: none}, x, base)
}

// creation adds new T(…), with the body of an anonymous class.
func (e *extractor) creation(i syntax.ID) facts.ExprID {
	typ, outer := e.child(i, fieldType), facts.ExprID(none)
	body := e.childOf(i, classBody)
	for c := range e.t.NamedChildren(i) {
		if c == typ {
			break
		}
		switch k := e.class(c); k {
		case classAnnotation:
			e.annotation(c)
		case classTypeArguments:
			for a := range e.t.NamedChildren(c) {
				e.typeExpr(a)
			}
		default:
			outer = e.expr(c)
		}
	}
	if typ == syntax.None {
		return e.nothing(i)
	}
	t := facts.ExprID(none)
	if outer != none { // outer.new Inner()
		name := typ
		if e.class(typ) == classGeneric {
			name = e.t.FirstNamed(typ)
		}
		t = e.add(facts.Expr{Op: facts.OpSelect, Flags: facts.FlagTyped, Name: e.str(name), X: outer, Y: none}, name)
		t = e.explicitType(t, typ)
	} else {
		t = e.typeExpr(typ)
	}
	if e.class(typ) == classGeneric {
		e.message(e.t.FirstNamed(typ), e.child(i, fieldArguments))
	} else {
		e.message(typ, e.child(i, fieldArguments))
	}
	base := len(e.ids)
	e.arguments(e.child(i, fieldArguments))
	id := e.list(facts.Expr{Op: facts.OpNew, N: 1, X: t, Y: none}, t, base)
	if body != syntax.None {
		e.anonymous(i, body, t)
	}
	return id
}

func (e *extractor) explicitType(x facts.ExprID, typ syntax.ID) facts.ExprID {
	args := e.childOf(typ, classTypeArguments)
	if e.class(typ) != classGeneric || args == syntax.None {
		return x
	}
	base := len(e.ids)
	for c := range e.t.NamedChildren(args) {
		t := e.typeExpr(c)
		e.ids = append(e.ids, int32(t))
	}
	return e.list(facts.Expr{Op: facts.OpIndex, Flags: facts.FlagTyped, X: x, Y: none}, x, base)
}

// arrayInit adds the elements of an array of type x, which may be None.
func (e *extractor) arrayInit(i syntax.ID, x facts.ExprID) facts.ExprID {
	base := len(e.ids)
	for c := range e.t.NamedChildren(i) {
		var id facts.ExprID
		if e.class(c) == classArrayInit {
			id = e.deeper(c, func(c syntax.ID) facts.ExprID { return e.arrayInit(c, none) })
		} else {
			id = e.expr(c)
		}
		e.ids = append(e.ids, int32(id))
	}
	out := facts.Expr{Op: facts.OpComposite, X: x, Y: none, Args: e.b.AddList(e.ids[base:])}
	e.ids = e.ids[:base]
	if x != none {
		return e.operation(out, x)
	}
	return e.add(out, i)
}

// target adds an expression that is assigned to.
func (e *extractor) target(i syntax.ID, flags facts.ExprFlags) facts.ExprID {
	for i != syntax.None && e.class(i) == classParen {
		i = e.t.FirstNamed(i)
	}
	if i == syntax.None {
		return e.expr(i)
	}
	switch e.class(i) {
	case classIdentifier:
		return e.name(i, flags)
	case classField:
		return e.deeper(i, func(i syntax.ID) facts.ExprID { return e.fieldAccess(i, flags) })
	}
	x := e.expr(i)
	if e.b.Exprs[x].Op == facts.OpIndex { // an assignment may stand as a statement
		e.b.Exprs[x].Flags |= flags
	}
	return x
}

func (e *extractor) assignment(i syntax.ID) facts.ExprID {
	flags := facts.FlagWrite
	if op := e.child(i, fieldOperator); op != syntax.None && e.nodes[op].Kind != tokenAssign {
		flags |= facts.FlagRead
	}
	to := e.target(e.child(i, fieldLeft), flags)
	x := e.expr(e.child(i, fieldRight))
	e.context(x, to)
	e.flow(facts.FlowAssign, 0, int32(to), x)
	return to
}

// binary adds an operator with its operands. Long chains of one operator lean
// to the left, so they are read in a loop.
func (e *extractor) binary(i syntax.ID) facts.ExprID {
	var chain []syntax.ID
	for e.class(i) == classBinary && len(chain) < maxDepth {
		chain = append(chain, i)
		i = e.child(i, fieldLeft)
		if i == syntax.None {
			break
		}
	}
	x := e.expr(i)
	for k := len(chain) - 1; k >= 0; k-- {
		y := e.expr(e.child(chain[k], fieldRight))
		op := e.str(e.child(chain[k], fieldOperator))
		x = e.operation(facts.Expr{Op: facts.OpBinary, Name: op, X: x, Y: y}, x)
	}
	return x
}

// isVar reports whether a type is the word var.
func (e *extractor) isVar(i syntax.ID) bool {
	return i != syntax.None && e.class(i) == classTypeName && bytes.Equal(e.t.Text(i), []byte("var"))
}

// bind brings a variable into scope.
func (e *extractor) bind(name syntax.ID, typ, value facts.ExprID) facts.LocalID {
	s := e.str(name)
	l := e.b.AddLocal(facts.Local{Name: s, Decl: none, Type: typ, Value: value, Next: none})
	if s != 0 && e.class(name) != classUnderscore {
		e.b.Bind(l)
	}
	return l
}

// annotation adds an annotation. The names of its elements are no names of the
// program's scopes.
func (e *extractor) annotation(i syntax.ID) facts.ExprID {
	n := e.child(i, fieldName)
	if n == syntax.None {
		return e.nothing(i)
	}
	x := e.typeExpr(n)
	names := namesBeans(e.b.Strings[e.b.Exprs[x].Name])
	value := func(v syntax.ID) facts.ExprID {
		if names && v != syntax.None && e.class(v) == classString {
			if c := e.constant(v); c != none {
				return c
			}
		}
		return e.expr(v)
	}
	base := len(e.ids)
	if args := e.child(i, fieldArguments); args != syntax.None {
		for c := range e.t.NamedChildren(args) {
			var id facts.ExprID
			if e.class(c) == classElementPair {
				v := value(e.child(c, fieldValue))
				key := e.child(c, fieldKey)
				id = e.add(facts.Expr{Op: facts.OpKeyword, Name: e.str(key), X: v, Y: none}, key)
			} else {
				id = value(c)
			}
			e.ids = append(e.ids, int32(id))
		}
	}
	out := facts.Expr{Op: facts.OpMark, Name: e.settled(i, x), X: x, Y: none, Args: e.b.AddList(e.ids[base:])}
	e.ids = e.ids[:base]
	return e.operation(out, x)
}
