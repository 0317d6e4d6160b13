// Package java is the Java language: how facts are extracted from Java files,
// how modules, source roots and packages are laid out, and how names and
// overloads are resolved.
package java

import (
	"sync"

	tree_sitter_java "github.com/tree-sitter/tree-sitter-java/bindings/go"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/lang"
	"github.com/codekg/kg/analyzer/link"
	"github.com/codekg/kg/analyzer/syntax"
)

// Language is Java.
var Language = &lang.Language{
	Name:       "java",
	Extensions: []string{".java"},
	Manifests:  []string{"pom.xml", "*.gradle", "*.gradle.kts"},
	Version:    18,
	Grammar:    grammar,
	Extract:    Extract,
	Manifest:   ExtractManifest,
	Rules:      rules,
	Fit: lang.Fit{Coerces: true, Statics: true, TopTypes: []string{"java.lang.Object"}, Scanned: true, Supertypes: standardSupertypes,
		Unchecked: []string{"java.lang.RuntimeException", "java.lang.Error"}, Overriding: graph.ExternalKey("java", "java.lang", "Override"), Unread: []string{graph.ExternalKey("java", "java.lang", "SuppressWarnings")}, Compiled: erasedType},
	Runner:  "maven",
	Comment: "//",

	TestCommands: testCommands,
}

var grammar = sync.OnceValue(func() *syntax.Language {
	l := syntax.MustLanguage("java", tree_sitter_java.Language())
	l.SetReading(readable)
	return l
})

var rules = &link.Rules{
	Name:     "java",
	Layout:   layout,
	Universe: universe,
	Surface:  stdSurface,
	Literals: map[string]string{"int": "int", "long": "long", "float": "float", "double": "double", "char": "char",
		"string": "java.lang.String", "bool": "boolean", "null": "null"},
	Basics: link.Basics{Int: "int", String: "java.lang.String", Bool: "boolean", Null: "null"},
	Angled: true,
	Classes: &link.Classes{
		Separator: ".",
		Default:   []string{"java.lang"},
		Roots: map[graph.Kind]string{graph.KindClass: "java.lang.Object", graph.KindEnum: "java.lang.Enum",
			graph.KindRecord: "java.lang.Record", graph.KindInterface: "java.lang.Object",
			graph.KindAnnotation: "java.lang.annotation.Annotation"},
		Root:     "java.lang.Object",
		Iterable: "java.lang.Iterable",
		TypeOf:   "java.lang.Class",
		Array:    "array",
		Widening: []string{"byte short int long float double", "char int long float double"},
		Boxes: map[string]string{"boolean": "java.lang.Boolean", "byte": "java.lang.Byte", "short": "java.lang.Short",
			"char": "java.lang.Character", "int": "java.lang.Integer", "long": "java.lang.Long", "float": "java.lang.Float",
			"double": "java.lang.Double", "void": "java.lang.Void"},
		Arrays:  []string{"java.lang.Object", "java.lang.Cloneable", "java.io.Serializable"},
		Injects: injects,
		Wiring:  wiring,
		Element: "value",
		Events: &link.Events{
			Publish:   []string{"publishEvent", "post", "postSticky", "fire", "fireAsync", "publish"},
			Listen:    []string{"EventListener", "TransactionalEventListener", "ApplicationModuleListener", "Subscribe", "Observes", "ObservesAsync"},
			Listeners: []string{"onApplicationEvent"},
		},
	},
}
