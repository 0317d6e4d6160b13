package golang

import (
	"strconv"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// Routes and requests of HTTP: what net/http's ServeMux, gorilla/mux, chi, gin,
// echo, fiber and httprouter are told by calls, and what net/http and httptest
// send. A route is named by its method and pattern; the value of its declaration
// is the handler.

// verbs are the methods of HTTP as routers of one style name them; others
// capitalise them only.
var verbs = map[string]string{"GET": "GET", "POST": "POST", "PUT": "PUT", "PATCH": "PATCH", "DELETE": "DELETE", "HEAD": "HEAD", "OPTIONS": "OPTIONS", "Any": "ANY"}

var titleVerbs = map[string]string{"Get": "GET", "Post": "POST", "Put": "PUT", "Patch": "PATCH", "Delete": "DELETE", "Head": "HEAD", "Options": "OPTIONS", "All": "ANY"}

// titleRouters are packages with routers whose methods are named as in titleVerbs.
var titleRouters = []string{"/chi", "/fiber", "/pat", "/flamego", "/bunrouter", "/web"}

// requestArgs are the functions of net/http and httptest that send or make
// requests: the positions of the method, or -1, and of the address.
var requestArgs = map[string]struct {
	verb        string
	method, url int
}{
	"Get": {"GET", -1, 0}, "Head": {"HEAD", -1, 0}, "Post": {"POST", -1, 0}, "PostForm": {"POST", -1, 0},
	"NewRequest": {"", 0, 1}, "NewRequestWithContext": {"", 1, 2},
}

const (
	maxURL        = 128 // nodes of an address that is read
	maxPath       = 512 // bytes of a path that is kept
	maxRoutes     = 1 << 12
	maxPrefixes   = 16 // prefixes inside of each other
	maxRouterArgs = 4  // arguments of which one may be a router
)

// webState is what is kept of a file's routers.
type webState struct {
	groups map[facts.ExprID]string // the prefixes of routers that calls return
	prefix []string                // of the function literals that are open
	named  map[string]int          // how often a route of a name was declared
	mounts int

	messaging int8 // whether the file may know of messages: 1 yes, 2 no, 0 not asked
}

// beginRoute notes that the arguments of a call are read whose routes have a
// prefix: r.Route("/x", func(r chi.Router) { … }).
func (e *extractor) beginRoute(function, args syntax.ID) bool {
	if function == syntax.None || args == syntax.None || classOf(e.nodes[function].Kind) != classSelector {
		return false
	}
	if f := e.child(function, fieldField); f == syntax.None || string(e.t.Text(f)) != "Route" {
		return false
	}
	first := e.t.FirstNamed(args)
	p, ok := e.stringLiteral(first)
	if !ok || !strings.HasPrefix(p, "/") || len(e.web.prefix) >= maxPrefixes {
		return false
	}
	e.web.prefix = append(e.web.prefix, strings.TrimSuffix(p, "/"))
	return true
}

// webCall notes what the call at node i, whose callee is x and whose arguments
// are ids, tells a router, or that it sends a request.
func (e *extractor) webCall(i, function, args syntax.ID, x facts.ExprID, ids []int32) {
	if len(ids) == 0 {
		return
	}
	for _, id := range ids[:min(len(ids), maxRouterArgs)] {
		// A router that is given to a function, which adds its routes.
		if p := e.prefixOf(facts.ExprID(id)); p != "" {
			e.mount(i, function, strings.Join(e.web.prefix, "")+p, x)
			break
		}
	}
	if classOf(e.nodes[function].Kind) != classSelector {
		return
	}
	field := e.child(function, fieldField)
	if field == syntax.None || e.nodes[field].End-e.nodes[field].Start > 24 {
		return
	}
	e.message(field, args, ids)
	name := string(e.t.Text(field))
	if r, ok := requestArgs[name]; ok && e.requests(function, name) {
		e.request(field, args, r.verb, r.method, r.url, e.child(function, fieldOperand))
		return
	}
	if len(ids) < 2 {
		return
	}
	first := e.t.FirstNamed(args)
	switch verb := verbs[name]; {
	case name == "Mount" && len(ids) == 2:
		if p, ok := e.stringLiteral(first); ok && strings.HasPrefix(p, "/") {
			e.mount(i, first, strings.Join(e.web.prefix, "")+e.routerPrefix(x)+p, facts.ExprID(ids[1]))
		}
	case verb != "", titleVerbs[name] != "" && e.importsLike(titleRouters):
		if verb == "" {
			verb = titleVerbs[name]
		}
		e.route(i, first, verb, first, x, ids)
	case name == "HandleFunc" || name == "Handle" || name == "Method" || name == "MethodFunc":
		s, ok := e.stringLiteral(first)
		if !ok {
			return
		}
		if len(ids) > 2 { // Handle("GET", "/x", …)
			if second := e.nodes[first].Next; verbs[s] != "" {
				for second < e.nodes[args].Next && !e.nodes[second].Named() {
					second = e.nodes[second].Next
				}
				e.route(i, first, s, second, x, ids)
			}
			return
		}
		e.route(i, first, e.methodsOf(i), first, x, ids)
	}
}

// group notes the prefix of the router that a call returns.
func (e *extractor) group(function, args syntax.ID, x, call facts.ExprID) {
	if function == syntax.None || args == syntax.None || classOf(e.nodes[function].Kind) != classSelector {
		return
	}
	field := e.child(function, fieldField)
	if field == syntax.None {
		return
	}
	before := e.routerPrefix(x)
	switch string(e.t.Text(field)) {
	case "Group", "PathPrefix":
		p, ok := e.stringLiteral(e.t.FirstNamed(args))
		if !ok {
			return
		}
		before += strings.TrimSuffix("/"+strings.TrimPrefix(p, "/"), "/")
	case "Subrouter":
	default:
		return
	}
	if before != "" && len(before) <= maxPath && len(e.web.groups) < maxRoutes {
		if e.web.groups == nil {
			e.web.groups = map[facts.ExprID]string{}
		}
		e.web.groups[call] = before
	}
}

// routerPrefix returns the prefix of the router that the callee x is a method
// of.
func (e *extractor) routerPrefix(x facts.ExprID) string {
	if len(e.web.groups) == 0 || e.b.Exprs[x].Op != facts.OpSelect {
		return ""
	}
	return e.prefixOf(e.b.Exprs[x].X)
}

// prefixOf returns the prefix of a router.
func (e *extractor) prefixOf(on facts.ExprID) string {
	if len(e.web.groups) == 0 {
		return ""
	}
	if o := &e.b.Exprs[on]; o.Op == facts.OpName && o.Flags&facts.FlagLocal != 0 {
		if on = e.b.Locals[o.X].Value; on == none {
			return ""
		}
	}
	return e.web.groups[on]
}

// mount adds that a router, or the routes that a function adds, are at a path.
func (e *extractor) mount(i, at syntax.ID, path string, router facts.ExprID) {
	if len(path) > maxPath || e.web.mounts >= maxRoutes {
		return
	}
	e.web.mounts++
	r := e.b.AddDecl(graph.KindRoute, e.b.InternString(facts.VerbMount+" "+path), none)
	d := &e.b.Decls[r]
	d.DefLine, d.EndLine = int32(e.t.Line(i)), int32(e.t.EndLine(i))
	d.Line, d.Col = e.place(at)
	d.Signature, d.Value = d.Name, router
	d.Traits |= facts.TraitSynthetic | facts.TraitFileScoped | facts.TraitLocal
	e.b.EndDecl(r)
}

// route adds a route.
func (e *extractor) route(i, at syntax.ID, verb string, path syntax.ID, x facts.ExprID, ids []int32) {
	p, ok := e.stringLiteral(path)
	if !ok {
		return
	}
	if method, rest, spaced := strings.Cut(p, " "); spaced && verbs[method] != "" { // "GET /x"
		verb, p = method, strings.TrimLeft(rest, " ")
	}
	if j := strings.IndexByte(p, '/'); j > 0 && strings.Contains(p[:j], ".") {
		p = p[j:] // a host
	}
	prefix := strings.Join(e.web.prefix, "") + e.routerPrefix(x)
	if !strings.HasPrefix(p, "/") && (p != "" || prefix == "") || len(prefix)+len(p) > maxPath || len(e.web.named) >= maxRoutes {
		return
	}
	name := verb + " " + prefix + p
	r := e.b.AddDecl(graph.KindRoute, e.b.InternString(name), none)
	d := &e.b.Decls[r]
	d.DefLine, d.EndLine = int32(e.t.Line(i)), int32(e.t.EndLine(i))
	d.Line, d.Col = e.place(at)
	d.Signature = d.Name
	d.Traits |= facts.TraitSynthetic | facts.TraitFileScoped
	d.Value = facts.ExprID(ids[len(ids)-1])
	e.b.EndDecl(r)
	for o := e.owner; o != none; o = e.b.Decls[o].Parent {
		if s := e.b.Strings[e.b.Decls[o].Name]; strings.HasPrefix(s, "Test") || strings.HasPrefix(s, "Benchmark") || strings.HasPrefix(s, "Example") || strings.HasPrefix(s, "Fuzz") {
			d.Traits |= facts.TraitLocal // what a test registers for itself is nobody else's
		}
	}
	if d.Traits&facts.TraitLocal != 0 {
		return
	}
	if e.web.named == nil {
		e.web.named = map[string]int{}
	}
	if e.web.named[name]++; e.web.named[name] > 1 {
		d.Shape = e.b.InternString("~" + strconv.Itoa(e.web.named[name]))
	}
}

// methodsOf returns the methods that a call of Methods says about the route that
// the call at node i makes; ANY if there is none.
func (e *extractor) methodsOf(i syntax.ID) string {
	sel := e.nodes[i].Parent
	if sel < 0 || classOf(e.nodes[sel].Kind) != classSelector || e.child(sel, fieldOperand) != i {
		return "ANY"
	}
	call, field := e.nodes[sel].Parent, e.child(sel, fieldField)
	if call < 0 || field == syntax.None || classOf(e.nodes[call].Kind) != classCall || string(e.t.Text(field)) != "Methods" {
		return "ANY"
	}
	var methods []string
	if args := e.child(call, fieldArguments); args != syntax.None {
		for c := range e.t.NamedChildren(args) {
			if m := e.method(c); m != "" {
				methods = append(methods, m)
			}
		}
	}
	if methods == nil {
		return "ANY"
	}
	return strings.Join(methods, ",")
}

// requests reports whether a selection is that of a function of net/http or
// httptest, or of a method of the same name of a client, as far as the file
// shows.
func (e *extractor) requests(function syntax.ID, name string) bool {
	on := e.child(function, fieldOperand)
	if on == syntax.None || e.nodes[on].End-e.nodes[on].Start > 60 {
		return false
	}
	s := string(e.t.Text(on))
	path := e.importOf(s)
	if path != "" {
		return path == "net/http" && name != "" || path == "net/http/httptest" && strings.HasPrefix(name, "New")
	}
	lower := strings.ToLower(s)
	return !strings.HasPrefix(name, "New") && e.importsLike([]string{"net/http"}) && (strings.HasSuffix(lower, "client") || strings.HasSuffix(lower, "client()"))
}

// importOf returns the path of the import that a name stands for.
func (e *extractor) importOf(name string) string {
	for k := range e.b.Imports {
		im := &e.b.Imports[k]
		p := e.b.Strings[im.Path]
		if a := e.b.Strings[im.Alias]; a == name || a == "" && p[strings.LastIndexByte(p, '/')+1:] == name {
			return p
		}
	}
	return ""
}

// importsLike reports whether the file imports a package whose path has one of
// the endings, a major version left out.
func (e *extractor) importsLike(ends []string) bool {
	for k := range e.b.Imports {
		p := e.b.Strings[e.b.Imports[k].Path]
		if j := strings.LastIndex(p, "/v"); j > 0 && j+2 < len(p) && strings.Trim(p[j+2:], "0123456789") == "" {
			p = p[:j]
		}
		for _, s := range ends {
			if strings.HasSuffix(p, s) {
				return true
			}
		}
	}
	return false
}

func (e *extractor) request(at, args syntax.ID, verb string, method, url int, on syntax.ID) {
	n, address := 0, ""
	for c := range e.t.NamedChildren(args) {
		switch n {
		case method:
			verb = e.method(c)
		case url:
			address = e.address(c)
		}
		n++
	}
	if e.importOf(string(e.t.Text(on))) == "net/http/httptest" || strings.HasPrefix(address, "/") { // without a host it is sent nowhere
		address = facts.RequestInside + address
	}
	line, col := e.place(at)
	e.b.AddRequest(e.owner, verb, address, line, col)
}

// method returns the method of HTTP that an expression is: a string, or one of
// net/http's constants.
func (e *extractor) method(i syntax.ID) string {
	if s, ok := e.stringLiteral(i); ok {
		if s == "" {
			return "GET"
		}
		return s
	}
	s := string(e.t.Text(i))
	if j := strings.LastIndexByte(s, '.'); j > 0 && strings.HasPrefix(s[j+1:], "Method") && len(s) < 40 {
		return strings.ToUpper(s[j+1+len("Method"):])
	}
	return ""
}

func (e *extractor) stringLiteral(i syntax.ID) (string, bool) {
	if i == syntax.None || classOf(e.nodes[i].Kind) != classString || e.nodes[i].End-e.nodes[i].Start > 512 {
		return "", false
	}
	s, err := strconv.Unquote(string(e.t.Text(i)))
	return s, err == nil
}

// address returns what is known of a string, {} for what is not.
func (e *extractor) address(i syntax.ID) string {
	if i == syntax.None || e.nodes[i].Next-i > maxURL {
		return "{}"
	}
	if s, ok := e.stringLiteral(i); ok {
		return s
	}
	switch classOf(e.nodes[i].Kind) {
	case classParen:
		return e.address(e.t.FirstNamed(i))
	case classBinary:
		if op := e.child(i, fieldOperator); op != syntax.None && string(e.t.Text(op)) == "+" {
			return e.address(e.child(i, fieldLeft)) + e.address(e.child(i, fieldRight))
		}
	case classCall:
		fn, args := e.child(i, fieldFunction), e.child(i, fieldArguments)
		if fn != syntax.None && args != syntax.None && string(e.t.Text(fn)) == "fmt.Sprintf" {
			return facts.Verbs(e.address(e.t.FirstNamed(args)))
		}
	}
	return "{}"
}
