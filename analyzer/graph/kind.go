package graph

import "fmt"

// Kind says what a node is.
type Kind uint8

// The kinds of nodes, from the outermost to the innermost.
const (
	KindUnknown Kind = iota
	KindRepository
	KindModule  // a unit of release: a Go module, a Maven module, an npm package
	KindPackage // a unit of naming: a Go package, a Java package, a Python module
	KindFile
	KindNamespace
	KindClass
	KindStruct
	KindInterface
	KindEnum
	KindRecord
	KindAnnotation
	KindTypeAlias // an alias, or a named type that is none of the kinds above
	KindFunction  // also a variable that is initialised with a function literal
	KindMethod    // also of interfaces
	KindConstructor
	KindField
	KindConstant
	KindVariable
	KindEnumMember
	KindRoute
	KindExternal
	kindEnd
)

var kindNames = [kindEnd]string{
	"unknown", "repository", "module", "package", "file", "namespace", "class", "struct",
	"interface", "enum", "record", "annotation", "type_alias", "function", "method",
	"constructor", "field", "constant", "variable", "enum_member", "route", "external",
}

// String returns the kind's name in exports and reports.
func (k Kind) String() string { return enumName(kindNames[:], uint8(k)) }

// IsType reports whether nodes of kind k declare a type.
func (k Kind) IsType() bool { return k >= KindClass && k <= KindTypeAlias }

// IsCallable reports whether nodes of kind k have a body that is called.
func (k Kind) IsCallable() bool { return k >= KindFunction && k <= KindConstructor }

// IsContainer reports whether nodes of kind k only hold other nodes.
func (k Kind) IsContainer() bool { return k >= KindRepository && k <= KindNamespace }

// EdgeKind says how two nodes are related. The direction is given as from → to.
type EdgeKind uint8

// The kinds of edges.
const (
	EdgeContains     EdgeKind = iota // parent → child; kept as Node.Parent, never in Graph.Edges
	EdgeImports                      // file → package, file or external; or file or declaration → what it imports by name; or module → itself and those that it needs, if all of these are known
	EdgeCalls                        // declaration → callee
	EdgeReferences                   // declaration → function used as a value
	EdgeUsesType                     // declaration → type
	EdgeInstantiates                 // declaration → type it makes a value of
	EdgeReads                        // declaration → field, variable, constant
	EdgeWrites                       // declaration → field, variable
	EdgeConverts                     // declaration → interface a value is stored as
	EdgeExtends                      // type → base type
	EdgeImplements                   // type → interface, method → interface method
	EdgeEmbeds                       // type → embedded type
	EdgeOverrides                    // method → method it overrides
	EdgeInjects                      // owner → injected type
	EdgeThrows                       // declaration → exception type
	EdgeAnnotates                    // annotation, decorator → declaration
	EdgeHandles                      // route → handler
	EdgeHTTPCalls                    // declaration → route
	EdgeConfigures                   // configuration → declaration
	EdgeTests                        // test → tested declaration
	EdgePublishes                    // declaration → route of a topic that others listen to
	edgeKindEnd
)

var edgeKindNames = [edgeKindEnd]string{
	"contains", "imports", "calls", "references", "uses_type", "instantiates", "reads",
	"writes", "converts", "extends", "implements", "embeds", "overrides", "injects",
	"throws", "annotates", "handles", "http_calls", "configures", "tests", "publishes",
}

// String returns the kind's name in exports and reports.
func (k EdgeKind) String() string { return enumName(edgeKindNames[:], uint8(k)) }

// Certainty says how sure an edge is. Lower is surer, so that the certainty of
// a path is the maximum over its hops.
type Certainty uint8

// The certainties. Counts and gates use Exact and Inferred only.
const (
	Exact     Certainty = iota // scopes, imports and types leave one target
	Inferred                   // flow or hierarchy leaves a small known set
	Ambiguous                  // only a name matches, among at most five candidates
	certaintyEnd
)

