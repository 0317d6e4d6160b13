package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// Files is what happened to whole files.
type Files struct {
	// Changed counts the files that both graphs have, under one path, with
	// another content; Added and Removed the others.
	Changed, Added, Removed int
	// Formatting lists files whose content differs while nothing they declare
	// and nothing they use does: layout, comments, and names that they import or
	// pass on and do not use. They are no changes.
	Formatting []string
	// Moved lists files of the same package, or without any, that got another
	// path. Their declarations have no change of their own for that.
	Moved []FileMove
	// Shifted lists files between which several declarations of one package
	// moved: a file was split, or merged into another one. The declarations
	// have no change of their own for that.
	Shifted []Shift
	// Lost lists files that the base graph analysed and the head graph could
	// not. Their declarations are not reported as removed.
	Lost []LostFile
	// Gained lists files that only the head graph could analyse, although the
	// base tree has them.
	Gained []LostFile

	moved map[string]string
}

func (f *Files) empty() bool {
	return f.Changed+f.Added+f.Removed == 0 && len(f.Lost)+len(f.Gained)+len(f.Moved)+len(f.Shifted) == 0
}

// FileMove is a file with another path.
type FileMove struct{ From, To string }

// Shift is declarations that moved between two files of a package. Members
// that moved with their type do not count.
type Shift struct {
	From, To     string
	Declarations int
}

// LostFile is a file that one of the graphs could not analyse.
type LostFile struct {
	Path   string
	Reason graph.Reason
	Detail string
}

// whole reports whether a reason concerns a file as a whole: nothing of it is
// in the graph.
func whole(u *graph.Unknown) bool {
	switch u.Reason {
	case graph.ReasonUnreadable, graph.ReasonTooLarge, graph.ReasonLongLine, graph.ReasonParseBudget,
		graph.ReasonNodeLimit, graph.ReasonDepthLimit, graph.ReasonBinary, graph.ReasonEncoding,
		graph.ReasonMissingObject, graph.ReasonParserCrash:
		return u.File != ""
	case graph.ReasonSyntaxError:
		return u.File != "" && u.Line == 0
	}
	return false
}

// unreadable returns the files of which a graph holds nothing although they
// are in the tree.
func unreadable(g *graph.Graph) map[string]graph.Reason {
	lost := map[string]graph.Reason{}
	for i := range g.Unknowns {
		if u := &g.Unknowns[i]; whole(u) {
			if _, ok := lost[u.File]; !ok {
				lost[u.File] = u.Reason
			}
		}
	}
	if len(lost) == 0 {
		return lost
	}
	// A file that declares something was analysed after all.
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.File != "" && n.Kind != graph.KindFile {
			delete(lost, n.File)
		}
	}
	return lost
}

// damaged reports whether a graph has only a part of a file.
func damaged(g *graph.Graph, path string) bool {
	if path == "" {
		return false
	}
	i, _ := slices.BinarySearchFunc(g.Unknowns, path, func(u graph.Unknown, p string) int { return strings.Compare(u.File, p) })
	for ; i < len(g.Unknowns) && g.Unknowns[i].File == path; i++ {
		if g.Unknowns[i].Reason == graph.ReasonSyntaxError || whole(&g.Unknowns[i]) {
			return true
		}
	}
	return false
}

func compareFiles(m *matcher) Files {
	fs := Files{moved: map[string]string{}}
	base, head := m.base.g, m.head.g
	lostBase, lostHead := unreadable(base), unreadable(head)
	declaring := func(g *graph.Graph) map[string]bool {
		paths := map[string]bool{}
		for i := range g.Nodes {
			if n := &g.Nodes[i]; n.File != "" && n.Kind != graph.KindFile {
				paths[n.File] = true
			}
		}
		return paths
	}
	var gone, came []int
	i, j := 0, 0
	for i < len(base.Files) || j < len(head.Files) {
		switch {
		case j == len(head.Files) || i < len(base.Files) && base.Files[i].Path < head.Files[j].Path:
			if _, ok := lostHead[base.Files[i].Path]; !ok {
				gone = append(gone, i)
			}
			i++
		case i == len(base.Files) || base.Files[i].Path > head.Files[j].Path:
			if _, ok := lostBase[head.Files[j].Path]; !ok {
				came = append(came, j)
			}
			j++
		default:
			if base.Files[i].Hash != head.Files[j].Hash {
				fs.Changed++
			}
			i++
			j++
		}
	}
	fs.Added, fs.Removed = len(came), len(gone)
	fs.Lost = lostIn(lostHead, base, head, declaring)
	fs.Gained = lostIn(lostBase, head, base, declaring)
	fs.matchFiles(m, gone, came)
	return fs
}

