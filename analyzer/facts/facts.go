// Package facts holds what one source file says by itself: its declarations,
// imports and, for every body, the bindings and expressions that the linker
// needs to find out what each name means. Facts reflect only local knowledge:
// they are a pure function of the file's bytes and its language, hold no path,
// and can be kept by content.
//
// # Shape
//
// A [File] is a set of flat tables that refer to each other by position, so
// that it can be walked without recursion and stored as columns. Expressions
// are in [File.Exprs], operands before operators: one pass from the first to
// the last meets every operand before the expression that uses it, whatever the
// depth of the source. A declaration owns a range of them ([Decl.Exprs]); the
// ranges of nested declarations lie inside, so the innermost range that holds
// an expression tells who owns it.
//
// # Names
//
// The extractor resolves what the language's block structure alone decides: a
// name bound by a parameter, local variable, local type or type parameter that
// is in scope refers to its [Local]. All other names are free, and the linker
// looks them up in the file's imports, its package and the universe. A free
// name is never a local one of some other scope.
//
// # What is left out
//
// Comments, formatting and literal values are not facts, apart from what hashes
// and signatures keep. Statements without names are dropped.
package facts

import "github.com/codekg/kg/analyzer/graph"

// Str is the position of a string in [File.Strings]. The empty string is 0.
type Str uint32

// Positions in the tables of a File. None marks the absence of each.
type (
	ExprID  int32
	DeclID  int32
	LocalID int32
)

// None is the absent position.
const None = -1

// Span is a half-open range of positions in one of the tables.
type Span struct{ Lo, Hi int32 }

// Len returns the number of positions in s.
func (s Span) Len() int { return int(s.Hi - s.Lo) }

// File is what one source file says by itself.
type File struct {
	Strings    []string // distinct; Strings[0] is ""
	Package    Str      // what the file calls its package; 0 for none
	Constraint Str      // build constraint inside the file, in the language's own text
	Generated  bool     // carries the language's mark of generated code
	Imports    []Import
	Decls      []Decl  // parents before children, otherwise in source order
	Params     []Param // see Decl.Params; the params of a declaration are adjacent
	Locals     []Local
	Exprs      []Expr    // operands before operators
	Lists      []int32   // argument lists: see Expr.Args
	Flows      []Flow    // grouped by owner: see Decl.Flows
	Settings   []Setting // of manifests, such as a module's name
	Directives []Directive
	Unparsed   []Lines // ranges that did not parse
}

// Lines is a range of lines, both included, 1-based.
type Lines struct{ From, To int32 }

// Setting is one entry of a manifest (go.mod, package.json, pom.xml …), in the
// order of the file. Its meaning is the language's.
type Setting struct{ Name, Value Str }

// Directive is an instruction to a compiler or a tool that names files or
// declarations outside of the language's expressions. Which there are, and what
// their values mean, is the language's; but see [DirectiveRequest].
type Directive struct {
	Name  Str
	Value Str
	Owner DeclID // the declaration that it is about; None: not in this file, or the file itself
	Line  int32  // of the value
	Col   int32
}

// Import is one imported package, module or name.
type Import struct {
	Path  Str    // as written, without quotes
	Name  Str    // the name imported from Path; 0 for Path itself; "*" for all
	Alias Str    // the name it gets in the file; 0: the default; "." and "_" as in Go
	Owner DeclID // the declaration it is inside of; None at file level
	Flags ImportFlags
	Line  int32
	Col   int32
}

// Hole stands in the name of a route for what a part of the route's value says,
// an OpComposite of as many constants.
const Hole = '\x01'

// ImportFlags qualify an import.
type ImportFlags uint8

// The import flags.
const (
	ImportTypeOnly       ImportFlags = 1 << iota // only types are imported
	ImportReExport                               // the names are exported again
	ImportStatic                                 // members of a type are imported
	ImportLater                                  // it is imported where the program comes by
	ImportImplied                                // another import, or the language, brings it
	ImportModule                                 // the path is that of a module: all packages that it exports, see [SettingExports]
	ImportOptional                               // the code around it goes on without what is imported: it catches that that is not there
	ImportOptionalModule                         // the same if the whole module is not there
)

// Settings of a file that declares a module: its name, a package that it exports to
// all, and a module whose exports come with its own.
const (
	SettingModule  = "module"
	SettingExports = "exports"
	SettingBrings  = "brings"
)

