package cypher

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

type token struct {
	kind byte // w word, n number, s string, p sign, 0 end
	text string
	at   int
}

type parser struct {
	text  string
	toks  []token
	i     int
	q     *question
	depth int
	nodes int
}

func parse(text string) (q *question, err error) {
	if len(text) > maxText {
		return nil, &Error{fmt.Sprintf("the question is longer than %d bytes", maxText), -1}
	}
	p := &parser{text: text, q: &question{limit: -1}}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			q, err = nil, r
		default:
			panic(r)
		}
	}()
	p.lex()
	p.question()
	return p.q, nil
}

func (p *parser) fail(at int, format string, args ...any) {
	panic(&Error{fmt.Sprintf(format, args...), at})
}

func (p *parser) lex() {
	s := p.text
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		at := i
		switch {
		case unicode.IsSpace(r):
			i += size
		case strings.HasPrefix(s[i:], "//"):
			if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(s)
			}
		case r == '_' || unicode.IsLetter(r):
			for i < len(s) {
				r, size := utf8.DecodeRuneInString(s[i:])
				if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
					break
				}
				i += size
			}
			p.toks = append(p.toks, token{'w', s[at:i], at})
		case '0' <= r && r <= '9':
			for i < len(s) && ('0' <= s[i] && s[i] <= '9' || s[i] == '.' && i+1 < len(s) && '0' <= s[i+1] && s[i+1] <= '9') {
				i++
			}
			p.toks = append(p.toks, token{'n', s[at:i], at})
		case r == '\'' || r == '"' || r == '`':
			var b strings.Builder
			i++
			for {
				if i >= len(s) {
					p.fail(at, "a text does not end")
				}
				if s[i] == byte(r) {
					i++
					break
				}
				if s[i] == '\\' && r != '`' && i+1 < len(s) {
					i++
					switch s[i] {
					case 'n':
						b.WriteByte('\n')
					case 't':
						b.WriteByte('\t')
					default:
						b.WriteByte(s[i])
					}
					i++
					continue
				}
				b.WriteByte(s[i])
				i++
			}
			kind := byte('s')
			if r == '`' {
				kind = 'w'
			}
			p.toks = append(p.toks, token{kind, b.String(), at})
		default:
			sign := ""
			for _, x := range []string{"<>", "<=", ">=", "=~", "..", "->", "<-"} {
				if strings.HasPrefix(s[i:], x) {
					sign = x
				}
			}
			if sign == "" {
				if !strings.ContainsRune("()[]{}:,.-<>=*|;", r) {
					p.fail(at, "%q means nothing here", r)
				}
				sign = string(r)
			}
			i += len(sign)
			p.toks = append(p.toks, token{'p', sign, at})
		}
	}
	p.toks = append(p.toks, token{0, "", len(s)})
}

func (p *parser) peek() token { return p.toks[p.i] }

func (p *parser) next() token {
	t := p.toks[p.i]
	if t.kind != 0 {
		p.i++
	}
	return t
}

func (p *parser) sign(s string) bool {
	if t := p.peek(); t.kind == 'p' && t.text == s {
		p.i++
		return true
	}
	return false
}

func (p *parser) word(s string) bool {
	if t := p.peek(); t.kind == 'w' && strings.EqualFold(t.text, s) {
		p.i++
		return true
	}
	return false
}

func (p *parser) want(s string) {
	if !p.sign(s) {
		p.fail(p.peek().at, "%q is missing", s)
	}
}

func (p *parser) wantWord(s string) {
	if !p.word(s) {
		p.fail(p.peek().at, "%s is missing", s)
	}
}

func (p *parser) name() string {
	t := p.next()
	if t.kind != 'w' {
		p.fail(t.at, "a name is missing")
	}
	return t.text
}
