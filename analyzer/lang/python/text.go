package python

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// What hashes stand for:
//
//	function   the decorators, the defaults of parameters and the block without the functions and classes in it
//	class      the decorators, keywords beside the bases, and what stands in the block besides members
//	variable   the value
//
// Documentation is hashed by itself; annotations and names of parameters are in
// signatures.
var hashRules syntax.HashRules

func (e *extractor) setHash(d facts.DeclID, s syntax.Digest) {
	p := &e.b.Decls[d]
	p.Body, p.Tokens, p.Branches = s.Hash, int32(s.Tokens), int32(s.Branches)
	for i := range p.MinHash {
		p.MinHash[i] = uint32(s.Sketch[4*i]) | uint32(s.Sketch[4*i+1])<<8 | uint32(s.Sketch[4*i+2])<<16 | uint32(s.Sketch[4*i+3])<<24
	}
}

func (e *extractor) hashCode(d facts.DeclID, parts ...syntax.ID) {
	if parts[0] == syntax.None {
		return
	}
	h := &e.hasher
	h.Reset(e.t, &hashRules)
	for _, p := range parts {
		if p != syntax.None {
			h.Node(p, syntax.Edits{})
		}
	}
	e.setHash(d, h.Sum())
}

// noteBehind returns the comment behind a statement, on its last line, that says what
// type something has.
func (e *extractor) noteBehind(stmt syntax.ID) syntax.ID {
	c := e.t.NextSibling(stmt)
	if c == syntax.None || e.class(c) != classComment || e.t.Line(c) != e.t.EndLine(stmt) || !pragma(e.t.Text(c)) {
		return syntax.None
	}
	return c
}

func (e *extractor) hashFunction(d facts.DeclID, i syntax.ID, marks []mark, body, doc syntax.ID, inside []syntax.ID) {
	h := &e.hasher
	h.Reset(e.t, &hashRules)
	for _, m := range marks {
		h.Node(m.node, syntax.Edits{})
	}
	if ps := e.child(i, fieldParameters); ps != syntax.None {
		for c := range e.t.NamedChildren(ps) {
			if v := e.child(c, fieldValue); v != syntax.None {
				h.Node(v, syntax.Edits{})
			}
		}
	}
	if body != syntax.None {
		var skip []syntax.ID
		if doc != syntax.None {
			skip = append(skip, doc)
		}
		h.Node(body, syntax.Edits{Skip: append(skip, inside...)})
	}
	e.setHash(d, h.Sum())
}

func (e *extractor) hashClass(d facts.DeclID, marks []mark, body, bases syntax.ID, members []syntax.ID, doc syntax.ID) {
	h := &e.hasher
	h.Reset(e.t, &hashRules)
	for _, m := range marks {
		h.Node(m.node, syntax.Edits{})
	}
	if bases != syntax.None {
		for c := range e.t.NamedChildren(bases) {
			if e.class(c) == classKeywordArgument {
				h.Node(c, syntax.Edits{})
			}
		}
	}
	if body != syntax.None {
		var skip []syntax.ID
		if doc != syntax.None {
			skip = append(skip, doc)
		}
		skip = append(skip, members...)
		// What documents an attribute, and what stands where nothing else does.
		for c := range e.t.NamedChildren(body) {
			if e.class(c) == classPass || c != doc && e.isText(c) {
				skip = append(skip, c)
			}
		}
		slices.Sort(skip)
		h.Node(body, syntax.Edits{Skip: skip})
	}
	e.setHash(d, h.Sum())
}

// isText reports whether a statement is a text and nothing else.
func (e *extractor) isText(s syntax.ID) bool {
	if e.class(s) != classExpressionStatement {
		return false
	}
	x := e.t.FirstNamed(s)
	return x != syntax.None && e.class(x) == classString && e.nodes[x].Next == e.nodes[s].Next
}

// docstring returns the statement that documents what has the body, or None.
func (e *extractor) docstring(body syntax.ID) syntax.ID {
	if body == syntax.None {
		return syntax.None
	}
	s := e.t.FirstNamed(body)
	if s == syntax.None || !e.isText(s) {
		return syntax.None
	}
	return s
}

// document sets the documentation of d.
func (e *extractor) document(d facts.DeclID, doc syntax.ID) {
	if doc == syntax.None {
		return
	}
	text := e.t.Text(doc)
	text = bytes.TrimLeft(text, "rRuUbB")
	words := facts.AppendWords(e.words[:0], bytes.Trim(text, `"'`))
	e.words = words
	if len(words) == 0 {
		return
	}
	p := &e.b.Decls[d]
	sum := sha256.Sum256(words)
	copy(p.DocHash[:], sum[:])
	p.Doc = e.b.Intern(bytes.TrimSpace(words[:facts.Sentence(words)]))
	if bytes.Contains(words, []byte(".. deprecated::")) {
		p.Flags |= graph.FlagDeprecated
	}
}

// Signatures are the source text of what the users of a declaration must fit,
// on one line, without decorators and bodies:
//
//	async def find(name: str, *, deep=False) -> Node | None
//	class Cart(Base, metaclass=Meta)
//	names: list[str]
func (e *extractor) appendTokens(out []byte, i, end syntax.ID) []byte {
	limit := len(out) + e.signed
	prevEnd := uint32(0)
	first := true
	for i < end {
		n := &e.nodes[i]
		k := classOf(n.Kind)
		if k == classComment {
			i = n.Next
			continue
		}
		if n.Next > i+1 && k != classString {
			i++
			continue
		}
		if n.End > n.Start {
			if !first && n.Start > prevEnd && !(len(out) > 0 && (out[len(out)-1] == '(' || out[len(out)-1] == '[')) && e.src[n.Start] != ')' && e.src[n.Start] != ']' {
				out = append(out, ' ')
			}
			first = false
			for _, b := range e.src[n.Start:n.End] {
				if b < ' ' {
					b = ' '
				}
				out = append(out, b)
			}
			prevEnd = n.End
			if len(out) > limit {
				return append(out[:limit], "…"...)
			}
		}
		i = n.Next
	}
	return out
}

// sign makes the text that was built the signature of d.
func (e *extractor) sign(d facts.DeclID) {
	e.text = bytes.TrimRight(e.text, " :")
	e.signed = max(e.signed-len(e.text), 0)
	e.b.Decls[d].Signature = e.b.Intern(e.text)
}

func (e *extractor) signFunction(d facts.DeclID, i syntax.ID) {
	end := e.nodes[i].Next
	if b := e.child(i, fieldBody); b != syntax.None {
		end = b
	}
	e.text = e.appendTokens(e.text[:0], i+1, end)
	e.sign(d)
}

func (e *extractor) signClass(d facts.DeclID, i syntax.ID) { e.signFunction(d, i) }

func (e *extractor) signVariable(d facts.DeclID, name, typ syntax.ID) {
	e.text = append(e.text[:0], e.t.Text(name)...)
	if typ != syntax.None {
		e.text = append(e.text, ": "...)
		e.text = e.appendTokens(e.text, typ, e.nodes[typ].Next)
	}
	e.sign(d)
}
