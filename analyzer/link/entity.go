package link

import (
	"slices"
	"strings"
	"sync"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Ent numbers the declarations of all files: those of file f start at
// files[f].base.
type Ent int32

const noEnt Ent = -1

// Sym numbers the strings of all files: equal strings have equal numbers.
type Sym int32

// file is one file of the tree, or of an external package's surface.
type file struct {
	*File
	base  Ent
	syms  []Sym // by facts.Str
	unit  int32 // -1: not linked
	place Place
	live  []bool // by declaration of a library, see [reach]; nil: all are
}

// dead reports whether a declaration of a library is out of the tree's reach.
func (f *file) dead(d int) bool { return f.live != nil && !f.live[d] }

// unit is one unit of the tree, of a surface, or a universe.
type unit struct {
	Unit
	rules    *langState
	universe bool
	surface  bool
	files    []int32
	key      string
}

// langState is what the linker keeps for one language.
type langState struct {
	*Rules
	universe  int32 // unit
	layout    *Layout
	files     []int // the language's files, as positions in Input.Files
	firstUnit int32
	suites    *suites      // nil until asked for
	given     []Reference  // see Layout.Given
	literals  map[Sym]Type // kind of literal → type
	defaults  [][2]Type    // see Rules.Defaults
	larger    []Type       // see Rules.Larger
	tInt      Type
	tByte     Type
	tRune     Type
	tString   Type
	tBool     Type
	tNull     Type
	cls       *classes         // of languages with classes
	mod       *modules         // of languages with modules
	dyn       *dynamic         // of languages whose types flow
	byPath    map[string]int32 // surface units by import path; -1: no surface
}

// defaultOf returns what a constant's own type becomes as a variable's; there are few of
// them.
func (s *langState) defaultOf(t Type) (Type, bool) {
	for _, d := range s.defaults {
		if d[0] == t {
			return d[1], true
		}
	}
	return unknownType, false
}

// scopes maps (owner, name) to declarations, with open addressing. The owner
// is a unit, a type or a file, which have tables of their own.
type scopes struct {
	keys  []uint64
	vals  []int32
	used  int
	names []uint64 // by owner: bits of the names in it; most that are not there are not looked for
}

func newScopes(n int) *scopes {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return &scopes{keys: touched[uint64](size), vals: make([]int32, size)}
}

// scopeKey is never 0, which marks a free slot.
func scopeKey(owner int32, name Sym) uint64 {
	return uint64(uint32(owner))<<32 | uint64(uint32(name))&0xffffffff | 1<<63
}

func (s *scopes) slot(k uint64) int {
	mask := len(s.keys) - 1
	i := int((k*0x9E3779B97F4A7C15)>>32) & mask
	for s.keys[i] != 0 && s.keys[i] != k {
		i = (i + 1) & mask
	}
	return i
}

// get returns what was put for (owner, name), or -1.
func (s *scopes) get(owner int32, name Sym) int32 {
	if uint(owner) < uint(len(s.names)) {
		if s.names[owner]>>(uint(name)&63)&1 == 0 {
			return -1
		}
	} else if owner >= 0 {
		return -1
	}
	i := s.slot(scopeKey(owner, name))
	if s.keys[i] == 0 {
		return -1
	}
	return s.vals[i]
}

// put binds (owner, name) unless it is bound already, and returns what it is
// bound to.
func (s *scopes) put(owner int32, name Sym, v int32) int32 {
	if 2*(s.used+1) > len(s.keys) {
		old := *s
		*s = *newScopes(len(old.keys))
		s.used, s.names = old.used, old.names
		for i, k := range old.keys {
			if k != 0 {
				j := s.slot(k)
				s.keys[j], s.vals[j] = k, old.vals[i]
			}
		}
	}
	k := scopeKey(owner, name)
	i := s.slot(k)
	if s.keys[i] != 0 {
		return s.vals[i]
	}
	s.keys[i], s.vals[i] = k, v
	s.used++
	if owner >= 0 {
		if n := int(owner) + 1 - len(s.names); n > 0 {
			s.names = append(s.names, make([]uint64, n)...)
		}
		s.names[owner] |= 1 << (uint(name) & 63)
	}
	return v
}

func (l *linker) decl(e Ent) *facts.Decl {
	f := &l.files[l.entFile[e]]
	return &f.Facts.Decls[e-f.base]
}

func (l *linker) unitOf(e Ent) int32 { return l.files[l.entFile[e]].unit }

func (l *linker) langOf(e Ent) *langState { return l.units[l.unitOf(e)].rules }

// symOf returns the symbol of a string of e's file.
func (l *linker) symOf(e Ent, s facts.Str) Sym { return l.files[l.entFile[e]].syms[s] }

func (l *linker) symString(s Sym) string { return l.syms.Strings[s] }

// sym interns a string.
func (l *linker) sym(s string) Sym { return Sym(l.syms.Intern(s)) }

// lookupSym returns the symbol of s, or -1 if no file mentions it.
func (l *linker) lookupSym(s string) Sym { return Sym(l.syms.Find(s)) }

// symbols interns the strings of a file.
func (l *linker) symbols(f *facts.File) []Sym {
	syms := make([]Sym, len(f.Strings))
	for i, s := range f.Strings {
		syms[i] = l.sym(s)
	}
	return syms
}

// manyFiles is from how many files on it is worth it to intern their strings on two
// processors.
const manyFiles = 512

// symbolsOf interns the strings of files. Of many, another goroutine finds those that
// the second half has at the same time, so that here each of them is looked for only
// once; the symbols are the same.
func (l *linker) symbolsOf(files []File) [][]Sym {
	all := make([][]Sym, len(files))
	half := len(files)
	if half >= manyFiles {
		half /= 2
	}
	second := linker{syms: facts.NewInterner(len(l.syms.Strings))}
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := half; i < len(files); i++ {
			all[i] = second.symbols(files[i].Facts)
		}
	})
	for i := range half {
		all[i] = l.symbols(files[i].Facts)
	}
	wg.Wait()
	symbol := make([]Sym, len(second.syms.Strings))
	for i, s := range second.syms.Strings {
		symbol[i] = l.sym(s)
	}
	for _, syms := range all[half:] {
		for i, s := range syms {
			syms[i] = symbol[s]
		}
	}
	return all
}

