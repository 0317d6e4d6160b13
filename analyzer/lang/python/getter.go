package python

import (
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// Functions that the module operator makes of names: attrgetter("a.b"), itemgetter("k")
// and methodcaller("m", 1) are what lambda x: x.a.b, x["k"] and x.m(1) are.

// maxGets bounds the names that one of them takes together.
const maxGets = 16

// getter adds the function that the call i makes, which is expression x.
func (e *extractor) getter(i syntax.ID, x facts.ExprID) facts.ExprID {
	fn, args := e.child(i, fieldFunction), e.child(i, fieldArguments)
	kind := e.operatorName(fn)
	if kind == "" || args == syntax.None || e.class(args) != classArguments || e.b.Exprs[x].Op != facts.OpCall {
		return x
	}
	given := append([]int32(nil), e.b.List(e.b.Exprs[x].Args)...)
	var names []syntax.ID
	for c := range e.t.NamedChildren(args) {
		if e.class(c) != classComment {
			names = append(names, c)
		}
	}
	if len(names) == 0 || len(names) != len(given) || len(names) > maxGets {
		return x
	}
	if kind == "methodcaller" {
		names = names[:1]
	}
	paths := make([][]string, len(names)) // none of a subscript
	for k, n := range names {
		if kind == "itemgetter" {
			continue
		}
		text, _ := e.constant(n)
		paths[k] = strings.Split(text, ".")
		if kind == "methodcaller" && len(paths[k]) > 1 || !allOf(paths[k], identifier) {
			return x
		}
	}
	d := e.b.AddDecl(graph.KindFunction, 0, e.owner)
	e.b.Decls[d].Traits |= facts.TraitLiteral | facts.TraitLocal | facts.TraitExpression
	e.b.Decls[d].Line, e.b.Decls[d].Col = e.place(i)
	s := &scope{kind: scopeFunction, decl: d, class: none}
	p := facts.Param{Name: e.b.InternString("obj"), Type: none, Local: none}
	p.Local = e.version(s, e.variable(s, p.Name), facts.Local{Decl: none, Type: none, Value: none, Next: none})
	base := len(e.params)
	e.params = append(e.params, p)
	e.b.Decls[d].Params = e.endParams(base)
	var parts []int32
	for k, n := range names {
		y := e.b.AddExpr(facts.Expr{Op: facts.OpName, Flags: facts.FlagLocal, Name: p.Name, X: facts.ExprID(p.Local), Y: none})
		for _, name := range paths[k] {
			y = e.add(facts.Expr{Op: facts.OpSelect, Name: e.b.InternString(name), X: y, Y: none}, n)
		}
		switch kind {
		case "itemgetter":
			key, _ := e.constKey(n)
			y = e.add(facts.Expr{Op: facts.OpIndex, Name: key, X: y, Y: none, Args: e.b.AddList(given[k : k+1])}, n)
		case "methodcaller":
			y = e.add(facts.Expr{Op: facts.OpCall, N: 1, X: y, Y: none, Args: e.b.AddList(given[1:])}, n)
		}
		parts = append(parts, int32(y))
	}
	y := facts.ExprID(parts[0])
	if len(parts) > 1 {
		y = e.b.AddExpr(facts.Expr{Op: facts.OpComposite, Name: e.b.InternString("tuple"), X: none, Y: none, Args: e.b.AddList(parts)})
	}
	e.flow(facts.FlowReturn, 0, int32(d), y)
	e.b.EndDecl(d)
	return e.add(facts.Expr{Op: facts.OpFunc, X: facts.ExprID(d), Y: none}, i)
}

func allOf(list []string, is func(string) bool) bool {
	for _, s := range list {
		if !is(s) {
			return false
		}
	}
	return true
}

// operatorName returns which of these functions of the module operator an expression
// names, "" for others.
func (e *extractor) operatorName(fn syntax.ID) string {
	from := fn
	if e.class(fn) == classAttribute {
		from = e.child(fn, fieldObject)
	}
	if from == syntax.None || e.class(from) != classIdentifier {
		return ""
	}
	if id, member := e.lookup(e.str(from)); id != none || member {
		return ""
	}
	module, name := "", ""
	if im, ok := e.scopes[0].imported[e.str(from)]; ok {
		module, name = e.b.Strings[e.b.Imports[im].Path], e.b.Strings[e.b.Imports[im].Name]
	} else if fn != from {
		module = e.t.String(from) // which an import of all names may bring
	}
	if fn != from && name == "" {
		name = e.t.String(e.child(fn, fieldAttribute))
	}
	if module == "operator" && (name == "attrgetter" || name == "itemgetter" || name == "methodcaller") {
		return name
	}
	return ""
}
