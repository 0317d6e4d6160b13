package link

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Calls in languages with classes. A call's candidates are the callables of its
// name in the first scope or type that has some; those that cannot take the
// arguments fall out, and of the others the most specific one is meant. Where
// the type of an argument is not known, the candidates that only it could tell
// apart stay, and the call is ambiguous.
//
// Function literals get their parameters' types from the callable that is
// chosen, and give their results' types back to its type parameters. So a call
// is resolved in two steps: which callable it is, for which the bodies of
// literals do not matter, and then, argument by argument, what its type
// parameters stand for.

// resolution is what a call means.
type resolution struct {
	ent       Ent    // the callable, or the type where its construction runs no declared code; noEnt
	typ       Type   // its kFunc, seen from the receiver; unknown if ent is a type
	result    Type   // of constructors: the type that is made
	others    []Ent  // the other candidates of an ambiguous call
	inferred  bool   // a base that is not known could have another
	params    []slot // the type parameters that are inferred
	done      int    // arguments whose literals were looked at
	expected  bool   // what the context expects was looked at
	open      bool
	foreign   Type // the external type whose member is called; unknown
	closed    bool // the type of the result is known
	resultTyp Type
}

// slot is one type parameter that is inferred.
type slot struct {
	owner Ent
	n     int32
	bound Type
}

// tri is an answer that may be unknown.
type tri uint8

const (
	no tri = iota
	maybe
	yes
)

// maxCandidates bounds the callables of one name that are compared.
const maxCandidates = 1 << 9

// maxAmbiguous is the number of candidates above which a call has no edge.
const maxAmbiguous = 5

// methodList is the callables that a name selects on a type.
type methodList struct {
	list    []member
	foreign bool
}

// methods returns the callables that a name selects on a value or type x:
// those that x declares and inherits, without those that are overridden.
func (ev *evaluator) methods(x Type, name Sym) *methodList {
	key := memberKey{x, name}
	if m, ok := ev.classes.methods[key]; ok {
		return m
	}
	t := ev.types
	out := &methodList{}
	out.foreign = ev.eachSuper(x, func(y Type) bool {
		r := *t.rec(y)
		if r.kind != kNamed && r.kind != kAnon {
			return true
		}
		ev.eachMember(r.ent, name, func(e Ent) {
			if k := ev.l.decl(e).Kind; k != graph.KindMethod && k != graph.KindFunction || len(out.list) >= maxCandidates {
				return
			}
			m := member{ent: e, typ: t.subst(ev.l.typ[e], r.ent, t.argsOf(y))}
			for i, o := range out.list {
				if ev.sameParams(o, m) {
					if ev.below(m.ent, o.ent) {
						out.list[i] = m
					}
					return
				}
			}
			out.list = append(out.list, m)
		})
		return true
	})
	ev.classes.methods[key] = out
	return out
}

// below reports whether the type of one member extends that of another.
func (ev *evaluator) below(a, b Ent) bool {
	ca, cb := ev.l.container(a), ev.l.container(b)
	if ca == noEnt || cb == noEnt || ca == cb || !ev.l.isInterface(ca) || !ev.l.isInterface(cb) {
		return false
	}
	as, _ := ev.asSuper(ev.instance(ca), cb)
	return as != unknownType
}

// sameParams reports whether a method overrides, or hides, another.
func (ev *evaluator) sameParams(a, b member) bool {
	t := ev.types
	ra, rb := t.rec(a.typ), t.rec(b.typ)
	if ra.kind != kFunc || rb.kind != kFunc || ra.funcParams() != rb.funcParams() {
		return false
	}
	if ev.l.str(a.ent, ev.l.decl(a.ent).Shape) == ev.l.str(b.ent, ev.l.decl(b.ent).Shape) {
		return true
	}
	for i := range ra.funcParams() {
		p, q := ev.paramType(a.typ, i), ev.paramType(b.typ, i)
		if p == unknownType || q == unknownType || ev.erased(p, 0) != ev.erased(q, 0) {
			return false
		}
	}
	return true
}

// paramType returns the type of the parameter i of a function, as the function
// sees it.
func (ev *evaluator) paramType(f Type, i int) Type {
	r := ev.types.rec(f)
	p := ev.types.arg(f, i)
	if r.isVariadic() && i == r.funcParams()-1 {
		return ev.types.mk(kSlice, noEnt, 0, p)
	}
	return p
}

// erased returns a type without type arguments and parameters.
func (ev *evaluator) erased(x Type, depth int) Type {
	t := ev.types
	r := *t.rec(x)
	if depth > 16 {
		return unknownType
	}
	switch r.kind {
	case kNamed:
		return t.mk(kNamed, r.ent, 0)
	case kSlice:
		return t.mk(kSlice, noEnt, 0, ev.erased(t.arg(x, 0), depth+1))
	case kParam:
		for _, s := range ev.supers(x).types {
			return ev.erased(s, depth+1)
		}
		return unknownType
	case kExtern:
		return t.mk(kExtern, r.ent, r.n)
	}
	return x
}

// resolve finds out what the call or construction e means.
func (ev *evaluator) resolve(e facts.ExprID) *resolution {
	c := &ev.classes
	if n := c.calls[e]; n > 0 {
		return c.found[n-1]
	}
	res := &resolution{ent: noEnt, open: true}
	c.found = append(c.found, res)
	c.calls[e] = int32(len(c.found))
	if ev.depth > maxEvalDepth {
		res.open = false
		return res
	}
	ev.depth++
	ev.resolveCall(e, &ev.f.Facts.Exprs[e], res)
	ev.depth--
	res.open = false
	return res
}

