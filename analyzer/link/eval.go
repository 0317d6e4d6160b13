package link

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// maxEvalDepth bounds the recursion of typeOf over operands that were not met
// yet. Bodies are read operands first, so only initial values and types that
// are asked for out of order recurse.
const maxEvalDepth = 200

// evaluator finds the type of expressions of one file at a time and what they
// name. Each worker has one.
type evaluator struct {
	l     *linker
	types *typeTable
	fn    int32
	f     *file
	lang  *langState
	typ   []Type // by ExprID
	ref   []Ent  // by ExprID: the entity that the expression names, or noEnt
	state []uint8
	local []Type // by LocalID
	lstat []uint8
	pkgs  []Type // by import of the file, see pkgType; empty until one is asked for

	selected  map[facts.LocalID][]Sym // what is selected on locals; nil until it is asked for
	sourced   map[source]*sourced     // what is known of values of one source
	guessed   map[facts.LocalID]bool  // locals of the file whose type is likely and not certain; see outsideLocal
	guessedAt map[facts.ExprID]bool   // values of which that is so

	depth int
	memo  pairs[member] // by type and name

	foreigns map[Type][]Type // see foreign

	where string // the constraint of the file, if there are variants

	implied map[[2]string]bool // see implies

	classes classEval   // of languages with classes
	modules moduleEval  // of languages with modules
	dyn     dynamicEval // of languages whose types flow
}

const (
	evalNew uint8 = iota
	evalOpen
	evalDone
)

func (l *linker) newEvaluator(t *typeTable) *evaluator {
	known := l.known
	if known == nil {
		known = &dynamicEval{}
	}
	return &evaluator{l: l, types: t, foreigns: map[Type][]Type{}, implied: map[[2]string]bool{},
		dyn: dynamicEval{known: known}, modules: moduleEval{known: l.mods.memos}}
}

// forget drops what is known of members.
func (ev *evaluator) forget() {
	ev.memo.clear()
	clear(ev.foreigns)
}

// open starts the evaluation of a file.
func (ev *evaluator) open(fn int32) {
	ev.fn, ev.f = fn, &ev.l.files[fn]
	ev.lang = ev.l.units[ev.f.unit].rules
	n, m := len(ev.f.Facts.Exprs), len(ev.f.Facts.Locals)
	ev.typ, ev.ref, ev.state = zeroed(ev.typ, n), zeroed(ev.ref, n), zeroed(ev.state, n)
	ev.local, ev.lstat = zeroed(ev.local, m), zeroed(ev.lstat, m)
	ev.pkgs = ev.pkgs[:0]
	ev.selected, ev.sourced, ev.guessed, ev.guessedAt = nil, nil, nil, nil
	if c := ev.f.place.Constraint; c != ev.where && len(ev.l.others) > 0 {
		ev.forget() // of members as another platform has them
		ev.where = c
	}
	ev.depth = 0
	if ev.f.Rules.Classes != nil {
		ev.openClasses()
	}
	if ev.f.Rules.Modules != nil {
		ev.openModule()
	}
	if ev.f.Rules.Dynamic != nil {
		ev.openDynamic()
	}
}

// zeroed returns n zero values, in the memory of s if it has room. What was there, of
// the file before, must not be read: which file that was depends on what other workers
// took.
func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, max(n+n/4, 2*cap(s), 1<<10))
	}
	s = s[:n]
	clear(s)
	return s
}

// touched returns n zero values that are about to be read before they are written: to
// write them at first spares the system from mapping each page twice.
func touched[T any](n int) []T {
	s := make([]T, n)
	clear(s)
	return s
}

// typeOf returns the type of an expression; for one that denotes a type, the
// kMeta of it.
func (ev *evaluator) typeOf(e facts.ExprID) Type {
	if e < 0 {
		return unknownType
	}
	switch ev.state[e] {
	case evalDone:
		return ev.typ[e]
	case evalOpen:
		return unknownType
	}
	if ev.depth > maxEvalDepth {
		return unknownType
	}
	ev.state[e] = evalOpen
	ev.depth++
	t, ref := ev.eval(e, &ev.f.Facts.Exprs[e])
	ev.depth--
	ev.typ[e], ev.ref[e], ev.state[e] = t, ref, evalDone
	return t
}

