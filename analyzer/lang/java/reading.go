package java

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// readable returns what the grammar is shown of src. It has calls of other
// constructors only at the very beginning of a constructor, and no imports of
// modules: behind a statement such a call is given another first letter, which
// makes it that of a method, and the word module is taken away. Nor has it
// escapes of characters outside of literals: those of punctuation are replaced by
// it, and others become letters; see unescaped; nor an annotation before the dots
// of a parameter, nor qualified names of records in patterns, which lose their
// qualifiers; see qualifiedName. In comments and strings none of
// this changes anything.
func readable(src []byte) []byte {
	out := src
	put := func(at int, text string) {
		if &out[0] == &src[0] {
			out = bytes.Clone(src)
		}
		copy(out[at:], text)
	}
	for _, p := range mended(src) {
		put(p.at, p.text)
	}
	blank := func(from, to int) { put(from, strings.Repeat(" ", to-from)) }
	escapes := false
	for at, c := range src {
		switch c {
		case '(':
			text := bytes.TrimSuffix(src[:at], []byte(" "))
			for _, word := range [...]string{"super", "this"} {
				if rest, ok := bytes.CutSuffix(text, []byte(word)); ok && behindStatement(rest) {
					put(len(rest), strings.ToUpper(word[:1]))
				}
			}
		case '.':
			if bytes.HasSuffix(src[:at], []byte("..")) {
				if from := beforeDots(src[:at-2]); from >= 0 {
					blank(from, at-2)
				}
			}
		case ' ':
			switch text := src[:at]; {
			case at == 0:
			case text[at-1] == 'e' && bytes.HasSuffix(text, []byte("case")), text[at-1] == 'f' && bytes.HasSuffix(text, []byte("instanceof")):
				eachQualifier(src, at+1, blank)
			case text[at-1] == 'e' && bytes.HasSuffix(text, []byte("import module")):
				if rest := skipSpace(src[at:]); len(rest) > 0 && isLetter(rest[0]) {
					blank(at-len("module"), at)
				}
			}
		case '\\':
			escapes = escapes || at+1 < len(src) && src[at+1] == 'u'
		}
	}
	if !escapes {
		return out
	}
	eachEscape(src, func(at, end int, r rune) {
		switch {
		case r >= 0x80 || r == '_' || r == '$' || isLetter(byte(r)) || r >= '0' && r <= '9':
			put(at, "u")
		case r > ' ' && r != '\\' && r < 0x7f:
			put(at, string(r))
			put(at+1, "              "[:min(end-at-1, 14)])
		}
	})
	return out
}

// eachEscape calls f for each escape of a character, a backslash with one or more
// u and four digits, which the language replaces before it looks for tokens.
func eachEscape(src []byte, f func(at, end int, r rune)) {
	for at := 0; ; at++ {
		n := bytes.Index(src[at:], []byte(`\u`))
		if n < 0 {
			return
		}
		at += n
		before := at
		for before > 0 && src[before-1] == '\\' {
			before--
		}
		end := at + 1
		for end < len(src) && end < at+8 && src[end] == 'u' {
			end++
		}
		if (at-before)%2 == 0 && end+4 <= len(src) {
			if r, err := strconv.ParseUint(string(src[end:end+4]), 16, 16); err == nil {
				f(at, end+4, rune(r))
				at = end + 3
			}
		}
	}
}

// unescaped returns a name with what its escapes stand for.
func unescaped(name []byte) []byte {
	var out []byte
	done := 0
	eachEscape(name, func(at, end int, r rune) {
		out = utf8.AppendRune(append(out, name[done:at]...), r)
		done = end
	})
	return append(out, name[done:]...)
}

// eachQualifier calls f for the qualifiers of the names of records in the pattern
// that begins at a place, if one does, and for the modifiers of its variables.
func eachQualifier(src []byte, at int, f func(from, to int)) {
	depth := 0
	for end := min(len(src), at+lookaround); at < end; {
		for at < end && (src[at] <= ' ' || src[at] == ',') {
			at++
		}
		from, dot := at, -1
		for at < end && (isLetter(src[at]) || src[at] >= 0x80 || src[at] >= '0' && src[at] <= '9' || src[at] == '.') {
			if src[at] == '.' {
				dot = at
			}
			at++
		}
		if string(src[from:at]) == "final" {
			if depth > 0 {
				f(from, at)
			}
			continue
		}
		next := at
		for angles := 0; next < end && (src[next] <= ' ' || angles > 0 || src[next] == '<'); next++ {
			switch src[next] {
			case '<':
				angles++
				dot = -1 // the grammar reads the names of generic records
			case '>':
				angles--
			}
		}
		switch {
		case next < end && src[next] == '(' && at > from:
			if dot > from {
				f(from, dot+1)
			}
			depth++
			at = next + 1
		case depth == 0 || at == end:
			return // no record
		case at == from && src[at] == ')':
			if depth--; depth == 0 {
				return
			}
			at++
		case at == from: // type arguments, annotations
			at++
		}
	}
}

// beforeDots returns where the annotation begins that stands between the type of
// a parameter and its dots, as text ends; -1 if none does. The grammar does not
// know of it.
func beforeDots(text []byte) int {
	at := len(bytes.TrimRight(text, " "))
	for end := at; at > 0 && end-at < lookaround && (isLetter(text[at-1]) || text[at-1] == '.' || text[at-1] >= '0' && text[at-1] <= '9'); {
		at--
	}
	if at < 2 || at == len(text) || text[at-1] != '@' {
		return -1
	}
	if before := bytes.TrimRight(text[max(0, at-lookaround):at-1], " "); len(before) == at-1 || len(before) == 0 ||
		!isLetter(before[len(before)-1]) && before[len(before)-1] != '>' && before[len(before)-1] != ']' {
		return -1
	}
	return at - 1
}

// lookaround bounds how far text is looked at, so that the time stays linear.
const lookaround = 512

func skipSpace(text []byte) []byte {
	at := 0
	for at < len(text) && at < lookaround && text[at] <= ' ' {
		at++
	}
	return text[at:min(len(text), lookaround)]
}

// behindStatement reports whether text ends behind a statement, or behind a name
// and a dot behind one. Comments on lines of their own, and at the ends of lines,
// count as white space.
func behindStatement(text []byte) bool {
	text = text[max(0, len(text)-lookaround):]
	if rest, ok := bytes.CutSuffix(text, []byte(".")); ok {
		text = bytes.TrimRightFunc(rest, func(r rune) bool {
			return r == '.' || r == '_' || r >= 0x80 || isLetter(byte(r)) || r >= '0' && r <= '9'
		})
	}
	for {
		text = bytes.TrimRight(text, " \t\r\n\f")
		line := text[bytes.LastIndexByte(text, '\n')+1:]
		if c := bytes.LastIndex(line, []byte("//")); c >= 0 {
			text = text[:len(text)-len(line)+c]
		} else if c := bytes.LastIndex(text, []byte("/*")); c >= 0 && bytes.HasSuffix(text, []byte("*/")) {
			text = text[:c]
		} else {
			return len(text) > 0 && (text[len(text)-1] == ';' || text[len(text)-1] == '}')
		}
	}
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}
