package cochange_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/codekg/kg/analyzer/history"
	"github.com/codekg/kg/diff/cochange"
)

// logOf reads a log, one line for each commit, newest first: files that it
// changed. old>new is a rename, -x a removal, !x a change of the mode, and a
// commit that begins with * is a merge. N×LINE is a line N times.
func logOf(text string) *history.Log {
	log := &history.Log{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		times := 1
		if before, after, ok := strings.Cut(line, "×"); ok {
			fmt.Sscan(before, &times)
			line = after
		}
		e := history.Entry{Parents: 1}
		for _, f := range strings.Fields(line) {
			c := history.FileChange{Path: f, Kind: history.Modified}
			switch old, new, renamed := strings.Cut(f, ">"); {
			case f == "*":
				e.Parents = 2
				continue
			case renamed:
				c = history.FileChange{Path: new, OldPath: old, Kind: history.Renamed}
			case f[0] == '-':
				c = history.FileChange{Path: f[1:], Kind: history.Removed}
			case f[0] == '!':
				c = history.FileChange{Path: f[1:], Kind: history.ModeOnly}
			}
			e.Changes = append(e.Changes, c)
		}
		for range times {
			log.Commits = append(log.Commits, e)
		}
	}
	return log
}

func always(string) bool { return true }

// say writes habits as "file support/confidence with".
func say(habits []cochange.Habit) string {
	var all []string
	for _, h := range habits {
		all = append(all, fmt.Sprintf("%s %d/%.2f %s", h.File, h.Support, h.Confidence, strings.Join(h.With, ",")))
	}
	return strings.Join(all, "; ")
}

