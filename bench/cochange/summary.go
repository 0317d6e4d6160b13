package main

import (
	"math/rand/v2"
	"slices"
)

// row is what is said of a repository, or of all.
type row struct {
	Name       string  `json:"name"`
	Commits    int     `json:"commits"`
	Files      int     `json:"files"`
	Confidence float64 `json:"confidence"`
	Kg         float64 `json:"kg"`
	Difference float64 `json:"difference"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Found      float64 `json:"found"`
	Noise      float64 `json:"noise"`
	Seconds    float64 `json:"seconds,omitempty"`
}

// summarize makes means, and the interval of their difference. Whole commits
// are drawn again, because the files of one commit are not independent.
func summarize(name string, outcomes []outcome, resamples int) row {
	r := row{Name: name, Commits: len(outcomes)}
	type sums struct {
		difference float64
		files      int
	}
	each := make([]sums, len(outcomes))
	for i, o := range outcomes {
		for k := range o.ranked {
			r.Confidence += o.plain[k]
			r.Kg += o.ranked[k]
			each[i].difference += o.ranked[k] - o.plain[k]
		}
		each[i].files = len(o.ranked)
		r.Files += len(o.ranked)
		r.Found += float64(o.found)
		r.Noise += float64(o.noise)
	}
	if r.Files == 0 {
		return r
	}
	n := float64(r.Files)
	r.Confidence, r.Kg, r.Found, r.Noise = r.Confidence/n, r.Kg/n, r.Found/n, r.Noise/float64(r.Commits)
	r.Difference = r.Kg - r.Confidence

	random := rand.New(rand.NewPCG(1, 2)) // the same every time
	means := make([]float64, 0, resamples)
	for range resamples {
		var s sums
		for range each {
			d := each[random.IntN(len(each))]
			s.difference += d.difference
			s.files += d.files
		}
		if s.files > 0 {
			means = append(means, s.difference/float64(s.files))
		}
	}
	if len(means) > 0 {
		slices.Sort(means)
		r.Low, r.High = means[len(means)*25/1000], means[len(means)*975/1000]
	}
	return r
}
