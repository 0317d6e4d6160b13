package facts

import "strings"

// DirectiveRequest is the name of the directives that tell of HTTP requests.
// Their value is the method, a space, and the address; "?" is a method that the
// file does not show, and a part of the address that it does not show is {}; a
// request that is given to an application of the same process instead of a
// network begins with [RequestInside]. Their owner is the declaration that sends the request.
const DirectiveRequest = "http request"

// RequestInside stands before the path of a request that does not leave the
// process.
const RequestInside = "inside:"

// maxRequest bounds the length of an address that is kept, in bytes.
const maxRequest = 512

// maxRequests bounds the requests of one file that are kept.
const maxRequests = 1 << 14

// AddRequest stores that a declaration requests an address over HTTP. An address
// of which no part of the path is known says nothing and is left out.
func (b *Builder) AddRequest(owner DeclID, method, url string, line, col int32) {
	if len(url) > maxRequest || len(b.Directives) >= maxRequests || !strings.ContainsFunc(strings.ReplaceAll(url, "{}", ""), isPath) {
		return
	}
	if method == "" {
		method = "?"
	}
	b.Directives = append(b.Directives, Directive{Name: b.InternString(DirectiveRequest), Value: b.InternString(strings.ToUpper(method) + " " + url),
		Owner: owner, Line: line, Col: col})
}

func isPath(r rune) bool { return r == '/' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// Verbs replaces the verbs of a format, as in C's printf, by {}.
func Verbs(format string) string {
	if !strings.Contains(format, "%") {
		return format
	}
	var s strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			s.WriteByte(format[i])
			continue
		}
		if i++; format[i] == '%' {
			s.WriteByte('%')
			continue
		}
		for i < len(format)-1 && strings.IndexByte("+-# 0123456789.[]*", format[i]) >= 0 {
			i++
		}
		s.WriteString("{}")
	}
	return s.String()
}

// VerbMount is the verb of a route that is none: it says that the router which is
// its value is mounted at its path.
const VerbMount = "MOUNT"

// VerbMountAs is the same where the path stands in the place of what the routes of the
// router begin with by themselves. What that is, Type of a route says: it is a literal
// with that text.
const VerbMountAs = "MOUNT-AS"
