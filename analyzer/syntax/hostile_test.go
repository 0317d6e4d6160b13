package syntax

import (
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// hostile returns inputs that hurt parsers, at about the given size.
func hostile(size int) map[string][]byte {
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	r := rand.New(rand.NewPCG(1, 2))
	junk := make([]byte, size)
	for i := range junk {
		junk[i] = byte(r.Uint32())
	}
	half := strings.Repeat("(", size/2)
	return map[string][]byte{
		"empty":           {},
		"nul":             []byte(repeat("\x00")),
		"nul in code":     []byte("package p\nfunc f() { \x00 }\n\x00\x00var x = \"\x00\"\n"),
		"parens":          []byte("package p\nvar x = " + half + "1" + strings.Repeat(")", size/2)),
		"parens unclosed": []byte("package p\nvar x = " + repeat("(")),
		"parens closing":  []byte("package p\nvar x = " + repeat(")")),
		"braces unclosed": []byte("package p\nfunc f() " + repeat("{")),
		"mixed brackets":  []byte("package p\nvar x = " + repeat("([{")),
		"unary":           []byte("package p\nvar x = " + repeat("!") + "y"),
		"binary":          []byte("package p\nvar x = 1" + repeat("+1")),
		"selectors":       []byte("package p\nvar x = a" + repeat(".b")),
		"backticks":       []byte(repeat("`a ")),
		"backticks only":  []byte(repeat("`")),
		"quotes":          []byte(repeat("\"")),
		"quotes spaced":   []byte(repeat("\" a")),
		"single quotes":   []byte(repeat("' ")),
		"comments open":   []byte(repeat("/*")),
		"types":           []byte("package p\nvar x " + repeat("[]") + "int"),
		"generics":        []byte("package p\nvar x " + repeat("T[") + "int"),
		"funcs":           []byte("package p\nvar x = " + repeat("func(){")),
		"ifs":             []byte("package p\nfunc f() {" + repeat("if x {} else ") + "{} }"),
		"junk":            junk,
		"invalid utf8":    []byte("package p\nvar s = \"\xff\xfe\xc0\x80\" // \xed\xa0\x80\nvar \xf8\x88 = 1\n" + repeat("\xff")),
		"truncated utf8":  []byte("package p\n//\xe2\x82"),
		"newlines":        []byte(repeat("\n")),
		"one identifier":  []byte(repeat("x")),
		"semicolons":      []byte(repeat(";")),
		"keywords":        []byte(repeat("func type if ")),
	}
}

func TestHostile(t *testing.T) {
	bp := bindingParser(t)
	p := NewParser()
	defer p.Close()
	p.Limits.Depth = maxNodes
	check := func(name string, src []byte) {
		t.Helper()
		start := time.Now()
		tree, err := p.Parse(golang, src)
		stats, took := p.Stats, time.Since(start)
		var le *LimitError
		switch {
		case err == nil:
			checkShape(t, tree)
			if len(src) < 10_000 {
				checkBinding(t, bp, tree)
			}
			var h Hasher
			h.Hash(tree, 0, &HashRules{}, Edits{})
			tree.Errors()
		case !errors.As(err, &le):
			t.Errorf("%s: %v", name, err)
		case le.Reason == AllocationBudget && stats.Requested > le.Limit+le.Limit/50:
			t.Errorf("%s: stopped at %d requested bytes, limit %d", name, stats.Requested, le.Limit)
		}
		if _, again := p.Parse(golang, src); (err == nil) != (again == nil) || p.Stats != stats {
			t.Errorf("%s: %v %+v, then %v %+v", name, err, stats, again, p.Stats)
		}
		t.Logf("%-16s %7d bytes %8v: %v requested/byte %d, peak/byte %d, callbacks %d, nodes %d, depth %d",
			name, len(src), took.Round(time.Millisecond), err, stats.Requested/int64(len(src)+1),
			stats.Peak/int64(len(src)+1), stats.Callbacks, stats.Nodes, stats.Depth)
		// The parser is as good as new.
		if _, err := p.Parse(golang, []byte("package p\n")); err != nil {
			t.Fatal(err)
		}
	}
	for name, src := range hostile(3_000) {
		check(name, src)
	}
	if testing.Short() {
		return
	}
	// Enough for the quadratic ones to show.
	for name, src := range hostile(30_000) {
		check(name, src)
	}
	p.Limits.Bytes = 4 << 20
	for _, name := range []string{"parens", "unary", "one identifier"} {
		check(name, hostile(1_000_000)[name])
	}
}

// An input that keeps the parser busy for ten seconds without a budget must be
// given up early, wherever it is.
func TestBudget(t *testing.T) {
	p := NewParser()
	defer p.Close()
	src := []byte(strings.Repeat("`a ", 20_000))
	for range 3 {
		_, err := p.Parse(golang, src)
		var le *LimitError
		if !errors.As(err, &le) || le.Reason != AllocationBudget {
			t.Fatal(err)
		}
	}
	// Without the callback's help: a budget that is passed twice over before
	// the first check.
	p.Limits.AllocBase, p.Limits.AllocPerByte = 2000, 0
	_, err := p.Parse(golang, []byte("package p\nfunc f() { x := 1 }\n"))
	var le *LimitError
	if !errors.As(err, &le) || le.Reason != AllocationBudget || p.Stats.Callbacks != 0 {
		t.Fatal(err, p.Stats)
	}
	p.Limits = DefaultLimits()
	p.Limits.Memory = 3 << 20
	_, err = p.Parse(golang, []byte("package p\n"+strings.Repeat("var x = f(1)\n", 20_000)))
	if !errors.As(err, &le) || le.Reason != MemoryLimit {
		t.Fatal(err)
	}
	p.Limits = DefaultLimits()
	if _, err := p.Parse(golang, []byte("package p\n")); err != nil {
		t.Fatal(err)
	}
}

// Nothing stays behind in C: not from files that parse, nor from those that are
// given up.
func TestNoLeak(t *testing.T) {
	files := goFiles(t, "go/ast", "strings")
	p := NewParser()
	outside := foreignBytes()
	var after int64
	rounds := 2000
	if testing.Short() {
		rounds = 100
	}
	backticks := []byte(strings.Repeat("`a ", 3000))
	for i := range rounds {
		p.Limits = DefaultLimits()
		if _, err := p.Parse(golang, files[i%len(files)]); err != nil {
			t.Fatal(err)
		}
		if i%50 == 0 {
			p.Limits.AllocBase, p.Limits.AllocPerByte = 1<<20, 0
			if _, err := p.Parse(golang, backticks); err == nil {
				t.Fatal("not stopped")
			}
		}
		if i == len(files) {
			after = p.Retained()
		}
	}
	if got := foreignBytes(); got != outside {
		t.Errorf("%d bytes outside of the arena, %d before", got, outside)
	}
	if got := p.Retained(); got != after || got > 24<<20 {
		t.Errorf("the parser retains %d bytes, %d after the first round", got, after)
	}
	p.Close()
	if p.Retained() != 0 {
		t.Error("a closed parser retains memory")
	}
}

// FuzzParse feeds any bytes: no crash, and whatever comes back keeps the
// promises of a tree and equals the runtime's own.
func FuzzParse(f *testing.F) {
	for _, src := range hostile(200) {
		f.Add(src)
	}
	f.Add([]byte("package p\n\nimport \"fmt\"\n\n// F is.\nfunc F[T any](x T) (int, error) {\n\tdefer func() { recover() }()\n\treturn fmt.Println(x, `a`, 'b', 1i, []int{1, 2,})\n}\n"))
	bp := bindingParser(f)
	p := NewParser()
	p.Limits.Depth = maxNodes
	f.Fuzz(func(t *testing.T, src []byte) {
		tree, err := p.Parse(golang, src)
		if err != nil {
			var le *LimitError
			if !errors.As(err, &le) {
				t.Fatal(err)
			}
			return
		}
		checkShape(t, tree)
		if len(src) < 4096 {
			checkBinding(t, bp, tree)
		}
		var h, h2 Hasher
		a := h.Hash(tree, 0, &HashRules{}, Edits{})
		if b := h2.Hash(tree, 0, &HashRules{}, Edits{}); a != b {
			t.Fatal("two hashes of one tree")
		}
		Dump(io.Discard, tree, 0)
	})
}

// Broken code: whole files with pieces cut out or put in.
func TestMutated(t *testing.T) {
	bp := bindingParser(t)
	p := NewParser()
	defer p.Close()
	r := rand.New(rand.NewPCG(3, 4))
	files := goFiles(t, "go/ast", "sort", "errors", "unicode/utf8")
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	broken := 0
	for i := range rounds {
		src := append([]byte(nil), files[i%len(files)]...)
		if len(src) > 20_000 {
			src = src[:20_000]
		}
		for range 1 + r.IntN(8) {
			at := r.IntN(len(src))
			switch r.IntN(3) {
			case 0:
				end := min(len(src), at+1+r.IntN(20))
				src = append(src[:at], src[end:]...)
			case 1:
				src[at] = byte(r.Uint32())
			case 2:
				src[at] = "(){}[]\"`'/*;,\n"[r.IntN(14)]
			}
		}
		tree, err := p.Parse(golang, src)
		if err != nil {
			t.Fatal(err)
		}
		checkShape(t, tree)
		checkBinding(t, bp, tree)
		if len(tree.Errors()) > 0 {
			broken++
			if tree.Nodes[0].Flags&HasError == 0 {
				t.Fatal("errors below a root without HasError")
			}
		} else if tree.Nodes[0].Flags&HasError != 0 {
			t.Fatal("a root with HasError and no errors")
		}
	}
	if broken < rounds/4 {
		t.Errorf("only %d of %d files were broken", broken, rounds)
	}
}
