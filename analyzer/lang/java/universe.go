package java

import (
	"sync"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// universe declares the primitive types, the type of null, and what arrays
// have. The language cannot declare them itself.
var universe = sync.OnceValue(func() *facts.File {
	var b facts.Builder
	b.Reset()
	b.Package = b.InternString("java")
	for _, name := range []string{"boolean", "byte", "short", "char", "int", "long", "float", "double", "void", "null"} {
		d := b.AddDecl(graph.KindTypeAlias, b.InternString(name), facts.None)
		b.Decls[d].Vis = graph.Package
		b.EndDecl(d)
	}
	array := b.AddDecl(graph.KindClass, b.InternString("array"), facts.None)
	b.Decls[array].Vis = graph.Package
	typ := func(name string) facts.ExprID {
		return b.AddExpr(facts.Expr{Op: facts.OpName, Flags: facts.FlagTyped, Name: b.InternString(name), X: facts.None, Y: facts.None})
	}
	length := b.AddDecl(graph.KindField, b.InternString("length"), array)
	b.Decls[length].Type = typ("int")
	b.EndDecl(length)
	b.EndDecl(array)
	return b.Finish()
})
