package typescript

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// maxElements bounds the elements of an array literal of which the types are
// told; those behind are taken to be alike.
const maxElements = 8

// array adds an array literal.
func (e *extractor) array(i syntax.ID) facts.ExprID {
	base, n := len(e.ids), 0
	last := syntax.ID(syntax.None) // of a call that was torn
	for c := range e.t.NamedChildren(i) {
		if last != syntax.None && c <= last {
			continue
		}
		var x facts.ExprID
		x, last = e.listed(c)
		if n++; n <= maxElements {
			e.ids = append(e.ids, int32(x))
		}
	}
	out := facts.Expr{Op: facts.OpComposite, X: none, Y: none, Args: e.b.AddList(e.ids[base:])}
	id := e.add(out, i)
	for _, a := range e.ids[base:] {
		e.context(facts.ExprID(a), id)
	}
	e.ids = e.ids[:base]
	return id
}

// object adds an object literal: a type of its own, and a value with elements.
func (e *extractor) object(i syntax.ID) facts.ExprID {
	d := e.declare(graph.KindStruct, 0, syntax.None, i)
	p := &e.b.Decls[d]
	p.Traits |= facts.TraitAnonymous
	p.Flags |= graph.FlagAnonymous
	owner, was := e.owner, e.self
	e.owner = d
	base := len(e.ids)
	for c := range e.t.NamedChildren(i) {
		e.self = self{decl: d, class: none}
		x := facts.ExprID(none)
		switch e.class(c) {
		case classMethod:
			x = e.objectMethod(c)
		case classPair:
			x = e.pair(c, was)
		case classShorthand:
			s := e.str(c)
			m := e.declare(graph.KindField, s, c, c)
			e.b.Decls[m].Traits |= facts.TraitLocal
			v := e.name(c, s, 0)
			e.b.Decls[m].Value = v
			e.b.EndDecl(m)
			x = e.element(s, v, c)
		case classSpread:
			e.self = was
			v := e.expr(e.t.FirstNamed(c))
			x = e.operation(facts.Expr{Op: facts.OpSpread, X: v, Y: none}, v)
		default:
			e.self = was
			e.stmt(c)
		}
		if x != none {
			e.ids = append(e.ids, int32(x))
		}
	}
	e.owner, e.self = owner, was
	e.b.EndDecl(d)
	t := e.add(facts.Expr{Op: facts.OpType, X: facts.ExprID(d), Y: none}, i)
	e.b.Exprs[t].Line, e.b.Exprs[t].Col = 0, 0
	out := facts.Expr{Op: facts.OpComposite, X: t, Y: none, Args: e.b.AddList(e.ids[base:])}
	id := e.add(out, i)
	for _, a := range e.ids[base:] {
		e.context(facts.ExprID(a), id)
	}
	e.ids = e.ids[:base]
	return id
}

// element adds the element of an object under a name that stands at i.
func (e *extractor) element(s facts.Str, v facts.ExprID, i syntax.ID) facts.ExprID {
	x := e.add(facts.Expr{Op: facts.OpKeyword, Name: s, X: v, Y: none}, i)
	e.context(v, x)
	return x
}

// objectMethod adds a method or accessor of an object literal.
func (e *extractor) objectMethod(i syntax.ID) facts.ExprID {
	name := e.child(i, e.f.name)
	if e.is(name, classComputed) {
		e.expr(e.t.FirstNamed(name))
	}
	s := e.propertyName(name)
	d := e.declare(graph.KindMethod, s, name, i)
	p := &e.b.Decls[d]
	p.Vis = graph.Public
	if s == 0 {
		p.Traits |= facts.TraitLocal
	}
	accessor := true
	switch {
	case e.word(i, "get"):
		p.Traits |= facts.TraitAccessor
	case e.word(i, "set"):
		p.Traits |= facts.TraitAccessor
		p.Shape = e.b.InternString("(set)")
	default:
		accessor = false
	}
	x := e.literalAs(d, i)
	e.b.EndDecl(d)
	e.document(d, i)
	e.hashCode(d, nil, e.child(i, e.f.params), e.child(i, e.f.body))
	e.signCallable(d, i)
	e.b.Exprs[x].Line, e.b.Exprs[x].Col = 0, 0
	if accessor {
		return none
	}
	return e.element(s, x, name)
}

// pair adds key: value of an object literal. Functions are methods; of other
// values only members of objects that are declarations themselves are shown.
func (e *extractor) pair(i syntax.ID, around self) facts.ExprID {
	key, value := e.child(i, e.f.key), e.child(i, e.f.value)
	if e.is(key, classComputed) {
		e.self = around
		e.expr(e.t.FirstNamed(key))
	}
	s := e.propertyName(key)
	f := e.functionOf(value)
	if f != syntax.None && e.class(value) != classAssign {
		d := e.declare(graph.KindMethod, s, key, i)
		e.b.Decls[d].Vis = graph.Public
		if s == 0 {
			e.b.Decls[d].Traits |= facts.TraitLocal
		}
		if e.class(f) == classArrow {
			e.self = around
		}
		x := e.valueOf(d, syntax.None, value, f)
		e.b.EndDecl(d)
		e.document(d, i)
		e.hashCode(d, nil, value)
		e.signCallable(d, f)
		e.b.Exprs[x].Line, e.b.Exprs[x].Col = 0, 0
		return e.element(s, x, key)
	}
	e.self = around
	if s == 0 {
		e.bodies++
		e.expr(value)
		e.bodies--
		return none
	}
	d := e.declare(graph.KindField, s, key, i)
	p := &e.b.Decls[d]
	p.Vis = graph.Public
	open := 1
	if e.bodies == 0 && e.membersShown(value) {
		open = 0
	} else {
		p.Traits |= facts.TraitLocal
	}
	owner := e.owner
	e.owner = d
	e.bodies += open
	v := e.expr(value)
	e.bodies -= open
	e.owner = owner
	if e.b.Decls[d].Value = v; e.bodies == 0 {
		e.b.Decls[d].Value = e.texted(value, v)
	}
	e.b.EndDecl(d)
	if open == 0 {
		e.document(d, i)
		e.signField(d, i, key)
	}
	return e.element(s, v, key)
}
