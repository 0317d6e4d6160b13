package golang

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/link"
)

// references finds what directives say about declarations: the symbols that
// //go:linkname makes one, and the programs that //go:generate runs.
func (la *layouter) references(files []link.File) {
	for i := range files {
		f := &files[i]
		if la.Files[i].Unit < 0 {
			continue
		}
		for k := range f.Facts.Directives {
			d := &f.Facts.Directives[k]
			r := link.Reference{File: i, Directive: k, Unit: -1}
			switch f.Facts.Str(d.Name) {
			case directiveLinkname:
				r.Kind = graph.EdgeReferences
				local, symbol, _ := strings.Cut(f.Facts.Str(d.Value), " ")
				r.From = local
				r.Unit, r.To = la.symbol(la.Files[i].Unit, symbol)
			case directiveGenerate:
				r.Kind = graph.EdgeConfigures
				r.Unit, r.To = la.program(files, i, f.Facts.Str(d.Value)), "main"
			}
			if r.Unit >= 0 {
				la.References = append(la.References, r)
			}
		}
	}
}

// symbol returns the package and the name of the symbol that the linker knows
// by the given name: PATH.NAME, PATH.TYPE.NAME or PATH.(*TYPE).NAME, in which
// the last element of the path has %2e for a dot.
func (la *layouter) symbol(from int, symbol string) (int, string) {
	slash := strings.LastIndexByte(symbol, '/') + 1
	last, name, ok := strings.Cut(symbol[slash:], ".")
	if !ok || name == "" {
		return -1, ""
	}
	p := symbol[:slash] + strings.ReplaceAll(last, "%2e", ".")
	if p == "main" { // the program that the file is part of
		return from, name
	}
	return la.resolve(from, p), strings.TrimPrefix(strings.Replace(name, ").", ".", 1), "(*")
}

// runFlags are the flags of go run that take a value as a word of its own.
var runFlags = []string{"C", "asmflags", "buildmode", "compiler", "coverpkg", "covermode", "exec", "gccgoflags", "gcflags", "installsuffix",
	"ldflags", "mod", "modfile", "overlay", "p", "pgo", "pkgdir", "tags", "toolexec"}

// program returns the package that a command of go generate runs by go run, in
// the folder of file i, or -1.
func (la *layouter) program(files []link.File, i int, command string) int {
	words := commandWords(command)
	if len(words) < 3 || words[0] != "go" || words[1] != "run" {
		return -1
	}
	dir, words := dirOf(files[i].Path), words[2:]
	for len(words) > 1 && strings.HasPrefix(words[0], "-") {
		name, value, given := strings.Cut(strings.TrimLeft(words[0], "-"), "=")
		words = words[1:]
		if !given && slices.Contains(runFlags, name) {
			value, words = words[0], words[1:]
		}
		if name == "C" {
			dir = path.Join(dir, value)
		}
	}
	if len(words) == 0 || strings.ContainsAny(words[0], "$@") {
		return -1
	}
	unit := -1
	switch p := words[0]; {
	case strings.HasSuffix(p, ".go"):
		p = path.Join(dir, p)
		if n, ok := slices.BinarySearchFunc(files, p, func(f link.File, p string) int { return strings.Compare(f.Path, p) }); ok {
			unit = la.Files[n].Unit
		}
	case p == "." || p == ".." || strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../"):
		if d, ok := inTree(dir, p); ok {
			if n, ok := la.folders[d]; ok {
				unit = n
			}
		}
	default:
		unit = la.resolve(la.Files[i].Unit, p)
	}
	if unit >= 0 && la.Units[unit].Name != "main" {
		return -1
	}
	return unit
}

// commandWords splits a command as go generate does: at spaces, with strings in
// double quotes. What follows a broken string is left out.
func commandWords(command string) []string {
	var words []string
	for {
		command = strings.TrimLeft(command, " \t\r")
		if command == "" {
			return words
		}
		if command[0] == '"' {
			q, err := strconv.QuotedPrefix(command)
			if err != nil {
				return words
			}
			word, _ := strconv.Unquote(q)
			words, command = append(words, word), command[len(q):]
			continue
		}
		word, rest := command, ""
		if i := strings.IndexAny(command, " \t\r"); i >= 0 {
			word, rest = command[:i], command[i:]
		}
		words, command = append(words, word), rest
	}
}
