package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Rules are what one language adds to the engine. They are data and pure
// functions; the engine never asks which language it links.
type Rules struct {
	// Name is the language's name in keys, nodes and reports.
	Name string

	// Layout assigns files to units and says how import paths resolve. The
	// files are those of this language, sorted by path, manifests included.
	Layout func(files []File) *Layout

	// Implies reports whether files with constraint b are part of every build
	// that those with constraint a are part of. It may be nil: then none are.
	Implies func(a, b string) bool

	// Universe declares the names that need no import, as facts of a file of
	// the language. Primitive types are its named types; built-in functions
	// are generic functions. No edge ends at its functions, variables,
	// constants and primitive types.
	Universe func() *facts.File

	// Builtins returns the part of a library in rows that declares them, where that
	// does it instead of Universe.
	Builtins func() *facts.Group

	// Surface returns the facts of an external package whose API is known,
	// without bodies; nil if it is not known. It is safe for concurrent use.
	Surface func(path string) *facts.Group

	// Embeds returns the files of the tree that directives in files of this
	// language embed. The paths are those of all regular files of the tree,
	// sorted. It may be nil.
	Embeds func(files []File, paths []string) []Embed

	// Literals maps the kinds of literals to names of universe types.
	Literals map[string]string

	// Defaults maps universe types that only constants have to the types that
	// variables get from them.
	Defaults map[string]string

	// Larger lists the types of numeric constants, the smaller kinds first: of
	// several that meet, the largest counts.
	Larger []string

	// Basics names the universe types that the engine itself needs.
	Basics Basics

	// Outside lists interfaces of external packages, as path#Name, whose
	// methods are called by code that is not in the tree: an implementation
	// has callers that no graph shows. The interfaces of the universe are such
	// without being listed.
	Outside []string

	// Promote says that members of embedded fields are members of the type.
	Promote bool

	// ImplicitInterfaces says that a type implements an interface by having
	// its methods.
	ImplicitInterfaces bool

	// Angled says that types are written List<T> and T[], not List[T] and []T.
	Angled bool

	// Classes is set for languages whose types inherit the members of the types
	// that they name as bases, and in whose types names mean members first.
	Classes *Classes

	// Modules is set for languages whose files are modules that import names from
	// each other, and whose types are structural.
	Modules *Modules

	// Dynamic is set for languages in which types are those of the values that
	// flow, whether declared or not.
	Dynamic *Dynamic
}

// Modules are the rules of a language of modules with structural types. Types are
// named as the library has them.
type Modules struct {
	// Globals lists the surfaces whose names need no import.
	Globals []string

	// Boxes are the types that have the members of the values of primitive types.
	Boxes map[string]string

	// Empty are the primitive types whose values have no members.
	Empty []string

	// Array and List are the types of lists, which may change or not, Function
	// that of functions, Promise and Awaitable those of what is awaited, Iterator
	// and AsyncIterator those of what functions that yield give, Regexp that of
	// the literals named regexp.
	Array, List, Function, Promise, Awaitable, Iterator, AsyncIterator, Regexp string

	// Setter is the shape of the accessor that is called by assignments.
	Setter string

	// Utilities are generic types of the library that the engine works out.
	Utilities map[string]Utility

	// Emitters say how objects tell events by name; nil: they do not.
	Emitters *Emitters
}

// Utility is what a generic type of the library makes of its first argument.
type Utility uint8

// The utilities.
const (
	UtilitySame     Utility = iota + 1 // a type with the same members
	UtilityMap                         // what holds values of the second argument
	UtilityResult                      // what calls of it give
	UtilityInstance                    // what it makes
	UtilityAwaited                     // what awaiting it gives
)

