package report

import (
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/graph"
)

func TestProseTypes(t *testing.T) {
	for in, want := range map[string]string{
		"type HashMap<String, List<T>> instead of []int.":                          "type `HashMap<String, List<T>>` instead of `[]int`.",
		"parameter m map[K, V] (used once), and chan<- int":                        "parameter m `map[K, V]` (used once), and `chan<-` int",
		"f(a, b) is gone (it was [here":                                            "`f(a, b)` is gone (it was `[here`",
		"a function (int, string) -> int of <T, U extends T>":                      "a function (int, string) `->` int of `<T, U extends T>`",
		"result func(int) (string, error) instead of x.Run(int) (removed with it)": "result `func(int) (string, error)` instead of `x.Run(int)` (removed with it)",
		`renamed from "should be (really) <b> it's, \"x\" and", another body`:      "renamed from `\"should be (really) <b> it's, \\\"x\\\" and\"`, another body",
		`type "a" instead of " b.`:                                                 "type `\"a\"` instead of `\"` b.",
		"(type map[K]func(a, b) (c) instead of {…} | core.P | null), too":          "(type `map[K]func(a, b) (c)` instead of `{…} | core.P | null`), too",
	} {
		if got := prose(in); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestRenamedTitle(t *testing.T) {
	for from, want := range map[string]string{"old": "renamed from old", `does "x" well`: `renamed from "does \"x\" well"`} {
		if got := phrase(&Detail{Code: "name_changed", From: from}); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestInstead(t *testing.T) {
	long := strings.Repeat("x.Long | ", 20) + "x.End"
	for _, c := range [][4]string{
		{"type", "b/c.T", "a.T", "type c.T instead of a.T"},
		{"type", "= func(int)", "func(int)", "an alias of func(int) now, not a type of its own"},
		{"type", "int", "= int", "a type of its own now, not an alias of int"},
		{"type", "= int", "= string", "type int instead of string"},
		{"type", "= int", "string", "type an alias of int instead of string"},
		{"result", "T", long, "another result"},
		{"result", "func($0)", "T", "another result"},
		{"parameter x:", long, "T", "parameter x: another type"},
		{"result", "core.Payload[?]", " | core.Payload[?, ?]", "result core.Payload instead of {…} | core.Payload"},
		{"type", "P[?]", "P[?, ?]", "another type"},
		{"type", "a |  | b | ", "a", "type a | {…} | b | {…} instead of a"},
	} {
		if got := instead(c[0], brief(c[1]), brief(c[2])); got != c[3] {
			t.Errorf("%s, %s\n got %s\nwant %s", c[1], c[2], got, c[3])
		}
	}
}

func TestEntriesOfOneName(t *testing.T) {
	var list entries
	for _, f := range []string{"server/main.go", "etcdctl/main.go"} {
		list = append(list, entry{EntryPoint: EntryPoint{Symbol: Symbol{ID: f, Name: "main.main", File: f}}})
	}
	if got, want := list.clause("it"), "main.main in server and main.main in etcdctl reach it"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestUntold checks that there are words for each reason.
func TestUntold(t *testing.T) {
	for r := range graph.ReasonCount {
		if _, ok := untoldWords[graph.Reason(r).String()]; !ok {
			t.Errorf("no words for %v", graph.Reason(r))
		}
	}
}
