package link

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// The types of expressions in languages whose types flow.

// dynamicEval is what an evaluator keeps for such languages.
type dynamicEval struct {
	within   []facts.DeclID // by ExprID: the innermost class around it; None; see classAround
	located  bool
	lflow    []bool          // by LocalID: its type was inferred across declarations
	param    []int32         // by LocalID: the parameter that it is; -1
	prev     []Type          // by LocalID: its type as far as the pass before found it
	flowed   []bool          // by ExprID: its type was inferred across declarations
	flow     bool            // of the expression being evaluated
	asked    []askedLocal    // in the pass, while they were looked for
	settled  []facts.LocalID // whose values were found in the pass
	binds    pairs[binding]  // by unit and name
	units    pairs[int32]    // by unit and path
	hits     pairs[hit]      // by type and name
	exported map[int32]map[Sym]bool
	known    *dynamicEval // what another evaluator has found out about names before; empty if none has
	chase    int
	free     []boundName   // by Str of the file that was opened last
	opened   uint32        // the number of files that were opened, from 1
	own      [][]boundName // by file of the tree: free
	others   []boundName   // free of the last file that is of a library
	calls    int           // calls that are open
	args     argRoom
	track    bool    // who reads which slot
	reader   int32   // who reads now
	readers  []int32 // see evaluateLate
}

// askedLocal is a local whose value was asked for while it was looked for, and the
// answer: what the pass before had found.
type askedLocal struct {
	id   facts.LocalID
	typ  Type
	flow bool
}

// either returns the value of a pair in one of two maps.
func either[V any](own, before *pairs[V], a, b int32) (V, bool) {
	v, ok := own.get(a, b)
	if !ok {
		v, ok = before.get(a, b)
	}
	return v, ok
}

// openDynamic starts the evaluation of a file.
func (ev *evaluator) openDynamic() {
	d := &ev.dyn
	fs := ev.f.Facts
	d.opened++
	if d.own == nil {
		d.own = make([][]boundName, len(ev.l.files))
	}
	switch n := len(ev.f.syms); {
	case ev.l.units[ev.f.unit].surface: // most have their strings in common
		if len(d.others) < n {
			d.others = touched[boundName](n)
		}
		d.free = d.others
	case d.own[ev.fn] == nil:
		d.own[ev.fn] = touched[boundName](n)
		fallthrough
	default:
		d.free = d.own[ev.fn]
	}
	n, m := len(fs.Exprs), len(fs.Locals)
	d.within, d.flowed = zeroed(d.within, n), zeroed(d.flowed, n)
	d.param, d.prev, d.lflow = zeroed(d.param, m), zeroed(d.prev, m), zeroed(d.lflow, m)
	for i := range d.param {
		d.param[i] = -1
	}
	for i := range fs.Params {
		if id := fs.Params[i].Local; id != facts.None {
			d.param[id] = int32(i)
		}
	}
	d.flow = false
	d.located = false
	d.reader = ev.fn
}

// classAround returns the innermost class around an expression. Where classes
// are is found out when a file first asks.
func (ev *evaluator) classAround(e facts.ExprID) facts.DeclID {
	d := &ev.dyn
	if !d.located {
		d.located = true
		for i := range d.within {
			d.within[i] = facts.None
		}
		var open []facts.DeclID
		next, at := 0, int32(0)
		fill := func(to int32) {
			if len(open) > 0 {
				for ; at < to; at++ {
					d.within[at] = open[len(open)-1]
				}
			}
			at = max(at, to)
		}
		decls := ev.f.Facts.Decls
		for {
			for next < len(decls) && !decls[next].Kind.IsType() {
				next++
			}
			end := int32(len(d.within))
			if len(open) > 0 {
				end = decls[open[len(open)-1]].Exprs.Hi
			}
			if next < len(decls) && decls[next].Exprs.Lo < end {
				fill(decls[next].Exprs.Lo)
				open = append(open, facts.DeclID(next))
				next++
				continue
			}
			if len(open) == 0 {
				break
			}
			fill(end)
			open = open[:len(open)-1]
		}
	}
	return d.within[e]
}

// evaluateOpen finds the types of all expressions of the file that is open: function by
// function, and of what stands between them.
func (ev *evaluator) evaluateOpen() {
	n, at := int32(len(ev.f.Facts.Exprs)), int32(0)
	for id := range functions(ev.f.Facts) {
		d := &ev.f.Facts.Decls[id]
		ev.settle(at, d.Exprs.Lo)
		ev.settle(d.Exprs.Lo, d.Exprs.Hi)
		at = d.Exprs.Hi
	}
	ev.settle(at, n)
}

