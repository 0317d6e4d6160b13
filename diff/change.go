package diff

import (
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// compareNodes makes the changes of all declarations.
func (m *matcher) compareNodes(d *Delta) {
	lostBase := unreadable(m.base.g) // files that one graph could not analyse
	lostHead := unreadable(m.head.g)
	for i := range m.base.g.Nodes {
		b := graph.ID(i)
		n := &m.base.g.Nodes[i]
		if !declares(n.Kind) {
			continue
		}
		if h := m.toHead[b]; h != graph.None {
			if c, ok := m.compareNode(d, b, h); ok {
				d.Changes = append(d.Changes, c)
			}
			continue
		}
		if outermost(&m.base, b, m.toHead) && !hidden(&m.base, b, lostHead) {
			d.Changes = append(d.Changes, d.oneSided(&m.base, m.head.g, b, m.toHead, Removed))
		}
	}
	for i := range m.head.g.Nodes {
		h := graph.ID(i)
		if m.toBase[h] == graph.None && declares(m.head.g.Nodes[i].Kind) &&
			outermost(&m.head, h, m.toBase) && !hidden(&m.head, h, lostBase) {
			d.Changes = append(d.Changes, d.oneSided(&m.head, m.base.g, h, m.toBase, Added))
		}
	}
	d.sayOnce()
	d.derived()
	d.shifted()
}

// sayOnce leaves out that a signature which is written as before, and which
// users fit as before, reads differently because a type that it names stands
// for something else: the type's change says so.
func (d *Delta) sayOnce() {
	renamed := map[graph.ID]bool{} // types of the head graph that stand for others now
	for i := range d.Changes {
		if c := &d.Changes[i]; c.Head != graph.None && c.Has(TypeChanged) && d.Head.Nodes[c.Head].Kind == graph.KindTypeAlias {
			renamed[c.Head] = true
		}
	}
	if len(renamed) == 0 {
		return
	}
	d.Changes = slices.DeleteFunc(d.Changes, func(c Change) bool {
		if c.Breaking || c.Aspects != 1<<Signature || c.Head == graph.None || renamed[c.Head] {
			return false
		}
		x, y := &d.Base.Nodes[c.Base], &d.Head.Nodes[c.Head]
		return withoutReceiver(x.Signature.Text, x.Name) == withoutReceiver(y.Signature.Text, y.Name) &&
			slices.ContainsFunc(d.Head.OutKind(c.Head, graph.EdgeUsesType), func(e graph.Edge) bool { return renamed[e.To] })
	})
}

// outermost reports whether the owner of an unmatched node is matched: the
// members of what came or went have no change of their own.
func outermost(s *side, n graph.ID, to []graph.ID) bool {
	p := s.owner[n]
	return p == graph.None || to[p] != graph.None || !declares(s.g.Nodes[p].Kind)
}

// hidden reports whether the other graph could not analyse the file of a
// declaration, or all files of a container: then it did not come or go, it
// cannot be told.
func hidden(s *side, n graph.ID, lost map[string]graph.Reason) bool {
	if len(lost) == 0 {
		return false
	}
	if f := s.g.Nodes[n].File; f != "" {
		_, ok := lost[f]
		return ok
	}
	ms := s.members(n)
	return len(ms) > 0 && !slices.ContainsFunc(ms, func(k graph.ID) bool { return !hidden(s, k, lost) })
}

// oneSided makes the change of a declaration that only one graph has.
func (d *Delta) oneSided(s *side, other *graph.Graph, n graph.ID, to []graph.ID, k Kind) Change {
	c := Change{Kind: k, Base: graph.None, Head: n, Breaking: k == Removed}
	if k == Removed {
		c.Base, c.Head = n, graph.None
	}
	c.Aspects.add(k)
	node := &s.g.Nodes[n]
	for stack := slices.Clone(s.members(n)); len(stack) > 0; {
		top := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1], s.members(top)...)
		if to[top] == graph.None && declares(s.g.Nodes[top].Kind) {
			c.Members++
		}
	}
	rules := d.RulesFor(node)
	if p := s.owner[n]; p != graph.None && (Abstract(s.g, n) || rules.Structural && node.Kind == graph.KindField && s.g.Nodes[p].Kind == graph.KindInterface ||
		k == Added && rules.Dynamic && (node.Kind == graph.KindMethod || node.Kind == graph.KindField) && IsFitted(other, to[p])) &&
		!(k == Added && node.Flags.Has(graph.FlagOptional)) {
		ds := details{rules: &rules}
		if k == Added {
			ds.at(ContractAdded, -1, s.g.Nodes[p].Name, "", node.Signature.Text)
		} else {
			ds.at(ContractRemoved, -1, s.g.Nodes[p].Name, node.Signature.Text, "")
		}
		c.Details = ds.list
		if k == Added {
			_, c.Breaking = ds.aspects()
		}
	}
	c.Uncertain = damaged(other, node.File)
	return c
}

// Abstract reports whether a node is a method that others have to implement.
func Abstract(g *graph.Graph, n graph.ID) bool {
	node := &g.Nodes[n]
	if node.Kind != graph.KindMethod || node.Parent == graph.None {
		return false
	}
	return node.Flags.Has(graph.FlagAbstract) || g.Nodes[node.Parent].Kind == graph.KindInterface && node.Body.IsZero()
}

