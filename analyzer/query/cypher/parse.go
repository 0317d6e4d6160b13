package cypher

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/codekg/kg/analyzer/graph"
)

// question is a parsed question. Variables are numbers: 0, 1, …
type question struct {
	vars     []string
	isEdge   []bool
	chains   []chain
	where    []*expr // all must hold
	distinct bool
	items    []item
	visible  int // items that are shown; others are only for the order
	order    []ordering
	skip     int
	limit    int // -1: none
}

// chain is nodes with relations between them: len(rels) is len(nodes)-1.
type chain struct {
	nodes []nodePattern
	rels  []relPattern
}

type nodePattern struct {
	slot  int
	kinds uint32 // bits; 0: all
	props []propEqual
}

type propEqual struct {
	name  string
	value any
}

type relPattern struct {
	slot     int // -1: has no name
	kinds    uint32
	left     bool // <-
	right    bool // ->; neither or both: any direction
	many     bool
	min, max int
}

type item struct {
	name string
	e    *expr
}

type ordering struct {
	item int
	desc bool
}

// expr is an expression; what its fields mean depends on op.
type expr struct {
	op    string // const, var, prop, call, and operators
	value any
	slot  int
	name  string
	args  []*expr
	re    *regexp.Regexp
	star  bool // count(*)
	dist  bool // count(DISTINCT x)
}

var aggregates = map[string]bool{"count": true, "min": true, "max": true, "sum": true, "avg": true, "collect": true}

func (e *expr) aggregated() bool {
	return e.op == "call" && aggregates[e.name] || slices.ContainsFunc(e.args, (*expr).aggregated)
}

// vars adds the variables of e to a set.
func (e *expr) vars(set map[int]bool) {
	if e.op == "var" || e.op == "prop" {
		set[e.slot] = true
	}
	for _, a := range e.args {
		a.vars(set)
	}
}

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

func (p *parser) question() {
	if t := p.peek(); t.kind == 0 {
		p.fail(-1, "the question is empty")
	}
	for first := true; first || p.word("MATCH"); first = false {
		if first {
			if t := p.peek(); !p.word("MATCH") {
				p.fail(t.at, "a question begins with MATCH; it can only read")
			}
		}
		for {
			p.chain()
			if !p.sign(",") {
				break
			}
		}
		if p.word("WHERE") {
			p.conjuncts(p.expression())
		}
	}
	p.wantWord("RETURN")
	p.q.distinct = p.word("DISTINCT")
	for {
		at := p.peek().at
		e := p.expression()
		end := p.toks[p.i-1]
		name := strings.TrimSpace(p.text[at:min(len(p.text), end.at+len(end.text)+2*quoteLen(end))])
		if p.word("AS") {
			name = p.name()
		}
		p.q.items = append(p.q.items, item{name, e})
		if !p.sign(",") {
			break
		}
	}
	if len(p.q.items) > 50 {
		p.fail(-1, "there are more than 50 columns")
	}
	p.q.visible = len(p.q.items)
	if p.word("ORDER") {
		p.wantWord("BY")
		for {
			p.ordering()
			if !p.sign(",") {
				break
			}
		}
	}
	if p.word("SKIP") {
		p.q.skip = p.number()
	}
	if p.word("LIMIT") {
		p.q.limit = p.number()
	}
	p.sign(";")
	if t := p.peek(); t.kind != 0 {
		p.fail(t.at, "%q is not understood here", t.text)
	}
}

func quoteLen(t token) int {
	if t.kind == 's' {
		return 1
	}
	return 0
}

func (p *parser) number() int {
	t := p.next()
	n, err := strconv.Atoi(t.text)
	if t.kind != 'n' || err != nil {
		p.fail(t.at, "a number is missing")
	}
	return n
}

// ordering is by a column, by its name or as it is written; others are added
// and not shown.
func (p *parser) ordering() {
	at := p.peek()
	var o ordering
	o.item = -1
	if at.kind == 'w' {
		o.item = slices.IndexFunc(p.q.items, func(i item) bool { return i.name == at.text })
		if n := p.toks[p.i+1]; o.item >= 0 && n.kind == 'p' && (n.text == "." || n.text == "(") {
			o.item = -1
		}
	}
	if o.item >= 0 {
		p.i++
	} else {
		e := p.expression()
		text := fmt.Sprint(describe(e))
		o.item = slices.IndexFunc(p.q.items, func(i item) bool { return fmt.Sprint(describe(i.e)) == text })
		if o.item < 0 {
			if p.q.distinct || e.aggregated() || slices.ContainsFunc(p.q.items, func(i item) bool { return i.e.aggregated() }) {
				p.fail(at.at, "ORDER BY needs a column that is returned, where rows are DISTINCT or aggregated")
			}
			o.item = len(p.q.items)
			p.q.items = append(p.q.items, item{"", e})
		}
	}
	if p.word("DESC") || p.word("DESCENDING") {
		o.desc = true
	} else if !p.word("ASC") {
		p.word("ASCENDING")
	}
	p.q.order = append(p.q.order, o)
}

