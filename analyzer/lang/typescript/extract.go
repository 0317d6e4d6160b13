package typescript

import (
	"bytes"
	"sync"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

const none = facts.None

// maxDepth bounds the recursion over nested expressions, statements, types and
// declarations. It is the depth to which trees are limited by default
// ([syntax.DefaultLimits]); what lies deeper counts as not parsed.
const maxDepth = 10_000

// What a file is, as its Package says: a module has imports or exports, one of
// CommonJS requires modules or assigns to exports, a script shares its names
// with the scripts beside it.
const (
	isModule   = "module"
	isCommonJS = "commonjs"
	isScript   = "script"
)

// extractor reads one file's tree. Its buffers serve many files.
type extractor struct {
	*dialect
	t     *syntax.Tree
	nodes []syntax.Node
	src   []byte
	b     *facts.Builder

	mentions uint8 // the sets of words of which some are in the source

	depth     int
	bodies    int // bodies that are open: what is declared in them is local
	owner     facts.DeclID
	adds      facts.DeclID // the module with a name whose declarations are open
	self      self
	bound     *self // what this is in the function literal that begins, if something says so
	fn        *function
	statement syntax.ID // the expression of the statement of the file that is open
	shown     syntax.ID // the type literal whose members are declarations like others
	module    bool      // import or export statements were met
	common    bool      // require or exports were met

	ids        []int32       // stack of lists under construction
	params     []facts.Param // stack of parameter lists under construction
	members    []syntax.ID   // stack of the nodes of members of the declarations that are open
	tops       map[facts.Str]facts.DeclID
	declared   map[facts.DeclID]map[facts.Str]bool         // the members of the classes that are open
	given      map[givenMember]bool                        // the members that assignments gave to declarations
	unmade     map[facts.DeclID]map[facts.Str]facts.DeclID // see bodiless
	tested     []condition                                 // the comparisons and calls of the conditions that are open
	testing    int
	controller string // the path of the class that is open, where it handles routes
	controls   bool
	routers    map[facts.Str]bool // names of what is made as a router
	modulesOf  map[string]string  // names to the modules of HTTP clients that they stand for
	typed      bool               // types are declared: members of classes, too
	docParams  map[string][]byte  // types of the parameters of the function that begins
	docTypes   map[string][]byte  // names that comments give to types
	web        map[string]string  // names of HTTP clients to what their addresses begin with
	agent      map[string]bool    // those of an application at hand
	text       []byte
	signed     int // bytes that signatures may still take
	hasher     syntax.Hasher
	names      names
}

// self is what this means.
type self struct {
	decl   facts.DeclID // the declaration of the type, or the function that makes objects; None: it is not known
	static bool         // the type itself
	class  facts.DeclID // the class whose bases super means; None
}

// function is what is kept of the function that is open.
type function struct {
	decl    facts.DeclID
	result  facts.ExprID // the type that its values must have; None
	returns []int32
	yields  []int32
	n       int16 // as in OpResult
	around  *function
}

// names are strings that are looked up often.
type names struct{ require, exports, module, prototype, undefined, object, defaultName, all, whole facts.Str }

var extractors = sync.Pool{New: func() any { return new(extractor) }}

// Extract returns what the file with the tree t says by itself. It resets b
// first and finishes it. It is a pure function of the tree; the time it takes is
// linear in the tree's size.
func Extract(t *syntax.Tree, b *facts.Builder) *facts.File {
	e := extractors.Get().(*extractor)
	b.Reset()
	nobody := self{decl: none, class: none}
	*e = extractor{
		dialect: dialectOf(t.Lang), t: t, b: b, nodes: t.Nodes, src: t.Src, owner: none, adds: none, self: nobody, shown: syntax.None, statement: syntax.None,
		ids: e.ids[:0], params: e.params[:0], members: e.members[:0], text: e.text[:0],
		tested: e.tested[:0], hasher: e.hasher, signed: 4*len(t.Src) + 64<<10, tops: map[facts.Str]facts.DeclID{},
		declared: map[facts.DeclID]map[facts.Str]bool{}, given: map[givenMember]bool{},
	}
	e.names = names{b.InternString("require"), b.InternString("exports"), b.InternString("module"), b.InternString("prototype"),
		b.InternString("undefined"), b.InternString("Object"), b.InternString("default"), b.InternString("*"), b.InternString("exports")}
	e.file()
	b.BoundQueues(nil)
	f := b.Finish()
	e.t, e.b, e.nodes, e.src, e.fn, e.tops, e.declared, e.unmade, e.modulesOf, e.web, e.agent = nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil
	extractors.Put(e)
	return f
}

// file reads the whole file.
func (e *extractor) file() {
	if len(e.nodes) == 0 {
		return
	}
	e.b.Generated = generatedMark(e.src)
	e.mentions = clientWords().In(e.src)
	e.webNames()
	e.docNames()
	e.typed = !e.dialect.docs && !e.dialect.vue
	for i := 0; !e.typed && i < len(e.nodes); i++ {
		e.typed = e.class(syntax.ID(i)) == classTypeAnnotation
	}
	e.b.Push()
	for c := range e.t.NamedChildren(0) {
		e.stmt(c)
	}
	e.b.Pop()
	e.showExported()
	e.tellTypes()
	switch {
	case e.module:
		e.b.Package = e.b.InternString(isModule)
	case e.common:
		e.b.Package = e.b.InternString(isCommonJS)
	case e.vue:
		e.b.Package = e.b.InternString(isModule)
	default:
		e.b.Package = e.b.InternString(isScript)
	}
	for _, r := range e.t.Errors() {
		e.b.AddUnparsed(r.Line, r.EndLine)
	}
}

// tellTypes gives the types and namespaces that share their name with a value,
// or a type, a key of their own.
func (e *extractor) tellTypes() {
	type place struct {
		parent facts.DeclID
		name   facts.Str
	}
	values, others := map[place]bool{}, map[place]bool{}
	for i := range e.b.Decls {
		switch d := &e.b.Decls[i]; d.Kind {
		case graph.KindFunction, graph.KindVariable, graph.KindConstant:
			values[place{d.Parent, d.Name}] = true
		case graph.KindClass, graph.KindEnum, graph.KindInterface, graph.KindTypeAlias:
			others[place{d.Parent, d.Name}] = true
		}
	}
	for i := range e.b.Decls {
		d := &e.b.Decls[i]
		if (d.Kind == graph.KindInterface || d.Kind == graph.KindTypeAlias) && d.Name != 0 && values[place{d.Parent, d.Name}] {
			d.Shape = e.b.InternString("(type)")
		}
		if k := (place{d.Parent, d.Name}); d.Kind == graph.KindNamespace && (values[k] || others[k]) {
			d.Shape = e.b.InternString("(namespace)")
		}
	}
}

// generatedMark reports whether the comments at the top of a file say that it
// is generated.
func generatedMark(src []byte) bool {
	head := src[:min(len(src), 2048)]
	for line := range bytes.SplitSeq(head, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || bytes.HasPrefix(line, []byte("#!")) || bytes.HasPrefix(line, []byte("\xef\xbb\xbf")) {
			continue
		}
		if !bytes.HasPrefix(line, []byte("//")) && !bytes.HasPrefix(line, []byte("/*")) && !bytes.HasPrefix(line, []byte("*")) {
			return false
		}
		if bytes.Contains(line, []byte("@generated")) || bytes.Contains(line, []byte("DO NOT EDIT")) || bytes.Contains(line, []byte("Do not edit")) ||
			bytes.Contains(bytes.ToLower(line), []byte("auto-generated")) || bytes.Contains(bytes.ToLower(line), []byte("autogenerated")) {
			return true
		}
	}
	return false
}

func (e *extractor) unparsed(i syntax.ID) {
	e.b.AddUnparsed(e.t.Line(i), e.t.EndLine(i))
}

func (e *extractor) child(i syntax.ID, f syntax.Field) syntax.ID {
	nodes := e.nodes
	for c, end := i+1, nodes[i].Next; c < end; c = nodes[c].Next {
		if nodes[c].Field == f && nodes[c].Flags&syntax.Extra == 0 {
			return c
		}
	}
	return syntax.None
}

func (e *extractor) childOf(i syntax.ID, k class) syntax.ID {
	nodes := e.nodes
	for c, end := i+1, nodes[i].Next; c < end; c = nodes[c].Next {
		if e.dialect.class(nodes[c].Kind) == k {
			return c
		}
	}
	return syntax.None
}

// word reports whether a token with the given text is among the children of i.
func (e *extractor) word(i syntax.ID, text string) bool {
	nodes := e.nodes
	for c, end := i+1, nodes[i].Next; c < end; c = nodes[c].Next {
		if n := &nodes[c]; n.Flags&syntax.Named == 0 && int(n.End-n.Start) == len(text) && string(e.src[n.Start:n.End]) == text {
			return true
		}
	}
	return false
}

func (e *extractor) class(i syntax.ID) class { return e.dialect.class(e.nodes[i].Kind) }

func (e *extractor) is(i syntax.ID, k class) bool { return i != syntax.None && e.class(i) == k }

func (e *extractor) str(i syntax.ID) facts.Str {
	if i == syntax.None {
		return 0
	}
	n := &e.nodes[i]
	return e.b.Intern(e.src[n.Start:n.End])
}

// text of node i is equal to s.
func (e *extractor) reads(i syntax.ID, s string) bool {
	return i != syntax.None && string(e.t.Text(i)) == s
}

// unquoted returns what a string literal says, where it has no escapes that
// matter to names and paths.
func (e *extractor) unquoted(i syntax.ID) []byte {
	if i == syntax.None {
		return nil
	}
	s := e.t.Text(i)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'' || s[0] == '`') && s[len(s)-1] == s[0] {
		s = s[1 : len(s)-1]
	}
	return s
}