// addFile makes a file's declarations known and returns its number.
func (l *linker) addFile(f *File, syms []Sym, unit int32, p Place) int32 {
	n := int32(len(l.files))
	l.files = append(l.files, file{File: f, base: Ent(len(l.entFile)), syms: syms, unit: unit, place: p})
	for range f.Facts.Decls {
		l.entFile = append(l.entFile, n)
	}
	if unit >= 0 {
		l.units[unit].files = append(l.units[unit].files, n)
	}
	return n
}

// variant is an entity that stands for a canonical one under a constraint.
type variant struct {
	constraint string
	ent        Ent
}

// vary makes first the canonical entity of e.
func (l *linker) vary(e, first Ent) {
	l.canon[e] = first
	c := l.files[l.entFile[e]].place.Constraint
	if e == first || c == "" || slices.ContainsFunc(l.others[first], func(v variant) bool { return v.constraint == c }) {
		return
	}
	l.others[first] = append(l.others[first], variant{c, e})
}

// declare puts the declarations of a file into the scopes. Files that are part
// of the default platform come first, so that a name means the default
// variant. Members declared outside their type wait for [linker.attach].
func (l *linker) declare(fn int32) {
	f := &l.files[fn]
	if f.Rules.Modules != nil {
		l.declareModule(fn)
		return
	}
	for i := range f.Facts.Decls {
		d := &f.Facts.Decls[i]
		e := f.base + Ent(i)
		if d.Traits&(facts.TraitLiteral|facts.TraitFileScoped) != 0 || d.Name == 0 || f.dead(i) {
			continue
		}
		switch {
		case d.Parent == facts.None && d.Owner == 0:
			if f.Rules.Dynamic != nil {
				l.bindName(l.pkgScope, f.unit, f.syms[d.Name], e)
				continue
			}
			if f.Rules.Classes != nil { // a second declaration is no variant
				l.pkgScope.put(f.unit, f.syms[d.Name], int32(e))
				continue
			}
			first := Ent(l.pkgScope.put(f.unit, f.syms[d.Name], int32(e)))
			l.vary(e, first)
		case d.Parent != facts.None:
			p := &f.Facts.Decls[d.Parent]
			if !p.Kind.IsType() {
				continue
			}
			if f.Rules.Dynamic != nil {
				l.bindName(l.members, int32(f.base)+int32(d.Parent), f.syms[d.Name], e)
				continue
			}
			if f.Rules.Classes != nil {
				if !d.Kind.IsType() || d.Traits&facts.TraitLocal == 0 {
					l.addMember(f.base+Ent(d.Parent), f.syms[d.Name], e)
				}
				continue
			}
			first := Ent(l.members.put(int32(l.canon[f.base+Ent(d.Parent)]), f.syms[d.Name], int32(e)))
			if l.entFile[first] != fn { // of another variant of the type
				l.vary(e, first)
			}
		}
	}
	var guess []int32
	for i := range f.Facts.Imports {
		im := &f.Facts.Imports[i]
		if im.Owner != facts.None {
			continue
		}
		if f.Rules.Dynamic != nil {
			l.bringImport(fn, int32(i), im)
			continue
		}
		if f.Rules.Classes != nil {
			l.declareImport(fn, int32(i), im)
			continue
		}
		switch alias := f.Facts.Str(im.Alias); alias {
		case "_":
		case ".":
			l.dotImports[fn] = append(l.dotImports[fn], int32(i))
		case "":
			if name := l.importName(fn, im); name >= 0 {
				l.fileScope.put(fn, name, int32(i))
			} else {
				guess = append(guess, int32(i))
			}
		default:
			l.fileScope.put(fn, f.syms[im.Alias], int32(i))
		}
	}
	for _, i := range guess { // what is certain has its name already
		if name := l.guessName(fn, f.Facts.Str(f.Facts.Imports[i].Path)); name >= 0 {
			l.fileScope.put(fn, name, i)
		}
	}
}

