package report

// Foreign words in Markdown: names, places and sentences that hold them.

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
)

const (
	longName  = 200 // characters of a name
	longProse = 800 // characters of a sentence
	longFence = 8   // backticks; renderers give up on fences of 80
)

// at is a place, with a link to it if the caller knows one.
func (m *markdown) at(file string, line int32, head bool) string {
	text := code(place(file, line))
	if m.o.Link == nil || file == "" {
		return text
	}
	if to := address(m.o.Link(file, line, head)); to != "" {
		return "[" + text + "](" + to + ")"
	}
	return text
}

// address returns a web address as the target of a link, empty if it is none.
// What could end the target, or a cell, is percent-encoded.
func address(s string) string {
	if !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") {
		return ""
	}
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '&':
			b.WriteString("&amp;") // else "&copy" was a sign
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~:/?#@!$'*+,;=%", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// code returns s as a code span: nothing in it is Markdown, and GitHub looks
// for no mentions or references in it.
func code(s string) string {
	s = abridge(Escape(s), longName)
	run, longest := 0, 0
	for i := range len(s) {
		run++
		if s[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	if longest > longFence {
		s, longest = strings.ReplaceAll(s, "`", `\x60`), 0
	}
	fence := strings.Repeat("`", longest+1)
	if s == "" || strings.ContainsAny(s[:1]+s[len(s)-1:], "` ") {
		s = " " + s + " " // a span loses one space at each end
	}
	return fence + s + fence
}

// prose returns a sentence that may hold foreign names. Words of letters stay
// as they are, everything else becomes code.
func prose(s string) string {
	var b strings.Builder
	words := strings.Fields(abridge(Escape(s), longProse))
	for i := 0; i < len(words); i++ {
		if i > 0 {
			b.WriteByte(' ')
		}
		n := cmp.Or(titleWords(words[i:]), typeWords(words[i:]))
		word := strings.Join(words[i:i+n], " ")
		i += n - 1
		before, core, after := punctuation(word)
		if !harmlessWord(core) {
			core = code(core)
		}
		b.WriteString(before + core + after)
	}
	return b.String()
}

// titleWords returns how many words the name has that begins with the first one, in
// quotation marks, see [titled]; 0 if none does.
func titleWords(words []string) int {
	if words[0][0] != '"' {
		return 0
	}
	for n, word := range words[:min(len(words), 64)] {
		word = strings.TrimRight(word, ",.;:")
		if strings.HasSuffix(word, `"`) && !strings.HasSuffix(word, `\"`) && (n > 0 || len(word) > 1) {
			return min(n, 1) * (n + 1)
		}
	}
	return 0
}

// typeWords returns how many words the first one stands for: those of a type with
// spaces inside, as map<K, V>. One whose brackets are never closed stands alone.
func typeWords(words []string) int {
	open := 0
	for n, word := range words[:min(len(words), 32)] {
		for i := range len(word) {
			last, next := byte(' '), byte(' ')
			if i > 0 {
				last = word[i-1]
			}
			if i+1 < len(word) {
				next = word[i+1]
			}
			switch c := word[i]; {
			case c == '[', c == '{', c == '(' && (i > 0 || n > 0), c == '<' && next != '-':
				open++
			case c == ']', c == '}', c == ')' && open > 0, c == '>' && last != '-' && last != '=':
				open--
			}
		}
		if open > 0 {
			continue
		}
		// Results in brackets belong to their function, and a union is one type.
		if next := words[min(n+1, len(words)-1)]; n+1 < len(words) &&
			(next == "|" || word == "|" || next[0] == '(' && strings.HasSuffix(word, ")") && isFunction(strings.Join(words[:n+1], " "))) {
			continue
		}
		return n + 1
	}
	return 1
}

// isFunction reports whether a type is a function's, or holds one, as the graph
// writes it.
func isFunction(t string) bool {
	at := strings.Index(t, "func(")
	return at == 0 || at > 0 && strings.IndexByte("]*(", t[at-1]) >= 0
}

// punctuation cuts off what ends a part of a sentence, and brackets that have no
// counterpart in the word, or hold all of it: those of f(x) stay.
func punctuation(word string) (before, core, after string) {
	core = word
	if strings.IndexByte(",.;:", word[len(word)-1]) >= 0 {
		core = word[:len(word)-1]
	}
	for {
		opens, closes := strings.Count(core, "("), strings.Count(core, ")")
		first, last := strings.HasPrefix(core, "("), strings.HasSuffix(core, ")")
		whole := first && last && opens == 1 && closes == 1
		switch {
		case whole:
			core, before = core[1:len(core)-1], before+"("
		case first && opens > closes:
			core, before = core[1:], before+"("
		case last && closes > opens:
			core = core[:len(core)-1]
		case core == "":
			return "", word, ""
		default:
			return before, core, word[len(before)+len(core):]
		}
	}
}

// harmlessWord reports whether no renderer takes a word for anything else: it
// is a small number, or letters with single hyphens and apostrophes inside. What
// could be the digest of a commit, or with a full stop the begin of an address,
// is not harmless.
func harmlessWord(word string) bool {
	n, hex, digits, letters := 0, 0, 0, 0
	last := '-'
	for _, r := range word {
		n++
		switch {
		case r >= '0' && r <= '9':
			digits++
		case unicode.IsLetter(r):
			letters++
		case (r == '-' || r == '\'') && last != '-':
			last = '-'
			letters++
			continue
		default:
			return false
		}
		if r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F' {
			hex++
		}
		last = r
	}
	if strings.HasSuffix(strings.ToLower(word), "www") {
		return false
	}
	return last != '-' && (digits == 0 || letters == 0) && (n <= 6 || digits+hex < n)
}

// cell makes rendered text fit for a table. Pipes stand in code spans only, and
// exactly one backslash before a pipe means the same to all renderers.
func cell(s string) string {
	s = strings.ReplaceAll(s, `\|`, `\x5c|`)
	return strings.ReplaceAll(s, "|", `\|`)
}

// abridge leaves out the middle of what is too long.
func abridge(s string, n int) string {
	rs := []rune(s)
	if len(s) <= n || len(rs) <= n {
		return s
	}
	return string(rs[:n*2/3]) + "…" + string(rs[len(rs)-n/3:])
}

// untoldWords say what could not be told, of one and of many.
var untoldWords = map[string][2]string{
	"unreadable":     {"file could not be read", "files could not be read"},
	"too_large":      {"file is too large", "files are too large"},
	"long_line":      {"file has a line that is too long", "files have lines that are too long"},
	"parse_budget":   {"file was too much for the parser", "files were too much for the parser"},
	"node_limit":     {"file has too many nodes", "files have too many nodes"},
	"depth_limit":    {"file is nested too deeply", "files are nested too deeply"},
	"syntax_error":   {"syntax error", "syntax errors"},
	"binary":         {"file is not text", "files are not text"},
	"encoding":       {"file is not valid UTF-8", "files are not valid UTF-8"},
	"dynamic":        {"place where only a run decides", "places where only a run decides"},
	"infer_budget":   {"place where types were followed no further", "places where types were followed no further"},
	"too_many":       {"name that more than five declarations have", "names that more than five declarations have"},
	"undecidable":    {"interface whose methods are not known", "interfaces whose methods are not known"},
	"shallow":        {"history that is cut off", "histories that are cut off"},
	"missing_object": {"object that the repository lacks", "objects that the repository lacks"},
	"submodule":      {"submodule", "submodules"},
	"parser_crash":   {"file that the parser died of", "files that the parser died of"},
	"duplicate":      {"declaration has the key of another one", "declarations have the key of another one"},
	"configuration":  {"configuration could not be read", "configurations could not be read"},
}

// untold says of n cases why something could not be told.
func untold(reason string, n int) string {
	words, ok := untoldWords[reason]
	if !ok {
		return fmt.Sprintf("%d %s", n, strings.ReplaceAll(reason, "_", " "))
	}
	return fmt.Sprintf("%d %s", n, verb(n, words[0], words[1]))
}
