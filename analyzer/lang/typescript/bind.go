package typescript

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// Variables and patterns. Names of a body are bound where it begins, since
// functions that stand before a declaration may use it.

// hoist binds the names that the statements of a block declare.
func (e *extractor) hoist(block syntax.ID) {
	for c := range e.t.NamedChildren(block) {
		e.hoistStmt(c)
	}
}

func (e *extractor) hoistStmt(c syntax.ID) {
	switch e.class(c) {
	case classExport, classAmbient:
		for s := range e.t.NamedChildren(c) {
			e.hoistStmt(s)
		}
	case classLexical, classVariable:
		for d := range e.t.NamedChildren(c) {
			if e.class(d) == classDeclarator {
				e.hoistPattern(e.child(d, e.f.name), 0)
			}
		}
	case classFunction, classGenerator, classClass, classAbstractClass, classEnum, classInternalModule:
		if n := e.child(c, e.f.name); n != syntax.None {
			e.reserve(n)
		}
	}
}

// hoistPattern binds the names in a pattern.
func (e *extractor) hoistPattern(i syntax.ID, depth int) {
	if i == syntax.None || depth > maxDepth {
		return
	}
	switch e.class(i) {
	case classIdentifier, classShorthandPattern:
		e.reserve(i)
	case classArrayPattern, classObjectPattern, classRestPattern:
		for c := range e.t.NamedChildren(i) {
			e.hoistPattern(c, depth+1)
		}
	case classPairPattern:
		e.hoistPattern(e.child(i, e.f.value), depth+1)
	case classAssignPattern, classObjectAssignPattern:
		e.hoistPattern(e.child(i, e.f.left), depth+1)
	}
}

// hoistVars binds the variables that var declares in the blocks of a function,
// which belong to the function.
func (e *extractor) hoistVars(body syntax.ID) {
	end := e.nodes[body].Next
	for c := body + 1; c < end; {
		switch e.class(c) {
		case classFunction, classGenerator, classFunctionExpr, classGeneratorExpr, classArrow, classMethod, classClass, classClassExpr,
			classAbstractClass, classInternalModule, classModule, classCall, classTypeAnnotation:
			c = e.nodes[c].Next
			continue
		case classVariable:
			for d := range e.t.NamedChildren(c) {
				if e.class(d) == classDeclarator {
					e.hoistPattern(e.child(d, e.f.name), 0)
				}
			}
		}
		c++
	}
}

// reserve binds a name that is declared further on in the innermost scope.
func (e *extractor) reserve(name syntax.ID) {
	s := e.str(name)
	if s == 0 || e.b.BoundHere(s) != none {
		return
	}
	e.b.Bind(e.b.AddLocal(facts.Local{Name: s, Decl: none, Type: none, Value: none, Next: none}))
}

// bind gives the variable with a name its type and value: the one that was
// reserved for it, or a new one.
func (e *extractor) bind(name syntax.ID, typ, value facts.ExprID) facts.LocalID {
	return e.bindName(e.str(name), typ, value)
}

func (e *extractor) bindName(s facts.Str, typ, value facts.ExprID) facts.LocalID {
	l := facts.LocalID(none)
	if s != 0 {
		l = e.b.BoundHere(s)
		if l == none { // var in a block
			if k := e.b.Lookup(s); k != none && e.fn != nil && int32(k) >= e.b.Decls[e.fn.decl].Locals.Lo && e.unset(k) {
				l = k
			}
		}
	}
	if l != none && e.unset(l) {
		e.b.Locals[l].Type, e.b.Locals[l].Value = typ, value
		return l
	}
	n := e.b.AddLocal(facts.Local{Name: s, Decl: none, Type: typ, Value: value, Next: none})
	if s != 0 {
		e.b.Bind(n)
	}
	return n
}

// unset reports whether a local was reserved and nothing more.
func (e *extractor) unset(l facts.LocalID) bool {
	p := &e.b.Locals[l]
	return p.Kind == facts.LocalVar && p.Type == none && p.Value == none && p.Next == none
}

