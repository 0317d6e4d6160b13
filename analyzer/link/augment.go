package link

import (
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// What a tree adds to the types of others. An interface that a file declares for
// all files, or for a module with a name, adds members to the type of that name:
// one of a surface, or of another file of the tree. What is declared stays a
// declaration of its own; values of either type have the members of both.
//
// Types of modules outside of the tree are not known, and so it is not known
// which values have what is added to them. Such a member is noted by its name:
// where nothing but such a module can say what a value is, a name that only one
// addition declares means that one.

// addedMember is a member that the tree adds to a type of a module outside of it.
type addedMember struct {
	ent    Ent // noEnt: several declare it
	module Sym // the module; 0: whatever all files know
}

// maxAdditions bounds the members that are noted.
const maxAdditions = 1 << 14

// augment joins the types that the tree adds members to with what is added.
func (l *linker) augment() {
	if l.mods.merged == nil {
		return
	}
	ev := l.newEvaluator(l.types)
	ev.modules.reset()
	for fn := range l.files {
		f := &l.files[fn]
		if f.unit < 0 || f.Rules.Modules == nil || l.units[f.unit].surface {
			continue
		}
		opened := false
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			if d.Kind != graph.KindInterface || d.Name == 0 || d.Traits&(facts.TraitLocal|facts.TraitAnonymous) != 0 {
				continue
			}
			e := f.base + Ent(i)
			if l.canon[e] != e {
				continue // it goes with the first
			}
			if d.Parent == facts.None {
				if d.Traits&facts.TraitGlobal != 0 || l.mods.global[f.unit] {
					l.augmentGlobal(f, e, d)
				}
				continue
			}
			p := &f.Facts.Decls[d.Parent]
			if p.Kind != graph.KindNamespace || p.Parent != facts.None {
				continue
			}
			module, quoted := unquotedModule(f.Facts.Str(p.Name))
			if !quoted {
				if p.Traits&facts.TraitGlobal != 0 || l.mods.global[f.unit] {
					l.addMembers(ev, e, 0)
				}
				continue
			}
			u := l.resolveImport(f.unit, module)
			if u < 0 {
				l.addMembers(ev, e, l.sym(module))
				continue
			}
			if !opened {
				ev.open(int32(fn))
				opened = true
			}
			if m := ev.exported(u, f.syms[d.Name], spaceType, 0); m.ok && m.ent != noEnt {
				l.joinTypes(m.ent, e)
			} else if l.units[u].surface { // it need not declare all that there is
				l.addMembers(ev, e, l.sym(module))
			}
		}
	}
}

// unquotedModule returns the name of the module that a namespace adds to, and
// whether it does so.
func unquotedModule(name string) (string, bool) {
	if len(name) > 2 && name[0] == '"' && name[len(name)-1] == '"' {
		return name[1 : len(name)-1], true
	}
	return "", false
}

// augmentGlobal joins an interface that all files know with the one that a
// surface has under its name.
func (l *linker) augmentGlobal(f *file, e Ent, d *facts.Decl) {
	for _, u := range l.units[f.unit].rules.mod.globals {
		if to := Ent(l.mods.types.get(u, f.syms[d.Name])); to != noEnt {
			l.joinTypes(to, e)
			return
		}
	}
}

// joinTypes makes e, with those that are one with it, a declaration of the type
// that to declares.
func (l *linker) joinTypes(to, e Ent) {
	to = l.canon[to]
	if k := l.decl(to).Kind; to == e || k != graph.KindInterface && k != graph.KindClass {
		return
	}
	all := append([]Ent{e}, l.mods.merged[e]...)
	l.mods.mergeWith(to, all...)
	for _, o := range all {
		l.typ[o] = l.typ[to]
	}
	l.mods.joined = true
}

// addMembers notes the members that an interface adds to one of a module outside
// of the tree: its own, and those of the interfaces of the file that it extends.
func (l *linker) addMembers(ev *evaluator, e Ent, module Sym) {
	l.eachMethodName(e, func(m Ent, name Sym) { l.noteAddition(m, name, module) })
	f := &l.files[l.entFile[e]]
	for _, x := range f.Facts.Lists[l.decl(e).Bases.Lo:l.decl(e).Bases.Hi] {
		b := &f.Facts.Exprs[x]
		if b.Op == facts.OpIndex && b.X >= 0 {
			b = &f.Facts.Exprs[b.X]
		}
		if b.Op != facts.OpName || b.Flags&facts.FlagLocal != 0 {
			continue
		}
		ev.open(l.entFile[e])
		if m := ev.fileName(f.syms[b.Name], spaceType); m.ok && m.ent != noEnt && l.decl(m.ent).Kind == graph.KindInterface && !l.units[l.unitOf(m.ent)].surface {
			l.eachMethodName(m.ent, func(m Ent, name Sym) { l.noteAddition(m, name, module) })
		}
	}
}

func (l *linker) eachMethodName(class Ent, f func(Ent, Sym)) {
	l.eachMethod(class, func(m Ent, d *facts.Decl, name Sym) {
		if d.Kind == graph.KindMethod && d.Traits&facts.TraitAccessor == 0 && !strings.HasSuffix(l.symString(name), "()") {
			f(m, name)
		}
	})
}

func (l *linker) noteAddition(m Ent, name, module Sym) {
	was, ok := l.mods.additions[name]
	switch {
	case !ok && len(l.mods.additions) < maxAdditions:
		l.mods.additions[name] = addedMember{m, module}
	case ok && (was.ent != m || was.module != module && was.module != 0):
		if was.ent != m {
			was.ent = noEnt
		}
		was.module = 0
		l.mods.additions[name] = was
	}
}

// added returns what the tree adds to the types of others that the expression x,
// which selects a name on a value, can mean: if only a module outside of the tree
// can say what the value is. The value is followed to the name that it comes
// from.
func (r *bodyReader) added(x *facts.Expr) Ent {
	if len(r.l.mods.additions) == 0 || x.Op != facts.OpSelect {
		return noEnt
	}
	a, ok := r.l.mods.additions[r.f.syms[x.Name]]
	if !ok || a.ent == noEnt {
		return noEnt
	}
	ev, fs := r.ev, r.f.Facts
	e := x.X
	for range maxScopes {
		if e < 0 {
			return noEnt
		}
		if k := ev.types.kind(ev.typ[e]); k != kUnknown && k != kExtern {
			return noEnt
		}
		at := &fs.Exprs[e]
		switch at.Op {
		case facts.OpSelect, facts.OpCall, facts.OpAwait:
			if at.Op != facts.OpAwait && ev.ref[e] != noEnt {
				return noEnt
			}
			e = at.X
			continue
		case facts.OpName:
			if at.Flags&facts.FlagLocal != 0 || ev.ref[e] != noEnt {
				return noEnt
			}
			im := r.l.fileScope.get(r.fn, r.f.syms[at.Name])
			if im < 0 { // nothing in the tree declares it
				return a.ent
			}
			path := fs.Str(fs.Imports[im].Path)
			if path == "" || path[0] == '.' {
				return noEnt
			}
			if u := r.l.resolveImport(r.f.unit, path); u >= 0 && !r.l.units[u].surface {
				return noEnt
			}
			if a.module == 0 || r.l.symString(a.module) == path {
				return a.ent
			}
		}
		return noEnt
	}
	return noEnt
}
