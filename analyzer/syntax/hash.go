package syntax

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// HashRules say what in a language carries no meaning, and are set once per
// language.
type HashRules struct {
	// Ignore holds leaf kinds whose presence depends on formatting only: line
	// ends, semicolons, the comma that may trail a list. Ignoring a separator
	// everywhere is safe where its neighbours are named nodes, since the enter
	// and exit of these are hashed.
	Ignore KindSet
	// Whole holds kinds that are taken as one token with all their text, white
	// space included, whatever nodes they have inside: string literals in which
	// the grammar leaves text out of the leaves.
	Whole KindSet
	// Pragma reports whether an extra (a comment) changes what the program does
	// and has to be hashed. nil means none does. text must not be kept.
	Pragma func(text []byte) bool
}

// Edits say what to do differently at some nodes of one declaration. Both lists
// are ascending.
type Edits struct {
	// Names are leaves hashed as one and the same placeholder: the declaration's
	// own name, and where the caller knows them, its recursive uses.
	Names []ID
	// Skip are the roots of subtrees left out: member declarations that are
	// hashed by themselves.
	Skip []ID
}

// A Digest is the sum of a declaration.
type Digest struct {
	// Hash is the first half of a SHA-256.
	Hash [16]byte
	// Tokens counts the leaf tokens hashed.
	Tokens int
	// Sketch is the MinHash of the token 4-grams, zero when there are fewer than
	// SketchTokens tokens.
	Sketch Sketch
}

// SketchTokens is the number of tokens from which on a Digest has a Sketch.
const SketchTokens = 16

// A Hasher computes digests of declarations: two pieces of code with the same
// tokens in the same structure have the same hash, whatever their white space
// and comments.
//
// What is hashed is a stream of items: a token for every leaf (the kind's name
// and the text, with its length), and the enter and exit of every named inner
// node. The structure is needed where white space carries it: moving a line of
// Python out of an if leaves the tokens as they are. No two streams have the
// same bytes. Text that belongs to no leaf, which grammars with hidden tokens
// have, is hashed as a token of its own, so that no significant byte is missed;
// only white space around it is not.
//
// Usage: Reset, then any number of Node and Bytes, then Sum. It costs some 10 ns
// per node and allocates nothing after the first uses. A Hasher is not for
// concurrent use.
type Hasher struct {
	t      *Tree
	rules  *HashRules
	sha    hash.Hash
	buf    []byte
	open   []ID // named inner nodes entered and not left
	tokens int

	shingles shingles
	sum      [sha256.Size]byte
}

// The stream is a prefix code: an item begins with one of these bytes, texts
// carry their length.
const (
	opEnter byte = iota + 1 // tag
	opExit                  //
	opToken                 // tag, length, text
	opName                  //
	opGap                   // length, text
	opBytes                 // length, bytes
)

// Tags below 256 are no kind's.
const (
	tagError uint32 = iota + 1
	tagName
	tagGap
)

const flushAt = 8 << 10

// Reset starts a new digest over nodes of t.
func (h *Hasher) Reset(t *Tree, rules *HashRules) {
	if h.sha == nil {
		h.sha = sha256.New()
		h.buf = make([]byte, 0, 2*flushAt)
	}
	h.sha.Reset()
	h.t, h.rules = t, rules
	h.buf = h.buf[:0]
	h.tokens = 0
	h.shingles.reset()
}

// Bytes adds bytes that stand nowhere in the source, such as the ordinal of a
// constant with an implied value. They are no token.
func (h *Hasher) Bytes(b []byte) {
	h.buf = append(h.buf, opBytes)
	h.text(b)
}

