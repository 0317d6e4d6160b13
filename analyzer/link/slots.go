package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Inferred slots: the types of variables, attributes, parameters and results
// that are not declared. A slot has the union of the types of what flows into
// it: what is assigned, passed by calls in the tree, returned, yielded.
//
// Slots are inferred in rounds. A round evaluates the bodies of files, in their
// order, and joins what flows out of each into the slots; the next round evaluates
// the functions that read a slot that changed behind them. Joining only adds members,
// and a union has few of them, so that there is an end. The declarations of
// libraries, which nothing flows into from the tree, come first.
//
// What reads slots is a reader: a function that no other encloses, or what is in a
// file beside these. In the types of its expressions it depends on nothing but the
// slots and its own expressions. A file of which that is not so is one reader.

// slots are the inferred and declared types of one graph, by Ent or, for
// parameters, by base of the file + position in its Params.
type slots struct {
	base      []int32 // by file
	param     []Type
	values    map[int32][]value // of parameters: the values that they ask for, where these tell signatures apart
	result    []Type            // what is returned
	yield     []Type            // what is yielded
	sent      []Type            // what a generator goes on with
	shaped    []Type            // of declared containers: with what their keys give
	decorated []Type            // what decorators have put in the place of a function or class
	generator []bool            // it yields
	meta      []Type            // of classes: their class
	mro       []*mroOf
	protocols map[Ent]bool // classes that values fit by their members
	readers   []int32      // by slot: its last reader in reads; 0
	reads     []slotRead
	functions []functionReaders // by file
	fileOf    []int32           // by number of a reader that is a function, less the number of files
	last      []evaluated       // by file: its last evaluation, if that still holds
}

// maxSlotRounds bounds the rounds: the length of the longest chain of
// declarations, each inferred from the next, that is followed across files.
const maxSlotRounds = 10

// maxSlotDepth bounds the nesting of an inferred type: containers that are put
// into themselves would grow with every round.
const maxSlotDepth = 6

// Slots are counted for who reads them: those of an entity together, then the
// parameters.
func (s *slots) ofEnt(e Ent) int32 { return int32(e) }

func (s *slots) ofParam(at int32) int32 { return int32(len(s.result)) + at }

// addition is a type that flows into a slot.
type addition struct {
	slot *Type
	key  int32 // of the slot, for its readers
	typ  Type
}

// inferSlots runs the rounds.
func (l *linker) inferSlots(ev *evaluator) {
	if l.slots == nil {
		return
	}
	var library, tree []int32
	l.eachFile(func(fn int32) {
		switch {
		case l.files[fn].Rules.Dynamic == nil:
		case l.units[l.files[fn].unit].surface:
			library = append(library, fn)
		default:
			tree = append(tree, fn)
		}
	})
	ev.dyn.track = true
	l.slotRounds(library, func(fn int32, late []bool, list []addition) []addition { return l.collectLibrary(ev, fn, list) }, nil)
	l.slots.last = make([]evaluated, len(l.files))
	l.findReaders(tree)
	l.slotRounds(tree, func(fn int32, late []bool, list []addition) []addition {
		list = l.collectSlots(ev, fn, late, list)
		l.slots.last[fn].keep(ev)
		return list
	}, l.injectedParams())
	ev.dyn.track = false
	l.slots.readers, l.slots.reads = nil, nil
	l.known = &ev.dyn
}