// lostIn lists the files that one graph could not analyse and the other did.
func lostIn(lost map[string]graph.Reason, had, g *graph.Graph, declaring func(*graph.Graph) map[string]bool) []LostFile {
	if len(lost) == 0 {
		return nil
	}
	paths := declaring(had)
	var out []LostFile
	for i := range g.Unknowns {
		u := &g.Unknowns[i]
		if r, ok := lost[u.File]; ok && r == u.Reason && paths[u.File] {
			out = append(out, LostFile{u.File, u.Reason, u.Detail})
			delete(lost, u.File)
		}
	}
	return out
}

// matchFiles finds the new paths of files: by equal content, then by where
// most of their matched declarations are now.
func (fs *Files) matchFiles(m *matcher, gone, came []int) {
	if len(gone) == 0 || len(came) == 0 {
		return
	}
	base, head := m.base.g, m.head.g
	taken := map[string]bool{}
	move := func(from, to string) {
		fs.moved[from] = to
		taken[to] = true
		fs.Moved = append(fs.Moved, FileMove{from, to})
		fs.Added--
		fs.Removed--
	}
	type pair struct{ from, to []int }
	byHash := map[[32]byte]*pair{}
	get := func(h [32]byte) *pair {
		if byHash[h] == nil {
			byHash[h] = &pair{}
		}
		return byHash[h]
	}
	for _, i := range gone {
		get(base.Files[i].Hash).from = append(get(base.Files[i].Hash).from, i)
	}
	for _, j := range came {
		get(head.Files[j].Hash).to = append(get(head.Files[j].Hash).to, j)
	}
	for _, i := range gone {
		if p := byHash[base.Files[i].Hash]; len(p.from) == 1 && len(p.to) == 1 {
			move(base.Files[i].Path, head.Files[p.to[0]].Path)
		}
	}
	isGone, isCame := map[string]bool{}, map[string]bool{}
	for _, i := range gone {
		isGone[base.Files[i].Path] = fs.moved[base.Files[i].Path] == ""
	}
	for _, j := range came {
		isCame[head.Files[j].Path] = !taken[head.Files[j].Path]
	}
	votes := map[[2]string]int{}
	nb, nh := map[string]int{}, map[string]int{} // declarations per file
	for i := range base.Nodes {
		x := &base.Nodes[i]
		if !isGone[x.File] || !declares(x.Kind) || isPackaging(x.Kind) {
			continue
		}
		nb[x.File]++
		if h := m.toHead[i]; h != graph.None && isCame[head.Nodes[h].File] {
			votes[[2]string{x.File, head.Nodes[h].File}]++
		}
	}
	for i := range head.Nodes {
		if y := &head.Nodes[i]; isCame[y.File] && declares(y.Kind) && !isPackaging(y.Kind) {
			nh[y.File]++
		}
	}
	for _, i := range gone {
		from := base.Files[i].Path
		for _, j := range came {
			to := head.Files[j].Path
			if n := votes[[2]string{from, to}]; n > 0 && 2*n > nb[from] && 2*n > nh[to] {
				move(from, to)
				break
			}
		}
	}
	slices.SortFunc(fs.Moved, func(x, y FileMove) int { return strings.Compare(x.To, y.To) })
}

