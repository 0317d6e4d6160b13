package cypher

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// Expressions, and the order of values.

// text writes values so that equal ones are equal.
func text(vs []any) string {
	var b strings.Builder
	for _, v := range vs {
		fmt.Fprintf(&b, "%T %q\x00", v, fmt.Sprint(v))
	}
	return b.String()
}

// eval returns the value of an expression; comparisons with null are null.
func (r *run) eval(e *expr) any {
	switch e.op {
	case "const":
		return e.value
	case "var":
		return r.slots[e.slot]
	case "prop":
		switch v := r.slots[e.slot].(type) {
		case graph.ID:
			return property(r.x, v, e.name)
		case edgeRef:
			return edgeProperty(r.g, v, e.name)
		}
		return nil
	case "call":
		return r.function(e.name, r.eval(e.args[0]))
	case "AND":
		a, aok := r.eval(e.args[0]).(bool)
		if aok && !a {
			return false
		}
		b, bok := r.eval(e.args[1]).(bool)
		if bok && !b {
			return false
		}
		if !aok || !bok {
			return nil
		}
		return true
	case "OR":
		a, aok := r.eval(e.args[0]).(bool)
		if a {
			return true
		}
		b, bok := r.eval(e.args[1]).(bool)
		if b {
			return true
		}
		if !aok || !bok {
			return nil
		}
		return false
	case "NOT":
		if v, ok := r.eval(e.args[0]).(bool); ok {
			return !v
		}
		return nil
	case "NULL":
		return r.eval(e.args[0]) == nil
	case "=~":
		if s, ok := r.eval(e.args[0]).(string); ok {
			return e.re.MatchString(s)
		}
		return nil
	}
	a, b := r.eval(e.args[0]), r.eval(e.args[1])
	if a == nil || b == nil {
		return nil
	}
	switch e.op {
	case "=":
		return same(a, b)
	case "<>":
		return !same(a, b)
	case "IN":
		list, ok := b.([]any)
		if !ok {
			return nil
		}
		return slices.ContainsFunc(list, func(v any) bool { return same(a, v) })
	case "CONTAINS", "STARTS", "ENDS":
		s, ok := a.(string)
		t, ok2 := b.(string)
		if !ok || !ok2 {
			return nil
		}
		switch e.op {
		case "CONTAINS":
			return strings.Contains(s, t)
		case "STARTS":
			return strings.HasPrefix(s, t)
		}
		return strings.HasSuffix(s, t)
	}
	if rank(a) != rank(b) {
		return nil
	}
	switch c := compare(a, b); e.op {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	}
	return compare(a, b) >= 0
}

func (r *run) function(name string, v any) any {
	switch name {
	case "id":
		return r.shown(v)
	case "kind", "type", "labels":
		switch v := v.(type) {
		case graph.ID:
			return r.g.Nodes[v].Kind.String()
		case edgeRef:
			return edgeProperty(r.g, v, "kind")
		}
	case "lower", "tolower":
		if s, ok := v.(string); ok {
			return strings.ToLower(s)
		}
	case "upper", "toupper":
		if s, ok := v.(string); ok {
			return strings.ToUpper(s)
		}
	case "size":
		switch v := v.(type) {
		case string:
			return int64(len([]rune(v)))
		case []any:
			return int64(len(v))
		}
	}
	return nil
}

func same(a, b any) bool {
	if x, ok := number64(a); ok {
		y, ok := number64(b)
		return ok && x == y
	}
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case nil:
		return false
	}
	if _, ok := b.([]any); ok {
		return false
	}
	return a == b
}

func number64(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// rank orders types; null is last.
func rank(v any) int {
	switch v.(type) {
	case graph.ID:
		return 0
	case edgeRef:
		return 1
	case []any:
		return 2
	case string:
		return 3
	case bool:
		return 4
	case int64, float64:
		return 5
	}
	return 6
}

func compare(a, b any) int {
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	switch a := a.(type) {
	case graph.ID:
		return cmp.Compare(a, b.(graph.ID))
	case edgeRef:
		return cmp.Compare(a, b.(edgeRef))
	case string:
		return strings.Compare(a, b.(string))
	case bool:
		switch {
		case a == b.(bool):
			return 0
		case a:
			return 1
		}
		return -1
	case []any:
		return slices.CompareFunc(a, b.([]any), compare)
	}
	x, _ := number64(a)
	y, _ := number64(b)
	return cmp.Compare(x, y)
}
