package golang

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

const none = facts.None

// expr adds the expression or type at node i and returns it. Flags qualify the
// expression itself; those that say something about names reach the name inside
// of parentheses, selections and instantiations. It recurses over the tree, not
// deeper than maxDepth.
func (e *extractor) expr(i syntax.ID, flags facts.ExprFlags) facts.ExprID {
	if i == syntax.None {
		return e.nothing(0)
	}
	if e.depth >= maxDepth {
		e.unparsed(i)
		return e.nothing(i)
	}
	e.depth++
	x := e.exprAt(i, flags)
	if i == e.misplaced.of {
		x = e.instance(x, e.misplaced.arguments, flags)
	}
	e.depth--
	return x
}

// misplaced are type arguments that the grammar gives to another type than
// they belong to: it reads ~[]p.T[A] as (~[]p.T)[A].
type misplaced struct{ of, arguments syntax.ID }

// generic adds a generic type with its arguments, which belong to the last type
// name before them.
func (e *extractor) generic(i syntax.ID, flags facts.ExprFlags) facts.ExprID {
	typ, arguments := e.child(i, fieldType), e.child(i, fieldTypeArguments)
	of := typ
	for of != syntax.None {
		switch classOf(e.nodes[of].Kind) {
		case classNegatedType, classPointerType, classParen:
			of = e.t.FirstNamed(of)
			continue
		case classSliceType, classArrayType:
			of = e.child(of, fieldElement)
			continue
		case classMapType, classChannelType:
			of = e.child(of, fieldValue)
			continue
		}
		break
	}
	if of == typ || of == syntax.None {
		x := e.expr(typ, flags)
		return e.instance(x, arguments, flags)
	}
	before := e.misplaced
	e.misplaced = misplaced{of, arguments}
	x := e.expr(typ, flags)
	e.misplaced = before
	return x
}

// typ adds the expression at node i, which stands where only a type may stand.
func (e *extractor) typ(i syntax.ID) facts.ExprID { return e.expr(i, facts.FlagTyped) }

func (e *extractor) exprAt(i syntax.ID, flags facts.ExprFlags) facts.ExprID {
	callee := flags & facts.FlagCallee
	switch classOf(e.nodes[i].Kind) {
	case classIdentifier, classNil, classBool, classIota: // a package may declare true
		return e.name(i, flags)
	case classBlank:
		return e.nothing(i)

	case classInt, classFloat, classImaginary, classRune, classString:
		return e.literal(i)

	case classParen, classLiteralElement, classVariadicArgument, classExpressionList:
		return e.expr(e.t.FirstNamed(i), flags)
	case classSelector:
		return e.selector(i, e.child(i, fieldOperand), e.child(i, fieldField), flags)
	case classQualifiedType:
		return e.selector(i, e.child(i, fieldPackage), e.child(i, fieldName), flags)
	case classIndex:
		x := e.expr(e.child(i, fieldOperand), callee)
		index := e.expr(e.child(i, fieldIndex), 0)
		return e.index(x, callee, int32(index))
	case classGenericType:
		return e.generic(i, flags)
	case classInstantiation:
		return e.instantiation(i, flags)
	case classSlice:
		return e.slice(i, callee)
	case classCall:
		return e.call(i, callee)
	case classConversion:
		return e.conversion(i, callee)
	case classAssertion:
		x := e.expr(e.child(i, fieldOperand), 0)
		y := e.typ(e.child(i, fieldType))
		return e.operation(facts.Expr{Op: facts.OpAssert, Flags: callee, X: x, Y: y}, y)
	case classComposite:
		return e.composite(i)
	case classFuncLiteral:
		return e.funcLiteral(i, callee)
	case classUnary:
		return e.unary(i, callee)
	case classBinary:
		x := e.expr(e.child(i, fieldLeft), 0)
		y := e.expr(e.child(i, fieldRight), 0)
		op := e.operator(e.child(i, fieldOperator))
		return e.operation(facts.Expr{Op: facts.OpBinary, Name: op, X: x, Y: y}, x)

	case classPointerType:
		x := e.typ(e.t.FirstNamed(i))
		return e.operation(facts.Expr{Op: facts.OpDeref, Flags: flags, X: x, Y: none}, x)
	case classStructType:
		return e.anonymous(i, graph.KindStruct)
	case classInterfaceType:
		return e.anonymous(i, graph.KindInterface)
	case classArrayType:
		e.expr(e.child(i, fieldLength), 0)
		x := e.typ(e.child(i, fieldElement))
		return e.operation(facts.Expr{Op: facts.OpArrayType, Flags: flags, X: x, Y: none}, x)
	case classOpenArrayType:
		x := e.typ(e.child(i, fieldElement))
		return e.operation(facts.Expr{Op: facts.OpArrayType, Flags: flags, X: x, Y: none}, x)
	case classSliceType:
		x := e.typ(e.child(i, fieldElement))
		return e.operation(facts.Expr{Op: facts.OpSliceType, Flags: flags, X: x, Y: none}, x)
	case classMapType:
		x := e.typ(e.child(i, fieldKey))
		y := e.typ(e.child(i, fieldValue))
		return e.operation(facts.Expr{Op: facts.OpMapType, Flags: flags, X: x, Y: y}, y)
	case classChannelType:
		x := e.typ(e.child(i, fieldValue))
		return e.operation(facts.Expr{Op: facts.OpChanType, Flags: flags, N: e.direction(i), X: x, Y: none}, x)
	case classFunctionType:
		return e.functionType(i, flags)
	case classNegatedType:
		x := e.typ(e.t.FirstNamed(i))
		return e.operation(facts.Expr{Op: facts.OpApproxType, Flags: flags, X: x, Y: none}, x)
	case classTypeElem:
		return e.union(i, flags)
	}
	return e.unknown(i)
}

