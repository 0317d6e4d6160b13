package typescript

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// Functions, methods and their parameters.

// functionDecl adds a function declaration, or a signature of one.
func (e *extractor) functionDecl(i, def syntax.ID) {
	name := e.child(i, e.f.name)
	s := e.str(name)
	if s == 0 {
		s, name = e.names.defaultName, syntax.None
	}
	d := e.declare(graph.KindFunction, s, name, def)
	if e.class(i) == classFunctionSignature {
		e.b.Decls[d].Flags |= graph.FlagNoBody
		if !e.lastSignature(i, def) {
			e.b.Decls[d].Traits |= facts.TraitOverload
		}
	}
	if e.bodies > 0 && name != syntax.None {
		if e.class(i) != classFunctionSignature || e.b.Decls[d].Traits&facts.TraitOverload == 0 {
			e.bindDecl(s, facts.LocalFunc, d)
		}
	} else if e.owner == none && e.b.Decls[d].Traits&facts.TraitOverload == 0 {
		e.top(s, d)
	}
	was := e.self
	e.self = self{decl: d, class: none} // it may make objects
	e.callable(d, i)
	e.self = was
	e.finish(d, i, def)
}

// lastSignature reports whether no other declaration of the function follows
// its signature at node i.
func (e *extractor) lastSignature(i, def syntax.ID) bool {
	name := string(e.t.Text(e.child(i, e.f.name)))
	for c := e.t.NextSibling(def); c != syntax.None; c = e.t.NextSibling(c) {
		if e.nodes[c].Flags&(syntax.Named|syntax.Extra) != syntax.Named {
			continue
		}
		f := c
		for e.class(f) == classExport || e.class(f) == classAmbient {
			n := e.child(f, e.f.declaration)
			if n == syntax.None {
				n = e.t.FirstNamed(f)
			}
			if n == syntax.None {
				return true
			}
			f = n
		}
		switch e.class(f) {
		case classFunction, classFunctionSignature, classGenerator:
			return !e.reads(e.child(f, e.f.name), name)
		}
		return true
	}
	return true
}

// finish adds what says how a callable looks from outside.
func (e *extractor) finish(d facts.DeclID, i, def syntax.ID) {
	e.b.EndDecl(d)
	e.document(d, def)
	e.hashCode(d, e.decoratorsOf(i, def), e.child(i, e.f.params), e.child(i, e.f.body))
	e.signCallable(d, i)
}

// callable adds the type parameters, parameters, result and body of the
// function at node i.
func (e *extractor) callable(d facts.DeclID, i syntax.ID) {
	if e.depth >= maxDepth {
		e.unparsed(i)
		return
	}
	e.depth++
	owner := e.owner
	e.owner = d
	e.b.Push()
	fn := &function{decl: d, result: none, around: e.fn}
	if e.word(i, "async") {
		fn.n |= 1
		e.b.Decls[d].Flags |= graph.FlagAsync
	}
	if k := e.class(i); k == classGenerator || k == classGeneratorExpr || (k == classMethod || k == classMethodSignature) && e.word(i, "*") {
		fn.n |= 2
		e.b.Decls[d].Traits |= facts.TraitGenerator
	}
	e.typeParams(d, e.child(i, e.f.typeParams))
	e.fn = fn
	doc, told := e.docFor(i)
	e.docTemplates(d, doc.templates)
	e.docParams = doc.params
	e.parameters(d, i)
	e.docParams = nil
	r, t := e.child(i, e.f.result), facts.ExprID(none)
	if e.class(i) == classConstructSignature {
		r = e.child(i, e.f.typ)
	}
	if r != syntax.None {
		t = e.resultType(r)
	} else if told && fn.n == 0 {
		t = e.docType(doc.result)
	}
	if t != none {
		base := len(e.params)
		e.params = append(e.params, facts.Param{Type: t, Local: none})
		e.b.Decls[d].Results = e.endParams(base)
		fn.result = t
		if fn.n&2 != 0 {
			fn.result = none
		} else if fn.n&1 != 0 {
			fn.result = e.operation(facts.Expr{Op: facts.OpAwait, Flags: facts.FlagTyped, X: t, Y: none}, t)
		}
	}
	body := e.child(i, e.f.body)
	if body != syntax.None {
		e.bodies++
		if e.class(body) == classBlock {
			e.hoistVars(body)
			e.hoist(body)
			e.stmts(body)
		} else {
			x := e.expr(body)
			e.returned(x)
			e.b.Decls[d].Traits |= facts.TraitExpression
		}
		e.bodies--
		if e.b.Decls[d].Results.Len() == 0 {
			e.results(d, fn)
		}
	} else {
		e.b.Decls[d].Flags |= graph.FlagNoBody
	}
	e.fn = fn.around
	e.b.Pop()
	e.owner = owner
	e.depth--
}

