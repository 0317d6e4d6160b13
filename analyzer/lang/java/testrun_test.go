package java

import (
	"slices"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/lang"
)

func TestTestCommands(t *testing.T) {
	cases := []struct{ name, manifests, tests, want string }{
		{"one module", "pom.xml", "src/test/java/p/ATest.java src/test/java/p/BTest.java", "mvn test -Dtest=ATest,BTest"},
		{"modules", "pom.xml core/pom.xml", "core/src/test/java/p/ATest.java",
			"mvn test -pl core -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=ATest"},
		{"a reactor below", "x/pom.xml x/core/pom.xml", "x/core/src/test/java/p/ATest.java",
			"mvn -f x test -pl core -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=ATest"},
		{"gradle", "build.gradle", "src/test/java/p/ATest.java src/integrationTest/java/p/BTest.java",
			"gradle :integrationTest --tests BTest\ngradle :test --tests ATest"},
		{"gradle projects, one without a file", "settings.gradle.kts a/b/build.gradle.kts", "a/b/src/test/java/p/ATest.java c/src/test/java/p/CTest.java",
			"gradle :a:b:test --tests ATest\ngradle :c:test --tests CTest"},
		{"a gradle build below", "x/settings.gradle x/build.gradle", "x/src/test/java/p/ATest.java", "gradle -p x :test --tests ATest"},
		{"both", "pom.xml build.gradle", "src/test/java/p/ATest.java", "mvn test -Dtest=ATest"},
		{"none", "", "test/p/q/ATest.java", "java org.junit.platform.console.ConsoleLauncher execute -c p.q.ATest"},
		{"all", "pom.xml core/pom.xml tool/build.gradle", "", "mvn test\ngradle -p tool test"},
		{"all without a build", "", "", "java org.junit.platform.console.ConsoleLauncher execute --scan-classpath"},
		{"hostile", "a b/pom.xml", "a b/src/test/java/p/A$(x)Test.java", "mvn -f 'a b' test -Dtest='A$(x)Test'"},
	}
	for _, c := range cases {
		r := lang.TestRun{All: c.tests == "", Manifests: strings.Fields(c.manifests)}
		if c.name == "hostile" {
			r = lang.TestRun{Manifests: []string{c.manifests}, Tests: []lang.TestCase{{File: c.tests}}}
		} else {
			for _, f := range strings.Fields(c.tests) {
				r.Tests = append(r.Tests, lang.TestCase{File: f})
			}
		}
		if got := testCommands(r); !slices.Equal(got, strings.Split(c.want, "\n")) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), c.want)
		}
	}
}
