package python

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// call adds a call.
func (e *extractor) call(i syntax.ID) facts.ExprID {
	fn := e.child(i, fieldFunction)
	args := e.child(i, fieldArguments)
	if fn == syntax.None {
		return e.nothing()
	}
	if e.class(fn) == classIdentifier && string(e.t.Text(fn)) == "super" {
		if x, ok := e.superCall(fn, args); ok {
			return x
		}
	}
	callee := facts.ExprID(none)
	if x, ok := e.getattr(fn, args); ok { // getattr(x, "name")
		return x
	}
	switch e.class(fn) {
	case classIdentifier:
		callee = e.name(fn, 0)
	case classAttribute:
		callee = e.attribute(fn, 0)
	default:
		callee = e.expr(fn)
	}
	e.request(fn, args)
	base := len(e.ids)
	e.arguments(args, typeArguments[e.t.String(e.lastName(fn))])
	e.runs(fn, args, e.ids[base:])
	e.routeCall(fn, args, e.ids[base:])
	e.setup(fn, args)
	e.message(fn, args)
	if callee == none {
		callee = e.nothing()
	}
	n := int16(1)
	if p := e.nodes[i].Parent; p >= 0 && e.class(p) == classExpressionStatement {
		n = 0
	}
	return e.list(facts.Expr{Op: facts.OpCall, N: n, Name: e.asksFor(fn, args), X: callee, Y: none}, e.lastName(fn), base)
}

// runs adds the method that a function of the language runs on its only argument, as
// an operator whose place is that of the parenthesis.
func (e *extractor) runs(fn, args syntax.ID, ids []int32) {
	if e.class(fn) != classIdentifier || len(ids) != 1 || args == syntax.None || e.class(args) != classArguments {
		return
	}
	op := string(e.t.Text(fn)) + "()"
	if builtinMethods[op] == "" {
		return
	}
	switch x := &e.b.Exprs[ids[0]]; x.Op {
	case facts.OpName, facts.OpSelect, facts.OpCall, facts.OpIndex:
	default: // no object of a class of its own
		return
	}
	name := e.str(fn)
	if id, member := e.lookup(name); id != none || member {
		return
	}
	if _, ok := e.scopes[0].names[name]; ok {
		return
	}
	if _, ok := e.scopes[0].imported[name]; ok {
		return
	}
	e.add(facts.Expr{Op: facts.OpUnary, Name: e.b.InternString(op), X: facts.ExprID(ids[0]), Y: none}, args)
}

// asksFor returns the constant key that a call asks its object for, 0 for others.
func (e *extractor) asksFor(fn, args syntax.ID) facts.Str {
	if e.class(fn) != classAttribute || args == syntax.None {
		return 0
	}
	switch string(e.t.Text(e.child(fn, fieldAttribute))) {
	case "get", "pop", "setdefault", "__getitem__":
		if first := e.t.FirstNamed(args); first != syntax.None {
			key, _ := e.constKey(first)
			return key
		}
	}
	return 0
}

// typeArguments are the functions of typing that take types, which may be quoted:
// the positions of the first and the last of these arguments, from 1 on.
var typeArguments = map[string][2]int{"cast": {1, 1}, "NewType": {2, 2}, "TypeVar": {2, 99}, "assert_type": {2, 2}}

// arguments puts the arguments of a call on ids; types says which of them are types.
func (e *extractor) arguments(args syntax.ID, types [2]int) {
	if args == syntax.None {
		return
	}
	if e.class(args) == classGenerator {
		x := e.expr(args)
		e.ids = append(e.ids, int32(x))
		return
	}
	at := 0
	for c := range e.t.NamedChildren(args) {
		x := facts.ExprID(none)
		at++
		quoted := at >= types[0] && at <= types[1]
		switch e.class(c) {
		case classKeywordArgument:
			v := facts.ExprID(none)
			if w := e.child(c, fieldValue); types[1] > 0 && e.class(w) == classString && string(e.t.Text(e.child(c, fieldName))) == "bound" {
				v = e.typeExpr(w)
			} else {
				v = e.told(e.expr(w), w)
			}
			if v == none {
				v = e.nothing()
			}
			x = e.add(facts.Expr{Op: facts.OpKeyword, Name: e.str(e.child(c, fieldName)), X: v, Y: none}, c)
		case classDictSplat:
			v := e.expr(e.t.FirstNamed(c))
			if v == none {
				v = e.nothing()
			}
			x = e.add(facts.Expr{Op: facts.OpKeyword, X: v, Y: none}, c)
		case classString:
			if quoted {
				x = e.typeExpr(c)
				break
			}
			x = e.expr(c)
		default:
			x = e.expr(c)
		}
		if x != none {
			e.ids = append(e.ids, int32(e.told(x, c)))
		}
	}
}

