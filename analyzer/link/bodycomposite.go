package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// composite records what a composite makes and stores in its elements.
func (r *bodyReader) composite(e facts.ExprID, x *facts.Expr) {
	t := r.ev.types
	ct, _ := t.deref(r.ev.typ[e])
	if x.X >= 0 && r.f.Facts.Exprs[x.X].Op == facts.OpElement || x.X >= 0 && r.f.Facts.Exprs[x.X].Op == facts.OpKeyType {
		if rec := t.rec(ct); rec.kind == kNamed {
			if to := r.target(rec.ent); to != graph.None {
				r.instance(e, to, x)
			}
		}
	}
	u := r.ev.under(ct)
	rec := t.rec(u)
	elem, key := unknownType, unknownType
	unknown := u == unknownType || rec.kind == kExtern
	expressions := unknown && r.expressionKeys(x)
	var fields []Ent
	isStruct := (rec.kind == kNamed || rec.kind == kAnon) && rec.ent != noEnt
	switch {
	case rec.kind == kSlice || rec.kind == kArray:
		elem = t.arg(u, 0)
	case rec.kind == kMap:
		key, elem = t.arg(u, 0), t.arg(u, 1)
	}
	for i, a := range r.f.Facts.List(x.Args) {
		ax := &r.f.Facts.Exprs[a]
		to := elem
		value := facts.ExprID(a)
		if ax.Op == facts.OpKeyValue {
			value = ax.Y
			kx := &r.f.Facts.Exprs[ax.X]
			if kx.Flags&facts.FlagKey != 0 && (!unknown || expressions) {
				to = r.compositeKey(e, ax.X, kx, u, isStruct, key, elem)
			} else {
				r.convert(ax.X, key, r.owner[e])
			}
		} else if isStruct {
			if fields == nil {
				fields = r.l.fieldsOf(r.ev.variant(rec.ent))
			}
			if i < len(fields) {
				to = t.subst(r.l.typ[fields[i]], rec.ent, t.argsOf(u))
			}
		}
		r.convert(value, to, r.owner[e])
	}
}

// compositeKey records the key of an element, which is a field's name or an
// expression, and returns the type of the element.
func (r *bodyReader) compositeKey(e, k facts.ExprID, kx *facts.Expr, u Type, isStruct bool, key, elem Type) Type {
	if isStruct {
		m := r.ev.ownMember(u, r.f.syms[kx.Name])
		if m.ent == noEnt {
			return unknownType
		}
		if to := r.target(m.ent); to != graph.None {
			r.edge(graph.EdgeWrites, r.owner[e], to, kx)
		}
		return m.typ
	}
	kt, ref := r.keyValue(kx)
	if ref != noEnt {
		r.use(k, kx, ref)
	}
	r.convertType(r.ev.defaulted(kt), key, r.owner[e], kx)
	return elem
}

// keyValue returns what the key of an element means as an expression.
func (r *bodyReader) keyValue(kx *facts.Expr) (Type, Ent) {
	if kx.Flags&facts.FlagLocal != 0 {
		return r.ev.localType(facts.LocalID(kx.X))
	}
	return r.ev.free(r.f.syms[kx.Name])
}

// expressionKeys reports whether the keys of a composite of an external type
// are expressions: one of them cannot be the name of a field, because it is no
// plain name or names something that is not public, or a value leaves out its
// type, as only elements can.
func (r *bodyReader) expressionKeys(x *facts.Expr) bool {
	for _, a := range r.f.Facts.List(x.Args) {
		ax := &r.f.Facts.Exprs[a]
		if ax.Op != facts.OpKeyValue {
			continue
		}
		kx := &r.f.Facts.Exprs[ax.X]
		if kx.Flags&facts.FlagKey == 0 || r.elided(ax.Y) {
			return true
		}
		if _, ref := r.keyValue(kx); ref != noEnt && r.l.decl(ref).Vis > graph.Internal {
			return true
		}
	}
	return false
}

// elided reports whether an expression is a composite that has its type from
// the one around it.
func (r *bodyReader) elided(e facts.ExprID) bool {
	if e < 0 {
		return false
	}
	x := &r.f.Facts.Exprs[e]
	return x.Op == facts.OpComposite && x.X >= 0 && r.f.Facts.Exprs[x.X].Op == facts.OpElement
}

// fieldsOf returns the fields of a struct in their order.
func (l *linker) fieldsOf(e Ent) []Ent {
	f := &l.files[l.entFile[e]]
	at := facts.DeclID(e - f.base)
	var fields []Ent
	for i := int(at) + 1; i < len(f.Facts.Decls) && f.Facts.Decls[i].Parent >= at; i++ {
		if d := &f.Facts.Decls[i]; d.Parent == at && d.Kind == graph.KindField {
			fields = append(fields, f.base+Ent(i))
		}
	}
	return fields
}
