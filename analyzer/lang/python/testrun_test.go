package python

import (
	"fmt"
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

// TestLongCommands asks for commands that would be too long: whole files stand for the
// longest lists, files are spread over some commands, and all tests over none.
func TestLongCommands(t *testing.T) {
	tests := func(files, each int) (run lang.TestRun) {
		for f := range files {
			for i := range each {
				run.Tests = append(run.Tests, lang.TestCase{File: fmt.Sprintf("tests/test_%04d.py", f), Name: fmt.Sprintf("TestCase.test_%d", i)})
			}
		}
		return run
	}
	one := tests(2, 1)
	one.Tests = append(one.Tests, tests(1, 2000).Tests...)
	whole := tests(1, 3)
	whole.Tests = append(whole.Tests, lang.TestCase{File: "tests/test_0000.py", Name: "TestCase"}, lang.TestCase{File: "tests/test_0001.py"}, tests(2, 1).Tests[1])
	for name, c := range map[string]struct {
		run   lang.TestRun
		lines int
		want  string // of all lines
	}{
		"one long file": {one, 2, "pytest tests/test_0000.py tests/test_0001.py::TestCase::test_0"},
		"many files":    {tests(3000, 1), 4, "pytest tests/test_0000.py tests/test_0001.py "},
		"too many":      {tests(20_000, 1), 2, "# more than the selection, which is too long for a command: all tests\npytest"},
		"inside":        {whole, 1, "pytest tests/test_0000.py::TestCase tests/test_0001.py"},
	} {
		got := testCommands(c.run)
		if len(got) != c.lines || !strings.Contains(strings.Join(got, "\n"), c.want) {
			t.Errorf("%s: %d lines, %.200q", name, len(got), got)
		}
		for _, line := range got {
			if len(line) > lang.MaxCommand {
				t.Errorf("%s: %d bytes", name, len(line))
			}
		}
	}
}
