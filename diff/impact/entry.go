package impact

import (
	"maps"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// enter notes an entry point among the impacted symbols of the change at hand.
// One that calls what may run any of many implementations is none: a program
// that dispatches to dozens of handlers reaches nearly everything so.
func (e *engine) enter(h *hit) {
	if !h.Symbol.Flags.Has(graph.FlagEntryPoint) || h.Symbol.Flags&(graph.FlagTest|graph.FlagOnLoad) != 0 || h.Certainty == graph.Ambiguous ||
		h.walked && e.walk.guessed(h.ID) {
		return
	}
	x := Reached{Symbol: h.Symbol, ID: h.ID, Distance: h.Depth, Certainty: h.Certainty}
	if old, ok := e.started[h.ID]; ok && nearest(old, x) <= 0 {
		return
	}
	if h.walked {
		for v := e.walk.nodes[h.ID]; v.edge >= 0; v = e.walk.nodes[v.from] {
			x.Via = append(x.Via, &e.head.Nodes[v.from])
		}
	} else {
		for _, hop := range h.Path[:max(len(h.Path)-1, 0)] {
			x.Via = append(x.Via, hop.To)
		}
		x.Via = append(x.Via, e.d.Symbol(e.c))
	}
	if e.started == nil {
		e.started = map[graph.ID]Reached{}
	}
	e.started[h.ID] = x
}

// entryPoints returns the entry points that some change reaches, nearest first.
func (e *engine) entryPoints() []Reached {
	return slices.SortedFunc(maps.Values(e.started), nearest)
}
