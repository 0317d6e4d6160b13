package python

import (
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// classInfo is what the extractor keeps of a class that is open.
type classInfo struct {
	decl  facts.DeclID
	name  string
	names map[facts.Str]facts.DeclID
	bases []string
	defs  map[facts.Str]bool // what functions of its body are called, also those to come
}

// mark is a decorator.
type mark struct {
	name string // with what is before the last dot
	last string
	node syntax.ID // the expression
}

// decorators reads the names of decorators.
func (e *extractor) decorators(nodes []syntax.ID) []mark {
	var marks []mark
	for _, n := range nodes {
		x := e.t.FirstNamed(n)
		if x == syntax.None {
			continue
		}
		f := x
		if e.class(f) == classCall {
			if f = e.child(x, fieldFunction); f == syntax.None {
				continue
			}
		}
		name := ""
		if k := e.class(f); k == classIdentifier || k == classAttribute {
			name = e.plainName(f)
		}
		marks = append(marks, mark{name: name, last: name[strings.LastIndexByte(name, '.')+1:], node: x})
	}
	return marks
}

// addMarks adds the decorators to d, in their order.
func (e *extractor) addMarks(d facts.DeclID, marks []mark) {
	base := len(e.ids)
	for _, m := range marks {
		x := e.expr(m.node)
		if x == none {
			continue
		}
		y := e.add(facts.Expr{Op: facts.OpMark, X: x, Y: none}, e.lastName(m.node))
		e.ids = append(e.ids, int32(y))
	}
	e.b.Decls[d].Marks = e.endList(base)
}

func has(marks []mark, names ...string) bool {
	for _, m := range marks {
		for _, n := range names {
			if m.last == n {
				return true
			}
		}
	}
	return false
}

// bindDecl makes d known under its name in the scope around it.
func (e *extractor) bindDecl(d facts.DeclID, name facts.Str, kind facts.LocalKind) {
	s := e.inner()
	p := &e.b.Decls[d]
	if s.kind == scopeFunction {
		if !s.free[name] {
			p.Vis = graph.Private
			e.version(s, e.variable(s, name), facts.Local{Kind: kind, Decl: d, Type: none, Value: none, Next: none})
			p = &e.b.Decls[d]
			p.Locals = facts.Span{Lo: int32(len(e.b.Locals)), Hi: int32(len(e.b.Locals))}
			return
		}
		s = e.scopes[0]
	}
	if _, ok := s.names[name]; ok && e.alt {
		p.Traits |= facts.TraitAlternative
	}
	if _, ok := s.imported[name]; ok && e.alt {
		p.Traits |= facts.TraitAlternative
	}
	s.names[name] = d
}

// functionDecl adds a function or method. whole is its node with decorators.
func (e *extractor) functionDecl(i, whole syntax.ID, nodes []syntax.ID) {
	nameNode := e.child(i, fieldName)
	name := e.str(nameNode)
	if name == 0 {
		return
	}
	text := e.b.Strings[name]
	s := e.inner()
	kind := graph.KindFunction
	var cls *classInfo
	if s.kind == scopeClass {
		kind, cls = graph.KindMethod, e.classes[s.decl]
		if text == "__init__" || text == "__new__" {
			kind = graph.KindConstructor
		}
	}
	d := e.declare(kind, nameNode, whole)
	marks := e.decorators(nodes)
	p := &e.b.Decls[d]
	p.Vis = visibility(text, cls != nil)
	if e.hasToken(i, tokenAsync) {
		p.Flags |= graph.FlagAsync
	}
	static, meta := e.traits(d, marks, text, cls)
	owner := e.owner
	e.owner = d
	e.addMarks(d, marks)
	e.owner = owner
	setter := has(marks, "setter", "deleter")
	switch {
	case setter:
		e.b.Decls[d].Shape = e.b.InternString("@" + marks[len(marks)-1].last)
		if has(marks, "setter") {
			e.b.Decls[d].Shape = e.b.InternString("@setter")
		}
		e.b.Decls[d].Traits |= facts.TraitOverload
	case cls != nil: // once its annotations are read, which do not know it yet
	default:
		e.bindDecl(d, name, facts.LocalFunc)
	}
	e.tellApart(d)
	e.owner = d
	scopes := len(e.scopes)
	outer := e.typeParamScope(d, e.child(i, fieldTypeParams))
	f := e.newScope(scopeFunction, d)
	if cls != nil {
		f.class, f.meta = cls.decl, meta
		if static {
			f.class = none
		}
	}
	e.prescan(f, i)
	function, loops, alt, typing, optional := e.function, e.loops, e.alt, e.typing, e.optional
	// Defaults and annotations are read outside of the function.
	e.scopes = append(e.scopes, f)
	e.parameters(d, f, e.child(i, fieldParameters), true)
	if r := e.child(i, fieldReturn); r != syntax.None {
		e.scopes = e.scopes[:len(e.scopes)-1]
		x := e.typeExpr(r)
		e.scopes = append(e.scopes, f)
		base := len(e.params)
		e.params = append(e.params, facts.Param{Type: x, Local: none})
		e.b.Decls[d].Results = e.endParams(base)
	}
	if cls != nil && !setter {
		around := e.scopes
		e.scopes = e.scopes[:scopes]
		e.bindDecl(d, name, facts.LocalFunc)
		e.scopes = around
	}
	e.function, e.loops, e.alt, e.typing, e.optional = d, nil, false, false, 0
	skips := len(e.skips)
	body := e.child(i, fieldBody)
	e.stmts(body)
	inside := e.skips[skips:]
	e.function, e.loops, e.alt, e.typing, e.optional = function, loops, alt, typing, optional
	e.scopes = e.scopes[:len(e.scopes)-1]
	e.freeScope(f)
	if outer {
		e.scopes = e.scopes[:len(e.scopes)-1]
	}
	e.owner = owner
	e.b.EndDecl(d)
	doc := e.docstring(body)
	e.document(d, doc)
	e.hashFunction(d, i, marks, body, doc, inside)
	e.skips = append(e.skips[:skips], whole)
	e.signFunction(d, i)
	if s.kind != scopeFunction {
		e.roles(d, marks, text, cls)
		e.fixtures(d, marks, text)
	}
	e.routes(d, marks)
	e.messages(d, marks)
}

// traits reads what decorators and names say of a function: whether it is
// static, and whether its first parameter is the class.
func (e *extractor) traits(d facts.DeclID, marks []mark, name string, cls *classInfo) (static, meta bool) {
	p := &e.b.Decls[d]
	for _, m := range marks {
		switch m.last {
		case "staticmethod":
			static = cls != nil
		case "classmethod":
			meta = cls != nil
		case "abstractmethod", "abstractproperty":
			p.Flags |= graph.FlagAbstract
		case "overload":
			p.Traits |= facts.TraitOverload
			p.Shape = e.b.InternString("@overload")
		case "final":
			p.Flags |= graph.FlagFinal
		case "deprecated":
			p.Flags |= graph.FlagDeprecated
		}
		if m.last == "property" || strings.HasSuffix(m.last, "_property") || strings.HasSuffix(m.last, "cachedproperty") {
			p.Traits |= facts.TraitAccessor
		}
		switch m.last {
		case "staticmethod", "classmethod", "abstractmethod", "overload", "final", "override", "wraps", "lru_cache", "cache":
		default:
			p.Traits |= facts.TraitReplaced
		}
	}
	if cls != nil {
		switch name {
		case "__new__", "__init_subclass__", "__class_getitem__":
			meta = true
		}
		if static {
			p.Flags |= graph.FlagStatic
		}
	}
	return static, meta
}

// typeParamScope brings type parameters into scope.
func (e *extractor) typeParamScope(d facts.DeclID, list syntax.ID) bool {
	if list == syntax.None {
		return false
	}
	s := &scope{kind: scopeComprehension, decl: none, class: none}
	e.scopes = append(e.scopes, s)
	base := len(e.params)
	for c := range e.t.NamedChildren(list) {
		name, bound := c, syntax.ID(syntax.None)
		for e.class(name) != classIdentifier {
			if e.class(name) == classConstrained {
				var parts []syntax.ID
				for k := range e.t.NamedChildren(name) {
					parts = append(parts, k)
				}
				if len(parts) == 2 {
					bound = parts[1]
				}
			}
			n := e.t.FirstNamed(name)
			if n == syntax.None {
				break
			}
			name = n
		}
		n := e.str(name)
		if n == 0 || e.class(name) != classIdentifier {
			continue
		}
		v := e.variable(s, n)
		id := e.version(s, v, facts.Local{Kind: facts.LocalTypeParam, Index: uint16(min(len(e.params)-base, 1<<16-1)), Decl: d, Type: none, Value: none, Next: none})
		p := facts.Param{Name: n, Type: none, Local: id}
		if bound != syntax.None {
			p.Type = e.typeExpr(bound)
		}
		e.params = append(e.params, p)
	}
	e.b.Decls[d].TypeParams = e.endParams(base)
	return true
}

// prescan adds the variables of a function.
func (e *extractor) prescan(f *scope, i syntax.ID) {
	body := e.child(i, fieldBody)
	if body == syntax.None {
		return
	}
	var names []facts.Str
	e.eachBound(body, func(name facts.Str, free bool) {
		if free {
			if f.free == nil {
				f.free = map[facts.Str]bool{}
			}
			f.free[name] = true
			return
		}
		names = append(names, name)
	})
	for _, n := range names {
		if n != 0 && !f.free[n] {
			e.variable(f, n)
		}
	}
}

// parameters adds the parameters of d. The first of a method stands for the
// object or the class.
func (e *extractor) parameters(d facts.DeclID, f *scope, list syntax.ID, typed bool) {
	if list == syntax.None {
		return
	}
	base := len(e.params)
	keyword := false
	first := true
	for c := range e.t.NamedChildren(list) {
		p := facts.Param{Type: none, Local: none}
		name, typ, value := c, syntax.ID(syntax.None), syntax.ID(syntax.None)
		k := e.class(c)
		switch k {
		case classKeywordSeparator:
			keyword = true
			continue
		case classPositionalSeparator:
			for n := base; n < len(e.params); n++ {
				e.params[n].Flags |= graph.ParamPositional
			}
			continue
		case classIdentifier, classStarParam, classStarStarParam:
		case classDefaultParam:
			name, value = e.child(c, fieldName), e.child(c, fieldValue)
		case classTypedParam:
			name, typ = e.t.FirstNamed(c), e.child(c, fieldType)
		case classTypedDefault:
			name, typ, value = e.child(c, fieldName), e.child(c, fieldType), e.child(c, fieldValue)
		case classTuplePattern: // Python 2
		default:
			continue
		}
		if name == syntax.None {
			continue
		}
		switch e.class(name) {
		case classStarParam:
			p.Flags |= graph.ParamVariadic
			name = e.t.FirstNamed(name)
			keyword = true
		case classStarStarParam:
			p.Flags |= graph.ParamKeywords
			name = e.t.FirstNamed(name)
		default:
			if keyword {
				p.Flags |= graph.ParamKeywordOnly
			}
		}
		if name == syntax.None || e.class(name) != classIdentifier {
			continue
		}
		p.Name = e.str(name)
		l := facts.Local{Decl: none, Type: none, Value: none, Next: none}
		// Outside of the function's own names.
		top := e.scopes[len(e.scopes)-1]
		e.scopes = e.scopes[:len(e.scopes)-1]
		if typ != syntax.None {
			p.Type = e.typeExpr(typ)
			l.Type = p.Type
		}
		def := facts.ExprID(none)
		if value != syntax.None {
			def = e.expr(value)
			p.Flags |= graph.ParamOptional
		}
		e.scopes = append(e.scopes, top)
		switch {
		case p.Flags&graph.ParamVariadic != 0 && p.Type != none:
			l.Type = e.generic("tuple", p.Type)
		case p.Flags&graph.ParamKeywords != 0 && p.Type != none:
			l.Type = e.generic("dict", e.generic("str"), p.Type)
		case first && f.class != none && typ == syntax.None && p.Flags&graph.ParamVariadic == 0:
			fl := facts.ExprFlags(0)
			if f.meta {
				fl = facts.FlagTyped
			}
			l.Value = e.b.AddExpr(facts.Expr{Op: facts.OpSelf, Flags: fl, X: none, Y: none})
			f.self = p.Name
		case first && f.class != none:
			f.self = p.Name
		}
		if first && f.class != none && e.class(c) == classIdentifier {
			f.self = p.Name
		}
		p.Local = e.version(f, e.variable(f, p.Name), l)
		if def != none {
			e.flow(facts.FlowBind, int32(p.Local), 0, def)
		}
		e.params = append(e.params, p)
		first = false
	}
	e.b.Decls[d].Params = e.endParams(base)
}

// generic adds a type of the universe with arguments.
func (e *extractor) generic(name string, args ...facts.ExprID) facts.ExprID {
	x := e.b.AddExpr(facts.Expr{Op: facts.OpLiteral, Flags: facts.FlagTyped, Name: e.b.InternString(name), X: none, Y: none})
	if len(args) == 0 {
		return x
	}
	base := len(e.ids)
	if name == "tuple" && len(args) == 1 {
		el := e.literal("ellipsis", syntax.None)
		args = append(args, el)
	}
	for _, a := range args {
		e.ids = append(e.ids, int32(a))
	}
	l := e.b.AddList(e.ids[base:])
	e.ids = e.ids[:base]
	return e.b.AddExpr(facts.Expr{Op: facts.OpIndex, Flags: facts.FlagTyped, X: x, Y: none, Args: l})
}

// classDecl adds a class.
func (e *extractor) classDecl(i, whole syntax.ID, nodes []syntax.ID) {
	nameNode := e.child(i, fieldName)
	name := e.str(nameNode)
	if name == 0 {
		return
	}
	s := e.inner()
	d := e.declare(graph.KindClass, nameNode, whole)
	marks := e.decorators(nodes)
	owner := e.owner
	e.owner = d
	e.addMarks(d, marks)
	info := &classInfo{decl: d, name: e.b.Strings[name], names: map[facts.Str]facts.DeclID{}}
	e.b.Decls[d].Vis = visibility(info.name, s.kind == scopeClass)
	outer := e.typeParamScope(d, e.child(i, fieldTypeParams))
	bases := e.child(i, fieldSupers)
	e.bases(d, bases, info)
	e.owner = owner
	e.bindDecl(d, name, facts.LocalType)
	e.tellApart(d)
	e.owner = d
	e.classes[d] = info
	e.scopes = append(e.scopes, &scope{kind: scopeClass, decl: d, class: none, names: info.names})
	skips, alt, function, loops := len(e.skips), e.alt, e.function, e.loops
	e.alt, e.function, e.loops = false, none, nil
	body := e.child(i, fieldBody)
	e.prescanClass(info, body)
	e.stmts(body)
	members := e.skips[skips:]
	e.alt, e.function, e.loops = alt, function, loops
	e.scopes = e.scopes[:len(e.scopes)-1]
	if outer {
		e.scopes = e.scopes[:len(e.scopes)-1]
	}
	e.owner = owner
	e.b.EndDecl(d)
	doc := e.docstring(body)
	e.document(d, doc)
	e.hashClass(d, marks, body, bases, members, doc)
	e.skips = append(e.skips[:skips], whole)
	e.signClass(d, i)
	if s.kind != scopeFunction {
		e.classRoles(d, marks)
	}
	delete(e.classes, d)
}

// prescanClass notes the functions of a class's body: a property may be assigned by
// a method that stands before it.
func (e *extractor) prescanClass(info *classInfo, body syntax.ID) {
	if body == syntax.None {
		return
	}
	for c := range e.t.NamedChildren(body) {
		if e.class(c) == classDecorated {
			if c = e.child(c, fieldDefinition); c == syntax.None {
				continue
			}
		}
		if e.class(c) != classFunction {
			continue
		}
		if info.defs == nil {
			info.defs = map[facts.Str]bool{}
		}
		info.defs[e.str(e.child(c, fieldName))] = true
	}
}

// bases adds the bases and the metaclass of class d.
func (e *extractor) bases(d facts.DeclID, list syntax.ID, info *classInfo) {
	if list == syntax.None {
		return
	}
	base := len(e.ids)
	for c := range e.t.NamedChildren(list) {
		switch e.class(c) {
		case classKeywordArgument:
			x := e.expr(e.child(c, fieldValue))
			if n := e.child(c, fieldName); n != syntax.None && string(e.t.Text(n)) == "metaclass" {
				e.b.Decls[d].Value = x
			}
		case classListSplat, classDictSplat:
			e.expr(c)
			x := e.nothing()
			e.ids = append(e.ids, int32(x))
		default:
			x := e.typeExpr(c)
			e.ids = append(e.ids, int32(x))
			last := e.plainName(e.lastName(c))
			info.bases = append(info.bases, last)
			switch last {
			case "Protocol", "ABC":
				e.b.Decls[d].Flags |= graph.FlagAbstract
			}
		}
	}
	e.b.Decls[d].Bases = e.endList(base)
}
