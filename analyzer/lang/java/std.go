package java

import (
	_ "embed"
	"sync"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// std.kgs is the API of the JDK, made by surfacegen.
//
//go:generate go run ./surfacegen -o std.kgs
//go:embed std.kgs
var stdArchive string

var std = sync.OnceValue(func() *facts.Archive {
	if len(stdArchive) == 0 {
		return facts.NewArchive()
	}
	a, err := facts.OpenLibrary(stdArchive)
	if err != nil {
		panic("java: " + err.Error())
	}
	return a
})

// stdSurface returns the facts of a package of the JDK.
func stdSurface(path string) *facts.Group { return std().Group(path) }

// Surface returns the API that the source of a library's file declares: public
// and protected types with such members, and whatever those mention.
func Surface(src []byte) (*facts.File, error) {
	p := syntax.NewParser()
	p.Limits.Bytes = max(p.Limits.Bytes, 16<<20)
	defer p.Close()
	t, err := p.Parse(grammar(), src)
	if err != nil {
		return nil, err
	}
	var b facts.Builder
	f := Extract(t, &b)
	s := f.Surface(func(id facts.DeclID) bool {
		d := &f.Decls[id]
		return d.Traits&(facts.TraitLiteral|facts.TraitLocal) == 0 && d.Vis != graph.Private
	})
	return s, s.Check()
}
