package java

import (
	"github.com/codekg/kg/analyzer/facts"
	"github.com/codekg/kg/analyzer/graph"
)

// Members that are not in the source: the accessors of records, what enums
// have, and what Lombok generates for its annotations; see lombok. They stand
// where the field or type does that they are generated for.

// generated adds a callable that is not in the source. like gives the place.
func (e *extractor) generated(kind graph.Kind, name string, typ, like facts.DeclID, flags graph.Flags) facts.DeclID {
	d := e.b.AddDecl(kind, e.b.InternString(name), typ)
	p, q := &e.b.Decls[d], &e.b.Decls[like]
	p.DefLine, p.Line, p.Col, p.EndLine = q.DefLine, q.Line, q.Col, q.EndLine
	if q.Kind.IsType() {
		p.EndLine = q.Line
	}
	p.Traits |= facts.TraitSynthetic
	p.Flags |= graph.FlagGenerated | flags
	p.Vis = graph.Public
	return d
}

// finishGenerated sets result and parameters of a generated callable.
func (e *extractor) finishGenerated(d facts.DeclID, result facts.ExprID, params ...facts.Param) {
	e.b.EndDecl(d)
	if result != none {
		base := len(e.params)
		e.params = append(e.params, facts.Param{Type: result, Local: none})
		e.b.Decls[d].Results = e.endParams(base)
	}
	e.shape(d, params)
	base := len(e.params)
	e.params = append(e.params, params...)
	e.b.Decls[d].Params = e.endParams(base)
	p := &e.b.Decls[d]
	p.Signature = e.b.InternString(e.b.Strings[p.Name] + e.b.Strings[p.Shape])
}

// selfType adds the type that is open, as an expression without a place in the
// source.
func (e *extractor) selfType() facts.ExprID {
	return e.b.AddExpr(facts.Expr{Op: facts.OpSelf, Flags: facts.FlagTyped, X: none, Y: none})
}

// synthesize adds what is generated for type d after its members were read.
func (e *extractor) synthesize(d facts.DeclID) {
	o := e.types[d]
	switch e.b.Decls[d].Kind {
	case graph.KindRecord:
		for _, f := range o.fields {
			if f.static || o.methods[methodKey(f.name, 0)] {
				continue
			}
			g := e.generated(graph.KindMethod, f.name, d, f.decl, 0)
			e.finishGenerated(g, e.b.Decls[f.decl].Type)
			e.plain(g, gives(f.name), e.typeText(f))
		}
		if !o.compact {
			e.canonical(d)
		}
	case graph.KindEnum:
		e.enumMembers(d)
	}
	if len(o.marks) > 0 || e.imports != nil {
		e.lombok(d, o)
	}
}

// canonical adds the constructor of a record that declares none with the types
// of its components.
func (e *extractor) canonical(d facts.DeclID) {
	o := e.types[d]
	shape := e.shapeOf(e.b.Params[o.record.Lo:o.record.Hi])
	for i := int(d) + 1; i < len(e.b.Decls); i++ {
		if c := &e.b.Decls[i]; c.Parent == d && c.Kind == graph.KindConstructor && e.b.Strings[c.Shape] == shape {
			return
		}
	}
	g := e.generated(graph.KindConstructor, e.b.Strings[o.name], d, d, 0)
	e.b.EndDecl(g)
	e.recordParams(g, false)
}

// enumMembers adds values, valueOf and what they need.
func (e *extractor) enumMembers(d facts.DeclID) {
	self := e.selfType()
	arr := e.arrayOf(self, 1)
	g := e.generated(graph.KindMethod, "values", d, d, graph.FlagStatic)
	e.finishGenerated(g, arr)
	str := e.b.AddExpr(facts.Expr{Op: facts.OpName, Flags: facts.FlagTyped, Name: e.b.InternString("String"), X: none, Y: none})
	g = e.generated(graph.KindMethod, "valueOf", d, d, graph.FlagStatic)
	e.finishGenerated(g, self, facts.Param{Name: e.b.InternString("name"), Type: str, Local: none})
}
