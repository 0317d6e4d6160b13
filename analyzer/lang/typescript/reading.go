package typescript

import (
	"bytes"
	"regexp"
	"sync"
)

// What the grammars cannot read where it stands is shown to them as something
// else of the same length: a signature that begins a line behind a member
// without a semicolon, the variance of type parameters, export type *.

var (
	exportType = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bexport\s+(type)\s*\*`) })
)

// readable returns src as the grammar of TypeScript can read it, and withoutJSX
// that where < cannot begin an element.
func readable(src []byte) []byte   { return patched(src, false) }
func withoutJSX(src []byte) []byte { return patched(src, true) }

func patched(src []byte, signatures bool) []byte {
	out, own := src, false
	blank := func(from, to int, with byte) {
		if !own {
			out, own = bytes.Clone(src), true
		}
		for i := from; i < to; i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = with
			}
		}
	}
	if bytes.Contains(src, []byte("export type *")) || bytes.Contains(src, []byte("export type*")) {
		for _, m := range exportType().FindAllSubmatchIndex(src, -1) {
			blank(m[2], m[3], ' ')
		}
	}
	if bytes.Contains(src, []byte("out ")) || bytes.Contains(src, []byte("<in ")) {
		eachVariance(src, func(from, to int) { blank(from, to, ' ') })
	}
	if signatures {
		for at := 0; at < len(src); {
			n := bytes.IndexByte(src[at:], '\n')
			if n < 0 {
				break
			}
			at += n + 1
			i := at
			for i < len(src) && (src[i] == ' ' || src[i] == '\t') {
				i++
			}
			if i > at && i+1 < len(src) && src[i] == '<' && (isWord(src[i+1]) || src[i+1] == '\n' || src[i+1] == '\r') && endsMember(src[:at]) {
				blank(i-1, i, ';')
			}
		}
	}
	return out
}

// eachVariance calls f for the words in and out before the names of type
// parameters: behind < or a comma, comments left out, and before a name that
// begins as those of types do.
func eachVariance(src []byte, f func(from, to int)) {
	for at := 0; at < len(src); at++ {
		if src[at] != '<' && src[at] != ',' {
			continue
		}
		from := skipComments(src, at+1)
		to := from
		for _, word := range [...]string{"in", "out"} {
			if rest, ok := bytes.CutPrefix(src[to:], []byte(word)); ok && len(rest) > 0 && isSpace(rest[0]) {
				to = skipSpace(src, to+len(word))
			}
		}
		if to > from && to < len(src) && (src[to] >= 'A' && src[to] <= 'Z' || src[to] == '_' || src[to] == '$') {
			f(from, to)
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

func skipSpace(src []byte, at int) int {
	for at < len(src) && isSpace(src[at]) {
		at++
	}
	return at
}

// maxComments bounds the comments that are looked through, in bytes.
const maxComments = 1 << 12

// skipComments returns where what stands at a place goes on behind comments and
// spaces.
func skipComments(src []byte, at int) int {
	src = src[:min(len(src), at+maxComments)]
	for {
		at = skipSpace(src, at)
		end, rest := -1, src[at:]
		switch {
		case bytes.HasPrefix(rest, []byte("//")):
			end = bytes.IndexByte(rest, '\n')
		case bytes.HasPrefix(rest, []byte("/*")):
			if end = bytes.Index(rest[2:], []byte("*/")); end >= 0 {
				end += 4
			}
		}
		if end < 0 {
			return at
		}
		at += end
	}
}

// endsMember reports whether what stands before a line may be the end of a
// member or statement: its last character, comments left out, ends an
// expression or a type.
func endsMember(before []byte) bool {
	for range 64 {
		before = bytes.TrimRight(before, " \t\r\n")
		if len(before) == 0 {
			return false
		}
		if bytes.HasSuffix(before, []byte("*/")) {
			open := bytes.LastIndex(before, []byte("/*"))
			if open < 0 {
				return false
			}
			before = before[:open]
			continue
		}
		line := bytes.LastIndexByte(before, '\n') + 1
		if bytes.HasPrefix(bytes.TrimLeft(before[line:], " \t"), []byte("//")) {
			before = before[:line]
			continue
		}
		c := before[len(before)-1]
		return isWord(c) || c == ']' || c == '>' || c == ')' || c == '}' || c == '{'
	}
	return false
}
