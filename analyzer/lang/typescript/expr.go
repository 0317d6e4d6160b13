package typescript

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// expr adds the expression at node i and returns it. It recurses over the tree,
// not deeper than maxDepth.
func (e *extractor) expr(i syntax.ID) facts.ExprID { return e.deeper(i, e.exprAt) }

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

// name adds a name. Names of types and of values are apart.
func (e *extractor) name(i syntax.ID, s facts.Str, flags facts.ExprFlags) facts.ExprID {
	if s == 0 {
		return e.nothing(i)
	}
	x := facts.Expr{Op: facts.OpName, Flags: flags, Name: s, X: none, Y: none}
	if l := e.b.Lookup(s); l != none {
		k, d := e.b.Locals[l].Kind, e.b.Locals[l].Decl
		ok := true
		switch {
		case flags&facts.FlagTyped != 0:
			ok = k == facts.LocalType || k == facts.LocalTypeParam
		case k == facts.LocalTypeParam:
			ok = false
		case k == facts.LocalType:
			ok = e.b.Decls[d].Kind == graph.KindClass || e.b.Decls[d].Kind == graph.KindEnum
		}
		if ok {
			x.X, x.Flags = facts.ExprID(l), flags|facts.FlagLocal
		}
	}
	return e.add(x, i)
}

func (e *extractor) literalExpr(kind string, i syntax.ID) facts.ExprID {
	return e.add(facts.Expr{Op: facts.OpLiteral, Name: e.b.InternString(kind), X: none, Y: none}, i)
}

func (e *extractor) exprAt(i syntax.ID) facts.ExprID {
	switch e.class(i) {
	case classIdentifier, classShorthand:
		return e.name(i, e.str(i), 0)
	case classString:
		if e.messaging() {
			if x := e.texted(i, none); x != none {
				e.b.Exprs[x].Line, e.b.Exprs[x].Col = e.place(i)
				return x
			}
		}
		return e.literalExpr("string", i)
	case classNumber:
		return e.literalExpr("number", i)
	case classBool:
		return e.literalExpr("bool", i)
	case classNull:
		return e.literalExpr("null", i)
	case classUndefined:
		return e.literalExpr("undefined", i)
	case classRegexp:
		return e.literalExpr("regexp", i)
	case classTemplate:
		for c := range e.t.NamedChildren(i) {
			if e.class(c) == classSubstitution {
				e.exprs(c)
			}
		}
		return e.literalExpr("string", i)
	case classParen:
		x := facts.ExprID(none)
		for c := range e.t.NamedChildren(i) {
			if e.class(c) == classTypeAnnotation { // of Flow
				e.annotation(c)
			} else {
				x = e.expr(c)
			}
		}
		if x == none {
			return e.nothing(i)
		}
		return x
	case classSequence:
		return e.exprs(i)
	case classThis:
		return e.this(i)
	case classSuper:
		return e.super(i)
	case classMember:
		return e.member(i, 0)
	case classSubscript:
		return e.subscript(i, 0)
	case classCall:
		return e.call(i)
	case classNew:
		return e.creation(i)
	case classAssign:
		return e.assignment(i)
	case classAugmented:
		to := e.target(e.child(i, e.f.left), facts.FlagRead|facts.FlagWrite)
		x := e.expr(e.child(i, e.f.right))
		e.context(x, to)
		e.flow(facts.FlowAssign, 0, int32(to), x)
		return to
	case classBinary:
		return e.binary(i)
	case classUnary:
		x := e.expr(e.child(i, e.f.operand))
		return e.operation(facts.Expr{Op: facts.OpUnary, Name: e.str(e.child(i, e.f.operator)), X: x, Y: none}, x)
	case classUpdate:
		e.target(e.child(i, e.f.operand), facts.FlagRead|facts.FlagWrite)
		return e.literalExpr("number", i)
	case classTernary:
		return e.ternary(i)
	case classAwait:
		x := e.expr(e.t.FirstNamed(i))
		return e.operation(facts.Expr{Op: facts.OpAwait, X: x, Y: none}, x)
	case classYield:
		return e.yield(i)
	case classAs, classSatisfies:
		return e.cast(i)
	case classTypeAssertion:
		t := facts.ExprID(none)
		if a := e.childOf(i, classTypeArguments); a != syntax.None {
			t = e.typeExpr(e.t.FirstNamed(a))
		}
		x := facts.ExprID(none)
		for c := range e.t.NamedChildren(i) {
			if e.class(c) != classTypeArguments {
				x = e.expr(c)
			}
		}
		if t == none || x == none {
			return max(x, t, e.nothing(i))
		}
		e.context(x, t)
		return e.operation(facts.Expr{Op: facts.OpAssert, X: x, Y: t}, t)
	case classNonNull:
		return e.expr(e.t.FirstNamed(i))
	case classInstantiation:
		fn := e.child(i, e.f.function)
		if fn == syntax.None {
			fn = e.t.FirstNamed(i)
		}
		x := e.expr(fn)
		return e.instantiation(x, e.child(i, e.f.typeArgs))
	case classArrow, classFunctionExpr, classGeneratorExpr:
		return e.literal(i)
	case classClassExpr:
		d := e.classDecl(i, i)
		return e.add(facts.Expr{Op: facts.OpType, X: facts.ExprID(d), Y: none}, i)
	case classArray:
		return e.array(i)
	case classObject:
		return e.object(i)
	case classSpread:
		x := e.expr(e.t.FirstNamed(i))
		return e.operation(facts.Expr{Op: facts.OpSpread, X: x, Y: none}, x)
	case classMetaProperty:
		return e.nothing(i)
	case classJSXElement, classJSXSelfClosing:
		return e.jsx(i)
	case classInternalModule, classFunction, classClass:
		e.stmt(i)
	case classError:
		for c := range e.t.NamedChildren(i) {
			e.stmt(c)
		}
	case classComputed, classSubstitution:
		return e.exprs(i)
	case classPrivateName, classPropertyName:
		return e.nothing(i)
	}
	return e.nothing(i)
}

