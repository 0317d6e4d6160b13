package syntax

import "bytes"

// SetReading makes Parse show the grammar the bytes that f returns for those of
// a file: src itself, or a copy of the same length in which tokens that the
// grammar cannot read where they stand are replaced by others. Line feeds stay
// where they are. The tree keeps the file's own bytes, so that texts, positions
// and hashes are not affected. f is a pure function; it is set before the
// language is used.
func (l *Language) SetReading(f func(src []byte) []byte) { l.reading = f }

// read returns what the grammar is shown for src, and whether the reading is
// another text.
func (l *Language) read(src []byte) (text []byte, reread bool) {
	if l.reading == nil {
		return src, false
	}
	s := l.reading(src)
	reread = len(s) != len(src) || len(s) > 0 && &s[0] != &src[0]
	if len(s) != len(src) || reread && !sameLines(s, src) {
		return src, true // not what was promised: rows would be wrong
	}
	return s, reread
}

// sameLines reports whether a and b, of one length, have the same line feeds.
func sameLines(a, b []byte) bool {
	for at := 0; at < len(a); {
		n, m := bytes.IndexByte(a[at:], '\n'), bytes.IndexByte(b[at:], '\n')
		if n != m {
			return false
		}
		if n < 0 {
			break
		}
		at += n + 1
	}
	return true
}
