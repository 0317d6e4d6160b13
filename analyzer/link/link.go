// Package link makes one graph of the facts of all files: it finds out what
// each name means, across files, and of which type each expression is.
//
// # Phases
//
// Linking has two phases, and neither depends on the order of files or on the
// number of workers.
//
// Phase one makes the surfaces: what other files may see of a declaration,
// which is its members and its type. Declared types are read off; inferred
// ones come in a fixed number of rounds, each of which reads only the results
// of the round before.
//
// Phase two reads the bodies: every file's expressions once, operands before
// operators. It reads surfaces and the file's own facts, never other bodies, so
// all files can be read at the same time.
//
// # Words
//
// An entity ([Ent]) is a declaration of some file. A unit is a set of files
// that share a scope. A surface is also the API of an external package, given
// as facts without bodies; its entities become external nodes where they are
// used. The canonical entity of several with one name, which build constraints
// tell apart, is the one of the default platform; the others are its variants.
package link

import (
	"context"
	"iter"
	"runtime"
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// File is one file with its facts.
type File struct {
	Path  string // slash-separated
	Facts *facts.File
	Hash  [32]byte
	Size  int64
	Rules *Rules
}

// Asset is a file that code embeds and that is no source file itself.
type Asset struct {
	Path string
	Hash [32]byte
	Size int64
}

// Input is what a graph is made of.
type Input struct {
	Files    []File   // sorted by path
	Paths    []string // of all files of the tree, sorted, if there are embeds
	Embeds   []Embed  // Embed.File is a position in Files, Embed.Path one in Paths
	Assets   []Asset  // sorted by path
	Unknowns []graph.Unknown
	Skipped  []graph.Skipped
	Tree     graph.Hash
	Workers  int // 0: as many as there are processors

	// WholeLibraries loads all of the packages of libraries that are imported, and
	// not only what the tree can reach: the graph is the same, and takes longer.
	WholeLibraries bool
}

type linker struct {
	Input
	files   []file
	units   []unit
	langs   []*langState
	entFile []int32
	canon   []Ent             // by Ent: the canonical entity, itself if there is only one
	others  map[Ent][]variant // by canonical entity: the others
	owner   []Ent             // by Ent: the type of a member declared outside of it
	typ     []Type            // by Ent: the surface
	rhs     []Type            // by Ent of named types: the right-hand side

	bases       []facts.Span // by Ent: into baseTypes
	baseTypes   []Type
	constraints pairs[Type] // by what declares a type parameter, and its number

	syms *facts.Interner // its numbers are of type Sym

	mods moduleScopes // of languages with modules

	nextMember []Ent             // by Ent: the next member of the same type and name; noEnt
	statics    map[int32][]int32 // by file: the imports of members of types
	pkgNames   map[Sym]bool      // the names of packages and what they begin with
	exposed    map[Ent]bool      // what modules offer that are not hidden; nil without such languages
	unitLists  unitLists
	listeners  map[Ent][]Ent // by the type of events; see events.go
	wired      wired         // what containers hand out
	exports    exports       // of modules that are imported
	fallbacks  bool          // something gives attributes that are not declared
	overriding []bool        // by declaration: it overrides or implements a method
	known      *dynamicEval  // what is known of names once slots are inferred
	slots      *slots        // of languages whose types flow

	pkgScope     *scopes // (unit, name) → Ent
	members      *scopes // (type, name) → Ent
	named        []named // by name: what addMember made members under it
	fileScope    *scopes // (file, name) → import
	dotImports   map[int32][]int32
	routeNames   map[Ent]string // of those with holes, see nameRoutes
	otherImports map[int32][]otherImport

	types *typeTable
	tAny  Type

	b          *graph.Builder
	sets       []*methodSet         // by Ent of a named type; see methodSets
	implements map[implemented]bool // the pairs that have an edge

	external   map[string]graph.ID // by key
	nodeOf     []graph.ID          // by Ent
	repo       graph.ID
	assetNodes []graph.ID
	fileOf     []int32 // by position in Input.Files: the file

	fileIDs   []int32             // by file: index in the builder; -1
	fileNodes []graph.ID          // by file
	packages  map[string]graph.ID // by key: the nodes of packages
	unitIDs   []graph.ID          // by unit: its package node; None for surfaces
}

// Link returns what the graph of the files is built of, which needs nothing of them
// any more. It fails only when ctx ends.
func Link(ctx context.Context, in Input) (*graph.Builder, error) {
	if in.Workers <= 0 {
		in.Workers = runtime.GOMAXPROCS(0)
	}
	n := 0
	for i := range in.Files {
		n += len(in.Files[i].Facts.Decls)
	}
	l := &linker{
		Input:        in,
		syms:         facts.NewInterner(n),
		pkgScope:     newScopes(n),
		members:      newScopes(n),
		fileScope:    newScopes(8 * len(in.Files)),
		dotImports:   map[int32][]int32{},
		otherImports: map[int32][]otherImport{},
		statics:      map[int32][]int32{},
		pkgNames:     map[Sym]bool{},
		others:       map[Ent][]variant{},
		types:        newTypeTable(nil),
		implements:   map[implemented]bool{},
		b:            &graph.Builder{},
		external:     map[string]graph.ID{},
		packages:     map[string]graph.ID{},
	}
	l.tAny = l.types.mk(kAnon, noEnt, 0)
	l.place()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.findExports()
	l.surfaces()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.nameRoutes()
	if slices.ContainsFunc(l.units, func(u unit) bool { return u.rules.Dynamic != nil && !u.surface }) {
		l.expose()
	}
	l.makeNodes()
	l.sets = l.methodSets()
	l.implementations()
	l.hierarchy()
	l.markSuites()
	l.findListeners()
	l.findProviders()
	l.moduleHierarchy()
	l.placedRoutes()
	l.implementDeclared()
	l.findFallbacks()
	if err := l.bodies(ctx); err != nil {
		return nil, err
	}
	l.directives()
	l.requests()
	l.messages()
	for _, u := range in.Unknowns {
		l.b.AddUnknown(u)
	}
	for _, s := range in.Skipped {
		l.b.AddSkipped(s)
	}
	l.b.SetTree(in.Tree)
	return l.b, ctx.Err()
}

// ownFiles yields the files of the tree that are part of a unit, by their numbers:
// not those of surfaces.
func (l *linker) ownFiles() iter.Seq2[int32, *file] {
	return func(yield func(int32, *file) bool) {
		for fn := range l.files {
			if f := &l.files[fn]; f.unit >= 0 && !l.units[f.unit].surface && !yield(int32(fn), f) {
				return
			}
		}
	}
}

// place lays the files out in units, loads the surfaces that they import, and
// fills the scopes.
func (l *linker) place() {
	l.fileOf = make([]int32, len(l.Files))
	byRules := map[*Rules]*langState{}
	for i := range l.Files {
		r := l.Files[i].Rules
		if byRules[r] == nil {
			s := &langState{Rules: r, byPath: map[string]int32{}}
			byRules[r] = s
			l.langs = append(l.langs, s)
		}
	}
	slices.SortFunc(l.langs, func(x, y *langState) int {
		if x.Name < y.Name {
			return -1
		}
		return 1
	})
	for _, s := range l.langs {
		l.placeLang(s)
	}
	n := len(l.entFile)
	l.canon, l.owner = make([]Ent, n), make([]Ent, n)
	for i := range l.canon {
		l.canon[i], l.owner[i] = Ent(i), noEnt
	}
	if slices.ContainsFunc(l.langs, func(s *langState) bool { return s.Classes != nil || s.Modules != nil || s.Dynamic != nil }) {
		l.nextMember = make([]Ent, n)
		for i := range l.nextMember {
			l.nextMember[i] = noEnt
		}
		l.namePackages()
	}
	if slices.ContainsFunc(l.langs, func(s *langState) bool { return s.Modules != nil }) {
		l.mods = newModuleScopes(n)
	}
	order := make([]int32, 0, len(l.files))
	for _, def := range []bool{true, false} {
		for i := range l.files {
			if l.files[i].unit >= 0 && l.files[i].place.Default == def {
				order = append(order, int32(i))
			}
		}
	}
	for _, f := range order {
		l.declare(f)
	}
	for _, f := range order {
		l.attach(f)
	}
	l.shareScripts()
}

func (l *linker) placeLang(s *langState) {
	s.firstUnit = int32(len(l.units))
	var mine []File
	var index []int
	for i := range l.Files {
		if l.Files[i].Rules == s.Rules {
			mine, index = append(mine, l.Files[i]), append(index, i)
		}
	}
	s.layout, s.files = s.Layout(mine), index
	for i := range s.layout.Units {
		u := s.layout.Units[i]
		key := graph.PackageKey(s.Name, u.Path)
		l.units = append(l.units, unit{Unit: u, rules: s, key: key})
	}
	syms := l.symbolsOf(mine)
	for i, p := range s.layout.Files {
		u := int32(-1)
		if p.Unit >= 0 {
			u = s.firstUnit + int32(p.Unit)
		}
		f := &l.Files[index[i]]
		l.fileOf[index[i]] = l.addFile(f, syms[i], u, p)
	}
	if s.Builtins != nil {
		o := s.Builtins().Outline(0)
		name := o.Archive().Name(o.Package)
		s.universe = l.addUnit(s, name, name)
		l.units[s.universe].universe = true
		l.loadSurfaces(s)
		return
	}
	universe := s.Universe()
	s.universe = l.addUnit(s, universe.Str(universe.Package), universe.Str(universe.Package))
	l.units[s.universe].universe = true
	l.addFile(&File{Facts: universe, Rules: s.Rules}, l.symbols(universe), s.universe, Place{Default: true})
	l.loadSurfaces(s)
}

// addUnit adds an external package whose API is known.
func (l *linker) addUnit(s *langState, path, name string) int32 {
	l.units = append(l.units, unit{Unit: Unit{Path: path, Name: name, Module: -1, Peer: -1}, rules: s, surface: true})
	return int32(len(l.units) - 1)
}
