package source

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

const someHash = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

func TestParseCommit(t *testing.T) {
	const other = "9daeafb9864cf43055ae93beb0afd6c7d144bfa4"
	head := "tree " + someHash + "\n"
	tests := []struct {
		name, text string
		parents    int
		time       int64
		ok         bool
	}{
		{"root", head + "author A <a> 5 +0000\ncommitter C <c> 1700000000 +0100\n\nmessage\n", 0, 1_700_000_000, true},
		{"merge", head + "parent " + other + "\nparent " + someHash + "\ncommitter C <c> 7 +0000\n\n", 2, 7, true},
		{"no message", head + "committer C <c> 7 +0000\n", 0, 7, true},
		{"parent in the message", head + "committer C <c> 7 +0000\n\nparent " + other + "\n", 0, 7, true},
		{"signature", head + "committer C <c> 7 +0000\ngpgsig -----BEGIN\n parent " + other + "\n -----END\n\n", 0, 7, true},
		{"odd name", head + "committer > 9 <c> 7 +0000\n\n", 0, 7, true},
		{"no time", head + "committer C <c>\n\n", 0, 0, true},
		{"bad time", head + "committer C <c> soon +0000\n\n", 0, 0, true},
		{"no tree", "committer C <c> 7 +0000\n\n", 0, 0, false},
		{"bad parent", head + "parent main\n\n", 0, 0, false},
		{"empty", "", 0, 0, false},
	}
	for _, test := range tests {
		c, err := parseCommit("id", []byte(test.text))
		if (err == nil) != test.ok || len(c.Parents) != test.parents || c.Time != test.time {
			t.Errorf("%s: %+v, %v", test.name, c, err)
		}
	}
}

func FuzzParseCommit(f *testing.F) {
	f.Add([]byte("tree " + someHash + "\nparent " + someHash + "\ncommitter C <c> 7 +0000\n\nm"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseCommit("id", data)
		if err == nil && !isHash(c.Tree) {
			t.Errorf("tree %q", c.Tree)
		}
		parseTag(data)
	})
}

func FuzzParseTree(f *testing.F) {
	f.Add([]byte("100644 a.txt\x00"+strings.Repeat("x", 20)+"40000 dir\x00"+strings.Repeat("y", 20)), false)
	f.Fuzz(func(t *testing.T, data []byte, long bool) {
		size := 20
		if long {
			size = 32
		}
		total := 0
		parseTree(data, size, func(e treeEntry) {
			if !validName(e.name) || len(e.id) != 2*size {
				t.Errorf("entry %+v", e)
			}
			total += size
		}, func(string) { total += size })
		if total > len(data) {
			t.Error("more entries than bytes")
		}
	})
}

func FuzzParseIndex(f *testing.F) {
	entry := append(make([]byte, 40), bytes.Repeat([]byte{1}, 20)...)
	entry[25], entry[26], entry[27] = 0, 0x81, 0xa4
	for version := byte(2); version <= 4; version++ {
		data := append([]byte{'D', 'I', 'R', 'C', 0, 0, 0, version, 0, 0, 0, 1}, entry...)
		data = append(data, 0, 1, 'a', 0, 0, 0, 0, 0, 0, 0, 0, 0)
		f.Add(append(data, make([]byte, 20)...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, size := range []int{20, 32} {
			entries, err := parseIndex(data, size)
			if err == nil && len(entries)*(indexFixed+size) > len(data) {
				t.Error("more entries than bytes")
			}
		}
		parseListing(data)
	})
}

// FuzzGlob compares with a regular expression for patterns of plain bytes and
// stars.
func FuzzGlob(f *testing.F) {
	f.Add("a/**/b", "a/x/y/b")
	f.Add("*.[ch]", "x.c")
	f.Add("**/a*b", "x/aab")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		g, ok := compileGlob(pattern, false)
		if !ok {
			return
		}
		got := g.match(text)
		if strings.ContainsAny(pattern, `[\`) || len(pattern) > 50 {
			return
		}
		if want := globRegexp(pattern).MatchString(latin1(text)); got != want {
			t.Errorf("%q matches %q: %v, want %v", pattern, text, got, want)
		}
	})
}

func globRegexp(pattern string) *regexp.Regexp {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch rest := pattern[i:]; {
		case pattern[i] == '*':
			stars := len(rest) - len(strings.TrimLeft(rest, "*"))
			whole := stars > 1 && (i == 0 || pattern[i-1] == '/')
			switch {
			case whole && stars == len(rest):
				b.WriteString(`(?s:.*)`)
			case whole && rest[stars] == '/':
				b.WriteString(`(?s:.*/)?`)
				i++
			default:
				b.WriteString(`[^/]*`)
			}
			i += stars - 1
		case pattern[i] == '?':
			b.WriteString(`[^/]`)
		default:
			b.WriteString(quoteByte(pattern[i]))
		}
	}
	return regexp.MustCompile(`\A(?:` + b.String() + `)\z`)
}

func quoteByte(c byte) string { return regexp.QuoteMeta(latin1(string([]byte{c}))) }

// latin1 makes each byte one rune, because regular expressions match runes.
func latin1(s string) string {
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}

func FuzzParseIgnoreAndAttributes(f *testing.F) {
	f.Add([]byte("*.o\n!keep.o\n/a/**\n"), "a/b.o")
	f.Add([]byte("\"a b\" text\n[attr]m text m\n* m"), "x")
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		scope := &ignoreScope{list: parseIgnore(text, false)}
		scope.ignores(path, false, true)
		a := newAttributes(false)
		a.addFolder("", text)
		conversionOf(a.of(path), "true").toBlob(text, func() bool { return false })
	})
}
