package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Calls in languages whose types flow.

// maxCalls bounds the calls that the type of one call leads to.
const maxCalls = 32

// resultAs returns the type that calling a function gives, as it is declared or
// as its body returns it.
func (ev *evaluator) resultAs(e Ent) Type {
	l, t := ev.l, ev.types
	d := l.decl(e)
	s := l.slots
	dyn := ev.lang.dyn
	r := s.result[e]
	declared := d.Results.Len() > 0
	if !declared {
		ev.readSlot(e)
		if s.generator[e] {
			g := dyn.generator
			if d.Flags.Has(graph.FlagAsync) {
				g = dyn.asyncGenerator
			}
			if g == noEnt {
				return unknownType
			}
			// With the function that it is of, for what it is sent.
			return t.mk(kNamed, g, 3, s.yield[e], s.sent[e], r, t.mk(kCallable, e, 0))
		}
	}
	if d.Flags.Has(graph.FlagAsync) && !s.generator[e] && dyn.coroutine != noEnt {
		return t.mk(kNamed, dyn.coroutine, 0, unknownType, unknownType, r)
	}
	return r
}

// applied returns the type that calling function e gives; self is the value
// that it was selected on, as the class that declares it as that sees it.
func (ev *evaluator) applied(e Ent, self, as Type, c *callArgs) Type {
	l, t := ev.l, ev.types
	if !l.decl(e).Kind.IsCallable() || ev.dyn.calls > maxCalls {
		return unknownType
	}
	ev.dyn.calls++
	defer func() { ev.dyn.calls-- }()
	bound := self != unknownType && !l.decl(e).Flags.Has(graph.FlagStatic)
	var few [4]Ent
	list := l.overloads(e, few[:0])
	if len(list) > 1 {
		list = ev.chosen(list, bound, c)
	}
	out := unknownType
	for _, e := range list {
		out = t.join(out, ev.given(e, bound, self, as, c))
	}
	return out
}

// given returns the type that a call of one signature gives.
func (ev *evaluator) given(e Ent, bound bool, self, as Type, c *callArgs) Type {
	t := ev.types
	r := ev.resultAs(e)
	if !t.rec(r).params {
		return r
	}
	b := binder{ev: ev}
	if t.kind(as) == kNamed {
		b.params = append(b.params, ev.mroFor(t.rec(as).ent).params...)
		b.args = append(b.args, t.argsOf(as)...)
		for len(b.args) < len(b.params) {
			b.args = append(b.args, unknownType)
		}
	}
	b.fixed = len(b.params)
	b.arguments(e, bound, self, c)
	obj := self
	if t.kind(obj) == kMeta {
		obj = t.arg(obj, 0)
	}
	return t.replace(r, b.params, b.args, obj)
}

// binder finds what type parameters stand for.
type binder struct {
	ev     *evaluator
	params []Type
	args   []Type
	fixed  int // those before are given
}

// arguments binds the type parameters in the parameters of e by the arguments
// of a call. Parameters that nothing binds are unknown.
func (b *binder) arguments(e Ent, bound bool, self Type, c *callArgs) {
	ev := b.ev
	l, t := ev.l, ev.types
	d := l.decl(e)
	fn := l.entFile[e]
	at := l.slots.base[fn] + d.Params.Lo
	for i := range int32(d.Params.Len()) {
		ev.noteParam(at + i)
		b.declare(l.slots.param[at+i])
	}
	ev.noteSlot(e)
	b.declare(l.slots.result[e])
	if bound && d.Params.Len() > 0 && t.kind(self) != kSuper {
		if p := l.slots.param[at]; t.rec(p).params {
			b.unify(p, self, 0)
		}
	}
	ev.eachArgument(e, bound, c, func(p int32, a argument) {
		if want := l.slots.param[at+p]; a.typ != unknownType && t.rec(want).params {
			b.unify(want, a.typ, 0)
		}
	})
}

