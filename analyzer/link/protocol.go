package link

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Protocols: classes that values fit by their members, whatever class they are of
// (PEP 544, structural subtyping).

func (s *slots) setProtocol(e Ent, is bool) {
	switch {
	case !is:
		delete(s.protocols, e)
	case s.protocols == nil:
		s.protocols = map[Ent]bool{e: true}
	default:
		s.protocols[e] = true
	}
}

// protocol is what a class asks of the values that fit it.
type protocol struct {
	class Ent
	asked []Ent        // a member of each name, the rarest first
	fits  map[Ent]bool // by class, as far as that is known
}

// implementProtocols adds the implements edges of the classes of the tree that fit
// one of its protocols and do not name it: class to protocol, method to method. A
// class below one that fits has no edge of its own. Compared are the classes that
// declare one of the members that are asked for; how many members that may be, of all
// together, is bounded.
func (l *linker) implementProtocols() {
	if l.slots == nil || len(l.slots.protocols) == 0 {
		return
	}
	var list []protocol
	declaring := map[Sym][]Ent{}
	for e := range l.slots.protocols {
		if l.nodeOf[e] == graph.None || l.units[l.unitOf(e)].surface {
			continue
		}
		if p := (protocol{class: e, asked: l.askedBy(e), fits: map[Ent]bool{}}); len(p.asked) > 0 {
			list = append(list, p)
			for _, m := range p.asked {
				declaring[l.symOf(m, l.decl(m).Name)] = nil
			}
		}
	}
	if len(list) == 0 {
		return
	}
	slices.SortFunc(list, func(x, y protocol) int { return int(x.class - y.class) })
	classes := l.declaringClasses(declaring)
	ev := l.newEvaluator(l.types)
	near, budget, over := l.neighbours(), pairBudget(classes), int32(0)
	var candidates []Ent
	for i := range list {
		p := &list[i]
		slices.SortStableFunc(p.asked, func(x, y Ent) int {
			return len(declaring[l.symOf(x, l.decl(x).Name)]) - len(declaring[l.symOf(y, l.decl(y).Name)])
		})
		n := 0
		for _, m := range p.asked {
			n += len(declaring[l.symOf(m, l.decl(m).Name)])
		}
		if n > budget {
			over++
			continue
		}
		budget -= n
		candidates = candidates[:0]
		for _, m := range p.asked {
			candidates = append(candidates, declaring[l.symOf(m, l.decl(m).Name)]...)
		}
		slices.Sort(candidates)
		for _, c := range slices.Compact(candidates) {
			if budget -= len(p.asked); budget < 0 {
				over++
				break
			}
			if near.meet(c, p.class) && l.fitsProtocol(ev, p, c) && !slices.ContainsFunc(l.slots.mro[c].above(), func(y Type) bool {
				return l.fitsProtocol(ev, p, l.types.rec(y).ent)
			}) {
				l.implementProtocol(p, c)
			}
		}
	}
	l.overPairs(over + near.over)
}

// askedBy returns a member of each name that values of a protocol have to have;
// none if not all of them are known, or if every object has them.
func (l *linker) askedBy(class Ent) (asked []Ent) {
	m := l.slots.mro[class]
	if m == nil || m.open {
		return nil
	}
	dyn := l.langOf(class).dyn
	seen := map[Sym]bool{}
	for _, y := range m.types {
		in := l.types.rec(y).ent
		if in == dyn.object {
			continue
		}
		f := &l.files[l.entFile[in]]
		at := facts.DeclID(in - f.base)
		for i := int(at) + 1; i < len(f.Facts.Decls) && f.Facts.Decls[i].Parent >= at; i++ {
			d := &f.Facts.Decls[i]
			if d.Parent != at || d.Name == 0 || d.Traits&facts.TraitLiteral != 0 {
				continue
			}
			name := f.syms[d.Name]
			if seen[name] || dyn.object != noEnt && Ent(l.members.get(int32(dyn.object), name)) != noEnt || slices.Contains(dyn.Unasked, f.Facts.Str(d.Name)) {
				continue
			}
			seen[name] = true
			asked = append(asked, Ent(l.members.get(int32(in), name)))
		}
	}
	return asked
}

