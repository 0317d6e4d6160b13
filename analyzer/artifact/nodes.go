package artifact

import (
	"github.com/codekg/kg/analyzer/graph"
)

// What a node has beyond its fixed fields: the bits of the column "has".
const (
	hasDocHash = 1 << iota
	hasBody
	hasMinHash
	hasVariants
	hasTypeParams
	hasParams
	hasResults
	hasBases
)

func has(n *graph.Node) byte {
	var b byte
	set := func(ok bool, bit byte) {
		if ok {
			b |= bit
		}
	}
	set(!n.DocHash.IsZero(), hasDocHash)
	set(!n.Body.IsZero(), hasBody)
	set(n.MinHash != graph.MinHash{}, hasMinHash)
	set(len(n.Variants) > 0, hasVariants)
	set(len(n.Signature.TypeParams) > 0, hasTypeParams)
	set(len(n.Signature.Params) > 0, hasParams)
	set(len(n.Signature.Results) > 0, hasResults)
	set(len(n.Signature.Bases) > 0, hasBases)
	return b
}

// nearParents is the number of ancestors of the node before that a parent is
// looked for among.
const nearParents = 6

// nearParent returns the kth of the nodes that are likely parents of node i:
// the node before, its parent, and so on.
func nearParent(nodes []graph.Node, i int, k uint64) graph.ID {
	p := graph.ID(i - 1)
	for ; k > 0 && p != graph.None && int(p) < i; k-- {
		p = nodes[p].Parent
	}
	return p
}

// parentCode returns how the parent of node i is written: as the number of
// steps up from the node before, or, above nearParents, as an id.
func parentCode(nodes []graph.Node, i int) uint64 {
	for k := range uint64(nearParents) {
		if nearParent(nodes, i, k) == nodes[i].Parent {
			return k
		}
	}
	return nearParents + uint64(nodes[i].Parent+1)
}

// lineBase returns what the line of node i is written relative to.
func lineBase(nodes []graph.Node, files []int32, i int) int32 {
	if p := nodes[i].Parent; p >= 0 && int(p) < i && files[p] == files[i] {
		return nodes[p].Line
	}
	return 0
}

func (e *encoder) encodeNodes() []byte {
	var kind, parent, file, defLine, line, col, endLine, vis, flags, tokens, hasCol column
	nodes := e.c.Nodes
	last := int32(0)
	for i := range nodes {
		n := &nodes[i]
		kind.byte(byte(n.Kind))
		parent.uint(parentCode(nodes, i))
		file.int(int64(e.nodeFiles[i]) - int64(last))
		last = e.nodeFiles[i]
		line.int(int64(n.Line) - int64(lineBase(nodes, e.nodeFiles, i)))
		defLine.int(int64(n.Line) - int64(n.DefLine))
		endLine.int(int64(n.EndLine) - int64(n.Line))
		col.int(int64(n.Col))
		vis.byte(byte(n.Visibility))
		flags.uint(uint64(n.Flags))
		tokens.int(int64(n.Tokens))
		hasCol.byte(has(n))
	}
	return joinColumns(&kind, &parent, &file, &line, &defLine, &endLine, &col, &vis, &flags, &tokens, &hasCol)
}

// decodeNodes restores the fixed-size fields.
func (d *decoder) decodeNodes(content []byte) error {
	var kind, parent, file, line, defLine, endLine, col, vis, flags, tokens, hasCol cursor
	err := splitColumns(content, &kind, &parent, &file, &line, &defLine, &endLine, &col, &vis, &flags, &tokens, &hasCol)
	if err != nil {
		return err
	}
	count := len(kind.b)
	if uint64(count) != d.counts.nodes {
		return errCount
	}
	nodes := make([]graph.Node, count)
	d.nodes, d.nodeFiles, d.has = nodes, make([]int32, count), hasCol.b
	last := int32(0)
	for i := range nodes {
		n := &nodes[i]
		n.Kind = graph.Kind(kind.b[i])
		if p := parent.uint(); p < nearParents {
			n.Parent = nearParent(nodes, i, p)
		} else if p -= nearParents; p <= uint64(count) {
			n.Parent = graph.ID(p) - 1
		} else {
			return errRange
		}
		last = file.delta(last)
		d.nodeFiles[i] = last
		n.Line = line.delta(lineBase(nodes, d.nodeFiles, i))
		n.DefLine = int32(int64(n.Line) - defLine.int())
		n.EndLine = int32(int64(n.Line) + endLine.int())
		n.Col = int32(col.int())
		n.Visibility = graph.Visibility(vis.byte())
		n.Flags = graph.Flags(flags.uint())
		n.Tokens = int32(tokens.int())
	}
	kind.i = len(kind.b)
	if len(hasCol.b) != count {
		return errCount
	}
	hasCol.i = count
	return finish(&kind, &parent, &file, &line, &defLine, &endLine, &col, &vis, &flags, &tokens, &hasCol)
}

// fileRef writes a path as the index of its file plus one, or, for a path
// that is not of an analysed file, as a string after all files. 0 is no path.
func (e *encoder) fileRef(path string) int32 {
	if path == "" {
		return 0
	}
	if i, ok := e.fileIndex[path]; ok {
		return i + 1
	}
	return int32(len(e.c.Files)) + 1 + int32(e.strings.id(path))
}

// path is the inverse of fileRef.
func (d *decoder) path(ref int32) (string, bool) {
	switch n := int32(len(d.files)); {
	case ref == 0:
		return "", true
	case ref <= n:
		return d.files[ref-1].Path, true
	default:
		return d.str(uint64(ref - n - 1))
	}
}