// declare adds the type parameters that x mentions.
func (b *binder) declare(x Type) {
	b.params = b.ev.types.paramsIn(x, b.params)
	for len(b.args) < len(b.params) {
		b.args = append(b.args, unknownType)
	}
}

// unify makes the type parameters in p stand for the parts of a.
func (b *binder) unify(p, a Type, depth int) {
	t := b.ev.types
	if depth > 8 || a == unknownType || !t.rec(p).params {
		return
	}
	r := *t.rec(p)
	switch r.kind {
	case kParam:
		for i, q := range b.params {
			// What an empty container holds is not known, and then it is what it is given.
			if q == p && (i >= b.fixed || b.args[i] == unknownType) {
				if a != b.ev.lang.tNull || b.args[i] == unknownType {
					b.args[i] = t.join(b.args[i], a)
				}
			}
		}
	case kUnion:
		// What the plain members take is not for the parameters.
		rest := unknownType
		for _, m := range t.members(a) {
			taken := false
			for _, w := range t.members(p) {
				if w == m || t.kind(w) == kNamed && t.rec(w).ent == t.rec(m).ent && t.kind(m) == kNamed {
					taken = true
					b.unify(w, m, depth+1)
				}
			}
			if !taken {
				rest = t.join(rest, m)
			}
		}
		for _, w := range t.members(p) {
			b.unify(w, rest, depth+1)
		}
	case kNamed:
		for _, m := range t.members(a) {
			if as := b.ev.asClass(m, r.ent); as != unknownType {
				ps, xs := t.argsOf(p), t.argsOf(as)
				for i := range min(len(ps), len(xs)) {
					b.unify(ps[i], xs[i], depth+1)
				}
			} else if b.ev.protocol(r.ent) && r.ent == b.ev.lang.dyn.iterable && len(t.argsOf(p)) > 0 {
				b.unify(t.arg(p, 0), b.ev.element(m, false), depth+1)
			} else if b.ev.protocol(r.ent) {
				b.byMethods(p, m, depth)
			}
		}
	case kMeta:
		for _, m := range t.members(a) {
			if t.kind(m) == kMeta {
				b.unify(t.arg(p, 0), t.arg(m, 0), depth+1)
			}
		}
	case kTuple:
		for _, m := range t.members(a) {
			if t.kind(m) == kTuple {
				ps, xs := t.argsOf(p), t.argsOf(m)
				for i := range min(len(ps), len(xs)) {
					b.unify(ps[i], xs[i], depth+1)
				}
			}
		}
	case kFunc:
		n := r.funcParams()
		if len(t.argsOf(p)) <= n {
			return
		}
		for _, m := range t.members(a) {
			switch t.kind(m) {
			case kCallable:
				b.unify(t.arg(p, n), b.ev.applied(t.rec(m).ent, t.arg(m, 0), unknownType, &callArgs{spread: true}), depth+1)
				// A parameter for all parameters of a function.
				if n == 1 && t.kind(t.arg(p, 0)) == kParam && r.isVariadic() {
					b.unify(t.arg(p, 0), m, depth+1)
				}
			case kMeta:
				b.unify(t.arg(p, n), t.arg(m, 0), depth+1)
			case kFunc:
				mr := t.rec(m)
				b.unify(t.arg(p, n), t.arg(m, mr.funcParams()), depth+1)
			}
		}
	case kSelf:
	}
}

// maxPromised bounds the members of a class that are compared with those of one
// that promises them.
const maxPromised = 64

