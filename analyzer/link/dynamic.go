package link

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Languages whose types flow: a name means what was bound to it last, classes
// and functions are values like others, and most declarations do not say of
// which types they are. See slots.go for how these are inferred.

// dynamic is what the linker keeps for such a language.
type dynamic struct {
	*Dynamic
	kinds  map[Sym]Type // kind of composite → class
	forms  []Form       // by Ent
	self   Type         // what FormSelf is where no class is around
	tuple  Ent
	typ    Ent // the class of classes
	object Ent

	iterable, asyncIterable, awaitable, generator, asyncGenerator, coroutine Ent
	enum, record                                                             Ent

	dispatchers []Ent
	register    Sym

	constructors             []Sym
	call, iterates, next     Sym
	asyncIterates, asyncNext Sym
	item, setItem, delItem   Sym
	fills, merges            map[string]bool
	manager                  Sym // the name of the attribute; 0: there are none
	managedBases             map[string]bool
	sends                    map[Sym]bool
	fallback, getter         Sym
	assigned, removed        Sym
	subclassed               Sym
	namedTuple, property     Ent
	fget                     Sym
	operators, unary         map[Sym][]Sym
	reflected                map[Sym]Sym // by the operator's method on the left
	contains                 map[Sym]bool
}

func (l *linker) newDynamic(s *langState, named func(string) Type) *dynamic {
	d := &dynamic{Dynamic: s.Dynamic, kinds: map[Sym]Type{}, forms: make([]Form, len(l.entFile)), operators: map[Sym][]Sym{}, contains: map[Sym]bool{}}
	for kind, name := range s.Dynamic.Kinds {
		d.kinds[l.sym(kind)] = named(name)
	}
	d.self = l.types.mk(kForm, noEnt, int32(FormSelf))
	for name, form := range s.Dynamic.Forms {
		if e := l.libraryEnt(s, name); e != noEnt {
			d.forms[e] = form
		}
	}
	if e := l.libraryEnt(s, d.Generator); e != noEnt {
		d.kinds[l.sym("generator")] = l.types.mk(kNamed, e, 0)
	}
	d.tuple, d.typ, d.object = l.universeEnt(s, d.Tuple), l.universeEnt(s, d.Class), l.universeEnt(s, d.Object)
	for to, name := range map[*Ent]string{&d.iterable: d.Iterable, &d.asyncIterable: d.AsyncIterable, &d.awaitable: d.Awaitable,
		&d.generator: d.Generator, &d.asyncGenerator: d.AsyncGenerator, &d.coroutine: d.Coroutine, &d.enum: d.Enum, &d.record: d.Record} {
		*to = l.libraryEnt(s, name)
	}
	for _, c := range d.Dispatchers {
		if e := l.libraryEnt(s, c); e != noEnt {
			d.dispatchers = append(d.dispatchers, e)
		}
	}
	d.register = l.sym(d.Register)
	for _, c := range d.Constructors {
		d.constructors = append(d.constructors, l.sym(c))
	}
	d.call, d.iterates, d.next, d.item = l.sym(d.Call), l.sym(d.Iterates), l.sym(d.Next), l.sym(d.Item)
	d.setItem, d.delItem = l.sym(d.SetItem), l.sym(d.DelItem)
	d.asyncIterates, d.asyncNext = l.sym(d.AsyncIterates), l.sym(d.AsyncNext)
	if d.Managers != nil {
		d.manager, d.managedBases = l.sym(d.Managers.Name), map[string]bool{}
		for _, b := range d.Managers.Bases {
			d.managedBases[b] = true
		}
	}
	d.fills, d.merges, d.sends = map[string]bool{}, map[string]bool{}, map[Sym]bool{}
	for _, name := range d.Fills {
		d.fills[name] = true
	}
	for _, name := range d.Merges {
		d.merges[name] = true
	}
	for _, name := range d.Sends {
		d.sends[l.sym(name)] = true
	}
	d.fallback, d.getter, d.subclassed = l.sym(d.Fallback), l.sym(d.Getter), l.sym(d.Subclassed)
	d.assigned, d.removed = l.sym(d.Assigned), l.sym(d.Removed)
	d.namedTuple, d.property, d.fget = l.libraryEnt(s, d.NamedTuple), l.libraryEnt(s, d.Property), l.sym(d.Getting)
	d.unary, d.reflected = map[Sym][]Sym{}, map[Sym]Sym{}
	for op, names := range d.Unary {
		for name := range strings.FieldsSeq(names) {
			d.unary[l.sym(op)] = append(d.unary[l.sym(op)], l.sym(name))
		}
	}
	for left, right := range d.Reflected {
		d.reflected[l.sym(left)] = l.sym(right)
	}
	for op, names := range d.Operators {
		for name := range strings.FieldsSeq(names) {
			d.operators[l.sym(op)] = append(d.operators[l.sym(op)], l.sym(name))
		}
	}
	for _, op := range d.Contains {
		d.contains[l.sym(op)] = true
	}
	return d
}

