package java

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// standardModules are the modules of the JDK whose API is known: the packages
// that each exports, and behind a plus the modules whose packages come with it.
var standardModules = map[string]string{
	"java.base": "java.io java.lang java.lang.annotation java.lang.classfile java.lang.classfile.attribute java.lang.classfile.constantpool" +
		" java.lang.classfile.instruction java.lang.constant java.lang.foreign java.lang.invoke java.lang.module java.lang.ref java.lang.reflect" +
		" java.lang.runtime java.math java.net java.net.spi java.nio java.nio.channels java.nio.channels.spi java.nio.charset java.nio.charset.spi" +
		" java.nio.file java.nio.file.attribute java.nio.file.spi java.security java.security.cert java.security.interfaces java.security.spec" +
		" java.text java.text.spi java.time java.time.chrono java.time.format java.time.temporal java.time.zone java.util java.util.concurrent" +
		" java.util.concurrent.atomic java.util.concurrent.locks java.util.function java.util.jar java.util.random java.util.regex java.util.spi" +
		" java.util.stream java.util.zip javax.crypto javax.crypto.interfaces javax.crypto.spec javax.net javax.net.ssl javax.security.auth" +
		" javax.security.auth.callback javax.security.auth.login javax.security.auth.spi javax.security.auth.x500 javax.security.cert",
	"java.compiler":   "javax.annotation.processing javax.lang.model javax.lang.model.element javax.lang.model.type javax.lang.model.util javax.tools",
	"java.instrument": "java.lang.instrument",
	"java.logging":    "java.util.logging",
	"java.management": "java.lang.management javax.management javax.management.loading javax.management.modelmbean javax.management.monitor" +
		" javax.management.openmbean javax.management.relation javax.management.remote javax.management.timer",
	"java.naming":         "javax.naming javax.naming.directory javax.naming.event javax.naming.ldap javax.naming.ldap.spi javax.naming.spi",
	"java.net.http":       "java.net.http",
	"java.prefs":          "java.util.prefs",
	"java.rmi":            "java.rmi java.rmi.dgc java.rmi.registry java.rmi.server javax.rmi.ssl",
	"java.scripting":      "javax.script",
	"java.security.sasl":  "javax.security.sasl",
	"java.sql":            "java.sql javax.sql +java.logging +java.transaction.xa +java.xml",
	"java.sql.rowset":     "javax.sql.rowset javax.sql.rowset.serial javax.sql.rowset.spi +java.logging +java.naming +java.sql",
	"java.transaction.xa": "javax.transaction.xa",
	"java.xml": "javax.xml javax.xml.catalog javax.xml.datatype javax.xml.namespace javax.xml.parsers javax.xml.stream javax.xml.stream.events" +
		" javax.xml.stream.util javax.xml.transform javax.xml.transform.dom javax.xml.transform.sax javax.xml.transform.stax" +
		" javax.xml.transform.stream javax.xml.validation javax.xml.xpath org.w3c.dom org.w3c.dom.bootstrap org.w3c.dom.events org.w3c.dom.ls" +
		" org.w3c.dom.ranges org.w3c.dom.traversal org.w3c.dom.views org.xml.sax org.xml.sax.ext org.xml.sax.helpers",
	"java.se": "+java.base +java.compiler +java.instrument +java.logging +java.management +java.naming +java.net.http +java.prefs +java.rmi +java.scripting +java.security.sasl +java.sql +java.sql.rowset +java.transaction.xa +java.xml",
}

// modulePackages returns the packages that the import of a module of the JDK
// brings into scope; none of another module.
func modulePackages(module string) (packages []string) {
	seen := map[string]bool{module: true}
	for list := []string{module}; len(list) > 0; list = list[1:] {
		for _, name := range strings.Fields(standardModules[list[0]]) {
			if m, ok := strings.CutPrefix(name, "+"); !ok {
				packages = append(packages, name)
			} else if !seen[m] {
				seen[m] = true
				list = append(list, m)
			}
		}
	}
	return packages
}

// moduleDecl reads the declaration of a module: what it exports to all, and what
// comes with it.
func (e *extractor) moduleDecl(i syntax.ID) {
	set := func(name, value string) {
		e.b.Settings = append(e.b.Settings, facts.Setting{Name: e.b.InternString(name), Value: e.b.InternString(value)})
	}
	for c := range e.t.NamedChildren(i) {
		switch classOf(e.nodes[c].Kind) {
		case classIdentifier, classScopedIdentifier:
			set(facts.SettingModule, e.plainName(c))
			continue
		}
		for d := range e.t.NamedChildren(c) {
			words := strings.Fields(strings.TrimSuffix(e.t.String(d), ";"))
			switch {
			case len(words) == 2 && words[0] == "exports":
				set(facts.SettingExports, words[1])
			case len(words) > 2 && words[0] == "requires" && slices.Contains(words[1:len(words)-1], "transitive"):
				set(facts.SettingBrings, words[len(words)-1])
			}
		}
	}
}