// refOf returns the entity that an expression names, or noEnt.
func (ev *evaluator) refOf(e facts.ExprID) Ent {
	if e < 0 {
		return noEnt
	}
	ev.typeOf(e)
	if ev.state[e] != evalDone {
		return noEnt
	}
	return ev.ref[e]
}

// surface returns the surface of a declaration as it is known so far.
func (ev *evaluator) surface(e Ent) Type {
	ev.modules.read.entity(e)
	return ev.l.typ[e]
}

// constraint returns what is known of the nth type parameter of a declaration.
func (ev *evaluator) constraint(owner Ent, n int) Type {
	ev.modules.read.entity(owner)
	return ev.l.constraint(owner, n)
}

// typeExpr returns the type that an expression denotes.
func (ev *evaluator) typeExpr(e facts.ExprID) Type { return ev.types.denoted(ev.typeOf(e)) }

// value returns the type of an expression as a value: a type where a value is
// expected is unknown, and a constant's own type becomes a variable's.
func (ev *evaluator) value(e facts.ExprID) Type {
	return ev.defaulted(ev.typeOf(e))
}

func (ev *evaluator) defaulted(t Type) Type {
	if d, ok := ev.lang.defaultOf(t); ok {
		return d
	}
	return t
}

func (ev *evaluator) untyped(t Type) bool {
	_, ok := ev.lang.defaultOf(t)
	return ok
}