// form returns the form that a declaration is, FormNone for most.
func (d *dynamic) form(e Ent) Form {
	if e < 0 {
		return FormNone
	}
	return d.forms[e]
}

// libraryEnt returns the declaration of a module of a library, or of the
// universe, by its full name; noEnt if there is none.
func (l *linker) libraryEnt(s *langState, name string) Ent {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return l.universeEnt(s, name)
	}
	u, ok := s.byPath[name[:i]]
	sym := l.lookupSym(name[i+1:])
	if name[:i] == l.units[s.universe].Path {
		u, ok = s.universe, true
	}
	if !ok || u < 0 || sym < 0 {
		return noEnt
	}
	return Ent(l.pkgScope.get(u, sym))
}

// needed are the modules of a library that the rules name.
func (d *Dynamic) needed() []string {
	var list []string
	add := func(name string) {
		if i := strings.LastIndexByte(name, '.'); i > 0 && !slices.Contains(list, name[:i]) {
			list = append(list, name[:i])
		}
	}
	for _, n := range []string{d.Iterable, d.AsyncIterable, d.Awaitable, d.Generator, d.AsyncGenerator, d.Coroutine, d.Enum, d.Record} {
		add(n)
	}
	for n := range d.Forms {
		add(n)
	}
	slices.Sort(list)
	return list
}

// bindName binds a name in a scope where the last declaration counts: those
// before it stay behind it in the chain of nextMember. What only stands in for
// an earlier declaration, and values beside functions, do not count.
func (l *linker) bindName(in *scopes, owner int32, name Sym, e Ent) {
	old := Ent(in.put(owner, name, int32(e)))
	if old == e {
		return
	}
	n, o := l.decl(e), l.decl(old)
	wins := n.Traits&facts.TraitAlternative == 0 && (n.Kind.IsCallable() || n.Kind.IsType())
	if n.Traits&facts.TraitOverload != 0 && (o.Traits&facts.TraitOverload != 0 || n.Shape != 0 && o.Traits&facts.TraitAccessor != 0) {
		wins = false
	}
	if !wins { // behind the first
		l.nextMember[e] = l.nextMember[old]
		l.nextMember[old] = e
		return
	}
	l.nextMember[e] = old
	in.set(owner, name, int32(e))
}

// overloads appends the signatures of the callable e to an empty list, e itself if it
// has no others.
func (l *linker) overloads(e Ent, list []Ent) []Ent {
	for o, n := e, 0; o != noEnt && n < maxCandidates; o, n = l.nextMember[o], n+1 {
		if d := l.decl(o); d.Kind.IsCallable() && d.Traits&facts.TraitOverload != 0 && !strings.HasPrefix(l.str(o, d.Shape), l.langOf(o).Dynamic.Setter) {
			list = append(list, o)
		}
	}
	if len(list) == 0 {
		return append(list, e)
	}
	slices.Sort(list)
	return list
}

// mroOf is the order in which the classes of a class are searched, in terms of
// its own type parameters.
type mroOf struct {
	types   []Type
	foreign []bool // by position: a base that is not known comes before
	params  []Type // the type parameters of the class
	open    bool   // some base is not known
}

// dynamicTypes finds the classes' bases, and the declared types.
func (l *linker) dynamicTypes(ev *evaluator) {
	var files []int32
	l.eachFile(func(fn int32) {
		if l.files[fn].Rules.Dynamic != nil {
			files = append(files, fn)
		}
	})
	if len(files) == 0 {
		return
	}
	s := &slots{base: make([]int32, len(l.files)), result: make([]Type, len(l.entFile)), yield: make([]Type, len(l.entFile)), sent: make([]Type, len(l.entFile)), shaped: make([]Type, len(l.entFile)),
		decorated: make([]Type, len(l.entFile)), generator: make([]bool, len(l.entFile)), mro: make([]*mroOf, len(l.entFile)),
		meta: make([]Type, len(l.entFile))}
	l.slots = s
	n := int32(0)
	for _, fn := range files {
		s.base[fn] = n
		n += int32(len(l.files[fn].Facts.Params))
	}
	s.param, s.values = make([]Type, n), map[int32][]value{}
	s.readers, s.reads = make([]int32, len(s.result)+len(s.param)), make([]slotRead, 1)
	for _, s := range l.langs {
		if s.dyn == nil {
			continue
		}
		for from, to := range s.dyn.Aliases {
			if e, c := l.libraryEnt(s, from), l.libraryEnt(s, to); e != noEnt && c != noEnt && !l.decl(e).Kind.IsType() {
				l.typ[e] = l.typ[c]
			}
		}
	}
	stubs := l.stubs()
	l.stubNames(stubs)
	l.typeNames(ev, files)
	for range 3 {
		if !l.dynamicBases(ev, files) {
			break
		}
		l.linearise(ev, files)
		l.typeNames(ev, files)
	}
	for _, fn := range files {
		l.dynamicDeclared(ev, fn)
	}
	l.stubTypes(stubs)
	l.inheritedParams(ev, files)
}

