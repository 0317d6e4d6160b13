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
	foreign   Type        // the external type whose member is called; unknown
	recv      Type        // of methods: the static type of the receiver; unknown
	super     bool        // the callee itself runs, nothing that overrides it
	among     *methodList // what the name selects, if several take as many arguments
	closed    bool        // the type of the result is known
	resultTyp Type
}

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
	if m, ok := ev.classes.methods.get(int32(x), int32(name)); ok {
		return m
	}
	t := ev.types
	out := &methodList{}
	own := t.rec(x).ent
	onlyInterfaces := ev.onlyInterfaces(x)
	out.foreign = ev.eachSuper(x, func(y Type) bool {
		r := *t.rec(y)
		if r.kind != kNamed && r.kind != kAnon {
			return true
		}
		ev.eachMember(r.ent, name, func(e Ent) {
			d := ev.l.decl(e)
			if k := d.Kind; k != graph.KindMethod && k != graph.KindFunction || len(out.list) >= maxCandidates {
				return
			}
			if r.ent != own && d.Flags.Has(graph.FlagStatic) && ev.l.isInterface(r.ent) {
				return // static methods of interfaces are not inherited
			}
			m := member{ent: e, typ: t.subst(ev.l.typ[e], r.ent, t.argsOf(y))}
			for i, o := range out.list {
				if ev.sameParams(o, m) || ev.redefines(o.ent, m.ent) {
					if ev.below(m.ent, o.ent) || onlyInterfaces && ev.l.container(o.ent) == ev.lang.cls.rootEnt ||
						!ev.below(o.ent, m.ent) && ev.merged(o, m) {
						out.list[i] = m
					}
					return
				}
			}
			out.list = append(out.list, m)
		})
		return true
	})
	ev.classes.methods.set(int32(x), int32(name), out)
	return out
}

// onlyInterfaces reports whether all types above x are interfaces, but for the root
// type: it has the methods of the root that none of them asks for itself.
func (ev *evaluator) onlyInterfaces(x Type) bool {
	if ev.types.kind(x) != kParam {
		return ev.isInterfaceType(x)
	}
	s := ev.supers(x)
	return len(s.types) > 0 && !slices.ContainsFunc(s.types, func(y Type) bool { return !ev.isInterfaceType(y) })
}

