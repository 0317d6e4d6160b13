package typescript

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// stmt adds the declarations, expressions, locals and flows of a statement. It
// recurses over the tree, not deeper than maxDepth.
func (e *extractor) stmt(i syntax.ID) { e.statementAt(i, i) }

// statementAt is stmt of a statement that another, its export or declare, is
// around.
func (e *extractor) statementAt(i, def syntax.ID) {
	if i == syntax.None {
		return
	}
	if e.depth >= maxDepth {
		e.unparsed(i)
		return
	}
	e.depth++
	e.stmtAt(i, def)
	e.depth--
}

func (e *extractor) stmts(i syntax.ID) {
	for c := range e.t.NamedChildren(i) {
		e.stmt(c)
	}
}

// block adds the statements of a block, whose names end with it.
func (e *extractor) block(i syntax.ID) {
	e.b.Push()
	e.bodies++
	e.hoist(i)
	e.stmts(i)
	e.bodies--
	e.b.Pop()
}

// top reports whether declarations are ones of the file or of a namespace.
func (e *extractor) atTop() bool { return e.bodies == 0 }

func (e *extractor) stmtAt(i, def syntax.ID) {
	switch e.class(i) {
	case classImport:
		e.importStmt(i)
	case classExport:
		e.exportStmt(i)
	case classImportAlias:
		e.importAlias(i)
	case classAmbient:
		e.ambient(i, def)
	case classFunction, classGenerator, classFunctionSignature:
		e.functionDecl(i, def)
	case classClass, classAbstractClass:
		e.classDecl(i, def)
	case classInterface:
		e.interfaceDecl(i, def)
	case classEnum:
		e.enumDecl(i, def)
	case classTypeAlias:
		e.aliasDecl(i, def)
	case classInternalModule, classModule:
		e.namespaceDecl(i, def)
	case classLexical, classVariable:
		e.variables(i, def)
	case classBlock:
		e.block(i)
	case classExpressionStatement:
		e.expressionStatement(i)
	case classReturn:
		if v := e.t.FirstNamed(i); v != syntax.None {
			e.returned(e.expr(v))
		}
	case classThrow:
		e.flow(facts.FlowThrow, 0, 0, e.expr(e.t.FirstNamed(i)))
	case classIf:
		e.ifStmt(i)
	case classFor:
		e.b.Push()
		e.bodies++
		init := e.child(i, e.f.init)
		if init != syntax.None {
			e.hoistStmt(init)
			e.stmt(init)
		}
		for _, f := range [...]syntax.Field{e.f.condition, e.f.increment} {
			if c := e.child(i, f); c != syntax.None && e.nodes[c].Named() {
				e.stmt(c)
			}
		}
		e.stmt(e.child(i, e.f.body))
		e.bodies--
		e.b.Pop()
	case classForIn:
		e.forIn(i)
	case classWhile:
		cond := e.child(i, e.f.condition)
		mark := e.condition(cond)
		e.b.Push()
		e.narrow(cond, true, mark)
		e.stmt(e.child(i, e.f.body))
		e.b.Pop()
		e.tested = e.tested[:mark]
	case classDo:
		e.stmt(e.child(i, e.f.body))
		e.expr(e.child(i, e.f.condition))
	case classSwitch:
		e.switchStmt(i)
	case classTry:
		e.stmt(e.child(i, e.f.body))
		if h := e.child(i, e.f.handler); h != syntax.None {
			e.b.Push()
			e.bodies++
			if p := e.child(h, e.f.param); p != syntax.None {
				t := facts.ExprID(none)
				if a := e.child(h, e.f.typ); a != syntax.None {
					t = e.annotation(a)
				}
				e.pattern(p, none, func(n syntax.ID, s facts.Str, v facts.ExprID) {
					if s != 0 {
						e.b.Bind(e.b.AddLocal(facts.Local{Name: s, Decl: none, Type: t, Value: v, Next: none}))
					}
				})
			}
			e.stmt(e.child(h, e.f.body))
			e.bodies--
			e.b.Pop()
		}
		if f := e.child(i, e.f.finalizer); f != syntax.None {
			e.stmt(e.child(f, e.f.body))
		}
	case classLabeled:
		e.stmt(e.child(i, e.f.body))
	case classWith: // names may mean anything in there
		e.expr(e.child(i, e.f.object))
	case classJump, classComment, classHashBang, classJSXText:
	case classError, classOther, classElse, classHeritage, classClassBody:
		for c := range e.t.NamedChildren(i) {
			e.stmt(c)
		}
	default:
		if e.atTop() {
			e.bodies++
			e.expr(i)
			e.bodies--
			return
		}
		e.expr(i)
	}
}

// expressionStatement adds an expression whose value is not used.
func (e *extractor) expressionStatement(i syntax.ID) {
	v := e.t.FirstNamed(i)
	if v == syntax.None {
		return
	}
	top := e.atTop()
	if top && e.is(v, classAssign) && e.commonJS(v) {
		return
	}
	if k := e.class(v); k == classInternalModule { // namespace N {}
		e.stmt(v)
		return
	}
	if top {
		e.bodies++
		e.statement = v
	}
	x := e.expr(v)
	if top {
		e.bodies--
	}
	if e.b.Exprs[x].Op == facts.OpCall {
		e.b.Exprs[x].N = 0
		e.asserted(v, x)
	}
}