// slotRounds runs rounds of files: collect returns the list with what flows from
// those readers in one that are late into slots. What is injected flows at the end of
// each round.
func (l *linker) slotRounds(files []int32, collect func(fn int32, late []bool, list []addition) []addition, given []injected) {
	late := late{make([]bool, len(l.files)), make([]bool, len(l.files)+len(l.slots.fileOf))}
	for _, fn := range files {
		late.files[fn] = true
	}
	for i := range late.readers {
		late.readers[i] = true
	}
	var list []addition
	changed := false
	join := func() {
		for _, a := range list {
			t := l.types.join(*a.slot, a.typ)
			if t == *a.slot {
				continue
			}
			if int(l.types.rec(t).depth) > maxSlotDepth {
				t = l.types.wide()
			}
			if t == *a.slot {
				continue
			}
			*a.slot, changed = t, true
			l.slots.changed(a.key, late)
		}
		list = list[:0]
	}
	for range maxSlotRounds {
		changed = false
		for _, fn := range files {
			if late.files[fn] {
				late.files[fn] = false
				list = collect(fn, late.readers, list)
				join()
			}
		}
		for _, g := range given {
			t := l.slots.result[g.by]
			if l.slots.generator[g.by] && l.decl(g.by).Results.Len() == 0 {
				t = l.slots.yield[g.by]
			}
			list = append(list, addition{g.slot, g.key, t})
		}
		if join(); !changed {
			break
		}
	}
	for fn, again := range late.files {
		if again && l.slots.last != nil {
			l.slots.last[fn] = evaluated{}
		}
	}
}

// evaluated is what evaluating a file has found, by expression and by local.
type evaluated struct {
	typ    []Type
	ref    []Ent
	flowed []bool
	local  []Type
	prev   []Type
	lstat  []uint8
	lflow  []bool
}

// keep takes over what an evaluator has found in the file that it has open.
func (v *evaluated) keep(ev *evaluator) {
	v.typ, v.ref = append(v.typ[:0], ev.typ...), append(v.ref[:0], ev.ref...)
	v.flowed = append(v.flowed[:0], ev.dyn.flowed...)
	v.local, v.prev = append(v.local[:0], ev.local...), append(v.prev[:0], ev.dyn.prev...)
	v.lstat, v.lflow = append(v.lstat[:0], ev.lstat...), append(v.lflow[:0], ev.dyn.lflow...)
}

// restore makes it what an evaluator that has just opened the file has found.
func (v *evaluated) restore(ev *evaluator) {
	copy(ev.typ, v.typ)
	copy(ev.ref, v.ref)
	copy(ev.dyn.flowed, v.flowed)
	copy(ev.local, v.local)
	copy(ev.dyn.prev, v.prev)
	copy(ev.lstat, v.lstat)
	copy(ev.dyn.lflow, v.lflow)
	for i := range ev.state {
		ev.state[i] = evalDone
	}
}

// injected is a parameter that gets what a function returns without a call in
// the tree.
type injected struct {
	slot *Type
	key  int32
	by   Ent
}

// injectedParams finds the parameters that directives name to which functions
// are injected.
func (l *linker) injectedParams() []injected {
	var list []injected
	for _, s := range l.langs {
		if s.dyn == nil {
			continue
		}
		for _, r := range l.references(s) {
			if r.Kind != graph.EdgeInjects {
				continue
			}
			fn := l.fileOf[s.files[r.File]]
			f := &l.files[fn]
			from, to := l.lookup(f.unit, r.From), l.lookup(s.firstUnit+int32(r.Unit), r.To)
			name := f.Facts.Directives[r.Directive].Value
			if from == noEnt || to == noEnt || name == 0 || l.entFile[from] != fn || !l.decl(to).Kind.IsCallable() {
				continue
			}
			d := l.decl(from)
			for j := d.Params.Lo; j < d.Params.Hi; j++ {
				if p := &f.Facts.Params[j]; p.Name == name && p.Type == facts.None {
					at := l.slots.base[fn] + j
					list = append(list, injected{&l.slots.param[at], l.slots.ofParam(at), to})
				}
			}
		}
	}
	return list
}

// collectLibrary collects what flows into the variables of a library's module:
// their values.
func (l *linker) collectLibrary(ev *evaluator, fn int32, list []addition) []addition {
	ev.open(fn)
	f := &l.files[fn]
	for i := range f.Facts.Decls {
		d := &f.Facts.Decls[i]
		e := f.base + Ent(i)
		if d.Kind.IsType() || d.Kind.IsCallable() || d.Type != facts.None || d.Value == facts.None || l.typ[e] != unknownType || f.dead(i) {
			continue
		}
		if t := ev.typeOf(d.Value); t != unknownType {
			list = append(list, addition{&l.typ[e], l.slots.ofEnt(e), t})
		}
	}
	return list
}

