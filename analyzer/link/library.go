package link

import (
	"reflect"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// What a tree can reach of a library.
//
// A standard library declares many times what a tree uses, and to read, place
// and type all of it would take longer than a small tree does. So a package is
// loaded only if an import that something may use brings it, a part of it only
// if its name is mentioned, and of what is loaded only what is live gets a place
// in the scopes and a type.
//
// A declaration is live if it is named where that can mean it, and what it is
// inside of is live: a function or a method by the tree, by the rules of the
// language, by an interface that is live, or by a value; anything else by what
// is live, too. Only names are compared, in no scope, so that more is live than
// the tree uses, and nothing less: no lookup for a name that is mentioned finds
// something else than it would in the whole library. Embedded fields promote
// names without being named, and are live with their types.
//
// The names that are mentioned grow until nothing new is live: linear in the
// loaded declarations and the length of the longest chain among them.
type reach struct {
	l     *linker
	lang  *langState
	calls []bool // by Sym: functions and methods of that name are live
	names []bool // by Sym: other declarations are
	grown bool   // something is live that was not
	packs []reachedPack
	files []reachedFile
}

// reachedPack is a package of a library that is imported.
type reachedPack struct {
	unit  int32
	group *facts.Group
	open  []int // the parts that are not loaded
}

// reachedFile is a file of a library that is loaded.
type reachedFile struct {
	unit    int32
	part    int
	facts   *facts.File
	syms    []Sym
	live    []bool         // by declaration; nil: all are
	open    []facts.DeclID // not live yet
	imports []int32        // not followed yet
}

// loadSurfaces loads what the tree can reach of the packages that it imports, and
// of those that these import.
func (l *linker) loadSurfaces(s *langState) {
	if s.Surface == nil {
		return
	}
	r := &reach{l: l, lang: s}
	for _, i := range s.files {
		f := &l.files[l.fileOf[i]]
		if f.unit < 0 {
			continue
		}
		for _, sym := range f.syms {
			r.mention(sym, true)
		}
		for j := range f.Facts.Imports {
			r.follow(f.unit, f.Facts, j)
		}
	}
	for _, name := range s.allNames() {
		r.mention(l.sym(name), true)
	}
	for _, path := range s.neededPackages() {
		r.pack(path)
	}
	universe := &l.files[l.units[s.universe].files[0]]
	r.load(s.universe, 0, universe.Facts, universe.syms)
	for r.grown = true; r.grown; {
		r.grown = false
		for i := 0; i < len(r.files); i++ {
			r.enliven(i)
		}
		for i := 0; i < len(r.packs); i++ {
			r.loadParts(i)
		}
	}
	universe.live = r.files[0].live
	slices.SortStableFunc(r.files, func(x, y reachedFile) int {
		if x.unit != y.unit {
			return int(x.unit - y.unit)
		}
		return x.part - y.part
	})
	for i := range r.files {
		if f := &r.files[i]; f.unit != s.universe {
			u := &l.units[f.unit]
			if len(u.files) == 0 {
				u.Name = f.facts.Str(f.facts.Package)
			}
			n := l.addFile(&File{Facts: f.facts, Rules: s.Rules}, f.syms, f.unit, Place{Default: true})
			l.files[n].live = f.live
		}
	}
}

// mention says that a name is mentioned, for functions and methods, too, if calls.
func (r *reach) mention(s Sym, calls bool) {
	if n := len(r.l.symNames); int(s) >= len(r.names) {
		r.names = append(r.names, make([]bool, n-len(r.names))...)
		r.calls = append(r.calls, make([]bool, n-len(r.calls))...)
	}
	r.names[s] = true
	if calls {
		r.calls[s] = true
	}
}

func (r *reach) named(s Sym) bool  { return int(s) < len(r.names) && r.names[s] }
func (r *reach) called(s Sym) bool { return int(s) < len(r.calls) && r.calls[s] }

func (r *reach) mentioned(name string) bool {
	s := r.l.lookupSym(name)
	return s >= 0 && r.named(s)
}

// follow follows an import: to the package of its path, or the nearest around it,
// and where a name that is imported may be that of a package, to that.
func (r *reach) follow(from int32, f *facts.File, i int) {
	im := &f.Imports[i]
	path := f.Str(im.Path)
	if r.lang.Dynamic != nil && im.Name != 0 && r.lang.Surface(path+"."+f.Str(im.Name)).Len() > 0 {
		r.bring(from, path+"."+f.Str(im.Name))
	}
	r.bring(from, path)
}

func (r *reach) bring(from int32, path string) {
	for path != "" {
		if _, ok := r.lang.byPath[path]; ok || r.l.resolveImport(from, path) >= 0 {
			return
		}
		r.lang.byPath[path] = -1
		if r.pack(path) {
			return
		}
		path = r.lang.around(path)
	}
}

// pack makes a package known, and reports whether the library has it.
func (r *reach) pack(path string) bool {
	if r.lang.byPath[path] > 0 {
		return true
	}
	g := r.lang.Surface(path)
	if g.Len() == 0 {
		return false
	}
	u := r.l.addUnit(r.lang, path, lastName(path))
	r.lang.byPath[path] = u
	p := reachedPack{unit: u, group: g}
	for i := range g.Len() {
		p.open = append(p.open, i)
	}
	r.packs = append(r.packs, p)
	r.grown = true
	return true
}

// loadParts loads the parts of a package that are mentioned.
func (r *reach) loadParts(i int) {
	p := &r.packs[i]
	p.open = slices.DeleteFunc(p.open, func(i int) bool {
		if name := p.group.Name(i); name != "" && !r.l.WholeLibraries && !r.mentioned(name) {
			return false
		}
		for _, f := range p.group.Part(i) {
			r.load(p.unit, i, f, r.l.symbols(f))
		}
		return true
	})
}

func (r *reach) load(unit int32, part int, f *facts.File, syms []Sym) {
	n := reachedFile{unit: unit, part: part, facts: f, syms: syms}
	for i := range f.Imports {
		n.imports = append(n.imports, int32(i))
	}
	if r.lang.Modules == nil && !r.l.WholeLibraries { // a structural type has all its members
		n.live = make([]bool, len(f.Decls))
		n.open = make([]facts.DeclID, len(f.Decls))
		for i := range n.open {
			n.open[i] = facts.DeclID(i)
		}
	}
	r.files = append(r.files, n)
	r.grown = true
}

// enliven makes live what is mentioned in a file, mentions what that names, and
// follows the imports that something may use.
func (r *reach) enliven(i int) {
	f := &r.files[i]
	f.open = slices.DeleteFunc(f.open, func(d facts.DeclID) bool {
		if !f.live[d] && !r.reaches(f, d) {
			return false
		}
		f.live[d], r.grown = true, true
		r.uses(f, d)
		return true
	})
	unit, fs := f.unit, f.facts
	f.imports = slices.DeleteFunc(f.imports, func(i int32) bool {
		im := &fs.Imports[i]
		if !r.imports(f, im) {
			return false
		}
		if im.Name != 0 {
			r.mention(f.syms[im.Name], true)
		}
		r.grown = true
		r.follow(unit, fs, int(i))
		return true
	})
}

// reaches reports whether a declaration is live by now.
func (r *reach) reaches(f *reachedFile, id facts.DeclID) bool {
	d := &f.facts.Decls[id]
	inside := d.Parent != facts.None
	if inside && !f.live[d.Parent] {
		return false
	}
	switch {
	case d.Name == 0 || inside && d.Traits&facts.TraitEmbedded != 0:
		return true
	case d.Kind == graph.KindInterface && f.unit == r.lang.universe: // see [linker.outside]
		return true
	case d.Kind.IsCallable():
		return r.called(f.syms[d.Name]) || inside && r.asks(&f.facts.Decls[d.Parent])
	}
	return r.named(f.syms[d.Name])
}

// asks reports whether a type asks for methods that others have by their names.
func (r *reach) asks(d *facts.Decl) bool {
	return d.Kind == graph.KindInterface || r.lang.Dynamic != nil && d.Flags.Has(graph.FlagAbstract)
}

// uses mentions the names in a declaration that is live, without those in what it
// encloses.
func (r *reach) uses(f *reachedFile, id facts.DeclID) {
	fs := f.facts
	d := &fs.Decls[id]
	if d.Kind.IsCallable() && d.Parent != facts.None && r.asks(&fs.Decls[d.Parent]) {
		r.mention(f.syms[d.Name], true)
	}
	if d.Traits&facts.TraitImplied != 0 && id > 0 {
		f.live[id-1] = true
	}
	calls := d.Marks.Len() > 0 || d.Value != facts.None && !d.Kind.IsType()
	at := d.Exprs.Lo
	mention := func(end int32) {
		for ; at < end; at++ {
			r.mention(f.syms[fs.Exprs[at].Name], calls)
		}
	}
	if d.Kind.IsType() {
		for c := int(id) + 1; c < len(fs.Decls) && fs.Decls[c].Exprs.Lo < d.Exprs.Hi; c++ {
			mention(fs.Decls[c].Exprs.Lo)
			at = max(at, fs.Decls[c].Exprs.Hi)
		}
	}
	mention(d.Exprs.Hi)
}

// imports reports whether something may use an import: its name is mentioned.
func (r *reach) imports(f *reachedFile, im *facts.Import) bool {
	name := f.facts.Str(im.Name)
	switch {
	case r.l.WholeLibraries || name == "*" || im.Flags&facts.ImportImplied != 0 || f.facts.Str(im.Alias) == ".":
		return true
	case im.Alias != 0:
		return r.named(f.syms[im.Alias])
	case im.Name != 0:
		return r.named(f.syms[im.Name])
	}
	for part := range strings.FieldsFuncSeq(f.facts.Str(im.Path), func(c rune) bool { return c == '.' || c == '/' }) {
		if r.mentioned(part) {
			return true
		}
	}
	return false
}

// allNames returns the names in all texts of the rules, sorted: some are of a
// library.
func (r *Rules) allNames() []string {
	var list []string
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			list = slices.AppendSeq(list, strings.FieldsFuncSeq(v.String(), func(c rune) bool { return strings.ContainsRune(".#/ ", c) }))
		case reflect.Pointer:
			if !v.IsNil() {
				visit(v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				visit(v.Field(i))
			}
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				visit(v.Index(i))
			}
		case reflect.Map:
			for it := v.MapRange(); it.Next(); {
				visit(it.Key())
				visit(it.Value())
			}
		}
	}
	visit(reflect.ValueOf(r))
	slices.Sort(list)
	return slices.Compact(list)
}
