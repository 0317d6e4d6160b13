package typescript

import (
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// Routes: what Express, Fastify, Hono and Koa's router are told by calls, and
// Nest by decorators. A route is named by its method and path; the value of its
// declaration is the handler.

var routeMethods = map[string]string{"get": "GET", "post": "POST", "put": "PUT", "patch": "PATCH", "delete": "DELETE", "head": "HEAD",
	"options": "OPTIONS", "all": "*"}

// nestMethods are the decorators of Nest's handlers.
var nestMethods = map[string]string{"Get": "GET", "Post": "POST", "Put": "PUT", "Patch": "PATCH", "Delete": "DELETE", "Head": "HEAD",
	"Options": "OPTIONS", "All": "*"}

// routers reports whether what a method is called on is named like an
// application or router: clients have methods of the same names.
func routers(name string) bool {
	n := strings.ToLower(name)
	for _, s := range [...]string{"app", "router", "server", "fastify", "api", "routes", "route", "hono"} {
		if n == s || strings.HasSuffix(n, s) && len(s) > 2 {
			return true
		}
	}
	return false
}

// noteRouter notes that a name stands for a router: const api = express.Router().
// Applications are told by their names: a file with several mostly has those for
// tests, or for different hosts.
func (e *extractor) noteRouter(name, value syntax.ID) {
	if value == syntax.None {
		return
	}
	maker := syntax.ID(syntax.None)
	switch e.class(value) {
	case classCall:
		maker = e.child(value, e.f.function)
	case classNew:
		maker = e.child(value, e.f.constructor)
	}
	if maker != syntax.None && e.is(maker, classMember) {
		maker = e.child(maker, e.f.property)
	}
	if maker == syntax.None || !e.is(name, classIdentifier) || e.t.String(maker) != "Router" {
		return
	}
	if e.routers == nil {
		e.routers = map[facts.Str]bool{}
	}
	e.routers[e.str(name)] = true
}

// calledRoute adds the routes that a call tells: app.get("/path", …, handler),
// app.on("GET", "/path", handler), app.route({method, url, handler}), and
// router.route("/path").get(handler).
func (e *extractor) calledRoute(i syntax.ID, call facts.ExprID) {
	fn, args := e.child(i, e.f.function), e.child(i, e.f.arguments)
	if !e.is(fn, classMember) || !e.is(args, classArguments) {
		return
	}
	word := e.t.String(e.child(fn, e.f.property))
	method, ok := routeMethods[word]
	if !ok && word != "on" && word != "route" && word != "use" {
		return
	}
	on := e.child(fn, e.f.object)
	if !e.routes(on) {
		return
	}
	var given []syntax.ID
	for c := range e.t.NamedChildren(args) {
		given = append(given, c)
	}
	switch {
	case len(given) == 0:
	case word == "use", word == "route" && len(given) == 2:
		at := given[0]
		if len(given) == 1 {
			at = syntax.None
		}
		e.mount(at, i, given[len(given)-1], call)
	case word == "route":
		if len(given) == 1 && e.is(given[0], classObject) {
			e.describedRoute(given[0])
		}
	case word == "on":
		if len(given) < 3 {
			return
		}
		for _, m := range e.words(given[0]) {
			e.routeTo(m, given[1], given[len(given)-1], i, call)
		}
	case len(given) > 1:
		e.routeTo(method, given[0], given[len(given)-1], i, call)
	default:
		if path := e.routeOf(on); path != syntax.None {
			e.routeTo(method, path, given[0], i, call)
		}
	}
}

// mount adds what a call mounts, its last argument, at a path; None: at the root.
func (e *extractor) mount(at, def, last syntax.ID, call facts.ExprID) {
	path := "/"
	if at != syntax.None {
		if path = string(e.unquoted(at)); !e.is(at, classString) || !strings.HasPrefix(path, "/") {
			return
		}
	} else {
		at = def
	}
	list := e.b.List(e.b.Exprs[call].Args)
	r := e.addRoute(facts.VerbMount+" "+path, at, def)
	router := facts.ExprID(list[len(list)-1])
	if source, _ := e.required(last); source != syntax.None && e.owner == none {
		// It gets a name that no source can have.
		name := e.b.Intern(e.t.Text(last))
		if e.requires(name, last) {
			router = e.add(facts.Expr{Op: facts.OpName, Name: name, X: none, Y: none}, last)
		}
	}
	e.b.Decls[r].Value = router
	e.b.Decls[r].Traits |= facts.TraitLocal // nothing is requested of it
}

// maxChain bounds the calls of routes on what the one before gives.
const maxChain = 256

// routes reports whether methods called on an expression tell routes: on an
// application or router by its name, one that is just made, or what another
// such call gives.
func (e *extractor) routes(on syntax.ID) bool {
	for range maxChain {
		name := on
		switch e.class(on) {
		case classMember:
			name = e.child(on, e.f.property)
		case classNew:
			name = e.child(on, e.f.constructor)
		case classCall:
			name = e.child(on, e.f.function)
			if e.is(name, classMember) {
				if p := e.t.String(e.child(name, e.f.property)); p == "use" || p == "on" || p == "route" || p == "basePath" || routeMethods[p] != "" {
					on = e.child(name, e.f.object)
					continue
				}
				name = e.child(name, e.f.property)
			} else if e.reads(name, "express") {
				return true
			}
		}
		return name != syntax.None && e.nodes[name].End-e.nodes[name].Start <= 40 &&
			(routers(e.t.String(name)) || e.is(name, classIdentifier) && e.routers[e.str(name)])
	}
	return false
}

// routeOf returns the path of router.route("/path").get(…).post, of which on is
// what a method is called on.
func (e *extractor) routeOf(on syntax.ID) syntax.ID {
	for range maxChain {
		fn := e.child(on, e.f.function)
		if !e.is(on, classCall) || !e.is(fn, classMember) {
			break
		}
		if e.reads(e.child(fn, e.f.property), "route") {
			return e.t.FirstNamed(e.child(on, e.f.arguments))
		}
		on = e.child(fn, e.f.object)
	}
	return syntax.None
}

// words returns the methods that a string or a list of strings names.
func (e *extractor) words(i syntax.ID) []string {
	var out []string
	add := func(i syntax.ID) {
		if m := string(e.unquoted(i)); e.is(i, classString) && routeMethods[strings.ToLower(m)] != "" {
			out = append(out, strings.ToUpper(m))
		}
	}
	if !e.is(i, classArray) {
		add(i)
		return out
	}
	for c := range e.t.NamedChildren(i) {
		add(c)
	}
	return out
}

// describedRoute adds the routes of {method, url, handler}.
func (e *extractor) describedRoute(i syntax.ID) {
	var methods []string
	path, handler := syntax.ID(syntax.None), facts.ExprID(none)
	known := false
	for c := range e.t.NamedChildren(i) {
		name, value := e.child(c, e.f.key), e.child(c, e.f.value)
		switch e.class(c) {
		case classShorthand:
			name = c
		case classMethod:
			name = e.child(c, e.f.name)
		}
		if name == syntax.None {
			continue
		}
		switch string(e.unquoted(name)) {
		case "method":
			methods = e.words(value)
		case "url", "path":
			path = value
		case "handler":
			known = true
			if e.class(c) == classShorthand || e.is(value, classIdentifier) || e.is(value, classMember) {
				handler = e.exprAtPlace(max(c, value))
			}
		}
	}
	if !known || !e.is(path, classString) {
		return
	}
	for _, m := range methods {
		r := e.addRoute(m+" "+string(e.unquoted(path)), path, i)
		e.b.Decls[r].Value = handler
	}
}

// exprAtPlace returns the expression that was added for the name at node i; None
// where it is not among the last ones.
func (e *extractor) exprAtPlace(i syntax.ID) facts.ExprID {
	if e.is(i, classMember) {
		i = e.child(i, e.f.property)
	}
	return e.b.NameAt(e.place(i))
}

// routeTo adds a route whose path is at one node and whose handler, the last
// argument of a call, is at another.
func (e *extractor) routeTo(method string, at, last, def syntax.ID, call facts.ExprID) {
	if !e.is(at, classString) {
		return
	}
	path := string(e.unquoted(at))
	if !strings.HasPrefix(path, "/") && path != "*" {
		return
	}
	handler := facts.ExprID(none)
	switch e.class(last) {
	case classIdentifier, classMember, classCall, classArray, classArrow, classFunctionExpr:
		list := e.b.List(e.b.Exprs[call].Args)
		handler = facts.ExprID(list[len(list)-1])
	default:
		return
	}
	r := e.addRoute(method+" "+path, at, def)
	e.b.Decls[r].Value = handler
	for d := e.owner; d != none; d = e.b.Decls[d].Parent {
		if e.b.Decls[d].Flags.Has(graph.FlagTestCase) {
			e.b.Decls[r].Traits |= facts.TraitLocal // what a test registers for itself is nobody else's
		}
	}
}

// addRoute adds a route.
func (e *extractor) addRoute(name string, at, def syntax.ID) facts.DeclID {
	r := e.b.AddDecl(graph.KindRoute, e.b.InternString(name), none)
	p := &e.b.Decls[r]
	p.DefLine, p.EndLine = int32(e.t.Line(def)), int32(e.t.EndLine(def))
	p.Line, p.Col = e.place(at)
	p.Signature = p.Name
	p.Traits |= facts.TraitSynthetic | facts.TraitFileScoped
	return r
}

// nestRoutes adds the routes that the decorators of a method tell.
func (e *extractor) nestRoutes(class, method facts.DeclID, decorators []syntax.ID, prefix string) {
	for _, c := range decorators {
		name, path, ok := e.decoratorCall(c)
		m := nestMethods[name]
		if !ok || m == "" {
			continue
		}
		full := "/" + strings.Trim(strings.Trim(prefix, "/")+"/"+strings.Trim(path, "/"), "/")
		r := e.addRoute(m+" "+full, c, c)
		e.b.Decls[r].Parent = method
		e.b.Decls[r].Traits &^= facts.TraitFileScoped
	}
}

// decoratorCall returns the name of a decorator that is called, and its argument
// if that is a string.
func (e *extractor) decoratorCall(i syntax.ID) (name, arg string, ok bool) {
	c := e.t.FirstNamed(i)
	if !e.is(c, classCall) {
		return "", "", false
	}
	fn, args := e.child(c, e.f.function), e.child(c, e.f.arguments)
	if !e.is(fn, classIdentifier) || !e.is(args, classArguments) {
		return "", "", false
	}
	if a := e.t.FirstNamed(args); e.is(a, classString) {
		arg = string(e.unquoted(a))
	} else if a != syntax.None {
		return e.t.String(fn), "", e.class(a) != classObject
	}
	return e.t.String(fn), arg, true
}

// controllerPath returns the path that a class is decorated with, false if it is
// no controller.
func (e *extractor) controllerPath(decorators []syntax.ID) (string, bool) {
	for _, c := range decorators {
		if name, path, _ := e.decoratorCall(c); name == "Controller" {
			return path, true
		}
	}
	return "", false
}
