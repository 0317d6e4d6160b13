package diff

import (
	"cmp"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// Withdrawal is a declaration that a module passed on to others and does not pass
// on any more, while the declaration is what it was.
type Withdrawal struct {
	File   graph.ID   // of the base graph: the file that passed it on
	Target graph.ID   // of the base graph: what it passed on
	Users  []graph.ID // of the base graph: the files that have it by way of the file
	// Unsure says that the file may have the name from elsewhere: from a module
	// outside of the tree all of which it passes on, or by what a run decides.
	Unsure bool
}

// maxPassed bounds the modules through which a name is followed; behind more a module may
// have any name, which is not sure to be gone from there.
const maxPassed = 64

// passing answers what the modules of a graph pass on, in languages in which others
// may import from a file what it imports. A module is the node of its package.
type passing struct {
	g     *graph.Graph
	files map[graph.ID][]graph.ID // by module: its files
	loose func(*graph.Node) bool  // of a file: whether all that it imports may be passed on
}

func newPassing(d *Delta, g *graph.Graph) *passing {
	p := &passing{g: g, files: map[graph.ID][]graph.ID{}, loose: func(n *graph.Node) bool { return d.RulesFor(n).Dynamic }}
	for i := range g.Files {
		if n := g.Files[i].Node; n != graph.None && g.Nodes[n].Kind == graph.KindFile {
			m := p.module(n)
			p.files[m] = append(p.files[m], n)
		}
	}
	return p
}

// module returns the module that a node is or lies in.
func (p *passing) module(n graph.ID) graph.ID {
	for n != graph.None && p.g.Nodes[n].Kind != graph.KindPackage {
		n = p.g.Nodes[n].Parent
	}
	return n
}

// passes reports whether a file passes on a declaration that it imports by its name.
func (p *passing) passes(file, target graph.ID) bool {
	i := findEdge(p.g, file, graph.EdgeImports, target, graph.None)
	return i >= 0 && (p.spread(&p.g.Out(file)[i]) || p.loose(&p.g.Nodes[file]))
}

// wholly reports whether an edge says that a file passes on all that a module has.
func (p *passing) wholly(e *graph.Edge) bool {
	k := p.g.Nodes[e.To].Kind
	return (k == graph.KindFile || k == graph.KindPackage || k == graph.KindExternal) && p.spread(e)
}

// spread reports whether what an edge imports is passed on.
func (p *passing) spread(e *graph.Edge) bool {
	return e.Kind == graph.EdgeImports && slices.ContainsFunc(p.g.Sites(e), func(s graph.Site) bool { return s.Flags&graph.SiteSpread != 0 })
}

// has reports whether a module declares a declaration or passes it on, by its name
// or with all of a module that has it.
func (p *passing) has(m, target graph.ID) bool {
	ok, _ := p.mayHave(m, target)
	return ok
}

// mayHave is has, and reports whether the module may have the declaration by way of
// more modules than are looked at.
func (p *passing) mayHave(m, target graph.ID) (ok, more bool) {
	return p.look(m, func(m graph.ID) bool {
		return p.module(target) == m || slices.ContainsFunc(p.files[m], func(f graph.ID) bool {
			return p.passes(f, target)
		})
	})
}

// offers reports whether a module declares a name or passes on something of the name.
func (p *passing) offers(m graph.ID, name string) bool {
	return p.reach(m, func(m graph.ID) bool {
		return p.g.Lookup(p.g.Nodes[m].Key+"#"+name) != graph.None || slices.ContainsFunc(p.files[m], func(f graph.ID) bool {
			return slices.ContainsFunc(p.g.OutKind(f, graph.EdgeImports), func(e graph.Edge) bool {
				return p.g.Nodes[e.To].Name == name && p.passes(f, e.To)
			})
		})
	})
}

// open reports whether a module may have names that cannot be told: it passes on
// all of a module outside of the tree, or answers for names that it does not have.
func (p *passing) open(m graph.ID, fallback string) bool {
	open, more := p.look(m, func(m graph.ID) bool {
		if fallback != "" && p.g.Lookup(p.g.Nodes[m].Key+"#"+fallback) != graph.None {
			return true
		}
		return slices.ContainsFunc(p.files[m], func(f graph.ID) bool {
			return slices.ContainsFunc(p.g.OutKind(f, graph.EdgeImports), func(e graph.Edge) bool {
				return p.g.Nodes[e.To].Kind == graph.KindExternal && p.wholly(&e)
			})
		})
	})
	return open || more
}

// reach reports whether found holds for a module, or for one of those all of
// which it passes on, over any number of steps.
func (p *passing) reach(m graph.ID, found func(graph.ID) bool) bool {
	ok, _ := p.look(m, found)
	return ok
}

// look is reach, and reports whether there are more modules than it looks at.
func (p *passing) look(m graph.ID, found func(graph.ID) bool) (ok, more bool) {
	seen := []graph.ID{m}
	for i := 0; i < len(seen); i++ {
		if found(seen[i]) {
			return true, more
		}
		for _, f := range p.files[seen[i]] {
			for _, e := range p.g.OutKind(f, graph.EdgeImports) {
				if !p.wholly(&e) {
					continue
				}
				switch k := p.module(e.To); {
				case k == graph.None || slices.Contains(seen, k):
				case len(seen) == maxPassed:
					more = true
				default:
					seen = append(seen, k)
				}
			}
		}
	}
	return false, more
}

// imported returns the modules that a file imports; those that it names at one of
// some sites, if there are any.
func (p *passing) imported(f graph.ID, at []graph.Site) (ms []graph.ID) {
	for _, e := range p.g.OutKind(f, graph.EdgeImports) {
		there := len(at) == 0 || slices.ContainsFunc(p.g.Sites(&e), func(s graph.Site) bool {
			return slices.ContainsFunc(at, func(o graph.Site) bool { return o.Line == s.Line && o.Col == s.Col })
		})
		if k := p.g.Nodes[e.To].Kind; there && (k == graph.KindFile || k == graph.KindPackage) {
			if m := p.module(e.To); m != graph.None && !slices.Contains(ms, m) {
				ms = append(ms, m)
			}
		}
	}
	return ms
}

// withdrawals finds what files passed on in the base graph and do not in the head
// graph: what others of the tree had from there, and what files said to pass on. Only
// files that differ are looked at, with what they import: time is O(uses of what they passed on, times the imports of a user).
func withdrawals(d *Delta) []Withdrawal {
	var changed []graph.ID
	for i := range d.Base.Files {
		b := d.Base.Files[i].Node
		if b == graph.None || d.toHead[b] == graph.None || d.Base.Nodes[b].Kind != graph.KindFile || !d.RulesFor(&d.Base.Nodes[b]).Reexports {
			continue
		}
		if h := d.Head.FileIndex(d.Head.Nodes[d.toHead[b]].File); h >= 0 && d.Head.Files[h].Hash != d.Base.Files[i].Hash {
			changed = append(changed, b)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	w := withdrawn{d: d, base: newPassing(d, d.Base), head: newPassing(d, d.Head), told: map[[2]graph.ID]bool{}}
	for _, gone := range []bool{true, false} { // what a file surely passed on first
		for _, file := range changed {
			w.from(file, gone)
		}
	}
	slices.SortFunc(w.list, func(x, y Withdrawal) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Target, y.Target))
	})
	return w.list
}

