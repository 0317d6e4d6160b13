package artifact

import (
	"io"
	"strconv"

	"github.com/codekg/kg/analyzer/graph"
)

// JSONL writes g as JSON Lines: nodes, edges, unknowns, files and skipped
// languages, told apart by "t", each in the order of the graph. An edge has a
// line for each of its sites. Contains edges are made from the parents of
// nodes; they, and others without a site, have no file, line and col.
//
// Members that are empty or zero are left out, except "t", the ones that
// identify, and "exported" and "test". Lines and columns count from 1; columns
// count UTF-8 bytes.
//
// It takes memory for the keys, and O(n + m) time.
func JSONL(w io.Writer, g *graph.Graph) error {
	x := &jsonlWriter{g: g, w: stickyWriter{w: w}}
	x.l.b = make([]byte, 0, flushAt+1<<12)
	x.quote()
	for i := range g.Nodes {
		x.node(graph.ID(i))
	}
	x.edges()
	for i := range g.Unknowns {
		x.unknown(&g.Unknowns[i])
	}
	for i := range g.Files {
		x.file(&g.Files[i])
	}
	for i := range g.Skipped {
		x.skipped(&g.Skipped[i])
	}
	x.w.write(x.l.b)
	return x.w.err
}

const flushAt = 1 << 16 // bytes

type jsonlWriter struct {
	g     *graph.Graph
	w     stickyWriter
	l     jsonLine
	keys  quotedList // of nodes
	paths quotedList // of files
}

// quotedList holds strings as JSON.
type quotedList struct {
	b    []byte
	ends []int
}

func (q *quotedList) add(s string) {
	q.b = appendString(q.b, s)
	q.ends = append(q.ends, len(q.b))
}

func (q *quotedList) at(i int) []byte {
	lo := 0
	if i > 0 {
		lo = q.ends[i-1]
	}
	return q.b[lo:q.ends[i]]
}

// quote prepares the strings that most lines hold.
func (x *jsonlWriter) quote() {
	for i := range x.g.Nodes {
		x.keys.add(x.g.Nodes[i].Key)
	}
	for i := range x.g.Files {
		x.paths.add(x.g.Files[i].Path)
	}
}

func (x *jsonlWriter) begin(t string) { x.l.b = append(append(append(x.l.b, `{"t":"`...), t...), '"') }

func (x *jsonlWriter) end() {
	x.l.b = append(x.l.b, '}', '\n')
	if len(x.l.b) >= flushAt {
		x.w.write(x.l.b)
		x.l.b = x.l.b[:0]
	}
}

func (x *jsonlWriter) key(name string, n graph.ID) {
	if n != graph.None {
		x.l.quoted(name, x.keys.at(int(n)))
	}
}

func (x *jsonlWriter) node(id graph.ID) {
	n, l := &x.g.Nodes[id], &x.l
	x.begin("node")
	x.key("id", id)
	l.quoted("kind", quotedKinds.at(int(n.Kind)))
	l.name("name")
	l.b = appendString(l.b, n.Name)
	l.name("qname")
	l.b = appendString(l.b, n.QName)
	x.key("parent", n.Parent)
	l.string("lang", n.Lang)
	l.string("file", n.File)
	l.int("def_line", int64(n.DefLine))
	l.int("line", int64(n.Line))
	l.int("col", int64(n.Col))
	l.int("end_line", int64(n.EndLine))
	l.bool("exported", n.Visibility <= graph.Internal)
	l.bool("test", n.Flags.Has(graph.FlagTest))
	l.string("signature", n.Signature.Text)
	// More than is asked for most often.
	l.string("visibility", n.Visibility.String())
	if n.Flags != 0 {
		l.strings("flags", n.Flags.Names())
	}
	l.string("type", n.Signature.Type)
	x.params("type_params", n.Signature.TypeParams)
	x.params("params", n.Signature.Params)
	x.params("results", n.Signature.Results)
	l.strings("bases", n.Signature.Bases)
	l.string("doc", n.Doc)
	l.hash("doc_hash", n.DocHash[:])
	l.hash("body", n.Body[:])
	l.int("tokens", int64(n.Tokens))
	l.int("branches", int64(n.Branches))
	x.variants(n.Variants)
	x.end()
}

func (x *jsonlWriter) params(name string, ps []graph.Param) {
	if len(ps) == 0 {
		return
	}
	l := &x.l
	l.name(name)
	l.b = append(l.b, '[')
	for i := range ps {
		p := &ps[i]
		if i > 0 {
			l.b = append(l.b, ',')
		}
		l.b = append(l.b, '{')
		l.string("name", p.Name)
		l.string("type", p.Type)
		l.yes("variadic", p.Flags&graph.ParamVariadic != 0)
		l.yes("optional", p.Flags&graph.ParamOptional != 0)
		l.yes("keyword_only", p.Flags&graph.ParamKeywordOnly != 0)
		l.yes("positional", p.Flags&graph.ParamPositional != 0)
		l.yes("keywords", p.Flags&graph.ParamKeywords != 0)
		l.b = append(l.b, '}')
	}
	l.b = append(l.b, ']')
}

