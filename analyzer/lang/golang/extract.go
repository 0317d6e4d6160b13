package golang

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// maxDepth bounds the recursion over nested expressions, types, statements and
// declarations. It is the depth to which trees are limited by default
// ([syntax.DefaultLimits]), so that it is met only by trees of other limits;
// what lies deeper counts as not parsed.
const maxDepth = 10_000

// extractor reads one file's tree. Its buffers serve many files.
type extractor struct {
	t     *syntax.Tree
	nodes []syntax.Node
	src   []byte
	b     *facts.Builder

	depth    int
	owner    facts.DeclID // the innermost declaration that is open
	function facts.DeclID // the innermost function or function literal
	results  int          // how many results it has
	bodies   int          // function bodies that are open
	initial  bool         // the initial value of a package-level variable is read

	words     words
	testing   facts.Str // what the file calls package testing; 0: not imported
	main      bool      // the package is called main
	preamble  preamble
	misplaced misplaced
	web       webState
	linknames map[string][16]byte // digests of directives by the name they are about

	self struct { // the package-level declaration that is open
		name     facts.Str
		method   bool
		receiver facts.LocalID
		uses     []syntax.ID // where it names itself
	}

	ids     []int32       // stack of lists under construction
	params  []facts.Param // stack of parameter lists under construction
	members []syntax.ID   // of the type that is open
	text    []byte
	signed  int // bytes that signatures may still take
	copied  int // expressions that may still be repeated for several names
	hasher  syntax.Hasher
	digests map[syntax.ID]valueDigest // of values that several names share
}

// words are the names that the extractor itself compares with.
type words struct {
	blank, c, make, init, main facts.Str

	literals  [classString + 1]facts.Str
	operators [256]facts.Str
}

// preamble is the comment before import "C", which is part of the file's
// program.
type preamble struct {
	imported bool
	sum      [16]byte
	used     bool // by the declaration that is open
}

var extractors = sync.Pool{New: func() any { return new(extractor) }}

// Extract returns what the file with the tree t says by itself. It resets b
// first and finishes it. It is a pure function of the tree; the time it takes is
// linear in the tree's size.
func Extract(t *syntax.Tree, b *facts.Builder) *facts.File {
	setup()
	e := extractors.Get().(*extractor)
	b.Reset()
	e.reset(t, b)
	e.file()
	b.BoundQueues(nil)
	f := b.Finish()
	e.t, e.b, e.nodes, e.src = nil, nil, nil, nil
	extractors.Put(e)
	return f
}

func (e *extractor) reset(t *syntax.Tree, b *facts.Builder) {
	*e = extractor{
		t: t, b: b, nodes: t.Nodes, src: t.Src,
		owner: none, function: none,
		ids: e.ids[:0], params: e.params[:0], members: e.members[:0], text: e.text[:0],
		hasher: e.hasher,
		signed: 4*len(t.Src) + 64<<10,
		copied: len(t.Nodes) + 1<<10,
	}
	e.self.receiver = none
	w := &e.words
	w.blank, w.c = b.InternString("_"), b.InternString("C")
	w.make, w.init, w.main = b.InternString("make"), b.InternString("init"), b.InternString("main")
}

// file reads the whole file.
func (e *extractor) file() {
	if len(e.nodes) == 0 {
		return
	}
	e.header()
	e.linknames = e.readLinknames()
	e.generates()
	var doc comments
	for i := syntax.ID(1); int(i) < len(e.nodes); {
		n := &e.nodes[i]
		k := classOf(n.Kind)
		if k == classError {
			i++ // look inside: the parser gives up on more than what is wrong
			doc = comments{}
			continue
		}
		e.topLevel(i, k, &doc)
		i = n.Next
	}
	e.syntaxErrors()
}

func (e *extractor) topLevel(i syntax.ID, k class, doc *comments) {
	switch k {
	case classComment:
		doc.add(e, i)
		return
	case classSemicolon:
		return
	case classImport:
		e.imports(i, doc)
	case classFunction:
		e.functionDecl(i, *doc)
	case classMethod:
		e.methodDecl(i, *doc)
	case classVar:
		e.vars(i, *doc)
	case classConst:
		e.consts(i, *doc)
	case classType:
		e.types(i, *doc, false)
	}
	*doc = comments{behind: e.endRow(i) + 1}
}

// syntaxErrors stores what did not parse as ranges of lines.
func (e *extractor) syntaxErrors() {
	for _, r := range e.t.Errors() {
		e.b.AddUnparsed(r.Line, r.EndLine)
	}
}

func (e *extractor) unparsed(i syntax.ID) {
	e.b.AddUnparsed(e.t.Line(i), e.t.EndLine(i))
}

func (e *extractor) child(i syntax.ID, f syntax.Field) syntax.ID { return e.t.ChildByField(i, f) }

func (e *extractor) str(i syntax.ID) facts.Str {
	if i == syntax.None {
		return 0
	}
	n := &e.nodes[i]
	return e.b.Intern(e.src[n.Start:n.End])
}

func (e *extractor) place(i syntax.ID) (line, col int32) { return e.t.Place(i) }

// endRow returns the 0-based line on which node i ends.
func (e *extractor) endRow(i syntax.ID) uint32 { return uint32(e.t.EndLine(i) - 1) }

func (e *extractor) operator(i syntax.ID) facts.Str {
	if i == syntax.None {
		return 0
	}
	k := e.nodes[i].Kind
	if int(k) >= len(e.words.operators) {
		return e.str(i)
	}
	s := &e.words.operators[k]
	if *s == 0 {
		*s = e.str(i)
	}
	return *s
}

var literalKinds = [...]string{
	classInt: "int", classFloat: "float", classImaginary: "imaginary", classRune: "rune",
	classString: "string",
}

func (e *extractor) literalKind(c class) facts.Str {
	s := &e.words.literals[c]
	if *s == 0 {
		*s = e.b.InternString(literalKinds[c])
	}
	return *s
}

// declare adds a declaration with the place and the visibility that its name
// gives it; def and end are the nodes it begins and ends with.
func (e *extractor) declare(kind graph.Kind, name, def, end syntax.ID) facts.DeclID {
	s := e.str(name)
	d := e.b.AddDecl(kind, s, e.owner)
	p := &e.b.Decls[d]
	p.DefLine, p.EndLine = int32(e.nodes[def].Row)+1, int32(e.t.EndLine(end))
	if name == syntax.None {
		name = def
	}
	p.Line, p.Col = e.place(name)
	p.Vis = graph.Private
	if e.bodies > 0 {
		p.Traits |= facts.TraitLocal
	} else if s != 0 {
		p.Vis = visibility(e.t.Text(name))
	}
	return d
}

func visibility(name []byte) graph.Visibility {
	if r, _ := utf8.DecodeRune(name); unicode.IsUpper(r) {
		return graph.Public
	}
	return graph.Package
}
