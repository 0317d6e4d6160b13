package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Languages of modules with structural types. A file is a module of its own and
// sees what it imports; names of types, of values and of namespaces are apart. A
// type has the members that its declaration lists, those of its bases, and of an
// intersection those of all its parts; what implements what is a question of
// members, not of names.

// moduleScopes are the tables of names of all files of such languages. The owner
// of a name is a unit, or the complement of a namespace's entity.
type moduleScopes struct {
	types      *scopes
	namespaces *scopes
	exports    *scopes             // (unit, name) → import
	stars      map[int32][]int32   // by unit: the imports whose exports it exports
	companion  map[Ent]Ent         // of classes, functions and enums: the namespace of the same name
	nested     map[int32]bool      // by file: it has namespaces
	global     map[int32]bool      // by unit: whether its names are known in all files of its module
	overloads  map[Ent][]Ent       // by canonical entity: its other signatures, in their order
	scripts    map[scriptKey]Ent   // the names of scripts
	defaults   pairs[Type]         // what type parameters are by default, as constraints
	merged     map[Ent][]Ent       // by canonical entity: the other declarations of a type
	joined     bool                // whether some of them are canonical, too
	ambient    map[Sym]Ent         // by path: the module that a script of the tree declares; noEnt: several do
	additions  map[Sym]addedMember // by name: what the tree adds to types of others
	memos      *moduleMemos        // what is known of all surfaces
	marks      []entMark           // by Ent
}

// entMark tells in one place what few declarations are or have, so that the maps are
// asked only for those that are in them.
type entMark uint8

const (
	isMaker       entMark = 1 << iota // a function that gives its objects members
	isFluent                          // a method whose declared result is this
	isBoxed                           // a primitive type whose values have the members of an interface
	isEmpty                           // a primitive type whose values have no members
	isMerged                          // it is in merged
	isOverloaded                      // it is in overloads
	isAccompanied                     // it is in companion
)

func (m *moduleScopes) is(e Ent, mark entMark) bool { return m.marks[e]&mark != 0 }

func (m *moduleScopes) mergedWith(e Ent) []Ent {
	if !m.is(e, isMerged) {
		return nil
	}
	return m.merged[e]
}

func (m *moduleScopes) mergeWith(e Ent, with ...Ent) {
	m.marks[e] |= isMerged
	m.merged[e] = append(m.merged[e], with...)
}

func (m *moduleScopes) overloadsOf(e Ent) []Ent {
	if !m.is(e, isOverloaded) {
		return nil
	}
	return m.overloads[e]
}

func (m *moduleScopes) addOverload(e, overload Ent) {
	m.marks[e] |= isOverloaded
	m.overloads[e] = append(m.overloads[e], overload)
}

func (m *moduleScopes) companionOf(e Ent) Ent {
	if !m.is(e, isAccompanied) {
		return noEnt
	}
	return m.companion[e]
}

func (m *moduleScopes) accompany(e, namespace Ent) {
	m.marks[e] |= isAccompanied
	m.companion[e] = namespace
}

func newModuleScopes(n int) moduleScopes {
	return moduleScopes{types: newScopes(n / 2), namespaces: newScopes(64), exports: newScopes(n / 4), stars: map[int32][]int32{},
		companion: map[Ent]Ent{}, nested: map[int32]bool{}, global: map[int32]bool{}, overloads: map[Ent][]Ent{}, merged: map[Ent][]Ent{},
		marks: make([]entMark, n), additions: map[Sym]addedMember{}, memos: nothingKnown}
}

// modules is what the linker keeps for a language with modules.
type modules struct {
	*Modules
	globals   []int32      // the units whose names need no import
	boxes     map[Type]Ent // see box
	array     Ent
	list      Ent
	function  Ent
	promise   Ent
	awaitable Ent
	iterator  Ent
	asyncIter Ent
	regexp    Ent
	utilities map[Ent]Utility
	void      Type
	undefined Type
	construct Sym // the names of the members that are no members: signatures of types
	call      Sym
	index     Sym
	iterate   Sym
	asyncOf   Sym
	then      Sym
	prototype Sym
}