// bindDecl makes a local stand for a declaration inside of a body.
func (e *extractor) bindDecl(s facts.Str, kind facts.LocalKind, d facts.DeclID) {
	if s == 0 {
		return
	}
	if l := e.b.BoundHere(s); l != none && e.unset(l) {
		e.b.Locals[l].Kind, e.b.Locals[l].Decl = kind, d
		return
	}
	e.b.Bind(e.b.AddLocal(facts.Local{Name: s, Kind: kind, Decl: d, Type: none, Value: none, Next: none}))
}

// binder is told what the names of a pattern stand for.
type binder func(name syntax.ID, s facts.Str, value facts.ExprID)

// pattern gives the names in a pattern parts of the value x.
func (e *extractor) pattern(i syntax.ID, x facts.ExprID, bind binder) {
	if i == syntax.None {
		return
	}
	if e.depth >= maxDepth {
		e.unparsed(i)
		return
	}
	e.depth++
	defer func() { e.depth-- }()
	switch e.class(i) {
	case classIdentifier, classShorthandPattern:
		bind(i, e.str(i), x)
	case classObjectPattern:
		for c := range e.t.NamedChildren(i) {
			e.property(c, x, bind)
		}
	case classArrayPattern:
		n := int16(0)
		for c := i + 1; c < e.nodes[i].Next; c = e.nodes[c].Next {
			if e.nodes[c].Flags&syntax.Extra != 0 {
				continue
			}
			if e.nodes[c].Flags&syntax.Named == 0 {
				if e.src[e.nodes[c].Start] == ',' && n < 1<<14 {
					n++
				}
				continue
			}
			if e.class(c) == classRestPattern {
				e.pattern(e.t.FirstNamed(c), x, bind)
				continue
			}
			v := facts.ExprID(none)
			if x != none {
				v = e.operation(facts.Expr{Op: facts.OpTuple, N: n, X: x, Y: none}, x)
				e.b.Exprs[v].Line, e.b.Exprs[v].Col = 0, 0
			}
			e.pattern(c, v, bind)
		}
	case classAssignPattern, classObjectAssignPattern:
		left := e.child(i, e.f.left)
		if e.is(left, classShorthandPattern) {
			e.property(i, x, bind)
			return
		}
		e.pattern(left, e.orDefault(x, e.child(i, e.f.right)), bind)
	case classRestPattern:
		e.pattern(e.t.FirstNamed(i), x, bind)
	case classNonNull, classParen:
		e.pattern(e.t.FirstNamed(i), x, bind)
	default: // of an assignment: a.b, a[b]
		bind(i, 0, x)
	}
}

// orDefault adds what a name with a default stands for.
func (e *extractor) orDefault(x facts.ExprID, value syntax.ID) facts.ExprID {
	v := e.expr(value)
	if x == none {
		return v
	}
	base := len(e.ids)
	e.ids = append(e.ids, int32(x), int32(v))
	return e.list(facts.Expr{Op: facts.OpConditional, X: none, Y: none}, x, base)
}

// property gives the names in one element of an object pattern their values.
func (e *extractor) property(c syntax.ID, x facts.ExprID, bind binder) {
	sel := func(name syntax.ID, s facts.Str) facts.ExprID {
		if x == none || s == 0 {
			return none
		}
		return e.add(facts.Expr{Op: facts.OpSelect, Name: s, X: x, Y: none}, name)
	}
	switch e.class(c) {
	case classShorthandPattern:
		bind(c, e.str(c), sel(c, e.str(c)))
	case classObjectAssignPattern:
		left := e.child(c, e.f.left)
		if e.is(left, classShorthandPattern) {
			bind(left, e.str(left), e.orDefault(sel(left, e.str(left)), e.child(c, e.f.right)))
			return
		}
		e.pattern(left, e.orDefault(none, e.child(c, e.f.right)), bind)
	case classPairPattern:
		key := e.child(c, e.f.key)
		if e.is(key, classComputed) {
			e.expr(e.t.FirstNamed(key))
		}
		e.pattern(e.child(c, e.f.value), sel(key, e.propertyName(key)), bind)
	case classRestPattern:
		e.pattern(e.t.FirstNamed(c), x, bind)
	}
}