// results adds what a function without a declared result returns.
func (e *extractor) results(d facts.DeclID, fn *function) {
	list := fn.returns
	if fn.n&2 != 0 {
		list = fn.yields
	}
	e.b.Decls[d].Value = e.b.AddExpr(facts.Expr{Op: facts.OpResult, N: fn.n, X: none, Y: none, Args: e.b.AddList(list)})
}

// returned notes a value that the open function returns.
func (e *extractor) returned(x facts.ExprID) {
	if e.fn == nil {
		return
	}
	e.fn.returns = append(e.fn.returns, int32(x))
	e.flow(facts.FlowReturn, 0, int32(e.fn.decl), x)
	e.context(x, e.fn.result)
}

// literal adds a function literal: a declaration of its own and the expression
// that stands for it.
func (e *extractor) literal(i syntax.ID) facts.ExprID {
	d := e.declare(graph.KindFunction, 0, syntax.None, i)
	e.b.Decls[d].Traits |= facts.TraitLiteral
	e.bodies++
	x := e.literalAs(d, i)
	e.bodies--
	e.b.EndDecl(d)
	return x
}

// literalAs adds the function literal at node i as the declaration d.
func (e *extractor) literalAs(d facts.DeclID, i syntax.ID) facts.ExprID {
	was, bound := e.self, e.bound
	e.bound = nil
	named := syntax.ID(syntax.None)
	if e.class(i) != classArrow {
		if k := e.class(i); k == classFunctionExpr || k == classGeneratorExpr {
			named = e.child(i, e.f.name)
		}
		if named != syntax.None {
			e.b.Push()
			e.bindDecl(e.str(named), facts.LocalFunc, d)
		}
		if e.b.Decls[d].Kind == graph.KindFunction && e.b.Decls[d].Traits&(facts.TraitLiteral|facts.TraitFileScoped) == 0 {
			e.self = self{decl: d, class: none}
		} else if bound != nil {
			e.self = *bound
		} else if e.b.Decls[d].Kind != graph.KindMethod {
			e.self = self{decl: none, class: none}
		}
	}
	e.callable(d, i)
	e.self = was
	if named != syntax.None {
		e.b.Pop()
	}
	x := e.add(facts.Expr{Op: facts.OpFunc, X: facts.ExprID(d), Y: none}, i)
	p := &e.b.Decls[d]
	for k := p.Params.Lo; k < p.Params.Hi; k++ {
		if l := e.b.Params[k].Local; l != none {
			if v := e.b.Locals[l].Value; v != none && e.b.Exprs[v].Op == facts.OpParamOf {
				e.b.Exprs[v].X = x
			}
		}
	}
	if p.Results.Len() == 0 {
		fl := p.Flows
		for k := int(fl.Lo); k < len(e.b.Flows); k++ {
			if f := &e.b.Flows[k]; f.Kind == facts.FlowReturn && f.To == int32(d) {
				e.context(f.From, x)
			}
		}
	}
	return x
}

// parameters adds the parameters of the function at node i.
func (e *extractor) parameters(d facts.DeclID, i syntax.ID) {
	base := len(e.params)
	if p := e.child(i, e.f.param); p != syntax.None { // x => …
		e.parameter(d, syntax.None, p, base)
	} else if ps := e.child(i, e.f.params); ps != syntax.None {
		for c := range e.t.NamedChildren(ps) {
			switch e.class(c) {
			case classParam, classOptionalParam:
				e.parameter(d, c, e.child(c, e.f.pattern), base)
			case classError:
				e.stmt(c)
			}
		}
	}
	e.b.Decls[d].Params = e.endParams(base)
}

