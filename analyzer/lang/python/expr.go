package python

import (
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

func (e *extractor) add(x facts.Expr, at syntax.ID) facts.ExprID {
	x.Line, x.Col = e.place(at)
	if x.Op == facts.OpCall && e.later && e.function == none {
		x.Flags |= facts.FlagLater
	}
	return e.b.AddExpr(x)
}

// list adds an expression with the arguments that were put on ids from base on.
func (e *extractor) list(x facts.Expr, at syntax.ID, base int) facts.ExprID {
	x.Args = e.b.AddList(e.ids[base:])
	e.ids = e.ids[:base]
	return e.add(x, at)
}

// nothing adds an expression of which nothing is known.
func (e *extractor) nothing() facts.ExprID {
	return e.b.AddExpr(facts.Expr{Op: facts.OpNone, X: none, Y: none})
}

func (e *extractor) literal(kind string, at syntax.ID) facts.ExprID {
	return e.add(facts.Expr{Op: facts.OpLiteral, Name: e.b.InternString(kind), X: none, Y: none}, at)
}

// lastName returns the node of an expression's last name, or the node itself.
func (e *extractor) lastName(i syntax.ID) syntax.ID {
	for range maxDepth {
		next := syntax.ID(syntax.None)
		switch e.class(i) {
		case classAttribute:
			next = e.child(i, fieldAttribute)
		case classCall:
			next = e.child(i, fieldFunction)
		case classParen:
			next = e.t.FirstNamed(i)
		case classSubscript:
			next = e.child(i, fieldValue)
		}
		if next == syntax.None {
			break
		}
		i = next
	}
	return i
}

// expr adds an expression. It recurses over the tree, not deeper than maxDepth.
func (e *extractor) expr(i syntax.ID) facts.ExprID {
	if i == syntax.None {
		return none
	}
	if e.depth >= maxDepth {
		e.unparsed(i)
		return e.nothing()
	}
	e.depth++
	x := e.exprAt(i)
	e.depth--
	return x
}

func (e *extractor) exprAt(i syntax.ID) facts.ExprID {
	switch e.class(i) {
	case classIdentifier:
		return e.name(i, 0)
	case classAttribute:
		return e.attribute(i, 0)
	case classCall:
		return e.getter(i, e.call(i))
	case classSubscript:
		if e.typing_(e.child(i, fieldValue)) {
			return e.typeExpr(i)
		}
		x := e.expr(e.child(i, fieldValue))
		base := len(e.ids)
		slice := false
		for c := range e.t.ChildrenByField(i, fieldSubscript) {
			if e.class(c) == classSlice {
				slice = true
				for s := range e.t.NamedChildren(c) {
					e.expr(s)
				}
				continue
			}
			a := e.expr(c)
			e.ids = append(e.ids, int32(a))
		}
		if slice {
			e.ids = e.ids[:base]
			return e.add(facts.Expr{Op: facts.OpSlice, X: x, Y: none}, e.lastName(i))
		}
		return e.list(facts.Expr{Op: facts.OpIndex, Name: e.keyOf(i), X: x, Y: none}, e.lastName(i), base)
	case classParen, classType, classAsTarget, classCasePattern:
		if c := e.t.FirstNamed(i); c != syntax.None {
			return e.expr(c)
		}
	case classInt:
		return e.literal("int", i)
	case classFloat:
		return e.literal("float", i)
	case classTrue, classFalse:
		return e.literal("bool", i)
	case classNone:
		return e.literal("null", i)
	case classEllipsis:
		return e.literal("ellipsis", i)
	case classString:
		return e.str_(i)
	case classConcatenated:
		x := facts.ExprID(none)
		for c := range e.t.NamedChildren(i) {
			x = e.expr(c)
		}
		return x
	case classList, classSet, classTuple, classExpressionList, classPatternList, classTuplePattern, classListPattern:
		return e.collection(i)
	case classDict:
		base := len(e.ids)
		for c := range e.t.NamedChildren(i) {
			switch e.class(c) {
			case classPair:
				e.ids = append(e.ids, int32(e.pair(c)))
			case classDictSplat:
				x := e.expr(e.t.FirstNamed(c))
				e.ids = append(e.ids, int32(e.b.AddExpr(facts.Expr{Op: facts.OpSpread, X: x, Y: none})))
			default:
				e.expr(c)
			}
		}
		return e.list(facts.Expr{Op: facts.OpComposite, Name: e.b.InternString("dict"), X: none, Y: none}, i, base)
	case classPair:
		return e.pair(i)
	case classListSplat, classDictSplat:
		x := e.expr(e.t.FirstNamed(i))
		return e.b.AddExpr(facts.Expr{Op: facts.OpSpread, X: x, Y: none})
	case classListComp:
		return e.comprehension(i, "list")
	case classSetComp:
		return e.comprehension(i, "set")
	case classDictComp:
		return e.comprehension(i, "dict")
	case classGenerator:
		return e.comprehension(i, "generator")
	case classBinary:
		x := e.expr(e.child(i, fieldLeft))
		y := e.expr(e.child(i, fieldRight))
		op := e.child(i, fieldOperator)
		return e.add(facts.Expr{Op: facts.OpBinary, Name: e.str(op), X: x, Y: y}, op)
	case classComparison:
		return e.comparison(i)
	case classBoolean:
		return e.boolean(i)
	case classNot:
		x := e.expr(e.child(i, fieldArgument))
		return e.add(facts.Expr{Op: facts.OpUnary, Name: e.b.InternString("!"), X: x, Y: none}, i)
	case classUnary:
		x := e.expr(e.child(i, fieldArgument))
		return e.add(facts.Expr{Op: facts.OpUnary, Name: e.str(e.child(i, fieldOperator)), X: x, Y: none}, i)
	case classConditional:
		return e.conditional(i)
	case classNamedExpr:
		v := e.expr(e.child(i, fieldValue))
		e.assign(e.child(i, fieldName), v, none)
		return v
	case classLambda:
		return e.lambda(i)
	case classAwait:
		x := e.expr(e.t.FirstNamed(i))
		return e.add(facts.Expr{Op: facts.OpAwait, X: x, Y: none}, i)
	case classYield:
		return e.yield(i)
	case classInterpolation:
		e.interpolated(i)
		return none
	case classAssignment, classAugmented:
		return e.assignment(i)
	case classAsPattern: // of a with statement or an error
		x := e.expr(e.t.FirstNamed(i))
		if a := e.child(i, fieldAlias); a != syntax.None {
			e.assign(a, x, none)
		}
		return x
	case classKeywordArgument:
		return e.expr(e.child(i, fieldValue))
	case classComment:
		return none
	default:
		for c := range e.t.NamedChildren(i) {
			e.expr(c)
		}
	}
	return e.nothing()
}

// typing_ reports whether a subscripted name is one of those of typing, so that its
// arguments are types, which may be quoted.
func (e *extractor) typing_(i syntax.ID) bool {
	if i == syntax.None {
		return false
	}
	switch string(e.t.Text(e.lastName(i))) {
	case "Union", "Optional", "Callable", "Type", "List", "Dict", "Tuple", "Sequence", "Mapping", "Iterable", "Iterator":
	default:
		return false
	}
	switch e.class(i) {
	case classIdentifier:
		name := e.str(i)
		id, member := e.lookup(name)
		_, imported := e.scopes[0].imported[name]
		return id == none && !member && imported
	case classAttribute:
		return true
	}
	return false
}

// keyOf returns the constant that a subscript is, 0 for others.
func (e *extractor) keyOf(i syntax.ID) facts.Str {
	key := facts.Str(0)
	for c := range e.t.ChildrenByField(i, fieldSubscript) {
		if key != 0 {
			return 0
		}
		k, ok := e.constKey(c)
		if !ok {
			return 0
		}
		key = k
	}
	return key
}

// maxKey bounds the length of constants that tell keys apart.
const maxKey = 64

// constKey returns what tells a constant key from others: the text of a string, the
// digits of a number, or, behind an @, the name of a constant or of a member of an
// enumeration, as the customs of writing them tell.
func (e *extractor) constKey(i syntax.ID) (facts.Str, bool) {
	key := ""
	switch e.class(i) {
	case classString:
		s, ok := e.constant(i)
		if !ok || s == "" || len(s) > maxKey || s[0] == '@' || s[0] >= '0' && s[0] <= '9' {
			return 0, false
		}
		key = s
	case classInt:
		if key = e.t.String(i); len(key) > 9 || len(key) > 1 && key[0] == '0' || strings.Trim(key, "0123456789") != "" {
			return 0, false
		}
	case classIdentifier:
		if key = e.t.String(i); !constantName(key) {
			return 0, false
		}
		key = "@" + key
	case classAttribute:
		key = e.t.String(e.child(i, fieldAttribute))
		if !constantName(key) {
			return 0, false
		}
		if o := e.child(i, fieldObject); e.class(o) == classIdentifier && typeName(e.t.String(o)) {
			key = e.t.String(o) + "." + key
		} else if e.class(o) == classAttribute {
			if last := e.t.String(e.child(o, fieldAttribute)); typeName(last) {
				key = last + "." + key
			}
		}
		key = "@" + key
	default:
		return 0, false
	}
	if len(key) > maxKey {
		return 0, false
	}
	return e.b.InternString(key), true
}

// constantName reports whether a name is written as those of constants are.
func constantName(s string) bool {
	upper := false
	for _, r := range s {
		if r >= 'a' && r <= 'z' || r >= 0x80 {
			return false
		}
		upper = upper || r >= 'A' && r <= 'Z'
	}
	return upper
}

// typeName reports whether a name is written as those of classes are.
func typeName(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' && !constantName(s) }

func (e *extractor) attribute(i syntax.ID, flags facts.ExprFlags) facts.ExprID {
	// Chains of calls and attributes nest to the left.
	x := e.expr(e.child(i, fieldObject))
	n := e.child(i, fieldAttribute)
	return e.add(facts.Expr{Op: facts.OpSelect, Flags: flags, Name: e.str(n), X: x, Y: none}, n)
}

func (e *extractor) str_(i syntax.ID) facts.ExprID {
	kind := "string"
	for c := range e.t.Children(i) {
		switch e.class(c) {
		case classInterpolation:
			e.interpolated(c)
		default:
			if c == i+1 {
				for _, b := range e.t.Text(c) {
					if b == 'b' || b == 'B' {
						kind = "bytes"
					}
				}
			}
		}
	}
	if kind == "string" && e.messaging() {
		if s, ok := e.constant(i); ok && s != "" && len(s) <= maxText {
			x := e.b.AddText(s)
			e.b.Exprs[x].Line, e.b.Exprs[x].Col = e.place(i)
			return x
		}
	}
	return e.literal(kind, i)
}

// interpolated adds what stands in the braces of a string, and the method that gives
// its text.
func (e *extractor) interpolated(i syntax.ID) {
	for c := range e.t.NamedChildren(i) {
		x := e.expr(c)
		if c != e.t.FirstNamed(i) || x == none {
			continue
		}
		switch e.b.Exprs[x].Op {
		case facts.OpName, facts.OpSelect, facts.OpCall, facts.OpIndex:
		default:
			continue
		}
		op := "format()"
		for k := range e.t.NamedChildren(i) {
			if e.t.Lang.KindName(e.nodes[k].Kind) == "type_conversion" {
				if op = "str()"; e.t.String(k) != "!s" {
					op = "repr()"
				}
			}
		}
		e.add(facts.Expr{Op: facts.OpUnary, Name: e.b.InternString(op), X: x, Y: none}, i)
	}
}

// collection adds a list, set or tuple.
func (e *extractor) collection(i syntax.ID) facts.ExprID {
	kind := "tuple"
	switch e.class(i) {
	case classList, classListPattern:
		kind = "list"
	case classSet:
		kind = "set"
	}
	base := len(e.ids)
	for c := range e.t.NamedChildren(i) {
		x := e.expr(c)
		if x != none {
			e.ids = append(e.ids, int32(x))
		}
	}
	return e.list(facts.Expr{Op: facts.OpComposite, Name: e.b.InternString(kind), X: none, Y: none}, i, base)
}

func (e *extractor) pair(i syntax.ID) facts.ExprID {
	k := e.expr(e.child(i, fieldKey))
	v := e.expr(e.child(i, fieldValue))
	if k == none {
		k = e.nothing()
	}
	if v == none {
		v = e.nothing()
	}
	key, _ := e.constKey(e.child(i, fieldKey))
	return e.b.AddExpr(facts.Expr{Op: facts.OpKeyValue, Name: key, X: k, Y: v})
}

// comprehension adds a comprehension: its variables are known inside only.
func (e *extractor) comprehension(i syntax.ID, kind string) facts.ExprID {
	s := e.newScope(scopeComprehension, none)
	e.scopes = append(e.scopes, s)
	for c := range e.t.NamedChildren(i) {
		switch e.class(c) {
		case classForIn:
			var over facts.ExprID = none
			for r := range e.t.ChildrenByField(c, fieldRight) {
				if e.nodes[r].Named() {
					over = e.expr(r)
				}
			}
			v := e.looped(c, over)
			e.unpack(e.child(c, fieldLeft), v, func(n syntax.ID, v facts.ExprID) {
				if name := e.str(n); name != 0 {
					k := e.variable(s, name)
					e.version(s, k, facts.Local{Decl: none, Type: none, Value: v, Next: none})
				}
			})
		case classIfClause:
			cond := e.t.FirstNamed(c)
			e.expr(cond)
			e.narrow(cond, true)
		}
	}
	base := len(e.ids)
	if body := e.child(i, fieldBody); body != syntax.None {
		if x := e.expr(body); x != none {
			e.ids = append(e.ids, int32(x))
		}
	}
	e.scopes = e.scopes[:len(e.scopes)-1]
	e.freeScope(s)
	return e.list(facts.Expr{Op: facts.OpComposite, Name: e.b.InternString(kind), X: none, Y: none}, i, base)
}

// element adds what a loop over x gives.
func (e *extractor) element(x facts.ExprID, async bool) facts.ExprID {
	if x == none {
		return none
	}
	f := facts.ExprFlags(0)
	if async {
		f = facts.FlagLater
	}
	return e.b.AddExpr(facts.Expr{Op: facts.OpRangeVal, Flags: f, X: x, Y: none})
}

// looped adds what the loop i over x gives: the loop runs the methods for it.
func (e *extractor) looped(i syntax.ID, x facts.ExprID) facts.ExprID {
	v := e.element(x, e.hasToken(i, tokenAsync))
	if v != none {
		e.b.Exprs[v].Line, e.b.Exprs[v].Col = e.place(i)
	}
	return v
}

func (e *extractor) comparison(i syntax.ID) facts.ExprID {
	prev, x := facts.ExprID(none), facts.ExprID(none)
	op := syntax.ID(syntax.None)
	for c := range e.t.Children(i) {
		switch {
		case e.nodes[c].Flags&syntax.Extra != 0:
		case e.nodes[c].Field == fieldOperators:
			if op == syntax.None {
				op = c
			}
		default:
			y := e.expr(c)
			if prev != none && op != syntax.None && y != none {
				x = e.add(facts.Expr{Op: facts.OpBinary, Name: e.str(op), X: prev, Y: y}, op)
			}
			if y != none {
				prev = y
			}
			op = syntax.None
		}
	}
	if x == none {
		x = e.nothing()
	}
	return x
}

// boolean adds an and or an or, whose value is one of its operands.
func (e *extractor) boolean(i syntax.ID) facts.ExprID {
	// They nest to the left; the chain is walked without recursion.
	var chain []syntax.ID
	for e.class(i) == classBoolean && len(chain) < maxDepth {
		chain = append(chain, i)
		next := e.child(i, fieldLeft)
		if next == syntax.None {
			break
		}
		i = next
	}
	mark := e.fork()
	x := e.expr(e.child(chain[len(chain)-1], fieldLeft))
	for k := len(chain) - 1; k >= 0; k-- {
		b := chain[k]
		op := e.child(b, fieldOperator)
		and := op != syntax.None && e.nodes[op].Kind == tokenAnd
		e.narrow(e.child(b, fieldLeft), and)
		y := e.expr(e.child(b, fieldRight))
		base := len(e.ids)
		for _, v := range []facts.ExprID{x, y} {
			if v != none {
				e.ids = append(e.ids, int32(v))
			}
		}
		x = e.list(facts.Expr{Op: facts.OpConditional, X: none, Y: none}, i, base)
	}
	// What is assigned by := on the way may or may not be.
	b := e.rejoin(mark, false)
	e.keepAssigned(b)
	return x
}

// keepAssigned lets the versions of a branch be seen that bind values, which
// only := does inside of expressions.
func (e *extractor) keepAssigned(b branch) {
	s := e.inner()
	for k := len(b.ends) - 1; k >= 0; k-- {
		x := b.ends[k]
		if x.ver == none || s.kind != scopeFunction {
			continue
		}
		// A narrowed version is not among those of the variable.
		l := &e.b.Locals[x.ver]
		if v := l.Value; v != none && e.b.Exprs[v].Op == facts.OpAssert {
			continue
		}
		e.see(s, x.v, x.ver)
	}
}

func (e *extractor) conditional(i syntax.ID) facts.ExprID {
	var parts []syntax.ID
	for c := range e.t.NamedChildren(i) {
		parts = append(parts, c)
	}
	if len(parts) < 3 {
		for _, p := range parts {
			e.expr(p)
		}
		return e.nothing()
	}
	e.expr(parts[1])
	base := len(e.ids)
	mark := e.fork()
	e.narrow(parts[1], true)
	if x := e.expr(parts[0]); x != none {
		e.ids = append(e.ids, int32(x))
	}
	e.keepAssigned(e.rejoin(mark, false))
	mark = e.fork()
	e.narrow(parts[1], false)
	if x := e.expr(parts[2]); x != none {
		e.ids = append(e.ids, int32(x))
	}
	e.keepAssigned(e.rejoin(mark, false))
	return e.list(facts.Expr{Op: facts.OpConditional, X: none, Y: none}, i, base)
}

func (e *extractor) yield(i syntax.ID) facts.ExprID {
	c := e.t.FirstNamed(i)
	x := e.expr(c)
	if e.function == none {
		return e.nothing()
	}
	by := e.b.AddExpr(facts.Expr{Op: facts.OpFunc, X: facts.ExprID(e.function), Y: none})
	v := e.b.AddExpr(facts.Expr{Op: facts.OpAwait, Flags: facts.FlagLater, X: by, Y: none}) // what it is sent
	if e.hasToken(i, tokenFrom) && x != none {
		v = e.b.AddExpr(facts.Expr{Op: facts.OpAwait, X: x, Y: none})
		x = e.looped(i, x)
	}
	if x == none {
		x = e.literal("null", i)
	}
	e.b.Decls[e.function].Traits |= facts.TraitGenerator
	e.flow(facts.FlowYield, 0, int32(e.function), x)
	return v
}

// lambda adds a lambda, a function without a name.
func (e *extractor) lambda(i syntax.ID) facts.ExprID {
	d := e.b.AddDecl(graph.KindFunction, 0, e.owner)
	e.b.Decls[d].Traits |= facts.TraitLiteral | facts.TraitLocal | facts.TraitExpression
	e.b.Decls[d].Line, e.b.Decls[d].Col = e.place(i)
	owner, function, loops := e.owner, e.function, e.loops
	e.owner, e.function, e.loops = d, d, nil
	s := e.newScope(scopeFunction, d)
	e.scopes = append(e.scopes, s)
	e.parameters(d, s, e.child(i, fieldParameters), false)
	if x := e.expr(e.child(i, fieldBody)); x != none {
		e.flow(facts.FlowReturn, 0, int32(d), x)
	}
	e.scopes = e.scopes[:len(e.scopes)-1]
	e.freeScope(s)
	e.owner, e.function, e.loops = owner, function, loops
	e.b.EndDecl(d)
	return e.add(facts.Expr{Op: facts.OpFunc, X: facts.ExprID(d), Y: none}, i)
}
