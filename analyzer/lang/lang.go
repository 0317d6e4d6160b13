// Package lang says what a language is: a value that holds its grammar, the
// function that extracts facts from a syntax tree, and the rules that linking
// needs. Adding a language is one folder beside this file and one row in the
// list of package all.
package lang

import (
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/link"
	"github.com/codekg/kg/analyzer/syntax"
)

// Language is one language that kg reads.
type Language struct {
	// Name is the language's name in keys and reports, in lower case.
	Name string

	// Extensions are the endings of its files' names, with the dot.
	Extensions []string

	// Manifests are the names of files that say how its files belong
	// together, such as go.mod. A * in them stands for anything.
	Manifests []string

	// Version changes with every change of what Extract and Manifest return
	// for the same bytes, so that stored facts are not taken for new ones.
	Version int

	// Grammar returns the grammar, always the same.
	Grammar func() *syntax.Language

	// Dialect returns the grammar for a file with the given base name, and what
	// tells the facts of its bytes apart from those of the same bytes in another
	// grammar; empty for Grammar. Nil: there is one grammar.
	Dialect func(base string) (mark string, grammar *syntax.Language)

	// Extract returns the facts of a parsed file. It is a pure function of the
	// tree; the builder belongs to the calling worker.
	Extract func(t *syntax.Tree, b *facts.Builder) *facts.File

	// Manifest returns the facts of a manifest with the given base name.
	Manifest func(name string, src []byte, b *facts.Builder) (*facts.File, error)

	// Dependencies compares two versions of a manifest: the external modules
	// of which another version is used, and whether something else changed
	// that any build depends on. Without it, any change is such a change.
	Dependencies func(name string, base, head []byte) (modules []string, rest bool)

	// Locks are the names of files that only repeat what a manifest decides,
	// such as go.sum.
	Locks []string

	// Native are the endings of files that are built into the packages of
	// their folder though they are of another language, with the dot.
	Native []string

	// Comment begins a comment that ends with the line.
	Comment string

	// Rules are what linking needs.
	Rules *link.Rules

	// Fit says how uses of a declaration relate to its shape, for those who
	// compare graphs.
	Fit Fit

	// Runner is what runs the language's tests.
	Runner string

	// TestCommands returns the shell commands that run tests, to be started in
	// the top folder of the tree, none longer than MaxCommand but for one name that
	// is; lines that begin with # are comments.
	TestCommands func(TestRun) []string
}

// MaxCommand bounds the length of a command that runs tests, in bytes. Windows takes
// 32 KB, Linux 128 KB of one argument, which the whole command is for a shell.
const MaxCommand = 24 << 10

// Coarser is the line before a command that runs more than was chosen, as all of that
// would make it too long.
func Coarser(what string) string {
	return "# more than the selection, which is too long for a command: " + what
}

// TestRun is a choice of tests.
type TestRun struct {
	All       bool     // run everything, whatever Tests holds
	Modules   []Module // the language's modules, by folder
	Manifests []string // the paths of the language's manifests, sorted
	Tests     []TestCase
	Others    []TestCase // the other tests of the tree, which are not to be run
}

// Module is a module as a graph has it.
type Module struct {
	Dir   string // the folder of its manifest; empty for the top folder
	Build string // how its build knows it; see link.Module
}

// TestCase is one test.
type TestCase struct {
	File       string // slash-separated
	Package    string // qualified; what declares the outermost type
	Type       string // the outermost type that declares it, unqualified; empty if none does
	Name       string // unqualified; that of a type, or empty, for all tests of the type, or of the file
	Constraint string // which builds have the file; empty: all
}

// Fit says when a use of a declaration fits it. The zero value is that of a
// language whose compiler checks everything.
type Fit struct {
	Keywords    bool     // arguments may be given by name
	Dynamic     bool     // nothing enforces types
	Coerces     bool     // an argument may have another type than its parameter, as a subclass or a narrower number has
	FileModules bool     // each file is a module, and one with tests is a program
	TestsAlone  bool     // a file with tests is loaded for these alone, unless another one imports it
	Reexports   bool     // what a file imports, others may import from it
	Scanned     bool     // a program may run code that nothing in it imports: it finds it on a path
	LooseArity  bool     // a call may pass fewer or more arguments than there are parameters
	Loose       []string // the suffixes of files in which nothing enforces types and numbers of arguments
	Union       string   // what separates the types that a value may be of one of
	Structural  bool     // types fit by their shape, functions also where more parameters are asked for
	Statics     bool     // what belongs to a type may be used through a value of it
	TopTypes    []string // the types that accept any value, as signatures spell them
	Constants   []string // types that one literal may have, separated by blanks, one entry for each sort of literal
	Nil         []string // how the types begin that the null literal may have
	// Supertypes returns the direct supertypes of a type of the standard library;
	// types are spelled as in signatures, without arguments.
	Supertypes func(name string) []string
	// Unchecked are the exceptions that whoever calls what throws them need not
	// handle, with all types below them. None: it need not handle any.
	Unchecked []string

	// Overriding is the key of the annotation that only methods may have which
	// override or implement another.
	Overriding string
	// Unread are the keys of annotations that only tell the compiler what not to
	// complain of.
	Unread []string
	// Fallback is the name of the method that answers for the members that an object
	// does not have; "": there is no such thing.
	Fallback string
	// Compiled returns a type as compiled users of a declaration name it, or ""
	// where the type alone does not tell. Nil: users are compiled together with
	// what they use.
	Compiled func(typ string) string
}

// Predeclared returns the names that need no declaration.
func (l *Language) Predeclared() (names []string) {
	if l.Rules == nil {
		return nil
	}
	if l.Rules.Builtins != nil {
		o := l.Rules.Builtins().Outline(0)
		for i := range o.Decls {
			if d := &o.Decls[i]; d.Parent == facts.None {
				names = append(names, o.Archive().Name(d.Name))
			}
		}
		return names
	}
	if l.Rules.Universe == nil {
		return nil
	}
	f := l.Rules.Universe()
	for i := range f.Decls {
		if d := &f.Decls[i]; d.Parent == facts.None {
			names = append(names, f.Strings[d.Name])
		}
	}
	return names
}

// Role says what a file is to a language.
type Role uint8

// The roles.
const (
	NotMine Role = iota
	Source
	Manifest
)

// GrammarOf returns the grammar of a source file with the given path, and what
// tells its facts apart from those of the same bytes in another grammar.
func (l *Language) GrammarOf(path string) (mark string, grammar *syntax.Language) {
	if l.Dialect == nil {
		return "", l.Grammar()
	}
	return l.Dialect(path[strings.LastIndexByte(path, '/')+1:])
}

// Role returns what a file with the given slash-separated path is to l.
func (l *Language) Role(path string) Role {
	base := path[strings.LastIndexByte(path, '/')+1:]
	for _, m := range l.Manifests {
		if before, behind, ok := strings.Cut(m, "*"); base == m || ok && len(base) >= len(m)-1 && strings.HasPrefix(base, before) && strings.HasSuffix(base, behind) {
			return Manifest
		}
	}
	for _, e := range l.Extensions {
		if strings.HasSuffix(base, e) && len(base) > len(e) {
			return Source
		}
	}
	return NotMine
}
