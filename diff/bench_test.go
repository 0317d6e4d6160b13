package diff_test

import (
	"fmt"
	"testing"

	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/difftest"
)

// every changes the given number of declarations of a graph of 100,000 nodes,
// spread over it and over the kinds of changes.
func every(changes int) func(int) int {
	step := 100_000 / changes
	return func(n int) int {
		if n%step == 7 || step < 10 && n%step == 0 {
			return n/step%4 + 1
		}
		return 0
	}
}

func BenchmarkCompare(b *testing.B) {
	base := difftest.Synthetic(100_000, 500_000, func(int) int { return 0 })
	for _, n := range []int{10, 5000} {
		head := difftest.Synthetic(100_000, 500_000, every(n))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			var d *diff.Delta
			for b.Loop() {
				d = diff.Compare(base, head)
			}
			b.ReportMetric(float64(len(d.Changes)), "changes")
		})
	}
}
