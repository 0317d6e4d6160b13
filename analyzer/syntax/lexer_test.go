package syntax

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// chunks are sizes at which pieces of a file end in all places of a character.
var chunks = []int{4, 5, 6, 7, 16, 61, lexChunk, 4096}

// sameInChunks parses src in one piece and in many.
func sameInChunks(t *testing.T, src []byte, sizes ...int) {
	t.Helper()
	p := NewParser()
	defer p.Close()
	p.chunk = maxBytes
	tree, want := p.Parse(golang, src)
	stats := p.Stats
	if want == nil {
		tree = tree.Clone()
	}
	p.Limits.LexPerByte = 1 << 20 // a small piece is read more often
	for _, p.chunk = range sizes {
		got, err := p.Parse(golang, src)
		p.Stats.Lexed = stats.Lexed
		if (err == nil) != (want == nil) || p.Stats != stats {
			t.Fatalf("pieces of %d: %v %+v, want %v %+v", p.chunk, err, p.Stats, want, stats)
		}
		if err == nil && !slices.Equal(got.Nodes, tree.Nodes) {
			t.Fatalf("pieces of %d: another tree", p.chunk)
		}
	}
}

const wide = "package p\n\n// é € 𝄞 \xff \xe2\x82 \xf0\x9d\x84\n" +
	"var größe, 世界 = \"é€𝄞\xff\xf0\x9d\", `日本\n語\xc3`\n\xc3\xf0\x9d€\n" +
	"func 𝄞é() { x := '世'; y := \"\\u4e16\" /* 𝄞𝄞𝄞 */ }\n\xf0\x9d\x84"

// A tree does not depend on how the lexer gets the file.
func TestChunks(t *testing.T) {
	files := goFiles(t, "unicode/utf8", "errors", "go/scanner", "strconv")
	files = append(files, []byte(wide), []byte("\ufeff"+wide), []byte(strings.Repeat(wide, 50)))
	for _, src := range hostile(600) {
		files = append(files, src)
	}
	if testing.Short() {
		files = files[len(files)-30:]
	}
	for _, src := range files {
		sameInChunks(t, src, chunks...)
	}
	// Each border at each place.
	for i := range len(wide) {
		sameInChunks(t, []byte(strings.Repeat(" ", i)+wide), 64, 127)
	}
}

func FuzzChunks(f *testing.F) {
	f.Add([]byte(wide))
	for _, src := range hostile(200) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) { sameInChunks(t, src, 4, 5, 7, 32) })
}

// A file that passes does so with the budget that is just enough, and with no
// other; wherever the budget ends, nothing breaks.
func TestLexBudgetExact(t *testing.T) {
	p := NewParser()
	defer p.Close()
	for _, src := range []string{wide, "package p\n" + strings.Repeat("/*é\xff\xf0\x9d", 9), strings.Repeat("\xff", 50)} {
		for _, p.chunk = range []int{4, 5, 7, lexChunk} {
			p.Limits = DefaultLimits()
			if _, err := p.Parse(golang, []byte(src)); err != nil {
				t.Fatal(err)
			}
			need := p.Stats.Lexed
			p.Limits.LexPerByte = 0
			for p.Limits.LexBase = 0; p.Limits.LexBase < need+3; p.Limits.LexBase++ {
				if base := &p.Limits.LexBase; *base > 300 && *base < need-300 {
					*base += (need - 600) / 100
				}
				_, err := p.Parse(golang, []byte(src))
				var le *LimitError
				switch limit := p.Limits.LexBase; {
				case limit >= need:
					if err != nil || p.Stats.Lexed != need {
						t.Fatalf("%d of %d: %v", limit, need, err)
					}
				case !errors.As(err, &le) || le.Reason != LexBudget || le.Limit != limit || le.Got <= limit || le.Got > limit+int64(p.chunk):
					t.Fatalf("%d of %d: %v", limit, need, err)
				}
			}
		}
	}
}

// Tokens without an end make the lexer read the file again for each of its
// bytes, with no memory requested.
func TestLexBudget(t *testing.T) {
	const size = 1_000_000
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	cases := []struct {
		name, src string
		stopped   bool
	}{
		{"comments", repeat("/*new"), true},
		{"comments below code", "package p\n" + repeat("var x = 1\n")[:size/2] + repeat("/*new")[:size/2-10], true},
		{"comments in a function", "package p\nfunc f() {\n" + repeat("x/*y\n")[:size-30], true},
		{"comments of bad bytes", repeat("/*\xff"), true},
		{"comment marks", repeat("/*"), false},
		{"one identifier", repeat("x"), false},
		{"long identifiers", repeat(strings.Repeat("x", 5000) + " "), false},
		{"numbers", repeat("0x"), false},
		{"single quotes", repeat("'"), false},
		{"bad bytes", repeat("\xff"), false},
	}
	if !testing.Short() {
		// These end at other limits.
		for _, s := range []string{"\"", "\" a", "`", "`a ", "a`b\n", "/*`\"'"} {
			cases = append(cases, struct {
				name, src string
				stopped   bool
			}{s, repeat(s), false})
		}
	}
	p := NewParser()
	defer p.Close()
	for _, c := range cases {
		_, err := p.Parse(golang, []byte(c.src))
		budget := p.Limits.lexBudget(len(c.src))
		var le *LimitError
		if err != nil && !errors.As(err, &le) {
			t.Fatalf("%q: %v", c.name, err)
		}
		if stopped := le != nil && le.Reason == LexBudget; stopped != c.stopped || p.Stats.Lexed > budget+lexChunk {
			t.Errorf("%q: %v, read %d, budget %d", c.name, err, p.Stats.Lexed, budget)
		}
		t.Logf("%-24q read/byte %5.1f, requested/byte %6.1f, callbacks %d: %v", c.name,
			float64(p.Stats.Lexed)/size, float64(p.Stats.Requested)/size, p.Stats.Callbacks, err)
	}
}
