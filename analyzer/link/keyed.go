package link

import (
	"github.com/codekg/kg/analyzer/facts"
)

// Containers that are written with constant keys, in languages whose types flow:
// what each key gives is known beside what any of them does. Such a type is that
// of the container with, behind its n own arguments, a literal and a type for each
// key. A generator has the function that it is of there.

// maxKeys bounds the keys of a container that are told apart.
const maxKeys = 48

// keyed collects what constant keys give.
type keyed struct {
	keys  []Sym
	vals  []Type
	mixed bool // some give something else
	no    bool
}

// drop says that the keys do not tell what they give.
func (k *keyed) drop() { k.no = true }

// add notes that a key gives a value; 0 is no constant.
func (k *keyed) add(key Sym, v Type) {
	switch {
	case k.no || key == 0:
	case len(k.keys) == maxKeys:
		k.no = true
	default:
		k.mixed = k.mixed || len(k.vals) > 0 && k.vals[0] != v
		k.keys, k.vals = append(k.keys, key), append(k.vals, v)
	}
}

// spread notes that a container gives its keys: all of them are known, or it may have
// any of those so far.
func (k *keyed) spread(t *typeTable, x Type) {
	if !t.hasKeys(x) {
		k.keys, k.vals, k.mixed = nil, nil, true
		return
	}
	args := t.argsOf(x)[t.rec(x).n:]
	for i := 0; i+1 < len(args); i += 2 {
		k.add(Sym(t.rec(args[i]).n), args[i+1])
	}
}

// keyedAs returns the type of a container with its keys, the type without where
// all of them give the same.
func (ev *evaluator) keyedAs(x Type, k *keyed) Type {
	t := ev.types
	if k.no || !k.mixed || len(k.keys) == 0 || t.kind(x) != kNamed {
		return x
	}
	args := append([]Type(nil), t.argsOf(x)...)
	n := int32(len(args))
	for i, key := range k.keys {
		args = append(args, t.mk(kLit, noEnt, int32(key), ev.lang.tString), k.vals[i])
	}
	if with := t.intern(kNamed, t.rec(x).ent, n, args); with != unknownType {
		return with
	}
	return x
}

// hasKeys reports whether it is known what keys of a container give.
func (t *typeTable) hasKeys(x Type) bool {
	r := t.rec(x)
	return r.kind == kNamed && r.n > 0 && int(r.hi-r.lo) > int(r.n)+1
}

// keyValue returns what a constant key of a container gives, if that is known.
func (t *typeTable) keyValue(x Type, key Sym) (v Type, ok bool) {
	if key == 0 || !t.hasKeys(x) {
		return unknownType, false
	}
	args := t.argsOf(x)[t.rec(x).n:]
	for i := 0; i+1 < len(args); i += 2 {
		if r := t.rec(args[i]); r.kind == kLit && r.n == int32(key) {
			v, ok = args[i+1], true // the last one counts
		}
	}
	return v, ok
}

// withoutKeys makes the containers of a union plain, in place, where there are
// several of a class: which one has a key is not known. It reports whether it did.
func (t *typeTable) withoutKeys(list []Type) bool {
	changed := false
	for i, x := range list {
		if !t.hasKeys(x) {
			continue
		}
		r := *t.rec(x)
		for j, y := range list {
			if j != i && t.kind(y) == kNamed && t.rec(y).ent == r.ent {
				list[i], changed = t.intern(kNamed, r.ent, 0, t.argsOf(x)[:r.n]), true
				break
			}
		}
	}
	return changed
}

// shapedAs returns a declared container with what the keys of its value give. What
// is declared holds for other keys, but for functions, of which the value says
// which ones they are.
func (ev *evaluator) shapedAs(declared, value Type) Type {
	t := ev.types
	if t.kind(declared) != kNamed {
		return unknownType
	}
	own := t.argsOf(declared)
	as := ev.asClass(value, t.rec(declared).ent)
	if len(own) == 0 || t.hasKeys(declared) || as == unknownType {
		return unknownType
	}
	args := append([]Type(nil), own...)
	if last := len(args) - 1; t.kind(args[last]) == kFunc && t.arg(as, last) != unknownType {
		args[last] = t.arg(as, last)
	}
	args = append(args, t.argsOf(value)[t.rec(value).n:]...)
	return t.intern(kNamed, t.rec(declared).ent, int32(len(own)), args)
}

