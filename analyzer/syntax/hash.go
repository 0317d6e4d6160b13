package syntax

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"
	"slices"
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

// at reports what to do at node i, and the least node behind it at which there may
// be something to do. It is asked for ascending nodes.
func (e *Edits) at(i ID) (name, skip bool, next ID) {
	next = math.MaxInt32
	take := func(list *[]ID) (found bool) {
		for len(*list) > 0 && (*list)[0] <= i {
			found = (*list)[0] == i
			*list = (*list)[1:]
		}
		if len(*list) > 0 {
			next = min(next, (*list)[0])
		}
		return found
	}
	name, skip = take(&e.Names), take(&e.Skip)
	return name, skip, next
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
	lang   *Language    // which kinds is of, under the rules
	kinds  []hashedKind // by kind; the last is that of errors
	sha    hash.Hash
	buf    []byte // the end of the stream; of a fixed size
	n      int    // bytes in buf
	open   []ID   // named inner nodes entered and not left
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

// flushAt is how much of the stream is kept, small how much may come before that is
// looked at: exits, and the fixed part of an item.
const (
	flushAt = 8 << 10
	small   = 64
)

// hashedKind is what the hasher has to know of a kind, in one place.
type hashedKind struct {
	tag uint32
	is  uint8
}

// What a kind is under the rules.
const (
	isBranch uint8 = 1 << iota // 1: it is counted
	isIgnored
	isWhole
)

// know makes the table of the kinds of a language.
func (h *Hasher) know(l *Language, rules *HashRules) {
	h.lang = l
	h.kinds = slices.Grow(h.kinds[:0], len(l.tags)+1)
	for i, tag := range l.tags {
		k, e := Kind(i), hashedKind{tag: tag}
		if rules.Ignore.Has(k) {
			e.is |= isIgnored
		}
		if rules.Whole.Has(k) {
			e.is |= isWhole
		}
		if rules.Branch.Has(k) {
			e.is |= isBranch
		}
		h.kinds = append(h.kinds, e)
	}
	h.kinds = append(h.kinds, hashedKind{tag: tagError})
}

// Reset starts a new digest over nodes of t.
func (h *Hasher) Reset(t *Tree, rules *HashRules) {
	if h.sha == nil {
		h.sha = sha256.New()
		h.buf = make([]byte, flushAt+small)
	}
	h.sha.Reset()
	if h.lang != t.Lang || h.rules != rules {
		h.know(t.Lang, rules)
	}
	h.t, h.rules = t, rules
	h.n, h.tokens, h.branches = 0, 0, 0
	h.shingles.reset()
}

// Bytes adds bytes that stand nowhere in the source, such as the ordinal of a
// constant with an implied value. They are no token.
func (h *Hasher) Bytes(b []byte) {
	w := h.room(h.n)
	h.buf[w] = opBytes
	h.n = h.text(w+1, b)
}

// Node adds the subtree of root. A root that is an extra is hashed as asked,
// Pragma or not.
func (h *Hasher) Node(root ID, e Edits) {
	nodes, src, kinds, buf := h.t.Nodes, h.t.Src, h.kinds, h.buf
	w, open := h.n, h.open[:0]
	end := nodes[root].Next
	at := nodes[root].Start // the text before has been dealt with
	leave := end            // Next of the innermost open node
	edit := root            // no node before it is one of e
	for i := root; i < end; {
		for leave == i {
			n := &nodes[open[len(open)-1]]
			if at < n.End {
				w = h.gap(w, at, n.End)
				at = n.End
			}
			if w >= flushAt {
				w = h.flush(w)
			}
			buf[w] = opExit
			w++
			open = open[:len(open)-1]
			leave = end
			if len(open) > 0 {
				leave = nodes[open[len(open)-1]].Next
			}
		}
		if w >= flushAt {
			w = h.flush(w)
		}
		n := &nodes[i]
		if at < n.Start {
			if n.Start-at > 1 || !isSpace(src[at]) {
				w = h.gap(w, at, n.Start)
			}
			at = n.Start
		}
		kind := kinds[min(int(n.Kind), len(kinds)-1)]
		name := false
		if i >= edit {
			var skip bool
			if name, skip, edit = e.at(i); skip {
				at, i = n.End, n.Next
				continue
			}
		}
		switch {
		case n.Flags&(Extra|Error) == Extra && i != root:
			// A comment. What error recovery skipped is an extra too, but no
			// less part of the program for that.
			if h.rules.Pragma != nil && h.rules.Pragma(src[n.Start:n.End]) {
				w = h.token(w, kind.tag, n.Start, n.End)
			}
		case n.Next == i+1 || kind.is&isWhole != 0:
			size := n.End - n.Start
			switch {
			case name:
				buf[w] = opName
				w++
				h.tokens++
				h.shingles.add(seed(tagName, 0))
			case size == 0 && n.Flags&Named == 0 || kind.is&isIgnored != 0:
				// Empty tokens stand for line ends and indentation.
			case size < 8 && int(n.Start)+8 <= len(src): // most tokens: the text is one word
				word := binary.LittleEndian.Uint64(src[n.Start:]) & (1<<(8*size) - 1)
				h.tokens++
				h.shingles.add(mum(seed(kind.tag, int(size))^prime3, word^prime1))
				binary.LittleEndian.PutUint64(buf[w:], uint64(opToken)|uint64(kind.tag)<<8|uint64(size)<<40)
				binary.LittleEndian.PutUint64(buf[w+6:], word)
				w += 6 + int(size)
				h.branches += int(kind.is & isBranch)
			default:
				w = h.token(w, kind.tag, n.Start, n.End)
				h.branches += int(kind.is & isBranch)
			}
		default:
			h.branches += int(kind.is & isBranch)
			if n.Flags&Named != 0 {
				binary.LittleEndian.PutUint64(buf[w:], uint64(opEnter)|uint64(kind.tag)<<8)
				w += 5
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
			w = h.gap(w, at, n.End)
			at = n.End
		}
		w = h.room(w)
		buf[w] = opExit
		w++
		open = open[:len(open)-1]
	}
	h.n, h.open = w, open
}

// Hash is Reset, Node and Sum.
func (h *Hasher) Hash(t *Tree, root ID, rules *HashRules, e Edits) Digest {
	h.Reset(t, rules)
	h.Node(root, e)
	return h.Sum()
}

// Sum returns the digest of what was added since Reset.
func (h *Hasher) Sum() Digest {
	h.n = h.flush(h.n)
	d := Digest{Tokens: h.tokens, Branches: h.branches}
	copy(d.Hash[:], h.sha.Sum(h.sum[:0]))
	if h.tokens >= SketchTokens {
		d.Sketch = h.shingles.sketch()
	}
	return d
}

// flush hashes the first w bytes of buf.
func (h *Hasher) flush(w int) int {
	h.sha.Write(h.buf[:w])
	return 0
}

// room makes room for the fixed part of an item behind the first w bytes of buf.
func (h *Hasher) room(w int) int {
	if w >= flushAt {
		return h.flush(w)
	}
	return w
}

// text adds a length and bytes behind the first w bytes of buf.
func (h *Hasher) text(w int, b []byte) int {
	w = h.room(w)
	w += binary.PutUvarint(h.buf[w:], uint64(len(b)))
	if w+len(b) > flushAt {
		w = h.flush(w)
		if len(b) > flushAt {
			h.sha.Write(b)
			return w
		}
	}
	return w + copy(h.buf[w:], b)
}

// token adds the leaf with the given tag and the text src[start:end] behind the
// first w bytes of buf.
func (h *Hasher) token(w int, tag, start, end uint32) int {
	h.tokens++
	text := h.t.Src[start:end]
	v := seed(tag, len(text))
	rest := text
	for len(rest) >= 8 {
		v = mum(v^prime3, binary.LittleEndian.Uint64(rest)^prime1)
		rest = rest[8:]
	}
	var word uint64
	for i, b := range rest {
		word |= uint64(b) << (8 * i)
	}
	h.shingles.add(mum(v^prime3, word^prime1))
	w = h.room(w)
	binary.LittleEndian.PutUint64(h.buf[w:], uint64(opToken)|uint64(tag)<<8)
	return h.text(w+5, text)
}

// gap deals with the text between two leaves: what is left of it without the
// white space around it is a token.
func (h *Hasher) gap(w int, from, to uint32) int {
	const spaces = 0x2020202020202020
	src := h.t.Src
	for from < to && isSpace(src[from]) {
		from++
		for from+8 <= to && binary.LittleEndian.Uint64(src[from:]) == spaces {
			from += 8
		}
	}
	for from < to && isSpace(src[to-1]) {
		to--
	}
	if from == to {
		return w
	}
	w = h.room(w)
	h.buf[w] = opGap
	return h.token(w+1, tagGap, from, to)
}

func isSpace(b byte) bool { return b == ' ' || b-'\t' < 5 }
