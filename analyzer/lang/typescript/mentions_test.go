package typescript

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestClientWords(t *testing.T) {
	f := clientWords()
	want := func(src []byte) (found uint8) {
		contained := func(w string) bool { return bytes.Contains(src, []byte(w)) }
		if slices.ContainsFunc(messageWords, contained) {
			found |= ofMessages
		}
		if slices.ContainsFunc(requestWords, contained) {
			found |= ofRequests
		}
		return found
	}
	check := func(src string) {
		t.Helper()
		if got, want := f.find([]byte(src)), want([]byte(src)); got != want {
			t.Errorf("%q: found %b, want %b", src, got, want)
		}
	}
	check("")
	check("k")
	for _, w := range slices.Concat(messageWords, requestWords) {
		for _, src := range []string{w, " " + w, w + " ", "  " + w + "x", w[:len(w)-1], w[1:], w[:len(w)-1] + " " + w, "x" + w[1:] + w} {
			check(src)
			check("x" + src)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		src := make([]byte, r.IntN(40))
		for i := range src {
			src[i] = "kafkmqtnsuperagotbldwix-"[r.IntN(24)]
		}
		check(string(src))
	}
}
