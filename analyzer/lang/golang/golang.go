// Package golang is the Go language: how facts are extracted from Go files, how
// modules and packages are laid out, and which names need no import.
//
// # Directives
//
// What directives name are edges, too:
//
//	//go:embed     the variable reads each embedded file, whose node has its
//	               content's hash as body: a changed file changes the variable
//	//go:linkname  the declaration without a body references the one that has
//	               it; of two variables, the local one references the other
//	//go:generate  the file configures the function main of the program that
//	               the command runs, if that is go run and one of the tree
//
// Embedded patterns that match nothing of the tree are unknowns.
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
	Version:    11,
	Grammar:    grammar,
	Extract:    Extract,
	Manifest:   ExtractManifest,
	Rules:      rules,
	Fit: lang.Fit{TopTypes: []string{"any"}, Constants: []string{
		"int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr byte rune float32 float64 complex64 complex128",
		"string", "bool",
	}, Nil: []string{"*", "[]", "map[", "func(", "chan ", "<-chan "}},
	Runner:  "go test",
	Comment: "//",

	Dependencies: dependencies,
	Locks:        []string{"go.sum", "go.work.sum"},
	Native: []string{".s", ".S", ".sx", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".m",
		".f", ".F", ".for", ".f90", ".swig", ".swigcxx", ".syso"},

	TestCommands: testCommands,
}

var grammar = sync.OnceValue(func() *syntax.Language {
	l := syntax.MustLanguage("go", tree_sitter_go.Language())
	l.SetReading(readable)
	return l
})

var rules = &link.Rules{
	Name:     "go",
	Layout:   layout,
	Implies:  implies,
	Universe: universe,
	Embeds:   embeds,
	Surface:  stdSurface,
	Literals: map[string]string{
		"int": "untypedInt", "float": "untypedFloat", "imaginary": "untypedComplex",
		"rune": "untypedRune", "string": "untypedString",
	},
	Defaults: map[string]string{
		"untypedBool": "bool", "untypedInt": "int", "untypedFloat": "float64",
		"untypedComplex": "complex128", "untypedRune": "rune", "untypedString": "string",
	},
	Larger: []string{"untypedInt", "untypedRune", "untypedFloat", "untypedComplex"},
	Basics: link.Basics{Int: "int", Byte: "byte", Rune: "rune", String: "string", Bool: "untypedBool", Null: "untypedNil", Error: "error"},

	Outside: []string{
		"context#Context", "database/sql/driver#Valuer", "encoding/xml#Marshaler", "encoding/xml#Unmarshaler",
		"encoding/xml#MarshalerAttr", "encoding/xml#UnmarshalerAttr", "expvar#Var", "fmt#Formatter", "fmt#Scanner", "fmt#State",
		"go/ast#Visitor", "hash#Hash", "image#Image", "image/color#Color", "image/draw#Image", "io#ReaderFrom", "io#WriterTo",
		"io/fs#DirEntry", "io/fs#FS", "io/fs#File", "io/fs#FileInfo", "io/fs#GlobFS", "io/fs#ReadDirFS", "io/fs#ReadFileFS",
		"io/fs#StatFS", "io/fs#SubFS", "log/slog#Handler", "log/slog#LogValuer", "math/rand#Source", "math/rand/v2#Source",
		"net#Addr", "net#Conn", "net#Error", "net#Listener", "net#PacketConn", "net/http#CookieJar", "net/http#FileSystem",
		"net/http#Flusher", "net/http#Handler", "net/http#Hijacker", "net/http#Pusher", "net/http#ResponseWriter",
		"net/http#RoundTripper", "os#Signal", "reflect#Type", "testing#TB", "testing/quick#Generator",
	},

	Promote:            true,
	ImplicitInterfaces: true,
}