// exprs adds all expressions in i, and returns the last.
func (e *extractor) exprs(i syntax.ID) facts.ExprID {
	x := facts.ExprID(none)
	for c := range e.t.NamedChildren(i) {
		x = e.expr(c)
	}
	if x == none {
		return e.nothing(i)
	}
	return x
}

// this adds this: a value of the type that the declaration around it has.
func (e *extractor) this(i syntax.ID) facts.ExprID {
	if l := e.b.Lookup(e.b.InternString("this")); l != none {
		return e.add(facts.Expr{Op: facts.OpName, Flags: facts.FlagLocal, X: facts.ExprID(l), Y: none}, i)
	}
	if e.self.decl == none {
		return e.nothing(i)
	}
	t := e.b.AddExpr(facts.Expr{Op: facts.OpType, X: facts.ExprID(e.self.decl), Y: none})
	return e.add(facts.Expr{Op: facts.OpSelf, N: e.selfKind(), X: t, Y: none}, i)
}

// super adds super: this as the base class sees it.
func (e *extractor) super(i syntax.ID) facts.ExprID {
	if e.self.class == none {
		return e.nothing(i)
	}
	t := e.b.AddExpr(facts.Expr{Op: facts.OpType, X: facts.ExprID(e.self.class), Y: none})
	return e.add(facts.Expr{Op: facts.OpSuper, N: e.selfKind(), X: t, Y: none}, i)
}