// parameter adds one parameter, given by a node and the pattern in it.
func (e *extractor) parameter(d facts.DeclID, i, pattern syntax.ID, base int) {
	p := facts.Param{Type: none, Local: none}
	typ, value := syntax.ID(syntax.None), syntax.ID(syntax.None)
	if i != syntax.None {
		for c := range e.t.NamedChildren(i) {
			if e.class(c) == classDecorator {
				e.decorator(c)
			}
		}
		typ, value = e.child(i, e.f.typ), e.child(i, e.f.value)
		if e.class(i) == classOptionalParam || value != syntax.None {
			p.Flags |= graph.ParamOptional
		}
	}
	if pattern == syntax.None {
		pattern = e.child(i, e.f.name)
	}
	if e.is(pattern, classThis) { // what this is, and no parameter
		if typ != syntax.None {
			t := e.annotation(typ)
			l := e.b.AddLocal(facts.Local{Name: e.b.InternString("this"), Decl: none, Type: t, Value: none, Next: none})
			e.b.Bind(l)
		}
		return
	}
	if e.is(pattern, classRestPattern) {
		p.Flags |= graph.ParamVariadic
		pattern = e.t.FirstNamed(pattern)
	}
	n := int16(min(len(e.params)-base, 1<<15-1))
	v := facts.ExprID(none)
	at := pattern
	if at == syntax.None {
		at = i
	}
	if typ != syntax.None {
		p.Type = e.annotation(typ)
	} else if e.docParams != nil && e.is(pattern, classIdentifier) && p.Flags&graph.ParamVariadic == 0 {
		p.Type = e.docType(e.docParams[string(e.t.Text(pattern))])
	}
	if value != syntax.None {
		x := e.expr(value)
		e.context(x, p.Type)
		if p.Type == none {
			v = x
		}
	}
	if p.Type == none && v == none && at != syntax.None {
		v = e.add(facts.Expr{Op: facts.OpParamOf, N: n, X: none, Y: none}, at)
	}
	if e.is(pattern, classIdentifier) {
		p.Name = e.str(pattern)
	}
	p.Local = e.b.AddLocal(facts.Local{Name: p.Name, Decl: none, Type: p.Type, Value: v, Next: none})
	if p.Name != 0 {
		e.b.Bind(p.Local)
	} else if pattern != syntax.None {
		x := e.b.AddExpr(facts.Expr{Op: facts.OpName, Flags: facts.FlagLocal, X: facts.ExprID(p.Local), Y: none})
		e.pattern(pattern, x, func(n syntax.ID, s facts.Str, v facts.ExprID) {
			if s != 0 {
				e.b.Bind(e.b.AddLocal(facts.Local{Name: s, Decl: none, Type: none, Value: v, Next: none}))
			}
		})
	}
	e.params = append(e.params, p)
}

// typeParams adds the type parameters of d. Each is in scope in all bounds.
func (e *extractor) typeParams(d facts.DeclID, list syntax.ID) {
	if list == syntax.None {
		return
	}
	base := len(e.params)
	for c := range e.t.NamedChildren(list) {
		if e.class(c) != classTypeParam {
			continue
		}
		s := e.str(e.child(c, e.f.name))
		p := facts.Param{Name: s, Type: none, Local: none}
		if s != 0 {
			p.Local = e.b.AddLocal(facts.Local{Name: s, Kind: facts.LocalTypeParam,
				Index: uint16(min(len(e.params)-base, 1<<16-2)), Decl: d, Type: none, Value: none, Next: none})
			e.b.Bind(p.Local)
		}
		e.params = append(e.params, p)
	}
	k := base
	for c := range e.t.NamedChildren(list) {
		if e.class(c) != classTypeParam {
			continue
		}
		if b := e.childOf(c, classConstraint); b != syntax.None {
			x := e.typeExpr(e.t.FirstNamed(b))
			e.params[k].Type = x
			if l := e.params[k].Local; l != none {
				e.b.Locals[l].Type = x
			}
		}
		if v := e.child(c, e.f.value); v != syntax.None {
			x := e.typeExpr(e.t.FirstNamed(v))
			e.params[k].Flags |= graph.ParamOptional
			if l := e.params[k].Local; l != none {
				e.b.Locals[l].Value = x
			}
		}
		k++
	}
	e.b.Decls[d].TypeParams = e.endParams(base)
}

// decoratorsOf returns the nodes of the decorators of a declaration: among its
// children, or before it.
func (e *extractor) decoratorsOf(i, def syntax.ID) []syntax.ID {
	var list []syntax.ID
	for _, at := range [...]syntax.ID{def, i} {
		for c := range e.t.NamedChildren(at) {
			if e.class(c) == classDecorator {
				list = append(list, c)
			}
		}
		if def == i {
			break
		}
	}
	return list
}

// decorator adds a decorator, which calls what it names.
func (e *extractor) decorator(i syntax.ID) facts.ExprID {
	c := e.t.FirstNamed(i)
	if c == syntax.None {
		return none
	}
	x := e.expr(c)
	callee := x
	if e.b.Exprs[x].Op == facts.OpCall {
		callee = e.b.Exprs[x].X
	} else {
		e.b.Exprs[x].Flags |= facts.FlagCallee
		e.operation(facts.Expr{Op: facts.OpCall, Flags: facts.FlagSpread, N: 1, X: x, Y: none}, x)
	}
	return e.operation(facts.Expr{Op: facts.OpMark, X: callee, Y: none}, callee)
}

// marks adds the decorators of declaration d.
func (e *extractor) marks(d facts.DeclID, list []syntax.ID) {
	base := len(e.ids)
	for _, c := range list {
		if x := e.decorator(c); x != none {
			e.ids = append(e.ids, int32(x))
		}
	}
	e.b.Decls[d].Marks = e.endList(base)
}
