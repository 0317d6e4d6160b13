package cochange

// A file is missed from a change if it is at the top of the ranking and its
// habit is at least this strong. So one complete commit of ten gets a name for
// nothing; with a confidence of 0.6 it would be two of ten, for half as many
// more files that are rightly missed.
const (
	missedOf         = 3
	missedSupport    = 5
	missedConfidence = 0.7
)

// Missing returns the files that a change leaves out although they nearly
// always changed together with one of its files, likeliest first. The arguments
// are those of [Index.Rank]; changed must be the whole change.
func (x *Index) Missing(changed []string, exists func(path string) bool) []Habit {
	ranked := x.Rank(changed, exists)
	var missed []Habit
	for _, h := range ranked[:min(missedOf, len(ranked))] {
		if h.Support >= missedSupport && h.Confidence >= missedConfidence {
			missed = append(missed, h)
		}
	}
	return missed
}
