package golang

import (
	_ "embed"
	"sync"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// universeSource declares Go's predeclared names in Go. What Go's own types
// cannot say is said with ordinary generics: append has a result type, make and
// new take a type where a value is declared. The untyped types are those of
// constants.
//
//go:embed universe.go.txt
var universeSource []byte

// universe returns the facts of the predeclared names.
var universe = sync.OnceValue(func() *facts.File {
	p := syntax.NewParser()
	defer p.Close()
	t, err := p.Parse(grammar(), universeSource)
	if err != nil {
		panic("golang: universe: " + err.Error())
	}
	var b facts.Builder
	b.Reset()
	return Extract(t, &b)
})
