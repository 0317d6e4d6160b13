package facts

import "encoding/binary"

// A Finder looks for several words at once, in less time than looking for two of
// them one after the other takes.
type Finder struct {
	words []string
	heads [1 << 12]bool // by hash of four bytes: whether a word may begin with them
}

// NewFinder returns a finder of words of at least four bytes.
func NewFinder(words ...string) *Finder {
	f := &Finder{words: words}
	for _, w := range words {
		f.heads[hashHead(binary.LittleEndian.Uint32([]byte(w)))] = true
	}
	return f
}

func hashHead(head uint32) uint32 { return head * 0x9E3779B1 >> 20 }

// In reports whether one of the words is in the text.
func (f *Finder) In(text []byte) bool {
	heads := &f.heads
	for ; len(text) >= 8; text = text[5:] {
		x := binary.LittleEndian.Uint64(text) // five heads
		if heads[hashHead(uint32(x))] || heads[hashHead(uint32(x>>8))] || heads[hashHead(uint32(x>>16))] ||
			heads[hashHead(uint32(x>>24))] || heads[hashHead(uint32(x>>32))] {
			for i := range 5 {
				if f.at(text[i:]) {
					return true
				}
			}
		}
	}
	for i := range text {
		if f.at(text[i:]) {
			return true
		}
	}
	return false
}

// at reports whether the text begins with one of the words.
func (f *Finder) at(text []byte) bool {
	for _, w := range f.words {
		if text[0] == w[0] && len(text) >= len(w) && string(text[:len(w)]) == w {
			return true
		}
	}
	return false
}
