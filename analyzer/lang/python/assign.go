package python

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// Assignments: what they bind, and what they store where.

// assignment adds an assignment, of which the targets may be several, and
// returns its value.
func (e *extractor) assignment(i syntax.ID) facts.ExprID {
	left, right, typ := e.child(i, fieldLeft), e.child(i, fieldRight), e.child(i, fieldType)
	if left == syntax.None {
		return e.expr(right)
	}
	if e.class(i) == classAugmented {
		return e.augmented(i, left, right)
	}
	if s := e.inner(); s.kind != scopeFunction && e.class(left) == classIdentifier {
		name := e.str(left)
		if _, ok := s.names[name]; !ok && name != 0 {
			return e.declareVariable(s, i, left, right, typ)
		}
	}
	t := facts.ExprID(none)
	if typ != syntax.None {
		t = e.typeExpr(typ)
	}
	v := facts.ExprID(none)
	if right != syntax.None {
		v = e.expr(right)
	}
	e.assign(left, v, t)
	return v
}

// declareVariable adds the variable of a module or class that an assignment
// declares: what its value mentions counts to it.
func (e *extractor) declareVariable(s *scope, i, left, right, typ syntax.ID) facts.ExprID {
	kind := graph.KindVariable
	if s.kind == scopeClass {
		kind = graph.KindField
	}
	// In a = b = c both are declared in the same place, none inside of the other.
	v, chained := facts.ExprID(none), right != syntax.None && e.class(right) == classAssignment
	if chained {
		v = e.expr(right)
	}
	owner := e.owner
	d := e.declare(kind, left, i)
	s.names[e.str(left)] = d
	e.owner = d
	if e.alt {
		e.b.Decls[d].Traits |= facts.TraitAlternative
	}
	p := &e.b.Decls[d]
	p.Vis = visibility(e.t.String(left), s.kind == scopeClass)
	if s.kind == scopeClass {
		p.Flags |= graph.FlagStatic
		if right != syntax.None && (e.class(right) == classTrue || e.class(right) == classFalse) && e.t.String(left) == testDirective {
			e.b.Directives = append(e.b.Directives, facts.Directive{Name: e.b.InternString(testDirective), Value: e.b.InternString(e.t.String(right)), Owner: s.decl, Line: p.Line, Col: p.Col})
		}
	}
	if typ != syntax.None {
		t := e.typeExpr(typ)
		e.b.Decls[d].Type = t
	}
	if right != syntax.None {
		if !chained {
			v = e.expr(right)
		}
		e.flow(facts.FlowDefine, int32(d), 0, v)
		e.b.Decls[d].Value = e.texted(right, e.told(v, right))
	}
	e.orImported(s, d)
	e.owner = owner
	e.b.EndDecl(d)
	stmt := i // the whole statement: nothing of it is left in what is around it
	if p := e.nodes[i].Parent; p >= 0 && e.class(p) == classExpressionStatement {
		stmt = p
	}
	e.skips = append(e.skips, stmt)
	note := e.noteBehind(stmt)
	if note != syntax.None {
		e.skips = append(e.skips, note)
	}
	e.hashCode(d, right, note)
	e.signVariable(d, left, typ)
	if s.kind == scopeModule && string(e.t.Text(left)) == "__all__" {
		e.exported(right)
	}
	return v
}

func (e *extractor) augmented(i, left, right syntax.ID) facts.ExprID {
	old := facts.ExprID(none)
	switch e.class(left) {
	case classIdentifier:
		old = e.name(left, 0)
	default:
		old = e.expr(left)
	}
	v := e.expr(right)
	op := e.child(i, fieldOperator)
	if s := e.inner(); s.kind == scopeModule && string(e.t.Text(left)) == "__all__" {
		e.exported(right)
	}
	if old == none || v == none {
		return v
	}
	x := e.add(facts.Expr{Op: facts.OpBinary, Name: e.str(op), X: old, Y: v}, op)
	e.assign(left, x, none)
	return x
}

// assign binds or stores a value.
func (e *extractor) assign(target syntax.ID, v, t facts.ExprID) {
	if target == syntax.None {
		return
	}
	if t != none {
		e.assignTo(target, v, t)
		return
	}
	e.unpack(target, v, func(n syntax.ID, v facts.ExprID) { e.assignTo(n, v, none) })
}

