package typescript

import (
	"bytes"
	"crypto/sha256"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// What hashes stand for:
//
//	function, method, constructor   the decorators, the parameters with their defaults, and the body
//	variable, field, enum member    the decorators and the value
//	class, interface, enum          the decorators and what stands in the body besides members
//	type alias                      its type, without the members of a literal
//
// Types of results and fields, bases and modifiers are in signatures,
// visibilities and flags.

// pragma reports whether a comment changes what the program or its compiler
// does.
func pragma(text []byte) bool {
	text = bytes.TrimLeft(text, "/* \t")
	for _, p := range [...]string{"@ts-ignore", "@ts-expect-error", "@ts-nocheck", "@jsx", "#__PURE__", "@__PURE__"} {
		if bytes.HasPrefix(text, []byte(p)) {
			return true
		}
	}
	return false
}

// hashCode hashes the decorators and the given parts of declaration d.
func (e *extractor) hashCode(d facts.DeclID, decorators []syntax.ID, parts ...syntax.ID) {
	if e.bodies > 0 && e.b.Decls[d].Traits&facts.TraitLocal != 0 {
		return // no node
	}
	h := &e.hasher
	h.Reset(e.t, &e.rules)
	any := false
	for _, c := range decorators {
		h.Node(c, syntax.Edits{})
		any = true
	}
	for _, i := range parts {
		if i != syntax.None {
			h.Node(i, syntax.Edits{})
			any = true
		}
	}
	if any {
		e.setHash(d, h.Sum())
	}
}

// hashValue hashes the value of declaration d.
func (e *extractor) hashValue(d facts.DeclID, value syntax.ID) { e.hashCode(d, nil, value) }

func (e *extractor) setHash(d facts.DeclID, s syntax.Digest) {
	p := &e.b.Decls[d]
	p.Body, p.Tokens, p.Branches = s.Hash, int32(s.Tokens), int32(s.Branches)
	for i := range p.MinHash {
		p.MinHash[i] = uint32(s.Sketch[4*i]) | uint32(s.Sketch[4*i+1])<<8 | uint32(s.Sketch[4*i+2])<<16 | uint32(s.Sketch[4*i+3])<<24
	}
}

// hashType hashes what a type holds besides its members.
func (e *extractor) hashType(d facts.DeclID, decorators []syntax.ID, body syntax.ID, members []syntax.ID) {
	if e.bodies > 0 && e.b.Decls[d].Traits&facts.TraitLocal != 0 {
		return
	}
	h := &e.hasher
	h.Reset(e.t, &e.rules)
	for _, c := range decorators {
		h.Node(c, syntax.Edits{})
	}
	if body != syntax.None {
		h.Node(body, syntax.Edits{Skip: members})
	}
	e.setHash(d, h.Sum())
}

// document sets the documentation of d from the comment before node i.
func (e *extractor) document(d facts.DeclID, i syntax.ID) {
	if e.b.Decls[d].Traits&facts.TraitLocal != 0 {
		return
	}
	doc := e.docComment(i)
	if doc == nil {
		return
	}
	words, deprecated := docText(doc)
	p := &e.b.Decls[d]
	if deprecated {
		p.Flags |= graph.FlagDeprecated
	}
	if len(words) > 0 {
		sum := sha256.Sum256(words)
		copy(p.DocHash[:], sum[:])
		p.Doc = e.b.Intern(bytes.TrimSpace(words[:facts.Sentence(words)]))
	}
}

// docComment returns the text of the documentation comment before node i.
func (e *extractor) docComment(i syntax.ID) []byte {
	text := bytes.TrimRight(e.src[:e.nodes[i].Start], " \t\r\n")
	if !bytes.HasSuffix(text, []byte("*/")) {
		return nil
	}
	at := bytes.LastIndex(text, []byte("/*"))
	if at < 0 || !bytes.HasPrefix(text[at:], []byte("/**")) || len(text)-at < 5 {
		return nil
	}
	return text[at+3 : len(text)-2]
}

// docText returns the words of a documentation comment without its marks,
// single-spaced, and whether it says that the declaration is deprecated.
func docText(doc []byte) (words []byte, deprecated bool) {
	for line := range bytes.SplitSeq(doc, []byte("\n")) {
		line = bytes.TrimSpace(line)
		line = bytes.TrimSpace(bytes.TrimLeft(line, "*"))
		tag := len(line) > 1 && line[0] == '@'
		if tag && bytes.HasPrefix(line, []byte("@deprecated")) {
			deprecated = true
		}
		if len(words) > 0 && len(line) > 0 {
			if tag {
				words = append(words, '\n')
			} else {
				words = append(words, ' ')
			}
		}
		words = append(words, line...)
	}
	return bytes.TrimSpace(words), deprecated
}

// appendTokens appends the source text of nodes i to end on one line, without
// comments, decorators and commas behind the last of a list.
func (e *extractor) appendTokens(out []byte, i, end syntax.ID) []byte {
	limit := len(out) + e.signed
	for i < end {
		n := &e.nodes[i]
		k := e.dialect.class(n.Kind)
		if n.Flags&syntax.Extra != 0 || k == classDecorator || k == classComment {
			i = n.Next
			continue
		}
		if n.Next > i+1 && k != classString && k != classTemplate {
			i++
			continue
		}
		if n.End > n.Start {
			out = appendToken(out, e.src[n.Start:n.End])
			if len(out) > limit {
				return append(out[:limit], "…"...)
			}
		}
		i = n.Next
	}
	return out
}

// appendToken appends one token with the space before it that it always gets.
func appendToken(out, tok []byte) []byte {
	first := tok[0]
	switch first {
	case ')', ']', '}', '>':
		if len(tok) == 1 && len(out) > 0 && out[len(out)-1] == ',' { // the comma was behind the last
			out = out[:len(out)-1]
		}
	case ';':
		if len(tok) == 1 && len(out) > 0 {
			return append(out, ';')
		}
	}
	if len(out) > 0 {
		prev := out[len(out)-1]
		switch {
		case prev == ',' || prev == ';' || prev == '=' || prev == '|' || prev == '&':
			out = append(out, ' ')
		case prev == ':' && first != ':', prev == '{' && first != '}':
			out = append(out, ' ')
		case first == '=' || first == '|' || first == '&' || first == '{' || first == '}' && prev != '{':
			out = append(out, ' ')
		case prev == '>' && len(out) > 1 && out[len(out)-2] == '=', prev == '}' && isWord(first):
			out = append(out, ' ')
		case isWord(prev) && isWord(first), prev == ')' && isWord(first), prev == '>' && isWord(first), prev == ']' && isWord(first):
			out = append(out, ' ')
		}
	}
	for _, b := range tok {
		if b < ' ' {
			b = ' '
		}
		out = append(out, b)
	}
	return out
}

func isWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b == '$' || b == '"' || b == '\'' || b >= 0x80
}

