package facts_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/facts"
)

func TestFinder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var words []string
		for range 1 + r.IntN(4) {
			words = append(words, randomText(r, 4+r.IntN(3)))
		}
		f := facts.NewFinder(words...)
		for range 10 {
			text := randomText(r, r.IntN(60))
			if got, want := f.In([]byte(text)), slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) }); got != want {
				t.Fatalf("%q in %q: %v", words, text, got)
			}
		}
	}
}

// randomText returns n letters, of which there are few.
func randomText(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "abc\xff"[r.IntN(4)]
	}
	return string(b)
}
