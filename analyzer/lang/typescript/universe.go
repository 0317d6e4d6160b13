package typescript

import (
	"sync"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/link"
)

// universe declares the primitive types. The rest that needs no import is in the
// declaration files of the standard library.
var universe = sync.OnceValue(func() *facts.File {
	var b facts.Builder
	b.Reset()
	b.Package = b.InternString("typescript")
	for _, name := range []string{"boolean", "number", "string", "bigint", "symbol", "void", "undefined", "null", "never"} {
		d := b.AddDecl(graph.KindClass, b.InternString(name), facts.None)
		b.EndDecl(d)
	}
	return b.Finish()
})

// modules are the rules of structural types and of modules.
var modules = &link.Modules{
	Globals: []string{"lib"},
	Boxes:   map[string]string{"boolean": "Boolean", "number": "Number", "string": "String", "bigint": "BigInt", "symbol": "Symbol"},
	Empty:   []string{"undefined", "null", "void", "never"},
	Array:   "Array", List: "ReadonlyArray", Function: "Function", Promise: "Promise", Awaitable: "PromiseLike",
	Iterator: "Generator", AsyncIterator: "AsyncGenerator", Regexp: "RegExp", Setter: "(set)",
	Utilities: map[string]link.Utility{
		"Partial": link.UtilitySame, "Required": link.UtilitySame, "Readonly": link.UtilitySame, "Pick": link.UtilitySame,
		"Omit": link.UtilitySame, "NonNullable": link.UtilitySame, "Exclude": link.UtilitySame, "Extract": link.UtilitySame, "NoInfer": link.UtilitySame,
		"Record": link.UtilityMap, "ReturnType": link.UtilityResult, "InstanceType": link.UtilityInstance, "Awaited": link.UtilityAwaited,
	},
	Emitters: emitters,
}

// emitters are the methods of Node's EventEmitter, and of what others make like
// it.
var emitters = &link.Emitters{
	Hear: []string{"on", "once", "addListener", "prependListener", "prependOnceListener", "addEventListener"},
	Tell: []string{"emit"},
}