// unpack calls f for the single targets of an assignment with their values.
func (e *extractor) unpack(target syntax.ID, v facts.ExprID, f func(syntax.ID, facts.ExprID)) {
	if target == syntax.None || e.depth >= maxDepth {
		return
	}
	e.depth++
	defer func() { e.depth-- }()
	switch e.class(target) {
	case classIdentifier, classAttribute, classSubscript:
		f(target, v)
	case classParen, classAsTarget:
		e.unpack(e.t.FirstNamed(target), v, f)
	case classPatternList, classTuplePattern, classListPattern, classTuple, classList, classExpressionList:
		n, spread := 0, false
		for c := range e.t.NamedChildren(target) {
			w := facts.ExprID(none)
			switch {
			case e.class(c) == classStarParam || e.class(c) == classListSplat:
				spread = true
				if v != none {
					el := e.element(v, false)
					w = e.b.AddExpr(facts.Expr{Op: facts.OpComposite, Name: e.b.InternString("list"), X: none, Y: none, Args: e.b.AddList([]int32{int32(el)})})
				}
				c = e.t.FirstNamed(c)
			case v == none:
			case spread || n >= 1<<15-1:
				w = e.element(v, false)
			default:
				w = e.b.AddExpr(facts.Expr{Op: facts.OpTuple, N: int16(n), X: v, Y: none})
			}
			e.unpack(c, w, f)
			n++
		}
	default:
		for c := range e.t.NamedChildren(target) {
			e.expr(c)
		}
	}
}

func (e *extractor) assignTo(target syntax.ID, v, t facts.ExprID) {
	switch e.class(target) {
	case classIdentifier:
		e.assignName(target, v, t)
	case classAttribute:
		e.assignAttribute(target, v, t)
	case classSubscript:
		x := e.expr(target)
		if e.b.Exprs[x].Op == facts.OpIndex {
			e.b.Exprs[x].Flags |= facts.FlagWrite
		}
		e.flow(facts.FlowAssign, 0, int32(x), v)
		if name, _ := e.filled(target); name != syntax.None && v != none && e.b.Exprs[x].Op == facts.OpIndex {
			if keys := e.b.List(e.b.Exprs[x].Args); len(keys) == 1 {
				kv := e.b.AddExpr(facts.Expr{Op: facts.OpKeyValue, Name: e.b.Exprs[x].Name, X: facts.ExprID(keys[0]), Y: v})
				e.fill(name, []string{"dict"}, kv)
			}
		}
	}
}

func (e *extractor) assignName(target syntax.ID, v, t facts.ExprID) {
	name := e.str(target)
	if name == 0 {
		return
	}
	if e.bindLocal(name, facts.Local{Decl: none, Type: t, Value: v, Next: none}) {
		return
	}
	s := e.inner()
	if s.kind == scopeFunction { // global or nonlocal
		if id, member := e.lookup(name); id != none && !member {
			e.outerVersion(name, v)
			return
		}
		if s = e.scopes[0]; s.names[name] == 0 {
			if _, ok := s.names[name]; !ok {
				e.lateVariable(s, target, name, v, t)
				return
			}
		}
	}
	d, ok := s.names[name]
	if !ok {
		e.lateVariable(s, target, name, v, t)
		return
	}
	if k := e.b.Decls[d].Kind; k == graph.KindVariable || k == graph.KindField {
		if t != none && e.b.Decls[d].Type == none {
			e.b.Decls[d].Type = t
		}
		e.name(target, facts.FlagWrite)
		e.flow(facts.FlowDefine, int32(d), 0, v)
	}
}

// outerVersion gives a variable of a function around this one another value.
func (e *extractor) outerVersion(name facts.Str, v facts.ExprID) {
	for i := len(e.scopes) - 1; i > 0; i-- {
		s := e.scopes[i]
		if s.kind != scopeFunction || s.free[name] {
			continue
		}
		if k, ok := s.vars[name]; ok {
			l := facts.Local{Name: name, Decl: none, Type: none, Value: v, Next: e.b.Locals[s.first[k]].Next}
			id := e.b.AddLocal(l)
			e.b.Locals[s.first[k]].Next = id
			s.cur[k] = none // any of them
			return
		}
	}
}

