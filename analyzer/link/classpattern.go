package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// component returns the type of a component of the record that a value is
// matched with, as x says: its fields that are no static ones, in their order.
func (ev *evaluator) component(x *facts.Expr) Type {
	m := &ev.f.Facts.Exprs[x.X]
	if m.Op != facts.OpAssert || m.Y == facts.None {
		return unknownType
	}
	t := ev.types
	record := ev.typeExpr(m.Y)
	e := t.rec(record).ent
	if t.kind(record) != kNamed || ev.l.decl(e).Kind != graph.KindRecord {
		return unknownType
	}
	if len(t.argsOf(record)) == 0 && ev.l.decl(e).TypeParams.Len() > 0 { // inferred
		as, _ := ev.asSuper(ev.typeOf(m.X), e)
		if as == unknownType {
			return unknownType
		}
		record = as
	}
	f := &ev.l.files[ev.l.entFile[e]]
	n := int16(0)
	for i := int(e-f.base) + 1; i < len(f.Facts.Decls); i++ {
		d := &f.Facts.Decls[i]
		if d.Parent < facts.DeclID(e-f.base) {
			break // behind the record
		}
		if d.Parent != facts.DeclID(e-f.base) || d.Kind != graph.KindField || d.Flags.Has(graph.FlagStatic) {
			continue
		}
		if n == x.N {
			return t.subst(ev.l.typ[f.base+Ent(i)], e, t.argsOf(record))
		}
		n++
	}
	return unknownType
}
