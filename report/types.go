package report

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// How types are said. The graph writes them in full, in one notation for all
// languages; people read the names that they would write.

// longType is how many characters of a type can be read in a sentence.
const longType = 100

// numbered finds type parameters that the graph only has numbers for.
var numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\d`) })

// instead says that one type took the place of another, as "result X instead of Y",
// or without them where they cannot be read, or look the same.
func instead(what, to, from string) string {
	of, was := "", ""
	to, of = alias(to)
	from, was = alias(from)
	switch {
	case of != was && to == from && of != "":
		return "an alias of " + to + " now, not a type of its own"
	case of != was && to == from:
		return "a type of its own now, not an alias of " + to
	case to == from || !readable(to) || !readable(from):
		if strings.HasPrefix(what, "parameter") {
			return what + " another type"
		}
		return "another " + what
	}
	if of == was {
		of, was = "", ""
	}
	return fmt.Sprintf("%s %s%s instead of %s%s", what, of, to, was, from)
}

// alias cuts off the mark of what another name stands for.
func alias(t string) (rest, mark string) {
	if rest, ok := strings.CutPrefix(t, "= "); ok {
		return rest, "an alias of "
	}
	return t, ""
}

func readable(t string) bool {
	return utf8.RuneCountInString(t) <= longType && !numbered().MatchString(t)
}

// unsaid finds arguments of a type that are not known.
var unsaid = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[\?(?:, \?)*\]`) })

// noName finds the place of a type without a name in a union.
var noName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ \||\|  ?\||\| $`) })

// brief leaves the directories out of qualified names, so that types can be
// read: cobra.Command instead of github.com/spf13/cobra.Command. A directory
// that is only a version names nothing: semver.Version, not v3.Version. Of names
// like java.util.HashMap.Entry the package goes: HashMap.Entry.
func brief(s string) string {
	s = dottedPackage().ReplaceAllString(shorten(s, func(string) bool { return true }), "$1$2")
	if strings.Contains(s, "?") {
		s = unsaid().ReplaceAllString(s, "")
	}
	if strings.Contains(s, "| ") || strings.Contains(s, " |") {
		s = noName().ReplaceAllStringFunc(s, func(m string) string {
			switch {
			case m == " |":
				return "{…} |"
			case m == "| ":
				return "| {…}"
			}
			return "| {…} |"
		})
	}
	return s
}

// dottedPackage finds a package of two names or more before the name of a type.
var dottedPackage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[^\pL\pN_.$/])(?:[\p{Ll}_][\p{Ll}\pN_]*\.){2,}(?:(\p{Lu}))`)
})

// names returns the qualified names in a type.
func names(s string) (all []string) {
	shorten(s, func(n string) bool {
		all = append(all, n)
		return false
	})
	return all
}

// shorten leaves the directories out of those names that may be short.
func shorten(s string, short func(string) bool) string {
	if !strings.Contains(s, "/") {
		return s
	}
	var b strings.Builder
	start, word := 0, 0 // where the path at hand and its last name begin
	for i := 0; i <= len(s); i++ {
		switch {
		case i < len(s) && s[i] == '/':
			word = i + 1
		case i == len(s) || strings.IndexByte(" ,()[]{}*&<>|;=", s[i]) >= 0:
			if path := s[start:i]; word > start && !short(path) {
				b.WriteString(path)
			} else {
				b.WriteString(unversioned(path, word-start))
			}
			if i < len(s) {
				b.WriteByte(s[i])
			}
			word, start = i+1, i+1
		}
	}
	return b.String()
}

// unversioned returns a path from the given position on, or, where a version
// stands there, with the directory before it instead.
func unversioned(path string, at int) string {
	name := path[at:]
	version, rest, ok := strings.Cut(name, ".")
	if !ok || at == 0 || len(version) < 2 || version[0] != 'v' || strings.Trim(version[1:], "0123456789") != "" {
		return name
	}
	dir := strings.TrimSuffix(path[:at], "/")
	return dir[strings.LastIndexByte(dir, '/')+1:] + "." + rest
}
