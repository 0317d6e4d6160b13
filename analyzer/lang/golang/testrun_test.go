package golang

import (
	"slices"
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
		{lang.TestRun{All: true, Modules: []string{"", "tools"}}, []string{"go test ./...", "go test -C tools ./..."}},
		{lang.TestRun{Tests: []lang.TestCase{
			{File: "b/x_test.go", Name: "TestB"}, {File: "a_test.go", Name: "ExampleA"}, {File: "b/y_test.go", Name: "FuzzA"},
			{File: "b/x_test.go", Name: "BenchmarkB"}, {File: "b/x_test.go", Name: "TestB"},
		}}, []string{"go test -run '^(ExampleA)$'", "go test -C b -run '^(FuzzA|TestB)$'", "go test -C b -run '^$' -bench '^(BenchmarkB)$'"}},
		{lang.TestRun{Tests: []lang.TestCase{{File: "c/x_test.go", Name: "TestMain"}, {File: "c/x_test.go", Name: "TestC"}}}, []string{"go test -C c"}},
		{lang.TestRun{Tests: []lang.TestCase{{File: "-x'; rm $HOME/x_test.go", Name: "TestC"}}},
			[]string{`go test -C './-x'\''; rm $HOME' -run '^(TestC)$'`}},
	} {
		if got := testCommands(c.run); !slices.Equal(got, c.want) {
			t.Errorf("%+v:\ngot  %q\nwant %q", c.run, got, c.want)
		}
	}
}
