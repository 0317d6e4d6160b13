package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// expr records what an expression names, calls or makes.
func (r *bodyReader) expr(e facts.ExprID, x *facts.Expr) {
	if r.f.Rules.Classes != nil && r.classExpr(e, x) {
		return
	}
	if r.f.Rules.Modules != nil {
		r.moduleExpr(e, x)
		return
	}
	switch x.Op {
	case facts.OpName, facts.OpSelect:
		if x.Flags&facts.FlagKey != 0 {
			return
		}
		r.name(e, x)
	case facts.OpCall, facts.OpNew:
		r.call(e, x)
	case facts.OpComposite:
		r.composite(e, x)
	case facts.OpIndex:
		r.index(e, x)
	case facts.OpAssert:
		// An interface that is asserted to be a type relies on the type's
		// implementing it, as a conversion does.
		if t := r.ev.types.denoted(r.ev.typ[max(x.Y, 0)]); x.Y >= 0 && r.ev.types.kind(t) != kParam && !r.ev.interfaceType(t) {
			r.convertType(t, r.ev.typ[x.X], r.owner[e], &r.f.Facts.Exprs[x.Y])
		}
	}
}

// index records a key that a map stores as an interface.
func (r *bodyReader) index(e facts.ExprID, x *facts.Expr) {
	t := r.ev.types
	u := r.ev.under(r.ev.typ[x.X])
	if args := r.f.Facts.List(x.Args); len(args) == 1 && t.kind(u) == kMap {
		r.convert(facts.ExprID(args[0]), t.arg(u, 0), r.owner[e])
	}
}

func (r *bodyReader) name(e facts.ExprID, x *facts.Expr) {
	ref := r.ev.ref[e]
	if ref == noEnt {
		if t := r.ev.typ[e]; (x.Op == facts.OpSelect || r.f.Rules.Classes != nil) && r.ev.types.kind(t) == kExtern {
			r.externName(e, x, t)
		}
		return
	}
	r.use(e, x, ref)
}

// use records that the expression names ref.
func (r *bodyReader) use(e facts.ExprID, x *facts.Expr, ref Ent) {
	d := r.l.decl(ref)
	kind := graph.EdgeReferences
	switch {
	case d.Kind.IsType():
		kind = graph.EdgeUsesType
		switch r.role[e] {
		case roleInstantiate:
			kind = graph.EdgeInstantiates
		case roleEmbed:
			kind = graph.EdgeEmbeds
		case roleExtend:
			kind = graph.EdgeExtends
		case roleImplement:
			kind = graph.EdgeImplements
		case roleThrow:
			kind = graph.EdgeThrows
		case roleMark:
			return // annotates says so
		case roleValue:
			if d.Kind == graph.KindClass && x.Flags&facts.FlagTyped == 0 {
				kind = graph.EdgeReferences // whoever gets the class may make objects of it
			}
		case roleNone:
			if r.f.Rules.Modules != nil && d.Kind == graph.KindClass && x.Flags&(facts.FlagTyped|facts.FlagKey) == 0 {
				kind = graph.EdgeReferences // the class as a value
			}
		}
	case d.Kind.IsCallable():
		if r.role[e] == roleCalled {
			return
		}
		if x.Flags&facts.FlagWrite != 0 {
			kind = graph.EdgeWrites
		}
	default:
		kind = graph.EdgeReads
		switch {
		case x.Flags&facts.FlagWrite != 0:
			kind = graph.EdgeWrites
		case r.role[e] == roleExtend && r.f.Rules.Modules != nil:
			kind = graph.EdgeExtends // whatever class the variable has
		}
	}
	to := r.target(ref)
	if to == graph.None {
		return
	}
	if kind == graph.EdgeInstantiates {
		r.instance(r.made[e], to, x)
		return
	}
	before := len(r.edges)
	r.edge(kind, r.owner[e], to, x)
	if kind == graph.EdgeUsesType && x.N != 0 && x.Flags&facts.FlagTyped != 0 && r.f.Rules.Classes != nil {
		components, all := facts.ComponentsOf(x.N)
		for i := range r.edges[before:] {
			if all {
				r.edges[before+i].Site.Flags |= graph.SiteCase
			}
			r.edges[before+i].Site.Args = int16(components)
		}
	}
	if kind == graph.EdgeWrites && x.Flags&facts.FlagRead != 0 {
		if d.Kind.IsCallable() && d.Traits&facts.TraitAccessor != 0 {
			to = r.target(r.l.accessor(ref, ""))
		}
		r.edge(graph.EdgeReads, r.owner[e], to, x)
	}
}

// externName records the use of a name of an external package about which
// nothing is known.
func (r *bodyReader) externName(e facts.ExprID, x *facts.Expr, t Type) {
	kind := graph.EdgeReferences
	switch {
	case r.role[e] == roleCalled:
		kind = graph.EdgeCalls
	case r.role[e] == roleInstantiate:
		kind = graph.EdgeInstantiates
	case r.role[e] == roleEmbed:
		kind = graph.EdgeEmbeds
	case r.role[e] == roleExtend:
		kind = graph.EdgeExtends
	case r.role[e] == roleImplement:
		kind = graph.EdgeImplements
	case r.role[e] == roleThrow:
		kind = graph.EdgeThrows
	case r.role[e] == roleMark:
		return
	case x.Flags&facts.FlagTyped != 0:
		kind = graph.EdgeUsesType
	}
	rec := r.ev.types.rec(t)
	r.edge(kind, r.owner[e], r.extern(r.l.symString(Sym(rec.ent)), r.l.symString(Sym(rec.n))), x)
}
