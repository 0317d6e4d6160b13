package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPermute(t *testing.T) {
	for n := range 40 {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		order, s := make([]int32, n), make([]int, n)
		for i, to := range r.Perm(n) {
			order[i], s[i] = int32(to), r.IntN(1000)
		}
		want := make([]int, n)
		for i, from := range order {
			want[i] = s[from]
		}
		if permute(s, order); !slices.Equal(s, want) {
			t.Fatalf("%d: %v, want %v", n, s, want)
		}
	}
}