// lateVariable declares a variable of a module or class whose value is known
// already.
func (e *extractor) lateVariable(s *scope, target syntax.ID, name facts.Str, v, t facts.ExprID) {
	kind := graph.KindVariable
	owner := e.owner
	if s.kind == scopeClass {
		kind = graph.KindField
	}
	if s.decl != e.owner { // declared by a function
		e.owner = s.decl
	}
	d := e.declare(kind, target, target)
	e.owner = owner
	s.names[name] = d
	p := &e.b.Decls[d]
	p.Vis = visibility(e.b.Strings[name], s.kind == scopeClass)
	p.Type, p.Value = t, v
	if s.kind == scopeClass {
		p.Flags |= graph.FlagStatic
	}
	if e.alt {
		p.Traits |= facts.TraitAlternative
	}
	e.flow(facts.FlowDefine, int32(d), 0, v)
	e.orImported(s, d)
	e.b.EndDecl(d)
	e.signVariable(d, target, syntax.None)
}

// orImported lets a variable of a module have the value that an import of the
// same name brings.
func (e *extractor) orImported(s *scope, d facts.DeclID) {
	if id, ok := s.imported[e.b.Decls[d].Name]; ok {
		e.flow(facts.FlowDefine, int32(d), 0, e.b.AddExpr(facts.Expr{Op: facts.OpImport, X: facts.ExprID(id), Y: none}))
	}
}

// assignAttribute stores in an attribute; one of the object that a method is
// called on is declared by it.
func (e *extractor) assignAttribute(target syntax.ID, v, t facts.ExprID) {
	n := e.child(target, fieldAttribute)
	name := e.str(n)
	if c := e.selfClass(e.child(target, fieldObject)); c != nil && name != 0 {
		d, ok := c.names[name]
		if !ok && c.defs[name] {
			x := e.attribute(target, facts.FlagWrite)
			e.flow(facts.FlowAssign, 0, int32(x), v)
			return
		}
		if !ok {
			owner := e.owner
			e.owner = c.decl
			d = e.declare(graph.KindField, n, target)
			e.owner = owner
			p := &e.b.Decls[d]
			p.Vis, p.Type, p.Value = visibility(e.b.Strings[name], true), t, v
			e.b.EndDecl(d)
			c.names[name] = d
			e.signVariable(d, n, e.child(e.nodes[target].Parent, fieldType))
		}
		if k := e.b.Decls[d].Kind; k == graph.KindField {
			if t != none && e.b.Decls[d].Type == none {
				e.b.Decls[d].Type = t
			}
			e.attribute(target, facts.FlagWrite)
			e.flow(facts.FlowDefine, int32(d), 0, v)
			return
		}
	}
	x := e.attribute(target, facts.FlagWrite)
	e.flow(facts.FlowAssign, 0, int32(x), v)
}

// selfClass returns the class whose object or itself an expression stands for.
func (e *extractor) selfClass(i syntax.ID) *classInfo {
	if i == syntax.None || e.class(i) != classIdentifier {
		return nil
	}
	name := e.str(i)
	for k := len(e.scopes) - 1; k > 0; k-- {
		s := e.scopes[k]
		if s.kind == scopeClass {
			return nil
		}
		if s.class != none && s.self == name && s.self != 0 {
			return e.classes[s.class]
		}
		if _, ok := s.vars[name]; ok {
			return nil
		}
	}
	return nil
}

// exported notes the names of __all__.
func (e *extractor) exported(i syntax.ID) {
	e.exports = true
	if i == syntax.None {
		return
	}
	plain := false
	switch e.class(i) {
	case classList, classTuple:
		plain = true
		for c := range e.t.NamedChildren(i) {
			name, ok := e.constant(c)
			if !ok {
				plain = false
				continue
			}
			line, col := e.place(c)
			e.b.Directives = append(e.b.Directives, facts.Directive{Name: e.b.InternString(exportDirective), Value: e.b.InternString(name), Owner: none, Line: line, Col: col})
		}
	}
	if !plain { // what is public counts, too
		line, col := e.place(i)
		e.b.Directives = append(e.b.Directives, facts.Directive{Name: e.b.InternString(exportDirective), Value: e.b.InternString("*"), Owner: none, Line: line, Col: col})
	}
}

const exportDirective = "__all__"

// visibility says who may use a name, by convention.
func visibility(name string, member bool) graph.Visibility {
	switch {
	case len(name) > 4 && name[:2] == "__" && name[len(name)-2:] == "__":
		return graph.Public
	case member && len(name) > 2 && name[:2] == "__":
		return graph.Private
	case len(name) > 1 && name[0] == '_':
		return graph.Internal
	}
	return graph.Public
}
