package python

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// Names and what they are bound to. A variable of a function gets a new local,
// a version, with every assignment, and where ways of control meet another one
// that may have the value of each: so what an expression sees is what was
// assigned last. Functions inside see all versions.

type scopeKind uint8

const (
	scopeModule scopeKind = iota
	scopeClass
	scopeFunction
	scopeComprehension // of the function around it, with names of its own
)

type scope struct {
	kind  scopeKind
	decl  facts.DeclID
	class facts.DeclID // of methods: the class
	self  facts.Str    // of methods: the name of the first parameter
	meta  bool         // it stands for the class

	names map[facts.Str]facts.DeclID // modules and classes: what is declared so far
	vars  map[facts.Str]int          // functions: positions in the following
	first []facts.LocalID            // the local that stands for all versions
	cur   []facts.LocalID            // the version that is seen; None: not assigned
	log   []change                   // what cur was, for branches
	free  map[facts.Str]bool         // functions: declared global or nonlocal
	fills map[int]int                // versions of a variable's containers that hold more

	imported map[facts.Str]int // modules: names that imports bind, with the first import
}

// newScope returns a scope, in memory of one that was freed if there is any.
func (e *extractor) newScope(kind scopeKind, d facts.DeclID) *scope {
	if n := len(e.spare); n > 0 {
		s := e.spare[n-1]
		e.spare = e.spare[:n-1]
		s.kind, s.decl = kind, d
		return s
	}
	return &scope{kind: kind, decl: d, class: none}
}

// freeScope says that a function's or comprehension's scope is needed no more.
func (e *extractor) freeScope(s *scope) {
	const most = 64
	if len(s.vars) > most { // to clear it would take as long again for each that is small
		s.vars = nil
	}
	clear(s.vars)
	*s = scope{class: none, vars: s.vars, first: s.first[:0], cur: s.cur[:0], log: s.log[:0]}
	e.spare = append(e.spare, s)
}

type change struct {
	v   int
	was facts.LocalID
}

// loop is an open loop.
type loop struct {
	scope *scope
	mark  int
	exits []exit // versions where the loop is left or starts again
}

type exit struct {
	v   int
	ver facts.LocalID
}

// inner returns the innermost scope that is no comprehension.
func (e *extractor) inner() *scope {
	i := len(e.scopes) - 1
	for e.scopes[i].kind == scopeComprehension {
		i--
	}
	return e.scopes[i]
}

// lookup returns the local that a name means here, and whether it is a name of
// the class whose body is read.
func (e *extractor) lookup(name facts.Str) (facts.LocalID, bool) {
	seen := false // a function's end was passed
	for i := len(e.scopes) - 1; i > 0; i-- {
		s := e.scopes[i]
		switch s.kind {
		case scopeClass:
			if !seen {
				if _, ok := s.names[name]; ok {
					return none, true
				}
				seen = true
			}
			continue
		case scopeFunction, scopeComprehension:
			if s.free[name] {
				seen = true
				continue
			}
			if v, ok := s.vars[name]; ok {
				if !seen && s.cur[v] != none {
					return s.cur[v], false
				}
				return s.first[v], false
			}
			seen = seen || s.kind == scopeFunction
		}
	}
	return none, false
}

// name adds a use of a name.
func (e *extractor) name(i syntax.ID, flags facts.ExprFlags) facts.ExprID {
	return e.nameAt(e.str(i), i, flags)
}

func (e *extractor) nameAt(name facts.Str, i syntax.ID, flags facts.ExprFlags) facts.ExprID {
	line, col := e.place(i)
	id, member := e.lookup(name)
	if member {
		cls := e.b.AddExpr(facts.Expr{Op: facts.OpSelf, Flags: facts.FlagTyped, X: none, Y: none})
		return e.b.AddExpr(facts.Expr{Op: facts.OpSelect, Flags: flags, Name: name, X: cls, Y: none, Line: line, Col: col})
	}
	x := facts.Expr{Op: facts.OpName, Flags: flags, Name: name, X: none, Y: none, Line: line, Col: col}
	if id != none {
		x.X, x.Flags = facts.ExprID(id), x.Flags|facts.FlagLocal
	}
	return e.b.AddExpr(x)
}

// variable adds a variable to a function's scope.
func (e *extractor) variable(s *scope, name facts.Str) int {
	if v, ok := s.vars[name]; ok {
		return v
	}
	if s.vars == nil {
		s.vars = map[facts.Str]int{}
	}
	v := len(s.first)
	s.vars[name] = v
	id := e.b.AddLocal(facts.Local{Name: name, Decl: none, Type: none, Value: none, Next: none})
	s.first, s.cur = append(s.first, id), append(s.cur, none)
	return v
}