// settle finds the types of some expressions that follow each other. Values that
// depend on themselves, as in loops, take a second pass.
func (ev *evaluator) settle(lo, hi int32) {
	d := &ev.dyn
	for range 3 {
		d.asked, d.settled = d.asked[:0], d.settled[:0]
		for e := lo; e < hi; e++ {
			d.args.clear()
			ev.typeOf(facts.ExprID(e))
		}
		if !slices.ContainsFunc(d.asked, func(a askedLocal) bool { return a.typ != ev.local[a.id] || a.flow != d.lflow[a.id] }) {
			return
		}
		clear(ev.state[lo:hi])
		for _, id := range d.settled {
			d.prev[id], ev.lstat[id] = ev.local[id], evalNew
		}
	}
}

// denote returns the type of the objects that a value stands for: of a class,
// its instances.
func (ev *evaluator) denote(v Type) Type {
	t := ev.types
	if v == ev.lang.tNull {
		return v
	}
	return t.mapUnion(v, func(m Type) Type {
		switch t.kind(m) {
		case kMeta:
			return t.arg(m, 0)
		case kExtern:
			return m
		case kFunc, kCallable:
			return m
		case kTuple: // several classes to test for
			out := unknownType
			for _, a := range t.argsOf(m) {
				out = t.join(out, ev.denote(a))
			}
			return out
		case kForm:
			switch Form(t.rec(m).n) {
			case FormTuple:
				if e := ev.lang.dyn.tuple; e != noEnt {
					return t.mk(kNamed, e, 0)
				}
			case FormType:
				if e := ev.lang.dyn.typ; e != noEnt {
					return t.mk(kNamed, e, 0)
				}
			}
			return unknownType
		}
		if m == ev.lang.tNull {
			return m
		}
		return unknownType
	})
}

// typeExpr2 returns the type that an annotation states.
func (ev *evaluator) typeExpr2(e facts.ExprID) Type { return ev.denote(ev.typeOf(e)) }

// formOf returns the form that a value is, FormNone for others.
func (ev *evaluator) formOf(v Type) Form {
	switch r := ev.types.rec(v); r.kind {
	case kForm:
		return Form(r.n)
	case kMeta:
		if o := ev.types.rec(ev.types.arg(v, 0)); o.kind == kNamed {
			return ev.lang.dyn.form(o.ent)
		}
	case kCallable:
		return ev.lang.dyn.form(r.ent)
	}
	return FormNone
}

// valueOf returns the type of a declaration as a value.
func (ev *evaluator) valueOf(e Ent) Type {
	t := ev.types
	d := ev.l.decl(e)
	switch {
	case d.Kind.IsType():
		return ev.l.typ[e]
	case d.Kind.IsCallable():
		if d.Traits&facts.TraitReplaced != 0 {
			ev.noteSlot(e)
			if by := ev.l.slots.decorated[e]; by != unknownType {
				ev.dyn.flow = true
				return by
			}
		}
		return t.mk(kCallable, e, 0)
	}
	if f := ev.lang.dyn.form(e); f != FormNone {
		return t.mk(kForm, noEnt, int32(f))
	}
	if d.Type == facts.None {
		ev.readSlot(e)
	}
	return ev.shapeOf(e, d, ev.l.typ[e])
}

// readSlot notes that the type of e was inferred, and that the file needs it.
func (ev *evaluator) readSlot(e Ent) {
	ev.dyn.flow = true
	ev.noteSlot(e)
}

// noteSlot notes that the file needs what is inferred of e, now or later.
func (ev *evaluator) noteSlot(e Ent) {
	if ev.dyn.track {
		ev.l.slots.read(ev.l.slots.ofEnt(e), ev.dyn.reader)
	}
}

// noteParam notes it of a parameter.
func (ev *evaluator) noteParam(at int32) {
	if ev.dyn.track {
		ev.l.slots.read(ev.l.slots.ofParam(at), ev.dyn.reader)
	}
}

