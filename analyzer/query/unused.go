package query

import (
	"strings"

	"github.com/codekg/kg/analyzer/graph"
)

// Reach tells what can be reached from outside: by code, and by tests.
type reach struct{ code, tests []bool }

// reached follows every edge, ambiguous ones too, from what may be started or
// used from outside the tree. What implements something lives if its type does:
// what is called outside is not seen.
func (x *Index) reached() reach {
	g := x.g
	main := x.programs()
	var code, tests []graph.ID
	for i := range g.Nodes {
		n := &g.Nodes[i]
		switch {
		case n.Flags&(graph.FlagTest|graph.FlagTestCase) != 0:
			if n.Flags.Has(graph.FlagTestCase) || n.Kind == graph.KindFile || n.Kind == graph.KindVariable || n.Flags.Has(graph.FlagEntryPoint) {
				tests = append(tests, graph.ID(i))
			}
		case n.Flags&(graph.FlagEntryPoint|graph.FlagCalledOutside|graph.FlagNoBody) != 0,
			n.Kind == graph.KindFile, n.Kind == graph.KindRoute, n.Kind == graph.KindVariable, n.Kind == graph.KindConstant,
			n.Kind == graph.KindAnnotation,
			// What others may use: exported, and of an importable package; by
			// subclasses, too.
			(n.Visibility == graph.Public || n.Visibility == graph.Protected && n.Parent != graph.None && g.Nodes[n.Parent].Visibility == graph.Public) &&
				(n.Kind.IsCallable() || n.Kind.IsType()) && !main[x.Package(graph.ID(i))]:
			code = append(code, graph.ID(i))
		}
	}
	r := reach{make([]bool, len(g.Nodes)), make([]bool, len(g.Nodes))}
	x.spread(code, r.code)
	x.spread(tests, r.tests)
	return r
}

// programs are the packages that are run and not imported.
func (x *Index) programs() map[graph.ID]bool {
	l := x.packages()
	m := map[graph.ID]bool{}
	for i := range x.g.Nodes {
		n := &x.g.Nodes[i]
		if n.Flags.Has(graph.FlagEntryPoint) && n.Name == "main" && n.Kind == graph.KindFunction {
			if p := l.owner[i]; len(l.back[p]) == 0 {
				m[p] = true
			}
		}
	}
	return m
}

func (x *Index) spread(start []graph.ID, seen []bool) {
	g := x.g
	var stack []graph.ID
	push := func(n graph.ID) {
		if n != graph.None && !seen[n] {
			seen[n] = true
			stack = append(stack, n)
		}
	}
	for _, n := range start {
		push(n)
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		node := &g.Nodes[n]
		if !node.Kind.IsContainer() {
			for _, e := range g.Out(n) {
				if e.Kind != graph.EdgeImports {
					push(e.To)
				}
				if e.Type != graph.None {
					push(e.Type)
				}
			}
			push(node.Parent)
		} else if node.Kind == graph.KindFile {
			for _, e := range g.Out(n) {
				if e.Kind != graph.EdgeImports || g.Nodes[e.To].Kind.IsContainer() {
					push(e.To) // a name that is only imported is not used
				}
			}
		}
		// What implements or overrides something may be called where that is.
		if node.Kind.IsType() {
			opaque := x.opaqueBase(n)
			for _, c := range x.Children(n) {
				// Code that is not at hand calls what its own types ask for: of those
				// below one of them all, of others what it can see.
				if g.Nodes[c].Kind.IsCallable() && (opaque || g.Nodes[c].Visibility <= graph.Internal && g.Nodes[c].Kind == graph.KindMethod) {
					push(c)
				}
				if len(g.OutKind(c, graph.EdgeImplements))+len(g.OutKind(c, graph.EdgeOverrides)) > 0 ||
					g.Nodes[c].Flags.Has(graph.FlagCalledOutside) || node.Kind == graph.KindInterface ||
					node.Flags.Has(graph.FlagAnonymous) {
					push(c)
				}
			}
		}
		for _, k := range [...]graph.EdgeKind{graph.EdgeOverrides, graph.EdgeAnnotates} {
			for _, e := range g.InKind(n, k) {
				if node.Kind != graph.KindAnnotation {
					push(g.Edges[e].From)
				}
			}
		}
	}
}