// withdrawn collects withdrawals.
type withdrawn struct {
	d          *Delta
	base, head *passing
	told       map[[2]graph.ID]bool // files and what they lost
	list       []Withdrawal
}

// from finds what a file passed on and does not: what the edges say if gone is
// set, else what the users say of all that it imports.
func (w *withdrawn) from(file graph.ID, gone bool) {
	module, now := w.base.module(file), w.d.toHead[file]
	if module == graph.None {
		return
	}
	for _, t := range w.passed(file, now, gone) {
		h := w.d.toHead[t]
		if h == graph.None || w.d.Base.Nodes[t].Key != w.d.Head.Nodes[h].Key || w.d.Head.Nodes[h].Visibility < w.d.Base.Nodes[t].Visibility {
			continue // its own change says so
		}
		var users []graph.ID
		asked := map[graph.ID]bool{} // the files that have a use of it less
		far := false                 // one of the users is too far away to be sure
		for _, i := range w.d.Base.In(t) {
			e := &w.d.Base.Edges[i]
			f := w.fileOf(e)
			if f == graph.None || f == file || w.told[[2]graph.ID{f, t}] || asked[f] || !w.lost(e, t, h) {
				continue
			}
			asked[f] = true
			if loses, sure := w.loses(f, t, h, module); loses {
				users = append(users, f)
				far = far || !sure
			}
		}
		unsure := (len(users) > 0 || gone) && (far || w.unsure(file, now))
		if len(users) == 0 && (!gone || unsure || !w.offered(module, now, t, h)) {
			continue
		}
		for _, f := range users {
			w.told[[2]graph.ID{f, t}] = true
		}
		slices.Sort(users)
		w.list = append(w.list, Withdrawal{File: file, Target: t, Users: users, Unsure: unsure})
	}
}