func (l *linker) newModules(s *langState, named func(string) Type) *modules {
	m := &modules{Modules: s.Modules, boxes: map[Type]Ent{}, utilities: map[Ent]Utility{}}
	for _, p := range s.Modules.Globals {
		if u, ok := s.byPath[p]; ok && u >= 0 {
			m.globals = append(m.globals, u)
		}
	}
	typ := func(name string) Ent {
		if sym := l.lookupSym(name); sym >= 0 && name != "" {
			for _, u := range m.globals {
				if e := Ent(l.mods.types.get(u, sym)); e != noEnt {
					return e
				}
			}
		}
		return noEnt
	}
	for from, to := range m.Boxes {
		if t, e := named(from), typ(to); t != unknownType && e != noEnt {
			l.mods.marks[l.types.rec(t).ent] |= isBoxed
			m.boxes[t] = e
		}
	}
	for _, n := range m.Empty {
		if t := named(n); t != unknownType {
			l.mods.marks[l.types.rec(t).ent] |= isEmpty
		}
	}
	m.array, m.list, m.function, m.regexp = typ(m.Array), typ(m.List), typ(m.Function), typ(m.Regexp)
	m.promise, m.awaitable = typ(m.Promise), typ(m.Awaitable)
	m.iterator, m.asyncIter = typ(m.Iterator), typ(m.AsyncIterator)
	for name, u := range m.Utilities {
		if e := typ(name); e != noEnt {
			m.utilities[e] = u
		}
	}
	m.void, m.undefined = named("void"), named("undefined")
	m.construct, m.call, m.index = l.sym("new()"), l.sym("()"), l.sym("[]")
	m.iterate, m.asyncOf, m.then, m.prototype = l.sym("[Symbol.iterator]"), l.sym("[Symbol.asyncIterator]"), l.sym("then"), l.sym("prototype")
	return m
}

// box returns the interface whose members the values of a primitive type have.
func (ev *evaluator) box(x Type) (Ent, bool) {
	if r := ev.types.rec(x); r.kind != kNamed || !ev.l.mods.is(r.ent, isBoxed) {
		return noEnt, false
	}
	e, ok := ev.lang.mod.boxes[x]
	return e, ok
}

// isEmpty reports whether the values of a type have no members.
func (ev *evaluator) isEmpty(x Type) bool {
	r := ev.types.rec(x)
	return r.kind == kNamed && ev.l.mods.is(r.ent, isEmpty)
}

// nameOwner returns the owner of the names that a declaration's parent holds.
func nameOwner(unit int32, namespace Ent) int32 {
	if namespace == noEnt {
		return unit
	}
	return ^int32(namespace)
}

// declareModule puts the declarations of a file into the scopes.
func (l *linker) declareModule(fn int32) {
	f := &l.files[fn]
	s := l.units[f.unit].rules
	if f.Facts.Str(f.Facts.Package) == "script" && !l.units[f.unit].surface {
		l.mods.global[f.unit] = true
	}
	for i := range f.Facts.Decls {
		d := &f.Facts.Decls[i]
		e := f.base + Ent(i)
		if d.Kind == graph.KindNamespace {
			l.mods.nested[fn] = true
		}
		if d.Traits&(facts.TraitLiteral|facts.TraitFileScoped) != 0 || d.Name == 0 {
			continue
		}
		name := f.syms[d.Name]
		parent := noEnt
		if d.Parent != facts.None {
			p := &f.Facts.Decls[d.Parent]
			if p.Kind != graph.KindNamespace {
				if p.Kind.IsType() || (p.Kind == graph.KindFunction || p.Kind == graph.KindVariable || p.Kind == graph.KindConstant) && p.Traits&facts.TraitLiteral == 0 && !(d.Traits&facts.TraitLocal != 0 && d.Kind != graph.KindField && d.Kind != graph.KindMethod) {
					l.declareMember(l.canon[f.base+Ent(d.Parent)], name, e, d)
				}
				continue
			}
			parent = l.canon[f.base+Ent(d.Parent)]
		}
		if d.Traits&facts.TraitLocal != 0 {
			continue
		}
		unit := f.unit
		if d.Traits&facts.TraitGlobal != 0 {
			unit = s.universe
		}
		l.declareName(nameOwner(unit, parent), name, e, d)
	}
	for i := range f.Facts.Imports {
		im := &f.Facts.Imports[i]
		switch {
		case im.Flags&facts.ImportReExport != 0 && im.Owner != facts.None: // of a module with a name
			if im.Alias != 0 && im.Path == 0 {
				l.mods.exports.put(nameOwner(0, l.canon[f.base+Ent(im.Owner)]), f.syms[im.Alias], int32(i))
			}
		case im.Flags&facts.ImportReExport != 0 && im.Alias == 0:
			l.mods.stars[f.unit] = append(l.mods.stars[f.unit], int32(i))
		case im.Flags&facts.ImportReExport != 0:
			l.mods.exports.put(f.unit, f.syms[im.Alias], int32(i))
		case im.Alias != 0:
			l.fileScope.put(fn, f.syms[im.Alias], int32(i))
		}
	}
}

