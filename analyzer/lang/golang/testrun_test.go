package golang

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/lang"
)

func TestTestCommands(t *testing.T) {
	for _, c := range []struct {
		run  lang.TestRun
		want []string
	}{
		{lang.TestRun{}, nil},
		{lang.TestRun{All: true}, []string{"go test ./..."}},
		{lang.TestRun{All: true, Modules: []lang.Module{{}, {Dir: "tools"}}}, []string{"go test ./...", "go test -C tools ./..."}},
		{lang.TestRun{Tests: []lang.TestCase{
			{File: "b/x_test.go", Name: "TestB"}, {File: "a_test.go", Name: "ExampleA"}, {File: "b/y_test.go", Name: "FuzzA"},
			{File: "b/x_test.go", Name: "BenchmarkB"}, {File: "b/x_test.go", Name: "TestB"}, {File: "c/x_test.go", Name: "BenchmarkC"},
		}, Others: []lang.TestCase{
			{File: "a_test.go", Name: "TestA"}, {File: "b/z_test.go", Name: "TestC"}, {File: "b/z_test.go", Name: "BenchmarkA"}, {File: "d/z_test.go", Name: "TestD"},
		}}, []string{"go test -run '^(ExampleA)$'", "go test -C b -run '^(FuzzA|TestB)$'", "go test -C b -run '^$' -bench '^(BenchmarkB)$'", "go test -C c -run '^$' -bench ."}},
		{lang.TestRun{Tests: []lang.TestCase{{File: "c/x_test.go", Name: "TestC"}}, Others: []lang.TestCase{{File: "c/x_test.go", Name: "BenchmarkC"}}}, []string{"go test -C c"}},
		{lang.TestRun{Tests: []lang.TestCase{{File: "-x'; rm $HOME/x_test.go", Name: "TestC"}}, Others: []lang.TestCase{{File: "-x'; rm $HOME/x_test.go", Name: "TestD"}}},
			[]string{`go test -C './-x'\''; rm $HOME' -run '^(TestC)$'`}},
		{lang.TestRun{Tests: []lang.TestCase{{File: "a_test.go", Name: "TestA"}, {File: "e_test.go", Name: "TestE2E", Constraint: "e2e && linux"}}},
			[]string{"go test", "go test -tags e2e -run '^(TestE2E)$'"}},
		{lang.TestRun{Tests: []lang.TestCase{{File: "e_test.go", Name: "TestE2E", Constraint: "e2e || slow"}, {File: "f_test.go", Name: "TestF", Constraint: "race && !e2e && x"}, {File: "g_test.go", Name: "TestG", Constraint: "ignore"}}},
			[]string{"go test -race -tags x", "go test -tags e2e"}},
		{lang.TestRun{Tests: []lang.TestCase{{File: "e_test.go", Name: "TestE", Constraint: "e2e"}}, Others: []lang.TestCase{{File: "e_test.go", Name: "TestF", Constraint: "slow"}}}, []string{"go test -tags e2e"}},
		{lang.TestRun{Tests: []lang.TestCase{{File: "w_test.go", Name: "TestW", Constraint: "windows"}, {File: "c_test.go", Name: "TestC", Constraint: "cgo && unix"}}}, []string{"go test"}},
		{lang.TestRun{All: true, Others: []lang.TestCase{{File: "p/a_test.go", Name: "TestA"}, {File: "p/e_test.go", Name: "TestE", Constraint: "e2e"}}},
			[]string{"go test ./...", "go test -C p -tags e2e -run '^(TestE)$'"}},
	} {
		if got := testCommands(c.run); !slices.Equal(got, c.want) {
			t.Errorf("%+v:\ngot  %q\nwant %q", c.run, got, c.want)
		}
	}
}

func TestPatternsAreSplit(t *testing.T) {
	var names []string
	for i := range 2000 {
		names = append(names, fmt.Sprintf("TestWithALongName%04d", i))
	}
	got := patterns(names)
	if len(got) != 2 || len(got[0]) > lang.MaxCommand+6 {
		t.Fatalf("%d patterns, the first of %d bytes", len(got), len(got[0]))
	}
	for _, name := range names {
		n := 0
		for _, p := range got {
			if regexp.MustCompile(strings.Trim(p, "'")).MatchString(name) {
				n++
			}
		}
		if n != 1 {
			t.Fatalf("%s is matched by %d patterns", name, n)
		}
	}
}