// opaqueBase reports whether a type is made of one of which only the name is
// known.
func (x *Index) opaqueBase(n graph.ID) bool {
	for _, k := range [...]graph.EdgeKind{graph.EdgeExtends, graph.EdgeImplements, graph.EdgeEmbeds} {
		for _, e := range x.g.OutKind(n, k) {
			if x.g.Nodes[e.To].Flags.Has(graph.FlagOpaque) {
				return true
			}
		}
	}
	return false
}

// forbids reports whether a constructor is there so that nobody makes a value: it
// takes nothing, and others cannot call it, or it does nothing.
func forbids(n *graph.Node) bool {
	return n.Kind == graph.KindConstructor && len(n.Signature.Params) == 0 && (n.Visibility == graph.Private || n.Visibility >= graph.Package && n.Tokens <= 2)
}

func (q *asking) deadCode() error {
	r := q.x.reached()
	for i := range q.g.Nodes {
		n := &q.g.Nodes[i]
		if r.code[i] || n.Flags.Has(graph.FlagTest) || n.Flags.Has(graph.FlagGenerated) || n.Name == "_" || forbids(n) ||
			!n.Kind.IsCallable() && !n.Kind.IsType() {
			continue
		}
		if n.Parent != graph.None && q.g.Nodes[n.Parent].Kind.IsType() && !r.code[n.Parent] && q.kinds == 0 {
			continue // its type says it
		}
		h := found(graph.ID(i))
		h.meter, h.value = true, float64(n.Tokens)
		if h.text = "nothing reaches it"; r.tests[i] {
			h.text = "only tests reach it"
		}
		q.add(h)
	}
	q.orderByValue()
	q.note = "not reached from entry points, initialisers and what other modules may use; calls by reflection, through interfaces without a name, from templates or from other languages are not seen"
	return nil
}

// ofBlank reports whether a declaration is part of one without a name, which only
// says something to the compiler.
func (x *Index) ofBlank(n *graph.Node) bool {
	return n.Parent != graph.None && x.g.Nodes[n.Parent].Name == "_" || strings.Contains(n.QName, "._.")
}

func (q *asking) orphans() error {
	for i := range q.g.Nodes {
		n := &q.g.Nodes[i]
		if n.Kind.IsContainer() || n.Kind == graph.KindExternal || n.Flags&(graph.FlagTest|graph.FlagEntryPoint|graph.FlagCalledOutside|graph.FlagGenerated) != 0 ||
			n.Name == "_" || q.x.ofBlank(n) || forbids(n) || q.kinds == 0 && !n.Kind.IsCallable() && !n.Kind.IsType() && n.Kind != graph.KindConstant && n.Kind != graph.KindVariable {
			continue
		}
		if len(q.g.Out(graph.ID(i)))+len(q.g.In(graph.ID(i))) == 0 && len(q.x.Children(graph.ID(i))) == 0 {
			q.add(found(graph.ID(i)))
		}
	}
	q.order()
	return nil
}

func (q *asking) unusedExports() error {
	main := q.x.programs()
	for i := range q.g.Nodes {
		n := &q.g.Nodes[i]
		id := graph.ID(i)
		if n.Visibility > graph.Internal || n.Kind.IsContainer() || n.Kind == graph.KindExternal || n.Kind == graph.KindRoute || n.Name == "_" || q.x.ofBlank(n) ||
			n.Flags&(graph.FlagTest|graph.FlagEntryPoint|graph.FlagCalledOutside|graph.FlagGenerated|graph.FlagEmbedded) != 0 ||
			q.kinds == 0 && n.Kind == graph.KindField {
			continue
		}
		if n.Parent != graph.None && q.g.Nodes[n.Parent].Visibility > graph.Internal {
			continue // nobody outside can name it
		}
		if len(q.g.OutKind(id, graph.EdgeImplements))+len(q.g.OutKind(id, graph.EdgeOverrides)) > 0 {
			continue // called by way of what it implements
		}
		own := q.x.Package(id)
		inside, outside := 0, 0
		for _, e := range q.g.In(id) {
			from := q.g.Edges[e].From
			if q.x.Package(from) == own {
				inside++
			} else {
				outside++
			}
		}
		if outside > 0 {
			continue
		}
		h := found(id)
		switch {
		case inside > 0:
			h.text = "used only inside its package"
		default:
			h.text = "used nowhere in the tree"
		}
		if n.Visibility == graph.Public && !main[own] {
			h.text += "; other modules may use it"
		}
		q.add(h)
	}
	q.order()
	return nil
}
