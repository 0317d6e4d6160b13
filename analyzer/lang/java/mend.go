package java

import "bytes"

// A brace, a parenthesis or a quote too many or too few makes the parser lose
// what stands behind it, up to the end of the file. Where the brackets of a file
// do not pair, its indentation tells which ones are meant.

// patch replaces bytes of a file by others, as many.
type patch struct {
	at   int
	line int32
	text string
}

// mended returns the patches that make the brackets and quotes of src pair: none
// if they do, or nothing is known to help.
func mended(src []byte) []patch {
	count := func(c byte) int { return bytes.Count(src, []byte{c}) }
	if count('{') == count('}') && count('(') == count(')') && count('"')%2 == 0 && !halfCharacter(src) {
		return nil
	}
	m := mender{src: src}
	if m.scan(); !m.torn && len(m.open) == 0 {
		return nil // those were in literals and comments
	}
	m = mender{src: src, mends: true}
	m.scan()
	return m.patches
}

// halfCharacter reports whether a line may have a character whose quote does not
// end, which most apostrophes are not: they stand in comments and strings.
func halfCharacter(src []byte) bool {
	for at := 0; ; {
		n := bytes.IndexByte(src[at:], '\'')
		if n < 0 {
			return false
		}
		start, end := bytes.LastIndexByte(src[:at+n], '\n')+1, len(src)
		if e := bytes.IndexByte(src[at+n:], '\n'); e >= 0 {
			end = at + n + e
		}
		line := src[start:end]
		if at = end; (bytes.Count(line, []byte{'\''})-bytes.Count(line, []byte(`\'`)))%2 == 0 || bytes.IndexByte(line, '"') >= 0 || bytes.Contains(line, []byte("//")) ||
			bytes.Contains(line, []byte("/*")) || bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("*")) {
			continue
		}
		return true
	}
}

// maxPatches bounds what is mended in one file.
const maxPatches = 64

// bracket is one that is open.
type bracket struct {
	kind   byte
	at     int
	line   int32
	indent int // of its line, or of the one that began what its line goes on with
}

type mender struct {
	src     []byte
	mends   bool
	torn    bool // something did not pair
	open    []bracket
	patches []patch
	arrays  int // whose beginning was taken out of the text
}

func (m *mender) patch(at int, line int32, text string) {
	m.torn = true
	if m.mends && len(m.patches) < maxPatches {
		m.patches = append(m.patches, patch{at, line, text})
	}
}

// drop takes the innermost open bracket out of the text.
func (m *mender) drop() {
	b := m.open[len(m.open)-1]
	m.patch(b.at, b.line, " ")
	m.open = m.open[:len(m.open)-1]
}

// scan goes over the tokens of the file. A line that ends parentheses of an
// earlier one, or goes on with a heading, counts as indented like that one: the
// block that it opens is.
func (m *mender) scan() {
	line, start, indent, before, first := int32(1), 0, 0, 0, true
	for at := 0; at < len(m.src); at++ {
		c := m.src[at]
		switch c {
		case '\n':
			if !first {
				before = indent
			}
			line, start, first = line+1, at+1, true
			continue
		case ' ', '\t', '\r', '\f':
			continue
		}
		rest := m.src[at:]
		switch {
		case bytes.HasPrefix(rest, []byte("//")):
			if n := bytes.IndexByte(rest, '\n'); n >= 0 {
				at += n - 1
				continue
			}
			return
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest[2:], []byte("*/"))
			if n < 0 {
				return
			}
			line += int32(bytes.Count(rest[:n+4], []byte{'\n'}))
			at += n + 3
			continue
		}
		began := first
		if first {
			indent, first = at-start, false
			if m.mends {
				m.begin(at, line, indent)
			}
			if startsWith(rest, "throws ", "implements ", "extends ", "permits ") {
				indent = min(indent, before)
			}
		}
		switch c {
		case '"', '\'':
			n, ok := literalEnd(rest)
			if !ok {
				m.patch(at, line, "   "[:min(n, 3)])
				at += n - 1
				continue
			}
			line += int32(bytes.Count(rest[:n], []byte{'\n'}))
			at += n - 1
		case '(', '[', '{':
			m.open = append(m.open, bracket{c, at, line, indent})
		case ')', ']':
			if n := len(m.open); n > 0 && (m.open[n-1].kind == '(' && c == ')' || m.open[n-1].kind == '[' && c == ']') {
				indent = min(indent, m.open[n-1].indent)
				m.open = m.open[:n-1]
			} else {
				m.patch(at, line, " ")
			}
		case '}':
			m.end(at, line, indent, began)
		}
	}
}

