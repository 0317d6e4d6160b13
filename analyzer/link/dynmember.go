package link

import (
	"strconv"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Attributes in languages whose types flow.

// hit is what an attribute's name finds.
type hit struct {
	ent     Ent
	as      Type // the class that declares it, as the object sees it
	foreign bool // a class that is not known could have another
	meta    bool // the class of the class has it
}

// find returns the declaration that a name selects on one value, which is no
// union.
func (ev *evaluator) find(x Type, name Sym) hit {
	t := ev.types
	if h, ok := either(&ev.dyn.hits, &ev.dyn.known.hits, int32(x), int32(name)); ok {
		return h
	}
	h := hit{ent: noEnt}
	switch r := *t.rec(x); r.kind {
	case kNamed, kSelf, kTuple, kParam:
		h = ev.findIn(ev.objectType(x), name, noEnt)
	case kMeta:
		o := t.arg(x, 0)
		h = ev.findIn(ev.objectType(o), name, noEnt)
		if h.ent == noEnt {
			h = ev.findMeta(o, name, h)
		}
	case kSuper:
		on := t.arg(x, 0)
		if t.kind(on) == kMeta {
			on = t.arg(on, 0)
		}
		h = ev.findIn(on, name, r.ent)
	}
	ev.dyn.hits.set(int32(x), int32(name), h)
	return h
}

// findMeta looks for what classes have because of their own class.
func (ev *evaluator) findMeta(o Type, name Sym, h hit) hit {
	t := ev.types
	c, _ := ev.classOf(o)
	if c == noEnt {
		return h
	}
	for _, y := range ev.mroFor(c).types {
		if m := ev.l.slots.meta[t.rec(y).ent]; m != unknownType {
			if g := ev.findIn(m, name, noEnt); g.ent != noEnt {
				g.meta = true
				return g
			}
			return h
		}
	}
	if e := ev.lang.dyn.typ; e != noEnt {
		if g := ev.findIn(t.mk(kNamed, e, 0), name, noEnt); g.ent != noEnt {
			g.meta, g.foreign = true, h.foreign
			return g
		}
	}
	return h
}

// findIn searches the classes of an object in their order, those behind one of
// them if it is not noEnt.
func (ev *evaluator) findIn(x Type, name Sym, behind Ent) hit {
	t := ev.types
	if t.kind(x) == kUnion { // the bound of a type parameter
		for _, m := range t.members(x) {
			if h := ev.findIn(m, name, behind); h.ent != noEnt {
				return h
			}
		}
		return hit{ent: noEnt}
	}
	c, args := ev.classOf(x)
	if c == noEnt {
		return hit{ent: noEnt}
	}
	m := ev.mroFor(c)
	from := 0
	if behind != noEnt {
		for i, y := range m.types {
			if t.rec(y).ent == behind {
				from = i + 1
			}
		}
	}
	for i := from; i < len(m.types); i++ {
		y := m.types[i]
		if e := Ent(ev.l.members.get(int32(t.rec(y).ent), name)); e != noEnt {
			return hit{ent: e, as: t.replace(y, m.params, args, x), foreign: m.foreign[i]}
		}
	}
	return hit{ent: noEnt, foreign: m.open}
}

func (ev *evaluator) dynamicSelect(x *facts.Expr) (Type, Ent) {
	return ev.attributeOf(ev.typeOf(x.X), ev.f.syms[x.Name])
}

// attributeOf returns the type of an attribute, and the declaration where there is
// one on a member of the value's type.
func (ev *evaluator) attributeOf(xt Type, name Sym) (Type, Ent) {
	t := ev.types
	out, ref := unknownType, noEnt
	for _, m := range t.members(xt) {
		switch t.kind(m) {
		case kPkg:
			v, e := ev.moduleMember(m, name)
			out = t.join(out, v)
			if ref == noEnt {
				ref = e
			}
			continue
		case kExtern:
			out = t.join(out, ev.managerMethod(m, name))
			continue
		case kFunc, kForm:
			continue
		}
		h := ev.find(m, name)
		if h.ent == noEnt {
			if by := ev.managed(m, name); by != unknownType {
				out = t.join(out, by)
				continue
			}
			out = t.join(out, ev.fallback(m, name))
			continue
		}
		if ref == noEnt {
			ref = h.ent
		}
		out = t.join(out, ev.attribute(m, h))
	}
	return out, ref
}

// fallback returns the type of an attribute that is not declared.
func (ev *evaluator) fallback(x Type, name Sym) Type {
	d := ev.lang.dyn
	if name == d.fallback || ev.types.kind(x) == kMeta || ev.dyn.calls > maxCalls {
		return unknownType
	}
	return ev.methodResult(x, d.fallback)
}

// attribute returns the type of a declaration that was found on a value.
func (ev *evaluator) attribute(x Type, h hit) Type {
	t := ev.types
	d := ev.l.decl(h.ent)
	class := t.kind(x) == kMeta && !h.meta
	self := x
	if t.kind(x) == kSuper {
		self = t.arg(x, 0)
		class = t.kind(self) == kMeta
	}
	switch {
	case d.Kind.IsType():
		return ev.l.typ[h.ent]
	case d.Kind.IsCallable():
		if d.Traits&facts.TraitAccessor != 0 {
			if class {
				return unknownType
			}
			return ev.applied(h.ent, self, h.as, &callArgs{})
		}
		if d.Traits&facts.TraitReplaced != 0 {
			ev.noteSlot(h.ent)
			if by := ev.l.slots.decorated[h.ent]; by != unknownType {
				ev.dyn.flow = true
				return ev.substituted(by, h.as, self)
			}
		}
		switch {
		case d.Flags.Has(graph.FlagStatic):
			return t.mk(kCallable, h.ent, 0)
		case ev.l.takesClass(h.ent):
			if !class && t.kind(self) != kMeta {
				self = t.meta(self)
			}
			return t.mk(kCallable, h.ent, 1, self)
		case class:
			return t.mk(kCallable, h.ent, 0)
		}
		return t.mk(kCallable, h.ent, 1, self)
	}
	if d.Type == facts.None {
		ev.readSlot(h.ent)
	}
	v := ev.shapeOf(h.ent, d, ev.l.typ[h.ent])
	if f := ev.lang.dyn.form(h.ent); f != FormNone {
		return t.mk(kForm, noEnt, int32(f))
	}
	if class && d.Flags.Has(graph.FlagStatic) && d.Value != facts.None && ev.lang.dyn.enum != noEnt {
		if o := t.arg(x, 0); ev.asClass(o, ev.lang.dyn.enum) != unknownType {
			return o
		}
	}
	v = ev.substituted(v, h.as, self)
	if d.Flags.Has(graph.FlagStatic) {
		v = ev.descriptor(v, self, class)
	}
	return v
}

// descriptor returns what reading an attribute gives whose value decides that: it is
// asked with the object, none for the class itself, and the class.
func (ev *evaluator) descriptor(v, self Type, class bool) Type {
	t := ev.types
	return t.mapUnion(v, func(m Type) Type {
		if t.kind(m) != kNamed || ev.dyn.calls > maxCalls {
			return m
		}
		if t.rec(m).ent == ev.lang.dyn.property && len(t.argsOf(m)) == 1 && !class {
			get := t.rec(t.arg(m, 0)).ent
			return ev.applied(get, self, ev.ownerAs(get, self), &callArgs{})
		}
		if h := ev.find(m, ev.lang.dyn.getter); h.ent != noEnt {
			c := callArgs{pos: []Type{self, self}}
			if class {
				c.pos[0] = ev.lang.tNull
			} else {
				c.pos[1] = t.meta(self)
			}
			return ev.applied(h.ent, m, h.as, &c)
		}
		return m
	})
}

// takesClass reports whether the first parameter of a method is the class.
func (l *linker) takesClass(e Ent) bool {
	d := l.decl(e)
	if d.Params.Len() == 0 {
		return false
	}
	f := &l.files[l.entFile[e]].Facts
	p := &(*f).Params[d.Params.Lo]
	if p.Local == facts.None {
		return false
	}
	v := (*f).Locals[p.Local].Value
	return v != facts.None && (*f).Exprs[v].Op == facts.OpSelf && (*f).Exprs[v].Flags&facts.FlagTyped != 0
}

// substituted puts the type arguments of a class into the type of its member,
// and the object that has it.
func (ev *evaluator) substituted(v, as, self Type) Type {
	t := ev.types
	if !t.rec(v).params {
		return v
	}
	if t.kind(self) == kMeta {
		self = t.arg(self, 0)
	}
	if t.kind(self) == kSuper {
		self = unknownType
	}
	var params, args []Type
	if t.kind(as) == kNamed {
		params, args = ev.mroFor(t.rec(as).ent).params, t.argsOf(as)
	}
	return t.replace(v, params, args, self)
}

// methodResult returns the type that a method without arguments gives on a
// value.
func (ev *evaluator) methodResult(x Type, name Sym) Type {
	h := ev.find(x, name)
	if h.ent == noEnt || !ev.l.decl(h.ent).Kind.IsCallable() {
		return unknownType
	}
	return ev.applied(h.ent, x, h.as, &callArgs{})
}

func (ev *evaluator) dynamicIndex(e facts.ExprID, x *facts.Expr) (Type, Ent) {
	t := ev.types
	xt := ev.typeOf(x.X)
	ref := noEnt
	if ev.state[x.X] == evalDone {
		ref = ev.ref[x.X]
	}
	args := ev.f.Facts.List(x.Args)
	if f := ev.formOf(xt); f != FormNone && f != FormTypeVar {
		return ev.formIndex(e, f, args), noEnt
	}
	if ps := t.paramsIn(xt, nil); len(ps) > 0 && t.kind(xt) != kPkg { // an alias with parameters of its own
		alias := true
		for _, m := range t.members(xt) {
			alias = alias && (t.kind(m) == kMeta || m == ev.lang.tNull)
		}
		if alias && (t.kind(xt) != kMeta || t.kind(t.arg(xt, 0)) != kParam) {
			return t.replace(xt, ps, ev.annotations(args), unknownType), noEnt
		}
	}
	out := unknownType
	for _, m := range t.members(xt) {
		switch t.kind(m) {
		case kMeta:
			o := t.arg(m, 0)
			if c, _ := ev.classOf(o); c != noEnt && t.kind(o) == kNamed {
				if c == ev.lang.dyn.tuple {
					out = t.join(out, ev.formIndex(e, FormTuple, args))
					continue
				}
				if c == ev.lang.dyn.typ {
					out = t.join(out, ev.formIndex(e, FormType, args))
					continue
				}
				out = t.join(out, t.meta(t.intern(kNamed, c, 0, ev.annotations(args))))
				continue
			}
			out = t.join(out, m)
		case kExtern:
			if item := ev.managedItem(m); item != unknownType {
				out = t.join(out, item)
				continue
			}
			out = t.join(out, m)
		case kTuple:
			out = t.join(out, ev.tupleItem(m, ev.f.Facts.Str(x.Name)))
		default:
			if field := ev.recordField(m, ev.f.syms[x.Name]); field != noEnt {
				out = t.join(out, ev.attribute(m, ev.find(m, ev.f.syms[x.Name])))
				continue
			}
			if v, ok := t.keyValue(m, ev.f.syms[x.Name]); ok {
				out = t.join(out, v)
				continue
			}
			if n, err := strconv.Atoi(ev.f.Facts.Str(x.Name)); err == nil {
				if v, ok := ev.namedItem(m, n); ok {
					out = t.join(out, v)
					continue
				}
			}
			h := ev.find(m, ev.lang.dyn.item)
			if h.ent == noEnt || !ev.l.decl(h.ent).Kind.IsCallable() {
				// A union of types with arguments for its parameters.
				continue
			}
			var at Type
			if len(args) > 0 {
				at = ev.typeOf(facts.ExprID(args[0]))
			}
			out = t.join(out, ev.applied(h.ent, m, h.as, &callArgs{pos: []Type{at}}))
		}
	}
	if t.kind(out) != kMeta {
		ref = noEnt
	}
	return out, ref
}

// recordField returns the attribute that a constant subscript means on a value
// whose class is a record.
func (ev *evaluator) recordField(m Type, name Sym) Ent {
	if k := ev.types.kind(m); name == 0 || k != kNamed && k != kSelf || ev.lang.dyn.record == noEnt || ev.asClass(m, ev.lang.dyn.record) == unknownType {
		return noEnt
	}
	if h := ev.find(m, name); h.ent != noEnt && ev.l.decl(h.ent).Kind == graph.KindField {
		return h.ent
	}
	return noEnt
}

// tupleItem returns what a subscript of a tuple gives; key is the constant that it
// is.
func (ev *evaluator) tupleItem(m Type, key string) Type {
	if n, err := strconv.Atoi(key); err == nil && n < len(ev.types.argsOf(m)) {
		return ev.types.arg(m, n)
	}
	return ev.types.union(ev.types.argsOf(m))
}

func (ev *evaluator) annotations(args []int32) []Type {
	ts := make([]Type, len(args))
	for i, a := range args {
		ts[i] = ev.typeExpr2(facts.ExprID(a))
	}
	return ts
}

// formIndex returns the value of a form with arguments.
func (ev *evaluator) formIndex(e facts.ExprID, f Form, args []int32) Type {
	t := ev.types
	if len(args) == 0 {
		return unknownType
	}
	value := func(i int) Type { return ev.typeOf(facts.ExprID(args[i])) }
	switch f {
	case FormOptional:
		return t.join(value(0), ev.lang.tNull)
	case FormUnion:
		out := unknownType
		for i := range args {
			out = t.join(out, value(i))
		}
		return out
	case FormFirst:
		return value(0)
	case FormLiteral:
		out := unknownType
		for i := range args {
			v := value(i)
			if k := t.kind(v); k == kNamed {
				out = t.join(out, t.meta(v))
			} else if v == ev.lang.tNull {
				out = t.join(out, v)
			}
		}
		return out
	case FormCallable:
		var params []Type
		n := 0
		variadic := true
		if ps := value(0); t.kind(ps) == kTuple {
			variadic = false
			for _, p := range t.argsOf(ps) {
				params = append(params, ev.denote(p))
				n++
			}
		} else {
			params, n = append(params, ev.denote(ps)), 1
		}
		res := unknownType
		if len(args) > 1 {
			res = ev.denote(value(1))
		}
		return t.meta(t.intern(kFunc, noEnt, funcShape(n, variadic), append(params, res)))
	case FormTuple:
		ts := ev.annotations(args)
		if len(args) == 2 && ev.f.Facts.Str(ev.f.Facts.Exprs[args[1]].Name) == "ellipsis" {
			if ev.lang.dyn.tuple == noEnt {
				return unknownType
			}
			return t.meta(t.mk(kNamed, ev.lang.dyn.tuple, 0, ts[0]))
		}
		return t.meta(t.intern(kTuple, noEnt, 0, ts))
	case FormType:
		o := ev.denote(value(0))
		return t.meta(t.mapUnion(o, func(m Type) Type {
			if t.kind(m) == kExtern {
				return unknownType
			}
			return t.meta(m)
		}))
	case FormGeneric, FormProtocol:
		return t.intern(kTuple, noEnt, 0, ev.annotations(args))
	}
	return unknownType
}
