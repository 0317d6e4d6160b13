package java

import (
	"bytes"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/link"
	"github.com/codekg/kg/analyzer/syntax"
)

// What containers hand out: Spring's, those of Jakarta EE and CDI, Guice and Dagger.

// injects are the annotations by which a container or a test's extension sets a field.
var injects = []string{"Autowired", "Inject", "Resource", "EJB", "PersistenceContext", "Mock", "InjectMocks", "MockBean", "MockitoBean", "SpyBean", "Spy"}

var wiring = &link.Wiring{
	Managed: []string{"Component", "Service", "Repository", "Controller", "RestController", "Configuration", "ControllerAdvice", "RestControllerAdvice",
		"SpringBootApplication", "Named", "ApplicationScoped", "RequestScoped", "SessionScoped", "Dependent", "Singleton", "Stateless", "Stateful", "MessageDriven"},
	Points: []string{"Autowired", "Inject", "Resource", "EJB"},
	Makes: []string{"org.springframework.context.annotation.Bean", "javax.enterprise.inject.Produces", "jakarta.enterprise.inject.Produces",
		"io.micronaut.context.annotation.Bean", "com.google.inject.Provides", "dagger.Provides"},
	Conditions: append([]string{"Conditional*", "DefaultBean", "Alternative", "Fallback", "Secondary"}, surroundings...),
	Names:      beanNames,
	First:      "Primary",
	Holders: []string{"java.util.Optional", "javax.inject.Provider", "jakarta.inject.Provider", "com.google.inject.Provider", "dagger.Lazy",
		"org.springframework.beans.factory.ObjectProvider", "org.springframework.beans.factory.ObjectFactory"},
	All: []string{"java.util.List", "java.util.Set", "java.util.Collection", "java.util.Map", "java.lang.Iterable", "java.util.stream.Stream",
		"javax.enterprise.inject.Instance", "jakarta.enterprise.inject.Instance"},
}

// beanNames are the annotations that name what is handed out, or asked for.
var beanNames = []string{"Qualifier", "Named", "Resource"}

// namesBeans reports whether the text in an annotation of the name is that of what
// a container makes or hands out.
func namesBeans(name string) bool {
	switch name {
	case "Qualifier", "Named", "Resource", "Bean", "Component", "Service", "Repository", "Controller", "RestController", "Configuration":
		return true
	}
	return false
}

// surroundings are the annotations whose conditions are those of where a program
// runs, or of how it is built.
var surroundings = []string{"Profile", "Requires", "IfBuildProfile", "UnlessBuildProfile", "IfBuildProperty", "UnlessBuildProperty",
	"LookupIfProperty", "LookupUnlessProperty"}

// settled returns the text of the annotation at node i, with the name x, if it is a
// condition that is the same for all that have it; 0 if it is none, or asks what
// else there is.
func (e *extractor) settled(i syntax.ID, x facts.ExprID) facts.Str {
	name := e.b.Strings[e.b.Exprs[x].Name]
	if !slices.Contains(surroundings, name) && !(strings.HasPrefix(name, "Conditional") && !strings.Contains(name, "Bean") && !strings.Contains(name, "Candidate")) {
		return 0
	}
	text := e.t.Text(i)
	if len(text) > maxText {
		return 0
	}
	return e.b.Intern(bytes.Join(bytes.Fields(text), nil))
}
