package history_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/history"
)

func TestLineRanges(t *testing.T) {
	type r = history.Range
	tests := []struct {
		name     string
		old, new string
		want     []r
	}{
		{"both empty", "", "", nil},
		{"equal", "a\nb\n", "a\nb\n", nil},
		{"all new", "", "a\nb\n", []r{{1, 0, 1, 2}}},
		{"all gone", "a\nb\n", "", []r{{1, 2, 1, 0}}},
		{"changed in the middle", "a\nb\nc\n", "a\nX\nc\n", []r{{2, 1, 2, 1}}},
		{"inserted at the end", "a\n", "a\nb\n", []r{{2, 0, 2, 1}}},
		{"inserted at the start", "b\n", "a\nb\n", []r{{1, 0, 1, 1}}},
		{"removed", "a\nb\nc\n", "a\nc\n", []r{{2, 1, 2, 0}}},
		{"final line feed", "a\nb", "a\nb\n", []r{{2, 1, 2, 1}}},
		{"two places", "a\nb\nc\nd\ne\n", "a\nc\nd\nE\n", []r{{2, 1, 2, 0}, {5, 1, 4, 1}}},
		{"moved", "a\nb\nc\n", "b\nc\na\n", []r{{1, 1, 1, 0}, {4, 0, 3, 1}}},
		{"carriage returns", "a\r\nb\r\n", "a\nb\n", []r{{1, 2, 1, 2}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := history.LineRanges([]byte(test.old), []byte(test.new))
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("LineRanges(%q, %q) = %v, want %v", test.old, test.new, got, test.want)
			}
			check(t, []byte(test.old), []byte(test.new))
		})
	}
}

// TestLineRangesTransform replaces ranges in random texts over few lines,
// where matches are many, and in edited copies.
func TestLineRangesTransform(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(lines, alphabet int) []byte {
		var b bytes.Buffer
		for range random.IntN(lines + 1) {
			fmt.Fprintf(&b, "%c\n", 'a'+rune(random.IntN(alphabet)))
		}
		return b.Bytes()
	}
	for range 3000 {
		alphabet := 1 + random.IntN(6)
		check(t, text(30, alphabet), text(30, alphabet))
	}
}

// TestLineRangesAreFewest compares the number of lines with the one that the
// quadratic table finds.
func TestLineRangesAreFewest(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		old, new := make([]string, random.IntN(14)), make([]string, random.IntN(14))
		for i := range old {
			old[i] = string(rune('a'+random.IntN(4))) + "\n"
		}
		for i := range new {
			new[i] = string(rune('a'+random.IntN(4))) + "\n"
		}
		edits := 0
		for _, r := range history.LineRanges([]byte(strings.Join(old, "")), []byte(strings.Join(new, ""))) {
			edits += r.OldLen + r.NewLen
		}
		if want := len(old) + len(new) - 2*commonLength(old, new); edits != want {
			t.Fatalf("%q to %q: %d lines, want %d", old, new, edits, want)
		}
	}
}

func commonLength(a, b []string) int {
	table := make([][]int, len(a)+1)
	table[0] = make([]int, len(b)+1)
	for i := range a {
		table[i+1] = make([]int, len(b)+1)
		for j := range b {
			if a[i] == b[j] {
				table[i+1][j+1] = table[i][j] + 1
			} else {
				table[i+1][j+1] = max(table[i][j+1], table[i+1][j])
			}
		}
	}
	return table[len(a)][len(b)]
}

// TestLineRangesCap gives two long texts that share their lines in random
// order: the search gives up, and the answer is still right.
func TestLineRangesCap(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	shuffled := func() []byte {
		var b bytes.Buffer
		b.WriteString("first\n")
		for _, n := range random.Perm(60_000) {
			fmt.Fprintf(&b, "%d\n", n)
		}
		b.WriteString("last\n")
		return b.Bytes()
	}
	old, new := shuffled(), shuffled()
	check(t, old, new)
	ranges := history.LineRanges(old, new)
	if first := ranges[0]; first.OldStart != 2 || first.NewStart != 2 {
		t.Errorf("the equal first line is in %v", first)
	}
}

// check applies the ranges to old and compares with new.
func check(t *testing.T, old, new []byte) {
	t.Helper()
	ranges := history.LineRanges(old, new)
	oldLines, newLines := bytes.SplitAfter(old, []byte{'\n'}), bytes.SplitAfter(new, []byte{'\n'})
	var got bytes.Buffer
	at, atNew := 0, 0
	for i, r := range ranges {
		if r.OldLen < 0 || r.NewLen < 0 || r.OldLen+r.NewLen == 0 || r.OldStart < at+1 {
			t.Fatalf("range %d of %v is not a range", i, ranges)
		}
		if i > 0 && r.OldStart == at+1 {
			t.Fatalf("ranges %d and %d of %v touch", i-1, i, ranges)
		}
		for _, line := range oldLines[at : r.OldStart-1] {
			got.Write(line)
			atNew++
		}
		if atNew != r.NewStart-1 {
			t.Fatalf("range %d of %v begins at line %d of the new text", i, ranges, atNew+1)
		}
		for _, line := range newLines[r.NewStart-1 : r.NewStart-1+r.NewLen] {
			got.Write(line)
		}
		at, atNew = r.OldStart-1+r.OldLen, atNew+r.NewLen
	}
	for _, line := range oldLines[at:] {
		got.Write(line)
	}
	if !bytes.Equal(got.Bytes(), new) {
		t.Fatalf("applying %v to %q gives %q, want %q", ranges, clip(old), clip(got.Bytes()), clip(new))
	}
}

func clip(b []byte) []byte { return b[:min(len(b), 200)] }

func FuzzLineRanges(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nc\nb"))
	f.Add([]byte(""), []byte("\n\n\n"))
	f.Fuzz(func(t *testing.T, old, new []byte) { check(t, old, new) })
}

func BenchmarkLineRanges(b *testing.B) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, size := range []int{100, 1_000, 10_000} {
		for _, part := range []int{1, 50} {
			var old, new bytes.Buffer
			for i := range size {
				line := fmt.Sprintf("\tline %d of the text\n", i)
				if i%3 == 0 {
					line = "\t}\n"
				}
				old.WriteString(line)
				if random.IntN(100) < part {
					line = fmt.Sprintf("\tedited %d\n", i%7)
				}
				new.WriteString(line)
			}
			b.Run(fmt.Sprintf("lines=%d/edited=%d%%", size, part), func(b *testing.B) {
				b.SetBytes(int64(old.Len()))
				b.ReportAllocs()
				for b.Loop() {
					history.LineRanges(old.Bytes(), new.Bytes())
				}
			})
		}
	}
	var old, new bytes.Buffer
	for _, n := range random.Perm(100_000) {
		fmt.Fprintf(&old, "%d\n", n)
	}
	for _, n := range random.Perm(100_000) {
		fmt.Fprintf(&new, "%d\n", n)
	}
	b.Run("lines=100000/shuffled", func(b *testing.B) {
		for b.Loop() {
			history.LineRanges(old.Bytes(), new.Bytes())
		}
	})
}
