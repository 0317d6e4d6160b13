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
	// Branch holds the kinds that add a way through the code: each condition, loop
	// and case, each operator that may leave its second operand out.
	Branch KindSet
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
	// Branches counts the nodes hashed that are of a kind of Branch.
	Branches int
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

	branches int

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
	opGap                   // followed by a token
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
	h.tokens, h.branches = 0, 0
	h.shingles.reset()
}

// Bytes adds bytes that stand nowhere in the source, such as the ordinal of a
// constant with an implied value. They are no token.
func (h *Hasher) Bytes(b []byte) {
	h.buf = h.text(append(h.buf, opBytes), b)
}

// Node adds the subtree of root. A root that is an extra is hashed as asked,
// Pragma or not.
func (h *Hasher) Node(root ID, e Edits) {
	nodes, src, tags := h.t.Nodes, h.t.Src, h.t.Lang.tags
	rules := h.rules
	names, skip := e.Names, e.Skip
	buf, open := h.buf, h.open[:0]
	end := nodes[root].Next
	at := nodes[root].Start // the text before has been dealt with
	leave := end            // Next of the innermost open node
	for i := root; i < end; {
		for leave == i {
			n := &nodes[open[len(open)-1]]
			if at < n.End {
				buf = h.gap(buf, src, at, n.End)
				at = n.End
			}
			buf = append(buf, opExit)
			open = open[:len(open)-1]
			leave = end
			if len(open) > 0 {
				leave = nodes[open[len(open)-1]].Next
			}
		}
		if len(buf) >= flushAt {
			buf = h.flush(buf)
		}
		n := &nodes[i]
		if at < n.Start {
			if n.Start-at > 1 || !isSpace(src[at]) {
				buf = h.gap(buf, src, at, n.Start)
			}
			at = n.Start
		}
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
				buf = h.token(buf, tag, src, n.Start, n.End)
			}
		case n.Next == i+1 || rules.Whole.Has(n.Kind):
			for len(names) > 0 && names[0] < i {
				names = names[1:]
			}
			if len(names) > 0 && names[0] == i {
				buf = append(buf, opName)
				h.tokens++
				h.shingles.add(seed(tagName, 0))
			} else if n.Start == n.End && n.Flags&Named == 0 || rules.Ignore.Has(n.Kind) {
				// Empty tokens stand for line ends and indentation.
			} else {
				buf = h.token(buf, tag, src, n.Start, n.End)
				if rules.Branch.Has(n.Kind) {
					h.branches++
				}
			}
		default:
			if rules.Branch.Has(n.Kind) {
				h.branches++
			}
			if n.Flags&Named != 0 {
				buf = append(buf, opEnter, byte(tag), byte(tag>>8), byte(tag>>16), byte(tag>>24))
				open = append(open, i)
				leave = n.Next
			}
			i++
			continue
		}
		at = n.End
		i = n.Next
	}
	for len(open) > 0 {
		if n := &nodes[open[len(open)-1]]; at < n.End {
			buf = h.gap(buf, src, at, n.End)
			at = n.End
		}
		buf = append(buf, opExit)
		open = open[:len(open)-1]
	}
	h.buf, h.open = buf, open
}

// Hash is Reset, Node and Sum.
func (h *Hasher) Hash(t *Tree, root ID, rules *HashRules, e Edits) Digest {
	h.Reset(t, rules)
	h.Node(root, e)
	return h.Sum()
}

// Sum returns the digest of what was added since Reset.
func (h *Hasher) Sum() Digest {
	h.buf = h.flush(h.buf)
	d := Digest{Tokens: h.tokens, Branches: h.branches}
	copy(d.Hash[:], h.sha.Sum(h.sum[:0]))
	if h.tokens >= SketchTokens {
		d.Sketch = h.shingles.sketch()
	}
	return d
}

func (h *Hasher) flush(buf []byte) []byte {
	h.sha.Write(buf)
	return buf[:0]
}

// text adds a length and bytes to the stream in buf.
func (h *Hasher) text(buf, b []byte) []byte {
	buf = binary.AppendUvarint(buf, uint64(len(b)))
	if len(b) > flushAt {
		buf = h.flush(buf)
		h.sha.Write(b)
		return buf
	}
	return append(buf, b...)
}

// token adds the leaf with the given tag and the text src[start:end] to the
// stream in buf.
func (h *Hasher) token(buf []byte, tag uint32, src []byte, start, end uint32) []byte {
	h.tokens++
	n := end - start
	if n > 8 || int(start)+8 > len(src) {
		text := src[start:end]
		v := seed(tag, len(text))
		for len(text) >= 8 {
			v = mum(v^prime3, binary.LittleEndian.Uint64(text)^prime1)
			text = text[8:]
		}
		var w uint64
		for i, b := range text {
			w |= uint64(b) << (8 * i)
		}
		h.shingles.add(mum(v^prime3, w^prime1))
		buf = append(buf, opToken, byte(tag), byte(tag>>8), byte(tag>>16), byte(tag>>24))
		return h.text(buf, src[start:end])
	}
	// Most tokens are short: their text is one word.
	w := binary.LittleEndian.Uint64(src[start:]) & (1<<(8*n) - 1)
	v := seed(tag, int(n))
	if n == 8 {
		v = mum(v^prime3, w^prime1)
		h.shingles.add(mum(v^prime3, prime1))
	} else {
		h.shingles.add(mum(v^prime3, w^prime1))
	}
	at := len(buf)
	buf = append(buf, opToken, byte(tag), byte(tag>>8), byte(tag>>16), byte(tag>>24), byte(n),
		byte(w), byte(w>>8), byte(w>>16), byte(w>>24), byte(w>>32), byte(w>>40), byte(w>>48), byte(w>>56))
	return buf[:at+6+int(n)]
}

// gap deals with the text between two leaves: what is left of it without the
// white space around it is a token.
func (h *Hasher) gap(buf, src []byte, from, to uint32) []byte {
	for from < to && isSpace(src[from]) {
		from++
	}
	for from < to && isSpace(src[to-1]) {
		to--
	}
	if from < to {
		buf = h.token(append(buf, opGap), tagGap, src, from, to)
	}
	return buf
}

func isSpace(b byte) bool { return b == ' ' || b-'\t' < 5 }