// offered reports whether a file said that it passes on a declaration, which is
// public, and has it by no name now: users elsewhere may have had it from there.
func (w *withdrawn) offered(module, now, t, h graph.ID) bool {
	m := w.head.module(now)
	return w.d.Base.Nodes[t].Visibility == graph.Public && m != graph.None && !w.head.has(m, h) && !w.head.offers(m, w.d.Head.Nodes[h].Name) && !w.base.loose(&w.d.Head.Nodes[now]) &&
		w.base.reach(module, func(m graph.ID) bool {
			return slices.ContainsFunc(w.base.files[m], func(f graph.ID) bool { return w.base.passes(f, t) }) || m != module && w.base.module(t) == m
		})
}

// passed returns the declarations that a file imports by their names, or as all
// of a module: those that it passes on in the base graph alone if gone is set, else
// all that it names.
func (w *withdrawn) passed(file, now graph.ID, gone bool) (ts []graph.ID) {
	for _, e := range w.d.Base.OutKind(file, graph.EdgeImports) {
		to := w.d.toHead[e.To]
		switch k := w.d.Base.Nodes[e.To].Kind; {
		case k == graph.KindExternal:
		case k != graph.KindFile && k != graph.KindPackage:
			if !gone || to != graph.None && w.base.passes(file, e.To) && !w.head.passes(now, to) {
				ts = append(ts, e.To)
			}
		case gone && w.base.wholly(&e):
			if i := -1; to != graph.None {
				if i = findEdge(w.d.Head, now, graph.EdgeImports, to, graph.None); i >= 0 && w.head.wholly(&w.d.Head.Out(now)[i]) {
					continue
				}
			}
			ts = append(ts, w.all(w.base.module(e.To))...)
		}
	}
	slices.Sort(ts)
	return slices.Compact(ts)
}

// all returns what a module declares and passes on.
func (w *withdrawn) all(m graph.ID) (ts []graph.ID) {
	if m == graph.None {
		return nil
	}
	w.base.reach(m, func(m graph.ID) bool {
		for _, f := range w.base.files[m] {
			for _, e := range w.d.Base.OutKind(f, graph.EdgeImports) {
				if declares(w.d.Base.Nodes[e.To].Kind) && !isPackaging(w.d.Base.Nodes[e.To].Kind) {
					ts = append(ts, e.To)
				}
			}
		}
		prefix := w.d.Base.Nodes[m].Key + "#"
		i, _ := slices.BinarySearchFunc(w.d.Base.Nodes, prefix, func(n graph.Node, k string) int { return cmp.Compare(n.Key, k) })
		for ; i < len(w.d.Base.Nodes) && len(w.d.Base.Nodes[i].Key) > len(prefix) && w.d.Base.Nodes[i].Key[:len(prefix)] == prefix; i++ {
			if w.d.Base.Nodes[i].Parent == m {
				ts = append(ts, graph.ID(i))
			}
		}
		return false
	})
	return ts
}

// fileOf returns the file that uses something by an edge of the base graph.
func (w *withdrawn) fileOf(e *graph.Edge) graph.ID {
	i := w.d.Base.FileIndex(w.d.Base.Nodes[e.From].File)
	if i < 0 || w.d.Base.Files[i].Node == graph.None || w.d.toHead[w.d.Base.Files[i].Node] == graph.None {
		return graph.None
	}
	return w.d.Base.Files[i].Node
}

// lost reports whether who uses t by an edge does not use h, which t is now, that way.
func (w *withdrawn) lost(e *graph.Edge, t, h graph.ID) bool {
	from := w.d.toHead[e.From]
	return from != graph.None && e.Certainty == graph.Exact && e.Type == graph.None &&
		w.base.module(e.From) != w.base.module(t) && findEdge(w.d.Head, from, e.Kind, h, graph.None) < 0
}

// loses reports whether a file had t by way of a module, imports from there still
// and has it no more, from wherever; and whether that is sure.
func (w *withdrawn) loses(f, t, h, module graph.ID) (lost, sure bool) {
	now := w.d.toHead[f]
	named := findEdge(w.d.Base, f, graph.EdgeImports, t, graph.None)
	if named >= 0 && findEdge(w.d.Head, now, graph.EdgeImports, h, graph.None) >= 0 {
		return false, true
	}
	name := w.d.Base.Nodes[t].Name
	for _, e := range w.d.Head.OutKind(now, graph.EdgeImports) {
		b := w.d.toBase[e.To]
		if n := &w.d.Head.Nodes[e.To]; n.Name == name && n.Kind != graph.KindFile && (b == graph.None || findEdge(w.d.Base, f, graph.EdgeImports, b, graph.None) < 0) {
			return false, true // another declaration of the name has taken its place
		}
	}
	var at []graph.Site
	if named >= 0 {
		at = w.d.Base.Sites(&w.d.Base.Out(f)[named])
	}
	still := w.head.imported(now, nil)
	had := false
	sure = true
	for _, m := range w.base.imported(f, at) {
		has, more := w.base.mayHave(m, t)
		if !has && !more {
			continue
		}
		via, far := w.via(m, module, t)
		to := w.d.toHead[m]
		if m == w.base.module(t) || !via && !far && !more || to == graph.None || !slices.Contains(still, to) || named < 0 && w.head.has(to, h) {
			return false, true
		}
		sure = sure && has && via
		had = true
	}
	return had, sure
}

