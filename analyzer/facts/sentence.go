package facts

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// maxSentence bounds the first sentence of documentation, in bytes.
const maxSentence = 400

// Sentence returns the length of the first sentence of documentation: it ends at a
// full stop that no lower-case letter follows, at the end of a line, or before the
// first tag, which begins a line with @.
func Sentence(text []byte) int {
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' && i > 0 || text[i] == '@' && (i == 0 || text[i-1] == '\n') {
			return i
		}
		if text[i] == '.' && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n') {
			if r, _ := utf8.DecodeRune(bytes.TrimLeft(text[i+1:], " ")); i+1 == len(text) || !unicode.IsLower(r) {
				return i + 1
			}
		}
		if i >= maxSentence && utf8.RuneStart(text[i]) {
			return i
		}
	}
	return len(text)
}