func (ev *evaluator) evalDynamic(e facts.ExprID, x *facts.Expr) (Type, Ent) {
	d := &ev.dyn
	outer := d.flow
	d.flow = false
	typ, ref := ev.dynamicExpr(e, x)
	if typ == ev.lang.dyn.self && typ != unknownType {
		if c := ev.classAround(e); c != facts.None {
			typ = ev.types.meta(ev.types.mk(kSelf, ev.f.base+Ent(c), 0))
		}
	}
	for _, o := range [...]facts.ExprID{x.X, x.Y} {
		if o >= 0 && o < e && x.Op != facts.OpName && x.Op != facts.OpFunc && x.Op != facts.OpImport && x.Op != facts.OpAssert {
			d.flow = d.flow || d.flowed[o] && ev.state[o] == evalDone
		}
	}
	d.flowed[e] = d.flow
	d.flow = d.flow || outer
	return typ, ref
}

func (ev *evaluator) dynamicExpr(e facts.ExprID, x *facts.Expr) (Type, Ent) {
	t := ev.types
	switch x.Op {
	case facts.OpName:
		if x.Flags&facts.FlagLocal != 0 {
			v, ref := ev.dynamicLocal(facts.LocalID(x.X))
			if im := ev.localImport(facts.LocalID(x.X)); im >= 0 && ref == noEnt {
				_, ref = ev.boundValue(ev.importedName(ev.fn, &ev.f.Facts.Imports[im]))
				ev.dyn.flow = false
			}
			return v, ref
		}
		return ev.boundName(x.Name)
	case facts.OpLiteral:
		if x.Flags&facts.FlagTyped != 0 {
			if u := Ent(ev.l.pkgScope.get(ev.lang.universe, ev.f.syms[x.Name])); u != noEnt {
				return ev.l.typ[u], noEnt
			}
			return unknownType, noEnt
		}
		return ev.lang.literals[ev.f.syms[x.Name]], noEnt
	case facts.OpImport:
		return ev.boundValue(ev.importedName(ev.fn, &ev.f.Facts.Imports[x.X]))
	case facts.OpSelf:
		if c := ev.classAround(e); c != facts.None {
			self := t.mk(kSelf, ev.f.base+Ent(c), 0)
			if x.Flags&facts.FlagTyped != 0 {
				return t.meta(self), noEnt
			}
			return self, noEnt
		}
		return unknownType, noEnt
	case facts.OpSuper:
		return ev.superValue(e, x), noEnt
	case facts.OpSelect:
		return ev.dynamicSelect(x)
	case facts.OpIndex:
		return ev.dynamicIndex(e, x)
	case facts.OpSlice:
		xt := ev.typeOf(x.X)
		return t.mapUnion(xt, func(m Type) Type {
			if t.kind(m) == kTuple {
				return ev.objectType(m)
			}
			return m
		}), noEnt
	case facts.OpCall:
		return ev.dynamicCall(x), noEnt
	case facts.OpKeyword, facts.OpSpread:
		return ev.typeOf(x.X), noEnt
	case facts.OpMark:
		return ev.typeOf(x.X), noEnt
	case facts.OpAwait:
		if x.Flags&facts.FlagLater != 0 { // the function goes on with it
			return ev.sentTo(ev.f.base + Ent(ev.f.Facts.Exprs[x.X].X)), noEnt
		}
		return ev.awaitedBy(ev.typeOf(x.X)), noEnt
	case facts.OpComposite:
		return ev.dynamicComposite(e, x), noEnt
	case facts.OpUnary:
		if ev.f.Facts.Str(x.Name) == "!" {
			return ev.lang.tBool, noEnt
		}
		names := ev.lang.dyn.unary[ev.f.syms[x.Name]]
		return t.mapUnion(ev.typeOf(x.X), func(m Type) Type {
			for _, name := range names {
				if h := ev.find(m, name); h.ent != noEnt {
					return ev.applied(h.ent, m, h.as, &callArgs{})
				}
			}
			return unknownType
		}), noEnt
	case facts.OpBinary:
		return ev.dynamicBinary(x), noEnt
	case facts.OpConditional, facts.OpUnionType:
		out := unknownType
		for _, a := range ev.f.Facts.List(x.Args) {
			v := ev.typeOf(facts.ExprID(a))
			if a := facts.ExprID(a); a < e && ev.dyn.flowed[a] {
				ev.dyn.flow = true
			}
			out = t.join(out, v)
		}
		return out, noEnt
	case facts.OpTuple:
		if x.Flags&facts.FlagKey != 0 {
			return ev.fieldAt(ev.typeOf(x.X), int(x.N)), noEnt
		}
		return ev.itemOf(ev.typeOf(x.X), int(x.N)), noEnt
	case facts.OpRangeVal:
		return ev.element(ev.typeOf(x.X), x.Flags&facts.FlagLater != 0), noEnt
	case facts.OpAssert:
		return ev.asserted(x), noEnt
	case facts.OpFunc:
		return t.mk(kCallable, ev.f.base+Ent(x.X), 0), noEnt
	}
	return unknownType, noEnt
}

