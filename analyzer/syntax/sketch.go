package syntax

import (
	"encoding/binary"
	"math/bits"
)

// A Sketch is a MinHash of the set of token 4-grams of a piece of code: 64
// values of 2 bits. It says how much two pieces have in common when their hashes
// differ, as after a rename with an edit. The zero value is no sketch.
//
// For a given size, more and shorter values estimate better (Li and König, b-bit
// minwise hashing, 2010): with 64 x 2 bits the standard error at a similarity of 0.7
// is 0.07, with 64 x 4 bits, which take twice the room, 0.06, with 16 x 8 bits 0.11.
type Sketch [16]byte

const (
	gram = 4  // tokens per shingle
	bins = 64 // values of a sketch
)

// IsZero reports whether s is no sketch.
func (s Sketch) IsZero() bool { return s == Sketch{} }

// Similarity estimates the Jaccard similarity of the token 4-grams of two pieces
// of code: 1 for equal sets, 0 for disjoint ones, and 0 when one is no sketch.
func Similarity(a, b Sketch) float64 {
	if a.IsZero() || b.IsZero() {
		return 0
	}
	equal := bins
	for i := 0; i < len(a); i += 8 {
		x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:])
		equal -= bits.OnesCount64((x | x>>1) & 0x5555555555555555)
	}
	// Values of sets that have nothing in common agree by chance in 1 of 4.
	return max(0, (float64(equal)/bins-1.0/4)*4/3)
}

// shingles collects the least hash per bin over all 4-grams of a token stream
// (one-permutation hashing). Most streams are too short to have a sketch, so tokens
// are kept until there are many or the sketch is asked for.
type shingles struct {
	tokens []uint64 // hashes: those that have not been looked at, behind the last gram-1 before them
	filled uint64   // the bins that have a value
	mins   [bins]uint64
}

// maxTokens is how many tokens are kept.
const maxTokens = 1 << 10

func (s *shingles) reset() { s.tokens, s.filled = s.tokens[:0], 0 }

const (
	prime1 = 0x9E3779B185EBCA87
	prime2 = 0xC2B2AE3D27D4EB4F
	prime3 = 0x165667B19E3779F9
)

// seed starts the hash of a token with the given tag and length.
func seed(tag uint32, length int) uint64 { return uint64(tag)*prime2 ^ uint64(length) }

// add appends a token, given by its hash.
func (s *shingles) add(v uint64) {
	if len(s.tokens) == maxTokens {
		s.collect()
	}
	s.tokens = append(s.tokens, v)
}

// collect looks at the tokens that were kept.
func (s *shingles) collect() {
	if s.filled == 0 {
		for i := range s.mins {
			s.mins[i] = ^uint64(0)
		}
	}
	ts, filled := s.tokens, s.filled
	for len(ts) >= gram {
		h := mix(((ts[0]*prime1+ts[1])*prime1+ts[2])*prime1 + ts[3])
		bin := h >> 58
		s.mins[bin] = min(s.mins[bin], h)
		filled |= 1 << bin
		ts = ts[1:]
	}
	s.filled = filled
	s.tokens = append(s.tokens[:0], ts...)
}

func mum(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

func mix(h uint64) uint64 {
	h ^= h >> 32
	h *= prime2
	h ^= h >> 29
	h *= prime3
	h ^= h >> 32
	return h
}

// sketch returns the low bits of the least hash per bin. An empty bin borrows
// from a filled one, tried in an order that depends on the bin only (optimal
// densification, Shrivastava 2017): so that the estimate keeps its meaning for
// small sets. There must be a 4-gram.
func (s *shingles) sketch() (out Sketch) {
	s.collect()
	for i := range s.mins {
		from := uint64(i)
		for try := uint64(1); s.filled>>(from&63)&1 == 0; try++ {
			from = mix(uint64(i)*prime1+try*prime2) >> 58
		}
		out[i/4] |= byte(s.mins[from&63]&3) << (2 * (i & 3))
	}
	return out
}
