package link

import (
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// dynamicHierarchy adds the edges between methods and those that they override.
func (l *linker) dynamicHierarchy() {
	if l.slots == nil {
		return
	}
	for _, f := range l.ownFiles() {
		if f.Rules.Dynamic == nil {
			continue
		}
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			e := f.base + Ent(i)
			if d.Kind != graph.KindMethod || d.Parent == facts.None || l.nodeOf[e] == graph.None || d.Vis == graph.Private {
				continue
			}
			m := l.slots.mro[f.base+Ent(d.Parent)]
			if m == nil || Ent(l.members.get(int32(f.base)+int32(d.Parent), f.syms[d.Name])) != e {
				continue
			}
			found := false
			for _, y := range m.above() {
				o := Ent(l.members.get(int32(l.types.rec(y).ent), f.syms[d.Name]))
				if o == noEnt {
					continue
				}
				for k, n := o, 0; k != noEnt && n < maxCandidates; k, n = l.nextMember[k], n+1 {
					// A value of the name may stand for the method elsewhere.
					if l.decl(k).Kind == graph.KindMethod {
						l.dynamicOverride(e, k)
						break
					}
				}
				found = true
				break
			}
			if !found && m.open && callsBehind(f, d) {
				l.overridesUnread(e, m)
			}
		}
	}
}

// callsBehind reports whether a method asks the classes behind its own for one of
// its name, so that one of them has it.
func callsBehind(f *file, d *facts.Decl) bool {
	for i := d.Exprs.Lo; i < d.Exprs.Hi; i++ {
		if x := &f.Facts.Exprs[i]; x.Op == facts.OpSelect && x.Name == d.Name && x.X >= 0 && f.Facts.Exprs[x.X].Op == facts.OpSuper {
			return true
		}
	}
	return false
}

// overridesUnread records that a method overrides one of a class that is not read,
// the first that its class extends.
func (l *linker) overridesUnread(e Ent, m *mroOf) {
	l.b.AddFlags(l.nodeOf[e], graph.FlagCalledOutside)
	for _, y := range m.types {
		for _, b := range l.basesOf(l.types.rec(y).ent) {
			if r := l.types.rec(b); r.kind == kExtern {
				name := l.symString(Sym(r.n)) + "." + l.str(e, l.decl(e).Name)
				to := l.externalNode(l.langOf(e).Name, l.symString(Sym(r.ent)), name)
				l.b.AddEdge(graph.RawEdge{From: l.nodeOf[e], To: to, Type: graph.None, Kind: graph.EdgeOverrides, Certainty: graph.Inferred})
				return
			}
		}
	}
}

func (l *linker) dynamicOverride(e, super Ent) {
	to := l.nodeOf[super]
	if to == graph.None {
		u := &l.units[l.unitOf(super)]
		if !u.surface {
			return
		}
		l.b.AddFlags(l.nodeOf[e], graph.FlagCalledOutside)
		if u.universe {
			return
		}
		to = l.externalNode(u.rules.Name, u.Path, l.outerName(super))
	}
	l.b.AddEdge(graph.RawEdge{From: l.nodeOf[e], To: to, Type: graph.None, Kind: graph.EdgeOverrides})
}

// dynamicSignature returns what users of a declaration must fit: declared types
// only, because inferred ones change with their users.
func (l *namer) dynamicSignature(e Ent, s *graph.Signature) {
	f := &l.files[l.entFile[e]]
	d := l.decl(e)
	ps := f.Facts.Params
	switch {
	case d.Kind.IsCallable():
		for j := d.Params.Lo; j < d.Params.Hi; j++ {
			p := graph.Param{Name: f.Facts.Str(ps[j].Name), Flags: ps[j].Flags}
			if ps[j].Type != facts.None {
				p.Type = l.declaredString(f, l.slots.param[l.slots.base[l.entFile[e]]+j], ps[j].Type)
			}
			if j == d.Params.Lo && d.Parent != facts.None && f.Facts.Decls[d.Parent].Kind.IsType() && !d.Flags.Has(graph.FlagStatic) && ps[j].Flags == 0 {
				continue // the object, which a call does not give
			}
			s.Params = append(s.Params, p)
		}
		if d.Results.Len() > 0 {
			s.Results = append(s.Results, graph.Param{Type: l.declaredString(f, l.slots.result[e], ps[d.Results.Lo].Type)})
		}
	case d.Kind.IsType():
		for _, b := range l.basesOf(e) {
			s.Bases = append(s.Bases, l.typeString(b))
		}
	case d.Type != facts.None:
		s.Type = l.declaredString(f, l.typ[e], d.Type)
	}
}

func (l *namer) declaredString(f *file, t Type, e facts.ExprID) string {
	if t == unknownType {
		return l.sourceType(f, e)
	}
	return l.typeString(t)
}

// outerName returns the name of a declaration of a library. Signatures of one
// callableOf share a node where calls do not tell them apart.
func (l *linker) outerName(e Ent) string {
	q := l.qualified(e)
	if d := l.decl(e); d.Shape != 0 && l.langOf(e).Dynamic != nil {
		return strings.TrimSuffix(q, l.str(e, d.Shape))
	}
	return q
}
