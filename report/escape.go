package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// What must not reach a terminal, a log or a reader's eye as it is:
//
//   - control characters, which move cursors, ring bells and begin escape
//     sequences;
//   - characters that change the direction of text or have no width, which
//     make code look like other code (CVE-2021-42574);
//   - a line that begins with "::", and "##[" anywhere: CI systems take them
//     for commands.

// hidden reports whether a character is escaped wherever it occurs in a name.
func hidden(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0, r == 0xad, r == utf8.RuneError:
		return true
	case r == 0x61c, r == 0x180e, r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff:
		return true
	case r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

// Escape returns s with every hidden character, line breaks included, written
// as an escape. Invalid UTF-8 is written as bytes.
func Escape(s string) string {
	clean := true
	for _, r := range s {
		if hidden(r) {
			clean = false
			break
		}
	}
	if clean && !strings.Contains(s, "##[") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !hidden(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
		i += n
	}
	return strings.ReplaceAll(b.String(), "##[", `##\x5b`)
}

// escapeJSON escapes the hidden characters of a JSON text. Outside of strings
// JSON holds none, so each becomes \uXXXX in the string that has it.
func escapeJSON(text []byte) []byte {
	out := make([]byte, 0, len(text)+len(text)/64)
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			switch {
			case c == '\n' || c >= 0x20 && c != 0x7f && c != '[':
				out = append(out, c)
			case c == '[' && i >= 2 && text[i-1] == '#' && text[i-2] == '#':
				out = append(out, `\u005b`...)
			case c == '[':
				out = append(out, c)
			default:
				out = fmt.Appendf(out, `\u%04x`, c)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case !hidden(r):
			out = append(out, text[i:i+n]...)
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += n
	}
	return out
}