// typeNames finds the variables that stand for types, modules and functions of
// their own, which annotations and bases may name.
func (l *linker) typeNames(ev *evaluator, files []int32) {
	s := l.slots
	late := late{files: make([]bool, len(l.files))}
	for _, fn := range files {
		late.files[fn] = true
	}
	ev.dyn.track = true
	defer func() { ev.dyn.track = false }()
	for range 4 {
		changed := false
		for _, fn := range files {
			if !late.files[fn] {
				continue
			}
			late.files[fn] = false
			f := &l.files[fn]
			opened := false
			for i := range f.Facts.Decls {
				d := &f.Facts.Decls[i]
				if d.Kind != graph.KindVariable && d.Kind != graph.KindField || d.Value == facts.None || f.dead(i) || !ev.mayNameType(f, d) {
					continue
				}
				e := f.base + Ent(i)
				if l.typ[e] != unknownType && l.types.kind(l.typ[e]) != kUnion {
					continue
				}
				if !opened {
					ev.open(fn)
					opened = true
				}
				t := ev.namedByValue(e, d)
				if t != unknownType && t != l.typ[e] {
					l.typ[e], changed = t, true
					s.changed(s.ofEnt(e), late)
				}
			}
		}
		ev.dyn.hits.clear()
		if !changed {
			return
		}
	}
}

// mayNameType reports whether the value of a variable may be a type.
func (ev *evaluator) mayNameType(f *file, d *facts.Decl) bool {
	x := &f.Facts.Exprs[d.Value]
	switch x.Op {
	case facts.OpName, facts.OpSelect, facts.OpIndex, facts.OpUnionType, facts.OpBinary:
		return true
	case facts.OpCall:
		return x.X >= 0 && (f.Facts.Exprs[x.X].Op == facts.OpName || f.Facts.Exprs[x.X].Op == facts.OpSelect)
	}
	return false
}

// namedByValue returns the type that a variable stands for by its value, as the
// value of the variable; unknown if it stands for none.
func (ev *evaluator) namedByValue(e Ent, d *facts.Decl) Type {
	t := ev.types
	x := &ev.f.Facts.Exprs[d.Value]
	if x.Op == facts.OpCall {
		switch ev.formOf(ev.typeOf(x.X)) {
		case FormTypeVar:
			for _, a := range ev.f.Facts.List(x.Args) {
				if k := &ev.f.Facts.Exprs[a]; k.Op == facts.OpKeyword && ev.f.Facts.Str(k.Name) == "bound" {
					if b := ev.typeExpr2(k.X); b != unknownType {
						ev.l.constraints.set(int32(e), 0, b)
					}
				}
			}
			return t.meta(t.mk(kParam, e, 0))
		case FormNewType:
			if args := ev.f.Facts.List(x.Args); len(args) == 2 {
				return t.meta(ev.typeExpr2(facts.ExprID(args[1])))
			}
		}
		return unknownType
	}
	if x.Op == facts.OpBinary && ev.f.Facts.Str(x.Name) != "|" {
		return unknownType
	}
	v := ev.typeOf(d.Value)
	switch t.kind(v) {
	case kMeta, kForm:
		return v
	case kExtern:
		return unknownType
	case kUnion:
		for _, m := range t.members(v) {
			if k := t.kind(m); k != kMeta && m != ev.lang.tNull {
				return unknownType
			}
		}
		return v
	}
	return unknownType
}

