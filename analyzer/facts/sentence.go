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

// AppendWords appends the words of a text, with a space between each two.
func AppendWords(dst, text []byte) []byte {
	begin := len(dst)
	for i := 0; i < len(text); {
		word := i
		space := 0 // the length of the one that ends the word
		for i < len(text) {
			if c := text[i]; c < utf8.RuneSelf {
				if c == ' ' || c-'\t' < 5 {
					space = 1
					break
				}
				i++
				continue
			}
			r, n := utf8.DecodeRune(text[i:])
			if unicode.IsSpace(r) {
				space = n
				break
			}
			i += n
		}
		if i > word {
			if len(dst) > begin {
				dst = append(dst, ' ')
			}
			dst = append(dst, text[word:i]...)
		}
		i += space
	}
	return dst
}
