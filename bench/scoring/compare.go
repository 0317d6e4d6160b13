// Package scoring compares the edges of a graph with what a compiler says about
// the same source. It knows no programming language: any oracle that writes the
// records of package record can judge. bench/README.md says what is counted.
package scoring

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/codekg/kg/bench/record"
)

// Options are how a graph is compared and what is said about it.
type Options struct {
	Kinds    []string // to compare; none: all that the oracle judges
	Examples int      // wrong and missed pairs to show, of each kind; negative: all
	Source   func(file string, line int) string
	// Initialisers says what a site in a package-level initialiser counts to:
	// variable (the default), package or either.
	Initialisers string
	// Overloads of one name in one type count as one.
	AsOne bool
}

// Compare judges a graph by an oracle.
func Compare(o *record.Oracle, g *record.Graph, opt Options) *Score {
	if opt.Source == nil {
		opt.Source = SourceLines("")
	}
	if !opt.AsOne {
		return newIndex(o, g).score(opt)
	}
	ix := newIndex(asOne(o), g)
	ix.joinOverloads()
	return ix.score(opt)
}

// SourceLines returns a function that reads one line of a file below dir.
func SourceLines(dir string) func(file string, line int) string {
	if dir == "" {
		return func(string, int) string { return "" }
	}
	cache := map[string][]string{}
	return func(file string, line int) string {
		lines, ok := cache[file]
		if !ok && filepath.IsLocal(filepath.FromSlash(file)) {
			if data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file))); err == nil {
				lines = strings.Split(string(data), "\n")
			}
			cache[file] = lines
		}
		if line < 1 || line > len(lines) {
			return ""
		}
		text := strings.TrimSpace(lines[line-1])
		if len(text) > 160 {
			text = strings.ToValidUTF8(text[:160], "") + " …"
		}
		return text
	}
}
