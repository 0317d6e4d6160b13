package analyzer

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// codeLanguages maps the endings of file names to the languages that have
// declarations, whether kg reads them or not. Files with other endings (texts,
// images, data) are nobody's code and are not counted.
var codeLanguages = map[string]string{
	"asm": "assembly", "s": "assembly", "S": "assembly", "bash": "shell", "sh": "shell", "zsh": "shell",
	"c": "c", "h": "c", "cc": "c++", "cpp": "c++", "cxx": "c++", "hpp": "c++", "hh": "c++", "hxx": "c++",
	"clj": "clojure", "cljs": "clojure", "coffee": "coffeescript", "cs": "c#", "cu": "cuda", "d": "d",
	"dart": "dart", "ex": "elixir", "exs": "elixir", "elm": "elm", "erl": "erlang", "f90": "fortran",
	"fs": "f#", "gd": "gdscript", "go": "go", "gradle": "groovy", "groovy": "groovy", "graphql": "graphql",
	"hs": "haskell", "java": "java", "jl": "julia", "js": "javascript", "jsx": "javascript", "mjs": "javascript",
	"cjs": "javascript", "kt": "kotlin", "kts": "kotlin", "lua": "lua", "m": "objective-c", "mm": "objective-c",
	"ml": "ocaml", "mli": "ocaml", "nim": "nim", "php": "php", "pl": "perl", "pm": "perl", "proto": "protobuf",
	"ps1": "powershell", "py": "python", "pyi": "python", "pyx": "cython", "ipynb": "notebook", "r": "r", "R": "r",
	"rb": "ruby", "rs": "rust", "scala": "scala", "sol": "solidity", "sql": "sql", "svelte": "svelte",
	"swift": "swift", "tf": "terraform", "thrift": "thrift", "ts": "typescript", "tsx": "typescript",
	"mts": "typescript", "cts": "typescript", "v": "verilog", "vb": "visual basic", "vue": "vue", "zig": "zig",
	"y": "yacc", "l": "lex",
}

// skippedCounter counts the files of languages that are not analysed.
type skippedCounter struct {
	counts map[string]int32
}

func (s *skippedCounter) add(path string) {
	base := path[strings.LastIndexByte(path, '/')+1:]
	dot := strings.LastIndexByte(base, '.')
	if dot <= 0 {
		return
	}
	l, ok := codeLanguages[base[dot+1:]]
	if !ok {
		return
	}
	if s.counts == nil {
		s.counts = map[string]int32{}
	}
	s.counts[l]++
}

func (s *skippedCounter) list() []graph.Skipped {
	var list []graph.Skipped
	for l, n := range s.counts {
		list = append(list, graph.Skipped{Lang: l, Files: n})
	}
	slices.SortFunc(list, func(a, b graph.Skipped) int { return strings.Compare(a.Lang, b.Lang) })
	return list
}
