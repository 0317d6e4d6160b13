package typescript

import (
	"bytes"
	"regexp"
	"sync"
)

// What the grammars cannot read where it stands is shown to them as something
// else of the same length: a signature that begins a line behind a member
// without a semicolon, and one that is called like an operator, the variance of
// type parameters, export type *, & in the text of elements. The type argument of
// await f<typeof import('m')>() is shown as a name.

var (
	exportType = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bexport\s+(type)\s*\*`) })
	awaitsType = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\bawait\s+[\w$.]+<\s*(typeof import\((?:'[^'\n]*'|"[^"\n]*")\))\s*>\s*\(`)
	})
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
	if bytes.Contains(src, []byte("typeof import(")) && bytes.Contains(src, []byte("await")) {
		for _, m := range awaitsType().FindAllSubmatchIndex(src, -1) {
			blank(m[2], m[3], '_')
		}
	}
	if bytes.Contains(src, []byte("out ")) || bytes.Contains(src, []byte("<in ")) {
		eachVariance(src, func(from, to int) { blank(from, to, ' ') })
	}
	if !signatures {
		eachAmpersand(src, func(at int) { blank(at, at+1, '+') })
	}
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
		if i == at || i+1 >= len(src) {
			continue
		}
		switch {
		case src[i] == '<':
			if signatures && (isWord(src[i+1]) || src[i+1] == '\n' || src[i+1] == '\r') && endsMember(src[:at]) {
				blank(i-1, i, ';')
			}
		case src[i] == 'i' && src[i+1] == 'n':
			if operatorMember(src[i:]) && endsType(src[:at]) {
				blank(i-1, i, ';')
			}
		}
	}
	return out
}

// operatorMember reports whether text begins with a member that has a type and is
// called in or instanceof, or begins as in and no letter: behind a line without a
// semicolon the grammar takes it for the operator.
func operatorMember(text []byte) bool {
	n := 0
	for n < len(text) && isWord(text[n]) {
		n++
	}
	if name := string(text[:min(n, 11)]); name != "in" && name != "instanceof" && (n < 3 || isLetter(text[2])) {
		return false
	}
	return bytes.HasPrefix(text[n:], []byte(":")) || bytes.HasPrefix(text[n:], []byte("?:"))
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

// eachAmpersand calls f for each & of the text before the end of an element that
// begins no character reference: which stands behind the end of a tag.
func eachAmpersand(src []byte, f func(at int)) {
	for at := 0; ; {
		n := bytes.IndexByte(src[at:], '&')
		if n < 0 {
			return
		}
		first := at + n
		end := bytes.IndexAny(src[first:], "<>{}")
		if end < 0 {
			return
		}
		at = first + end
		from := bytes.LastIndexAny(src[:first], "<>{}")
		if from < 1 || src[from] != '>' || src[from-1] == '=' || !bytes.HasPrefix(src[at:], []byte("</")) {
			continue
		}
		for i := first; i < at; i++ {
			if src[i] == '&' && !characterReference(src[i+1:at]) {
				f(i)
			}
		}
	}
}

// characterReference reports whether text behind & goes on as a reference does.
func characterReference(text []byte) bool {
	end := bytes.IndexByte(text, ';')
	return end > 0 && end < 32 && bytes.IndexFunc(text[:end], func(r rune) bool { return !isWord(byte(r)) && r != '#' || r >= 0x80 }) < 0
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
// member or statement, or what a body begins with: its last character ends an
// expression or a type, or is a brace.
func endsMember(before []byte) bool {
	c := lastBefore(before)
	return isWord(c) || c == ']' || c == '>' || c == ')' || c == '}' || c == '{'
}

// endsType reports whether what stands before a line may be the end of a type: its
// last character is of a name, a literal or a bracket that ends one.
func endsType(before []byte) bool {
	c := lastBefore(before)
	return isWord(c) || c == ']' || c == '>' || c == ')' || c == '}' || c == '`'
}

// lastBefore returns the last character before a line, comments left out, 0 if there
// is none or they are long.
func lastBefore(before []byte) byte {
	before = before[max(0, len(before)-maxComments):]
	for range 64 {
		before = bytes.TrimRight(before, " \t\r\n")
		if len(before) == 0 {
			return 0
		}
		if bytes.HasSuffix(before, []byte("*/")) {
			open := bytes.LastIndex(before, []byte("/*"))
			if open < 0 {
				return 0
			}
			before = before[:open]
			continue
		}
		line := bytes.LastIndexByte(before, '\n') + 1
		if bytes.HasPrefix(bytes.TrimLeft(before[line:], " \t"), []byte("//")) {
			before = before[:line]
			continue
		}
		return before[len(before)-1]
	}
	return 0
}
