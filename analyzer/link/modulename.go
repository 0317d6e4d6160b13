package link

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// What names mean in languages with modules.

// moduleEval is what an evaluator keeps for languages with modules.
type moduleEval struct {
	nested bool           // the file has namespaces; without, within and owner are not told
	within []facts.DeclID // by DeclID: the innermost namespace around a declaration; None
	owner  []facts.DeclID // by ExprID: the innermost namespace around it; None
	calls  []int32        // by ExprID: 1 + the position in found
	found  []*moduleCall
	open   map[uint64]bool // the exports that are looked for
	own    moduleMemos
	known  *moduleMemos // of the surfaces when they were all inferred
	read   *readings    // while they are
}

// exportKey is the key of what a unit exports under a name.
func exportKey(unit int32, name Sym, s space) uint64 {
	return 1<<63 | uint64(unit)<<34 | uint64(name)<<2 | uint64(s)
}

// meaning is what a name means: a type as expressions have it, and the
// declaration, if it is one.
type meaning struct {
	typ Type
	ent Ent
	ok  bool
}

// reset forgets what was found out from surfaces.
func (m *moduleEval) reset() {
	m.own = moduleMemos{}
}

// openModule starts the evaluation of a file.
func (ev *evaluator) openModule() {
	m := &ev.modules
	fs := ev.f.Facts
	m.calls = zeroed(m.calls, len(fs.Exprs))
	m.found = m.found[:0]
	if m.nested = ev.l.mods.nested[ev.fn]; !m.nested {
		return
	}
	m.within = zeroed(m.within, len(fs.Decls))
	m.owner = zeroed(m.owner, len(fs.Exprs))
	for i := range fs.Decls {
		d := &fs.Decls[i]
		m.within[i] = facts.None
		if d.Parent != facts.None {
			if m.within[i] = m.within[d.Parent]; fs.Decls[d.Parent].Kind == graph.KindNamespace {
				m.within[i] = d.Parent
			}
		}
	}
	for e := range m.owner {
		m.owner[e] = facts.None
	}
	for i := range fs.Decls {
		if d := &fs.Decls[i]; d.Kind == graph.KindNamespace {
			for e := d.Exprs.Lo; e < d.Exprs.Hi; e++ {
				m.owner[e] = facts.DeclID(i)
			}
		}
	}
}

// moduleName returns what a free name means at an expression.
func (ev *evaluator) moduleName(at facts.ExprID, name Sym, s space) (Type, Ent) {
	l := ev.l
	ns := facts.DeclID(facts.None)
	if ev.modules.nested {
		ns = ev.modules.owner[at]
	}
	for n := 0; ns != facts.None && n < maxScopes; ns, n = ev.modules.within[ns], n+1 {
		if e := Ent(l.scopeOf(s).get(nameOwner(0, l.canon[ev.f.base+Ent(ns)]), name)); e != noEnt {
			return ev.named(e, s)
		}
	}
	m := ev.fileName(name, s)
	return m.typ, m.ent
}

// fileName returns what a name means at the top of the file.
func (ev *evaluator) fileName(name Sym, s space) meaning {
	l := ev.l
	if e := Ent(l.scopeOf(s).get(ev.f.unit, name)); e != noEnt {
		t, ref := ev.named(e, s)
		return meaning{t, ref, true}
	}
	if im := l.fileScope.get(ev.fn, name); im >= 0 {
		if m := ev.imported(ev.fn, im, s, 0); m.ok {
			return m
		}
	}
	return ev.globalName(name, s)
}

