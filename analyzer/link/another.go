package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// What a call would mean if the callable that it means were gone.

// another reports whether a call would mean another callable of the name then: one
// that surely takes the arguments, whose result is alike or not used. Beside the
// other overloads this may be what the callable overrides.
func (ev *evaluator) another(res *resolution, name Sym, args []int32, used bool) bool {
	if res.among != nil {
		for _, m := range res.among.list {
			if ev.replaces(m, res, args, used) {
				return true
			}
		}
	}
	if !ev.l.overriding[ev.l.canon[res.ent]] || res.recv == unknownType {
		return false
	}
	plain := ev.isPlainClass(res.recv)
	for _, m := range ev.overriddenBy(res, name) {
		if !ev.replaces(m, res, args, used) {
			continue
		}
		if ev.l.decl(m.ent).Flags.Has(graph.FlagAbstract) {
			owner := ev.l.container(m.ent)
			if res.super || plain && ev.l.isInterface(owner) && !ev.hasDefaults(owner) {
				continue // it cannot run, or is not looked up
			}
		}
		return true
	}
	return false
}

// replaces reports whether m can stand for the callable that a call means.
func (ev *evaluator) replaces(m member, res *resolution, args []int32, used bool) bool {
	if m.ent == res.ent || !ev.arity(m.typ, len(args)) || !ev.sees(m.ent) {
		return false
	}
	if used && ev.l.decl(m.ent).Kind != graph.KindConstructor && !ev.alike(ev.resultOf(res.typ), ev.resultOf(m.typ), 0) {
		return false
	}
	for phase := range 3 {
		if ev.applicable(m.typ, args, phase) == yes {
			return true
		}
	}
	return false
}

// overriddenBy returns the methods above the one that a call means, on the
// receiver's type, which it overrides.
func (ev *evaluator) overriddenBy(res *resolution, name Sym) (out []member) {
	t := ev.types
	own := member{ent: res.ent, typ: res.typ}
	ev.eachSuper(res.recv, func(y Type) bool {
		if r := *t.rec(y); r.kind == kNamed || r.kind == kAnon {
			ev.eachMember(r.ent, name, func(e Ent) {
				if e == res.ent || ev.l.decl(e).Kind != graph.KindMethod || len(out) >= maxCandidates {
					return
				}
				if m := (member{ent: e, typ: t.subst(ev.l.typ[e], r.ent, t.argsOf(y))}); ev.sameParams(own, m) {
					out = append(out, m)
				}
			})
		}
		return true
	})
	return out
}

// isPlainClass reports whether a type is a class that is not abstract: of its
// interfaces a call looks only into those that have methods with a body.
func (ev *evaluator) isPlainClass(x Type) bool {
	r := ev.types.rec(x)
	if r.kind != kNamed {
		return false
	}
	d := ev.l.decl(r.ent)
	return (d.Kind == graph.KindClass || d.Kind == graph.KindRecord) && !d.Flags.Has(graph.FlagAbstract)
}

// hasDefaults reports whether an interface has methods with a body.
func (ev *evaluator) hasDefaults(iface Ent) bool {
	f := &ev.l.files[ev.l.entFile[iface]]
	at := facts.DeclID(iface - f.base)
	for i := int(at) + 1; i < len(f.Facts.Decls) && f.Facts.Decls[i].Parent >= at; i++ {
		if d := &f.Facts.Decls[i]; d.Parent == at && d.Kind == graph.KindMethod && !d.Flags.Has(graph.FlagAbstract) && !d.Flags.Has(graph.FlagStatic) {
			return true
		}
	}
	return false
}

// alike reports whether two types are the same but for type arguments of which
// nothing is known.
func (ev *evaluator) alike(a, b Type, depth int) bool {
	t := ev.types
	if a == b {
		return true
	}
	if depth > 8 || ev.erased(a, 0) != ev.erased(b, 0) || t.kind(a) != t.kind(b) {
		return false
	}
	as, bs := t.argsOf(a), t.argsOf(b)
	if len(as) != len(bs) {
		return len(as) == 0 || len(bs) == 0
	}
	for i := range as {
		open := func(x Type) bool { return x == unknownType || t.kind(x) == kParam || x == ev.lang.cls.root }
		if !open(as[i]) && !open(bs[i]) && !ev.alike(as[i], bs[i], depth+1) {
			return false
		}
	}
	return true
}