func (ev *evaluator) eval(e facts.ExprID, x *facts.Expr) (Type, Ent) {
	t := ev.types
	if ev.lang.mod != nil {
		return ev.evalModule(e, x)
	}
	if ev.lang.dyn != nil {
		return ev.evalDynamic(e, x)
	}
	if ev.lang.cls != nil {
		if typ, ref, ok := ev.evalClasses(e, x); ok {
			return typ, ref
		}
	}
	switch x.Op {
	case facts.OpName:
		return ev.evalName(x)
	case facts.OpLiteral:
		return ev.lang.literals[ev.f.syms[x.Name]], noEnt
	case facts.OpFunc:
		return ev.funcType(facts.DeclID(x.X)), noEnt
	case facts.OpType:
		return ev.l.typ[ev.f.base+Ent(x.X)], noEnt
	case facts.OpSelect:
		return ev.evalSelect(x)
	case facts.OpIndex:
		return ev.evalIndex(x)
	case facts.OpSlice:
		xt := ev.typeOf(x.X)
		u := ev.under(xt)
		if p, ok := t.deref(u); ok {
			u = ev.under(p)
		}
		if t.kind(u) == kArray {
			return t.mk(kSlice, noEnt, 0, t.arg(u, 0)), noEnt
		}
		return ev.defaulted(xt), noEnt
	case facts.OpDeref:
		xt := ev.typeOf(x.X)
		switch t.kind(xt) {
		case kMeta:
			return t.meta(t.mk(kPtr, noEnt, 0, t.arg(xt, 0))), noEnt
		case kExtern:
			return t.meta(t.mk(kPtr, noEnt, 0, xt)), noEnt
		}
		u := ev.under(xt)
		switch t.kind(u) {
		case kPtr:
			return t.arg(u, 0), noEnt
		case kOutside:
			return u, noEnt
		}
		return unknownType, noEnt
	case facts.OpAddr:
		xt := ev.typeOf(x.X)
		if xt == unknownType || t.kind(xt) == kMeta {
			return unknownType, noEnt
		}
		return t.mk(kPtr, noEnt, 0, xt), noEnt
	case facts.OpRecv:
		u := ev.under(ev.typeOf(x.X))
		switch t.kind(u) {
		case kChan:
			return t.arg(u, 0), noEnt
		case kOutside:
			return u, noEnt
		}
		return unknownType, noEnt
	case facts.OpCall, facts.OpNew:
		return ev.evalCall(x), noEnt
	case facts.OpKeyword, facts.OpSpread, facts.OpAwait:
		return ev.typeOf(x.X), noEnt
	case facts.OpComposite:
		return ev.typeExpr(x.X), noEnt
	case facts.OpElement:
		return t.meta(ev.elementOf(ev.typeExpr(x.X), 1)), noEnt
	case facts.OpKeyType:
		return t.meta(ev.elementOf(ev.typeExpr(x.X), 0)), noEnt
	case facts.OpUnary:
		xt := ev.typeOf(x.X)
		if xt == unknownType && ev.f.Facts.Str(x.Name) == "!" {
			xt = ev.boolType()
		}
		return xt, noEnt
	case facts.OpBinary:
		return ev.evalBinary(x), noEnt
	case facts.OpConditional:
		for _, a := range ev.f.Facts.List(x.Args) {
			if at := ev.typeOf(facts.ExprID(a)); at != unknownType {
				return at, noEnt
			}
		}
		return unknownType, noEnt
	case facts.OpSliceType:
		return t.meta(t.mk(kSlice, noEnt, 0, ev.typeExpr(x.X))), noEnt
	case facts.OpVariadic:
		return t.meta(t.mk(kSlice, noEnt, 0, ev.typeExpr(x.X))), noEnt
	case facts.OpArrayType:
		return t.meta(t.mk(kArray, noEnt, -1, ev.typeExpr(x.X))), noEnt
	case facts.OpMapType:
		return t.meta(t.mk(kMap, noEnt, 0, ev.typeExpr(x.X), ev.typeExpr(x.Y))), noEnt
	case facts.OpChanType:
		return t.meta(t.mk(kChan, noEnt, int32(x.N)%3, ev.typeExpr(x.X))), noEnt
	case facts.OpFuncType:
		return t.meta(ev.funcTypeOf(x)), noEnt
	case facts.OpUnionType:
		return t.meta(t.intern(kUnion, noEnt, 0, ev.typeList(x.Args))), noEnt
	case facts.OpApproxType:
		return t.meta(t.mk(kApprox, noEnt, 0, ev.typeExpr(x.X))), noEnt
	case facts.OpTuple:
		xt := ev.typeOf(x.X)
		if t.kind(xt) == kTuple {
			return t.arg(xt, int(x.N)), noEnt
		}
		if x.N == 0 {
			return xt, noEnt
		}
		if op := ev.f.Facts.Exprs[x.X].Op; x.N == 1 && (op == facts.OpIndex || op == facts.OpAssert || op == facts.OpRecv) {
			return ev.lang.tBool, noEnt
		}
		if t.kind(xt) == kOutside {
			return xt, noEnt
		}
		return unknownType, noEnt
	case facts.OpRangeKey:
		k, _ := ev.rangeOf(ev.typeOf(x.X))
		return k, noEnt
	case facts.OpRangeVal:
		_, v := ev.rangeOf(ev.typeOf(x.X))
		return v, noEnt
	case facts.OpAssert:
		if x.Y == facts.None {
			return ev.typeOf(x.X), noEnt
		}
		return ev.typeExpr(x.Y), noEnt
	}
	return unknownType, noEnt
}

func (ev *evaluator) typeList(list int32) []Type {
	ids := ev.f.Facts.List(list)
	ts := make([]Type, len(ids))
	for i, a := range ids {
		ts[i] = ev.typeExpr(facts.ExprID(a))
	}
	return ts
}

func (ev *evaluator) funcTypeOf(x *facts.Expr) Type {
	ts := ev.typeList(x.Args)
	n := min(max(int(x.N), 0), len(ts))
	return ev.types.intern(kFunc, noEnt, funcShape(n, x.Flags&facts.FlagSpread != 0), ts)
}

