package typescript

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// Modules of CommonJS, and members that are given to functions and objects by
// assignments.

// required returns the argument of the call of require that a value is, with
// the name that is selected on it.
func (e *extractor) required(v syntax.ID) (source syntax.ID, name facts.Str) {
	if e.is(v, classMember) {
		name = e.str(e.child(v, e.f.property))
		v = e.child(v, e.f.object)
		if name == 0 {
			return syntax.None, 0
		}
	}
	if !e.is(v, classCall) {
		return syntax.None, 0
	}
	fn, args := e.child(v, e.f.function), e.child(v, e.f.arguments)
	if !e.is(fn, classIdentifier) || e.str(fn) != e.names.require || !e.is(args, classArguments) || e.b.Lookup(e.names.require) != none {
		return syntax.None, 0
	}
	if _, ok := e.tops[e.names.require]; ok {
		return syntax.None, 0
	}
	a := e.t.FirstNamed(args)
	if !e.is(a, classString) {
		return syntax.None, 0
	}
	return a, name
}

// requires adds const name = require("path"), or with .member, as an import, of
// which the name is given.
func (e *extractor) requires(name facts.Str, value syntax.ID) bool {
	source, member := e.required(value)
	if source == syntax.None || e.owner != none {
		return false
	}
	path := e.b.Intern(e.unquoted(source))
	if path == 0 {
		return false
	}
	e.common = true
	im := facts.Import{Path: path, Name: e.names.whole, Alias: name}
	if member != 0 {
		im.Name = member
	}
	e.addImport(im, source)
	return true
}

// requiredNames adds const {a, b: c} = require("path") as imports.
func (e *extractor) requiredNames(pattern, value syntax.ID) bool {
	source, member := e.required(value)
	if source == syntax.None || member != 0 || e.class(pattern) != classObjectPattern || e.owner != none {
		return false
	}
	path := e.b.Intern(e.unquoted(source))
	if path == 0 {
		return false
	}
	var list []facts.Import
	for c := range e.t.NamedChildren(pattern) {
		switch e.class(c) {
		case classShorthandPattern:
			list = append(list, facts.Import{Path: path, Name: e.str(c), Alias: e.str(c)})
		case classPairPattern:
			v := e.child(c, e.f.value)
			if !e.is(v, classIdentifier) {
				return false
			}
			list = append(list, facts.Import{Path: path, Name: e.propertyName(e.child(c, e.f.key)), Alias: e.str(v)})
		default:
			return false
		}
	}
	if len(list) == 0 {
		return false
	}
	e.common = true
	for _, im := range list {
		e.addImport(im, source)
	}
	return true
}

// exportsOf reports whether a node means what the module exports, as exports or
// as module.exports.
func (e *extractor) exportsOf(i syntax.ID) bool {
	switch {
	case e.is(i, classIdentifier):
		_, own := e.tops[e.names.exports]
		return e.str(i) == e.names.exports && e.b.Lookup(e.names.exports) == none && !own
	case e.is(i, classMember):
		o := e.child(i, e.f.object)
		_, own := e.tops[e.names.module]
		return e.is(o, classIdentifier) && e.str(o) == e.names.module && e.b.Lookup(e.names.module) == none && !own &&
			e.str(e.child(i, e.f.property)) == e.names.exports
	}
	return false
}

// commonJS adds an assignment of the file that exports something or gives a
// member to a declaration of the file. It reports whether that is all.
func (e *extractor) commonJS(i syntax.ID) bool {
	left, right := e.child(i, e.f.left), e.child(i, e.f.right)
	if left == syntax.None || right == syntax.None || e.owner != none {
		return false
	}
	if e.exportsOf(left) { // module.exports = …, exports = module.exports = …
		whole := e.is(left, classMember)
		for e.is(right, classAssign) && e.exportsOf(e.child(right, e.f.left)) {
			whole = whole || e.is(e.child(right, e.f.left), classMember)
			right = e.child(right, e.f.right)
		}
		if !whole || e.is(right, classAssign) {
			return false
		}
		e.common = true
		if source, name := e.required(right); source != syntax.None && name == 0 {
			e.addImport(facts.Import{Path: e.b.Intern(e.unquoted(source)), Name: e.names.whole, Alias: e.names.whole, Flags: facts.ImportReExport}, source)
			return true
		}
		e.exportValue(i, right, e.names.whole)
		return true
	}
	if !e.is(left, classMember) {
		return false
	}
	object, name := e.child(left, e.f.object), e.child(left, e.f.property)
	if !e.exportsOf(object) || name == syntax.None {
		return false
	}
	e.common = true
	s := e.str(name)
	if e.is(right, classIdentifier) {
		e.addImport(facts.Import{Name: e.str(right), Alias: s, Flags: facts.ImportReExport}, right)
		e.expr(right)
		return true
	}
	if source, member := e.required(right); source != syntax.None {
		if member == 0 {
			member = e.names.whole
		}
		e.addImport(facts.Import{Path: e.b.Intern(e.unquoted(source)), Name: member, Alias: s, Flags: facts.ImportReExport}, source)
		return true
	}
	d := e.variable(s, name, i, syntax.None, right)
	e.b.Decls[d].Vis = graph.Public
	if e.b.Decls[d].Kind == graph.KindVariable && e.bodies > 0 { // the statement is the function's
		at := e.b.Decls[d].Exprs.Hi
		e.b.Decls[d].Exprs = facts.Span{Lo: at, Hi: at}
	}
	return true
}

