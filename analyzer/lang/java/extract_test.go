package java

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// sources returns the Java files of the examples.
func sources(tb testing.TB) [][]byte {
	names, err := filepath.Glob("../../../testdata/java/*.txtar")
	if err != nil || len(names) == 0 {
		tb.Fatalf("no examples: %v", err)
	}
	var list [][]byte
	for _, n := range names {
		a, err := txtar.ParseFile(n)
		if err != nil {
			tb.Fatal(err)
		}
		for _, f := range a.Files {
			if strings.HasSuffix(f.Name, ".java") {
				list = append(list, f.Data)
			}
		}
	}
	return list
}

// check extracts src twice and reports broken invariants.
func check(tb testing.TB, p *syntax.Parser, b *facts.Builder, src []byte) {
	t, err := p.Parse(grammar(), src)
	if err != nil {
		return
	}
	f := Extract(t, b)
	if err := f.Check(); err != nil {
		tb.Fatalf("%v\n%s", err, src)
	}
	one := facts.AppendBlock(nil, []*facts.Content{{Facts: f}})
	if two := facts.AppendBlock(nil, []*facts.Content{{Facts: Extract(t, b)}}); !slices.Equal(one, two) {
		tb.Fatalf("two answers for\n%s", src)
	}
	gs, err := facts.DecodeBlock(one, 1, 1<<30)
	if err != nil {
		tb.Fatal(err)
	}
	if !slices.Equal(facts.AppendBlock(nil, []*facts.Content{&gs[0]}), one) {
		tb.Fatalf("facts change when they are stored\n%s", src)
	}
}

// TestExtractAnything cuts the examples off and takes parts out of them: what
// does not parse must not break the facts.
func TestExtractAnything(t *testing.T) {
	p := syntax.NewParser()
	defer p.Close()
	var b facts.Builder
	for _, src := range sources(t) {
		check(t, p, &b, src)
		step := max(len(src)/40, 1)
		for at := 0; at < len(src); at += step {
			check(t, p, &b, src[:at])
			check(t, p, &b, slices.Concat(src[:at], src[min(at+step, len(src)):]))
		}
	}
}

func FuzzExtract(f *testing.F) {
	for _, src := range sources(f) {
		f.Add(src)
	}
	p := syntax.NewParser()
	var b facts.Builder
	f.Fuzz(func(t *testing.T, src []byte) { check(t, p, &b, src) })
}

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
			"artifact=a needs=b group=g"},
		{"build.gradle", "dependencies { implementation project(':core:model')\n api(project(path: \":web\")) }", "needs=model needs=web"},
		{"build.gradle.kts", "dependencies { implementation(projects.core.someModel) }", "needs=some-model"},
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