// redefines reports whether a method of a generic class stands for one that an
// interface above it asks for, whatever its type parameters stand for elsewhere:
// it has the same parameters when both are erased. Of two classes, the method
// with the narrower parameters is meant.
func (ev *evaluator) redefines(a, b Ent) bool {
	ca, cb := ev.l.container(a), ev.l.container(b)
	if ca == noEnt || cb == noEnt || ev.l.isInterface(ca) || !ev.l.isInterface(cb) || ev.l.decl(ca).TypeParams.Len() == 0 {
		return false
	}
	as, _ := ev.asSuper(ev.instance(ca), cb)
	return as != unknownType && ev.sameParams(member{ent: a, typ: ev.l.typ[a]}, member{ent: b, typ: ev.l.typ[b]})
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

// merged reports whether m stands for both of two methods that different
// interfaces ask for, neither of which extends the other: the one farther from
// the root is found first, then the one whose name sorts first, and the one that
// is found last stands for both, unless its result does not.
func (ev *evaluator) merged(o, m member) bool {
	co, cm := ev.l.container(o.ent), ev.l.container(m.ent)
	if co == noEnt || cm == noEnt || co == cm || !ev.l.isInterface(co) || !ev.l.isInterface(cm) ||
		!ev.l.decl(o.ent).Flags.Has(graph.FlagAbstract) || !ev.l.decl(m.ent).Flags.Has(graph.FlagAbstract) {
		return false
	}
	first, last := o, m
	ranks := map[Ent]int{}
	if ro, rm := ev.rank(co, ranks), ev.rank(cm, ranks); ro < rm || ro == rm && ev.l.typePath(cm) < ev.l.typePath(co) {
		first, last = m, o
	}
	if f, l := ev.resultOf(first.typ), ev.resultOf(last.typ); f != l && (ev.types.kind(f) == kParam || ev.fits(l, f, 0) != yes) {
		last = first
	}
	return last.ent == m.ent
}

// rank is the length of the longest way from a type up to the root. What is in
// ranks is known, or a base of itself.
func (ev *evaluator) rank(e Ent, ranks map[Ent]int) int {
	n, ok := ranks[e]
	if ok || len(ranks) >= maxSupers {
		return n
	}
	ranks[e] = 0
	for _, s := range ev.supers(ev.instance(e)).types {
		if r := ev.types.rec(s); r.kind == kNamed {
			n = max(n, ev.rank(r.ent, ranks)+1)
		}
	}
	ranks[e] = n
	return n
}

// sameParams reports whether a method overrides, or hides, another.
func (ev *evaluator) sameParams(a, b member) bool {
	t := ev.types
	ra, rb := t.rec(a.typ), t.rec(b.typ)
	if ra.kind != kFunc || rb.kind != kFunc || ra.funcParams() != rb.funcParams() {
		return false
	}
	shape := ev.l.str(a.ent, ev.l.decl(a.ent).Shape) == ev.l.str(b.ent, ev.l.decl(b.ent).Shape)
	for i := range ra.funcParams() {
		p, q := ev.paramType(a.typ, i), ev.paramType(b.typ, i)
		switch {
		case p == unknownType || q == unknownType:
			if !shape { // what is written may tell them apart
				return false
			}
		case ev.erased(p, 0) != ev.erased(q, 0):
			if !shape || ev.namesakes(p, q) {
				return false
			}
		}
	}
	return true
}

// instantiates reports whether a method has the parameters of a generic one, when
// the type parameters of generic stand for what it says.
func (ev *evaluator) instantiates(method, of Type, generic Ent) bool {
	t := ev.types
	ra, rb := t.rec(method), t.rec(of)
	if ra.kind != kFunc || rb.kind != kFunc || ra.funcParams() != rb.funcParams() {
		return false
	}
	for i := range ra.funcParams() {
		p, q := ev.paramType(method, i), ev.paramType(of, i)
		for t.kind(p) == kSlice && t.kind(q) == kSlice {
			p, q = t.arg(p, 0), t.arg(q, 0)
		}
		if r := t.rec(q); r.kind == kParam && r.ent == generic && !ev.lang.cls.primitive.has(p) {
			continue
		}
		if p == unknownType || q == unknownType || ev.erased(p, 0) != ev.erased(q, 0) {
			return false
		}
	}
	return true
}

// namesakes reports whether two types of one simple name are not the same.
func (ev *evaluator) namesakes(p, q Type) bool {
	t := ev.types
	for t.kind(p) == kSlice && t.kind(q) == kSlice {
		p, q = t.arg(p, 0), t.arg(q, 0)
	}
	a, b := t.rec(p), t.rec(q)
	if a.kind == kExtern || b.kind == kExtern { // nothing outside of the tree is what is inside
		return (a.kind == kNamed || a.kind == kExtern) && (b.kind == kNamed || b.kind == kExtern) && (a.kind != b.kind || a.ent != b.ent)
	}
	return a.kind == kNamed && b.kind == kNamed && a.ent != b.ent
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

// erasedFunc returns a callable as it is seen on a type without its arguments.
func (ev *evaluator) erasedFunc(f Type) Type {
	r := *ev.types.rec(f)
	if r.kind != kFunc || !r.params {
		return f
	}
	ts := slices.Clone(ev.types.argsOf(f))
	for i, x := range ts {
		ts[i] = ev.erased(x, 0)
	}
	return ev.types.intern(kFunc, r.ent, r.n, ts)
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
		if ev.misfit(picked.typ, args) {
			return // another one is meant, of a base that is not known or that is not there any more
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
	if len(list) > 1 {
		res.among = ms
	}
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

// agree gives an ambiguous call the result that all candidates have. What a
// constructor makes does not depend on which one it is.
func (ev *evaluator) agree(ms []member, res *resolution) {
	if res.result != unknownType {
		return
	}
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
	if ev.lang.cls == nil {
		return unknownType
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

// exactly reports whether the arguments are of the very types of the parameters.
func (ev *evaluator) exactly(f Type, args []int32) bool {
	r := ev.types.rec(f)
	if r.isVariadic() || r.funcParams() != len(args) {
		return false
	}
	for i, a := range args {
		if p := ev.types.arg(f, i); p == unknownType || ev.functional(facts.ExprID(a)) || ev.typeOf(facts.ExprID(a)) != p {
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
		for _, m := range sure {
			if phase == 0 && ev.exactly(m.typ, args) {
				return m, nil // whatever else takes the arguments takes more
			}
		}
		if m, ok := ev.mostSpecific(sure, args, phase); ok && !slices.ContainsFunc(open, func(o member) bool { return !ev.neverBetter(o, m, args, phase) }) {
			return m, nil // if another one took the arguments, too, neither would be meant
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

// neverBetter reports whether a callable is surely not more specific than another
// one for arguments whose types are known where the two differ.
func (ev *evaluator) neverBetter(m, o member, args []int32, phase int) bool {
	never := false
	for i, a := range args {
		p, q := ev.formal(m.typ, i, len(args), phase), ev.formal(o.typ, i, len(args), phase)
		if p == q {
			continue
		}
		if ev.argument(facts.ExprID(a)) == unknownType {
			return false
		}
		never = never || ev.fits(ev.forCompare(p), ev.forCompare(q), 0) == no
	}
	return never
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
			if ev.types.kind(at) == kSlice && ev.lang.cls.primitive.has(ev.types.arg(at, 0)) && !ev.lang.cls.primitive.has(ev.types.arg(f, n-1)) {
				return 2
			}
			return 0
		}
	}
	return 2
}
