package artifact

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// SCIP writes g as an index of the Source Code Intelligence Protocol
// (https://github.com/sourcegraph/scip), with a document for each file, the
// definitions in it and the uses that have a column. Symbols are of the scheme
// "kg", with the language as the manager and the package or module path as the
// package. Text is not in it.
func SCIP(w io.Writer, g *graph.Graph) error {
	x := &scipWriter{g: g, symbols: make([]string, len(g.Nodes))}
	x.nameAll()
	b := bufio.NewWriterSize(w, flushAt)
	var index, meta, tool protoMessage
	tool.string(1, "kg")
	tool.string(2, "0")
	meta.message(2, &tool)
	meta.string(3, "file:///")
	meta.uint(4, 1) // texts are UTF-8
	index.message(1, &meta)
	b.Write(index.b)
	defs, uses := x.places()
	for f := range g.Files {
		index.b = index.b[:0]
		index.message(2, x.document(f, defs[f], uses[f]))
		b.Write(index.b)
	}
	for i := range g.Nodes {
		if g.Nodes[i].Kind == graph.KindExternal && x.symbols[i] != "" {
			index.b = index.b[:0]
			index.message(3, x.information(graph.ID(i)))
			b.Write(index.b)
		}
	}
	return b.Flush()
}

// protoMessage is a message in the encoding of Protocol Buffers.
type protoMessage struct{ b []byte }

func (m *protoMessage) uint(field int, v uint64) {
	if v != 0 {
		m.b = binary.AppendUvarint(binary.AppendUvarint(m.b, uint64(field)<<3), v)
	}
}

func (m *protoMessage) string(field int, s string) {
	m.b = binary.AppendUvarint(binary.AppendUvarint(m.b, uint64(field)<<3|2), uint64(len(s)))
	m.b = append(m.b, s...)
}

func (m *protoMessage) message(field int, x *protoMessage) {
	m.b = binary.AppendUvarint(binary.AppendUvarint(m.b, uint64(field)<<3|2), uint64(len(x.b)))
	m.b = append(m.b, x.b...)
}

func (m *protoMessage) packed(field int, vs ...int32) {
	var list []byte
	for _, v := range vs {
		list = binary.AppendUvarint(list, uint64(v))
	}
	m.b = binary.AppendUvarint(binary.AppendUvarint(m.b, uint64(field)<<3|2), uint64(len(list)))
	m.b = append(m.b, list...)
}

// The roles of occurrences that are told.
const (
	scipDefinition = 1
	scipWrite      = 4
	scipRead       = 8
	scipGenerated  = 16
	scipTest       = 32
)

type occurrence struct {
	line, col, end int32 // from 0
	symbol         string
	role           uint64
}

type scipWriter struct {
	g       *graph.Graph
	symbols []string // of nodes; empty: has none
}

// places returns the nodes that each file defines, and the uses in it.
func (x *scipWriter) places() (defs [][]graph.ID, uses [][]occurrence) {
	g := x.g
	defs, uses = make([][]graph.ID, len(g.Files)), make([][]occurrence, len(g.Files))
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Line == 0 || n.Col == 0 || n.Name == "" || x.symbols[i] == "" {
			continue
		}
		if f := g.FileIndex(n.File); f >= 0 {
			defs[f] = append(defs[f], graph.ID(i))
		}
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		to := &g.Nodes[e.To]
		if x.symbols[e.To] == "" || e.Kind == graph.EdgeImports || to.Name == "" {
			continue
		}
		role := uint64(0)
		switch e.Kind {
		case graph.EdgeReads:
			role = scipRead
		case graph.EdgeWrites:
			role = scipWrite
		case graph.EdgeCalls, graph.EdgeReferences, graph.EdgeUsesType, graph.EdgeInstantiates, graph.EdgeExtends, graph.EdgeEmbeds, graph.EdgeAnnotates:
		default:
			continue // its place is not that of a name
		}
		for _, s := range g.Sites(e) {
			if s.Col == 0 || s.Line == 0 {
				continue
			}
			r := role
			if s.Flags&graph.SiteTest != 0 {
				r |= scipTest
			}
			uses[s.File] = append(uses[s.File], occurrence{s.Line - 1, s.Col - 1, s.Col - 1 + int32(len(to.Name)), x.symbols[e.To], r})
		}
	}
	return defs, uses
}

func (x *scipWriter) document(f int, defs []graph.ID, list []occurrence) *protoMessage {
	g := x.g
	file := &g.Files[f]
	var doc protoMessage
	doc.string(1, file.Path)
	doc.string(4, file.Lang)
	doc.uint(6, 1) // columns count UTF-8 bytes
	for _, id := range defs {
		n := &g.Nodes[id]
		role := uint64(scipDefinition)
		if n.Flags.Has(graph.FlagTest) {
			role |= scipTest
		}
		if n.Flags.Has(graph.FlagGenerated) {
			role |= scipGenerated
		}
		list = append(list, occurrence{n.Line - 1, n.Col - 1, n.Col - 1 + int32(len(n.Name)), x.symbols[id], role})
	}
	slices.SortFunc(list, func(a, b occurrence) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.col, b.col), cmp.Compare(a.end, b.end), strings.Compare(a.symbol, b.symbol))
	})
	var o protoMessage
	for i := 0; i < len(list); {
		at := list[i]
		// One place may use a name in several ways.
		for i++; i < len(list) && list[i].line == at.line && list[i].col == at.col && list[i].symbol == at.symbol; i++ {
			at.role |= list[i].role
		}
		o.b = o.b[:0]
		o.packed(1, at.line, at.col, at.end)
		o.string(2, at.symbol)
		o.uint(3, at.role)
		doc.message(2, &o)
	}
	slices.SortFunc(defs, func(a, b graph.ID) int { return strings.Compare(x.symbols[a], x.symbols[b]) })
	for _, id := range defs {
		doc.message(3, x.information(id))
	}
	return &doc
}