// declaringClasses finds the classes of the tree that declare members of the names
// that of has, and returns how many classes there are.
func (l *linker) declaringClasses(of map[Sym][]Ent) (classes int) {
	for _, f := range l.ownFiles() {
		if f.Rules.Dynamic == nil {
			continue
		}
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			if d.Kind.IsType() {
				classes++
			}
			if d.Parent == facts.None || d.Name == 0 || !f.Facts.Decls[d.Parent].Kind.IsType() {
				continue
			}
			c := f.base + Ent(d.Parent)
			if list, asked := of[f.syms[d.Name]]; asked && l.nodeOf[c] != graph.None && l.slots.mro[c] != nil && (len(list) == 0 || list[len(list)-1] != c) {
				of[f.syms[d.Name]] = append(list, c)
			}
		}
	}
	return classes
}

// has returns the member of a name that values of a class have; noEnt if there is
// none that is known.
func (l *linker) has(class Ent, name Sym) Ent {
	m := l.slots.mro[class]
	if m == nil {
		return noEnt
	}
	for _, y := range m.types {
		if e := Ent(l.members.get(int32(l.types.rec(y).ent), name)); e != noEnt {
			return e
		}
	}
	return noEnt
}

// fitsProtocol reports whether values of a class are known to have what a protocol,
// which is not above the class, asks for.
func (l *linker) fitsProtocol(ev *evaluator, p *protocol, class Ent) (fits bool) {
	if fits, known := p.fits[class]; known {
		return fits
	}
	defer func() { p.fits[class] = fits }()
	m := l.slots.mro[class]
	if m == nil || l.slots.protocols[class] || l.langOf(class) != l.langOf(p.class) || slices.ContainsFunc(m.types, func(y Type) bool { return l.types.rec(y).ent == p.class }) {
		return false
	}
	for _, m := range p.asked {
		has := l.has(class, l.symOf(m, l.decl(m).Name))
		if has == noEnt || !l.fitsMember(ev, has, m) {
			return false
		}
	}
	return true
}

// isAttribute reports whether a member is used like a value.
func isAttribute(d *facts.Decl) bool {
	return d.Kind == graph.KindField || d.Kind == graph.KindMethod && d.Traits&facts.TraitAccessor != 0
}

// fitsMember reports whether a member may stand for one that a protocol asks for.
func (l *linker) fitsMember(ev *evaluator, has, asked Ent) bool {
	x, y := l.decl(has), l.decl(asked)
	ev.lang = l.langOf(asked)
	switch {
	case isAttribute(x) && isAttribute(y):
		return l.couldStand(ev, l.attributeType(has), l.attributeType(asked))
	case x.Kind != graph.KindMethod || y.Kind != graph.KindMethod || isAttribute(x) || isAttribute(y):
		return false
	}
	var few, more [4]Ent
	given := l.overloads(has, few[:0])
	for _, a := range l.overloads(asked, more[:0]) {
		if !slices.ContainsFunc(given, func(e Ent) bool { return l.fitsMethod(ev, e, a) }) {
			return false
		}
	}
	return true
}

// attributeType returns the declared type of what is used like a value.
func (l *linker) attributeType(e Ent) Type {
	d := l.decl(e)
	switch {
	case d.Kind == graph.KindMethod && d.Results.Len() > 0:
		return l.slots.result[e]
	case d.Kind == graph.KindField && d.Type != facts.None:
		return l.typ[e]
	}
	return unknownType
}

// couldStand reports whether a value of one declared type could be one of another.
func (l *linker) couldStand(ev *evaluator, x, want Type) bool {
	return x == unknownType || want == unknownType || ev.couldBe(x, want)
}

// fitsMethod reports whether a method takes every call that another one, a
// protocol's, takes, and whether the declared types allow it.
func (l *linker) fitsMethod(ev *evaluator, has, asked Ent) bool {
	h, a := l.decl(has), l.decl(asked)
	if !l.takesCalls(ev, has, asked) {
		return false
	}
	given := ev.resultAs(has)
	if a.Flags.Has(graph.FlagAsync) && !h.Flags.Has(graph.FlagAsync) && ev.asClass(given, ev.lang.dyn.awaitable) == unknownType {
		return false // who calls it waits for it
	}
	return a.Results.Len() == 0 || l.couldStand(ev, given, ev.resultAs(asked))
}

