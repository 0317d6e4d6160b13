package java

import (
	"bytes"
	"crypto/sha256"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// What hashes stand for:
//
//	method, constructor   the annotations, those of parameters among them, and the block
//	type                  the annotations and what stands in the body besides members: initialisers
//	field                 the annotations and the initial value
//	enum constant         the annotations, arguments and body
//
// Types, parameters, bases and modifiers are no part of them: they are in
// signatures, visibilities and flags. The declaration's own name is replaced.
var hashRules syntax.HashRules

// hashCode hashes annotations and the given parts of declaration d.
func (e *extractor) hashCode(d facts.DeclID, modifiers syntax.ID, parts ...syntax.ID) {
	e.setHash(d, e.hashParts(parts...), e.hashMarks(modifiers, syntax.None))
}

// hashCallable does the same for callable d, whose syntax is node i; does says what its
// body does if that is plain.
func (e *extractor) hashCallable(d facts.DeclID, i syntax.ID, does string, modifiers syntax.ID, parts ...syntax.ID) {
	sum := e.hashParts(parts...)
	if does != "" {
		sum.Hash = plainHash(does)
	}
	e.setHash(d, sum, e.hashMarks(modifiers, e.child(i, fieldParameters)))
}

func (e *extractor) hashParts(parts ...syntax.ID) (sum syntax.Digest) {
	h := &e.hasher
	h.Reset(e.t, &hashRules)
	any := false
	for _, i := range parts {
		if i != syntax.None {
			h.Node(i, syntax.Edits{})
			any = true
		}
	}
	if any {
		sum = h.Sum()
	}
	return sum
}

// hashMarks hashes the annotations among modifiers and, in a list of parameters, those
// of each one, which count to the parameter's number.
func (e *extractor) hashMarks(modifiers, params syntax.ID) (sum syntax.Digest) {
	any := false
	add := func(modifiers syntax.ID, of ...byte) {
		if modifiers == syntax.None {
			return
		}
		for c := range e.t.NamedChildren(modifiers) {
			if e.class(c) != classAnnotation || e.unread(c) {
				continue
			}
			if !any {
				e.hasher.Reset(e.t, &hashRules)
			}
			any = true
			if of != nil {
				e.hasher.Bytes(of)
			}
			e.hasher.Node(c, syntax.Edits{})
		}
	}
	add(modifiers)
	if params != syntax.None {
		n := 0
		for p := range e.t.NamedChildren(params) {
			if k := e.class(p); k == classParam || k == classSpread {
				add(e.childOf(p, classModifiers), byte(n), byte(n>>8))
				n++
			}
		}
	}
	if any {
		sum = e.hasher.Sum()
	}
	return sum
}

// unread reports whether an annotation only tells the compiler what not to
// complain of.
func (e *extractor) unread(annotation syntax.ID) bool {
	n := e.child(annotation, fieldName)
	return n != syntax.None && string(bytes.TrimPrefix(e.t.Text(n), []byte("java.lang."))) == "SuppressWarnings"
}

func (e *extractor) setHash(d facts.DeclID, s, marks syntax.Digest) {
	p := &e.b.Decls[d]
	p.Body, p.Tokens, p.Branches = s.Hash, int32(s.Tokens+marks.Tokens), int32(s.Branches)
	if marks.Tokens > 0 {
		p.Body = p.Body.Annotated(marks.Hash)
	}
	for i := range p.MinHash {
		p.MinHash[i] = uint32(s.Sketch[4*i]) | uint32(s.Sketch[4*i+1])<<8 | uint32(s.Sketch[4*i+2])<<16 | uint32(s.Sketch[4*i+3])<<24
	}
}

// hashType hashes what a type holds besides its members.
func (e *extractor) hashType(d facts.DeclID, i syntax.ID, members []syntax.ID) {
	h := &e.hasher
	h.Reset(e.t, &hashRules)
	if body := e.child(i, fieldBody); body != syntax.None {
		h.Node(body, syntax.Edits{Skip: members})
	}
	e.setHash(d, h.Sum(), e.hashMarks(e.childOf(i, classModifiers), syntax.None))
}

// document sets the documentation of d from the comment before node i.
func (e *extractor) document(d facts.DeclID, i syntax.ID) {
	if e.bodiesAround(i) {
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

// bodiesAround reports whether a declaration is inside of a body, where nobody
// looks for documentation.
func (e *extractor) bodiesAround(syntax.ID) bool { return e.bodies > 0 }

// docComment returns the text of the documentation comment before node i.
func (e *extractor) docComment(i syntax.ID) []byte {
	end := e.nodes[i].Start
	text := bytes.TrimRight(e.src[:end], " \t\r\n")
	if !bytes.HasSuffix(text, []byte("*/")) {
		return nil
	}
	at := bytes.LastIndex(text, []byte("/*"))
	if at < 0 || !bytes.HasPrefix(text[at:], []byte("/**")) || len(text)-at < 5 {
		return nil
	}
	return text[at+3 : len(text)-2]
}

// docText returns the words of a documentation comment without its marks and
// markup, single-spaced, and whether it says that the declaration is
// deprecated.
func docText(doc []byte) (words []byte, deprecated bool) {
	tags := false
	for line := range bytes.SplitSeq(doc, []byte("\n")) {
		line = bytes.TrimSpace(line)
		line = bytes.TrimSpace(bytes.TrimLeft(line, "*"))
		if len(line) > 1 && line[0] == '@' {
			tags = true
			if bytes.HasPrefix(line, []byte("@deprecated")) {
				deprecated = true
			}
		}
		if len(words) > 0 && len(line) > 0 {
			if tags && line[0] == '@' {
				words = append(words, '\n')
			} else {
				words = append(words, ' ')
			}
		}
		words = append(words, line...)
	}
	return plain(words), deprecated
}

// plain removes markup: elements of HTML, and inline tags but for their text.
func plain(text []byte) []byte {
	out := text[:0]
	for k := 0; k < len(text); k++ {
		switch c := text[k]; {
		case c == '<':
			if n := bytes.IndexByte(text[k:], '>'); n > 0 && n < 80 {
				k += n
				continue
			}
			out = append(out, c)
		case c == '{' && k+1 < len(text) && text[k+1] == '@':
			for k++; k < len(text) && text[k] != ' ' && text[k] != '}'; k++ {
			}
			if k < len(text) && text[k] == '}' {
				continue
			}
		case c == '}':
		default:
			out = append(out, c)
		}
	}
	return bytes.TrimSpace(out)
}

// Signatures are the source text of what the users of a declaration must fit,
// on one line, without annotations, modifiers and bodies:
//
//	<T> T find(Class<T> type, Object... keys) throws IOException
//	class Cart<T> extends Base implements Runnable
//	List<String> names
func (e *extractor) appendTokens(out []byte, i, end syntax.ID) []byte {
	limit := len(out) + e.signed
	prev := byte(0)
	for i < end {
		n := &e.nodes[i]
		switch classOf(n.Kind) {
		case classModifiers, classAnnotation, classComment, classError:
			i = n.Next
			continue
		}
		if n.Next > i+1 && classOf(n.Kind) != classString {
			i++
			continue
		}
		if n.End > n.Start {
			c := e.src[n.Start]
			word, was := isWord(c), isWord(prev)
			if word && (was || prev == ',' || prev == '>' || prev == ')' || prev == ']' || prev == '?' || prev == '.' && out[len(out)-1] == '.' && bytes.HasSuffix(out, []byte("..."))) ||
				c == '&' || prev == '&' || c == '?' && prev == ',' || c == '{' {
				out = append(out, ' ')
			}
			for _, b := range e.src[n.Start:n.End] {
				if b < ' ' {
					b = ' '
				}
				out = append(out, b)
			}
			prev = e.src[n.End-1]
			if len(out) > limit {
				return append(out[:limit], "…"...)
			}
		}
		i = n.Next
	}
	return out
}

func isWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b == '$' || b == '"' || b == '@' || b >= 0x80
}

// sign makes the text that was built the signature of d.
func (e *extractor) sign(d facts.DeclID) {
	e.text = bytes.TrimRight(e.text, " ;")
	e.signed = max(e.signed-len(e.text), 0)
	e.b.Decls[d].Signature = e.b.Intern(e.text)
}

func (e *extractor) signCallable(d facts.DeclID, i, body syntax.ID) {
	end := e.nodes[i].Next
	if body != syntax.None {
		end = body
	}
	e.text = e.appendTokens(e.text[:0], i+1, end)
	e.sign(d)
}

func (e *extractor) signType(d facts.DeclID, i syntax.ID) {
	end := e.nodes[i].Next
	if body := e.child(i, fieldBody); body != syntax.None {
		end = body
	}
	e.text = e.appendTokens(e.text[:0], i+1, end)
	e.sign(d)
}

func (e *extractor) signField(d facts.DeclID, i, name syntax.ID) {
	e.text = e.text[:0]
	if t := e.child(i, fieldType); t != syntax.None {
		e.text = append(e.appendTokens(e.text, t, e.nodes[t].Next), ' ')
	}
	e.text = append(e.text, e.t.Text(name)...)
	e.sign(d)
}