// compareStatements adds a change for every file whose statements outside of
// declarations differ, as far as the graphs tell, or that other builds have, and
// lists the changed files in which nothing of the graph differs.
func compareStatements(d *Delta) (formatting []string) {
	touched := touchedFiles(d)
	was := map[string]string{} // of moved files
	for _, m := range d.Files.Moved {
		was[m.To] = m.From
	}
	for i := range d.Head.Files {
		f := &d.Head.Files[i]
		j := d.Base.FileIndex(f.Path)
		if from, moved := was[f.Path]; moved {
			if k := d.Base.FileIndex(from); k >= 0 {
				compareConstraint(d, d.Base.Files[k].Node, f.Node)
			}
			continue
		}
		if j < 0 || d.Base.Files[j].Hash == f.Hash {
			continue
		}
		b, h := d.Base.Files[j].Node, f.Node
		if compareConstraint(d, b, h) {
			continue
		}
		switch {
		case b == graph.None || h == graph.None: // no code: graphs do not tell all that it says
		case !sameUses(d, b, h, false) || !touched[f.Path] && !sameUses(d, b, h, true) || statements(d.Base, b, j) != statements(d.Head, h, i),
			readWhole(d.Base, b), readWhole(d.Head, h):
			c := Change{Kind: Body, Base: b, Head: h, Details: []Detail{{Code: BodyChanged, Verdict: Compatible, Index: -1}}}
			c.Aspects.add(Body)
			d.Changes = append(d.Changes, c)
		case !touched[f.Path] && !replaces(d, b) && !d.manifest(f):
			formatting = append(formatting, f.Path)
		}
	}
	return formatting
}

// manifest reports whether a file says more than its graph does: how others are
// built.
func (d *Delta) manifest(f *graph.File) bool {
	is := d.rules.Rules[f.Lang].Manifest
	return is != nil && is(f.Path)
}

// readWhole reports whether code reads the bytes of a file, as what embeds it
// does: then anything that is written otherwise is a change.
func readWhole(g *graph.Graph, file graph.ID) bool { return len(g.InKind(file, graph.EdgeReads)) > 0 }

// compareConstraint adds a change for a file that other builds have than before,
// and reports whether it did. Its name or what stands in it says which.
func compareConstraint(d *Delta, b, h graph.ID) bool {
	if b == graph.None || h == graph.None {
		return false
	}
	of := func(n *graph.Node) string {
		for _, v := range n.Variants {
			return v.Constraint
		}
		return ""
	}
	x, y := &d.Base.Nodes[b], &d.Head.Nodes[h]
	from, to := of(x), of(y)
	if from == to || x.Kind != graph.KindFile || y.Kind != graph.KindFile {
		return false
	}
	rules := d.RulesFor(y)
	ds := details{rules: &rules}
	if from == "" || to != "" {
		ds.at(VariantRemoved, -1, from, x.File, to)
	}
	if to == "" || from != "" {
		ds.at(VariantAdded, -1, to, from, y.File)
	}
	c := Change{Kind: Variant, Base: b, Head: h, Details: ds.list}
	c.Aspects, c.Breaking = ds.aspects()
	d.Changes = append(d.Changes, c)
	return true
}

// replaces reports whether a file of the base graph imports a library that
// another one took the place of.
func replaces(d *Delta, b graph.ID) bool {
	return len(d.Libraries) > 0 && slices.ContainsFunc(d.Base.OutKind(b, graph.EdgeImports), func(e graph.Edge) bool {
		h := d.toHead[e.To]
		return h != graph.None && d.Base.Nodes[e.To].Key != d.Head.Nodes[h].Key
	})
}

// statements returns the hash of a file's statements outside of declarations,
// or nothing if its node has the hash of the whole file.
func statements(g *graph.Graph, n graph.ID, file int) graph.Hash {
	if b := g.Nodes[n].Body; b != graph.Hash(g.Files[file].Hash[:16]) {
		return b
	}
	return graph.Hash{}
}

