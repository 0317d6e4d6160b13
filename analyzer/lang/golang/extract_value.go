package golang

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
	"github.com/codekg/kg/analyzer/syntax"
)

// vars adds the package-level variables of a declaration.
func (e *extractor) vars(i syntax.ID, doc comments) {
	for c := range e.t.NamedChildren(i) {
		switch classOf(e.nodes[c].Kind) {
		case classVarSpec:
			e.varSpec(c, i, doc)
		case classVarSpecList:
			e.eachSpec(c, classVarSpec, func(spec syntax.ID, doc comments) { e.varSpec(spec, spec, doc) })
		}
	}
}

// eachSpec calls f for the children of class k of a group, with their comments.
func (e *extractor) eachSpec(group syntax.ID, k class, f func(syntax.ID, comments)) {
	doc := comments{behind: e.nodes[group].Row + 1}
	for c := group + 1; c < e.nodes[group].Next; c = e.nodes[c].Next {
		switch ck := classOf(e.nodes[c].Kind); ck {
		case classComment:
			doc.add(e, c)
		case k:
			f(c, doc)
			doc = comments{behind: e.endRow(c) + 1}
		}
	}
}

// names yields the names of a specification.
func (e *extractor) names(spec syntax.ID) func(func(int, syntax.ID) bool) {
	return func(yield func(int, syntax.ID) bool) {
		k := 0
		for c, end := spec+1, e.nodes[spec].Next; c < end; c = e.nodes[c].Next {
			if e.nodes[c].Field == fieldName && e.nodes[c].Named() {
				if !yield(k, c) {
					return
				}
				k++
			}
		}
	}
}

func (e *extractor) nameCount(spec syntax.ID) int {
	n := 0
	for range e.names(spec) {
		n++
	}
	return n
}

// values puts the nodes of the values of a specification on members and returns
// where they begin.
func (e *extractor) values(spec syntax.ID) (base int) {
	base = len(e.members)
	if v := e.child(spec, fieldValue); v != syntax.None {
		for c := range e.t.NamedChildren(v) {
			e.members = append(e.members, c)
		}
	}
	return base
}

// varSpec adds the variables of one specification. The whole declaration, of
// which the specification is the only one or a part, is node def.
func (e *extractor) varSpec(spec, def syntax.ID, doc comments) {
	n := e.nameCount(spec)
	base := e.values(spec)
	defer func() { e.members = e.members[:base] }()
	values := e.members[base:]
	typ := e.child(spec, fieldType)
	about := e.notes(doc, def, def)
	typeID, shared := facts.ExprID(none), facts.ExprID(none)
	for k, name := range e.names(spec) {
		if e.str(name) == 0 {
			continue
		}
		kind := graph.KindVariable
		if len(values) == n && classOf(e.nodes[values[k]].Kind) == classFuncLiteral {
			kind = graph.KindFunction
		}
		d := e.declare(kind, name, def, def)
		e.open(d, false)
		typeID = e.repeated(typ, typeID)
		value, from := facts.ExprID(none), syntax.ID(syntax.None)
		e.initial = kind == graph.KindVariable
		switch {
		case len(values) == 1 && n > 1:
			if from = values[0]; shared == none {
				shared = e.expr(from, 0)
				e.want(shared, n)
			}
			value = e.tuple(shared, k)
		case k < len(values):
			from = values[k]
			value = e.expr(from, 0)
		}
		e.initial = false
		p := &e.b.Decls[d]
		p.Type, p.Value = typeID, value
		if p.Name == e.words.blank {
			p.Traits |= facts.TraitFileScoped
		}
		if typeID != none && value != none {
			e.flow(facts.FlowDefine, int32(d), none, value)
		}
		literal := e.literalOf(value)
		if kind == graph.KindFunction && literal != none {
			l := &e.b.Decls[literal]
			p.Params, p.Results = l.Params, l.Results
		}
		e.b.EndDecl(d)
		e.document(d, &about)
		if n == 1 && len(values) == 0 {
			e.embeds(d, doc)
		}
		switch {
		case kind == graph.KindFunction:
			e.hashCode(d, &about, e.child(from, fieldBody))
		case n > 1 && len(values) == 1:
			e.hashShared(d, &about, from, k)
		default:
			e.hashCode(d, &about, from)
		}
		e.signVariable(d, "var ", name, typ, from)
		e.close()
	}
}

// literalOf returns the declaration of the function literal x, or None.
func (e *extractor) literalOf(x facts.ExprID) facts.DeclID {
	if x != none && e.b.Exprs[x].Op == facts.OpFunc {
		return facts.DeclID(e.b.Exprs[x].X)
	}
	return none
}

// repeated adds the type at node i for one of several names that share it: each
// declaration mentions it by itself. Types that declare something, and large
// ones, are added once; then last is returned.
func (e *extractor) repeated(i syntax.ID, last facts.ExprID) facts.ExprID {
	if i == syntax.None {
		return none
	}
	if last != none {
		cost := int(e.nodes[i].Next - i)
		if cost > e.copied {
			return last
		}
		e.copied -= cost
		if e.declares(i) {
			return last
		}
	}
	return e.typ(i)
}

// declares reports whether a type holds type or function literals.
func (e *extractor) declares(i syntax.ID) bool {
	for c := i; c < e.nodes[i].Next; c++ {
		switch classOf(e.nodes[c].Kind) {
		case classStructType, classInterfaceType, classFuncLiteral:
			return true
		}
	}
	return false
}

