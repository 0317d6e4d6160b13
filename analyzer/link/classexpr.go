package link

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Names and expressions in languages with classes.

// typeNamed returns what a name means as a type at an expression: the kMeta of
// it, or a kExtern.
func (ev *evaluator) typeNamed(at facts.ExprID, name Sym) (Type, Ent) {
	l := ev.l
	n := 0
	for d := ev.classes.within[at]; d != facts.None && n < maxScopes; d = ev.outerType(d) {
		n++
		e := ev.f.base + Ent(d)
		if ev.f.syms[ev.f.Facts.Decls[d].Name] == name && ev.f.Facts.Decls[d].Name != 0 {
			return l.typ[e], e
		}
		if m := ev.memberType(ev.typeOfDecl(d), name); m != noEnt {
			return l.typ[m], m
		}
	}
	if t, ok := ev.classes.types[name]; ok {
		return t, ev.entOf(t)
	}
	t := ev.fileType(name)
	ev.classes.types[name] = t
	return t, ev.entOf(t)
}

// entOf returns the declaration of the type that a kMeta denotes.
func (ev *evaluator) entOf(t Type) Ent {
	if ev.types.kind(t) == kMeta {
		if r := ev.types.rec(ev.types.arg(t, 0)); r.kind == kNamed {
			return r.ent
		}
	}
	return noEnt
}

func (ev *evaluator) fileType(name Sym) Type {
	l, t := ev.l, ev.types
	fs := ev.f.Facts
	if im := l.fileScope.get(ev.fn, name); im >= 0 {
		i := &fs.Imports[im]
		if e := ev.findType(fs.Str(i.Path), ev.f.syms[i.Name]); e != noEnt {
			return l.typ[e]
		}
		return t.mk(kExtern, Ent(ev.f.syms[i.Path]), int32(ev.f.syms[i.Name]))
	}
	ev.nearUnits()
	if e := l.typeAmong(ev.classes.near, name); e != noEnt {
		return l.typ[e]
	}
	if e := Ent(l.pkgScope.get(ev.f.unit, name)); e != noEnt && l.decl(e).Kind.IsType() { // of a surface
		return l.typ[e]
	}
	for _, im := range l.statics[ev.fn] { // types, too
		if i := &fs.Imports[im]; ev.f.syms[i.Name] == name || fs.Str(i.Name) == "*" {
			if e := ev.findType(fs.Str(i.Path), name); e != noEnt {
				return l.typ[e]
			}
		}
	}
	for _, im := range l.dotImports[ev.fn] {
		path := fs.Str(fs.Imports[im].Path)
		if e := ev.findType(path, name); e != noEnt {
			return l.typ[e]
		}
		if fs.Imports[im].Flags&facts.ImportModule != 0 {
			for _, p := range l.exports[path] {
				if e := ev.findType(p, name); e != noEnt {
					return l.typ[e]
				}
			}
		}
	}
	for i, p := range ev.lang.Classes.Default {
		if u, ok := ev.lang.byPath[p]; ok && u >= 0 {
			if e := Ent(l.pkgScope.get(u, name)); e != noEnt {
				return l.typ[e]
			}
		}
		if e := l.typeAmong(ev.classes.known[i], name); e != noEnt {
			return l.typ[e]
		}
	}
	if e := Ent(l.pkgScope.get(ev.lang.universe, name)); e != noEnt {
		return l.typ[e]
	}
	return unknownType
}

