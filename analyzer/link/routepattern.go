package link

import (
	"strings"

	"github.com/codekg/kg/analyzer/facts"
)

// Patterns of routes, in the spellings of the frameworks: {id}, {id:[0-9]+},
// {rest...}, {*rest}, :id, :id?, *rest, <int:id>, <path:rest>.

// A segment is what stands between two slashes of a path.
type segment struct {
	kind segmentKind
	text string   // of literals
	with []string // of segAny: what the segment has to hold, in this order
}

type segmentKind uint8

const (
	segLiteral segmentKind = iota
	segNumber              // digits
	segAny                 // anything without a slash; of requests: what is not known
	segRest                // what is left of the path
)

// maxSegments bounds the segments of a path that is matched.
const maxSegments = 64

// splitPath returns the parts of a path between slashes that stand outside of
// brackets; empty ones are left out.
func splitPath(path string) []string {
	var parts []string
	depth, from := 0, 0
	for i := 0; i <= len(path); i++ {
		if i < len(path) {
			switch path[i] {
			case '{', '(', '<':
				depth++
			case '}', ')', '>':
				depth = max(0, depth-1)
			}
			if path[i] != '/' || depth > 0 {
				continue
			}
		}
		if i > from {
			parts = append(parts, path[from:i])
		}
		from = i + 1
	}
	return parts
}

// parsePattern returns the segments of a route's pattern, and whether the last
// may be missing; false for a pattern that cannot be matched.
func parsePattern(path string) (segs []segment, optional, ok bool) {
	parts := splitPath(path)
	if len(parts) > maxSegments {
		return nil, false, false
	}
	for i, p := range parts {
		last := i == len(parts)-1
		s := segment{kind: segAny}
		switch {
		case p == "{$}":
			continue
		case p == "?":
			return nil, false, false // a part that the source does not show
		case p[0] == '*' || strings.HasPrefix(p, "{*") || strings.HasSuffix(p, "...}") || strings.HasPrefix(p, "<path:") || strings.HasSuffix(p, ":path}") ||
			p[0] == ':' && (strings.HasSuffix(p, "*") || strings.HasSuffix(p, "+")):
			if last {
				s.kind = segRest
			}
		case p[0] == ':' && strings.HasSuffix(p, "?") && last:
			optional = true
		case strings.HasPrefix(p, "<int:"):
			s.kind = segNumber
		case p[0] == ':' || strings.ContainsAny(p, "{<*?()[+") || strings.Contains(p, ":"):
			s.with = fragments(p)
		default:
			s = segment{kind: segLiteral, text: p}
		}
		segs = append(segs, s)
	}
	return segs, optional, true
}

// fragments returns the literal parts of a segment with parameters: of
// :from-:to that is "-". A segment whose spelling is more than that has none.
func fragments(p string) (parts []string) {
	if strings.ContainsAny(p, "*?()[]+") {
		return nil
	}
	from := 0
	end := func(to int) {
		if to > from {
			parts = append(parts, p[from:to])
		}
	}
	for i := 0; i < len(p); {
		var n int
		switch closing := strings.IndexByte("{}<>", p[i]); {
		case closing == 0 || closing == 2:
			if n = strings.IndexByte(p[i:], "}>"[closing/2]) + 1; n == 0 {
				return nil
			}
		case p[i] == ':':
			for n = 1; i+n < len(p) && (p[i+n] == '_' || p[i+n]|0x20 >= 'a' && p[i+n]|0x20 <= 'z' || p[i+n] >= '0' && p[i+n] <= '9'); n++ {
			}
		default:
			i++
			continue
		}
		end(i)
		i += n
		from = i
	}
	end(len(p))
	return parts
}

// holds reports whether s holds the parts one after the other.
func holds(s string, parts []string) bool {
	for _, p := range parts {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return true
}

// requested is the address of a request.
type requested struct {
	method string // empty: not known
	segs   []segment
	host   bool // the address names a host
	inside bool // it does not leave the process
	open   bool // what stands before the segments is not known
}

// parseRequest reads the value of a directive; false for addresses that are not
// those of the tree's own services, as far as they show.
func parseRequest(value string) (r requested, ok bool) {
	method, url, _ := strings.Cut(value, " ")
	if method != "?" {
		r.method = method
	}
	url, r.inside = strings.CutPrefix(url, facts.RequestInside)
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	if _, rest, found := strings.Cut(url, "://"); found {
		host, path, _ := strings.Cut(rest, "/")
		if !ownHost(host) {
			return r, false
		}
		r.host = true
		r.open = strings.HasSuffix(host, "{}") && host != "{}" // http://localhost:{}…, which may hold a path
		url = "/" + path
	} else if !strings.HasPrefix(url, "/") {
		r.open = true
		if strings.HasPrefix(url, "{") {
			_, rest, found := strings.Cut(url, "/")
			if !found {
				return r, false
			}
			url = rest
		}
	}
	parts := splitPath(url)
	if len(parts) > maxSegments {
		return r, false
	}
	for _, p := range parts {
		if strings.ContainsAny(p, "{}") {
			r.segs = append(r.segs, segment{kind: segAny})
		} else {
			r.segs = append(r.segs, segment{kind: segLiteral, text: p})
		}
	}
	return r, true
}

// ownHost reports whether a host may be one that runs code of this tree: this
// machine, a name without dots as services have them, one of a network of one's
// own, one made up for examples, or one that is not known.
func ownHost(host string) bool {
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if strings.Contains(host, "{") || strings.HasPrefix(host, "[") {
		return true
	}
	name, _, _ := strings.Cut(host, ":")
	if !strings.Contains(name, ".") || name == "127.0.0.1" || name == "0.0.0.0" {
		return true
	}
	for _, s := range [...]string{".local", ".localhost", ".internal", ".test", ".example", ".svc", "example.com", "example.org", "example.net", ".svc.cluster.local"} {
		if name == s || strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}

// fitSegments compares a request's segments with those of a pattern. The result
// has a letter for each segment: of two patterns that fit the one with the
// smaller result is the more special. Literals counts those that are equal and
// say something.
func fitSegments(request, pattern []segment, buf []byte) (key []byte, literals int, ok bool) {
	key = buf[:0]
	for i, p := range pattern {
		if p.kind == segRest {
			return append(key, 'd'), literals, true
		}
		if i >= len(request) {
			return nil, 0, false
		}
		r := request[i]
		switch {
		case p.kind == segLiteral:
			if r.kind != segLiteral || r.text != p.text {
				return nil, 0, false
			}
			if telling(p.text) {
				literals++
			}
			key = append(key, 'a')
		case p.kind == segNumber:
			if r.kind == segLiteral && strings.Trim(r.text, "0123456789") != "" {
				return nil, 0, false
			}
			key = append(key, 'b')
		default:
			if r.kind == segLiteral && !holds(r.text, p.with) {
				return nil, 0, false
			}
			if key = append(key, 'c'); len(p.with) > 0 {
				key[len(key)-1] = 'b'
			}
		}
	}
	return key, literals, len(request) == len(pattern)
}

// telling reports whether a literal segment tells routes apart: it has a letter
// and a second character.
func telling(s string) bool {
	return len(s) > 1 && strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80 })
}