// describe writes an expression so that equal ones are equal.
func describe(e *expr) string {
	s := fmt.Sprintf("%s %v %d %s %t %t(", e.op, e.value, e.slot, e.name, e.star, e.dist)
	for _, a := range e.args {
		s += describe(a) + ","
	}
	return s + ")"
}

func (p *parser) slot(name string, edge bool, at int) int {
	if i := slices.Index(p.q.vars, name); i >= 0 && name != "" {
		if p.q.isEdge[i] != edge {
			p.fail(at, "%s is a node in one place and a relation in another", name)
		}
		if edge {
			p.fail(at, "%s names two relations", name)
		}
		return i
	}
	p.q.vars, p.q.isEdge = append(p.q.vars, name), append(p.q.isEdge, edge)
	return len(p.q.vars) - 1
}

func (p *parser) chain() {
	var c chain
	c.nodes = append(c.nodes, p.node())
	for {
		t := p.peek()
		if t.kind != 'p' || t.text != "-" && t.text != "<-" && t.text != "<" {
			break
		}
		c.rels = append(c.rels, p.relation())
		c.nodes = append(c.nodes, p.node())
	}
	p.q.chains = append(p.q.chains, c)
}

func (p *parser) node() nodePattern {
	at := p.peek().at
	p.want("(")
	if p.nodes++; p.nodes > maxParts {
		p.fail(at, "there are more than %d nodes", maxParts)
	}
	var n nodePattern
	name := ""
	if p.peek().kind == 'w' {
		name = p.name()
	}
	n.slot = p.slot(name, false, at)
	for p.sign(":") {
		at := p.peek().at
		bits := p.kinds(p.name(), at)
		for p.sign("|") {
			bits |= p.kinds(p.name(), at)
		}
		n.kinds |= bits
	}
	if p.sign("{") {
		for !p.sign("}") {
			at := p.peek().at
			name := strings.ToLower(p.name())
			if !nodeProperties[name] {
				p.fail(at, "nodes have no property %s", name)
			}
			p.want(":")
			n.props = append(n.props, propEqual{name, p.literal()})
			if !p.sign(",") {
				p.want("}")
				break
			}
		}
	}
	p.want(")")
	return n
}

func (p *parser) kinds(name string, at int) uint32 {
	name = strings.ToLower(name)
	var bits uint32
	for k := graph.KindRepository; int(k) < graph.KindCount; k++ {
		if s := k.String(); s == name || strings.ReplaceAll(s, "_", "") == name || name == "type" && k.IsType() || name == "callable" && k.IsCallable() {
			bits |= 1 << k
		}
	}
	if bits == 0 {
		p.fail(at, "there is no kind of node %s", name)
	}
	return bits
}

func (p *parser) relation() relPattern {
	r := relPattern{slot: -1, min: 1, max: 1}
	at := p.peek().at
	if p.sign("<-") {
		r.left = true
	} else {
		if p.sign("<") {
			r.left = true
		}
		p.want("-")
	}
	if p.sign("[") {
		if p.peek().kind == 'w' {
			name := p.name()
			r.slot = p.slot(name, true, at)
		}
		if p.sign(":") {
			for {
				at := p.peek().at
				name := strings.ToLower(p.name())
				k, ok := graph.ParseEdgeKind(name)
				if !ok {
					p.fail(at, "there is no kind of relation %s", name)
				}
				r.kinds |= 1 << k
				if !p.sign("|") {
					break
				}
				p.sign(":")
			}
		}
		if p.sign("*") {
			r.many, r.max = true, MaxHops
			if p.peek().kind == 'n' {
				r.min = p.number()
				r.max = r.min
			}
			if p.sign("..") {
				r.max = MaxHops
				if p.peek().kind == 'n' {
					r.max = p.number()
				}
			}
			if r.max > MaxHops || r.min > r.max {
				p.fail(at, "the length of a relation is at most %d", MaxHops)
			}
			if r.slot >= 0 {
				p.fail(at, "a relation of variable length can have no name")
			}
		}
		p.want("]")
	}
	if p.sign("->") {
		r.right = true
	} else {
		p.want("-")
		if p.sign(">") {
			r.right = true
		}
	}
	return r
}

func (p *parser) literal() any {
	t := p.next()
	switch {
	case t.kind == 's':
		return t.text
	case t.kind == 'n':
		return number(t.text)
	case t.kind == 'p' && t.text == "-" && p.peek().kind == 'n':
		switch v := number(p.next().text).(type) {
		case int64:
			return -v
		case float64:
			return -v
		}
	case t.kind == 'w' && strings.EqualFold(t.text, "true"):
		return true
	case t.kind == 'w' && strings.EqualFold(t.text, "false"):
		return false
	case t.kind == 'w' && strings.EqualFold(t.text, "null"):
		return nil
	}
	p.fail(t.at, "a text, a number, true, false or null is missing")
	return nil
}

