package syntax

import (
	"bytes"
	"iter"
	"sort"
)

// ID is the position of a node in its tree's array. The root is 0.
type ID int32

// None is no node.
const None ID = -1

// Flags are properties of a node.
type Flags uint8

const (
	Named    Flags = 1 << iota // a grammar rule, not a literal token
	Missing                    // an empty token that the parser put in to go on
	Extra                      // outside the grammar's rules: comments
	Error                      // what could not be parsed; the kind is KindError
	HasError                   // an Error or Missing node is in this subtree
)

// A Node is one node of a tree: 24 bytes in an array in pre-order, so that a
// walk over a subtree is a loop over a part of the array and needs no stack.
type Node struct {
	Kind   Kind
	Field  Field // role in the parent, 0 if none
	Flags  Flags
	Start  uint32 // byte offsets into the source, End exclusive
	End    uint32
	Row    uint32 // 0-based line of Start
	Next   ID     // first node behind this node's subtree; may be len(Nodes)
	Parent ID     // None for the root
}

// Named reports whether the node stands for a grammar rule.
func (n *Node) Named() bool { return n.Flags&Named != 0 }

// A Tree is the syntax tree of one file: all visible nodes, named and anonymous,
// in pre-order. Nodes[0] is the root. The descendants of i are the nodes from
// i+1 to Nodes[i].Next exclusive. Walking costs a few nanoseconds per node.
//
// The fast way to visit the children of i is
//
//	for c, end := i+1, t.Nodes[i].Next; c < end; c = t.Nodes[c].Next { … }
//
// and the fast way to visit a whole subtree, skipping what is of no interest, is
//
//	for c, end := i, t.Nodes[i].Next; c < end; {
//		if skip(c) { c = t.Nodes[c].Next; continue }
//		…
//		c++
//	}
//
// Never recurse over a tree: the depth is the author's of the file to choose.
type Tree struct {
	Lang  *Language
	Src   []byte
	Nodes []Node

	// Reread is set when the language's reading of Src is another text, see
	// [Language.SetReading].
	Reread bool

	lines []uint32 // offsets of line starts, made when first needed
}

func (t *Tree) reset(l *Language, src []byte) {
	t.Lang, t.Src = l, src
	t.Nodes = t.Nodes[:0]
	t.lines = t.lines[:0]
}

func (t *Tree) grow(n int) {
	if cap(t.Nodes) < n {
		t.Nodes = make([]Node, 0, n+n/4)
	}
}

// Clone returns a copy that does not depend on the parser. Src is shared.
func (t *Tree) Clone() *Tree {
	return &Tree{Lang: t.Lang, Src: t.Src, Nodes: append([]Node(nil), t.Nodes...)}
}

// Root returns the root, 0.
func (t *Tree) Root() ID { return 0 }

// Kind returns the kind of i.
func (t *Tree) Kind(i ID) Kind { return t.Nodes[i].Kind }

// Is reports whether i is a node of kind k. It is false for None, so that it can
// be asked of the result of a lookup.
func (t *Tree) Is(i ID, k Kind) bool { return i >= 0 && t.Nodes[i].Kind == k }

// Parent returns the parent of i, None for the root.
func (t *Tree) Parent(i ID) ID { return t.Nodes[i].Parent }

// FirstChild returns the first child of i or None.
func (t *Tree) FirstChild(i ID) ID {
	if t.Nodes[i].Next > i+1 {
		return i + 1
	}
	return None
}

// NextSibling returns the next child of i's parent or None.
func (t *Tree) NextSibling(i ID) ID {
	n := &t.Nodes[i]
	if n.Parent >= 0 && n.Next < t.Nodes[n.Parent].Next {
		return n.Next
	}
	return None
}

// IsLeaf reports whether i has no children.
func (t *Tree) IsLeaf(i ID) bool { return t.Nodes[i].Next == i+1 }

// Contains reports whether d is i or below it.
func (t *Tree) Contains(i, d ID) bool { return i <= d && d < t.Nodes[i].Next }

// ChildByField returns the first child of i in the role f or None. It looks at
// the children one by one.
func (t *Tree) ChildByField(i ID, f Field) ID {
	nodes := t.Nodes
	for c, end := i+1, nodes[i].Next; c < end; c = nodes[c].Next {
		if nodes[c].Field == f {
			return c
		}
	}
	return None
}

// ChildOfKind returns the first child of i of kind k or None.
func (t *Tree) ChildOfKind(i ID, k Kind) ID {
	nodes := t.Nodes
	for c, end := i+1, nodes[i].Next; c < end; c = nodes[c].Next {
		if nodes[c].Kind == k {
			return c
		}
	}
	return None
}