// dynamicLocal returns the type of a local, and the declaration that it is.
func (ev *evaluator) dynamicLocal(id facts.LocalID) (Type, Ent) {
	fs := ev.f.Facts
	lo := &fs.Locals[id]
	switch lo.Kind {
	case facts.LocalTypeParam:
		return ev.types.meta(ev.types.mk(kParam, ev.f.base+Ent(lo.Decl), int32(lo.Index))), noEnt
	case facts.LocalType, facts.LocalFunc:
		e := ev.f.base + Ent(lo.Decl)
		return ev.valueOf(e), e
	}
	d := &ev.dyn
	switch ev.lstat[id] {
	case evalDone:
		d.flow = d.flow || d.lflow[id]
		return ev.local[id], noEnt
	case evalOpen:
		d.asked = append(d.asked, askedLocal{id, d.prev[id], d.lflow[id]})
		d.flow = d.flow || d.lflow[id]
		return d.prev[id], noEnt
	}
	if ev.depth > maxEvalDepth {
		return d.prev[id], noEnt
	}
	ev.lstat[id] = evalOpen
	ev.depth++
	outer := d.flow
	d.flow = false
	t := ev.versionValue(id, lo)
	d.lflow[id] = d.flow
	d.flow = d.flow || outer
	ev.depth--
	ev.local[id], ev.lstat[id] = t, evalDone
	d.settled = append(d.settled, id)
	return t, noEnt
}

// localImport returns the import that a local has its value from, and only from it;
// -1 if there is none.
func (ev *evaluator) localImport(id facts.LocalID) int32 {
	fs := ev.f.Facts
	lo := &fs.Locals[id]
	if lo.Value == facts.None && lo.Type == facts.None && lo.Next != facts.None && ev.dyn.param[id] < 0 {
		// As a function inside sees it: all versions, which is this one.
		if lo = &fs.Locals[lo.Next]; lo.Next != facts.None {
			return -1
		}
	}
	if lo.Value == facts.None || fs.Exprs[lo.Value].Op != facts.OpImport {
		return -1
	}
	return int32(fs.Exprs[lo.Value].X)
}

func (ev *evaluator) versionValue(id facts.LocalID, lo *facts.Local) Type {
	t := ev.types
	if lo.Value != facts.None {
		v := ev.typeOf(lo.Value)
		if ev.state[lo.Value] == evalDone && ev.dyn.flowed[lo.Value] {
			ev.dyn.flow = true
		}
		if lo.Type != facts.None && (t.mentionsUnknown(v) || v == ev.lang.tNull) {
			if declared := ev.typeExpr2(lo.Type); declared != unknownType {
				return declared
			}
		}
		return v
	}
	if lo.Type != facts.None {
		return ev.typeExpr2(lo.Type)
	}
	if p := ev.dyn.param[id]; p >= 0 {
		s := ev.l.slots
		at := s.base[ev.fn] + p
		pt := s.param[at]
		ev.noteParam(at)
		ev.dyn.flow = true
		switch f := ev.f.Facts.Params[p].Flags; {
		case f&graph.ParamVariadic != 0:
			if ev.lang.dyn.tuple != noEnt {
				return t.mk(kNamed, ev.lang.dyn.tuple, 0, pt)
			}
		case f&graph.ParamKeywords != 0:
			return ev.composite("dict", ev.lang.tString, pt)
		}
		return pt
	}
	// All versions.
	out := unknownType
	fs := ev.f.Facts
	for n, n2 := lo.Next, 0; n != facts.None && n2 < 1<<10; n, n2 = fs.Locals[n].Next, n2+1 {
		v, _ := ev.dynamicLocal(n)
		out = t.join(out, v)
	}
	return out
}

