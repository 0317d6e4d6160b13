package link

import (
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// makeNodes adds the repository, its modules, packages, files and
// declarations. External nodes come later, where they are used.
func (l *linker) makeNodes() {
	repo := l.b.AddNode(graph.Node{Key: graph.RepositoryKey, Kind: graph.KindRepository, Parent: graph.None})
	l.repo = repo
	l.unitIDs = make([]graph.ID, len(l.units))
	l.fileIDs = make([]int32, len(l.files))
	l.fileNodes = make([]graph.ID, len(l.files))
	l.nodeOf = make([]graph.ID, len(l.entFile))
	for i := range l.nodeOf {
		l.nodeOf[i] = graph.None
	}
	for _, s := range l.langs {
		modules := make([]graph.ID, len(s.layout.Modules))
		for i, m := range s.layout.Modules {
			modules[i] = l.b.AddNode(graph.Node{Key: graph.ModuleKey(s.Name, m.Path), Kind: graph.KindModule, Name: path.Base(m.Path),
				QName: m.Path, Parent: repo, Lang: s.Name, File: m.File, Signature: graph.Signature{Text: m.Build}})
		}
		for i, m := range s.layout.Modules {
			for _, n := range m.Needs {
				certainty := graph.Exact
				if n == i && m.NeedsMore {
					certainty = graph.Inferred
				}
				l.b.AddEdge(graph.RawEdge{From: modules[i], To: modules[n], Type: graph.None, Kind: graph.EdgeImports, Certainty: certainty})
			}
		}
		for i := range s.layout.Units {
			l.makeUnit(s, int(s.firstUnit)+i, repo, modules)
		}
	}
	for i := range l.files {
		l.makeFile(int32(i), repo)
	}
	l.makeAssets()
	l.makeDecls()
}

func (l *linker) makeUnit(s *langState, n int, repo graph.ID, modules []graph.ID) {
	u := &l.units[n]
	parent := repo
	if u.Module >= 0 {
		parent = modules[u.Module]
	}
	if u.Scope != "" { // its declarations belong to the package that shares the path
		l.unitIDs[n] = graph.None
		for i := range s.layout.Units {
			if o := &s.layout.Units[i]; o.Path == u.Path && o.Scope == "" {
				l.unitIDs[n] = l.unitIDs[int(s.firstUnit)+i]
				return
			}
		}
		for i := int(s.firstUnit); i < n; i++ {
			if l.units[i].key == u.key && l.unitIDs[i] != graph.None {
				l.unitIDs[n] = l.unitIDs[i]
				return
			}
		}
	}
	if s.Classes != nil { // modules share packages
		if id, ok := l.packages[u.key]; ok {
			l.unitIDs[n] = id
			return
		}
	}
	flags := graph.Flags(0)
	if u.Peer >= 0 {
		flags = graph.FlagTest
	}
	vis := graph.Public
	if u.Hidden {
		vis = graph.Internal
	}
	l.unitIDs[n] = l.b.AddNode(graph.Node{Key: u.key, Kind: graph.KindPackage, Name: u.Name, QName: u.Path,
		Parent: parent, Lang: s.Name, Flags: flags, Visibility: vis})
	l.packages[u.key] = l.unitIDs[n]
}

func (l *linker) makeFile(n int32, repo graph.ID) {
	f := &l.files[n]
	l.fileIDs[n] = -1
	if f.unit >= 0 && l.units[f.unit].surface {
		return
	}
	parent, flags := repo, graph.Flags(0)
	if f.unit >= 0 {
		parent = l.unitIDs[f.unit]
	}
	if f.place.Test {
		flags |= graph.FlagTest
	}
	if f.Facts.Generated {
		flags |= graph.FlagGenerated
	}
	if f.place.Elsewhere {
		flags |= graph.FlagElsewhere
	}
	file := graph.Node{Key: graph.FileKey(f.Path), Kind: graph.KindFile, Name: path.Base(f.Path), QName: f.Path,
		Parent: parent, Lang: f.Rules.Name, File: f.Path, DefLine: 1, Line: 1, Flags: flags,
		Body: graph.Hash(f.Hash[:16])}
	if f.place.Constraint != "" {
		file.Variants = []graph.Variant{{Constraint: f.place.Constraint, File: f.Path, DefLine: 1, Line: 1}}
	}
	id := l.b.AddNode(file)
	l.fileNodes[n] = id
	l.fileIDs[n] = l.b.AddFile(graph.File{Path: f.Path, Lang: f.Rules.Name, Hash: f.Hash, Node: id, Size: f.Size})
	for _, r := range f.Facts.Unparsed {
		l.b.AddUnknown(graph.Unknown{Reason: graph.ReasonSyntaxError, File: f.Path, Line: r.From, EndLine: r.To})
	}
}

// declPart is how many declarations are made nodes of at once.
const declPart = 1 << 11

// makeDecls adds the nodes of declarations: first the canonical ones with
// their variants, parents before children, so that keys are numbered in the
// order of files.
func (l *linker) makeDecls() {
	type found struct{ nodes, variants, joined []Ent }
	parts := make([]found, (len(l.entFile)+declPart-1)/declPart)
	l.inParts(len(l.entFile), declPart, func() func(lo, hi int) {
		return func(lo, hi int) {
			p := &parts[lo/declPart]
			for e := Ent(lo); e < Ent(hi); e++ {
				f := &l.files[l.entFile[e]]
				if f.unit < 0 || l.units[f.unit].surface || !l.isNode(e) || l.str(e, l.decl(e).Name) == "_" && (f.Rules.Dynamic == nil || !l.decl(e).Kind.IsCallable()) {
					continue
				}
				switch c := l.canon[e]; {
				case c != e && f.Rules.Modules != nil: // several declarations are one
					p.joined = append(p.joined, e)
				case c != e && l.sameSymbol(c, e):
					p.variants = append(p.variants, e)
				default:
					p.nodes = append(p.nodes, e)
				}
			}
		}
	})
	variants := map[Ent][]Ent{}
	var all []Ent
	for i := range parts {
		all = append(all, parts[i].nodes...)
		for _, e := range parts[i].variants {
			variants[l.canon[e]] = append(variants[l.canon[e]], e)
		}
	}
	l.b.Grow(len(all) + len(all)/3) // and external names
	first, nodes := l.b.AddNodes(len(all))
	for i, e := range all {
		l.nodeOf[e] = first + graph.ID(i)
		for _, v := range variants[e] {
			l.nodeOf[v] = first + graph.ID(i)
		}
	}
	for i := range parts {
		for _, e := range parts[i].joined {
			l.nodeOf[e] = l.nodeOf[l.canon[e]]
		}
	}
	l.inParts(len(all), declPart, func() func(lo, hi int) {
		namer := l.newNamer()
		return func(lo, hi int) {
			for i := lo; i < hi; i++ {
				nodes[i] = namer.declNode(all[i], variants[all[i]])
				nodes[i].Parent = l.parentNode(all[i])
			}
		}
	})
	scoped := map[string]int{} // a file may have several init functions
	for i, e := range all {
		if n := &nodes[i]; l.decl(e).Traits&facts.TraitFileScoped != 0 {
			scoped[n.Key]++
			n.Key = graph.NthKey(n.Key, scoped[n.Key])
		}
	}
}

// inParts calls what worker returns for the numbers below n, size of them at a time.
// Each of the linker's workers makes its own.
func (l *linker) inParts(n, size int, worker func() func(lo, hi int)) {
	var next atomic.Int64
	run := func() {
		do := worker()
		for {
			lo := (int(next.Add(1)) - 1) * size
			if lo >= n {
				return
			}
			do(lo, min(lo+size, n))
		}
	}
	var wg sync.WaitGroup
	for range min(l.Workers, (n+size-1)/size) - 1 {
		wg.Go(run)
	}
	run()
	wg.Wait()
}

// sameSymbol reports whether two declarations with one name are variants of
// one symbol: build constraints tell at least one of them apart, or one of the
// two is a member of such a one.
func (l *linker) sameSymbol(a, b Ent) bool {
	pa, pb := l.files[l.entFile[a]].place, l.files[l.entFile[b]].place
	return l.entFile[a] != l.entFile[b] && (pa.Constraint != "" || pb.Constraint != "")
}

func (l *linker) parentNode(e Ent) graph.ID {
	for c := l.container(e); c != noEnt; c = l.container(c) {
		if n := l.nodeOf[l.canon[c]]; n != graph.None {
			return n
		}
	}
	return l.unitIDs[l.unitOf(e)]
}

func (l *namer) declNode(e Ent, variants []Ent) graph.Node {
	f := &l.files[l.entFile[e]]
	d := l.decl(e)
	u := &l.units[f.unit]
	q := l.qualified(e)
	if q == "" {
		q = "?"
	}
	flags := d.Flags
	if d.Traits&facts.TraitGenerator != 0 {
		flags &^= graph.FlagAsync // nobody waits for the call itself
	}
	if f.place.Test {
		flags |= graph.FlagTest
	}
	switch {
	case !flags.Has(graph.FlagTestCase):
	case u.rules.layout.Suite != nil && isMember(f.Facts, d):
		flags &^= graph.FlagTestCase | graph.FlagOnLoad // see suites
	case !f.place.Test:
		if flags.Has(graph.FlagOnLoad) { // of a file that a runner of tests is told to load
			flags |= graph.FlagCalledOutside
		}
		flags &^= graph.FlagTestCase | graph.FlagOnLoad
	}
	if f.Facts.Generated {
		flags |= graph.FlagGenerated
	}
	if f.place.Elsewhere {
		flags |= graph.FlagElsewhere
	}
	if d.Traits&facts.TraitEmbedded != 0 {
		flags |= graph.FlagEmbedded
	}
	if d.Traits&facts.TraitAccessor != 0 && d.Kind.IsCallable() {
		flags |= graph.FlagAccessor
	}
	if d.Traits&facts.TraitOptional != 0 {
		flags |= graph.FlagOptional
	}
	vis := d.Vis
	if f.Rules.Dynamic != nil {
		vis = l.seenAs(e, vis)
	}
	if vis == graph.Public && (u.Hidden && f.Rules.Dynamic == nil || u.Name == "main" || f.place.Test) {
		vis = graph.Internal
	}
	key := graph.DeclKey(u.key, q)
	if u.Scope != "" || f.scoped(d) {
		key = graph.FileScopedKey(u.key, path.Base(f.Path), q)
	}
	n := graph.Node{Key: key, Kind: d.Kind, Name: l.str(e, d.Name), QName: u.Name + "." + q, Parent: graph.None,
		Lang: f.Rules.Name, File: f.Path, DefLine: d.DefLine, Line: d.Line, Col: d.Col, EndLine: d.EndLine,
		Visibility: vis, Flags: flags, Signature: l.signature(e), Doc: l.str(e, d.Doc),
		DocHash: d.DocHash, Body: d.Body, Tokens: d.Tokens, Branches: d.Branches, MinHash: d.MinHash}
	if d.Kind == graph.KindRoute {
		n.Name = l.routeName(e)
		n.Signature.Text = n.Name
	}
	if len(variants) > 0 {
		for _, v := range append([]Ent{e}, variants...) {
			vf, vd := &l.files[l.entFile[v]], l.decl(v)
			n.Variants = append(n.Variants, graph.Variant{Constraint: vf.place.Constraint, File: vf.Path, DefLine: vd.DefLine,
				Line: vd.Line, EndLine: vd.EndLine, Signature: l.str(v, vd.Signature), Body: vd.Body})
		}
	}
	return n
}

// signature returns the shape of a declaration with canonical types.
func (l *namer) signature(e Ent) graph.Signature {
	f := &l.files[l.entFile[e]]
	d := l.decl(e)
	s := graph.Signature{Text: l.str(e, d.Signature)}
	ps := f.Facts.Params
	if d.TypeParams.Len() > 0 && l.owner[e] == noEnt {
		for i := d.TypeParams.Lo; i < d.TypeParams.Hi; i++ {
			c := l.constraint(l.canon[e], int(i-d.TypeParams.Lo))
			s.TypeParams = append(s.TypeParams, graph.Param{Name: f.Facts.Str(ps[i].Name), Type: l.typeString(c), Flags: ps[i].Flags})
		}
	}
	if f.Rules.Dynamic != nil {
		l.dynamicSignature(e, &s)
		return s
	}
	shape := l.typ[e]
	if d.Kind.IsCallable() && l.types.kind(shape) == kNamed { // a variable that a function literal initialises
		shape = l.ev.under(shape)
	}
	switch {
	case d.Kind.IsCallable() && l.types.kind(shape) == kFunc:
		args := l.types.argsOf(shape)
		n := l.types.rec(shape).funcParams()
		named := func(span facts.Span, args []Type) []graph.Param {
			to := make([]graph.Param, 0, len(args))
			for i := range args {
				p := graph.Param{Type: l.typeString(args[i])}
				if i < span.Len() {
					fp := &ps[int(span.Lo)+i]
					p.Name, p.Flags = f.Facts.Str(fp.Name), fp.Flags
					if args[i] == unknownType {
						p.Type = l.sourceType(f, fp.Type)
					} else if each := l.eachOf(f, args[i]); fp.Flags&graph.ParamVariadic != 0 && each != unknownType {
						p.Type = l.typeString(each)
					}
				}
				to = append(to, p)
			}
			return to
		}
		s.Params = named(d.Params, args[:n])
		s.Results = named(d.Results, args[n:])
	case d.Kind.IsType():
		if t := l.rhs[l.canon[e]]; t != unknownType {
			s.Type = l.typeString(t)
		} else if d.Traits&facts.TraitAlias != 0 {
			s.Type = "= " + l.typeString(l.types.denoted(l.typ[e]))
		}
		for _, b := range l.basesOf(e) {
			s.Bases = append(s.Bases, l.typeString(b))
		}
	default:
		s.Type = l.typeString(l.typ[e])
	}
	return s
}

// eachOf returns the type of each argument that a parameter takes any number of, where
// the language declares the list of them.
func (l *namer) eachOf(f *file, list Type) Type {
	m := l.units[f.unit].rules.mod
	if m == nil || l.types.kind(list) != kNamed {
		return unknownType
	}
	if r := l.types.rec(list); r.ent == noEnt || r.ent != m.array && r.ent != m.list {
		return unknownType
	}
	return l.types.arg(list, 0)
}

// sourceType names a type that could not be resolved by its last name.
func (l *linker) sourceType(f *file, e facts.ExprID) string {
	if e == facts.None {
		return "?"
	}
	return "?" + strings.TrimSpace(f.Facts.Str(f.Facts.Exprs[e].Name))
}

// externalNode returns the node of an external name, which is made the first
// time. It is called from the sequential parts only.
func (l *linker) externalNode(lang, path, name string) graph.ID {
	key := graph.ExternalKey(lang, path, name)
	if id, ok := l.external[key]; ok {
		return id
	}
	short, parent := name, graph.None
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		short = name[i+1:]
		parent = l.externalNode(lang, path, name[:i])
	}
	q := lastName(path)
	if name != "" {
		q += "." + name
	} else {
		short = q
	}
	flags := graph.FlagOpaque
	for _, s := range l.langs {
		if u, ok := s.byPath[path]; s.Name == lang && (ok && u >= 0 || l.units[s.universe].Path == path) {
			flags = 0
		}
	}
	id := l.b.AddNode(graph.Node{Key: key, Kind: graph.KindExternal, Name: short, QName: q, Parent: parent, Lang: lang, Flags: flags})
	l.external[key] = id
	return id
}

// scoped reports whether a declaration, or one that it is a member of, is known
// only inside of its file.
func (f *file) scoped(d *facts.Decl) bool {
	for d.Traits&facts.TraitFileScoped == 0 {
		if d.Parent == facts.None {
			return false
		}
		d = &f.Facts.Decls[d.Parent]
	}
	return true
}