// byMethods makes the type parameters in p, of a class that others are of by what
// they have, stand for what the methods of a that it promises give.
func (b *binder) byMethods(p, a Type, depth int) {
	ev := b.ev
	l, t := ev.l, ev.types
	if k := t.kind(a); k != kNamed && k != kSelf && k != kMeta || ev.dyn.calls > maxCalls {
		return
	}
	c := t.rec(p).ent
	f := &l.files[l.entFile[c]]
	own := c - f.base
	decls := f.Facts.Decls
	for i := int(own) + 1; i < len(decls) && i <= int(own)+maxPromised && decls[i].Parent >= facts.DeclID(own); i++ {
		d := &decls[i]
		if d.Parent != facts.DeclID(own) || d.Kind != graph.KindMethod || d.Traits&facts.TraitOverload != 0 {
			continue
		}
		want := l.slots.result[f.base+Ent(i)]
		if !t.rec(want).params {
			continue
		}
		h := ev.find(a, f.syms[d.Name])
		if h.ent == noEnt || !l.decl(h.ent).Kind.IsCallable() {
			continue
		}
		want = t.replace(want, ev.mroFor(c).params, t.argsOf(p), unknownType)
		b.unify(want, ev.applied(h.ent, a, h.as, &callArgs{spread: true}), depth+1)
	}
}

// dynamicCall returns the type that a call gives.
func (ev *evaluator) dynamicCall(x *facts.Expr) Type {
	t := ev.types
	ct := ev.typeOf(x.X)
	if ct == unknownType {
		return unknownType
	}
	c := ev.argsOfCall(x)
	if x.Name != 0 && ev.f.Facts.Exprs[x.X].Op == facts.OpSelect {
		if v, ok := ev.askedFor(ev.typeOf(ev.f.Facts.Exprs[x.X].X), ev.f.syms[x.Name], &c); ok {
			return v
		}
	}
	return t.mapUnion(ct, func(m Type) Type { return ev.called(m, &c) })
}

// called returns the type that calling a value gives, which is no union.
func (ev *evaluator) called(m Type, c *callArgs) Type {
	t := ev.types
	if f := ev.formOf(m); f != FormNone {
		if r, ok := ev.calledForm(f, c); ok {
			return r
		}
	}
	r := *t.rec(m)
	switch r.kind {
	case kCallable:
		self, as := unknownType, unknownType
		if r.n == 1 {
			self = t.arg(m, 0)
			as = ev.ownerAs(r.ent, self)
		}
		return ev.applied(r.ent, self, as, c)
	case kMeta:
		return ev.constructed(t.arg(m, 0), c)
	case kFunc:
		n := r.funcParams()
		if n == 1 && r.isVariadic() && len(t.argsOf(m)) > 1 {
			return t.arg(m, 1)
		}
		if len(t.argsOf(m)) > n {
			return t.arg(m, n)
		}
	case kNamed, kSelf:
		if h := ev.find(m, ev.lang.dyn.call); h.ent != noEnt {
			return ev.applied(h.ent, m, h.as, c)
		}
	}
	return unknownType
}

// ownerAs returns the class that declares a method as the value that it is
// bound to sees it.
func (ev *evaluator) ownerAs(e Ent, self Type) Type {
	t := ev.types
	owner := ev.l.container(e)
	if owner == noEnt {
		return unknownType
	}
	if t.kind(self) == kMeta {
		self = t.arg(self, 0)
	}
	return ev.asClass(self, owner)
}

// calledForm returns what calling a form gives.
func (ev *evaluator) calledForm(f Form, c *callArgs) (Type, bool) {
	t := ev.types
	switch f {
	case FormType:
		if len(c.pos) == 1 {
			return t.mapUnion(c.pos[0], func(m Type) Type {
				switch t.kind(m) {
				case kNamed, kSelf:
					return t.meta(m)
				}
				return unknownType
			}), true
		}
		if len(c.pos) == 3 { // a class with these bases
			bases := unknownType
			for _, m := range t.members(c.pos[1]) {
				if t.kind(m) != kTuple {
					continue
				}
				for _, b := range t.argsOf(m) {
					if t.kind(b) == kMeta {
						bases = t.join(bases, b)
					}
				}
			}
			return bases, true
		}
	case FormCast:
		if len(c.pos) == 2 {
			return ev.denote(c.pos[0]), true
		}
	case FormPartial:
		if len(c.pos) > 0 {
			return t.mapUnion(c.pos[0], func(m Type) Type {
				switch k := t.kind(m); k {
				case kCallable, kMeta:
					return m
				}
				return unknownType
			}), true
		}
	case FormProperty:
		get := unknownType
		if len(c.pos) > 0 {
			get = c.pos[0]
		}
		for _, k := range c.kw {
			if k.name != 0 && k.name == ev.lang.dyn.fget {
				get = k.typ
			}
		}
		if k := t.kind(get); k == kCallable && ev.lang.dyn.property != noEnt {
			return t.mk(kNamed, ev.lang.dyn.property, 0, get), true
		}
	case FormKeep:
		if len(c.pos) > 0 && (t.kind(c.pos[0]) == kCallable || t.kind(c.pos[0]) == kMeta) {
			return c.pos[0], true
		}
		return t.mk(kForm, noEnt, int32(FormKeep)), true
	}
	return unknownType, false
}

