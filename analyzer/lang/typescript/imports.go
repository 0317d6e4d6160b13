package typescript

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// Imports and exports. An import names what it takes from a module: a name,
// "default", "*" for all of it as an object, or "exports" for what a module of
// CommonJS is. What a module exports are its public declarations, and the
// imports with ImportReExport: those without a path name a declaration of the
// file, and those of "*" without an alias export all that the other exports.

func (e *extractor) addImport(im facts.Import, at syntax.ID) {
	im.Owner = none
	if im.Flags&facts.ImportReExport != 0 {
		im.Owner = e.adds // what it exports is that module's
	}
	im.Line, im.Col = e.place(at)
	e.b.Imports = append(e.b.Imports, im)
}

// importStmt adds the names of an import statement.
func (e *extractor) importStmt(i syntax.ID) {
	e.module = true
	var flags facts.ImportFlags
	if e.word(i, "type") || e.word(i, "typeof") {
		flags = facts.ImportTypeOnly
	}
	source := e.child(i, e.f.source)
	if r := e.nested(i, "import_require_clause"); r != syntax.None {
		source = e.child(r, e.f.source)
		im := facts.Import{Path: e.b.Intern(e.unquoted(source)), Name: e.names.whole, Alias: e.str(e.t.FirstNamed(r)), Flags: flags}
		if e.word(i, "export") {
			e.addImport(facts.Import{Path: im.Path, Name: im.Name, Alias: im.Alias, Flags: flags | facts.ImportReExport}, source)
		}
		e.addImport(im, source)
		return
	}
	path := e.b.Intern(e.unquoted(source))
	if path == 0 {
		return
	}
	clause := e.nested(i, "import_clause")
	if clause == syntax.None {
		e.addImport(facts.Import{Path: path, Flags: flags}, source)
		return
	}
	for c := range e.t.NamedChildren(clause) {
		switch e.t.Lang.KindName(e.nodes[c].Kind) {
		case "identifier":
			e.addImport(facts.Import{Path: path, Name: e.names.defaultName, Alias: e.str(c), Flags: flags}, source)
		case "namespace_import":
			e.addImport(facts.Import{Path: path, Name: e.names.all, Alias: e.str(e.t.FirstNamed(c)), Flags: flags}, source)
		case "named_imports":
			any := false
			for s := range e.t.NamedChildren(c) {
				name, alias := e.child(s, e.f.name), e.child(s, e.f.alias)
				if name == syntax.None {
					continue
				}
				any = true
				im := facts.Import{Path: path, Name: e.propertyName(name), Alias: e.str(name), Flags: flags}
				if alias != syntax.None {
					im.Alias = e.str(alias)
				}
				if e.word(s, "type") {
					im.Flags |= facts.ImportTypeOnly
				}
				e.addImport(im, source)
			}
			if !any {
				e.addImport(facts.Import{Path: path, Flags: flags}, source)
			}
		}
	}
}

// nested returns the child of i of the kind with a name.
func (e *extractor) nested(i syntax.ID, kind string) syntax.ID {
	for c := range e.t.NamedChildren(i) {
		if e.t.Lang.KindName(e.nodes[c].Kind) == kind {
			return c
		}
	}
	return syntax.None
}

// exportStmt adds what an export statement declares or names.
func (e *extractor) exportStmt(i syntax.ID) {
	if e.owner == none && e.bodies == 0 {
		e.module = true
	}
	var flags facts.ImportFlags = facts.ImportReExport
	if e.word(i, "type") {
		flags |= facts.ImportTypeOnly
	}
	source := e.child(i, e.f.source)
	path := e.b.Intern(e.unquoted(source))
	isDefault := e.word(i, "default")
	if d := e.child(i, e.f.declaration); d != syntax.None {
		e.exported(i, d, isDefault)
		return
	}
	if v := e.child(i, e.f.value); v != syntax.None {
		e.exportValue(i, v, e.names.defaultName)
		return
	}
	any := false
	for c := range e.t.NamedChildren(i) {
		switch e.t.Lang.KindName(e.nodes[c].Kind) {
		case "export_clause":
			any = true
			for s := range e.t.NamedChildren(c) {
				name, alias := e.child(s, e.f.name), e.child(s, e.f.alias)
				if name == syntax.None {
					continue
				}
				im := facts.Import{Path: path, Name: e.propertyName(name), Flags: flags}
				im.Alias = im.Name
				if alias != syntax.None {
					im.Alias = e.propertyName(alias)
				}
				if e.word(s, "type") {
					im.Flags |= facts.ImportTypeOnly
				}
				at := source
				if at == syntax.None {
					at = name
				}
				e.addImport(im, at)
			}
		case "namespace_export":
			any = true
			e.addImport(facts.Import{Path: path, Name: e.names.all, Alias: e.propertyName(e.t.FirstNamed(c)), Flags: flags}, source)
		}
	}
	switch {
	case any:
	case e.word(i, "*") && path != 0:
		e.addImport(facts.Import{Path: path, Name: e.names.all, Flags: flags}, source)
	case e.word(i, "=") || isDefault: // export = x
		if v := e.t.FirstNamed(i); v != syntax.None {
			name := e.names.whole
			if isDefault {
				name = e.names.defaultName
			}
			e.exportValue(i, v, name)
		}
	default:
		if path != 0 {
			e.addImport(facts.Import{Path: path, Flags: flags &^ facts.ImportReExport}, source)
			return
		}
		for c := range e.t.NamedChildren(i) { // decorators and what did not parse
			if e.class(c) != classDecorator {
				e.stmt(c)
			}
		}
	}
}