// literalEnd returns where a string or character that text begins with ends, or
// how long its first quote is if it does not end.
func literalEnd(text []byte) (n int, ok bool) {
	if bytes.HasPrefix(text, []byte(`"""`)) {
		for i := 3; i < len(text); i++ {
			if text[i] == '\\' {
				i++
			} else if bytes.HasPrefix(text[i:], []byte(`"""`)) {
				return i + 3, true
			}
		}
		return 3, false
	}
	for i := 1; i < len(text) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1, true
		}
	}
	return 1, false
}

// end takes a closing brace, of which first says that it begins its line.
func (m *mender) end(at int, line int32, indent int, first bool) {
	for len(m.open) > 0 && m.open[len(m.open)-1].kind != '{' {
		m.drop()
	}
	if m.arrays > 0 && !first && at+1 < len(m.src) && m.src[at+1] == ';' {
		m.arrays--
		m.patch(at, line, " ")
		return
	}
	n := len(m.open)
	if first && at > 0 && m.src[at-1] == ' ' {
		indent-- // one blank too many is no depth
	}
	if n == 0 || m.mends && m.open[n-1].line != line && indent > m.open[n-1].indent && (first || n == 1 || m.open[n-1].kind == '{' && m.closes(at)) {
		m.patch(at, line, " ") // one too many
		return
	}
	m.open = m.open[:n-1]
}

// closes reports whether the brace at the end of a line is one more than the line
// opens.
func (m *mender) closes(at int) bool {
	start := bytes.LastIndexByte(m.src[:at], '\n') + 1
	return bytes.IndexByte(m.src[start:at], '{') >= 0 || bytes.IndexByte(m.src[start:at], '}') >= 0
}

// begin takes the beginning of a line. A line that begins no deeper than the one
// that opened the innermost block, and is not its end, stands behind the block.
func (m *mender) begin(at int, line int32, indent int) {
	for used := 0; len(m.open) > 0; used += 2 {
		n := len(m.open) - 1
		for n > 0 && m.open[n].kind != '{' {
			n--
		}
		if b := m.open[n]; b.kind != '{' || b.line == line || indent > b.indent || continues(m.src[at:]) || used+2 > indent {
			return
		}
		for len(m.open)-1 > n {
			m.drop()
		}
		if before := bytes.TrimRight(m.src[:m.open[n].at], " \t\r\n"); bytes.HasSuffix(before, []byte("=")) || bytes.HasSuffix(before, []byte("]")) {
			m.drop() // values of an array: the grammar goes on behind the next semicolon
			m.arrays++
			continue
		}
		m.patch(at-used-2, line, ";}")
		m.open = m.open[:n]
	}
}

// continues reports whether text at the beginning of a line may belong to the
// block around it, whatever its indentation.
func continues(text []byte) bool {
	if bytes.IndexByte([]byte("}{)].&|?:+-*/=,<>;\"'"), text[0]) >= 0 {
		return true
	}
	if startsWith(text, "case ", "default", "else", "catch", "finally", "throws ", "implements ", "extends ", "permits ", "while") {
		return true
	}
	line := text
	if n := bytes.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	return bytes.HasSuffix(bytes.TrimRight(line, " \t\r"), []byte(":"))
}

func startsWith(text []byte, words ...string) bool {
	for _, w := range words {
		if len(text) >= len(w) && string(text[:len(w)]) == w {
			return true
		}
	}
	return false
}
