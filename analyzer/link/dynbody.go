package link

import (
	"slices"
	"strings"

	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// The edges of languages whose types flow.

// dynamicFile reads a file.
func (r *bodyReader) dynamicFile(fn int32) {
	r.ev.open(fn)
	if last := &r.l.slots.last[fn]; last.typ != nil {
		last.restore(r.ev)
		*last = evaluated{}
	} else {
		r.ev.evaluateOpen()
	}
	r.findOwners()
	r.dynamicImports()
	r.exported()
	fs := r.f.Facts
	r.role = zeroed(r.role, len(fs.Exprs))
	r.made = zeroed(r.made, len(fs.Exprs))
	for e := range fs.Exprs {
		if x := &fs.Exprs[e]; x.Op == facts.OpCall && x.X >= 0 {
			r.role[x.X] = roleCalled
		} else if x.Op == facts.OpMark && x.X >= 0 && fs.Exprs[x.X].Op != facts.OpCall {
			r.role[x.X] = roleCalled
			if of := r.accessorMarked(x.X); of != facts.None {
				r.role[of] = roleMark
			}
		}
	}
	for i := range fs.Decls {
		d := &fs.Decls[i]
		if d.Kind.IsType() && r.l.nodeOf[r.f.base+Ent(i)] != graph.None {
			for _, x := range fs.Lists[d.Bases.Lo:d.Bases.Hi] {
				r.mark(facts.ExprID(x), roleExtend)
			}
		}
		if d.Kind.IsType() {
			r.subclassed(facts.DeclID(i), d)
		}
	}
	r.markValues()
	for e := range fs.Exprs {
		x := &fs.Exprs[e]
		switch x.Op {
		case facts.OpName, facts.OpSelect:
			if x.Line > 0 {
				r.dynamicName(facts.ExprID(e), x)
			}
		case facts.OpCall:
			r.dynamicCall(facts.ExprID(e), x, x.X)
			r.protocolArguments(x)
		case facts.OpBinary, facts.OpUnary, facts.OpIndex:
			r.operator(facts.ExprID(e), x)
		case facts.OpRangeVal:
			r.iterated(facts.ExprID(e), x)
		}
	}
	for i := range fs.Decls {
		r.dynamicDecl(facts.DeclID(i), &fs.Decls[i])
	}
	r.protocolResults()
	for i := range fs.Flows {
		if fl := &fs.Flows[i]; fl.Kind == facts.FlowThrow && fl.From >= 0 {
			r.thrown(fl.From)
		}
	}
}

// markValues marks the names that are values which go on from where they stand: as
// arguments, elements, results, and what variables are.
func (r *bodyReader) markValues() {
	fs := r.f.Facts
	value := func(e facts.ExprID) {
		if e >= 0 && r.role[e] == roleNone {
			r.role[e] = roleValue
		}
	}
	for i := range fs.Exprs {
		x := &fs.Exprs[i]
		if x.Op != facts.OpCall || x.X < 0 {
			continue
		}
		asks, cast := r.testsType(x.X), r.ev.formOf(r.ev.typ[x.X]) == FormCast
		for k, a := range fs.List(x.Args) {
			if asks || cast && k == 0 {
				r.role[a] = roleAsked
			} else {
				value(facts.ExprID(a))
			}
		}
	}
	for i := range fs.Exprs {
		x := &fs.Exprs[i]
		if r.role[i] == roleAsked {
			continue
		}
		switch x.Op {
		case facts.OpKeyword:
			value(x.X)
		case facts.OpKeyValue:
			value(x.Y)
		case facts.OpComposite, facts.OpConditional:
			for _, a := range fs.List(x.Args) {
				value(facts.ExprID(a))
			}
		}
	}
	for i := range fs.Flows {
		if fl := &fs.Flows[i]; fl.Kind != facts.FlowThrow {
			value(fl.From)
		}
	}
	for i := range fs.Locals {
		if lo := &fs.Locals[i]; lo.Kind == facts.LocalVar {
			value(lo.Value)
		}
	}
}

// testsType reports whether calling the expression at only asks of what type its
// argument is, or says so.
func (r *bodyReader) testsType(at facts.ExprID) bool {
	switch r.ev.formOf(r.ev.typ[at]) {
	case FormNewType, FormTypeVar:
		return true
	}
	ref := r.ev.ref[at]
	return ref != noEnt && r.l.units[r.l.unitOf(ref)].universe && slices.Contains(r.ev.lang.dyn.TypeTests, r.l.str(ref, r.l.decl(ref).Name))
}

func (r *bodyReader) dynamicImports() {
	file := r.fileNode()
	l, ev := r.l, r.ev
	for i := range r.f.Facts.Imports {
		im := &r.f.Facts.Imports[i]
		at := r.site(im.Line, im.Col)
		if im.Name != 0 && r.f.Facts.Str(im.Name) == "*" {
			at.Flags |= graph.SiteSpread
		}
		if im.Flags&facts.ImportTypeOnly != 0 {
			at.Flags |= graph.SiteLiteral
		}
		if im.Flags&facts.ImportOptional != 0 {
			at.Flags |= graph.SiteOther
		}
		ofName := at
		if im.Flags&facts.ImportOptionalModule != 0 {
			at.Flags |= graph.SiteOther
		}
		add := func(to graph.ID) {
			if to != graph.None && to != l.unitIDs[r.f.unit] {
				r.edges = append(r.edges, graph.RawEdge{From: file, To: to, Type: graph.None, Kind: graph.EdgeImports,
					HasSite: true, Site: at})
			}
		}
		path := r.f.syms[im.Path]
		u := ev.moduleUnit(r.f.unit, path)
		p := r.f.Facts.Str(im.Path)
		named := im.Name != 0 && r.f.Facts.Str(im.Name) != "*"
		var b binding
		if named {
			b = ev.importedName(r.fn, im)
		}
		module := b.kind == bindModule && b.unit >= 0 && !l.units[b.unit].surface
		if u >= 0 && !l.units[u].surface {
			add(l.unitIDs[u])
		} else if u < 0 && !strings.HasPrefix(p, ".") && !l.pkgNames[path] && !module || u >= 0 {
			add(r.extern(p, ""))
		}
		if !named {
			continue
		}
		switch {
		case module && b.unit != u:
			add(l.unitIDs[b.unit]) // the name is a module of its own
		case b.kind == bindEnt && l.entFile[b.ent] != r.fn:
			from := file
			if im.Owner >= 0 {
				if n := l.nodeOf[r.f.base+Ent(im.Owner)]; n != graph.None {
					from = n
				}
			}
			if n := l.nodeOf[l.canon[b.ent]]; n != graph.None {
				r.edges = append(r.edges, graph.RawEdge{From: from, To: n, Type: graph.None, Kind: graph.EdgeImports,
					HasSite: true, Site: ofName})
			}
		}
	}
}

// exported records which declarations, of its own or imported, a module lists as what
// an import of all names brings.
func (r *bodyReader) exported() {
	l := r.l
	name := r.ev.lang.Dynamic.Exports
	from := r.fileNode()
	if e := Ent(l.pkgScope.get(r.f.unit, l.lookupSym(name))); e != noEnt && l.entFile[e] == r.fn && l.nodeOf[e] != graph.None {
		from = l.nodeOf[e]
	}
	for i := range r.f.Facts.Directives {
		d := &r.f.Facts.Directives[i]
		if r.f.Facts.Str(d.Name) != name {
			continue
		}
		if b := r.ev.moduleNameHere(r.f.syms[d.Value]); b.kind == bindEnt && l.nodeOf[l.canon[b.ent]] != graph.None {
			r.edges = append(r.edges, graph.RawEdge{From: from, To: l.nodeOf[l.canon[b.ent]], Type: graph.None, Kind: graph.EdgeConfigures, HasSite: true, Site: r.site(d.Line, d.Col)})
		}
	}
}

func (r *bodyReader) dynamicName(e facts.ExprID, x *facts.Expr) {
	ref := r.ev.ref[e]
	if r.role[e] == roleMark {
		return // annotates says so
	}
	if r.l.fallbacks && x.Op == facts.OpSelect && x.X >= 0 && x.Flags&facts.FlagWrite == 0 && (ref == noEnt || r.l.pretended(ref)) {
		r.fallback(e, x)
	}
	if ref != noEnt {
		refs, before := r.selected(x, ref), len(r.edges)
		for _, ref := range refs {
			r.attribute(e, x, ref)
		}
		if len(refs) > 1 {
			for i := range r.edges[before:] {
				r.edges[before+i].Certainty = graph.Inferred
			}
		}
		return
	}
	if t := r.ev.typ[e]; r.ev.types.kind(t) == kExtern && x.Flags&facts.FlagWrite == 0 {
		if r.role[e] != roleCalled {
			r.externName(e, x, t)
		}
	}
	if x.Op == facts.OpName && x.Flags&facts.FlagLocal != 0 && x.Flags&facts.FlagWrite == 0 && r.role[e] != roleCalled {
		r.localFunctions(e, x, facts.LocalID(x.X))
	}
}

// selected returns what an expression may name that names ref: of a value that may be
// of several classes, what each of them has.
func (r *bodyReader) selected(x *facts.Expr, ref Ent) []Ent {
	refs := []Ent{ref}
	if x.Op != facts.OpSelect || x.X < 0 {
		return refs
	}
	t := r.ev.types
	ms := t.members(r.ev.typ[x.X])
	if len(ms) < 2 {
		return refs
	}
	for _, m := range ms {
		switch t.kind(m) {
		case kPkg, kExtern, kFunc, kForm:
			continue
		}
		if h := r.ev.find(m, r.f.syms[x.Name]); h.ent != noEnt && !slices.Contains(refs, h.ent) {
			refs = append(refs, h.ent)
		}
	}
	return refs
}

// attribute records that an expression names ref.
func (r *bodyReader) attribute(e facts.ExprID, x *facts.Expr, ref Ent) {
	k := r.l.decl(ref).Kind
	if r.role[e] == roleCalled && (k.IsCallable() || k.IsType()) {
		return // the call says so
	}
	if x.Op == facts.OpSelect && k.IsCallable() && r.l.decl(ref).Traits&facts.TraitAccessor != 0 {
		kind := graph.EdgeReads
		if x.Flags&facts.FlagWrite != 0 {
			shape := r.f.Rules.Dynamic.Setter
			if x.Flags&facts.FlagLater != 0 {
				shape = r.f.Rules.Dynamic.Deleter
			}
			kind, ref = graph.EdgeWrites, r.l.accessor(ref, shape)
		}
		if to := r.target(ref); to != graph.None {
			r.edge(kind, r.owner[e], to, x)
		}
		return
	}
	r.use(e, x, ref)
	r.descriptor(e, x, ref)
}

// descriptor records the method that the value of the class attribute ref, selected at
// e, runs.
func (r *bodyReader) descriptor(e facts.ExprID, x *facts.Expr, ref Ent) {
	d := r.l.decl(ref)
	if x.Op != facts.OpSelect || d.Kind != graph.KindField || !d.Flags.Has(graph.FlagStatic) {
		return
	}
	dyn := r.ev.lang.dyn
	name := dyn.getter
	switch {
	case x.Flags&facts.FlagWrite != 0 && x.Flags&facts.FlagLater != 0:
		name = dyn.removed
	case x.Flags&facts.FlagWrite != 0:
		name = dyn.assigned
	}
	for _, m := range r.ev.types.members(r.l.typ[ref]) {
		r.implicit(e, m, name, x)
	}
}

// maxVersions bounds the versions of a variable that are looked into.
const maxVersions = 16

// localFunctions records the functions that a variable may be which several
// branches define: its value is one of several versions, none of which stands
// in the source.
func (r *bodyReader) localFunctions(e facts.ExprID, x *facts.Expr, id facts.LocalID) {
	fs := r.f.Facts
	open := append(make([]facts.LocalID, 0, maxVersions), id)
	for k := 0; k < len(open) && k < maxVersions; k++ {
		lo := &fs.Locals[open[k]]
		if lo.Kind == facts.LocalFunc {
			if to := r.l.nodeOf[r.f.base+Ent(lo.Decl)]; to != graph.None && !slices.Contains(open[:k], open[k]) {
				r.edges = append(r.edges, graph.RawEdge{From: r.owner[e], To: to, Type: graph.None, Kind: graph.EdgeReferences,
					Certainty: graph.Inferred, HasSite: true, Site: r.site(x.Line, x.Col)})
			}
			continue
		}
		if lo.Kind == facts.LocalVar && lo.Value == facts.None && lo.Type == facts.None && r.ev.dyn.param[open[k]] < 0 {
			for n := lo.Next; n != facts.None && len(open) < maxVersions; n = fs.Locals[n].Next { // as a function or class inside sees it
				open = append(open, n)
			}
			continue
		}
		if lo.Kind != facts.LocalVar || lo.Value == facts.None || fs.Exprs[lo.Value].Line != 0 {
			continue
		}
		v := &fs.Exprs[lo.Value]
		if v.Op != facts.OpConditional {
			continue
		}
		for _, a := range fs.List(v.Args) {
			if y := &fs.Exprs[a]; y.Op == facts.OpName && y.Flags&facts.FlagLocal != 0 {
				open = append(open, facts.LocalID(y.X))
			}
		}
	}
}

// operator records the method that an operator or a subscript runs.
func (r *bodyReader) operator(e facts.ExprID, x *facts.Expr) {
	if x.Line == 0 || x.X < 0 || x.Flags&facts.FlagTyped != 0 {
		return
	}
	dyn := r.ev.lang.dyn
	if x.Op == facts.OpIndex {
		for _, m := range r.ev.types.members(r.ev.typ[x.X]) {
			if field := r.ev.recordField(m, r.f.syms[x.Name]); field != noEnt {
				r.use(e, x, field)
				continue
			}
			name := dyn.item
			if x.Flags&facts.FlagWrite != 0 {
				name = dyn.setItem
			}
			if x.Flags&facts.FlagLater != 0 {
				name = dyn.delItem
			}
			r.implicit(e, m, name, x)
		}
		return
	}
	on := x.X
	if dyn.contains[r.f.syms[x.Name]] && x.Y >= 0 {
		on = x.Y
	}
	names := dyn.operators[r.f.syms[x.Name]]
	if x.Op == facts.OpUnary {
		names = dyn.unary[r.f.syms[x.Name]]
	}
	for _, m := range r.ev.types.members(r.ev.typ[on]) {
		for _, name := range names {
			if r.implicit(e, m, name, x) {
				break
			}
			if by := dyn.reflected[name]; by != 0 && x.Y >= 0 && m != unknownType {
				b := r.ev.typ[x.Y]
				if h := r.ev.find(m, name); h.ent == noEnt || !r.ev.takesOne(m, h.ent, b) {
					for _, o := range r.ev.types.members(b) {
						r.implicit(e, o, by, x)
					}
				}
			}
		}
	}
}

// implicit records the method of the tree that a value of type m runs where the
// source does not name it, and reports whether there is one.
func (r *bodyReader) implicit(e facts.ExprID, m Type, name Sym, x *facts.Expr) bool {
	if k := r.ev.types.kind(m); k != kNamed && k != kSelf {
		return false
	}
	h := r.ev.find(m, name)
	if h.ent == noEnt || r.l.nodeOf[h.ent] == graph.None || !r.l.decl(h.ent).Kind.IsCallable() {
		return false
	}
	s := r.site(x.Line, x.Col)
	if x.Op == facts.OpIndex && x.Flags&facts.FlagWrite != 0 && x.Flags&facts.FlagLater == 0 {
		s.Args = 2
	} else if x.Op == facts.OpUnary {
		s.Args = 0
	} else if x.Op == facts.OpBinary || x.Op == facts.OpIndex {
		s.Args = 1
	} else {
		s.Args = -1 // the language knows what it gives them
	}
	if x.Op == facts.OpCall && x.Flags&facts.FlagLater != 0 {
		s.Flags |= graph.SiteGo
	}
	r.callTo(e, h.ent, s, graph.Inferred)
	return true
}

// iterated records the methods that a loop runs.
func (r *bodyReader) iterated(e facts.ExprID, x *facts.Expr) {
	if x.Line == 0 || x.X < 0 {
		return
	}
	ev := r.ev
	iterates, next := ev.lang.dyn.iterates, ev.lang.dyn.next
	if x.Flags&facts.FlagLater != 0 {
		iterates, next = ev.lang.dyn.asyncIterates, ev.lang.dyn.asyncNext
	}
	for _, m := range ev.types.members(ev.typ[x.X]) {
		if !r.implicit(e, m, iterates, x) {
			continue
		}
		for _, i := range ev.types.members(ev.methodResult(m, iterates)) {
			r.implicit(e, i, next, x)
		}
	}
}

func (r *bodyReader) thrown(from facts.ExprID) {
	t := r.ev.types
	x := &r.f.Facts.Exprs[from]
	v := r.ev.typ[from]
	for _, m := range t.members(v) {
		if t.kind(m) == kMeta {
			m = t.arg(m, 0)
		}
		if c, _ := r.ev.classOf(m); c != noEnt && x.Line > 0 {
			if to := r.target(c); to != graph.None {
				r.edge(graph.EdgeThrows, r.owner[from], to, x)
			}
		}
	}
}

// dynamicDecl records what decorators do, and what routes handle.
func (r *bodyReader) dynamicDecl(id facts.DeclID, d *facts.Decl) {
	fs := r.f.Facts
	node := r.l.nodeOf[r.f.base+Ent(id)]
	if d.Kind == graph.KindRoute && node != graph.None {
		to := graph.None
		if d.Parent != facts.None {
			to = r.l.ownerNode(r.fn, d.Parent)
		} else if v := handlerOf(fs, d); v == none {
			to = r.fileNode()
		} else if ref := r.ev.ref[v]; ref != noEnt {
			to = r.target(ref)
		}
		if to != graph.None {
			r.edges = append(r.edges, graph.RawEdge{From: node, To: to, Type: graph.None, Kind: graph.EdgeHandles,
				HasSite: true, Site: r.site(d.Line, d.Col)})
		}
		return
	}
	for _, m := range fs.Lists[d.Marks.Lo:d.Marks.Hi] {
		x := &fs.Exprs[m]
		if x.Op != facts.OpMark || x.X < 0 {
			continue
		}
		at := x.X
		var args []int32
		if fs.Exprs[at].Op != facts.OpCall {
			r.dynamicCall(facts.ExprID(m), nil, at)
		} else {
			args = fs.List(fs.Exprs[at].Args)
			at = fs.Exprs[at].X
		}
		if at >= 0 {
			r.heardBy(at, args, node)
		}
		if node == graph.None || at < 0 {
			continue
		}
		if to := r.ev.dispatcher(at); to != noEnt && r.l.nodeOf[to] != graph.None {
			// It is one of those that the function chooses among.
			r.edges = append(r.edges, graph.RawEdge{From: node, To: r.l.nodeOf[to], Type: graph.None, Kind: graph.EdgeOverrides, HasSite: true, Site: r.site(x.Line, x.Col)})
			continue
		}
		ref := r.ev.ref[at]
		if of := r.accessorMarked(at); of != facts.None {
			ref = r.ev.ref[of]
		}
		if ref != noEnt {
			if from := r.target(ref); from != graph.None {
				r.edges = append(r.edges, graph.RawEdge{From: from, To: node, Type: graph.None, Kind: graph.EdgeAnnotates, HasSite: true, Site: r.site(x.Line, x.Col)})
			}
		}
	}
}

// accessorMarked returns the name of a property in a decorator that adds to it what
// runs when it is assigned or removed (@value.setter); None if at is no such one.
func (r *bodyReader) accessorMarked(at facts.ExprID) facts.ExprID {
	x := &r.f.Facts.Exprs[at]
	if x.Op != facts.OpSelect || x.X < 0 || r.ev.ref[at] != noEnt {
		return facts.None
	}
	if of := r.ev.ref[x.X]; of == noEnt || !r.l.decl(of).Kind.IsCallable() || r.l.decl(of).Traits&facts.TraitAccessor == 0 {
		return facts.None
	}
	return x.X
}

// dispatcher returns the function to which the expression at, the name of a
// decorator, adds what it decorates: one that chooses by the type of an argument.
func (ev *evaluator) dispatcher(at facts.ExprID) Ent {
	x := &ev.f.Facts.Exprs[at]
	dyn := ev.lang.dyn
	if x.Op != facts.OpSelect || x.X < 0 || ev.f.syms[x.Name] != dyn.register {
		return noEnt
	}
	to := ev.refOf(x.X)
	if to == noEnt || !ev.l.decl(to).Kind.IsCallable() {
		return noEnt
	}
	for _, m := range ev.types.members(ev.typeOf(x.X)) {
		if r := ev.types.rec(m); r.kind == kNamed && slices.Contains(dyn.dispatchers, r.ent) {
			return to
		}
	}
	return noEnt
}
