package link

import (
	"strings"

	"github.com/codekg/kg/analyzer/facts"
)

// What the names of modules mean, through imports of imports.

// binding is what a name of a module is bound to.
type binding struct {
	kind bindingKind
	ent  Ent   // bindEnt
	unit int32 // bindModule: -1 where it is no module itself, only above some
	path Sym   // bindModule, bindExtern
	name Sym   // bindExtern
}

type bindingKind uint8

const (
	bindNone bindingKind = iota
	bindEnt
	bindModule
	bindExtern
)

// bringImport brings what an import at the top of a file names into scope. The
// first import of a name counts.
func (l *linker) bringImport(fn, i int32, im *facts.Import) {
	f := &l.files[fn]
	bring := func(name Sym) {
		if l.fileScope.put(fn, name, i) != i {
			l.otherImports[fn] = append(l.otherImports[fn], otherImport{name, i})
		}
	}
	switch {
	case f.Facts.Str(im.Name) == "*":
		l.dotImports[fn] = append(l.dotImports[fn], i)
	case im.Alias != 0:
		bring(f.syms[im.Alias])
	case im.Name != 0:
		bring(f.syms[im.Name])
	default:
		path := f.Facts.Str(im.Path)
		if k := strings.IndexByte(path, '.'); k > 0 {
			path = path[:k]
		}
		bring(l.sym(path))
	}
}

// otherImport is an import of a name that an import before it in its file brings
// already: what stands in where that is missing.
type otherImport struct {
	name   Sym
	number int32
}

// nameModules makes the names of modules known, and what they begin with: those
// of the tree as true, those that are only imported as false.
func (l *linker) nameModules() {
	add := func(path string, own bool) {
		for path != "" {
			sym := l.sym(path)
			if known, ok := l.pkgNames[sym]; ok && (known || !own) {
				return
			}
			l.pkgNames[sym] = own
			path = path[:max(strings.LastIndexByte(path, '.'), 0)]
		}
	}
	for i := range l.units {
		if u := &l.units[i]; u.rules.Dynamic != nil && !u.universe {
			add(u.Path, !u.surface)
		}
	}
	for i := range l.files {
		f := &l.files[i]
		if f.unit < 0 || f.Rules.Dynamic == nil {
			continue
		}
		for k := range f.Facts.Imports {
			if p := f.Facts.Str(f.Facts.Imports[k].Path); p != "" && p[0] != '.' && f.Facts.Imports[k].Name == 0 {
				add(p, false)
			}
		}
	}
}

// maxChase bounds the imports of imports that are followed.
const maxChase = 64

// nameIn returns what a name of a module is bound to: by a declaration, an
// import, an import of all names, or as the module below it.
func (ev *evaluator) nameIn(u int32, name Sym) binding {
	if b, ok := either(&ev.dyn.binds, &ev.dyn.known.binds, u, int32(name)); ok {
		return b
	}
	if ev.dyn.chase > maxChase {
		return binding{}
	}
	ev.dyn.binds.set(u, int32(name), binding{}) // while it is looked for
	ev.dyn.chase++
	b := ev.findModuleName(u, name)
	ev.dyn.chase--
	ev.dyn.binds.set(u, int32(name), b)
	return b
}

func (ev *evaluator) findModuleName(u int32, name Sym) binding {
	l := ev.l
	if e := Ent(l.pkgScope.get(u, name)); e != noEnt {
		return binding{kind: bindEnt, ent: e}
	}
	for _, fn := range l.units[u].files {
		if im := l.fileScope.get(fn, name); im >= 0 {
			b := ev.importedName(fn, &l.files[fn].Facts.Imports[im])
			if b.kind == bindNone || b.kind == bindExtern { // one that the tree has rather counts
				for _, o := range l.otherImports[fn] {
					if o.name != name {
						continue
					}
					if c := ev.importedName(fn, &l.files[fn].Facts.Imports[o.number]); c.kind == bindEnt || c.kind == bindModule && c.unit >= 0 && b.kind == bindNone {
						return c
					}
				}
			}
			if b.kind != bindNone {
				return b
			}
		}
	}
	if b := ev.starName(u, name); b.kind != bindNone {
		return b
	}
	return ev.submodule(u, name)
}

// starName returns what a name means by imports of all names.
func (ev *evaluator) starName(u int32, name Sym) binding {
	l := ev.l
	for _, fn := range l.units[u].files {
		for _, im := range l.dotImports[fn] {
			i := &l.files[fn].Facts.Imports[im]
			to := ev.moduleUnit(u, l.files[fn].syms[i.Path])
			if to < 0 || !ev.exports(to, name) {
				continue
			}
			if b := ev.nameIn(to, name); b.kind != bindNone {
				return b
			}
		}
	}
	return binding{}
}

// exports reports whether an import of all names of a module brings a name.
func (ev *evaluator) exports(u int32, name Sym) bool {
	l := ev.l
	names, ok := ev.dyn.exported[u]
	if !ok {
		names, ok = ev.dyn.known.exported[u]
	}
	if !ok {
		for _, fn := range l.units[u].files {
			f := &l.files[fn]
			for i := range f.Facts.Directives {
				d := &f.Facts.Directives[i]
				if f.Facts.Str(d.Name) == ev.lang.Dynamic.Exports {
					if names == nil {
						names = map[Sym]bool{}
					}
					if f.Facts.Str(d.Value) == "*" {
						names[l.lookupSym("")] = true
					}
					names[f.syms[d.Value]] = true
				}
			}
		}
		if ev.dyn.exported == nil {
			ev.dyn.exported = map[int32]map[Sym]bool{}
		}
		ev.dyn.exported[u] = names
	}
	public := !strings.HasPrefix(l.symString(name), "_")
	if names == nil {
		return public
	}
	return names[name] || public && names[l.lookupSym("")]
}

