package typescript

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// Classes, interfaces, enums, namespaces and type aliases.

// classDecl adds a class declaration, or a class expression.
func (e *extractor) classDecl(i, def syntax.ID) facts.DeclID {
	return e.classAs(i, def, e.class(i) != classClassExpr)
}

// classAs adds a class, declared if it is known by its name around it.
func (e *extractor) classAs(i, def syntax.ID, declared bool) facts.DeclID {
	name := e.child(i, e.f.name)
	s := e.str(name)
	if s == 0 && declared {
		s, name = e.names.defaultName, syntax.None
	}
	d := e.declare(graph.KindClass, s, name, def)
	p := &e.b.Decls[d]
	if !declared {
		p.Traits |= facts.TraitAnonymous
		p.Flags |= graph.FlagAnonymous
		e.b.Push()
		if name != syntax.None {
			e.bindDecl(s, facts.LocalType, d)
		}
		defer e.b.Pop()
	} else if e.bodies > 0 {
		e.bindDecl(s, facts.LocalType, d)
	} else if e.owner == none {
		e.top(s, d)
	}
	if e.class(i) == classAbstractClass {
		p.Flags |= graph.FlagAbstract
	}
	if e.depth >= maxDepth {
		e.unparsed(i)
		return d
	}
	e.depth++
	decorators := e.decoratorsOf(i, def)
	owner, was, fn, bodies := e.owner, e.self, e.fn, e.bodies
	e.owner = d
	e.b.Push()
	e.marks(d, decorators)
	e.typeParams(d, e.child(i, e.f.typeParams))
	if h := e.childOf(i, classHeritage); h != syntax.None {
		e.heritage(d, h)
	}
	e.self = self{decl: d, class: d}
	members := len(e.members)
	body := e.child(i, e.f.body)
	if body != syntax.None {
		if bodies > 0 && declared {
			e.bodies = 1
		}
		around := e.controller
		e.controller, e.controls = e.controllerPath(decorators)
		e.classBody(d, body)
		e.bodies = bodies
		e.controller, e.controls = around, false
	}
	e.b.Pop()
	e.owner, e.self, e.fn = owner, was, fn
	e.b.EndDecl(d)
	e.document(d, def)
	e.hashType(d, decorators, body, e.members[members:])
	e.members = e.members[:members]
	e.signType(d, i, body)
	e.depth--
	return d
}

// heritage adds what a class extends and implements.
func (e *extractor) heritage(d facts.DeclID, h syntax.ID) {
	base := len(e.ids)
	for c := range e.t.NamedChildren(h) {
		if e.class(c) != classExtends {
			continue
		}
		v := e.child(c, e.f.value)
		if v == syntax.None {
			continue
		}
		x := e.expr(v)
		if a := e.child(c, e.f.typeArgs); a != syntax.None {
			x = e.instantiation(x, a)
		}
		e.ids = append(e.ids, int32(x))
	}
	e.b.Decls[d].Bases = e.endList(base)
	for c := range e.t.NamedChildren(h) {
		if e.class(c) == classImplements {
			for t := range e.t.NamedChildren(c) {
				x := e.typeExpr(t)
				e.ids = append(e.ids, int32(x))
			}
		}
	}
	e.b.Decls[d].Implements = e.endList(base)
}

// classBody adds the members of a class.
func (e *extractor) classBody(d facts.DeclID, body syntax.ID) {
	var decorators []syntax.ID
	accessors := map[facts.Str]bool{}
	names := map[facts.Str]bool{}
	for c := range e.t.NamedChildren(body) {
		switch e.class(c) {
		case classMethod, classMethodSignature, classAbstractMethod, classField:
			n := e.child(c, e.f.name)
			names[e.propertyName(n)] = true
			if !e.reads(n, "constructor") {
				continue
			}
			if ps := e.child(c, e.f.params); ps != syntax.None {
				for p := range e.t.NamedChildren(ps) {
					if e.childOf(p, classAccessibility) != syntax.None || e.word(p, "readonly") {
						names[e.str(e.child(p, e.f.pattern))] = true
					}
				}
			}
		}
	}
	e.declared[d] = names
	defer delete(e.declared, d)
	for c := range e.t.NamedChildren(body) {
		switch e.class(c) {
		case classDecorator: // stands before the member
			decorators = append(decorators, c)
			continue
		case classMethod, classMethodSignature, classAbstractMethod:
			e.members = append(e.members, c)
			e.method(d, c, decorators, accessors)
		case classField:
			e.members = append(e.members, c)
			e.field(d, c, decorators)
		case classStaticBlock:
			e.b.Push()
			was := e.self
			e.self.static = true
			e.bodies++
			if b := e.child(c, e.f.body); b != syntax.None {
				e.hoist(b)
				e.stmts(b)
			}
			e.bodies--
			e.self = was
			e.b.Pop()
		case classIndexSignature:
			e.indexSignature(c)
		case classError:
			for m := range e.t.NamedChildren(c) {
				if k := e.class(m); k == classMethod {
					e.method(d, m, nil, accessors)
				}
			}
		}
		decorators = nil
	}
}

