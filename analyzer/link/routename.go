package link

import (
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Routes whose paths are made of constants of other declarations have names with
// holes, which are filled here; what is not known stays a question mark.

// maxConstant bounds how many constants lead to a text, and maxRouteName how long
// a route's name gets.
const (
	maxConstant  = 16
	maxRouteName = 1 << 10
)

// nameRoutes fills the holes in the names of routes.
func (l *linker) nameRoutes() {
	c := &constants{l: l, known: map[Ent]constant{}}
	for fn, f := range l.ownFiles() {
		for i := range f.Facts.Decls {
			d := &f.Facts.Decls[i]
			if d.Kind != graph.KindRoute || d.Value < 0 || !strings.ContainsRune(f.Facts.Str(d.Name), facts.Hole) {
				continue
			}
			parts, message := d.Value, false
			if x := &f.Facts.Exprs[d.Value]; x.Op == facts.OpKeyValue { // of messages
				parts, message = x.Y, true
			}
			if c.ev == nil {
				c.ev = l.newEvaluator(l.types)
				c.ev.classes.reset()
				l.routeNames = map[Ent]string{}
			}
			name := c.fill(fn, f.Facts.Str(d.Name), parts)
			if message {
				name = facts.ShortTopic(name)
			}
			l.routeNames[f.base+Ent(i)] = name
		}
	}
}

// routeName returns the name of a route.
func (l *linker) routeName(e Ent) string {
	if name, ok := l.routeNames[e]; ok {
		return name
	}
	return l.str(e, l.decl(e).Name)
}

// constants finds the texts of constants.
type constants struct {
	l     *linker
	ev    *evaluator
	known map[Ent]constant
}

type constant struct {
	text string
	ok   bool
}

// fill returns a name with its holes filled by the parts of value.
func (c *constants) fill(fn int32, name string, value facts.ExprID) string {
	fs := c.l.files[fn].Facts
	method, path, _ := strings.Cut(name, " ")
	for _, part := range fs.List(fs.Exprs[value].Args) {
		text, ok := c.text(fn, facts.ExprID(part), 0)
		if !ok || strings.ContainsRune(text, facts.Hole) || len(path)+len(text) > maxRouteName {
			text = "?"
		}
		path = strings.Replace(path, string(facts.Hole), text, 1)
	}
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	return method + " " + path
}

// text returns what an expression of a file adds up to.
func (c *constants) text(fn int32, e facts.ExprID, depth int) (string, bool) {
	if depth > maxConstant {
		return "", false
	}
	var out strings.Builder
	for _, p := range c.parts(fn, e, nil) {
		switch {
		case p.ent == noEnt:
			return "", false
		case p.ent >= 0:
			if known, ok := c.known[p.ent]; ok {
				p.constant = known
			} else if d := c.l.decl(p.ent); d.Value >= 0 {
				c.known[p.ent] = constant{} // one that is made of itself
				p.text, p.ok = c.text(c.l.entFile[p.ent], d.Value, depth+1)
				c.known[p.ent] = p.constant
			}
			if !p.ok || out.Len()+len(p.text) > maxRouteName {
				return "", false
			}
		}
		out.WriteString(p.text)
	}
	return out.String(), out.Len() > 0
}

// textPart is a literal, or the declaration that has the text; noEnt: neither.
type textPart struct {
	constant
	ent Ent
}

const literalText = noEnt - 1

// parts returns what an expression adds up, from the left.
func (c *constants) parts(fn int32, e facts.ExprID, out []textPart) []textPart {
	c.ev.open(fn)
	fs := c.l.files[fn].Facts
	stack, hops := []facts.ExprID{e}, 0
	for len(stack) > 0 && len(out) < maxConstant {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		x := &fs.Exprs[e]
		switch {
		case x.Op == facts.OpBinary && fs.Str(x.Name) == "+" && x.X >= 0 && x.Y >= 0:
			stack = append(stack, x.Y, x.X)
		case x.Op == facts.OpLiteral && x.X >= 0:
			out = append(out, textPart{constant{fs.Str(fs.Exprs[x.X].Name), true}, literalText})
		case x.Op == facts.OpName && x.Flags&facts.FlagLocal != 0 && hops < maxConstant:
			// A local that has one value.
			hops++
			if l := &fs.Locals[x.X]; l.Kind == facts.LocalVar && l.Value >= 0 && l.Next < 0 {
				stack = append(stack, l.Value)
			} else {
				out = append(out, textPart{ent: noEnt})
			}
		case x.Op == facts.OpName || x.Op == facts.OpSelect:
			c.ev.typeOf(e)
			ref := c.ev.ref[e]
			if ref != noEnt && c.l.units[c.l.unitOf(ref)].surface {
				ref = noEnt
			}
			out = append(out, textPart{ent: ref})
		default:
			out = append(out, textPart{ent: noEnt})
		}
	}
	if len(stack) > 0 {
		out = append(out, textPart{ent: noEnt})
	}
	return out
}
