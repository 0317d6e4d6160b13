package typescript

import (
	"bytes"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// Types in the comments of JavaScript: those of parameters and results before a
// function, that of a variable before its declaration, and names that a comment
// gives to types. They say what a declaration would, where nothing is declared,
// and are no uses of what they name: nothing of a comment is an edge.

const (
	maxDocComment = 8 << 10 // bytes of a comment that is read
	maxDocType    = 512     // bytes of one type
	maxDocDepth   = 12      // types inside of one type
	maxDocNames   = 256     // names that the comments of a file give
)

// docTypes are the types that one comment tells.
type docTypes struct {
	params         map[string][]byte
	result, itself []byte
	templates      []docTemplate
}

// docTemplate is a type parameter, with what bounds it.
type docTemplate struct{ name, bound []byte }

// docFor returns the types that the comment before a function or variable tells.
// It stands before the statement or the member.
func (e *extractor) docFor(i syntax.ID) (d docTypes, ok bool) {
	if !e.dialect.docs {
		return d, false
	}
	for range 5 {
		if doc := e.docComment(i); doc != nil && len(doc) <= maxDocComment && bytes.IndexByte(doc, '{') >= 0 {
			return parseDoc(doc), true
		}
		p := e.t.Parent(i)
		if p == syntax.None {
			break
		}
		switch e.t.Lang.KindName(e.nodes[p].Kind) {
		case "variable_declarator", "lexical_declaration", "variable_declaration", "export_statement", "assignment_expression", "expression_statement", "pair":
			i = p
		default:
			return d, false
		}
	}
	return d, false
}

// parseDoc returns the types of the tags of a comment.
func parseDoc(doc []byte) docTypes {
	d := docTypes{}
	eachTag(doc, func(tag string, typ, rest []byte) {
		switch tag {
		case "param", "arg", "argument":
			name := bytes.TrimLeft(rest, "[")
			end := bytes.IndexFunc(name, func(r rune) bool {
				return !(r == '_' || r == '$' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
			})
			if end < 0 {
				end = len(name)
			}
			if end == 0 || end < len(name) && name[end] == '.' || len(d.params) >= 64 { // a member of a parameter
				return
			}
			if d.params == nil {
				d.params = map[string][]byte{}
			}
			d.params[string(name[:end])] = typ
		case "returns", "return":
			d.result = typ
		case "type":
			d.itself = typ
		case "template":
			for name := range bytes.SplitSeq(rest, []byte(",")) {
				name = bytes.TrimLeft(name, " \t[")
				n := 0
				for n < len(name) && inWord(name[n]) {
					n++
				}
				if n > 0 && len(d.templates) < 16 {
					d.templates = append(d.templates, docTemplate{name[:n], typ})
					typ = nil // it bounds the first
				}
			}
		}
	})
	return d
}

func inWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// docTemplates adds the type parameters that the comment before a function tells,
// and makes their names known.
func (e *extractor) docTemplates(d facts.DeclID, list []docTemplate) {
	if len(list) == 0 || e.b.Decls[d].TypeParams.Len() > 0 {
		return
	}
	base := len(e.params)
	for i, t := range list {
		s := e.b.Intern(t.name)
		l := e.b.AddLocal(facts.Local{Name: s, Kind: facts.LocalTypeParam, Index: uint16(i), Decl: d, Type: none, Value: none, Next: none})
		e.b.Bind(l)
		e.params = append(e.params, facts.Param{Name: s, Type: none, Local: l})
	}
	for i, t := range list {
		if x := e.docType(t.bound); x != none {
			p := &e.params[base+i]
			p.Type, e.b.Locals[p.Local].Type = x, x
		}
	}
	e.b.Decls[d].TypeParams = e.endParams(base)
}

// eachTag calls f for the tags of a comment that have a type in braces, with what
// stands behind it on its line; and for those of type parameters, which need none.
func eachTag(doc []byte, f func(tag string, typ, rest []byte)) {
	for len(doc) > 0 {
		at := bytes.IndexByte(doc, '@')
		if at < 0 {
			return
		}
		doc = doc[at+1:]
		n := 0
		for n < len(doc) && doc[n] >= 'a' && doc[n] <= 'z' {
			n++
		}
		tag, rest := string(doc[:n]), bytes.TrimLeft(doc[n:], " \t")
		if tag == "template" && len(rest) > 0 && rest[0] != '{' {
			line, _, _ := bytes.Cut(rest, []byte("\n"))
			line, _, _ = bytes.Cut(line, []byte("*/"))
			f(tag, nil, line)
		}
		if n == 0 || len(rest) == 0 || rest[0] != '{' {
			continue
		}
		depth, end := 0, -1
		for i, c := range rest[:min(len(rest), maxDocType)] {
			if c == '{' {
				depth++
			} else if c == '}' {
				if depth--; depth == 0 {
					end = i
					break
				}
			}
		}
		if end < 0 {
			continue
		}
		typ := rest[1:end]
		rest = rest[end+1:]
		line := rest
		if k := bytes.IndexByte(line, '\n'); k >= 0 {
			line = line[:k]
		}
		f(tag, typ, bytes.TrimSpace(line))
		doc = rest
	}
}

// docNames finds the names that the comments of the file give to types.
func (e *extractor) docNames() {
	e.docTypes = nil
	if !e.dialect.docs {
		return
	}
	rest := e.src
	for len(e.docTypes) < maxDocNames {
		at := bytes.Index(rest, []byte("@typedef"))
		if at < 0 {
			return
		}
		rest = rest[at:]
		eachTag(rest[:min(len(rest), maxDocType+64)], func(tag string, typ, name []byte) {
			name, _, _ = bytes.Cut(name, []byte(" "))
			name = bytes.TrimSuffix(bytes.TrimSpace(name), []byte("*/"))
			if tag == "typedef" && len(name) > 0 && len(name) < 128 {
				if e.docTypes == nil {
					e.docTypes = map[string][]byte{}
				}
				if _, ok := e.docTypes[string(name)]; !ok {
					e.docTypes[string(name)] = typ
				}
			}
		})
		rest = rest[len("@typedef"):]
	}
}

// docType adds a type that a comment tells; None if it tells nothing that can be
// followed.
func (e *extractor) docType(text []byte) facts.ExprID {
	if len(text) == 0 {
		return none
	}
	p := docParser{e: e, s: text}
	x := p.union()
	if p.skip(); p.bad || len(p.s) > 0 || e.b.Exprs[x].Op == facts.OpNone {
		return none
	}
	return x
}

// knows reports whether the file can name a type so: what a comment calls a type
// that nothing declares tells less than the code does.
func (e *extractor) knows(s facts.Str) bool {
	if _, ok := e.tops[s]; ok || e.b.Lookup(s) != none {
		return true
	}
	switch e.b.Strings[s] {
	case "string", "number", "boolean", "bigint", "symbol", "null", "undefined", "void", "never",
		"Array", "Promise", "Map", "Set", "WeakMap", "WeakSet", "Date", "RegExp", "Error", "Record", "Partial", "Iterable", "Iterator":
		return true
	}
	for k := range e.b.Imports {
		if im := &e.b.Imports[k]; im.Alias == s && im.Flags&facts.ImportReExport == 0 {
			return true
		}
	}
	return false
}

// docParser reads a type in a comment: names, members of modules, generic types,
// lists, unions and functions. What else there is counts as any type.
type docParser struct {
	e     *extractor
	s     []byte
	depth int
	bad   bool
}

func (p *docParser) skip() { p.s = bytes.TrimLeft(p.s, " \t\r\n*") }

// next reports whether the text goes on with a token, and takes it.
func (p *docParser) next(token string) bool {
	p.skip()
	if bytes.HasPrefix(p.s, []byte(token)) {
		p.s = p.s[len(token):]
		return true
	}
	return false
}

func (p *docParser) fail() facts.ExprID {
	p.bad = true
	return none
}

func (p *docParser) typed(x facts.Expr) facts.ExprID {
	x.Flags |= facts.FlagTyped
	return p.e.b.AddExpr(x)
}

func (p *docParser) union() facts.ExprID {
	if p.depth++; p.depth > maxDocDepth {
		return p.fail()
	}
	defer func() { p.depth-- }()
	var list []int32
	p.next("|")
	for {
		x := p.postfix()
		if p.bad {
			return none
		}
		list = append(list, int32(x))
		if len(list) > 32 || !p.next("|") {
			break
		}
	}
	if len(list) == 1 {
		return facts.ExprID(list[0])
	}
	return p.typed(facts.Expr{Op: facts.OpUnionType, X: none, Y: none, Args: p.e.b.AddList(list)})
}

func (p *docParser) postfix() facts.ExprID {
	for p.next("?") || p.next("!") || p.next("...") {
	}
	x := p.primary()
	for !p.bad {
		switch {
		case p.next("[]"):
			x = p.typed(facts.Expr{Op: facts.OpSliceType, X: x, Y: none})
		case p.next("=") || p.next("?"):
		case p.next(".<") || p.next("<"):
			var args []int32
			for {
				args = append(args, int32(p.union()))
				if p.bad || len(args) > 16 {
					return p.fail()
				}
				if !p.next(",") {
					break
				}
			}
			if !p.next(">") {
				return p.fail()
			}
			x = p.typed(facts.Expr{Op: facts.OpIndex, X: x, Y: none, Args: p.e.b.AddList(args)})
		default:
			return x
		}
	}
	return x
}

func (p *docParser) primary() facts.ExprID {
	e := p.e
	if p.arrow() {
		return p.function("=>")
	}
	if p.next("(") {
		x := p.union()
		if !p.next(")") {
			return p.fail()
		}
		return x
	}
	name := p.word()
	switch name {
	case "":
		return p.fail()
	case "typeof":
		x := p.value()
		if p.bad {
			return none
		}
		return p.typed(facts.Expr{Op: facts.OpTypeOf, X: x, Y: none})
	case "function":
		if p.skip(); len(p.s) > 0 && p.s[0] == '(' {
			return p.function(":")
		}
		return p.typed(facts.Expr{Op: facts.OpNone, X: none, Y: none})
	case "any", "unknown", "object", "Object", "Function":
		return p.typed(facts.Expr{Op: facts.OpNone, X: none, Y: none})
	case "String", "Number", "Boolean":
		name = string(bytes.ToLower([]byte(name)))
	case "import":
		x := p.module(facts.FlagTyped)
		for !p.bad && p.next(".") {
			x = p.typed(facts.Expr{Op: facts.OpSelect, Name: e.b.InternString(p.word()), X: x, Y: none})
		}
		return x
	}
	if typ, ok := e.docTypes[name]; ok && p.depth < maxDocDepth {
		inner := docParser{e: e, s: typ, depth: p.depth + 1}
		x := inner.union()
		if inner.skip(); inner.bad || len(inner.s) > 0 {
			return p.typed(facts.Expr{Op: facts.OpNone, X: none, Y: none})
		}
		return x
	}
	s := e.b.InternString(name)
	if len(p.s) > 1 && p.s[0] == '.' && p.s[1] != '<' {
		x := p.named(s, facts.FlagTyped|facts.FlagKey)
		for !p.bad && len(p.s) > 1 && p.s[0] == '.' && p.s[1] != '<' {
			p.s = p.s[1:]
			x = p.typed(facts.Expr{Op: facts.OpSelect, Name: e.b.InternString(p.word()), X: x, Y: none})
		}
		return x
	}
	return p.named(s, facts.FlagTyped)
}

// arrow reports whether the text goes on with the parameters of a function.
func (p *docParser) arrow() bool {
	p.skip()
	if len(p.s) == 0 || p.s[0] != '(' {
		return false
	}
	depth := 0
	for i, c := range p.s {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return bytes.HasPrefix(bytes.TrimLeft(p.s[i+1:], " \t\r\n*"), []byte("=>"))
			}
		}
	}
	return false
}