// Node adds the subtree of root. A root that is an extra is hashed as asked,
// Pragma or not.
func (h *Hasher) Node(root ID, e Edits) {
	nodes, src, tags := h.t.Nodes, h.t.Src, h.t.Lang.tags
	rules := h.rules
	names, skip := e.Names, e.Skip
	open := h.open[:0]
	end := nodes[root].Next
	at := nodes[root].Start // the text before has been dealt with
	for i := root; i < end; {
		for len(open) > 0 {
			n := &nodes[open[len(open)-1]]
			if n.Next != i {
				break
			}
			at = h.gap(src, at, n.End)
			h.buf = append(h.buf, opExit)
			open = open[:len(open)-1]
		}
		if len(h.buf) >= flushAt {
			h.flush()
		}
		n := &nodes[i]
		at = h.gap(src, at, n.Start)
		tag := tagError
		if int(n.Kind) < len(tags) {
			tag = tags[n.Kind]
		}
		for len(skip) > 0 && skip[0] < i {
			skip = skip[1:]
		}
		switch {
		case len(skip) > 0 && skip[0] == i:
		case n.Flags&(Extra|Error) == Extra && i != root:
			// A comment. What error recovery skipped is an extra too, but no
			// less part of the program for that.
			if rules.Pragma != nil && rules.Pragma(src[n.Start:n.End]) {
				h.token(tag, src[n.Start:n.End])
			}
		case n.Next == i+1 || rules.Whole.Has(n.Kind):
			for len(names) > 0 && names[0] < i {
				names = names[1:]
			}
			if len(names) > 0 && names[0] == i {
				h.buf = append(h.buf, opName)
				h.tokens++
				h.shingles.add(tagName, nil)
			} else if n.Start == n.End && n.Flags&Named == 0 || rules.Ignore.Has(n.Kind) {
				// Empty tokens stand for line ends and indentation.
			} else {
				h.token(tag, src[n.Start:n.End])
			}
		default:
			if n.Flags&Named != 0 {
				h.buf = append(h.buf, opEnter, byte(tag), byte(tag>>8), byte(tag>>16), byte(tag>>24))
				open = append(open, i)
			}
			i++
			continue
		}
		at = max(at, n.End)
		i = n.Next
	}
	for len(open) > 0 {
		at = h.gap(src, at, nodes[open[len(open)-1]].End)
		h.buf = append(h.buf, opExit)
		open = open[:len(open)-1]
	}
	h.open = open
}

// Hash is Reset, Node and Sum.
func (h *Hasher) Hash(t *Tree, root ID, rules *HashRules, e Edits) Digest {
	h.Reset(t, rules)
	h.Node(root, e)
	return h.Sum()
}

// Sum returns the digest of what was added since Reset.
func (h *Hasher) Sum() Digest {
	h.flush()
	d := Digest{Tokens: h.tokens}
	copy(d.Hash[:], h.sha.Sum(h.sum[:0]))
	if h.tokens >= SketchTokens {
		d.Sketch = h.shingles.sketch()
	}
	return d
}

func (h *Hasher) flush() {
	h.sha.Write(h.buf)
	h.buf = h.buf[:0]
}

func (h *Hasher) text(b []byte) {
	h.buf = binary.AppendUvarint(h.buf, uint64(len(b)))
	if len(b) > flushAt {
		h.flush()
		h.sha.Write(b)
		return
	}
	h.buf = append(h.buf, b...)
}

func (h *Hasher) token(tag uint32, text []byte) {
	h.buf = append(h.buf, opToken, byte(tag), byte(tag>>8), byte(tag>>16), byte(tag>>24))
	h.text(text)
	h.tokens++
	h.shingles.add(tag, text)
}

// gap deals with the text between two leaves, and returns the new position.
func (h *Hasher) gap(src []byte, from, to uint32) uint32 {
	for from < to && isSpace(src[from]) {
		from++
	}
	if from < to {
		h.gapText(src[from:to])
	}
	return max(from, to)
}

func (h *Hasher) gapText(text []byte) {
	for isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	h.buf = append(h.buf, opGap)
	h.text(text)
	h.tokens++
	h.shingles.add(tagGap, text)
}

func isSpace(b byte) bool { return b == ' ' || b-'\t' < 5 }
