package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Arguments in languages whose types flow: what a call gives, which parameters get it,
// and whether it fits them.

// callArgs are the types of a call's arguments.
type callArgs struct {
	pos    []Type
	values []value // what those in pos are, if that is known
	kw     []kwArg
	spread bool // positional arguments are spread, after those in pos
	rest   Type // of each of them, if all are alike
}

type kwArg struct {
	name  Sym // 0: keywords are spread
	typ   Type
	value value
}

// argument is what a parameter gets.
type argument struct {
	typ   Type
	value value
}

// argRoom is the memory of the arguments of calls that are being evaluated.
type argRoom struct {
	pos    []Type
	values []value
	kw     []kwArg
}

// clear makes it free again. No call may be open.
func (r *argRoom) clear() { r.pos, r.values, r.kw = r.pos[:0], r.values[:0], r.kw[:0] }

// reserve returns memory for n values.
func reserve[T any](from *[]T, n int) []T {
	at := len(*from)
	if at+n > cap(*from) {
		*from, at = make([]T, 0, max(256, n)), 0 // who has some of what was there keeps it
	}
	*from = (*from)[:at+n]
	return (*from)[at : at : at+n]
}

// argsOfCall returns the types of the arguments of a call. They stay as long as the
// outermost expression that asks for them is being evaluated.
func (ev *evaluator) argsOfCall(x *facts.Expr) callArgs {
	var c callArgs
	fs := ev.f.Facts
	list := fs.List(x.Args)
	if len(list) == 0 {
		return c
	}
	room := &ev.dyn.args
	for i, a := range list {
		switch ax := &fs.Exprs[a]; ax.Op {
		case facts.OpKeyword:
			v := ev.typeOf(ax.X)
			if ax.Name == 0 {
				c.keys(ev, ax.X, v)
			}
			if c.kw == nil {
				c.kw = reserve(&room.kw, len(list)-i)
			}
			c.kw = append(c.kw, kwArg{ev.f.syms[ax.Name], v, ev.literal(ax.X)})
		case facts.OpSpread:
			c.spreads(ev, ax.X, ev.typeOf(ax.X))
		default:
			v := ev.typeOf(facts.ExprID(a))
			if !c.spread {
				if c.pos == nil {
					c.pos, c.values = reserve(&room.pos, len(list)-i), reserve(&room.values, len(list)-i)
				}
				c.pos, c.values = append(c.pos, v), append(c.values, ev.literal(facts.ExprID(a)))
			}
		}
	}
	return c
}

// spreads adds the positional arguments that a container is spread to: those of a
// tuple, and of a list that is written there, one by one, of others what all of them
// are. What takes any arguments and hands them on says nothing of each.
func (c *callArgs) spreads(ev *evaluator, at facts.ExprID, x Type) {
	t := ev.types
	switch r := t.rec(x); {
	case c.spread:
	case r.kind == kTuple:
		for _, v := range t.argsOf(x) {
			c.pos, c.values = append(c.pos, v), append(c.values, value{ent: noEnt})
		}
		return
	case ev.f.Facts.Exprs[at].Op == facts.OpComposite:
		written := ev.f.Facts.List(ev.f.Facts.Exprs[at].Args)
		if len(written) <= maxElements && !ev.anySpread(written) && ev.f.Facts.Str(ev.f.Facts.Exprs[at].Name) == "list" {
			for _, a := range written {
				c.pos, c.values = append(c.pos, ev.typeOf(facts.ExprID(a))), append(c.values, ev.literal(facts.ExprID(a)))
			}
			return
		}
	case r.kind == kNamed && r.ent != ev.lang.dyn.tuple:
		if one := ev.element(x, false); len(t.members(one)) == 1 {
			c.rest = one
		}
	}
	c.spread = true
}

func (ev *evaluator) anySpread(list []int32) bool {
	for _, a := range list {
		if op := ev.f.Facts.Exprs[a].Op; op == facts.OpSpread {
			return true
		}
	}
	return false
}

// keys adds the keywords that a dictionary is spread to, where its keys are known.
func (c *callArgs) keys(ev *evaluator, at facts.ExprID, x Type) {
	t, fs := ev.types, ev.f.Facts
	if t.hasKeys(x) {
		args := t.argsOf(x)[t.rec(x).n:]
		for i := 0; i+1 < len(args); i += 2 {
			c.kw = append(c.kw, kwArg{Sym(t.rec(args[i]).n), args[i+1], value{ent: noEnt}})
		}
		return
	}
	if fs.Exprs[at].Op != facts.OpComposite {
		return
	}
	for i, a := range fs.List(fs.Exprs[at].Args) {
		if kv := &fs.Exprs[a]; i < maxElements && kv.Op == facts.OpKeyValue && kv.Name != 0 {
			c.kw = append(c.kw, kwArg{ev.f.syms[kv.Name], ev.typeOf(kv.Y), ev.literal(kv.Y)})
		}
	}
}

