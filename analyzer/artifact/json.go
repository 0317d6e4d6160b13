package artifact

import (
	"encoding/hex"
	"strconv"
	"unicode/utf8"
)

// jsonLine builds one line. Its methods append a member; the ones of numbers
// and strings leave out zero values.
type jsonLine struct{ b []byte }

func (l *jsonLine) name(name string) {
	if n := len(l.b); l.b[n-1] != '{' && l.b[n-1] != '[' {
		l.b = append(l.b, ',')
	}
	l.b = append(l.b, '"')
	l.b = append(l.b, name...)
	l.b = append(l.b, '"', ':')
}

func (l *jsonLine) string(name, v string) {
	if v != "" {
		l.name(name)
		l.b = appendString(l.b, v)
	}
}

// quoted appends a string that is JSON already.
func (l *jsonLine) quoted(name string, v []byte) {
	l.name(name)
	l.b = append(l.b, v...)
}

func (l *jsonLine) int(name string, v int64) {
	if v != 0 {
		l.name(name)
		l.b = strconv.AppendInt(l.b, v, 10)
	}
}

func (l *jsonLine) bool(name string, v bool) {
	l.name(name)
	l.b = strconv.AppendBool(l.b, v)
}

// yes appends a member that is there only if v is true.
func (l *jsonLine) yes(name string, v bool) {
	if v {
		l.bool(name, true)
	}
}

// hash appends a hash unless it is zero.
func (l *jsonLine) hash(name string, h []byte) {
	for _, b := range h {
		if b != 0 {
			l.hex(name, h)
			return
		}
	}
}

func (l *jsonLine) hex(name string, v []byte) {
	l.name(name)
	l.b = append(l.b, '"')
	l.b = hex.AppendEncode(l.b, v)
	l.b = append(l.b, '"')
}

func (l *jsonLine) strings(name string, vs []string) {
	if len(vs) == 0 {
		return
	}
	l.name(name)
	l.b = append(l.b, '[')
	for i, v := range vs {
		if i > 0 {
			l.b = append(l.b, ',')
		}
		l.b = appendString(l.b, v)
	}
	l.b = append(l.b, ']')
}

// plain marks the ASCII characters that stand for themselves in a string.
var plain = func() (t [256]bool) {
	for c := ' '; c < 0x7f; c++ {
		t[c] = c != '"' && c != '\\' && c != '['
	}
	return t
}()

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string.
//
// A byte that is not UTF-8 becomes U+FFFD and two hexadecimal digits; so that
// different strings stay different, a U+FFFD that s itself holds is written
// like that, as its three bytes. Control characters and those that change the
// direction of text or end a line are escaped, and so is the bracket of "##[",
// which begins a command in the log of some CI systems.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c] {
			i++
			continue
		}
		size, raw := 1, false
		r := rune(c)
		switch {
		case c == '[':
			if i < 2 || s[i-1] != '#' || s[i-2] != '#' {
				i++
				continue
			}
		case c >= utf8.RuneSelf:
			r, size = utf8.DecodeRuneInString(s[i:])
			raw = r == utf8.RuneError
			if !raw && !unsafeRune(r) {
				i += size
				continue
			}
		}
		b = append(b, s[start:i]...)
		switch {
		case raw:
			for _, c := range []byte(s[i : i+size]) {
				b = append(b, "\ufffd"...)
				b = append(b, hexDigits[c>>4], hexDigits[c&15])
			}
		case r == '"' || r == '\\':
			b = append(b, '\\', c)
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\t':
			b = append(b, '\\', 't')
		case r == '\r':
			b = append(b, '\\', 'r')
		case r > 0xffff:
			r -= 0x10000
			b = appendEscape(appendEscape(b, 0xd800+r>>10), 0xdc00+r&0x3ff)
		default:
			b = appendEscape(b, r)
		}
		i += size
		start = i
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

func appendEscape(b []byte, r rune) []byte {
	return append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// unsafeRune reports whether r is an invisible character that changes how the
// text around it is shown.
func unsafeRune(r rune) bool {
	switch {
	case r < 0xa0: // C1 controls
		return true
	case r == 0xad, r == 0x61c, r == 0x180e, r == 0xfeff:
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}
