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
// is live, too. Where types are structural, a type has all its members, and functions
// are named by types. Only names are compared, in no scope, so that more is live than
// the tree uses, and nothing less: no lookup for a name that is mentioned finds
// something else than it would in the whole library. Embedded fields promote
// names without being named, and are live with their types.
//
// The names that are mentioned grow until nothing new is live: linear in the
// loaded declarations and the length of the longest chain among them.
//
// A library in rows has names of its own, and only what is live of it is read, once
// that is known: see [facts.Outline].
type reach struct {
	l     *linker
	lang  *langState
	calls []bool // by Sym: functions and methods of that name are live
	names []bool // by Sym: other declarations are
	grown bool   // something is live that was not
	packs []reachedPack
	files []reachedFile

	rows    *facts.Archive // the library, if it is in rows
	ids     []facts.NameID // by Sym: its name in the library; 0: it has none, or see linked
	linked  []bool         // by Sym: its name in the library is known
	syms    []Sym          // by name in the library: its symbol; 0
	mention []uint8        // by name in the library: mentionedName, mentionedCall
}

// What is mentioned by a name.
const (
	mentionedName = 1 << iota
	mentionedCall
)

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
	facts   *facts.File         // nil: it is in rows
	outline *facts.Outline      // of one in rows
	decls   []facts.OutlineDecl // named in the library, or by their Sym
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
	if s.Builtins != nil {
		r.open(s.Builtins().Library())
	}
	for _, i := range s.files {
		f := &l.files[l.fileOf[i]]
		if f.unit < 0 {
			continue
		}
		for _, sym := range f.syms {
			r.mentions(sym, true)
		}
		for j := range f.Facts.Imports {
			im := &f.Facts.Imports[j]
			r.follow(f.unit, f.Facts.Str(im.Path), f.Facts.Str(im.Name))
		}
	}
	for _, name := range s.allNames() {
		r.mentions(l.sym(name), true)
	}
	for _, path := range s.neededPackages() {
		r.pack(path)
	}
	universe := int32(-1)
	if s.Builtins != nil {
		r.loadRows(s.universe, 0, s.Builtins().Outline(0))
	} else {
		universe = l.units[s.universe].files[0]
		r.load(s.universe, 0, l.files[universe].Facts, l.files[universe].syms)
	}
	for r.grown = true; r.grown; {
		r.grown = false
		for i := 0; i < len(r.files); i++ {
			r.enliven(i)
		}
		for i := 0; i < len(r.packs); i++ {
			r.loadParts(i)
		}
	}
	if universe >= 0 {
		l.files[universe].live = r.files[0].live
	}
	slices.SortStableFunc(r.files, func(x, y reachedFile) int {
		if x.unit != y.unit {
			return int(x.unit - y.unit)
		}
		return x.part - y.part
	})
	r.read()
	for i := range r.files {
		if f := &r.files[i]; f.unit != s.universe || universe < 0 {
			u := &l.units[f.unit]
			if len(u.files) == 0 {
				u.Name = f.facts.Str(f.facts.Package)
			}
			n := l.addFile(&File{Facts: f.facts, Rules: s.Rules}, f.syms, f.unit, Place{Default: true})
			l.files[n].live = f.live
		}
	}
}

// read reads what is live of the files in rows.
func (r *reach) read() {
	if r.rows == nil {
		return
	}
	to := r.rows.NewReader()
	for i := range r.files {
		if f := &r.files[i]; f.outline != nil {
			f.facts = to.Read(f.outline, f.live)
		}
	}
	to.Finish()
	syms := make([]Sym, len(to.IDs))
	for i, id := range to.IDs[1:] {
		sym := r.syms[id]
		if sym == 0 {
			sym = r.l.sym(r.rows.Name(id))
		}
		syms[i+1] = sym
	}
	for i := range r.files {
		if f := &r.files[i]; f.outline != nil {
			f.syms, f.live = syms, nil
		}
	}
}