// askedFor returns what a call gives that asks its object for a constant key: what
// the key gives, or what is given for when there is none.
func (ev *evaluator) askedFor(on Type, key Sym, c *callArgs) (Type, bool) {
	t := ev.types
	ms := t.members(on)
	out := unknownType
	for _, m := range ms {
		v, ok := t.keyValue(m, key)
		if field := ev.recordField(m, key); !ok && field != noEnt {
			v, ok = ev.attribute(m, ev.find(m, key)), true
		}
		if !ok {
			return unknownType, false
		}
		out = t.join(out, v)
	}
	if len(c.pos) > 1 {
		out = t.join(out, c.pos[1])
	}
	return out, len(ms) > 0
}

// withPart returns the type of a container that something was put into: by a method,
// or under a key if there is none. Some methods put in what another container holds.
// Only what the tree declares is worth it.
func (ev *evaluator) withPart(on Type, method string, key, v Type) Type {
	t := ev.types
	merges := method != "" && ev.lang.dyn.merges[method]
	if merges {
		if b := ev.asClass(v, ev.classNamed("dict")); b != unknownType {
			key, v = t.arg(b, 0), t.arg(b, 1)
		} else {
			key, v = unknownType, ev.element(v, false)
		}
	}
	if method != "" && !merges && !ev.lang.dyn.fills[method] || !ev.ownPart(v) {
		return unknownType
	}
	out := unknownType
	for _, m := range t.members(on) {
		r := t.rec(m)
		if r.kind != kNamed || !ev.l.units[ev.l.unitOf(r.ent)].surface {
			continue
		}
		switch n := len(ev.mroFor(r.ent).params); {
		case n == 1 && method != "" && (!merges || key == unknownType):
			out = t.join(out, t.mk(kNamed, r.ent, 0, v))
		case n == 2 && (method == "" || merges && key != unknownType):
			out = t.join(out, t.mk(kNamed, r.ent, 0, key, v))
		}
	}
	return out
}

// ownPart reports whether a value is a function or class, or an object of a class,
// of the tree.
func (ev *evaluator) ownPart(v Type) bool {
	t := ev.types
	for _, m := range t.members(v) {
		if t.kind(m) == kMeta {
			m = t.arg(m, 0)
		}
		switch r := t.rec(m); r.kind {
		case kCallable, kNamed, kSelf:
			if !ev.l.units[ev.l.unitOf(r.ent)].surface {
				return true
			}
		}
	}
	return false
}

// generatorOf returns the function of the tree whose generator a value is, if the
// method gives a generator what it goes on with; noEnt otherwise.
func (ev *evaluator) generatorOf(on Type, method Sym) Ent {
	if !ev.lang.dyn.sends[method] {
		return noEnt
	}
	for _, m := range ev.types.members(on) {
		if r := ev.types.rec(m); r.kind == kNamed && r.n == 3 {
			if f := ev.types.rec(ev.types.arg(m, 3)); f.kind == kCallable {
				return f.ent
			}
		}
	}
	return noEnt
}

// sentTo returns the type of what the generator of a function goes on with after it
// gave something: as its result declares it, or as calls send it.
func (ev *evaluator) sentTo(e Ent) Type {
	l, t := ev.l, ev.types
	s := l.slots
	if l.decl(e).Results.Len() == 0 {
		ev.readSlot(e)
		return s.sent[e]
	}
	return t.mapUnion(s.result[e], func(m Type) Type {
		for _, g := range []Ent{ev.lang.dyn.generator, ev.lang.dyn.asyncGenerator} {
			if as := ev.asClass(m, g); as != unknownType {
				return t.arg(as, 1)
			}
		}
		return unknownType
	})
}

// shapeOf returns the type of a declared container with what its keys give, its
// declared type where nothing is known of them.
func (ev *evaluator) shapeOf(e Ent, d *facts.Decl, declared Type) Type {
	if d.Type == facts.None {
		return declared
	}
	ev.noteSlot(e)
	if x := ev.l.slots.shaped[e]; x != unknownType {
		ev.dyn.flow = true
		if ev.types.kind(x) == kNamed {
			return x
		}
	}
	return declared
}
