package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// The edges of languages with classes that others do not have.

// declared gives the types in the heads of declarations their roles, and
// records annotations and what containers inject.
func (r *bodyReader) declared() {
	fs := r.f.Facts
	for i := range fs.Decls {
		d := &fs.Decls[i]
		for _, x := range fs.Lists[d.Throws.Lo:d.Throws.Hi] {
			r.mark(facts.ExprID(x), roleThrow)
		}
		node := r.l.nodeOf[r.f.base+Ent(i)]
		if node == graph.None {
			if d.Kind.IsType() && d.Traits&facts.TraitLocal != 0 {
				r.insideBody(facts.DeclID(i))
			}
			continue
		}
		for _, m := range fs.Lists[d.Marks.Lo:d.Marks.Hi] {
			r.annotate(facts.ExprID(m), node)
		}
		switch {
		case d.Kind.IsType():
			for _, x := range fs.Lists[d.Bases.Lo:d.Bases.Hi] {
				r.mark(facts.ExprID(x), roleExtend)
			}
			for _, x := range fs.Lists[d.Implements.Lo:d.Implements.Hi] {
				r.mark(facts.ExprID(x), roleImplement)
			}
		case d.Kind == graph.KindRoute:
			r.handler(node, d)
		case d.Kind == graph.KindConstructor:
			if d.Parent != facts.None && fs.Decls[d.Parent].Kind == graph.KindClass {
				for _, p := range fs.Params[d.Params.Lo:d.Params.Hi] {
					r.inject(d.Parent, p.Type)
				}
				if r.managed(d) {
					r.callPoints(facts.DeclID(i))
				}
			}
		case d.Kind == graph.KindMethod && r.managed(d):
			for _, p := range fs.Params[d.Params.Lo:d.Params.Hi] {
				r.inject(d.Parent, p.Type)
			}
			r.callPoints(facts.DeclID(i))
		case d.Kind == graph.KindField && r.injected(d):
			if d.Parent != facts.None {
				r.inject(d.Parent, d.Type)
				if w := r.f.Rules.Classes.Wiring; w != nil && markOf(fs, d.Marks, w.Points) != none {
					r.fieldPoint(facts.DeclID(i))
				}
			}
		}
	}
}

// insideBody records what a type that is declared in a body has to provide. It
// counts to the declaration around it, as a function literal does: that is who
// breaks when an interface or abstract type of the tree asks for another method.
func (r *bodyReader) insideBody(i facts.DeclID) {
	fs := r.f.Facts
	d := &fs.Decls[i]
	bases := r.l.basesOf(r.f.base + Ent(i))
	for k, s := range []facts.Span{d.Bases, d.Implements} {
		for n, x := range fs.Lists[s.Lo:s.Hi] {
			if k == 1 {
				n += d.Bases.Len()
			}
			if n >= len(bases) || r.ev.types.kind(bases[n]) != kNamed {
				continue
			}
			ent := r.ev.types.rec(bases[n]).ent
			to := r.l.nodeOf[r.l.canon[ent]]
			if b := r.l.decl(ent); to == graph.None || b.Kind != graph.KindInterface && b.Kind != graph.KindEnum && !b.Flags.Has(graph.FlagAbstract) {
				continue
			}
			if from := r.decls[i]; from != to {
				r.edge(graph.EdgeConverts, from, to, &fs.Exprs[x])
			}
		}
	}
}

// annotate records that a declaration has an annotation, and which of its elements
// it gives a value to.
func (r *bodyReader) annotate(m facts.ExprID, node graph.ID) {
	x := &r.f.Facts.Exprs[m]
	if x.Op != facts.OpMark || x.X < 0 || x.N != 0 {
		return // or it is that of a parameter
	}
	add := func(from graph.ID, line, col int32) {
		if from != graph.None {
			r.edges = append(r.edges, graph.RawEdge{From: from, To: node, Type: graph.None, Kind: graph.EdgeAnnotates, HasSite: true, Site: r.site(line, col)})
		}
	}
	t := r.ev.types.denoted(r.ev.typ[x.X])
	add(r.typeNode(t), x.Line, x.Col)
	if r.ev.types.kind(t) != kNamed || r.l.units[r.l.unitOf(r.ev.types.rec(t).ent)].surface {
		return
	}
	for _, a := range r.f.Facts.List(x.Args) {
		arg := &r.f.Facts.Exprs[a]
		name := r.l.lookupSym(r.f.Rules.Classes.Element)
		if arg.Op == facts.OpKeyword {
			name = r.f.syms[arg.Name]
		}
		if name >= 0 {
			r.ev.eachMember(r.ev.types.rec(t).ent, name, func(e Ent) { add(r.target(e), arg.Line, arg.Col) })
		}
	}
}

// typeNode returns the node of a type, external ones included; None for those
// that have none.
func (r *bodyReader) typeNode(t Type) graph.ID {
	rec := r.ev.types.rec(t)
	switch rec.kind {
	case kNamed:
		return r.target(rec.ent)
	case kExtern:
		return r.extern(r.l.symString(Sym(rec.ent)), r.l.symString(Sym(rec.n)))
	}
	return graph.None
}

