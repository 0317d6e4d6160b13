package link

import (
	"maps"
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// implementDeclared records what implements the functions that one file declares
// for another: those that the other exports under the same names. Who uses a
// module calls what is declared, and what runs is the other.
func (l *linker) implementDeclared() {
	ev := l.newEvaluator(l.types)
	var edges []graph.RawEdge
	for _, s := range l.langs {
		if s.Modules == nil {
			continue
		}
		for _, u := range slices.Sorted(maps.Keys(s.layout.Declared)) {
			runs, declares := s.firstUnit+int32(u), s.firstUnit+int32(s.layout.Declared[u])
			if len(l.units[runs].files) == 0 || len(l.units[declares].files) == 0 {
				continue
			}
			ev.open(l.units[runs].files[0])
			done := map[[2]graph.ID]bool{}
			add := func(from, to Ent) {
				a, b := l.nodeOf[l.canon[from]], l.nodeOf[l.canon[to]]
				if a == graph.None || b == graph.None || a == b || done[[2]graph.ID{a, b}] {
					return
				}
				done[[2]graph.ID{a, b}] = true
				d := l.decl(from)
				edges = append(edges, graph.RawEdge{From: a, To: b, Type: graph.None, Kind: graph.EdgeImplements, Certainty: graph.Inferred, HasSite: true,
					Site: graph.Site{File: l.fileIDs[l.entFile[from]], Line: d.Line, Col: d.Col, Args: -1, Keywords: -1, Recv: graph.None}})
			}
			for _, name := range l.exportNames(declares) {
				a, b := ev.exported(runs, name, spaceValue, 0), ev.exported(declares, name, spaceValue, 0)
				if !a.ok || !b.ok || a.ent == noEnt || b.ent == noEnt || l.unitOf(a.ent) == declares || l.unitOf(b.ent) != declares {
					continue
				}
				switch x, y := l.decl(a.ent), l.decl(b.ent); {
				case x.Kind.IsCallable() && y.Kind.IsCallable():
					add(a.ent, b.ent)
				case x.Kind == graph.KindClass && y.Kind == graph.KindClass:
					l.eachMethod(b.ent, func(m Ent, d *facts.Decl, name Sym) {
						for e := Ent(l.members.get(int32(l.canon[a.ent]), name)); e != noEnt; e = l.nextMember[e] {
							if o := l.decl(e); o.Kind == d.Kind && o.Flags.Has(graph.FlagStatic) == d.Flags.Has(graph.FlagStatic) && o.Shape == d.Shape {
								add(e, m)
								break
							}
						}
					})
				}
			}
		}
	}
	l.b.AddEdges(edges)
}

// exportNames returns the names that a unit may export, in the order of its
// declarations.
func (l *linker) exportNames(u int32) []Sym {
	var out []Sym
	add := func(s Sym) {
		if s > 0 && !slices.Contains(out, s) && len(out) < maxExports {
			out = append(out, s)
		}
	}
	for _, fn := range l.units[u].files {
		f := &l.files[fn]
		for i := range f.Facts.Imports {
			if im := &f.Facts.Imports[i]; im.Flags&facts.ImportReExport != 0 {
				add(f.syms[im.Alias])
			}
		}
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			top := d.Parent == facts.None || f.Facts.Decls[d.Parent].Kind == graph.KindNamespace && f.Facts.Decls[d.Parent].Parent == facts.None
			if top && (d.Kind.IsCallable() || d.Kind == graph.KindClass) {
				add(f.syms[d.Name])
			}
		}
	}
	return out
}

// maxExports bounds the exports of a module that are compared with another's.
const maxExports = 2048

// eachMethod calls f for the methods and constructors that a class declares.
func (l *linker) eachMethod(class Ent, f func(Ent, *facts.Decl, Sym)) {
	file := &l.files[l.entFile[class]]
	at := facts.DeclID(class - file.base)
	for i := int(at) + 1; i < len(file.Facts.Decls) && file.Facts.Decls[i].Parent >= at; i++ {
		d := &file.Facts.Decls[i]
		if d.Parent == at && (d.Kind == graph.KindMethod || d.Kind == graph.KindConstructor) && d.Traits&facts.TraitOverload == 0 {
			f(file.base+Ent(i), d, file.syms[d.Name])
		}
	}
}