// collectSlots evaluates what is late in a file and collects what flows from that into
// slots.
func (l *linker) collectSlots(ev *evaluator, fn int32, late []bool, list []addition) []addition {
	readers := ev.evaluateLate(fn, late)
	f, s, t := &l.files[fn], l.slots, l.types
	fs := f.Facts
	open := func(file int32, typ Type) bool {
		return typ != unknownType && !l.units[l.files[file].unit].surface
	}
	add := func(of []Type, e Ent, typ Type) {
		if open(l.entFile[e], typ) {
			list = append(list, addition{&of[e], s.ofEnt(e), typ})
		}
	}
	addParam := func(file, p int32, typ Type) {
		if at := s.base[file] + p; open(file, typ) {
			list = append(list, addition{&s.param[at], s.ofParam(at), typ})
		}
	}
	value := func(e Ent, typ Type) {
		d := l.decl(e)
		if d.Type != facts.None && t.hasKeys(typ) && (d.Kind == graph.KindField || d.Kind == graph.KindVariable || d.Kind == graph.KindConstant) {
			add(s.shaped, e, ev.shapedAs(l.typ[e], typ))
		}
		if d.Type == facts.None && !d.Kind.IsCallable() && !d.Kind.IsType() && (d.Kind == graph.KindField || d.Kind == graph.KindVariable || d.Kind == graph.KindConstant) {
			if l.types.kind(l.typ[e]) == kMeta && l.types.kind(l.types.arg(l.typ[e], 0)) == kParam {
				return // a type parameter
			}
			add(l.typ, e, typ)
		}
	}
	param := func(e Ent, p int32, typ Type) {
		d := l.decl(e)
		file := l.entFile[e]
		at := d.Params.Lo + p
		if l.files[file].Facts.Params[at].Type == facts.None {
			addParam(file, at, ev.unbound(typ))
		}
	}
	for i := range fs.Flows {
		fl := &fs.Flows[i]
		if fl.From < 0 || readers[fl.From] == 0 {
			continue
		}
		ev.dyn.reader = readers[fl.From] - 1
		typ := ev.typeOf(fl.From)
		switch fl.Kind {
		case facts.FlowReturn:
			if e := f.base + Ent(fl.To); fs.Decls[fl.To].Results.Len() == 0 {
				add(s.result, e, typ)
			}
		case facts.FlowYield:
			add(s.yield, f.base+Ent(fl.To), typ)
		case facts.FlowDefine:
			value(f.base+Ent(fl.N), typ)
		case facts.FlowBind:
			if p := ev.dyn.param[fl.N]; p >= 0 && fs.Params[p].Type == facts.None && fs.Locals[fl.N].Value == facts.None {
				addParam(fn, p, typ)
			}
		case facts.FlowAssign:
			if fl.To >= 0 && fs.Exprs[fl.To].Op == facts.OpIndex {
				if at := fs.Exprs[fl.To].X; at >= 0 {
					key := unknownType
					if args := fs.List(fs.Exprs[fl.To].Args); len(args) > 0 {
						key = ev.typeOf(facts.ExprID(args[0]))
					}
					if ref := ev.refOf(at); ref != noEnt {
						value(ref, ev.unbound(ev.withPart(ev.typ[at], "", key, typ)))
					}
				}
			}
			if fl.To >= 0 && fs.Exprs[fl.To].Op == facts.OpSelect {
				if ref := ev.refOf(facts.ExprID(fl.To)); ref != noEnt {
					value(ref, ev.unbound(typ))
				}
			}
		}
	}
	for e := range fs.Exprs {
		x := &fs.Exprs[e]
		if x.Op != facts.OpCall || x.X < 0 || readers[e] == 0 {
			continue
		}
		ev.dyn.reader = readers[e] - 1
		ev.dyn.args.clear()
		if at := &fs.Exprs[x.X]; at.Op == facts.OpSelect && at.X >= 0 {
			if args := fs.List(x.Args); len(args) > 0 {
				last := ev.typeOf(facts.ExprID(args[len(args)-1]))
				name := f.syms[at.Name]
				if fs.Exprs[args[len(args)-1]].Op == facts.OpKeyword && ev.lang.dyn.merges[fs.Str(at.Name)] {
					last = unknownType // its name is the key
				}
				if by := ev.generatorOf(ev.typ[at.X], name); by != noEnt {
					add(s.sent, by, ev.unbound(last))
				} else if ref := ev.refOf(at.X); ref != noEnt {
					value(ref, ev.unbound(ev.withPart(ev.typ[at.X], fs.Str(at.Name), unknownType, last)))
				}
			}
		}
		ct := ev.typ[x.X]
		if ct == unknownType || t.isWide(ct) {
			continue
		}
		var c callArgs
		ready := false
		for _, m := range t.members(ct) {
			target, bound := ev.callableOf(m)
			if target == noEnt {
				continue
			}
			if !ready {
				c, ready = ev.argsOfCall(x), true
			}
			ev.eachArgument(target, bound, &c, func(p int32, a argument) { param(target, p, a.typ) })
			says := target // whose parameters say what is called with what
			var few [4]Ent
			if list := l.overloads(target, few[:0]); len(list) > 1 {
				if list = ev.chosen(list, bound, &c); len(list) > 0 {
					says = list[0]
				}
			}
			ev.callbacks(says, bound, &c, t.kind(m) == kCallable && t.rec(m).n == 1, m, param)
		}
	}
	for i := range fs.Decls {
		d := &fs.Decls[i]
		if d.Marks.Len() == 0 || !d.Kind.IsCallable() && !d.Kind.IsType() {
			continue
		}
		reader := readers[fs.Lists[d.Marks.Lo]]
		if reader == 0 {
			continue
		}
		ev.dyn.reader = reader - 1
		e := f.base + Ent(i)
		own := callArgs{pos: []Type{t.mk(kCallable, e, 0)}}
		if d.Kind.IsType() {
			own.pos[0] = l.typ[e]
		}
		for _, m := range fs.Lists[d.Marks.Lo:d.Marks.Hi] {
			if at := fs.Exprs[m].X; at >= 0 {
				for _, by := range t.members(ev.typeOf(at)) {
					if target, bound := ev.callableOf(by); target != noEnt && t.kind(by) != kMeta {
						ev.eachArgument(target, bound, &own, func(p int32, a argument) { param(target, p, a.typ) })
					}
				}
			}
		}
		if d.Traits&facts.TraitReplaced == 0 || !d.Kind.IsCallable() {
			continue
		}
		for _, m := range fs.Lists[d.Marks.Lo:d.Marks.Hi] {
			// A decorator that is told for which class a function is.
			at := fs.Exprs[m].X
			if at < 0 || fs.Exprs[at].Op != facts.OpCall || fs.Exprs[at].X < 0 || ev.dispatcher(fs.Exprs[at].X) == noEnt {
				continue
			}
			first := int32(0)
			if d.Kind == graph.KindMethod && !d.Flags.Has(graph.FlagStatic) {
				first = 1
			}
			if args := fs.List(fs.Exprs[at].Args); len(args) > 0 && int(first) < d.Params.Len() {
				param(e, first, ev.typeExpr2(facts.ExprID(args[0])))
			}
		}
		if by := ev.decoratedBy(e, d); by != unknownType {
			add(s.decorated, e, by)
		}
	}
	return list
}