// submodule returns the module of a name below a package.
func (ev *evaluator) submodule(u int32, name Sym) binding {
	l := ev.l
	full := l.units[u].Path + "." + l.symString(name)
	if to := l.resolveImport(u, full); to >= 0 {
		if s := l.lookupSym(full); s >= 0 {
			return binding{kind: bindModule, unit: to, path: s}
		}
	}
	return binding{}
}

// moduleUnit returns the unit of a module's path for a unit, or -1.
func (ev *evaluator) moduleUnit(from int32, path Sym) int32 {
	if u, ok := either(&ev.dyn.units, &ev.dyn.known.units, from, int32(path)); ok {
		return u
	}
	u := ev.l.resolveImport(from, ev.l.symString(path))
	ev.dyn.units.set(from, int32(path), u)
	return u
}

// importedName returns what an import of a file brings into scope.
func (ev *evaluator) importedName(fn int32, im *facts.Import) binding {
	l := ev.l
	f := &l.files[fn]
	path := f.syms[im.Path]
	if im.Name == 0 {
		if im.Alias == 0 {
			if p := f.Facts.Str(im.Path); strings.IndexByte(p, '.') > 0 {
				path = l.lookupSym(p[:strings.IndexByte(p, '.')])
				if path < 0 {
					return binding{}
				}
			}
		}
		return binding{kind: bindModule, unit: ev.moduleUnit(f.unit, path), path: path}
	}
	name := f.syms[im.Name]
	to := ev.moduleUnit(f.unit, path)
	if to >= 0 {
		if b := ev.nameIn(to, name); b.kind != bindNone {
			return b
		}
		if l.units[to].surface {
			return binding{}
		}
	}
	p := f.Facts.Str(im.Path)
	full := p + "." + f.Facts.Str(im.Name)
	if strings.HasSuffix(p, ".") {
		full = p + f.Facts.Str(im.Name)
	}
	if sub := l.resolveImport(f.unit, full); sub >= 0 {
		if s := l.lookupSym(l.units[sub].Path); s >= 0 {
			return binding{kind: bindModule, unit: sub, path: s}
		}
	}
	if to >= 0 || strings.HasPrefix(p, ".") {
		return binding{}
	}
	return binding{kind: bindExtern, path: path, name: name}
}

// bound returns the value of what a name is bound to.
func (ev *evaluator) boundValue(b binding) (Type, Ent) {
	t := ev.types
	switch b.kind {
	case bindEnt:
		return ev.valueOf(b.ent), b.ent
	case bindModule:
		return t.mk(kPkg, Ent(b.path), b.unit), noEnt
	case bindExtern:
		return t.mk(kExtern, Ent(b.path), int32(b.name)), noEnt
	}
	return unknownType, noEnt
}

// moduleMember returns the member of a module that a selection names.
func (ev *evaluator) moduleMember(pkg Type, name Sym) (Type, Ent) {
	l, t := ev.l, ev.types
	r := *t.rec(pkg)
	if r.n >= 0 {
		return ev.boundValue(ev.nameIn(r.n, name))
	}
	full := l.symString(Sym(r.ent)) + "." + l.symString(name)
	if _, known := l.pkgNames[l.lookupSym(full)]; known {
		s := l.lookupSym(full)
		return t.mk(kPkg, Ent(s), ev.moduleUnit(ev.f.unit, s)), noEnt
	}
	return t.mk(kExtern, r.ent, int32(name)), noEnt
}

// boundName returns what a name of the file that is evaluated means in its module: its
// type as a value, and what it names.
func (ev *evaluator) boundName(name facts.Str) (Type, Ent) {
	d := &ev.dyn
	stamp := uint32(0) // of a file of the tree: once and for all
	if ev.l.units[ev.f.unit].surface {
		stamp = d.opened
	}
	if at := &d.free[name]; !at.known || at.opened != stamp {
		b := ev.freeBinding(ev.f.syms[name])
		if d.chase > 0 {
			return ev.boundValue(b) // of names that are looked for just now not all is known
		}
		d.free[name] = boundName{stamp, true, b}
	}
	return ev.boundValue(d.free[name].binding)
}

// boundName is what a name of a file is bound to, if it was asked for: of a library,
// since the file was opened.
type boundName struct {
	opened uint32
	known  bool
	binding
}

// freeBinding returns what a name is bound to in the file's module, or everywhere.
func (ev *evaluator) freeBinding(name Sym) binding {
	if b := ev.moduleNameHere(name); b.kind != bindNone {
		return b
	}
	if e := Ent(ev.l.pkgScope.get(ev.lang.universe, name)); e != noEnt {
		return binding{kind: bindEnt, ent: e}
	}
	return binding{}
}

// moduleNameHere is moduleName of the file's own module, without the modules
// below it, which are no names in it.
func (ev *evaluator) moduleNameHere(name Sym) binding {
	l := ev.l
	u := ev.f.unit
	if e := Ent(l.pkgScope.get(u, name)); e != noEnt {
		return binding{kind: bindEnt, ent: e}
	}
	if im := l.fileScope.get(ev.fn, name); im >= 0 {
		return ev.nameIn(u, name)
	}
	return ev.starName(u, name)
}