// member adds x.name.
func (e *extractor) member(i syntax.ID, flags facts.ExprFlags) facts.ExprID {
	object, name := e.child(i, e.f.object), e.child(i, e.f.property)
	if object == syntax.None || name == syntax.None {
		for c := range e.t.NamedChildren(i) {
			e.expr(c)
		}
		return e.nothing(i)
	}
	if e.class(object) == classImportWord { // import.meta
		return e.nothing(i)
	}
	if flags&facts.FlagWrite == 0 && e.exportsOf(i) { // module.exports, as exports
		return e.add(facts.Expr{Op: facts.OpName, Flags: flags, Name: e.names.whole, X: none, Y: none}, name)
	}
	x := e.expr(object)
	return e.add(facts.Expr{Op: facts.OpSelect, Flags: flags, Name: e.str(name), X: x, Y: none}, name)
}

// subscript adds x[i]; with a constant name it is x.name.
func (e *extractor) subscript(i syntax.ID, flags facts.ExprFlags) facts.ExprID {
	object, index := e.child(i, e.f.object), e.child(i, e.f.index)
	x := e.expr(object)
	if e.is(index, classString) {
		return e.add(facts.Expr{Op: facts.OpSelect, Flags: flags, Name: e.b.Intern(e.unquoted(index)), X: x, Y: none}, index)
	}
	if e.is(index, classMember) && e.reads(e.child(index, e.f.object), "Symbol") {
		return e.add(facts.Expr{Op: facts.OpSelect, Flags: flags, Name: e.b.InternString("[" + e.t.String(index) + "]"), X: x, Y: none}, e.child(index, e.f.property))
	}
	y := e.expr(index)
	id := e.operation(facts.Expr{Op: facts.OpIndex, Flags: flags, X: x, Y: none, Args: e.b.AddList([]int32{int32(y)})}, x)
	if e.is(index, classNumber) {
		n := int16(0)
		for _, d := range e.t.Text(index) {
			if d < '0' || d > '9' || n > 1000 {
				return id
			}
			n = n*10 + int16(d-'0')
		}
		e.b.Exprs[id].N = n + 1 // a constant index
	}
	return id
}

// arguments adds the arguments of a call and puts them on ids. It reports
// whether one is spread.
func (e *extractor) arguments(i syntax.ID) (spread bool) {
	if i == syntax.None {
		return false
	}
	if e.class(i) == classTemplate { // of a tag
		x := e.literalExpr("template", i)
		e.ids = append(e.ids, int32(x))
		for c := range e.t.NamedChildren(i) {
			if e.class(c) == classSubstitution {
				y := e.exprs(c)
				e.ids = append(e.ids, int32(y))
			}
		}
		return false
	}
	last := syntax.ID(syntax.None) // of a call that was torn
	for c := range e.t.NamedChildren(i) {
		if last != syntax.None && c <= last {
			continue
		}
		var x facts.ExprID
		x, last = e.listed(c)
		spread = spread || e.class(c) == classSpread
		e.ids = append(e.ids, int32(x))
	}
	return spread
}

// listed adds what stands in a list at c. Where a call was torn, last is the last node
// of what was added, else None.
func (e *extractor) listed(c syntax.ID) (x facts.ExprID, last syntax.ID) {
	if last = e.tornCall(c); last != syntax.None {
		return e.awaitTorn(c, last), last
	}
	return e.expr(c), last
}

// tornCall returns the last of the nodes that a call was torn into, from c on:
// the grammar reads [await f<A<B, C>>(x)] as [await f < A < B, C >> (x)]. It is None
// where c begins none.
func (e *extractor) tornCall(c syntax.ID) syntax.ID {
	if e.class(c) != classBinary || !e.is(e.child(c, e.f.left), classAwait) || !e.reads(e.child(c, e.f.operator), "<") {
		return syntax.None
	}
	if r := e.child(c, e.f.right); !e.is(r, classBinary) || !e.reads(e.child(r, e.f.operator), "<") {
		return syntax.None
	}
	for n := e.t.NextSibling(c); n != syntax.None; n = e.t.NextSibling(n) {
		if e.class(n) != classBinary {
			continue
		}
		op := e.child(n, e.f.operator)
		if (e.reads(op, ">>") || e.reads(op, ">>>")) && e.is(e.child(n, e.f.right), classParen) {
			return n
		}
	}
	return syntax.None
}