// variables adds the variables of one declaration.
func (e *extractor) variables(i, def syntax.ID) {
	ambient := e.word(def, "declare")
	for c := range e.t.NamedChildren(i) {
		if e.class(c) != classDeclarator {
			if e.class(c) == classError {
				e.stmt(c)
			}
			continue
		}
		name, typ, value := e.child(c, e.f.name), e.child(c, e.f.typ), e.child(c, e.f.value)
		if name == syntax.None {
			continue
		}
		e.noteRouter(name, value)
		switch {
		case e.bodies > 0:
			e.localVariable(name, typ, value)
		case e.class(name) == classIdentifier:
			if !ambient && e.requires(e.str(name), value) {
				continue
			}
			d := e.variable(e.str(name), name, def, typ, value)
			e.b.Decls[d].EndLine = int32(e.t.EndLine(c))
			if e.owner == none && e.exportsWhole(value) {
				e.common = true
				e.addImport(facts.Import{Name: e.str(name), Alias: e.names.whole, Flags: facts.ImportReExport}, name)
			}
			if e.word(i, "const") && e.literalValue(value) {
				e.b.Decls[d].Kind = graph.KindConstant
				e.b.Decls[d].Value = e.texted(value, e.b.Decls[d].Value)
			}
		default:
			e.topPattern(name, typ, value, def)
		}
	}
}

func (e *extractor) literalValue(v syntax.ID) bool {
	if v == syntax.None {
		return false
	}
	switch e.class(v) {
	case classString, classNumber, classBool:
		return true
	case classTemplate:
		return e.childOf(v, classSubstitution) == syntax.None
	}
	return false
}

// localVariable adds a variable of a body.
func (e *extractor) localVariable(name, typ, value syntax.ID) {
	t := facts.ExprID(none)
	if typ != syntax.None {
		t = e.annotation(typ)
	} else if doc, ok := e.docFor(e.t.Parent(name)); ok {
		t = e.docType(doc.itself)
	}
	if e.class(name) == classIdentifier {
		if t != none {
			l := e.bind(name, t, none)
			if value != syntax.None {
				x := e.expr(value)
				e.context(x, t)
				e.flow(facts.FlowBind, int32(l), 0, x)
			}
			return
		}
		v := facts.ExprID(none)
		if value != syntax.None {
			v = e.expr(value)
		}
		e.bind(name, none, v)
		return
	}
	x := facts.ExprID(none)
	if value != syntax.None {
		x = e.expr(value)
		e.context(x, t)
	}
	if t != none { // what is declared counts
		l := e.b.AddLocal(facts.Local{Decl: none, Type: t, Value: none, Next: none})
		x = e.b.AddExpr(facts.Expr{Op: facts.OpName, Flags: facts.FlagLocal, X: facts.ExprID(l), Y: none})
	}
	e.pattern(name, x, func(n syntax.ID, s facts.Str, v facts.ExprID) {
		if s != 0 {
			e.bindName(s, none, v)
		}
	})
}

// variable adds a variable of the file or of a namespace, or a function where
// its value is one.
func (e *extractor) variable(s facts.Str, name, def, typ, value syntax.ID) facts.DeclID {
	f := e.functionOf(value)
	kind := graph.KindVariable
	if f != syntax.None {
		kind = graph.KindFunction
	}
	d := e.declare(kind, s, name, def)
	if e.owner == none {
		e.top(s, d)
	}
	e.valueOf(d, typ, value, f)
	e.b.EndDecl(d)
	e.document(d, def)
	e.hashValue(d, value)
	e.signVariable(d, name, typ, f)
	return d
}

