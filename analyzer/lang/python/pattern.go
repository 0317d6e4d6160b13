package python

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// What conditions and patterns say about the types of variables.

// narrow gives the variables that a condition speaks of the types that it leaves
// them: where it holds, or where it does not.
func (e *extractor) narrow(cond syntax.ID, holds bool) {
	if cond == syntax.None || e.inner().kind != scopeFunction {
		return
	}
	for range maxDepth {
		switch e.class(cond) {
		case classParen:
			cond = e.t.FirstNamed(cond)
			if cond == syntax.None {
				return
			}
			continue
		case classNot:
			cond, holds = e.child(cond, fieldArgument), !holds
			if cond == syntax.None {
				return
			}
			continue
		case classBoolean:
			op := e.child(cond, fieldOperator)
			and := op != syntax.None && e.nodes[op].Kind == tokenAnd
			if and != holds { // one of them: nothing is sure
				return
			}
			var chain []syntax.ID
			for e.class(cond) == classBoolean && len(chain) < maxDepth {
				if o := e.child(cond, fieldOperator); o == syntax.None || (e.nodes[o].Kind == tokenAnd) != and {
					break
				}
				chain = append(chain, e.child(cond, fieldRight))
				cond = e.child(cond, fieldLeft)
				if cond == syntax.None {
					return
				}
			}
			for _, c := range chain {
				if c != syntax.None && e.class(c) != classBoolean {
					e.narrow(c, holds)
				}
			}
			continue
		}
		break
	}
	if e.class(cond) == classComparison && holds {
		e.sameClass(cond)
		return
	}
	if e.class(cond) != classCall {
		return
	}
	fn, args := e.child(cond, fieldFunction), e.child(cond, fieldArguments)
	if fn == syntax.None || args == syntax.None || e.class(fn) != classIdentifier {
		return
	}
	meta := false
	switch string(e.t.Text(fn)) {
	case "isinstance":
	case "issubclass":
		meta = true
	default:
		return
	}
	var parts []syntax.ID
	for c := range e.t.NamedChildren(args) {
		parts = append(parts, c)
	}
	if len(parts) != 2 || meta && !holds {
		return
	}
	name := parts[0]
	if e.class(name) == classNamedExpr {
		name = e.child(name, fieldName)
	}
	e.seeAs(name, func(x facts.ExprID) facts.ExprID {
		y := e.silent(parts[1])
		f := facts.ExprFlags(0)
		if meta {
			f = facts.FlagTyped
		} else if !holds {
			f = facts.FlagLater
		}
		return e.b.AddExpr(facts.Expr{Op: facts.OpAssert, Flags: f, X: x, Y: y})
	})
}

// sameClass narrows the variable of type(x) is C and type(x) == C.
func (e *extractor) sameClass(cond syntax.ID) {
	var sides []syntax.ID
	op := ""
	for c := range e.t.Children(cond) {
		if e.nodes[c].Field == fieldOperators {
			op += e.t.String(c)
		} else if e.nodes[c].Named() && e.class(c) != classComment {
			sides = append(sides, c)
		}
	}
	if len(sides) != 2 || op != "is" && op != "==" || e.class(sides[0]) != classCall {
		return
	}
	fn, args := e.child(sides[0], fieldFunction), e.child(sides[0], fieldArguments)
	if fn == syntax.None || args == syntax.None || e.class(fn) != classIdentifier || string(e.t.Text(fn)) != "type" {
		return
	}
	of := e.t.FirstNamed(args)
	if of == syntax.None || e.nodes[of].Next < e.nodes[args].Next-1 && e.class(of) != classIdentifier {
		return
	}
	e.seeAs(of, func(x facts.ExprID) facts.ExprID {
		return e.b.AddExpr(facts.Expr{Op: facts.OpAssert, X: x, Y: e.silent(sides[1])})
	})
}

// silent adds an expression that stands in the source once more.
func (e *extractor) silent(i syntax.ID) facts.ExprID {
	lo := len(e.b.Exprs)
	x := e.expr(i)
	for k := lo; k < len(e.b.Exprs); k++ {
		e.b.Exprs[k].Line, e.b.Exprs[k].Col = 0, 0
	}
	if x == none {
		return e.nothing()
	}
	return x
}

// seeAs lets a variable be seen as another type from here on.
func (e *extractor) seeAs(name syntax.ID, as func(facts.ExprID) facts.ExprID) {
	if name == syntax.None || e.class(name) != classIdentifier {
		return
	}
	s := e.inner()
	v, ok := s.vars[e.str(name)]
	if !ok || s.free[e.str(name)] || s.cur[v] == none {
		return
	}
	if id, member := e.lookup(e.str(name)); member || id != s.cur[v] {
		return
	}
	x := e.silent(name)
	y := as(x)
	e.narrowed(s, v, facts.Local{Decl: none, Type: none, Value: y, Next: none})
}