// visibility returns who may use a member.
func (e *extractor) visibility(i, name syntax.ID) graph.Visibility {
	if e.is(name, classPrivateName) {
		return graph.Private
	}
	if a := e.childOf(i, classAccessibility); a != syntax.None {
		switch string(e.t.Text(a)) {
		case "private":
			return graph.Private
		case "protected":
			return graph.Protected
		}
	}
	return graph.Public
}

// method adds a method, accessor or constructor of a class.
func (e *extractor) method(class facts.DeclID, i syntax.ID, before []syntax.ID, accessors map[facts.Str]bool) {
	name := e.child(i, e.f.name)
	e.computedName(name)
	s := e.propertyName(name)
	if s == 0 {
		s = e.b.InternString("[" + string(clip(e.t.Text(name), 60)) + "]")
	}
	kind := graph.KindMethod
	if e.reads(name, "constructor") && !e.word(i, "static") {
		kind = graph.KindConstructor
	}
	def := i
	if len(before) > 0 {
		def = before[0]
	}
	d := e.declare(kind, s, name, def)
	p := &e.b.Decls[d]
	p.EndLine = int32(e.t.EndLine(i))
	p.Vis = e.visibility(i, name)
	static := e.word(i, "static")
	if static {
		p.Flags |= graph.FlagStatic
	}
	if e.class(i) == classAbstractMethod {
		p.Flags |= graph.FlagAbstract
	}
	switch {
	case e.word(i, "get"):
		p.Kind = graph.KindMethod
		p.Traits |= facts.TraitAccessor
		accessors[s] = true
	case e.word(i, "set"):
		p.Traits |= facts.TraitAccessor
		p.Shape = e.b.InternString("(set)")
	}
	if e.class(i) == classMethodSignature && e.followed(i, name) {
		p.Traits |= facts.TraitOverload
	}
	was := e.self
	e.self.static = static
	decorators := append(before[:len(before):len(before)], e.decoratorsOf(i, i)...)
	owner := e.owner
	e.owner = d
	e.marks(d, decorators)
	e.owner = owner
	fields := len(e.b.Decls)
	if kind == graph.KindConstructor {
		e.parameterFields(class, i)
	}
	if len(e.b.Decls) > fields { // their expressions are no part of the constructor
		at := int32(len(e.b.Exprs))
		if p := &e.b.Decls[d]; p.Marks.Len() == 0 {
			p.Exprs = facts.Span{Lo: at, Hi: at}
		}
	}
	e.callable(d, i)
	e.self = was
	e.b.EndDecl(d)
	e.document(d, def)
	e.hashCode(d, decorators, e.child(i, e.f.params), e.child(i, e.f.body))
	e.signCallable(d, i)
	if e.controls {
		e.nestRoutes(class, d, decorators, e.controller)
	}
	e.messageMarks(d, decorators)
}

func clip(b []byte, n int) []byte { return b[:min(len(b), n)] }

// followed reports whether the signature at node i is followed by another
// signature or the body of a method of the same name.
func (e *extractor) followed(i, name syntax.ID) bool {
	for c := e.t.NextSibling(i); c != syntax.None; c = e.t.NextSibling(c) {
		if e.nodes[c].Flags&(syntax.Named|syntax.Extra) != syntax.Named {
			continue
		}
		switch e.class(c) {
		case classMethod, classMethodSignature, classAbstractMethod:
			return string(e.t.Text(e.child(c, e.f.name))) == string(e.t.Text(name)) && e.word(c, "static") == e.word(i, "static") &&
				!e.word(c, "get") && !e.word(c, "set") && !e.word(i, "get") && !e.word(i, "set")
		}
		return false
	}
	return false
}