// importName returns the name that an import without an alias gets: what the
// package calls itself, or the last part of the path that is no version; -1 if
// that is no name.
func (l *linker) importName(fn int32, im *facts.Import) Sym {
	f := &l.files[fn]
	path := f.Facts.Str(im.Path)
	if u := l.resolveImport(f.unit, path); u >= 0 {
		return l.sym(l.units[u].Name)
	}
	name := lastName(path)
	if strings.ContainsAny(name, "-.") {
		return -1
	}
	return l.sym(name)
}

// guessName returns the name of an imported package that is known by its path
// alone, whose last part, such as go-redis, is no name: a part of that which the
// file mentions and which means nothing else; -1 if there is none.
func (l *linker) guessName(fn int32, path string) Sym {
	f := &l.files[fn]
	parts := strings.FieldsFunc(lastName(path), func(r rune) bool { return r == '-' || r == '.' })
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == f.Rules.Name })
	if len(parts) > 8 {
		return -1
	}
	names := []string{strings.Join(parts, "_"), strings.Join(parts, "")}
	for _, p := range slices.Backward(parts) {
		names = append(names, p)
	}
	for _, s := range names {
		name := l.lookupSym(s)
		if name > 0 && slices.Contains(f.syms, name) && l.pkgScope.get(f.unit, name) < 0 &&
			l.pkgScope.get(l.units[f.unit].rules.universe, name) < 0 {
			return name
		}
	}
	return -1
}

