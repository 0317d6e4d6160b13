package java

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

const none = facts.None

// maxDepth bounds the recursion over nested expressions, statements and
// declarations. It is the depth to which trees are limited by default
// ([syntax.DefaultLimits]); what lies deeper counts as not parsed.
const maxDepth = 10_000

// extractor reads one file's tree. Its buffers serve many files.
type extractor struct {
	t     *syntax.Tree
	nodes []syntax.Node
	src   []byte
	b     *facts.Builder

	depth    int
	owner    facts.DeclID // the innermost declaration that is open
	typ      facts.DeclID // the innermost type that is open
	function facts.DeclID // the innermost method or lambda
	result   facts.ExprID // the type of its result; None for lambdas
	bodies   int          // bodies and initialisers that are open
	resume   syntax.ID    // behind the members that were read out of their place

	ids     []int32                     // stack of lists under construction
	params  []facts.Param               // stack of parameter lists under construction
	yields  []int32                     // stack of values of the switch expressions that are open
	members []syntax.ID                 // stack of the nodes of members of the types that are open
	erased  map[facts.LocalID]facts.Str // what type parameters are erased to
	imports map[string]string           // simple names to the packages of their single imports
	wilds   []string                    // packages imported as a whole
	modules []string                    // modules imported as a whole
	types   map[facts.DeclID]*typeInfo  // the types that are open
	text    []byte
	signed  int // bytes that signatures may still take
	hasher  syntax.Hasher
}

var extractors = sync.Pool{New: func() any { return new(extractor) }}

// Extract returns what the file with the tree t says by itself. It resets b
// first and finishes it. It is a pure function of the tree; the time it takes is
// linear in the tree's size.
func Extract(t *syntax.Tree, b *facts.Builder) *facts.File {
	setup()
	e := extractors.Get().(*extractor)
	b.Reset()
	*e = extractor{
		t: t, b: b, nodes: t.Nodes, src: t.Src, owner: none, typ: none, function: none, result: none,
		ids: e.ids[:0], params: e.params[:0], yields: e.yields[:0], members: e.members[:0], text: e.text[:0],
		hasher: e.hasher, signed: 4*len(t.Src) + 64<<10,
		erased: map[facts.LocalID]facts.Str{}, imports: map[string]string{}, types: map[facts.DeclID]*typeInfo{},
	}
	e.file()
	b.BoundQueues(nil)
	f := b.Finish()
	e.t, e.b, e.nodes, e.src = nil, nil, nil, nil
	extractors.Put(e)
	return f
}

// file reads the whole file.
func (e *extractor) file() {
	if len(e.nodes) == 0 {
		return
	}
	e.b.Generated = generatedMark(e.src)
	if e.compact() {
		e.compactFile()
		e.modules = append(e.modules, "java.base")
		e.moduleImports()
		return
	}
	for i := syntax.ID(1); int(i) < len(e.nodes); {
		switch classOf(e.nodes[i].Kind) {
		case classError:
			i++ // look inside: the parser gives up on more than what is wrong
			continue
		case classPackage:
			for c := range e.t.NamedChildren(i) {
				if k := classOf(e.nodes[c].Kind); k == classIdentifier || k == classScopedIdentifier {
					e.b.Package = e.b.InternString(e.plainName(c))
				}
			}
		case classModule:
			e.moduleDecl(i)
		case classImport:
			e.importDecl(i)
		case classClass, classRecord, classInterface, classAnnotationType, classEnum:
			e.typeDecl(i)
		case classMethod: // after an error
			e.method(i, true)
		}
		i = max(e.nodes[i].Next, e.resume)
	}
	e.moduleImports()
	for _, r := range e.t.Errors() {
		e.b.AddUnparsed(r.Line, r.EndLine)
	}
	if e.t.Reread {
		for _, p := range mended(e.src) { // the grammar may have seen no error
			e.b.AddUnparsed(int(p.line), int(p.line))
		}
	}
}

// generatedMark reports whether the comments and annotations at the top of a
// file say that it is generated.
func generatedMark(src []byte) bool {
	head := src[:min(len(src), 4096)]
	if i := bytes.Index(head, []byte("\nimport ")); i >= 0 {
		head = head[:i]
	}
	return bytes.Contains(head, []byte("DO NOT EDIT")) || bytes.Contains(head, []byte("do not edit this generated"))
}

