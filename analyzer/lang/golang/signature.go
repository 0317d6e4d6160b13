package golang

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// Signatures are the source text of what the users of a declaration must fit,
// on one line, printed anew from its tokens, so that the source's formatting
// leaves no trace. The forms are:
//
//	func Open[T any](name string, opts ...Option) (db *DB, err error)
//	func (db *DB) Close() error
//	method Close() error            of an interface
//	type DB struct                  members have signatures of their own
//	type Set[K comparable] map[K]struct{}
//	type Old = pkg.New
//	field Name string
//	field *pkg.Base                 embedded
//	var Default *DB
//	var handler func(w io.Writer)   a variable that holds a function literal
//	const Max int
//
// Tags and values are no part of them. What a file's signatures may take in all
// is bounded by its size; beyond that they are cut.

// appendTokens appends the text of the tokens among the nodes from i up to end.
func (e *extractor) appendTokens(out []byte, i, end syntax.ID) []byte {
	if i <= 0 {
		return out
	}
	limit := len(out) + e.signed
	var (
		prev      syntax.ID // the token before
		separator byte      // a comma or semicolon that waits for what follows
	)
	for i < end {
		n := &e.nodes[i]
		k := classOf(n.Kind)
		if k == classComment {
			i = n.Next
			continue
		}
		if n.Next != i+1 && k != classString {
			if (k == classField || k == classMethodElem || k == classTypeElem) && prev != 0 && e.src[e.nodes[prev].Start] != '{' {
				if in := classOf(e.nodes[n.Parent].Kind); in == classFieldList || in == classInterfaceType {
					separator = ';' // a line end leaves no node
				}
			}
			i++
			continue
		}
		switch {
		case n.Start == n.End || k == classSemicolon:
		case k == classComma:
			separator = ','
		default:
			first := e.src[n.Start]
			if separator != 0 && first != ')' && first != ']' && first != '}' {
				out = append(out, separator, ' ')
			} else if prev != 0 && e.spaced(prev, i) {
				out = append(out, ' ')
			}
			separator = 0
			for _, b := range e.src[n.Start:n.End] {
				if b < ' ' {
					b = ' '
				}
				out = append(out, b)
			}
			prev = i
		}
		i = n.Next
		if len(out) > limit {
			return append(out[:limit], "…"...)
		}
	}
	return out
}

// spaced reports whether a space parts two tokens.
func (e *extractor) spaced(prev, cur syntax.ID) bool {
	p, c := e.src[e.nodes[prev].Start], e.src[e.nodes[cur].Start]
	in, inPrev := classOf(e.nodes[e.nodes[cur].Parent].Kind), classOf(e.nodes[e.nodes[prev].Parent].Kind)
	words := isWord(p)
	// Whether a type that begins with a mark follows something complete.
	behind := words || p == ')' || p == '}' || p == ']' && inPrev == classTypeParameterList
	channel := in == classChannelType && inPrev == classChannelType && e.nodes[cur].Parent == e.nodes[prev].Parent
	switch {
	case p == '(' || p == '[' || p == '.':
		return false
	case p == '{':
		return c != '}'
	case in == classBinary && !isWord(c) || inPrev == classBinary && !words:
		return false
	case p == '=' || p == '|':
		return true
	case p == '<':
		return !(channel && e.nodes[cur].Kind == tokenChan)
	}
	switch c {
	case '}', '=', '|':
		return true
	case ')', ']', '{':
		return false
	case '.':
		return words && e.nodes[cur].End-e.nodes[cur].Start == 3
	case '(':
		if f := e.nodes[e.nodes[cur].Parent].Field; in == classParameterList {
			return f == fieldReceiver || f == fieldResult
		}
		return in == classParen && behind
	case '[':
		return behind && (in == classSliceType || in == classArrayType || in == classOpenArrayType)
	case '*', '~':
		return behind
	case '<':
		return behind && !channel
	}
	if !isWord(c) {
		return false
	}
	return behind || p == ']' && inPrev == classTypeArguments
}

func isWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' ||
		b == '_' || b == '"' || b == '`' || b == '\'' || b >= 0x80
}

// sign makes the text that was built the signature of d.
func (e *extractor) sign(d facts.DeclID) {
	e.signed = max(e.signed-len(e.text), 0)
	e.b.Decls[d].Signature = e.b.Intern(e.text)
}

// signVariable sets the signature of a variable or constant with the type at
// node typ; without one, that of the function literal at node value.
func (e *extractor) signVariable(d facts.DeclID, keyword string, name, typ, value syntax.ID) {
	e.text = append(append(e.text[:0], keyword...), e.t.Text(name)...)
	switch {
	case typ != syntax.None:
		e.text = e.appendTokens(append(e.text, ' '), typ, e.nodes[typ].Next)
	case value != syntax.None && classOf(e.nodes[value].Kind) == classFuncLiteral:
		if body := e.child(value, fieldBody); body != syntax.None {
			e.text = e.appendTokens(append(e.text, ' '), value, body)
		}
	}
	e.sign(d)
}

func (e *extractor) signType(d facts.DeclID, spec syntax.ID) {
	e.text = append(e.text[:0], "type "...)
	typ := e.child(spec, fieldType)
	switch e.b.Decls[d].Kind {
	case graph.KindStruct:
		e.text = append(e.appendTokens(e.text, spec+1, typ), " struct"...)
	case graph.KindInterface:
		e.text = append(e.appendTokens(e.text, spec+1, typ), " interface"...)
	default:
		e.text = e.appendTokens(e.text, spec+1, e.nodes[spec].Next)
	}
	e.sign(d)
}
