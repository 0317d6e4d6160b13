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
	for _, name := range [...]string{"new(", "make("} {
		for at := 0; ; {
			n := bytes.Index(src[at:], []byte(name))
			if n < 0 {
				break
			}
			at += n
			if !beginsType(src[at+len(name):]) {
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

// beginsType reports whether text begins as a type does that is no expression.
func beginsType(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n*(")
	if len(text) == 0 {
		return false
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
			return word != "<-" || bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte("chan"))
		}
	}
	return false
}
