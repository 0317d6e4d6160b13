package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// The edges of languages with modules.

// declaredModule gives the types in the heads of declarations their roles, and
// records decorators and routes.
func (r *bodyReader) declaredModule() {
	fs := r.f.Facts
	for e := range fs.Exprs {
		x := &fs.Exprs[e]
		switch x.Op {
		case facts.OpCall:
			r.mark(x.X, roleCalled)
			if x.X >= 0 && fs.Exprs[x.X].Op == facts.OpAssert {
				r.mark(fs.Exprs[x.X].X, roleCalled)
			}
		case facts.OpNew:
			r.mark(x.X, roleCalled)
		case facts.OpSelect:
			if x.X >= 0 && r.role[x.X] == roleNone {
				r.role[x.X] = roleObject
			}
		}
	}
	for i := range fs.Decls {
		d := &fs.Decls[i]
		if d.Kind.IsType() && r.l.nodeOf[r.f.base+Ent(i)] != graph.None {
			for _, x := range fs.Lists[d.Bases.Lo:d.Bases.Hi] {
				r.mark(facts.ExprID(x), roleExtend)
			}
			for _, x := range fs.Lists[d.Implements.Lo:d.Implements.Hi] {
				r.mark(facts.ExprID(x), roleImplement)
			}
		}
		node := r.l.nodeOf[r.f.base+Ent(i)]
		if node == graph.None {
			continue
		}
		if d.Kind == graph.KindRoute {
			r.handler(node, d)
		}
		for _, m := range fs.Lists[d.Marks.Lo:d.Marks.Hi] {
			x := &fs.Exprs[m]
			if x.Op != facts.OpMark || x.X < 0 {
				continue
			}
			if ref := r.ev.ref[x.X]; ref != noEnt {
				if to := r.target(ref); to != graph.None {
					r.edges = append(r.edges, graph.RawEdge{From: to, To: node, Type: graph.None, Kind: graph.EdgeAnnotates, HasSite: true, Site: r.site(x.Line, x.Col)})
				}
			}
		}
	}
}

// importedNames says which declarations an import names: that of a value, that of a
// type, or one that is both.
func (r *bodyReader) importedNames(i int32, im *facts.Import, file graph.ID) {
	last := graph.None
	at := r.site(im.Line, im.Col)
	if im.Flags&facts.ImportReExport != 0 {
		at.Flags |= graph.SiteSpread
	}
	for _, s := range [...]space{spaceValue, spaceType} {
		m := r.ev.imported(r.fn, i, s, 0)
		if !m.ok || m.ent == noEnt || r.l.entFile[m.ent] == r.fn {
			continue
		}
		if to := r.l.nodeOf[r.l.canon[m.ent]]; to != graph.None && to != last {
			r.edges = append(r.edges, graph.RawEdge{From: file, To: to, Type: graph.None, Kind: graph.EdgeImports,
				HasSite: true, Site: at})
			last = to
		}
	}
}

// moduleExpr records what an expression names, calls or makes.
func (r *bodyReader) moduleExpr(e facts.ExprID, x *facts.Expr) {
	if x.Line == 0 {
		return // it is not in the source
	}
	switch x.Op {
	case facts.OpName, facts.OpSelect, facts.OpMember:
		ref := r.ev.ref[e]
		if ref == noEnt {
			if t := r.ev.typ[e]; r.ev.types.kind(t) == kExtern {
				r.externName(e, x, t)
			}
			return
		}
		if r.role[e] == roleCalled {
			d := r.l.decl(ref)
			if d.Kind.IsCallable() && d.Traits&facts.TraitAccessor == 0 || d.Kind.IsType() {
				return // the call says so
			}
		}
		before := len(r.edges)
		r.use(e, x, ref)
		if others := r.alsoSelected(x, ref); len(others) > 0 {
			for _, o := range others {
				r.use(e, x, o)
			}
			for i := range r.edges[before:] {
				r.edges[before+i].Certainty = graph.Inferred
			}
		}
	case facts.OpCall, facts.OpNew:
		r.moduleCall(e, x)
	case facts.OpComposite:
		if x.X >= 0 {
			to := r.ev.wanted(e)
			r.moduleConverts(r.ev.typ[e], to, r.owner[e], x, maxNested)
			r.moduleKeys(e, x, to)
		}
	}
}

// alsoSelected returns what an expression that names ref selects on a value that may be
// of several types, on those that do not have ref.
func (r *bodyReader) alsoSelected(x *facts.Expr, ref Ent) []Ent {
	if x.Op != facts.OpSelect || x.X < 0 || !r.ev.types.isUnion(r.ev.typ[x.X]) {
		return nil
	}
	p := r.ev.property(r.ev.typ[x.X], r.f.syms[x.Name])
	if p.ent != ref {
		return nil
	}
	return p.others[:min(len(p.others), maxAmbiguous)]
}