// sign makes the text that was built the signature of d.
func (e *extractor) sign(d facts.DeclID) {
	if e.b.Decls[d].Traits&facts.TraitLocal != 0 {
		return
	}
	e.text = bytes.TrimRight(e.text, " ;,=")
	e.signed = max(e.signed-len(e.text), 0)
	e.b.Decls[d].Signature = e.b.Intern(e.text)
}

// signCallable signs a function with all its signatures.
func (e *extractor) signCallable(d facts.DeclID, i syntax.ID) {
	end := e.nodes[i].Next
	if body := e.child(i, e.f.body); body != syntax.None {
		end = body
	}
	e.text = e.text[:0]
	if k := e.class(i); k == classArrow || k == classFunctionExpr || k == classGeneratorExpr {
		e.text = append(append(e.text, "function "...), e.b.Strings[e.b.Decls[d].Name]...)
		for c := range e.t.Children(i) {
			if c >= end || e.nodes[c].Flags&syntax.Named == 0 && !e.reads(c, "async") || e.nodes[c].Field == e.f.name {
				continue
			}
			if e.nodes[c].Field == e.f.param {
				e.text = append(append(append(e.text, '('), e.t.Text(c)...), ')')
				continue
			}
			e.text = e.appendTokens(e.text, c, e.nodes[c].Next)
		}
	} else {
		e.text = e.appendTokens(e.text, i+1, end)
	}
	p := &e.b.Decls[d]
	if p.Traits&facts.TraitOverload == 0 { // those before it are part of it
		for k := int(d) - 1; k >= 0; k-- {
			o := &e.b.Decls[k]
			if o.Parent != p.Parent {
				continue
			}
			if o.Name != p.Name || o.Traits&facts.TraitOverload == 0 {
				break
			}
			if p.Flags.Has(graph.FlagNoBody) || len(e.text) < 4<<10 {
				e.text = append(append(append([]byte(nil), e.b.Strings[o.Signature]...), "; "...), e.text...)
			}
		}
	}
	e.sign(d)
}

func (e *extractor) signType(d facts.DeclID, i, body syntax.ID) {
	end := e.nodes[i].Next
	if body != syntax.None {
		end = body
	}
	e.text = e.appendTokens(e.text[:0], i+1, end)
	e.sign(d)
}

// signAlias signs a type alias with its type, but for the members of a literal,
// which are declarations of their own.
func (e *extractor) signAlias(d facts.DeclID, i, value syntax.ID) {
	var keys []syntax.ID // what it holds under keys that are not named
	members := e.class(value) == classObjectType
	if members {
		for c := range e.t.NamedChildren(value) {
			if e.class(c) == classIndexSignature {
				keys = append(keys, c)
				members = members && e.childOf(c, classMapped) == syntax.None
			}
		}
	}
	end := e.nodes[i].Next
	if members {
		end = value
	}
	e.text = e.appendTokens(e.text[:0], i+1, end)
	for _, k := range keys {
		if members {
			e.text = e.appendTokens(e.text, k, e.nodes[k].Next)
		}
	}
	e.sign(d)
}

// signVariable signs a variable, or the function that it holds.
func (e *extractor) signVariable(d facts.DeclID, name, typ, f syntax.ID) {
	if f != syntax.None && typ == syntax.None {
		e.signCallable(d, f)
		return
	}
	e.text = append(e.text[:0], e.b.Strings[e.b.Decls[d].Name]...)
	if typ != syntax.None {
		e.text = e.appendTokens(e.text, typ, e.nodes[typ].Next)
	}
	e.sign(d)
}

// signField signs a field with its type.
func (e *extractor) signField(d facts.DeclID, i, name syntax.ID) {
	e.text = append(e.text[:0], e.b.Strings[e.b.Decls[d].Name]...)
	if e.word(i, "?") {
		e.text = append(e.text, '?')
	}
	if t := e.child(i, e.f.typ); t != syntax.None {
		e.text = e.appendTokens(e.text, t, e.nodes[t].Next)
	} else if f := e.functionOf(e.child(i, e.f.value)); f != syntax.None {
		e.signCallable(d, f)
		return
	}
	e.sign(d)
}