// takesCalls compares the parameters of two methods. What operators run is given its
// arguments by position. Any object may be called: a method that is called with it and
// takes whatever it is given is not made for the protocol.
func (l *linker) takesCalls(ev *evaluator, has, asked Ent) bool {
	const several = graph.ParamVariadic | graph.ParamKeywords
	name := l.symOf(asked, l.decl(asked).Name)
	called := name == ev.lang.dyn.call
	operator := !called && strings.HasPrefix(l.symString(name), ev.lang.Dynamic.Special)
	x, y := l.takenBy(has), l.takenBy(asked)
	used := make([]bool, len(x))
	at, own := 0, !called || len(y) == 0
	for _, p := range y {
		named := p.flags&graph.ParamPositional == 0 && !operator // a call may give it by its name
		by := -1
		switch {
		case p.flags&several != 0:
			by = x.rest(p.flags & several)
		case p.flags&graph.ParamKeywordOnly != 0:
			if by = x.named(p.name); by < 0 {
				by = x.rest(graph.ParamKeywords)
			}
		case at < len(x) && x[at].flags&(several|graph.ParamKeywordOnly) == 0:
			if named && (x[at].name != p.name || x[at].flags&graph.ParamPositional != 0) {
				return false
			}
			by = at
			at++
		case !named || x.rest(graph.ParamKeywords) >= 0:
			by = x.rest(graph.ParamVariadic)
		}
		if by < 0 {
			return false
		}
		used[by] = true
		if x[by].flags&several == 0 {
			own = true
			if p.flags&graph.ParamOptional != 0 && x[by].flags&graph.ParamOptional == 0 || !l.couldStand(ev, p.typ, x[by].typ) {
				return false
			}
		}
	}
	for i := range x {
		if x[i].flags&(several|graph.ParamOptional) == 0 && !used[i] {
			return false // no call gives it
		}
	}
	return own
}

// taken is a parameter of a method, without that of the object.
type taken struct {
	name  Sym
	flags graph.ParamFlags
	typ   Type // as it is declared
}

type takenList []taken

// named returns the position of the parameter that a keyword gives, rest that of the
// one that takes what is left of a kind; -1 if there is none.
func (x takenList) named(name Sym) int {
	return slices.IndexFunc(x, func(p taken) bool {
		return p.name == name && p.flags&(graph.ParamPositional|graph.ParamVariadic|graph.ParamKeywords) == 0
	})
}

func (x takenList) rest(kind graph.ParamFlags) int {
	return slices.IndexFunc(x, func(p taken) bool { return p.flags&kind != 0 })
}

// takenBy returns the parameters of a method that calls on a value give.
func (l *linker) takenBy(e Ent) (out takenList) {
	f := &l.files[l.entFile[e]]
	d := l.decl(e)
	for j := d.Params.Lo; j < d.Params.Hi; j++ {
		p := &f.Facts.Params[j]
		if j == d.Params.Lo && !d.Flags.Has(graph.FlagStatic) && p.Flags&(graph.ParamVariadic|graph.ParamKeywords|graph.ParamKeywordOnly) == 0 {
			continue
		}
		x := taken{f.syms[p.Name], p.Flags, unknownType}
		if p.Type != facts.None {
			x.typ = l.slots.param[l.slots.base[l.entFile[e]]+j]
		}
		out = append(out, x)
	}
	return out
}

// implementProtocol adds the edges of a class that fits a protocol.
func (l *linker) implementProtocol(p *protocol, class Ent) {
	edge := graph.RawEdge{From: l.nodeOf[class], To: l.nodeOf[p.class], Type: graph.None, Kind: graph.EdgeImplements, Certainty: graph.Inferred}
	l.b.AddEdge(edge)
	l.implements[implemented{class, p.class}] = true
	for _, m := range p.asked {
		has := l.has(class, l.symOf(m, l.decl(m).Name))
		edge.From, edge.To = l.nodeOf[has], l.nodeOf[m]
		if l.decl(has).Kind == graph.KindMethod && l.decl(m).Kind == graph.KindMethod && edge.From != graph.None && edge.To != graph.None {
			l.b.AddEdge(edge)
		}
	}
}

