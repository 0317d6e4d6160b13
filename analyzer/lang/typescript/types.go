package typescript

import (
	"bytes"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// Types. Those that only the checker can work out (conditional types, mapped
// types) become what is needed to look up members: the alternatives of a
// conditional, the type over whose keys a mapped type goes where it keeps them.

// unboundIndex is the index of type variables that stand for nothing known:
// those of infer and of mapped types.
const unboundIndex = 1<<16 - 1

// typeExpr adds the type at node i.
func (e *extractor) typeExpr(i syntax.ID) facts.ExprID {
	if i == syntax.None {
		return e.b.AddExpr(facts.Expr{Op: facts.OpNone, Flags: facts.FlagTyped, X: none, Y: none})
	}
	if e.depth >= maxDepth {
		e.unparsed(i)
		return e.anyType(i)
	}
	e.depth++
	x := e.typeAt(i)
	e.depth--
	return x
}

// memberType adds the type of a member. Where it is a type literal, its members
// are declarations as those around it are.
func (e *extractor) memberType(i syntax.ID) facts.ExprID {
	if t := e.t.FirstNamed(i); t != syntax.None {
		e.shown = t
	}
	return e.annotation(i)
}

// annotation adds the type of a type annotation.
func (e *extractor) annotation(i syntax.ID) facts.ExprID {
	if e.is(i, classTypeAnnotation) || e.t.Lang.KindName(e.nodes[i].Kind) == "adding_type_annotation" ||
		e.t.Lang.KindName(e.nodes[i].Kind) == "opting_type_annotation" || e.t.Lang.KindName(e.nodes[i].Kind) == "omitting_type_annotation" {
		return e.typeExpr(e.t.FirstNamed(i))
	}
	return e.typeExpr(i)
}

// resultType adds the type of a function's result, which may tell something
// about a parameter.
func (e *extractor) resultType(i syntax.ID) facts.ExprID {
	switch e.class(i) {
	case classPredicate, classAsserts:
		return e.guard(i, 0)
	}
	return e.annotation(i)
}

func (e *extractor) guard(i syntax.ID, flags facts.ExprFlags) facts.ExprID {
	for c := range e.t.NamedChildren(i) {
		switch e.class(c) {
		case classPredicate:
			if e.child(c, e.f.name) != syntax.None {
				return e.guard(c, flags|assertsFlag(e.class(i)))
			}
			return e.guard(c, flags)
		case classAsserts:
			return e.guard(c, facts.FlagRead)
		}
	}
	name, typ := e.child(i, e.f.name), e.child(i, e.f.typ)
	if name == syntax.None || typ == syntax.None {
		return e.literalType("bool", i)
	}
	x := e.typeExpr(typ)
	n := int16(-1)
	if e.class(name) != classThis {
		n = -2
		s := e.str(name)
		p := &e.b.Decls[e.owner]
		for k := p.Params.Lo; k < p.Params.Hi; k++ {
			if e.b.Params[k].Name == s {
				n = int16(min(k-p.Params.Lo, 1<<14))
			}
		}
		if n == -2 {
			return e.literalType("bool", i)
		}
	}
	return e.add(facts.Expr{Op: facts.OpGuard, Flags: flags | facts.FlagTyped, N: n, X: x, Y: none}, i)
}

func assertsFlag(k class) facts.ExprFlags {
	if k == classAsserts {
		return facts.FlagRead
	}
	return 0
}

// anyType adds a type of which nothing is known.
func (e *extractor) anyType(i syntax.ID) facts.ExprID {
	return e.add(facts.Expr{Op: facts.OpNone, Flags: facts.FlagTyped, X: none, Y: none}, i)
}

// literalType adds the type that literals of a kind have.
func (e *extractor) literalType(kind string, i syntax.ID) facts.ExprID {
	return e.add(facts.Expr{Op: facts.OpLiteral, Flags: facts.FlagTyped, Name: e.b.InternString(kind), X: none, Y: none}, i)
}

func (e *extractor) typeAt(i syntax.ID) facts.ExprID {
	switch e.class(i) {
	case classTypeAnnotation, classParenType, classReadonlyType, classConstraint, classOptionalType, classFlowMaybe:
		return e.typeExpr(e.t.FirstNamed(i))
	case classTypeName, classIdentifier:
		if text := e.t.Text(i); bytes.HasPrefix(text, []byte("typeof import(")) { // see readable
			return e.shownModule(i, text)
		}
		return e.typeName(i)
	case classPredefined:
		switch string(e.t.Text(i)) {
		case "any", "unknown", "object":
			return e.anyType(i)
		case "unique symbol":
			return e.name(i, e.b.InternString("symbol"), facts.FlagTyped)
		}
		return e.name(i, e.str(i), facts.FlagTyped)
	case classNestedType, classNestedName, classMember:
		return e.nestedType(i)
	case classGeneric:
		x := e.typeExpr(e.child(i, e.f.name))
		return e.instantiation(x, e.child(i, e.f.typeArgs))
	case classArrayType:
		x := e.typeExpr(e.t.FirstNamed(i))
		return e.operation(facts.Expr{Op: facts.OpSliceType, Flags: facts.FlagTyped, X: x, Y: none}, x)
	case classTupleType:
		return e.tuple(i)
	case classUnionType:
		return e.union(i, classUnionType, facts.OpUnionType)
	case classIntersection:
		return e.union(i, classIntersection, facts.OpBothType)
	case classObjectType, classInterfaceBody:
		return e.objectType(i)
	case classFunctionType, classConstructorType:
		return e.functionType(i)
	case classLiteralType:
		return e.literalTypeAt(i)
	case classTypeQuery:
		return e.typeQuery(i)
	case classKeyof:
		e.typeExpr(e.t.FirstNamed(i))
		return e.name(i, e.b.InternString("string"), facts.FlagTyped)
	case classLookup:
		return e.lookup(i)
	case classConditional:
		return e.conditionalType(i)
	case classInfer:
		if n := e.childOf(i, classTypeName); n != syntax.None {
			if l := e.b.Lookup(e.str(n)); l != none {
				return e.name(n, e.str(n), facts.FlagTyped)
			}
		}
		return e.anyType(i)
	case classThisType, classThis:
		return e.thisType(i)
	case classTemplateType:
		for c := i + 1; c < e.nodes[i].Next; {
			if e.t.Lang.KindName(e.nodes[c].Kind) == "template_type" {
				e.typeExpr(e.t.FirstNamed(c))
				c = e.nodes[c].Next
				continue
			}
			c++
		}
		return e.name(i, e.b.InternString("string"), facts.FlagTyped)
	case classPredicate, classAsserts:
		return e.guard(i, 0)
	case classRestType:
		x := e.typeExpr(e.t.FirstNamed(i))
		return e.operation(facts.Expr{Op: facts.OpVariadic, Flags: facts.FlagTyped, X: x, Y: none}, x)
	case classCall: // import("x")
		if m := e.moduleOf(i); m != none {
			e.b.Exprs[m].Flags |= facts.FlagTyped
			return m
		}
	case classInstantiation:
		x := e.typeExpr(e.child(i, e.f.function))
		return e.instantiation(x, e.child(i, e.f.typeArgs))
	case classMapped:
		return e.mapped(i)
	case classError:
		for c := range e.t.NamedChildren(i) {
			e.typeExpr(c)
		}
	case classComment:
	}
	return e.anyType(i)
}

// typeName adds the name of a type.
func (e *extractor) typeName(i syntax.ID) facts.ExprID { return e.name(i, e.str(i), facts.FlagTyped) }

// nestedType adds a name inside of a namespace or module.
func (e *extractor) nestedType(i syntax.ID) facts.ExprID {
	object, name := syntax.ID(syntax.None), syntax.ID(syntax.None)
	for c := range e.t.NamedChildren(i) {
		if object == syntax.None {
			object = c
		} else {
			name = c
		}
	}
	if name == syntax.None {
		return e.anyType(i)
	}
	x := facts.ExprID(none)
	switch e.class(object) {
	case classNestedName, classNestedType, classMember:
		x = e.deeper(object, e.nestedType)
	case classCall:
		x = e.typeExpr(object)
	default:
		x = e.name(object, e.str(object), facts.FlagKey|facts.FlagTyped)
	}
	return e.add(facts.Expr{Op: facts.OpSelect, Flags: facts.FlagTyped, Name: e.str(name), X: x, Y: none}, name)
}

// instantiation adds x with type arguments.
func (e *extractor) instantiation(x facts.ExprID, args syntax.ID) facts.ExprID {
	if args == syntax.None {
		return x
	}
	base := len(e.ids)
	for c := range e.t.NamedChildren(args) {
		t := e.typeExpr(c)
		e.ids = append(e.ids, int32(t))
	}
	out := facts.Expr{Op: facts.OpIndex, Flags: facts.FlagTyped | e.b.Exprs[x].Flags&facts.FlagCallee, X: x, Y: none, Args: e.b.AddList(e.ids[base:])}
	e.ids = e.ids[:base]
	return e.operation(out, x)
}

func (e *extractor) tuple(i syntax.ID) facts.ExprID {
	base := len(e.ids)
	for c := range e.t.NamedChildren(i) {
		var t facts.ExprID
		switch e.class(c) {
		case classParam, classOptionalParam: // with names
			t = e.anyType(c)
			if a := e.child(c, e.f.typ); a != syntax.None {
				t = e.annotation(a)
				if p := e.child(c, e.f.name); e.is(p, classRestPattern) || e.is(e.child(c, e.f.pattern), classRestPattern) {
					t = e.operation(facts.Expr{Op: facts.OpVariadic, Flags: facts.FlagTyped, X: t, Y: none}, t)
				}
			}
		default:
			t = e.typeExpr(c)
		}
		e.ids = append(e.ids, int32(t))
	}
	out := facts.Expr{Op: facts.OpTupleType, Flags: facts.FlagTyped, X: none, Y: none, Args: e.b.AddList(e.ids[base:])}
	e.ids = e.ids[:base]
	return e.add(out, i)
}

// union adds a union or intersection, whose grammar nests to the left.
func (e *extractor) union(i syntax.ID, k class, op facts.Op) facts.ExprID {
	var parts []syntax.ID
	stack := []syntax.ID{i}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if e.class(n) != k {
			parts = append(parts, n)
			continue
		}
		at := len(stack)
		for c := range e.t.NamedChildren(n) {
			stack = append(stack, c)
		}
		for a, b := at, len(stack)-1; a < b; a, b = a+1, b-1 {
			stack[a], stack[b] = stack[b], stack[a]
		}
	}
	base := len(e.ids)
	for _, p := range parts {
		t := e.typeExpr(p)
		e.ids = append(e.ids, int32(t))
	}
	if len(e.ids) == base {
		return e.anyType(i)
	}
	if len(e.ids) == base+1 {
		x := facts.ExprID(e.ids[base])
		e.ids = e.ids[:base]
		return x
	}
	out := facts.Expr{Op: op, Flags: facts.FlagTyped, X: none, Y: none, Args: e.b.AddList(e.ids[base:])}
	e.ids = e.ids[:base]
	return e.add(out, i)
}