// moduleCall records a call or the making of an object.
func (r *bodyReader) moduleCall(e facts.ExprID, x *facts.Expr) {
	if x.X < 0 {
		return
	}
	at := x.X
	c := &r.f.Facts.Exprs[at]
	if c.Op == facts.OpIndex && c.Flags&facts.FlagTyped != 0 && c.X >= 0 {
		at = c.X
		c = &r.f.Facts.Exprs[at]
	}
	cast := c.Op == facts.OpAssert && c.X >= 0 && x.Op == facts.OpCall // (f as any)(…)
	if cast {
		at = c.X
		c = &r.f.Facts.Exprs[at]
	}
	if c.Line == 0 {
		return
	}
	r.emits(e, x, c)
	res := r.ev.call(e)
	s := r.site(c.Line, c.Col)
	if r.waits[e] {
		s.Flags |= graph.SiteLiteral
	}
	s.Want = int8(min(x.N, 127))
	if x.Flags&facts.FlagSpread != 0 {
		s.Flags |= graph.SiteSpread
	}
	s.Args = int16(min(len(r.f.Facts.List(x.Args)), 1<<15-1))
	if cast {
		s.Args = -1 // whatever is given is taken
	}
	add := func(ent Ent, certainty graph.Certainty) {
		if to := r.target(ent); to != graph.None {
			r.edges = append(r.edges, graph.RawEdge{From: r.owner[e], To: to, Type: graph.None, Kind: graph.EdgeCalls, Certainty: certainty, HasSite: true, Site: s})
		}
	}
	made := s
	made.Args = -1 // no fields are given by position
	if res.class != noEnt {
		certainty := graph.Exact
		if ref := r.ev.ref[at]; ref != noEnt && r.l.decl(ref).Kind.IsType() && c.Op != facts.OpSuper {
			if to := r.target(ref); to != graph.None {
				r.edges = append(r.edges, graph.RawEdge{From: r.owner[e], To: to, Type: graph.None, Kind: graph.EdgeInstantiates, HasSite: true, Site: made})
			}
		} else if c.Op != facts.OpSuper {
			certainty = graph.Inferred // a value that holds the class, or one below it
		}
		if res.ent != noEnt {
			add(res.ent, certainty)
		}
		return
	}
	r.moduleArguments(x, res)
	ref := r.ev.ref[at]
	if ref == noEnt {
		if a := r.added(c); a != noEnt && x.Op == facts.OpCall {
			add(a, graph.Inferred)
		}
		return
	}
	d := r.l.decl(ref)
	if !d.Kind.IsCallable() || d.Traits&facts.TraitAccessor != 0 {
		return
	}
	certainty := graph.Exact
	var others []Ent
	if c.Op == facts.OpSelect && c.X >= 0 {
		if p := r.ev.property(r.ev.typ[c.X], r.f.syms[c.Name]); p.ent == ref {
			others = p.others
		}
		if r.f.Facts.Exprs[c.X].Op == facts.OpSuper {
			s.Flags |= graph.SiteSuper
		} else if rec := r.ev.types.rec(r.ev.typ[c.X]); rec.kind == kNamed && r.l.decl(rec.ent).Kind == graph.KindClass {
			s.Recv = r.receiver(r.ev.typ[c.X], ref) // who fits an interface need not say so
		}
	}
	if len(others) > 0 {
		certainty = graph.Inferred
	}
	add(ref, certainty)
	for i, o := range others {
		if i < maxAmbiguous && r.l.decl(o).Kind.IsCallable() {
			add(o, certainty)
		}
	}
	if x.Op == facts.OpNew {
		if to := r.target(ref); to != graph.None {
			r.edges = append(r.edges, graph.RawEdge{From: r.owner[e], To: to, Type: graph.None, Kind: graph.EdgeInstantiates, HasSite: true, Site: made})
		}
	}
}

// moduleArguments records the arguments that are given as interfaces of the
// tree.
func (r *bodyReader) moduleArguments(x *facts.Expr, res *moduleCall) {
	if r.ev.types.kind(res.sig) != kFunc {
		return
	}
	for i, a := range r.f.Facts.List(x.Args) {
		ax := &r.f.Facts.Exprs[a]
		if ax.Op == facts.OpComposite || ax.Op == facts.OpFunc || ax.Op == facts.OpSpread {
			continue
		}
		p := r.ev.parameter(res.sig, i)
		if rec := *r.ev.types.rec(p); rec.kind == kParam { // whatever it stands for is one
			p = r.l.constraint(rec.ent, int(rec.n))
		}
		if r.ev.types.rec(p).params {
			continue
		}
		r.moduleConverts(r.ev.typ[a], p, r.owner[a], ax, 0)
	}
}

// maxNested bounds the objects in objects that are given as interfaces, and
// maxMembers the members of one that are asked.
const (
	maxNested  = 3
	maxMembers = 64
)

