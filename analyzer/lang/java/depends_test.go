package java

import (
	"slices"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/link"
)

// TestNeeds holds what build files say that the module a needs.
func TestNeeds(t *testing.T) {
	gradle := func(build string, more ...string) []string {
		return append([]string{"settings.gradle=include 'a', 'b', 'c'", "b/build.gradle", "c/build.gradle", "a/build.gradle=" + build}, more...)
	}
	pom := func(body string, more ...string) []string {
		return append([]string{"pom.xml=<project><groupId>g</groupId><artifactId>up</artifactId></project>", "b/pom.xml=<project><groupId>g</groupId><artifactId>b</artifactId></project>",
			"a/pom.xml=<project><groupId>g</groupId><artifactId>a</artifactId>" + body + "</project>"}, more...)
	}
	dependency := func(group, name string) string {
		return "<dependencies><dependency><groupId>" + group + "</groupId><artifactId>" + name + "</artifactId></dependency></dependencies>"
	}
	for _, c := range []struct {
		files []string // FILE=TEXT
		want  string   // of a; ? if it is not known, and + if there may be more
	}{
		{gradle("dependencies { implementation project(':b') }"), "b"},
		{gradle("dependencies {\n  api(project(path: \":b\", configuration: 'x')) { transitive = false }\n testRuntimeOnly 'x:y:1', libs.z }"), "b"},
		{gradle("dependencies { testImplementation testFixtures(project(':b')) }"), "b"},
		{gradle("dependencies { testImplementation project(':b').sourceSets.test.output }"), "b"},
		{gradle("dependencies { implementation(projects.b)\n implementation(platform(libs.bom)) }"), "b"},
		{gradle("dependencies { implementation \"x:y:$v\"\n implementation 'x:z:' + v\n implementation group: 'x', name: 'y', version: v }"), ""},
		{gradle("dependencies { if (x) { api project(':b') } else { api project(':c') }\n constraints { api('x:y:1') { because 'of' } } }"), "b c"},
		{gradle("dependencies { // api project(':b')\n /* api project(':c') */ }"), ""},
		{gradle("dependencies { ['b', 'c'].each { api project(\":$it\") } }"), "b c"},
		{gradle("dependencies { names.each { api project(\":$it\") } }"), "?"},
		{gradle("dependencies { api project(other) }"), "?"},
		{gradle("dependencies { api project(':gone') }"), "?"},
		{gradle("dependencies { api other }"), "?"},
		{gradle("dependencies { api other() }"), "?"},
		{gradle("dependencies { api files('lib/x.jar') }"), ""},
		{gradle("dependencies { api files('../b/x.jar') }"), "?"},
		{gradle("sourceSets { main { java { srcDir '../b/src' } } }"), "?"},
		{gradle("dependencies { api libs.x"), "?"},
		{gradle("project.dependencies.add('api', x)"), "?"},
		{gradle("test { classpath += project(':b').jar }"), "b"},
		{gradle("apply from: 'more.gradle'", "x/more.gradle=dependencies { api project(':b') }"), "b"},
		{gradle("apply from: 'gone.gradle'"), "?"},
		{gradle("apply from: 'https://x/y.gradle'"), "?"},
		{gradle("", "build.gradle=subprojects { dependencies { api project(':b') } }"), "b"},
		{gradle("", "build.gradle=dependencies { api project(':b') }"), ""},
		{gradle("", "build.gradle=dependencies { api project(x) }"), ""},
		{gradle("", "build.gradle=allprojects { dependencies { api project(x) } }"), "?"},
		{gradle("dependencies { api rest.x }", "build.gradle=ext.rest = subprojects.findAll { true }"), "?"},
		{gradle("dependencies { api rest.x }", "build.gradle=ext.rest = [x: 'x:y:1']"), ""},
		{gradle("dependencies { api project(':b') }", "buildSrc/build.gradle"), "?"},
		{[]string{"settings.gradle=include 'a', 'b'\nincludeBuild 'x'", "a/build.gradle", "b/build.gradle"}, "?"},
		{[]string{"settings.gradle=include names", "a/build.gradle", "b/build.gradle"}, "?"},
		{[]string{"settings.gradle=include 'a'\nlistOf(\"b\", \"d\").forEach { include(it) }", "a/build.gradle=dependencies { api project(':d') }", "d/build.gradle"}, "d"},
		{[]string{"settings.gradle=include 'a', 'b'\nrootProject.children.each { it.buildFileName = \"${it.name}.gradle\" }", "a/a.gradle=dependencies { api project(':b') }", "b/b.gradle"}, "b"},
		{[]string{"settings.gradle=include 'a', 'b'", "b/b.gradle", "a/src/test/java/p/ATest.java"}, "?"},
		{pom(dependency("g", "b")), "b"},
		{pom(dependency("x", "y")), ""},
		{pom(dependency("g.more", "y")), "+"},
		{pom(dependency("g.more", "y"), "c/pom.xml=<project><groupId>g</groupId><artifactId>c</artifactId>"+dependency("g", "a")+"</project>"), "?"},
		{[]string{"pom.xml=<project><groupId>g</groupId><artifactId>up</artifactId><modules><module>a</module><module>b</module></modules></project>",
			"a/pom.xml=<project><groupId>g</groupId><artifactId>a</artifactId>" + dependency("g", "gone") + "</project>",
			"b/pom.xml=<project><groupId>g</groupId><artifactId>b</artifactId>" + dependency("g", "a") + "</project>"}, "+"},
		{pom(dependency("g", "${b}")), "+"},
		{pom(dependency("x", "${y}")), ""},
		{pom("<dependencyManagement>" + dependency("g", "b") + "</dependencyManagement>"), ""},
		{pom("<profiles><profile><build><plugins><plugin>" + dependency("g", "b") + "</plugin></plugins></build></profile></profiles>"), "b"},
		{pom("<parent><groupId>g</groupId><artifactId>up</artifactId><relativePath>../pom.xml</relativePath></parent>"), "up"},
		{pom("<build><sourceDirectory>../b/src</sourceDirectory></build>"), "?"},
		{pom("<build><header>${project.parent.basedir}/header.txt</header></build>"), ""},
		{pom("", "c/pom.xml=<project><groupId>g</groupId><artifactId>c</artifactId>"+dependency("g", "a")+"<build><x><dependenciesToScan/></x></build></project>"), "c"},
		{pom(dependency("g", "b") + "<<"), "?"},
		{pom("", "a/tests/p/ATest.java"), "?"},
		{pom("", "a/src/test/java/p/ATest.java"), ""},
		{pom("<build><testSourceDirectory>${basedir}/tests</testSourceDirectory></build>", "a/tests/p/ATest.java"), ""},
		{pom("<build><testSourceDirectory>tests</testSourceDirectory></build>", "a/test/p/ATest.java"), "?"},
		{pom("<parent><groupId>g</groupId><artifactId>p</artifactId></parent>",
			"p/pom.xml=<project><groupId>g</groupId><artifactId>p</artifactId><build><testSourceDirectory>${project.basedir}/tests</testSourceDirectory></build></project>", "a/tests/p/ATest.java"), "p"},
		{pom("<build><testSourceDirectory>tests</testSourceDirectory></build>",
			"c/pom.xml=<project><groupId>g</groupId><artifactId>c</artifactId><build><testSourceDirectory>../a/tests</testSourceDirectory></build></project>", "a/tests/p/ATest.java"), "?"},
		{[]string{"pom.xml=<project><groupId>g</groupId><artifactId>up</artifactId><build><testSourceDirectory>a/tests</testSourceDirectory></build></project>",
			"a/pom.xml=<project><groupId>g</groupId><artifactId>a</artifactId><build><testSourceDirectory>tests</testSourceDirectory></build></project>", "a/tests/p/ATest.java"}, "?"},
		{pom("<build><resources><resource><directory>..</directory></resource></resources></build>"), "?"},
		{pom("<build><resources><resource><directory>..</directory><includes><include>NOTICE</include><include>**/*.txt</include></includes></resource></resources></build>"), ""},
		{pom("<build><testResources><testResource><includes><include>NOTICE</include><include>b/**</include></includes><directory>..</directory></testResource></testResources></build>"), "?"},
	} {
		var files []link.File
		for _, m := range c.files {
			name, text, _ := strings.Cut(m, "=")
			var b facts.Builder
			b.Reset()
			f := b.Finish()
			if !strings.HasSuffix(name, ".java") {
				var err error
				if f, err = ExtractManifest(name[strings.LastIndexByte(name, '/')+1:], []byte(text), &b); err != nil {
					t.Fatal(m, err)
				}
			}
			files = append(files, link.File{Path: name, Facts: f})
		}
		modules := layout(files).Modules
		at := slices.IndexFunc(modules, func(m link.Module) bool { return m.Dir == "a" })
		got := "?"
		if needs := modules[at].Needs; needs != nil {
			var names []string
			for _, n := range needs {
				if n != at {
					names = append(names, modules[n].Path[strings.LastIndexByte(modules[n].Path, ':')+1:])
				}
			}
			if got = strings.Join(names, " "); modules[at].NeedsMore {
				got += "+"
			}
		}
		if got != c.want {
			t.Errorf("%q, want %q: %q", got, c.want, c.files)
		}
	}
}

// TestGradleHostile holds that a build file costs what it is long.
func TestGradleHostile(t *testing.T) {
	for _, s := range []string{"{", "(", "dependencies {", "dependencies { x y ", "apply ", "project(", "subprojects ", "\"${", "['a'].each {", strings.Repeat("'", 3), "x.dependencies { a b } "} {
		var b facts.Builder
		for _, name := range []string{"build.gradle", "settings.gradle"} {
			if _, err := ExtractManifest(name, []byte(strings.Repeat(s, 1<<16)), &b); err != nil {
				t.Error(err)
			}
		}
	}
}