// objectType adds a type literal, or a mapped type.
func (e *extractor) objectType(i syntax.ID) facts.ExprID {
	if s := e.childOf(i, classIndexSignature); s != syntax.None {
		if m := e.childOf(s, classMapped); m != syntax.None {
			return e.mappedType(s, m)
		}
		if typ := e.child(s, e.f.typ); i != e.shown && typ != syntax.None && e.only(i, s) { // {[key: string]: T}
			k := e.typeExpr(e.child(s, e.f.index))
			v := e.annotation(typ)
			return e.operation(facts.Expr{Op: facts.OpMapType, Flags: facts.FlagTyped, X: k, Y: v}, v)
		}
	}
	d := e.declare(graph.KindInterface, 0, syntax.None, i)
	p := &e.b.Decls[d]
	p.Traits |= facts.TraitAnonymous
	p.Flags |= graph.FlagAnonymous
	owner, was, bodies := e.owner, e.self, e.bodies
	e.owner = d
	e.self = self{decl: d, class: none}
	if i != e.shown { // of a union, a parameter, an argument: there may be many
		e.bodies++
	}
	e.b.Push()
	e.typeMembers(i)
	e.b.Pop()
	e.owner, e.self, e.bodies = owner, was, bodies
	e.b.EndDecl(d)
	return e.add(facts.Expr{Op: facts.OpType, Flags: facts.FlagTyped, X: facts.ExprID(d), Y: none}, i)
}