// match adds a match statement: its cases are branches.
func (e *extractor) match(i syntax.ID) bool {
	subject := e.child(i, fieldSubject)
	x := e.expr(subject)
	body := e.child(i, fieldBody)
	if body == syntax.None {
		return false
	}
	var branches []branch
	all, last := true, false
	for c := range e.t.NamedChildren(body) {
		if e.class(c) != classCase {
			continue
		}
		mark := e.fork()
		for p := range e.t.NamedChildren(c) {
			if e.class(p) == classCasePattern {
				e.pattern(p, x, subject)
				last = last || e.wild(p) && e.child(c, fieldGuard) == syntax.None
			}
		}
		if g := e.child(c, fieldGuard); g != syntax.None {
			e.expr(e.t.FirstNamed(g))
			e.narrow(e.t.FirstNamed(g), true)
		}
		dead := e.stmts(e.child(c, fieldConsequence))
		branches = append(branches, e.rejoin(mark, dead))
		all = all && dead
	}
	if !last {
		branches = append(branches, branch{})
	}
	e.meet(branches...)
	return all && last && len(branches) > 0
}

// wild reports whether a pattern takes any value.
func (e *extractor) wild(p syntax.ID) bool {
	t := string(e.t.Text(p))
	return t == "_" || identifier(t)
}

// pattern adds what a pattern names and binds; x is the value that it is
// compared with, subject its place when it is a variable.
func (e *extractor) pattern(p syntax.ID, x facts.ExprID, subject syntax.ID) {
	if p == syntax.None {
		return
	}
	if e.depth >= maxDepth {
		e.unparsed(p)
		return
	}
	e.depth++
	defer func() { e.depth-- }()
	switch e.class(p) {
	case classCasePattern:
		if c := e.t.FirstNamed(p); c != syntax.None {
			e.pattern(c, x, subject)
		}
	case classAsPattern:
		var parts []syntax.ID
		for c := range e.t.NamedChildren(p) {
			parts = append(parts, c)
		}
		if len(parts) > 0 {
			y := e.matched(parts[0], x)
			e.pattern(parts[0], x, subject)
			if len(parts) > 1 {
				e.capture(parts[len(parts)-1], y)
			}
		}
	case classDottedName:
		parts := 0
		for range e.t.NamedChildren(p) {
			parts++
		}
		if parts == 1 {
			e.capture(p, x)
			return
		}
		e.dotted(p)
	case classIdentifier:
		e.capture(p, x)
	case classClassPattern:
		y := facts.ExprID(none)
		first := true
		place := int16(0)
		for c := range e.t.NamedChildren(p) {
			if first {
				first = false
				cls := e.dotted(c)
				y = e.b.AddExpr(facts.Expr{Op: facts.OpAssert, X: x, Y: cls})
				e.seeAs(subject, func(v facts.ExprID) facts.ExprID {
					return e.b.AddExpr(facts.Expr{Op: facts.OpAssert, X: v, Y: cls})
				})
				continue
			}
			q := c
			if e.class(q) == classCasePattern {
				if k := e.t.FirstNamed(q); k != syntax.None && e.class(k) == classKeywordPattern {
					q = k
				}
			}
			if e.class(q) == classKeywordPattern {
				var kw []syntax.ID
				for k := range e.t.NamedChildren(q) {
					kw = append(kw, k)
				}
				if len(kw) == 2 {
					v := e.add(facts.Expr{Op: facts.OpSelect, Name: e.str(kw[0]), X: y, Y: none}, kw[0])
					e.pattern(kw[1], v, syntax.None)
				}
				continue
			}
			// By its place: an attribute that the class lists for that.
			e.pattern(c, e.b.AddExpr(facts.Expr{Op: facts.OpTuple, Flags: facts.FlagKey, N: place, X: y, Y: none}), syntax.None)
			place++
		}
	case classUnionPattern:
		for c := range e.t.NamedChildren(p) {
			e.pattern(c, x, syntax.None)
		}
		if classes := e.patternClasses(p); classes != none {
			e.seeAs(subject, func(v facts.ExprID) facts.ExprID {
				return e.b.AddExpr(facts.Expr{Op: facts.OpAssert, X: v, Y: classes})
			})
		}
	case classDictPattern:
		key := syntax.ID(syntax.None)
		for c := range e.t.NamedChildren(p) {
			switch {
			case e.nodes[c].Field == fieldKey:
				key = e.patternValue(c)
			case e.nodes[c].Field == fieldValue && key != syntax.None:
				k, _ := e.constKey(key)
				base := len(e.ids)
				e.ids = append(e.ids, int32(e.expr(key)))
				l := e.b.AddList(e.ids[base:])
				e.ids = e.ids[:base]
				e.pattern(c, e.b.AddExpr(facts.Expr{Op: facts.OpIndex, Name: k, X: x, Y: none, Args: l}), syntax.None)
			default:
				e.pattern(c, e.nothing(), syntax.None)
			}
		}
	case classTuplePattern, classListPattern:
		for c := range e.t.NamedChildren(p) {
			e.pattern(c, e.element(x, false), syntax.None)
		}
	case classSplatPattern, classKeywordPattern:
		for c := range e.t.NamedChildren(p) {
			e.pattern(c, e.nothing(), syntax.None)
		}
	default:
		e.expr(p)
	}
}