func TestRank(t *testing.T) {
	many := make([]string, cochange.MaxFiles+1)
	for i := range many {
		many[i] = fmt.Sprintf("f%d", i)
	}
	for _, test := range []struct {
		name, log, changed, want string
		gone                     string
	}{
		{name: "support and confidence", changed: "a",
			log:  "3×a b\na c\na",
			want: "b 3/0.60 a; c 1/0.20 a"},
		{name: "nothing known", changed: "x", log: "a b"},
		{name: "nothing asked", log: "a b"},
		{name: "a file alone", changed: "a", log: "5×a"},
		{name: "files of the change are no candidates", changed: "a b",
			log:  "3×a b c",
			want: "c 3/1.00 a,b"},
		{name: "the strongest file is named, and those of half its strength", changed: "a b c",
			log:  "8×a x\n4×b x\n2×b\n1×c x\n5×c",
			want: "x 8/1.00 a,b"},
		{name: "files that are gone", changed: "a", gone: "c",
			log:  "-c\n3×a b c",
			want: "b 3/1.00 a"},
		{name: "merges", changed: "a", log: "* a b\na c", want: "c 1/1.00 a"},
		{name: "modes", changed: "a", log: "a !b c\n!a d", want: "c 1/1.00 a"},
		{name: "bulk commits", changed: "f0", log: strings.Join(many, " ") + "\n" + strings.Join(many[:2], " "),
			want: "f1 1/1.00 f0"},
		{name: "most that is no bulk", changed: "f0", log: "f0 f9\n" + strings.Join(many[:3], " "),
			want: "f9 1/0.50 f0; f1 1/0.50 f0; f2 1/0.50 f0"},
		{name: "what tools write", changed: "a go.sum",
			log:  "4×a go.sum yarn.lock package-lock.json b\n9×go.sum z",
			want: "b 4/1.00 a"},
		{name: "a rename keeps the history", changed: "new",
			log:  "new\nold>new\n3×old b",
			want: "b 3/0.60 new"},
		{name: "of the other file too", changed: "a",
			log:  "older>new\n2×a older\na oldest\noldest>older",
			want: "new 2/0.67 a; oldest 1/0.33 a", gone: "older"},
		{name: "a chain of renames", changed: "a",
			log:  "y>z\nx>y\n3×a x",
			want: "z 3/1.00 a"},
		{name: "a name that is used again is another file's", changed: "old",
			log:  "old c\nold>new\n3×old b",
			want: "c 1/1.00 old"},
		{name: "small commits say more", changed: "a",
			log:  "a big1 big2 big3 big4\na small",
			want: "small 1/0.50 a; big1 1/0.50 a; big2 1/0.50 a; big3 1/0.50 a; big4 1/0.50 a"},
		{name: "recent commits say more", changed: "a",
			log:  "4×a now\n40×a\n5×a then",
			want: "now 4/0.08 a; then 5/0.10 a"},
		{name: "age is that of the file", changed: "a",
			log:  "900×other\n4×a b",
			want: "b 4/1.00 a"},
		{name: "commits with more of the change say more", changed: "a b",
			log:  "a b both\na x one\nb y one",
			want: "both 1/0.50 a,b; one 1/0.50 a,b; x 1/0.50 a; y 1/0.50 b"},
		{name: "what changes with everything says less", changed: "a",
			log:  "2×a everything b\n60×everything",
			want: "b 2/1.00 a; everything 2/1.00 a"},
		{name: "tests of the change", changed: "p/store.go",
			log:  "3×p/store.go q/far.go p/store_test.go p/near.go",
			want: "p/store_test.go 3/1.00 p/store.go; p/near.go 3/1.00 p/store.go; q/far.go 3/1.00 p/store.go"},
	} {
		t.Run(test.name, func(t *testing.T) {
			exists := func(p string) bool { return !slices.Contains(strings.Fields(test.gone), p) }
			if got := say(cochange.New(logOf(test.log)).Rank(strings.Fields(test.changed), exists)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestPartialCommitsDoNotCount(t *testing.T) {
	log := logOf("a b")
	log.Commits[0].Partial = true
	if x := cochange.New(log); x.Commits() != 0 {
		t.Errorf("%d commits", x.Commits())
	}
}

func TestMissing(t *testing.T) {
	x := cochange.New(logOf("9×a b\n4×a c\n1×a\n6×d e f\n6×d f\n3×g h"))
	for changed, want := range map[string]string{
		"a":   "",                       // b came with 9 of 14
		"b":   "a 9/1.00 b",             // but a with all of b
		"a b": "",                       // complete
		"d":   "f 12/1.00 d",            // e came with half
		"e":   "d 6/1.00 e; f 6/1.00 e", //
		"g":   "",                       // too few commits to be a habit
	} {
		if got := say(x.Missing(strings.Fields(changed), always)); got != want {
			t.Errorf("%s: got %q, want %q", changed, got, want)
		}
	}
}

// TestProperties holds the ranking against what must be true of any history.
func TestProperties(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 3))
		file := func() string { return fmt.Sprintf("d%d/f%d.go", random.IntN(3), random.IntN(8)) }
		log := &history.Log{}
		for range random.IntN(60) {
			e := history.Entry{Parents: 1 + random.IntN(8)/7, Time: random.Int64N(1000)}
			for range 1 + random.IntN(5) {
				c := history.FileChange{Path: file(), Kind: history.Kind(1 + random.IntN(5))}
				if c.Kind == history.Renamed {
					c.OldPath = file()
				}
				e.Changes = append(e.Changes, c)
			}
			log.Commits = append(log.Commits, e)
		}
		x := cochange.New(log)
		changed := []string{file(), file(), file()}
		exists := func(p string) bool { return !strings.HasSuffix(p, "f7.go") }
		habits := x.Rank(changed, exists)

		slices.Reverse(changed)
		if again := cochange.New(log).Rank(append(changed, changed[0]), exists); !reflect.DeepEqual(habits, again) {
			t.Fatalf("seed %d: the order of the question matters:\n%s\n%s", seed, say(habits), say(again))
		}
		seen := map[string]bool{}
		for i, h := range habits {
			switch {
			case seen[h.File] || slices.Contains(changed, h.File) || !exists(h.File):
				t.Errorf("seed %d: %s is no candidate", seed, h.File)
			case h.Support < 1 || h.Support > x.Commits() || h.Confidence <= 0 || h.Confidence > 1 || h.Score < 0:
				t.Errorf("seed %d: %+v", seed, h)
			case len(h.With) < 1 || len(h.With) > cochange.MaxWith || slices.ContainsFunc(h.With, func(p string) bool { return !slices.Contains(changed, p) }):
				t.Errorf("seed %d: %s with %v", seed, h.File, h.With)
			case i > 0 && h.Score > habits[i-1].Score:
				t.Errorf("seed %d: %s is out of order", seed, h.File)
			}
			seen[h.File] = true
		}
		for _, h := range x.Missing(changed, exists) {
			if !seen[h.File] {
				t.Errorf("seed %d: %s is missed and not ranked", seed, h.File)
			}
		}
	}
}

func BenchmarkRank(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	log := &history.Log{}
	for range 10_000 {
		e := history.Entry{Parents: 1}
		for range 1 + random.IntN(12) {
			n := random.IntN(40)
			e.Changes = append(e.Changes, history.FileChange{Path: fmt.Sprintf("dir%d/file%d.go", n, n*random.IntN(50)), Kind: history.Modified})
		}
		log.Commits = append(log.Commits, e)
	}
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			cochange.New(log)
		}
	})
	x := cochange.New(log)
	b.Run("rank", func(b *testing.B) {
		for b.Loop() {
			x.Rank([]string{"dir1/file7.go", "dir0/file0.go", "dir9/file9.go"}, always)
		}
	})
}
