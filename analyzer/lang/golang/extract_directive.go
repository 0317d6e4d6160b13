package golang

import (
	"bytes"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/syntax"
)

// The directives that are facts. Their values are
//
//	embed     one pattern, unquoted, of the variable that owns it
//	generate  the command, with the names that -command gave replaced
//	linkname  the local name, a space, and the name of the symbol
const (
	directiveEmbed    = "embed"
	directiveGenerate = "generate"
	directiveLinkname = "linkname"
)

var (
	embedPrefix    = []byte("//go:embed")
	generatePrefix = []byte("//go:generate")
	linknamePrefix = []byte("//go:linkname ")
)

// maxDirectives bounds the directives of a file, and the aliases of commands.
const maxDirectives = 1 << 12

func (e *extractor) directive(name string, value []byte, owner facts.DeclID, line, col int32) {
	if len(e.b.Directives) < maxDirectives {
		e.b.Directives = append(e.b.Directives, facts.Directive{Name: e.b.InternString(name), Value: e.b.Intern(value), Owner: owner, Line: line, Col: col})
	}
}

// embeds adds the patterns of the //go:embed directives among the comments
// before the variable d. The compiler reads them only in files that import
// package embed.
func (e *extractor) embeds(d facts.DeclID, doc comments) {
	if doc.from == 0 || !slices.ContainsFunc(e.b.Imports, func(im facts.Import) bool { return e.b.Str(im.Path) == "embed" }) {
		return
	}
	for i := doc.from; i <= doc.last; i = e.nodes[i].Next {
		text := e.t.Text(i)
		list, ok := bytes.CutPrefix(text, embedPrefix)
		if classOf(e.nodes[i].Kind) != classComment || !ok || len(list) == 0 || list[0] != ' ' && list[0] != '\t' {
			continue
		}
		line, col := e.place(i)
		for at := len(text) - len(list); at < len(text); {
			pattern, n := embedPattern(text[at:])
			if pattern != nil {
				e.directive(directiveEmbed, pattern, d, line, col+int32(at))
			}
			at += max(n, 1)
		}
	}
}

// embedPattern returns the pattern with which text begins, without quotes, and
// its length; nil if text begins with a space or with a broken literal.
func embedPattern(text []byte) (pattern []byte, n int) {
	if r, size := utf8.DecodeRune(text); unicode.IsSpace(r) {
		return nil, size
	}
	switch text[0] {
	case '`':
		if end := bytes.IndexByte(text[1:], '`'); end >= 0 {
			return text[1 : 1+end], end + 2
		}
		return nil, len(text)
	case '"':
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				if s, err := strconv.Unquote(string(text[:i+1])); err == nil {
					return []byte(s), i + 1
				}
				return nil, len(text)
			}
		}
		return nil, len(text)
	}
	if end := bytes.IndexFunc(text, unicode.IsSpace); end >= 0 {
		return text[:end], end
	}
	return text, len(text)
}

// generates adds the commands of the //go:generate directives. go generate
// reads lines, not the language: a directive may stand in a comment.
func (e *extractor) generates() {
	if !bytes.Contains(e.src, generatePrefix) {
		return
	}
	aliases := map[string][]byte{}
	row := int32(0)
	for line := range bytes.SplitSeq(e.src, []byte("\n")) {
		row++
		rest, ok := bytes.CutPrefix(line, generatePrefix)
		if !ok || len(rest) == 0 || rest[0] != ' ' && rest[0] != '\t' {
			continue
		}
		command := bytes.TrimSpace(rest)
		words := bytes.Fields(command)
		if len(words) == 0 {
			continue
		}
		if string(words[0]) == "-command" {
			if len(words) > 2 && len(aliases) < maxDirectives {
				aliases[string(words[1])] = bytes.Join(words[2:], []byte(" "))
			}
			continue
		}
		col := int32(len(line)-len(bytes.TrimLeft(rest, " \t"))) + 1
		if full, ok := aliases[string(words[0])]; ok {
			command = slices.Concat(full, command[len(words[0]):])
		}
		e.directive(directiveGenerate, command, none, row, col)
	}
}

// readLinknames adds the //go:linkname directives of the file that name two
// symbols, and returns the digests of all by the names that they are about; nil
// if there are none. Their owners are not known yet.
func (e *extractor) readLinknames() map[string][16]byte {
	if !bytes.Contains(e.src, linknamePrefix) {
		return nil
	}
	found := map[string][]syntax.ID{}
	for i := syntax.ID(1); int(i) < len(e.nodes); i = e.nodes[i].Next {
		if classOf(e.nodes[i].Kind) != classComment {
			continue
		}
		text := e.t.Text(i)
		rest, ok := bytes.CutPrefix(text, linknamePrefix)
		if !ok {
			continue
		}
		words := bytes.Fields(rest)
		if len(words) == 0 {
			continue
		}
		found[string(words[0])] = append(found[string(words[0])], i)
		if len(words) == 2 {
			line, col := e.place(i)
			e.directive(directiveLinkname, bytes.Join(words, []byte(" ")), none, line, col+int32(len(linknamePrefix)))
		}
	}
	digests := make(map[string][16]byte, len(found))
	for name, list := range found {
		digests[name] = e.digest(list)
	}
	return digests
}