// parameterFields adds the fields that a constructor's parameters declare.
func (e *extractor) parameterFields(class facts.DeclID, i syntax.ID) {
	ps := e.child(i, e.f.params)
	if ps == syntax.None {
		return
	}
	for c := range e.t.NamedChildren(ps) {
		if k := e.class(c); k != classParam && k != classOptionalParam {
			continue
		}
		if e.childOf(c, classAccessibility) == syntax.None && !e.word(c, "readonly") {
			continue
		}
		name := e.child(c, e.f.pattern)
		if !e.is(name, classIdentifier) {
			continue
		}
		d := e.declare(graph.KindField, e.str(name), name, c)
		p := &e.b.Decls[d]
		p.Vis = e.visibility(c, name)
		if typ := e.child(c, e.f.typ); typ != syntax.None {
			t := e.annotation(typ)
			e.b.Decls[d].Type = t
			for k := p.Exprs.Lo; int(k) < len(e.b.Exprs); k++ { // its uses count to the parameter
				e.b.Exprs[k].Line, e.b.Exprs[k].Col = 0, 0
			}
		}
		e.b.EndDecl(d)
		e.signField(d, c, name)
	}
}

// field adds a field of a class, or a method where its value is a function
// literal.
func (e *extractor) field(class facts.DeclID, i syntax.ID, before []syntax.ID) {
	name := e.child(i, e.f.name)
	e.computedName(name)
	s := e.propertyName(name)
	if s == 0 {
		return
	}
	value := e.child(i, e.f.value)
	f := e.functionOf(value)
	kind := graph.KindField
	if f != syntax.None {
		kind = graph.KindMethod
	}
	def := i
	if len(before) > 0 {
		def = before[0]
	}
	d := e.declare(kind, s, name, def)
	p := &e.b.Decls[d]
	p.EndLine = int32(e.t.EndLine(i))
	p.Vis = e.visibility(i, name)
	was := e.self
	if e.word(i, "static") {
		p.Flags |= graph.FlagStatic
		e.self.static = true
	}
	if e.word(i, "readonly") {
		p.Flags |= graph.FlagFinal
	}
	if e.word(i, "?") {
		p.Traits |= facts.TraitOptional
	}
	if e.word(i, "abstract") {
		p.Flags |= graph.FlagAbstract
	}
	decorators := append(before[:len(before):len(before)], e.decoratorsOf(i, i)...)
	owner := e.owner
	e.owner = d
	e.marks(d, decorators)
	e.owner = owner
	e.valueOf(d, e.child(i, e.f.typ), value, f)
	e.self = was
	e.b.EndDecl(d)
	e.document(d, def)
	e.hashCode(d, decorators, value)
	e.signField(d, i, name)
}

// interfaceDecl adds an interface.
func (e *extractor) interfaceDecl(i, def syntax.ID) {
	name := e.child(i, e.f.name)
	s := e.str(name)
	if s == 0 {
		return
	}
	d := e.declare(graph.KindInterface, s, name, def)
	if e.bodies > 0 {
		e.bindDecl(s, facts.LocalType, d)
	}
	owner, was := e.owner, e.self
	e.owner = d
	e.b.Push()
	e.typeParams(d, e.child(i, e.f.typeParams))
	base := len(e.ids)
	for c := range e.t.NamedChildren(i) {
		if e.class(c) == classExtendsType {
			for t := range e.t.NamedChildren(c) {
				x := e.typeExpr(t)
				e.ids = append(e.ids, int32(x))
			}
		}
	}
	e.b.Decls[d].Bases = e.endList(base)
	e.self = self{decl: d, class: none}
	members := len(e.members)
	body := e.child(i, e.f.body)
	if body != syntax.None {
		e.typeMembers(body)
	}
	e.b.Pop()
	e.owner, e.self = owner, was
	e.b.EndDecl(d)
	e.document(d, def)
	e.hashType(d, nil, body, e.members[members:])
	e.members = e.members[:members]
	e.signType(d, i, body)
}

