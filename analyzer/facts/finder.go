package facts

import (
	"bytes"
	"strings"
)

// A Finder finds words in a text, all in one pass: it looks at each second pair of
// bytes, as one of two neighbouring pairs of a word stands there.
type Finder struct {
	pairs  [1 << 16 / 64]uint64 // the pairs that are looked for
	places []wordPlace
	short  []wordPlace // words of two bytes
	sets   uint8       // all of them
}

// wordPlace is a pair of bytes of a word.
type wordPlace struct {
	word string
	set  uint8
	at   int // of the pair in the word
	pair uint16
}

// NewFinder returns what finds words of at least two bytes. They are in sets, of which
// the first is 1, the next 2, the next 4.
func NewFinder(sets ...[]string) *Finder {
	f := &Finder{}
	for i, words := range sets {
		f.sets |= 1 << i
		for _, w := range words {
			f.add(w, 1<<i)
		}
	}
	return f
}

// add looks for a word, by its neighbouring pairs that are the rarest.
func (f *Finder) add(word string, set uint8) {
	if len(word) == 2 {
		f.short = append(f.short, wordPlace{word: word, set: set})
		return
	}
	const common = "qzjxkvwb-gfymdh(pucislonatre" // the rarest first
	best, least := 0, 1<<30
	for at := range len(word) - 2 {
		rank := func(i int) int { return strings.IndexByte(common, word[at+i]) + 1 }
		if n := rank(0)*rank(1) + rank(1)*rank(2); n < least {
			best, least = at, n
		}
	}
	for at := best; at < best+2; at++ {
		pair := uint16(word[at]) | uint16(word[at+1])<<8
		f.pairs[pair>>6] |= 1 << (pair & 63)
		f.places = append(f.places, wordPlace{word, set, at, pair})
	}
}

// In returns the sets of which some word is in the text.
func (f *Finder) In(text []byte) (found uint8) {
	for i := range f.short {
		if w := &f.short[i]; bytes.Contains(text, []byte(w.word)) {
			found |= w.set
		}
	}
	for i := 0; i+1 < len(text); i += 2 {
		pair := uint16(text[i]) | uint16(text[i+1])<<8
		if f.pairs[pair>>6]>>(pair&63)&1 == 0 {
			continue
		}
		for k := range f.places {
			p := &f.places[k]
			if p.pair != pair || found&p.set != 0 || i < p.at {
				continue
			}
			if bytes.HasPrefix(text[i-p.at:], []byte(p.word)) {
				if found |= p.set; found == f.sets {
					return found
				}
			}
		}
	}
	return found
}
