package java

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/lang"
	"github.com/codekg/kg/analyzer/link"
)

// modulesOf reads build files, as FILE or FILE=TEXT, and returns the modules and
// the manifests of the tree.
func modulesOf(t *testing.T, manifests []string) (r lang.TestRun) {
	var files []link.File
	for _, m := range manifests {
		name, text, ok := strings.Cut(m, "=")
		if !ok && strings.HasSuffix(name, "pom.xml") {
			text = "<project/>"
		}
		var b facts.Builder
		f, err := ExtractManifest(name[strings.LastIndexByte(name, '/')+1:], []byte(text), &b)
		if err != nil {
			t.Fatal(m, err)
		}
		files = append(files, link.File{Path: name, Facts: f})
		r.Manifests = append(r.Manifests, name)
	}
	for _, m := range layout(files).Modules {
		r.Modules = append(r.Modules, lang.Module{Dir: dirOf(m.File), Build: m.Build})
	}
	return r
}

// lists returns a project of Maven with modules.
func lists(modules ...string) string {
	return "=<project><modules><module>" + strings.Join(modules, "</module><module>") + "</module></modules></project>"
}

func TestTestCommands(t *testing.T) {
	profile := "=<project><profiles><profile>%s<modules><module>%s</module></modules></profile></profiles></project>"
	cases := []struct {
		name      string
		manifests []string
		tests     string // FILE or FILE#TYPE
		want      string
	}{
		{"one module", []string{"pom.xml"}, "src/test/java/p/ATest.java src/test/java/p/BTest.java", "mvn test -Dtest=ATest,BTest"},
		{"modules", []string{"pom.xml" + lists("core"), "core/pom.xml"}, "core/src/test/java/p/ATest.java",
			"mvn test -pl core -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=ATest"},
		{"a reactor below", []string{"x/pom.xml" + lists("core"), "x/core/pom.xml"}, "x/core/src/test/java/p/ATest.java",
			"mvn -f x test -pl core -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=ATest"},
		{"modules in modules, whatever their artifacts are called", []string{"pom.xml" + lists("a"), "a/pom.xml" + lists("b"), "a/b/pom.xml=<project><artifactId>shop-b</artifactId></project>"},
			"a/b/src/test/java/p/ATest.java a/src/test/java/p/BTest.java",
			"mvn test -pl a -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=BTest\nmvn test -pl a/b -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=ATest"},
		{"a folder between without a project", []string{"pom.xml" + lists("x/core"), "x/core/pom.xml"}, "x/core/src/test/java/p/ATest.java",
			"mvn test -pl x/core -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=ATest"},
		{"a module that nothing lists", []string{"pom.xml" + lists("core"), "core/pom.xml", "it/pom.xml"}, "it/src/test/java/p/ATest.java", "mvn -f it test -Dtest=ATest"},
		{"a module beside the project that lists it", []string{"all/pom.xml" + lists("../core"), "core/pom.xml"}, "core/src/test/java/p/ATest.java",
			"mvn -f all test -pl ../core -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=ATest"},
		{"tests beside modules", []string{"pom.xml" + lists("core"), "core/pom.xml"}, "src/test/java/p/ATest.java", "mvn test -N -Dtest=ATest"},
		{"a module of a profile", []string{"pom.xml" + fmt.Sprintf(profile, "<id>demo</id>", "demo"), "demo/pom.xml" + lists("a"), "demo/a/pom.xml"}, "demo/a/src/test/java/p/ATest.java",
			"mvn test -P demo -pl demo/a -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=ATest"},
		{"a profile that is on", []string{"pom.xml" + fmt.Sprintf(profile, "<id>demo</id><activation><activeByDefault>true</activeByDefault></activation>", "demo/pom.xml"), "demo/pom.xml"},
			"demo/src/test/java/p/ATest.java", "mvn test -pl demo -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=ATest"},
		{"modules that list each other", []string{"a/pom.xml" + lists("../b"), "b/pom.xml" + lists("../a")}, "a/src/test/java/p/ATest.java",
			"mvn -f b test -pl ../a -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=ATest"},
		{"gradle", []string{"build.gradle"}, "src/test/java/p/ATest.java src/integrationTest/java/p/BTest.java",
			"gradle :integrationTest --tests p.q.BTest\ngradle :test --tests p.q.ATest"},
		{"gradle projects, one without a file", []string{"settings.gradle.kts=include(\":a:b\", // the first\n\"c\")", "a/b/build.gradle.kts"},
			"a/b/src/test/java/p/ATest.java c/src/test/java/p/CTest.java", "gradle :a:b:test --tests p.q.ATest\ngradle :c:test --tests p.q.CTest"},
		{"files that are called after the project", []string{"build.gradle", "settings.gradle=include 'core'\nrootProject.children.each { it.buildFileName = \"${it.name}.gradle\" }"},
			"core/src/test/java/p/ATest.java", "gradle :core:test --tests p.q.ATest"},
		{"a folder elsewhere", []string{"settings.gradle=include 'a:b'\nproject(':a:b').projectDir = file('x/y')"}, "x/y/src/test/java/p/ATest.java", "gradle :a:b:test --tests p.q.ATest"},
		{"another name", []string{"settings.gradle=include 'a:b', 'c'\nproject(':a').name = \"shop-a\"\nrootProject.name = 'shop'"}, "a/b/src/test/java/p/ATest.java c/src/test/java/p/CTest.java",
			"gradle :shop-a:b:test --tests p.q.ATest\ngradle :c:test --tests p.q.CTest"},
		{"names with a beginning", []string{"x/settings.gradle.kts=include(\"a:b\")\nrootProject.children.forEach { it.name = \"shop-${it.name}\" }"}, "x/a/b/src/test/java/p/ATest.java",
			"gradle -p x :shop-a:b:test --tests p.q.ATest"},
		{"names that are worked out", []string{"settings.gradle=include 'a'\nrootProject.children.each { it.name = nameOf(it) }"}, "a/src/test/java/p/ATest.java src/test/java/p/BTest.java",
			"gradle :test --tests p.q.BTest\ngradle -p a test --tests p.q.ATest"},
		{"projects that are worked out", []string{"settings.gradle=file('.').eachDir { include it.name }", "a/build.gradle"}, "a/src/test/java/p/ATest.java", "gradle -p a test --tests p.q.ATest"},
		{"what builds the build", []string{"settings.gradle", "buildSrc/build.gradle"}, "buildSrc/src/test/java/p/ATest.java", "gradle -p buildSrc :test --tests p.q.ATest"},
		{"a gradle build below", []string{"x/build.gradle", "x/settings.gradle"}, "x/src/test/java/p/ATest.java", "gradle -p x :test --tests p.q.ATest"},
		{"both", []string{"build.gradle", "core/build.gradle", "core/pom.xml", "pom.xml" + lists("core"), "settings.gradle=include 'core'"}, "core/src/test/java/p/ATest.java",
			"mvn test -pl core -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=ATest"},
		{"none", nil, "test/p/q/ATest.java", "java org.junit.platform.console.ConsoleLauncher execute -c p.q.ATest"},
		{"a type that its file is not called after", []string{"x/pom.xml"}, "test/q/ATest.java#BTest x/src/test/java/ATest.java#CTest",
			"java org.junit.platform.console.ConsoleLauncher execute -c p.q.BTest\nmvn -f x test -Dtest=CTest"},
		{"all", []string{"pom.xml" + lists("core"), "core/pom.xml", "it/pom.xml", "tool/build.gradle", "quiet/pom.xml"},
			"ALL core/src/test/java/p/ATest.java it/src/test/java/p/BTest.java tool/src/test/java/p/CTest.java", "mvn test\nmvn -f it test\ngradle -p tool test"},
		{"all, whatever they are", []string{"pom.xml"}, "ALL", "mvn test"},
		{"all without a build", nil, "ALL", "java org.junit.platform.console.ConsoleLauncher execute --scan-classpath"},
		{"hostile", []string{"a b/pom.xml"}, "a b/src/test/java/p/A$(x)Test.java", "mvn -f 'a b' test -Dtest='A$(x)Test'"},
	}
	for _, c := range cases {
		r := modulesOf(t, c.manifests)
		files := strings.Fields(c.tests)
		if c.name == "hostile" {
			files = []string{c.tests}
		}
		for _, f := range files {
			if f == "ALL" {
				r.All = true
				continue
			}
			file, typ, _ := strings.Cut(f, "#")
			r.Tests = append(r.Tests, lang.TestCase{File: file, Package: "p.q", Type: typ})
		}
		if got := testCommands(r); !slices.Equal(got, strings.Split(c.want, "\n")) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), c.want)
		}
	}
}

