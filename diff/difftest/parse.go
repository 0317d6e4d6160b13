// Package difftest reads graphs from a short notation, for tests of what
// works on graphs. One line is one node or one edge; indentation is nesting:
//
//	package go:m/p
//	  interface #Store a.go:3-6
//	    method .Get a.go:4 params=key:string results=string abstract
//	  function #Load b.go:10-14 body=2 tokens=30 vis=private test
//	    -> calls #Store.Get :12 args=1 want=1 recv=#Cache
//	    -> converts #Store :13 type=#Mem
//	function go:m/q#Main q.go:1-9
//	  -> calls go:m/p#Load q.go:5 kw=key inferred
//	unknown syntax_error a.go 7-9 what it is about
//	skipped ruby 12
//
// A key that begins with '#' continues the key of the package above, one that
// begins with '.' or '(' the key of the node above. Nodes that edges name and
// nothing declares are externals. A file's hash is that of the lines about it,
// positions included; "file PATH hash=TEXT" sets another.
package difftest

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// Parse returns the graph that text describes.
func Parse(text string) (*graph.Graph, error) {
	p := &parser{ids: map[string]graph.ID{}, files: map[string]*file{}}
	for i, line := range strings.Split(text, "\n") {
		if t := strings.TrimSpace(line); t == "" || strings.HasPrefix(t, "//") {
			continue
		}
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	if err := p.link(); err != nil {
		return nil, err
	}
	return p.b.Build(), nil
}

type parser struct {
	b     graph.Builder
	ids   map[string]graph.ID
	files map[string]*file
	stack []open
	edges []edge
}

type file struct {
	lines []string
	hash  string
	lang  string
	index int32
}

type open struct {
	indent int
	key    string
	id     graph.ID
	file   string
	lang   string
}

type edge struct {
	from   open
	kind   graph.EdgeKind
	to     string
	fields []string
	pkg    string
}

func (p *parser) line(line string) error {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	fields := split(strings.TrimSpace(line))
	for len(p.stack) > 0 && p.stack[len(p.stack)-1].indent >= indent {
		p.stack = p.stack[:len(p.stack)-1]
	}
	switch fields[0] {
	case "->":
		return p.edge(fields[1:])
	case "unknown":
		return p.unknown(fields[1:])
	case "skipped":
		n, err := strconv.Atoi(fields[2])
		p.b.AddSkipped(graph.Skipped{Lang: fields[1], Files: int32(n)})
		return err
	case "file":
		f := p.file(fields[1])
		for _, x := range fields[2:] {
			if h, ok := strings.CutPrefix(x, "hash="); ok {
				f.hash = h
			}
		}
		return p.node(indent, append([]string{"file", graph.FileKey(fields[1]), fields[1] + ":1"}, withoutHash(fields[2:])...), "")
	}
	return p.node(indent, fields, strings.TrimSpace(line))
}

func withoutHash(fs []string) []string {
	return slices.DeleteFunc(slices.Clone(fs), func(s string) bool { return strings.HasPrefix(s, "hash=") })
}

// split cuts a line at spaces outside of double quotes.
func split(s string) []string {
	var out []string
	quoted := false
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"':
			quoted = !quoted
		case r == ' ' && !quoted:
			if b.Len() > 0 {
				out = append(out, b.String())
				b.Reset()
			}
		default:
			b.WriteRune(r)
		}
	}
	if b.Len() > 0 {
		out = append(out, b.String())
	}
	return out
}

func (p *parser) file(path string) *file {
	f := p.files[path]
	if f == nil {
		f = &file{}
		p.files[path] = f
	}
	return f
}

// key completes a key.
func (p *parser) key(k string) string {
	for i := len(p.stack) - 1; i >= 0; i-- {
		switch up := p.stack[i].key; {
		case k[0] == '#' && !strings.Contains(up, "#") && !strings.HasPrefix(up, "file:") && !strings.HasPrefix(up, "mod:"):
			return up + k
		case k[0] == '.' || k[0] == '(':
			return up + k
		}
	}
	return k
}

