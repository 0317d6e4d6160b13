package java

import (
	"slices"
	"strconv"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// What frameworks do with annotated declarations, as far as a file shows it:
// runners start tests, containers call handlers, listeners and jobs.

var (
	junit  = []string{"org.junit.", "org.testng.", "net.jqwik.", "io.micronaut.test.", "com.pholser."}
	spring = []string{"org.springframework."}
	rest   = []string{"javax.ws.rs.", "jakarta.ws.rs."}
)

// testMarks are the annotations of methods that a runner starts.
var testMarks = []string{"Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Theory", "Property"}

// entryMarks are the annotations of methods that a container calls, with the
// packages that they come from.
var entryMarks = map[string][]string{
	"Scheduled": {"org.springframework.", "io.quarkus.", "io.micronaut."}, "EventListener": spring, "TransactionalEventListener": spring,
	"KafkaListener": spring, "RabbitListener": {"org.springframework."}, "JmsListener": spring, "SqsListener": {"io.awspring.", "org.springframework."},
	"StreamListener": spring, "ServiceActivator": spring, "MessageMapping": spring, "ExceptionHandler": spring, "Bean": spring,
	"InitBinder": spring, "ModelAttribute": spring, "ManagedOperation": spring, "AfterReturning": {"org.aspectj."}, "Around": {"org.aspectj."},
	"Before": {"org.aspectj."}, "After": {"org.aspectj."}, "PostConstruct": {"javax.annotation.", "jakarta.annotation."},
	"PreDestroy": {"javax.annotation.", "jakarta.annotation."}, "Schedule": {"javax.ejb.", "jakarta.ejb."},
	"Timeout": {"javax.ejb.", "jakarta.ejb."}, "Observes": {"javax.enterprise.", "jakarta.enterprise."}, "ObservesAsync": {"javax.enterprise.", "jakarta.enterprise."},
	"RabbitHandler": spring, "KafkaHandler": spring, "PulsarListener": spring, "SubscribeMapping": spring,
	"PrePersist": {"javax.persistence.", "jakarta.persistence."}, "PostLoad": {"javax.persistence.", "jakarta.persistence."},
	"PreUpdate": {"javax.persistence.", "jakarta.persistence."}, "PostPersist": {"javax.persistence.", "jakarta.persistence."},
	"BeforeExperiment": {"com.google.caliper."}, "AfterExperiment": {"com.google.caliper."}, "Benchmark": {"com.google.caliper.", "org.openjdk.jmh."},
	"Setup": {"org.openjdk.jmh."}, "TearDown": {"org.openjdk.jmh."},
	"Subscribe": {"com.google.common.eventbus.", "org.greenrobot."}, "Incoming": {"org.eclipse.microprofile."},
}

// entryMethods are the methods of interfaces that a container calls, with the
// interfaces and the packages that these come from.
var entryMethods = []struct{ name, of, from string }{
	{"run", "CommandLineRunner", "org.springframework."}, {"run", "ApplicationRunner", "org.springframework."},
	{"onApplicationEvent", "ApplicationListener", "org.springframework."}, {"onMessage", "MessageListener", ""}, {"execute", "Job", "org.quartz."},
}

// aroundTests are the annotations of TestNG for methods that run beside tests.
var aroundTests = []string{"BeforeMethod", "AfterMethod", "BeforeClass", "AfterClass", "BeforeTest", "AfterTest", "BeforeSuite", "AfterSuite",
	"BeforeGroups", "AfterGroups", "DataProvider", "Factory", "Ignore"}

// serialHooks are the methods that the runtime calls to write and read objects.
var serialHooks = map[string]bool{"writeReplace": true, "readResolve": true, "writeObject": true, "readObject": true, "readObjectNoData": true}

// roles marks methods that something outside of the program starts.
func (e *extractor) roles(d facts.DeclID, m marks, name string) {
	p := &e.b.Decls[d]
	for _, t := range testMarks {
		if m.has(t) != nil && e.from(t, junit...) {
			p.Flags |= graph.FlagTestCase
		}
	}
	if strings.HasPrefix(name, "test") && p.Vis == graph.Public && p.Params.Len() == 0 && p.Results.Len() == 0 && e.oldTest() {
		p.Flags |= graph.FlagTestCase
	}
	o := e.outer()
	if o.marks.has("Test") != nil && e.from("Test", "org.testng.") && p.Vis == graph.Public && p.Results.Len() == 0 &&
		!p.Flags.Has(graph.FlagStatic) && m.has(aroundTests...) == nil {
		p.Flags |= graph.FlagTestCase // the annotation of a class is for its public methods
	}
	for _, i := range entryMethods {
		if i.name == name && (i.from == "" || e.from(i.of, i.from)) && e.implements(o, i.of) {
			p.Flags |= graph.FlagEntryPoint
		}
	}
	for k := range m {
		if from, ok := entryMarks[m[k].name]; ok && e.from(m[k].name, from...) {
			p.Flags |= graph.FlagEntryPoint
		}
	}
	if serialHooks[name] && p.Params.Len() <= 1 && !p.Flags.Has(graph.FlagStatic) {
		p.Flags |= graph.FlagCalledOutside
	}
	if name == "main" && p.Results.Len() == 0 {
		arguments := e.b.Strings[p.Shape] == "(String[])"
		if arguments && p.Flags.Has(graph.FlagStatic) && p.Vis != graph.Private || o.compactFile && (arguments || p.Params.Len() == 0) {
			p.Flags |= graph.FlagEntryPoint
		}
	}
}

// implements reports whether the text of a type names an interface of the given
// simple name.
func (e *extractor) implements(o *typeInfo, name string) bool {
	if o.node == syntax.None {
		return false
	}
	list := e.childOf(o.node, classInterfaces)
	if list == syntax.None {
		return false
	}
	for i := list; i < e.nodes[list].Next; i++ {
		if e.class(i) == classTypeName && string(e.t.Text(i)) == name {
			return true
		}
	}
	return false
}

// oldTest reports whether the open type is a test case of JUnit 3, as far as
// the file shows it: it extends a class whose name ends so.
func (e *extractor) oldTest() bool {
	o := e.outer()
	if o == nil || o.node == syntax.None {
		return false
	}
	s := e.child(o.node, fieldSuperclass)
	return s != syntax.None && strings.HasSuffix(strings.TrimSpace(e.t.String(s)), "TestCase")
}

// verbs are the annotations of handlers of HTTP requests with their methods.
var verbs = map[string]string{"GetMapping": "GET", "PostMapping": "POST", "PutMapping": "PUT", "DeleteMapping": "DELETE", "PatchMapping": "PATCH"}

var restVerbs = []string{"GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"}

// maxRoutes bounds the routes of one method.
const maxRoutes = 64

// routesOf adds the routes that method d handles.
func (e *extractor) routesOf(d facts.DeclID, m marks, i syntax.ID) {
	var methods []string
	var paths []string
	for k := range m {
		a := &m[k]
		verb, ok := verbs[a.name]
		switch {
		case ok && e.from(a.name, spring...):
			methods = append(methods, verb)
			paths = e.routesIn(a.node, "value", "path")
		case a.name == "RequestMapping" && e.from(a.name, spring...):
			methods = e.requestMethods(a.node)
			paths = e.routesIn(a.node, "value", "path")
		case e.from(a.name, rest...):
			for _, v := range restVerbs {
				if v == a.name {
					methods = append(methods, v)
				}
			}
		}
	}
	if len(methods) == 0 {
		return
	}
	if p := m.has("Path"); p != nil && e.from("Path", rest...) {
		paths = e.routesIn(p.node, "value")
	}
	if paths == nil {
		paths = []string{""}
	}
	prefixes := []string{""}
	if o := e.outer(); o != nil && len(o.routes) > 0 {
		prefixes = slices.Clone(o.routes)
	}
	sends := false
	if o := e.outer(); o != nil {
		var before []string
		if before, sends = e.clients(o.marks); sends {
			for i := range prefixes {
				prefixes[i] = joinPath(before[0], prefixes[i])
			}
		}
	}
	if !sends {
		e.b.Decls[d].Flags |= graph.FlagEntryPoint
	}
	n := 0
	for _, method := range methods {
		for _, prefix := range prefixes {
			for _, path := range paths {
				if n++; n > maxRoutes {
					return
				}
				if sends {
					if method == "ANY" {
						method = ""
					}
					e.b.AddRequest(d, method, joinPath(prefix, path), e.b.Decls[d].Line, e.b.Decls[d].Col)
					continue
				}
				e.route(d, i, method+" "+joinPath(prefix, path))
			}
		}
	}
}

// route adds a route that method d handles. What other declarations hold of its
// path are holes in its name, and the parts of its value; see hole.
func (e *extractor) route(d facts.DeclID, i syntax.ID, name string) {
	var holes []int32
	var b strings.Builder
	for rest := name; rest != ""; {
		before, after, ok := strings.Cut(rest, string(facts.Hole))
		b.WriteString(before)
		if !ok {
			break
		}
		id, after, _ := strings.Cut(after, string(facts.Hole))
		n, _ := strconv.Atoi(id)
		holes = append(holes, int32(n))
		b.WriteRune(facts.Hole)
		rest = after
	}
	r := e.b.AddDecl(graph.KindRoute, e.b.InternString(b.String()), d)
	if len(holes) > 0 {
		e.b.Decls[r].Value = e.b.AddExpr(facts.Expr{Op: facts.OpComposite, X: none, Y: none, Args: e.b.AddList(holes)})
	}
	p, q := &e.b.Decls[r], &e.b.Decls[d]
	p.DefLine, p.Line, p.Col, p.EndLine = q.DefLine, q.Line, q.Col, q.EndLine
	p.Signature = p.Name
	p.Traits |= facts.TraitSynthetic
	_ = i
}

func joinPath(prefix, path string) string {
	s := "/" + strings.Trim(prefix, "/") + "/" + strings.Trim(path, "/")
	s = "/" + strings.Trim(s, "/")
	return s
}

// routePaths returns the paths that the annotations of a type put before those
// of its methods.
func (e *extractor) routePaths(m marks, none []string) []string {
	if a := m.has("RequestMapping"); a != nil && e.from(a.name, spring...) {
		return e.routesIn(a.node, "value", "path")
	}
	if a := m.has("Path"); a != nil && e.from(a.name, rest...) {
		return e.routesIn(a.node, "value")
	}
	return none
}

// pathsIn returns the strings that an annotation gives to its value or one of
// the named elements; "?" stands for a path that the file does not show.
func (e *extractor) pathsIn(annotation syntax.ID, names ...string) []string {
	return e.pathTexts(annotation, e.pathText, names...)
}

// routesIn returns the same with holes; see hole.
func (e *extractor) routesIn(annotation syntax.ID, names ...string) []string {
	return e.pathTexts(annotation, e.holed, names...)
}

func (e *extractor) pathTexts(annotation syntax.ID, text func(syntax.ID) string, names ...string) []string {
	args := e.child(annotation, fieldArguments)
	if args == syntax.None {
		return nil
	}
	var out []string
	for c := range e.t.NamedChildren(args) {
		v := c
		if e.class(c) == classElementPair {
			key := e.t.String(e.child(c, fieldKey))
			ok := false
			for _, n := range names {
				ok = ok || key == n
			}
			if !ok {
				continue
			}
			v = e.child(c, fieldValue)
		}
		if v == syntax.None {
			continue
		}
		if e.class(v) == classElementArray {
			for x := range e.t.NamedChildren(v) {
				out = append(out, text(x))
			}
		} else {
			out = append(out, text(v))
		}
	}
	return out
}

func (e *extractor) pathText(v syntax.ID) string {
	if s, ok := e.stringValue(v); ok {
		return s
	}
	return "?"
}

// holed returns a string with a hole for each constant in it that another
// declaration holds: the expression of its value, between two marks.
func (e *extractor) holed(v syntax.ID) string {
	if s, ok := e.stringValue(v); ok || v == syntax.None {
		return s
	}
	if x, y := e.child(v, fieldLeft), e.child(v, fieldRight); e.class(v) == classBinary && e.nodes[v].Next-v <= 64 && x != syntax.None && y != syntax.None {
		return e.holed(x) + e.holed(y)
	}
	if x := e.constant(v); x != none {
		return string(facts.Hole) + strconv.Itoa(int(x)) + string(facts.Hole)
	}
	return "?"
}

// maxText bounds the strings of constants that facts keep.
const maxText = 256

// constant adds the value of a constant of strings as the text says it: literals,
// other constants, and what they add up to. It has no place in the source, and is
// None for all else.
func (e *extractor) constant(v syntax.ID) facts.ExprID {
	if v == syntax.None || e.nodes[v].Next-v > 64 {
		return none
	}
	switch e.class(v) {
	case classString:
		if s, ok := e.stringValue(v); ok && len(s) <= maxText {
			text := e.b.AddExpr(facts.Expr{Op: facts.OpNone, Name: e.b.InternString(s), X: none, Y: none})
			return e.b.AddExpr(facts.Expr{Op: facts.OpLiteral, Name: e.b.InternString("string"), X: text, Y: none})
		}
	case classIdentifier:
		return e.b.AddExpr(facts.Expr{Op: facts.OpName, Name: e.str(v), X: none, Y: none})
	case classField:
		f, object := e.child(v, fieldField), e.child(v, fieldObject)
		if f == syntax.None || object == syntax.None || e.class(f) != classIdentifier {
			return none
		}
		if x := e.constant(object); x != none && e.b.Exprs[x].Op != facts.OpLiteral {
			return e.b.AddExpr(facts.Expr{Op: facts.OpSelect, Name: e.str(f), X: x, Y: none})
		}
	case classBinary:
		if op := e.child(v, fieldOperator); op != syntax.None && e.t.String(op) == "+" {
			x := e.constant(e.child(v, fieldLeft))
			if x == none {
				return none
			}
			if y := e.constant(e.child(v, fieldRight)); y != none {
				return e.b.AddExpr(facts.Expr{Op: facts.OpBinary, Name: e.b.InternString("+"), X: x, Y: y})
			}
		}
	}
	return none
}

// stringValue returns the value of a string literal, of a constant of the type
// that is open, or of several that are added.
func (e *extractor) stringValue(v syntax.ID) (string, bool) {
	if v == syntax.None {
		return "", false
	}
	switch e.class(v) {
	case classString:
		s, err := strconv.Unquote(e.t.String(v))
		return s, err == nil && len(s) < 1<<10
	case classIdentifier:
		if o := e.outer(); o != nil {
			s, ok := o.holds[e.t.String(v)]
			return s, ok
		}
	case classBinary:
		if op := e.child(v, fieldOperator); op == syntax.None || e.t.String(op) != "+" || e.nodes[v].Next-v > 64 {
			return "", false
		}
		a, ok1 := e.stringValue(e.child(v, fieldLeft))
		b, ok2 := e.stringValue(e.child(v, fieldRight))
		return a + b, ok1 && ok2
	}
	return "", false
}

// requestMethods returns the methods that a request mapping names; ANY if it
// names none.
func (e *extractor) requestMethods(annotation syntax.ID) []string {
	var out []string
	if args := e.child(annotation, fieldArguments); args != syntax.None {
		for c := range e.t.NamedChildren(args) {
			if e.class(c) != classElementPair || e.t.String(e.child(c, fieldKey)) != "method" {
				continue
			}
			v := e.child(c, fieldValue)
			for x := v; x != syntax.None && x < e.nodes[v].Next; x++ {
				if e.class(x) == classIdentifier {
					if s := e.t.String(x); s == strings.ToUpper(s) && len(s) < 10 {
						out = append(out, s)
					}
				}
			}
		}
	}
	if out == nil {
		out = []string{"ANY"}
	}
	return out
}