// Dynamic are the rules of a language whose variables, parameters and results
// need no declared types. Types of a library are named by module and name,
// joined by a dot; classes of the universe by their names.
type Dynamic struct {
	// Exports is the name of the directives that list the names that an import
	// of all names brings; the value * stands for all public ones.
	Exports string

	// Kinds maps the kinds of composites to classes of the universe.
	Kinds map[string]string

	// Forms are names that mean something to the type system itself.
	Forms map[string]Form

	// Aliases are names of a library that stand for classes, where its declarations
	// do not say for which.
	Aliases map[string]string

	// Iterable, AsyncIterable and Awaitable are the generic types over whose
	// first arguments loops go, and that waiting gives. Generator and
	// AsyncGenerator are what functions that yield return, Coroutine, with the
	// result as its last argument, what those return that are awaited.
	Iterable, AsyncIterable, Awaitable, Generator, AsyncGenerator, Coroutine string

	// Tuple, Class and Object are the classes of the universe of tuples, of classes
	// and of everything.
	Tuple, Class, Object string

	// Unasked are the attributes of a protocol that say something about the class
	// itself: values need not have them.
	Unasked []string

	// Enum is the class whose subclasses' attributes are values of them.
	Enum string

	// Constructors are the methods that run when a class is called, Call the
	// one when a value is.
	Constructors []string
	Call         string

	// Operators maps operators to the methods that implement them; of several,
	// separated by blanks, the first that a class has. That of Contains is asked
	// of the operand on the right.
	Operators map[string]string

	// Contains lists the operators whose methods the operand on the right has.
	Contains []string

	// Iterates and Item are the methods of a loop and of a subscript, SetItem that
	// of a subscript that is assigned, DelItem of one that is removed, AsyncIterates and AsyncNext those of a loop
	// that waits.
	Iterates, Next, Item, SetItem, DelItem, AsyncIterates, AsyncNext string

	// Fills are the methods that put their last argument into a container, Merges
	// those that put in what their argument holds, Sends those that give a generator
	// what it goes on with.
	Fills, Merges, Sends []string

	// Signals and Managers are what libraries do that no call shows.
	Signals  *Signals
	Managers *Managers

	// Record is the class whose subclasses' attributes are what constant subscripts
	// give; RecordForm, as a base, stands for it.
	Record string

	// NamedTuple is the class of tuples whose values have names, Property the class of
	// what [FormProperty] makes, with the name of the argument that is the function.
	NamedTuple, Property, Getting string

	// Unary lists the methods that operators with one operand run, the first that there
	// is, Reflected those of the right operand that run where the left one has none, by
	// that of the left.
	Unary, Reflected map[string]string

	// Dispatchers are the classes of functions that choose among others by the type
	// of an argument; Register is the method that decorates these.
	Dispatchers []string
	Register    string

	// Fallback is the method that gives attributes that are not there, Getter
	// the one by which an attribute's value gives another, Assigned and Removed those
	// of the value that run when the attribute is assigned or removed, Subclassed the
	// one that runs when a class below is declared.
	Fallback, Getter, Assigned, Removed, Subclassed string

	// Special is what the names of methods begin with that are not called by them, but
	// by operators and by whoever knows what they stand for, who give arguments by
	// position.
	Special string

	// TypeTests are the functions of the universe that ask of what type a value is.
	TypeTests []string

	// Setter and Deleter are what the shapes of functions begin with that run when a
	// property is assigned, and removed.
	Setter, Deleter string
}

// Form is a name that means something to the type system itself.
type Form uint8

// The forms.
const (
	FormNone     Form = iota
	FormAny           // anything
	FormOptional      // the argument, or null
	FormUnion         // one of the arguments
	FormFirst         // the first argument; the others only say something about it
	FormLiteral       // the types of the arguments, which are values
	FormCallable      // functions with the types in the list that is the first argument as parameters
	FormTuple         // as many values as there are arguments, or any number where an ellipsis follows
	FormType          // the class of the argument; called, the class of the value
	FormGeneric       // as a base: what the class's type parameters are
	FormProtocol      // as a base: values fit the class by their members; and as FormGeneric
	FormProperty      // what makes an attribute of a function that is called when it is read
	FormSelf          // the type of the object that a method is called on
	FormTypeVar       // makes type parameters
	FormNewType       // makes a type like its second argument
	FormCast          // the second argument, seen as the first
	FormPartial       // a function with some arguments given
	FormRecord        // as a base: the class of records
	FormKeep          // gives back the function that it is called with, or a function that gives back what it is called with
	formEnd
)

// overrides reports whether a call of a method of a class may run what a class below
// it declares.
func (r *Rules) overrides() bool { return r.Classes != nil || r.Modules != nil || r.Dynamic != nil }

// Classes are the rules of a language with classes. Types are named by package
// and name, joined by Separator, primitive types by their names in the
// universe; what is not named the language does not have.
type Classes struct {
	// Separator joins the parts of a package's name, and a package and a type.
	Separator string

	// Default lists the packages whose names need no import.
	Default []string

	// Roots are the types that declarations of a kind extend if they name no
	// other, and Root the type that all types extend.
	Roots map[graph.Kind]string
	Root  string

	// Iterable is the generic type over whose first argument a loop goes, TypeOf
	// the generic type of values that stand for types, and Array the universe
	// type that has the members of arrays. Arrays are the types that arrays are
	// values of.
	Iterable, TypeOf, Array string
	Arrays                  []string

	// Widening lists primitive types, the narrower before the wider: a value of
	// each converts to those behind it in its line.
	Widening []string

	// Boxes are the types of objects that hold values of primitive types.
	Boxes map[string]string

	// Injects are the names of annotations by which a container sets a field.
	Injects []string

	// Wiring says what containers hand out, and to whom; nil: nothing is known.
	Wiring *Wiring

	// Element is the element of an annotation whose name need not be written.
	Element string

	// Events say how events reach who listens for them; nil: there are none.
	Events *Events
}