func (ev *evaluator) resolveCall(e facts.ExprID, x *facts.Expr, res *resolution) {
	t := ev.types
	args := ev.f.Facts.List(x.Args)
	if x.Op == facts.OpNew {
		ev.resolveNew(e, ev.typeExpr(x.X), x.X, args, res)
		return
	}
	callee := x.X
	var explicit []Type
	if callee >= 0 && ev.f.Facts.Exprs[callee].Op == facts.OpIndex {
		explicit = ev.typeList(ev.f.Facts.Exprs[callee].Args)
		callee = ev.f.Facts.Exprs[callee].X
	}
	if callee < 0 {
		return
	}
	cx := &ev.f.Facts.Exprs[callee]
	name := ev.f.syms[cx.Name]
	switch cx.Op {
	case facts.OpSelf: // this(…)
		if d := ev.classes.within[e]; d != facts.None {
			ev.resolveNew(e, ev.typeOfDecl(d), facts.None, args, res)
			res.params = nil
		}
	case facts.OpSuper: // super(…)
		if d := ev.classes.within[e]; d != facts.None {
			if s := ev.superOf(ev.typeOfDecl(d)); s != unknownType {
				ev.resolveNew(e, s, facts.None, args, res)
				res.params = nil
			}
		}
	case facts.OpName:
		n := 0
		inferred := false
		for d := ev.classes.within[e]; d != facts.None && n < maxScopes; d = ev.outerType(d) {
			n++
			ms := ev.methods(ev.typeOfDecl(d), name)
			if len(ms.list) > 0 && (!ms.foreign || ev.takes(ms, args)) {
				ev.choose(e, ms, args, explicit, res)
				res.inferred = res.inferred || inferred
				return
			}
			inferred = inferred || ms.foreign
		}
		ev.resolveImported(e, name, args, explicit, res)
		res.inferred = res.inferred || inferred
	case facts.OpSelect:
		xt := ev.typeOf(cx.X)
		switch t.kind(xt) {
		case kMeta:
			xt = t.arg(xt, 0)
		case kExtern:
			res.foreign = xt
			return
		}
		if t.kind(xt) == kSlice && ev.f.Facts.Str(cx.Name) == "clone" && len(args) == 0 {
			res.closed, res.resultTyp = true, xt
			return
		}
		ms := ev.methods(xt, name)
		if len(ms.list) == 0 && !ms.foreign && ev.isInterfaceType(xt) && ev.lang.cls.root != unknownType {
			ms = ev.methods(ev.lang.cls.root, name)
		}
		ev.choose(e, ms, args, explicit, res)
		if cx.X >= 0 && res.ent != noEnt && len(args) == 0 && ev.f.Facts.Str(cx.Name) == "getClass" && ev.lang.cls.typeOf != noEnt {
			res.closed, res.resultTyp = true, t.mk(kNamed, ev.lang.cls.typeOf, 0, xt)
		}
	}
}

// takes reports whether one of several callables can take so many arguments.
func (ev *evaluator) takes(ms *methodList, args []int32) bool {
	for _, m := range ms.list {
		if ev.arity(m.typ, len(args)) {
			return true
		}
	}
	return false
}

func (ev *evaluator) arity(f Type, n int) bool {
	r := ev.types.rec(f)
	if r.kind != kFunc {
		return false
	}
	p := r.funcParams()
	return n == p || r.isVariadic() && n >= p-1
}

// resolveImported resolves a call of a name that an import of members brings
// into scope: one by name hides those of a whole type.
func (ev *evaluator) resolveImported(e facts.ExprID, name Sym, args []int32, explicit []Type, res *resolution) {
	fs := ev.f.Facts
	for _, all := range []bool{false, true} {
		var ms methodList
		for _, im := range ev.l.statics[ev.fn] {
			i := &fs.Imports[im]
			if (fs.Str(i.Name) == "*") != all || !all && ev.f.syms[i.Name] != name {
				continue
			}
			t := ev.importedType(i)
			if t == unknownType {
				if !all && len(ms.list) == 0 {
					res.foreign = ev.externOf(fs.Str(i.Path))
				}
				ms.foreign = true
				continue
			}
			found := ev.methods(t, name)
			ms.foreign = ms.foreign || found.foreign
			for _, m := range found.list {
				if !slices.ContainsFunc(ms.list, func(o member) bool { return o.ent == m.ent }) {
					ms.list = append(ms.list, m)
				}
			}
		}
		if len(ms.list) > 0 {
			res.foreign = unknownType
			ev.choose(e, &ms, args, explicit, res)
			return
		}
		if ms.foreign && !all {
			return
		}
	}
}

// externOf returns the external type with a full name.
func (ev *evaluator) externOf(path string) Type {
	around := ev.lang.around(path)
	if around == "" {
		return unknownType
	}
	p, n := ev.l.lookupSym(around), ev.l.lookupSym(path[len(around)+len(ev.lang.Classes.Separator):])
	if p < 0 || n < 0 {
		return unknownType
	}
	return ev.types.mk(kExtern, Ent(p), int32(n))
}

// resolveNew finds the constructor that makes a value of type typ.
func (ev *evaluator) resolveNew(e facts.ExprID, typ Type, at facts.ExprID, args []int32, res *resolution) {
	t := ev.types
	r := *t.rec(typ)
	if r.kind != kNamed {
		return
	}
	d := ev.l.decl(r.ent)
	res.result = typ
	if d.Kind == graph.KindInterface || d.Kind == graph.KindAnnotation {
		return // its methods are those of an anonymous class
	}
	generic := d.TypeParams.Len()
	owner := typ
	if generic > 0 && len(t.argsOf(typ)) == 0 { // the diamond, or raw: inferred
		owner = ev.instance(r.ent)
		res.result = owner
		for i := range min(generic, 32) {
			res.params = append(res.params, slot{owner: ev.l.canon[r.ent], n: int32(i)})
		}
	}
	var ms methodList
	ev.eachMember(r.ent, ev.l.symOf(r.ent, d.Name), func(c Ent) {
		if ev.l.decl(c).Kind == graph.KindConstructor && len(ms.list) < maxCandidates {
			ms.list = append(ms.list, member{ent: c, typ: t.subst(ev.l.typ[c], r.ent, t.argsOf(owner))})
		}
	})
	if len(ms.list) == 0 {
		if len(args) == 0 || ev.l.units[ev.l.unitOf(r.ent)].surface {
			res.ent = r.ent
		}
		return
	}
	ev.choose(e, &ms, args, nil, res)
}

