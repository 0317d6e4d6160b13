package link

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// The edges of calls in languages whose types flow.

// dynamicCall records whom a call calls. The callee is at expression at.
func (r *bodyReader) dynamicCall(e facts.ExprID, x *facts.Expr, at facts.ExprID) {
	if at < 0 {
		return
	}
	ev := r.ev
	t := ev.types
	fs := r.f.Facts
	c := &fs.Exprs[at]
	if x != nil {
		r.signalCall(e, x, c)
	}
	if c.Line == 0 {
		if x != nil && x.Line > 0 && c.Op == facts.OpSelect && c.X >= 0 {
			for _, m := range t.members(ev.typ[c.X]) {
				r.implicit(at, m, r.f.syms[c.Name], x)
			}
		}
		return
	}
	s := r.site(c.Line, c.Col)
	if x != nil {
		r.dynamicShape(&s, x)
	} else {
		s.Args = 1
	}
	if r.waits[at] {
		s.Flags |= graph.SiteLiteral
	}
	if x != nil && x.Flags&facts.FlagLater != 0 {
		s.Flags |= graph.SiteGo
	}
	certainty := graph.Exact
	if ev.dyn.flowed[at] {
		certainty = graph.Inferred
	}
	if c.Op == facts.OpName && c.Flags&facts.FlagLocal == 0 {
		certainty = graph.Exact
	}
	ref := ev.ref[at]
	if ref != noEnt {
		d := r.l.decl(ref)
		switch {
		case d.Kind.IsType():
			r.constructs(at, c, ref, s, certainty)
			return
		case d.Kind.IsCallable() && d.Traits&facts.TraitAccessor == 0:
			if c.Op != facts.OpSelect {
				r.callTo(at, ref, s, certainty)
				return
			}
			r.methodCalls(at, c, s, certainty)
			return
		}
	}
	ct := ev.typ[at]
	ms := t.members(ct)
	if len(ms) > 1 || c.Op != facts.OpName && c.Op != facts.OpSelect {
		certainty = graph.Inferred
	}
	if ref != noEnt || c.Flags&facts.FlagLocal != 0 {
		certainty = graph.Inferred
	}
	for _, m := range ms {
		switch rec := t.rec(m); rec.kind {
		case kCallable:
			r.callTo(at, rec.ent, s, certainty)
		case kMeta:
			if cls, _ := ev.classOf(t.arg(m, 0)); cls != noEnt {
				r.constructs(at, c, cls, s, certainty)
			}
		case kNamed, kSelf:
			if h := ev.find(m, ev.lang.dyn.call); h.ent != noEnt {
				r.callTo(at, h.ent, s, graph.Inferred)
			}
		case kExtern:
			to := r.extern(r.l.symString(Sym(rec.ent)), r.l.symString(Sym(rec.n)))
			r.edges = append(r.edges, graph.RawEdge{From: r.owner[at], To: to, Type: graph.None, Kind: graph.EdgeCalls, Certainty: certainty, HasSite: true, Site: s})
		}
	}
}

// methodCalls records the methods that a selection may mean.
func (r *bodyReader) methodCalls(at facts.ExprID, c *facts.Expr, s graph.Site, certainty graph.Certainty) {
	ev := r.ev
	t := ev.types
	on := ev.typ[c.X]
	ms := t.members(on)
	if ev.dyn.flowed[c.X] || len(ms) > 1 {
		certainty = graph.Inferred
	}
	name := r.f.syms[c.Name]
	done := 0
	for i, m := range ms {
		if t.kind(m) == kPkg {
			if _, e := ev.moduleMember(m, name); e != noEnt {
				r.called(at, c, e, s, certainty)
				done++
			}
			continue
		}
		h := ev.find(m, name)
		if h.ent == noEnt {
			continue
		}
		how := certainty
		if h.foreign {
			how = graph.Inferred
		}
		site := s
		if !slices.ContainsFunc(ms, func(o Type) bool { return o != ms[i] && t.kind(o) != kPkg && ev.find(o, name).ent == h.ent }) {
			r.calledOn(&site, m, h.ent)
		}
		r.called(at, c, h.ent, site, how)
		done++
	}
	if done == 0 {
		if ref := ev.ref[at]; ref != noEnt {
			r.called(at, c, ref, s, certainty)
		}
	}
}

// calledOn notes the class of the object of type t that the method m is called on at a
// site, if another one declares m.
func (r *bodyReader) calledOn(s *graph.Site, t Type, m Ent) {
	rec := r.ev.types.rec(t)
	switch rec.kind {
	case kNamed, kSelf:
		s.Recv = r.receiver(t, m)
	case kSuper:
		if s.Recv = r.l.nodeOf[r.l.canon[rec.ent]]; s.Recv != graph.None {
			s.Flags |= graph.SiteSuper
		}
	}
}

func (r *bodyReader) called(at facts.ExprID, c *facts.Expr, e Ent, s graph.Site, certainty graph.Certainty) {
	switch d := r.l.decl(e); {
	case d.Kind.IsType():
		r.constructs(at, c, e, s, certainty)
	case d.Kind.IsCallable():
		r.callTo(at, e, s, certainty)
	}
}

func (r *bodyReader) callTo(at facts.ExprID, e Ent, s graph.Site, certainty graph.Certainty) {
	to := r.target(e)
	if to == graph.None {
		return
	}
	r.edges = append(r.edges, graph.RawEdge{From: r.owner[at], To: to, Type: graph.None, Kind: graph.EdgeCalls, Certainty: certainty, HasSite: true, Site: s})
}

// constructs records that a class is called: an object is made, and its
// constructor runs.
func (r *bodyReader) constructs(at facts.ExprID, c *facts.Expr, cls Ent, s graph.Site, certainty graph.Certainty) {
	to := r.target(cls)
	if to != graph.None {
		i := s
		i.Keywords, i.Args = -1, -1
		r.edges = append(r.edges, graph.RawEdge{From: r.owner[at], To: to, Type: graph.None, Kind: graph.EdgeInstantiates, Certainty: certainty, HasSite: true, Site: i})
	}
	ctor, foreign := r.ev.constructor(cls)
	if ctor != noEnt && r.l.nodeOf[ctor] != graph.None {
		if foreign {
			certainty = graph.Inferred
		}
		r.callTo(at, ctor, s, certainty)
		return
	}
	if to != graph.None {
		r.edges = append(r.edges, graph.RawEdge{From: r.owner[at], To: to, Type: graph.None, Kind: graph.EdgeCalls, Certainty: certainty, HasSite: true, Site: s})
	}
}

// dynamicShape fills in what decides whether a call fits a signature.
func (r *bodyReader) dynamicShape(s *graph.Site, x *facts.Expr) {
	s.Want = int8(min(x.N, 127))
	fs := r.f.Facts
	n := 0
	var keywords []string
	for _, a := range fs.List(x.Args) {
		switch ax := &fs.Exprs[a]; ax.Op {
		case facts.OpKeyword:
			if ax.Name == 0 {
				s.Flags |= graph.SiteSpreadKw
			} else {
				keywords = append(keywords, fs.Str(ax.Name))
			}
		case facts.OpSpread:
			s.Flags |= graph.SiteSpread
		default:
			n++
		}
	}
	s.Args = int16(min(n, 1<<15-1))
	if keywords != nil {
		s.Keywords = int32(len(r.keywords))
		r.keywords = append(r.keywords, keywords)
	}
}
