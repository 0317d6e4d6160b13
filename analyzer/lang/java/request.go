package java

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// Requests: calls of Spring's clients and of the clients for its tests, of REST
// Assured and of java.net.http, and the methods of interfaces that Feign and
// Spring implement.

// requestVerbs are the names of methods that send or begin a request, with the
// request's method.
var requestVerbs = map[string]string{"get": "GET", "post": "POST", "put": "PUT", "patch": "PATCH", "delete": "DELETE", "head": "HEAD", "options": "OPTIONS", "multipart": "POST"}

// templateVerbs are the methods of RestTemplate that no other class has.
var templateVerbs = map[string]string{"getForObject": "GET", "getForEntity": "GET", "postForObject": "POST", "postForEntity": "POST",
	"postForLocation": "POST", "patchForObject": "PATCH", "headForHeaders": "HEAD", "optionsForAllow": "OPTIONS"}

const mockBuilders = "org.springframework.test.web.servlet.request.MockMvcRequestBuilders"

// clientMarks are the annotations of interfaces whose methods send requests, with
// what prefixes their paths.
var clientMarks = map[string]struct {
	from   []string
	prefix string
}{
	"FeignClient":        {[]string{"org.springframework.cloud.", "feign."}, "path"},
	"RegisterRestClient": {[]string{"org.eclipse.microprofile."}, ""},
	"HttpExchange":       {[]string{"org.springframework."}, ""},
}

// clients returns the prefixes of the requests that the methods of a type send
// which a library implements; false for other types.
func (e *extractor) clients(m marks) ([]string, bool) {
	for i := range m {
		if c, ok := clientMarks[m[i].name]; ok && e.from(m[i].name, c.from...) {
			prefixes := []string{""}
			if c.prefix != "" {
				if p := e.pathsIn(m[i].node, c.prefix); len(p) == 1 && p[0] != "?" && e.childOf(e.child(m[i].node, fieldArguments), classElementPair) != syntax.None {
					prefixes = p
				}
			}
			return prefixes, true
		}
	}
	return nil, false
}

// maxURL bounds the nodes of an address that is read.
const maxURL = 128

// request notes that the call at node i sends a request or begins one.
func (e *extractor) request(i, name, object syntax.ID) {
	args := e.child(i, fieldArguments)
	if args == syntax.None || name == syntax.None {
		return
	}
	url := e.t.FirstNamed(args)
	if url == syntax.None {
		return
	}
	method, n := "", e.t.String(name)
	switch verb := requestVerbs[n]; {
	case object == syntax.None:
		if method = verb; verb == "" || !e.static(n, mockBuilders) {
			return
		}
	case templateVerbs[n] != "":
		method = templateVerbs[n]
	case n == "uri": // client.get().uri("…")
		if e.class(object) != classCall {
			return
		}
		begin := e.child(object, fieldName)
		if begin == syntax.None {
			return
		}
		switch b := e.t.String(begin); {
		case b == "method":
			method = e.methodIn(object)
		case b == "newBuilder" || requestVerbs[b] != "" && e.t.FirstNamed(e.child(object, fieldArguments)) == syntax.None:
			method = requestVerbs[b]
		default:
			return
		}
	case n == "newBuilder":
		if e.class(object) != classIdentifier || e.t.String(object) != "HttpRequest" {
			return
		}
	case n == "exchange" || n == "put" || n == "delete": // of a RestTemplate
		if !e.named(object, "template") {
			return
		}
		if method = verb; n == "exchange" {
			method = e.methodIn(i)
		}
	case verb != "":
		if e.class(object) == classCall { // REST Assured: when().get("…")
			begin := e.child(object, fieldName)
			if begin == syntax.None || !slices.Contains([]string{"when", "given", "and"}, e.t.String(begin)) {
				return
			}
		} else if s := e.t.String(object); s != "MockMvcRequestBuilders" && s != "RequestEntity" && s != "RestAssured" {
			return
		}
		method = verb
	default:
		return
	}
	line, col := e.place(name)
	e.b.AddRequest(e.owner, method, e.address(url), line, col)
}

// static reports whether a simple name is that of a static member of a class, as
// far as the imports show.
func (e *extractor) static(name, class string) bool {
	for i := range e.b.Imports {
		im := &e.b.Imports[i]
		if im.Flags&facts.ImportStatic != 0 && e.b.Strings[im.Path] == class && (e.b.Strings[im.Name] == name || e.b.Strings[im.Name] == "*") {
			return true
		}
	}
	return false
}

// named reports whether the last name of an expression ends in a word.
func (e *extractor) named(i syntax.ID, word string) bool {
	if e.class(i) == classField {
		i = e.child(i, fieldField)
	}
	return i != syntax.None && e.class(i) == classIdentifier && strings.HasSuffix(strings.ToLower(e.t.String(i)), word)
}

// methodIn returns the method among the arguments of a call: HttpMethod.GET.
func (e *extractor) methodIn(call syntax.ID) string {
	args := e.child(call, fieldArguments)
	if args == syntax.None {
		return ""
	}
	for c := range e.t.NamedChildren(args) {
		if s := e.t.String(c); e.class(c) == classField && strings.HasPrefix(s, "HttpMethod.") {
			return s[len("HttpMethod."):]
		}
	}
	return ""
}

// address returns what is known of a string or URI, {} for what is not.
func (e *extractor) address(i syntax.ID) string {
	if i == syntax.None || e.nodes[i].Next-i > maxURL {
		return "{}"
	}
	if s, ok := e.stringValue(i); ok {
		return s
	}
	switch e.class(i) {
	case classParen:
		return e.address(e.t.FirstNamed(i))
	case classBinary:
		if op := e.child(i, fieldOperator); op != syntax.None && e.t.String(op) == "+" {
			return e.address(e.child(i, fieldLeft)) + e.address(e.child(i, fieldRight))
		}
	case classCall:
		name, object, args := e.child(i, fieldName), e.child(i, fieldObject), e.child(i, fieldArguments)
		if name == syntax.None || object == syntax.None || args == syntax.None {
			break
		}
		switch on := e.t.String(object); e.t.String(name) {
		case "create":
			if on == "URI" {
				return e.address(e.t.FirstNamed(args))
			}
		case "format":
			if on == "String" {
				return facts.Verbs(e.address(e.t.FirstNamed(args)))
			}
		case "formatted":
			return facts.Verbs(e.address(object))
		}
	case classNew: // new URI("…")
		if typ, args := e.child(i, fieldType), e.child(i, fieldArguments); typ != syntax.None && args != syntax.None && (e.t.String(typ) == "URI" || e.t.String(typ) == "URL") {
			return e.address(e.t.FirstNamed(args))
		}
	}
	return "{}"
}