// choose finds the callable among several that a call with the given arguments
// means.
func (ev *evaluator) choose(e facts.ExprID, ms *methodList, args []int32, explicit []Type, res *resolution) {
	var buf [16]member
	list := buf[:0]
	for _, m := range ms.list {
		if ev.arity(m.typ, len(args)) && ev.sees(m.ent) {
			list = append(list, m)
		}
	}
	res.inferred = ms.foreign && len(list) > 0 && len(ms.list) > 0
	picked := member{ent: noEnt}
	switch len(list) {
	case 0:
		return
	case 1:
		picked = list[0]
		if ms.foreign && ev.misfit(picked.typ, args) {
			return // a base that is not known has the one that is meant
		}
	default:
		var others []member
		picked, others = ev.overload(list, args)
		for _, o := range others {
			res.others = append(res.others, o.ent)
		}
		if picked.ent == noEnt {
			if len(others) > 0 {
				ev.agree(others, res)
			}
			return
		}
	}
	res.ent, res.typ = picked.ent, picked.typ
	d := ev.l.decl(picked.ent)
	for i := range min(d.TypeParams.Len(), 32) {
		s := slot{owner: ev.l.canon[picked.ent], n: int32(i)}
		if i < len(explicit) {
			s.bound = explicit[i]
		}
		res.params = append(res.params, s)
	}
	ev.inferPlain(e, res, args)
}

// agree gives an ambiguous call the result that all candidates have.
func (ev *evaluator) agree(ms []member, res *resolution) {
	t := ev.types
	for i, m := range ms {
		r := ev.resultOf(m.typ)
		if i > 0 && r != res.resultTyp || t.rec(r).params {
			res.resultTyp = unknownType
			return
		}
		res.resultTyp = r
	}
	res.closed = true
}

func (ev *evaluator) resultOf(f Type) Type {
	r := ev.types.rec(f)
	if r.kind != kFunc {
		return unknownType
	}
	if n := r.funcParams(); n < len(ev.types.argsOf(f)) {
		return ev.types.arg(f, n)
	}
	return ev.lang.cls.void
}

// misfit reports whether an argument cannot be given to a callable.
func (ev *evaluator) misfit(f Type, args []int32) bool {
	for phase := range 3 {
		if ev.applicable(f, args, phase) != no {
			return false
		}
	}
	return true
}

// overload returns the callable that is meant among those that take as many
// arguments, or all that may be.
func (ev *evaluator) overload(list []member, args []int32) (member, []member) {
	none := member{ent: noEnt}
	for phase := range 3 {
		var sure, open []member
		for _, m := range list {
			switch ev.applicable(m.typ, args, phase) {
			case yes:
				sure = append(sure, m)
			case maybe:
				open = append(open, m)
			}
		}
		if len(sure)+len(open) == 0 {
			continue
		}
		if len(open) == 0 {
			if m, ok := ev.mostSpecific(sure, args, phase); ok {
				return m, nil
			}
			return none, sure
		}
		all := append(sure, open...)
		for _, m := range list { // what an unknown argument leaves to later phases
			if len(sure) == 0 && !slices.ContainsFunc(all, func(o member) bool { return o.ent == m.ent }) && !ev.misfit(m.typ, args) {
				all = append(all, m)
			}
		}
		if len(all) == 1 {
			return all[0], nil
		}
		if ev.undivided(all, args) {
			if m, ok := ev.mostSpecific(all, args, phase); ok {
				return m, nil
			}
		}
		return none, all
	}
	return none, nil
}

// undivided reports whether the candidates agree in the types of all parameters
// that get an argument of which nothing is known.
func (ev *evaluator) undivided(list []member, args []int32) bool {
	for i, a := range args {
		if ev.argument(facts.ExprID(a)) != unknownType || ev.functional(facts.ExprID(a)) {
			continue
		}
		for _, m := range list[1:] {
			if ev.formal(m.typ, i, len(args), 0) != ev.formal(list[0].typ, i, len(args), 0) {
				return false
			}
		}
	}
	return true
}

// formal returns the type of the parameter that gets argument i of n. In the
// last phase, and where there are more or fewer arguments, that of a variadic
// one is its element's.
func (ev *evaluator) formal(f Type, i, n, phase int) Type {
	r := ev.types.rec(f)
	p := r.funcParams()
	if p == 0 {
		return unknownType
	}
	if r.isVariadic() && i >= p-1 {
		if elem := ev.types.arg(f, p-1); phase == 2 || n != p {
			return elem
		}
		return ev.types.mk(kSlice, noEnt, 0, ev.types.arg(f, p-1))
	}
	return ev.types.arg(f, min(i, p-1))
}

// applicable reports whether a callable can take the arguments: by identity and
// subtyping (phase 0), with boxing (1), with any number of arguments (2).
func (ev *evaluator) applicable(f Type, args []int32, phase int) tri {
	r := ev.types.rec(f)
	if phase < 2 && len(args) != r.funcParams() || phase == 2 && !r.isVariadic() {
		return no
	}
	out := yes
	for i, a := range args {
		if w := ev.argFits(facts.ExprID(a), ev.formal(f, i, len(args), phase), phase); w < out {
			if out = w; out == no {
				return no
			}
		}
	}
	return out
}

// functional reports whether an expression is a function literal or a reference
// to a method, which has no type without a context.
func (ev *evaluator) functional(a facts.ExprID) bool {
	x := &ev.f.Facts.Exprs[a]
	switch x.Op {
	case facts.OpFunc, facts.OpMethodRef:
		return true
	case facts.OpConditional:
		for _, b := range ev.f.Facts.List(x.Args) {
			if op := ev.f.Facts.Exprs[b].Op; op == facts.OpFunc || op == facts.OpMethodRef {
				return true
			}
		}
	}
	return false
}

// argument returns the type of an argument as far as it is known without its
// context and the bodies of literals in it.
func (ev *evaluator) argument(a facts.ExprID) Type {
	x := &ev.f.Facts.Exprs[a]
	switch x.Op {
	case facts.OpFunc, facts.OpMethodRef:
		return unknownType
	case facts.OpCall, facts.OpNew:
		if ev.state[a] == evalDone {
			return ev.typ[a]
		}
		res := ev.resolve(a)
		return ev.resultSoFar(res)
	}
	return ev.typeOf(a)
}

