package link

import (
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// What a package offers under another module's name: in languages whose types
// flow, a module that is hidden by its name may hold what is public, because a
// module that is not hidden lists it or imports it for others.

// expose finds the declarations that modules offer which are not hidden, and
// the classes that these extend, whose members they have. Time is linear in the
// names that such modules offer.
func (l *linker) expose() {
	l.exposed = map[Ent]bool{}
	ev := l.newEvaluator(l.types)
	x := exposer{linker: l, ev: ev, wholeSeen: map[int32]bool{}, starred: map[int32]bool{}}
	for u := range l.units {
		if n := &l.units[u]; n.rules.Dynamic != nil && !n.surface && !n.Hidden && !l.testUnit(int32(u)) {
			x.offered(int32(u), false)
		}
	}
	for len(x.whole)+len(x.stars) > 0 {
		for _, u := range take(&x.whole) {
			x.offered(u, true)
		}
		for _, u := range take(&x.stars) {
			x.star(u)
		}
	}
	for i := 0; i < len(x.list); i++ {
		if m := l.slots.mro[x.list[i]]; m != nil && l.decl(x.list[i]).Kind.IsType() {
			for _, y := range m.above() {
				if e := l.types.rec(y).ent; !strings.HasPrefix(l.str(e, l.decl(e).Name), "_") {
					x.expose(e)
				}
			}
		}
	}
}

type exposer struct {
	*linker
	ev                 *evaluator
	list               []Ent
	whole, stars       []int32 // modules that are offered whole, and of which all names are imported
	wholeSeen, starred map[int32]bool
}

// take empties a list and returns what was in it.
func take(list *[]int32) []int32 {
	was := *list
	*list = nil
	return was
}

// once puts a unit of the tree on a list that was never on it.
func (x *exposer) once(list *[]int32, seen map[int32]bool, u int32) {
	if u >= 0 && !x.units[u].surface && !seen[u] {
		seen[u] = true
		*list = append(*list, u)
	}
}

func (x *exposer) expose(e Ent) {
	if !x.exposed[e] && !x.units[x.unitOf(e)].surface {
		x.exposed[e] = true
		x.list = append(x.list, e)
	}
}

func (x *exposer) name(u int32, name Sym) {
	switch b := x.ev.nameIn(u, name); b.kind {
	case bindEnt:
		x.expose(b.ent)
	case bindModule:
		if b.unit >= 0 && x.units[b.unit].Hidden {
			x.once(&x.whole, x.wholeSeen, b.unit)
		}
	}
}

// offered exposes what module u offers: the names that it lists, and those that
// it imports for others. A module that is hidden and offered whole offers what
// it declares as well.
func (x *exposer) offered(u int32, whole bool) {
	n := &x.units[u]
	x.ev.lang = n.rules
	for _, fn := range n.files {
		f := &x.files[fn]
		listed := false
		for i := range f.Facts.Directives {
			d := &f.Facts.Directives[i]
			if f.Facts.Str(d.Name) != n.rules.Dynamic.Exports {
				continue
			}
			listed = true
			if f.Facts.Str(d.Value) == "*" {
				listed = false // what is public counts, too
				continue
			}
			x.name(u, f.syms[d.Value])
		}
		if whole {
			for i := range f.Facts.Decls {
				if d := &f.Facts.Decls[i]; d.Parent == facts.None && d.Vis == graph.Public && (!listed || x.ev.exports(u, f.syms[d.Name])) {
					x.expose(f.base + Ent(i))
				}
			}
		}
		for i := range f.Facts.Imports {
			im := &f.Facts.Imports[i]
			if im.Owner != facts.None || listed {
				continue
			}
			switch {
			case f.Facts.Str(im.Name) == "*":
				if n.Offers {
					x.once(&x.stars, x.starred, x.ev.moduleUnit(u, f.syms[im.Path]))
				}
			case im.Alias != 0 && (n.Offers || im.Alias == im.Name) && !strings.HasPrefix(f.Facts.Str(im.Alias), "_"):
				x.name(u, f.syms[im.Alias])
			case im.Alias == 0 && im.Name != 0 && n.Offers && !strings.HasPrefix(f.Facts.Str(im.Name), "_"):
				x.name(u, f.syms[im.Name])
			}
		}
	}
}

// star exposes what an import of all names of a module brings: what it declares
// and is public, or what it lists.
func (x *exposer) star(u int32) {
	x.ev.lang = x.units[u].rules
	for _, fn := range x.units[u].files {
		f := &x.files[fn]
		for i := range f.Facts.Decls {
			if d := &f.Facts.Decls[i]; d.Parent == facts.None && x.ev.exports(u, f.syms[d.Name]) {
				x.expose(f.base + Ent(i))
			}
		}
		for i := range f.Facts.Imports {
			im := &f.Facts.Imports[i]
			name := im.Name
			if im.Alias != 0 {
				name = im.Alias
			}
			switch {
			case im.Owner != facts.None:
			case f.Facts.Str(im.Name) == "*":
				x.once(&x.stars, x.starred, x.ev.moduleUnit(u, f.syms[im.Path]))
			case name != 0 && x.ev.exports(u, f.syms[name]):
				x.name(u, f.syms[name])
			}
		}
	}
}

// testUnit reports whether a unit is of tests only.
func (l *linker) testUnit(u int32) bool {
	for _, fn := range l.units[u].files {
		if !l.files[fn].place.Test {
			return false
		}
	}
	return true
}

// seenAs returns the visibility of declaration e in a language with exposed
// declarations; vis is what its name says. Members are seen where their type is.
func (l *linker) seenAs(e Ent, vis graph.Visibility) graph.Visibility {
	if l.decl(e).Parent != facts.None {
		return vis
	}
	switch hidden := l.units[l.unitOf(e)].Hidden; {
	case vis == graph.Public && hidden && !l.exposed[e]:
		return graph.Internal
	case vis == graph.Internal && l.exposed[e]:
		return graph.Public
	}
	return vis
}