// nothing adds an expression of which nothing is known.
func (e *extractor) nothing(i syntax.ID) facts.ExprID {
	return e.add(facts.Expr{Op: facts.OpNone, X: none, Y: none}, i)
}

// unknown adds what is known inside of a node that is no expression of the
// language.
func (e *extractor) unknown(i syntax.ID) facts.ExprID {
	for c := range e.t.NamedChildren(i) {
		e.expr(c, 0)
	}
	return e.nothing(i)
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

func (e *extractor) name(i syntax.ID, flags facts.ExprFlags) facts.ExprID {
	s := e.str(i)
	if s == 0 || s == e.words.blank {
		return e.nothing(i)
	}
	line, col := e.place(i)
	x := e.b.AddName(s, flags, line, col)
	if s == e.self.name && !e.self.method && e.b.Exprs[x].Flags&facts.FlagLocal == 0 {
		e.self.uses = append(e.self.uses, i)
	}
	if s == e.words.c && e.preamble.imported && e.b.Exprs[x].Flags&facts.FlagLocal == 0 {
		e.preamble.used = true
	}
	return x
}

func (e *extractor) selector(i, operand, field syntax.ID, flags facts.ExprFlags) facts.ExprID {
	x := e.expr(operand, 0)
	if field == syntax.None {
		return x
	}
	s := e.str(field)
	if s == e.self.name && e.self.method && e.self.receiver != none {
		if o := &e.b.Exprs[x]; o.Op == facts.OpName && o.Flags&facts.FlagLocal != 0 && facts.LocalID(o.X) == e.self.receiver {
			e.self.uses = append(e.self.uses, field)
		}
	}
	return e.add(facts.Expr{Op: facts.OpSelect, Flags: flags, Name: s, X: x, Y: none}, field)
}

func (e *extractor) literal(i syntax.ID) facts.ExprID {
	if classOf(e.nodes[i].Kind) == classString && e.messaging() {
		if s, ok := e.stringLiteral(i); ok {
			x := e.b.AddText(s)
			e.b.Exprs[x].Line, e.b.Exprs[x].Col = e.place(i)
			return x
		}
	}
	return e.add(facts.Expr{Op: facts.OpLiteral, Name: e.literalKind(classOf(e.nodes[i].Kind)), X: none, Y: none}, i)
}

func (e *extractor) index(x facts.ExprID, flags facts.ExprFlags, args ...int32) facts.ExprID {
	return e.operation(facts.Expr{Op: facts.OpIndex, Flags: flags, X: x, Y: none, Args: e.b.AddList(args)}, x)
}

// instance adds x with type arguments. One argument may be an index in truth
// where the grammar cannot tell.
func (e *extractor) instance(x facts.ExprID, args syntax.ID, flags facts.ExprFlags) facts.ExprID {
	if args == syntax.None {
		return x
	}
	argFlags := flags & facts.FlagTyped
	if e.several(args) {
		argFlags = facts.FlagTyped
	}
	base := len(e.ids)
	for c := range e.t.NamedChildren(args) {
		e.ids = append(e.ids, int32(e.expr(c, argFlags)))
	}
	id := e.index(x, flags, e.ids[base:]...)
	e.ids = e.ids[:base]
	return id
}

// several reports whether node i has more than one named child.
func (e *extractor) several(i syntax.ID) bool {
	n := 0
	for range e.t.NamedChildren(i) {
		n++
		if n > 1 {
			return true
		}
	}
	return false
}

func (e *extractor) instantiation(i syntax.ID, flags facts.ExprFlags) facts.ExprID {
	typ := e.child(i, fieldType)
	x := e.expr(typ, flags)
	base := len(e.ids)
	for c := range e.t.NamedChildren(i) {
		if c != typ {
			e.ids = append(e.ids, int32(e.expr(c, facts.FlagTyped)))
		}
	}
	id := e.index(x, flags, e.ids[base:]...)
	e.ids = e.ids[:base]
	return id
}

func (e *extractor) slice(i syntax.ID, callee facts.ExprFlags) facts.ExprID {
	x := e.expr(e.child(i, fieldOperand), 0)
	for _, f := range [...]syntax.Field{fieldStart, fieldEnd, fieldCapacity} {
		if c := e.child(i, f); c != syntax.None {
			e.expr(c, 0)
		}
	}
	return e.operation(facts.Expr{Op: facts.OpSlice, Flags: callee, X: x, Y: none}, x)
}

func (e *extractor) unary(i syntax.ID, callee facts.ExprFlags) facts.ExprID {
	x := e.expr(e.child(i, fieldOperand), 0)
	out := facts.Expr{Op: facts.OpUnary, Flags: callee, X: x, Y: none}
	op := e.child(i, fieldOperator)
	switch {
	case e.t.Is(op, tokenStar):
		out.Op = facts.OpDeref
	case e.t.Is(op, tokenAnd):
		out.Op = facts.OpAddr
	case e.t.Is(op, tokenArrow):
		out.Op = facts.OpRecv
	default:
		out.Name = e.operator(op)
	}
	return e.operation(out, x)
}

// call adds a call of one result, which is what most contexts want; see want.
func (e *extractor) call(i syntax.ID, callee facts.ExprFlags) facts.ExprID {
	function := e.child(i, fieldFunction)
	x := e.expr(function, facts.FlagCallee)
	x = e.instance(x, e.child(i, fieldTypeArguments), facts.FlagCallee)
	args := e.child(i, fieldArguments)
	if args == syntax.None {
		return e.operation(facts.Expr{Op: facts.OpCall, Flags: callee, N: 1, X: x, Y: none}, x)
	}
	// The first argument of make is a type; that of new may be a value.
	first := facts.ExprFlags(0)
	if f := &e.b.Exprs[x]; f.Op == facts.OpName && f.Flags&facts.FlagLocal == 0 && f.Name == e.words.make {
		first = facts.FlagTyped
	}
	flags := callee
	base := len(e.ids)
	prefixed := e.beginRoute(function, args)
	for c := range e.t.NamedChildren(args) {
		if classOf(e.nodes[c].Kind) == classVariadicArgument {
			flags |= facts.FlagSpread
		}
		e.ids = append(e.ids, int32(e.expr(c, first)))
		first = 0
	}
	if prefixed {
		e.web.prefix = e.web.prefix[:len(e.web.prefix)-1]
	}
	e.webCall(i, function, args, x, e.ids[base:])
	id := e.finishCall(x, flags, base)
	e.group(function, args, x, id)
	return id
}

// conversion adds a call whose callee was read as a type. A generic type may
// be an instantiated or indexed function in truth, and stars before the type
// dereference the result: types with stars stand in parentheses.
func (e *extractor) conversion(i syntax.ID, callee facts.ExprFlags) facts.ExprID {
	typ, stars := e.child(i, fieldType), 0
	for ; typ != syntax.None && classOf(e.nodes[typ].Kind) == classPointerType; stars++ {
		typ = e.t.FirstNamed(typ)
	}
	if stars > 0 {
		x := e.converted(i, typ, 0)
		for range stars - 1 {
			x = e.operation(facts.Expr{Op: facts.OpDeref, X: x, Y: none}, x)
		}
		return e.operation(facts.Expr{Op: facts.OpDeref, Flags: callee, X: x, Y: none}, x)
	}
	return e.converted(i, typ, callee)
}

func (e *extractor) converted(i, typ syntax.ID, callee facts.ExprFlags) facts.ExprID {
	if typ == syntax.None {
		return e.unknown(i)
	}
	flags := facts.FlagCallee
	switch classOf(e.nodes[typ].Kind) {
	case classIdentifier, classQualifiedType, classGenericType:
	default:
		flags |= facts.FlagTyped
	}
	x := e.expr(typ, flags)
	base := len(e.ids)
	e.ids = append(e.ids, int32(e.expr(e.child(i, fieldOperand), 0)))
	if flags&facts.FlagTyped != 0 {
		id := e.operation(facts.Expr{Op: facts.OpCall, Flags: callee, N: 1, X: x, Y: none, Args: e.b.AddList(e.ids[base:])}, x)
		e.ids = e.ids[:base]
		return id
	}
	return e.finishCall(x, callee, base)
}

// finishCall adds a call of x with the arguments that were put on ids from
// base on.
func (e *extractor) finishCall(x facts.ExprID, flags facts.ExprFlags, base int) facts.ExprID {
	args := e.ids[base:]
	if len(args) == 1 && flags&facts.FlagSpread == 0 {
		e.want(facts.ExprID(args[0]), int(graph.WantAll))
	}
	id := e.operation(facts.Expr{Op: facts.OpCall, Flags: flags, N: 1, X: x, Y: none, Args: e.b.AddList(args)}, x)
	e.ids = e.ids[:base]
	return id
}

// want says how many results of x are used, if x is a call.
func (e *extractor) want(x facts.ExprID, n int) {
	if x != none && e.b.Exprs[x].Op == facts.OpCall {
		e.b.Exprs[x].N = int16(min(n, 127))
	}
}

// composite adds a composite literal with its type written out.
func (e *extractor) composite(i syntax.ID) facts.ExprID {
	x := e.typ(e.child(i, fieldType))
	c := e.elements(e.child(i, fieldBody), x)
	e.composed(e.child(i, fieldType), e.child(i, fieldBody))
	return c
}

// elements adds a composite of type x with the elements in node body. Nested
// composites without a type get that of x's elements or keys.
func (e *extractor) elements(body syntax.ID, x facts.ExprID) facts.ExprID {
	out := facts.Expr{Op: facts.OpComposite, X: x, Y: none}
	if body == syntax.None {
		return e.operation(out, x)
	}
	base := len(e.ids)
	for c := range e.t.NamedChildren(body) {
		var id facts.ExprID
		switch classOf(e.nodes[c].Kind) {
		case classKeyedElement:
			k := e.key(e.child(c, fieldKey), x)
			v := e.element(e.child(c, fieldValue), facts.OpElement, x)
			id = e.operation(facts.Expr{Op: facts.OpKeyValue, X: k, Y: v}, k)
		default:
			id = e.element(c, facts.OpElement, x)
		}
		e.ids = append(e.ids, int32(id))
	}
	out.Args = e.b.AddList(e.ids[base:])
	e.ids = e.ids[:base]
	return e.operation(out, x)
}

// element adds one element or key of a composite of type x. Part is the view
// of x that types it when it is a composite without a type.
func (e *extractor) element(i syntax.ID, part facts.Op, x facts.ExprID) facts.ExprID {
	if i != syntax.None && classOf(e.nodes[i].Kind) == classLiteralElement {
		i = e.t.FirstNamed(i)
	}
	if i == syntax.None || classOf(e.nodes[i].Kind) != classLiteralValue {
		return e.expr(i, 0)
	}
	if e.depth >= maxDepth {
		e.unparsed(i)
		return e.nothing(i)
	}
	typ := e.add(facts.Expr{Op: part, X: x, Y: none}, i)
	e.depth++
	id := e.elements(i, typ)
	e.depth--
	return id
}

func (e *extractor) key(i syntax.ID, x facts.ExprID) facts.ExprID {
	if i != syntax.None {
		if c := e.t.FirstNamed(i); c != syntax.None {
			switch classOf(e.nodes[c].Kind) {
			case classIdentifier, classNil, classBool, classIota:
				return e.name(c, facts.FlagKey)
			}
		}
	}
	return e.element(i, facts.OpKeyType, x)
}

// direction returns the direction of a channel type: 0 both, 1 send, 2 receive.
func (e *extractor) direction(i syntax.ID) int16 {
	chans := false
	for c := range e.t.Children(i) {
		switch e.nodes[c].Kind {
		case tokenChan:
			chans = true
		case tokenArrow:
			if chans {
				return 1
			}
			return 2
		}
		if e.nodes[c].Field == fieldValue {
			break
		}
	}
	return 0
}

// functionType adds the type of functions with the parameters and results of
// node i; the names of parameters are no part of it.
func (e *extractor) functionType(i syntax.ID, flags facts.ExprFlags) facts.ExprID {
	base := len(e.ids)
	variadic := e.typeList(e.child(i, fieldParameters))
	params := len(e.ids) - base
	if r := e.child(i, fieldResult); r != syntax.None {
		if classOf(e.nodes[r].Kind) == classParameterList {
			e.typeList(r)
		} else {
			e.ids = append(e.ids, int32(e.typ(r)))
		}
	}
	if variadic {
		flags |= facts.FlagSpread
	}
	id := e.add(facts.Expr{Op: facts.OpFuncType, Flags: flags, N: int16(min(params, 1<<15-1)), X: none, Y: none,
		Args: e.b.AddList(e.ids[base:])}, i)
	e.ids = e.ids[:base]
	return id
}

// typeList puts the types of a parameter list on ids, one for each parameter,
// and reports whether the last is variadic.
func (e *extractor) typeList(list syntax.ID) (variadic bool) {
	if list == syntax.None {
		return false
	}
	e.eachParam(list, func(names []syntax.ID, typ syntax.ID, v bool) {
		x := e.typ(typ)
		for range max(len(names), 1) {
			e.ids = append(e.ids, int32(x))
		}
		variadic = v
	})
	return variadic
}

// union adds alternatives of a constraint; a single one is itself.
func (e *extractor) union(i syntax.ID, flags facts.ExprFlags) facts.ExprID {
	if !e.several(i) {
		return e.expr(e.t.FirstNamed(i), flags)
	}
	base := len(e.ids)
	for c := range e.t.NamedChildren(i) {
		e.ids = append(e.ids, int32(e.typ(c)))
	}
	id := e.operation(facts.Expr{Op: facts.OpUnionType, Flags: flags, X: none, Y: none, Args: e.b.AddList(e.ids[base:])},
		facts.ExprID(e.ids[base]))
	e.ids = e.ids[:base]
	return id
}