func (ev *evaluator) argFits(a facts.ExprID, to Type, phase int) tri {
	x := &ev.f.Facts.Exprs[a]
	t := ev.types
	switch x.Op {
	case facts.OpFunc:
		return ev.literalFits(x, to)
	case facts.OpMethodRef:
		if to == unknownType || t.kind(to) == kExtern || t.kind(to) == kParam {
			return maybe
		}
		if sam := ev.sam(to); t.kind(sam) != kFunc {
			return ev.noSam(to)
		}
		return ev.refFits(a, x, to)
	case facts.OpConditional:
		if !ev.functional(a) && ev.lang.cls.primitive[ev.typeOf(a)] {
			return ev.fits(ev.typeOf(a), to, phase)
		}
		out := yes
		for _, b := range ev.f.Facts.List(x.Args) {
			out = min(out, ev.argFits(facts.ExprID(b), to, max(phase, 1)))
		}
		return out
	}
	return ev.fits(ev.argument(a), to, phase)
}

// noSam says whether a function may be given where type to is asked for, which
// has no single abstract method that is known.
func (ev *evaluator) noSam(to Type) tri {
	if ev.types.kind(to) == kNamed && ev.isInterfaceType(to) && ev.eachSuper(to, func(Type) bool { return true }) {
		return maybe
	}
	return no
}

// literalFits reports whether a function literal can be what is asked for.
func (ev *evaluator) literalFits(x *facts.Expr, to Type) tri {
	t := ev.types
	if k := t.kind(to); k == kUnknown || k == kExtern || k == kParam {
		return maybe
	}
	sam := ev.sam(to)
	if t.kind(sam) != kFunc {
		return ev.noSam(to)
	}
	d := &ev.f.Facts.Decls[x.X]
	if t.rec(sam).funcParams() != d.Params.Len() {
		return no
	}
	void := len(t.argsOf(sam)) == t.rec(sam).funcParams()
	returns, body := false, facts.ExprID(facts.None)
	for i := d.Flows.Lo; i < d.Flows.Hi; i++ {
		if f := &ev.f.Facts.Flows[i]; f.Kind == facts.FlowReturn && facts.DeclID(f.To) == facts.DeclID(x.X) {
			returns, body = true, f.From
		}
	}
	switch {
	case d.Traits&facts.TraitExpression != 0:
		if void && body >= 0 && !ev.statement(body) {
			return no
		}
		if !void && body >= 0 && ev.state[body] == evalDone && ev.typ[body] == ev.lang.cls.void && ev.typ[body] != unknownType {
			return no
		}
	case void && returns:
		return no
	case !void && !returns && d.Traits&facts.TraitEndless == 0:
		return no
	}
	for i := range d.Params.Len() { // explicit types are the same
		if p := ev.f.Facts.Params[int(d.Params.Lo)+i]; p.Type != facts.None {
			if pt, ft := ev.typeExpr(p.Type), t.arg(sam, i); pt != unknownType && ft != unknownType && !t.rec(ft).params && ev.erased(pt, 0) != ev.erased(ft, 0) {
				return no
			}
		}
	}
	return yes
}

// statement reports whether an expression may stand as a statement.
func (ev *evaluator) statement(e facts.ExprID) bool {
	x := &ev.f.Facts.Exprs[e]
	switch x.Op {
	case facts.OpCall, facts.OpNew:
		return true
	}
	return x.Flags&facts.FlagWrite != 0
}

// sam returns the one abstract method of an interface, as a function; unknown
// if there is not exactly one.
func (ev *evaluator) sam(x Type) Type {
	if s, ok := ev.classes.sams[x]; ok {
		return s
	}
	ev.classes.sams[x] = unknownType
	s := ev.findSam(x)
	ev.classes.sams[x] = s
	return s
}

func (ev *evaluator) findSam(x Type) Type {
	t := ev.types
	if t.kind(x) != kNamed || !ev.l.isInterface(t.rec(x).ent) {
		return unknownType
	}
	var found, concrete []member
	foreign := ev.eachSuper(x, func(y Type) bool {
		r := *t.rec(y)
		if r.kind != kNamed || !ev.l.isInterface(r.ent) {
			return true
		}
		f := &ev.l.files[ev.l.entFile[r.ent]]
		at := facts.DeclID(r.ent - f.base)
		for i := int(at) + 1; i < len(f.Facts.Decls) && f.Facts.Decls[i].Parent >= at; i++ {
			d := &f.Facts.Decls[i]
			if d.Parent != at || d.Kind != graph.KindMethod || d.Flags.Has(graph.FlagStatic) {
				continue
			}
			m := member{ent: f.base + Ent(i), typ: t.subst(ev.l.typ[f.base+Ent(i)], r.ent, t.argsOf(y))}
			same := func(o member) bool {
				return ev.l.symOf(o.ent, ev.l.decl(o.ent).Name) == f.syms[d.Name] && ev.sameParams(o, m)
			}
			if slices.ContainsFunc(found, same) || slices.ContainsFunc(concrete, same) || ev.rootMethod(m, f.syms[d.Name]) {
				continue
			}
			if d.Flags.Has(graph.FlagAbstract) {
				found = append(found, m)
			} else {
				concrete = append(concrete, m)
			}
			if len(found) > 64 {
				return false
			}
		}
		return true
	})
	if foreign || len(found) != 1 {
		return unknownType
	}
	return found[0].typ
}

// rootMethod reports whether a method is one that all objects have.
func (ev *evaluator) rootMethod(m member, name Sym) bool {
	is := false
	if root := ev.lang.cls.rootEnt; root != noEnt {
		ev.eachMember(root, name, func(e Ent) {
			is = is || ev.l.decl(e).Vis == graph.Public && ev.sameParams(member{ent: e, typ: ev.l.typ[e]}, m)
		})
	}
	return is
}

