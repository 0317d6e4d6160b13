package facts

import (
	"hash/maphash"
	"slices"
)

// Interner numbers strings in the order in which they come: equal strings have
// equal numbers. The empty string has number 0. It is not safe for concurrent use.
type Interner struct {
	Strings []string // by number
	table   interned
}

// NewInterner returns an interner with room for n strings; there may be more.
func NewInterner(n int) *Interner {
	t := &Interner{Strings: append(make([]string, 0, n+1), "")}
	size := 16
	for size < 2*n {
		size *= 2
	}
	t.table.slots, t.table.mask = make([]internedSlot, size), uint64(size-1)
	return t
}

// Intern returns the number of s, a new one if there is none.
func (t *Interner) Intern(s string) int32 {
	if s == "" {
		return 0
	}
	h := maphash.String(hashSeed, s)
	if i := t.find(s, h); i != 0 {
		return i
	}
	i := int32(len(t.Strings))
	t.Strings = append(t.Strings, s)
	t.table.put(Str(i), h)
	return i
}

// Find returns the number of s, or -1.
func (t *Interner) Find(s string) int32 {
	if s == "" {
		return 0
	}
	if i := t.find(s, maphash.String(hashSeed, s)); i != 0 {
		return i
	}
	return -1
}

func (t *Interner) find(s string, h uint64) int32 {
	for i := h; ; i++ {
		at := t.table.slots[i&t.table.mask]
		if at.str == 0 || at.hash == uint32(h) && t.Strings[at.str] == s {
			return int32(at.str)
		}
	}
}

// interned finds strings by their hashes: a table with open addressing, at most half
// full. Files have from ten to ten thousand of them, and it begins small for each.
type interned struct {
	slots []internedSlot
	mask  uint64
}

// internedSlot is a place of the table, empty without a string.
type internedSlot struct {
	hash uint32
	str  Str
}

// hashSeed is another in every process: nothing depends on the order of hashes.
var hashSeed = maphash.MakeSeed()

func (t *interned) clear() {
	const least = 512
	if t.slots == nil {
		t.slots = make([]internedSlot, 8*least)
	}
	clear(t.slots[:t.mask+1])
	t.mask = least - 1
}

// put puts a new string, the last of n, into the table.
func (t *interned) put(s Str, hash uint64) {
	if uint64(2*s) > t.mask {
		old := slices.Clone(t.slots[:t.mask+1])
		t.mask = 2*t.mask + 1
		if uint64(len(t.slots)) <= t.mask {
			t.slots = make([]internedSlot, t.mask+1)
		}
		clear(t.slots[:t.mask+1])
		for _, o := range old {
			if o.str != 0 {
				t.place(o)
			}
		}
	}
	t.place(internedSlot{uint32(hash), s})
}

func (t *interned) place(s internedSlot) {
	i := uint64(s.hash)
	for t.slots[i&t.mask].str != 0 {
		i++
	}
	t.slots[i&t.mask] = s
}
