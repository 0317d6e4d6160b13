package golang

import (
	"bytes"
	"crypto/sha256"
	"unicode"
	"unicode/utf8"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// comments are the comments between a declaration and what comes before it.
// The zero value holds none; the comments are siblings.
type comments struct {
	behind uint32    // 1-based line on which what comes before ends; 0: nothing does
	from   syntax.ID // the first comment; 0: none
	first  syntax.ID // the first comment of the last run, which no blank line parts
	last   syntax.ID // the last comment
	end    uint32    // 0-based row on which the last comment ends
}

// add adds a comment. One that begins on the line of what comes before belongs
// to that.
func (c *comments) add(e *extractor, i syntax.ID) {
	row := e.nodes[i].Row
	if c.behind == row+1 && c.from == 0 {
		return
	}
	if c.from == 0 {
		c.from = i
	}
	if c.first == 0 || row > c.end+1 {
		c.first = i
	}
	c.last, c.end = i, e.endRow(i)
}

// attached reports whether the last run ends right before the given row: then
// it documents what begins there.
func (c *comments) attached(row uint32) bool { return c.first != 0 && c.end+1 >= row }

// appendRun appends the comments of the last run.
func (c *comments) appendRun(e *extractor, list []syntax.ID) []syntax.ID {
	for i := c.first; i != 0 && i <= c.last; i = e.nodes[i].Next {
		if classOf(e.nodes[i].Kind) == classComment {
			list = append(list, i)
		}
	}
	return list
}

// notes are what the comments of a specification say about the declarations in
// it. They are read once, since a specification may have any number of names.
type notes struct {
	doc        facts.Str
	hash       graph.DocHash
	deprecated bool
	entry      bool     // a directive lets it be called from outside
	pragmas    bool     // there are directives that change the program
	pragma     [16]byte // their digest
}

// notes reads the comments before node def: the documentation, which is attached
// to it or else begins on the line on which node trailing ends, and all
// directives.
func (e *extractor) notes(doc comments, def, trailing syntax.ID) notes {
	var n notes
	e.text = e.text[:0]
	switch {
	case doc.attached(e.nodes[def].Row):
		for i := doc.first; i <= doc.last; i = e.nodes[i].Next {
			if classOf(e.nodes[i].Kind) == classComment {
				e.text = appendComment(e.text, e.t.Text(i))
			}
		}
	case trailing != syntax.None:
		c := e.nodes[trailing].Next
		for int(c) < len(e.nodes) && classOf(e.nodes[c].Kind) == classSemicolon {
			c = e.nodes[c].Next
		}
		if int(c) < len(e.nodes) && classOf(e.nodes[c].Kind) == classComment && e.nodes[c].Row == e.endRow(trailing) {
			e.text = appendComment(e.text, e.t.Text(c))
		}
	}
	if len(e.text) > 0 {
		n.deprecated = isDeprecated(e.text)
		if words := collapse(e.text); len(words) > 0 {
			sum := sha256.Sum256(words)
			copy(n.hash[:], sum[:])
			n.doc = e.b.Intern(words[:sentence(words)])
		}
	}
	if doc.from != 0 {
		e.pragmas(doc, &n)
	}
	return n
}

// document sets what the comments say about d.
func (e *extractor) document(d facts.DeclID, n *notes) {
	p := &e.b.Decls[d]
	p.Doc, p.DocHash = n.doc, n.hash
	if n.deprecated {
		p.Flags |= graph.FlagDeprecated
	}
	if n.entry {
		p.Flags |= graph.FlagEntryPoint
	}
}

// appendComment appends the text of a comment, without its marks and without
// directives, as lines.
func appendComment(out, comment []byte) []byte {
	if text, ok := bytes.CutPrefix(comment, []byte("//")); ok {
		if isDirective(text) {
			return out
		}
		return append(append(out, bytes.TrimSpace(text)...), '\n')
	}
	text := bytes.TrimSuffix(bytes.TrimPrefix(comment, []byte("/*")), []byte("*/"))
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		out = append(append(out, bytes.TrimSpace(line)...), '\n')
	}
	return out
}

// isDirective reports whether a line comment, given without its slashes, is no
// text but an instruction to a tool: //go:embed, //export, //line, //lint:ignore.
func isDirective(text []byte) bool {
	for _, p := range [...]string{"line ", "extern ", "export "} {
		if bytes.HasPrefix(text, []byte(p)) {
			return true
		}
	}
	tool, rest, ok := bytes.Cut(text, []byte(":"))
	if !ok || len(tool) == 0 || len(rest) == 0 || !isLowerOrDigit(rest[0]) {
		return false
	}
	for _, b := range tool {
		if !isLowerOrDigit(b) {
			return false
		}
	}
	return true
}

func isLowerOrDigit(b byte) bool { return 'a' <= b && b <= 'z' || '0' <= b && b <= '9' }

// isDeprecated reports whether a paragraph begins with "Deprecated:".
func isDeprecated(text []byte) bool {
	const mark = "Deprecated:"
	for at := 0; ; {
		n := bytes.Index(text[at:], []byte(mark))
		if n < 0 {
			return false
		}
		at += n
		if at == 0 || at >= 2 && text[at-1] == '\n' && text[at-2] == '\n' {
			return true
		}
		at += len(mark)
	}
}

// collapse replaces runs of white space by single spaces, in place. The first
// paragraph ends with a newline where others follow.
func collapse(text []byte) []byte {
	out := text[:0]
	newlines, space, paragraph := 0, false, false
	for _, b := range text {
		switch {
		case b == '\n':
			newlines++
			space = true
		case b == ' ' || b == '\t' || b == '\r' || b == '\f' || b == '\v':
			space = true
		default:
			if space && len(out) > 0 {
				if newlines > 1 && !paragraph {
					out, paragraph = append(out, '\n'), true
				} else {
					out = append(out, ' ')
				}
			}
			out = append(out, b)
			newlines, space = 0, false
		}
	}
	return out
}

// maxSentence bounds the first sentence of documentation.
const maxSentence = 400

// sentence returns the length of the first sentence of collapsed text: up to a
// period that does not end an initial and before no lower-case letter, or the
// first paragraph.
func sentence(text []byte) int {
	var before, last rune
	for i, r := range string(text) {
		switch {
		case r == '\n':
			return i
		case r == ' ' && last == '.' && !(unicode.IsUpper(before) && initial(text[:i-1])) && !lowerAt(text[i+1:]):
			return i
		case r == ' ' && (last == '。' || last == '．'):
			return i
		}
		before, last = last, r
		if i >= maxSentence {
			return i
		}
	}
	return len(text)
}

func lowerAt(text []byte) bool {
	r, _ := utf8.DecodeRune(text)
	return unicode.IsLower(r)
}

// initial reports whether text ends with a single letter.
func initial(text []byte) bool {
	_, n := utf8.DecodeLastRune(text)
	text = text[:len(text)-n]
	r, _ := utf8.DecodeLastRune(text)
	return len(text) == 0 || !unicode.IsLetter(r) && !unicode.IsDigit(r)
}