// globalName returns what a name means that needs no import.
func (ev *evaluator) globalName(name Sym, s space) meaning {
	l := ev.l
	for _, u := range [...]int32{ev.lang.universe} {
		if e := Ent(l.scopeOf(s).get(u, name)); e != noEnt {
			t, ref := ev.named(e, s)
			return meaning{t, ref, true}
		}
	}
	for _, u := range ev.lang.mod.globals {
		if e := Ent(l.scopeOf(s).get(u, name)); e != noEnt {
			t, ref := ev.named(e, s)
			return meaning{t, ref, true}
		}
	}
	if s == spaceType { // primitive types are declared like classes
		if e := Ent(l.mods.types.get(ev.lang.universe, name)); e != noEnt {
			t, ref := ev.named(e, s)
			return meaning{t, ref, true}
		}
	}
	if scripts := l.mods.scripts; scripts != nil {
		if e, ok := scripts[scriptKey{l.units[ev.f.unit].Module, name, s}]; ok && e != noEnt {
			t, ref := ev.named(e, s)
			return meaning{t, ref, true}
		}
	}
	return meaning{ent: noEnt}
}

// named returns the type of a declaration that a name of a space means.
func (ev *evaluator) named(e Ent, s space) (Type, Ent) {
	l := ev.l
	d := l.decl(e)
	if d.Kind == graph.KindNamespace {
		return ev.types.mk(kPkg, l.canon[e], -2), e
	}
	if s == spaceValue && d.Kind == graph.KindTypeAlias { // import a = b.c
		return ev.aliasedValue(e), e
	}
	return ev.surface(e), e
}

func (ev *evaluator) aliasedValue(e Ent) Type {
	if t := ev.surface(e); ev.types.kind(t) == kMeta || ev.types.kind(t) == kPkg {
		return t
	}
	return unknownType
}

// maxReexports bounds the modules through which an exported name is followed.
const maxReexports = 64

// imported returns what the name that an import of a file brings means.
func (ev *evaluator) imported(fn, im int32, s space, depth int) meaning {
	l, t := ev.l, ev.types
	f := &l.files[fn]
	i := &f.Facts.Imports[im]
	none := meaning{ent: noEnt}
	if depth > maxReexports {
		return none
	}
	if i.Path == 0 { // a name of the file
		name := f.syms[i.Name]
		if e := Ent(l.scopeOf(s).get(f.unit, name)); e != noEnt {
			typ, ref := ev.named(e, s)
			return meaning{typ, ref, true}
		}
		if k := l.fileScope.get(fn, name); k >= 0 && k != im {
			return ev.imported(fn, k, s, depth+1)
		}
		return none
	}
	path := f.Facts.Str(i.Path)
	u := l.resolveImport(f.unit, path)
	name := f.Facts.Str(i.Name)
	if u < 0 || l.units[u].surface {
		if ns, ok := l.mods.ambient[f.syms[i.Path]]; ok && ns != noEnt {
			if m := ev.ambient(ns, name, s); m.ok {
				return m
			}
		}
		switch {
		case path[0] == '.' || l.isAsset(path): // not there, or no code
			return none
		case name == "*" || name == "exports":
			return meaning{t.mk(kPkg, Ent(f.syms[i.Path]), -1), noEnt, true}
		}
		if m := ev.known(u, f.syms[i.Name], s); m.ok {
			return m
		}
		if u >= 0 && name == "default" && s == spaceValue { // the module as an object
			return meaning{t.mk(kPkg, Ent(f.syms[i.Path]), -1), noEnt, true}
		}
		return meaning{t.mk(kExtern, Ent(f.syms[i.Path]), int32(f.syms[i.Name])), noEnt, true}
	}
	switch name {
	case "*":
		return ev.wholeModule(u, true, depth+1)
	case "exports":
		return ev.wholeModule(u, false, depth+1)
	case "default":
		if m := ev.exported(u, f.syms[i.Name], s, depth+1); m.ok {
			return m
		}
		if !l.hasExport(u, l.sym2("exports")) && l.units[u].files != nil && !l.isCommonJS(u) {
			return none
		}
		m := ev.wholeModule(u, false, depth+1)
		if s != spaceValue && m.ok && t.kind(m.typ) != kMeta && t.kind(m.typ) != kPkg {
			return none
		}
		return m
	}
	return ev.exported(u, f.syms[i.Name], s, depth+1)
}