// showExported makes what the file names in export { a as b } or export default a
// public: others can use it, by whatever name.
func (e *extractor) showExported() {
	named := map[facts.Str]bool{}
	for i := range e.b.Imports {
		if im := &e.b.Imports[i]; im.Flags&facts.ImportReExport != 0 && im.Path == 0 {
			named[im.Name] = true
		}
	}
	if len(named) == 0 {
		return
	}
	for i := range e.b.Decls {
		if d := &e.b.Decls[i]; d.Parent == none && named[d.Name] && d.Traits&(facts.TraitLiteral|facts.TraitAnonymous) == 0 {
			d.Vis = graph.Public
		}
	}
}

// exported adds a declaration that is exported.
func (e *extractor) exported(i, d syntax.ID, isDefault bool) {
	from := len(e.b.Decls)
	e.statementAt(d, i)
	for k := from; k < len(e.b.Decls); k++ {
		p := &e.b.Decls[k]
		if p.Parent != e.owner || p.Traits&(facts.TraitLiteral|facts.TraitAnonymous|facts.TraitOverload) != 0 && p.Traits&facts.TraitOverload == 0 {
			continue
		}
		p.Vis = graph.Public
		if isDefault {
			p.Vis = graph.Private
			if p.Name == e.names.defaultName {
				p.Vis = graph.Public
			} else if p.Traits&facts.TraitOverload == 0 {
				e.addImport(facts.Import{Name: p.Name, Alias: e.names.defaultName, Flags: facts.ImportReExport}, d)
			}
			if p.Kind.IsType() || p.Kind.IsCallable() {
				p.Vis = graph.Public // under another name
			}
		}
	}
}

// exportValue adds what export default and export = give.
func (e *extractor) exportValue(i, v syntax.ID, as facts.Str) {
	if e.is(v, classIdentifier) {
		e.addImport(facts.Import{Name: e.str(v), Alias: as, Flags: facts.ImportReExport}, v)
		e.expr(v)
		return
	}
	for e.is(v, classParen) && e.t.FirstNamed(v) != syntax.None {
		v = e.t.FirstNamed(v)
	}
	if e.is(v, classClassExpr) && e.owner == none && e.bodies == 0 {
		name := e.child(v, e.f.name)
		if s := e.str(name); s != 0 {
			if _, taken := e.tops[s]; !taken { // it is exported under another name
				e.b.Decls[e.classAs(v, i, true)].Vis = graph.Public
				e.addImport(facts.Import{Name: s, Alias: as, Flags: facts.ImportReExport}, name)
				return
			}
		}
	}
	d := e.variable(as, syntax.None, i, syntax.None, v)
	e.b.Decls[d].Vis = graph.Public
}

// moduleOf adds the module that a call of require or import with a constant
// gives; None where it is no such call.
func (e *extractor) moduleOf(i syntax.ID) facts.ExprID {
	fn, args := e.child(i, e.f.function), e.child(i, e.f.arguments)
	if fn == syntax.None || !e.is(args, classArguments) {
		return none
	}
	dynamic := e.class(fn) == classImportWord
	if !dynamic {
		if e.class(fn) != classIdentifier || e.str(fn) != e.names.require || e.b.Lookup(e.names.require) != none {
			return none
		}
		if _, ok := e.tops[e.names.require]; ok {
			return none
		}
	}
	a := e.t.FirstNamed(args)
	if a == syntax.None || e.class(a) != classString && !(e.class(a) == classTemplate && e.childOf(a, classSubstitution) == syntax.None) {
		return none
	}
	path := e.b.Intern(e.unquoted(a))
	if path == 0 {
		return none
	}
	name := e.names.whole
	if dynamic {
		name = e.names.all
	} else {
		e.common = true
	}
	im := facts.Import{Path: path, Name: name}
	if e.bodies > 0 || dynamic {
		im.Flags = facts.ImportLater
	}
	e.addImport(im, a)
	x := e.add(facts.Expr{Op: facts.OpModule, Name: path, X: none, Y: none}, a)
	if dynamic {
		e.b.Exprs[x].N = 1
	}
	return x
}