// declareName puts a declaration of a file or namespace into the scopes, and
// joins the declarations that are one.
func (l *linker) declareName(owner int32, name Sym, e Ent, d *facts.Decl) {
	m := &l.mods
	if d.Traits&facts.TraitOverload != 0 {
		l.overload(e)
		return
	}
	switch {
	case d.Kind == graph.KindNamespace:
		first := Ent(m.namespaces.put(owner, name, int32(e)))
		l.canon[e] = first
		if v := Ent(l.pkgScope.get(owner, name)); v != noEnt {
			m.accompany(l.canon[v], first)
		} else if v := Ent(l.pkgScope.put(owner, name, int32(first))); v != first {
			m.accompany(l.canon[v], first)
		}
		return
	case d.Kind == graph.KindInterface || d.Kind == graph.KindTypeAlias:
		if first := Ent(m.types.put(owner, name, int32(e))); first != e && d.Kind == graph.KindInterface {
			if k := l.decl(first).Kind; k == graph.KindInterface || k == graph.KindClass {
				l.merge(first, e)
			}
		}
		if d.Kind == graph.KindTypeAlias && l.decl(e).Type != facts.None { // import a = b.c names values, too
			f := &l.files[l.entFile[e]]
			if op := f.Facts.Exprs[d.Type].Op; f.Facts.Str(d.Signature) == "" && (op == facts.OpSelect || op == facts.OpName) {
				l.pkgScope.put(owner, name, int32(e))
			}
		}
		return
	case d.Kind == graph.KindClass || d.Kind == graph.KindEnum:
		if first := Ent(m.types.put(owner, name, int32(e))); first != e {
			switch k := l.decl(first).Kind; {
			case k == d.Kind && d.Kind == graph.KindEnum, k == graph.KindInterface && d.Kind == graph.KindClass:
				l.merge(first, e)
			}
		}
	}
	first := Ent(l.pkgScope.put(owner, name, int32(e)))
	if first == e {
		return
	}
	if l.decl(first).Kind == graph.KindNamespace { // what came later is the value
		m.accompany(e, first)
		l.pkgScope.set(owner, name, int32(e))
	}
}

// merge makes e a declaration of the type that first declares.
func (l *linker) merge(first, e Ent) {
	first = l.canon[first]
	l.canon[e] = first
	l.mods.mergeWith(first, e)
}

// overload notes a signature of a function that is declared beside it.
func (l *linker) overload(e Ent) {
	if b := l.bodyOf(e); b != e {
		l.canon[e] = b
		l.mods.addOverload(b, e)
	}
}

// bodyOf returns the declaration whose further signature e is: the next one of
// its name in the same place that is no signature, or the one before it.
func (l *linker) bodyOf(e Ent) Ent {
	f := &l.files[l.entFile[e]]
	at := int(e - f.base)
	d := &f.Facts.Decls[at]
	for i := at + 1; i < len(f.Facts.Decls); i++ {
		o := &f.Facts.Decls[i]
		if o.Parent != d.Parent || o.Name != d.Name {
			if o.Parent == d.Parent && o.Traits&facts.TraitLiteral == 0 {
				break
			}
			continue
		}
		if o.Traits&facts.TraitOverload == 0 {
			return f.base + Ent(i)
		}
	}
	for i := at - 1; i >= 0; i-- {
		o := &f.Facts.Decls[i]
		if o.Parent == d.Parent && o.Name == d.Name && o.Traits&facts.TraitOverload == 0 {
			return f.base + Ent(i)
		}
		if facts.DeclID(i) == d.Parent {
			break
		}
	}
	return e
}

// declareMember makes e a member of a type.
func (l *linker) declareMember(owner Ent, name Sym, e Ent, d *facts.Decl) {
	if d.Traits&facts.TraitOverload != 0 {
		if b := l.bodyOf(e); b != e {
			l.canon[e] = b
			l.mods.addOverload(b, e)
			return
		}
	} else if s := Ent(l.members.get(int32(owner), name)); s != noEnt && l.canon[s] == s && l.entFile[s] == l.entFile[e] && l.decl(s).Traits&facts.TraitOverload != 0 {
		l.canon[s] = e // a signature whose body is given to the type further on
		if l.decl(s).Kind.IsCallable() {
			l.mods.addOverload(e, s)
		}
		l.members.set(int32(owner), name, int32(e))
		return
	}
	if k := l.decl(owner).Kind; !k.IsType() && !d.Flags.Has(graph.FlagStatic) {
		l.mods.marks[owner] |= isMaker
	}
	l.addMember(owner, name, e)
}

// localTarget returns what a name means in a file as a type, a value or a
// namespace, without the names of the bodies and namespaces around.
type space uint8

const (
	spaceValue space = iota
	spaceType
	spaceNamespace
)

// scopeOf returns the table of the names of a space.
func (l *linker) scopeOf(s space) *scopes {
	switch s {
	case spaceType:
		return l.mods.types
	case spaceNamespace:
		return l.mods.namespaces
	}
	return l.pkgScope
}