// ambient returns what an import of a module brings that a script declares: declare
// module 'm' { … }. What it does not declare may be there, nevertheless.
func (ev *evaluator) ambient(ns Ent, name string, s space) meaning {
	l := ev.l
	own := nameOwner(0, ns)
	export := func(as string) (meaning, bool) {
		im := int32(-1)
		if sym := l.lookupSym(as); sym >= 0 {
			im = l.mods.exports.get(own, sym)
		}
		if im < 0 {
			return meaning{ent: noEnt}, false
		}
		f := &l.files[l.entFile[ns]]
		if e := Ent(l.scopeOf(s).get(own, f.syms[f.Facts.Imports[im].Name])); e != noEnt {
			typ, ref := ev.named(e, s)
			return meaning{typ, ref, true}, true
		}
		return meaning{ent: noEnt}, true
	}
	if name != "*" {
		if m, ok := export(name); ok {
			return m
		}
	}
	switch name {
	case "*", "exports", "default":
		if m, ok := export("exports"); ok {
			return m
		}
		return meaning{ev.types.mk(kPkg, ns, -2), noEnt, true}
	}
	if e := Ent(l.scopeOf(s).get(own, l.sym2(name))); e != noEnt {
		typ, ref := ev.named(e, s)
		return meaning{typ, ref, true}
	}
	return meaning{ent: noEnt}
}

// known returns what a name means in a module outside of the tree, if that is
// known. What a surface does not declare may be there, nevertheless.
func (ev *evaluator) known(u int32, name Sym, s space) meaning {
	if u < 0 || slices.Contains(ev.lang.mod.globals, u) {
		return meaning{ent: noEnt}
	}
	e := Ent(ev.l.scopeOf(s).get(u, name))
	if e == noEnt || ev.l.decl(e).Vis != graph.Public {
		return meaning{ent: noEnt}
	}
	typ, ref := ev.named(e, s)
	return meaning{typ, ref, true}
}

// isAsset reports whether an import path is that of a file that is no code.
func (l *linker) isAsset(path string) bool {
	for i := len(path) - 1; i > 0 && path[i] != '/'; i-- {
		if path[i] == '.' {
			switch path[i:] {
			case ".css", ".scss", ".less", ".sass", ".svg", ".png", ".jpg", ".json", ".html", ".md", ".txt", ".wasm":
				return true
			}
		}
	}
	return false
}

// sym2 returns the symbol of s; one that nothing has if no file mentions it.
func (l *linker) sym2(s string) Sym {
	if i := l.lookupSym(s); i >= 0 {
		return i
	}
	return 0
}

func (l *linker) isCommonJS(u int32) bool {
	for _, fn := range l.units[u].files {
		if f := &l.files[fn]; f.Facts.Str(f.Facts.Package) == "commonjs" {
			return true
		}
	}
	return false
}

// hasExport reports whether a unit itself exports a name.
func (l *linker) hasExport(u int32, name Sym) bool {
	return name != 0 && (l.mods.exports.get(u, name) >= 0 || l.pkgScope.get(u, name) >= 0)
}

// wholeModule returns what a module is as an object: what it exports as a whole,
// or the object of its exports.
func (ev *evaluator) wholeModule(u int32, star bool, depth int) meaning {
	if w := ev.l.lookupSym("exports"); w >= 0 {
		if m := ev.exported(u, w, spaceValue, depth); m.ok {
			if t := ev.types; t.kind(m.typ) == kFunc && m.ent != noEnt && ev.l.decl(m.ent).Kind == graph.KindFunction && ev.l.isCommonJS(u) {
				// What is given to its exports behind the function is a member of it.
				m.typ = ev.both([]Type{m.typ, t.mk(kPkg, Ent(0), u)})
			}
			return m
		}
	}
	return meaning{ev.types.mk(kPkg, Ent(0), u), noEnt, true}
}