// function reads the parameters of a function, and its result behind a token:
// (x: T) => U, or function(T): U.
func (p *docParser) function(token string) facts.ExprID {
	e := p.e
	if e.owner == none || !p.next("(") {
		return p.fail()
	}
	d := e.b.AddDecl(graph.KindFunction, 0, e.owner)
	e.b.Decls[d].Traits |= facts.TraitLiteral | facts.TraitLocal
	e.b.Decls[d].Vis = graph.Private
	owner, base := e.owner, len(e.params)
	e.owner = d
	for n := 0; !p.next(")"); n++ {
		if n > 0 && !p.next(",") || n >= 32 {
			p.bad = true
			break
		}
		flags := graph.ParamFlags(0)
		if p.next("...") {
			flags |= graph.ParamVariadic
		}
		name := facts.Str(0)
		if token == "=>" { // its name comes first
			name = e.b.InternString(p.word())
			if p.next("?") {
				flags |= graph.ParamOptional
			}
			if !p.next(":") {
				e.params = append(e.params, facts.Param{Name: name, Type: none, Local: none, Flags: flags})
				continue
			}
		}
		x := p.union()
		if p.bad {
			break
		}
		e.params = append(e.params, facts.Param{Name: name, Type: x, Local: none, Flags: flags})
	}
	e.b.Decls[d].Params = e.endParams(base)
	r := facts.ExprID(none)
	if !p.bad && p.next(token) {
		r = p.union()
	}
	if !p.bad {
		if r == none {
			r = p.typed(facts.Expr{Op: facts.OpNone, X: none, Y: none})
		}
		e.params = append(e.params[:base], facts.Param{Type: r, Local: none})
		e.b.Decls[d].Results = e.endParams(base)
	}
	e.owner = owner
	e.b.EndDecl(d)
	if p.bad {
		return none
	}
	return p.typed(facts.Expr{Op: facts.OpFunc, X: facts.ExprID(d), Y: none})
}

