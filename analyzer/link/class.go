package link

import (
	"slices"
	"strings"
	"sync"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Languages with classes: types name their bases and inherit their members, and
// names inside of a type mean its members first, those of the types around it
// next, and what the file and its package know last. Callables of one name are
// told apart by their parameters; see overload.go.

// classes is what the linker keeps for a language with classes.
type classes struct {
	*Classes
	root, void Type
	rootEnt    Ent
	roots      map[graph.Kind]Ent
	iterable   Ent
	typeOf     Ent
	array      Ent
	arrays     []Ent
	primitive  map[Type]bool
	box        map[Type]Type
	unbox      map[Ent]Type
	widens     map[[2]Type]bool
	numeric    []Type // from the narrowest that arithmetic gives to the widest
	injects    map[Sym]bool
}

// maxSupers bounds the types above one type that are looked at.
const maxSupers = 1 << 10

// maxScopes bounds the types around a name that are looked at.
const maxScopes = 1 << 6

func (l *linker) newClasses(s *langState, named func(string) Type) *classes {
	c := &classes{Classes: s.Classes, roots: map[graph.Kind]Ent{}, primitive: map[Type]bool{}, box: map[Type]Type{},
		unbox: map[Ent]Type{}, widens: map[[2]Type]bool{}, injects: map[Sym]bool{}}
	c.rootEnt = l.surfaceEnt(s, c.Root)
	c.root, c.void = named(c.Root), named("void")
	for k, name := range c.Roots {
		c.roots[k] = l.surfaceEnt(s, name)
	}
	c.iterable, c.typeOf = l.surfaceEnt(s, c.Iterable), l.surfaceEnt(s, c.TypeOf)
	c.array = l.universeEnt(s, c.Array)
	for _, name := range c.Arrays {
		if e := l.surfaceEnt(s, name); e != noEnt {
			c.arrays = append(c.arrays, e)
		}
	}
	for from, to := range c.Boxes {
		t := named(from)
		if t == unknownType {
			continue
		}
		c.primitive[t] = true
		if e := l.surfaceEnt(s, to); e != noEnt {
			c.box[t], c.unbox[e] = l.types.denoted(l.typ[e]), t
		}
	}
	for n, line := range c.Widening {
		var ts []Type
		for _, w := range strings.Fields(line) {
			ts = append(ts, named(w))
		}
		for i := range ts {
			for j := i + 1; j < len(ts); j++ {
				c.widens[[2]Type{ts[i], ts[j]}] = true
			}
		}
		if n == 0 {
			c.numeric = ts
		}
	}
	for _, name := range c.Injects {
		if sym := l.lookupSym(name); sym >= 0 {
			c.injects[sym] = true
		}
	}
	return c
}

// neededPackages are the packages that the rules themselves name.
func (s *langState) neededPackages() []string {
	c := s.Classes
	if c == nil {
		return nil
	}
	list := slices.Clone(c.Default)
	names := append([]string{c.Root, c.Iterable, c.TypeOf}, c.Arrays...)
	for _, n := range c.Roots {
		names = append(names, n)
	}
	for _, n := range names {
		if p := s.around(n); p != "" && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return list
}

// around returns a package's or type's name without its last part.
func (s *langState) around(path string) string {
	if s.Classes == nil {
		return ""
	}
	if i := strings.LastIndex(path, s.Classes.Separator); i >= 0 {
		return path[:i]
	}
	return ""
}

// surfaceEnt returns the type of a surface with the given full name, or noEnt.
func (l *linker) surfaceEnt(s *langState, name string) Ent {
	pkg := s.around(name)
	u, ok := s.byPath[pkg]
	sym := l.lookupSym(strings.TrimPrefix(name, pkg+s.Classes.Separator))
	if !ok || u < 0 || sym < 0 {
		return noEnt
	}
	return Ent(l.pkgScope.get(u, sym))
}

func (l *linker) universeEnt(s *langState, name string) Ent {
	if sym := l.lookupSym(name); sym >= 0 && name != "" {
		return Ent(l.pkgScope.get(s.universe, sym))
	}
	return noEnt
}

// addMember makes e a member of a type, beside others of its name.
func (l *linker) addMember(owner Ent, name Sym, e Ent) {
	if first := Ent(l.members.put(int32(owner), name, int32(e))); first != e {
		l.nextMember[e] = l.nextMember[first]
		l.nextMember[first] = e
	}
}

// declareImport brings what an import names into the file's scope.
func (l *linker) declareImport(fn, i int32, im *facts.Import) {
	f := &l.files[fn]
	switch {
	case im.Flags&facts.ImportStatic != 0:
		l.statics[fn] = append(l.statics[fn], i)
	case f.Facts.Str(im.Name) == "*":
		l.dotImports[fn] = append(l.dotImports[fn], i)
	case im.Alias != 0:
		l.fileScope.put(fn, f.syms[im.Alias], i)
	case im.Name != 0:
		l.fileScope.put(fn, f.syms[im.Name], i)
	}
}

// namePackages collects the names of packages and what they begin with, which
// a qualified name may begin with, too.
func (l *linker) namePackages() {
	add := func(s *langState, path string) {
		for path != "" {
			sym := l.sym(path)
			if l.pkgNames[sym] {
				return
			}
			l.pkgNames[sym] = true
			path = s.around(path)
		}
	}
	for i := range l.units {
		if u := &l.units[i]; u.rules.Classes != nil && !u.universe {
			add(u.rules, u.Path)
		}
	}
}

// unitLists remembers which units the paths of packages mean.
type unitLists struct {
	mu sync.Mutex
	m  map[unitPath][]int32
}

type unitPath struct {
	unit int32
	path string
}

// unitsOf returns the units that a package's path means for a unit.
func (l *linker) unitsOf(from int32, path string) []int32 {
	l.unitLists.mu.Lock()
	defer l.unitLists.mu.Unlock()
	if us, ok := l.unitLists.m[unitPath{from, path}]; ok {
		return us
	}
	var us []int32
	if u := l.resolveImport(from, path); u >= 0 {
		us = append(us, u)
	}
	if u := &l.units[from]; !u.surface && u.rules.layout != nil && u.rules.layout.Others != nil {
		for _, o := range u.rules.layout.Others(int(from-u.rules.firstUnit), path) {
			us = append(us, int32(o)+u.rules.firstUnit)
		}
	}
	if l.unitLists.m == nil {
		l.unitLists.m = map[unitPath][]int32{}
	}
	l.unitLists.m[unitPath{from, path}] = us
	return us
}

// typeIn returns the type that a package has under a name for a unit, noEnt if
// it has none.
func (l *linker) typeIn(from int32, path string, name Sym) Ent {
	for _, u := range l.unitsOf(from, path) {
		if e := Ent(l.pkgScope.get(u, name)); e != noEnt && l.decl(e).Kind.IsType() {
			return e
		}
	}
	return noEnt
}

// findType returns the type with a name in what path names: a package, or a
// type inside of one.
func (ev *evaluator) findType(path string, name Sym) Ent {
	return ev.findTypeAt(path, name, 0)
}

func (ev *evaluator) findTypeAt(path string, name Sym, depth int) Ent {
	if e := ev.l.typeIn(ev.f.unit, path, name); e != noEnt {
		return e
	}
	around := ev.lang.around(path)
	if around == "" || depth > 16 {
		return noEnt
	}
	last := ev.l.lookupSym(path[len(around)+len(ev.lang.Classes.Separator):])
	if last < 0 {
		return noEnt
	}
	if e := ev.findTypeAt(around, last, depth+1); e != noEnt {
		return ev.memberType(ev.instance(e), name)
	}
	return noEnt
}

// classBases finds the bases of all types. A base may be a type that another
// type inherits from a base of its own, so it takes some rounds.
func (l *linker) classBases(ev *evaluator) {
	for round := range 3 {
		changed := false
		ev.classes.reset()
		l.eachFile(func(fn int32) {
			f := &l.files[fn]
			if f.Rules.Classes == nil {
				return
			}
			ev.open(fn)
			var buf [16]Type
			for i := range f.Facts.Decls {
				d := &f.Facts.Decls[i]
				if !d.Kind.IsType() || d.Bases.Len()+d.Implements.Len() == 0 {
					continue
				}
				fresh := buf[:0]
				for _, s := range []facts.Span{d.Bases, d.Implements} {
					for _, x := range f.Facts.Lists[s.Lo:s.Hi] {
						fresh = append(fresh, ev.typeExpr(facts.ExprID(x)))
					}
				}
				e := f.base + Ent(i)
				if slices.Equal(fresh, l.basesOf(e)) {
					continue
				}
				changed = true
				lo := int32(len(l.baseTypes))
				l.baseTypes = append(l.baseTypes, fresh...)
				l.bases[e] = facts.Span{Lo: lo, Hi: int32(len(l.baseTypes))}
			}
		})
		if !changed || round == 2 {
			break
		}
	}
	ev.classes.reset()
}

// classEval is what an evaluator keeps for languages with classes.
type classEval struct {
	within  []facts.DeclID // by ExprID: the innermost type whose members are in scope; None
	types   map[Sym]Type   // what the file's scope has under a name, as types
	calls   []int32        // by ExprID: 1 + the position in found
	found   []*resolution
	methods map[memberKey]*methodList
	fields  map[memberKey]member
	sams    map[Type]Type
	supers  map[Type]*superList
}

// reset forgets what was found out about types.
func (c *classEval) reset() {
	c.methods, c.fields = map[memberKey]*methodList{}, map[memberKey]member{}
	c.sams, c.supers = map[Type]Type{}, map[Type]*superList{}
}

// openClasses starts the evaluation of a file.
func (ev *evaluator) openClasses() {
	c := &ev.classes
	if c.methods == nil {
		c.reset()
	}
	fs := ev.f.Facts
	n := len(fs.Exprs)
	c.within, c.calls = grow(c.within, n), grow(c.calls, n)
	clear(c.calls)
	c.found = c.found[:0]
	if c.types == nil {
		c.types = map[Sym]Type{}
	}
	clear(c.types)
	// The ranges of types nest, and begin in the order of declarations. What
	// stands before a type's members is in the scope around it.
	var open []facts.DeclID
	next := 0
	starts := int32(0)
	advance := func() {
		for next < len(fs.Decls) && !fs.Decls[next].Kind.IsType() {
			next++
		}
		if next < len(fs.Decls) {
			starts = max(starts, ev.headEnd(&fs.Decls[next]))
		}
	}
	advance()
	for e := range n {
		for len(open) > 0 && int32(e) >= fs.Decls[open[len(open)-1]].Exprs.Hi {
			open = open[:len(open)-1]
		}
		for next < len(fs.Decls) && starts <= int32(e) {
			if int32(e) < fs.Decls[next].Exprs.Hi {
				open = append(open, facts.DeclID(next))
			}
			next++
			advance()
		}
		c.within[e] = facts.None
		if len(open) > 0 {
			c.within[e] = open[len(open)-1]
		}
	}
}

// headEnd returns the position behind the expressions before a type's members:
// annotations, type parameters and bases.
func (ev *evaluator) headEnd(d *facts.Decl) int32 {
	fs := ev.f.Facts
	end := d.Exprs.Lo
	for _, s := range []facts.Span{d.Marks, d.Bases, d.Implements} {
		for _, x := range fs.Lists[s.Lo:s.Hi] {
			end = max(end, x+1)
		}
	}
	for _, p := range fs.Params[d.TypeParams.Lo:d.TypeParams.Hi] {
		end = max(end, int32(p.Type)+1)
	}
	return end
}

// outerType returns the type around a declaration, or None.
func (ev *evaluator) outerType(d facts.DeclID) facts.DeclID {
	fs := ev.f.Facts
	for d = fs.Decls[d].Parent; d != facts.None && !fs.Decls[d].Kind.IsType(); d = fs.Decls[d].Parent {
	}
	return d
}

// instance returns the type that an entity declares, with its own type
// parameters as arguments.
func (ev *evaluator) instance(e Ent) Type {
	n := ev.l.decl(e).TypeParams.Len()
	if n == 0 || n > maxTypeArgs {
		return ev.types.denoted(ev.l.typ[e])
	}
	var buf [8]Type
	args := buf[:0]
	for i := range n {
		args = append(args, ev.types.mk(kParam, ev.l.canon[e], int32(i)))
	}
	return ev.types.intern(kNamed, ev.l.canon[e], 0, args)
}

func (ev *evaluator) typeOfDecl(d facts.DeclID) Type { return ev.instance(ev.f.base + Ent(d)) }

// anyTypes gives type arguments that may be any type the bound of their
// parameter: that is what is known of values of them.
func (ev *evaluator) anyTypes(e Ent, list int32, args []Type) {
	for i, a := range ev.f.Facts.List(list) {
		if x := &ev.f.Facts.Exprs[a]; args[i] == unknownType && x.Op == facts.OpNone && x.Flags&facts.FlagTyped != 0 {
			args[i] = ev.lang.cls.root
			if b := ev.l.constraint(e, i); b != unknownType {
				args[i] = ev.erased(b, 0)
			}
		}
	}
}

// superList is what stands directly above a type.
type superList struct {
	types   []Type
	foreign bool // a base could not be told, or is of a package that is not known
}

// supers returns the types directly above x: its bases, with its type arguments
// put in, and what it extends without saying so.
func (ev *evaluator) supers(x Type) *superList {
	if s, ok := ev.classes.supers[x]; ok {
		return s
	}
	t, c := ev.types, ev.lang.cls
	s := &superList{}
	r := *t.rec(x)
	switch r.kind {
	case kNamed, kAnon:
		if r.ent == noEnt || c == nil {
			break
		}
		d := ev.l.decl(r.ent)
		class := false
		for _, b := range ev.l.basesOf(r.ent) {
			b = t.subst(b, r.ent, t.argsOf(x))
			switch t.kind(b) {
			case kNamed:
				if e := t.rec(b).ent; ev.l.decl(e).Kind != graph.KindInterface && ev.l.decl(e).Kind != graph.KindAnnotation {
					class = true
				}
			case kAnon, kParam:
			default:
				s.foreign = true
				class = class || d.Kind == graph.KindClass && len(s.types) == 0
				continue
			}
			s.types = append(s.types, b)
		}
		if root, ok := c.roots[d.Kind]; !class && ok && root != noEnt && root != r.ent {
			rt := t.mk(kNamed, root, 0)
			if ev.l.decl(root).TypeParams.Len() == 1 {
				rt = t.mk(kNamed, root, 0, x)
			}
			if d.Kind == graph.KindInterface {
				s.types = append(s.types, rt)
			} else {
				s.types = append([]Type{rt}, s.types...)
			}
		}
	case kParam:
		if b := ev.l.constraint(r.ent, int(r.n)); b != unknownType {
			bounds := []Type{b}
			if t.kind(b) == kUnion {
				bounds = t.argsOf(b)
			}
			for _, b := range bounds {
				if k := t.kind(b); k == kExtern || k == kUnknown {
					s.foreign = true
				} else if b != x {
					s.types = append(s.types, b)
				}
			}
		} else if d := ev.l.decl(r.ent); int(r.n) < d.TypeParams.Len() {
			f := &ev.l.files[ev.l.entFile[r.ent]]
			if f.Facts.Params[int(d.TypeParams.Lo)+int(r.n)].Type == facts.None {
				if c != nil && c.root != unknownType {
					s.types = append(s.types, c.root)
				}
			} else {
				s.foreign = true
			}
		}
	case kSlice:
		if c != nil {
			if c.array != noEnt {
				s.types = append(s.types, t.mk(kNamed, c.array, 0))
			}
			for _, e := range c.arrays {
				s.types = append(s.types, t.mk(kNamed, e, 0))
			}
		}
	}
	ev.classes.supers[x] = s
	return s
}

// eachSuper calls f for x and the types above it, bases before their bases'
// siblings, each once, until f returns false. It reports whether one of them
// is not known.
func (ev *evaluator) eachSuper(x Type, f func(Type) bool) (foreign bool) {
	t := ev.types
	switch t.kind(x) {
	case kNamed, kAnon, kParam, kSlice:
	case kUnion: // what catches several exceptions: the first stands for all
		if len(t.argsOf(x)) > 0 {
			return ev.eachSuper(t.arg(x, 0), f)
		}
		return true
	default:
		return true
	}
	var buf [16]Type
	stack := append(buf[:0], x)
	var seenBuf [16]Ent
	seen := seenBuf[:0]
	for n := 0; len(stack) > 0 && n < maxSupers; n++ {
		y := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if r := t.rec(y); r.kind == kNamed || r.kind == kAnon {
			if slices.Contains(seen, r.ent) {
				continue
			}
			seen = append(seen, r.ent)
		}
		if !f(y) {
			return foreign
		}
		s := ev.supers(y)
		foreign = foreign || s.foreign
		for i := len(s.types) - 1; i >= 0; i-- {
			stack = append(stack, s.types[i])
		}
	}
	return foreign
}

// asSuper returns x seen as the type that e declares, if that is x or above it.
func (ev *evaluator) asSuper(x Type, e Ent) (as Type, foreign bool) {
	foreign = ev.eachSuper(x, func(y Type) bool {
		if r := ev.types.rec(y); (r.kind == kNamed || r.kind == kAnon) && r.ent == e {
			as = y
			return false
		}
		return true
	})
	return as, foreign
}

// eachMember calls f for the members of one name that a type itself declares.
func (ev *evaluator) eachMember(owner Ent, name Sym, f func(Ent)) {
	for e := Ent(ev.l.members.get(int32(owner), name)); e != noEnt; e = ev.l.nextMember[e] {
		f(e)
	}
}

func isValue(k graph.Kind) bool {
	return k == graph.KindField || k == graph.KindEnumMember || k == graph.KindConstant || k == graph.KindVariable
}

// field returns the field that a name selects on a value or type x: the nearest
// above it.
func (ev *evaluator) field(x Type, name Sym) member {
	key := memberKey{x, name}
	if m, ok := ev.classes.fields[key]; ok {
		return m
	}
	m := member{ent: noEnt}
	t := ev.types
	ev.eachSuper(x, func(y Type) bool {
		r := *t.rec(y)
		if r.kind != kNamed && r.kind != kAnon {
			return true
		}
		ev.eachMember(r.ent, name, func(e Ent) {
			if m.ent == noEnt && isValue(ev.l.decl(e).Kind) {
				m = member{ent: e, typ: t.subst(ev.l.typ[e], r.ent, t.argsOf(y))}
			}
		})
		return m.ent == noEnt
	})
	ev.classes.fields[key] = m
	return m
}

// memberType returns the type that is a member of x under a name, or noEnt.
func (ev *evaluator) memberType(x Type, name Sym) Ent {
	found := noEnt
	ev.eachSuper(x, func(y Type) bool {
		if r := ev.types.rec(y); r.kind == kNamed || r.kind == kAnon {
			ev.eachMember(r.ent, name, func(e Ent) {
				if found == noEnt && ev.l.decl(e).Kind.IsType() {
					found = e
				}
			})
		}
		return found == noEnt
	})
	return found
}

// sees reports whether code of the file may use a member, as far as private
// members and those of other packages go.
func (ev *evaluator) sees(e Ent) bool {
	switch ev.l.decl(e).Vis {
	case graph.Private:
		return ev.l.entFile[e] == ev.fn
	case graph.Package:
		u, v := &ev.l.units[ev.l.unitOf(e)], &ev.l.units[ev.f.unit]
		return u.Path == v.Path || u.universe
	}
	return true
}

// typeNamed returns what a name means as a type at an expression: the kMeta of
// it, or a kExtern.
func (ev *evaluator) typeNamed(at facts.ExprID, name Sym) (Type, Ent) {
	l := ev.l
	n := 0
	for d := ev.classes.within[at]; d != facts.None && n < maxScopes; d = ev.outerType(d) {
		n++
		e := ev.f.base + Ent(d)
		if ev.f.syms[ev.f.Facts.Decls[d].Name] == name && ev.f.Facts.Decls[d].Name != 0 {
			return l.typ[e], e
		}
		if m := ev.memberType(ev.typeOfDecl(d), name); m != noEnt {
			return l.typ[m], m
		}
	}
	if t, ok := ev.classes.types[name]; ok {
		return t, ev.entOf(t)
	}
	t := ev.fileType(name)
	ev.classes.types[name] = t
	return t, ev.entOf(t)
}

// entOf returns the declaration of the type that a kMeta denotes.
func (ev *evaluator) entOf(t Type) Ent {
	if ev.types.kind(t) == kMeta {
		if r := ev.types.rec(ev.types.arg(t, 0)); r.kind == kNamed {
			return r.ent
		}
	}
	return noEnt
}

func (ev *evaluator) fileType(name Sym) Type {
	l, t := ev.l, ev.types
	fs := ev.f.Facts
	if im := l.fileScope.get(ev.fn, name); im >= 0 {
		i := &fs.Imports[im]
		if e := ev.findType(fs.Str(i.Path), ev.f.syms[i.Name]); e != noEnt {
			return l.typ[e]
		}
		return t.mk(kExtern, Ent(ev.f.syms[i.Path]), int32(ev.f.syms[i.Name]))
	}
	own := l.units[ev.f.unit].Path
	if e := l.typeIn(ev.f.unit, own, name); e != noEnt {
		return l.typ[e]
	}
	if e := Ent(l.pkgScope.get(ev.f.unit, name)); e != noEnt && l.decl(e).Kind.IsType() { // of a surface
		return l.typ[e]
	}
	for _, im := range l.statics[ev.fn] { // types, too
		if i := &fs.Imports[im]; ev.f.syms[i.Name] == name || fs.Str(i.Name) == "*" {
			if e := ev.findType(fs.Str(i.Path), name); e != noEnt {
				return l.typ[e]
			}
		}
	}
	for _, im := range l.dotImports[ev.fn] {
		if e := ev.findType(fs.Str(fs.Imports[im].Path), name); e != noEnt {
			return l.typ[e]
		}
	}
	for _, p := range ev.lang.Classes.Default {
		if u, ok := ev.lang.byPath[p]; ok && u >= 0 {
			if e := Ent(l.pkgScope.get(u, name)); e != noEnt {
				return l.typ[e]
			}
		}
		if e := l.typeIn(ev.f.unit, p, name); e != noEnt {
			return l.typ[e]
		}
	}
	if e := Ent(l.pkgScope.get(ev.lang.universe, name)); e != noEnt {
		return l.typ[e]
	}
	return unknownType
}

// evalClasses evaluates what languages with classes have or do differently.
func (ev *evaluator) evalClasses(e facts.ExprID, x *facts.Expr) (Type, Ent, bool) {
	t := ev.types
	switch x.Op {
	case facts.OpName:
		typ, ref := ev.className(e, x)
		return typ, ref, true
	case facts.OpSelect:
		typ, ref := ev.classSelect(x)
		return typ, ref, true
	case facts.OpLabel:
		if m := ev.field(ev.typeOf(x.X), ev.f.syms[x.Name]); m.ent != noEnt && ev.l.decl(m.ent).Kind == graph.KindEnumMember {
			return m.typ, m.ent, true
		}
		typ, ref := ev.freeName(e, x)
		return typ, ref, true
	case facts.OpSelf:
		self := unknownType
		if x.X >= 0 {
			if q := ev.typeExpr(x.X); t.kind(q) == kNamed {
				self = ev.instance(t.rec(q).ent)
			}
		} else if d := ev.classes.within[e]; d != facts.None {
			self = ev.typeOfDecl(d)
		}
		if x.Flags&facts.FlagTyped != 0 {
			self = t.meta(self)
		}
		return self, noEnt, true
	case facts.OpSuper:
		if x.X >= 0 {
			q := ev.typeExpr(x.X)
			if r := t.rec(q); r.kind == kNamed && !ev.l.isInterface(r.ent) { // Outer.super
				return ev.superOf(q), noEnt, true
			}
			if d := ev.classes.within[e]; d != facts.None && t.kind(q) == kNamed {
				if as, _ := ev.asSuper(ev.typeOfDecl(d), t.rec(q).ent); as != unknownType {
					return as, noEnt, true
				}
			}
			return q, noEnt, true
		}
		if d := ev.classes.within[e]; d != facts.None {
			return ev.superOf(ev.typeOfDecl(d)), noEnt, true
		}
		return unknownType, noEnt, true
	case facts.OpFunc:
		return ev.lambdaType(facts.DeclID(x.X)), noEnt, true
	case facts.OpParamOf:
		if x.X >= 0 && ev.f.Facts.Exprs[x.X].Op == facts.OpFunc {
			if sam := ev.sam(ev.expected(x.X)); t.kind(sam) == kFunc && int(x.N) < t.rec(sam).funcParams() {
				return t.arg(sam, int(x.N)), noEnt, true
			}
		}
		return unknownType, noEnt, true
	case facts.OpCall, facts.OpNew:
		typ := ev.callType(e)
		return typ, noEnt, true
	case facts.OpMethodRef:
		typ, ref := ev.methodRef(e, x)
		return typ, ref, true
	case facts.OpClassOf:
		if c := ev.lang.cls; c.typeOf != noEnt {
			return t.mk(kNamed, c.typeOf, 0, ev.boxed(ev.typeExpr(x.X))), noEnt, true
		}
		return unknownType, noEnt, true
	case facts.OpMark:
		return ev.typeExpr(x.X), noEnt, true
	case facts.OpUnary:
		if ev.f.Facts.Str(x.Name) == "!" {
			return ev.boolType(), noEnt, true
		}
		a := ev.unboxed(ev.typeOf(x.X))
		return ev.promoted(a, a), noEnt, true
	case facts.OpBinary:
		return ev.classBinary(x), noEnt, true
	case facts.OpConditional:
		return ev.conditional(x), noEnt, true
	case facts.OpRangeVal:
		return ev.elementType(ev.typeOf(x.X)), noEnt, true
	case facts.OpUnionType, facts.OpBothType:
		return t.meta(t.intern(kUnion, noEnt, 0, ev.typeList(x.Args))), noEnt, true
	}
	return unknownType, noEnt, false
}

// superOf returns the type that x extends.
func (ev *evaluator) superOf(x Type) Type {
	s := ev.supers(x)
	if len(s.types) == 0 || s.foreign && ev.isInterfaceType(s.types[0]) {
		return unknownType
	}
	if s.foreign { // the base class is the one that is not known
		if r := ev.types.rec(x); r.ent != noEnt {
			if bs := ev.l.basesOf(r.ent); len(bs) > 0 && bs[0] != s.types[0] {
				if k := ev.types.kind(bs[0]); k != kNamed && ev.l.decl(r.ent).Kind == graph.KindClass {
					return bs[0]
				}
			}
		}
	}
	return s.types[0]
}

func (ev *evaluator) isInterfaceType(x Type) bool {
	r := ev.types.rec(x)
	return r.kind == kNamed && (ev.l.isInterface(r.ent) || ev.l.decl(r.ent).Kind == graph.KindAnnotation)
}

// elementType returns the type of the elements that a loop over x goes through.
func (ev *evaluator) elementType(x Type) Type {
	if ev.types.kind(x) == kSlice {
		return ev.types.arg(x, 0)
	}
	if c := ev.lang.cls; c.iterable != noEnt {
		as, _ := ev.asSuper(x, c.iterable)
		return ev.types.arg(as, 0)
	}
	return unknownType
}

func (ev *evaluator) className(e facts.ExprID, x *facts.Expr) (Type, Ent) {
	if x.Flags&facts.FlagLocal != 0 {
		if m := ev.hiding(e, facts.LocalID(x.X)); m.ent != noEnt {
			return m.typ, m.ent
		}
		return ev.localType(facts.LocalID(x.X))
	}
	if x.Flags&facts.FlagCallee != 0 || x.Name == 0 {
		return unknownType, noEnt // the call decides
	}
	return ev.freeName(e, x)
}

// hiding returns the field that hides a variable from the types that are
// declared in its scope: one that they inherit, which their text does not show.
func (ev *evaluator) hiding(e facts.ExprID, id facts.LocalID) member {
	fs := ev.f.Facts
	lo := &fs.Locals[id]
	if lo.Kind == facts.LocalVar && lo.Name != 0 {
		n := 0
		for d := ev.classes.within[e]; d != facts.None && n < maxScopes; d = ev.outerType(d) {
			n++
			if s := fs.Decls[d].Locals; int32(id) >= s.Lo && int32(id) < s.Hi {
				break // it is declared inside of the type
			}
			if m := ev.field(ev.typeOfDecl(d), ev.f.syms[lo.Name]); m.ent != noEnt && ev.sees(m.ent) {
				return m
			}
		}
	}
	return member{ent: noEnt}
}

// freeName returns what a free name means: a field, a type, or the beginning of
// a package's name.
func (ev *evaluator) freeName(e facts.ExprID, x *facts.Expr) (Type, Ent) {
	name := ev.f.syms[x.Name]
	if x.Flags&facts.FlagTyped == 0 {
		n := 0
		for d := ev.classes.within[e]; d != facts.None && n < maxScopes; d = ev.outerType(d) {
			n++
			if m := ev.field(ev.typeOfDecl(d), name); m.ent != noEnt && ev.sees(m.ent) {
				return m.typ, m.ent
			}
		}
		if m := ev.importedField(name); m.ent != noEnt {
			return m.typ, m.ent
		}
	}
	if t, ref := ev.typeNamed(e, name); t != unknownType {
		return t, ref
	}
	if ev.l.pkgNames[name] {
		return ev.types.mk(kPkg, Ent(name), -1), noEnt
	}
	return unknownType, noEnt
}

// importedField returns the field that an import of members brings into scope.
func (ev *evaluator) importedField(name Sym) member {
	for _, im := range ev.l.statics[ev.fn] {
		i := &ev.f.Facts.Imports[im]
		if n := ev.f.syms[i.Name]; n != name && ev.f.Facts.Str(i.Name) != "*" {
			continue
		}
		if t := ev.importedType(i); t != unknownType {
			if m := ev.field(t, name); m.ent != noEnt {
				return m
			}
		}
	}
	return member{ent: noEnt}
}

// importedType returns the type whose members an import names.
func (ev *evaluator) importedType(i *facts.Import) Type {
	path := ev.f.Facts.Str(i.Path)
	around := ev.lang.around(path)
	if around == "" {
		return unknownType
	}
	last := ev.l.lookupSym(path[len(around)+len(ev.lang.Classes.Separator):])
	if last < 0 {
		return unknownType
	}
	if e := ev.findType(around, last); e != noEnt {
		return ev.types.denoted(ev.l.typ[e])
	}
	return unknownType
}

func (ev *evaluator) classSelect(x *facts.Expr) (Type, Ent) {
	t, l := ev.types, ev.l
	xt := ev.typeOf(x.X)
	if x.Flags&facts.FlagCallee != 0 {
		return unknownType, noEnt
	}
	name := ev.f.syms[x.Name]
	r := *t.rec(xt)
	switch r.kind {
	case kUnknown:
		return unknownType, noEnt
	case kPkg:
		path := l.symString(Sym(r.ent))
		if e := ev.findType(path, name); e != noEnt {
			return l.typ[e], e
		}
		full := l.lookupSym(path + ev.lang.Classes.Separator + ev.f.Facts.Str(x.Name))
		if full >= 0 && l.pkgNames[full] {
			return t.mk(kPkg, Ent(full), -1), noEnt
		}
		return t.mk(kExtern, r.ent, int32(name)), noEnt
	case kMeta:
		on := t.arg(xt, 0)
		if x.Flags&facts.FlagTyped == 0 {
			if m := ev.field(on, name); m.ent != noEnt {
				return m.typ, m.ent
			}
		}
		if e := ev.memberType(on, name); e != noEnt {
			return l.typ[e], e
		}
		return unknownType, noEnt
	case kExtern:
		return unknownType, noEnt
	}
	if x.Flags&facts.FlagTyped != 0 { // value.new Inner()
		if e := ev.memberType(xt, name); e != noEnt {
			return l.typ[e], e
		}
		return unknownType, noEnt
	}
	m := ev.field(xt, name)
	return m.typ, m.ent
}

// boxed returns the type of objects that hold a primitive value.
func (ev *evaluator) boxed(x Type) Type {
	if b, ok := ev.lang.cls.box[x]; ok {
		return b
	}
	return x
}

// unboxed returns the primitive type of the values that objects of a type hold.
func (ev *evaluator) unboxed(x Type) Type {
	if r := ev.types.rec(x); r.kind == kNamed {
		if p, ok := ev.lang.cls.unbox[r.ent]; ok {
			return p
		}
	}
	return x
}

// promoted returns the type of the result of arithmetic.
func (ev *evaluator) promoted(a, b Type) Type {
	c := ev.lang.cls
	rank := func(t Type) int {
		if i := slices.Index(c.numeric, t); i >= 0 {
			return i
		}
		if c.primitive[t] && len(c.numeric) > 1 && c.widens[[2]Type{t, ev.lang.tInt}] {
			return 0
		}
		return -1
	}
	i, j := rank(a), rank(b)
	if i < 0 || j < 0 {
		return unknownType
	}
	at := max(i, j, slices.Index(c.numeric, ev.lang.tInt))
	if at < 0 {
		return unknownType
	}
	return c.numeric[at]
}

func (ev *evaluator) classBinary(x *facts.Expr) Type {
	op := ev.f.Facts.Str(x.Name)
	switch op {
	case "==", "!=", "<", "<=", ">", ">=", "&&", "||", "instanceof":
		return ev.boolType()
	}
	a, b := ev.typeOf(x.X), ev.typeOf(x.Y)
	if op == "+" && ev.lang.tString != unknownType && (a == ev.lang.tString || b == ev.lang.tString) {
		return ev.lang.tString
	}
	a, b = ev.unboxed(a), ev.unboxed(b)
	switch op {
	case "<<", ">>", ">>>":
		return ev.promoted(a, a)
	case "&", "|", "^":
		if a == ev.lang.tBool || b == ev.lang.tBool {
			return ev.lang.tBool
		}
	}
	return ev.promoted(a, b)
}

// conditional returns the type of one of several values: the one that all have
// or convert to.
func (ev *evaluator) conditional(x *facts.Expr) Type {
	best := unknownType
	for _, a := range ev.f.Facts.List(x.Args) {
		op := ev.f.Facts.Exprs[a].Op
		if op == facts.OpFunc || op == facts.OpMethodRef {
			continue
		}
		at := ev.typeOf(facts.ExprID(a))
		switch {
		case at == ev.lang.tNull && at != unknownType:
		case at == unknownType:
			if op != facts.OpNone {
				return unknownType
			}
		case best == unknownType || best == at:
			best = at
		case ev.lang.cls.primitive[ev.unboxed(best)] && ev.lang.cls.primitive[ev.unboxed(at)]:
			if p := ev.promoted(ev.unboxed(best), ev.unboxed(at)); p != unknownType {
				best = p
			}
		case ev.fits(at, best, 1) == yes:
		case ev.fits(best, at, 1) == yes:
			best = at
		default:
			if as := ev.shared(best, at); as != unknownType {
				best = as
				continue
			}
			return unknownType
		}
	}
	return best
}

// shared returns the class above two types that is nearest to the first.
func (ev *evaluator) shared(a, b Type) Type {
	found := unknownType
	ev.eachSuper(a, func(y Type) bool {
		r := ev.types.rec(y)
		if r.kind == kNamed && r.ent != ev.lang.cls.rootEnt && !ev.isInterfaceType(y) {
			if as, _ := ev.asSuper(b, r.ent); as != unknownType {
				found = y
			}
		}
		return found == unknownType
	})
	return found
}