func (p *parser) node(indent int, fields []string, line string) error {
	kind, ok := graph.ParseKind(fields[0])
	if !ok || len(fields) < 2 {
		return fmt.Errorf("unknown kind of node %q", fields[0])
	}
	n := graph.Node{Key: p.key(fields[1]), Kind: kind, Parent: graph.None}
	if len(p.stack) > 0 {
		n.Parent = p.stack[len(p.stack)-1].id
	}
	_, name := graph.SplitKey(n.Key)
	name, _, _ = strings.Cut(name, "(")
	name, _, _ = strings.Cut(name, "~")
	n.QName = name
	n.Name = name[strings.LastIndexAny(name, ".:")+1:]
	pkg, _ := graph.SplitKey(n.Key)
	n.Lang, _, _ = strings.Cut(pkg, ":")
	if name == "" {
		n.QName = pkg[strings.Index(pkg, ":")+1:]
		n.Name = n.QName[strings.LastIndexAny(n.QName, "/.:")+1:]
		if kind == graph.KindModule {
			n.Lang, n.QName, _ = strings.Cut(n.QName, ":")
		}
		if kind == graph.KindFile {
			n.Lang = ""
		}
	}
	for _, f := range fields[2:] {
		if err := p.attribute(&n, f); err != nil {
			return err
		}
	}
	if n.Signature.Text == "" && kind.IsCallable() {
		n.Signature.Text = n.Name + text(n.Signature.Params) + text(n.Signature.Results)
	}
	id := p.b.AddNode(n)
	if _, dup := p.ids[n.Key]; !dup {
		p.ids[n.Key] = id
	}
	p.stack = append(p.stack, open{indent, n.Key, id, n.File, n.Lang})
	if n.File != "" && line != "" {
		f := p.file(n.File)
		f.lines = append(f.lines, line)
		f.lang = n.Lang
	}
	return nil
}

func text(ps []graph.Param) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, p := range ps {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strings.TrimSpace(p.Name + " " + p.Type))
	}
	b.WriteByte(')')
	return b.String()
}

func hash(s string) (h graph.Hash) {
	sum := sha256.Sum256([]byte(s))
	copy(h[:], sum[:])
	return h
}

func (p *parser) attribute(n *graph.Node, f string) error {
	name, value, ok := strings.Cut(f, "=")
	if !ok {
		if flag := flagNamed(f); flag != 0 {
			n.Flags |= flag
			return nil
		}
		return position(f, &n.File, &n.DefLine, &n.EndLine, &n.Line)
	}
	var err error
	switch name {
	case "params":
		n.Signature.Params = params(value)
	case "results":
		n.Signature.Results = results(value)
	case "types":
		n.Signature.TypeParams = params(value)
	case "bases":
		n.Signature.Bases = strings.Split(value, ",")
	case "type":
		n.Signature.Type = value
	case "sig":
		n.Signature.Text = value
	case "name":
		n.Name = value
	case "qname":
		n.QName = value
	case "body":
		n.Body = hash(value)
	case "doc":
		sum := hash(value)
		n.Doc, n.DocHash = value, graph.DocHash(sum[:8])
	case "tokens":
		var t int
		t, err = strconv.Atoi(value)
		n.Tokens = int32(t)
	case "min":
		// Sketches agree where the letters do, and elsewhere by chance, as real ones do.
		for k := range 64 {
			h := uint32(value[k%len(value)])*0x9E3779B1 + uint32(k)*0x85EBCA6B
			h = (h ^ h>>15) * 0xC2B2AE35
			n.MinHash[k/16] |= h >> 30 << (2 * (k % 16))
		}
	case "vis":
		for v := range graph.VisibilityCount {
			if graph.Visibility(v).String() == value {
				n.Visibility = graph.Visibility(v)
				return nil
			}
		}
		err = fmt.Errorf("unknown visibility %q", value)
	case "variants": // constraint@file@body,...
		for _, v := range strings.Split(value, ",") {
			at := strings.Split(v, "@")
			n.Variants = append(n.Variants, graph.Variant{Constraint: at[0], File: at[1], Body: hash(at[2]), DefLine: 1, Line: 1, EndLine: 2})
		}
	default:
		err = fmt.Errorf("unknown attribute %q", f)
	}
	return err
}

