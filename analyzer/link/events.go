package link

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Events are how a language's containers and buses bring values from who
// publishes them to who listens for their types, which no call shows.
type Events struct {
	// Publish are the names of the methods, of types that are not in the tree,
	// that hand over their first argument.
	Publish []string

	// Listen are the names of the annotations of methods that get events of the
	// type of their first parameter, and Listeners those of methods that do so
	// because an interface outside of the tree has them.
	Listen, Listeners []string
}

// maxListeners bounds the methods that are taken to get one event.
const maxListeners = 64

// listeners finds the methods that listen, by the type of the event.
func (l *linker) findListeners() {
	l.listeners = map[Ent][]Ent{}
	for _, f := range l.ownFiles() {
		if f.Rules.Classes == nil || f.Rules.Classes.Events == nil {
			continue
		}
		rules := f.Rules.Classes.Events
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			e := f.base + Ent(i)
			if d.Kind != graph.KindMethod || d.Params.Len() == 0 || l.nodeOf[e] == graph.None {
				continue
			}
			listens := slices.Contains(rules.Listeners, f.Facts.Str(d.Name))
			for _, m := range f.Facts.Lists[d.Marks.Lo:d.Marks.Hi] {
				if x := &f.Facts.Exprs[m]; x.Op == facts.OpMark && x.X >= 0 && slices.Contains(rules.Listen, f.Facts.Str(f.Facts.Exprs[x.X].Name)) {
					listens = true
				}
			}
			if !listens || l.types.kind(l.typ[e]) != kFunc {
				continue
			}
			if r := l.types.rec(l.types.arg(l.typ[e], 0)); r.kind == kNamed {
				l.listeners[l.canon[r.ent]] = append(l.listeners[l.canon[r.ent]], e)
			}
		}
	}
}

// publish records who gets the event that a call hands over, if it is of a type
// of the tree: those who listen for the type, or for one above it.
func (r *bodyReader) publish(e facts.ExprID, x, callee *facts.Expr) {
	rules := r.f.Rules.Classes.Events
	args := r.f.Facts.List(x.Args)
	if rules == nil || len(r.l.listeners) == 0 || len(args) == 0 || x.Op != facts.OpCall || !slices.Contains(rules.Publish, r.f.Facts.Str(callee.Name)) {
		return
	}
	t := r.ev.typeOf(facts.ExprID(args[0]))
	if r.ev.types.kind(t) != kNamed || r.l.nodeOf[r.l.canon[r.ev.types.rec(t).ent]] == graph.None {
		return
	}
	n := 0
	r.ev.eachSuper(t, func(y Type) bool {
		rec := r.ev.types.rec(y)
		if rec.kind != kNamed {
			return true
		}
		for _, m := range r.l.listeners[r.l.canon[rec.ent]] {
			if to := r.target(m); to != graph.None && n < maxListeners {
				n++
				r.edges = append(r.edges, graph.RawEdge{From: r.owner[e], To: to, Type: graph.None, Kind: graph.EdgeHandles,
					Certainty: graph.Inferred, HasSite: true, Site: r.site(callee.Line, callee.Col)})
			}
		}
		return true
	})
}