func number(s string) any {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	f, _ := strconv.ParseFloat(s, 64)
	return f
}

func (p *parser) conjuncts(e *expr) {
	if e.op == "AND" {
		p.conjuncts(e.args[0])
		p.conjuncts(e.args[1])
		return
	}
	if e.aggregated() {
		p.fail(-1, "WHERE cannot aggregate")
	}
	p.q.where = append(p.q.where, e)
}

func (p *parser) deeper() func() {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.peek().at, "the expression is deeper than %d", maxDepth)
	}
	return func() { p.depth-- }
}

func (p *parser) expression() *expr {
	defer p.deeper()()
	e := p.and()
	for n := 0; p.word("OR"); n++ {
		if n > 200 {
			p.fail(p.peek().at, "there are too many alternatives; use IN")
		}
		e = &expr{op: "OR", args: []*expr{e, p.and()}}
	}
	return e
}

func (p *parser) and() *expr {
	e := p.not()
	for n := 0; p.word("AND"); n++ {
		if n > 200 {
			p.fail(p.peek().at, "there are too many conditions")
		}
		e = &expr{op: "AND", args: []*expr{e, p.not()}}
	}
	return e
}

func (p *parser) not() *expr {
	if p.word("NOT") {
		defer p.deeper()()
		return &expr{op: "NOT", args: []*expr{p.not()}}
	}
	return p.comparison()
}

func (p *parser) comparison() *expr {
	e := p.operand()
	t := p.peek()
	switch {
	case t.kind == 'p' && slices.Contains([]string{"=", "<>", "<", "<=", ">", ">="}, t.text):
		p.i++
		return &expr{op: t.text, args: []*expr{e, p.operand()}}
	case p.sign("=~"):
		at := p.peek().at
		s, ok := p.literal().(string)
		if !ok {
			p.fail(at, "=~ needs a text")
		}
		re, err := regexp.Compile("^(?:" + s + ")$")
		if err != nil || len(s) > 1000 {
			p.fail(at, "%q is no regular expression", s[:min(len(s), 60)])
		}
		return &expr{op: "=~", args: []*expr{e}, re: re}
	case p.word("CONTAINS"):
		return &expr{op: "CONTAINS", args: []*expr{e, p.operand()}}
	case p.word("STARTS"):
		p.wantWord("WITH")
		return &expr{op: "STARTS", args: []*expr{e, p.operand()}}
	case p.word("ENDS"):
		p.wantWord("WITH")
		return &expr{op: "ENDS", args: []*expr{e, p.operand()}}
	case p.word("IN"):
		return &expr{op: "IN", args: []*expr{e, p.operand()}}
	case p.word("IS"):
		not := p.word("NOT")
		p.wantWord("NULL")
		e = &expr{op: "NULL", args: []*expr{e}}
		if not {
			e = &expr{op: "NOT", args: []*expr{e}}
		}
		return e
	}
	return e
}

func (p *parser) operand() *expr {
	t := p.peek()
	switch {
	case p.sign("("):
		e := p.expression()
		p.want(")")
		return e
	case p.sign("["):
		var list []any
		for !p.sign("]") {
			list = append(list, p.literal())
			if !p.sign(",") {
				p.want("]")
				break
			}
		}
		return &expr{op: "const", value: list}
	case t.kind == 'w' && !slices.Contains([]string{"true", "false", "null"}, strings.ToLower(t.text)):
		p.i++
		if p.sign("(") {
			return p.call(strings.ToLower(t.text), t.at)
		}
		slot := slices.Index(p.q.vars, t.text)
		if slot < 0 {
			p.fail(t.at, "nothing is called %s", t.text)
		}
		if !p.sign(".") {
			return &expr{op: "var", slot: slot}
		}
		at := p.peek().at
		name := strings.ToLower(p.name())
		if p.q.isEdge[slot] && !edgeProperties[name] || !p.q.isEdge[slot] && !nodeProperties[name] {
			p.fail(at, "%s has no property %s", t.text, name)
		}
		return &expr{op: "prop", slot: slot, name: name}
	}
	return &expr{op: "const", value: p.literal()}
}

var functions = map[string]bool{"id": true, "kind": true, "type": true, "lower": true, "tolower": true, "upper": true, "toupper": true, "size": true, "labels": true}

func (p *parser) call(name string, at int) *expr {
	defer p.deeper()()
	if !aggregates[name] && !functions[name] {
		p.fail(at, "there is no function %s", name)
	}
	e := &expr{op: "call", name: name}
	if name == "count" && p.sign("*") {
		e.star = true
		p.want(")")
		return e
	}
	if aggregates[name] {
		e.dist = p.word("DISTINCT")
	}
	a := p.expression()
	if aggregates[name] && a.aggregated() {
		p.fail(at, "%s cannot be of what is aggregated", name)
	}
	e.args = []*expr{a}
	p.want(")")
	return e
}
