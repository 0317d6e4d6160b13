package python

import (
	"slices"
	"strconv"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// Who starts a function besides the code that calls it: test runners, web
// frameworks, command lines, task queues.

// roles sets the flags that names and decorators stand for. A method is a test if a
// runner looks into its class, or into one that inherits it, which other files tell.
func (e *extractor) roles(d facts.DeclID, marks []mark, name string, cls *classInfo) {
	p := &e.b.Decls[d]
	if strings.HasPrefix(name, "test") && !has(marks, "fixture", "yield_fixture") && p.Traits&facts.TraitAccessor == 0 {
		p.Flags |= graph.FlagTest | graph.FlagTestCase
	}
	if cls != nil {
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
	if cls != nil && slices.ContainsFunc(cls.bases, func(base string) bool { return runs(base, name) }) {
		p.Flags |= graph.FlagEntryPoint
	}
	for _, m := range marks {
		switch m.last {
		case "command", "group", "callback", "task", "shared_task", "receiver", "register", "app_errorhandler", "errorhandler",
			"before_request", "after_request", "teardown_request", "teardown_appcontext", "context_processor", "on_event",
			"exception_handler", "middleware", "hookimpl", "simple_tag", "filter", "action", "display":
			if strings.Contains(m.name, ".") || m.last == "shared_task" || m.last == "receiver" || m.last == "hookimpl" || m.last == "task" {
				p.Flags |= graph.FlagEntryPoint
			}
		}
	}
}

// runs reports whether a framework runs the methods of a name of classes with a
// base: views of Django, its REST framework and Flask, and commands of Django.
func runs(base, method string) bool {
	switch {
	case strings.HasSuffix(base, "View") || strings.HasSuffix(base, "ViewSet"):
		switch method {
		case "get", "post", "put", "patch", "delete", "head", "options", "trace", "dispatch_request":
			return true
		case "list", "create", "retrieve", "update", "partial_update", "destroy":
			return strings.HasSuffix(base, "ViewSet")
		}
	case base == "BaseCommand":
		return method == "handle" || method == "add_arguments"
	}
	return false
}

// classRoles sets the flags that the decorators of a class stand for: it is made
// known to a framework.
func (e *extractor) classRoles(d facts.DeclID, marks []mark) {
	for _, m := range marks {
		if m.last == "register" && strings.Contains(m.name, ".") {
			e.b.Decls[d].Flags |= graph.FlagEntryPoint
		}
	}
}

// route is one that a call makes known.
type route struct {
	name    string
	at      syntax.ID
	handler facts.ExprID
	own     bool   // of a test, for itself
	prefix  string // what all routes of its router begin with
}

// routeCall notes the route that a call makes known: path and re_path of Django,
// and the methods of Flask and FastAPI that do what their decorators do. ids are
// the arguments.
func (e *extractor) routeCall(fn, args syntax.ID, ids []int32) {
	if args == syntax.None || len(ids) == 0 {
		return
	}
	handlers, at := []string{"view"}, 1
	method := "ANY"
	switch e.class(fn) {
	case classIdentifier:
		switch string(e.t.Text(fn)) {
		case "path", "re_path", "url":
		default:
			return
		}
		im, ok := e.scopes[0].imported[e.str(fn)]
		if !ok || !strings.HasPrefix(e.b.Strings[e.b.Imports[im].Path], "django.") {
			return
		}
	case classAttribute:
		switch string(e.t.Text(e.child(fn, fieldAttribute))) {
		case "add_url_rule":
			handlers, at, method = []string{"view_func"}, 2, "GET"
		case "include_router", "register_blueprint":
			e.mount(fn, args, ids)
			return
		case "add_api_route":
			handlers, method = []string{"endpoint"}, "GET"
		default:
			return
		}
	default:
		return
	}
	first := e.t.FirstNamed(args)
	path, ok := e.constant(first)
	if !ok || method == "GET" && !strings.HasPrefix(path, "/") {
		return
	}
	h := facts.ExprID(none)
	for i, id := range ids {
		switch x := &e.b.Exprs[id]; {
		case x.Op == facts.OpKeyword:
			if slices.Contains(handlers, e.b.Strings[x.Name]) {
				h = x.X
			}
		case i == at:
			h = facts.ExprID(id)
		}
	}
	if h == none {
		return
	}
	// View.as_view() stands for the class.
	if x := &e.b.Exprs[h]; x.Op == facts.OpCall && x.X >= 0 && e.b.Exprs[x.X].Op == facts.OpSelect && e.b.Strings[e.b.Exprs[x.X].Name] == "as_view" {
		h = e.b.Exprs[x.X].X
	}
	if x := &e.b.Exprs[h]; x.Op != facts.OpName && x.Op != facts.OpSelect {
		return
	}
	path = "/" + strings.TrimPrefix(path, "/")
	own := ""
	if method == "GET" {
		method, own = e.methods(args), e.routePrefix(e.t.String(fn))
		path = own + path
	}
	e.pending = append(e.pending, route{method + " " + path, first, h, e.inTest(e.owner), own})
}

// mount notes that a call mounts a router or blueprint, its first argument, at the
// path that it names.
func (e *extractor) mount(fn, args syntax.ID, ids []int32) {
	router := e.b.Exprs[ids[0]].Op
	if router != facts.OpName && router != facts.OpSelect {
		return
	}
	path, at, verb := "/", e.t.FirstNamed(args), facts.VerbMount
	for c := range e.t.NamedChildren(args) {
		if e.class(c) != classKeywordArgument {
			continue
		}
		switch name := string(e.t.Text(e.child(c, fieldName))); name {
		case "prefix", "url_prefix":
			v, ok := e.child(c, fieldValue), false
			if v == syntax.None {
				return
			}
			if path, ok = e.constant(v); !ok || !strings.HasPrefix(path, "/") {
				return
			}
			at = v
			if name == "url_prefix" { // Flask takes it for that of the blueprint
				verb = facts.VerbMountAs
			}
		}
	}
	own := e.routePrefix(e.t.String(fn))
	e.pending = append(e.pending, route{name: verb + " " + own + path, at: at, handler: facts.ExprID(ids[0]), own: true, prefix: own})
}

// addRoutes adds the routes that calls made known.
func (e *extractor) addRoutes() {
	for _, p := range e.pending {
		r := e.b.AddDecl(graph.KindRoute, e.b.InternString(p.name), none)
		d := &e.b.Decls[r]
		d.Line, d.Col = e.place(p.at)
		d.DefLine, d.EndLine = d.Line, d.Line
		if p.prefix != "" {
			d.Type = e.prefixed(p.prefix)
			d = &e.b.Decls[r]
		}
		d.Flags, d.Traits, d.Value = graph.FlagEntryPoint, facts.TraitSynthetic|facts.TraitFileScoped, p.handler
		if p.own {
			d.Traits |= facts.TraitLocal
		} else {
			e.routeApart(r)
		}
	}
}

// prefixed adds the text that all routes of a router begin with.
func (e *extractor) prefixed(prefix string) facts.ExprID {
	return e.b.AddText(prefix)
}

var httpMethods = map[string]string{"get": "GET", "post": "POST", "put": "PUT", "delete": "DELETE", "patch": "PATCH",
	"head": "HEAD", "options": "OPTIONS", "route": "", "websocket": "WS", "api_route": ""}

// routes adds the routes that decorators register a function for. What a test
// registers for itself is nobody else's.
func (e *extractor) routes(d facts.DeclID, marks []mark) {
	own := e.inTest(e.b.Decls[d].Parent)
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
		prefix := e.routePrefix(m.name)
		path = prefix + path
		if method == "" {
			method = e.methods(args)
		}
		if method == "WS" {
			method = "WEBSOCKET"
		}
		e.b.Decls[d].Flags |= graph.FlagEntryPoint
		r := e.b.AddDecl(graph.KindRoute, e.b.InternString(method+" "+path), d)
		if prefix != "" {
			e.b.Decls[r].Type = e.prefixed(prefix)
		}
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

// methods returns the methods that the arguments of a registration name; GET if
// they name none.
func (e *extractor) methods(args syntax.ID) string {
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
	if methods == nil {
		return "GET"
	}
	return strings.Join(methods, ",")
}

// inTest reports whether a declaration is a test or is inside of one, by its
// name.
func (e *extractor) inTest(d facts.DeclID) bool {
	for ; d != none; d = e.b.Decls[d].Parent {
		if p := &e.b.Decls[d]; p.Kind.IsCallable() && strings.HasPrefix(e.b.Strings[p.Name], "test") {
			return true
		}
	}
	return false
}

// routeApart gives a route another key than those of its name in the file have.
func (e *extractor) routeApart(r facts.DeclID) {
	p := &e.b.Decls[r]
	key := repeated{none, p.Name, 0}
	if e.repeats[key]++; e.repeats[key] > 1 {
		p.Shape = e.b.InternString("~" + strconv.Itoa(e.repeats[key]))
	}
}