// awaitTorn adds the awaited call that was torn into the nodes from c to last,
// without its type arguments.
func (e *extractor) awaitTorn(c, last syntax.ID) facts.ExprID {
	fn := e.t.FirstNamed(e.child(c, e.f.left))
	x := e.callee(fn)
	base := len(e.ids)
	e.parenthesized(e.child(last, e.f.right))
	id := e.list(facts.Expr{Op: facts.OpCall, N: 1, X: x, Y: none}, x, base)
	return e.operation(facts.Expr{Op: facts.OpAwait, X: id, Y: none}, id)
}

// callee adds what a call calls.
func (e *extractor) callee(i syntax.ID) facts.ExprID {
	for e.is(i, classParen) || e.is(i, classNonNull) {
		n := e.t.FirstNamed(i)
		if n == syntax.None {
			break
		}
		i = n
	}
	if i == syntax.None {
		return e.expr(i)
	}
	x := facts.ExprID(none)
	switch e.class(i) {
	case classIdentifier:
		x = e.name(i, e.str(i), facts.FlagCallee)
	case classMember:
		x = e.deeper(i, func(i syntax.ID) facts.ExprID { return e.member(i, facts.FlagCallee) })
	case classSubscript:
		x = e.deeper(i, func(i syntax.ID) facts.ExprID { return e.subscript(i, facts.FlagCallee) })
	default:
		x = e.expr(i)
		e.b.Exprs[x].Flags |= facts.FlagCallee
	}
	return x
}

func (e *extractor) call(i syntax.ID) facts.ExprID {
	if m := e.moduleOf(i); m != none {
		if e.b.Exprs[m].N == 1 { // import() is awaited
			return e.operation(facts.Expr{Op: facts.OpResult, N: 1, X: none, Y: none, Args: e.b.AddList([]int32{int32(m)})}, m)
		}
		return m
	}
	fn, typeArgs := e.child(i, e.f.function), e.child(i, e.f.typeArgs)
	waits := typeArgs != syntax.None && e.is(fn, classAwait) // how await f<T>() is parsed
	if waits {
		fn = e.t.FirstNamed(fn)
	}
	x := e.callee(fn)
	if typeArgs != syntax.None {
		x = e.instantiation(x, typeArgs)
	}
	base := len(e.ids)
	out := facts.Expr{Op: facts.OpCall, N: 1, X: x, Y: none}
	spread := false
	if t := e.testAt(i); t.from != syntax.None {
		spread = e.testArguments(&t)
	} else {
		spread = e.arguments(e.child(i, e.f.arguments))
	}
	if spread {
		out.Flags |= facts.FlagSpread
	}
	e.eventName(i, fn, base)
	id := e.list(out, x, base)
	e.tests(i, id)
	e.calledRoute(i, id)
	e.request(i)
	e.message(fn, e.child(i, e.f.arguments))
	if waits {
		return e.operation(facts.Expr{Op: facts.OpAwait, X: id, Y: none}, id)
	}
	return id
}

// eventName keeps what the first argument of call i says, of those that were put
// on ids from base on, where the name of the method fn that is called says that it
// names an event.
func (e *extractor) eventName(i, fn syntax.ID, base int) {
	if !e.is(fn, classMember) || len(e.ids) == base || e.b.Exprs[e.ids[base]].Op != facts.OpLiteral {
		return
	}
	method := e.t.String(e.child(fn, e.f.property))
	first := e.t.FirstNamed(e.child(i, e.f.arguments)) // they hold one
	if !e.is(first, classString) || !slices.Contains(emitters.Hear, method) && !slices.Contains(emitters.Tell, method) {
		return
	}
	x := e.constant(first)
	e.b.Exprs[x].Line, e.b.Exprs[x].Col = 0, 0
	e.ids[base] = int32(e.add(facts.Expr{Op: facts.OpLiteral, Name: e.b.InternString("string"), X: x, Y: none}, first))
}

