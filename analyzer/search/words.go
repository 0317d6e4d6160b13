package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

const maxWord = 40 // bytes; longer ones are data

// words calls f for each word of a text or name, in small letters, until f
// returns false. Names are taken apart where letters change case: parseHTTPHead
// is parse, http, head. Single letters are no words.
func words(text string, f func(string) bool) {
	begin := -1
	var last, before rune // the two characters before
	flush := func(end int) bool {
		if begin >= 0 && end-begin > 1 && end-begin <= maxWord {
			if !f(strings.ToLower(text[begin:end])) {
				return false
			}
		}
		begin = -1
		return true
	}
	lastAt := 0
	for i, r := range text {
		switch {
		case !unicode.IsLetter(r):
			if begin >= 0 && !flush(i) {
				return
			}
		case begin < 0:
			begin = i
		case unicode.IsUpper(r) && unicode.IsLower(last):
			if !flush(i) {
				return
			}
			begin = i
		case unicode.IsLower(r) && unicode.IsUpper(last) && unicode.IsUpper(before):
			// The last capital of several begins the next word.
			if !flush(lastAt) {
				return
			}
			begin = lastAt
		}
		before, last, lastAt = last, r, i
	}
	flush(len(text))
}

// identifiers calls f for each name of a text as one word, in small letters.
func identifiers(text string, f func(string)) {
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if len(w) > 2 && len(w) <= 2*maxWord {
			f(lower(w))
		}
	}
}

func lower(s string) string { return strings.ToLower(s) }

// typeName leaves the package path of a canonical type out.
func typeName(s string) string {
	if len(s) > 500 {
		return ""
	}
	var b strings.Builder
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("[]*() ,{}<>|&", r) }) {
		part = part[strings.LastIndexByte(part, '/')+1:]
		b.WriteString(part)
		b.WriteByte(' ')
	}
	return b.String()
}

// stemmer remembers stems: a repository has few different words.
type stemmer struct{ known map[string]string }

func newStemmer() *stemmer { return &stemmer{map[string]string{}} }

func (s *stemmer) stem(w string) string {
	if v, ok := s.known[w]; ok {
		return v
	}
	v := w
	if utf8.RuneCountInString(w) == len(w) { // English is ASCII
		v = english.Stem(w, true)
	}
	s.known[strings.Clone(w)] = v
	return v
}

// stopWords say nothing in a question.
var stopWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`a an and any are as at be been but by can could do does for from had has have how i if in into is it its
		me my no not of on or our over so some such than that the their them then there these they this those to under up was we were what
		when where which who whom why will with would you your all also returns return given used use uses using whether`) {
		m[w] = true
	}
	return m
}()