// evalClasses evaluates what languages with classes have or do differently.
func (ev *evaluator) evalClasses(e facts.ExprID, x *facts.Expr) (Type, Ent, bool) {
	t := ev.types
	switch x.Op {
	case facts.OpName:
		typ, ref := ev.className(e, x)
		return typ, ref, true
	case facts.OpSelect:
		typ, ref := ev.classSelect(x)
		return typ, ref, true
	case facts.OpLabel:
		if m := ev.field(ev.typeOf(x.X), ev.f.syms[x.Name]); m.ent != noEnt && ev.l.decl(m.ent).Kind == graph.KindEnumMember {
			return m.typ, m.ent, true
		}
		typ, ref := ev.freeName(e, x)
		return typ, ref, true
	case facts.OpSelf:
		self := unknownType
		if x.X >= 0 {
			if q := ev.typeExpr(x.X); t.kind(q) == kNamed {
				self = ev.instance(t.rec(q).ent)
			}
		} else if d := ev.classes.within[e]; d != facts.None {
			self = ev.typeOfDecl(d)
		}
		if x.Flags&facts.FlagTyped != 0 {
			self = t.meta(self)
		}
		return self, noEnt, true
	case facts.OpSuper:
		if x.X >= 0 {
			q := ev.typeExpr(x.X)
			if r := t.rec(q); r.kind == kNamed && !ev.l.isInterface(r.ent) { // Outer.super
				return ev.superOf(q), noEnt, true
			}
			if d := ev.classes.within[e]; d != facts.None && t.kind(q) == kNamed {
				if as, _ := ev.asSuper(ev.typeOfDecl(d), t.rec(q).ent); as != unknownType {
					return as, noEnt, true
				}
			}
			return q, noEnt, true
		}
		if d := ev.classes.within[e]; d != facts.None {
			return ev.superOf(ev.typeOfDecl(d)), noEnt, true
		}
		return unknownType, noEnt, true
	case facts.OpFunc:
		return ev.lambdaType(facts.DeclID(x.X)), noEnt, true
	case facts.OpParamOf:
		if x.X >= 0 && ev.f.Facts.Exprs[x.X].Op == facts.OpFunc {
			if sam := ev.sam(ev.expected(x.X)); t.kind(sam) == kFunc && int(x.N) < t.rec(sam).funcParams() {
				return t.arg(sam, int(x.N)), noEnt, true
			}
		}
		return unknownType, noEnt, true
	case facts.OpCall, facts.OpNew:
		typ := ev.callType(e)
		return typ, noEnt, true
	case facts.OpMethodRef:
		typ, ref := ev.methodRef(e, x)
		return typ, ref, true
	case facts.OpClassOf:
		if c := ev.lang.cls; c.typeOf != noEnt {
			return t.mk(kNamed, c.typeOf, 0, ev.boxed(ev.typeExpr(x.X))), noEnt, true
		}
		return unknownType, noEnt, true
	case facts.OpMark:
		return ev.typeExpr(x.X), noEnt, true
	case facts.OpUnary:
		if ev.f.Facts.Str(x.Name) == "!" {
			return ev.boolType(), noEnt, true
		}
		a := ev.unboxed(ev.typeOf(x.X))
		return ev.promoted(a, a), noEnt, true
	case facts.OpBinary:
		return ev.classBinary(x), noEnt, true
	case facts.OpConditional:
		return ev.conditional(x), noEnt, true
	case facts.OpRangeVal:
		return ev.elementType(ev.typeOf(x.X)), noEnt, true
	case facts.OpTuple:
		return ev.component(x), noEnt, true
	case facts.OpUnionType, facts.OpBothType:
		return t.meta(t.intern(kUnion, noEnt, 0, ev.typeList(x.Args))), noEnt, true
	}
	return unknownType, noEnt, false
}

func (ev *evaluator) className(e facts.ExprID, x *facts.Expr) (Type, Ent) {
	if x.Flags&facts.FlagLocal != 0 {
		if m := ev.hiding(e, facts.LocalID(x.X)); m.ent != noEnt {
			return m.typ, m.ent
		}
		return ev.localType(facts.LocalID(x.X))
	}
	if x.Flags&facts.FlagCallee != 0 || x.Name == 0 {
		return unknownType, noEnt // the call decides
	}
	return ev.freeName(e, x)
}

// hiding returns the field that hides a variable from the types that are
// declared in its scope: one that they inherit, which their text does not show.
func (ev *evaluator) hiding(e facts.ExprID, id facts.LocalID) member {
	fs := ev.f.Facts
	lo := &fs.Locals[id]
	if lo.Kind == facts.LocalVar && lo.Name != 0 {
		n := 0
		for d := ev.classes.within[e]; d != facts.None && n < maxScopes; d = ev.outerType(d) {
			n++
			if s := fs.Decls[d].Locals; int32(id) >= s.Lo && int32(id) < s.Hi {
				break // it is declared inside of the type
			}
			if m := ev.field(ev.typeOfDecl(d), ev.f.syms[lo.Name]); m.ent != noEnt && ev.sees(m.ent) {
				return m
			}
		}
	}
	return member{ent: noEnt}
}

// freeName returns what a free name means: a field, a type, or the beginning of
// a package's name.
func (ev *evaluator) freeName(e facts.ExprID, x *facts.Expr) (Type, Ent) {
	name := ev.f.syms[x.Name]
	if x.Flags&facts.FlagTyped == 0 {
		n := 0
		for d := ev.classes.within[e]; d != facts.None && n < maxScopes; d = ev.outerType(d) {
			n++
			if m := ev.field(ev.typeOfDecl(d), name); m.ent != noEnt && ev.sees(m.ent) {
				return m.typ, m.ent
			}
		}
		if m := ev.importedField(name); m.ent != noEnt {
			return m.typ, m.ent
		}
	}
	if t, ref := ev.typeNamed(e, name); t != unknownType {
		return t, ref
	}
	if ev.l.pkgNames[name] {
		return ev.types.mk(kPkg, Ent(name), -1), noEnt
	}
	return unknownType, noEnt
}

// importedField returns the field that an import of members brings into scope.
func (ev *evaluator) importedField(name Sym) member {
	for _, im := range ev.l.statics[ev.fn] {
		i := &ev.f.Facts.Imports[im]
		if n := ev.f.syms[i.Name]; n != name && ev.f.Facts.Str(i.Name) != "*" {
			continue
		}
		if t := ev.importedType(i); t != unknownType {
			if m := ev.field(t, name); m.ent != noEnt {
				return m
			}
		}
	}
	return member{ent: noEnt}
}

