package java

import "bytes"

// readable returns what the grammar is shown of src. It has calls of other
// constructors only at the very beginning of a constructor, and no imports of
// modules: behind a statement such a call is given another first letter, which
// makes it that of a method, and the word module is taken away. In comments and
// strings neither changes anything.
func readable(src []byte) []byte {
	out := src
	put := func(at int, text string) {
		if &out[0] == &src[0] {
			out = bytes.Clone(src)
		}
		copy(out[at:], text)
	}
	for _, word := range [...]string{"super", "this"} {
		for at := 0; ; at += len(word) {
			n := bytes.Index(src[at:], []byte(word))
			if n < 0 {
				break
			}
			at += n
			if rest := skipSpace(src[at+len(word):]); len(rest) > 0 && rest[0] == '(' && behindStatement(src[:at]) {
				put(at, word[:1])
				out[at] -= 'a' - 'A'
			}
		}
	}
	for at := 0; ; {
		n := bytes.Index(src[at:], []byte("import module "))
		if n < 0 {
			break
		}
		at += n + len("import ")
		if rest := skipSpace(src[at+len("module"):]); len(rest) > 0 && isLetter(rest[0]) {
			put(at, "      ")
		}
	}
	return out
}

// lookaround bounds how far text is looked at, so that the time stays linear.
const lookaround = 512

func skipSpace(text []byte) []byte {
	return bytes.TrimLeft(text[:min(len(text), lookaround)], " \t\r\n\f")
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
