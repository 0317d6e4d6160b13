package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Expressions of languages with modules.

func (ev *evaluator) evalModule(e facts.ExprID, x *facts.Expr) (Type, Ent) {
	t := ev.types
	fs := ev.f.Facts
	switch x.Op {
	case facts.OpName:
		return ev.moduleNamed(e, x)
	case facts.OpLiteral:
		return ev.moduleLiteral(x), noEnt
	case facts.OpFunc:
		typ := ev.functionType(facts.DeclID(x.X))
		if x.Flags&facts.FlagTyped != 0 {
			if fs.Decls[x.X].Kind == graph.KindConstructor { // the type of a class
				return t.meta(t.meta(ev.resultOf(typ))), noEnt
			}
			return t.meta(typ), noEnt
		}
		return typ, noEnt
	case facts.OpType:
		return ev.surface(ev.f.base + Ent(x.X)), noEnt
	case facts.OpSelf:
		return ev.moduleSelf(x), noEnt
	case facts.OpSuper:
		return ev.moduleSuper(x), noEnt
	case facts.OpSelect:
		return ev.moduleSelect(e, x)
	case facts.OpIndex:
		return ev.moduleIndex(e, x)
	case facts.OpCall, facts.OpNew:
		return ev.moduleCallType(e, x), noEnt
	case facts.OpKeyword, facts.OpSpread:
		return ev.typeOf(x.X), noEnt
	case facts.OpAwait:
		if x.Flags&facts.FlagTyped != 0 {
			return t.meta(ev.awaited(ev.typeExpr(x.X))), noEnt
		}
		return ev.awaited(ev.typeOf(x.X)), noEnt
	case facts.OpComposite:
		return ev.moduleComposite(x), noEnt
	case facts.OpUnary:
		switch fs.Str(x.Name) {
		case "!", "delete":
			return ev.lang.tBool, noEnt
		case "typeof":
			return ev.lang.tString, noEnt
		case "void":
			return ev.lang.mod.undefined, noEnt
		}
		return ev.lang.tInt, noEnt
	case facts.OpBinary:
		return ev.moduleBinary(x), noEnt
	case facts.OpConditional:
		out := unknownType
		if x.Flags&facts.FlagTyped != 0 {
			return t.meta(t.union(ev.typeList(x.Args))), noEnt
		}
		for _, a := range fs.List(x.Args) {
			out = t.join(out, ev.widened(ev.typeOf(facts.ExprID(a))))
		}
		return out, noEnt
	case facts.OpAssert:
		return ev.typeExpr(x.Y), noEnt
	case facts.OpSliceType, facts.OpVariadic:
		if x.Op == facts.OpVariadic {
			return ev.typeOf(x.X), noEnt
		}
		if a := ev.lang.mod.array; a != noEnt {
			return t.meta(t.mk(kNamed, a, 0, ev.typeExpr(x.X))), noEnt
		}
		return unknownType, noEnt
	case facts.OpMapType:
		return t.meta(t.mk(kMap, noEnt, 0, ev.typeExpr(x.X), ev.typeExpr(x.Y))), noEnt
	case facts.OpUnionType:
		return t.meta(t.union(ev.typeList(x.Args))), noEnt
	case facts.OpBothType:
		return t.meta(ev.both(ev.typeList(x.Args))), noEnt
	case facts.OpTupleType:
		return t.meta(t.intern(kTuple, noEnt, 0, ev.typeList(x.Args))), noEnt
	case facts.OpTypeOf:
		xt := ev.typeOf(x.X)
		if xt == unknownType {
			return xt, noEnt
		}
		return t.mk(kMeta, noEnt, 0, xt), noEnt
	case facts.OpMember:
		on := ev.typeExpr(x.X)
		if x.Name == 0 {
			return t.meta(ev.elementAt(on, int(x.N))), noEnt
		}
		if p := ev.property(on, ev.f.syms[x.Name]); p.found {
			return t.meta(p.typ), p.ent
		}
		return unknownType, noEnt
	case facts.OpGuard:
		n := int32(x.N)
		if x.Flags&facts.FlagRead != 0 {
			n += assertsGuard
		}
		return t.meta(t.mk(kGuard, noEnt, n, ev.typeExpr(x.X))), noEnt
	case facts.OpModule:
		return ev.moduleOf(e, x)
	case facts.OpResult:
		return ev.moduleResult(x), noEnt
	case facts.OpNarrow:
		return ev.narrow(x), noEnt
	case facts.OpTuple:
		return ev.part(ev.typeOf(x.X), int(x.N)), noEnt
	case facts.OpRangeVal:
		return ev.iterated(ev.typeOf(x.X), x.N == 1), noEnt
	case facts.OpRangeKey:
		return ev.lang.tString, noEnt
	case facts.OpParamOf:
		if x.X >= 0 && fs.Exprs[x.X].Op == facts.OpFunc {
			return ev.wantedParam(x.X, int(x.N)), noEnt
		}
	}
	return unknownType, noEnt
}