// version makes l the version of variable v that is seen from here on.
func (e *extractor) version(s *scope, v int, l facts.Local) facts.LocalID {
	l.Name = e.b.Locals[s.first[v]].Name
	l.Next = e.b.Locals[s.first[v]].Next
	id := e.b.AddLocal(l)
	e.b.Locals[s.first[v]].Next = id
	e.see(s, v, id)
	return id
}

// narrowed makes l the version that is seen, without a new value.
func (e *extractor) narrowed(s *scope, v int, l facts.Local) {
	l.Name = e.b.Locals[s.first[v]].Name
	e.see(s, v, e.b.AddLocal(l))
}

func (e *extractor) see(s *scope, v int, id facts.LocalID) {
	s.log = append(s.log, change{v, s.cur[v]})
	s.cur[v] = id
}

// bindLocal binds a name of a function's scope, and reports whether it is one.
func (e *extractor) bindLocal(name facts.Str, l facts.Local) bool {
	s := e.inner()
	if s.kind != scopeFunction || s.free[name] {
		return false
	}
	e.version(s, e.variable(s, name), l)
	return true
}

// branch is a way of control with the versions at its end.
type branch struct {
	ends []exit
	dead bool // control does not come to its end
}

// fork remembers the state before a branch.
func (e *extractor) fork() int {
	if s := e.inner(); s.kind == scopeFunction {
		return len(s.log)
	}
	return 0
}

// rejoin ends a branch that began at mark and goes back to the state there.
func (e *extractor) rejoin(mark int, dead bool) branch {
	s := e.inner()
	b := branch{dead: dead}
	if s.kind != scopeFunction {
		return b
	}
	for i := len(s.log) - 1; i >= mark; i-- {
		v := s.log[i].v
		if !slices.ContainsFunc(b.ends, func(x exit) bool { return x.v == v }) {
			b.ends = append(b.ends, exit{v, s.cur[v]})
		}
	}
	// The versions at the end were taken; now back to what was before.
	for i := len(s.log) - 1; i >= mark; i-- {
		s.cur[s.log[i].v] = s.log[i].was
	}
	s.log = s.log[:mark]
	return b
}

// meet joins branches that began in the present state.
func (e *extractor) meet(branches ...branch) {
	s := e.inner()
	if s.kind != scopeFunction {
		return
	}
	var vars []int
	live := 0
	for _, b := range branches {
		if b.dead {
			continue
		}
		live++
		for _, x := range b.ends {
			if !slices.Contains(vars, x.v) {
				vars = append(vars, x.v)
			}
		}
	}
	slices.Sort(vars)
	for _, v := range vars {
		var all []facts.LocalID
		for _, b := range branches {
			if b.dead {
				continue
			}
			end := s.cur[v]
			for _, x := range b.ends {
				if x.v == v {
					end = x.ver
				}
			}
			if end != none && !slices.Contains(all, end) {
				all = append(all, end)
			}
		}
		switch len(all) {
		case 0:
		case 1:
			e.see(s, v, all[0])
		default:
			e.narrowed(s, v, facts.Local{Decl: none, Type: none, Value: e.oneOf(all), Next: none})
		}
	}
}

// oneOf adds an expression with the value of one of several locals.
func (e *extractor) oneOf(all []facts.LocalID) facts.ExprID {
	base := len(e.ids)
	for _, l := range all {
		e.ids = append(e.ids, int32(e.b.AddExpr(facts.Expr{Op: facts.OpName, Flags: facts.FlagLocal, Name: e.b.Locals[l].Name, X: facts.ExprID(l), Y: none})))
	}
	args := e.b.AddList(e.ids[base:])
	e.ids = e.ids[:base]
	return e.b.AddExpr(facts.Expr{Op: facts.OpConditional, X: none, Y: none, Args: args})
}

// openLoop begins a loop over the nodes of a body: a variable that is assigned
// in it may have at its begin the value from its end.
func (e *extractor) openLoop(body syntax.ID) (*loop, []exit) {
	s := e.inner()
	l := &loop{scope: s}
	if s.kind != scopeFunction {
		e.loops = append(e.loops, l)
		return l, nil
	}
	var heads []exit
	for _, name := range e.boundIn(body) {
		v, ok := s.vars[name]
		if !ok || s.free[name] {
			continue
		}
		was := s.cur[v]
		e.narrowed(s, v, facts.Local{Decl: none, Type: none, Value: none, Next: none})
		heads = append(heads, exit{v, s.cur[v]})
		if was != none {
			l.exits = append(l.exits, exit{v, was})
		}
	}
	l.mark = len(s.log)
	e.loops = append(e.loops, l)
	return l, heads
}

