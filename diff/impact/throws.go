package impact

import (
	"slices"

	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/diff"
)

// throwsFit decides whether a use of the head graph handles the exceptions that
// the changed declaration throws since this change, and handles none that
// nothing throws any more. What a user throws itself it need not handle; what it
// names it may. thrown is false if no such exception changed.
func (e *engine) throwsFit(user graph.ID, k graph.EdgeKind, s *graph.Site, c *diff.Change) (f fit, thrown bool) {
	f = fitsYes
	rules := e.d.RulesFor(&e.head.Nodes[c.Head])
	for _, d := range c.Details {
		if d.Verdict != diff.Breaking || d.Code != diff.ThrowsAdded && d.Code != diff.ThrowsRemoved {
			continue
		}
		thrown = true
		declared, named := e.names(user, d.Name, &rules)
		switch {
		case d.Code == diff.ThrowsRemoved:
			if named && !declared {
				f = min(f, fitsUnknown) // it may catch what nothing throws
			}
		case declared:
		case named || k == graph.EdgeReferences || s.Flags&graph.SiteLiteral != 0 || !e.head.Nodes[user].Kind.IsCallable() || e.rewritten(user):
			f = min(f, fitsUnknown)
		default:
			f = fitsNo
		}
	}
	return f, thrown
}

// names reports whether a declaration of the head graph throws an exception or
// one above it, and whether it names one otherwise, as who catches it does.
func (e *engine) names(user graph.ID, exception string, rules *diff.Rules) (declared, named bool) {
	for _, x := range e.head.Out(user) {
		switch x.Kind {
		case graph.EdgeThrows, graph.EdgeUsesType:
			if diff.Below(e.head, exception, diff.TypeName(e.head, x.To), rules) || diff.Below(e.base, exception, diff.TypeName(e.head, x.To), rules) {
				declared = declared || x.Kind == graph.EdgeThrows
				named = true
			}
		}
	}
	return declared, named
}

// rewritten reports whether something unknown annotates a declaration of the head
// graph, which may make the compiler see other code than what is written.
func (e *engine) rewritten(n graph.ID) bool {
	return slices.ContainsFunc(e.head.InKind(n, graph.EdgeAnnotates), func(i uint32) bool {
		return e.head.Nodes[e.head.Edges[i].From].Flags.Has(graph.FlagOpaque)
	})
}

// throwsMore reports whether a method of the head graph declares an exception
// that the method it overrides, the changed one, does not allow any more.
func (e *engine) throwsMore(method graph.ID, c *diff.Change) bool {
	if !c.Has(diff.ThrowsRemoved) {
		return false
	}
	rules := e.d.RulesFor(&e.head.Nodes[c.Head])
	allowed := e.head.OutKind(c.Head, graph.EdgeThrows)
	return slices.ContainsFunc(e.head.OutKind(method, graph.EdgeThrows), func(x graph.Edge) bool {
		t := diff.TypeName(e.head, x.To)
		return diff.Checked(e.head, t, &rules) && !slices.ContainsFunc(allowed, func(y graph.Edge) bool {
			return diff.Below(e.head, t, diff.TypeName(e.head, y.To), &rules)
		})
	})
}

// givesLess reports whether a method of the head graph still has the result that
// the method it overrides, the changed one, had, where that may only be narrower
// than the new one.
func (e *engine) givesLess(method graph.ID, c *diff.Change) bool {
	n := &e.head.Nodes[method]
	return e.d.RulesFor(n).Supertypes != nil && slices.ContainsFunc(c.Details, func(d diff.Detail) bool {
		return d.Code == diff.ResultType && d.Index < len(n.Signature.Results) && n.Signature.Results[d.Index].Type == d.From
	})
}
