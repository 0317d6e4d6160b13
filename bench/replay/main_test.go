package main

import (
	"context"
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	for line, want := range map[string][]string{
		`go test -C 'a b' -run '^(TestA|TestB)$'`: {"a b", "^(TestA|TestB)$", "exact"},
		`go test -C a`: {"a", "^(Test|Example|Fuzz)", ""},
		`go test -run '^$' -bench '^(BenchmarkA)$'`:     {".", "^(BenchmarkA)$", "exact"},
		`go test -run '^$' -bench .`:                    {".", "^Benchmark", ""},
		`go test ./...`:                                 {".", "^(Test|Example|Fuzz)", ""},
		`go test -v`:                                    nil,
		`go test -C a -race -tags x,y -run '^(TestA)$'`: {"a", "^(TestA)$", "exact", "-race", "-tags", "x,y"},
	} {
		args, err := words(context.Background(), line)
		if err != nil {
			t.Skip(err) // no shell
		}
		dir, pattern, build, exact, ok := parse(args)
		got := []string{dir, pattern, ""}
		if exact {
			got[2] = "exact"
		}
		got = append(got, build...)
		if !ok {
			got = nil
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
