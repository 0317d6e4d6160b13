// Package golang is the Go language: how facts are extracted from Go files, how
// modules and packages are laid out, and which names need no import.
package golang

import (
	"sync"

	tree_sitter_go "github.com/tree-sitter/tree-sitter-go/bindings/go"

	"github.com/codekg/kg/analyzer/lang"
	"github.com/codekg/kg/analyzer/link"
	"github.com/codekg/kg/analyzer/syntax"
)

// Language is Go.
var Language = &lang.Language{
	Name:       "go",
	Extensions: []string{".go"},
	Manifests:  []string{"go.mod", "go.work"},
	Version:    1,
	Grammar:    grammar,
	Extract:    Extract,
	Manifest:   ExtractManifest,
	Rules:      rules,
}

var grammar = sync.OnceValue(func() *syntax.Language {
	return syntax.MustLanguage("go", tree_sitter_go.Language())
})

var rules = &link.Rules{
	Name:     "go",
	Layout:   layout,
	Universe: universe,
	Surface:  stdSurface,
	Literals: map[string]string{
		"int": "untypedInt", "float": "untypedFloat", "imaginary": "untypedComplex",
		"rune": "untypedRune", "string": "untypedString",
	},
	Defaults: map[string]string{
		"untypedBool": "bool", "untypedInt": "int", "untypedFloat": "float64",
		"untypedComplex": "complex128", "untypedRune": "rune", "untypedString": "string",
	},
	Basics: link.Basics{Int: "int", Byte: "byte", Rune: "rune", String: "string", Bool: "untypedBool", Null: "untypedNil"},

	Promote:            true,
	ImplicitInterfaces: true,
}
