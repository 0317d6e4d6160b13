package link

import (
	"iter"
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// suites are the types of a language that runners look for tests in.
type suites struct {
	tests  []Ent
	runs   map[Ent]bool
	heirs  map[Ent][]Ent // those of them that inherit a type
	chains map[Ent][]Ent // see chain
}

// maxHeirs bounds the types that inherit a member for which it is looked up what it
// finds there.
const maxHeirs = 1 << 5

// isMember reports whether a declaration is one of a type.
func isMember(f *facts.File, d *facts.Decl) bool {
	return d.Parent != facts.None && f.Decls[d.Parent].Kind.IsType()
}

// markSuites gives the types that runners look for tests in their flag, and the tests
// that one of them has or inherits theirs: what looks like a test in a type that no
// runner looks into, nor into one below it, is none.
func (l *linker) markSuites() {
	for _, s := range l.langs {
		if s.layout.Suite == nil {
			continue
		}
		found := l.suitesOf(s)
		for e, runs := range found.runs {
			if runs {
				l.b.AddFlags(l.nodeOf[e], graph.FlagSuite)
			}
		}
		for _, e := range found.tests {
			if d := l.decl(e); l.nodeOf[e] != graph.None && found.run(l, e) {
				l.b.AddFlags(l.nodeOf[e], graph.FlagTest|d.Flags&(graph.FlagTestCase|graph.FlagOnLoad))
			}
		}
	}
}

// suitesOf finds the suites of a language, once their types' bases are known.
func (l *linker) suitesOf(s *langState) *suites {
	if s.suites != nil {
		return s.suites
	}
	found := &suites{runs: map[Ent]bool{}, heirs: map[Ent][]Ent{}, chains: map[Ent][]Ent{}}
	s.suites = found
	has := map[Ent]bool{} // types with tests, in types inside of them, too
	files := map[int32]int{}
	for i, at := range s.files {
		fn := l.fileOf[at]
		f := &l.files[fn]
		if f.unit < 0 {
			continue
		}
		files[fn] = i
		for k := range f.Facts.Decls {
			d := &f.Facts.Decls[k]
			if e := f.base + Ent(k); d.Flags.Has(graph.FlagTestCase) && isMember(f.Facts, d) && l.isNode(e) {
				found.tests = append(found.tests, e)
				for t := range l.outward(e) {
					has[t] = true
				}
			}
		}
	}
	if len(found.tests) == 0 {
		return found
	}
	member := func(e Ent) Member {
		fn := l.entFile[e]
		return Member{files[fn], facts.DeclID(e - l.files[fn].base)}
	}
	var kits []Ent
	for _, at := range s.files {
		fn := l.fileOf[at]
		f := &l.files[fn]
		if _, ok := files[fn]; !ok || !f.place.Test {
			continue
		}
		for k := range f.Facts.Decls {
			e := f.base + Ent(k)
			if !f.Facts.Decls[k].Kind.IsType() || l.canon[e] != e || !l.isNode(e) {
				continue
			}
			above := found.chain(l, e)[1:]
			if !has[e] && !slices.ContainsFunc(above, func(a Ent) bool { return has[a] }) {
				continue
			}
			inherited := make([]Member, len(above))
			for i, a := range above {
				inherited[i] = member(a)
			}
			if !s.layout.Suite(member(e), inherited) {
				continue
			}
			found.runs[e] = true
			if s.layout.Kits != nil && s.layout.Kits(files[fn]) {
				kits = append(kits, e)
			}
			for _, a := range above {
				found.heirs[a] = append(found.heirs[a], e)
			}
		}
	}
	isKit := func(e Ent) bool { _, ok := slices.BinarySearch(kits, e); return ok }
	for _, e := range kits {
		found.runs[e] = !slices.ContainsFunc(found.heirs[e], func(h Ent) bool { return !isKit(h) })
	}
	for a, list := range found.heirs {
		found.heirs[a] = slices.DeleteFunc(list, func(h Ent) bool { return !found.runs[h] })
	}
	return found
}

// run reports whether a runner starts a member, if it is a test, where it stands or in
// a type that inherits it.
func (s *suites) run(l *linker, e Ent) bool {
	here := true
	member := e
	for t := range l.outward(e) {
		if slices.ContainsFunc(s.heirs[t], func(h Ent) bool { return s.inherits(l, h, member) }) {
			return true
		}
		here = here && s.runs[t]
		member = t
	}
	return here
}

// searched returns for each type that runs a member, or tests beside it, the types in
// which names are searched then, in order.
func (s *suites) searched(l *linker, e Ent) [][]Ent {
	var out [][]Ent
	var inside []Ent // of the types around it that are not t
	here := true
	member := e
	for t := range l.outward(e) {
		heirs := s.heirs[t]
		for _, h := range heirs[:min(len(heirs), maxHeirs)] {
			if s.inherits(l, h, member) {
				out = append(out, join(inside, s.chain(l, h)))
			}
		}
		here = here && s.runs[t]
		chain := join(inside, s.chain(l, t))
		if here && member == e {
			out = append(out, chain)
		}
		inside, member = chain, t
	}
	return out
}

func join(a, b []Ent) []Ent {
	if len(a) == 0 {
		return b
	}
	return append(slices.Clip(a), b...)
}

// chain returns a type and those above it.
func (s *suites) chain(l *linker, e Ent) []Ent {
	c, ok := s.chains[e]
	if !ok {
		c = append([]Ent{e}, l.typesAbove(e)...)
		s.chains[e] = c
	}
	return c
}

// outward yields the types around a declaration, the innermost first, as far as
// what they have is inherited with them.
func (l *linker) outward(e Ent) iter.Seq[Ent] {
	return func(yield func(Ent) bool) {
		for t := l.container(e); t != noEnt && l.decl(t).Kind.IsType(); t = l.container(t) {
			if t = l.canon[t]; !yield(t) || l.decl(t).Flags.Has(graph.FlagStatic) {
				return
			}
		}
	}
}

// typesAbove returns the types of the tree whose members a type inherits, in the
// order in which they are searched.
func (l *linker) typesAbove(e Ent) []Ent {
	var out []Ent
	linear := l.langOf(e).Dynamic != nil // each comes once
	add := func(x Type) {
		if r := l.types.rec(x); r.kind == kNamed && r.ent != noEnt {
			if a := l.canon[r.ent]; a != e && !l.units[l.unitOf(a)].surface && len(out) < maxSupers && (linear || !slices.Contains(out, a)) {
				out = append(out, a)
			}
		}
	}
	if linear {
		if l.slots != nil && l.slots.mro[e] != nil {
			for _, x := range l.slots.mro[e].above() {
				add(x)
			}
		}
		return out
	}
	for i := -1; i < len(out); i++ {
		at := e
		if i >= 0 {
			at = out[i]
		}
		for _, x := range l.basesOf(at) {
			add(x)
		}
	}
	return out
}

// inherits reports whether a type has a member that one above it declares: none
// between them has one of its name, where names alone tell members apart.
func (s *suites) inherits(l *linker, heir, member Ent) bool {
	if l.langOf(heir).Dynamic == nil {
		return true
	}
	t := l.canon[l.container(member)]
	name := l.files[l.entFile[member]].syms[l.decl(member).Name]
	if Ent(l.members.get(int32(heir), name)) != noEnt {
		return false
	}
	for _, a := range s.chain(l, heir)[1:] {
		if a == t {
			return true
		}
		if Ent(l.members.get(int32(a), name)) != noEnt {
			return false
		}
	}
	return false
}
