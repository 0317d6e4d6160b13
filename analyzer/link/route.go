package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// handler records what handles a route: the method that it belongs to, or the
// function that is its value, perhaps wrapped in calls of others.
func (r *bodyReader) handler(node graph.ID, d *facts.Decl) {
	to := graph.None
	if d.Parent != facts.None {
		to = r.l.ownerNode(r.fn, d.Parent)
	} else if v := handlerOf(r.f.Facts, d); v != none {
		to = r.handlerValue(v)
	}
	if to == graph.None {
		to = r.fileNode()
	}
	r.edges = append(r.edges, graph.RawEdge{From: node, To: to, Type: graph.None, Kind: graph.EdgeHandles, HasSite: true, Site: r.site(d.Line, d.Col)})
}

// handlerOf returns the expression that names what handles a route, None if there is
// none.
func handlerOf(fs *facts.File, d *facts.Decl) facts.ExprID {
	if d.Value != facts.None && fs.Exprs[d.Value].Op == facts.OpKeyValue { // of messages
		return fs.Exprs[d.Value].X
	}
	return d.Value
}

// maxWrapped bounds the calls around a handler that are looked into.
const maxWrapped = 8

func (r *bodyReader) handlerValue(e facts.ExprID) graph.ID {
	fs := r.f.Facts
	for x, n := e, 0; n < maxWrapped; n++ {
		if ref := r.ev.ref[x]; ref != noEnt && r.l.decl(ref).Kind.IsCallable() && fs.Exprs[x].Op != facts.OpCall {
			if to := r.target(ref); to != graph.None {
				return to
			}
		}
		args := fs.List(fs.Exprs[x].Args)
		if fs.Exprs[x].Op != facts.OpCall || len(args) == 0 {
			break
		}
		x = facts.ExprID(args[len(args)-1])
	}
	return r.owner[e] // a function that stands there counts to what is around it
}