// both returns the type of values that are of all types of a list.
func (ev *evaluator) both(list []Type) Type {
	t := ev.types
	var out []Type
	for _, x := range list {
		switch {
		case x == unknownType:
		case t.kind(x) == kBoth:
			out = append(out, t.argsOf(x)...)
		default:
			out = append(out, x)
		}
	}
	switch len(out) {
	case 0:
		return unknownType
	case 1:
		return out[0]
	}
	return t.intern(kBoth, noEnt, 0, out)
}

// part returns the type of the nth of several values.
func (ev *evaluator) part(x Type, n int) Type {
	t := ev.types
	return t.mapUnion(x, func(x Type) Type {
		if t.kind(x) == kTuple {
			return t.arg(x, n)
		}
		return ev.iterated(x, false)
	})
}

func (ev *evaluator) moduleLiteral(x *facts.Expr) Type {
	t := ev.types
	name := ev.f.syms[x.Name]
	if x.Flags&facts.FlagTyped == 0 {
		if ev.f.Facts.Str(x.Name) == "regexp" && ev.lang.mod.regexp != noEnt {
			return t.mk(kNamed, ev.lang.mod.regexp, 0)
		}
		return ev.lang.literals[name]
	}
	switch x.N {
	case 1:
		return t.meta(t.mk(kLit, noEnt, int32(name), ev.lang.tString))
	case 2:
		return t.meta(t.mk(kLit, noEnt, int32(name), ev.lang.tInt))
	case 3:
		return t.meta(t.mk(kLit, noEnt, int32(name), ev.lang.tBool))
	}
	return t.meta(ev.lang.literals[name])
}

func (ev *evaluator) moduleNamed(e facts.ExprID, x *facts.Expr) (Type, Ent) {
	if x.Flags&facts.FlagLocal != 0 {
		typ, ref := ev.localType(facts.LocalID(x.X))
		if lo := &ev.f.Facts.Locals[x.X]; ref == noEnt && lo.Value >= 0 { // const {a} = require(…)
			if v := &ev.f.Facts.Exprs[lo.Value]; v.Op == facts.OpSelect && v.X >= 0 && ev.importedHere(v.X) {
				ref = ev.refOf(lo.Value)
				if ref != noEnt {
					return ev.followed(property{ent: ref, typ: typ})
				}
			}
		}
		if x.Flags&facts.FlagTyped != 0 && ref != noEnt {
			typ = ev.withDefaults(typ, ref)
		}
		return typ, ref
	}
	s := spaceValue
	switch {
	case x.Flags&(facts.FlagTyped|facts.FlagKey) == facts.FlagTyped|facts.FlagKey:
		s = spaceNamespace
	case x.Flags&facts.FlagTyped != 0:
		s = spaceType
	}
	typ, ref := ev.moduleName(e, ev.f.syms[x.Name], s)
	if s == spaceNamespace && typ == unknownType {
		typ, ref = ev.moduleName(e, ev.f.syms[x.Name], spaceValue) // an object of exports, or an enum
	}
	if s == spaceType && ref != noEnt {
		typ = ev.withDefaults(typ, ref)
	}
	if s == spaceValue && ref == noEnt && typ == unknownType && ev.f.Facts.Str(x.Name) == "exports" && ev.l.isCommonJS(ev.f.unit) {
		typ = ev.wholeModule(ev.f.unit, false, 0).typ
	}
	return typ, ref
}

// importedHere reports whether an expression is a module that is imported where
// it stands.
func (ev *evaluator) importedHere(e facts.ExprID) bool {
	x := &ev.f.Facts.Exprs[e]
	return x.Op == facts.OpModule || x.Op == facts.OpAwait && x.X >= 0 && ev.f.Facts.Exprs[x.X].Op == facts.OpResult
}

