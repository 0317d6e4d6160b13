package python

import (
	"bytes"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// Annotations. They are expressions, in which strings hold expressions, too.

// typeExpr adds a type.
func (e *extractor) typeExpr(i syntax.ID) facts.ExprID {
	if i == syntax.None {
		return none
	}
	if e.depth >= maxDepth {
		e.unparsed(i)
		return e.nothing()
	}
	e.depth++
	x := e.typeAt(i)
	e.depth--
	if x == none {
		return e.nothing()
	}
	return x
}

func (e *extractor) typeAt(i syntax.ID) facts.ExprID {
	switch e.class(i) {
	case classType, classParen, classConstrained:
		return e.typeExpr(e.t.FirstNamed(i))
	case classIdentifier:
		return e.name(i, facts.FlagTyped)
	case classAttribute:
		x := e.typeExpr(e.child(i, fieldObject))
		n := e.child(i, fieldAttribute)
		return e.add(facts.Expr{Op: facts.OpSelect, Flags: facts.FlagTyped, Name: e.str(n), X: x, Y: none}, n)
	case classMemberType:
		var parts []syntax.ID
		for c := range e.t.NamedChildren(i) {
			parts = append(parts, c)
		}
		if len(parts) == 2 {
			x := e.typeExpr(parts[0])
			return e.add(facts.Expr{Op: facts.OpSelect, Flags: facts.FlagTyped, Name: e.str(parts[1]), X: x, Y: none}, parts[1])
		}
	case classNone:
		return e.literal("null", i)
	case classEllipsis:
		return e.literal("ellipsis", i)
	case classString:
		s, ok := e.constant(i)
		if !ok {
			return e.nothing()
		}
		return e.quoted(s, i)
	case classUnionType:
		base := len(e.ids)
		for c := range e.t.NamedChildren(i) {
			x := e.typeExpr(c)
			e.ids = append(e.ids, int32(x))
		}
		return e.list(facts.Expr{Op: facts.OpUnionType, Flags: facts.FlagTyped, X: none, Y: none}, i, base)
	case classBinary:
		op := e.child(i, fieldOperator)
		x, y := e.typeExpr(e.child(i, fieldLeft)), e.typeExpr(e.child(i, fieldRight))
		if op == syntax.None || string(e.t.Text(op)) != "|" || x == none || y == none {
			return e.nothing()
		}
		base := len(e.ids)
		e.ids = append(e.ids, int32(x), int32(y))
		return e.list(facts.Expr{Op: facts.OpUnionType, Flags: facts.FlagTyped, X: none, Y: none}, i, base)
	case classSubscript:
		x := e.typeExpr(e.child(i, fieldValue))
		return e.subscripted(i, x, e.lastName(i), e.t.ChildrenByField(i, fieldSubscript))
	case classGenericType:
		var name syntax.ID = syntax.None
		var params syntax.ID = syntax.None
		for c := range e.t.NamedChildren(i) {
			if e.class(c) == classTypeParameter {
				params = c
			} else {
				name = c
			}
		}
		if name == syntax.None {
			return e.nothing()
		}
		x := e.typeExpr(name)
		if params == syntax.None {
			return x
		}
		return e.subscripted(i, x, name, e.t.NamedChildren(params))
	case classList: // of the parameters of a Callable
		base := len(e.ids)
		for c := range e.t.NamedChildren(i) {
			x := e.typeExpr(c)
			e.ids = append(e.ids, int32(x))
		}
		return e.list(facts.Expr{Op: facts.OpComposite, Flags: facts.FlagTyped, Name: e.b.InternString("list"), X: none, Y: none}, i, base)
	case classSplatType, classListSplat:
		return e.typeExpr(e.t.FirstNamed(i))
	}
	return e.expr(i)
}

func (e *extractor) subscripted(i syntax.ID, x facts.ExprID, at syntax.ID, args func(func(syntax.ID) bool)) facts.ExprID {
	// What Literal lists are values, what Annotated adds is no type.
	form := ""
	if x != none {
		form = e.b.Strings[e.b.Exprs[x].Name]
	}
	base := len(e.ids)
	n := 0
	for c := range args {
		if !e.nodes[c].Named() {
			continue
		}
		y := facts.ExprID(none)
		switch {
		case form == "Literal" || form == "Annotated" && n > 0:
			y = e.expr(c)
			if e.class(c) == classType && y == none {
				y = e.expr(e.t.FirstNamed(c))
			}
			if form == "Literal" {
				v := c
				if e.class(c) == classType {
					v = e.t.FirstNamed(c)
				}
				if v != syntax.None && e.class(v) != classNone {
					y = e.told(y, v)
				}
			}
		case e.class(c) == classTuple: // X[(A, B)]
			for k := range e.t.NamedChildren(c) {
				z := e.typeExpr(k)
				e.ids = append(e.ids, int32(z))
			}
			continue
		default:
			y = e.typeExpr(c)
		}
		if y == none {
			y = e.nothing()
		}
		e.ids = append(e.ids, int32(y))
		n++
	}
	return e.list(facts.Expr{Op: facts.OpIndex, Flags: facts.FlagTyped, X: x, Y: none}, at, base)
}

// quoted adds the type that a string spells, with the place of the string.
func (e *extractor) quoted(s string, at syntax.ID) facts.ExprID {
	q := &quotedType{e: e, s: s, at: at}
	x := q.union(0)
	q.space()
	if q.i < len(s) || q.bad {
		return e.nothing()
	}
	return x
}

// quotedType reads a type from a text.
type quotedType struct {
	e   *extractor
	s   string
	i   int
	at  syntax.ID
	bad bool
}

func (q *quotedType) space() {
	for q.i < len(q.s) && strings.IndexByte(" \t\n\r", q.s[q.i]) >= 0 {
		q.i++
	}
}

func (q *quotedType) accept(c byte) bool {
	q.space()
	if q.i < len(q.s) && q.s[q.i] == c {
		q.i++
		return true
	}
	return false
}

func (q *quotedType) union(depth int) facts.ExprID {
	x := q.one(depth)
	if q.bad || !q.accept('|') {
		return x
	}
	base := len(q.e.ids)
	q.e.ids = append(q.e.ids, int32(x))
	for !q.bad {
		y := q.one(depth)
		q.e.ids = append(q.e.ids, int32(y))
		if !q.accept('|') {
			break
		}
	}
	return q.e.list(facts.Expr{Op: facts.OpUnionType, Flags: facts.FlagTyped, X: none, Y: none}, q.at, base)
}

// maxQuoted bounds the nesting of types in strings.
const maxQuoted = 50

func (q *quotedType) one(depth int) facts.ExprID {
	e := q.e
	q.space()
	if depth > maxQuoted || q.i >= len(q.s) {
		q.bad = true
		return e.nothing()
	}
	if q.accept('[') {
		x := q.args(depth, none)
		return x
	}
	if strings.HasPrefix(q.s[q.i:], "...") {
		q.i += 3
		return e.literal("ellipsis", q.at)
	}
	if c := q.s[q.i]; c == '\'' || c == '"' {
		end := strings.IndexByte(q.s[q.i+1:], c)
		if end < 0 {
			q.bad = true
			return e.nothing()
		}
		q.i += end + 2
		return e.literal("string", q.at)
	}
	x := facts.ExprID(none)
	for {
		start := q.i
		for q.i < len(q.s) && (q.s[q.i] == '_' || q.s[q.i] >= 0x80 || isAlnum(q.s[q.i])) {
			q.i++
		}
		name := q.s[start:q.i]
		if !identifier(name) {
			q.bad = true
			return e.nothing()
		}
		switch {
		case x != none:
			x = e.add(facts.Expr{Op: facts.OpSelect, Flags: facts.FlagTyped, Name: e.b.InternString(name), X: x, Y: none}, q.at)
		case name == "None":
			x = e.literal("null", q.at)
		default:
			x = e.nameAt(e.b.InternString(name), q.at, facts.FlagTyped)
		}
		if !q.accept('.') {
			break
		}
	}
	if q.accept('[') {
		return q.args(depth, x)
	}
	return x
}

func (q *quotedType) args(depth int, x facts.ExprID) facts.ExprID {
	e := q.e
	base := len(e.ids)
	for !q.bad && !q.accept(']') {
		y := q.union(depth + 1)
		e.ids = append(e.ids, int32(y))
		if !q.accept(',') && !(q.i < len(q.s) && q.s[q.i] == ']') {
			q.bad = true
		}
	}
	if x == none {
		return e.list(facts.Expr{Op: facts.OpComposite, Flags: facts.FlagTyped, Name: e.b.InternString("list"), X: none, Y: none}, q.at, base)
	}
	return e.list(facts.Expr{Op: facts.OpIndex, Flags: facts.FlagTyped, X: x, Y: none}, q.at, base)
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// pragma reports whether a comment changes what the program means to tools that
// run it: types in comments.
func pragma(text []byte) bool {
	text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("#")), " ")
	return bytes.HasPrefix(text, []byte("type:")) && !bytes.HasPrefix(text, []byte("type: ignore"))
}
