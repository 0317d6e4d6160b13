package java

import (
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// Methods, constructors and their parameters.

// paramType adds the type of a parameter, and of its elements where it takes
// any number of arguments.
func (e *extractor) paramType(i syntax.ID) (seen, elem facts.ExprID, variadic bool) {
	if e.class(i) != classSpread {
		t := e.arrayOf(e.typeExpr(e.child(i, fieldType)), e.dimensions(i))
		return t, t, false
	}
	t := facts.ExprID(none)
	for c := range e.t.NamedChildren(i) {
		switch e.class(c) {
		case classModifiers, classDeclarator:
		case classAnnotation:
			e.annotation(c)
		default:
			if t == none {
				t = e.typeExpr(c)
			}
		}
	}
	if t == none {
		t = e.nothing(i)
	}
	return e.operation(facts.Expr{Op: facts.OpVariadic, Flags: facts.FlagTyped, X: t, Y: none}, t), t, true
}

// param adds one parameter, brings it into scope and puts it on params.
func (e *extractor) param(i syntax.ID) marks {
	k := e.class(i)
	if k != classParam && k != classSpread {
		return nil
	}
	m := e.modifiers(e.childOf(i, classModifiers))
	name := e.child(i, fieldName)
	if k == classSpread {
		if v := e.childOf(i, classDeclarator); v != syntax.None {
			name = e.child(v, fieldName)
		}
	}
	seen, elem, variadic := e.paramType(i)
	p := facts.Param{Name: e.str(name), Type: elem, Local: none}
	if variadic {
		p.Flags = graph.ParamVariadic
	}
	if name != syntax.None {
		p.Local = e.bind(name, seen, none)
	}
	e.params = append(e.params, p)
	return m.marks
}

// parameters adds the parameters of d, whose syntax is node i, and the text
// that tells it from its overloads. It returns the annotations of parameters that
// are for events, or that name what a container gives; the latter have the parameter's
// number.
func (e *extractor) parameters(d facts.DeclID, list syntax.ID) (told marks) {
	base := len(e.params)
	if list != syntax.None {
		for c := range e.t.NamedChildren(list) {
			m := e.param(c)
			if o := m.has("Observes", "ObservesAsync"); o != nil && e.from(o.name, "javax.enterprise.", "jakarta.enterprise.") {
				told = append(told, *o)
			}
			if o := m.has(beanNames...); o != nil && e.b.Exprs[o.expr].Op == facts.OpMark {
				e.b.Exprs[o.expr].N = int16(min(len(e.params)-base, 1<<15-1))
				told = append(told, *o)
			}
		}
	}
	e.shape(d, e.params[base:])
	e.b.Decls[d].Params = e.endParams(base)
	return told
}

func (e *extractor) shape(d facts.DeclID, params []facts.Param) {
	e.b.Decls[d].Shape = e.b.InternString(e.shapeOf(params))
	if o := e.outer(); o != nil && len(params) > 0 {
		o.callables = append(o.callables, d)
	}
}

// distinguish tells overloads of type o apart whose parameters are of types of one
// simple name: where they are written with their packages, these count.
func (e *extractor) distinguish(o *typeInfo) {
	type key struct {
		parent      facts.DeclID
		name, shape facts.Str
	}
	if len(o.callables) < 2 {
		return
	}
	seen := make(map[key]facts.DeclID, len(o.callables))
	for _, d := range o.callables {
		p := &e.b.Decls[d]
		k := key{p.Parent, p.Name, p.Shape}
		other, ok := seen[k]
		if !ok {
			seen[k] = d
			continue
		}
		for _, x := range [...]facts.DeclID{d, other} {
			if s := e.qualifiedShape(x); s != k.shape {
				e.b.Decls[x].Shape = s
				if x == other {
					seen[k] = d
				}
				break
			}
		}
	}
}

// qualifiedShape returns the shape of a callable with the packages of its
// parameters' types, as far as they are written.
func (e *extractor) qualifiedShape(d facts.DeclID) facts.Str {
	p := &e.b.Decls[d]
	params := e.b.Params[p.Params.Lo:p.Params.Hi]
	simple := strings.Split(strings.Trim(e.b.Strings[p.Shape], "()"), ",")
	if len(simple) != len(params) {
		return p.Shape
	}
	for i, q := range params {
		x := q.Type
		for x != none && (e.b.Exprs[x].Op == facts.OpSliceType || e.b.Exprs[x].Op == facts.OpIndex) {
			x = e.b.Exprs[x].X
		}
		for x != none && e.b.Exprs[x].Op == facts.OpSelect {
			if x = e.b.Exprs[x].X; x != none {
				simple[i] = e.b.Strings[e.b.Exprs[x].Name] + "." + simple[i]
			}
		}
	}
	return e.b.InternString("(" + strings.Join(simple, ",") + ")")
}

// shapeOf returns the erased types of parameters, in parentheses.
func (e *extractor) shapeOf(params []facts.Param) string {
	var b strings.Builder
	b.WriteByte('(')
	for k, p := range params {
		if k > 0 {
			b.WriteByte(',')
		}
		arrays := 0
		if p.Flags&graph.ParamVariadic != 0 {
			arrays = 1
		}
		b.WriteString(e.b.Strings[e.erasure(p.Type, arrays)])
	}
	b.WriteByte(')')
	return b.String()
}

func (e *extractor) throws(d facts.DeclID, i syntax.ID) {
	base := len(e.ids)
	e.typeList(e.childOf(i, classThrows))
	e.b.Decls[d].Throws = e.endList(base)
}

// method adds a method, or an element of an annotation type. Top says that no
// type is around it.
func (e *extractor) method(i syntax.ID, top bool) {
	name := e.child(i, fieldName)
	if e.str(name) == 0 {
		return
	}
	o := e.outer()
	d := e.declare(graph.KindMethod, name, i)
	if top {
		e.b.Decls[d].Kind = graph.KindFunction
	}
	owner, function, result := e.owner, e.function, e.result
	e.owner = d
	e.b.Push()
	m := e.modifiers(e.childOf(i, classModifiers))
	e.typeParams(d, e.child(i, fieldTypeParams))
	for c := range e.t.NamedChildren(i) {
		if e.class(c) == classAnnotation { // of the result, behind type parameters
			e.annotation(c)
		}
	}
	res := facts.ExprID(none)
	if t := e.child(i, fieldType); t != syntax.None && e.class(t) != classVoid {
		res = e.arrayOf(e.typeExpr(t), e.dimensions(i))
		base := len(e.params)
		e.params = append(e.params, facts.Param{Type: res, Local: none})
		e.b.Decls[d].Results = e.endParams(base)
	}
	m.marks = append(m.marks, e.parameters(d, e.child(i, fieldParameters))...)
	e.markList(d, m.marks)
	e.throws(d, i)
	body := e.child(i, fieldBody)
	p := &e.b.Decls[d]
	p.Vis, p.Flags = m.vis, p.Flags|m.flags
	if o != nil && o.iface {
		if m.vis == graph.Package {
			p.Vis = graph.Public
		}
		if body == syntax.None && e.child(i, fieldValue) == syntax.None { // a default is a body
			p.Flags |= graph.FlagAbstract
		}
	}
	if v := e.child(i, fieldValue); v != syntax.None { // the default of an element
		e.expr(v)
	}
	if body != syntax.None {
		e.function, e.result = d, res
		e.bodies++
		e.stmt(body)
		e.bodies--
	}
	e.b.Pop()
	e.owner, e.function, e.result = owner, function, result
	if o != nil {
		o.methods[methodKey(e.t.String(name), e.b.Decls[d].Params.Len())] = true
		e.roles(d, m.marks, e.t.String(name))
	}
	e.b.EndDecl(d)
	e.document(d, i)
	e.hashCallable(d, i, e.plainBody(d, body), m.node, body, e.child(i, fieldValue))
	e.signCallable(d, i, body)
	if o != nil {
		e.routesOf(d, m.marks, i)
		e.messagesOf(d, m.marks)
	}
}

func methodKey(name string, params int) string { return name + "/" + string(rune('0'+min(params, 9))) }

// constructor adds a constructor. That of a record without parameters of its
// own has those of the record.
func (e *extractor) constructor(i syntax.ID) {
	name := e.child(i, fieldName)
	if e.str(name) == 0 {
		return
	}
	d := e.declare(graph.KindConstructor, name, i)
	owner, function, result := e.owner, e.function, e.result
	e.owner = d
	e.b.Push()
	m := e.modifiers(e.childOf(i, classModifiers))
	e.typeParams(d, e.child(i, fieldTypeParams))
	if e.class(i) == classCompact {
		e.recordParams(d, true)
	} else {
		m.marks = append(m.marks, e.parameters(d, e.child(i, fieldParameters))...)
	}
	e.markList(d, m.marks)
	e.throws(d, i)
	p := &e.b.Decls[d]
	p.Vis, p.Flags = m.vis, p.Flags|m.flags
	body := e.child(i, fieldBody)
	e.function, e.result = d, none
	e.bodies++
	e.stmt(body)
	e.bodies--
	e.b.Pop()
	e.owner, e.function, e.result = owner, function, result
	e.b.EndDecl(d)
	if o := e.outer(); o != nil {
		o.ctors++
		o.compact = o.compact || e.class(i) == classCompact
		if b := m.marks.has("Builder"); b != nil && o.built == nil {
			o.built, o.builtOf = b, e.b.Decls[d].Params
		}
	}
	e.document(d, i)
	does := ""
	if e.class(i) == classConstructor {
		does = e.plainBody(d, body)
	}
	e.hashCallable(d, i, does, m.node, body)
	e.signCallable(d, i, body)
}

// recordParams gives constructor d the components of its record as parameters.
func (e *extractor) recordParams(d facts.DeclID, bind bool) {
	o := e.outer()
	if o == nil {
		return
	}
	base := len(e.params)
	for k := o.record.Lo; k < o.record.Hi; k++ {
		q := e.b.Params[k]
		if bind {
			seen := q.Type
			if q.Flags&graph.ParamVariadic != 0 {
				seen = e.operation(facts.Expr{Op: facts.OpVariadic, Flags: facts.FlagTyped, X: q.Type, Y: none}, q.Type)
			}
			q.Local = e.b.AddLocal(facts.Local{Name: q.Name, Decl: none, Type: seen, Value: none, Next: none})
			e.b.Bind(q.Local)
		}
		e.params = append(e.params, q)
	}
	e.shape(d, e.params[base:])
	e.b.Decls[d].Params = e.endParams(base)
}