// eachArgument calls f with the parameters of function e, by their positions,
// that get the arguments of a call.
func (ev *evaluator) eachArgument(e Ent, bound bool, c *callArgs, f func(param int32, a argument)) {
	l := ev.l
	d := l.decl(e)
	file := &l.files[l.entFile[e]]
	ps := file.Facts.Params[d.Params.Lo:d.Params.Hi]
	at := 0
	if bound {
		at = 1
	}
	star := -1
	for i, typ := range c.pos {
		a := argument{typ, value{ent: noEnt}}
		if i < len(c.values) {
			a.value = c.values[i]
		}
		for at < len(ps) && star < 0 && ps[at].Flags&(graph.ParamVariadic|graph.ParamKeywordOnly|graph.ParamKeywords) == 0 {
			break
		}
		if star < 0 && at < len(ps) && ps[at].Flags&graph.ParamVariadic != 0 {
			star = at
		}
		switch {
		case star >= 0:
			f(int32(star), a)
		case at < len(ps) && ps[at].Flags&(graph.ParamKeywordOnly|graph.ParamKeywords) == 0:
			f(int32(at), a)
			at++
		}
	}
	for c.rest != unknownType && star < 0 && at < len(ps) && ps[at].Flags&(graph.ParamKeywordOnly|graph.ParamKeywords|graph.ParamVariadic|graph.ParamOptional) == 0 {
		if !c.names(file.syms[ps[at].Name]) {
			f(int32(at), argument{c.rest, value{ent: noEnt}})
		}
		at++
	}
	for _, k := range c.kw {
		if k.name == 0 {
			continue
		}
		rest := -1
		for i := range ps {
			if ps[i].Flags&graph.ParamKeywords != 0 {
				rest = i
			} else if file.syms[ps[i].Name] == k.name && ps[i].Flags&(graph.ParamPositional|graph.ParamVariadic) == 0 {
				f(int32(i), argument{k.typ, k.value})
				rest = -1
				break
			}
		}
		if rest >= 0 {
			f(int32(rest), argument{k.typ, k.value})
		}
	}
}

// names reports whether a keyword gives the parameter of a name.
func (c *callArgs) names(name Sym) bool {
	for _, k := range c.kw {
		if k.name == name {
			return true
		}
	}
	return false
}

// fitsCall reports whether a call can be one of function e, by the number and
// the types of its arguments.
func (ev *evaluator) fitsCall(e Ent, bound bool, c *callArgs) bool {
	l := ev.l
	d := l.decl(e)
	fn := l.entFile[e]
	file := &l.files[fn]
	ps := file.Facts.Params[d.Params.Lo:d.Params.Hi]
	var small [16]bool
	filled := small[:]
	if len(ps) > len(small) {
		filled = make([]bool, len(ps))
	}
	n, ok := 0, true
	known := *c
	known.rest = unknownType // it may be of none
	ev.eachArgument(e, bound, &known, func(p int32, a argument) {
		n++
		filled[p] = true
		at := l.slots.base[fn] + d.Params.Lo + p
		ev.noteParam(at)
		want := l.slots.param[at]
		if want == unknownType || a.typ == unknownType || !ok {
			return
		}
		ok = ev.couldBe(a.typ, want)
	})
	if !ok || n < len(c.pos)+len(c.kw) { // keywords that are spread choose none
		return false
	}
	if c.spread || len(c.kw) > 0 && c.kw[len(c.kw)-1].name == 0 {
		return true
	}
	for i := range ps {
		if bound && i == 0 || filled[i] || ps[i].Flags&(graph.ParamOptional|graph.ParamVariadic|graph.ParamKeywords) != 0 {
			continue
		}
		return false
	}
	return true
}

// couldBe reports whether a value of type a may be where type want is asked for.
func (ev *evaluator) couldBe(a, want Type) bool {
	t := ev.types
	for _, m := range t.members(a) {
		ok := t.kind(m) == kNamed && ev.lang.dyn.form(t.rec(m).ent) == FormAny
		for _, w := range t.members(want) {
			if ok {
				break
			}
			switch t.kind(w) {
			case kNamed:
				c := t.rec(w).ent
				if ev.lang.dyn.form(c) == FormAny {
					ok = true
					break
				}
				switch t.kind(m) {
				case kNamed, kSelf, kTuple:
					ok = ok || ev.asClass(m, c) != unknownType || ev.mroOpen(m) || ev.protocol(c)
				case kMeta:
					ok = ok || c == ev.lang.dyn.typ || c == ev.lang.dyn.object || ev.protocol(c)
				case kCallable, kFunc:
					ok = ok || c == ev.lang.dyn.object || ev.protocol(c)
				default:
					ok = true
				}
			case kMeta:
				mk := t.kind(m)
				ok = ok || mk == kMeta || mk == kExtern || mk == kUnknown
			case kFunc:
				mk := t.kind(m)
				ok = ok || mk == kCallable || mk == kFunc || mk == kMeta || mk == kExtern || (mk == kNamed || mk == kSelf) && ev.find(m, ev.lang.dyn.call).ent != noEnt
			case kTuple:
				ok = ok || t.kind(m) == kTuple || t.kind(m) == kNamed && t.rec(m).ent == ev.lang.dyn.tuple
			default:
				ok = true
			}
			if m == ev.lang.tNull {
				k := t.kind(w)
				ok = w == m || k == kParam || ok && (k != kNamed || ev.lang.dyn.form(t.rec(w).ent) == FormAny)
			}
		}
		if ok {
			return true
		}
	}
	return len(t.members(a)) == 0
}

func (ev *evaluator) mroOpen(x Type) bool {
	c, _ := ev.classOf(ev.objectType(x))
	return c != noEnt && ev.mroFor(c).open
}

// protocol reports whether a class is abstract in such a way that others are of
// it without naming it.
func (ev *evaluator) protocol(c Ent) bool { return ev.l.decl(c).Flags.Has(graph.FlagAbstract) }
