package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codekg/kg/bench/scoring"
)

// shop is the oracle's output for the repository of bench/testdata/shop.txtar.
const shop = "../testdata/shop.oracle.jsonl"

func TestRun(t *testing.T) {
	graph := filepath.Join(t.TempDir(), "graph.jsonl")
	var text, again bytes.Buffer
	self := config{oracle: shop, self: true, drop: 0.1, bend: 0.05, seed: 1, write: graph, misses: 2, groups: 3,
		initialisers: "variable"}
	if err := run(self, &text); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(graph); err != nil {
		t.Fatal(err)
	}
	c := config{oracle: shop, kg: graph, misses: 2, groups: 3, initialisers: self.initialisers}
	if err := run(c, &again); err != nil {
		t.Fatal(err)
	}
	if text.String() != again.String() {
		t.Errorf("the written graph scores differently:\n%s\n%s", text.String(), again.String())
	}
	for _, want := range []string{"calls", "recall", "missed: ", "definitions"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	var out bytes.Buffer
	c.json, c.kinds = true, "calls,implements"
	if err := run(c, &out); err != nil {
		t.Fatal(err)
	}
	var s scoring.Score
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	if s.Schema != "kg.score/v1" || len(s.Kinds) != 2 || s.Kinds[0].Kind != "calls" {
		t.Errorf("score %+v", s)
	}
	for _, bad := range []config{{}, {oracle: shop}, {oracle: shop, self: true, kg: graph}, {oracle: shop, self: true}} {
		if err := run(bad, &out); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}