// only reports whether the type literal i has no member but s.
func (e *extractor) only(i, s syntax.ID) bool {
	for c := range e.t.NamedChildren(i) {
		if c != s && e.class(c) != classComment {
			return false
		}
	}
	return true
}

// bindType makes a name stand for a type of which nothing is known.
func (e *extractor) bindType(name syntax.ID) {
	s := e.str(name)
	if s == 0 || e.owner == none {
		return
	}
	e.b.Bind(e.b.AddLocal(facts.Local{Name: s, Kind: facts.LocalTypeParam, Index: unboundIndex, Decl: e.owner, Type: none, Value: none, Next: none}))
}

func (e *extractor) mapped(i syntax.ID) facts.ExprID { return e.anyType(i) }

// mappedType adds {[P in K]: V}: the type T itself where K is keyof T and V is
// T[P], and otherwise a type that holds V under all keys.
func (e *extractor) mappedType(s, m syntax.ID) facts.ExprID {
	name, keys := e.child(m, e.f.name), e.child(m, e.f.typ)
	value := e.child(s, e.f.typ)
	if value != syntax.None && e.t.Lang.KindName(e.nodes[value].Kind) != "parenthesized_type" && e.nodes[value].Flags&syntax.Named != 0 {
		if k := e.t.Lang.KindName(e.nodes[value].Kind); k == "type_annotation" || k == "adding_type_annotation" || k == "opting_type_annotation" || k == "omitting_type_annotation" {
			value = e.t.FirstNamed(value)
		}
	}
	if e.is(keys, classKeyof) && e.is(value, classLookup) {
		over := e.t.FirstNamed(keys)
		object, index := e.t.FirstNamed(value), syntax.ID(syntax.None)
		if object != syntax.None {
			index = e.t.NextSibling(object)
			for index != syntax.None && e.nodes[index].Flags&syntax.Named == 0 {
				index = e.t.NextSibling(index)
			}
		}
		if over != syntax.None && index != syntax.None && string(e.t.Text(over)) == string(e.t.Text(object)) && string(e.t.Text(index)) == string(e.t.Text(name)) {
			return e.typeExpr(over)
		}
	}
	e.b.Push()
	k := e.typeExpr(keys)
	e.bindType(name)
	v := e.typeExpr(value)
	e.b.Pop()
	return e.operation(facts.Expr{Op: facts.OpMapType, Flags: facts.FlagTyped, X: k, Y: v}, v)
}

