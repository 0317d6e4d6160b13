// Package typescript is TypeScript and JavaScript: how facts are extracted from
// their files, how import paths resolve, and how types are structural.
package typescript

import (
	"strings"

	"github.com/codekg/kg/analyzer/lang"
	"github.com/codekg/kg/analyzer/link"
	"github.com/codekg/kg/analyzer/syntax"
)

// Language is TypeScript with JavaScript: one family, since files of both
// import each other.
var Language = &lang.Language{
	Name:       "typescript",
	Extensions: []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue"},
	Manifests:  []string{"package.json", "tsconfig*.json", "jsconfig*.json"},
	Version:    15,
	Grammar:    func() *syntax.Language { return plain().lang },
	Dialect:    dialectFor,
	Extract:    Extract,
	Manifest:   ExtractManifest,
	Locks:      []string{"package-lock.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "npm-shrinkwrap.json"},
	Rules:      rules,
	Fit:        lang.Fit{Coerces: true, FileModules: true, Reexports: true, Loose: []string{".js", ".jsx", ".mjs", ".cjs", ".vue"}, Union: " | ", Structural: true, TopTypes: []string{"any", "unknown"}},
	Runner:     "npm",
	Comment:    "//",

	TestCommands: testCommands,
}

// dialectFor returns the grammar of a file with the given base name, and the
// name under which its facts are kept apart from those of the same bytes in
// another grammar.
func dialectFor(base string) (string, *syntax.Language) {
	switch base[strings.LastIndexByte(base, '.')+1:] {
	case "ts", "mts", "cts":
		return "", plain().lang
	case "vue":
		return ".vue", inVue().lang
	}
	return ".tsx", withJSX().lang
}

var rules = &link.Rules{
	Name:     "typescript",
	Layout:   layout,
	Universe: universe,
	Surface:  libSurface,
	Literals: map[string]string{"string": "string", "number": "number", "bool": "boolean", "null": "null", "undefined": "undefined"},
	Basics:   link.Basics{Int: "number", String: "string", Bool: "boolean", Null: "null"},
	Modules:  modules,
}