// leave notes the versions where a loop is left or begins again.
func (e *extractor) leave() {
	if len(e.loops) == 0 {
		return
	}
	l := e.loops[len(e.loops)-1]
	if l.scope != e.inner() || l.scope.kind != scopeFunction {
		return
	}
	var done []int
	for i := len(l.scope.log) - 1; i >= l.mark && len(l.exits) < 256; i-- {
		if v := l.scope.log[i].v; !slices.Contains(done, v) {
			done = append(done, v)
			l.exits = append(l.exits, exit{v, l.scope.cur[v]})
		}
	}
}

// closeLoop ends a loop: the versions at its head get their values.
func (e *extractor) closeLoop(l *loop, heads []exit, dead bool) {
	e.loops = e.loops[:len(e.loops)-1]
	s := l.scope
	if s.kind != scopeFunction {
		return
	}
	end := e.rejoin(l.mark, dead)
	if !dead {
		l.exits = append(l.exits, end.ends...)
	}
	for _, h := range heads {
		var all []facts.LocalID
		for _, x := range l.exits {
			if x.v == h.v && x.ver != h.ver && x.ver != none && !slices.Contains(all, x.ver) {
				all = append(all, x.ver)
			}
		}
		if len(all) > 0 {
			e.b.Locals[h.ver].Value = e.oneOf(all)
		}
	}
}

// boundIn returns the names that are bound in a subtree without its functions
// and classes, and those of containers that something is put into, each once.
func (e *extractor) boundIn(i syntax.ID) []facts.Str {
	var names []facts.Str
	seen := map[facts.Str]bool{}
	add := func(name facts.Str, _ bool) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	e.eachBound(i, add)
	for n, end := i, e.nodes[i].Next; n < end; n++ {
		if c := e.class(n); c == classCall || c == classSubscript {
			name, _ := e.filled(n)
			if name == syntax.None {
				continue
			}
			s := e.inner()
			if k, ok := s.vars[e.str(name)]; ok && s.cur[k] != none && e.compositeKind(k, s.cur[k], 0) != "" {
				add(e.str(name), false)
			}
		}
	}
	return names
}

// eachBound calls f for the names that the nodes of a subtree bind, functions
// and classes inside left out; free says that the name is declared global or
// nonlocal.
func (e *extractor) eachBound(root syntax.ID, f func(name facts.Str, free bool)) {
	nodes := e.nodes
	end := nodes[root].Next
	for i := root; i < end; {
		switch e.class(i) {
		case classFunction, classClass:
			if i != root {
				if n := e.child(i, fieldName); n != syntax.None {
					f(e.str(n), false)
				}
				i = nodes[i].Next
				continue
			}
		case classLambda:
			i = nodes[i].Next
			continue
		case classForIn:
			if c := e.child(i, fieldRight); c != syntax.None { // the targets are the comprehension's
				i = c
				continue
			}
		case classAssignment, classAugmented, classFor:
			if l := e.child(i, fieldLeft); l != syntax.None {
				e.targets(l, f)
			}
		case classNamedExpr:
			f(e.str(e.child(i, fieldName)), false)
		case classAsTarget:
			e.targets(i, f)
		case classGlobal, classNonlocal:
			for c := range e.t.NamedChildren(i) {
				f(e.str(c), true)
			}
		case classImport, classImportFrom:
			e.eachImported(i, func(name facts.Str) { f(name, false) })
			i = nodes[i].Next
			continue
		case classExcept:
			if a := e.child(i, fieldAlias); a != syntax.None {
				e.targets(a, f)
			}
		case classCasePattern:
			e.captures(i, func(n syntax.ID) { f(e.str(n), false) })
			i = nodes[i].Next
			continue
		}
		i++
	}
}

// targets calls f for the names among the targets of an assignment.
func (e *extractor) targets(root syntax.ID, f func(facts.Str, bool)) {
	for i, end := root, e.nodes[root].Next; i < end; {
		switch e.class(i) {
		case classIdentifier:
			f(e.str(i), false)
		case classAttribute, classSubscript, classCall:
			i = e.nodes[i].Next
			continue
		}
		i++
	}
}

// globals declares the module's variables that only functions assign.
func (e *extractor) globals() {
	if !hasGlobal(e.src) {
		return
	}
	for i := range e.nodes {
		if e.class(syntax.ID(i)) != classGlobal {
			continue
		}
		for c := range e.t.NamedChildren(syntax.ID(i)) {
			if e.class(c) == classIdentifier {
				e.scopes[0].global(e.str(c))
			}
		}
	}
}

func (s *scope) global(name facts.Str) {
	if s.free == nil {
		s.free = map[facts.Str]bool{}
	}
	s.free[name] = true
}