// asserted returns the type of a value that was seen to be of a class.
func (ev *evaluator) asserted(x *facts.Expr) Type {
	t := ev.types
	yt := ev.typeOf(x.Y)
	to := ev.denote(yt)
	if to == unknownType && t.kind(yt) == kNamed { // a tuple of classes
		to = ev.denote(ev.element(yt, false))
	}
	from := ev.typeOf(x.X)
	if x.Flags&facts.FlagTyped != 0 {
		if to == unknownType {
			return from
		}
		return t.mapUnion(to, t.meta)
	}
	if to == unknownType && x.Flags&facts.FlagLater != 0 {
		return from
	}
	if to == unknownType {
		return unknownType
	}
	if x.Flags&facts.FlagLater != 0 { // seen not to be of it
		ev.dyn.flow = ev.dyn.flow || ev.dyn.flowed[x.X]
		return t.mapUnion(from, func(m Type) Type {
			for _, c := range t.members(to) {
				if t.kind(c) == kNamed && ev.asClass(m, t.rec(c).ent) != unknownType {
					return unknownType
				}
			}
			return m
		})
	}
	// What is of a class below stays.
	kept := unknownType
	for _, m := range t.members(from) {
		for _, c := range t.members(to) {
			if t.kind(c) == kNamed && ev.asClass(m, t.rec(c).ent) != unknownType {
				kept = t.join(kept, m)
			}
		}
	}
	if kept != unknownType {
		ev.dyn.flow = ev.dyn.flow || ev.dyn.flowed[x.X]
		return kept
	}
	ev.dyn.flow = false // the test says it
	return to
}

func (ev *evaluator) dynamicBinary(x *facts.Expr) Type {
	t := ev.types
	a, b := ev.typeOf(x.X), ev.typeOf(x.Y)
	if b >= 0 && x.Y >= 0 && ev.dyn.flowed[x.Y] {
		ev.dyn.flow = true
	}
	op := ev.f.Facts.Str(x.Name)
	switch op {
	case "|":
		if k := t.kind(a); k == kMeta || k == kForm || (a == ev.lang.tNull || k == kUnion) && t.kind(b) == kMeta {
			return t.join(a, b)
		}
	case "in", "not in", "is", "is not", "not", "==", "!=", "<", "<=", ">", ">=":
		return ev.lang.tBool
	}
	names := ev.lang.dyn.operators[ev.f.syms[x.Name]]
	return t.mapUnion(a, func(m Type) Type {
		out := unknownType
		for i, name := range names {
			h := ev.find(m, name)
			if h.ent != noEnt && ev.takesOne(m, h.ent, b) {
				out = t.join(out, ev.applied(h.ent, m, h.as, &callArgs{pos: []Type{b}}))
				if i+1 < len(names) && ev.l.units[ev.l.unitOf(h.ent)].surface {
					continue // a container holds what the other one does as well, as the plain operator says
				}
				return out
			}
			if i > 0 && out != unknownType {
				break
			}
			if by := ev.lang.dyn.reflected[name]; by != 0 {
				if r := ev.find(b, by); r.ent != noEnt {
					return ev.applied(r.ent, b, r.as, &callArgs{pos: []Type{m}})
				}
			}
			if h.ent != noEnt {
				return ev.applied(h.ent, m, h.as, &callArgs{pos: []Type{b}})
			}
		}
		return out
	})
}

// takesOne reports whether a method of m may be called with b alone.
func (ev *evaluator) takesOne(m Type, e Ent, b Type) bool {
	if !ev.l.decl(e).Kind.IsCallable() {
		return true
	}
	c := callArgs{pos: []Type{b}}
	var few [4]Ent
	for _, o := range ev.l.overloads(e, few[:0]) {
		if ev.fitsCall(o, true, &c) {
			return true
		}
	}
	return false
}

// superValue returns the value of super.
func (ev *evaluator) superValue(e facts.ExprID, x *facts.Expr) Type {
	t := ev.types
	c := ev.classAround(e)
	if c == facts.None {
		return unknownType
	}
	class := ev.f.base + Ent(c)
	behind := class
	if x.X >= 0 {
		if o := ev.denote(ev.typeOf(x.X)); t.kind(o) == kNamed || t.kind(o) == kSelf {
			behind = t.rec(o).ent
		}
	}
	self := t.mk(kSelf, class, 0)
	if x.Flags&facts.FlagTyped != 0 {
		self = t.meta(self)
	}
	return t.mk(kSuper, behind, 0, self)
}
