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

// calledRoute adds the route that a call tells: app.get("/path", …, handler).
func (e *extractor) calledRoute(i syntax.ID, call facts.ExprID) {
	fn, args := e.child(i, e.f.function), e.child(i, e.f.arguments)
	if !e.is(fn, classMember) || !e.is(args, classArguments) {
		return
	}
	method, ok := routeMethods[e.t.String(e.child(fn, e.f.property))]
	if !ok {
		return
	}
	on := e.child(fn, e.f.object)
	if e.is(on, classMember) {
		on = e.child(on, e.f.property)
	}
	if on == syntax.None || e.nodes[on].End-e.nodes[on].Start > 40 || !routers(e.t.String(on)) {
		return
	}
	first, last, n := syntax.ID(syntax.None), syntax.ID(syntax.None), 0
	for c := range e.t.NamedChildren(args) {
		if n == 0 {
			first = c
		}
		last = c
		n++
	}
	if n < 2 || !e.is(first, classString) {
		return
	}
	path := string(e.unquoted(first))
	if !strings.HasPrefix(path, "/") && path != "*" {
		return
	}
	handler := facts.ExprID(none)
	switch e.class(last) {
	case classIdentifier, classMember, classCall, classArray:
		list := e.b.List(e.b.Exprs[call].Args)
		handler = facts.ExprID(list[len(list)-1])
	case classArrow, classFunctionExpr:
	default:
		return
	}
	r := e.addRoute(method+" "+path, first, i)
	e.b.Decls[r].Value = handler
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