func (x *scipWriter) information(id graph.ID) *protoMessage {
	n := &x.g.Nodes[id]
	var m protoMessage
	m.string(1, x.symbols[id])
	if n.Signature.Text != "" {
		m.string(3, "```"+n.Lang+"\n"+n.Signature.Text+"\n```")
	}
	if n.Doc != "" {
		m.string(3, n.Doc)
	}
	for _, k := range [...]graph.EdgeKind{graph.EdgeExtends, graph.EdgeImplements, graph.EdgeOverrides} {
		for _, e := range x.g.OutKind(id, k) {
			if s := x.symbols[e.To]; s != "" {
				var rel protoMessage
				rel.string(1, s)
				rel.uint(2, 1) // who looks for uses of the one wants those of the other
				rel.uint(3, 1)
				m.message(4, &rel)
			}
		}
	}
	m.uint(5, scipKinds[n.Kind])
	m.string(6, n.Name)
	if p := n.Parent; p != graph.None && x.symbols[p] != "" && !x.g.Nodes[p].Kind.IsContainer() {
		m.string(8, x.symbols[p])
	}
	return &m
}

var scipKinds = [graph.KindCount]uint64{
	graph.KindModule: 29, graph.KindPackage: 35, graph.KindFile: 16, graph.KindNamespace: 30, graph.KindClass: 7, graph.KindStruct: 49,
	graph.KindInterface: 21, graph.KindEnum: 11, graph.KindTypeAlias: 55, graph.KindFunction: 17, graph.KindMethod: 26,
	graph.KindConstructor: 9, graph.KindField: 15, graph.KindConstant: 8, graph.KindVariable: 61, graph.KindEnumMember: 12,
}

// nameAll gives each node its symbol, what contains it first.
func (x *scipWriter) nameAll() {
	named := make([]bool, len(x.symbols))
	var chain []graph.ID
	for i := range x.symbols {
		chain = chain[:0]
		for id := graph.ID(i); id != graph.None && !named[id]; id = x.g.Nodes[id].Parent {
			chain = append(chain, id)
		}
		for k := len(chain) - 1; k >= 0; k-- {
			id := chain[k]
			x.symbols[id], named[id] = x.symbol(id), true
		}
	}
}

// symbol returns the symbol of a declaration, or of an external one. That of what
// contains it is there.
func (x *scipWriter) symbol(id graph.ID) string {
	n := &x.g.Nodes[id]
	if n.Kind.IsContainer() || n.Kind == graph.KindRoute {
		return ""
	}
	pkg, name := graph.SplitKey(strings.TrimPrefix(n.Key, "ext:"))
	lang, path, ok := strings.Cut(pkg, ":")
	if name == "" || !ok {
		return ""
	}
	var b strings.Builder
	inside := false
	if p := n.Parent; p != graph.None && x.symbols[p] != "" {
		// Names hold any characters where tests are named in words, so that a key
		// cannot be taken apart at its points.
		if rest, ok := strings.CutPrefix(n.Key, x.g.Nodes[p].Key+"."); ok {
			b.WriteString(x.symbols[p])
			name, inside = rest, true
		}
	}
	if !inside {
		escape := func(s string) string {
			if s == "" {
				return "."
			}
			return strings.ReplaceAll(s, " ", "  ")
		}
		b.WriteString("kg " + escape(lang) + " " + escape(path) + " . ")
		if file, rest, ok := strings.Cut(name, "::"); ok && file != "" && rest != "" {
			b.WriteString(scipName(file) + "/")
			name = rest
		}
	}
	// An overload, and the number of a second declaration with the same key,
	// tell apart.
	apart := ""
	if rest, ok := strings.CutPrefix(name, n.Name); ok && n.Name != "" {
		name, apart = n.Name, rest
	} else if n.Parent == graph.None {
		parts := strings.Split(name, ".")
		for _, p := range parts[:len(parts)-1] {
			b.WriteString(scipName(p) + "#")
		}
		name = parts[len(parts)-1]
	}
	switch {
	case n.Kind.IsCallable():
		b.WriteString(scipName(name) + "(" + simpleName(apart) + ").")
	case n.Kind.IsType():
		b.WriteString(scipName(name+simpleName(apart)) + "#")
	default:
		b.WriteString(scipName(name+simpleName(apart)) + ".")
	}
	return b.String()
}

func isSimple(c byte) bool {
	return c == '_' || c == '+' || c == '-' || c == '$' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// scipName writes a name as SCIP wants it: in back quotes if it has other
// characters than those of identifiers.
func scipName(s string) string {
	for i := range len(s) {
		if !isSimple(s[i]) {
			return "`" + strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "`", "``") + "`"
		}
	}
	if s == "" {
		return "_" // a name has a character at least
	}
	return s
}

// simpleName keeps the characters that a disambiguator may have.
func simpleName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x80 && isSimple(byte(r)):
			return r
		case r == '~':
			return '+'
		case r == '(' || r == ')':
			return -1
		}
		return '_'
	}, s)
}
