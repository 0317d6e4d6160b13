package cypher

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

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
