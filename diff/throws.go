package diff

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// compareThrows compares the exceptions that a callable declares, as far as its
// users have to handle them. One that is below another that was thrown, or is
// still, changes nothing for them.
func (m *matcher) compareThrows(ds *details, b, h graph.ID) {
	was, is := m.base.g.OutKind(b, graph.EdgeThrows), m.head.g.OutKind(h, graph.EdgeThrows)
	if len(was)+len(is) == 0 {
		return
	}
	x, y := &m.base.g.Nodes[b], &m.head.g.Nodes[h]
	alike := x.Signature.Text == y.Signature.Text && x.Body == y.Body
	names := func(s, other *side, to []graph.ID, es []graph.Edge) (out []string) {
		for i := range es {
			if alike && renamedOrGone(s.g, es[i].To, other.g, to[es[i].To]) {
				continue // it is the exception that changed
			}
			t := m.spelled.typ(TypeName(s.g, es[i].To))
			if s != &m.base {
				t = TypeName(s.g, es[i].To)
			}
			out = append(out, t)
		}
		return out
	}
	old, now := names(&m.base, &m.head, m.toHead, was), names(&m.head, &m.base, m.toBase, is)
	only := func(c Code, g *graph.Graph, xs, ys []string) {
		for i, x := range xs {
			if slices.Contains(ys, x) {
				continue
			}
			v := ds.rules.verdict(c)
			covered := slices.ContainsFunc(ys, func(y string) bool { return Below(g, x, y, ds.rules) })
			if covered || !Checked(g, x, ds.rules) {
				v = Compatible
			}
			from, to := x, ""
			if c == ThrowsAdded {
				from, to = "", x
			}
			ds.as(v, c, i, x, from, to)
		}
	}
	only(ThrowsRemoved, m.base.g, old, now)
	only(ThrowsAdded, m.head.g, now, old)
}

// Checked reports whether users have to handle an exception, a type of g as
// signatures spell it.
func Checked(g *graph.Graph, t string, rules *Rules) bool {
	return len(rules.Unchecked) > 0 && !slices.ContainsFunc(rules.Unchecked, func(u string) bool { return Below(g, t, u, rules) })
}

// TypeName returns how signatures spell a type of g, without arguments.
func TypeName(g *graph.Graph, t graph.ID) string {
	n := &g.Nodes[t]
	if graph.IsExternal(n.Key) {
		_, key, _ := strings.Cut(n.Key, ":")
		return spell(key)
	}
	return spell(n.Key)
}

// maxSupertypes bounds the supertypes that are looked at.
const maxSupertypes = 256

// Below reports whether a type is another or has it among its supertypes, as far
// as g and the language's own library tell. Types are spelled as in signatures,
// without arguments.
func Below(g *graph.Graph, sub, super string, rules *Rules) bool {
	seen := []string{sub}
	add := func(t string) {
		if len(seen) < maxSupertypes && !slices.Contains(seen, t) {
			seen = append(seen, t)
		}
	}
	for i := 0; i < len(seen); i++ {
		if seen[i] == super {
			return true
		}
		if id := typeNamed(g, seen[i], rules.Lang); id != graph.None {
			for _, k := range []graph.EdgeKind{graph.EdgeExtends, graph.EdgeImplements} {
				for _, e := range g.OutKind(id, k) {
					add(TypeName(g, e.To))
				}
			}
		}
		if rules.Supertypes != nil {
			for _, t := range rules.Supertypes(seen[i]) {
				add(t)
			}
		}
	}
	return false
}

// typeNamed returns the type of g that signatures spell so; None if there is none.
func typeNamed(g *graph.Graph, t, lang string) graph.ID {
	for i := len(t) - 1; i >= 0; i-- {
		if t[i] == '.' {
			if id := g.Lookup(graph.DeclKey(lang+":"+t[:i], t[i+1:])); id != graph.None {
				return id
			}
		}
	}
	return graph.None
}