// touchedFiles returns the files that hold a change, a declaration that only one
// graph has, or one that follows what it names to another name or place, and those
// that declarations left for each other.
func touchedFiles(d *Delta) map[string]bool {
	touched := map[string]bool{}
	touch := func(n *graph.Node) {
		touched[n.File] = true
		for i := range n.Variants {
			touched[n.Variants[i].File] = true
		}
	}
	for i := range d.Changes {
		if c := &d.Changes[i]; c.Base != graph.None {
			touch(&d.Base.Nodes[c.Base])
		}
		if c := &d.Changes[i]; c.Head != graph.None {
			touch(&d.Head.Nodes[c.Head])
		}
	}
	for _, s := range d.Files.Shifted {
		touched[s.From], touched[s.To] = true, true
	}
	for i, h := range d.toHead {
		switch b := graph.ID(i); {
		case h == graph.None:
			touch(&d.Base.Nodes[i])
		case declares(d.Base.Nodes[i].Kind) && !d.SameText(b, h):
			touch(&d.Base.Nodes[i])
			touch(&d.Head.Nodes[h])
		}
	}
	for i, b := range d.toBase {
		if b == graph.None {
			touch(&d.Head.Nodes[i])
		}
	}
	return touched
}

// sameUses reports whether a file by itself uses the same in both graphs: by
// its statements and, if asked, its imports. Uses of what only one graph has
// say nothing: the statement may be the same.
func sameUses(d *Delta, b, h graph.ID, imports bool) bool {
	known := func(g *graph.Graph, n graph.ID, to []graph.ID) bool {
		return n == graph.None || to[n] != graph.None || g.Nodes[n].Kind == graph.KindExternal
	}
	count := func(g *graph.Graph, n graph.ID, to []graph.ID) (k int) {
		for _, e := range g.Out(n) {
			if (imports || e.Kind != graph.EdgeImports) && known(g, e.To, to) && known(g, e.Type, to) {
				k++
			}
		}
		return k
	}
	if count(d.Base, b, d.toHead) != count(d.Head, h, d.toBase) {
		return false
	}
	for _, e := range d.Base.Out(b) {
		if !imports && e.Kind == graph.EdgeImports {
			continue
		}
		to := d.toHead[e.To]
		if !known(d.Base, e.To, d.toHead) || !known(d.Base, e.Type, d.toHead) {
			continue
		}
		if to == graph.None || findEdge(d.Head, h, e.Kind, to, typeIn(d, e.Type)) < 0 {
			return false
		}
	}
	return true
}

// manyShifted is how many declarations that move between two files are told as
// one shift.
const manyShifted = 3

// shifted tells declarations that moved together once.
func (d *Delta) shifted() {
	move := func(c *Change) (m FileMove, ok bool) {
		if i := slices.IndexFunc(c.Details, func(x Detail) bool { return x.Code == FileMoved }); i >= 0 {
			return FileMove{c.Details[i].From, c.Details[i].To}, true
		}
		return m, false
	}
	count := map[FileMove]int{}
	for i := range d.Changes {
		if m, ok := move(&d.Changes[i]); ok {
			count[m]++
		}
	}
	for m, n := range count {
		if n >= manyShifted {
			d.Files.Shifted = append(d.Files.Shifted, Shift{m.From, m.To, n})
		}
	}
	if len(d.Files.Shifted) == 0 {
		return
	}
	slices.SortFunc(d.Files.Shifted, func(x, y Shift) int {
		return cmp.Or(strings.Compare(x.From, y.From), strings.Compare(x.To, y.To))
	})
	d.Changes = slices.DeleteFunc(d.Changes, func(c Change) bool {
		m, ok := move(&c)
		return ok && count[m] >= manyShifted && c.Aspects == 1<<Moved
	})
	for i := range d.Changes {
		c := &d.Changes[i]
		if m, ok := move(c); ok && count[m] >= manyShifted {
			c.Details = slices.DeleteFunc(c.Details, func(x Detail) bool { return x.Code == FileMoved })
			ds := details{list: c.Details}
			c.Aspects, c.Breaking = ds.aspects()
			c.Kind = c.Aspects.primary()
		}
	}
}