// constGroup is what the specifications of one const declaration repeat.
type constGroup struct {
	typeNode syntax.ID
	typeID   facts.ExprID
	nodes    []syntax.ID // values
	ids      []facts.ExprID
	iota     int32
}

// next reads the values that a specification writes out, if it does. Implied
// says that it repeats the values of the one before.
func (g *constGroup) next(e *extractor, spec syntax.ID) (implied bool) {
	v := e.child(spec, fieldValue)
	if v == syntax.None {
		return g.iota > 0 || len(g.nodes) > 0
	}
	g.typeNode, g.typeID = e.child(spec, fieldType), none
	g.nodes, g.ids = g.nodes[:0], g.ids[:0]
	for c := range e.t.NamedChildren(v) {
		g.nodes = append(g.nodes, c)
	}
	return false
}

// consts adds the package-level constants of a declaration.
func (e *extractor) consts(i syntax.ID, doc comments) {
	g := constGroup{typeNode: syntax.None, typeID: none}
	grouped := false
	for c := i + 1; c < e.nodes[i].Next; c = e.nodes[c].Next {
		if !e.nodes[c].Named() && string(e.t.Text(c)) == "(" {
			grouped = true
		}
		if classOf(e.nodes[c].Kind) == classConstSpec {
			break
		}
	}
	if !grouped {
		if c := e.t.ChildOfKind(i, kindConstSpec); c != syntax.None {
			e.constSpec(&g, c, i, doc)
		}
		return
	}
	e.eachSpec(i, classConstSpec, func(spec syntax.ID, doc comments) {
		e.constSpec(&g, spec, spec, doc)
		g.iota++
	})
}

func (e *extractor) constSpec(g *constGroup, spec, def syntax.ID, doc comments) {
	implied := g.next(e, spec)
	about := e.notes(doc, def, def)
	for k, name := range e.names(spec) {
		if e.str(name) == 0 {
			if !implied {
				g.ids = append(g.ids, none)
			}
			continue
		}
		d := e.declare(graph.KindConstant, name, def, def)
		e.open(d, false)
		if !implied {
			g.typeID = e.repeated(g.typeNode, g.typeID)
			if k < len(g.nodes) {
				g.ids = append(g.ids, e.expr(g.nodes[k], 0))
			}
		}
		p := &e.b.Decls[d]
		p.Ordinal = g.iota
		p.Type = g.typeID
		if k < len(g.ids) {
			p.Value = g.ids[k]
		}
		if k < len(g.nodes) && !e.messaging() {
			if s, ok := e.stringLiteral(g.nodes[k]); ok {
				v := e.b.AddText(s) // the same, with its text
				p = &e.b.Decls[d]
				p.Value = v
			}
		}
		if implied {
			p.Traits |= facts.TraitImplied
		}
		if p.Name == e.words.blank {
			p.Traits |= facts.TraitFileScoped
		}
		e.b.EndDecl(d)
		e.document(d, &about)
		if k < len(g.nodes) {
			e.hashConst(d, &about, g.nodes[k])
		}
		e.signVariable(d, "const ", name, g.typeNode, syntax.None)
		e.close()
	}
}

// localVars adds the variables that a statement declares.
func (e *extractor) localVars(i syntax.ID) {
	for c := range e.t.NamedChildren(i) {
		switch classOf(e.nodes[c].Kind) {
		case classVarSpec:
			e.localVarSpec(c)
		case classVarSpecList:
			for s := range e.t.NamedChildren(c) {
				if classOf(e.nodes[s].Kind) == classVarSpec {
					e.localVarSpec(s)
				}
			}
		}
	}
}

// localVarSpec adds local variables, which are in scope behind their
// specification.
func (e *extractor) localVarSpec(spec syntax.ID) {
	typ := facts.ExprID(none)
	if c := e.child(spec, fieldType); c != syntax.None {
		typ = e.typ(c)
	}
	base := len(e.ids)
	if v := e.child(spec, fieldValue); v != syntax.None {
		e.list(v)
	}
	right := e.ids[base:]
	n := e.nameCount(spec)
	e.spread(n, right)
	for k, name := range e.names(spec) {
		s := e.str(name)
		blank := s == 0 || s == e.words.blank
		if blank && (typ == none || len(right) == 0) {
			continue
		}
		l := facts.Local{Name: s, Decl: none, Type: typ, Value: none, Next: none}
		value := e.valueOf(k, n, right)
		if typ == none {
			l.Value = value
		}
		id := e.b.AddLocal(l)
		if typ != none && value != none {
			e.flow(facts.FlowBind, int32(id), none, value)
		}
		if !blank {
			e.b.Bind(id)
		}
	}
	e.ids = e.ids[:base]
}

// localConsts adds the constants that a statement declares.
func (e *extractor) localConsts(i syntax.ID) {
	g := constGroup{typeNode: syntax.None, typeID: none}
	for spec := range e.t.NamedChildren(i) {
		if classOf(e.nodes[spec].Kind) != classConstSpec {
			continue
		}
		if implied := g.next(e, spec); !implied {
			if g.typeNode != syntax.None {
				g.typeID = e.typ(g.typeNode)
			}
			for _, v := range g.nodes {
				g.ids = append(g.ids, e.expr(v, 0))
			}
		}
		for k, name := range e.names(spec) {
			s := e.str(name)
			if s == 0 || s == e.words.blank {
				continue
			}
			l := facts.Local{Name: s, Decl: none, Type: g.typeID, Value: none, Next: none}
			if k < len(g.ids) {
				l.Value = g.ids[k]
			}
			e.b.Bind(e.b.AddLocal(l))
		}
		g.iota++
	}
}
