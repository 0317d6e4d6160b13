package python

import (
	"strconv"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// Who starts a function besides the code that calls it: test runners, web
// frameworks, command lines, task queues.

// roles sets the flags that names and decorators stand for.
func (e *extractor) roles(d facts.DeclID, marks []mark, name string, cls *classInfo) {
	p := &e.b.Decls[d]
	if (strings.HasPrefix(name, "test_") || name == "test" || cls != nil && strings.HasPrefix(name, "test")) && (cls == nil || cls.test) &&
		!has(marks, "fixture") {
		p.Flags |= graph.FlagTest | graph.FlagTestCase
	}
	if cls != nil && cls.test {
		switch name {
		case "setUp", "tearDown", "setUpClass", "tearDownClass", "setup_method", "teardown_method", "setup_class", "teardown_class", "asyncSetUp", "asyncTearDown":
			p.Flags |= graph.FlagTest | graph.FlagTestCase | graph.FlagOnLoad
		}
	}
	if cls == nil {
		switch name {
		case "setup_module", "teardown_module", "setup_function", "teardown_function":
			p.Flags |= graph.FlagTest | graph.FlagTestCase | graph.FlagOnLoad
		}
	}
	for _, m := range marks {
		switch m.last {
		case "command", "group", "callback", "task", "shared_task", "receiver", "register", "app_errorhandler", "errorhandler",
			"before_request", "after_request", "teardown_request", "teardown_appcontext", "context_processor", "on_event",
			"exception_handler", "middleware", "hookimpl", "simple_tag", "filter":
			if strings.Contains(m.name, ".") || m.last == "shared_task" || m.last == "receiver" || m.last == "hookimpl" || m.last == "task" {
				p.Flags |= graph.FlagEntryPoint
			}
		}
	}
}

var httpMethods = map[string]string{"get": "GET", "post": "POST", "put": "PUT", "delete": "DELETE", "patch": "PATCH",
	"head": "HEAD", "options": "OPTIONS", "route": "", "websocket": "WS", "api_route": ""}

// routes adds the routes that decorators register a function for. What a test
// registers for itself is nobody else's.
func (e *extractor) routes(d facts.DeclID, marks []mark) {
	own := false
	for outer := e.b.Decls[d].Parent; outer != none; outer = e.b.Decls[outer].Parent {
		p := &e.b.Decls[outer]
		own = own || p.Kind.IsCallable() && strings.HasPrefix(e.b.Strings[p.Name], "test")
	}
	for _, m := range marks {
		method, ok := httpMethods[m.last]
		if !ok || !strings.Contains(m.name, ".") || e.class(m.node) != classCall {
			continue
		}
		path := ""
		args := e.child(m.node, fieldArguments)
		if args == syntax.None {
			continue
		}
		first := e.t.FirstNamed(args)
		if first == syntax.None {
			continue
		}
		if path, ok = e.constant(first); !ok || path != "" && path[0] != '/' {
			continue
		}
		path = e.routePrefix(m.name) + path
		var methods []string
		for c := range e.t.NamedChildren(args) {
			if e.class(c) != classKeywordArgument || string(e.t.Text(e.child(c, fieldName))) != "methods" {
				continue
			}
			if v := e.child(c, fieldValue); v != syntax.None {
				for k := range e.t.NamedChildren(v) {
					if s, ok := e.constant(k); ok {
						methods = append(methods, strings.ToUpper(s))
					}
				}
			}
		}
		if method == "" {
			method = "GET"
			if len(methods) > 0 {
				method = strings.Join(methods, ",")
			}
		}
		if method == "WS" {
			method = "WEBSOCKET"
		}
		e.b.Decls[d].Flags |= graph.FlagEntryPoint
		r := e.b.AddDecl(graph.KindRoute, e.b.InternString(method+" "+path), d)
		p := &e.b.Decls[r]
		if own {
			p.Traits |= facts.TraitLocal
		} else {
			e.routeApart(r)
		}
		p.Line, p.Col = e.place(first)
		p.DefLine, p.EndLine = p.Line, p.Line
		p.Flags = graph.FlagEntryPoint
		e.b.EndDecl(r)
	}
}

// routeApart gives a route another key than those of its name in the file have.
func (e *extractor) routeApart(r facts.DeclID) {
	p := &e.b.Decls[r]
	key := repeated{none, p.Name, 0}
	if e.repeats[key]++; e.repeats[key] > 1 {
		p.Shape = e.b.InternString("~" + strconv.Itoa(e.repeats[key]))
	}
}
