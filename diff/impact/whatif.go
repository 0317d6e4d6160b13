package impact

import (
	"fmt"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// WhatIf returns what a change of one declaration would reach, before it is
// made: removed (every use breaks), signature (every use may break) or body.
// It answers with the same machinery as [Compute], on one graph.
func WhatIf(g *graph.Graph, key string, k diff.Kind, rules diff.Options, o Options) (*Result, error) {
	switch k {
	case diff.Removed, diff.Signature, diff.Body:
	default:
		return nil, fmt.Errorf("impact: cannot suppose that a declaration is %v", k)
	}
	id := g.Lookup(key)
	if id == graph.None {
		return nil, fmt.Errorf("impact: no declaration has the key %q", key)
	}
	if graph.IsExternal(key) {
		return nil, fmt.Errorf("impact: %q is not declared in this tree", key)
	}
	return Compute(diff.Hypothetical(g, id, k, rules), o), nil
}
