package syntax

import (
	"fmt"
	"hash/fnv"
	"unsafe"
)

// Kind is the kind of a node: a number that a Language gives to the name of a
// grammar rule or token. Kinds of different languages are unrelated, and a
// number may change with the version of the grammar: never store one.
type Kind uint16

// KindError is the kind of the nodes that hold what the grammar could not
// parse, in every language.
const KindError Kind = 0xFFFF

// Field is the name of a child's role in its parent ("body", "left"), as a
// number given by a Language. 0 is no field.
type Field uint8

// A Language is a grammar with its names resolved. It is immutable.
type Language struct {
	name    string
	grammar unsafe.Pointer
	kinds   []kindInfo
	fields  []string
	named   map[string]Kind
	tokens  map[string]Kind
	fieldID map[string]Field
	tags    []uint32 // by kind: what stands for the kind in hashes
	reading func(src []byte) []byte
}

type kindInfo struct {
	name  string
	named bool
}

// MustLanguage is NewLanguage for package variables: it panics on error.
func MustLanguage(name string, grammar unsafe.Pointer) *Language {
	l, err := NewLanguage(name, grammar)
	if err != nil {
		panic(err)
	}
	return l
}

// Name returns the name that the language was made with.
func (l *Language) Name() string { return l.name }

// Kind returns the kind of the grammar's named nodes with the given name. It
// panics when there is none: the names that an extractor uses are constants, and
// a grammar update that drops one has to be noticed at once. Call it from
// package variables. See LookupKind for names that may be missing.
func (l *Language) Kind(name string) Kind {
	k, ok := l.LookupKind(name)
	if !ok {
		panic(fmt.Sprintf("syntax: language %s has no node %q", l.name, name))
	}
	return k
}

// Token is Kind for anonymous nodes: operators, keywords and punctuation, named
// by their text.
func (l *Language) Token(text string) Kind {
	k, ok := l.tokens[text]
	if !ok {
		panic(fmt.Sprintf("syntax: language %s has no token %q", l.name, text))
	}
	return k
}

// Field returns the number of a field. It panics when there is none, as Kind
// does.
func (l *Language) Field(name string) Field {
	f, ok := l.fieldID[name]
	if !ok {
		panic(fmt.Sprintf("syntax: language %s has no field %q", l.name, name))
	}
	return f
}

// LookupKind returns the kind of the named nodes with the given name.
func (l *Language) LookupKind(name string) (Kind, bool) {
	if name == "ERROR" {
		return KindError, true
	}
	k, ok := l.named[name]
	return k, ok
}

// KindName returns the name of a kind: that of the grammar rule, or the text of
// the token.
func (l *Language) KindName(k Kind) string {
	if k == KindError {
		return "ERROR"
	}
	if int(k) < len(l.kinds) {
		return l.kinds[k].name
	}
	return fmt.Sprintf("Kind(%d)", k)
}

// FieldName returns the name of a field, "" for 0.
func (l *Language) FieldName(f Field) string {
	if int(f) < len(l.fields) {
		return l.fields[f]
	}
	return fmt.Sprintf("Field(%d)", f)
}

// Kinds returns a set of named kinds; it panics as Kind does.
func (l *Language) Kinds(names ...string) KindSet {
	var s KindSet
	for _, n := range names {
		s.Add(l.Kind(n))
	}
	return s
}

// Tokens returns a set of anonymous kinds; it panics as Token does.
func (l *Language) Tokens(texts ...string) KindSet {
	var s KindSet
	for _, n := range texts {
		s.Add(l.Token(n))
	}
	return s
}

// tag gives each kind the 32 bits that stand for it in hashes. They come from
// its name, so that a hash survives a grammar update that only renumbers.
func (l *Language) tag() {
	l.tags = make([]uint32, len(l.kinds))
	taken := map[uint32]string{}
	for i, k := range l.kinds {
		key := "0" + k.name
		if k.named {
			key = "1" + k.name
		}
		for try := 0; ; try++ {
			h := fnv.New32a()
			fmt.Fprintf(h, "%s\x00%d", key, try)
			tag := h.Sum32()
			// Small values are the markers of the hasher.
			if owner, ok := taken[tag]; tag > 255 && (!ok || owner == key) {
				taken[tag] = key
				l.tags[i] = tag
				break
			}
		}
	}
}

// A KindSet is a set of kinds of one language. The zero value is empty. Has
// costs a few instructions.
type KindSet struct{ bits []uint64 }

// Add puts kinds into the set.
func (s *KindSet) Add(kinds ...Kind) {
	for _, k := range kinds {
		if k == KindError {
			panic("syntax: KindError in a KindSet")
		}
		for int(k)>>6 >= len(s.bits) {
			s.bits = append(s.bits, 0)
		}
		s.bits[k>>6] |= 1 << (k & 63)
	}
}

// Union returns a new set with the kinds of both.
func (s KindSet) Union(o KindSet) KindSet {
	if len(s.bits) < len(o.bits) {
		s, o = o, s
	}
	u := KindSet{append([]uint64(nil), s.bits...)}
	for i, w := range o.bits {
		u.bits[i] |= w
	}
	return u
}

// Has reports whether k is in the set.
func (s KindSet) Has(k Kind) bool {
	i := int(k) >> 6
	return i < len(s.bits) && s.bits[i]>>(k&63)&1 != 0
}