// withDefaults gives a generic type that is named without arguments those that
// its parameters have by default.
func (ev *evaluator) withDefaults(typ Type, ref Ent) Type {
	t, l := ev.types, ev.l
	if t.kind(typ) != kMeta {
		return typ
	}
	d := l.decl(ref)
	if n := d.TypeParams.Len(); n > 0 {
		in := t.arg(typ, 0)
		args := ev.defaultArgs(ref, nil)
		if t.kind(in) == kNamed && len(t.argsOf(in)) == 0 {
			return t.meta(t.intern(kNamed, t.rec(in).ent, 0, args))
		}
		return t.meta(t.subst(in, l.canon[ref], args))
	}
	return typ
}

// defaultArgs completes type arguments by the defaults of parameters.
func (ev *evaluator) defaultArgs(e Ent, args []Type) []Type {
	l, t := ev.l, ev.types
	n := min(l.decl(e).TypeParams.Len(), maxTypeArgs)
	out := append([]Type(nil), args[:min(len(args), n)]...)
	for len(out) < n {
		ev.modules.read.entity(l.canon[e])
		d, _ := l.mods.defaults.get(int32(l.canon[e]), int32(len(out)))
		out = append(out, t.subst(d, l.canon[e], out))
	}
	return out
}

func (ev *evaluator) moduleSelf(x *facts.Expr) Type {
	t := ev.types
	if x.X < 0 {
		return unknownType
	}
	d := facts.DeclID(ev.f.Facts.Exprs[x.X].X)
	ent := ev.l.canon[ev.f.base+Ent(d)]
	self := unknownType
	switch kind := ev.f.Facts.Decls[d].Kind; kind {
	case graph.KindFunction:
		if ev.makesObjects(ent) {
			self = t.mk(kNamed, ent, 0)
		}
		if x.N == 1 {
			return ev.surface(ent)
		}
	case graph.KindStruct, graph.KindVariable, graph.KindConstant:
		self = t.mk(kAnon, ent, 0)
	default:
		self = ev.instance(ent)
		if ev.f.Facts.Decls[d].Kind == graph.KindInterface && ev.f.Facts.Decls[d].Traits&facts.TraitAnonymous != 0 {
			self = t.mk(kAnon, ent, 0)
		}
	}
	if x.N == 1 {
		self = t.meta(self)
	}
	if x.Flags&facts.FlagTyped != 0 {
		return t.meta(self)
	}
	return self
}

// makesObjects reports whether a function gives its objects members.
func (ev *evaluator) makesObjects(e Ent) bool {
	return ev.l.mods.is(e, isMaker)
}

func (ev *evaluator) moduleSuper(x *facts.Expr) Type {
	t := ev.types
	if x.X < 0 {
		return unknownType
	}
	ent := ev.l.canon[ev.f.base+Ent(ev.f.Facts.Exprs[x.X].X)]
	bases := ev.extended(ent)
	if len(bases) == 0 {
		return unknownType
	}
	if x.N == 1 || x.Flags&facts.FlagCallee != 0 {
		return t.meta(bases[0])
	}
	return bases[0]
}

// extended returns the types that a class extends, without those that it
// implements.
func (ev *evaluator) extended(e Ent) []Type {
	l := ev.l
	for _, c := range append([]Ent{e}, l.mods.mergedWith(e)...) {
		if n := l.decl(c).Bases.Len(); n > 0 && l.decl(c).Kind == graph.KindClass {
			ev.modules.read.entity(c)
			return l.basesOf(c)[:min(n, len(l.basesOf(c)))]
		}
	}
	return nil
}

func (ev *evaluator) moduleSelect(e facts.ExprID, x *facts.Expr) (Type, Ent) {
	t := ev.types
	xt := ev.typeOf(x.X)
	name := ev.f.syms[x.Name]
	if x.Flags&facts.FlagTyped != 0 {
		s := spaceType
		n := ev.inNamespace(xt, name, s, 0)
		if !n.ok && t.kind(xt) == kMeta { // the namespace beside a class, a member of an enum
			in := t.arg(xt, 0)
			if r := t.rec(in); r.kind == kNamed {
				if ns := ev.l.mods.companionOf(ev.l.canon[r.ent]); ns != noEnt {
					n = ev.inNamespace(t.mk(kPkg, ns, -2), name, s, 0)
				} else if ev.l.decl(r.ent).Kind == graph.KindEnum {
					if p := ev.ownProperty(in, r.ent, name, true); p.found {
						return t.meta(t.mk(kLit, p.ent, -1, p.typ)), p.ent
					}
				}
			}
		}
		if !n.ok && t.kind(xt) == kPkg {
			n = ev.inNamespace(xt, name, spaceNamespace, 0)
		}
		if n.ok && n.ent != noEnt {
			return ev.withDefaults(n.typ, n.ent), n.ent
		}
		return n.typ, n.ent
	}
	if t.kind(xt) == kExtern {
		return unknownType, noEnt
	}
	p := ev.property(xt, name)
	if p.ent != noEnt && x.Flags&facts.FlagWrite != 0 && ev.l.decl(p.ent).Traits&facts.TraitAccessor != 0 {
		p.ent = ev.l.accessor(p.ent, ev.lang.mod.Setter)
	}
	return p.typ, p.ent
}

