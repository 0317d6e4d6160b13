package python

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// What is put into lists, sets and dictionaries that a variable of a function holds:
// xs = []; xs.append(A()). Such a container becomes another version of the variable.

// maxFills bounds the versions that a variable gets in this way.
const maxFills = 8

// fillMethods are the methods that put one value into a container.
var fillMethods = map[string]bool{"append": true, "add": true, "appendleft": true, "insert": true}

// mergeMethods are the methods that put all values of another container into one, with
// the kinds of composites that have them.
var mergeMethods = map[string][]string{"extend": {"list", "deque"}, "extendleft": {"deque"}, "update": {"set", "dict"}}

// filled returns the variable that an expression puts something into.
func (e *extractor) filled(i syntax.ID) (name syntax.ID, method bool) {
	switch e.class(i) {
	case classCall:
		fn := e.child(i, fieldFunction)
		if fn == syntax.None || e.class(fn) != classAttribute {
			return syntax.None, false
		}
		if m := e.t.String(e.child(fn, fieldAttribute)); !fillMethods[m] && mergeMethods[m] == nil {
			return syntax.None, false
		}
		name, method = e.child(fn, fieldObject), true
	case classSubscript:
		name = e.child(i, fieldValue)
	default:
		return syntax.None, false
	}
	if name == syntax.None || e.class(name) != classIdentifier {
		return syntax.None, false
	}
	return name, method
}

// fills gives the variable whose method the call i is, added as x, the version that
// holds the last argument as well.
func (e *extractor) fills(i syntax.ID, x facts.ExprID) {
	name, method := e.filled(i)
	if !method || x == none || e.b.Exprs[x].Op != facts.OpCall {
		return
	}
	args := e.b.List(e.b.Exprs[x].Args)
	if len(args) == 0 {
		return
	}
	v := facts.ExprID(args[len(args)-1])
	kinds := []string{"list", "set", "deque"}
	if k := mergeMethods[e.t.String(e.child(e.child(i, fieldFunction), fieldAttribute))]; k != nil {
		if op := e.b.Exprs[v].Op; len(args) != 1 || op == facts.OpKeyword || op == facts.OpSpread {
			return
		}
		kinds, v = k, e.b.AddExpr(facts.Expr{Op: facts.OpSpread, X: v, Y: none})
	}
	e.fill(name, kinds, v)
}

// fill gives a variable the version that also holds what v adds, if it holds one of
// the kinds of composites that the function itself made.
func (e *extractor) fill(name syntax.ID, kinds []string, v facts.ExprID) {
	s := e.inner()
	n := e.str(name)
	k, ok := s.vars[n]
	if s.kind != scopeFunction || !ok || s.free[n] || s.cur[k] == none || s.fills[k] >= maxFills {
		return
	}
	if id, member := e.lookup(n); member || id != s.cur[k] {
		return
	}
	kind := e.compositeKind(k, s.cur[k], 0)
	for _, want := range kinds {
		if kind != want {
			continue
		}
		if s.fills == nil {
			s.fills = map[int]int{}
		}
		s.fills[k]++
		old := e.b.AddExpr(facts.Expr{Op: facts.OpSpread, X: e.silent(name), Y: none})
		l := e.b.AddList([]int32{int32(old), int32(v)})
		y := e.b.AddExpr(facts.Expr{Op: facts.OpComposite, Name: e.b.InternString(kind), X: none, Y: none, Args: l})
		e.version(s, k, facts.Local{Decl: none, Type: none, Value: y, Next: none})
		return
	}
}

// compositeKind returns the kind of composite that a version holds, "" for others.
func (e *extractor) compositeKind(v int, id facts.LocalID, depth int) string {
	l := &e.b.Locals[id]
	if l.Type != none || l.Kind != facts.LocalVar || depth > maxFills {
		return ""
	}
	if l.Value == none { // the version at the head of a loop: what it was before
		for i := len(e.loops) - 1; i >= 0 && e.loops[i].scope == e.inner(); i-- {
			for _, x := range e.loops[i].exits {
				if x.v == v && x.ver != id {
					return e.compositeKind(v, x.ver, depth+1)
				}
			}
		}
		return ""
	}
	switch x := &e.b.Exprs[l.Value]; x.Op {
	case facts.OpComposite:
		return e.b.Strings[x.Name]
	case facts.OpCall: // an empty one, made by its class
		if fn := &e.b.Exprs[x.X]; fn.Op == facts.OpName && fn.Flags&facts.FlagLocal == 0 && x.Args == 0 {
			switch name := e.b.Strings[fn.Name]; name {
			case "list", "set", "dict":
				if _, own := e.scopes[0].names[fn.Name]; !own {
					return name
				}
			}
		}
	case facts.OpConditional:
		kind := ""
		for _, a := range e.b.List(x.Args) {
			y := &e.b.Exprs[a]
			if y.Op != facts.OpName || y.Flags&facts.FlagLocal == 0 {
				return ""
			}
			k := e.compositeKind(v, facts.LocalID(y.X), depth+1)
			if k == "" || kind != "" && k != kind {
				return ""
			}
			kind = k
		}
		return kind
	}
	return ""
}