func (x *jsonlWriter) variants(vs []graph.Variant) {
	if len(vs) == 0 {
		return
	}
	l := &x.l
	l.name("variants")
	l.b = append(l.b, '[')
	for i := range vs {
		v := &vs[i]
		if i > 0 {
			l.b = append(l.b, ',')
		}
		l.b = append(l.b, '{')
		l.string("constraint", v.Constraint)
		l.string("file", v.File)
		l.int("def_line", int64(v.DefLine))
		l.int("line", int64(v.Line))
		l.int("end_line", int64(v.EndLine))
		l.string("signature", v.Signature)
		l.hash("body", v.Body[:])
		l.b = append(l.b, '}')
	}
	l.b = append(l.b, ']')
}

// edges writes the edges of all nodes; those to children come first, as their
// kind does.
func (x *jsonlWriter) edges() {
	nodes := x.g.Nodes
	start := make([]uint32, len(nodes)+2) // children of n: start[n]..start[n+1]
	for i := range nodes {
		if p := nodes[i].Parent; p != graph.None {
			start[p+2]++
		}
	}
	for i := 2; i < len(start); i++ {
		start[i] += start[i-1]
	}
	children := make([]graph.ID, start[len(start)-1])
	for i := range nodes {
		if p := nodes[i].Parent; p != graph.None {
			children[start[p+1]] = graph.ID(i)
			start[p+1]++
		}
	}
	for n := range nodes {
		for _, child := range children[start[n]:start[n+1]] {
			x.edgeStart(&graph.Edge{From: graph.ID(n), To: child, Kind: graph.EdgeContains})
			x.edgeEnd(&graph.Edge{Type: graph.None})
		}
		out := x.g.Out(graph.ID(n))
		for i := range out {
			x.edge(&out[i])
		}
	}
}

func (x *jsonlWriter) edgeStart(e *graph.Edge) {
	x.begin("edge")
	x.l.quoted("kind", quotedEdgeKinds.at(int(e.Kind)))
	x.key("from", e.From)
	x.key("to", e.To)
}

func (x *jsonlWriter) edgeEnd(e *graph.Edge) {
	x.l.quoted("certainty", quotedCertainties.at(int(e.Certainty)))
	x.l.yes("ptr", e.Ptr)
	x.key("type", e.Type)
	x.end()
}

func (x *jsonlWriter) edge(e *graph.Edge) {
	sites := x.g.Sites(e)
	if len(sites) == 0 {
		x.edgeStart(e)
		x.edgeEnd(e)
		return
	}
	l := &x.l
	for i := range sites {
		s := &sites[i]
		x.edgeStart(e)
		l.quoted("file", x.paths.at(int(s.File)))
		l.int("line", int64(s.Line))
		l.int("col", int64(s.Col))
		l.quoted("certainty", quotedCertainties.at(int(e.Certainty)))
		l.yes("ptr", e.Ptr)
		x.key("type", e.Type)
		if s.Args >= 0 {
			x.call(s)
		}
		l.yes("test", s.Flags&graph.SiteTest != 0)
		x.end()
	}
}

// call appends the shape of a call.
func (x *jsonlWriter) call(s *graph.Site) {
	l := &x.l
	l.name("args")
	l.b = strconv.AppendInt(l.b, int64(s.Args), 10)
	if s.Keywords >= 0 {
		l.strings("keywords", x.g.Keywords[s.Keywords])
	}
	l.yes("spread", s.Flags&graph.SiteSpread != 0)
	l.yes("spread_keywords", s.Flags&graph.SiteSpreadKw != 0)
	l.yes("go", s.Flags&graph.SiteGo != 0)
	l.yes("super", s.Flags&graph.SiteSuper != 0)
	x.key("receiver", s.Recv)
	if s.Want == graph.WantAll {
		l.string("want", "all")
	} else {
		l.int("want", int64(s.Want))
	}
}

func (x *jsonlWriter) unknown(u *graph.Unknown) {
	x.begin("unknown")
	x.l.string("reason", u.Reason.String())
	x.l.string("file", u.File)
	x.l.int("line", int64(u.Line))
	x.l.int("end_line", int64(u.EndLine))
	x.l.string("detail", u.Detail)
	x.l.int("count", int64(u.Count))
	x.end()
}

func (x *jsonlWriter) file(f *graph.File) {
	x.begin("file")
	x.l.name("path")
	x.l.b = appendString(x.l.b, f.Path)
	x.l.string("lang", f.Lang)
	x.key("node", f.Node)
	x.l.int("size", f.Size)
	x.l.hex("sha256", f.Hash[:])
	x.end()
}

func (x *jsonlWriter) skipped(s *graph.Skipped) {
	x.begin("skipped")
	x.l.name("lang")
	x.l.b = appendString(x.l.b, s.Lang)
	x.l.int("files", int64(s.Files))
	x.l.int("bytes", s.Bytes)
	x.end()
}

var (
	quotedKinds       = quotedEnum(graph.KindCount, func(i int) string { return graph.Kind(i).String() })
	quotedEdgeKinds   = quotedEnum(graph.EdgeKindCount, func(i int) string { return graph.EdgeKind(i).String() })
	quotedCertainties = quotedEnum(graph.CertaintyCount, func(i int) string { return graph.Certainty(i).String() })
)

func quotedEnum(n int, name func(i int) string) *quotedList {
	q := &quotedList{}
	for i := range n {
		q.add(name(i))
	}
	return q
}
