// Package python is the Python language: how facts are extracted from Python
// files, how modules and packages are laid out, and what linking needs to know.
package python

import (
	"maps"
	"strings"
	"sync"

	tree_sitter_python "github.com/tree-sitter/tree-sitter-python/bindings/go"

	"github.com/codekg/kg/analyzer/lang"
	"github.com/codekg/kg/analyzer/link"
	"github.com/codekg/kg/analyzer/syntax"
)

// Language is Python.
var Language = &lang.Language{
	Name:       "python",
	Extensions: []string{".py", ".pyi"},
	Manifests:  []string{"pyproject.toml", "setup.cfg", "requirements*.txt"},
	Manifest:   ExtractManifest,
	Version:    18,
	Grammar:    grammar,
	Extract:    Extract,
	Rules:      rules,
	Fit:        lang.Fit{Keywords: true, Dynamic: true, Scanned: true, TestsAlone: true, Reexports: true, Fallback: "__getattr__"},
	Runner:     "pytest",
	Comment:    "#",

	Dependencies: dependencies,

	TestCommands: testCommands,
}

var grammar = sync.OnceValue(func() *syntax.Language {
	return syntax.MustLanguage("python", tree_sitter_python.Language())
})

var rules = &link.Rules{
	Name:     "python",
	Layout:   layout,
	Builtins: universe,
	Surface:  stdSurface,
	Literals: map[string]string{"int": "int", "float": "float", "bool": "bool", "string": "str", "bytes": "bytes", "null": null},
	Basics:   link.Basics{Int: "int", String: "str", Bool: "bool", Null: null},
	Dynamic: &link.Dynamic{
		Exports: exportDirective,
		Kinds:   map[string]string{"list": "list", "set": "set", "dict": "dict", "tuple": "tuple", "generator": "list"},
		Forms:   forms(),
		Tuple:   "tuple", Class: "type", Object: "object",
		Unasked: []string{"__slots__", "__match_args__", "__abstractmethods__", "__annotations__", "__parameters__"},
		Aliases: map[string]string{"typing.List": "list", "typing.Dict": "dict", "typing.Set": "set", "typing.FrozenSet": "frozenset",
			"typing.DefaultDict": "collections.defaultdict", "typing.OrderedDict": "collections.OrderedDict", "typing.Counter": "collections.Counter",
			"typing.ChainMap": "collections.ChainMap", "typing.Deque": "collections.deque"},
		Iterable:       "typing.Iterable",
		AsyncIterable:  "typing.AsyncIterable",
		Awaitable:      "typing.Awaitable",
		Generator:      "typing.Generator",
		AsyncGenerator: "typing.AsyncGenerator",
		Coroutine:      "typing.Coroutine",
		Enum:           "enum.Enum",
		Constructors:   []string{"__init__", "__new__"},
		Call:           "__call__",
		Iterates:       "__iter__",
		Next:           "__next__",
		Item:           "__getitem__",
		SetItem:        "__setitem__",
		DelItem:        "__delitem__",
		Fallback:       "__getattr__",
		Getter:         "__get__",
		Assigned:       "__set__",
		Removed:        "__delete__",
		Subclassed:     "__init_subclass__",
		TypeTests:      []string{"isinstance", "issubclass"},
		Special:        "__",
		Setter:         "@setter",
		Deleter:        "@deleter",
		AsyncIterates:  "__aiter__",
		AsyncNext:      "__anext__",
		Record:         "typing._TypedDict",
		Fills:          []string{"append", "add", "appendleft", "insert"},
		Merges:         []string{"extend", "extendleft", "update"},
		Sends:          []string{"send", "asend"},
		Signals: &link.Signals{Hear: []string{"connect", "connect_via"}, Tell: []string{"send", "send_robust", "asend", "asend_robust", "send_async"},
			By: []string{"receiver"}},
		Managers: &link.Managers{Name: "objects", Bases: []string{"django.db.models.Model", "django.contrib.gis.db.models.Model"},
			One: []string{"get", "create", "first", "last", "latest", "earliest"}, Pairs: []string{"get_or_create", "update_or_create"},
			Same: []string{"all", "filter", "exclude", "order_by", "select_related", "prefetch_related", "annotate", "distinct", "using", "reverse", "only",
				"defer", "none", "select_for_update", "iterator", "bulk_create", "union", "intersection", "difference"}},
		NamedTuple:  "typing.NamedTuple",
		Property:    "builtins.property",
		Getting:     "fget",
		Unary:       unary(),
		Reflected:   reflected(),
		Dispatchers: []string{"functools._SingleDispatchCallable", "functools.singledispatchmethod"},
		Register:    "register",
		Contains:    []string{"in", "not in"},
		Operators: map[string]string{"+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "//": "__floordiv__",
			"%": "__mod__", "**": "__pow__", "@": "__matmul__", "&": "__and__", "|": "__or__", "^": "__xor__", "<<": "__lshift__",
			">>": "__rshift__", "+=": "__iadd__ __add__", "-=": "__isub__ __sub__", "*=": "__imul__ __mul__", "/=": "__itruediv__ __truediv__",
			"//=": "__ifloordiv__ __floordiv__", "%=": "__imod__ __mod__", "@=": "__imatmul__ __matmul__", "|=": "__ior__ __or__", "&=": "__iand__ __and__",
			"^=": "__ixor__ __xor__", "==": "__eq__", "!=": "__ne__ __eq__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__",
			"in": "__contains__", "not in": "__contains__"},
	},
}