func TestWithoutComments(t *testing.T) {
	for src, want := range map[string]string{
		"a // b\nc": "a \nc", "a /* b\n*/ c": "a  c", "'http://x' /*/ y */ z": "'http://x'  z", "\"a\\\"//\" b": "\"a\\\"//\" b", "'": "'", "/*": "", "a/b": "a/b", "'\\": "'\\",
	} {
		if got := string(withoutComments([]byte(src))); got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}

// TestLongCommands asks for commands that would be too long: all tests of the module
// are run, and those of no build system in several steps.
func TestLongCommands(t *testing.T) {
	for manifest, want := range map[string]string{
		"pom.xml":      lang.Coarser("all tests of the module") + "\nmvn test",
		"build.gradle": lang.Coarser("all tests of the module") + "\ngradle :test",
		"":             launcher + " -c p.C0Test -c p.C1000Test ",
	} {
		r := lang.TestRun{Manifests: []string{manifest}}
		for i := range 5000 {
			r.Tests = append(r.Tests, lang.TestCase{File: "src/test/java/p/ATest.java", Package: "p", Type: fmt.Sprintf("C%dTest", i)})
		}
		got := testCommands(r)
		for _, line := range got {
			if len(line) > lang.MaxCommand {
				t.Errorf("%s: %d bytes", manifest, len(line))
			}
		}
		if text := strings.Join(got, "\n"); text != want && (manifest != "" || !strings.HasPrefix(text, want)) {
			t.Errorf("%s: %.200s", manifest, text)
		}
	}
}