// open makes the library known that files in rows are of.
func (r *reach) open(a *facts.Archive) {
	if r.rows != nil || a == nil {
		return
	}
	r.rows = a
	r.syms, r.mention = make([]Sym, a.NameCount()), make([]uint8, a.NameCount())
	for s, named := range r.names {
		if named {
			r.mentions(Sym(s), r.calls[s])
		}
	}
	for i := range r.files {
		for _, s := range r.files[i].syms {
			r.link(s)
		}
	}
}

// link looks up the name of a symbol in the library.
func (r *reach) link(s Sym) facts.NameID {
	if r.rows == nil {
		return 0
	}
	r.room(s)
	if !r.linked[s] {
		id := r.rows.Find(r.l.syms.Strings[s])
		r.linked[s], r.ids[s] = true, id
		if id != 0 {
			r.syms[id] = s
			r.names[s] = r.names[s] || r.mention[id]&mentionedName != 0
			r.calls[s] = r.calls[s] || r.mention[id]&mentionedCall != 0
		}
	}
	return r.ids[s]
}

// room makes room for what is known of a symbol.
func (r *reach) room(s Sym) {
	if n := len(r.l.syms.Strings); int(s) >= len(r.names) {
		n += n / 4
		r.names = append(r.names, make([]bool, n-len(r.names))...)
		r.calls = append(r.calls, make([]bool, n-len(r.calls))...)
		r.linked = append(r.linked, make([]bool, n-len(r.linked))...)
		r.ids = append(r.ids, make([]facts.NameID, n-len(r.ids))...)
	}
}

// mentions says that a name is mentioned, for functions and methods, too, if calls.
func (r *reach) mentions(s Sym, calls bool) {
	r.room(s)
	r.names[s] = true
	if calls {
		r.calls[s] = true
	}
	if id := r.link(s); id != 0 {
		r.mention[id] |= mentionedName
		if calls {
			r.mention[id] |= mentionedCall
		}
	}
}

// mentionsName does the same with a name of the library.
func (r *reach) mentionsName(id facts.NameID, calls bool) {
	if id == 0 {
		return
	}
	s := r.syms[id]
	r.mention[id] |= mentionedName
	if s != 0 {
		r.names[s] = true
	}
	if calls {
		r.mention[id] |= mentionedCall
		if s != 0 {
			r.calls[s] = true
		}
	}
}

func (r *reach) named(s Sym) bool { return int(s) < len(r.names) && r.names[s] }

func (r *reach) mentioned(name string) bool {
	if s := r.l.lookupSym(name); s >= 0 {
		r.link(s)
		return r.named(s)
	}
	return r.rows != nil && r.mention[r.rows.Find(name)]&mentionedName != 0
}

// nameOf reports how the name of a declaration of a file is mentioned.
func (r *reach) nameOf(f *reachedFile, name facts.NameID) uint8 {
	if f.outline != nil {
		return r.mention[name]
	}
	m := uint8(0)
	if int(name) < len(r.names) {
		if r.names[name] {
			m |= mentionedName
		}
		if r.calls[name] {
			m |= mentionedCall
		}
	}
	return m
}

