package typescript

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// What a file may know of: messages and requests are looked for only where the source
// names a client of either.
var (
	messageWords = []string{"kafka", "amqp", "nats", "mqtt", "redis", "microservices", "bull", "sqs", "aws-sdk"}
	requestWords = append(slices.Clone(clientModules), "supertest", "chai")
)

// Sets of words.
const (
	ofMessages uint8 = 1 << iota
	ofRequests
)

// wordFinder finds words in a text, all in one pass: it looks at each second pair of
// letters, as one of two neighbouring pairs of a word stands there.
type wordFinder struct {
	pairs  [1 << 16 / 64]uint64 // the pairs that are looked for
	places []wordPlace
	short  []wordPlace // words of two letters
}

// wordPlace is a pair of letters of a word.
type wordPlace struct {
	word string
	sets uint8
	at   int // of the pair in the word
	pair uint16
}

var clientWords = sync.OnceValue(func() *wordFinder {
	f := &wordFinder{}
	for _, w := range messageWords {
		f.add(w, ofMessages)
	}
	for _, w := range requestWords {
		f.add(w, ofRequests)
	}
	return f
})

// add looks for a word of at least two letters, by its neighbouring pairs that are
// the rarest.
func (f *wordFinder) add(word string, sets uint8) {
	if len(word) == 2 {
		f.short = append(f.short, wordPlace{word: word, sets: sets})
		return
	}
	const common = "qzjxkvwb-gfymdhpucislonatre" // the rarest first
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
		f.places = append(f.places, wordPlace{word, sets, at, pair})
	}
}

// find returns the sets of which some word is in src.
func (f *wordFinder) find(src []byte) (found uint8) {
	for i := range f.short {
		if w := &f.short[i]; bytes.Contains(src, []byte(w.word)) {
			found |= w.sets
		}
	}
	for i := 0; i+1 < len(src); i += 2 {
		pair := uint16(src[i]) | uint16(src[i+1])<<8
		if f.pairs[pair>>6]>>(pair&63)&1 == 0 {
			continue
		}
		for k := range f.places {
			p := &f.places[k]
			if p.pair != pair || found&p.sets == p.sets || i < p.at {
				continue
			}
			if bytes.HasPrefix(src[i-p.at:], []byte(p.word)) {
				if found |= p.sets; found == ofMessages|ofRequests {
					return found
				}
			}
		}
	}
	return found
}