// matched adds the value that a pattern as a whole has.
func (e *extractor) matched(p syntax.ID, x facts.ExprID) facts.ExprID {
	for e.class(p) == classCasePattern {
		c := e.t.FirstNamed(p)
		if c == syntax.None {
			return x
		}
		p = c
	}
	if e.class(p) == classUnionPattern {
		if classes := e.patternClasses(p); classes != none {
			return e.b.AddExpr(facts.Expr{Op: facts.OpAssert, X: x, Y: classes})
		}
	}
	if e.class(p) != classClassPattern {
		return x
	}
	c := e.t.FirstNamed(p)
	lo := len(e.b.Exprs)
	cls := e.dotted(c)
	for k := lo; k < len(e.b.Exprs); k++ {
		e.b.Exprs[k].Line, e.b.Exprs[k].Col = 0, 0
	}
	return e.b.AddExpr(facts.Expr{Op: facts.OpAssert, X: x, Y: cls})
}

// patternClasses adds the classes that the alternatives of a pattern ask for, none
// where one of them asks for something else.
func (e *extractor) patternClasses(p syntax.ID) facts.ExprID {
	lo, base := len(e.b.Exprs), len(e.ids)
	for c := range e.t.NamedChildren(p) {
		if c = e.patternValue(c); e.class(c) != classClassPattern {
			e.ids = e.ids[:base]
			return none
		}
		e.ids = append(e.ids, int32(e.dotted(e.t.FirstNamed(c))))
	}
	x := e.list(facts.Expr{Op: facts.OpComposite, Name: e.b.InternString("tuple"), X: none, Y: none}, p, base)
	for k := lo; k < len(e.b.Exprs); k++ {
		e.b.Exprs[k].Line, e.b.Exprs[k].Col = 0, 0
	}
	return x
}

// patternValue returns what a pattern is without what only surrounds it.
func (e *extractor) patternValue(p syntax.ID) syntax.ID {
	for e.class(p) == classCasePattern {
		c := e.t.FirstNamed(p)
		if c == syntax.None {
			break
		}
		p = c
	}
	return p
}

// dotted adds a qualified name.
func (e *extractor) dotted(p syntax.ID) facts.ExprID {
	x := facts.ExprID(none)
	if e.class(p) == classIdentifier {
		return e.name(p, 0)
	}
	for c := range e.t.NamedChildren(p) {
		if x == none {
			x = e.name(c, 0)
			continue
		}
		x = e.add(facts.Expr{Op: facts.OpSelect, Name: e.str(c), X: x, Y: none}, c)
	}
	if x == none {
		return e.nothing()
	}
	return x
}

func (e *extractor) capture(n syntax.ID, v facts.ExprID) {
	if n == syntax.None || string(e.t.Text(n)) == "_" {
		return
	}
	if e.class(n) == classDottedName {
		n = e.t.FirstNamed(n)
		if n == syntax.None {
			return
		}
	}
	if e.class(n) == classIdentifier {
		e.assignName(n, v, none)
	}
}

// captures calls f for the names that a pattern binds.
func (e *extractor) captures(root syntax.ID, f func(syntax.ID)) {
	for i, end := root, e.nodes[root].Next; i < end; {
		switch e.class(i) {
		case classDottedName:
			first := e.t.FirstNamed(i)
			if first != syntax.None && e.nodes[first].Next >= e.nodes[i].Next && e.class(e.nodes[i].Parent) != classClassPattern {
				f(first)
			}
			i = e.nodes[i].Next
			continue
		case classIdentifier:
			if p := e.nodes[i].Parent; p >= 0 && (e.class(p) == classAsPattern || e.class(p) == classSplatPattern) {
				f(i)
			}
		}
		i++
	}
}