// plainName returns a qualified name without white space and comments.
func (e *extractor) plainName(i syntax.ID) string {
	var b strings.Builder
	for c, end := i, e.nodes[i].Next; c < end; c++ {
		if n := &e.nodes[c]; classOf(n.Kind) == classIdentifier || classOf(n.Kind) == classTypeName || n.Kind == tokenDot {
			b.Write(e.src[n.Start:n.End])
		}
	}
	return b.String()
}

func (e *extractor) importDecl(i syntax.ID) {
	name, all, static := syntax.ID(syntax.None), false, false
	for c := range e.t.Children(i) {
		switch k := classOf(e.nodes[c].Kind); {
		case k == classIdentifier || k == classScopedIdentifier:
			name = c
		case k == classAsterisk:
			all = true
		case e.nodes[c].Kind == tokenStatic:
			static = true
		}
	}
	if name == syntax.None {
		return
	}
	full := e.plainName(name)
	im := facts.Import{Owner: none}
	if static {
		im.Flags = facts.ImportStatic
	}
	if module := e.src[e.nodes[i].Start:e.nodes[name].Start]; !static && !all && bytes.HasSuffix(bytes.TrimRight(module, " \t\r\n\f"), []byte(" module")) {
		all = true // see readable
		im.Flags |= facts.ImportModule
		e.modules = append(e.modules, full)
	}
	if all {
		im.Path, im.Name = e.b.InternString(full), e.b.InternString("*")
		if !static {
			e.wilds = append(e.wilds, full)
		}
	} else {
		dot := strings.LastIndexByte(full, '.')
		if dot <= 0 {
			return // no package
		}
		im.Path, im.Name = e.b.InternString(full[:dot]), e.b.InternString(full[dot+1:])
		if !static {
			e.imports[full[dot+1:]] = full[:dot]
		}
	}
	if im.Path == 0 || im.Name == 0 {
		return
	}
	last := name
	if classOf(e.nodes[name].Kind) == classScopedIdentifier {
		if n := e.child(name, fieldName); n != syntax.None {
			last = n
		}
	}
	im.Line, im.Col = e.place(last)
	e.b.Imports = append(e.b.Imports, im)
}

// from reports whether the simple name, as far as the file shows, is that of a
// class of one of the packages, or of one below them where a package ends in a
// dot.
func (e *extractor) from(name string, packages ...string) bool {
	in := func(p, want string) bool {
		return p == want || strings.HasSuffix(want, ".") && strings.HasPrefix(p+".", want)
	}
	if p, ok := e.imports[name]; ok {
		return slices.ContainsFunc(packages, func(want string) bool { return in(p, want) })
	}
	for _, p := range e.wilds {
		if slices.ContainsFunc(packages, func(want string) bool { return in(p, want) }) {
			return true
		}
	}
	return false
}

func (e *extractor) unparsed(i syntax.ID) {
	e.b.AddUnparsed(e.t.Line(i), e.t.EndLine(i))
}

func (e *extractor) child(i syntax.ID, f syntax.Field) syntax.ID { return e.t.ChildByField(i, f) }

func (e *extractor) childOf(i syntax.ID, k class) syntax.ID {
	nodes := e.nodes
	for c, end := i+1, nodes[i].Next; c < end; c = nodes[c].Next {
		if classOf(nodes[c].Kind) == k {
			return c
		}
	}
	return syntax.None
}

func (e *extractor) class(i syntax.ID) class { return classOf(e.nodes[i].Kind) }

func (e *extractor) str(i syntax.ID) facts.Str {
	if i == syntax.None {
		return 0
	}
	text := e.t.Text(i)
	if bytes.IndexByte(text, '\\') >= 0 {
		text = unescaped(text)
	}
	return e.b.Intern(text)
}

func (e *extractor) place(i syntax.ID) (line, col int32) { return e.t.Place(i) }

// declare adds a declaration with the place that its name gives it; def is the
// node that it is.
func (e *extractor) declare(kind graph.Kind, name, def syntax.ID) facts.DeclID {
	d := e.b.AddDecl(kind, e.str(name), e.owner)
	p := &e.b.Decls[d]
	p.DefLine, p.EndLine = int32(e.nodes[def].Row)+1, int32(e.t.EndLine(def))
	if name == syntax.None {
		name = def
	}
	p.Line, p.Col = e.place(name)
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