// functionType adds the type of functions, or of what makes objects.
func (e *extractor) functionType(i syntax.ID) facts.ExprID {
	d := e.declare(graph.KindFunction, 0, syntax.None, i)
	p := &e.b.Decls[d]
	p.Traits |= facts.TraitLiteral
	if e.class(i) == classConstructorType {
		p.Kind = graph.KindConstructor
	}
	owner := e.owner
	e.owner = d
	e.b.Push()
	e.typeParams(d, e.child(i, e.f.typeParams))
	fn := e.fn
	e.fn = &function{decl: d, result: none, around: fn}
	e.parameters(d, i)
	e.fn = fn
	r := e.child(i, e.f.result)
	if r == syntax.None {
		r = e.child(i, e.f.typ)
	}
	t := e.resultType2(r, i)
	base := len(e.params)
	e.params = append(e.params, facts.Param{Type: t, Local: none})
	e.b.Decls[d].Results = e.endParams(base)
	e.b.Pop()
	e.owner = owner
	e.b.EndDecl(d)
	return e.add(facts.Expr{Op: facts.OpFunc, Flags: facts.FlagTyped, X: facts.ExprID(d), Y: none}, i)
}

func (e *extractor) resultType2(r, i syntax.ID) facts.ExprID {
	if r == syntax.None {
		return e.anyType(i)
	}
	return e.resultType(r)
}

func (e *extractor) literalTypeAt(i syntax.ID) facts.ExprID {
	c := e.t.FirstNamed(i)
	if c == syntax.None {
		return e.anyType(i)
	}
	return e.constant(c)
}

// constant adds the type that has the literal at node c as its only value.
func (e *extractor) constant(c syntax.ID) facts.ExprID {
	kind, n := "", int16(0)
	switch e.class(c) {
	case classString:
		kind, n = string(e.unquoted(c)), 1
	case classNumber, classUnary:
		kind, n = e.t.String(c), 2
	case classBool:
		kind, n = e.t.String(c), 3
	case classNull:
		return e.literalType("null", c)
	case classUndefined:
		return e.literalType("undefined", c)
	case classTemplate:
		return e.literalType("string", c)
	default:
		return e.anyType(c)
	}
	if len(kind) > 200 {
		kind = kind[:200]
	}
	return e.add(facts.Expr{Op: facts.OpLiteral, Flags: facts.FlagTyped, N: n, Name: e.b.InternString(kind), X: none, Y: none}, c)
}

