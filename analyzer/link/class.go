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
	primitive  typeSet
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
	c := &classes{Classes: s.Classes, roots: map[graph.Kind]Ent{}, box: map[Type]Type{},
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
		c.primitive.add(t)
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
	if s.Dynamic != nil {
		return s.Dynamic.needed()
	}
	if c == nil {
		if s.Modules != nil {
			return s.Modules.Globals
		}
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

// named says what kinds of members there are of one name, over all types: most
// names are of none, and need not be looked for in the types above a type.
type named uint8

const (
	namedType named = 1 << iota
	namedValue
	namedAssigned // some code assigns to an attribute of the name; see findFallbacks
)

func (l *linker) setNamed(name Sym, kinds named) {
	if int(name) >= len(l.named) {
		l.named = append(l.named, make([]named, max(len(l.syms.Strings), int(name)+1)-len(l.named))...)
	}
	l.named[name] |= kinds
}

// addMember makes e a member of a type, beside others of its name.
func (l *linker) addMember(owner Ent, name Sym, e Ent) {
	switch k := l.decl(e).Kind; {
	case k.IsType():
		l.setNamed(name, namedType)
	case isValue(k):
		l.setNamed(name, namedValue)
	}
	if first := Ent(l.members.put(int32(owner), name, int32(e))); first != e {
		l.nextMember[e] = l.nextMember[first]
		l.nextMember[first] = e
	}
}

// hasMember reports whether a type has a member of some kinds under a name.
func (l *linker) hasMember(name Sym, kinds named) bool {
	return name >= 0 && int(name) < len(l.named) && l.named[name]&kinds != 0
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
	l.nameModules()
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
	return l.typeAmong(l.unitsOf(from, path), name)
}

// typeAmong returns the type that the first of some units has under a name.
func (l *linker) typeAmong(units []int32, name Sym) Ent {
	for _, u := range units {
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
	methods pairs[*methodList] // by type and name
	fields  pairs[member]      // the same
	sams    map[Type]Type
	supers  []*superList // by Type, as far as asked for

	unit  int32     // of which near is
	near  []int32   // the units that are meant by the path of a unit
	known [][]int32 // and by those of the packages whose types need no import
}

// nearUnits finds the units whose types need no import in a file.
func (ev *evaluator) nearUnits() {
	c, l, unit := &ev.classes, ev.l, ev.f.unit
	if c.known != nil && c.unit == unit {
		return
	}
	c.unit, c.near, c.known = unit, l.unitsOf(unit, l.units[unit].Path), make([][]int32, 0, len(ev.lang.Classes.Default))
	for _, p := range ev.lang.Classes.Default {
		c.known = append(c.known, l.unitsOf(unit, p))
	}
}

// reset forgets what was found out about types.
func (c *classEval) reset() {
	c.methods.clear()
	c.fields.clear()
	c.sams, c.supers = map[Type]Type{}, nil
}

// openClasses starts the evaluation of a file.
func (ev *evaluator) openClasses() {
	c := &ev.classes
	if c.sams == nil {
		c.reset()
	}
	fs := ev.f.Facts
	n := len(fs.Exprs)
	c.within, c.calls = zeroed(c.within, n), zeroed(c.calls, n)
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
	for e := 0; e < n; {
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
		in, until := facts.DeclID(facts.None), n // all up to the next that begins or ends
		if len(open) > 0 {
			in = open[len(open)-1]
			until = min(until, int(fs.Decls[in].Exprs.Hi))
		}
		if next < len(fs.Decls) {
			until = min(until, int(starts))
		}
		for ; e < until; e++ {
			c.within[e] = in
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
		return ev.types.denoted(ev.surface(e))
	}
	var buf [8]Type
	args := buf[:0]
	for i := range n {
		args = append(args, ev.types.mk(kParam, ev.l.canon[e], int32(i)))
	}
	return ev.types.intern(kNamed, ev.l.canon[e], 0, args)
}

func (ev *evaluator) typeOfDecl(d facts.DeclID) Type { return ev.instance(ev.f.base + Ent(d)) }

// typeSet is a set of types, by their numbers.
type typeSet []bool

func (s *typeSet) add(x Type) {
	for int(x) >= len(*s) {
		*s = append(*s, false)
	}
	(*s)[x] = true
}

func (s typeSet) has(x Type) bool { return uint(x) < uint(len(s)) && s[x] }

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