// compareNode compares a matched pair.
func (m *matcher) compareNode(d *Delta, b, h graph.ID) (Change, bool) {
	x, y := &m.base.g.Nodes[b], &m.head.g.Nodes[h]
	rules := d.RulesFor(y)
	ds := &details{rules: &rules}
	m.comparePlace(d, ds, b, h)
	if isPackaging(y.Kind) {
		// Packages have no shape; their files and members speak for them.
	} else {
		m.compareShape(ds, b, h)
		if len(x.Variants) > 0 || len(y.Variants) > 0 {
			compareVariants(ds, x, y)
		} else if x.Body != y.Body {
			compareBody(ds, x, y)
		}
	}
	if x.DocHash != y.DocHash || x.DocHash.IsZero() && x.Doc != y.Doc {
		ds.add(DocChanged, x.Doc, y.Doc)
	}
	c := Change{Base: b, Head: h, Details: ds.list}
	c.Aspects, c.Breaking = ds.aspects()
	c.Kind = c.Aspects.primary()
	return c, c.Aspects != 0
}

// comparePlace tells whether a pair has another name or owner. What the change
// of an owner already says is not said again for its members.
func (m *matcher) comparePlace(d *Delta, ds *details, b, h graph.ID) {
	x, y := &m.base.g.Nodes[b], &m.head.g.Nodes[h]
	p, q := m.base.owner[b], m.head.owner[h]
	sameOwner := p == graph.None && q == graph.None || p != graph.None && q != graph.None && m.toHead[p] == q
	// A file that got another path says so itself, and so does a type that moved
	// with its members; variants have a file each.
	withOwner := sameOwner && p != graph.None && isHolder(m.head.g.Nodes[q].Kind) &&
		m.base.g.Nodes[p].File == x.File && m.head.g.Nodes[q].File == y.File
	anotherFile := x.File != y.File && x.File != "" && y.File != "" && d.Files.moved[x.File] != y.File &&
		len(x.Variants)+len(y.Variants) == 0 && !withOwner
	if x.Key == y.Key {
		if anotherFile {
			ds.add(FileMoved, x.File, y.File)
		}
		return
	}
	if isPackaging(y.Kind) {
		if sameOwner && p != graph.None && m.base.place(b) == m.head.place(h) {
			return // the module was renamed
		}
		if last(x.Key) != last(y.Key) {
			ds.add(NameChanged, x.Key, y.Key)
		} else {
			ds.add(OwnerMoved, x.Key, y.Key)
		}
		return
	}
	if x.Name != y.Name && !(x.Kind == graph.KindConstructor && y.Kind == graph.KindConstructor) {
		ds.add(NameChanged, x.QName, y.QName)
	}
	switch {
	case !sameOwner:
		ds.add(OwnerMoved, ownerKey(&m.base, b), ownerKey(&m.head, h))
	case anotherFile && p != graph.None && m.base.g.Nodes[p].Key == m.head.g.Nodes[q].Key:
		ds.add(FileMoved, x.File, y.File)
	}
}

func ownerKey(s *side, n graph.ID) string {
	if p := s.owner[n]; p != graph.None {
		return s.g.Nodes[p].Key
	}
	return ""
}

func compareBody(ds *details, x, y *graph.Node) {
	annotations := graph.OnlyAnnotations(x.Body, y.Body)
	switch k := y.Kind; k {
	case graph.KindConstant, graph.KindVariable, graph.KindField, graph.KindEnumMember:
		// The hash of a value may hold its declared type, too.
		if annotations {
			ds.add(AnnotationChanged, "", "")
		} else if !slices.ContainsFunc(ds.list, func(d Detail) bool { return d.Code == TypeChanged }) {
			ds.add(ValueChanged, "", "")
		}
	default:
		// What a type is made of is its shape, as far as the shape can say it.
		if k.IsType() && slices.ContainsFunc(ds.list, func(d Detail) bool { return codes[d.Code].aspect == Signature }) {
			return
		}
		if annotations {
			ds.add(AnnotationChanged, "", "")
		} else {
			ds.add(BodyChanged, "", "")
		}
	}
}

// compareVariants compares the bodies that build constraints choose from. A
// node without variants is the one variant that has its body or, failing that,
// its file.
func compareVariants(ds *details, x, y *graph.Node) {
	xs, ys := variants(x, y), variants(y, x)
	byName := func(vs []graph.Variant, v *graph.Variant) int {
		return slices.IndexFunc(vs, func(w graph.Variant) bool { return w.Constraint == v.Constraint })
	}
	for i := range xs {
		v := &xs[i]
		j := byName(ys, v)
		if j < 0 {
			ds.at(VariantRemoved, -1, v.Constraint, v.File, "")
			continue
		}
		if v.Body != ys[j].Body || v.Signature != ys[j].Signature {
			ds.at(VariantBody, -1, v.Constraint, v.File, ys[j].File)
		}
	}
	for i := range ys {
		if byName(xs, &ys[i]) < 0 {
			ds.at(VariantAdded, -1, ys[i].Constraint, "", ys[i].File)
		}
	}
}

// variants returns the variants of n; a node without any borrows the
// constraint of the variant of other that it continues.
func variants(n, other *graph.Node) []graph.Variant {
	if len(n.Variants) > 0 {
		return n.Variants
	}
	v := graph.Variant{File: n.File, DefLine: n.DefLine, Line: n.Line, EndLine: n.EndLine, Signature: n.Signature.Text, Body: n.Body}
	for _, same := range []func(w *graph.Variant) bool{
		func(w *graph.Variant) bool { return w.Body == n.Body && w.File == n.File },
		func(w *graph.Variant) bool { return w.File == n.File },
		func(w *graph.Variant) bool { return w.Body == n.Body },
	} {
		for i := range other.Variants {
			if same(&other.Variants[i]) {
				v.Constraint, v.Signature = other.Variants[i].Constraint, other.Variants[i].Signature
				return []graph.Variant{v}
			}
		}
	}
	return []graph.Variant{v}
}
