package golang

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// What hashes stand for:
//
//	function, method    the block; so too of a variable that holds a function literal
//	type                the specification without fields and methods
//	field               the tag
//	variable            the initial value; with its position where several share one
//	constant            the value that takes effect, with its position in the
//	                    group where it depends on iota
//
// Types of fields, variables and parameters are no part of them: they are in
// signatures. The declaration's own name is replaced, so that renaming alone
// changes no hash.
//
// Comments that change the program are part of the hash of the declaration
// which they stand before, or in: //export NAME and the compiler's //go:
// directives (embed, linkname, noinline, nosplit, norace, uintptrescapes,
// notinheap, wasmimport, wasmexport, cgo_…). A //go:linkname that stands
// elsewhere counts to the declaration that it names. The preamble of import "C"
// is part of the hash of the declarations that use C. Not part of any: //go:build
// (it is the file's constraint), //go:generate, //go:fix and //go:debug, which
// the compiler does not read here, and //line, which moves positions only.

var hashRules syntax.HashRules

func newHashRules(g *syntax.Language) syntax.HashRules {
	ignore := g.Tokens(";", "", ",")
	ignore.Add(g.Kind("empty_statement"))
	branch := g.Tokens("&&", "||")
	branch.Add(g.Kind("if_statement"), g.Kind("for_statement"), g.Kind("expression_case"), g.Kind("type_case"), g.Kind("communication_case"))
	return syntax.HashRules{
		Ignore: ignore,
		Whole:  g.Kinds("interpreted_string_literal", "raw_string_literal"),
		Branch: branch,
		Pragma: isPragma,
	}
}

// isPragma reports whether a comment changes what the program does.
func isPragma(comment []byte) bool {
	if bytes.HasPrefix(comment, []byte("//export ")) {
		return true
	}
	rest, ok := bytes.CutPrefix(comment, []byte("//go:"))
	if !ok || len(rest) == 0 {
		return false
	}
	word, _, _ := bytes.Cut(rest, []byte(" "))
	switch string(bytes.TrimSpace(word)) {
	case "build", "generate", "fix", "debug":
		return false
	}
	return true
}

// digest returns the digest of the texts of comments.
func (e *extractor) digest(list []syntax.ID) [16]byte {
	e.hasher.Reset(e.t, &hashRules)
	for _, i := range list {
		e.hasher.Bytes(bytes.TrimSpace(e.t.Text(i)))
	}
	return e.hasher.Sum().Hash
}

// pragmas reads the directives among the comments into n. A //go:linkname
// counts to the name that it is about, wherever it stands.
func (e *extractor) pragmas(doc comments, n *notes) {
	base := len(e.members)
	for i := doc.from; i <= doc.last; i = e.nodes[i].Next {
		text := e.t.Text(i)
		if classOf(e.nodes[i].Kind) != classComment || !isPragma(text) || bytes.HasPrefix(text, linknamePrefix) {
			continue
		}
		if bytes.HasPrefix(text, []byte("//export ")) || bytes.HasPrefix(text, []byte("//go:wasmexport ")) {
			n.entry = true
		}
		e.members = append(e.members, i)
	}
	if n.pragmas = len(e.members) > base; n.pragmas {
		n.pragma = e.digest(e.members[base:])
	}
	e.members = e.members[:base]
}

// startHash begins the hash of the declaration d with the directives that are
// part of it, and reports whether there are any.
func (e *extractor) startHash(d facts.DeclID, n *notes) (any bool) {
	h, p := &e.hasher, &e.b.Decls[d]
	h.Reset(e.t, &hashRules)
	if any = n.pragmas; any {
		h.Bytes(n.pragma[:])
	}
	if e.linknames != nil && e.owner == d && p.Owner == 0 {
		if sum, ok := e.linknames[e.b.Strings[p.Name]]; ok {
			h.Bytes(sum[:])
			any = true
			if p.Flags&graph.FlagNoBody == 0 {
				p.Flags |= graph.FlagCalledOutside
			}
		}
	}
	if e.preamble.used {
		h.Bytes(e.preamble.sum[:])
	}
	return any
}

// hashCode sets the hash of d to that of the code at node i and of the
// directives before it.
func (e *extractor) hashCode(d facts.DeclID, n *notes, i syntax.ID) {
	if i == syntax.None && !n.pragmas && e.linknames == nil {
		return
	}
	any := e.startHash(d, n)
	if i == syntax.None && !any {
		return
	}
	if i != syntax.None {
		e.hasher.Node(i, syntax.Edits{Names: e.selfUses(i)})
	}
	e.store(d)
}

// hashShared is hashCode for value k of the several values of node i.
func (e *extractor) hashShared(d facts.DeclID, n *notes, i syntax.ID, k int) {
	v := e.value(i)
	e.startHash(d, n)
	e.hasher.Bytes(v.sum[:])
	e.hasher.Bytes(binary.AppendUvarint(nil, uint64(k)))
	e.store(d)
	e.b.Decls[d].Tokens, e.b.Decls[d].Branches = v.tokens, v.branches
}

// hashConst sets the hash of the constant d, which has the value at node i.
func (e *extractor) hashConst(d facts.DeclID, n *notes, i syntax.ID) {
	v := e.value(i)
	e.startHash(d, n)
	e.hasher.Bytes(v.sum[:])
	if v.iota {
		e.hasher.Bytes(binary.AppendUvarint(nil, uint64(e.b.Decls[d].Ordinal)))
	}
	e.store(d)
	e.b.Decls[d].Tokens, e.b.Decls[d].Branches = v.tokens, v.branches
}

func (e *extractor) hashType(d facts.DeclID, n *notes, spec syntax.ID, members []syntax.ID) {
	e.startHash(d, n)
	name := e.child(spec, fieldName)
	e.self.uses = append(e.self.uses, name)
	e.hasher.Node(spec, syntax.Edits{Names: e.selfUses(spec), Skip: members})
	e.store(d)
}

func (e *extractor) store(d facts.DeclID) {
	sum := e.hasher.Sum()
	p := &e.b.Decls[d]
	p.Body = graph.Hash(sum.Hash)
	p.Tokens, p.Branches = int32(sum.Tokens), int32(sum.Branches)
	for k := range p.MinHash {
		p.MinHash[k] = binary.LittleEndian.Uint32(sum.Sketch[4*k:])
	}
}

// selfUses returns the places inside of node i where the open declaration
// names itself.
func (e *extractor) selfUses(i syntax.ID) []syntax.ID {
	slices.Sort(e.self.uses)
	lo, _ := slices.BinarySearch(e.self.uses, i)
	hi, _ := slices.BinarySearch(e.self.uses, e.nodes[i].Next)
	return e.self.uses[lo:hi]
}

// valueDigest is the digest of a value that several names share.
type valueDigest struct {
	sum      [16]byte
	tokens   int32
	branches int32
	iota     bool // it depends on the position in the group
}

// value returns the digest of the value at node i, which is computed once.
func (e *extractor) value(i syntax.ID) valueDigest {
	if v, ok := e.digests[i]; ok {
		return v
	}
	d := e.hasher.Hash(e.t, i, &hashRules, syntax.Edits{})
	v := valueDigest{sum: d.Hash, tokens: int32(d.Tokens), branches: int32(d.Branches)}
	for c := i; c < e.nodes[i].Next; c++ {
		if e.nodes[c].Kind == kindIota {
			v.iota = true
			break
		}
	}
	if e.digests == nil {
		e.digests = map[syntax.ID]valueDigest{}
	}
	e.digests[i] = v
	return v
}