// protocolArguments records the arguments of a call that are given as a protocol
// which their class fits and does not name: it breaks when the class fits no more.
func (r *bodyReader) protocolArguments(x *facts.Expr) {
	if len(r.l.slots.protocols) == 0 || x.X < 0 || x.Line == 0 {
		return
	}
	callee, bound := r.ev.onlyCallee(r.ev.typ[x.X])
	if callee == noEnt || !r.l.decl(callee).Kind.IsCallable() {
		return
	}
	f := &r.l.files[r.l.entFile[callee]]
	d := r.l.decl(callee)
	ps := f.Facts.Params[d.Params.Lo:d.Params.Hi]
	at := 0
	if bound {
		at = 1
	}
	fs := r.f.Facts
	for _, a := range fs.List(x.Args) {
		to, value := -1, facts.ExprID(a)
		switch ax := &fs.Exprs[a]; {
		case ax.Op == facts.OpSpread:
			at = len(ps)
		case ax.Op == facts.OpKeyword:
			value = ax.X
			to = slices.IndexFunc(ps, func(p facts.Param) bool {
				return ax.Name != 0 && f.syms[p.Name] == r.f.syms[ax.Name] && p.Flags&(graph.ParamPositional|graph.ParamVariadic|graph.ParamKeywords) == 0
			})
		case at < len(ps) && ps[at].Flags&(graph.ParamKeywordOnly|graph.ParamKeywords) == 0:
			if to = at; ps[at].Flags&graph.ParamVariadic == 0 {
				at++
			}
		}
		if to >= 0 && ps[to].Type != facts.None {
			r.givenAsProtocol(value, r.l.slots.param[r.l.slots.base[r.l.entFile[callee]]+d.Params.Lo+int32(to)])
		}
	}
}

// onlyCallee returns the function that calling a value of type t runs, if it is known
// to be one, and whether its first parameter is the object.
func (ev *evaluator) onlyCallee(t Type) (callee Ent, bound bool) {
	switch rec := *ev.types.rec(t); rec.kind {
	case kCallable:
		return rec.ent, rec.n == 1 && !ev.l.decl(rec.ent).Flags.Has(graph.FlagStatic)
	case kMeta:
		if cls, _ := ev.classOf(ev.types.arg(t, 0)); cls != noEnt {
			callee, _ = ev.constructor(cls)
			return callee, true
		}
	}
	return noEnt, false
}

// protocolResults records the values that functions declare to return as protocols.
func (r *bodyReader) protocolResults() {
	if len(r.l.slots.protocols) == 0 {
		return
	}
	fs := r.f.Facts
	for i := range fs.Flows {
		fl := &fs.Flows[i]
		if fl.Kind == facts.FlowReturn && fl.From >= 0 && fl.To >= 0 && fs.Decls[fl.To].Results.Len() > 0 {
			r.givenAsProtocol(fl.From, r.l.slots.result[r.f.base+Ent(fl.To)])
		}
	}
}

// givenAsProtocol records that the value e is given where the type want is declared.
func (r *bodyReader) givenAsProtocol(e facts.ExprID, want Type) {
	l, t := r.l, r.ev.types
	x := &r.f.Facts.Exprs[e]
	for _, w := range t.members(want) {
		p := t.rec(w).ent
		if t.kind(w) != kNamed || !l.slots.protocols[p] || x.Line == 0 {
			continue
		}
		for _, m := range t.members(r.ev.typ[e]) {
			c, _ := r.ev.classOf(m)
			if k := t.kind(m); k != kNamed && k != kSelf || l.slots.mro[c] == nil || l.nodeOf[c] == graph.None || !slices.ContainsFunc(l.slots.mro[c].types, func(y Type) bool {
				return l.implements[implemented{t.rec(y).ent, p}]
			}) {
				continue
			}
			certainty := graph.Exact
			if r.ev.dyn.flowed[e] || len(t.members(r.ev.typ[e])) > 1 {
				certainty = graph.Inferred
			}
			r.edges = append(r.edges, graph.RawEdge{From: r.owner[e], To: l.nodeOf[p], Type: l.nodeOf[c], Kind: graph.EdgeConverts,
				Certainty: certainty, HasSite: true, Site: r.site(x.Line, x.Col)})
		}
	}
}
