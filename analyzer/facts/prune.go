package facts

import (
	"slices"

	"github.com/codekg/kg/analyzer/graph"
)

// Surface returns what users of a file can see: the declarations for which keep
// returns true, with the declarations around them and those whose names their
// types and initial values mention, without bodies, places, documentation and
// hashes. It is how the API of a library becomes data. O(n) for each round of
// names that are mentioned, which are few.
func (f *File) Surface(keep func(DeclID) bool) *File {
	p := &pruner{from: f, kept: make([]bool, len(f.Decls)), byName: map[Str][]DeclID{},
		exprs: map[ExprID]ExprID{}, locals: map[LocalID]LocalID{}, decls: make([]DeclID, len(f.Decls))}
	p.to.Reset()
	for i := range f.Decls {
		if d := &f.Decls[i]; d.Parent == None && d.Owner == 0 {
			p.byName[d.Name] = append(p.byName[d.Name], DeclID(i))
		}
	}
	for i := range f.Decls {
		if keep(DeclID(i)) {
			p.keep(DeclID(i))
		}
	}
	for len(p.queue) > 0 {
		d := p.queue[len(p.queue)-1]
		p.queue = p.queue[:len(p.queue)-1]
		p.mentions(d)
	}
	return p.copy()
}

type pruner struct {
	from   *File
	to     Builder
	kept   []bool
	queue  []DeclID
	byName map[Str][]DeclID
	exprs  map[ExprID]ExprID
	locals map[LocalID]LocalID
	decls  []DeclID
}

func (p *pruner) keep(d DeclID) {
	for d != None && !p.kept[d] {
		p.kept[d] = true
		p.queue = append(p.queue, d)
		d = p.from.Decls[d].Parent
	}
}

// roots appends the expressions that give a declaration its type.
func (p *pruner) roots(to []ExprID, d *Decl) []ExprID {
	f := p.from
	for _, s := range []Span{d.TypeParams, d.Params, d.Results} {
		for _, q := range f.Params[s.Lo:s.Hi] {
			to = append(to, q.Type)
		}
	}
	for _, s := range []Span{d.Bases, d.Implements} {
		for _, e := range f.Lists[s.Lo:s.Hi] {
			to = append(to, ExprID(e))
		}
	}
	to = append(to, d.Type)
	if d.Type == None && !d.Kind.IsCallable() {
		to = append(to, d.Value)
	}
	return to
}

// mentions keeps the declarations that d's type needs.
func (p *pruner) mentions(id DeclID) {
	stack := p.roots(nil, &p.from.Decls[id])
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if e == None {
			continue
		}
		x := &p.from.Exprs[e]
		switch {
		case x.Op == OpName && x.Flags&FlagLocal == 0:
			for _, d := range p.byName[x.Name] {
				p.keep(d)
			}
			continue
		case x.Op == OpFunc || x.Op == OpType:
			p.keep(DeclID(x.X))
			for i := int(x.X) + 1; i < len(p.from.Decls) && p.from.Decls[i].Parent >= DeclID(x.X); i++ {
				if x.Op == OpType {
					p.keep(DeclID(i))
				}
			}
			continue
		case x.Op == OpName:
			continue
		}
		stack = p.operands(stack, x)
	}
}

// operands appends the operands of an expression that its type depends on: the
// elements of a composite are none.
func (p *pruner) operands(to []ExprID, x *Expr) []ExprID {
	to = append(to, x.X)
	if x.Op == OpComposite {
		return to
	}
	if !x.Op.HasContext() {
		to = append(to, x.Y)
	}
	for _, a := range p.from.List(x.Args) {
		to = append(to, ExprID(a))
	}
	return to
}

func (p *pruner) copy() *File {
	f, b := p.from, &p.to
	b.Package, b.Constraint = p.str(f.Package), p.str(f.Constraint)
	for _, m := range f.Imports {
		b.Imports = append(b.Imports, Import{Path: p.str(m.Path), Name: p.str(m.Name), Alias: p.str(m.Alias), Owner: None, Flags: m.Flags})
	}
	for i := range f.Decls {
		p.decls[i] = None
		if p.kept[i] {
			p.decls[i] = DeclID(len(b.Decls))
			b.Decls = append(b.Decls, Decl{})
		}
	}
	for i := range f.Decls {
		if p.kept[i] {
			d := p.decl(DeclID(i))
			b.Decls[p.decls[i]] = d
			for n := d.Parent; n != None; n = b.Decls[n].Parent { // its range lies in theirs
				b.Decls[n].Exprs.Hi, b.Decls[n].Locals.Hi = d.Exprs.Hi, d.Locals.Hi
			}
		}
	}
	return b.Finish()
}

func (p *pruner) str(s Str) Str { return p.to.InternString(p.from.Strings[s]) }

