package golang

import (
	"bytes"
	"regexp"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

func (e *extractor) functionDecl(i syntax.ID, doc comments) {
	name := e.child(i, fieldName)
	if e.str(name) == 0 {
		return
	}
	d := e.declare(graph.KindFunction, name, i, i)
	e.open(d, false)
	e.b.Push()
	tparams := e.child(i, fieldTypeParams)
	if tparams != syntax.None {
		e.typeParams(d, tparams)
	}
	e.callable(d, i)
	e.b.Pop()
	e.b.EndDecl(d)

	p := &e.b.Decls[d]
	switch {
	case p.Name == e.words.blank:
		p.Traits |= facts.TraitFileScoped
	case p.Name == e.words.init && p.Params.Len() == 0:
		p.Traits |= facts.TraitFileScoped
		p.Flags |= graph.FlagEntryPoint | graph.FlagOnLoad
	case p.Name == e.words.main && e.main && p.Params.Len() == 0:
		p.Flags |= graph.FlagEntryPoint
	case tparams == syntax.None:
		p.Flags |= e.testCase(i, name)
	}
	e.finishFunction(d, i, doc)
}

func (e *extractor) methodDecl(i syntax.ID, doc comments) {
	name := e.child(i, fieldName)
	receiver := e.child(i, fieldReceiver)
	if e.str(name) == 0 || receiver == syntax.None {
		return
	}
	d := e.declare(graph.KindMethod, name, i, i)
	e.open(d, true)
	e.b.Push()
	e.self.receiver = e.receiver(d, receiver)
	e.callable(d, i)
	e.b.Pop()
	e.b.EndDecl(d)
	if p := &e.b.Decls[d]; p.Name == e.words.blank || p.Owner == 0 {
		p.Traits |= facts.TraitFileScoped
	}
	e.finishFunction(d, i, doc)
}

// open makes d the package-level declaration that is read.
func (e *extractor) open(d facts.DeclID, method bool) {
	e.owner = d
	e.self.name, e.self.method, e.self.receiver = e.b.Decls[d].Name, method, none
	e.self.uses = e.self.uses[:0]
	e.preamble.used = false
}

// finishFunction adds what is known of a function after it was read.
func (e *extractor) finishFunction(d facts.DeclID, i syntax.ID, doc comments) {
	body := e.child(i, fieldBody)
	n := e.notes(doc, i, syntax.None)
	e.document(d, &n)
	if body == syntax.None {
		e.b.Decls[d].Flags |= graph.FlagNoBody
	}
	e.hashCode(d, &n, body)
	end := e.nodes[i].Next
	if body != syntax.None {
		end = body
	}
	e.text = e.appendTokens(e.text[:0], i+1, end)
	e.sign(d)
	e.close()
}

// close ends the package-level declaration that was open.
func (e *extractor) close() {
	e.owner = none
	e.self.name, e.self.receiver = 0, none
}

// receiver adds the receiver of method d and returns its local, None if it has
// no name. The names among the type arguments are the method's type parameters.
func (e *extractor) receiver(d facts.DeclID, list syntax.ID) facts.LocalID {
	param := syntax.ID(syntax.None)
	for c := range e.t.NamedChildren(list) {
		if classOf(e.nodes[c].Kind) == classParameter {
			param = c
			break
		}
	}
	if param == syntax.None {
		return none
	}
	whole := e.child(param, fieldType)
	typ := e.unwrap(whole)
	if typ != syntax.None && classOf(e.nodes[typ].Kind) == classPointerType {
		e.b.Decls[d].Flags |= graph.FlagPtrReceiver
		typ = e.unwrap(e.t.FirstNamed(typ))
	}
	if typ != syntax.None && classOf(e.nodes[typ].Kind) == classGenericType {
		e.receiverParams(d, e.child(typ, fieldTypeArguments))
		typ = e.child(typ, fieldType)
	}
	if typ != syntax.None && classOf(e.nodes[typ].Kind) == classIdentifier {
		if s := e.str(typ); s != e.words.blank {
			e.b.Decls[d].Owner = s
		}
	}
	x := e.typ(whole)
	local := facts.LocalID(none)
	if n := e.child(param, fieldName); n != syntax.None {
		if s := e.str(n); s != 0 && s != e.words.blank {
			local = e.b.AddLocal(facts.Local{Name: s, Decl: none, Type: x, Value: none, Next: none})
		}
	}
	return local
}

func (e *extractor) receiverParams(d facts.DeclID, args syntax.ID) {
	if args == syntax.None {
		return
	}
	index := 0
	for c := range e.t.NamedChildren(args) {
		if n := e.t.FirstNamed(c); classOf(e.nodes[c].Kind) == classTypeElem && n != syntax.None {
			c = n
		}
		if classOf(e.nodes[c].Kind) == classIdentifier {
			if s := e.str(c); s != 0 && s != e.words.blank {
				e.b.Bind(e.b.AddLocal(facts.Local{Name: s, Kind: facts.LocalTypeParam,
					Index: uint16(min(index, 1<<16-1)), Decl: d, Type: none, Value: none, Next: none}))
			}
		}
		index++
	}
}

// typeParams adds the type parameters of d. Each is in scope in all
// constraints.
func (e *extractor) typeParams(d facts.DeclID, list syntax.ID) {
	base := len(e.params)
	for c := range e.t.NamedChildren(list) {
		if classOf(e.nodes[c].Kind) != classTypeParameter {
			continue
		}
		for n := range e.t.ChildrenByField(c, fieldName) {
			if !e.nodes[n].Named() {
				continue
			}
			s := e.str(n)
			p := facts.Param{Name: s, Type: none, Local: none}
			if s != 0 && s != e.words.blank {
				p.Local = e.b.AddLocal(facts.Local{Name: s, Kind: facts.LocalTypeParam,
					Index: uint16(min(len(e.params)-base, 1<<16-1)), Decl: d, Type: none, Value: none, Next: none})
				e.b.Bind(p.Local)
			}
			e.params = append(e.params, p)
		}
	}
	k := base
	for c := range e.t.NamedChildren(list) {
		if classOf(e.nodes[c].Kind) != classTypeParameter {
			continue
		}
		x := e.typ(e.child(c, fieldType))
		for n := range e.t.ChildrenByField(c, fieldName) {
			if !e.nodes[n].Named() {
				continue
			}
			e.params[k].Type = x
			if l := e.params[k].Local; l != none {
				e.b.Locals[l].Type = x
			}
			k++
		}
	}
	e.b.Decls[d].TypeParams = e.endParams(base)
}

// endParams stores the parameters that were put on params from base on.
func (e *extractor) endParams(base int) facts.Span {
	span := e.b.AddParams(e.params[base:])
	e.params = e.params[:base]
	return span
}

// callable adds the parameters, results and body of function d, whose syntax is
// node i, in the scope that is open. Parameters are in scope in the body only,
// which shares their scope.
func (e *extractor) callable(d facts.DeclID, i syntax.ID) {
	body := e.child(i, fieldBody)
	e.parameters(d, i, true)
	if e.self.receiver != none && e.bodies == 0 && e.b.Decls[d].Kind == graph.KindMethod {
		e.b.Bind(e.self.receiver)
	}
	for _, span := range [...]facts.Span{e.b.Decls[d].Params, e.b.Decls[d].Results} {
		for k := span.Lo; k < span.Hi; k++ {
			if l := e.b.Params[k].Local; l != none {
				e.b.Bind(l)
			}
		}
	}
	if body == syntax.None {
		return
	}
	owner, function, results := e.owner, e.function, e.results
	e.owner, e.function, e.results = d, d, e.b.Decls[d].Results.Len()
	e.bodies++
	e.block(body)
	e.bodies--
	e.owner, e.function, e.results = owner, function, results
}

// parameters sets the parameters and results of d from the syntax of a
// function, function literal or interface method.
func (e *extractor) parameters(d facts.DeclID, i syntax.ID, locals bool) {
	if list := e.child(i, fieldParameters); list != syntax.None {
		e.b.Decls[d].Params = e.paramList(list, locals)
	}
	r := e.child(i, fieldResult)
	switch {
	case r == syntax.None:
	case classOf(e.nodes[r].Kind) == classParameterList:
		e.b.Decls[d].Results = e.paramList(r, locals)
	default:
		base := len(e.params)
		x := e.typ(r)
		e.params = append(e.params, facts.Param{Type: x, Local: none})
		e.b.Decls[d].Results = e.endParams(base)
	}
}

func (e *extractor) paramList(list syntax.ID, locals bool) facts.Span {
	base := len(e.params)
	e.eachParam(list, func(names []syntax.ID, typ syntax.ID, variadic bool) {
		p := facts.Param{Local: none}
		p.Type = e.typ(typ)
		seen := p.Type // as the function itself sees it
		if variadic {
			p.Flags = graph.ParamVariadic
			if locals {
				seen = e.operation(facts.Expr{Op: facts.OpVariadic, X: p.Type, Y: none}, p.Type)
			}
		}
		for _, n := range names {
			p.Name, p.Local = e.str(n), none
			if locals && p.Name != 0 && p.Name != e.words.blank {
				p.Local = e.b.AddLocal(facts.Local{Name: p.Name, Decl: none, Type: seen, Value: none, Next: none})
			}
			e.params = append(e.params, p)
		}
		if len(names) == 0 {
			e.params = append(e.params, p)
		}
	})
	return e.endParams(base)
}

// eachParam calls f for the groups of a parameter list that share a type. The
// grammar reads the first names of some groups as types; they are names if the
// list has any.
func (e *extractor) eachParam(list syntax.ID, f func(names []syntax.ID, typ syntax.ID, variadic bool)) {
	named := false
	for c := range e.t.NamedChildren(list) {
		if k := classOf(e.nodes[c].Kind); (k == classParameter || k == classVariadicParameter) && e.nameCount(c) > 0 {
			named = true
			break
		}
	}
	base := len(e.members)
	for c := range e.t.NamedChildren(list) {
		k := classOf(e.nodes[c].Kind)
		if k != classParameter && k != classVariadicParameter {
			continue
		}
		typ := e.child(c, fieldType)
		before := len(e.members)
		for _, n := range e.names(c) {
			e.members = append(e.members, n)
		}
		if named && len(e.members) == before && typ != syntax.None && k == classParameter && classOf(e.nodes[typ].Kind) == classIdentifier {
			e.members = append(e.members, typ)
			continue
		}
		f(e.members[base:], typ, k == classVariadicParameter)
		e.members = e.members[:base]
	}
	e.members = e.members[:base]
}

// funcLiteral adds a function literal: a declaration of its own and the
// expression that stands for it.
func (e *extractor) funcLiteral(i syntax.ID, callee facts.ExprFlags) facts.ExprID {
	d := e.declare(graph.KindFunction, syntax.None, i, i)
	e.b.Decls[d].Traits = facts.TraitLiteral
	owner := e.owner
	e.owner = d
	if e.initial && e.bodies == 0 && callee&facts.FlagCallee != 0 && owner != none {
		e.b.Decls[owner].Flags |= graph.FlagOnLoad
	}
	e.b.Push()
	e.callable(d, i)
	e.b.Pop()
	e.b.EndDecl(d)
	e.owner = owner
	return e.add(facts.Expr{Op: facts.OpFunc, Flags: callee, X: facts.ExprID(d), Y: none}, i)
}

// testCase returns what the function at node i is to the runner if it is in a
// test file: by its name and its parameters. An example that has no output to
// compare with is compiled, but never run.
func (e *extractor) testCase(i, name syntax.ID) graph.Flags {
	text := e.t.Text(name)
	params := e.child(i, fieldParameters)
	if params == syntax.None || e.child(i, fieldResult) != syntax.None {
		return 0
	}
	if string(text) == "TestMain" && e.isTestingParam(params, "M") {
		return graph.FlagTestCase | graph.FlagOnLoad
	}
	for _, c := range [...]struct{ prefix, typ string }{
		{"Test", "T"}, {"Benchmark", "B"}, {"Fuzz", "F"}, {"Example", ""},
	} {
		if !hasTestPrefix(text, c.prefix) {
			continue
		}
		if c.typ == "" && e.t.FirstNamed(params) == syntax.None && e.showsOutput(e.child(i, fieldBody)) ||
			c.typ != "" && e.isTestingParam(params, c.typ) {
			return graph.FlagTestCase
		}
		return 0
	}
	return 0
}

// showsOutput reports whether the last comment in a body, which may have several
// lines, says what an example prints.
func (e *extractor) showsOutput(body syntax.ID) bool {
	if body == syntax.None {
		return false
	}
	first, last := syntax.ID(syntax.None), syntax.ID(syntax.None)
	for c := body + 1; c < e.nodes[body].Next; c++ {
		if classOf(e.nodes[c].Kind) != classComment {
			continue
		}
		// A comment goes on in the next line, unless code stands before it.
		if last != c-1 || e.nodes[c].Row != e.endRow(last)+1 || e.endRow(last-1) == e.nodes[last].Row {
			first = c
		}
		last = c
	}
	return first != syntax.None && outputComment().Match(e.t.Text(first))
}

// outputComment is what go/doc looks for in the text of the comment.
var outputComment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(//|/\*)[[:space:]]*(unordered )?output:`) })

// isTestingParam reports whether a parameter list is one pointer to a type of
// package testing.
func (e *extractor) isTestingParam(list syntax.ID, typ string) bool {
	p := e.t.FirstNamed(list)
	if p == syntax.None || e.several(list) || classOf(e.nodes[p].Kind) != classParameter {
		return false
	}
	names := 0
	for n := range e.t.ChildrenByField(p, fieldName) {
		if e.nodes[n].Named() {
			names++
		}
	}
	ptr := e.child(p, fieldType)
	if names > 1 || ptr == syntax.None || classOf(e.nodes[ptr].Kind) != classPointerType || e.testing == 0 {
		return false
	}
	q := e.t.FirstNamed(ptr)
	if q == syntax.None {
		return false
	}
	if e.b.Strings[e.testing] == "." {
		return string(e.t.Text(q)) == typ
	}
	return classOf(e.nodes[q].Kind) == classQualifiedType &&
		e.str(e.child(q, fieldPackage)) == e.testing && e.t.String(e.child(q, fieldName)) == typ
}

// hasTestPrefix reports whether a name is the prefix, alone or before something
// that does not begin with a lower-case letter.
func hasTestPrefix(name []byte, prefix string) bool {
	rest, ok := bytes.CutPrefix(name, []byte(prefix))
	if !ok || len(rest) == 0 {
		return ok
	}
	r, _ := utf8.DecodeRune(rest)
	return !unicode.IsLower(r)
}