// ambient adds what stands behind declare.
func (e *extractor) ambient(i, def syntax.ID) {
	if e.word(i, "global") {
		if b := e.childOf(i, classBlock); b != syntax.None {
			e.module = true
			e.globals(b)
			return
		}
	}
	if def == i || e.class(def) == classExport {
		for c := range e.t.NamedChildren(i) {
			e.statementAt(c, i)
		}
	}
}

// importAlias adds import a = b.c.
func (e *extractor) importAlias(i syntax.ID) {
	name, value := syntax.ID(syntax.None), syntax.ID(syntax.None)
	for c := range e.t.NamedChildren(i) {
		if name == syntax.None {
			name = c
		} else {
			value = c
		}
	}
	if value == syntax.None || e.bodies > 0 {
		return
	}
	s := e.str(name)
	d := e.declare(graph.KindTypeAlias, s, name, i)
	e.b.Decls[d].Traits |= facts.TraitAlias
	owner := e.owner
	e.owner = d
	t := e.typeExpr(value)
	e.b.Decls[d].Type = t
	e.owner = owner
	e.b.EndDecl(d)
}

func (e *extractor) ifStmt(i syntax.ID) {
	cond := e.child(i, e.f.condition)
	mark := e.condition(cond)
	yes, alt := e.child(i, e.f.consequence), e.child(i, e.f.alternative)
	e.b.Push()
	e.narrow(cond, true, mark)
	e.inside(yes)
	e.b.Pop()
	if alt != syntax.None {
		e.b.Push()
		e.narrow(cond, false, mark)
		for c := range e.t.NamedChildren(alt) {
			e.inside(c)
		}
		e.b.Pop()
	}
	switch {
	case e.leaves(yes):
		e.narrow(cond, false, mark)
	case alt != syntax.None && e.leaves(e.t.FirstNamed(alt)):
		e.narrow(cond, true, mark)
	}
	e.tested = e.tested[:mark]
}

// inside adds a statement whose declarations are no declarations of the file.
func (e *extractor) inside(i syntax.ID) {
	e.bodies++
	e.stmt(i)
	e.bodies--
}

// leaves reports whether what follows a statement is not reached through it.
func (e *extractor) leaves(i syntax.ID) bool {
	for depth := 0; i != syntax.None && depth < 64; depth++ {
		switch e.class(i) {
		case classReturn, classThrow:
			return true
		case classJump:
			return e.t.Lang.KindName(e.nodes[i].Kind) != "debugger_statement" && e.t.Lang.KindName(e.nodes[i].Kind) != "empty_statement"
		case classBlock:
			last := syntax.ID(syntax.None)
			for c := range e.t.NamedChildren(i) {
				last = c
			}
			i = last
			continue
		}
		return false
	}
	return false
}

func (e *extractor) forIn(i syntax.ID) {
	e.b.Push()
	e.bodies++
	left := e.child(i, e.f.left)
	declared := e.child(i, e.f.kind) != syntax.None
	x := e.expr(e.child(i, e.f.right))
	op := facts.OpRangeVal
	if e.reads(e.child(i, e.f.operator), "in") {
		op = facts.OpRangeKey
	}
	v := e.operation(facts.Expr{Op: op, X: x, Y: none}, x)
	if e.word(i, "await") {
		e.b.Exprs[v].N = 1
	}
	e.b.Exprs[v].Line, e.b.Exprs[v].Col = 0, 0
	if declared || e.is(left, classIdentifier) && e.b.Lookup(e.str(left)) == none {
		e.hoistPattern(left, 0)
		e.pattern(left, v, func(n syntax.ID, s facts.Str, v facts.ExprID) {
			if s != 0 {
				e.bindName(s, none, v)
			}
		})
	} else {
		e.pattern(left, v, func(n syntax.ID, s facts.Str, v facts.ExprID) {
			to := e.target(n, facts.FlagWrite)
			e.assigned(to, v)
		})
	}
	e.stmt(e.child(i, e.f.body))
	e.bodies--
	e.b.Pop()
}

func (e *extractor) switchStmt(i syntax.ID) {
	value := e.child(i, e.f.value)
	x := e.expr(value)
	for e.is(value, classParen) && e.t.FirstNamed(value) != syntax.None {
		value = e.t.FirstNamed(value)
	}
	body := e.child(i, e.f.body)
	if body == syntax.None {
		return
	}
	e.b.Push()
	e.bodies++
	for c := range e.t.NamedChildren(body) {
		for s := range e.t.NamedChildren(c) {
			e.hoistStmt(s)
		}
	}
	// Values of cases that fall through come together.
	var open []caseValue
	for c := range e.t.NamedChildren(body) {
		v := e.child(c, e.f.value)
		if v != syntax.None {
			k := e.expr(v)
			open = append(open, caseValue{v, k})
		}
		last, any := syntax.ID(syntax.None), false
		e.b.Push()
		if len(open) > 0 && e.class(c) == classCase {
			e.narrowCase(value, x, open)
		}
		for s := range e.t.NamedChildren(c) {
			if s != v {
				any, last = true, s
				e.stmt(s)
			}
		}
		e.b.Pop()
		if any && e.leaves(last) {
			open = open[:0]
		}
	}
	e.bodies--
	e.b.Pop()
}