// follow follows an import: to the package of its path, or the nearest around it,
// and where a name that is imported may be that of a package, to that.
func (r *reach) follow(from int32, path, name string) {
	if r.lang.Dynamic != nil && name != "" && r.lang.Surface(path+"."+name).Len() > 0 {
		r.bring(from, path+"."+name)
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
	r.open(g.Library())
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
	rows := p.group.Library() != nil
	p.open = slices.DeleteFunc(p.open, func(i int) bool {
		switch {
		case r.l.WholeLibraries:
		case rows:
			if id := p.group.NameID(i); id != 0 && r.mention[id]&mentionedName == 0 {
				return false
			}
		default:
			if name := p.group.Name(i); name != "" && !r.mentioned(name) {
				return false
			}
		}
		if rows {
			r.loadRows(p.unit, i, p.group.Outline(i))
			return true
		}
		for _, f := range p.group.Part(i) {
			r.load(p.unit, i, f, r.l.symbols(f))
		}
		return true
	})
}

func (r *reach) load(unit int32, part int, f *facts.File, syms []Sym) {
	n := reachedFile{unit: unit, part: part, facts: f, syms: syms, decls: make([]facts.OutlineDecl, len(f.Decls))}
	for i := range f.Decls {
		d := &f.Decls[i]
		n.decls[i] = facts.OutlineDecl{Name: facts.NameID(syms[d.Name]), Parent: d.Parent, Kind: d.Kind, Traits: d.Traits, Flags: d.Flags,
			Runs: d.Marks.Len() > 0 || d.Value != facts.None && !d.Kind.IsType()}
	}
	if r.rows != nil {
		for _, s := range syms {
			r.link(s)
		}
	}
	r.add(n, len(f.Imports), r.lang.Modules == nil)
}

func (r *reach) loadRows(unit int32, part int, o *facts.Outline) {
	r.add(reachedFile{unit: unit, part: part, outline: o, decls: o.Decls}, len(o.Imports), true)
}

// add adds a file, of which all declarations are live unless it is told that some may
// not be.
func (r *reach) add(n reachedFile, imports int, some bool) {
	n.imports = make([]int32, imports)
	for i := range n.imports {
		n.imports[i] = int32(i)
	}
	if some && !r.l.WholeLibraries {
		n.live = make([]bool, len(n.decls))
		n.open = make([]facts.DeclID, len(n.decls))
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
	unit, fs, o := f.unit, f.facts, f.outline
	f.imports = slices.DeleteFunc(f.imports, func(i int32) bool {
		if o != nil {
			im := &o.Imports[i]
			if !r.l.WholeLibraries && im.Asks != nil && !slices.ContainsFunc(im.Asks, func(id facts.NameID) bool { return r.mention[id] != 0 }) {
				return false
			}
			r.mentionsName(im.Name, true)
			r.grown = true
			r.follow(unit, r.rows.Name(im.Path), r.rows.Name(im.Name))
			return true
		}
		im := &fs.Imports[i]
		if !r.imports(f, im) {
			return false
		}
		if im.Name != 0 {
			r.mentions(f.syms[im.Name], true)
		}
		r.grown = true
		r.follow(unit, fs.Str(im.Path), fs.Str(im.Name))
		return true
	})
}

// reaches reports whether a declaration is live by now.
func (r *reach) reaches(f *reachedFile, id facts.DeclID) bool {
	d := &f.decls[id]
	inside := d.Parent != facts.None
	if inside && !f.live[d.Parent] {
		return false
	}
	if r.lang.Modules != nil {
		return d.Name == 0 || inside && f.decls[d.Parent].Kind != graph.KindNamespace || r.nameOf(f, d.Name) != 0
	}
	switch {
	case d.Name == 0 || inside && d.Traits&facts.TraitEmbedded != 0:
		return true
	case d.Kind == graph.KindInterface && f.unit == r.lang.universe: // see [linker.outside]
		return true
	case d.Kind.IsCallable():
		return r.nameOf(f, d.Name)&mentionedCall != 0 || inside && r.asks(&f.decls[d.Parent])
	}
	return r.nameOf(f, d.Name)&mentionedName != 0
}

// asks reports whether a type asks for methods that others have by their names.
func (r *reach) asks(d *facts.OutlineDecl) bool {
	return d.Kind == graph.KindInterface || r.lang.Dynamic != nil && d.Flags.Has(graph.FlagAbstract)
}

// uses mentions the names in a declaration that is live, without those in what it
// encloses.
func (r *reach) uses(f *reachedFile, id facts.DeclID) {
	o := &f.decls[id]
	if o.Kind.IsCallable() && o.Parent != facts.None && r.asks(&f.decls[o.Parent]) {
		if f.outline != nil {
			r.mentionsName(o.Name, true)
		} else {
			r.mentions(Sym(o.Name), true)
		}
	}
	if o.Traits&facts.TraitImplied != 0 && id > 0 {
		f.live[id-1] = true
	}
	if f.outline != nil {
		for name := range f.outline.Mentions(id) {
			r.mentionsName(name, o.Runs)
		}
		return
	}
	fs := f.facts
	d := &fs.Decls[id]
	at := d.Exprs.Lo
	mention := func(end int32) {
		for ; at < end; at++ {
			r.mentions(f.syms[fs.Exprs[at].Name], o.Runs)
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
