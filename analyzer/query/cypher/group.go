package cypher

import "fmt"

// Groups and aggregates.

// group is the rows that agree in all that is not aggregated.
type group struct {
	keys []any
	aggs []*aggregate
}

type aggregate struct {
	n      int64
	sum    float64
	whole  bool
	isum   int64
	least  any
	list   []any
	unique map[string]bool
}

func (r *run) addToGroup() {
	keys := make([]any, len(r.q.items))
	for i := range r.q.items {
		if !r.q.items[i].e.aggregated() {
			keys[i] = r.eval(r.q.items[i].e)
		}
	}
	k := text(keys)
	g := r.groups[k]
	if g == nil {
		g = &group{keys: keys, aggs: make([]*aggregate, len(r.q.items))}
		r.groups[k] = g
		if r.order = append(r.order, g); len(r.order) > maxGroups {
			r.err = &Error{fmt.Sprintf("there are more than %d groups", maxGroups), -1}
			return
		}
	}
	for i := range r.q.items {
		e := r.q.items[i].e
		if !e.aggregated() {
			continue
		}
		if e.op != "call" || !aggregates[e.name] {
			r.err = &Error{"what is aggregated can only be returned as it is", -1}
			return
		}
		a := g.aggs[i]
		if a == nil {
			a = &aggregate{whole: true, unique: map[string]bool{}}
			g.aggs[i] = a
		}
		var v any = true
		if !e.star {
			v = r.eval(e.args[0])
		}
		if v == nil {
			continue
		}
		if e.dist {
			k := text([]any{v})
			if a.unique[k] {
				continue
			}
			a.unique[k] = true
		}
		a.add(e.name, v)
	}
}

func (a *aggregate) add(name string, v any) {
	const most = 10_000
	a.n++
	switch name {
	case "min", "max":
		c := compare(v, a.least)
		if a.least == nil || name == "min" && c < 0 || name == "max" && c > 0 {
			a.least = v
		}
	case "sum", "avg":
		switch v := v.(type) {
		case int64:
			a.isum += v
			a.sum += float64(v)
		case float64:
			a.whole = false
			a.sum += v
		}
	case "collect":
		if len(a.list) < most {
			a.list = append(a.list, v)
		}
	}
}

func (a *aggregate) value(name string) any {
	switch name {
	case "count":
		return a.n
	case "min", "max":
		return a.least
	case "sum":
		if a.whole {
			return a.isum
		}
		return a.sum
	case "avg":
		if a.n == 0 {
			return nil
		}
		return a.sum / float64(a.n)
	}
	return append([]any{}, a.list...)
}

func (r *run) finishGroups() {
	if len(r.order) == 0 {
		// Nothing matched: counts are 0 if nothing else is returned.
		for _, i := range r.q.items {
			if !i.e.aggregated() {
				return
			}
		}
		r.order = append(r.order, &group{keys: make([]any, len(r.q.items)), aggs: make([]*aggregate, len(r.q.items))})
	}
	for _, g := range r.order {
		row := g.keys
		for i := range r.q.items {
			if e := r.q.items[i].e; e.aggregated() {
				a := g.aggs[i]
				if a == nil {
					a = &aggregate{whole: true}
				}
				row[i] = a.value(e.name)
			}
		}
		r.rows = append(r.rows, row)
	}
}
