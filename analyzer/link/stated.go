package link

import "github.com/codekg/kg/analyzer/facts"

// statedPart is how many declarations, about, are read off together.
const statedPart = 1 << 12

// stated is what the declarations of some adjacent files state, in the types of the
// worker that read it off.
type stated struct {
	types       *addedTypes
	made        int // how many types the worker had made when it was done
	files       []int32
	first       Ent
	typ, rhs    []Type // by declaration from first: see linker; notStated: nothing
	bases       []facts.Span
	baseTypes   []Type
	constraints []statedConstraint
}

type statedConstraint struct {
	owner Ent
	n     int32
	typ   Type
}

const notStated Type = -1

// declaredTypes reads off what declarations state: first what bounds type parameters,
// which decides what a type without arguments means, then the types of functions,
// members and typed variables, right-hand sides and bases. Nothing that is read off at
// a time is asked for then, so that neither the order of files says anything nor who
// reads them.
func (l *linker) declaredTypes() {
	var parts []stated
	room := 0
	l.eachFile(func(fn int32) {
		f := &l.files[fn]
		if f.Rules.Modules != nil || f.Rules.Dynamic != nil { // moduleSurfaces and dynamicTypes find them
			return
		}
		if room <= 0 {
			parts, room = append(parts, stated{first: f.base}), statedPart
		}
		p := &parts[len(parts)-1]
		p.files = append(p.files, fn)
		room -= len(f.Facts.Decls)
	})
	l.state(parts, (*stated).bounds)
	l.state(parts, (*stated).surfaces)
}

// state has all workers read parts, and publishes what they say. What the workers add to
// the types is added in the order of the files: it has the numbers that one worker would
// give.
func (l *linker) state(parts []stated, read func(*stated, *evaluator)) {
	l.inParts(len(parts), 1, func() func(lo, hi int) {
		types := newTypeTable(l.types)
		ev, added := l.newEvaluator(types), &addedTypes{from: types, to: l.types}
		return func(lo, _ int) {
			p := &parts[lo]
			read(p, ev)
			p.types, p.made = added, len(types.recs)
		}
	})
	for i := range parts {
		parts[i].publish(l)
	}
}

// bounds reads off what bounds the type parameters of a part.
func (p *stated) bounds(ev *evaluator) {
	l := ev.l
	for _, fn := range p.files {
		f, open := &l.files[fn], false
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			e := f.base + Ent(i)
			if d.TypeParams.Len() == 0 || d.Traits&facts.TraitLiteral != 0 || f.dead(i) || l.owner[e] != noEnt {
				continue
			}
			if !open {
				ev.open(fn)
				open = true
			}
			for j := d.TypeParams.Lo; j < d.TypeParams.Hi; j++ {
				if x := f.Facts.Params[j].Type; x != facts.None {
					p.constraints = append(p.constraints, statedConstraint{l.canon[e], j - d.TypeParams.Lo, ev.typeExpr(x)})
				}
			}
		}
	}
}

// surfaces reads off what else the declarations of a part state.
func (p *stated) surfaces(ev *evaluator) {
	last := &ev.l.files[p.files[len(p.files)-1]]
	n := int(last.base-p.first) + len(last.Facts.Decls)
	p.typ, p.rhs, p.bases = make([]Type, n), make([]Type, n), make([]facts.Span, n)
	for i := range n {
		p.typ[i], p.rhs[i] = notStated, notStated
	}
	for _, fn := range p.files {
		p.surface(ev, fn)
	}
}

func (p *stated) surface(ev *evaluator, fn int32) {
	ev.open(fn)
	f := ev.f
	for i := range f.Facts.Decls {
		d := &f.Facts.Decls[i]
		if d.Traits&facts.TraitLiteral != 0 || f.dead(i) {
			continue
		}
		at := f.base + Ent(i) - p.first
		switch {
		case d.Kind.IsType():
			if d.Type != facts.None && d.Traits&facts.TraitAlias == 0 {
				p.rhs[at] = ev.typeExpr(d.Type)
			}
			if f.Rules.Classes != nil {
				continue // classBases found them
			}
			lo := int32(len(p.baseTypes))
			for _, x := range f.Facts.Lists[d.Bases.Lo:d.Bases.Hi] {
				p.baseTypes = append(p.baseTypes, ev.typeExpr(facts.ExprID(x)))
			}
			p.bases[at] = facts.Span{Lo: lo, Hi: int32(len(p.baseTypes))}
		case d.Kind.IsCallable() && d.Type == facts.None:
			p.typ[at] = ev.funcType(facts.DeclID(i))
		case d.Type != facts.None:
			p.typ[at] = ev.typeExpr(d.Type)
		}
	}
}

// publish makes what a part says known, in the types of all.
func (p *stated) publish(l *linker) {
	t := p.types
	t.add(p.made)
	for i, x := range p.typ {
		if x != notStated {
			l.typ[int(p.first)+i] = t.of(x)
		}
		if x := p.rhs[i]; x != notStated {
			l.rhs[int(p.first)+i] = t.of(x)
		}
		if s := p.bases[i]; s.Len() > 0 {
			lo := int32(len(l.baseTypes))
			for _, x := range p.baseTypes[s.Lo:s.Hi] {
				l.baseTypes = append(l.baseTypes, t.of(x))
			}
			l.bases[int(p.first)+i] = facts.Span{Lo: lo, Hi: int32(len(l.baseTypes))}
		}
	}
	for _, c := range p.constraints {
		l.constraints.set(int32(c.owner), c.n, t.of(c.typ))
	}
	p.constraints = nil
}

// addedTypes adds the types that a table has made to those of its base, in the order
// in which they were made.
type addedTypes struct {
	from, to *typeTable
	as       []Type // by type of from, without those of its base
}

// add adds the first n of them, as far as it has not yet.
func (a *addedTypes) add(n int) {
	for i := len(a.as); i < n; i++ {
		r := &a.from.recs[i]
		var small [8]Type
		args := small[:0]
		for _, x := range a.from.args[r.lo:r.hi] {
			args = append(args, a.of(x))
		}
		a.as = append(a.as, a.to.intern(r.kind, r.ent, r.n, args))
	}
}

// of returns what a type of the table is among those of the base.
func (a *addedTypes) of(x Type) Type {
	if x < a.from.off {
		return x
	}
	return a.as[x-a.from.off]
}