func (p *pruner) decl(id DeclID) Decl {
	b, d := &p.to, &p.from.Decls[id]
	lo, locals := int32(len(b.Exprs)), int32(len(b.Locals))
	clear(p.exprs) // what it has in common with another one, each has for itself
	for l := d.Locals.Lo; l < d.Locals.Hi; l++ {
		if p.from.Locals[l].Decl == id { // it may be mentioned first in a literal
			p.local(LocalID(l))
		}
	}
	n := Decl{Kind: d.Kind, Name: p.str(d.Name), Parent: None, Owner: p.str(d.Owner), Traits: d.Traits,
		Flags: d.Flags & (graph.FlagPtrReceiver | graph.FlagStatic | graph.FlagAbstract | graph.FlagFinal | graph.FlagNoBody), Vis: d.Vis, Shape: p.str(d.Shape), Ordinal: d.Ordinal, Type: None, Value: None}
	if d.Parent != None {
		n.Parent = p.decls[d.Parent]
	}
	n.TypeParams, n.Params, n.Results = p.params(d.TypeParams), p.params(d.Params), p.params(d.Results)
	n.Bases, n.Implements = p.list(d.Bases), p.list(d.Implements)
	n.Type = p.expr(d.Type)
	if d.Type == None && !d.Kind.IsCallable() {
		n.Value = p.expr(d.Value)
	}
	n.Exprs, n.Locals = Span{lo, int32(len(b.Exprs))}, Span{locals, int32(len(b.Locals))}
	return n
}

func (p *pruner) params(s Span) Span {
	var ps []Param
	for _, q := range p.from.Params[s.Lo:s.Hi] {
		ps = append(ps, Param{Name: p.str(q.Name), Type: p.expr(q.Type), Local: p.local(q.Local), Flags: q.Flags})
	}
	lo := int32(len(p.to.Params))
	p.to.Params = append(p.to.Params, ps...)
	return Span{lo, int32(len(p.to.Params))}
}

func (p *pruner) list(s Span) Span {
	var ids []int32
	for _, e := range p.from.Lists[s.Lo:s.Hi] {
		ids = append(ids, int32(p.expr(ExprID(e))))
	}
	return p.to.AddSpan(ids)
}

// local copies type parameters only: nothing else is visible outside.
func (p *pruner) local(l LocalID) LocalID {
	if l == None || p.from.Locals[l].Kind != LocalTypeParam {
		return None
	}
	if id, ok := p.locals[l]; ok {
		return id
	}
	lo := p.from.Locals[l]
	id := p.to.AddLocal(Local{Name: p.str(lo.Name), Kind: lo.Kind, Index: lo.Index, Decl: p.decls[lo.Decl], Type: None, Value: None, Next: None})
	p.locals[l] = id
	return id
}

// expr copies an expression and its operands, operands first.
func (p *pruner) expr(root ExprID) ExprID {
	if root == None {
		return None
	}
	// Operands precede operators, so the ids in ascending order are an order
	// in which every operand is copied before it is needed.
	var ids []ExprID
	seen := map[ExprID]bool{}
	stack := []ExprID{root}
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if e == None || seen[e] {
			continue
		}
		seen[e] = true
		ids = append(ids, e)
		if x := &p.from.Exprs[e]; x.Op != OpName && x.Op != OpFunc && x.Op != OpType {
			stack = p.operands(stack, x)
		}
	}
	slices.Sort(ids)
	for _, e := range ids {
		if _, ok := p.exprs[e]; !ok {
			p.exprs[e] = p.copyExpr(&p.from.Exprs[e])
		}
	}
	return p.exprs[root]
}

func (p *pruner) copyExpr(x *Expr) ExprID {
	n := Expr{Op: x.Op, Flags: x.Flags, N: x.N, Name: p.str(x.Name), X: None, Y: None}
	at := func(e ExprID) ExprID {
		if e == None {
			return None
		}
		return p.exprs[e]
	}
	switch {
	case x.Op == OpName:
		if x.Flags&FlagLocal != 0 {
			if l := p.local(LocalID(x.X)); l != None {
				n.X = ExprID(l)
			} else {
				n.Op, n.Flags = OpNone, 0
			}
		}
	case x.Op == OpFunc || x.Op == OpType:
		n.X = ExprID(p.decls[x.X])
		if n.X == None {
			n.Op = OpNone
		}
	case x.Op == OpComposite:
		n.X = at(x.X)
	default:
		if n.X = at(x.X); !x.Op.HasContext() {
			n.Y = at(x.Y)
		}
		var ids []int32
		for _, a := range p.from.List(x.Args) {
			ids = append(ids, int32(at(ExprID(a))))
		}
		n.Args = p.to.AddList(ids)
	}
	return p.to.AddExpr(n)
}
