package diff

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// writtenAlike reports whether two declarations are written the same, and what
// one of their types means is known in one of the graphs only. Then it is the
// declaration of that type that changed.
func (m *matcher) writtenAlike(x, y *graph.Node) bool {
	xs, ys := &x.Signature, &y.Signature
	if xs.Text == "" || x.Name != y.Name || withoutReceiver(xs.Text, x.Name) != withoutReceiver(ys.Text, y.Name) {
		return false
	}
	if slices.Equal(xs.Params, ys.Params) && slices.Equal(xs.Results, ys.Results) && xs.Type == ys.Type && slices.Equal(xs.Bases, ys.Bases) {
		return false // as most are
	}
	if openTypes(xs) != openTypes(ys) {
		return true
	}
	// A type may also be left out where it is not known: one of several that a
	// value can have.
	was, is := namesIn(xs, m.spelled.typ), namesIn(ys, nil)
	went, came := without(was, is), without(is, was)
	switch {
	case len(went) > 0 && len(came) == 0:
		return !slices.ContainsFunc(went, func(n string) bool { return !m.spelled.taken[n] && !m.base.unmatched(m.toHead)[n] })
	case len(came) > 0 && len(went) == 0:
		return !slices.ContainsFunc(came, func(n string) bool { return !m.spelled.taken[n] && !m.head.unmatched(m.toBase)[n] })
	}
	return false
}

// unmatched returns the types that the other graph does not have, as types
// write them. They are looked for once, when all that can be matched is.
func (s *side) unmatched(to []graph.ID) map[string]bool {
	if s.gone == nil {
		s.gone = map[string]bool{}
		for i := range s.g.Nodes {
			if n := &s.g.Nodes[i]; n.Kind.IsType() && to[i] == graph.None {
				s.gone[spell(n.Key)] = true
			}
		}
	}
	return s.gone
}

// eachType calls f for all types of a signature.
func eachType(s *graph.Signature, f func(t string)) {
	f(s.Type)
	for _, ps := range [...][]graph.Param{s.TypeParams, s.Params, s.Results} {
		for i := range ps {
			f(ps[i].Type)
		}
	}
	for _, b := range s.Bases {
		f(b)
	}
}

// openTypes reports whether a signature has a type that could not be resolved.
func openTypes(s *graph.Signature) (open bool) {
	eachType(s, func(t string) { open = open || strings.Contains(t, "?") })
	return open
}

// namesIn returns the names in the types of a signature, sorted, each once;
// spelled says how types are written, nil as they are.
func namesIn(s *graph.Signature, spelled func(string) string) []string {
	var names []string
	eachType(s, func(t string) {
		if spelled != nil {
			t = spelled(t)
		}
		eachName(t, func(n string) string {
			names = append(names, n)
			return n
		})
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// without returns what xs has and ys has not; both are sorted.
func without(xs, ys []string) []string {
	return slices.DeleteFunc(slices.Clone(xs), func(x string) bool {
		_, ok := slices.BinarySearch(ys, x)
		return ok
	})
}