// exported returns what a module exports under a name.
func (ev *evaluator) exported(u int32, name Sym, s space, depth int) meaning {
	k := exportKey(u, name, s)
	l, c := ev.l, &ev.modules
	if m := recall(c, &c.known.exports, &c.own.exports, k); m != nil {
		return *m
	}
	none := meaning{ent: noEnt}
	if c.open[k] || depth > maxReexports {
		return none
	}
	if c.open == nil {
		c.open = map[uint64]bool{}
	}
	c.open[k] = true
	g := c.read.begin()
	m := ev.findExport(u, name, s, depth)
	if m.ok && s == spaceValue && (m.ent == noEnt || l.decl(m.ent).Kind == graph.KindVariable || l.decl(m.ent).Kind == graph.KindConstant) {
		// What a value has that is put together while it runs is what is declared
		// beside it.
		rules := l.units[u].rules
		if d, ok := rules.layout.Declared[int(u-rules.firstUnit)]; ok {
			if as := ev.exported(rules.firstUnit+int32(d), name, s, depth+1); as.ok && as.typ != unknownType && as.typ != m.typ {
				m.typ = ev.both([]Type{m.typ, as.typ})
			}
		}
	}
	group := c.read.end(g)
	delete(c.open, k)
	if m.ok || len(c.open) == 0 { // what an open circle hid may be there
		c.own.exports.put(k, m, group)
	}
	return m
}

func (ev *evaluator) findExport(u int32, name Sym, s space, depth int) meaning {
	l := ev.l
	if im := l.mods.exports.get(u, name); im >= 0 {
		for _, fn := range l.units[u].files {
			if m := ev.imported(fn, im, s, depth); m.ok {
				return m
			}
		}
	}
	if e := Ent(l.scopeOf(s).get(u, name)); e != noEnt && (l.decl(e).Vis == graph.Public || l.units[u].surface) && l.symString(name) != "default" || e != noEnt && l.symString(name) == "default" {
		t, ref := ev.named(e, s)
		return meaning{t, ref, true}
	}
	for _, fn := range l.units[u].files {
		f := &l.files[fn]
		if l.symString(name) == "default" || l.symString(name) == "exports" {
			break
		}
		for _, i := range l.mods.stars[u] {
			im := &f.Facts.Imports[i]
			if to := l.resolveImport(u, f.Facts.Str(im.Path)); to >= 0 && !l.units[to].surface {
				if m := ev.exported(to, name, s, depth+1); m.ok {
					return m
				}
			}
		}
	}
	if s == spaceValue { // a member of what a module of CommonJS is
		if w := l.lookupSym("exports"); w >= 0 && w != name {
			if m := ev.exported(u, w, spaceValue, depth+1); m.ok {
				if p := ev.property(m.typ, name); p.ok() {
					typ, ent := ev.followed(p)
					return meaning{typ, ent, true}
				}
			}
		}
	} else if w := l.lookupSym("exports"); w >= 0 && w != name {
		if m := ev.exported(u, w, spaceNamespace, depth+1); m.ok && ev.types.kind(m.typ) == kPkg {
			if n := ev.inNamespace(m.typ, name, s, depth+1); n.ok {
				return n
			}
		}
		if s == spaceType { // a class among the members of what the module is
			if m := ev.exported(u, w, spaceValue, depth+1); m.ok {
				if p := ev.property(m.typ, name); p.ok() {
					if typ, ent := ev.followed(p); ent != noEnt && l.decl(ent).Kind.IsType() {
						return meaning{typ, ent, true}
					}
				}
			}
		}
	}
	rules := l.units[u].rules
	if d, ok := rules.layout.Declared[int(u-rules.firstUnit)]; ok { // what it does not declare itself
		return ev.exported(rules.firstUnit+int32(d), name, s, depth+1)
	}
	return meaning{ent: noEnt}
}

