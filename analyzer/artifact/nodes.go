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

// has returns what node i has. The body of a file's node is what the file has as its
// hash, unless the bit says that it is another.
func (e *encoder) has(i int) byte {
	n := &e.c.Nodes[i]
	var b byte
	set := func(ok bool, bit byte) {
		if ok {
			b |= bit
		}
	}
	set(!n.DocHash.IsZero(), hasDocHash)
	if f := e.fileOf[i]; f > 0 {
		set(n.Body != contentHash(&e.c.Files[f-1]), hasBody)
	} else {
		set(!n.Body.IsZero(), hasBody)
	}
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
// the node before, its parent, and so on. parents holds at least those of the
// nodes before i.
func nearParent(parents []graph.ID, i int, k uint32) graph.ID {
	p := graph.ID(i - 1)
	for ; k > 0 && p != graph.None && int(p) < i; k-- {
		p = parents[p]
	}
	return p
}

// parentCode returns how the parent of node i is written: as the number of
// steps up from the node before, or, from nearParents on, as an id.
func parentCode(parents []graph.ID, i int) uint64 {
	for k := range uint32(nearParents) {
		if nearParent(parents, i, k) == parents[i] {
			return uint64(k)
		}
	}
	return nearParents + uint64(parents[i]+1)
}

// lineBase returns what the line of node i is written relative to: the line of
// a parent in the same file, if that comes before.
func lineBase[T int32 | uint32](parents []graph.ID, files, lines []T, i int) T {
	if p := parents[i]; p >= 0 && int(p) < i && files[p] == files[i] {
		return lines[p]
	}
	return 0
}

func (e *encoder) encodeNodes() []byte {
	var kind, parent, file, defLine, line, col, endLine, vis, flags, tokens, hasCol column
	nodes := e.c.Nodes
	parents, lines := make([]graph.ID, len(nodes)), make([]int32, len(nodes))
	for i := range nodes {
		parents[i], lines[i] = nodes[i].Parent, nodes[i].Line
	}
	last := int32(0)
	for i := range nodes {
		n := &nodes[i]
		kind.byte(byte(n.Kind))
		parent.uint(parentCode(parents, i))
		file.int(int64(e.nodeFiles[i]) - int64(last))
		last = e.nodeFiles[i]
		line.int(int64(n.Line) - int64(lineBase(parents, e.nodeFiles, lines, i)))
		defLine.int(int64(n.Line) - int64(n.DefLine))
		endLine.int(int64(n.EndLine) - int64(n.Line))
		col.uint(uint64(n.Col))
		vis.byte(byte(n.Visibility))
		flags.uint(uint64(n.Flags))
		tokens.uint(uint64(n.Tokens))
		hasCol.byte(e.has(i))
	}
	return joinColumns(&kind, &parent, &file, &line, &defLine, &endLine, &col, &vis, &flags, &tokens, &hasCol)
}

// fixed holds the fixed-size fields of all nodes.
type fixed struct {
	kind, vis, has              []byte
	parent                      []graph.ID
	file                        []int32 // as of fileRef
	line, defLine               []int32
	endLine, col, flags, tokens []uint32 // endLine: zigzag from line
}

// decodeNodes reads the section of nodes; it makes no nodes yet.
func (d *decoder) decodeNodes(content []byte) error {
	var kind, parent, file, line, defLine, endLine, col, vis, flags, tokens, hasCol cursor
	err := splitColumns(content, &kind, &parent, &file, &line, &defLine, &endLine, &col, &vis, &flags, &tokens, &hasCol)
	if err != nil {
		return err
	}
	count := len(kind.b)
	if uint64(count) != d.counts.nodes || len(vis.b) != count || len(hasCol.b) != count {
		return errCount
	}
	f := &d.fixed
	f.kind, f.vis, f.has = kind.b, vis.b, hasCol.b
	var parents, files, lines, defLines []uint32
	if err := readNumbers(
		numberColumn{&parent, count, &parents}, numberColumn{&file, count, &files},
		numberColumn{&line, count, &lines}, numberColumn{&defLine, count, &defLines},
		numberColumn{&endLine, count, &f.endLine}, numberColumn{&col, count, &f.col},
		numberColumn{&flags, count, &f.flags}, numberColumn{&tokens, count, &f.tokens}); err != nil {
		return err
	}
	f.parent = make([]graph.ID, count)
	f.file, f.line, f.defLine = make([]int32, count), make([]int32, count), make([]int32, count)
	lastFile, ok := int32(0), true
	for i, p := range parents {
		if p < nearParents {
			f.parent[i] = nearParent(f.parent, i, p)
		} else if p -= nearParents; p <= uint32(count) {
			f.parent[i] = graph.ID(p) - 1
		} else {
			return errRange
		}
		lastFile = natural(int64(lastFile)+unzigzag(files[i]), &ok)
		f.file[i] = lastFile
		f.line[i] = natural(int64(lineBase(f.parent, f.file, f.line, i))+unzigzag(lines[i]), &ok)
		f.defLine[i] = natural(int64(f.line[i])-unzigzag(defLines[i]), &ok)
	}
	if !ok {
		return errRange
	}
	return nil
}

// assemble makes the nodes from all their sections. It goes over the nodes
// once: they are by far the largest thing in memory.
func (d *decoder) assemble(r *reader) error {
	var names nameReader
	var sigs signatureReader
	var text textReader
	hashes := hashReader{version: d.version}
	steps := []step{{tagNames, func(b []byte) error { return names.open(d, b) }}}
	if !d.bare {
		steps = append(steps,
			step{tagSignatures, func(b []byte) error { return sigs.open(d, b) }},
			step{tagText, func(b []byte) error { return text.open(d, b) }},
			step{tagHashes, hashes.open})
	}
	if err := r.sections(nil, steps...); err != nil {
		return err
	}
	f, ok := &d.fixed, true
	d.nodes = makeLarge[graph.Node](len(f.kind))
	for i := range d.nodes {
		n := &d.nodes[i]
		n.Kind, n.Visibility = graph.Kind(f.kind[i]), graph.Visibility(f.vis[i])
		n.Parent = f.parent[i]
		n.Line, n.DefLine = f.line[i], f.defLine[i]
		n.EndLine = natural(int64(n.Line)+unzigzag(f.endLine[i]), &ok)
		n.Col, n.Tokens = int32(f.col[i]), int32(f.tokens[i])
		n.Flags = graph.Flags(f.flags[i])
		names.next(i, n)
		if d.bare {
			continue
		}
		text.next(i, n)
		if h := f.has[i]; h != 0 {
			hashes.next(h, n)
			sigs.next(h, n)
		}
	}
	if !ok {
		return graphForm.corrupt(tagNodes, errRange)
	}
	if err := names.finish(); err != nil {
		return graphForm.corrupt(tagNames, err)
	}
	if d.bare {
		return nil
	}
	if err := sigs.finish(); err != nil {
		return graphForm.corrupt(tagSignatures, err)
	}
	if err := text.finish(); err != nil {
		return graphForm.corrupt(tagText, err)
	}
	if err := hashes.finish(); err != nil {
		return graphForm.corrupt(tagHashes, err)
	}
	for i := range d.files {
		file := &d.files[i]
		if n := file.Node; d.version >= 4 && uint(n) < uint(len(d.nodes)) && d.nodes[n].Kind == graph.KindFile && f.has[n]&hasBody == 0 {
			d.nodes[n].Body = contentHash(file)
		}
	}
	return r.sections(nil, step{tagVariants, d.decodeVariants}, step{tagBranches, d.decodeBranches})
}

// encodeBranches makes the section of branches: for each node that has some, the
// distance to the one before, and how many.
func (e *encoder) encodeBranches() []byte {
	var node, count column
	last := -1
	for i := range e.c.Nodes {
		if n := e.c.Nodes[i].Branches; n != 0 {
			node.uint(uint64(i - last))
			count.uint(uint64(n))
			last = i
		}
	}
	return joinColumns(&node, &count)
}

func (d *decoder) decodeBranches(content []byte) error {
	var node, count cursor
	if err := splitColumns(content, &node, &count); err != nil {
		return err
	}
	for at := uint64(0); node.left() > 0; {
		n := node.upto(d.counts.nodes)
		at += n
		if n == 0 || at > d.counts.nodes {
			return errRange
		}
		d.nodes[at-1].Branches = int32(count.natural())
	}
	return finish(&node, &count)
}

// natural returns v if it is a number that is not negative and fits an int32;
// else it returns 0 and sets ok to false.
func natural(v int64, ok *bool) int32 {
	if v < 0 || v > 1<<31-1 {
		*ok = false
		return 0
	}
	return int32(v)
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
		return d.str(uint32(ref - n - 1))
	}
}