// callableOf returns the function of the tree, or of a library, that calling a
// value runs, and whether its first parameter is given.
func (ev *evaluator) callableOf(m Type) (Ent, bool) {
	t := ev.types
	r := t.rec(m)
	switch r.kind {
	case kCallable:
		return r.ent, r.n == 1
	case kMeta:
		if c, _ := ev.classOf(t.arg(m, 0)); c != noEnt {
			if e, _ := ev.constructor(c); e != noEnt {
				return e, true
			}
		}
	case kNamed, kSelf:
		if h := ev.find(m, ev.lang.dyn.call); h.ent != noEnt && ev.l.decl(h.ent).Kind.IsCallable() {
			return h.ent, true
		}
	}
	return noEnt, false
}

// callbacks gives the parameters of functions that are passed to a function the
// types that it declares to call them with.
func (ev *evaluator) callbacks(target Ent, bound bool, c *callArgs, method bool, m Type, param func(Ent, int32, Type)) {
	l, t := ev.l, ev.types
	d := l.decl(target)
	fn := l.entFile[target]
	var b *binder
	ev.eachArgument(target, bound, c, func(p int32, arg argument) {
		a := arg.typ
		at := l.slots.base[fn] + d.Params.Lo + p
		ev.noteParam(at)
		for _, w := range t.members(l.slots.param[at]) {
			if t.kind(w) != kFunc || t.rec(w).isVariadic() {
				continue
			}
			for _, g := range t.members(a) {
				if t.kind(g) != kCallable || l.units[l.unitOf(t.rec(g).ent)].surface {
					continue
				}
				if b == nil {
					b = &binder{ev: ev}
					self := unknownType
					if method {
						self = t.arg(m, 0)
						if as := ev.ownerAs(target, self); t.kind(as) == kNamed {
							b.params = append(b.params, ev.mroFor(t.rec(as).ent).params...)
							b.args = append(b.args, t.argsOf(as)...)
							for len(b.args) < len(b.params) {
								b.args = append(b.args, unknownType)
							}
							b.fixed = len(b.params)
						}
					}
					b.arguments(target, bound, self, c)
				}
				full := t.replace(w, b.params, b.args, unknownType)
				if t.kind(full) != kFunc {
					continue
				}
				pos := &callArgs{pos: t.argsOf(full)[:t.rec(full).funcParams()]}
				ent := t.rec(g).ent
				ev.eachArgument(ent, t.rec(g).n == 1, pos, func(p int32, a argument) { param(ent, p, a.typ) })
			}
		}
	})
}