// value reads what typeof stands before.
func (p *docParser) value() facts.ExprID {
	e := p.e
	name := p.word()
	if name == "" {
		return p.fail()
	}
	x := facts.ExprID(none)
	if name == "import" {
		x = p.module(0)
	} else {
		x = p.named(e.b.InternString(name), 0)
	}
	for !p.bad && len(p.s) > 1 && p.s[0] == '.' {
		p.s = p.s[1:]
		x = e.b.AddExpr(facts.Expr{Op: facts.OpSelect, Name: e.b.InternString(p.word()), X: x, Y: none})
	}
	return x
}

// named adds a name, a local one if there is one.
func (p *docParser) named(s facts.Str, flags facts.ExprFlags) facts.ExprID {
	if !p.e.knows(s) {
		return p.fail()
	}
	x := facts.Expr{Op: facts.OpName, Flags: flags, Name: s, X: none, Y: none}
	if l := p.e.b.Lookup(s); l != none {
		x.Flags |= facts.FlagLocal
		x.X = facts.ExprID(l)
	}
	return p.e.b.AddExpr(x)
}

// module reads the rest of import("path").
func (p *docParser) module(flags facts.ExprFlags) facts.ExprID {
	if !p.next("(") {
		return p.fail()
	}
	p.skip()
	if len(p.s) < 2 || p.s[0] != '"' && p.s[0] != '\'' {
		return p.fail()
	}
	end := bytes.IndexByte(p.s[1:], p.s[0])
	if end <= 0 {
		return p.fail()
	}
	path := p.e.b.Intern(p.s[1 : 1+end])
	p.s = p.s[end+2:]
	if !p.next(")") {
		return p.fail()
	}
	return p.e.b.AddExpr(facts.Expr{Op: facts.OpModule, Flags: flags, Name: path, X: none, Y: none})
}

// word reads a name.
func (p *docParser) word() string {
	p.skip()
	n := 0
	for n < len(p.s) && inWord(p.s[n]) {
		n++
	}
	w := string(p.s[:n])
	p.s = p.s[n:]
	return w
}