func (ev *evaluator) moduleIndex(e facts.ExprID, x *facts.Expr) (Type, Ent) {
	t, l := ev.types, ev.l
	xt := ev.typeOf(x.X)
	ref := ev.refOf(x.X)
	if x.Flags&facts.FlagTyped == 0 { // an element
		if t.kind(xt) == kMeta || t.kind(xt) == kPkg || t.kind(xt) == kExtern {
			return unknownType, noEnt
		}
		return ev.elementAt(xt, int(x.N)), noEnt
	}
	if u, ok := ev.lang.mod.utilities[ref]; ok && len(ev.f.Facts.List(x.Args)) > 0 {
		return t.meta(ev.utility(u, ev.typeList(x.Args))), ref
	}
	switch t.kind(xt) {
	case kMeta:
		base := t.arg(xt, 0)
		args := ev.typeList(x.Args)
		if ref != noEnt {
			if d := l.decl(ref); d.Kind == graph.KindTypeAlias {
				if d.TypeParams.Len() > 0 {
					return t.meta(t.subst(t.denoted(ev.surface(ref)), l.canon[ref], ev.defaultArgs(ref, args))), ref
				}
				return xt, ref
			}
		}
		if t.kind(base) == kNamed {
			ent := t.rec(base).ent
			return t.meta(t.intern(kNamed, ent, 0, ev.defaultArgs(ent, args))), ref
		}
		return xt, ref
	case kExtern:
		r := *t.rec(xt)
		return t.intern(kExtern, r.ent, r.n, ev.typeList(x.Args)), noEnt
	}
	return xt, ref // a function with type arguments
}

// utility returns what a generic type that the engine works out makes of its
// arguments.
func (ev *evaluator) utility(u Utility, args []Type) Type {
	t := ev.types
	switch u {
	case UtilitySame:
		return args[0]
	case UtilityMap:
		if len(args) > 1 {
			return t.mk(kMap, noEnt, 0, args[0], args[1])
		}
	case UtilityResult:
		if f, _ := ev.callable(args[0]); f != unknownType {
			return ev.resultOf(f)
		}
	case UtilityInstance:
		return ev.instanceOf(args[0])
	case UtilityAwaited:
		return ev.awaited(args[0])
	}
	return unknownType
}

// instanceOf returns the type of the objects that a value makes with new.
func (ev *evaluator) instanceOf(x Type) Type {
	t, m := ev.types, ev.lang.mod
	switch r := *t.rec(x); r.kind {
	case kMeta:
		return t.arg(x, 0)
	case kExtern:
		return x
	case kNamed, kAnon:
		if r.ent != noEnt {
			if p := ev.findProperty(x, m.construct, 0); p.found {
				return ev.resultOf(p.typ)
			}
		}
	case kBoth:
		var list []Type
		for _, a := range t.argsOf(x) {
			list = append(list, ev.instanceOf(a))
		}
		return ev.both(list)
	case kFunc:
		if r.ent != noEnt && ev.makesObjects(ev.l.canon[r.ent]) {
			return t.mk(kNamed, ev.l.canon[r.ent], 0)
		}
	case kParam:
		if c := ev.constraint(r.ent, int(r.n)); c != unknownType && c != x {
			return ev.instanceOf(c)
		}
	case kUnion:
		return t.mapUnion(x, ev.instanceOf)
	}
	return unknownType
}

func (ev *evaluator) moduleComposite(x *facts.Expr) Type {
	t := ev.types
	fs := ev.f.Facts
	if x.X < 0 { // a list
		elem := unknownType
		for _, a := range fs.List(x.Args) {
			at := ev.widened(ev.typeOf(facts.ExprID(a)))
			if fs.Exprs[a].Op == facts.OpSpread {
				at = ev.iterated(at, false)
			}
			elem = t.join(elem, at)
		}
		if a := ev.lang.mod.array; a != noEnt {
			return t.mk(kNamed, a, 0, elem)
		}
		return unknownType
	}
	own := ev.typeExpr(x.X)
	list := []Type{own}
	for _, a := range fs.List(x.Args) {
		if fs.Exprs[a].Op == facts.OpSpread {
			list = append(list, ev.widened(ev.typeOf(facts.ExprID(a))))
		}
	}
	if len(list) == 1 {
		return own
	}
	return ev.both(list)
}

