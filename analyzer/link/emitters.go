package link

import (
	"cmp"
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Emitters are how a language's objects tell events by their names to functions
// that were given to them for these, which no call shows.
type Emitters struct {
	// Hear are the names of the methods that are given the name of an event and
	// who hears of it, Tell those that are given the name of one that happened.
	Hear, Tell []string
}

// emission is a call of an emitter's method: of one that is told a name, or
// given who hears of it.
type emission struct {
	of    Ent   // the class of the emitter, or the variable that holds it
	event int64 // the symbol of the name, or the declaration of the constant; those are negative
	node  graph.ID
	test  bool // in test code: what a test listens to for itself is nobody else's
	site  graph.Site
}

// maxClimb bounds the classes above that of an emitter.
const maxClimb = 32

// emits notes a call that tells an event or says who hears of one. Only names
// that are constant count, and emitters that the tree itself declares: others
// may be shared with code that is not seen.
func (r *bodyReader) emits(e facts.ExprID, x, callee *facts.Expr) {
	rules := r.f.Rules.Modules.Emitters
	if rules == nil || x.Op != facts.OpCall || callee.Op != facts.OpSelect || callee.X < 0 || len(r.f.Facts.List(x.Args)) == 0 {
		return
	}
	name := r.f.Facts.Str(callee.Name)
	hears := slices.Contains(rules.Hear, name)
	if !hears && !slices.Contains(rules.Tell, name) {
		return
	}
	args := r.f.Facts.List(x.Args)
	event := r.event(facts.ExprID(args[0]))
	of := r.emitter(callee.X)
	if event == 0 || of == noEnt {
		return
	}
	m := emission{of: of, event: event, node: r.owner[e], site: r.site(callee.Line, callee.Col)}
	if !hears {
		r.told = append(r.told, m)
		return
	}
	if len(args) < 2 {
		return
	}
	given := facts.ExprID(args[1])
	if g := &r.f.Facts.Exprs[given]; g.Op == facts.OpCall && g.X >= 0 && r.f.Facts.Exprs[g.X].Op == facts.OpSelect { // f.bind(…)
		given = r.f.Facts.Exprs[g.X].X
	}
	if ref := r.ev.ref[given]; ref != noEnt {
		m.node = graph.None
		if r.l.decl(ref).Kind.IsCallable() {
			m.node = r.target(ref)
		}
	} else if r.f.Facts.Exprs[given].Op != facts.OpFunc {
		return
	}
	if m.node >= 0 {
		r.heard = append(r.heard, m)
	}
}

// event returns what tells the event that an argument names from others; 0 if it
// is not constant.
func (r *bodyReader) event(a facts.ExprID) int64 {
	x := &r.f.Facts.Exprs[a]
	if x.Op == facts.OpLiteral && x.X >= 0 {
		return int64(r.f.syms[r.f.Facts.Exprs[x.X].Name])
	}
	if ref := r.ev.ref[a]; ref != noEnt {
		switch d := r.l.decl(ref); d.Kind {
		case graph.KindConstant, graph.KindEnumMember, graph.KindField, graph.KindVariable:
			if r.l.nodeOf[r.l.canon[ref]] != graph.None {
				return -int64(r.l.canon[ref]) - 1
			}
		}
	}
	return 0
}

// emitter returns what tells the emitter e from others: the class of the tree on
// top of its own, or the variable or field that holds it.
func (r *bodyReader) emitter(e facts.ExprID) Ent {
	l := r.l
	if rec := *r.ev.types.rec(r.ev.widened(r.ev.typ[e])); rec.kind == kNamed && rec.ent != noEnt && l.nodeOf[l.canon[rec.ent]] != graph.None {
		top := l.canon[rec.ent]
		for range maxClimb {
			bases := r.ev.extended(top)
			if len(bases) == 0 {
				break
			}
			b := *r.ev.types.rec(bases[0])
			if b.kind != kNamed || b.ent == noEnt || l.nodeOf[l.canon[b.ent]] == graph.None {
				break
			}
			top = l.canon[b.ent]
		}
		return top
	}
	if ref := r.ev.ref[e]; ref != noEnt && l.nodeOf[l.canon[ref]] != graph.None && isValue(l.decl(ref).Kind) {
		return l.canon[ref]
	}
	return noEnt
}

// joinEmitters records who hears of the events that are told, over all files.
func (l *linker) joinEmitters(readers []*bodyReader) {
	var told, heard []emission
	for _, r := range readers {
		told, heard = append(told, r.told...), append(heard, r.heard...)
		for _, n := range r.outside {
			l.b.AddFlags(n, graph.FlagEntryPoint)
		}
	}
	byEvent := func(a, b emission) int {
		return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.event, b.event), cmp.Compare(a.node, b.node))
	}
	slices.SortFunc(heard, byEvent)
	heard = slices.CompactFunc(heard, func(a, b emission) bool { return byEvent(a, b) == 0 })
	var edges []graph.RawEdge
	for _, t := range told {
		lo, _ := slices.BinarySearchFunc(heard, t, func(a, b emission) int { return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.event, b.event)) })
		for n, h := range heard[lo:] {
			if h.of != t.of || h.event != t.event || n >= maxListeners {
				break
			}
			if h.node != t.node && (t.test || !h.test) {
				edges = append(edges, graph.RawEdge{From: t.node, To: h.node, Type: graph.None, Kind: graph.EdgeHandles,
					Certainty: graph.Inferred, HasSite: true, Site: t.site})
			}
		}
	}
	l.b.AddEdges(edges)
}
