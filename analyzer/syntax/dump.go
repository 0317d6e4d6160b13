package syntax

import (
	"bufio"
	"io"
	"strconv"
)

// Dump writes the subtree of root as an S-expression, one node a line, indented
// by depth, with fields, 1-based lines and columns, and the text of leaves:
//
//	(call_expression 3:2-3:7
//	  function: (identifier 3:2-3:5 "foo")
//	  arguments: (argument_list 3:5-3:7
//	    "(" 3:5-3:6
//	    ")" 3:6-3:7))
//
// Anonymous nodes are shown as quoted text. It is meant for tests and for those
// who write extractors.
func Dump(w io.Writer, t *Tree, root ID) error {
	b := bufio.NewWriter(w)
	depth := 0
	position := func(off uint32) {
		line, col := t.Position(off)
		b.WriteString(strconv.Itoa(line))
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(col))
	}
	end := t.Nodes[root].Next
	for i := root; i < end; i++ {
		n := &t.Nodes[i]
		for range depth {
			b.WriteString("  ")
		}
		if n.Field != 0 {
			b.WriteString(t.Lang.FieldName(n.Field))
			b.WriteString(": ")
		}
		name, leaf := t.Lang.KindName(n.Kind), n.Next == i+1
		if n.Named() {
			b.WriteByte('(')
			b.WriteString(name)
		} else {
			b.WriteString(strconv.Quote(name))
		}
		if n.Flags&Missing != 0 {
			b.WriteString(" MISSING")
		}
		b.WriteByte(' ')
		position(n.Start)
		b.WriteByte('-')
		position(n.End)
		if leaf && n.Named() {
			b.WriteByte(' ')
			b.WriteString(strconv.Quote(string(t.Text(i))))
			b.WriteByte(')')
		}
		if !leaf {
			depth++
		}
		// Close the parents that end here.
		for p := n.Parent; leaf && p >= root && t.Nodes[p].Next == i+1; p = t.Nodes[p].Parent {
			depth--
			if t.Nodes[p].Named() {
				b.WriteByte(')')
			}
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}
