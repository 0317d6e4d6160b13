package source

import (
	"slices"
	"strings"
)

// glob is a compiled pattern of gitignore or gitattributes. go-git's own
// matcher is not used: it matches folder by folder with filepath.Match, so
// that negated classes ([!a]), POSIX classes, escapes, "**" beside other
// stars and trailing "/**" differ from git, and its time is exponential in
// the number of "**".
//
// A glob is matched by following all of its positions at once over the text:
// O(tokens × bytes) for every pattern.
type glob struct {
	tokens []globToken

	// Most patterns are plain text, or one star and plain text; these need
	// no tokens.
	literal string
	suffix  bool // literal is after a star that does not match slashes
	plain   bool // literal says it all
	// tail is the plain text at the end of another one, without which no text
	// needs to be followed.
	tail string
}

type globKind uint8

const (
	oneByte   globKind = iota // this byte
	oneOf                     // a byte of this set; never a slash
	anyInName                 // "*": any bytes but slashes
	anyPath                   // "**" at the end: any bytes
	folders                   // "**/": nothing, or any bytes that end in a slash
)

type globToken struct {
	kind globKind
	char byte
	set  *[256]bool
}

// compileGlob compiles a pattern. It reports false for a pattern that can
// match nothing, such as one with a bracket that is not closed.
func compileGlob(pattern string, fold bool) (glob, bool) {
	if fold {
		pattern = lowerASCII(pattern)
	}
	var g glob
	special := strings.IndexAny(pattern, `*?[\`)
	if special < 0 {
		return glob{literal: pattern, plain: true}, true
	}
	if rest := pattern[1:]; pattern[0] == '*' && !strings.ContainsAny(rest, `*?[\/`) {
		return glob{literal: rest, suffix: true, plain: true}, true
	}
	for i := 0; i < len(pattern); {
		switch c := pattern[i]; c {
		case '*':
			end := i
			for end < len(pattern) && pattern[end] == '*' {
				end++
			}
			// Two stars or more are special only as a whole component.
			whole := end-i >= 2 && (i == 0 || pattern[i-1] == '/')
			switch {
			case whole && end == len(pattern):
				g.tokens = append(g.tokens, globToken{kind: anyPath})
			case whole && pattern[end] == '/':
				g.tokens = append(g.tokens, globToken{kind: folders})
				end++
			default:
				g.tokens = append(g.tokens, globToken{kind: anyInName})
			}
			i = end
		case '?':
			any := allBut('/')
			g.tokens = append(g.tokens, globToken{kind: oneOf, set: &any})
			i++
		case '[':
			set, end, ok := parseClass(pattern, i, fold)
			if !ok {
				return glob{}, false
			}
			g.tokens = append(g.tokens, globToken{kind: oneOf, set: set})
			i = end
		case '\\':
			if i+1 == len(pattern) {
				return glob{}, false
			}
			g.tokens = append(g.tokens, globToken{kind: oneByte, char: pattern[i+1]})
			i += 2
		default:
			g.tokens = append(g.tokens, globToken{kind: oneByte, char: c})
			i++
		}
	}
	var tail []byte
	for k := len(g.tokens) - 1; k >= 0 && g.tokens[k].kind == oneByte; k-- {
		tail = append(tail, g.tokens[k].char)
	}
	slices.Reverse(tail)
	g.tail = string(tail)
	return g, true
}

// lowerASCII lowers letters as git does for core.ignoreCase, and keeps the
// length of the text.
func lowerASCII(s string) string {
	lower := []byte(s)
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

func allBut(c byte) [256]bool {
	var set [256]bool
	for i := range set {
		set[i] = byte(i) != c
	}
	return set
}

// posixClasses are the named classes within brackets, over ASCII.
var posixClasses = map[string]func(c byte) bool{
	"alnum":  func(c byte) bool { return isAlpha(c) || isDigit(c) },
	"alpha":  isAlpha,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7f },
	"digit":  isDigit,
	"graph":  func(c byte) bool { return c > ' ' && c < 0x7f },
	"lower":  func(c byte) bool { return c >= 'a' && c <= 'z' },
	"print":  func(c byte) bool { return c >= ' ' && c < 0x7f },
	"punct":  func(c byte) bool { return c > ' ' && c < 0x7f && !isAlpha(c) && !isDigit(c) },
	"space":  func(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' },
	"upper":  func(c byte) bool { return c >= 'A' && c <= 'Z' },
	"xdigit": func(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' },
}

func isAlpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// parseClass reads "[...]" at start and returns the set and the index after
// it.
func parseClass(pattern string, start int, fold bool) (set *[256]bool, end int, ok bool) {
	set = new([256]bool)
	i := start + 1
	negated := false
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		negated = true
		i++
	}
	previous := -1 // byte before a dash, -1 if there is none
	for first := true; ; first = false {
		if i >= len(pattern) {
			return nil, 0, false
		}
		c := pattern[i]
		switch {
		case c == ']' && !first:
			if negated {
				for b := range set {
					set[b] = !set[b]
				}
			}
			set['/'] = false
			return set, i + 1, true
		case c == '-' && previous >= 0 && i+1 < len(pattern) && pattern[i+1] != ']':
			last := pattern[i+1]
			i += 2
			if last == '\\' {
				if i >= len(pattern) {
					return nil, 0, false
				}
				last = pattern[i]
				i++
			}
			for b := previous; b <= int(last); b++ {
				set[b] = true
			}
			previous = -1
			continue
		case c == '[' && i+1 < len(pattern) && pattern[i+1] == ':':
			close := strings.Index(pattern[i+2:], "]")
			if close < 0 {
				return nil, 0, false
			}
			name := pattern[i+2 : i+2+close]
			if !strings.HasSuffix(name, ":") {
				// Not a named class after all: "[" is a member.
				set['['] = true
				previous = '['
				i++
				continue
			}
			name = strings.TrimSuffix(name, ":")
			is, known := posixClasses[name]
			if !known {
				return nil, 0, false
			}
			if fold && name == "upper" {
				is = posixClasses["lower"] // the text is lower case
			}
			for b := range set {
				if is(byte(b)) {
					set[b] = true
				}
			}
			i += 2 + close + 1
			previous = -1
			continue
		case c == '\\':
			i++
			if i >= len(pattern) {
				return nil, 0, false
			}
			c = pattern[i]
		}
		set[c] = true
		previous = int(c)
		i++
	}
}

// match reports whether the glob matches all of the text.
func (g *glob) match(text string) bool {
	if g.plain {
		if g.suffix {
			rest, found := strings.CutSuffix(text, g.literal)
			return found && !strings.Contains(rest, "/")
		}
		return text == g.literal
	}
	if !strings.HasSuffix(text, g.tail) {
		return false
	}
	// at[i] says that the tokens before i have matched the text so far. A
	// "**/" needs one more bit: whether it is within a folder's name.
	n := len(g.tokens)
	var room [128]bool
	states := room[:]
	if need := 4 * (n + 1); need > len(room) {
		states = make([]bool, need)
	}
	at, within := states[0:n+1], states[n+1:2*n+2]
	next, nextWithin := states[2*n+2:3*n+3], states[3*n+3:4*n+4]
	at[0] = true
	g.skip(at, within)
	for k := range len(text) {
		c := text[k]
		clear(next)
		clear(nextWithin)
		alive := false
		for i, token := range g.tokens {
			if within[i] {
				nextWithin[i] = true
				alive = true
				if c == '/' {
					next[i+1] = true
				}
			}
			if !at[i] {
				continue
			}
			switch token.kind {
			case oneByte:
				next[i+1] = next[i+1] || c == token.char
			case oneOf:
				next[i+1] = next[i+1] || token.set[c]
			case anyInName:
				next[i] = next[i] || c != '/'
			case anyPath:
				next[i] = true
			}
			alive = alive || next[i] || next[i+1]
		}
		if !alive {
			return false
		}
		at, next = next, at
		within, nextWithin = nextWithin, within
		g.skip(at, within)
	}
	return at[n]
}

// skip passes tokens that match nothing at all.
func (g *glob) skip(at, within []bool) {
	for i, token := range g.tokens {
		if !at[i] {
			continue
		}
		switch token.kind {
		case anyInName, anyPath:
			at[i+1] = true
		case folders:
			at[i+1] = true
			within[i] = true
		}
	}
}