// exportsWhole reports whether a value is assigned to what the module exports,
// too.
func (e *extractor) exportsWhole(v syntax.ID) bool {
	whole := false
	for e.is(v, classAssign) {
		l := e.child(v, e.f.left)
		whole = whole || e.is(l, classMember) && e.exportsOf(l)
		v = e.child(v, e.f.right)
	}
	return whole
}

// givenMember is a member that an assignment gives to a declaration.
type givenMember struct {
	owner  facts.DeclID
	name   facts.Str
	static bool
}

// expando adds an assignment that gives a member to a function, class or
// object of the file, to its prototype, or to this in a function that makes
// objects.
func (e *extractor) expando(i, left, right syntax.ID) (facts.ExprID, bool) {
	if !e.is(left, classMember) {
		return none, false
	}
	object, name := e.child(left, e.f.object), e.child(left, e.f.property)
	s := e.str(name)
	if s == 0 || object == syntax.None {
		return none, false
	}
	owner, static := facts.DeclID(none), true
	switch e.class(object) {
	case classThis:
		if e.self.decl != none && !e.self.static && e.b.Decls[e.self.decl].Kind == graph.KindFunction && e.fn != nil {
			owner, static = e.self.decl, false
		} else if e.self.decl != none && e.self.class != none && e.fn != nil {
			if k := e.b.Decls[e.self.class].Kind; k == graph.KindClass && !e.typed {
				return e.fieldOfThis(left, right, s, name)
			}
		}
	default:
		owner, static = e.topOf(object)
	}
	if owner == none || e.depth >= maxDepth {
		return none, false
	}
	if owner, static = e.holder(owner, static); owner == none {
		return none, false
	}
	f := e.functionOf(right)
	if f == syntax.None && i != e.statement && e.class(object) != classThis {
		return none, false // a change of a member, most likely
	}
	given := givenMember{owner, s, static}
	if e.given[given] {
		return none, false
	}
	e.given[given] = true
	e.expr(object)
	kind, declared := graph.KindField, facts.DeclID(none)
	if f != syntax.None {
		kind = graph.KindMethod
		if !static {
			declared = e.bodiless(owner, s)
		}
	}
	was, around := e.owner, e.self
	e.owner = owner
	d := e.declare(kind, s, name, i)
	e.owner = was
	p := &e.b.Decls[d]
	p.Vis = graph.Public
	if e.fn == nil {
		p.Traits &^= facts.TraitLocal
	}
	if static {
		p.Flags |= graph.FlagStatic
	}
	if e.class(object) != classThis {
		e.self = self{decl: owner, static: static, class: none}
	}
	x := e.valueOf(d, syntax.None, right, f)
	e.self = around
	e.b.EndDecl(d)
	e.document(d, i)
	e.hashValue(d, right)
	e.signVariable(d, name, syntax.None, f)
	if declared != none { // what the class says of it is part of it
		o, p := &e.b.Decls[declared], &e.b.Decls[d]
		o.Traits |= facts.TraitOverload
		p.Traits |= o.Traits & facts.TraitOptional
		p.Signature = e.b.InternString(e.b.Strings[o.Signature] + "; " + e.b.Strings[p.Signature])
	}
	return x, true
}

