package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Attributes that are known by their places: what patterns take apart without a name,
// and what tuples with names hold.

// maxFields bounds the declarations of a class that are looked through for them.
const maxFields = 256

// fieldAt returns the type of the attribute at place n of a value: that of its class
// and those above it that are declared with a type, from the uppermost class on.
func (ev *evaluator) fieldAt(x Type, n int) Type {
	t := ev.types
	return t.mapUnion(x, func(m Type) Type {
		if t.kind(m) == kTuple {
			return t.arg(m, n)
		}
		c, _ := ev.classOf(ev.objectType(m))
		if c == noEnt {
			return unknownType
		}
		types := ev.mroFor(c).types
		var seen []Sym
		for i := len(types) - 1; i >= 0; i-- {
			e := t.rec(types[i]).ent
			if ev.l.units[ev.l.unitOf(e)].surface {
				continue
			}
			f := &ev.l.files[ev.l.entFile[e]]
			own := e - f.base
			decls := f.Facts.Decls
			for k := int(own) + 1; k < len(decls) && k <= int(own)+maxFields && decls[k].Parent >= facts.DeclID(own); k++ {
				d := &decls[k]
				if d.Parent != facts.DeclID(own) || d.Kind != graph.KindField || d.Type == facts.None || !d.Flags.Has(graph.FlagStatic) {
					continue
				}
				name := f.syms[d.Name]
				again := false
				for _, s := range seen {
					again = again || s == name
				}
				if again {
					continue
				}
				if len(seen) == n {
					if h := ev.find(m, name); h.ent != noEnt {
						return ev.attribute(m, h)
					}
					return unknownType
				}
				seen = append(seen, name)
			}
		}
		return unknownType
	})
}

// namedItem returns value n of a tuple whose values have names.
func (ev *evaluator) namedItem(m Type, n int) (Type, bool) {
	if k := ev.types.kind(m); k != kNamed && k != kSelf || ev.lang.dyn.namedTuple == noEnt || n < 0 || ev.asClass(m, ev.lang.dyn.namedTuple) == unknownType {
		return unknownType, false
	}
	return ev.fieldAt(m, n), true
}
