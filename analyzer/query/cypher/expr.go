package cypher

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

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