var certaintyNames = [certaintyEnd]string{"exact", "inferred", "ambiguous"}

// String returns the certainty's name in exports and reports.
func (c Certainty) String() string { return enumName(certaintyNames[:], uint8(c)) }

// Visibility says who may use a declaration, from the widest to the narrowest.
type Visibility uint8

// The visibilities. A language uses the ones it has.
const (
	Public    Visibility = iota // outside its module
	Internal                    // inside its module (Go's internal packages, Java modules)
	Protected                   // its package and its subclasses
	Package                     // its package
	Private                     // its type or file
	visibilityEnd
)

var visibilityNames = [visibilityEnd]string{"public", "internal", "protected", "package", "private"}

// String returns the visibility's name in exports and reports.
func (v Visibility) String() string { return enumName(visibilityNames[:], uint8(v)) }

// Flags are properties of a node that are either there or not.
type Flags uint32

// The node flags.
const (
	FlagTest          Flags = 1 << iota // test code: a test, its helper, or a test file
	FlagTestCase                        // a runner starts it: test, benchmark, example, fuzz target
	FlagGenerated                       // carries a mark of generated code
	FlagEntryPoint                      // started from outside: main, init, handlers
	FlagDeprecated                      // its documentation or an annotation says so
	FlagCalledOutside                   // implements a well-known external interface
	FlagPtrReceiver                     // a method of the pointer type
	FlagStatic                          // belongs to the type, not to its values
	FlagAbstract                        // declared without a body, to be implemented
	FlagFinal                           // may not be overridden or assigned
	FlagAsync                           // its result is awaited
	FlagNoBody                          // its body is elsewhere (assembly, native)
	FlagEmbedded                        // an embedded field
	FlagAnonymous                       // has no name of its own; Name is made up
	FlagOnLoad                          // runs before all else of its package; with FlagTestCase, around its tests
	FlagOpaque                          // an external name of which only the name is known
	FlagAccessor                        // a method that is used like a field: a property, a getter, a setter
	FlagElsewhere                       // no build for the default platform has it, whatever else is asked for
	FlagOptional                        // a member that values of the type need not have
	FlagSuite                           // a type with tests, its own or inherited ones, that a runner starts
	flagEnd
)

var flagNames = []string{
	"test", "test_case", "generated", "entry_point", "deprecated", "called_outside",
	"ptr_receiver", "static", "abstract", "final", "async", "no_body", "embedded", "anonymous", "on_load", "opaque",
	"accessor", "elsewhere", "optional", "suite",
}

// Has reports whether all flags of x are set in f.
func (f Flags) Has(x Flags) bool { return f&x == x }

// Names returns the names of the flags that are set, in the order of their
// declaration.
func (f Flags) Names() []string {
	var names []string
	for i, n := range flagNames {
		if f&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return names
}

func enumName(names []string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("invalid(%d)", i)
}

// parseEnum is the inverse of enumName for all enums of the package.
func parseEnum(names []string, s string) (uint8, bool) {
	for i, n := range names {
		if n == s {
			return uint8(i), true
		}
	}
	return 0, false
}

// ParseKind returns the kind that k.String gives as s.
func ParseKind(s string) (Kind, bool) {
	i, ok := parseEnum(kindNames[:], s)
	return Kind(i), ok
}

// ParseEdgeKind returns the edge kind that k.String gives as s.
func ParseEdgeKind(s string) (EdgeKind, bool) {
	i, ok := parseEnum(edgeKindNames[:], s)
	return EdgeKind(i), ok
}

// KindCount, EdgeKindCount and CertaintyCount bound the enums for readers of
// stored graphs; FlagMask holds every known flag.
const (
	KindCount       = int(kindEnd)
	EdgeKindCount   = int(edgeKindEnd)
	CertaintyCount  = int(certaintyEnd)
	VisibilityCount = int(visibilityEnd)
	FlagMask        = flagEnd - 1
)