// funcType returns the type of a function declared in this file.
func (ev *evaluator) funcType(d facts.DeclID) Type {
	decl := &ev.f.Facts.Decls[d]
	params := ev.f.Facts.Params[decl.Params.Lo:decl.Params.Hi]
	results := ev.f.Facts.Params[decl.Results.Lo:decl.Results.Hi]
	var small [8]Type
	ts := small[:0]
	variadic := false
	for i := range params {
		ts = append(ts, ev.typeExpr(params[i].Type))
		variadic = params[i].Flags&graph.ParamVariadic != 0
	}
	for i := range results {
		ts = append(ts, ev.typeExpr(results[i].Type))
	}
	return ev.types.intern(kFunc, noEnt, funcShape(len(params), variadic), ts)
}

func (ev *evaluator) boolType() Type {
	return ev.lang.tBool
}

func (ev *evaluator) evalBinary(x *facts.Expr) Type {
	switch ev.f.Facts.Str(x.Name) {
	case "==", "!=", "<", "<=", ">", ">=", "&&", "||":
		return ev.boolType()
	case "<<", ">>":
		return ev.typeOf(x.X)
	case "|":
		a, b := ev.typeOf(x.X), ev.typeOf(x.Y)
		if ev.types.kind(a) == kMeta || ev.types.kind(b) == kMeta {
			return ev.types.meta(ev.types.mk(kUnion, noEnt, 0, ev.types.denoted(a), ev.types.denoted(b)))
		}
	}
	a := ev.typeOf(x.X)
	if ev.typed(a) {
		return a
	}
	switch b := ev.typeOf(x.Y); {
	case ev.typed(b):
		return b
	case ev.types.isOutside(a):
		return a
	case ev.types.isOutside(b):
		return b
	case a == unknownType || b == unknownType:
		return unknownType // it may be of a declared type
	default:
		return ev.larger(a, b)
	}
}

// typed reports whether a type is known, and more than that of a constant.
func (ev *evaluator) typed(t Type) bool {
	return t != unknownType && !ev.untyped(t) && !ev.types.isOutside(t)
}

// larger returns the type of two constants of no declared type that meet.
func (ev *evaluator) larger(a, b Type) Type {
	if a != b && slices.Index(ev.lang.larger, a) > slices.Index(ev.lang.larger, b) && ev.untyped(b) {
		return a
	}
	return b
}

func (ev *evaluator) evalSelect(x *facts.Expr) (Type, Ent) {
	t := ev.types
	xt := ev.typeOf(x.X)
	name := ev.f.syms[x.Name]
	r := t.rec(xt)
	switch r.kind {
	case kUnknown:
		return unknownType, noEnt
	case kPkg:
		if u := r.n; u >= 0 {
			if e := ev.l.pkgScope.get(u, name); e >= 0 {
				return ev.entity(Ent(e))
			}
			return unknownType, noEnt
		}
		return t.mk(kExtern, r.ent, int32(name)), noEnt
	case kMeta:
		recv := t.arg(xt, 0)
		m := ev.member(recv, name)
		if m.ent == noEnt {
			return unknownType, noEnt
		}
		if mr := *t.rec(m.typ); mr.kind == kFunc && ev.l.decl(m.ent).Kind == graph.KindMethod {
			ts := append([]Type{recv}, t.argsOf(m.typ)...)
			return t.intern(kFunc, noEnt, mr.n+2, ts), m.ent
		}
		return m.typ, m.ent
	}
	m := ev.member(xt, name)
	if m.ent != noEnt {
		return m.typ, m.ent
	}
	xt, _ = t.deref(xt)
	switch t.kind(xt) {
	case kExtern:
		return ev.outside(xt), noEnt
	case kOutside:
		if m = ev.outsideMember(xt, name); m.ent != noEnt {
			break
		}
		if m = ev.member(ev.outsideValue(facts.ExprID(x.X), xt), name); m.ent == noEnt {
			return t.intern(kOutside, noEnt, fromAnything, t.argsOf(xt)), noEnt
		}
	case kNamed, kAnon: // what it embeds may have the member
		if foreign := ev.foreign(xt); len(foreign) > 0 {
			return ev.outside(foreign...), noEnt
		}
	}
	return m.typ, m.ent
}