// injected reports whether a field has an annotation by which it is set.
func (r *bodyReader) injected(d *facts.Decl) bool {
	fs := r.f.Facts
	for _, m := range fs.Lists[d.Marks.Lo:d.Marks.Hi] {
		if x := &fs.Exprs[m]; x.X >= 0 && r.ev.lang.cls.injects[r.f.syms[fs.Exprs[x.X].Name]] {
			return true
		}
	}
	return false
}

// inject records that values of a type are handed to a class. What the standard
// library declares is no part of the program's wiring.
func (r *bodyReader) inject(owner facts.DeclID, typ facts.ExprID) {
	if typ < 0 {
		return
	}
	from := r.l.nodeOf[r.f.base+Ent(owner)]
	t := r.ev.typeExpr(typ)
	for r.ev.types.kind(t) == kSlice { // arrays count as what they hold
		t = r.ev.types.arg(t, 0)
	}
	if rec := r.ev.types.rec(t); from == graph.None || rec.kind == kNamed && r.l.units[r.l.unitOf(rec.ent)].surface {
		return
	}
	if to := r.typeNode(t); to != graph.None {
		r.edge(graph.EdgeInjects, from, to, &r.f.Facts.Exprs[typ])
	}
}

// classExpr records what expressions say that only these languages have, or
// that mean something else in them, and reports whether that is all.
func (r *bodyReader) classExpr(e facts.ExprID, x *facts.Expr) bool {
	if x.Line == 0 {
		return true // it is not in the source
	}
	switch x.Op {
	case facts.OpCall, facts.OpNew:
		r.callClass(e, x)
		return true
	case facts.OpLabel:
		if ref := r.ev.ref[e]; ref != noEnt {
			before := len(r.edges)
			r.use(e, x, ref)
			if x.N == facts.CaseOfAll {
				for i := range r.edges[before:] {
					r.edges[before+i].Site.Flags |= graph.SiteCase
				}
			}
		}
		return true
	case facts.OpMethodRef:
		if ref := r.ev.ref[e]; ref != noEnt {
			if to := r.target(ref); to != graph.None {
				r.edge(graph.EdgeReferences, r.owner[e], to, x)
			}
		}
		r.function(e, x)
		return true
	case facts.OpFunc:
		r.function(e, x)
		return true
	case facts.OpComposite, facts.OpIndex, facts.OpAssert:
		return true
	}
	return false
}

// function records that a function is given where an interface of the tree is
// asked for: it breaks when that gets another method.
func (r *bodyReader) function(e facts.ExprID, x *facts.Expr) {
	t := r.ev.expected(e)
	rec := r.ev.types.rec(t)
	if rec.kind != kNamed || !r.l.isInterface(rec.ent) || r.l.nodeOf[r.l.canon[rec.ent]] == graph.None {
		return
	}
	r.edge(graph.EdgeConverts, r.owner[e], r.l.nodeOf[r.l.canon[rec.ent]], x)
}

func (r *bodyReader) callClass(e facts.ExprID, x *facts.Expr) {
	res := r.ev.resolve(e)
	at := x.X
	if at < 0 {
		return
	}
	c := &r.f.Facts.Exprs[at]
	s := r.site(c.Line, c.Col)
	s.Args = int16(min(len(r.f.Facts.List(x.Args)), 1<<15-1))
	s.Want = int8(min(x.N, 127))
	if r.waits[e] {
		s.Flags |= graph.SiteLiteral
	}
	if res.super {
		s.Flags |= graph.SiteSuper
	}
	if res.ent != noEnt && r.ev.another(res, r.f.syms[c.Name], r.f.Facts.List(x.Args), x.N != 0) {
		s.Flags |= graph.SiteOther
	}
	add := func(to, recv graph.ID, certainty graph.Certainty) {
		if to != graph.None {
			s.Recv = recv
			r.edges = append(r.edges, graph.RawEdge{From: r.owner[e], To: to, Type: graph.None, Kind: graph.EdgeCalls, Certainty: certainty, HasSite: true, Site: s})
		}
	}
	if res.ent == noEnt {
		r.publish(e, x, c)
	}
	switch {
	case res.ent != noEnt:
		certainty := graph.Exact
		if res.inferred {
			certainty = graph.Inferred
		}
		add(r.target(res.ent), r.receiver(res.recv, res.ent), certainty)
	case len(res.others) > 0 && len(res.others) <= maxAmbiguous:
		for _, o := range res.others {
			add(r.target(o), r.receiver(res.recv, o), graph.Ambiguous)
		}
	case res.foreign != unknownType:
		if rec := r.ev.types.rec(res.foreign); c.Op == facts.OpSelect || c.Op == facts.OpName {
			add(r.extern(r.l.symString(Sym(rec.ent)), r.l.symString(Sym(rec.n))+"."+r.f.Facts.Str(c.Name)), graph.None, graph.Exact)
		}
	case x.Op == facts.OpNew && r.ev.types.kind(r.ev.types.denoted(r.ev.typ[x.X])) == kExtern:
		add(r.typeNode(r.ev.types.denoted(r.ev.typ[x.X])), graph.None, graph.Exact)
	}
}