// typeMembers adds the members of an interface or of a type literal.
func (e *extractor) typeMembers(body syntax.ID) {
	seen := map[facts.Str]bool{}
	for c := range e.t.NamedChildren(body) {
		switch e.class(c) {
		case classPropertySignature:
			name := e.child(c, e.f.name)
			s := e.propertyName(name)
			if s == 0 {
				e.computedName(name)
				continue
			}
			e.members = append(e.members, c)
			d := e.declare(graph.KindField, s, name, c)
			e.b.Decls[d].Vis = graph.Public
			if e.word(c, "?") {
				e.b.Decls[d].Traits |= facts.TraitOptional
			}
			if typ := e.child(c, e.f.typ); typ != syntax.None {
				owner := e.owner
				e.owner = d
				t := e.memberType(typ)
				e.owner = owner
				e.b.Decls[d].Type = t
			}
			e.b.EndDecl(d)
			e.document(d, c)
			e.signField(d, c, name)
		case classMethodSignature, classCallSignature, classConstructSignature:
			name := e.child(c, e.f.name)
			s := e.propertyName(name)
			switch e.class(c) {
			case classCallSignature:
				s = e.b.InternString("()")
			case classConstructSignature:
				s = e.b.InternString("new()")
			}
			if s == 0 {
				e.computedName(name)
				continue
			}
			e.members = append(e.members, c)
			d := e.declare(graph.KindMethod, s, name, c)
			p := &e.b.Decls[d]
			p.Vis = graph.Public
			p.Flags |= graph.FlagAbstract | graph.FlagNoBody
			switch {
			case e.word(c, "get"):
				p.Traits |= facts.TraitAccessor
			case e.word(c, "set"):
				p.Traits |= facts.TraitAccessor
				p.Shape = e.b.InternString("(set)")
			case seen[s]:
				p.Traits |= facts.TraitOverload
			}
			if name == syntax.None {
				p.Traits |= facts.TraitLocal
			}
			if e.word(c, "?") {
				p.Traits |= facts.TraitOptional
			}
			seen[s] = true
			e.callable(d, c)
			e.b.EndDecl(d)
			e.document(d, c)
			e.signCallable(d, c)
		case classIndexSignature:
			e.indexSignature(c)
		}
	}
}

// computedName adds what the name of a member is computed from.
func (e *extractor) computedName(name syntax.ID) {
	if e.is(name, classComputed) {
		e.expr(e.t.FirstNamed(name))
	}
}

// indexSignature adds what a type holds under keys that are not named: the
// member "[]".
func (e *extractor) indexSignature(i syntax.ID) {
	typ := e.child(i, e.f.typ)
	if typ == syntax.None || e.childOf(i, classMapped) != syntax.None {
		return
	}
	d := e.declare(graph.KindField, e.b.InternString("[]"), syntax.None, i)
	e.b.Decls[d].Traits |= facts.TraitLocal
	if k := e.child(i, e.f.index); k != syntax.None {
		e.typeExpr(k)
	}
	t := e.annotation(typ)
	e.b.Decls[d].Type = t
	e.b.EndDecl(d)
}

// enumDecl adds an enum and its members.
func (e *extractor) enumDecl(i, def syntax.ID) {
	name := e.child(i, e.f.name)
	s := e.str(name)
	if s == 0 {
		return
	}
	d := e.declare(graph.KindEnum, s, name, def)
	if e.bodies > 0 {
		e.bindDecl(s, facts.LocalType, d)
	} else if e.owner == none {
		e.top(s, d)
	}
	owner := e.owner
	e.owner = d
	members := len(e.members)
	body := e.child(i, e.f.body)
	if body != syntax.None {
		for c := range e.t.NamedChildren(body) {
			name, value := c, syntax.ID(syntax.None)
			if e.class(c) == classEnumAssignment {
				name, value = e.child(c, e.f.name), e.child(c, e.f.value)
			}
			ms := e.propertyName(name)
			if ms == 0 {
				continue
			}
			e.members = append(e.members, c)
			m := e.declare(graph.KindEnumMember, ms, name, c)
			e.b.Decls[m].Vis = graph.Public
			e.b.Decls[m].Flags |= graph.FlagStatic | graph.FlagFinal
			if value != syntax.None {
				e.owner = m
				e.bodies++
				x := e.expr(value)
				e.bodies--
				e.owner = d
				e.b.Decls[m].Value = e.texted(value, x)
			}
			t := e.b.AddExpr(facts.Expr{Op: facts.OpType, X: facts.ExprID(d), Y: none})
			e.b.Decls[m].Type = t
			e.b.EndDecl(m)
			e.document(m, c)
			e.hashCode(m, nil, value)
		}
	}
	e.owner = owner
	e.b.EndDecl(d)
	e.document(d, def)
	e.hashType(d, nil, body, e.members[members:])
	e.members = e.members[:members]
	e.signType(d, i, body)
}

