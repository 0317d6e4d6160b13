package link

import (
	"maps"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// maxRounds bounds the rounds in which inferred surfaces come about: the
// length of the longest chain of declarations, each inferred from the next,
// that is followed.
const maxRounds = 32

// surfaces is phase one.
func (l *linker) surfaces() {
	n := len(l.entFile)
	l.typ, l.rhs = make([]Type, n), make([]Type, n)
	l.bases = make([]facts.Span, n)
	ev := l.newEvaluator(l.types)
	l.nameTypes()
	for _, s := range l.langs {
		l.primitives(s)
	}
	l.augment()
	l.aliases(ev)
	l.classBases(ev)
	l.dynamicTypes(ev)
	l.declaredTypes()
	ev.forget()
	l.inferredTypes(ev)
	l.moduleSurfaces(ev)
	l.inferSlots(ev)
}

func (l *linker) eachFile(do func(fn int32)) {
	for i := range l.files {
		if l.files[i].unit >= 0 {
			do(int32(i))
		}
	}
}

// nameTypes gives every declared type its name, and type literals their place.
func (l *linker) nameTypes() {
	l.eachFile(func(fn int32) {
		f := &l.files[fn]
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			if !d.Kind.IsType() || d.Traits&facts.TraitAlias != 0 || f.dead(i) {
				continue
			}
			e := f.base + Ent(i)
			switch {
			case f.Rules.Modules != nil && d.Traits&facts.TraitAnonymous != 0 && d.Kind != graph.KindClass:
				l.typ[e] = l.types.meta(l.types.mk(kAnon, e, 0))
			case d.Traits&facts.TraitAnonymous == 0 || f.Rules.Modules != nil:
				l.typ[e] = l.types.meta(l.types.mk(kNamed, l.canon[e], 0))
			case d.Kind == graph.KindInterface && d.Bases.Len() == 0 && l.memberless(f, facts.DeclID(i)):
				l.typ[e] = l.types.meta(l.tAny)
			case d.Kind == graph.KindStruct && d.Bases.Len() == 0 && l.memberless(f, facts.DeclID(i)):
				l.typ[e] = l.types.meta(l.types.mk(kAnon, noEnt, 1))
			default:
				l.typ[e] = l.types.meta(l.types.mk(kAnon, e, 0))
			}
		}
	})
}

// memberless reports whether a type literal has no members: its declarations
// would follow it.
func (l *linker) memberless(f *file, d facts.DeclID) bool {
	next := int(d) + 1
	return next >= len(f.Facts.Decls) || f.Facts.Decls[next].Parent != d
}

// primitives looks up the universe types that literals and loops need.
func (l *linker) primitives(s *langState) {
	named := func(name string) Type {
		if s.Classes != nil && strings.Contains(name, s.Classes.Separator) {
			if e := l.surfaceEnt(s, name); e != noEnt {
				return l.types.denoted(l.typ[e])
			}
			return unknownType
		}
		for range 4 { // through the universe's own aliases
			sym := l.lookupSym(name)
			if name == "" || sym < 0 {
				return unknownType
			}
			e := l.pkgScope.get(s.universe, sym)
			if e < 0 {
				return unknownType
			}
			d := l.decl(Ent(e))
			if d.Traits&facts.TraitAlias == 0 {
				return l.types.denoted(l.typ[e])
			}
			f := &l.files[l.entFile[e]]
			name = f.Facts.Str(f.Facts.Exprs[d.Type].Name)
		}
		return unknownType
	}
	s.literals = map[Sym]Type{}
	for kind, name := range s.Literals {
		if sym := l.lookupSym(kind); sym >= 0 {
			s.literals[sym] = named(name)
		}
	}
	for _, from := range slices.Sorted(maps.Keys(s.Defaults)) {
		if t := named(from); t != unknownType {
			s.defaults = append(s.defaults, [2]Type{t, named(s.Defaults[from])})
		}
	}
	for _, name := range s.Larger {
		s.larger = append(s.larger, named(name))
	}
	b := s.Basics
	s.tInt, s.tByte, s.tRune, s.tString = named(b.Int), named(b.Byte), named(b.Rune), named(b.String)
	s.tBool, s.tNull = named(b.Bool), named(b.Null)
	if s.Classes != nil {
		s.cls = l.newClasses(s, named)
	}
	if s.Modules != nil {
		s.mod = l.newModules(s, named)
	}
	if s.Dynamic != nil {
		s.dyn = l.newDynamic(s, named)
	}
}

// aliases resolves aliases, which may name each other.
func (l *linker) aliases(ev *evaluator) {
	var open []Ent
	l.eachFile(func(fn int32) {
		f := &l.files[fn]
		if f.Rules.Modules != nil {
			return
		}
		for i := range f.Facts.Decls {
			if d := &f.Facts.Decls[i]; d.Kind.IsType() && d.Traits&facts.TraitAlias != 0 && d.Type != facts.None && !f.dead(i) {
				open = append(open, f.base+Ent(i))
			}
		}
	})
	l.rounds(ev, open, func(e Ent, d *facts.Decl) Type { return l.types.meta(ev.typeExpr(d.Type)) })
}

// rounds computes the surfaces of the given declarations, each round from the
// results of the round before, until nothing changes or maxRounds is reached.
func (l *linker) rounds(ev *evaluator, open []Ent, infer func(e Ent, d *facts.Decl) Type) {
	next := make([]Type, len(open))
	for range maxRounds {
		fn, changed := int32(-1), false
		ev.forget()
		for i, e := range open {
			if f := l.entFile[e]; f != fn {
				fn = f
				ev.open(fn)
			}
			next[i] = infer(e, l.decl(e))
		}
		kept := open[:0]
		for i, e := range open {
			if next[i] != l.typ[e] {
				l.typ[e], changed = next[i], true
			}
			if l.types.mentionsUnknown(next[i]) {
				kept = append(kept, e)
			}
		}
		open = kept
		if !changed || len(open) == 0 {
			return
		}
	}
}

// inferredTypes infers the types of variables and constants from their initial
// values.
func (l *linker) inferredTypes(ev *evaluator) {
	var open []Ent
	l.eachFile(func(fn int32) {
		f := &l.files[fn]
		if f.Rules.Modules != nil || f.Rules.Dynamic != nil {
			return
		}
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			if !d.Kind.IsType() && !d.Kind.IsCallable() && d.Kind != graph.KindRoute && d.Type == facts.None && d.Value != facts.None && !f.dead(i) {
				open = append(open, f.base+Ent(i))
			}
		}
	})
	l.rounds(ev, open, func(e Ent, d *facts.Decl) Type {
		if d.Kind == graph.KindConstant {
			return ev.typeOf(d.Value)
		}
		return ev.value(d.Value)
	})
}
