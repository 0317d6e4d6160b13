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
		fmt.Println(`{"judged":7,"kinds":[{"kind":"calls","pairs":{"right":9,"wrong":1,"precision":0.9,"truth":12,"recall":0.75}}]}`)
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
	c := config{kg: self, oracle: self, score: self, keep: keep, kinds: "calls,converts"}
	var out strings.Builder
	err = run(c, []string{filepath.Join(dir, "good"), filepath.Join(dir, "bad")}, &out, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "bad") {
		t.Errorf("error %v, want one about the repository that cannot be built", err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("want a head of two lines and one row, got\n%s", out.String())
	}
	if !strings.HasPrefix(lines[2], "| good | 7 | ") || !strings.HasSuffix(lines[2], " | 0.900 / 0.750 (12) | - |") {
		t.Errorf("row %q", lines[2])
	}
	for _, line := range lines {
		if strings.Count(line, "|") != strings.Count(lines[0], "|") {
			t.Errorf("the rows differ in length:\n%s", out.String())
		}
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
