package history

import "bytes"

// Range is one stretch of lines that differs: OldLen lines of the old text,
// beginning at line OldStart, became NewLen lines of the new text, beginning
// at line NewStart.
//
// Lines count from 1. A length of zero means that nothing was there (an
// insertion has OldLen 0, a deletion NewLen 0); the start is then the line
// before which the other side's lines belong, which may be one more than the
// number of lines. One of the two lengths is never zero.
//
// A line includes its line feed, so a text that gained only a final line feed
// differs in its last line.
type Range struct {
	OldStart, OldLen int
	NewStart, NewLen int
}

// Work that [LineRanges] may do, in steps of its inner loop, before it gives
// up on precision. Real pairs of files of 10,000 lines stay below a tenth of
// it. The number is a count and not a time, so that the answer is the same on
// every machine.
const maxLineWork = 1 << 25

// LineRanges returns the stretches of lines in which the two texts differ, in
// ascending order, never touching each other. Replacing the old lines of each
// range by its new lines turns old into new.
//
// The ranges are as few lines as Myers' algorithm finds, except where two
// texts differ so much that finding them would take more than a fixed amount
// of work; the remaining stretch between the lines that are already known to
// match is then one range. Memory is linear in the number of lines.
func LineRanges(old, new []byte) []Range {
	if bytes.Equal(old, new) {
		return nil
	}
	a, b, distinct := internLines(old, new)
	d := differ{
		changedA: make([]bool, len(a)),
		changedB: make([]bool, len(b)),
		work:     maxLineWork,
	}
	d.compare(a, b, distinct)
	return d.ranges()
}

// internLines gives equal lines of the two texts equal numbers below
// distinct.
func internLines(old, new []byte) (a, b []int32, distinct int) {
	numbers := make(map[string]int32)
	intern := func(text []byte) []int32 {
		lines := make([]int32, 0, bytes.Count(text, []byte{'\n'})+1)
		for len(text) > 0 {
			end := bytes.IndexByte(text, '\n') + 1
			if end == 0 {
				end = len(text)
			}
			n, ok := numbers[string(text[:end])]
			if !ok {
				n = int32(len(numbers))
				numbers[string(text[:end])] = n
			}
			lines = append(lines, n)
			text = text[end:]
		}
		return lines
	}
	a, b = intern(old), intern(new)
	return a, b, len(numbers)
}

// A differ marks the lines of two texts that have no partner in the other.
type differ struct {
	changedA, changedB []bool
	work               int
}

// compare marks the differences between a and b. Lines that one side does not
// have at all are marked first and left out of the search: they can match
// nothing, and they are what makes the search slow.
func (d *differ) compare(a, b []int32, distinct int) {
	inA, inB := make([]bool, distinct), make([]bool, distinct)
	for _, n := range a {
		inA[n] = true
	}
	for _, n := range b {
		inB[n] = true
	}
	keep := func(lines []int32, other, changed []bool) (kept []int32, at []int) {
		for i, n := range lines {
			if other[n] {
				kept, at = append(kept, n), append(at, i)
			} else {
				changed[i] = true
			}
		}
		return kept, at
	}
	keptA, atA := keep(a, inB, d.changedA)
	keptB, atB := keep(b, inA, d.changedB)

	search := myers{a: keptA, b: keptB, work: d.work}
	search.run(
		func(i int) { d.changedA[atA[i]] = true },
		func(j int) { d.changedB[atB[j]] = true },
	)
}

// ranges joins marked lines that stand together into ranges.
func (d *differ) ranges() []Range {
	var out []Range
	for i, j := 0, 0; i < len(d.changedA) || j < len(d.changedB); {
		startA, startB := i, j
		for i < len(d.changedA) && d.changedA[i] {
			i++
		}
		for j < len(d.changedB) && d.changedB[j] {
			j++
		}
		if i > startA || j > startB {
			out = append(out, Range{
				OldStart: startA + 1, OldLen: i - startA,
				NewStart: startB + 1, NewLen: j - startB,
			})
			continue
		}
		i, j = i+1, j+1 // two lines that match each other
	}
	return out
}
