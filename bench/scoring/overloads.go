package scoring

import (
	"slices"

	"github.com/codekg/kg/bench/record"
)

// overloads maps each function, method and constructor to the first one of the
// same name in the same type or file.
func overloads(defs []*record.Def) map[string]string {
	type name struct{ in, kind, name string }
	first, one := map[name]string{}, map[string]string{}
	for _, d := range defs {
		if !callable(d.Kind) {
			continue
		}
		k := name{d.Parent, class(d.Kind), d.Name}
		if k.in == "" {
			k.in = d.File
		}
		if first[k] == "" {
			first[k] = d.ID
		}
		one[d.ID] = first[k]
	}
	return one
}

// asOne returns o with its sites between the first overloads of each name.
func asOne(o *record.Oracle) *record.Oracle {
	one := overloads(o.Defs)
	of := func(id string) string {
		if first := one[id]; first != "" {
			return first
		}
		return id
	}
	each := func(ids []string) []string {
		ids = slices.Clone(ids)
		for i := range ids {
			ids[i] = of(ids[i])
		}
		return ids
	}
	c := *o
	c.Sites = make([]*record.Site, len(o.Sites))
	for i, s := range o.Sites {
		d := *s
		d.From, d.To, d.FromOr, d.ToOr = of(s.From), of(s.To), each(s.FromOr), each(s.ToOr)
		c.Sites[i] = &d
	}
	return &c
}

// joinOverloads makes the nodes of overloads stand for the first one of their
// name. Where it was open only which of them is meant, nothing is open then.
func (ix *index) joinOverloads() {
	one := overloads(ix.oracle.Defs)
	for id, d := range ix.matched {
		if first := one[d.ID]; first != "" {
			ix.matched[id] = ix.defs[first]
		}
	}
	for _, at := range ix.edges {
		same := func(e, f *record.Edge) bool {
			return e.Certainty == "ambiguous" && f.Certainty == "ambiguous" && e.Kind == f.Kind && e.From == f.From
		}
		var sure []*record.Edge
		for _, e := range at {
			d := ix.matched[e.To]
			if d != nil && !slices.ContainsFunc(at, func(f *record.Edge) bool { return same(e, f) && ix.matched[f.To] != d }) && e.Certainty == "ambiguous" {
				sure = append(sure, e)
			}
		}
		for _, e := range sure {
			e.Certainty = "inferred"
		}
	}
}