// FirstNamed returns the first named child of i that is no comment or other extra, or
// None.
func (t *Tree) FirstNamed(i ID) ID {
	nodes := t.Nodes
	for c, end := i+1, nodes[i].Next; c < end; c = nodes[c].Next {
		if nodes[c].Flags&(Named|Extra) == Named {
			return c
		}
	}
	return None
}

// Children yields the children of i. The plain loop in the doc of Tree is
// faster where it counts.
func (t *Tree) Children(i ID) iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for c, end := i+1, t.Nodes[i].Next; c < end; c = t.Nodes[c].Next {
			if !yield(c) {
				return
			}
		}
	}
}

// NamedChildren yields the named children of i that are no extras.
func (t *Tree) NamedChildren(i ID) iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for c, end := i+1, t.Nodes[i].Next; c < end; c = t.Nodes[c].Next {
			if t.Nodes[c].Flags&(Named|Extra) == Named && !yield(c) {
				return
			}
		}
	}
}

// NamedChild returns the named child of i at a position among those that are no
// extras, or None.
func (t *Tree) NamedChild(i ID, at int) ID {
	for c := range t.NamedChildren(i) {
		if at == 0 {
			return c
		}
		at--
	}
	return None
}

// CountNamed returns how many named children of i are no extras.
func (t *Tree) CountNamed(i ID) int {
	n := 0
	for range t.NamedChildren(i) {
		n++
	}
	return n
}

// ChildrenByField yields the children of i in the role f.
func (t *Tree) ChildrenByField(i ID, f Field) iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for c, end := i+1, t.Nodes[i].Next; c < end; c = t.Nodes[c].Next {
			if t.Nodes[c].Field == f && !yield(c) {
				return
			}
		}
	}
}

// Text returns the source of i. It is a part of Src: copy it to keep it.
func (t *Tree) Text(i ID) []byte {
	n := &t.Nodes[i]
	return t.Src[n.Start:n.End]
}

// String returns the source of i as a new string, "" for None.
func (t *Tree) String(i ID) string {
	if i < 0 {
		return ""
	}
	return string(t.Text(i))
}

// Line returns the 1-based line on which i starts.
func (t *Tree) Line(i ID) int { return int(t.Nodes[i].Row) + 1 }

// Col returns the 1-based column at which i starts, in bytes of UTF-8.
func (t *Tree) Col(i ID) int {
	n := &t.Nodes[i]
	return int(n.Start-t.lineStarts()[n.Row]) + 1
}

// EndLine returns the 1-based line that holds the last byte of i; for an empty
// node that is Line. A node that ends with a newline ends on the line which that
// newline ends.
func (t *Tree) EndLine(i ID) int {
	n := &t.Nodes[i]
	if n.End <= n.Start {
		return int(n.Row) + 1
	}
	lines, last := t.lineStarts(), n.End-1
	// Most nodes end on the line they start on.
	if r := int(n.Row) + 1; r >= len(lines) || last < lines[r] {
		return r
	}
	line, _ := t.Position(last)
	return line
}

// Place returns Line and Col of i; zeros for None.
func (t *Tree) Place(i ID) (line, col int32) {
	if i < 0 {
		return 0, 0
	}
	return int32(t.Nodes[i].Row) + 1, int32(t.Col(i))
}

// Position returns the 1-based line and column of a byte offset. The column is
// in bytes. O(log lines).
func (t *Tree) Position(offset uint32) (line, col int) {
	lines := t.lineStarts()
	line = sort.Search(len(lines), func(i int) bool { return lines[i] > offset })
	return line, int(offset-lines[line-1]) + 1
}

// Lines returns the number of lines: one more than there are newlines.
func (t *Tree) Lines() int { return len(t.lineStarts()) }

func (t *Tree) lineStarts() []uint32 {
	if len(t.lines) == 0 {
		t.scanLines()
	}
	return t.lines
}

func (t *Tree) scanLines() {
	lines := append(t.lines[:0], 0)
	for at := 0; ; {
		n := bytes.IndexByte(t.Src[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
		lines = append(lines, uint32(at))
	}
	t.lines = lines
}

// A Range is a part of a file: byte offsets, and 1-based lines.
type Range struct {
	Start, End uint32
	Line       int
	EndLine    int
	Missing    bool // a token that ought to be here; the range is empty
}

// Errors returns the outermost ranges that the grammar could not parse, and the
// places where the parser put in a missing token, in order. What stands in them
// is unknown. It is nil for a file without syntax errors, at no cost.
func (t *Tree) Errors() []Range {
	var out []Range
	nodes := t.Nodes
	for i := ID(0); int(i) < len(nodes); {
		n := &nodes[i]
		switch {
		case n.Flags&(Error|Missing) != 0:
			out = append(out, Range{n.Start, n.End, t.Line(i), t.EndLine(i), n.Flags&Error == 0})
			i = n.Next
		case n.Flags&HasError == 0:
			i = n.Next
		default:
			i++
		}
	}
	return out
}
