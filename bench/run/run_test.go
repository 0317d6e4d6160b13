package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain lets the test program stand in for kg, the oracle and the scorer.
func TestMain(m *testing.M) {
	if os.Getenv("KG_BENCH_STAND_IN") == "" {
		os.Exit(m.Run())
	}
	if err := standIn(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func standIn(args []string) error {
	switch args[0] {
	case "build":
		if strings.Contains(args[1], "bad") {
			return fmt.Errorf("cannot build %s", args[1])
		}
		return os.WriteFile(args[3], []byte("graph of "+args[1]), 0o644)
	case "-parse":
		fmt.Println(`{"files":7,"bytes":2000000,"parse":0.5}`)
		return nil
	case "export":
		data, err := os.ReadFile(args[1])
		if err != nil {
			return err
		}
		return os.WriteFile(strings.TrimPrefix(args[3], "jsonl="), data, 0o644)
	case "-prepare":
		return standIn(args[1:])
	case "-o":
		return os.WriteFile(args[1], []byte("truth of "+args[2]), 0o644)
	case "-kg":
		graph, err := os.ReadFile(args[1])
		if err != nil {
			return err
		}
		truth, err := os.ReadFile(args[3])
		if err != nil {
			return err
		}
		if len(graph) == 0 || len(truth) == 0 {
			return fmt.Errorf("nothing to compare: %q, %q", graph, truth)
		}
		fmt.Println(`{"judged":7,"kinds":[{"kind":"calls","pairs":{"right":9,"wrong":1,"found":9,"truth":12},"tags":{"init":{"right":3,"found":3,"truth":3}},
			"wrong_by":[{"reason":"odd","n":1}],"wrong_examples":[{"file":"a.go","line":3,"from":"A","to":"B","reason":"odd","source":"x | y"}],
			"missed_by":[{"reason":"lost","n":3}]}]}`)
		return nil
	}
	if filepath.IsAbs(args[0]) {
		fmt.Println(`{"files":8,"bytes":2000000,"read":0.7,"link":0.1,"write":0.1,"graph":500000}`)
		return nil
	}
	return fmt.Errorf("unexpected arguments %q", args)
}

func TestRun(t *testing.T) {
	t.Setenv("KG_BENCH_STAND_IN", "1")
	dir, keep := t.TempDir(), t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := config{kg: self, oracle: self, score: self, phases: self, keep: keep, kinds: "calls,converts", times: 2}
	var out strings.Builder
	err = run(c, []string{filepath.Join(dir, "good"), filepath.Join(dir, "bad")}, &out, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "bad") {
		t.Errorf("error %v, want one about the repository that cannot be built", err)
	}
	for _, want := range []string{
		"| good | 7 | 0.9000 / 0.7500 (12) | – | – | 1 / 1 (3) | – | – | – |",
		"| good | 0.9000 / 0.7500 (12) | – |",
		"| good | 8 | 2.00 | 0.50 | ",
		" | 0.20 | ",
		" | 0.25 |",
		"| 3 | calls | missed: lost | good |  |\n| 1 | calls | wrong: odd | good | good a.go:3, A → B: `x \\| y` |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	columns := 0
	for line := range strings.Lines(out.String()) {
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if n > 0 && columns > 0 && n != columns {
			t.Errorf("the row %q has %d cells, want %d", line, n-1, columns-1)
		}
		columns = n
	}
	// A kept truth is used again, unless it is asked for anew.
	kept := filepath.Join(keep, "good.jsonl")
	if err := os.WriteFile(kept, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, fresh := range []bool{false, true} {
		c.fresh, c.prepare = fresh, fresh
		if err := run(c, []string{filepath.Join(dir, "good")}, io.Discard, io.Discard); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(kept)
		if err != nil {
			t.Fatal(err)
		}
		if (string(data) == "old") == fresh {
			t.Errorf("fresh %v: the oracle's output is %q", fresh, data)
		}
	}
}