// fits reports whether a value of type from can be given where type to is asked
// for: by subtyping and widening (phase 0), or also by boxing (1, 2).
func (ev *evaluator) fits(from, to Type, phase int) tri {
	t, c := ev.types, ev.lang.cls
	if from == to && from != unknownType {
		return yes
	}
	fk, tk := t.kind(from), t.kind(to)
	if from == ev.lang.tNull && from != unknownType {
		if c.primitive[to] {
			return no
		}
		return yes
	}
	if tk == kUnknown {
		return maybe
	}
	if from == c.void && from != unknownType {
		return no
	}
	pf, pt := c.primitive[from], c.primitive[to]
	switch {
	case pf && pt:
		if c.widens[[2]Type{from, to}] {
			return yes
		}
		return no
	case pf:
		if phase == 0 {
			return no
		}
		b := c.box[from]
		if tk == kParam {
			return ev.boundFits(b, to)
		}
		return ev.fits(b, to, 0)
	case fk == kUnknown:
		return maybe
	case pt:
		if phase == 0 {
			if fk == kExtern {
				return no
			}
			if _, ok := ev.unboxing(from); ok {
				return no
			}
			return no
		}
		if p, ok := ev.unboxing(from); ok {
			if p == to || c.widens[[2]Type{p, to}] {
				return yes
			}
			return no
		}
		return no
	}
	if to == c.root {
		return yes
	}
	switch tk {
	case kParam:
		if from == to {
			return yes
		}
		return ev.boundFits(from, to)
	case kSlice:
		switch fk {
		case kSlice:
			a, b := t.arg(from, 0), t.arg(to, 0)
			if c.primitive[a] || c.primitive[b] {
				if a == b {
					return yes
				}
				if a == unknownType || b == unknownType {
					return maybe
				}
				if k := t.kind(b); k == kParam && !c.primitive[a] || t.kind(a) == kParam && !c.primitive[b] {
					return maybe
				}
				return no
			}
			return ev.fits(a, b, 0)
		case kParam:
			return no
		}
		return no
	case kExtern:
		if fk == kExtern {
			if t.rec(from).ent == t.rec(to).ent && t.rec(from).n == t.rec(to).n {
				return yes
			}
			return maybe
		}
		if fk == kSlice {
			return no
		}
		same := false
		foreign := ev.eachForeign(from, func(b Type) {
			same = same || t.kind(b) == kExtern && t.rec(b).ent == t.rec(to).ent && t.rec(b).n == t.rec(to).n
		})
		if same {
			return yes
		}
		if foreign {
			return maybe
		}
		return no
	case kNamed, kAnon:
		if fk == kExtern {
			// Nothing outside of the tree extends what is inside.
			r := t.rec(to)
			if !ev.l.units[ev.l.unitOf(r.ent)].surface {
				return no
			}
			if d := ev.l.decl(r.ent); d.Flags.Has(graph.FlagFinal) {
				return no
			}
			return maybe
		}
		as, foreign := ev.asSuper(from, t.rec(to).ent)
		if as != unknownType {
			return yes
		}
		if foreign {
			if r := t.rec(to); ev.l.decl(r.ent).Flags.Has(graph.FlagFinal) || !ev.l.units[ev.l.unitOf(r.ent)].surface {
				return no
			}
			return maybe
		}
		return no
	case kUnion:
		return maybe
	}
	return maybe
}

// unboxing returns the primitive type that values of a type can become.
func (ev *evaluator) unboxing(x Type) (p Type, ok bool) {
	ev.eachSuper(x, func(y Type) bool {
		if q := ev.unboxed(y); q != y {
			p, ok = q, true
		}
		return !ok && ev.types.kind(x) == kParam
	})
	return p, ok
}

// eachForeign calls f for the bases above x that are not known, and reports
// whether there are any.
func (ev *evaluator) eachForeign(x Type, f func(Type)) bool {
	return ev.eachSuper(x, func(y Type) bool {
		if r := ev.types.rec(y); (r.kind == kNamed || r.kind == kAnon) && r.ent != noEnt {
			for _, b := range ev.l.basesOf(r.ent) {
				if k := ev.types.kind(b); k == kExtern || k == kUnknown {
					f(b)
				}
			}
		}
		return true
	})
}

// boundFits reports whether a type may stand for a type parameter.
func (ev *evaluator) boundFits(from, param Type) tri {
	t := ev.types
	out := yes
	for _, b := range ev.supers(param).types {
		if t.kind(b) == kParam {
			continue
		}
		if w := ev.fits(from, ev.erased(b, 0), 0); w < out {
			out = w
		}
	}
	return out
}

// mostSpecific returns the callable whose parameters all fit those of every
// other one.
func (ev *evaluator) mostSpecific(list []member, args []int32, phase int) (member, bool) {
	var best []member
	for i, m := range list {
		ok := true
		for j, o := range list {
			if i != j && !ev.moreSpecific(m, o, args, phase) {
				ok = false
				break
			}
		}
		if ok {
			best = append(best, m)
		}
	}
	if len(best) == 0 {
		return member{ent: noEnt}, false
	}
	if len(best) > 1 { // the same parameters: a concrete one, or the nearest
		for _, m := range best {
			if !ev.l.decl(m.ent).Flags.Has(graph.FlagAbstract) {
				return m, true
			}
		}
	}
	return best[0], true
}

func (ev *evaluator) moreSpecific(m, o member, args []int32, phase int) bool {
	t := ev.types
	for i, a := range args {
		p, q := ev.formal(m.typ, i, len(args), phase), ev.formal(o.typ, i, len(args), phase)
		if p == q {
			continue
		}
		if ev.functional(facts.ExprID(a)) {
			sp, sq := ev.sam(p), ev.sam(q)
			if t.kind(sp) == kFunc && t.kind(sq) == kFunc && ev.fits(ev.erased(p, 0), ev.erased(q, 0), 0) != yes {
				if !ev.returnsBetter(facts.ExprID(a), sp, sq) {
					return false
				}
				continue
			}
		}
		if ev.fits(ev.forCompare(p), ev.forCompare(q), 0) != yes {
			return false
		}
	}
	return true
}

// forCompare returns a parameter's type without its type parameters, so that
// those of two generic callables compare.
func (ev *evaluator) forCompare(p Type) Type {
	if k := ev.types.kind(p); k == kParam || k == kSlice || k == kNamed {
		if e := ev.erased(p, 0); e != unknownType {
			return e
		}
	}
	return p
}