// typeQuery adds typeof x.
func (e *extractor) typeQuery(i syntax.ID) facts.ExprID {
	c := e.t.FirstNamed(i)
	if c == syntax.None {
		return e.anyType(i)
	}
	if e.class(c) == classCall {
		if m := e.moduleOf(c); m != none {
			return e.operation(facts.Expr{Op: facts.OpTypeOf, Flags: facts.FlagTyped, X: m, Y: none}, m)
		}
		return e.anyType(i)
	}
	x := facts.ExprID(none)
	if e.class(c) == classInstantiation {
		x = e.expr(e.child(c, e.f.function))
		if a := e.child(c, e.f.typeArgs); a != syntax.None {
			x = e.instantiation(x, a)
		}
	} else {
		x = e.expr(c)
	}
	return e.operation(facts.Expr{Op: facts.OpTypeOf, Flags: facts.FlagTyped, X: x, Y: none}, x)
}

// shownModule adds typeof import('m') where the grammar was shown a name.
func (e *extractor) shownModule(i syntax.ID, text []byte) facts.ExprID {
	path := e.b.Intern(bytes.Trim(text[bytes.IndexByte(text, '(')+1:len(text)-1], "'\""))
	if path == 0 {
		return e.anyType(i)
	}
	e.addImport(facts.Import{Path: path, Name: e.names.all, Flags: facts.ImportLater}, i)
	m := e.add(facts.Expr{Op: facts.OpModule, Name: path, N: 1, X: none, Y: none}, i)
	return e.operation(facts.Expr{Op: facts.OpTypeOf, Flags: facts.FlagTyped, X: m, Y: none}, m)
}

// lookup adds T["name"], T[number] or T[K].
func (e *extractor) lookup(i syntax.ID) facts.ExprID {
	object, index := e.t.FirstNamed(i), syntax.ID(syntax.None)
	for c := range e.t.NamedChildren(i) {
		if c != object {
			index = c
		}
	}
	x := e.typeExpr(object)
	if index == syntax.None {
		return x
	}
	out := facts.Expr{Op: facts.OpMember, Flags: facts.FlagTyped, X: x, Y: none}
	if e.class(index) == classLiteralType {
		if s := e.t.FirstNamed(index); e.is(s, classString) {
			out.Name = e.b.Intern(e.unquoted(s))
			return e.add(out, index)
		} else if e.is(s, classNumber) {
			out.N = 1
			return e.add(out, index)
		}
	}
	if e.reads(index, "number") {
		return e.add(out, index)
	}
	e.typeExpr(index)
	return e.anyType(i)
}

// conditionalType adds both alternatives of a conditional type.
func (e *extractor) conditionalType(i syntax.ID) facts.ExprID {
	e.b.Push()
	left, right := e.child(i, e.f.left), e.child(i, e.f.right)
	e.typeExpr(left)
	if right != syntax.None && e.owner != none {
		for c, end := right, e.nodes[right].Next; c < end; c++ {
			if e.class(c) == classInfer {
				if n := e.childOf(c, classTypeName); n != syntax.None {
					e.bindType(n)
				}
			}
		}
	}
	e.typeExpr(right)
	base := len(e.ids)
	for _, f := range [...]syntax.Field{e.f.consequence, e.f.alternative} {
		t := e.typeExpr(e.child(i, f))
		e.ids = append(e.ids, int32(t))
	}
	out := facts.Expr{Op: facts.OpConditional, Flags: facts.FlagTyped, X: none, Y: none, Args: e.b.AddList(e.ids[base:])}
	e.ids = e.ids[:base]
	e.b.Pop()
	return e.add(out, i)
}

// thisType adds the type of this.
func (e *extractor) thisType(i syntax.ID) facts.ExprID {
	if e.self.decl == none {
		return e.anyType(i)
	}
	t := e.b.AddExpr(facts.Expr{Op: facts.OpType, X: facts.ExprID(e.self.decl), Y: none})
	return e.add(facts.Expr{Op: facts.OpSelf, Flags: facts.FlagTyped, N: e.selfKind(), X: t, Y: none}, i)
}

// selfKind says whether this is the type itself (1), not one of its values.
func (e *extractor) selfKind() int16 {
	if e.self.static {
		return 1
	}
	return 0
}