// followed returns what a property of an object of exports is: where it only
// names a declaration, that.
func (ev *evaluator) followed(p property) (Type, Ent) {
	l := ev.l
	if p.ent == noEnt {
		return p.typ, p.ent
	}
	d := l.decl(p.ent)
	if d.Kind != graph.KindField || d.Value == facts.None {
		return p.typ, p.ent
	}
	f := &l.files[l.entFile[p.ent]]
	x := &f.Facts.Exprs[d.Value]
	if x.Op != facts.OpName || x.Flags&facts.FlagLocal != 0 {
		return p.typ, p.ent
	}
	name := f.syms[x.Name]
	if e := Ent(l.pkgScope.get(f.unit, name)); e != noEnt {
		return ev.named(e, spaceValue)
	}
	if im := l.fileScope.get(l.entFile[p.ent], name); im >= 0 {
		if m := ev.imported(l.entFile[p.ent], im, spaceValue, 8); m.ok {
			return m.typ, m.ent
		}
	}
	return p.typ, p.ent
}

// inNamespace returns what a namespace or module object x has under a name.
func (ev *evaluator) inNamespace(x Type, name Sym, s space, depth int) meaning {
	l, t := ev.l, ev.types
	r := *t.rec(x)
	none := meaning{ent: noEnt}
	if r.kind != kPkg {
		return none
	}
	switch {
	case r.n >= 0:
		return ev.exported(r.n, name, s, depth)
	case r.n == -1:
		if u, ok := ev.lang.byPath[l.symString(Sym(r.ent))]; ok {
			if m := ev.known(u, name, s); m.ok {
				return m
			}
		}
		return meaning{t.mk(kExtern, r.ent, int32(name)), noEnt, true}
	}
	if e := Ent(l.scopeOf(s).get(nameOwner(0, r.ent), name)); e != noEnt && (l.decl(e).Vis == graph.Public || l.entFile[e] == ev.fn) {
		typ, ref := ev.named(e, s)
		return meaning{typ, ref, true}
	}
	return none
}

type scriptKey struct {
	module int
	name   Sym
	space  space
}

// shareScripts makes the names of scripts known to the files of their module:
// those that one script alone declares.
func (l *linker) shareScripts() {
	if len(l.mods.global) == 0 {
		return
	}
	l.mods.scripts = map[scriptKey]Ent{}
	for fn := range l.files {
		f := &l.files[fn]
		if f.unit < 0 || !l.mods.global[f.unit] {
			continue
		}
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			if d.Parent != facts.None || d.Name == 0 || d.Traits&(facts.TraitLocal|facts.TraitLiteral|facts.TraitOverload) != 0 {
				continue
			}
			e := f.base + Ent(i)
			if d.Kind == graph.KindNamespace {
				if module, quoted := unquotedModule(f.Facts.Str(d.Name)); quoted {
					l.declareAmbient(module, l.canon[e])
					continue
				}
			}
			for _, s := range [...]space{spaceValue, spaceType, spaceNamespace} {
				first := Ent(l.scopeOf(s).get(f.unit, f.syms[d.Name]))
				if first != e {
					continue
				}
				k := scriptKey{l.units[f.unit].Module, f.syms[d.Name], s}
				if _, ok := l.mods.scripts[k]; ok {
					l.mods.scripts[k] = noEnt
				} else {
					l.mods.scripts[k] = e
				}
			}
		}
	}
}

// declareAmbient notes the module that a script declares.
func (l *linker) declareAmbient(path string, ns Ent) {
	sym := l.lookupSym(path)
	if sym < 0 {
		return // nobody imports it
	}
	if l.mods.ambient == nil {
		l.mods.ambient = map[Sym]Ent{}
	}
	if was, ok := l.mods.ambient[sym]; ok && was != ns {
		ns = noEnt
	}
	l.mods.ambient[sym] = ns
}
