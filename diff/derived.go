package diff

import (
	"github.com/codekg/kg/analyzer/graph"
)

// derived leaves out the changes of declarations that are written as before and
// whose types are others only because of what they name: those changes say so.
// Where types fit by their shape they are spelled out, and one type with another
// member would change each function that takes or gives it. Time is linear in
// the edges to what changed.
func (d *Delta) derived() {
	follows := map[graph.ID]int{} // of the head graph: those that only follow, 2 once it is known whom
	var stack []*Change
	for i := range d.Changes {
		c := &d.Changes[i]
		if d.follows(c) {
			follows[c.Head] = 1
		} else {
			stack = append(stack, c)
		}
	}
	if len(follows) == 0 {
		return
	}
	at := map[graph.ID]*Change{}
	for i := range d.Changes {
		if c := &d.Changes[i]; follows[c.Head] > 0 && c.Head != graph.None {
			at[c.Head] = c
		}
	}
	reach := func(h graph.ID) {
		if h != graph.None && follows[h] == 1 {
			follows[h] = 2
			stack = append(stack, at[h])
		}
	}
	for len(stack) > 0 {
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if c.Head != graph.None {
			for _, i := range d.Head.In(c.Head) {
				reach(d.Head.Edges[i].From)
			}
		}
		if c.Base != graph.None {
			for _, i := range d.Base.In(c.Base) {
				reach(d.ToHead(d.Base.Edges[i].From))
			}
		}
	}
	kept := d.Changes[:0]
	for _, c := range d.Changes {
		if c.Head == graph.None || follows[c.Head] != 2 {
			kept = append(kept, c)
		}
	}
	clear(d.Changes[len(kept):])
	d.Changes = kept
}

// follows reports whether nothing of a declaration itself changed.
func (d *Delta) follows(c *Change) bool {
	if c.Head == graph.None || c.Base == graph.None || c.Aspects != 1<<Signature {
		return false
	}
	x, y := &d.Base.Nodes[c.Base], &d.Head.Nodes[c.Head]
	if !d.RulesFor(y).Structural || x.Body != y.Body || x.Name != y.Name || x.Signature.Text != y.Signature.Text {
		return false
	}
	for _, e := range c.Details {
		switch e.Code {
		case ParamType, ResultType, ResultAdded, ResultRemoved, TypeChanged, TypeParamBound, BodyChanged, AnnotationChanged:
		default:
			return false
		}
	}
	return true
}
