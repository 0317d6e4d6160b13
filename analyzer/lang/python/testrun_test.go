package python

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
		{lang.TestRun{All: true}, []string{"pytest"}},
		{lang.TestRun{}, nil},
		{lang.TestRun{Tests: []lang.TestCase{{File: "tests/test_b.py", Name: "TestB.test_x"}, {File: "tests/test_a.py", Name: "test_y~2"},
			{File: "tests/test_b.py", Name: "TestB.test_x"}}}, []string{"pytest tests/test_a.py::test_y tests/test_b.py::TestB::test_x"}},
		{lang.TestRun{Tests: []lang.TestCase{{File: "-x'; rm $HOME/test_a.py", Name: "test_a"}}}, []string{`pytest '-x'\''; rm $HOME/test_a.py::test_a'`}},
	} {
		if got := testCommands(c.run); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.run, got, c.want)
		}
	}
}

func TestIsTest(t *testing.T) {
	for path, want := range map[string]bool{
		"tests/helpers.py": true, "src/app/test_x.py": true, "src/app/x_test.py": true, "conftest.py": true, "app/tests.py": true,
		"src/app/testing.py": false, "src/contest.py": false, "src/tester/x.py": false,
	} {
		if got := isTest(path); got != want {
			t.Errorf("isTest(%s) = %t", path, got)
		}
	}
}