// propertyName returns the name of a member as its node gives it; 0 where it is
// computed.
func (e *extractor) propertyName(i syntax.ID) facts.Str {
	if i == syntax.None {
		return 0
	}
	switch e.class(i) {
	case classString:
		return e.b.Intern(e.unquoted(i))
	case classComputed:
		if x := e.t.FirstNamed(i); x != syntax.None {
			switch e.class(x) {
			case classString:
				return e.b.Intern(e.unquoted(x))
			case classMember: // [Symbol.iterator]
				if e.reads(e.child(x, e.f.object), "Symbol") {
					return e.b.InternString("[" + e.t.String(x) + "]")
				}
			}
		}
		return 0
	}
	return e.str(i)
}

func (e *extractor) place(i syntax.ID) (line, col int32) { return e.t.Place(i) }

// declare adds a declaration with the place that its name gives it; def is the
// node that it is.
func (e *extractor) declare(kind graph.Kind, s facts.Str, name, def syntax.ID) facts.DeclID {
	d := e.b.AddDecl(kind, s, e.owner)
	p := &e.b.Decls[d]
	p.DefLine, p.EndLine = int32(e.nodes[def].Row)+1, int32(e.t.EndLine(def))
	if name == syntax.None {
		name = def
	}
	p.Line, p.Col = e.place(name)
	p.Vis = graph.Private
	if e.bodies > 0 {
		p.Traits |= facts.TraitLocal
	}
	return d
}

// endList stores what was put on ids from base on.
func (e *extractor) endList(base int) facts.Span {
	span := e.b.AddSpan(e.ids[base:])
	e.ids = e.ids[:base]
	return span
}

// endParams stores the parameters that were put on params from base on.
func (e *extractor) endParams(base int) facts.Span {
	span := e.b.AddParams(e.params[base:])
	e.params = e.params[:base]
	return span
}

func (e *extractor) flow(kind facts.FlowKind, n, to int32, from facts.ExprID) {
	e.b.AddFlow(kind, n, to, from)
}