// dynamicBases evaluates the bases of classes, and reports whether some are
// others than before.
func (l *linker) dynamicBases(ev *evaluator, files []int32) bool {
	changed := false
	for _, fn := range files {
		f := &l.files[fn]
		opened := false
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			if !d.Kind.IsType() || d.Bases.Len() == 0 && d.Value == facts.None || f.dead(i) {
				continue
			}
			if !opened {
				ev.open(fn)
				opened = true
			}
			e := f.base + Ent(i)
			var fresh []Type
			protocol := false
			for _, x := range f.Facts.Lists[d.Bases.Lo:d.Bases.Hi] {
				v := ev.typeOf(facts.ExprID(x))
				switch form := ev.formOf(v); {
				case ev.types.kind(v) == kTuple: // Generic[T]
					fresh = append(fresh, v)
					of := f.Facts.Exprs[x].X
					protocol = protocol || of >= 0 && ev.formOf(ev.typeOf(of)) == FormProtocol
				case form == FormGeneric:
				case form == FormProtocol:
					protocol = true
				case form == FormRecord:
					if r := ev.lang.dyn.record; r != noEnt {
						fresh = append(fresh, ev.types.mk(kNamed, r, 0))
					}
				case v == unknownType && ev.dottedBase(&f.Facts.Exprs[x]) != unknownType:
					fresh = append(fresh, ev.dottedBase(&f.Facts.Exprs[x]))
				default:
					b := ev.denote(v)
					if m := ev.types.members(b); len(m) > 1 { // one or the other: the first
						b = m[0]
					}
					fresh = append(fresh, b)
				}
			}
			l.slots.setProtocol(e, protocol)
			if d.Value != facts.None {
				l.slots.meta[e] = ev.denote(ev.typeOf(d.Value))
			}
			if slices.Equal(fresh, l.basesOf(e)) {
				continue
			}
			changed = true
			lo := int32(len(l.baseTypes))
			l.baseTypes = append(l.baseTypes, fresh...)
			l.bases[e] = facts.Span{Lo: lo, Hi: int32(len(l.baseTypes))}
		}
	}
	return changed
}

// dynamicDeclared reads off what the declarations of a file state.
func (l *linker) dynamicDeclared(ev *evaluator, fn int32) {
	ev.open(fn)
	f, s := &l.files[fn], l.slots
	fs := f.Facts
	for i := range fs.Flows {
		if fl := &fs.Flows[i]; fl.Kind == facts.FlowYield {
			s.generator[f.base+Ent(fl.To)] = true
		}
	}
	for i := range fs.Decls {
		if f.dead(i) {
			continue
		}
		d := &fs.Decls[i]
		e := f.base + Ent(i)
		for j := d.TypeParams.Lo; j < d.TypeParams.Hi; j++ {
			if x := fs.Params[j].Type; x != facts.None {
				l.constraints.set(int32(e), j-d.TypeParams.Lo, ev.typeExpr2(x))
			}
		}
		switch {
		case d.Kind.IsCallable():
			for j := d.Params.Lo; j < d.Params.Hi; j++ {
				if x := fs.Params[j].Type; x != facts.None {
					s.param[s.base[fn]+j] = ev.typeExpr2(x)
				}
			}
			if d.Traits&facts.TraitOverload != 0 {
				s.asksFor(ev, d)
			}
			if d.Results.Len() > 0 {
				s.result[e] = ev.typeExpr2(fs.Params[d.Results.Lo].Type)
			}
		case d.Kind.IsType():
		case d.Type != facts.None:
			if t := ev.typeExpr2(d.Type); t != unknownType {
				l.typ[e] = t
			}
		}
	}
}

// inheritedParams gives the parameters of methods without types those of the
// nearest method that they override, where that declares some.
func (l *linker) inheritedParams(ev *evaluator, files []int32) {
	s := l.slots
	for _, fn := range files {
		f := &l.files[fn]
		if l.units[f.unit].surface {
			continue
		}
		ev.f, ev.fn, ev.lang = f, fn, l.units[f.unit].rules
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			if d.Kind != graph.KindMethod || d.Parent == facts.None || d.Params.Len() < 2 {
				continue
			}
			m := s.mro[f.base+Ent(d.Parent)]
			if m == nil {
				continue
			}
			for _, b := range m.above() {
				o := Ent(l.members.get(int32(ev.types.rec(b).ent), f.syms[d.Name]))
				if o == noEnt {
					continue
				}
				od := l.decl(o)
				if od.Kind == graph.KindMethod && od.Traits&facts.TraitOverload == 0 && od.Params.Len() == d.Params.Len() {
					of := &l.files[l.entFile[o]]
					for j := range int32(d.Params.Len()) {
						p, q := &f.Facts.Params[d.Params.Lo+j], &of.Facts.Params[od.Params.Lo+j]
						if p.Type == facts.None && q.Type != facts.None && f.syms[p.Name] == of.syms[q.Name] && j > 0 {
							at := s.base[fn] + d.Params.Lo + j
							s.param[at] = ev.substituted(s.param[s.base[l.entFile[o]]+od.Params.Lo+j], b, unknownType)
						}
					}
				}
				break
			}
		}
	}
}