// creation adds new C(…).
func (e *extractor) creation(i syntax.ID) facts.ExprID {
	x := e.callee(e.child(i, e.f.constructor))
	if a := e.child(i, e.f.typeArgs); a != syntax.None {
		x = e.instantiation(x, a)
	}
	base := len(e.ids)
	out := facts.Expr{Op: facts.OpNew, N: 1, X: x, Y: none}
	if e.arguments(e.child(i, e.f.arguments)) {
		out.Flags |= facts.FlagSpread
	}
	id := e.list(out, x, base)
	e.message(e.child(i, e.f.constructor), e.child(i, e.f.arguments))
	return id
}

// cast adds x as T and x satisfies T.
func (e *extractor) cast(i syntax.ID) facts.ExprID {
	value, typ := e.t.FirstNamed(i), syntax.ID(syntax.None)
	for c := range e.t.NamedChildren(i) {
		if c != value {
			typ = c
		}
	}
	x := e.expr(value)
	if typ == syntax.None { // as const
		return x
	}
	t := e.typeExpr(typ)
	e.context(x, t)
	if e.class(i) == classSatisfies {
		return x
	}
	return e.operation(facts.Expr{Op: facts.OpAssert, X: x, Y: t}, t)
}

// ternary adds one of two values; the condition narrows both.
func (e *extractor) ternary(i syntax.ID) facts.ExprID {
	cond := e.child(i, e.f.condition)
	mark := e.condition(cond)
	base := len(e.ids)
	for k, f := range [...]syntax.Field{e.f.consequence, e.f.alternative} {
		e.b.Push()
		e.narrow(cond, k == 0, mark)
		x := e.expr(e.child(i, f))
		e.b.Pop()
		e.ids = append(e.ids, int32(x))
	}
	e.tested = e.tested[:mark]
	return e.list(facts.Expr{Op: facts.OpConditional, X: none, Y: none}, facts.ExprID(e.ids[base]), base)
}

// parenthesized adds the expressions in parentheses to ids.
func (e *extractor) parenthesized(in syntax.ID) {
	if n := e.t.FirstNamed(in); e.is(n, classSequence) {
		in = n
	}
	for a := range e.t.NamedChildren(in) {
		e.ids = append(e.ids, int32(e.expr(a)))
	}
}

// binary adds an operator with its operands. Long chains of one operator lean
// to the left, so they are read in a loop.
func (e *extractor) binary(i syntax.ID) facts.ExprID {
	var chain []syntax.ID
	for e.is(i, classBinary) && len(chain) < maxDepth {
		chain = append(chain, i)
		i = e.child(i, e.f.left)
	}
	mark := len(e.tested)
	logical := false
	for _, c := range chain {
		if op := e.child(c, e.f.operator); e.reads(op, "&&") || e.reads(op, "||") {
			logical = true
		}
	}
	if logical {
		e.testing++
	}
	left := i
	x := e.expr(i)
	for k := len(chain) - 1; k >= 0; k-- {
		op := e.child(chain[k], e.f.operator)
		text := e.t.String(op)
		right := e.child(chain[k], e.f.right)
		switch text {
		case "&&", "||":
			e.b.Push()
			e.narrow(left, text == "&&", mark)
			y := e.expr(right)
			e.b.Pop()
			base := len(e.ids)
			if text == "&&" {
				x = e.operation(facts.Expr{Op: facts.OpBinary, Name: e.str(op), X: x, Y: y}, x)
				break
			}
			e.ids = append(e.ids, int32(x), int32(y))
			x = e.list(facts.Expr{Op: facts.OpConditional, X: none, Y: none}, x, base)
		case "??":
			y := e.expr(right)
			base := len(e.ids)
			e.ids = append(e.ids, int32(x), int32(y))
			x = e.list(facts.Expr{Op: facts.OpConditional, X: none, Y: none}, x, base)
		default:
			y := e.expr(right)
			x = e.operation(facts.Expr{Op: facts.OpBinary, Name: e.str(op), X: x, Y: y}, x)
			e.tests(chain[k], x)
		}
		left = chain[k]
	}
	if logical {
		if e.testing--; e.testing == 0 {
			e.tested = e.tested[:mark]
		}
	}
	return x
}