// returnsBetter reports whether a function with result of sp is preferred to
// one with that of sq for an argument.
func (ev *evaluator) returnsBetter(a facts.ExprID, sp, sq Type) bool {
	c := ev.lang.cls
	rp, rq := ev.resultOf(sp), ev.resultOf(sq)
	switch {
	case rq == c.void || rp == rq:
		return true
	case rp == c.void:
		return false
	case c.primitive[rp] != c.primitive[rq]:
		body := unknownType
		if x := &ev.f.Facts.Exprs[a]; x.Op == facts.OpFunc {
			d := &ev.f.Facts.Decls[x.X]
			for i := d.Flows.Lo; i < d.Flows.Hi; i++ {
				if f := &ev.f.Facts.Flows[i]; f.Kind == facts.FlowReturn && facts.DeclID(f.To) == facts.DeclID(x.X) && f.From >= 0 && ev.state[f.From] == evalDone {
					body = ev.typ[f.From]
				}
			}
		}
		if body == unknownType {
			return c.primitive[rp]
		}
		return c.primitive[rp] == c.primitive[body]
	}
	return ev.fits(ev.forCompare(rp), ev.forCompare(rq), 0) == yes
}

// bind makes the type parameters in p stand for the parts of a.
func (ev *evaluator) bind(res *resolution, p, a Type, depth int) {
	t := ev.types
	if depth > 12 || p == unknownType || a == unknownType || !t.rec(p).params || a == ev.lang.tNull {
		return
	}
	switch r := *t.rec(p); r.kind {
	case kParam:
		for i := range res.params {
			s := &res.params[i]
			if s.owner != r.ent || s.n != r.n {
				continue
			}
			a = ev.boxed(a)
			if k := t.kind(a); k == kMeta || k == kTuple || k == kPkg || a == ev.lang.cls.void || a == p {
				return
			}
			switch {
			case s.bound == unknownType || t.mentionsUnknown(s.bound) && !t.mentionsUnknown(a):
				s.bound = a
			case s.bound != a && depth == 0 && ev.fits(s.bound, a, 0) == yes && ev.fits(a, s.bound, 0) != yes:
				s.bound = a // the wider one
			case s.bound != a && depth == 0 && ev.fits(a, s.bound, 0) == no:
				if as := ev.shared(s.bound, a); as != unknownType {
					s.bound = as
				}
			}
			return
		}
	case kNamed:
		as, _ := ev.asSuper(a, r.ent)
		if as == unknownType {
			return
		}
		ps, xs := t.argsOf(p), t.argsOf(as)
		for i := range min(len(ps), len(xs)) {
			ev.bind(res, ps[i], xs[i], depth+1)
		}
	case kSlice:
		if t.kind(a) == kSlice && !ev.lang.cls.primitive[t.arg(a, 0)] {
			ev.bind(res, t.arg(p, 0), t.arg(a, 0), depth)
		}
	}
}

// bound puts what the type parameters stand for into x. Those that are not
// bound are unknown.
func (ev *evaluator) bound(res *resolution, x Type) Type {
	t := ev.types
	for i := 0; i < len(res.params); {
		owner := res.params[i].owner
		var buf [32]Type
		n := 0
		for ; i < len(res.params) && res.params[i].owner == owner && n < len(buf); i++ {
			buf[n] = res.params[i].bound
			n++
		}
		x = t.subst(x, owner, buf[:n])
	}
	return x
}

// inferPlain infers type parameters from the arguments whose types do not
// depend on them.
func (ev *evaluator) inferPlain(e facts.ExprID, res *resolution, args []int32) {
	if len(res.params) == 0 {
		return
	}
	phase := ev.phaseOf(res.typ, args)
	for i, a := range args {
		if !ev.functional(facts.ExprID(a)) {
			ev.bind(res, ev.formal(res.typ, i, len(args), phase), ev.argument(facts.ExprID(a)), 0)
		}
	}
}

// phaseOf returns the phase in which a callable takes the arguments.
func (ev *evaluator) phaseOf(f Type, args []int32) int {
	r := ev.types.rec(f)
	if !r.isVariadic() {
		return 0
	}
	if n := r.funcParams(); len(args) != n {
		return 2
	} else if n > 0 {
		last := facts.ExprID(args[n-1])
		if ev.functional(last) {
			return 2
		}
		switch at := ev.argument(last); {
		case at == unknownType, at == ev.lang.tNull, ev.types.kind(at) == kSlice:
			if ev.types.kind(at) == kSlice && ev.lang.cls.primitive[ev.types.arg(at, 0)] && !ev.lang.cls.primitive[ev.types.arg(f, n-1)] {
				return 2
			}
			return 0
		}
	}
	return 2
}

// advance infers type parameters from what the literals among the first
// arguments return, and from calls that needed their contexts.
func (ev *evaluator) advance(e facts.ExprID, res *resolution, upto int) {
	if len(res.params) == 0 || res.ent == noEnt {
		return
	}
	args := ev.f.Facts.List(ev.f.Facts.Exprs[e].Args)
	phase := ev.phaseOf(res.typ, args)
	for res.done < min(upto, len(args)) {
		i := res.done
		res.done++
		a := facts.ExprID(args[i])
		p := ev.formal(res.typ, i, len(args), phase)
		if !ev.types.rec(p).params {
			continue
		}
		op := ev.f.Facts.Exprs[a].Op
		switch {
		case ev.functional(a):
			ev.bindFunction(res, p, ev.typeOf(a))
		case op == facts.OpCall || op == facts.OpNew || op == facts.OpConditional:
			ev.bind(res, p, ev.typeOf(a), 0)
		}
	}
}

