package report

import "testing"

func TestProseTypes(t *testing.T) {
	for in, want := range map[string]string{
		"type HashMap<String, List<T>> instead of []int.":     "type `HashMap<String, List<T>>` instead of `[]int`.",
		"parameter m map[K, V] (used once), and chan<- int":   "parameter m `map[K, V]` (used once), and `chan<-` int",
		"f(a, b) is gone (it was [here":                       "`f(a, b)` is gone (it was `[here`",
		"a function (int, string) -> int of <T, U extends T>": "a function (int, string) `->` int of `<T, U extends T>`",
	} {
		if got := prose(in); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}