// unbound returns a type as code outside of a class sees it.
func (ev *evaluator) unbound(x Type) Type {
	t := ev.types
	if !t.rec(x).params {
		return x
	}
	switch t.kind(x) {
	case kSelf:
		if m := ev.mroFor(t.rec(x).ent); len(m.params) > 0 {
			return t.intern(kNamed, t.rec(x).ent, 0, make([]Type, len(m.params)))
		}
		return t.mk(kNamed, t.rec(x).ent, 0)
	case kParam:
		return ev.objectOr(x)
	}
	old := t.argsOf(x)
	fresh := make([]Type, len(old))
	for i, a := range old {
		fresh[i] = ev.unbound(a)
	}
	r := *t.rec(x)
	if r.kind == kUnion && r.n == unionOfValues {
		return t.union(fresh)
	}
	if r.kind == kMeta {
		return t.meta(fresh[0])
	}
	return t.intern(r.kind, r.ent, r.n, fresh)
}

func (ev *evaluator) objectOr(x Type) Type {
	if o := ev.objectType(x); o != x {
		return o
	}
	return unknownType
}

// decoratedBy returns what decorators put in the place of a function, unknown
// where that is a function around it: then its own shape says more.
func (ev *evaluator) decoratedBy(e Ent, d *facts.Decl) Type {
	t := ev.types
	fs := ev.f.Facts
	cur := t.mk(kCallable, e, 0)
	own := cur
	marks := fs.Lists[d.Marks.Lo:d.Marks.Hi]
	for i := len(marks) - 1; i >= 0; i-- {
		m := &fs.Exprs[marks[i]]
		if m.X < 0 {
			continue
		}
		mt := ev.typeOf(m.X)
		next := t.mapUnion(mt, func(f Type) Type { return ev.called(f, &callArgs{pos: []Type{cur}}) })
		switch t.kind(next) {
		case kNamed, kFunc, kMeta:
			cur = next
		case kCallable:
			// Another function, which says what it gives.
			to := t.rec(next).ent
			if next == cur || ev.l.decl(to).Results.Len() == 0 || ev.l.units[ev.l.unitOf(to)].surface {
				continue
			}
			if r := ev.resultAs(to); r != unknownType && !t.rec(r).params {
				cur = t.mk(kFunc, noEnt, funcShape(1, true), unknownType, r)
			}
		}
	}
	if cur == own {
		return unknownType
	}
	return ev.unbound(cur)
}