// bindFunction infers from a function that is given where type p, with one
// abstract method, is asked for.
func (ev *evaluator) bindFunction(res *resolution, p, f Type) {
	t := ev.types
	sam := ev.sam(p)
	if t.kind(sam) != kFunc || t.kind(f) != kFunc || t.rec(sam).funcParams() != t.rec(f).funcParams() {
		return
	}
	n := t.rec(sam).funcParams()
	for i := range n {
		ev.bind(res, t.arg(sam, i), t.arg(f, i), 0)
	}
	if len(t.argsOf(sam)) > n && len(t.argsOf(f)) > n {
		ev.bind(res, t.arg(sam, n), t.arg(f, n), 0)
	}
}

// expectations infers type parameters from the type that the context of a call
// expects.
func (ev *evaluator) expectations(e facts.ExprID, res *resolution) {
	if res.expected || len(res.params) == 0 {
		return
	}
	res.expected = true
	missing := false
	for i := range res.params {
		missing = missing || ev.types.mentionsUnknown(res.params[i].bound)
	}
	if !missing {
		return
	}
	want := ev.expected(e)
	if want == unknownType {
		return
	}
	result := res.result
	if result == unknownType {
		result = ev.resultOf(res.typ)
	}
	t := ev.types
	switch r := *t.rec(result); r.kind {
	case kParam:
		if !t.mentionsUnknown(want) {
			ev.bind(res, result, want, 1)
		}
	case kNamed:
		w := *t.rec(want)
		if w.kind != kNamed {
			return
		}
		as := result
		if w.ent != r.ent {
			as, _ = ev.asSuper(result, w.ent)
		}
		if as == unknownType {
			return
		}
		ps, xs := t.argsOf(as), t.argsOf(want)
		for i := range min(len(ps), len(xs)) {
			ev.bind(res, ps[i], xs[i], 1)
		}
	}
}

// resultSoFar returns the type of a call's result as far as plain arguments say
// it.
func (ev *evaluator) resultSoFar(res *resolution) Type {
	if res.closed {
		return res.resultTyp
	}
	if res.result != unknownType {
		return ev.bound(res, res.result)
	}
	if res.ent == noEnt {
		return unknownType
	}
	return ev.bound(res, ev.resultOf(res.typ))
}

// callType returns the type of the result of a call.
func (ev *evaluator) callType(e facts.ExprID) Type {
	res := ev.resolve(e)
	if res.closed {
		return res.resultTyp
	}
	if res.ent != noEnt && ev.types.kind(res.typ) == kFunc {
		ev.advance(e, res, 1<<15)
		r := res.result
		if r == unknownType {
			r = ev.resultOf(res.typ)
		}
		if ev.types.rec(r).params {
			ev.expectations(e, res)
		}
	} else if len(res.params) > 0 {
		ev.expectations(e, res)
	}
	return ev.resultSoFar(res)
}

// expected returns the type that the context of an expression expects of it.
func (ev *evaluator) expected(e facts.ExprID) Type {
	if e < 0 || ev.depth > maxEvalDepth {
		return unknownType
	}
	ev.depth++
	defer func() { ev.depth-- }()
	x := &ev.f.Facts.Exprs[e]
	if !x.Op.HasContext() || x.Y < 0 {
		return unknownType
	}
	t := ev.types
	y := &ev.f.Facts.Exprs[x.Y]
	switch y.Op {
	case facts.OpCall, facts.OpNew:
		args := ev.f.Facts.List(y.Args)
		i := slices.Index(args, int32(e))
		if i < 0 {
			return unknownType
		}
		res := ev.resolve(x.Y)
		if res.open || res.ent == noEnt || t.kind(res.typ) != kFunc {
			return unknownType
		}
		p := ev.formal(res.typ, i, len(args), ev.phaseOf(res.typ, args))
		if !t.rec(p).params {
			return p
		}
		ev.advance(x.Y, res, i)
		if out := ev.bound(res, p); !t.mentionsUnknown(out) {
			return out
		}
		ev.expectations(x.Y, res)
		return ev.bound(res, p)
	case facts.OpConditional:
		return ev.expected(x.Y)
	case facts.OpFunc:
		sam := ev.sam(ev.expected(x.Y))
		if t.kind(sam) == kFunc && len(t.argsOf(sam)) > t.rec(sam).funcParams() {
			return t.arg(sam, t.rec(sam).funcParams())
		}
		return unknownType
	}
	yt := ev.typeOf(x.Y)
	if t.kind(yt) == kMeta {
		return t.arg(yt, 0)
	}
	return yt
}

// lambdaType returns the type of a function literal: of its parameters as it
// declares them or gets them, and of what it returns.
func (ev *evaluator) lambdaType(d facts.DeclID) Type {
	fs := ev.f.Facts
	decl := &fs.Decls[d]
	var buf [8]Type
	ts := buf[:0]
	for _, p := range fs.Params[decl.Params.Lo:decl.Params.Hi] {
		pt := unknownType
		if p.Type != facts.None {
			pt = ev.typeExpr(p.Type)
		} else if p.Local != facts.None {
			pt, _ = ev.localType(p.Local)
		}
		ts = append(ts, pt)
	}
	n := len(ts)
	for i := decl.Flows.Lo; i < decl.Flows.Hi; i++ {
		f := &fs.Flows[i]
		if f.Kind != facts.FlowReturn || facts.DeclID(f.To) != d {
			continue
		}
		rt := ev.typeOf(f.From)
		if rt == ev.lang.cls.void && rt != unknownType {
			continue
		}
		switch {
		case len(ts) == n:
			ts = append(ts, rt)
		case ts[n] == unknownType || ts[n] == ev.lang.tNull:
			ts[n] = rt
		case rt != unknownType && rt != ts[n] && ev.fits(ts[n], rt, 1) == yes:
			ts[n] = rt
		}
	}
	return ev.types.intern(kFunc, noEnt, funcShape(n, false), ts)
}

// methodRef returns the type of a reference to a method as a function with the
// parameters that its context gives it, and the method.
func (ev *evaluator) methodRef(e facts.ExprID, x *facts.Expr) (Type, Ent) {
	sam := ev.sam(ev.expected(e))
	return ev.refTo(x, sam)
}

