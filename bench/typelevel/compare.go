package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// compare counts where the two graphs differ, and why.
func compare(out io.Writer, k *types, n *names, list int) {
	types := map[string][]graph.ID{} // of each simple name
	for _, id := range k.nodes {
		name := k.g.Nodes[id].Name
		types[name] = append(types[name], id)
	}
	var absent []string
	for name := range n.file {
		if types[name] == nil {
			absent = append(absent, name)
		}
	}
	only := 0
	for name := range types {
		if n.file[name] == "" {
			only++
		}
	}
	again := len(k.nodes) - len(types)
	fmt.Fprintf(out, "nodes: %d more types of the graph share their simple name with another one, %d names only here, %d only by names\n", again, only, len(absent))
	slices.Sort(absent)
	if list > 0 && len(absent) > 0 {
		fmt.Fprintf(out, "  only by names: %v\n", absent[:min(len(absent), list)])
	}

	have := map[named]bool{}
	pairs := map[[2]string]bool{}
	for _, e := range k.edges {
		x := named{k.g.Nodes[e.from].Name, k.g.Nodes[e.to].Name, e.kind}
		have[x] = true
		pairs[[2]string{x.from, x.to}] = true
	}
	r := reasons{}
	for e := range n.edges {
		switch {
		case have[e]:
			r.add("in both", e)
		case e.from == e.to:
			r.add("only by names: a type to itself", e)
		case !n.owned[e]:
			r.add("only by names: written in another type of the file", e)
		case e.kind != graph.EdgeInjects && !pairs[[2]string{e.from, e.to}]:
			r.add("only by names: the argument of a generic base, or a name that means a type outside", e)
		case len(types[e.to]) > 1:
			r.add("only by names: one of several types of the name", e)
		case e.kind == graph.EdgeInjects:
			r.add("only by names: the name means a type outside or a type parameter", e)
		default:
			r.add("only by names: the argument of a generic base", e)
		}
	}
	for e := range have {
		if n.edges[e] {
			continue
		}
		switch {
		case len(types[e.from]) > 1:
			r.add("only here: another type has the name of the owner", e)
		case e.kind == graph.EdgeInjects:
			r.add("only here: generic, array or qualified types of fields and parameters", e)
		default:
			r.add("only here: bases", e)
		}
	}
	if d := len(k.edges) - len(have); d > 0 {
		fmt.Fprintf(out, "%6d edges of the graph are between the same simple names as another one\n", d)
	}
	for _, why := range slices.Sorted(maps.Keys(r)) {
		fmt.Fprintf(out, "%6d %s\n", len(r[why]), why)
		if why == "in both" {
			continue
		}
		slices.SortFunc(r[why], func(x, y named) int {
			return slices.Compare([]string{x.from, x.to, x.kind.String()}, []string{y.from, y.to, y.kind.String()})
		})
		for _, e := range r[why][:min(len(r[why]), list)] {
			fmt.Fprintf(out, "         %s %s %s\n", e.from, e.kind, e.to)
		}
	}
}

type reasons map[string][]named

func (r reasons) add(why string, e named) { r[why] = append(r[why], e) }
