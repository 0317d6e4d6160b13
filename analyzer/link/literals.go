package link

import (
	"slices"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Values that tell overloads apart, in languages whose types flow: a parameter of one
// of several signatures may ask for one of a few values. The values are no types
// here; which signature a call means is decided by what its arguments are written as.

// value is a constant: the text that a literal is known by, or the member of an
// enumeration; the zero value is none.
type value struct {
	text Sym
	ent  Ent
}

// maxLiterals bounds the values that a parameter asks for, and the types and names
// that are looked through for them.
const maxLiterals = 64

// literal returns the value that an expression of the open file is.
func (ev *evaluator) literal(e facts.ExprID) (v value) {
	v.ent = noEnt
	fs := ev.f.Facts
	for range 4 {
		if e < 0 {
			return v
		}
		switch x := &fs.Exprs[e]; {
		case x.Op == facts.OpLiteral && x.X >= 0:
			v.text = ev.f.syms[fs.Exprs[x.X].Name]
			return v
		case x.Op == facts.OpKeyword:
			e = x.X
			continue
		case x.Op == facts.OpName && x.Flags&facts.FlagLocal != 0:
			if lo := &fs.Locals[x.X]; lo.Kind == facts.LocalVar && lo.Value != facts.None && lo.Type == facts.None {
				e = lo.Value
				continue
			}
		case x.Op == facts.OpName || x.Op == facts.OpSelect:
			ev.typeOf(e)
			ref := ev.ref[e]
			if ref == noEnt {
				return v
			}
			d, f := ev.l.decl(ref), &ev.l.files[ev.l.entFile[ref]]
			if c := ev.l.container(ref); c != noEnt && d.Kind == graph.KindField && ev.lang.dyn.enum != noEnt && ev.asClass(ev.types.mk(kNamed, c, 0), ev.lang.dyn.enum) != unknownType {
				v.ent = ref
			} else if d.Value != facts.None && d.Kind == graph.KindVariable {
				if y := &f.Facts.Exprs[d.Value]; y.Op == facts.OpLiteral && y.X >= 0 {
					v.text = f.syms[f.Facts.Exprs[y.X].Name]
				}
			}
		}
		return v
	}
	return v
}

// literals returns the values that an annotation of the open file asks for; nil if it
// asks for something else, too.
func (ev *evaluator) literals(e facts.ExprID) []value {
	type place struct {
		fn int32
		e  facts.ExprID
	}
	var out []value
	open := []place{{ev.fn, e}}
	for n := 0; len(open) > 0; n++ {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if at.e < 0 || n > maxLiterals || len(out) > maxLiterals {
			return nil
		}
		f := &ev.l.files[at.fn]
		fs := f.Facts
		more := func(list []int32) {
			for _, a := range list {
				open = append(open, place{at.fn, facts.ExprID(a)})
			}
		}
		switch x := &fs.Exprs[at.e]; x.Op {
		case facts.OpIndex:
			if x.X < 0 {
				return nil
			}
			switch fs.Str(fs.Exprs[x.X].Name) {
			case "Literal":
				for _, a := range fs.List(x.Args) {
					v := value{ent: noEnt}
					if y := &fs.Exprs[a]; y.Op == facts.OpLiteral && y.X >= 0 {
						v.text = f.syms[fs.Exprs[y.X].Name]
					} else if at.fn == ev.fn {
						v = ev.literal(facts.ExprID(a))
					}
					if v.text == 0 && v.ent == noEnt && fs.Exprs[a].Op != facts.OpLiteral {
						return nil
					}
					out = append(out, v)
				}
			case "Optional", "Union", "Annotated", "Final":
				more(fs.List(x.Args))
			default:
				return nil
			}
		case facts.OpUnionType, facts.OpConditional:
			more(fs.List(x.Args))
		case facts.OpBinary:
			more([]int32{int32(x.X), int32(x.Y)})
		case facts.OpName: // an alias
			if x.Flags&facts.FlagLocal != 0 {
				return nil
			}
			b := ev.nameIn(f.unit, f.syms[x.Name])
			if b.kind != bindEnt || ev.l.decl(b.ent).Value == facts.None || ev.l.decl(b.ent).Kind != graph.KindVariable {
				return nil
			}
			open = append(open, place{ev.l.entFile[b.ent], ev.l.decl(b.ent).Value})
		case facts.OpLiteral: // none
			if x.X >= 0 || ev.lang.literals[f.syms[x.Name]] != ev.lang.tNull {
				return nil
			}
		default:
			return nil
		}
	}
	return out
}

// asksFor notes the values that the parameters of a signature among several ask for.
func (s *slots) asksFor(ev *evaluator, d *facts.Decl) {
	fs := ev.f.Facts
	for j := d.Params.Lo; j < d.Params.Hi; j++ {
		if x := fs.Params[j].Type; x != facts.None {
			if vs := ev.literals(x); vs != nil {
				s.values[s.base[ev.fn]+j] = vs
			}
		}
	}
}

// told reports whether a call gives the values that function e asks for, by the
// arguments that are known to be some value.
func (ev *evaluator) told(e Ent, bound bool, c *callArgs) bool {
	l := ev.l
	d := l.decl(e)
	at := l.slots.base[l.entFile[e]] + d.Params.Lo
	ok := true
	ev.eachArgument(e, bound, c, func(p int32, a argument) {
		vs := l.slots.values[at+p]
		if vs == nil || a.typ == ev.lang.tNull {
			return
		}
		ok = ok && (a.value.text != 0 || a.value.ent != noEnt) && slices.Contains(vs, a.value)
	})
	return ok
}

// chosen returns the signature that a call means: the first that it fits and that
// asks for the values that it gives; without such, all that it fits. They are in the
// memory of the list.
func (ev *evaluator) chosen(list []Ent, bound bool, c *callArgs) []Ent {
	fit, asks := list[:0], false
	for _, o := range list {
		if !ev.fitsCall(o, bound, c) {
			continue
		}
		if ev.told(o, bound, c) {
			return append(list[:0], o)
		}
		fit, asks = append(fit, o), true
	}
	if asks && len(fit) > maxSignatures {
		return nil
	}
	return fit
}

// maxSignatures bounds the signatures of which one may be meant.
const maxSignatures = 3