// constructed returns the type that calling a class gives.
func (ev *evaluator) constructed(o Type, c *callArgs) Type {
	t := ev.types
	if t.kind(o) != kNamed {
		return o
	}
	e := t.rec(o).ent
	m := ev.mroFor(e)
	if other := ev.otherMade(o, c); other != unknownType {
		return other
	}
	if len(m.params) == 0 || len(t.argsOf(o)) > 0 {
		return o
	}
	b := binder{ev: ev, params: append([]Type(nil), m.params...), args: make([]Type, len(m.params))}
	self := t.intern(kNamed, e, 0, m.params)
	for _, name := range ev.lang.dyn.constructors {
		h := ev.find(self, name)
		if h.ent == noEnt || h.as != unknownType && t.rec(h.as).ent == ev.lang.dyn.object {
			continue
		}
		var few [4]Ent
		list := ev.l.overloads(h.ent, few[:0])
		if len(list) > 1 {
			list = ev.chosen(list, true, c)
		}
		if len(list) == 0 {
			continue
		}
		pick := list[0]
		d := ev.l.decl(pick)
		fn := ev.l.entFile[pick]
		at := ev.l.slots.base[fn] + d.Params.Lo
		ev.eachArgument(pick, true, c, func(p int32, a argument) {
			want := t.replace(ev.l.slots.param[at+p], ev.mroFor(t.rec(h.as).ent).params, t.argsOf(h.as), unknownType)
			b.unify(want, a.typ, 0)
		})
		break
	}
	return t.intern(kNamed, e, 0, b.args)
}

// otherMade returns what calling a class of a library gives whose first constructor
// says that it makes something else than an object of the class.
func (ev *evaluator) otherMade(o Type, c *callArgs) Type {
	t := ev.types
	if len(ev.lang.dyn.constructors) < 2 {
		return unknownType
	}
	h := ev.find(o, ev.lang.dyn.constructors[1])
	if h.ent == noEnt || h.as == unknownType || t.rec(h.as).ent != t.rec(o).ent || ev.l.decl(h.ent).Results.Len() == 0 {
		return unknownType
	}
	if !ev.l.units[ev.l.unitOf(h.ent)].surface {
		return unknownType
	}
	r := ev.applied(h.ent, t.meta(o), h.as, c)
	if k := t.kind(r); k != kNamed || t.rec(r).ent == t.rec(o).ent && len(t.argsOf(r)) == 0 {
		return unknownType
	}
	return r
}

// constructor returns the declared method that runs when a class is called;
// noEnt if there is none before what is not known.
func (ev *evaluator) constructor(c Ent) (e Ent, foreign bool) {
	t := ev.types
	m := ev.mroFor(c)
	for i, y := range m.types {
		for _, name := range ev.lang.dyn.constructors {
			if e := Ent(ev.l.members.get(int32(t.rec(y).ent), name)); e != noEnt && ev.l.decl(e).Kind.IsCallable() {
				return e, m.foreign[i]
			}
		}
	}
	return noEnt, m.open
}