// moduleConverts records that a value is given as an interface of the tree that
// its type is not declared to be: it breaks when the interface grows. So do the
// objects in it, of a literal those that tell their context themselves.
func (r *bodyReader) moduleConverts(from, to Type, owner graph.ID, x *facts.Expr, depth int) {
	ev, t := r.ev, r.ev.types
	if from == unknownType || to == unknownType || x.Line == 0 {
		return
	}
	for _, m := range t.members(to) {
		tr := *t.rec(m)
		if tr.kind != kNamed && tr.kind != kBoth || tr.kind == kNamed && !r.l.isInterface(tr.ent) {
			continue
		}
		if tr.kind == kBoth {
			continue
		}
		node := r.l.nodeOf[r.l.canon[tr.ent]]
		if node == graph.None {
			continue
		}
		concrete, nested := graph.None, false
		switch fr := *t.rec(from); fr.kind {
		case kNamed:
			if r.l.canon[fr.ent] == r.l.canon[tr.ent] {
				continue
			}
			concrete = r.target(fr.ent)
		case kAnon, kBoth:
			nested = depth < maxNested && fr.kind == kAnon && fr.ent != noEnt
		default:
			continue
		}
		certainty := graph.Exact
		switch ev.assignable(from, m, 0) {
		case no:
			continue
		case maybe:
			certainty = graph.Inferred
		}
		r.edges = append(r.edges, graph.RawEdge{From: owner, To: node, Type: concrete, Kind: graph.EdgeConverts, Certainty: certainty, HasSite: true, Site: r.site(x.Line, x.Col)})
		if !nested {
			continue
		}
		n := 0
		ev.eachMemberOf(from, t.rec(from).ent, 0, func(_ Ent, _ *facts.Decl, name Sym) bool {
			if p, q := ev.property(from, name), ev.property(m, name); p.found && q.found && t.kind(p.typ) == kAnon {
				r.moduleConverts(p.typ, q.typ, owner, x, depth+1)
			}
			n++
			return n < maxMembers
		})
	}
}

// moduleKeys records which members of the types that are asked for an object
// literal gives: it names them. Values that are given for them are converted.
func (r *bodyReader) moduleKeys(e facts.ExprID, x *facts.Expr, to Type) {
	ev := r.ev
	if to == unknownType {
		return
	}
	for _, m := range ev.types.members(to) {
		switch ev.types.kind(m) {
		case kNamed, kAnon, kBoth:
		default:
			continue
		}
		if len(ev.types.members(to)) > 1 && ev.assignable(ev.typ[e], m, 0) == no {
			continue
		}
		for _, a := range r.f.Facts.List(x.Args) {
			k := &r.f.Facts.Exprs[a]
			if k.Op != facts.OpKeyword || k.Name == 0 || k.Line == 0 {
				continue
			}
			p := ev.property(m, r.f.syms[k.Name])
			if v := k.X; v >= 0 && p.found && !ev.types.rec(p.typ).params {
				if vx := &r.f.Facts.Exprs[v]; vx.Op != facts.OpComposite && vx.Op != facts.OpFunc {
					r.moduleConverts(ev.typ[v], p.typ, r.owner[v], vx, 0)
				}
			}
			if !p.found || p.ent == noEnt || r.l.files[r.l.entFile[p.ent]].unit < 0 {
				continue
			}
			if node := r.l.nodeOf[r.l.canon[p.ent]]; node != graph.None {
				r.edges = append(r.edges, graph.RawEdge{From: r.owner[e], To: node, Type: graph.None, Kind: graph.EdgeWrites, HasSite: true, Site: r.site(k.Line, k.Col)})
			}
		}
	}
}

// moduleHierarchy adds the edges between the methods of classes and those that
// they override or implement: the nearest on each way up.
func (l *linker) moduleHierarchy() {
	var ev *evaluator
	for fn := range l.files {
		f := &l.files[fn]
		if f.unit < 0 || f.Rules.Modules == nil || l.units[f.unit].surface {
			continue
		}
		if ev == nil {
			ev = l.newEvaluator(l.types)
			ev.modules.reset()
		}
		ev.fn, ev.f, ev.lang = int32(fn), f, l.units[f.unit].rules
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			e := f.base + Ent(i)
			if d.Kind != graph.KindMethod || d.Parent == facts.None || d.Flags.Has(graph.FlagStatic) || d.Vis == graph.Private && f.Facts.Str(d.Name)[0] == '#' ||
				l.nodeOf[e] == graph.None || f.Facts.Decls[d.Parent].Kind != graph.KindClass || d.Traits&facts.TraitOverload != 0 {
				continue
			}
			owner := f.base + Ent(d.Parent)
			for _, b := range ev.basesOfType(ev.instance(owner), owner) {
				p := ev.findProperty(b, f.syms[d.Name], 0)
				if p.ent == noEnt || p.ent == e || l.decl(p.ent).Kind != graph.KindMethod || d.Traits&facts.TraitAccessor != l.decl(p.ent).Traits&facts.TraitAccessor {
					continue
				}
				to := p.ent
				if d.Shape != 0 {
					to = l.accessor(to, f.Rules.Modules.Setter)
				}
				if l.decl(to).Shape == d.Shape || (l.decl(to).Shape == 0) == (d.Shape == 0) {
					l.overrides(e, to, graph.RawEdge{From: l.nodeOf[e], Type: graph.None})
				}
			}
		}
	}
}