// aliasDecl adds a type alias.
func (e *extractor) aliasDecl(i, def syntax.ID) {
	name, value := e.child(i, e.f.name), e.child(i, e.f.value)
	s := e.str(name)
	if s == 0 || value == syntax.None {
		return
	}
	d := e.declare(graph.KindTypeAlias, s, name, def)
	e.b.Decls[d].Traits |= facts.TraitAlias
	if e.bodies > 0 {
		e.bindDecl(s, facts.LocalType, d)
	}
	owner := e.owner
	e.owner = d
	e.b.Push()
	e.typeParams(d, e.child(i, e.f.typeParams))
	members := len(e.members)
	e.shown = value
	t := e.typeExpr(value)
	e.b.Decls[d].Type = t
	e.b.Pop()
	e.owner = owner
	e.b.EndDecl(d)
	e.document(d, def)
	e.hashType(d, nil, value, e.members[members:])
	e.members = e.members[:members]
	e.signAlias(d, i, value)
}

// namespaceDecl adds a namespace, or the declarations of other modules or of all
// files that a declaration file adds to.
func (e *extractor) namespaceDecl(i, def syntax.ID) {
	name, body := e.child(i, e.f.name), e.child(i, e.f.body)
	if name == syntax.None {
		if body = e.childOf(i, classBlock); body != syntax.None && e.word(i, "global") {
			e.globals(body)
		}
		return
	}
	if e.class(name) == classString {
		e.augmentation(i, name, body)
		return
	}
	parts := e.dotted(name)
	if len(parts) == 0 || e.bodies > 0 {
		return
	}
	first := facts.DeclID(none)
	owner := e.owner
	for _, n := range parts {
		d := e.declare(graph.KindNamespace, e.str(n), n, def)
		if first == none {
			first = d
			if e.owner == none {
				e.top(e.str(n), d)
			}
		} else {
			e.b.Decls[d].Vis = graph.Public
		}
		e.owner = d
	}
	last := e.owner
	members := len(e.members)
	was := e.self
	e.self = self{decl: none, class: none}
	e.b.Push()
	if body != syntax.None && e.depth < maxDepth {
		e.depth++
		ambient := e.word(def, "declare")
		for c := range e.t.NamedChildren(body) {
			from := len(e.b.Decls)
			e.members = append(e.members, c)
			e.stmt(c)
			if ambient {
				for k := from; k < len(e.b.Decls); k++ {
					if e.b.Decls[k].Parent == last {
						e.b.Decls[k].Vis = graph.Public
					}
				}
			}
		}
		e.depth--
	}
	e.b.Pop()
	e.self = was
	for d := last; d != owner; d = e.b.Decls[d].Parent {
		e.b.EndDecl(d)
		e.document(d, def)
		e.hashType(d, nil, body, e.members[members:])
	}
	e.members = e.members[:members]
	e.owner = owner
}

// dotted returns the names in a.b.c.
func (e *extractor) dotted(i syntax.ID) []syntax.ID {
	var out []syntax.ID
	for c, end := i, e.nodes[i].Next; c < end; c++ {
		if k := e.class(c); (k == classIdentifier || k == classPropertyName || k == classTypeName) && len(out) < 64 {
			out = append(out, c)
		}
	}
	return out
}

// globals adds declarations that all files know.
func (e *extractor) globals(body syntax.ID) {
	from := len(e.b.Decls)
	for c := range e.t.NamedChildren(body) {
		e.stmt(c)
	}
	for k := from; k < len(e.b.Decls); k++ {
		if p := &e.b.Decls[k]; p.Parent == e.owner {
			p.Traits |= facts.TraitGlobal
			p.Vis = graph.Public
		}
	}
}

// augmentation adds declarations of the module with a name: they belong to a
// namespace of that name, which is not in the file's scope.
func (e *extractor) augmentation(i, name, body syntax.ID) {
	if body == syntax.None || e.bodies > 0 {
		return
	}
	d := e.declare(graph.KindNamespace, e.b.InternString(`"`+string(e.unquoted(name))+`"`), name, i)
	owner := e.owner
	e.owner = d
	members := len(e.members)
	module, adds := e.module, e.adds
	e.adds = d
	for c := range e.t.NamedChildren(body) {
		e.members = append(e.members, c)
		e.stmt(c)
	}
	e.module, e.adds = module, adds
	for k := int(d) + 1; k < len(e.b.Decls); k++ {
		if p := &e.b.Decls[k]; p.Parent == d {
			p.Vis = graph.Public
		}
	}
	e.owner = owner
	e.b.EndDecl(d)
	e.hashType(d, nil, body, e.members[members:])
	e.members = e.members[:members]
}