// told returns the expression x, made of the node i, in such a way that a literal is
// known by its text.
func (e *extractor) told(x facts.ExprID, i syntax.ID) facts.ExprID {
	if x == none || i == syntax.None || e.b.Exprs[x].Op != facts.OpLiteral || e.b.Exprs[x].X != none {
		return x
	}
	key, ok := facts.Str(0), false
	switch e.class(i) {
	case classTrue, classFalse:
		key, ok = e.b.InternString("@"+e.t.String(i)), true
	case classString, classInt:
		key, ok = e.constKey(i)
	}
	if !ok {
		return x
	}
	l := e.b.Exprs[x]
	l.X = e.b.AddExpr(facts.Expr{Op: facts.OpNone, Name: key, X: none, Y: none})
	return e.b.AddExpr(l)
}

// superCall adds super() or super(C, self).
func (e *extractor) superCall(fn, args syntax.ID) (facts.ExprID, bool) {
	if id, member := e.lookup(e.str(fn)); id != none || member {
		return none, false
	}
	var parts []syntax.ID
	if args != syntax.None {
		for c := range e.t.NamedChildren(args) {
			parts = append(parts, c)
		}
	}
	f := facts.ExprFlags(0)
	for k := len(e.scopes) - 1; k > 0; k-- {
		if s := e.scopes[k]; s.kind == scopeFunction && s.class != none {
			if s.meta {
				f = facts.FlagTyped
			}
			break
		}
	}
	x := facts.ExprID(none)
	if len(parts) > 0 {
		x = e.expr(parts[0])
		for _, p := range parts[1:] {
			e.expr(p)
		}
	}
	return e.add(facts.Expr{Op: facts.OpSuper, Flags: f, X: x, Y: none}, fn), true
}

// getattr adds getattr(x, "name") as the attribute that it is.
func (e *extractor) getattr(fn, args syntax.ID) (facts.ExprID, bool) {
	if e.class(fn) != classIdentifier || string(e.t.Text(fn)) != "getattr" || args == syntax.None || e.class(args) != classArguments {
		return none, false
	}
	if id, member := e.lookup(e.str(fn)); id != none || member {
		return none, false
	}
	var parts []syntax.ID
	for c := range e.t.NamedChildren(args) {
		parts = append(parts, c)
	}
	if len(parts) < 2 || len(parts) > 3 || e.class(parts[1]) != classString {
		return none, false
	}
	name, ok := e.constant(parts[1])
	if !ok || !identifier(name) {
		return none, false
	}
	x := e.expr(parts[0])
	if x == none {
		return none, false
	}
	s := e.add(facts.Expr{Op: facts.OpSelect, Name: e.b.InternString(name), X: x, Y: none}, parts[1])
	if len(parts) == 2 {
		return s, true
	}
	base := len(e.ids)
	e.ids = append(e.ids, int32(s))
	if d := e.expr(parts[2]); d != none {
		e.ids = append(e.ids, int32(d))
	}
	return e.list(facts.Expr{Op: facts.OpConditional, X: none, Y: none}, fn, base), true
}

// constant returns the text of a plain string.
func (e *extractor) constant(i syntax.ID) (string, bool) {
	if i == syntax.None || e.class(i) != classString {
		return "", false
	}
	out := ""
	for c := range e.t.NamedChildren(i) {
		switch e.t.Lang.KindName(e.nodes[c].Kind) {
		case "string_start", "string_end":
		case "string_content":
			if !e.t.IsLeaf(c) {
				return "", false
			}
			out += e.t.String(c)
		default:
			return "", false
		}
	}
	return out, true
}

func identifier(s string) bool {
	for i, r := range s {
		if !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80 || i > 0 && r >= '0' && r <= '9') {
			return false
		}
	}
	return s != ""
}
