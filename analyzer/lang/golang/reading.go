package golang

import "bytes"

// readable returns the source as the grammar can read it. The grammar has rules
// of its own for calls of new and make, whose first argument it takes for a
// type: it cannot read new(f(x)), nor calls of functions that are named like
// them. Where the argument does not begin as only a type does, the name is
// replaced by one that means nothing to the grammar. In comments and strings
// that changes nothing.
func readable(src []byte) []byte {
	out := src
	for _, name := range [...]string{"new", "make"} {
		for at := 0; ; {
			n := bytes.Index(src[at:], []byte(name))
			if n < 0 {
				break
			}
			at += n
			rest := src[at+len(name):]
			rest = skipSpace(rest[:min(len(rest), lookahead)])
			if len(rest) > 0 && rest[0] == '(' && !beginsType(rest, name == "make") {
				if &out[0] == &src[0] {
					out = bytes.Clone(src)
				}
				out[at] -= 'a' - 'A'
			}
			at += len(name)
		}
	}
	return out
}

// lookahead bounds how far the text behind a name is looked at, so that the time
// stays linear.
const lookahead = 256

// beginsType reports whether text begins as a type does that is no expression;
// with made, one that make makes values of, which functions, structs, interfaces
// and pointers are not.
func beginsType(text []byte, made bool) bool {
	for {
		text = skipSpace(text)
		if len(text) == 0 {
			return false
		}
		if text[0] != '(' && text[0] != '*' {
			break
		}
		text = text[1:]
	}
	switch text[0] {
	case '[':
		return true
	case '<', 'm', 'c', 'f', 's', 'i':
	default:
		return false
	}
	for _, word := range [...]string{"<-", "map", "chan", "func", "struct", "interface"} {
		if rest, ok := bytes.CutPrefix(text, []byte(word)); ok && (word == "<-" || len(rest) == 0 || !isWord(rest[0])) {
			if made && (word == "func" || word == "struct" || word == "interface") {
				return false
			}
			return word != "<-" || bytes.HasPrefix(skipSpace(rest), []byte("chan"))
		}
	}
	return false
}

// skipSpace returns text without the white space and comments that it begins
// with.
func skipSpace(text []byte) []byte {
	for {
		text = bytes.TrimLeft(text, " \t\r\n")
		end := ""
		switch {
		case bytes.HasPrefix(text, []byte("//")):
			end = "\n"
		case bytes.HasPrefix(text, []byte("/*")):
			end = "*/"
		default:
			return text
		}
		_, text, _ = bytes.Cut(text[2:], []byte(end))
	}
}