func flagNamed(s string) graph.Flags {
	for f := graph.Flags(1); f <= graph.FlagMask; f <<= 1 {
		if ns := f.Names(); len(ns) == 1 && ns[0] == s {
			return f
		}
	}
	return 0
}

// position reads FILE:FROM-TO, FILE:LINE or :LINE.
func position(s string, path *string, from, to, line *int32) error {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return fmt.Errorf("unknown attribute %q", s)
	}
	if i > 0 {
		*path = s[:i]
	}
	a, b, _ := strings.Cut(s[i+1:], "-")
	x, err := strconv.Atoi(a)
	if err != nil {
		return fmt.Errorf("bad position %q", s)
	}
	y := x
	if b != "" {
		if y, err = strconv.Atoi(b); err != nil {
			return fmt.Errorf("bad position %q", s)
		}
	}
	*from, *to, *line = int32(x), int32(y), int32(x)
	return nil
}

// params reads name:type,... where a name may carry ? (optional), ... before
// it (variadic), * (keyword only), ** (any keywords), / after it (positional
// only).
func params(s string) []graph.Param {
	var out []graph.Param
	for _, f := range strings.Split(s, ",") {
		name, typ, _ := strings.Cut(f, ":")
		p := graph.Param{Type: typ}
		for done := false; !done; {
			switch {
			case strings.HasPrefix(name, "..."):
				p.Flags |= graph.ParamVariadic
				name = name[3:]
			case strings.HasPrefix(name, "**"):
				p.Flags |= graph.ParamKeywords
				name = name[2:]
			case strings.HasPrefix(name, "*"):
				p.Flags |= graph.ParamKeywordOnly
				name = name[1:]
			case strings.HasSuffix(name, "?"):
				p.Flags |= graph.ParamOptional
				name = name[:len(name)-1]
			case strings.HasSuffix(name, "/"):
				p.Flags |= graph.ParamPositional
				name = name[:len(name)-1]
			default:
				done = true
			}
		}
		p.Name = name
		out = append(out, p)
	}
	return out
}

func results(s string) []graph.Param {
	var out []graph.Param
	for _, t := range strings.Split(s, ",") {
		out = append(out, graph.Param{Type: t})
	}
	return out
}

func (p *parser) edge(fields []string) error {
	kind, ok := graph.ParseEdgeKind(fields[0])
	if !ok || len(fields) < 2 || len(p.stack) == 0 {
		return fmt.Errorf("bad edge %q", strings.Join(fields, " "))
	}
	from := p.stack[len(p.stack)-1]
	p.edges = append(p.edges, edge{from: from, kind: kind, to: p.key(fields[1]), fields: fields[2:], pkg: p.key("#")})
	if f := from.file; f != "" {
		p.file(f).lines = append(p.file(f).lines, strings.Join(fields, " "))
	}
	return nil
}