func (ev *evaluator) moduleBinary(x *facts.Expr) Type {
	switch op := ev.f.Facts.Str(x.Name); op {
	case "&&":
		b := ev.typeOf(x.Y)
		return ev.widened(b)
	case "+":
		a, b := ev.widened(ev.typeOf(x.X)), ev.widened(ev.typeOf(x.Y))
		if a == ev.lang.tString || b == ev.lang.tString {
			return ev.lang.tString
		}
		if a == ev.lang.tInt && b == ev.lang.tInt {
			return a
		}
		return unknownType
	case "-", "*", "/", "%", "**", "|", "&", "^", "<<", ">>", ">>>":
		return ev.lang.tInt
	case ",":
		return ev.typeOf(x.Y)
	}
	return ev.lang.tBool
}

// moduleOf returns what require or import gives, and the declaration that it is.
func (ev *evaluator) moduleOf(e facts.ExprID, x *facts.Expr) (Type, Ent) {
	t := ev.types
	path := ev.f.Facts.Str(x.Name)
	u := ev.l.resolveImport(ev.f.unit, path)
	if u < 0 || ev.l.units[u].surface {
		if path[0] == '.' || ev.l.isAsset(path) {
			return unknownType, noEnt
		}
		return t.mk(kPkg, Ent(ev.f.syms[x.Name]), -1), noEnt
	}
	if x.Flags&facts.FlagTyped != 0 || x.N == 1 {
		return t.mk(kPkg, Ent(0), u), noEnt
	}
	m := ev.wholeModule(u, false, 0)
	return m.typ, m.ent
}

// moduleResult returns what a function gives that returns or yields some values.
func (ev *evaluator) moduleResult(x *facts.Expr) Type {
	t, m := ev.types, ev.lang.mod
	out := unknownType
	for _, a := range ev.f.Facts.List(x.Args) {
		out = t.join(out, ev.widened(ev.typeOf(facts.ExprID(a))))
	}
	if x.N == 0 && len(ev.f.Facts.List(x.Args)) == 0 {
		return m.void
	}
	switch x.N {
	case 1:
		if m.promise != noEnt {
			return t.mk(kNamed, m.promise, 0, ev.awaited(out))
		}
	case 2:
		if m.iterator != noEnt {
			return t.mk(kNamed, m.iterator, 0, out, unknownType, unknownType)
		}
	case 3:
		if m.asyncIter != noEnt {
			return t.mk(kNamed, m.asyncIter, 0, out, unknownType, unknownType)
		}
	}
	return out
}

// functionType returns the type of a function: of its parameters as they are
// declared or as its context gives them, and of its result.
func (ev *evaluator) functionType(d facts.DeclID) Type {
	fs := ev.f.Facts
	decl := &fs.Decls[d]
	var small [8]Type
	ts := small[:0]
	variadic := false
	for _, p := range fs.Params[decl.Params.Lo:decl.Params.Hi] {
		pt := unknownType
		if p.Type != facts.None {
			pt = ev.typeExpr(p.Type)
		} else if p.Local != facts.None {
			pt, _ = ev.localType(p.Local)
		}
		ts = append(ts, pt)
		variadic = p.Flags&graph.ParamVariadic != 0
	}
	n := len(ts)
	switch {
	case decl.Results.Len() > 0:
		ts = append(ts, ev.typeExpr(fs.Params[decl.Results.Lo].Type))
	case decl.Value != facts.None && decl.Kind.IsCallable():
		ts = append(ts, ev.typeOf(decl.Value))
	default:
		ts = append(ts, unknownType)
	}
	return ev.types.intern(kFunc, ev.f.base+Ent(d), funcShape(n, variadic), ts)
}

// localValue returns the type of a local without a declared one.
func (ev *evaluator) localValue(id facts.LocalID, lo *facts.Local) Type {
	t := unknownType
	for n := 0; id != facts.None && n < 16; n++ {
		l := &ev.f.Facts.Locals[id]
		if l.Value != facts.None {
			t = ev.types.join(t, ev.widened(ev.typeOf(l.Value)))
		}
		id = l.Next
	}
	return t
}