// Decl is one declaration.
type Decl struct {
	Kind   graph.Kind
	Name   Str
	Parent DeclID // the enclosing declaration; None at file level
	Owner  Str    // members declared outside their type: the type's name
	Traits Traits
	Flags  graph.Flags // FlagTestCase: would be one in a test file
	Vis    graph.Visibility

	DefLine int32 // first line, decorators and annotations included, documentation not
	Line    int32 // of the name
	Col     int32 // of the name, in UTF-8 bytes from 1
	EndLine int32

	TypeParams Span // in File.Params
	Params     Span // in File.Params
	Results    Span // in File.Params
	Bases      Span // in File.Lists: type expressions of embedded or extended types
	Implements Span // in File.Lists: type expressions of implemented interfaces

	Marks  Span // in File.Lists: the annotations and decorators, each an OpMark
	Throws Span // in File.Lists: type expressions of declared exceptions

	Type  ExprID // of fields, variables, constants; the right-hand side of a type
	Value ExprID // initial value; of a class: the class that it is an instance of

	Exprs  Span // the expressions of signature, initialiser and body
	Flows  Span // the flows of the body
	Locals Span // the locals of signature and body

	Ordinal int32 // constants with implied values: the position in their group

	Shape     Str // where callables of one name are told apart by their parameters: their erased types in parentheses
	Signature Str // normalised source text
	Doc       Str // first sentence
	DocHash   graph.DocHash
	Body      graph.Hash
	Tokens    int32
	Branches  int32
	MinHash   graph.MinHash
}

// Traits are properties of a declaration that only linking needs.
type Traits uint32

// The traits.
const (
	TraitLocal       Traits = 1 << iota // declared inside a body
	TraitLiteral                        // a function literal; its expressions count to the enclosing declaration
	TraitAnonymous                      // a type literal; the members' qualified names leave it out
	TraitAlias                          // a type that is only another name
	TraitEmbedded                       // a field that embeds its type
	TraitFileScoped                     // known only inside its file (init, _)
	TraitImplied                        // a constant whose Type and Value are an earlier constant's
	TraitUnderlying                     // a type declared from another: fields and methods of Type's underlying type
	TraitExpression                     // a function literal whose body is an expression, the value of which may be unused
	TraitEndless                        // a function literal whose body does not come to its end without returning or failing
	TraitSynthetic                      // not in the source: the compiler, or a tool that runs with it, adds it
	TraitOverload                       // another signature of a declaration of the same name that is beside it
	TraitGlobal                         // known in all files
	TraitAccessor                       // a method that is used like a field
	TraitOptional                       // a member that values of the type need not have
	TraitAlternative                    // stands in for what has the same name before it, where that cannot be had
	TraitReplaced                       // a decorator may put something else in its place
	TraitGenerator                      // what it gives is there at once, the values of that come later
	TraitPretended                      // only checkers of types see it; no program has it
)

// Param is one parameter, result or type parameter of a declaration.
type Param struct {
	Name  Str
	Type  ExprID // its type, or the constraint of a type parameter; None if not given
	Local LocalID
	Flags graph.ParamFlags
}

// LocalKind says what a local name stands for.
type LocalKind uint8

// The kinds of locals.
const (
	LocalVar       LocalKind = iota // a variable, parameter or constant
	LocalTypeParam                  // type parameter Index of declaration Decl
	LocalType                       // the local type declared by Decl
	LocalFunc                       // the local function declared by Decl
)

// Local is a name that is bound inside a declaration.
type Local struct {
	Name  Str
	Kind  LocalKind
	Index uint16  // LocalTypeParam: position; of methods outside their type: position in the type's list
	Decl  DeclID  // see Kind
	Type  ExprID  // declared type; None if inferred
	Value ExprID  // the expression that gives the type; None if there is none
	Next  LocalID // the next binding of the same variable, for languages that infer from all; None
}

// FlowKind says how a value moves.
type FlowKind uint8

// The kinds of flows.
const (
	FlowAssign FlowKind = iota // From is stored in the expression To
	FlowBind                   // From is stored in the local N, which has a declared type or is a parameter
	FlowReturn                 // From is result N of the declaration To (a DeclID); N = -1: all results
	FlowSend                   // From is sent to the channel To
	FlowThrow                  // From is thrown
	FlowYield                  // From is yielded by the declaration To
	FlowDefine                 // From is stored in the declaration N's field or variable
)

// Flow is one value that moves from an expression to a place.
type Flow struct {
	Kind FlowKind
	N    int32
	To   int32
	From ExprID
}