// topOf returns the declaration of the file that an expression names, and whether
// it is the declaration itself and not the prototype of its objects; None if it
// names none.
func (e *extractor) topOf(object syntax.ID) (d facts.DeclID, static bool) {
	switch e.class(object) {
	case classIdentifier:
		if d, ok := e.tops[e.str(object)]; ok && e.b.Lookup(e.str(object)) == none {
			return d, true
		}
	case classMember: // C.prototype
		of := e.child(object, e.f.object)
		if e.str(e.child(object, e.f.property)) == e.names.prototype && e.is(of, classIdentifier) && e.b.Lookup(e.str(of)) == none {
			if d, ok := e.tops[e.str(of)]; ok {
				return d, false
			}
		}
	}
	return none, true
}

// holder returns the declaration that has the members of owner: of an object that
// is its literal, if it is one. It is None where nothing has members.
func (e *extractor) holder(owner facts.DeclID, static bool) (facts.DeclID, bool) {
	switch p := &e.b.Decls[owner]; p.Kind {
	case graph.KindVariable, graph.KindConstant:
		if p.Value != none && e.b.Exprs[p.Value].Op == facts.OpComposite && e.b.Exprs[p.Value].X != none {
			if t := &e.b.Exprs[e.b.Exprs[p.Value].X]; t.Op == facts.OpType {
				owner = facts.DeclID(t.X)
			}
		}
		return owner, false
	case graph.KindFunction, graph.KindClass:
		return owner, static
	}
	return none, false
}

// computedOwner returns what this is in a function that is assigned to a member
// whose name is computed, a[k] = function …: the declaration of the file that is
// given the member, or an object of it. It is None elsewhere.
func (e *extractor) computedOwner(left, right syntax.ID) (facts.DeclID, bool) {
	if !e.is(left, classSubscript) {
		return none, false
	}
	if f := e.functionOf(right); f == syntax.None || e.class(f) == classArrow {
		return none, false
	}
	d, static := e.topOf(e.child(left, e.f.object))
	if d == none {
		return none, false
	}
	return e.holder(d, static)
}

// bodiless returns the only member of a class with a name, if it is a method without
// a body or a field without a value; None if there is none.
func (e *extractor) bodiless(class facts.DeclID, name facts.Str) facts.DeclID {
	members, ok := e.unmade[class]
	if !ok {
		members = map[facts.Str]facts.DeclID{}
		if e.b.Decls[class].Kind == graph.KindClass {
			for i := int(class) + 1; i < len(e.b.Decls) && e.b.Decls[i].Parent >= class; i++ {
				d := &e.b.Decls[i]
				if d.Parent != class {
					continue
				}
				_, twice := members[d.Name]
				members[d.Name] = facts.DeclID(i)
				if twice || d.Flags.Has(graph.FlagStatic) || d.Value != none || d.Kind != graph.KindField && (d.Kind != graph.KindMethod || !d.Flags.Has(graph.FlagNoBody)) ||
					d.Traits&(facts.TraitOverload|facts.TraitAccessor) != 0 {
					members[d.Name] = none
				}
			}
		}
		if e.unmade == nil {
			e.unmade = map[facts.DeclID]map[facts.Str]facts.DeclID{}
		}
		e.unmade[class] = members
	}
	if d, ok := members[name]; ok {
		return d
	}
	return none
}

// fieldOfThis adds an assignment to a member of this in a class: it declares a
// field where the class declares none.
func (e *extractor) fieldOfThis(left, right syntax.ID, s facts.Str, name syntax.ID) (facts.ExprID, bool) {
	class := e.self.class
	declared := e.declared[class]
	if declared == nil || declared[s] {
		return none, false
	}
	declared[s] = true
	e.target(left, facts.FlagWrite)
	f := e.functionOf(right)
	kind := graph.KindField
	if f != syntax.None {
		kind = graph.KindMethod
	}
	was := e.owner
	e.owner = class
	d := e.declare(kind, s, name, left)
	e.owner = was
	p := &e.b.Decls[d]
	p.Vis = graph.Public
	if e.b.Decls[class].Traits&(facts.TraitLocal|facts.TraitAnonymous) == 0 {
		p.Traits &^= facts.TraitLocal
	}
	x := e.valueOf(d, syntax.None, right, f)
	e.b.EndDecl(d)
	if f == syntax.None { // what it is given counts to the function that gives it
		at := e.b.Decls[d].Exprs.Hi
		e.b.Decls[d].Exprs = facts.Span{Lo: at, Hi: at}
	}
	e.signVariable(d, name, syntax.None, f)
	return x, true
}
