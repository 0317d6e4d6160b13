package java

import "github.com/codekg/kg/analyzer/link"

// What containers hand out: Spring's, those of Jakarta EE and CDI, Guice and Dagger.

// injects are the annotations by which a container or a test's extension sets a field.
var injects = []string{"Autowired", "Inject", "Resource", "EJB", "PersistenceContext", "Mock", "InjectMocks", "MockBean", "MockitoBean", "SpyBean", "Spy"}

var wiring = &link.Wiring{
	Managed: []string{"Component", "Service", "Repository", "Controller", "RestController", "Configuration", "ControllerAdvice", "RestControllerAdvice",
		"SpringBootApplication", "Named", "ApplicationScoped", "RequestScoped", "SessionScoped", "Dependent", "Singleton", "Stateless", "Stateful", "MessageDriven"},
	Points: []string{"Autowired", "Inject", "Resource", "EJB"},
	Makes: []string{"org.springframework.context.annotation.Bean", "javax.enterprise.inject.Produces", "jakarta.enterprise.inject.Produces",
		"io.micronaut.context.annotation.Bean", "com.google.inject.Provides", "dagger.Provides"},
	Names: beanNames,
	First: "Primary",
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