// lastName guesses a package's name from its path: the last element, without
// a version.
func lastName(path string) string {
	end := len(path)
	for end > 0 {
		i := end - 1
		for i >= 0 && path[i] != '/' {
			i--
		}
		s := path[i+1 : end]
		if len(s) > 1 && s[0] == 'v' && digits(s[1:]) && i > 0 {
			end = i
			continue
		}
		for j := 0; j < len(s); j++ { // gopkg.in/yaml.v3
			if s[j] == '.' && j > 0 && j+2 <= len(s)-1 && s[j+1] == 'v' && digits(s[j+2:]) {
				return s[:j]
			}
		}
		return s
	}
	return path
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// resolveImport returns the unit that path means in a file of unit from, or -1.
func (l *linker) resolveImport(from int32, path string) int32 {
	u := &l.units[from]
	if !u.surface && u.rules.layout != nil {
		if to := u.rules.layout.Resolve(int(from-u.rules.firstUnit), path); to >= 0 {
			return int32(to) + u.rules.firstUnit
		}
	}
	if to, ok := u.rules.byPath[path]; ok {
		return to
	}
	return -1
}

// attach makes members that are declared outside their type members of it.
func (l *linker) attach(fn int32) {
	f := &l.files[fn]
	if f.Rules.Modules != nil {
		return
	}
	for i := range f.Facts.Decls {
		d := &f.Facts.Decls[i]
		if d.Owner == 0 || d.Traits&facts.TraitLiteral != 0 || f.dead(i) {
			continue
		}
		e := f.base + Ent(i)
		o := Ent(l.pkgScope.get(f.unit, f.syms[d.Owner]))
		if o >= 0 {
			o = l.aliasTarget(o)
		}
		l.owner[e] = o
		if o < 0 || d.Name == 0 || d.Traits&facts.TraitFileScoped != 0 {
			continue
		}
		if first := l.members.put(int32(o), f.syms[d.Name], int32(e)); first != int32(e) {
			l.vary(e, Ent(first))
		}
	}
}

// aliasTarget follows aliases of types of the same unit, as receivers may.
func (l *linker) aliasTarget(e Ent) Ent {
	for range 8 {
		d := l.decl(e)
		if d.Traits&facts.TraitAlias == 0 || d.Type == facts.None {
			return e
		}
		f := &l.files[l.entFile[e]]
		x := &f.Facts.Exprs[d.Type]
		if x.Op != facts.OpName || x.Flags&facts.FlagLocal != 0 {
			return e
		}
		next := l.pkgScope.get(f.unit, f.syms[x.Name])
		if next < 0 {
			return e
		}
		e = Ent(next)
	}
	return e
}

// container returns the declaration that e is a member of, or noEnt.
func (l *linker) container(e Ent) Ent {
	if o := l.owner[e]; o != noEnt {
		return o
	}
	if p := l.decl(e).Parent; p != facts.None {
		return l.files[l.entFile[e]].base + Ent(p)
	}
	return noEnt
}

// qualified returns e's name with those of the declarations around it; type
// literals have none.
func (l *linker) qualified(e Ent) string {
	name := ""
	for depth := 0; e != noEnt && depth < 64; depth++ {
		d := l.decl(e)
		if d.Traits&(facts.TraitAnonymous|facts.TraitLiteral) == 0 {
			n := l.str(e, d.Name)
			if d.Kind == graph.KindRoute {
				return l.routeName(e) + l.str(e, d.Shape)
			}
			if s := l.str(e, d.Shape); name == "" {
				name = n + s
			} else if strings.HasPrefix(s, "~") { // one of several of its name
				name = n + s + "." + name
			} else {
				name = n + "." + name
			}
		}
		e = l.container(e)
	}
	return name
}

// isNode reports whether e is a node of the graph. Declarations inside bodies
// are not, nor are function literals and type literals.
func (l *linker) isNode(e Ent) bool {
	f := &l.files[l.entFile[e]]
	for i := e - f.base; ; {
		d := &f.Facts.Decls[i]
		if d.Traits&facts.TraitLocal != 0 || d.Traits&facts.TraitLiteral != 0 {
			return false
		}
		if i == e-f.base && d.Traits&facts.TraitAnonymous != 0 {
			return false
		}
		if d.Parent == facts.None {
			return true
		}
		i = Ent(d.Parent)
	}
}

// isInterface reports whether e declares an interface.
func (l *linker) isInterface(e Ent) bool {
	return e != noEnt && l.decl(e).Kind == graph.KindInterface
}

// set binds (owner, name), whatever it is bound to.
func (s *scopes) set(owner int32, name Sym, v int32) {
	s.put(owner, name, v)
	s.vals[s.slot(scopeKey(owner, name))] = v
}