// link adds files, then edges, whose targets may come later in the text.
func (p *parser) link() error {
	var paths []string
	for path := range p.files {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		f := p.files[path]
		if f.hash == "" {
			f.hash = strings.Join(f.lines, "\n")
		}
		id, ok := p.ids[graph.FileKey(path)]
		if !ok {
			id = p.b.AddNode(graph.Node{Key: graph.FileKey(path), Kind: graph.KindFile, Name: path, QName: path, File: path, Line: 1, DefLine: 1, Parent: graph.None})
			p.ids[graph.FileKey(path)] = id
		}
		f.index = p.b.AddFile(graph.File{Path: path, Lang: f.lang, Hash: sha256.Sum256([]byte(f.hash)), Node: id})
	}
	for _, e := range p.edges {
		if err := p.linkEdge(e); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) target(key, lang string) graph.ID {
	if id, ok := p.ids[key]; ok {
		return id
	}
	if !graph.IsExternal(key) {
		key = graph.ExternalKey(lang, key, "")
		if id, ok := p.ids[key]; ok {
			return id
		}
	}
	_, name := graph.SplitKey(key)
	id := p.b.AddNode(graph.Node{Key: key, Kind: graph.KindExternal, Name: name[strings.LastIndexByte(name, '.')+1:], QName: name, Parent: graph.None})
	p.ids[key] = id
	return id
}

func (p *parser) linkEdge(e edge) error {
	r := graph.RawEdge{From: e.from.id, To: p.target(e.to, e.from.lang), Type: graph.None, Kind: e.kind,
		Site: graph.Site{Args: -1, Keywords: -1, Recv: graph.None}}
	for _, f := range e.fields {
		name, value, _ := strings.Cut(f, "=")
		n, _ := strconv.Atoi(value)
		switch name {
		case "args":
			r.Site.Args = int16(n)
		case "want":
			r.Site.Want = int8(n)
		case "kw":
			r.Site.Keywords = p.b.AddKeywords(strings.Split(value, ","))
		case "type":
			if value[0] == '#' {
				value = strings.TrimSuffix(e.pkg, "#") + value
			}
			r.Type = p.target(value, e.from.lang)
		case "recv":
			if value[0] == '#' {
				value = strings.TrimSuffix(e.pkg, "#") + value
			}
			r.Site.Recv = p.target(value, e.from.lang)
		case "super":
			r.Site.Flags |= graph.SiteSuper
		case "spread":
			r.Site.Flags |= graph.SiteSpread
		case "spreadkw":
			r.Site.Flags |= graph.SiteSpreadKw
		case "optional": // of an import
			r.Site.Flags |= graph.SiteOther
		case "typing": // of an import
			r.Site.Flags |= graph.SiteLiteral
		case "case":
			r.Site.Flags |= graph.SiteCase
		case "other":
			r.Site.Flags |= graph.SiteOther
		case "test":
			r.Site.Flags |= graph.SiteTest
		case "later":
			r.Site.Flags |= graph.SiteLiteral
		case "ptr":
			r.Ptr = true
		case "inferred":
			r.Certainty = graph.Inferred
		case "ambiguous":
			r.Certainty = graph.Ambiguous
		default:
			path := e.from.file
			var to, line int32
			if err := position(f, &path, &line, &to, &line); err != nil {
				return err
			}
			r.HasSite, r.Site.Line, r.Site.Col = true, line, 1
			if p.files[path] == nil {
				return fmt.Errorf("edge %v to %s: no file %q", e.kind, e.to, path)
			}
			r.Site.File = p.files[path].index
		}
	}
	p.b.AddEdge(r)
	return nil
}

func (p *parser) unknown(fields []string) error {
	for r := range graph.ReasonCount {
		if graph.Reason(r).String() == fields[0] {
			u := graph.Unknown{Reason: graph.Reason(r)}
			if len(fields) > 1 {
				u.File = fields[1]
			}
			if len(fields) > 2 {
				a, b, _ := strings.Cut(fields[2], "-")
				x, _ := strconv.Atoi(a)
				y, _ := strconv.Atoi(b)
				u.Line, u.EndLine = int32(x), int32(y)
			}
			if len(fields) > 3 {
				u.Detail = strings.Join(fields[3:], " ")
			}
			p.b.AddUnknown(u)
			return nil
		}
	}
	return fmt.Errorf("unknown reason %q", fields[0])
}