// via reports whether a module has t by way of another one, or is that, and whether it
// may have by way of more modules than are looked at.
func (w *withdrawn) via(m, other, t graph.ID) (ok, more bool) {
	seen := []graph.ID{m}
	for i := 0; i < len(seen); i++ {
		if seen[i] == other {
			return true, false
		}
		for _, f := range w.base.files[seen[i]] {
			for _, k := range w.base.imported(f, nil) {
				if slices.Contains(seen, k) {
					continue
				}
				if has, more := w.base.mayHave(k, t); !has && !more {
					continue
				}
				if len(seen) == maxPassed {
					return false, true
				}
				seen = append(seen, k)
			}
		}
	}
	return false, false
}

// unsure reports whether a file may have names that cannot be told.
func (w *withdrawn) unsure(file, now graph.ID) bool {
	rules := w.d.RulesFor(&w.d.Head.Nodes[now])
	if m := w.head.module(now); m == graph.None || w.head.open(m, rules.Fallback) {
		return true
	}
	for _, e := range w.d.Head.Out(now) {
		// What it has from outside of the tree, or what it does in a language
		// without checked types, may give it the name.
		if outside := w.d.Head.Nodes[e.To].Kind == graph.KindExternal; !rules.Dynamic && (!outside || e.Kind != graph.EdgeImports) || !outside && e.Kind == graph.EdgeImports {
			continue
		}
		b, i := w.d.toBase[e.To], -1
		if b != graph.None {
			i = findEdge(w.d.Base, file, e.Kind, b, graph.None)
		}
		if i < 0 || len(w.d.Base.Sites(&w.d.Base.Out(file)[i])) < len(w.d.Head.Sites(&e)) {
			return true
		}
	}
	return false
}

// sayWithdrawnOnce leaves out that a signature which is written as before reads
// differently because it names what is out of reach: that is said of its file.
func (d *Delta) sayWithdrawnOnce() {
	if len(d.Withdrawals) == 0 {
		return
	}
	lost := map[[2]string]bool{} // paths of files and keys of what they lost
	for _, w := range d.Withdrawals {
		for _, f := range w.Users {
			lost[[2]string{d.Base.Nodes[f].File, d.Base.Nodes[w.Target].Key}] = true
		}
	}
	d.Changes = slices.DeleteFunc(d.Changes, func(c Change) bool {
		if c.Aspects != 1<<Signature || c.Base == graph.None || c.Head == graph.None {
			return false
		}
		x, y := &d.Base.Nodes[c.Base], &d.Head.Nodes[c.Head]
		return x.Signature.Text == y.Signature.Text && x.Body == y.Body && slices.ContainsFunc(d.Base.Out(c.Base), func(e graph.Edge) bool {
			return lost[[2]string{x.File, d.Base.Nodes[e.To].Key}]
		})
	})
}

// withdraw adds what files do not pass on any more to their changes.
func (d *Delta) withdraw() {
	d.Withdrawals = withdrawals(d)
	d.sayWithdrawnOnce()
	for i := range d.Withdrawals {
		w := &d.Withdrawals[i]
		k := slices.IndexFunc(d.Changes, func(c Change) bool { return c.Base == w.File })
		if k < 0 {
			k = len(d.Changes)
			d.Changes = append(d.Changes, Change{Base: w.File, Head: d.toHead[w.File]})
			path := d.Head.Nodes[d.toHead[w.File]].File
			d.Files.Formatting = slices.DeleteFunc(d.Files.Formatting, func(f string) bool { return f == path })
		}
		c := &d.Changes[k]
		rules := d.RulesFor(&d.Head.Nodes[c.Head])
		ds := details{rules: &rules, list: c.Details}
		name := d.Base.Nodes[w.Target].Name
		told := slices.ContainsFunc(c.Details, func(x Detail) bool { return x.Code == ExportRemoved && x.Name == name }) // a type and a value
		if !w.Unsure && !told {
			ds.at(ExportRemoved, -1, name, d.Base.Nodes[w.Target].QName, "")
		} else if len(c.Details) == 0 { // of a file that says nothing else
			ds.add(BodyChanged, "", "")
		}
		c.Details = ds.list
		c.Aspects, c.Breaking = ds.aspects()
		c.Kind = c.Aspects.primary()
	}
}