func (ev *evaluator) evalIndex(x *facts.Expr) (Type, Ent) {
	t := ev.types
	xt := ev.typeOf(x.X)
	ref := ev.refOf(x.X)
	r := t.rec(xt)
	switch r.kind {
	case kUnknown:
		return unknownType, noEnt
	case kMeta:
		base := t.arg(xt, 0)
		args := ev.typeList(x.Args)
		if ref != noEnt && ev.l.decl(ref).Traits&facts.TraitAlias != 0 && ev.l.decl(ref).TypeParams.Len() > 0 {
			return t.meta(t.subst(base, ev.l.canon[ref], args)), ref
		}
		if t.kind(base) == kNamed {
			e := t.rec(base).ent
			if ev.lang.cls != nil {
				ev.anyTypes(e, x.Args, args)
			}
			return t.meta(t.intern(kNamed, e, 0, args)), ref
		}
		return unknownType, noEnt
	case kExtern:
		return t.intern(kExtern, r.ent, r.n, ev.typeList(x.Args)), noEnt
	case kFunc:
		if ref != noEnt && ev.l.decl(ref).TypeParams.Len() > 0 {
			return ev.infer(ref, xt, ev.typeList(x.Args), nil), ref
		}
		return unknownType, noEnt
	}
	return ev.elementOf(xt, 1), noEnt
}

// elementOf returns the type of the elements (part 1) or of the keys (part 0)
// of what can be indexed.
func (ev *evaluator) elementOf(x Type, part int) Type {
	t := ev.types
	u := ev.under(x)
	if p, ok := t.deref(u); ok {
		u = ev.under(p)
	}
	switch t.kind(u) {
	case kSlice, kArray:
		if part == 0 {
			return ev.lang.tInt
		}
		return t.arg(u, 0)
	case kMap:
		return t.arg(u, part)
	case kOutside:
		return u
	case kNamed:
		if s := ev.lang.tString; s != unknownType && (u == s || ev.defaulted(u) == s) {
			if part == 0 {
				return ev.lang.tInt
			}
			return ev.lang.tByte
		}
	}
	return unknownType
}

// rangeOf returns the types of the two variables of a loop over x.
func (ev *evaluator) rangeOf(x Type) (Type, Type) {
	t := ev.types
	u := ev.under(x)
	if p, ok := t.deref(u); ok {
		u = ev.under(p)
	}
	switch t.kind(u) {
	case kSlice, kArray:
		return ev.lang.tInt, t.arg(u, 0)
	case kMap:
		return t.arg(u, 0), t.arg(u, 1)
	case kChan:
		return t.arg(u, 0), unknownType
	case kOutside:
		return u, u
	case kFunc: // a function that yields
		if t.rec(u).funcParams() != 1 {
			return unknownType, unknownType
		}
		y := ev.under(t.arg(u, 0))
		if t.kind(y) != kFunc {
			return unknownType, unknownType
		}
		k, v := unknownType, unknownType
		if n := t.rec(y).funcParams(); n > 0 {
			k = t.arg(y, 0)
			if n > 1 {
				v = t.arg(y, 1)
			}
		}
		return k, v
	case kNamed:
		if u == ev.lang.tString || ev.defaulted(u) == ev.lang.tString {
			return ev.lang.tInt, ev.lang.tRune
		}
		return ev.defaulted(x), unknownType // a number
	}
	return unknownType, unknownType
}

// under returns the type's structure: for a named type its right-hand side,
// followed to the end, or the type itself if that is a struct, an interface or
// a primitive; for a type parameter the one structure of its constraint.
func (ev *evaluator) under(x Type) Type {
	t := ev.types
	for range 32 {
		r := t.rec(x)
		switch r.kind {
		case kNamed:
			rhs := ev.l.rhs[ev.variant(r.ent)]
			if rhs == unknownType || rhs == x {
				return x
			}
			x = t.subst(rhs, r.ent, t.argsOf(x))
		case kParam:
			c := ev.coreOf(ev.l.constraint(r.ent, int(r.n)))
			if c == unknownType || c == x {
				return x
			}
			x = c
		default:
			return x
		}
	}
	return unknownType
}