// null is the class of None, which has no name in builtins.
const null = "None"

// builtinMethods are the methods that functions of the language run on their argument.
// What another method or the class of all objects stands in for is named first.
var builtinMethods = map[string]string{"len()": "__len__", "str()": "__str__ __repr__", "repr()": "__repr__", "format()": "__format__ __str__ __repr__",
	"hash()": "__hash__", "abs()": "__abs__", "round()": "__round__", "next()": "__next__", "iter()": "__iter__"}

// unary returns the methods of operators with one operand, and of such functions.
func unary() map[string]string {
	m := map[string]string{"-": "__neg__", "+": "__pos__", "~": "__invert__"}
	maps.Copy(m, builtinMethods)
	return m
}

// reflected returns the methods of the right operand, by those of the left.
func reflected() map[string]string {
	m := map[string]string{}
	for name := range strings.FieldsSeq("add sub mul truediv floordiv mod pow matmul and or xor lshift rshift") {
		m["__"+name+"__"] = "__r" + name + "__"
	}
	return m
}

// forms are the names that mean something to type checkers.
func forms() map[string]link.Form {
	m := map[string]link.Form{
		"builtins.type": link.FormType, "builtins.property": link.FormProperty, "builtins.staticmethod": link.FormKeep, "functools.partial": link.FormPartial, "functools.wraps": link.FormKeep,
	}
	for name, f := range map[string]link.Form{
		"Any": link.FormAny, "Optional": link.FormOptional, "Union": link.FormUnion, "ClassVar": link.FormFirst, "Final": link.FormFirst,
		"Annotated": link.FormFirst, "Required": link.FormFirst, "NotRequired": link.FormFirst, "ReadOnly": link.FormFirst,
		"Unpack": link.FormFirst, "Concatenate": link.FormAny, "Literal": link.FormLiteral, "Callable": link.FormCallable,
		"Tuple": link.FormTuple, "Type": link.FormType, "Generic": link.FormGeneric, "Protocol": link.FormProtocol, "Self": link.FormSelf,
		"TypeVar": link.FormTypeVar, "ParamSpec": link.FormTypeVar, "NewType": link.FormNewType, "cast": link.FormCast, "TypedDict": link.FormRecord,
	} {
		m["typing."+name], m["typing_extensions."+name] = f, f
	}
	return m
}
