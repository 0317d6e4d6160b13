package impact_test

import (
	"fmt"
	"testing"

	"github.com/codekg/kg/diff"
	"github.com/codekg/kg/diff/difftest"
	"github.com/codekg/kg/diff/impact"
)

func BenchmarkCompute(b *testing.B) {
	base := difftest.Synthetic(100_000, 500_000, func(int) int { return 0 })
	for _, n := range []int{10, 5000} {
		step := 100_000 / n
		head := difftest.Synthetic(100_000, 500_000, func(i int) int {
			if i%step == 7 {
				return i/step%4 + 1
			}
			return 0
		})
		d := diff.Compare(base, head)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			var r *impact.Result
			for b.Loop() {
				r = impact.Compute(d, impact.Options{})
			}
			b.ReportMetric(float64(len(r.Changes)), "changes")
			b.ReportMetric(float64(r.Totals.Impacted), "impacted")
		})
	}
}
