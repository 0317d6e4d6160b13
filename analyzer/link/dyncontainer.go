package link

import (
	"github.com/codekg/kg/analyzer/facts"
)

// What containers hold: the types of lists, tuples and dictionaries that are written
// out, of what a subscript or a loop takes from a container, and of what is awaited.

// composite returns the class of a kind of composites with type arguments.
func (ev *evaluator) composite(kind string, args ...Type) Type {
	if sym := ev.l.lookupSym(kind); sym >= 0 {
		if c := ev.lang.dyn.kinds[sym]; ev.types.kind(c) == kNamed {
			return ev.types.mk(kNamed, ev.types.rec(c).ent, 0, args...)
		}
	}
	return unknownType
}

// maxElements bounds the elements of a composite whose types are joined.
const maxElements = 64

func (ev *evaluator) dynamicComposite(e facts.ExprID, x *facts.Expr) Type {
	t := ev.types
	fs := ev.f.Facts
	args := fs.List(x.Args)
	kind := fs.Str(x.Name)
	value := func(a facts.ExprID) Type {
		v := ev.typeOf(a)
		if fs.Exprs[a].Op == facts.OpSpread {
			v = ev.element(v, false)
		}
		if a < e && ev.dyn.flowed[a] {
			ev.dyn.flow = true
		}
		return v
	}
	if kind == "tuple" || x.Flags&facts.FlagTyped != 0 {
		var buf [8]Type
		parts := buf[:0]
		for _, a := range args {
			if len(parts) >= maxElements || fs.Exprs[a].Op == facts.OpSpread {
				return ev.composite("tuple", unknownType)
			}
			parts = append(parts, value(facts.ExprID(a)))
		}
		return t.intern(kTuple, noEnt, 0, parts)
	}
	if kind == "dict" {
		key, val := unknownType, unknownType
		var keys keyed
		for i, a := range args {
			if i >= maxElements {
				keys.drop()
				break
			}
			if kv := &fs.Exprs[a]; kv.Op == facts.OpKeyValue {
				v := value(kv.Y)
				key, val = t.join(key, ev.typeOf(kv.X)), t.join(val, v)
				keys.add(ev.f.syms[kv.Name], v)
			} else if kv.Op == facts.OpSpread {
				from := ev.typeOf(kv.X)
				keys.spread(t, from)
				if b := ev.asClass(from, ev.classNamed("dict")); b != unknownType {
					key, val = t.join(key, t.arg(b, 0)), t.join(val, t.arg(b, 1))
				}
			}
		}
		return ev.keyedAs(ev.composite("dict", key, val), &keys)
	}
	el := unknownType
	for i, a := range args {
		if i >= maxElements {
			break
		}
		el = t.join(el, value(facts.ExprID(a)))
	}
	return ev.composite(kind, el)
}

// classNamed returns a class of the universe.
func (ev *evaluator) classNamed(name string) Ent {
	if sym := ev.l.lookupSym(name); sym >= 0 {
		return Ent(ev.l.pkgScope.get(ev.lang.universe, sym))
	}
	return noEnt
}

// itemOf returns the type of value n of the several values of x.
func (ev *evaluator) itemOf(x Type, n int) Type {
	t := ev.types
	return t.mapUnion(x, func(m Type) Type {
		if t.kind(m) == kTuple {
			return t.arg(m, n)
		}
		if v, ok := ev.namedItem(m, n); ok {
			return v
		}
		// A class that is a tuple, by its first base of that kind.
		if b := ev.asClass(m, ev.lang.dyn.tuple); b != unknownType && len(t.argsOf(b)) == 1 {
			return t.arg(b, 0)
		}
		return ev.element(m, false)
	})
}

// element returns the type of what a loop over x gives.
func (ev *evaluator) element(x Type, async bool) Type {
	t := ev.types
	dyn := ev.lang.dyn
	return t.mapUnion(x, func(m Type) Type {
		switch t.kind(m) {
		case kTuple:
			return t.union(t.argsOf(m))
		case kMeta:
			if o := t.arg(m, 0); ev.asClass(o, dyn.enum) != unknownType {
				return o
			}
			return unknownType
		case kExtern:
			return ev.managedItem(m)
		case kUnknown, kPkg:
			return unknownType
		}
		base := dyn.iterable
		if async {
			base = dyn.asyncIterable
		}
		if b := ev.asClass(m, base); b != unknownType {
			return t.arg(b, 0)
		}
		iterates, next := dyn.iterates, dyn.next
		if async {
			iterates, next = dyn.asyncIterates, dyn.asyncNext
		}
		give := func(i Type) Type {
			v := ev.methodResult(i, next)
			if async {
				v = ev.awaitedBy(v)
			}
			return v
		}
		it := ev.methodResult(m, iterates)
		if it == unknownType || it == x {
			if h := ev.find(m, next); h.ent != noEnt && it == x {
				return give(m)
			}
			return unknownType
		}
		return t.mapUnion(it, func(i Type) Type {
			if b := ev.asClass(i, base); b != unknownType {
				return t.arg(b, 0)
			}
			return give(i)
		})
	})
}

// awaitedBy returns the type of what waiting for x gives.
func (ev *evaluator) awaitedBy(x Type) Type {
	t := ev.types
	return t.mapUnion(x, func(m Type) Type {
		if b := ev.asClass(m, ev.lang.dyn.awaitable); b != unknownType {
			return t.arg(b, 0)
		}
		if b := ev.asClass(m, ev.lang.dyn.generator); b != unknownType && len(t.argsOf(b)) > 2 {
			return t.arg(b, 2) // what it returns at its end
		}
		return unknownType
	})
}
