package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// call records what a call or a conversion calls and what its arguments become.
func (r *bodyReader) call(e facts.ExprID, x *facts.Expr) {
	callee := x.X
	if callee < 0 {
		return
	}
	ct := r.ev.typ[callee]
	switch r.ev.types.kind(ct) {
	case kMeta: // a conversion
		if args := r.f.Facts.List(x.Args); len(args) == 1 {
			r.convert(facts.ExprID(args[0]), r.ev.types.arg(ct, 0), r.owner[e])
		}
		return
	case kUnknown, kExtern, kOutside:
		return
	}
	if ref := r.ev.ref[callee]; ref != noEnt && r.l.decl(ref).Kind.IsCallable() {
		if to := r.target(ref); to != graph.None {
			c := &r.f.Facts.Exprs[callee]
			s := r.site(c.Line, c.Col)
			if r.waits[e] {
				s.Flags |= graph.SiteLiteral
			}
			r.callShape(&s, x)
			if c.Op == facts.OpSelect && c.X >= 0 {
				s.Recv = r.receiver(r.ev.typ[c.X], ref)
			}
			r.edges = append(r.edges, graph.RawEdge{From: r.owner[e], To: to, Type: graph.None, Kind: graph.EdgeCalls, Certainty: r.certainty(c), HasSite: true, Site: s})
		}
	}
	r.arguments(e, x, ct)
}

// receiver returns the node of the static type t of a call's receiver, if another
// type declares the callee and what runs may be an override of it.
func (r *bodyReader) receiver(t Type, callee Ent) graph.ID {
	rec := r.ev.types.rec(t)
	if rec.kind != kNamed && rec.kind != kSelf {
		return graph.None
	}
	d, owner := r.l.decl(callee), r.l.container(callee)
	if d.Kind != graph.KindMethod || d.Flags.Has(graph.FlagStatic) || owner == noEnt ||
		r.l.canon[owner] == r.l.canon[rec.ent] || !r.f.Rules.overrides() && !r.l.isInterface(owner) {
		return graph.None
	}
	return r.l.nodeOf[r.l.canon[rec.ent]]
}

// callShape fills in what decides whether a call fits a signature.
func (r *bodyReader) callShape(s *graph.Site, x *facts.Expr) {
	s.Want = int8(min(x.N, 127))
	if x.Flags&facts.FlagSpread != 0 {
		s.Flags |= graph.SiteSpread
	}
	if x.Flags&facts.FlagLater != 0 {
		s.Flags |= graph.SiteGo
	}
	ids := r.f.Facts.List(x.Args)
	n := len(ids)
	var keywords []string
	for _, a := range ids {
		if ax := &r.f.Facts.Exprs[a]; ax.Op == facts.OpKeyword {
			n--
			keywords = append(keywords, r.f.Facts.Str(ax.Name))
		}
	}
	if len(ids) == 1 {
		if t := r.ev.typ[ids[0]]; r.ev.types.kind(t) == kTuple {
			n = len(r.ev.types.argsOf(t))
		}
	}
	s.Args = int16(min(n, 1<<15-1))
	if keywords != nil {
		s.Keywords = int32(len(r.keywords))
		r.keywords = append(r.keywords, keywords)
	}
}

// arguments records the arguments that are stored as interfaces.
func (r *bodyReader) arguments(e facts.ExprID, x *facts.Expr, ct Type) {
	t := r.ev.types
	ft := r.ev.under(ct)
	if t.kind(ft) != kFunc {
		return
	}
	ft = r.ev.calleeType(x, ft)
	rec := t.rec(ft)
	np := rec.funcParams()
	if np == 0 {
		return
	}
	params := t.argsOf(ft)[:np]
	ids := r.f.Facts.List(x.Args)
	param := func(i int) Type {
		if i >= np-1 && rec.isVariadic() {
			if x.Flags&facts.FlagSpread != 0 {
				return unknownType // a slice goes to a slice
			}
			return params[np-1]
		}
		if i >= np {
			return unknownType
		}
		return params[i]
	}
	if len(ids) == 1 {
		if at := r.ev.typ[ids[0]]; t.kind(at) == kTuple {
			for i, a := range t.argsOf(at) {
				r.convertType(a, param(i), r.owner[e], &r.f.Facts.Exprs[ids[0]])
			}
			return
		}
	}
	for i, a := range ids {
		r.convert(facts.ExprID(a), param(i), r.owner[e])
	}
}

// instance records that the composite e makes a value of the type to, and how
// many fields it gives by position: they have to be all that the type has.
func (r *bodyReader) instance(e facts.ExprID, to graph.ID, at *facts.Expr) {
	s := r.site(at.Line, at.Col)
	if ids := r.f.Facts.List(r.f.Facts.Exprs[e].Args); len(ids) > 0 && r.f.Facts.Exprs[ids[0]].Op != facts.OpKeyValue {
		t, _ := r.ev.types.deref(r.ev.typ[e])
		if rec := r.ev.types.rec(r.ev.under(t)); (rec.kind == kNamed || rec.kind == kAnon) && rec.ent != noEnt {
			s.Args = int16(min(len(ids), 1<<15-1))
		}
	}
	r.edges = append(r.edges, graph.RawEdge{From: r.owner[e], To: to, Type: graph.None, Kind: graph.EdgeInstantiates, HasSite: true, Site: s})
}