// Basics are names of universe types. An empty name is the unknown type.
type Basics struct {
	Int    string // an index
	Byte   string // an element of an indexed string
	Rune   string // an element of a string in a loop
	String string
	Bool   string
	Null   string // the type of the null value alone
	Error  string // the interface that errors implement, which has a node
}

// Embed is a file that a directive embeds.
type Embed struct {
	File      int // position of the file with the directive
	Directive int // position in its facts' Directives
	Path      int // position of the embedded file's path; -1: the directive embeds nothing that is in the tree
}

// Reference is what a directive says about a declaration, which is no
// expression of the language.
type Reference struct {
	File      int // position of the file with the directive
	Directive int // position in its facts' Directives
	Kind      graph.EdgeKind
	From      string // a declaration of the file's unit; empty: the file
	Unit      int    // the unit that declares To
	To        string // NAME or TYPE.NAME; nothing if there is none
}

// Member is a declaration of a file of a language.
type Member struct {
	File int
	Decl facts.DeclID
}

// Layout says where the files of one language belong.
type Layout struct {
	Modules    []Module
	Units      []Unit
	Files      []Place // one for each file given to Rules.Layout
	References []Reference
	Routes     []FileRoute
	Stubs      []Stub

	// Declared is the unit that declares the types of another, by the other.
	Declared map[int]int

	// Resolve returns the unit that path names when a file of unit from
	// imports it; -1 if it is not in the tree.
	Resolve func(from int, path string) int

	// Suite reports whether a runner starts the tests of a type of test code. Above are
	// the types of the tree whose members it inherits, in the order in which they are
	// searched. Nil: tests are no members of types.
	Suite func(t Member, above []Member) bool

	// Kits reports whether runners look into a file only if they are told to, so that
	// its types are for others to inherit, if somebody does. It may be nil.
	Kits func(file int) bool

	// Given returns what else directives say, once it is known who runs tests: running
	// returns for each type that runs a member, or tests beside it, that type and those of
	// the types behind it in which names are searched that have such members, in order.
	// It may be nil.
	Given func(running func(file int, d facts.DeclID) [][]Member) []Reference

	// Others returns the further units that path names for a file of unit from,
	// where one path may name several, in the order in which they are searched.
	Others func(from int, path string) []int
}

// Stub is a unit that says of which types the declarations of another one are.
type Stub struct{ Unit, Source int }

// Module is a unit of release.
type Module struct {
	Path string // as in keys
	Dir  string // slash-separated, empty for the root
	File string // its manifest; empty if there is none

	// Build is how its build knows it, in words of the language that TestCommands
	// reads; empty: as its folder. It is the signature of the module's node.
	Build string

	// Needs are the modules whose code its programs may have, by their numbers and
	// in order: itself and those that it needs itself. What these need, it has, too. Nil:
	// that is not known, and may be all.
	Needs []int

	// NeedsMore: it may need others besides, but none that needs it. The edge from
	// the module to itself is inferred then.
	NeedsMore bool
}

// Unit is a unit of naming whose files share one scope: a Go package, a Java
// package of one source root, a Python module.
type Unit struct {
	Path   string // as in keys and imports
	Name   string // short name for people and for qualified names
	Module int    // index into Layout.Modules; -1 for none
	Dir    string // slash-separated
	Scope  string // not empty: keys are scoped to this file, because several units share the path
	Peer   int    // the unit whose test this is; -1 for none
	Hidden bool   // its public names are visible inside its module only
	Offers bool   // what it imports is for others, too: a package's own module
}

// Place says to which unit a file belongs.
type Place struct {
	Unit       int    // -1: a manifest, or a file that is no part of any build
	Test       bool   // the file is test code
	Constraint string // when the file is part of the unit; empty: always
	Default    bool   // the file is part of the unit on the default platform
	Elsewhere  bool   // it is not, whatever else than a platform is asked for
	Reason     string // why Unit is -1 although the file holds code
}