// importedType returns the type whose members an import names.
func (ev *evaluator) importedType(i *facts.Import) Type {
	path := ev.f.Facts.Str(i.Path)
	around := ev.lang.around(path)
	if around == "" {
		return unknownType
	}
	last := ev.l.lookupSym(path[len(around)+len(ev.lang.Classes.Separator):])
	if last < 0 {
		return unknownType
	}
	if e := ev.findType(around, last); e != noEnt {
		return ev.types.denoted(ev.l.typ[e])
	}
	return unknownType
}

func (ev *evaluator) classSelect(x *facts.Expr) (Type, Ent) {
	t, l := ev.types, ev.l
	xt := ev.typeOf(x.X)
	if x.Flags&facts.FlagCallee != 0 {
		return unknownType, noEnt
	}
	name := ev.f.syms[x.Name]
	r := *t.rec(xt)
	switch r.kind {
	case kUnknown:
		return unknownType, noEnt
	case kPkg:
		path := l.symString(Sym(r.ent))
		if e := ev.findType(path, name); e != noEnt {
			return l.typ[e], e
		}
		full := l.lookupSym(path + ev.lang.Classes.Separator + ev.f.Facts.Str(x.Name))
		if full >= 0 && l.pkgNames[full] {
			return t.mk(kPkg, Ent(full), -1), noEnt
		}
		if len(l.unitsOf(ev.f.unit, path)) == 0 { // only the beginning of the names of packages
			return unknownType, noEnt
		}
		return t.mk(kExtern, r.ent, int32(name)), noEnt
	case kMeta:
		on := t.arg(xt, 0)
		if x.Flags&facts.FlagTyped == 0 {
			if m := ev.field(on, name); m.ent != noEnt {
				return m.typ, m.ent
			}
		}
		if e := ev.memberType(on, name); e != noEnt {
			return l.typ[e], e
		}
		return unknownType, noEnt
	case kExtern:
		return unknownType, noEnt
	}
	if x.Flags&facts.FlagTyped != 0 { // value.new Inner()
		if e := ev.memberType(xt, name); e != noEnt {
			return l.typ[e], e
		}
		return unknownType, noEnt
	}
	m := ev.field(xt, name)
	return m.typ, m.ent
}

// boxed returns the type of objects that hold a primitive value.
func (ev *evaluator) boxed(x Type) Type {
	if b, ok := ev.lang.cls.box[x]; ok {
		return b
	}
	return x
}

// unboxed returns the primitive type of the values that objects of a type hold.
func (ev *evaluator) unboxed(x Type) Type {
	if r := ev.types.rec(x); r.kind == kNamed {
		if p, ok := ev.lang.cls.unbox[r.ent]; ok {
			return p
		}
	}
	return x
}

// promoted returns the type of the result of arithmetic.
func (ev *evaluator) promoted(a, b Type) Type {
	c := ev.lang.cls
	rank := func(t Type) int {
		if i := slices.Index(c.numeric, t); i >= 0 {
			return i
		}
		if c.primitive.has(t) && len(c.numeric) > 1 && c.widens[[2]Type{t, ev.lang.tInt}] {
			return 0
		}
		return -1
	}
	i, j := rank(a), rank(b)
	if i < 0 || j < 0 {
		return unknownType
	}
	at := max(i, j, slices.Index(c.numeric, ev.lang.tInt))
	if at < 0 {
		return unknownType
	}
	return c.numeric[at]
}

func (ev *evaluator) classBinary(x *facts.Expr) Type {
	op := ev.f.Facts.Str(x.Name)
	switch op {
	case "==", "!=", "<", "<=", ">", ">=", "&&", "||", "instanceof":
		return ev.boolType()
	}
	a, b := ev.typeOf(x.X), ev.typeOf(x.Y)
	if op == "+" && ev.lang.tString != unknownType && (a == ev.lang.tString || b == ev.lang.tString) {
		return ev.lang.tString
	}
	a, b = ev.unboxed(a), ev.unboxed(b)
	switch op {
	case "<<", ">>", ">>>":
		return ev.promoted(a, a)
	case "&", "|", "^":
		if a == ev.lang.tBool || b == ev.lang.tBool {
			return ev.lang.tBool
		}
	}
	return ev.promoted(a, b)
}

// conditional returns the type of one of several values: the one that all have
// or convert to.
func (ev *evaluator) conditional(x *facts.Expr) Type {
	best := unknownType
	for _, a := range ev.f.Facts.List(x.Args) {
		op := ev.f.Facts.Exprs[a].Op
		if op == facts.OpFunc || op == facts.OpMethodRef {
			continue
		}
		at := ev.typeOf(facts.ExprID(a))
		switch {
		case at == ev.lang.tNull && at != unknownType:
		case at == unknownType:
			if op != facts.OpNone {
				return unknownType
			}
		case best == unknownType || best == at:
			best = at
		case ev.lang.cls.primitive.has(ev.unboxed(best)) && ev.lang.cls.primitive.has(ev.unboxed(at)):
			if p := ev.promoted(ev.unboxed(best), ev.unboxed(at)); p != unknownType {
				best = p
			}
		case ev.fits(at, best, 1) == yes:
		case ev.fits(best, at, 1) == yes:
			best = at
		default:
			if as := ev.shared(best, at); as != unknownType {
				best = as
				continue
			}
			return unknownType
		}
	}
	return best
}
