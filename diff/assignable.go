package diff

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// assignable answers whether values of one type may be used where another is
// asked for, as far as the graphs tell.
type assignable struct {
	m     *matcher
	types map[string]graph.ID // of the head graph by the name that types are written with
	bases map[string]graph.ID // the same of the base graph
}

func (m *matcher) assignability() *assignable {
	if m.assign == nil {
		m.assign = &assignable{m: m, types: typeNames(m.head.g), bases: typeNames(m.base.g)}
	}
	return m.assign
}

func typeNames(g *graph.Graph) map[string]graph.ID {
	names := map[string]graph.ID{}
	for i := range g.Nodes {
		if g.Nodes[i].Kind.IsType() {
			names[spell(g.Nodes[i].Key)] = graph.ID(i)
		}
	}
	return names
}

// to reports whether a value of type from, a type of the base graph spelled as
// the head graph spells it, can be used as a to.
func (a *assignable) to(from, to string) bool {
	// A type literal and the named type that it defines.
	if literal(from) && a.defines(to, from) || literal(to) && a.defines(from, to) {
		return true
	}
	x, okX := a.types[strings.TrimPrefix(from, "*")]
	y, okY := a.types[to]
	return okX && okY && a.isA(x, y)
}

// defines reports whether a name stands for a type literal in one of the
// graphs, as a type of its own or as another name.
func (a *assignable) defines(name, literal string) bool {
	in := func(names map[string]graph.ID, g *graph.Graph) bool {
		id, ok := names[name]
		return ok && strings.TrimPrefix(g.Nodes[id].Signature.Type, "= ") == literal
	}
	return in(a.types, a.m.head.g) || in(a.bases, a.m.base.g)
}

// literal reports whether a type is written out instead of named.
func literal(t string) bool { return strings.ContainsAny(t, "([{*") }

// isA reports whether the type x extends or implements y, at any distance.
func (a *assignable) isA(x, y graph.ID) bool {
	g := a.m.head.g
	seen := []graph.ID{x}
	for i := 0; i < len(seen); i++ {
		if seen[i] == y {
			return true
		}
		for _, k := range []graph.EdgeKind{graph.EdgeExtends, graph.EdgeImplements, graph.EdgeEmbeds} {
			if k == graph.EdgeEmbeds && g.Nodes[seen[i]].Kind != graph.KindInterface {
				continue // a struct that embeds another is none
			}
			for _, e := range g.OutKind(seen[i], k) {
				if !slices.Contains(seen, e.To) {
					seen = append(seen, e.To)
				}
			}
		}
	}
	return false
}

// widen makes the details of types that users fit as before compatible: a
// parameter that takes more than it did, a result that is more than it was, or a
// variable that is; final: only what declares it gives it a value.
func (m *matcher) widen(ds *details, final bool) {
	for i := range ds.list {
		d := &ds.list[i]
		if d.Verdict != Breaking {
			continue
		}
		from := m.spelled.typ(d.From)
		switch d.Code {
		case ParamType:
			if m.assignability().to(from, d.To) || Narrower(m.head.g, from, d.To, ds.rules) || m.among(from, d.To, ds.rules) {
				d.Verdict = Compatible
			}
		case TypeChanged:
			a := m.assignability()
			if a.to(from, d.To) && a.to(d.To, from) || d.To == "untyped "+from ||
				final && Narrower(m.head.g, d.To, from, ds.rules) {
				d.Verdict = Compatible
			}
		case ResultType:
			if m.assignability().to(d.To, from) || Narrower(m.head.g, d.To, from, ds.rules) || m.among(d.To, from, ds.rules) {
				d.Verdict = Compatible
			}
		}
	}
}

// among reports whether each type that a value of type sub may be of is, or is
// assignable to, one of those of super.
func (m *matcher) among(sub, super string, rules *Rules) bool {
	if rules.Union == "" || sub == "" {
		return false
	}
	supers := alternatives(super, rules.Union)
	return !slices.ContainsFunc(alternatives(sub, rules.Union), func(x string) bool {
		return !slices.ContainsFunc(supers, func(y string) bool {
			return x == y && known(x) || m.assignability().to(x, y)
		})
	})
}

// Within reports whether each type that a value of type sub may be of is spelled
// among those of super.
func (r *Rules) Within(sub, super string) bool {
	if r.Union == "" || sub == "" {
		return false
	}
	supers := alternatives(super, r.Union)
	return !slices.ContainsFunc(alternatives(sub, r.Union), func(x string) bool { return !known(x) || !slices.Contains(supers, x) })
}

// wider reports whether a union has all types of another one, as far as they are known.
func (r *Rules) wider(was, is string) bool {
	if r.Union == "" || was == "" {
		return false
	}
	now := alternatives(is, r.Union)
	return !slices.ContainsFunc(alternatives(was, r.Union), func(x string) bool {
		return !slices.ContainsFunc(now, func(y string) bool { return sameType(x, y) })
	})
}

// known reports whether a type is spelled as a whole: what is written out, as an
// object or a function is, is not.
func known(t string) bool {
	return t != "" && !strings.ContainsAny(t, "?&({") && !strings.HasPrefix(t, " ")
}

// alternatives splits a type at the separator where no bracket is open.
func alternatives(t, separator string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(t); i++ {
		switch t[i] {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			depth--
		}
		if depth == 0 && strings.HasPrefix(t[i:], separator) {
			out = append(out, t[from:i])
			from = i + len(separator)
		}
	}
	return append(out, t[from:])
}

// Narrower reports whether a value of type sub may be used as a super where a
// subtype is as good: both have the same type arguments, which a subtype passes
// on as a rule, or super takes any value.
func Narrower(g *graph.Graph, sub, super string, rules *Rules) bool {
	if rules.Supertypes == nil {
		return false
	}
	if slices.Contains(rules.TopTypes, super) {
		return strings.Contains(sub, ".") // no number, no truth value
	}
	x, xs, _ := strings.Cut(sub, "<")
	y, ys, _ := strings.Cut(super, "<")
	return xs == ys && Below(g, x, y, rules)
}
