package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// subclassed records the method that runs because a class is declared: that of the
// nearest class above it.
func (r *bodyReader) subclassed(id facts.DeclID, d *facts.Decl) {
	l, ev := r.l, r.ev
	name := ev.lang.dyn.subclassed
	if name == 0 || d.Bases.Len() == 0 {
		return
	}
	m := ev.mroFor(r.f.base + Ent(id))
	for i, y := range m.types {
		if i == 0 {
			continue
		}
		e := Ent(l.members.get(int32(ev.types.rec(y).ent), name))
		if e == noEnt {
			continue
		}
		if to := l.nodeOf[e]; to != graph.None && l.decl(e).Kind.IsCallable() {
			s := r.site(d.Line, d.Col)
			s.Args = -1 // the language knows what it gives it
			certainty := graph.Exact
			if m.foreign[i] {
				certainty = graph.Inferred
			}
			r.edges = append(r.edges, graph.RawEdge{From: r.owner[r.f.Facts.Lists[d.Bases.Lo]], To: to, Type: graph.None, Kind: graph.EdgeCalls,
				Certainty: certainty, HasSite: true, Site: s})
		}
		return
	}
}
