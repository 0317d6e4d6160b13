package typescript

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// Requests: calls of fetch, axios, ky, got and superagent, of Angular's HttpClient,
// and of what supertest, chai-http, Fastify and Hono give to tests.

// requestVerbs are the methods of clients, with the methods of requests.
var requestVerbs = map[string]string{"get": "GET", "post": "POST", "put": "PUT", "patch": "PATCH", "delete": "DELETE", "del": "DELETE",
	"head": "HEAD", "options": "OPTIONS"}

var (
	// clientModules give a client as a whole; clientMakers are the functions of
	// theirs and of others that make one.
	clientModules = []string{"axios", "ky", "got", "superagent", "needle"}
	testModules   = []string{"supertest", "supertest-session", "chai-http", "superagent"}
	clientMakers  = map[string][]string{"create": clientModules, "extend": clientModules, "agent": {"supertest", "superagent", "chai"}}
)

// maxURL bounds the nodes of an address that is read, maxBase the bytes of one that
// others begin with.
const (
	maxURL  = 128
	maxBase = 512
)

// webNames finds the names that the file assigns clients and modules of clients
// to: const api = axios.create(…), const request = require('supertest').
func (e *extractor) webNames() {
	e.modulesOf, e.web, e.agent = nil, nil, nil
	if e.mentions&ofRequests == 0 {
		return
	}
	e.modulesOf, e.web, e.agent = map[string]string{}, map[string]string{}, map[string]bool{}
	for i := range e.nodes {
		i := syntax.ID(i)
		var target, value syntax.ID
		switch e.class(i) {
		case classDeclarator:
			target, value = e.child(i, e.f.name), e.child(i, e.f.value)
		case classAssign:
			target, value = e.child(i, e.f.left), e.child(i, e.f.right)
		case classImport:
			e.importedClient(i)
			continue
		default:
			continue
		}
		if !e.is(value, classCall) || !e.is(target, classIdentifier) && !e.is(target, classMember) {
			continue
		}
		fn, args := e.child(value, e.f.function), e.child(value, e.f.arguments)
		if e.is(fn, classIdentifier) && e.reads(fn, "require") && e.is(args, classArguments) {
			if a := e.t.FirstNamed(args); e.is(a, classString) {
				e.modulesOf[e.t.String(target)] = string(e.unquoted(a))
			}
			continue
		}
		if e.is(fn, classMember) && e.is(e.child(fn, e.f.object), classIdentifier) {
			from := e.modulesOf[e.t.String(e.child(fn, e.f.object))]
			if from != "" && slices.Contains(clientMakers[e.t.String(e.child(fn, e.f.property))], from) {
				e.web[e.t.String(target)] = e.baseURL(e.child(value, e.f.arguments))
				e.agent[e.t.String(target)] = e.reads(e.child(fn, e.f.property), "agent")
			}
		}
	}
}

// baseURL returns what a client is made with that the addresses of its requests
// begin with; {} if that is not known.
func (e *extractor) baseURL(args syntax.ID) string {
	if e.is(args, classArguments) {
		if o := e.t.FirstNamed(args); e.is(o, classObject) {
			for _, key := range [...]string{"baseURL", "prefixUrl", "baseUrl"} {
				if v := e.option(o, key); v != syntax.None && e.nodes[v].End-e.nodes[v].Start <= maxBase {
					return e.address(v)
				}
			}
		}
	}
	return "{}"
}

// importedClient notes the default or whole import of a module.
func (e *extractor) importedClient(i syntax.ID) {
	source := e.child(i, e.f.source)
	if !e.is(source, classString) {
		return
	}
	module := string(e.unquoted(source))
	if !slices.Contains(clientModules, module) && !slices.Contains(testModules, module) && module != "chai" {
		return
	}
	for k := i + 1; k < e.nodes[i].Next; k++ {
		if e.is(k, classIdentifier) {
			e.modulesOf[e.t.String(k)] = module
		}
	}
}