// hierarchy adds the edges between methods and those that they override or
// implement: the nearest on each way up. Those of types inside of bodies are
// edges of the declaration around them, with the method's place: a call may
// end there, too.
func (l *linker) hierarchy() {
	l.overriding = make([]bool, len(l.entFile))
	l.dynamicHierarchy()
	l.implementProtocols()
	var ev *evaluator
	for fn := range l.files {
		f := &l.files[fn]
		if f.unit < 0 || f.Rules.Classes == nil || l.units[f.unit].surface {
			continue
		}
		if ev == nil {
			ev = l.newEvaluator(l.types)
			ev.classes.reset()
		}
		ev.fn, ev.f, ev.lang = int32(fn), f, l.units[f.unit].rules
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			e := f.base + Ent(i)
			if d.Kind != graph.KindMethod || d.Parent == facts.None || d.Flags.Has(graph.FlagStatic) || d.Vis == graph.Private ||
				!f.Facts.Decls[d.Parent].Kind.IsType() {
				continue
			}
			edge := graph.RawEdge{From: l.nodeOf[e], Type: graph.None}
			if edge.From == graph.None {
				if edge.From = l.nodeAround(e); edge.From == graph.None || l.fileIDs[fn] < 0 {
					continue
				}
				edge.HasSite = true
				edge.Site = graph.Site{File: l.fileIDs[fn], Line: d.Line, Col: d.Col, Args: -1, Keywords: -1}
				if f.place.Test {
					edge.Site.Flags |= graph.SiteTest
				}
			}
			l.overridden(ev, e, f.base+Ent(d.Parent), edge)
		}
	}
}

// nodeAround returns the node of the innermost declaration around e that has one.
func (l *linker) nodeAround(e Ent) graph.ID {
	for e = l.container(e); e != noEnt; e = l.container(e) {
		if n := l.nodeOf[e]; n != graph.None {
			return n
		}
	}
	return graph.None
}

// overridden adds the edges of one method, which are like the one given.
func (l *linker) overridden(ev *evaluator, e, owner Ent, edge graph.RawEdge) {
	name := l.symOf(e, l.decl(e).Name)
	m := member{ent: e, typ: l.typ[e]}
	t := ev.types
	seen := map[Ent]bool{owner: true}
	done := map[Ent]bool{}
	stack := append([]Type(nil), ev.supers(ev.instance(owner)).types...)
	inferred := noEnt // the generic type whose arguments an unnamed one leaves to be inferred
	if l.decl(owner).Traits&facts.TraitAnonymous != 0 {
		for _, x := range stack {
			if r := t.rec(x); r.kind == kNamed && len(t.argsOf(x)) == 0 && l.decl(r.ent).TypeParams.Len() > 0 {
				inferred = r.ent
			}
		}
	}
	for n := 0; len(stack) > 0 && n < maxSupers; n++ {
		y := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		r := *t.rec(y)
		if r.kind != kNamed || seen[r.ent] {
			continue
		}
		seen[r.ent] = true
		found, perhaps := noEnt, noEnt
		ev.eachMember(r.ent, name, func(o Ent) {
			d := l.decl(o)
			if found != noEnt || d.Kind != graph.KindMethod || d.Flags.Has(graph.FlagStatic) || !ev.sees(o) || d.Vis == graph.Private {
				return
			}
			switch s := t.subst(l.typ[o], r.ent, t.argsOf(y)); {
			case ev.sameParams(m, member{ent: o, typ: s}):
				found = o
			case perhaps == noEnt && inferred != noEnt && ev.instantiates(m.typ, s, inferred):
				perhaps = o
			}
		})
		if found == noEnt {
			found = perhaps
		}
		if found == noEnt {
			stack = append(stack, ev.supers(y).types...)
			continue
		}
		if done[found] {
			continue
		}
		done[found] = true
		l.overrides(e, found, edge)
	}
}

func (l *linker) overrides(e, super Ent, edge graph.RawEdge) {
	l.overriding[l.canon[e]] = true
	edge.Kind = graph.EdgeOverrides
	if l.isInterface(l.container(super)) && !l.isInterface(l.container(e)) {
		edge.Kind = graph.EdgeImplements
	}
	edge.To = l.nodeOf[l.canon[super]]
	if edge.To == graph.None {
		u := &l.units[l.unitOf(super)]
		if !u.surface || edge.HasSite {
			return
		}
		l.b.AddFlags(l.nodeOf[e], graph.FlagCalledOutside)
		edge.To = l.externalNode(u.rules.Name, u.Path, l.qualified(super))
		l.b.AddFlags(edge.To, l.decl(super).Flags&graph.FlagAbstract)
	}
	if edge.From != edge.To {
		l.b.AddEdge(edge)
	}
}