// refFits reports whether a reference to a method can be what is asked for.
func (ev *evaluator) refFits(e facts.ExprID, x *facts.Expr, to Type) tri {
	t := ev.types
	sam := ev.sam(to)
	n := t.rec(sam).funcParams()
	list, on, static, foreign := ev.refCandidates(x)
	if len(list) == 0 {
		if on == unknownType || foreign || t.kind(on) != kNamed {
			return maybe
		}
		return yes // a constructor that is not declared
	}
	void := len(t.argsOf(sam)) == n
	for _, m := range list {
		is := ev.l.decl(m.ent).Flags.Has(graph.FlagStatic) || ev.l.decl(m.ent).Kind == graph.KindConstructor
		fits := ev.arity(m.typ, n) && (is || !static) || static && !is && n > 0 && ev.arity(m.typ, n-1)
		if fits && (void || ev.l.decl(m.ent).Kind == graph.KindConstructor || ev.resultOf(m.typ) != ev.lang.cls.void) {
			return yes
		}
	}
	return no
}

// refCandidates returns the callables that a reference may mean, the type that
// it names or whose value it does, and whether it names a type.
func (ev *evaluator) refCandidates(x *facts.Expr) (list []member, on Type, static, foreign bool) {
	t := ev.types
	on = ev.typeOf(x.X)
	if t.kind(on) == kMeta {
		on, static = t.arg(on, 0), true
	}
	if ev.f.Facts.Str(x.Name) == "new" {
		if r := *t.rec(on); r.kind == kNamed {
			owner := on
			if ev.l.decl(r.ent).TypeParams.Len() > 0 && len(t.argsOf(on)) == 0 {
				owner = ev.instance(r.ent)
			}
			ev.eachMember(r.ent, ev.l.symOf(r.ent, ev.l.decl(r.ent).Name), func(c Ent) {
				if ev.l.decl(c).Kind == graph.KindConstructor {
					list = append(list, member{ent: c, typ: t.subst(ev.l.typ[c], r.ent, t.argsOf(owner))})
				}
			})
		}
		return list, on, static, false
	}
	if r := t.rec(on); static && r.kind == kNamed && len(t.argsOf(on)) == 0 && ev.l.decl(r.ent).TypeParams.Len() > 0 {
		on = ev.instance(r.ent)
	}
	ms := ev.methods(on, ev.f.syms[x.Name])
	for _, m := range ms.list {
		if ev.sees(m.ent) {
			list = append(list, m)
		}
	}
	return list, on, static, ms.foreign
}

func (ev *evaluator) refTo(x *facts.Expr, sam Type) (Type, Ent) {
	t := ev.types
	list, on, static, _ := ev.refCandidates(x)
	isNew := ev.f.Facts.Str(x.Name) == "new"
	var params []Type
	known := t.kind(sam) == kFunc
	if known {
		params = t.argsOf(sam)[:t.rec(sam).funcParams()]
	}
	function := func(result Type) Type {
		ts := append(append([]Type(nil), params...), result)
		return t.intern(kFunc, noEnt, funcShape(len(params), false), ts)
	}
	if isNew && t.kind(on) == kSlice {
		return function(on), noEnt
	}
	if len(list) == 0 {
		if isNew && t.kind(on) == kNamed {
			return function(on), t.rec(on).ent
		}
		return unknownType, noEnt
	}
	if !known {
		if len(list) == 1 {
			return unknownType, list[0].ent
		}
		return unknownType, noEnt
	}
	// The parameters stand for the arguments; the first may be the receiver.
	type candidate struct {
		member
		from int
	}
	var best []candidate
	for phase := range 3 {
		for _, m := range list {
			is := ev.l.decl(m.ent).Flags.Has(graph.FlagStatic) || isNew
			for from := range 2 {
				if from == 1 && (!static || is || len(params) == 0) || from == 0 && static && !is {
					continue
				}
				if from == 1 && ev.fits(params[0], ev.erased(on, 0), 1) == no {
					continue
				}
				if w := ev.typesFit(m.typ, params[from:], phase); w != no {
					best = append(best, candidate{m, from})
				}
			}
		}
		if len(best) > 0 {
			break
		}
	}
	if len(best) == 0 {
		return unknownType, noEnt
	}
	pick := best[0]
	for _, b := range best[1:] {
		better, worse := true, true
		if b.from == pick.from && t.rec(b.typ).funcParams() == t.rec(pick.typ).funcParams() {
			for i := range t.rec(b.typ).funcParams() {
				p, q := ev.forCompare(ev.paramType(b.typ, i)), ev.forCompare(ev.paramType(pick.typ, i))
				better = better && ev.fits(p, q, 0) == yes
				worse = worse && ev.fits(q, p, 0) == yes
			}
		} else {
			better, worse = false, false
		}
		switch {
		case better && !worse:
			pick = b
		case !better && !worse:
			return unknownType, noEnt // more than one may be meant
		}
	}
	result := ev.resultOf(pick.typ)
	if isNew {
		result = on
	}
	res := &resolution{ent: pick.ent, typ: pick.typ}
	d := ev.l.decl(pick.ent)
	for i := range min(d.TypeParams.Len(), 32) {
		res.params = append(res.params, slot{owner: ev.l.canon[pick.ent], n: int32(i)})
	}
	if r := t.rec(on); static && r.kind == kNamed {
		for i := range min(ev.l.decl(r.ent).TypeParams.Len(), 32) {
			res.params = append(res.params, slot{owner: ev.l.canon[r.ent], n: int32(i)})
		}
		if pick.from == 1 && len(params) > 0 {
			ev.bind(res, ev.instance(r.ent), params[0], 0)
		}
	}
	for i, p := range params[pick.from:] {
		ev.bind(res, ev.formal(pick.typ, i, len(params)-pick.from, 0), p, 0)
	}
	return function(ev.bound(res, result)), pick.ent
}

// typesFit is applicable for types instead of arguments.
func (ev *evaluator) typesFit(f Type, args []Type, phase int) tri {
	r := ev.types.rec(f)
	if !ev.arity(f, len(args)) || phase < 2 && len(args) != r.funcParams() || phase == 2 && !r.isVariadic() {
		return no
	}
	out := yes
	for i, a := range args {
		out = min(out, ev.fits(a, ev.formal(f, i, len(args), phase), phase))
	}
	return out
}
