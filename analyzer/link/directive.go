package link

import (
	"path"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// makeAssets adds the nodes of the files that code embeds and that are no
// source files. All of their content is what they declare, so that its hash is
// the node's body.
func (l *linker) makeAssets() {
	l.assetNodes = make([]graph.ID, len(l.Assets))
	for i, a := range l.Assets {
		id := l.b.AddNode(graph.Node{Key: graph.FileKey(a.Path), Kind: graph.KindFile, Name: path.Base(a.Path), QName: a.Path,
			Parent: l.repo, File: a.Path, DefLine: 1, Line: 1, Body: graph.Hash(a.Hash[16:])})
		l.b.AddFile(graph.File{Path: a.Path, Hash: a.Hash, Node: id, Size: a.Size})
		l.assetNodes[i] = id
	}
}

// directives adds the edges that directives give rise to.
func (l *linker) directives() {
	for i := range l.Embeds {
		e := &l.Embeds[i]
		fn := l.fileOf[e.File]
		f := &l.files[fn]
		d := &f.Facts.Directives[e.Directive]
		if f.unit < 0 {
			continue
		}
		if e.Path < 0 {
			l.b.AddUnknown(graph.Unknown{Reason: graph.ReasonDynamic, File: f.Path, Line: d.Line, EndLine: d.Line,
				Detail: "embedded, but not in the tree: " + f.Facts.Str(d.Value)})
			continue
		}
		from := l.declNodeOf(fn, d.Owner)
		if to := l.fileAt(l.Paths[e.Path]); to != graph.None {
			l.directiveEdge(graph.EdgeReads, from, to, fn, d)
		}
	}
	for _, s := range l.langs {
		for _, r := range l.references(s) {
			l.reference(s, r)
		}
	}
}

// references returns what the directives of a language say, once the bases of its types
// are known.
func (l *linker) references(s *langState) []Reference {
	if s.layout.Given == nil || s.given != nil {
		return append(slices.Clip(s.layout.References), s.given...)
	}
	at := map[int32]int{}
	has := map[Ent]bool{} // types with members that directives are about
	for i, n := range s.files {
		fn := l.fileOf[n]
		at[fn] = i
		f := &l.files[fn]
		for k := range f.Facts.Directives {
			if o := f.Facts.Directives[k].Owner; o != facts.None && isMember(f.Facts, &f.Facts.Decls[o]) {
				has[f.base+Ent(f.Facts.Decls[o].Parent)] = true
			}
		}
	}
	found := l.suitesOf(s)
	members := map[*Ent][]Member{} // by list
	s.given = s.layout.Given(func(file int, d facts.DeclID) [][]Member {
		lists := found.searched(l, l.files[l.fileOf[s.files[file]]].base+Ent(d))
		out := make([][]Member, len(lists))
		for i, list := range lists {
			if out[i] = members[&list[0]]; out[i] != nil {
				continue
			}
			for k, e := range list {
				if fn := l.entFile[e]; k == 0 || has[e] {
					out[i] = append(out[i], Member{at[fn], facts.DeclID(e - l.files[fn].base)})
				}
			}
			members[&list[0]] = out[i]
		}
		return out
	})
	return append(slices.Clip(s.layout.References), s.given...)
}

func (l *linker) directiveEdge(k graph.EdgeKind, from, to graph.ID, fn int32, d *facts.Directive) {
	s := graph.Site{File: l.fileIDs[fn], Line: d.Line, Col: d.Col, Args: -1, Keywords: -1, Recv: graph.None}
	if l.files[fn].place.Test {
		s.Flags |= graph.SiteTest
	}
	l.b.AddEdge(graph.RawEdge{From: from, To: to, Type: graph.None, Kind: k, HasSite: true, Site: s})
}

// declNodeOf returns the node of a declaration of a file, or that of the file.
func (l *linker) declNodeOf(fn int32, d facts.DeclID) graph.ID {
	if d != facts.None {
		if n := l.nodeOf[l.files[fn].base+Ent(d)]; n != graph.None {
			return n
		}
	}
	return l.fileNodes[fn]
}

// fileAt returns the node of a source file or an asset.
func (l *linker) fileAt(p string) graph.ID {
	if i, ok := slices.BinarySearchFunc(l.Files, p, func(f File, p string) int { return strings.Compare(f.Path, p) }); ok {
		return l.fileNodes[l.fileOf[i]]
	}
	if i, ok := slices.BinarySearchFunc(l.Assets, p, func(a Asset, p string) int { return strings.Compare(a.Path, p) }); ok {
		return l.assetNodes[i]
	}
	return graph.None
}

// reference adds the edge of one reference. Of two declarations of one thing
// the one without a body refers to the other, whichever the directive is about.
func (l *linker) reference(s *langState, r Reference) {
	fn := l.fileOf[s.files[r.File]]
	f := &l.files[fn]
	to := l.lookup(s.firstUnit+int32(r.Unit), r.To)
	if to == noEnt || l.nodeOf[to] == graph.None {
		return
	}
	source, target := l.fileNodes[fn], l.nodeOf[to]
	if r.From != "" {
		from := l.lookup(f.unit, r.From)
		if from == noEnt || l.nodeOf[from] == graph.None {
			return
		}
		source = l.nodeOf[from]
		if l.decl(to).Flags.Has(graph.FlagNoBody) && !l.decl(from).Flags.Has(graph.FlagNoBody) {
			source, target = target, source
		}
	}
	if source != target {
		l.directiveEdge(r.Kind, source, target, fn, &f.Facts.Directives[r.Directive])
	}
}

// lookup returns the declaration of a unit that a name means, which may be that
// of a type and, after a dot, of a member.
func (l *linker) lookup(unit int32, name string) Ent {
	name, member, isMember := strings.Cut(name, ".")
	sym := l.lookupSym(name)
	if sym < 0 {
		return noEnt
	}
	e := Ent(l.pkgScope.get(unit, sym))
	if e < 0 || !isMember {
		return e
	}
	if sym = l.lookupSym(member); sym < 0 {
		return noEnt
	}
	return Ent(l.members.get(int32(e), sym))
}
