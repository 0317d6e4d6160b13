package java

import (
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/lang/langtest"
)

func TestExtractAnything(t *testing.T) { langtest.Anything(t, Language) }

func FuzzExtract(f *testing.F) { langtest.Fuzz(f, Language) }

func TestAccessor(t *testing.T) {
	for _, c := range []struct {
		prefix, field string
		boolean       bool
		want          string
	}{
		{"get", "name", false, "getName"}, {"set", "name", false, "setName"}, {"get", "active", true, "isActive"},
		{"get", "isActive", true, "isActive"}, {"set", "isActive", true, "setActive"}, {"get", "issue", true, "isIssue"},
		{"with", "élan", false, "withÉlan"},
	} {
		if got := accessor(c.prefix, c.field, c.boolean); got != c.want {
			t.Errorf("accessor(%s, %s, %t) = %s, want %s", c.prefix, c.field, c.boolean, got, c.want)
		}
	}
}

func TestIsTest(t *testing.T) {
	for path, want := range map[string]bool{
		"src/main/java/p/A.java": false, "src/test/java/p/A.java": true, "m/src/integrationTest/java/A.java": true,
		"src/main/java/p/test/A.java": false, "test/p/A.java": true, "p/A.java": false, "a/src/jmh/java/B.java": true,
	} {
		if got := isTest(path); got != want {
			t.Errorf("isTest(%s) = %t", path, got)
		}
	}
}

func TestManifest(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"pom.xml", "<project><parent><groupId>g</groupId><artifactId>up</artifactId></parent><artifactId> a </artifactId>" +
			"<dependencies><dependency><groupId>g</groupId><artifactId>b</artifactId></dependency></dependencies>" +
			"<build><plugins><plugin><artifactId>no</artifactId></plugin></plugins></build></project>",
			"parent=up may=g:up artifact=a needs=b may=g:b may=:no group=g"},
		{"build.gradle", "dependencies { implementation project(':core:model')\n api(project(path: \":web\")) }", "needs=model needs=web may=:core:model may=:web"},
		{"build.gradle.kts", "dependencies { implementation(projects.core.someModel) }", "needs=some-model may=@core.someModel"},
		{"pom.xml", "<project><artifactId>cut", ""},
	} {
		var b facts.Builder
		f, err := ExtractManifest(c.name, []byte(c.src), &b)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range f.Settings {
			got = append(got, f.Str(s.Name)+"="+f.Str(s.Value))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.src, got, c.want)
		}
	}
	var b facts.Builder
	if _, err := ExtractManifest("pom.xml", []byte("<html/>"), &b); err == nil {
		t.Error("no error for what is no project")
	}
}