// functionOf returns the function literal that a value is, through parentheses
// and assertions.
func (e *extractor) functionOf(v syntax.ID) syntax.ID {
	for v != syntax.None {
		switch e.class(v) {
		case classArrow, classFunctionExpr, classGeneratorExpr:
			return v
		case classParen, classAs, classSatisfies, classNonNull:
			v = e.t.FirstNamed(v)
		case classAssign:
			v = e.child(v, e.f.right)
		default:
			return syntax.None
		}
	}
	return syntax.None
}

// valueOf adds the type and value of a variable or property d; f is the
// function literal that the value is, if it is one.
func (e *extractor) valueOf(d facts.DeclID, typ, value, f syntax.ID) facts.ExprID {
	owner := e.owner
	e.owner = d
	t := facts.ExprID(none)
	if typ != syntax.None {
		t = e.annotation(typ)
	}
	x := facts.ExprID(none)
	switch {
	case f != syntax.None:
		if p := &e.b.Decls[d]; t != none {
			p.Type = t
		}
		for v := value; v != f; { // assertions and chained assignments around it
			switch e.class(v) {
			case classAs, classSatisfies:
				for c := range e.t.NamedChildren(v) {
					if c != e.t.FirstNamed(v) && e.class(c) != classComment {
						if k := e.typeExpr(c); t == none {
							t = k
						}
					}
				}
				v = e.t.FirstNamed(v)
			case classAssign:
				e.target(e.child(v, e.f.left), facts.FlagWrite)
				v = e.child(v, e.f.right)
			default:
				v = e.t.FirstNamed(v)
			}
		}
		e.owner = owner
		x = e.literalAs(d, f)
		e.context(x, t)
	case value != syntax.None:
		open := 1
		if e.membersShown(value) {
			open = 0
		}
		e.bodies += open
		x = e.expr(value)
		e.bodies -= open
		e.context(x, t)
		e.b.Decls[d].Value = x
		e.flow(facts.FlowDefine, int32(d), 0, x)
		e.b.Decls[d].Type = t
	default:
		e.b.Decls[d].Type = t
	}
	e.owner = owner
	return x
}

// top remembers the first declaration of the file that has a name.
func (e *extractor) top(s facts.Str, d facts.DeclID) {
	if _, ok := e.tops[s]; !ok && s != 0 {
		e.tops[s] = d
	}
}

// topPattern adds the variables of the file that a pattern declares.
func (e *extractor) topPattern(name, typ, value, def syntax.ID) {
	if e.requiredNames(name, value) {
		return
	}
	e.bodies++
	x := facts.ExprID(none)
	if value != syntax.None {
		x = e.expr(value)
	}
	e.bodies--
	if typ != syntax.None {
		l := e.b.AddLocal(facts.Local{Decl: none, Type: e.annotation(typ), Value: none, Next: none})
		x = e.b.AddExpr(facts.Expr{Op: facts.OpName, Flags: facts.FlagLocal, X: facts.ExprID(l), Y: none})
	}
	e.pattern(name, x, func(n syntax.ID, s facts.Str, v facts.ExprID) {
		if s == 0 {
			return
		}
		d := e.declare(graph.KindVariable, s, n, def)
		p := &e.b.Decls[d]
		p.Value = v
		p.Exprs.Lo = p.Exprs.Hi
		if e.owner == none {
			e.top(s, d)
		}
		e.b.EndDecl(d)
		e.hashValue(d, value)
		e.signVariable(d, n, syntax.None, syntax.None)
	})
}

// membersShown reports whether a value is an object or a class whose members
// are declarations like others.
func (e *extractor) membersShown(v syntax.ID) bool {
	for v != syntax.None {
		switch e.class(v) {
		case classObject, classClassExpr:
			return true
		case classParen, classAs, classSatisfies, classNonNull:
			v = e.t.FirstNamed(v)
		case classAssign:
			v = e.child(v, e.f.right)
		case classCall: // Object.freeze({…})
			fn, args := e.child(v, e.f.function), e.child(v, e.f.arguments)
			if !e.is(fn, classMember) || e.str(e.child(fn, e.f.object)) != e.names.object || !e.is(args, classArguments) {
				return false
			}
			v = e.t.FirstNamed(args)
		default:
			return false
		}
	}
	return false
}
