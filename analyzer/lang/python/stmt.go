package python

import (
	"bytes"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// stmts adds the statements below a node and reports whether control does not
// come to their end. It recurses over the tree, not deeper than maxDepth.
func (e *extractor) stmts(i syntax.ID) (dead bool) {
	if i == syntax.None {
		return false
	}
	for c := range e.t.NamedChildren(i) {
		dead = e.stmt(c) || dead
	}
	return dead
}

func (e *extractor) stmt(i syntax.ID) bool {
	if e.depth >= maxDepth {
		e.unparsed(i)
		return false
	}
	e.depth++
	dead := e.stmtAt(i)
	e.depth--
	return dead
}

func (e *extractor) stmtAt(i syntax.ID) bool {
	switch e.class(i) {
	case classExpressionStatement:
		for c := range e.t.NamedChildren(i) {
			e.fills(c, e.expr(c))
		}
	case classReturn:
		x := facts.ExprID(none)
		if c := e.t.FirstNamed(i); c != syntax.None {
			x = e.expr(c)
		} else {
			x = e.literal("null", i)
		}
		if e.function != none {
			e.flow(facts.FlowReturn, 0, int32(e.function), x)
		}
		return true
	case classRaise:
		first := true
		for c := range e.t.NamedChildren(i) {
			x := e.expr(c)
			if first {
				e.flow(facts.FlowThrow, 0, 0, x)
			}
			first = false
		}
		return true
	case classAssert:
		cond := syntax.ID(syntax.None)
		for c := range e.t.NamedChildren(i) {
			e.expr(c)
			if cond == syntax.None {
				cond = c
			}
		}
		e.narrow(cond, true)
	case classDelete:
		for c := range e.t.NamedChildren(i) {
			e.remove(c)
		}
	case classBreak, classContinue:
		e.leave()
		return true
	case classIf:
		return e.ifStmt(i)
	case classWhile:
		cond := e.child(i, fieldCondition)
		l, heads := e.openLoop(i)
		e.expr(cond)
		e.narrow(cond, true)
		dead := e.stmts(e.child(i, fieldBody))
		e.closeLoop(l, heads, dead)
		e.elseOf(i)
	case classFor:
		over := e.expr(e.child(i, fieldRight))
		l, heads := e.openLoop(i)
		e.assign(e.child(i, fieldLeft), e.looped(i, over), none)
		dead := e.stmts(e.child(i, fieldBody))
		e.closeLoop(l, heads, dead)
		e.elseOf(i)
	case classTry:
		return e.try(i)
	case classWith:
		return e.with(i)
	case classMatch:
		return e.match(i)
	case classImport:
		e.importStmt(i)
	case classImportFrom:
		e.importFrom(i)
	case classFutureImport, classGlobal, classNonlocal:
	case classFunction:
		e.functionDecl(i, i, nil)
	case classClass:
		e.classDecl(i, i, nil)
	case classDecorated:
		e.decorated(i)
	case classTypeAlias:
		e.typeAlias(i)
	case classBlock, classError, classElse:
		return e.stmts(i)
	case classComment:
	default:
		e.expr(i)
	}
	return false
}

// remove adds what a del statement names.
func (e *extractor) remove(i syntax.ID) {
	if k := e.class(i); k == classExpressionList || k == classTuple {
		for c := range e.t.NamedChildren(i) {
			e.removed(c)
		}
		return
	}
	e.removed(i)
}

func (e *extractor) removed(i syntax.ID) {
	if x := e.expr(i); x != none && (e.b.Exprs[x].Op == facts.OpIndex || e.b.Exprs[x].Op == facts.OpSelect) {
		e.b.Exprs[x].Flags |= facts.FlagWrite | facts.FlagLater
	}
}

// elseOf adds the else of a loop.
func (e *extractor) elseOf(i syntax.ID) {
	for c := range e.t.ChildrenByField(i, fieldAlternative) {
		mark := e.fork()
		dead := e.stmts(e.child(c, fieldBody))
		e.meet(branch{}, e.rejoin(mark, dead))
	}
}

// ifStmt adds an if with its other branches, which are alternatives.
func (e *extractor) ifStmt(i syntax.ID) bool {
	var branches []branch
	alt, typing := e.alt, e.typing
	open := e.fork()
	run := func(cond, body syntax.ID) bool {
		e.expr(cond)
		outer, outerTyping := e.alt, e.typing
		first, second := e.choice(cond)
		e.alt = outer || first
		e.typing = e.typing || typeChecking(e.t.Text(cond))
		mark := e.fork()
		e.narrow(cond, true)
		later := e.later
		e.later = later || e.inner().kind == scopeModule && runByName(e.t.Text(cond))
		dead := e.stmts(body)
		e.later = later
		branches = append(branches, e.rejoin(mark, dead))
		e.alt, e.typing = outer || second, outerTyping
		e.narrow(cond, false)
		return dead
	}
	all := run(e.child(i, fieldCondition), e.child(i, fieldConsequence))
	last := false
	for c := range e.t.ChildrenByField(i, fieldAlternative) {
		if e.class(c) == classElif {
			all = run(e.child(c, fieldCondition), e.child(c, fieldConsequence)) && all
			continue
		}
		last = true
		mark := e.fork()
		dead := e.stmts(e.child(c, fieldBody))
		branches = append(branches, e.rejoin(mark, dead))
		all = dead && all
	}
	e.alt, e.typing = alt, typing
	if !last { // none of them: what the conditions leave
		end := e.rejoin(open, false)
		branches = append(branches, end)
		all = false
	} else {
		e.rejoin(open, true)
	}
	e.meet(branches...)
	return all
}

// runByName reports whether a condition holds only in the module that a program is
// started with, not in one that is imported.
func runByName(cond []byte) bool {
	s := strings.Trim(strings.ReplaceAll(string(cond[:min(len(cond), 64)]), "'", `"`), "() ")
	return s == `__name__ == "__main__"` || s == `"__main__" == __name__`
}

// choice says which branch of an if is an alternative to the other: for
// versions and platforms the older and rarer one.
func (e *extractor) choice(cond syntax.ID) (first, second bool) {
	text := e.t.Text(cond)
	if bytes.HasPrefix(text, []byte("sys.version_info <")) || bytes.HasPrefix(text, []byte(`sys.platform == "win32"`)) ||
		bytes.HasPrefix(text, []byte("sys.platform == 'win32'")) {
		return true, false
	}
	return false, true
}

func typeChecking(cond []byte) bool {
	return string(cond) == "TYPE_CHECKING" || string(cond) == "typing.TYPE_CHECKING" || string(cond) == "t.TYPE_CHECKING"
}

func (e *extractor) try(i syntax.ID) bool {
	start := e.fork()
	optional := e.optional
	e.optional |= e.caught(i)
	dead := e.stmts(e.child(i, fieldBody))
	e.optional = optional
	body := e.rejoin(start, dead)
	var branches []branch
	alt := e.alt
	handlers := false
	var finally syntax.ID = syntax.None
	elseDone := false
	finish := func(b branch, c syntax.ID) { // the else of a try goes on where the body ends
		elseDone = true
		mark := e.fork()
		e.meet(b)
		d := b.dead
		if c != syntax.None {
			d = e.stmts(e.child(c, fieldBody)) || d
		}
		branches = append(branches, e.rejoin(mark, d))
	}
	elseNode := e.childOf(i, classElse)
	finish(body, elseNode)
	_ = elseDone
	for c := range e.t.NamedChildren(i) {
		switch e.class(c) {
		case classExcept:
			handlers = true
			mark := e.fork()
			before := body
			before.dead = false
			e.meet(branch{}, before) // anywhere in the body
			e.alt = true
			d := e.except(c)
			e.alt = alt
			branches = append(branches, e.rejoin(mark, d))
		case classFinally:
			finally = c
		}
	}
	e.meet(branches...)
	all := true
	for _, b := range branches {
		all = all && b.dead
	}
	if !handlers {
		all = dead
	}
	if finally != syntax.None {
		if b := e.childOf(finally, classBlock); b != syntax.None {
			all = e.stmts(b) || all
		}
	}
	return all
}

// caught returns what the handlers of a try say of imports in its body: that the code
// goes on without what is imported. A handler that raises in the end only says it in
// another way.
func (e *extractor) caught(i syntax.ID) (flags facts.ImportFlags) {
	for c := range e.t.NamedChildren(i) {
		if e.class(c) != classExcept {
			continue
		}
		last := syntax.ID(syntax.None)
		if b := e.childOf(c, classBlock); b != syntax.None {
			for s := range e.t.NamedChildren(b) {
				if e.class(s) != classComment {
					last = s
				}
			}
		}
		caught := facts.ImportOptional | facts.ImportOptionalModule
		if v := e.child(c, fieldValue); v != syntax.None {
			caught = e.catches(v, 0)
		}
		if last != syntax.None && e.class(last) != classRaise && !e.exits(last) {
			flags |= caught
		}
		if caught&facts.ImportOptional != 0 {
			break // those behind it never run
		}
	}
	return flags
}

// catches returns what an exception, or one of several, is when an import fails: that
// of any failure, or that of a module that is not there.
func (e *extractor) catches(i syntax.ID, depth int) (flags facts.ImportFlags) {
	switch e.class(i) {
	case classTuple, classAsPattern, classParen, classArguments:
		for c := range e.t.NamedChildren(i) {
			if depth < 2 {
				flags |= e.catches(c, depth+1)
			}
			if e.class(i) == classAsPattern {
				break
			}
		}
		return flags
	}
	switch string(e.t.Text(i)) {
	case "ImportError", "Exception", "BaseException":
		return facts.ImportOptional | facts.ImportOptionalModule
	case "ModuleNotFoundError":
		return facts.ImportOptionalModule
	}
	return 0
}

// exits reports whether a statement ends the program.
func (e *extractor) exits(i syntax.ID) bool {
	text := e.t.Text(i)
	return e.class(i) == classExpressionStatement && (bytes.HasPrefix(text, []byte("sys.exit(")) || bytes.HasPrefix(text, []byte("exit(")))
}

// suppressed returns what a with statement says of imports in its body: see caught.
func (e *extractor) suppressed(i syntax.ID) (flags facts.ImportFlags) {
	c := e.childOf(i, classWithClause)
	if c == syntax.None {
		return 0
	}
	for item := range e.t.NamedChildren(c) {
		v := e.child(item, fieldValue)
		if v != syntax.None && e.class(v) == classAsPattern {
			v = e.t.FirstNamed(v)
		}
		if v == syntax.None || e.class(v) != classCall {
			continue
		}
		switch string(e.t.Text(e.child(v, fieldFunction))) {
		case "suppress", "contextlib.suppress":
			if args := e.childOf(v, classArguments); args != syntax.None {
				flags |= e.catches(args, 0)
			}
		}
	}
	return flags
}

// onlyTypes marks the names of classes, one or several, that are asked for as types.
func (e *extractor) onlyTypes(x facts.ExprID) {
	if x == none {
		return
	}
	switch y := &e.b.Exprs[x]; y.Op {
	case facts.OpName, facts.OpSelect:
		y.Flags |= facts.FlagTyped
	case facts.OpComposite:
		for _, a := range e.b.List(y.Args) {
			if z := &e.b.Exprs[a]; z.Op == facts.OpName || z.Op == facts.OpSelect {
				z.Flags |= facts.FlagTyped
			}
		}
	}
}

// except adds a handler.
func (e *extractor) except(i syntax.ID) bool {
	v := e.child(i, fieldValue)
	alias := e.child(i, fieldAlias)
	if v != syntax.None && e.class(v) == classAsPattern {
		if a := e.child(v, fieldAlias); a != syntax.None {
			alias = a
		}
		v = e.t.FirstNamed(v)
	}
	if v != syntax.None {
		x := e.expr(v)
		e.onlyTypes(x)
		if alias != syntax.None && x != none {
			if e.hasToken(i, tokenStar) { // a group of them
				x = e.generic("ExceptionGroup", x)
			}
			caught := e.b.AddExpr(facts.Expr{Op: facts.OpAssert, X: e.nothing(), Y: x})
			e.assign(alias, caught, none)
		}
	}
	dead := false
	for c := range e.t.NamedChildren(i) {
		if e.class(c) == classBlock {
			dead = e.stmts(c)
		}
	}
	return dead
}

func (e *extractor) with(i syntax.ID) bool {
	async := e.hasToken(i, tokenAsync)
	if c := e.childOf(i, classWithClause); c != syntax.None {
		for item := range e.t.NamedChildren(c) {
			e.withItem(i, item, async)
		}
	}
	optional := e.optional
	e.optional |= e.suppressed(i)
	e.stmts(e.child(i, fieldBody))
	e.optional = optional
	return false
}

// withItem adds what stands between with and the colon of the statement at.
func (e *extractor) withItem(at, i syntax.ID, async bool) {
	v := e.child(i, fieldValue)
	if v == syntax.None {
		e.expr(i)
		return
	}
	var targets []syntax.ID
	if e.class(v) == classAsPattern {
		if a := e.child(v, fieldAlias); a != syntax.None {
			targets = append(targets, a)
		}
		v = e.t.FirstNamed(v)
	}
	if e.class(v) == classTuple { // with (a as b, c as d):
		for c := range e.t.NamedChildren(v) {
			w := c
			target := syntax.ID(syntax.None)
			if e.class(c) == classAsPattern {
				target, w = e.child(c, fieldAlias), e.t.FirstNamed(c)
			}
			e.enter(at, e.expr(w), target, async)
		}
		return
	}
	x := e.expr(v)
	if len(targets) == 0 {
		targets = append(targets, syntax.None)
	}
	e.enter(at, x, targets[0], async)
}

// enter adds what a with statement calls, and binds what that gives.
func (e *extractor) enter(at syntax.ID, x facts.ExprID, target syntax.ID, async bool) {
	if x == none {
		return
	}
	name, exit := "__enter__", "__exit__"
	if async {
		name, exit = "__aenter__", "__aexit__"
	}
	call := func(name string) facts.ExprID {
		s := e.b.AddExpr(facts.Expr{Op: facts.OpSelect, Name: e.b.InternString(name), X: x, Y: none})
		return e.add(facts.Expr{Op: facts.OpCall, N: 1, X: s, Y: none}, at)
	}
	v := call(name)
	if async {
		v = e.b.AddExpr(facts.Expr{Op: facts.OpAwait, X: v, Y: none})
	}
	call(exit)
	e.assign(target, v, none)
}

// decorated adds a function or class with decorators.
func (e *extractor) decorated(i syntax.ID) {
	var marks []syntax.ID
	for c := range e.t.NamedChildren(i) {
		if e.class(c) == classDecorator {
			marks = append(marks, c)
		}
	}
	d := e.child(i, fieldDefinition)
	if d == syntax.None {
		return
	}
	switch e.class(d) {
	case classFunction:
		e.functionDecl(d, i, marks)
	case classClass:
		e.classDecl(d, i, marks)
	}
}

// typeAlias adds type X = Y.
func (e *extractor) typeAlias(i syntax.ID) {
	left, right := e.child(i, fieldLeft), e.child(i, fieldRight)
	if left == syntax.None || right == syntax.None {
		return
	}
	name := left
	for e.class(name) != classIdentifier {
		c := e.t.FirstNamed(name)
		if c == syntax.None {
			return
		}
		name = c
	}
	s := e.inner()
	if s.kind == scopeFunction {
		x := e.typeExpr(right)
		e.bindLocal(e.str(name), facts.Local{Decl: none, Type: none, Value: x, Next: none})
		return
	}
	kind := graph.KindVariable
	if s.kind == scopeClass {
		kind = graph.KindField
	}
	owner := e.owner
	d := e.declare(kind, name, i)
	s.names[e.str(name)] = d
	e.owner = d
	x := e.typeExpr(right)
	e.owner = owner
	e.b.Decls[d].Value = x
	e.flow(facts.FlowDefine, int32(d), 0, x)
	e.b.EndDecl(d)
	e.skips = append(e.skips, i)
	e.hashCode(d, right)
	e.signVariable(d, name, syntax.None)
}
