package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// spelling translates the names of types from the base graph to the head
// graph. Types in signatures are spelled with their package path; without the
// translation, moving a package would change the signature of every function
// that takes one of its types.
type spelling struct {
	long  map[string]string  // "example.com/m/old.Type" to "example.com/m/new.Type"
	short map[[2]string]bool // {"Old", "New"}
	taken map[string]bool    // the values of long
	pairs int
}

// add records that the type or package with key from is now the one with key
// to.
func (s *spelling) add(from, to string) {
	s.pairs++
	if from == to {
		return
	}
	s.path(spell(from), spell(to))
}

// path records that a type, or what begins with a package, is spelled so now.
func (s *spelling) path(from, to string) {
	if s.long == nil {
		s.long, s.short, s.taken = map[string]string{}, map[[2]string]bool{}, map[string]bool{}
	}
	s.long[from] = to
	s.taken[to] = true
	s.short[[2]string{last(from), last(to)}] = true
}

// minTypeName is the number of letters from which what holds the name of a type
// may be named after it.
const minTypeName = 4

// renamedTypes returns the letters of the old and the new names of types, each pair
// once, sorted.
func (s *spelling) renamedTypes() [][2]string {
	var pairs [][2]string
	for p := range s.short {
		if x, y := letters(p[0]), letters(p[1]); x != y && min(len(x), len(y)) >= minTypeName {
			pairs = append(pairs, [2]string{x, y})
		}
	}
	slices.SortFunc(pairs, func(x, y [2]string) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
	return slices.Compact(pairs)
}

// spell returns how types write the declaration with the given key.
func spell(key string) string {
	pkg, name := graph.SplitKey(key)
	if _, path, ok := strings.Cut(pkg, ":"); ok {
		pkg = path
	}
	if name == "" {
		return pkg
	}
	return pkg + "." + name
}

func last(name string) string { return name[strings.LastIndexAny(name, "./:")+1:] }

// isName reports whether c may be part of a qualified name.
func isName(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 ||
		c == '_' || c == '$' || c == '.' || c == '/' || c == '#' || c == ':' || c == '@' || c == '-' || c == '~'
}

// eachName calls f for every qualified name in a type and returns the type
// with the names replaced by what f returns.
func eachName(t string, f func(string) string) string {
	var b strings.Builder
	for i := 0; i < len(t); {
		if !isName(t[i]) {
			b.WriteByte(t[i])
			i++
			continue
		}
		j := i
		for j < len(t) && isName(t[j]) {
			j++
		}
		word := t[i:j]
		core := strings.Trim(word, ".-/:")
		at := strings.Index(word, core)
		b.WriteString(word[:at])
		b.WriteString(f(core))
		b.WriteString(word[at+len(core):])
		i = j
	}
	return b.String()
}

// typ returns a type of the base graph as the head graph spells it.
func (s *spelling) typ(t string) string {
	if len(s.long) == 0 || t == "" {
		return t
	}
	return eachName(t, s.name)
}

func (s *spelling) name(n string) string {
	// The longest known prefix that ends at a separator: a nested type, or a
	// type of a renamed package that is itself unmatched. A package in a folder
	// below is another one.
	for end := len(n); end > 0; end = strings.LastIndexAny(n[:end], "./#") {
		if to, ok := s.long[n[:end]]; ok && !strings.HasPrefix(n[end:], "/") {
			if end < len(n) && s.taken[to+n[end:]] {
				return n // that is what another type is called now
			}
			return to + n[end:]
		}
	}
	return n
}

// sameText reports whether two texts of a declaration differ in nothing but
// qualifiers and the names of types that were renamed.
func (s *spelling) sameText(x, y string) bool {
	var xs, ys []string
	blank := func(names *[]string) func(string) string {
		return func(n string) string {
			*names = append(*names, last(n))
			return "n"
		}
	}
	return eachName(x, blank(&xs)) == eachName(y, blank(&ys)) && slices.EqualFunc(xs, ys, func(x, y string) bool {
		return x == y || s.short[[2]string{x, y}]
	})
}
