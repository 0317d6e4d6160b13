package link

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Signals are how libraries of a language whose types flow tell functions of
// something that happened, which no call shows: a signal is a value that functions
// are connected to, and that is sent.
type Signals struct {
	// Hear are the methods of a signal that are given who hears of it, Tell those
	// that send it. As decorators, Hear and By are given it by what they decorate; By
	// are functions, and the signals are their first argument.
	Hear, Tell, By []string
}

// signalEvent is the event of all emissions of signals: there is only one.
const signalEvent = 1

// signalCall notes a call that sends a signal, or says who hears of one. Signals
// that the tree declares are joined with who sends them; others are sent from
// outside.
func (r *bodyReader) signalCall(e facts.ExprID, x, callee *facts.Expr) {
	rules := r.ev.lang.dyn.Signals
	if rules == nil || callee.Op != facts.OpSelect || callee.X < 0 || callee.Line == 0 {
		return
	}
	name := r.f.Facts.Str(callee.Name)
	args := r.f.Facts.List(x.Args)
	switch {
	case slices.Contains(rules.Tell, name):
		if of := r.signal(callee.X); of != noEnt {
			r.told = append(r.told, emission{of: of, event: signalEvent, node: r.owner[e], test: r.f.place.Test, site: r.site(callee.Line, callee.Col)})
		}
	case slices.Contains(rules.Hear, name) && len(args) > 0:
		given := facts.ExprID(args[0])
		if a := &r.f.Facts.Exprs[given]; a.Op == facts.OpKeyword {
			given = a.X
		}
		if ref := r.ev.ref[given]; ref != noEnt && r.l.decl(ref).Kind.IsCallable() {
			r.hears(callee.X, r.target(ref))
		}
	}
}

// hears notes that a function hears of the signal at.
func (r *bodyReader) hears(at facts.ExprID, node graph.ID) {
	if node == graph.None {
		return
	}
	if of := r.signal(at); of != noEnt {
		r.heard = append(r.heard, emission{of: of, event: signalEvent, node: node, test: r.f.place.Test})
	} else if r.ev.types.kind(r.ev.typ[at]) == kExtern {
		r.outside = append(r.outside, node)
	}
}

// heardBy notes that a decorator, the expression at with arguments if it is called,
// makes a function hear of signals.
func (r *bodyReader) heardBy(at facts.ExprID, args []int32, node graph.ID) {
	rules := r.ev.lang.dyn.Signals
	if rules == nil || node == graph.None {
		return
	}
	x := &r.f.Facts.Exprs[at]
	name := r.f.Facts.Str(x.Name)
	switch {
	case x.Op == facts.OpSelect && x.X >= 0 && slices.Contains(rules.Hear, name):
		r.hears(x.X, node)
	case slices.Contains(rules.By, name) && len(args) > 0:
		list := args[:1]
		if c := &r.f.Facts.Exprs[args[0]]; c.Op == facts.OpComposite {
			list = r.f.Facts.List(c.Args)
		}
		for _, a := range list {
			r.hears(facts.ExprID(a), node)
		}
	}
}

// signal returns the variable of the tree that holds a signal; noEnt if it is none,
// or one of which the tree says what it is.
func (r *bodyReader) signal(e facts.ExprID) Ent {
	ref := r.ev.ref[e]
	if ref == noEnt || !isValue(r.l.decl(ref).Kind) || r.l.nodeOf[r.l.canon[ref]] == graph.None {
		return noEnt
	}
	for _, m := range r.ev.types.members(r.ev.typ[e]) {
		if k := r.ev.types.kind(m); k != kExtern {
			return noEnt
		}
	}
	return r.l.canon[ref]
}

// Managers are how a library of a language whose types flow gives the classes that
// extend one of its own an object that finds their objects.
type Managers struct {
	// Bases are the classes, by their full names, whose subclasses have a manager
	// in the attribute Name, unless they declare another one.
	Bases []string
	Name  string
	// One are the methods that give an object, Pairs those that give one and
	// whether it is new, Same those that give what has the methods again.
	One, Pairs, Same []string
}

// managed returns the manager that class m has from a library, unknown if name is
// none. Its type is external, with the class as its argument.
func (ev *evaluator) managed(m Type, name Sym) Type {
	dyn := ev.lang.dyn
	t := ev.types
	if dyn.manager == 0 || name != dyn.manager || t.kind(m) != kMeta {
		return unknownType
	}
	c, _ := ev.classOf(t.arg(m, 0))
	if c == noEnt {
		return unknownType
	}
	for _, y := range ev.mroFor(c).types {
		for _, b := range ev.l.basesOf(t.rec(y).ent) {
			if r := t.rec(b); r.kind == kExtern && dyn.managedBases[ev.l.symString(Sym(r.ent))+"."+ev.l.symString(Sym(r.n))] {
				ev.dyn.flow = true
				return t.mk(kExtern, r.ent, int32(name), t.arg(m, 0))
			}
		}
	}
	return unknownType
}

// managerMethod returns the type of a method of a manager, a function.
func (ev *evaluator) managerMethod(m Type, name Sym) Type {
	t := ev.types
	dyn := ev.lang.dyn
	r := *t.rec(m)
	if r.kind != kExtern || dyn.manager == 0 || r.n != int32(dyn.manager) || r.hi == r.lo {
		return unknownType
	}
	ev.dyn.flow = true
	give := m
	switch s := ev.l.symString(name); {
	case slices.Contains(dyn.Managers.One, s):
		give = t.arg(m, 0)
	case slices.Contains(dyn.Managers.Pairs, s):
		give = t.mk(kTuple, noEnt, 0, t.arg(m, 0), ev.lang.tBool)
	case !slices.Contains(dyn.Managers.Same, s):
		return unknownType
	}
	return t.intern(kFunc, noEnt, funcShape(1, true), []Type{unknownType, give})
}

// managedItem returns what a loop over a manager, or over what it found, gives.
func (ev *evaluator) managedItem(m Type) Type {
	t := ev.types
	if r := t.rec(m); r.kind == kExtern && ev.lang.dyn.manager != 0 && r.n == int32(ev.lang.dyn.manager) && r.hi > r.lo {
		return t.arg(m, 0)
	}
	return unknownType
}

// dottedBase returns the external class that a base x names which is selected on
// something external; unknown for others.
func (ev *evaluator) dottedBase(x *facts.Expr) Type {
	if x.Op != facts.OpSelect || x.X < 0 {
		return unknownType
	}
	t := ev.types
	r := *t.rec(ev.typeOf(x.X))
	if r.kind != kExtern || r.hi > r.lo {
		return unknownType
	}
	path := strings.TrimSuffix(ev.l.symString(Sym(r.ent))+"."+ev.l.symString(Sym(r.n)), ".")
	return t.mk(kExtern, Ent(ev.l.sym(path)), int32(ev.f.syms[x.Name]))
}