// request notes that a call sends a request.
func (e *extractor) request(i syntax.ID) {
	fn, args := e.child(i, e.f.function), e.child(i, e.f.arguments)
	if !e.is(args, classArguments) {
		return
	}
	url := e.t.FirstNamed(args)
	if url == syntax.None {
		return
	}
	at, method, options := fn, "", syntax.ID(syntax.None)
	for c := range e.t.NamedChildren(args) {
		if e.is(c, classObject) {
			options = c
			break
		}
	}
	switch e.class(fn) {
	case classIdentifier:
		name := e.t.String(fn)
		module := e.modulesOf[name]
		switch {
		case name == "fetch" && e.b.Lookup(e.str(fn)) == none && (module == "" || module == "node-fetch"):
		case slices.Contains(clientModules, module) || e.web[name] != "":
		default:
			return
		}
		method = e.methodOption(options)
	case classMember:
		at = e.child(fn, e.f.property)
		name, on := e.t.String(at), e.child(fn, e.f.object)
		verb := requestVerbs[name]
		switch {
		case verb != "" && e.clientObject(on):
			method = verb
		case name == "fetch" && (e.reads(on, "window") || e.reads(on, "globalThis") || e.reads(on, "self")),
			name == "request" && e.isRouter(on), name == "inject" && e.isRouter(on), name == "request" && e.clientObject(on):
			method = e.methodOption(options)
		default:
			return
		}
	default:
		return
	}
	if url == options {
		if url = e.option(options, "url"); url == syntax.None {
			return
		}
	}
	address := e.address(url)
	on := fn
	if e.is(fn, classMember) {
		on = e.child(fn, e.f.object)
	}
	if base := e.web[e.t.String(on)]; base != "" && !e.agent[e.t.String(on)] && !strings.Contains(address, "://") {
		address = strings.TrimSuffix(base, "/") + "/" + strings.TrimPrefix(address, "/")
	}
	if e.is(fn, classMember) && (e.is(on, classCall) || e.agent[e.t.String(on)] || e.isRouter(on) && e.web[e.t.String(on)] == "") {
		address = facts.RequestInside + address
	}
	line, col := e.place(at)
	e.b.AddRequest(e.owner, method, address, line, col)
}

// clientObject reports whether what a method is called on sends requests.
func (e *extractor) clientObject(on syntax.ID) bool {
	switch e.class(on) {
	case classIdentifier, classMember:
		if e.nodes[on].End-e.nodes[on].Start > 60 {
			return false
		}
		name := e.t.String(on)
		if e.web[name] != "" || slices.Contains(clientModules, e.modulesOf[name]) {
			return true
		}
		if e.is(on, classMember) {
			p := e.t.String(e.child(on, e.f.property))
			return p == "http" || p == "httpClient" || p == "$http" || p == "$axios" // this.http of Angular
		}
	case classCall: // request(app), chai.request(app), request.agent(app)
		fn := e.child(on, e.f.function)
		if e.is(fn, classMember) {
			if p := e.t.String(e.child(fn, e.f.property)); p != "request" && p != "agent" {
				return false
			}
			fn = e.child(fn, e.f.object)
		}
		if !e.is(fn, classIdentifier) {
			return false
		}
		m := e.modulesOf[e.t.String(fn)]
		return slices.Contains(testModules, m) || m == "chai"
	}
	return false
}

func (e *extractor) isRouter(on syntax.ID) bool {
	return e.is(on, classIdentifier) && e.nodes[on].End-e.nodes[on].Start <= 40 && routers(e.t.String(on))
}

// methodOption returns the method that the options of a request name: GET if
// they name none, nothing if it cannot be told.
func (e *extractor) methodOption(options syntax.ID) string {
	v := e.option(options, "method")
	switch {
	case v == syntax.None:
		return "GET"
	case e.is(v, classString):
		return string(e.unquoted(v))
	}
	return ""
}

// option returns the value of a key of an object literal.
func (e *extractor) option(object syntax.ID, key string) syntax.ID {
	if object == syntax.None {
		return syntax.None
	}
	for c := range e.t.NamedChildren(object) {
		if k := e.child(c, e.f.key); k != syntax.None && strings.Trim(e.t.String(k), `'"`) == key {
			return e.child(c, e.f.value)
		}
	}
	return syntax.None
}

// address returns what is known of a string, {} for what is not.
func (e *extractor) address(i syntax.ID) string {
	if i == syntax.None || e.nodes[i].Next-i > maxURL {
		return "{}"
	}
	switch e.class(i) {
	case classString:
		return string(e.unquoted(i))
	case classTemplate:
		var s strings.Builder
		from := e.nodes[i].Start + 1
		for c := range e.t.NamedChildren(i) {
			if e.is(c, classSubstitution) {
				s.Write(e.src[from:max(from, e.nodes[c].Start)])
				s.WriteString("{}")
				from = e.nodes[c].End
			}
		}
		s.Write(e.src[from:max(from, e.nodes[i].End-1)])
		return s.String()
	case classParen:
		return e.address(e.t.FirstNamed(i))
	case classBinary:
		if e.reads(e.child(i, e.f.operator), "+") {
			return e.address(e.child(i, e.f.left)) + e.address(e.child(i, e.f.right))
		}
	case classNew: // new URL("…", base)
		if args := e.child(i, e.f.arguments); e.is(args, classArguments) && e.reads(e.child(i, e.f.constructor), "URL") {
			return e.address(e.t.FirstNamed(args))
		}
	}
	return "{}"
}
