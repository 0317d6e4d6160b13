package cypher

import (
	"regexp"
	"slices"
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
