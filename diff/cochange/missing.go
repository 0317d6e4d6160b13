package cochange

// A file is missed from a change if its habit is at least this strong.
const (
	missedSupport    = 4
	missedConfidence = 0.6

	// Of many files none is missed much.
	maxMissed = 5
)

// Missing returns the files that a change leaves out although they nearly
// always changed together with one of its files, likeliest first. The arguments
// are those of [Index.Rank]; changed must be the whole change.
func (x *Index) Missing(changed []string, exists func(path string) bool) []Habit {
	var missed []Habit
	for _, h := range x.Rank(changed, exists) {
		if h.Support >= missedSupport && h.Confidence >= missedConfidence && len(missed) < maxMissed {
			missed = append(missed, h)
		}
	}
	return missed
}
