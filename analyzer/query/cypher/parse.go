package cypher

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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
