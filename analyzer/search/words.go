package search

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

const maxWord = 40 // bytes; longer ones are data

// The classes of letters.
const (
	noLetter uint8 = iota
	small
	capital
	otherLetter
)

var classes = func() (t [utf8.RuneSelf]uint8) {
	for c := range t {
		t[c] = classOf(rune(c))
	}
	return t
}()

func classOf(r rune) uint8 {
	switch {
	case unicode.IsLower(r):
		return small
	case unicode.IsUpper(r):
		return capital
	case unicode.IsLetter(r):
		return otherLetter
	}
	return noLetter
}

// words calls f for each word of a text or name, as it is written, until f
// returns false. Names are taken apart where letters change case: parseHTTPHead
// is parse, HTTP, Head. Single letters are no words.
func words(text string, f func(string) bool) {
	begin := -1
	var last, before uint8 // the classes of the two characters before
	lastAt := 0
	isWord := func(end int) bool { return end-begin > 1 && end-begin <= maxWord }
	for i, size := 0, 1; i < len(text); i += size {
		c := text[i]
		var class uint8
		if c < utf8.RuneSelf {
			class, size = classes[c], 1
		} else {
			var r rune
			r, size = utf8.DecodeRuneInString(text[i:])
			class = classOf(r)
		}
		switch {
		case class == noLetter:
			if begin >= 0 && isWord(i) && !f(text[begin:i]) {
				return
			}
			begin = -1
		case begin < 0:
			begin = i
		case class == capital && last == small:
			if isWord(i) && !f(text[begin:i]) {
				return
			}
			begin = i
		case class == small && last == capital && before == capital:
			// The last capital of several begins the next word.
			if isWord(lastAt) && !f(text[begin:lastAt]) {
				return
			}
			begin = lastAt
		}
		before, last, lastAt = last, class, i
	}
	if begin >= 0 && isWord(len(text)) {
		f(text[begin:])
	}
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

// stem returns the stem of a word in small letters. English is ASCII.
func stem(w string) string {
	if utf8.RuneCountInString(w) == len(w) {
		return english.Stem(w, true)
	}
	return w
}

// vocabulary numbers words while an index is made.
type vocabulary struct {
	numbers map[string]int32 // of terms
	stems   map[string]int32 // the term of a word in small letters
}

func newVocabulary() *vocabulary {
	return &vocabulary{map[string]int32{}, map[string]int32{}}
}

func (v *vocabulary) number(term string) int32 {
	n, ok := v.numbers[term]
	if !ok {
		n = int32(len(v.numbers))
		v.numbers[strings.Clone(term)] = n
	}
	return n
}

// whole returns the term of a name as one word.
func (v *vocabulary) whole(name string) int32 { return v.number(lower(name)) }

// stemmed returns the term of a word as it is written: its stem.
func (v *vocabulary) stemmed(w string) int32 {
	var buf [maxWord]byte
	b := buf[:0]
	for i := range len(w) {
		c := w[i]
		if c >= utf8.RuneSelf {
			b = append(b[:0], lower(w)...)
			break
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	if n, ok := v.stems[string(b)]; ok {
		return n
	}
	word := string(b)
	n := v.number(stem(word))
	v.stems[word] = n
	return n
}

// sorted returns the terms by spelling, and the position of each number there.
func (v *vocabulary) sorted() (terms, []int32) {
	list := slices.Sorted(maps.Keys(v.numbers))
	t := terms{ends: make([]uint32, len(list))}
	position := make([]int32, len(list))
	var text strings.Builder
	for i, w := range list {
		text.WriteString(w)
		t.ends[i] = uint32(text.Len())
		position[v.numbers[w]] = int32(i)
	}
	t.text = text.String()
	return t, position
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
