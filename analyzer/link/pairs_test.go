package link

import (
	"math/rand/v2"
	"testing"
)

func TestPairs(t *testing.T) {
	type key struct{ a, b int32 }
	r := rand.New(rand.NewPCG(1, 2))
	var m pairs[int]
	for range 3 {
		want := map[key]int{}
		for i := range 5000 {
			k := key{r.Int32N(100), r.Int32N(40) - 1}
			if v, ok := m.get(k.a, k.b); v != want[k] && ok || ok != (want[k] != 0) {
				t.Fatalf("%v: %d, %v instead of %d", k, v, ok, want[k])
			}
			m.set(k.a, k.b, i+1)
			want[k] = i + 1
		}
		if m.used != len(want) {
			t.Errorf("%d pairs instead of %d", m.used, len(want))
		}
		m.clear()
	}
}
