package python

import (
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// Requests: calls of requests, httpx, aiohttp and urllib, and of the clients
// that Flask, Starlette, FastAPI and Django give to tests.

// web is what a file's assignments say about a name.
type web struct {
	client bool   // it sends requests
	router bool   // routes are registered with it
	prefix string // what their paths begin with
}

var (
	clientMakers = map[string]bool{"test_client": true, "TestClient": true, "Client": true, "AsyncClient": true, "ClientSession": true,
		"Session": true, "session": true, "APIClient": true, "FlaskClient": true}
	routerMakers = map[string]string{"Blueprint": "url_prefix", "APIRouter": "prefix"}
	// requestVerbs are the methods of clients, with the methods of requests.
	requestVerbs = map[string]string{"get": "GET", "post": "POST", "put": "PUT", "patch": "PATCH", "delete": "DELETE", "head": "HEAD", "options": "OPTIONS"}
	httpPackages = []string{"requests", "httpx"}
)

// maxURL bounds the nodes of an address that is read, maxPrefix the bytes of what
// routes begin with.
const (
	maxURL    = 128
	maxPrefix = 256
)

// webNames finds the names that the file assigns clients and routers to.
func (e *extractor) webNames() {
	e.web = nil
	if e.mentions&ofMakers == 0 {
		return
	}
	e.web = map[string]web{}
	for i := range e.nodes {
		switch i := syntax.ID(i); classOf(e.nodes[i].Kind) {
		case classAssignment:
			e.webName(e.child(i, fieldLeft), e.child(i, fieldRight))
		case classAsPattern:
			if a := e.child(i, fieldAlias); a != syntax.None {
				e.webName(e.t.FirstNamed(a), e.t.FirstNamed(i))
			}
		}
	}
}

func (e *extractor) webName(target, value syntax.ID) {
	if value != syntax.None && e.class(value) == classAwait {
		value = e.t.FirstNamed(value)
	}
	if target == syntax.None || value == syntax.None || e.class(value) != classCall || e.class(target) != classIdentifier && e.class(target) != classAttribute {
		return
	}
	fn := e.child(value, fieldFunction)
	if fn == syntax.None {
		return
	}
	maker, name := e.t.String(e.lastName(fn)), e.t.String(target)
	if keyword, ok := routerMakers[maker]; ok {
		w := web{router: true}
		if args := e.child(value, fieldArguments); args != syntax.None {
			for c := range e.t.NamedChildren(args) {
				if e.class(c) == classKeywordArgument && string(e.t.Text(e.child(c, fieldName))) == keyword {
					if w.prefix, _ = e.constant(e.child(c, fieldValue)); len(w.prefix) > maxPrefix {
						w.prefix = ""
					}
				}
			}
		}
		if old, ok := e.web[name]; ok && old != w {
			w.prefix = ""
		}
		e.web[name] = w
	} else if _, ok := e.web[name]; !ok && clientMakers[maker] {
		e.web[name] = web{client: true}
	}
}

// routePrefix returns what the paths of the routes begin with that the decorator
// called name registers.
func (e *extractor) routePrefix(name string) string {
	on := name[:strings.LastIndexByte(name, '.')]
	return strings.TrimSuffix(e.web[on].prefix, "/")
}

// request notes that a call sends a request.
func (e *extractor) request(fn, args syntax.ID) {
	if args == syntax.None || e.class(args) == classGenerator {
		return
	}
	name := syntax.ID(syntax.None)
	verb := ""
	switch e.class(fn) {
	case classIdentifier:
		name, verb = fn, e.importedVerb(e.t.String(fn))
	case classAttribute:
		name = e.child(fn, fieldAttribute)
		verb = e.verbOf(e.child(fn, fieldObject), e.t.String(name))
	}
	if verb == "" {
		return
	}
	var given []syntax.ID
	url := syntax.ID(syntax.None)
	method := ""
	for c := range e.t.NamedChildren(args) {
		if e.class(c) == classKeywordArgument {
			switch string(e.t.Text(e.child(c, fieldName))) {
			case "url", "path":
				url = e.child(c, fieldValue)
			case "method":
				method, _ = e.constant(e.child(c, fieldValue))
			}
		} else if e.class(c) != classComment {
			given = append(given, c)
		}
	}
	switch {
	case verb == "request": // request(method, url)
		if method == "" && len(given) > 0 {
			method, _ = e.constant(given[0])
			given = given[1:]
		}
	case verb == "open": // open(url, method="GET")
		if method == "" {
			method = "GET"
		}
	default:
		method = verb
	}
	if url == syntax.None && len(given) > 0 {
		url = given[0]
	}
	if url == syntax.None {
		return
	}
	line, col := e.place(name)
	e.b.AddRequest(e.owner, method, e.address(url), line, col)
}

// verbOf returns what the method of a client does: the method of the request,
// request or open; empty if the object is no client, as far as the file shows.
func (e *extractor) verbOf(object syntax.ID, method string) string {
	verb := requestVerbs[method]
	if method == "request" || method == "open" {
		verb = method
	}
	if verb == "" || object == syntax.None || e.nodes[object].End-e.nodes[object].Start > 60 {
		return ""
	}
	on := e.t.String(object)
	if w := e.web[on]; w.client {
		return verb
	}
	for i := range e.b.Imports {
		im := &e.b.Imports[i]
		p := e.b.Strings[im.Path]
		if im.Name == 0 && (p == on || e.b.Strings[im.Alias] == on) {
			for _, h := range httpPackages {
				if p == h && method != "open" {
					return verb
				}
			}
			return ""
		}
	}
	if strings.HasSuffix(strings.ToLower(on), "client") { // of fixtures
		return verb
	}
	if e.class(object) == classCall { // app.test_client().get(…)
		if fn := e.child(object, fieldFunction); fn != syntax.None && clientMakers[e.t.String(e.lastName(fn))] {
			return verb
		}
	}
	return ""
}

// importedVerb is verbOf for a function that is imported by its name.
func (e *extractor) importedVerb(name string) string {
	if requestVerbs[name] == "" && name != "urlopen" && name != "request" {
		return ""
	}
	for i := range e.b.Imports {
		im := &e.b.Imports[i]
		if e.b.Strings[im.Name] != name || im.Alias != 0 && e.b.Strings[im.Alias] != name {
			continue
		}
		switch p := e.b.Strings[im.Path]; {
		case p == "urllib.request" && name == "urlopen":
			return "open"
		case p == "requests" || p == "httpx":
			if name == "request" {
				return name
			}
			return requestVerbs[name]
		}
	}
	return ""
}

// address returns what is known of a string, {} for what is not.
func (e *extractor) address(i syntax.ID) string {
	if i == syntax.None || e.nodes[i].Next-i > maxURL {
		return "{}"
	}
	switch e.class(i) {
	case classString:
		var s strings.Builder
		for c := range e.t.NamedChildren(i) {
			switch e.t.Lang.KindName(e.nodes[c].Kind) {
			case "string_start", "string_end":
			case "string_content":
				s.WriteString(e.t.String(c))
			default:
				s.WriteString("{}")
			}
		}
		return s.String()
	case classConcatenated:
		var s strings.Builder
		for c := range e.t.NamedChildren(i) {
			s.WriteString(e.address(c))
		}
		return s.String()
	case classParen:
		return e.address(e.t.FirstNamed(i))
	case classBinary:
		switch op := e.child(i, fieldOperator); {
		case op == syntax.None:
		case e.t.String(op) == "+":
			return e.address(e.child(i, fieldLeft)) + e.address(e.child(i, fieldRight))
		case e.t.String(op) == "%":
			return facts.Verbs(e.address(e.child(i, fieldLeft)))
		}
	case classCall: // "…".format(…)
		if fn := e.child(i, fieldFunction); fn != syntax.None && e.class(fn) == classAttribute && e.t.String(e.lastName(fn)) == "format" {
			return e.address(e.child(fn, fieldObject))
		}
	}
	return "{}"
}