func (e *extractor) yield(i syntax.ID) facts.ExprID {
	v := e.t.FirstNamed(i)
	if v == syntax.None {
		return e.nothing(i)
	}
	x := e.expr(v)
	if e.fn != nil {
		if e.word(i, "*") {
			x = e.operation(facts.Expr{Op: facts.OpRangeVal, X: x, Y: none}, x)
		}
		e.fn.yields = append(e.fn.yields, int32(x))
		e.flow(facts.FlowYield, 0, int32(e.fn.decl), x)
	}
	return e.nothing(i)
}

// target adds an expression that is assigned to.
func (e *extractor) target(i syntax.ID, flags facts.ExprFlags) facts.ExprID {
	for i != syntax.None && (e.class(i) == classParen || e.class(i) == classNonNull) {
		i = e.t.FirstNamed(i)
	}
	if i == syntax.None {
		return e.expr(i)
	}
	switch e.class(i) {
	case classIdentifier:
		return e.name(i, e.str(i), flags)
	case classMember:
		return e.deeper(i, func(i syntax.ID) facts.ExprID { return e.member(i, flags) })
	case classSubscript:
		return e.deeper(i, func(i syntax.ID) facts.ExprID { return e.subscript(i, flags) })
	}
	return e.expr(i)
}

// assignment adds a = b.
func (e *extractor) assignment(i syntax.ID) facts.ExprID {
	left, right := e.child(i, e.f.left), e.child(i, e.f.right)
	if k := e.class(left); k == classArrayPattern || k == classObjectPattern {
		x := e.expr(right)
		e.pattern(left, x, func(n syntax.ID, s facts.Str, v facts.ExprID) {
			to := e.target(n, facts.FlagWrite)
			if v != none {
				e.flow(facts.FlowAssign, 0, int32(to), v)
				e.assigned(to, v)
			}
		})
		return x
	}
	if x, ok := e.expando(i, left, right); ok {
		return x
	}
	to := e.target(left, facts.FlagWrite)
	if d, static := e.computedOwner(left, right); d != none {
		e.bound = &self{decl: d, static: static, class: none}
	}
	x := e.expr(right)
	e.bound = nil
	e.context(x, to)
	e.flow(facts.FlowAssign, 0, int32(to), x)
	e.assigned(to, x)
	return x
}

// assigned notes a further value of a variable that has no type and was not
// given a value that tells one.
func (e *extractor) assigned(to, x facts.ExprID) {
	t := &e.b.Exprs[to]
	if t.Op != facts.OpName || t.Flags&facts.FlagLocal == 0 {
		return
	}
	l := &e.b.Locals[t.X]
	if l.Kind != facts.LocalVar || l.Type != none {
		return
	}
	if l.Value == none && l.Next == none {
		l.Value = x
		return
	}
	if l.Next == none && l.Value != none {
		v := &e.b.Exprs[l.Value]
		if v.Op == facts.OpParamOf { // what callers give, or this
			base := len(e.ids)
			e.ids = append(e.ids, int32(l.Value), int32(x))
			l.Value = e.list(facts.Expr{Op: facts.OpConditional, X: none, Y: none}, l.Value, base)
			return
		}
		if v.Op == facts.OpLiteral && (e.b.Strings[v.Name] == "null" || e.b.Strings[v.Name] == "undefined") {
			l.Value = x
		}
	}
}
