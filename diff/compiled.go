package diff

import (
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// compareCompiled notes that users of a member which fit its new shape do not
// find it if they were compiled before: one of its types is another one there.
// What fits nobody needs no note, nor does what other packages cannot use.
func compareCompiled(ds *details, x, y *graph.Node) {
	compiled := ds.rules.Compiled
	if compiled == nil || x.Visibility > graph.Protected || y.Visibility > graph.Protected ||
		slices.ContainsFunc(ds.list, func(d Detail) bool { return d.Verdict == Breaking }) {
		return
	}
	for _, d := range ds.list {
		switch d.Code {
		case ParamAdded, StaticChanged: // users give it no argument; or ask a value for it
		case ParamType, ResultType, TypeChanged:
			if a, b := compiled(d.From), compiled(d.To); a == "" || b == "" || a == b {
				continue
			}
		default:
			continue
		}
		ds.add(BinaryChanged, d.From, d.To)
		return
	}
}
