package link

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// flows records the values that are stored as interfaces.
func (r *bodyReader) flows() {
	fs := r.f.Facts
	for i := range fs.Flows {
		fl := &fs.Flows[i]
		if fl.From < 0 {
			continue
		}
		owner := r.owner[fl.From]
		switch fl.Kind {
		case facts.FlowAssign:
			if fl.To >= 0 {
				r.convert(fl.From, r.ev.typ[fl.To], owner)
			}
		case facts.FlowBind:
			t, _ := r.ev.localType(facts.LocalID(fl.N))
			r.convert(fl.From, t, owner)
		case facts.FlowDefine:
			r.convert(fl.From, r.l.typ[r.f.base+Ent(fl.N)], owner)
		case facts.FlowSend:
			if fl.To >= 0 {
				if u := r.ev.under(r.ev.typ[fl.To]); r.ev.types.kind(u) == kChan {
					r.convert(fl.From, r.ev.types.arg(u, 0), owner)
				}
			}
		case facts.FlowReturn:
			r.returned(fl, owner)
		}
	}
}

func (r *bodyReader) returned(fl *facts.Flow, owner graph.ID) {
	if fl.To < 0 || int(fl.To) >= len(r.f.Facts.Decls) {
		return
	}
	t := r.ev.types
	ft := r.ev.funcType(facts.DeclID(fl.To))
	if t.kind(ft) != kFunc {
		return
	}
	results := t.argsOf(ft)[t.rec(ft).funcParams():]
	if fl.N >= 0 {
		if int(fl.N) < len(results) {
			r.convert(fl.From, results[fl.N], owner)
		}
		return
	}
	from := r.ev.typ[fl.From]
	switch t.kind(from) {
	case kTuple:
		for i, a := range t.argsOf(from) {
			if i < len(results) {
				r.convertType(a, results[i], owner, &r.f.Facts.Exprs[fl.From])
			}
		}
	case kOutside:
		for _, to := range results {
			r.convertType(from, to, owner, &r.f.Facts.Exprs[fl.From])
		}
	}
}

// convert records that the value of an expression is stored as type to, if
// that is an interface and the value's type is another.
func (r *bodyReader) convert(from facts.ExprID, to Type, owner graph.ID) {
	if from < 0 || !r.f.Rules.ImplicitInterfaces || to == unknownType {
		return
	}
	r.convertType(r.ev.value(from), to, owner, &r.f.Facts.Exprs[from])
}

func (r *bodyReader) convertType(from, to Type, owner graph.ID, x *facts.Expr) {
	t := r.ev.types
	if !r.f.Rules.ImplicitInterfaces || from == to || from == unknownType || to == unknownType || r.ev.isGuess(x) {
		return
	}
	tr := t.rec(to)
	if tr.kind == kExtern && to < t.off {
		if base, ptr := t.deref(from); t.kind(base) == kNamed && !r.ev.interfaceLike(base) {
			s := storedExtern{t.rec(base).ent, to}
			was, seen := r.storedExterns[s]
			r.storedExterns[s] = ptr && (was || !seen)
		}
		return
	}
	if tr.kind != kNamed || !r.ev.interfaceLike(to) {
		return
	}
	switch t.kind(from) {
	case kMeta, kTuple, kPkg:
		return
	case kNamed: // of two instances of one interface a part could not be told
		if t.rec(from).ent == tr.ent {
			return
		}
	case kOutside:
		if !r.ev.becomesOwn(from, to) {
			return
		}
	case kExtern: // a value of an external type, or else an external value
		if x.Op == facts.OpSelect && x.X >= 0 && t.kind(r.ev.typ[x.X]) == kPkg {
			// A type that is asserted may be an interface itself.
			if from = t.mk(kOutside, noEnt, 0); x.Flags&facts.FlagTyped != 0 || !r.ev.becomesOwn(from, to) {
				return
			}
		}
	}
	if r.isNil(from) {
		return
	}
	node := r.target(tr.ent)
	if node == graph.None {
		return
	}
	concrete := graph.None
	base, _ := t.deref(from)
	switch br := t.rec(base); br.kind {
	case kNamed:
		concrete = r.target(br.ent)
		if !r.l.isInterface(br.ent) && r.l.isInterface(tr.ent) {
			p := implemented{br.ent, tr.ent}
			was, seen := r.stored[p]
			r.stored[p] = base != from && (was || !seen) // one that is stored itself proves more
		}
	case kExtern:
		concrete = r.extern(r.l.symString(Sym(br.ent)), r.l.symString(Sym(br.n)))
	}
	r.edges = append(r.edges, graph.RawEdge{From: owner, To: node, Type: concrete, Kind: graph.EdgeConverts, HasSite: true, Site: r.site(x.Line, x.Col)})
}

// isNil reports whether a type is that of the null literal.
func (r *bodyReader) isNil(t Type) bool { return t == r.ev.lang.tNull }
